#include "step/sweep.h"

#include "core/tasks.h"
#include "element/group.h"

#include <limits.h>
#include <string.h>

/* Particles by which the front advances: enough for batches of many pieces, few enough for the cache. */
enum { WAVE = 512 };
enum { MAX_COLOURS = 64 }; /* of all families together, one bit each; with more, links are visited colour by colour */

/* A piece to be planned. The list of a colour is sorted by lowest particle. */
typedef struct entry {
    tl_link_piece piece;
    int element;
    bool half;
    int low, high; /* particles */
    int next;      /* in its colour's list, -1 at the end */
} entry;

/* Particles leave by whole blocks. */
typedef enum block_state { NOT_ENTERED, ENTERED, READY, LEFT } block_state;
typedef struct block {
    unsigned char waiting; /* particles with links still to be visited */
    unsigned char state;
} block;

typedef struct builder {
    const tl_element_batch *batch;
    entry *entries;
    int count;
    int colour_count;
    int *head;                 /* per colour: first entry still waiting */
    uint64_t *waiting;         /* per particle: colours that move it and were not visited yet */
    block *blocks;             /* of TL_LANES particles */
    int ready_low, ready_high; /* range of blocks that became ready in this wave */
    int particle_count;
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

/* Whether all colours before c have visited these particles. */
static bool is_ready(const builder *b, const entry *e, int c)
{
    const tl_link_set *set = set_of(b, e);
    uint64_t before = ((uint64_t)1 << c) - 1;
    for (int n = 0; n < 2 * e->piece.count; ++n)
        if (b->waiting[particle_of(set, &e->piece, n)] & before)
            return false;
    return true;
}

static void check_ready(builder *b, int n)
{
    if (b->blocks[n].state != ENTERED || b->blocks[n].waiting > 0)
        return;
    b->blocks[n].state = READY;
    b->ready_low = n < b->ready_low ? n : b->ready_low;
    b->ready_high = n + 1 > b->ready_high ? n + 1 : b->ready_high;
}

static void visit(builder *b, int particle, int c)
{
    uint64_t *waiting = &b->waiting[particle];
    if (!*waiting)
        return;
    *waiting &= ~((uint64_t)1 << c);
    if (!*waiting) {
        --b->blocks[particle / TL_LANES].waiting;
        check_ready(b, particle / TL_LANES);
    }
}

static void emit(builder *b, const entry *e, int c)
{
    const tl_link_set *set = set_of(b, e);
    tl_sweep_plan *plan = b->plan;
    if (c < MAX_COLOURS)
        for (int n = 0; n < 2 * e->piece.count; ++n)
            visit(b, particle_of(set, &e->piece, n), c);
    const tl_sweep_batch *last = b->split ? NULL : &plan->batch[b->batch_count - 1];
    if (!last || last->element != e->element || last->half != e->half)
        plan->batch[b->batch_count++] = (tl_sweep_batch){e->element, e->half, b->piece_count, 0};
    b->split = false;
    plan->piece[b->piece_count++] = e->piece;
    ++plan->batch[b->batch_count - 1].count;
}

static void emit_particles(builder *b, int what, int first, int last)
{
    if (first < last)
        b->plan->batch[b->batch_count++] = (tl_sweep_batch){what, false, first, last - first};
    b->split = true;
}

/* Particles low … high-1 enter the front. Those without links are ready at once. */
static void enter(builder *b, int low, int high)
{
    emit_particles(b, TL_SWEEP_ENTER, low, high);
    for (int n = low / TL_LANES; n * TL_LANES < high; ++n) {
        b->blocks[n].state = ENTERED;
        check_ready(b, n);
    }
}

/* Ready blocks leave. */
static void leave(builder *b)
{
    for (int n = b->ready_low; n < b->ready_high;) {
        int first = n;
        for (; n < b->ready_high && b->blocks[n].state == READY; ++n)
            b->blocks[n].state = LEFT;
        int last = n * TL_LANES < b->particle_count ? n * TL_LANES : b->particle_count;
        emit_particles(b, TL_SWEEP_LEAVE, first * TL_LANES, last);
        n += n == first;
    }
    b->ready_low = INT_MAX;
    b->ready_high = 0;
}

/* Moves the front over particles low … high-1 and emits the pieces among them. When another part follows, pieces end
   TL_LANES early: the last vector of a run may read and write back that many particles past it. */
static void emit_between(builder *b, int low, int high, int margin, bool entering)
{
    b->split = true;
    for (int next = low; next < high;) {
        int wave = high - next > WAVE ? next + WAVE : high;
        if (entering)
            enter(b, next, wave);
        next = wave;
        int front = wave < high - margin ? wave : high - margin;
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
        leave(b);
    }
}

static void emit_in_order(builder *b)
{
    for (int c = 0; c < b->colour_count; ++c)
        for (int n = b->head[c]; n >= 0; n = b->entries[n].next)
            emit(b, &b->entries[n], MAX_COLOURS);
    emit_particles(b, TL_SWEEP_LEAVE, 0, b->particle_count);
}

/* One list per colour, sorted by lowest particle. */
static bool add_colour(builder *b, const tl_allocator *allocator, int element, int colour, bool half, int *key,
                       int *order)
{
    const tl_link_set *set = b->batch[element].data;
    int first = b->count, c = b->colour_count++;
    for (int n = set->colour_first[colour]; n < set->colour_first[colour + 1]; ++n) {
        entry *e = &b->entries[b->count++];
        *e = (entry){.piece = set->piece[n], .element = element, .half = half, .next = -1};
        measure(b, e);
        key[b->count - 1 - first] = e->low;
        if (c < MAX_COLOURS)
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

/* How often a sweep visits the links of a family. */
static int rounds_of(const tl_element_batch *batch, const bool *on, int element, int repeats)
{
    if (!on[element] || !batch[element].kind->link)
        return 0;
    return batch[element].kind->structural ? 1 + repeats : 1;
}

static bool add_all(builder *b, const tl_allocator *allocator, const bool *on, int *scratch, int pieces)
{
    for (int round = 0; round <= b->plan->repeats; ++round)
        for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
            if (round >= rounds_of(b->batch, on, e, b->plan->repeats))
                continue;
            const tl_link_set *set = b->batch[e].data;
            bool back = round > 0 && round == b->plan->repeats;
            for (int k = 0; k < set->colour_count; ++k) {
                int c = back ? set->colour_count - 1 - k : k;
                if (!add_colour(b, allocator, e, c, back, scratch, scratch + pieces))
                    return false;
            }
        }
    return true;
}

static void count_waiting(builder *b)
{
    for (int i = 0; i < b->particle_count; ++i)
        if (b->waiting[i])
            ++b->blocks[i / TL_LANES].waiting;
}

static void fill(builder *b)
{
    tl_sweep_plan *plan = b->plan;
    bool in_order = b->colour_count > MAX_COLOURS;
    count_waiting(b);
    b->ready_low = INT_MAX;
    for (int t = 0; t < plan->parts; ++t) {
        plan->part_first[t] = b->batch_count;
        int low = tl_part_bound(b->particle_count, t, plan->parts, TL_LANES),
            high = tl_part_bound(b->particle_count, t + 1, plan->parts, TL_LANES);
        if (in_order)
            emit_particles(b, TL_SWEEP_ENTER, low, high);
        else
            emit_between(b, low, high, t + 1 < plan->parts ? TL_LANES : 0, true);
    }
    plan->part_first[plan->parts] = b->batch_count;
    if (in_order)
        emit_in_order(b);
    else
        emit_between(b, 0, b->particle_count, 0, false);
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
    size_t blocks = ((size_t)particle_count + TL_LANES - 1) / TL_LANES;
    size_t batches = pieces + 2 * blocks + (size_t)parts; /* at most */
    plan->batch = tl_allocate(allocator, batches, sizeof *plan->batch);
    plan->piece = tl_allocate(allocator, pieces, sizeof *plan->piece);
    plan->bytes =
        ((size_t)parts + 2) * sizeof *plan->part_first + batches * sizeof *plan->batch + pieces * sizeof *plan->piece;
    builder b = {.batch = batch, .plan = plan, .particle_count = particle_count};
    b.entries = tl_allocate(allocator, pieces, sizeof *b.entries);
    b.head = tl_allocate(allocator, colours, sizeof *b.head);
    b.waiting = tl_allocate(allocator, (size_t)particle_count, sizeof *b.waiting);
    b.blocks = tl_allocate(allocator, blocks, sizeof *b.blocks);
    int *scratch = tl_allocate(allocator, 2 * pieces, sizeof *scratch);
    bool made = plan->part_first && plan->batch && plan->piece && b.entries && b.head && b.waiting && b.blocks &&
                scratch && add_all(&b, allocator, on, scratch, (int)pieces);
    if (made)
        fill(&b);
    else
        tl_sweep_destroy(plan, allocator);
    tl_release(allocator, b.entries);
    tl_release(allocator, b.head);
    tl_release(allocator, b.waiting);
    tl_release(allocator, b.blocks);
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
