/* Implicit Euler with a Jacobian that never changes (S4 §4.2.3, after Desbrun, Schröder and Barr 1999, "Interactive
   animation of structured deformable objects"): the matrix of the elements is summed once, in the rest shape, as single
   numbers that no rotation changes. Theirs is the plain stiffness of springs, and momenta are put right behind the
   step. Ours is not below the true Hessian in any direction (step/sparse.h) and belongs to a step of Newton's method
   from the velocity before, or from rest where that has the lower potential: so the step cannot gain energy, keeps
   momentum by itself, and contact is solved with it as under implicit Euler. */
#include "core/trig.h"
#include "step/implicit.h"
#include "step/stepper.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_real *start = tl_implicit_start(system), *before = tl_implicit_before(system);
    tl_implicit_catch_up(system);
    tl_real keep = (tl_real)tl_exp(-(double)system->damping * (double)h);
    for (int i = 0; i < system->p.count; ++i)
        for (int c = 0; c < 3; ++c) {
            start[3 * i + c] = system->p.x[c][i];
            before[3 * i + c] = keep * system->p.v[c][i];
        }
    tl_implicit_solve(
        system, &(tl_implicit_step){.start = start, .before = before, .h = h, .push = h, .whole = h, .predict = true});
}

const tl_stepper_class tl_stepper_constant_jacobian = {
    .name = "constant-jacobian",
    .help = "Implicit Euler with a matrix made once in the rest shape; stable for any step, cheaper, stiffer in folds.",
    .schedule = "integrate contact",
    .solves_contact = true,
    .prepare = tl_implicit_prepare_frozen,
    .integrate = integrate,
};
