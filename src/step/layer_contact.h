/* Contact between layers of cloth, solved through the matrices of their implicit steps.

   Pushing a layer out of another by its particles' masses alone has little effect: in a step of h seconds the coupling
   of its particles to their neighbours is k h²/m times stronger, a factor of a thousand and more. The next step pulls
   them back, and the impulse that two layers need to separate or carry each other comes from ever larger displacements,
   which is stretch. So the impulses between layers are solved together with the response of the cloth:

     minimise ½ δᵀ A δ   subject to   n·Σ c_i δ_i >= missing distance

   with A of the step just taken, over all cloths in contact. Each contact is a penalty spring and its friction a drag,
   both a few times as stiff as the particles involved: soft compared to one link, stiff compared to a whole sheet;
   contact/cloth/contact_solve.c resolves the remainder. Momentum is conserved, since Σ c_i = 0; that of a group of
   unpinned cloths is restored exactly after the iterative solve.

   A particle that a body holds already, by a constraint of the step, moves with its surface. Where the body's edges and
   corners push as well, it may leave that surface: its constraint becomes a contact with the impulse λ >= 0 that the
   step found, which adds λ n·δ to the objective, and a spring that pushes as much at δ = 0. Bound to its plane it would
   slide along it until that made room, by a multiple of what is missing. */
#ifndef TL_STEP_LAYER_CONTACT_H
#define TL_STEP_LAYER_CONTACT_H

#include "step/system.h"

typedef struct tl_layer_contact {
    tl_system *of[4];
    int particle[4];
    tl_real c[4];         /* 1, barycentric weights of the four points, signed */
    tl_vec3 n;            /* unit normal, out of the second */
    tl_real missing;      /* m, penetration below the gap; negative: remaining distance */
    tl_vec3 displacement; /* m, relative, in this substep */
    tl_real friction;     /* 1 */
    bool external;        /* with a body, whose points have weight 0 and take the momentum */
    bool leaves;          /* a body's constraint on particle[0] alone, whose impulse is … */
    tl_real held;         /* … N·s in the step; else 0 */
    tl_real push;         /* out: N·s, normal impulse */
    /* private to layer_contact.c */
    bool on;
    int next;
    tl_real h;                  /* s */
    tl_real stiffness, drag;    /* kg; drag is at most `hold` */
    tl_real hold;               /* kg */
    tl_real *const *vectors[4]; /* of the four particles' cloths */
} tl_layer_contact;

/* Changes positions and velocities of cloths that have just taken a step with an implicit stepper. */
void tl_layer_contacts_solve(tl_system *const *systems, int count, tl_layer_contact *contacts, int contact_count);

#endif
