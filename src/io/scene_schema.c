/* JSON Schema (draft 2020-12) of scene files from the parameter tables, for validation and completion in editors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json.h"
#include "io/scene.h"

static tl_json *object_schema(tl_json_document *d, const tl_param_group *group, const tl_scene_section *inner);

static tl_json *typed(tl_json_document *d, const char *type)
{
    tl_json *schema = tl_json_new(d, TL_JSON_OBJECT);
    tl_json_put(d, schema, "type", tl_json_text(d, type));
    return schema;
}

static tl_json *number_schema(tl_json_document *d, const char *type, double min, double max)
{
    tl_json *schema = typed(d, type);
    bool is_int = strcmp(type, "integer") == 0;
    if (isfinite(min))
        tl_json_put(d, schema, "minimum", is_int ? tl_json_integer(d, (long)min) : tl_json_number(d, min));
    if (isfinite(max))
        tl_json_put(d, schema, "maximum", is_int ? tl_json_integer(d, (long)max) : tl_json_number(d, max));
    return schema;
}

static tl_json *list_schema(tl_json_document *d, tl_json *items)
{
    tl_json *schema = typed(d, "array");
    tl_json_put(d, schema, "items", items);
    return schema;
}

/* A number, or the text "inf". */
static tl_json *unbounded_schema(tl_json_document *d, double min)
{
    tl_json *schema = tl_json_new(d, TL_JSON_OBJECT), *either = tl_json_new(d, TL_JSON_LIST),
            *infinite = tl_json_new(d, TL_JSON_OBJECT);
    tl_json_put(d, infinite, "const", tl_json_text(d, "inf"));
    tl_json_append(d, either, number_schema(d, "number", min, INFINITY));
    tl_json_append(d, either, infinite);
    tl_json_put(d, schema, "anyOf", either);
    return schema;
}

static tl_json *type_schema(tl_json_document *d, const tl_param *param)
{
    tl_json *schema = NULL, *names;
    switch (param->type) {
    case TL_PARAM_REAL:
        return isinf(param->max) ? unbounded_schema(d, param->min) : number_schema(d, "number", param->min, param->max);
    case TL_PARAM_INT:
        return number_schema(d, "integer", param->min, param->max);
    case TL_PARAM_BOOL:
        return typed(d, "boolean");
    case TL_PARAM_VEC3:
        schema = list_schema(d, number_schema(d, "number", param->min, param->max));
        tl_json_put(d, schema, "minItems", tl_json_integer(d, 3));
        tl_json_put(d, schema, "maxItems", tl_json_integer(d, 3));
        break;
    case TL_PARAM_NAME:
        schema = tl_json_new(d, TL_JSON_OBJECT);
        names = tl_json_new(d, TL_JSON_LIST);
        for (int i = 0; param->names[i]; ++i)
            tl_json_append(d, names, tl_json_text(d, param->names[i]));
        tl_json_put(d, schema, "enum", names);
        break;
    case TL_PARAM_TEXT:
        schema = typed(d, "string");
        tl_json_put(d, schema, "maxLength", tl_json_integer(d, (long)param->size - 1));
        break;
    case TL_PARAM_LIST:
        return list_schema(d, object_schema(d, param->child, NULL));
    }
    return schema;
}

/* The default as in a new object, where some values depend on others; NULL for lists. */
static tl_json *default_of(tl_json_document *d, const tl_param *param, const void *fresh)
{
    tl_value value = tl_param_get(param, fresh), declared = tl_param_default(param);
    switch (param->type) {
    case TL_PARAM_REAL: /* from the table: 0.1, not the nearest single-precision number */
        return tl_json_number(d, declared.number[0]);
    case TL_PARAM_INT:
        return tl_json_integer(d, (long)value.number[0]);
    case TL_PARAM_BOOL:
        return tl_json_bool(d, value.number[0] != 0);
    case TL_PARAM_VEC3:
        return tl_json_numbers(d, declared.number, 3);
    case TL_PARAM_NAME:
    case TL_PARAM_TEXT:
        return tl_json_text(d, value.text);
    case TL_PARAM_LIST:
        break;
    }
    return NULL;
}

static tl_json *param_schema(tl_json_document *d, const tl_param *param, const void *fresh)
{
    tl_json *schema = type_schema(d, param);
    char help[512];
    const char *unit = param->unit ? param->unit : "";
    snprintf(help, sizeof help, "%s%s%s%s", param->help, *unit ? " Unit: " : "", unit, *unit ? "." : "");
    tl_json_put(d, schema, "description", tl_json_text(d, help));
    if (param->type != TL_PARAM_LIST)
        tl_json_put(d, schema, "default", default_of(d, param, fresh));
    return schema;
}

/* An object schema without properties yet. */
static tl_json *empty_object_schema(tl_json_document *d)
{
    tl_json *schema = typed(d, "object");
    tl_json_put(d, schema, "properties", tl_json_new(d, TL_JSON_OBJECT));
    tl_json_put(d, schema, "additionalProperties", tl_json_bool(d, false));
    return schema;
}

/* Puts a schema at a dotted path, creating the object schemas in between. */
static void put_at(tl_json_document *d, tl_json *schema, const char *path, tl_json *value)
{
    char key[TL_SCENE_PATH];
    size_t length;
    while (path[length = strcspn(path, ".")] == '.') {
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        tl_json *properties = tl_json_get(schema, "properties");
        schema = tl_json_get(properties, key);
        if (!schema) {
            schema = empty_object_schema(d);
            tl_json_put(d, properties, key, schema);
        }
        path += length + 1;
    }
    tl_json_put(d, tl_json_get(schema, "properties"), path, value);
}

static tl_json *object_schema(tl_json_document *d, const tl_param_group *group, const tl_scene_section *inner)
{
    tl_json *schema = empty_object_schema(d);
    tl_json_put(d, schema, "description", tl_json_text(d, group->help));
    void *fresh = calloc(1, group->size);
    d->failed |= !fresh;
    if (fresh) {
        tl_scene_object_defaults(group, NULL, fresh);
        for (int i = 0; i < group->count; ++i)
            put_at(d, schema, group->params[i].path, param_schema(d, &group->params[i], fresh));
    }
    free(fresh);
    for (; inner && inner->name; ++inner)
        put_at(d, schema, inner->name, object_schema(d, inner->group, inner->inner));
    return schema;
}

size_t tl_scene_schema(char *buffer, size_t size)
{
    tl_json_document document = {.root = NULL}, *d = &document;
    tl_json *root = empty_object_schema(d);
    tl_json_put(d, root, "$schema", tl_json_text(d, "https://json-schema.org/draft/2020-12/schema"));
    tl_json_put(d, root, "title", tl_json_text(d, "Telar scene"));
    tl_json_put(d, root, "description", tl_json_text(d, "A world of cloth; units are SI, see docs/."));
    put_at(d, root, "$schema", typed(d, "string"));
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s) {
        tl_json *schema = object_schema(d, s->group, s->inner);
        put_at(d, root, s->name, s->is_list ? list_schema(d, schema) : schema);
    }
    size_t length = 0;
    char *text = d->failed ? NULL : tl_json_write(root, 0, &length);
    tl_json_release(d);
    if (text)
        text[--length] = '\0'; /* without the closing line feed */
    if (size > 0)
        snprintf(buffer, size, "%s", text ? text : "");
    free(text);
    return length;
}
