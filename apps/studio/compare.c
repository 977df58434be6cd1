/* Two methods on the same scene, side by side under one camera: the second is a separate scene on its own thread.
   Changes in the physics panel apply to one side, all others to both. Both run in sync in simulated time, so that the
   pictures can be compared; the cost of each is shown below it. */
#include "studio/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static float distance_to_target(const camera *c)
{
    float sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += (c->position[k] - c->target[k]) * (c->position[k] - c->target[k]);
    return sqrtf(sum);
}

/* Half the width shows less: moves the camera back until everything is visible. */
static void step_back(app *a)
{
    const track *t = &a->tracks[SIDE_A];
    stage_box box;
    camera framed = a->cam;
    ui_rect r = view_rect(a, SIDE_A);
    a->single_cam = a->paired_cam = a->cam;
    if (!t->stage || !t->frame || !stage_bounds(t->stage, t->frame, &box))
        return;
    camera_frame_bounds(&framed, box.low, box.high, r.width / fmaxf(r.height, 1), 0.08f);
    if (distance_to_target(&framed) > distance_to_target(&a->cam))
        a->cam = a->paired_cam = framed;
}

static void start(app *a)
{
    track *b = &a->tracks[SIDE_B];
    tl_error error = {.code = TL_OK};
    tl_scene *scene = document_copy(a->tracks[SIDE_A].scene, &error);
    if (!scene) {
        app_alarm(a, SIDE_A, false, error.message);
        return;
    }
    *b = (track){.scene = scene, .sim = simulation_create(app_wake), .history = history_create()};
    if (!b->sim || !b->history) {
        view_destroy_track(b, 0);
        app_note(a, "There is no memory or no thread for a second simulation");
        return;
    }
    a->comparing = true;
    a->tab = SIDE_B;
    step_back(a);
    simulation_overlay(b->sim, tl_scene_look(scene)->overlay);
    simulation_speed(b->sim, a->settings.speed);
    simulation_follow(a->tracks[SIDE_A].sim, b->sim);
    simulation_follow(b->sim, a->tracks[SIDE_A].sim);
    bool playing = control_playing(a);
    document_reset(a); /* both start from the beginning */
    control_play(a, playing);
    view_stale(a);
}

static void end(app *a)
{
    input_cancel(a);
    simulation_follow(a->tracks[SIDE_A].sim, NULL);
    simulation_follow(a->tracks[SIDE_B].sim, NULL);
    a->comparing = false;
    a->tab = SIDE_A;
    if (memcmp(&a->cam, &a->paired_cam, sizeof a->cam) == 0) /* unchanged since */
        a->cam = a->single_cam;
    view_destroy_track(&a->tracks[SIDE_B], 0.1);
    view_stale(a);
}

void compare_pump(app *a)
{
    if (a->compare_wanted == a->comparing)
        return;
    if (a->recorder)
        app_note(a, "Not while recording");
    else
        (a->comparing ? end : start)(a);
    a->compare_wanted = a->comparing;
}

void compare_choice(const char *id, int *side)
{
    static const char *const names[] = {"A", "B"};
    float width = (ui_available_width() - 6) / SIDES;
    for (int k = 0; k < SIDES; ++k) {
        char button[96];
        snprintf(button, sizeof button, "%s=%s", id, names[k]);
        if (k > 0)
            ui_same_line();
        if (ui_toggle(button, names[k], NULL, k == *side, width))
            *side = k;
    }
}

/* ---- captions --------------------------------------------------------------------------------------------------- */

static const tl_cloth_def *first_cloth(const tl_scene *scene)
{
    for (int k = 0; k < tl_scene_object_count(scene); ++k) {
        tl_scene_object object = tl_scene_object_at(scene, k);
        if (object.group == &tl_cloth_params)
            return object.object;
    }
    return NULL;
}

void compare_captions(const app *a)
{
    for (int side = 0; a->comparing && side < SIDES; ++side) {
        const track *t = &a->tracks[side];
        const simulation_status *s = &t->status;
        const tl_cloth_def *cloth = first_cloth(t->scene);
        ui_rect r = view_rect(a, side);
        char title[128], method[160], cost[160], strain[160];
        snprintf(title, sizeof title, "%c   %s", 'A' + side, s->stepper ? s->stepper : "no cloth");
        snprintf(method, sizeof method, "%s, %d substeps, contact %s", cloth ? cloth->material : "-", s->substeps,
                 cloth ? cloth->contact : "-");
        snprintf(cost, sizeof cost, "%.2f ms per frame, t = %.2f s%s", 1e3 * s->mean_seconds, s->time,
                 s->unstable   ? ", UNSTABLE"
                 : s->building ? ", building"
                               : "");
        snprintf(strain, sizeof strain, "largest strain %.2f %%, %d contacts", 100 * s->strain, s->contacts);
        const char *lines[] = {method, cost, strain};
        paint_caption(r.x + 8, r.y + r.height - 8, r.width - 16 < 330 ? r.width - 16 : 330, title, lines, 3);
        if (side == SIDE_B)
            ui_draw_line(r.x, r.y, r.x, r.y + r.height, 2, (ui_shade){0.08f, 0.09f, 0.10f, 1});
    }
}
