/* What the studies of S1's box share: the scene s1/box, its ball kinematic until it is dropped, heights, volume and
   pressure over time as curves. k_g, k_s, k_d, g are S1's names; k_g pushes each of a face's four corners with the
   whole force there, so that n R T = 4 k_g. */
#ifndef TELAR_CLI_EXPERIMENT_S1_H
#define TELAR_CLI_EXPERIMENT_S1_H

#include "cli/experiment/experiment.h"

enum { S1_SAMPLES = 6000, S1_FRAMES_PER_SAMPLE = 8 };

#define S1_RIM 0.75    /* m, height of the box */
#define S1_RADIUS 0.25 /* m, of the ball */

typedef struct s1_sample {
    double time;             /* s */
    double sheet, ball;      /* m, height of the sheet's middle and of the ball's */
    double volume, pressure; /* m³, Pa */
    double kinetic;          /* J, of the sheet */
    double strain;           /* 1, largest of its edges */
} s1_sample;

typedef struct s1 {
    experiment_report *report;
    tl_scene *scene;
    const char *name; /* of its curves */
    s1_sample samples[S1_SAMPLES];
    int count, frame;
    int rejected; /* frames so far */
    bool broken;
} s1;

/* Loads the scene with the ball kinematic. NULL after a failure. */
s1 *s1_begin(experiment_report *report, const char *name);
/* Sets a parameter in the scene, and in the world that runs. */
void s1_set(s1 *box, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
void s1_set_k_g(s1 *box, double k_g);
void s1_set_g(s1 *box, double g);
void s1_drop(s1 *box);
/* Rebuilds the world: S1's reset. */
void s1_reset(s1 *box);
/* Runs for that many seconds, counting rejected frames. */
void s1_watch(s1 *box, double seconds);
/* Mean over the last `seconds`. */
s1_sample s1_mean(const s1 *box, double seconds);
/* Largest and smallest height of the ball during the last `seconds`, m. */
double s1_highest_ball(const s1 *box, double seconds);
double s1_lowest_ball(const s1 *box, double seconds);
/* Difference between the largest and the smallest height of the sheet's middle during the last `seconds`, m. */
double s1_swing(const s1 *box, double seconds);
/* Writes heights, volume and pressure over time, and frees everything. */
void s1_end(s1 *box);

#endif
