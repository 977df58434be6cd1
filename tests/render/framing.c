/* Scenes without a camera of their own: whatever their size and place, the picture shows all of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/stage.h"

enum { WIDTH = 320, HEIGHT = 180 };
#define ASPECT ((float)WIDTH / HEIGHT)

static render *r;
static render_target *target;
static render_error error;

/* A scene on stage. */
typedef struct shown {
    tl_scene *scene;
    stage *on_stage;
    stage_frame *frame;
    stage_box box;
    bool any;
    camera cam;
} shown;

static shown show(const char *text)
{
    tl_error reason = {.code = TL_OK};
    shown s = {.scene = tl_scene_parse(text, strlen(text), NULL, &reason)};
    tl_world *world = s.scene ? tl_scene_build(s.scene, &reason) : NULL;
    if (!world)
        fail_msg("%s", reason.message);
    s.on_stage = stage_create(r, world, tl_scene_look(s.scene), "", &error);
    s.frame = stage_frame_create();
    assert_non_null(s.on_stage);
    assert_non_null(s.frame);
    assert_true(stage_frame_capture(s.frame, world, "none"));
    s.any = stage_bounds(s.on_stage, s.frame, &s.box);
    s.cam = stage_camera(tl_scene_camera(s.scene), s.any ? &s.box : NULL, ASPECT, 0, 1);
    return s;
}

static void clear(shown *s)
{
    stage_destroy(s->on_stage);
    stage_frame_destroy(s->frame);
    tl_scene_destroy(s->scene);
}

/* Largest distance of a vertex of cloth 0 from the middle of the picture, 1 at its border. */
static float reach(const shown *s, const camera *cam)
{
    int count;
    const float *x = stage_frame_positions(s->frame, 0, &count);
    float fullest = 0;
    for (int v = 0; v < count; ++v) {
        float pixel[2], depth;
        assert_true(camera_project(cam, x + 3 * v, WIDTH, HEIGHT, pixel, &depth));
        fullest = fmaxf(fullest, fmaxf(fabsf(2 * pixel[0] / WIDTH - 1), fabsf(2 * pixel[1] / HEIGHT - 1)));
    }
    return fullest;
}

/* The cloth's own colour is in the picture where its middle vertex is: neither clipped nor lost in fog. */
static void expect_seen(shown *s)
{
    static uint8_t picture[WIDTH * HEIGHT * 4];
    stage_settings settings = {.cam = s->cam,
                               .look = *tl_scene_look(s->scene),
                               .light = *tl_scene_light(s->scene),
                               .quality = render_view_default().quality};
    assert_true(stage_draw(s->on_stage, target, s->frame, &settings, &error));
    render_target_read(target, picture);
    int count;
    const float *x = stage_frame_positions(s->frame, 0, &count);
    float pixel[2], depth;
    assert_true(camera_project(&s->cam, x + 3 * (count / 2), WIDTH, HEIGHT, pixel, &depth));
    const uint8_t *colour = picture + 4 * ((int)pixel[1] * WIDTH + (int)pixel[0]);
    if (colour[1] < 10 + 5 * colour[0] / 4)
        fail_msg("%d %d %d at %g m", colour[0], colour[1], colour[2], (double)depth);
    assert_int_equal(render_gl_errors(r), 0);
}

static void scenes_of_any_size_and_place_are_framed(void **state)
{
    (void)state;
    static const double sizes[] = {0.01, 0.05, 2, 50, 100};
    static const double places[][3] = {{0, 0, 0}, {0, 1, 0}, {1000, 5, -300}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
        for (size_t p = 0; p < sizeof places / sizeof *places; ++p)
            for (int vertical = 0; vertical < 2; ++vertical) {
                char text[400];
                if (sizes[k] < 0.02 && p == 2)
                    continue; /* coordinates are 0.06 mm apart there */
                snprintf(text, sizeof text,
                         "{\"cloth\": [{\"columns\": 9, \"rows\": 9, \"width\": %g, \"height\": %g, \"plane\": \"%s\", "
                         "\"center\": [%g, %g, %g]}], \"look\": {\"cloth\": \"plain\"}, \"body\": [{\"shape\": "
                         "\"plane\", \"position\": [0, -200, 0]}]}",
                         sizes[k], sizes[k], vertical ? "vertical" : "horizontal", places[p][0], places[p][1],
                         places[p][2]);
                shown s = show(text);
                float fullest = reach(&s, &s.cam);
                assert_true(fullest > 0.6f && fullest < 0.95f);
                expect_seen(&s);
                clear(&s);
            }
}

static void bodies_are_framed_with_the_cloth(void **state)
{
    (void)state;
    shown s = show("{\"cloth\": [{\"columns\": 5, \"rows\": 5}], \"body\": [{\"shape\": \"box\", \"size\": [1, 1, 6], "
                   "\"position\": [3, 0, 0], \"rotation\": [0, 90, 0]}, {\"shape\": \"plane\"}]}");
    assert_true(fabsf(s.box.low[0] + 1) < 1e-4f && fabsf(s.box.high[0] - 6) < 1e-4f);
    assert_true(fabsf(s.box.low[2] + 1) < 1e-4f && fabsf(s.box.high[2] - 1) < 1e-4f);
    clear(&s);
}

/* A sheet that was seen from the side does not leave the picture when it is seen from the front. */
static void an_orbit_keeps_the_scene_in_the_picture(void **state)
{
    (void)state;
    shown s = show("{\"cloth\": [{\"columns\": 5, \"rows\": 5, \"width\": 5, \"height\": 1, \"plane\": \"vertical\", "
                   "\"rotation\": [0, 37, 0]}], \"camera\": {\"path\": \"orbit\"}}");
    for (int k = 0; k < 16; ++k) {
        camera cam = stage_camera(tl_scene_camera(s.scene), &s.box, ASPECT, k, 16);
        assert_true(reach(&s, &cam) < 0.98f);
    }
    clear(&s);
}

static void a_camera_with_a_place_keeps_it(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"cloth\": [{\"columns\": 5, \"rows\": 5}], \"camera\": {\"position\": [2.4, 1.8, 3.2]}}",
        "{\"cloth\": [{\"columns\": 5, \"rows\": 5}], \"camera\": {\"target\": [0, 0.6, 0]}}",
        "{\"cloth\": [{\"columns\": 5, \"rows\": 5}], \"camera\": {\"frame\": false}}"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        shown s = show(texts[k]);
        assert_true(fabsf(s.cam.position[0] - 2.4f) < 1e-6f && fabsf(s.cam.position[1] - 1.8f) < 1e-6f);
        assert_true(fabsf(s.cam.target[1] - 0.6f) < 1e-6f && fabsf(s.cam.target[2]) < 1e-6f);
        clear(&s);
    }
}

static void an_empty_scene_has_the_default_camera(void **state)
{
    (void)state;
    shown s = show("{}");
    assert_false(s.any);
    assert_true(fabsf(s.cam.position[0] - 2.4f) < 1e-6f);
    clear(&s);
}

static int start(void **state)
{
    (void)state;
    r = render_headless_create(&(render_def){.debug = true}, &error);
    target = r ? render_target_create(r, WIDTH, HEIGHT, 0, &error) : NULL;
    if (!target)
        print_error("%s\n", error.text);
    return target ? 0 : -1;
}

static int finish(void **state)
{
    (void)state;
    render_target_destroy(target);
    render_destroy(r);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_of_any_size_and_place_are_framed), cmocka_unit_test(bodies_are_framed_with_the_cloth),
        cmocka_unit_test(an_orbit_keeps_the_scene_in_the_picture), cmocka_unit_test(a_camera_with_a_place_keeps_it),
        cmocka_unit_test(an_empty_scene_has_the_default_camera),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
