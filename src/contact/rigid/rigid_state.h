/* Exchange of momentum between two things that meet in a point: a particle and a body, or two bodies. */
#ifndef TL_CONTACT_EXCHANGE_H
#define TL_CONTACT_EXCHANGE_H

#include "core/vec.h"

/* Friction of two partners: what has none slips on everything, also on what holds fast (∞). */
static inline tl_real tl_friction_between(tl_real a, tl_real b) { return a > 0 && b > 0 ? a * b : 0; }

/* Something that a contact may set in motion. What nothing moves has inverse_mass and inverse_inertia 0. */
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

tl_vec3 tl_rigid_velocity_at(const tl_rigid_state *mover, tl_vec3 arm);
/* Change of velocity along `direction` at the end of the arm by a unit impulse along it, 1/kg. */
tl_real tl_rigid_inverse_mass_at(const tl_rigid_state *mover, tl_vec3 arm, tl_vec3 direction);
/* What an impulse at the end of the arm does, N·s. */
void tl_rigid_apply_impulse(tl_rigid_state *mover, tl_vec3 arm, tl_vec3 impulse);

/* Newton's law of impact with Coulomb friction: afterwards the two part with `restitution` times the normal speed at
   which they met, and the slip is stopped, or slowed down by `friction` times the normal impulse. Both velocities and
   spins change at once by the same impulse, which is returned as what a received, N·s; zero when they do not approach.
 */
tl_vec3 tl_rigid_impact(tl_rigid_state *a, tl_rigid_state *b, const tl_impact *m);

#endif
