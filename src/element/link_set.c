/* Sorts links into colours, runs and gathered groups (element/link.h explains them). */
#include "element/link.h"

#include "element/group.h"

#include <stdlib.h>

static int compare_links(const void *a, const void *b)
{
    const tl_link *p = a, *q = b;
    int shift_p = p->j - p->i, shift_q = q->j - q->i;
    if (shift_p != shift_q)
        return shift_p < shift_q ? -1 : 1;
    if (p->weight < q->weight || p->weight > q->weight)
        return p->weight < q->weight ? -1 : 1;
    return (p->i > q->i) - (p->i < q->i);
}

/* One past the last link of the shift class that starts at `first`. */
static int class_end(const tl_link *links, int first, int count)
{
    int end = first + 1;
    int shift = links[first].j - links[first].i;
    while (end < count && links[end].j - links[end].i == shift && !(links[end].weight > links[first].weight))
        ++end;
    return end;
}

/* Links of one class share particles only along chains i → i + shift → i + 2·shift …; first fit alternates two
 colours. */
static void colour_chains(const tl_link *links, int first, int end, int *colour)
{
    int before = first;
    for (int k = first; k < end; ++k) {
        int i = links[k].i;
        while (links[before].j < i)
            ++before;
        colour[k] = before < k && links[before].j == i && colour[before] == 0;
    }
}

/* Number of links from `first` with the same colour and consecutive i. Of one colour, they are disjoint. */
static int run_length(const tl_link *links, const int *colour, int first, int end)
{
    int length = 1;
    while (first + length < end && colour[first + length] == colour[first] &&
           links[first + length].i == links[first].i + length)
        ++length;
    return length;
}

static void put_link(tl_link_set *set, const tl_link *link)
{
    int k = set->count++;
    set->i[k] = link->i;
    set->j[k] = link->j;
    set->rest[k] = link->rest;
    set->weight[k] = link->weight;
}

static void put_run(tl_link_set *set, const tl_link *links, int count)
{
    tl_link_piece run = {.first = set->count,
                         .count = count,
                         .i0 = links[0].i,
                         .j0 = links[0].j,
                         .weight = links[0].weight,
                         .rest = links[0].rest,
                         .equal_rest = 1};
    for (int k = 0; k < count; ++k) {
        if (links[k].rest < run.rest || links[k].rest > run.rest)
            run.equal_rest = 0;
        put_link(set, &links[k]);
    }
    set->piece[set->piece_count++] = run;
}

/* Emits the runs of one colour of one class, and appends what is too short to `left`. */
static int put_runs_of_colour(tl_link_set *set, const tl_link *links, const int *colour, int wanted, int first, int end,
                              tl_link *left, int left_count)
{
    int pieces = set->piece_count;
    for (int k = first; k < end;) {
        int length = run_length(links, colour, k, end);
        if (colour[k] == wanted) {
            if (length >= TL_LINK_MIN_RUN)
                put_run(set, links + k, length);
            else
                for (int m = 0; m < length; ++m)
                    left[left_count++] = links[k + m];
        }
        k += length;
    }
    if (set->piece_count > pieces)
        set->colour_first[++set->colour_count] = set->piece_count;
    return left_count;
}

static bool put_gathered(tl_link_set *set, const tl_allocator *allocator, const tl_link *left, int count,
                         int particle_count, int *pairs)
{
    for (int k = 0; k < count; ++k) {
        pairs[2 * k] = left[k].i;
        pairs[2 * k + 1] = left[k].j;
    }
    tl_groups groups;
    if (!tl_groups_build(&groups, allocator, pairs, 2, count, particle_count))
        return false;
    int base = set->count;
    for (int k = 0; k < count; ++k)
        put_link(set, &left[groups.order[k]]);
    for (int c = 0; c < groups.colour_count; ++c) {
        for (int g = groups.colour_first[c]; g < groups.colour_first[c + 1]; ++g)
            set->piece[set->piece_count++] = (tl_link_piece){
                .first = base + groups.group[g].first, .count = groups.group[g].count, .i0 = -1, .j0 = -1};
        set->colour_first[++set->colour_count] = set->piece_count;
    }
    tl_groups_destroy(&groups, allocator);
    return true;
}

static void give_slots(tl_link_set *set)
{
    for (int n = 0; n < set->piece_count; ++n) {
        set->piece[n].slot = set->slot_count;
        set->slot_count += (set->piece[n].count + TL_LANES - 1) / TL_LANES * TL_LANES;
    }
}

static bool sort_for_forces(tl_link_set *set, const tl_allocator *allocator, int *key, int *order)
{
    for (int n = 0; n < set->piece_count; ++n)
        key[n] = set->i[set->piece[n].first];
    if (!tl_sort_by_key(allocator, key, set->piece_count, order))
        return false;
    for (int n = 0; n < set->piece_count; ++n)
        set->force_order[n] = set->piece[order[n]];
    return true;
}

static bool build_with(tl_link_set *set, const tl_allocator *allocator, tl_link *links, int count, int particle_count,
                       tl_link *left, int *scratch)
{
    if (count > 0) /* links may be NULL then */
        qsort(links, (size_t)count, sizeof *links, compare_links);
    int left_count = 0;
    int *colour = scratch;
    for (int first = 0; first < count;) {
        int end = class_end(links, first, count);
        colour_chains(links, first, end, colour);
        for (int wanted = 0; wanted < 2; ++wanted)
            left_count = put_runs_of_colour(set, links, colour, wanted, first, end, left, left_count);
        first = end;
    }
    if (!put_gathered(set, allocator, left, left_count, particle_count, scratch))
        return false;
    give_slots(set);
    return sort_for_forces(set, allocator, scratch, scratch + count);
}

static bool allocate_set(tl_link_set *set, const tl_allocator *allocator, int count)
{
    size_t padded = (size_t)tl_padded(count), size = (size_t)count;
    set->i = tl_allocate(allocator, padded, sizeof *set->i);
    set->j = tl_allocate(allocator, padded, sizeof *set->j);
    set->rest = tl_allocate(allocator, padded, sizeof *set->rest);
    set->weight = tl_allocate(allocator, padded, sizeof *set->weight);
    set->colour_first = tl_allocate(allocator, size + 1, sizeof *set->colour_first);
    set->piece = tl_allocate(allocator, size, sizeof *set->piece);
    set->force_order = tl_allocate(allocator, size, sizeof *set->force_order);
    return set->i && set->j && set->rest && set->weight && set->colour_first && set->piece && set->force_order;
}

/* Shrinks the arrays, allocated for the worst case of one piece per link. */
static bool shrink(const tl_allocator *allocator, void **list, size_t count, size_t size)
{
    void *exact = tl_allocate(allocator, count, size);
    if (!exact)
        return false;
    char *to = exact;
    const char *from = *list;
    for (size_t k = 0; k < count * size; ++k)
        to[k] = from[k];
    tl_release(allocator, *list);
    *list = exact;
    return true;
}

static bool shrink_set(tl_link_set *set, const tl_allocator *allocator)
{
    size_t pieces = (size_t)set->piece_count;
    void *first = set->colour_first, *piece = set->piece, *order = set->force_order;
    bool done = shrink(allocator, &first, (size_t)set->colour_count + 1, sizeof *set->colour_first) &&
                shrink(allocator, &piece, pieces, sizeof *set->piece) &&
                shrink(allocator, &order, pieces, sizeof *set->force_order);
    set->colour_first = first;
    set->piece = piece;
    set->force_order = order;
    return done;
}

bool tl_link_set_build(tl_link_set *set, const tl_allocator *allocator, tl_link *links, int count, int particle_count)
{
    *set = (tl_link_set){0};
    tl_link *left = tl_allocate(allocator, (size_t)count, sizeof *left);
    int *scratch = tl_allocate(allocator, 2 * (size_t)count, sizeof *scratch);
    bool done = left && scratch && allocate_set(set, allocator, count) &&
                build_with(set, allocator, links, count, particle_count, left, scratch) && shrink_set(set, allocator);
    tl_release(allocator, left);
    tl_release(allocator, scratch);
    if (!done)
        tl_link_set_destroy(set, allocator);
    return done;
}

void tl_link_set_destroy(tl_link_set *set, const tl_allocator *allocator)
{
    tl_release(allocator, set->i);
    tl_release(allocator, set->j);
    tl_release(allocator, set->rest);
    tl_release(allocator, set->weight);
    tl_release(allocator, set->colour_first);
    tl_release(allocator, set->piece);
    tl_release(allocator, set->force_order);
    *set = (tl_link_set){0};
}

size_t tl_link_set_bytes(const tl_link_set *set)
{
    size_t padded = (size_t)tl_padded(set->count);
    return padded * 2 * (sizeof *set->i + sizeof *set->rest) + ((size_t)set->colour_count + 1) * sizeof(int) +
           2 * (size_t)set->piece_count * sizeof *set->piece;
}
