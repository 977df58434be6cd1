/* Implicit Euler: v' = v + h f(x', v')/m, x' = x + h v' (Baraff and Witkin 1998). First order, loses energy, and stable
   for every step; step/implicit.h has the method. */
#include "core/trig.h"
#include "step/implicit.h"
#include "step/stepper.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_real *start = tl_implicit_start(system), *before = tl_implicit_before(system);
    tl_implicit_catch_up(system);
    tl_real keep = (tl_real)tl_exp(-(double)system->damping * (double)h);
    for (int i = 0; i < system->p.count; ++i)
        for (int c = 0; c < 3; ++c) {
            start[3 * i + c] = system->p.x[c][i];
            before[3 * i + c] = keep * system->p.v[c][i];
        }
    tl_implicit_solve(system, &(tl_implicit_step){.start = start, .before = before, .h = h, .push = h, .whole = h});
}

const tl_stepper_class tl_stepper_implicit_euler = {
    .name = "implicit-euler",
    .help = "Velocity from the force at the end of the step, all particles at once; stable for any step, first order, "
            "loses energy.",
    .schedule = "integrate contact",
    .solves_contact = true,
    .prepare = tl_implicit_prepare,
    .integrate = integrate,
};
