/* `telar bench self [SIZE]`: what contact of the cloth with itself costs, over a whole drape, as medians of frames. */
#include "cli/bench/bench.h"
#include "cli/bench/sheet.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

typedef struct measured {
    double median, worst; /* s a frame */
    int pairs, crossings; /* at the end */
    bool failed;
} measured;

/* Links over two edges of length l and stiffness k have the energy k l⁴ κ⁴/16 per area at the curvature κ. Their k
   grows as 1/l⁴, or finer sheets were of another cloth and wrinkled as finely as their mesh. At 71 × 71 and below it is
   that of the other benches: coarser sheets cannot bend so sharply. */
static bool bend_alike(const sheet *s, int n)
{
    double finer = fmax((n - 1) / 70.0, 1);
    tl_value stiffness = {TL_PARAM_REAL, {finer * finer * finer * finer, 0, 0}, NULL};
    return tl_cloth_set(s->cloth, "link.bend.stiffness", &stiffness) == TL_OK;
}

/* A sheet that falls, and what its frames cost. */
typedef struct fall {
    sheet s;
    double *seconds; /* of each frame */
} fall;

static fall prepare(int n, const char *contact, int frames)
{
    fall f = {sheet_create(SHEET_DRAPE, n, 10, "auto", 1), calloc((size_t)frames, sizeof(double))};
    tl_value name = {TL_PARAM_NAME, {0}, contact};
    if (!f.s.world || !f.seconds || tl_cloth_set(f.s.cloth, "contact", &name) != TL_OK || !bend_alike(&f.s, n)) {
        free(f.seconds);
        f.seconds = NULL;
    }
    return f;
}

static void step(fall *f, int frame)
{
    double start = bench_processor_seconds();
    tl_world_step(f->s.world, (tl_real)(1.0 / 60));
    f->seconds[frame] = bench_processor_seconds() - start;
}

static measured finish(fall *f, int frames)
{
    measured m = {.failed = true};
    if (f->seconds) {
        bench_sort(f->seconds, frames);
        m = (measured){f->seconds[frames / 2], f->seconds[frames - 1], tl_cloth_get_stats(f->s.cloth).pairs,
                       tl_world_count_intersections(f->s.world), false};
    }
    free(f->seconds);
    sheet_destroy(&f->s);
    return m;
}

/* Both in turn, frame by frame: what else the machine does slows both alike. */
static void drape(int n, int frames, measured *plain, measured *fast)
{
    fall without = prepare(n, "bodies", frames), with = prepare(n, "fast", frames);
    for (int f = 0; without.seconds && with.seconds && f < frames; ++f) {
        step(&without, f);
        step(&with, f);
    }
    *plain = finish(&without, frames);
    *fast = finish(&with, frames);
}

static int run(const bench_settings *settings)
{
    static const int sizes[] = {32, 45, 71, 91, 128, 181, 256, 317};
    int count = settings->quick ? 2 : (int)(sizeof sizes / sizeof *sizes), frames = settings->quick ? 30 : 600;
    int only = settings->subject ? atoi(settings->subject) : 0;
    if (settings->subject && only < 2)
        return cli_fail(EXIT_USAGE, "'%s' is not a number of particles along a side", settings->subject);
    if (settings->json)
        fputs("{\"sizes\": [", stdout);
    else
        printf("sheet draped on ball and floor, xpbd, 10 substeps, %d frames, one core\n%10s %10s %10s %10s %7s %8s "
               "%12s %8s %9s\n",
               frames, "particles", "bodies ms", "fast ms", "worst ms", "ratio", "w/median", "ns/particle", "pairs",
               "crossings");
    for (int k = 0; k < (only ? 1 : count); ++k) {
        int size = only ? only : sizes[k];
        measured plain, fast;
        drape(size, frames, &plain, &fast);
        if (plain.failed || fast.failed)
            return cli_fail(EXIT_FAILED, "no memory for a sheet of %d × %d", size, size);
        double particles = (double)size * size;
        if (settings->json)
            printf("%s{\"particles\": %.0f, \"bodies_ms\": %.4f, \"fast_ms\": %.4f, \"worst_ms\": %.4f, \"pairs\": %d, "
                   "\"crossings\": %d}",
                   k ? ", " : "", particles, 1e3 * plain.median, 1e3 * fast.median, 1e3 * fast.worst, fast.pairs,
                   fast.crossings);
        else
            printf("%10.0f %10.3f %10.3f %10.3f %7.2f %8.2f %12.1f %8d %9d\n", particles, 1e3 * plain.median,
                   1e3 * fast.median, 1e3 * fast.worst, fast.median / plain.median, fast.worst / fast.median,
                   1e9 * fast.median / particles, fast.pairs, fast.crossings);
    }
    if (settings->json)
        fputs("]}", stdout);
    return EXIT_DONE;
}

const bench_entry bench_self = {"self", "what contact of a draped sheet with itself costs", run};
