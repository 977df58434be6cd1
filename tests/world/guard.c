/* The guard: a frame that runs away is rejected, counted and reported, and the world goes on. */
#include "world_testing.h"

/* A sheet far too stiff for its substeps, beside a stable one. */
static tl_world *unstable_world(const char *stepper, const char *schedule)
{
    tl_world *world = make_world();
    assert_non_null(tl_world_add_sphere(world, v3(0, 0.8, 0), (tl_real)0.3, 1));
    tl_cloth_def def = soft_sheet(9, 9, 1, 1);
    snprintf(def.label, sizeof def.label, "shaky");
    snprintf(def.schedule, sizeof def.schedule, "%s", schedule);
    def.stepper = stepper;
    def.center = v3(0, 1.15, 0);
    def.ripple = (tl_real)0.05;
    def.substeps = 2;
    def.elements.link_structural.stiffness = (tl_real)1e7;
    make_cloth(world, &def);
    snprintf(def.label, sizeof def.label, "calm");
    def.schedule[0] = 0;
    def.stepper = "semi-implicit-euler";
    def.center = v3(5, 2, 0);
    def.substeps = 40;
    def.elements.link_structural.stiffness = 50;
    make_cloth(world, &def);
    return world;
}

static void an_unstable_frame_is_rejected_counted_and_explained(void **state)
{
    (void)state;
    static const struct {
        const char *stepper, *schedule;
    } cases[] = {
        {"semi-implicit-euler", ""},       {"explicit-euler", ""}, {"kinematic", ""}, {"verlet", ""}, {"rk4", ""},
        {"semi-implicit-euler", "s0-4.2"}, {"verlet", "s0-4.4"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        tl_world *world = unstable_world(cases[k].stepper, cases[k].schedule);
        tl_cloth *shaky = tl_world_cloth(world, 0), *calm = tl_world_cloth(world, 1);
        tl_vec3 before[81];
        int rejected = 0;
        for (int f = 0; f < 20; ++f) {
            memcpy(before, tl_cloth_positions(shaky), sizeof before);
            tl_real height = tl_cloth_positions(calm)[40].y;
            tl_result result = tl_world_step(world, FRAME);
            assert_true(all_finite(world));
            assert_true(tl_cloth_positions(calm)[40].y < height); /* everything else advances */
            assert_int_equal(tl_cloth_get_stats(calm).rejected_frames, 0);
            if (result == TL_OK)
                continue;
            assert_int_equal(result, TL_ERROR_UNSTABLE);
            ++rejected;
            assert_message(world, "shaky became unstable");
            assert_message(world, "its stiffness and damping need ");
            assert_message(world, cases[k].stepper);
            if (tl_cloth_get_stats(shaky).recoveries == 0)
                assert_memory_equal(before, tl_cloth_positions(shaky), sizeof before);
            assert_int_equal(tl_cloth_get_stats(shaky).rejected_frames, rejected);
        }
        if (rejected == 0)
            fail_msg("%s was stable: the test tests nothing", cases[k].stepper);
        assert_near(20 / 60.0, tl_world_time(world), 1e-6);

        /* the remedy in the message works, from the state that was kept */
        assert_int_equal(set_real(shaky, "link.structural.stiffness", 50), TL_OK);
        assert_int_equal(tl_cloth_set(shaky, "substeps", &(tl_value){TL_PARAM_INT, {100}, NULL}), TL_OK);
        assert_int_equal(tl_cloth_set(shaky, "schedule", &(tl_value){TL_PARAM_TEXT, {0}, cases[k].schedule}), TL_OK);
        for (int f = 0; f < 6; ++f) /* what was kept may be fast, until it is stopped or brought back */
            rejected += tl_world_step(world, FRAME) != TL_OK;
        for (int f = 0; f < 20; ++f)
            if (tl_world_step(world, FRAME) != TL_OK)
                fail_msg("%s %s does not recover: %s", cases[k].stepper, cases[k].schedule, tl_last_error(world));
        assert_int_equal(tl_cloth_get_stats(shaky).rejected_frames, rejected);
        tl_world_destroy(world);
    }
}

static void bodies_feel_nothing_of_a_frame_that_was_rejected(void **state)
{
    (void)state;
    tl_world *world = unstable_world("explicit-euler", "");
    for (int f = 0; f < 60; ++f) {
        tl_result result = tl_world_step(world, FRAME);
        tl_vec3 impulse, moment;
        tl_body_impulse(tl_world_body(world, 0), &impulse, &moment);
        assert_true(isfinite(impulse.x + impulse.y + impulse.z + moment.x + moment.y + moment.z));
        if (result == TL_ERROR_UNSTABLE) { /* the stable cloth is far below it */
            assert_near(0, (double)impulse.y, 0);
            assert_near(0, (double)moment.z, 0);
        }
    }
    assert_true(tl_cloth_get_stats(tl_world_cloth(world, 0)).rejected_frames > 0);
    tl_world_destroy(world);
}

static void rejected_adaptive_substeps_push_bodies_once(void **state)
{
    (void)state;
    /* the impulse on a floor under a resting sheet is its weight times time, however often substeps were rejected */
    tl_world *world = make_world();
    assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 1));
    tl_cloth_def def = soft_sheet(9, 9, 1, 1);
    def.center = v3(0, 0.005, 0);
    def.particle_mass = (tl_real)0.01;
    def.air = "off";
    def.substeps = 2;
    def.adaptive = true;
    def.adaptive_strain = (tl_real)2e-4;
    def.adaptive_motion = (tl_real)0.01;
    tl_cloth *cloth = make_cloth(world, &def);
    double sum = 0, weight = 81 * 0.01 * 9.81;
    run_frames(world, 10);
    for (int f = 0; f < 30; ++f) {
        assert_int_equal(tl_cloth_add_force(cloth, 40, v3(30, 0, 0)), TL_OK); /* keeps strain changing */
        run_frames(world, 1);
        tl_vec3 impulse;
        tl_body_impulse(tl_world_body(world, 0), &impulse, NULL);
        sum += (double)impulse.y;
    }
    assert_near(-weight * 0.5, sum, 0.1 * weight * 0.5);
    tl_world_destroy(world);
}

static void the_speed_that_counts_as_running_away_is_a_parameter(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(5, 5, 1, 1);
    def.air = "off";
    tl_cloth *cloth = make_cloth(world, &def);
    assert_int_equal(tl_world_set(world, "runaway_speed", &(tl_value){TL_PARAM_REAL, {2}, NULL}), TL_OK);
    int frames = 0;
    while (tl_world_step(world, FRAME) == TL_OK)
        ++frames;
    assert_int_equal(frames, 12); /* 9.81 m/s² · 12/60 s = 1.96 m/s */
    assert_true(tl_cloth_get_stats(cloth).rejected_frames == 1);
    assert_int_equal(tl_world_set(world, "runaway_speed", &(tl_value){TL_PARAM_REAL, {1000}, NULL}), TL_OK);
    run_frames(world, 10);
    tl_world_destroy(world);
}

/* A sheet on a ball is thrown away by a force: what is read afterwards belongs to the state before. */
static void statistics_of_a_rejected_frame_are_of_the_kept_state(void **state)
{
    (void)state;
    static const char *const contacts[] = {"bodies-only", "self-collision", "penetration-free"};
    for (int c = 0; c < 3; ++c) {
        tl_world *world = make_world();
        assert_non_null(tl_world_add_sphere(world, v3(0, 0, 0), (tl_real)0.3, 1));
        tl_cloth_def def = soft_sheet(9, 9, 1, 1);
        def.center = v3(0, 0.306, 0);
        def.contact = contacts[c];
        def.stepper = "semi-implicit-euler";
        def.substeps = 20;
        tl_cloth *cloth = make_cloth(world, &def);
        def.center = v3(0, 0.32, 0);
        make_cloth(world, &def);
        run_frames(world, 10);
        tl_cloth_stats before = tl_cloth_get_stats(cloth);
        tl_real pressed[81];
        memcpy(pressed, tl_cloth_contact_forces(cloth), sizeof pressed);
        assert_true(before.contacts > 0 && before.largest_speed > 0 && pressed[40] > 0);
        for (int late = 0; late < 2; ++late) { /* at once, and after some substeps */
            tl_value speed = {TL_PARAM_REAL, {late ? 1.01 * (double)before.largest_speed : 1000}, NULL};
            assert_int_equal(tl_world_set(world, "runaway_speed", &speed), TL_OK);
            if (!late)
                assert_int_equal(tl_cloth_add_force(cloth, 40, v3(1e30, 0, 0)), TL_OK);
            assert_int_equal(tl_world_step(world, FRAME / 2), TL_ERROR_UNSTABLE);
            tl_cloth_stats after = tl_cloth_get_stats(cloth);
            assert_int_equal(after.rejected_frames, 1 + late);
            assert_near((double)before.largest_speed, (double)after.largest_speed, 0);
            assert_near((double)before.largest_strain, (double)after.largest_strain, 0);
            assert_int_equal(after.contacts, before.contacts);
            assert_int_equal(after.pairs, before.pairs);
            assert_memory_equal(pressed, tl_cloth_contact_forces(cloth), sizeof pressed);
        }
        tl_world_destroy(world);
    }
}

static void forces_that_are_too_large_are_rejected(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        tl_world *world = stage_world(&(stage){.stepper = tl_stepper_names()[s]});
        tl_cloth *cloth = tl_world_cloth(world, 0);
        run_frames(world, 2);
        uint64_t before = tl_world_hash(world);
        assert_int_equal(tl_cloth_add_force(cloth, 60, v3(1e30, 0, 0)), TL_OK);
        tl_result result = tl_world_step(world, FRAME); /* tethers may contain it, forces cannot */
        bool caught = result == TL_OK && tl_cloth_get_stats(cloth).largest_speed < 1000;
        assert_true(caught || (result == TL_ERROR_UNSTABLE && tl_world_hash(world) == before));
        run_frames(world, 5); /* the force was for one step */
        assert_true(all_finite(world));
        tl_world_destroy(world);
    }
}

/* The strain limit of divided frames may bring a particle to rest far away: the way counts, not only the speed. */
static void a_particle_far_away_is_rejected_however_slow_it_is(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_grid(41, 41, 2, 2);
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = "top";
    def.pins = &pin;
    def.pin_count = 1;
    tl_cloth *cloth = make_cloth(world, &def);
    run_frames(world, 3);
    for (int f = 0; f < 5; ++f) {
        assert_int_equal(tl_cloth_add_force(cloth, 900, v3(1e9, 0, 0)), TL_OK);
        tl_result result = tl_world_step(world, FRAME);
        assert_true(result == TL_ERROR_UNSTABLE);
        assert_message(world, "tl_cloth_add_force");
        assert_true((double)tl_cloth_get_stats(cloth).largest_strain < 1);
    }
    run_frames(world, 10);
    tl_world_destroy(world);
}

static void numbers_that_are_not_finite_do_not_get_in(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){0});
    tl_cloth *cloth = tl_world_cloth(world, 0);
    tl_vec3 x[200];
    int count = tl_cloth_vertex_count(cloth);
    memcpy(x, tl_cloth_positions(cloth), (size_t)count * sizeof *x);
    uint64_t before = tl_world_hash(world);
    x[77].y = (tl_real)NAN;
    assert_int_equal(tl_cloth_set_state(cloth, x, NULL), TL_ERROR_INPUT);
    assert_message(world, "the state of vertex 77 is not finite");
    assert_int_equal(tl_cloth_set_state(cloth, NULL, x), TL_ERROR_INPUT);
    assert_int_equal(tl_body_move(tl_world_body(world, 0), v3(NAN, 0, 0), (tl_quat){0, 0, 0, 1}), TL_ERROR_INPUT);
    assert_int_equal(tl_body_move(tl_world_body(world, 0), v3(0, 0, 0), (tl_quat){0, 0, 0, 0}), TL_ERROR_INPUT);
    assert_message(world, "the pose is not finite");
    static const tl_real steps[] = {(tl_real)-0.1, (tl_real)NAN, (tl_real)INFINITY};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(tl_world_step(world, steps[k]), TL_ERROR_INPUT);
        assert_message(world, "is not a step; it must be finite and not below 0");
    }
    assert_true(tl_world_hash(world) == before);
    assert_true(tl_world_time(world) == 0);
    tl_world_destroy(world);
}

/* Damping of hinges in a sheet compressed to a fiftieth, at a substep that would overshoot many times over. */
static void damping_of_compressed_cloth_gains_no_energy_under_explicit_steppers(void **state)
{
    (void)state;
    enum { COLUMNS = 9, ROWS = 7, COUNT = COLUMNS * ROWS };
    static const char *const steppers[] = {"explicit-euler", "semi-implicit-euler", "kinematic", "verlet"};
    for (size_t s = 0; s < sizeof steppers / sizeof *steppers; ++s) {
        tl_world_def world_def = tl_world_def_default();
        world_def.gravity = v3(0, 0, 0);
        tl_world *world = tl_world_create(&world_def, NULL);
        tl_cloth_def def = soft_sheet(COLUMNS, ROWS, 1, (tl_real)1.3);
        def.material = "continuum";
        def.stepper = steppers[s];
        def.substeps = 1;
        def.damping = 0;
        def.air = "off";
        def.elements.continuum_stretch.stiffness = def.elements.continuum_stretch.damping = 0;
        def.elements.continuum_shear.stiffness = def.elements.continuum_shear.damping = 0;
        def.elements.continuum_bend.stiffness = 0;
        def.elements.continuum_bend.damping = (tl_real)1e-3;
        tl_cloth *cloth = make_cloth(world, &def);
        tl_vec3 x[COUNT], v[COUNT];
        for (int k = 0; k < COUNT; ++k) {
            x[k] = tl_cloth_positions(cloth)[k];
            x[k].x /= 50;
            v[k] = v3(sin(1.7 * k), cos(2.3 * k), sin(3.1 * k));
        }
        assert_int_equal(tl_cloth_set_state(cloth, x, v), TL_OK);
        double before = tl_cloth_energies(cloth).kinetic;
        assert_int_equal(tl_world_step(world, (tl_real)1e-4), TL_OK);
        assert_true(tl_cloth_energies(cloth).kinetic < 0.99 * before);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unstable_frame_is_rejected_counted_and_explained),
        cmocka_unit_test(bodies_feel_nothing_of_a_frame_that_was_rejected),
        cmocka_unit_test(rejected_adaptive_substeps_push_bodies_once),
        cmocka_unit_test(the_speed_that_counts_as_running_away_is_a_parameter),
        cmocka_unit_test(statistics_of_a_rejected_frame_are_of_the_kept_state),
        cmocka_unit_test(forces_that_are_too_large_are_rejected),
        cmocka_unit_test(a_particle_far_away_is_rejected_however_slow_it_is),
        cmocka_unit_test(numbers_that_are_not_finite_do_not_get_in),
        cmocka_unit_test(damping_of_compressed_cloth_gains_no_energy_under_explicit_steppers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
