/* One frame of a world, as a table of contents. */
#include "world/contacts.h"
#include "world/world.h"

typedef struct cloth_job {
    tl_world *world;
    tl_real dt;
} cloth_job;

static void step_cloth(tl_cloth *cloth, tl_real dt)
{
    tl_cloth_begin(cloth, dt);
    tl_cloth_advance(cloth, dt, 0, 1);
    tl_cloth_end(cloth);
}

/* The small cloths, dealt out among threads. Each writes only what is its own. */
static void step_small(void *user, int part, int parts)
{
    const cloth_job *job = user;
    for (int k = part; k < job->world->cloth_count; k += parts) {
        tl_cloth *cloth = job->world->cloths[k];
        if (!cloth->system.tasks && !tl_cloth_is_joined(cloth))
            step_cloth(cloth, job->dt);
    }
}

/* Cloths that do not meet each other: small ones run on a thread each, large ones on all threads one after the other. A
   host's own allocator is called by one thread only. */
static void step_apart(tl_world *world, tl_real dt)
{
    cloth_job job = {world, dt};
    tl_tasks_run(world->def.allocator.allocate ? NULL : world->tasks, step_small, &job);
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->system.tasks && !tl_cloth_is_joined(world->cloths[k]))
            step_cloth(world->cloths[k], dt);
}

/* Cloths whose ways are bounded against each other go back together: one alone could cross what the others did. */
static void undo_together(tl_world *world)
{
    bool any = false;
    for (int k = 0; k < world->cloth_count; ++k)
        any |= tl_cloth_is_bounded(world->cloths[k]) && world->cloths[k]->unstable;
    for (int k = 0; k < world->cloth_count && any; ++k)
        if (tl_cloth_is_bounded(world->cloths[k]) && !world->cloths[k]->unstable)
            tl_cloth_undo(world->cloths[k]);
}

/* Cloths that meet as surfaces, and all of them when a body is free: side by side in common substeps. */
static void step_together(tl_world *world, tl_real dt, int substeps, bool all)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (all || tl_cloth_is_joined(world->cloths[k]))
            tl_cloth_begin(world->cloths[k], dt);
    tl_world_joined_begin(world, substeps, dt / (tl_real)substeps);
    for (int n = 0; n < substeps; ++n) {
        if (all)
            tl_dynamic_bodies_move(world, dt, n, substeps);
        for (int k = 0; k < world->cloth_count && all; ++k)
            if (!tl_cloth_is_joined(world->cloths[k]))
                tl_cloth_advance(world->cloths[k], dt, n, substeps);
        tl_world_joined_substep(world, dt, n, substeps);
    }
    tl_world_joined_end(world);
    for (int k = 0; k < world->cloth_count; ++k)
        if (all || tl_cloth_is_joined(world->cloths[k]))
            tl_cloth_end(world->cloths[k]);
    undo_together(world);
}

/* What the bodies received, in the order of the cloths whoever stepped them. */
static void give_impulses(tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        for (int b = 0; b < world->body_count; ++b) {
            tl_body *body = world->bodies[b];
            body->impulse = tl_add(body->impulse, world->cloths[k]->given[b].sum.impulse);
            body->moment = tl_add(body->moment, world->cloths[k]->given[b].sum.moment);
        }
}

static void step_cloths(tl_world *world, tl_real dt)
{
    int free_substeps = tl_dynamic_bodies_begin(world), joined_substeps = tl_world_joined_substeps(world);
    if (free_substeps > 0) {
        step_together(world, dt, free_substeps > joined_substeps ? free_substeps : joined_substeps, true);
    } else {
        step_apart(world, dt);
        if (joined_substeps > 0)
            step_together(world, dt, joined_substeps, false);
    }
    give_impulses(world);
    tl_dynamic_bodies_end(world);
}

/* Says what was rejected, to the caller and to the log. */
static tl_result report(tl_world *world, const tl_cloth *cloth)
{
    tl_fail(&world->error, TL_ERROR_UNSTABLE,
            "%s became unstable at %.3f s and was rolled back: take more substeps, less stiffness or another stepper "
            "than %s",
            cloth->def.label, world->time, cloth->def.stepper);
    if (world->def.log)
        (world->def.log)(world->def.log_user, world->error.message); /* parentheses: not the logarithm of tgmath.h */
    return TL_ERROR_UNSTABLE;
}

tl_result tl_world_step(tl_world *world, tl_real dt)
{
    if (!(dt > 0) || !isfinite(dt))
        return tl_fail(&world->error, TL_ERROR_INPUT, "dt: %g s is not a step; it must be above 0 and finite",
                       (double)dt);
    tl_result result = tl_world_update_contacts(world);
    if (result != TL_OK)
        return result;

    /* pose: bodies go to their place at the end of the frame */
    tl_world_trace_begin(world);
    int entry = tl_trace_begin(&world->trace, "pose", -1, -1);
    for (int b = 0; b < world->body_count; ++b)
        tl_body_begin(world->bodies[b], world->time, dt);
    tl_trace_end(&world->trace, entry, world->body_count, "bodies");

    /* substeps: forces, step and contact of all cloths */
    step_cloths(world, dt);

    /* finish */
    entry = tl_trace_begin(&world->trace, "finish", -1, -1);
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->unstable)
            result = report(world, world->cloths[k]);
    if (world->contacts.failed && result == TL_OK)
        result = tl_fail(&world->error, TL_ERROR_MEMORY,
                         "no memory for all contacts: some were left out of the frame at %.3f s", world->time);
    for (int b = 0; b < world->body_count; ++b)
        tl_body_end(world->bodies[b]);
    tl_trace_end(&world->trace, entry, 0, NULL);
    tl_world_trace_end(world);
    world->time += (double)dt;
    ++world->frame;
    return result;
}
