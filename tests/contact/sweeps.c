/* What the quick tests of paths against convex bodies leave out never comes near: compared with distances along the
   path, in the frame of a body that moves and turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collide/shapes/shapes.h"
#include "contact/body/prepared_body.h"
#include "core/random.h"

enum { COUNT = 32, ROUNDS = 4000, SAMPLES = 24, TESTS = 3 };
#define THICKNESS ((tl_real)0.01) /* m */

static tl_real wobble(int k, int seed) { return (tl_real)(2 * tl_random_unit((uint32_t)seed, (uint32_t)k) - 1); }

static tl_vec3 random_vector(int k, int seed, tl_real size)
{
    return tl_v3(size * wobble(k, seed), size * wobble(k, seed + 1), size * wobble(k, seed + 2));
}

static tl_pose random_pose(int k, tl_real reach, tl_real turn)
{
    tl_vec3 axis = random_vector(k, 10, turn);
    return (tl_pose){random_vector(k, 20, reach), tl_quat_normalized((tl_quat){axis.x, axis.y, axis.z, 1})};
}

/* The smallest distance of a path from the surface, in the body's frame, at samples. */
static tl_real least_distance(const tl_contact_body *body, tl_vec3 a, tl_vec3 b)
{
    tl_vec3 p0 = tl_pose_undo(body->from, a), p1 = tl_pose_undo(body->to, b), normal;
    tl_real least = INFINITY;
    for (int s = 0; s <= SAMPLES; ++s)
        least = tl_min(least, body->shape->distance(body->size, tl_lerp(p0, p1, (tl_real)s / SAMPLES), &normal));
    return least;
}

static void paths_left_out_do_not_come_near(void **state)
{
    (void)state;
    const tl_shape_class *const shapes[] = {&tl_shape_capsule, &tl_shape_ellipsoid, &tl_shape_box};
    static tl_real store[2][3][COUNT + 16], w[COUNT + 16];
    tl_particles p = {.count = COUNT, .w = w};
    tl_real *x_old[3];
    for (int c = 0; c < 3; ++c) {
        x_old[c] = store[0][c];
        p.x[c] = store[1][c];
    }
    tl_contact_cloth cloth = {.p = &p, .x_old = x_old, .thickness = THICKNESS};
    int near_paths = 0, left_out[TESTS] = {0};
    for (int n = 0; n < ROUNDS; ++n) {
        tl_contact_body body = {.shape = shapes[n % 3], .size = tl_v3((tl_real)0.1, (tl_real)0.25, (tl_real)0.17)};
        body.from = random_pose(n, (tl_real)0.1, 1);
        body.to = body.from;
        bool only_turns = n % 4 != 0;
        body.to.position = tl_add(body.to.position, random_vector(n, 30, only_turns ? 0 : (tl_real)0.05));
        if (n % 2 || only_turns) { /* turns by up to about a right angle */
            tl_vec3 axis = random_vector(n, 40, (tl_real)0.6);
            body.to.rotation =
                tl_quat_normalized(tl_quat_mul((tl_quat){axis.x, axis.y, axis.z, 1}, body.from.rotation));
        }
        tl_vec3 patch = random_vector(n, 50, only_turns ? (tl_real)0.3 : (tl_real)0.6);
        tl_vec3 common = random_vector(n, 60, only_turns ? 0 : n % 8 ? (tl_real)0.02 : (tl_real)0.1);
        tl_real jitter = only_turns ? (tl_real)0.001 : (tl_real)0.02;
        for (int i = 0; i < COUNT; ++i) {
            tl_vec3 a = tl_add(patch, random_vector(i + COUNT * n, 70, only_turns ? (tl_real)0.03 : (tl_real)0.1));
            tl_put(x_old, i, a);
            tl_put(p.x, i, tl_add(a, tl_add(common, random_vector(i + COUNT * n, 80, jitter))));
        }
        tl_prepared_body prepared = tl_prepare_body(&cloth, &body);
        tl_path_bounds bounds = tl_path_bounds_of(&cloth, 0, COUNT);
        tl_near near[TESTS][COUNT];
        bool any[TESTS] = {!tl_prepared_body_misses(&prepared, &bounds),
                           tl_prepared_body_sweep(&prepared, &cloth, 0, COUNT, near[1]),
                           tl_prepared_body_sweep_closely(&prepared, &cloth, 0, COUNT, near[2])};
        for (int i = 0; i < COUNT; ++i) {
            bool comes = least_distance(&body, tl_at(x_old, i), tl_at(p.x, i)) < THICKNESS;
            near_paths += comes;
            near[0][i] = any[0];
            for (int t = 0; t < TESTS; ++t) {
                assert_true(!comes || (any[t] && near[t][i]));
                left_out[t] += !near[t][i];
            }
        }
    }
    assert_true(near_paths > 100);
    for (int t = 0; t < TESTS; ++t)
        assert_true(left_out[t] > ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(paths_left_out_do_not_come_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
