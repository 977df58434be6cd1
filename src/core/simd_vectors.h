/* Three-component vectors, TL_WIDTH at a time; only for kernels. */
#ifndef TL_CORE_SIMD_VECTORS_H
#define TL_CORE_SIMD_VECTORS_H

#include "core/simd.h"

typedef struct tl_vectors {
    tl_vec x, y, z;
} tl_vectors;

TL_INLINE tl_vectors tl_vs_sub(tl_vectors a, tl_vectors b) { return (tl_vectors){a.x - b.x, a.y - b.y, a.z - b.z}; }
TL_INLINE tl_vectors tl_vs_add(tl_vectors a, tl_vectors b) { return (tl_vectors){a.x + b.x, a.y + b.y, a.z + b.z}; }
TL_INLINE tl_vectors tl_vs_scale(tl_vectors a, tl_vec s) { return (tl_vectors){a.x * s, a.y * s, a.z * s}; }
TL_INLINE tl_vec tl_vs_dot(tl_vectors a, tl_vectors b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
TL_INLINE tl_vectors tl_vs_cross(tl_vectors a, tl_vectors b)
{
    return (tl_vectors){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* a in the lanes where the mask is set, b elsewhere */
TL_INLINE tl_vectors tl_vs_select(tl_mask mask, tl_vectors a, tl_vectors b)
{
    return (tl_vectors){tl_select(mask, a.x, b.x), tl_select(mask, a.y, b.y), tl_select(mask, a.z, b.z)};
}

TL_INLINE tl_vec tl_vec_least(tl_vec a, tl_vec b) { return tl_select(a < b, a, b); }
TL_INLINE tl_vec tl_vec_most(tl_vec a, tl_vec b) { return tl_select(a > b, a, b); }

#endif
