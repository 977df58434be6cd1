/* Near faces of two surfaces of cloth, and what lists take of them, on all threads.

   A search is cut into jobs, subtrees against subtrees, in the order in which one thread would come by them. Each
   thread takes the next job when it is done with one, and keeps what it found. That is put together in the order of the
   jobs: lists are the same for any number of threads. */
#ifndef TL_CONTACT_GATHER_H
#define TL_CONTACT_GATHER_H

#include "contact/surface.h"

/* Adds what comes of near faces to a group, of which only a, b, gap and margin may be read; says there when memory is
   short. Called by several threads at once, which only read the set. */
typedef void tl_take(const tl_surfaces *set, tl_surface_group *into, const tl_face_pairs *near, bool astray);

/* Appends all that comes of a search to the lists of the group. `astray`: of faces that are marked. */
void tl_gather(tl_surfaces *set, tl_surface_group *group, const tl_bvh_search *search, tl_take *take, bool astray);
void tl_gather_release(tl_surfaces *set);

#endif
