/* Outlines of panels: edges are chained to closed loops, and sampled loops are tested for crossings, exactly, on the
   grid of the triangulation. */
#include <math.h>

#include "mesh/delaunay.h"
#include "pattern/grid_frame.h"
#include "pattern/pattern.h"

enum { CURVE_SAMPLES = 24, MOST_SAMPLES = 24576 };

int tl_panel_next_edge(const tl_panel_loops *loops, int edge)
{
    int k = 0;
    while (loops->first[k + 1] <= edge)
        ++k;
    return edge + 1 < loops->first[k + 1] ? edge + 1 : loops->first[k];
}

int tl_panel_previous_edge(const tl_panel_loops *loops, int edge)
{
    int k = 0;
    while (loops->first[k + 1] <= edge)
        ++k;
    return edge > loops->first[k] ? edge - 1 : loops->first[k + 1] - 1;
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

static tl_result chain_edges(const tl_panel_def *panel, tl_panel_loops *loops, tl_store *store, tl_error *error)
{
    loops->first = tl_store_take(store, (size_t)panel->edge_count + 1, sizeof *loops->first);
    int *uses = tl_store_take(store, (size_t)panel->vertex_count, sizeof *uses);
    if (!loops->first || !uses)
        return tl_fail(error, TL_ERROR_MEMORY, "panel '%s': out of memory", panel->name);
    loops->count = 0;
    int begin = 0;
    for (int e = 0; e < panel->edge_count; ++e) {
        const tl_pattern_edge_def *edge = &panel->edge[e];
        if (uses[edge->start]++)
            return tl_fail(error, TL_ERROR_INPUT, "panel '%s', edge %d: the outline passes vertex %d twice",
                           panel->name, e, edge->start);
        if (edge->end == panel->edge[begin].start) {
            loops->first[++loops->count] = begin = e + 1;
        } else if (e + 1 == panel->edge_count || panel->edge[e + 1].start != edge->end) {
            return tl_fail(error, TL_ERROR_INPUT,
                           "panel '%s', edge %d: the outline is open: it ends at vertex %d, the next edge starts at %d",
                           panel->name, e, edge->end,
                           e + 1 == panel->edge_count ? panel->edge[begin].start : panel->edge[e + 1].start);
        }
    }
    return TL_OK;
}

/* ---- crossings --------------------------------------------------------------------------------------------------- */

typedef struct sample {
    tl_planar_point at;
    int edge;
    int next;          /* sample after it in the loop */
    int32_t low, high; /* of the segment to the next in x */
} sample;

typedef struct samples {
    sample *all;
    int *order; /* by low */
    int count;
    double twice_area[2]; /* of the outline and of all holes, signed */
    int hole_wrong;       /* a hole that runs like the outline, −1 */
} samples;

static double twice_area_of(const double *a, const double *b) { return a[0] * b[1] - a[1] * b[0]; }

static tl_result take_samples(const tl_panel_def *panel, const tl_panel_loops *loops, tl_store *store, samples *s,
                              tl_error *error)
{
    int room = 0;
    for (int e = 0; e < panel->edge_count; ++e)
        room += panel->edge[e].curve == TL_CURVE_LINE ? 1 : CURVE_SAMPLES;
    if (room > MOST_SAMPLES)
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s': %d edges are too many", panel->name, panel->edge_count);
    double(*x)[2] = tl_store_take(store, (size_t)room, sizeof *x);
    s->all = tl_store_take(store, (size_t)room, sizeof *s->all);
    s->order = tl_store_take(store, (size_t)room, sizeof *s->order);
    if (!x || !s->all || !s->order)
        return tl_fail(error, TL_ERROR_MEMORY, "panel '%s': out of memory", panel->name);
    s->hole_wrong = -1;
    for (int loop = 0; loop < loops->count; ++loop) {
        int begin = s->count;
        for (int e = loops->first[loop]; e < loops->first[loop + 1]; ++e) {
            tl_edge_curve curve;
            tl_edge_curve_make(panel, e, &curve);
            int steps = panel->edge[e].curve == TL_CURVE_LINE ? 1 : CURVE_SAMPLES;
            for (int k = 0; k < steps; ++k, ++s->count) {
                tl_edge_curve_at(&curve, (double)k / steps, x[s->count]);
                s->all[s->count].edge = e;
                s->all[s->count].next = s->count + 1;
            }
        }
        s->all[s->count - 1].next = begin;
        double area = 0;
        for (int k = begin; k < s->count; ++k)
            area += twice_area_of(x[k], x[s->all[k].next]);
        s->twice_area[loop > 0] += area;
        if (loop > 0 && (area > 0) == (s->twice_area[0] > 0))
            s->hole_wrong = loop;
    }
    tl_grid_frame frame = tl_grid_frame_of((const double(*)[2])x, s->count);
    for (int k = 0; k < s->count; ++k)
        s->all[k].at = tl_grid_place(&frame, x[k]);
    for (int k = 0; k < s->count; ++k) {
        int32_t a = s->all[k].at.x, b = s->all[s->all[k].next].at.x;
        s->all[k].low = a < b ? a : b;
        s->all[k].high = a < b ? b : a;
    }
    return TL_OK;
}

/* Bottom-up merge sort by low: ties keep the order of the outline. */
static bool sort_samples(samples *s, tl_store *store)
{
    int *from = s->order, *to = tl_store_take(store, (size_t)s->count, sizeof *to);
    if (!to)
        return false;
    for (int k = 0; k < s->count; ++k)
        from[k] = k;
    for (int width = 1; width < s->count; width *= 2) {
        for (int begin = 0; begin < s->count; begin += 2 * width) {
            int middle = begin + width < s->count ? begin + width : s->count;
            int end = middle + width < s->count ? middle + width : s->count;
            for (int i = begin, j = middle, k = begin; k < end; ++k)
                to[k] = i < middle && (j >= end || s->all[from[i]].low <= s->all[from[j]].low) ? from[i++] : from[j++];
        }
        int *swap = from;
        from = to;
        to = swap;
    }
    s->order = from;
    return true;
}

static bool between(int32_t a, int32_t b, int32_t x) { return (a <= x && x <= b) || (b <= x && x <= a); }

/* Whether the point lies on the closed segment. */
static bool lies_on(tl_planar_point p, tl_planar_point a, tl_planar_point b)
{
    return tl_planar_orientation(a, b, p) == 0 && between(a.x, b.x, p.x) && between(a.y, b.y, p.y);
}

static bool segments_touch(const samples *s, int i, int j)
{
    int in = s->all[i].next, jn = s->all[j].next;
    tl_planar_point a = s->all[i].at, b = s->all[in].at, c = s->all[j].at, d = s->all[jn].at;
    if (in == j && jn == i)
        return false; /* cannot be: loops have three samples, or two arcs with many */
    if (in == j)
        return lies_on(d, a, b) || lies_on(a, c, d);
    if (jn == i)
        return lies_on(c, a, b) || lies_on(b, c, d);
    int abc = tl_planar_orientation(a, b, c), abd = tl_planar_orientation(a, b, d);
    int cda = tl_planar_orientation(c, d, a), cdb = tl_planar_orientation(c, d, b);
    if (abc * abd < 0 && cda * cdb < 0)
        return true;
    return lies_on(c, a, b) || lies_on(d, a, b) || lies_on(a, c, d) || lies_on(b, c, d);
}

static tl_result find_crossing(const tl_panel_def *panel, const samples *s, tl_error *error)
{
    for (int i = 0; i < s->count; ++i) {
        int a = s->order[i];
        for (int j = i + 1; j < s->count && s->all[s->order[j]].low <= s->all[a].high; ++j) {
            int b = s->order[j];
            if (!segments_touch(s, a, b))
                continue;
            int e = s->all[a].edge, f = s->all[b].edge;
            if (e == f)
                return tl_fail(error, TL_ERROR_INPUT,
                               "panel '%s', edge %d: the curve crosses or doubles back on itself", panel->name, e);
            return tl_fail(error, TL_ERROR_INPUT, "panel '%s', edge %d: the outline crosses or touches edge %d",
                           panel->name, e < f ? e : f, e < f ? f : e);
        }
    }
    return TL_OK;
}

/* Number of times that a ray from the sample crosses the outline: odd inside. */
static bool is_inside(const samples *s, int point, const tl_panel_loops *loops)
{
    tl_planar_point p = s->all[point].at;
    bool inside = false;
    for (int k = 0; k < s->count && s->all[k].edge < loops->first[1]; ++k) {
        tl_planar_point a = s->all[k].at, b = s->all[s->all[k].next].at;
        if ((a.y > p.y) == (b.y > p.y))
            continue;
        int side = tl_planar_orientation(a, b, p);
        if ((b.y > a.y) == (side > 0))
            inside = !inside;
    }
    return inside;
}

static tl_result check_holes(const tl_panel_def *panel, const tl_panel_loops *loops, const samples *s, tl_error *error)
{
    for (int loop = 1; loop < loops->count; ++loop)
        for (int k = 0; k < s->count; ++k)
            if (s->all[k].edge == loops->first[loop]) {
                if (!is_inside(s, k, loops))
                    return tl_fail(error, TL_ERROR_INPUT, "panel '%s', edge %d: this hole is not inside the outline",
                                   panel->name, loops->first[loop]);
                break;
            }
    if (s->hole_wrong >= 0)
        return tl_fail(error, TL_ERROR_INPUT,
                       "panel '%s', edge %d: this hole runs the same way round as the outline, it must run the other",
                       panel->name, loops->first[s->hole_wrong]);
    return TL_OK;
}

tl_result tl_panel_loops_make(const tl_panel_def *panel, tl_store *store, tl_panel_loops *loops, tl_error *error)
{
    tl_store work = {.allocator = store->allocator};
    samples s = {0};
    tl_result result = chain_edges(panel, loops, store, error);
    if (!result)
        result = take_samples(panel, loops, &work, &s, error);
    if (!result && !sort_samples(&s, &work))
        result = tl_fail(error, TL_ERROR_MEMORY, "panel '%s': out of memory", panel->name);
    if (!result)
        result = find_crossing(panel, &s, error);
    if (!result)
        result = check_holes(panel, loops, &s, error);
    if (!result) {
        loops->orientation = s.twice_area[0] > 0 ? 1 : -1;
        loops->area = (fabs(s.twice_area[0]) - fabs(s.twice_area[1])) / 2;
    }
    tl_store_release(&work);
    return result;
}
