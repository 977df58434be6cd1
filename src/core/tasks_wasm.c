/* The pool of WebAssembly, in place of tasks.c. A module cannot start threads, the program around it can: its workers
   share the memory and wait here for the jobs of all pools. One thread makes worlds and steps them, so one job runs at
   a time. */
#include "core/tasks_wasm.h"

#include <stdatomic.h>

#include "core/tasks.h"
#include "core/timing.h"

struct tl_tasks {
    tl_allocator allocator;
    int threads;
};

enum { SPINS = 4000 }; /* before a worker sleeps: jobs of a sweep follow each other within microseconds */

static struct {
    int workers;
    void (*work)(void *user, int part, int parts);
    void *user;
    int parts;
    atomic_int job;  /* number of the current job; a change wakes the workers */
    atomic_int left; /* workers that have not seen it through; those without a part count too */
    atomic_int sleepers;
} shared;

static void sleep_at(int seen) { __builtin_wasm_memory_atomic_wait32((int *)&shared.job, seen, -1); }

/* Never inlined: code of V8's first compiler (node 20) loses its values across the wait. */
static void (*volatile sleep_while)(int job) = sleep_at;

static int next_job(int seen)
{
    for (int spin = 0; spin < SPINS; ++spin) {
        int job = atomic_load_explicit(&shared.job, memory_order_acquire);
        if (job != seen)
            return job;
    }
    atomic_fetch_add(&shared.sleepers, 1);
    while (atomic_load(&shared.job) == seen)
        sleep_while(seen);
    atomic_fetch_sub(&shared.sleepers, 1);
    return atomic_load(&shared.job);
}

void tl_tasks_serve(int number)
{
    for (int seen = 0;;) {
        seen = next_job(seen);
        if (number < shared.parts)
            shared.work(shared.user, number, shared.parts);
        atomic_fetch_sub_explicit(&shared.left, 1, memory_order_release);
    }
}

void tl_tasks_set_workers(int count) { shared.workers = count; }

static void run_on_all(void (*work)(void *user, int part, int parts), void *user, int parts)
{
    shared.work = work;
    shared.user = user;
    shared.parts = parts;
    atomic_store(&shared.left, shared.workers);
    atomic_fetch_add(&shared.job, 1);
    if (atomic_load(&shared.sleepers) > 0)
        __builtin_wasm_memory_atomic_notify((int *)&shared.job, (unsigned)shared.workers);
    work(user, 0, parts);
    while (atomic_load_explicit(&shared.left, memory_order_acquire) > 0) {
        /* the page's own thread may not sleep, and the others are nearly done */
    }
}

int tl_cores(void) { return shared.workers + 1; }

tl_tasks *tl_tasks_create(const tl_allocator *allocator, int threads)
{
    tl_tasks *tasks = tl_allocate(allocator, 1, sizeof *tasks);
    if (!tasks)
        return NULL;
    tasks->allocator = *allocator;
    tasks->threads = threads < 1 ? 1 : threads > tl_cores() ? tl_cores() : threads;
    return tasks;
}

void tl_tasks_destroy(tl_tasks *tasks)
{
    if (!tasks)
        return;
    tl_allocator allocator = tasks->allocator;
    tl_release(&allocator, tasks);
}

int tl_tasks_threads(const tl_tasks *tasks) { return tasks ? tasks->threads : 1; }

void tl_tasks_run(tl_tasks *tasks, void (*work)(void *user, int part, int parts), void *user)
{
    if (!tasks || tasks->threads == 1)
        work(user, 0, 1);
    else
        run_on_all(work, user, tasks->threads);
}
