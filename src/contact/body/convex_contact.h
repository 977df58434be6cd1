/* Particles against convex bodies, each with a pose at the start and at the end of a substep. */
#ifndef TL_CONTACT_BODY_CONVEX_CONTACT_H
#define TL_CONTACT_BODY_CONVEX_CONTACT_H

#include "collide/shapes/shape.h"
#include "contact/rigid/rigid_state.h"
#include "contact/tuning.h"
#include "core/particles.h"

/* Impulses, summed: N·s, and N·m·s about the body's position. */
typedef struct tl_received {
    tl_vec3 impulse, moment;
} tl_received;

/* One convex body in a substep. */
typedef struct tl_contact_body {
    const tl_shape_class *shape;
    tl_vec3 size;
    tl_pose from, to; /* pose at the start and at the end of the substep */
    tl_real friction, restitution;
    bool is_primitive;       /* working memory: handled by contact/body/primitive_simd.h */
    tl_rigid_state *rigid;   /* of a dynamic body: its velocity, which contact changes; NULL: static or kinematic */
    tl_received *received;   /* of a cloth in a world: sum over the frame */
    tl_vec3 impulse, moment; /* out: what this cloth gave the body in this substep, N·s, N·m·s about to.position; set,
                                not added to */
} tl_contact_body;

/* The cloth. */
typedef struct tl_contact_cloth {
    tl_particles *p;
    tl_real *const *x_old; /* positions at the start of the substep */
    tl_real thickness;     /* m */
    tl_real friction;      /* multiplied with the body's */
    tl_real *pressure;     /* out, per particle: normal impulse summed over the frame, N·s; padded */
    tl_real rest_speed;    /* m/s; below this normal speed restitution is off */
    int touching;          /* out: particles in contact at the end */
    int lanes;             /* 8, 4 or 1: vector width */
} tl_contact_cloth;

/* Moves every free particle out of every body along its path x_old → p->x, with friction and restitution
   (contact/body/convex_contact.c explains the law). Pinned particles are left alone. Never leaves a free particle
   inside unless the bodies leave no room. */
void tl_convex_contact_solve(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, tl_real dt);

#endif
