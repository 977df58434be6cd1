/* Which pairs of features are candidates, on which side, and the arrays that hold them. */
#include "contact/broad_phase/candidate.h"

#include "collide/mesh/nearest.h"

#include <string.h>

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

void tl_features_points(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4], unsigned char kind,
                        tl_vec3 x[4])
{
    int split = kind == TL_VERTEX_FACE ? 1 : 2;
    for (int k = 0; k < 4; ++k)
        x[k] = tl_at((k < split ? a : b)->x_old, p[k]);
}

void tl_contact_separation(const tl_contact_world *set, const tl_contact *contact, tl_separation *out)
{
    tl_features_points(set->mesh[contact->a], set->mesh[contact->b], contact->p, contact->kind, out->x);
    out->apart = separation(contact, out->x, &out->feature);
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

/* ---- arrays --------------------------------------------------------------------------------------------------- */

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

bool tl_mesh_pair_reserve(const tl_contact_world *set, tl_mesh_pair *g, int pairs, int crossings, int ccd_pairs,
                          int folded)
{
    bool made = make_room(&set->allocator, g, g->count + pairs);
    while (made && g->crossing_count + crossings > g->crossing_capacity)
        made = tl_grow(&set->allocator, &g->crossing, g->crossing_capacity, &g->crossing_capacity, sizeof *g->crossing);
    while (made && g->ccd_count + ccd_pairs > g->ccd_capacity)
        made = tl_grow(&set->allocator, &g->ccd, g->ccd_capacity, &g->ccd_capacity, sizeof *g->ccd);
    while (made && g->folded_count + folded > g->folded_capacity)
        made = tl_grow(&set->allocator, &g->folded, g->folded_capacity, &g->folded_capacity, sizeof *g->folded);
    return made;
}

bool tl_contact_add(const tl_contact_world *set, tl_mesh_pair *g, const tl_contact *pair)
{
    if (!make_room(&set->allocator, g, g->count + 1))
        return false;
    g->contact[g->count++] = *pair;
    return true;
}

void tl_mesh_pair_drop_marked(const tl_contact_world *set, tl_mesh_pair *g, unsigned mark)
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

void tl_mesh_pair_drop_ccd(const tl_contact_world *set, tl_mesh_pair *g, unsigned mark)
{
    int kept = 0;
    for (int k = 0; k < g->ccd_count; ++k) {
        const tl_ccd_pair *w = &g->ccd[k];
        if (!tl_features_marked(set->mesh[w->a], set->mesh[w->b], w->p, w->kind, mark))
            g->ccd[kept++] = *w;
    }
    g->ccd_count = kept;
}

void tl_mesh_pair_put_aside(tl_contact_world *set, tl_mesh_pair *g, unsigned mark)
{
    int kept = 0;
    set->aside_count = 0;
    for (int k = 0; k < g->count; ++k) {
        const tl_contact *contact = &g->contact[k];
        if (mark && !tl_contact_is_marked(set, contact, mark))
            g->contact[kept++] = *contact;
        else if (tl_grow(&set->allocator, &set->aside, set->aside_count, &set->aside_capacity, sizeof *set->aside))
            set->aside[set->aside_count++] = *contact;
        else
            set->failed = true;
    }
    g->count = kept;
}

/* Hash of the features of a contact. */
static unsigned hash_of(const tl_contact *contact)
{
    unsigned hash = (unsigned)contact->a * 2 + contact->kind;
    for (int k = 0; k < 4; ++k)
        hash = (hash ^ (unsigned)contact->p[k]) * 2654435761u;
    return hash ^ hash >> 15;
}

static bool same_features(const tl_contact *c, const tl_contact *d)
{
    return c->kind == d->kind && c->a == d->a && memcmp(c->p, d->p, sizeof c->p) == 0;
}

/* The place of a contact among those put aside, or the empty one where it belongs; places are a power of two. */
static int *find_aside(const tl_contact_world *set, const tl_contact *contact)
{
    unsigned mask = (unsigned)set->aside_places - 1, at = hash_of(contact) & mask;
    while (set->aside_place[at] && !same_features(&set->aside[set->aside_place[at] - 1], contact))
        at = (at + 1) & mask;
    return &set->aside_place[at];
}

/* Empty places for all that is put aside, at most half of them used. */
static bool clear_places(tl_contact_world *set)
{
    if (set->aside_places < 2 * set->aside_count) {
        int places = 64;
        while (places < 2 * set->aside_count)
            places *= 2;
        tl_release(&set->allocator, set->aside_place);
        set->aside_place = tl_allocate(&set->allocator, (size_t)places, sizeof *set->aside_place);
        set->aside_places = set->aside_place ? places : 0;
    } else {
        memset(set->aside_place, 0, (size_t)set->aside_places * sizeof *set->aside_place);
    }
    return set->aside_place;
}

void tl_mesh_pair_carry_over(tl_contact_world *set, tl_mesh_pair *g, int first)
{
    if (set->aside_count == 0)
        return;
    if (!clear_places(set)) {
        set->failed = true;
        return;
    }
    for (int k = 0; k < set->aside_count; ++k)
        *find_aside(set, &set->aside[k]) = k + 1;
    for (int k = first; k < g->count; ++k) {
        int at = *find_aside(set, &g->contact[k]);
        if (at == 0)
            continue;
        const tl_contact *before = &set->aside[at - 1];
        g->contact[k].near = before->near;
        g->contact[k].pushed = before->pushed;
    }
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
    tl_mesh_pair_drop_marked(set, g, TL_TANGLED);
    tl_contact_mesh_unmark(a, TL_TANGLED);
    tl_contact_mesh_unmark(b, TL_TANGLED);
}

/* ---- edges that count ------------------------------------------------------------------------------------------ */

unsigned tl_bent_edges(const tl_contact_mesh *s, tl_real *const x[3], int f, tl_real gap)
{
    unsigned edges = 0;
    const tl_mesh *mesh = s->mesh;
    for (int k = 0; k < 3; ++k) {
        int half = 3 * f + k, twin = mesh->twin[half];
        if (!(s->owned[f] >> (3 + k) & 1))
            continue;
        bool bent = twin < 0;
        if (!bent) { /* the middle stands out by about a quarter of the length times the sine of the angle */
            tl_vec3 a = tl_at(x, mesh->face[half]), along = tl_sub(tl_at(x, mesh->face[tl_half_next(half)]), a);
            tl_vec3 m = tl_cross(along, tl_sub(tl_at(x, mesh->face[tl_half_prev(half)]), a));
            tl_vec3 n = tl_cross(tl_sub(tl_at(x, mesh->face[tl_half_prev(twin)]), a), along), bend = tl_cross(m, n);
            tl_real sizes = tl_dot(m, m) * tl_dot(n, n), limit = 4 * TL_FLAT_HEIGHT * gap;
            bent = tl_dot(m, n) <= 0 || tl_dot(bend, bend) * tl_dot(along, along) > limit * limit * sizes;
        }
        edges |= bent ? 8u << k : 0;
    }
    return edges;
}

enum { SHARP_KNOWN = 64 };

unsigned tl_sharp_edges(tl_contact_mesh *s, tl_real *const x[3], int f, tl_real gap)
{
    if (!s->query.sharp[f])
        s->query.sharp[f] = (unsigned char)(SHARP_KNOWN | tl_bent_edges(s, x, f, gap));
    return s->query.sharp[f];
}
