/* `telar experiment`: reproduces published studies, with our figures beside theirs. */
#include "cli/experiment/experiment.h"
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

enum { MAX_NAMES = 64 };

static void list_experiments(FILE *to)
{
    for (int k = 0; k < experiment_count; ++k)
        fprintf(to, "%-22s %s\n", experiment_list[k].name, experiment_list[k].help);
}

int cli_list_experiments(void)
{
    list_experiments(stdout);
    return EXIT_DONE;
}

/* A full name, or the group before the slash. */
static bool is_named(const experiment *one, const char *name)
{
    size_t length = strlen(name);
    return strcmp(one->name, name) == 0 || (strncmp(one->name, name, length) == 0 && one->name[length] == '/');
}

static bool is_chosen(const experiment *one, const char *const *names, int count)
{
    for (int k = 0; k < count; ++k)
        if (is_named(one, names[k]))
            return true;
    return count == 0;
}

static int check_names(const char *const *names, int count)
{
    for (int k = 0; k < count; ++k) {
        bool known = false;
        for (int e = 0; e < experiment_count; ++e)
            known = known || is_named(&experiment_list[e], names[k]);
        if (!known) {
            const char *all[MAX_NAMES + 1] = {NULL};
            for (int e = 0; e < experiment_count && e < MAX_NAMES; ++e)
                all[e] = experiment_list[e].name;
            cli_fail_nearest(names[k], all, "there is no experiment '%s'", names[k]);
            list_experiments(stderr);
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

static void curve_drawn(void *user, const plot_curve *curve)
{
    experiment_report *report = user;
    page_curve(report->page, curve->name, curve->title);
}

static int run_one(const experiment *one, experiment_report *report, const char *out)
{
    char path[sizeof report->folder + 16];
    int length = snprintf(report->folder, sizeof report->folder, "%s/%s", out, one->name);
    if (length >= (int)sizeof report->folder)
        return cli_fail(EXIT_USAGE, "--out: folder name of %d characters", length);
    if (!cli_claim_folder(report->folder))
        return EXIT_FAILED;
    snprintf(path, sizeof path, "%s/table.csv", report->folder);
    report->table = fopen(path, "w");
    if (!report->table)
        return cli_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
    fputs("what,published,ours,unit\n", report->table);
    report->plots.path = report->folder;
    report->plots.drawn = curve_drawn;
    report->plots.user = report;
    report->page = page_start();
    if (report->quick)
        page_note(report->page, "Run with --quick: fewer and shorter runs, without pictures.");
    printf("%s: %s\n  %-52s %-22s %12s\n", one->name, one->help, "", "published", "ours");
    int before = report->failed;
    double start = cli_seconds();
    one->run(report);
    bool written = cli_close(report->table, path);
    report->table = NULL;
    printf("  %d failed; %s; %.1f s\n\n", report->failed - before, report->folder, cli_seconds() - start);
    snprintf(path, sizeof path, "%s/report.md", report->folder);
    written = page_end(report->page, path, one->name, one->help) && written && !report->plots.failed;
    return written ? EXIT_DONE : EXIT_FAILED;
}

static int command(int count, char **arguments)
{
    const char *names[MAX_NAMES], *out = "out/experiments";
    experiment_report report = {.plots = {.pictures = true}, .pictures = true};
    cli_options options = {.count = count, .arguments = arguments};
    int name_count = 0;
    while (cli_next(&options)) {
        if (!options.name && name_count < MAX_NAMES)
            names[name_count++] = options.word;
        else if (options.name && strcmp(options.name, "quick") == 0)
            report.quick = true;
        else if (options.name && strcmp(options.name, "out") == 0) {
            if (!(out = cli_value(&options)))
                return EXIT_USAGE;
        } else
            return cli_unknown(&options, &cli_experiment);
    }
    int code = check_names(names, name_count);
    cli_catch_interrupt();
    for (int k = 0; k < experiment_count && code == EXIT_DONE && !cli_interrupted; ++k)
        if (is_chosen(&experiment_list[k], names, name_count))
            code = run_one(&experiment_list[k], &report, out);
    return code != EXIT_DONE ? code : report.failed || cli_interrupted ? EXIT_FAILED : EXIT_DONE;
}

const cli_command cli_experiment = {
    .name = "experiment",
    .arguments = "[NAME]… [--out DIR] [--quick]",
    .summary = "Reproduces published studies, with their figures beside ours.",
    .help =
        "NAME is a study or a group of them, see `telar list experiments`; without one all run. Each writes its table "
        "and\n"
        "curves as CSV, plots (with gnuplot), pictures and report.md to DIR/NAME (out/experiments/NAME) and reports\n"
        "which published outcomes were reproduced. --quick takes fewer and shorter runs, without pictures.\n"
        "Exit code 1 if an outcome was not reproduced.",
    .run = command,
};
