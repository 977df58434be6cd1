/* `telar bench scale`: cost per particle from a thousand to a million particles, and the fitted exponent. */
#include "cli/bench/bench.h"
#include "cli/bench/sheet.h"
#include "cli/cli.h"

#include <math.h>

static void step(void *user) { tl_world_step(user, (tl_real)(1.0 / 60)); }

static int run(const bench_settings *settings)
{
    static const int sizes[] = {32, 64, 128, 256, 512, 1000};
    int count = settings->quick ? 4 : (int)(sizeof sizes / sizeof *sizes);
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    if (settings->json)
        fputs("{\"sizes\": [", stdout);
    else
        printf("hanging sheet, xpbd, 10 substeps, one core\n%10s %12s %14s\n", "particles", "ms/frame", "ns/particle");
    for (int k = 0; k < count; ++k) {
        sheet s = sheet_create(SHEET_HANG, sizes[k], 10, "auto", 1);
        if (!s.world)
            return EXIT_FAILED;
        step(s.world); /* allocates working memory */
        double seconds = bench_best(step, s.world, settings->quick ? 0.05 : 1.5);
        sheet_destroy(&s);
        double particles = (double)sizes[k] * sizes[k], x = log(particles), y = log(seconds);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
        if (settings->json)
            printf("%s{\"particles\": %.0f, \"ms\": %.4f}", k ? ", " : "", particles, 1e3 * seconds);
        else
            printf("%10.0f %12.3f %14.2f\n", particles, 1e3 * seconds, 1e9 * seconds / particles);
    }
    double exponent = (count * sxy - sx * sy) / (count * sxx - sx * sx);
    printf(settings->json ? "], \"exponent\": %.3f}" : "cost grows as particles^%.3f\n", exponent);
    return EXIT_DONE;
}

const bench_entry bench_scale = {"scale", "Cost per particle from a thousand to a million particles.", run};
