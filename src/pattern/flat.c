/* One panel: triangulation of its points, and what improves their places. Vertices of outlines and lines never move.
   Points of the lattice near them go where the smallest angle around is largest, between their place and the middle of
   their neighbours; where a triangle remains bad, its centre of the circumscribed circle becomes a point (Chew 1993,
   without splitting borders), or a point that crowds others is dropped. */
#include <math.h>
#include <string.h>

#include "pattern/mesher.h"

enum { ROUNDS = 6 };

#define GOOD 0.883 /* cosine of 28°: sharper corners are worked on */

tl_result tl_flat_triangulate(tl_flat_mesh *flat, const tl_pattern *pattern, tl_store *store, tl_error *error)
{
    const char *name = pattern->def.panel[flat->panel].name;
    tl_grid_frame frame = tl_grid_frame_of((const double(*)[2])flat->point, flat->count);
    tl_planar_point *at = tl_store_take(store, (size_t)flat->count, sizeof *at);
    if (!at)
        return tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
    for (int i = 0; i < flat->count; ++i)
        at[i] = tl_grid_place(&frame, flat->point[i]);
    tl_planar_def def = {at, flat->count, flat->segment, flat->segment_count};
    tl_planar_result made;
    tl_result result = tl_triangulate(&def, &store->allocator, &made);
    if (result == TL_ERROR_MEMORY)
        return tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
    if (result)
        return tl_fail(error, TL_ERROR_INPUT,
                       "panel '%s': its outline and lines cross or touch when drawn with edges of %g mm; it is too "
                       "narrow there",
                       name, 1000 * flat->edge);
    flat->triangle_count = made.triangle_count;
    flat->triangle = tl_store_take(store, 3 * (size_t)made.triangle_count, sizeof(int));
    if (flat->triangle)
        memcpy(flat->triangle, made.triangle, 3 * (size_t)made.triangle_count * sizeof(int));
    tl_release(&store->allocator, made.triangle);
    return flat->triangle ? TL_OK : tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
}

/* ---- angles ------------------------------------------------------------------------------------------------------ */

/* The largest cosine of the three angles, 2 when the corners are not counter-clockwise. */
static double sharpest(const double *a, const double *b, const double *c)
{
    const double *p[3] = {a, b, c};
    double worst = -1;
    if (!((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0))
        return 2;
    for (int k = 0; k < 3; ++k) {
        const double *o = p[k], *s = p[(k + 1) % 3], *t = p[(k + 2) % 3];
        double u[2] = {s[0] - o[0], s[1] - o[1]}, v[2] = {t[0] - o[0], t[1] - o[1]};
        double size = sqrt((u[0] * u[0] + u[1] * u[1]) * (v[0] * v[0] + v[1] * v[1]));
        worst = fmax(worst, size > 0 ? (u[0] * v[0] + u[1] * v[1]) / size : 1);
    }
    return worst;
}

/* Half-edges around each vertex: half[first[v] … first[v + 1] − 1] start at v. */
typedef struct fans {
    int *first, *half;
} fans;

static bool make_fans(const tl_flat_mesh *flat, tl_store *store, fans *f)
{
    f->first = tl_store_take(store, (size_t)flat->count + 2, sizeof *f->first);
    f->half = tl_store_take(store, 3 * (size_t)flat->triangle_count, sizeof *f->half);
    if (!f->first || !f->half)
        return false;
    int *fill = f->first + 1;
    for (int h = 0; h < 3 * flat->triangle_count; ++h)
        ++fill[flat->triangle[h] + 1];
    for (int v = 0; v < flat->count; ++v)
        fill[v + 1] += fill[v];
    for (int h = 0; h < 3 * flat->triangle_count; ++h)
        f->half[fill[flat->triangle[h]]++] = h;
    return true;
}

/* The vertex `step` corners after the origin of the half-edge in its triangle. */
static int ahead(const tl_flat_mesh *flat, int half, int step)
{
    return flat->triangle[half / 3 * 3 + (half % 3 + step) % 3];
}

/* Sharpness around a vertex if it were at x. */
static double around(const tl_flat_mesh *flat, const fans *f, int v, const double x[2])
{
    double worst = -1;
    for (int k = f->first[v]; k < f->first[v + 1]; ++k)
        worst =
            fmax(worst, sharpest(x, flat->point[ahead(flat, f->half[k], 1)], flat->point[ahead(flat, f->half[k], 2)]));
    return worst;
}

/* ---- moving, adding, dropping ------------------------------------------------------------------------------------ */

/* Moves a vertex towards the middle of its neighbours as far as the sharpest angle around it gains. */
static void move_vertex(tl_flat_mesh *flat, const fans *f, int v)
{
    int neighbours = f->first[v + 1] - f->first[v];
    double middle[2] = {0, 0}, best = around(flat, f, v, flat->point[v]),
           from[2] = {flat->point[v][0], flat->point[v][1]};
    for (int k = f->first[v]; k < f->first[v + 1]; ++k)
        for (int c = 0; c < 2; ++c)
            middle[c] += flat->point[ahead(flat, f->half[k], 1)][c] / neighbours;
    for (int step = 1; step <= 5; ++step) {
        double part = 0.3 * step, x[2];
        for (int c = 0; c < 2; ++c)
            x[c] = from[c] + part * (middle[c] - from[c]);
        double now = around(flat, f, v, x);
        if (now < best - 1e-9) {
            best = now;
            flat->point[v][0] = x[0];
            flat->point[v][1] = x[1];
        }
    }
}

static double square_between(const double *a, const double *b)
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

/* Vertices that belong to two bad angles and crowd a neighbour are dropped; returns how many. */
static int drop_crowded(tl_flat_mesh *flat, const fans *f, bool *dropped, bool *locked)
{
    int count = 0;
    for (int v = flat->fixed_count; v < flat->count; ++v) {
        if (locked[v] || around(flat, f, v, flat->point[v]) < GOOD)
            continue;
        bool crowded = false;
        for (int k = f->first[v]; k < f->first[v + 1]; ++k)
            crowded |=
                square_between(flat->point[v], flat->point[ahead(flat, f->half[k], 1)]) < 0.3 * flat->edge * flat->edge;
        if (!crowded)
            continue;
        for (int k = f->first[v]; k < f->first[v + 1]; ++k)
            locked[ahead(flat, f->half[k], 1)] = true;
        dropped[v] = true;
        ++count;
    }
    return count;
}

static void squeeze(tl_flat_mesh *flat, const bool *dropped)
{
    int to = flat->fixed_count;
    for (int v = flat->fixed_count; v < flat->count; ++v)
        if (!dropped[v]) {
            memmove(flat->point[to], flat->point[v], sizeof flat->point[to]);
            flat->row[to] = flat->row[v];
            flat->column[to++] = flat->column[v];
        }
    flat->count = to;
}

static bool circumcentre(const double *a, const double *b, const double *c, double out[2])
{
    double u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {c[0] - a[0], c[1] - a[1]};
    double twice = 2 * (u[0] * v[1] - u[1] * v[0]), uu = u[0] * u[0] + u[1] * u[1], vv = v[0] * v[0] + v[1] * v[1];
    if (!(twice > 0))
        return false;
    out[0] = a[0] + (v[1] * uu - u[1] * vv) / twice;
    out[1] = a[1] + (u[0] * vv - v[0] * uu) / twice;
    return true;
}

/* Whether a point is on the inside and no nearer to an outline or line than what a good triangle needs. */
static bool has_room(const tl_flat_mesh *flat, const double x[2], double radius)
{
    bool inside = false;
    for (int s = 0; s < flat->segment_count; ++s) {
        const double *a = flat->point[flat->segment[s].a], *b = flat->point[flat->segment[s].b];
        double e[2] = {b[0] - a[0], b[1] - a[1]}, square = e[0] * e[0] + e[1] * e[1];
        double t = ((x[0] - a[0]) * e[0] + (x[1] - a[1]) * e[1]) / square;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double near[2] = {a[0] + t * e[0], a[1] + t * e[1]};
        if (square_between(x, near) < fmin(0.25 * square, radius * radius * 0.25))
            return false;
        if (flat->segment[s].border && (a[1] > x[1]) != (b[1] > x[1]) &&
            x[0] < a[0] + (x[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
            inside = !inside;
    }
    return inside;
}

/* Adds the centres of bad triangles that have room; returns how many. */
static int add_centres(tl_flat_mesh *flat)
{
    int before = flat->count;
    for (int t = 0; t < flat->triangle_count && flat->count < flat->room; ++t) {
        const int *v = flat->triangle + 3 * t;
        const double *a = flat->point[v[0]], *b = flat->point[v[1]], *c = flat->point[v[2]];
        double x[2];
        if (sharpest(a, b, c) < GOOD || !circumcentre(a, b, c, x))
            continue;
        double square = square_between(a, x);
        bool room = has_room(flat, x, sqrt(square));
        for (int k = before; k < flat->count && room; ++k)
            room = square_between(flat->point[k], x) > square;
        if (!room)
            continue;
        flat->row[flat->count] = -1;
        flat->point[flat->count][0] = x[0];
        flat->point[flat->count++][1] = x[1];
    }
    return flat->count - before;
}

tl_result tl_flat_improve(tl_flat_mesh *flat, const tl_pattern *pattern, tl_store *store, tl_error *error)
{
    tl_result result = tl_flat_triangulate(flat, pattern, store, error);
    for (int round = 0; round < ROUNDS && !result; ++round) {
        fans f;
        bool *dropped = tl_store_take(store, (size_t)flat->room, 1),
             *locked = tl_store_take(store, (size_t)flat->room, 1);
        if (!dropped || !locked || !make_fans(flat, store, &f))
            return tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
        int bad = 0;
        for (int v = flat->fixed_count; v < flat->count; ++v) {
            bool near = false;
            for (int k = f.first[v]; k < f.first[v + 1] && !near; ++k)
                near = ahead(flat, f.half[k], 1) < flat->fixed_count;
            if (near || around(flat, &f, v, flat->point[v]) >= GOOD)
                move_vertex(flat, &f, v);
        }
        for (int t = 0; t < flat->triangle_count; ++t)
            bad += sharpest(flat->point[flat->triangle[3 * t]], flat->point[flat->triangle[3 * t + 1]],
                            flat->point[flat->triangle[3 * t + 2]]) >= GOOD;
        if (bad > 0 && round % 2 == 0 && round + 1 < ROUNDS)
            add_centres(flat);
        else if (bad > 0 && round + 1 < ROUNDS && drop_crowded(flat, &f, dropped, locked) > 0)
            squeeze(flat, dropped);
        result = tl_flat_triangulate(flat, pattern, store, error);
        if (bad == 0)
            break;
    }
    return result;
}
