/* Sphere and capsule: all points within a radius of a point or of a segment along local y. */
#include "collide/shapes/convex_cast.h"
#include "collide/shapes/rings.h"
#include "collide/shapes/shapes.h"

/* ---- sphere ------------------------------------------------------------------------------------------------- */

static const char *sphere_check(tl_vec3 size) { return tl_size_usable(size.x) ? NULL : "radius must be above 0"; }

/* p over its length; `other` at the centre, where the direction is arbitrary. */
static tl_real length_and_normal(tl_vec3 p, tl_vec3 other, tl_vec3 *normal)
{
    tl_real length = tl_length(p);
    *normal = length > 0 ? tl_scale(p, 1 / length) : other;
    return length;
}

static tl_real sphere_distance(tl_vec3 size, tl_vec3 p, tl_vec3 *normal)
{
    return length_and_normal(p, tl_v3(0, 1, 0), normal) - size.x;
}

static bool sphere_cast(tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real *t, tl_vec3 *normal)
{
    tl_vec3 step = tl_sub(p1, p0);
    tl_real approach = -tl_dot(p0, step), square = tl_dot(step, step);
    if (!(approach > 0) || !(square > 0))
        return false;
    /* from the point nearest to the centre back along the path: no cancellation, however long the path */
    tl_real nearest = approach / square, radius = size.x + margin;
    tl_vec3 q = tl_madd(p0, step, nearest);
    tl_real chord = radius * radius - tl_dot(q, q);
    if (!(chord >= 0))
        return false;
    tl_real time = tl_max(0, nearest - sqrt(chord / square));
    if (time > 1)
        return false;
    *t = time;
    length_and_normal(tl_madd(p0, step, time), tl_v3(0, 1, 0), normal);
    return true;
}

static tl_vec3 sphere_extent(tl_vec3 size) { return tl_v3(size.x, size.x, size.x); }

static tl_vec3 sphere_inertia(tl_vec3 size)
{
    tl_real i = (tl_real)0.4 * size.x * size.x;
    return tl_v3(i, i, i);
}

static void sphere_mesh(tl_vec3 size, int detail, tl_shape_mesh *mesh)
{
    tl_shape_rings(sphere_extent(size), 0, detail, mesh);
}

const tl_shape_class tl_shape_sphere = {
    .name = "sphere",
    .help = "Ball around the body's position.",
    .check = sphere_check,
    .distance = sphere_distance,
    .cast = sphere_cast,
    .extent = sphere_extent,
    .inertia = sphere_inertia,
    .mesh = sphere_mesh,
};

/* ---- capsule ------------------------------------------------------------------------------------------------ */

static const char *capsule_check(tl_vec3 size)
{
    if (!tl_size_usable(size.x))
        return "radius must be above 0";
    return size.y >= 0 && isfinite(size.y) ? NULL : "length must not be below 0";
}

static tl_real capsule_distance(tl_vec3 size, tl_vec3 p, tl_vec3 *normal)
{
    tl_real half = size.y / 2;
    p.y -= tl_clamp(p.y, -half, half);
    return length_and_normal(p, tl_v3(1, 0, 0), normal) - size.x;
}

static bool capsule_cast(tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real *t, tl_vec3 *normal)
{
    return tl_cast_convex(&tl_shape_capsule, size, margin, p0, p1, 0, t, normal);
}

static tl_vec3 capsule_extent(tl_vec3 size) { return tl_v3(size.x, size.y / 2 + size.x, size.x); }

static void capsule_mesh(tl_vec3 size, int detail, tl_shape_mesh *mesh)
{
    tl_shape_rings(sphere_extent(size), size.y, detail, mesh);
}

const tl_shape_class tl_shape_capsule = {
    .name = "capsule",
    .help = "Cylinder along local y, closed by two half-spheres.",
    .check = capsule_check,
    .distance = capsule_distance,
    .cast = capsule_cast,
    .extent = capsule_extent,
    .mesh = capsule_mesh,
};
