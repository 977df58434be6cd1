/* `telar bench dressed solids`: a tube of cloth around a figure of 17 ellipsoids or capsules that sway and turn, as
   characters in games are made of, beside the same tube without contact. CPU time of one thread, frame by frame in
   turn. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 32, HEIGHT = 25, SOLIDS = 17, SUBSTEPS = 4, FRAMES = 300 };
#define RADIUS 0.2  /* m, of the tube */
#define LENGTH 0.75 /* m, of the tube */
#define PERIOD 1.5  /* s, of the sway */

/* One tube with its figure. */
typedef struct dressed {
    tl_world *world;
    tl_mesh *mesh;
    tl_body *solid[SOLIDS];
    double *seconds, contact; /* s, per frame; contact's part of all frames */
} dressed;

static tl_mesh *tube(tl_error *error)
{
    tl_vec3 at[AROUND * HEIGHT];
    int triangles[6 * AROUND * (HEIGHT - 1)], *next = triangles;
    for (int row = 0; row < HEIGHT; ++row)
        for (int k = 0; k < AROUND; ++k) {
            double angle = 2 * acos(-1) * k / AROUND;
            at[AROUND * row + k] = (tl_vec3){(tl_real)(RADIUS * cos(angle)), (tl_real)(LENGTH * row / (HEIGHT - 1)),
                                             (tl_real)(RADIUS * sin(angle))};
        }
    for (int row = 0; row + 1 < HEIGHT; ++row)
        for (int k = 0; k < AROUND; ++k) {
            int a = AROUND * row + k, b = AROUND * row + (k + 1) % AROUND;
            memcpy(next, (int[6]){a, a + AROUND, b, b, a + AROUND, b + AROUND}, 6 * sizeof *next);
            next += 6;
        }
    tl_mesh_def def = {.positions = at,
                       .vertex_count = AROUND * HEIGHT,
                       .triangles = triangles,
                       .triangle_count = 2 * AROUND * (HEIGHT - 1)};
    return tl_mesh_create(&def, NULL, error);
}

/* Where a solid is at a time: a column of discs from the hips to the shoulders, the last two a pair of arms. */
static tl_vec3 place_of(int k, double time, tl_quat *rotation)
{
    double phase = 2 * acos(-1) * time / PERIOD, height = 0.05 * k;
    double angle = 0.25 * sin(phase + 0.3 * k), sway = 0.03 * sin(phase) * height / LENGTH;
    *rotation = (tl_quat){(tl_real)sin(angle / 2), 0, 0, (tl_real)cos(angle / 2)};
    if (k >= SOLIDS - 2)
        return (tl_vec3){(tl_real)(k == SOLIDS - 1 ? 0.25 : -0.25), (tl_real)0.7, (tl_real)sway};
    return (tl_vec3){(tl_real)sway, (tl_real)height, (tl_real)(0.02 * sin(2 * phase + k))};
}

static bool build(dressed *d, const char *shape, const char *contact, int frames)
{
    tl_error error = {0};
    tl_world_def world_def = tl_world_def_default();
    *d = (dressed){.seconds = calloc((size_t)frames, sizeof *d->seconds), .mesh = tube(&error)};
    d->world = d->mesh && d->seconds ? tl_world_create(&world_def, &error) : NULL;
    bool made = d->world != NULL;
    for (int k = 0; k < SOLIDS && made; ++k) {
        tl_body_def body = tl_body_def_default();
        tl_quat rotation;
        bool arm = k >= SOLIDS - 2;
        body.shape = shape;
        body.position = place_of(k, 0, &rotation);
        body.size = strcmp(shape, "capsule") == 0
                        ? (tl_vec3){(tl_real)(arm ? 0.04 : 0.17), (tl_real)0.05, 0}
                        : (tl_vec3){(tl_real)(arm ? 0.12 : 0.18), (tl_real)0.06, (tl_real)(arm ? 0.05 : 0.15)};
        made = (d->solid[k] = tl_body_create(d->world, &body)) != NULL;
    }
    /* the top hangs on the shoulders */
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "region";
    pin.low = (tl_vec3){-1, (tl_real)(LENGTH - 0.01), -1};
    pin.high = (tl_vec3){1, (tl_real)(LENGTH + 0.01), 1};
    pin.body = SOLIDS - 3;
    tl_cloth_def def = tl_cloth_def_default();
    def.pins = &pin;
    def.pin_count = 1;
    def.mesh = d->mesh;
    def.stepper = "xpbd";
    def.substeps = SUBSTEPS;
    def.contact = contact;
    made = made && tl_cloth_create(d->world, &def);
    if (!made)
        cli_fail(EXIT_FAILED, "%s", d->world ? tl_last_error(d->world) : error.message);
    return made;
}

static void destroy(dressed *d)
{
    tl_world_destroy(d->world);
    tl_mesh_destroy(d->mesh);
    free(d->seconds);
}

static void step(dressed *d, int frame)
{
    const double dt = 1.0 / 60;
    for (int k = 0; k < SOLIDS; ++k) {
        tl_quat rotation;
        tl_vec3 position = place_of(k, (frame + 1) * dt, &rotation);
        tl_body_move(d->solid[k], position, rotation);
    }
    double start = bench_processor_seconds();
    tl_world_step(d->world, (tl_real)dt);
    d->seconds[frame] = bench_processor_seconds() - start;
    d->contact += tl_cloth_get_stats(tl_world_cloth(d->world, 0)).seconds_contact;
}

static void print_row(const bench_settings *settings, const char *what, dressed *d, int frames, bool first)
{
    bench_sort(d->seconds, frames);
    double median = 1e3 * d->seconds[frames / 2], high = 1e3 * d->seconds[frames * 99 / 100],
           worst = 1e3 * d->seconds[frames - 1], contact = 1e3 * d->contact / frames;
    if (settings->json)
        printf("%s{\"case\": \"%s\", \"particles\": %d, \"solids\": %d, \"median_ms\": %.4f, \"p99_ms\": %.4f, "
               "\"worst_ms\": %.4f, \"contact_ms\": %.4f}",
               first ? "" : ", ", what, AROUND * HEIGHT, SOLIDS, median, high, worst, contact);
    else
        printf("%-20s %10d %8d %10.3f %10.3f %10.3f %11.3f\n", what, AROUND * HEIGHT, SOLIDS, median, high, worst,
               contact);
    fflush(stdout);
}

static int run_shape(const bench_settings *settings, const char *shape, bool first)
{
    dressed with, without;
    int frames = settings->quick ? 10 : FRAMES;
    bool made = build(&with, shape, "bodies-only", frames);
    made = build(&without, shape, "none", frames) && made;
    for (int f = 0; f < frames && made; ++f) {
        step(&without, f);
        step(&with, f);
    }
    if (made) {
        char what[32];
        print_row(settings, shape, &with, frames, first);
        snprintf(what, sizeof what, "%s, no contact", shape);
        print_row(settings, what, &without, frames, false);
    }
    destroy(&with);
    destroy(&without);
    return made ? EXIT_DONE : EXIT_FAILED;
}

static int run(const bench_settings *settings)
{
    if (settings->subject && strcmp(settings->subject, "tube") == 0)
        return bench_dressed_tube(settings);
    if (settings->subject && strcmp(settings->subject, "solids") != 0)
        return cli_fail(EXIT_USAGE, "bench dressed: '%s' is neither solids nor tube", settings->subject);
    if (settings->json)
        fputs("[", stdout);
    else
        printf("%-20s %10s %8s %10s %10s %10s %11s\n", "case", "particles", "solids", "median ms", "p99 ms", "worst ms",
               "contact ms");
    int code = run_shape(settings, "ellipsoid", true);
    if (code == EXIT_DONE)
        code = run_shape(settings, "capsule", false);
    if (settings->json)
        fputs("]", stdout);
    return code;
}

const bench_entry bench_dressed = {
    "dressed", "A tube of cloth on a moving figure of 17 ellipsoids or capsules (solids) or of triangles (tube).", run};
