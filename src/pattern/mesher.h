/* Private to the mesher: outlines as intervals between the ends of seams, and one panel's mesh in the making. */
#ifndef TL_PATTERN_MESHER_H
#define TL_PATTERN_MESHER_H

#include "pattern/grid_frame.h"
#include "pattern/pattern.h"

/* ---- sample.c: outlines --------------------------------------------------------------------------------------- */

/* A piece of an edge that is sewn as a whole, or not at all. Those of a loop are consecutive, in order. */
typedef struct tl_interval {
    int panel, loop, edge;
    double from, to;  /* fractions of the edge */
    double length;    /* m */
    int stitch, side; /* −1: not sewn */
    int partner;      /* interval on the other side, −1 */
    int segments;     /* 0: shorter than can be meshed, both ends are one vertex */
    int first;        /* its segments + 1 vertices, in vertex[] */
} tl_interval;

typedef struct tl_outline {
    tl_interval *interval;
    int count;
    int *panel_first;   /* per panel, + 1 */
    int *vertex;        /* of the intervals; per panel, from 0: the first vertices of the panel */
    double (*point)[2]; /* of all panels, m */
    int *point_first;   /* per panel, + 1 */
} tl_outline;

tl_result tl_outline_make(const tl_pattern *pattern, double edge, tl_store *store, tl_outline *outline,
                          tl_error *error);
int tl_outline_next(const tl_outline *outline, int interval); /* in the loop */

/* ---- lattice.c, panel_mesh.c: one panel ---------------------------------------------------------------------------
 */

typedef struct tl_flat_mesh {
    int panel;
    double edge;
    bool squares;
    double grain[2];                             /* unit vector along the lengthwise yarn */
    int outline_count, fixed_count, count, room; /* vertices: of outlines, with those of lines, all */
    double (*point)[2];                          /* m */
    int *row, *column;                           /* on the lattice; row −1: not on it */
    tl_planar_segment *segment;
    int segment_count;
    int *triangle;
    int triangle_count;
    int **line_vertex; /* per line of the panel */
    int *line_count;
} tl_flat_mesh;

/* Adds the points of the lattice that are inside and not near the outline or a line. */
tl_result tl_lattice_fill(tl_flat_mesh *flat, tl_store *store, tl_error *error);

/* Moves, adds and removes points near the outline until angles are good; leaves triangles. */
tl_result tl_flat_improve(tl_flat_mesh *flat, const tl_pattern *pattern, tl_store *store, tl_error *error);

/* Triangulates the points as they are, into memory of the store. */
tl_result tl_flat_triangulate(tl_flat_mesh *flat, const tl_pattern *pattern, tl_store *store, tl_error *error);

#endif
