/* Shared by the commands of `telar`. Exit codes: 0 success, 1 failure, 2 wrong usage or input. */
#ifndef TELAR_CLI_H
#define TELAR_CLI_H

#include "telar/io.h"

#include <stdio.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* A command, listed in main.c. */
typedef struct cli_command {
    const char *name;
    const char *arguments; /* "SCENE [--frames N] …", with every option */
    const char *summary;   /* one sentence */
    const char *help;      /* more text for --help, may be NULL */
    int (*run)(int count, char **arguments);
} cli_command;

extern const cli_command cli_run, cli_render, cli_studio, cli_list, cli_info, cli_scene, cli_validate, cli_experiment,
    cli_bench, cli_garment, cli_dress;

/* ---- options: `--name value`, `--name=value` and plain words ------------------------------------------------- */

typedef struct cli_options {
    int count;
    char **arguments;
    int at;
    const char *name; /* of the current option, without dashes; NULL for a plain word */
    const char *word; /* the plain word */
} cli_options;

/* Advances to the next option or word; false at the end. */
bool cli_next(cli_options *options);
/* Value of the current option; NULL, with a message, if it is missing. */
const char *cli_value(cli_options *options);
/* Reports an unknown option and suggests the nearest one of the command; returns EXIT_USAGE. */
int cli_unknown(const cli_options *options, const cli_command *command);
/* "telar: …" on standard error; returns `code`. */
int cli_fail(int code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* As cli_fail, and appends "; did you mean '…'?" if a name in the NULL-terminated list is near to `word`; returns
   EXIT_USAGE. */
int cli_fail_nearest(const char *word, const char *const *names, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* Prints a JSON string, with quotes, to standard output. */
void cli_json_text(const char *text);
/* Loads a scene; NULL, after a message for each fault of the file. */
tl_scene *cli_load_scene(const char *name);
/* What to call it: its title, or else its file. */
const char *cli_title(const tl_scene *scene);
/* Builds its world; NULL, after a message for each cloth and body that cannot be built. What the world remarks on while
   it is built and stepped is printed, and the progress of dressing, unless quiet. Ctrl-C stops dressing once it is
   caught. */
tl_world *cli_build_scene(tl_scene *scene, bool quiet);
/* One frame. A frame that became unstable is counted, with a message for the first, and the run may continue; any other
   error returns EXIT_FAILED after a message. */
int cli_step(tl_world *world, tl_real seconds, int *rejected);
/* At the end of a run: EXIT_FAILED, with a message, if frames were rejected. */
int cli_report_rejected(int rejected);
/* Applies the "PATH=VALUE" of each --set. Returns an exit code; prints a message for each that is wrong. */
int cli_set_parameters(tl_scene *scene, const char *const *assignments, int count);
/* Integer within a range; false, with a message, if it is not. */
bool cli_integer(const char *text, const char *what, long low, long high, long *value);

/* Length with a unit, "10mm", "1.2cm", "0.01m", or without one in metres; false, with a message, if it is not. */
bool cli_length(const char *text, const char *what, tl_real *metres);

/* ---- progress: a bar with rate and time left on a terminal, occasional lines elsewhere ----------------------- */

typedef struct cli_progress {
    const char *what;
    int total;
    double started, shown;
    bool terminal, quiet;
} cli_progress;

cli_progress cli_progress_start(const char *what, int total, bool quiet);
void cli_progress_at(cli_progress *progress, int done);
void cli_progress_end(cli_progress *progress, int done);

/* The same for dressing, by phase: on a terminal one line that is drawn over itself, elsewhere one for each phase. */
typedef struct cli_dressing {
    char label[96];
    bool terminal, quiet, open; /* open: the line on the terminal is not finished */
    tl_dress_phase phase;
    double shown;
} cli_dressing;

cli_dressing cli_dressing_start(const char *label, bool quiet);
void cli_dressing_at(cli_dressing *dressing, const tl_dress_report *report);
void cli_dressing_end(cli_dressing *dressing);

/* Set by Ctrl-C after cli_catch_interrupt; long runs poll it between frames. */
extern volatile int cli_interrupted;
void cli_catch_interrupt(void);

/* Creates a folder and its parents; false, with a message, on failure. */
bool cli_make_folder(const char *path);
/* The same, and keeps other processes of telar from writing to it, until the next folder is claimed or the process
   ends; false, with a message, when one does. */
bool cli_claim_folder(const char *path);
/* Closes a stream; false, with a message that names the file, if not everything has reached it. */
bool cli_close(FILE *file, const char *path);
/* At the end of the program: `code`, or EXIT_FAILED, with a message, if standard output could not be written. */
int cli_finish(int code);

double cli_seconds(void); /* monotonic */

/* `telar list experiments`, laws and benches */
int cli_list_experiments(void);
int cli_list_laws(void);
int cli_list_benches(void);

#endif
