/* Box around the body's position. The distance is Euclidean, so a box inflated by a margin has flat faces and rounded
   edges and corners; distance and cast agree on that surface.

   The entry face is found by casting along the path, not as the nearest face: slabs (Kay and Kajiya 1986) of the box
   grown by the margin on all sides. Over a face that entry is exact; over an edge or corner the search continues
   from there with the distance function. */
#include "collide/shapes/convex_cast.h"
#include "collide/shapes/shapes.h"

static const char *check(tl_vec3 size)
{
    return tl_size_usable(size.x) && tl_size_usable(size.y) && tl_size_usable(size.z)
               ? NULL
               : "all three edges must be above 0";
}

static tl_vec3 extent(tl_vec3 size) { return tl_scale(size, (tl_real)0.5); }

static tl_real distance(tl_vec3 size, tl_vec3 p, tl_vec3 *normal)
{
    tl_vec3 half = extent(size);
    tl_vec3 out = tl_v3(fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z);
    tl_vec3 sign = tl_v3(copysign((tl_real)1, p.x), copysign((tl_real)1, p.y), copysign((tl_real)1, p.z));
    tl_vec3 over = tl_v3(tl_max(out.x, 0), tl_max(out.y, 0), tl_max(out.z, 0));
    tl_real length = tl_length(over);
    if (length > 0) {
        tl_real s = 1 / length;
        *normal = tl_v3(over.x * sign.x * s, over.y * sign.y * s, over.z * sign.z * s);
        return length;
    }
    /* inside: the nearest face */
    if (out.x >= out.y && out.x >= out.z) {
        *normal = tl_v3(sign.x, 0, 0);
        return out.x;
    }
    if (out.y >= out.z) {
        *normal = tl_v3(0, sign.y, 0);
        return out.y;
    }
    *normal = tl_v3(0, 0, sign.z);
    return out.z;
}

/* Clips enter … leave to the times at which the line lies between −half and half; false when it never does. */
static bool slab(tl_real half, tl_real p, tl_real step, int axis, tl_real *enter, tl_real *leave, int *entered)
{
    if (step == 0)
        return fabs(p) <= half;
    tl_real near = (-copysign(half, step) - p) / step, far = (copysign(half, step) - p) / step;
    if (near > *enter) {
        *enter = near;
        *entered = axis;
    }
    *leave = tl_min(*leave, far);
    return *enter <= *leave;
}

static bool cast(tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real *t, tl_vec3 *normal)
{
    tl_vec3 half = extent(size), step = tl_sub(p1, p0);
    tl_real enter = -1, leave = 1;
    int axis = -1;
    if (!slab(half.x + margin, p0.x, step.x, 0, &enter, &leave, &axis) ||
        !slab(half.y + margin, p0.y, step.y, 1, &enter, &leave, &axis) ||
        !slab(half.z + margin, p0.z, step.z, 2, &enter, &leave, &axis) || leave < 0)
        return false;
    if (axis >= 0 && enter >= 0) {
        /* over the face that was entered? */
        tl_vec3 q = tl_madd(p0, step, enter);
        bool over_x = axis == 0 || fabs(q.x) <= half.x;
        bool over_y = axis == 1 || fabs(q.y) <= half.y;
        bool over_z = axis == 2 || fabs(q.z) <= half.z;
        if ((over_x && over_y && over_z) || margin == 0) {
            *t = enter;
            *normal =
                tl_v3(axis == 0 ? -copysign((tl_real)1, step.x) : 0, axis == 1 ? -copysign((tl_real)1, step.y) : 0,
                      axis == 2 ? -copysign((tl_real)1, step.z) : 0);
            return true;
        }
    }
    return tl_cast_convex(&tl_shape_box, size, margin, p0, p1, tl_max(0, enter), t, normal);
}

static tl_vec3 inertia(tl_vec3 size)
{
    tl_vec3 s = tl_v3(size.x * size.x / 12, size.y * size.y / 12, size.z * size.z / 12);
    return tl_v3(s.y + s.z, s.z + s.x, s.x + s.y);
}

/* Six faces with their own corners, so that edges stay sharp. */
static void mesh(tl_vec3 size, int detail, tl_shape_mesh *out)
{
    static const int quad[6] = {0, 1, 2, 0, 2, 3};
    const tl_vec3 half = extent(size);
    const tl_real reach[3] = {half.x, half.y, half.z};
    (void)detail;
    out->vertex_count = 24;
    out->triangle_count = 12;
    if (!out->positions)
        return;
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        tl_real side = face % 2 ? 1 : -1;
        for (int corner = 0; corner < 4; ++corner) {
            tl_real p[3], n[3] = {0, 0, 0};
            p[axis] = side * reach[axis];
            p[u] = (corner == 1 || corner == 2 ? side : -side) * reach[u]; /* same winding seen from outside */
            p[v] = (corner >= 2 ? 1 : -1) * reach[v];
            n[axis] = side;
            out->positions[4 * face + corner] = tl_v3(p[0], p[1], p[2]);
            out->normals[4 * face + corner] = tl_v3(n[0], n[1], n[2]);
        }
        for (int k = 0; k < 6; ++k)
            out->triangles[6 * face + k] = 4 * face + quad[k];
    }
}

const tl_shape_class tl_shape_box = {
    .name = "box",
    .help = "Block around the body's position, its edges along the local axes.",
    .check = check,
    .distance = distance,
    .cast = cast,
    .extent = extent,
    .inertia = inertia,
    .mesh = mesh,
};
