/* The sign comes from the normal of the nearest feature: of the face, the sum of two for an edge, and of all around a
   vertex, each weighted by its angle there, which is right for every closed mesh (Bærentzen and Aanæs 2005, "Signed
   distance computation using the angle weighted pseudonormal"). */
#include "contact/mesh_distance.h"

#include "contact/distance.h"
#include "core/trig.h"

static tl_vec3 face_normal(const tl_mesh *mesh, const tl_vec3 *x, int f)
{
    const int *p = mesh->face + 3 * (size_t)f;
    return tl_normalized(tl_cross(tl_sub(x[p[1]], x[p[0]]), tl_sub(x[p[2]], x[p[0]])));
}

static tl_vec3 vertex_normal(const tl_mesh *mesh, const tl_vec3 *x, int particle)
{
    tl_vec3 sum = {0, 0, 0};
    for (int k = mesh->particle_face_start[particle]; k < mesh->particle_face_start[particle + 1]; ++k) {
        int half = mesh->particle_face[k];
        tl_vec3 a = tl_normalized(tl_sub(x[mesh->face[tl_half_next(half)]], x[particle]));
        tl_vec3 b = tl_normalized(tl_sub(x[mesh->face[tl_half_prev(half)]], x[particle]));
        tl_real angle = (tl_real)tl_atan2((double)tl_length(tl_cross(a, b)), (double)tl_dot(a, b));
        sum = tl_madd(sum, face_normal(mesh, x, tl_half_face(half)), angle);
    }
    return sum;
}

/* Normal of the feature of face f on which the point with these weights lies. */
static tl_vec3 feature_normal(const tl_mesh *mesh, const tl_vec3 *x, int f, const tl_real weight[3])
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

tl_real tl_mesh_distance(const tl_mesh *mesh, const tl_vec3 *x, bool solid, tl_vec3 p, tl_vec3 *normal)
{
    tl_real best = INFINITY, weight[3], nearest_weight[3] = {1, 0, 0};
    tl_vec3 nearest = {0, 0, 0};
    int face = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        const int *c = mesh->face + 3 * (size_t)f;
        tl_nearest_on_triangle(p, x[c[0]], x[c[1]], x[c[2]], weight);
        tl_vec3 way = tl_sub(p, tl_blend3(x[c[0]], x[c[1]], x[c[2]], weight));
        tl_real square = tl_dot(way, way);
        if (square < best) {
            best = square;
            nearest = way;
            face = f;
            for (int k = 0; k < 3; ++k)
                nearest_weight[k] = weight[k];
        }
    }
    tl_real distance = sqrt(best);
    tl_vec3 out = feature_normal(mesh, x, face, nearest_weight);
    bool inside = solid && tl_dot(nearest, out) < 0;
    if (normal)
        *normal = distance > 0 ? tl_scale(nearest, (inside ? -1 : 1) / distance) : tl_normalized(out);
    return inside ? -distance : distance;
}
