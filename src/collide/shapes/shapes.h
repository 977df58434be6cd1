/* Shared by the shape files: the classes themselves, precision, and a check of sizes. */
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

/* True for a finite number above 0. */
static inline bool tl_size_usable(tl_real a) { return a > 0 && isfinite(a); }

#endif
