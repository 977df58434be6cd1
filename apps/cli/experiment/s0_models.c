/* S0, figures 5.1 to 5.3: the time its four models take for a frame on the bunny, for grids of 11² to 71², in total and
   by stage, and the final shapes.

   S0 prints curves without numbers and describes them: constraints take almost twice as long as forces; the continuum
   with bending takes far longer than both, without it as long as forces or less; bending costs in the stage of the
   model alone; both continua look the same; springs have coarser folds and more tension. Times are of this machine:
   models are compared with each other. Annex C has 10 substeps, and for constraints 10 iterations of model and
   collision (code 4.1); collision with meshes runs once per substep here, so that constraints take 10 substeps as well.
   Springs of 500 N/m need more of them on fine grids of 2 m (s0_stretch.c): their times are also given for 10. The
   published damping of springs, 0.2, is unstable with Verlet there, and left out. */
#include "cli/experiment/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 2.0        /* m */
#define DENSITY 0.2     /* kg/m² */
#define STIFFNESS 500.0 /* N/m */
#define FRAME 0.016     /* s */

/* Times are measured over the first second, while the sheet falls and drapes; pictures at frame 600 as in S0. */
enum { TIMED = 60, SHOWN = 600 };
enum { FORCES, CONSTRAINTS, BENT, UNBENT, MODELS, MAX_GRIDS = 7, FINEST = 71 * 71 };

static const struct {
    const char *name, *scene;
} models[MODELS] = {{"springs, forces", "s0/bunny-springs"},
                    {"springs, constraints", "s0/bunny-constraints"},
                    {"continuum with bend", "s0/bunny-continuum"},
                    {"continuum without bend", "s0/bunny-continuum"}};

typedef struct study {
    int grids[MAX_GRIDS], count, frames; /* frames that are timed */
    int substeps[MAX_GRIDS];             /* of the forces */
    grid_times times[MODELS][MAX_GRIDS];
    grid_shape shape[MODELS];  /* on the finest grid */
    tl_vec3 x[MODELS][FINEST]; /* m, the same, as pictures show it */
} study;

static bool choose(experiment_report *report, tl_scene *scene, int model, int grid, int *substeps)
{
    double spacing = SIDE / (grid - 1), mass = DENSITY * spacing * spacing / 4;
    bool done = experiment_set(report, scene, "cloth[0].columns", "%d", grid) &&
                experiment_set(report, scene, "cloth[0].rows", "%d", grid);
    *substeps = 10;
    if (model == FORCES) {
        *substeps = (int)fmax(10, ceil(1.1 * FRAME * sqrt(STIFFNESS / mass)));
        done = done && experiment_set(report, scene, "cloth[0].substeps", "%d", *substeps);
    }
    if (model == UNBENT)
        done = done && experiment_set(report, scene, "cloth[0].continuum.bend.on", "false");
    return done;
}

static bool run_model(experiment_report *report, study *s, int model)
{
    tl_scene *scene = experiment_scene(report, models[model].scene);
    bool done =
        scene && experiment_set(report, scene, "camera.field_of_view", "46"); /* all corners in a square picture */
    for (int g = 0; g < s->count && done; ++g) {
        int substeps;
        done = choose(report, scene, model, s->grids[g], &substeps) &&
               grid_run(report, scene, s->frames, &s->times[model][g]);
        if (model == FORCES)
            s->substeps[g] = substeps;
        if (done && g == s->count - 1) {
            done = report->quick || experiment_continue(report, scene, SHOWN - TIMED);
            static const char *const pictures[MODELS] = {"fig-5.3-forces", "fig-5.3-constraints", "fig-5.3-bend",
                                                         "fig-5.3-no-bend"};
            experiment_picture(report, scene, pictures[model]);
            s->shape[model] = grid_measure(scene, s->grids[g], SIDE / (s->grids[g] - 1));
            memcpy(s->x[model], tl_cloth_positions(tl_world_cloth(tl_scene_world(scene), 0)),
                   (size_t)(s->grids[g] * s->grids[g]) * sizeof **s->x);
        }
    }
    tl_scene_destroy(scene);
    return done;
}

static void draw(experiment_report *report, const study *s)
{
    plot_curve whole = plot_start(&report->plots, "fig-5.1", "S0 figure 5.1: time of a frame on the bunny", "particles",
                                  "ms a frame", true);
    for (int m = 0; m < MODELS; ++m)
        for (int g = 0; g < s->count; ++g)
            plot_point(&whole, models[m].name, s->grids[g] * s->grids[g], 1e3 * s->times[m][g].whole / s->frames);
    plot_end(&whole);
    static const char *const names[3] = {"fig-5.2-model", "fig-5.2-integration", "fig-5.2-collision"},
                             *const titles[3] = {"S0 figure 5.2: stage of the model", "S0 figure 5.2: integration",
                                                 "S0 figure 5.2: collision"};
    for (int stage = 0; stage < 3; ++stage) {
        plot_curve curve = plot_start(&report->plots, names[stage], titles[stage], "particles", "ms a frame", true);
        for (int m = 0; m < MODELS; ++m)
            for (int g = 0; g < s->count; ++g) {
                const grid_times *t = &s->times[m][g];
                double seconds = stage == 0 ? t->model : stage == 1 ? t->integration : t->contact;
                plot_point(&curve, models[m].name, s->grids[g] * s->grids[g], 1e3 * seconds / s->frames);
            }
        plot_end(&curve);
    }
}

static void report_times(experiment_report *report, const study *s)
{
    char what[96];
    for (int g = 0; g < s->count; ++g)
        for (int m = 0; m < MODELS; ++m) {
            snprintf(what, sizeof what, "5.1: %d x %d, %s", s->grids[g], s->grids[g], models[m].name);
            experiment_row(report, what, "", 1e3 * s->times[m][g].whole / s->frames, "ms");
        }
    int last = s->count - 1;
    for (int m = 0; m < MODELS; ++m) {
        const grid_times *t = &s->times[m][last];
        const double stage[3] = {t->model, t->integration, t->contact};
        static const char *const names[3] = {"model", "integration", "collision"};
        for (int k = 0; k < 3; ++k) {
            snprintf(what, sizeof what, "5.2: %d x %d, %s, %s", s->grids[last], s->grids[last], models[m].name,
                     names[k]);
            experiment_row(report, what, "", 1e3 * stage[k] / s->frames, "ms");
        }
    }
}

static void compare(experiment_report *report, const study *s)
{
    int last = s->count - 1;
    const grid_times *forces = &s->times[FORCES][last], *constraints = &s->times[CONSTRAINTS][last],
                     *bent = &s->times[BENT][last], *unbent = &s->times[UNBENT][last];
    char what[96];
    snprintf(what, sizeof what, "5.1: constraints / forces (%d substeps)", s->substeps[last]);
    experiment_row(report, what, "almost 2", constraints->whole / forces->whole, "");
    experiment_row(report, "5.1: constraints / forces, as if with 10 substeps", "almost 2",
                   constraints->whole / (forces->whole * 10 / s->substeps[last]), "");
    experiment_row(report, "5.1: continuum with bend / without", "considerably more", bent->whole / unbent->whole, "");
    experiment_row(report, "5.1: continuum without bend / forces, as if with 10 substeps", "1 or less",
                   unbent->whole / (forces->whole * 10 / s->substeps[last]), "");
    experiment_row(report, "5.2: continuum with bend / without, stage of the model", "large",
                   bent->model / unbent->model, "");
    experiment_row(report, "5.2: continuum with bend / without, collision", "1", bent->contact / unbent->contact, "");
    for (int m = 0; m < MODELS; ++m) {
        snprintf(what, sizeof what, "5.3: %s, mean turn at a particle", models[m].name);
        experiment_row(report, what, m == FORCES || m == CONSTRAINTS ? "coarse folds" : "",
                       s->shape[m].turn * 180 / 3.14159265358979323846, "deg");
    }
    double apart = grid_apart(s->x[BENT], s->x[UNBENT], s->grids[last] * s->grids[last]);
    experiment_row(report, "5.3: continuum with and without bend, mean distance between both", "the same", apart, "m");
    if (report->quick)
        return;
    experiment_above(report,
                     "5.2: bending is a large part of the continuum's stage of the model: time with bend / without",
                     bent->model / unbent->model, 1.5, "");
    experiment_below(report, "5.2: bending does not change the time of collision: difference",
                     100 * fabs(bent->contact / unbent->contact - 1), 25, "%");
    experiment_below(report,
                     "5.3: with and without bend the continuum looks the same: mean distance in parts of its side",
                     100 * apart / SIDE, 5, "%");
}

static void report_rows(experiment_report *report, const study *s)
{
    draw(report, s);
    report_times(report, s);
    compare(report, s);
    experiment_note(
        report,
        "S0 draws times without numbers and describes them. Times here are means over the first 60 frames, in which "
        "the sheet falls and drapes, of the processor that wrote this page; ratios are what can be compared. They are "
        "not S0's because collision is another one: surfaces "
        "against surfaces, "
        "once a substep, which costs far more than the models. Springs of 500 N/m on a sheet of 2 m need more than 10 "
        "substeps from 21 x 21 on; their figures are also given as if with 10. Without the package that holds the "
        "bunny a lobed body "
        "stands in its place.");
}

void experiment_s0_models(experiment_report *report)
{
    static const int grids[MAX_GRIDS] = {11, 21, 31, 41, 51, 61, 71};
    study *s = calloc(1, sizeof *s);
    if (!s) {
        experiment_broken(report, "no memory");
        return;
    }
    memcpy(s->grids, grids, sizeof grids);
    s->count = report->quick ? 2 : MAX_GRIDS;
    s->frames = report->quick ? 5 : TIMED;
    bool done = true;
    for (int m = 0; m < MODELS && done; ++m)
        done = run_model(report, s, m);
    if (done)
        report_rows(report, s);
    free(s);
}
