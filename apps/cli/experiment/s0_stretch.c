/* S0, figures 4.7 to 4.9: a sheet hung by its upper corners. Springs as constraints stretch less with more iterations
   (4.7), and more on finer grids (4.8); springs as forces stretch according to their stiffness, on any grid (4.9).

   S0 gives time step, substeps, density, stiffness and damping (annex C), neither size nor pins: here 2 m, as in all
   scenes of S0, and two corners. At that size Verlet is stable only when no particle oscillates faster than 2/h, ω² <
   4/h²; the lower corners carry a quarter of a cell and two springs, ω² ≤ 4 k/m. The forces take that many substeps,
   which does not change their static shape. The figures are pictures; the expectations put them in numbers. The
   published damping of 0.01 per step is the rate −ln 0.99 / h. */
#include "cli/experiment/grid.h"

#include <math.h>

#define SIDE 2.0        /* m */
#define DENSITY 0.2     /* kg/m² */
#define STIFFNESS 500.0 /* N/m */
#define FRAME 0.016     /* s */

typedef struct stretch_case {
    int grid, substeps, iterations;
    bool forces;
} stretch_case;

/* Published substeps, or as many as the forces are stable with. */
static int substeps_of(const stretch_case *c)
{
    double spacing = SIDE / (c->grid - 1), mass = DENSITY * spacing * spacing / 4;
    int stable = (int)ceil(1.1 * FRAME * sqrt(STIFFNESS / mass));
    return c->forces && stable > c->substeps ? stable : c->substeps;
}

static bool choose(experiment_report *report, tl_scene *scene, const stretch_case *c)
{
    return experiment_set(report, scene, "cloth[0].columns", "%d", c->grid) &&
           experiment_set(report, scene, "cloth[0].rows", "%d", c->grid) &&
           experiment_set(report, scene, "cloth[0].stepper", c->forces ? "verlet" : "projection") &&
           experiment_set(report, scene, "cloth[0].schedule",
                          c->forces         ? "s0-4.5"
                          : c->substeps > 1 ? "s0-4.4"
                                            : "s0-4.3") &&
           experiment_set(report, scene, "cloth[0].substeps", "%d", substeps_of(c)) &&
           experiment_set(report, scene, "cloth[0].iterations", "%d", c->iterations) &&
           experiment_set(report, scene, "cloth[0].damping", "%.6g", -log(0.99) / (FRAME / c->substeps));
}

/* Stretch at the end of the run, NAN when it failed. `picture` may be NULL. */
static grid_shape hang(experiment_report *report, tl_scene *scene, stretch_case c, const char *picture)
{
    int frames = report->quick ? 300 : tl_scene_info(scene)->frames;
    if (!choose(report, scene, &c) || !experiment_run(report, scene, frames))
        return (grid_shape){.stretch = NAN, .largest = NAN};
    if (picture)
        experiment_picture(report, scene, picture);
    return grid_measure(scene, c.grid, SIDE / (c.grid - 1));
}

static void report_rows(experiment_report *report, const char *what, const char *published, grid_shape stretch)
{
    char text[96];
    snprintf(text, sizeof text, "%s, mean", what);
    experiment_row(report, text, published, 100 * stretch.stretch, "%");
    snprintf(text, sizeof text, "%s, largest", what);
    experiment_row(report, text, "", 100 * stretch.largest, "%");
}

static void against_iterations(experiment_report *report, tl_scene *scene)
{
    static const int iterations[] = {1, 2, 5, 10, 20, 50}, grids[] = {10, 50, 71};
    static const char *const pictures[] = {"fig-4.7-1", NULL, "fig-4.7-5", "fig-4.7-10", NULL, NULL};
    double published[3] = {0};
    int shown = 0;
    plot_curve curve = plot_start(&report->plots, "iterations", "S0 figure 4.7: constraints, one step of 16 ms a frame",
                                  "iterations", "mean stretch", true);
    for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g)
        for (size_t k = 0; k < sizeof iterations / sizeof *iterations; ++k) {
            bool figure = grids[g] == 71 && pictures[k];
            if (report->quick && !figure)
                continue;
            char series[32], what[64];
            grid_shape stretch =
                hang(report, scene, (stretch_case){grids[g], 1, iterations[k], false}, figure ? pictures[k] : NULL);
            snprintf(series, sizeof series, "%d x %d", grids[g], grids[g]);
            plot_point(&curve, series, iterations[k], stretch.stretch);
            snprintf(what, sizeof what, "4.7: 71 x 71, constraints, %d iterations", iterations[k]);
            if (figure) {
                report_rows(report, what, shown == 0 ? "too much" : "less", stretch);
                published[shown++] = stretch.stretch;
            }
        }
    plot_end(&curve);
    experiment_above(report, "4.7: more iterations, less stretch: mean with 1 / with 5", published[0] / published[1], 2,
                     "");
    experiment_above(report, "4.7: more iterations, less stretch: mean with 5 / with 10", published[1] / published[2],
                     1.5, "");
}

static void against_resolution(experiment_report *report, tl_scene *scene)
{
    static const int all[] = {10, 20, 35, 50, 71, 100}, few[] = {10, 50};
    const int *grids = report->quick ? few : all;
    int count = report->quick ? 2 : 6;
    grid_shape stretch[2][6];
    plot_curve curve =
        plot_start(&report->plots, "resolution", "S0 figures 4.8 and 4.9: ten substeps of 1.6 ms a frame",
                   "particles along a side", "mean stretch", true);
    for (int forces = 0; forces < 2; ++forces)
        for (int k = 0; k < count; ++k) {
            char picture[32], what[64];
            stretch_case c = {grids[k], 10, 1, forces != 0};
            bool figure = grids[k] == 10 || grids[k] == 50 || grids[k] == 100;
            snprintf(picture, sizeof picture, "fig-%s-%d", forces ? "4.9" : "4.8", grids[k]);
            stretch[forces][k] = hang(report, scene, c, figure ? picture : NULL);
            plot_point(&curve, forces ? "forces" : "constraints", grids[k], stretch[forces][k].stretch);
            snprintf(what, sizeof what, "%s: %d x %d, %s, %d substeps", forces ? "4.9" : "4.8", grids[k], grids[k],
                     forces ? "forces" : "constraints", substeps_of(&c));
            if (figure)
                report_rows(report, what, k == 0 ? "" : forces ? "the same" : "more", stretch[forces][k]);
        }
    plot_end(&curve);
    double growth = INFINITY, difference = 0;
    for (int k = 1; k < count; ++k) {
        double step = stretch[0][k].stretch / stretch[0][k - 1].stretch,
               off = fabs(stretch[1][k].stretch / stretch[1][count - 1].stretch - 1);
        growth = step < growth || isnan(step) ? step : growth;
        difference = off > difference || isnan(off) ? off : difference;
    }
    experiment_above(report, "4.8: more particles, more stretch: smallest ratio from grid to grid", growth, 1.5, "");
    experiment_below(
        report, "4.9: with forces the mean stretch does not depend on the grid: largest difference from the finest",
        100 * difference, 25, "%");
}

void experiment_s0_stretch(experiment_report *report)
{
    tl_scene *scene = experiment_scene(report, "s0/stretch");
    if (!scene)
        return;
    against_iterations(report, scene);
    against_resolution(report, scene);
    experiment_note(report, "S0 shows pictures and gives all numbers but size and pins. The sheet here is 2 m wide, as "
                            "in all scenes of S0, and hangs by "
                            "two corners. At that size Verlet needs more than 10 substeps to be stable on fine grids; "
                            "what forces come to rest at does "
                            "not depend on it. The largest stretch, at the corner's own link, grows with the grid "
                            "under forces too: the force on the "
                            "corner stays the same while its link gets shorter.");
    tl_scene_destroy(scene);
}
