/* The octree against brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "core/vec.h"
#include "telar/octree.h"

enum { FACES = 400 };
static tl_vec3 points[3 * FACES];
static int triangles[3 * FACES];

static void make(void)
{
    uint32_t n = 0;
    for (int k = 0; k < 3 * FACES; ++k) {
        tl_real v[3], spread = k % 60 < 3 ? 1 : (tl_real)0.1;
        for (int c = 0; c < 3; ++c)
            v[c] = (tl_real)tl_random_unit(3, (uint32_t)(3 * (k / 3) + c)) + spread * (tl_real)tl_random_unit(4, n++);
        points[k] = tl_v3(v[0], v[1], v[2]);
        triangles[k] = k;
    }
}

static bool touches(int f, tl_vec3 low, tl_vec3 high)
{
    /* samples of the face */
    for (int i = 0; i <= 24; ++i)
        for (int j = 0; j <= 24 - i; ++j) {
            tl_real s = (tl_real)i / 24, t = (tl_real)j / 24;
            tl_vec3 p = tl_add(tl_scale(points[3 * f], 1 - s - t),
                               tl_add(tl_scale(points[3 * f + 1], s), tl_scale(points[3 * f + 2], t)));
            if (p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z && p.z <= high.z)
                return true;
        }
    return false;
}

static void no_triangle_in_a_box_is_missed_and_each_comes_once(void **state)
{
    (void)state;
    make();
    for (int height = 1; height <= 7; height += 2) {
        tl_error error = {0};
        tl_octree *tree = tl_octree_create(points, triangles, FACES, height, NULL, &error);
        assert_non_null(tree);
        for (int q = 0; q < 200; ++q) {
            tl_vec3 low = {(tl_real)tl_random_unit(5, (uint32_t)(3 * q)) * 2,
                           (tl_real)tl_random_unit(5, (uint32_t)(3 * q + 1)) * 2,
                           (tl_real)tl_random_unit(5, (uint32_t)(3 * q + 2)) * 2};
            tl_vec3 high = tl_add(low, tl_v3((tl_real)0.05, (tl_real)0.1, (tl_real)0.02));
            int found[FACES];
            char times[FACES] = {0};
            int count = tl_octree_in_box(tree, low, high, found, FACES);
            assert_in_range(count, 0, FACES);
            for (int k = 0; k < count; ++k)
                ++times[found[k]];
            for (int f = 0; f < FACES; ++f) {
                assert_true(times[f] <= 1);
                if (!times[f])
                    assert_false(touches(f, low, high));
            }
        }
        if (height == 7) /* a fine tree returns few */
            assert_true(tl_octree_get_counts(tree).triangles < 200 * FACES / 20);
        tl_octree_destroy(tree);
    }
}

static void wrong_definitions_are_refused(void **state)
{
    (void)state;
    tl_error error = {0};
    assert_null(tl_octree_create(points, triangles, 0, 8, NULL, &error));
    assert_int_equal(error.code, TL_ERROR_INPUT);
    assert_null(tl_octree_create(points, triangles, FACES, 0, NULL, &error));
    assert_null(tl_octree_create(points, triangles, FACES, 11, NULL, NULL));
    tl_octree_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_triangle_in_a_box_is_missed_and_each_comes_once),
        cmocka_unit_test(wrong_definitions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
