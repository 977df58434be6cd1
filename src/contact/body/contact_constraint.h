/* What cloth may touch during a step, told before the step: for steppers that solve contact together with the cloth.

   A touch is a particle, the plane that the nearest body offers it, and how far away it is. The stepper decides which
   touches press, stick or slide, and says what impulse each took. What it leaves undone is
   contact/body/convex_contact.c's, which runs after the step in any case. */
#ifndef TL_CONTACT_TOUCH_H
#define TL_CONTACT_TOUCH_H

#include "contact/body/convex_contact.h"
#include "contact/cloth/contact_world.h"

typedef struct tl_contact_constraint {
    int particle;
    int body;               /* its number in the list */
    tl_vec3 normal;         /* of the surface, at the end of the substep */
    tl_vec3 velocity;       /* m/s, of the surface there */
    tl_real gap;            /* m, from the particle to the surface, thickness taken off, both as they are now */
    tl_real friction;       /* of cloth and body together; may be infinite */
    tl_real effective_mass; /* kg; of a dynamic body along the normal. 0: nothing moves it */
    bool on;                /* it lies on the surface and does not fly away from it */
    tl_vec3 impulse;        /* out: N·s that the particle receives */
} tl_contact_constraint;

/* A list of touches is made in four steps, in `out` with room for one per particle: begin, convex bodies, any number
   of bodies made of triangles, and pack, which returns how many there are. A free particle that is on a body or may
   reach one within dt has one touch, of the nearest body. A particle that would bounce is left
   out, and one that meets a body with a mass instead of resting on it. `ended`: places are those at the end of the
   substep, and what is near then has a touch; bodies with a mass are left out. */
void tl_contact_constraints_begin(const tl_contact_cloth *cloth, tl_contact_constraint *out);
void tl_contact_constraints_add_convex(const tl_contact_cloth *cloth, const tl_contact_body *bodies, int body_count,
                                       tl_real dt, bool ended, tl_contact_constraint *out);
/* `body`: the number it goes by in the list. */
void tl_contact_constraints_add_mesh(const tl_contact_cloth *cloth, tl_contact_mesh *surface, int body, tl_real dt,
                                     bool ended, tl_contact_constraint *out);
int tl_contact_constraints_pack(const tl_contact_cloth *cloth, tl_contact_constraint *out);

/* Adds a touch's impulse to the cloth's pressure and to what its body received, with the moment about the pivot. */
void tl_contact_constraint_report(tl_contact_cloth *cloth, const tl_contact_constraint *touch, tl_vec3 pivot,
                                  tl_vec3 *impulse, tl_vec3 *moment);

#endif
