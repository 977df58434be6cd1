/* Curves as CSV (series, x, y) and, where gnuplot is installed, as a picture of it: for laws and experiments. */
#ifndef TELAR_CLI_PLOT_H
#define TELAR_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct plot_curve plot_curve;

/* Where curves go. */
typedef struct plot_folder {
    const char *path;                                   /* NULL: nothing is written */
    bool pictures;                                      /* gnuplot was found so far */
    int curves;                                         /* written */
    void (*drawn)(void *user, const plot_curve *curve); /* called for each that became a picture; may be NULL */
    void *user;
} plot_folder;

/* A picture with any number of series; `plot_end` writes NAME.csv and, with gnuplot, NAME.png. */
struct plot_curve {
    plot_folder *folder;
    const char *name, *title, *x_label, *y_label;
    bool log_x, log_y;
    FILE *csv; /* NULL: not written */
    char series[24][64];
    int series_count, points;
};

plot_curve plot_start(plot_folder *folder, const char *name, const char *title, const char *x_label,
                      const char *y_label, bool logarithmic);
/* Series must be added one after the other. A name that starts with "=" is drawn as a line without points: theory; one
   with
   ".", as points without a line. */
void plot_point(plot_curve *curve, const char *name, double x, double y);
void plot_end(plot_curve *curve);

#endif
