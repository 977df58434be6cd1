/* Writing scene files: only what differs from the defaults, in the order of the tables, formatted for reading. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/text.h"
#include "io/file.h"
#include "io/mesh_clip.h"
#include "io/scene.h"

enum { LINE_WIDTH = 100, INDENT = 2 };

/* ---- from the scene to a tree of JSON values ---------------------------------------------------------------- */

/* New values may be NULL when memory is short; jansson's …_new calls then fail, and `failed` records it. */
typedef struct tree_builder {
    bool failed;
} tree_builder;

static void put(tree_builder *b, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        b->failed = true;
}

static json_t *from_number(double number) { return isinf(number) ? json_string("inf") : json_real(number); }

static json_t *from_value(const tl_value *value)
{
    switch (value->type) {
    case TL_PARAM_REAL:
        return from_number(value->number[0]);
    case TL_PARAM_INT:
        return json_integer((json_int_t)value->number[0]);
    case TL_PARAM_BOOL:
        return json_boolean(value->number[0] != 0);
    case TL_PARAM_VEC3:
        return json_pack("[f, f, f]", value->number[0], value->number[1], value->number[2]);
    case TL_PARAM_NAME:
    case TL_PARAM_TEXT:
        return json_string(value->text);
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
static void put_at(tree_builder *b, json_t *object, const char *path, json_t *value)
{
    char key[TL_SCENE_PATH];
    size_t length;
    while (path[length = strcspn(path, ".")] == '.') {
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        json_t *next = json_object_get(object, key);
        if (!next) {
            put(b, object, key, json_object());
            next = json_object_get(object, key);
        }
        object = next;
        path += length + 1;
    }
    put(b, object, path, value);
}

static json_t *from_entries(tree_builder *b, const tl_scene_entries *entries);

/* The parameters of an object that differ from the defaults. Values are applied to a default object in the order of the
   reader, so that side effects of one value on others are neither written nor lost. */
static json_t *from_object(tree_builder *b, const tl_param_group *group, const tl_scene_section *inner, void *object)
{
    json_t *json = json_object();
    void *reference = calloc(1, group->size);
    if (!json || !reference) {
        b->failed = true;
        free(reference);
        return json;
    }
    tl_scene_object_defaults(group, NULL, reference);
    for (const tl_scene_section *i = inner; i && i->name; ++i) {
        json_t *part = from_object(b, i->group, i->inner, (char *)object + i->offset);
        if (json_object_size(part) > 0)
            put(b, json, i->name, part);
        else
            json_decref(part);
    }
    for (int i = 0; i < group->count; ++i) {
        const tl_param *param = &group->params[i];
        if (param->type == TL_PARAM_LIST) {
            tl_scene_entries entries = tl_scene_param_entries(param, object);
            if (*entries.count > 0)
                put_at(b, json, param->path, from_entries(b, &entries));
            continue;
        }
        tl_value value = tl_param_get(param, object), standard = tl_param_get(param, reference);
        if (same_value(&value, &standard))
            continue;
        put_at(b, json, param->path, from_value(&value));
        tl_param_set(group, param, reference, &value, "", NULL);
    }
    free(reference);
    return json;
}

static json_t *from_entries(tree_builder *b, const tl_scene_entries *entries)
{
    json_t *list = json_array();
    for (int i = 0; i < *entries->count; ++i) {
        json_t *entry = from_object(b, entries->group, entries->inner, tl_scene_entry_at(entries, i));
        if (json_array_append_new(list, entry) != 0)
            b->failed = true;
    }
    return list;
}

/* The whole scene; NULL when memory is short. */
static json_t *from_scene(const tl_scene *scene)
{
    tree_builder b = {.failed = false};
    json_t *root = json_object();
    void *around = (void *)scene; /* only read */
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s) {
        json_t *part;
        size_t size;
        if (s->is_list) {
            tl_scene_entries entries = tl_scene_section_entries(s, around);
            part = from_entries(&b, &entries);
            size = json_array_size(part);
        } else {
            part = from_object(&b, s->group, s->inner, (char *)around + s->offset);
            size = json_object_size(part);
        }
        if (size > 0)
            put(&b, root, s->name, part);
        else
            json_decref(part);
    }
    if (b.failed) {
        json_decref(root);
        return NULL;
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
static tl_result keep_file(const tl_scene *scene, json_t *object, const char *key, const char *place, tl_error *error)
{
    const char *name = json_string_value(json_object_get(object, key));
    if (!name || *name == '\0' || *name == '/')
        return TL_OK;
    char *joined = tl_file_join(scene->folder, name);
    char *whole = joined ? whole_name(joined) : NULL;
    free(joined);
    tl_result result = TL_OK;
    if (whole && strlen(whole) >= sizeof((tl_mesh_source_def *)0)->file)
        result = tl_fail(error, TL_ERROR_INPUT, "%s: the name %s has more than %zu bytes", place, whole,
                         sizeof((tl_mesh_source_def *)0)->file - 1);
    else if (whole && json_object_set_new(object, key, json_string(whole)) != 0)
        result = tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", place);
    free(whole);
    return result;
}

static tl_result keep_files(const tl_scene *scene, json_t *root, const char *file_name, tl_error *error)
{
    char *folder = tl_file_folder(file_name);
    if (!folder)
        return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
    bool stays = *scene->file_name == '\0' || same_folder(folder, scene->folder);
    free(folder);
    if (stays)
        return TL_OK;
    tl_result result = keep_file(scene, json_object_get(root, "look"), "texture", "look.texture", error);
    static const char *const lists[] = {"cloth", "body"};
    for (int k = 0; k < 2; ++k) {
        json_t *entries = json_object_get(root, lists[k]);
        for (size_t i = 0; i < json_array_size(entries) && !result; ++i) {
            char place[64];
            snprintf(place, sizeof place, "%s[%zu].mesh.file", lists[k], i);
            result = keep_file(scene, json_object_get(json_array_get(entries, i), "mesh"), "file", place, error);
        }
    }
    return result;
}

/* ---- layout ------------------------------------------------------------------------------------------------- */

/* A growing text buffer. */
typedef struct output {
    char *text;
    size_t length, capacity;
    bool failed;
} output;

static void emit(output *out, const char *text)
{
    size_t length = strlen(text);
    if (out->length + length + 1 > out->capacity && !out->failed) {
        size_t capacity = 2 * out->capacity + length + 256;
        char *grown = realloc(out->text, capacity);
        if (grown) {
            out->text = grown;
            out->capacity = capacity;
        } else {
            out->failed = true;
        }
    }
    if (out->failed)
        return;
    memcpy(out->text + out->length, text, length + 1);
    out->length += length;
}

static void emit_string(output *out, const char *text)
{
    json_t *string = json_string(text);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    if (quoted)
        emit(out, quoted);
    else
        out->failed = true;
    free(quoted);
    json_decref(string);
}

static void emit_newline(output *out, int indent)
{
    emit(out, "\n");
    for (int i = 0; i < indent * INDENT; ++i)
        emit(out, " ");
}

static void emit_scalar(output *out, const json_t *json)
{
    char number[64];
    if (json_is_string(json)) {
        emit_string(out, json_string_value(json));
    } else if (json_is_boolean(json)) {
        emit(out, json_is_true(json) ? "true" : "false");
    } else {
        if (json_is_integer(json))
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(json));
        else
            tl_text_write_number(json_real_value(json), number, sizeof number);
        emit(out, number);
    }
}

static void emit_value(output *out, json_t *json, int indent, bool on_one_line);

/* Space left on the line: lists and objects that fit stay on it. */
static bool fits_on_line(const output *out, json_t *json, int indent)
{
    output trial = {.text = NULL};
    emit_value(&trial, json, indent, true);
    size_t line = 0;
    while (line < out->length && out->text[out->length - 1 - line] != '\n')
        ++line;
    bool fits = !trial.failed && line + trial.length <= LINE_WIDTH;
    free(trial.text);
    return fits;
}

static void emit_value(output *out, json_t *json, int indent, bool on_one_line)
{
    if (!json_is_object(json) && !json_is_array(json)) {
        emit_scalar(out, json);
        return;
    }
    /* the scene itself always has one line per section */
    if (!on_one_line && indent > 0)
        on_one_line = fits_on_line(out, json, indent);
    const char *separator = "";
    emit(out, json_is_object(json) ? "{" : "[");
    void *member = json_object_iter(json);
    size_t count = json_is_object(json) ? json_object_size(json) : json_array_size(json);
    for (size_t i = 0; i < count; ++i) {
        emit(out, separator);
        separator = on_one_line ? ", " : ",";
        if (!on_one_line)
            emit_newline(out, indent + 1);
        if (member) {
            emit_string(out, json_object_iter_key(member));
            emit(out, ": ");
        }
        emit_value(out, member ? json_object_iter_value(member) : json_array_get(json, i), indent + 1, on_one_line);
        member = member ? json_object_iter_next(json, member) : NULL;
    }
    if (!on_one_line && count > 0)
        emit_newline(out, indent);
    emit(out, json_is_object(json) ? "}" : "]");
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

tl_result tl_scene_save(const tl_scene *scene, const char *file_name, tl_error *error)
{
    json_t *root = from_scene(scene);
    if (!root)
        return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
    tl_result result = keep_files(scene, root, file_name, error);
    output out = {.text = NULL};
    if (!result) {
        emit_value(&out, root, 0, false);
        emit(&out, "\n");
        result = out.failed ? tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name)
                            : tl_file_replace(file_name, out.text, out.length, error);
    }
    free(out.text);
    json_decref(root);
    return result;
}
