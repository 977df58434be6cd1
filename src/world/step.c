/* One frame of a world, as a table of contents. */
#include "world/contacts.h"
#include "world/nurbs.h"
#include "world/world.h"

/* s; nothing moves by a digit in a shorter one. */
static const tl_real SHORTEST_FRAME = (tl_real)1e-9;

typedef struct cloth_job {
    tl_world *world;
    tl_real dt;
} cloth_job;

static void step_cloth(tl_cloth *cloth, tl_real dt)
{
    if (tl_nurbs_step(cloth, dt, step_cloth))
        return;
    tl_cloth_begin(cloth, dt);
    tl_cloth_advance(cloth, dt, 0, 1);
    tl_cloth_note_shock(cloth);
    while (tl_cloth_parts_needed(cloth) > cloth->parts) {
        tl_cloth_divide(cloth, tl_cloth_parts_needed(cloth));
        tl_cloth_advance(cloth, dt, 0, 1);
    }
    tl_cloth_end(cloth);
}

/* Small cloths, distributed over threads. A cloth writes only its own state. */
static void step_small_cloths(void *user, int part, int parts)
{
    const cloth_job *job = user;
    for (int k = part; k < job->world->cloth_count; k += parts) {
        tl_cloth *cloth = job->world->cloths[k];
        if (!cloth->system.tasks && !tl_cloth_is_coupled(cloth))
            step_cloth(cloth, job->dt);
    }
}

/* Cloths without mesh contact: small ones run in parallel, large ones one after another on all threads. A user-supplied
   allocator is only called from one thread. */
static void step_independent(tl_world *world, tl_real dt)
{
    cloth_job job = {world, dt};
    tl_tasks_run(world->def.allocator.allocate ? NULL : world->tasks, step_small_cloths, &job);
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->system.tasks && !tl_cloth_is_coupled(world->cloths[k]))
            step_cloth(world->cloths[k], dt);
}

/* Cloths kept penetration-free are rolled back together: one alone could end up across the others. */
static void reject_together(tl_world *world)
{
    bool any = false;
    for (int k = 0; k < world->cloth_count; ++k)
        any |= tl_cloth_is_penetration_free(world->cloths[k]) && world->cloths[k]->unstable;
    for (int k = 0; k < world->cloth_count && any; ++k)
        if (tl_cloth_is_penetration_free(world->cloths[k]) && !world->cloths[k]->unstable)
            tl_cloth_reject(world->cloths[k]);
}

/* In how many parts common substeps should be taken, as far as is known by now. */
static int parts_needed(const tl_world *world, bool all)
{
    int parts = 1;
    for (int k = 0; k < world->cloth_count; ++k) {
        const tl_cloth *cloth = world->cloths[k];
        bool counts = all ? !cloth->stepper->multistep : tl_cloth_is_coupled(cloth);
        int needed = counts ? tl_cloth_parts_needed(cloth) : 1;
        parts = needed > parts ? needed : parts;
    }
    return parts;
}

/* The substeps of a frame, as far as they are short enough. */
static void common_substeps(tl_world *world, tl_real dt, int substeps, int parts, bool all)
{
    tl_world_coupled_begin(world, substeps);
    for (int n = 0; n < substeps && parts_needed(world, all) == parts; ++n) {
        /* dynamic bodies, cloths without mesh contact, then coupled cloths and their mesh contact */
        if (all)
            tl_dynamic_bodies_move(world, dt, n, substeps);
        for (int k = 0; k < world->cloth_count && all; ++k)
            if (!tl_cloth_is_coupled(world->cloths[k]))
                tl_cloth_advance(world->cloths[k], dt, n, substeps);
        tl_world_coupled_substep(world, dt, n, substeps);
    }
}

/* Back to the start of the frame, with each substep in so many parts. */
static void restart(tl_world *world, int parts, bool all)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (all || tl_cloth_is_coupled(world->cloths[k]))
            tl_cloth_divide(world->cloths[k], parts);
    if (all)
        tl_dynamic_bodies_restart(world);
}

/* Takes the frame again while its substeps are too long. */
static void divide_further(tl_world *world, tl_real dt, int substeps, int *parts, bool all)
{
    while (parts_needed(world, all) > *parts) {
        *parts = parts_needed(world, all);
        restart(world, *parts, all);
        common_substeps(world, dt, *parts * substeps, *parts, all);
    }
}

/* Coupled cloths, or all cloths when a body is dynamic, in common substeps. */
static void step_coupled(tl_world *world, tl_real dt, int substeps, bool all)
{
    int parts = 1;
    for (int k = 0; k < world->cloth_count; ++k)
        if (all || tl_cloth_is_coupled(world->cloths[k]))
            tl_cloth_begin(world->cloths[k], dt);
    common_substeps(world, dt, substeps, parts, all);
    for (int k = 0; k < world->cloth_count; ++k)
        if (all || tl_cloth_is_coupled(world->cloths[k]))
            tl_cloth_note_shock(world->cloths[k]);
    divide_further(world, dt, substeps, &parts, all);
    if (tl_world_guard_frame(world)) {
        restart(world, parts, all);
        common_substeps(world, dt, parts * substeps, parts, all);
        divide_further(world, dt, substeps, &parts, all);
    }
    tl_world_coupled_end(world);
    for (int k = 0; k < world->cloth_count; ++k)
        if (all || tl_cloth_is_coupled(world->cloths[k]))
            tl_cloth_end(world->cloths[k]);
    reject_together(world);
}

/* Impulses on the bodies, summed in cloth order so that threads do not matter. */
static void sum_impulses(tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        for (int b = 0; b < world->body_count; ++b) {
            tl_body *body = world->bodies[b];
            body->impulse = tl_add(body->impulse, world->cloths[k]->given[b].sum.impulse);
            body->moment = tl_add(body->moment, world->cloths[k]->given[b].sum.moment);
        }
}

static void pose_bodies(tl_world *world, tl_real dt)
{
    int entry = tl_trace_begin(&world->trace, "pose", -1, -1);
    for (int b = 0; b < world->body_count; ++b)
        tl_body_begin(world->bodies[b], world->time, dt);
    tl_world_say_leaps(world, dt);
    tl_trace_end(&world->trace, entry, world->body_count, "bodies");
}

static tl_result finish(tl_world *world)
{
    tl_result result = TL_OK;
    int entry = tl_trace_begin(&world->trace, "finish", -1, -1);
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->unstable)
            result = tl_cloth_report_rejection(world->cloths[k]);
    if (world->contacts.failed && result == TL_OK)
        result = tl_fail(&world->error, TL_ERROR_MEMORY,
                         "no memory for all contacts: some were left out of the frame at %.3f s", world->time);
    for (int b = 0; b < world->body_count; ++b)
        tl_body_end(world->bodies[b]);
    tl_trace_end(&world->trace, entry, 0, NULL);
    return result;
}

tl_result tl_world_step(tl_world *world, tl_real dt)
{
    if (!(dt >= 0) || !isfinite(dt))
        return tl_fail(&world->error, TL_ERROR_INPUT, "dt: %g s is not a step; it must be finite and not below 0",
                       (double)dt);
    if (dt < SHORTEST_FRAME) /* a pause */
        return TL_OK;

    /* contact meshes: follow the cloths, bodies and settings of this frame */
    tl_result result = tl_world_update_contacts(world);
    if (result != TL_OK)
        return result;
    tl_world_trace_begin(world);

    /* coordinates: near each cloth */
    tl_world_follow_cloths(world);

    /* pose: where each body is at the end of the frame, and cloth whose pins leapt */
    pose_bodies(world, dt);
    tl_world_follow_leaps(world, dt);

    /* substeps: forces, integration and contact of cloths and dynamic bodies */
    int dynamic_substeps = tl_dynamic_bodies_begin(world, dt), coupled_substeps = tl_world_coupled_substeps(world, dt);
    if (dynamic_substeps > 0) {
        step_coupled(world, dt, dynamic_substeps > coupled_substeps ? dynamic_substeps : coupled_substeps, true);
    } else {
        step_independent(world, dt);
        if (coupled_substeps > 0)
            step_coupled(world, dt, coupled_substeps, false);
    }

    /* impulses: of all cloths on the bodies */
    sum_impulses(world);
    tl_dynamic_bodies_end(world);

    /* finish: report rejected frames, bring bodies to the end of the frame */
    result = finish(world);
    tl_world_trace_end(world);
    world->time += (double)dt;
    ++world->frame;
    return result;
}
