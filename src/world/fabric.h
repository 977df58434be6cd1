/* Fabrics: measured properties that fill in a cloth definition. */
#ifndef TL_WORLD_FABRIC_H
#define TL_WORLD_FABRIC_H

#include "telar/world.h"

extern const char *const tl_fabric_name_list[]; /* NULL-terminated; the first is "custom", which fills in nothing */

/* Writes density, material and elements of the definition's fabric; "custom" writes nothing. */
void tl_fabric_apply(tl_cloth_def *def);

/* For definitions filled in by hand: applies the fabric; numbers that the user changed, and the material if he chose it
   or switched an element, stay. */
void tl_fabric_resolve(tl_cloth_def *def);

#endif
