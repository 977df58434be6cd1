/* XPBD with small substeps: constraints with the compliance 1/(k h²) of the physical stiffness k and its damping, so
   that the same numbers give the same cloth whatever the step.

   Macklin, Müller, Chentanez 2016, "XPBD: position-based simulation of compliant constrained dynamics"; Macklin et al.
   2019, "Small steps in physics simulation". */
#include "step/position.h"

static tl_position_rule rule_of(const tl_system *system, int element, tl_real h)
{
    tl_real k = system->batch[element].stiffness, d = system->batch[element].damping;
    tl_position_rule rule = {.low = 1, .high = 1, .keep = 1};
    if (!(k > 0)) { /* no stiffness: no constraint */
        rule.keep = 0;
        return rule;
    }
    rule.compliance = 1 / (k * h * h);
    rule.damping = d / (k * h);
    return rule;
}

static void model(tl_system *system, tl_real h) { tl_position_solve(system, h, rule_of); }

const tl_stepper_class tl_stepper_xpbd = {
    .name = "xpbd",
    .help = "Constraints with the compliance of the physical stiffness, in small substeps; stable, holds fine cloth "
            "together; softer than the fabric unless substeps are many.",
    .schedule = "integrate (model)*iterations contact",
    .prepare = tl_position_prepare,
    .holds_length = true,
    .model = model,
    .integrate = tl_position_predict,
    .merges = true,
};
