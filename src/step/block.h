/* Blocks of the implicit matrix in registers: three columns of four numbers, the last of them 0 (step/sparse.h). */
#ifndef TL_STEP_BLOCK_H
#define TL_STEP_BLOCK_H

#include "step/sparse.h"

/* One number for each row of a block, and a 0. */
typedef tl_real tl_quad __attribute__((vector_size(4 * sizeof(tl_real)), may_alias));

typedef struct tl_block {
    tl_quad column[3];
} tl_block;

static inline tl_block tl_block_load(const tl_real *a)
{
    const tl_quad *from = (const tl_quad *)a;
    return (tl_block){{from[0], from[1], from[2]}};
}

static inline void tl_block_store(tl_real *a, tl_block b)
{
    tl_quad *to = (tl_quad *)a;
    to[0] = b.column[0];
    to[1] = b.column[1];
    to[2] = b.column[2];
}

static inline tl_block tl_block_add(tl_block a, tl_block b)
{
    return (tl_block){{a.column[0] + b.column[0], a.column[1] + b.column[1], a.column[2] + b.column[2]}};
}

static inline tl_block tl_block_sub(tl_block a, tl_block b)
{
    return (tl_block){{a.column[0] - b.column[0], a.column[1] - b.column[1], a.column[2] - b.column[2]}};
}

static inline tl_block tl_block_transposed(tl_block a)
{
    const tl_quad zero = {0};
    tl_quad low = __builtin_shufflevector(a.column[0], a.column[1], 0, 4, 1, 5),
            high = __builtin_shufflevector(a.column[0], a.column[1], 2, 6, 3, 7);
    tl_quad last_low = __builtin_shufflevector(a.column[2], zero, 0, 4, 1, 5),
            last_high = __builtin_shufflevector(a.column[2], zero, 2, 6, 3, 7);
    return (tl_block){{__builtin_shufflevector(low, last_low, 0, 1, 4, 5),
                       __builtin_shufflevector(low, last_low, 2, 3, 6, 7),
                       __builtin_shufflevector(high, last_high, 0, 1, 4, 5)}};
}

#endif
