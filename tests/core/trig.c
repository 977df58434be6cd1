/* Our own transcendental functions against the C library's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/trig.h"

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-14 * (1 + fabs(expected))))
        fail_msg("%.17g is not %.17g", value, expected);
}

static void logarithm_agrees_over_all_magnitudes(void **state)
{
    (void)state;
    for (double x = 1e-300; x < 1e300; x *= 1.37)
        near(tl_log(x), log(x));
    for (int k = 0; k < 2000; ++k)
        near(tl_log(0.5 + k * 1e-3), log(0.5 + k * 1e-3));
    near(tl_log(1), 0);
}

static void exponential_undoes_the_logarithm(void **state)
{
    (void)state;
    for (double x = 1e-6; x < 1e6; x *= 1.7)
        near(tl_exp(tl_log(x)) / x, 1);
    for (double x = -50; x < 50; x += 0.37)
        near(tl_exp(x) / exp(x), 1);
}

static void sine_and_cosine_agree_in_all_quadrants(void **state)
{
    (void)state;
    for (double x = -20; x < 20; x += 0.0137) {
        near(tl_sin(x), sin(x));
        near(tl_cos(x), cos(x));
    }
    near(tl_sin(0), 0);
    near(tl_cos(0), 1);
}

static void arc_tangent_agrees_all_the_way_round(void **state)
{
    (void)state;
    for (double angle = -3.14; angle < 3.14; angle += 0.0137)
        for (double radius = 1e-6; radius < 1e7; radius *= 1e3)
            near(tl_atan2(radius * sin(angle), radius * cos(angle)), atan2(radius * sin(angle), radius * cos(angle)));
    near(tl_atan2(0, 0), 0);
    near(tl_atan2(0, -1), acos(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_agree_in_all_quadrants),
        cmocka_unit_test(arc_tangent_agrees_all_the_way_round),
        cmocka_unit_test(logarithm_agrees_over_all_magnitudes),
        cmocka_unit_test(exponential_undoes_the_logarithm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
