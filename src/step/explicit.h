/* Shared by the four steppers with one force evaluation. */
#ifndef TL_STEP_EXPLICIT_H
#define TL_STEP_EXPLICIT_H

#include "step/kernels.h"
#include "step/stepper.h"

/* Stage "model" of every stepper with one force evaluation per substep. */
void tl_explicit_model(tl_system *system, tl_real h);

/* Moves all particles with one kernel. Fills in `numbers.keep` from the cloth's damping and corrects for velocity lag,
   so that steppers can be exchanged between any two substeps; afterwards v lags by `lag`. Positions are the sum of p.x
   and `low` (tl_system.low), or p.x alone when it is NULL. */
void tl_explicit_move(tl_system *system, tl_integration numbers, tl_real lag, tl_real *const *low);

#endif
