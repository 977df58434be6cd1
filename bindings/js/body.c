/* Bodies in JavaScript: by the index in their world. */
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "core/memory.h"
#include "telar/io.h"

static tl_body *body_at(const tl_scene *scene, int index) { return tl_world_body(tl_scene_world(scene), index); }

EXPORT const char *telar_body_shape(const tl_scene *scene, int i) { return tl_body_get_def(body_at(scene, i))->shape; }
EXPORT const char *telar_body_label(const tl_scene *scene, int i) { return tl_body_get_def(body_at(scene, i))->label; }
EXPORT bool telar_body_on(const tl_scene *scene, int i) { return tl_body_get_def(body_at(scene, i))->on; }
EXPORT bool telar_body_deforms(const tl_scene *scene, int i) { return tl_body_deformed(body_at(scene, i)); }

/* Position 0, rotation 3, velocity 7, impulse 10, size 13, mass 16. With a blend: the pose between two steps. */
EXPORT const double *telar_body_state(const tl_scene *scene, int i, double blend)
{
    static double out[17];
    const tl_body *body = body_at(scene, i);
    const tl_body_def *def = tl_body_get_def(body);
    tl_vec3 x, v, p;
    tl_quat q;
    if (blend < 1)
        tl_body_blended_pose(body, (tl_real)blend, &x, &q);
    else
        tl_body_pose(body, &x, &q);
    tl_body_velocity(body, &v, NULL);
    tl_body_impulse(body, &p, NULL);
    const tl_real all[17] = {x.x, x.y, x.z, q.x, q.y,         q.z,         q.w,         v.x,      v.y,
                             v.z, p.x, p.y, p.z, def->size.x, def->size.y, def->size.z, def->mass};
    for (int k = 0; k < 17; ++k)
        out[k] = (double)all[k];
    return out;
}

EXPORT bool telar_body_move(tl_scene *scene, int i, double x, double y, double z, double qx, double qy, double qz,
                            double qw)
{
    tl_vec3 position = {(tl_real)x, (tl_real)y, (tl_real)z};
    tl_quat rotation = {(tl_real)qx, (tl_real)qy, (tl_real)qz, (tl_real)qw};
    tl_result result = tl_body_move(body_at(scene, i), position, rotation);
    if (result != TL_OK)
        tl_fail(&js_error, result, "%s", tl_last_error(tl_scene_world(scene)));
    return result == TL_OK;
}

/* Triangles to draw: vertices, triangles and three addresses, of which the last (normals) may be 0. The arrays are
   freed by the next call. NULL with an error. */
typedef struct drawn {
    int vertex_count, triangle_count;
    tl_vec3 *positions;
    int *triangles;
    tl_vec3 *normals;
} drawn;

static drawn last;

static void forget(void)
{
    free(last.positions);
    free(last.triangles);
    free(last.normals);
    last = (drawn){.positions = NULL};
}

static bool make_room(bool normals)
{
    size_t n = (size_t)last.vertex_count;
    last.positions = malloc((n + 1) * sizeof *last.positions);
    last.triangles = malloc((3 * (size_t)last.triangle_count + 1) * sizeof *last.triangles);
    last.normals = normals ? malloc((n + 1) * sizeof *last.normals) : NULL;
    if (last.positions && last.triangles && (!normals || last.normals))
        return true;
    forget();
    tl_fail(&js_error, TL_ERROR_MEMORY, "not enough memory for the triangles of a body");
    return false;
}

EXPORT const drawn *telar_body_mesh(const tl_scene *scene, int i, int detail)
{
    const tl_body *body = body_at(scene, i);
    const tl_body_def *def = tl_body_get_def(body);
    forget();
    if (def->mesh) {
        last.vertex_count = tl_body_vertices(body, NULL);
        last.triangle_count = tl_mesh_triangle_count(def->mesh);
        if (!make_room(false))
            return NULL;
        tl_body_vertices(body, last.positions);
        memcpy(last.triangles, tl_mesh_triangles(def->mesh), 3 * (size_t)last.triangle_count * sizeof *last.triangles);
        return &last;
    }
    tl_shape_mesh mesh = {.vertex_count = 0};
    if (tl_shape_triangles(def->shape, def->size, detail, &mesh, &js_error) != TL_OK)
        return NULL;
    last.vertex_count = mesh.vertex_count;
    last.triangle_count = mesh.triangle_count;
    if (!make_room(true))
        return NULL;
    mesh.positions = last.positions;
    mesh.normals = last.normals;
    mesh.triangles = last.triangles;
    return tl_shape_triangles(def->shape, def->size, detail, &mesh, &js_error) == TL_OK ? &last : NULL;
}
