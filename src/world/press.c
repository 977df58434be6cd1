/* Layers of cloths under implicit steppers press on each other (step/couple.h). */
#include "step/couple.h"
#include "world/surfaces.h"

#include <string.h>

static bool takes_part(const tl_cloth *cloth)
{
    return cloth->stepper->solves_contact && cloth->contact->layers && tl_cloth_is_joined(cloth);
}

bool tl_world_presses(const tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (takes_part(world->cloths[k]))
            return true;
    return false;
}

static tl_cloth *cloth_of(const tl_world *world, const tl_surface *surface)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->surface == surface)
            return takes_part(world->cloths[k]) ? world->cloths[k] : NULL;
    return NULL;
}

/* The pairs of one group, behind `count` others; returns how many there are then. */
static int list_group(tl_world *world, const tl_surface_group *group, int count)
{
    tl_surfaces *set = &world->surfaces;
    tl_cloth *a = cloth_of(world, set->surface[group->a]), *b = cloth_of(world, set->surface[group->b]);
    if (!a || !b)
        return count;
    int before = count, total = tl_group_close(set, group, count);
    for (; count < total; ++count) {
        const tl_close *close = &set->close[count];
        if (!tl_grow(&world->allocator, &world->coupling, count, &world->coupling_capacity, sizeof *world->coupling)) {
            set->failed = true;
            return before;
        }
        tl_coupling *pair = &world->coupling[count];
        *pair = (tl_coupling){.n = close->n, .missing = close->missing, .way = close->way, .friction = close->friction};
        bool swapped = close->pair->a != group->a; /* a vertex of the second against a face of the first */
        for (int k = 0; k < 4; ++k) {
            bool first = k < (close->pair->kind == TL_VERTEX_FACE ? 1 : 2);
            pair->of[k] = first != swapped ? &a->system : &b->system;
            pair->particle[k] = close->pair->p[k];
            pair->c[k] = close->c[k];
        }
    }
    return count;
}

/* What the pairs pushed. */
static void note(tl_world *world, int count)
{
    for (int n = 0; n < count; ++n) {
        const tl_close *close = &world->surfaces.close[n];
        const tl_surface *a = world->surfaces.surface[close->pair->a], *b = world->surfaces.surface[close->pair->b];
        tl_real push = world->coupling[n].push;
        close->pair->pushed += push;
        for (int k = 0; k < 4; ++k)
            (k < (close->pair->kind == TL_VERTEX_FACE ? 1 : 2) ? a : b)->pressure[close->pair->p[k]] +=
                fabs(close->c[k]) * push;
    }
}

void tl_world_press(tl_world *world)
{
    int pairs = 0, systems = 0;
    for (int k = 0; k < world->surfaces.group_count; ++k)
        if (tl_group_of_cloths(&world->surfaces, &world->surfaces.group[k]))
            pairs = list_group(world, &world->surfaces.group[k], pairs);
    for (int k = 0; k < world->cloth_count && pairs > 0; ++k) {
        tl_cloth *cloth = world->cloths[k];
        if (!takes_part(cloth))
            continue;
        if (!tl_grow(&world->allocator, &world->coupled, systems, &world->coupled_capacity, sizeof *world->coupled)) {
            world->surfaces.failed = true;
            return;
        }
        world->coupled[systems++] = &cloth->system;
        /* other bodies look at all of it again */
        memset(cloth->surface->touched, 1, (size_t)cloth->mesh->particle_count / TL_SURFACE_BLOCK + 1);
    }
    if (pairs == 0)
        return;
    tl_couple(world->coupled, systems, world->coupling, pairs);
    note(world, pairs);
}
