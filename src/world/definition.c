#include "world/definition.h"

#include "core/memory.h"

#include <string.h>

void tl_def_init(void *def, size_t size, const tl_param_group *group)
{
    union {
        tl_world_def world;
        tl_cloth_def cloth;
        tl_body_def body;
        tl_pin_def pin;
        tl_key_def key;
    } defaults;
    memset(&defaults, 0, sizeof defaults); /* padding too */
    tl_param_defaults(group, &defaults);
    tl_def_mark mark;
    memcpy(&mark, &defaults, sizeof mark);
    mark.size = (uint32_t)size;
    memcpy(&defaults, &mark, sizeof mark);
    memset(def, 0, size);
    memcpy(def, &defaults, size < group->size ? size : group->size);
}

tl_result tl_def_read(void *copy, const void *def, const tl_param_group *group, tl_error *error)
{
    tl_def_mark mark, own;
    tl_def_init(copy, group->size, group);
    memcpy(&mark, def, sizeof mark);
    memcpy(&own, copy, sizeof own);
    if (mark.kind != own.kind || mark.size < sizeof mark)
        return tl_fail(error, TL_ERROR_INPUT, "the %s's definition was not made by tl_%s_def_default()", group->name,
                       group->name);
    if (mark.version != own.version || mark.size > own.size)
        return tl_fail(error, TL_ERROR_UNSUPPORTED,
                       "the %s's definition is of another version of Telar: version %d with %u bytes, this library has "
                       "version %d with %u",
                       group->name, mark.version, (unsigned)mark.size, own.version, (unsigned)own.size);
    memcpy(copy, def, mark.size);
    return TL_OK;
}

tl_result tl_def_read_entry(void *copy, const void *first, int index, const tl_param_group *group, tl_error *error)
{
    tl_def_mark mark; /* entries are as far apart as the program that made them has it */
    memcpy(&mark, first, sizeof mark);
    return tl_def_read(copy, (const char *)first + (size_t)index * mark.size, group, error);
}
