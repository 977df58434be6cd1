/* `telar bench frame s1`: S1's tables 4.3 to 4.6, times of the parts of a frame of its box, with the published shares.
   One RK4 step per frame, the ball on the sheet, rendered solid, as in S1; without a renderer, no render column. */
#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "render/stage.h"

#include <stdlib.h>
#include <string.h>

enum {
    RENDER,
    INTEGRATION,
    COLLISION,
    MESH,
    FRAME,
    GRAVITY,
    SPRINGS,
    VOLUME,
    PRESSURE,
    FORCE,
    COLUMNS,
    MAX_FRAMES = 3200
};

static const struct {
    const char *name, *key;
    double published; /* share of a frame or of the force, % */
} columns[COLUMNS] = {{"render", "render", 36.77},      {"integration", "integration", 53.93},
                      {"collision", "collision", 0.60}, {"mesh", "mesh", 7.09},
                      {"frame", "frame", 100},          {"gravity", "gravity", 2.01},
                      {"springs", "springs", 28.50},    {"volume", "volume", 17.02},
                      {"pressure", "pressure", 69.42},  {"F", "force", 100}};

typedef struct s1_frames {
    tl_scene *scene;
    render *renderer; /* NULL: no pictures */
    render_target *target;
    stage *on_stage;
    stage_frame *frame;
    stage_settings settings;
    int count;
    double seconds[COLUMNS][MAX_FRAMES];
} s1_frames;

static void open_pictures(s1_frames *s)
{
    render_error error = {""};
    s->renderer = render_headless_create(&(render_def){.debug = false}, &error);
    s->target = s->renderer ? render_target_create(s->renderer, 800, 600, 0, &error) : NULL;
    s->on_stage =
        s->target ? stage_create(s->renderer, tl_scene_world(s->scene), tl_scene_look(s->scene), "", &error) : NULL;
    s->frame = stage_frame_create();
    s->settings = (stage_settings){.cam = stage_camera(tl_scene_camera(s->scene), NULL, 1, 0, 1),
                                   .look = *tl_scene_look(s->scene),
                                   .light = *tl_scene_light(s->scene),
                                   .quality = render_quality_interactive()};
    if (!s->on_stage)
        fprintf(stderr, "telar: %s: without pictures\n", error.text);
}

static void measure(s1_frames *s)
{
    render_error error = {""};
    tl_world *world = tl_scene_world(s->scene);
    double start = cli_seconds();
    tl_world_step(world, (tl_real)0.0025);
    tl_cloth_stats stats = tl_cloth_get_stats(tl_world_cloth(world, 0));
    double stepped = cli_seconds();
    if (s->frame)
        stage_frame_capture(s->frame, world, "none"); /* positions and normals, as S1's mesh update */
    double captured = cli_seconds();
    if (s->on_stage && stage_draw(s->on_stage, s->target, s->frame, &s->settings, &error)) {
        static uint8_t pixels[4 * 800 * 600];
        render_target_read(s->target, pixels); /* waits for the renderer */
    }
    double end = cli_seconds();
    const double now[COLUMNS] = {end - captured,
                                 stats.seconds_forces + stats.seconds_step,
                                 stats.seconds_contact,
                                 captured - stepped,
                                 end - start,
                                 stats.seconds_gravity,
                                 stats.seconds_elements,
                                 stats.seconds_volume,
                                 stats.seconds_gas,
                                 stats.seconds_forces};
    for (int c = 0; c < COLUMNS; ++c)
        s->seconds[c][s->count] = now[c];
    ++s->count;
}

/* Minimum, quartiles and maximum as in tables 4.3 and 4.4, then the shares of 4.5 and 4.6. */
static void print_table(s1_frames *s, int first, int last, const double mean[COLUMNS])
{
    static const char *const rows[5] = {"min", "Q1", "median", "Q3", "max"};
    printf("%-14s", first == RENDER ? "us per frame" : "us in F");
    for (int c = first; c <= last; ++c)
        printf(" %11s", columns[c].name);
    for (int r = 0; r < 5; ++r) {
        printf("\n%-14s", rows[r]);
        for (int c = first; c <= last; ++c)
            printf(" %11.2f", 1e6 * s->seconds[c][r * (s->count - 1) / 4]);
    }
    printf("\n%-14s", "mean");
    for (int c = first; c <= last; ++c)
        printf(" %11.2f", 1e6 * mean[c]);
    printf("\n%-14s", "share, %");
    for (int c = first; c <= last; ++c)
        printf(" %11.2f", 100 * mean[c] / mean[last]);
    if (first == RENDER) { /* software OpenGL dominates */
        printf("\n%-14s %11s", "of the rest, %", "");
        for (int c = first + 1; c < last; ++c)
            printf(" %11.2f", 100 * mean[c] / (mean[FRAME] - mean[RENDER]));
    }
    printf("\n%-14s", "published, %");
    for (int c = first; c <= last; ++c)
        printf(" %11.2f", columns[c].published);
    puts("\n");
}

static void report(s1_frames *s, bool json)
{
    double mean[COLUMNS] = {0};
    for (int c = 0; c < COLUMNS; ++c) {
        for (int f = 0; f < s->count; ++f)
            mean[c] += s->seconds[c][f] / s->count;
        bench_sort(s->seconds[c], s->count);
    }
    if (!json) {
        print_table(s, RENDER, FRAME, mean);
        print_table(s, GRAVITY, FORCE, mean);
        return;
    }
    printf("{\"frames\": %d", s->count);
    for (int c = 0; c < COLUMNS; ++c)
        printf(", \"%s\": {\"us\": %.3f, \"share\": %.4f, \"published\": %.4f}", columns[c].key, 1e6 * mean[c],
               mean[c] / mean[c <= FRAME ? FRAME : FORCE], columns[c].published / 100);
    fputs("}", stdout);
}

int bench_s1_frame(const bench_settings *settings)
{
    tl_error error = {0};
    s1_frames *s = calloc(1, sizeof *s);
    if (!s)
        return cli_fail(EXIT_FAILED, "not enough memory");
    s->scene = tl_scene_load("s1/box", &error);
    bool ready = s->scene && tl_scene_set(s->scene, "body[0].release_time", "0", NULL, &error) == TL_OK &&
                 tl_scene_build(s->scene, &error);
    if (ready) {
        open_pictures(s);
        for (int f = 0; f < 400; ++f) /* until the ball rests on the sheet */
            tl_world_step(tl_scene_world(s->scene), (tl_real)0.0025);
        int frames = settings->quick ? 20 : s->on_stage ? 400 : MAX_FRAMES;
        while (s->count < frames)
            measure(s);
        report(s, settings->json);
    } else {
        cli_fail(EXIT_FAILED, "%s", error.message);
    }
    stage_destroy(s->on_stage);
    stage_frame_destroy(s->frame);
    render_target_destroy(s->target);
    render_destroy(s->renderer);
    tl_scene_destroy(s->scene);
    free(s);
    return ready ? EXIT_DONE : EXIT_FAILED;
}
