/* Exact count of intersecting pairs of cloth triangles. */
#ifndef TL_CONTACT_CLOTH_INTERSECTION_COUNT_H
#define TL_CONTACT_CLOTH_INTERSECTION_COUNT_H

#include "contact/cloth/contact_world.h"

/* At x: all pairs (only = -1), or those with a triangle of mesh `only`, whose flags in `faces` (or NULL) are set to
   1. -1 when out of memory. */
int tl_count_intersections(tl_contact_world *set, int only, unsigned char *faces);

#endif
