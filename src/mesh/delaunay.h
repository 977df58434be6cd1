/* Constrained Delaunay triangulation of points in the plane, exact on an integer grid. */
#ifndef TL_MESH_DELAUNAY_H
#define TL_MESH_DELAUNAY_H

#include "telar/types.h"

/* Coordinates are whole numbers below this, so that every determinant of the triangulation fits 128 bits. A panel of
   one metre has a grid of 15 nm. */
#define TL_PLANAR_LIMIT (1 << 26)

typedef struct tl_planar_point {
    int32_t x, y; /* 0 … TL_PLANAR_LIMIT − 1 */
} tl_planar_point;

typedef struct tl_planar_segment {
    int a, b;
    bool border; /* separates inside from outside; otherwise it is only an edge that must exist */
} tl_planar_segment;

typedef struct tl_planar_def {
    const tl_planar_point *point;
    int point_count;
    const tl_planar_segment *segment;
    int segment_count;
} tl_planar_def;

typedef enum tl_planar_fault {
    TL_PLANAR_MEMORY,
    TL_PLANAR_SAME_POINT, /* two points are one: their indices */
    TL_PLANAR_ON_SEGMENT, /* a point lies on a segment: point, segment */
    TL_PLANAR_CROSSING    /* two segments cross: segment that was being forced, −1 */
} tl_planar_fault;

typedef struct tl_planar_result {
    int *triangle; /* three points each, counter-clockwise, in no special order but the same everywhere; owned by caller
                    */
    int triangle_count;
    tl_planar_fault fault; /* when TL_ERROR_… is returned */
    int at[2];
} tl_planar_result;

/* Positive when a, b, c turn counter-clockwise, 0 when they are collinear. */
int tl_planar_orientation(tl_planar_point a, tl_planar_point b, tl_planar_point c);

/* Triangles on the inside of the border segments (an odd number of borders away from infinity). Points are inserted in
   their order, which should be one of short ways. All points belong to triangles, unless they are outside. */
tl_result tl_triangulate(const tl_planar_def *def, const tl_allocator *allocator, tl_planar_result *result);

#endif
