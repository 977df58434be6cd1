/* The Stanford bunny, which other packages provide and Telar does not: Debian's glmark2-data has it as OBJ, npm's
   `bunny` as two arrays of JavaScript, exports.positions = [[x, y, z], …] and exports.cells = [[a, b, c], …]. */
#include "io/bunny.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/vec.h"
#include "io/file.h"

/* In order of preference: the first has 69 666 faces, the second 3 674. */
static const char *const files[] = {
    "/usr/share/glmark2/models/bunny.obj",  "/usr/local/share/glmark2/models/bunny.obj",
    "node_modules/bunny/index.js",          "/usr/local/lib/node_modules/bunny/index.js",
    "/usr/lib/node_modules/bunny/index.js",
};

const char *tl_mesh_bunny(void)
{
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k)
        if (tl_file_exists(files[k]))
            return files[k];
    return NULL;
}

/* The array after "exports.<name>=". */
static json_t *array_named(const char *text, size_t length, const char *name)
{
    const char *at = strstr(text, name);
    at = at ? strchr(at, '[') : NULL;
    return at ? json_loadb(at, length - (size_t)(at - text), JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}

static bool read_three(const json_t *row, double out[3])
{
    for (size_t k = 0; k < 3; ++k) {
        json_t *number = json_array_get(row, k);
        if (!json_is_number(number))
            return false;
        out[k] = json_number_value(number);
    }
    return json_array_size(row) == 3;
}

static bool take_all(const json_t *positions, const json_t *cells, tl_triangles *out)
{
    size_t points = json_array_size(positions), faces = json_array_size(cells);
    if (points == 0 || faces == 0 || points > INT_MAX || faces > INT_MAX / 3)
        return false;
    out->positions = malloc(points * sizeof *out->positions);
    out->uv = calloc(points, 2 * sizeof *out->uv);
    out->corners = malloc(3 * faces * sizeof *out->corners);
    bool good = out->positions && out->uv && out->corners;
    double three[3];
    for (size_t p = 0; p < points && good; ++p) {
        good = read_three(json_array_get(positions, p), three);
        out->positions[p] = tl_v3((tl_real)three[0], (tl_real)three[1], (tl_real)three[2]);
    }
    for (size_t f = 0; f < faces && good; ++f) {
        good = read_three(json_array_get(cells, f), three);
        for (size_t k = 0; k < 3 && good; ++k) {
            good = three[k] >= 0 && three[k] < (double)points;
            out->corners[3 * f + k] = good ? (int)three[k] : 0;
        }
    }
    out->vertex_count = good ? (int)points : 0;
    out->triangle_count = good ? (int)faces : 0;
    return good;
}

/* Centred at the origin and 2 units wide, like glmark2's. */
static void fit(tl_triangles *out)
{
    tl_vec3 low = out->positions[0], high = low;
    for (int p = 1; p < out->vertex_count; ++p) {
        tl_vec3 x = out->positions[p];
        low = tl_v3(tl_min(low.x, x.x), tl_min(low.y, x.y), tl_min(low.z, x.z));
        high = tl_v3(tl_max(high.x, x.x), tl_max(high.y, x.y), tl_max(high.z, x.z));
    }
    tl_vec3 middle = tl_lerp(low, high, (tl_real)0.5);
    tl_real scale = high.x > low.x ? 2 / (high.x - low.x) : 1;
    for (int p = 0; p < out->vertex_count; ++p)
        out->positions[p] = tl_scale(tl_sub(out->positions[p], middle), scale);
}

tl_result tl_bunny_read(const char *text, size_t length, const char *file_name, tl_triangles *out, tl_error *error)
{
    json_t *positions = array_named(text, length, "exports.positions"),
           *cells = array_named(text, length, "exports.cells");
    bool good = positions && cells && take_all(positions, cells, out);
    json_decref(positions);
    json_decref(cells);
    if (!good)
        return tl_fail(error, TL_ERROR_INPUT, "%s: not the arrays of npm's bunny", file_name);
    fit(out);
    return TL_OK;
}
