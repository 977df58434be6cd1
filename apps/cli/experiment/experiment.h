/* What the studies of `telar experiment` share. A study is one function, one file here and one line in experiments.inl.

   It runs unattended: it loads a scene that comes with Telar, changes parameters as a user would, runs it, and
   tabulates published and measured values. What the source describes is an expectation, and one that does not hold
   makes the command fail. Curves and pictures go to the study's folder. */
#ifndef TELAR_CLI_EXPERIMENT_H
#define TELAR_CLI_EXPERIMENT_H

#include "cli/experiment/page.h"
#include "cli/plot.h"
#include "telar/io.h"

typedef struct experiment_report {
    char folder[2048]; /* of this study */
    plot_folder plots; /* the same folder */
    bool quick;        /* CI: fewer and shorter runs, no pictures */
    bool pictures;     /* no rendering has failed yet */
    FILE *table;       /* table.csv */
    page *page;        /* report.md */
    int failed;        /* expectations that did not hold */
} experiment_report;

typedef struct experiment {
    const char *name; /* "s0/stretch" */
    const char *help; /* one sentence */
    void (*run)(experiment_report *report);
} experiment;

extern const experiment experiment_list[];
extern const int experiment_count;

/* A row of the table: quantity, published value ("" where the source gives none), measured value. */
void experiment_row(experiment_report *report, const char *what, const char *published, double ours, const char *unit);
/* The outcome that the source describes, as printf writes it, and whether it was reproduced. The sentence gives the
   figures that decide it: a bound without them may contradict the table beside it. */
void experiment_expect(experiment_report *report, bool holds, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* An outcome that one figure decides. The claim ends with the name of the figure; the report continues with it and its
   bound: "claim: 12 %, below 15 %". What is not a number holds nowhere. */
void experiment_below(experiment_report *report, const char *claim, double measured, double bound, const char *unit);
void experiment_above(experiment_report *report, const char *claim, double measured, double bound, const char *unit);
/* Notes for readers of the figures: what the source does not specify, and what was chosen instead. */
void experiment_note(experiment_report *report, const char *note);
/* The study cannot continue; counts as a failure. */
void experiment_broken(experiment_report *report, const char *reason);

/* ---- scenes: each returns NULL or false after a message and a failure -------------------------------------------- */

tl_scene *experiment_scene(experiment_report *report, const char *name);
/* Sets a parameter by its path ("cloth[0].columns"), the value as printf writes it. */
bool experiment_set(experiment_report *report, tl_scene *scene, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* (Re)builds the world and runs it for that many frames at the scene's rate. */
bool experiment_run(experiment_report *report, tl_scene *scene, int frames);
/* Continues the world that was built. */
bool experiment_continue(experiment_report *report, tl_scene *scene, int frames);
/* Draws the current state to FOLDER/NAME.png; without a renderer it only warns, once. */
void experiment_picture(experiment_report *report, tl_scene *scene, const char *name);

#endif
