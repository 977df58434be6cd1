/* A substep of contact between meshes, phase by phase, in the order in which they run; contact/contact_method.c selects
   the phases of each method.

   begin             clears sums
   body candidates   broad phase against bodies made of triangles
   cloth candidates  broad phase of cloth against cloth
   stack levels      shock propagation
   layer solve       layers of implicit cloth as whole sheets (world/layer_solve.c)
   solve             narrow phase and Gauss–Seidel sweeps over contacts
   revert            contacts that are still inverted
   untangle          crossings of earlier substeps
   rollback          crossings of this substep
   barrier           CCD of particles against bodies made of triangles
   damp resting      velocities of contacts at rest
   end               counts candidates
   truncate          CCD of all features: no crossing at all */
#include "contact/cloth/phases.h"

#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/contact_solve.h"
#include "contact/cloth/moved.h"
#include "contact/cloth/rollback.h"
#include "contact/cloth/shock_propagation.h"
#include "contact/cloth/truncation.h"
#include "contact/cloth/untangle.h"

/* ---- begin: sums start at 0 ----------------------------------------------------------------------------------- */

static int begin(tl_contact_world *set)
{
    tl_clear_touched(set);
    for (int k = 0; k < set->pair_count; ++k)
        for (int n = 0; n < set->pair[k].count; ++n)
            set->pair[k].contact[n].pushed = 0;
    tl_broad_phase_begin_substep(set);
    set->fresh = set->sweep == 0;
    set->first_sweep = set->sweep + 1;
    return set->pair_count;
}

const tl_contact_phase tl_phase_begin = {
    .name = "begin",
    .help = "Clears the sums of a substep.",
    .counts = "mesh pairs",
    .run = begin,
};

/* ---- candidates: which features can touch --------------------------------------------------------------------- */

static int count_candidates(const tl_contact_world *set, bool of_cloths)
{
    int count = 0;
    for (int k = 0; k < set->pair_count; ++k)
        count += tl_is_cloth_pair(set, &set->pair[k]) == of_cloths ? set->pair[k].count : 0;
    return count;
}

static int body_candidates(tl_contact_world *set)
{
    tl_broad_phase_find_bodies(set);
    return count_candidates(set, false);
}

const tl_contact_phase tl_phase_body_candidates = {
    .name = "body candidates",
    .help = "Broad phase of cloth against bodies made of triangles, in the frame of each body.",
    .counts = "candidates",
    .run = body_candidates,
};

static int cloth_candidates(tl_contact_world *set)
{
    tl_broad_phase_update(set);
    return count_candidates(set, true);
}

const tl_contact_phase tl_phase_cloth_candidates = {
    .name = "cloth candidates",
    .help = "Broad phase of cloth against itself and other cloth, by the motion of the substep.",
    .counts = "candidates",
    .run = cloth_candidates,
};

/* ---- stack levels: what rests on what ------------------------------------------------------------------------- */

static int stack_levels(tl_contact_world *set)
{
    if (set->has_layers)
        tl_stack_levels_update(set, set->fresh);
    return set->has_layers;
}

const tl_contact_phase tl_phase_stack_levels = {
    .name = "stack levels",
    .help = "Shock propagation: how many layers each particle is above a body.",
    .counts = "updates",
    .run = stack_levels,
};

/* ---- layer solve: layers of implicit cloth, as whole sheets (world/layer_solve.c) ------------------------------ */

const tl_contact_phase tl_phase_layer_solve = {
    .name = "layer solve",
    .help = "Impulses between layers of implicit cloth, together with what they do to the sheets.",
    .counts = "rows",
};

/* ---- solve: contacts one after the other, until none is too close --------------------------------------------- */

static int solve(tl_contact_world *set)
{
    int before = set->sweep;
    set->too_close = tl_contacts_sweep(set, false);
    /* while sweeps move particles beyond what candidates bound, find these again and sweep again */
    bool bounded = false;
    for (int round = 1; round < TL_REQUERY_ROUNDS && !bounded; ++round) {
        bounded = !tl_broad_phase_update(set);
        if (!bounded)
            set->too_close = tl_contacts_sweep(set, true);
    }
    /* out of rounds: back to where candidates bound them */
    if (!bounded) {
        tl_broad_phase_clamp(set);
        tl_project_out_of_bodies(set);
        set->too_close = true;
    }
    set->troubled |= set->too_close;
    return set->sweep - before;
}

const tl_contact_phase tl_phase_solve = {
    .name = "solve",
    .help = "Sweeps over the contacts, each projected out of bodies, until none is too close.",
    .counts = "sweeps",
    .run = solve,
};

/* ---- revert: contacts that are still inverted return to where the substep began ------------------------------- */

static int revert(tl_contact_world *set)
{
    int count = 0;
    for (int round = 0; round < TL_REVERT_ROUNDS && set->too_close; ++round) {
        int reverted = tl_contacts_revert_inverted(set);
        tl_project_out_of_bodies(set);
        count += reverted;
        set->too_close = reverted > 0;
    }
    return count;
}

const tl_contact_phase tl_phase_revert = {
    .name = "revert",
    .help = "Contacts that are still inverted return to where the substep began.",
    .counts = "contacts",
    .run = revert,
};

/* ---- untangle: crossings of earlier substeps are pulled apart -------------------------------------------------- */

static int untangle(tl_contact_world *set)
{
    int crossings = tl_contacts_untangle(set);
    set->troubled |= crossings > 0;
    if (crossings > 0)
        tl_project_out_of_bodies(set);
    return crossings;
}

const tl_contact_phase tl_phase_untangle = {
    .name = "untangle",
    .help = "Edges that pierce faces are pulled out by shortening the intersection contour.",
    .counts = "crossings",
    .run = untangle,
};

/* ---- rollback: crossings of this substep return to where it began --------------------------------------------- */

static int roll_back(tl_contact_world *set)
{
    int rounds = 0;
    bool any = true;
    for (; rounds < TL_ROLLBACK_ROUNDS && any; ++rounds) {
        any = tl_contacts_roll_back(set);
        set->troubled |= any;
        if (any)
            tl_project_out_of_bodies(set);
    }
    return rounds;
}

const tl_contact_phase tl_phase_rollback = {
    .name = "rollback",
    .help = "Features that came to cross in this substep return to where it began.",
    .counts = "rounds",
    .run = roll_back,
};

/* ---- barrier: no particle passes through a body made of triangles, whatever moved it ---------------------------- */

static int barrier(tl_contact_world *set)
{
    int rounds = 0;
    bool any = true;
    for (; rounds < TL_BARRIER_ROUNDS && any; ++rounds) {
        bool last = rounds == TL_BARRIER_ROUNDS - 1;
        any = tl_contacts_hold_back(set, last);
        if (any && !last)
            tl_project_out_of_bodies(set);
    }
    tl_contacts_expel(set, !set->expels);
    set->expels = false;
    return rounds;
}

const tl_contact_phase tl_phase_barrier = {
    .name = "barrier",
    .help = "Continuous collision of every particle's path with bodies made of triangles, by exact predicates.",
    .counts = "rounds",
    .run = barrier,
};

/* ---- damp resting: contacts at rest return the excess of their impulses ----------------------------------------- */

static int damp_resting(tl_contact_world *set)
{
    tl_contacts_damp_resting(set);
    return set->pair_count;
}

const tl_contact_phase tl_phase_damp_resting = {
    .name = "damp resting",
    .help = "Velocities of contacts at rest are relaxed and damped.",
    .counts = "mesh pairs",
    .run = damp_resting,
};

/* ---- end: counts candidates ------------------------------------------------------------------------------------ */

static int end(tl_contact_world *set)
{
    set->contacts = 0;
    for (int k = 0; k < set->pair_count; ++k)
        set->contacts += set->pair[k].count;
    for (int k = 0; k < set->count; ++k)
        tl_contact_mesh_unmark(set->mesh[k], TL_TOO_CLOSE);
    tl_stack_levels_end(set);
    return set->contacts;
}

const tl_contact_phase tl_phase_end = {
    .name = "end",
    .help = "Counts candidates and stores the pressure that the next substep starts from.",
    .counts = "candidates",
    .run = end,
};

/* ---- truncate: displacements are cut so that nothing can cross ------------------------------------------------- */

const tl_contact_phase tl_phase_truncate = {
    .name = "truncate",
    .help = "Continuous collision detection: displacements are truncated so that no two features can cross.",
    .counts = "displacements",
    .run = tl_contacts_truncate,
};
