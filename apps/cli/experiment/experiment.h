/* What the studies of `telar experiment` share. A study is one function, one file here and one line in experiments.inl.

   It runs without hands: it loads a scene that comes with Telar, changes parameters as a user would, lets it run, and
   tells the table what was published and what came out. What the source describes is expected, aloud: an expectation
   that does not hold makes the command fail. Curves and pictures go to the study's own folder. */
#ifndef TELAR_CLI_EXPERIMENT_H
#define TELAR_CLI_EXPERIMENT_H

#include "cli/experiment/page.h"
#include "cli/plot.h"
#include "telar/io.h"

typedef struct experiment_report {
    char folder[2048]; /* of this study */
    plot_folder plots; /* the same folder */
    bool quick;        /* CI: fewer and shorter runs, no pictures */
    bool pictures;     /* the renderer works so far */
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

/* A row of the table: what was measured, what the source says ("" where it gives no number), what came out. */
void experiment_row(experiment_report *report, const char *what, const char *published, double ours, const char *unit);
/* The outcome that the source describes, in one sentence, and whether it came out. */
void experiment_expect(experiment_report *report, bool holds, const char *outcome);
/* A sentence or more that a reader of the figures must know: what the source does not tell, what was chosen instead. */
void experiment_note(experiment_report *report, const char *note);
/* The study cannot go on; counts as a failure. */
void experiment_broken(experiment_report *report, const char *reason);

/* ---- scenes: each returns NULL or false after a message and a failure ----------------------------------------------
 */

tl_scene *experiment_scene(experiment_report *report, const char *name);
/* Sets a parameter by its path ("cloth[0].columns"), the value as printf writes it. */
bool experiment_set(experiment_report *report, tl_scene *scene, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
/* Builds the world (again) and runs it for so many frames at the scene's rate. */
bool experiment_run(experiment_report *report, tl_scene *scene, int frames);
/* Moves the world that was built on. */
bool experiment_continue(experiment_report *report, tl_scene *scene, int frames);
/* The present state as FOLDER/NAME.png; without a renderer there are no pictures, which is said once. */
void experiment_picture(experiment_report *report, tl_scene *scene, const char *name);

#endif
