/* The table of parameters: defaults, reading, checked writing, and values as text. One set of messages for scene files,
   the command line and panels. */
#include "telar/param.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/rename.h"
#include "core/text.h"

enum { SHOWN_TEXT = 48 /* bytes of an invalid text quoted in a message */ };

static const char axis_names[3] = {'x', 'y', 'z'};

/* ---- messages ----------------------------------------------------------------------------------------------- */

/* "cloth[0].density" from its two parts. */
static const char *full_path(char buffer[192], const char *where, const char *path)
{
    snprintf(buffer, 192, "%s%s%s", where ? where : "", where && *where ? "." : "", path);
    return buffer;
}

/* Appends text to a fixed buffer, truncating it. */
static void append(char *buffer, size_t size, const char *text)
{
    size_t used = strlen(buffer);
    if (used + strlen(text) < size)
        memcpy(buffer + used, text, strlen(text) + 1);
}

/* "0 … 1 kg/m²", "at least 0 s", "" when every number is accepted. */
static const char *range_text(const tl_param *param, char *buffer, size_t size)
{
    char low[32], high[32];
    tl_text_write_number(param->min, low, sizeof low);
    tl_text_write_number(param->max, high, sizeof high);
    const char *unit = param->unit ? param->unit : "";
    const char *gap = *unit ? " " : "";
    if (isfinite(param->min) && isfinite(param->max))
        snprintf(buffer, size, " from %s to %s%s%s", low, high, gap, unit);
    else if (isfinite(param->min))
        snprintf(buffer, size, " of at least %s%s%s", low, gap, unit);
    else if (isfinite(param->max))
        snprintf(buffer, size, " of at most %s%s%s", high, gap, unit);
    else
        snprintf(buffer, size, "%s%s", *unit ? " in " : "", unit);
    return buffer;
}

/* "expected a number from 0 to 1 kg/m²": the value's type does not match the parameter. */
static tl_result wrong_type(const tl_param *param, const char *where, tl_error *error)
{
    char path[192], range[96];
    full_path(path, where, param->path);
    range_text(param, range, sizeof range);
    switch (param->type) {
    case TL_PARAM_REAL:
        return tl_fail(error, TL_ERROR_INPUT, "%s: expected a number%s", path, range);
    case TL_PARAM_INT:
        return tl_fail(error, TL_ERROR_INPUT, "%s: expected a whole number%s", path, range);
    case TL_PARAM_BOOL:
        return tl_fail(error, TL_ERROR_INPUT, "%s: expected true or false", path);
    case TL_PARAM_VEC3:
        return tl_fail(error, TL_ERROR_INPUT, "%s: expected three numbers [x, y, z]%s", path, range);
    case TL_PARAM_NAME:
        return tl_fail(error, TL_ERROR_INPUT, "%s: expected a name such as \"%s\"", path, param->names[0]);
    case TL_PARAM_TEXT:
        return tl_fail(error, TL_ERROR_INPUT, "%s: expected a text", path);
    case TL_PARAM_LIST:
        break;
    }
    return tl_fail(error, TL_ERROR_INPUT, "%s: is a list; its entries %s[0], %s[1] … are set one by one", path,
                   param->path, param->path);
}

static tl_result unknown_name(const tl_param *param, const char *text, const char *where, tl_error *error)
{
    char path[192], list[224] = "", shown[SHOWN_TEXT];
    const char *renamed = tl_rename_name(param->path, text);
    if (renamed)
        return tl_fail(error, TL_ERROR_INPUT, "%s: '%s' is renamed to '%s'", full_path(path, where, param->path), text,
                       renamed);
    for (int i = 0; param->names[i]; ++i) {
        if (strlen(list) + strlen(param->names[i]) + 8 > sizeof list) {
            append(list, sizeof list, ", …");
            break;
        }
        append(list, sizeof list, i > 0 ? ", " : "");
        append(list, sizeof list, param->names[i]);
    }
    const char *nearest = tl_text_nearest(text, param->names);
    return tl_fail(error, TL_ERROR_INPUT, "%s: '%s' is not one of %s%s%s%s", full_path(path, where, param->path),
                   tl_text_printable(text, shown, sizeof shown), list, nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

tl_result tl_param_unknown(const tl_param_group *group, const char *path, const char *where, tl_error *error)
{
    const char *nearest = NULL;
    int best = tl_text_tolerance(path) + 1;
    for (int i = 0; i < group->count; ++i) {
        const char *known = group->params[i].path;
        int edits = tl_text_distance(path, known);
        if (edits < best) {
            best = edits;
            nearest = known;
        }
    }
    char full[192], shown[SHOWN_TEXT];
    tl_text_printable(path, shown, sizeof shown);
    const tl_rename *renamed = tl_rename_find(group->name, path);
    if (renamed)
        return tl_fail(error, TL_ERROR_INPUT, "%s: renamed to '%s'", full_path(full, where, shown), renamed->new_path);
    return tl_fail(error, TL_ERROR_INPUT, "%s: there is no such parameter in '%s'%s%s%s", full_path(full, where, shown),
                   group->name, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

const char *tl_nearest_name(const char *word, const char *const *names) { return tl_text_nearest(word, names); }

/* ---- the table ---------------------------------------------------------------------------------------------- */

const tl_param *tl_param_find(const tl_param_group *group, const char *path)
{
    for (int i = 0; i < group->count; ++i)
        if (strcmp(group->params[i].path, path) == 0)
            return &group->params[i];
    return NULL;
}

/* The list's string equal to `text`, or to the name it is an alias of; NULL when there is none. */
static const char *listed_name(const tl_param *param, const char *text)
{
    for (int i = 0; text && param->aliases && param->aliases[i]; i += 2)
        if (strcmp(param->aliases[i], text) == 0) {
            text = param->aliases[i + 1];
            break;
        }
    for (int i = 0; text && param->names[i]; ++i)
        if (strcmp(param->names[i], text) == 0)
            return param->names[i];
    return NULL;
}

static const char *default_name(const tl_param *param)
{
    const char *name = listed_name(param, param->text);
    return name ? name : param->names[(int)param->value[0]];
}

/* Writes a value that was checked or comes from the table. */
static void write_field(const tl_param *param, void *object, const tl_value *value)
{
    char *field = (char *)object + param->offset;
    switch (param->type) {
    case TL_PARAM_REAL:
        *(tl_real *)(void *)field = (tl_real)value->number[0];
        break;
    case TL_PARAM_INT:
        *(int *)(void *)field = (int)value->number[0];
        break;
    case TL_PARAM_BOOL:
        *(bool *)(void *)field = value->number[0] != 0;
        break;
    case TL_PARAM_VEC3:
        *(tl_vec3 *)(void *)field =
            (tl_vec3){(tl_real)value->number[0], (tl_real)value->number[1], (tl_real)value->number[2]};
        break;
    case TL_PARAM_NAME:
        *(const char **)(void *)field = value->text;
        break;
    case TL_PARAM_TEXT: {
        size_t length = strlen(value->text);
        memmove(field, value->text, length); /* the text may be in the field itself */
        memset(field + length, 0, param->size - length);
        break;
    }
    case TL_PARAM_LIST:
        memset(field, 0, sizeof(void *)); /* of any pointer type */
        *(int *)(void *)((char *)object + param->count_offset) = 0;
        break;
    }
}

tl_value tl_param_default(const tl_param *param)
{
    tl_value value = {.type = param->type};
    memcpy(value.number, param->value, sizeof value.number);
    if (param->type == TL_PARAM_NAME)
        value.text = default_name(param);
    else if (param->type == TL_PARAM_TEXT)
        value.text = param->text ? param->text : "";
    return value;
}

void tl_param_defaults(const tl_param_group *group, void *object)
{
    for (int i = 0; i < group->count; ++i) {
        tl_value value = tl_param_default(&group->params[i]);
        write_field(&group->params[i], object, &value);
    }
    if (group->complete)
        group->complete(object);
}

tl_value tl_param_get(const tl_param *param, const void *object)
{
    const char *field = (const char *)object + param->offset;
    tl_value value = {.type = param->type};
    switch (param->type) {
    case TL_PARAM_REAL:
        value.number[0] = (double)*(const tl_real *)(const void *)field;
        break;
    case TL_PARAM_INT:
        value.number[0] = *(const int *)(const void *)field;
        break;
    case TL_PARAM_BOOL:
        value.number[0] = *(const bool *)(const void *)field ? 1 : 0;
        break;
    case TL_PARAM_VEC3: {
        const tl_vec3 *v = (const void *)field;
        value.number[0] = (double)v->x;
        value.number[1] = (double)v->y;
        value.number[2] = (double)v->z;
        break;
    }
    case TL_PARAM_NAME:
        value.text = *(const char *const *)(const void *)field;
        if (!value.text) /* NULL names mean the defaults */
            value.text = default_name(param);
        break;
    case TL_PARAM_TEXT:
        value.text = field;
        break;
    case TL_PARAM_LIST:
        value.number[0] = *(const int *)(const void *)((const char *)object + param->count_offset);
        break;
    }
    return value;
}

/* ---- checked writing ---------------------------------------------------------------------------------------- */

/* One number against the range. Bounds are rounded like the number, so that a bound itself is always accepted. */
static tl_result check_number(const tl_param *param, double number, int axis, const char *where, tl_error *error)
{
    char path[192], shown[32], bound[32], component[8] = "";
    bool is_int = param->type == TL_PARAM_INT;
    double x = is_int ? number : (double)(tl_real)number;
    double min = is_int ? param->min : (double)(tl_real)param->min;
    double max = is_int ? param->max : (double)(tl_real)param->max;
    if (param->type == TL_PARAM_VEC3)
        snprintf(component, sizeof component, "%c = ", axis_names[axis]);
    full_path(path, where, param->path);
    tl_text_write_number(number, shown, sizeof shown);
    bool infinity_accepted =
        param->type == TL_PARAM_REAL && isinf(param->max) && param->max > 0 && isinf(number) && number > 0;
    if (!isfinite(x) && !infinity_accepted && (isnan(x) || !isfinite(number)))
        return tl_fail(error, TL_ERROR_INPUT, "%s: %s%s is not a finite number", path, component, shown);
    if (!isfinite(x) && !infinity_accepted)
        return tl_fail(error, TL_ERROR_INPUT, "%s: %s%s is too large for single precision", path, component, shown);
    if (is_int && (x < INT_MIN || x > INT_MAX))
        return tl_fail(error, TL_ERROR_INPUT, "%s: %.17g is too large for a whole number", path, number);
    if (is_int && x != floor(x))
        return tl_fail(error, TL_ERROR_INPUT, "%s: %s is not a whole number", path, shown);
    if (is_int)
        snprintf(shown, sizeof shown, "%d", (int)x);
    if (x >= min && x <= max)
        return TL_OK;
    const char *unit = param->unit ? param->unit : "";
    tl_text_write_number(x < min ? param->min : param->max, bound, sizeof bound);
    return tl_fail(error, TL_ERROR_INPUT, "%s: %s%s is %s %s%s%s", path, component, shown, x < min ? "below" : "above",
                   bound, *unit ? " " : "", unit);
}

/* Whether a value of this type can be converted to the parameter's. */
static bool types_agree(const tl_param *param, const tl_value *value)
{
    switch (param->type) {
    case TL_PARAM_REAL:
    case TL_PARAM_INT:
        return value->type == TL_PARAM_REAL || value->type == TL_PARAM_INT;
    case TL_PARAM_NAME:
    case TL_PARAM_TEXT:
        return (value->type == TL_PARAM_NAME || value->type == TL_PARAM_TEXT) && value->text;
    case TL_PARAM_BOOL:
    case TL_PARAM_VEC3:
        return value->type == param->type;
    case TL_PARAM_LIST:
        break;
    }
    return false;
}

tl_result tl_param_set(const tl_param_group *group, const tl_param *param, void *object, const tl_value *value,
                       const char *where, tl_error *error)
{
    if (!types_agree(param, value))
        return wrong_type(param, where, error);
    tl_value checked = *value;
    char path[192];
    if (param->type == TL_PARAM_NAME) {
        checked.text = listed_name(param, value->text);
        if (!checked.text)
            return unknown_name(param, value->text, where, error);
    } else if (param->type == TL_PARAM_TEXT) {
        if (strlen(value->text) >= param->size)
            return tl_fail(error, TL_ERROR_INPUT, "%s: the text has %zu bytes, at most %zu are kept",
                           full_path(path, where, param->path), strlen(value->text), param->size - 1);
    } else if (param->type != TL_PARAM_BOOL) {
        int components = param->type == TL_PARAM_VEC3 ? 3 : 1;
        for (int i = 0; i < components; ++i) {
            tl_result result = check_number(param, value->number[i], i, where, error);
            if (result)
                return result;
        }
    }
    write_field(param, object, &checked);
    if (group->changed)
        group->changed(object, param);
    return TL_OK;
}

/* ---- values as text ----------------------------------------------------------------------------------------- */

static const char *skip_space(const char *text)
{
    while (isspace((unsigned char)*text))
        ++text;
    return text;
}

/* A number or "inf"; false when there is none. */
static bool read_number(const char *text, const char **end, double *number)
{
    const char *digits = *text == '+' || *text == '-' ? text + 1 : text;
    if (strncmp(digits, "inf", 3) == 0 && !isalnum((unsigned char)digits[3])) {
        *number = *text == '-' ? -INFINITY : INFINITY;
        *end = digits + 3;
        return true;
    }
    return tl_text_read_number(text, end, number);
}

/* Exactly `count` numbers separated by spaces or one comma, optionally in brackets. */
static bool read_numbers(const char *text, int count, double *numbers)
{
    text = skip_space(text);
    bool bracket = *text == '[';
    if (bracket)
        text = skip_space(text + 1);
    for (int i = 0; i < count; ++i) {
        if (!read_number(text, &text, &numbers[i]))
            return false;
        text = skip_space(text);
        if (i + 1 < count && *text == ',')
            text = skip_space(text + 1);
    }
    if (bracket) {
        if (*text != ']')
            return false;
        text = skip_space(text + 1);
    }
    return *text == '\0';
}

static bool read_bool(const char *text, double *number)
{
    static const char *const words[] = {"false", "true", "off", "on", "no", "yes", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strcmp(text, words[i]) == 0) {
            *number = (double)(i % 2);
            return true;
        }
    return false;
}

tl_result tl_param_parse(const tl_param *param, const char *text, tl_value *value, const char *where, tl_error *error)
{
    *value = (tl_value){.type = param->type};
    bool understood = false;
    switch (param->type) {
    case TL_PARAM_REAL:
    case TL_PARAM_INT:
        understood = read_numbers(text, 1, value->number);
        break;
    case TL_PARAM_VEC3:
        understood = read_numbers(text, 3, value->number);
        break;
    case TL_PARAM_BOOL:
        understood = read_bool(text, value->number);
        break;
    case TL_PARAM_NAME:
        value->text = listed_name(param, text);
        if (!value->text)
            return unknown_name(param, text, where, error);
        return TL_OK;
    case TL_PARAM_TEXT:
        value->text = text;
        return TL_OK;
    case TL_PARAM_LIST:
        break;
    }
    return understood ? TL_OK : wrong_type(param, where, error);
}

int tl_param_format(const tl_value *value, char *buffer, size_t size)
{
    char x[32], y[32], z[32];
    switch (value->type) {
    case TL_PARAM_REAL:
        return tl_text_write_number(value->number[0], buffer, size);
    case TL_PARAM_INT:
    case TL_PARAM_LIST: /* its length */
        return snprintf(buffer, size, "%d", (int)value->number[0]);
    case TL_PARAM_BOOL:
        return snprintf(buffer, size, "%s", value->number[0] != 0 ? "true" : "false");
    case TL_PARAM_VEC3:
        tl_text_write_number(value->number[0], x, sizeof x);
        tl_text_write_number(value->number[1], y, sizeof y);
        tl_text_write_number(value->number[2], z, sizeof z);
        return snprintf(buffer, size, "[%s, %s, %s]", x, y, z);
    case TL_PARAM_NAME:
    case TL_PARAM_TEXT:
        break;
    }
    return snprintf(buffer, size, "%s", value->text ? value->text : "");
}
