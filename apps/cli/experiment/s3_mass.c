/* S3, annex A: a falling sheet whose particles have equal masses, masses along a sine, and random ones. Equal masses
   fall flat, sinusoidal ones in ripples with a period, random ones in irregular wrinkles. S3 pulls every particle with
   the same force (gravity.as_force); under true gravity random masses fall flat too. The sheet is measured while it
   falls, and at rest. */
#include "cli/experiment/grid.h"

#include <math.h>

enum {
    GRID = 64,
    FALLING = 30 /* frames */,
    MARGIN = 8 /* particles that curl at the borders */,
    INNER = GRID - 2 * MARGIN
};
#define SPACING (3.15 / (GRID - 1))

static const struct {
    const char *scene, *name, *published, *picture, *landed;
} cases[3] = {{"s3/mass-equal", "equal masses", "falls flat", "annex-A.1", "annex-A.1-end"},
              {"s3/mass-sinusoidal", "sinusoidal masses", "a visible period", "annex-A.2", "annex-A.2-end"},
              {"s3/mass-random", "random masses", "irregular wrinkles", "annex-A.3", "annex-A.3-end"}};

typedef struct wrinkles {
    double depth;  /* m, root mean square of the height about its mean along rows */
    double period; /* largest autocorrelation of the height at a lag of one ripple, 0 … 1 */
} wrinkles;

/* Mean product of heights `lag` particles apart along rows, over the mean square. */
static double correlation(double height[GRID][INNER], int lag)
{
    double product = 0, square = 0;
    for (int r = 0; r < GRID; ++r)
        for (int c = 0; c + lag < INNER; ++c) {
            product += height[r][c] * height[r][c + lag];
            square += (height[r][c] * height[r][c] + height[r][c + lag] * height[r][c + lag]) / 2;
        }
    return square > 0 ? product / square : 0;
}

static wrinkles measure(tl_scene *scene)
{
    const tl_vec3 *x = tl_cloth_positions(tl_world_cloth(tl_scene_world(scene), 0));
    static double height[GRID][INNER];
    wrinkles found = {0};
    for (int r = 0; r < GRID; ++r) {
        const tl_vec3 *row = x + r * GRID + MARGIN;
        double mean = 0;
        for (int c = 0; c < INNER; ++c)
            mean += (double)row[c].y / INNER;
        for (int c = 0; c < INNER; ++c) {
            height[r][c] = (double)row[c].y - mean;
            found.depth += height[r][c] * height[r][c] / (GRID * INNER);
        }
    }
    found.depth = sqrt(found.depth);
    int lag = 1;
    while (lag < INNER / 2 && correlation(height, lag) > 0) /* past the central peak */
        ++lag;
    for (; lag < INNER / 2; ++lag)
        found.period = fmax(found.period, correlation(height, lag));
    return found;
}

/* Random masses under true gravity: depth of wrinkles in mm, or NAN. */
static double under_true_gravity(experiment_report *report)
{
    tl_scene *scene = experiment_scene(report, cases[2].scene);
    bool done = scene && experiment_set(report, scene, "cloth[0].gravity.as_force", "false") &&
                experiment_run(report, scene, FALLING);
    double depth = done ? 1000 * measure(scene).depth : NAN;
    tl_scene_destroy(scene);
    return depth;
}

void experiment_s3_mass(experiment_report *report)
{
    wrinkles falling[3] = {{0}};
    plot_curve curve = plot_start(&report->plots, "row", "S3 annex A: height along the middle row of the falling sheet",
                                  "x, m", "height above its mean, m", false);
    bool done = true;
    for (int k = 0; k < 3 && done; ++k) {
        char what[80];
        tl_scene *scene = experiment_scene(report, cases[k].scene);
        done = scene && experiment_run(report, scene, FALLING);
        if (done) {
            const tl_vec3 *x = tl_cloth_positions(tl_world_cloth(tl_scene_world(scene), 0)) + GRID / 2 * GRID;
            double mean = 0;
            for (int c = 0; c < GRID; ++c)
                mean += (double)x[c].y / GRID;
            for (int c = 0; c < GRID; ++c)
                plot_point(&curve, cases[k].name, (double)x[c].x, (double)x[c].y - mean);
            falling[k] = measure(scene);
            experiment_picture(report, scene, cases[k].picture);
            snprintf(what, sizeof what, "%s, depth of wrinkles", cases[k].name);
            experiment_row(report, what, cases[k].published, 1000 * falling[k].depth, "mm");
            if (k > 0) { /* equal masses have no ripples to correlate */
                snprintf(what, sizeof what, "%s, likeness a ripple further", cases[k].name);
                experiment_row(report, what, k == 1 ? "periodic" : "", falling[k].period, "");
            }
        }
        if (done && !report->quick && experiment_continue(report, scene, tl_scene_info(scene)->frames - FALLING))
            experiment_picture(report, scene, cases[k].landed);
        tl_scene_destroy(scene);
    }
    plot_end(&curve);
    if (!done)
        return;
    double alike = under_true_gravity(report);
    experiment_row(report, "random masses under true gravity, depth", "", alike, "mm");
    experiment_below(report, "random masses under true gravity fall flat: depth of wrinkles", alike, 1e-3, "mm");
    experiment_below(report, "A.1: equal masses fall flat: depth of wrinkles", 1000 * falling[0].depth, 1e-3, "mm");
    experiment_above(report, "A.2: sinusoidal masses make ripples: depth", 1000 * falling[1].depth, 10, "mm");
    experiment_above(report, "A.2: with a period: likeness a ripple further", falling[1].period, 0.8, "");
    experiment_above(report, "A.3: random masses make wrinkles: depth", 1000 * falling[2].depth, 10, "mm");
    experiment_below(report, "A.3: without a period: likeness a ripple further", falling[2].period, 0.2, "");
}
