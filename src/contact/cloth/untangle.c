/* Pulls crossing features apart by shortening the intersection contour of two meshes (Volino and Magnenat-Thalmann
   2006, "Resolving surface collisions through intersection contour minimization").

   Where an edge with unit direction E pierces a face with normal N, the contour enters each face of the edge along
   the unit vector R. Moving the edge relative to the pierced face by G = Σ (R − 2 (E·R)/(E·N) N), over the faces of
   the edge, shortens the contour fastest. It needs no sides and no history. */
#include "contact/cloth/untangle.h"

#include "collide/mesh/nearest.h"

static bool add_crossing(const tl_contact_world *set, tl_mesh_pair *pair, const tl_crossing *crossing)
{
    if (!tl_grow(&set->allocator, &pair->crossing, pair->crossing_count, &pair->crossing_capacity,
                 sizeof *pair->crossing))
        return false;
    pair->crossing[pair->crossing_count++] = *crossing;
    return true;
}

static bool is_stale(const tl_contact_world *set, const tl_crossing *c)
{
    const unsigned char *e = set->mesh[c->edge_mesh]->mark, *f = set->mesh[c->face_mesh]->mark;
    return (e[c->edge[0]] | e[c->edge[1]] | f[c->face[0]] | f[c->face[1]] | f[c->face[2]]) & TL_STALE;
}

void tl_crossings_drop_stale(const tl_contact_world *set, tl_mesh_pair *pair)
{
    int kept = 0;
    for (int k = 0; k < pair->crossing_count; ++k)
        if (!is_stale(set, &pair->crossing[k]))
            pair->crossing[kept++] = pair->crossing[k];
    pair->crossing_count = kept;
}

/* Does a face around the particle have one of the three as a corner? */
static bool is_beside(const tl_mesh *mesh, int particle, const int corner[3])
{
    for (int k = mesh->particle_face_start[particle]; k < mesh->particle_face_start[particle + 1]; ++k) {
        const int *face = mesh->face + 3 * tl_half_face(mesh->particle_face[k]);
        for (int c = 0; c < 3; ++c)
            if (face[c] == corner[0] || face[c] == corner[1] || face[c] == corner[2])
                return true;
    }
    return false;
}

/* Edges represented by face f of mesh a against face g of mesh b. */
static bool find_edges(const tl_contact_world *set, tl_mesh_pair *pair, int sa, int f, int sb, int g)
{
    const tl_contact_mesh *a = set->mesh[sa], *b = set->mesh[sb];
    const int *G = b->mesh->face + 3 * (size_t)g;
    tl_vec3 corner[3] = {tl_at(b->x_old, G[0]), tl_at(b->x_old, G[1]), tl_at(b->x_old, G[2])};
    for (int k = 0; k < 3; ++k) {
        if (!(a->owned[f] >> (3 + k) & 1))
            continue;
        int half = 3 * f + k, p = a->mesh->face[half], q = a->mesh->face[tl_half_next(half)],
            twin = a->mesh->twin[half];
        bool common = a == b && (p == G[0] || p == G[1] || p == G[2] || q == G[0] || q == G[1] || q == G[2]);
        tl_real s, w[2];
        if (common || !tl_segment_pierces(tl_at(a->x_old, p), tl_at(a->x_old, q), corner, &s, w))
            continue;
        tl_crossing crossing = {
            .edge = {p, q},
            .face = {G[0], G[1], G[2]},
            .wing = {a->mesh->face[tl_half_prev(half)], twin >= 0 ? a->mesh->face[tl_half_prev(twin)] : -1},
            .edge_mesh = (short)sa,
            .face_mesh = (short)sb,
            .beside = a == b && (is_beside(a->mesh, p, G) || is_beside(a->mesh, q, G))};
        if (!add_crossing(set, pair, &crossing))
            return false;
    }
    return true;
}

static bool tight_boxes_meet(const tl_contact_mesh *a, int f, const tl_contact_mesh *b, int g)
{
    const int *F = a->mesh->face + 3 * (size_t)f, *G = b->mesh->face + 3 * (size_t)g;
    for (int c = 0; c < 3; ++c) {
        const tl_real *x = a->x_old[c], *y = b->x_old[c];
        if (tl_max(tl_max(x[F[0]], x[F[1]]), x[F[2]]) < tl_min(tl_min(y[G[0]], y[G[1]]), y[G[2]]) ||
            tl_max(tl_max(y[G[0]], y[G[1]]), y[G[2]]) < tl_min(tl_min(x[F[0]], x[F[1]]), x[F[2]]))
            return false;
    }
    return true;
}

bool tl_crossing_find(const tl_contact_world *set, tl_mesh_pair *pair, int f, int g)
{
    if (!tight_boxes_meet(set->mesh[pair->a], f, set->mesh[pair->b], g))
        return true;
    return find_edges(set, pair, pair->a, f, pair->b, g) && find_edges(set, pair, pair->b, g, pair->a, f);
}

/* The direction G of the comment above; zero when the contour gives none. */
static tl_vec3 direction(const tl_contact_mesh *s, const tl_crossing *c, tl_vec3 p, tl_vec3 q, tl_vec3 n)
{
    tl_vec3 e = tl_normalized(tl_sub(q, p)), g = {0, 0, 0};
    tl_real slope = tl_dot(e, n);
    slope = copysign(tl_max(fabs(slope), TL_PULL_SLOPE), slope);
    for (int k = 0; k < 2 && c->wing[k] >= 0; ++k) {
        tl_vec3 wing = tl_sub(tl_at(s->x, c->wing[k]), p), m = tl_cross(tl_sub(q, p), wing);
        tl_vec3 r = tl_normalized(tl_cross(n, m)), inward = tl_madd(wing, e, -tl_dot(wing, e));
        if (tl_dot(r, inward) < 0)
            r = tl_scale(r, -1);
        g = tl_add(g, tl_madd(r, n, -2 * tl_dot(e, r) / slope));
    }
    return g;
}

static void pull(tl_contact_world *set, const tl_crossing *c, tl_real step)
{
    tl_contact_mesh *se = set->mesh[c->edge_mesh], *sf = set->mesh[c->face_mesh];
    tl_vec3 p = tl_at(se->x, c->edge[0]), q = tl_at(se->x, c->edge[1]);
    tl_vec3 corner[3] = {tl_at(sf->x, c->face[0]), tl_at(sf->x, c->face[1]), tl_at(sf->x, c->face[2])};
    tl_real s, b[2];
    if (!tl_segment_pierces(p, q, corner, &s, b))
        return;
    tl_vec3 n = tl_triangle_normal(corner);
    tl_vec3 by = tl_scale(tl_normalized(direction(se, c, p, q, n)), step);
    const struct {
        tl_contact_mesh *mesh;
        int particle;
        tl_real weight;
    } part[5] = {{se, c->edge[0], 1 - s},
                 {se, c->edge[1], s},
                 {sf, c->face[0], b[0] + b[1] - 1},
                 {sf, c->face[1], -b[0]},
                 {sf, c->face[2], -b[1]}};
    tl_real weights = 0;
    for (int k = 0; k < 5; ++k)
        weights += part[k].mesh->w[part[k].particle] * part[k].weight * part[k].weight;
    if (!(weights > 0))
        return;
    for (int k = 0; k < 5; ++k) {
        tl_contact_mesh *mesh = part[k].mesh;
        int i = part[k].particle;
        tl_accumulate(mesh->x, i, tl_scale(by, mesh->w[i] * part[k].weight / weights));
        mesh->touched[i / TL_CONTACT_MESH_BLOCK] = 1;
    }
}

int tl_contacts_untangle(tl_contact_world *set)
{
    int crossings = 0;
    for (int k = 0; k < set->pair_count; ++k) {
        const tl_mesh_pair *pair = &set->pair[k];
        for (int n = 0; n < pair->crossing_count; ++n)
            pull(set, &pair->crossing[n], TL_PULL_FRACTION * pair->gap);
        crossings += pair->crossing_count;
    }
    return crossings;
}
