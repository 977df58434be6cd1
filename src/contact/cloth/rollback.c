/* Rolls back what crossed in a substep in spite of the solve.

   Candidates leave out what can hardly touch: edges of flat pieces, neighbours, features beyond a border. Where
   cloth is pulled hard against cloth an edge can come through there. A single crossing that stays would be taken for
   a tangle by the next query, which knows no sides of tangled features, and its surroundings would follow. So
   everything near a contact that was too close is tested: an edge that pierces a face now, but did not when the
   substep began, is rolled back with that face. Older crossings are left to contact/cloth/untangle.c. */
#include "contact/cloth/rollback.h"

#include "collide/mesh/nearest.h"
#include "contact/cloth/contact_solve.h"

/* An edge of one mesh and a face of another. */
typedef struct edge_face {
    tl_contact_mesh *edge_of, *face_of;
    int edge[2];
    const int *face;
} edge_face;

static bool crosses(const edge_face *m, bool before)
{
    tl_real *const *x = before ? m->edge_of->x_old : m->edge_of->x;
    tl_real *const *y = before ? m->face_of->x_old : m->face_of->x;
    tl_vec3 corner[3] = {tl_at(y, m->face[0]), tl_at(y, m->face[1]), tl_at(y, m->face[2])};
    tl_real s, b[2];
    return tl_segment_pierces(tl_at(x, m->edge[0]), tl_at(x, m->edge[1]), corner, &s, b);
}

static bool roll_back_one(const edge_face *m)
{
    if (m->edge_of == m->face_of && (tl_has_corner(m->face, m->edge[0]) || tl_has_corner(m->face, m->edge[1])))
        return false;
    if (!crosses(m, false) || crosses(m, true))
        return false;
    tl_contact_mesh *of[5] = {m->edge_of, m->edge_of, m->face_of, m->face_of, m->face_of};
    tl_revert_particles(of, (int[]){m->edge[0], m->edge[1], m->face[0], m->face[1], m->face[2]}, 5);
    return true;
}

/* A plane through a point. */
typedef struct plane {
    tl_vec3 at, normal;
} plane;

static plane plane_of(const tl_contact_mesh *s, const int face[3])
{
    tl_vec3 a = tl_at(s->x, face[0]);
    return (plane){a, tl_cross(tl_sub(tl_at(s->x, face[1]), a), tl_sub(tl_at(s->x, face[2]), a))};
}

static tl_real height(const plane *p, tl_vec3 x) { return tl_dot(p->normal, tl_sub(x, p->at)); }

/* The edges at a vertex against a face. */
static bool roll_back_vertex(tl_contact_mesh *a, int v, tl_contact_mesh *b, const int face[3])
{
    const tl_mesh *mesh = a->mesh;
    plane p = plane_of(b, face);
    tl_real here = height(&p, tl_at(a->x, v));
    bool any = false;
    for (int k = mesh->particle_face_start[v]; k < mesh->particle_face_start[v + 1]; ++k) {
        int half = mesh->particle_face[k], end[2] = {mesh->face[tl_half_next(half)], mesh->face[tl_half_prev(half)]};
        /* the last edge of a face is the first of another, except on a border */
        for (int e = 0; e < (mesh->twin[tl_half_prev(half)] < 0 ? 2 : 1); ++e)
            if (!(here * height(&p, tl_at(a->x, end[e])) > 0))
                any |= roll_back_one(&(edge_face){a, b, {v, end[e]}, face});
    }
    return any;
}

/* An edge against the faces of another. */
static bool roll_back_edge(tl_contact_mesh *a, const int edge[2], tl_contact_mesh *b, const int other[2])
{
    const tl_mesh *mesh = b->mesh;
    bool any = false;
    for (int k = mesh->particle_face_start[other[0]]; k < mesh->particle_face_start[other[0] + 1]; ++k) {
        const int *face = mesh->face + 3 * tl_half_face(mesh->particle_face[k]);
        if (tl_has_corner(face, other[1]))
            any |= roll_back_one(&(edge_face){a, b, {edge[0], edge[1]}, face});
    }
    return any;
}

static bool is_folded(const tl_contact_mesh *s, int v)
{
    const tl_mesh *mesh = s->mesh;
    const int *around = mesh->particle_face + mesh->particle_face_start[v];
    int count = mesh->particle_face_start[v + 1] - mesh->particle_face_start[v];
    tl_vec3 center = tl_at(s->x, v), normal[TL_MAX_FAN];
    tl_real square[TL_MAX_FAN];
    count = count < TL_MAX_FAN ? count : TL_MAX_FAN;
    for (int k = 0; k < count; ++k) {
        normal[k] = tl_cross(tl_sub(tl_at(s->x, mesh->face[tl_half_next(around[k])]), center),
                             tl_sub(tl_at(s->x, mesh->face[tl_half_prev(around[k])]), center));
        square[k] = tl_dot(normal[k], normal[k]);
        for (int j = 0; j < k; ++j) {
            tl_real dot = tl_dot(normal[k], normal[j]);
            if (dot < 0 && dot * dot > TL_FOLDED_COSINE * TL_FOLDED_COSINE * square[k] * square[j])
                return true;
        }
    }
    return false;
}

/* Faces around a vertex against each other. */
static bool roll_back_fan(tl_contact_mesh *s, int v)
{
    const tl_mesh *mesh = s->mesh;
    const int *first = mesh->particle_face + mesh->particle_face_start[v],
              *end = mesh->particle_face + mesh->particle_face_start[v + 1];
    bool any = false;
    for (const int *k = first; k < end; ++k)
        for (const int *j = first; j < end; ++j)
            any |= roll_back_one(&(edge_face){
                s, s, {mesh->face[tl_half_next(*k)], mesh->face[tl_half_prev(*k)]}, mesh->face + 3 * tl_half_face(*j)});
    return any;
}

/* Does any of up to TL_BATCH particles from `first` on have one of these marks? */
static bool any_marked(const tl_contact_mesh *s, int first, unsigned marks)
{
    int left = s->mesh->particle_count - first;
    unsigned all = 0;
    if (left >= TL_BATCH) /* a count that the compiler knows */
        for (int k = 0; k < TL_BATCH; ++k)
            all |= s->mark[first + k];
    else
        for (int k = 0; k < left; ++k)
            all |= s->mark[first + k];
    return all & marks;
}

/* Cloth folded sharply, by contact or by itself, which candidates leave to bending. */
static bool roll_back_folds(tl_contact_mesh *s)
{
    int total = s->mesh->particle_count;
    bool any = false;
    for (int first = 0; first < total; first += TL_BATCH)
        if (any_marked(s, first, TL_TOO_CLOSE | TL_FOLDED))
            for (int i = first; i < first + TL_BATCH && i < total; ++i)
                any |= s->mark[i] & (TL_TOO_CLOSE | TL_FOLDED) && is_folded(s, i) && roll_back_fan(s, i);
    return any;
}

static bool roll_back_pair(const tl_contact_world *set, const tl_mesh_pair *pair)
{
    bool any = pair->a == pair->b && roll_back_folds(set->mesh[pair->a]);
    for (int k = 0; k < pair->count; ++k) {
        const tl_contact *contact = &pair->contact[k];
        const int *p = contact->p;
        tl_contact_mesh *a = set->mesh[contact->a], *b = set->mesh[contact->b];
        if (!tl_contact_is_marked(set, contact, TL_TOO_CLOSE))
            continue;
        if (contact->kind == TL_VERTEX_FACE) {
            any |= roll_back_vertex(a, p[0], b, p + 1);
        } else {
            any |= roll_back_edge(a, p, b, p + 2);
            any |= roll_back_edge(b, p + 2, a, p);
        }
    }
    return any;
}

bool tl_contacts_roll_back(tl_contact_world *set)
{
    bool any = false;
    for (int k = 0; k < set->pair_count; ++k)
        any |= tl_is_cloth_pair(set, &set->pair[k]) && roll_back_pair(set, &set->pair[k]);
    return any;
}
