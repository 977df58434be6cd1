#include "contact/broad_phase/parallel_query.h"

#include "contact/broad_phase/candidate.h"
#include "core/tasks.h"

#include <stdatomic.h>
#include <string.h>

/* Results of one thread, job by job. */
struct tl_query_worker {
    tl_mesh_pair found;
    tl_face_pairs near;
};

/* Positions in its arrays. */
typedef struct positions {
    int pair, crossing, ccd;
} positions;

/* Result of a job: its thread, and the range in the results of that thread. */
struct tl_query_result {
    int thread;
    positions from, to;
};

typedef struct parallel_query {
    tl_contact_world *set;
    const tl_bvh_search *search;
    tl_query_take *take;
    bool stale;
    atomic_int next; /* job */
} parallel_query;

static positions end_of(const tl_mesh_pair *g) { return (positions){g->count, g->crossing_count, g->ccd_count}; }

static void do_jobs(void *user, int part, int parts)
{
    (void)parts;
    parallel_query *all = user;
    const tl_contact_world *set = all->set;
    tl_query_worker own = set->worker[part]; /* a local copy: no false sharing */
    for (int k; (k = atomic_fetch_add(&all->next, 1)) < set->jobs.count;) {
        tl_query_result result = {.thread = part, .from = end_of(&own.found)};
        own.near.count = 0;
        own.found.failed |= !tl_bvh_do(all->search, set->jobs.job[k], &own.near, &set->allocator);
        all->take(set, &own.found, &own.near, all->stale);
        result.to = end_of(&own.found);
        set->result[k] = result;
    }
    set->worker[part] = own;
}

static bool allocate_workers(tl_contact_world *set)
{
    int threads = tl_tasks_threads(set->tasks);
    if (set->worker_count == threads)
        return true;
    tl_parallel_query_release(set);
    set->worker = tl_allocate(&set->allocator, (size_t)threads, sizeof *set->worker);
    set->worker_count = set->worker ? threads : 0;
    return set->worker;
}

static void empty(tl_mesh_pair *found, const tl_mesh_pair *g)
{
    found->a = g->a;
    found->b = g->b;
    found->gap = g->gap;
    found->margin = g->margin;
    found->count = found->crossing_count = found->ccd_count = 0;
    found->failed = false;
}

/* Merges the results of the threads in the order of jobs. */
static void merge(tl_contact_world *set, tl_mesh_pair *g)
{
    for (int k = 0; k < set->worker_count; ++k)
        g->failed |= set->worker[k].found.failed;
    for (int k = 0; k < set->jobs.count; ++k) {
        const tl_query_result *h = &set->result[k];
        const tl_mesh_pair *found = &set->worker[h->thread].found;
        int pairs = h->to.pair - h->from.pair, crossings = h->to.crossing - h->from.crossing,
            ccd_pairs = h->to.ccd - h->from.ccd;
        if (!tl_mesh_pair_reserve(set, g, pairs, crossings, ccd_pairs)) {
            g->failed = true;
            return;
        }
        if (pairs > 0)
            memcpy(g->contact + g->count, found->contact + h->from.pair, (size_t)pairs * sizeof *g->contact);
        if (crossings > 0)
            memcpy(g->crossing + g->crossing_count, found->crossing + h->from.crossing,
                   (size_t)crossings * sizeof *g->crossing);
        if (ccd_pairs > 0)
            memcpy(g->ccd + g->ccd_count, found->ccd + h->from.ccd, (size_t)ccd_pairs * sizeof *g->ccd);
        g->count += pairs;
        g->crossing_count += crossings;
        g->ccd_count += ccd_pairs;
    }
}

/* Splits the query into jobs; false when one thread suffices, or when out of memory. */
static bool split_jobs(tl_contact_world *set, const tl_mesh_pair *g, const tl_bvh_search *search, bool stale)
{
    const tl_contact_mesh *a = set->mesh[g->a], *b = set->mesh[g->b];
    int threads = tl_tasks_threads(set->tasks), faces = search->a->face_count, stale_faces = a->query.stale_count;
    if (a != b) {
        faces += search->b->face_count;
        stale_faces += b->query.stale_count;
    }
    if (threads < 2 || faces < TL_PARALLEL_FACES || (stale && stale_faces < TL_PARALLEL_STALE))
        return false;
    set->jobs.count = 0;
    if (!allocate_workers(set) ||
        !tl_bvh_cut(search, faces / (TL_JOBS_PER_THREAD * threads), &set->jobs, &set->allocator))
        return false;
    if (set->jobs.count > set->result_capacity) {
        tl_release(&set->allocator, set->result);
        set->result = tl_allocate(&set->allocator, 2 * (size_t)set->jobs.count, sizeof *set->result);
        set->result_capacity = set->result ? 2 * set->jobs.count : 0;
    }
    return set->jobs.count > 1 && set->jobs.count <= set->result_capacity;
}

void tl_parallel_query(tl_contact_world *set, tl_mesh_pair *g, const tl_bvh_search *search, tl_query_take *take,
                       bool stale)
{
    if (!split_jobs(set, g, search, stale)) {
        set->near.count = 0;
        g->failed |= !tl_bvh_find(search, &set->near, &set->allocator);
        take(set, g, &set->near, stale);
    } else {
        parallel_query all = {.set = set, .search = search, .take = take, .stale = stale};
        for (int k = 0; k < set->worker_count; ++k)
            empty(&set->worker[k].found, g);
        tl_tasks_run(set->tasks, do_jobs, &all);
        merge(set, g);
    }
    set->failed |= g->failed;
    g->failed = false;
}

void tl_parallel_query_release(tl_contact_world *set)
{
    for (int k = 0; k < set->worker_count; ++k) {
        tl_mesh_pair_release(set, &set->worker[k].found);
        tl_release(&set->allocator, set->worker[k].near.pair);
    }
    tl_release(&set->allocator, set->worker);
    tl_release(&set->allocator, set->result);
    tl_release(&set->allocator, set->jobs.job);
    set->worker = NULL;
    set->result = NULL;
    set->jobs = (tl_bvh_jobs){0};
    set->worker_count = set->result_capacity = 0;
}
