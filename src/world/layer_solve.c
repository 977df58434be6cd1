/* Contact phase "layer solve": contact between layers of cloths with implicit steppers (step/layer_contact.h). */
#include "contact/body/body_contacts.h"
#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/contact_solve.h"
#include "step/implicit.h"
#include "step/layer_contact.h"
#include "world/contacts.h"

#include <string.h>

static bool takes_part(const tl_cloth *cloth)
{
    return cloth->stepper->solves_contact && cloth->contact->bodies && tl_cloth_is_coupled(cloth);
}

static tl_cloth *cloth_of(const tl_world *world, const tl_contact_mesh *mesh)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->contact_mesh == mesh)
            return takes_part(world->cloths[k]) ? world->cloths[k] : NULL;
    return NULL;
}

/* Appends the contacts of one mesh pair after the first `count`; returns the new count. */
static int add_mesh_pair(tl_world *world, const tl_mesh_pair *pair, int count)
{
    tl_contact_world *set = &world->contacts;
    tl_cloth *a = cloth_of(world, set->mesh[pair->a]), *b = cloth_of(world, set->mesh[pair->b]);
    bool layers = tl_is_cloth_pair(set, pair);
    if (!a || (layers && !b))
        return count;
    int before = count, total = tl_mesh_pair_rows(set, pair, count);
    for (; count < total; ++count) {
        const tl_contact_row *row = &set->row[count];
        if (!tl_grow(&world->allocator, &world->layer_contacts, count, &world->layer_contact_capacity,
                     sizeof *world->layer_contacts)) {
            set->failed = true;
            return before;
        }
        tl_layer_contact *contact = &world->layer_contacts[count];
        *contact = (tl_layer_contact){
            .n = row->n, .missing = row->missing, .displacement = row->displacement, .friction = row->friction};
        bool swapped = row->contact->a != pair->a; /* a vertex of mesh b against a face of mesh a */
        for (int k = 0; k < 4; ++k) {
            bool first = k < (row->contact->kind == TL_VERTEX_FACE ? 1 : 2);
            bool of_a = first != swapped;
            contact->of[k] = of_a || !layers ? &a->system : &b->system;
            contact->particle[k] = of_a || layers ? row->contact->p[k] : 0;
            contact->c[k] = of_a || layers ? row->c[k] : 0; /* a body goes its own way */
        }
        contact->external = !layers;
    }
    return count;
}

/* Appends the constraint of a particle that a body holds and another part of it pushes as well; returns the new
   count. */
static int let_go(tl_world *world, tl_system *system, int i, int count)
{
    tl_real pressed;
    const tl_contact_constraint *constraint = tl_implicit_let_go(system, i, &pressed);
    if (!constraint)
        return count;
    tl_layer_contact *contact = &world->layer_contacts[count];
    *contact = (tl_layer_contact){.of = {system, system, system, system},
                                  .particle = {i, i, i, i},
                                  .c = {1, 0, 0, 0},
                                  .n = constraint->normal,
                                  .external = true,
                                  .leaves = true,
                                  .held = pressed};
    return count + 1;
}

/* Lets the particles of `rows` contacts go where one of them is in the way of a body's edges and corners; returns the
   new count. */
static int let_all_go(tl_world *world, int rows)
{
    int count = rows;
    bool any = false;
    for (int n = 0; n < rows; ++n)
        any |= world->layer_contacts[n].external && world->layer_contacts[n].missing > 0;
    for (int n = 0; n < rows && any; ++n)
        for (int k = 0; k < 4; ++k) {
            const tl_layer_contact row = world->layer_contacts[n];
            if (!row.external || !(fabs(row.c[k]) > 0))
                continue;
            if (!tl_grow(&world->allocator, &world->layer_contacts, count, &world->layer_contact_capacity,
                         sizeof *world->layer_contacts)) {
                world->contacts.failed = true;
                return count;
            }
            count = let_go(world, row.of[k], row.particle[k], count);
        }
    return count;
}

/* The body of a row takes its push at the contact point. */
static void report_to_body(const tl_contact_world *set, const tl_contact_row *row, tl_real push)
{
    bool second = set->mesh[row->contact->a]->is_cloth; /* the body is the second */
    const tl_contact_mesh *body = set->mesh[second ? row->contact->b : row->contact->a];
    tl_contact_mesh *cloth = set->mesh[second ? row->contact->a : row->contact->b];
    int split = row->contact->kind == TL_VERTEX_FACE ? 1 : 2;
    tl_vec3 place = {0, 0, 0}, impulse = tl_scale(row->n, second ? -push : push);
    for (int k = second ? split : 0; k < (second ? 4 : split); ++k)
        place = tl_madd(place, tl_at(body->x, row->contact->p[k]), fabs(row->c[k]));
    tl_body_contacts_receive(cloth->body_contacts, body, impulse, tl_cross(tl_sub(place, body->pivot), impulse));
}

/* Adds the contact impulses to contacts, particle pressures and bodies. */
static void report(tl_world *world, int count)
{
    for (int n = 0; n < count; ++n) {
        const tl_contact_row *row = &world->contacts.row[n];
        const tl_contact_mesh *a = world->contacts.mesh[row->contact->a], *b = world->contacts.mesh[row->contact->b];
        tl_real push = world->layer_contacts[n].push;
        row->contact->pushed += push;
        if (world->layer_contacts[n].external && push > 0)
            report_to_body(&world->contacts, row, push);
        for (int k = 0; k < 4; ++k) {
            const tl_contact_mesh *s = k < (row->contact->kind == TL_VERTEX_FACE ? 1 : 2) ? a : b;
            if (s->pressure)
                s->pressure[row->contact->p[k]] += fabs(row->c[k]) * push;
        }
    }
}

/* Collects the systems that take part; -1 when memory is short. */
static int gather_systems(tl_world *world)
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
        /* convex bodies re-check all particles */
        memset(cloth->contact_mesh->touched, 1, (size_t)cloth->mesh->particle_count / TL_CONTACT_MESH_BLOCK + 1);
    }
    return systems;
}

static int solve(tl_world *world)
{
    int rows = 0;
    for (int k = 0; k < world->contacts.pair_count; ++k)
        rows = add_mesh_pair(world, &world->contacts.pair[k], rows);
    if (rows == 0)
        return 0;
    int systems = gather_systems(world);
    if (systems < 0) {
        world->contacts.failed = true;
        return 0;
    }
    int count = let_all_go(world, rows);
    tl_layer_contacts_solve(world->layer_systems, systems, world->layer_contacts, count);
    report(world, rows);
    for (int n = rows; n < count; ++n)
        tl_implicit_pushed(world->layer_contacts[n].of[0], world->layer_contacts[n].particle[0],
                           world->layer_contacts[n].push);
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
    if (!any_takes_part(world))
        return 0;
    int rows = solve(world);
    tl_broad_phase_update(set); /* candidates must bound the new displacements */
    return rows;
}
