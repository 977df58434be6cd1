/* The library's transcendental functions against the C library's. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithm_agrees_over_all_magnitudes),
        cmocka_unit_test(exponential_undoes_the_logarithm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
