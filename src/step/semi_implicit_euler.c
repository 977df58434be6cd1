/* Semi-implicit (symplectic) Euler: v ← v + a h, then x ← x + v h with the new velocity. First order, no
   drift of energy. */
#include "step/explicit.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_explicit_move(system, (tl_integration){.before = h, .h = h}, 0, system->low);
}

const tl_stepper_class tl_stepper_semi_implicit_euler = {
    .name = "semi-implicit-euler",
    .help = "Velocity by the old force, position by the new velocity; first order, keeps energy bounded; "
            "unstable for stiff fabrics below tens of thousands of substeps a second.",
    .schedule = "model integrate contact",
    .stable_angle = 2,
    .model = tl_explicit_model,
    .integrate = integrate,
};
