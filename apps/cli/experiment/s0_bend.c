/* S0, figure 4.12: the continuum with and without bending forces, 71², 600 frames. S0 finds no difference worth the
   time. The figure's object is not named; here the sheet falls on the ball of s0/sheet-sphere. */
#include "cli/experiment/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 71, PARTICLES = GRID * GRID };
#define SIDE 2.0 /* m */
#define DEGREES (180 / 3.14159265358979323846)

typedef struct side {
    grid_shape shape;
    grid_times times;
    tl_vec3 x[PARTICLES];
} side;

static bool fall(experiment_report *report, tl_scene *scene, const char *on, const char *picture, side *to)
{
    int frames = report->quick ? 60 : tl_scene_info(scene)->frames;
    if (!experiment_set(report, scene, "cloth[0].continuum.bend.on", "%s", on) ||
        !grid_run(report, scene, frames, &to->times))
        return false;
    experiment_picture(report, scene, picture);
    to->shape = grid_measure(scene, GRID, SIDE / (GRID - 1));
    memcpy(to->x, tl_cloth_positions(tl_world_cloth(tl_scene_world(scene), 0)), sizeof to->x);
    return true;
}

static double apart(const side *a, const side *b) { return grid_apart(a->x, b->x, PARTICLES); }

static void draw(experiment_report *report, const side *with, const side *without)
{
    plot_curve curve = plot_start(&report->plots, "fig-4.12",
                                  "S0 figure 4.12: the sheet's front edge, seen from the front", "x, m", "y, m", false);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < GRID; ++i) {
            tl_vec3 p = (k ? without : with)->x[PARTICLES - GRID + i];
            plot_point(&curve, k ? "without bend" : "with bend", (double)p.x, (double)p.y);
        }
    plot_end(&curve);
}

static void report_rows(experiment_report *report, const side *with, const side *without)
{
    experiment_row(report, "4.12: with bend, mean turn at a particle", "", with->shape.turn * DEGREES, "deg");
    experiment_row(report, "4.12: without bend, mean turn at a particle", "hardly different",
                   without->shape.turn * DEGREES, "deg");
    experiment_row(report, "4.12: with bend, lowest point", "", with->shape.lowest, "m");
    experiment_row(report, "4.12: without bend, lowest point", "hardly different", without->shape.lowest, "m");
    experiment_row(report, "4.12: mean distance between both", "hardly different", apart(with, without), "m");
    experiment_row(report, "4.12: time with bend / without, stage of the model", "considerably more",
                   with->times.model / without->times.model, "");
    if (report->quick)
        return;
    experiment_below(report, "4.12: bending changes little: mean distance in parts of the sheet's side",
                     100 * apart(with, without) / SIDE, 5, "%");
    experiment_above(report, "4.12: without bend the folds are not smoother: turn without bend / with bend",
                     without->shape.turn / with->shape.turn, 0.98, "");
}

void experiment_s0_bend(experiment_report *report)
{
    tl_scene *scene = experiment_scene(report, "s0/sheet-sphere");
    side *sides = calloc(2, sizeof *sides);
    if (!sides)
        experiment_broken(report, "no memory");
    else if (scene && fall(report, scene, "true", "fig-4.12-with", &sides[0]) &&
             fall(report, scene, "false", "fig-4.12-without", &sides[1])) {
        draw(report, &sides[0], &sides[1]);
        report_rows(report, &sides[0], &sides[1]);
    }
    free(sides);
    tl_scene_destroy(scene);
}
