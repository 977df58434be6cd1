/* Elements sorted for SIMD and threads: coloured so that no two elements of a colour share a particle, and inside a
   colour cut into groups of at most TL_LANES elements. A group can be loaded, computed and stored as one vector without
   conflicts, and a colour can be split among threads without atomics. Where the particles of a group are consecutive
   (most of a grid) it is a run and needs no gather.

   Colours are also the order in which Gauss–Seidel solvers visit constraints. Forces are sums, so any fixed order
   works: they follow `force_order`, which visits groups by their lowest particle to stay in the cache. Because the
   elements of a group are disjoint, every particle receives its contributions in the order of groups whatever the
   vector width: all widths give bit-identical results. */
#ifndef TL_ELEMENT_GROUP_H
#define TL_ELEMENT_GROUP_H

#include "core/memory.h"

typedef struct tl_group {
    int first; /* element, in the sorted order */
    int count; /* 1 … TL_LANES */
    int run;   /* 1 when the particles of element first + k are those of `first`, each plus k */
} tl_group;

typedef struct tl_groups {
    int colour_count;
    int *colour_first; /* colour_count + 1: groups of colour c are colour_first[c] … colour_first[c+1]-1 */
    int group_count;
    tl_group *group;       /* colour by colour */
    tl_group *force_order; /* the same groups by lowest particle */
    int *order;            /* order[k] = the caller's index of sorted element k */
} tl_groups;

/* `particle` holds `per` (2 … 4) particles of each of `count` elements, one element after the other; all are below
   particle_count. Greedy first-fit colouring, O(count · log count). False when memory ran out; the groups are
   then empty. */
bool tl_groups_build(tl_groups *groups, const tl_allocator *allocator, const int *particle, int per, int count,
                     int particle_count);
void tl_groups_destroy(tl_groups *groups, const tl_allocator *allocator);
size_t tl_groups_bytes(const tl_groups *groups, int count);

/* Turns keys into a sorted order of 0 … count-1: ascending key, ties by index. False when memory ran out. */
bool tl_sort_by_key(const tl_allocator *allocator, const int *key, int count, int *order);

#endif
