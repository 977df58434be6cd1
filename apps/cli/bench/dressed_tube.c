/* `telar bench dressed tube`: a tube of cloth hung around a figure of triangles that walks and bends, under several
   contact methods, beside the same tube without contact. CPU time of one thread, frame by frame in turn. */
#include "cli/bench/bench.h"
#include "cli/bench/figure.h"
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 60, HEIGHT = 30, SUBSTEPS = 10, FRAMES = 180, CASES = 4 };
#define RADIUS 0.19      /* m, of the tube */
#define TOP 1.2          /* m, of the tube */
#define LENGTH 0.62      /* m, of the tube */
#define BODY_EDGE 0.0295 /* m, of the figure: about 6 000 triangles */

typedef struct dressed_tube {
    const char *contact;
    tl_world *world;
    tl_mesh *mesh, *body_mesh;
    tl_body *body;
    figure figure;
    double *seconds, contact_seconds; /* s, per frame; contact's part of all frames */
    int crossings, penetrating;       /* largest of a frame */
} dressed_tube;

static tl_mesh *tube(tl_error *error)
{
    tl_vec3 *at = calloc(AROUND * HEIGHT, sizeof *at);
    int *triangles = calloc(6 * AROUND * (HEIGHT - 1), sizeof *triangles), *next = triangles;
    for (int row = 0; row < HEIGHT && at && triangles; ++row)
        for (int k = 0; k < AROUND; ++k) {
            double angle = 2 * acos(-1) * k / AROUND;
            at[AROUND * row + k] =
                (tl_vec3){(tl_real)(RADIUS * cos(angle)), (tl_real)(TOP - LENGTH * row / (HEIGHT - 1)),
                          (tl_real)(RADIUS * sin(angle))};
            int a = AROUND * row + k, b = AROUND * row + (k + 1) % AROUND;
            if (row + 1 < HEIGHT)
                memcpy(next + 6 * a, (int[6]){a, b, a + AROUND, b, b + AROUND, a + AROUND}, 6 * sizeof *next);
        }
    tl_mesh_def def = {.positions = at,
                       .vertex_count = AROUND * HEIGHT,
                       .triangles = triangles,
                       .triangle_count = 2 * AROUND * (HEIGHT - 1)};
    tl_mesh *mesh = at && triangles ? tl_mesh_create(&def, NULL, error) : NULL;
    free(at);
    free(triangles);
    return mesh;
}

static tl_mesh *figure_mesh(const figure *f, tl_error *error)
{
    tl_mesh_def def = {.positions = f->rest,
                       .vertex_count = f->vertex_count,
                       .triangles = f->triangles,
                       .triangle_count = f->triangle_count};
    return tl_mesh_create(&def, NULL, error);
}

static bool build(dressed_tube *d, const char *contact, int frames)
{
    tl_error error = {0};
    tl_world_def world_def = tl_world_def_default();
    *d = (dressed_tube){.contact = contact, .seconds = calloc((size_t)frames, sizeof *d->seconds)};
    bool made = d->seconds && figure_create(&d->figure, BODY_EDGE) && (d->mesh = tube(&error)) &&
                (d->body_mesh = figure_mesh(&d->figure, &error)) && (d->world = tl_world_create(&world_def, &error));
    if (made) {
        tl_body_def body = tl_body_def_default();
        body.shape = "mesh";
        body.mesh = d->body_mesh;
        made = (d->body = tl_body_create(d->world, &body)) != NULL;
    }
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "region";
    pin.low = (tl_vec3){-1, (tl_real)(TOP - 0.001), -1};
    pin.high = (tl_vec3){1, (tl_real)(TOP + 0.001), 1};
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

static void destroy(dressed_tube *d)
{
    tl_world_destroy(d->world);
    tl_mesh_destroy(d->mesh);
    tl_mesh_destroy(d->body_mesh);
    figure_destroy(&d->figure);
    free(d->seconds);
}

static void step(dressed_tube *d, int frame)
{
    const double dt = 1.0 / 60;
    figure_pose(&d->figure, (frame + 1) * dt);
    tl_body_move_vertices(d->body, d->figure.at);
    double start = bench_processor_seconds();
    tl_world_step(d->world, (tl_real)dt);
    d->seconds[frame] = bench_processor_seconds() - start;
    tl_cloth *cloth = tl_world_cloth(d->world, 0);
    d->contact_seconds += tl_cloth_get_stats(cloth).seconds_contact;
    int crossings = tl_world_count_intersections(d->world);
    d->crossings = crossings > d->crossings ? crossings : d->crossings;
    int penetrating = strcmp(d->contact, "none") != 0 ? tl_cloth_count_penetrating(cloth, NULL) : 0;
    d->penetrating = penetrating > d->penetrating ? penetrating : d->penetrating;
}

static void print_row(const bench_settings *settings, dressed_tube *d, int frames, bool first)
{
    bench_sort(d->seconds, frames);
    double median = 1e3 * d->seconds[frames / 2], high = 1e3 * d->seconds[frames * 99 / 100],
           worst = 1e3 * d->seconds[frames - 1], contact = 1e3 * d->contact_seconds / frames;
    if (settings->json)
        printf("%s{\"case\": \"tube, %s\", \"particles\": %d, \"triangles\": %d, \"median_ms\": %.4f, "
               "\"p99_ms\": %.4f, \"worst_ms\": %.4f, \"contact_ms\": %.4f, \"crossings\": %d, \"penetrating\": %d}",
               first ? "" : ", ", d->contact, AROUND * HEIGHT, d->figure.triangle_count, median, high, worst, contact,
               d->crossings, d->penetrating);
    else
        printf("%-20s %10d %10d %10.3f %10.3f %10.3f %11.3f %9d %7d\n", d->contact, AROUND * HEIGHT,
               d->figure.triangle_count, median, high, worst, contact, d->crossings, d->penetrating);
    fflush(stdout);
}

int bench_dressed_tube(const bench_settings *settings)
{
    static const char *const contacts[CASES] = {"none", "bodies-only", "self-collision", "penetration-free"};
    dressed_tube tubes[CASES];
    int frames = settings->quick ? 5 : FRAMES;
    bool made = true;
    for (int k = 0; k < CASES; ++k)
        made = build(&tubes[k], contacts[k], frames) && made;
    for (int f = 0; f < frames && made; ++f)
        for (int k = 0; k < CASES; ++k)
            step(&tubes[k], f);
    if (settings->json)
        fputs("[", stdout);
    else
        printf("%-20s %10s %10s %10s %10s %10s %11s %9s %7s\n", "contact", "particles", "triangles", "median ms",
               "p99 ms", "worst ms", "contact ms", "crossings", "penetr.");
    for (int k = 0; k < CASES && made; ++k)
        print_row(settings, &tubes[k], frames, k == 0);
    if (settings->json)
        fputs("]", stdout);
    for (int k = 0; k < CASES; ++k)
        destroy(&tubes[k]);
    return made ? EXIT_DONE : EXIT_FAILED;
}
