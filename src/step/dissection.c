#include "step/dissection.h"

#include <stdlib.h>
#include <string.h>

/* Pieces of at most this many particles are not cut: their part of the factor is almost full. */
enum { SMALLEST_CUT = 24 };
/* A cut leaves at least 3/8 of a piece on either side; tried along each axis with so many bisections. */
enum { BISECTIONS = 24 };

typedef struct cutting {
    tl_dissection *d;
    const tl_rows *rows;
    const tl_vec3 *position;
    int *side;  /* per particle: 2 n or 2 n + 1 after the nth cut of its piece, below it or not */
    int *moved; /* working memory */
    int cuts;
} cutting;

static tl_real along(const cutting *c, int i, int axis)
{
    const tl_vec3 *x = &c->position[i];
    return axis == 0 ? x->x : axis == 1 ? x->y : x->z;
}

/* ---- the cuts --------------------------------------------------------------------------------------------------- */

/* Where to cut a piece along an axis, so that both sides are near halves. False: too many particles lie in one plane.
 */
static bool find_cut(const cutting *c, const int *piece, int size, int axis, tl_real *where)
{
    tl_real low = along(c, piece[0], axis), high = low;
    for (int k = 1; k < size; ++k) {
        low = tl_min(low, along(c, piece[k], axis));
        high = tl_max(high, along(c, piece[k], axis));
    }
    for (int n = 0; n < BISECTIONS; ++n) {
        int below = 0;
        *where = low + (high - low) / 2;
        for (int k = 0; k < size; ++k)
            below += along(c, piece[k], axis) < *where;
        if (below < size - 5 * (size / 8))
            low = *where;
        else if (below > 5 * (size / 8))
            high = *where;
        else
            return true;
    }
    return false;
}

/* Axes by extent, the longest first. */
static void sort_axes(const cutting *c, const int *piece, int size, int axis[3])
{
    tl_vec3 low = c->position[piece[0]], high = low;
    for (int k = 1; k < size; ++k) {
        tl_vec3 x = c->position[piece[k]];
        low = tl_v3(tl_min(low.x, x.x), tl_min(low.y, x.y), tl_min(low.z, x.z));
        high = tl_v3(tl_max(high.x, x.x), tl_max(high.y, x.y), tl_max(high.z, x.z));
    }
    const tl_real extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
    axis[0] = extent[1] > extent[0] ? 1 : 0;
    axis[0] = extent[2] > extent[axis[0]] ? 2 : axis[0];
    axis[1] = (axis[0] + 1) % 3;
    axis[2] = (axis[0] + 2) % 3;
    if (extent[axis[2]] > extent[axis[1]]) {
        int swap = axis[1];
        axis[1] = axis[2];
        axis[2] = swap;
    }
}

/* Marks the sides of a piece's particles. Those that no plane parts are cut in the order in which they are listed. */
static int mark_sides(cutting *c, const int *piece, int size)
{
    int axis[3], below = 2 * ++c->cuts;
    tl_real where;
    sort_axes(c, piece, size, axis);
    for (int n = 0; n < 3; ++n)
        if (find_cut(c, piece, size, axis[n], &where)) {
            for (int k = 0; k < size; ++k)
                c->side[piece[k]] = below + !(along(c, piece[k], axis[n]) < where);
            return below;
        }
    for (int k = 0; k < size; ++k)
        c->side[piece[k]] = below + (k >= size / 2);
    return below;
}

static bool touches(const cutting *c, int i, int side)
{
    for (int k = c->rows->start[i] + 1; k < c->rows->start[i + 1]; ++k)
        if (c->side[c->rows->column[k]] == side)
            return true;
    return false;
}

/* Reorders the piece: below the cut, above it, and the separator, which is the thinner border. */
static void separate(cutting *c, int *piece, int size, int *lower, int *upper)
{
    int below = mark_sides(c, piece, size), border[2] = {0, 0};
    for (int k = 0; k < size; ++k) {
        int side = c->side[piece[k]] - below;
        border[side] += touches(c, piece[k], below + 1 - side);
    }
    int thin = border[1] < border[0], count[3] = {0, 0, 0}, at[3];
    for (int pass = 0; pass < 2; ++pass) { /* counts, then lists */
        for (int k = 0; k < size; ++k) {
            int side = c->side[piece[k]] - below;
            int to = side == thin && touches(c, piece[k], below + 1 - side) ? 2 : side;
            if (pass == 1)
                c->moved[at[to]++] = piece[k];
            else
                ++count[to];
        }
        at[0] = 0;
        at[1] = count[0];
        at[2] = count[0] + count[1];
    }
    memcpy(piece, c->moved, (size_t)size * sizeof *piece);
    *lower = count[0];
    *upper = count[1];
}

static void add_part(tl_dissection *d, int first, int pieces)
{
    d->first[d->parts] = first;
    d->pieces[d->parts++] = pieces;
}

/* Ranks first … first + size - 1. Each level is at most 5/8 of the one above: a few dozen at most. */
static void cut(cutting *c, int first, int size)
{
    int lower, upper;
    if (size <= SMALLEST_CUT) {
        add_part(c->d, first, 0);
        return;
    }
    separate(c, c->d->order + first, size, &lower, &upper);
    if (lower > 0)
        cut(c, first, lower);
    if (upper > 0)
        cut(c, first + lower, upper);
    add_part(c->d, first + lower + upper, (lower > 0) + (upper > 0));
}

/* ---- what couples with what ------------------------------------------------------------------------------------- */

static int compare_ints(const void *a, const void *b)
{
    int p = *(const int *)a, q = *(const int *)b;
    return (p > q) - (p < q);
}

static bool add_row(tl_dissection *d, int rank, int part, int *seen, const tl_allocator *allocator)
{
    int *count = &d->row_start[part + 1];
    if (rank < d->first[part + 1] || seen[rank] == part + 1)
        return true;
    if (!tl_grow(allocator, &d->row, *count, &d->row_capacity, sizeof *d->row))
        return false;
    seen[rank] = part + 1;
    d->row[(*count)++] = rank;
    return true;
}

/* Later neighbours of a part's particles, and what its pieces couple with. `stack` lists the parts still to be met. */
static bool list_rows(tl_dissection *d, const tl_rows *rows, int *seen, int *stack, const tl_allocator *allocator)
{
    int height = 0;
    for (int s = 0; s < d->parts; ++s) {
        bool done = true;
        d->row_start[s + 1] = d->row_start[s];
        for (int r = d->first[s]; r < d->first[s + 1]; ++r) {
            int i = d->order[r];
            for (int k = rows->start[i] + 1; k < rows->start[i + 1] && done; ++k)
                done = add_row(d, d->rank[rows->column[k]], s, seen, allocator);
        }
        for (int n = 0; n < d->pieces[s]; ++n) {
            int piece = stack[--height];
            for (int k = d->row_start[piece]; k < d->row_start[piece + 1] && done; ++k)
                done = add_row(d, d->row[k], s, seen, allocator);
        }
        if (!done)
            return false;
        int count = d->row_start[s + 1] - d->row_start[s];
        if (count > 0)
            qsort(d->row + d->row_start[s], (size_t)count, sizeof *d->row, compare_ints);
        stack[height++] = s;
    }
    return true;
}

bool tl_dissect(tl_dissection *d, const tl_rows *rows, int count, const tl_vec3 *position,
                const tl_allocator *allocator)
{
    /* every cut that leaves one piece has a separator: fewer than two parts a particle, and one more */
    size_t most = 2 * (size_t)count + 2;
    *d = (tl_dissection){.count = count};
    d->order = tl_allocate(allocator, (size_t)count, sizeof(int));
    d->rank = tl_allocate(allocator, (size_t)count, sizeof(int));
    d->first = tl_allocate(allocator, most, sizeof(int));
    d->pieces = tl_allocate(allocator, most, sizeof(int));
    d->row_start = tl_allocate(allocator, most, sizeof(int));
    int *side = tl_allocate(allocator, (size_t)count, sizeof(int));
    int *moved = tl_allocate(allocator, most, sizeof(int));
    bool done = d->order && d->rank && d->first && d->pieces && d->row_start && side && moved;
    if (done) {
        cutting c = {.d = d, .rows = rows, .position = position, .side = side, .moved = moved};
        for (int i = 0; i < count; ++i)
            d->order[i] = i;
        cut(&c, 0, count);
        d->first[d->parts] = count;
        for (int r = 0; r < count; ++r)
            d->rank[d->order[r]] = r;
        memset(side, 0, (size_t)count * sizeof *side);
        done = list_rows(d, rows, side, moved, allocator);
    }
    tl_release(allocator, side);
    tl_release(allocator, moved);
    return done;
}

void tl_dissection_destroy(tl_dissection *d, const tl_allocator *allocator)
{
    tl_release(allocator, d->order);
    tl_release(allocator, d->rank);
    tl_release(allocator, d->first);
    tl_release(allocator, d->pieces);
    tl_release(allocator, d->row_start);
    tl_release(allocator, d->row);
    *d = (tl_dissection){0};
}

size_t tl_dissection_bytes(const tl_dissection *d)
{
    return (2 * (size_t)d->count + 3 * (2 * (size_t)d->count + 2) + (size_t)d->row_capacity) * sizeof(int);
}
