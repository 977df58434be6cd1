/* Octree over triangles, as S0 uses it against colliders: cubes halved to a given height, triangles kept in every leaf
   they touch. Bodies of shape mesh can use one (body.tree); here it can be studied by itself. */
#ifndef TELAR_OCTREE_H
#define TELAR_OCTREE_H

#include "telar/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_octree tl_octree;

/* Triangles are three indices of points each; both are only read while the tree is made. Height 1…10: the leaves' edge
   is that of the whole halved so many times. NULL on error. `allocator` may be NULL. */
tl_octree *tl_octree_create(const tl_vec3 *points, const int *triangles, int triangle_count, int height,
                            const tl_allocator *allocator, tl_error *error);
void tl_octree_destroy(tl_octree *tree); /* NULL is allowed */

/* Triangles of all leaves that the box touches, each once, in ascending order of first meeting; returns their number,
   of which at most `capacity` are written. Triangles that the box touches are never missed. */
int tl_octree_in_box(tl_octree *tree, tl_vec3 low, tl_vec3 high, int *triangles, int capacity);

/* What queries have looked at since the tree was made. */
typedef struct tl_octree_counts {
    long long nodes;     /* boxes of nodes */
    long long triangles; /* triangles handed out: what is left to test */
} tl_octree_counts;
tl_octree_counts tl_octree_get_counts(const tl_octree *tree);
size_t tl_octree_bytes(const tl_octree *tree);

#ifdef __cplusplus
}
#endif

#endif
