/* Where the matrices of elements go, and their sums (step/pairs.h). */
#include "step/pairs.h"

#include "step/block.h"
#include "step/kernels.h"
#include "step/strain_limit.h"

#include <string.h>

enum {
    MAX_PARTICLES = TL_ELEMENT_MAX_PARTICLES,
    MAX_PAIRS = MAX_PARTICLES * (MAX_PARTICLES - 1) / 2,
    AT_ONCE = 12 /* pairs of TL_LANES elements that stay in the first cache from computing to storing */
};

static int pairs_of(const tl_element_class *kind) { return kind->particles * (kind->particles - 1) / 2; }
static int groups_of(int elements) { return (elements + TL_LANES - 1) / TL_LANES; }

/* ---- places ----------------------------------------------------------------------------------------------------- */

static bool on_same_particles(const tl_element_batch *a, const tl_element_batch *b)
{
    if (a->kind->particles != b->kind->particles || a->count != b->count)
        return false;
    for (int k = 0; k < a->count; ++k) {
        int of_a[MAX_PARTICLES], of_b[MAX_PARTICLES];
        a->kind->members(a, k, of_a);
        b->kind->members(b, k, of_b);
        if (memcmp(of_a, of_b, (size_t)a->kind->particles * sizeof(int)) != 0)
            return false;
    }
    return true;
}

/* The first class that stores its matrices together with class e; -1 when all elements of e are steady. */
static int leader_of(const tl_sparse *sparse, const tl_system *system, int e)
{
    const tl_element_batch *batch = &system->batch[e];
    bool varies = false;
    for (int k = 0; system->on[e] && k < batch->count && !varies; ++k)
        varies = !sparse->steady[e] || !sparse->steady[e][k];
    if (!varies)
        return -1;
    for (int other = 0; other < e && !sparse->steady[e]; ++other)
        if (sparse->pairs.leader[other] == other && !sparse->steady[other] &&
            on_same_particles(&system->batch[other], batch))
            return other;
    return e;
}

/* Every pair of the pattern. */
static bool list_pairs(tl_pairs *pairs, const tl_rows *rows, int particles, const tl_allocator *allocator)
{
    for (int i = 0; i < particles; ++i)
        pairs->count += rows->start[i + 1] - rows->above[i];
    pairs->pair = tl_allocate(allocator, (size_t)pairs->count + 1, sizeof *pairs->pair);
    pairs->of_row = tl_allocate(allocator, (size_t)particles, sizeof *pairs->of_row);
    if (!pairs->pair || !pairs->of_row)
        return false;
    int n = 0;
    for (int i = 0; i < particles; ++i) {
        pairs->of_row[i] = n;
        for (int k = rows->above[i]; k < rows->start[i + 1]; ++k)
            pairs->pair[n++] = (tl_pair){.above = k, .below = tl_rows_find(rows, rows->column[k], i)};
    }
    return true;
}

/* Counts one more block of the pair (i, j), and says which pair that is. */
static int count_pair(tl_pairs *pairs, const tl_rows *rows, int i, int j)
{
    if (i == j)
        return TL_PAIR_NONE; /* inside a block of the diagonal */
    int low = i < j ? i : j, high = i < j ? j : i;
    int n = pairs->of_row[low] + tl_rows_find(rows, low, high) - rows->above[low];
    ++pairs->pair[n].first;
    return i < j ? n : ~n;
}

static int *count_elements(tl_sparse *sparse, const tl_system *system, int e)
{
    const tl_element_batch *batch = &system->batch[e];
    int per = batch->kind->particles, of = pairs_of(batch->kind), groups = groups_of(batch->count);
    size_t places = (size_t)groups * (size_t)of * TL_LANES;
    int *place = tl_allocate(&system->allocator, places, sizeof(int));
    sparse->pairs.bytes += places * sizeof(int);
    for (int k = 0; place && k < groups * TL_LANES; ++k) {
        int particle[MAX_PARTICLES], *at = place + (ptrdiff_t)(k / TL_LANES) * of * TL_LANES + k % TL_LANES;
        bool varies = k < batch->count && !(sparse->steady[e] && sparse->steady[e][k]);
        if (varies)
            batch->kind->members(batch, k, particle);
        for (int i = 0; i < per; ++i)
            for (int j = i + 1; j < per; ++j, at += TL_LANES)
                *at = varies ? count_pair(&sparse->pairs, &sparse->rows, particle[i], particle[j]) : TL_PAIR_NONE;
    }
    return place;
}

static int *count_taut_links(tl_sparse *sparse, const tl_system *system, int d)
{
    const tl_link_set *set = &system->strain_limit->links[d];
    int *place = tl_allocate(&system->allocator, (size_t)set->count, sizeof(int));
    sparse->pairs.bytes += (size_t)set->count * sizeof(int);
    for (int n = 0; place && n < set->count; ++n)
        place[n] = count_pair(&sparse->pairs, &sparse->rows, set->i[n], set->j[n]);
    return place;
}

/* From the pair to its next free block. */
static void take_places(tl_pairs *pairs, int *place, size_t count)
{
    for (size_t k = 0; place && k < count; ++k)
        if (place[k] != TL_PAIR_NONE)
            place[k] = place[k] < 0 ? ~pairs->pair[~place[k]].first++ : pairs->pair[place[k]].first++;
}

static void order_blocks(tl_pairs *pairs, const tl_system *system)
{
    for (int n = 0; n < pairs->count; ++n) {
        int own = pairs->pair[n].first;
        pairs->pair[n].first = pairs->stored;
        pairs->stored += own;
    }
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (pairs->place[e])
            take_places(pairs, pairs->place[e],
                        (size_t)groups_of(system->batch[e].count) * (size_t)pairs_of(system->batch[e].kind) * TL_LANES);
    for (int d = 0; d < 2; ++d)
        if (pairs->taut_place[d])
            take_places(pairs, pairs->taut_place[d], (size_t)system->strain_limit->links[d].count);
    /* each pair now has the first block of the next one */
    for (int n = pairs->count; n > 0; --n)
        pairs->pair[n].first = pairs->pair[n - 1].first;
    pairs->pair[0].first = 0;
}

bool tl_pairs_build(tl_sparse *sparse, const tl_system *system)
{
    tl_pairs *pairs = &sparse->pairs;
    bool done = list_pairs(pairs, &sparse->rows, sparse->count, &system->allocator);
    for (int e = 0; e < TL_ELEMENT_COUNT && done; ++e) {
        pairs->leader[e] = leader_of(sparse, system, e);
        if (pairs->leader[e] == e)
            done = (pairs->place[e] = count_elements(sparse, system, e)) != NULL;
    }
    for (int d = 0; d < 2 && done && sparse->has_taut_links; ++d)
        done = (pairs->taut_place[d] = count_taut_links(sparse, system, d)) != NULL;
    if (!done)
        return false;
    order_blocks(pairs, system);
    tl_release(&system->allocator, pairs->of_row);
    pairs->of_row = NULL;
    pairs->value = tl_allocate(&system->allocator, (size_t)pairs->stored * TL_BLOCK, sizeof(tl_real));
    pairs->bytes +=
        (size_t)pairs->stored * TL_BLOCK * sizeof(tl_real) + ((size_t)pairs->count + 1) * sizeof *pairs->pair;
    return pairs->value != NULL;
}

void tl_pairs_destroy(tl_pairs *pairs, const tl_allocator *allocator)
{
    tl_release(allocator, pairs->pair);
    tl_release(allocator, pairs->of_row);
    tl_release(allocator, pairs->value);
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        tl_release(allocator, pairs->place[e]);
    for (int d = 0; d < 2; ++d)
        tl_release(allocator, pairs->taut_place[d]);
}

/* ---- elements --------------------------------------------------------------------------------------------------- */

typedef struct assembly {
    tl_sparse *sparse;
    const tl_system *system;
    tl_real by_velocity, by_position;
} assembly;

/* tl_element_class.pairs by `hessian`. */
static void add_one_by_one(const assembly *job, const tl_element_batch *batch, const bool *steady, int first, int count,
                           tl_element_pair *out)
{
    int per = batch->kind->particles;
    for (int k = first; k < first + count && k < batch->count; ++k) {
        tl_element_hessian h;
        if (steady && steady[k])
            continue;
        batch->kind->hessian(batch, &job->system->p, k, 1, &h);
        tl_element_pair *pair = out + (k - first) / TL_LANES * pairs_of(batch->kind);
        for (int i = 0; i < per; ++i)
            for (int j = i + 1; j < per; ++j, ++pair)
                for (int c = 0; c < 9; ++c)
                    (*pair)[c][k % TL_LANES] += job->by_position * h.stiffness[i][j][c / 3][c % 3] +
                                                job->by_velocity * h.damping[i][j][c / 3][c % 3];
    }
}

/* Elements first … first+count-1 of all classes that are stored together. */
static void add_classes(const assembly *job, int leader, int first, int count, tl_element_pair *out)
{
    for (int e = leader; e < TL_ELEMENT_COUNT; ++e) {
        if (job->sparse->pairs.leader[e] != leader)
            continue;
        tl_element_batch batch = job->system->batch[e];
        batch.settings.definite = true;
        if (batch.kind->pairs)
            batch.kind->pairs(&batch, &job->system->p, first, count, job->by_position, job->by_velocity, out);
        else
            add_one_by_one(job, &batch, job->sparse->steady[e], first, count, out);
    }
}

static void store_elements(const assembly *job, int leader, int part, int parts)
{
    tl_pairs *pairs = &job->sparse->pairs;
    _Alignas(TL_ALIGNMENT) tl_element_pair own[MAX_PAIRS];
    const tl_element_batch *batch = &job->system->batch[leader];
    int of = pairs_of(batch->kind), most = of < AT_ONCE ? AT_ONCE / of : 1, groups = groups_of(batch->count);
    int last = tl_part_bound(groups, part + 1, parts, 1);
    tl_pairs_store_kernel *store = TL_PICK_KERNEL(tl_pairs_store, job->sparse->lanes);
    for (int group = tl_part_bound(groups, part, parts, 1), count = 0; group < last; group += count) {
        count = last - group < most ? last - group : most;
        memset(own, 0, (size_t)(count * of) * sizeof *own);
        add_classes(job, leader, group * TL_LANES, count * TL_LANES, own);
        store((const tl_element_pair *)own, count * of, pairs->place[leader] + (ptrdiff_t)group * of * TL_LANES,
              pairs->value);
    }
}

/* Taut links: k n nᵀ along them, and geometric stiffness of their tension across them. */
static void store_taut_links(const assembly *job, int d, int part, int parts)
{
    tl_pairs *pairs = &job->sparse->pairs;
    int count = job->system->strain_limit->links[d].count, last = tl_part_bound(count, part + 1, parts, 1);
    for (int n = tl_part_bound(count, part, parts, 1); n < last; ++n) {
        int place = pairs->taut_place[d][n];
        tl_real *out = pairs->value + (ptrdiff_t)TL_BLOCK * (place < 0 ? ~place : place);
        tl_taut taut;
        memset(out, 0, TL_BLOCK * sizeof *out);
        if (!tl_strain_limit_taut(job->system, d, n, &taut))
            continue;
        const tl_real normal[3] = {taut.along.x, taut.along.y, taut.along.z};
        tl_real stiffness = job->by_position * taut.stiffness, across = job->by_position * taut.tension / taut.length;
        for (int c = 0; c < 9; ++c)
            out[TL_BLOCK_AT(c / 3, c % 3)] =
                (across - stiffness) * normal[c / 3] * normal[c % 3] - (c % 4 == 0 ? across : 0);
    }
}

static void store_part(void *user, int part, int parts)
{
    const assembly *job = user;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (job->sparse->pairs.leader[e] == e)
            store_elements(job, e, part, parts);
    for (int d = 0; d < 2 && job->sparse->has_taut_links; ++d)
        store_taut_links(job, d, part, parts);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

static void sum_part(void *user, int part, int parts)
{
    const assembly *job = user;
    const tl_pairs *pairs = &job->sparse->pairs;
    int first = tl_part_bound(pairs->count, part, parts, 1), last = tl_part_bound(pairs->count, part + 1, parts, 1);
    for (int n = first; n < last; ++n) {
        const tl_pair *pair = &pairs->pair[n];
        tl_block sum = tl_block_load(pairs->value + (ptrdiff_t)TL_BLOCK * pair->first);
        for (int k = pair->first + 1; k < pair[1].first; ++k)
            sum = tl_block_add(sum, tl_block_load(pairs->value + (ptrdiff_t)TL_BLOCK * k));
        tl_block_store(job->sparse->block[pair->above], sum);
        tl_block_store(job->sparse->block[pair->below], tl_block_transposed(sum));
    }
}

void tl_pairs_assemble(tl_sparse *sparse, const tl_system *system, tl_real by_velocity, tl_real by_position)
{
    assembly job = {sparse, system, by_velocity, by_position};
    tl_tasks_run(system->tasks, store_part, &job);
    tl_tasks_run(system->tasks, sum_part, &job);
}
