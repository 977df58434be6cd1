/* State of the implicit step, private to its two halves: the linear solve (step/implicit.c) and the contact in it
   (step/implicit_contact.c). */
#ifndef TL_STEP_IMPLICIT_STATE_H
#define TL_STEP_IMPLICIT_STATE_H

#include "contact/body/body_contacts.h"
#include "step/cholesky.h"
#include "step/implicit.h"
#include "step/multigrid.h"
#include "step/sparse.h"

/* What holds a particle: nothing, a pin or a surface on which it sticks, one on which it slides; the last two when it
   may leave that (tl_implicit_let_go). */
enum { FREE, HELD, GUIDED, LET_GO_STUCK, LET_GO };

/* An active contact with a dynamic body YIELDS: its particle carries a fraction of that mass along the normal. */
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
    tl_multigrid *multigrid;    /* NULL unless it is the preconditioner */
    bool coarse;                /* its matrices are those of the present one */
    tl_cholesky *cholesky;      /* NULL unless the stepper solves directly what meets nothing */
    uint64_t factored;          /* which matrix it holds, by its hash; 0: none */
    bool is_definite;           /* that could be factored */
    tl_real *vector[VECTORS];   /* TL_STRIDE numbers per particle */
    unsigned char *constrained; /* per particle: FREE … */
    tl_contact_constraint *constraint;
    tl_vec3 *target;         /* per constraint: target end velocity, m/s */
    tl_vec3 *heading;        /* per sliding constraint: unit direction of its slip */
    tl_real *speed;          /* the same: m/s of it; 0: not known yet */
    tl_real *brake;          /* the same: N·s, Coulomb's impulse */
    tl_real *drag;           /* the same: N·s over m/s, where friction is a drag */
    tl_real *pressed;        /* per constraint: N·s along its normal, as the solution has it */
    tl_real *stopped;        /* the same: m/s that it had on its way to the surface, and was stopped */
    unsigned char *state;    /* per constraint */
    unsigned char *released; /* per constraint: was deactivated in this Newton iteration */
    unsigned char *stuck;    /* per constraint: changed from sliding to sticking in this Newton iteration */
    int *constraint_of;      /* per particle, where a surface holds or guides it */
    tl_vec3 *normal;         /* the same: of that constraint */
    int constraint_count, unconverged, iterations;
    double reference;      /* of the tolerance in this step, squared; 0: that of the next residual, from … */
    double gained, least;  /* … what the start took away, and the least */
    int group;             /* of cloths in contact with each other (step/layer_contact.c) */
    tl_real position_step; /* s, h of the last step */
    tl_real push;          /* s, the same of forces */
    tl_real gas_stiffness; /* of the gas term of the matrix, gas_stiffness ∇V ∇Vᵀ */
};

/* step/implicit.c: solves A u = b over the free directions; u holds the constrained ones already, and a guess.
   The tolerance is `looser` times that of the settings, over `reference`; a residual of `relative` times the first one
   is also accepted. */
void tl_implicit_conjugate(tl_system *system, const tl_real *b, tl_real *u, double looser, double relative);
/* Two Jacobi iterations on A u = b from u. */
void tl_implicit_relax(tl_system *system, const tl_real *b, tl_real *u);

/* r = b − A u over the free directions. */
void tl_implicit_find_residual(tl_system *system, const tl_real *b, const tl_real *u, tl_real *r);
/* Lower bound of that reference: a fraction of what gravity does to the free particles in the step. */
double tl_implicit_free_fall(const tl_system *system, const tl_implicit_step *step);
/* Sum of products in a fixed order. */
double tl_implicit_dot(const tl_real *a, const tl_real *b, int count);

/* step/implicit_direct.c: notes the assembled matrix as that of this step. True when it is to be solved directly:
   nothing but pins holds the cloth, and the last step had the same matrix. */
bool tl_implicit_choose_direct(tl_system *system, const tl_implicit_step *step);
/* Solves A u = b with the factored matrix from u. Leaves the reference of the tolerance. */
void tl_implicit_solve_directly(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u);

/* step/implicit_contact.c: collects the contact constraints and their target velocities: with the surface, and onto
   it. */
void tl_implicit_find_constraints(tl_system *system, const tl_implicit_step *step);
/* Writes the constrained directions into u and marks them for the filter. */
void tl_implicit_constrain(tl_system *system, const tl_implicit_step *step, tl_real *u);
/* Warm start: contacts that slid in the last step start as sliding. `b` is the momentum of the step without contact. */
void tl_implicit_guess_slides(tl_system *system, const tl_real *b);
/* Solves with contact: active-set passes until no constraint changes. */
void tl_implicit_solve_in_contact(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u);
/* Mass that a dynamic body adds to its particle along the normal. */
tl_real tl_implicit_weight(const tl_implicit_step *step, const tl_contact_constraint *contact);
/* Contacts close their gap by moving the particle, and one that sticks after sliding moves against what x* took along;
   that displacement must not remain as velocity. The impulses become
   those that the bodies receive over the whole substep. */
void tl_implicit_stop_at_surfaces(tl_system *system, const tl_implicit_step *step);

#endif
