/* Shared by the position-based steppers: predict positions, project them onto the constraints, derive the velocity from
   the displacement (Müller et al. 2007, "Position based dynamics"). They differ in the constraints: projection,
   range, xpbd (compliance from the physical stiffness). */
#ifndef TL_STEP_POSITION_H
#define TL_STEP_POSITION_H

#include "step/stepper.h"

/* How an element is solved during a substep of h seconds. */
typedef struct tl_position_rule {
    tl_real low, high;  /* 1, accepted range of length over rest length of a link */
    tl_real compliance; /* 1/(k h²); 0 is rigid */
    tl_real damping;    /* d/(k h) */
    tl_real keep;       /* 1, fraction of a correction that is applied */
} tl_position_rule;

typedef tl_position_rule tl_position_rule_of(const tl_system *system, int element, tl_real h);

/* Stage "integrate": external forces only, x ← x + v h. */
void tl_position_predict(tl_system *system, tl_real h);

/* Stage "model": tethers or coarse levels once per substep, one sweep over all elements, then v = (x − x_old)/h. */
void tl_position_solve(tl_system *system, tl_real h, tl_position_rule_of *rule_of);

tl_result tl_position_prepare(tl_system *system, tl_error *error);
void tl_position_destroy(tl_system *system);

#endif
