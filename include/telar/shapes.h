/* The shapes a body can have: names, meaning of the three components of a size, and triangles for drawing. Collision
   uses the exact shape, never these triangles. */
#ifndef TELAR_SHAPES_H
#define TELAR_SHAPES_H

#include "telar/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL-terminated; the last is "mesh", the user's own triangles (tl_body_def.mesh). */
const char *const *tl_shape_names(void);

/* What tl_body_def.size means for a shape, for example "radius in x"; NULL for unknown names. */
const char *tl_shape_size_help(const char *shape);

/* True for an infinite half space. */
bool tl_shape_bottomless(const char *shape);

/* Triangles of a shape's surface in the frame of its body. Vertices are not shared across sharp edges. */
typedef struct tl_shape_mesh {
    int vertex_count, triangle_count;
    tl_vec3 *positions; /* m, one per vertex, on the surface */
    tl_vec3 *normals;   /* unit, one per vertex, outward */
    int *triangles;     /* three vertex indices each, counter-clockwise from outside */
    tl_real radius;     /* m, output: smallest radius of curvature; 0 for shapes with edges or flat faces */
} tl_shape_mesh;

enum { TL_SHAPE_LEAST_DETAIL = 8, TL_SHAPE_MOST_DETAIL = 1024 };

/* Called twice: with a zeroed mesh it sets the counts; with arrays it fills them. On the second call the counts give
   the capacity; when it is too small, only the counts are written. The caller owns the arrays.

   detail: segments around a full circle, TL_SHAPE_LEAST_DETAIL … TL_SHAPE_MOST_DETAIL. The mesh is closed, except for
   bottomless shapes: one square metre of the surface around the origin, for the caller to scale. Unknown names, "mesh"
   and invalid sizes give TL_ERROR_INPUT. `error` may be NULL. */
tl_result tl_shape_triangles(const char *shape, tl_vec3 size, int detail, tl_shape_mesh *mesh, tl_error *error);

#ifdef __cplusplus
}
#endif

#endif
