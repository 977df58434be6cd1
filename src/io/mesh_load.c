/* Reading mesh files: OBJ directly, every other format through assimp, then the checks of tl_mesh_create. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/bunny.h"
#include "io/file.h"
#include "io/mesh_file.h"
#include "io/mesh_named.h"

bool tl_triangles_grow(void *field, int count, size_t size)
{
    if (count < 0 || count == INT_MAX)
        return false;
    /* the capacity is always a power of two, so it follows from the count */
    if ((count & (count - 1)) != 0)
        return true;
    size_t room = count == 0 ? 1 : 2 * (size_t)count;
    void *array; /* copied, because the field's type is not known here */
    memcpy(&array, field, sizeof array);
    void *grown = realloc(array, room * size);
    if (grown)
        memcpy(field, &grown, sizeof grown);
    return grown != NULL;
}

void tl_triangles_free(tl_triangles *triangles)
{
    free(triangles->positions);
    free(triangles->uv);
    free(triangles->corners);
    *triangles = (tl_triangles){.positions = NULL};
}

static const char *last_part(const char *file_name)
{
    const char *slash = strrchr(file_name, '/');
    return slash ? slash + 1 : file_name;
}

static tl_result read_triangles(const char *file_name, tl_triangles *triangles, tl_error *error)
{
    tl_result made;
    if (tl_mesh_named(last_part(file_name), triangles, &made, error))
        return made;
    if (strcmp(last_part(file_name), "bunny") == 0)
        file_name = tl_mesh_bunny();
    tl_result readable = tl_file_check(file_name, error);
    if (readable)
        return readable;
    bool script = tl_file_has_ending(file_name, "js");
    if (!script && !tl_file_has_ending(file_name, "obj")) {
#ifdef TL_HAVE_ASSIMP
        return tl_assimp_read(file_name, triangles, error);
#else
        return tl_fail(error, TL_ERROR_UNSUPPORTED,
                       "%s: this build reads only .obj meshes; build with assimp (libassimp-dev) for other formats",
                       file_name);
#endif
    }
    size_t length = 0;
    char *text = tl_file_read(file_name, TL_MESH_LARGEST_FILE, &length, error);
    if (!text)
        return error ? error->code : TL_ERROR_FILE;
    tl_result result = (script ? tl_bunny_read : tl_obj_read)(text, length, file_name, triangles, error);
    free(text);
    return result;
}

/* Rest shapes from texture coordinates need them everywhere. */
static tl_result check_uv(const char *file_name, const tl_triangles *triangles, tl_error *error)
{
    if (triangles->has_uv)
        return TL_OK;
    if (triangles->no_uv_line > 0)
        return tl_fail(error, TL_ERROR_INPUT, "%s:%d: the face has no texture coordinates, which rest \"uv\" needs",
                       file_name, triangles->no_uv_line);
    return tl_fail(error, TL_ERROR_INPUT, "%s: the mesh has no texture coordinates, which rest \"uv\" needs",
                   file_name);
}

tl_mesh *tl_mesh_load(const char *file_name, const tl_mesh_source_def *source, tl_error *error)
{
    tl_mesh_source_def standard = {.file = ""};
    tl_param_defaults(&tl_mesh_source_params, &standard);
    if (!source)
        source = &standard;
    tl_triangles triangles = {.positions = NULL};
    tl_error reason = {.code = TL_OK};
    tl_mesh *mesh = NULL;
    tl_result result = read_triangles(file_name, &triangles, &reason);
    bool rest_uv = source->rest && strcmp(source->rest, "uv") == 0;
    if (!result && rest_uv)
        result = check_uv(file_name, &triangles, &reason);
    if (!result) {
        for (int i = 0; i < triangles.vertex_count; ++i) {
            tl_vec3 *p = &triangles.positions[i];
            *p = (tl_vec3){p->x * source->scale, p->y * source->scale, p->z * source->scale};
        }
        mesh = tl_mesh_create(
            &(tl_mesh_def){
                .positions = triangles.positions,
                .uv = triangles.has_uv ? triangles.uv : NULL,
                .vertex_count = triangles.vertex_count,
                .triangles = triangles.corners,
                .triangle_count = triangles.triangle_count,
                .rest = rest_uv ? TL_REST_UV : TL_REST_SHAPE,
                .uv_scale = source->uv_scale,
                .weld_distance = source->weld,
                .repair = source->repair,
            },
            NULL, &reason);
        if (!mesh)
            tl_error_prefix(&reason, "%s: ", file_name);
    }
    tl_triangles_free(&triangles);
    if (!mesh && error)
        *error = reason;
    return mesh;
}
