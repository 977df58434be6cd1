/* Three-component vectors of TL_WIDTH elements, for the kernels of this folder. Blocks are parts of groups, whose
   elements share no particle (element/group.h). */
#ifndef TL_ELEMENT_VECTORS_H
#define TL_ELEMENT_VECTORS_H

#include "core/particles.h"
#include "core/simd.h"
#include "core/simd_vectors.h"
#include "core/trig.h"

/* Angle of (x, y) in −π … π, 0 for the zero vector; bit-identical for every width. In single precision a polynomial
   fitted for this range (largest relative error 2e-8): with t = min/max of |x| and |y|, first brought below tan(π/8) by
   atan t = π/4 + atan((t − 1)/(t + 1)). In double precision core/trig.h, lane by lane. */
TL_INLINE tl_vec tl_vec_atan2(tl_vec y, tl_vec x)
{
#if defined(TL_REAL_DOUBLE) && TL_WIDTH == 1
    return tl_atan2(y, x);
#elif defined(TL_REAL_DOUBLE)
    for (int k = 0; k < TL_WIDTH; ++k)
        y[k] = tl_atan2(y[k], x[k]);
    return y;
#else
    tl_vec zero = tl_vec_set(0), one = tl_vec_set(1), pi = tl_vec_set((tl_real)TL_PI);
    tl_vec ax = tl_select(x < zero, -x, x), ay = tl_select(y < zero, -y, y);
    tl_mask steep = ay > ax;
    tl_vec low = tl_select(steep, ax, ay), high = tl_select(steep, ay, ax);
    tl_mask wide = low > high * (tl_real)0.41421356;
    tl_vec below = tl_select(wide, low + high, high);
    tl_vec t = tl_select(wide, low - high, low) / tl_select(below > zero, below, one);
    tl_vec s = t * t;
    tl_vec series =
        ((s * (tl_real)0.080540188 - (tl_real)0.13877764) * s + (tl_real)0.19977717) * s - (tl_real)0.3333295;
    tl_vec angle = t + t * s * series;
    angle = tl_select(wide, angle + pi * (tl_real)0.25, angle);
    angle = tl_select(steep, pi * (tl_real)0.5 - angle, angle);
    angle = tl_select(x < zero, pi - angle, angle);
    return tl_select(y < zero, -angle, angle);
#endif
}

/* The particles at index[0 …] of a block: contiguous loads when it is part of a run. `run` is a compile-time constant
   after inlining. */
TL_INLINE tl_vectors tl_vs_read(tl_real *const a[3], const int *index, bool run)
{
    if (run)
        return (tl_vectors){tl_vec_load(a[0] + *index), tl_vec_load(a[1] + *index), tl_vec_load(a[2] + *index)};
    return (tl_vectors){tl_vec_gather(a[0], index), tl_vec_gather(a[1], index), tl_vec_gather(a[2], index)};
}
TL_INLINE void tl_vs_write(tl_real *const a[3], const int *index, tl_vectors value, int count, bool run)
{
    if (run) {
        tl_vec_store_part(a[0] + *index, value.x, count);
        tl_vec_store_part(a[1] + *index, value.y, count);
        tl_vec_store_part(a[2] + *index, value.z, count);
    } else {
        tl_vec_scatter_part(a[0], index, value.x, count);
        tl_vec_scatter_part(a[1], index, value.y, count);
        tl_vec_scatter_part(a[2], index, value.z, count);
    }
}
/* Adds to, or subtracts from, the particles of the block's first `count` lanes. */
TL_INLINE void tl_vs_add_to(tl_real *const a[3], const int *index, tl_vectors value, int count, bool run)
{
    tl_vs_write(a, index, tl_vs_add(tl_vs_read(a, index, run), value), count, run);
}
TL_INLINE void tl_vs_take_from(tl_real *const a[3], const int *index, tl_vectors value, int count, bool run)
{
    tl_vs_write(a, index, tl_vs_sub(tl_vs_read(a, index, run), value), count, run);
}

#define TL_FOR_BLOCKS_OF(group, block, run, ...)                                                                       \
    do {                                                                                                               \
        int first = (group)->first, end = first + (group)->count;                                                      \
        for (; first + TL_WIDTH <= end; first += TL_WIDTH)                                                             \
            block(first, TL_WIDTH, run, __VA_ARGS__);                                                                  \
        if (first < end)                                                                                               \
            block(first, end - first, run, __VA_ARGS__);                                                               \
    } while (0)
#define TL_FOR_BLOCKS_OF_GROUP(group, block, ...)                                                                      \
    if ((group)->run)                                                                                                  \
        TL_FOR_BLOCKS_OF(group, block, true, __VA_ARGS__);                                                             \
    else                                                                                                               \
        TL_FOR_BLOCKS_OF(group, block, false, __VA_ARGS__)

/* Calls block(first, count, run, …) for every vector of every group, in the order of forces. */
#define TL_FOR_BLOCKS(groups, block, ...)                                                                              \
    for (const tl_group *group = (groups).force_order, *last = group + (groups).group_count; group < last; ++group) {  \
        TL_FOR_BLOCKS_OF_GROUP(group, block, __VA_ARGS__);                                                             \
    }

#endif
