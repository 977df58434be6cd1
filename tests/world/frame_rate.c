/* Substeps by rate: the frame rate does not change the motion. */
#include "world_testing.h"

enum { COUNT = 12, RATE = 60 * COUNT };            /* per frame of 1/60 s, and per second */
static const int rates[] = {24, 50, 60, 100, 144}; /* Hz; two of them do not divide the rate */
enum { RATES = sizeof rates / sizeof *rates };

static tl_cloth *hang(tl_world *world, int substeps)
{
    tl_cloth_def def = soft_sheet(17, 17, 1, 1);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = 2;
    def.plane = "vertical";
    def.stepper = "xpbd";
    def.damping = 2;
    def.substep_rate = RATE;
    def.substeps = substeps;
    return make_cloth(world, &def);
}

/* How far the sheet reaches down from its pins, m. */
static double reach_of(tl_cloth *cloth)
{
    const tl_vec3 *x = tl_cloth_positions(cloth);
    double lowest = INFINITY, highest = -INFINITY;
    for (int i = 0; i < tl_cloth_vertex_count(cloth); ++i) {
        lowest = fmin(lowest, (double)x[i].y);
        highest = fmax(highest, (double)x[i].y);
    }
    return highest - lowest;
}

/* The same after 2 s. */
static double reach(int fps, int substeps)
{
    tl_world *world = make_world();
    tl_cloth *cloth = hang(world, substeps);
    for (int f = 0; f < 2 * fps; ++f)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / fps)), TL_OK);
    double down = reach_of(cloth);
    tl_world_destroy(world);
    return down;
}

/* Spread of the reach over all frame rates, m. */
static double spread(int substeps)
{
    double low = INFINITY, high = 0;
    for (int k = 0; k < RATES; ++k) {
        double r = reach(rates[k], substeps);
        low = fmin(low, r);
        high = fmax(high, r);
    }
    return high - low;
}

static void substep_rate_keeps_the_shape_at_any_frame_rate(void **state)
{
    (void)state;
    double stretch = reach(60, COUNT) - 1;
    assert_true(spread(0) < 0.05 * stretch);
    assert_true(spread(COUNT) > stretch); /* so many per frame, on the other hand, do not */
}

/* Frames of irregular length, as a game has them. */
static void substep_rate_keeps_the_shape_in_uneven_frames(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = hang(world, 0);
    for (int f = 0; f < 120; ++f) {
        double dt = (1.0 + 0.6 * sin(7.0 * f)) / 60;
        assert_int_equal(tl_world_step(world, (tl_real)dt), TL_OK);
        assert_true(dt / tl_cloth_get_stats(cloth).substeps < 1.002 / RATE);
    }
    assert_near(reach(60, 0), reach_of(cloth), 0.001);
    tl_world_destroy(world);
}

static void substep_rate_is_the_count_where_it_divides_the_frame(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        tl_world *world = make_world();
        tl_cloth *cloth = hang(world, k ? COUNT : 0);
        run_frames(world, 10);
        assert_int_equal(tl_cloth_get_stats(cloth).substeps, COUNT);
        hash[k] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

static int substeps_taken(tl_world *world, tl_cloth *cloth, double dt)
{
    assert_int_equal(tl_world_step(world, (tl_real)dt), TL_OK);
    return tl_cloth_get_stats(cloth).substeps;
}

static void rate_and_count_replace_each_other(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = hang(world, 0);
    assert_int_equal(substeps_taken(world, cloth, 1.0 / 24), 30);
    assert_int_equal(substeps_taken(world, cloth, 1.0 / 144), 5);
    assert_int_equal(substeps_taken(world, cloth, 1e-4), 1);
    assert_int_equal(tl_cloth_set(cloth, "substeps", &(tl_value){TL_PARAM_INT, {7}, NULL}), TL_OK);
    assert_int_equal(substeps_taken(world, cloth, 1.0 / 24), 7);
    assert_int_equal(set_real(cloth, "substep_rate", 480), TL_OK);
    assert_int_equal(substeps_taken(world, cloth, 1.0 / 24), 20);
    assert_int_equal(tl_cloth_get_def(cloth)->substeps, 0);
    tl_world_destroy(world);
}

/* Cloths in contact with each other share the substeps of the one that has most. */
static void coupled_cloths_follow_the_highest_rate(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth[2];
    for (int k = 0; k < 2; ++k) {
        cloth[k] = hang(world, 0);
        assert_int_equal(set_name(cloth[k], "contact", "self-collision"), TL_OK);
    }
    assert_int_equal(set_real(cloth[1], "substep_rate", 2 * RATE), TL_OK);
    assert_int_equal(substeps_taken(world, cloth[0], 1.0 / 48), 30);
    assert_int_equal(substeps_taken(world, cloth[1], 1.0 / 144), 10);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substep_rate_keeps_the_shape_at_any_frame_rate),
        cmocka_unit_test(substep_rate_keeps_the_shape_in_uneven_frames),
        cmocka_unit_test(substep_rate_is_the_count_where_it_divides_the_frame),
        cmocka_unit_test(rate_and_count_replace_each_other),
        cmocka_unit_test(coupled_cloths_follow_the_highest_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
