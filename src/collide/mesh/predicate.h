/* Exact answers about triangles: orientation and intersection, right for every input, however close to degenerate. */
#ifndef TL_CONTACT_PREDICATE_H
#define TL_CONTACT_PREDICATE_H

#include "core/vec.h"

/* Sign of the volume of the tetrahedron a b c d: 1 when d lies on the side of abc from which it runs counterclockwise,
   −1 on the other, 0 when the four are in one plane. */
int tl_orient3(tl_vec3 a, tl_vec3 b, tl_vec3 c, tl_vec3 d);

/* Do two triangles have a point in common that is not a corner or edge they share? `shared` tells corners that are the
   same particle: shared[i] is the corner of the second that is corner i of the first, −1 for none. Touching counts. */
bool tl_triangles_meet(const tl_vec3 first[3], const tl_vec3 second[3], const int shared[3]);

#endif
