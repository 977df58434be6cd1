/* One frame of a world, as a table of contents. */
#include "world/world.h"

/* All cloths, one after the other; side by side in slices when a body is free, so that it meets all of them in each. */
static void step_cloths(tl_world *world, tl_real dt)
{
    int slices = tl_free_bodies_begin(world);
    for (int k = 0; k < world->cloth_count && slices == 0; ++k) {
        tl_cloth_begin(world->cloths[k], dt);
        tl_cloth_advance(world->cloths[k], dt, 0, 1);
        tl_cloth_end(world->cloths[k]);
    }
    for (int k = 0; k < world->cloth_count && slices > 0; ++k)
        tl_cloth_begin(world->cloths[k], dt);
    for (int s = 0; s < slices; ++s) {
        tl_free_bodies_move(world, dt, s, slices);
        for (int k = 0; k < world->cloth_count; ++k)
            tl_cloth_advance(world->cloths[k], dt, s, slices);
    }
    for (int k = 0; k < world->cloth_count && slices > 0; ++k)
        tl_cloth_end(world->cloths[k]);
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
