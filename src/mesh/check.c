/* First stage of making a mesh: reject definitions that cannot be read safely. Nothing here allocates, and arrays are
   only read once their sizes are known to be valid. */
#include "mesh/build.h"

static tl_result check_size(const char *name, tl_real size, tl_error *error)
{
    if (!isfinite(size))
        return tl_fail(error, TL_ERROR_INPUT, "grid: %s is not a finite number", name);
    if (size <= 0)
        return tl_fail(error, TL_ERROR_INPUT, "grid: %s %g m is not above 0", name, (double)size);
    return TL_OK;
}

tl_result tl_check_grid_def(const tl_grid_def *def, tl_error *error)
{
    if (!def)
        return tl_fail(error, TL_ERROR_INPUT, "grid: no definition given");
    if (def->columns < 2)
        return tl_fail(error, TL_ERROR_INPUT, "grid: columns %d is below 2", def->columns);
    if (def->rows < 2)
        return tl_fail(error, TL_ERROR_INPUT, "grid: rows %d is below 2", def->rows);
    int64_t particles = (int64_t)def->columns * def->rows;
    if (particles > TL_MESH_MAX_PARTICLES)
        return tl_fail(error, TL_ERROR_INPUT, "grid: %d × %d = %lld particles, more than %d", def->columns, def->rows,
                       (long long)particles, (int)TL_MESH_MAX_PARTICLES);
    tl_result result = check_size("width", def->width, error);
    return result == TL_OK ? check_size("height", def->height, error) : result;
}

static tl_result check_vertices(const tl_mesh_def *def, tl_error *error)
{
    for (int i = 0; i < def->vertex_count; ++i) {
        tl_vec3 x = def->positions[i];
        const char *bad = !isfinite(x.x) ? "x" : !isfinite(x.y) ? "y" : !isfinite(x.z) ? "z" : NULL;
        if (!bad && def->uv)
            bad = !isfinite(def->uv[2 * i]) ? "u" : !isfinite(def->uv[2 * i + 1]) ? "v" : NULL;
        if (bad)
            return tl_fail(error, TL_ERROR_INPUT, "vertex %d: %s is not a finite number", i, bad);
    }
    return TL_OK;
}

static tl_result check_indices(const tl_mesh_def *def, tl_error *error)
{
    for (int h = 0; h < 3 * def->triangle_count; ++h) {
        int vertex = def->triangles[h];
        if (vertex < 0 || vertex >= def->vertex_count)
            return tl_fail(error, TL_ERROR_INPUT, "face %d: vertex %d of %d", h / 3, vertex, def->vertex_count);
    }
    return TL_OK;
}

static tl_result check_options(const tl_mesh_def *def, tl_error *error)
{
    if (def->rest != TL_REST_SHAPE && def->rest != TL_REST_UV)
        return tl_fail(error, TL_ERROR_INPUT, "mesh: rest source %d is unknown", (int)def->rest);
    if (def->rest == TL_REST_UV && !def->uv)
        return tl_fail(error, TL_ERROR_INPUT,
                       "mesh: its rest shape is to come from texture coordinates, but it has none");
    if (!isfinite(def->uv_scale) || def->uv_scale < 0)
        return tl_fail(error, TL_ERROR_INPUT, "mesh: uv scale %g m is not a positive number", (double)def->uv_scale);
    if (!isfinite(def->weld_distance) || def->weld_distance < 0)
        return tl_fail(error, TL_ERROR_INPUT, "mesh: weld distance %g m is not 0 or a positive number",
                       (double)def->weld_distance);
    return TL_OK;
}

static tl_result check_parts(const tl_mesh_def *def, tl_error *error)
{
    if (def->part_count < 0 || (def->part_count > 0 && (!def->parts || !def->part_of_triangle)))
        return tl_fail(error, TL_ERROR_INPUT, "mesh: %d parts, but not their materials and triangles", def->part_count);
    for (int k = 0; k < def->part_count; ++k) {
        const tl_mesh_part *part = &def->parts[k];
        const tl_real factor[] = {part->density, part->warp, part->weft, part->shear, part->bend};
        for (int i = 0; i < 5; ++i)
            if (!isfinite(factor[i]) || !(factor[i] > 0))
                return tl_fail(error, TL_ERROR_INPUT, "mesh: part %d has a factor of %g, which is not above 0", k,
                               (double)factor[i]);
    }
    for (int f = 0; f < def->triangle_count && def->part_count > 0; ++f)
        if (def->part_of_triangle[f] < 0 || def->part_of_triangle[f] >= def->part_count)
            return tl_fail(error, TL_ERROR_INPUT, "face %d: part %d of %d", f, def->part_of_triangle[f],
                           def->part_count);
    return TL_OK;
}

static tl_result check_elastics(const tl_mesh_def *def, tl_error *error)
{
    if (def->elastic_count < 0 || (def->elastic_count > 0 && !def->elastics))
        return tl_fail(error, TL_ERROR_INPUT, "mesh: %d elastics, but no list of them", def->elastic_count);
    for (int k = 0; k < def->elastic_count; ++k) {
        const tl_mesh_elastic *band = &def->elastics[k];
        if (band->a < 0 || band->a >= def->vertex_count || band->b < 0 || band->b >= def->vertex_count)
            return tl_fail(error, TL_ERROR_INPUT, "elastic %d: vertices %d and %d of %d", k, band->a, band->b,
                           def->vertex_count);
        if (!isfinite(band->ratio) || !(band->ratio > 0))
            return tl_fail(error, TL_ERROR_INPUT, "elastic %d: its ratio %g is not above 0", k, (double)band->ratio);
    }
    return TL_OK;
}

tl_result tl_check_mesh_def(const tl_mesh_def *def, tl_error *error)
{
    if (!def)
        return tl_fail(error, TL_ERROR_INPUT, "mesh: no definition given");
    if (def->vertex_count <= 0 || !def->positions)
        return tl_fail(error, TL_ERROR_INPUT, "mesh: it has no vertices");
    if (def->triangle_count <= 0 || !def->triangles)
        return tl_fail(error, TL_ERROR_INPUT, "mesh: it has no faces");
    if (def->vertex_count > TL_MESH_MAX_VERTICES)
        return tl_fail(error, TL_ERROR_INPUT, "mesh: %d vertices, more than %d", def->vertex_count,
                       (int)TL_MESH_MAX_VERTICES);
    if (def->triangle_count > TL_MESH_MAX_FACES)
        return tl_fail(error, TL_ERROR_INPUT, "mesh: %d faces, more than %d", def->triangle_count,
                       (int)TL_MESH_MAX_FACES);
    tl_result result = check_options(def, error);
    if (result == TL_OK)
        result = check_vertices(def, error);
    if (result == TL_OK)
        result = check_indices(def, error);
    if (result == TL_OK)
        result = check_parts(def, error);
    if (result == TL_OK)
        result = check_elastics(def, error);
    return result;
}
