/* The touch that a body made of triangles offers a particle: the plane through the nearest point of its surface. */
#ifndef TL_CONTACT_TOUCH_MESH_H
#define TL_CONTACT_TOUCH_MESH_H

#include "contact/body/convex_contact.h"
#include "contact/cloth/contact_world.h"

/* Where the surface is nearest to a point. */
typedef struct tl_mesh_contact_point {
    tl_vec3 normal;   /* unit, from the surface to the point; out of a solid */
    tl_vec3 velocity; /* m/s, of the surface there */
    tl_real distance; /* m, below 0 inside a solid */
} tl_mesh_contact_point;

/* Fits the tree of a body's surface to its points x, those at the start or at the end of the substep. Returns the speed
   of the fastest, m/s. */
tl_real tl_mesh_contact_begin(tl_contact_mesh *body, tl_real *const x[3]);

/* The place within `reach` of p; false when there is none. */
bool tl_mesh_contact_at(const tl_contact_mesh *body, tl_real *const x[3], tl_vec3 p, tl_real reach,
                        tl_mesh_contact_point *out);

/* What a step that knew the touches has left undone, and what a limit of stretch undid: particles that ended nearer
   than the thickness are put out again by the law of contact/body/convex_contact.c. Adds to impulse and moment of the
   body. */
void tl_mesh_contact_solve(tl_contact_cloth *cloth, tl_contact_mesh *body, tl_real dt, tl_vec3 *impulse,
                           tl_vec3 *moment);

#endif
