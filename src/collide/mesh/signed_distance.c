/* The sign comes from the pseudonormal of the nearest feature: of the face, the sum of two for an edge, and of all
   around a vertex, each weighted by its angle there, which is right for every closed mesh (Bærentzen and Aanæs 2005,
   "Signed distance computation using the angle weighted pseudonormal"). */
#include "collide/mesh/signed_distance.h"

#include "collide/mesh/nearest.h"
#include "collide/shapes/shapes.h"
#include "core/particles.h"
#include "core/trig.h"

static tl_vec3 face_normal(const tl_mesh *mesh, tl_real *const x[3], int f)
{
    const int *p = mesh->face + 3 * (size_t)f;
    return tl_triangle_normal((const tl_vec3[3]){tl_at(x, p[0]), tl_at(x, p[1]), tl_at(x, p[2])});
}

static tl_vec3 vertex_normal(const tl_mesh *mesh, tl_real *const x[3], int particle)
{
    tl_vec3 sum = {0, 0, 0};
    for (int k = mesh->particle_face_start[particle]; k < mesh->particle_face_start[particle + 1]; ++k) {
        int half = mesh->particle_face[k];
        tl_vec3 a = tl_normalized(tl_sub(tl_at(x, mesh->face[tl_half_next(half)]), tl_at(x, particle)));
        tl_vec3 b = tl_normalized(tl_sub(tl_at(x, mesh->face[tl_half_prev(half)]), tl_at(x, particle)));
        tl_real angle = (tl_real)tl_atan2((double)tl_length(tl_cross(a, b)), (double)tl_dot(a, b));
        sum = tl_madd(sum, face_normal(mesh, x, tl_half_face(half)), angle);
    }
    return sum;
}

/* Pseudonormal of the feature of face f on which the point with these weights lies. */
static tl_vec3 feature_normal(const tl_mesh *mesh, tl_real *const x[3], int f, const tl_real weight[3])
{
    int zeros = (weight[0] == 0) + (weight[1] == 0) + (weight[2] == 0);
    if (zeros == 2)
        return vertex_normal(mesh, x, mesh->face[3 * f + (weight[0] != 0 ? 0 : weight[1] != 0 ? 1 : 2)]);
    tl_vec3 normal = face_normal(mesh, x, f);
    if (zeros == 1) {
        int opposite = weight[0] == 0 ? 0 : weight[1] == 0 ? 1 : 2, twin = mesh->twin[tl_half_next(3 * f + opposite)];
        if (twin >= 0)
            normal = tl_add(normal, face_normal(mesh, x, tl_half_face(twin)));
    }
    return normal;
}

static void try_face(const tl_mesh *mesh, tl_real *const x[3], int f, tl_vec3 p, tl_mesh_nearest *best)
{
    const int *c = mesh->face + 3 * (size_t)f;
    tl_vec3 corner[3] = {tl_at(x, c[0]), tl_at(x, c[1]), tl_at(x, c[2])};
    tl_real weight[3];
    tl_nearest_on_triangle(p, corner[0], corner[1], corner[2], weight);
    tl_vec3 offset = tl_sub(p, tl_blend3(corner[0], corner[1], corner[2], weight));
    tl_real square = tl_dot(offset, offset);
    /* ties go to the lowest face index, whatever the order of traversal */
    if (square < best->square || (square == best->square && f < best->face))
        *best = (tl_mesh_nearest){square, offset, {weight[0], weight[1], weight[2]}, f};
}

/* Units in the last place of the coordinates by which the distance of a box may be rounded above that of a face in
   it. */
#define BOX_ULPS 16

/* Squared distance from which boxes hold no face as near as `best`, whatever the rounding: so the order in which
   faces are tried never tells in the result. */
static tl_real limit_of(const tl_mesh_nearest *best, tl_real scale)
{
    tl_real distance = sqrt(best->square), limit = distance + BOX_ULPS * TL_REAL_EPSILON * (scale + distance);
    return limit * limit;
}

tl_mesh_nearest tl_mesh_find_nearest_from(const tl_mesh *mesh, tl_real *const x[3], const tl_bvh *tree, tl_vec3 p,
                                          tl_real reach, int hint)
{
    tl_mesh_nearest best = {.square = reach * reach, .face = -1};
    tl_real scale = fabs(p.x) + fabs(p.y) + fabs(p.z);
    struct {
        int node;
        tl_real square; /* m², squared distance to its box */
    } stack[TL_BVH_DEPTH];
    int count = 0;
    if (tree->face_count > 0) {
        stack[count].node = 0;
        stack[count++].square = tl_box_square(&tree->node[0].box, p);
        try_face(mesh, x, hint, p, &best);
    }
    tl_real limit = limit_of(&best, scale);
    while (count > 0) {
        int n = stack[--count].node;
        const tl_bvh_node *node = &tree->node[n];
        if (stack[count].square > limit)
            continue;
        if (!node->right) {
            for (int k = node->first; k < node->first + node->count; ++k)
                if (!(tl_box_square(&tree->slot_box[k], p) > limit))
                    try_face(mesh, x, tree->order[k], p, &best);
            limit = limit_of(&best, scale);
            continue;
        }
        tl_real left = tl_box_square(&tree->node[n + 1].box, p), right = tl_box_square(&tree->node[node->right].box, p);
        bool left_first = left <= right;
        stack[count].node = left_first ? node->right : n + 1;
        stack[count++].square = left_first ? right : left;
        stack[count].node = left_first ? n + 1 : node->right;
        stack[count++].square = left_first ? left : right;
    }
    return best;
}

tl_mesh_nearest tl_mesh_find_nearest(const tl_mesh *mesh, tl_real *const x[3], const tl_bvh *tree, tl_vec3 p,
                                     tl_real reach)
{
    return tl_mesh_find_nearest_from(mesh, x, tree, p, reach, 0);
}

tl_real tl_mesh_side(const tl_mesh *mesh, tl_real *const x[3], const tl_mesh_nearest *nearest, bool solid,
                     tl_vec3 *normal)
{
    tl_real distance = sqrt(nearest->square);
    tl_vec3 out = feature_normal(mesh, x, nearest->face, nearest->weight);
    bool inside = solid && tl_dot(nearest->offset, out) < 0;
    if (normal)
        *normal = distance > 0 ? tl_scale(nearest->offset, (inside ? -1 : 1) / distance) : tl_normalized(out);
    return inside ? -distance : distance;
}

tl_real tl_mesh_distance(const tl_mesh *mesh, tl_real *const x[3], const tl_bvh *tree, bool solid, tl_vec3 p,
                         tl_vec3 *normal)
{
    tl_mesh_nearest nearest = tl_mesh_find_nearest(mesh, x, tree, p, INFINITY);
    if (nearest.face < 0) { /* no faces, or a point that is not finite */
        if (normal)
            *normal = tl_v3(0, 0, 0);
        return INFINITY;
    }
    return tl_mesh_side(mesh, x, &nearest, solid, normal);
}
