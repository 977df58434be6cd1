/* Shared by the implicit steppers: one step of a whole cloth, contact included.

   The end velocity u solves  M (u − v*) = h f(x* + h u, u). Implicit Euler has x* = x, v* = v; BDF2 has others and a
   shorter h. Newton's method linearises at a guess w (initially w = 0, the step of Baraff and Witkin 1998, "Large steps
   in cloth simulation"): A u = M v* + h f(x_w, w) + (A − M) w,   A = M + h D + h² K, with D and K the elements' damping
   matrices and Hessians, the latter without their indefinite parts. Damping acts on the elements' own conditions and
   leaves rotations alone. Gravity, air and user forces are those of the start.

   A is solved by preconditioned conjugate gradients with constrained directions filtered out exactly (their modified
   PCG with the start of Ascher and Boxerman 2003, "On the modified conjugate gradient method in cloth simulation"): all
   three of a pinned particle, all three of one that sticks to a body, the normal of one that slides. An active-set
   method finds which contacts press, stick or slide: the constraint impulse A u − b must push, and its tangential part
   must stay inside the friction cone; a particle that would enter a body becomes active. */
#ifndef TL_STEP_IMPLICIT_H
#define TL_STEP_IMPLICIT_H

#include "step/system.h"

/* Vectors of the solve have three numbers per particle and a 0. */
enum { TL_STRIDE = 4 };

static inline tl_vec3 tl_stride_at(const tl_real *a, int i)
{
    a += TL_STRIDE * (ptrdiff_t)i;
    return tl_v3(a[0], a[1], a[2]);
}
static inline void tl_stride_put(tl_real *a, int i, tl_vec3 value)
{
    a += TL_STRIDE * (ptrdiff_t)i;
    a[0] = value.x;
    a[1] = value.y;
    a[2] = value.z;
}

tl_result tl_implicit_prepare(tl_system *system, tl_error *error);
/* The same with a constant matrix (step/sparse.h, frozen) … */
tl_result tl_implicit_prepare_frozen(tl_system *system, tl_error *error);
/* … that is factored when it has not changed for a step (step/cholesky.h). */
tl_result tl_implicit_prepare_factored(tl_system *system, tl_error *error);
void tl_implicit_destroy(tl_system *system);

/* Brings lagging velocities (Verlet's) to the current time. */
void tl_implicit_catch_up(tl_system *system);

/* One step x' = x* + h u, M (u − v*) = push f(x', u): `start` is x*, `before` is v* (TL_STRIDE numbers per particle),
   `whole` the substep over which bodies and pinned particles move. Sets p.x and p.v. */
typedef struct tl_implicit_step {
    const tl_real *start, *before;
    tl_real h, push, whole;
    tl_real keep; /* 1, of the velocities after damping */
    bool predict; /* linearise at w = v* where that is a better start than rest */
    bool linear;  /* two Jacobi iterations instead of a full solve: cost linear in the particles */
} tl_implicit_step;
void tl_implicit_solve(tl_system *system, const tl_implicit_step *step);

/* One step of implicit Euler over h seconds: x* = x, v* = damped v. `how` sets the rest. */
void tl_implicit_euler(tl_system *system, tl_real h, tl_implicit_step how);

/* Arrays of TL_STRIDE numbers per particle for x* and v*; the fourth stays 0. */
tl_real *tl_implicit_start(tl_system *system);
tl_real *tl_implicit_before(tl_system *system);

/* The contact constraints of the last step; active ones have an impulse. `sticks`: the particle moved with its body. */
const tl_contact_constraint *tl_implicit_constraint(tl_system *system, int k, bool *sticks); /* NULL past the last */

/* Particle i may leave the surface along whose plane it moves, or on which it sticks. Returns that constraint, and the
   impulse by which it pressed, N·s; NULL where none holds particle i. */
const tl_contact_constraint *tl_implicit_let_go(tl_system *system, int i, tl_real *pressed);
/* Afterwards: the surface pushes with another impulse, 0 when the particle has left it. */
void tl_implicit_pushed(tl_system *system, int i, tl_real push);

/* Access to the matrix of the last step (step/layer_contact.h): product, filter of the constrained directions, the h by
   which a velocity change moves positions, and its vectors, the first eight of which are unused until the next step. */
void tl_implicit_times(tl_system *system, const tl_real *in, tl_real *out);
/* How far particle i alone yields along a unit direction, 1/kg; 0 when it is held. To be asked before … */
tl_real tl_implicit_compliance(const tl_system *system, int i, tl_vec3 direction);
/* … a preconditioner from the diagonal blocks, with a symmetric matrix added to each: xx yy zz in `same`, xy yz zx in
   `mixed`. */
void tl_implicit_condition_with(tl_system *system, const tl_real *same, const tl_real *mixed);
void tl_implicit_condition(tl_system *system, const tl_real *in, tl_real *out);
void tl_implicit_filter(const tl_system *system, tl_real *a);
bool tl_implicit_is_unconstrained(const tl_system *system); /* no particle is constrained */
tl_real tl_implicit_position_step(const tl_system *system);
/* Of the last step: the time by which forces changed velocities, s, and what its solution left of A u = b, N·s, valid
   until the layers' contact is solved. */
tl_real tl_implicit_push(const tl_system *system);
const tl_real *tl_implicit_residual(const tl_system *system);
tl_real *const *tl_implicit_vectors(tl_system *system);
int *tl_implicit_group(tl_system *system); /* a number for the caller */

/* Conjugate gradient iterations since last set to 0. */
int *tl_implicit_iterations(tl_system *system);

#endif
