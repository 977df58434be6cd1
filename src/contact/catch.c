/* What slipped through in a substep, in spite of all answers, goes back to where it was.

   Lists leave out what can hardly touch: edges of flat pieces, neighbours, features beyond a border. Where cloth is
   pulled hard against cloth an edge can come through there. A single crossing that stays would be taken for a tangle in
   the next lists, which know no sides of tangled features, and what is around it would follow. So whatever is near
   something that was much too near is looked at: an edge that pierces a face now, but did not when the substep began,
   is set back with that face. What crossed before is left to contact/untangle.c. */
#include "contact/distance.h"
#include "contact/pairs.h"

/* An edge of one surface and a face of another. */
typedef struct meeting {
    tl_surface *edge_of, *face_of;
    int edge[2];
    const int *face;
} meeting;

static bool crosses(const meeting *m, bool before)
{
    tl_real *const *x = before ? m->edge_of->x_old : m->edge_of->x, *const *y =
                                                                        before ? m->face_of->x_old : m->face_of->x;
    tl_vec3 corner[3] = {tl_at(y, m->face[0]), tl_at(y, m->face[1]), tl_at(y, m->face[2])};
    tl_real s, b[2];
    return tl_segment_pierces(tl_at(x, m->edge[0]), tl_at(x, m->edge[1]), corner, &s, b);
}

static bool has_corner(const int *face, int p) { return face[0] == p || face[1] == p || face[2] == p; }

static bool catch_one(const meeting *m)
{
    if (m->edge_of == m->face_of && (has_corner(m->face, m->edge[0]) || has_corner(m->face, m->edge[1])))
        return false;
    if (!crosses(m, false) || crosses(m, true))
        return false;
    tl_surface *of[5] = {m->edge_of, m->edge_of, m->face_of, m->face_of, m->face_of};
    tl_set_back(of, (int[]){m->edge[0], m->edge[1], m->face[0], m->face[1], m->face[2]}, 5);
    return true;
}

/* The edges at a vertex against a face, and its edges against the faces around the vertex. */
static bool catch_vertex(tl_surface *a, int v, tl_surface *b, const int face[3])
{
    const tl_mesh *mesh = a->mesh;
    bool any = false;
    for (int k = mesh->particle_face_start[v]; k < mesh->particle_face_start[v + 1]; ++k) {
        int half = mesh->particle_face[k], next = mesh->face[tl_half_next(half)], last = mesh->face[tl_half_prev(half)];
        any |= catch_one(&(meeting){a, b, {v, next}, face});
        if (mesh->twin[tl_half_prev(half)] < 0) /* else it is the next one of another face */
            any |= catch_one(&(meeting){a, b, {v, last}, face});
        for (int e = 0; e < 3; ++e)
            any |= catch_one(&(meeting){b, a, {face[e], face[e == 2 ? 0 : e + 1]}, mesh->face + 3 * (half / 3)});
    }
    return any;
}

/* An edge against the faces beside another. */
static bool catch_edge(tl_surface *a, const int edge[2], tl_surface *b, const int other[2])
{
    const tl_mesh *mesh = b->mesh;
    bool any = false;
    for (int k = mesh->particle_face_start[other[0]]; k < mesh->particle_face_start[other[0] + 1]; ++k) {
        const int *face = mesh->face + 3 * (mesh->particle_face[k] / 3);
        if (has_corner(face, other[1]))
            any |= catch_one(&(meeting){a, b, {edge[0], edge[1]}, face});
    }
    return any;
}

bool tl_group_catch(tl_surfaces *set, const tl_surface_group *group)
{
    bool any = false;
    for (int k = 0; k < group->near_count; ++k) {
        const tl_pair *pair = &group->pair[group->near[k]];
        const int *p = pair->p;
        tl_surface *a = set->surface[pair->a], *b = set->surface[pair->b];
        if (!tl_pair_is_marked(set, pair, TL_PRESSED))
            continue;
        if (pair->kind == TL_VERTEX_FACE)
            any |= catch_vertex(a, p[0], b, p + 1);
        else
            any |= catch_edge(a, p, b, p + 2) | catch_edge(b, p + 2, a, p);
    }
    return any;
}
