/* A body as contact sees it: a convex shape with a pose at the start and at the end of a substep. */
#ifndef TL_CONTACT_BODY_H
#define TL_CONTACT_BODY_H

#include "contact/exchange.h"
#include "core/particles.h"

/* One kind of shape, in its own frame; size as in tl_body_def. One file per shape family, one line in shape_list.inl.
   All shapes are convex; `margin` inflates them (the cloth's thickness). */
typedef struct tl_shape_class {
    const char *name;
    const char *help;
    const char *size_help; /* what the three numbers of `size` mean */
    bool bottomless;       /* solid all the way down: `extent` bounds it upwards in local y only */
    /* NULL when the size is usable, else what is wrong with it ("radius must be above 0"). */
    const char *(*check)(tl_vec3 size);
    /* Signed distance of p from the surface (a lower bound in size outside is not enough: exact near the surface),
       and the outward unit normal at the nearest surface point. */
    tl_real (*distance)(tl_vec3 size, tl_vec3 p, tl_vec3 *normal);
    /* First entry of the segment p0 → p1 into the shape inflated by margin, when p0 is outside: true, with t in 0…1
       and the outward normal there. */
    bool (*cast)(tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real *t, tl_vec3 *normal);
    /* Half extents of an axis-aligned box in the shape's frame that holds it; a plane has (∞, 0, ∞), see bottomless. */
    tl_vec3 (*extent)(tl_vec3 size);
    /* Moments of inertia about the shape's own axes for a mass of 1 kg, m²; NULL for shapes that nothing can move. */
    tl_vec3 (*inertia)(tl_vec3 size);
} tl_shape_class;

extern const tl_shape_class *const tl_shape_classes[];
extern const int tl_shape_class_count;
/* The name for bodies made of triangles, which are no convex shape and have no class (contact/surface.h). */
#define TL_SHAPE_MESH "mesh"
#define TL_SHAPE_MESH_HELP "Surface of triangles, solid or thin, that may move and deform."
extern const char *const tl_shape_name_list[];         /* NULL-terminated, same order; TL_SHAPE_MESH is the last */
const tl_shape_class *tl_shape_find(const char *name); /* NULL when there is none */

/* What a substep's contact needs to know of one body. */
typedef struct tl_contact_body {
    const tl_shape_class *shape;
    tl_vec3 size;
    tl_pose from, to; /* pose at the start and at the end of the substep */
    tl_real friction, restitution;
    bool is_solid;   /* working memory: has the form of contact/solid.h */
    tl_mover *mover; /* of a body with a mass: its velocity, which every particle it meets changes; NULL: none */
    tl_vec3 impulse, moment; /* out: what this cloth gave the body in this substep, N·s, N·m·s about to.position; set,
                                not added to */
} tl_contact_body;

/* What it needs to know of the cloth. */
typedef struct tl_contact_cloth {
    tl_particles *p;
    tl_real *const *x_old; /* positions at the start of the substep */
    tl_real thickness;     /* m */
    tl_real friction;      /* multiplied with the body's */
    tl_real *pressure;     /* out, per particle: normal impulse added up over the frame, N·s; padded */
    tl_real rest_speed;    /* m/s; below this normal speed restitution is off */
    int touching;          /* out: particles in contact at the end */
    int lanes;             /* 8, 4 or 1: vector width */
} tl_contact_cloth;

/* Units in the last place by which rounding may leave a particle nearer to a body than the thickness: what it takes to
   go to the body's frame and back. */
#define TL_CONTACT_ULPS 8
/* The same as a length, m, for a particle at x. Particles within it of the surface are in contact. */
tl_real tl_contact_tolerance(const tl_contact_body *body, tl_real thickness, tl_vec3 x);

/* Moves every free particle out of every body along its path x_old → p->x, and answers with friction and restitution
   (contact/respond.c explains the law). Held particles are left alone. Never leaves a free particle inside. */
void tl_contact_bodies(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, tl_real dt);

#endif
