#include "cli/plot.h"

#include "cli/cli.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_POINTS = 120 }; /* of a series that is drawn with points */

enum { LONGEST_PATH = 4200 };

static void path_of(const plot_curve *curve, const char *ending, char path[LONGEST_PATH])
{
    snprintf(path, LONGEST_PATH, "%s/%s.%s", curve->folder->path, curve->name, ending);
}

static FILE *open_file(const plot_curve *curve, const char *ending)
{
    char path[LONGEST_PATH];
    path_of(curve, ending, path);
    FILE *file = fopen(path, "w");
    if (!file) {
        cli_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
        curve->folder->failed = true;
    }
    return file;
}

static bool close_file(const plot_curve *curve, const char *ending, FILE *file)
{
    char path[LONGEST_PATH];
    path_of(curve, ending, path);
    bool written = cli_close(file, path);
    curve->folder->failed = curve->folder->failed || !written;
    return written;
}

plot_curve plot_start(plot_folder *folder, const char *name, const char *title, const char *x_label,
                      const char *y_label, bool logarithmic)
{
    plot_curve curve = {folder, name, title, x_label, y_label, logarithmic, logarithmic, NULL, {{0}}, 0, 0};
    if (folder->path)
        curve.csv = open_file(&curve, "csv");
    if (curve.csv)
        fprintf(curve.csv, "series,\"%s\",\"%s\"\n", x_label, y_label);
    return curve;
}

/* A copy of `from` with `other` replaced by spaces. */
static void blank(char *to, size_t size, const char *from, char other)
{
    snprintf(to, size, "%s", from);
    for (char *at = to; *at; ++at)
        if (*at == other)
            *at = ' ';
}

/* Style of a series from the first character of its name; 0: measured values. */
static char style_mark(const char *series) { return series[0] == '=' || series[0] == '.' ? series[0] : 0; }

void plot_point(plot_curve *curve, const char *name, double x, double y)
{
    char series[sizeof *curve->series], field[sizeof *curve->series];
    blank(series, sizeof series, name, '"'); /* it is quoted in the script */
    blank(field, sizeof field, series, ','); /* and a CSV field */
    int last = curve->series_count - 1;
    if (last < 0 || strcmp(curve->series[last], series) != 0) {
        if (curve->series_count == (int)(sizeof curve->series / sizeof *curve->series))
            return;
        memcpy(curve->series[++last], series, sizeof series);
        ++curve->series_count;
    }
    ++curve->points;
    if (curve->csv)
        fprintf(curve->csv, "%s,%.9g,%.9g\n", field + (style_mark(field) ? 1 : 0), x, y);
}

static bool write_script(const plot_curve *curve)
{
    FILE *file = open_file(curve, "gp");
    if (!file)
        return false;
    fprintf(file,
            "set encoding utf8\nset terminal pngcairo size 900,600\nset output '%s.png'\nset datafile separator "
            "','\nset grid\n"
            "set title \"%s\"\nset xlabel \"%s\" offset 0,0.4\nset ylabel \"%s\"\nset key below title ' '\nset "
            "linetype 5 lc rgb "
            "'#8c564b'\n",
            curve->name, curve->title, curve->x_label, curve->y_label);
    if (curve->log_x)
        fputs("set logscale x\n", file);
    if (curve->log_y)
        fputs("set logscale y\nset format y '10^{%L}'\n", file);
    /* too many points hide the line */
    const char *measured = curve->points > MAX_POINTS * curve->series_count ? "lines lw 1.5" : "linespoints ps 0.6";
    fputs("plot", file);
    for (int k = 0; k < curve->series_count; ++k) {
        char mark = style_mark(curve->series[k]);
        const char *name = curve->series[k] + (mark ? 1 : 0);
        const char *style = mark == '='   ? "lines lw 2 dt 2 lc rgb 'black'"
                            : mark == '.' ? "points pt 7 ps 0.9"
                                          : measured;
        char field[sizeof *curve->series];
        blank(field, sizeof field, name, ',');
        fprintf(file, "%s \\\n '%s.csv' using (strcol(1) eq \"%s\" ? $2 : NaN):3 with %s title \"%s\"", k ? "," : "",
                curve->name, field, style, name);
    }
    fputc('\n', file);
    return close_file(curve, "gp", file);
}

/* Runs `gnuplot NAME.gp` in the folder; false if gnuplot is missing. */
static bool draw(const plot_curve *curve, bool *drawn)
{
    char script[256], here[4096];
    snprintf(script, sizeof script, "%s.gp", curve->name);
    char program[] = "gnuplot", *arguments[] = {program, script, NULL};
    if (!getcwd(here, sizeof here) || chdir(curve->folder->path) != 0)
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO); /* standard output is the table's */
    pid_t child;
    int status = 0;
    bool started = posix_spawnp(&child, program, &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    if (started)
        waitpid(child, &status, 0);
    if (chdir(here) != 0)
        cli_fail(EXIT_FAILED, "%s: %s", here, strerror(errno));
    *drawn = started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    /* 127: spawned, but not executable */
    return started && !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

void plot_end(plot_curve *curve)
{
    if (!curve->csv)
        return;
    bool written = close_file(curve, "csv", curve->csv), drawn = false;
    curve->csv = NULL;
    curve->folder->curves += written;
    if (!written || !curve->folder->pictures || curve->series_count == 0 || !write_script(curve))
        return;
    if (!draw(curve, &drawn)) {
        curve->folder->pictures = false;
        fputs("telar: gnuplot is not installed: curves are written as CSV only\n", stderr);
    } else if (!drawn) {
        cli_fail(EXIT_FAILED, "%s/%s.png: gnuplot failed", curve->folder->path, curve->name);
        curve->folder->failed = true;
    } else if (curve->folder->drawn)
        curve->folder->drawn(curve->folder->user, curve);
}
