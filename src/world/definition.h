/* Marks of definitions: which one it is, and how large the program that made it knows it to be. A definition may grow
   at its end: the library reads what a smaller one has and takes the defaults for the rest. A new member goes behind
   all others and not into padding at the end, whose bytes are not kept when a program copies a definition. Any other
   change of layout is a new TL_DEF_VERSION. */
#ifndef TL_WORLD_DEFINITION_H
#define TL_WORLD_DEFINITION_H

#include "telar/world.h"

#define TL_DEF_VERSION 1

/* Numbers that memory without a definition is unlikely to hold. */
enum { TL_DEF_WORLD = 0xD1A5, TL_DEF_CLOTH, TL_DEF_BODY, TL_DEF_PIN, TL_DEF_KEY };

static inline tl_def_mark tl_def_mark_of(int kind, size_t size)
{
    return (tl_def_mark){.kind = (uint16_t)kind, .version = TL_DEF_VERSION, .size = (uint32_t)size};
}

/* The first `size` bytes of the group's defaults; a larger definition, of a later version, is filled with zeros. */
void tl_def_init(void *def, size_t size, const tl_param_group *group);

/* Copies a user's definition over the defaults into `copy`, a struct of the group; the mark keeps the user's size. */
tl_result tl_def_read(void *copy, const void *def, const tl_param_group *group, tl_error *error);

/* The same for entry `index` of an array of definitions. */
tl_result tl_def_read_entry(void *copy, const void *first, int index, const tl_param_group *group, tl_error *error);

#endif
