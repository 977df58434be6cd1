#include "studio/pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct pick_cloth {
    int *triangles;
    int triangle_count;
} pick_cloth;

struct picker {
    pick_cloth *cloths;
    int cloth_count;
    tl_world *shapes; /* the bodies at the origin, unrotated */
    bool *pickable;   /* not a plane: floors and walls cannot be dragged */
    int body_count;
};

void picker_destroy(picker *p)
{
    if (!p)
        return;
    for (int k = 0; p->cloths && k < p->cloth_count; ++k)
        free(p->cloths[k].triangles);
    free(p->cloths);
    free(p->pickable);
    tl_world_destroy(p->shapes);
    free(p);
}

static bool copy_cloth(pick_cloth *to, const tl_cloth *cloth)
{
    const tl_mesh *mesh = tl_cloth_mesh(cloth);
    to->triangle_count = tl_mesh_triangle_count(mesh);
    size_t bytes = 3 * (size_t)to->triangle_count * sizeof(int);
    to->triangles = malloc(bytes + 1);
    if (to->triangles)
        memcpy(to->triangles, tl_mesh_triangles(mesh), bytes);
    return to->triangles != NULL;
}

picker *picker_create(tl_world *world)
{
    picker *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->cloth_count = tl_world_cloth_count(world);
    p->body_count = tl_world_body_count(world);
    p->cloths = calloc((size_t)p->cloth_count + 1, sizeof *p->cloths);
    p->pickable = calloc((size_t)p->body_count + 1, sizeof *p->pickable);
    tl_world_def plain = tl_world_def_default();
    p->shapes = tl_world_create(&plain, NULL);
    bool made = p->cloths && p->pickable && p->shapes;
    for (int k = 0; made && k < p->cloth_count; ++k)
        made = copy_cloth(&p->cloths[k], tl_world_cloth(world, k));
    for (int k = 0; made && k < p->body_count; ++k) {
        tl_body_def def = *tl_body_get_def(tl_world_body(world, k));
        def.position = def.rotation = (tl_vec3){0, 0, 0};
        def.keys = NULL;
        def.key_count = 0;
        p->pickable[k] = !tl_shape_bottomless(def.shape);
        made = tl_body_create(p->shapes, &def) != NULL;
    }
    if (!made) {
        picker_destroy(p);
        return NULL;
    }
    return p;
}

/* ---- vectors ----------------------------------------------------------------------------------------------------- */

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(float out[3], const float a[3], const float b[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void subtract(float out[3], const float a[3], const float b[3])
{
    for (int c = 0; c < 3; ++c)
        out[c] = a[c] - b[c];
}

static float squared_distance(const float a[3], const float b[3])
{
    float d[3];
    subtract(d, a, b);
    return dot(d, d);
}

/* Rotation by the inverse of a unit quaternion. */
static void turn_back(float out[3], const float q[4], const float v[3])
{
    float u[3] = {-q[0], -q[1], -q[2]}, t[3], s[3];
    cross(t, u, v);
    for (int c = 0; c < 3; ++c)
        t[c] *= 2;
    cross(s, u, t);
    for (int c = 0; c < 3; ++c)
        out[c] = v[c] + q[3] * t[c] + s[c];
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

/* Möller–Trumbore from both sides; distance along the ray, or infinity. */
static float hit_triangle(const float origin[3], const float direction[3], const float *a, const float *b,
                          const float *c)
{
    float e[3], f[3], p[3], t[3], q[3];
    subtract(e, b, a);
    subtract(f, c, a);
    cross(p, direction, f);
    float determinant = dot(e, p);
    if (determinant == 0)
        return INFINITY;
    subtract(t, origin, a);
    float u = dot(t, p) / determinant;
    cross(q, t, e);
    float v = dot(direction, q) / determinant;
    float distance = dot(f, q) / determinant;
    return u >= 0 && v >= 0 && u + v <= 1 && distance > 0 ? distance : INFINITY;
}

static void cast_cloth(const picker *p, const stage_frame *frame, int index, const float origin[3],
                       const float direction[3], pick *best)
{
    int count;
    const float *x = stage_frame_positions(frame, index, &count);
    const pick_cloth *cloth = &p->cloths[index];
    for (int t = 0; x && t < cloth->triangle_count; ++t) {
        const int *corner = cloth->triangles + 3 * t;
        if (corner[0] >= count || corner[1] >= count || corner[2] >= count)
            return; /* frame of another world */
        float distance = hit_triangle(origin, direction, x + 3 * corner[0], x + 3 * corner[1], x + 3 * corner[2]);
        if (distance >= best->distance)
            continue;
        *best = (pick){.kind = PICK_CLOTH, .object = index, .distance = distance};
        for (int c = 0; c < 3; ++c)
            best->point[c] = origin[c] + distance * direction[c];
        best->vertex = corner[0];
        for (int c = 1; c < 3; ++c)
            if (squared_distance(x + 3 * corner[c], best->point) < squared_distance(x + 3 * best->vertex, best->point))
                best->vertex = corner[c];
    }
}

/* Sphere tracing: advances by the distance to the surface, which never steps through it. */
static void cast_body(const picker *p, const stage_frame *frame, int index, const float origin[3],
                      const float direction[3], pick *best)
{
    enum { MAX_STEPS = 128 };
    const float near_enough = 1e-4f; /* m */
    float place[3] = {0, 0, 0}, turn[4] = {0, 0, 0, 1}, from[3], o[3], d[3], t = 0;
    stage_frame_body(frame, index, place, turn);
    subtract(from, origin, place);
    turn_back(o, turn, from);
    turn_back(d, turn, direction);
    for (int k = 0; k < MAX_STEPS && t < best->distance; ++k) {
        tl_vec3 at = {(tl_real)(o[0] + t * d[0]), (tl_real)(o[1] + t * d[1]), (tl_real)(o[2] + t * d[2])};
        float gap = (float)tl_body_distance(tl_world_body(p->shapes, index), at, NULL);
        if (gap < near_enough) {
            *best = (pick){.kind = PICK_BODY, .object = index, .distance = t, .vertex = -1};
            for (int c = 0; c < 3; ++c)
                best->point[c] = origin[c] + t * direction[c];
            return;
        }
        t += gap;
    }
}

pick picker_cast(const picker *p, const stage_frame *frame, const float origin[3], const float direction[3])
{
    pick best = {.kind = PICK_NOTHING, .distance = INFINITY, .vertex = -1};
    if (!p || !frame)
        return best;
    for (int k = 0; k < p->cloth_count; ++k)
        cast_cloth(p, frame, k, origin, direction, &best);
    for (int k = 0; k < p->body_count; ++k)
        if (p->pickable[k] && stage_frame_body_is_on(frame, k))
            cast_body(p, frame, k, origin, direction, &best);
    return best;
}
