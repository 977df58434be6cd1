/* `telar bench`: timings as ratios within one run. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <string.h>

static const bench_entry *const benches[] = {
    &bench_steppers, &bench_frame,   &bench_links,          &bench_hanging_sheet, &bench_draped_sheet,
    &bench_scale,    &bench_threads, &bench_instances,      &bench_self_contact,  &bench_folds,
    &bench_stress,   &bench_octree,  &bench_implicit_denim, &bench_robustness,    &bench_dressed};
enum { BENCH_COUNT = sizeof benches / sizeof *benches };

/* Former names; one with a subject became a bench of its own. */
static const struct {
    const char *name, *subject, *now;
} renamed[] = {{"self", "tray", "folds"},        {"self", NULL, "self-contact"},  {"survive", NULL, "robustness"},
               {"many", NULL, "instances"},      {"hang", NULL, "hanging-sheet"}, {"drape", NULL, "draped-sheet"},
               {"denim", NULL, "implicit-denim"}};

static void list_benches(FILE *to)
{
    for (int k = 0; k < BENCH_COUNT; ++k)
        fprintf(to, "%-22s %s\n", benches[k]->name, benches[k]->help);
}

int cli_list_benches(void)
{
    list_benches(stdout);
    return EXIT_DONE;
}

static int check_name(const char *name, const char *subject)
{
    const char *names[BENCH_COUNT + 1] = {NULL};
    for (int k = 0; k < BENCH_COUNT; ++k) {
        if (strcmp(name, benches[k]->name) == 0)
            return EXIT_DONE;
        names[k] = benches[k]->name;
    }
    for (size_t k = 0; k < sizeof renamed / sizeof *renamed; ++k)
        if (strcmp(name, renamed[k].name) == 0 &&
            (!renamed[k].subject || (subject && strcmp(subject, renamed[k].subject) == 0)))
            return cli_fail(EXIT_USAGE, "bench '%s%s%s': renamed to '%s'", name, renamed[k].subject ? " " : "",
                            renamed[k].subject ? renamed[k].subject : "", renamed[k].now);
    cli_fail_nearest(name, names, "there is no bench '%s'", name);
    list_benches(stderr);
    return EXIT_USAGE;
}

static int command(int count, char **arguments)
{
    cli_options options = {.count = count, .arguments = arguments};
    bench_settings settings = {0};
    const char *name = NULL;
    while (cli_next(&options)) {
        if (options.name && strcmp(options.name, "json") == 0)
            settings.json = true;
        else if (options.name && strcmp(options.name, "quick") == 0)
            settings.quick = true;
        else if (options.name && strcmp(options.name, "beside") == 0) {
            if (!(settings.beside = cli_value(&options)))
                return EXIT_USAGE;
        } else if (!options.name && !name)
            name = options.word;
        else if (!options.name && !settings.subject)
            settings.subject = options.word;
        else
            return cli_unknown(&options, &cli_bench);
    }
    int code = name ? check_name(name, settings.subject) : EXIT_DONE;
    bool first = true;
    if (code != EXIT_DONE)
        return code;
    if (settings.json)
        fputs("{", stdout);
    for (int k = 0; k < BENCH_COUNT && code == EXIT_DONE; ++k)
        if (!name || strcmp(name, benches[k]->name) == 0) {
            if (settings.json)
                printf("%s\"%s\": ", first ? "" : ", ", benches[k]->name);
            else
                printf("%s: %s\n", benches[k]->name, benches[k]->help);
            first = false;
            code = benches[k]->run(&settings);
        }
    if (settings.json)
        puts("}");
    return code;
}

const cli_command cli_bench = {
    .name = "bench",
    .arguments =
        "[steppers [implicit|hung|s1]|frame "
        "[SCENE]|links|hanging-sheet|draped-sheet|scale|threads|instances|self-contact [SIZE]|folds|"
        "stress [SCENE|fine]|octree|implicit-denim [SCENE]|robustness [SCENE|fine]|dressed [solids|tube]] [--json] "
        "[--quick] "
        "[--beside TELAR]",
    .summary = "Measures speed as ratios within one run.",
    .help = "See telar list benches for what each measures; without a name all run. --quick takes shorter runs.\n"
            "--beside names another telar, such as an older build: steppers hung runs it on the same cloth.",
    .run = command,
};
