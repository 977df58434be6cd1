/* What the two halves of the implicit step share: its state, the solution of its system (step/implicit.c), and contact
   within that (step/implicit_contact.c). For these two alone. */
#ifndef TL_STEP_IMPLICIT_STATE_H
#define TL_STEP_IMPLICIT_STATE_H

#include "contact/body/body_contacts.h"
#include "step/implicit.h"
#include "step/multigrid.h"
#include "step/sparse.h"

/* A touch of a dynamic body that presses YIELDS: its particle carries a share of that mass along the normal. */
typedef enum tl_constraint_state { OFF, STICKS, SLIDES, YIELDS } tl_constraint_state;

enum {
    RHS,
    LOADED,
    RESIDUAL,
    DIRECTION,
    IMAGE,
    CONDITIONED,
    GUESS,
    FOUND,
    OUTSIDE,
    START,
    BEFORE,
    OLD_X,
    OLD_V,
    GAS, /* ∇V, of a cloth filled with gas */
    VECTORS
};

struct tl_implicit {
    tl_sparse sparse;
    tl_multigrid *multigrid;  /* NULL unless it is the preconditioner */
    bool coarse;              /* its matrices are of the present one */
    tl_real *vector[VECTORS]; /* TL_STRIDE numbers per particle */
    unsigned char *held;      /* per particle: 1 held or sticking, 2 sliding */
    tl_contact_constraint *constraint;
    tl_vec3 *target;         /* per constraint: end velocity asked for, m/s */
    tl_real *drag;           /* per constraint that slides, N·s over m/s */
    unsigned char *state;    /* per constraint */
    unsigned char *released; /* per constraint: it has left its surface in this round */
    unsigned char *stuck;    /* per constraint: it slid in this round and was made to stick */
    int *constraint_of;      /* per particle, where held is 2 */
    tl_vec3 *normal;         /* the same: of that constraint */
    int constraint_count, unsettled, iterations;
    tl_real reach;         /* s, h of the last step */
    tl_real gas_stiffness; /* of the gas's part of the matrix, gas_stiffness ∇V ∇Vᵀ */
};

/* step/implicit.c: solves A u = b over the free directions; u holds the constrained ones already, and a guess. `scale`
   is the square of what counts as one in the tolerance; as good is a residual of `share` times the first one. */
void tl_implicit_conjugate(tl_system *system, const tl_real *b, tl_real *u, double scale, double share);
/* Two rounds of Jacobi's method on A u = b from u. */
void tl_implicit_relax(tl_system *system, const tl_real *b, tl_real *u);

/* step/implicit_contact.c: asks the world what may be touched, and where each touch wants its particle to go: along
   with the surface, and onto it. */
void tl_implicit_find_constraints(tl_system *system, const tl_implicit_step *step);
/* Writes the constrained directions into u and marks them for the filter. */
void tl_implicit_constrain(tl_system *system, const tl_implicit_step *step, tl_real *u);
/* What slid in the last step goes on sliding at first. `b` is the momentum that the step wants without contact. */
void tl_implicit_guess_slides(tl_system *system, const tl_real *b);
/* Solves with contact: passes until no touch changes. */
void tl_implicit_solve_in_contact(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u,
                                  double scale);
/* What a body's share adds to its particle's mass. */
tl_real tl_implicit_weight(const tl_implicit_step *step, const tl_contact_constraint *touch);
/* A touch closes its gap by moving the particle; that way is no speed it keeps. */
void tl_implicit_stop_at_surfaces(tl_system *system);

#endif
