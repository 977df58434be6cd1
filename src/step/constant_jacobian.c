/* Implicit Euler with a constant Jacobian (the thesis S4, §4.2.3, after Desbrun, Schröder and Barr 1999, "Interactive
   animation of structured deformable objects"): the matrix of the elements is summed once, in the rest shape, as
   rotation-invariant scalars. Theirs is the plain spring stiffness, with momentum corrected after the step. Ours bounds
   the true Hessian from above in every direction (step/sparse.h) and is used in a Newton step from the previous
   velocity, or from rest where that has the lower potential: the step cannot gain energy, conserves momentum by itself,
   and contact is solved with it as under implicit Euler. Cloth that meets nothing is solved with a factor of the matrix
   that lasts as long as the step, the parameters and the pins (step/implicit_direct.c). */
#include "step/implicit.h"
#include "step/stepper.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_implicit_euler(system, h, (tl_implicit_step){.predict = true});
}

const tl_stepper_class tl_stepper_constant_jacobian = {
    .name = "constant-jacobian",
    .help = "Implicit Euler with a matrix assembled once in the rest shape; stable for any step, cheaper; drapes "
            "stiffer than the fabric, sags less and slower.",
    .schedule = "integrate contact",
    .substep_rate = TL_IMPLICIT_RATE,
    .solves_contact = true,
    .prepare = tl_implicit_prepare_factored,
    .integrate = integrate,
};
