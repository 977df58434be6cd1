#include "world/body_mesh.h"

#include "collide/mesh/signed_distance.h"
#include "world/contacts.h"

#include <string.h>

static int count_of(const tl_body *body) { return body->def.mesh->particle_count; }

/* Copies the animated shapes, per particle; the first is the starting shape. */
static tl_result copy_clip(tl_body *body, tl_error *error)
{
    const tl_body_def *def = &body->def;
    const tl_mesh *mesh = def->mesh;
    tl_body_mesh *m = body->mesh;
    size_t points = (size_t)mesh->particle_count, count = (size_t)def->shape_count;
    m->clip = tl_allocate(&body->world->allocator, points * count, sizeof(tl_vec3));
    if (!m->clip)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for %d shapes of %s", def->shape_count, def->label);
    for (size_t k = 0; k < count; ++k)
        for (size_t p = 0; p < points; ++p) {
            tl_vec3 x = def->shapes[k * (size_t)mesh->vertex_count + (size_t)mesh->vertex_of_particle[p]];
            if (!isfinite(x.x + x.y + x.z))
                return tl_fail(error, TL_ERROR_INPUT, "%s: shape %zu is not finite at vertex %d", def->label, k,
                               mesh->vertex_of_particle[p]);
            m->clip[k * points + p] = x;
        }
    memcpy(m->start, m->clip, points * sizeof(tl_vec3));
    tl_body_mesh_shaped(body);
    m->deformed = true;
    return TL_OK;
}

tl_result tl_body_mesh_create(tl_body *body, tl_error *error)
{
    tl_allocator *allocator = &body->world->allocator;
    const tl_mesh *mesh = body->def.mesh;
    if (!mesh)
        return tl_fail(error, TL_ERROR_INPUT, "%s.mesh: shape mesh needs triangles", body->def.label);
    size_t points = (size_t)mesh->particle_count;
    tl_body_mesh *m = body->mesh = tl_allocate(allocator, 1, sizeof *m);
    bool made = m != NULL;
    tl_vec3 **shapes[3] = {m ? &m->start : NULL, m ? &m->end : NULL, m ? &m->target : NULL};
    for (int k = 0; made && k < 3; ++k)
        made = (*shapes[k] = tl_allocate(allocator, points, sizeof(tl_vec3))) != NULL;
    for (int c = 0; made && c < 3; ++c)
        made = (m->x[c] = tl_allocate(allocator, points, sizeof(tl_real))) &&
               (m->x_old[c] = tl_allocate(allocator, points, sizeof(tl_real))) &&
               (m->v[c] = tl_allocate(allocator, points, sizeof(tl_real)));
    made = made && (m->w = tl_allocate(allocator, points, sizeof(tl_real))) &&
           tl_barrier_create(&m->barrier, mesh, allocator);
    if (!made)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for %d points of %s", mesh->particle_count, body->def.label);
    for (int k = 0; k < 3; ++k)
        memcpy(*shapes[k], mesh->position, points * sizeof(tl_vec3));
    m->fineness = tl_mesh_fineness(mesh);
    if (strcmp(body->def.tree, "octree") == 0) {
        m->octree =
            tl_octree_create(mesh->position, mesh->face, mesh->face_count, body->def.octree_height, allocator, error);
        if (!m->octree)
            return error->code;
    }
    return body->def.shapes && body->def.shape_count > 0 ? copy_clip(body, error) : TL_OK;
}

void tl_body_mesh_free(tl_body *body)
{
    const tl_allocator *allocator = &body->world->allocator;
    tl_body_mesh *m = body->mesh;
    if (!m)
        return;
    tl_release(allocator, m->start);
    tl_release(allocator, m->end);
    tl_release(allocator, m->target);
    for (int c = 0; c < 3; ++c) {
        tl_release(allocator, m->x[c]);
        tl_release(allocator, m->x_old[c]);
        tl_release(allocator, m->v[c]);
    }
    tl_release(allocator, m->w);
    tl_barrier_destroy(&m->barrier, allocator);
    tl_release(allocator, m->clip);
    tl_octree_destroy(m->octree);
    tl_release(allocator, m);
    body->mesh = NULL;
}

/* Position in the shape sequence at a time, 0 … shape_count. */
static double clip_position(const tl_body *body, double time)
{
    const tl_body_def *def = &body->def;
    double position = time > 0 ? time * (double)def->shape_rate : 0, count = def->shape_count;
    if (def->loop)
        return position - count * floor(position / count);
    return position < count - 1 ? position : count - 1;
}

/* Interpolates the shape at the end of the frame. False when it does not change. */
static bool shape_at(tl_body *body, double time, tl_real dt)
{
    tl_body_mesh *m = body->mesh;
    double position = clip_position(body, time + (double)dt);
    if (position == clip_position(body, time))
        return false;
    size_t points = (size_t)count_of(body), last = (size_t)body->def.shape_count - 1, at = (size_t)position;
    at = at < last ? at : last;
    const tl_vec3 *a = m->clip + at * points, *b = m->clip + (at < last ? at + 1 : body->def.loop ? 0 : last) * points;
    for (size_t p = 0; p < points; ++p)
        m->end[p] = tl_lerp(a[p], b[p], (tl_real)(position - (double)at));
    return true;
}

void tl_body_mesh_begin(tl_body *body, double time, tl_real dt)
{
    tl_body_mesh *m = body->mesh;
    size_t bytes = (size_t)count_of(body) * sizeof(tl_vec3);
    m->deforms = m->has_target || (m->clip && shape_at(body, time, dt));
    m->deformed |= m->deforms;
    if (m->has_target)
        memcpy(m->end, m->target, bytes);
    m->has_target = false;
    m->barrier.from = m->barrier.to = body->start;
    m->barrier.still = true;
    m->barrier.stirred = 0;
}

void tl_body_mesh_shaped(tl_body *body)
{
    tl_body_mesh *m = body->mesh;
    memcpy(m->end, m->start, (size_t)count_of(body) * sizeof(tl_vec3));
    for (int p = 0; p < count_of(body); ++p)
        tl_put(m->barrier.x, p, m->start[p]);
    m->barrier.deforms = false;
    m->barrier.stir = 0;
    tl_barrier_moved(&m->barrier);
    m->still = m->deforms = false;
}

void tl_body_mesh_finish(tl_body *body)
{
    tl_body_mesh *m = body->mesh;
    if (!m->deforms)
        return;
    memcpy(m->start, m->end, (size_t)count_of(body) * sizeof(tl_vec3));
    tl_body_mesh_shaped(body);
}

void tl_body_mesh_arrays(tl_body *body, tl_contact_mesh *mesh)
{
    tl_body_mesh *m = body->mesh;
    for (int c = 0; c < 3; ++c) {
        mesh->x[c] = m->x[c];
        mesh->x_old[c] = m->x_old[c];
        mesh->v[c] = m->v[c];
    }
    mesh->w = m->w;
    mesh->barrier = &m->barrier;
    m->barrier.friction = body->def.friction;
    m->barrier.restitution = body->def.restitution;
    m->barrier.solid = body->def.solid;
}

static void compute_points(const tl_body *body, tl_real t, tl_real *const x[3])
{
    const tl_body_mesh *m = body->mesh;
    tl_pose pose = tl_body_pose_at(body, t);
    for (int p = 0; p < count_of(body); ++p)
        tl_put(x, p, tl_pose_apply(pose, m->deforms ? tl_lerp(m->start[p], m->end[p], t) : m->start[p]));
}

static bool same_pose(tl_pose a, tl_pose b)
{
    return a.position.x == b.position.x && a.position.y == b.position.y && a.position.z == b.position.z &&
           a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y && a.rotation.z == b.rotation.z &&
           a.rotation.w == b.rotation.w;
}

/* Poses and points of the barrier at both ends of a substep. */
static void pose_barrier(tl_body *body, tl_pose begin, tl_pose end, tl_real from, tl_real to)
{
    tl_body_mesh *m = body->mesh;
    tl_barrier *barrier = &m->barrier;
    barrier->from = begin;
    barrier->to = end;
    barrier->still = same_pose(begin, end);
    barrier->deforms = m->deforms;
    if (!m->deforms)
        return;
    barrier->stir = 0;
    for (int p = 0; p < count_of(body); ++p) {
        tl_vec3 a = tl_lerp(m->start[p], m->end[p], from), b = tl_lerp(m->start[p], m->end[p], to);
        tl_put(barrier->x_old, p, a);
        tl_put(barrier->x, p, b);
        barrier->stir = tl_max(barrier->stir, tl_length(tl_sub(b, a)));
    }
    barrier->stirred += barrier->stir;
    tl_barrier_moved(barrier);
}

void tl_body_mesh_pose(tl_body *body, tl_real h, tl_real from, tl_real to)
{
    tl_body_mesh *m = body->mesh;
    tl_pose begin = tl_body_pose_at(body, from), end = tl_body_pose_at(body, to);
    pose_barrier(body, begin, end, from, to);
    m->contact_mesh->pivot = end.position;
    m->contact_mesh->octree = m->deforms || m->deformed ? NULL : m->octree;
    bool still = !m->deforms && same_pose(begin, end);
    m->contact_mesh->still = still && m->still && same_pose(m->posed, end);
    if (m->contact_mesh->still)
        return;
    m->still = still;
    m->posed = end;
    compute_points(body, from, m->x_old);
    compute_points(body, to, m->x);
    for (int c = 0; c < 3; ++c)
        for (int p = 0; p < count_of(body); ++p)
            m->v[c][p] = (m->x[c][p] - m->x_old[c][p]) / h;
}

tl_result tl_body_move_vertices(tl_body *body, const tl_vec3 *positions)
{
    tl_error *error = &body->world->error;
    if (!body->mesh)
        return tl_fail(error, TL_ERROR_INPUT, "%s: only a body of shape mesh has vertices", body->def.label);
    const tl_mesh *mesh = body->def.mesh;
    for (int v = 0; v < mesh->vertex_count; ++v)
        if (!isfinite(positions[v].x + positions[v].y + positions[v].z))
            return tl_fail(error, TL_ERROR_INPUT, "%s: the position of vertex %d is not finite", body->def.label, v);
    for (int p = 0; p < mesh->particle_count; ++p)
        body->mesh->target[p] = positions[mesh->vertex_of_particle[p]];
    body->mesh->has_target = true;
    return TL_OK;
}

bool tl_body_deformed(const tl_body *body) { return body->mesh && body->mesh->deformed; }

int tl_body_vertices(const tl_body *body, tl_vec3 *positions)
{
    if (!body->mesh)
        return 0;
    const tl_mesh *mesh = body->def.mesh;
    for (int v = 0; positions && v < mesh->vertex_count; ++v) {
        int p = mesh->particle_of_vertex[v];
        positions[v] = p >= 0 ? body->mesh->start[p] : mesh->vertex[v];
    }
    return mesh->vertex_count;
}

tl_real tl_body_mesh_distance(const tl_body *body, tl_vec3 local, tl_vec3 *normal)
{
    const tl_barrier *barrier = &body->mesh->barrier;
    return tl_mesh_distance(barrier->mesh, barrier->x, &barrier->tree, body->def.solid, local, normal);
}
