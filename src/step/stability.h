/* The longest substep in which a stepper that follows every wave of the cloth stays bounded. */
#ifndef TL_STEP_STABILITY_H
#define TL_STEP_STABILITY_H

#include "step/stepper.h"

/* The fastest motion of a cloth about its starting shape. */
typedef struct tl_stability {
    double frequency; /* rad/s, highest of the elements and the gas */
    double damping;   /* 1/s, highest rate of their damping */
} tl_stability;

/* Cost: some forty evaluations of the forces. */
tl_result tl_stability_measure(tl_system *system, tl_stability *stability, tl_error *error);

/* s; INFINITY for steppers that are stable in any substep. */
double tl_stability_step(const tl_stability *stability, const tl_stepper_class *stepper);

#endif
