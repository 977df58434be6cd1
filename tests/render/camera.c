/* Camera moves, framing, rays and paths; no OpenGL. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "camera.h"

static float distance(const float a[3], const float b[3])
{
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrtf(x * x + y * y + z * z);
}

static void framing_keeps_all_corners_in_the_picture_and_fills_it(void **state)
{
    (void)state;
    const float low[3] = {-0.3f, 0.0f, -2.0f}, high[3] = {1.7f, 0.4f, 2.5f};
    const int sizes[3][2] = {{1280, 720}, {300, 900}, {512, 512}};
    for (int turn = 0; turn < 12; ++turn)
        for (int k = 0; k < 3; ++k) {
            int width = sizes[k][0], height = sizes[k][1];
            camera cam = camera_default();
            camera_orbit(&cam, 0.55f * (float)turn, 0.2f * (float)(turn % 5) - 0.4f);
            camera_frame_bounds(&cam, low, high, (float)width / (float)height, 0.1f);
            float fullest = 0.0f;
            for (int corner = 0; corner < 8; ++corner) {
                const float p[3] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                                    corner & 4 ? high[2] : low[2]};
                float pixel[2], depth;
                assert_true(camera_project(&cam, p, width, height, pixel, &depth));
                float x = fabsf(2.0f * pixel[0] / (float)width - 1.0f),
                      y = fabsf(2.0f * pixel[1] / (float)height - 1.0f);
                assert_true(x < 0.905f && y < 0.905f);
                fullest = fmaxf(fullest, fmaxf(x, y));
            }
            assert_true(fullest > 0.8f);
        }
}

static void ray_through_a_projected_point_hits_it(void **state)
{
    (void)state;
    camera cam = camera_default();
    const float point[3] = {0.3f, 0.2f, -0.4f};
    float pixel[2], depth, origin[3], direction[3];
    assert_true(camera_project(&cam, point, 640, 360, pixel, &depth));
    camera_ray(&cam, pixel[0], pixel[1], 640, 360, origin, direction);
    float length = distance(origin, point);
    for (int k = 0; k < 3; ++k)
        assert_float_equal(origin[k] + direction[k] * length, point[k], 1e-4f);
    const float behind[3] = {cam.position[0] * 2.0f, cam.position[1] * 2.0f, cam.position[2] * 2.0f};
    assert_false(camera_project(&cam, behind, 640, 360, pixel, &depth));
}

static void moves_keep_what_they_promise(void **state)
{
    (void)state;
    camera cam = camera_default(), start = cam;
    float reach = distance(cam.position, cam.target);
    camera_orbit(&cam, 1.0f, 10.0f); // far over the pole: stops short of it
    assert_float_equal(distance(cam.position, cam.target), reach, 1e-4f);
    assert_true(cam.position[1] > cam.target[1] && cam.position[1] - cam.target[1] < reach);
    camera_trackball(&cam, -0.3f, 0.1f, 0.5f, 0.2f);
    assert_float_equal(distance(cam.position, cam.target), reach, 1e-4f);
    camera_zoom(&cam, 0.5f);
    assert_float_equal(distance(cam.position, cam.target), 0.5f * reach, 1e-4f);
    cam = start;
    camera_fly(&cam, 0.0f, 0.0f, 0.25f * reach);
    assert_float_equal(distance(cam.position, start.position), 0.25f * reach, 1e-4f);
    cam = start;
    camera_look(&cam, 0.3f, -0.2f);
    assert_float_equal(distance(cam.position, start.position), 0.0f, 0.0f);
    assert_float_equal(distance(cam.position, cam.target), reach, 1e-4f);
}

static void panning_moves_the_target_with_the_mouse(void **state)
{
    (void)state;
    camera cam = camera_default();
    float before[2], after[2], depth, point[3] = {cam.target[0], cam.target[1], cam.target[2]};
    camera_project(&cam, point, 1280, 720, before, &depth);
    camera_pan(&cam, 100.0f / 720.0f, 50.0f / 720.0f); // right and up
    camera_project(&cam, point, 1280, 720, after, &depth);
    assert_float_equal(after[0] - before[0], 100.0f, 0.1f);
    assert_float_equal(after[1] - before[1], -50.0f, 0.1f);
}

static void orbit_path_returns_after_a_turn(void **state)
{
    (void)state;
    camera base = camera_default();
    camera_path path = {.kind = CAMERA_ORBIT, .turns = 2.0f};
    camera end = camera_path_at(&path, &base, 5.0f, 5.0f), quarter = camera_path_at(&path, &base, 0.625f, 5.0f);
    assert_true(distance(end.position, base.position) < 1e-3f);
    assert_true(distance(quarter.position, base.position) > 1.0f);
    path.kind = CAMERA_STILL;
    end = camera_path_at(&path, &base, 3.0f, 5.0f);
    assert_true(distance(end.position, base.position) == 0.0f);
}

static void keyframes_are_met_and_joined_smoothly(void **state)
{
    (void)state;
    const camera_key keys[3] = {{.time = 1.0f, .position = {0, 0, 5}, .target = {0, 0, 0}},
                                {.time = 2.0f, .position = {2, 1, 4}, .target = {0, 1, 0}},
                                {.time = 4.0f, .position = {5, 0, 0}, .target = {0, 0, 0}}};
    camera base = camera_default();
    camera_path path = {.kind = CAMERA_KEYFRAMES, .keys = keys, .key_count = 3};
    for (int i = 0; i < 3; ++i) {
        camera cam = camera_path_at(&path, &base, keys[i].time, 4.0f);
        assert_true(distance(cam.position, keys[i].position) < 1e-5f);
        assert_true(distance(cam.target, keys[i].target) < 1e-5f);
    }
    assert_true(distance(camera_path_at(&path, &base, 0.0f, 4.0f).position, keys[0].position) == 0.0f);
    assert_true(distance(camera_path_at(&path, &base, 9.0f, 4.0f).position, keys[2].position) == 0.0f);
    // velocity just before and just after the middle key agrees
    float h = 1e-2f;
    camera a = camera_path_at(&path, &base, 2.0f - h, 4.0f), b = camera_path_at(&path, &base, 2.0f, 4.0f);
    camera c = camera_path_at(&path, &base, 2.0f + h, 4.0f);
    for (int k = 0; k < 3; ++k)
        assert_float_equal((b.position[k] - a.position[k]) / h, (c.position[k] - b.position[k]) / h, 0.1f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framing_keeps_all_corners_in_the_picture_and_fills_it),
        cmocka_unit_test(ray_through_a_projected_point_hits_it),
        cmocka_unit_test(moves_keep_what_they_promise),
        cmocka_unit_test(panning_moves_the_target_with_the_mouse),
        cmocka_unit_test(orbit_path_returns_after_a_turn),
        cmocka_unit_test(keyframes_are_met_and_joined_smoothly),
    };
    return cmocka_run_group_tests_name("render camera", tests, NULL, NULL);
}
