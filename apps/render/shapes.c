#include "shapes.h"

#include <stdlib.h>

#define ENDLESS_SIZE 6.0f /* m, side of the drawn part of an infinite plane other than the floor */

static void copy_vectors(float *out, const tl_vec3 *from, int count, float scale)
{
    for (int v = 0; v < count; ++v) {
        out[3 * v] = scale * (float)from[v].x;
        out[3 * v + 1] = scale * (float)from[v].y;
        out[3 * v + 2] = scale * (float)from[v].z;
    }
}

/* Uploads to the GPU; `floats` is scratch for positions and normals, 6 per vertex, `corners` for the triangles. */
static render_mesh *upload(render *r, const tl_shape_mesh *shape, float scale, float *floats, uint32_t *corners,
                           render_error *error)
{
    float *normals = floats + 3 * (size_t)shape->vertex_count;
    copy_vectors(floats, shape->positions, shape->vertex_count, scale);
    copy_vectors(normals, shape->normals, shape->vertex_count, 1);
    for (int k = 0; k < 3 * shape->triangle_count; ++k)
        corners[k] = (uint32_t)shape->triangles[k];
    return render_mesh_create(r,
                              &(render_mesh_def){.vertex_count = shape->vertex_count,
                                                 .triangle_count = shape->triangle_count,
                                                 .positions = floats,
                                                 .normals = normals,
                                                 .triangles = corners,
                                                 .inset_limit = 0.5f * (float)shape->radius},
                              error);
}

render_mesh *render_shape(render *r, const char *shape, tl_vec3 size, int detail, float *radius, render_error *error)
{
    tl_shape_mesh mesh = {0};
    tl_error why;
    if (tl_shape_triangles(shape, size, detail, &mesh, &why) != TL_OK) {
        render_error_set(error, "%s", why.message);
        return NULL;
    }
    size_t vertices = (size_t)mesh.vertex_count, corner_count = 3 * (size_t)mesh.triangle_count;
    mesh.positions = malloc(vertices * sizeof *mesh.positions);
    mesh.normals = malloc(vertices * sizeof *mesh.normals);
    mesh.triangles = malloc(corner_count * sizeof *mesh.triangles);
    float *floats = malloc(6 * vertices * sizeof *floats);
    uint32_t *corners = malloc(corner_count * sizeof *corners);
    render_mesh *made = NULL;
    if (mesh.positions && mesh.normals && mesh.triangles && floats && corners) {
        tl_shape_triangles(shape, size, detail, &mesh, NULL);
        made = upload(r, &mesh, tl_shape_bottomless(shape) ? ENDLESS_SIZE : 1, floats, corners, error);
    } else {
        render_error_set(error, "no memory to draw a %s", shape);
    }
    if (radius)
        *radius = (float)mesh.radius;
    free(mesh.positions);
    free(mesh.normals);
    free(mesh.triangles);
    free(floats);
    free(corners);
    return made;
}
