/* Octree over triangles: cubes halved to a given height, each triangle stored in every leaf it overlaps. Bodies of
   shape "mesh" can use one as broad phase (tl_body_def.tree); this interface is for measuring it by itself. */
#ifndef TELAR_OCTREE_H
#define TELAR_OCTREE_H

#include "telar/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_octree tl_octree;

/* Triangles are three indices into `points` each; both arrays are only read during the call. Height 1…10: leaves have
   the edge of the root cube / 2^height. NULL on error. `allocator` (copied) and `error` may be NULL. */
tl_octree *tl_octree_create(const tl_vec3 *points, const int *triangles, int triangle_count, int height,
                            const tl_allocator *allocator, tl_error *error);
void tl_octree_destroy(tl_octree *tree); /* NULL is allowed */

/* Triangles of all leaves that overlap the box, each once, in the order of traversal: a superset of the triangles that
   overlap it. Returns their number, of which at most `capacity` are written. Not safe for concurrent queries of one
   tree. */
int tl_octree_in_box(tl_octree *tree, tl_vec3 low, tl_vec3 high, int *triangles, int capacity);

/* Work done by all queries since creation. */
typedef struct tl_octree_counts {
    long long nodes;     /* boxes of nodes tested */
    long long triangles; /* triangles returned: candidates for the narrow phase */
} tl_octree_counts;
tl_octree_counts tl_octree_get_counts(const tl_octree *tree);
size_t tl_octree_bytes(const tl_octree *tree);

#ifdef __cplusplus
}
#endif

#endif
