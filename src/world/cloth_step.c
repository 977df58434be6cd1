/* One frame of one cloth: substeps by its schedule, fixed or adaptive, and the guard that rejects a frame which ran
   away. */
#include "core/timing.h"
#include "step/explicit.h"
#include "step/implicit.h"
#include "step/sewing.h"
#include "step/strain_limit.h"
#include "world/body_mesh.h"
#include "world/contacts.h"
#include "world/material.h"
#include "world/nurbs.h"
#include "world/world.h"

#include <limits.h>
#include <string.h>

/* A substep may be this fraction longer than 1/substep_rate: 1/60 s is no binary fraction. */
#define RATE_TOLERANCE 1e-3
/* The last substep of a frame ends this close to 1: adaptive ones add up to it with rounding. */
static const tl_real LAST_SUBSTEP = (tl_real)1e-5;
/* The mean speed over a frame may be this much above runaway_speed: rounding of positions. */
static const tl_real MEAN_TOLERANCE = (tl_real)1.001;
enum { MAX_HALVINGS = 10 }; /* an adaptive substep is at least 1/1024 of the fixed one */
/* A step that solves linear equations lengthens edges that turn in it, by 1/cos of the angle, and what is pushed out of
   other cloth after it. Where an edge grows by more than this, of its rest length, the step was too long. */
static const tl_real MAX_GROWTH = (tl_real)0.05;
/* Growth that the part of a displacement counts for which penetration-free contact took away, of an edge: truncation
   keeps no momentum, and must stay a remainder. */
static const tl_real CUT_GROWTH = (tl_real)0.25;
/* Position-based steppers hold lengths against a change of velocity per substep up to this fraction of an edge; beyond,
   a yank or an impact stretches what is near it. */
static const tl_real MAX_SHOCK = (tl_real)0.1;
enum { MAX_SHOCK_PARTS = 16 }; /* of a substep in such a frame */
/* Stretch of an edge after which a frame with such a shock is taken again, and the limit of links then, unless the
   cloth has its own. */
static const tl_real SHOCK_STRETCH = (tl_real)0.15, SHOCK_LIMIT = (tl_real)0.1;
/* Substeps of a frame: of any rate, and of those that only stability asks for. */
#define MAX_SUBSTEPS ((double)INT_MAX / MAX_SHOCK_PARTS)
#define MAX_STABLE 20000.0
enum { MAX_PARTS = 8 }; /* of a substep: a pin that leaps stretches cloth in any number of them */

typedef struct substep {
    tl_cloth *cloth;
    tl_real h;    /* s */
    bool limited; /* seams and the strain limit were applied */
} substep;

/* Bodies of the current substep. Contact with mesh bodies is solved between meshes after the substep
   (world/contacts.c), unless the stepper solves contact. */
static void bind_bodies(tl_cloth *cloth)
{
    const tl_world *world = cloth->world;
    tl_body_contacts *all = &cloth->body_contacts;
    *all = (tl_body_contacts){.on = cloth->contact->bodies,
                              .solves_contact = cloth->stepper->solves_contact,
                              .cloth = {.p = &cloth->system.p,
                                        .x_old = cloth->system.x_old,
                                        .thickness = cloth->def.thickness,
                                        .friction = cloth->def.friction,
                                        .pressure = cloth->pressure,
                                        .lanes = cloth->system.lanes},
                              .rest_rate = 2 * tl_length(world->def.gravity), /* two substeps of free fall */
                              .convex = cloth->convex_bodies,
                              .mesh = cloth->mesh_bodies};
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        if (!body->def.on)
            continue;
        if (body->mesh)
            all->mesh[all->mesh_count++] = (tl_mesh_body){body->mesh->contact_mesh, &cloth->given[b].sum};
        else
            all->convex[all->convex_count++] =
                (tl_contact_body){.shape = body->shape,
                                  .size = body->def.size,
                                  .from = tl_body_pose_from(body, cloth->origin, cloth->substep_from),
                                  .to = tl_body_pose_from(body, cloth->origin, cloth->substep_to),
                                  .friction = body->def.friction,
                                  .restitution = body->def.restitution,
                                  .rigid = body->is_dynamic ? &body->rigid : NULL,
                                  .received = &cloth->given[b].sum};
    }
}

static void limit_stage(substep *step)
{
    double start = tl_seconds();
    tl_sewing_apply(&step->cloth->system, step->h);
    tl_strain_limit_apply(&step->cloth->system, step->h, step->cloth->stepper->solves_contact);
    step->limited = true;
    step->cloth->stats.seconds_step += tl_seconds() - start;
}

/* The surface of a net meets bodies in its place. */
static int surface_contact(tl_cloth *net, tl_real h)
{
    tl_cloth *cloth = net->surface_of;
    if (!cloth->contact->bodies)
        return 0;
    cloth->substep_from = net->substep_from;
    cloth->substep_to = net->substep_to;
    bind_bodies(cloth);
    return tl_nurbs_contact(net, h);
}

/* Returns the stage's count for the trace. */
static int stage_of(substep *step, tl_stage stage)
{
    tl_cloth *cloth = step->cloth;
    if (stage == TL_STAGE_LIMIT) {
        limit_stage(step);
        return 0;
    }
    double start = tl_seconds(), forces = cloth->system.seconds_forces;
    if (stage == TL_STAGE_CONTACT) {
        if (cloth->surface_of)
            cloth->stats.contacts = surface_contact(cloth, step->h);
        else if (cloth->contact->bodies)
            cloth->stats.contacts = tl_body_contacts_solve(&cloth->body_contacts, step->h);
        cloth->stats.seconds_contact += tl_seconds() - start;
        return cloth->stats.contacts;
    }
    if (stage == TL_STAGE_INTEGRATE)
        cloth->stepper->integrate(&cloth->system, step->h);
    else if (cloth->stepper->model)
        cloth->stepper->model(&cloth->system, step->h);
    /* forces are timed where they are computed; the remainder is the step */
    double seconds = tl_seconds() - start - (cloth->system.seconds_forces - forces);
    cloth->stats.seconds_step += seconds;
    if (stage == TL_STAGE_MODEL)
        cloth->stats.seconds_model += seconds;
    return 0;
}

static void run_stage(void *user, tl_stage stage)
{
    static const char *const names[] = {[TL_STAGE_MODEL] = "model",
                                        [TL_STAGE_INTEGRATE] = "integrate",
                                        [TL_STAGE_CONTACT] = "body contact",
                                        [TL_STAGE_LIMIT] = "strain limit"};
    substep *step = user;
    tl_cloth *cloth = step->cloth;
    if (stage == TL_STAGE_CONTACT && !step->limited && !cloth->schedule.limits)
        run_stage(user, TL_STAGE_LIMIT);
    bool idle = stage == TL_STAGE_LIMIT && !cloth->system.strain_limit_settings.on;
    int entry = idle ? -1 : tl_trace_begin(&cloth->trace, names[stage], cloth->index, cloth->stats.substeps);
    int count = stage_of(step, stage);
    tl_trace_end(&cloth->trace, entry, count, stage == TL_STAGE_CONTACT ? "particles" : NULL);
}

void tl_cloth_substep(tl_cloth *cloth, tl_real h, tl_real from, tl_real to)
{
    tl_system *system = &cloth->system;
    system->merged = cloth->stepper->merges && cloth->schedule.merges;
    if (!system->merged)
        tl_system_save_positions(system);
    substep step = {cloth, h, false};
    /* explicit steppers evaluate forces once: elements limit damping so that it does not overshoot within h */
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        system->batch[e].settings.step = cloth->stepper->model == tl_explicit_model ? h : 0;
        if (cloth->stepper->gain > 0 && cloth->def.stable)
            system->batch[e].damping = tl_max(tl_element_array(&cloth->def.elements)[e].damping,
                                              (tl_real)cloth->stepper->gain * system->batch[e].stiffness * h);
    }
    cloth->substep_from = from;
    cloth->substep_to = to;
    bind_bodies(cloth);
    bool last = to > 1 - LAST_SUBSTEP;
    if (last)
        tl_balance_begin(cloth, h);
    tl_schedule_run(&cloth->schedule, cloth->def.iterations, run_stage, &step);
    if (!step.limited && !cloth->schedule.limits)
        run_stage(&step, TL_STAGE_LIMIT);
    if (last)
        tl_balance_end(cloth);
    if (system->gas.on)
        tl_gas_flow(&system->gas, system->time, (double)h);
    system->time += (double)h;
    ++cloth->stats.substeps;
}

typedef struct copy_job {
    tl_cloth *cloth;
    tl_real *const *checkpoint; /* 7 */
    bool restore;
} copy_job;

static void copy_part(void *user, int part, int parts)
{
    const copy_job *job = user;
    tl_particles *p = &job->cloth->system.p;
    /* including the padding: kernels compute there, and a NaN would spread from it */
    int first = tl_part_bound(tl_padded(p->count), part, parts, TL_LANES),
        last = tl_part_bound(tl_padded(p->count), part + 1, parts, TL_LANES);
    tl_real *state[7] = {p->x[0], p->x[1], p->x[2], p->v[0], p->v[1], p->v[2], job->cloth->pressure};
    for (int k = 0; k < 7; ++k)
        memcpy((job->restore ? state[k] : job->checkpoint[k]) + first,
               (job->restore ? job->checkpoint[k] : state[k]) + first, (size_t)(last - first) * sizeof(tl_real));
}

static void copy_state(tl_cloth *cloth, int where, bool restore)
{
    copy_job job = {cloth, cloth->checkpoint[where].state, restore};
    tl_tasks_run(cloth->system.tasks, copy_part, &job);
}

static void take_checkpoint(tl_cloth *cloth, int where)
{
    copy_state(cloth, where, false);
    cloth->checkpoint[where].lag = cloth->system.lag;
    cloth->checkpoint[where].gas = cloth->system.gas.nrt;
    cloth->checkpoint[where].time = cloth->system.time;
    for (int b = 0; b < cloth->world->body_count; ++b) {
        tl_body *body = cloth->world->bodies[b];
        cloth->given[b].checkpoint[where] = cloth->given[b].sum;
        if (body->is_dynamic) { /* others are shared by cloths that run in parallel */
            body->checkpoint_velocity[where] = body->rigid.velocity;
            body->checkpoint_spin[where] = body->rigid.spin;
        }
    }
}

static void roll_back(tl_cloth *cloth, int where)
{
    copy_state(cloth, where, true);
    cloth->system.lag = cloth->checkpoint[where].lag;
    cloth->system.history_step = 0; /* a rejected step is not history */
    tl_system_clear_low(&cloth->system);
    cloth->system.gas.nrt = cloth->checkpoint[where].gas;
    cloth->system.time = cloth->system.held_until = cloth->checkpoint[where].time;
    for (int b = 0; b < cloth->world->body_count; ++b) {
        tl_body *body = cloth->world->bodies[b];
        cloth->given[b].sum = cloth->given[b].checkpoint[where];
        if (body->is_dynamic) {
            body->rigid.velocity = body->checkpoint_velocity[where];
            body->rigid.spin = body->checkpoint_spin[where];
        }
    }
    /* a schedule that integrates first needs the forces of the restored state; not timed as a stage */
    double seconds = cloth->system.seconds_forces;
    tl_system_forces(&cloth->system, cloth->system.time);
    cloth->system.seconds_forces = seconds;
}

/* Largest growth of an edge in the last substep, relative to its rest length. */
static tl_real max_growth(const tl_cloth *cloth)
{
    const tl_mesh *mesh = cloth->mesh;
    const tl_system *system = &cloth->system;
    tl_real largest = 0;
    for (int k = 0; k < cloth->strain_count; ++k) {
        int e = cloth->strain_edge[k], a = mesh->edge_a[e], b = mesh->edge_b[e];
        tl_real now = tl_length(tl_sub(tl_at(system->p.x, a), tl_at(system->p.x, b))),
                before = tl_length(tl_sub(tl_at(system->x_old, a), tl_at(system->x_old, b)));
        largest = tl_max(largest, (now - before) / mesh->edge_length[e]);
    }
    return largest;
}

/* ---- frames too long for what happens in them -------------------------------------------------------------------- */

void tl_cloth_note_growth(tl_cloth *cloth, tl_real cut)
{
    tl_real growth = cloth->stepper->linearizes ? tl_max(max_growth(cloth), CUT_GROWTH * cut / cloth->mean_edge) : 0;
    if (!(growth <= cloth->growth)) /* also when it is not a number */
        cloth->growth = growth;
}

bool tl_cloth_note_sweep(tl_cloth *cloth, tl_real sweep)
{
    cloth->sweep = tl_max(cloth->sweep, sweep);
    return cloth->parts < MAX_PARTS;
}

/* Whether lengths are to be held, and substeps are few because they can be: stiff cloth of no measured fabric that
   names no substeps. */
static bool holds_length(const tl_cloth *cloth)
{
    const tl_cloth_def *def = &cloth->def;
    return cloth->stepper->holds_length && cloth->stiff && def->substeps == 0 && !(def->substep_rate > 0) &&
           !def->adaptive;
}

/* Largest difference of two vectors per particle. */
static tl_real largest_difference(const tl_cloth *cloth, tl_real *const a[3], tl_real *const b[3])
{
    const tl_real *restrict ax = a[0], *restrict ay = a[1], *restrict az = a[2];
    const tl_real *restrict bx = b[0], *restrict by = b[1], *restrict bz = b[2];
    tl_real square = 0;
    for (int i = 0; i < cloth->system.p.count; ++i) {
        tl_real x = ax[i] - bx[i], y = ay[i] - by[i], z = az[i] - bz[i];
        square = tl_max(square, x * x + y * y + z * z);
    }
    return sqrt(square);
}

/* Largest stretch of an edge. */
static tl_real largest_stretch(const tl_cloth *cloth)
{
    const tl_mesh *mesh = cloth->mesh;
    tl_real *const *x = cloth->system.p.x;
    tl_real most = 0;
    for (int k = 0; k < cloth->strain_count; ++k) {
        int e = cloth->strain_edge[k];
        tl_vec3 edge = tl_sub(tl_at(x, mesh->edge_a[e]), tl_at(x, mesh->edge_b[e]));
        most = tl_max(most, tl_dot(edge, edge) / (mesh->edge_length[e] * mesh->edge_length[e]));
    }
    return sqrt(most) - 1;
}

void tl_cloth_note_shock(tl_cloth *cloth)
{
    cloth->shock = 0;
    if (!holds_length(cloth) || cloth->parts > 1 || cloth->stats.substeps == 0)
        return;
    tl_real h = cloth->frame_length / (tl_real)cloth->stats.substeps;
    tl_real shock =
        largest_difference(cloth, cloth->system.p.v, cloth->checkpoint[TL_AT_FRAME].state + 3) * h / cloth->mean_edge;
    if (shock > MAX_SHOCK && isfinite(shock) && largest_stretch(cloth) > SHOCK_STRETCH)
        cloth->shock = shock;
}

int tl_cloth_parts_needed(const tl_cloth *cloth)
{
    if (cloth->shock > MAX_SHOCK)
        return (int)tl_min(ceil(cloth->shock / MAX_SHOCK), (tl_real)MAX_SHOCK_PARTS);
    if (cloth->growth <= MAX_GROWTH && cloth->sweep <= 1)
        return cloth->parts;
    /* the error of a linear step grows with the square of its length */
    double parts = cloth->parts * ceil(sqrt((double)tl_max(cloth->growth / MAX_GROWTH, cloth->sweep * cloth->sweep)));
    int needed = parts < MAX_PARTS ? (int)parts : MAX_PARTS;
    return needed > cloth->parts ? needed : cloth->parts;
}

/* Links that were pushed far by contact or pulled far by pins come back within the frame. */
static void limit_shock(tl_cloth *cloth)
{
    tl_strain_limit_settings *settings = &cloth->system.strain_limit_settings;
    if (settings->on)
        return;
    *settings = (tl_strain_limit_settings){true, {SHOCK_LIMIT, SHOCK_LIMIT}, cloth->def.strain_limit_passes};
    cloth->system.strain_limit_slack = 0;
    cloth->system.strain_limit_slack_known = true;
}

void tl_cloth_divide(tl_cloth *cloth, int parts)
{
    roll_back(cloth, TL_AT_FRAME);
    tl_pins_begin(cloth, cloth->frame_length); /* the checkpoint has their velocities of the frame before */
    memset(cloth->pressure, 0, (size_t)cloth->system.p.count * sizeof(tl_real));
    if (cloth->shock > MAX_SHOCK)
        limit_shock(cloth);
    cloth->parts = parts;
    cloth->growth = cloth->shock = cloth->sweep = 0;
    cloth->ran_away = false;
    cloth->stats.substeps = cloth->stats.contacts = 0;
}

/* Substeps first … last-1 of `count` in the frame; all of a frame only as far as they are short enough. */
static void fixed_substeps(tl_cloth *cloth, tl_real dt, int first, int last, int count)
{
    bool whole = last - first == count;
    for (int k = first; k < last && (!whole || tl_cloth_parts_needed(cloth) == cloth->parts); ++k) {
        tl_cloth_substep(cloth, dt / (tl_real)count, (tl_real)k / (tl_real)count, (tl_real)(k + 1) / (tl_real)count);
        tl_cloth_note_growth(cloth, 0);
    }
}

/* Largest displacement of a particle in the last substep. */
static tl_real max_displacement(const tl_cloth *cloth)
{
    const tl_system *system = &cloth->system;
    tl_real largest = 0;
    for (int i = 0; i < system->p.count; ++i) {
        tl_vec3 displacement = tl_sub(tl_at(system->p.x, i), tl_at(system->x_old, i));
        largest = tl_max(largest, tl_dot(displacement, displacement));
    }
    return sqrt(largest);
}

/* Substeps short enough that strain and motion change no more than allowed: tries the length that the current speed
   permits and halves it while either bound is exceeded. */
static void adaptive_substeps(tl_cloth *cloth, tl_real dt, int slice, int slices)
{
    tl_real longest = dt / (tl_real)(slices > 1 ? slices : tl_cloth_substeps(cloth, dt));
    tl_real shortest = longest / (1 << MAX_HALVINGS), farthest = cloth->def.adaptive_motion * cloth->mean_edge;
    tl_real done = dt * (tl_real)slice / (tl_real)slices, end = dt * (tl_real)(slice + 1) / (tl_real)slices;
    tl_real strain = tl_cloth_measure_strain(cloth), h = longest;
    while (done < end - dt * 1e-6f) {
        tl_real speed = tl_cloth_measure_speed(cloth);
        if (!isfinite(speed))
            return;
        if (speed > 0)
            h = tl_min(h, farthest / speed);
        h = tl_min(tl_max(h, shortest), end - done);
        take_checkpoint(cloth, TL_AT_SUBSTEP);
        tl_cloth_substep(cloth, h, done / dt, (done + h) / dt);
        tl_real changed = fabs(tl_cloth_measure_strain(cloth) - strain);
        bool within = changed <= cloth->def.adaptive_strain && max_displacement(cloth) <= farthest;
        if (!within && h > shortest) {
            roll_back(cloth, TL_AT_SUBSTEP);
            --cloth->stats.substeps;
            h /= 2;
            continue;
        }
        done += h;
        strain = tl_cloth_measure_strain(cloth);
        h = tl_min(longest, h * 1.5f);
    }
}

/* Eddies are sampled once per frame. */
static void sample_eddies(tl_cloth *cloth)
{
    tl_system *system = &cloth->system;
    if (!system->air || !tl_wind_has_eddies(cloth->air.wind))
        return;
    cloth->air.time = cloth->world->time;
    tl_cloth_place_air(cloth);
    tl_air_sample(&cloth->air, &system->p);
}

int tl_cloth_substeps_asked(const tl_cloth *cloth, tl_real dt)
{
    double rate = cloth->def.substep_rate > 0
                      ? (double)cloth->def.substep_rate
                      : tl_material_substep_rate(&cloth->def, cloth->stepper, cloth->mesh->particle_count);
    double wanted = ceil((double)dt * rate * (1 - RATE_TOLERANCE));
    return cloth->def.substeps > 0 ? cloth->def.substeps : (int)fmin(fmax(wanted, 1), MAX_SUBSTEPS);
}

int tl_cloth_substeps(const tl_cloth *cloth, tl_real dt)
{
    int asked = tl_cloth_substeps_asked(cloth, dt);
    double step = cloth->def.stable ? tl_stability_step(&cloth->stability, cloth->stepper) : INFINITY;
    double stable = fmin(ceil((double)dt / step), MAX_STABLE);
    return stable > asked ? (int)stable : asked;
}

/* Says once that more substeps are taken than were asked for. */
static void say_substeps(tl_cloth *cloth, tl_real dt)
{
    tl_world *world = cloth->world;
    bool asks = cloth->def.substeps > 0 || cloth->def.substep_rate > 0;
    int asked = tl_cloth_substeps_asked(cloth, dt), taken = tl_cloth_substeps(cloth, dt);
    if (cloth->said_substeps || !asks || taken <= asked || !world->def.log)
        return;
    cloth->said_substeps = true;
    tl_error line;
    tl_fail(
        &line, TL_ERROR_UNSTABLE,
        "%s: %s takes %d substeps in %.3g ms, as its stiffness needs; %d, as asked for, would be unstable (stable.on)",
        cloth->def.label, cloth->stepper->name, taken, 1e3 * (double)dt, asked);
    (world->def.log)(world->def.log_user, line.message); /* parentheses: not the log macro of tgmath.h */
}

/* Whether long-range attachments to pins help. They pull straight at a pin, which is wrong where a body is in between:
   bodies and pins that move wind cloth around them. */
static bool wants_tethers(const tl_cloth *cloth)
{
    bool bodies = false;
    for (int b = 0; b < cloth->world->body_count && cloth->contact->bodies; ++b) {
        const tl_body *body = cloth->world->bodies[b];
        bodies |= body->def.on && !(body->shape && body->shape->bottomless);
    }
    return cloth->def.tether && !(bodies && cloth->pins_move);
}

void tl_cloth_begin_passive(tl_cloth *cloth, tl_real dt)
{
    tl_system *system = &cloth->system;
    cloth->kept_stats = (tl_kept_stats){cloth->stats.contacts, cloth->stats.pairs, cloth->pressure_time};
    system->gravity = cloth->world->def.gravity;
    system->time = system->held_until = cloth->world->time;
    if (cloth->world->body_count > 0)
        memset(cloth->given, 0, (size_t)cloth->world->body_count * sizeof *cloth->given);
    take_checkpoint(cloth, TL_AT_FRAME);
    memset(cloth->pressure, 0, (size_t)system->p.count * sizeof(tl_real));
    cloth->pressure_time = (double)dt;
    cloth->frame_length = dt;
    cloth->parts = 1;
    tl_pins_begin(cloth, dt);
}

void tl_cloth_end_passive(tl_cloth *cloth, const tl_cloth *net)
{
    tl_system *system = &cloth->system;
    int rejected = cloth->stats.rejected_frames + net->unstable, recoveries = cloth->stats.recoveries;
    tl_pins_end(cloth);
    tl_system_clear_low(system);
    system->lag = net->system.lag;
    system->history_step = 0;
    system->time = net->system.time;
    for (int c = 0; c < 3 && system->has_user_force; ++c)
        memset(system->user_force[c], 0, (size_t)system->p.count * sizeof(tl_real));
    system->has_user_force = false;
    cloth->stats = net->stats;
    cloth->stats.rejected_frames = rejected;
    cloth->stats.recoveries = recoveries + (net->recovery != NULL);
    cloth->unstable = net->unstable;
    cloth->recovery = net->recovery;
    memcpy(cloth->cause, net->cause, sizeof cloth->cause);
    tl_balance_forget(cloth);
    tl_cloth_changed(cloth);
}

void tl_cloth_begin(tl_cloth *cloth, tl_real dt)
{
    if (cloth->nurbs)
        cloth->nurbs->active = false;
    tl_world *world = cloth->world;
    tl_system *system = &cloth->system;
    cloth->stats.substeps = 0;
    cloth->parts = 1;
    cloth->growth = cloth->shock = cloth->sweep = 0;
    cloth->ran_away = false;
    cloth->kept_stats = (tl_kept_stats){cloth->stats.contacts, cloth->stats.pairs, cloth->pressure_time};
    cloth->stats.contacts = cloth->stats.pairs = cloth->stats.rebuilds = cloth->stats.truncated = 0;
    cloth->stats.seconds_step = cloth->stats.seconds_model = cloth->stats.seconds_contact = 0;
    system->seconds_forces = system->seconds_gravity = system->seconds_elements = 0;
    system->gas.seconds = system->gas.seconds_volume = 0;
    if (system->implicit)
        *tl_implicit_iterations(system) = 0;
    system->gravity = world->def.gravity;
    system->time = system->held_until = world->time;
    system->holds = false;
    if (world->body_count > 0)
        memset(cloth->given, 0, (size_t)world->body_count * sizeof *cloth->given);
    take_checkpoint(cloth, TL_AT_FRAME);
    memset(cloth->pressure, 0, (size_t)system->p.count * sizeof(tl_real));
    cloth->pressure_time = (double)dt;
    cloth->frame_length = dt;

    say_substeps(cloth, dt);
    system->position_settings.tether = wants_tethers(cloth);
    if (!cloth->def.strain_limit)
        system->strain_limit_settings.on = false;
    tl_pins_begin(cloth, dt);
    sample_eddies(cloth);
}

void tl_cloth_advance(tl_cloth *cloth, tl_real dt, int slice, int slices)
{
    int substeps = tl_cloth_substeps(cloth, dt);
    if (cloth->def.adaptive)
        adaptive_substeps(cloth, dt, slice, slices);
    else if (slices == 1)
        fixed_substeps(cloth, dt, 0, cloth->parts * substeps, cloth->parts * substeps);
    else
        fixed_substeps(cloth, dt, slice, slice + 1, slices);
}

void tl_cloth_reject(tl_cloth *cloth)
{
    roll_back(cloth, TL_AT_FRAME);
    tl_balance_forget(cloth);
    cloth->stats.contacts = cloth->kept_stats.contacts;
    cloth->stats.pairs = cloth->kept_stats.pairs;
    cloth->pressure_time = cloth->kept_stats.pressure_time;
    cloth->stats.largest_speed = tl_cloth_measure_speed(cloth);
    ++cloth->stats.rejected_frames;
    tl_cloth_changed(cloth);
}

static bool has_user_force(const tl_system *system)
{
    for (int i = 0; i < system->p.count; ++i)
        if (tl_length(tl_at(system->user_force, i)) > 0)
            return true;
    return false;
}

void tl_cloth_end(tl_cloth *cloth)
{
    tl_world *world = cloth->world;
    tl_system *system = &cloth->system;
    double start = tl_seconds();
    if (!tl_cloth_is_penetration_free(cloth))
        tl_pins_end(cloth);
    cloth->stats.largest_speed = tl_cloth_measure_speed(cloth);
    cloth->unstable = cloth->ran_away || !(cloth->stats.largest_speed <= world->def.runaway_speed) ||
                      !(largest_difference(cloth, system->p.x, cloth->checkpoint[TL_AT_FRAME].state) <=
                        world->def.runaway_speed * cloth->frame_length * MEAN_TOLERANCE);
    if (cloth->unstable)
        tl_cloth_note_cause(cloth);
    if (system->has_user_force && has_user_force(system))
        tl_balance_forget(cloth);
    for (int c = 0; c < 3 && system->has_user_force; ++c)
        memset(system->user_force[c], 0, (size_t)system->p.count * sizeof(tl_real));
    system->has_user_force = false;
    if (cloth->unstable)
        tl_cloth_reject(cloth);
    else
        tl_cloth_changed(cloth);
    tl_cloth_count_rejection(cloth, cloth->unstable);
    cloth->stats.parts = cloth->parts;
    cloth->stats.solver_iterations = system->implicit ? *tl_implicit_iterations(system) : 0;
    cloth->stats.seconds_forces = system->seconds_forces;
    cloth->stats.seconds_gravity = system->seconds_gravity;
    cloth->stats.seconds_elements = system->seconds_elements;
    cloth->stats.seconds_volume = system->gas.seconds_volume;
    cloth->stats.seconds_gas = system->gas.seconds;
    cloth->stats.seconds_finish = tl_seconds() - start;
}
