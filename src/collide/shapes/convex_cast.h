/* The cast that works for every convex shape. */
#ifndef TL_COLLIDE_SHAPES_CONVEX_CAST_H
#define TL_COLLIDE_SHAPES_CONVEX_CAST_H

#include "collide/shapes/shape.h"

/* First entry of p0 → p1 into the shape inflated by margin, from its distance function alone. `start` in 0…1 is a time
   known to be before the entry. */
bool tl_cast_convex(const tl_shape_class *shape, tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real start,
                    tl_real *t, tl_vec3 *normal);

#endif
