/* Angular momentum of a cloth that nothing holds, kept through a position-based substep.

   Constraints are forces between particles and cannot turn the whole. Gauss–Seidel sweeps do: each moves particles
   along a direction that the ones before have changed, which adds up to a torque that grows with the tension times the
   step. In a balloon it would never stop. The spin about the centre of mass, Σ m (x − c) × (v − V), is the same for
   x_old and for the predicted x, as the way between them is along v; what the sweeps add to it is taken out by a rigid
   turn. */
#ifndef TL_STEP_SPIN_H
#define TL_STEP_SPIN_H

#include "core/particles.h"

typedef struct tl_spin {
    bool known;
    double momentum[3]; /* kg m²/s, about the centre of mass */
} tl_spin;

/* Notes the spin of the predicted state; not known when a particle is held. */
void tl_spin_note(tl_spin *spin, const tl_particles *p);

/* Turns x about the centre of mass so that v = (x − x_old)/h has the noted spin again, and v with it. */
void tl_spin_restore(const tl_spin *spin, tl_particles *p, tl_real *const x_old[3], tl_real h);

#endif
