#include "cli/experiment/experiment.h"

#include "cli/cli.h"
#include "cli/frames.h"

#include <stdarg.h>
#include <string.h>

#define EXPERIMENT(group, name, help) void experiment_##group##_##name(experiment_report *report);
#include "cli/experiment/experiments.inl"
#undef EXPERIMENT

const experiment experiment_list[] = {
#define EXPERIMENT(group, name, help) {#group "/" #name, help, experiment_##group##_##name},
#include "cli/experiment/experiments.inl"
#undef EXPERIMENT
};
const int experiment_count = (int)(sizeof experiment_list / sizeof *experiment_list);

/* ---- the table ------------------------------------------------------------------------------------------------- */

void experiment_row(experiment_report *report, const char *what, const char *published, double ours, const char *unit)
{
    printf("  %-52s %-22s %12.6g %s\n", what, published, ours, unit);
    fflush(stdout);
    if (report->table)
        fprintf(report->table, "\"%s\",\"%s\",%.9g,\"%s\"\n", what, published, ours, unit);
    page_row(report->page, what, published, ours, unit);
}

void experiment_expect(experiment_report *report, bool holds, const char *format, ...)
{
    char outcome[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome, sizeof outcome, format, arguments);
    va_end(arguments);
    printf("  %s %s\n", holds ? "holds:" : "FAILS:", outcome);
    fflush(stdout);
    report->failed += !holds;
    page_outcome(report->page, holds, outcome);
}

static void expect_bound(experiment_report *report, const char *claim, bool holds, double measured, const char *side,
                         double bound, const char *unit)
{
    const char *space = unit[0] ? " " : "";
    experiment_expect(report, holds, "%s: %.4g%s%s, %s%s %.4g%s%s", claim, measured, space, unit, holds ? "" : "not ",
                      side, bound, space, unit);
}

void experiment_below(experiment_report *report, const char *claim, double measured, double bound, const char *unit)
{
    expect_bound(report, claim, measured < bound, measured, "below", bound, unit);
}

void experiment_above(experiment_report *report, const char *claim, double measured, double bound, const char *unit)
{
    expect_bound(report, claim, measured > bound, measured, "above", bound, unit);
}

void experiment_note(experiment_report *report, const char *note)
{
    printf("  %s\n", note);
    page_note(report->page, note);
}

void experiment_broken(experiment_report *report, const char *reason)
{
    experiment_expect(report, false, "%s", reason);
    cli_fail(EXIT_FAILED, "%s", reason);
}

/* ---- scenes ---------------------------------------------------------------------------------------------------- */

static const char *cloth_path(char *path, size_t size, int cloth)
{
    snprintf(path, size, "cloth[%d].stable.on", cloth);
    return path;
}

tl_scene *experiment_scene(experiment_report *report, const char *name)
{
    tl_error error = {0};
    tl_scene *scene = tl_scene_load(name, &error);
    if (!scene)
        experiment_broken(report, error.message);
    /* studies are of the step that they take, stable or not */
    char path[64];
    for (int k = 0; scene && tl_scene_set(scene, cloth_path(path, sizeof path, k), "false", NULL, NULL) == TL_OK; ++k) {
    }
    return scene;
}

bool experiment_set(experiment_report *report, tl_scene *scene, const char *path, const char *format, ...)
{
    char text[256];
    tl_error error = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (tl_scene_set(scene, path, text, NULL, &error) == TL_OK)
        return true;
    experiment_broken(report, error.message);
    return false;
}

bool experiment_continue(experiment_report *report, tl_scene *scene, int count)
{
    tl_world *world = tl_scene_world(scene);
    for (int f = 0; f < count; ++f) {
        if (cli_interrupted) {
            experiment_broken(report, "interrupted");
            return false;
        }
        if (tl_world_step(world, 1 / tl_scene_info(scene)->fps) != TL_OK) {
            experiment_broken(report, tl_last_error(world));
            return false;
        }
    }
    return true;
}

bool experiment_run(experiment_report *report, tl_scene *scene, int count)
{
    tl_error error = {0};
    if (!tl_scene_build(scene, &error)) {
        experiment_broken(report, error.message);
        return false;
    }
    return experiment_continue(report, scene, count);
}

void experiment_picture(experiment_report *report, tl_scene *scene, const char *name)
{
    char file[sizeof report->folder + 64];
    frames_def def = {.width = 720, .height = 720, .samples = 4, .scene_file = tl_scene_file(scene), .duration = 1};
    if (report->quick || !report->pictures)
        return;
    frames *pictures = frames_open(scene, &def);
    snprintf(file, sizeof file, "%s/%s.png", report->folder, name);
    report->pictures = pictures != NULL;
    if (!pictures)
        fputs("telar: no renderer: tables and curves are written without pictures\n", stderr);
    else if (frames_picture(pictures, file))
        page_picture(report->page, name);
    else
        report->plots.failed = true;
    frames_close(pictures);
}
