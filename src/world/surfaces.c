#include "world/surfaces.h"

#include "core/timing.h"
#include "world/body_mesh.h"

#include <string.h>

/* ---- keeping them up to date ---------------------------------------------------------------------------------- */

void tl_world_surfaces_changed(tl_world *world, bool made)
{
    world->surfaces_arranged = false;
    world->surfaces_made = world->surfaces_made && !made;
}

static bool any_needed(const tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k]->contact->layers)
            return true;
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->mesh)
            return true;
    return false;
}

/* One surface per cloth and per mesh body, in their order; all or none. */
static bool make_all(tl_world *world)
{
    tl_surfaces *set = &world->surfaces;
    set->allocator = world->allocator;
    tl_surfaces_destroy(set);
    bool made = true;
    for (int k = 0; k < world->cloth_count; ++k)
        made = (world->cloths[k]->surface = made ? tl_surfaces_add(set, world->cloths[k]->mesh) : NULL) && made;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        if (body->mesh)
            made = (body->mesh->surface = made ? tl_surfaces_add(set, body->def.mesh) : NULL) && made;
    }
    return made;
}

static void tell_cloth(tl_cloth *cloth)
{
    tl_surface *s = cloth->surface;
    tl_system *system = &cloth->system;
    for (int c = 0; c < 3; ++c) {
        s->x[c] = system->p.x[c];
        s->x_old[c] = system->x_old[c];
        s->v[c] = system->p.v[c];
    }
    s->w = system->p.w;
    s->pressure = cloth->pressure;
    s->thickness = cloth->def.thickness;
    s->gap = cloth->def.layer_gap > 0 ? cloth->def.layer_gap : cloth->def.thickness;
    s->layer_friction = cloth->def.layer_friction;
    s->friction = cloth->def.friction;
    s->is_cloth = true;
    s->layers = cloth->contact->layers;
    s->bodies = cloth->contact->bodies;
    s->solved = cloth->stepper->solves_contact;
}

static void tell_body(tl_body *body)
{
    tl_surface *s = body->mesh->surface;
    tl_body_mesh_arrays(body, s);
    s->friction = body->def.friction;
    s->restitution = body->def.restitution;
    s->solid = body->def.solid;
    s->bodies = body->def.on;
}

/* Particles of a world from which on lists of close pairs are made on all threads. */
enum { LEAST_LISTED = 1024 };

/* A host's own allocator is called by one thread only. When threads are short, one does it all. */
static tl_tasks *choose_threads(tl_world *world)
{
    long particles = 0;
    for (int k = 0; k < world->cloth_count; ++k)
        particles += world->cloths[k]->contact->layers ? world->cloths[k]->mesh->particle_count : 0;
    if (particles < LEAST_LISTED || world->def.allocator.allocate)
        return NULL;
    tl_error error;
    return tl_world_make_threads(world, &error) == TL_OK ? world->tasks : NULL;
}

/* Makes the surfaces and tells them their settings. */
static tl_result prepare(tl_world *world)
{
    tl_surfaces *set = &world->surfaces;
    if (!world->surfaces_made && !make_all(world)) {
        tl_surfaces_destroy(set);
        for (int k = 0; k < world->cloth_count; ++k)
            world->cloths[k]->surface = NULL;
        return tl_fail(&world->error, TL_ERROR_MEMORY, "no memory for contact of surfaces");
    }
    world->surfaces_made = true;
    set->safe = false;
    for (int k = 0; k < world->cloth_count; ++k) {
        tell_cloth(world->cloths[k]);
        set->safe |= world->cloths[k]->contact->safe;
    }
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->mesh)
            tell_body(world->bodies[b]);
    if (!tl_surfaces_arrange(set))
        return tl_fail(&world->error, TL_ERROR_MEMORY, "no memory for contact of surfaces");
    set->tasks = choose_threads(world);
    world->surfaces_arranged = true;
    return TL_OK;
}

/* The safe method keeps what it is given: a state that crosses already is reported, once. */
static void report_crossings(tl_world *world)
{
    int count = world->surfaces.safe ? tl_surfaces_count(&world->surfaces, -1, NULL) : 0;
    if (count <= 0)
        return;
    tl_fail(&world->error, TL_ERROR_INPUT,
            "contact safe: %d pairs of triangles cross at %.3f s and will stay so; contact fast pulls them apart",
            count, world->time);
    if (world->def.log)
        (world->def.log)(world->def.log_user, world->error.message);
}

tl_result tl_world_update_surfaces(tl_world *world)
{
    world->surfaces.failed = false;
    if (world->surfaces_arranged || (world->surfaces.count == 0 && !any_needed(world)))
        return TL_OK;
    tl_result result = prepare(world);
    if (result == TL_OK)
        report_crossings(world);
    return result;
}

/* ---- common substeps ------------------------------------------------------------------------------------------ */

bool tl_cloth_is_joined(const tl_cloth *cloth)
{
    const tl_surfaces *set = &cloth->world->surfaces;
    for (int k = 0; k < set->group_count; ++k)
        if (set->surface[set->group[k].a] == cloth->surface || set->surface[set->group[k].b] == cloth->surface)
            return cloth->surface != NULL;
    return false;
}

bool tl_cloth_is_bounded(const tl_cloth *cloth)
{
    return cloth->world->surfaces.safe && cloth->contact->layers && tl_cloth_is_joined(cloth);
}

typedef struct substep {
    tl_world *world;
    tl_real h;        /* s */
    tl_real from, to; /* 0…1, within the frame */
} substep;

/* Contact with convex bodies once more, for what other contact has moved. */
static void settle(void *user)
{
    const substep *step = user;
    for (int k = 0; k < step->world->cloth_count; ++k) {
        tl_cloth *cloth = step->world->cloths[k];
        if (tl_cloth_is_joined(cloth) && cloth->contact->bodies)
            tl_cloth_contact_again(cloth, step->h, cloth->surface->touched);
    }
}

static void press(void *user) { tl_world_press(((const substep *)user)->world); }

/* In a safe set held particles reach their targets within the last substep, as far as the bounds allow: what is in
   their way holds them up. */
static void place_pins(tl_world *world, tl_real to)
{
    for (int k = 0; k < world->cloth_count && to == 1; ++k)
        if (tl_cloth_is_bounded(world->cloths[k]))
            tl_pins_end(world->cloths[k]);
}

/* Contact of surfaces at the end of a substep, then the bounds. */
static void meet(tl_world *world, tl_real h, tl_real from, tl_real to)
{
    tl_surfaces *set = &world->surfaces;
    substep step = {world, h, from, to};
    set->settle = settle;
    set->press = tl_world_presses(world) ? press : NULL;
    set->settle_user = &step;
    place_pins(world, to);
    set->up = tl_scale(tl_normalized(world->def.gravity), -1);
    tl_surfaces_answer(set, h, 2 * h * tl_length(world->def.gravity));
    tl_surfaces_bound(set, h);
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        if (body->mesh) {
            body->impulse = tl_add(body->impulse, body->mesh->surface->impulse);
            body->moment = tl_add(body->moment, body->mesh->surface->moment);
        }
    }
}

int tl_world_joined_substeps(const tl_world *world)
{
    int substeps = 0;
    for (int k = 0; k < world->cloth_count; ++k)
        if (tl_cloth_is_joined(world->cloths[k]) && world->cloths[k]->def.substeps > substeps)
            substeps = world->cloths[k]->def.substeps;
    return substeps;
}

void tl_world_joined_begin(tl_world *world, int substeps, tl_real h)
{
    tl_surfaces_begin(&world->surfaces, substeps, h);
    world->surfaces_seconds = 0;
}

static bool any_runs_away(tl_world *world)
{
    bool any = false;
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        if (tl_cloth_is_joined(cloth))
            any |= cloth->ran_away |= !(tl_cloth_measure_speed(cloth) <= world->def.runaway_speed);
    }
    return any;
}

void tl_world_joined_substep(tl_world *world, tl_real dt, int n, int substeps)
{
    tl_real h = dt / (tl_real)substeps, from = (tl_real)n / (tl_real)substeps,
            to = (tl_real)(n + 1) / (tl_real)substeps;
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->mesh)
            tl_body_mesh_pose(world->bodies[b], h, from, to);
    for (int k = 0; k < world->cloth_count; ++k)
        if (tl_cloth_is_joined(world->cloths[k]))
            tl_cloth_substep(world->cloths[k], h, from, to);
    if (any_runs_away(world))
        return; /* the frame will be undone; what is everywhere at once would meet everything */
    double start = tl_seconds();
    meet(world, h, from, to);
    world->surfaces_seconds += tl_seconds() - start;
}

void tl_world_joined_end(tl_world *world)
{
    int joined = 0;
    for (int k = 0; k < world->cloth_count; ++k)
        joined += tl_cloth_is_joined(world->cloths[k]);
    for (int k = 0; k < world->cloth_count; ++k)
        if (tl_cloth_is_joined(world->cloths[k])) {
            tl_cloth_stats *stats = &world->cloths[k]->stats;
            stats->pairs = world->surfaces.pairs;
            stats->lists = world->surfaces.lists_made;
            stats->cut = world->surfaces.cut;
            stats->seconds_contact += world->surfaces_seconds / joined;
        }
}

/* ---- counting ------------------------------------------------------------------------------------------------- */

int tl_world_count_intersections(tl_world *world)
{
    if (!world->surfaces_made && prepare(world) != TL_OK)
        return -1;
    return tl_surfaces_count(&world->surfaces, -1, NULL);
}

int tl_cloth_intersections(tl_cloth *cloth, unsigned char *faces)
{
    tl_world *world = cloth->world;
    if (faces)
        memset(faces, 0, (size_t)cloth->mesh->face_count);
    if (!world->surfaces_made && prepare(world) != TL_OK)
        return -1;
    int index = 0;
    while (world->surfaces.surface[index] != cloth->surface)
        ++index;
    return tl_surfaces_count(&world->surfaces, index, faces);
}
