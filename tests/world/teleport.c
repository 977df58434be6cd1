/* Ordinary use that is hard on a simulation: teleports, frame spikes, positions far from the origin. */
#include "world_testing.h"

/* A sheet pinned at a corner above a ball; soft enough for 20 substeps. */
static tl_world *simple_world(const char *stepper, double where)
{
    tl_world *world = make_world();
    assert_non_null(tl_world_add_sphere(world, v3(where, 0.4, where), (tl_real)0.3, (tl_real)0.5));
    tl_cloth_def def = soft_sheet(11, 11, 1, 1);
    tl_pin_def pin = tl_pin_def_default();
    def.pins = &pin;
    def.pin_count = 1;
    def.center = v3(where, 1, where);
    def.particle_mass = (tl_real)0.02;
    def.substeps = 20;
    def.stepper = stepper;
    make_cloth(world, &def);
    return world;
}

/* Steps may be rejected, but the state stays finite. */
static int survive(tl_world *world, tl_real dt, int frames)
{
    int rejected = 0;
    for (int f = 0; f < frames; ++f) {
        tl_result result = tl_world_step(world, dt);
        assert_true(result == TL_OK || result == TL_ERROR_UNSTABLE);
        rejected += result == TL_ERROR_UNSTABLE;
        assert_true(all_finite(world));
    }
    return rejected;
}

static void pins_may_be_teleported(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s)
        for (int far = 0; far < 3; ++far) {
            double distance = far == 0 ? 1 : far == 1 ? 10 : 1e5;
            tl_world *world = simple_world(tl_stepper_names()[s], 0);
            tl_cloth *cloth = tl_world_cloth(world, 0);
            survive(world, FRAME, 5);
            assert_int_equal(tl_cloth_move_pin(cloth, 0, v3(distance, 1, 0)), TL_OK);
            survive(world, FRAME, 10);
            assert_int_equal(tl_cloth_move_pin(cloth, 0, v3(-0.5, 1, -0.5)), TL_OK); /* and back */
            survive(world, FRAME, 60);
            tl_vec3 x = tl_cloth_positions(cloth)[0];
            if (far == 0) { /* an accepted step has arrived */
                assert_near(-0.5, (double)x.x, 1e-6);
                assert_near(1, (double)x.y, 1e-6);
            }
            tl_world_destroy(world);
        }
}

static void bodies_may_be_teleported_into_cloth(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        tl_world *world = simple_world(tl_stepper_names()[s], 0);
        tl_body *ball = tl_world_body(world, 0);
        survive(world, FRAME, 10);
        static const double places[][3] = {{0.2, 0.9, 0.2}, {100, 0, 0}, {0, 0.9, 0}, {0, -1e5, 0}, {-0.3, 0.8, 0.1}};
        for (int k = 0; k < 5; ++k) {
            assert_int_equal(tl_body_move(ball, v3(places[k][0], places[k][1], places[k][2]), (tl_quat){0, 0, 0, 1}),
                             TL_OK);
            int rejected = survive(world, FRAME, 6);
            const tl_vec3 *x = tl_cloth_positions(tl_world_cloth(world, 0));
            for (int v = 1; v < 121 && rejected == 0;
                 ++v) /* no penetration is left; the pinned corner goes where it must */
                if ((double)tl_body_distance(ball, x[v], NULL) < -1e-4)
                    fail_msg("%s: vertex %d is %g m inside the ball", tl_stepper_names()[s], v,
                             (double)tl_body_distance(ball, x[v], NULL));
        }
        tl_world_destroy(world);
    }
}

static void a_cloth_may_be_put_anywhere(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        tl_world *world = simple_world(tl_stepper_names()[s], 0);
        tl_cloth *cloth = tl_world_cloth(world, 0);
        survive(world, FRAME, 5);
        tl_vec3 x[121];
        for (int v = 0; v < 121; ++v) {
            x[v] = tl_cloth_positions(cloth)[v];
            x[v].x += 500;
        }
        assert_int_equal(tl_cloth_set_state(cloth, x, NULL), TL_OK);
        assert_near((double)x[7].x, (double)tl_cloth_positions(cloth)[7].x, 0);
        int rejected = survive(world, FRAME, 5);
        if (strcmp(tl_stepper_names()[s], "explicit-euler") != 0)
            assert_int_equal(rejected, 0); /* a teleported cloth is not a fast one */
        assert_near((double)x[0].x, (double)tl_cloth_positions(cloth)[0].x, 0); /* its pin came along */
        tl_world_destroy(world);
    }
}

static void frames_may_be_long_or_short(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        tl_world *world = simple_world(tl_stepper_names()[s], 0);
        survive(world, FRAME, 3);
        survive(world, (tl_real)0.5, 2); /* a spike */
        survive(world, FRAME, 10);
        survive(world, (tl_real)1e-7, 3);
        survive(world, 10, 1);
        survive(world, FRAME, 30);
        assert_near(13 / 60.0 + 1 + 3e-7 + 10 + 0.5, tl_world_time(world), 1e-3);
        tl_world_destroy(world);
    }
}

static void position_based_steppers_take_a_spike_without_losing_a_frame(void **state)
{
    (void)state;
    static const char *const steppers[] = {"xpbd", "projection", "range"};
    for (int s = 0; s < 3; ++s) {
        tl_world *world = simple_world(steppers[s], 0);
        survive(world, FRAME, 3);
        assert_int_equal(survive(world, (tl_real)0.5, 1), 0);
        assert_int_equal(survive(world, FRAME, 60), 0);
        tl_world_destroy(world);
    }
}

static void worlds_far_from_the_origin_go_on(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        tl_world *world = simple_world(tl_stepper_names()[s], 1e4);
        int rejected = survive(world, FRAME, 60);
        if (DOUBLE_BUILD && strcmp(tl_stepper_names()[s], "explicit-euler") != 0) {
            /* and behave as at the origin */
            tl_world *home = simple_world(tl_stepper_names()[s], 0);
            assert_int_equal(survive(home, FRAME, 20), 0);
            assert_int_equal(rejected, 0);
            tl_world *away = simple_world(tl_stepper_names()[s], 1e4);
            survive(away, FRAME, 20);
            const tl_vec3 *a = tl_cloth_positions(tl_world_cloth(home, 0)),
                          *b = tl_cloth_positions(tl_world_cloth(away, 0));
            for (int v = 0; v < 121; ++v) {
                if (fabs((double)(a[v].x - b[v].x) + 1e4) > 2e-3 ||
                    fabs((double)(a[v].y - b[v].y)) > 2e-3) /* folds magnify rounding */
                    fail_msg("%s: vertex %d is at %g %g m, at home at %g %g m", tl_stepper_names()[s], v,
                             (double)b[v].x - 1e4, (double)b[v].y, (double)a[v].x, (double)a[v].y);
            }
            tl_world_destroy(home);
            tl_world_destroy(away);
        }
        tl_world_destroy(world);
    }
}

/* Verlet's velocities lag by half a substep; those that are set are of the present. */
static void velocities_that_are_set_do_not_lag(void **state)
{
    (void)state;
    double fall[2];
    for (int later = 0; later < 2; ++later) { /* set at once, or after a frame */
        tl_world *world = make_world();
        tl_cloth_def def = soft_sheet(6, 6, 1, 1);
        tl_vec3 v[36];
        def.center = v3(0, 3, 0);
        def.stepper = "verlet";
        def.substeps = 20;
        def.air = "off";
        tl_cloth *cloth = make_cloth(world, &def);
        run_frames(world, later);
        for (int k = 0; k < 36; ++k)
            v[k] = v3(0, 1, 0);
        assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
        double before = (double)tl_cloth_positions(cloth)[0].y;
        run_frames(world, 1);
        fall[later] = (double)tl_cloth_positions(cloth)[0].y - before;
        tl_world_destroy(world);
    }
    assert_near(fall[0], fall[1], 1e-5); /* half a substep of gravity through a frame would be 7e-5 m */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pins_may_be_teleported),
        cmocka_unit_test(bodies_may_be_teleported_into_cloth),
        cmocka_unit_test(a_cloth_may_be_put_anywhere),
        cmocka_unit_test(frames_may_be_long_or_short),
        cmocka_unit_test(position_based_steppers_take_a_spike_without_losing_a_frame),
        cmocka_unit_test(worlds_far_from_the_origin_go_on),
        cmocka_unit_test(velocities_that_are_set_do_not_lag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
