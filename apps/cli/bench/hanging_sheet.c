/* `telar bench hanging-sheet` and `telar bench draped-sheet`: milliseconds per frame and stretch of fine sheets, hung
   by two corners or draped over a ball without pins, compared with Bullet's soft body if it is installed. */
#include "cli/bench/bench.h"
#include "cli/bench/sheet.h"
#include "cli/cli.h"

#ifdef TELAR_BULLET
#include "cli/bench/bullet.h"
#endif

#include <stdlib.h>

enum { MAX_FRAMES = 600 };

/* Default quality: hanging cloth stretches by less than 1 %, at 256² by less than 2 %; cloth without pins relies on
   extra_sweeps along warp and weft and needs few. */
static int default_substeps(sheet_case kind, int n)
{
    if (kind == SHEET_DRAPE)
        return n < 100 ? 3 : 4;
    return n < 100 ? 3 : n < 200 ? 5 : 6;
}

typedef struct sheet_figures {
    const char *engine;
    int n, substeps, frames;
    double best, median, worst; /* ms per frame */
    double largest, mean;       /* stretch, 1 */
    double kinetic;             /* J; negative: unknown */
} sheet_figures;

static void sort_times(sheet_figures *figures, double *times)
{
    bench_sort(times, figures->frames);
    figures->best = 1e3 * times[0];
    figures->median = 1e3 * times[figures->frames / 2];
    figures->worst = 1e3 * times[figures->frames - 1];
}

static int measure_telar(sheet_case kind, sheet_figures *figures)
{
    double times[MAX_FRAMES];
    sheet s = sheet_create(kind, figures->n, figures->substeps, "auto", 1);
    if (!s.world)
        return EXIT_FAILED;
    for (int f = 0; f < figures->frames; ++f) {
        double start = cli_seconds();
        tl_world_step(s.world, (tl_real)(1.0 / 60));
        times[f] = cli_seconds() - start;
    }
    sheet_stretch(&s, figures->n, &figures->largest, &figures->mean);
    figures->kinetic = tl_cloth_energies(s.cloth).kinetic;
    sheet_destroy(&s);
    sort_times(figures, times);
    return EXIT_DONE;
}

#ifdef TELAR_BULLET
static int measure_bullet(sheet_case kind, sheet_figures *figures)
{
    double times[MAX_FRAMES];
    int n = figures->n;
    bullet_sheet *b =
        bullet_create(kind == SHEET_DRAPE, n, SHEET_SIDE, SHEET_DENSITY * SHEET_SIDE * SHEET_SIDE, figures->substeps);
    double *x = malloc(3 * (size_t)(n * n) * sizeof *x);
    if (!b || !x) {
        bullet_destroy(b);
        free(x);
        return cli_fail(EXIT_FAILED, "no memory for Bullet's sheet");
    }
    for (int f = 0; f < figures->frames; ++f) {
        double start = cli_seconds();
        bullet_step(b, 1.0 / 60);
        times[f] = cli_seconds() - start;
    }
    for (int i = 0; i < n * n; ++i)
        bullet_position(b, i, x + 3 * i);
    sheet_stretch_of(x, n, &figures->largest, &figures->mean);
    free(x);
    bullet_destroy(b);
    sort_times(figures, times);
    return EXIT_DONE;
}
#endif

static void print_figures(const bench_settings *settings, const sheet_figures *f, bool first)
{
    char kinetic[24];
    snprintf(kinetic, sizeof kinetic, "%.3g", f->kinetic);
    if (settings->json)
        printf("%s{\"engine\": \"%s\", \"n\": %d, \"substeps\": %d, \"frames\": %d, \"ms_best\": %.4f, \"ms_median\": "
               "%.4f, "
               "\"ms_worst\": %.4f, \"largest_stretch\": %.5f, \"mean_stretch\": %.6f, \"kinetic\": %s}",
               first ? "" : ", ", f->engine, f->n, f->substeps, f->frames, f->best, f->median, f->worst, f->largest,
               f->mean, f->kinetic < 0 ? "null" : kinetic);
    else
        printf("%-7s %5d² %9d %7d %10.3f %10.3f %10.3f %10.2f %% %10.3f %% %12s\n", f->engine, f->n, f->substeps,
               f->frames, f->best, f->median, f->worst, 100 * f->largest, 100 * f->mean, f->kinetic < 0 ? "" : kinetic);
    fflush(stdout);
}

/* Both engines on one grid; Bullet's five sweeps compare with five substeps. */
static int one_grid(const bench_settings *settings, sheet_case kind, int n, bool first)
{
    const int substeps[] = {default_substeps(kind, n), 5, 20};
    int code = EXIT_DONE;
    for (size_t q = 0; q < sizeof substeps / sizeof *substeps && code == EXIT_DONE; ++q) {
        if (q > 0 && substeps[q] == substeps[0])
            continue;
        sheet_figures figures = {"telar", n, substeps[q], settings->quick ? 30 : MAX_FRAMES, 0, 0, 0, 0, 0, 0};
        if ((code = measure_telar(kind, &figures)) == EXIT_DONE)
            print_figures(settings, &figures, first && q == 0);
    }
#ifdef TELAR_BULLET
    /* seconds per frame on the finest grid */
    sheet_figures figures = {"bullet", n, 5, settings->quick ? 5 : n > 128 ? 60 : MAX_FRAMES, 0, 0, 0, 0, 0, -1};
    if (code == EXIT_DONE && (code = measure_bullet(kind, &figures)) == EXIT_DONE)
        print_figures(settings, &figures, false);
#endif
    return code;
}

static int run(const bench_settings *settings, sheet_case kind)
{
    static const int sizes[] = {32, 71, 128, 256};
    int code = EXIT_DONE;
    if (settings->json)
        fputs("[", stdout);
    else
        printf("60 frames per second, one core; the first row of a grid is the default quality; substeps of Bullet's "
               "soft body are sweeps\n"
               "%-7s %6s %9s %7s %10s %10s %10s %12s %12s %12s\n",
               "engine", "grid", "substeps", "frames", "best ms", "median ms", "worst ms", "largest", "mean",
               "kinetic J");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && code == EXIT_DONE; ++k)
        if (!settings->quick || sizes[k] <= 71)
            code = one_grid(settings, kind, sizes[k], k == 0);
    if (settings->json)
        fputs("]", stdout);
    return code;
}

static int run_hang(const bench_settings *settings) { return run(settings, SHEET_HANG); }
static int run_drape(const bench_settings *settings) { return run(settings, SHEET_DRAPE); }

const bench_entry bench_hanging_sheet = {
    "hanging-sheet", "A sheet hung by two corners: time and stretch by grid and substeps.", run_hang};
const bench_entry bench_draped_sheet = {
    "draped-sheet", "A sheet over a ball, without pins: time and stretch by grid and substeps.", run_drape};
