/* Explicit Euler: x ← x + v h, v ← v + a h with a at the start. First order; gains energy in every oscillation. For
   comparison. */
#include "step/explicit.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_explicit_move(system, (tl_integration){.h = h, .after = h}, 0, system->low);
}

const tl_stepper_class tl_stepper_explicit_euler = {
    .name = "explicit-euler",
    .help = "Position by the old velocity, velocity by the old force; first order, gains energy; "
            "stiff fabrics need tens of thousands of substeps a second.",
    .schedule = "model integrate contact",
    .stable_angle = 1.6,
    .gain = 1.2,
    .model = tl_explicit_model,
    .integrate = integrate,
};
