/* How cloth answers bodies: particle by particle, in the body's own frame, where a moving and turning body stands
   still.

   The particle's path there is p0 → p1. Let it enter the shape, inflated by the cloth's thickness, at I with outward
   normal n; a particle that starts inside is first put on the nearest surface point, which is then I.
     position   depth = max(0, (I − p1)·n); y = p1 + n depth lies on the tangent plane at I, outside a convex shape.
     friction   Coulomb on displacements: the slip s = y − I is shortened by min(|s|, μ depth). μ = ∞ stops the particle
                at I (S0's first response), μ = 0 projects it along the normal (its second).
     velocity   relative to the moving surface; v_n < 0 becomes −e v_n, or 0 below the resting speed. With Δv_n the
                change, the tangential part is shortened by min(|v_t|, μ Δv_n).
   Displacement and velocity obey the same cone, so that on an incline a resting particle stays where it is, to the bit,
   while tan θ ≤ μ, and else gains g (sin θ − μ cos θ), under any stepper that adds gravity (Bridson, Fedkiw and
   Anderson 2002 for the velocities; Müller et al. 2007 for the displacements).

   Particles go in blocks; all bodies answer a block before the next is read. A particle that was moved is shown to all
   bodies again, up to TL_BODY_PASSES times, and what is inside even then goes through contact/body/escape.c. Blocks
   that only spheres and planes come near take their first round in vectors (contact/body/primitive_kernel.c); what is
   below is for the other shapes and for the few particles that need more rounds. */
#include "contact/body/convex_contact.h"
#include "collide/shapes/shapes.h"
#include "contact/body/prepared_body.h"
#include "contact/body/primitive_simd.h"

#include <string.h>

/* Where and how a particle meets a body, in the body's frame. */
typedef struct meeting {
    tl_vec3 place; /* I, or p1 when the particle only touches */
    tl_vec3 normal;
    tl_vec3 beyond; /* p1 − I */
    bool at_start;  /* I is p0 */
    bool moves;     /* the position must be answered, not only the velocity */
} meeting;

/* p1 − p0, without the rounding that two separate transforms would leave on it: a resting particle moves by less in a
   substep than that. */
static tl_vec3 local_step(const tl_prepared_body *frame, tl_vec3 x_old, tl_vec3 x)
{
    tl_vec3 moved = tl_sub(tl_sub(x, x_old), frame->shift);
    tl_vec3 step = tl_into(&frame->to, moved);
    if (frame->turns) {
        tl_vec3 arm = tl_sub(x_old, frame->body->from.position);
        for (int k = 0; k < 3; ++k) {
            tl_real change = tl_dot(tl_sub(frame->to.row[k], frame->from.row[k]), arm);
            if (k == 0)
                step.x += change;
            else if (k == 1)
                step.y += change;
            else
                step.z += change;
        }
    }
    return step;
}

/* Does p1 lie inside (then it is answered from its own nearest point) or on the surface? */
static bool meet_at_end(const tl_prepared_body *frame, tl_vec3 p1, tl_real tolerance, meeting *m)
{
    const tl_contact_body *body = frame->body;
    tl_real gap = body->shape->distance(body->size, p1, &m->normal) - frame->margin;
    m->at_start = false;
    m->moves = gap < -tolerance;
    m->beyond = m->moves ? tl_scale(m->normal, gap) : tl_v3(0, 0, 0);
    m->place = tl_sub(p1, m->beyond);
    return gap <= tolerance;
}

/* Finds the meeting of a path with a body. False when they stay apart. */
static bool meet(const tl_prepared_body *frame, tl_vec3 p0, tl_vec3 step, tl_real tolerance, meeting *m)
{
    const tl_contact_body *body = frame->body;
    const tl_shape_class *shape = body->shape;
    tl_vec3 p1 = tl_add(p0, step);
    tl_real gap = shape->distance(body->size, p0, &m->normal) - frame->margin;
    if (gap > tolerance) {
        tl_real reach = gap - tolerance, t;
        if (reach * reach > tl_dot(step, step))
            return false;
        if (!shape->cast(body->size, frame->margin, p0, p1, &t, &m->normal))
            return meet_at_end(frame, p1, tolerance, m);
        m->place = tl_madd(p0, step, t);
        m->beyond = tl_scale(step, 1 - t);
        m->at_start = false;
        m->moves = true;
        return true;
    }
    if (gap >= -tolerance / 2) {
        /* starts on the surface: that is where it meets; the other half is left for the rounding of the answer */
        tl_real leaving = tl_dot(step, m->normal);
        if (leaving > 2 * tolerance)
            return false;
        if (leaving >= 0)
            return meet_at_end(frame, p1, tolerance, m);
        m->place = p0;
        m->beyond = step;
        m->at_start = true;
    } else {
        m->place = tl_madd(p0, m->normal, -gap);
        m->beyond = tl_madd(step, m->normal, gap);
        m->at_start = false;
    }
    m->moves = true;
    return true;
}

/* The same law for a body with a mass of its own, which changes its velocity too. */
static void answer_free(tl_contact_cloth *cloth, const tl_prepared_body *frame, int i, tl_vec3 place, tl_vec3 normal)
{
    tl_contact_body *body = frame->body;
    tl_rigid_state particle = {
        .velocity = tl_at(cloth->p->v, i), .inverse_mass = cloth->p->w[i], .rotation = tl_quat_identity()};
    tl_impact with = {.normal = tl_out_of(&frame->to, normal),
                      .arm_b = tl_out_of(&frame->to, place),
                      .restitution = body->restitution,
                      .friction = frame->friction,
                      .rest_speed = cloth->rest_speed};
    tl_vec3 impulse = tl_rigid_impact(&particle, body->rigid, &with);
    tl_put(cloth->p->v, i, particle.velocity);
    body->impulse = tl_sub(body->impulse, impulse);
    body->moment = tl_sub(body->moment, tl_cross(with.arm_b, impulse));
    if (cloth->pressure)
        cloth->pressure[i] += tl_dot(impulse, with.normal);
}

/* The law for velocities, and what the body takes of it at I = `place`. `y` is where the particle is now; all in the
   body's frame. */
static void answer_velocity(tl_contact_cloth *cloth, const tl_prepared_body *frame, int i, tl_vec3 place, tl_vec3 y,
                            tl_vec3 normal, tl_real dt)
{
    tl_contact_body *body = frame->body;
    if (body->rigid) {
        answer_free(cloth, frame, i, place, normal);
        return;
    }
    tl_vec3 v = tl_at(cloth->p->v, i), surface = {0};
    if (frame->moves && dt > 0) {
        tl_vec3 way = frame->shift;
        if (frame->turns)
            way = tl_add(way, tl_cross(frame->spin, tl_out_of(&frame->to, y)));
        surface = tl_scale(way, 1 / dt);
    }
    tl_vec3 n = tl_out_of(&frame->to, normal), relative = tl_sub(v, surface);
    tl_real approach = -tl_dot(relative, n);
    if (!(approach > 0))
        return;
    tl_real bounce = approach > cloth->rest_speed ? body->restitution * approach : 0;
    tl_real change = approach + bounce;
    tl_vec3 along = tl_madd(relative, n, approach);
    tl_real speed = tl_length(along), limit = frame->friction * change;
    tl_real keep = speed > limit ? 1 - limit / speed : 0;
    tl_vec3 answer = tl_add(surface, tl_madd(tl_scale(along, keep), n, bounce));
    tl_put(cloth->p->v, i, answer);

    /* action = reaction */
    tl_real mass = cloth->p->m[i];
    tl_vec3 impulse = tl_scale(tl_sub(v, answer), mass);
    tl_vec3 arm = tl_out_of(&frame->to, place);
    body->impulse = tl_add(body->impulse, impulse);
    body->moment = tl_add(body->moment, tl_cross(arm, impulse));
    if (cloth->pressure)
        cloth->pressure[i] += mass * change;
}

/* ALONG: moved a short way along the surface it started on, so that it needs no check. SHALLOW: not moved, though
   inside by about the tolerance. */
typedef enum answer { APART, TOUCHED, SHALLOW, ALONG, MOVED } answer;

/* One particle, one body. Later passes leave alone what only rounding calls a contact. */
static answer respond(tl_contact_cloth *cloth, const tl_prepared_body *frame, int i, bool first_pass, tl_real dt)
{
    tl_vec3 x_old = tl_at(cloth->x_old, i), x = tl_at(cloth->p->x, i);
    tl_vec3 p0 = tl_into(&frame->from, tl_sub(x_old, frame->body->from.position));
    tl_vec3 step = local_step(frame, x_old, x);
    tl_real tolerance = tl_contact_tolerance(frame->body, frame->margin, x);
    meeting m;
    /* a state that is not finite is the world's to undo */
    if (!isfinite(step.x + step.y + step.z) || !tl_prepared_body_near(frame, p0, tl_add(p0, step), tolerance) ||
        !meet(frame, p0, step, tolerance, &m))
        return APART;

    answer result = TOUCHED;
    tl_vec3 y = m.place;
    tl_real depth = -tl_dot(m.beyond, m.normal);
    if (m.moves && depth > (first_pass ? 0 : tolerance)) {
        tl_vec3 slip = tl_madd(m.beyond, m.normal, depth);
        tl_real length = tl_length(slip), limit = frame->friction * depth;
        tl_real keep = length > limit ? 1 - limit / length : 0;
        slip = tl_scale(slip, keep);
        y = tl_add(m.place, slip);
        if (keep == 0 && m.at_start && !frame->moves)
            x = x_old; /* sticks: not a bit moves */
        else
            x = tl_add(x, tl_out_of(&frame->to, tl_sub(slip, m.beyond)));
        tl_put(cloth->p->x, i, x);
        tl_real scale = tolerance / (TL_CONTACT_ULPS * TL_REAL_EPSILON), way = TL_SHORT_DISPLACEMENT * scale;
        result = m.at_start && tl_dot(m.beyond, m.beyond) <= way * way ? ALONG : MOVED;
    } else if (m.moves && !first_pass) {
        return depth > 0 ? SHALLOW : APART;
    } else if (m.moves && depth < -tolerance) {
        return APART; /* it is leaving */
    }
    answer_velocity(cloth, frame, i, m.place, y, m.normal, dt);
    return result;
}

/* A moved particle must be outside every body now; if it is not, it is put there and stopped against what it touches.
 */
static void secure(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, int i, tl_real dt)
{
    tl_vec3 x = tl_at(cloth->p->x, i);
    bool inside = false;
    for (int b = 0; b < body_count && !inside; ++b)
        inside = tl_body_clearance(&bodies[b], cloth->thickness, x, NULL, NULL) < 0;
    if (!inside)
        return;
    x = tl_escape_bodies(bodies, body_count, cloth->thickness, tl_at(cloth->x_old, i), x);
    tl_put(cloth->p->x, i, x);
    for (int b = 0; b < body_count; ++b) {
        tl_vec3 n;
        tl_real gap;
        tl_body_clearance(&bodies[b], cloth->thickness, x, &n, &gap);
        if (gap > tl_contact_tolerance(&bodies[b], cloth->thickness, x))
            continue;
        tl_prepared_body frame = tl_prepare_body(cloth, &bodies[b]);
        tl_vec3 y = tl_into(&frame.to, tl_sub(x, bodies[b].to.position));
        answer_velocity(cloth, &frame, i, y, y, tl_into(&frame.to, n), dt);
    }
}

/* What a block remembers of its particles. */
typedef struct block {
    tl_near near[TL_BODY_BLOCK];
    int mover[TL_BODY_BLOCK];                /* 1 + the body that moved the particle last: it is outside that one */
    unsigned char last_moved[TL_BODY_BLOCK]; /* 1 + the last pass that moved it */
    bool touched[TL_BODY_BLOCK];
    bool unsure[TL_BODY_BLOCK]; /* must be checked against all bodies in the end */
} block;

/* One body against the particles first … first+count-1. True when it moved one. */
static bool respond_body(tl_contact_cloth *cloth, tl_contact_body *bodies, int b, block *all, int first, int count,
                         int pass, tl_real dt)
{
    bool moved = false;
    tl_prepared_body frame = tl_prepare_body(cloth, &bodies[b]);
    if (pass == 0 && !tl_prepared_body_sweep(&frame, cloth, first, count, all->near))
        return false;
    for (int k = 0; k < count; ++k) {
        if (pass == 0 ? !all->near[k] : all->last_moved[k] < pass || all->mover[k] == b + 1)
            continue;
        if (!(cloth->p->w[first + k] > 0))
            continue;
        answer result = respond(cloth, &frame, first + k, pass == 0, dt);
        all->touched[k] |= result != APART;
        if (result >= ALONG) {
            all->last_moved[k] = (unsigned char)(pass + 1);
            all->mover[k] = b + 1;
            moved = true;
        }
        all->unsure[k] |= result == MOVED || result == SHALLOW || (result == ALONG && pass > 0);
    }
    return moved;
}

/* All bodies against them. Returns how many are in contact. */
static int respond_block(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, int first, int count,
                         tl_real dt)
{
    block all;
    memset(all.mover, 0, sizeof all.mover);
    memset(all.last_moved, 0, sizeof all.last_moved);
    memset(all.touched, 0, sizeof all.touched);
    memset(all.unsure, 0, sizeof all.unsure);
    bool again = true;
    for (int pass = 0; pass < TL_BODY_PASSES && again; ++pass) {
        again = false;
        for (int b = 0; b < body_count; ++b)
            again |= respond_body(cloth, bodies, b, &all, first, count, pass, dt) && body_count > 1;
    }
    int touching = 0;
    for (int k = 0; k < count; ++k) {
        if (all.unsure[k])
            secure(cloth, bodies, body_count, first + k, dt);
        touching += all.touched[k];
    }
    return touching;
}

/* A particle that the first round left inside a body: the other rounds. */
static void settle(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, int i, tl_real dt)
{
    bool again = true;
    for (int pass = 1; pass < TL_BODY_PASSES && again; ++pass) {
        again = false;
        for (int b = 0; b < body_count; ++b) {
            tl_prepared_body frame = tl_prepare_body(cloth, &bodies[b]);
            again |= respond(cloth, &frame, i, false, dt) >= ALONG;
        }
    }
    secure(cloth, bodies, body_count, i, dt);
}

/* Marks the particles that a body which is no solid comes near, where `marks` is not NULL; true when there are any. */
static bool others_near(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, int first, int count,
                        bool *marks)
{
    tl_near near[TL_BODY_BLOCK];
    bool any = false;
    for (int b = 0; b < body_count; ++b) {
        if (bodies[b].is_primitive)
            continue;
        tl_prepared_body frame = tl_prepare_body(cloth, &bodies[b]);
        if (!tl_prepared_body_sweep(&frame, cloth, first, count, near))
            continue;
        any = true;
        for (int k = 0; marks && k < count; ++k)
            marks[k] |= near[k] && cloth->p->w[first + k] > 0;
    }
    return any;
}

/* Spheres and planes answer a vector of particles at a time. */
static int respond_solids(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, tl_primitive *solids,
                          int solid_count, int first, int count, tl_real dt)
{
    bool hard[TL_BODY_BLOCK + TL_LANES] = {false};
    tl_primitives_kernel *kernel = TL_PICK_KERNEL(tl_primitives_contact, cloth->lanes);
    int touching = kernel(first, first + count, cloth, solids, solid_count, dt, hard);
    if (touching > 0 && solid_count < body_count) /* a push may lead to where no path led before */
        others_near(cloth, bodies, body_count, first, count, hard);
    for (int k = 0; k < count; ++k)
        if (hard[k])
            settle(cloth, bodies, body_count, first + k, dt);
    return touching;
}

void tl_convex_contact_solve(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, tl_real dt)
{
    cloth->touching = 0;
    if (body_count == 0)
        return;
    tl_primitive solids[TL_MAX_PRIMITIVES];
    int solid_count = 0;
    for (int b = 0; b < body_count; ++b) {
        bodies[b].impulse = bodies[b].moment = tl_v3(0, 0, 0);
        /* what particles set in motion has to answer them one by one */
        bodies[b].is_primitive = solid_count < TL_MAX_PRIMITIVES && !bodies[b].rigid &&
                                 tl_primitive_prepare(cloth, &bodies[b], &solids[solid_count]);
        solid_count += bodies[b].is_primitive;
    }
    for (int first = 0; first < cloth->p->count; first += TL_BODY_BLOCK) {
        int left = cloth->p->count - first, count = left < TL_BODY_BLOCK ? left : TL_BODY_BLOCK;
        if (solid_count < body_count && others_near(cloth, bodies, body_count, first, count, NULL))
            cloth->touching += respond_block(cloth, bodies, body_count, first, count, dt);
        else
            cloth->touching += respond_solids(cloth, bodies, body_count, solids, solid_count, first, count, dt);
    }
    for (int b = 0, solid = 0; b < body_count; ++b)
        if (bodies[b].is_primitive)
            tl_primitive_finish(&solids[solid++], &bodies[b]);
}
