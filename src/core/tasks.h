/* A small thread pool for work whose results do not depend on the number of threads. */
#ifndef TL_CORE_TASKS_H
#define TL_CORE_TASKS_H

#include "core/memory.h"

typedef struct tl_tasks tl_tasks;

/* `threads` in total, including the caller; 1 starts none. NULL when memory or threads are short. */
tl_tasks *tl_tasks_create(const tl_allocator *allocator, int threads);
void tl_tasks_destroy(tl_tasks *tasks); /* NULL is allowed */

/* Calls work(user, part, parts) once for every part 0 … parts-1, on all threads, and returns when all have finished.
   `parts` is the number of threads; with a NULL pool or a single thread it is called once, on the calling thread. */
void tl_tasks_run(tl_tasks *tasks, void (*work)(void *user, int part, int parts), void *user);
int tl_tasks_threads(const tl_tasks *tasks);

/* Bounds of a part of `count` items, in multiples of `grain`. */
static inline int tl_part_bound(int count, int part, int parts, int grain)
{
    long grains = ((long)count + grain - 1) / grain;
    long bound = grains * part / parts * grain;
    return bound < count ? (int)bound : count;
}

#endif
