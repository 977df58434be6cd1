/* The tiles of the window: Controls and Scene on the left, the viewport in the middle with Information below, Objects
   and Physics on the right; bars between them can be dragged. */
#include "studio/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAR 5.0f        /* px, between panels */
#define MIN_VIEW 160.0f /* px, minimum size of the viewport */
#define MIN_PANEL 90.0f /* px */

static float within(float value, float low, float high) { return fmaxf(low, fminf(value, fmaxf(low, high))); }

typedef struct tiles {
    ui_rect controls, scene, viewport, information, objects, physics;
    ui_rect left_bar, right_bar, bottom_bar, left_split, right_split;
} tiles;

static tiles tile(const settings *s)
{
    float w = (float)s->width, h = (float)s->height;
    float left = within(s->left, 180, 0.4f * w),
          right = within(s->right, 220, fminf(0.38f * w, w - left - MIN_VIEW - 2 * BAR));
    float bottom = within(s->bottom, MIN_PANEL, h - MIN_VIEW - BAR);
    float split_left = within(s->controls, MIN_PANEL, h - MIN_PANEL),
          split_right = within(s->right_split * h, MIN_PANEL, h - MIN_PANEL);
    float x = left + BAR, middle = w - left - right - 2 * BAR, view = h - bottom - BAR;
    float far = w - right;
    return (tiles){.controls = {0, 0, left, floorf(split_left)},
                   .left_split = {0, floorf(split_left), left, BAR},
                   .scene = {0, floorf(split_left) + BAR, left, h - floorf(split_left) - BAR},
                   .left_bar = {left, 0, BAR, h},
                   .viewport = {x, 0, floorf(middle), floorf(view)},
                   .bottom_bar = {x, view, middle, BAR},
                   .information = {x, view + BAR, middle, bottom},
                   .right_bar = {far - BAR, 0, BAR, h},
                   .objects = {far, 0, right, floorf(split_right)},
                   .right_split = {far, floorf(split_right), right, BAR},
                   .physics = {far, floorf(split_right) + BAR, right, h - floorf(split_right) - BAR}};
}

static void bars(settings *s, const tiles *t)
{
    float h = (float)s->height;
    s->left = within(s->left + ui_splitter("bar.left", t->left_bar, true), 180, 900);
    s->right = within(s->right - ui_splitter("bar.right", t->right_bar, true), 220, 900);
    s->bottom = within(s->bottom - ui_splitter("bar.bottom", t->bottom_bar, false), MIN_PANEL, 900);
    s->controls = within(s->controls + ui_splitter("bar.left_split", t->left_split, false), MIN_PANEL, 900);
    s->right_split = within(s->right_split + ui_splitter("bar.right_split", t->right_split, false) / h, 0.1f, 0.9f);
}

static void panels(app *a, const tiles *t)
{
    ui_panel_begin("Controls", t->controls);
    panel_controls(a);
    ui_panel_end();
    ui_panel_begin("Scene", t->scene);
    panel_params(a, PARAMS_SCENE);
    ui_panel_end();
    ui_panel_begin("Objects", t->objects);
    panel_params(a, PARAMS_OBJECTS);
    ui_panel_end();
    ui_panel_begin("Physics", t->physics);
    panel_params(a, PARAMS_PHYSICS);
    ui_panel_end();
    ui_panel_begin("Information", t->information);
    panel_information(a);
    ui_panel_end();
    bars(&a->settings, t);
}

/* ---- the viewport and its overlays ------------------------------------------------------------------------------ */

/* A bar with the phase, the largest gap of the seams and the crossings, while a garment is dressed. */
static void dressing_sign(const simulation_status *s, ui_rect view)
{
    char title[160], text[96];
    snprintf(title, sizeof title, s->dressing.count > 1 ? "%s (%d of %d)" : "%s", s->dressing.label,
             s->dressing.garment + 1, s->dressing.count);
    snprintf(text, sizeof text, "%s   gap %.1f mm   crossings %d", tl_dress_phase_name(s->dressing.phase),
             1e3 * s->dressing.seam_gap, s->dressing.crossings);
    float width = fminf(fmaxf(ui_text_width(UI_REGULAR, title), 320) + 24, view.width - 20);
    ui_rect box = {view.x + (view.width - width) / 2, view.y + 14, width, 78};
    ui_rect bar = {box.x + 12, box.y + 32, box.width - 24, 10}, filled = bar;
    filled.width = bar.width * within((float)s->dressing.done, 0, 1);
    ui_draw_box(box, 4, (ui_shade){0.09f, 0.10f, 0.11f, 0.88f});
    ui_clip(box);
    ui_draw_text(box.x + 12, box.y + 9, UI_REGULAR, title, 0, paint_text);
    ui_draw_box(bar, 3, (ui_shade){0.22f, 0.23f, 0.25f, 1});
    ui_draw_box(filled, 3, (ui_shade){0.95f, 0.80f, 0.45f, 1});
    ui_draw_text(box.x + 12, box.y + 50, UI_REGULAR, text, 0, (ui_shade){0.95f, 0.80f, 0.45f, 1});
    ui_unclip();
}

/* While a single step takes long, the window shows what it waits for. */
static void busy_sign(const app *a)
{
    for (int side = 0; side < control_sides(a); ++side) {
        const simulation_status *s = &a->tracks[side].status;
        ui_rect r = view_rect(a, side);
        char text[96];
        double busy = s->busy_since > 0 ? studio_seconds() - s->busy_since : 0;
        if (s->dressing.on) {
            dressing_sign(s, r);
            continue;
        }
        if (s->building)
            snprintf(text, sizeof text, "building the scene…");
        else if (busy > 0.5)
            snprintf(text, sizeof text, "this frame takes %.0f s so far…", busy);
        else
            continue;
        float width = ui_text_width(UI_REGULAR, text) + 20;
        ui_draw_box((ui_rect){r.x + r.width - width - 10, r.y + 10, width, 26}, 4,
                    (ui_shade){0.09f, 0.10f, 0.11f, 0.85f});
        ui_draw_text(r.x + r.width - width, r.y + 15, UI_REGULAR, text, 0, (ui_shade){0.95f, 0.80f, 0.45f, 1});
    }
}

/* What to do about a method that is far from its material. */
static void material_sign(const app *a)
{
    for (int side = 0; side < control_sides(a); ++side) {
        const char *text = a->tracks[side].status.advice;
        ui_rect r = view_rect(a, side);
        if (!text[0])
            continue;
        float wide = fminf(ui_text_width(UI_REGULAR, text) + 24, r.width - 20),
              lines = ceilf(ui_text_width(UI_REGULAR, text) / fmaxf(wide - 24, 1)), high = 10 + 18 * lines,
              y = r.y + r.height - 46 - high;
        ui_draw_box((ui_rect){r.x + 10, y, wide, high}, 4, (ui_shade){0.09f, 0.10f, 0.11f, 0.85f});
        ui_draw_text(r.x + 22, y + 5, UI_REGULAR, text, wide - 24, (ui_shade){0.95f, 0.80f, 0.45f, 1});
    }
}

/* The last note, for a few seconds. */
static void note(app *a)
{
    if (!a->note[0])
        return;
    ui_rect r = a->viewport;
    float wide = fminf(ui_text_width(UI_REGULAR, a->note) + 24, r.width - 20),
          y = a->comparing ? r.y + 12 : r.y + r.height - 40;
    ui_draw_box((ui_rect){r.x + 10, y, wide, 28}, 4, (ui_shade){0.09f, 0.10f, 0.11f, 0.88f});
    ui_draw_text(r.x + 22, y + 6, UI_REGULAR, a->note, 0, paint_text);
    if (studio_seconds() > a->note_until)
        a->note[0] = 0;
}

static void viewport(app *a)
{
    ui_pointer pointer = ui_viewport_begin(a->viewport);
    input_pointer(a, &pointer);
    input_marks(a);
    compare_captions(a);
    busy_sign(a);
    material_sign(a);
    note(a);
    ui_viewport_end();
}

/* Doubles the substeps, or their rate, of every cloth of the unstable side and continues. */
static void cure(app *a)
{
    const tl_scene *scene = a->tracks[a->alarm_side].scene;
    double fps = (double)tl_scene_info(scene)->fps, taken = fmax(a->tracks[a->alarm_side].status.substeps, 1);
    for (int k = 0; k < tl_scene_object_count(scene); ++k) {
        tl_scene_object object = tl_scene_object_at(scene, k);
        char path[96], text[32];
        if (object.group != &tl_cloth_params)
            continue;
        const tl_cloth_def *def = object.object;
        snprintf(path, sizeof path, "%s.%s", object.path, def->substeps > 0 ? "substeps" : "substep_rate");
        double rate = def->substep_rate > 0 ? (double)def->substep_rate : taken * fps;
        snprintf(text, sizeof text, "%.9g",
                 def->substeps > 0 ? fmin(2.0 * def->substeps, 10000) : fmin(2 * rate, 600000));
        document_set(a, a->comparing ? a->alarm_side : -1, path, text, true, true);
    }
    document_reset(a);
    control_play(a, true);
}

static void banner(app *a)
{
    float width = fminf(a->viewport.width - 40, 520);
    ui_rect place = {a->viewport.x + (a->viewport.width - width) / 2, a->viewport.y + 14, width, 300};
    if (!a->alarm[0])
        return;
    char title[64];
    snprintf(title, sizeof title, "%s%s", a->alarm_unstable ? "The method became unstable" : "This cannot be done",
             !a->comparing             ? ""
             : a->alarm_side == SIDE_A ? " (A)"
                                       : " (B)");
    ui_float_begin("alarm", place, true);
    ui_heading(title);
    ui_wrapped(a->alarm);
    ui_gap(2);
    bool cured = a->alarm_unstable && ui_button("alarm.cure", "Twice the substeps, start again", NULL, 0);
    if (a->alarm_unstable)
        ui_same_line();
    if (ui_button("alarm.dismiss", "Dismiss", NULL, 0) || cured)
        a->alarm[0] = 0;
    ui_float_end();
    if (cured)
        cure(a);
}

void layout_draw(app *a)
{
    tiles t = tile(&a->settings);
    if (!a->settings.panels)
        t.viewport = (ui_rect){0, 0, (float)a->settings.width, (float)a->settings.height};
    if (memcmp(&a->viewport, &t.viewport, sizeof t.viewport) != 0) {
        a->viewport = t.viewport;
        view_stale(a);
    }
    viewport(a);
    view_draw(a); /* software OpenGL works on it while the panels are built */
    if (a->settings.panels)
        panels(a, &t);
    banner(a);
    if (a->dialog == DIALOG_OPEN)
        panel_browser(a);
    else if (a->dialog == DIALOG_SAVE)
        panel_save(a);
    else if (a->dialog == DIALOG_HELP)
        panel_help(a);
}
