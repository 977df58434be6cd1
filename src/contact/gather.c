#include "contact/gather.h"

#include "contact/pairs.h"
#include "core/tasks.h"

#include <stdatomic.h>
#include <string.h>

/* What one thread found, job by job. */
struct tl_gatherer {
    tl_surface_group found;
    tl_face_pairs near;
};

/* Places in its lists. */
typedef struct places {
    int pair, crossing, watch;
} places;

/* What came of a job: who did it, and where that is in what this thread found. */
struct tl_harvest {
    int thread;
    places from, to;
};

typedef struct gathering {
    tl_surfaces *set;
    const tl_bvh_search *search;
    tl_take *take;
    bool astray;
    atomic_int next; /* job */
} gathering;

static places ends_of(const tl_surface_group *g) { return (places){g->count, g->crossing_count, g->watch_count}; }

static void do_jobs(void *user, int part, int parts)
{
    (void)parts;
    gathering *all = user;
    const tl_surfaces *set = all->set;
    tl_gatherer own = set->gatherer[part]; /* threads do not write side by side */
    for (int k; (k = atomic_fetch_add(&all->next, 1)) < set->jobs.count;) {
        tl_harvest harvest = {.thread = part, .from = ends_of(&own.found)};
        own.near.count = 0;
        own.found.failed |= !tl_bvh_do(all->search, set->jobs.job[k], &own.near, &set->allocator);
        all->take(set, &own.found, &own.near, all->astray);
        harvest.to = ends_of(&own.found);
        set->harvest[k] = harvest;
    }
    set->gatherer[part] = own;
}

static bool make_gatherers(tl_surfaces *set)
{
    int threads = tl_tasks_threads(set->tasks);
    if (set->gatherer_count == threads)
        return true;
    tl_gather_release(set);
    set->gatherer = tl_allocate(&set->allocator, (size_t)threads, sizeof *set->gatherer);
    set->gatherer_count = set->gatherer ? threads : 0;
    return set->gatherer;
}

static void empty(tl_surface_group *found, const tl_surface_group *g)
{
    found->a = g->a;
    found->b = g->b;
    found->gap = g->gap;
    found->margin = g->margin;
    found->count = found->crossing_count = found->watch_count = 0;
    found->failed = false;
}

/* Puts together what the threads found. */
static void bring_in(tl_surfaces *set, tl_surface_group *g)
{
    for (int k = 0; k < set->gatherer_count; ++k)
        g->failed |= set->gatherer[k].found.failed;
    for (int k = 0; k < set->jobs.count; ++k) {
        const tl_harvest *h = &set->harvest[k];
        const tl_surface_group *found = &set->gatherer[h->thread].found;
        int pairs = h->to.pair - h->from.pair, crossings = h->to.crossing - h->from.crossing,
            watches = h->to.watch - h->from.watch;
        if (!tl_group_make_room(set, g, pairs, crossings, watches)) {
            g->failed = true;
            return;
        }
        if (pairs > 0)
            memcpy(g->pair + g->count, found->pair + h->from.pair, (size_t)pairs * sizeof *g->pair);
        if (crossings > 0)
            memcpy(g->crossing + g->crossing_count, found->crossing + h->from.crossing,
                   (size_t)crossings * sizeof *g->crossing);
        if (watches > 0)
            memcpy(g->watch + g->watch_count, found->watch + h->from.watch, (size_t)watches * sizeof *g->watch);
        g->count += pairs;
        g->crossing_count += crossings;
        g->watch_count += watches;
    }
}

enum {
    LEAST_FACES = 512,  /* that are searched, from which on handing out work costs less than it saves */
    LEAST_ASTRAY = 128, /* the same of faces astray, each of which costs more */
    JOBS_PER_THREAD = 4 /* about, of parts of a surface with themselves, and those with each other beside: what is
                           folded more than the rest is shared, too */
};

/* Cuts the search into jobs; false when one thread may as well do it all, or when memory is short. */
static bool share_out(tl_surfaces *set, const tl_surface_group *g, const tl_bvh_search *search, bool astray)
{
    const tl_surface *a = set->surface[g->a], *b = set->surface[g->b];
    int threads = tl_tasks_threads(set->tasks), faces = search->a->face_count, stray = a->astray_count;
    if (a != b) {
        faces += search->b->face_count;
        stray += b->astray_count;
    }
    if (threads < 2 || faces < LEAST_FACES || (astray && stray < LEAST_ASTRAY))
        return false;
    set->jobs.count = 0;
    if (!make_gatherers(set) || !tl_bvh_cut(search, faces / (JOBS_PER_THREAD * threads), &set->jobs, &set->allocator))
        return false;
    if (set->jobs.count > set->harvest_capacity) {
        tl_release(&set->allocator, set->harvest);
        set->harvest = tl_allocate(&set->allocator, 2 * (size_t)set->jobs.count, sizeof *set->harvest);
        set->harvest_capacity = set->harvest ? 2 * set->jobs.count : 0;
    }
    return set->jobs.count > 1 && set->jobs.count <= set->harvest_capacity;
}

void tl_gather(tl_surfaces *set, tl_surface_group *g, const tl_bvh_search *search, tl_take *take, bool astray)
{
    if (!share_out(set, g, search, astray)) {
        set->near.count = 0;
        g->failed |= !tl_bvh_find(search, &set->near, &set->allocator);
        take(set, g, &set->near, astray);
    } else {
        gathering all = {.set = set, .search = search, .take = take, .astray = astray};
        for (int k = 0; k < set->gatherer_count; ++k)
            empty(&set->gatherer[k].found, g);
        tl_tasks_run(set->tasks, do_jobs, &all);
        bring_in(set, g);
    }
    set->failed |= g->failed;
    g->failed = false;
}

void tl_gather_release(tl_surfaces *set)
{
    for (int k = 0; k < set->gatherer_count; ++k) {
        tl_group_release(set, &set->gatherer[k].found);
        tl_release(&set->allocator, set->gatherer[k].near.pair);
    }
    tl_release(&set->allocator, set->gatherer);
    tl_release(&set->allocator, set->harvest);
    tl_release(&set->allocator, set->jobs.job);
    set->gatherer = NULL;
    set->harvest = NULL;
    set->jobs = (tl_bvh_jobs){0};
    set->gatherer_count = set->harvest_capacity = 0;
}
