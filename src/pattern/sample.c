/* Outlines as vertices. Every edge is cut at the ends of its seams into intervals; an interval has
   max(1, round(length / h)) segments, even by arc length. The two sides of a seam have the same number, that of the
   longer, so gathers and ease come by themselves. Intervals below 0.4 h become a single vertex, at the sharpest of the
   corners that fall together, unless too many of them would follow each other. */
#include <math.h>

#include "core/trig.h"
#include "pattern/mesher.h"

#define SHORTEST 0.4     /* edge lengths: shorter intervals are one vertex */
#define LONGEST_JOIN 0.6 /* edge lengths that may fall together in one vertex */
#define WIDEST_TURN 0.4  /* radians that one segment may stand for: a curve remains one */

int tl_outline_next(const tl_outline *outline, int i)
{
    const tl_interval *at = &outline->interval[i];
    const tl_interval *next = at + 1;
    if (i + 1 < outline->count && next->panel == at->panel && next->loop == at->loop)
        return i + 1;
    while (i > 0 && outline->interval[i - 1].panel == at->panel && outline->interval[i - 1].loop == at->loop)
        --i;
    return i;
}

/* ---- intervals ------------------------------------------------------------------------------------------------- */

typedef struct sewn {
    int stitch, side;
    double from, to;
} sewn;

/* The stitched ranges of an edge, ascending; at most `room`. */
static int sewn_ranges(const tl_pattern *pattern, int panel, int edge, sewn *found, int room)
{
    int count = 0;
    for (int i = 0; i < 2 * pattern->def.stitch_count; ++i) {
        const tl_stitch_side *side = &pattern->def.stitch[i / 2].side[i % 2];
        if (side->panel != panel || side->edge != edge || count == room)
            continue;
        int at = count++;
        for (; at > 0 && found[at - 1].from > side->range[0]; --at)
            found[at] = found[at - 1];
        found[at] = (sewn){i / 2, i % 2, side->range[0], side->range[1]};
    }
    return count;
}

static void add_interval(tl_outline *outline, const tl_pattern *pattern, tl_interval interval)
{
    interval.length = (interval.to - interval.from) * pattern->edge_length[interval.panel][interval.edge];
    interval.partner = -1;
    outline->interval[outline->count++] = interval;
}

static void cut_edge(tl_outline *outline, const tl_pattern *pattern, int panel, int loop, int edge, sewn *found,
                     int room)
{
    int count = sewn_ranges(pattern, panel, edge, found, room);
    double at = 0;
    tl_interval plain = {.panel = panel, .loop = loop, .edge = edge, .stitch = -1};
    for (int k = 0; k < count; ++k) {
        plain.from = at;
        plain.to = found[k].from;
        if (plain.to > plain.from)
            add_interval(outline, pattern, plain);
        tl_interval seam = plain;
        seam.from = found[k].from;
        seam.to = at = found[k].to;
        seam.stitch = found[k].stitch;
        seam.side = found[k].side;
        add_interval(outline, pattern, seam);
    }
    plain.from = at;
    plain.to = 1;
    if (at < 1)
        add_interval(outline, pattern, plain);
}

static tl_result cut_edges(const tl_pattern *pattern, tl_store *store, tl_outline *outline, tl_error *error)
{
    int sides = 2 * pattern->def.stitch_count, edges = 0;
    for (int p = 0; p < pattern->def.panel_count; ++p)
        edges += pattern->def.panel[p].edge_count;
    outline->interval = tl_store_take(store, (size_t)edges + 2 * (size_t)sides, sizeof *outline->interval);
    outline->panel_first = tl_store_take(store, (size_t)pattern->def.panel_count + 1, sizeof(int));
    sewn *found = tl_store_take(store, (size_t)sides, sizeof *found);
    int *of_side = tl_store_take(store, (size_t)sides, sizeof *of_side);
    if (!outline->interval || !outline->panel_first || !found || !of_side)
        return tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
    for (int p = 0; p < pattern->def.panel_count; ++p) {
        const tl_panel_loops *loops = &pattern->loops[p];
        for (int loop = 0; loop < loops->count; ++loop)
            for (int e = loops->first[loop]; e < loops->first[loop + 1]; ++e)
                cut_edge(outline, pattern, p, loop, e, found, sides);
        outline->panel_first[p + 1] = outline->count;
    }
    for (int i = 0; i < outline->count; ++i)
        if (outline->interval[i].stitch >= 0)
            of_side[2 * outline->interval[i].stitch + outline->interval[i].side] = i;
    for (int s = 0; s < sides; ++s)
        outline->interval[of_side[s]].partner = of_side[s ^ 1];
    return TL_OK;
}

/* ---- numbers of segments ----------------------------------------------------------------------------------------- */

static double angle_between(const double a[2], const double b[2])
{
    return fabs(tl_atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]));
}

/* Radians through which the edge turns, at most. */
static double turning_of(const tl_pattern *pattern, const tl_interval *interval)
{
    tl_edge_curve curve;
    tl_edge_curve_make(&pattern->def.panel[interval->panel], interval->edge, &curve);
    if (curve.kind == TL_CURVE_LINE)
        return 0;
    double turning = fabs(curve.sweep);
    int last = curve.kind == TL_CURVE_QUADRATIC ? 2 : 3;
    for (int k = 1; k < last && curve.kind != TL_CURVE_CIRCLE; ++k) {
        double a[2], b[2];
        for (int c = 0; c < 2; ++c) {
            a[c] = curve.point[k][c] - curve.point[k - 1][c];
            b[c] = curve.point[k + 1][c] - curve.point[k][c];
        }
        turning += angle_between(a, b);
    }
    return turning * (interval->to - interval->from);
}

static int segments_of(const tl_pattern *pattern, const tl_interval *interval, double edge)
{
    double straight = floor(interval->length / edge + 0.5), curved = ceil(turning_of(pattern, interval) / WIDEST_TURN);
    double most = fmax(1, fmax(straight, fmin(curved, floor(interval->length / (SHORTEST * edge)))));
    return most < 1e6 ? (int)most : 1000000;
}

/* Length that would fall together at this interval if it had no segments. */
static double joined_length(const tl_outline *outline, int i)
{
    double sum = outline->interval[i].length;
    for (int k = tl_outline_next(outline, i); k != i && outline->interval[k].segments == 0;
         k = tl_outline_next(outline, k))
        sum += outline->interval[k].length;
    /* backwards: the loop is walked once, remembering the run of empty intervals before i */
    double run = 0;
    for (int k = tl_outline_next(outline, i); k != i; k = tl_outline_next(outline, k))
        run = outline->interval[k].segments == 0 ? run + outline->interval[k].length : 0;
    return sum + run;
}

static int loop_segments(const tl_outline *outline, int i)
{
    int sum = outline->interval[i].segments;
    for (int k = tl_outline_next(outline, i); k != i; k = tl_outline_next(outline, k))
        sum += outline->interval[k].segments;
    return sum;
}

static void count_segments(const tl_pattern *pattern, double edge, tl_outline *outline)
{
    for (int i = 0; i < outline->count; ++i)
        outline->interval[i].segments = segments_of(pattern, &outline->interval[i], edge);
    for (int i = 0; i < outline->count; ++i) {
        tl_interval *a = &outline->interval[i], *b = a->partner >= 0 ? &outline->interval[a->partner] : a;
        if (b->segments > a->segments)
            a->segments = b->segments; /* and the other way round at the partner's own turn */
    }
    for (int i = 0; i < outline->count; ++i) {
        tl_interval *a = &outline->interval[i], *b = a->partner >= 0 ? &outline->interval[a->partner] : a;
        if (a->partner < i && a->partner >= 0)
            continue;
        double longer = fmax(a->length, b->length);
        if (longer >= SHORTEST * edge || loop_segments(outline, i) < 4 ||
            (b != a && loop_segments(outline, a->partner) < 4))
            continue;
        if (joined_length(outline, i) <= LONGEST_JOIN * edge &&
            (b == a || joined_length(outline, a->partner) <= LONGEST_JOIN * edge))
            a->segments = b->segments = 0;
    }
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

static void point_at(const tl_pattern *pattern, const tl_interval *interval, double part, double point[2])
{
    double fraction = part <= 0   ? interval->from
                      : part >= 1 ? interval->to
                                  : interval->from + part * (interval->to - interval->from);
    tl_pattern_edge_point(pattern, interval->panel, interval->edge, fraction, point);
}

/* How sharp the corner between two intervals is: 0 straight on, 2 right back. */
static double sharpness(const tl_pattern *pattern, const tl_interval *before, const tl_interval *after)
{
    double a[2], o[2], b[2];
    point_at(pattern, before, 0.75, a);
    point_at(pattern, after, 0, o);
    point_at(pattern, after, 0.25, b);
    for (int k = 0; k < 2; ++k) {
        a[k] = o[k] - a[k];
        b[k] -= o[k];
    }
    double size = sqrt((a[0] * a[0] + a[1] * a[1]) * (b[0] * b[0] + b[1] * b[1]));
    return size > 0 ? 1 - (a[0] * b[0] + a[1] * b[1]) / size : 0;
}

/* Where the vertex at the start of interval i goes: the sharpest of the corners that fall together there. */
static void place_corner(const tl_pattern *pattern, const tl_outline *outline, int before, int i, double point[2])
{
    double best = -1;
    for (;; before = i, i = tl_outline_next(outline, i)) {
        double sharp = sharpness(pattern, &outline->interval[before], &outline->interval[i]);
        if (sharp > best) {
            best = sharp;
            point_at(pattern, &outline->interval[i], 0, point);
        }
        if (outline->interval[i].segments > 0)
            return;
    }
}

/* Vertices of the loop that starts at interval `begin`; numbers are the panel's. */
static void place_loop(const tl_pattern *pattern, tl_outline *outline, int begin, int *vertex_count, double (*point)[2])
{
    /* from an interval that follows one with segments, so that no run of empty ones is cut */
    int before = begin;
    while (outline->interval[before].segments == 0)
        before = tl_outline_next(outline, before);
    int start = tl_outline_next(outline, before), i = start, first = *vertex_count, here = -1;
    do {
        tl_interval *at = &outline->interval[i];
        if (here < 0) {
            here = (*vertex_count)++;
            place_corner(pattern, outline, before, i, point[here]);
        }
        outline->vertex[at->first] = here;
        for (int k = 1; k < at->segments; ++k) {
            point_at(pattern, at, (double)k / at->segments, point[*vertex_count]);
            outline->vertex[at->first + k] = (*vertex_count)++;
        }
        int next = tl_outline_next(outline, i);
        if (at->segments > 0) {
            here = -1;
            outline->vertex[at->first + at->segments] = next == start ? first : *vertex_count;
        }
        before = i;
        i = next;
    } while (i != start);
}

static tl_result place_vertices(const tl_pattern *pattern, double edge, tl_store *store, tl_outline *outline,
                                tl_error *error)
{
    int64_t vertices = 0;
    for (int i = 0; i < outline->count; ++i)
        vertices += outline->interval[i].segments + 1;
    if (vertices > 4000000)
        return tl_fail(error, TL_ERROR_INPUT, "outlines of %lld vertices: the edge is too short for this pattern",
                       (long long)vertices);
    outline->vertex = tl_store_take(store, (size_t)vertices, sizeof *outline->vertex);
    outline->point = tl_store_take(store, (size_t)vertices, sizeof *outline->point);
    outline->point_first = tl_store_take(store, (size_t)pattern->def.panel_count + 1, sizeof(int));
    if (!outline->vertex || !outline->point || !outline->point_first)
        return tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
    for (int i = 0, first = 0; i < outline->count; first += outline->interval[i++].segments + 1)
        outline->interval[i].first = first;
    for (int p = 0; p < pattern->def.panel_count; ++p) {
        int count = 0;
        for (int i = outline->panel_first[p], next; i < outline->panel_first[p + 1]; i = next) {
            for (next = i + 1;
                 next < outline->panel_first[p + 1] && outline->interval[next].loop == outline->interval[i].loop;)
                ++next;
            int segments = loop_segments(outline, i);
            if (segments < 3)
                return tl_fail(error, TL_ERROR_INPUT,
                               "panel '%s', edge %d: this outline is too small for triangles of %g mm",
                               pattern->def.panel[p].name, outline->interval[i].edge, 1000 * edge);
            place_loop(pattern, outline, i, &count, outline->point + outline->point_first[p]);
        }
        outline->point_first[p + 1] = outline->point_first[p] + count;
    }
    return TL_OK;
}

tl_result tl_outline_make(const tl_pattern *pattern, double edge, tl_store *store, tl_outline *outline, tl_error *error)
{
    tl_result result = cut_edges(pattern, store, outline, error);
    if (result)
        return result;
    count_segments(pattern, edge, outline);
    return place_vertices(pattern, edge, store, outline, error);
}
