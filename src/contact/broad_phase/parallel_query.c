/* Searches on all threads. Work is cut into jobs that do not depend on the number of threads, and what they find is
   joined in their order. */
#include "contact/broad_phase/candidate.h"
#include "core/particles.h"
#include "core/tasks.h"

#include <stdatomic.h>
#include <string.h>

/* Results of one thread, job by job. */
struct tl_query_worker {
    tl_mesh_pair found;
    tl_tree_rows rows;
};

/* Positions in its arrays. */
typedef struct positions {
    int contact, crossing, ccd, folded, row, listed[TL_SOUGHT];
} positions;

/* Result of a job: its thread, and the range in the results of that thread. */
struct tl_query_result {
    int thread;
    positions from, to;
};

typedef struct parallel_query {
    tl_contact_world *set;
    const tl_tree_search *tree;
    const tl_feature_search *features;
    const tl_tree_rows *rows; /* NULL: */
    tl_feature_list *list;    /* of which features are taken */
    bool known;
    int count;       /* of jobs */
    atomic_int next; /* job */
} parallel_query;

static positions end_of(const tl_query_worker *w)
{
    const tl_mesh_pair *g = &w->found;
    return (positions){g->count,        g->crossing_count, g->ccd_count,
                       g->folded_count, w->rows.count,     {g->listed[0].count, g->listed[1].count}};
}

static void do_job(const parallel_query *all, int job, tl_query_worker *own)
{
    const tl_contact_world *set = all->set;
    if (all->features && all->rows) {
        int first = job * TL_JOB_ROWS, left = all->rows->count - first;
        tl_features_list(all->features, all->rows->row + first, left < TL_JOB_ROWS ? left : TL_JOB_ROWS, &own->found);
    } else if (all->features) {
        int first = job * TL_JOB_FEATURES, left = all->list->count - first;
        tl_features_take(all->features, all->known, all->list->pair + first,
                         left < TL_JOB_FEATURES ? left : TL_JOB_FEATURES, &own->found);
    } else {
        tl_tree_sink sink = {.allocator = &set->allocator, .rows = &own->rows};
        TL_PICK_KERNEL(tl_face_tree_find, set->lanes)(all->tree, set->jobs.job[job], &sink);
        own->found.failed |= sink.failed;
    }
}

static void do_jobs(void *user, int part, int parts)
{
    (void)parts;
    parallel_query *all = user;
    tl_query_worker own = all->set->worker[part]; /* a local copy: no false sharing */
    for (int k; (k = atomic_fetch_add(&all->next, 1)) < all->count;) {
        tl_query_result result = {.thread = part, .from = end_of(&own)};
        do_job(all, k, &own);
        result.to = end_of(&own);
        all->set->result[k] = result;
    }
    all->set->worker[part] = own;
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

static void empty(tl_query_worker *w, const tl_mesh_pair *g)
{
    tl_mesh_pair *found = &w->found;
    found->a = g ? g->a : 0;
    found->b = g ? g->b : 0;
    found->gap = g ? g->gap : 0;
    found->margin = g ? g->margin : 0;
    found->count = found->crossing_count = found->ccd_count = found->folded_count = w->rows.count = 0;
    found->listed[0].count = found->listed[1].count = 0;
    found->failed = false;
}

static void append(void *to, int *count, const void *from, int first, int end, size_t size)
{
    if (end > first)
        memcpy((char *)to + (size_t)*count * size, (const char *)from + (size_t)first * size,
               (size_t)(end - first) * size);
    *count += end - first;
}

/* Joins the results of the threads in the order of jobs. False when out of memory. */
static bool join_features(tl_contact_world *set, int jobs, tl_mesh_pair *g)
{
    for (int k = 0; k < jobs; ++k) {
        const tl_query_result *h = &set->result[k];
        const tl_mesh_pair *found = &set->worker[h->thread].found;
        const positions *p = &h->from, *q = &h->to;
        if (!tl_mesh_pair_reserve(set, g, q->contact - p->contact, q->crossing - p->crossing, q->ccd - p->ccd,
                                  q->folded - p->folded))
            return false;
        append(g->contact, &g->count, found->contact, p->contact, q->contact, sizeof *g->contact);
        append(g->crossing, &g->crossing_count, found->crossing, p->crossing, q->crossing, sizeof *g->crossing);
        append(g->ccd, &g->ccd_count, found->ccd, p->ccd, q->ccd, sizeof *g->ccd);
        append(g->folded, &g->folded_count, found->folded, p->folded, q->folded, sizeof *g->folded);
        for (int i = 0; i < TL_SOUGHT; ++i) {
            tl_feature_list *list = &g->listed[i];
            while (list->count + q->listed[i] - p->listed[i] > list->capacity)
                if (!tl_grow(&set->allocator, &list->pair, list->capacity, &list->capacity, sizeof *list->pair))
                    return false;
            append(list->pair, &list->count, found->listed[i].pair, p->listed[i], q->listed[i], sizeof *list->pair);
        }
    }
    return true;
}

static bool join_rows(tl_contact_world *set, int jobs, tl_tree_rows *rows)
{
    for (int k = 0; k < jobs; ++k) {
        const tl_query_result *h = &set->result[k];
        while (rows->count + h->to.row - h->from.row > rows->capacity)
            if (!tl_grow(&set->allocator, &rows->row, rows->capacity, &rows->capacity, sizeof *rows->row))
                return false;
        append(rows->row, &rows->count, set->worker[h->thread].rows.row, h->from.row, h->to.row, sizeof *rows->row);
    }
    return true;
}

/* Runs the jobs and joins what they find in one of the two. */
static void run(parallel_query *all, tl_mesh_pair *g, tl_tree_rows *rows)
{
    tl_contact_world *set = all->set;
    if (all->count > set->result_capacity) {
        tl_release(&set->allocator, set->result);
        set->result = tl_allocate(&set->allocator, 2 * (size_t)all->count, sizeof *set->result);
        set->result_capacity = set->result ? 2 * all->count : 0;
    }
    set->failed |= all->count > set->result_capacity;
    if (all->count > set->result_capacity)
        return;
    for (int k = 0; k < set->worker_count; ++k)
        empty(&set->worker[k], g);
    tl_tasks_run(set->tasks, do_jobs, all);
    for (int k = 0; k < set->worker_count; ++k)
        set->failed |= set->worker[k].found.failed;
    set->failed |= !(g ? join_features(set, all->count, g) : join_rows(set, all->count, rows));
}

void tl_parallel_rows(tl_contact_world *set, const tl_tree_search *search, tl_tree_rows *rows)
{
    tl_face_tree_find_kernel *find = TL_PICK_KERNEL(tl_face_tree_find, set->lanes);
    tl_tree_sink sink = {.allocator = &set->allocator, .rows = rows, .level = TL_JOB_LEVEL};
    rows->count = 0;
    if (tl_tasks_threads(set->tasks) < 2 || search->a->face_count < TL_PARALLEL_FACES) {
        find(search, tl_face_tree_all(), &sink);
        set->failed |= sink.failed;
        return;
    }
    set->jobs.count = 0;
    sink.jobs = &set->jobs;
    find(search, tl_face_tree_all(), &sink);
    set->failed |= sink.failed || !allocate_workers(set);
    if (set->worker)
        run(&(parallel_query){.set = set, .tree = search, .count = set->jobs.count}, NULL, rows);
}

static int jobs_for(int count, int each) { return (count + each - 1) / each; }

/* Does it pay to use threads? */
static bool use_threads(tl_contact_world *set, int jobs)
{
    return tl_tasks_threads(set->tasks) > 1 && jobs > 1 && allocate_workers(set);
}

void tl_parallel_list(const tl_feature_search *search, const tl_tree_rows *rows, tl_contact_world *set, tl_mesh_pair *g)
{
    int jobs = jobs_for(rows->count, TL_JOB_ROWS);
    if (use_threads(set, jobs))
        run(&(parallel_query){.set = set, .features = search, .rows = rows, .count = jobs}, g, NULL);
    else
        for (int k = 0; k < jobs; ++k) {
            int first = k * TL_JOB_ROWS, left = rows->count - first;
            tl_features_list(search, rows->row + first, left < TL_JOB_ROWS ? left : TL_JOB_ROWS, g);
        }
    set->failed |= g->failed;
    g->failed = false;
}

void tl_parallel_take(const tl_feature_search *search, bool known, tl_contact_world *set, tl_mesh_pair *g)
{
    tl_feature_list *list = &g->listed[search->seek];
    int jobs = jobs_for(list->count, TL_JOB_FEATURES);
    if (use_threads(set, jobs))
        run(&(parallel_query){.set = set, .features = search, .list = list, .known = known, .count = jobs}, g, NULL);
    else
        tl_features_take(search, known, list->pair, list->count, g);
    set->failed |= g->failed;
    g->failed = false;
}

void tl_parallel_query_release(tl_contact_world *set)
{
    for (int k = 0; k < set->worker_count; ++k) {
        tl_mesh_pair_release(set, &set->worker[k].found);
        tl_release(&set->allocator, set->worker[k].rows.row);
    }
    tl_release(&set->allocator, set->worker);
    tl_release(&set->allocator, set->result);
    tl_release(&set->allocator, set->jobs.job);
    set->worker = NULL;
    set->result = NULL;
    set->jobs = (tl_tree_jobs){0};
    set->worker_count = set->result_capacity = 0;
}
