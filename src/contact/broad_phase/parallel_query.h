/* Near faces of two surfaces of cloth, and what lists take of them, on all threads.

   A search is cut into jobs, subtrees against subtrees, in the order in which one thread would come by them. Each
   thread takes the next job when it is done with one, and keeps what it found. That is put together in the order of the
   jobs: lists are the same for any number of threads. */
#ifndef TL_CONTACT_GATHER_H
#define TL_CONTACT_GATHER_H

#include "contact/cloth/contact_world.h"

/* Adds what comes of near faces to a group, of which only a, b, gap and margin may be read; says there when memory is
   short. Called by several threads at once, which only read the set. */
typedef void tl_query_take(const tl_contact_world *set, tl_mesh_pair *into, const tl_face_pairs *near, bool stale);

/* Appends all that comes of a search to the lists of the group. `stale`: of faces that are marked. */
void tl_parallel_query(tl_contact_world *set, tl_mesh_pair *group, const tl_bvh_search *search, tl_query_take *take,
                       bool stale);
void tl_parallel_query_release(tl_contact_world *set);

#endif
