/* Garments without sleeves that lie over shoulders and arms: poncho and cape. Their upper seam follows the shoulder and
   then the arm, as far as the garment reaches. */
#include <math.h>

#include "pattern/draft.h"

#define GAP 0.0075 /* m, half of what is between pieces in one plane */

typedef struct over {
    double neck, neck_y;     /* where the upper seam begins */
    double reach_x, reach_y; /* and where it ends */
    double bend[2];          /* its control point */
    double hem_x, hem_y;     /* lowest point, in the middle */
    double depth[2];         /* of the neckline of front and back */
} over;

static over over_of(const tl_body_frame *b, double along_arm, double hem_y)
{
    over o = {.neck = b->neck_x + 0.025, .hem_y = hem_y};
    double reach = along_arm * (double)b->m.arm_length;
    o.neck_y = tl_shoulder_height(b, o.neck) + 0.02;
    o.reach_x = b->tip_x + reach * b->cosine + 0.05;
    o.reach_y = b->tip_y - reach * b->sine + 0.05;
    o.bend[0] = b->tip_x + 0.03;
    o.bend[1] = b->tip_y + 0.045;
    o.depth[0] = 0.06;
    o.depth[1] = 0.03;
    return o;
}

/* A whole piece. Edges: 0 hem's left half, 1 left upper seam, 2 neck, 3 right upper seam, 4 hem's right half. */
static tl_draft_panel *whole_piece(tl_draft *d, const tl_body_frame *b, const over *o, const char *name, int back)
{
    double z = (back ? -1 : 1) * (b->torso_z + 0.03);
    tl_draft_panel *p = tl_draft_add(d, name, "body", z);
    p->origin[1] = o->hem_y;
    tl_draft_point *hem = tl_draft_to(p, 0, o->hem_y, "hem");
    tl_draft_curve(hem, 0.75 * o->reach_x, o->hem_y);
    tl_draft_point *reach = tl_draft_to(p, o->reach_x, o->reach_y, "shoulder");
    tl_draft_curve(reach, o->bend[0], o->bend[1]);
    tl_draft_point *neck = tl_draft_to(p, o->neck, o->neck_y, "neck");
    double control = o->neck_y - o->depth[back] * 4 / 3;
    tl_draft_cubic(neck, 0.8 * o->neck, control, -0.8 * o->neck, control);
    tl_draft_point *right = tl_draft_to(p, -o->neck, o->neck_y, "shoulder");
    tl_draft_curve(right, -o->bend[0], o->bend[1]);
    tl_draft_point *far = tl_draft_to(p, -o->reach_x, o->reach_y, "hem");
    tl_draft_curve(far, -0.75 * o->reach_x, o->hem_y);
    tl_draft_close(p, z);
    return p;
}

void tl_draft_poncho(tl_draft *d, const tl_body_frame *b)
{
    over o = over_of(b, 0.75, b->hips_y);
    tl_draft_panel *front = whole_piece(d, b, &o, "front", 0), *back = whole_piece(d, b, &o, "back", 1);
    tl_draft_sew(d, front, 1, back, 3);
    tl_draft_sew(d, front, 3, back, 1);
    tl_draft_anchor(d, "neck", "neck");
}

/* The left half of a front. Edges: 0 hem, 1 upper seam, 2 neck, 3 middle. */
static tl_draft_panel *half_piece(tl_draft *d, const tl_body_frame *b, const over *o, const char *name)
{
    tl_draft_panel *p = tl_draft_add(d, name, "body", b->torso_z + 0.03);
    p->origin[1] = o->hem_y;
    tl_draft_point *hem = tl_draft_to(p, GAP, o->hem_y, "hem");
    tl_draft_curve(hem, 0.75 * o->reach_x, o->hem_y);
    tl_draft_point *reach = tl_draft_to(p, o->reach_x, o->reach_y, "shoulder");
    tl_draft_curve(reach, o->bend[0], o->bend[1]);
    tl_draft_point *neck = tl_draft_to(p, o->neck, o->neck_y, "neck");
    tl_draft_curve(neck, 0.95 * o->neck, o->neck_y - o->depth[0]);
    tl_draft_to(p, GAP, o->neck_y - o->depth[0], "middle");
    return p;
}

void tl_draft_cape(tl_draft *d, const tl_body_frame *b)
{
    over o = over_of(b, 0.6, 0.5 * (b->crotch_y + 0.28 * (double)b->m.height));
    tl_draft_panel *back = whole_piece(d, b, &o, "back", 1), *left = half_piece(d, b, &o, "left_front");
    tl_draft_panel *right = tl_draft_mirror(d, left, "right_front");
    /* the right front's edges run backwards: 3 hem, 2 upper seam, 1 neck, 0 middle */
    tl_draft_sew(d, left, 1, back, 3);
    tl_draft_sew(d, right, 2, back, 1);
    const double y = o.neck_y - o.depth[0] - 0.01;
    tl_draft_button(d, left, right, (const double[2]){GAP, y}, (const double[2]){-GAP, y});
    tl_draft_anchor(d, "neck", "neck");
    for (int p = 0; p < d->panel_count; ++p)
        d->panel[p].layer = 2;
}
