/* `telar bench steppers`: particle updates per second of S2's 20-neighbour model and the other materials on a 128 × 128
   grid under every stepper, with SIMD kernels and with the scalar path of the same arithmetic. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <string.h>

enum { GRID = 128, QUICK_GRID = 32, SUBSTEPS = 10 };

typedef struct bench_case {
    tl_world *world;
    tl_real dt;
} bench_case;

static void step(void *user)
{
    bench_case *c = user;
    tl_world_step(c->world, c->dt);
}

/* Seconds per substep and particle, negative if the world cannot be created. */
static double seconds_per_update(const char *material, const char *stepper, const char *lanes, bool air, bool quick)
{
    int grid = quick ? QUICK_GRID : GRID;
    tl_world_def world_def = tl_world_def_default();
    world_def.simd = lanes;
    tl_error error;
    tl_world *world = tl_world_create(&world_def, &error);
    tl_cloth_def def = tl_cloth_def_grid(grid, grid, 10, 10);
    tl_value value = {TL_PARAM_NAME, {0}, material};
    tl_cloth *cloth = NULL;
    def.particle_mass = 1; /* as S2: unit masses */
    def.stepper = stepper;
    def.substeps = SUBSTEPS;
    def.air = air ? "particle" : "off";
    def.plane = "vertical";
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = 2;
    if (world)
        cloth = tl_cloth_create(world, &def);
    if (!cloth || tl_cloth_set(cloth, "material", &value) != TL_OK) {
        cli_fail(EXIT_FAILED, "%s", world ? tl_last_error(world) : error.message);
        tl_world_destroy(world);
        return -1;
    }
    bench_case c = {world, 1.0f / 60};
    double seconds = bench_best(step, &c, quick ? 0.02 : 1.0);
    tl_world_destroy(world);
    return seconds / (SUBSTEPS * (double)grid * grid);
}

static int run_hung(const bench_settings *settings)
{
    if (settings->json)
        fputs("[", stdout);
    bool done = bench_hung_denim(settings);
    if (settings->json)
        fputs("]", stdout);
    return done ? EXIT_DONE : EXIT_FAILED;
}

static int run(const bench_settings *settings)
{
    static const char *const materials[] = {"springs20", "springs", "continuum"};
    if (settings->subject && strcmp(settings->subject, "s1") == 0)
        return bench_s1_steps(settings);
    if (settings->subject && strcmp(settings->subject, "implicit") == 0)
        return bench_implicit_steps(settings);
    if (settings->subject && strcmp(settings->subject, "hung") == 0)
        return run_hung(settings);
    int grid = settings->quick ? QUICK_GRID : GRID;
    if (!settings->json)
        printf("%d x %d particles, one core, million particle updates per second\n%-12s %-22s %9s %9s %7s\n", grid,
               grid, "material", "stepper", "vectors", "scalar", "ratio");
    else
        fputs("[", stdout);
    bool first = true;
    for (size_t m = 0; m < sizeof materials / sizeof *materials; ++m)
        for (int s = 0; tl_stepper_names()[s]; ++s)
            for (int air = 0; air < (m == 0 ? 2 : 1); ++air) {
                const char *stepper = tl_stepper_names()[s];
                double fast = seconds_per_update(materials[m], stepper, "auto", air != 0, settings->quick);
                double scalar = seconds_per_update(materials[m], stepper, "scalar", air != 0, settings->quick);
                if (fast < 0 || scalar < 0)
                    return EXIT_FAILED;
                if (settings->json)
                    printf("%s{\"material\": \"%s\", \"stepper\": \"%s\", \"air\": %s, \"vectors\": %.2f, \"scalar\": "
                           "%.2f, \"ratio\": %.2f}",
                           first ? "" : ", ", materials[m], stepper, air ? "true" : "false", 1e-6 / fast, 1e-6 / scalar,
                           scalar / fast);
                else
                    printf("%-12s %-22s %9.1f %9.1f %7.2f%s\n", materials[m], stepper, 1e-6 / fast, 1e-6 / scalar,
                           scalar / fast, air ? "  with air" : "");
                first = false;
            }
    if (!settings->json)
        return bench_implicit_steps(settings);
    fputs("]", stdout);
    return EXIT_DONE;
}

const bench_entry bench_steppers = {
    "steppers",
    "Every stepper with every material, SIMD against scalar; s1: one step of its box; "
    "implicit: only those, compared with xpbd at equal stretch; hung: only the default, beside "
    "others, by iterations, frames and sag.",
    run};
