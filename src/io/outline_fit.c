/* Outlines from points. A run between two corners is a line when all points are within the tolerance of it, else one
   cubic Bézier curve fitted by least squares with parameters by chord length and tangents at its ends from the points
   (after P. J. Schneider, "An algorithm for automatically fitting digitized curves", Graphics Gems, 1990), halved where
   it is not good enough. */
#include "io/outline_fit.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 10 };

bool tl_outline_add(tl_store *store, tl_outline_draft *outline, const tl_outline_edge *edge)
{
    if (outline->count == outline->room) {
        int larger = outline->room ? 2 * outline->room : 16;
        tl_outline_edge *grown = tl_store_take(store, (size_t)larger, sizeof *grown);
        if (!grown)
            return false;
        if (outline->count > 0)
            memcpy(grown, outline->edges, (size_t)outline->count * sizeof *grown);
        outline->edges = grown;
        outline->room = larger;
    }
    outline->edges[outline->count++] = *edge;
    return true;
}

static double length_of(double x, double y) { return sqrt(x * x + y * y); }

/* ---- fitting ----------------------------------------------------------------------------------------------------- */

static double distance(const double *a, const double *b) { return length_of(a[0] - b[0], a[1] - b[1]); }

/* Unit tangent at a point towards those after it (step 1) or before it (−1), of the parabola through three. */
static void tangent_at(const double (*point)[2], int from, int step, double out[2])
{
    double d[2];
    for (int k = 0; k < 2; ++k)
        d[k] = -3 * point[from][k] + 4 * point[from + step][k] - point[from + 2 * step][k];
    double size = length_of(d[0], d[1]);
    out[0] = size > 0 ? d[0] / size : 1;
    out[1] = size > 0 ? d[1] / size : 0;
}

static void bezier(const double p[4][2], double t, double out[2])
{
    double s = 1 - t;
    for (int k = 0; k < 2; ++k)
        out[k] = s * s * s * p[0][k] + 3 * s * s * t * p[1][k] + 3 * s * t * t * p[2][k] + t * t * t * p[3][k];
}

/* Control points for the tangents, by least squares for given parameters of the points. */
static void solve(const double (*point)[2], const double *at, int count, double total, const double t0[2],
                  const double t1[2], double p[4][2])
{
    double c[2][2] = {{0, 0}, {0, 0}}, x[2] = {0, 0};
    for (int i = 0; i < count; ++i) {
        double t = at[i], s = 1 - t, b0 = s * s * (s + 3 * t), b3 = t * t * (t + 3 * s);
        double a0 = 3 * s * s * t, a1 = 3 * s * t * t, dot = t0[0] * t1[0] + t0[1] * t1[1];
        double rest[2] = {point[i][0] - b0 * p[0][0] - b3 * p[3][0], point[i][1] - b0 * p[0][1] - b3 * p[3][1]};
        c[0][0] += a0 * a0;
        c[0][1] += a0 * a1 * dot;
        c[1][1] += a1 * a1;
        x[0] += a0 * (t0[0] * rest[0] + t0[1] * rest[1]);
        x[1] += a1 * (t1[0] * rest[0] + t1[1] * rest[1]);
    }
    double determinant = c[0][0] * c[1][1] - c[0][1] * c[0][1];
    double u = determinant > 0 ? (x[0] * c[1][1] - x[1] * c[0][1]) / determinant : 0;
    double v = determinant > 0 ? (c[0][0] * x[1] - c[0][1] * x[0]) / determinant : 0;
    if (!(u > 0.02 * total && u < total))
        u = total / 3;
    if (!(v > 0.02 * total && v < total))
        v = total / 3;
    for (int k = 0; k < 2; ++k) {
        p[1][k] = p[0][k] + u * t0[k];
        p[2][k] = p[3][k] + v * t1[k];
    }
}

/* One step of Newton's towards the parameter whose point of the curve is nearest; returns that point's distance. */
static double approach(const double p[4][2], const double x[2], double *t)
{
    double at[2], first[2], second[2], s = 1 - *t, slope = 0, bend = 0;
    bezier(p, *t, at);
    for (int k = 0; k < 2; ++k) {
        first[k] = 3 * (s * s * (p[1][k] - p[0][k]) + 2 * s * *t * (p[2][k] - p[1][k]) + *t * *t * (p[3][k] - p[2][k]));
        second[k] = 6 * (s * (p[2][k] - 2 * p[1][k] + p[0][k]) + *t * (p[3][k] - 2 * p[2][k] + p[1][k]));
        slope += (at[k] - x[k]) * first[k];
        bend += first[k] * first[k] + (at[k] - x[k]) * second[k];
    }
    double better = bend > 0 ? *t - slope / bend : *t;
    *t = better > 0 && better < 1 ? better : *t;
    bezier(p, *t, at);
    return distance(at, x);
}

/* Fits a curve with these tangents; returns the largest distance from the points. */
static double fit_curve(const double (*point)[2], double *at, int count, const double t0[2], const double t1[2],
                        double p[4][2])
{
    enum { ROUNDS = 12 };
    double total = 0, worst = 0;
    at[0] = 0;
    for (int i = 1; i < count; ++i)
        at[i] = total += distance(point[i], point[i - 1]);
    for (int i = 1; i < count; ++i)
        at[i] /= total;
    for (int k = 0; k < 2; ++k) {
        p[0][k] = point[0][k];
        p[3][k] = point[count - 1][k];
    }
    for (int round = 0; round < ROUNDS; ++round) {
        solve(point, at, count, total, t0, t1, p);
        worst = 0;
        for (int i = 1; i + 1 < count; ++i)
            worst = fmax(worst, approach((const double(*)[2])p, point[i], &at[i]));
    }
    return worst;
}

static double distance_to_chord(const double (*point)[2], int count)
{
    const double *a = point[0], *b = point[count - 1];
    double e[2] = {b[0] - a[0], b[1] - a[1]}, size = length_of(e[0], e[1]), worst = 0;
    for (int i = 1; i + 1 < count; ++i)
        worst = fmax(worst, size > 0 ? fabs((point[i][0] - a[0]) * e[1] - (point[i][1] - a[1]) * e[0]) / size
                                     : distance(point[i], a));
    return worst;
}

static bool fit_run(tl_store *store, tl_outline_draft *outline, const double (*point)[2], int count, double tolerance,
                    const char *label, int depth)
{
    tl_outline_edge edge = {.from = {point[0][0], point[0][1]}, .label = label};
    if (count == 2 || distance_to_chord(point, count) <= 0.5 * tolerance)
        return tl_outline_add(store, outline, &edge);
    double t0[2], t1[2], p[4][2], *at = tl_store_take(store, (size_t)count, sizeof *at);
    if (!at)
        return false;
    tangent_at(point, 0, 1, t0);
    tangent_at(point, count - 1, -1, t1);
    double slack = fmax(tolerance, 0.012 * distance(point[0], point[1])); /* coarse points do not ask for more */
    if (fit_curve(point, at, count, t0, t1, p) <= slack || count < 5 || depth == DEEPEST) {
        edge.controls = 2;
        memcpy(edge.control[0], p[1], sizeof edge.control[0]);
        memcpy(edge.control[1], p[2], sizeof edge.control[1]);
        return tl_outline_add(store, outline, &edge);
    }
    int half = count / 2;
    return fit_run(store, outline, point, half + 1, tolerance, label, depth + 1) &&
           fit_run(store, outline, point + half, count - half, tolerance, label, depth + 1);
}

bool tl_outline_fit(tl_store *store, tl_outline_draft *outline, const double (*point)[2], int count, double tolerance,
                    const char *label)
{
    return fit_run(store, outline, point, count, tolerance, label, 0);
}

bool tl_outline_fit_one(tl_store *store, tl_outline_draft *outline, const double (*point)[2], int count,
                        double tolerance)
{
    return fit_run(store, outline, point, count, tolerance, NULL, DEEPEST);
}

/* ---- closed polylines -------------------------------------------------------------------------------------------- */

void tl_outline_corners(const double (*point)[2], int count, bool *corner)
{
    for (int i = 0; i < count; ++i) {
        const double *a = point[(i + count - 1) % count], *o = point[i], *b = point[(i + 1) % count];
        double u[2] = {o[0] - a[0], o[1] - a[1]}, v[2] = {b[0] - o[0], b[1] - o[1]};
        double cosine = (u[0] * v[0] + u[1] * v[1]) / (length_of(u[0], u[1]) * length_of(v[0], v[1]));
        corner[i] = corner[i] || !(cosine > 0.866); /* 30 degrees */
    }
}

bool tl_outline_fit_closed(tl_store *store, tl_outline_draft *outline, const double (*point)[2], const bool *corner,
                           int count, double tolerance)
{
    int start = 0;
    while (start < count && !corner[start])
        ++start;
    start %= count;
    double(*run)[2] = tl_store_take(store, (size_t)count + 1, sizeof *run);
    if (!run)
        return false;
    int length = 0;
    for (int i = 0; i <= count; ++i) {
        int at = (start + i) % count;
        run[length][0] = point[at][0];
        run[length++][1] = point[at][1];
        /* without corners, in quarters */
        bool ends = i > 0 && (corner[at] || i == count || (!corner[start] && i % ((count + 3) / 4) == 0));
        if (!ends || length < 2)
            continue;
        if (!tl_outline_fit(store, outline, (const double(*)[2])run, length, tolerance, NULL))
            return false;
        memmove(run[0], run[length - 1], sizeof *run);
        length = 1;
    }
    return true;
}

double tl_outline_twice_area(const tl_outline_draft *outline)
{
    double sum = 0;
    for (int e = 0; e < outline->count; ++e) {
        const double *path[4] = {outline->edges[e].from, outline->edges[e].control[0], outline->edges[e].control[1],
                                 outline->edges[(e + 1) % outline->count].from};
        int last = outline->edges[e].controls;
        for (int k = 0; k <= last; ++k) {
            const double *a = path[k], *b = k == last ? path[3] : path[k + 1];
            sum += a[0] * b[1] - a[1] * b[0];
        }
    }
    return sum;
}

void tl_outline_reverse(tl_outline_draft *outline)
{
    int n = outline->count;
    for (int e = 0; e < n / 2; ++e) {
        tl_outline_edge swap = outline->edges[e];
        outline->edges[e] = outline->edges[n - 1 - e];
        outline->edges[n - 1 - e] = swap;
    }
    double first[2] = {outline->edges[n - 1].from[0], outline->edges[n - 1].from[1]};
    /* each edge now starts where it ended: where the edge that is now before it started */
    for (int e = n - 1; e > 0; --e)
        memcpy(outline->edges[e].from, outline->edges[e - 1].from, sizeof outline->edges[e].from);
    memcpy(outline->edges[0].from, first, sizeof first);
    for (int e = 0; e < n; ++e)
        if (outline->edges[e].controls == 2) {
            double swap[2];
            memcpy(swap, outline->edges[e].control[0], sizeof swap);
            memcpy(outline->edges[e].control[0], outline->edges[e].control[1], sizeof swap);
            memcpy(outline->edges[e].control[1], swap, sizeof swap);
        }
}

bool tl_outline_to_panel(tl_read_set *set, tl_outline_draft *outline, tl_read_panel *panel)
{
    bool hole = panel->loop_count > 0;
    if (outline->count == 0)
        return true;
    if ((tl_outline_twice_area(outline) < 0) != hole)
        tl_outline_reverse(outline);
    int old = panel->def.edge_count, count = outline->count;
    tl_pattern_edge_def *edge = tl_store_take(&set->store, (size_t)(old + count), sizeof *edge);
    double(*vertex)[2] = tl_store_take(&set->store, (size_t)(old + count), sizeof *vertex);
    if (!edge || !vertex)
        return false;
    if (old > 0) {
        memcpy(edge, panel->def.edge, (size_t)old * sizeof *edge);
        memcpy(vertex, panel->def.vertex, (size_t)old * sizeof *vertex);
    }
    for (int e = 0; e < count; ++e) {
        const tl_outline_edge *from = &outline->edges[e];
        const double *a = from->from, *b = outline->edges[(e + 1) % count].from;
        double along[2] = {b[0] - a[0], b[1] - a[1]}, square = along[0] * along[0] + along[1] * along[1];
        tl_pattern_edge_def *to = &edge[old + e];
        *to = (tl_pattern_edge_def){.start = old + e, .end = old + (e + 1) % count, .label = from->label};
        to->curve = from->controls == 2 ? TL_CURVE_CUBIC : from->controls == 1 ? TL_CURVE_QUADRATIC : TL_CURVE_LINE;
        memcpy(vertex[old + e], a, sizeof vertex[old + e]);
        for (int k = 0; k < from->controls; ++k) {
            double d[2] = {from->control[k][0] - a[0], from->control[k][1] - a[1]};
            to->control[k][0] = square > 0 ? (d[0] * along[0] + d[1] * along[1]) / square : 0;
            to->control[k][1] = square > 0 ? (d[1] * along[0] - d[0] * along[1]) / square : 0;
        }
    }
    panel->def.edge = edge;
    panel->def.vertex = (const double(*)[2])vertex;
    panel->def.edge_count = panel->def.vertex_count = old + count;
    return tl_read_panel_add_loop(set, panel, old + count);
}
