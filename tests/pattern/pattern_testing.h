/* Shared by the tests of patterns: a sleeveless bag of two rectangles, sewn at both sides. */
#ifndef PATTERN_TESTING_H
#define PATTERN_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "telar/pattern.h"

/* Edges of a rectangle: bottom, right, top, left. */
static const tl_pattern_edge_def ring[4] = {{.start = 0, .end = 1, .label = "hem"},
                                            {.start = 1, .end = 2},
                                            {.start = 2, .end = 3, .label = "top"},
                                            {.start = 3, .end = 0}};
static const double front_corners[4][2] = {{-0.25, 0}, {0.25, 0}, {0.25, 0.6}, {-0.25, 0.6}};
/* as seen from its right side, which is behind */
static const double back_corners[4][2] = {{0.25, 0}, {-0.25, 0}, {-0.25, 0.6}, {0.25, 0.6}};

typedef struct tube {
    tl_panel_def panel[2];
    tl_stitch_def stitch[2];
    tl_pattern_def def;
} tube;

static inline void make_tube(tube *t)
{
    *t = (tube){.panel = {{.name = "front",
                           .vertex = front_corners,
                           .vertex_count = 4,
                           .edge = ring,
                           .edge_count = 4,
                           .translation = {0, 0.8, 0.2},
                           .grain = 90},
                          {.name = "back",
                           .vertex = back_corners,
                           .vertex_count = 4,
                           .edge = ring,
                           .edge_count = 4,
                           .translation = {0, 0.8, -0.2},
                           .grain = 90}},
                .stitch = {{.side = {{0, 1, {0, 0}}, {1, 3, {0, 0}}}}, {.side = {{0, 3, {0, 0}}, {1, 1, {0, 0}}}}}};
    t->def =
        (tl_pattern_def){.name = "tube", .panel = t->panel, .panel_count = 2, .stitch = t->stitch, .stitch_count = 2};
}

static inline tl_pattern *create(const tl_pattern_def *def)
{
    tl_error error = {TL_OK, ""};
    tl_pattern *pattern = tl_pattern_create(def, NULL, &error);
    if (!pattern)
        fail_msg("%s", error.message);
    return pattern;
}

static inline tl_panel_mesh *mesh_of(const tl_pattern *pattern, tl_real edge, const char *lattice)
{
    tl_error error = {TL_OK, ""};
    tl_panel_mesh *mesh = tl_pattern_mesh(pattern, &(tl_panel_mesh_def){edge, lattice}, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

#endif
