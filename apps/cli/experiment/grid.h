/* Shape of a scene's first cloth, a grid, in numbers; and the time of its stages. */
#ifndef TELAR_CLI_EXPERIMENT_GRID_H
#define TELAR_CLI_EXPERIMENT_GRID_H

#include "cli/experiment/experiment.h"

typedef struct grid_shape {
    double stretch, largest; /* 1, of the edges along rows and columns: mean of what is positive, and largest */
    double turn;             /* rad, mean angle by which rows and columns turn at a particle */
    double lowest, highest;  /* m */
} grid_shape;

/* `n` particles along each side, `spacing` apart at rest, m. */
grid_shape grid_measure(tl_scene *scene, int n, double spacing);

/* Mean distance between corresponding particles of two sheets of `count` particles, m. */
double grid_apart(const tl_vec3 *a, const tl_vec3 *b, int count);

/* Processor times, unaffected by other load. */
typedef struct grid_times {
    double model, integration, contact; /* s, sums over all frames */
    double whole;                       /* s, of the calls themselves */
} grid_times;

/* Rebuilds the world and runs it, accumulating times; false after a failure. */
bool grid_run(experiment_report *report, tl_scene *scene, int frames, grid_times *times);

#endif
