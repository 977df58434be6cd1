#include "io/mesh_clip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/file.h"

enum { MAX_SHAPES = 100000, MAX_DIGITS = 9 };

bool tl_mesh_is_clip(const char *file_name)
{
    const char *slash = strrchr(file_name, '/');
    return strchr(slash ? slash : file_name, '#') != NULL;
}

/* The name with `number` in place of its last run of #, on the heap. */
static char *numbered(const char *file_name, int number)
{
    const char *end = strrchr(file_name, '#') + 1, *start = end;
    while (start > file_name && start[-1] == '#')
        --start;
    int digits = (int)(end - start) < MAX_DIGITS ? (int)(end - start) : MAX_DIGITS;
    size_t room = strlen(file_name) + MAX_DIGITS + 2;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, "%.*s%0*d%s", (int)(start - file_name), file_name, digits, number, end);
    return name;
}

static bool exists(const char *file_name, int number)
{
    char *name = numbered(file_name, number);
    bool there = name && tl_file_exists(name);
    free(name);
    return there;
}

static tl_mesh *load_one(const char *file_name, int number, const tl_mesh_source_def *source, tl_error *error)
{
    char *name = numbered(file_name, number);
    tl_mesh *mesh = name ? tl_mesh_load(name, source, error) : NULL;
    if (!name)
        tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
    free(name);
    return mesh;
}

static bool same_triangles(const tl_mesh *a, const tl_mesh *b)
{
    return tl_mesh_vertex_count(a) == tl_mesh_vertex_count(b) &&
           tl_mesh_triangle_count(a) == tl_mesh_triangle_count(b) &&
           memcmp(tl_mesh_triangles(a), tl_mesh_triangles(b), 3 * (size_t)tl_mesh_triangle_count(a) * sizeof(int)) == 0;
}

tl_mesh *tl_mesh_clip_load(const char *file_name, const tl_mesh_source_def *source, tl_vec3 **shapes, int *count,
                           tl_error *error)
{
    int first = exists(file_name, 0) ? 0 : 1, last = first;
    *shapes = NULL;
    *count = 0;
    while (last - first < MAX_SHAPES && exists(file_name, last))
        ++last;
    if (last == first) {
        tl_fail(error, TL_ERROR_FILE, "%s: there is no file with 0 or 1 in place of #", file_name);
        return NULL;
    }
    tl_mesh *mesh = load_one(file_name, first, source, error);
    size_t vertices = mesh ? (size_t)tl_mesh_vertex_count(mesh) : 0;
    *shapes = mesh ? malloc((size_t)(last - first) * vertices * sizeof **shapes) : NULL;
    bool good = *shapes != NULL;
    if (mesh && !good)
        tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
    for (int n = first; n < last && good; ++n) {
        tl_mesh *shape = n == first ? mesh : load_one(file_name, n, source, error);
        good = shape && same_triangles(mesh, shape);
        if (shape && !good)
            tl_fail(error, TL_ERROR_INPUT, "%s: number %d does not have the triangles of number %d", file_name, n,
                    first);
        if (good)
            memcpy(*shapes + (size_t)(n - first) * vertices, tl_mesh_vertices(shape), vertices * sizeof **shapes);
        if (shape != mesh)
            tl_mesh_destroy(shape);
    }
    if (!good) {
        tl_mesh_destroy(mesh);
        free(*shapes);
        *shapes = NULL;
        return NULL;
    }
    *count = last - first;
    return mesh;
}
