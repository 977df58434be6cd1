/* Classic Runge–Kutta of fourth order on the whole coupled system y = (x, v), y' = (v, f(x, v, t)/m − damping·v):
     y ← y + h/6 (k1 + 2 k2 + 2 k3 + k4),
   each stage evaluated at its own state and time for all particles together. Local error O(h⁵). */
#include "step/kernels.h"
#include "step/stepper.h"

enum { X0 = 0, V0 = 3, SUM_V = 6, SUM_A = 9 }; /* indices into system->scratch, three axes each */

static tl_result prepare(tl_system *system, tl_error *error)
{
    for (int k = 0; k < 12; ++k)
        if (!system->scratch[k] && !(system->scratch[k] = tl_system_array(system)))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for the stages of rk4");
    return TL_OK;
}

/* Adds weight·y' at the current state to the sums, and moves to y0 + reach·y'. */
static void stage(tl_system *system, double time, tl_rk4_stage_numbers numbers)
{
    tl_system_forces(system, time);
    tl_particles *p = &system->p;
    tl_rk4_stage_kernel *kernel = TL_PICK_KERNEL(tl_rk4_stage, system->lanes);
    numbers.damping = system->damping;
    for (int c = 0; c < 3; ++c) {
        tl_rk4_arrays arrays = {p->w,
                                p->f[c],
                                system->scratch[X0 + c],
                                system->scratch[V0 + c],
                                system->scratch[SUM_V + c],
                                system->scratch[SUM_A + c],
                                p->x[c],
                                p->v[c],
                                system->low[c]};
        kernel(p->count, &numbers, &arrays);
    }
}

static void integrate(tl_system *system, tl_real h)
{
    tl_particles *p = &system->p;
    if (system->lag != 0) { /* after Verlet: bring the velocities to the current time */
        tl_system_forces(system, system->time);
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < p->count; ++i)
                p->v[c][i] += p->f[c][i] * p->w[i] * system->lag;
        system->lag = 0;
    }
    double time = system->time;
    stage(system, time, (tl_rk4_stage_numbers){.weight = h / 6, .reach = h / 2, .first = true});
    stage(system, time + (double)h / 2, (tl_rk4_stage_numbers){.weight = h / 3, .reach = h / 2});
    stage(system, time + (double)h / 2, (tl_rk4_stage_numbers){.weight = h / 3, .reach = h});
    stage(system, time + (double)h, (tl_rk4_stage_numbers){.weight = h / 6, .last = true});
}

const tl_stepper_class tl_stepper_rk4 = {
    .name = "rk4",
    .help = "Classic Runge-Kutta with four force evaluations; fourth order; unstable for stiff fabrics "
            "below tens of thousands of substeps a second.",
    .schedule = "integrate contact",
    .stable_angle = 2.8,
    .prepare = prepare,
    .integrate = integrate,
};
