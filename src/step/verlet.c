/* Verlet with damping (the thesis S0): x' = x + (x − x_prev)(1 − k) + a h², second order.

   Stored as the equivalent leapfrog: v is the mean velocity of the last substep, (x − x_prev)/h, and lags by h/2. v ←
   v·keep + a (lag + h/2), x ← x + v h. The first substep has no lag and takes the half kick that starts Verlet at
   second order; a changed step size gives the time-corrected form. Steppers may be exchanged at any time because the
   lag is tracked. */
#include "step/explicit.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_explicit_move(system, (tl_integration){.before = h / 2, .h = h}, h / 2, system->low);
}

const tl_stepper_class tl_stepper_verlet = {
    .name = "verlet",
    .help = "Position from the two before it and the force; second order, keeps energy bounded; "
            "unstable for stiff fabrics below tens of thousands of substeps a second.",
    .schedule = "model integrate contact",
    .stable_angle = 2,
    .model = tl_explicit_model,
    .integrate = integrate,
};
