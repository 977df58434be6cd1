/* The blocks off the diagonal of the implicit matrix (step/sparse.h): first every element computes its matrix, many at
   a time, and stores one block per pair of its particles; then each block of the matrix sums what its pair received.

   What belongs to one pair i < j lies side by side in a fixed order, so that threads share both passes without
   computing anything twice, and any number of them gives the same bits. Elements are invariant under translation: their
   rows sum to 0, and the diagonal is the opposite of the sum over the others. Classes on the same particles (warp, weft
   and shear of the same faces) add up before they are stored. */
#ifndef TL_STEP_PAIRS_H
#define TL_STEP_PAIRS_H

#include "step/system.h"

#include <limits.h>

typedef struct tl_sparse tl_sparse;

/* A block above the diagonal, its transpose below it, and the first of the stored blocks that it sums. */
typedef struct tl_pair {
    int above, below, first;
} tl_pair;

typedef struct tl_pairs {
    int count, stored;
    tl_pair *pair;  /* by row, then column; one more at the end */
    tl_real *value; /* `stored` blocks of TL_BLOCK numbers */
    /* where each pair of particles of TL_LANES elements goes, lane by lane: a stored block, ~block when the first of
       the two is the higher one, or TL_PAIR_NONE. NULL: the class is stored with its leader, or not at all */
    int *place[TL_ELEMENT_COUNT];
    int leader[TL_ELEMENT_COUNT]; /* first class on the same particles, or the class itself; -1: nothing to store */
    int *taut_place[2];           /* of the links of the strain limit */
    int *of_row;                  /* while building: the first pair of each particle */
    size_t bytes;
} tl_pairs;

#define TL_PAIR_NONE INT_MIN

/* For the rows and steady elements of `sparse`. False when memory ran out. */
bool tl_pairs_build(tl_sparse *sparse, const tl_system *system);
void tl_pairs_destroy(tl_pairs *pairs, const tl_allocator *allocator);

/* Sets every block off the diagonal: by_velocity × (−∂f/∂v) + by_position × ∂²E/∂x∂x at the current state. */
void tl_pairs_assemble(tl_sparse *sparse, const tl_system *system, tl_real by_velocity, tl_real by_position);

/* Stores `count` pairs of TL_LANES elements at their places (step/pairs_kernel.c). */
typedef void tl_pairs_store_kernel(const tl_element_pair *in, int count, const int *place, tl_real *value);
tl_pairs_store_kernel tl_pairs_store_w8, tl_pairs_store_w4, tl_pairs_store_w1;

#endif
