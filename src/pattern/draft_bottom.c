/* Garments that hang from the waist, trousers and skirt, each with a waistband of two pieces. */
#include <math.h>

#include "pattern/draft.h"

/* m, of girths: of waistbands beyond the waist, so that they hang on the hips, unstretched; of the skirt's hips. */
#define BAND_ROOM 0.026
#define ROOM 0.05
#define CROTCH_EASE 0.015 /* m, of the trousers' crotch below that of the body */
#define BAND_HEIGHT 0.04
#define GAP 0.0075 /* m, half of what is between pieces in one plane */

/* A strip above the waist. Edges of a front: 0 and 1 its lower edge, left of the wearer last; 2 left end, 3 top, 4
   right end. On a back, left and right are exchanged. */
static tl_draft_panel *waistband(tl_draft *d, const tl_body_frame *b, const char *name, double z)
{
    tl_draft_panel *p = tl_draft_add(d, name, "body", z);
    double x = ((double)b->m.waist + BAND_ROOM) / 4, y = b->waist_y + 2 * GAP;
    p->origin[1] = b->waist_y + 2 * GAP;
    tl_draft_to(p, -x, y, "");
    tl_draft_to(p, 0, y, "");
    tl_draft_to(p, x, y, "");
    tl_draft_to(p, x, y + BAND_HEIGHT, "waist");
    tl_draft_to(p, -x, y + BAND_HEIGHT, "");
    tl_draft_close(p, z);
    return p;
}

/* ---- trousers ---------------------------------------------------------------------------------------------------- */

/* A front or back of the left leg, its middle edge at x = 0. Edges of a front: 0 hem, 1 outer seam below the hips,
   2 outer seam above, 3 waist, 4 rise, 5 inner seam. */
static tl_draft_panel *leg_piece(tl_draft *d, const tl_body_frame *b, const char *name, int back)
{
    double hips = (double)b->m.hips, z = back ? -b->torso_z : b->torso_z;
    double extension = (back ? 0.08 : 0.05) * hips;
    double hip_x = 1.06 * hips / 4, waist_x = ((double)b->m.waist + BAND_ROOM) / 4;
    double ankle = 0.05 * (double)b->m.height, hem = fmax(0.2 * hips, 1.15 * (double)b->m.wrist);
    double crotch_y = b->crotch_y - CROTCH_EASE;
    double crease = (hip_x - extension) / 2;
    /* front and back share the thigh's girth; what their extensions lack comes as ease */
    tl_draft_panel *p = tl_draft_add(d, name, "leg", z);
    p->origin[1] = b->waist_y;
    tl_draft_to(p, crease - hem / 2, ankle, "hem");
    tl_draft_point *outer = tl_draft_to(p, crease + hem / 2, ankle, "outseam");
    tl_draft_cubic(outer, crease + 0.55 * hem, 0.45 * crotch_y + 0.55 * ankle, hip_x + 0.005,
                   b->hips_y - 0.6 * (b->hips_y - 0.45 * crotch_y));
    tl_draft_point *side = tl_draft_to(p, hip_x, b->hips_y, "outseam");
    tl_draft_curve(side, hip_x, b->hips_y + 0.5 * (b->waist_y - b->hips_y));
    tl_draft_to(p, waist_x, b->waist_y, "waist");
    tl_draft_point *middle = tl_draft_to(p, 0, b->waist_y, "rise");
    double curve = b->waist_y - 0.75 * (b->waist_y - crotch_y);
    tl_draft_cubic(middle, 0.004, curve, -0.15 * extension, crotch_y);
    tl_draft_point *crotch = tl_draft_to(p, -extension, crotch_y, "inseam");
    tl_draft_curve(crotch, crease - 0.62 * hem, 0.6 * crotch_y);
    /* aside, so that left and right do not overlap, and turned, so that the hem is round the leg */
    double length = b->waist_y - ankle, rise = b->waist_y - crotch_y;
    double turn = 0.8 * extension / length;
    p->turn = -turn * 57.29577951308232;
    p->translation[0] = extension + rise * turn + GAP;
    return p;
}

void tl_draft_trousers(tl_draft *d, const tl_body_frame *b)
{
    tl_draft_panel *left_front = leg_piece(d, b, "left_front", 0);
    tl_draft_panel *left_back = leg_piece(d, b, "left_back", 1);
    tl_draft_reverse(left_back); /* seen from behind */
    tl_draft_panel *right_front = tl_draft_mirror(d, left_front, "right_front");
    tl_draft_panel *right_back = tl_draft_mirror(d, left_back, "right_back");
    tl_draft_panel *band_front = waistband(d, b, "band_front", b->torso_z);
    tl_draft_panel *band_back = waistband(d, b, "band_back", -b->torso_z);
    /* left front 0 hem, 1 2 outer, 3 waist, 4 rise, 5 inner; left back, reversed: 5 hem, 4 3 outer, 2 waist, 1 rise, 0
       inner; right front as left back, right back as left front */
    tl_draft_sew(d, left_front, 1, left_back, 4);
    tl_draft_sew(d, left_front, 2, left_back, 3);
    tl_draft_sew(d, left_front, 5, left_back, 0);
    tl_draft_sew(d, right_front, 4, right_back, 1);
    tl_draft_sew(d, right_front, 3, right_back, 2);
    tl_draft_sew(d, right_front, 0, right_back, 5);
    tl_draft_sew(d, left_front, 4, right_front, 1);
    tl_draft_sew(d, left_back, 1, right_back, 4);
    tl_draft_sew(d, left_front, 3, band_front, 1);
    tl_draft_sew(d, right_front, 2, band_front, 0);
    tl_draft_sew(d, left_back, 2, band_back, 0);
    tl_draft_sew(d, right_back, 3, band_back, 1);
    tl_draft_sew(d, band_front, 2, band_back, 4);
    tl_draft_sew(d, band_front, 4, band_back, 2);
    tl_draft_anchor(d, "waist", "waist");
}

/* ---- skirt ------------------------------------------------------------------------------------------------------- */

/* A front or back with two darts. Edges: 0 hem, 1 left side below the hips, 2 above, 3 waist, 4 5 left dart, 6 7 waist
   in two, 8 9 right dart, 10 waist, 11 right side above the hips, 12 below. */
static tl_draft_panel *skirt_piece(tl_draft *d, const tl_body_frame *b, const char *name, double z)
{
    tl_draft_panel *p = tl_draft_add(d, name, "body", z);
    double hips = (1.02 * (double)b->m.hips + ROOM) / 4, waist = ((double)b->m.waist + BAND_ROOM) / 4;
    double intake = fmax(hips - waist, 0.012), dart = 0.35 * intake; /* the side takes the rest */
    double side = hips - intake + dart, hem_x = hips + 0.06 * (double)b->m.height * 0.6,
           hem_y = 0.29 * (double)b->m.height;
    double depth = 0.55 * (b->waist_y - b->hips_y), at = 0.5 * side, w = b->waist_y;
    p->origin[1] = b->waist_y;
    tl_draft_to(p, -hem_x, hem_y, "hem");
    tl_draft_to(p, hem_x, hem_y, "side");
    tl_draft_point *left = tl_draft_to(p, hips, b->hips_y, "side");
    tl_draft_curve(left, hips, b->hips_y + 0.5 * (w - b->hips_y));
    tl_draft_to(p, side, w, "waist");
    tl_draft_to(p, at + dart / 2, w, "dart");
    tl_draft_to(p, at, w - depth, "dart");
    tl_draft_to(p, at - dart / 2, w, "waist");
    tl_draft_to(p, 0, w, "waist");
    tl_draft_to(p, -at + dart / 2, w, "dart");
    tl_draft_to(p, -at, w - depth, "dart");
    tl_draft_to(p, -at - dart / 2, w, "waist");
    tl_draft_point *right = tl_draft_to(p, -side, w, "side");
    tl_draft_curve(right, -hips, b->hips_y + 0.5 * (w - b->hips_y));
    tl_draft_to(p, -hips, b->hips_y, "side");
    tl_draft_close(p, z);
    return p;
}

/* A strip above the waist whose lower edge is cut where the darts close. Edges: 0 … 3 lower edge, 4 left end, 5 top,
   6 right end. */
static tl_draft_panel *skirt_band(tl_draft *d, const tl_body_frame *b, const tl_draft_panel *piece, const char *name,
                                  double z)
{
    tl_draft_panel *p = tl_draft_add(d, name, "body", z);
    double x = ((double)b->m.waist + BAND_ROOM) / 4, y = b->waist_y + 2 * GAP;
    double outer = tl_draft_edge_length(piece, 3), inner = tl_draft_edge_length(piece, 6);
    double at = x * inner / (inner + outer);
    p->origin[1] = y;
    tl_draft_to(p, -x, y, "");
    tl_draft_to(p, -at, y, "");
    tl_draft_to(p, 0, y, "");
    tl_draft_to(p, at, y, "");
    tl_draft_to(p, x, y, "");
    tl_draft_to(p, x, y + BAND_HEIGHT, "waist");
    tl_draft_to(p, -x, y + BAND_HEIGHT, "");
    tl_draft_close(p, z);
    return p;
}

void tl_draft_skirt(tl_draft *d, const tl_body_frame *b)
{
    tl_draft_panel *piece[2] = {skirt_piece(d, b, "front", b->torso_z), skirt_piece(d, b, "back", -b->torso_z)};
    tl_draft_panel *band[2] = {skirt_band(d, b, piece[0], "band_front", b->torso_z),
                               skirt_band(d, b, piece[1], "band_back", -b->torso_z)};
    static const int waist[4] = {10, 7, 6, 3};
    for (int k = 0; k < 2; ++k) {
        tl_draft_sew(d, piece[k], 4, piece[k], 5);
        tl_draft_sew(d, piece[k], 8, piece[k], 9);
        for (int e = 0; e < 4; ++e)
            tl_draft_sew(d, piece[k], waist[e], band[k], e);
    }
    tl_draft_sew(d, piece[0], 1, piece[1], 12);
    tl_draft_sew(d, piece[0], 2, piece[1], 11);
    tl_draft_sew(d, piece[0], 11, piece[1], 2);
    tl_draft_sew(d, piece[0], 12, piece[1], 1);
    tl_draft_sew(d, band[0], 4, band[1], 6);
    tl_draft_sew(d, band[0], 6, band[1], 4);
    tl_draft_anchor(d, "waist", "waist");
}
