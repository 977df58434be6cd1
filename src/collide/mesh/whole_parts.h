/* Which subtrees of a mesh's tree hang together as one piece without slits, holes or bays. */
#ifndef TL_COLLIDE_MESH_WHOLE_PARTS_H
#define TL_COLLIDE_MESH_WHOLE_PARTS_H

#include "collide/mesh/face_tree.h"
#include "mesh/mesh.h"

/* Sets `whole` of all nodes of a tree over the faces of the mesh. Returns false when out of memory. Cost: once per
   tree, faces × depth. */
bool tl_face_tree_find_whole(tl_face_tree *tree, const tl_mesh *mesh, const tl_allocator *allocator);

#endif
