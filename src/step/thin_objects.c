/* Implicit Euler at linear cost, for thin objects (the thesis S4, §4.2.4, after Kang, Choi, Cho and Lee 2000,
   "Real-time animation technique for flexible and thin objects"): each velocity is computed from those that its
   neighbours would have on their own, Δv_i = (h f_i + h² Σ k Δv_j)/(m_i + h² Σ k). These are two Jacobi iterations on
   the matrix of step/constant_jacobian.c; with a diagonal of at least half the row sum they move towards the solution
   without overshooting, and cannot gain energy where it does not. Motion propagates two cells per step: fine cloth
   stretches under its weight and needs a strain limit. */
#include "step/implicit.h"
#include "step/stepper.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_implicit_euler(system, h, (tl_implicit_step){.predict = true, .linear = true});
}

const tl_stepper_class tl_stepper_thin_objects = {
    .name = "thin-objects",
    .help = "Implicit Euler approximated at linear cost; softer than the fabric, stretches unless strain_limit.on "
            "holds it.",
    .schedule = "integrate contact",
    .solves_contact = true,
    .prepare = tl_implicit_prepare_frozen,
    .integrate = integrate,
};
