/* What contact asks of an octree beside the public interface. */
#ifndef TL_CONTACT_OCTREE_H
#define TL_CONTACT_OCTREE_H

#include "collide/mesh/slab.h"
#include "telar/octree.h"

/* As tl_octree_in_box, for the part of the box that lies in the slab; where few triangles are near each other, all of
   them. */
int tl_octree_in_slab(tl_octree *tree, const tl_slab *slab, int *triangles, int capacity);

#endif
