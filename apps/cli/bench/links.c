/* `telar bench links`: link solves per second of the position-based sweep, in runs (a grid), gathered (the same sheet
   as a shuffled triangle mesh) and scalar (one link at a time). */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { GRID = 128, SWEEPS = 20 };

/* A permutation of 0 … count-1. */
static void shuffle(int *index, int count)
{
    uint32_t state = 12345;
    for (int v = 0; v < count; ++v)
        index[v] = v;
    for (int v = count - 1; v > 0; --v) {
        state = state * 1664525u + 1013904223u;
        int other = (int)(state >> 8) % (v + 1), swapped = index[v];
        index[v] = index[other];
        index[other] = swapped;
    }
}

/* The sheet as a triangle mesh with shuffled vertices, moved by up to `jitter` cells. NULL after a message. */
static tl_mesh *shuffled_mesh(double jitter)
{
    tl_error error;
    tl_mesh *grid = tl_mesh_create_grid(&(tl_grid_def){GRID, GRID, 2, 2, jitter > 0}, NULL, &error), *mesh = NULL;
    int count = GRID * GRID, triangles = grid ? tl_mesh_triangle_count(grid) : 0;
    int *index = malloc((size_t)count * sizeof *index), *corners = malloc(3 * (size_t)triangles * sizeof *corners);
    tl_vec3 *positions = malloc((size_t)count * sizeof *positions);
    if (grid && index && corners && positions) {
        shuffle(index, count);
        for (int v = 0; v < count; ++v) {
            tl_vec3 x = tl_mesh_vertices(grid)[v];
            x.x += (tl_real)(jitter * 2 / GRID * ((index[v] * 7919 % 1000) / 500.0 - 1));
            x.y += (tl_real)(jitter * 2 / GRID * ((index[v] * 6101 % 1000) / 500.0 - 1));
            positions[index[v]] = x;
        }
        for (int k = 0; k < 3 * triangles; ++k)
            corners[k] = index[tl_mesh_triangles(grid)[k]];
        tl_mesh_def def = {
            .positions = positions, .vertex_count = count, .triangles = corners, .triangle_count = triangles};
        mesh = tl_mesh_create(&def, NULL, &error);
    }
    free(index);
    free(corners);
    free(positions);
    tl_mesh_destroy(grid);
    if (!mesh)
        cli_fail(EXIT_FAILED, "the shuffled sheet could not be created");
    return mesh;
}

/* Additions, multiplications, divisions and roots of one constraint in the kernels. */
enum { WORK_LINK = 29, WORK_STRETCH = 84, WORK_SHEAR = 110, WORK_BEND = 206 };

/* Link-equivalents of a sweep: a constraint counts as its arithmetic over that of a link. Links of all families; with
   `all` also stretch (two constraints) and shear of every face, and bend of every inner edge. */
static double equivalents(tl_cloth *cloth, bool all)
{
    tl_cloth_stats stats = tl_cloth_get_stats(cloth);
    double inner = 3 * stats.faces - stats.edges; /* each face has three edges, inner ones are shared by two */
    double others = (2 * WORK_STRETCH + WORK_SHEAR) * (double)stats.faces + WORK_BEND * inner;
    return stats.links + (all ? others / WORK_LINK : 0);
}

/* Million link solves (or equivalents) per second: best of the rounds within the budget. Negative after a message. */
static double solves(const tl_mesh *mesh, const char *lanes, bool all, double budget)
{
    tl_world_def world_def = tl_world_def_default();
    tl_cloth_def def = tl_cloth_def_grid(GRID, GRID, 2, 2);
    tl_error error;
    world_def.simd = lanes;
    world_def.threads = 1;
    tl_world *world = tl_world_create(&world_def, &error);
    def.mesh = mesh;
    def.stepper = "projection"; /* exact lengths: one square root and one division per link */
    def.substeps = 1;
    def.iterations = SWEEPS;
    def.tether = def.multilevel = false;
    def.extra_sweeps = 0;
    if (all) {
        def.material = "custom";
        def.elements.continuum_stretch.on = def.elements.continuum_shear.on = def.elements.continuum_bend.on = true;
    }
    def.air = "off";
    def.contact = "none";
    tl_cloth *cloth = world ? tl_cloth_create(world, &def) : NULL;
    if (!cloth) {
        cli_fail(EXIT_FAILED, "%s", world ? tl_last_error(world) : error.message);
        tl_world_destroy(world);
        return -1;
    }
    double links = equivalents(cloth, all);
    double best = 1e30, end = cli_seconds() + budget;
    while (cli_seconds() < end) {
        tl_world_step(world, (tl_real)(1.0 / 60));
        double step = tl_cloth_get_stats(cloth).seconds_step;
        best = step < best ? step : best;
    }
    tl_world_destroy(world);
    return 1e-6 * links * SWEEPS / best;
}

enum { CASES = 7 };

static void print_rates(const bench_settings *settings, const char *const *names, const double *rate)
{
    if (settings->json) {
        printf("{\"runs\": %.1f, \"runs_sse\": %.1f, \"runs_scalar\": %.1f, \"gathered\": %.1f, \"gathered_scalar\": "
               "%.1f, "
               "\"all_elements\": %.1f, \"all_elements_scalar\": %.1f, \"runs_ratio\": %.2f, \"gathered_ratio\": %.2f, "
               "\"all_elements_ratio\": %.2f}",
               rate[0], rate[1], rate[2], rate[3], rate[4], rate[5], rate[6], rate[0] / rate[2], rate[3] / rate[4],
               rate[5] / rate[6]);
        return;
    }
    static const int scalar[CASES] = {2, 2, 2, 4, 4, 6, 6};
    printf("%d x %d particles, structural, shear and bend links, one core; all elements: with continuum stretch, shear "
           "and bend\n"
           "on an irregular mesh, in link-equivalents: %d, %d and %d operations per constraint, %d per link\n"
           "%-22s %14s %10s %8s\n",
           GRID, GRID, WORK_STRETCH, WORK_SHEAR, WORK_BEND, WORK_LINK, "storage", "million/s", "ns/link", "ratio");
    for (int k = 0; k < CASES; ++k)
        printf("%-22s %14.0f %10.2f %8.2f\n", names[k], rate[k], 1e3 / rate[k], rate[k] / rate[scalar[k]]);
}

static int run(const bench_settings *settings)
{
    static const char *const names[CASES] = {"runs",        "runs, 4 lanes", "scalar grid",         "gathered",
                                             "scalar mesh", "all elements",  "all elements, scalar"};
    static const char *const lanes[CASES] = {"auto", "sse", "scalar", "auto", "scalar", "auto", "scalar"};
    tl_mesh *mesh = shuffled_mesh(0), *irregular = shuffled_mesh(0.2);
    double rate[CASES], budget = settings->quick ? 0.1 : 2.0;
    bool done = mesh && irregular;
    for (int k = 0; k < CASES && done; ++k)
        done = (rate[k] = solves(k < 3 ? NULL : k < 5 ? mesh : irregular, lanes[k], k >= 5, budget)) >= 0;
    tl_mesh_destroy(mesh);
    tl_mesh_destroy(irregular);
    if (!done)
        return EXIT_FAILED;
    print_rates(settings, names, rate);
    return EXIT_DONE;
}

const bench_entry bench_links = {
    "links", "Link solves per second: runs, gathered, scalar; all elements on an irregular mesh.", run};
