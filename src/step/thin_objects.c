/* Implicit Euler at linear cost, for thin objects (S4 §4.2.4, after Kang, Choi, Cho and Lee 2000, "Real-time animation
   technique for flexible and thin objects"): each velocity is worked out from those that the neighbours would have by
   themselves, Δv_i = (h f_i + h² Σ k Δv_j)/(m_i + h² Σ k). Those are two rounds of Jacobi's method on the matrix of
   step/constant_jacobian.c; with a diagonal that is not below half its row they go a part of the way that the solution
   goes, and cannot gain energy where that does not. Motion spreads by two cells in a step: fine cloth stretches under
   its weight and wants a strain limit. */
#include "step/implicit.h"
#include "step/stepper.h"

static void integrate(tl_system *system, tl_real h)
{
    tl_implicit_euler(system, h, (tl_implicit_step){.predict = true, .linear = true});
}

const tl_stepper_class tl_stepper_thin_objects = {
    .name = "thin-objects",
    .help =
        "Implicit Euler approximated at linear cost; stable for any step, stretches unless strain_limit.on holds it.",
    .schedule = "integrate contact",
    .solves_contact = true,
    .prepare = tl_implicit_prepare_frozen,
    .integrate = integrate,
};
