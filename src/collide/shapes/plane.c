/* Plane: the half-space below local y = 0 is solid. */
#include "collide/shapes/shapes.h"

#include <string.h>

static const char *check(tl_vec3 size)
{
    (void)size;
    return NULL;
}

static tl_real distance(tl_vec3 size, tl_vec3 p, tl_vec3 *normal)
{
    (void)size;
    *normal = tl_v3(0, 1, 0);
    return p.y;
}

static bool cast(tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real *t, tl_vec3 *normal)
{
    (void)size;
    if (!(p1.y < margin) || !(p0.y > p1.y))
        return false;
    *t = tl_clamp((p0.y - margin) / (p0.y - p1.y), 0, 1);
    *normal = tl_v3(0, 1, 0);
    return true;
}

static tl_vec3 extent(tl_vec3 size)
{
    (void)size;
    return tl_v3(INFINITY, 0, INFINITY);
}

static void mesh(tl_vec3 size, int detail, tl_shape_mesh *out)
{
    static const int corners[6] = {0, 1, 2, 0, 2, 3};
    const tl_real half = (tl_real)0.5;
    (void)size;
    (void)detail;
    out->vertex_count = 4;
    out->triangle_count = 2;
    if (!out->positions)
        return;
    for (int k = 0; k < 4; ++k) {
        out->positions[k] = tl_v3(k < 2 ? -half : half, 0, k == 1 || k == 2 ? half : -half);
        out->normals[k] = tl_v3(0, 1, 0);
    }
    memcpy(out->triangles, corners, sizeof corners);
}

const tl_shape_class tl_shape_plane = {
    .name = "plane",
    .help = "Endless floor: everything below the plane is solid, local +y is up.",
    .bottomless = true,
    .check = check,
    .distance = distance,
    .cast = cast,
    .extent = extent,
    .mesh = mesh,
};
