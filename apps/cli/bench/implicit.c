/* `telar bench steppers implicit`: one frame of denim, 128 × 128 over 1.2 m, hung by its upper corners: implicit steppers
   with one step a frame and their iterations, beside XPBD with as many substeps as it needs to stretch no more, by itself
   and with the limit of stretch. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <stdio.h>

enum { SETTLE = 20 }; /* frames before the measurement */

typedef struct hung {
    double seconds, strain; /* of a frame; largest at its end */
    int iterations;
} hung;

static hung hang(const char *stepper, int substeps, double limit, int grid, int frames)
{
    hung out = {-1, 0, 0};
    tl_world_def world_def = tl_world_def_default();
    tl_error error;
    tl_world *world = tl_world_create(&world_def, &error);
    tl_cloth_def def = tl_cloth_def_grid(grid, grid, 1.2f, 1.2f);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = 2;
    def.plane = "vertical";
    def.fabric = "denim";
    def.stepper = stepper;
    def.substeps = substeps;
    def.limit = limit > 0;
    def.limit_warp = def.limit_weft = limit > 0 ? (tl_real)limit : def.limit_warp;
    tl_cloth *cloth = world ? tl_cloth_create(world, &def) : NULL;
    if (!cloth) {
        cli_fail(EXIT_FAILED, "%s", world ? tl_last_error(world) : error.message);
        tl_world_destroy(world);
        return out;
    }
    for (int f = 0; f < SETTLE; ++f)
        tl_world_step(world, 1.0f / 60);
    double start = cli_seconds();
    for (int f = 0; f < frames; ++f) {
        tl_world_step(world, 1.0f / 60);
        out.iterations += tl_cloth_get_stats(cloth).solver_iterations;
    }
    out.seconds = (cli_seconds() - start) / frames;
    out.iterations /= frames;
    out.strain = (double)tl_cloth_get_stats(cloth).largest_strain;
    tl_world_destroy(world);
    return out;
}

static void tell(const bench_settings *settings, const char *stepper, int substeps, hung h, bool first)
{
    if (settings->json)
        printf("%s{\"stepper\": \"%s\", \"substeps\": %d, \"ms\": %.3f, \"iterations\": %d, \"strain\": %.5f}", first ? "" : ", ", stepper,
               substeps, 1e3 * h.seconds, h.iterations, h.strain);
    else
        printf("%-18s %8d %10.2f %11d %10.2f\n", stepper, substeps, 1e3 * h.seconds, h.iterations, 100 * h.strain);
    fflush(stdout);
}

int bench_implicit_steps(const bench_settings *settings)
{
    static const char *const steppers[] = {"implicit-euler", "bdf2", "constant-jacobian", "thin-objects"};
    int grid = settings->quick ? 32 : 128, frames = settings->quick ? 2 : 5;
    double strain = 0;
    if (settings->json)
        fputs("[", stdout);
    else
        printf("denim, %d x %d, hung by two corners\n%-18s %8s %10s %11s %10s\n", grid, grid, "stepper", "substeps", "ms/frame",
               "iterations", "strain, %");
    for (int k = 0; k < 4; ++k) {
        hung h = hang(steppers[k], 1, 0, grid, frames);
        if (h.seconds < 0)
            return EXIT_FAILED;
        if (k < 2) /* what the others are compared with */
            strain = h.strain > strain ? h.strain : strain;
        tell(settings, steppers[k], 1, h, k == 0);
    }
    /* sweeps over a membrane hardly pass on what hangs from two corners: more substeps alone do not get there, the limit
       of stretch does */
    for (int limited = 0; limited < 2; ++limited)
        for (int substeps = 8; substeps <= (settings->quick ? 16 : limited ? 256 : 64); substeps *= 2) {
            hung h = hang("xpbd", substeps, limited ? strain : 0, grid, frames);
            if (h.seconds < 0)
                return EXIT_FAILED;
            tell(settings, limited ? "xpbd, limited" : "xpbd", substeps, h, false);
            if (h.strain <= 1.05 * strain)
                break;
        }
    if (settings->json)
        fputs("]", stdout);
    return EXIT_DONE;
}
