/* The table of parameters and the lists of names, as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "telar/io.h"

static const char *const type_names[] = {"real", "int", "bool", "vec3", "name", "text", "list"};

/* Numbers and vectors as the table has them, what may depend on other values as in a new object; NULL for lists. */
static tl_json *default_of(tl_json_document *d, const tl_param *param, const void *object)
{
    tl_value value = tl_param_get(param, object), declared = tl_param_default(param);
    switch (param->type) {
    case TL_PARAM_REAL:
        return isinf(declared.number[0]) ? tl_json_text(d, "inf") : tl_json_number(d, declared.number[0]);
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
    return tl_json_new(d, TL_JSON_NULL);
}

/* Pictures are drawn from the scene: all of it is live. */
static bool is_picture(const tl_scene_object *object)
{
    return strncmp(object->path, "camera", 6) == 0 || strncmp(object->path, "light", 5) == 0 ||
           object->group == &tl_scene_params || object->group == &tl_look_params;
}

/* Live parameters of other objects do not reach the running world (tl_scene_set), which has no pins and keys. */
static bool is_running(const tl_scene_object *object)
{
    return object->group == &tl_world_params || object->group == &tl_wind_params || object->group == &tl_cloth_params ||
           object->group == &tl_body_params;
}

static void add_row(tl_json_document *d, tl_json *rows, const tl_scene_object *object, const tl_param *param)
{
    char path[192];
    tl_json *row = tl_json_new(d, TL_JSON_OBJECT);
    snprintf(path, sizeof path, "%s.%s", object->path, param->path);
    tl_json_put(d, row, "path", tl_json_text(d, path));
    tl_json_put(d, row, "group", tl_json_text(d, object->group->name));
    tl_json_put(d, row, "name", tl_json_text(d, param->path));
    tl_json_put(d, row, "type", tl_json_text(d, type_names[param->type]));
    tl_json_put(d, row, "unit", tl_json_text(d, param->unit ? param->unit : ""));
    tl_json_put(d, row, "default", default_of(d, param, object->object));
    if (param->type == TL_PARAM_REAL || param->type == TL_PARAM_INT || param->type == TL_PARAM_VEC3) {
        tl_json_put(d, row, "min", isinf(param->min) ? tl_json_text(d, "-inf") : tl_json_number(d, param->min));
        tl_json_put(d, row, "max", isinf(param->max) ? tl_json_text(d, "inf") : tl_json_number(d, param->max));
    }
    if (param->type == TL_PARAM_NAME) {
        tl_json *names = tl_json_new(d, TL_JSON_LIST);
        for (int k = 0; param->names[k]; ++k)
            tl_json_append(d, names, tl_json_text(d, param->names[k]));
        tl_json_put(d, row, "choices", names);
    }
    tl_json_put(d, row, "help", tl_json_text(d, param->help));
    bool live = is_picture(object) || (param->when == TL_PARAM_LIVE && is_running(object));
    tl_json_put(d, row, "live", tl_json_bool(d, live && param->type != TL_PARAM_LIST));
    tl_json_append(d, rows, row);
}

EXPORT const char *telar_parameters(void)
{
    static const char *const lists[] = {"cloth",     "cloth[0].pin",         "body",       "body[0].key",
                                        "character", "character[0].garment", "camera.key", "light.point"};
    tl_json_document document = {.root = NULL};
    tl_json *rows = tl_json_new(&document, TL_JSON_LIST);
    tl_scene *scene = tl_scene_create(); /* with one of everything */
    document.failed |= !scene;
    for (size_t k = 0; k < sizeof lists / sizeof *lists && scene; ++k)
        document.failed |= tl_scene_add(scene, lists[k], NULL) != TL_OK;
    for (int i = 0; scene && i < tl_scene_object_count(scene); ++i) {
        tl_scene_object object = tl_scene_object_at(scene, i);
        for (int k = 0; k < object.group->count; ++k)
            add_row(&document, rows, &object, &object.group->params[k]);
    }
    tl_scene_destroy(scene);
    return js_answer_json(&document, rows);
}

static const char *help_of(const char *kind, const char *name)
{
    const tl_fabric *fabric = strcmp(kind, "fabrics") == 0 ? tl_fabric_named(name) : NULL;
    const char *help = fabric ? fabric->use : tl_describe(name);
    return help ? help : "";
}

/* [{name, help}]; "" for an unknown kind. */
EXPORT const char *telar_list(const char *kind)
{
    static const struct {
        const char *kind;
        const char *const *(*names)(void);
    } lists[] = {{"steppers", tl_stepper_names},   {"contacts", tl_contact_names}, {"elements", tl_element_names},
                 {"materials", tl_material_names}, {"fabrics", tl_fabric_names},   {"shapes", tl_shape_names},
                 {"surfaces", tl_surface_names}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k) {
        if (strcmp(lists[k].kind, kind) != 0)
            continue;
        tl_json_document document = {.root = NULL};
        tl_json *list = tl_json_new(&document, TL_JSON_LIST);
        for (const char *const *name = lists[k].names(); *name; ++name) {
            tl_json *row = tl_json_new(&document, TL_JSON_OBJECT);
            tl_json_put(&document, row, "name", tl_json_text(&document, *name));
            tl_json_put(&document, row, "help", tl_json_text(&document, help_of(kind, *name)));
            tl_json_append(&document, list, row);
        }
        return js_answer_json(&document, list);
    }
    return "";
}

EXPORT const char *telar_version(void) { return tl_version(); }
