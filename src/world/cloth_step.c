/* One frame of one cloth: substeps by its schedule, fixed or chosen by what happens, and the guard that undoes a frame
   which ran away. */
#include "contact/touch.h"
#include "contact/touch_mesh.h"
#include "core/timing.h"
#include "step/explicit.h"
#include "step/implicit.h"
#include "step/limit.h"
#include "world/body_mesh.h"
#include "world/surfaces.h"
#include "world/world.h"

#include <string.h>

enum { MOST_HALVINGS = 10 }; /* an adaptive substep is at least 1/1024 of the fixed one */

typedef struct substep {
    tl_cloth *cloth;
    tl_real h;    /* s */
    bool limited; /* the limit of stretch has had its turn */
} substep;

/* Bodies made of triangles are met as surfaces, after the substep (world/surfaces.c). */
static bool is_met(const tl_body *body) { return body->def.on && !body->mesh; }

/* The bodies as the present substep sees them; returns their number. */
static int gather_bodies(tl_cloth *cloth)
{
    int count = 0;
    for (int b = 0; b < cloth->world->body_count; ++b) {
        tl_body *body = cloth->world->bodies[b];
        if (!is_met(body))
            continue;
        cloth->contact_bodies[count++] = (tl_contact_body){.shape = body->shape,
                                                           .size = body->def.size,
                                                           .from = tl_body_pose_at(body, cloth->substep_from),
                                                           .to = tl_body_pose_at(body, cloth->substep_to),
                                                           .friction = body->def.friction,
                                                           .restitution = body->def.restitution,
                                                           .mover = body->free ? &body->mover : NULL};
    }
    return count;
}

static tl_contact_cloth contact_of(tl_cloth *cloth, tl_real h)
{
    return (tl_contact_cloth){.p = &cloth->system.p,
                              .x_old = cloth->system.x_old,
                              .thickness = cloth->def.thickness,
                              .friction = cloth->def.friction,
                              .pressure = cloth->pressure,
                              .lanes = cloth->system.lanes,
                              /* slower than two substeps of free fall is resting, not bouncing */
                              .rest_speed = 2 * h * tl_length(cloth->world->def.gravity)};
}

/* What the bodies received is counted; it goes to them when all cloths are done. */
static void pass_on_impulses(tl_cloth *cloth)
{
    for (int b = 0, k = 0; b < cloth->world->body_count; ++b)
        if (is_met(cloth->world->bodies[b])) {
            cloth->received[b].impulse = tl_add(cloth->received[b].impulse, cloth->contact_bodies[k].impulse);
            cloth->received[b].moment = tl_add(cloth->received[b].moment, cloth->contact_bodies[k].moment);
            ++k;
        }
}

static void contact_stage(const substep *step)
{
    tl_cloth *cloth = step->cloth;
    if (!cloth->contact->bodies)
        return;
    int count = gather_bodies(cloth);
    tl_contact_cloth contact = contact_of(cloth, step->h);
    tl_contact_bodies(&contact, cloth->contact_bodies, count, step->h);
    pass_on_impulses(cloth);
    /* other steppers meet bodies made of triangles when the substep is over (world/surfaces.c) */
    for (int b = 0; b < cloth->world->body_count && cloth->stepper->solves_contact; ++b) {
        tl_body *body = cloth->world->bodies[b];
        if (body->mesh && body->def.on)
            tl_mesh_touch_answer(&contact, body->mesh->surface, step->h, &cloth->received[b].impulse,
                                 &cloth->received[b].moment);
    }
    cloth->stats.contacts = contact.touching;
}

void tl_cloth_contact_again(tl_cloth *cloth, tl_real h, const unsigned char *blocks)
{
    const tl_particles *p = &cloth->system.p;
    int count = gather_bodies(cloth);
    for (int first = 0; count > 0 && first < p->count; first += TL_SURFACE_BLOCK) {
        if (!blocks[first / TL_SURFACE_BLOCK])
            continue;
        tl_particles part = {.count = p->count - first < TL_SURFACE_BLOCK ? p->count - first : TL_SURFACE_BLOCK,
                             .m = p->m + first,
                             .w = p->w + first};
        tl_real *x_old[3];
        for (int c = 0; c < 3; ++c) {
            part.x[c] = p->x[c] + first;
            part.v[c] = p->v[c] + first;
            part.f[c] = p->f[c] + first;
            x_old[c] = cloth->system.x_old[c] + first;
        }
        tl_contact_cloth contact = contact_of(cloth, h);
        contact.p = &part;
        contact.x_old = x_old;
        contact.pressure = cloth->pressure + first;
        tl_contact_bodies(&contact, cloth->contact_bodies, count, h);
        pass_on_impulses(cloth);
    }
}

/* All that touch a body with a mass share it. */
static void share_body(int body, tl_touch *touches, int count)
{
    int sharing = 0;
    for (int k = 0; k < count; ++k)
        sharing += touches[k].body == body;
    for (int k = 0; k < count; ++k)
        if (touches[k].body == body)
            touches[k].yields /= (tl_real)sharing;
}

int tl_cloth_touches(void *user, tl_real h, bool ended, tl_touch *out)
{
    tl_cloth *cloth = user;
    tl_world *world = cloth->world;
    if (!cloth->contact->bodies)
        return 0;
    int count = gather_bodies(cloth);
    tl_contact_cloth contact = contact_of(cloth, h);
    tl_touches_begin(&contact, out);
    tl_touches_of_bodies(&contact, cloth->contact_bodies, count, h, ended, out);
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->mesh && world->bodies[b]->def.on)
            tl_touches_of_surface(&contact, world->bodies[b]->mesh->surface, count + b, h, ended, out);
    int touches = tl_touches_pack(&contact, out);
    for (int b = 0; b < count; ++b)
        if (cloth->contact_bodies[b].mover)
            share_body(b, out, touches);
    return touches;
}

void tl_cloth_touched(void *user, const tl_touch *touches, int count)
{
    tl_cloth *cloth = user;
    int convex = gather_bodies(cloth);
    tl_contact_cloth contact = contact_of(cloth, 0);
    for (int k = 0; k < count; ++k) {
        const tl_touch *touch = &touches[k];
        tl_contact_body *body = touch->body < convex ? &cloth->contact_bodies[touch->body] : NULL;
        if (body) {
            tl_touch_report(&contact, touch, body->to.position, &body->impulse, &body->moment);
            if (touch->yields > 0)
                tl_mover_push(body->mover, tl_sub(tl_at(contact.p->x, touch->particle), body->to.position),
                              tl_scale(touch->impulse, -1));
            continue;
        }
        int b = touch->body - convex;
        tl_received *received = &cloth->received[b];
        tl_vec3 pivot = cloth->world->bodies[b]->mesh->surface->pivot;
        tl_touch_report(&contact, touch, pivot, &received->impulse, &received->moment);
    }
    pass_on_impulses(cloth);
}

static void limit_stage(substep *step)
{
    double start = tl_seconds();
    tl_limit_apply(&step->cloth->system, step->h, step->cloth->stepper->solves_contact);
    step->limited = true;
    step->cloth->stats.seconds_step += tl_seconds() - start;
}

static void run_stage(void *user, tl_stage stage)
{
    substep *step = user;
    tl_cloth *cloth = step->cloth;
    if (stage == TL_STAGE_LIMIT) {
        limit_stage(step);
        return;
    }
    if (stage == TL_STAGE_CONTACT && !step->limited && !cloth->schedule.limits)
        limit_stage(step);
    double start = tl_seconds(), forces = cloth->system.seconds_forces;
    if (stage == TL_STAGE_CONTACT) {
        contact_stage(step);
        cloth->stats.seconds_contact += tl_seconds() - start;
        return;
    }
    if (stage == TL_STAGE_INTEGRATE)
        cloth->stepper->integrate(&cloth->system, step->h);
    else if (cloth->stepper->model)
        cloth->stepper->model(&cloth->system, step->h);
    /* forces are timed where they are computed; the rest of both stages is the step */
    double seconds = tl_seconds() - start - (cloth->system.seconds_forces - forces);
    cloth->stats.seconds_step += seconds;
    if (stage == TL_STAGE_MODEL)
        cloth->stats.seconds_model += seconds;
}

void tl_cloth_substep(tl_cloth *cloth, tl_real h, tl_real from, tl_real to)
{
    tl_system *system = &cloth->system;
    system->merged = cloth->stepper->merges && cloth->schedule.merges;
    if (!system->merged)
        tl_system_note(system);
    substep step = {cloth, h, false};
    /* one look at the forces serves the whole step: elements keep theirs from overshooting in it */
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        system->batch[e].settings.step = cloth->stepper->model == tl_explicit_model ? h : 0;
    cloth->substep_from = from;
    cloth->substep_to = to;
    tl_schedule_run(&cloth->schedule, cloth->def.iterations, run_stage, &step);
    if (!step.limited && !cloth->schedule.limits)
        limit_stage(&step);
    if (system->gas.on)
        tl_gas_flow(&system->gas, system->time, (double)h);
    system->time += (double)h;
    ++cloth->stats.substeps;
}

/* Substeps first … last-1 of `count` in the frame. */
static void fixed_substeps(tl_cloth *cloth, tl_real dt, int first, int last, int count)
{
    for (int k = first; k < last; ++k)
        tl_cloth_substep(cloth, dt / (tl_real)count, (tl_real)k / (tl_real)count, (tl_real)(k + 1) / (tl_real)count);
}

/* What a frame or a substep starts from, so that it can be taken again: x, v and pressure in one of the two places for
   them, lag and time, and what the bodies have received so far. */
enum { AT_FRAME, AT_SUBSTEP };

typedef struct copy_job {
    tl_cloth *cloth;
    tl_real *const *place; /* 7 */
    bool back;
} copy_job;

static void copy_part(void *user, int part, int parts)
{
    const copy_job *job = user;
    tl_particles *p = &job->cloth->system.p;
    /* the padding as well: kernels compute there, and what is not finite would come back from it */
    int first = tl_part_bound(tl_padded(p->count), part, parts, TL_LANES),
        last = tl_part_bound(tl_padded(p->count), part + 1, parts, TL_LANES);
    tl_real *state[7] = {p->x[0], p->x[1], p->x[2], p->v[0], p->v[1], p->v[2], job->cloth->pressure};
    for (int k = 0; k < 7; ++k)
        memcpy((job->back ? state[k] : job->place[k]) + first, (job->back ? job->place[k] : state[k]) + first,
               (size_t)(last - first) * sizeof(tl_real));
}

static void copy_state(tl_cloth *cloth, int where, bool back)
{
    copy_job job = {cloth, where == AT_FRAME ? cloth->good : cloth->trial, back};
    tl_tasks_run(cloth->system.tasks, copy_part, &job);
}

static void keep_state(tl_cloth *cloth, int where)
{
    copy_state(cloth, where, false);
    cloth->kept_lag[where] = cloth->system.lag;
    cloth->kept_gas[where] = cloth->system.gas.nrt;
    cloth->kept_time[where] = cloth->system.time;
    for (int b = 0; b < cloth->world->body_count; ++b) {
        tl_body *body = cloth->world->bodies[b];
        cloth->received[b].kept_impulse[where] = cloth->received[b].impulse;
        cloth->received[b].kept_moment[where] = cloth->received[b].moment;
        if (body->free) { /* other bodies are the same for all cloths, which may run side by side */
            body->kept_velocity[where] = body->mover.velocity;
            body->kept_spin[where] = body->mover.spin;
        }
    }
}

static void set_back(tl_cloth *cloth, int where)
{
    copy_state(cloth, where, true);
    cloth->system.lag = cloth->kept_lag[where];
    cloth->system.history_step = 0; /* what was undone is no past */
    cloth->system.gas.nrt = cloth->kept_gas[where];
    cloth->system.time = cloth->kept_time[where];
    for (int b = 0; b < cloth->world->body_count; ++b) {
        tl_body *body = cloth->world->bodies[b];
        cloth->received[b].impulse = cloth->received[b].kept_impulse[where];
        cloth->received[b].moment = cloth->received[b].kept_moment[where];
        if (body->free) {
            body->mover.velocity = body->kept_velocity[where];
            body->mover.spin = body->kept_spin[where];
        }
    }
    /* a schedule that integrates before its model starts from the forces of the substep before; not timed as a stage */
    double seconds = cloth->system.seconds_forces;
    tl_system_forces(&cloth->system, cloth->system.time);
    cloth->system.seconds_forces = seconds;
}

/* Longest way of a particle in the last substep. */
static tl_real motion_of_substep(const tl_cloth *cloth)
{
    const tl_system *system = &cloth->system;
    tl_real largest = 0;
    for (int i = 0; i < system->p.count; ++i) {
        tl_vec3 way = tl_sub(tl_at(system->p.x, i), tl_at(system->x_old, i));
        largest = tl_max(largest, tl_dot(way, way));
    }
    return sqrt(largest);
}

/* Substeps so short that strain and motion change no more than allowed: the length that the present speed permits is
   tried, and halved while either went too far. */
static void adaptive_substeps(tl_cloth *cloth, tl_real dt, int slice, int slices)
{
    tl_real longest = dt / (tl_real)(slices > 1 ? slices : cloth->def.substeps);
    tl_real shortest = longest / (1 << MOST_HALVINGS), farthest = cloth->def.adaptive_motion * cloth->mean_edge;
    tl_real done = dt * (tl_real)slice / (tl_real)slices, end = dt * (tl_real)(slice + 1) / (tl_real)slices;
    tl_real strain = tl_cloth_measure_strain(cloth), h = longest;
    while (done < end - dt * 1e-6f) {
        tl_real speed = tl_cloth_measure_speed(cloth);
        if (!isfinite(speed))
            return;
        if (speed > 0)
            h = tl_min(h, farthest / speed);
        h = tl_min(tl_max(h, shortest), end - done);
        keep_state(cloth, AT_SUBSTEP);
        tl_cloth_substep(cloth, h, done / dt, (done + h) / dt);
        tl_real changed = fabs(tl_cloth_measure_strain(cloth) - strain);
        bool within = changed <= cloth->def.adaptive_strain && motion_of_substep(cloth) <= farthest;
        if (!within && h > shortest) {
            set_back(cloth, AT_SUBSTEP);
            --cloth->stats.substeps;
            h /= 2;
            continue;
        }
        done += h;
        strain = tl_cloth_measure_strain(cloth);
        h = tl_min(longest, h * 1.5f);
    }
}

/* Eddies are worked out once a frame. Without memory for them they are at every substep. */
static void sample_eddies(tl_cloth *cloth)
{
    tl_system *system = &cloth->system;
    if (!system->air || !tl_wind_has_eddies(cloth->air.wind))
        return;
    for (int c = 2; c >= 0 && !cloth->air.eddy[0]; --c)
        if (!(cloth->air.eddy[c] = tl_system_array(system)))
            return;
    cloth->air.time = cloth->world->time;
    tl_air_sample(&cloth->air, &system->p);
}

void tl_cloth_begin(tl_cloth *cloth, tl_real dt)
{
    tl_world *world = cloth->world;
    tl_system *system = &cloth->system;
    cloth->stats.substeps = 0;
    cloth->ran_away = false;
    cloth->stats.contacts = 0;
    cloth->stats.seconds_step = cloth->stats.seconds_model = cloth->stats.seconds_contact = 0;
    system->seconds_forces = system->seconds_gravity = system->seconds_elements = 0;
    system->gas.seconds = system->gas.seconds_volume = 0;
    if (system->implicit)
        *tl_implicit_iterations(system) = 0;
    system->gravity = world->def.gravity;
    system->time = world->time;
    if (world->body_count > 0)
        memset(cloth->received, 0, (size_t)world->body_count * sizeof *cloth->received);
    keep_state(cloth, AT_FRAME);
    memset(cloth->pressure, 0, (size_t)system->p.count * sizeof(tl_real));
    cloth->pressure_time = (double)dt;

    tl_pins_begin(cloth, dt);
    sample_eddies(cloth);
}

void tl_cloth_advance(tl_cloth *cloth, tl_real dt, int slice, int slices)
{
    if (cloth->def.adaptive)
        adaptive_substeps(cloth, dt, slice, slices);
    else if (slices == 1)
        fixed_substeps(cloth, dt, 0, cloth->def.substeps, cloth->def.substeps);
    else
        fixed_substeps(cloth, dt, slice, slice + 1, slices);
}

void tl_cloth_undo(tl_cloth *cloth)
{
    set_back(cloth, AT_FRAME);
    ++cloth->stats.undone;
    tl_cloth_changed(cloth);
}

void tl_cloth_end(tl_cloth *cloth)
{
    tl_world *world = cloth->world;
    tl_system *system = &cloth->system;
    double start = tl_seconds();
    if (!tl_cloth_is_bounded(cloth))
        tl_pins_end(cloth);
    cloth->stats.largest_speed = tl_cloth_measure_speed(cloth);
    cloth->unstable = cloth->ran_away || !(cloth->stats.largest_speed <= world->def.runaway_speed);
    for (int c = 0; c < 3 && system->pushed; ++c)
        memset(system->user_force[c], 0, (size_t)system->p.count * sizeof(tl_real));
    system->pushed = false;
    if (cloth->unstable)
        tl_cloth_undo(cloth);
    else
        tl_cloth_changed(cloth);
    cloth->stats.solver_iterations = system->implicit ? *tl_implicit_iterations(system) : 0;
    cloth->stats.seconds_forces = system->seconds_forces;
    cloth->stats.seconds_gravity = system->seconds_gravity;
    cloth->stats.seconds_elements = system->seconds_elements;
    cloth->stats.seconds_volume = system->gas.seconds_volume;
    cloth->stats.seconds_gas = system->gas.seconds;
    cloth->stats.seconds_finish = tl_seconds() - start;
}
