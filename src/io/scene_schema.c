/* JSON Schema (draft 2020-12) of scene files from the parameter tables, for validation and completion in editors. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/scene.h"

static json_t *object_schema(const tl_param_group *group, const tl_scene_section *inner);

static json_t *number_schema(const char *type, double min, double max)
{
    json_t *schema = json_pack("{s:s}", "type", type);
    bool is_int = strcmp(type, "integer") == 0;
    if (isfinite(min))
        json_object_set_new(schema, "minimum", is_int ? json_integer((json_int_t)min) : json_real(min));
    if (isfinite(max))
        json_object_set_new(schema, "maximum", is_int ? json_integer((json_int_t)max) : json_real(max));
    return schema;
}

static json_t *list_schema(json_t *items) { return json_pack("{s:s, s:o}", "type", "array", "items", items); }

static json_t *type_schema(const tl_param *param)
{
    switch (param->type) {
    case TL_PARAM_REAL:
        if (isinf(param->max)) /* also takes the text "inf" */
            return json_pack("{s:[o, {s:s}]}", "anyOf", number_schema("number", param->min, param->max), "const",
                             "inf");
        return number_schema("number", param->min, param->max);
    case TL_PARAM_INT:
        return number_schema("integer", param->min, param->max);
    case TL_PARAM_BOOL:
        return json_pack("{s:s}", "type", "boolean");
    case TL_PARAM_VEC3:
        return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items",
                         number_schema("number", param->min, param->max), "minItems", 3, "maxItems", 3);
    case TL_PARAM_NAME: {
        json_t *names = json_array();
        for (int i = 0; param->names[i]; ++i)
            json_array_append_new(names, json_string(param->names[i]));
        return json_pack("{s:o}", "enum", names);
    }
    case TL_PARAM_TEXT:
        return json_pack("{s:s, s:i}", "type", "string", "maxLength", (int)param->size - 1);
    case TL_PARAM_LIST:
        return list_schema(object_schema(param->child, NULL));
    }
    return NULL;
}

/* The default as in a new object, where some values depend on others. */
static json_t *default_of(const tl_param *param, const void *fresh)
{
    tl_value value = tl_param_get(param, fresh), declared = tl_param_default(param);
    switch (param->type) {
    case TL_PARAM_REAL: /* from the table: 0.1, not the nearest single-precision number */
        return json_real(declared.number[0]);
    case TL_PARAM_INT:
        return json_integer((json_int_t)value.number[0]);
    case TL_PARAM_BOOL:
        return json_boolean(value.number[0] != 0);
    case TL_PARAM_VEC3:
        return json_pack("[f, f, f]", declared.number[0], declared.number[1], declared.number[2]);
    case TL_PARAM_NAME:
    case TL_PARAM_TEXT:
        return json_string(value.text);
    case TL_PARAM_LIST:
        break;
    }
    return NULL;
}

static json_t *param_schema(const tl_param *param, const void *fresh)
{
    json_t *schema = type_schema(param);
    char help[512];
    const char *unit = param->unit ? param->unit : "";
    snprintf(help, sizeof help, "%s%s%s%s", param->help, *unit ? " Unit: " : "", unit, *unit ? "." : "");
    json_object_set_new(schema, "description", json_string(help));
    json_t *standard = default_of(param, fresh);
    if (standard)
        json_object_set_new(schema, "default", standard);
    return schema;
}

/* An object schema without properties yet. */
static json_t *empty_object_schema(void)
{
    return json_pack("{s:s, s:{}, s:b}", "type", "object", "properties", "additionalProperties", 0);
}

/* Puts a schema at a dotted path, creating the object schemas in between. */
static void put_at(json_t *schema, const char *path, json_t *value)
{
    char key[TL_SCENE_PATH];
    size_t length;
    while (path[length = strcspn(path, ".")] == '.') {
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        json_t *properties = json_object_get(schema, "properties");
        schema = json_object_get(properties, key);
        if (!schema) {
            schema = empty_object_schema();
            json_object_set_new(properties, key, schema);
        }
        path += length + 1;
    }
    json_object_set_new(json_object_get(schema, "properties"), path, value);
}

static json_t *object_schema(const tl_param_group *group, const tl_scene_section *inner)
{
    json_t *schema = empty_object_schema();
    json_object_set_new(schema, "description", json_string(group->help));
    void *fresh = calloc(1, group->size);
    if (fresh) {
        tl_scene_object_defaults(group, NULL, fresh);
        for (int i = 0; i < group->count; ++i)
            put_at(schema, group->params[i].path, param_schema(&group->params[i], fresh));
    }
    free(fresh);
    for (; inner && inner->name; ++inner)
        put_at(schema, inner->name, object_schema(inner->group, inner->inner));
    return schema;
}

size_t tl_scene_schema(char *buffer, size_t size)
{
    json_t *root = empty_object_schema();
    json_object_set_new(root, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
    json_object_set_new(root, "title", json_string("Telar scene"));
    json_object_set_new(root, "description", json_string("A world of cloth; units are SI, see docs/."));
    json_t *link = json_pack("{s:s}", "type", "string");
    put_at(root, "$schema", link);
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s) {
        json_t *schema = object_schema(s->group, s->inner);
        put_at(root, s->name, s->is_list ? list_schema(schema) : schema);
    }
    char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(root);
    size_t length = text ? strlen(text) : 0;
    if (size > 0)
        snprintf(buffer, size, "%s", text ? text : "");
    free(text);
    return length;
}
