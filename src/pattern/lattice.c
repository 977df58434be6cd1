/* Interior points of a panel: a lattice of equal triangles (or squares) with its rows along the lengthwise yarn, about
   the middle of the panel, so that a mirrored panel gets the mirrored lattice. Points that are outside, or nearer to
   the outline or a line than 0.62 of the side, are left out: then the triangles in between have good angles. */
#include <math.h>

#include "pattern/mesher.h"

#define NEAREST 0.62 /* sides */

typedef struct lattice {
    double middle[2]; /* of the panel, along and across the rows */
    double side, height;
    int columns, rows; /* on each side of the middle */
    int width;         /* 2 columns + 2: rows that are shifted have one more */
    bool squares;
    uint8_t *state; /* per point: OUTSIDE, INSIDE, and NEAR added to it */
} lattice;

enum { INSIDE = 1, NEAR = 2, MOST_POINTS = 1 << 24 };

static double along(const tl_flat_mesh *flat, const double p[2])
{
    return p[0] * flat->grain[0] + p[1] * flat->grain[1];
}
static double across(const tl_flat_mesh *flat, const double p[2])
{
    return p[1] * flat->grain[0] - p[0] * flat->grain[1];
}

static double shift_of(const lattice *l, int row) { return !l->squares && row % 2 != 0 ? 0.5 : 0; }

static double u_of(const lattice *l, int row, int column)
{
    return l->middle[0] + (column + shift_of(l, row)) * l->side;
}

static double v_of(const lattice *l, int row) { return l->middle[1] + row * l->height; }

static uint8_t *state_of(const lattice *l, int row, int column)
{
    return &l->state[(size_t)(row + l->rows) * (size_t)l->width + (size_t)(column + l->columns)];
}

static int first_column(const lattice *l, int row, double u)
{
    double c = ceil((u - l->middle[0]) / l->side - shift_of(l, row));
    return c < -l->columns ? -l->columns : c > l->columns + 1 ? l->columns + 2 : (int)c;
}

static int first_row(const lattice *l, double v)
{
    double r = ceil((v - l->middle[1]) / l->height);
    return r < -l->rows ? -l->rows : r > l->rows ? l->rows + 1 : (int)r;
}

static double distance_to(double u, double v, const double a[2], const double b[2])
{
    double eu = b[0] - a[0], ev = b[1] - a[1], square = eu * eu + ev * ev;
    double t = square > 0 ? ((u - a[0]) * eu + (v - a[1]) * ev) / square : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double du = u - a[0] - t * eu, dv = v - a[1] - t * ev;
    return sqrt(du * du + dv * dv);
}

/* Marks what is near a segment, and, for borders, toggles all points of each row beyond it. */
static void mark_segment(const lattice *l, const double a[2], const double b[2], bool border)
{
    double reach = NEAREST * l->side, low = fmin(a[1], b[1]), high = fmax(a[1], b[1]);
    double left = fmin(a[0], b[0]), right = fmax(a[0], b[0]);
    for (int r = first_row(l, low - reach); r <= l->rows && v_of(l, r) <= high + reach; ++r)
        for (int c = first_column(l, r, left - reach); c <= l->columns + 1 && u_of(l, r, c) <= right + reach; ++c)
            if (distance_to(u_of(l, r, c), v_of(l, r), a, b) < reach)
                *state_of(l, r, c) |= NEAR;
    for (int r = first_row(l, low); border && r <= l->rows && v_of(l, r) <= high; ++r) {
        double v = v_of(l, r);
        if ((a[1] > v) == (b[1] > v))
            continue;
        double u = a[0] + (v - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        int c = first_column(l, r, u);
        if (c <= l->columns + 1)
            *state_of(l, r, c) ^= INSIDE; /* summed up along the row later */
    }
}

static tl_result make_lattice(const tl_flat_mesh *flat, tl_store *store, lattice *l, tl_error *error)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < flat->outline_count; ++i) {
        double p[2] = {along(flat, flat->point[i]), across(flat, flat->point[i])};
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], p[k]);
            high[k] = fmax(high[k], p[k]);
        }
    }
    *l = (lattice){.side = flat->edge, .squares = flat->squares};
    l->height = flat->squares ? flat->edge : flat->edge * 0.86602540378443864676; /* √3 / 2 */
    double columns = (high[0] - low[0]) / 2 / l->side + 2, rows = (high[1] - low[1]) / 2 / l->height + 2;
    if (4 * columns * rows > MOST_POINTS)
        return tl_fail(error, TL_ERROR_INPUT, "more than %d vertices: the edge is too short for this pattern",
                       (int)MOST_POINTS);
    for (int k = 0; k < 2; ++k)
        l->middle[k] = (low[k] + high[k]) / 2;
    l->columns = (int)columns;
    l->rows = (int)rows;
    l->width = 2 * l->columns + 2;
    l->state = tl_store_take(store, (size_t)(2 * l->rows + 1), (size_t)l->width);
    return l->state ? TL_OK : tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
}

tl_result tl_lattice_fill(tl_flat_mesh *flat, tl_store *store, tl_error *error)
{
    lattice l;
    tl_result result = make_lattice(flat, store, &l, error);
    if (result)
        return result;
    for (int s = 0; s < flat->segment_count; ++s) {
        const tl_planar_segment *segment = &flat->segment[s];
        const double a[2] = {along(flat, flat->point[segment->a]), across(flat, flat->point[segment->a])};
        const double b[2] = {along(flat, flat->point[segment->b]), across(flat, flat->point[segment->b])};
        mark_segment(&l, a, b, segment->border);
    }
    int count = 0;
    for (int r = -l.rows; r <= l.rows; ++r)
        for (int c = -l.columns, inside = 0; c <= l.columns + 1; ++c) {
            uint8_t *state = state_of(&l, r, c);
            inside ^= *state & INSIDE;
            *state = (uint8_t)(inside && !(*state & NEAR));
            count += *state;
        }
    /* as many again may be added near the outline */
    flat->room = flat->fixed_count + count + flat->fixed_count * 2 + 64;
    double(*point)[2] = tl_store_take(store, (size_t)flat->room, sizeof *point);
    flat->row = tl_store_take(store, (size_t)flat->room, sizeof *flat->row);
    flat->column = tl_store_take(store, (size_t)flat->room, sizeof *flat->column);
    if (!point || !flat->row || !flat->column)
        return tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
    for (int i = 0; i < flat->fixed_count; ++i) {
        point[i][0] = flat->point[i][0];
        point[i][1] = flat->point[i][1];
        flat->row[i] = -1;
    }
    flat->point = point;
    flat->count = flat->fixed_count;
    for (int r = -l.rows; r <= l.rows; ++r)
        for (int c = -l.columns; c <= l.columns + 1; ++c) {
            if (!*state_of(&l, r, c))
                continue;
            double u = u_of(&l, r, c), v = v_of(&l, r);
            flat->point[flat->count][0] = u * flat->grain[0] - v * flat->grain[1];
            flat->point[flat->count][1] = u * flat->grain[1] + v * flat->grain[0];
            flat->row[flat->count] = r + l.rows;
            flat->column[flat->count++] = c + l.columns;
        }
    return TL_OK;
}
