/* Candidate pairs of two cloths. Boxes hold every face along its predicted motion until the candidates expire, grown
   by half of the gap and half of the margin: whatever can come closer than the gap before the margin is used up is a
   candidate. */
#include "contact/broad_phase/candidate.h"

#include "collide/mesh/nearest.h"
#include "contact/broad_phase/parallel_query.h"
#include "contact/broad_phase/swept_bounds.h"
#include "contact/cloth/untangle.h"

#include <string.h>

static void add_feature(tl_features *out, tl_contact_kind kind, bool swapped, int p, int q, int r, int s)
{
    memcpy(out->entry[out->count].p, (int[]){p, q, r, s}, sizeof out->entry[out->count].p);
    out->entry[out->count].swapped = swapped;
    out->entry[out->count++].kind = (unsigned char)kind;
}

/* Edges of a face, with their boxes. */
typedef struct face_edges {
    int count, end[3][2];
    tl_box box[3];
} face_edges;

/* Heights of the corners of a face above the plane of another. */
static void heights(const tl_face_bounds *face, const tl_face_bounds *over, tl_real h[3])
{
    for (int k = 0; k < 3; ++k)
        h[k] = tl_dot(over->normal, face->corner[k]) - over->height;
}

static bool beyond(const tl_real h[3], tl_real reach)
{
    return tl_min(tl_min(h[0], h[1]), h[2]) > reach || tl_max(tl_max(h[0], h[1]), h[2]) < -reach;
}

/* Collects the active edges of a face within reach of the plane over which its corners have these heights. */
static void collect_edges(const tl_bounded_face *f, const tl_real h[3], tl_real reach, face_edges *out)
{
    const int *face = f->fit->mesh->mesh->face + 3 * (size_t)f->face;
    const tl_box *box = f->fit->box;
    unsigned edges = f->fit->edges[f->face];
    out->count = 0;
    for (int k = 0; k < 3; ++k) {
        int next = k == 2 ? 0 : k + 1, n = out->count;
        if (!(edges >> (3 + k) & 1) || tl_min(h[k], h[next]) > reach || tl_max(h[k], h[next]) < -reach)
            continue;
        out->end[n][0] = face[k];
        out->end[n][1] = face[next];
        out->box[n] = box[face[k]];
        tl_box_join(&out->box[n], &box[face[next]]);
        ++out->count;
    }
}

/* Collects the vertices represented by f within reach of the face g, above whose plane they have these heights. */
static void collect_vertices(const tl_bounded_face *f, const tl_bounded_face *g, bool swapped, const tl_real h[3],
                             tl_real reach, tl_features *out)
{
    const tl_contact_mesh *a = f->fit->mesh, *b = g->fit->mesh;
    const int *F = a->mesh->face + 3 * (size_t)f->face, *G = b->mesh->face + 3 * (size_t)g->face;
    const tl_box *around = tl_bvh_face_box(g->fit->tree, g->face);
    for (int k = 0; k < 3; ++k)
        if (a->owned[f->face] >> k & 1 && fabs(h[k]) <= reach && tl_boxes_overlap(&f->fit->box[F[k]], around) &&
            !(a == b && tl_has_corner(G, F[k])))
            add_feature(out, TL_VERTEX_FACE, swapped, F[k], G[0], G[1], G[2]);
}

/* Largest relative motion of corners of the two; queried at different times, each by itself. */
static tl_real motion_between(const tl_face_bounds *f, const tl_face_bounds *g, bool stale)
{
    tl_real motion = stale ? tl_length(f->motion) + tl_length(g->motion) : tl_length(tl_sub(f->motion, g->motion));
    return motion + f->spread + g->spread;
}

bool tl_features_of(const tl_bounded_face *f, const tl_bounded_face *g, unsigned near, bool stale, tl_real reach,
                    tl_features *out)
{
    const tl_face_bounds *bounds_f = &f->fit->mesh->query.face[f->face], *bounds_g = &g->fit->mesh->query.face[g->face];
    tl_real h_f[3], h_g[3];
    reach += motion_between(bounds_f, bounds_g, stale);
    heights(bounds_f, bounds_g, h_f);
    heights(bounds_g, bounds_f, h_g);
    out->count = 0;
    if (beyond(h_f, reach) || beyond(h_g, reach))
        return false;
    if (near & TL_POINTS_OF_F)
        collect_vertices(f, g, false, h_f, reach, out);
    if (near & TL_POINTS_OF_G)
        collect_vertices(g, f, true, h_g, reach, out);
    if (!(near & TL_EDGES_OF_BOTH))
        return true;
    bool same = f->fit->mesh == g->fit->mesh;
    face_edges of_f, of_g;
    collect_edges(f, h_f, reach, &of_f);
    collect_edges(g, h_g, reach, &of_g);
    for (int i = 0; i < of_f.count; ++i)
        for (int j = 0; j < of_g.count; ++j) {
            int p0 = of_f.end[i][0], p1 = of_f.end[i][1], q0 = of_g.end[j][0], q1 = of_g.end[j][1];
            if (tl_boxes_overlap(&of_f.box[i], &of_g.box[j]) &&
                !(same && (p0 == q0 || p0 == q1 || p1 == q0 || p1 == q1)))
                add_feature(out, TL_EDGE_EDGE, false, p0, p1, q0, q1);
        }
    return true;
}

/* Vector from b's nearest point to a's; for a face, `feature` is the nearest one: 0 interior, bit 3+k edge k, bit k
   corner k. */
static tl_vec3 separation(const tl_contact *pair, const tl_vec3 x[4], unsigned *feature)
{
    *feature = 0;
    if (pair->kind == TL_VERTEX_FACE) {
        tl_real w[3];
        bool inside = tl_nearest_on_triangle(x[0], x[1], x[2], x[3], w);
        *feature = inside ? 0 : tl_border_of(w);
        return tl_sub(x[0], tl_blend3(x[1], x[2], x[3], w));
    }
    tl_real s, t;
    tl_nearest_of_segments(x[0], x[1], x[2], x[3], &s, &t);
    return tl_sub(tl_lerp(x[0], x[1], s), tl_lerp(x[2], x[3], t));
}

static tl_vec3 predicted_motion(const tl_contact_mesh *s, int p)
{
    return tl_sub(tl_at(s->query.predicted_end, p), tl_at(s->query.start, p));
}

tl_real tl_features_closing(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4], int split)
{
    tl_vec3 of_b[3];
    tl_real most = 0, tolerance_a = 0, tolerance_b = 0;
    for (int k = split; k < 4; ++k) {
        of_b[k - split] = predicted_motion(b, p[k]);
        tolerance_b = tl_max(tolerance_b, b->query.tolerance[p[k]]);
    }
    for (int k = 0; k < split; ++k) {
        tl_vec3 of_a = predicted_motion(a, p[k]);
        tolerance_a = tl_max(tolerance_a, a->query.tolerance[p[k]]);
        for (int j = 0; j < 4 - split; ++j) {
            tl_vec3 between = tl_sub(of_a, of_b[j]);
            most = tl_max(most, tl_dot(between, between));
        }
    }
    return sqrt(most) + tolerance_a + tolerance_b;
}

static void place(const tl_contact_world *set, const tl_contact *pair, bool at_query, tl_vec3 x[4])
{
    tl_features_points(set->mesh[pair->a], set->mesh[pair->b], pair->p, pair->kind, at_query, x);
}

/* Neighbours on a sheet are closer than the gap at rest: they keep less. */
static tl_real gap_of(const tl_contact_mesh *s, const tl_contact *pair, tl_real gap)
{
    tl_vec3 rest[4];
    unsigned feature;
    for (int k = 0; k < 4; ++k)
        rest[k] = s->mesh->position[pair->p[k]];
    return tl_min(gap, TL_NEIGHBOUR_GAP * tl_length(separation(pair, rest, &feature)));
}

/* The normal when the two touch exactly and their nearest points coincide. */
static tl_vec3 normal_of(const tl_contact *pair, const tl_vec3 x[4])
{
    return pair->kind == TL_VERTEX_FACE ? tl_triangle_normal(x + 1)
                                        : tl_normalized(tl_cross(tl_sub(x[1], x[0]), tl_sub(x[3], x[2])));
}

/* Distance of a vertex from a face along its plane. */
static tl_real beside_face(const tl_contact *pair, const tl_vec3 x[4], tl_vec3 apart)
{
    tl_vec3 n = normal_of(pair, x);
    return tl_length(tl_madd(apart, n, -tl_dot(apart, n)));
}

/* Edges that are nearest at an end of one, and more than `soon` metres from crossing over each other: covered by a
   vertex contact. */
static bool left_to_vertex(const tl_vec3 x[4], tl_real soon)
{
    tl_vec3 u = tl_sub(x[1], x[0]), v = tl_sub(x[3], x[2]), w = tl_sub(x[0], x[2]), normal = tl_cross(u, v);
    tl_real a = tl_dot(u, u), b = tl_dot(u, v), c = tl_dot(v, v), d = tl_dot(u, w), e = tl_dot(v, w),
            square = tl_dot(normal, normal);
    tl_real over_a = soon * square / sqrt(a), over_b = soon * square / sqrt(c), s = b * e - c * d, t = a * e - b * d;
    return s < -over_a || s > square + over_a || t < -over_b || t > square + over_b;
}

void tl_contact_separation(const tl_contact_world *set, const tl_contact *pair, bool at_query, tl_separation *out)
{
    place(set, pair, at_query, out->x);
    out->apart = separation(pair, out->x, &out->feature);
    out->distance = tl_length(out->apart);
}

bool tl_contact_is_candidate(tl_contact *pair, const tl_separation *near, tl_real gap, tl_real soon, unsigned own)
{
    if (near->distance > gap + soon)
        return false;
    /* a point on the border of a face belongs to its neighbours too: one of them is enough, unless the vertex can
       soon be over the face itself */
    bool elsewhere = near->feature != 0 && !(near->feature & own) && beside_face(pair, near->x, near->apart) > soon;
    if (elsewhere || (pair->kind == TL_EDGE_EDGE && left_to_vertex(near->x, soon)))
        return false;
    pair->side = near->distance > 0 ? tl_scale(near->apart, 1 / near->distance) : normal_of(pair, near->x);
    return true;
}

/* Grows the arrays of contacts and near contacts. */
static bool make_room(const tl_allocator *allocator, tl_mesh_pair *g, int least)
{
    if (least <= g->capacity)
        return true;
    int larger = g->capacity ? 2 * g->capacity : 256;
    larger = larger < least ? least : larger;
    tl_contact *pair = tl_allocate(allocator, (size_t)larger, sizeof *pair);
    tl_near_contact *near = tl_allocate(allocator, (size_t)larger, sizeof *near);
    if (!pair || !near) {
        tl_release(allocator, pair);
        tl_release(allocator, near);
        return false;
    }
    if (g->count > 0)
        memcpy(pair, g->contact, (size_t)g->count * sizeof *pair);
    tl_release(allocator, g->contact);
    tl_release(allocator, g->near);
    g->contact = pair;
    g->near = near;
    g->near_count = 0;
    g->capacity = larger;
    return true;
}

bool tl_mesh_pair_reserve(const tl_contact_world *set, tl_mesh_pair *g, int pairs, int crossings, int ccd_pairs)
{
    bool made = make_room(&set->allocator, g, g->count + pairs);
    while (made && g->crossing_count + crossings > g->crossing_capacity)
        made = tl_grow(&set->allocator, &g->crossing, g->crossing_capacity, &g->crossing_capacity, sizeof *g->crossing);
    while (made && g->ccd_count + ccd_pairs > g->ccd_capacity)
        made = tl_grow(&set->allocator, &g->ccd, g->ccd_capacity, &g->ccd_capacity, sizeof *g->ccd);
    return made;
}

bool tl_contact_add(const tl_contact_world *set, tl_mesh_pair *g, const tl_contact *pair)
{
    if (!make_room(&set->allocator, g, g->count + 1))
        return false;
    g->contact[g->count++] = *pair;
    return true;
}

static void drop_marked(const tl_contact_world *set, tl_mesh_pair *g, tl_mark mark)
{
    int kept = 0;
    for (int k = 0; k < g->count; ++k)
        if (!tl_contact_is_marked(set, &g->contact[k], mark)) {
            if (kept < k)
                g->contact[kept] = g->contact[k];
            ++kept;
        }
    g->count = kept;
}

/* Upper bound of tl_features_closing, m, and cheaper. */
static tl_real farthest(const tl_contact_world *set, const tl_contact *pair)
{
    const tl_real *a = set->mesh[pair->a]->query.span, *b = set->mesh[pair->b]->query.span;
    const int *p = pair->p;
    return pair->kind == TL_VERTEX_FACE ? a[p[0]] + tl_max(tl_max(b[p[1]], b[p[2]]), b[p[3]])
                                        : tl_max(a[p[0]], a[p[1]]) + tl_max(b[p[2]], b[p[3]]);
}

/* Stale points were not predicted at the start of this substep: the side is taken from there. */
static void take_side(const tl_contact_world *set, tl_contact *pair)
{
    tl_vec3 x[4];
    unsigned feature;
    place(set, pair, false, x);
    tl_vec3 apart = separation(pair, x, &feature);
    tl_real distance = tl_length(apart);
    pair->side = distance > 0 ? tl_scale(apart, 1 / distance) : normal_of(pair, x);
}

static void consider(const tl_contact_world *set, tl_mesh_pair *g, tl_contact *pair, unsigned own)
{
    tl_separation near;
    tl_contact_separation(set, pair, true, &near);
    if (near.distance > g->gap + g->margin + farthest(set, pair))
        return;
    tl_real closing =
        tl_features_closing(set->mesh[pair->a], set->mesh[pair->b], pair->p, pair->kind == TL_VERTEX_FACE ? 1 : 2);
    if (!tl_contact_is_candidate(pair, &near, g->gap, g->margin + closing, own))
        return;
    pair->gap = pair->a == pair->b ? gap_of(set->mesh[pair->a], pair, g->gap) : g->gap;
    pair->fast = closing > pair->gap;
    pair->is_new = true;
    pair->near = near.distance < TL_NEAR_RATIO * pair->gap;
    pair->clearance = near.distance - closing - pair->gap;
    if (tl_contact_is_marked(set, pair, TL_STALE))
        take_side(set, pair);
    g->failed |= !tl_contact_add(set, g, pair);
}

/* Faces with a common corner that bend by less than a right angle do not touch elsewhere, unless a cone of cloth
   winds around that corner: left to truncation. */
static bool only_neighbours(const tl_contact_mesh *s, int f, int g)
{
    if (!(tl_dot(tl_bvh_face_normal(&s->tree, f), tl_bvh_face_normal(&s->tree, g)) > 0))
        return false;
    const int *F = s->mesh->face + 3 * (size_t)f, *G = s->mesh->face + 3 * (size_t)g;
    return tl_has_corner(G, F[0]) || tl_has_corner(G, F[1]) || tl_has_corner(G, F[2]);
}

void tl_mesh_pair_drop_tangled(tl_contact_world *set, tl_mesh_pair *g)
{
    if (g->crossing_count == 0)
        return;
    tl_contact_mesh *a = set->mesh[g->a], *b = set->mesh[g->b];
    for (int k = 0; k < g->crossing_count; ++k) {
        const tl_crossing *c = &g->crossing[k];
        if (c->beside)
            continue;
        for (int i = 0; i < 2; ++i)
            set->mesh[c->edge_mesh]->mark[c->edge[i]] |= TL_TANGLED;
        for (int i = 0; i < 3; ++i)
            set->mesh[c->face_mesh]->mark[c->face[i]] |= TL_TANGLED;
    }
    drop_marked(set, g, TL_TANGLED);
    tl_contact_mesh_unmark(a, TL_TANGLED);
    tl_contact_mesh_unmark(b, TL_TANGLED);
}

enum { SHARP_KNOWN = 64 };

unsigned tl_sharp_edges(tl_contact_mesh *s, tl_real *const x[3], int f, tl_real gap)
{
    if (!s->query.sharp[f])
        s->query.sharp[f] = (unsigned char)(SHARP_KNOWN | tl_bent_edges(s, x, f, gap));
    return s->query.sharp[f];
}

static tl_vec3 normal_at(const tl_contact_mesh *s, int half)
{
    return tl_bvh_face_normal(&s->tree, tl_half_face(half));
}

/* Do two faces around the particle have opposite normals? */
static bool bends_back(const tl_contact_mesh *s, int particle)
{
    const int *first = s->mesh->particle_face + s->mesh->particle_face_start[particle],
              *end = s->mesh->particle_face + s->mesh->particle_face_start[particle + 1];
    for (const int *k = first; k < end; ++k)
        for (const int *j = first; j < k; ++j)
            if (tl_dot(normal_at(s, *k), normal_at(s, *j)) < 0)
                return true;
    return false;
}

/* Marks particles around which the cloth folds back, among those of faces beside sharply bent edges. */
static void mark_bent(tl_contact_mesh *s)
{
    const tl_mesh *mesh = s->mesh;
    tl_contact_mesh_unmark(s, TL_FOLDED);
    for (int e = 0; e < mesh->edge_count; ++e) {
        int half = mesh->edge_half[e], twin = mesh->twin[half], f = tl_half_face(half), g = tl_half_face(twin);
        if (twin < 0 || tl_dot(normal_at(s, half), normal_at(s, twin)) > TL_BENT_COSINE)
            continue;
        for (int c = 0; c < 3; ++c) {
            s->mark[mesh->face[3 * f + c]] |= TL_FOLDED;
            s->mark[mesh->face[3 * g + c]] |= TL_FOLDED;
        }
    }
    for (int i = 0; i < mesh->particle_count; ++i)
        if (s->mark[i] & TL_FOLDED && !bends_back(s, i))
            s->mark[i] &= (unsigned char)~TL_FOLDED;
}

/* Fits the bounds of both, and marks folds. */
static void fit(tl_contact_world *set, const tl_mesh_pair *g, bool stale)
{
    tl_contact_mesh *a = set->mesh[g->a], *b = set->mesh[g->b];
    tl_real margin = (g->gap + g->margin) / 2;
    for (tl_contact_mesh *s = a;; s = b) {
        s->query.bounds.crossings = !set->penetration_free;
        if (stale)
            tl_swept_bounds_fit_stale(&s->query.bounds, g->gap, margin, NULL);
        else
            tl_swept_bounds_fit(&s->query.bounds, g->gap, margin);
        if (s == b)
            break;
    }
    if (a == b && !stale) {
        tl_bvh_bound_normals(&a->tree, NULL);
        mark_bent(a);
    }
}

/* Considers the features of near faces; or only those with a stale particle. */
static void take_features(const tl_contact_world *set, tl_mesh_pair *g, const tl_face_pairs *all, bool stale)
{
    const tl_contact_mesh *a = set->mesh[g->a], *b = set->mesh[g->b];
    for (int k = 0; k < all->count; ++k) {
        int f = all->pair[k].f, h = all->pair[k].g;
        unsigned near = all->pair[k].near;
        tl_features features;
        if ((a == b && only_neighbours(a, f, h)) ||
            !tl_features_of(&(tl_bounded_face){&a->query.bounds, f}, &(tl_bounded_face){&b->query.bounds, h}, near,
                            stale, g->gap + g->margin, &features))
            continue;
        for (int i = 0; i < features.count; ++i) {
            bool swapped = features.entry[i].swapped;
            tl_contact pair = {.a = (short)(swapped ? g->b : g->a),
                               .b = (short)(swapped ? g->a : g->b),
                               .kind = features.entry[i].kind};
            memcpy(pair.p, features.entry[i].p, sizeof pair.p);
            if (!stale || tl_contact_is_marked(set, &pair, TL_STALE))
                consider(set, g, &pair, swapped ? a->owned[f] : b->owned[h]);
        }
        if (near & TL_MAY_CROSS && !set->penetration_free)
            g->failed |= !tl_crossing_find(set, g, f, h, stale);
    }
}

static void collect(tl_contact_world *set, tl_mesh_pair *g, bool stale)
{
    const tl_contact_mesh *a = set->mesh[g->a], *b = set->mesh[g->b];
    fit(set, g, stale);
    tl_bvh_search search = {&a->tree, &b->tree, TL_FLAT_NEIGHBOURS, TL_SEARCH_PARTS | (stale ? TL_SEARCH_MARKED : 0)};
    tl_parallel_query(set, g, &search, take_features, stale);
    tl_mesh_pair_drop_tangled(set, g);
}

void tl_broad_phase_find(tl_contact_world *set, tl_mesh_pair *g)
{
    g->count = g->crossing_count = 0;
    collect(set, g, false);
}

void tl_broad_phase_find_stale(tl_contact_world *set, tl_mesh_pair *g)
{
    drop_marked(set, g, TL_STALE);
    tl_crossings_drop_stale(set, g);
    collect(set, g, true);
}

void tl_features_points(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4], unsigned char kind,
                        bool at_query, tl_vec3 x[4])
{
    int split = kind == TL_VERTEX_FACE ? 1 : 2;
    for (int k = 0; k < 4; ++k) {
        const tl_contact_mesh *s = k < split ? a : b;
        x[k] = tl_at(at_query ? s->query.start : s->x_old, p[k]);
    }
}
