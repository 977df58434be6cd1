/* `telar bench steppers implicit`: the default beside others (hung_denim.c); then denim, 128 × 128 over 1.2 m, pinned
   along its upper edge, falls until it hangs: implicit steppers with one step per frame, compared with XPBD at equal
   stretch. Equal stretch is found in two ways: by doubling the substeps until the largest stretch is no more than that
   of the implicit steppers, and with the strain limit at that stretch. An edge carries the cloth thread by thread, so
   the stretch is the fabric's; below a pinned corner the last links stretch more the finer the mesh is. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>

/* Side of the sheet, m; damping, 1/s: all come to rest within a second. */
static const double SIDE = 1.2, DAMPING = 10;
/* Stretch counts as equal up to this ratio. */
static const double EQUAL = 1.05;
enum { LIMIT_PASSES = 80 };

typedef struct result {
    double seconds, largest, mean; /* s per frame; stretch of warp and weft at the end */
    int iterations;                /* per frame */
} result;

/* Largest stretch along warp and weft, and the mean along the weft, which carries the load. */
static void measure(tl_cloth *cloth, int grid, result *out)
{
    const tl_vec3 *x = tl_cloth_positions(cloth);
    double rest = SIDE / (grid - 1);
    for (int k = 0; k < grid * grid; ++k)
        for (int d = 0; d < 2; ++d) {
            if (d == 0 ? k % grid == grid - 1 : k / grid == grid - 1)
                continue;
            const tl_vec3 *a = &x[k], *b = &x[k + (d == 0 ? 1 : grid)];
            double dx = (double)(b->x - a->x), dy = (double)(b->y - a->y), dz = (double)(b->z - a->z);
            double stretch = sqrt(dx * dx + dy * dy + dz * dz) / rest - 1;
            out->largest = fmax(out->largest, stretch);
            out->mean += d == 1 ? stretch / (grid * (grid - 1)) : 0;
        }
}

static result hang(const char *stepper, int substeps, double limit, int grid, int frames)
{
    result out = {.seconds = -1};
    tl_world_def world_def = tl_world_def_default();
    tl_error error;
    tl_world *world = tl_world_create(&world_def, &error);
    tl_cloth_def def = tl_cloth_def_grid(grid, grid, (tl_real)SIDE, (tl_real)SIDE);
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = "top";
    def.pins = &pin;
    def.pin_count = 1;
    def.plane = "vertical";
    def.fabric = "denim";
    def.stepper = stepper;
    def.substeps = substeps;
    def.damping = (tl_real)DAMPING;
    def.strain_limit = limit > 0;
    def.strain_limit_warp = def.strain_limit_weft = limit > 0 ? (tl_real)limit : def.strain_limit_warp;
    def.strain_limit_passes = LIMIT_PASSES;
    tl_cloth *cloth = world ? tl_cloth_create(world, &def) : NULL;
    if (!cloth) {
        cli_fail(EXIT_FAILED, "%s", world ? tl_last_error(world) : error.message);
        tl_world_destroy(world);
        return out;
    }
    double start = bench_processor_seconds();
    for (int f = 0; f < frames; ++f) {
        tl_world_step(world, (tl_real)(1.0 / 60));
        out.iterations += tl_cloth_get_stats(cloth).solver_iterations;
    }
    out.seconds = (bench_processor_seconds() - start) / frames;
    out.iterations /= frames;
    measure(cloth, grid, &out);
    tl_world_destroy(world);
    return out;
}

static void print(const bench_settings *settings, const char *stepper, int substeps, result h, bool first)
{
    if (settings->json)
        printf("%s{\"stepper\": \"%s\", \"substeps\": %d, \"ms\": %.3f, \"iterations\": %d, \"stretch\": %.5f, "
               "\"mean\": %.5f}",
               first ? "" : ", ", stepper, substeps, 1e3 * h.seconds, h.iterations, h.largest, h.mean);
    else
        printf("%-18s %8d %10.2f %11d %10.3f %8.3f\n", stepper, substeps, 1e3 * h.seconds, h.iterations,
               100 * h.largest, 100 * h.mean);
    fflush(stdout);
}

/* Doubles the substeps from `first` until XPBD stretches no more than `stretch`; false if it cannot run. */
static bool search(const bench_settings *settings, bool limited, int first, int last, double stretch, int grid,
                   int frames)
{
    for (int substeps = first; substeps <= last; substeps *= 2) {
        result h = hang("xpbd", substeps, limited ? stretch : 0, grid, frames);
        if (h.seconds < 0)
            return false;
        bool equal = h.largest <= EQUAL * stretch;
        char name[32];
        snprintf(name, sizeof name, "xpbd%s%s", limited ? ", limited" : "", equal ? " =" : "");
        print(settings, name, substeps, h, false);
        if (equal)
            break;
    }
    return true;
}

int bench_implicit_steps(const bench_settings *settings)
{
    static const char *const steppers[] = {"implicit-euler", "bdf2", "constant-jacobian", "thin-objects"};
    bool quick = settings->quick;
    int grid = quick ? 32 : 128, frames = quick ? 2 : 60;
    double stretch = 0;
    if (settings->json)
        fputs("[", stdout);
    if (!bench_hung_denim(settings))
        return EXIT_FAILED;
    if (!settings->json)
        printf("denim, %d x %d, hung by its upper edge, %d frames; =: XPBD stretches no more than the first two\n%-18s "
               "%8s %10s %11s %10s %8s\n",
               grid, grid, frames, "stepper", "substeps", "ms/frame", "iterations", "stretch, %", "mean, %");
    for (int k = 0; k < 4; ++k) {
        result h = hang(steppers[k], 1, 0, grid, frames);
        if (h.seconds < 0)
            return EXIT_FAILED;
        if (k < 2) /* the reference for XPBD */
            stretch = fmax(stretch, h.largest);
        print(settings, steppers[k], 1, h, false);
    }
    if (!search(settings, false, quick ? 8 : 64, quick ? 16 : 256, stretch, grid, frames) ||
        !search(settings, true, quick ? 8 : 16, quick ? 16 : 256, stretch, grid, frames))
        return EXIT_FAILED;
    if (settings->json)
        fputs("]", stdout);
    return EXIT_DONE;
}
