/* The shapes a body can have: their names, what the three numbers of a size mean, and triangles to draw them by. Cloth
   meets the exact shape, never these triangles. */
#ifndef TELAR_SHAPES_H
#define TELAR_SHAPES_H

#include "telar/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL-terminated; the last is "mesh", a surface of the user's own triangles (tl_body_def.mesh). */
const char *const *tl_shape_names(void);

/* What tl_body_def.size means for a shape, "radius in x"; NULL when there is no such shape. */
const char *tl_shape_size_help(const char *shape);

/* True for a floor without end, solid all the way down. */
bool tl_shape_bottomless(const char *shape);

/* Triangles of a shape's surface in the frame of its body. Where it has sharp edges, every face has vertices of its
 * own. */
typedef struct tl_shape_mesh {
    int vertex_count, triangle_count;
    tl_vec3 *positions; /* m, one per vertex, on the surface */
    tl_vec3 *normals;   /* unit, one per vertex, outward */
    int *triangles;     /* three vertices each, counter-clockwise seen from outside */
    tl_real radius;     /* m, out: of the tightest curve; 0 when it has edges or is flat */
} tl_shape_mesh;

enum { TL_SHAPE_LEAST_DETAIL = 8, TL_SHAPE_MOST_DETAIL = 1024 };

/* Asked twice: with a zeroed mesh it sets the counts; with arrays of that many it fills them (the counts say how much
   room there is; when that is too little, nothing but the counts is written). The arrays are the caller's.

   detail: segments around what is round, TL_SHAPE_LEAST_DETAIL … TL_SHAPE_MOST_DETAIL. The mesh is closed, but that of
   a bottomless shape is a square metre of its surface around the origin, to be scaled as far as one wants to see.
   Unknown names, "mesh", and sizes that the shape cannot have are TL_ERROR_INPUT. `error` may be NULL. */
tl_result tl_shape_triangles(const char *shape, tl_vec3 size, int detail, tl_shape_mesh *mesh, tl_error *error);

#ifdef __cplusplus
}
#endif

#endif
