/* BDF2, the second-order backward difference: with the states now (n) and one substep ago (n−1)
     x' = x* + ⅔ h v',  v' = v* + ⅔ h f(x', v')/m,  x* = (4 x_n − x_{n−1})/3,  v* likewise from v.
   Second order and far less dissipative than implicit Euler, equally stable for stiff cloth (Choi and Ko 2002, "Stable
   but responsive cloth"). External changes of position or velocity since the last substep are applied to the history as
   well, so that only the acceleration of the last substep carries over. When the substep length changes, and at the
   start, v' is that of implicit Euler and x' = x + h (v + v')/2, which costs no order. */
#include "contact/body/contact_constraint.h"
#include "core/trig.h"
#include "step/implicit.h"
#include "step/stepper.h"

#include <string.h>

static tl_result prepare(tl_system *system, tl_error *error)
{
    for (int k = 0; k < TL_HISTORY; ++k)
        if (!system->history[k] && !(system->history[k] = tl_system_array(system)))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for the history of bdf2");
    return tl_implicit_prepare(system, error);
}

/* Change by contact, pins or the user since the last substep. The history takes it over and keeps the acceleration: x −
   x_past grows by h times the change of v. */
static tl_real changed(const tl_system *system, int k, const tl_real *now, int i)
{
    return now[i] - system->history[k][i];
}

/* A contact impulse is no acceleration that carries over: the history becomes uniform motion along the normal, and in
   all directions for a particle that sticks. */
static void remove_impacts(tl_system *system, tl_real h)
{
    const tl_contact_constraint *contact;
    bool sticks;
    for (int k = 0; (contact = tl_implicit_constraint(system, k, &sticks)); ++k) {
        int i = contact->particle;
        if (!(tl_dot(contact->impulse, contact->impulse) > 0) || contact->effective_mass > 0)
            continue;
        tl_vec3 v = tl_at(system->p.v, i), x = tl_at(system->p.x, i), n = contact->normal;
        tl_vec3 past_v = tl_at(system->history + TL_PAST_V, i), past_x = tl_at(system->history + TL_PAST_X, i);
        tl_vec3 change_v = tl_sub(v, past_v), change_x = tl_sub(tl_madd(x, v, -h), past_x);
        if (!sticks) {
            change_v = tl_scale(n, tl_dot(change_v, n));
            change_x = tl_scale(n, tl_dot(change_x, n));
        }
        tl_put(system->history + TL_PAST_V, i, tl_add(past_v, change_v));
        tl_put(system->history + TL_PAST_X, i, tl_add(past_x, change_x));
    }
}

static void integrate(tl_system *system, tl_real h)
{
    tl_real *start = tl_implicit_start(system), *before = tl_implicit_before(system);
    tl_implicit_catch_up(system);
    tl_real keep = (tl_real)tl_exp(-(double)system->damping * (double)h);
    bool even = !(system->history_step < h) && !(system->history_step > h);
    for (int i = 0; i < system->p.count; ++i) {
        for (int c = 0; c < 3; ++c) {
            tl_real x = system->p.x[c][i], v = system->p.v[c][i];
            tl_real dx = changed(system, TL_LEFT_X + c, system->p.x[c], i),
                    dv = changed(system, TL_LEFT_V + c, system->p.v[c], i);
            tl_real past_x = system->history[TL_PAST_X + c][i] + dx - h * dv;
            tl_real past_v = keep * (system->history[TL_PAST_V + c][i] + dv); /* after damping */
            start[TL_STRIDE * i + c] = even ? x + (x - past_x) / 3 : x + h / 2 * v;
            before[TL_STRIDE * i + c] = keep * (even ? v + (v - past_v) / 3 : v);
            system->history[TL_PAST_X + c][i] = x;
            system->history[TL_PAST_V + c][i] = v;
        }
    }
    system->history_step = h;
    tl_real part = 2 * h / 3;
    tl_implicit_solve(system, &(tl_implicit_step){.start = start,
                                                  .before = before,
                                                  .h = even ? part : h / 2,
                                                  .push = even ? part : h,
                                                  .whole = h,
                                                  .keep = keep});
    remove_impacts(system, h);
    for (int c = 0; c < 3; ++c) {
        memcpy(system->history[TL_LEFT_X + c], system->p.x[c], (size_t)system->p.count * sizeof(tl_real));
        memcpy(system->history[TL_LEFT_V + c], system->p.v[c], (size_t)system->p.count * sizeof(tl_real));
    }
}

const tl_stepper_class tl_stepper_bdf2 = {
    .name = "bdf2",
    .help = "Implicit with two steps behind it; stable for stiff cloth, second order, keeps more energy than "
            "implicit-euler.",
    .schedule = "integrate contact",
    .substep_rate = TL_IMPLICIT_RATE,
    .solves_contact = true,
    .linearizes = true,
    .multistep = true,
    .prepare = prepare,
    .integrate = integrate,
};
