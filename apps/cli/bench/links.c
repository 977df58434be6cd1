/* `telar bench links`: link solves per second of the position-based sweep, in runs (a grid), gathered (the same sheet as
   triangles in no order) and plain (one link at a time). */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { GRID = 128, SWEEPS = 20 };

/* The sheet as a triangle mesh with its vertices shuffled. NULL after a message. */
static tl_mesh *shuffled_mesh(void)
{
    tl_error error;
    tl_mesh *grid = tl_mesh_create_grid(&(tl_grid_def){GRID, GRID, 2, 2, false}, NULL, &error), *mesh = NULL;
    int count = GRID * GRID, triangles = grid ? tl_mesh_triangle_count(grid) : 0;
    int *place = malloc((size_t)count * sizeof *place), *corners = malloc(3 * (size_t)triangles * sizeof *corners);
    tl_vec3 *positions = malloc((size_t)count * sizeof *positions);
    if (grid && place && corners && positions) {
        for (int v = 0; v < count; ++v)
            place[v] = v;
        uint32_t state = 12345;
        for (int v = count - 1; v > 0; --v) {
            state = state * 1664525u + 1013904223u;
            int other = (int)(state >> 8) % (v + 1), kept = place[v];
            place[v] = place[other];
            place[other] = kept;
        }
        for (int v = 0; v < count; ++v)
            positions[place[v]] = tl_mesh_vertices(grid)[v];
        for (int k = 0; k < 3 * triangles; ++k)
            corners[k] = place[tl_mesh_triangles(grid)[k]];
        tl_mesh_def def = {.positions = positions, .vertex_count = count, .triangles = corners, .triangle_count = triangles};
        mesh = tl_mesh_create(&def, NULL, &error);
    }
    free(place);
    free(corners);
    free(positions);
    tl_mesh_destroy(grid);
    if (!mesh)
        cli_fail(EXIT_FAILED, "the shuffled sheet could not be made");
    return mesh;
}

/* Million link solves per second: best of the rounds within the budget. Negative after a message. */
static double solves(const tl_mesh *mesh, const char *lanes, double budget)
{
    tl_world_def world_def = tl_world_def_default();
    tl_cloth_def def = tl_cloth_def_grid(GRID, GRID, 2, 2);
    tl_error error;
    world_def.lanes = lanes;
    tl_world *world = tl_world_create(&world_def, &error);
    def.mesh = mesh;
    def.stepper = "projection"; /* exact lengths: one square root and one division a link */
    def.substeps = 1;
    def.iterations = SWEEPS;
    def.attach = def.coarse = false;
    def.repeats = 0;
    def.air = "off";
    def.contact = "off";
    tl_cloth *cloth = world ? tl_cloth_create(world, &def) : NULL;
    if (!cloth) {
        cli_fail(EXIT_FAILED, "%s", world ? tl_last_error(world) : error.message);
        tl_world_destroy(world);
        return -1;
    }
    int links = tl_cloth_get_stats(cloth).links;
    double best = 1e30, end = cli_seconds() + budget;
    while (cli_seconds() < end) {
        tl_world_step(world, (tl_real)(1.0 / 60));
        double step = tl_cloth_get_stats(cloth).seconds_step;
        best = step < best ? step : best;
    }
    tl_world_destroy(world);
    return 1e-6 * links * SWEEPS / best;
}

static int run(const bench_settings *settings)
{
    double budget = settings->quick ? 0.1 : 2.0;
    tl_mesh *mesh = shuffled_mesh();
    if (!mesh)
        return EXIT_FAILED;
    const struct {
        const char *name, *lanes;
        const tl_mesh *mesh;
    } cases[] = {{"runs", "auto", NULL}, {"runs, 4 lanes", "sse", NULL}, {"plain grid", "plain", NULL}, {"gathered", "auto", mesh}, {"plain mesh", "plain", mesh}};
    double rate[5];
    for (int k = 0; k < 5; ++k)
        if ((rate[k] = solves(cases[k].mesh, cases[k].lanes, budget)) < 0) {
            tl_mesh_destroy(mesh);
            return EXIT_FAILED;
        }
    tl_mesh_destroy(mesh);
    if (settings->json) {
        printf("{\"runs\": %.1f, \"runs_sse\": %.1f, \"runs_plain\": %.1f, \"gathered\": %.1f, \"gathered_plain\": %.1f, "
               "\"runs_ratio\": %.2f, \"gathered_ratio\": %.2f}",
               rate[0], rate[1], rate[2], rate[3], rate[4], rate[0] / rate[2], rate[3] / rate[4]);
        return EXIT_DONE;
    }
    printf("%d x %d particles, structural, shear and bend links, one core\n%-14s %14s %10s %8s\n", GRID, GRID, "storage", "million/s", "ns/link", "ratio");
    for (int k = 0; k < 5; ++k)
        printf("%-14s %14.0f %10.2f %8.2f\n", cases[k].name, rate[k], 1e3 / rate[k], rate[k] / rate[k < 3 ? 2 : 4]);
    return EXIT_DONE;
}

const bench_entry bench_links = {"links", "link solves per second: runs, gathered, plain", run};
