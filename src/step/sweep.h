/* The order in which a position-based sweep visits links.

   The result of a sweep is defined by visiting all families of links, colour by colour. Two pieces (element/link.h)
   that share no particle may be swapped without changing a bit of it. The plan uses that twice.

   Memory: colour by colour, every colour reads the whole cloth again. The plan instead moves a front over the
   particles: behind it all colours are done, and within it colour c follows colour c − 1 as closely as shared particles
   allow, a few rows on a grid. The working set stays in L1 cache, however large the cloth.

   The front also marks when a particle enters, before its first link, and when it leaves, after its last: the other
   work of a substep on particles is done there, while they are in cache.

   Threads: the particles are cut into parts, one per thread. A piece belongs to a part when all its particles and all
   its predecessors do; parts run in parallel. The rest, a wedge along each cut, follows.

   Unpinned cloth has no tethers: `repeats` more sweeps over the structural links follow at the end, at a third of the
   cost each. A sweep leaves its residual in its first colours, every other thread on a grid; the last one runs
   backwards with half of each correction, which spreads it evenly. */
#ifndef TL_STEP_SWEEP_H
#define TL_STEP_SWEEP_H

#include "element/element.h"
#include "element/link.h"

/* Pieces of one family, or particles that enter or leave. */
enum { TL_SWEEP_ENTER = -1, TL_SWEEP_LEAVE = -2 };
typedef struct tl_sweep_batch {
    int element;      /* or one of the above */
    bool half;        /* only half of each correction is applied */
    int first, count; /* of tl_sweep_plan.piece, or particles, which start at multiples of TL_LANES */
} tl_sweep_batch;

typedef struct tl_sweep_plan {
    int parts;
    int *part_first; /* parts + 2: batches of part t start at part_first[t], those of the rest at part_first[parts] */
    tl_sweep_batch *batch;
    tl_link_piece *piece;
    int repeats;
    size_t bytes;
} tl_sweep_plan;

/* Plans the links of all batches that are on. False when memory ran out; the plan is then empty. */
bool tl_sweep_build(tl_sweep_plan *plan, const tl_allocator *allocator, const tl_element_batch *batch, const bool *on,
                    int particle_count, int parts, int repeats);
void tl_sweep_destroy(tl_sweep_plan *plan, const tl_allocator *allocator);

#endif
