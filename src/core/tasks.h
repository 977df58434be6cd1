/* A small pool of threads for work that is cut the same way whatever their number, so that results are too. */
#ifndef TL_CORE_TASKS_H
#define TL_CORE_TASKS_H

#include "core/memory.h"

typedef struct tl_tasks tl_tasks;

/* `threads` in all, the caller included; 1 makes no thread. NULL when memory or threads are short. */
tl_tasks *tl_tasks_create(const tl_allocator *allocator, int threads);
void tl_tasks_destroy(tl_tasks *tasks); /* NULL is allowed */

/* Calls work(user, part, parts) once for every part 0 … parts-1, on all threads, and returns when all are done. `parts`
   is the number of threads; a NULL pool or one of one thread calls it once, here. */
void tl_tasks_run(tl_tasks *tasks, void (*work)(void *user, int part, int parts), void *user);
int tl_tasks_threads(const tl_tasks *tasks);
void tl_tasks_yield(void); /* while another thread is about to be done */

/* Bounds of a part of `count` things, in multiples of `grain`. */
static inline int tl_part_bound(int count, int part, int parts, int grain)
{
    long grains = ((long)count + grain - 1) / grain;
    long bound = grains * part / parts * grain;
    return bound < count ? (int)bound : count;
}

#endif
