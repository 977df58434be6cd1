/* `telar bench self-contact [SIZE]`: cost of self-collision over a whole drape, as medians of frames; `telar bench
   folds`: the same for pleated sheets of increasing size. */
#include "cli/bench/bench.h"
#include "cli/bench/sheet.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

typedef struct measured {
    double median, high, worst; /* s per frame; `high`: the 99th percentile */
    int pairs, crossings;       /* at the end */
} measured;

/* Links over two edges of length l and stiffness k have the energy k l⁴ κ⁴/16 per area at the curvature κ. So k grows
   as 1/l⁴; otherwise finer sheets would be softer cloth with wrinkles as fine as the mesh. At 71 × 71 and below it is
   that of the other benches: coarser sheets cannot bend so sharply. */
static bool scale_bending(const sheet *s, int n)
{
    double finer = fmax((n - 1) / 70.0, 1);
    tl_value stiffness = {TL_PARAM_REAL, {finer * finer * finer * finer, 0, 0}, NULL};
    return tl_cloth_set(s->cloth, "link.bend.stiffness", &stiffness) == TL_OK;
}

/* A falling sheet and the cost of its frames. */
typedef struct fall {
    sheet s;
    double *seconds; /* of each frame */
} fall;

static fall prepare(sheet_case kind, int n, const char *contact, int frames)
{
    fall f = {sheet_create(kind, n, 10, "auto", 1), calloc((size_t)frames, sizeof(double))};
    tl_value name = {TL_PARAM_NAME, {0}, contact};
    if (!f.s.world || !f.seconds || tl_cloth_set(f.s.cloth, "contact", &name) != TL_OK ||
        (kind == SHEET_DRAPE && !scale_bending(&f.s, n))) {
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
    measured m = {0};
    if (f->seconds) {
        bench_sort(f->seconds, frames);
        m = (measured){f->seconds[frames / 2], f->seconds[frames * 99 / 100], f->seconds[frames - 1],
                       tl_cloth_get_stats(f->s.cloth).pairs, tl_world_count_intersections(f->s.world)};
    }
    free(f->seconds);
    sheet_destroy(&f->s);
    return m;
}

enum { MAX_SIZES = 8 };

/* Sheets of n × n particles for each of the sizes. */
typedef struct series {
    const char *title;
    sheet_case kind;
    int size[MAX_SIZES], count, frames;
} series;

/* A sheet without and with self-collision. */
typedef struct sheet_pair {
    fall without, with;
} sheet_pair;

enum { TURN = 10 }; /* consecutive frames of one size */

/* All sizes in turns, and both sheets of a size frame by frame: other load slows all alike. */
static void run_interleaved(const series *all, sheet_pair pair[])
{
    for (int first = 0; first < all->frames; first += TURN)
        for (int k = 0; k < all->count; ++k)
            for (int f = first; f < first + TURN && f < all->frames; ++f) {
                step(&pair[k].without, f);
                step(&pair[k].with, f);
            }
}

typedef struct row {
    double particles;
    measured without, with;
} row;

static double per_particle(const row *r) { return r->with.median / r->particles; }

/* Growth of the cost per particle when their number doubles, from the row before, %. */
static double growth(const row *r)
{
    return 100 * (pow(per_particle(r) / per_particle(r - 1), 1 / log2(r->particles / r[-1].particles)) - 1);
}

static void print_row(const row *r, bool json, bool first)
{
    const measured *without = &r->without, *with = &r->with;
    if (json) {
        printf("%s{\"particles\": %.0f, \"bodies_only_ms\": %.4f, \"self_collision_ms\": %.4f, \"p99_ms\": %.4f, "
               "\"worst_ms\": %.4f, "
               "\"pairs\": %d, "
               "\"crossings\": %d}",
               first ? "" : ", ", r->particles, 1e3 * without->median, 1e3 * with->median, 1e3 * with->high,
               1e3 * with->worst, with->pairs, with->crossings);
        return;
    }
    printf("%10.0f %10.3f %10.3f %10.3f %10.3f %7.2f %8.2f %12.1f", r->particles, 1e3 * without->median,
           1e3 * with->median, 1e3 * with->high, 1e3 * with->worst, with->median / without->median,
           with->worst / with->median, 1e9 * per_particle(r));
    if (first)
        printf(" %9s", "");
    else
        printf(" %+8.1f%%", growth(r));
    printf(" %8d %9d\n", with->pairs, with->crossings);
}

static int print_series(const series *all, bool json)
{
    sheet_pair pair[MAX_SIZES];
    row rows[MAX_SIZES];
    int failed = 0; /* size of a sheet that could not be created */
    for (int k = 0; k < all->count; ++k) {
        pair[k].without = prepare(all->kind, all->size[k], "bodies-only", all->frames);
        pair[k].with = prepare(all->kind, all->size[k], "self-collision", all->frames);
        if (!pair[k].without.seconds || !pair[k].with.seconds)
            failed = all->size[k];
    }
    if (!failed)
        run_interleaved(all, pair);
    for (int k = 0; k < all->count; ++k)
        rows[k] = (row){(double)all->size[k] * all->size[k], finish(&pair[k].without, all->frames),
                        finish(&pair[k].with, all->frames)};
    if (failed)
        return cli_fail(EXIT_FAILED, "no memory for a sheet of %d × %d", failed, failed);
    if (json)
        putchar('[');
    else
        printf("%s, xpbd, 10 substeps, %d frames, one core\n%10s %10s %10s %10s %10s %7s %8s %12s %9s %8s %9s\n",
               all->title, all->frames, "particles", "bodies ms", "self ms", "p99 ms", "worst ms", "ratio", "w/median",
               "ns/particle", "doubling", "pairs", "crossings");
    for (int k = 0; k < all->count; ++k)
        print_row(&rows[k], json, k == 0);
    if (json)
        putchar(']');
    return EXIT_DONE;
}

static int run_self_contact(const bench_settings *settings)
{
    series finer = {"sheet draped on ball and floor", SHEET_DRAPE, {32, 45, 71, 91, 128, 181, 256, 317}, 8, 600};
    if (settings->subject) {
        long size;
        if (!cli_integer(settings->subject, "particles along a side", 2, 4096, &size))
            return EXIT_USAGE;
        finer.size[0] = (int)size;
        finer.count = 1;
    }
    if (settings->quick) {
        finer.count = finer.count < 2 ? finer.count : 2;
        finer.frames = 30;
    }
    return print_series(&finer, settings->json);
}

static int run_folds(const bench_settings *settings)
{
    series larger = {"pleated sheets in a tray, more pleats with size",
                     SHEET_TRAY,
                     {29, 43, 57, 85, 113, 155, 225, 309},
                     settings->quick ? 1 : 8,
                     settings->quick ? 30 : 300};
    return print_series(&larger, settings->json);
}

const bench_entry bench_self_contact = {"self-contact", "Cost of self-collision of a draped sheet.", run_self_contact};
const bench_entry bench_folds = {"folds", "Cost of self-collision of pleated sheets that lie in folds, by size.",
                                 run_folds};
