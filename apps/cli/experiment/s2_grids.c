/* S2, section 3.3: the sheet on the ball with 10² to 60² particles: frames per second, particles moved per second,
   pictures. S2 took one step of 0.005 s per frame on one core of a Ryzen 5 5600H, without separating the time of
   drawing; ours is the time of one substep. Every particle weighs the same there, so that a finer sheet is a heavier
   one and stretches more until its springs are stiffer. */
#include "cli/experiment/grid.h"

#include <stdlib.h>

#define SIDE 4.0

static const struct {
    int grid;
    const char *published, *updates, *picture; /* frames and particles per second */
} cases[] = {{10, "800", "80000", "fig-3.3.1"},
             {20, "190", "76000", "fig-3.3.2"},
             {30, "80", "72000", "fig-3.3.3"},
             {40, "45", "72000", "fig-3.3.4"},
             {60, "20", "72000", "fig-3.3.5"}};
enum { CASES = sizeof cases / sizeof *cases };

/* The sheet with this grid and stiffness; substeps as springs and border masses require for stability. */
static bool fall(experiment_report *report, tl_scene *scene, int grid, double stiffness, const char *picture,
                 grid_shape *shape, double *step_seconds)
{
    int frames = report->quick ? 60 : tl_scene_info(scene)->frames, substeps = stiffness > 100 ? 8 : 4;
    grid_times times;
    if (!experiment_set(report, scene, "cloth[0].columns", "%d", grid) ||
        !experiment_set(report, scene, "cloth[0].rows", "%d", grid) ||
        !experiment_set(report, scene, "cloth[0].link.disc.stiffness", "%g", stiffness) ||
        !experiment_set(report, scene, "cloth[0].substeps", "%d", substeps) || !grid_run(report, scene, frames, &times))
        return false;
    if (picture)
        experiment_picture(report, scene, picture);
    *shape = grid_measure(scene, grid, SIDE / (grid - 1));
    *step_seconds = times.whole / (frames * substeps);
    return true;
}

void experiment_s2_grids(experiment_report *report)
{
    tl_scene *scene = experiment_scene(report, "s2/stiffness-40");
    if (!scene)
        return;
    grid_shape shape[CASES] = {{0}}, stiff = {0};
    double seconds[CASES] = {0}, unused;
    plot_curve curve = plot_start(&report->plots, "speed", "S2 section 3.3: particles moved a second", "particles",
                                  "particles a second", true);
    for (int k = 0; k < CASES; ++k)
        plot_point(&curve, "=S2 (Ryzen 5 5600H)", cases[k].grid * cases[k].grid, strtod(cases[k].updates, NULL));
    bool done = true;
    for (int k = 0; k < CASES && done; ++k) {
        int n = cases[k].grid;
        char what[80];
        done = fall(report, scene, n, 40, cases[k].picture, &shape[k], &seconds[k]);
        plot_point(&curve, "ours", n * n, n * n / seconds[k]);
        snprintf(what, sizeof what, "3.3: %d x %d, steps a second", n, n);
        experiment_row(report, what, cases[k].published, 1 / seconds[k], "1/s");
        snprintf(what, sizeof what, "3.3: %d x %d, particles a second", n, n);
        experiment_row(report, what, cases[k].updates, n * n / seconds[k], "1/s");
        snprintf(what, sizeof what, "3.3: %d x %d, mean stretch", n, n);
        experiment_row(report, what, k == CASES - 1 ? "too much" : "", 100 * shape[k].stretch, "%");
    }
    plot_end(&curve);
    if (done && !report->quick && fall(report, scene, 60, 400, "fig-3.3.5-stiffer", &stiff, &unused)) {
        experiment_row(report, "3.3: 60 x 60, constant 400, mean stretch", "less", 100 * stiff.stretch, "%");
        experiment_above(report, "3.3.5: 60 x 60 unit masses stretch far more than 20 x 20: ratio of mean stretches",
                         shape[4].stretch / shape[1].stretch, 2, "");
        experiment_below(report, "3.3.5: stiffer springs cure it: mean stretch with constant 400 / with 40",
                         stiff.stretch / shape[4].stretch, 0.5, "");
        experiment_below(report, "3.3: the finer the sheet, the smoother its folds: mean turn of the finest / coarsest",
                         shape[4].turn / shape[0].turn, 1, "");
        experiment_below(
            report, "3.3: the time of a step grows with the particles, not faster: time a particle, 60 x 60 / 20 x 20",
            (seconds[4] / 3600) / (seconds[1] / 400), 4, "");
    }
    tl_scene_destroy(scene);
}
