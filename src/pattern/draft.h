/* Private to the drafts: garments as lists of panels whose outlines are given point by point in the coordinates of the
   figure, x to its left, y up from the floor. */
#ifndef TL_PATTERN_DRAFT_H
#define TL_PATTERN_DRAFT_H

#include "pattern/pattern.h"
#include "telar/measures.h"

enum {
    TL_DRAFT_PANELS = 12,
    TL_DRAFT_POINTS = 24,
    TL_DRAFT_STITCHES = 32,
    TL_DRAFT_ANCHORS = 4,
    TL_DRAFT_CLOSURES = 8
};

/* A point of an outline and the edge that leaves it: straight, or a Bézier curve with one or two control points. */
typedef struct tl_draft_point {
    double x, y;
    int controls;
    double control[2][2];
    const char *label;
} tl_draft_point;

typedef struct tl_draft_panel {
    const char *name, *label;
    tl_draft_point point[TL_DRAFT_POINTS];
    int count;
    double origin[2];      /* of the panel's coordinates, in those of the figure */
    double translation[3]; /* of that origin */
    double turn;           /* degrees about z */
    bool along_x;          /* the lengthwise yarn runs along x, not y */
    int layer;
} tl_draft_panel;

typedef struct tl_draft {
    tl_draft_panel panel[TL_DRAFT_PANELS];
    int panel_count;
    tl_stitch_def stitch[TL_DRAFT_STITCHES];
    int stitch_count;
    tl_pattern_anchor_def anchor[TL_DRAFT_ANCHORS];
    int anchor_count;
    tl_pattern_closure_def closure[TL_DRAFT_CLOSURES];
    int closure_count;
} tl_draft;

/* Levels and widths of the figure, m. */
typedef struct tl_body_frame {
    tl_measures m;
    double neck_y, tip_y, bust_y, waist_y, hips_y, crotch_y; /* heights */
    double neck_x, tip_x;                                    /* from the middle to where the neck begins, and its tip */
    double slope;                                            /* of the shoulder, down per outwards */
    double armpit_y;
    double cosine, sine;   /* of the arm's way down */
    double arm_z, torso_z; /* how far from the middle panels of arms and torso are placed */
    double upper_arm;      /* girth */
} tl_body_frame;

tl_body_frame tl_body_frame_of(const tl_measures *measures);
double tl_shoulder_height(const tl_body_frame *b, double x); /* of the shoulder line at a distance from the middle */

/* Adds a panel that lies in the plane z, its right side towards +z or, for negative z, towards −z: its points are then
   given for a front and mirrored to x → −x, so that they run clockwise. */
tl_draft_panel *tl_draft_add(tl_draft *d, const char *name, const char *label, double z);
/* Turns a panel over in its place: the same outline the other way round, edge k becomes edge count − 1 − k. */
void tl_draft_reverse(tl_draft_panel *panel);
/* A panel that is the mirror image of another to the other side of the figure, its points in the opposite order. */
tl_draft_panel *tl_draft_mirror(tl_draft *d, const tl_draft_panel *from, const char *name);
tl_draft_point *tl_draft_to(tl_draft_panel *panel, double x, double y, const char *label);
void tl_draft_curve(tl_draft_point *from, double x, double y);
void tl_draft_cubic(tl_draft_point *from, double x, double y, double x2, double y2);
/* Ends a panel of tl_draft_add: mirrors it if it is a back. */
void tl_draft_close(tl_draft_panel *panel, double z);

double tl_draft_edge_length(const tl_draft_panel *panel, int edge);
void tl_draft_sew(tl_draft *d, const tl_draft_panel *a, int edge_a, const tl_draft_panel *b, int edge_b);
void tl_draft_anchor(tl_draft *d, const char *label, const char *part);
void tl_draft_button(tl_draft *d, const tl_draft_panel *a, const tl_draft_panel *b, const double pa[2],
                     const double pb[2]);
tl_pattern *tl_draft_pattern(const tl_draft *d, const char *name, tl_error *error);

/* The garments. */
void tl_draft_tank_top(tl_draft *d, const tl_body_frame *b);
void tl_draft_t_shirt(tl_draft *d, const tl_body_frame *b);
void tl_draft_jacket(tl_draft *d, const tl_body_frame *b);
void tl_draft_dress(tl_draft *d, const tl_body_frame *b);
void tl_draft_trousers(tl_draft *d, const tl_body_frame *b);
void tl_draft_skirt(tl_draft *d, const tl_body_frame *b);
void tl_draft_poncho(tl_draft *d, const tl_body_frame *b);
void tl_draft_cape(tl_draft *d, const tl_body_frame *b);

#endif
