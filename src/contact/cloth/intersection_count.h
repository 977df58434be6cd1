/* Exact counts of intersecting pairs of triangles: of cloth, and of cloth and bodies. */
#ifndef TL_CONTACT_CLOTH_INTERSECTION_COUNT_H
#define TL_CONTACT_CLOTH_INTERSECTION_COUNT_H

#include "contact/cloth/contact_world.h"

/* At x: all pairs (only = -1), or those with a triangle of mesh `only`, whose flags in `faces` (or NULL) are set to
   1. -1 when out of memory. */
int tl_count_intersections(tl_contact_world *set, int only, unsigned char *faces);
/* Does anything of self-colliding cloth cross at x? Flat parts that hang together are not tested against themselves.
   False when out of memory. */
bool tl_any_intersection(tl_contact_world *set);
/* Of a cloth, whose particles are at x in the frame of a body, with the triangles of that body. The same. */
int tl_count_body_intersections(tl_contact_world *set, tl_contact_mesh *cloth, tl_real *const x[3],
                                const tl_barrier *body);

#endif
