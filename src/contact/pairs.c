/* Lists of close pairs of features. Boxes hold every face on its way to where it is expected at the end of the lists'
   life, grown by half of what is kept apart and half the margin: whatever can come nearer than the gap before the
   margin is used up is in the list. */
#include "contact/pairs.h"

#include "contact/distance.h"
#include "contact/fit.h"
#include "contact/gather.h"

#include <string.h>

/* Neighbours in the same cloth keep this share of their distance in the rest shape, when that is less than the gap. */
#define REST_SHARE ((tl_real)0.6)

static void add_feature(tl_features *out, tl_pair_kind kind, bool swapped, int p, int q, int r, int s)
{
    memcpy(out->entry[out->count].p, (int[]){p, q, r, s}, sizeof out->entry[out->count].p);
    out->entry[out->count].swapped = swapped;
    out->entry[out->count++].kind = (unsigned char)kind;
}

/* Edges of a face, with their boxes. */
typedef struct edge_list {
    int count, end[3][2];
    tl_box box[3];
} edge_list;

/* How far the corners of a tile are above the plane of another. */
static void heights(const tl_tile *tile, const tl_tile *over, tl_real h[3])
{
    for (int k = 0; k < 3; ++k)
        h[k] = tl_dot(over->normal, tile->corner[k]) - over->height;
}

static bool beyond(const tl_real h[3], tl_real reach)
{
    return tl_min(tl_min(h[0], h[1]), h[2]) > reach || tl_max(tl_max(h[0], h[1]), h[2]) < -reach;
}

/* Lists the edges of a face that count and are within reach of the plane over which its corners have these heights. */
static void list_edges(const tl_fitted_face *f, const tl_real h[3], tl_real reach, edge_list *out)
{
    const int *face = f->fit->surface->mesh->face + 3 * (size_t)f->face;
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

/* Vertices that f stands for against the face g, whose plane they are above by these heights. */
static void list_vertices(const tl_fitted_face *f, const tl_fitted_face *g, bool swapped, const tl_real h[3],
                          tl_real reach, tl_features *out)
{
    const tl_surface *a = f->fit->surface, *b = g->fit->surface;
    const int *F = a->mesh->face + 3 * (size_t)f->face, *G = b->mesh->face + 3 * (size_t)g->face;
    const tl_box *around = tl_bvh_face_box(g->fit->tree, g->face);
    for (int k = 0; k < 3; ++k)
        if (a->owned[f->face] >> k & 1 && fabs(h[k]) <= reach && tl_boxes_meet(&f->fit->box[F[k]], around) &&
            !(a == b && tl_has_corner(G, F[k])))
            add_feature(out, TL_VERTEX_FACE, swapped, F[k], G[0], G[1], G[2]);
}

/* How far corners of the two can move against each other; those that were not listed at the same time, each its way. */
static tl_real motion_between(const tl_tile *f, const tl_tile *g, bool astray)
{
    tl_real ways = astray ? tl_length(f->way) + tl_length(g->way) : tl_length(tl_sub(f->way, g->way));
    return ways + f->stray + g->stray;
}

bool tl_features_of(const tl_fitted_face *f, const tl_fitted_face *g, unsigned near, bool astray, tl_real reach,
                    tl_features *out)
{
    const tl_tile *tile_f = &f->fit->surface->tile[f->face], *tile_g = &g->fit->surface->tile[g->face];
    tl_real h_f[3], h_g[3];
    reach += motion_between(tile_f, tile_g, astray);
    heights(tile_f, tile_g, h_f);
    heights(tile_g, tile_f, h_g);
    out->count = 0;
    if (beyond(h_f, reach) || beyond(h_g, reach))
        return false;
    if (near & TL_POINTS_OF_F)
        list_vertices(f, g, false, h_f, reach, out);
    if (near & TL_POINTS_OF_G)
        list_vertices(g, f, true, h_g, reach, out);
    if (!(near & TL_EDGES_OF_BOTH))
        return true;
    bool same = f->fit->surface == g->fit->surface;
    edge_list of_f, of_g;
    list_edges(f, h_f, reach, &of_f);
    list_edges(g, h_g, reach, &of_g);
    for (int i = 0; i < of_f.count; ++i)
        for (int j = 0; j < of_g.count; ++j) {
            int p0 = of_f.end[i][0], p1 = of_f.end[i][1], q0 = of_g.end[j][0], q1 = of_g.end[j][1];
            if (tl_boxes_meet(&of_f.box[i], &of_g.box[j]) && !(same && (p0 == q0 || p0 == q1 || p1 == q0 || p1 == q1)))
                add_feature(out, TL_EDGE_EDGE, false, p0, p1, q0, q1);
        }
    return true;
}

/* From b's nearest point to a's; for a face, `feature` tells where it is: 0 inside, bit 3+k on edge k, bit k on corner
 * k. */
static tl_vec3 separation(const tl_pair *pair, const tl_vec3 x[4], unsigned *feature)
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

static tl_vec3 expected_way(const tl_surface *s, int p) { return tl_sub(tl_at(s->ahead, p), tl_at(s->listed, p)); }

tl_real tl_features_sweep(const tl_surface *a, const tl_surface *b, const int p[4], int split)
{
    tl_vec3 of_b[3];
    tl_real most = 0, slack_a = 0, slack_b = 0;
    for (int k = split; k < 4; ++k) {
        of_b[k - split] = expected_way(b, p[k]);
        slack_b = tl_max(slack_b, b->slack[p[k]]);
    }
    for (int k = 0; k < split; ++k) {
        tl_vec3 of_a = expected_way(a, p[k]);
        slack_a = tl_max(slack_a, a->slack[p[k]]);
        for (int j = 0; j < 4 - split; ++j) {
            tl_vec3 between = tl_sub(of_a, of_b[j]);
            most = tl_max(most, tl_dot(between, between));
        }
    }
    return sqrt(most) + slack_a + slack_b;
}

static void place(const tl_surfaces *set, const tl_pair *pair, bool listed, tl_vec3 x[4])
{
    tl_features_place(set->surface[pair->a], set->surface[pair->b], pair->p, pair->kind, listed, x);
}

/* Neighbours on a sheet are closer than the gap by nature: they keep less. */
static tl_real gap_of(const tl_surface *s, const tl_pair *pair, tl_real gap)
{
    tl_vec3 rest[4];
    unsigned feature;
    for (int k = 0; k < 4; ++k)
        rest[k] = s->mesh->position[pair->p[k]];
    return tl_min(gap, REST_SHARE * tl_length(separation(pair, rest, &feature)));
}

/* Which way is out, when the two touch exactly and their nearest points tell nothing. */
static tl_vec3 normal_of(const tl_pair *pair, const tl_vec3 x[4])
{
    return pair->kind == TL_VERTEX_FACE ? tl_triangle_normal(x + 1)
                                        : tl_normalized(tl_cross(tl_sub(x[1], x[0]), tl_sub(x[3], x[2])));
}

/* How far a vertex is beside a face, along its plane. */
static tl_real beside_face(const tl_pair *pair, const tl_vec3 x[4], tl_vec3 apart)
{
    tl_vec3 n = normal_of(pair, x);
    return tl_length(tl_madd(apart, n, -tl_dot(apart, n)));
}

/* Edges that are nearest at an end of one, and more than `soon` metres from crossing over each other: a vertex is
 * nearer. */
static bool left_to_vertex(const tl_vec3 x[4], tl_real soon)
{
    tl_vec3 u = tl_sub(x[1], x[0]), v = tl_sub(x[3], x[2]), w = tl_sub(x[0], x[2]), normal = tl_cross(u, v);
    tl_real a = tl_dot(u, u), b = tl_dot(u, v), c = tl_dot(v, v), d = tl_dot(u, w), e = tl_dot(v, w),
            square = tl_dot(normal, normal);
    tl_real over_a = soon * square / sqrt(a), over_b = soon * square / sqrt(c), s = b * e - c * d, t = a * e - b * d;
    return s < -over_a || s > square + over_a || t < -over_b || t > square + over_b;
}

void tl_pair_look(const tl_surfaces *set, const tl_pair *pair, bool listed, tl_closeness *out)
{
    place(set, pair, listed, out->x);
    out->apart = separation(pair, out->x, &out->feature);
    out->distance = tl_length(out->apart);
}

bool tl_pair_counts(tl_pair *pair, const tl_closeness *near, tl_real gap, tl_real soon, unsigned own)
{
    if (near->distance > gap + soon)
        return false;
    /* a place on the border of a face is on its neighbours too: one of them is enough, unless the vertex is about to
       come over the face itself */
    bool elsewhere = near->feature != 0 && !(near->feature & own) && beside_face(pair, near->x, near->apart) > soon;
    if (elsewhere || (pair->kind == TL_EDGE_EDGE && left_to_vertex(near->x, soon)))
        return false;
    pair->side = near->distance > 0 ? tl_scale(near->apart, 1 / near->distance) : normal_of(pair, near->x);
    return true;
}

/* Twice the room for pairs, or as much as is asked for, and for saying which are near. */
static bool make_room(const tl_allocator *allocator, tl_surface_group *g, int least)
{
    if (least <= g->capacity)
        return true;
    int larger = g->capacity ? 2 * g->capacity : 256;
    larger = larger < least ? least : larger;
    tl_pair *pair = tl_allocate(allocator, (size_t)larger, sizeof *pair);
    tl_near_pair *near = tl_allocate(allocator, (size_t)larger, sizeof *near);
    if (!pair || !near) {
        tl_release(allocator, pair);
        tl_release(allocator, near);
        return false;
    }
    if (g->count > 0)
        memcpy(pair, g->pair, (size_t)g->count * sizeof *pair);
    tl_release(allocator, g->pair);
    tl_release(allocator, g->near);
    g->pair = pair;
    g->near = near;
    g->near_count = 0;
    g->capacity = larger;
    return true;
}

bool tl_group_make_room(const tl_surfaces *set, tl_surface_group *g, int pairs, int crossings, int watches)
{
    bool made = make_room(&set->allocator, g, g->count + pairs);
    while (made && g->crossing_count + crossings > g->crossing_capacity)
        made = tl_grow(&set->allocator, &g->crossing, g->crossing_capacity, &g->crossing_capacity, sizeof *g->crossing);
    while (made && g->watch_count + watches > g->watch_capacity)
        made = tl_grow(&set->allocator, &g->watch, g->watch_capacity, &g->watch_capacity, sizeof *g->watch);
    return made;
}

bool tl_pair_add(const tl_surfaces *set, tl_surface_group *g, const tl_pair *pair)
{
    if (!make_room(&set->allocator, g, g->count + 1))
        return false;
    g->pair[g->count++] = *pair;
    return true;
}

bool tl_pair_is_marked(const tl_surfaces *set, const tl_pair *pair, tl_mark mark)
{
    return tl_features_marked(set->surface[pair->a], set->surface[pair->b], pair->p, pair->kind, mark);
}

static void drop_marked(const tl_surfaces *set, tl_surface_group *g, tl_mark mark)
{
    int kept = 0;
    for (int k = 0; k < g->count; ++k)
        if (!tl_pair_is_marked(set, &g->pair[k], mark)) {
            if (kept < k)
                g->pair[kept] = g->pair[k];
            ++kept;
        }
    g->count = kept;
}

/* More than the two can come nearer to each other as expected, m: quicker to say than tl_features_sweep. */
static tl_real farthest(const tl_surfaces *set, const tl_pair *pair)
{
    const tl_real *a = set->surface[pair->a]->span, *b = set->surface[pair->b]->span;
    const int *p = pair->p;
    return pair->kind == TL_VERTEX_FACE ? a[p[0]] + tl_max(tl_max(b[p[1]], b[p[2]]), b[p[3]])
                                        : tl_max(a[p[0]], a[p[1]]) + tl_max(b[p[2]], b[p[3]]);
}

/* Points that went astray were not listed at the start of this substep: from there the side is seen. */
static void take_side(const tl_surfaces *set, tl_pair *pair)
{
    tl_vec3 x[4];
    unsigned feature;
    place(set, pair, false, x);
    tl_vec3 apart = separation(pair, x, &feature);
    tl_real distance = tl_length(apart);
    pair->side = distance > 0 ? tl_scale(apart, 1 / distance) : normal_of(pair, x);
}

static void consider(const tl_surfaces *set, tl_surface_group *g, tl_pair *pair, unsigned own)
{
    tl_closeness near;
    tl_pair_look(set, pair, true, &near);
    if (near.distance > g->gap + g->margin + farthest(set, pair))
        return;
    tl_real way =
        tl_features_sweep(set->surface[pair->a], set->surface[pair->b], pair->p, pair->kind == TL_VERTEX_FACE ? 1 : 2);
    if (!tl_pair_counts(pair, &near, g->gap, g->margin + way, own))
        return;
    pair->gap = pair->a == pair->b ? gap_of(set->surface[pair->a], pair, g->gap) : g->gap;
    pair->swift = way > pair->gap;
    pair->fresh = true;
    pair->near = near.distance < TL_NEAR_SHARE * pair->gap;
    pair->free = near.distance - way - pair->gap;
    if (tl_pair_is_marked(set, pair, TL_ASTRAY))
        take_side(set, pair);
    g->failed |= !tl_pair_add(set, g, pair);
}

/* Faces with a common corner that bend by less than a right angle against each other do not touch elsewhere, unless a
   cone of cloth winds round that corner: left to the bounds of the safe method. */
static bool only_neighbours(const tl_surface *s, int f, int g)
{
    if (!(tl_dot(tl_bvh_face_normal(&s->tree, f), tl_bvh_face_normal(&s->tree, g)) > 0))
        return false;
    const int *F = s->mesh->face + 3 * (size_t)f, *G = s->mesh->face + 3 * (size_t)g;
    return tl_has_corner(G, F[0]) || tl_has_corner(G, F[1]) || tl_has_corner(G, F[2]);
}

void tl_group_drop_tangled(tl_surfaces *set, tl_surface_group *g)
{
    if (g->crossing_count == 0)
        return;
    tl_surface *a = set->surface[g->a], *b = set->surface[g->b];
    for (int k = 0; k < g->crossing_count; ++k) {
        const tl_crossing *c = &g->crossing[k];
        if (c->beside)
            continue;
        for (int i = 0; i < 2; ++i)
            set->surface[c->edge_surface]->mark[c->edge[i]] |= TL_TANGLED;
        for (int i = 0; i < 3; ++i)
            set->surface[c->face_surface]->mark[c->face[i]] |= TL_TANGLED;
    }
    drop_marked(set, g, TL_TANGLED);
    tl_surface_unmark(a, TL_TANGLED);
    tl_surface_unmark(b, TL_TANGLED);
}

enum { SHARP_KNOWN = 64 };

unsigned tl_sharp_edges(tl_surface *s, tl_real *const x[3], int f, tl_real gap)
{
    if (!s->sharp[f])
        s->sharp[f] = (unsigned char)(SHARP_KNOWN | tl_bent_edges(s, x, f, gap));
    return s->sharp[f];
}

/* Cosine between faces beside a sharply bent edge: a vertex has a few edges to be folded over by. */
#define BENT_COSINE ((tl_real)0.2)

static tl_vec3 normal_at(const tl_surface *s, int half) { return tl_bvh_face_normal(&s->tree, tl_half_face(half)); }

/* Do two faces around the particle look away from each other? */
static bool bends_back(const tl_surface *s, int particle)
{
    const int *first = s->mesh->particle_face + s->mesh->particle_face_start[particle],
              *end = s->mesh->particle_face + s->mesh->particle_face_start[particle + 1];
    for (const int *k = first; k < end; ++k)
        for (const int *j = first; j < k; ++j)
            if (tl_dot(normal_at(s, *k), normal_at(s, *j)) < 0)
                return true;
    return false;
}

/* Marks particles around which the cloth bends back, of those of faces beside edges that are bent sharply. */
static void mark_bent(tl_surface *s)
{
    const tl_mesh *mesh = s->mesh;
    tl_surface_unmark(s, TL_BENT);
    for (int e = 0; e < mesh->edge_count; ++e) {
        int half = mesh->edge_half[e], twin = mesh->twin[half], f = tl_half_face(half), g = tl_half_face(twin);
        if (twin < 0 || tl_dot(normal_at(s, half), normal_at(s, twin)) > BENT_COSINE)
            continue;
        for (int c = 0; c < 3; ++c) {
            s->mark[mesh->face[3 * f + c]] |= TL_BENT;
            s->mark[mesh->face[3 * g + c]] |= TL_BENT;
        }
    }
    for (int i = 0; i < mesh->particle_count; ++i)
        if (s->mark[i] & TL_BENT && !bends_back(s, i))
            s->mark[i] &= (unsigned char)~TL_BENT;
}

/* Fits boxes of both, and what is known of bends. */
static void fit(tl_surfaces *set, const tl_surface_group *g, bool astray)
{
    tl_surface *a = set->surface[g->a], *b = set->surface[g->b];
    tl_real margin = (g->gap + g->margin) / 2;
    for (tl_surface *s = a;; s = b) {
        s->pairs.crossings = !set->safe;
        if (astray)
            tl_fit_astray(&s->pairs, g->gap, margin, NULL);
        else
            tl_fit_all(&s->pairs, g->gap, margin);
        if (s == b)
            break;
    }
    if (a == b && !astray) {
        tl_bvh_bound_normals(&a->tree, NULL);
        mark_bent(a);
    }
}

/* Features of near faces; or only those with a particle astray. */
static void take_features(const tl_surfaces *set, tl_surface_group *g, const tl_face_pairs *all, bool astray)
{
    const tl_surface *a = set->surface[g->a], *b = set->surface[g->b];
    for (int k = 0; k < all->count; ++k) {
        int f = all->pair[k].f, h = all->pair[k].g;
        unsigned near = all->pair[k].near;
        tl_features features;
        if ((a == b && only_neighbours(a, f, h)) ||
            !tl_features_of(&(tl_fitted_face){&a->pairs, f}, &(tl_fitted_face){&b->pairs, h}, near, astray,
                            g->gap + g->margin, &features))
            continue;
        for (int i = 0; i < features.count; ++i) {
            bool swapped = features.entry[i].swapped;
            tl_pair pair = {.a = (short)(swapped ? g->b : g->a),
                            .b = (short)(swapped ? g->a : g->b),
                            .kind = features.entry[i].kind};
            memcpy(pair.p, features.entry[i].p, sizeof pair.p);
            if (!astray || tl_pair_is_marked(set, &pair, TL_ASTRAY))
                consider(set, g, &pair, swapped ? a->owned[f] : b->owned[h]);
        }
        if (near & TL_MAY_CROSS && !set->safe)
            g->failed |= !tl_crossing_find(set, g, f, h, astray);
    }
}

static void collect(tl_surfaces *set, tl_surface_group *g, bool astray)
{
    const tl_surface *a = set->surface[g->a], *b = set->surface[g->b];
    fit(set, g, astray);
    tl_bvh_search search = {&a->tree, &b->tree, TL_FLAT_NEIGHBOURS, TL_SEARCH_PARTS | (astray ? TL_SEARCH_MARKED : 0)};
    tl_gather(set, g, &search, take_features, astray);
    tl_group_drop_tangled(set, g);
}

void tl_group_collect(tl_surfaces *set, tl_surface_group *g)
{
    g->count = g->crossing_count = 0;
    collect(set, g, false);
}

void tl_group_collect_astray(tl_surfaces *set, tl_surface_group *g)
{
    drop_marked(set, g, TL_ASTRAY);
    tl_crossings_drop_astray(set, g);
    collect(set, g, true);
}
