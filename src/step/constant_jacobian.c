/* Implicit Euler with a Jacobian that never changes (S4 §4.2.3, after Desbrun, Schröder and Barr 1999, "Interactive
   animation of structured deformable objects"): the matrix of the elements is summed once, in the rest shape, as single
   numbers that no rotation changes. Theirs is the plain stiffness of springs, and momenta are put right behind the
   step. Ours is not below the true Hessian in any direction (step/sparse.h) and belongs to a step of Newton's method
   from the velocity before, or from rest where that has the lower potential: so the step cannot gain energy, keeps
   momentum by itself, and contact is solved with it as under implicit Euler. */
#include "step/implicit.h"
#include "step/stepper.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_implicit_euler(system, h, (tl_implicit_step){.predict = true});
}

const tl_stepper_class tl_stepper_constant_jacobian = {
    .name = "constant-jacobian",
    .help = "Implicit Euler with a matrix made once in the rest shape; stable for any step, cheaper, stiffer in folds.",
    .schedule = "integrate contact",
    .solves_contact = true,
    .prepare = tl_implicit_prepare_frozen,
    .integrate = integrate,
};
