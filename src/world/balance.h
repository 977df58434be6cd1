/* How far a method is from its material.

   Material and method agree when each particle's change of velocity is what the forces at hand explain: m (v' − v)/h =
   f(x', v'). A method whose equations are not solved, such as a few sweeps of constraints, moves particles by forces of
   its own; cloth at rest then hangs where its method holds it, and the material's forces there, evaluated from its
   stiffness, are many times the weight they should carry.

   A step that solves equations linear around its start is judged by those: the edges of cloth that turns come out of it
   a little longer, which for a stiff fabric is much force and, being gone when the cloth rests, no softness.

   The difference is summed over patches, of which a cloth has a fixed number whatever its mesh: forces between two
   particles of a patch cancel, and with them the waves of single edges and the rounding of positions, which on a fine
   mesh alone makes forces as large as a particle's weight. The share is the sum of the patches' differences over the
   sum of what acts on them from outside and of their inertia. Pinned particles, those in contact and those on links at
   the strain limit carry forces that are not known, and are left out. */
#ifndef TL_WORLD_BALANCE_H
#define TL_WORLD_BALANCE_H

#include "step/stepper.h"
#include "telar/world.h"

typedef struct tl_balance {
    tl_real *v[3];  /* m/s, from which the last substep changed the velocities, damped */
    tl_real h;      /* s, by which forces changed them; 0: no substep to judge */
    tl_real *r[3];  /* N, what a step that solves linear equations left of them; allocated for such a stepper */
    bool is_linear; /* the last substep was one */
    tl_real *f[3];  /* N, working memory; allocated with the patches when the share is first asked for */
    bool *is_free;  /* particles whose forces are known */
    int *patch;     /* of each particle */
    double *sum[3]; /* 3 per patch: difference, outside forces, inertia, N */
    int patch_count;
    bool known; /* `share` is that of the present state */
    tl_real share;
} tl_balance;

tl_result tl_balance_create(tl_cloth *cloth, tl_error *error);
tl_result tl_balance_prepare(tl_cloth *cloth, const tl_stepper_class *stepper, tl_error *error); /* for a stepper */
void tl_balance_destroy(tl_cloth *cloth);

/* Before and after the last substep of a frame, of h seconds. */
void tl_balance_begin(tl_cloth *cloth, tl_real h);
void tl_balance_end(tl_cloth *cloth);
/* There is nothing to judge: the state was set, or user forces acted that are gone. */
void tl_balance_forget(tl_cloth *cloth);

/* The share, computed on the first call after a frame; 0 when there is nothing to judge or memory is short. Cost: one
   evaluation of the forces. */
tl_real tl_balance_share(tl_cloth *cloth);

#endif
