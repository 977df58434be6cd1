/* The order in which a sweep visits the links of all families, in blocks that threads can share.

   Particles are cut into blocks of consecutive numbers, at least twice as long as any piece of links reaches. Pieces
   inside one block are its own; pieces across the border of two blocks belong to the border. All blocks may be solved at
   once, then all borders: no two touch the same particle (a border reaches less than half into either block). The order
   is fixed by the blocks alone, so the result has the same bits for any number of threads. Inside a block pieces follow
   the particles, which keeps a block in the cache and carries corrections down the sheet in one sweep. */
#ifndef TL_STEP_PLAN_H
#define TL_STEP_PLAN_H

#include "element/link_solve.h"

enum { TL_PLAN_FAMILIES = 8 };

typedef struct tl_plan_family {
    const tl_link_set *set;
    tl_link_piece *piece;  /* by block, then by border */
    int *block_first;      /* block_count + 1 */
    int *border_first;     /* block_count: border b lies between blocks b and b + 1; one entry more for the end */
} tl_plan_family;

typedef struct tl_plan {
    int block_count;
    int family_count;
    tl_plan_family family[TL_PLAN_FAMILIES];
} tl_plan;

/* `row` is the length of a grid's row, so that blocks end with rows; 1 when there are none. False when memory ran out. */
bool tl_plan_build(tl_plan *plan, const tl_allocator *allocator, const tl_link_set *const *sets, int set_count,
                   int particle_count, int row);
void tl_plan_destroy(tl_plan *plan, const tl_allocator *allocator);

#endif
