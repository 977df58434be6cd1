/* Penetration-free contact: displacements of particles are truncated so that nothing can cross.

   Two convex features at distance d > 0 have a separating plane, with normal n along the line of their nearest points.
   Points move on straight lines within a substep: when all points of a are at least `keep` above all points of b along
   n, at its start and at its end, they are so all the time, and the features have not touched. Motion along the plane
   is free.

   Where that fails, the plane half-way between the two is fixed in space for the substep, and each of the four points
   may move as far towards it as leaves the features `keep` apart. This bounds the fraction of its displacement that
   each point may keep, whatever the others do; fractions only ever decrease, so that planes that are kept stay kept
   ("planar truncation" of the bounds of Chen, Hsu, Yuksel et al. 2025, "Offset geometric contact"). Pinned particles
   are bounded like others.

   All pairs of features that could cross in the substep are tested: none is left out for being a neighbour or
   tangled, only parts of a mesh that are flat as a whole. They come from queries that last several substeps
   (contact/broad_phase/broad_phase_ccd.c). */
#include "contact/cloth/truncation.h"

#include "collide/mesh/nearest.h"
#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/path_length.h"

#include <string.h>

struct tl_separating_plane {
    int p[4];
    short a, b;
    unsigned char split; /* points of a */
    bool fixed;
    tl_vec3 n;              /* unit, from b to a */
    tl_real above[4];       /* m, distance of each point beyond the nearest one of its feature, along n */
    tl_real distance, keep; /* m */
};

/* ---- planes --------------------------------------------------------------------------------------------------- */

static void add_plane(tl_contact_world *set, const tl_mesh_pair *pair, const tl_ccd_pair *ccd)
{
    if (!tl_grow(&set->allocator, &set->plane, set->plane_count, &set->plane_capacity, sizeof *set->plane)) {
        set->failed = true;
        return;
    }
    int split = ccd->kind == TL_VERTEX_FACE ? 1 : 2;
    tl_separating_plane *plane = &set->plane[set->plane_count++];
    *plane = (tl_separating_plane){.a = ccd->a, .b = ccd->b, .split = (unsigned char)split};
    memcpy(plane->p, ccd->p, sizeof plane->p);
    tl_vec3 x[4];
    tl_features_points(set->mesh[ccd->a], set->mesh[ccd->b], ccd->p, ccd->kind, false, x);
    tl_vec3 apart = tl_nearest_features(x, split);
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
    tl_real d = plane->distance = tl_max(low - high, 0), least = tl_ccd_gap(pair);
    plane->keep = d > least ? tl_max(least, (1 - TL_CCD_LARGE_LOSS) * d) : (1 - TL_CCD_SMALL_LOSS) * d;
}

static void make_planes(tl_contact_world *set)
{
    set->plane_count = 0;
    for (int k = 0; k < set->pair_count; ++k) {
        const tl_mesh_pair *pair = &set->pair[k];
        tl_real used = tl_mesh_pair_deviation(set, pair);
        for (int i = 0; i < pair->ccd_count; ++i)
            if (pair->ccd[i].clearance <= used && pair->ccd[i].clearance <= tl_ccd_deviation(set, &pair->ccd[i]))
                add_plane(set, pair, &pair->ccd[i]);
    }
}

static tl_contact_mesh *mesh_of(const tl_contact_world *set, const tl_separating_plane *plane, int k)
{
    return set->mesh[k < plane->split ? plane->a : plane->b];
}

/* Heights of the four points along the normal, and which of each feature is nearest to the other. */
typedef struct heights {
    tl_real of[4]; /* m */
    int low, high; /* of a, of b */
} heights;

static heights heights_of(const tl_contact_world *set, const tl_separating_plane *plane)
{
    heights h = {.low = 0, .high = 3};
    tl_vec3 origin = tl_at(set->mesh[plane->b]->x, plane->p[3]);
    for (int k = 0; k < 4; ++k) {
        h.of[k] = tl_dot(plane->n, tl_sub(tl_at(mesh_of(set, plane, k)->x, plane->p[k]), origin));
        if (k < plane->split && h.of[k] < h.of[h.low])
            h.low = k;
        if (k >= plane->split && h.of[k] > h.of[h.high])
            h.high = k;
    }
    return h;
}

static bool is_kept(const tl_contact_world *set, const tl_separating_plane *plane)
{
    heights h = heights_of(set, plane);
    return h.of[h.low] - h.of[h.high] >= plane->keep;
}

/* Removes the approach velocity of two points. */
static void stop_approach(const tl_contact_world *set, const tl_separating_plane *plane, int low, int high, tl_real wa,
                          tl_real wb)
{
    tl_contact_mesh *a = mesh_of(set, plane, low), *b = mesh_of(set, plane, high);
    tl_real ua = tl_dot(plane->n, tl_at(a->v, plane->p[low])), ub = tl_dot(plane->n, tl_at(b->v, plane->p[high]));
    if (!(ua < ub))
        return;
    tl_real common = (ua * wb + ub * wa) / (wa + wb);
    if (wa > 0)
        tl_accumulate(a->v, plane->p[low], tl_scale(plane->n, common - ua));
    if (wb > 0)
        tl_accumulate(b->v, plane->p[high], tl_scale(plane->n, common - ub));
}

/* Pushes the two apart by their inverse masses, so that what drives one drives the other before displacements are
   truncated. True when they were too close. */
static bool push(const tl_contact_world *set, const tl_separating_plane *plane)
{
    heights h = heights_of(set, plane);
    tl_real missing = TL_CCD_PUSH * plane->keep - (h.of[h.low] - h.of[h.high]);
    tl_real wa = mesh_of(set, plane, h.low)->w[plane->p[h.low]], wb = mesh_of(set, plane, h.high)->w[plane->p[h.high]];
    if (h.of[h.low] - h.of[h.high] >= plane->keep || !(wa + wb > 0))
        return false;
    tl_real floor = h.of[h.low] + missing * wa / (wa + wb), ceiling = h.of[h.high] - missing * wb / (wa + wb);
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = mesh_of(set, plane, k);
        tl_real by = k < plane->split ? tl_max(floor - h.of[k], 0) : tl_min(ceiling - h.of[k], 0);
        if (s->w[plane->p[k]] > 0)
            tl_accumulate(s->x, plane->p[k], tl_scale(plane->n, by));
    }
    stop_approach(set, plane, h.low, h.high, wa, wb);
    return true;
}

static bool push_apart(const tl_contact_world *set)
{
    bool any = false, more = true;
    for (int sweep = 0; sweep < TL_CCD_PUSHES && more; ++sweep) {
        more = false;
        for (int k = 0; k < set->plane_count; ++k)
            more |= push(set, &set->plane[k]);
        any |= more;
    }
    return any;
}

/* Truncates the displacements of all four points at the plane half-way between them. */
static void fix_plane(const tl_contact_world *set, tl_separating_plane *plane)
{
    plane->fixed = true;
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = mesh_of(set, plane, k);
        int i = plane->p[k];
        tl_vec3 from = tl_at(s->x_old, i), displacement = tl_sub(tl_at(s->x, i), from);
        tl_real approach = tl_dot(plane->n, displacement) * (k < plane->split ? -1 : 1);
        tl_real room = plane->above[k] + (plane->distance - plane->keep) / 2;
        if (!(approach > room))
            continue;
        tl_real fraction = TL_CCD_ROUNDING * room / approach;
        s->allowed[i] *= fraction;
        tl_put(s->x, i, tl_madd(from, displacement, fraction));
    }
}

/* Checks all planes until every one is kept. True when a displacement was truncated. */
static bool keep_planes(tl_contact_world *set)
{
    bool changed = set->plane_count > 0, any = false;
    for (int round = 0; changed; ++round) {
        changed = false;
        for (int k = 0; k < set->plane_count; ++k) {
            tl_separating_plane *plane = &set->plane[k];
            if (!plane->fixed && (round == TL_CCD_ROUNDS || !is_kept(set, plane))) {
                fix_plane(set, plane);
                changed = any = true;
            }
        }
    }
    return any;
}

/* Truncates displacements until nothing can cross; false when out of memory or passes. A stopped particle is not
   where it was predicted: candidates may not bound that, or more CCD pairs may be near. */
static bool truncate_all(tl_contact_world *set)
{
    for (int pass = 0; pass < TL_CCD_PASSES; ++pass) {
        tl_broad_phase_update_ccd(set);
        make_planes(set);
        if (set->failed)
            return false;
        if (pass == 0 && push_apart(set))
            continue; /* positions have changed */
        if (!keep_planes(set))
            return true;
    }
    return false;
}

/* ---- a substep ------------------------------------------------------------------------------------------------ */

static bool prepare(tl_contact_world *set)
{
    if (!tl_broad_phase_prepare_ccd(set))
        return false;
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        size_t points = (size_t)s->mesh->particle_count;
        if (!s->self_collides || s->allowed)
            continue;
        s->allowed = tl_allocate(&set->allocator, points, sizeof(tl_real));
        if (!s->allowed)
            return false;
        s->bytes += points * sizeof(tl_real);
    }
    return true;
}

/* Marks and counts truncated particles; they lose the velocity, and `cut` is the longest way that this takes away. */
static int stop_truncated(tl_contact_world *set)
{
    int truncated = 0;
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        memset(s->touched, 0, (size_t)s->mesh->particle_count / TL_CONTACT_MESH_BLOCK + 1);
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; ++i) {
            if (s->allowed[i] == 1)
                continue;
            ++truncated;
            if (s->w[i] == 0)
                continue;
            tl_vec3 before = tl_at(s->v, i), after = tl_scale(tl_sub(tl_at(s->x, i), tl_at(s->x_old, i)), 1 / set->h);
            set->cut = tl_max(set->cut, set->h * tl_length(tl_sub(before, after)));
            tl_put(s->v, i, after);
            s->touched[i / TL_CONTACT_MESH_BLOCK] = 1;
        }
    }
    return truncated;
}

static void allow_all(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; ++i)
            s->allowed[i] = 1;
    }
}

/* Nothing moves when it is unknown what could cross. */
static void freeze(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; ++i) {
            tl_put(s->x, i, tl_at(s->x_old, i));
            if (s->allowed)
                s->allowed[i] = 0;
        }
    }
}

int tl_contacts_truncate(tl_contact_world *set)
{
    if (!prepare(set)) {
        set->failed = true;
        freeze(set);
        return 0;
    }
    int truncated = 1;
    set->cut = 0;
    for (int attempt = 0; attempt < TL_CCD_ATTEMPTS && truncated > 0; ++attempt) {
        if (attempt > 0)
            tl_project_out_of_bodies(set);
        allow_all(set);
        if (!truncate_all(set))
            freeze(set);
        truncated = stop_truncated(set);
    }
    set->truncated += truncated;
    return truncated;
}
