/* Cloth and bodies that are put elsewhere from one frame to the next.

   tl_cloth_teleport moves cloth rigidly. A pin or a body has leapt when its velocity changes by more than the world's
   leap_speed from one frame to the next: no cloth could follow. A body that leapt
   stands at its new place for the whole frame instead of sweeping there. Cloth all of whose pins leapt is carried along
   rigidly; where only some did, those go on at leap_speed until they arrive. */
#include "world/body_mesh.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/* A rigid motion: x ↦ turn (x − from) + to. */
typedef struct motion {
    tl_point from, to; /* m, home positions */
    tl_quat turn;
} motion;

static tl_point moved(const motion *by, tl_point home)
{
    return tl_home_of_local(by->to, tl_rotate(by->turn, tl_local(by->from, home)));
}

static void turn_all(tl_real *const a[3], int count, tl_quat turn)
{
    for (int i = 0; i < count; ++i)
        tl_put(a, i, tl_rotate(turn, tl_at(a, i)));
}

/* Turns about `middle`, which goes to `to`; both local, in the old and the new coordinates. */
static void move_all(tl_real *const x[3], int count, tl_quat turn, tl_vec3 middle, tl_vec3 to)
{
    for (int i = 0; i < count; ++i)
        tl_put(x, i, tl_add(to, tl_rotate(turn, tl_sub(tl_at(x, i), middle))));
}

/* The particles, and the start of the last frame, from which tl_cloth_blended_positions starts. Precise at any
   distance: coordinates go along. */
static void move_cloth(tl_cloth *cloth, const motion *by)
{
    tl_system *system = &cloth->system;
    tl_real *const *before = cloth->checkpoint[TL_AT_FRAME].state;
    tl_vec3 middle = tl_cloth_middle(cloth);
    tl_point there = moved(by, tl_home_of_local(cloth->origin, middle));
    tl_cloth_origin_goes_to(cloth, there);
    tl_vec3 to = tl_local(cloth->origin, there);
    move_all(system->p.x, system->p.count, by->turn, middle, to);
    move_all(before, system->p.count, by->turn, middle, to);
    turn_all(system->p.v, system->p.count, by->turn);
    turn_all(before + 3, system->p.count, by->turn);
    tl_system_clear_low(system);
    system->history_step = 0; /* a multistep stepper starts afresh */
    tl_balance_forget(cloth);
    tl_cloth_changed(cloth);
}

void tl_cloth_forget_past(tl_cloth *cloth)
{
    const tl_particles *p = &cloth->system.p;
    for (int c = 0; c < 3; ++c) {
        memcpy(cloth->checkpoint[TL_AT_FRAME].state[c], p->x[c], (size_t)p->count * sizeof(tl_real));
        memcpy(cloth->checkpoint[TL_AT_FRAME].state[3 + c], p->v[c], (size_t)p->count * sizeof(tl_real));
    }
}

void tl_cloth_stop(tl_cloth *cloth)
{
    tl_system *system = &cloth->system;
    for (int c = 0; c < 3; ++c)
        memset(system->p.v[c], 0, (size_t)system->p.count * sizeof(tl_real));
    system->lag = 0;
    system->history_step = 0;
    tl_balance_forget(cloth);
    tl_cloth_changed(cloth);
}

tl_result tl_cloth_teleport(tl_cloth *cloth, tl_vec3 pivot, tl_quat turn, tl_vec3 shift, bool keep_velocities)
{
    tl_real length = turn.x * turn.x + turn.y * turn.y + turn.z * turn.z + turn.w * turn.w;
    if (!isfinite(pivot.x + pivot.y + pivot.z + shift.x + shift.y + shift.z) || !(length > 0) || !isfinite(length))
        return tl_fail(&cloth->world->error, TL_ERROR_INPUT, "%s: the motion to teleport it by is not finite",
                       cloth->def.label);
    tl_point from = tl_home(cloth->world, pivot);
    motion by = {from, tl_home_of_local(from, shift), tl_quat_normalized(turn)};
    tl_point origin = cloth->origin;
    move_cloth(cloth, &by);
    for (int k = 0; k < cloth->pin_count; ++k) /* those that follow a body return to it */
        cloth->pins[k].target = tl_local(cloth->origin, moved(&by, tl_home_of_local(origin, cloth->pins[k].target)));
    if (!keep_velocities)
        tl_cloth_stop(cloth);
    cloth->world->contacts_judged = false; /* it may cross others */
    return TL_OK;
}

/* ---- leaps ------------------------------------------------------------------------------------------------------ */

static void say(const tl_world *world, const tl_error *line)
{
    if (world->def.log)
        (world->def.log)(world->def.log_user, line->message); /* parentheses: not the log macro of tgmath.h */
}

/* Where something that moves on with a velocity was dt before. */
static tl_point earlier(tl_point home, tl_vec3 velocity, tl_real dt)
{
    return tl_home_of_local(home, tl_scale(velocity, -dt));
}

void tl_body_note_leap(tl_body *body, tl_real dt)
{
    tl_vec3 displacement = tl_local(body->start_home, body->end_home), velocity = tl_scale(displacement, 1 / dt);
    body->leapt = tl_length(tl_sub(velocity, body->last_velocity)) > body->world->def.leap_speed;
    body->leap_from = body->start_home;
    body->leap_rotation = body->start.rotation;
    if (!body->leapt) {
        body->last_velocity = velocity;
        return;
    }
    body->start_home = earlier(body->end_home, body->last_velocity, dt);
    body->start = (tl_pose){tl_local(body->world->origin, body->start_home), body->end.rotation};
}

void tl_world_say_leaps(const tl_world *world, tl_real dt)
{
    const tl_body *first = NULL;
    int others = 0;
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->leapt && !first)
            first = world->bodies[b];
        else
            others += world->bodies[b]->leapt;
    if (!first)
        return;
    char more[48] = "";
    tl_error line;
    if (others > 0)
        snprintf(more, sizeof more, ", and %d other bodies leapt", others);
    tl_fail(&line, TL_ERROR_INPUT, "%s leapt by %.3g m in %.3g ms%s: nothing is pushed on the way", first->def.label,
            (double)tl_length(tl_local(first->leap_from, first->end_home)), 1e3 * (double)dt, more);
    say(world, &line);
}

/* The motion of a cloth whose pins all leapt: that of the body they follow, or else the mean of their own, without a
   turn. The cloth goes on with its velocity. */
static motion motion_of_pins(const tl_cloth *cloth, tl_real dt)
{
    const tl_particles *p = &cloth->system.p;
    const tl_body *body = cloth->pins[0].body >= 0 ? cloth->world->bodies[cloth->pins[0].body] : NULL;
    if (body && body->leapt)
        return (motion){body->leap_from, body->start_home,
                        tl_quat_normalized(tl_quat_mul(body->end.rotation, tl_quat_conjugate(body->leap_rotation)))};
    double sum[3] = {0, 0, 0};
    for (int k = 0; k < cloth->pin_count; ++k) {
        const tl_pin *pin = &cloth->pins[k];
        tl_vec3 d = tl_sub(pin->target, tl_add(tl_at(p->x, pin->particle), tl_scale(tl_at(p->v, pin->particle), dt)));
        sum[0] += (double)d.x / cloth->pin_count;
        sum[1] += (double)d.y / cloth->pin_count;
        sum[2] += (double)d.z / cloth->pin_count;
    }
    tl_point from = cloth->origin;
    return (motion){from, {from.x + sum[0], from.y + sum[1], from.z + sum[2]}, {0, 0, 0, 1}};
}

/* The velocity that takes a pin to its target. */
static tl_vec3 velocity_of(const tl_cloth *cloth, const tl_pin *pin, tl_real dt)
{
    return tl_scale(tl_sub(pin->target, tl_at(cloth->system.p.x, pin->particle)), 1 / dt);
}

static bool has_leapt(const tl_cloth *cloth, const tl_pin *pin, tl_real dt)
{
    tl_vec3 velocity = velocity_of(cloth, pin, dt);
    tl_real change = tl_length(tl_sub(velocity, tl_at(cloth->system.p.v, pin->particle)));
    if (pin->travels > 0) /* that it stops at the end is no leap */
        change = tl_min(change, tl_length(velocity));
    return change > cloth->world->def.leap_speed;
}

static void say_leap(tl_cloth *cloth, const tl_pin *pin, tl_real dt, bool carried)
{
    tl_error line;
    tl_fail(&line, TL_ERROR_INPUT, "%s: the pin at vertex %d leapt by %.3g m in %.3g ms; %s", cloth->def.label,
            cloth->mesh->vertex_of_particle[pin->particle], (double)tl_length(velocity_of(cloth, pin, dt)) * (double)dt,
            1e3 * (double)dt, carried ? "the cloth was carried along" : "it gets there at the world's leap_speed");
    if (!cloth->leaping)
        say(cloth->world, &line);
}

/* Carries the cloth along if all of its pins leapt; returns whether they did. */
static bool follow_pins(tl_cloth *cloth, tl_real dt)
{
    int leaps = 0, last = 0;
    tl_pins_aim(cloth);
    for (int k = 0; k < cloth->pin_count; ++k)
        if (has_leapt(cloth, &cloth->pins[k], dt)) {
            ++leaps;
            last = k;
        }
    bool carried = leaps > 0 && leaps == cloth->pin_count;
    if (leaps > 0)
        say_leap(cloth, &cloth->pins[last], dt, carried);
    cloth->leaping = leaps > 0 && !carried;
    if (carried) {
        motion by = motion_of_pins(cloth, dt);
        tl_point origin = cloth->origin;
        move_cloth(cloth, &by);
        for (int k = 0; k < cloth->pin_count; ++k)
            cloth->pins[k].target = tl_local(cloth->origin, tl_home_of_local(origin, cloth->pins[k].target));
    }
    return carried;
}

/* Where each pin gets in this frame. */
static void reach(tl_cloth *cloth, tl_real dt)
{
    for (int k = 0; k < cloth->pin_count; ++k) {
        tl_pin *pin = &cloth->pins[k];
        tl_vec3 way = tl_scale(tl_normalized(velocity_of(cloth, pin, dt)), cloth->world->def.leap_speed * dt);
        bool leaps = cloth->leaping && has_leapt(cloth, pin, dt);
        pin->travels = leaps ? 2 : pin->travels > 0 ? pin->travels - 1 : 0;
        pin->reach = leaps ? tl_add(tl_at(cloth->system.p.x, pin->particle), way) : pin->target;
    }
}

/* Coordinates go along with cloth that was carried, and bodies with them. */
static void follow_carried(tl_world *world)
{
    tl_world_follow_cloths(world);
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        body->end.position = tl_local(world->origin, body->end_home);
        if (body->mesh)
            body->mesh->barrier.from = body->mesh->barrier.to = body->start;
    }
}

void tl_world_follow_leaps(tl_world *world, tl_real dt)
{
    bool carried = false;
    for (int k = 0; k < world->cloth_count; ++k)
        carried |= follow_pins(world->cloths[k], dt);
    if (carried)
        follow_carried(world);
    for (int k = 0; k < world->cloth_count; ++k)
        reach(world->cloths[k], dt);
}
