/* Creating, changing and destroying cloths. */
#include "step/strain_limit.h"
#include "world/cloth_shape.h"
#include "world/contacts.h"
#include "world/definition.h"
#include "world/fabric.h"
#include "world/material.h"
#include "world/nurbs.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/* The force of the air is held while it changes by less than this fraction, and for a 60th of a second at most. */
#define AIR_CHANGE 0.25
#define AIR_RATE 60.0
/* A cloth is stiff when its own weight stretches it by less than this. */
#define STIFF_STRETCH 0.005
#define EARTH 9.81 /* m/s² */

void tl_cloth_place_air(tl_cloth *cloth)
{
    const tl_point origin = cloth->origin;
    cloth->air.origin[0] = origin.x;
    cloth->air.origin[1] = origin.y;
    cloth->air.origin[2] = origin.z;
}

static void air_force(void *user, tl_particles *p, double time)
{
    tl_cloth *cloth = user;
    cloth->air.time = time;
    tl_cloth_place_air(cloth);
    if (strcmp(cloth->def.air, "particle") == 0)
        tl_air_on_particles(&cloth->air, cloth->mesh, p);
    else if (strcmp(cloth->def.air, "load") == 0)
        tl_air_load(&cloth->air, cloth->mesh, p);
    else
        tl_air_on_faces(&cloth->air, cloth->mesh, p);
}

/* Drag slows a sheet of ρ_A down at the rate ρ C u/ρ_A. */
static double air_holds(void *user, const tl_particles *p)
{
    const tl_cloth *cloth = user;
    double coefficient = (double)(cloth->air.drag + cloth->air.lift) * (double)cloth->world->def.wind.air_density;
    double rate = coefficient * tl_air_fastest(&cloth->air, p) / (double)cloth->system.area_density;
    return AIR_CHANGE / fmax(rate, AIR_CHANGE * AIR_RATE);
}

static const char *label_of(const tl_cloth *cloth) { return cloth->def.label[0] ? cloth->def.label : "cloth"; }

/* Builds the batches of elements that are on, and passes all batches their settings. */
static tl_result configure_elements(tl_cloth *cloth, tl_error *error)
{
    tl_system *system = &cloth->system;
    const tl_element_def *elements = tl_element_array(&cloth->def.elements);
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        tl_element_batch *batch = &system->batch[e];
        if (elements[e].on && !batch->kind) {
            tl_element_batch made = {
                .kind = tl_element_classes[e], .allocator = system->allocator, .lanes = system->lanes};
            tl_result result = made.kind->build(&made, cloth->mesh, error);
            if (result != TL_OK)
                return result;
            *batch = made;
        }
        batch->stiffness = elements[e].stiffness;
        batch->damping = elements[e].damping;
        batch->settings = (tl_element_settings){.full_damping = strcmp(cloth->def.link_damping, "full") == 0,
                                                .stretch_u = cloth->def.stretch_u,
                                                .stretch_v = cloth->def.stretch_v};
        system->on[e] = elements[e].on && batch->count > 0;
    }
    return TL_OK;
}

/* Builds the gas's closed surface when it is first switched on, and passes its settings. */
static tl_result configure_gas(tl_cloth *cloth, tl_error *error)
{
    tl_system *system = &cloth->system;
    tl_gas *gas = &system->gas;
    const tl_gas_def *def = &cloth->def.gas;
    if (!def->on && !gas->built)
        return TL_OK;
    if (def->leak_vertex >= cloth->mesh->vertex_count)
        return tl_fail(error, TL_ERROR_INPUT, "%s.gas.leak_vertex: %d, but the mesh has %d vertices", label_of(cloth),
                       def->leak_vertex, cloth->mesh->vertex_count);
    if (!gas->built) {
        tl_error reason = {0};
        tl_result result = tl_gas_build(gas, cloth->mesh, &system->allocator, def, &reason);
        if (result != TL_OK)
            return tl_fail(error, result, "%s.%s", label_of(cloth), reason.message);
        system->bytes += gas->bytes;
        for (int k = 0; k < gas->rim_count; ++k)
            if (system->p.w[gas->rim[k]] > 0) {
                int vertex = cloth->mesh->vertex_of_particle[gas->rim[k]];
                system->bytes -= gas->bytes;
                tl_gas_destroy(gas, &system->allocator);
                return tl_fail(
                    error, TL_ERROR_INPUT,
                    "%s.gas.depth: vertex %d on the rim is not pinned, but the rigid walls are attached there",
                    label_of(cloth), vertex);
            }
    }
    tl_gas_configure(gas, cloth->mesh, &system->p, def, system->lanes);
    return TL_OK;
}

static tl_result make_substep_checkpoint(tl_cloth *cloth, tl_error *error)
{
    for (int k = 0; k < 7 && cloth->def.adaptive; ++k)
        if (!cloth->checkpoint[TL_AT_SUBSTEP].state[k] &&
            !(cloth->checkpoint[TL_AT_SUBSTEP].state[k] = tl_system_array(&cloth->system)))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for adaptive substeps");
    return TL_OK;
}

/* Whether a sheet hung by its edge stretches by less than STIFF_STRETCH. */
static bool is_stiff(tl_cloth *cloth)
{
    double area = 0, stiffness = 0;
    for (int f = 0; f < cloth->mesh->face_count; ++f)
        area += (double)cloth->mesh->rest_area[f];
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        const tl_element_batch *batch = &cloth->system.batch[e];
        if (!cloth->system.on[e] || !(batch->kind->resists & TL_RESISTS_STRETCH))
            continue;
        tl_real own = batch->kind->sheet_stiffness ? batch->kind->sheet_stiffness(batch->stiffness, cloth->mean_edge)
                                                   : batch->stiffness;
        stiffness = fmax(stiffness, (double)own);
    }
    return (double)cloth->system.area_density * EARTH * sqrt(area) < STIFF_STRETCH * stiffness;
}

/* Measures what limits the substep of explicit steppers, unless nothing has changed it. */
static tl_result measure_stability(tl_cloth *cloth, const tl_stepper_class *stepper, tl_error *error)
{
    const tl_real masses[2] = {cloth->def.density, cloth->def.particle_mass};
    bool known = cloth->stability.frequency > 0 &&
                 memcmp(&cloth->stability_of, &cloth->def.elements, sizeof cloth->stability_of) == 0 &&
                 memcmp(cloth->stability_masses, masses, sizeof masses) == 0;
    if (!(stepper->stable_angle > 0) || known)
        return TL_OK;
    cloth->said_substeps = false;
    memcpy(&cloth->stability_of, &cloth->def.elements, sizeof cloth->stability_of);
    memcpy(cloth->stability_masses, masses, sizeof masses);
    return tl_stability_measure(&cloth->system, &cloth->stability, error);
}

static bool make_held_force(tl_system *system)
{
    for (int c = 0; c < 3; ++c)
        if (!system->held_force[c] && !(system->held_force[c] = tl_system_array(system)))
            return false;
    return true;
}

/* Gravity as the same force for all particles of the same area. */
static tl_result configure_weight(tl_cloth *cloth, tl_error *error)
{
    tl_system *system = &cloth->system;
    system->even_weight = false;
    if (!cloth->def.gravity_as_force)
        return TL_OK;
    if ((!system->weight && !(system->weight = tl_system_array(system))) || !make_held_force(system))
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for weights");
    tl_cloth_even_weight(cloth);
    system->even_weight = true;
    return TL_OK;
}

/* Memory of the air's force, when it is first on. */
static tl_result prepare_air(tl_cloth *cloth, tl_error *error)
{
    tl_air *air = &cloth->air;
    tl_system *system = &cloth->system;
    if (strcmp(cloth->def.air, "off") == 0)
        return TL_OK;
    if (!air->faces && strcmp(cloth->def.air, "face") == 0) {
        if (!(air->faces = tl_air_faces_create(&cloth->world->allocator, cloth->mesh)))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for the air");
        system->bytes += air->faces->bytes;
    }
    if (!air->scratch && strcmp(cloth->def.air, "particle") == 0) {
        size_t numbers = tl_air_scratch(cloth->mesh);
        if (!(air->scratch = tl_allocate(&cloth->world->allocator, numbers, sizeof(tl_real))))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for the air");
        system->bytes += numbers * sizeof(tl_real);
    }
    bool made = make_held_force(system);
    for (int c = 0; c < 3 && made; ++c)
        made = air->eddy[c] || (air->eddy[c] = tl_system_array(system));
    return made ? TL_OK : tl_fail(error, TL_ERROR_MEMORY, "no memory for the air");
}

static tl_preconditioner preconditioner_of(const char *name)
{
    return strcmp(name, "multigrid") == 0 ? TL_CONDITION_MULTIGRID
           : strcmp(name, "sweep") == 0   ? TL_CONDITION_SWEEP
                                          : TL_CONDITION_BLOCKS;
}

tl_result tl_cloth_configure(tl_cloth *cloth, tl_error *error)
{
    const tl_stepper_class *stepper = tl_material_stepper(&cloth->def);
    tl_schedule schedule;
    tl_error reason;
    if (tl_schedule_parse(cloth->def.schedule[0] ? cloth->def.schedule : stepper->schedule, cloth->def.iterations,
                          &schedule, &reason) != TL_OK)
        return tl_fail(error, TL_ERROR_INPUT, "%s.%s", label_of(cloth), reason.message);
    if (cloth->def.adaptive && tl_contact_find(cloth->def.contact)->self_collision)
        return tl_fail(error, TL_ERROR_UNSUPPORTED,
                       "%s.adaptive.on: cloths in contact with each other share their substeps; contact %s has a "
                       "fixed number of them",
                       label_of(cloth), cloth->def.contact);
    if (tl_cloth_check_gaps(cloth, error) != TL_OK)
        return error->code;
    cloth->system.iterations = cloth->def.iterations;
    cloth->system.position_settings =
        (tl_position_settings){.range_low = cloth->def.range_low,
                               .range_high = cloth->def.range_high,
                               .loss = cloth->def.projection_loss,
                               .halves = cloth->def.projection_halves && strcmp(stepper->name, "projection") == 0,
                               .tether = cloth->def.tether,
                               .multilevel = cloth->def.multilevel,
                               .extra_sweeps = cloth->def.extra_sweeps};
    cloth->system.implicit_settings =
        (tl_implicit_settings){.newton = cloth->def.newton,
                               .iterations = cloth->def.solver_iterations,
                               .tolerance = cloth->def.solver_tolerance,
                               .preconditioner = preconditioner_of(cloth->def.preconditioner)};
    cloth->system.strain_limit_settings =
        (tl_strain_limit_settings){.on = cloth->def.strain_limit,
                                   .stretch = {cloth->def.strain_limit_warp, cloth->def.strain_limit_weft},
                                   .passes = cloth->def.strain_limit_passes};
    tl_result result = configure_elements(cloth, error);
    if (result == TL_OK)
        result = configure_gas(cloth, error);
    if (result == TL_OK)
        result = make_substep_checkpoint(cloth, error);
    if (result == TL_OK)
        result = configure_weight(cloth, error);
    if (result == TL_OK)
        result = prepare_air(cloth, error);
    if (result == TL_OK)
        result = measure_stability(cloth, stepper, error);
    if (result == TL_OK)
        result = tl_balance_prepare(cloth, stepper, error);
    if (result == TL_OK && (cloth->def.strain_limit || stepper->holds_length))
        result = tl_strain_limit_prepare(&cloth->system, error);
    if (result == TL_OK && stepper->prepare)
        result = stepper->prepare(&cloth->system, error);
    if (result != TL_OK)
        return result;
    if (stepper != cloth->stepper)
        tl_pins_changed(cloth); /* tethers start from the shape the previous stepper left */
    cloth->stepper = stepper;
    cloth->contact = tl_contact_find(cloth->def.contact);
    cloth->stiff = is_stiff(cloth);
    tl_world_contacts_changed(cloth->world, false);
    cloth->schedule = schedule;
    cloth->system.damping = cloth->def.damping;
    cloth->air.wind = &cloth->world->def.wind;
    cloth->air.drag = cloth->def.drag;
    cloth->air.lift = cloth->def.lift;
    cloth->air.load_area = cloth->def.load_area;
    cloth->air.lanes = cloth->system.lanes;
    bool air = strcmp(cloth->def.air, "off") != 0 && (cloth->def.drag > 0 || cloth->def.lift > 0);
    cloth->system.air = air ? air_force : NULL;
    cloth->system.air_holds = air_holds;
    cloth->system.air_user = cloth;
    cloth->system.body_contacts = &cloth->body_contacts;
    tl_cloth_changed(cloth);
    return tl_nurbs_configure(cloth, error);
}

/* The edges that measure strain: all, but on a grid only rows and columns. */
static tl_result make_strain_edges(tl_cloth *cloth, tl_error *error)
{
    const tl_mesh *mesh = cloth->mesh;
    cloth->strain_edge = tl_allocate(&cloth->world->allocator, (size_t)mesh->edge_count, sizeof(int));
    if (!cloth->strain_edge)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for %d edges", mesh->edge_count);
    double sum = 0;
    cloth->shortest_edge = mesh->edge_length[0];
    for (int e = 0; e < mesh->edge_count; ++e) {
        cloth->shortest_edge = tl_min(cloth->shortest_edge, mesh->edge_length[e]);
        if (mesh->lattice) {
            int a = mesh->vertex_of_particle[mesh->edge_a[e]], b = mesh->vertex_of_particle[mesh->edge_b[e]];
            if (a / mesh->columns != b / mesh->columns && a % mesh->columns != b % mesh->columns)
                continue;
        }
        cloth->strain_edge[cloth->strain_count++] = e;
        sum += (double)mesh->edge_length[e];
    }
    cloth->mean_edge = (tl_real)(sum / cloth->strain_count);
    cloth->fineness = tl_mesh_fineness(mesh);
    return TL_OK;
}

static tl_result make_state(tl_cloth *cloth, tl_error *error)
{
    for (int k = 0; k < 7; ++k)
        if (!(cloth->checkpoint[TL_AT_FRAME].state[k] = tl_system_array(&cloth->system)))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for a checkpoint");
    cloth->pressure = tl_system_array(&cloth->system);
    if (!cloth->pressure)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for contact");
    return tl_balance_create(cloth, error);
}

/* Particles from which a cloth, or all cloths of a world together, run on several threads: below that, dispatch costs
   more than it saves. */
enum { MIN_THREADED = 8192 };

static tl_result choose_threads(tl_cloth *cloth, tl_error *error)
{
    tl_world *world = cloth->world;
    long particles = cloth->mesh->particle_count;
    for (int k = 0; k < world->cloth_count; ++k)
        particles += world->cloths[k]->mesh->particle_count;
    if (particles < MIN_THREADED)
        return TL_OK;
    tl_result result = tl_world_make_threads(world, error);
    if (cloth->mesh->particle_count >= MIN_THREADED)
        cloth->system.tasks = world->tasks;
    return result;
}

static tl_mesh *make_mesh(const tl_cloth_def *def, const tl_allocator *allocator, tl_error *error)
{
    if (strcmp(def->shape, "sheet") == 0)
        return tl_mesh_create_grid(&(tl_grid_def){def->columns, def->rows, def->width, def->height,
                                                  strcmp(def->diagonals, "alternating") == 0},
                                   allocator, error);
    return tl_mesh_create_surface(
        &(tl_surface_def){def->shape, def->columns, def->rows, def->width, def->height, def->bulge}, allocator, error);
}

static tl_result create(tl_cloth *cloth, const tl_cloth_def *def, tl_error *error)
{
    tl_world *world = cloth->world;
    tl_result result = tl_def_read(&cloth->def, def, &tl_cloth_params, error);
    if (result == TL_OK)
        result = tl_check_def(&tl_cloth_params, &cloth->def, label_of(cloth), error);
    if (result != TL_OK)
        return result;
    cloth->mesh = cloth->def.mesh;
    tl_fabric_resolve(&cloth->def);
    tl_material_resolve(&cloth->def);
    if (!cloth->mesh)
        cloth->mesh = cloth->own_mesh = make_mesh(&cloth->def, &world->allocator, error);
    if (!cloth->mesh)
        return error->code;
    result = tl_system_create(&cloth->system, cloth->mesh, &world->allocator, world->lanes, error);
    if (result == TL_OK)
        result = choose_threads(cloth, error);
    if (result == TL_OK)
        result = make_state(cloth, error);
    if (result == TL_OK)
        result = make_strain_edges(cloth, error);
    if (result == TL_OK)
        result = tl_cloth_place(cloth, error);
    if (result == TL_OK)
        tl_cloth_forget_past(cloth);
    if (result == TL_OK)
        result = tl_cloth_weigh(cloth, error);
    if (result == TL_OK)
        result = tl_pins_create(cloth, error);
    if (result == TL_OK)
        result = tl_cloth_configure(cloth, error);
    return result;
}

static bool room_for_bodies(tl_cloth *cloth, int count)
{
    const tl_allocator *allocator = &cloth->world->allocator;
    while (cloth->convex_capacity < count)
        if (!tl_grow(allocator, &cloth->convex_bodies, cloth->convex_capacity, &cloth->convex_capacity,
                     sizeof *cloth->convex_bodies))
            return false;
    while (cloth->mesh_capacity < count)
        if (!tl_grow(allocator, &cloth->mesh_bodies, cloth->mesh_capacity, &cloth->mesh_capacity,
                     sizeof *cloth->mesh_bodies))
            return false;
    while (cloth->given_capacity < count)
        if (!tl_grow(allocator, &cloth->given, cloth->given_capacity, &cloth->given_capacity, sizeof *cloth->given))
            return false;
    return !cloth->nurbs || room_for_bodies(cloth->nurbs->control, count);
}

/* Bodies may be created after cloths. */
bool tl_world_room_for_bodies(tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (!room_for_bodies(world->cloths[k], world->body_count + 1))
            return false;
    return true;
}

tl_cloth *tl_cloth_create(tl_world *world, const tl_cloth_def *def)
{
    tl_allocator *allocator = &world->allocator;
    tl_cloth *cloth = tl_allocate(allocator, 1, sizeof *cloth);
    if (!cloth || !tl_grow(allocator, &world->cloths, world->cloth_count, &world->cloth_capacity, sizeof(tl_cloth *))) {
        tl_release(allocator, cloth);
        tl_fail(&world->error, TL_ERROR_MEMORY, "no memory for a cloth");
        return NULL;
    }
    cloth->world = world;
    tl_result result = create(cloth, def, &world->error);
    if (result == TL_OK && !room_for_bodies(cloth, world->body_count + 1))
        result = tl_fail(&world->error, TL_ERROR_MEMORY, "no memory for contact");
    if (result != TL_OK) {
        tl_cloth_free(cloth);
        return NULL;
    }
    cloth->def.pins = NULL; /* the user's array is not kept: ask tl_cloth_pinned */
    cloth->def.pin_count = 0;
    cloth->index = world->cloth_count;
    world->cloths[world->cloth_count++] = cloth;
    tl_world_contacts_changed(world, true);
    tl_cloth_check_digits(cloth);
    tl_cloth_check_size(cloth);
    return cloth;
}

tl_cloth *tl_cloth_create_hidden(tl_world *world, const tl_cloth_def *def, tl_error *error)
{
    tl_cloth *cloth = tl_allocate(&world->allocator, 1, sizeof *cloth);
    if (!cloth) {
        tl_fail(error, TL_ERROR_MEMORY, "no memory for a cloth");
        return NULL;
    }
    cloth->world = world;
    tl_result result = create(cloth, def, error);
    if (result == TL_OK && !room_for_bodies(cloth, world->body_count + 1))
        result = tl_fail(error, TL_ERROR_MEMORY, "no memory for contact");
    if (result == TL_OK)
        return cloth;
    tl_cloth_free(cloth);
    return NULL;
}

void tl_cloth_free(tl_cloth *cloth)
{
    tl_nurbs_destroy(cloth);
    tl_allocator allocator = cloth->world->allocator;
    tl_system_destroy(&cloth->system);
    for (int k = 0; k < 7; ++k) {
        tl_release(&allocator, cloth->checkpoint[TL_AT_FRAME].state[k]);
        tl_release(&allocator, cloth->checkpoint[TL_AT_SUBSTEP].state[k]);
    }
    for (int k = 0; k < TL_OUTPUT_VECTORS; ++k)
        tl_release(&allocator, cloth->output[k]);
    tl_release(&allocator, cloth->strain_output);
    tl_release(&allocator, cloth->contact_output);
    tl_release(&allocator, cloth->mass_output);
    tl_release(&allocator, cloth->pressure);
    tl_balance_destroy(cloth);
    tl_release(&allocator, cloth->air.scratch);
    tl_air_faces_destroy(cloth->air.faces, &allocator);
    for (int c = 0; c < 3; ++c)
        tl_release(&allocator, cloth->air.eddy[c]);
    tl_release(&allocator, cloth->strain_edge);
    tl_release(&allocator, cloth->convex_bodies);
    tl_release(&allocator, cloth->mesh_bodies);
    tl_release(&allocator, cloth->given);
    tl_trace_release(&cloth->trace);
    tl_release(&allocator, cloth->pins);
    tl_mesh_destroy(cloth->own_mesh);
    tl_release(&allocator, cloth);
}

void tl_cloth_destroy(tl_world *world, tl_cloth *cloth)
{
    for (int k = 0; k < world->cloth_count; ++k)
        if (world->cloths[k] == cloth) {
            memmove(world->cloths + k, world->cloths + k + 1,
                    (size_t)(world->cloth_count - k - 1) * sizeof(tl_cloth *));
            --world->cloth_count;
            for (int j = k; j < world->cloth_count; ++j)
                world->cloths[j]->index = j;
            tl_world_contacts_release(world);
            tl_cloth_free(cloth);
            return;
        }
}

tl_result tl_cloth_set(tl_cloth *cloth, const char *path, const tl_value *value)
{
    tl_error *error = &cloth->world->error;
    tl_cloth_def before = cloth->def;
    tl_result result = tl_set_live(&tl_cloth_params, &cloth->def, path, value, label_of(cloth), error);
    if (result == TL_OK && strcmp(path, "fabric") == 0)
        result = tl_cloth_weigh(cloth, error);
    if (result == TL_OK)
        result = tl_cloth_configure(cloth, error);
    if (result != TL_OK) { /* a setting that cannot be applied leaves the cloth unchanged */
        tl_error reason = *error;
        cloth->def = before;
        tl_cloth_configure(cloth, error);
        *error = reason;
    }
    return result;
}

const char *tl_cloth_stepper(const tl_cloth *cloth) { return cloth->stepper->name; }
const tl_cloth_def *tl_cloth_get_def(const tl_cloth *cloth) { return &cloth->def; }
const tl_mesh *tl_cloth_mesh(const tl_cloth *cloth) { return cloth->mesh; }
