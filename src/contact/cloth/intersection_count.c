/* Counts intersecting pairs of triangles, by exact predicates (collide/mesh/predicate.h). */
#include "contact/cloth/intersection_count.h"

#include "collide/mesh/predicate.h"
#include "contact/broad_phase/broad_phase.h"

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

/* Does a face cross one of those that stand in a row with it? */
static bool row_intersects(const tl_contact_mesh *a, const tl_contact_mesh *b, const tl_tree_row *row)
{
    int f = a->query.tree.order[row->slot];
    for (int lane = 0; row->lanes >> lane; ++lane)
        if (row->lanes >> lane & 1 && faces_intersect(a, f, b, b->query.tree.order[row->group * TL_TREE_WIDTH + lane]))
            return true;
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
