/* Garments that hang from the shoulders: tank top, T-shirt, jacket, dress. Fronts and backs are drafted as whole pieces
   of equal width: side seams and shoulders then have equal lengths, and knitted cloth takes what the bust needs.
   Sleeves are two pieces, front and back of the arm, whose caps are as long as the armholes: the height of the cap is
   solved for. Edges of a body piece, from the hem at its right: 0 hem, 1 left side, 2 left armhole, 3 left shoulder, 4
   neck, 5 right shoulder, 6 right armhole, 7 right side; on a back, which is seen from behind, left and right are
   exchanged. */
#include <math.h>

#include "pattern/draft.h"

/* m, of girths: what cloth of 4 mm takes up around the body, and room to breathe, whatever the body's size. */
#define ROOM 0.05

typedef struct top {
    double neck, tip;        /* x of both ends of the shoulder seam */
    double neck_depth[2];    /* of front and back, below the neck's level */
    double under_x, under_y; /* where armhole and side meet */
    double waist_x, hips_x;  /* half widths */
    double hem_x, hem_y;
    double rise;     /* of the shoulder seam above the shoulder */
    bool long_sides; /* the side passes the hips */
} top;

/* From the hem up the left side to the shoulder at the neck. */
static void left_half(tl_draft_panel *p, const tl_body_frame *b, const top *t)
{
    double tip_y = tl_shoulder_height(b, t->tip) + t->rise, neck_y = tl_shoulder_height(b, t->neck) + t->rise;
    tl_draft_point *hem = tl_draft_to(p, t->hem_x, t->hem_y, "side");
    /* at the waist the side is as far in as the waist asks for */
    double low = t->hem_y + (t->under_y - t->hem_y) * 0.33, high = t->hem_y + (t->under_y - t->hem_y) * 0.67;
    if (t->long_sides)
        tl_draft_cubic(hem, t->hips_x, b->hips_y, t->waist_x - 0.02, b->waist_y);
    else
        tl_draft_cubic(hem, t->hem_x - 0.3 * (t->hem_x - t->waist_x), low, t->waist_x, high);
    tl_draft_point *under = tl_draft_to(p, t->under_x, t->under_y, "armhole");
    double in = t->tip - 0.012, up = tip_y - t->under_y;
    tl_draft_cubic(under, t->under_x - 0.75 * (t->under_x - in), t->under_y, in, t->under_y + 0.4 * up);
    tl_draft_to(p, t->tip, tip_y, "shoulder");
    tl_draft_to(p, t->neck, neck_y, "neck");
}

/* The right half of a piece, mirrored from its left. */
static void right_half(tl_draft_panel *p)
{
    int half = p->count; /* hem, under, tip, neck */
    static const char *const labels[] = {"shoulder", "armhole", "side", "hem"};
    for (int k = half - 1; k >= 0; --k) {
        const tl_draft_point from = p->point[k];
        tl_draft_point *to = tl_draft_to(p, -from.x, from.y, labels[half - 1 - k]);
        if (k == 0)
            break;
        const tl_draft_point *edge = &p->point[k - 1]; /* that led here */
        to->controls = edge->controls;
        for (int c = 0; c < edge->controls; ++c) {
            const double *control = edge->control[edge->controls - 1 - c];
            to->control[c][0] = -control[0];
            to->control[c][1] = control[1];
        }
    }
}

/* A whole front or back. The last point is moved to the front, so that edge 0 is the hem. */
static tl_draft_panel *body_piece(tl_draft *d, const tl_body_frame *b, const top *t, const char *name, int back)
{
    double z = back ? -b->torso_z : b->torso_z;
    tl_draft_panel *p = tl_draft_add(d, name, "body", z);
    p->origin[1] = t->hem_y;
    left_half(p, b, t);
    double bottom = b->neck_y - t->neck_depth[back];
    right_half(p);
    /* a cubic whose middle is at the wanted depth: its control points are a third lower */
    double top_y = p->point[3].y, control = top_y - (top_y - bottom) * 4 / 3;
    tl_draft_cubic(&p->point[3], t->neck * 0.85, control, -t->neck * 0.85, control);
    const tl_draft_point last = p->point[p->count - 1];
    for (int k = p->count - 1; k > 0; --k)
        p->point[k] = p->point[k - 1];
    p->point[0] = last;
    tl_draft_close(p, z);
    return p;
}

static void sew_body(tl_draft *d, const tl_draft_panel *front, const tl_draft_panel *back)
{
    tl_draft_sew(d, front, 1, back, 7); /* sides */
    tl_draft_sew(d, front, 7, back, 1);
    tl_draft_sew(d, front, 3, back, 5); /* shoulders */
    tl_draft_sew(d, front, 5, back, 3);
}

/* ---- sleeves ----------------------------------------------------------------------------------------------------- */

typedef struct sleeve {
    double length;      /* from the tip of the shoulder along the top */
    double width, cuff; /* half girths */
} sleeve;

/* One piece: 0 top seam from the shoulder outwards … drafted with x along the arm from the tip of the shoulder and y
   across it: 0 bottom seam, 1 cuff, 2 top seam, 3 cap. */
static void sleeve_points(tl_draft_panel *p, const sleeve *s, double height)
{
    double w = s->width / 2, c = s->cuff / 2;
    p->count = 0;
    tl_draft_to(p, height, -w, "underarm");
    tl_draft_to(p, s->length, -c, "cuff");
    tl_draft_to(p, s->length, c, "top");
    tl_draft_point *tip = tl_draft_to(p, 0, w, "cap");
    tl_draft_cubic(tip, 0.02 * height, 0.35 * w, 0.85 * height, -0.35 * w);
}

/* The height of the cap for which it is as long as the armhole. */
static double cap_height(const sleeve *s, double armhole)
{
    tl_draft_panel trial = {.name = "", .label = ""};
    double low = 0.01, high = fmin(0.3, 0.9 * s->length);
    for (int k = 0; k < 40; ++k) {
        double middle = (low + high) / 2;
        sleeve_points(&trial, s, middle);
        if (tl_draft_edge_length(&trial, 3) < armhole)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* The left sleeve's front (back 0) or back, and with it the right one's by mirroring; sewn to the armholes. */
static void sleeve_pieces(tl_draft *d, const tl_body_frame *b, sleeve s, const tl_draft_panel *front, int front_armhole,
                          const tl_draft_panel *front_right, int right_armhole, const tl_draft_panel *back)
{
    double armhole = tl_draft_edge_length(front, front_armhole);
    s.width = fmin(s.width, 0.92 * armhole);
    s.cuff = fmin(s.cuff, s.width);
    double height = cap_height(&s, armhole), start = 0.035;
    tl_draft_panel *piece[2];
    for (int k = 0; k < 2; ++k) {
        tl_draft_panel *p = piece[k] =
            tl_draft_add(d, k ? "left_sleeve_b" : "left_sleeve_f", "arm", k ? -b->arm_z : b->arm_z);
        sleeve_points(p, &s, height);
        /* the arm's axis begins below the tip of the shoulder and runs along the middle of the piece */
        double axis_y = b->tip_y - 0.25 * b->upper_arm;
        p->along_x = true;
        p->turn = -(double)b->m.arm_pose_angle;
        p->translation[0] = b->tip_x + start * b->cosine;
        p->translation[1] = axis_y - start * b->sine;
        if (k == 1)
            tl_draft_reverse(p); /* seen from behind */
    }
    /* front: 0 underarm, 1 cuff, 2 top, 3 cap; back, reversed: 0 cap, 1 top, 2 cuff, 3 underarm */
    tl_draft_sew(d, piece[0], 2, piece[1], 1);
    tl_draft_sew(d, piece[0], 0, piece[1], 3);
    tl_draft_sew(d, piece[0], 3, front, front_armhole);
    tl_draft_sew(d, piece[1], 0, back, 6);
    tl_draft_panel *right_front = tl_draft_mirror(d, piece[0], "right_sleeve_f");
    tl_draft_panel *right_back = tl_draft_mirror(d, piece[1], "right_sleeve_b");
    tl_draft_sew(d, right_front, 1, right_back, 2);
    tl_draft_sew(d, right_front, 3, right_back, 0);
    tl_draft_sew(d, right_front, 0, front_right, right_armhole);
    tl_draft_sew(d, right_back, 3, back, 2);
}

/* ---- garments ---------------------------------------------------------------------------------------------------- */

void tl_draft_tank_top(tl_draft *d, const tl_body_frame *b)
{
    double neck = b->neck_x + 0.35 * (b->tip_x - b->neck_x);
    top t = {.neck = neck,
             .tip = neck + 0.45 * (b->tip_x - b->neck_x),
             .neck_depth = {0.35 * (double)b->m.waist_line, 0.18 * (double)b->m.waist_line},
             .under_x = (1.02 * (double)b->m.bust + ROOM) / 4,
             .under_y = b->armpit_y - 0.03,
             .waist_x = (1.06 * (double)b->m.waist + ROOM) / 4,
             .hem_x = (1.04 * (double)b->m.hips + ROOM) / 4,
             .hem_y = b->hips_y,
             .rise = 0.01};
    tl_draft_panel *front = body_piece(d, b, &t, "front", 0), *back = body_piece(d, b, &t, "back", 1);
    sew_body(d, front, back);
    tl_draft_anchor(d, "shoulder", "shoulder");
}

static top shirt_of(const tl_body_frame *b, double ease, double length)
{
    double hem_y = b->hips_y - length, bust = (ease * (double)b->m.bust + ROOM) / 4;
    return (top){.neck = b->neck_x + 0.015,
                 .tip = b->tip_x,
                 .neck_depth = {0.2 * (double)b->m.waist_line + 0.01, 0.025},
                 .under_x = bust,
                 .under_y = b->armpit_y - 0.035,
                 .waist_x = fmax((ease * (double)b->m.waist + ROOM) / 4, 0.93 * bust),
                 .hem_x = fmax((ease * (double)b->m.hips + ROOM) / 4, bust),
                 .hem_y = hem_y,
                 .rise = 0.01};
}

void tl_draft_t_shirt(tl_draft *d, const tl_body_frame *b)
{
    top t = shirt_of(b, 1.07, 0);
    tl_draft_panel *front = body_piece(d, b, &t, "front", 0), *back = body_piece(d, b, &t, "back", 1);
    sew_body(d, front, back);
    sleeve s = {0.4 * (double)b->m.arm_length, (1.2 * b->upper_arm + ROOM) / 2, (1.1 * b->upper_arm + ROOM) / 2};
    sleeve_pieces(d, b, s, front, 2, front, 6, back);
    tl_draft_anchor(d, "shoulder", "shoulder");
}

/* Half a front: from the middle's hem round its left side. Edges: 0 hem, 1 side, 2 armhole, 3 shoulder, 4 neck, 5
 * middle. */
static tl_draft_panel *half_front(tl_draft *d, const tl_body_frame *b, const top *t, double gap, const char *name)
{
    tl_draft_panel *p = tl_draft_add(d, name, "body", b->torso_z);
    p->origin[1] = t->hem_y;
    tl_draft_to(p, gap, t->hem_y, "hem");
    left_half(p, b, t);
    double bottom = b->neck_y - t->neck_depth[0];
    tl_draft_curve(&p->point[4], t->neck, bottom);
    tl_draft_to(p, gap, bottom, "middle");
    return p;
}

void tl_draft_jacket(tl_draft *d, const tl_body_frame *b)
{
    enum { BUTTONS = 4 };
    const double gap = 0.0075; /* m, from the middle to each front */
    top t = shirt_of(b, 1.18, 0.02);
    t.under_y -= 0.005;
    t.rise = 0.02;
    t.neck += 0.01;
    tl_draft_panel *back = body_piece(d, b, &t, "back", 1);
    tl_draft_panel *left = half_front(d, b, &t, gap, "left_front");
    tl_draft_panel *right = tl_draft_mirror(d, left, "right_front");
    /* the right front's edges run backwards: 5 hem, 4 side, 3 armhole, 2 shoulder, 1 neck, 0 middle */
    tl_draft_sew(d, left, 1, back, 7);
    tl_draft_sew(d, right, 4, back, 1);
    tl_draft_sew(d, left, 3, back, 5);
    tl_draft_sew(d, right, 2, back, 3);
    sleeve s = {0.97 * (double)b->m.arm_length, (1.4 * b->upper_arm + ROOM) / 2,
                fmax(1.6 * (double)b->m.wrist, 0.9 * b->upper_arm) / 2};
    sleeve_pieces(d, b, s, left, 2, right, 3, back);
    double low = t.hem_y + 0.06, high = left->point[5].y - 0.02;
    for (int k = 0; k < BUTTONS; ++k) {
        double y = low + (high - low) * k / (BUTTONS - 1);
        tl_draft_button(d, left, right, (const double[2]){gap, y}, (const double[2]){-gap, y});
    }
    tl_draft_anchor(d, "shoulder", "shoulder");
    for (int p = 0; p < d->panel_count; ++p)
        d->panel[p].layer = 1;
}

void tl_draft_dress(tl_draft *d, const tl_body_frame *b)
{
    double knee = 0.28 * (double)b->m.height;
    top t = {.neck = b->neck_x + 0.03,
             .tip = b->tip_x - 0.01,
             .neck_depth = {0.25 * (double)b->m.waist_line, 0.05},
             .under_x = (1.05 * (double)b->m.bust + ROOM) / 4,
             .under_y = b->armpit_y - 0.03,
             .waist_x = (1.06 * (double)b->m.waist + ROOM) / 4,
             .hips_x = (1.12 * (double)b->m.hips + ROOM) / 4,
             .hem_x = (1.35 * (double)b->m.hips + ROOM) / 4,
             .hem_y = fmin(knee, b->crotch_y - 0.05),
             .rise = 0.01,
             .long_sides = true};
    tl_draft_panel *front = body_piece(d, b, &t, "front", 0), *back = body_piece(d, b, &t, "back", 1);
    sew_body(d, front, back);
    tl_draft_anchor(d, "shoulder", "shoulder");
}
