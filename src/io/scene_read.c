/* Reading scene files: JSON whose keys are the paths of the parameter tables. Nothing here knows a single parameter;
   dots in paths are nested objects, lists recurse through their child group. Parameters are applied in the order of the
   table, because setting some (a material) changes others. A reader that collects faults goes on after each. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/rename.h"
#include "core/text.h"
#include "io/file.h"
#include "io/json_line.h"
#include "io/scene.h"

enum { MAX_NAMES = 256 /* keys of one object compared when a key is mistyped */ };

typedef struct reader {
    const char *text;
    size_t length;
    const char *file_name;
    tl_error error;          /* the last one */
    tl_error first;          /* what tl_scene_parse returns */
    tl_scene_faults *faults; /* NULL: reading ends at the first fault */
} reader;

static tl_result read_object(reader *r, const tl_param_group *group, const tl_scene_section *inner, json_t *json,
                             void *object, const char *path);

/* ---- errors with file and line ------------------------------------------------------------------------------ */

/* Keeps the error. TL_OK: reading goes on. */
static tl_result keep(reader *r, int line)
{
    if (!r->first.code)
        r->first = r->error;
    if (!r->faults)
        return r->error.code;
    if (r->faults->count < TL_SCENE_MAX_FAULTS) {
        r->faults->entry[r->faults->count].line = line;
        memcpy(r->faults->entry[r->faults->count].message, r->error.message, TL_ERROR_LENGTH);
    }
    ++r->faults->count;
    return TL_OK;
}

/* Prepends "file:line: " to the message and keeps it. */
static tl_result at_line(reader *r, const char *path)
{
    /* a line costs a search through the text, which nobody sees for the thousandth fault */
    bool shown = !r->faults || r->faults->count < TL_SCENE_MAX_FAULTS;
    int line = shown ? tl_json_line(r->text, r->length, path) : 0;
    tl_error_prefix(&r->error, "%s:%d: ", r->file_name, line);
    return keep(r, line);
}

static tl_result wrong(reader *r, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
static tl_result wrong(reader *r, const char *path, const char *format, ...)
{
    char reason[TL_ERROR_LENGTH], shown[TL_SCENE_PATH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    tl_text_printable(path, shown, sizeof shown);
    tl_fail(&r->error, TL_ERROR_INPUT, "%s%s%s", shown, *path ? ": " : "", reason);
    return at_line(r, path);
}

static const char *kind_of(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        break;
    }
    return "null";
}

static void join(char path[TL_SCENE_PATH], const char *front, const char *back)
{
    snprintf(path, TL_SCENE_PATH, "%s%s%s", front, *front ? "." : "", back);
}

/* ---- keys --------------------------------------------------------------------------------------------------- */

/* What a key path means in a group. */
typedef enum key_kind { KEY_UNKNOWN, KEY_VALUE, KEY_PREFIX } key_kind;

static key_kind classify(const tl_param_group *group, const tl_scene_section *inner, const char *key)
{
    size_t length = strlen(key);
    for (; inner && inner->name; ++inner)
        if (strcmp(inner->name, key) == 0)
            return KEY_VALUE;
    for (int i = 0; i < group->count; ++i) {
        const char *path = group->params[i].path;
        if (strncmp(path, key, length) == 0 && (path[length] == '\0' || path[length] == '.'))
            return path[length] == '.' ? KEY_PREFIX : KEY_VALUE;
    }
    return KEY_UNKNOWN;
}

/* The key most similar to a mistyped one among those valid here (after `prefix`); in `buffer`. */
static const char *nearest_key(const tl_param_group *group, const tl_scene_section *inner, const char *prefix,
                               const char *key, char buffer[64])
{
    char names[MAX_NAMES][64];
    const char *list[MAX_NAMES + 1];
    int count = 0;
    size_t skip = strlen(prefix);
    for (; inner && inner->name && skip == 0; ++inner)
        snprintf(names[count++], sizeof *names, "%s", inner->name);
    for (int i = 0; i < group->count && count < MAX_NAMES; ++i) {
        const char *path = group->params[i].path;
        if (strncmp(path, prefix, skip) != 0)
            continue;
        path += skip;
        snprintf(names[count++], sizeof *names, "%.*s", (int)strcspn(path, "."), path);
    }
    for (int i = 0; i < count; ++i)
        list[i] = names[i];
    list[count] = NULL;
    const char *nearest = tl_text_nearest(key, list);
    if (nearest)
        snprintf(buffer, 64, "%s", nearest);
    return nearest ? buffer : NULL;
}

/* Rejects a key of an earlier version with its new path. False when it is not one. */
static bool refuse_renamed(reader *r, const tl_param_group *group, json_t *value, const char *full, const char *inside,
                           tl_result *result)
{
    bool found = false;
    static const char hint[] = "telar scene upgrade FILE rewrites it";
    const tl_rename *renamed = tl_rename_find(group->name, inside);
    if (renamed) {
        *result = wrong(r, full, "renamed to '%s'; %s", renamed->new_path, hint);
        return true;
    }
    const char *key;
    json_t *member;
    json_object_foreach(value, key, member) /* no iteration when it is not an object */
    {
        char deeper[TL_SCENE_PATH], member_path[TL_SCENE_PATH];
        snprintf(deeper, sizeof deeper, "%.79s.%.79s", inside, key); /* longer than any path of the tables */
        snprintf(member_path, sizeof member_path, "%.79s.%.79s", full, key);
        renamed = tl_rename_find(group->name, deeper);
        if (renamed && *result == TL_OK) {
            *result = wrong(r, member_path, "renamed to '%s'; %s", renamed->new_path, hint);
            found = true;
        }
    }
    return found;
}

/* Every key of the object must be known to the group. `prefix` is the part of parameter paths up to here. */
static tl_result check_keys(reader *r, const tl_param_group *group, const tl_scene_section *inner, json_t *json,
                            const char *path, const char *prefix)
{
    const char *key;
    json_t *value;
    tl_result result = TL_OK;
    json_object_foreach(json, key, value)
    {
        if (result)
            return result;
        char full[TL_SCENE_PATH], inside[TL_SCENE_PATH], near[64];
        join(full, path, key);
        snprintf(inside, sizeof inside, "%s%s", prefix, key);
        /* a dot inside a key would look like a path but is not one; an empty key is never known */
        key_kind kind = *key && !strchr(key, '.') ? classify(group, *prefix ? NULL : inner, inside) : KEY_UNKNOWN;
        if (kind == KEY_UNKNOWN) {
            if (refuse_renamed(r, group, value, full, inside, &result))
                continue;
            const char *nearest = nearest_key(group, inner, prefix, key, near);
            result = wrong(r, full, "unknown key in '%s'%s%s%s", group->name, nearest ? "; did you mean '" : "",
                           nearest ? nearest : "", nearest ? "'?" : "");
        }
        if (kind == KEY_PREFIX && !json_is_object(value)) {
            result = wrong(r, full, "expected an object { … }, found %s", kind_of(value));
        } else if (kind == KEY_PREFIX) {
            char deeper[TL_SCENE_PATH + 1];
            snprintf(deeper, sizeof deeper, "%s.", inside);
            result = check_keys(r, group, inner, value, full, deeper);
        }
    }
    return result;
}

/* The value at a dotted path, NULL when the file does not have it. */
static json_t *lookup(json_t *json, const char *path)
{
    char key[TL_SCENE_PATH];
    while (json) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        json = json_object_get(json, key);
        if (path[length] == '\0')
            return json;
        path += length + 1;
    }
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

/* Converts a JSON value by its type; the parameter checks it. Lists of three numbers are vectors, the text "inf" is a
   number where one is expected, and values that are never valid become a list. */
static tl_value to_value(const tl_param *param, const json_t *json)
{
    tl_value value = {.type = TL_PARAM_LIST};
    if (json_is_number(json)) {
        value.type = TL_PARAM_REAL;
        value.number[0] = json_number_value(json);
    } else if (json_is_boolean(json)) {
        value.type = TL_PARAM_BOOL;
        value.number[0] = json_is_true(json) ? 1 : 0;
    } else if (json_is_string(json) && param->type == TL_PARAM_REAL && strcmp(json_string_value(json), "inf") == 0) {
        value.type = TL_PARAM_REAL;
        value.number[0] = INFINITY;
    } else if (json_is_string(json)) {
        value.type = TL_PARAM_TEXT;
        value.text = json_string_value(json);
    } else if (json_is_array(json) && json_array_size(json) == 3) {
        value.type = TL_PARAM_VEC3;
        for (size_t i = 0; i < 3; ++i) {
            if (!json_is_number(json_array_get(json, i)))
                value.type = TL_PARAM_LIST;
            value.number[i] = json_number_value(json_array_get(json, i));
        }
    }
    return value;
}

static tl_result read_list(reader *r, const tl_scene_entries *entries, json_t *json, const char *path)
{
    if (!json_is_array(json))
        return wrong(r, path, "expected a list [ … ], found %s", kind_of(json));
    if (json_array_size(json) > TL_SCENE_MAX_ENTRIES)
        return wrong(r, path, "has %zu entries, a list has at most %d", json_array_size(json), TL_SCENE_MAX_ENTRIES);
    for (size_t i = 0; i < json_array_size(json); ++i) {
        char entry_path[TL_SCENE_PATH];
        snprintf(entry_path, sizeof entry_path, "%s[%zu]", path, i);
        void *entry = tl_scene_append(entries);
        if (!entry)
            return tl_fail(&r->error, TL_ERROR_MEMORY, "%s: %s: not enough memory", r->file_name, entry_path);
        tl_result result = read_object(r, entries->group, entries->inner, json_array_get(json, i), entry, entry_path);
        if (result)
            return result;
    }
    return TL_OK;
}

static tl_result read_param(reader *r, const tl_param_group *group, const tl_param *param, json_t *json, void *object,
                            const char *path)
{
    char full[TL_SCENE_PATH];
    join(full, path, param->path);
    if (param->type == TL_PARAM_LIST) {
        tl_scene_entries entries = tl_scene_param_entries(param, object);
        return read_list(r, &entries, json, full);
    }
    tl_value value = to_value(param, json);
    if (tl_param_set(group, param, object, &value, path, &r->error) == TL_OK)
        return TL_OK;
    return at_line(r, full);
}

static tl_result read_object(reader *r, const tl_param_group *group, const tl_scene_section *inner, json_t *json,
                             void *object, const char *path)
{
    if (!json_is_object(json))
        return wrong(r, path, "expected an object { … }, found %s", kind_of(json));
    tl_result result = check_keys(r, group, inner, json, path, "");
    for (int i = 0; i < group->count && !result; ++i) {
        json_t *value = lookup(json, group->params[i].path);
        if (value)
            result = read_param(r, group, &group->params[i], value, object, path);
    }
    for (; inner && inner->name && !result; ++inner) {
        json_t *value = json_object_get(json, inner->name);
        char full[TL_SCENE_PATH];
        join(full, path, inner->name);
        if (value)
            result = read_object(r, inner->group, inner->inner, value, (char *)object + inner->offset, full);
    }
    return result;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

static tl_result check_sections(reader *r, json_t *root)
{
    const char *names[16];
    int count = 0;
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s)
        names[count++] = s->name;
    names[count] = NULL;
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value)
    {
        bool known = strcmp(key, "$schema") == 0; /* for editors */
        for (int i = 0; i < count; ++i)
            known |= strcmp(key, names[i]) == 0;
        if (known)
            continue;
        const char *nearest = tl_text_nearest(key, names);
        tl_result result = wrong(
            r, key, "unknown key in a scene, which has scene, world, wind, cloth, body, camera, light, look%s%s%s",
            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
        if (result)
            return result;
    }
    return TL_OK;
}

static tl_result read_scene(reader *r, json_t *root, tl_scene *scene)
{
    if (!json_is_object(root))
        return wrong(r, "", "a scene is an object { … }, found %s", kind_of(root));
    tl_result result = check_sections(r, root);
    for (const tl_scene_section *s = tl_scene_sections; s->name && !result; ++s) {
        json_t *value = json_object_get(root, s->name);
        if (!value)
            continue;
        if (s->is_list) {
            tl_scene_entries entries = tl_scene_section_entries(s, scene);
            result = read_list(r, &entries, value, s->name);
        } else {
            result = read_object(r, s->group, s->inner, value, (char *)scene + s->offset, s->name);
        }
    }
    return result;
}

/* The parsed JSON of a text, NULL with the error filled. */
static json_t *parse_json(reader *r)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF"; /* some editors put it at the start of UTF-8 */
    if (r->length >= 3 && memcmp(r->text, byte_order_mark, 3) == 0) {
        r->text += 3;
        r->length -= 3;
    }
    if (r->length > TL_SCENE_LARGEST_FILE) {
        tl_fail(&r->error, TL_ERROR_INPUT, "%s: is larger than the limit of %zu MB", r->file_name,
                TL_SCENE_LARGEST_FILE >> 20);
        keep(r, 0);
        return NULL;
    }
    if (r->length == 0) {
        tl_fail(&r->error, TL_ERROR_INPUT, "%s:1: the file is empty; a scene is an object { … }", r->file_name);
        keep(r, 1);
        return NULL;
    }
    json_error_t place;
    json_t *root = json_loadb(r->text, r->length, JSON_REJECT_DUPLICATES, &place);
    if (!root) {
        char reason[JSON_ERROR_TEXT_LENGTH];
        tl_text_printable(place.text, reason, sizeof reason);
        tl_fail(&r->error, TL_ERROR_INPUT, "%s:%d:%d: not well-formed JSON: %s", r->file_name,
                place.line > 0 ? place.line : 1, place.column > 0 ? place.column : 1, reason);
        keep(r, place.line);
    }
    return root;
}

tl_scene *tl_scene_parse_checked(const char *json, size_t length, const char *file_name, tl_scene_faults *faults,
                                 tl_error *error)
{
    reader r = {
        .text = json, .length = length, .file_name = file_name && *file_name ? file_name : "scene", .faults = faults};
    json_t *root = parse_json(&r);
    tl_scene *scene = root ? tl_scene_create() : NULL;
    tl_result result = scene ? read_scene(&r, root, scene) : TL_OK;
    bool whole = scene != NULL;
    json_decref(root);
    if (!result && scene && file_name && *file_name) {
        free(scene->file_name);
        free(scene->folder);
        scene->file_name = tl_file_copy_text(file_name);
        scene->folder = tl_file_folder(file_name);
        whole = scene->file_name && scene->folder;
    }
    if (root && !whole)
        tl_fail(&r.error, TL_ERROR_MEMORY, "%s: not enough memory", r.file_name);
    if ((result || !whole) && !r.first.code) /* memory, which is no fault of the file */
        keep(&r, 0);
    if (!r.first.code)
        return scene;
    tl_scene_destroy(scene);
    if (error)
        *error = r.first;
    return NULL;
}

tl_scene *tl_scene_parse(const char *json, size_t length, const char *file_name, tl_error *error)
{
    return tl_scene_parse_checked(json, length, file_name, NULL, error);
}

void tl_scene_faults_report(tl_scene_faults *faults, tl_scene_fault *fault, void *user)
{
    int order[TL_SCENE_MAX_FAULTS], count = faults->count < TL_SCENE_MAX_FAULTS ? faults->count : TL_SCENE_MAX_FAULTS;
    for (int k = 0; k < count; ++k) { /* insertion keeps faults of one line in their order */
        int at = k;
        for (; at > 0 && faults->entry[order[at - 1]].line > faults->entry[k].line; --at)
            order[at] = order[at - 1];
        order[at] = k;
    }
    for (int k = 0; k < count && fault; ++k)
        fault(user, faults->entry[order[k]].message);
}
