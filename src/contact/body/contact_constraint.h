/* Contact constraints found before a step, for steppers that solve contact together with the cloth.

   A constraint is a particle, the tangent plane of the nearest body, and the gap. The stepper decides which
   constraints are active, stick or slide, and returns the impulse of each. Residual penetration is left to
   contact/body/convex_contact.c, which runs after the step in any case. */
#ifndef TL_CONTACT_BODY_CONTACT_CONSTRAINT_H
#define TL_CONTACT_BODY_CONTACT_CONSTRAINT_H

#include "contact/body/convex_contact.h"
#include "contact/cloth/contact_world.h"

typedef struct tl_contact_constraint {
    int particle;
    int body;               /* its index */
    tl_vec3 normal;         /* of the surface, at the end of the substep */
    tl_vec3 velocity;       /* m/s, of the surface there */
    tl_real gap;            /* m, from the particle to the surface less the thickness, both at the present positions */
    tl_real friction;       /* of cloth and body together; may be infinite */
    tl_real effective_mass; /* kg; of a dynamic body along the normal. 0: static or kinematic */
    bool on;                /* in contact and not separating */
    tl_vec3 impulse;        /* out: N·s that the particle receives */
} tl_contact_constraint;

/* Constraints are found in four steps, in `out` with room for one per particle: begin, convex bodies, any number of
   bodies made of triangles, and pack, which returns how many there are. A free particle that is in contact with a
   body or may reach one within dt has one constraint, with the nearest body. A particle that would bounce has none,
   nor one that hits a dynamic body instead of resting on it. `ended`: positions are those at the end of the substep,
   and what is near then has a constraint; dynamic bodies are left out. */
void tl_contact_constraints_begin(const tl_contact_cloth *cloth, tl_contact_constraint *out);
void tl_contact_constraints_add_convex(const tl_contact_cloth *cloth, const tl_contact_body *bodies, int body_count,
                                       tl_real dt, bool ended, tl_contact_constraint *out);
/* `body`: its index in the constraints. */
void tl_contact_constraints_add_mesh(const tl_contact_cloth *cloth, tl_contact_mesh *mesh, int body, tl_real dt,
                                     bool ended, tl_contact_constraint *out);
int tl_contact_constraints_pack(const tl_contact_cloth *cloth, tl_contact_constraint *out);

/* Adds a constraint's impulse to the cloth's pressure and to what its body received, with the moment about the
   pivot. */
void tl_contact_constraint_report(tl_contact_cloth *cloth, const tl_contact_constraint *constraint, tl_vec3 pivot,
                                  tl_vec3 *impulse, tl_vec3 *moment);

#endif
