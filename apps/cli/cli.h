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
    cli_bench;

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
/* Applies "PATH=VALUE" of --set. Returns an exit code; prints a message on failure. */
int cli_set_parameter(tl_scene *scene, const char *assignment);
/* Builds the world of a scene; prints what it remarks on, unless quiet. NULL, with a message, on failure. */
tl_world *cli_build(tl_scene *scene, bool quiet);
/* Integer within a range; false, with a message, if it is not. */
bool cli_integer(const char *text, const char *what, long low, long high, long *value);

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

/* Set by Ctrl-C after cli_catch_interrupt; long runs poll it between frames. */
extern volatile int cli_interrupted;
void cli_catch_interrupt(void);

/* Creates a folder and its parents; false, with a message, on failure. */
bool cli_make_folder(const char *path);

double cli_seconds(void); /* monotonic */

/* `telar list experiments`, laws and benches */
int cli_list_experiments(void);
int cli_list_laws(void);
int cli_list_benches(void);

#endif
