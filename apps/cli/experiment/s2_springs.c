/* S2, section 3.2: the sheet on the ball with spring constants 2, 10, 40 and 1000: slime, soft, good, paper. The
   figures are pictures; the expectations put them in numbers: stretch under its own weight, and how far paper, which
   cannot bend in two directions at once, stays from the ball. */
#include "cli/experiment/grid.h"

#include <math.h>

enum { GRID = 20 };
#define SPACING (4.0 / (GRID - 1))
#define DEGREES (180 / 3.14159265358979323846)

static const struct {
    double stiffness;
    const char *published, *picture; /* NULL: not in S2, for the curve only */
} cases[] = {{2, "slime, stretches extremely", "fig-3.2.1"},
             {5, NULL, NULL},
             {10, "stretches", "fig-3.2.2"},
             {20, NULL, NULL},
             {40, "good", "fig-3.2.3"},
             {100, NULL, NULL},
             {300, NULL, NULL},
             {1000, "paper", "fig-3.2.4"}};
enum { CASES = sizeof cases / sizeof *cases };

static bool fall(experiment_report *report, int k, grid_shape *shape)
{
    char name[48];
    snprintf(name, sizeof name, "s2/stiffness-%g", cases[k].picture ? cases[k].stiffness : 40);
    tl_scene *scene = experiment_scene(report, name);
    if (!scene)
        return false;
    int frames = report->quick ? 240 : tl_scene_info(scene)->frames;
    bool done = experiment_set(report, scene, "cloth[0].link.disc.stiffness", "%g", cases[k].stiffness) &&
                experiment_run(report, scene, frames);
    if (done) {
        if (cases[k].picture)
            experiment_picture(report, scene, cases[k].picture);
        *shape = grid_measure(scene, GRID, SPACING);
    }
    tl_scene_destroy(scene);
    return done;
}

void experiment_s2_springs(experiment_report *report)
{
    grid_shape shape[CASES] = {{0}};
    plot_curve stretch = plot_start(&report->plots, "stretch", "S2 section 3.2: stretch of the sheet on the ball",
                                    "spring constant, N/m", "mean stretch", true);
    double last = INFINITY, largest_ratio = 0;
    bool done = true;
    for (int k = 0; k < CASES && done; ++k) {
        char what[80];
        if (report->quick && !cases[k].picture)
            continue;
        done = fall(report, k, &shape[k]);
        if (!done)
            break;
        plot_point(&stretch, "20 x 20", cases[k].stiffness, shape[k].stretch);
        double ratio = shape[k].stretch / last;
        largest_ratio = ratio > largest_ratio || isnan(ratio) ? ratio : largest_ratio;
        last = shape[k].stretch;
        if (!cases[k].picture)
            continue;
        snprintf(what, sizeof what, "3.2: constant %g, mean stretch", cases[k].stiffness);
        experiment_row(report, what, cases[k].published, 100 * shape[k].stretch, "%");
        snprintf(what, sizeof what, "3.2: constant %g, largest stretch", cases[k].stiffness);
        experiment_row(report, what, "", 100 * shape[k].largest, "%");
        snprintf(what, sizeof what, "3.2: constant %g, lowest point", cases[k].stiffness);
        experiment_row(report, what, "", shape[k].lowest, "");
        snprintf(what, sizeof what, "3.2: constant %g, mean turn at a particle", cases[k].stiffness);
        experiment_row(report, what, "", shape[k].turn * DEGREES, "deg");
    }
    plot_end(&stretch);
    if (!done)
        return;
    experiment_below(report, "the stiffer the springs, the less the sheet stretches: largest ratio of mean stretches",
                     largest_ratio, 1, "");
    if (report->quick)
        return;
    experiment_above(report, "3.2.1: with 2 the sheet flows like slime: largest stretch", 100 * shape[0].largest, 100,
                     "%");
    experiment_below(report, "3.2.3: with 40 it stretches little: mean stretch", 100 * shape[4].stretch, 15, "%");
    experiment_below(report, "3.2.4: with 1000 it is paper: mean stretch", 100 * shape[CASES - 1].stretch, 2, "%");
    experiment_above(report, "3.2.4: its corners stay higher: lowest point above that with 40",
                     shape[CASES - 1].lowest - shape[4].lowest, 0, "");
}
