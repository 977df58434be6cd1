/* Exact predicates on triangles: orientation and intersection, correct for every input, however close to degenerate. */
#ifndef TL_COLLIDE_MESH_PREDICATE_H
#define TL_COLLIDE_MESH_PREDICATE_H

#include "core/vec.h"

/* Sign of the volume of the tetrahedron a b c d: 1 when d lies on the side from which abc is counterclockwise, −1 on
   the other, 0 when the four are coplanar. */
int tl_orient3(tl_vec3 a, tl_vec3 b, tl_vec3 c, tl_vec3 d);

/* Do two triangles have a common point other than a corner or edge they share? shared[i] is the corner of the second
   that is the same particle as corner i of the first, −1 for none. Touching counts. */
bool tl_triangles_intersect(const tl_vec3 first[3], const tl_vec3 second[3], const int shared[3]);

#endif
