/* Nearest points of a point and a triangle, and of two segments: the narrow phase of triangle meshes. */
#ifndef TL_COLLIDE_MESH_NEAREST_H
#define TL_COLLIDE_MESH_NEAREST_H

#include "core/vec.h"

/* Barycentric weights of the point of triangle abc nearest to p; they are in 0…1 and sum to 1. A degenerate triangle
   is treated as its edges. Returns true when the point lies in the interior of the face. */
bool tl_nearest_on_triangle(tl_vec3 p, tl_vec3 a, tl_vec3 b, tl_vec3 c, tl_real weight[3]);

/* Nearest points of the segments a0 a1 and b0 b1: a0 + s (a1 − a0), b0 + t (b1 − b0), s and t in 0…1. For parallel
   segments one of many solutions is given. Returns true when both lie in the interior of their segments. */
bool tl_nearest_of_segments(tl_vec3 a0, tl_vec3 a1, tl_vec3 b0, tl_vec3 b1, tl_real *s, tl_real *t);

/* Vector from the nearest point of b to that of a, of two features: a vertex and a face (split 1) or two edges
   (split 2), whose first `split` points are of a. */
tl_vec3 tl_nearest_features(const tl_vec3 x[4], int split);

static inline tl_vec3 tl_blend3(tl_vec3 a, tl_vec3 b, tl_vec3 c, const tl_real weight[3])
{
    return tl_madd(tl_madd(tl_scale(a, weight[0]), b, weight[1]), c, weight[2]);
}

/* Feature of a triangle on whose boundary a point with these weights lies: bit k for corner k, bit 3+k for the edge
   from corner k to the next. */
static inline unsigned tl_border_of(const tl_real weight[3])
{
    for (int k = 0; k < 3; ++k) {
        if (weight[k] == 1)
            return 1u << k;
        if (weight[(k + 2) % 3] == 0 && weight[k] > 0 && weight[(k + 1) % 3] > 0)
            return 8u << k;
    }
    return 0;
}

/* Does the segment p q intersect the triangle? At p + s (q − p), with barycentric weights b of the last two corners.
   Plain floating point: near misses and grazes are decided by rounding. */
bool tl_segment_pierces(tl_vec3 p, tl_vec3 q, const tl_vec3 corner[3], tl_real *s, tl_real b[2]);

#endif
