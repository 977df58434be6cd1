/* Rejected frames: why a frame ran away, what is said about it, and the way back for a cloth that does not get on. */
#include "world/cloth_shape.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/* A push in a frame is the cause when it alone gives this fraction of the speed that counts as running away. */
static const tl_real LARGE_PUSH = (tl_real)0.05;
/* Rejected frames in a row after which a cloth is stopped, and after twice as many brought back to its start. */
enum { PATIENCE = 3 };

/* ---- cause ------------------------------------------------------------------------------------------------------ */

/* Largest acceleration of unpinned particles by a force, m/s². */
static tl_real largest(const tl_particles *p, tl_real *const f[3])
{
    tl_real most = 0;
    for (int i = 0; i < p->count; ++i)
        most = tl_max(most, tl_length(tl_at(f, i)) * p->w[i]);
    return most;
}

typedef enum push { PUSH_USER, PUSH_AIR, PUSH_GAS, PUSHES } push;

/* Largest accelerations at the start of the frame, by a force that acts from outside the fabric. Overwrites x, v and f,
   which are rolled back next. */
static void measure_pushes(tl_cloth *cloth, tl_real pushes[PUSHES])
{
    tl_system *system = &cloth->system;
    tl_particles *p = &system->p;
    size_t bytes = (size_t)tl_padded(p->count) * sizeof(tl_real); /* kernels compute in the padding, too */
    for (int c = 0; c < 3; ++c) {
        memcpy(p->x[c], cloth->checkpoint[TL_AT_FRAME].state[c], bytes);
        memcpy(p->v[c], cloth->checkpoint[TL_AT_FRAME].state[3 + c], bytes);
    }
    system->gas.nrt = cloth->checkpoint[TL_AT_FRAME].gas;
    pushes[PUSH_USER] = system->has_user_force ? largest(p, system->user_force) : 0;
    for (push which = PUSH_AIR; which < PUSHES; ++which) {
        for (int c = 0; c < 3; ++c)
            memset(p->f[c], 0, bytes);
        if (which == PUSH_AIR && system->air)
            system->air(system->air_user, p, cloth->world->time);
        if (which == PUSH_GAS && system->gas.on)
            tl_gas_force(&system->gas, p, system->lanes);
        pushes[which] = largest(p, p->f);
    }
}

void tl_cloth_note_cause(tl_cloth *cloth)
{
    static const char *const names[PUSHES] = {"a force of tl_cloth_add_force",
                                              "the air: it is too strong for so light a cloth",
                                              "the pressure of its gas: it is too high for so light a cloth"};
    double dt = (double)cloth->frame_length, step = tl_stability_step(&cloth->stability, cloth->stepper);
    int substeps = cloth->stats.substeps > 0 ? cloth->stats.substeps : tl_cloth_substeps(cloth, cloth->frame_length);
    tl_real pushes[PUSHES] = {0};
    int most = 0;
    measure_pushes(cloth, pushes);
    for (int k = 1; k < PUSHES; ++k)
        if (pushes[k] > pushes[most])
            most = k;
    if (dt / tl_cloth_substeps(cloth, cloth->frame_length) > step)
        snprintf(cloth->cause, sizeof cloth->cause,
                 "its stiffness and damping need %.0f substeps a frame under %s, and %d were taken%s", ceil(dt / step),
                 cloth->stepper->name, tl_cloth_substeps(cloth, cloth->frame_length),
                 cloth->def.stable ? ", the most there are" : " (stable.on takes them)");
    else if (pushes[most] * cloth->frame_length > LARGE_PUSH * cloth->world->def.runaway_speed)
        snprintf(cloth->cause, sizeof cloth->cause, "the cause is %s", names[most]);
    else
        snprintf(cloth->cause, sizeof cloth->cause,
                 "take more than %d substeps, less stiffness or another stepper than %s", substeps,
                 cloth->stepper->name);
}

tl_result tl_cloth_report_rejection(const tl_cloth *cloth)
{
    tl_world *world = cloth->world;
    tl_fail(&world->error, TL_ERROR_UNSTABLE, "%s became unstable at %.3f s and was rolled back: %s%s%s",
            cloth->def.label, world->time, cloth->cause, cloth->recovery ? "; " : "",
            cloth->recovery ? cloth->recovery : "");
    if (world->def.log)
        (world->def.log)(world->def.log_user, world->error.message); /* parentheses: not the log macro of tgmath.h */
    return TL_ERROR_UNSTABLE;
}

/* ---- the way back ------------------------------------------------------------------------------------------------ */

/* The starting shape, turned as at the start, with its pins where they are to be, or around where the cloth is. */
static void return_to_start(tl_cloth *cloth)
{
    tl_particles *p = &cloth->system.p;
    tl_quat turn = tl_cloth_start_turn(cloth);
    double sum[3] = {0, 0, 0};
    int count = cloth->pin_count > 0 ? cloth->pin_count : p->count;
    for (int k = 0; k < count; ++k) {
        int i = cloth->pin_count > 0 ? cloth->pins[k].particle : k;
        tl_vec3 at = cloth->pin_count > 0 ? cloth->pins[k].target : tl_at(p->x, i);
        tl_vec3 own = tl_rotate(turn, cloth->mesh->position[i]);
        sum[0] += (double)(at.x - own.x) / count;
        sum[1] += (double)(at.y - own.y) / count;
        sum[2] += (double)(at.z - own.z) / count;
    }
    tl_vec3 center = tl_v3((tl_real)sum[0], (tl_real)sum[1], (tl_real)sum[2]);
    for (int i = 0; i < p->count; ++i)
        tl_put(p->x, i, tl_add(center, tl_rotate(turn, cloth->mesh->position[i])));
    for (int k = 0; k < cloth->pin_count; ++k)
        tl_put(p->x, cloth->pins[k].particle, cloth->pins[k].target);
    tl_system_clear_low(&cloth->system);
    tl_pins_changed(cloth);
}

void tl_cloth_count_rejection(tl_cloth *cloth, bool rejected)
{
    cloth->recovery = NULL;
    cloth->rejected_in_a_row = rejected ? cloth->rejected_in_a_row + 1 : 0;
    if (cloth->rejected_in_a_row == 0 || cloth->rejected_in_a_row % PATIENCE != 0)
        return;
    bool again = cloth->rejected_in_a_row > PATIENCE;
    cloth->recovery = again ? "after so many in a row the cloth was brought back to its starting shape"
                            : "after so many in a row the cloth was stopped";
    ++cloth->stats.recoveries;
    if (again)
        return_to_start(cloth);
    tl_cloth_stop(cloth);
    tl_cloth_forget_past(cloth);
}
