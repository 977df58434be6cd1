/* Counts intersecting pairs of triangles, by exact predicates (collide/mesh/predicate.h). */
#include "contact/cloth/intersection_count.h"

#include "collide/mesh/predicate.h"
#include "contact/broad_phase/broad_phase.h"
#include "core/bits.h"

/* Cosine between two faces that is far from that of faces folded flat onto each other, beyond rounding. */
#define FOLDED_FLAT ((tl_real)0.9)

static bool faces_intersect(const tl_contact_mesh *a, int f, const tl_contact_mesh *b, int g)
{
    const int *F = a->mesh->face + 3 * (size_t)f, *G = b->mesh->face + 3 * (size_t)g;
    tl_vec3 first[3], second[3];
    int shared[3] = {-1, -1, -1};
    for (int k = 0; k < 3; ++k) {
        first[k] = tl_at(a->x, F[k]);
        second[k] = tl_at(b->x, G[k]);
        for (int j = 0; a == b && j < 3; ++j)
            if (F[k] == G[j])
                shared[k] = j;
    }
    return tl_triangles_intersect(first, second, shared);
}

/* Pairs of two meshes or of one with itself; -1 when out of memory. */
static int count_pairs(tl_contact_world *set, const tl_contact_mesh *a, const tl_contact_mesh *b,
                       const tl_contact_mesh *marked, unsigned char *faces)
{
    set->near.count = 0;
    bool found = tl_bvh_find(&a->tree, &b->tree, &set->near, &set->allocator);
    int count = 0;
    for (int n = 0; found && n < set->near.count; ++n) {
        int f = set->near.pair[n].f, g = set->near.pair[n].g;
        if (!faces_intersect(a, f, b, g))
            continue;
        ++count;
        if (faces && a == marked)
            faces[f] = 1;
        if (faces && b == marked)
            faces[g] = 1;
    }
    return found ? count : -1;
}

int tl_count_intersections(tl_contact_world *set, int only, unsigned char *faces)
{
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->is_cloth) {
            tl_bvh_fit(&set->mesh[k]->tree, set->mesh[k]->x, 0);
        }
    int count = 0;
    for (int i = 0; i < set->count; ++i)
        for (int j = i; j < set->count; ++j) {
            const tl_contact_mesh *a = set->mesh[i], *b = set->mesh[j];
            if (!a->is_cloth || !b->is_cloth || (only >= 0 && i != only && j != only))
                continue;
            int pairs = count_pairs(set, a, b, only >= 0 ? set->mesh[only] : NULL, faces);
            if (pairs < 0)
                return -1;
            count += pairs;
        }
    return count;
}

/* Can two neighbours cross, by their planes? With a common edge only where they are folded flat onto each other, with a
   common corner only where the opposite edge of one passes through the plane of the other. */
static bool neighbours_may_cross(const tl_contact_mesh *s, const tl_tree_row *row, int lane)
{
    const tl_tree_group *m = &s->query.tree.group[0][row->slot / TL_TREE_WIDTH],
                        *n = &s->query.tree.group[0][row->group];
    const tl_tree_faces *f = &s->query.tree.faces[row->slot / TL_TREE_WIDTH], *g = &s->query.tree.faces[row->group];
    int i = row->slot % TL_TREE_WIDTH, common = 0;
    unsigned of_f = 0, of_g = 0; /* corners that are not common */
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            if (f->corner[k][i] == g->corner[j][lane]) {
                ++common;
                of_f |= 1u << k;
                of_g |= 1u << j;
            }
    tl_real cosine = m->normal[0][i] * n->normal[0][lane] + m->normal[1][i] * n->normal[1][lane] +
                     m->normal[2][i] * n->normal[2][lane];
    if (common != 1)
        return common == 0 || !(cosine > -FOLDED_FLAT);
    bool apart = true;
    for (int side = 0; side < 2; ++side) {
        unsigned above = 0, below = 0, all = 7u & ~(side == 0 ? of_f : of_g);
        for (int k = 0; k < 3; ++k) {
            above |= (row->above[side][k] >> lane & 1u) << k;
            below |= (row->below[side][k] >> lane & 1u) << k;
        }
        apart = apart && ((above & all) == all || (below & all) == all);
    }
    return !apart;
}

/* Does a face cross one of those that stand in a row with it? */
static bool row_intersects(const tl_contact_mesh *a, const tl_contact_mesh *b, const tl_tree_row *row)
{
    int f = a->query.tree.order[row->slot];
    for (unsigned left = row->pierce; left; left &= left - 1) {
        int lane = tl_lowest_bit(left), g = b->query.tree.order[row->group * TL_TREE_WIDTH + lane];
        if ((a != b || neighbours_may_cross(a, row, lane)) && faces_intersect(a, f, b, g))
            return true;
    }
    return false;
}

bool tl_any_intersection(tl_contact_world *set)
{
    tl_broad_phase_fit_present(set);
    for (int k = 0; k < set->pair_count; ++k) {
        const tl_mesh_pair *pair = &set->pair[k];
        if (!tl_is_cloth_pair(set, pair))
            continue;
        const tl_tree_rows *rows = tl_broad_phase_present_rows(set, pair);
        for (int n = 0; n < rows->count; ++n)
            if (row_intersects(set->mesh[pair->a], set->mesh[pair->b], &rows->row[n]))
                return true;
    }
    return false;
}

int tl_count_body_intersections(tl_contact_world *set, tl_contact_mesh *cloth, tl_real *const x[3],
                                const tl_barrier *body)
{
    static const int apart[3] = {-1, -1, -1};
    tl_bvh_fit(&cloth->tree, x, 0);
    set->near.count = 0;
    if (!tl_bvh_find(&cloth->tree, &body->tree, &set->near, &set->allocator))
        return -1;
    int count = 0;
    for (int n = 0; n < set->near.count; ++n) {
        const int *F = cloth->mesh->face + 3 * (size_t)set->near.pair[n].f,
                  *G = body->mesh->face + 3 * (size_t)set->near.pair[n].g;
        const tl_vec3 first[3] = {tl_at(x, F[0]), tl_at(x, F[1]), tl_at(x, F[2])},
                      second[3] = {tl_at(body->x, G[0]), tl_at(body->x, G[1]), tl_at(body->x, G[2])};
        count += tl_triangles_intersect(first, second, apart);
    }
    return count;
}
