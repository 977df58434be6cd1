#include "cli/cli.h"

#include "render/output.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

bool cli_next(cli_options *options)
{
    if (options->at >= options->count)
        return false;
    char *argument = options->arguments[options->at++];
    options->name = options->word = NULL;
    if (strncmp(argument, "--", 2) == 0 && argument[2])
        options->name = argument + 2;
    else
        options->word = argument;
    return true;
}

const char *cli_value(cli_options *options)
{
    if (options->at >= options->count) {
        cli_fail(EXIT_USAGE, "--%s needs a value", options->name);
        return NULL;
    }
    return options->arguments[options->at++];
}

/* Option names in the usage line of a command, without dashes, NULL-terminated. */
static const char *const *option_names(const cli_command *command)
{
    enum { MAX_OPTIONS = 32, MAX_LENGTH = 32 };
    static char words[MAX_OPTIONS][MAX_LENGTH];
    static const char *names[MAX_OPTIONS + 1];
    int count = 0;
    for (const char *at = command->arguments; count < MAX_OPTIONS && (at = strstr(at, "--")); ++count) {
        at += 2;
        snprintf(words[count], MAX_LENGTH, "%.*s", (int)strspn(at, "abcdefghijklmnopqrstuvwxyz-"), at);
        names[count] = words[count];
    }
    names[count] = NULL;
    return names;
}

int cli_unknown(const cli_options *options, const cli_command *command)
{
    if (options->name) {
        const char *nearest = tl_nearest_name(options->name, option_names(command));
        cli_fail(EXIT_USAGE, "%s has no option --%s%s%s%s", command->name, options->name,
                 nearest ? "; did you mean --" : "", nearest ? nearest : "", nearest ? "?" : "");
    } else
        cli_fail(EXIT_USAGE, "%s: one word too many: '%s'", command->name, options->word);
    fprintf(stderr, "usage: telar %s %s\n", command->name, command->arguments);
    return EXIT_USAGE;
}

int cli_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("telar: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return code;
}

int cli_fail_nearest(const char *word, const char *const *names, const char *format, ...)
{
    char message[600];
    const char *nearest = tl_nearest_name(word, names);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return cli_fail(EXIT_USAGE, "%s%s%s%s", message, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                    nearest ? "'?" : "");
}

void cli_json_text(const char *text)
{
    putchar('"');
    for (const char *at = text; *at; ++at)
        if (*at == '"' || *at == '\\')
            printf("\\%c", *at);
        else if ((unsigned char)*at < 0x20)
            printf("\\u%04x", (unsigned)(unsigned char)*at);
        else
            putchar(*at);
    putchar('"');
}

enum { MAX_SHOWN_FAULTS = 20 };

static void show_fault(void *user, const char *message)
{
    int *shown = user;
    if (++*shown <= MAX_SHOWN_FAULTS)
        cli_fail(EXIT_USAGE, "%s", message);
}

static void show_rest(int count)
{
    if (count > MAX_SHOWN_FAULTS)
        cli_fail(EXIT_USAGE, "and %d more", count - MAX_SHOWN_FAULTS);
}

tl_scene *cli_load_scene(const char *name)
{
    int shown = 0, count = 0;
    tl_scene *scene = tl_scene_load_checked(name, show_fault, &shown, &count, NULL);
    show_rest(count);
    return scene;
}

const char *cli_title(const tl_scene *scene)
{
    const char *title = tl_scene_info(scene)->title;
    return title[0] ? title : tl_scene_file(scene)[0] ? tl_scene_file(scene) : "scene";
}

/* What the world said since the last step, line by line; commands report rejected frames themselves. */
static char remarks[4 * TL_ERROR_LENGTH];

static void note_remark(void *quiet, const char *message)
{
    size_t used = strlen(remarks);
    if (!*(const bool *)quiet && used + strlen(message) + 2 < sizeof remarks)
        snprintf(remarks + used, sizeof remarks - used, "%s\n", message);
}

static void print_remarks(const char *except)
{
    for (char *line = strtok(remarks, "\n"); line; line = strtok(NULL, "\n"))
        if (strcmp(line, except) != 0)
            cli_fail(EXIT_DONE, "%s", line);
    remarks[0] = 0;
}

/* Garments of a scene are dressed one after the other. */
static bool show_dressing(void *user, const tl_scene_dressing *now)
{
    cli_dressing *shown = user;
    char label[sizeof shown->label];
    snprintf(label, sizeof label, now->count > 1 ? "%.60s (%d of %d)" : "%.60s", now->label, now->garment + 1,
             now->count);
    if (strcmp(label, shown->label) != 0) {
        cli_dressing_end(shown);
        *shown = cli_dressing_start(label, shown->quiet);
    }
    cli_dressing_at(shown, &now->report);
    return !cli_interrupted;
}

tl_world *cli_build_scene(tl_scene *scene, bool quiet)
{
    static bool is_quiet;
    int shown = 0, count = 0;
    is_quiet = quiet;
    cli_dressing dressing = cli_dressing_start("", quiet);
    tl_scene_set_log(scene, note_remark, &is_quiet);
    tl_scene_set_progress(scene, show_dressing, &dressing);
    tl_world *world = tl_scene_build_checked(scene, show_fault, &shown, &count, NULL);
    tl_scene_set_progress(scene, NULL, NULL);
    cli_dressing_end(&dressing);
    print_remarks("");
    show_rest(count);
    return world;
}

int cli_step(tl_world *world, tl_real seconds, int *rejected)
{
    tl_result result = tl_world_step(world, seconds);
    print_remarks(result == TL_OK ? "" : tl_last_error(world));
    if (result == TL_OK)
        return EXIT_DONE;
    if (result == TL_ERROR_UNSTABLE && (*rejected)++ > 0)
        return EXIT_DONE;
    cli_fail(EXIT_FAILED, "%s", tl_last_error(world));
    return result == TL_ERROR_UNSTABLE ? EXIT_DONE : EXIT_FAILED;
}

int cli_report_rejected(int rejected)
{
    return rejected == 0 ? EXIT_DONE
                         : cli_fail(EXIT_FAILED, "%d frame%s unstable and rolled back", rejected,
                                    rejected == 1 ? " was" : "s were");
}

static int set_parameter(tl_scene *scene, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    char path[256];
    tl_error error;
    if (!equals || (size_t)(equals - assignment) >= sizeof path)
        return cli_fail(EXIT_USAGE, "--set: '%s' is not PATH=VALUE", assignment);
    memcpy(path, assignment, (size_t)(equals - assignment));
    path[equals - assignment] = 0;
    if (tl_scene_set(scene, path, equals + 1, NULL, &error) != TL_OK)
        return cli_fail(EXIT_USAGE, "--set %s: %s", assignment, error.message);
    return EXIT_DONE;
}

int cli_set_parameters(tl_scene *scene, const char *const *assignments, int count)
{
    int code = EXIT_DONE;
    for (int k = 0; k < count; ++k)
        if (set_parameter(scene, assignments[k]) != EXIT_DONE)
            code = EXIT_USAGE;
    return code;
}

bool cli_integer(const char *text, const char *what, long low, long high, long *value)
{
    char *end;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (end == text || *end || errno || number < low || number > high) {
        cli_fail(EXIT_USAGE, "%s: '%s' is not a whole number from %ld to %ld", what, text, low, high);
        return false;
    }
    *value = number;
    return true;
}

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress cli_progress_start(const char *what, int total, bool quiet)
{
    return (cli_progress){what, total, cli_seconds(), 0, isatty(STDERR_FILENO) != 0, quiet};
}

static void show(const cli_progress *progress, int done, double now)
{
    enum { WIDTH = 32 };
    double elapsed = now - progress->started, rate = elapsed > 0 ? done / elapsed : 0;
    double left = rate > 0 ? (progress->total - done) / rate : 0;
    int filled = progress->total > 0 ? (int)((long)WIDTH * done / progress->total) : WIDTH;
    if (progress->terminal) {
        fprintf(stderr, "\r%s [", progress->what);
        for (int k = 0; k < WIDTH; ++k)
            fputc(k < filled ? '#' : '.', stderr);
        fprintf(stderr, "] %d/%d  %.1f/s  %.0f s left ", done, progress->total, rate, left);
        fflush(stderr);
    } else {
        fprintf(stderr, "%s %d/%d  %.1f/s\n", progress->what, done, progress->total, rate);
    }
}

void cli_progress_at(cli_progress *progress, int done)
{
    const double interval = progress->terminal ? 0.1 : 5.0; /* s */
    double now = cli_seconds();
    if (progress->quiet || now - progress->shown < interval)
        return;
    if (progress->shown > 0 || progress->terminal)
        show(progress, done, now);
    progress->shown = now;
}

void cli_progress_end(cli_progress *progress, int done)
{
    if (progress->quiet)
        return;
    show(progress, done, cli_seconds());
    if (progress->terminal)
        fputc('\n', stderr);
}

cli_dressing cli_dressing_start(const char *label, bool quiet)
{
    cli_dressing dressing = {.terminal = isatty(STDERR_FILENO) != 0, .quiet = quiet, .phase = TL_DRESS_PHASES};
    snprintf(dressing.label, sizeof dressing.label, "%s", label);
    return dressing;
}

void cli_dressing_at(cli_dressing *dressing, const tl_dress_report *report)
{
    enum { WIDTH = 24 };
    const double interval = 0.2; /* s, on a terminal */
    double now = cli_seconds();
    bool next = report->phase != dressing->phase || report->frames == 1;
    if (dressing->quiet || (!next && (!dressing->terminal || now - dressing->shown < interval)))
        return;
    dressing->shown = now;
    dressing->phase = report->phase;
    dressing->open = dressing->terminal;
    int filled = (int)(WIDTH * tl_dress_progress(report));
    fprintf(stderr, "%s%s [%.*s%.*s] %-6s frame %d  gap %.1f mm  crossings %d  %.0f s%s",
            dressing->terminal ? "\r" : "", dressing->label, filled, "########################", WIDTH - filled,
            "........................", tl_dress_phase_name(report->phase), report->frames,
            1e3 * (double)report->seam_gap, report->crossings, report->seconds, dressing->terminal ? " " : "\n");
    fflush(stderr);
}

void cli_dressing_end(cli_dressing *dressing)
{
    if (dressing->open)
        fputc('\n', stderr);
    dressing->open = false;
}

volatile int cli_interrupted = 0;

static void interrupt(int number)
{
    (void)number;
    cli_interrupted = 1;
}

void cli_catch_interrupt(void)
{
    struct sigaction action = {0};
    action.sa_handler = interrupt;
    action.sa_flags = (int)SA_RESETHAND; /* a second Ctrl-C ends the program at once */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_make_folder(const char *path)
{
    char part[4096];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part) {
        cli_fail(EXIT_USAGE, "folder name of %zu characters", length);
        return false;
    }
    for (size_t k = 1; k <= length; ++k)
        if (path[k] == '/' || path[k] == 0) {
            memcpy(part, path, k);
            part[k] = 0;
            if (mkdir(part, 0777) != 0 && errno != EEXIST) {
                cli_fail(EXIT_FAILED, "%s: %s", part, strerror(errno));
                return false;
            }
        }
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) {
        cli_fail(EXIT_FAILED, "%s: is not a folder", path);
        return false;
    }
    return true;
}

bool cli_claim_folder(const char *path)
{
    static int lock = -1;
    output_unlock(&lock);
    if (!cli_make_folder(path))
        return false;
    if (output_lock(path, &lock) || errno != EWOULDBLOCK)
        return true; /* what cannot be locked is written without a lock */
    cli_fail(EXIT_FAILED, "%s: %s", path, output_reason());
    return false;
}

bool cli_close(FILE *file, const char *path)
{
    if (output_close(file))
        return true;
    cli_fail(EXIT_FAILED, "%s: %s", path, output_reason());
    return false;
}

int cli_finish(int code)
{
    errno = 0;
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    /* a standard output that is closed from the start is fine as long as nothing is written to it */
    if (written && (fclose(stdout) == 0 || errno == EBADF))
        return code;
    cli_fail(EXIT_FAILED, "standard output: %s", errno ? strerror(errno) : "could not be written");
    return code == EXIT_DONE ? EXIT_FAILED : code;
}
