/* Measures of a body: their table, and the proportions that complete them. */
#include "telar/measures.h"

#include <stddef.h>

#define MEASURE(field, unit, low, high, help)                                                                          \
    {                                                                                                                  \
#field, TL_PARAM_REAL, TL_PARAM_REBUILD, unit,                                                                 \
            {0, 0, 0 }, low, high, NULL, NULL, NULL, NULL, help, offsetof(tl_measures, field), sizeof(tl_real), 0      \
    }
#define LENGTH(field, high, help) MEASURE(field, "m", 0, high, help)

static const tl_param table[] = {
    LENGTH(height, 3, "Height; 0 here and below: derived from the other measures."),
    LENGTH(head_l, 1, "Top of the head to the level where neck and shoulders meet."),
    LENGTH(neck_w, 1, "Width where neck and shoulders meet."),
    LENGTH(neck, 2, "Girth of the neck."),
    LENGTH(shoulder_w, 2, "Width between the tips of the shoulders."),
    MEASURE(shoulder_incl, "degrees", 0, 60, "Slope of the shoulders."),
    LENGTH(arm_length, 2, "Tip of the shoulder to the wrist."),
    MEASURE(arm_pose_angle, "degrees", 0, 75, "Angle of the arms below the horizontal."),
    LENGTH(armscye_depth, 1, "Tip of the shoulder to the armpit, vertically."),
    LENGTH(wrist, 1, "Girth of the wrist."),
    LENGTH(bust, 3, "Girth of the bust."),
    LENGTH(underbust, 3, "Girth below the bust."),
    LENGTH(bust_line, 1, "Level of the neck to the bust, over the body."),
    LENGTH(vert_bust_line, 1, "Level of the neck to the bust, vertically."),
    LENGTH(bust_points, 1, "Distance of the bust points."),
    LENGTH(back_width, 2, "Part of the bust girth behind the side seams."),
    LENGTH(waist, 3, "Girth of the waist."),
    LENGTH(waist_line, 1, "Level of the neck to the waist, vertically."),
    LENGTH(waist_back_width, 2, "Part of the waist girth behind the side seams."),
    LENGTH(waist_over_bust_line, 1, "Level of the neck to the waist, over the bust."),
    LENGTH(hips, 3, "Girth of the hips."),
    LENGTH(hips_line, 1, "Waist to hips, vertically."),
    LENGTH(hip_back_width, 2, "Part of the hip girth behind the side seams."),
    MEASURE(hip_inclination, "degrees", 0, 60, "Slope of the side between waist and hips."),
    LENGTH(bum_points, 1, "Distance of the points of the seat."),
    LENGTH(crotch_hip_diff, 1, "Hips to crotch, vertically."),
    LENGTH(leg_circ, 2, "Girth of the thigh."),
};

const tl_param_group tl_measures_params = {
    "measures", "Measures of a body.", table, (int)(sizeof table / sizeof *table), sizeof(tl_measures), NULL, NULL};

static void complete(tl_real *measure, double value)
{
    if (!(*measure > 0))
        *measure = (tl_real)value;
}

void tl_measures_complete(tl_measures *m)
{
    complete(&m->height, 1.7);
    double h = (double)m->height;
    /* girths: from each other where one is known, else those of a slim adult */
    complete(&m->bust, m->hips > 0 ? 0.95 * (double)m->hips : m->waist > 0 ? 1.2 * (double)m->waist : 0.55 * h);
    complete(&m->waist, 0.82 * (double)m->bust);
    complete(&m->hips, 0.55 * (double)m->bust + 0.58 * (double)m->waist);
    complete(&m->underbust, 0.5 * (double)m->bust + 0.43 * (double)m->waist);
    complete(&m->leg_circ, 0.58 * (double)m->hips);
    complete(&m->neck, 0.145 * h + 0.12 * (double)m->bust);
    complete(&m->wrist, 0.07 * h + 0.045 * (double)m->bust);
    /* lengths */
    complete(&m->head_l, 0.153 * h);
    complete(&m->neck_w, 0.065 * h + 0.075 * (double)m->bust);
    complete(&m->shoulder_w, 0.16 * h + 0.09 * (double)m->bust);
    complete(&m->shoulder_incl, 21);
    complete(&m->arm_length, 0.315 * h);
    complete(&m->arm_pose_angle, 45);
    complete(&m->armscye_depth, 0.05 * h + 0.045 * (double)m->bust);
    complete(&m->vert_bust_line, 0.123 * h);
    complete(&m->bust_line, 1.2 * (double)m->vert_bust_line);
    complete(&m->bust_points, 0.17 * (double)m->bust);
    complete(&m->waist_line, 0.215 * h);
    complete(&m->waist_over_bust_line, 1.1 * (double)m->waist_line);
    complete(&m->hips_line, 0.135 * h);
    complete(&m->crotch_hip_diff, 0.05 * h);
    complete(&m->bum_points, 0.175 * (double)m->hips);
    complete(&m->hip_inclination, 10);
    /* backs: a little less than half at bust and waist, more at the hips */
    complete(&m->back_width, 0.478 * (double)m->bust);
    complete(&m->waist_back_width, 0.465 * (double)m->waist);
    complete(&m->hip_back_width, 0.53 * (double)m->hips);
}
