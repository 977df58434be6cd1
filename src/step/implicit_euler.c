/* Implicit Euler: v' = v + h f(x', v')/m, x' = x + h v' (Baraff and Witkin 1998). First order, dissipative, stable for
   any step; method in step/implicit.h. */
#include "step/implicit.h"
#include "step/stepper.h"

static void integrate(tl_system *system, tl_real h) { tl_implicit_euler(system, h, (tl_implicit_step){0}); }

const tl_stepper_class tl_stepper_implicit_euler = {
    .name = "implicit-euler",
    .help = "Velocity from the force at the end of the step, all particles at once; stable for any step, first order, "
            "loses energy: cloth swings less than it would.",
    .schedule = "integrate contact",
    .substep_rate = TL_IMPLICIT_RATE,
    .solves_contact = true,
    .linearizes = true,
    .prepare = tl_implicit_prepare,
    .integrate = integrate,
};
