/* Nearest points of a point and a triangle, and of two segments: what contact between surfaces is made of. */
#ifndef TL_CONTACT_DISTANCE_H
#define TL_CONTACT_DISTANCE_H

#include "core/vec.h"

/* Barycentric weights of the point of triangle abc nearest to p; they are in 0…1 and add up to 1. A triangle without
   area is treated as its edges. Returns true when the point lies inside the face, not on its border. */
bool tl_nearest_on_triangle(tl_vec3 p, tl_vec3 a, tl_vec3 b, tl_vec3 c, tl_real weight[3]);

/* Where the segments a0 a1 and b0 b1 are nearest: a0 + s (a1 − a0), b0 + t (b1 − b0), s and t in 0…1. Parallel segments
   have many such places; one is given. Returns true when both lie inside their segments, not at an end. */
bool tl_nearest_of_segments(tl_vec3 a0, tl_vec3 a1, tl_vec3 b0, tl_vec3 b1, tl_real *s, tl_real *t);

/* From the nearest point of b to that of a, of two features: a vertex and a face (split 1) or two edges (split 2),
   whose first `split` points are of a. */
tl_vec3 tl_nearest_features(const tl_vec3 x[4], int split);

static inline tl_vec3 tl_blend3(tl_vec3 a, tl_vec3 b, tl_vec3 c, const tl_real weight[3])
{
    return tl_madd(tl_madd(tl_scale(a, weight[0]), b, weight[1]), c, weight[2]);
}

/* Where weights that are not inside place a point on the border of a triangle: bit k on corner k, bit 3+k on the edge
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

/* Does the segment p q pierce the triangle? At p + s (q − p), with barycentric weights b of the last two corners. Plain
   arithmetic: rounding decides what only just does. */
bool tl_segment_pierces(tl_vec3 p, tl_vec3 q, const tl_vec3 corner[3], tl_real *s, tl_real b[2]);

#endif
