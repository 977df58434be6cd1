/* Pictures: takes frames from the simulations, draws what is stale, writes screenshots and clips. */
#include <epoxy/gl.h>

#include "studio/app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_SIZE = 16, SAMPLES_BEST = 4 };

ui_rect view_rect(const app *a, int side)
{
    ui_rect r = a->viewport;
    if (a->comparing) {
        r.width = floorf(r.width / 2);
        r.x += side == SIDE_B ? r.width : 0;
    }
    return r;
}

void view_stale(app *a)
{
    for (int side = 0; side < SIDES; ++side)
        a->tracks[side].stale = true;
    a->redraws = a->redraws > 2 ? a->redraws : 2;
}

/* ---- from the simulations --------------------------------------------------------------------------------------- */

static void make_stage(app *a, track *t, tl_world *world)
{
    render_error error;
    tl_look_def look = *tl_scene_look(t->scene);
    stage_destroy(t->stage);
    picker_destroy(t->picker);
    t->frame = NULL;
    t->stage = stage_create(a->renderer, world, &look, tl_scene_folder(t->scene), &error);
    if (!t->stage && look.texture[0]) { /* an unreadable texture must not hide the cloth */
        app_note(a, "%s", error.text);
        look.texture[0] = 0;
        t->stage = stage_create(a->renderer, world, &look, "", &error);
    }
    if (!t->stage)
        app_note(a, "%s", error.text);
    t->picker = picker_create(world);
    t->staged = simulation_get_status(t->sim).generation;
    t->stale = true;
    simulation_staged(t->sim);
}

static void take_frame(app *a, track *t)
{
    unsigned generation;
    uint64_t version;
    if (a->recorder && recorder_full(a->recorder))
        return;
    const stage_frame *frame = simulation_frame(t->sim, &generation, &version);
    t->frame = frame && t->stage && generation == t->staged ? frame : NULL;
    if (version != t->version && t->frame) {
        t->version = version;
        t->stale = true;
    }
    if (t->frame && t->started != t->staged && stage_bounds(t->stage, t->frame, &t->start)) {
        t->started = t->staged;
        t->has_start = true;
        if (t == &a->tracks[SIDE_A] && memcmp(&a->cam, &a->framed, sizeof a->cam) == 0)
            view_scene_camera(a);
    }
}

void view_pump(app *a)
{
    simulation_sample samples[64];
    simulation_event event;
    for (int side = 0; side < control_sides(a); ++side) {
        track *t = &a->tracks[side];
        while (simulation_next_event(t->sim, &event)) {
            document_answer(a, side, &event);
            a->redraws = 3;
        }
        tl_world *world = simulation_stage_wanted(t->sim);
        if (world)
            make_stage(a, t, world);
        bool playing = t->status.playing, building = t->status.building;
        unsigned generation = t->status.generation;
        t->status = simulation_get_status(t->sim);
        if (playing != t->status.playing || building != t->status.building)
            a->redraws = 3;
        if (generation != t->status.generation)
            input_cancel(a);
        for (int count; (count = simulation_samples(t->sim, samples, 64)) > 0;)
            for (int k = 0; k < count; ++k)
                history_add(t->history, &samples[k]);
        take_frame(a, t);
    }
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

/* Software OpenGL pays for every sample: the picture may be coarser while things move, and is redrawn at best quality
   when they rest. Clips are always recorded at full quality. */
static const struct level {
    float scale;
    int samples;
} levels[] = {{1, 4}, {1, 0}, {0.8f, 0}, {0.65f, 0}};
enum { LEVELS = sizeof levels / sizeof *levels };

#define SLOW (1 / 30.5) /* s, a frame longer than this is slow */
#define FAST (1 / 40.0) /* s */
#define SLOW_ENOUGH 0.5 /* s of consecutive slow frames, then the level falls */
#define FAST_ENOUGH 1.5 /* s of fast ones, then it rises; doubled after each rise that did not last */
#define LASTING 5.0     /* s, a rise that lasts */
#define MAX_PATIENCE 60.0
#define REST 0.3 /* s, after which things rest */

static int level_of(const app *a)
{
    const tl_scene *scene = a->tracks[SIDE_A].scene;
    bool legend = scene && strcmp(tl_scene_look(scene)->overlay, "none") != 0;
    if (a->recorder)
        return 0;
    return legend && a->level > 1 ? 1 : a->level; /* a legend must stay readable, so its picture is not scaled */
}

void view_pace(app *a, double seconds)
{
    a->slow_time = seconds > SLOW ? a->slow_time + seconds : 0;
    a->fast_time = seconds < FAST ? a->fast_time + seconds : 0;
    a->level_time += seconds;
    if (a->slow_time > SLOW_ENOUGH && a->level + 1 < LEVELS) {
        bool failed = a->level_rose && a->level_time < LASTING;
        a->patience = failed ? fmin(2 * fmax(a->patience, FAST_ENOUGH), MAX_PATIENCE) : a->patience;
        ++a->level;
        a->level_rose = false;
    } else if (a->fast_time > fmax(a->patience, FAST_ENOUGH) && a->level > 0) {
        --a->level;
        a->level_rose = true;
    } else {
        return;
    }
    a->level_time = 0;
    a->slow_time = a->fast_time = 0;
    view_stale(a);
}

static stage_settings settings_of(const app *a, const track *t, render_quality quality)
{
    return (stage_settings){
        .cam = a->cam, .look = *tl_scene_look(t->scene), .light = *tl_scene_light(t->scene), .quality = quality};
}

/* Recreates the target when its size or number of samples changed. */
static bool fit_target(app *a, render_target **target, int width, int height, int samples)
{
    render_error error;
    if (*target && render_target_width(*target) == width && render_target_height(*target) == height)
        return false;
    render_target_destroy(*target);
    *target = render_target_create(a->renderer, width, height, samples, &error);
    if (!*target)
        app_note(a, "%s", error.text);
    return true;
}

/* Fits the pictures to their rectangles. */
static void fit(app *a)
{
    static int shown_level = -1;
    struct level l = levels[level_of(a)];
    for (int side = 0; side < control_sides(a); ++side) {
        track *t = &a->tracks[side];
        ui_rect r = view_rect(a, side);
        int width = (int)fmaxf(r.width, MIN_SIZE), height = (int)fmaxf(r.height, MIN_SIZE);
        if (level_of(a) != shown_level) { /* levels may differ in samples alone */
            render_target_destroy(t->target);
            t->target = NULL;
        }
        if (fit_target(a, &t->target, (int)((float)width * l.scale), (int)((float)height * l.scale), l.samples))
            t->stale = true;
        if (t->fine && (render_target_width(t->fine) != width || render_target_height(t->fine) != height)) {
            render_target_destroy(t->fine);
            t->fine = NULL;
            t->fine_shown = false;
            t->stale = true;
        }
    }
    shown_level = level_of(a);
}

void view_present(const app *a, int width, int height)
{
    float across = (float)width / (float)a->settings.width, down = (float)height / (float)a->settings.height;
    for (int side = 0; side < control_sides(a); ++side) {
        const track *t = &a->tracks[side];
        const render_target *shown = t->fine_shown ? t->fine : t->target;
        ui_rect r = view_rect(a, side);
        if (!shown || !t->stage || !t->frame) { /* not yet */
            glBindFramebuffer(GL_FRAMEBUFFER, 0);
            glClearColor(0.1f, 0.1f, 0.1f, 1);
            glClear(GL_COLOR_BUFFER_BIT);
            continue;
        }
        /* OpenGL's origin is at the bottom */
        render_target_present(shown, 0, (int)(r.x * across), height - (int)((r.y + r.height) * down),
                              (int)(r.width * across), (int)(r.height * down));
    }
}

bool view_may_improve(const app *a)
{
    const track *t = &a->tracks[SIDE_A];
    return level_of(a) > 0 && t->stage && t->frame && !t->fine_shown && a->drag.kind == DRAG_NONE &&
           studio_seconds() - a->moved_at > REST;
}

static void draw_into(app *a, track *t, render_target *target, render_quality quality)
{
    render_error error;
    stage_settings s = settings_of(a, t, quality);
    if (target && !stage_draw(t->stage, target, t->frame, &s, &error))
        app_note(a, "%s", error.text);
}

void view_draw(app *a)
{
    fit(a);
    bool improve = view_may_improve(a);
    for (int side = 0; side < control_sides(a); ++side) {
        track *t = &a->tracks[side];
        if (!t->stage || !t->frame)
            continue;
        if (t->stale || a->cam_moved) {
            draw_into(a, t, t->target, render_quality_interactive());
            t->stale = t->fine_shown = false;
            a->moved_at = studio_seconds();
        } else if (improve) {
            ui_rect r = view_rect(a, side);
            fit_target(a, &t->fine, (int)fmaxf(r.width, MIN_SIZE), (int)fmaxf(r.height, MIN_SIZE), SAMPLES_BEST);
            draw_into(a, t, t->fine, (render_quality){.shadow_size = 1024, .shadow_taps = 9});
            t->fine_shown = t->fine != NULL;
        }
    }
    a->cam_moved = false;
    glFlush();
}

void view_destroy_track(track *t, double patience)
{
    simulation_destroy(t->sim, patience);
    stage_destroy(t->stage);
    picker_destroy(t->picker);
    render_target_destroy(t->target);
    render_target_destroy(t->fine);
    history_destroy(t->history);
    tl_scene_destroy(t->scene);
    *t = (track){0};
}

/* ---- the camera ------------------------------------------------------------------------------------------------- */

void view_scene_camera(app *a)
{
    const track *t = &a->tracks[SIDE_A];
    const tl_scene_def *info = tl_scene_info(t->scene);
    const tl_camera_def *def = tl_scene_camera(t->scene);
    ui_rect r = view_rect(a, SIDE_A);
    a->cam = stage_camera(def, t->has_start ? &t->start : NULL, r.width / fmaxf(r.height, 1), 0,
                          info->frames / (double)info->fps);
    a->framed = def->frame ? a->cam : (camera){.fov_y = 0};
    a->cam_moved = true;
}

void view_frame_scene(app *a)
{
    const track *t = &a->tracks[SIDE_A];
    stage_box box;
    if (!t->stage || !t->frame || !stage_bounds(t->stage, t->frame, &box))
        return;
    ui_rect r = view_rect(a, SIDE_A);
    a->cam.up[0] = a->cam.up[2] = 0;
    a->cam.up[1] = 1;
    camera_frame_bounds(&a->cam, box.low, box.high, r.width / fmaxf(r.height, 1), 0.12f);
    a->cam_moved = true;
}

/* ---- screenshots ------------------------------------------------------------------------------------------------ */

static void copy_beside(uint8_t *to, int to_width, int at_x, const uint8_t *from, int width, int height)
{
    for (int y = 0; y < height; ++y)
        memcpy(to + 4 * ((size_t)y * (size_t)to_width + (size_t)at_x), from + 4 * (size_t)y * (size_t)width,
               4 * (size_t)width);
}

/* Pictures of all sides, side by side; NULL when something is missing. */
static uint8_t *picture_of(const app *a, render_target *const targets[SIDES], int *width, int *height)
{
    int sides = control_sides(a), w = render_target_width(targets[0]), h = render_target_height(targets[0]);
    size_t bytes = 4 * (size_t)w * (size_t)h;
    uint8_t *whole = malloc(bytes * (size_t)sides), *one = malloc(bytes);
    for (int side = 0; whole && one && side < sides; ++side) {
        render_target_read(targets[side], one);
        copy_beside(whole, w * sides, w * side, one, w, h);
    }
    if (!one) {
        free(whole);
        whole = NULL;
    }
    free(one);
    *width = w * sides;
    *height = h;
    return whole;
}

/* Draws once more with the best quality, so that a screenshot is better than the window. */
bool view_screenshot(app *a, char *file_name, int size)
{
    render_target *targets[SIDES] = {NULL};
    render_error error = {""};
    uint8_t *rgba = NULL;
    bool drawn = app_output_name(a, ".png", file_name, (size_t)size);
    for (int side = 0; drawn && side < control_sides(a); ++side) {
        track *t = &a->tracks[side];
        ui_rect r = view_rect(a, side);
        drawn = t->stage && t->frame;
        if (!drawn)
            break;
        stage_settings s = settings_of(a, t, render_view_default().quality);
        targets[side] = render_target_create(a->renderer, (int)r.width, (int)r.height, SAMPLES_BEST, &error);
        drawn = targets[side] && stage_draw(t->stage, targets[side], t->frame, &s, &error);
    }
    int width, height;
    if (drawn)
        rgba = picture_of(a, targets, &width, &height);
    bool written = rgba && image_write_png(file_name, width, height, rgba, &error);
    if (written) {
        app_note(a, "Screenshot %s", file_name);
        snprintf(a->last_file, sizeof a->last_file, "%s", file_name);
    } else {
        app_note(a, "No screenshot: %s", error.text[0] ? error.text : "nothing is drawn yet");
    }
    for (int side = 0; side < SIDES; ++side)
        render_target_destroy(targets[side]);
    free(rgba);
    return written;
}

/* ---- clips ------------------------------------------------------------------------------------------------------ */

static void start_recording(app *a)
{
    char message[512];
    bool clip = video_available();
    ui_rect r = view_rect(a, SIDE_A);
    int width = (int)r.width * control_sides(a), height = (int)r.height;
    if (!app_output_name(a, clip ? ".mp4" : "-frames", a->record_name, sizeof a->record_name))
        return;
    int fps = (int)lround((double)tl_scene_info(a->tracks[SIDE_A].scene)->fps);
    a->recorder = recorder_open(a->record_name, width, height, fps > 0 ? fps : 60, message, sizeof message);
    if (!a->recorder) {
        app_note(a, "Cannot record: %s", message);
        return;
    }
    a->record_from = a->drawn + 1; /* the current picture has another level of detail */
    for (int side = 0; side < control_sides(a); ++side) {
        a->recorded[side] = 0;
        simulation_lockstep(a->tracks[side].sim, true);
    }
    if (!clip)
        app_note(a, "There is no ffmpeg: recording PNG files into %s", a->record_name);
    if (!control_playing(a))
        control_play(a, true);
}

static void stop_recording(app *a)
{
    recorder_finish(a->recorder);
    for (int side = 0; side < control_sides(a); ++side)
        simulation_lockstep(a->tracks[side].sim, false);
}

void view_record_toggle(app *a)
{
    if (!a->recorder)
        start_recording(a);
    else
        stop_recording(a);
}

/* Adds the picture when every side has a new one; ends when the encoder is done. */
void view_record(app *a)
{
    char message[512];
    if (!a->recorder || a->drawn < a->record_from)
        return;
    if (recorder_finished(a->recorder, message, sizeof message)) {
        a->recorder = NULL;
        snprintf(a->last_file, sizeof a->last_file, "%s", a->record_name);
        if (message[0])
            app_note(a, "Recording failed: %s", message);
        else
            app_note(a, "Recorded %s", a->record_name);
        return;
    }
    render_target *targets[SIDES] = {a->tracks[SIDE_A].target, a->tracks[SIDE_B].target};
    for (int side = 0; side < control_sides(a); ++side)
        if (a->tracks[side].version == a->recorded[side] || a->tracks[side].stale || !targets[side])
            return;
    if (recorder_full(a->recorder))
        return;
    int width, height;
    uint8_t *rgba = picture_of(a, targets, &width, &height);
    if (rgba && recorder_add(a->recorder, rgba, width, height)) {
        for (int side = 0; side < control_sides(a); ++side)
            a->recorded[side] = a->tracks[side].version;
    } else {
        app_note(a, "The viewport changed its size: the recording ends here");
        stop_recording(a);
    }
}
