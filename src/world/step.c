/* One frame of a world, as a table of contents. */
#include "world/surfaces.h"
#include "world/world.h"

/* Says what was undone, to the caller and to the log. */
static tl_result report(tl_world *world, const tl_cloth *cloth)
{
    tl_fail(&world->error, TL_ERROR_UNSTABLE,
            "%s became unstable at %.3f s and was set back: take more substeps, less stiffness or another stepper than %s",
            cloth->def.label, world->time, cloth->def.stepper);
    if (world->def.log)
        (world->def.log)(world->def.log_user, world->error.message); /* parentheses: not the logarithm of tgmath.h */
    return TL_ERROR_UNSTABLE;
}

tl_result tl_world_step(tl_world *world, tl_real dt)
{
    if (!(dt > 0) || !isfinite(dt))
        return tl_fail(&world->error, TL_ERROR_INPUT, "dt: %g s is not a step; it must be above 0 and finite", (double)dt);
    tl_result result = tl_world_update_surfaces(world);
    if (result != TL_OK)
        return result;

    /* pose: bodies go to their place at the end of the frame */
    for (int b = 0; b < world->body_count; ++b)
        tl_body_begin(world->bodies[b], world->time, dt);

    /* substeps: forces, step and contact, for each cloth by itself */
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        if (tl_cloth_is_joined(cloth))
            continue;
        tl_cloth_begin(cloth, dt);
        tl_cloth_substeps(cloth, dt);
        tl_cloth_end(cloth);
    }

    /* and for all together that meet as surfaces */
    for (int k = 0; k < world->cloth_count; ++k)
        if (tl_cloth_is_joined(world->cloths[k]))
            tl_cloth_begin(world->cloths[k], dt);
    tl_world_step_joined(world, dt);
    for (int k = 0; k < world->cloth_count; ++k)
        if (tl_cloth_is_joined(world->cloths[k]))
            tl_cloth_end(world->cloths[k]);

    /* finish */
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->unstable)
            result = report(world, world->cloths[k]);
    if (world->surfaces.failed && result == TL_OK)
        result = tl_fail(&world->error, TL_ERROR_MEMORY, "no memory for all contacts: some were left out of the frame at %.3f s", world->time);
    for (int b = 0; b < world->body_count; ++b)
        tl_body_finish(world->bodies[b]);
    world->time += (double)dt;
    ++world->frame;
    return result;
}
