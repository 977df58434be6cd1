/* Reading scene files: JSON whose keys are the paths of the parameter tables. Nothing here knows a single parameter;
   dots in paths are nested objects, lists recurse through their child group. Parameters are applied in the order of the
   table, because setting some (a material) changes others. A reader that collects faults goes on after each. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/rename.h"
#include "core/text.h"
#include "io/file.h"
#include "io/json.h"
#include "io/scene.h"

enum { MAX_NAMES = 256 /* keys of one object compared when a key is mistyped */ };

/* What is wrong with a scene, collected while reading it. */
enum { TL_SCENE_MAX_FAULTS = 100 };
typedef struct tl_scene_faults {
    struct {
        int line; /* 0: unknown */
        char message[TL_ERROR_LENGTH];
    } entry[TL_SCENE_MAX_FAULTS]; /* the first that were found */
    int count;                    /* of all */
} tl_scene_faults;

typedef struct reader {
    const tl_json *root; /* of the file */
    const char *file_name;
    tl_error error;          /* the last one */
    tl_error first;          /* what tl_scene_parse returns */
    tl_scene_faults *faults; /* NULL: reading ends at the first fault */
} reader;

static tl_result read_object(reader *r, const tl_param_group *group, const tl_scene_section *inner, const tl_json *json,
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
    /* a line costs a search through the tree, which nobody sees for the thousandth fault */
    bool shown = !r->faults || r->faults->count < TL_SCENE_MAX_FAULTS;
    int line = shown ? tl_json_line(r->root, path) : 0;
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

static const char *kind_of(const tl_json *json)
{
    static const char *const names[] = {"null", "true or false", "a number", "a text", "a list", "an object"};
    return names[json->kind];
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
static bool refuse_renamed(reader *r, const tl_param_group *group, const tl_json *value, const char *full,
                           const char *inside, tl_result *result)
{
    bool found = false;
    static const char hint[] = "telar scene upgrade FILE rewrites it";
    const tl_rename *renamed = tl_rename_find(group->name, inside);
    if (renamed) {
        *result = wrong(r, full, "renamed to '%s'; %s", renamed->new_path, hint);
        return true;
    }
    const tl_json *first = tl_json_is(value, TL_JSON_OBJECT) ? tl_json_first(value) : NULL;
    for (const tl_json *member = first; member; member = member->next) {
        char deeper[TL_SCENE_PATH], member_path[TL_SCENE_PATH];
        snprintf(deeper, sizeof deeper, "%.79s.%.79s", inside, member->key); /* longer than any path of the tables */
        snprintf(member_path, sizeof member_path, "%.79s.%.79s", full, member->key);
        renamed = tl_rename_find(group->name, deeper);
        if (renamed && *result == TL_OK) {
            *result = wrong(r, member_path, "renamed to '%s'; %s", renamed->new_path, hint);
            found = true;
        }
    }
    return found;
}

/* Every key of the object must be known to the group. `prefix` is the part of parameter paths up to here. */
static tl_result check_keys(reader *r, const tl_param_group *group, const tl_scene_section *inner, const tl_json *json,
                            const char *path, const char *prefix)
{
    tl_result result = TL_OK;
    for (const tl_json *value = tl_json_first(json); value; value = value->next) {
        if (result)
            return result;
        const char *key = value->key;
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
        if (kind == KEY_PREFIX && !tl_json_is(value, TL_JSON_OBJECT)) {
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
static const tl_json *lookup(const tl_json *json, const char *path)
{
    char key[TL_SCENE_PATH];
    while (json) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        json = tl_json_get(json, key);
        if (path[length] == '\0')
            return json;
        path += length + 1;
    }
    return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

/* Converts a JSON value by its type; the parameter checks it. Lists of three numbers are vectors, the text "inf" is a
   number where one is expected, and values that are never valid become a list. */
static tl_value to_value(const tl_param *param, const tl_json *json)
{
    tl_value value = {.type = TL_PARAM_LIST};
    if (json->kind == TL_JSON_NUMBER || json->kind == TL_JSON_BOOL) {
        value.type = json->kind == TL_JSON_BOOL ? TL_PARAM_BOOL : TL_PARAM_REAL;
        value.number[0] = json->number;
    } else if (json->kind == TL_JSON_TEXT && param->type == TL_PARAM_REAL && strcmp(json->text, "inf") == 0) {
        value.type = TL_PARAM_REAL;
        value.number[0] = INFINITY;
    } else if (json->kind == TL_JSON_TEXT) {
        value.type = TL_PARAM_TEXT;
        value.text = json->text;
    } else if (json->kind == TL_JSON_LIST && json->count == 3) {
        value.type = TL_PARAM_VEC3;
        int k = 0;
        for (const tl_json *entry = json->first; entry; entry = entry->next, ++k)
            if (entry->kind == TL_JSON_NUMBER)
                value.number[k] = entry->number;
            else
                value.type = TL_PARAM_LIST;
    }
    return value;
}

static tl_result read_list(reader *r, const tl_scene_entries *entries, const tl_json *json, const char *path)
{
    if (json->kind != TL_JSON_LIST)
        return wrong(r, path, "expected a list [ … ], found %s", kind_of(json));
    if (json->count > TL_SCENE_MAX_ENTRIES)
        return wrong(r, path, "has %zu entries, a list has at most %d", json->count, TL_SCENE_MAX_ENTRIES);
    size_t i = 0;
    for (const tl_json *member = json->first; member; member = member->next, ++i) {
        char entry_path[TL_SCENE_PATH];
        snprintf(entry_path, sizeof entry_path, "%s[%zu]", path, i);
        void *entry = tl_scene_append(entries);
        if (!entry)
            return tl_fail(&r->error, TL_ERROR_MEMORY, "%s: %s: not enough memory", r->file_name, entry_path);
        tl_result result = read_object(r, entries->group, entries->inner, member, entry, entry_path);
        if (result)
            return result;
    }
    return TL_OK;
}

static tl_result read_param(reader *r, const tl_param_group *group, const tl_param *param, const tl_json *json,
                            void *object, const char *path)
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

static tl_result read_object(reader *r, const tl_param_group *group, const tl_scene_section *inner, const tl_json *json,
                             void *object, const char *path)
{
    if (!tl_json_is(json, TL_JSON_OBJECT))
        return wrong(r, path, "expected an object { … }, found %s", kind_of(json));
    tl_result result = check_keys(r, group, inner, json, path, "");
    for (int i = 0; i < group->count && !result; ++i) {
        const tl_json *value = lookup(json, group->params[i].path);
        if (value)
            result = read_param(r, group, &group->params[i], value, object, path);
    }
    for (; inner && inner->name && !result; ++inner) {
        const tl_json *value = tl_json_get(json, inner->name);
        char full[TL_SCENE_PATH];
        join(full, path, inner->name);
        if (value)
            result = read_object(r, inner->group, inner->inner, value, (char *)object + inner->offset, full);
    }
    return result;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

static tl_result check_sections(reader *r, const tl_json *root)
{
    const char *names[16];
    int count = 0;
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s)
        names[count++] = s->name;
    names[count] = NULL;
    for (const tl_json *value = tl_json_first(root); value; value = value->next) {
        const char *key = value->key;
        bool known = strcmp(key, "$schema") == 0; /* for editors */
        for (int i = 0; i < count; ++i)
            known |= strcmp(key, names[i]) == 0;
        if (known)
            continue;
        const char *nearest = tl_text_nearest(key, names);
        tl_result result = wrong(
            r, key,
            "unknown key in a scene, which has scene, world, wind, cloth, body, character, camera, light, look%s%s%s",
            nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
        if (result)
            return result;
    }
    return TL_OK;
}

static tl_result read_scene(reader *r, const tl_json *root, tl_scene *scene)
{
    if (!tl_json_is(root, TL_JSON_OBJECT))
        return wrong(r, "", "a scene is an object { … }, found %s", kind_of(root));
    tl_result result = check_sections(r, root);
    for (const tl_scene_section *s = tl_scene_sections; s->name && !result; ++s) {
        const tl_json *value = tl_json_get(root, s->name);
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

/* Parses a text into r->root, NULL with the error filled. */
static void parse_json(reader *r, tl_json_document *document, const char *text, size_t length)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF"; /* some editors put it at the start of UTF-8 */
    size_t skip = length >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
    tl_json_fault fault;
    if (length - skip > TL_SCENE_LARGEST_FILE) {
        tl_fail(&r->error, TL_ERROR_INPUT, "%s: is larger than the limit of %zu MB", r->file_name,
                TL_SCENE_LARGEST_FILE >> 20);
        keep(r, 0);
    } else if (length == skip) {
        tl_fail(&r->error, TL_ERROR_INPUT, "%s:1: the file is empty; a scene is an object { … }", r->file_name);
        keep(r, 1);
    } else if (tl_json_read(document, text + skip, length - skip, false, &fault)) {
        r->root = document->root;
    } else if (document->failed) {
        tl_fail(&r->error, TL_ERROR_MEMORY, "%s: not enough memory", r->file_name);
        keep(r, 0);
    } else {
        tl_fail(&r->error, TL_ERROR_INPUT, "%s:%d:%d: not well-formed JSON: %s", r->file_name, fault.line, fault.column,
                fault.reason);
        keep(r, fault.line);
    }
}

static tl_scene *parse(const char *json, size_t length, const char *file_name, tl_scene_faults *faults, tl_error *error)
{
    reader r = {.file_name = file_name && *file_name ? file_name : "scene", .faults = faults};
    tl_json_document document = {.root = NULL};
    parse_json(&r, &document, json, length);
    tl_scene *scene = r.root ? tl_scene_create() : NULL;
    tl_result result = scene ? read_scene(&r, r.root, scene) : TL_OK;
    bool whole = scene != NULL, parsed = r.root != NULL;
    tl_json_release(&document);
    if (!result && scene && file_name && *file_name) {
        free(scene->file_name);
        free(scene->folder);
        scene->file_name = tl_file_copy_text(file_name);
        scene->folder = tl_file_folder(file_name);
        whole = scene->file_name && scene->folder;
    }
    if (parsed && !whole)
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
    return parse(json, length, file_name, NULL, error);
}

/* Hands the faults over, by line. */
static void report(const tl_scene_faults *faults, tl_scene_fault *fault, void *user)
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

tl_scene *tl_scene_parse_checked(const char *json, size_t length, const char *file_name, tl_scene_fault *fault,
                                 void *user, int *count, tl_error *error)
{
    tl_error first = {.code = TL_OK};
    tl_scene_faults *faults = calloc(1, sizeof *faults);
    tl_scene *scene = parse(json, length, file_name, faults, &first);
    int found = faults ? faults->count : 0;
    if (found > 0)
        report(faults, fault, user);
    else if (!scene && fault) /* there is no memory to collect faults */
        fault(user, first.message);
    free(faults);
    if (count)
        *count = found > 0 ? found : scene ? 0 : 1;
    if (!scene && error)
        *error = first;
    return scene;
}
