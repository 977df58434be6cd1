/* Conserves the angular momentum of unpinned cloth through a position-based substep.

   Constraints are internal forces and cannot rotate the whole. Gauss–Seidel sweeps do: each correction follows a
   direction that earlier ones have changed, which adds up to a torque proportional to tension times step. A balloon
   would spin up forever. The spin about the centre of mass, Σ m (x − c) × (v − V), is the same for x_old and for the
   predicted x, as the displacement between them is along v; the spin added by the sweeps is removed by a rigid
   rotation. */
#ifndef TL_STEP_SPIN_H
#define TL_STEP_SPIN_H

#include "core/particles.h"

typedef struct tl_spin {
    bool known;
    double momentum[3]; /* kg m²/s, about the centre of mass */
} tl_spin;

/* Records the spin of the predicted state; not known when a particle is pinned. */
void tl_spin_record(tl_spin *spin, const tl_particles *p);

/* Rotates x about the centre of mass so that v = (x − x_old)/h has the recorded spin again, and v with it. */
void tl_spin_restore(const tl_spin *spin, tl_particles *p, tl_real *const x_old[3], tl_real h);

#endif
