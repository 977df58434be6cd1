/* Force evaluation for a whole cloth, and the memory of its particles. */
#include "step/system.h"
#include "step/sewing.h"
#include "step/strain_limit.h"

#include "core/timing.h"
#include "step/implicit.h"
#include "step/kernels.h"
#include "step/position.h"

#include <string.h>

tl_real *tl_system_array(tl_system *system)
{
    size_t count = (size_t)tl_padded(system->p.count);
    tl_real *array = tl_allocate(&system->allocator, count, sizeof(tl_real));
    if (array)
        system->bytes += count * sizeof(tl_real);
    return array;
}

static bool make_vector(tl_system *system, tl_real *array[3])
{
    for (int c = 0; c < 3; ++c)
        if (!(array[c] = tl_system_array(system)))
            return false;
    return true;
}

tl_result tl_system_create(tl_system *system, const tl_mesh *mesh, const tl_allocator *allocator, int lanes,
                           tl_error *error)
{
    memset(system, 0, sizeof *system);
    system->allocator = *allocator;
    system->mesh = mesh;
    system->p.count = mesh->particle_count;
    system->lanes = lanes;
    system->implicit_settings = (tl_implicit_settings){1, 500, (tl_real)0.01, TL_CONDITION_SWEEP};
    bool made = make_vector(system, system->p.x) && make_vector(system, system->p.v) &&
                make_vector(system, system->p.f) && make_vector(system, system->x_old) &&
                make_vector(system, system->low) && make_vector(system, system->user_force);
    made = made && (system->p.m = tl_system_array(system)) && (system->p.w = tl_system_array(system));
    if (!made) {
        tl_system_destroy(system);
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for %d particles", mesh->particle_count);
    }
    return TL_OK;
}

void tl_system_destroy(tl_system *system)
{
    for (int c = 0; c < 3; ++c) {
        tl_release(&system->allocator, system->p.x[c]);
        tl_release(&system->allocator, system->p.v[c]);
        tl_release(&system->allocator, system->p.f[c]);
        tl_release(&system->allocator, system->x_old[c]);
        tl_release(&system->allocator, system->low[c]);
        tl_release(&system->allocator, system->user_force[c]);
        tl_release(&system->allocator, system->held_force[c]);
    }
    tl_release(&system->allocator, system->p.m);
    tl_release(&system->allocator, system->p.w);
    tl_release(&system->allocator, system->weight);
    for (size_t k = 0; k < sizeof system->scratch / sizeof *system->scratch; ++k)
        tl_release(&system->allocator, system->scratch[k]);
    tl_strain_limit_destroy(system);
    tl_sewing_destroy(system);
    for (int k = 0; k < TL_HISTORY; ++k)
        tl_release(&system->allocator, system->history[k]);
    tl_position_destroy(system);
    tl_implicit_destroy(system);
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->batch[e].data)
            system->batch[e].kind->destroy(&system->batch[e]);
    tl_gas_destroy(&system->gas, &system->allocator);
    memset(system, 0, sizeof *system);
}

void tl_system_clear_low(tl_system *system)
{
    for (int c = 0; c < 3; ++c)
        memset(system->low[c], 0, (size_t)tl_padded(system->p.count) * sizeof(tl_real));
}

static void note_part(void *user, int part, int parts)
{
    tl_system *system = user;
    int first = tl_part_bound(system->p.count, part, parts, TL_LANES),
        last = tl_part_bound(system->p.count, part + 1, parts, TL_LANES);
    for (int c = 0; c < 3; ++c)
        memcpy(system->x_old[c] + first, system->p.x[c] + first, (size_t)(last - first) * sizeof(tl_real));
}

void tl_system_save_positions(tl_system *system) { tl_tasks_run(system->tasks, note_part, system); }

static void weight_part(void *user, int part, int parts)
{
    tl_system *system = user;
    tl_particles *p = &system->p;
    const tl_real gravity[3] = {system->gravity.x, system->gravity.y, system->gravity.z};
    tl_weight_kernel *weight = TL_PICK_KERNEL(tl_weight, system->lanes);
    int first = tl_part_bound(p->count, part, parts, TL_LANES),
        last = tl_part_bound(p->count, part + 1, parts, TL_LANES);
    for (int c = 0; c < 3; ++c)
        weight(last - first, tl_system_weight(system) + first, gravity[c], system->user_force[c] + first,
               p->f[c] + first);
}

void tl_system_external(tl_system *system, double time)
{
    double start = tl_seconds();
    tl_tasks_run(system->tasks, weight_part, system);
    if (system->gas.on)
        tl_gas_jet(&system->gas, system->mesh, &system->p, time, system->lanes);
    if (system->air)
        system->air(system->air_user, &system->p, time);
    system->seconds_forces += tl_seconds() - start;
}

/* Force of the user and, with even weight, what gravity has to be on top of p.m's; component c. */
static inline tl_real base_force(const tl_system *system, int c, int i)
{
    const tl_real gravity[3] = {system->gravity.x, system->gravity.y, system->gravity.z};
    tl_real own = system->user_force[c][i];
    return system->even_weight ? own + (system->weight[i] - system->p.m[i]) * gravity[c] : own;
}

/* Air that changes faster than a substep would turn the cloth's motion round instead of braking it. */
static void weaken(tl_system *system, tl_real factor)
{
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < system->p.count; ++i) {
            tl_real base = base_force(system, c, i);
            system->held_force[c][i] = base + factor * (system->held_force[c][i] - base);
        }
}

/* Adds the air's force to the held one; returns the s for which it changes little. */
static double hold_air(tl_system *system, tl_real h)
{
    tl_particles held = system->p;
    memcpy(held.f, system->held_force, sizeof held.f);
    system->air(system->air_user, &held, system->time);
    double lasts = system->air_holds(system->air_user, &system->p);
    if (lasts < (double)h)
        weaken(system, (tl_real)(lasts / (double)h));
    return lasts;
}

tl_real *const *tl_system_hold(tl_system *system, tl_real h)
{
    system->holds = system->air != NULL || system->even_weight;
    if (!system->holds)
        return system->has_user_force ? system->user_force : NULL;
    if (system->time >= system->held_until) {
        double start = tl_seconds();
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < system->p.count; ++i)
                system->held_force[c][i] = base_force(system, c, i);
        double lasts = system->air ? hold_air(system, h) : INFINITY; /* of this frame */
        system->held_until = system->time + lasts;
        system->seconds_forces += tl_seconds() - start;
    }
    return system->held_force;
}

void tl_system_forces(tl_system *system, double time)
{
    double start = tl_seconds();
    tl_tasks_run(system->tasks, weight_part, system);
    double weighed = tl_seconds();
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e])
            system->batch[e].kind->force(&system->batch[e], &system->p);
    system->seconds_gravity += weighed - start;
    system->seconds_elements += tl_seconds() - weighed;
    if (system->gas.on) {
        tl_gas_force(&system->gas, &system->p, system->lanes);
        tl_gas_jet(&system->gas, system->mesh, &system->p, time, system->lanes);
    }
    if (system->air)
        system->air(system->air_user, &system->p, time);
    system->seconds_forces += tl_seconds() - start;
}
