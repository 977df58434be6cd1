/* What the position-based steppers share: predict positions, move them until the constraints hold, take the velocity
   from the way gone (Müller et al. 2007, "Position based dynamics"). They differ in what a constraint asks for:
   projection (S0), range (S4), xpbd (compliance from the physical stiffness). */
#ifndef TL_STEP_POSITION_H
#define TL_STEP_POSITION_H

#include "step/stepper.h"

/* How a stepper wants one element solved during a substep of h seconds. */
typedef struct tl_position_rule {
    tl_real low, high;  /* 1, accepted share of a link's rest length */
    tl_real compliance; /* 1/(k h²); 0 is rigid */
    tl_real damping;    /* d/(k h) */
    tl_real keep;       /* 1, share of a correction that is done */
} tl_position_rule;

typedef tl_position_rule tl_position_rule_of(const tl_system *system, int element, tl_real h);

/* Stage "integrate": external forces only, x ← x + v h. */
void tl_position_predict(tl_system *system, tl_real h);

/* Stage "model": tethers and coarse levels once a substep, one sweep over all elements, then v = (x − x_old)/h. */
void tl_position_solve(tl_system *system, tl_real h, tl_position_rule_of *rule_of);

tl_result tl_position_prepare(tl_system *system, tl_error *error);
void tl_position_destroy(tl_system *system);

#endif
