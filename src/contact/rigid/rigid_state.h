/* State of a rigid body and impacts at a point: between a particle and a body, or two bodies. */
#ifndef TL_CONTACT_RIGID_RIGID_STATE_H
#define TL_CONTACT_RIGID_RIGID_STATE_H

#include "core/vec.h"

/* Combined coefficient of friction: the product, and 0 when either is 0 even if the other is infinite. */
static inline tl_real tl_friction_between(tl_real a, tl_real b) { return a > 0 && b > 0 ? a * b : 0; }

/* A body or particle that contact may accelerate. Static and kinematic ones have inverse_mass and inverse_inertia 0. */
typedef struct tl_rigid_state {
    tl_vec3 velocity;        /* m/s, of the centre of mass */
    tl_vec3 spin;            /* rad/s */
    tl_real inverse_mass;    /* 1/kg */
    tl_vec3 inverse_inertia; /* 1/(kg m²), about its own axes */
    tl_quat rotation;        /* of those axes */
} tl_rigid_state;

typedef struct tl_impact {
    tl_vec3 normal;       /* unit, out of b towards a */
    tl_vec3 arm_a, arm_b; /* m, from the centres of mass to the point */
    tl_real restitution, friction;
    tl_real rest_speed; /* m/s; below this normal speed there is no bounce */
} tl_impact;

tl_vec3 tl_rigid_velocity_at(const tl_rigid_state *state, tl_vec3 arm);
/* Change of velocity along `direction` at the end of the arm per unit impulse along it, 1/kg. */
tl_real tl_rigid_inverse_mass_at(const tl_rigid_state *state, tl_vec3 arm, tl_vec3 direction);
/* Applies an impulse at the end of the arm, N·s. */
void tl_rigid_apply_impulse(tl_rigid_state *state, tl_vec3 arm, tl_vec3 impulse);

/* Newton's law of impact with Coulomb friction: afterwards the two separate with `restitution` times the normal
   speed of approach, and the slip is stopped, or reduced by `friction` times the normal impulse. Both velocities and
   spins change at once by the same impulse, which is returned as received by a, N·s; zero when they do not approach. */
tl_vec3 tl_rigid_impact(tl_rigid_state *a, tl_rigid_state *b, const tl_impact *m);

#endif
