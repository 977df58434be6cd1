/* Reading measures of a body. */
#include <stdlib.h>

#include "core/memory.h"
#include "io/file.h"
#include "io/json.h"
#include "telar/io.h"

#define LARGEST_FILE ((size_t)1 << 20)

static tl_result set_measure(const tl_json *member, const char *file_name, tl_measures *measures, tl_error *error)
{
    const tl_param *param = tl_param_find(&tl_measures_params, member->key);
    tl_result result;
    if (!param)
        result = tl_param_unknown(&tl_measures_params, member->key, "", error);
    else if (!tl_json_is(member, TL_JSON_NUMBER))
        result = tl_fail(error, TL_ERROR_INPUT, "%s: expected a number", member->key);
    else
        result = tl_param_set(&tl_measures_params, param, measures,
                              &(tl_value){.type = TL_PARAM_REAL, .number = {member->number}}, "", error);
    if (result)
        tl_error_prefix(error, "%s:%d: ", file_name, member->line);
    return result;
}

tl_result tl_measures_load(const char *file_name, tl_measures *measures, tl_error *error)
{
    size_t length;
    char *text = tl_file_read(file_name, LARGEST_FILE, &length, error);
    if (!text)
        return error ? error->code : TL_ERROR_FILE;
    tl_json_document document = {0};
    tl_json_fault fault;
    tl_measures read = *measures;
    tl_result result = TL_OK;
    if (!tl_json_read(&document, text, length, false, &fault))
        result = tl_fail(error, TL_ERROR_INPUT, "%s:%d: %s", file_name, fault.line, fault.reason);
    else if (!tl_json_is(document.root, TL_JSON_OBJECT))
        result = tl_fail(error, TL_ERROR_INPUT, "%s: expected an object with measures", file_name);
    for (const tl_json *at = tl_json_first(document.root); at && !result; at = at->next)
        result = set_measure(at, file_name, &read, error);
    if (!result)
        *measures = read;
    tl_json_release(&document);
    free(text);
    return result;
}
