/* Measures of a body in metres and degrees, by the names of GarmentCode: what patterns are drafted for and figures are
   generated from. */
#ifndef TELAR_MEASURES_H
#define TELAR_MEASURES_H

#include "telar/param.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A measure of 0 is derived from the others by tl_measures_complete. Girths are taken as with a tape: around the convex
   hull of the section. Levels are heights above the floor: the neck's is height − head_l, where shoulders and neck
   meet. */
typedef struct tl_measures {
    tl_real height;               /* m */
    tl_real head_l;               /* m, top of the head to the level of the neck */
    tl_real neck_w;               /* m, width where neck and shoulders meet */
    tl_real neck;                 /* m, girth */
    tl_real shoulder_w;           /* m, between the tips of the shoulders */
    tl_real shoulder_incl;        /* degrees below the horizontal */
    tl_real arm_length;           /* m, tip of the shoulder to the wrist */
    tl_real arm_pose_angle;       /* degrees of the arms below the horizontal */
    tl_real armscye_depth;        /* m, tip of the shoulder to the armpit, vertically */
    tl_real wrist;                /* m, girth */
    tl_real bust;                 /* m, girth */
    tl_real underbust;            /* m, girth */
    tl_real bust_line;            /* m, neck level to bust over the body */
    tl_real vert_bust_line;       /* m, the same vertically */
    tl_real bust_points;          /* m, between them */
    tl_real back_width;           /* m, part of the bust girth behind the side seams */
    tl_real waist;                /* m, girth */
    tl_real waist_line;           /* m, neck level to waist, vertically */
    tl_real waist_back_width;     /* m, part of the waist girth behind the side seams */
    tl_real waist_over_bust_line; /* m, neck level to waist over the bust */
    tl_real hips;                 /* m, girth */
    tl_real hips_line;            /* m, waist to hips, vertically */
    tl_real hip_back_width;       /* m, part of the hip girth behind the side seams */
    tl_real hip_inclination;      /* degrees of the side between waist and hips */
    tl_real bum_points;           /* m, between them */
    tl_real crotch_hip_diff;      /* m, hips to crotch, vertically */
    tl_real leg_circ;             /* m, girth of the thigh */
} tl_measures;

/* One row per measure; all defaults are 0. */
extern const tl_param_group tl_measures_params;

/* Fills in what is 0, by proportions of an adult: lengths from the height, girths from the girths that are given. */
void tl_measures_complete(tl_measures *measures);

#ifdef __cplusplus
}
#endif

#endif
