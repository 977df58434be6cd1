/* `telar bench threads`: a hanging sheet and a folding sheet with self-collision, on one thread and on several, frame
   by frame in turn, so that other load slows all alike. `telar bench instances`: the same for a thousand small flags in
   the wind. */
#include "cli/bench/bench.h"
#include "cli/bench/sheet.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

enum { MAX_FRAMES = 200, MAX_COUNTS = 8 };

/* 1, 2, 4 … and all cores; at least two counts, to compare. */
static int thread_counts(int counts[MAX_COUNTS])
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int count = 0;
    for (int threads = 1; count < MAX_COUNTS - 1 && (threads < cores || threads == 1); threads *= 2)
        counts[count++] = threads;
    counts[count++] = cores > 1 ? (int)cores : 2;
    return count;
}

/* Seconds per frame. Other load slows several threads more than one: the best frames show what the threads can give,
   the median what they gave. */
typedef struct frame_time {
    double median, best;
} frame_time;

/* Runs all worlds frame by frame in turn. */
static void time_worlds(tl_world *const *worlds, int count, int frames, frame_time *seconds)
{
    static double times[MAX_COUNTS][MAX_FRAMES];
    for (int f = 0; f < frames; ++f)
        for (int k = 0; k < count; ++k) {
            double start = cli_seconds();
            tl_world_step(worlds[k], (tl_real)(1.0 / 60));
            times[k][f] = cli_seconds() - start;
        }
    for (int k = 0; k < count; ++k) {
        bench_sort(times[k], frames);
        seconds[k] = (frame_time){times[k][frames / 2], times[k][0]};
    }
}

static void print_times(const bench_settings *settings, const char *what, int particles, const int *counts, int count,
                        const frame_time *seconds, bool first)
{
    for (int k = 0; k < count; ++k)
        if (settings->json)
            printf("%s{\"case\": \"%s\", \"particles\": %d, \"threads\": %d, \"ms\": %.4f, \"ratio\": %.3f, "
                   "\"ms_best\": %.4f, \"ratio_best\": %.3f}",
                   first && k == 0 ? "" : ", ", what, particles, counts[k], 1e3 * seconds[k].median,
                   seconds[0].median / seconds[k].median, 1e3 * seconds[k].best, seconds[0].best / seconds[k].best);
        else
            printf("%-20s %10d %8d %10.3f %12.2f %8.2f %10.3f %8.2f\n", what, particles, counts[k],
                   1e3 * seconds[k].median, 1e9 * seconds[k].median / particles, seconds[0].median / seconds[k].median,
                   1e3 * seconds[k].best, seconds[0].best / seconds[k].best);
    fflush(stdout);
}

static void print_head(const bench_settings *settings)
{
    if (settings->json)
        fputs("[", stdout);
    else
        printf("%-20s %10s %8s %10s %12s %8s %10s %8s\n", "case", "particles", "threads", "median ms", "ns/particle",
               "ratio", "best ms", "ratio");
}

/* A sheet to run on one thread and on several: hanging, or pleated in a tray with self-collision. */
typedef struct thread_case {
    const char *name;
    sheet_case kind;
    int size;
    int before, frames; /* untimed, until it lies in folds; timed */
    const char *contact;
} thread_case;

static int run_case(const bench_settings *settings, const thread_case *c, const int *counts, int count, bool first)
{
    sheet sheets[MAX_COUNTS] = {{0}};
    tl_world *worlds[MAX_COUNTS];
    tl_value contact = {TL_PARAM_NAME, {0}, c->contact};
    int code = EXIT_DONE;
    for (int k = 0; k < count && code == EXIT_DONE; ++k) {
        sheets[k] = sheet_create(c->kind, c->size, 10, "auto", counts[k]);
        worlds[k] = sheets[k].world;
        if (!worlds[k])
            code = EXIT_FAILED;
        else if (tl_cloth_set(sheets[k].cloth, "contact", &contact) != TL_OK)
            code = cli_fail(EXIT_FAILED, "%s", tl_last_error(worlds[k]));
    }
    if (code == EXIT_DONE) {
        frame_time seconds[MAX_COUNTS];
        char what[24];
        for (int k = 0; k < count; ++k)
            for (int f = 0; f < c->before; ++f)
                tl_world_step(worlds[k], (tl_real)(1.0 / 60));
        time_worlds(worlds, count, settings->quick ? 10 : c->frames, seconds);
        snprintf(what, sizeof what, "%s %d", c->name, c->size);
        print_times(settings, what, c->size * c->size, counts, count, seconds, first);
    }
    for (int k = 0; k < count; ++k)
        sheet_destroy(&sheets[k]);
    return code;
}

static int run_threads(const bench_settings *settings)
{
    enum { FALL = 40, MAX_QUICK_SIZE = 128 };
    static const thread_case cases[] = {{"hanging-sheet", SHEET_HANG, 32, 0, MAX_FRAMES, "bodies-only"},
                                        {"hanging-sheet", SHEET_HANG, 71, 0, MAX_FRAMES, "bodies-only"},
                                        {"hanging-sheet", SHEET_HANG, 128, 0, MAX_FRAMES, "bodies-only"},
                                        {"hanging-sheet", SHEET_HANG, 256, 0, MAX_FRAMES, "bodies-only"},
                                        {"self-collision", SHEET_TRAY, 71, FALL, MAX_FRAMES, "self-collision"},
                                        {"penetration-free", SHEET_TRAY, 71, FALL, MAX_FRAMES, "penetration-free"},
                                        {"self-collision", SHEET_TRAY, 141, FALL, MAX_FRAMES / 2, "self-collision"}};
    int counts[MAX_COUNTS], count = thread_counts(counts), code = EXIT_DONE;
    print_head(settings);
    for (size_t k = 0; k < sizeof cases / sizeof *cases && code == EXIT_DONE; ++k)
        if (!settings->quick || cases[k].size <= MAX_QUICK_SIZE)
            code = run_case(settings, &cases[k], counts, count, k == 0);
    if (settings->json)
        fputs("]", stdout);
    return code;
}

/* Flags of 16 × 16 side by side, each pinned along one edge, in gusts. NULL after a message. */
static tl_world *fly_flags(int flags, int threads)
{
    enum { SIDE = 16, ROW = 32 };
    tl_world_def world_def = tl_world_def_default();
    tl_error error;
    world_def.threads = threads;
    world_def.wind.kind = "gusts";
    world_def.wind.velocity = (tl_vec3){6, 0, 1};
    tl_world *world = tl_world_create(&world_def, &error);
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = "left";
    for (int k = 0; k < flags && world; ++k) {
        tl_cloth_def def = tl_cloth_def_grid(SIDE, SIDE, 1, (tl_real)0.7);
        def.plane = "vertical";
        def.center = (tl_vec3){(tl_real)(2 * (k % ROW)), 2, (tl_real)(2 * (k / ROW))};
        def.stepper = "xpbd";
        def.substeps = 8;
        def.air = "face";
        def.pins = &pin;
        def.pin_count = 1;
        if (!tl_cloth_create(world, &def)) {
            cli_fail(EXIT_FAILED, "%s", tl_last_error(world));
            tl_world_destroy(world);
            return NULL;
        }
    }
    if (!world)
        cli_fail(EXIT_FAILED, "%s", error.message);
    return world;
}

static int run_instances(const bench_settings *settings)
{
    int flags = settings->quick ? 50 : 1000, counts[MAX_COUNTS], count = thread_counts(counts), made = 0;
    tl_world *worlds[MAX_COUNTS];
    frame_time seconds[MAX_COUNTS];
    print_head(settings);
    while (made < count && (worlds[made] = fly_flags(flags, counts[made])))
        ++made;
    if (made == count) {
        char what[24];
        time_worlds(worlds, count, settings->quick ? 4 : 60, seconds);
        snprintf(what, sizeof what, "%d flags", flags);
        print_times(settings, what, flags * 16 * 16, counts, count, seconds, true);
    }
    for (int k = 0; k < made; ++k)
        tl_world_destroy(worlds[k]);
    if (settings->json)
        fputs("]", stdout);
    return made == count ? EXIT_DONE : EXIT_FAILED;
}

const bench_entry bench_threads = {"threads", "A hanging and a folded sheet on one and on several threads.",
                                   run_threads};
const bench_entry bench_instances = {
    "instances", "A thousand flags of 16 x 16 side by side, on one and on several threads.", run_instances};
