/* The safe method: ways of particles are shortened so that nothing can cross.

   Two convex features at distance d > 0 have a plane between them, with normal n along the line of their nearest
   points. Points move on straight lines within a substep: when all points of a are at least `keep` above all points of
   b along n, at its start and at its end, they are so all the time, and the features have not met. Motion along the
   plane is free.

   Where that fails, the plane half-way between the two is fixed in space for the substep, and each of the four points
   may go as far towards it as leaves the pair `keep` apart. This is a bound on the share of its way that each point may
   go, whatever the others do; shares only ever become less, so that what holds goes on to hold ("planar truncation" of
   the bounds of Chen, Hsu, Yuksel et al. 2025, "Offset geometric contact"). Held particles are bounded like others.

   All pairs of features that could meet in the substep are looked at: none is left out for being a neighbour or
   tangled, only parts of a surface that are flat as a whole. They come from lists that last several substeps
   (contact/surface.c). */
#include "contact/distance.h"
#include "contact/fit.h"
#include "contact/gather.h"

#include <string.h>

/* Pairs may come as near to each other as this share of their gap; nearer ones, not noticeably nearer. */
#define LEAST_OF_GAP ((tl_real)0.1)
#define LEAST_LOSS ((tl_real)1e-3)
/* and a pair does not lose more than this share of its distance in a substep */
#define LARGEST_LOSS ((tl_real)0.8)
#define ROUNDING ((tl_real)0.99) /* of the room, is used */

enum {
    ROUNDS = 24, /* of looking at planes again after ways were shortened; then all planes are fixed */
    PUSHES = 8,  /* sweeps of pushing apart before that */
    PASSES = 8,  /* of looking for further planes after that; then nothing moves in this substep */
    ATTEMPTS = 3 /* of bringing what was stopped out of bodies, and bounding that again */
};

struct tl_plane {
    int p[4];
    short a, b;
    unsigned char split; /* points of a */
    bool fixed;
    tl_vec3 n;              /* unit, from b to a */
    tl_real above[4];       /* m, by which each point is farther from the other feature than the nearest, along n */
    tl_real distance, keep; /* m */
};

/* ---- what to watch -------------------------------------------------------------------------------------------- */

static tl_real least_of(const tl_surface_group *g) { return LEAST_OF_GAP * g->gap; }

/* From the nearest point of b to that of a. */
static tl_vec3 separation(const tl_vec3 x[4], int split)
{
    if (split == 1) {
        tl_real w[3];
        tl_nearest_on_triangle(x[0], x[1], x[2], x[3], w);
        return tl_sub(x[0], tl_blend3(x[1], x[2], x[3], w));
    }
    tl_real s, t;
    tl_nearest_of_segments(x[0], x[1], x[2], x[3], &s, &t);
    return tl_sub(tl_lerp(x[0], x[1], s), tl_lerp(x[2], x[3], t));
}

static void watch(const tl_surfaces *set, tl_surface_group *g, int a, int b, const int p[4], unsigned char kind)
{
    const tl_surface *sa = set->surface[a], *sb = set->surface[b];
    int split = kind == TL_VERTEX_FACE ? 1 : 2;
    tl_real reach = least_of(g) + g->margin;
    tl_vec3 x[4];
    tl_features_place(sa, sb, p, kind, true, x);
    tl_vec3 apart = separation(x, split);
    tl_real free = tl_length(apart) - tl_features_sweep(sa, sb, p, split);
    if (free > reach)
        return;
    if (!tl_grow(&set->allocator, &g->watch, g->watch_count, &g->watch_capacity, sizeof *g->watch)) {
        g->failed = true;
        return;
    }
    tl_watch *w = &g->watch[g->watch_count++];
    *w = (tl_watch){.a = (short)a, .b = (short)b, .kind = kind, .free = free - least_of(g)};
    memcpy(w->p, p, sizeof w->p);
}

/* Share of the least height of a face by which its corners may move against each other while it counts as flat. */
#define LIVELY_SHARE ((tl_real)0.5)

/* May a face turn over during the life of the lists? */
static bool is_lively(const tl_surface *s, int f, tl_real margin)
{
    const int *p = s->mesh->face + 3 * (size_t)f;
    tl_real motion = tl_features_sweep(s, s, (int[]){p[0], p[1], p[1], p[2]}, 2) + margin;
    tl_vec3 x[3] = {tl_at(s->listed, p[0]), tl_at(s->listed, p[1]), tl_at(s->listed, p[2])};
    tl_vec3 e = tl_sub(x[1], x[0]), d = tl_sub(x[2], x[0]), c = tl_sub(x[2], x[1]), n = tl_cross(e, d);
    tl_real longest = tl_max(tl_dot(e, e), tl_max(tl_dot(d, d), tl_dot(c, c)));
    tl_real least = LIVELY_SHARE * LIVELY_SHARE * tl_dot(n, n); /* height² = (2 area)² / longest edge² */
    return motion * motion * longest > least;
}

static void mark_lively(tl_surface *s, bool astray, tl_real margin)
{
    int count = astray ? s->astray_count : s->mesh->face_count;
    for (int k = 0; k < count; ++k) {
        int f = astray ? s->astray[k] : k;
        s->lively[f] = is_lively(s, f, margin);
    }
}

void tl_watch_lively(tl_surfaces *set, bool astray)
{
    for (int k = 0; k < set->group_count; ++k) {
        const tl_surface_group *g = &set->group[k];
        if (g->a == g->b)
            mark_lively(set->surface[g->a], astray, least_of(g) + g->margin);
    }
}

/* Watches what of near faces could meet; or only what has a particle astray in it. */
static void watch_features(const tl_surfaces *set, tl_surface_group *g, const tl_face_pairs *all, bool astray)
{
    const tl_surface *a = set->surface[g->a], *b = set->surface[g->b];
    for (int n = 0; n < all->count; ++n) {
        const tl_face_pair *near = &all->pair[n];
        tl_features features;
        tl_features_of(&(tl_fitted_face){&a->watch, near->f}, &(tl_fitted_face){&b->watch, near->g}, near->near, astray,
                       least_of(g) + g->margin, &features);
        for (int i = 0; i < features.count; ++i) {
            bool swapped = features.entry[i].swapped;
            int sa = swapped ? g->b : g->a, sb = swapped ? g->a : g->b;
            const int *p = features.entry[i].p;
            unsigned char kind = features.entry[i].kind;
            if (!astray || tl_features_marked(set->surface[sa], set->surface[sb], p, kind, TL_ASTRAY))
                watch(set, g, sa, sb, p, kind);
        }
    }
}

static void watch_faces(tl_surfaces *set, tl_surface_group *g, bool astray)
{
    tl_surface *a = set->surface[g->a], *b = set->surface[g->b];
    tl_real margin = (least_of(g) + g->margin) / 2;
    for (tl_surface *s = a;; s = b) {
        if (astray)
            tl_fit_astray(&s->watch, 0, margin, s->lively);
        else
            tl_fit_all(&s->watch, 0, margin);
        if (s == b)
            break;
    }
    if (a == b && !astray)
        tl_bvh_bound_normals(a->watch.tree, a->lively);
    tl_bvh_search search = {a->watch.tree, b->watch.tree, TL_FLAT_PARTS,
                            TL_SEARCH_PARTS | (astray ? TL_SEARCH_MARKED : 0)};
    tl_gather(set, g, &search, watch_features, astray);
}

void tl_group_watch_astray(tl_surfaces *set, tl_surface_group *g)
{
    int kept = 0;
    for (int k = 0; k < g->watch_count; ++k) {
        const tl_watch *w = &g->watch[k];
        if (!tl_features_marked(set->surface[w->a], set->surface[w->b], w->p, w->kind, TL_ASTRAY))
            g->watch[kept++] = *w;
    }
    g->watch_count = kept;
    watch_faces(set, g, true);
}

static void watch_all(tl_surfaces *set)
{
    tl_watch_lively(set, false);
    for (int k = 0; k < set->group_count; ++k) {
        set->group[k].watch_count = 0;
        if (tl_group_of_cloths(set, &set->group[k]))
            watch_faces(set, &set->group[k], false);
    }
    set->watched = true;
}

/* ---- planes --------------------------------------------------------------------------------------------------- */

static void add_plane(tl_surfaces *set, const tl_surface_group *g, const tl_watch *w)
{
    if (!tl_grow(&set->allocator, &set->plane, set->plane_count, &set->plane_capacity, sizeof *set->plane)) {
        set->failed = true;
        return;
    }
    int split = w->kind == TL_VERTEX_FACE ? 1 : 2;
    tl_plane *plane = &set->plane[set->plane_count++];
    *plane = (tl_plane){.a = w->a, .b = w->b, .split = (unsigned char)split};
    memcpy(plane->p, w->p, sizeof plane->p);
    tl_vec3 x[4];
    tl_features_place(set->surface[w->a], set->surface[w->b], w->p, w->kind, false, x);
    tl_vec3 apart = separation(x, split);
    plane->n = tl_normalized(apart);
    tl_real low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 4; ++k) {
        plane->above[k] = tl_dot(plane->n, tl_sub(x[k], x[3]));
        if (k < split)
            low = tl_min(low, plane->above[k]);
        else
            high = tl_max(high, plane->above[k]);
    }
    for (int k = 0; k < 4; ++k)
        plane->above[k] = k < split ? plane->above[k] - low : high - plane->above[k];
    tl_real d = plane->distance = tl_max(low - high, 0), least = least_of(g);
    plane->keep = d > least ? tl_max(least, (1 - LARGEST_LOSS) * d) : (1 - LEAST_LOSS) * d;
}

/* How far the two can have come nearer to each other than expected, m. */
static tl_real surprise(const tl_surfaces *set, const tl_watch *w)
{
    const tl_real *a = set->surface[w->a]->surprise, *b = set->surface[w->b]->surprise;
    const int *p = w->p;
    return w->kind == TL_VERTEX_FACE ? a[p[0]] + tl_max(tl_max(b[p[1]], b[p[2]]), b[p[3]])
                                     : tl_max(a[p[0]], a[p[1]]) + tl_max(b[p[2]], b[p[3]]);
}

static void make_planes(tl_surfaces *set)
{
    set->plane_count = 0;
    for (int k = 0; k < set->group_count; ++k) {
        const tl_surface_group *g = &set->group[k];
        tl_real used = tl_group_used(set, g);
        for (int i = 0; i < g->watch_count; ++i)
            if (g->watch[i].free <= used && g->watch[i].free <= surprise(set, &g->watch[i]))
                add_plane(set, g, &g->watch[i]);
    }
}

static tl_surface *surface_of(const tl_surfaces *set, const tl_plane *plane, int k)
{
    return set->surface[k < plane->split ? plane->a : plane->b];
}

/* Heights of the four points along the normal, and which of each side is nearest to the other. */
typedef struct heights {
    tl_real of[4]; /* m */
    int low, high; /* of a, of b */
} heights;

static heights heights_of(const tl_surfaces *set, const tl_plane *plane)
{
    heights h = {.low = 0, .high = 3};
    tl_vec3 origin = tl_at(set->surface[plane->b]->x, plane->p[3]);
    for (int k = 0; k < 4; ++k) {
        h.of[k] = tl_dot(plane->n, tl_sub(tl_at(surface_of(set, plane, k)->x, plane->p[k]), origin));
        if (k < plane->split && h.of[k] < h.of[h.low])
            h.low = k;
        if (k >= plane->split && h.of[k] > h.of[h.high])
            h.high = k;
    }
    return h;
}

static bool is_kept(const tl_surfaces *set, const tl_plane *plane)
{
    heights h = heights_of(set, plane);
    return h.of[h.low] - h.of[h.high] >= plane->keep;
}

/* Takes away the speed with which the two points approach each other. */
static void stop_approach(const tl_surfaces *set, const tl_plane *plane, int low, int high, tl_real wa, tl_real wb)
{
    tl_surface *a = surface_of(set, plane, low), *b = surface_of(set, plane, high);
    tl_real ua = tl_dot(plane->n, tl_at(a->v, plane->p[low])), ub = tl_dot(plane->n, tl_at(b->v, plane->p[high]));
    if (!(ua < ub))
        return;
    tl_real common = (ua * wb + ub * wa) / (wa + wb);
    if (wa > 0)
        tl_accumulate(a->v, plane->p[low], tl_scale(plane->n, common - ua));
    if (wb > 0)
        tl_accumulate(b->v, plane->p[high], tl_scale(plane->n, common - ub));
}

#define PUSH ((tl_real)1.05) /* of what is kept: a little more, so that the push is enough after rounding */

/* Pushes the two apart as their masses share it, so that what drives one drives the other before ways are shortened.
   True when they were too near. */
static bool push(const tl_surfaces *set, const tl_plane *plane)
{
    heights h = heights_of(set, plane);
    tl_real short_of = PUSH * plane->keep - (h.of[h.low] - h.of[h.high]);
    tl_real wa = surface_of(set, plane, h.low)->w[plane->p[h.low]],
            wb = surface_of(set, plane, h.high)->w[plane->p[h.high]];
    if (h.of[h.low] - h.of[h.high] >= plane->keep || !(wa + wb > 0))
        return false;
    tl_real floor = h.of[h.low] + short_of * wa / (wa + wb), ceiling = h.of[h.high] - short_of * wb / (wa + wb);
    for (int k = 0; k < 4; ++k) {
        tl_surface *s = surface_of(set, plane, k);
        tl_real by = k < plane->split ? tl_max(floor - h.of[k], 0) : tl_min(ceiling - h.of[k], 0);
        if (s->w[plane->p[k]] > 0)
            tl_accumulate(s->x, plane->p[k], tl_scale(plane->n, by));
    }
    stop_approach(set, plane, h.low, h.high, wa, wb);
    return true;
}

static bool push_apart(const tl_surfaces *set)
{
    bool any = false, more = true;
    for (int sweep = 0; sweep < PUSHES && more; ++sweep) {
        more = false;
        for (int k = 0; k < set->plane_count; ++k)
            more |= push(set, &set->plane[k]);
        any |= more;
    }
    return any;
}

/* Bounds the shares of all four points by the plane half-way between them. */
static void fix(const tl_surfaces *set, tl_plane *plane)
{
    plane->fixed = true;
    for (int k = 0; k < 4; ++k) {
        tl_surface *s = surface_of(set, plane, k);
        int i = plane->p[k];
        tl_vec3 from = tl_at(s->x_old, i), way = tl_sub(tl_at(s->x, i), from);
        tl_real approach = tl_dot(plane->n, way) * (k < plane->split ? -1 : 1);
        tl_real room = plane->above[k] + (plane->distance - plane->keep) / 2;
        if (!(approach > room))
            continue;
        tl_real part = ROUNDING * room / approach;
        s->share[i] *= part;
        tl_put(s->x, i, tl_madd(from, way, part));
    }
}

/* Looks at all planes until every one is kept. True when that took anything away from a way. */
static bool keep_planes(tl_surfaces *set)
{
    bool changed = set->plane_count > 0, any = false;
    for (int round = 0; changed; ++round) {
        changed = false;
        for (int k = 0; k < set->plane_count; ++k) {
            tl_plane *plane = &set->plane[k];
            if (!plane->fixed && (round == ROUNDS || !is_kept(set, plane))) {
                fix(set, plane);
                changed = any = true;
            }
        }
    }
    return any;
}

/* Shortens ways until nothing can cross; false when memory is short or there is no end of it. A particle that was
   stopped is not where it was expected: the lists may not hold for that, or more of what they watch may be near. */
static bool shorten(tl_surfaces *set)
{
    for (int pass = 0; pass < PASSES; ++pass) {
        if (!tl_surfaces_expected(set) && !tl_surfaces_relist(set)) {
            tl_surfaces_expect(set, 1); /* for this substep only */
            set->listed = set->watched = false;
        }
        if (!set->watched)
            watch_all(set);
        make_planes(set);
        if (set->failed)
            return false;
        if (pass == 0 && push_apart(set))
            continue; /* things are elsewhere now */
        if (!keep_planes(set))
            return true;
    }
    return false;
}

/* ---- a substep ------------------------------------------------------------------------------------------------ */

static bool make_watch(tl_surface *s, const tl_allocator *allocator)
{
    if (!s->watch_tree.node) {
        if (!tl_bvh_share(&s->watch_tree, &s->tree, allocator))
            return false;
        s->bytes += s->watch_tree.bytes;
    }
    return tl_fit_make(&s->watch, s, &s->watch_tree, TL_EDGES_ALL, allocator);
}

static bool prepare(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        size_t points = (size_t)s->mesh->particle_count;
        if (!s->layers || s->share)
            continue;
        if (!s->watch.edges && !make_watch(s, &set->allocator))
            return false;
        s->lively = s->lively ? s->lively : tl_allocate(&set->allocator, (size_t)s->mesh->face_count, 1);
        s->share = s->lively ? tl_allocate(&set->allocator, points, sizeof(tl_real)) : NULL;
        if (!s->share)
            return false;
        s->bytes += points * sizeof(tl_real) + (size_t)s->mesh->face_count;
    }
    return true;
}

/* Marks and counts what was stopped on its way; it loses the speed. */
static int stop(tl_surfaces *set, tl_real h)
{
    int cut = 0;
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        memset(s->touched, 0, (size_t)s->mesh->particle_count / TL_SURFACE_BLOCK + 1);
        for (int i = 0; s->layers && i < s->mesh->particle_count; ++i) {
            if (s->share[i] == 1)
                continue;
            ++cut;
            if (s->w[i] == 0)
                continue;
            tl_put(s->v, i, tl_scale(tl_sub(tl_at(s->x, i), tl_at(s->x_old, i)), 1 / h));
            s->touched[i / TL_SURFACE_BLOCK] = 1;
        }
    }
    return cut;
}

static void start(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        for (int i = 0; s->layers && i < s->mesh->particle_count; ++i)
            s->share[i] = 1;
    }
}

/* Without knowing what could cross, nothing moves. */
static void stay(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        for (int i = 0; s->layers && i < s->mesh->particle_count; ++i) {
            tl_put(s->x, i, tl_at(s->x_old, i));
            if (s->share)
                s->share[i] = 0;
        }
    }
}

void tl_surfaces_bound(tl_surfaces *set, tl_real h)
{
    if (!set->safe)
        return;
    if (!prepare(set)) {
        set->failed = true;
        stay(set);
        return;
    }
    int cut = 1;
    for (int attempt = 0; attempt < ATTEMPTS && cut > 0; ++attempt) {
        if (attempt > 0)
            set->settle(set->settle_user);
        start(set);
        if (!shorten(set))
            stay(set);
        cut = stop(set, h);
    }
    set->cut += cut;
}
