/* Outlines of panels from other formats: runs of points between corners become lines and cubic curves. */
#ifndef TL_IO_OUTLINE_FIT_H
#define TL_IO_OUTLINE_FIT_H

#include "io/pattern_file.h"

/* A closed outline in the making: edges between vertices, control points absolute, metres. */
typedef struct tl_outline_edge {
    double from[2], control[2][2];
    int controls;
    const char *label; /* NULL: none */
} tl_outline_edge;

typedef struct tl_outline_draft {
    tl_outline_edge *edges;
    int count, room;
} tl_outline_draft;

bool tl_outline_add(tl_store *store, tl_outline_draft *outline, const tl_outline_edge *edge);

/* Appends curves through the open run of points, the last of which starts what follows: within `tolerance`, m. */
bool tl_outline_fit(tl_store *store, tl_outline_draft *outline, const double (*point)[2], int count, double tolerance,
                    const char *label);

/* The same with a single edge, whatever its distance. */
bool tl_outline_fit_one(tl_store *store, tl_outline_draft *outline, const double (*point)[2], int count,
                        double tolerance);

/* Corners of a closed polyline: where it turns by more than 30 degrees within a few millimetres, or is marked already.
   `corner` has one entry per point. */
void tl_outline_corners(const double (*point)[2], int count, bool *corner);

/* Fits a closed polyline between its corners. */
bool tl_outline_fit_closed(tl_store *store, tl_outline_draft *outline, const double (*point)[2], const bool *corner,
                           int count, double tolerance);

double tl_outline_twice_area(const tl_outline_draft *outline);
void tl_outline_reverse(tl_outline_draft *outline);

/* Adds the outline as a loop of the panel: counter-clockwise for the first, clockwise for holes. */
bool tl_outline_to_panel(tl_read_set *set, tl_outline_draft *outline, tl_read_panel *panel);

#endif
