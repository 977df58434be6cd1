/* Start shape and particle masses of a cloth. */
#ifndef TL_WORLD_CLOTH_SHAPE_H
#define TL_WORLD_CLOTH_SHAPE_H

#include "world/world.h"

/* Places the mesh in its starting pose. */
tl_result tl_cloth_place(tl_cloth *cloth, tl_error *error);

/* How the mesh is turned in it. */
tl_quat tl_cloth_start_turn(const tl_cloth *cloth);
/* The box around a cloth in the world's coordinates, m. */
void tl_cloth_box(const tl_cloth *cloth, tl_vec3 *low, tl_vec3 *high);

/* Asks in the log for the unit of a cloth whose size is not that of cloth. */
void tl_cloth_check_size(const tl_cloth *cloth);

/* Masses from face areas × density, or one mass for all particles, times the spread (the thesis S3, annex A). */
tl_result tl_cloth_weigh(tl_cloth *cloth, tl_error *error);

/* system.weight: what the particles would weigh if their masses were not spread, with the same sum. */
void tl_cloth_even_weight(tl_cloth *cloth);

#endif
