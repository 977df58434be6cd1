/* Strain limiting (the thesis S4; Provot 1995, "Deformation constraints in a mass-spring model to describe rigid cloth
   behaviour"): after any stepper, links along warp and weft that exceed the limit are shortened, a few passes per
   substep. Real cloth resists strongly beyond about 10 % of strain; soft links and large steps do not.

   Corrections are distributed by inverse mass and the velocity follows them, which conserves momentum. One-sided: folds
   are free. A limit that the cloth already exceeds when it is switched on or tightened starts with as much slack, which
   decays.

   Under a stepper that solves contact, every pass projects particles that it pulled into a body back onto its surface:
   the few particles on a tip carry the whole sheet, and projecting only after all passes would stretch the links around
   them again.

   Implicit steppers that solve with the Hessian know the limit as well: shortly before it a link is a
   spring that pulls up to a third of the cloth's weight. Without it the solution stretches cloth that hangs from a tip
   again in every frame, the limit pulls it back, and the cloth around it jitters. */
#ifndef TL_STEP_STRAIN_LIMIT_H
#define TL_STEP_STRAIN_LIMIT_H

#include "element/link_solve.h"
#include "step/system.h"

typedef struct tl_strain_limit {
    tl_link_set links[2];              /* nearer to the warp, nearer to the weft */
    tl_real *before[3];                /* m, positions before the passes */
    tl_contact_constraint *constraint; /* contacts with bodies */
    tl_strain_limit_settings active;   /* settings that the slack was measured for */
    tl_real pull;                      /* N, tension of a taut link at its limit */
} tl_strain_limit;

/* A link close enough to its limit to be a spring of the implicit system. */
typedef struct tl_taut {
    int i, j;
    tl_vec3 along;            /* unit, from i to j */
    tl_real length;           /* m */
    tl_real tension;          /* N */
    tl_real stiffness, store; /* N/m, J */
} tl_taut;

/* Allocates the limit's working memory when it is on. */
tl_result tl_strain_limit_prepare(tl_system *system, tl_error *error);
void tl_strain_limit_destroy(tl_system *system);

/* Weighs the cloth, which scales the tension of taut links. */
void tl_strain_limit_weigh(tl_system *system);
/* Whether link n of direction d is taut in the current state. */
bool tl_strain_limit_taut(const tl_system *system, int d, int n, tl_taut *out);
/* Adds the forces of taut links to p.f; their energy, J. */
void tl_strain_limit_force(tl_system *system);
double tl_strain_limit_energy(const tl_system *system);

/* Stage "limit" of a substep of h seconds; does nothing when the limit is off. `in_contact`: keeps particles out of
   bodies. */
void tl_strain_limit_apply(tl_system *system, tl_real h, bool in_contact);

#endif
