/* `telar bench implicit-denim [SCENE]`: the scenes of scenes/implicit for 3 000 frames with one step per frame, under
   implicit Euler and BDF2, at 60 and 30 Hz, with the fabric's stiffness and ten times that: largest strain of warp and
   weft against their limits, whether the cloth comes to rest or jitters, and the cost. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

enum { FRAMES = 3000, QUICK_FRAMES = 2, SCENES = 2, KINDS = 8 };
enum { PENETRATION_INTERVAL = 10 }; /* frames; counting costs as much as a step of cloth at rest */

typedef struct kind {
    const char *stepper;
    double fps, stiffer;
} kind;

static const char *const scenes[SCENES] = {"implicit/denim-ball", "implicit/denim-bunny"};
static const kind kinds[KINDS] = {
    {"implicit-euler", 60, 1}, {"implicit-euler", 60, 10}, {"implicit-euler", 30, 1}, {"implicit-euler", 30, 10},
    {"bdf2", 60, 1},           {"bdf2", 60, 10},           {"bdf2", 30, 1},           {"bdf2", 30, 10}};

typedef struct result {
    double stretch[2];         /* largest of all frames, warp and weft */
    double beyond;             /* largest excess over the strain limit */
    double peak, rest;         /* J: largest kinetic energy, and in the last third */
    double speed;              /* m/s, of the fastest particle in the last third */
    double jitter;             /* m, largest displacement that the next frame reversed, in the last third */
    int rejected, penetrating; /* frames; penetrating particles, summed over every tenth frame */
    long iterations;           /* total */
} result;

static bool set(tl_cloth *cloth, const char *path, tl_value value)
{
    return tl_cloth_set(cloth, path, &value) == TL_OK;
}

/* Positions in the last frame and displacements since the one before. */
typedef struct motion {
    tl_vec3 *position, *displacement;
} motion;

/* One run. */
typedef struct drape {
    const kind *kind;
    int frames;
    motion motion;
    result result;
} drape;

static bool prepare(tl_cloth *cloth, void *user)
{
    drape *run = user;
    const kind *k = run->kind;
    size_t particles = (size_t)tl_cloth_get_stats(cloth).particles;
    free(run->motion.position);
    free(run->motion.displacement);
    run->motion =
        (motion){calloc(particles, sizeof *run->motion.position), calloc(particles, sizeof *run->motion.displacement)};
    const tl_elements_def *elements = &tl_cloth_get_def(cloth)->elements;
    double warp = k->stiffer * (double)elements->membrane_warp.stiffness,
           weft = k->stiffer * (double)elements->membrane_weft.stiffness;
    return run->motion.position && run->motion.displacement &&
           set(cloth, "stepper", (tl_value){TL_PARAM_NAME, {0}, k->stepper}) &&
           set(cloth, "membrane.warp.stiffness", (tl_value){TL_PARAM_REAL, {warp}, NULL}) &&
           set(cloth, "membrane.weft.stiffness", (tl_value){TL_PARAM_REAL, {weft}, NULL});
}

/* Largest strain of an edge along warp (0) or weft (1). */
static double stretch(tl_cloth *cloth, int direction)
{
    const tl_cloth_def *def = tl_cloth_get_def(cloth);
    const tl_vec3 *x = tl_cloth_positions(cloth);
    int columns = def->columns, count = columns * def->rows, apart = direction == 0 ? 1 : columns;
    double rest = direction == 0 ? (double)def->width / (columns - 1) : (double)def->height / (def->rows - 1), most = 0;
    for (int k = 0; k + apart < count; ++k) {
        if (direction == 0 && k % columns == columns - 1)
            continue;
        double dx = (double)(x[k + apart].x - x[k].x), dy = (double)(x[k + apart].y - x[k].y),
               dz = (double)(x[k + apart].z - x[k].z);
        most = fmax(most, dx * dx + dy * dy + dz * dz);
    }
    return sqrt(most) / rest - 1;
}

/* Largest displacement against that of the last frame; steady sliding, however fast, is no jitter. */
static double jitter_of(tl_cloth *cloth, motion *m)
{
    const tl_vec3 *x = tl_cloth_positions(cloth);
    double most = 0;
    int particles = tl_cloth_get_stats(cloth).particles;
    for (int i = 0; i < particles; ++i) {
        tl_vec3 a = m->displacement[i],
                b = {x[i].x - m->position[i].x, x[i].y - m->position[i].y, x[i].z - m->position[i].z};
        double back = -((double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z);
        double longer = fmax((double)(a.x * a.x + a.y * a.y + a.z * a.z), (double)(b.x * b.x + b.y * b.y + b.z * b.z));
        most = back > 0 ? fmax(most, back / sqrt(longer)) : most;
        m->displacement[i] = b;
        m->position[i] = x[i];
    }
    return most;
}

static void measure(tl_world *world, int frame, void *user)
{
    drape *run = user;
    result *r = &run->result;
    tl_cloth *cloth = tl_world_cloth(world, 0);
    bool late = 3 * frame >= 2 * run->frames;
    const tl_cloth_def *def = tl_cloth_get_def(cloth);
    tl_cloth_stats stats = tl_cloth_get_stats(cloth);
    double kinetic = tl_cloth_energies(cloth).kinetic;
    for (int d = 0; d < 2; ++d) {
        double now = stretch(cloth, d);
        r->stretch[d] = fmax(r->stretch[d], now);
        r->beyond = fmax(r->beyond, now - (double)(d == 0 ? def->strain_limit_warp : def->strain_limit_weft));
    }
    r->peak = fmax(r->peak, kinetic);
    r->rest = late ? fmax(r->rest, kinetic) : 0;
    r->speed = late ? fmax(r->speed, (double)stats.largest_speed) : 0;
    double back = jitter_of(cloth, &run->motion);
    r->jitter = late ? fmax(r->jitter, back) : 0;
    r->iterations += stats.solver_iterations;
    r->rejected = stats.rejected_frames;
    r->penetrating += frame % PENETRATION_INTERVAL == 0 ? tl_cloth_count_penetrating(cloth, NULL) : 0;
}

static void print(const bench_settings *settings, bool first, const char *scene, const bench_played *played,
                  const drape *run)
{
    const kind *k = run->kind;
    const result *r = &run->result;
    int frames = played->frames;
    double iterations = (double)r->iterations / frames, seconds = played->total / frames;
    if (settings->json) {
        fputs(first ? "{\"scene\": " : ", {\"scene\": ", stdout);
        cli_json_text(scene);
        printf(", \"stepper\": \"%s\", \"fps\": %g, \"stiffer\": %g, \"frames\": %d, \"warp\": %.5f, "
               "\"weft\": %.5f, \"beyond_limit\": %.5f, \"rest_over_peak\": %.3g, \"rest_speed\": %.3g, \"jitter_mm\": "
               "%.4f, \"rejected_frames\": %d, "
               "\"penetrating\": %d, \"iterations\": %.1f, \"ms\": %.3f}",
               k->stepper, k->fps, k->stiffer, frames, r->stretch[0], r->stretch[1], r->beyond, r->rest / r->peak,
               r->speed, 1e3 * r->jitter, r->rejected, r->penetrating, iterations, 1e3 * seconds);
    } else
        printf("%-20s %-14s %3g Hz %3g x %6d %7.2f %7.2f %8.2f %9.1e %9.1e %9.3f %8d %7d %10.1f %9.1f\n", scene,
               k->stepper, k->fps, k->stiffer, frames, 100 * r->stretch[0], 100 * r->stretch[1], 100 * r->beyond,
               r->rest / r->peak, r->speed, 1e3 * r->jitter, r->rejected, r->penetrating, iterations, 1e3 * seconds);
    fflush(stdout);
}

static int run(const bench_settings *settings)
{
    int frames = settings->quick ? QUICK_FRAMES : FRAMES, count = settings->subject || settings->quick ? 1 : SCENES;
    if (settings->json)
        fputs("[", stdout);
    else
        printf("%-20s %-14s %6s %5s %6s %7s %7s %8s %9s %9s %9s %8s %7s %10s %9s\n", "scene", "stepper", "", "",
               "frames", "warp, %", "weft, %", "over, %", "rest/peak", "rest m/s", "jitter mm", "rejected", "penetr.",
               "iterations", "ms/frame");
    for (int s = 0; s < count; ++s)
        for (int k = 0; k < KINDS; k += settings->quick ? 5 : 1) {
            const char *scene = settings->subject ? settings->subject : scenes[s];
            drape run = {.kind = &kinds[k], .frames = frames, .result = {.beyond = -1}};
            bench_play play = {.scene = scene,
                               .fps = kinds[k].fps,
                               .frames = frames,
                               .longer = true,
                               .prepare = prepare,
                               .measure = measure,
                               .user = &run};
            bench_played played;
            tl_error error = {0};
            bool done = bench_scene(&play, &played, &error);
            free(run.motion.position);
            free(run.motion.displacement);
            if (!done)
                return cli_fail(EXIT_USAGE, "%s: %s", scene, error.message);
            print(settings, s + k == 0, scene, &played, &run);
        }
    if (settings->json)
        fputs("]", stdout);
    return EXIT_DONE;
}

const bench_entry bench_implicit_denim = {
    "implicit-denim", "Measured denim over bodies, one implicit step per frame: stretch, rest, cost.", run};
