/* Measures of a body: what is given is kept, what is missing follows from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "telar/measures.h"

static void empty_measures_become_those_of_an_adult(void **state)
{
    (void)state;
    tl_measures m;
    tl_param_defaults(&tl_measures_params, &m);
    tl_measures_complete(&m);
    for (int k = 0; k < tl_measures_params.count; ++k)
        assert_true(tl_param_get(&tl_measures_params.params[k], &m).number[0] > 0);
    assert_true(m.waist < m.underbust && m.underbust < m.bust);
    assert_true(m.leg_circ < m.waist && m.wrist < m.neck);
}

static void given_measures_are_kept_and_scale_the_others(void **state)
{
    (void)state;
    tl_measures tall = {.height = 2, .bust = (tl_real)1.1}, small = {.height = 1, .bust = (tl_real)0.6};
    tl_measures_complete(&tall);
    tl_measures_complete(&small);
    assert_true(tall.height == 2 && tall.bust == (tl_real)1.1);
    assert_true(tall.waist > small.waist && tall.waist_line > small.waist_line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_measures_become_those_of_an_adult),
        cmocka_unit_test(given_measures_are_kept_and_scale_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
