/* Strain limiting (S4; Provot 1995, "Deformation constraints in a mass-spring model to describe rigid cloth
   behaviour"): after any stepper, links along warp and weft that are longer than cloth can be are shortened, a few
   passes per substep. Real cloth resists strongly beyond about 10 % of strain; soft links and large steps do not.

   Corrections are shared by inverse mass and the velocity follows them, so momentum is kept. One-sided: folds are free.
   A limit that the cloth already breaks when it is switched on or drawn tighter starts with as much slack, which eases
   out.

   Where cloth lies on a body under a stepper that solves contact, every pass puts what it drew into the body back onto
   its surface: the few particles on a tip carry the whole sheet, and putting them back when all passes are over would
   stretch the links around them again.

   Implicit steppers that solve with the Hessian know the limit as well: in the last half of a percent before it a
   link is a spring that pulls up to a third of the cloth's weight. Without it the solution stretches what hangs from a
   tip again in every frame, the limit draws it back over the same spot, and cloth around it jitters. */
#ifndef TL_STEP_STRAIN_LIMIT_H
#define TL_STEP_STRAIN_LIMIT_H

#include "element/link_solve.h"
#include "step/system.h"

typedef struct tl_strain_limit {
    tl_link_set links[2];            /* nearer to the warp, nearer to the weft */
    tl_real *before[3];              /* m, positions before the passes */
    tl_contact_constraint *touch;    /* what the cloth lies on */
    tl_strain_limit_settings active; /* that the slack was measured for */
    tl_real pull;                    /* N, of a taut link at its limit */
} tl_strain_limit;

/* A link so near to its limit that it is a spring of the implicit system. */
typedef struct tl_taut {
    int i, j;
    tl_vec3 along;            /* from i to j, of length 1 */
    tl_real length;           /* m */
    tl_real tension;          /* N */
    tl_real stiffness, store; /* N/m, J */
} tl_taut;

/* Makes what the limit needs when it is on. */
tl_result tl_strain_limit_prepare(tl_system *system, tl_error *error);
void tl_strain_limit_destroy(tl_system *system);

/* Weighs the cloth: what taut links pull goes by it. */
void tl_strain_limit_weigh(tl_system *system);
/* Whether link n of direction d is taut at the present state. */
bool tl_strain_limit_taut(const tl_system *system, int d, int n, tl_taut *out);
/* What taut links pull, added to p.f, and the energy, J, in them. */
void tl_strain_limit_force(tl_system *system);
double tl_strain_limit_energy(const tl_system *system);

/* Stage "limit" of a substep of h seconds; does nothing when the limit is off. `in_contact`: keeps out of bodies. */
void tl_strain_limit_apply(tl_system *system, tl_real h, bool in_contact);

#endif
