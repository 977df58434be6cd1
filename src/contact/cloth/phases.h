/* The phases of a substep of contact. A contact method is a list of them (contact/contact_method.c), and the world
   runs that list in order: contact never calls the world. */
#ifndef TL_CONTACT_CLOTH_PHASES_H
#define TL_CONTACT_CLOTH_PHASES_H

#include "contact/cloth/contact_world.h"

typedef struct tl_contact_phase {
    const char *name;
    const char *help;
    const char *counts; /* what `run` counts */
    /* NULL: run by the world (world/layer_solve.c) */
    int (*run)(tl_contact_world *set);
} tl_contact_phase;

extern const tl_contact_phase tl_phase_begin, tl_phase_body_candidates, tl_phase_cloth_candidates,
    tl_phase_stack_levels, tl_phase_layer_solve, tl_phase_solve, tl_phase_revert, tl_phase_untangle, tl_phase_rollback,
    tl_phase_barrier, tl_phase_damp_resting, tl_phase_end, tl_phase_truncate;

#endif
