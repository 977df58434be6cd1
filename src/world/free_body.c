/* Bodies with a mass: they fall, are set in motion by cloth and by one another, and stop at the bodies that nothing
   moves.

   While one is free, the frame is cut into slices, as many as the finest cloth has substeps. In each, every free body
   moves by v ← v + g h, x ← x + v h; then every cloth takes its substep and exchanges momentum with it particle by
   particle (S1's collision: the particle is moved out along the normal, both velocities change at once). The next slice
   goes on with the velocity that is left.

   Only spheres can be free: a shape needs an `inertia`, and a rule for how it meets other bodies, which here is that of
   its centre and radius. */
#include "world/world.h"

tl_pose tl_body_pose_at(const tl_body *body, tl_real t)
{
    tl_pose from = body->free ? body->from : body->start, to = body->free ? body->to : body->end;
    if (body->free)
        t = (t - body->slice_from) / (body->slice_to - body->slice_from);
    if (t <= 0)
        return from;
    if (t >= 1)
        return to;
    return (tl_pose){tl_lerp(from.position, to.position, t), tl_quat_nlerp(from.rotation, to.rotation, t)};
}

int tl_free_bodies_begin(tl_world *world)
{
    int slices = 1;
    bool any = false;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        const tl_body_def *def = &body->def;
        body->free = def->mass > 0 && !def->held && world->time >= (double)def->release && !body->is_told;
        if (!body->free)
            continue;
        any = body->was_free = true;
        body->from = body->to = body->start;
        body->first_velocity = body->mover.velocity;
        body->first_spin = body->mover.spin;
        tl_vec3 inertia = body->shape->inertia(def->size);
        body->mover.inverse_mass = 1 / def->mass;
        body->mover.inverse_inertia =
            tl_v3(1 / (def->mass * inertia.x), 1 / (def->mass * inertia.y), 1 / (def->mass * inertia.z));
    }
    for (int k = 0; k < world->cloth_count && any; ++k)
        slices = world->cloths[k]->def.substeps > slices ? world->cloths[k]->def.substeps : slices;
    return any ? slices : 0;
}

/* What a body without a mass of its own does to one that has: its surface moves with its path. */
static tl_mover path_of(const tl_body *body, tl_pose from, tl_pose to, tl_real h)
{
    (void)body;
    tl_quat turn = tl_quat_mul(to.rotation, tl_quat_conjugate(from.rotation));
    tl_real sign = turn.w < 0 ? -2 : 2;
    return (tl_mover){.velocity = tl_scale(tl_sub(to.position, from.position), 1 / h),
                      .spin = tl_scale(tl_v3(turn.x, turn.y, turn.z), sign / h),
                      .rotation = tl_quat_identity()};
}

/* One free sphere against one body that nothing moves: its centre's path is stopped at the surface a radius out. */
static void stop_at(tl_body *ball, const tl_body *other, tl_real h)
{
    tl_pose from = tl_body_pose_at(other, ball->slice_from), to = tl_body_pose_at(other, ball->slice_to);
    tl_real radius = ball->def.size.x, t;
    tl_vec3 p0 = tl_pose_undo(from, ball->from.position), p1 = tl_pose_undo(to, ball->to.position), n;
    const tl_shape_class *shape = other->shape;
    tl_real depth;
    if (shape->distance(other->def.size, p0, &n) > radius) {
        if (!shape->cast(other->def.size, radius, p0, p1, &t, &n))
            return;
        depth = tl_dot(tl_sub(tl_madd(p0, tl_sub(p1, p0), t), p1), n);
    } else {
        depth = radius - shape->distance(other->def.size, p1, &n);
    }
    if (!(depth >= 0))
        return;
    tl_vec3 normal = tl_rotate(to.rotation, n);
    ball->to.position = tl_madd(ball->to.position, normal, depth);
    tl_mover path = path_of(other, from, to, h);
    tl_vec3 point = tl_madd(ball->to.position, normal, -radius);
    tl_meeting meeting = {.normal = normal,
                          .arm_a = tl_scale(normal, -radius),
                          .arm_b = tl_sub(point, to.position),
                          .restitution = tl_max(ball->def.restitution, other->def.restitution),
                          .friction = ball->def.friction * other->def.friction,
                          .rest_speed = 2 * h * tl_length(ball->world->def.gravity)};
    tl_exchange(&ball->mover, &path, &meeting);
}

/* Two free spheres: pushed apart in shares of the other's mass. */
static void part(tl_body *a, tl_body *b, tl_real h)
{
    tl_vec3 between = tl_sub(a->to.position, b->to.position);
    tl_real distance = tl_length(between), depth = a->def.size.x + b->def.size.x - distance;
    if (!(depth >= 0))
        return;
    tl_vec3 normal = distance > 0 ? tl_scale(between, 1 / distance) : tl_v3(0, 1, 0);
    tl_real share = a->mover.inverse_mass / (a->mover.inverse_mass + b->mover.inverse_mass);
    a->to.position = tl_madd(a->to.position, normal, depth * share);
    b->to.position = tl_madd(b->to.position, normal, -depth * (1 - share));
    tl_meeting meeting = {.normal = normal,
                          .arm_a = tl_scale(normal, -a->def.size.x),
                          .arm_b = tl_scale(normal, b->def.size.x),
                          .restitution = tl_max(a->def.restitution, b->def.restitution),
                          .friction = a->def.friction * b->def.friction,
                          .rest_speed = 2 * h * tl_length(a->world->def.gravity)};
    tl_exchange(&a->mover, &b->mover, &meeting);
}

static void fall(tl_body *body, tl_real h)
{
    tl_mover *mover = &body->mover;
    mover->velocity = tl_madd(mover->velocity, body->world->def.gravity, h);
    body->to.position = tl_madd(body->from.position, mover->velocity, h);
    tl_quat q = body->from.rotation, turn = {mover->spin.x * h / 2, mover->spin.y * h / 2, mover->spin.z * h / 2, 0};
    tl_quat more = tl_quat_mul(turn, q);
    body->to.rotation = tl_quat_normalized((tl_quat){q.x + more.x, q.y + more.y, q.z + more.z, q.w + more.w});
    mover->rotation = body->to.rotation;
}

/* Rounds over all pairs: one to separate them, one for what the first pushed into others. */
enum { ROUNDS = 2 };

void tl_free_bodies_move(tl_world *world, tl_real dt, int slice, int slices)
{
    tl_real h = dt / (tl_real)slices;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        body->from = body->to;
        body->slice_from = (tl_real)slice / (tl_real)slices;
        body->slice_to = (tl_real)(slice + 1) / (tl_real)slices;
        if (body->free)
            fall(body, h);
    }
    for (int round = 0; round < ROUNDS; ++round)
        for (int a = 0; a < world->body_count; ++a)
            for (int b = 0; b < world->body_count && world->bodies[a]->free; ++b) {
                tl_body *ball = world->bodies[a], *other = world->bodies[b];
                if (a == b || !ball->def.on || !other->def.on || other->mesh) /* triangles meet cloth only */
                    continue;
                if (!other->free)
                    stop_at(ball, other, h);
                else if (b > a)
                    part(ball, other, h);
            }
}

static bool is_finite(const tl_body *body)
{
    tl_vec3 x = body->to.position, v = body->mover.velocity, s = body->mover.spin;
    return isfinite(x.x + x.y + x.z + v.x + v.y + v.z + s.x + s.y + s.z);
}

void tl_free_bodies_end(tl_world *world)
{
    bool undone = false; /* what an undone cloth gave its bodies is worth nothing */
    for (int k = 0; k < world->cloth_count; ++k)
        undone = undone || world->cloths[k]->unstable;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        if (!body->free)
            continue;
        body->end = body->to;
        if (undone || !is_finite(body)) {
            body->end = body->start;
            body->mover.velocity = body->first_velocity;
            body->mover.spin = body->first_spin;
        }
    }
}
