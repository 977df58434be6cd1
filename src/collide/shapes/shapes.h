/* What the shape files share: the classes themselves and the cast that works for every convex shape. */
#ifndef TL_COLLIDE_SHAPES_SHAPES_H
#define TL_COLLIDE_SHAPES_SHAPES_H

#include "collide/shapes/shape.h"

#include <float.h>

#ifdef TL_REAL_DOUBLE
#define TL_REAL_EPSILON DBL_EPSILON
#else
#define TL_REAL_EPSILON FLT_EPSILON
#endif

#define TL_SHAPE(name, size) extern const tl_shape_class tl_shape_##name;
#include "collide/shapes/shape_list.inl"
#undef TL_SHAPE

/* First entry of p0 → p1 into the shape inflated by margin, from its distance function alone
   (collide/shapes/convex_cast.c). `start` in 0…1 is a time known to be before the entry. */
bool tl_cast_convex(const tl_shape_class *shape, tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real start,
                    tl_real *t, tl_vec3 *normal);

/* `mesh` of round shapes: an ellipsoid of these radii, whose halves are `length` apart along y (contact/shape_rings.c).
 */
void tl_shape_rings(tl_vec3 radii, tl_real length, int detail, tl_shape_mesh *mesh);

/* True for a finite number above 0. */
static inline bool tl_size_usable(tl_real a) { return a > 0 && isfinite(a); }

#endif
