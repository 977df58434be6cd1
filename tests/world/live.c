/* Changing a running world: every live parameter at its limits, every other one refused, nothing ever not finite. */
#include "world_testing.h"

typedef tl_result setter(void *object, const char *path, const tl_value *value);

static tl_result set_cloth(void *object, const char *path, const tl_value *value)
{
    return tl_cloth_set(object, path, value);
}
static tl_result set_body(void *object, const char *path, const tl_value *value)
{
    return tl_body_set(object, path, value);
}
static tl_result set_world(void *object, const char *path, const tl_value *value)
{
    return tl_world_set(object, path, value);
}
static tl_result set_wind(void *object, const char *path, const tl_value *value)
{
    char full[128];
    snprintf(full, sizeof full, "wind.%s", path);
    return tl_world_set(object, full, value);
}

static double finite_bound(double bound) { return isfinite(bound) ? bound : bound < 0 ? -1e30 : 1e30; }

/* Test values of a parameter: both ends of its range, its default, something between; every name. */
static int values_of(const tl_param *param, tl_value *values, int room)
{
    int count = 0;
    double low = finite_bound(param->min), high = finite_bound(param->max);
    if (param->type == TL_PARAM_INT) /* thousands of substeps or iterations only cost time */
        high = fmin(high, 50);
    double tries[4] = {low, high, (low + high) / 2, sqrt(fmax(low, 1e-6) * high)};
    switch (param->type) {
    case TL_PARAM_NAME:
        for (int k = 0; param->names[k] && count < room; ++k)
            values[count++] = (tl_value){TL_PARAM_NAME, {0}, param->names[k]};
        break;
    case TL_PARAM_TEXT:
        values[count++] = (tl_value){TL_PARAM_TEXT, {0}, ""};
        values[count++] =
            (tl_value){TL_PARAM_TEXT, {0}, strcmp(param->path, "schedule") == 0 ? "s0-4.2" : "another name"};
        break;
    case TL_PARAM_BOOL:
        values[count++] = (tl_value){TL_PARAM_BOOL, {0}, NULL};
        values[count++] = (tl_value){TL_PARAM_BOOL, {1}, NULL};
        break;
    case TL_PARAM_LIST:
        break;
    default:
        for (int k = 0; k < 4; ++k) {
            double number = param->type == TL_PARAM_INT ? floor(tries[k]) : tries[k];
            values[count++] = (tl_value){param->type, {number, k == 3 ? 0 : number, number}, NULL};
        }
    }
    return count;
}

/* Sets every parameter of the group in turn on a fresh world and runs it. Accepted outcomes are success, or an error
   with a message; an unstable frame is rolled back. A state that is not finite is never accepted. */
static void try_group(const tl_param_group *group, setter *set, void *(*object_of)(tl_world *), const char *stepper)
{
    for (int k = 0; k < group->count; ++k) {
        const tl_param *param = &group->params[k];
        tl_value values[16];
        int count = values_of(param, values, 16);
        for (int n = 0; n < count; ++n) {
            tl_world *world = stage_world(&(stage){.stepper = stepper, .turbulent = group == &tl_wind_params});
            run_frames(world, 2);
            uint64_t before = tl_world_hash(world);
            tl_result result = set(object_of(world), param->path, &values[n]);
            assert_true(tl_world_hash(world) == before); /* setting a parameter moves nothing */
            if (param->when == TL_PARAM_REBUILD) {
                assert_int_equal(result, TL_ERROR_UNSUPPORTED);
                assert_message(world, param->path);
                assert_message(world, "takes effect only when the world is built again");
            } else if (result != TL_OK) {
                assert_int_equal(result, TL_ERROR_INPUT); /* an invalid size for the shape */
                assert_message(world, param->path);
            }
            for (int f = 0; f < 3; ++f) {
                tl_result step = tl_world_step(world, FRAME);
                if (step != TL_OK && step != TL_ERROR_UNSTABLE)
                    fail_msg("%s: %s", param->path, tl_last_error(world));
            }
            if (!all_finite(world))
                fail_msg("%s.%s = %g %s under %s: not finite", group->name, param->path, values[n].number[0],
                         values[n].text ? values[n].text : "", stepper);
            tl_world_destroy(world);
        }
    }
}

static void *first_cloth(tl_world *world) { return tl_world_cloth(world, 0); }
static void *ball(tl_world *world) { return tl_world_body(world, 0); }
static void *moving_box(tl_world *world) { return tl_world_body(world, 2); }
static void *itself(tl_world *world) { return world; }

static void every_parameter_of_a_cloth_can_be_changed_or_is_refused(void **state)
{
    (void)state;
    try_group(&tl_cloth_params, set_cloth, first_cloth, "verlet");
    try_group(&tl_cloth_params, set_cloth, first_cloth, "xpbd");
}

static void every_parameter_of_a_body_can_be_changed_or_is_refused(void **state)
{
    (void)state;
    try_group(&tl_body_params, set_body, ball, "semi-implicit-euler");
    try_group(&tl_body_params, set_body, moving_box, "xpbd");
}

static void every_parameter_of_world_and_wind_can_be_changed_or_is_refused(void **state)
{
    (void)state;
    try_group(&tl_world_params, set_world, itself, "rk4");
    try_group(&tl_wind_params, set_wind, itself, "semi-implicit-euler");
}

static void a_changed_value_is_read_back(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){0});
    tl_cloth *cloth = tl_world_cloth(world, 0);
    assert_int_equal(set_real(cloth, "link.structural.stiffness", 77), TL_OK);
    assert_near(77, (double)tl_cloth_get_def(cloth)->elements.link_structural.stiffness, 0);
    assert_int_equal(set_name(cloth, "material", "continuum"), TL_OK);
    assert_true(tl_cloth_get_def(cloth)->elements.continuum_stretch.on);
    assert_false(tl_cloth_get_def(cloth)->elements.link_structural.on);
    assert_int_equal(tl_cloth_set(cloth, "link.bend.on", &(tl_value){TL_PARAM_BOOL, {1}, NULL}), TL_OK);
    assert_string_equal(tl_cloth_get_def(cloth)->material, "custom"); /* no longer a named material */
    assert_int_equal(tl_world_set(world, "gravity", &(tl_value){TL_PARAM_VEC3, {1, 2, 3}, NULL}), TL_OK);
    assert_near(3, (double)tl_world_get_def(world)->gravity.z, 0);
    assert_int_equal(tl_world_set(world, "wind.velocity", &(tl_value){TL_PARAM_VEC3, {4, 5, 6}, NULL}), TL_OK);
    assert_near(5, (double)tl_world_get_def(world)->wind.velocity.y, 0);
    tl_world_destroy(world);
}

static void a_refused_value_changes_nothing(void **state)
{
    (void)state;
    const struct {
        const char *path;
        tl_value value;
        const char *message;
    } wrong[] = {
        {"damping", {TL_PARAM_REAL, {-1}, NULL}, "damping: -1 is below 0 1/s"},
        {"damping", {TL_PARAM_REAL, {NAN}, NULL}, "not a finite number"},
        {"substeps", {TL_PARAM_REAL, {2.5}, NULL}, "not a whole number"},
        {"substeps", {TL_PARAM_INT, {-1}, NULL}, "-1 is below 0"},
        {"stepper", {TL_PARAM_NAME, {0}, "magic"}, "'magic' is not one of"},
        {"schedule", {TL_PARAM_TEXT, {0}, "model contact"}, "schedule: without 'integrate' nothing would move"},
        {"schedule", {TL_PARAM_TEXT, {0}, "(integrate"}, "'(' without ')'"},
        {"columns", {TL_PARAM_INT, {5}, NULL}, "columns: takes effect only when the world is built again"},
        {"colour", {TL_PARAM_INT, {5}, NULL}, "colour: there is no such parameter"},
        {"pin", {TL_PARAM_INT, {5}, NULL}, "pin"},
    };
    tl_world *world = stage_world(&(stage){0});
    tl_world *twin = stage_world(&(stage){0});
    tl_cloth *cloth = tl_world_cloth(world, 0);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        tl_cloth_def before = *tl_cloth_get_def(cloth);
        assert_true(tl_cloth_set(cloth, wrong[k].path, &wrong[k].value) != TL_OK);
        assert_message(world, wrong[k].message);
        assert_memory_equal(&before, tl_cloth_get_def(cloth), sizeof before);
        run_frames(world, 1);
        run_frames(twin, 1);
        assert_true(tl_world_hash(world) == tl_world_hash(twin));
    }
    assert_int_equal(tl_world_set(world, "simd", &(tl_value){TL_PARAM_NAME, {0}, "scalar"}), TL_ERROR_UNSUPPORTED);
    assert_int_equal(tl_world_set(world, "wind.speed", &(tl_value){TL_PARAM_REAL, {1}, NULL}), TL_ERROR_INPUT);
    assert_message(world, "wind.speed");
    assert_int_equal(tl_body_set(tl_world_body(world, 0), "size", &(tl_value){TL_PARAM_VEC3, {0, 0, 0}, NULL}),
                     TL_ERROR_INPUT);
    assert_message(world, "size: ");
    assert_near(0.25, (double)tl_body_get_def(tl_world_body(world, 0))->size.x, 1e-7);
    tl_world_destroy(world);
    tl_world_destroy(twin);
}

static void methods_can_be_exchanged_every_frame(void **state)
{
    (void)state;
    static const char *const materials[] = {"springs", "springs20", "continuum"}; /* the last is much softer */
    /* first the steppers that neither gain energy nor make links rigid at once, then all */
    static const char *const calm[] = {"verlet", "xpbd", "semi-implicit-euler", "rk4", NULL};
    for (int all = 0; all < 2; ++all) {
        tl_world *world = stage_world(&(stage){0});
        tl_cloth *cloth = tl_world_cloth(world, 0);
        const char *const *steppers = all ? tl_stepper_names() : calm;
        if (!all) /* the box pulls at the sheet */
            assert_int_equal(set_name(cloth, "contact", "none"), TL_OK);
        for (int f = 0, s = 0; f < 120; ++f, s = steppers[s + 1] ? s + 1 : 0) {
            assert_int_equal(set_name(cloth, "stepper", steppers[s]), TL_OK);
            assert_int_equal(set_name(cloth, "material", materials[f / 3 % (all ? 3 : 2)]), TL_OK);
            tl_result result = tl_world_step(world, FRAME);
            assert_true(result == TL_OK || (all && result == TL_ERROR_UNSTABLE));
            assert_true(all_finite(world));
            /* a stretched cloth that becomes stiffer every few frames gains energy; it must not run away */
            if (!all && !(tl_cloth_get_stats(cloth).largest_speed < 20))
                fail_msg("%g m/s under %s in frame %d", (double)tl_cloth_get_stats(cloth).largest_speed, steppers[s],
                         f);
        }
        tl_world_destroy(world);
    }
}

static void a_plane_keeps_its_slope_when_it_is_moved(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body *plane = tl_world_add_plane(world, v3(0, 0, 0), v3(1, 1, 0), 0);
    assert_non_null(plane);
    assert_int_equal(tl_body_set(plane, "position", &(tl_value){TL_PARAM_VEC3, {0, 2, 0}, NULL}), TL_OK);
    run_frames(world, 1);
    tl_vec3 normal;
    assert_near(0, (double)tl_body_distance(plane, v3(1, 1, 5), &normal), 1e-6);
    assert_near(sqrt(0.5), (double)normal.x, 1e-6);
    assert_near(sqrt(0.5), (double)normal.y, 1e-6);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_of_a_cloth_can_be_changed_or_is_refused),
        cmocka_unit_test(every_parameter_of_a_body_can_be_changed_or_is_refused),
        cmocka_unit_test(every_parameter_of_world_and_wind_can_be_changed_or_is_refused),
        cmocka_unit_test(a_changed_value_is_read_back),
        cmocka_unit_test(a_refused_value_changes_nothing),
        cmocka_unit_test(methods_can_be_exchanged_every_frame),
        cmocka_unit_test(a_plane_keeps_its_slope_when_it_is_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
