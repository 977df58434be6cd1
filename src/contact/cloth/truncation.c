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
   tangled, only parts of a mesh that are flat as a whole (contact/broad_phase); those with a body made of triangles
   come from truncation_body.c: its points move as the body does, whatever the cloth may do.

   Two features that touch or cross already have no such plane, and sometimes no set of planes is found: the particles
   concerned stay where they are in this substep, and are counted. */
#include "contact/cloth/truncation.h"

#include "collide/mesh/nearest.h"
#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/moved.h"
#include "contact/cloth/truncation_body.h"

#include <string.h>

/* `allowed` of a particle that must stay where it is. */
#define TL_HELD ((tl_real)-1)

struct tl_separating_plane {
    int p[4];
    short a, b;
    unsigned char split; /* points of a */
    bool fixed;
    bool touching;          /* nothing separates the two */
    tl_vec3 n;              /* unit, from b to a */
    tl_real above[4];       /* m, distance of each point beyond the nearest one of its feature, along n */
    tl_real distance, keep; /* m */
};

/* ---- planes --------------------------------------------------------------------------------------------------- */

/* Distance to which two features may approach, m: neighbours in one cloth, as the two sides of a slit, keep a fraction
   of their distance at rest where that is less than the gap. */
static tl_real least_distance(const tl_contact_world *set, const tl_separating_plane *plane, tl_real gap, tl_real d)
{
    if (plane->a != plane->b || d > TL_CCD_NARROW * TL_CCD_GAP_FRACTION * gap)
        return TL_CCD_GAP_FRACTION * gap;
    tl_vec3 rest[4];
    for (int k = 0; k < 4; ++k)
        rest[k] = set->mesh[plane->a]->mesh->position[plane->p[k]];
    tl_real at_rest = tl_length(tl_nearest_features(rest, plane->split));
    return tl_max(TL_CCD_GAP_FRACTION * tl_min(gap, at_rest), TL_CCD_FLOOR * gap);
}

static void add_plane(tl_contact_world *set, tl_real gap, int a, int b, const int p[4], unsigned char kind)
{
    if (!tl_grow(&set->allocator, &set->plane, set->plane_count, &set->plane_capacity, sizeof *set->plane)) {
        set->failed = true;
        return;
    }
    int split = kind == TL_VERTEX_FACE ? 1 : 2;
    tl_separating_plane *plane = &set->plane[set->plane_count++];
    *plane = (tl_separating_plane){.a = (short)a, .b = (short)b, .split = (unsigned char)split};
    memcpy(plane->p, p, sizeof plane->p);
    tl_vec3 x[4];
    tl_features_points(set->mesh[a], set->mesh[b], p, kind, x);
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
    tl_real d = plane->distance = tl_max(low - high, 0), least = least_distance(set, plane, gap, d);
    plane->keep = d > least ? tl_max(least, tl_min((1 - TL_CCD_LARGE_LOSS) * d, TL_CCD_GAP_KEPT * gap))
                            : (1 - TL_CCD_SMALL_LOSS) * d;
    plane->touching = !(d > 0);
}

static void make_planes(tl_contact_world *set)
{
    set->plane_count = 0;
    for (int k = 0; k < set->pair_count; ++k) {
        const tl_mesh_pair *pair = &set->pair[k];
        if (!tl_is_cloth_pair(set, pair)) {
            if (set->mesh[pair->a]->self_collides)
                tl_truncation_find_body(set, pair, add_plane);
            continue;
        }
        for (int i = 0; i < pair->ccd_count; ++i) {
            const tl_ccd_pair *ccd = &pair->ccd[i];
            add_plane(set, pair->gap, ccd->a, ccd->b, ccd->p, ccd->kind);
        }
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
    return !plane->touching && h.of[h.low] - h.of[h.high] >= plane->keep;
}

/* Particles concerned go back to where they started. True when one had moved. */
static bool hold_points(const tl_contact_world *set, const tl_separating_plane *plane)
{
    bool any = false;
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = mesh_of(set, plane, k);
        int i = plane->p[k];
        if (!s->is_cloth || s->allowed[i] < 0)
            continue;
        tl_put(s->x, i, tl_at(s->x_old, i));
        s->allowed[i] = TL_HELD;
        any = true;
    }
    return any;
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

/* Room of the nearest particles, m: half of what there is, or what a body leaves that advances by itself. Where a body
   leaves nothing the cloth is pushed, and must not stay behind. */
static tl_real room_between(const tl_contact_world *set, const tl_separating_plane *plane)
{
    tl_real room = plane->distance - plane->keep, advance = 0;
    if (set->mesh[plane->a]->is_cloth && set->mesh[plane->b]->is_cloth)
        return room / 2;
    for (int k = 0; k < 4; ++k) {
        const tl_contact_mesh *s = mesh_of(set, plane, k);
        tl_vec3 displacement = tl_sub(tl_at(s->x, plane->p[k]), tl_at(s->x_old, plane->p[k]));
        if (!s->is_cloth)
            advance = tl_max(advance, tl_dot(plane->n, displacement) * (k < plane->split ? -1 : 1) - plane->above[k]);
    }
    return room - advance;
}

/* Truncates the displacements of all four points at the plane half-way between them. */
static void fix_plane(const tl_contact_world *set, tl_separating_plane *plane)
{
    tl_real nearest = room_between(set, plane);
    plane->fixed = true;
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = mesh_of(set, plane, k);
        int i = plane->p[k];
        tl_vec3 from = tl_at(s->x_old, i), displacement = tl_sub(tl_at(s->x, i), from);
        tl_real approach = tl_dot(plane->n, displacement) * (k < plane->split ? -1 : 1);
        tl_real room = plane->above[k] + nearest;
        if (!s->is_cloth || !(approach > room) || !(approach > 0))
            continue;
        tl_real fraction = tl_max(0, TL_CCD_ROUNDING * room / approach);
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
                bool moves = !plane->touching || hold_points(set, plane);
                if (!plane->touching)
                    fix_plane(set, plane);
                plane->fixed = true;
                changed |= moves;
                any |= moves;
            }
        }
    }
    return any;
}

/* Holds the particles of all planes that are not kept. True when there were any that had moved. */
static bool hold_rest(tl_contact_world *set)
{
    bool any = false;
    for (int k = 0; k < set->plane_count; ++k)
        if (!is_kept(set, &set->plane[k]))
            any |= hold_points(set, &set->plane[k]);
    return any;
}

/* Truncates displacements until nothing can cross; false when out of memory. A stopped particle is not where it was
   predicted: candidates may not bound that, or more CCD pairs may be near. Out of passes, what is not kept is held,
   with what that stops in turn: in every pass at least one particle more, so that it ends. */
static bool truncate_all(tl_contact_world *set)
{
    for (int pass = 0;; ++pass) {
        tl_broad_phase_update_ccd(set);
        make_planes(set);
        if (set->failed)
            return false;
        if (pass == 0 && push_apart(set)) {
            tl_contacts_hold_back(set, true); /* nothing is pushed into a body made of triangles */
            continue;                         /* positions have changed */
        }
        if (!(pass < TL_CCD_PASSES ? keep_planes(set) : hold_rest(set)))
            return true;
    }
}

/* ---- a substep ------------------------------------------------------------------------------------------------ */

static bool prepare(tl_contact_world *set)
{
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
    set->held = 0;
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        memset(s->touched, 0, (size_t)s->mesh->particle_count / TL_CONTACT_MESH_BLOCK + 1);
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; ++i) {
            if (s->allowed[i] == 1)
                continue;
            ++truncated;
            if (s->allowed[i] < 0 && set->held++ == 0)
                set->held_at = tl_at(s->x, i);
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
                s->allowed[i] = TL_HELD;
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
    tl_truncation_find_tangled(set);
    for (int attempt = 0; attempt < TL_CCD_ATTEMPTS && truncated > 0; ++attempt) {
        if (attempt > 0)
            tl_project_out_of_bodies(set);
        allow_all(set);
        if (!truncate_all(set))
            freeze(set);
        truncated = stop_truncated(set);
    }
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            tl_contact_mesh_unmark(set->mesh[k], TL_INSIDE);
    set->truncated += truncated;
    set->most_held = set->held > set->most_held ? set->held : set->most_held;
    return truncated;
}
