/* Writing scene files: only what differs from the defaults, in the order of the tables, formatted for reading. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/text.h"
#include "io/file.h"
#include "io/json.h"
#include "io/mesh_clip.h"
#include "io/scene.h"

enum { LINE_WIDTH = 100 };

/* ---- from the scene to a tree of JSON values ---------------------------------------------------------------- */

static tl_json *from_value(tl_json_document *document, const tl_value *value)
{
    switch (value->type) {
    case TL_PARAM_REAL:
        return isinf(value->number[0]) ? tl_json_text(document, "inf") : tl_json_number(document, value->number[0]);
    case TL_PARAM_INT:
        return tl_json_integer(document, (long)value->number[0]);
    case TL_PARAM_BOOL:
        return tl_json_bool(document, value->number[0] != 0);
    case TL_PARAM_VEC3:
        return tl_json_numbers(document, value->number, 3);
    case TL_PARAM_NAME:
    case TL_PARAM_TEXT:
        return tl_json_text(document, value->text);
    case TL_PARAM_LIST:
        break;
    }
    return NULL;
}

static bool same_value(const tl_value *a, const tl_value *b)
{
    if (a->type == TL_PARAM_NAME || a->type == TL_PARAM_TEXT)
        return strcmp(a->text, b->text) == 0;
    for (int i = 0; i < 3; ++i)
        if (a->number[i] != b->number[i])
            return false;
    return true;
}

/* Sets the value at a dotted path, creating the objects in between. */
static void put_at(tl_json_document *document, tl_json *object, const char *path, tl_json *value)
{
    char key[TL_SCENE_PATH];
    size_t length;
    while (path[length = strcspn(path, ".")] == '.') {
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        tl_json *next = tl_json_get(object, key);
        if (!next) {
            next = tl_json_new(document, TL_JSON_OBJECT);
            tl_json_put(document, object, key, next);
        }
        object = next;
        path += length + 1;
    }
    tl_json_put(document, object, path, value);
}

static tl_json *from_entries(tl_json_document *document, const tl_scene_entries *entries);

/* The parameters of an object that differ from the defaults. Values are applied to a default object in the order of the
   reader, so that side effects of one value on others are neither written nor lost. */
static tl_json *from_object(tl_json_document *document, const tl_param_group *group, const tl_scene_section *inner,
                            void *object)
{
    tl_json *json = tl_json_new(document, TL_JSON_OBJECT);
    void *reference = calloc(1, group->size);
    if (!json || !reference) {
        document->failed = true;
        free(reference);
        return json;
    }
    tl_scene_object_defaults(group, NULL, reference);
    for (const tl_scene_section *i = inner; i && i->name; ++i) {
        tl_json *part = from_object(document, i->group, i->inner, (char *)object + i->offset);
        if (tl_json_count(part) > 0)
            tl_json_put(document, json, i->name, part);
    }
    for (int i = 0; i < group->count; ++i) {
        const tl_param *param = &group->params[i];
        if (param->type == TL_PARAM_LIST) {
            tl_scene_entries entries = tl_scene_param_entries(param, object);
            if (*entries.count > 0)
                put_at(document, json, param->path, from_entries(document, &entries));
            continue;
        }
        tl_value value = tl_param_get(param, object), standard = tl_param_get(param, reference);
        if (same_value(&value, &standard))
            continue;
        put_at(document, json, param->path, from_value(document, &value));
        tl_param_set(group, param, reference, &value, "", NULL);
    }
    free(reference);
    return json;
}

static tl_json *from_entries(tl_json_document *document, const tl_scene_entries *entries)
{
    tl_json *list = tl_json_new(document, TL_JSON_LIST);
    for (int i = 0; i < *entries->count; ++i)
        tl_json_append(document, list,
                       from_object(document, entries->group, entries->inner, tl_scene_entry_at(entries, i)));
    return list;
}

/* The whole scene. */
static tl_json *from_scene(tl_json_document *document, const tl_scene *scene)
{
    tl_json *root = tl_json_new(document, TL_JSON_OBJECT);
    void *around = (void *)scene; /* only read */
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s) {
        tl_json *part;
        if (s->is_list) {
            tl_scene_entries entries = tl_scene_section_entries(s, around);
            part = from_entries(document, &entries);
        } else {
            part = from_object(document, s->group, s->inner, (char *)around + s->offset);
        }
        if (tl_json_count(part) > 0)
            tl_json_put(document, root, s->name, part);
    }
    return root;
}

/* ---- file names in a scene that moves to another folder ----------------------------------------------------- */

/* Whether both names, each a folder with its slash or "", are the same folder. */
static bool same_folder(const char *a, const char *b)
{
    struct stat first, second;
    return stat(*a ? a : ".", &first) == 0 && stat(*b ? b : ".", &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* The absolute name, on the heap; for a sequence of files, which is not a file itself, through its folder. NULL when
   there is none. */
static char *whole_name(const char *name)
{
    if (!tl_mesh_is_clip(name))
        return realpath(name, NULL);
    char *folder = tl_file_folder(name), *whole_folder = folder ? realpath(*folder ? folder : ".", NULL) : NULL;
    size_t room = whole_folder ? strlen(whole_folder) + strlen(name) + 2 : 0;
    char *whole = room ? malloc(room) : NULL;
    if (whole)
        snprintf(whole, room, "%s/%s", whole_folder, name + strlen(folder));
    free(folder);
    free(whole_folder);
    return whole;
}

/* Makes the file name under `key` absolute, so that it still refers to the same file. */
static tl_result keep_file(const tl_scene *scene, tl_json_document *document, tl_json *object, const char *key,
                           const char *place, tl_error *error)
{
    tl_json *value = tl_json_get(object, key);
    const char *name = tl_json_is(value, TL_JSON_TEXT) ? value->text : "";
    if (*name == '\0' || *name == '/')
        return TL_OK;
    char *joined = tl_file_join(scene->folder, name);
    char *whole = joined ? whole_name(joined) : NULL;
    free(joined);
    tl_result result = TL_OK;
    if (whole && strlen(whole) >= sizeof((tl_mesh_source_def *)0)->file)
        result = tl_fail(error, TL_ERROR_INPUT, "%s: the name %s has more than %zu bytes", place, whole,
                         sizeof((tl_mesh_source_def *)0)->file - 1);
    else if (whole)
        tl_json_put(document, object, key, tl_json_text(document, whole));
    free(whole);
    return result;
}

static tl_result keep_files(const tl_scene *scene, tl_json_document *document, tl_json *root, const char *file_name,
                            tl_error *error)
{
    char *folder = tl_file_folder(file_name);
    if (!folder)
        return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
    bool stays = *scene->file_name == '\0' || same_folder(folder, scene->folder);
    free(folder);
    if (stays)
        return TL_OK;
    tl_result result = keep_file(scene, document, tl_json_get(root, "look"), "texture", "look.texture", error);
    static const char *const lists[] = {"cloth", "body"};
    for (int k = 0; k < 2; ++k) {
        int i = 0;
        for (tl_json *entry = tl_json_first(tl_json_get(root, lists[k])); entry && !result; entry = entry->next) {
            char place[64];
            snprintf(place, sizeof place, "%s[%d].mesh.file", lists[k], i++);
            result = keep_file(scene, document, tl_json_get(entry, "mesh"), "file", place, error);
        }
    }
    return result;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

tl_result tl_scene_save(const tl_scene *scene, const char *file_name, tl_error *error)
{
    tl_json_document document = {.root = NULL};
    tl_json *root = from_scene(&document, scene);
    tl_result result = document.failed ? TL_OK : keep_files(scene, &document, root, file_name, error);
    size_t length = 0;
    char *text = result || document.failed ? NULL : tl_json_write(root, LINE_WIDTH, &length);
    tl_json_release(&document);
    if (text)
        result = tl_file_replace(file_name, text, length, error);
    else if (!result)
        result = tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
    free(text);
    return result;
}
