/* Contact of a particle with a body made of triangles: the tangent plane at the nearest point of its mesh. */
#ifndef TL_CONTACT_BODY_MESH_CONTACT_H
#define TL_CONTACT_BODY_MESH_CONTACT_H

#include "contact/body/convex_contact.h"
#include "contact/cloth/contact_world.h"

/* The point of the mesh nearest to a particle. */
typedef struct tl_mesh_contact_point {
    tl_vec3 normal;   /* unit, from the mesh to the particle; out of a solid */
    tl_vec3 velocity; /* m/s, of the mesh there */
    tl_real distance; /* m, negative inside a solid */
} tl_mesh_contact_point;

/* Refits the tree of a body to its points x, those at the start or at the end of the substep. Returns the speed of
   the fastest point, m/s. */
tl_real tl_mesh_contact_begin(tl_contact_mesh *body, tl_real *const x[3]);

/* The nearest point within `reach` of p; false when there is none. */
bool tl_mesh_contact_at(const tl_contact_mesh *body, tl_real *const x[3], tl_vec3 p, tl_real reach,
                        tl_mesh_contact_point *out);

/* Removes what a step with contact constraints and a strain limit after it left: particles that ended closer than
   the thickness are projected out by the law of contact/body/convex_contact.c. Adds to impulse and moment of the
   body. */
void tl_mesh_contact_solve(tl_contact_cloth *cloth, tl_contact_mesh *body, tl_real dt, tl_vec3 *impulse,
                           tl_vec3 *moment);

#endif
