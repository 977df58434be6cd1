/* The meshes in contact: which ones are paired, the barriers of bodies, and the start of a frame. */
#include "contact/cloth/contact_world.h"

#include "contact/body/body_contacts.h"
#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/moved.h"
#include "contact/cloth/shock_propagation.h"

#include <string.h>

tl_contact_mesh *tl_contact_world_add(tl_contact_world *set, const tl_mesh *mesh)
{
    tl_contact_mesh *added = tl_contact_mesh_create(mesh, &set->allocator);
    if (!added || !tl_grow(&set->allocator, &set->mesh, set->count, &set->capacity, sizeof *set->mesh)) {
        tl_contact_mesh_destroy(added, &set->allocator);
        return NULL;
    }
    set->mesh[set->count++] = added;
    return added;
}

/* ---- pairs ---------------------------------------------------------------------------------------------------- */

void tl_mesh_pair_release(const tl_contact_world *set, tl_mesh_pair *pair)
{
    tl_release(&set->allocator, pair->contact);
    tl_release(&set->allocator, pair->near);
    tl_release(&set->allocator, pair->crossing);
    tl_release(&set->allocator, pair->folded);
    for (int k = 0; k < TL_SOUGHT; ++k)
        tl_release(&set->allocator, pair->listed[k].pair);
    tl_release(&set->allocator, pair->ccd);
    tl_release(&set->allocator, pair->probe);
    tl_release(&set->allocator, pair->kept);
    tl_release(&set->allocator, pair->clearance);
    *pair = (tl_mesh_pair){0};
}

static void release_pairs(tl_contact_world *set)
{
    for (int k = 0; k < set->pair_count; ++k)
        tl_mesh_pair_release(set, &set->pair[k]);
    set->pair_count = 0;
}

void tl_contact_world_destroy(tl_contact_world *set)
{
    release_pairs(set);
    tl_broad_phase_release(set);
    for (int s = 0; s < set->count; ++s)
        tl_contact_mesh_destroy(set->mesh[s], &set->allocator);
    tl_release(&set->allocator, set->mesh);
    tl_release(&set->allocator, set->pair);
    tl_release(&set->allocator, set->plane);
    tl_release(&set->allocator, set->resting);
    tl_release(&set->allocator, set->row);
    tl_release(&set->allocator, set->last_moved_sweep);
    *set = (tl_contact_world){.allocator = set->allocator};
}

static bool add_pair(tl_contact_world *set, int a, int b)
{
    if (!tl_grow(&set->allocator, &set->pair, set->pair_count, &set->pair_capacity, sizeof *set->pair))
        return false;
    const tl_contact_mesh *s = set->mesh[a], *other = set->mesh[b];
    tl_real gap = other->is_cloth ? (s->gap + other->gap) / 2 : s->thickness;
    tl_real edge = tl_min(s->mean_edge, other->mean_edge);
    tl_real margin = tl_max(TL_MARGIN_OF_GAP * gap, TL_MARGIN_OF_EDGE * edge);
    tl_mesh_pair *pair = &set->pair[set->pair_count++];
    *pair = (tl_mesh_pair){.a = a, .b = b, .gap = gap, .margin = margin};
    return other->is_cloth || tl_broad_phase_prepare_body(set, pair);
}

/* One array for all meshes. */
static bool allocate_sweep_marks(tl_contact_world *set)
{
    size_t total = 0;
    for (int k = 0; k < set->count; ++k)
        total += (size_t)set->mesh[k]->mesh->particle_count;
    tl_release(&set->allocator, set->last_moved_sweep);
    set->last_moved_sweep = tl_allocate(&set->allocator, total, sizeof *set->last_moved_sweep);
    int first = 0;
    for (int k = 0; set->last_moved_sweep && k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        s->first = first;
        s->last_moved_sweep = set->last_moved_sweep + first;
        first += s->mesh->particle_count;
    }
    return set->last_moved_sweep;
}

bool tl_contact_world_pair_up(tl_contact_world *set)
{
    release_pairs(set);
    set->has_layers = false;
    if (!allocate_sweep_marks(set) || !tl_broad_phase_prepare(set))
        return false;
    for (int k = 0; k < set->count; ++k)
        set->mesh[k]->paired = false;
    for (int a = 0; a < set->count; ++a)
        for (int b = a; b < set->count; ++b) {
            int cloth = set->mesh[a]->is_cloth ? a : b, other = cloth == a ? b : a;
            const tl_contact_mesh *s = set->mesh[cloth], *o = set->mesh[other];
            bool collide = s->is_cloth && (o->is_cloth ? s->self_collides && o->self_collides : s->bodies && o->bodies);
            if (!collide)
                continue;
            if (!add_pair(set, cloth, other))
                return false;
            set->mesh[a]->paired = set->mesh[b]->paired = true;
            set->has_layers |= o->is_cloth;
        }
    return true;
}

/* ---- bodies of triangles -------------------------------------------------------------------------------------- */

static tl_barrier_cloth barrier_view(const tl_contact_world *set, const tl_mesh_pair *pair)
{
    tl_contact_mesh *s = set->mesh[pair->a];
    return (tl_barrier_cloth){.mesh = s->mesh,
                              .count = s->mesh->particle_count,
                              .x = s->x,
                              .x_old = s->x_old,
                              .v = s->v,
                              .w = s->w,
                              .pressure = s->pressure,
                              .touched = s->touched,
                              .mark = s->mark,
                              .clearance = pair->clearance,
                              .thickness = s->thickness,
                              .friction = s->friction};
}

void tl_contacts_expel(tl_contact_world *set, bool only_deforming)
{
    for (int k = 0; k < set->pair_count; ++k) {
        tl_barrier *barrier = set->mesh[set->pair[k].b]->barrier;
        tl_barrier_cloth cloth = barrier_view(set, &set->pair[k]);
        if (barrier && (barrier->deforms || !only_deforming) && tl_barrier_expel(barrier, &cloth) &&
            !set->penetration_free)
            tl_contact_mesh_unmark(set->mesh[set->pair[k].a], TL_INSIDE); /* for truncation only */
    }
}

bool tl_contacts_hold_back(tl_contact_world *set, bool revert)
{
    bool any = false;
    for (int k = 0; k < set->pair_count; ++k) {
        tl_contact_mesh *body = set->mesh[set->pair[k].b];
        tl_barrier_cloth cloth = barrier_view(set, &set->pair[k]);
        if (!body->barrier || !tl_barrier_hold(body->barrier, &cloth, set->h, set->rest_speed, revert))
            continue;
        any = true;
        tl_body_contacts_receive(set->mesh[set->pair[k].a]->body_contacts, body, body->barrier->impulse,
                                 body->barrier->moment);
    }
    return any;
}

void tl_contacts_begin_frame(tl_contact_world *set, int substeps)
{
    for (int k = 0; k < set->pair_count; ++k)
        for (int i = 0; set->pair[k].clearance && i < set->mesh[set->pair[k].a]->mesh->particle_count; ++i)
            set->pair[k].clearance[i].until = 0;
    if (!set->penetration_free) /* which moves them within the first substep, as far as truncation allows */
        tl_contacts_expel(set, false);
    set->expels = set->penetration_free;
    set->failed = set->troubled = false;
    tl_moves_clear(set);
    tl_broad_phase_begin_frame(set, substeps);
    tl_stack_levels_clear(set);
    set->truncated = set->most_held = 0;
}
