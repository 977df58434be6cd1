/* Queries for near faces of two cloths, and their features, on all threads.

   A query is split into jobs, subtrees against subtrees, in the order of a single thread. Each thread takes the next
   job when it is done with one and keeps its results. These are merged in the order of the jobs: candidates are the
   same for any number of threads. */
#ifndef TL_CONTACT_BROAD_PHASE_PARALLEL_QUERY_H
#define TL_CONTACT_BROAD_PHASE_PARALLEL_QUERY_H

#include "contact/cloth/contact_world.h"

/* Adds the features of near faces to a pair, of which only a, b, gap and margin may be read, and flags it when out
   of memory. Called by several threads at once, which only read the set. */
typedef void tl_query_take(const tl_contact_world *set, tl_mesh_pair *into, const tl_face_pairs *near, bool stale);

/* Appends all results of a query to the pair. `stale`: of marked faces. */
void tl_parallel_query(tl_contact_world *set, tl_mesh_pair *pair, const tl_bvh_search *search, tl_query_take *take,
                       bool stale);
void tl_parallel_query_release(tl_contact_world *set);

#endif
