/* material_error: small where a method follows its material, at rest and in motion, large where it does not. */
#include "world_testing.h"

#include <math.h>
#include <string.h>

enum { ROWS = 41, SHEET = 21, LARGE = 96 };

/* A strip of denim, 1 m long, hung by its upper edge. */
static tl_cloth *hang_strip(tl_world *world, const char *stepper, int substeps)
{
    tl_cloth_def def = tl_cloth_def_grid(3, ROWS, (tl_real)0.05, 1);
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = "top";
    def.pins = &pin;
    def.pin_count = 1;
    def.plane = "vertical";
    def.fabric = "denim";
    def.stepper = stepper;
    def.substeps = substeps;
    def.damping = 4;
    return make_cloth(world, &def);
}

/* A sheet of denim, flat, held by two corners or by none. */
static tl_cloth *lay_sheet(tl_world *world, const char *stepper, int substeps, int side, bool held)
{
    tl_cloth_def def = tl_cloth_def_grid(side, side, 1, 1);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = held ? 2 : 0;
    def.center = (tl_vec3){0, (tl_real)1.2, 0};
    def.fabric = "denim";
    def.stepper = stepper;
    def.substeps = substeps;
    return make_cloth(world, &def);
}

/* The mean over the last frames, where `largest` (may be NULL) is that of all. */
static double run(tl_world *world, tl_cloth *cloth, int frames, double *largest)
{
    enum { LAST = 10 };
    double sum = 0, most = 0;
    for (int f = 0; f < frames; ++f) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        double now = (double)tl_cloth_get_stats(cloth).material_error;
        assert_true(now >= 0 && isfinite(now));
        sum += f >= frames - LAST ? now / LAST : 0;
        most = fmax(most, now);
    }
    if (largest)
        *largest = most;
    return sum;
}

static double strip_error(const char *stepper, int substeps)
{
    tl_world *world = make_world();
    double error = run(world, hang_strip(world, stepper, substeps), 60, NULL);
    tl_world_destroy(world);
    return error;
}

static void implicit_steppers_follow_the_material(void **state)
{
    (void)state;
    static const char *const steppers[] = {"automatic", "implicit-euler", "bdf2"};
    for (int s = 0; s < 3; ++s) {
        assert_true(strip_error(steppers[s], 0) < 0.01);
        tl_world *world = make_world();
        double largest;
        run(world, lay_sheet(world, steppers[s], 0, SHEET, true), 30, &largest); /* also while it swings */
        assert_true(largest < 0.05);
        tl_world_destroy(world);
    }
}

static void explicit_steppers_follow_the_material(void **state)
{
    (void)state;
    static const char *const steppers[] = {"semi-implicit-euler", "verlet", "rk4"};
    for (int s = 0; s < 3; ++s) {
        tl_world *world = make_world();
        double largest;
        run(world, lay_sheet(world, steppers[s], 300, SHEET, true), 10, &largest);
        assert_true(largest < 0.05);
        tl_world_destroy(world);
    }
}

/* The strip stretches 24, 2.4 and 1.7 mm for 1.57. */
static void xpbd_is_far_from_it_and_nearer_with_substeps(void **state)
{
    (void)state;
    double few = strip_error("xpbd", 12), more = strip_error("xpbd", 200), many = strip_error("xpbd", 1000);
    assert_true(few > 5);
    assert_true(more > 0.3 && more < few / 5);
    assert_true(many < more / 3);
    assert_true(strip_error("projection", 0) > 0.5);
}

/* Nothing pulls at falling cloth, whatever the method. */
static void falling_cloth_is_in_balance(void **state)
{
    (void)state;
    static const char *const steppers[] = {"automatic", "xpbd", "constant-jacobian"};
    for (int s = 0; s < 3; ++s) {
        tl_world *world = make_world();
        double largest;
        run(world, lay_sheet(world, steppers[s], 0, SHEET, false), 20, &largest);
        assert_true(largest < 0.05);
        tl_world_destroy(world);
    }
}

/* Contact forces are not known to the estimate: what lies on the ball is left out. */
static void a_ball_under_the_cloth_is_no_error(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_world_add_sphere(world, (tl_vec3){0, (tl_real)0.7, 0}, (tl_real)0.3, (tl_real)0.3);
    double largest, end = run(world, lay_sheet(world, "automatic", 0, SHEET, false), 60, &largest);
    assert_true(end < 0.02);
    assert_true(largest < 0.1);
    tl_world_destroy(world);
}

static tl_real error_with(int threads, const char *simd)
{
    tl_error error = {0};
    tl_world_def def = tl_world_def_default();
    def.threads = threads;
    def.simd = simd;
    tl_world *world = tl_world_create(&def, &error);
    assert_non_null(world);
    tl_cloth *cloth = lay_sheet(world, "xpbd", 4, LARGE, true);
    for (int f = 0; f < 5; ++f)
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    tl_real share = tl_cloth_get_stats(cloth).material_error;
    tl_world_destroy(world);
    return share;
}

static void it_is_the_same_for_threads_and_vectors(void **state)
{
    (void)state;
    tl_real one = error_with(1, "auto"), two = error_with(2, "auto"), scalar = error_with(1, "scalar");
    assert_true(one > 0);
    assert_memory_equal(&one, &two, sizeof one);
    assert_memory_equal(&one, &scalar, sizeof one);
}

static void reading_it_changes_nothing(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int reads = 0; reads < 2; ++reads) {
        tl_world *world = make_world();
        tl_cloth *cloth = hang_strip(world, "verlet", 400);
        for (int f = 0; f < 10; ++f) {
            assert_int_equal(tl_world_step(world, FRAME), TL_OK);
            if (reads)
                assert_true(tl_cloth_get_stats(cloth).material_error > 0);
        }
        hash[reads] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

static void nothing_to_judge_is_no_error(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = hang_strip(world, "xpbd", 12);
    assert_true(!(tl_cloth_get_stats(cloth).material_error > 0)); /* before the first frame */
    run(world, cloth, 10, NULL);
    assert_true(tl_cloth_get_stats(cloth).material_error > 1);
    assert_int_equal(tl_cloth_add_force(cloth, ROWS, (tl_vec3){0, 0, 1}), TL_OK);
    assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    assert_true(!(tl_cloth_get_stats(cloth).material_error > 0)); /* the user's force is gone */
    assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    assert_true(tl_cloth_get_stats(cloth).material_error > 1);
    assert_int_equal(tl_cloth_set_state(cloth, tl_cloth_positions(cloth), NULL), TL_OK);
    assert_true(!(tl_cloth_get_stats(cloth).material_error > 0));
    tl_world_destroy(world);
}

static void advice_names_method_fabric_and_cure(void **state)
{
    (void)state;
    char text[256];
    tl_world *world = make_world();
    tl_cloth *cloth = hang_strip(world, "xpbd", 12);
    assert_string_equal(tl_cloth_material_advice(cloth, 0.1, text, sizeof text), "");
    tl_cloth_material_advice(cloth, 2.4, text, sizeof text);
    assert_non_null(strstr(text, "xpbd leaves the material's forces 240 % out of balance"));
    assert_non_null(strstr(text, "denim"));
    assert_non_null(strstr(text, "stepper automatic or more substeps"));
    tl_cloth_destroy(world, cloth);
    cloth = hang_strip(world, "automatic", 0);
    tl_cloth_material_advice(cloth, 0.2, text, sizeof text);
    assert_null(strstr(text, "stepper automatic"));
    assert_non_null(strstr(text, "more substeps"));
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implicit_steppers_follow_the_material),
        cmocka_unit_test(explicit_steppers_follow_the_material),
        cmocka_unit_test(xpbd_is_far_from_it_and_nearer_with_substeps),
        cmocka_unit_test(falling_cloth_is_in_balance),
        cmocka_unit_test(a_ball_under_the_cloth_is_no_error),
        cmocka_unit_test(it_is_the_same_for_threads_and_vectors),
        cmocka_unit_test(reading_it_changes_nothing),
        cmocka_unit_test(nothing_to_judge_is_no_error),
        cmocka_unit_test(advice_names_method_fabric_and_cure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
