/* Where a cloth starts and what it weighs. */
#ifndef TL_WORLD_CLOTH_SHAPE_H
#define TL_WORLD_CLOTH_SHAPE_H

#include "world/world.h"

/* Puts the mesh into the frame that the definition asks for. */
tl_result tl_cloth_place(tl_cloth *cloth, tl_error *error);

/* Masses from face areas × density, or one mass for all, times the spread (S3 annex A). */
tl_result tl_cloth_weigh(tl_cloth *cloth, tl_error *error);

#endif
