/* CCD pairs: all pairs of features that could cross before the candidates expire. None is left out for being a
   neighbour or tangled, only parts of a mesh that are flat as a whole. */
#include "collide/mesh/nearest.h"
#include "contact/broad_phase/candidate.h"
#include "contact/broad_phase/parallel_query.h"
#include "contact/broad_phase/swept_bounds.h"

#include <string.h>

static void add_ccd(const tl_contact_world *set, tl_mesh_pair *g, int a, int b, const int p[4], unsigned char kind)
{
    const tl_contact_mesh *sa = set->mesh[a], *sb = set->mesh[b];
    int split = kind == TL_VERTEX_FACE ? 1 : 2;
    tl_real reach = tl_ccd_gap(g) + g->margin;
    tl_vec3 x[4];
    tl_features_points(sa, sb, p, kind, true, x);
    tl_vec3 apart = tl_nearest_features(x, split);
    tl_real free = tl_length(apart) - tl_features_closing(sa, sb, p, split);
    if (free > reach)
        return;
    if (!tl_grow(&set->allocator, &g->ccd, g->ccd_count, &g->ccd_capacity, sizeof *g->ccd)) {
        g->failed = true;
        return;
    }
    tl_ccd_pair *w = &g->ccd[g->ccd_count++];
    *w = (tl_ccd_pair){.a = (short)a, .b = (short)b, .kind = kind, .clearance = free - tl_ccd_gap(g)};
    memcpy(w->p, p, sizeof w->p);
}

/* May a face fold over before the candidates expire? */
static bool may_fold(const tl_contact_mesh *s, int f, tl_real margin)
{
    const int *p = s->mesh->face + 3 * (size_t)f;
    tl_real motion = tl_features_closing(s, s, (int[]){p[0], p[1], p[1], p[2]}, 2) + margin;
    tl_vec3 x[3] = {tl_at(s->query.start, p[0]), tl_at(s->query.start, p[1]), tl_at(s->query.start, p[2])};
    tl_vec3 e = tl_sub(x[1], x[0]), d = tl_sub(x[2], x[0]), c = tl_sub(x[2], x[1]), n = tl_cross(e, d);
    tl_real longest = tl_max(tl_dot(e, e), tl_max(tl_dot(d, d), tl_dot(c, c)));
    tl_real least = TL_FOLD_FRACTION * TL_FOLD_FRACTION * tl_dot(n, n); /* height² = (2 area)² / longest edge² */
    return motion * motion * longest > least;
}

static void mark_mesh(tl_contact_mesh *s, bool stale, tl_real margin)
{
    int count = stale ? s->query.stale_count : s->mesh->face_count;
    for (int k = 0; k < count; ++k) {
        int f = stale ? s->query.stale[k] : k;
        s->query.may_fold[f] = may_fold(s, f, margin);
    }
}

void tl_ccd_mark_may_fold(tl_contact_world *set, bool stale)
{
    for (int k = 0; k < set->pair_count; ++k) {
        const tl_mesh_pair *g = &set->pair[k];
        if (g->a == g->b)
            mark_mesh(set->mesh[g->a], stale, tl_ccd_gap(g) + g->margin);
    }
}

/* Adds the features of near faces that could cross; or only those with a stale particle. */
static void take_features(const tl_contact_world *set, tl_mesh_pair *g, const tl_face_pairs *all, bool stale)
{
    const tl_contact_mesh *a = set->mesh[g->a], *b = set->mesh[g->b];
    for (int n = 0; n < all->count; ++n) {
        const tl_face_pair *near = &all->pair[n];
        tl_features features;
        tl_features_of(&(tl_bounded_face){&a->query.ccd_bounds, near->f},
                       &(tl_bounded_face){&b->query.ccd_bounds, near->g}, near->near, stale, tl_ccd_gap(g) + g->margin,
                       &features);
        for (int i = 0; i < features.count; ++i) {
            bool swapped = features.entry[i].swapped;
            int sa = swapped ? g->b : g->a, sb = swapped ? g->a : g->b;
            const int *p = features.entry[i].p;
            unsigned char kind = features.entry[i].kind;
            if (!stale || tl_features_marked(set->mesh[sa], set->mesh[sb], p, kind, TL_STALE))
                add_ccd(set, g, sa, sb, p, kind);
        }
    }
}

static void find_pairs(tl_contact_world *set, tl_mesh_pair *g, bool stale)
{
    tl_contact_mesh *a = set->mesh[g->a], *b = set->mesh[g->b];
    tl_real margin = (tl_ccd_gap(g) + g->margin) / 2;
    for (tl_contact_mesh *s = a;; s = b) {
        if (stale)
            tl_swept_bounds_fit_stale(&s->query.ccd_bounds, 0, margin, s->query.may_fold);
        else
            tl_swept_bounds_fit(&s->query.ccd_bounds, 0, margin);
        if (s == b)
            break;
    }
    if (a == b && !stale)
        tl_bvh_bound_normals(a->query.ccd_bounds.tree, a->query.may_fold);
    tl_bvh_search search = {a->query.ccd_bounds.tree, b->query.ccd_bounds.tree, TL_FLAT_PARTS,
                            TL_SEARCH_PARTS | (stale ? TL_SEARCH_MARKED : 0)};
    tl_parallel_query(set, g, &search, take_features, stale);
}

void tl_ccd_find_stale(tl_contact_world *set, tl_mesh_pair *g)
{
    int kept = 0;
    for (int k = 0; k < g->ccd_count; ++k) {
        const tl_ccd_pair *w = &g->ccd[k];
        if (!tl_features_marked(set->mesh[w->a], set->mesh[w->b], w->p, w->kind, TL_STALE))
            g->ccd[kept++] = *w;
    }
    g->ccd_count = kept;
    find_pairs(set, g, true);
}

static void find_all(tl_contact_world *set)
{
    tl_ccd_mark_may_fold(set, false);
    for (int k = 0; k < set->pair_count; ++k) {
        set->pair[k].ccd_count = 0;
        if (tl_is_cloth_pair(set, &set->pair[k]))
            find_pairs(set, &set->pair[k], false);
    }
    set->ccd_valid = true;
}

tl_real tl_ccd_deviation(const tl_contact_world *set, const tl_ccd_pair *w)
{
    const tl_real *a = set->mesh[w->a]->query.deviation, *b = set->mesh[w->b]->query.deviation;
    const int *p = w->p;
    return w->kind == TL_VERTEX_FACE ? a[p[0]] + tl_max(tl_max(b[p[1]], b[p[2]]), b[p[3]])
                                     : tl_max(a[p[0]], a[p[1]]) + tl_max(b[p[2]], b[p[3]]);
}

static bool make_bounds(tl_contact_mesh *s, const tl_allocator *allocator)
{
    if (!s->query.ccd_tree.node) {
        if (!tl_bvh_share(&s->query.ccd_tree, &s->tree, allocator))
            return false;
        s->bytes += s->query.ccd_tree.bytes;
    }
    return tl_swept_bounds_create(&s->query.ccd_bounds, s, &s->query.ccd_tree, TL_EDGES_ALL, allocator);
}

bool tl_broad_phase_prepare_ccd(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        if (!s->self_collides || s->query.may_fold)
            continue;
        if (!s->query.ccd_bounds.edges && !make_bounds(s, &set->allocator))
            return false;
        s->query.may_fold = tl_allocate(&set->allocator, (size_t)s->mesh->face_count, 1);
        if (!s->query.may_fold)
            return false;
        s->bytes += (size_t)s->mesh->face_count;
    }
    return true;
}

void tl_broad_phase_update_ccd(tl_contact_world *set)
{
    if (!tl_broad_phase_holds(set) && !tl_broad_phase_requery(set)) {
        tl_predict_all(set, 1); /* for this substep only */
        set->pairs_valid = set->ccd_valid = false;
    }
    if (!set->ccd_valid)
        find_all(set);
}
