/* Counts intersecting pairs of triangles, by exact predicates (collide/mesh/predicate.h). */
#include "contact/cloth/intersection_count.h"

#include "collide/mesh/predicate.h"

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
    tl_bvh_search all = {&a->tree, &b->tree, TL_FLAT_NOTHING, TL_SEARCH_ALL};
    bool found = tl_bvh_find(&all, &set->near, &set->allocator);
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
            set->mesh[k]->query.bounds.margin = -1;
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

bool tl_any_intersection(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        if (!s->is_cloth || !s->self_collides)
            continue;
        tl_bvh_fit(&s->tree, s->x, 0);
        tl_bvh_fit_normals(&s->tree, s->x);
        tl_bvh_bound_normals(&s->tree, NULL);
        s->query.bounds.margin = -1;
    }
    for (int k = 0; k < set->pair_count; ++k) {
        const tl_mesh_pair *pair = &set->pair[k];
        const tl_contact_mesh *a = set->mesh[pair->a], *b = set->mesh[pair->b];
        if (!tl_is_cloth_pair(set, pair))
            continue;
        set->near.count = 0;
        tl_bvh_search search = {&a->tree, &b->tree, TL_FLAT_PARTS, TL_SEARCH_ALL};
        if (!tl_bvh_find(&search, &set->near, &set->allocator))
            return false;
        for (int n = 0; n < set->near.count; ++n)
            if (faces_intersect(a, set->near.pair[n].f, b, set->near.pair[n].g))
                return true;
    }
    return false;
}

int tl_count_body_intersections(tl_contact_world *set, tl_contact_mesh *cloth, tl_real *const x[3],
                                const tl_barrier *body)
{
    static const int apart[3] = {-1, -1, -1};
    tl_bvh_fit(&cloth->tree, x, 0);
    cloth->query.bounds.margin = -1;
    set->near.count = 0;
    tl_bvh_search all = {&cloth->tree, &body->tree, TL_FLAT_NOTHING, TL_SEARCH_ALL};
    if (!tl_bvh_find(&all, &set->near, &set->allocator))
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
