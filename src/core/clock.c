/* Fixed steps, <telar/clock.h>. */
#include "telar/clock.h"

#include <math.h>

/* Fraction of a step by which rounding may miss it: 144 × 1/144 s is a second. */
#define ROUNDING 1e-6

tl_fixed_clock tl_fixed_clock_default(void) { return (tl_fixed_clock){.step = 1.0 / 60, .max_steps = 8}; }

int tl_fixed_clock_advance(tl_fixed_clock *clock, double seconds)
{
    if (seconds > 0 && isfinite(seconds))
        clock->left += seconds;
    double steps = floor(clock->left / clock->step + ROUNDING);
    clock->left = fmax(clock->left - steps * clock->step, 0);
    return steps < clock->max_steps ? (int)steps : clock->max_steps;
}

double tl_fixed_clock_blend(const tl_fixed_clock *clock) { return fmin(clock->left / clock->step, 1); }
