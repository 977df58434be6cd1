/* Kinematic form (the thesis S2): x ← x + v h + a h²/2, v ← v + a h, the path under a force that is constant during the
   substep. */
#include "step/explicit.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_explicit_move(system, (tl_integration){.h = h, .square = h * h / 2, .after = h}, 0, system->low);
}

const tl_stepper_class tl_stepper_kinematic = {
    .name = "kinematic",
    .help = "Position by velocity and half the squared step of the force; first order in velocity, gains energy; "
            "stiff fabrics need tens of thousands of substeps a second.",
    .schedule = "model integrate contact",
    .stable_angle = 1.8,
    .gain = 0.6,
    .model = tl_explicit_model,
    .integrate = integrate,
};
