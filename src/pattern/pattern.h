/* A pattern inside the engine: the definition's copy and what follows from it. */
#ifndef TL_PATTERN_PATTERN_H
#define TL_PATTERN_PATTERN_H

#include "core/memory.h"
#include "telar/pattern.h"

enum {
    TL_PATTERN_MAX_PANELS = 1024,
    TL_PATTERN_MAX_STITCHES = 4096,
    TL_PATTERN_MAX_EDGES = 4096, /* of one panel, as its vertices; no tailor draws more */
    TL_PATTERN_MAX_NAME = 128    /* bytes */
};

#define TL_PATTERN_MAX_SIZE 50.0      /* m, of any coordinate: a pattern in the wrong unit is larger */
#define TL_PATTERN_SHORTEST_EDGE 2e-5 /* m */

/* ---- store.c: memory that is released all at once -------------------------------------------------------------- */

typedef struct tl_store {
    tl_allocator allocator;
    struct tl_store_block *last;
} tl_store;

/* Zeroed memory, NULL when there is none; a count of 0 gives memory too. */
void *tl_store_take(tl_store *store, size_t count, size_t size);
char *tl_store_text(tl_store *store, const char *text); /* a copy; NULL is copied as "" */
void tl_store_release(tl_store *store);

/* ---- curve.c: edges as curves ----------------------------------------------------------------------------------- */

enum { TL_CURVE_STEPS = 64 };

typedef struct tl_edge_curve {
    tl_pattern_curve kind;
    double point[4][2];                    /* ends and control points, m */
    double center[2], radius, from, sweep; /* circle: radians */
    double length;                         /* m */
    double until[TL_CURVE_STEPS + 1];      /* length up to parameter k / TL_CURVE_STEPS */
} tl_edge_curve;

void tl_edge_curve_make(const tl_panel_def *panel, int edge, tl_edge_curve *curve);
/* The point at a fraction of the length. */
void tl_edge_curve_at(const tl_edge_curve *curve, double fraction, double point[2]);

/* Sine and cosine of degrees, exact at multiples of 90. */
void tl_turn_of(double degrees, double *cosine, double *sine);

/* ---- outline.c: closed loops of edges --------------------------------------------------------------------------- */

typedef struct tl_panel_loops {
    int count;       /* the outline and holes */
    int *first;      /* count + 1: edges of loop k are first[k] … first[k + 1] − 1 */
    int orientation; /* 1: the outline is counter-clockwise in the panel's plane, −1: clockwise */
    double area;     /* m², without holes */
} tl_panel_loops;

/* Finds and checks the loops of a panel: closed, simple, holes inside. */
tl_result tl_panel_loops_make(const tl_panel_def *panel, tl_store *store, tl_panel_loops *loops, tl_error *error);

/* ---- pattern.c --------------------------------------------------------------------------------------------------- */

struct tl_pattern {
    tl_store store;
    tl_pattern_def def;
    tl_panel_loops *loops; /* per panel */
    double **edge_length;  /* per panel and edge, m */
};

/* The rotation of a panel, by rows. */
void tl_panel_rotation(const tl_panel_def *panel, double rotation[3][3]);

/* The edge after and before in the loop. */
int tl_panel_next_edge(const tl_panel_loops *loops, int edge);
int tl_panel_previous_edge(const tl_panel_loops *loops, int edge);

/* ---- check.c: definitions that can be worked with ---------------------------------------------------------------- */

tl_result tl_pattern_check_def(const tl_pattern_def *def, tl_error *error);

#endif
