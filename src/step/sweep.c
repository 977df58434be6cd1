#include "step/sweep.h"

#include "element/group.h"

#include <string.h>

/* Particles by which the front moves at a time: long enough for batches of many pieces, short enough for the cache. */
enum { WAVE = 512 };
enum { MOST_COLOURS = 64 }; /* of all families together, one bit each; more are visited colour by colour */

/* A piece in the making. Lists of a colour go by lowest particle. */
typedef struct entry {
    tl_link_piece piece;
    int element;
    int low, high; /* particles */
    int next;      /* in its colour's list, -1 at the end */
} entry;

typedef struct builder {
    const tl_element_batch *batch;
    entry *entries;
    int count;
    int colour_count;
    int *head;         /* per colour: first entry still waiting */
    uint64_t *waiting; /* per particle: colours that touch it and were not visited yet */
    tl_sweep_plan *plan;
    int batch_count, piece_count;
    bool split; /* the next piece starts a batch even if the family is the same */
} builder;

static const tl_link_set *set_of(const builder *b, const entry *e) { return b->batch[e->element].data; }

/* Particle n of a piece, n from 0 to 2·count − 1. */
static int particle_of(const tl_link_set *set, const tl_link_piece *piece, int n)
{
    int k = n / 2;
    if (piece->i0 >= 0)
        return (n & 1 ? piece->j0 : piece->i0) + k;
    return (n & 1 ? set->j : set->i)[piece->first + k];
}

static void measure(const builder *b, entry *e)
{
    const tl_link_set *set = set_of(b, e);
    e->low = e->high = particle_of(set, &e->piece, 0);
    for (int n = 1; n < 2 * e->piece.count; ++n) {
        int i = particle_of(set, &e->piece, n);
        e->low = i < e->low ? i : e->low;
        e->high = i > e->high ? i : e->high;
    }
}

/* Has everything that comes before colour c touched these particles? */
static bool is_ready(const builder *b, const entry *e, int c)
{
    const tl_link_set *set = set_of(b, e);
    uint64_t before = ((uint64_t)1 << c) - 1;
    for (int n = 0; n < 2 * e->piece.count; ++n)
        if (b->waiting[particle_of(set, &e->piece, n)] & before)
            return false;
    return true;
}

static void emit(builder *b, const entry *e, int c)
{
    const tl_link_set *set = set_of(b, e);
    tl_sweep_plan *plan = b->plan;
    if (c < MOST_COLOURS)
        for (int n = 0; n < 2 * e->piece.count; ++n)
            b->waiting[particle_of(set, &e->piece, n)] &= ~((uint64_t)1 << c);
    const tl_sweep_batch *last = b->split ? NULL : &plan->batch[b->batch_count - 1];
    if (!last || last->element != e->element)
        plan->batch[b->batch_count++] = (tl_sweep_batch){e->element, b->piece_count, 0};
    b->split = false;
    plan->piece[b->piece_count++] = e->piece;
    ++plan->batch[b->batch_count - 1].count;
}

/* Moves the front over the particles low … high-1 and emits what lies among them. A part ends TL_LANES early: the last
   vector of a run may read and write back that many particles behind it. */
static void emit_between(builder *b, int low, int high)
{
    for (int front = low; front < high;) {
        front = high - front > WAVE ? front + WAVE : high;
        for (int c = 0; c < b->colour_count; ++c) {
            int *link = &b->head[c];
            while (*link >= 0 && b->entries[*link].low < front) {
                entry *e = &b->entries[*link];
                if (e->low >= low && e->high < front && is_ready(b, e, c)) {
                    emit(b, e, c);
                    *link = e->next;
                } else
                    link = &e->next;
            }
        }
    }
    b->split = true;
}

static void emit_in_order(builder *b)
{
    for (int c = 0; c < b->colour_count; ++c)
        for (int n = b->head[c]; n >= 0; n = b->entries[n].next)
            emit(b, &b->entries[n], MOST_COLOURS);
}

/* One list per colour, sorted by lowest particle. */
static bool list_colour(builder *b, const tl_allocator *allocator, int element, int colour,
                        int *key, int *order)
{
    const tl_link_set *set = b->batch[element].data;
    int first = b->count, c = b->colour_count++;
    for (int n = set->colour_first[colour]; n < set->colour_first[colour + 1]; ++n) {
        entry *e = &b->entries[b->count++];
        *e = (entry){.piece = set->piece[n], .element = element, .next = -1};
        measure(b, e);
        key[b->count - 1 - first] = e->low;
        if (c < MOST_COLOURS)
            for (int k = 0; k < 2 * e->piece.count; ++k)
                b->waiting[particle_of(set, &e->piece, k)] |= (uint64_t)1 << c;
    }
    if (!tl_sort_by_key(allocator, key, b->count - first, order))
        return false;
    b->head[c] = -1;
    for (int k = b->count - first - 1; k >= 0; --k) {
        b->entries[first + order[k]].next = b->head[c];
        b->head[c] = first + order[k];
    }
    return true;
}

/* How often a sweep goes over the links of a family. */
static int rounds_of(const tl_element_batch *batch, const bool *on, int element, int repeats)
{
    if (!on[element] || batch[element].kind->particles != 2)
        return 0;
    return element == TL_ELEMENT_link_structural ? 1 + repeats : 1;
}

static bool list_all(builder *b, const tl_allocator *allocator, const bool *on, int *scratch, int pieces)
{
    for (int round = 0; round <= b->plan->repeats; ++round)
        for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
            if (round >= rounds_of(b->batch, on, e, b->plan->repeats))
                continue;
            const tl_link_set *set = b->batch[e].data;
            for (int c = 0; c < set->colour_count; ++c)
                if (!list_colour(b, allocator, e, c, scratch, scratch + pieces))
                    return false;
        }
    return true;
}

static void fill(builder *b, int particle_count)
{
    tl_sweep_plan *plan = b->plan;
    b->split = true;
    for (int t = 0; t < plan->parts; ++t) {
        plan->part_first[t] = b->batch_count;
        if (b->colour_count > MOST_COLOURS)
            continue;
        int low = (int)((int64_t)particle_count * t / plan->parts),
            high = (int)((int64_t)particle_count * (t + 1) / plan->parts);
        emit_between(b, low, t + 1 < plan->parts ? high - TL_LANES : high);
    }
    plan->part_first[plan->parts] = b->batch_count;
    if (b->colour_count > MOST_COLOURS)
        emit_in_order(b);
    else
        emit_between(b, 0, particle_count);
    plan->part_first[plan->parts + 1] = b->batch_count;
}

bool tl_sweep_build(tl_sweep_plan *plan, const tl_allocator *allocator, const tl_element_batch *batch, const bool *on,
                    int particle_count, int parts, int repeats)
{
    size_t pieces = 0, colours = 0;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        int rounds = rounds_of(batch, on, e, repeats);
        if (rounds > 0) {
            pieces += (size_t)(rounds * ((const tl_link_set *)batch[e].data)->piece_count);
            colours += (size_t)(rounds * ((const tl_link_set *)batch[e].data)->colour_count);
        }
    }
    memset(plan, 0, sizeof *plan);
    plan->parts = parts;
    plan->repeats = repeats;
    plan->part_first = tl_allocate(allocator, (size_t)parts + 2, sizeof *plan->part_first);
    plan->batch = tl_allocate(allocator, pieces, sizeof *plan->batch);
    plan->piece = tl_allocate(allocator, pieces, sizeof *plan->piece);
    plan->bytes = ((size_t)parts + 2) * sizeof *plan->part_first + pieces * (sizeof *plan->batch + sizeof *plan->piece);
    builder b = {.batch = batch, .plan = plan};
    b.entries = tl_allocate(allocator, pieces, sizeof *b.entries);
    b.head = tl_allocate(allocator, colours, sizeof *b.head);
    b.waiting = tl_allocate(allocator, (size_t)particle_count, sizeof *b.waiting);
    int *scratch = tl_allocate(allocator, 2 * pieces, sizeof *scratch);
    bool made = plan->part_first && plan->batch && plan->piece && b.entries && b.head && b.waiting && scratch &&
                list_all(&b, allocator, on, scratch, (int)pieces);
    if (made)
        fill(&b, particle_count);
    else
        tl_sweep_destroy(plan, allocator);
    tl_release(allocator, b.entries);
    tl_release(allocator, b.head);
    tl_release(allocator, b.waiting);
    tl_release(allocator, scratch);
    return made;
}

void tl_sweep_destroy(tl_sweep_plan *plan, const tl_allocator *allocator)
{
    tl_release(allocator, plan->part_first);
    tl_release(allocator, plan->batch);
    tl_release(allocator, plan->piece);
    memset(plan, 0, sizeof *plan);
}
