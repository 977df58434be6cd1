/* Scenes in memory: creation, destruction, lists, and enumeration of all objects. */
#include "io/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/file.h"

/* ---- sections ----------------------------------------------------------------------------------------------- */

static const tl_scene_section cloth_inner[] = {
    {.name = "mesh", .group = &tl_mesh_source_params, .offset = offsetof(tl_scene_cloth, mesh)},
    {.name = NULL},
};

static const tl_scene_section body_inner[] = {
    {.name = "mesh", .group = &tl_mesh_source_params, .offset = offsetof(tl_scene_body, mesh)},
    {.name = NULL},
};

static const tl_scene_section character_inner[] = {
    {.name = "measures", .group = &tl_measures_params, .offset = offsetof(tl_scene_character, measures)},
    {.name = NULL},
};

/* The order of files, panels and the schema. */
const tl_scene_section tl_scene_sections[] = {
    {.name = "scene", .group = &tl_scene_params, .offset = offsetof(tl_scene, info)},
    {.name = "world", .group = &tl_world_params, .offset = offsetof(tl_scene, world)},
    {.name = "wind", .group = &tl_wind_params, .offset = offsetof(tl_scene, world.wind)},
    {.name = "cloth",
     .group = &tl_cloth_params,
     .offset = offsetof(tl_scene, cloths),
     .is_list = true,
     .count_offset = offsetof(tl_scene, cloth_count),
     .stride = sizeof(tl_scene_cloth),
     .inner = cloth_inner},
    {.name = "body",
     .group = &tl_body_params,
     .offset = offsetof(tl_scene, bodies),
     .is_list = true,
     .count_offset = offsetof(tl_scene, body_count),
     .stride = sizeof(tl_scene_body),
     .inner = body_inner},
    {.name = "character",
     .group = &tl_scene_character_params,
     .offset = offsetof(tl_scene, characters),
     .is_list = true,
     .count_offset = offsetof(tl_scene, character_count),
     .stride = sizeof(tl_scene_character),
     .inner = character_inner},
    {.name = "camera", .group = &tl_camera_params, .offset = offsetof(tl_scene, camera)},
    {.name = "light", .group = &tl_light_params, .offset = offsetof(tl_scene, light)},
    {.name = "look", .group = &tl_look_params, .offset = offsetof(tl_scene, look)},
    {.name = NULL},
};

/* ---- lists -------------------------------------------------------------------------------------------------- */

tl_scene_entries tl_scene_section_entries(const tl_scene_section *section, void *around)
{
    return (tl_scene_entries){
        .field = (char *)around + section->offset,
        .count = (int *)(void *)((char *)around + section->count_offset),
        .stride = section->stride,
        .group = section->group,
        .inner = section->inner,
    };
}

tl_scene_entries tl_scene_param_entries(const tl_param *param, void *object)
{
    return (tl_scene_entries){
        .field = (char *)object + param->offset,
        .count = (int *)(void *)((char *)object + param->count_offset),
        .stride = param->child->size,
        .group = param->child,
    };
}

/* The pointer itself, copied because its type depends on the list. */
static char *first_entry(const tl_scene_entries *entries)
{
    char *first;
    memcpy(&first, entries->field, sizeof first);
    return first;
}

static void set_first_entry(const tl_scene_entries *entries, void *first)
{
    memcpy(entries->field, &first, sizeof first);
}

void *tl_scene_entry_at(const tl_scene_entries *entries, int index)
{
    return first_entry(entries) + (size_t)index * entries->stride;
}

void tl_scene_object_defaults(const tl_param_group *group, const tl_scene_section *inner, void *object)
{
    tl_param_defaults(group, object);
    for (; inner && inner->name; ++inner)
        tl_scene_object_defaults(inner->group, inner->inner, (char *)object + inner->offset);
}

void *tl_scene_append(const tl_scene_entries *entries)
{
    int count = *entries->count;
    if (count >= TL_SCENE_MAX_ENTRIES)
        return NULL;
    /* the capacity is a power of two, so it follows from the count */
    if ((count & (count - 1)) == 0) {
        size_t capacity = count == 0 ? 1 : 2 * (size_t)count;
        void *grown = realloc(first_entry(entries), capacity * entries->stride);
        if (!grown)
            return NULL;
        set_first_entry(entries, grown);
    }
    *entries->count = count + 1;
    void *entry = tl_scene_entry_at(entries, count);
    memset(entry, 0, entries->stride);
    tl_scene_object_defaults(entries->group, entries->inner, entry);
    return entry;
}

/* Frees the lists inside an object. */
static void release_lists(const tl_param_group *group, void *object)
{
    for (int i = 0; i < group->count; ++i) {
        if (group->params[i].type != TL_PARAM_LIST)
            continue;
        tl_scene_entries entries = tl_scene_param_entries(&group->params[i], object);
        for (int k = 0; k < *entries.count; ++k)
            release_lists(entries.group, tl_scene_entry_at(&entries, k));
        free(first_entry(&entries));
        set_first_entry(&entries, NULL);
        *entries.count = 0;
    }
}

static void remove_entry(const tl_scene_entries *entries, int index)
{
    char *entry = tl_scene_entry_at(entries, index);
    release_lists(entries->group, entry);
    int after = *entries->count - index - 1;
    memmove(entry, entry + entries->stride, (size_t)after * entries->stride);
    --*entries->count;
    if (*entries->count == 0) {
        free(first_entry(entries));
        set_first_entry(entries, NULL);
    }
}

/* ---- lifetime ----------------------------------------------------------------------------------------------- */

tl_scene *tl_scene_create(void)
{
    tl_scene *scene = calloc(1, sizeof *scene);
    if (!scene)
        return NULL;
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s)
        if (!s->is_list)
            tl_scene_object_defaults(s->group, s->inner, (char *)scene + s->offset);
    scene->file_name = tl_file_copy_text("");
    scene->folder = tl_file_copy_text("");
    if (!scene->file_name || !scene->folder) {
        tl_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

void tl_scene_discard_world(tl_scene *scene)
{
    tl_world_destroy(scene->built);
    for (int i = 0; i < scene->mesh_count; ++i)
        tl_mesh_destroy(scene->meshes[i]);
    for (int i = 0; i < scene->dressed_count; ++i)
        tl_character_destroy(scene->dressed[i]);
    free(scene->meshes);
    free(scene->dressed);
    scene->built = NULL;
    scene->meshes = NULL;
    scene->dressed = NULL;
    scene->mesh_count = scene->dressed_count = 0;
}

void tl_scene_destroy(tl_scene *scene)
{
    if (!scene)
        return;
    tl_scene_discard_world(scene);
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s) {
        if (!s->is_list) {
            release_lists(s->group, (char *)scene + s->offset);
            continue;
        }
        tl_scene_entries entries = tl_scene_section_entries(s, scene);
        for (int i = 0; i < *entries.count; ++i)
            release_lists(entries.group, tl_scene_entry_at(&entries, i));
        free(first_entry(&entries));
    }
    free(scene->file_name);
    free(scene->folder);
    free(scene);
}

const tl_scene_def *tl_scene_info(const tl_scene *scene) { return &scene->info; }
const tl_camera_def *tl_scene_camera(const tl_scene *scene) { return &scene->camera; }
const tl_light_def *tl_scene_light(const tl_scene *scene) { return &scene->light; }
const tl_look_def *tl_scene_look(const tl_scene *scene) { return &scene->look; }
tl_world *tl_scene_world(const tl_scene *scene) { return scene->built; }
const char *tl_scene_file(const tl_scene *scene) { return scene->file_name; }
const char *tl_scene_folder(const tl_scene *scene) { return scene->folder; }

/* ---- adding and removing ------------------------------------------------------------------------------------ */

/* The list with this path ("body", "cloth[0].pin"). */
static tl_result find_entries(tl_scene *scene, const char *path, tl_scene_entries *entries, tl_error *error)
{
    tl_scene_place place;
    tl_result result = tl_scene_find(scene, path, &place, error);
    if (result)
        return result;
    if (!place.object) {
        *entries = tl_scene_section_entries(place.section, scene);
        return TL_OK;
    }
    const tl_param *param = *place.rest ? tl_param_find(place.group, place.rest) : NULL;
    if (!param && *place.rest)
        return tl_param_unknown(place.group, place.rest, place.path, error);
    if (!param || param->type != TL_PARAM_LIST)
        return tl_fail(error, TL_ERROR_INPUT, "%s: is not a list", path);
    *entries = tl_scene_param_entries(param, place.object);
    return TL_OK;
}

tl_result tl_scene_add(tl_scene *scene, const char *list, tl_error *error)
{
    tl_scene_entries entries;
    tl_result result = find_entries(scene, list, &entries, error);
    if (result)
        return result;
    if (*entries.count >= TL_SCENE_MAX_ENTRIES)
        return tl_fail(error, TL_ERROR_INPUT, "%s: a list has at most %d entries", list, TL_SCENE_MAX_ENTRIES);
    if (!tl_scene_append(&entries))
        return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory for another entry", list);
    return TL_OK;
}

/* Pins refer to bodies by index: later indices move up, pins on the removed body become fixed. */
static void renumber_pins(tl_scene *scene, int removed_body)
{
    for (int c = 0; c < scene->cloth_count; ++c) {
        tl_scene_entries pins = tl_scene_param_entries(tl_param_find(&tl_cloth_params, "pin"), &scene->cloths[c].def);
        for (int p = 0; p < *pins.count; ++p) {
            tl_pin_def *pin = tl_scene_entry_at(&pins, p);
            if (pin->body == removed_body)
                pin->body = -1;
            else if (pin->body > removed_body)
                --pin->body;
        }
    }
}

tl_result tl_scene_remove(tl_scene *scene, const char *entry, tl_error *error)
{
    char list[TL_SCENE_PATH];
    const char *bracket = strrchr(entry, '[');
    char *close = NULL;
    long index = bracket ? strtol(bracket + 1, &close, 10) : -1;
    if (!bracket || strcmp(close, "]") != 0 || close == bracket + 1 || (size_t)(bracket - entry) >= sizeof list)
        return tl_fail(error, TL_ERROR_INPUT, "%.100s: expected the entry of a list, such as body[0]", entry);
    memcpy(list, entry, (size_t)(bracket - entry));
    list[bracket - entry] = '\0';
    tl_scene_entries entries;
    tl_result result = find_entries(scene, list, &entries, error);
    if (result)
        return result;
    if (index < 0 || index >= *entries.count)
        return tl_fail(error, TL_ERROR_INPUT, "%s: there is no such entry, %s has %d", entry, list, *entries.count);
    remove_entry(&entries, (int)index);
    bool is_body = strcmp(list, "body") == 0, is_cloth = strcmp(list, "cloth") == 0;
    if (scene->built && (is_body || is_cloth))
        scene->entry_removed |=
            scene->dressed_count > 0 || /* whose bodies and cloths follow those of the lists */
            index < (is_body ? tl_world_body_count(scene->built) : tl_world_cloth_count(scene->built));
    if (is_body)
        renumber_pins(scene, (int)index);
    return TL_OK;
}

/* ---- enumeration of all objects ----------------------------------------------------------------------------- */

typedef struct object_search {
    int left; /* objects to skip before the requested one */
    tl_scene_object found;
} object_search;

/* Visits an object, its inner objects, then its lists. True when the requested one was found. */
static bool visit(object_search *search, const tl_param_group *group, const tl_scene_section *inner, void *object,
                  const char *path)
{
    if (search->left-- == 0) {
        search->found = (tl_scene_object){.group = group, .object = object};
        snprintf(search->found.path, sizeof search->found.path, "%s", path);
        return true;
    }
    char child[TL_SCENE_PATH];
    for (; inner && inner->name; ++inner) {
        snprintf(child, sizeof child, "%s.%s", path, inner->name);
        if (visit(search, inner->group, inner->inner, (char *)object + inner->offset, child))
            return true;
    }
    for (int i = 0; i < group->count; ++i) {
        if (group->params[i].type != TL_PARAM_LIST)
            continue;
        tl_scene_entries entries = tl_scene_param_entries(&group->params[i], object);
        for (int k = 0; k < *entries.count; ++k) {
            snprintf(child, sizeof child, "%s.%s[%d]", path, group->params[i].path, k);
            if (visit(search, entries.group, entries.inner, tl_scene_entry_at(&entries, k), child))
                return true;
        }
    }
    return false;
}

static bool visit_scene(object_search *search, const tl_scene *scene)
{
    char path[TL_SCENE_PATH];
    void *around = (void *)scene; /* the walk only reads */
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s) {
        if (!s->is_list) {
            if (visit(search, s->group, s->inner, (char *)around + s->offset, s->name))
                return true;
            continue;
        }
        tl_scene_entries entries = tl_scene_section_entries(s, around);
        for (int i = 0; i < *entries.count; ++i) {
            snprintf(path, sizeof path, "%s[%d]", s->name, i);
            if (visit(search, s->group, s->inner, tl_scene_entry_at(&entries, i), path))
                return true;
        }
    }
    return false;
}

int tl_scene_object_count(const tl_scene *scene)
{
    enum { EVERYTHING = 1 << 30 };
    object_search search = {.left = EVERYTHING};
    visit_scene(&search, scene);
    return EVERYTHING - search.left;
}

tl_scene_object tl_scene_object_at(const tl_scene *scene, int index)
{
    object_search search = {.left = index};
    if (index < 0 || !visit_scene(&search, scene))
        return (tl_scene_object){.path = ""};
    return search.found;
}
