/* Layers of cloth that press on each other, through the matrices of their implicit steps.

   A layer that is pushed out of another by its particles' masses alone hardly feels it: what holds its particles to
   their neighbours is, in a step of h seconds, k h²/m times as much, a thousand times and more. The next step draws
   them back, and the push that two layers need to part or to carry each other comes from ever larger ways, which is
   stretch. So the impulses between layers are found together with what they do to the cloth:

     minimise ½ δᵀ A δ   so that   n·Σ c_i δ_i >= what is missing

   with A of the step that has just been taken, over all cloths that meet. Each pair is a spring and its friction a
   drag, both as stiff as the particles they are between a few times over: soft beside one link, hard beside what a
   sheet as a whole does, and what they leave contact/cloth/contact_solve.c does. Momentum is kept, since Σ c_i = 0;
   that of cloth which nothing holds, whatever the solution leaves. */
#ifndef TL_STEP_COUPLE_H
#define TL_STEP_COUPLE_H

#include "step/system.h"

typedef struct tl_layer_contact {
    tl_system *of[4];
    int particle[4];
    tl_real c[4];     /* 1, weights of the four points */
    tl_vec3 n;        /* unit, out of the second */
    tl_real missing;  /* m, that they have come too near; below 0: that is left */
    tl_vec3 way;      /* m, of one along the other in this substep */
    tl_real friction; /* 1 */
    tl_real push;     /* out: N·s along n */
    /* own */
    bool on;
    int next;
    tl_real h;                  /* s */
    tl_real stiffness, drag;    /* kg */
    tl_vec3 given;              /* N·s, that a has of b in the end */
    tl_real *const *vectors[4]; /* of the four points' cloths */
} tl_layer_contact;

/* Changes places and velocities of cloths that have just taken a step of an implicit stepper. */
void tl_layer_contacts_solve(tl_system *const *systems, int count, tl_layer_contact *list, int pairs);

#endif
