/* `telar bench hang` and `telar bench drape`: milliseconds per frame and stretch of fine sheets, hung by two corners and
   draped over a ball without pins. */
#include "cli/bench/bench.h"
#include "cli/bench/sheet.h"
#include "cli/cli.h"

#include <stdlib.h>

enum { MOST_FRAMES = 600, DEFAULT_SUBSTEPS = 10 };

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int one(const bench_settings *settings, sheet_case kind, int n, int substeps, bool first)
{
    int frames = settings->quick ? 30 : MOST_FRAMES;
    double times[MOST_FRAMES], largest = 0, mean = 0;
    sheet s = sheet_create(kind, n, substeps, "auto");
    if (!s.world)
        return EXIT_FAILED;
    for (int f = 0; f < frames; ++f) {
        double start = cli_seconds();
        tl_world_step(s.world, (tl_real)(1.0 / 60));
        times[f] = cli_seconds() - start;
    }
    sheet_stretch(&s, n, &largest, &mean);
    double kinetic = tl_cloth_energies(s.cloth).kinetic;
    sheet_destroy(&s);
    qsort(times, (size_t)frames, sizeof *times, compare_times);
    double median = 1e3 * times[frames / 2], worst = 1e3 * times[frames - 1], best = 1e3 * times[0];
    if (settings->json)
        printf("%s{\"n\": %d, \"substeps\": %d, \"ms_best\": %.4f, \"ms_median\": %.4f, \"ms_worst\": %.4f, \"largest_stretch\": %.5f, "
               "\"mean_stretch\": %.6f, \"kinetic\": %.3g}",
               first ? "" : ", ", n, substeps, best, median, worst, largest, mean, kinetic);
    else
        printf("%5d² %9d %10.3f %10.3f %10.3f %10.2f %% %10.3f %% %12.2e\n", n, substeps, best, median, worst, 100 * largest, 100 * mean, kinetic);
    fflush(stdout);
    return EXIT_DONE;
}

static int run(const bench_settings *settings, sheet_case kind)
{
    static const int sizes[] = {32, 71, 128, 256}, substeps[] = {5, DEFAULT_SUBSTEPS, 20};
    int code = EXIT_DONE;
    if (settings->json)
        fputs("[", stdout);
    else
        printf("%d frames at 60 a second, one core\n%6s %9s %10s %10s %10s %12s %12s %12s\n", settings->quick ? 30 : MOST_FRAMES, "grid",
               "substeps", "best ms", "median ms", "worst ms", "largest", "mean", "kinetic J");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && code == EXIT_DONE; ++k)
        for (size_t q = 0; q < sizeof substeps / sizeof *substeps && code == EXIT_DONE; ++q)
            if (!settings->quick || sizes[k] <= 71)
                code = one(settings, kind, sizes[k], substeps[q], k + q == 0);
    if (settings->json)
        fputs("]", stdout);
    return code;
}

static int run_hang(const bench_settings *settings) { return run(settings, SHEET_HANG); }
static int run_drape(const bench_settings *settings) { return run(settings, SHEET_DRAPE); }

const bench_entry bench_hang = {"hang", "a sheet hung by two corners: time and stretch by grid and substeps", run_hang};
const bench_entry bench_drape = {"drape", "a sheet over a ball, without pins: time and stretch by grid and substeps", run_drape};
