/* `telar bench octree`: tests of particle paths against triangles by brute force, with one octree for all bodies and
   with one per body (S0, figures 5.4 and 5.5), for a sheet that falls on the bunny and the floor.

   Counted as in S0: a test is the path of a particle in one substep, without thickness, against one triangle, ten
   substeps to a frame of 16 ms. Brute force tests every path against every triangle; that is computed, not run. With a
   tree only the triangles of the leaves that the path overlaps are tested. The path of a substep is a tenth of the
   displacement in a frame. */
#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "telar/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEIGHT = 8, FLOOR_FACES = 12, SUBSTEPS = 10 };

/* Triangles in world space: the bunny's, then the floor's. */
typedef struct colliders {
    tl_mesh *bunny;
    tl_vec3 *points;
    int *triangles;
    int bunny_points, bunny_faces;
    tl_octree *all, *of_bunny, *of_floor;
} colliders;

static const tl_real bunny_height = (tl_real)0.447; /* m, of its center above the floor */

static void floor_box(tl_vec3 points[8], int triangles[36], int first)
{
    static const int faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                  2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int k = 0; k < 8; ++k)
        points[k] = (tl_vec3){k & 1 ? 3 : -3, k & 2 ? 0 : (tl_real)-0.2, k & 4 ? 3 : -3};
    for (int k = 0; k < 36; ++k)
        triangles[k] = first + faces[k];
}

static bool make_colliders(colliders *c)
{
    tl_error error = {0};
    tl_mesh_source_def source = {.file = "bunny"};
    tl_param_defaults(&tl_mesh_source_params, &source);
    source.scale = (tl_real)0.45;
    c->bunny = tl_mesh_load("bunny", &source, &error);
    if (!c->bunny) {
        cli_fail(EXIT_FAILED, "%s", error.message);
        return false;
    }
    c->bunny_points = tl_mesh_vertex_count(c->bunny);
    c->bunny_faces = tl_mesh_triangle_count(c->bunny);
    c->points = malloc(((size_t)c->bunny_points + 8) * sizeof *c->points);
    c->triangles = malloc(3 * ((size_t)c->bunny_faces + FLOOR_FACES) * sizeof *c->triangles);
    if (!c->points || !c->triangles)
        return false;
    for (int v = 0; v < c->bunny_points; ++v) {
        c->points[v] = tl_mesh_vertices(c->bunny)[v];
        c->points[v].y += bunny_height;
    }
    memcpy(c->triangles, tl_mesh_triangles(c->bunny), 3 * (size_t)c->bunny_faces * sizeof *c->triangles);
    int *floor = c->triangles + 3 * (size_t)c->bunny_faces;
    floor_box(c->points + c->bunny_points, floor, c->bunny_points);
    c->all = tl_octree_create(c->points, c->triangles, c->bunny_faces + FLOOR_FACES, HEIGHT, NULL, &error);
    c->of_bunny = tl_octree_create(c->points, c->triangles, c->bunny_faces, HEIGHT, NULL, &error);
    c->of_floor = tl_octree_create(c->points, floor, FLOOR_FACES, HEIGHT, NULL, &error);
    if (!c->all || !c->of_bunny || !c->of_floor)
        cli_fail(EXIT_FAILED, "%s", error.message);
    return c->all && c->of_bunny && c->of_floor;
}

static void destroy_colliders(colliders *c)
{
    tl_octree_destroy(c->all);
    tl_octree_destroy(c->of_bunny);
    tl_octree_destroy(c->of_floor);
    tl_mesh_destroy(c->bunny);
    free(c->points);
    free(c->triangles);
}

static tl_cloth *make_scene(tl_world *world, const colliders *c, int n)
{
    tl_body_def bunny = tl_body_def_default();
    bunny.shape = "mesh";
    bunny.mesh = c->bunny;
    bunny.position.y = bunny_height;
    tl_cloth_def sheet = tl_cloth_def_grid(n, n, 2, 2);
    sheet.center = (tl_vec3){0, (tl_real)1.1, 0};
    sheet.stepper = "xpbd";
    sheet.substeps = SUBSTEPS;
    sheet.thickness = (tl_real)1e-4; /* m, as in S0 */
    bool made = tl_body_create(world, &bunny) &&
                tl_world_add_plane(world, (tl_vec3){0, 0, 0}, (tl_vec3){0, 1, 0}, (tl_real)0.5);
    return made ? tl_cloth_create(world, &sheet) : NULL;
}

typedef struct tests {
    double brute, one, each;      /* triangles per frame */
    double one_nodes, each_nodes; /* node boxes per frame */
} tests;

static tl_real low_of(tl_real a, tl_real b) { return a < b ? a : b; }
static tl_real high_of(tl_real a, tl_real b) { return a > b ? a : b; }

/* Queries all trees with the path of a particle in a frame, substep by substep. */
static void query_path(tl_octree *const trees[3], tl_vec3 from, tl_vec3 to)
{
    for (int k = 0; k < SUBSTEPS; ++k) {
        tl_real s = (tl_real)k / SUBSTEPS, t = (tl_real)(k + 1) / SUBSTEPS;
        tl_vec3 a = {from.x + (to.x - from.x) * s, from.y + (to.y - from.y) * s, from.z + (to.z - from.z) * s},
                b = {from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t, from.z + (to.z - from.z) * t};
        tl_vec3 low = {low_of(a.x, b.x), low_of(a.y, b.y), low_of(a.z, b.z)},
                high = {high_of(a.x, b.x), high_of(a.y, b.y), high_of(a.z, b.z)};
        for (int tree = 0; tree < 3; ++tree)
            tl_octree_in_box(trees[tree], low, high, NULL, 0);
    }
}

/* Runs a sheet of n × n for all frames. */
static bool count_tests(colliders *c, int n, int frames, tests *out)
{
    tl_world_def def = tl_world_def_default();
    tl_world *world = tl_world_create(&def, NULL);
    tl_cloth *cloth = world ? make_scene(world, c, n) : NULL;
    int count = cloth ? tl_cloth_vertex_count(cloth) : 0;
    tl_vec3 *before = malloc(((size_t)count + 1) * sizeof *before);
    if (!cloth || !before) {
        cli_fail(EXIT_FAILED, "%s", world ? tl_last_error(world) : "no memory");
        free(before);
        tl_world_destroy(world);
        return false;
    }
    tl_octree *trees[3] = {c->all, c->of_bunny, c->of_floor};
    tl_octree_counts start[3];
    for (int t = 0; t < 3; ++t)
        start[t] = tl_octree_get_counts(trees[t]);
    for (int f = 0; f < frames; ++f) {
        memcpy(before, tl_cloth_positions(cloth), (size_t)count * sizeof *before);
        tl_world_step(world, (tl_real)0.016);
        const tl_vec3 *x = tl_cloth_positions(cloth);
        for (int v = 0; v < count; ++v)
            query_path(trees, before[v], x[v]);
    }
    double per = 1.0 / frames;
    tl_octree_counts end[3];
    for (int t = 0; t < 3; ++t)
        end[t] = tl_octree_get_counts(trees[t]);
#define DIFFERENCE(t, field) ((double)(end[t].field - start[t].field) * per)
    *out = (tests){.brute = (double)SUBSTEPS * count * (c->bunny_faces + FLOOR_FACES),
                   .one = DIFFERENCE(0, triangles),
                   .each = DIFFERENCE(1, triangles) + DIFFERENCE(2, triangles),
                   .one_nodes = DIFFERENCE(0, nodes),
                   .each_nodes = DIFFERENCE(1, nodes) + DIFFERENCE(2, nodes)};
#undef DIFFERENCE
    free(before);
    tl_world_destroy(world);
    return true;
}

static int run(const bench_settings *settings)
{
    static const int sizes[] = {11, 21, 31, 41, 51, 61, 71};
    int frames = settings->quick ? 30 : 120; /* it reaches the bunny after 20, the floor after 90 */
    colliders c = {0};
    int code = make_colliders(&c) ? EXIT_DONE : EXIT_FAILED;
    const char *bunny = tl_mesh_bunny();
    if (code == EXIT_DONE && settings->json)
        printf("{\"body\": \"%s\", \"faces\": %d, \"height\": %d, \"sizes\": [",
               bunny ? bunny : "procedural lobed body, no bunny found", c.bunny_faces + FLOOR_FACES, HEIGHT);
    else if (code == EXIT_DONE)
        printf("body: %s, %d faces with the floor's; octrees of height %d; tests per frame of %d substeps, means of %d "
               "frames\n"
               "brute force is every path against every triangle, computed, not run\n%6s %14s %12s %12s %12s %12s "
               "%10s %10s\n",
               bunny ? bunny : "procedural lobed body, no bunny found", c.bunny_faces + FLOOR_FACES, HEIGHT, SUBSTEPS,
               frames, "sheet", "brute force", "one tree", "nodes", "tree each", "nodes", "brute/one", "brute/each");
    int last = settings->quick ? 1 : 7;
    for (int k = 0; k < last && code == EXIT_DONE; ++k) {
        int n = settings->quick ? 31 : sizes[k];
        tests t;
        if (!count_tests(&c, n, frames, &t)) {
            code = EXIT_FAILED;
            break;
        }
        double ratio = t.each > 0 ? t.brute / t.each : INFINITY, of_one = t.one > 0 ? t.brute / t.one : INFINITY;
        if (settings->json)
            printf("%s{\"particles\": %d, \"brute\": %.0f, \"one\": %.1f, \"one_nodes\": %.1f, \"each\": %.1f, "
                   "\"each_nodes\": %.1f}",
                   k ? ", " : "", n * n, t.brute, t.one, t.one_nodes, t.each, t.each_nodes);
        else
            printf("%3d² %16.0f %12.1f %12.1f %12.1f %12.1f %10.0f %10.0f\n", n, t.brute, t.one, t.one_nodes, t.each,
                   t.each_nodes, of_one, ratio);
        fflush(stdout);
    }
    if (settings->json && code == EXIT_DONE)
        fputs("]}", stdout);
    destroy_colliders(&c);
    return code;
}

const bench_entry bench_octree = {"octree", "Tests of paths against triangles: brute force, one octree, one per body.",
                                  run};
