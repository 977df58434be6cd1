/* Creating, changing and destroying worlds. */
#include "world/world.h"

#include "core/timing.h"
#include "telar/telar.h"
#include "world/definition.h"
#include "world/material.h"

#include <string.h>

const char *tl_version(void) { return TL_VERSION; }

static tl_result choose_lanes(const char *name, int *lanes, tl_error *error)
{
    int widest = tl_widest_lanes();
    if (strcmp(name, "scalar") == 0)
        *lanes = 1;
    else if (strcmp(name, "sse") == 0)
        *lanes = 4;
    else if (strcmp(name, "auto") == 0)
        *lanes = widest;
    else if (widest < 8)
        return tl_fail(error, TL_ERROR_UNSUPPORTED, "world.simd: this processor has no avx2");
    else
        *lanes = 8;
    return TL_OK;
}

/* Checks one struct against its table by setting every field to itself. Names left NULL become the defaults. */
tl_result tl_check_def(const tl_param_group *group, void *object, const char *where, tl_error *error)
{
    for (int k = 0; k < group->count; ++k) {
        const tl_param *param = &group->params[k];
        if (param->type == TL_PARAM_LIST)
            continue;
        const char **name = (const char **)(void *)((char *)object + param->offset);
        if (param->type == TL_PARAM_NAME && !*name)
            *name = param->text ? param->text : param->names[0];
        tl_value value = tl_param_get(param, object);
        tl_param_group silent = *group;
        silent.changed = NULL;
        tl_result result = tl_param_set(&silent, param, object, &value, where, error);
        if (result != TL_OK)
            return result;
    }
    return TL_OK;
}

tl_world *tl_world_create(const tl_world_def *def, tl_error *error)
{
    tl_world_def copy;
    int lanes = 1;
    if (tl_def_read(&copy, def, &tl_world_params, error) != TL_OK ||
        tl_check_def(&tl_world_params, &copy, "world", error) != TL_OK ||
        tl_check_def(&tl_wind_params, &copy.wind, "wind", error) != TL_OK ||
        choose_lanes(copy.simd, &lanes, error) != TL_OK)
        return NULL;
    tl_allocator allocator = tl_allocator_or_default(&copy.allocator);
    tl_world *world = tl_allocate(&allocator, 1, sizeof *world);
    if (!world) {
        tl_fail(error, TL_ERROR_MEMORY, "no memory for a world");
        return NULL;
    }
    world->def = copy;
    world->allocator = world->contacts.allocator = allocator;
    world->lanes = lanes;
    world->contact_method = tl_contact_methods; /* none, until meshes are paired */
    return world;
}

void tl_world_destroy(tl_world *world)
{
    if (!world)
        return;
    tl_contact_world_destroy(&world->contacts);
    tl_release(&world->allocator, world->layer_contacts);
    tl_release(&world->allocator, world->layer_systems);
    tl_trace_release(&world->trace);
    for (int k = 0; k < world->cloth_count; ++k)
        tl_cloth_free(world->cloths[k]);
    for (int b = 0; b < world->body_count; ++b)
        tl_body_free(world->bodies[b]);
    tl_tasks_destroy(world->tasks);
    tl_allocator allocator = world->allocator;
    tl_release(&allocator, world->cloths);
    tl_release(&allocator, world->bodies);
    tl_release(&allocator, world);
}

tl_result tl_world_make_threads(tl_world *world, tl_error *error)
{
    int threads = world->def.threads > 0 ? world->def.threads : tl_cores();
    if (threads < 2 || world->tasks)
        return TL_OK;
    world->tasks = tl_tasks_create(&world->allocator, threads);
    return world->tasks ? TL_OK
                        : tl_fail(error, TL_ERROR_MEMORY, "no memory, or no threads, for a pool of %d", threads);
}

double tl_world_time(const tl_world *world) { return world->time; }
const char *tl_last_error(const tl_world *world) { return world->error.message; }
tl_result tl_last_result(const tl_world *world) { return world->error.code; }
int tl_world_cloth_count(const tl_world *world) { return world->cloth_count; }
tl_cloth *tl_world_cloth(const tl_world *world, int index)
{
    return index >= 0 && index < world->cloth_count ? world->cloths[index] : NULL;
}
int tl_world_body_count(const tl_world *world) { return world->body_count; }
tl_body *tl_world_body(const tl_world *world, int index)
{
    return index >= 0 && index < world->body_count ? world->bodies[index] : NULL;
}
const tl_world_def *tl_world_get_def(const tl_world *world) { return &world->def; }

tl_result tl_set_live(const tl_param_group *group, void *object, const char *path, const tl_value *value,
                      const char *where, tl_error *error)
{
    const tl_param *param = tl_param_find(group, path);
    if (!param)
        return tl_param_unknown(group, path, where, error);
    if (param->when == TL_PARAM_REBUILD)
        return tl_fail(error, TL_ERROR_UNSUPPORTED, "%s.%s: takes effect only when the world is built again", where,
                       path);
    return tl_param_set(group, param, object, value, where, error);
}

tl_result tl_world_set(tl_world *world, const char *path, const tl_value *value)
{
    for (int k = 0; k < world->cloth_count; ++k)
        tl_cloth_changed(world->cloths[k]); /* forces that were read before are stale */
    if (strncmp(path, "wind.", 5) == 0)
        return tl_set_live(&tl_wind_params, &world->def.wind, path + 5, value, "wind", &world->error);
    return tl_set_live(&tl_world_params, &world->def, path, value, "world", &world->error);
}

tl_vec3 tl_world_wind_at(const tl_world *world, tl_vec3 position)
{
    const double origin[3] = {world->shift.x, world->shift.y, world->shift.z};
    return tl_wind_velocity_from(&world->def.wind, origin, position, world->time);
}

const char *const *tl_stepper_names(void) { return tl_stepper_name_list; }
const char *const *tl_contact_names(void) { return tl_contact_name_list; }
const char *const *tl_material_names(void) { return tl_material_name_list; }

const char *const *tl_element_names(void)
{
#define PATH(field, path, unit, damping_unit, stiffness, damping, help) path,
    static const char *const names[] = {TL_ELEMENTS(PATH) NULL};
#undef PATH
    return names;
}

const char *tl_describe(const char *name)
{
    if (strcmp(name, TL_STEPPER_AUTOMATIC) == 0)
        return TL_STEPPER_AUTOMATIC_HELP;
    const tl_stepper_class *stepper = tl_stepper_find(name);
    if (stepper)
        return stepper->help;
    const tl_contact_method *contact = tl_contact_find(name);
    if (contact)
        return contact->help;
    const tl_shape_class *shape = tl_shape_find(name);
    if (shape)
        return shape->help;
    if (strcmp(name, TL_SHAPE_MESH) == 0)
        return TL_SHAPE_MESH_HELP;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (strcmp(tl_element_classes[e]->path, name) == 0)
            return tl_element_classes[e]->help;
    const tl_fabric *fabric = tl_fabric_named(name);
    return fabric ? fabric->use : tl_material_help(name);
}
