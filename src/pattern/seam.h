/* Directions of seams. */
#ifndef TL_PATTERN_SEAM_H
#define TL_PATTERN_SEAM_H

#include "pattern/pattern.h"

/* An error that names the first seam whose direction cannot be meant. */
tl_result tl_seams_refuse(const tl_pattern *pattern, tl_error *error);

/* flipped[panel]: its right side is inside where that makes the sides of all panels agree. False: no memory. */
bool tl_seams_flip_panels(const tl_pattern *pattern, bool *flipped);

#endif
