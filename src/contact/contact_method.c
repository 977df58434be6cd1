/* Contact methods, from the cheapest to the most thorough: each is a list of phases. */
#include "contact/contact_method.h"

#include <stddef.h>
#include <string.h>

static const tl_contact_phase *const none[] = {NULL};

static const tl_contact_phase *const bodies_only[] = {
    &tl_phase_begin,    &tl_phase_body_candidates, &tl_phase_layer_solve,  &tl_phase_solve, &tl_phase_revert,
    &tl_phase_untangle, &tl_phase_barrier,         &tl_phase_damp_resting, &tl_phase_end,   NULL,
};

static const tl_contact_phase *const self_collision[] = {
    &tl_phase_begin,
    &tl_phase_body_candidates,
    &tl_phase_cloth_candidates,
    &tl_phase_stack_levels,
    &tl_phase_layer_solve,
    &tl_phase_solve,
    &tl_phase_revert,
    &tl_phase_untangle,
    &tl_phase_rollback,
    &tl_phase_barrier,
    &tl_phase_damp_resting,
    &tl_phase_end,
    NULL,
};

static const tl_contact_phase *const penetration_free[] = {
    &tl_phase_begin,
    &tl_phase_body_candidates,
    &tl_phase_cloth_candidates,
    &tl_phase_stack_levels,
    &tl_phase_layer_solve,
    &tl_phase_solve,
    &tl_phase_revert,
    &tl_phase_untangle,
    &tl_phase_barrier,
    &tl_phase_damp_resting,
    &tl_phase_end,
    &tl_phase_truncate,
    NULL,
};

/* clang-format off */
#define METHODS(X) \
    X("none", "The cloth passes through everything.", false, false, false, none) \
    X("bodies-only", "The path of every particle is stopped at the surface of every body, with friction and restitution.", true, false, false, bodies_only) \
    X("self-collision", "As bodies-only, and the cloth collides with itself and other cloth; crossings are pulled apart. For games.", true, true, false, self_collision) \
    X("penetration-free", "As self-collision, and a state without crossings never gets one: every displacement is truncated by the distances around it.", true, true, true, penetration_free)
/* clang-format on */

#define METHOD(name, help, bodies, self, free, phases) {name, help, bodies, self, free, phases},
const tl_contact_method tl_contact_methods[] = {METHODS(METHOD)};
#undef METHOD

#define NAME(name, help, bodies, self, free, phases) name,
const char *const tl_contact_name_list[] = {METHODS(NAME) NULL};
#undef NAME

const char *const tl_contact_aliases[] = {
    "off", "none", "bodies", "bodies-only", "fast", "self-collision", "safe", "penetration-free", NULL};

const int tl_contact_method_count = (int)(sizeof tl_contact_methods / sizeof tl_contact_methods[0]);

const tl_contact_method *tl_contact_find(const char *name)
{
    for (int k = 0; name && k < tl_contact_method_count; ++k)
        if (strcmp(tl_contact_methods[k].name, name) == 0)
            return &tl_contact_methods[k];
    return NULL;
}
