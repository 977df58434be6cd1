/* The constraints of the thesis S0: every element is projected to its rest state, scaled by 1 − loss, whatever its
   stiffness. Corrections are distributed by inverse mass (there by halves, the same for equal masses), which conserves
   momentum. Stiffness grows with the number of sweeps: its figures 4.7 and 4.8. */
#include "step/position.h"

static tl_position_rule rule_of(const tl_system *system, int element, tl_real h)
{
    (void)element;
    (void)h;
    return (tl_position_rule){.low = 1, .high = 1, .keep = 1 - system->position_settings.loss};
}

static void model(tl_system *system, tl_real h) { tl_position_solve(system, h, rule_of); }

const tl_stepper_class tl_stepper_projection = {
    .name = "projection",
    .help = "Every element is projected to its rest state in each sweep; stiffness grows with the sweeps, "
            "not with the material's numbers.",
    .schedule = "integrate (model)*iterations contact",
    .prepare = tl_position_prepare,
    .model = model,
    .integrate = tl_position_predict,
    .merges = true,
};
