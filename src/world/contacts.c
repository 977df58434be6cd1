#include "world/contacts.h"

#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/intersection_count.h"
#include "core/timing.h"
#include "world/body_mesh.h"

#include <stdio.h>
#include <string.h>

/* ---- contact meshes --------------------------------------------------------------------------------------------- */

void tl_world_contacts_changed(tl_world *world, bool recreate)
{
    world->contacts_paired = false;
    world->contacts_made = world->contacts_made && !recreate;
}

void tl_world_contacts_release(tl_world *world)
{
    tl_contact_world_destroy(&world->contacts);
    for (int k = 0; k < world->cloth_count; ++k)
        world->cloths[k]->contact_mesh = NULL;
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->mesh)
            world->bodies[b]->mesh->contact_mesh = NULL;
    world->contact_method = tl_contact_methods;
    tl_world_contacts_changed(world, true);
}

static bool any_needed(const tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->contact->self_collision)
            return true;
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->mesh)
            return true;
    return false;
}

/* One contact mesh per cloth and mesh body, in their order; all or none. */
static bool create_meshes(tl_world *world)
{
    tl_contact_world *set = &world->contacts;
    set->allocator = world->allocator;
    tl_contact_world_destroy(set);
    bool made = true;
    for (int k = 0; k < world->cloth_count; ++k)
        made =
            (world->cloths[k]->contact_mesh = made ? tl_contact_world_add(set, world->cloths[k]->mesh) : NULL) && made;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        if (body->mesh)
            made = (body->mesh->contact_mesh = made ? tl_contact_world_add(set, body->def.mesh) : NULL) && made;
    }
    return made;
}

static void bind_cloth(tl_cloth *cloth)
{
    tl_contact_mesh *s = cloth->contact_mesh;
    tl_system *system = &cloth->system;
    for (int c = 0; c < 3; ++c) {
        s->x[c] = system->p.x[c];
        s->x_old[c] = system->x_old[c];
        s->v[c] = system->p.v[c];
    }
    s->w = system->p.w;
    s->pressure = cloth->pressure;
    s->thickness = cloth->def.thickness;
    s->gap = cloth->def.cloth_gap > 0 ? cloth->def.cloth_gap : cloth->def.thickness;
    s->cloth_friction = cloth->def.cloth_friction;
    s->friction = cloth->def.friction;
    s->is_cloth = true;
    s->self_collides = cloth->contact->self_collision;
    s->bodies = cloth->contact->bodies;
    s->solved = cloth->stepper->solves_contact;
    s->body_contacts = &cloth->body_contacts;
}

static void bind_body(tl_body *body)
{
    tl_contact_mesh *s = body->mesh->contact_mesh;
    tl_body_mesh_arrays(body, s);
    s->friction = body->def.friction;
    s->restitution = body->def.restitution;
    s->solid = body->def.solid;
    s->bodies = body->def.on;
}

/* Particles from which the broad phase runs on all threads. */
enum { MIN_THREADED_QUERY = 1024 };

/* A user-supplied allocator is only called from one thread. If the pool cannot be created, one thread does it all. */
static tl_tasks *choose_threads(tl_world *world)
{
    long particles = 0;
    for (int k = 0; k < world->cloth_count; ++k)
        particles += world->cloths[k]->contact->self_collision ? world->cloths[k]->mesh->particle_count : 0;
    if (particles < MIN_THREADED_QUERY || world->def.allocator.allocate)
        return NULL;
    tl_error error;
    return tl_world_make_threads(world, &error) == TL_OK ? world->tasks : NULL;
}

static const tl_contact_method *method_of(const tl_world *world)
{
    const tl_contact_method *method = tl_contact_methods;
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->contact > method)
            method = world->cloths[k]->contact;
    return method;
}

/* The phases that run: penetration-free contact preserves the topology it starts with, so what crosses is pulled apart
   by self-collision before. */
static void choose_method(tl_world *world, bool untangles)
{
    const tl_contact_method *method = method_of(world);
    world->untangles = untangles && method->penetration_free;
    world->contact_method = world->untangles ? tl_contact_find("self-collision") : method;
    world->contacts.penetration_free = world->contact_method->penetration_free;
}

/* Creates the contact meshes, binds their settings and pairs them up. */
static tl_result prepare(tl_world *world)
{
    tl_contact_world *set = &world->contacts;
    if (!world->contacts_made && !create_meshes(world)) {
        tl_world_contacts_release(world);
        return tl_fail(&world->error, TL_ERROR_MEMORY, "no memory for contact between meshes");
    }
    world->contacts_made = true;
    for (int k = 0; k < world->cloth_count; ++k)
        bind_cloth(world->cloths[k]);
    set->lanes = world->lanes;
    choose_method(world, false);
    world->contacts_judged = false;
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->mesh)
            bind_body(world->bodies[b]);
    if (!tl_contact_world_pair_up(set))
        return tl_fail(&world->error, TL_ERROR_MEMORY, "no memory for contact between meshes");
    set->tasks = choose_threads(world);
    world->contacts_paired = true;
    return TL_OK;
}

/* Of cloths that may be in different coordinates. */
static int count_intersections(tl_world *world, int mesh, unsigned char *faces)
{
    tl_world_share_origin(world);
    int count = tl_count_intersections(&world->contacts, mesh, faces);
    tl_world_part_origins(world);
    return count;
}

static void say(tl_world *world, const char *text)
{
    if (world->def.log)
        (world->def.log)(world->def.log_user, text);
}

/* Label of the first cloth with crossing triangles, and the place of the first of these. */
static const char *find_crossing(tl_world *world, tl_vec3 *at)
{
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        unsigned char *faces = tl_allocate(&world->allocator, (size_t)cloth->mesh->face_count, 1);
        int f = 0, count = faces ? tl_cloth_count_intersections(cloth, faces) : 0;
        while (count > 0 && !faces[f])
            ++f;
        tl_release(&world->allocator, faces);
        if (count > 0) {
            *at = tl_public(world, cloth->origin, tl_at(cloth->system.p.x, cloth->mesh->face[3 * f]));
            return cloth->def.label;
        }
    }
    return "";
}

/* Counting looks at every pair of neighbours exactly, which in flat cloth are all degenerate. */
static bool any_intersection(tl_world *world)
{
    tl_world_share_origin(world);
    bool any = tl_any_intersection(&world->contacts);
    tl_world_part_origins(world);
    return any;
}

/* Crossings with which penetration-free contact would start are reported, and pulled apart first. */
static void report_intersections(tl_world *world)
{
    choose_method(world, false);
    world->contacts_judged = true;
    world->clean = !world->contact_method->self_collision || !any_intersection(world);
    if (world->clean || !world->contact_method->penetration_free)
        return;
    int count = count_intersections(world, -1, NULL);
    tl_vec3 at = {0, 0, 0};
    choose_method(world, true);
    const char *label = find_crossing(world, &at);
    tl_fail(
        &world->error, TL_ERROR_INPUT,
        "contact penetration-free: %d pairs of triangles cross at %.3f s, the first of %s near (%.3g, %.3g, %.3g) m; "
        "they are pulled apart as by self-collision before the guarantee begins",
        count, world->time, label, (double)at.x, (double)at.y, (double)at.z);
    say(world, world->error.message);
}

/* Does anything still cross? */
static void go_on_untangling(tl_world *world)
{
    char text[160];
    if (world->clean || !world->contact_method->self_collision || tl_any_intersection(&world->contacts))
        return;
    world->clean = true;
    if (!world->untangles)
        return;
    choose_method(world, false);
    snprintf(text, sizeof text, "contact penetration-free: nothing crosses any more at %.3f s; guaranteed from now on",
             world->time);
    say(world, text);
}

tl_result tl_world_update_contacts(tl_world *world)
{
    world->contacts.failed = false;
    if (!world->contacts_paired) {
        tl_result result = world->contacts.count > 0 || any_needed(world) ? prepare(world) : TL_OK;
        if (result != TL_OK || world->contacts.count == 0)
            return result;
    }
    if (!world->contacts_judged)
        report_intersections(world);
    else
        go_on_untangling(world);
    return TL_OK;
}

/* ---- common substeps ------------------------------------------------------------------------------------------ */

bool tl_cloth_is_coupled(const tl_cloth *cloth) { return cloth->contact_mesh && cloth->contact_mesh->paired; }

bool tl_cloth_is_penetration_free(const tl_cloth *cloth)
{
    return cloth->world->contacts.penetration_free && cloth->contact->self_collision && tl_cloth_is_coupled(cloth);
}

/* With penetration-free contact, pinned particles move to their targets in the last substep, as far as truncation
   allows. */
static void place_pins(tl_world *world, tl_real to)
{
    for (int k = 0; k < world->cloth_count && to == 1; ++k)
        if (tl_cloth_is_penetration_free(world->cloths[k]))
            tl_pins_end(world->cloths[k]);
}

/* Substeps that let a body run over cloth are taken again in so many parts. */
static const tl_real OVERRUN_FACTOR = 2;

/* Multistep steppers keep their substeps while a body is dynamic (world/step.c). */
static bool may_be_divided(const tl_cloth *cloth)
{
    bool dynamic = false;
    for (int b = 0; b < cloth->world->body_count; ++b)
        dynamic |= cloth->world->bodies[b]->is_dynamic;
    return tl_cloth_is_coupled(cloth) && !(dynamic && cloth->stepper->multistep);
}

/* Coupled cloths take the frame again in substeps shorter by this factor, as far as these may be divided. False when
   none is. */
static bool ask_for_shorter(tl_world *world, tl_real factor)
{
    bool again = false;
    for (int k = 0; k < world->cloth_count; ++k)
        if (may_be_divided(world->cloths[k]))
            again |= tl_cloth_note_sweep(world->cloths[k], factor);
    return again;
}

/* Is the frame taken again because edges grew, before contact adds to it? */
static bool grew_too_far(tl_world *world)
{
    bool again = false;
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        if (!may_be_divided(cloth))
            continue;
        tl_cloth_note_growth(cloth, 0);
        again |= tl_cloth_parts_needed(cloth) > cloth->parts;
    }
    return again;
}

/* Cloths that moved farther in this substep than the broad phase may bound take the frame again in shorter ones; beyond
   that they are slowed down. True when the frame is taken again. */
static bool moved_too_far(tl_world *world)
{
    tl_real sweep = tl_broad_phase_sweep(&world->contacts);
    if (!(sweep > 1))
        return false;
    bool again = ask_for_shorter(world, sweep);
    if (!again)
        tl_broad_phase_slow_down(&world->contacts, sweep);
    return again;
}

/* What keeps cloth from crossing cloth can leave particles inside a body that advances and would go on over them: the
   substep was too long. */
static bool any_overrun(const tl_world *world)
{
    bool any = false;
    for (int k = 0; k < world->cloth_count && !any; ++k)
        any = tl_cloth_is_coupled(world->cloths[k]) && tl_body_contacts_any_overrun(&world->cloths[k]->body_contacts);
    return any;
}

/* The phases of mesh contact, in the order of the method. */
static void run_phases(tl_world *world)
{
    for (const tl_contact_phase *const *phase = world->contact_method->phases; *phase; ++phase) {
        int entry = tl_trace_begin(&world->trace, (*phase)->name, -1, world->trace_substep);
        int count = (*phase)->run ? (*phase)->run(&world->contacts) : tl_world_layer_solve(world);
        tl_trace_end(&world->trace, entry, count, (*phase)->counts);
    }
}

/* Mesh contact at the end of a substep. */
static void solve_contacts(tl_world *world, tl_real h, tl_real to)
{
    tl_contact_world *set = &world->contacts;
    place_pins(world, to);
    set->up = tl_scale(tl_normalized(world->def.gravity), -1);
    set->h = h;
    set->rest_speed = 2 * h * tl_length(world->def.gravity);
    if (moved_too_far(world))
        return;
    run_phases(world);
    if (world->contact_method->self_collision && any_overrun(world))
        ask_for_shorter(world, OVERRUN_FACTOR);
}

int tl_world_coupled_substeps(const tl_world *world, tl_real dt)
{
    int most = 0;
    for (int k = 0; k < world->cloth_count; ++k) {
        int substeps = tl_cloth_is_coupled(world->cloths[k]) ? tl_cloth_substeps(world->cloths[k], dt) : 0;
        most = substeps > most ? substeps : most;
    }
    return most;
}

void tl_world_coupled_begin(tl_world *world, int substeps)
{
    tl_contacts_begin_frame(&world->contacts, substeps);
    world->contact_seconds = 0;
}

static bool any_ran_away(tl_world *world)
{
    bool any = false;
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        if (tl_cloth_is_coupled(cloth))
            any |= cloth->ran_away |= !(tl_cloth_measure_speed(cloth) <= world->def.runaway_speed);
    }
    return any;
}

void tl_world_coupled_substep(tl_world *world, tl_real dt, int n, int substeps)
{
    world->trace_substep = n;
    tl_real h = dt / (tl_real)substeps, from = (tl_real)n / (tl_real)substeps,
            to = (tl_real)(n + 1) / (tl_real)substeps;
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->mesh)
            tl_body_mesh_pose(world->bodies[b], h, from, to);
    for (int k = 0; k < world->cloth_count; ++k)
        if (tl_cloth_is_coupled(world->cloths[k]))
            tl_cloth_substep(world->cloths[k], h, from, to);
    if (any_ran_away(world) || grew_too_far(world))
        return; /* the frame will be rejected or taken again; swept bounds of runaway particles would overlap everything
                 */
    double start = tl_seconds();
    const tl_contact_world *set = &world->contacts;
    solve_contacts(world, h, to);
    for (int k = 0; k < world->cloth_count; ++k)
        if (tl_cloth_is_coupled(world->cloths[k]))
            tl_cloth_note_growth(world->cloths[k], tl_cloth_is_penetration_free(world->cloths[k]) ? set->cut : 0);
    world->contact_seconds += tl_seconds() - start;
}

/* The method of a frame. */
static void set_guard(tl_world *world, bool on)
{
    world->contact_method = tl_contact_find(on ? "penetration-free" : "self-collision");
    world->contacts.penetration_free = on;
}

/* Is an edge so short that faces beside it may have turned over within their plane, where contact sees nothing? */
static bool any_crushed(const tl_world *world)
{
    static const tl_real crushed = (tl_real)0.5; /* of the length at rest */
    for (int k = 0; k < world->cloth_count; ++k) {
        const tl_cloth *cloth = world->cloths[k];
        const tl_mesh *mesh = cloth->mesh;
        for (int n = 0; n < cloth->strain_count && tl_cloth_is_coupled(cloth); ++n) {
            int e = cloth->strain_edge[n];
            tl_vec3 along =
                tl_sub(tl_at(cloth->system.p.x, mesh->edge_a[e]), tl_at(cloth->system.p.x, mesh->edge_b[e]));
            tl_real shortest = crushed * mesh->edge_length[e];
            if (tl_dot(along, along) < shortest * shortest)
                return true;
        }
    }
    return false;
}

bool tl_world_guard_frame(tl_world *world)
{
    if (!world->clean || world->contact_method->penetration_free || !world->contact_method->self_collision ||
        any_ran_away(world))
        return false;
    if (!(world->contacts.troubled || any_crushed(world)) || !tl_any_intersection(&world->contacts))
        return false; /* the search costs as much as a substep or two: only where there is reason for it */
    set_guard(world, true);
    return true;
}

static void report_held(tl_world *world)
{
    const tl_contact_world *set = &world->contacts;
    if (set->most_held == 0 || world->said_held)
        return;
    char text[200];
    tl_vec3 at = tl_public(world, world->origin, set->held_at);
    snprintf(
        text, sizeof text,
        "contact penetration-free: %d particles are held at %.3f s, near (%.3g, %.3g, %.3g) m, where cloth touches "
        "or is too tight to move",
        set->most_held, world->time, (double)at.x, (double)at.y, (double)at.z);
    say(world, text);
    world->said_held = true;
}

void tl_world_coupled_end(tl_world *world)
{
    int coupled = 0;
    bool guarded = world->contact_method != method_of(world) && !world->untangles;
    if (guarded)
        set_guard(world, false);
    else
        report_held(world);
    for (int k = 0; k < world->cloth_count; ++k)
        coupled += tl_cloth_is_coupled(world->cloths[k]);
    for (int k = 0; k < world->cloth_count; ++k)
        if (tl_cloth_is_coupled(world->cloths[k])) {
            tl_cloth *cloth = world->cloths[k];
            tl_cloth_stats *stats = &cloth->stats;
            if (cloth->body_contacts.mesh_count > 0 && !cloth->ran_away) /* steppers count convex bodies only */
                stats->contacts = tl_body_contacts_count(&cloth->body_contacts);
            stats->pairs = world->contacts.contacts;
            stats->rebuilds = world->contacts.rebuilds;
            stats->truncated = world->contacts.truncated;
            stats->held = world->contacts.most_held;
            stats->guarded = guarded;
            stats->seconds_contact += world->contact_seconds / coupled;
        }
}

/* ---- counting ------------------------------------------------------------------------------------------------- */

int tl_world_count_intersections(tl_world *world)
{
    if (!world->contacts_made && prepare(world) != TL_OK)
        return -1;
    return count_intersections(world, -1, NULL);
}

int tl_cloth_count_intersections(tl_cloth *cloth, unsigned char *faces)
{
    tl_world *world = cloth->world;
    if (faces)
        memset(faces, 0, (size_t)cloth->mesh->face_count);
    if (!world->contacts_made && prepare(world) != TL_OK)
        return -1;
    int index = 0;
    while (world->contacts.mesh[index] != cloth->contact_mesh)
        ++index;
    return count_intersections(world, index, faces);
}

/* In the frame of the body, where its triangles stand still. `x`: memory for the particles. */
static int count_with_body(tl_cloth *cloth, const tl_body *body, tl_real *const x[3])
{
    for (int i = 0; i < cloth->mesh->particle_count; ++i)
        tl_put(x, i, tl_body_undo(body, tl_home_of_local(cloth->origin, tl_at(cloth->system.p.x, i))));
    return tl_count_body_intersections(&cloth->world->contacts, cloth->contact_mesh, x, &body->mesh->barrier);
}

int tl_cloth_count_body_intersections(tl_cloth *cloth)
{
    tl_world *world = cloth->world;
    if (!world->contacts_made && prepare(world) != TL_OK)
        return -1;
    size_t points = (size_t)cloth->mesh->particle_count;
    tl_real *memory = tl_allocate(&world->allocator, 3 * points, sizeof *memory);
    tl_real *const x[3] = {memory, memory + points, memory + 2 * points};
    int count = memory ? 0 : -1;
    for (int b = 0; b < world->body_count && count >= 0; ++b) {
        const tl_body *body = world->bodies[b];
        int pairs = body->mesh && body->def.on ? count_with_body(cloth, body, x) : 0;
        count = pairs < 0 ? -1 : count + pairs;
    }
    tl_release(&world->allocator, memory);
    return count;
}
