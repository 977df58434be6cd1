/* B-splines over evenly spaced control points: their weights, what they reproduce, and least squares. */
#include "mesh_testing.h"

#include "mesh/spline.h"

static const int sizes[][2] = {{4, 4}, {9, 4}, {101, 8}, {101, 14}, {101, 20}, {64, 64}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static tl_spline make_spline(int k)
{
    tl_allocator heap = tl_allocator_or_default(NULL);
    tl_spline s;
    assert_true(tl_spline_build(&s, &heap, sizes[k][0], sizes[k][1]));
    return s;
}

static void drop(tl_spline *s)
{
    tl_allocator heap = tl_allocator_or_default(NULL);
    tl_spline_destroy(s, &heap);
}

static double value(const tl_spline *s, int i, const double *c)
{
    double sum = 0;
    for (int j = 0; j < TL_SPLINE_ORDER; ++j)
        sum += (double)s->weight[TL_SPLINE_ORDER * i + j] * c[s->first[i] + j];
    return sum;
}

static void weights_are_a_partition_of_unity_and_not_negative(void **state)
{
    (void)state;
    for (int k = 0; k < SIZES; ++k) {
        tl_spline s = make_spline(k);
        for (int i = 0; i < s.samples; ++i) {
            double sum = 0;
            assert_true(s.first[i] >= 0 && s.first[i] + TL_SPLINE_ORDER <= s.controls);
            for (int j = 0; j < TL_SPLINE_ORDER; ++j) {
                assert_true(s.weight[TL_SPLINE_ORDER * i + j] >= 0);
                sum += (double)s.weight[TL_SPLINE_ORDER * i + j];
            }
            assert_true(fabs(sum - 1) < (sizeof(tl_real) == 8 ? 1e-15 : 6e-8));
        }
        /* the ends are on the curve */
        assert_true(s.weight[0] == 1 && s.weight[TL_SPLINE_ORDER * s.samples - 1] == 1);
        drop(&s);
    }
}

static void evenly_spaced_control_points_give_evenly_spaced_samples(void **state)
{
    (void)state;
    double tolerance = sizeof(tl_real) == 8 ? 1e-14 : 3e-7, c[64];
    for (int k = 0; k < SIZES; ++k) {
        tl_spline s = make_spline(k);
        for (int j = 0; j < s.controls; ++j)
            c[j] = 2 - 3.0 * j / (s.controls - 1);
        for (int i = 0; i < s.samples; ++i)
            assert_true(fabs(value(&s, i, c) - (2 - 3.0 * i / (s.samples - 1))) < 3 * tolerance);
        drop(&s);
    }
}

static void inner_weights_are_those_of_the_uniform_cubic(void **state)
{
    (void)state;
    /* samples on the middle control points of nine: 1/6, 4/6, 1/6 */
    tl_allocator heap = tl_allocator_or_default(NULL);
    tl_spline s;
    assert_true(tl_spline_build(&s, &heap, 9, 9));
    const tl_real *w = s.weight + TL_SPLINE_ORDER * 4;
    double got[9] = {0};
    for (int j = 0; j < TL_SPLINE_ORDER; ++j)
        got[s.first[4] + j] += (double)w[j];
    assert_true(fabs(got[3] - 1 / 6.0) < 1e-6 && fabs(got[4] - 4 / 6.0) < 1e-6 && fabs(got[5] - 1 / 6.0) < 1e-6);
    drop(&s);
}

static void least_squares_find_the_control_points_of_a_curve(void **state)
{
    (void)state;
    for (int k = 0; k < SIZES - 1; ++k) {
        tl_spline s = make_spline(k);
        double c[64], y[2 * 64] = {0};
        for (int j = 0; j < s.controls; ++j)
            c[j] = sin(1.7 * j) + 0.1 * j;
        for (int i = 0; i < s.samples; ++i)
            for (int j = 0; j < TL_SPLINE_ORDER; ++j) {
                y[2 * (s.first[i] + j)] += (double)s.weight[TL_SPLINE_ORDER * i + j] * value(&s, i, c);
                y[2 * (s.first[i] + j) + 1] -= (double)s.weight[TL_SPLINE_ORDER * i + j] * value(&s, i, c);
            }
        tl_spline_solve(&s, y, 2, 2);
        for (int j = 0; j < s.controls; ++j)
            assert_true(fabs(y[2 * j] - c[j]) < 1e-7 && fabs(y[2 * j + 1] + c[j]) < 1e-7);
        drop(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_a_partition_of_unity_and_not_negative),
        cmocka_unit_test(evenly_spaced_control_points_give_evenly_spaced_samples),
        cmocka_unit_test(inner_weights_are_those_of_the_uniform_cubic),
        cmocka_unit_test(least_squares_find_the_control_points_of_a_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
