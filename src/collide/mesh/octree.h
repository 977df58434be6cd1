/* Octree queries for contact, in addition to the public interface. */
#ifndef TL_COLLIDE_MESH_OCTREE_H
#define TL_COLLIDE_MESH_OCTREE_H

#include "collide/mesh/slab.h"
#include "telar/octree.h"

/* As tl_octree_in_box, for the part of the box inside the slab; nodes with few triangles are returned whole. */
int tl_octree_in_slab(tl_octree *tree, const tl_slab *slab, int *triangles, int capacity);

#endif
