/* A figure of triangles with arms and legs that walks and bends, for `telar bench dressed tube`. */
#ifndef TELAR_CLI_FIGURE_H
#define TELAR_CLI_FIGURE_H

#include "telar/telar.h"

typedef struct figure {
    tl_vec3 *rest, *at; /* m, standing; as posed last */
    float *weight;      /* 1, per vertex and bone */
    int vertex_count;
    int *triangles;
    int triangle_count;
} figure;

/* A closed surface around capsules, of triangles about `edge` metres long. False when out of memory. */
bool figure_create(figure *f, double edge);
void figure_destroy(figure *f);
/* Sets `at`: the chest stands, hips and legs walk and bend; standing at time 0. */
void figure_pose(figure *f, double time);

#endif
