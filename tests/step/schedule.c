/* Schedules: the order of stages as data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "step/schedule.h"
#include "step/stepper.h"

/* Stages as letters, in the order in which they ran. */
typedef struct trace {
    char letters[4096];
    int count;
} trace;

static void record(void *user, tl_stage stage)
{
    trace *t = user;
    assert_true(t->count + 1 < (int)sizeof t->letters);
    t->letters[t->count++] = "mic"[stage];
    t->letters[t->count] = 0;
}

static void expect_order(const char *text, int iterations, const char *order)
{
    tl_schedule schedule;
    tl_error error = {0};
    if (tl_schedule_parse(text, iterations, &schedule, &error) != TL_OK)
        fail_msg("'%s': %s", text, error.message);
    trace t = {.count = 0};
    tl_schedule_run(&schedule, iterations, record, &t);
    if (strcmp(t.letters, order) != 0)
        fail_msg("'%s' with %d iterations ran %s, expected %s", text, iterations, t.letters, order);
}

static void presets_run_their_stages_in_the_documented_order(void **state)
{
    (void)state;
    expect_order("s0-4.1", 3, "imcmcmc"); /* integrate, then model and contact `iterations` times */
    expect_order("s0-4.1", 1, "imc");
    expect_order("s0-4.2", 5, "imc");
    expect_order("s0-4.3", 3, "immmc"); /* contact once, at the end */
    expect_order("s0-4.4", 5, "imc");
    expect_order("s0-4.5", 5, "mic");
}

static void groups_repeat_as_often_as_specified(void **state)
{
    (void)state;
    expect_order("model integrate contact", 9, "mic");
    expect_order("(model)*3 integrate", 9, "mmmi");
    expect_order("integrate (model contact)*2", 9, "imcmc");
    expect_order("integrate (model)*iterations contact", 2, "immc");
    expect_order("(model integrate)", 9, "mi"); /* a group without a number runs once */
    expect_order("((model)*2 contact)*2 integrate", 1, "mmcmmci");
    expect_order("(((integrate (model)*iterations)*2 contact)*2)", 2, "immimmcimmimmc");
    expect_order("integrate,model,,contact", 1, "imc");
    expect_order("\tintegrate\n model  ( contact ) ", 1, "imc");
    expect_order("integrate()*5", 1, "i"); /* an empty group does nothing */
}

static void groups_can_be_entered_again_after_they_ended(void **state)
{
    (void)state;
    /* the inner group's count restarts in every pass of the outer one */
    expect_order("((model)*3 integrate)*3", 1, "mmmimmmimmmi");
}

static void every_stepper_has_a_schedule_of_its_own_that_moves(void **state)
{
    (void)state;
    for (int k = 0; tl_stepper_classes[k]; ++k) {
        tl_schedule schedule;
        trace t = {.count = 0};
        assert_int_equal(tl_schedule_parse(tl_stepper_classes[k]->schedule, 1000, &schedule, NULL), TL_OK);
        tl_schedule_run(&schedule, 1, record, &t);
        assert_non_null(strchr(t.letters, 'i'));
        assert_non_null(strchr(t.letters, 'c'));
        /* a stepper with a stage "model" schedules it */
        assert_int_equal(strchr(t.letters, 'm') != NULL, tl_stepper_classes[k]->model != NULL);
    }
}

static void every_wrong_text_is_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } wrong[] = {
        {"", "without 'integrate' nothing would move"},
        {"   ", "without 'integrate'"},
        {"model contact", "without 'integrate'"},
        {"integrat", "'integrat' is none of model, integrate, limit, contact"},
        {"integrate modell", "'modell' is none of"},
        {"Integrate", "'Integrate' is none of"},
        {"s0-4.6", "'s' is none of"},
        {"integrate (model", "'(' without ')'"},
        {"integrate model)", "')' without '('"},
        {"integrate (model)*", "after '*' comes a number"},
        {"integrate (model)*0", "after '*' comes a number from 1 to 1000"},
        {"integrate (model)*-3", "after '*' comes a number"},
        {"integrate (model)*1001", "after '*' comes a number from 1 to 1000"},
        {"integrate (model)*99999999999999999999", "after '*' comes a number"},
        {"integrate (model)*iteration", "after '*' comes a number"},
        {"integrate (model)*iterationsx", "'x' is none of"},
        {"integrate (model)*2.5", "'.' is none of"},
        {"integrate * 3", "'*' is none of"},
        {"integrate; contact", "';' is none of"},
        {"(((((integrate)))))", "groups nest at most 4 deep"},
        {"integrate (((model)*1000)*1000)*1000", "a substep has 1000000001 stages, more than the 10000"},
        {"integrate ((((model)*1000)*1000)*1000)*1000", "a substep has 1000000000001 stages"},
        {"integrate (((())*1000)*1000)*1000", "a substep has 1000000001 stages"}, /* empty passes take time too */
        {"integrate ((model contact)*100)*50 model", "a substep has 10002 stages"},
        {"integrate model model model model model model model model model model model model model model model model "
         "model "
         "model model model model model model model model model model model model model model model model",
         "at most 32 entries"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        tl_schedule schedule = {.count = -7};
        tl_error error = {0};
        if (tl_schedule_parse(wrong[k].text, 1, &schedule, &error) != TL_ERROR_INPUT)
            fail_msg("'%s' was accepted", wrong[k].text);
        assert_int_equal(error.code, TL_ERROR_INPUT);
        if (!strstr(error.message, wrong[k].reason))
            fail_msg("'%s': no '%s' in: %s", wrong[k].text, wrong[k].reason, error.message);
        assert_int_equal(schedule.count, -7); /* the old schedule stays */
        assert_int_equal(tl_schedule_parse(wrong[k].text, 1, &schedule, NULL), TL_ERROR_INPUT);
    }
}

static void iterations_count_among_the_stages(void **state)
{
    (void)state;
    static const char text[] = "integrate ((model)*iterations contact)*iterations";
    tl_schedule schedule;
    tl_error error = {0};
    assert_int_equal(tl_schedule_parse(text, 99, &schedule, &error), TL_OK);
    assert_int_equal(tl_schedule_parse(text, 100, &schedule, &error), TL_ERROR_INPUT);
    assert_non_null(strstr(error.message, "with 100 iterations a substep has 10101 stages"));
    assert_int_equal(tl_schedule_parse("integrate ((model)*99)*101", 1, &schedule, &error), TL_OK);
    assert_int_equal(tl_schedule_parse("integrate ((model)*100)*100", 1, &schedule, &error), TL_ERROR_INPUT);
}

static void the_longest_schedule_fits(void **state)
{
    (void)state;
    char text[512] = "integrate", order[64] = "i";
    for (int k = 1; k < TL_SCHEDULE_LENGTH; ++k) {
        strcat(text, " model");
        strcat(order, "m");
    }
    expect_order(text, 1, order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_run_their_stages_in_the_documented_order),
        cmocka_unit_test(groups_repeat_as_often_as_specified),
        cmocka_unit_test(groups_can_be_entered_again_after_they_ended),
        cmocka_unit_test(every_stepper_has_a_schedule_of_its_own_that_moves),
        cmocka_unit_test(every_wrong_text_is_refused_with_a_reason),
        cmocka_unit_test(iterations_count_among_the_stages),
        cmocka_unit_test(the_longest_schedule_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
