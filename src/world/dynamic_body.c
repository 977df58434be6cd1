/* Dynamic bodies: moved by gravity, by cloth and by one another, and stopped by static and kinematic bodies.

   While any body is dynamic, the frame is cut into slices, as many as the finest cloth has substeps. In each slice
   every dynamic body moves by v ← v + g h, x ← x + v h; then every cloth takes its substep and exchanges momentum with
   it particle by particle (the collision of the thesis S1: the particle is moved out along the normal, both velocities
   change at once). The next slice continues with the resulting velocity. Contact between bodies is solved by
   contact/rigid/rigid_contact.h.

   Spheres and boxes can be dynamic: the shapes for which contact/rigid/rigid_contact.h finds manifolds. */
#include "contact/rigid/rigid_contact.h"
#include "world/body_mesh.h"
#include "world/world.h"

static tl_pose between(tl_pose from, tl_pose to, tl_real t)
{
    if (t <= 0)
        return from;
    if (t >= 1)
        return to;
    return (tl_pose){tl_lerp(from.position, to.position, t), tl_quat_nlerp(from.rotation, to.rotation, t)};
}

tl_pose tl_body_pose_at(const tl_body *body, tl_real t)
{
    tl_pose from = body->is_dynamic ? body->from : body->start, to = body->is_dynamic ? body->to : body->end;
    if (body->is_dynamic)
        t = (t - body->slice_from) / (body->slice_to - body->slice_from);
    return between(from, to, t);
}

tl_pose tl_body_pose_from(const tl_body *body, tl_point origin, tl_real t)
{
    if (body->is_dynamic) { /* moved in the coordinates of the world */
        tl_pose pose = tl_body_pose_at(body, t);
        pose.position = tl_add(pose.position, tl_local(origin, body->world->origin));
        return pose;
    }
    return between((tl_pose){tl_local(origin, body->start_home), body->start.rotation},
                   (tl_pose){tl_local(origin, body->end_home), body->end.rotation}, t);
}

int tl_dynamic_bodies_begin(tl_world *world, tl_real dt)
{
    int slices = 1;
    bool any = false;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        const tl_body_def *def = &body->def;
        body->is_dynamic =
            def->mass > 0 && !def->kinematic && world->time >= (double)def->release_time && !body->has_target;
        if (!body->is_dynamic)
            continue;
        any = body->was_dynamic = true;
        body->from = body->to = body->start;
        body->start_velocity = body->rigid.velocity;
        body->start_spin = body->rigid.spin;
        tl_vec3 inertia = body->shape->inertia(def->size);
        body->rigid.rotation = body->start.rotation;
        body->rigid.inverse_mass = 1 / def->mass;
        body->rigid.inverse_inertia =
            tl_v3(1 / (def->mass * inertia.x), 1 / (def->mass * inertia.y), 1 / (def->mass * inertia.z));
    }
    for (int k = 0; k < world->cloth_count && any; ++k) {
        int substeps = tl_cloth_substeps(world->cloths[k], dt);
        slices = substeps > slices ? substeps : slices;
    }
    return any ? slices : 0;
}

void tl_dynamic_bodies_restart(tl_world *world)
{
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        if (!body->is_dynamic)
            continue;
        body->from = body->to = body->start;
        body->rigid.rotation = body->start.rotation;
        body->rigid.velocity = body->start_velocity;
        body->rigid.spin = body->start_spin;
    }
}

/* Velocity of a static or kinematic body, from its motion during the slice. */
static tl_rigid_state motion_of(tl_pose from, tl_pose to, tl_real h)
{
    tl_quat turn = tl_quat_mul(to.rotation, tl_quat_conjugate(from.rotation));
    tl_real sign = turn.w < 0 ? -2 : 2;
    return (tl_rigid_state){.velocity = tl_scale(tl_sub(to.position, from.position), 1 / h),
                            .spin = tl_scale(tl_v3(turn.x, turn.y, turn.z), sign / h),
                            .rotation = tl_quat_identity()};
}

static tl_rigid_collider collider_of(const tl_body *body, tl_pose pose)
{
    return (tl_rigid_collider){body->shape, body->def.size, pose, body->mesh ? &body->mesh->barrier : NULL};
}

/* Radius of the inscribed sphere of a dynamic body. */
static tl_real inner_radius(const tl_body *body)
{
    tl_vec3 extent = body->shape->extent(body->def.size);
    return tl_min(extent.x, tl_min(extent.y, extent.z));
}

static tl_rigid_contact_law law_of(const tl_body *a, const tl_body *b, tl_real h)
{
    return (tl_rigid_contact_law){.restitution = tl_max(a->def.restitution, b->def.restitution),
                                  .friction = tl_friction_between(a->def.friction, b->def.friction),
                                  .rest_speed = 2 * h * tl_length(a->world->def.gravity),
                                  .h = h};
}

/* CCD: casts the inscribed sphere of a dynamic body along its displacement and stops it at the other body, so that it
   cannot tunnel at any speed. Returns true, with the contact point, on a hit. */
static bool cast_core(tl_body *body, const tl_body *other, tl_pose from, tl_pose to, tl_contact_point *point)
{
    tl_real radius = inner_radius(body), depth, t;
    tl_vec3 p0 = tl_pose_undo(from, body->from.position), p1 = tl_pose_undo(to, body->to.position), n;
    if (other->mesh) {
        tl_barrier_hit hit;
        if (!tl_barrier_cross(&other->mesh->barrier, p0, p1, &hit))
            return false;
        n = hit.normal;
        depth = radius + tl_dot(tl_sub(hit.place, p1), n);
    } else {
        if (!(other->shape->distance(other->def.size, p0, &n) > radius) ||
            !other->shape->cast(other->def.size, radius, p0, p1, &t, &n))
            return false;
        depth = tl_dot(tl_sub(tl_madd(p0, tl_sub(p1, p0), t), p1), n);
    }
    n = tl_rotate(to.rotation, n);
    body->to.position = tl_madd(body->to.position, n, tl_max(depth, 0));
    *point = (tl_contact_point){tl_madd(body->to.position, n, -radius), n, 0};
    return depth >= 0;
}

#define CONTACT_MARGIN ((tl_real)0.01) /* of the inscribed radius: points this close join the manifold */
enum { MAX_PUSHES = 4 };               /* position corrections, deepest point first */

/* Resolves penetration, body a taking `fraction` of each correction and b the rest; returns the manifold left
   afterwards. */
static int separate(tl_body *a, tl_body *b, tl_pose pose_b, tl_real fraction,
                    tl_contact_point points[TL_MAX_MANIFOLD_POINTS])
{
    tl_real margin = CONTACT_MARGIN * inner_radius(a);
    int count = 0;
    for (int push = 0; push <= MAX_PUSHES; ++push) {
        tl_rigid_collider first = collider_of(a, a->to), second = collider_of(b, b->is_dynamic ? b->to : pose_b);
        count = tl_rigid_manifold(&first, &second, margin, points);
        int deepest = 0;
        for (int k = 1; k < count; ++k)
            deepest = points[k].depth > points[deepest].depth ? k : deepest;
        if (count == 0 || !(points[deepest].depth > 0) || push == MAX_PUSHES)
            break;
        a->to.position = tl_madd(a->to.position, points[deepest].normal, points[deepest].depth * fraction);
        if (b->is_dynamic)
            b->to.position = tl_madd(b->to.position, points[deepest].normal, points[deepest].depth * (fraction - 1));
    }
    return count;
}

/* A dynamic body against a static or kinematic one. */
static void collide_static(tl_body *body, tl_body *other, tl_real h)
{
    tl_pose from = tl_body_pose_at(other, body->slice_from), to = tl_body_pose_at(other, body->slice_to);
    tl_contact_point points[TL_MAX_MANIFOLD_POINTS], core_hit;
    bool stopped = cast_core(body, other, from, to, &core_hit);
    int count = separate(body, other, to, 1, points);
    if (stopped && count == 0) {
        points[0] = core_hit;
        count = 1;
    }
    tl_rigid_state motion = motion_of(from, to, h);
    tl_rigid_contact_law law = law_of(body, other, h);
    tl_rigid_contact_solve(&body->rigid, body->to.position, &motion, to.position, points, count, &law);
}

/* Two dynamic bodies: corrections in inverse proportion to mass. */
static void collide_dynamic(tl_body *a, tl_body *b, tl_real h)
{
    tl_contact_point points[TL_MAX_MANIFOLD_POINTS];
    tl_real fraction = a->rigid.inverse_mass / (a->rigid.inverse_mass + b->rigid.inverse_mass);
    int count = separate(a, b, b->to, fraction, points);
    tl_rigid_contact_law law = law_of(a, b, h);
    tl_rigid_contact_solve(&a->rigid, a->to.position, &b->rigid, b->to.position, points, count, &law);
}

/* I a, or I⁻¹ a */
static tl_vec3 apply_inertia(const tl_rigid_state *rigid, tl_vec3 a, bool inverse)
{
    tl_vec3 own = tl_rotate_back(rigid->rotation, a), i = rigid->inverse_inertia;
    own = inverse ? tl_v3(own.x * i.x, own.y * i.y, own.z * i.z) : tl_v3(own.x / i.x, own.y / i.y, own.z / i.z);
    return tl_rotate(rigid->rotation, own);
}

static void integrate(tl_body *body, tl_real h)
{
    tl_rigid_state *rigid = &body->rigid;
    rigid->velocity = tl_madd(rigid->velocity, body->world->def.gravity, h);
    body->to.position = tl_madd(body->from.position, rigid->velocity, h);
    tl_quat q = body->from.rotation, turn = {rigid->spin.x * h / 2, rigid->spin.y * h / 2, rigid->spin.z * h / 2, 0};
    tl_quat more = tl_quat_mul(turn, q);
    body->to.rotation = tl_quat_normalized((tl_quat){q.x + more.x, q.y + more.y, q.z + more.z, q.w + more.w});
    /* angular momentum is conserved, so the angular velocity of anything but a ball changes with its axes */
    tl_vec3 i = rigid->inverse_inertia;
    bool isotropic = i.x == i.y && i.y == i.z;
    tl_vec3 momentum = isotropic ? rigid->spin : apply_inertia(rigid, rigid->spin, false);
    rigid->rotation = body->to.rotation;
    rigid->spin = isotropic ? momentum : apply_inertia(rigid, momentum, true);
}

/* Passes over all pairs: one to separate them, one for contacts that the first created. */
enum { BODY_ROUNDS = 2 };

void tl_dynamic_bodies_move(tl_world *world, tl_real dt, int slice, int slices)
{
    tl_real h = dt / (tl_real)slices;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        body->from = body->to;
        body->slice_from = (tl_real)slice / (tl_real)slices;
        body->slice_to = (tl_real)(slice + 1) / (tl_real)slices;
        if (body->is_dynamic)
            integrate(body, h);
    }
    for (int pass = 0; pass < BODY_ROUNDS; ++pass)
        for (int a = 0; a < world->body_count; ++a)
            for (int b = 0; b < world->body_count && world->bodies[a]->is_dynamic; ++b) {
                tl_body *body = world->bodies[a], *other = world->bodies[b];
                if (a == b || !body->def.on || !other->def.on)
                    continue;
                if (!other->is_dynamic)
                    collide_static(body, other, h);
                else if (b > a)
                    collide_dynamic(body, other, h);
            }
}

static bool is_finite(const tl_body *body)
{
    tl_vec3 x = body->to.position, v = body->rigid.velocity, s = body->rigid.spin;
    return isfinite(x.x + x.y + x.z + v.x + v.y + v.z + s.x + s.y + s.z);
}

void tl_dynamic_bodies_end(tl_world *world)
{
    bool rejected = false; /* impulses from a rejected frame do not count */
    for (int k = 0; k < world->cloth_count; ++k)
        rejected = rejected || world->cloths[k]->unstable;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        if (!body->is_dynamic)
            continue;
        body->end = body->to;
        if (rejected || !is_finite(body)) {
            body->end = body->start;
            body->rigid.velocity = body->start_velocity;
            body->rigid.spin = body->start_spin;
        }
    }
}
