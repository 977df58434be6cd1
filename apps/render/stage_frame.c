/* Copies the moving state of a world, as floats. */
#include "render/stage_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

stage_frame *stage_frame_create(void) { return calloc(1, sizeof(stage_frame)); }

void stage_frame_destroy(stage_frame *frame)
{
    if (!frame)
        return;
    for (int k = 0; k < frame->cloth_capacity; ++k) {
        free(frame->cloths[k].positions);
        free(frame->cloths[k].normals);
        free(frame->cloths[k].scalars);
        free(frame->cloths[k].crossing);
    }
    for (int k = 0; k < frame->body_capacity; ++k) {
        free(frame->bodies[k].vertices);
        free(frame->bodies[k].shape);
    }
    free(frame->cloths);
    free(frame->bodies);
    free(frame);
}

static bool room(stage_frame *frame, int cloths, int bodies)
{
    if (cloths > frame->cloth_capacity) {
        stage_frame_cloth *grown = realloc(frame->cloths, (size_t)cloths * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + frame->cloth_capacity, 0, (size_t)(cloths - frame->cloth_capacity) * sizeof *grown);
        frame->cloths = grown;
        frame->cloth_capacity = cloths;
    }
    if (bodies > frame->body_capacity) {
        stage_moved_body *grown = realloc(frame->bodies, (size_t)bodies * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + frame->body_capacity, 0, (size_t)(bodies - frame->body_capacity) * sizeof *grown);
        frame->bodies = grown;
        frame->body_capacity = bodies;
    }
    return true;
}

static bool cloth_room(stage_frame_cloth *cloth, int count)
{
    if (count <= cloth->capacity)
        return true;
    float *positions = realloc(cloth->positions, 3 * (size_t)count * sizeof(float));
    cloth->positions = positions ? positions : cloth->positions;
    float *normals = realloc(cloth->normals, 3 * (size_t)count * sizeof(float));
    cloth->normals = normals ? normals : cloth->normals;
    float *scalars = realloc(cloth->scalars, (size_t)count * sizeof(float));
    cloth->scalars = scalars ? scalars : cloth->scalars;
    if (!positions || !normals || !scalars)
        return false;
    cloth->capacity = count;
    return true;
}

static void copy_vectors(float *to, const tl_vec3 *from, int count)
{
    for (int v = 0; v < count; ++v) {
        to[3 * v] = (float)from[v].x;
        to[3 * v + 1] = (float)from[v].y;
        to[3 * v + 2] = (float)from[v].z;
    }
}

static float length_of(tl_vec3 a) { return sqrtf((float)(a.x * a.x + a.y * a.y + a.z * a.z)); }

/* 1 at the corners of intersecting triangles, else 0. False when memory is short. */
static bool copy_crossings(stage_frame_cloth *to, tl_cloth *cloth, int count)
{
    const tl_mesh *mesh = tl_cloth_mesh(cloth);
    int triangles = tl_mesh_triangle_count(mesh);
    if (triangles > to->crossing_capacity) {
        unsigned char *grown = realloc(to->crossing, (size_t)triangles);
        if (!grown)
            return false;
        to->crossing = grown;
        to->crossing_capacity = triangles;
    }
    to->has_scalars = tl_cloth_count_intersections(cloth, to->crossing) >= 0;
    memset(to->scalars, 0, (size_t)count * sizeof *to->scalars);
    for (int t = 0; t < triangles && to->has_scalars; ++t)
        for (int c = 0; c < 3 && to->crossing[t]; ++c)
            to->scalars[tl_mesh_triangles(mesh)[3 * t + c]] = 1;
    return to->has_scalars;
}

/* The overlay's value at each vertex, in the legend's unit. */
static bool copy_scalars(stage_frame_cloth *to, tl_cloth *cloth, const char *overlay, int count)
{
    if (strcmp(overlay, "intersections") == 0)
        return copy_crossings(to, cloth, count);
    bool strain = strcmp(overlay, "strain") == 0;
    const tl_real *numbers = strain                            ? tl_cloth_strains(cloth)
                             : strcmp(overlay, "contact") == 0 ? tl_cloth_contact_forces(cloth)
                                                               : NULL;
    const tl_vec3 *vectors = strcmp(overlay, "force") == 0   ? tl_cloth_forces(cloth)
                             : strcmp(overlay, "speed") == 0 ? tl_cloth_velocities(cloth)
                                                             : NULL;
    to->has_scalars = numbers || vectors;
    for (int v = 0; v < count && to->has_scalars; ++v)
        to->scalars[v] = numbers ? (float)numbers[v] * (strain ? 100.0f : 1.0f) : length_of(vectors[v]);
    return true;
}

static bool capture_body(stage_moved_body *to, const tl_body *body)
{
    tl_vec3 x;
    tl_quat q;
    to->on = tl_body_get_def(body)->on;
    tl_body_pose(body, &x, &q);
    memcpy(to->position, (float[]){(float)x.x, (float)x.y, (float)x.z}, sizeof to->position);
    memcpy(to->rotation, (float[]){(float)q.x, (float)q.y, (float)q.z, (float)q.w}, sizeof to->rotation);
    to->count = 0;
    if (!tl_body_deformed(body))
        return true;
    int count = tl_body_vertices(body, NULL);
    if (count > to->capacity) {
        free(to->vertices);
        free(to->shape);
        to->vertices = malloc((size_t)count * sizeof *to->vertices);
        to->shape = malloc(3 * (size_t)count * sizeof *to->shape);
        to->capacity = to->vertices && to->shape ? count : 0;
        if (to->capacity == 0)
            return false;
    }
    to->count = tl_body_vertices(body, to->vertices);
    copy_vectors(to->shape, to->vertices, count);
    return true;
}

bool stage_frame_capture(stage_frame *frame, tl_world *world, const char *overlay)
{
    static uint64_t versions; /* each capture has a new version for the GPU; a race only skips a number */
    frame->cloth_count = tl_world_cloth_count(world);
    frame->body_count = tl_world_body_count(world);
    if (!room(frame, frame->cloth_count, frame->body_count)) {
        frame->cloth_count = frame->body_count = 0;
        return false;
    }
    frame->version = __atomic_add_fetch(&versions, 1, __ATOMIC_RELAXED);
    for (int k = 0; k < frame->cloth_count; ++k) {
        tl_cloth *cloth = tl_world_cloth(world, k);
        stage_frame_cloth *to = &frame->cloths[k];
        to->count = 0;
        to->fabric = tl_fabric_named(tl_cloth_get_def(cloth)->fabric);
        int count = tl_cloth_vertex_count(cloth);
        const tl_vec3 *x = tl_cloth_positions(cloth), *n = tl_cloth_normals(cloth);
        if (!x || !n || !cloth_room(to, count))
            return false;
        to->count = count;
        copy_vectors(to->positions, x, count);
        copy_vectors(to->normals, n, count);
        copy_scalars(to, cloth, overlay, count);
    }
    for (int k = 0; k < frame->body_count; ++k)
        if (!capture_body(&frame->bodies[k], tl_world_body(world, k)))
            return false;
    return true;
}

const float *stage_frame_positions(const stage_frame *frame, int cloth, int *count)
{
    bool there = cloth >= 0 && cloth < frame->cloth_count;
    *count = there ? frame->cloths[cloth].count : 0;
    return there ? frame->cloths[cloth].positions : NULL;
}

bool stage_frame_body_is_on(const stage_frame *frame, int body)
{
    return body >= 0 && body < frame->body_count && frame->bodies[body].on;
}

void stage_frame_body(const stage_frame *frame, int body, float position[3], float rotation[4])
{
    if (body < 0 || body >= frame->body_count)
        return;
    memcpy(position, frame->bodies[body].position, 3 * sizeof(float));
    memcpy(rotation, frame->bodies[body].rotation, 4 * sizeof(float));
}
