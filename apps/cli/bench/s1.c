/* `telar bench steppers s1`: one step of S1's box, 22 × 22 particles with gas, under every stepper, with SIMD kernels
   and with the scalar path of the same arithmetic. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <string.h>

enum { STEPS = 40 };
#define PUBLISHED 4473.4 /* µs, integration of one frame, one RK4 step, on S1's i7-9750H (table 4.5) */
#define OPTIMISED 470.0  /* µs, S1's published code compiled with full optimisation on the development machine */
#define ALLOWED 30.0     /* µs, limit for one RK4 step here */

static void step(void *user) { tl_world_step(user, (tl_real)(STEPS * 0.0025)); }

/* Seconds per step, negative if the scene does not run. Without contact, which is not part of an integration step. */
static double seconds_per_step(const char *stepper, const char *lanes, double budget)
{
    tl_error error;
    tl_scene *scene = tl_scene_load("s1/box", &error);
    double best = -1;
    bool rebuild;
    char substeps[16];
    snprintf(substeps, sizeof substeps, "%d", STEPS);
    const char *settings[][2] = {{"cloth[0].stepper", stepper}, {"cloth[0].substeps", substeps},
                                 {"cloth[0].contact", "none"},  {"cloth[0].link.structural.damping", "1"},
                                 {"body[0].kinematic", "true"}, {"world.simd", lanes}};
    for (size_t k = 0; k < sizeof settings / sizeof *settings && scene; ++k)
        if (tl_scene_set(scene, settings[k][0], settings[k][1], &rebuild, &error) != TL_OK) {
            tl_scene_destroy(scene);
            scene = NULL;
        }
    tl_world *world = scene ? tl_scene_build(scene, &error) : NULL;
    if (world)
        best = bench_best(step, world, budget) / STEPS;
    else
        cli_fail(EXIT_FAILED, "%s", error.message);
    tl_scene_destroy(scene);
    return best;
}

int bench_s1_steps(const bench_settings *settings)
{
    double budget = settings->quick ? 0.1 : 1.0;
    if (!settings->json)
        printf("S1's box, 22 x 22 particles with gas, one core, microseconds per step\n%-22s %9s %9s %7s\n", "stepper",
               "vectors", "scalar", "ratio");
    else
        fputs("[", stdout);
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        const char *stepper = tl_stepper_names()[s];
        double fast = seconds_per_step(stepper, "auto", budget), scalar = seconds_per_step(stepper, "scalar", budget);
        if (fast < 0 || scalar < 0)
            return EXIT_FAILED;
        if (settings->json)
            printf("%s{\"scene\": \"s1/box\", \"stepper\": \"%s\", \"vectors_us\": %.2f, \"scalar_us\": %.2f, "
                   "\"ratio\": %.2f}",
                   s ? ", " : "", stepper, 1e6 * fast, 1e6 * scalar, scalar / fast);
        else
            printf("%-22s %9.2f %9.2f %7.2f%s\n", stepper, 1e6 * fast, 1e6 * scalar, scalar / fast,
                   strcmp(stepper, "rk4") != 0 ? ""
                   : 1e6 * fast <= ALLOWED     ? "  within 30"
                                               : "  more than 30");
    }
    if (settings->json)
        fputs("]", stdout);
    else
        printf("published: rk4 %.0f on S1's machine; its code, fully optimised, %.0f on the development machine\n",
               PUBLISHED, OPTIMISED);
    return EXIT_DONE;
}
