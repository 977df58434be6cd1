/* Triangle meshes of the bodies that cloth meets. Every round shape is one grid of rings: a sphere whose two halves may
   be pulled apart (capsule) and whose radii may differ (ellipsoid). */
#include "render_internal.h"
#include <math.h>
#include <stdlib.h>

static const float PI = 3.14159265f;

render_mesh *render_shape_plane(render *r, float width, float depth, render_error *error)
{
    if (!(width > 0.0f && depth > 0.0f)) {
        render_error_set(error, "plane: size %g × %g m must be above 0", (double)width, (double)depth);
        return NULL;
    }
    float x = 0.5f * width, z = 0.5f * depth;
    const float positions[] = {-x, 0, -z, -x, 0, z, x, 0, z, x, 0, -z};
    const float normals[] = {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0};
    const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    return render_mesh_create(
        r,
        &(render_mesh_def){
            .vertex_count = 4, .triangle_count = 2, .positions = positions, .normals = normals, .triangles = triangles},
        error);
}

render_mesh *render_shape_box(render *r, const float size[3], render_error *error)
{
    if (!(size[0] > 0.0f && size[1] > 0.0f && size[2] > 0.0f)) {
        render_error_set(error, "box: size %g × %g × %g m must be above 0", (double)size[0], (double)size[1],
                         (double)size[2]);
        return NULL;
    }
    float positions[72], normals[72];
    uint32_t triangles[36];
    // six faces with their own corners, so edges stay sharp; face = axis k, side s
    for (int face = 0; face < 6; ++face) {
        int k = face / 2, u = (k + 1) % 3, v = (k + 2) % 3;
        float side = face % 2 ? 1.0f : -1.0f;
        for (int corner = 0; corner < 4; ++corner) {
            float *p = positions + 3 * (4 * face + corner), *n = normals + 3 * (4 * face + corner);
            float su = corner == 1 || corner == 2 ? 0.5f : -0.5f, sv = corner >= 2 ? 0.5f : -0.5f;
            p[k] = 0.5f * side * size[k];
            p[u] = su * side * size[u]; // mirrored on the negative side, which keeps the winding outward
            p[v] = sv * size[v];
            n[k] = side;
            n[u] = n[v] = 0.0f;
        }
        static const uint32_t quad[6] = {0, 1, 2, 0, 2, 3};
        for (int i = 0; i < 6; ++i)
            triangles[6 * face + i] = (uint32_t)(4 * face) + quad[i];
    }
    return render_mesh_create(r,
                              &(render_mesh_def){.vertex_count = 24,
                                                 .triangle_count = 12,
                                                 .positions = positions,
                                                 .normals = normals,
                                                 .triangles = triangles},
                              error);
}

/* Rings from the south to the north pole; the equator is doubled and pulled apart by `length`. */
static void fill_rings(float *positions, float *normals, int around, int rows, const float radii[3], float length)
{
    for (int row = 0; row < rows; ++row) {
        int half = rows / 2, step = row < half ? row : row - 1; // rows is even: the equator comes twice
        float latitude = PI * ((float)step / (float)(rows - 2) - 0.5f),
              lift = row < half ? -0.5f * length : 0.5f * length;
        for (int i = 0; i <= around; ++i) {
            float longitude = 2.0f * PI * (float)(i % around) / (float)around;
            float n[3] = {cosf(latitude) * sinf(longitude), sinf(latitude), cosf(latitude) * cosf(longitude)};
            float *p = positions + 3 * (row * (around + 1) + i), *out = normals + 3 * (row * (around + 1) + i);
            float scale = 0.0f;
            for (int k = 0; k < 3; ++k) {
                p[k] = n[k] * radii[k] + (k == 1 ? lift : 0.0f);
                out[k] = n[k] / radii[k]; // gradient of x²/a² + y²/b² + z²/c²
                scale += out[k] * out[k];
            }
            for (int k = 0; k < 3; ++k)
                out[k] /= sqrtf(scale);
        }
    }
}

static render_mesh *round_shape(render *r, const float radii[3], float length, int detail, const char *what,
                                render_error *error)
{
    if (!(radii[0] > 0.0f && radii[1] > 0.0f && radii[2] > 0.0f && length >= 0.0f)) {
        render_error_set(error, "%s: radii %g, %g, %g m must be above 0 and length %g m not below", what,
                         (double)radii[0], (double)radii[1], (double)radii[2], (double)length);
        return NULL;
    }
    int around = detail < 8 ? 8 : detail > 1024 ? 1024 : detail;
    int rows = 2 * (around / 4) + 2;
    int vertices = rows * (around + 1), triangles = 2 * (rows - 1) * around;
    float *positions = malloc((size_t)vertices * 3 * sizeof *positions);
    float *normals = malloc((size_t)vertices * 3 * sizeof *normals);
    uint32_t *indices = malloc((size_t)triangles * 3 * sizeof *indices);
    render_mesh *mesh = NULL;
    if (positions && normals && indices) {
        fill_rings(positions, normals, around, rows, radii, length);
        uint32_t *out = indices;
        for (int row = 0; row + 1 < rows; ++row)
            for (int i = 0; i < around; ++i) {
                uint32_t a = (uint32_t)(row * (around + 1) + i), b = a + (uint32_t)around + 1;
                const uint32_t quad[6] = {a, a + 1, b + 1, a, b + 1, b};
                for (int k = 0; k < 6; ++k)
                    *out++ = quad[k];
            }
        mesh = render_mesh_create(r,
                                  &(render_mesh_def){.vertex_count = vertices,
                                                     .triangle_count = triangles,
                                                     .positions = positions,
                                                     .normals = normals,
                                                     .triangles = indices},
                                  error);
        if (mesh)
            mesh->inset_limit = 0.5f * fminf(radii[0], fminf(radii[1], radii[2]));
    } else {
        render_error_set(error, "out of memory for a %s", what);
    }
    free(positions);
    free(normals);
    free(indices);
    return mesh;
}

render_mesh *render_shape_sphere(render *r, float radius, int detail, render_error *error)
{
    return round_shape(r, (const float[3]){radius, radius, radius}, 0.0f, detail, "sphere", error);
}

render_mesh *render_shape_ellipsoid(render *r, const float radii[3], int detail, render_error *error)
{
    return round_shape(r, radii, 0.0f, detail, "ellipsoid", error);
}

render_mesh *render_shape_capsule(render *r, float radius, float length, int detail, render_error *error)
{
    return round_shape(r, (const float[3]){radius, radius, radius}, length, detail, "capsule", error);
}
