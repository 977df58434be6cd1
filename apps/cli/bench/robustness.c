/* `telar bench robustness [SCENE|fine]`: the stress scenes under the two steppers that approximate the implicit ones,
   with few substeps and self-collision: whether every frame is finite, and how many are rejected. In these steppers
   motion propagates by a few cells per substep, so finer cloth needs more of them, as in the scenes. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SUBSTEP_DIVISOR = 6 }; /* of the scene's substeps */
enum { QUICK_FRAMES = 2 };

typedef struct result {
    const char *stepper;
    int finite;      /* frames in which all positions and velocities are finite */
    int rejected;    /* frames, summed over cloths */
    int penetrating; /* penetrating particles, summed over frames */
    double speed;    /* m/s, largest of all frames */
    double strain;   /* largest in the last frame */
    int substeps;
} result;

static bool prepare(tl_cloth *cloth, void *user)
{
    result *r = user;
    r->substeps =
        tl_cloth_get_def(cloth)->substeps / SUBSTEP_DIVISOR + (tl_cloth_get_def(cloth)->substeps % SUBSTEP_DIVISOR > 0);
    const tl_value name = {TL_PARAM_NAME, {0}, r->stepper}, contact = {TL_PARAM_NAME, {0}, "self-collision"},
                   substeps = {TL_PARAM_INT, {r->substeps}, NULL};
    return tl_cloth_set(cloth, "stepper", &name) == TL_OK && tl_cloth_set(cloth, "contact", &contact) == TL_OK &&
           tl_cloth_set(cloth, "substeps", &substeps) == TL_OK;
}

static bool is_finite(const tl_vec3 *a, int count)
{
    double sum = 0; /* not finite if any term is not */
    for (int k = 0; k < count; ++k)
        sum += fabs((double)a[k].x) + fabs((double)a[k].y) + fabs((double)a[k].z);
    return isfinite(sum);
}

static void measure(tl_world *world, int frame, void *user)
{
    (void)frame;
    result *r = user;
    bool finite = true;
    r->rejected = 0;
    r->strain = 0;
    for (int k = 0; k < tl_world_cloth_count(world); ++k) {
        tl_cloth *cloth = tl_world_cloth(world, k);
        tl_cloth_stats stats = tl_cloth_get_stats(cloth);
        finite = finite && is_finite(tl_cloth_positions(cloth), stats.particles) &&
                 is_finite(tl_cloth_velocities(cloth), stats.particles);
        r->rejected += stats.rejected_frames;
        r->penetrating += tl_cloth_count_penetrating(cloth, NULL);
        r->strain = fmax(r->strain, (double)stats.largest_strain);
        r->speed = fmax(r->speed, (double)stats.largest_speed);
    }
    r->finite += finite;
}

static void print(const bench_settings *settings, bool first, const char *name, const bench_played *played,
                  const result *r)
{
    if (settings->json) {
        fputs(first ? "{\"scene\": " : ", {\"scene\": ", stdout);
        cli_json_text(name);
        printf(", \"stepper\": \"%s\", \"particles\": %d, \"substeps\": %d, \"frames\": %d, "
               "\"finite\": %d, "
               "\"rejected_frames\": %d, \"penetrating\": %d, \"speed\": %.3g, \"strain_at_end\": %.3g, \"median_ms\": "
               "%.4f, "
               "\"worst_ms\": %.4f}",
               r->stepper, played->particles, r->substeps, played->frames, r->finite, r->rejected, r->penetrating,
               r->speed, r->strain, 1e3 * played->median, 1e3 * played->worst);
    } else
        printf("%-24s %-18s %9d %8d %6d %6d %8d %7d %9.2f %10.2f %9.2f %9.2f\n", name, r->stepper, played->particles,
               r->substeps, played->frames, r->finite, r->rejected, r->penetrating, r->speed, r->strain,
               1e3 * played->median, 1e3 * played->worst);
    fflush(stdout);
}

static int run(const bench_settings *settings)
{
    static const char *const scenes[] = {"folding", "turning-ball", "reef-knot", "pinch", "twist", "funnel", "layers"};
    static const char *const steppers[] = {"constant-jacobian", "thin-objects"};
    const char *subject = settings->subject;
    bool fine = subject && strcmp(subject, "fine") == 0, one = subject && !fine;
    int count = one || settings->quick ? 1 : (int)(sizeof scenes / sizeof *scenes);
    if (settings->json)
        fputs("[", stdout);
    else
        printf("%-24s %-18s %9s %8s %6s %6s %8s %7s %9s %10s %9s %9s\n", "scene", "stepper", "particles", "substeps",
               "frames", "finite", "rejected", "penetr.", "most m/s", "end strain", "median ms", "worst ms");
    for (int k = 0; k < count; ++k)
        for (int s = 0; s < 2; ++s) {
            char name[128];
            snprintf(name, sizeof name, "stress/%s%s", scenes[k], fine ? "-fine" : "");
            const char *scene = one ? subject : name;
            result r = {.stepper = steppers[s]};
            bench_play play = {.scene = scene,
                               .frames = settings->quick ? QUICK_FRAMES : 0,
                               .prepare = prepare,
                               .measure = measure,
                               .user = &r};
            bench_played played;
            tl_error error = {0};
            if (!bench_scene(&play, &played, &error))
                return cli_fail(EXIT_USAGE, "%s: %s", scene, error.message);
            print(settings, k + s == 0, scene, &played, &r);
        }
    if (settings->json)
        fputs("]", stdout);
    return EXIT_DONE;
}

const bench_entry bench_robustness = {
    "robustness", "The stress scenes under constant-jacobian and thin-objects: finite and rejected frames.", run};
