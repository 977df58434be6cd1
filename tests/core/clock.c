/* Fixed steps for programs that draw at any rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "telar/clock.h"

#include <math.h>

static void any_frame_rate_takes_the_same_steps(void **state)
{
    (void)state;
    static const double rates[] = {24, 30, 60, 75, 144, 240};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; ++k) {
        tl_fixed_clock clock = tl_fixed_clock_default();
        int steps = 0;
        for (int f = 0; f < (int)(10 * rates[k]); ++f) {
            steps += tl_fixed_clock_advance(&clock, 1 / rates[k]);
            double blend = tl_fixed_clock_blend(&clock);
            assert_true(blend >= 0 && blend <= 1);
        }
        assert_true(steps == 600);
    }
}

static void time_is_neither_lost_nor_gained(void **state)
{
    (void)state;
    tl_fixed_clock clock = tl_fixed_clock_default();
    double passed = 0;
    int steps = 0;
    for (int f = 0; f < 1000; ++f) {
        double seconds = 0.001 + 0.04 * fabs(sin(f * 1.7));
        passed += seconds;
        steps += tl_fixed_clock_advance(&clock, seconds);
        assert_true(fabs(passed - (steps + tl_fixed_clock_blend(&clock)) * clock.step) < 1e-6);
    }
}

static void a_hang_is_not_made_up_for(void **state)
{
    (void)state;
    tl_fixed_clock clock = tl_fixed_clock_default();
    assert_int_equal(tl_fixed_clock_advance(&clock, 100), 8);
    assert_true(tl_fixed_clock_advance(&clock, 0) <= 1);
    assert_int_equal(tl_fixed_clock_advance(&clock, -1), 0);
    assert_int_equal(tl_fixed_clock_advance(&clock, (double)NAN), 0);
    assert_int_equal(tl_fixed_clock_advance(&clock, (double)INFINITY), 0);
    assert_true(tl_fixed_clock_blend(&clock) <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_frame_rate_takes_the_same_steps),
        cmocka_unit_test(time_is_neither_lost_nor_gained),
        cmocka_unit_test(a_hang_is_not_made_up_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
