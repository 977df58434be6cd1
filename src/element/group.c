/* Greedy first-fit colouring of elements that share particles, and groups of a vector's width inside each colour. */
#include "element/group.h"

#include "core/bits.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Colours tried in one round: the bits of one word per particle. A particle with more elements than that (the hub of a
   fan) takes more rounds. */
enum { ROUND_COLOURS = 64 };

typedef struct keyed {
    int key, index;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

bool tl_sort_by_key(const tl_allocator *allocator, const int *key, int count, int *order)
{
    keyed *sorted = tl_allocate(allocator, (size_t)count, sizeof *sorted);
    if (!sorted)
        return false;
    for (int k = 0; k < count; ++k)
        sorted[k] = (keyed){key[k], k};
    qsort(sorted, (size_t)count, sizeof *sorted, compare_keyed);
    for (int k = 0; k < count; ++k)
        order[k] = sorted[k].index;
    tl_release(allocator, sorted);
    return true;
}

/* The visiting order: elements with the same index pattern (equal differences to the first particle) together, because
   they can form runs, then by lowest particle. Patterns too rare for runs are merged into one, the last. */
enum { MAX_DIFFERENCES = 8 };
typedef struct patterned {
    int difference[MAX_DIFFERENCES];
    int lowest, index;
} patterned;

static int compare_pattern(const patterned *p, const patterned *q)
{
    for (int d = 0; d < MAX_DIFFERENCES; ++d)
        if (p->difference[d] != q->difference[d])
            return p->difference[d] < q->difference[d] ? -1 : 1;
    return 0;
}

static int compare_patterned(const void *a, const void *b)
{
    const patterned *p = a, *q = b;
    int pattern = compare_pattern(p, q);
    if (pattern != 0)
        return pattern;
    if (p->lowest != q->lowest)
        return p->lowest < q->lowest ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

static void find_pattern(patterned *out, const int *own, int per, int index)
{
    *out = (patterned){.lowest = own[0], .index = index};
    for (int p = 1; p < per; ++p) {
        out->difference[p - 1] = own[p] - own[0];
        if (own[p] < out->lowest)
            out->lowest = own[p];
    }
}

/* Fills `lowest` (by element) and `order`. */
static bool order_for_runs(const tl_allocator *allocator, const int *particle, int per, int count, int *lowest,
                           int *order)
{
    patterned *sorted = tl_allocate(allocator, (size_t)count, sizeof *sorted);
    if (!sorted)
        return false;
    for (int k = 0; k < count; ++k) {
        find_pattern(&sorted[k], particle + (size_t)k * (size_t)per, per, k);
        lowest[k] = sorted[k].lowest;
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_patterned);
    for (int first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && compare_pattern(&sorted[first], &sorted[end]) == 0;)
            ++end;
        for (int k = first; k < end && end - first < TL_LANES; ++k)
            for (int d = 0; d < MAX_DIFFERENCES; ++d)
                sorted[k].difference[d] = INT_MAX;
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_patterned);
    for (int k = 0; k < count; ++k)
        order[k] = sorted[k].index;
    tl_release(allocator, sorted);
    return true;
}

/* Gives every element, visited in `order`, the lowest colour unused by its particles. Returns the number of colours.
   `used` is one word per particle. */
static int colour_first_fit(const int *particle, int per, int count, int particle_count, const int *order,
                            uint64_t *used, int *colour)
{
    int colours = 0;
    int left = count;
    for (int k = 0; k < count; ++k)
        colour[k] = -1;
    for (int base = 0; left > 0; base += ROUND_COLOURS) {
        memset(used, 0, (size_t)particle_count * sizeof *used);
        for (int k = 0; k < count; ++k) {
            int element = order[k];
            const int *own = particle + (size_t)element * (size_t)per;
            uint64_t taken = 0;
            for (int p = 0; p < per; ++p)
                taken |= used[own[p]];
            if (colour[element] >= 0 || taken == UINT64_MAX)
                continue;
            int bit = tl_lowest_bit(~taken);
            for (int p = 0; p < per; ++p)
                used[own[p]] |= (uint64_t)1 << bit;
            colour[element] = base + bit;
            if (base + bit >= colours)
                colours = base + bit + 1;
            --left;
        }
    }
    return colours;
}

/* Shortest run worth its own group, in elements: below, empty lanes cost more than gathering. */
enum { MIN_RUN = TL_LANES / 2 };

static bool follows(const int *particle, int per, int a, int b)
{
    for (int p = 0; p < per; ++p)
        if (particle[(size_t)b * (size_t)per + (size_t)p] != particle[(size_t)a * (size_t)per + (size_t)p] + 1)
            return false;
    return true;
}

/* Appends one group of elements that are already in `order`. */
static void put_group(tl_groups *groups, int first, int count, int run)
{
    groups->group[groups->group_count++] = (tl_group){first, count, run};
}

/* Sorts the elements of one colour, `own`, into groups from index `at` of the order: runs first, then the rest,
   collected in `left`. */
static void cut_colour(tl_groups *groups, const int *particle, int per, const int *own, int count, int at, int *left)
{
    int left_count = 0;
    for (int k = 0; k < count;) {
        int length = 1;
        while (length < TL_LANES && k + length < count && follows(particle, per, own[k + length - 1], own[k + length]))
            ++length;
        if (length >= MIN_RUN)
            put_group(groups, at, length, 1);
        for (int m = 0; m < length; ++m)
            if (length >= MIN_RUN)
                groups->order[at++] = own[k + m];
            else
                left[left_count++] = own[k + m];
        k += length;
    }
    for (int k = 0; k < left_count; ++k) {
        if (k % TL_LANES == 0)
            put_group(groups, at, left_count - k < TL_LANES ? left_count - k : TL_LANES, 0);
        groups->order[at++] = left[k];
    }
}

/* Counting sort by colour, keeping `visit` inside each colour, then groups. */
static void cut_groups(tl_groups *groups, const int *particle, int per, const int *visit, const int *colour, int *start,
                       int *sorted, int *left, int count)
{
    for (int k = 0; k < count; ++k)
        ++start[colour[k] + 1];
    for (int c = 0; c < groups->colour_count; ++c)
        start[c + 1] += start[c];
    for (int k = 0; k < count; ++k)
        sorted[start[colour[visit[k]]]++] = visit[k];
    /* filling has advanced every start to the next */
    for (int c = 0; c < groups->colour_count; ++c) {
        int first = c == 0 ? 0 : start[c - 1];
        groups->colour_first[c] = groups->group_count;
        cut_colour(groups, particle, per, sorted + first, start[c] - first, first, left);
    }
    groups->colour_first[groups->colour_count] = groups->group_count;
}

static bool sort_for_forces(tl_groups *groups, const tl_allocator *allocator, const int *lowest, int *key, int *order)
{
    for (int g = 0; g < groups->group_count; ++g)
        key[g] = lowest[groups->order[groups->group[g].first]];
    if (!tl_sort_by_key(allocator, key, groups->group_count, order))
        return false;
    for (int g = 0; g < groups->group_count; ++g)
        groups->force_order[g] = groups->group[order[g]];
    return true;
}

/* Fills `groups`, whose arrays are sized for the worst case of one group per element. */
static bool build_with(tl_groups *groups, const tl_allocator *allocator, const int *particle, int per, int count,
                       int particle_count, int *scratch, uint64_t *used)
{
    int *lowest = scratch, *visit = scratch + count, *colour = scratch + 2 * count;
    int *sorted = scratch + 3 * count, *left = scratch + 4 * count, *start = scratch + 5 * count;
    if (!order_for_runs(allocator, particle, per, count, lowest, visit))
        return false;
    groups->colour_count = colour_first_fit(particle, per, count, particle_count, visit, used, colour);
    cut_groups(groups, particle, per, visit, colour, start, sorted, left, count);
    /* colours are no longer needed: the sort reuses their memory */
    return sort_for_forces(groups, allocator, lowest, colour, visit);
}

bool tl_groups_build(tl_groups *groups, const tl_allocator *allocator, const int *particle, int per, int count,
                     int particle_count)
{
    *groups = (tl_groups){0};
    size_t size = (size_t)count;
    int *scratch = tl_allocate(allocator, 6 * size + 2, sizeof *scratch);
    uint64_t *used = tl_allocate(allocator, (size_t)particle_count, sizeof *used);
    groups->colour_first = tl_allocate(allocator, size + 1, sizeof *groups->colour_first);
    groups->group = tl_allocate(allocator, size, sizeof *groups->group);
    groups->force_order = tl_allocate(allocator, size, sizeof *groups->force_order);
    groups->order = tl_allocate(allocator, size, sizeof *groups->order);
    bool done = scratch && used && groups->colour_first && groups->group && groups->force_order && groups->order &&
                build_with(groups, allocator, particle, per, count, particle_count, scratch, used);
    tl_release(allocator, scratch);
    tl_release(allocator, used);
    if (!done)
        tl_groups_destroy(groups, allocator);
    return done;
}

void tl_groups_destroy(tl_groups *groups, const tl_allocator *allocator)
{
    tl_release(allocator, groups->colour_first);
    tl_release(allocator, groups->group);
    tl_release(allocator, groups->force_order);
    tl_release(allocator, groups->order);
    *groups = (tl_groups){0};
}

size_t tl_groups_bytes(const tl_groups *groups, int count)
{
    (void)groups;
    size_t size = (size_t)count;
    return (size + 1) * sizeof(int) + 2 * size * sizeof(tl_group) + size * sizeof(int);
}
