/* The controls: time, files, comparison. Also called by keys. */
#include "studio/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int control_sides(const app *a) { return a->comparing ? SIDES : 1; }

bool control_playing(const app *a)
{
    for (int side = 0; side < control_sides(a); ++side)
        if (a->tracks[side].status.playing)
            return true;
    return false;
}

void control_play(app *a, bool playing)
{
    for (int side = 0; side < control_sides(a); ++side) {
        a->tracks[side].status.playing = playing; /* shown at once, confirmed by the simulation */
        simulation_play(a->tracks[side].sim, playing);
    }
    if (playing && a->alarm_unstable)
        a->alarm[0] = 0;
}

void control_step(app *a)
{
    for (int side = 0; side < control_sides(a); ++side) {
        a->tracks[side].status.playing = false;
        simulation_step(a->tracks[side].sim);
    }
}

void control_speed(app *a, double speed)
{
    a->settings.speed = speed;
    for (int side = 0; side < control_sides(a); ++side)
        simulation_speed(a->tracks[side].sim, speed);
}

void control_drop(app *a)
{
    for (int side = 0; side < control_sides(a); ++side)
        simulation_body_drop(a->tracks[side].sim, document_ball(a));
    if (!control_playing(a))
        control_play(a, true);
}

static void transport(app *a)
{
    char name[LONGEST_NAME];
    bool playing = control_playing(a), ball = document_ball(a) >= 0;
    int count = ball ? 6 : 5;
    float size = fminf((ui_available_width() - 6 * (float)(count - 1)) / (float)count, 42);
    if (paint_icon_button("control.play", playing ? ICON_PAUSE : ICON_PLAY,
                          playing ? "Pause (P, Space)" : "Play (P, Space)", playing, size))
        control_play(a, !playing);
    ui_same_line();
    if (paint_icon_button("control.step", ICON_STEP, "One frame (Right arrow)", false, size))
        control_step(a);
    ui_same_line();
    if (paint_icon_button("control.reset", ICON_RESET, "Start again (R)", false, size))
        document_reset(a);
    ui_same_line();
    if (paint_icon_button("control.record", a->recorder ? ICON_STOP : ICON_RECORD,
                          a->recorder ? "Stop recording (V)" : "Record a clip of the viewport (V)", a->recorder != NULL,
                          size))
        view_record_toggle(a);
    ui_same_line();
    if (paint_icon_button("control.screenshot", ICON_CAMERA, "Screenshot of the viewport (S)", false, size))
        view_screenshot(a, name, sizeof name);
    if (ball) {
        ui_same_line();
        if (paint_icon_button("control.drop", ICON_BALL, "Drop the ball (B)", false, size))
            control_drop(a);
    }
}

static void files(app *a)
{
    float half = (ui_available_width() - 6) / 2;
    if (ui_button("control.open", "Open scene…", "Browse the scenes (O)", half)) {
        a->dialog = DIALOG_OPEN;
        a->dialog_new = true;
    }
    ui_same_line();
    if (ui_button("control.save", "Save scene…", "Save the scene with its changes (Ctrl+S)", half)) {
        a->dialog = DIALOG_SAVE;
        a->dialog_new = true;
    }
    if (ui_button("control.compare", a->comparing ? "End comparison" : "Compare methods",
                  "Two methods on this scene, side by side (C)", half))
        a->compare_wanted = !a->comparing;
    ui_same_line();
    if (ui_button("control.help", "Keys and help", "All keys and mouse actions (F1)", half)) {
        a->dialog = DIALOG_HELP;
        a->dialog_new = true;
    }
}

void panel_controls(app *a)
{
    const simulation_status *s = &a->tracks[SIDE_A].status;
    char text[160];
    transport(a);
    ui_field speed = {.id = "control.speed",
                      .label = "Speed",
                      .unit = "×",
                      .standard = "1",
                      .help = "Simulated time over real time; a simulation that cannot keep up runs slower.",
                      .differs = a->settings.speed != 1};
    double value = a->settings.speed;
    int done = ui_real(&speed, &value, 0.1, 4, true);
    if (done & UI_RESET)
        control_speed(a, 1);
    else if ((done & UI_TYPED) && sscanf(ui_typed(), "%lf", &value) == 1)
        done |= UI_CHANGED;
    if ((done & UI_CHANGED) && !(done & UI_RESET))
        control_speed(a, fmin(fmax(value, 0.01), 100));
    files(a);
    ui_separator();
    const char *title = tl_scene_info(a->tracks[SIDE_A].scene)->title;
    snprintf(text, sizeof text, "%s%s", title[0] ? title : "Untitled scene", a->changed ? " (changed)" : "");
    ui_heading(text);
    const char *state = s->dressing.on ? "dressing…"
                        : s->building  ? "building…"
                        : s->unstable  ? "stopped: unstable"
                        : s->playing   ? "playing"
                                       : "paused";
    if (a->recorder)
        snprintf(text, sizeof text, "recorded %d frames   %.2f s", recorder_frames(a->recorder), s->time);
    else
        snprintf(text, sizeof text, "%s   frame %ld   %.2f s", state, s->frame, s->time);
    ui_dim(text);
}
