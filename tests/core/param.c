/* The parameter table: defaults, ranges and messages, texts to values and back, under any locale. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/text.h"
#include "telar/param.h"

typedef struct entry {
    int number;
} entry;

typedef struct sample {
    tl_real density, friction;
    int steps;
    bool on;
    tl_vec3 gravity;
    const char *stepper;
    char title[8];
    const entry *entries;
    int entry_count;
    int changes; /* counted by `changed` */
} sample;

static const char *const steppers[] = {"explicit-euler", "semi-implicit-euler", "verlet", NULL};
static const char *const stepper_aliases[] = {"euler", "explicit-euler", "leapfrog", "verlet", NULL};
static const tl_param entry_table[] = {
    {.path = "number", .type = TL_PARAM_INT, .max = 9, .offset = offsetof(entry, number), .size = sizeof(int)}};
static const tl_param_group entry_group = {"entry", "", entry_table, 1, sizeof(entry), NULL, NULL};
#define AT(field) .offset = offsetof(sample, field), .size = sizeof(((sample *)0)->field)
static const tl_param table[] = {
    {.path = "density", .type = TL_PARAM_REAL, .unit = "kg/m²", .value = {0.2}, .min = 0, .max = 0.7, AT(density)},
    {.path = "friction", .type = TL_PARAM_REAL, .unit = "", .value = {1}, .min = 0, .max = INFINITY, AT(friction)},
    {.path = "step.count", .type = TL_PARAM_INT, .unit = "", .value = {10}, .min = 1, .max = 1000, AT(steps)},
    {.path = "on", .type = TL_PARAM_BOOL, .value = {1}, .max = 1, AT(on)},
    {.path = "gravity",
     .type = TL_PARAM_VEC3,
     .unit = "m/s²",
     .value = {0, -9.81, 0},
     .min = -100,
     .max = 100,
     AT(gravity)},
    {.path = "stepper",
     .type = TL_PARAM_NAME,
     .text = "verlet",
     .names = steppers,
     .aliases = stepper_aliases,
     AT(stepper)},
    {.path = "title", .type = TL_PARAM_TEXT, .text = "cloth", AT(title)},
    {.path = "entry",
     .type = TL_PARAM_LIST,
     .child = &entry_group,
     AT(entries),
     .count_offset = offsetof(sample, entry_count)},
};
static void count_change(void *object, const tl_param *param)
{
    (void)param;
    ++((sample *)object)->changes;
}
static const tl_param_group group = {"sample",       "",           table, sizeof table / sizeof *table,
                                     sizeof(sample), count_change, NULL};

static sample fresh(void)
{
    sample s = {0};
    s.entry_count = 3; /* defaults empty the list */
    tl_param_defaults(&group, &s);
    return s;
}

/* Sets by text, as the command line does. */
static tl_result set_text(sample *s, const char *path, const char *text, tl_error *error)
{
    const tl_param *param = tl_param_find(&group, path);
    assert_non_null(param);
    tl_value value;
    tl_result result = tl_param_parse(param, text, &value, "cloth[0]", error);
    return result ? result : tl_param_set(&group, param, s, &value, "cloth[0]", error);
}

static void refuses(const char *path, const char *text, const char *message)
{
    sample s = fresh(), before = s;
    tl_error error = {.code = TL_OK};
    assert_int_equal(set_text(&s, path, text, &error), TL_ERROR_INPUT);
    assert_int_equal(error.code, TL_ERROR_INPUT);
    assert_string_equal(error.message, message);
    assert_memory_equal(&s, &before, sizeof s);
}

static void defaults_come_from_the_table(void **state)
{
    (void)state;
    sample s = fresh();
    assert_true(s.density == (tl_real)0.2);
    assert_int_equal(s.steps, 10);
    assert_true(s.on);
    assert_true(s.gravity.y == (tl_real)-9.81);
    assert_ptr_equal(s.stepper, steppers[2]);
    assert_string_equal(s.title, "cloth");
    assert_null(s.entries);
    assert_int_equal(s.entry_count, 0);
    assert_int_equal(s.changes, 0);
}

static void texts_become_values(void **state)
{
    (void)state;
    sample s = fresh();
    assert_int_equal(set_text(&s, "density", " 2.5e-1 ", NULL), TL_OK);
    assert_true(s.density == (tl_real)0.25);
    assert_int_equal(set_text(&s, "friction", "inf", NULL), TL_OK);
    assert_true(isinf(s.friction));
    assert_int_equal(set_text(&s, "on", "off", NULL), TL_OK);
    assert_false(s.on);
    assert_int_equal(set_text(&s, "gravity", "1,2 ,3", NULL), TL_OK);
    assert_int_equal(set_text(&s, "gravity", "[ -1.5, 2e0, .5]", NULL), TL_OK);
    assert_true(s.gravity.x == (tl_real)-1.5 && s.gravity.y == 2 && s.gravity.z == (tl_real)0.5);
    char name[] = "explicit-euler"; /* not the list's string */
    assert_int_equal(set_text(&s, "stepper", name, NULL), TL_OK);
    assert_ptr_equal(s.stepper, steppers[0]);
    assert_int_equal(set_text(&s, "title", "1234567", NULL), TL_OK);
    assert_string_equal(s.title, "1234567");
    assert_int_equal(set_text(&s, "step.count", "1000", NULL), TL_OK);
    assert_int_equal(s.changes, 8);
}

static void an_alias_sets_the_name_it_stands_for(void **state)
{
    (void)state;
    sample s = fresh();
    assert_int_equal(set_text(&s, "stepper", "euler", NULL), TL_OK);
    assert_ptr_equal(s.stepper, steppers[0]);
    const tl_param *param = tl_param_find(&group, "stepper");
    tl_value value = {.type = TL_PARAM_NAME, .text = "leapfrog"};
    assert_int_equal(tl_param_set(&group, param, &s, &value, "", NULL), TL_OK);
    assert_ptr_equal(s.stepper, steppers[2]);
    /* the message lists the names only */
    refuses("stepper", "magic", "cloth[0].stepper: 'magic' is not one of explicit-euler, semi-implicit-euler, verlet");
}

static void wrong_values_are_refused_with_path_and_range(void **state)
{
    (void)state;
    refuses("density", "-1", "cloth[0].density: -1 is below 0 kg/m²");
    refuses("density", "0.8", "cloth[0].density: 0.8 is above 0.7 kg/m²");
    refuses("density", "inf", "cloth[0].density: inf is not a finite number");
    refuses("density", "nan", "cloth[0].density: expected a number from 0 to 0.7 kg/m²");
    refuses("density", "1 2", "cloth[0].density: expected a number from 0 to 0.7 kg/m²");
    refuses("density", "", "cloth[0].density: expected a number from 0 to 0.7 kg/m²");
    refuses("friction", "-inf", "cloth[0].friction: -inf is not a finite number");
    refuses("friction", "-2", "cloth[0].friction: -2 is below 0");
    refuses("friction", "x", "cloth[0].friction: expected a number of at least 0");
    refuses("step.count", "2.5", "cloth[0].step.count: 2.5 is not a whole number");
    refuses("step.count", "0", "cloth[0].step.count: 0 is below 1");
    refuses("step.count", "1e300", "cloth[0].step.count: 1.0000000000000001e+300 is too large for a whole number");
    refuses("on", "maybe", "cloth[0].on: expected true or false");
    refuses("gravity", "1,2", "cloth[0].gravity: expected three numbers [x, y, z] from -100 to 100 m/s²");
    refuses("gravity", "[1,2,3", "cloth[0].gravity: expected three numbers [x, y, z] from -100 to 100 m/s²");
    refuses("gravity", "1,2,300", "cloth[0].gravity: z = 300 is above 100 m/s²");
    refuses("gravity", "1,inf,3", "cloth[0].gravity: y = inf is not a finite number");
    refuses("stepper", "verlte",
            "cloth[0].stepper: 'verlte' is not one of explicit-euler, semi-implicit-euler, verlet; "
            "did you mean 'verlet'?");
    refuses("stepper", "magic\x1b[2J",
            "cloth[0].stepper: 'magic?[2J' is not one of explicit-euler, "
            "semi-implicit-euler, verlet");
    refuses("title", "12345678", "cloth[0].title: the text has 8 bytes, at most 7 are kept");
    refuses("entry", "3", "cloth[0].entry: is a list; its entries entry[0], entry[1] … are set one by one");
}

static void wrong_types_are_refused(void **state)
{
    (void)state;
    sample s = fresh();
    tl_error error;
    tl_value flag = {.type = TL_PARAM_BOOL, .number = {1}};
    assert_int_equal(tl_param_set(&group, &table[0], &s, &flag, "", &error), TL_ERROR_INPUT);
    assert_string_equal(error.message, "density: expected a number from 0 to 0.7 kg/m²");
    tl_value not_a_number = {.type = TL_PARAM_REAL, .number = {NAN}};
    assert_int_equal(tl_param_set(&group, &table[0], &s, &not_a_number, NULL, &error), TL_ERROR_INPUT);
    assert_string_equal(error.message, "density: nan is not a finite number");
    assert_int_equal(tl_param_set(&group, &table[5], &s, &not_a_number, "", NULL), TL_ERROR_INPUT);
}

static void bounds_themselves_are_accepted(void **state)
{
    (void)state;
    sample s = fresh();
    tl_value value = {.type = TL_PARAM_REAL, .number = {0.7}};
    assert_int_equal(tl_param_set(&group, &table[0], &s, &value, "", NULL), TL_OK);
    value = tl_param_get(&table[0], &s); /* 0.7 in single precision is a little less or more */
    assert_int_equal(tl_param_set(&group, &table[0], &s, &value, "", NULL), TL_OK);
}

static void formatted_values_read_back_the_same(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < 2000; ++i) {
        sample s = fresh(), copy = fresh();
        tl_real *component = &s.gravity.x;
        for (int k = 0; k < 3; ++k)
            component[k] = (tl_real)((rand() / (double)RAND_MAX - 0.5) * pow(10, rand() % 20 - 18));
        tl_value value = tl_param_get(&table[4], &s);
        char text[128];
        assert_in_range(tl_param_format(&value, text, sizeof text), 1, sizeof text - 1);
        assert_int_equal(set_text(&copy, "gravity", text, NULL), TL_OK);
        assert_memory_equal(&copy.gravity, &s.gravity, sizeof s.gravity);
    }
    char small[4];
    tl_value name = {.type = TL_PARAM_NAME, .text = "verlet"};
    assert_int_equal(tl_param_format(&name, small, sizeof small), 6); /* like snprintf */
}

static void numbers_are_short_and_know_no_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"C", "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "es_ES.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; ++i) {
        if (!setlocale(LC_ALL, locales[i]))
            continue;
        char text[32];
        tl_text_write_number((double)(tl_real)0.1, text, sizeof text);
        assert_string_equal(text, "0.1");
        double number = 0;
        const char *end;
        assert_true(tl_text_read_number("-12.5e1,3", &end, &number));
        assert_true(number == -125);
        assert_string_equal(end, ",3");
    }
    setlocale(LC_ALL, "C");
    double number;
    assert_false(tl_text_read_number("0x10", NULL, &number) && number != 0);
    assert_false(tl_text_read_number("nan", NULL, &number));
    assert_false(tl_text_read_number(".", NULL, &number));
    assert_false(tl_text_read_number("-e5", NULL, &number));
}

static void unknown_paths_name_the_nearest(void **state)
{
    (void)state;
    tl_error error;
    assert_null(tl_param_find(&group, "densty"));
    assert_int_equal(tl_param_unknown(&group, "densty", "cloth[0]", &error), TL_ERROR_INPUT);
    assert_string_equal(error.message,
                        "cloth[0].densty: there is no such parameter in 'sample'; did you mean 'density'?");
    tl_param_unknown(&group, "quite-different", "", &error);
    assert_string_equal(error.message, "quite-different: there is no such parameter in 'sample'");
    assert_int_equal(tl_text_distance("kitten", "sitting"), 3);
    assert_int_equal(tl_text_distance("ab", "ba"), 1);
    assert_string_equal(tl_text_nearest("semi", steppers), "semi-implicit-euler");
}

static void zeroed_names_mean_the_default(void **state)
{
    (void)state;
    sample s = {0};
    assert_string_equal(tl_param_get(&table[5], &s).text, "verlet");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(texts_become_values),
        cmocka_unit_test(an_alias_sets_the_name_it_stands_for),
        cmocka_unit_test(wrong_values_are_refused_with_path_and_range),
        cmocka_unit_test(wrong_types_are_refused),
        cmocka_unit_test(bounds_themselves_are_accepted),
        cmocka_unit_test(formatted_values_read_back_the_same),
        cmocka_unit_test(numbers_are_short_and_know_no_locale),
        cmocka_unit_test(unknown_paths_name_the_nearest),
        cmocka_unit_test(zeroed_names_mean_the_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
