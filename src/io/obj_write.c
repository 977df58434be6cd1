/* Writing Wavefront OBJ: every cloth of a world as one object, with its mesh's vertices in their order. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/file.h"
#include "telar/io.h"

/* Significant digits with which a position reads back exactly. */
enum { POSITION_DIGITS = sizeof(tl_real) == sizeof(float) ? 9 : 17, NORMAL_DIGITS = 6, UV_DIGITS = 7 };

/* "v 1 2 3", with a decimal point in any locale. */
static void write_row(FILE *file, const char *keyword, const tl_real *number, int count, int digits)
{
    char row[128];
    int length = snprintf(row, sizeof row, "%s", keyword);
    for (int i = 0; i < count; ++i)
        length += snprintf(row + length, sizeof row - (size_t)length, " %.*g", digits, (double)number[i]);
    const char *point = localeconv()->decimal_point;
    if (strlen(point) == 1 && *point != '.')
        for (char *at = row; (at = strchr(at, *point)); ++at)
            *at = '.';
    fputs(row, file);
    fputc('\n', file);
}

static void write_faces(FILE *file, const tl_mesh *mesh, int first, int first_uv, bool has_uv)
{
    const int *corner = tl_mesh_triangles(mesh);
    for (int i = 0; i < tl_mesh_triangle_count(mesh); ++i, corner += 3) {
        fputc('f', file);
        for (int k = 0; k < 3; ++k) {
            int vertex = first + corner[k];
            if (has_uv)
                fprintf(file, " %d/%d/%d", vertex, first_uv + corner[k], vertex);
            else
                fprintf(file, " %d//%d", vertex, vertex);
        }
        fputc('\n', file);
    }
}

static void write_world(FILE *file, const tl_world *world)
{
    fprintf(file, "# Telar %s, time %.6f s, metres\n", TL_VERSION, tl_world_time(world));
    int first = 1, first_uv = 1; /* OBJ counts from 1, over all objects */
    for (int c = 0; c < tl_world_cloth_count(world); ++c) {
        tl_cloth *cloth = tl_world_cloth(world, c);
        const tl_mesh *mesh = tl_cloth_mesh(cloth);
        int count = tl_cloth_vertex_count(cloth);
        const tl_vec3 *positions = tl_cloth_positions(cloth), *normals = tl_cloth_normals(cloth);
        const tl_real *uv = tl_mesh_uv(mesh);
        fprintf(file, "o cloth%d\n", c);
        for (int i = 0; i < count; ++i)
            write_row(file, "v", &positions[i].x, 3, POSITION_DIGITS);
        for (int i = 0; uv && i < count; ++i)
            write_row(file, "vt", &uv[2 * (size_t)i], 2, UV_DIGITS);
        for (int i = 0; i < count; ++i)
            write_row(file, "vn", &normals[i].x, 3, NORMAL_DIGITS);
        write_faces(file, mesh, first, first_uv, uv != NULL);
        first += count;
        first_uv += uv ? count : 0;
    }
}

tl_result tl_write_obj(const tl_world *world, const char *file_name, tl_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory)
        write_world(memory, world);
    tl_result result = memory && tl_file_close(memory)
                           ? tl_file_replace(file_name, text, length, error)
                           : tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory to write it", file_name);
    free(text);
    return result;
}
