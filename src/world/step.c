/* One frame of a world, as a table of contents. */
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
    for (int k = part; k < job->world->cloth_count; k += parts)
        if (!job->world->cloths[k]->system.tasks)
            step_cloth(job->world->cloths[k], job->dt);
}

/* Cloths do not meet each other here: small ones run on a thread each, large ones on all threads one after the other. A
   host's own allocator is called by one thread only. */
static void step_apart(tl_world *world, tl_real dt)
{
    cloth_job job = {world, dt};
    tl_tasks_run(world->def.allocator.allocate ? NULL : world->tasks, step_small, &job);
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->system.tasks)
            step_cloth(world->cloths[k], dt);
}

/* What the bodies received, in the order of the cloths whoever stepped them. */
static void give_impulses(tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        for (int b = 0; b < world->body_count; ++b) {
            tl_body *body = world->bodies[b];
            body->impulse = tl_add(body->impulse, world->cloths[k]->received[b].impulse);
            body->moment = tl_add(body->moment, world->cloths[k]->received[b].moment);
        }
}

/* All cloths, each its whole frame; side by side in slices when a body is free, so that it meets all of them in each. */
static void step_cloths(tl_world *world, tl_real dt)
{
    int slices = tl_free_bodies_begin(world);
    if (slices == 0)
        step_apart(world, dt);
    for (int k = 0; k < world->cloth_count && slices > 0; ++k)
        tl_cloth_begin(world->cloths[k], dt);
    for (int s = 0; s < slices; ++s) {
        tl_free_bodies_move(world, dt, s, slices);
        for (int k = 0; k < world->cloth_count; ++k)
            tl_cloth_advance(world->cloths[k], dt, s, slices);
    }
    for (int k = 0; k < world->cloth_count && slices > 0; ++k)
        tl_cloth_end(world->cloths[k]);
    give_impulses(world);
    tl_free_bodies_end(world);
}

tl_result tl_world_step(tl_world *world, tl_real dt)
{
    if (!(dt > 0) || !isfinite(dt))
        return tl_fail(&world->error, TL_ERROR_INPUT, "dt: %g s is not a step; it must be above 0 and finite", (double)dt);
    tl_result result = TL_OK;

    /* pose: bodies go to their place at the end of the frame */
    for (int b = 0; b < world->body_count; ++b)
        tl_body_begin(world->bodies[b], world->time, dt);

    /* substeps: forces, step and contact for each cloth */
    step_cloths(world, dt);
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        if (cloth->unstable) {
            result = tl_fail(&world->error, TL_ERROR_UNSTABLE,
                             "%s became unstable at %.3f s and was set back: take more substeps, less stiffness or another stepper than %s",
                             cloth->def.label, world->time, cloth->def.stepper);
            if (world->def.log)
                (world->def.log)(world->def.log_user, world->error.message); /* parentheses: not the logarithm of tgmath.h */
        }
    }

    /* finish */
    for (int b = 0; b < world->body_count; ++b)
        tl_body_end(world->bodies[b]);
    world->time += (double)dt;
    ++world->frame;
    return result;
}
