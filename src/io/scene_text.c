/* A scene as JSON: only what differs from the defaults, in the order of the tables, formatted for reading. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/scene.h"

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

/* ---- the whole scene ---------------------------------------------------------------------------------------- */

tl_json *tl_scene_to_json(tl_json_document *document, const tl_scene *scene)
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

char *tl_scene_text(const tl_scene *scene, size_t *length)
{
    tl_json_document document = {.root = NULL};
    tl_json *root = tl_scene_to_json(&document, scene);
    char *text = document.failed ? NULL : tl_json_write(root, TL_SCENE_LINE_WIDTH, length);
    tl_json_release(&document);
    return text;
}
