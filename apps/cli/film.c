#include "cli/film.h"

#include "cli/cli.h"
#include "render/stage.h"
#include "render/video.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 480,
    HEIGHT = 720,
    SAMPLES = 4,
    FPS = 60,
    HOLD = 60, /* frames, of the last picture */
    CELLS = 5, /* of a row: placed, half closed, sewn, with all flesh, settled */
    MAX_ROWS = 8
};
static const size_t PIXELS = (size_t)4 * WIDTH * HEIGHT;

struct film {
    const char *strip;
    tl_scene *scene; /* for its look, light and camera, which are the defaults */
    render *renderer;
    render_target *target;
    stage *on_stage; /* of the garment at work */
    const tl_garment *garment;
    stage_frame *frame;
    camera cam; /* the same for all pictures */
    bool has_camera;
    video *clip;
    uint8_t *pixels;
    uint8_t *cells[MAX_ROWS][CELLS]; /* NULL: not reached */
    int rows, cell;                  /* of the captured frame; cell -1: none that the strip shows */
    bool drawn;                      /* the captured frame, in `pixels` */
};

static bool fail(const render_error *error)
{
    cli_fail(EXIT_FAILED, "%s", error->text);
    return false;
}

static bool open_all(film *f, const char *clip, render_error *error)
{
    f->scene = tl_scene_create();
    f->frame = stage_frame_create();
    f->pixels = malloc(PIXELS);
    if (!f->scene || !f->frame || !f->pixels) {
        render_error_set(error, "no memory for pictures");
        return false;
    }
    tl_scene_set(f->scene, "camera.field_of_view", "30", NULL, NULL);
    f->renderer = render_headless_create(&(render_def){.debug = false}, error);
    f->target = f->renderer ? render_target_create(f->renderer, WIDTH, HEIGHT, SAMPLES, error) : NULL;
    return f->target && (!clip || (f->clip = video_open(clip, WIDTH, HEIGHT, FPS, error)));
}

film *film_open(const char *clip, const char *strip)
{
    render_error error = {""};
    film *f = calloc(1, sizeof *f);
    if (!f) {
        cli_fail(EXIT_FAILED, "no memory for pictures");
        return NULL;
    }
    f->strip = strip;
    f->cell = -1;
    if (!open_all(f, clip, &error)) {
        fail(&error);
        f->strip = NULL;
        film_close(f);
        return NULL;
    }
    return f;
}

/* A new row, stage and, for the first garment, camera. */
static bool begin(film *f, tl_garment *garment, render_error *error)
{
    tl_world *world = tl_garment_world(garment);
    stage_box box;
    stage_destroy(f->on_stage);
    f->on_stage = stage_create(f->renderer, world, tl_scene_look(f->scene), "", error);
    f->garment = f->on_stage ? garment : NULL;
    if (f->garment && f->rows < MAX_ROWS)
        ++f->rows;
    if (f->garment && !f->has_camera && stage_bounds(f->on_stage, f->frame, &box)) {
        f->cam = stage_camera(tl_scene_camera(f->scene), &box, (float)WIDTH / HEIGHT, 0, 1);
        f->has_camera = true;
    }
    return f->garment != NULL;
}

/* Which picture of its row the present one is, until a later one of the same phase replaces it. */
static int cell_of(const tl_dress_report *report)
{
    enum { HALF = 20 }; /* frames of sewing */
    switch (report->phase) {
    case TL_DRESS_PLACE:
        return 0;
    case TL_DRESS_SEW:
        return report->frames == 0 ? 0 : report->frames_of[TL_DRESS_SEW] <= HALF ? 1 : -1;
    case TL_DRESS_MERGE:
        return 2;
    case TL_DRESS_GROW:
        return 3;
    default:
        return 4;
    }
}

static bool draw(film *f, render_error *error)
{
    stage_settings settings = {.cam = f->cam,
                               .look = *tl_scene_look(f->scene),
                               .light = *tl_scene_light(f->scene),
                               .quality = render_view_default().quality};
    f->drawn = f->drawn || stage_draw(f->on_stage, f->target, f->frame, &settings, error);
    if (f->drawn)
        render_target_read(f->target, f->pixels);
    return f->drawn;
}

/* The captured frame into the strip, when it is the last of its cell: nothing else has to be drawn for that. */
static bool keep_cell(film *f, render_error *error)
{
    if (!f->strip || !f->on_stage || f->rows == 0 || f->cell < 0)
        return true;
    uint8_t **kept = &f->cells[f->rows - 1][f->cell];
    if (!draw(f, error))
        return false;
    *kept = *kept ? *kept : malloc(PIXELS);
    if (*kept)
        memcpy(*kept, f->pixels, PIXELS);
    return true;
}

bool film_frame(film *f, tl_garment *garment)
{
    render_error error = {""};
    tl_world *world = tl_garment_world(garment);
    if (!world)
        return true; /* done */
    int cell = cell_of(tl_garment_report(garment));
    if ((cell != f->cell || f->garment != garment) && !keep_cell(f, &error))
        return fail(&error);
    f->cell = cell;
    f->drawn = false;
    if (!stage_frame_capture(f->frame, world, "none")) {
        cli_fail(EXIT_FAILED, "no memory to draw");
        return false;
    }
    if (f->garment != garment && !begin(f, garment, &error))
        return fail(&error);
    return !f->clip || (draw(f, &error) && video_frame(f->clip, f->pixels, &error)) || fail(&error);
}

/* The pictures of every garment side by side, without gaps for phases that it did not need. */
static bool write_strip(const film *f, render_error *error)
{
    int columns = 0;
    for (int row = 0; row < f->rows; ++row) {
        int count = 0;
        for (int k = 0; k < CELLS; ++k)
            count += f->cells[row][k] != NULL;
        columns = count > columns ? count : columns;
    }
    size_t line = (size_t)4 * WIDTH, width = line * (size_t)columns;
    uint8_t *all = columns > 0 ? calloc((size_t)f->rows * HEIGHT, width) : NULL;
    if (!all) {
        render_error_set(error, "%s: there is nothing to show, or no memory for it", f->strip);
        return false;
    }
    for (int row = 0; row < f->rows; ++row)
        for (int k = 0, column = 0; k < CELLS; ++k) {
            if (!f->cells[row][k])
                continue;
            for (int y = 0; y < HEIGHT; ++y)
                memcpy(all + ((size_t)row * HEIGHT + (size_t)y) * width + (size_t)column * line,
                       f->cells[row][k] + (size_t)y * line, line);
            ++column;
        }
    bool written = image_write_png(f->strip, columns * WIDTH, f->rows * HEIGHT, all, error);
    free(all);
    return written;
}

bool film_close(film *f)
{
    render_error error = {""};
    bool done = true;
    if (!f)
        return true;
    for (int k = 0; f->clip && f->garment && k < HOLD && done; ++k)
        done = video_frame(f->clip, f->pixels, &error);
    if (f->clip && !video_close(f->clip, &error))
        done = fail(&error);
    if (f->strip && (!keep_cell(f, &error) || !write_strip(f, &error)))
        done = fail(&error);
    for (int row = 0; row < MAX_ROWS; ++row)
        for (int k = 0; k < CELLS; ++k)
            free(f->cells[row][k]);
    stage_destroy(f->on_stage);
    stage_frame_destroy(f->frame);
    render_target_destroy(f->target);
    render_destroy(f->renderer);
    tl_scene_destroy(f->scene);
    free(f->pixels);
    free(f);
    return done;
}
