/* The safe method: a bound on every particle's way, such that no order of motions within the bounds can make anything
   cross.

   With d the least distance of any pair of features that a particle belongs to, a way of at most γ d, γ < ½, of all
   particles from the reference state leaves every pair at least (1 − 2γ) d apart (Chen, Hsu, Yuksel et al. 2025,
   "Offset geometric contact"). Where no pair is within the reach of the search, the reach takes the place of d. Ways
   are measured against the mean motion of all cloths that may touch, which changes no distance among them.

   A particle that wants to go farther stops at its bound; that state becomes the reference for new bounds, and it goes
   on from there, a few rounds per substep. What is left after them is given up, with its speed. */
#include "contact/distance.h"
#include "contact/surface.h"

#include <float.h>
#include <string.h>

#define BOUND_SHARE ((tl_real)0.45) /* γ */
#define BOUND_ROUNDS 8              /* references per substep at the most */
#define REACH_SHARE ((tl_real)0.7)  /* of the search, in edge lengths: neighbours in a flat sheet are farther apart */

#ifdef TL_REAL_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON FLT_EPSILON
#endif
/* Distances below this many units in the last place of the coordinates are not to be trusted: no way at all. */
#define TRUSTED_ULPS 16

static bool make_arrays(tl_surfaces *set, tl_surface *s)
{
    size_t points = (size_t)s->mesh->particle_count;
    if (s->bound)
        return true;
    bool made = true;
    for (int c = 0; c < 3; ++c) {
        made = (s->reference[c] = tl_allocate(&set->allocator, points, sizeof(tl_real))) && made;
        made = (s->target[c] = tl_allocate(&set->allocator, points, sizeof(tl_real))) && made;
    }
    made = made && (s->bound = tl_allocate(&set->allocator, points, sizeof(tl_real)));
    s->bytes += 7 * points * sizeof(tl_real);
    return made;
}

/* ---- bounds --------------------------------------------------------------------------------------------------- */

static tl_real distance_of(const int p[4], unsigned char kind, const tl_surface *a, const tl_surface *b)
{
    tl_vec3 x[4];
    int split = kind == TL_VERTEX_FACE ? 1 : 2;
    for (int k = 0; k < 4; ++k)
        x[k] = tl_at((k < split ? a : b)->reference, p[k]);
    if (kind == TL_VERTEX_FACE) {
        tl_real weight[3];
        tl_nearest_on_triangle(x[0], x[1], x[2], x[3], weight);
        return tl_length(tl_sub(x[0], tl_blend3(x[1], x[2], x[3], weight)));
    }
    tl_real s, t;
    tl_nearest_of_segments(x[0], x[1], x[2], x[3], &s, &t);
    return tl_length(tl_sub(tl_lerp(x[0], x[1], s), tl_lerp(x[2], x[3], t)));
}

/* Lowers the bounds of all points of all features of two faces. True when any of them is within reach. */
static bool lower(tl_surface *a, int f, tl_surface *b, int g, tl_real reach)
{
    tl_features features;
    tl_features_of(a, f, a->owned[f], b, g, b->owned[g], &features);
    bool within = false;
    for (int i = 0; i < features.count; ++i) {
        tl_surface *s = features.entry[i].swapped ? b : a, *t = features.entry[i].swapped ? a : b;
        const int *p = features.entry[i].p;
        unsigned char kind = features.entry[i].kind;
        tl_real distance = distance_of(p, kind, s, t);
        if (distance >= reach)
            continue;
        within = true;
        int split = kind == TL_VERTEX_FACE ? 1 : 2;
        for (int k = 0; k < 4; ++k) {
            tl_real *bound = &(k < split ? s : t)->bound[p[k]];
            *bound = tl_min(*bound, distance);
        }
    }
    return within;
}

static int root_of(const tl_surfaces *set, int s)
{
    while (set->surface[s]->component != s)
        s = set->surface[s]->component;
    return s;
}

static tl_real reach_of(const tl_surfaces *set)
{
    tl_real edge = INFINITY;
    for (int s = 0; s < set->count; ++s)
        if (set->surface[s]->layers)
            edge = tl_min(edge, set->surface[s]->mean_edge);
    return REACH_SHARE * edge;
}

static tl_real largest_coordinate(const tl_surface *s)
{
    tl_real most = 0;
    for (int c = 0; c < 3; ++c)
        most = tl_max(most, tl_max(fabs(s->tree.node_box[0].low[c]), fabs(s->tree.node_box[0].high[c])));
    return most;
}

/* Bounds for the state in `reference`. */
static void refresh(tl_surfaces *set)
{
    tl_real reach = reach_of(set);
    ++set->bounds_made;
    for (int s = 0; s < set->count; ++s) {
        tl_surface *a = set->surface[s];
        a->component = s;
        for (int i = 0; a->layers && i < a->mesh->particle_count; ++i)
            a->bound[i] = reach;
        if (a->layers)
            tl_bvh_fit(&a->tree, a->reference, NULL, reach / 2);
    }
    for (int k = 0; k < set->group_count; ++k) {
        tl_surface *a = set->surface[set->group[k].a], *b = set->surface[set->group[k].b];
        if (!b->is_cloth)
            continue;
        set->near.count = 0;
        bool found = a == b ? tl_bvh_self_pairs(&a->tree, false, &set->near, &set->allocator)
                            : tl_bvh_pairs(&a->tree, &b->tree, &set->near, &set->allocator);
        set->failed |= !found;
        bool within = false;
        for (int n = 0; n < set->near.count; ++n)
            within |= lower(a, set->near.pair[n][0], b, set->near.pair[n][1], reach);
        if (within)
            set->surface[root_of(set, set->group[k].b)]->component = root_of(set, set->group[k].a);
    }
    for (int s = 0; s < set->count; ++s) {
        tl_surface *a = set->surface[s];
        tl_real trusted = a->layers ? TRUSTED_ULPS * REAL_EPSILON * largest_coordinate(a) : 0;
        for (int i = 0; a->layers && i < a->mesh->particle_count; ++i)
            a->bound[i] = set->failed ? 0 : a->bound[i] > trusted ? BOUND_SHARE * a->bound[i] : 0;
    }
}

/* ---- ways ----------------------------------------------------------------------------------------------------- */

static void copy(const tl_surface *s, tl_real *const to[3], tl_real *const from[3])
{
    for (int c = 0; c < 3; ++c)
        memcpy(to[c], from[c], (size_t)s->mesh->particle_count * sizeof(tl_real));
}

/* Mean way of a component from its reference to its target. */
static tl_vec3 mean_way(const tl_surfaces *set, int root)
{
    double sum[3] = {0, 0, 0};
    long count = 0;
    for (int s = 0; s < set->count; ++s) {
        const tl_surface *a = set->surface[s];
        if (!a->layers || root_of(set, s) != root)
            continue;
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < a->mesh->particle_count; ++i)
                sum[c] += (double)(a->target[c][i] - a->reference[c][i]);
        count += a->mesh->particle_count;
    }
    double inverse = count > 0 ? 1 / (double)count : 0;
    return tl_v3((tl_real)(sum[0] * inverse), (tl_real)(sum[1] * inverse), (tl_real)(sum[2] * inverse));
}

/* Moves every particle from its reference towards its target as far as its bound allows; how many were stopped. */
static int advance(tl_surfaces *set, bool last, tl_real h)
{
    int cut = 0;
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        if (!s->layers)
            continue;
        tl_vec3 mean = mean_way(set, root_of(set, k));
        for (int i = 0; i < s->mesh->particle_count; ++i) {
            tl_vec3 from = tl_at(s->reference, i), to = tl_at(s->target, i), way = tl_sub(tl_sub(to, from), mean);
            tl_real square = tl_dot(way, way), bound = s->bound[i];
            if (square <= bound * bound || (last && s->w[i] == 0)) {
                tl_put(s->x, i, to);
                continue;
            }
            ++cut;
            tl_put(s->x, i, tl_add(from, tl_madd(mean, way, bound / sqrt(square))));
            if (last && s->w[i] > 0)
                tl_put(s->v, i, tl_scale(tl_sub(tl_at(s->x, i), tl_at(s->x_old, i)), 1 / h));
        }
    }
    return cut;
}

static bool prepare(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k)
        if (set->surface[k]->layers && !make_arrays(set, set->surface[k]))
            return false;
    return true;
}

void tl_surfaces_bound(tl_surfaces *set, tl_real h)
{
    if (!set->safe)
        return;
    if (!prepare(set)) {
        set->failed = true;
        return;
    }
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        if (s->layers && !set->referenced)
            copy(s, s->reference, s->x_old);
        if (s->layers)
            copy(s, s->target, s->x);
    }
    if (!set->referenced)
        refresh(set);
    set->referenced = true;
    for (int round = 1; round <= BOUND_ROUNDS; ++round) {
        bool last = round == BOUND_ROUNDS;
        int cut = advance(set, last, h);
        if (cut == 0 || last) {
            set->cut += cut;
            return;
        }
        for (int k = 0; k < set->count; ++k)
            if (set->surface[k]->layers)
                copy(set->surface[k], set->surface[k]->reference, set->surface[k]->x);
        refresh(set);
    }
}
