/* The levels of a multigrid (step/multigrid.h), for its two files alone. */
#ifndef TL_STEP_MULTIGRID_LEVELS_H
#define TL_STEP_MULTIGRID_LEVELS_H

#include "step/multigrid.h"

/* A sparse matrix of numbers, in rows. */
typedef struct tl_weights {
    int *start; /* rows + 1 */
    int *column;
    tl_real *value;
} tl_weights;

/* One coarse level, and what takes it there from the level above it, the finer one. */
typedef struct tl_level {
    int count, finer;    /* nodes here and on the finer level */
    tl_weights down, up; /* P, a row per finer node; Pᵀ, a row per node */
    tl_rows rows;        /* of the matrix; the diagonal first, `above` is not used */
    tl_real (*block)[TL_BLOCK];
    tl_real (*inverse)[TL_BLOCK]; /* of the diagonal blocks */
    /* A P, a row per finer node, and where what goes: for every block and number of A and every weight of its column,
       then for every weight of Pᵀ and every entry of that row */
    int *product_start, *product_column;
    tl_real (*product)[TL_BLOCK];
    int *block_place, *constant_place, *coarse_place;
    size_t *block_first, *constant_first, *coarse_first; /* of each row, in the three above */
    tl_real *vector[4];                                  /* residual, solution, direction, product; TL_STRIDE numbers */
    tl_vec3 *position;                                   /* m, of the nodes in the rest shape */
} tl_level;

enum { TL_MULTIGRID_LEVELS = 16 };

struct tl_multigrid {
    tl_allocator allocator;
    int levels; /* coarse ones */
    tl_level level[TL_MULTIGRID_LEVELS];
    int particles;
    tl_real *vector[3]; /* of the finest level: residual, direction, product */
    int size;           /* numbers of the coarsest level, 3 per node */
    double *factor;     /* Cholesky's, size × size, lower */
    double *dense;      /* size */
    size_t bytes;
};

#endif
