/* Order of elimination for a sparse Cholesky factor, by nested dissection (George 1973, "Nested dissection of a regular
   finite element mesh"): a plane cuts the sheet into halves; those of its particles that touch the other half separate
   the rest, and are eliminated last; each half is cut in turn. A factor in this order has O(n log n) entries, one in
   the order of rows O(n^1.5).

   Every separator, and every piece too small to cut, is a PART: its particles are consecutive and are factored as one
   dense panel. The cuts follow from the rest positions and the matrix's pattern alone. */
#ifndef TL_STEP_DISSECTION_H
#define TL_STEP_DISSECTION_H

#include "step/sparse.h"

/* Parts are in the order of elimination, each after the parts of its two pieces. Ranks are places in that order. */
typedef struct tl_dissection {
    int count, parts;
    int *order;     /* per rank: its particle */
    int *rank;      /* per particle */
    int *first;     /* parts + 1: ranks of part s are first[s] … first[s + 1] - 1; there may be none */
    int *pieces;    /* per part: how many of the pieces beside it have particles, 0 to 2 */
    int *row_start; /* parts + 1 */
    int *row;       /* ranks after part s that elimination couples it with, ascending */
    int row_capacity;
} tl_dissection;

/* False when memory is short; what was made is to be destroyed all the same. */
bool tl_dissect(tl_dissection *d, const tl_rows *rows, int count, const tl_vec3 *position,
                const tl_allocator *allocator);
void tl_dissection_destroy(tl_dissection *d, const tl_allocator *allocator);
size_t tl_dissection_bytes(const tl_dissection *d);

#endif
