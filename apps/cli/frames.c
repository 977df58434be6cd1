#include "cli/frames.h"

#include "cli/cli.h"
#include "render/stage.h"
#include "render/video.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CLIPS = 3 };

struct frames {
    const tl_scene *scene;
    frames_def def;
    render *renderer;
    render_target *target;
    stage *on_stage;
    stage_frame *frame;
    stage_box start; /* bounds of the starting state */
    bool has_start;
    video *clips[MAX_CLIPS];
    uint8_t *pixels;
};

static bool fail(const render_error *error)
{
    cli_fail(EXIT_FAILED, "%s", error->text);
    return false;
}

static void folder_of(const char *file, char *folder, size_t size)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    snprintf(folder, size, "%.*s", slash ? (int)(slash - file) : 0, slash ? file : "");
}

static bool open_all(frames *f, render_error *error)
{
    char folder[1024];
    folder_of(f->def.scene_file, folder, sizeof folder);
    f->renderer = render_headless_create(&(render_def){.debug = f->def.debug}, error);
    f->target =
        f->renderer ? render_target_create(f->renderer, f->def.width, f->def.height, f->def.samples, error) : NULL;
    f->on_stage =
        f->target ? stage_create(f->renderer, tl_scene_world(f->scene), tl_scene_look(f->scene), folder, error) : NULL;
    if (!f->on_stage)
        return false;
    f->frame = stage_frame_create();
    f->pixels = malloc(4 * (size_t)f->def.width * (size_t)f->def.height);
    if (!f->frame || !f->pixels) {
        render_error_set(error, "no memory for pictures of %d x %d", f->def.width, f->def.height);
        return false;
    }
    if (!stage_frame_capture(f->frame, tl_scene_world(f->scene), "none")) {
        render_error_set(error, "no memory to draw");
        return false;
    }
    f->has_start = stage_bounds(f->on_stage, f->frame, &f->start);
    int fps = (int)((double)tl_scene_info(f->scene)->fps + 0.5);
    for (int k = 0; k < MAX_CLIPS; ++k)
        if (f->def.clips[k] && !(f->clips[k] = video_open(f->def.clips[k], f->def.width, f->def.height, fps, error)))
            return false;
    return true;
}

frames *frames_open(const tl_scene *scene, const frames_def *def)
{
    render_error error = {""};
    frames *f = calloc(1, sizeof *f);
    if (!f) {
        cli_fail(EXIT_FAILED, "no memory for pictures");
        return NULL;
    }
    f->scene = scene;
    f->def = *def;
    if (!open_all(f, &error)) {
        fail(&error);
        frames_close(f);
        return NULL;
    }
    return f;
}

static bool draw(frames *f)
{
    render_error error = {""};
    const tl_look_def *look = tl_scene_look(f->scene);
    tl_world *world = tl_scene_world(f->scene);
    if (!stage_frame_capture(f->frame, world, look->overlay)) {
        cli_fail(EXIT_FAILED, "no memory to draw");
        return false;
    }
    camera cam = stage_camera(tl_scene_camera(f->scene), f->has_start ? &f->start : NULL,
                              (float)f->def.width / (float)f->def.height, tl_world_time(world), f->def.duration);
    stage_settings settings = {
        .cam = cam, .look = *look, .light = *tl_scene_light(f->scene), .quality = render_view_default().quality};
    if (!stage_draw(f->on_stage, f->target, f->frame, &settings, &error))
        return fail(&error);
    render_target_read(f->target, f->pixels);
    if (f->def.debug && render_gl_errors(f->renderer) > 0) {
        cli_fail(EXIT_FAILED, "%d OpenGL errors", render_gl_errors(f->renderer));
        return false;
    }
    return true;
}

bool frames_add(frames *f, int number)
{
    render_error error = {""};
    if (!draw(f))
        return false;
    if (f->def.folder) {
        char name[4200];
        snprintf(name, sizeof name, "%s/frame%05d.png", f->def.folder, number);
        if (!image_write_png(name, f->def.width, f->def.height, f->pixels, &error))
            return fail(&error);
    }
    for (int k = 0; k < MAX_CLIPS; ++k)
        if (f->clips[k] && !video_frame(f->clips[k], f->pixels, &error))
            return fail(&error);
    return true;
}

bool frames_picture(frames *f, const char *file_name)
{
    render_error error = {""};
    return draw(f) && (image_write_png(file_name, f->def.width, f->def.height, f->pixels, &error) || fail(&error));
}

bool frames_close(frames *f)
{
    render_error error = {""};
    bool done = true;
    if (!f)
        return true;
    for (int k = 0; k < MAX_CLIPS; ++k)
        if (f->clips[k] && !video_close(f->clips[k], &error))
            done = fail(&error);
    stage_destroy(f->on_stage);
    stage_frame_destroy(f->frame);
    render_target_destroy(f->target);
    render_destroy(f->renderer);
    free(f->pixels);
    free(f);
    return done;
}
