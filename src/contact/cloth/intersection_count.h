/* The exact number of pairs of triangles of cloth that intersect. */
#ifndef TL_CONTACT_CLOTH_INTERSECTION_COUNT_H
#define TL_CONTACT_CLOTH_INTERSECTION_COUNT_H

#include "contact/cloth/contact_world.h"

/* At x: of all (only = -1), or those with a triangle of mesh `only`, of which `faces` is set to 1 where it is not NULL.
   -1 when memory is short. */
int tl_count_intersections(tl_contact_world *set, int only, unsigned char *faces);

#endif
