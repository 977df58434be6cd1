/* From a mesh with texture coordinates back to a pattern: islands of the texture are panels, borders of islands that
   share their places in space are seams. Borders are cut into edges where seams begin and end, at corners in the flat
   of either side, and where one curve would not do; what is cut on one side is cut on the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/trig.h"
#include "io/file.h"
#include "io/mesh_file.h"
#include "io/outline_fit.h"
#include "telar/io.h"

#define TOLERANCE 1e-3 /* m, of fitted curves */

enum { NONE = -1, ROUNDS = 8 };

typedef struct flattening {
    const char *file_name;
    tl_triangles mesh;
    tl_read_set set;
    double scale; /* m per unit of texture coordinate */
    int *place;   /* per vertex: number of its place in space */
    int *island;  /* per vertex */
    int *triangle_island;
    int islands;
    bool *mirrored; /* per island: its triangles are clockwise in the texture */
    int *next;      /* per vertex: the next along the border, NONE inside */
    int *partner;   /* per vertex: the start of the border edge that is sewn to the one that starts here */
    bool *junction; /* per place: edges end here */
    int *edge_of;   /* per vertex that starts a border edge: edge of its panel */
    int *panel_of;  /* per island */
    tl_error error;
} flattening;

static tl_result no_memory(flattening *f)
{
    return tl_fail(&f->error, TL_ERROR_MEMORY, "%s: not enough memory to flatten it", f->file_name);
}

static void flat_of(const flattening *f, int v, double out[2])
{
    out[0] = (double)f->mesh.uv[2 * v] * f->scale * (f->mirrored[f->island[v]] ? -1 : 1);
    out[1] = (double)f->mesh.uv[2 * v + 1] * f->scale;
}

/* ---- places and islands ------------------------------------------------------------------------------------------ */

static int compare_places(const tl_vec3 *a, const tl_vec3 *b)
{
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->z != b->z ? (a->z < b->z ? -1 : 1) : 0;
}

/* Merge sort of vertices by place. */
static tl_result number_places(flattening *f)
{
    int n = f->mesh.vertex_count;
    int *order = tl_store_take(&f->set.store, (size_t)n, sizeof *order),
        *other = tl_store_take(&f->set.store, (size_t)n, sizeof *order);
    if (!order || !other)
        return no_memory(f);
    for (int v = 0; v < n; ++v)
        order[v] = v;
    for (int width = 1; width < n && width > 0; width *= 2) {
        for (int begin = 0; begin < n; begin += 2 * width) {
            int middle = begin + width < n ? begin + width : n, end = middle + width < n ? middle + width : n;
            for (int i = begin, j = middle, k = begin; k < end; ++k)
                other[k] = i < middle && (j >= end || compare_places(&f->mesh.positions[order[i]],
                                                                     &f->mesh.positions[order[j]]) <= 0)
                               ? order[i++]
                               : order[j++];
        }
        int *swap = order;
        order = other;
        other = swap;
    }
    for (int k = 0, number = 0; k < n; ++k) {
        number += k > 0 && compare_places(&f->mesh.positions[order[k - 1]], &f->mesh.positions[order[k]]) != 0;
        f->place[order[k]] = number;
    }
    return TL_OK;
}

static int root_of(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

static void find_islands(flattening *f)
{
    int *parent = f->island;
    for (int v = 0; v < f->mesh.vertex_count; ++v)
        parent[v] = v;
    for (int h = 0; h < 3 * f->mesh.triangle_count; ++h) {
        int a = root_of(parent, f->mesh.corners[h]), b = root_of(parent, f->mesh.corners[h % 3 == 2 ? h - 2 : h + 1]);
        if (a != b)
            parent[a > b ? a : b] = a > b ? b : a;
    }
    for (int v = 0; v < f->mesh.vertex_count; ++v) /* roots come before what they hold */
        f->edge_of[v] = parent[v] == v ? f->islands++ : f->edge_of[root_of(parent, v)];
    memcpy(f->island, f->edge_of, (size_t)f->mesh.vertex_count * sizeof *f->island);
}

static double twice_uv_area(const flattening *f, int t)
{
    const int *v = f->mesh.corners + 3 * t;
    double x[3][2];
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 2; ++c)
            x[k][c] = (double)f->mesh.uv[2 * v[k] + c];
    return (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0]);
}

static void sides_of(const flattening *f, int t, double first[3], double second[3])
{
    const int *v = f->mesh.corners + 3 * t;
    const tl_vec3 *a = &f->mesh.positions[v[0]], *b = &f->mesh.positions[v[1]], *c = &f->mesh.positions[v[2]];
    const double p[3] = {(double)b->x - (double)a->x, (double)b->y - (double)a->y, (double)b->z - (double)a->z};
    const double q[3] = {(double)c->x - (double)a->x, (double)c->y - (double)a->y, (double)c->z - (double)a->z};
    memcpy(first, p, sizeof p);
    memcpy(second, q, sizeof q);
}

/* Which islands are mirrored, and the size of the texture: metres, or whatever makes areas agree. */
static tl_result measure_islands(flattening *f)
{
    double *area = tl_store_take(&f->set.store, (size_t)f->islands, sizeof *area), flat = 0, solid = 0;
    if (!area)
        return no_memory(f);
    for (int t = 0; t < f->mesh.triangle_count; ++t) {
        double p[3], q[3], twice = twice_uv_area(f, t);
        sides_of(f, t, p, q);
        double n[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
        area[f->island[f->mesh.corners[3 * t]]] += twice;
        flat += fabs(twice);
        solid += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    if (!(flat > 0) || !(solid > 0) || !(solid < 1e6))
        return tl_fail(&f->error, TL_ERROR_INPUT, "%s: the mesh or its texture coordinates have no area", f->file_name);
    double ratio = sqrt(solid / flat);
    f->scale = ratio > 0.8 && ratio < 1.25 ? 1 : ratio; /* worn cloth is stretched and pressed, but not that much */
    for (int i = 0; i < f->islands; ++i)
        f->mirrored[i] = area[i] < 0;
    return TL_OK;
}

/* ---- borders ----------------------------------------------------------------------------------------------------- */

/* Half-edges by their lower vertex, or place: heads and links. */
typedef struct half_table {
    int *head, *link;
} half_table;

static int half_end(const flattening *f, int h) { return f->mesh.corners[h % 3 == 2 ? h - 2 : h + 1]; }

static tl_result find_borders(flattening *f)
{
    int halves = 3 * f->mesh.triangle_count, n = f->mesh.vertex_count;
    half_table t = {tl_store_take(&f->set.store, (size_t)n, sizeof(int)),
                    tl_store_take(&f->set.store, (size_t)halves, sizeof(int))};
    if (!t.head || !t.link)
        return no_memory(f);
    for (int v = 0; v < n; ++v)
        t.head[v] = f->next[v] = f->partner[v] = NONE;
    for (int h = 0; h < halves; ++h) {
        t.link[h] = t.head[f->mesh.corners[h]];
        t.head[f->mesh.corners[h]] = h;
    }
    for (int h = 0; h < halves; ++h) {
        int a = f->mesh.corners[h], b = half_end(f, h), twin = t.head[b];
        while (twin != NONE && half_end(f, twin) != a)
            twin = t.link[twin];
        if (twin != NONE)
            continue;
        if (f->next[a] != NONE)
            return tl_fail(&f->error, TL_ERROR_INPUT, "%s: vertex %d is on two borders of its island", f->file_name,
                           a + 1);
        f->next[a] = b;
    }
    /* borders are closed when each vertex has as many edges in as out; not so where triangles overlap in a fan */
    int *in = tl_store_take(&f->set.store, (size_t)n, sizeof *in);
    if (!in)
        return no_memory(f);
    for (int v = 0; v < n; ++v)
        if (f->next[v] != NONE)
            ++in[f->next[v]];
    for (int v = 0; v < n; ++v)
        if (in[v] != (f->next[v] != NONE))
            return tl_fail(&f->error, TL_ERROR_INPUT, "%s: the border of an island is not a loop at vertex %d",
                           f->file_name, v + 1);
    /* seams: border edges with the same two places */
    for (int v = 0; v < n; ++v)
        t.head[v] = NONE;
    for (int v = 0; v < n; ++v) {
        if (f->next[v] == NONE)
            continue;
        int a = f->place[v], b = f->place[f->next[v]], low = a < b ? a : b, high = a < b ? b : a;
        for (int w = t.head[low]; w != NONE; w = t.link[w]) {
            int c = f->place[w], d = f->place[f->next[w]];
            if ((c == high || d == high) && c + d == a + b && f->partner[w] == NONE && f->partner[v] == NONE) {
                f->partner[w] = v;
                f->partner[v] = w;
            }
        }
        t.link[v] = t.head[low]; /* a vertex starts one border edge, so its number serves */
        t.head[low] = v;
    }
    return TL_OK;
}

/* Whether the seam of the edge before v goes on with the edge from v. */
static bool goes_on(const flattening *f, int before, int v)
{
    int p = f->partner[before], q = f->partner[v];
    if (p == NONE || q == NONE)
        return p == q;
    return f->next[q] == p || f->next[p] == q;
}

static void find_junctions(flattening *f)
{
    for (int before = 0; before < f->mesh.vertex_count; ++before) {
        int v = f->next[before];
        if (v == NONE)
            continue;
        double a[2], o[2], b[2];
        flat_of(f, before, a);
        flat_of(f, v, o);
        flat_of(f, f->next[v], b);
        double s[2] = {o[0] - a[0], o[1] - a[1]}, t[2] = {b[0] - o[0], b[1] - o[1]};
        double size = sqrt((s[0] * s[0] + s[1] * s[1]) * (t[0] * t[0] + t[1] * t[1]));
        if (!goes_on(f, before, v) || !(s[0] * t[0] + s[1] * t[1] > 0.82 * size)) /* 35 degrees */
            f->junction[f->place[v]] = true;
    }
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

/* The run of border vertices from v to the next junction, in the flat; returns how many. */
static int collect_run(const flattening *f, int v, double (*point)[2], int *end)
{
    int count = 0;
    do {
        flat_of(f, v, point[count++]);
        v = f->next[v];
    } while (!f->junction[f->place[v]]);
    flat_of(f, v, point[count++]);
    *end = v;
    return count;
}

/* Cuts runs that one curve cannot follow; returns whether any was cut. */
static bool cut_runs(flattening *f, double (*point)[2], bool *failed)
{
    bool cut = false;
    for (int v = 0; v < f->mesh.vertex_count && !*failed; ++v) {
        if (f->next[v] == NONE || !f->junction[f->place[v]])
            continue;
        tl_outline_draft trial = {NULL, 0, 0};
        int end, count = collect_run(f, v, point, &end), middle = v;
        *failed = !tl_outline_fit(&f->set.store, &trial, (const double(*)[2])point, count, TOLERANCE, NULL);
        if (trial.count < 2)
            continue;
        for (int k = 0; k < count / 2; ++k)
            middle = f->next[middle];
        f->junction[f->place[middle]] = true;
        cut = true;
    }
    return cut;
}

/* A loop with fewer than two junctions gets two more, on opposite sides: an edge has two ends. */
static void cut_whole_loops(flattening *f, bool *seen)
{
    for (int v = 0; v < f->mesh.vertex_count; ++v) {
        int count = 0, junctions = 0, w = v;
        if (f->next[v] == NONE || seen[v])
            continue;
        do {
            seen[w] = true;
            junctions += f->junction[f->place[w]];
            w = f->next[w];
            ++count;
        } while (w != v);
        if (junctions > 1)
            continue;
        f->junction[f->place[v]] = true;
        for (int k = 0; k < count / 2; ++k)
            w = f->next[w];
        f->junction[f->place[w]] = true;
    }
}

/* One loop as edges of the panel; edge_of its vertices. */
static tl_result add_loop(flattening *f, int start, double (*point)[2], bool *done, tl_read_panel *panel)
{
    tl_outline_draft outline = {NULL, 0, 0};
    int v = start, first = panel->def.edge_count;
    do {
        int end, count = collect_run(f, v, point, &end);
        int edge = outline.count;
        if (!tl_outline_fit_one(&f->set.store, &outline, (const double(*)[2])point, count, TOLERANCE))
            return no_memory(f);
        for (; v != end; v = f->next[v]) {
            f->edge_of[v] = first + edge;
            done[v] = true;
        }
    } while (v != start);
    return tl_outline_to_panel(&f->set, &outline, panel) ? TL_OK : no_memory(f);
}

static double loop_area(const flattening *f, int start)
{
    double sum = 0, a[2], b[2];
    for (int v = start;;) {
        flat_of(f, v, a);
        flat_of(f, f->next[v], b);
        sum += a[0] * b[1] - a[1] * b[0];
        v = f->next[v];
        if (v == start)
            return sum;
    }
}

/* The turn and place in space that the island's middle has: directions of u and v over all triangles, made square. */
static void place_panel(const flattening *f, int island, tl_panel_def *def)
{
    double u[3] = {0, 0, 0}, v[3] = {0, 0, 0}, middle[5] = {0, 0, 0, 0, 0}, total = 0;
    for (int t = 0; t < f->mesh.triangle_count; ++t) {
        const int *c = f->mesh.corners + 3 * t;
        if (f->island[c[0]] != island)
            continue;
        double x[3][2], p[3], q[3];
        sides_of(f, t, p, q);
        for (int k = 0; k < 3; ++k)
            flat_of(f, c[k], x[k]);
        double s[2] = {x[1][0] - x[0][0], x[1][1] - x[0][1]}, w[2] = {x[2][0] - x[0][0], x[2][1] - x[0][1]};
        double twice = s[0] * w[1] - s[1] * w[0];
        for (int k = 0; k < 3; ++k) { /* gradients times the area */
            u[k] += p[k] * w[1] - q[k] * s[1];
            v[k] += q[k] * s[0] - p[k] * w[0];
            const tl_vec3 *at = &f->mesh.positions[c[k]];
            middle[0] += twice * (double)at->x / 3;
            middle[1] += twice * (double)at->y / 3;
            middle[2] += twice * (double)at->z / 3;
            middle[3] += twice * x[k][0] / 3;
            middle[4] += twice * x[k][1] / 3;
        }
        total += twice;
    }
    double size = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), dot = 0, rest = 0;
    for (int k = 0; k < 3; ++k) {
        u[k] = size > 0 ? u[k] / size : k == 0;
        dot += u[k] * v[k];
    }
    for (int k = 0; k < 3; ++k) {
        v[k] -= dot * u[k];
        rest += v[k] * v[k];
    }
    for (int k = 0; k < 3; ++k)
        v[k] = rest > 0 ? v[k] / sqrt(rest) : k == 1;
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double degrees = 57.29577951308232;
    def->rotation[0] = tl_atan2(v[2], n[2]) * degrees;
    def->rotation[1] = tl_atan2(-u[2], sqrt(u[0] * u[0] + u[1] * u[1])) * degrees;
    def->rotation[2] = tl_atan2(u[1], u[0]) * degrees;
    for (int k = 0; k < 3; ++k)
        def->translation[k] = (middle[k] - u[k] * middle[3] - v[k] * middle[4]) / (total != 0 ? total : 1);
}

static tl_result add_panels(flattening *f, double (*point)[2])
{
    bool *done = tl_store_take(&f->set.store, (size_t)f->mesh.vertex_count, 1);
    if (!done)
        return no_memory(f);
    tl_result result = TL_OK;
    for (int i = 0; i < f->islands && !result; ++i)
        f->panel_of[i] = NONE;
    /* outlines first, then holes: those run the other way round */
    for (int hole = 0; hole < 2; ++hole)
        for (int v = 0; v < f->mesh.vertex_count && !result; ++v) {
            if (f->next[v] == NONE || done[v] || !f->junction[f->place[v]] || (loop_area(f, v) < 0) != (hole == 1))
                continue;
            int island = f->island[v];
            if (!hole && f->panel_of[island] == NONE) {
                char name[32];
                tl_read_panel *panel = tl_read_set_add_panel(&f->set);
                snprintf(name, sizeof name, "panel%d", f->set.panel_count);
                if (!panel || !(panel->def.name = tl_store_text(&f->set.store, name)))
                    return no_memory(f);
                panel->def.grain = 0; /* u is the lengthwise yarn */
                f->panel_of[island] = f->set.panel_count - 1;
                place_panel(f, island, &panel->def);
            } else if (!hole || f->panel_of[island] == NONE) {
                return tl_fail(&f->error, TL_ERROR_INPUT, "%s: an island at vertex %d overlaps itself in the texture",
                               f->file_name, v + 1);
            }
            result = add_loop(f, v, point, done, &f->set.panels[f->panel_of[island]]);
        }
    return result;
}

static tl_result add_seams(flattening *f)
{
    for (int v = 0; v < f->mesh.vertex_count; ++v) {
        int w = f->partner[v];
        if (w == NONE || !f->junction[f->place[v]])
            continue;
        bool parallel = f->place[v] == f->place[w];
        tl_stitch_def stitch = {.side = {{f->panel_of[f->island[v]], f->edge_of[v], {0, 0}},
                                         {f->panel_of[f->island[w]], f->edge_of[w], {0, 0}}},
                                .reverse = parallel};
        /* each pair of edges once: from the lower side */
        const tl_stitch_side *a = &stitch.side[0], *b = &stitch.side[1];
        if (a->panel > b->panel || (a->panel == b->panel && a->edge >= b->edge))
            continue;
        if (!tl_read_set_add_stitch(&f->set, &stitch))
            return no_memory(f);
    }
    return TL_OK;
}

static tl_result flatten(flattening *f)
{
    size_t n = (size_t)f->mesh.vertex_count;
    tl_store *store = &f->set.store;
    f->place = tl_store_take(store, n, sizeof(int));
    f->island = tl_store_take(store, n, sizeof(int));
    f->next = tl_store_take(store, n, sizeof(int));
    f->partner = tl_store_take(store, n, sizeof(int));
    f->junction = tl_store_take(store, n, 1);
    f->edge_of = tl_store_take(store, n, sizeof(int));
    f->panel_of = tl_store_take(store, n, sizeof(int));
    f->mirrored = tl_store_take(store, n, 1);
    bool *seen = tl_store_take(store, n, 1);
    double(*point)[2] = tl_store_take(store, n + 1, sizeof *point);
    if (!f->place || !f->island || !f->next || !f->partner || !f->junction || !f->edge_of || !f->panel_of ||
        !f->mirrored || !seen || !point)
        return no_memory(f);
    if (!f->mesh.has_uv)
        return tl_fail(&f->error, TL_ERROR_INPUT, "%s: not every face has texture coordinates", f->file_name);
    tl_result result = number_places(f);
    if (result)
        return result;
    find_islands(f);
    result = measure_islands(f);
    if (!result)
        result = find_borders(f);
    if (result)
        return result;
    find_junctions(f);
    cut_whole_loops(f, seen);
    bool failed = false;
    for (int round = 0; round < ROUNDS && cut_runs(f, point, &failed); ++round)
        ;
    if (failed)
        return no_memory(f);
    result = add_panels(f, point);
    return result ? result : add_seams(f);
}

tl_pattern *tl_pattern_flatten(const char *file_name, tl_error *error)
{
    flattening f = {.file_name = file_name, .set = tl_read_set_empty()};
    size_t length;
    char *text = tl_file_read(file_name, TL_MESH_LARGEST_FILE, &length, &f.error);
    tl_result result = text ? tl_obj_read(text, length, file_name, &f.mesh, &f.error) : f.error.code;
    free(text);
    if (!result)
        result = flatten(&f);
    tl_pattern *pattern = NULL;
    if (!result) {
        pattern = tl_read_set_pattern(&f.set, file_name, &f.error);
        if (!pattern)
            tl_error_prefix(&f.error, "%s: ", file_name);
    }
    if (!pattern && error)
        *error = f.error;
    tl_triangles_free(&f.mesh);
    tl_store_release(&f.set.store);
    return pattern;
}
