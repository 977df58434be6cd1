/* `telar bench`: timings as ratios from one run. Each bench is one line in the list. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <string.h>

static const bench_entry *const benches[] = {&bench_steppers, &bench_frame, &bench_links, &bench_hang, &bench_drape, &bench_scale, &bench_threads, &bench_many, &bench_self, &bench_stress, &bench_octree, &bench_denim, &bench_survive};
enum { BENCH_COUNT = sizeof benches / sizeof *benches };

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
        else if (!options.name && !name)
            name = options.word;
        else if (!options.name && !settings.subject)
            settings.subject = options.word;
        else
            return cli_unknown(&options, &cli_bench);
    }
    int code = EXIT_DONE;
    bool found = false;
    if (settings.json)
        fputs("{", stdout);
    for (int k = 0; k < BENCH_COUNT && code == EXIT_DONE; ++k)
        if (!name || strcmp(name, benches[k]->name) == 0) {
            if (settings.json)
                printf("%s\"%s\": ", found ? ", " : "", benches[k]->name);
            else
                printf("%s: %s\n", benches[k]->name, benches[k]->help);
            found = true;
            code = benches[k]->run(&settings);
        }
    if (settings.json)
        puts("}");
    if (!found) {
        cli_fail(EXIT_USAGE, "there is no bench '%s'; there are:", name);
        for (int k = 0; k < BENCH_COUNT; ++k)
            fprintf(stderr, "  %-10s %s\n", benches[k]->name, benches[k]->help);
        return EXIT_USAGE;
    }
    return code;
}

const cli_command cli_bench = {
    .name = "bench",
    .arguments = "[steppers|frame [SCENE]|links|hang|drape|scale|threads|many|self [SIZE|tray]|stress [SCENE|fine]|octree|denim [SCENE]|survive [SCENE|fine]] [--json] [--quick]",
    .summary = "Measures speed as ratios within one run.",
    .run = command,
};
