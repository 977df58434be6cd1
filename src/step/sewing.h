/* Sewing: pairs of particles that are drawn together, as a thread does that is pulled tight. A link only pulls, is
   rigid and wants a length that shrinks evenly from the one it had at first to nothing; one pass over all links follows
   the elements of every substep, under any stepper. Corrections are shared by inverse mass and velocities follow them,
   which conserves momentum. */
#ifndef TL_STEP_SEWING_H
#define TL_STEP_SEWING_H

#include "step/system.h"

typedef struct tl_sewing {
    int count;
    int *i, *j;       /* particles, never the same */
    tl_real *length;  /* m, at the start */
    double start;     /* s, of the system's time */
    tl_real duration; /* s, in which lengths shrink to 0 */
} tl_sewing;

/* Replaces the links by those of `count` pairs of particles; pairs of one particle are left out. TL_ERROR_MEMORY: the
   old ones stay. */
tl_result tl_sewing_set(tl_system *system, const int (*pairs)[2], int count, tl_real duration, tl_error *error);
void tl_sewing_destroy(tl_system *system);

/* One pass, in a substep of h seconds. */
void tl_sewing_apply(tl_system *system, tl_real h);

/* Largest distance of a pair, m, and the mean (may be NULL); 0 without pairs. */
tl_real tl_sewing_gap(const tl_system *system, tl_real *mean);

#endif
