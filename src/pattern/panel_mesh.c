/* All panels of a pattern as one mesh: outlines with equal counts across seams, interiors, the order of vertices,
   places in space, pairs of seams, and the particles of the sewn garment. */
#include <math.h>
#include <string.h>

#include "mesh/order.h"
#include "pattern/mesher.h"
#include "pattern/seam.h"

struct tl_panel_mesh {
    tl_store store;
    tl_panel_mesh_arrays arrays;
};

typedef struct assembly {
    const tl_pattern *pattern;
    tl_store work, *keep; /* temporaries; the mesh's own memory */
    tl_outline outline;
    tl_flat_mesh *flat; /* per panel */
    int **rank;         /* per panel: place of each vertex within the panel */
    bool *flipped;      /* per panel: its right side is the garment's inside */
    tl_panel_mesh_arrays *arrays;
    tl_error *error;
} assembly;

static tl_result no_memory(const assembly *a) { return tl_fail(a->error, TL_ERROR_MEMORY, "pattern: out of memory"); }

/* ---- one panel --------------------------------------------------------------------------------------------------- */

static tl_result border_segments(assembly *a, tl_flat_mesh *flat, int room)
{
    flat->segment = tl_store_take(&a->work, (size_t)room, sizeof *flat->segment);
    if (!flat->segment)
        return no_memory(a);
    for (int i = a->outline.panel_first[flat->panel]; i < a->outline.panel_first[flat->panel + 1]; ++i)
        for (int k = 0; k < a->outline.interval[i].segments; ++k) {
            const int *v = a->outline.vertex + a->outline.interval[i].first + k;
            flat->segment[flat->segment_count++] = (tl_planar_segment){v[0], v[1], true};
        }
    return TL_OK;
}

/* The vertex of the outline nearest to a point, if it is within reach; −1. */
static int nearest_vertex(const tl_flat_mesh *flat, const double x[2], double reach)
{
    int best = -1;
    double least = reach * reach;
    for (int v = 0; v < flat->fixed_count; ++v) {
        double dx = flat->point[v][0] - x[0], dy = flat->point[v][1] - x[1];
        if (dx * dx + dy * dy < least) {
            least = dx * dx + dy * dy;
            best = v;
        }
    }
    return best;
}

/* Adds a line: its ends take the vertex of an outline or an earlier line that is within 0.6 h, points between are new
   ones unless they are that near to one. */
static tl_result add_line(assembly *a, tl_flat_mesh *flat, int l)
{
    const tl_pattern_line_def *line = &a->pattern->def.panel[flat->panel].line[l];
    int room = 1, count = 0;
    for (int k = 0; k + 1 < line->point_count; ++k)
        room += (int)(sqrt((line->point[k + 1][0] - line->point[k][0]) * (line->point[k + 1][0] - line->point[k][0]) +
                           (line->point[k + 1][1] - line->point[k][1]) * (line->point[k + 1][1] - line->point[k][1])) /
                      flat->edge) +
                2;
    int *vertex = tl_store_take(&a->work, (size_t)room, sizeof *vertex);
    double(*point)[2] = tl_store_take(&a->work, (size_t)(flat->fixed_count + room), sizeof *point);
    tl_planar_segment *segment = tl_store_take(&a->work, (size_t)(flat->segment_count + room), sizeof *segment);
    if (!vertex || !point || !segment)
        return no_memory(a);
    memcpy(point, flat->point, (size_t)flat->fixed_count * sizeof *point);
    memcpy(segment, flat->segment, (size_t)flat->segment_count * sizeof *segment);
    flat->point = point;
    flat->segment = segment;
    for (int k = 0; k + 1 < line->point_count; ++k) {
        const double *p = line->point[k], *q = line->point[k + 1];
        double length = sqrt((q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1]));
        int steps = (int)fmax(1, floor(length / flat->edge + 0.5));
        for (int s = k == 0 ? 0 : 1; s <= steps; ++s) {
            double t = (double)s / steps, x[2] = {p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])};
            int v = nearest_vertex(flat, x, 0.6 * flat->edge);
            if (v < 0) {
                v = flat->fixed_count++;
                flat->point[v][0] = x[0];
                flat->point[v][1] = x[1];
            }
            if (count == 0 || vertex[count - 1] != v)
                vertex[count++] = v;
        }
    }
    for (int k = 0; k + 1 < count; ++k)
        flat->segment[flat->segment_count++] = (tl_planar_segment){vertex[k], vertex[k + 1], false};
    flat->line_vertex[l] = vertex;
    flat->line_count[l] = count;
    return TL_OK;
}

static tl_result mesh_panel(assembly *a, int p, const tl_panel_mesh_def *def)
{
    const tl_panel_def *panel = &a->pattern->def.panel[p];
    tl_flat_mesh *flat = &a->flat[p];
    int outline = a->outline.point_first[p + 1] - a->outline.point_first[p];
    *flat = (tl_flat_mesh){.panel = p,
                           .edge = (double)def->edge,
                           .squares = def->lattice && strcmp(def->lattice, "squares") == 0,
                           .outline_count = outline,
                           .fixed_count = outline,
                           .point = a->outline.point + a->outline.point_first[p]};
    tl_turn_of(panel->grain, &flat->grain[0], &flat->grain[1]);
    flat->line_vertex = tl_store_take(&a->work, (size_t)panel->line_count, sizeof *flat->line_vertex);
    flat->line_count = tl_store_take(&a->work, (size_t)panel->line_count, sizeof *flat->line_count);
    if (!flat->line_vertex || !flat->line_count)
        return no_memory(a);
    tl_result result = border_segments(a, flat, outline);
    for (int l = 0; l < panel->line_count && !result; ++l)
        result = add_line(a, flat, l);
    if (!result)
        result = tl_lattice_fill(flat, &a->work, a->error);
    return result ? result : tl_flat_improve(flat, a->pattern, &a->work, a->error);
}

/* ---- order of vertices ------------------------------------------------------------------------------------------- */

typedef struct place_key {
    int row, kind; /* kind 0: of the lattice, by class of its column; 1: others, along the row */
    double along;
    int vertex;
} place_key;

static bool comes_before(const place_key *a, const place_key *b)
{
    if (a->row != b->row)
        return a->row < b->row;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->along != b->along ? a->along < b->along : a->vertex < b->vertex;
}

static void sort_keys(place_key *key, place_key *other, int count)
{
    for (int width = 1; width < count; width *= 2) {
        for (int begin = 0; begin < count; begin += 2 * width) {
            int middle = begin + width < count ? begin + width : count;
            int end = middle + width < count ? middle + width : count;
            for (int i = begin, j = middle, k = begin; k < end; ++k)
                other[k] = i < middle && (j >= end || !comes_before(&key[j], &key[i])) ? key[i++] : key[j++];
        }
        memcpy(key, other, (size_t)count * sizeof *key);
    }
}

/* Row by row; inside a row the lattice by classes of columns, as order.c does for grids, so that links between them
   form runs, then the vertices between the lattice and the outline. */
static tl_result order_panel(assembly *a, int p)
{
    tl_flat_mesh *flat = &a->flat[p];
    size_t count = (size_t)flat->count;
    place_key *key = tl_store_take(&a->work, count, sizeof *key), *other = tl_store_take(&a->work, count, sizeof *key);
    a->rank[p] = tl_store_take(&a->work, count, sizeof(int));
    if (!key || !other || !a->rank[p])
        return no_memory(a);
    double height = flat->squares ? flat->edge : flat->edge * 0.86602540378443864676, base = 0;
    bool based = false;
    for (int v = 0; v < flat->count; ++v) {
        const double *x = flat->point[v];
        double u = x[0] * flat->grain[0] + x[1] * flat->grain[1], w = x[1] * flat->grain[0] - x[0] * flat->grain[1];
        bool lattice = flat->row[v] >= 0;
        if (lattice && !based) {
            base = w / height - flat->row[v]; /* smoothing may have moved it a little */
            based = true;
        }
        key[v] = (place_key){lattice ? flat->row[v] : (int)floor(w / height + 0.5), !lattice, u, v};
        if (lattice)
            key[v].along = flat->column[v] % TL_COLUMN_CLASSES * 1e6 + flat->column[v];
    }
    int shift = (int)floor(base + 0.5);
    for (int v = 0; v < flat->count; ++v)
        key[v].row -= key[v].kind ? shift : 0;
    sort_keys(key, other, flat->count);
    for (int k = 0; k < flat->count; ++k)
        a->rank[p][key[k].vertex] = k;
    return TL_OK;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

static void fill_vertices(assembly *a, int p, int first, tl_real *uv, tl_real *place, tl_vec3 *position, int *panel_of)
{
    const tl_flat_mesh *flat = &a->flat[p];
    int orientation = a->pattern->loops[p].orientation;
    double rotation[3][3];
    tl_panel_rotation(&a->pattern->def.panel[p], rotation);
    const double *translation = a->pattern->def.panel[p].translation;
    for (int k = 0; k < flat->count; ++k) {
        int v = first + a->rank[p][k];
        const double *x = flat->point[k];
        double placed[3];
        for (int c = 0; c < 3; ++c)
            placed[c] = rotation[c][0] * x[0] + rotation[c][1] * x[1] + translation[c];
        position[v] = (tl_vec3){(tl_real)placed[0], (tl_real)placed[1], (tl_real)placed[2]};
        place[2 * v] = (tl_real)x[0];
        place[2 * v + 1] = (tl_real)x[1];
        uv[2 * v] = (tl_real)(x[0] * flat->grain[0] + x[1] * flat->grain[1]);
        uv[2 * v + 1] = (tl_real)(orientation * (x[1] * flat->grain[0] - x[0] * flat->grain[1]));
        panel_of[v] = p;
    }
}

static tl_result fill_panels(assembly *a)
{
    tl_panel_mesh_arrays *m = a->arrays;
    m->panel_count = a->pattern->def.panel_count;
    for (int p = 0; p < m->panel_count; ++p) {
        m->vertex_count += a->flat[p].count;
        m->triangle_count += a->flat[p].triangle_count;
    }
    size_t vertices = (size_t)m->vertex_count, triangles = (size_t)m->triangle_count;
    tl_real *uv = tl_store_take(a->keep, 2 * vertices, sizeof *uv),
            *flat = tl_store_take(a->keep, 2 * vertices, sizeof *uv);
    tl_vec3 *position = tl_store_take(a->keep, vertices, sizeof *position);
    int *panel_of = tl_store_take(a->keep, vertices, sizeof *panel_of);
    int *triangle = tl_store_take(a->keep, 3 * triangles, sizeof *triangle);
    int *triangle_panel = tl_store_take(a->keep, triangles, sizeof *triangle_panel);
    tl_panel_span *span = tl_store_take(a->keep, (size_t)m->panel_count, sizeof *span);
    if (!uv || !flat || !position || !panel_of || !triangle || !triangle_panel || !span)
        return no_memory(a);
    int vertex = 0, at = 0;
    for (int p = 0; p < m->panel_count; ++p) {
        const tl_flat_mesh *f = &a->flat[p];
        span[p] = (tl_panel_span){vertex, f->count, at, f->triangle_count};
        fill_vertices(a, p, vertex, uv, flat, position, panel_of);
        bool mirrored = (a->pattern->loops[p].orientation < 0) != a->flipped[p];
        for (int t = 0; t < f->triangle_count; ++t, ++at) {
            triangle_panel[at] = p;
            for (int k = 0; k < 3; ++k)
                triangle[3 * at + (mirrored && k > 0 ? 3 - k : k)] = vertex + a->rank[p][f->triangle[3 * t + k]];
        }
        vertex += f->count;
    }
    m->uv = uv;
    m->flat = flat;
    m->position = position;
    m->panel_of_vertex = panel_of;
    m->triangle = triangle;
    m->panel_of_triangle = triangle_panel;
    m->panel = span;
    return TL_OK;
}

static int mesh_vertex(const assembly *a, int panel, int vertex)
{
    return a->arrays->panel[panel].first_vertex + a->rank[panel][vertex];
}

static tl_result fill_edges(assembly *a)
{
    tl_panel_mesh_arrays *m = a->arrays;
    int room = 0;
    for (int i = 0; i < a->outline.count; ++i)
        room += a->outline.interval[i].segments + 1;
    for (int p = 0; p < m->panel_count; ++p)
        m->edge_span_count += a->pattern->def.panel[p].edge_count;
    tl_panel_edge_span *span = tl_store_take(a->keep, (size_t)m->edge_span_count, sizeof *span);
    int *vertex = tl_store_take(a->keep, (size_t)room, sizeof *vertex);
    if (!span || !vertex)
        return no_memory(a);
    int at = 0, e = -1;
    for (int i = 0; i < a->outline.count; ++i) {
        const tl_interval *interval = &a->outline.interval[i];
        bool begins = e < 0 || span[e].panel != interval->panel || span[e].edge != interval->edge;
        if (begins)
            span[++e] = (tl_panel_edge_span){interval->panel, interval->edge, at, 0};
        /* the end of one interval is the start of the next */
        for (int k = begins ? 0 : 1; k <= interval->segments; ++k) {
            vertex[at++] = mesh_vertex(a, interval->panel, a->outline.vertex[interval->first + k]);
            ++span[e].count;
        }
    }
    m->edge_span = span;
    m->edge_vertex = vertex;
    return TL_OK;
}

static tl_result fill_lines(assembly *a)
{
    tl_panel_mesh_arrays *m = a->arrays;
    int room = 0;
    for (int p = 0; p < m->panel_count; ++p)
        for (int l = 0; l < a->pattern->def.panel[p].line_count; ++l, ++m->line_count)
            room += a->flat[p].line_count[l];
    tl_panel_line_span *span = tl_store_take(a->keep, (size_t)m->line_count, sizeof *span);
    int *vertex = tl_store_take(a->keep, (size_t)room, sizeof *vertex), at = 0, line = 0;
    if (!span || !vertex)
        return no_memory(a);
    for (int p = 0; p < m->panel_count; ++p)
        for (int l = 0; l < a->pattern->def.panel[p].line_count; ++l) {
            span[line++] = (tl_panel_line_span){p, l, at, a->flat[p].line_count[l]};
            for (int k = 0; k < a->flat[p].line_count[l]; ++k)
                vertex[at++] = mesh_vertex(a, p, a->flat[p].line_vertex[l][k]);
        }
    m->line = span;
    m->line_vertex = vertex;
    return TL_OK;
}

/* ---- seams ------------------------------------------------------------------------------------------------------- */

/* The vertex of a panel nearest to a point of its plane. */
static int vertex_at(const assembly *a, int panel, const double x[2])
{
    const tl_flat_mesh *flat = &a->flat[panel];
    int best = 0;
    double least = 1e30;
    for (int v = 0; v < flat->count; ++v) {
        double dx = flat->point[v][0] - x[0], dy = flat->point[v][1] - x[1];
        if (dx * dx + dy * dy < least) {
            least = dx * dx + dy * dy;
            best = v;
        }
    }
    return mesh_vertex(a, panel, best);
}

static tl_result fill_seams(assembly *a)
{
    tl_panel_mesh_arrays *m = a->arrays;
    const tl_pattern_def *def = &a->pattern->def;
    int pairs = def->closure_count;
    m->seam_count = def->stitch_count + def->closure_count;
    for (int i = 0; i < a->outline.count; ++i)
        if (a->outline.interval[i].side == 0)
            pairs += a->outline.interval[i].segments + 1;
    tl_panel_seam *seam = tl_store_take(a->keep, (size_t)m->seam_count, sizeof *seam);
    int *pair = tl_store_take(a->keep, 2 * (size_t)pairs, sizeof *pair), at = 0;
    if (!seam || !pair)
        return no_memory(a);
    int *of_stitch = tl_store_take(&a->work, (size_t)m->seam_count, sizeof *of_stitch);
    if (!of_stitch)
        return no_memory(a);
    for (int i = 0; i < a->outline.count; ++i)
        if (a->outline.interval[i].stitch >= 0 && a->outline.interval[i].side == 0)
            of_stitch[a->outline.interval[i].stitch] = i;
    for (int s = 0; s < def->stitch_count; ++s) {
        const tl_interval *first = &a->outline.interval[of_stitch[s]], *second = &a->outline.interval[first->partner];
        bool parallel = tl_stitch_is_parallel(&a->pattern->def.stitch[s]);
        seam[s] = (tl_panel_seam){s, at, first->segments + 1};
        for (int k = 0; k <= first->segments; ++k, ++at) {
            int other = parallel ? k : first->segments - k;
            pair[2 * at] = mesh_vertex(a, first->panel, a->outline.vertex[first->first + k]);
            pair[2 * at + 1] = mesh_vertex(a, second->panel, a->outline.vertex[second->first + other]);
        }
    }
    for (int c = 0; c < def->closure_count; ++c, ++at) {
        seam[def->stitch_count + c] = (tl_panel_seam){-1, at, 1};
        for (int side = 0; side < 2; ++side)
            pair[2 * at + side] = vertex_at(a, def->closure[c].panel[side], def->closure[c].point[side]);
    }
    m->seam = seam;
    m->seam_pair = pair;
    return TL_OK;
}

static int root_of(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* Vertices joined by any seam are one particle; particles are in the order of their first vertices. */
static tl_result fill_particles(assembly *a)
{
    tl_panel_mesh_arrays *m = a->arrays;
    int *parent = tl_store_take(&a->work, (size_t)m->vertex_count, sizeof *parent);
    int *particle = tl_store_take(a->keep, (size_t)m->vertex_count, sizeof *particle);
    if (!parent || !particle)
        return no_memory(a);
    for (int v = 0; v < m->vertex_count; ++v)
        parent[v] = v;
    for (int s = 0; s < m->seam_count; ++s)
        for (int k = 0; k < m->seam[s].count; ++k) {
            const int *pair = m->seam_pair + 2 * (m->seam[s].first + k);
            int x = root_of(parent, pair[0]), y = root_of(parent, pair[1]);
            if (x != y)
                parent[x > y ? x : y] = x > y ? y : x; /* the lowest vertex is the root */
        }
    for (int v = 0; v < m->vertex_count; ++v)
        particle[v] = parent[v] == v ? m->particle_count++ : particle[root_of(parent, v)];
    m->particle_of_vertex = particle;
    for (int t = 0; t < m->triangle_count; ++t) {
        const int *v = m->triangle + 3 * t;
        int x = particle[v[0]], y = particle[v[1]], z = particle[v[2]];
        if (x == y || y == z || z == x)
            return tl_fail(a->error, TL_ERROR_INPUT,
                           "panel '%s': sewing joins two corners of one triangle; the edge is too long here",
                           a->pattern->def.panel[m->panel_of_triangle[t]].name);
    }
    return TL_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static tl_result check_mesh_def(const tl_panel_mesh_def *def, tl_error *error)
{
    if (!def || !((double)def->edge >= 0.002 * (1 - 1e-6) && (double)def->edge <= 0.2 * (1 + 1e-6)))
        return tl_fail(error, TL_ERROR_INPUT, "edge %g m is not within 0.002 and 0.2 m", def ? (double)def->edge : 0.0);
    if (def->lattice && strcmp(def->lattice, "triangles") != 0 && strcmp(def->lattice, "squares") != 0)
        return tl_fail(error, TL_ERROR_INPUT, "lattice '%.60s' is neither 'triangles' nor 'squares'", def->lattice);
    return TL_OK;
}

static tl_result assemble(assembly *a, const tl_panel_mesh_def *def)
{
    int panels = a->pattern->def.panel_count;
    a->flat = tl_store_take(&a->work, (size_t)panels, sizeof *a->flat);
    a->rank = tl_store_take(&a->work, (size_t)panels, sizeof *a->rank);
    a->flipped = tl_store_take(&a->work, (size_t)panels, sizeof *a->flipped);
    if (!a->flat || !a->rank || !a->flipped)
        return no_memory(a);
    tl_result result = tl_seams_refuse(a->pattern, a->error);
    if (!result && !tl_seams_flip_panels(a->pattern, a->flipped))
        result = no_memory(a);
    if (!result)
        result = tl_outline_make(a->pattern, (double)def->edge, &a->work, &a->outline, a->error);
    for (int p = 0; p < panels && !result; ++p) {
        result = mesh_panel(a, p, def);
        if (!result)
            result = order_panel(a, p);
    }
    if (!result)
        result = fill_panels(a);
    if (!result)
        result = fill_edges(a);
    if (!result)
        result = fill_lines(a);
    if (!result)
        result = fill_seams(a);
    return result ? result : fill_particles(a);
}

tl_panel_mesh *tl_pattern_mesh(const tl_pattern *pattern, const tl_panel_mesh_def *def, tl_error *error)
{
    if (check_mesh_def(def, error) != TL_OK)
        return NULL;
    tl_store store = {.allocator = pattern->store.allocator};
    tl_panel_mesh *mesh = tl_store_take(&store, 1, sizeof *mesh);
    if (!mesh) {
        tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
        return NULL;
    }
    mesh->store = store;
    assembly a = {.pattern = pattern,
                  .work = {.allocator = store.allocator},
                  .keep = &mesh->store,
                  .arrays = &mesh->arrays,
                  .error = error};
    tl_result result = assemble(&a, def);
    tl_store_release(&a.work);
    if (result == TL_OK)
        return mesh;
    tl_panel_mesh_destroy(mesh);
    return NULL;
}

void tl_panel_mesh_destroy(tl_panel_mesh *mesh)
{
    if (!mesh)
        return;
    tl_store store = mesh->store; /* which holds the mesh itself */
    tl_store_release(&store);
}

const tl_panel_mesh_arrays *tl_panel_mesh_get(const tl_panel_mesh *mesh) { return &mesh->arrays; }

tl_mesh *tl_panel_mesh_cloth(const tl_panel_mesh *mesh, const tl_vec3 *positions, bool sewn,
                             const tl_allocator *allocator, tl_error *error)
{
    const tl_panel_mesh_arrays *m = &mesh->arrays;
    tl_allocator own = tl_allocator_or_default(allocator);
    int *apart = NULL;
    if (!sewn) {
        apart = tl_allocate(&own, (size_t)m->vertex_count, sizeof *apart);
        if (!apart) {
            tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
            return NULL;
        }
        for (int v = 0; v < m->vertex_count; ++v)
            apart[v] = v;
    }
    tl_mesh *cloth = tl_mesh_create(&(tl_mesh_def){.positions = positions ? positions : m->position,
                                                   .uv = m->uv,
                                                   .vertex_count = m->vertex_count,
                                                   .triangles = m->triangle,
                                                   .triangle_count = m->triangle_count,
                                                   .rest = TL_REST_UV,
                                                   .particle_of_vertex = sewn ? m->particle_of_vertex : apart},
                                    allocator, error);
    tl_release(&own, apart);
    return cloth;
}
