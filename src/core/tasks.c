/* Workers wait for the next job by spinning for a short while, because jobs of a sweep follow each other within
   microseconds, and then sleep on a condition variable. */
#include "core/tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { MAX_THREADS = 64 };
enum { SPINS = 4000 }; /* about 20 µs of waiting before a worker sleeps */

typedef struct seat {
    struct tl_tasks *tasks;
    int part;
} seat;

struct tl_tasks {
    tl_allocator allocator;
    int threads;
    pthread_t worker[MAX_THREADS];
    seat seat[MAX_THREADS];
    int started;
    void (*work)(void *user, int part, int parts);
    void *user;
    atomic_uint job; /* number of the current job; a change wakes the workers */
    atomic_int left; /* workers still running */
    atomic_int sleepers;
    atomic_bool quit;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Waits until the job number is no longer `seen`. */
static unsigned next_job(tl_tasks *tasks, unsigned seen)
{
    for (int spin = 0; spin < SPINS; ++spin) {
        unsigned job = atomic_load_explicit(&tasks->job, memory_order_acquire);
        if (job != seen)
            return job;
        relax();
    }
    pthread_mutex_lock(&tasks->mutex);
    atomic_fetch_add(&tasks->sleepers, 1);
    while (atomic_load(&tasks->job) == seen)
        pthread_cond_wait(&tasks->wake, &tasks->mutex);
    atomic_fetch_sub(&tasks->sleepers, 1);
    pthread_mutex_unlock(&tasks->mutex);
    return atomic_load(&tasks->job);
}

static void start_job(tl_tasks *tasks)
{
    atomic_fetch_add(&tasks->job, 1);
    if (atomic_load(&tasks->sleepers) > 0) {
        pthread_mutex_lock(&tasks->mutex);
        pthread_cond_broadcast(&tasks->wake);
        pthread_mutex_unlock(&tasks->mutex);
    }
}

static void *serve(void *argument)
{
    const seat *place = argument;
    tl_tasks *tasks = place->tasks;
    for (unsigned seen = 0;;) {
        seen = next_job(tasks, seen);
        if (atomic_load(&tasks->quit))
            return NULL;
        tasks->work(tasks->user, place->part, tasks->threads);
        atomic_fetch_sub_explicit(&tasks->left, 1, memory_order_release);
    }
}

tl_tasks *tl_tasks_create(const tl_allocator *allocator, int threads)
{
    tl_tasks *tasks = tl_allocate(allocator, 1, sizeof *tasks);
    if (!tasks)
        return NULL;
    tasks->allocator = *allocator;
    tasks->threads = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
    pthread_mutex_init(&tasks->mutex, NULL);
    pthread_cond_init(&tasks->wake, NULL);
    for (int part = 1; part < tasks->threads; ++part) {
        tasks->seat[part] = (seat){tasks, part};
        if (pthread_create(&tasks->worker[part], NULL, serve, &tasks->seat[part]) != 0) {
            tl_tasks_destroy(tasks);
            return NULL;
        }
        tasks->started = part;
    }
    return tasks;
}

void tl_tasks_destroy(tl_tasks *tasks)
{
    if (!tasks)
        return;
    atomic_store(&tasks->quit, true);
    start_job(tasks);
    for (int part = 1; part <= tasks->started; ++part)
        pthread_join(tasks->worker[part], NULL);
    pthread_cond_destroy(&tasks->wake);
    pthread_mutex_destroy(&tasks->mutex);
    tl_allocator allocator = tasks->allocator;
    tl_release(&allocator, tasks);
}

int tl_tasks_threads(const tl_tasks *tasks) { return tasks ? tasks->threads : 1; }

void tl_tasks_run(tl_tasks *tasks, void (*work)(void *user, int part, int parts), void *user)
{
    if (!tasks || tasks->threads == 1) {
        work(user, 0, 1);
        return;
    }
    tasks->work = work;
    tasks->user = user;
    atomic_store(&tasks->left, tasks->threads - 1);
    start_job(tasks);
    work(user, 0, tasks->threads);
    for (int spin = 0; atomic_load_explicit(&tasks->left, memory_order_acquire) > 0; ++spin) {
        relax();
        if (spin > SPINS) /* more threads than cores: let the others run */
            sched_yield();
    }
}
