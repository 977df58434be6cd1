/* BDF2, the second backward difference: with the states now (n) and one substep ago (n−1)
     x' = x* + ⅔ h v',  v' = v* + ⅔ h f(x', v')/m,  x* = (4 x_n − x_{n−1})/3,  v* the same of v.
   Second order and far less dissipative than implicit Euler, as stable for stiff cloth (Choi and Ko 2002, "Stable but
   responsive cloth"). A particle whose place or speed was changed since the last substep, by contact, a pin, the user
   or another stepper, has no past that counts: it takes a step as if it had moved evenly. When the length of the
   substep changes, and at first, all cloth takes v' of implicit Euler and x' = x + h (v + v')/2, which costs no order. */
#include "core/trig.h"
#include "step/implicit.h"
#include "step/stepper.h"

#include <string.h>

static tl_result prepare(tl_system *system, tl_error *error)
{
    for (int k = 0; k < TL_HISTORY; ++k)
        if (!system->history[k] && !(system->history[k] = tl_system_array(system)))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for the past of bdf2");
    return tl_implicit_prepare(system, error);
}

/* history: x and v one substep ago, then x and v as this stepper left them. */
enum { PAST_X = 0, PAST_V = 3, LEFT_X = 6, LEFT_V = 9 };

static bool went_on(const tl_system *system, int i)
{
    bool same = true;
    for (int c = 0; c < 3; ++c)
        same = same && memcmp(&system->history[LEFT_X + c][i], &system->p.x[c][i], sizeof(tl_real)) == 0 &&
               memcmp(&system->history[LEFT_V + c][i], &system->p.v[c][i], sizeof(tl_real)) == 0;
    return same;
}

static void integrate(tl_system *system, tl_real h)
{
    tl_real *start = tl_implicit_start(system), *before = tl_implicit_before(system);
    tl_implicit_catch_up(system);
    tl_real keep = (tl_real)tl_exp(-(double)system->damping * (double)h);
    bool even = !(system->history_step < h) && !(system->history_step > h);
    for (int i = 0; i < system->p.count; ++i) {
        bool known = even && went_on(system, i);
        for (int c = 0; c < 3; ++c) {
            tl_real x = system->p.x[c][i], v = system->p.v[c][i];
            tl_real past_x = known ? system->history[PAST_X + c][i] : x - h * v;
            tl_real past_v = known ? keep * system->history[PAST_V + c][i] : v; /* as the cloth's damping left it */
            start[3 * i + c] = even ? x + (x - past_x) / 3 : x + h / 2 * v;
            before[3 * i + c] = keep * (even ? v + (v - past_v) / 3 : v);
            system->history[PAST_X + c][i] = x;
            system->history[PAST_V + c][i] = v;
        }
    }
    system->history_step = h;
    tl_implicit_solve(system, &(tl_implicit_step){start, before, even ? 2 * h / 3 : h / 2, even ? 2 * h / 3 : h, h});
    for (int c = 0; c < 3; ++c) {
        memcpy(system->history[LEFT_X + c], system->p.x[c], (size_t)system->p.count * sizeof(tl_real));
        memcpy(system->history[LEFT_V + c], system->p.v[c], (size_t)system->p.count * sizeof(tl_real));
    }
}

const tl_stepper_class tl_stepper_bdf2 = {
    .name = "bdf2",
    .help = "Implicit with two steps behind it; stable for stiff cloth, second order, keeps more energy than "
            "implicit-euler.",
    .schedule = "integrate contact",
    .prepare = prepare,
    .integrate = integrate,
};
