/* Recording a clip for a glTF file: every cloth and body of a world, frame by frame.

   Of a cloth only some frames are kept. A frame is left out when it lies on the straight line between its neighbours
   that are kept, to within a tolerance, as glTF interpolates morph targets: greedily, at most MAX_PENDING in a row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/trig.h"
#include "core/vec.h"
#include "io/glb.h"

enum { MAX_PENDING = 16, DETAIL = 48 /* segments around a body */ };
/* Of the diagonal of the first shape: an error that only lasts for a frame or two. */
#define TOLERANCE (1.0 / 800)
#define PLANE_SIZE 20.0F /* m, drawn of an endless plane */

/* ---- shapes ------------------------------------------------------------------------------------------------- */

static size_t numbers_of(const tl_glb_shapes *s) { return TL_GLB_NUMBERS * (size_t)s->vertex_count; }

static void fill(float *shape, const tl_vec3 *positions, const tl_vec3 *normals, int count)
{
    for (int i = 0; i < count; ++i, shape += TL_GLB_NUMBERS) {
        tl_vec3 x = positions[i], n = normals[i];
        double length = sqrt((double)n.x * (double)n.x + (double)n.y * (double)n.y + (double)n.z * (double)n.z);
        /* unit to the last digit, and something where a fold has no normal */
        double row[TL_GLB_NUMBERS] = {(double)x.x, (double)x.y, (double)x.z, 0, length > 0 ? 0 : 1, 0};
        if (length > 0) {
            row[3] = (double)n.x / length;
            row[4] = (double)n.y / length;
            row[5] = (double)n.z / length;
        }
        for (int k = 0; k < TL_GLB_NUMBERS; ++k)
            shape[k] = (float)row[k];
    }
}

/* Whether all pending frames lie between the last key and `shape` at `time`. */
static bool fits(const tl_glb_shapes *s, const float *shape, double time)
{
    const float *from = s->key_count > 0 ? s->key[s->key_count - 1] : s->first;
    for (int p = 0; p < s->pending_count; ++p) {
        float t = (float)((s->pending_time[p] - s->last_time) / (time - s->last_time));
        const float *at = s->pending[p];
        for (int i = 0; i < s->vertex_count; ++i)
            for (int c = 0; c < 3; ++c) {
                size_t k = TL_GLB_NUMBERS * (size_t)i + (size_t)c;
                if (!(fabsf(from[k] + t * (shape[k] - from[k]) - at[k]) <= s->tolerance))
                    return false;
            }
    }
    return true;
}

/* The last pending frame becomes a key, the others are forgotten. */
static bool keep_last(tl_glb_shapes *s)
{
    if (s->pending_count == 0)
        return true;
    if (s->key_count == s->capacity) {
        int capacity = s->capacity > 0 ? 2 * s->capacity : 64;
        float **key = realloc(s->key, (size_t)capacity * sizeof *key);
        s->key = key ? key : s->key;
        double *time = key ? realloc(s->time, (size_t)capacity * sizeof *time) : NULL;
        s->time = time ? time : s->time;
        if (!time)
            return false;
        s->capacity = capacity;
    }
    int last = --s->pending_count;
    s->key[s->key_count] = s->pending[last];
    s->time[s->key_count++] = s->last_time = s->pending_time[last];
    while (s->pending_count > 0)
        free(s->pending[--s->pending_count]);
    return true;
}

/* Takes over `shape`, on the heap. */
static bool add_shape(tl_glb_shapes *s, float *shape, double time)
{
    if (!s->first) {
        s->first = shape;
        s->last_time = time;
        return true;
    }
    if (!s->moved && memcmp(shape, s->first, numbers_of(s) * sizeof *shape) != 0)
        s->moved = true;
    if ((s->pending_count == MAX_PENDING || !fits(s, shape, time)) && !keep_last(s)) {
        free(shape);
        return false;
    }
    s->pending[s->pending_count] = shape;
    s->pending_time[s->pending_count++] = time;
    return true;
}

bool tl_glb_finish(tl_glb *glb)
{
    bool done = true;
    for (int k = 0; k < glb->object_count; ++k)
        done = keep_last(&glb->object[k].shapes) && done;
    return done;
}

static bool make_shapes(tl_glb_shapes *s, int vertex_count)
{
    s->vertex_count = vertex_count;
    s->pending = calloc(MAX_PENDING, sizeof *s->pending);
    s->pending_time = calloc(MAX_PENDING, sizeof *s->pending_time);
    return s->pending && s->pending_time;
}

static void measure_tolerance(tl_glb_shapes *s)
{
    double square = 0;
    for (int c = 0; c < 3; ++c) {
        float low = s->first[c], high = low;
        for (int i = 1; i < s->vertex_count; ++i) {
            low = fminf(low, s->first[TL_GLB_NUMBERS * i + c]);
            high = fmaxf(high, s->first[TL_GLB_NUMBERS * i + c]);
        }
        square += (double)(high - low) * (double)(high - low);
    }
    s->tolerance = (float)(TOLERANCE * sqrt(square));
}

/* ---- objects ------------------------------------------------------------------------------------------------ */

static bool copy_mesh(tl_glb_object *object, const tl_mesh *mesh)
{
    int vertices = tl_mesh_vertex_count(mesh);
    size_t corners = 3 * (size_t)tl_mesh_triangle_count(mesh);
    const int *corner = tl_mesh_triangles(mesh);
    const tl_real *uv = tl_mesh_uv(mesh);
    object->triangle_count = tl_mesh_triangle_count(mesh);
    object->corners = malloc(corners * sizeof *object->corners);
    object->uv = uv ? malloc(2 * (size_t)vertices * sizeof *object->uv) : NULL;
    if (!object->corners || (uv && !object->uv))
        return false;
    for (size_t k = 0; k < corners; ++k)
        object->corners[k] = (unsigned)corner[k];
    for (size_t k = 0; uv && k < 2 * (size_t)vertices; k += 2) {
        object->uv[k] = (float)uv[k];
        object->uv[k + 1] = 1 - (float)uv[k + 1]; /* glTF counts v downwards */
    }
    return make_shapes(&object->shapes, vertices);
}

static bool add_frame(tl_glb_object *object, const tl_vec3 *positions, const tl_vec3 *normals, double time)
{
    float *shape = positions && normals ? malloc(numbers_of(&object->shapes) * sizeof *shape) : NULL;
    if (!shape)
        return false;
    fill(shape, positions, normals, object->shapes.vertex_count);
    bool first = !object->shapes.first;
    if (!add_shape(&object->shapes, shape, time))
        return false;
    if (first)
        measure_tolerance(&object->shapes);
    return true;
}

/* Normals of a body's triangles, area-weighted; vertices of one particle share theirs. */
static void find_normals(const tl_mesh *mesh, const tl_vec3 *x, tl_vec3 *sums, tl_vec3 *normals)
{
    const int *corner = tl_mesh_triangles(mesh), *particle = tl_mesh_particle_of_vertex(mesh);
    int vertices = tl_mesh_vertex_count(mesh);
    memset(sums, 0, (size_t)vertices * sizeof *sums);
    for (int f = 0; f < tl_mesh_triangle_count(mesh); ++f, corner += 3) {
        tl_vec3 n = tl_cross(tl_sub(x[corner[1]], x[corner[0]]), tl_sub(x[corner[2]], x[corner[0]]));
        for (int c = 0; c < 3; ++c)
            if (particle[corner[c]] >= 0)
                sums[particle[corner[c]]] = tl_add(sums[particle[corner[c]]], n);
    }
    for (int i = 0; i < vertices; ++i)
        normals[i] = particle[i] >= 0 ? sums[particle[i]] : tl_v3(0, 0, 0);
}

static bool add_mesh_body(tl_glb_object *object, double time)
{
    if (object->shapes.first && !tl_body_deformed(object->body))
        return true;
    const tl_mesh *mesh = tl_body_get_def(object->body)->mesh;
    size_t count = (size_t)object->shapes.vertex_count;
    tl_vec3 *room = malloc(3 * count * sizeof *room);
    if (!room)
        return false;
    tl_body_vertices(object->body, room);
    find_normals(mesh, room, room + count, room + 2 * count);
    bool done = add_frame(object, room, room + 2 * count, time);
    free(room);
    return done;
}

/* The triangles of a convex shape, which never change. */
static tl_result add_convex(tl_glb_object *object, tl_error *error)
{
    const tl_body_def *def = tl_body_get_def(object->body);
    tl_shape_mesh mesh = {0};
    tl_result result = tl_shape_triangles(def->shape, def->size, DETAIL, &mesh, error);
    if (result != TL_OK)
        return result;
    mesh.positions = malloc((size_t)mesh.vertex_count * sizeof *mesh.positions);
    mesh.normals = malloc((size_t)mesh.vertex_count * sizeof *mesh.normals);
    mesh.triangles = malloc(3 * (size_t)mesh.triangle_count * sizeof *mesh.triangles);
    object->corners = malloc(3 * (size_t)mesh.triangle_count * sizeof *object->corners);
    bool made = mesh.positions && mesh.normals && mesh.triangles && object->corners &&
                make_shapes(&object->shapes, mesh.vertex_count);
    if (made) {
        result = tl_shape_triangles(def->shape, def->size, DETAIL, &mesh, error);
        object->triangle_count = mesh.triangle_count;
        for (size_t k = 0; k < 3 * (size_t)mesh.triangle_count; ++k)
            object->corners[k] = (unsigned)mesh.triangles[k];
        object->scale = tl_shape_bottomless(def->shape) ? PLANE_SIZE : 1;
        made = add_frame(object, mesh.positions, mesh.normals, 0);
    }
    free(mesh.positions);
    free(mesh.normals);
    free(mesh.triangles);
    return made ? result : tl_fail(error, TL_ERROR_MEMORY, "not enough memory to record the clip");
}

static bool add_pose(tl_glb_object *object, double time)
{
    if (object->pose_count == object->pose_capacity) {
        int capacity = object->pose_capacity > 0 ? 2 * object->pose_capacity : 64;
        tl_glb_pose *pose = realloc(object->pose, (size_t)capacity * sizeof *pose);
        if (!pose)
            return false;
        object->pose = pose;
        object->pose_capacity = capacity;
    }
    tl_vec3 x;
    tl_quat q;
    tl_body_pose(object->body, &x, &q);
    double turn[4] = {(double)q.x, (double)q.y, (double)q.z, (double)q.w}, square = 0, along = 0;
    for (int k = 0; k < 4; ++k) {
        square += turn[k] * turn[k];
        along += object->pose_count > 0 ? turn[k] * (double)object->pose[object->pose_count - 1].rotation[k] : 1;
    }
    double scale = (along < 0 ? -1 : 1) / sqrt(square); /* the short way from one frame to the next */
    object->pose[object->pose_count++] = (tl_glb_pose){
        (float)time,
        {(float)x.x, (float)x.y, (float)x.z},
        {(float)(scale * turn[0]), (float)(scale * turn[1]), (float)(scale * turn[2]), (float)(scale * turn[3])}};
    return true;
}

/* ---- the clip ----------------------------------------------------------------------------------------------- */

/* sRGB 0 … 1, to linear. */
static double linear(tl_real value)
{
    double s = (double)value;
    return s <= 0.04045 ? s / 12.92 : tl_exp(2.4 * tl_log((s + 0.055) / 1.055));
}

static void paint(tl_glb_object *object, const tl_look_def *look)
{
    const tl_fabric *fabric = NULL;
    if (object->cloth && look->fabric_color)
        fabric = tl_fabric_named(tl_cloth_get_def(object->cloth)->fabric);
    tl_vec3 color = fabric ? fabric->color : object->cloth ? look->cloth_color : look->body_color;
    object->color[0] = linear(color.x);
    object->color[1] = linear(color.y);
    object->color[2] = linear(color.z);
    object->sheen = object->body ? 0 : (double)(fabric ? fabric->sheen : look->sheen);
}

static tl_result make_object(tl_glb_object *object, const tl_look_def *look, tl_error *error)
{
    object->scale = 1;
    const char *label = object->cloth ? tl_cloth_get_def(object->cloth)->label : tl_body_get_def(object->body)->label;
    snprintf(object->name, sizeof object->name, "%s", label);
    paint(object, look);
    const tl_mesh *mesh = object->cloth ? tl_cloth_mesh(object->cloth) : tl_body_get_def(object->body)->mesh;
    if (!mesh)
        return add_convex(object, error);
    return copy_mesh(object, mesh) ? TL_OK : tl_fail(error, TL_ERROR_MEMORY, "not enough memory to record the clip");
}

tl_glb *tl_glb_create(const tl_scene *scene, tl_error *error)
{
    tl_world *world = tl_scene_world(scene);
    if (!world) {
        tl_fail(error, TL_ERROR_INPUT, "the scene has not been built: there is nothing to record");
        return NULL;
    }
    tl_glb *glb = calloc(1, sizeof *glb);
    int cloths = tl_world_cloth_count(world), bodies = tl_world_body_count(world);
    tl_glb_object *objects = calloc((size_t)(cloths + bodies) + 1, sizeof *objects);
    if (!glb || !objects) {
        free(glb);
        free(objects);
        tl_fail(error, TL_ERROR_MEMORY, "not enough memory to record the clip");
        return NULL;
    }
    *glb = (tl_glb){.scene = scene, .world = world, .cloth_count = cloths, .body_count = bodies, .object = objects};
    glb->start = tl_world_time(world);
    tl_result result = TL_OK;
    for (int k = 0; k < cloths + bodies && result == TL_OK; ++k) {
        tl_body *body = k < cloths ? NULL : tl_world_body(world, k - cloths);
        if (body && !tl_body_get_def(body)->on)
            continue;
        tl_glb_object *object = &glb->object[glb->object_count++];
        object->cloth = body ? NULL : tl_world_cloth(world, k);
        object->body = body;
        result = make_object(object, tl_scene_look(scene), error);
    }
    if (result == TL_OK)
        result = tl_glb_add(glb, error);
    if (result != TL_OK) {
        tl_glb_destroy(glb);
        return NULL;
    }
    return glb;
}

tl_result tl_glb_add(tl_glb *glb, tl_error *error)
{
    double time = tl_world_time(glb->world) - glb->start;
    if (tl_world_cloth_count(glb->world) != glb->cloth_count || tl_world_body_count(glb->world) != glb->body_count)
        return tl_fail(error, TL_ERROR_INPUT, "cloths or bodies came or went while the clip was recorded");
    if (glb->frame_count > 0 && !(time > glb->last))
        return tl_fail(error, TL_ERROR_INPUT, "the world has not advanced since the last recorded frame");
    bool done = true;
    for (int k = 0; k < glb->object_count && done; ++k) {
        tl_glb_object *object = &glb->object[k];
        if (object->cloth)
            done = add_frame(object, tl_cloth_positions(object->cloth), tl_cloth_normals(object->cloth), time);
        else
            done = (!tl_body_get_def(object->body)->mesh || add_mesh_body(object, time)) && add_pose(object, time);
    }
    if (!done)
        return tl_fail(error, TL_ERROR_MEMORY, "not enough memory for frame %d of the clip", glb->frame_count);
    ++glb->frame_count;
    glb->last = time;
    return TL_OK;
}

void tl_glb_destroy(tl_glb *glb)
{
    for (int k = 0; glb && k < glb->object_count; ++k) {
        tl_glb_object *object = &glb->object[k];
        tl_glb_shapes *s = &object->shapes;
        for (int n = 0; n < s->key_count; ++n)
            free(s->key[n]);
        for (int n = 0; n < s->pending_count; ++n)
            free(s->pending[n]);
        free(s->first);
        free(s->key);
        free(s->time);
        free(s->pending);
        free(s->pending_time);
        free(object->pose);
        free(object->corners);
        free(object->uv);
    }
    if (glb)
        free(glb->object);
    free(glb);
}
