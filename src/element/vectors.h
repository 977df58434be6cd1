/* Three-component vectors of TL_WIDTH elements at a time, for the kernels of this folder. Blocks
   are parts of groups, whose elements share no particle (element/group.h). */
#ifndef TL_ELEMENT_VECTORS_H
#define TL_ELEMENT_VECTORS_H

#include "core/particles.h"
#include "core/simd.h"

typedef struct tl_vectors {
    tl_vec x, y, z;
} tl_vectors;

static inline tl_vectors tl_vs_sub(tl_vectors a, tl_vectors b) { return (tl_vectors){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline tl_vectors tl_vs_add(tl_vectors a, tl_vectors b) { return (tl_vectors){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline tl_vectors tl_vs_scale(tl_vectors a, tl_vec s) { return (tl_vectors){a.x * s, a.y * s, a.z * s}; }
static inline tl_vec tl_vs_dot(tl_vectors a, tl_vectors b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline tl_vectors tl_vs_cross(tl_vectors a, tl_vectors b)
{
    return (tl_vectors){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The particles at index[0 …] of a block: plain loads when it is part of a run. `run` is constant wherever these are
   inlined. */
static inline tl_vectors tl_vs_read(tl_real *const a[3], const int *index, bool run)
{
    if (run)
        return (tl_vectors){tl_vec_load(a[0] + *index), tl_vec_load(a[1] + *index), tl_vec_load(a[2] + *index)};
    return (tl_vectors){tl_vec_gather(a[0], index), tl_vec_gather(a[1], index), tl_vec_gather(a[2], index)};
}
static inline void tl_vs_write(tl_real *const a[3], const int *index, tl_vectors value, int count, bool run)
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
/* Adds to, and takes from, the particles of the block's first `count` lanes. */
static inline void tl_vs_add_to(tl_real *const a[3], const int *index, tl_vectors value, int count, bool run)
{
    tl_vs_write(a, index, tl_vs_add(tl_vs_read(a, index, run), value), count, run);
}
static inline void tl_vs_take_from(tl_real *const a[3], const int *index, tl_vectors value, int count, bool run)
{
    tl_vs_write(a, index, tl_vs_sub(tl_vs_read(a, index, run), value), count, run);
}

/* Calls block(first, count, run, …) for every vector of every group, in the order of forces. */
#define TL_FOR_BLOCKS_OF(group, block, run, ...)                                                                       \
    do {                                                                                                               \
        int first = (group)->first, end = first + (group)->count;                                                      \
        for (; first + TL_WIDTH <= end; first += TL_WIDTH)                                                             \
            block(first, TL_WIDTH, run, __VA_ARGS__);                                                                  \
        if (first < end)                                                                                               \
            block(first, end - first, run, __VA_ARGS__);                                                               \
    } while (0)
#define TL_FOR_BLOCKS(groups, block, ...)                                                                              \
    for (const tl_group *group = (groups).force_order, *last = group + (groups).group_count; group < last; ++group) {  \
        if (group->run)                                                                                                \
            TL_FOR_BLOCKS_OF(group, block, true, __VA_ARGS__);                                                         \
        else                                                                                                           \
            TL_FOR_BLOCKS_OF(group, block, false, __VA_ARGS__);                                                        \
    }

#endif
