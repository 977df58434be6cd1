/* Rest shapes: the flat, unstrained triangle of every face, in metres, with the warp (the stiff, lengthwise yarn) along
   u and the weft along v.

   TL_REST_UV takes texture coordinates as the sewing pattern. A face that is mirrored in the texture gets v negated:
   its area is then positive, with warp and lengths unchanged.

   TL_REST_SHAPE flattens each face on its own. Where texture coordinates exist and have an area, the warp follows their
   u direction over the face, while lengths come from the shape. Elsewhere it is one axis for the whole mesh, projected
   onto the face: the axis that lies most nearly in the surface overall (x before y before z when they tie, so that a
   flat sheet in x–y agrees with a grid), and for faces almost perpendicular to it the second best. Corner 0 is the
   origin.

   Everything is computed in double precision, as the differences of nearby corners lose digits. */
#include "mesh/build.h"

#include <float.h>

#ifdef TL_REAL_DOUBLE
#define REAL_MIN DBL_MIN
#define REAL_MAX DBL_MAX
#else
#define REAL_MIN FLT_MIN
#define REAL_MAX FLT_MAX
#endif

/* An axis whose projection onto a face is shorter than this (6° from the normal) is not used for the face. */
#define WARP_MIN_PROJECTION 0.1

/* An axis must lie this much better in the surface than an earlier one to be preferred, so that rounding does not
   choose between axes that are equal by symmetry. */
#define WARP_BETTER 0.95

typedef struct vec {
    double x, y, z;
} vec;

static vec minus(const double a[3], const double b[3]) { return (vec){a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static vec add_scaled(vec a, vec b, double s) { return (vec){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s}; }
static double length_of(vec a) { return sqrt(dot(a, a)); }

tl_area_check tl_check_area(const double a[3], const double b[3], const double c[3])
{
    vec ab = minus(b, a), ac = minus(c, a), bc = minus(c, b);
    double longest = fmax(dot(ab, ab), fmax(dot(ac, ac), dot(bc, bc)));
    double twice = length_of(cross(ab, ac));
    if (!(longest <= (double)REAL_MAX) || !(twice <= (double)REAL_MAX))
        return TL_AREA_TOO_LARGE;
    return twice > TL_FLAT_FACE * longest && twice / 2 >= (double)REAL_MIN ? TL_AREA_GOOD : TL_AREA_NONE;
}

void tl_rest_of_uv(const tl_mesh_def *def, int vertex, double out[3])
{
    double scale = def->uv_scale > 0 ? (double)def->uv_scale : 1;
    /* rounded as it will be stored, so that what is checked is what is used */
    out[0] = (double)(tl_real)((double)def->uv[2 * vertex] * scale);
    out[1] = (double)(tl_real)((double)def->uv[2 * vertex + 1] * scale);
    out[2] = 0;
}

/* The two sides of a face from corner 0, in 3D. */
static void sides_of(const tl_mesh *mesh, int f, vec *first, vec *second)
{
    double x[3][3];
    for (int k = 0; k < 3; ++k) {
        tl_vec3 p = mesh->position[mesh->face[3 * f + k]];
        x[k][0] = (double)p.x, x[k][1] = (double)p.y, x[k][2] = (double)p.z;
    }
    *first = minus(x[1], x[0]);
    *second = minus(x[2], x[0]);
}

/* The first and second choice of axis for the mesh. */
static void choose_axes(const tl_mesh *mesh, vec axis[2])
{
    static const vec unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    /* area-weighted squares of the normal's components: how far each axis sticks out of the surface */
    double out[3] = {0, 0, 0};
    for (int f = 0; f < mesh->face_count; ++f) {
        vec first, second;
        sides_of(mesh, f, &first, &second);
        vec n = cross(first, second);
        double twice = length_of(n);
        out[0] += n.x * n.x / twice, out[1] += n.y * n.y / twice, out[2] += n.z * n.z / twice;
    }
    int best = 0;
    for (int k = 1; k < 3; ++k)
        best = out[k] < WARP_BETTER * out[best] ? k : best;
    int other = best == 0 ? 1 : 0;
    for (int k = other + 1; k < 3; ++k)
        other = k != best && out[k] < WARP_BETTER * out[other] ? k : other;
    axis[0] = unit[best];
    axis[1] = unit[other];
}

/* Gradient direction of u over the face, or zero where the texture has no area. */
static vec texture_warp(const tl_mesh *mesh, int f, vec first, vec second)
{
    double uv[3][3];
    for (int k = 0; k < 3; ++k) {
        int vertex = mesh->triangle[3 * f + k];
        uv[k][0] = (double)mesh->vertex_uv[2 * vertex], uv[k][1] = (double)mesh->vertex_uv[2 * vertex + 1],
        uv[k][2] = 0;
    }
    if (tl_check_area(uv[0], uv[1], uv[2]) != TL_AREA_GOOD)
        return (vec){0, 0, 0};
    vec s = minus(uv[1], uv[0]), t = minus(uv[2], uv[0]);
    double determinant = s.x * t.y - s.y * t.x;
    vec none = {0, 0, 0};
    return add_scaled(add_scaled(none, first, t.y / determinant), second, -s.y / determinant);
}

/* A unit vector in the plane of the face whose unit normal is n. */
static vec warp_direction(const tl_mesh *mesh, int f, const vec axis[2], vec n, vec first, vec second)
{
    vec warp = mesh->vertex_uv ? texture_warp(mesh, f, first, second) : (vec){0, 0, 0};
    if (!(length_of(warp) > 0)) {
        warp = add_scaled(axis[0], n, -dot(axis[0], n));
        /* two perpendicular axes cannot both be near the normal */
        if (length_of(warp) < WARP_MIN_PROJECTION)
            warp = add_scaled(axis[1], n, -dot(axis[1], n));
    }
    double length = length_of(warp);
    return (vec){warp.x / length, warp.y / length, warp.z / length};
}

static void flatten(tl_mesh *mesh, int f, const vec axis[2])
{
    vec first, second;
    sides_of(mesh, f, &first, &second);
    vec n = cross(first, second);
    double twice = length_of(n);
    n = (vec){n.x / twice, n.y / twice, n.z / twice};
    vec u = warp_direction(mesh, f, axis, n, first, second), v = cross(n, u);
    tl_real *rest_u = mesh->rest_u + 3 * f, *rest_v = mesh->rest_v + 3 * f;
    rest_u[0] = 0, rest_v[0] = 0;
    rest_u[1] = (tl_real)dot(first, u), rest_v[1] = (tl_real)dot(first, v);
    rest_u[2] = (tl_real)dot(second, u), rest_v[2] = (tl_real)dot(second, v);
}

static double signed_rest_area(const tl_mesh *mesh, int f)
{
    const tl_real *u = mesh->rest_u + 3 * f, *v = mesh->rest_v + 3 * f;
    double u1 = (double)u[1] - (double)u[0], v1 = (double)v[1] - (double)v[0];
    double u2 = (double)u[2] - (double)u[0], v2 = (double)v[2] - (double)v[0];
    return (u1 * v2 - v1 * u2) / 2;
}

static void take_texture(tl_mesh *mesh, int f, const tl_mesh_def *def)
{
    for (int h = 3 * f; h < 3 * f + 3; ++h) {
        double x[3];
        tl_rest_of_uv(def, mesh->triangle[h], x);
        mesh->rest_u[h] = (tl_real)x[0];
        mesh->rest_v[h] = (tl_real)x[1];
    }
    if (signed_rest_area(mesh, f) < 0)
        for (int h = 3 * f; h < 3 * f + 3; ++h)
            mesh->rest_v[h] = -mesh->rest_v[h];
}

static void take_plane(tl_mesh *mesh, int f)
{
    for (int h = 3 * f; h < 3 * f + 3; ++h) {
        mesh->rest_u[h] = mesh->position[mesh->face[h]].x;
        mesh->rest_v[h] = mesh->position[mesh->face[h]].y;
    }
}

tl_result tl_rest_shapes(tl_mesh *mesh, const tl_mesh_def *def, tl_error *error)
{
    size_t faces = (size_t)mesh->face_count;
    mesh->rest_u = tl_allocate(&mesh->allocator, 3 * faces, sizeof *mesh->rest_u);
    mesh->rest_v = tl_allocate(&mesh->allocator, 3 * faces, sizeof *mesh->rest_v);
    mesh->rest_area = tl_allocate(&mesh->allocator, faces, sizeof *mesh->rest_area);
    if (!mesh->rest_u || !mesh->rest_v || !mesh->rest_area)
        return tl_mesh_no_memory(error);

    vec axis[2] = {{1, 0, 0}, {0, 1, 0}};
    if (def && def->rest == TL_REST_SHAPE)
        choose_axes(mesh, axis);
    for (int f = 0; f < mesh->face_count; ++f) {
        if (!def)
            take_plane(mesh, f);
        else if (def->rest == TL_REST_UV)
            take_texture(mesh, f, def);
        else
            flatten(mesh, f, axis);
        /* from the stored coordinates, so that both agree; above 0, because tl_check_area has a margin wider than
           rounding */
        mesh->rest_area[f] = (tl_real)signed_rest_area(mesh, f);
    }
    return TL_OK;
}
