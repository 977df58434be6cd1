/* Classic Runge–Kutta of fourth order on the whole coupled system y = (x, v), y' = (v, f(x, v, t)/m − damping·v):
     y ← y + h/6 (k1 + 2 k2 + 2 k3 + k4),
   each stage evaluated at its own state and time for all particles together. Local error O(h⁵). */
#include "step/stepper.h"

enum { X0 = 0, V0 = 3, SUM_V = 6, SUM_A = 9 }; /* places in system->scratch, three axes each */

static tl_result prepare(tl_system *system, tl_error *error)
{
    for (int k = 0; k < 12; ++k)
        if (!system->scratch[k] && !(system->scratch[k] = tl_system_array(system)))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for the stages of rk4");
    return TL_OK;
}

/* Adds share·y' at the present state to the sums, and goes on to y0 + reach·y'. */
static void stage(tl_system *system, double time, tl_real share, tl_real reach, bool last)
{
    tl_system_forces(system, time);
    tl_particles *p = &system->p;
    for (int c = 0; c < 3; ++c) {
        const tl_real *restrict f = p->f[c], *restrict w = p->w;
        const tl_real *restrict x0 = system->scratch[X0 + c], *restrict v0 = system->scratch[V0 + c];
        tl_real *restrict x = p->x[c], *restrict v = p->v[c];
        tl_real *restrict sum_v = system->scratch[SUM_V + c], *restrict sum_a = system->scratch[SUM_A + c];
        for (int i = 0; i < p->count; ++i) {
            tl_real a = f[i] * w[i] - (w[i] > 0 ? system->damping * v[i] : 0);
            sum_v[i] += share * v[i];
            sum_a[i] += share * a;
            /* the last stage goes to the weighted mean of all four */
            x[i] = x0[i] + (last ? sum_v[i] : reach * v[i]);
            v[i] = v0[i] + (last ? sum_a[i] : reach * a);
        }
    }
}

static void integrate(tl_system *system, tl_real h)
{
    tl_particles *p = &system->p;
    if (system->lag != 0) { /* coming from Verlet: bring the velocities to the present */
        tl_system_forces(system, system->time);
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < p->count; ++i)
                p->v[c][i] += p->f[c][i] * p->w[i] * system->lag;
        system->lag = 0;
    }
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < p->count; ++i) {
            system->scratch[X0 + c][i] = p->x[c][i];
            system->scratch[V0 + c][i] = p->v[c][i];
            system->scratch[SUM_V + c][i] = 0;
            system->scratch[SUM_A + c][i] = 0;
        }
    double time = system->time;
    stage(system, time, h / 6, h / 2, false);
    stage(system, time + (double)h / 2, h / 3, h / 2, false);
    stage(system, time + (double)h / 2, h / 3, h, false);
    stage(system, time + (double)h, h / 6, 0, true);
}

const tl_stepper_class tl_stepper_rk4 = {
    .name = "rk4",
    .help = "Classic Runge-Kutta with four force evaluations; fourth order.",
    .schedule = "integrate contact",
    .prepare = prepare,
    .integrate = integrate,
};
