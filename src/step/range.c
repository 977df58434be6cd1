/* The constraints of the thesis S4: external forces are explicit, and link lengths are kept within a range in which no
   force acts. Bending links are only bounded from above, and elements other than links are solved as by projection. */
#include "step/position.h"

static tl_position_rule rule_of(const tl_system *system, int element, tl_real h)
{
    (void)h;
    /* bending brings the ends of these links together: only their stretch counts */
    bool bend = system->batch[element].kind->resists == TL_RESISTS_BEND;
    return (tl_position_rule){
        .low = bend ? 0 : system->position_settings.range_low, .high = system->position_settings.range_high, .keep = 1};
}

static void model(tl_system *system, tl_real h) { tl_position_solve(system, h, rule_of); }

const tl_stepper_class tl_stepper_range = {
    .name = "range",
    .help = "Link lengths are kept within a range, and no force acts inside it; stiffness is not the material's.",
    .schedule = "integrate (model)*iterations contact",
    .prepare = tl_position_prepare,
    .model = model,
    .integrate = tl_position_predict,
    .merges = true,
};
