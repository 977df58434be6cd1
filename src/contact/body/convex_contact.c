/* Contact of particles with convex bodies, particle by particle, in the body's own frame, where a moving and turning
   body is at rest.

   The particle's path there is p0 → p1. Let it enter the shape, inflated by the cloth's thickness, at I with outward
   normal n; a particle that starts inside is first projected to the nearest surface point, which is then I.
     position   depth = max(0, (I − p1)·n); y = p1 + n depth lies on the tangent plane at I, outside a convex shape.
     friction   Coulomb on displacements: the slip s = y − I is shortened by min(|s|, μ depth). μ = ∞ stops the particle
                at I, μ = 0 projects it along the normal (the two responses of the thesis).
     velocity   relative to the moving surface; v_n < 0 becomes −e v_n, or 0 below the resting speed. With Δv_n the
                change, the tangential part is shortened by min(|v_t|, μ Δv_n).
   Displacement and velocity obey the same friction cone, so that on an incline a resting particle stays where it is, to
   the bit, while tan θ ≤ μ, and else accelerates by g (sin θ − μ cos θ), under any stepper that adds gravity (Bridson,
   Fedkiw and Anderson 2002 for the velocities; Müller et al. 2007 for the displacements).

   Particles are processed in blocks, each against all bodies. A particle that was moved is tested against all bodies
   again, up to TL_BODY_PASSES times, and one that is inside even then goes through contact/body/escape.c. Blocks
   near spheres and planes only take their first pass in vectors (contact/body/primitive_kernel.c); the code below
   handles the other shapes and the few particles that need more passes. */
#include "contact/body/convex_contact.h"
#include "collide/shapes/shapes.h"
#include "contact/body/escape.h"
#include "contact/body/prepared_body.h"
#include "contact/body/primitive_simd.h"

#include <string.h>

/* First hit of a particle's path on a body, in the body's frame. */
typedef struct path_hit {
    tl_vec3 place; /* I, or p1 when the particle is in contact without penetration */
    tl_vec3 normal;
    tl_vec3 beyond; /* p1 − I */
    bool at_start;  /* I is p0 */
    bool moves;     /* the position must be corrected, not only the velocity */
} path_hit;

/* p1 − p0, without the rounding that two separate transforms would leave: a resting particle moves by less in a
   substep than that. */
static tl_vec3 local_step(const tl_prepared_body *prepared, tl_vec3 x_old, tl_vec3 x)
{
    tl_vec3 moved = tl_sub(tl_sub(x, x_old), prepared->shift);
    tl_vec3 step = tl_into(&prepared->to, moved);
    if (prepared->turns) {
        tl_vec3 arm = tl_sub(x_old, prepared->body->from.position);
        for (int k = 0; k < 3; ++k) {
            tl_real change = tl_dot(tl_sub(prepared->to.row[k], prepared->from.row[k]), arm);
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

/* Does p1 lie inside (then it is projected to its own nearest point) or on the surface? */
static bool find_hit_at_end(const tl_prepared_body *prepared, tl_vec3 p1, tl_real tolerance, path_hit *hit)
{
    const tl_contact_body *body = prepared->body;
    tl_real gap = body->shape->distance(body->size, p1, &hit->normal) - prepared->margin;
    hit->at_start = false;
    hit->moves = gap < -tolerance;
    hit->beyond = hit->moves ? tl_scale(hit->normal, gap) : tl_v3(0, 0, 0);
    hit->place = tl_sub(p1, hit->beyond);
    return gap <= tolerance;
}

/* Finds the hit of a path on a body. False when they stay apart. */
static bool find_hit(const tl_prepared_body *prepared, tl_vec3 p0, tl_vec3 step, tl_real tolerance, path_hit *hit)
{
    const tl_contact_body *body = prepared->body;
    const tl_shape_class *shape = body->shape;
    tl_vec3 p1 = tl_add(p0, step);
    if (tl_shape_is_beyond(body, p0, prepared->margin + tolerance + tl_length(step)))
        return false;
    tl_real gap = shape->distance(body->size, p0, &hit->normal) - prepared->margin;
    if (gap > tolerance) {
        tl_real reach = gap - tolerance, t;
        if (reach * reach > tl_dot(step, step))
            return false;
        if (!shape->cast(body->size, prepared->margin, p0, p1, &t, &hit->normal))
            return find_hit_at_end(prepared, p1, tolerance, hit);
        hit->place = tl_madd(p0, step, t);
        hit->beyond = tl_scale(step, 1 - t);
        hit->at_start = false;
        hit->moves = true;
        return true;
    }
    if (gap >= -tolerance / 2) {
        /* starts on the surface: that is the hit; half of the tolerance is left for the rounding of the response */
        tl_real leaving = tl_dot(step, hit->normal);
        if (leaving > 2 * tolerance)
            return false;
        if (leaving >= 0)
            return find_hit_at_end(prepared, p1, tolerance, hit);
        hit->place = p0;
        hit->beyond = step;
        hit->at_start = true;
    } else {
        hit->place = tl_madd(p0, hit->normal, -gap);
        hit->beyond = tl_madd(step, hit->normal, gap);
        hit->at_start = false;
    }
    hit->moves = true;
    return true;
}

/* The velocity law for a dynamic body, whose velocity changes too. */
static void solve_velocity_dynamic(tl_contact_cloth *cloth, const tl_prepared_body *prepared, int i, tl_vec3 place,
                                   tl_vec3 normal)
{
    tl_contact_body *body = prepared->body;
    tl_rigid_state particle = {
        .velocity = tl_at(cloth->p->v, i), .inverse_mass = cloth->p->w[i], .rotation = tl_quat_identity()};
    tl_impact with = {.normal = tl_out_of(&prepared->to, normal),
                      .arm_b = tl_out_of(&prepared->to, place),
                      .restitution = body->restitution,
                      .friction = prepared->friction,
                      .rest_speed = cloth->rest_speed};
    tl_vec3 impulse = tl_rigid_impact(&particle, body->rigid, &with);
    tl_put(cloth->p->v, i, particle.velocity);
    body->impulse = tl_sub(body->impulse, impulse);
    body->moment = tl_sub(body->moment, tl_cross(with.arm_b, impulse));
    if (cloth->pressure)
        cloth->pressure[i] += tl_dot(impulse, with.normal);
}

/* The velocity law, and the impulse on the body at I = `place`. `y` is where the particle is now; all in the body's
   frame. */
static void solve_velocity(tl_contact_cloth *cloth, const tl_prepared_body *prepared, int i, tl_vec3 place, tl_vec3 y,
                           tl_vec3 normal, tl_real dt)
{
    tl_contact_body *body = prepared->body;
    if (body->rigid) {
        solve_velocity_dynamic(cloth, prepared, i, place, normal);
        return;
    }
    tl_vec3 v = tl_at(cloth->p->v, i), surface = {0};
    if (prepared->moves && dt > 0) {
        tl_vec3 displacement = prepared->shift;
        if (prepared->turns)
            displacement = tl_add(displacement, tl_cross(prepared->spin, tl_out_of(&prepared->to, y)));
        surface = tl_scale(displacement, 1 / dt);
    }
    tl_vec3 n = tl_out_of(&prepared->to, normal), relative = tl_sub(v, surface);
    tl_real approach = -tl_dot(relative, n);
    if (!(approach > 0))
        return;
    tl_real bounce = approach > cloth->rest_speed ? body->restitution * approach : 0;
    tl_real change = approach + bounce;
    tl_vec3 along = tl_madd(relative, n, approach);
    tl_real speed = tl_length(along), limit = prepared->friction * change;
    tl_real keep = speed > limit ? 1 - limit / speed : 0;
    tl_vec3 v_new = tl_add(surface, tl_madd(tl_scale(along, keep), n, bounce));
    tl_put(cloth->p->v, i, v_new);

    /* action = reaction */
    tl_real mass = cloth->p->m[i];
    tl_vec3 impulse = tl_scale(tl_sub(v, v_new), mass);
    tl_vec3 arm = tl_out_of(&prepared->to, place);
    body->impulse = tl_add(body->impulse, impulse);
    body->moment = tl_add(body->moment, tl_cross(arm, impulse));
    if (cloth->pressure)
        cloth->pressure[i] += mass * change;
}

/* ALONG: moved a short distance along the surface it started on, so that it needs no check. SHALLOW: not moved,
   though inside by about the tolerance. */
typedef enum response { APART, TOUCHING, SHALLOW, ALONG, MOVED } response;

/* One particle, one body. Later passes ignore contacts within rounding. */
static response respond(tl_contact_cloth *cloth, const tl_prepared_body *prepared, int i, bool first_pass, tl_real dt)
{
    tl_vec3 x_old = tl_at(cloth->x_old, i), x = tl_at(cloth->p->x, i);
    tl_vec3 p0 = tl_into(&prepared->from, tl_sub(x_old, prepared->body->from.position));
    tl_vec3 step = local_step(prepared, x_old, x);
    tl_real tolerance = tl_contact_tolerance(prepared->body, prepared->margin, x);
    path_hit hit;
    /* a state that is not finite is rolled back by the world */
    if (!isfinite(step.x + step.y + step.z) || !tl_prepared_body_near(prepared, p0, tl_add(p0, step), tolerance) ||
        !find_hit(prepared, p0, step, tolerance, &hit))
        return APART;

    response result = TOUCHING;
    tl_vec3 y = hit.place;
    tl_real depth = -tl_dot(hit.beyond, hit.normal);
    if (hit.moves && depth > (first_pass ? 0 : tolerance)) {
        tl_vec3 slip = tl_madd(hit.beyond, hit.normal, depth);
        tl_real length = tl_length(slip), limit = prepared->friction * depth;
        tl_real keep = length > limit ? 1 - limit / length : 0;
        slip = tl_scale(slip, keep);
        y = tl_add(hit.place, slip);
        if (keep == 0 && hit.at_start && !prepared->moves)
            x = x_old; /* sticks: returns to the bit */
        else
            x = tl_add(x, tl_out_of(&prepared->to, tl_sub(slip, hit.beyond)));
        tl_put(cloth->p->x, i, x);
        tl_real scale = tolerance / (TL_CONTACT_ULPS * TL_REAL_EPSILON), short_step = TL_SHORT_DISPLACEMENT * scale;
        result = hit.at_start && tl_dot(hit.beyond, hit.beyond) <= short_step * short_step ? ALONG : MOVED;
    } else if (hit.moves && !first_pass) {
        return depth > 0 ? SHALLOW : APART;
    } else if (hit.moves && depth < -tolerance) {
        return APART; /* separating */
    }
    solve_velocity(cloth, prepared, i, hit.place, y, hit.normal, dt);
    return result;
}

/* Is particle i inside a body? `near`: which are to be asked, or NULL for all. */
static bool is_inside(const tl_contact_cloth *cloth, const tl_contact_body *bodies, int body_count, const bool *near,
                      int i)
{
    tl_vec3 x = tl_at(cloth->p->x, i);
    for (int b = 0; b < body_count; ++b)
        if ((!near || b >= TL_MAX_PREPARED || near[b]) && !tl_body_is_clear(&bodies[b], cloth->thickness, x) &&
            tl_body_clearance(&bodies[b], cloth->thickness, x, NULL, NULL) < 0)
            return true;
    return false;
}

/* A moved particle must be outside every body now; if not, it is moved there and its velocity solved against what it
   touches. */
static void secure(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, const bool *near, int i,
                   tl_real dt)
{
    tl_vec3 x = tl_at(cloth->p->x, i);
    bool inside = is_inside(cloth, bodies, body_count, near, i);
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
        tl_prepared_body prepared = tl_prepare_body(cloth, &bodies[b]);
        tl_vec3 y = tl_into(&prepared.to, tl_sub(x, bodies[b].to.position));
        solve_velocity(cloth, &prepared, i, y, y, tl_into(&prepared.to, n), dt);
    }
}

enum { PATCHES = TL_BODY_BLOCK / TL_BODY_PATCH };

/* State of the particles of a block. */
typedef struct block {
    tl_path_bounds paths[PATCHES];
    bool patch[PATCHES]; /* must be looked at in this pass */
    tl_near near[TL_BODY_BLOCK];
    int mover[TL_BODY_BLOCK];                /* 1 + the last body that moved the particle: it is outside that one */
    unsigned char last_moved[TL_BODY_BLOCK]; /* 1 + the last pass that moved it */
    bool touched[TL_BODY_BLOCK];
    bool unsure[TL_BODY_BLOCK]; /* must be checked against all bodies at the end */
} block;

/* Bounds the paths of the patches that a pass must look at: all, or those it moved last time. */
static void bound_paths(const tl_contact_cloth *cloth, block *all, int first, int count, int pass)
{
    for (int p = 0; p * TL_BODY_PATCH < count; ++p) {
        int from = p * TL_BODY_PATCH, left = count - from, of_patch = left < TL_BODY_PATCH ? left : TL_BODY_PATCH;
        all->patch[p] = pass == 0;
        for (int k = from; k < from + of_patch; ++k)
            all->patch[p] |= all->last_moved[k] >= pass;
        if (all->patch[p])
            all->paths[p] = tl_path_bounds_of(cloth, first + from, of_patch);
    }
}

/* One body against one particle of a block. True when it moved it. */
static bool respond_particle(tl_contact_cloth *cloth, const tl_prepared_body *prepared, int b, block *all, int first,
                             int k, int pass, tl_real dt)
{
    if (!all->near[k] || (pass > 0 && (all->last_moved[k] < pass || all->mover[k] == b + 1)) ||
        !(cloth->p->w[first + k] > 0))
        return false;
    response result = respond(cloth, prepared, first + k, pass == 0, dt);
    all->touched[k] |= result != APART;
    all->unsure[k] |= result == MOVED || result == SHALLOW || (result == ALONG && pass > 0);
    if (result < ALONG)
        return false;
    all->last_moved[k] = (unsigned char)(pass + 1);
    all->mover[k] = b + 1;
    return true;
}

/* One body against the particles first … first+count-1. True when it moved one. A particle that it moves stays near
   what its patch may hit, or is looked at again in the next pass. */
static bool respond_body(tl_contact_cloth *cloth, const tl_prepared_body *prepared, int b, block *all, int first,
                         int count, int pass, tl_real dt)
{
    bool moved = false;
    for (int p = 0; p * TL_BODY_PATCH < count; ++p) {
        int from = p * TL_BODY_PATCH, left = count - from, of_patch = left < TL_BODY_PATCH ? left : TL_BODY_PATCH;
        if (!all->patch[p] || tl_prepared_body_misses(prepared, &all->paths[p]) ||
            !tl_prepared_body_sweep_closely(prepared, cloth, first + from, of_patch, all->near + from))
            continue;
        bool any = false;
        for (int k = from; k < from + of_patch; ++k)
            any |= respond_particle(cloth, prepared, b, all, first, k, pass, dt);
        if (any)
            all->paths[p] = tl_path_bounds_of(cloth, first + from, of_patch);
        moved |= any;
    }
    return moved;
}

/* A body prepared for the cloth: once, or in `room` where there are too many. */
static const tl_prepared_body *prepare(const tl_contact_cloth *cloth, tl_contact_body *bodies, int b,
                                       const tl_prepared_body *prepared, tl_prepared_body *room)
{
    if (b < TL_MAX_PREPARED)
        return &prepared[b];
    *room = tl_prepare_body(cloth, &bodies[b]);
    return room;
}

/* Secures what moved of a patch. Returns how many of its particles are in contact. */
static int secure_patch(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count,
                        const tl_prepared_body *prepared, const block *all, int first, int count, int patch, tl_real dt)
{
    bool near[TL_MAX_PREPARED], any = false;
    int touching = 0, from = patch * TL_BODY_PATCH, to = from + TL_BODY_PATCH < count ? from + TL_BODY_PATCH : count;
    for (int k = from; k < to; ++k) {
        touching += all->touched[k];
        any |= all->unsure[k];
    }
    if (!any)
        return touching;
    tl_path_bounds paths = tl_path_bounds_of(cloth, first + from, to - from);
    for (int b = 0; b < body_count && b < TL_MAX_PREPARED; ++b)
        near[b] = !tl_prepared_body_misses(&prepared[b], &paths);
    for (int k = from; k < to; ++k)
        if (all->unsure[k])
            secure(cloth, bodies, body_count, near, first + k, dt);
    return touching;
}

/* All bodies against a block. Returns how many particles are in contact. */
static int respond_block(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count,
                         const tl_prepared_body *prepared, int first, int count, tl_real dt)
{
    block all;
    memset(all.mover, 0, sizeof all.mover);
    memset(all.last_moved, 0, sizeof all.last_moved);
    memset(all.touched, 0, sizeof all.touched);
    memset(all.unsure, 0, sizeof all.unsure);
    bool again = true;
    for (int pass = 0; pass < TL_BODY_PASSES && again; ++pass) {
        again = false;
        bound_paths(cloth, &all, first, count, pass);
        for (int b = 0; b < body_count; ++b) {
            tl_prepared_body room;
            again |= respond_body(cloth, prepare(cloth, bodies, b, prepared, &room), b, &all, first, count, pass, dt) &&
                     body_count > 1;
        }
    }
    int touching = 0;
    for (int p = 0; p * TL_BODY_PATCH < count; ++p)
        touching += secure_patch(cloth, bodies, body_count, prepared, &all, first, count, p, dt);
    return touching;
}

/* The remaining passes for a particle that the first one left inside a body. */
static void run_remaining_passes(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, int i, tl_real dt)
{
    bool again = true;
    for (int pass = 1; pass < TL_BODY_PASSES && again; ++pass) {
        again = false;
        for (int b = 0; b < body_count; ++b) {
            tl_prepared_body prepared = tl_prepare_body(cloth, &bodies[b]);
            again |= respond(cloth, &prepared, i, false, dt) >= ALONG;
        }
    }
    secure(cloth, bodies, body_count, NULL, i, dt);
}

/* Marks the particles near a body that is not a primitive, where `marks` is not NULL; true when there are any. */
static bool mark_near_others(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, int first, int count,
                             bool *marks)
{
    tl_near near[TL_BODY_BLOCK];
    bool any = false;
    for (int b = 0; b < body_count; ++b) {
        if (bodies[b].is_primitive)
            continue;
        tl_prepared_body prepared = tl_prepare_body(cloth, &bodies[b]);
        if (!tl_prepared_body_sweep(&prepared, cloth, first, count, near))
            continue;
        any = true;
        if (!marks)
            break;
        for (int k = 0; k < count; ++k)
            marks[k] |= near[k] && cloth->p->w[first + k] > 0;
    }
    return any;
}

/* Spheres and planes, a vector of particles at a time. */
static int respond_primitives(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count,
                              tl_primitive *primitives, int primitive_count, int first, int count, tl_real dt)
{
    bool hard[TL_BODY_BLOCK + TL_LANES] = {false};
    tl_primitives_kernel *kernel = TL_PICK_KERNEL(tl_primitives_contact, cloth->lanes);
    int touching = kernel(first, first + count, cloth, primitives, primitive_count, dt, hard);
    if (touching > 0 && primitive_count < body_count) /* a push may lead to bodies that no path came near */
        mark_near_others(cloth, bodies, body_count, first, count, hard);
    for (int k = 0; k < count; ++k)
        if (hard[k])
            run_remaining_passes(cloth, bodies, body_count, first + k, dt);
    return touching;
}

void tl_convex_contact_solve(tl_contact_cloth *cloth, tl_contact_body *bodies, int body_count, tl_real dt)
{
    cloth->touching = 0;
    if (body_count == 0)
        return;
    tl_primitive primitives[TL_MAX_PRIMITIVES];
    int primitive_count = 0;
    for (int b = 0; b < body_count; ++b) {
        bodies[b].impulse = bodies[b].moment = tl_v3(0, 0, 0);
        /* dynamic bodies must see the particles one by one */
        bodies[b].is_primitive = primitive_count < TL_MAX_PRIMITIVES && !bodies[b].rigid &&
                                 tl_primitive_prepare(cloth, &bodies[b], &primitives[primitive_count]);
        primitive_count += bodies[b].is_primitive;
    }
    tl_prepared_body prepared[TL_MAX_PREPARED];
    for (int b = 0; b < body_count && b < TL_MAX_PREPARED && primitive_count < body_count; ++b)
        prepared[b] = tl_prepare_body(cloth, &bodies[b]);
    for (int first = 0; first < cloth->p->count; first += TL_BODY_BLOCK) {
        int left = cloth->p->count - first, count = left < TL_BODY_BLOCK ? left : TL_BODY_BLOCK;
        if (primitive_count == 0 ||
            (primitive_count < body_count && mark_near_others(cloth, bodies, body_count, first, count, NULL)))
            cloth->touching += respond_block(cloth, bodies, body_count, prepared, first, count, dt);
        else
            cloth->touching +=
                respond_primitives(cloth, bodies, body_count, primitives, primitive_count, first, count, dt);
    }
    for (int b = 0, primitive = 0; b < body_count; ++b)
        if (bodies[b].is_primitive)
            tl_primitive_finish(&primitives[primitive++], &bodies[b]);
}
