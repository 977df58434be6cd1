/* Fabrics: measured numbers that fill in a cloth's definition. */
#ifndef TL_WORLD_FABRIC_H
#define TL_WORLD_FABRIC_H

#include "telar/world.h"

extern const char *const tl_fabric_name_list[]; /* NULL-terminated; the first is "custom": nothing is filled in */

/* Writes density, material and elements of the fabric that the definition names; "custom" writes nothing. */
void tl_fabric_apply(tl_cloth_def *def);

/* For definitions made by hand: a fabric that was named alone, all numbers being the defaults, is applied. */
void tl_fabric_settle(tl_cloth_def *def);

#endif
