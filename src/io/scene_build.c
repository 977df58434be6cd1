/* Builds the world of a scene, and applies live changes to it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/file.h"
#include "io/mesh_clip.h"
#include "io/scene.h"

/* ---- building ----------------------------------------------------------------------------------------------- */

/* Shapes of a body, from a sequence of files. */
typedef struct clip {
    tl_vec3 *shapes;
    int count;
} clip;

/* Loads the mesh of `list`[index] into *mesh; NULL for an entry without a file. A body may have a sequence of files;
   `shapes` is NULL for cloths. */
static tl_result load_mesh(const tl_scene *scene, const tl_mesh_source_def *source, const char *list, int index,
                           tl_mesh **mesh, clip *shapes, tl_error *error)
{
    if (source->file[0] == '\0')
        return TL_OK;
    char *file_name = tl_file_join(scene->folder, source->file);
    if (!file_name)
        return tl_fail(error, TL_ERROR_MEMORY, "%s[%d].mesh.file: not enough memory", list, index);
    tl_error reason = {.code = TL_OK};
    if (shapes && tl_mesh_is_clip(file_name) && !tl_file_exists(file_name))
        *mesh = tl_mesh_clip_load(file_name, source, &shapes->shapes, &shapes->count, &reason);
    else
        *mesh = tl_mesh_load(file_name, source, &reason);
    free(file_name);
    if (*mesh)
        return TL_OK;
    return tl_fail(error, reason.code, "%s[%d].mesh.file: %s", list, index, reason.message);
}

/* One build: the first error, and every error where they are collected. */
typedef struct builder {
    const tl_scene *scene;
    tl_world *world;
    tl_mesh **meshes; /* of cloths, of bodies, then of garments */
    tl_character **dressed;
    tl_error first;
    tl_scene_fault *fault; /* NULL: the build ends at the first error */
    void *user;
    int count;
} builder;

/* Keeps an error, with the name of the file. TL_OK: the build goes on. */
static tl_result keep(builder *b, tl_error *error)
{
    if (*b->scene->file_name)
        tl_error_prefix(error, "%s: ", b->scene->file_name);
    if (b->count++ == 0)
        b->first = *error;
    if (!b->fault)
        return error->code;
    b->fault(b->user, error->message);
    return TL_OK;
}

static tl_result add_body(builder *b, int i, tl_error *error)
{
    tl_body_def def = b->scene->bodies[i].def;
    tl_mesh **mesh = &b->meshes[b->scene->cloth_count + i];
    clip row = {NULL, 0};
    if (strcmp(def.shape, "mesh") == 0) {
        tl_result result = load_mesh(b->scene, &b->scene->bodies[i].mesh, "body", i, mesh, &row, error);
        if (result)
            return result;
    }
    def.mesh = *mesh;
    def.shapes = row.shapes;
    def.shape_count = row.count;
    bool made = tl_body_create(b->world, &def) != NULL;
    free(row.shapes);
    return made ? TL_OK : tl_fail(error, tl_last_result(b->world), "body[%d]: %s", i, tl_last_error(b->world));
}

/* Without all bodies only the mesh is read: pins name bodies by their number. */
static tl_result add_cloth(builder *b, int i, bool all_bodies, tl_error *error)
{
    tl_result result = load_mesh(b->scene, &b->scene->cloths[i].mesh, "cloth", i, &b->meshes[i], NULL, error);
    if (result || !all_bodies)
        return result;
    tl_cloth_def def = b->scene->cloths[i].def;
    def.mesh = b->meshes[i];
    if (!tl_cloth_create(b->world, &def))
        return tl_fail(error, tl_last_result(b->world), "cloth[%d]: %s", i, tl_last_error(b->world));
    return TL_OK;
}

static void add_all(builder *b)
{
    tl_error error = {.code = TL_OK};
    tl_result result = TL_OK;
    for (int i = 0; i < b->scene->body_count && !result; ++i)
        if (add_body(b, i, &error) != TL_OK)
            result = keep(b, &error);
    bool all_bodies = b->count == 0;
    for (int i = 0; i < b->scene->cloth_count && !result; ++i)
        if (add_cloth(b, i, all_bodies, &error) != TL_OK)
            result = keep(b, &error);
    /* last: the others keep the indices of their lists, and nothing is dressed for a scene that has faults */
    int garments = 0;
    for (int i = 0; i < b->scene->character_count && b->count == 0; ++i) {
        tl_mesh **meshes = b->meshes + b->scene->cloth_count + b->scene->body_count + garments;
        if (tl_scene_dress(b->scene, i, garments, b->world, &b->dressed[i], meshes, &error) != TL_OK)
            keep(b, &error);
        garments += b->scene->characters[i].def.garment_count;
    }
}

tl_world *tl_scene_build_checked(tl_scene *scene, tl_scene_fault *fault, void *user, int *count, tl_error *error)
{
    tl_error reason = {.code = TL_OK};
    int mesh_count = scene->cloth_count + scene->body_count + tl_scene_garment_count(scene);
    builder b = {.scene = scene, .fault = fault, .user = user};
    b.meshes = calloc((size_t)mesh_count + 1, sizeof *b.meshes);
    b.dressed = calloc((size_t)scene->character_count + 1, sizeof *b.dressed);
    bool room = b.meshes && b.dressed;
    b.world = room ? tl_world_create(&scene->world, &reason) : NULL;
    if (!room || (!b.world && !reason.code))
        tl_fail(&reason, TL_ERROR_MEMORY, "not enough memory");
    if (b.world)
        add_all(&b);
    else
        keep(&b, &reason);

    /* the old world is destroyed only after the new one is built */
    tl_scene *dead = scene, leftovers = {.built = b.world,
                                         .meshes = b.meshes,
                                         .mesh_count = b.meshes ? mesh_count : 0,
                                         .dressed = b.dressed,
                                         .dressed_count = b.dressed ? scene->character_count : 0};
    if (b.count > 0) {
        dead = &leftovers;
        if (error)
            *error = b.first;
    }
    if (count)
        *count = b.count;
    tl_scene_discard_world(dead);
    if (b.count > 0)
        return NULL;
    scene->built = b.world;
    scene->meshes = b.meshes;
    scene->mesh_count = mesh_count;
    scene->dressed = b.dressed;
    scene->dressed_count = scene->character_count;
    scene->entry_removed = false;
    return b.world;
}

/* Removes the bodies that the world does not have. */
static void remove_bodies(tl_scene *scene, int kept)
{
    char path[TL_SCENE_PATH];
    while (scene->body_count > kept) {
        snprintf(path, sizeof path, "body[%d]", scene->body_count - 1);
        tl_scene_remove(scene, path, NULL);
    }
}

tl_result tl_scene_extend(tl_scene *scene, tl_error *error)
{
    int bodies = scene->built ? tl_world_body_count(scene->built) : 0;
    if (!scene->built || scene->entry_removed || scene->character_count > 0 || scene->dressed_count > 0 ||
        tl_world_cloth_count(scene->built) != scene->cloth_count)
        return tl_fail(error, TL_ERROR_UNSUPPORTED, "the world must be built again before bodies are added to it");
    tl_error reason = {.code = TL_OK};
    int mesh_count = scene->cloth_count + scene->body_count;
    tl_mesh **meshes = realloc(scene->meshes, (size_t)(mesh_count + 1) * sizeof *meshes);
    if (meshes) {
        scene->meshes = meshes;
        memset(meshes + scene->mesh_count, 0, (size_t)(mesh_count - scene->mesh_count) * sizeof *meshes);
        scene->mesh_count = mesh_count;
        builder b = {.scene = scene, .world = scene->built, .meshes = meshes};
        for (int i = bodies; i < scene->body_count && !reason.code; ++i)
            add_body(&b, i, &reason);
    } else {
        tl_fail(&reason, TL_ERROR_MEMORY, "not enough memory for another body");
    }
    remove_bodies(scene, tl_world_body_count(scene->built));
    return reason.code ? tl_fail(error, reason.code, "%s", reason.message) : TL_OK;
}

void tl_scene_set_log(tl_scene *scene, void (*log)(void *user, const char *message), void *user)
{
    scene->world.log = log;
    scene->world.log_user = user;
}

tl_world *tl_scene_build(tl_scene *scene, tl_error *error)
{
    return tl_scene_build_checked(scene, NULL, NULL, NULL, error);
}

/* ---- live changes ------------------------------------------------------------------------------------------- */

/* The object of the running world for a section of the scene. */
static tl_result set_running(tl_scene *scene, const tl_scene_place *place, const tl_param *param, const tl_value *value,
                             bool *known)
{
    char path[TL_SCENE_PATH];
    *known = true;
    if (place->group == &tl_world_params)
        return tl_world_set(scene->built, param->path, value);
    if (place->group == &tl_wind_params) {
        snprintf(path, sizeof path, "wind.%s", param->path);
        return tl_world_set(scene->built, path, value);
    }
    if (place->group == &tl_cloth_params && place->index < tl_world_cloth_count(scene->built))
        return tl_cloth_set(tl_world_cloth(scene->built, place->index), param->path, value);
    if (place->group == &tl_body_params && place->index < tl_world_body_count(scene->built))
        return tl_body_set(tl_world_body(scene->built, place->index), param->path, value);
    *known = false;
    return TL_OK;
}

/* Parts of a scene that do not affect the simulation. */
static bool is_picture_only(const tl_scene_place *place)
{
    const tl_param_group *group = place->section->group;
    return group == &tl_scene_params || group == &tl_camera_params || group == &tl_light_params ||
           group == &tl_look_params;
}

tl_result tl_scene_forward(tl_scene *scene, const tl_scene_place *place, const tl_param *param, const tl_value *value,
                           bool *rebuild, tl_error *error)
{
    if (is_picture_only(place))
        return TL_OK;
    *rebuild = true;
    bool in_list = place->section->is_list;
    if (param->when != TL_PARAM_LIVE || place->nested || (in_list && scene->entry_removed))
        return TL_OK;
    bool known = false;
    tl_result result = set_running(scene, place, param, value, &known);
    *rebuild = !known;
    if (result) {
        *rebuild = false;
        return tl_fail(error, result, "%s.%s: %s", place->path, param->path, tl_last_error(scene->built));
    }
    return TL_OK;
}
