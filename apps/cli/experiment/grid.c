#include "cli/experiment/grid.h"

#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <math.h>

typedef struct edge {
    double x, y, z, length;
} edge;

static edge edge_between(tl_vec3 p, tl_vec3 q)
{
    edge e = {(double)q.x - (double)p.x, (double)q.y - (double)p.y, (double)q.z - (double)p.z, 0};
    e.length = sqrt(e.x * e.x + e.y * e.y + e.z * e.z);
    return e;
}

static double angle_between(edge a, edge b)
{
    double cosine = (a.x * b.x + a.y * b.y + a.z * b.z) / fmax(a.length * b.length, 1e-300);
    return acos(fmax(-1, fmin(1, cosine)));
}

grid_shape grid_measure(tl_scene *scene, int n, double spacing)
{
    const tl_vec3 *x = tl_cloth_positions(tl_world_cloth(tl_scene_world(scene), 0));
    grid_shape shape = {.lowest = INFINITY, .highest = -INFINITY};
    int edges = 0, turns = 0;
    for (int a = 0; a < n * n; ++a) {
        shape.lowest = fmin(shape.lowest, (double)x[a].y);
        shape.highest = fmax(shape.highest, (double)x[a].y);
        for (int along = 0; along < 2; ++along) {
            int place = along ? a % n : a / n, step = along ? 1 : n;
            if (place == n - 1)
                continue;
            edge e = edge_between(x[a], x[a + step]);
            double stretch = fmax(e.length / spacing - 1, 0);
            shape.stretch += stretch;
            shape.largest = fmax(shape.largest, stretch);
            ++edges;
            if (place < n - 2) {
                shape.turn += angle_between(e, edge_between(x[a + step], x[a + 2 * step]));
                ++turns;
            }
        }
    }
    shape.stretch /= edges;
    shape.turn /= turns;
    return shape;
}

double grid_apart(const tl_vec3 *a, const tl_vec3 *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += edge_between(a[i], b[i]).length;
    return sum / count;
}

bool grid_run(experiment_report *report, tl_scene *scene, int frames, grid_times *times)
{
    *times = (grid_times){0};
    if (!experiment_run(report, scene, 0))
        return false;
    tl_cloth *cloth = tl_world_cloth(tl_scene_world(scene), 0);
    for (int f = 0; f < frames; ++f) {
        double start = cli_seconds(), busy = bench_processor_seconds();
        if (!experiment_continue(report, scene, 1))
            return false;
        busy = bench_processor_seconds() - busy;
        double fraction = busy / fmax(cli_seconds() - start, 1e-9); /* of the clock used for stages */
        tl_cloth_stats stats = tl_cloth_get_stats(cloth);
        times->whole += busy;
        times->model += fraction * (stats.seconds_forces + stats.seconds_model);
        times->integration += fraction * (stats.seconds_step - stats.seconds_model);
        times->contact += fraction * stats.seconds_contact;
    }
    return true;
}
