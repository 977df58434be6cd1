/* Layers of cloths under implicit steppers press on each other (step/layer_contact.h). */
#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/contact_solve.h"
#include "contact/cloth/path_length.h"
#include "step/layer_contact.h"
#include "world/contacts.h"

#include <string.h>

static bool takes_part(const tl_cloth *cloth)
{
    return cloth->stepper->solves_contact && cloth->contact->self_collision && tl_cloth_is_joined(cloth);
}

static tl_cloth *cloth_of(const tl_world *world, const tl_contact_mesh *surface)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->contact_mesh == surface)
            return takes_part(world->cloths[k]) ? world->cloths[k] : NULL;
    return NULL;
}

/* The pairs of one group, behind `count` others; returns how many there are then. */
static int list_pair(tl_world *world, const tl_mesh_pair *group, int count)
{
    tl_contact_world *set = &world->contacts;
    tl_cloth *a = cloth_of(world, set->mesh[group->a]), *b = cloth_of(world, set->mesh[group->b]);
    if (!a || !b)
        return count;
    int before = count, total = tl_mesh_pair_rows(set, group, count);
    for (; count < total; ++count) {
        const tl_contact_row *close = &set->row[count];
        if (!tl_grow(&world->allocator, &world->layer_contacts, count, &world->layer_contact_capacity,
                     sizeof *world->layer_contacts)) {
            set->failed = true;
            return before;
        }
        tl_layer_contact *pair = &world->layer_contacts[count];
        *pair = (tl_layer_contact){
            .n = close->n, .missing = close->missing, .way = close->displacement, .friction = close->friction};
        bool swapped = close->contact->a != group->a; /* a vertex of the second against a face of the first */
        for (int k = 0; k < 4; ++k) {
            bool first = k < (close->contact->kind == TL_VERTEX_FACE ? 1 : 2);
            pair->of[k] = first != swapped ? &a->system : &b->system;
            pair->particle[k] = close->contact->p[k];
            pair->c[k] = close->c[k];
        }
    }
    return count;
}

/* What the pairs pushed. */
static void report(tl_world *world, int count)
{
    for (int n = 0; n < count; ++n) {
        const tl_contact_row *close = &world->contacts.row[n];
        const tl_contact_mesh *a = world->contacts.mesh[close->contact->a],
                              *b = world->contacts.mesh[close->contact->b];
        tl_real push = world->layer_contacts[n].push;
        close->contact->pushed += push;
        for (int k = 0; k < 4; ++k)
            (k < (close->contact->kind == TL_VERTEX_FACE ? 1 : 2) ? a : b)->pressure[close->contact->p[k]] +=
                fabs(close->c[k]) * push;
    }
}

/* The cloths whose matrices take part; -1 when memory is short. */
static int list_systems(tl_world *world)
{
    int systems = 0;
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        if (!takes_part(cloth))
            continue;
        if (!tl_grow(&world->allocator, &world->layer_systems, systems, &world->layer_system_capacity,
                     sizeof *world->layer_systems))
            return -1;
        world->layer_systems[systems++] = &cloth->system;
        /* convex bodies look at all of it again */
        memset(cloth->contact_mesh->touched, 1, (size_t)cloth->mesh->particle_count / TL_CONTACT_MESH_BLOCK + 1);
    }
    return systems;
}

static int solve(tl_world *world)
{
    int rows = 0;
    for (int k = 0; k < world->contacts.pair_count; ++k)
        if (tl_is_cloth_pair(&world->contacts, &world->contacts.pair[k]))
            rows = list_pair(world, &world->contacts.pair[k], rows);
    if (rows == 0)
        return 0;
    int systems = list_systems(world);
    if (systems < 0) {
        world->contacts.failed = true;
        return 0;
    }
    tl_layer_contacts_solve(world->layer_systems, systems, world->layer_contacts, rows);
    report(world, rows);
    return rows;
}

static bool any_takes_part(const tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (takes_part(world->cloths[k]))
            return true;
    return false;
}

int tl_world_layer_solve(tl_world *world)
{
    tl_contact_world *set = &world->contacts;
    if (!set->has_layers || !any_takes_part(world))
        return 0;
    tl_path_lengths_note(set);
    int rows = solve(world);
    tl_path_lengths_add(set, tl_v3(0, 0, 0));
    tl_broad_phase_update(set); /* candidates bound where that leads */
    return rows;
}
