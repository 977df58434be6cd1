/* The Stanford bunny, which other packages provide and Telar does not: Debian's glmark2-data has it as OBJ, npm's
   `bunny` as two arrays of JavaScript, exports.positions = [[x, y, z], …] and exports.cells = [[a, b, c], …]. */
#include "io/bunny.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/vec.h"
#include "io/file.h"
#include "io/json.h"

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

/* Reads the array after "exports.<name>="; NULL when there is none. */
static const tl_json *array_named(tl_json_document *document, const char *text, size_t length, const char *name)
{
    const char *at = strstr(text, name);
    at = at ? strchr(at, '[') : NULL;
    return at && tl_json_read(document, at, length - (size_t)(at - text), true, NULL) ? document->root : NULL;
}

static bool read_three(const tl_json *row, double out[3])
{
    int k = 0;
    for (const tl_json *number = tl_json_first(row); number; number = number->next, ++k) {
        if (k == 3 || number->kind != TL_JSON_NUMBER)
            return false;
        out[k] = number->number;
    }
    return k == 3;
}

static bool take_all(const tl_json *positions, const tl_json *cells, tl_triangles *out)
{
    size_t points = tl_json_count(positions), faces = tl_json_count(cells);
    if (points == 0 || faces == 0 || points > INT_MAX || faces > INT_MAX / 3)
        return false;
    out->positions = malloc(points * sizeof *out->positions);
    out->uv = calloc(points, 2 * sizeof *out->uv);
    out->corners = malloc(3 * faces * sizeof *out->corners);
    bool good = out->positions && out->uv && out->corners;
    double three[3];
    const tl_json *row = tl_json_first(positions);
    for (size_t p = 0; p < points && good; ++p, row = row->next) {
        good = read_three(row, three);
        if (good)
            out->positions[p] = tl_v3((tl_real)three[0], (tl_real)three[1], (tl_real)three[2]);
    }
    row = tl_json_first(cells);
    for (size_t f = 0; f < faces && good; ++f, row = row->next) {
        good = read_three(row, three);
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
    tl_json_document first = {.root = NULL}, second = {.root = NULL};
    const tl_json *positions = array_named(&first, text, length, "exports.positions"),
                  *cells = array_named(&second, text, length, "exports.cells");
    bool good = positions && cells && take_all(positions, cells, out);
    tl_json_release(&first);
    tl_json_release(&second);
    if (!good)
        return tl_fail(error, TL_ERROR_INPUT, "%s: not the arrays of npm's bunny", file_name);
    fit(out);
    return TL_OK;
}
