/* Curves as CSV (series, x, y) and, with gnuplot, as PNG, for laws and experiments. */
#ifndef TELAR_CLI_PLOT_H
#define TELAR_CLI_PLOT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct plot_curve plot_curve;

/* Output folder. */
typedef struct plot_folder {
    const char *path;                                   /* NULL: nothing is written */
    bool pictures;                                      /* gnuplot has not failed so far */
    int curves;                                         /* written */
    bool failed;                                        /* a file could not be written, which a message said */
    void (*drawn)(void *user, const plot_curve *curve); /* called for each PNG; may be NULL */
    void *user;
} plot_folder;

/* A plot of several series; plot_end writes NAME.csv and, with gnuplot, NAME.png. */
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
/* Points of a series must be consecutive. A name that starts with "=" is drawn as a line (theory), with "." as points;
   others as both. */
void plot_point(plot_curve *curve, const char *name, double x, double y);
void plot_end(plot_curve *curve);

#endif
