/* Full paths in a scene ("cloth[0].pin[1].name"): finding, reading and setting, also in the running world. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "io/file.h"
#include "io/json.h"
#include "io/scene.h"

/* Parses "[12]" at *at, appends it to the place's path and checks the index. */
static tl_result read_index(const char **at, tl_scene_place *place, const tl_scene_entries *entries, int *index,
                            tl_error *error)
{
    char *close = NULL;
    long number = strtol(*at + 1, &close, 10);
    if (close == *at + 1 || *close != ']')
        return tl_fail(error, TL_ERROR_INPUT, "%s: expected a number in brackets, such as %s[0]", place->path,
                       place->path);
    if (number < 0 || number >= *entries->count)
        return tl_fail(error, TL_ERROR_INPUT, "%s[%ld]: there is no such entry, %s has %d", place->path, number,
                       place->path, *entries->count);
    size_t used = strlen(place->path);
    snprintf(place->path + used, sizeof place->path - used, "[%ld]", number);
    *at = close + 1;
    *index = (int)number;
    return TL_OK;
}

static void append_name(tl_scene_place *place, const char *name)
{
    size_t used = strlen(place->path);
    snprintf(place->path + used, sizeof place->path - used, "%s%s", used > 0 ? "." : "", name);
}

/* Length of `name` when `path` continues with exactly it, else 0. */
static size_t starts_with(const char *path, const char *name)
{
    size_t length = strlen(name);
    char after = strncmp(path, name, length) == 0 ? path[length] : 'x';
    return after == '.' || after == '[' || after == '\0' ? length : 0;
}

static tl_result find_section(const char *path, const tl_scene_section **section, tl_error *error)
{
    const char *names[16];
    int count = 0;
    for (const tl_scene_section *s = tl_scene_sections; s->name; ++s) {
        *section = s;
        if (starts_with(path, s->name))
            return TL_OK;
        names[count++] = s->name;
    }
    names[count] = NULL;
    char first[TL_SCENE_PATH], shown[TL_SCENE_PATH];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(path, ".["), path);
    const char *nearest = tl_text_nearest(first, names);
    return tl_fail(error, TL_ERROR_INPUT,
                   "%s: a scene has no such part, only scene, world, wind, cloth[0], body[0], character[0], camera, "
                   "light, look%s%s%s",
                   tl_text_printable(path, shown, sizeof shown), nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

/* One level deeper: into an inner object or an entry of a list. False when the path continues otherwise. */
static bool descend(tl_scene_place *place, const char **at, tl_result *result, tl_error *error)
{
    for (const tl_scene_section *inner = place->inner; inner && inner->name; ++inner) {
        size_t length = starts_with(*at, inner->name);
        if (length == 0 || (*at)[length] == '[')
            continue;
        append_name(place, inner->name);
        *at += length;
        place->object = (char *)place->object + inner->offset;
        place->group = inner->group;
        place->inner = inner->inner;
        place->nested = true;
        return true;
    }
    for (int i = 0; i < place->group->count; ++i) {
        const tl_param *param = &place->group->params[i];
        size_t length = param->type == TL_PARAM_LIST ? starts_with(*at, param->path) : 0;
        if (length == 0 || (*at)[length] != '[')
            continue;
        append_name(place, param->path);
        *at += length;
        tl_scene_entries entries = tl_scene_param_entries(param, place->object);
        int index = 0;
        *result = read_index(at, place, &entries, &index, error);
        if (*result == TL_OK) {
            place->object = tl_scene_entry_at(&entries, index);
            place->group = entries.group;
            place->inner = entries.inner;
            place->nested = true;
        }
        return true;
    }
    return false;
}

tl_result tl_scene_find(tl_scene *scene, const char *path, tl_scene_place *place, tl_error *error)
{
    *place = (tl_scene_place){.rest = ""};
    tl_result result = find_section(path, &place->section, error);
    if (result)
        return result;
    place->group = place->section->group;
    place->inner = place->section->inner;
    append_name(place, place->section->name);
    const char *at = path + strlen(place->section->name);
    if (!place->section->is_list) {
        if (*at == '[')
            return tl_fail(error, TL_ERROR_INPUT, "%.100s: %s is not a list", path, place->section->name);
        place->object = (char *)scene + place->section->offset;
    } else if (*at == '\0') {
        return TL_OK;
    } else if (*at == '.') {
        size_t digits = strspn(at + 1, "0123456789"); /* cloth.0.columns */
        const char *rest = digits > 0 ? at + 1 + digits : at;
        return tl_fail(error, TL_ERROR_INPUT, "%.100s: %s is a list; write %s[%.*s]%s", path, place->section->name,
                       place->section->name, digits > 0 ? (int)digits : 1, digits > 0 ? at + 1 : "0", rest);
    } else {
        tl_scene_entries entries = tl_scene_section_entries(place->section, scene);
        result = read_index(&at, place, &entries, &place->index, error);
        if (result)
            return result;
        place->object = tl_scene_entry_at(&entries, place->index);
    }
    while (*at != '\0') {
        if (*at != '.')
            return tl_fail(error, TL_ERROR_INPUT, "%.100s: expected a dot after %s", path, place->path);
        ++at;
        if (!descend(place, &at, &result, error))
            break;
        if (result)
            return result;
    }
    place->rest = at;
    return TL_OK;
}

/* The parameter of a path, with its object. */
static tl_result find_param(tl_scene *scene, const char *path, tl_scene_place *place, const tl_param **param,
                            tl_error *error)
{
    tl_result result = tl_scene_find(scene, path, place, error);
    if (result)
        return result;
    if (!place->object || *place->rest == '\0')
        return tl_fail(error, TL_ERROR_INPUT, "%.100s: names a whole %s; a parameter of it is needed, such as %s%s.%s",
                       path, place->group->name, place->path, place->object ? "" : "[0]", place->group->params[0].path);
    *param = tl_param_find(place->group, place->rest);
    return *param ? TL_OK : tl_param_unknown(place->group, place->rest, place->path, error);
}

tl_result tl_scene_set(tl_scene *scene, const char *path, const char *text, bool *rebuild, tl_error *error)
{
    bool ignored;
    if (!rebuild)
        rebuild = &ignored;
    *rebuild = false;
    tl_scene_place place;
    const tl_param *param;
    tl_value value;
    tl_result result = find_param(scene, path, &place, &param, error);
    if (result)
        return result;
    result = tl_param_parse(param, text, &value, place.path, error);
    if (result)
        return result;
    if (value.text && !tl_text_is_utf8(value.text)) /* as scene files are */
        return tl_fail(error, TL_ERROR_INPUT, "%s: the text is not UTF-8", path);
    /* setting one field may change others, so the whole object is saved until the world has accepted it */
    void *before = malloc(place.group->size);
    if (!before)
        return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory to change it", path);
    memcpy(before, place.object, place.group->size);
    result = tl_param_set(place.group, param, place.object, &value, place.path, error);
    if (!result && scene->built)
        result = tl_scene_forward(scene, &place, param, &value, rebuild, error);
    if (result)
        memcpy(place.object, before, place.group->size);
    free(before);
    return result;
}

tl_result tl_scene_get(const tl_scene *scene, const char *path, char *text, size_t size, tl_error *error)
{
    tl_scene_place place;
    const tl_param *param;
    tl_result result = find_param((tl_scene *)scene, path, &place, &param, error); /* only read */
    if (result)
        return result;
    tl_value value = tl_param_get(param, place.object);
    int length = tl_param_format(&value, text, size);
    if (length < 0 || (size_t)length >= size)
        return tl_fail(error, TL_ERROR_INPUT, "%s: the text has %d bytes, the buffer %zu", path, length, size);
    return TL_OK;
}
