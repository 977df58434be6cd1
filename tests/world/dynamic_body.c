/* Dynamic bodies: free fall, exchange of momentum with particles and with one another, floors, drops, rejected
   frames. */
#include "world_testing.h"

static tl_body *add_ball(tl_world *world, double x, double y, double z, double radius, double mass, double restitution)
{
    tl_body_def def = tl_body_def_default();
    def.position = v3(x, y, z);
    def.size = v3(radius, radius, radius);
    def.mass = (tl_real)mass;
    def.restitution = (tl_real)restitution;
    def.friction = 0;
    tl_body *body = tl_body_create(world, &def);
    if (!body)
        fail_msg("%s", tl_last_error(world));
    return body;
}

static tl_vec3 position_of(const tl_body *body)
{
    tl_vec3 position;
    tl_body_pose(body, &position, NULL);
    return position;
}
static tl_vec3 velocity(const tl_body *body)
{
    tl_vec3 v;
    tl_body_velocity(body, &v, NULL);
    return v;
}

static tl_world *weightless(void)
{
    tl_world *world = make_world();
    assert_int_equal(tl_world_set(world, "gravity", &(tl_value){TL_PARAM_VEC3, {0, 0, 0}, NULL}), TL_OK);
    return world;
}

static void a_ball_falls_when_it_is_released(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body *now = add_ball(world, 0, 100, 0, 0.1, 1, 0), *later = add_ball(world, 2, 100, 0, 0.1, 2, 0),
            *kinematic = add_ball(world, 4, 100, 0, 0.1, 1, 0);
    assert_int_equal(tl_body_set(later, "release_time", &(tl_value){TL_PARAM_REAL, {0.5}, NULL}), TL_OK);
    assert_int_equal(tl_body_set(kinematic, "kinematic", &(tl_value){TL_PARAM_BOOL, {1}, NULL}), TL_OK);
    for (int f = 0; f < 100; ++f)
        assert_int_equal(tl_world_step(world, (tl_real)0.01), TL_OK);
    assert_near(-9.81, (double)velocity(now).y, 1e-4);
    assert_near(100 - 9.81 / 2, (double)position_of(now).y, 0.06); /* first order in the step of 0.01 s */
    assert_near(-9.81 * 0.5, (double)velocity(later).y, 0.11);
    assert_near(100, (double)position_of(kinematic).y, 0);
    assert_int_equal(tl_body_set(kinematic, "kinematic", &(tl_value){TL_PARAM_BOOL, {0}, NULL}), TL_OK);
    run_frames(world, 6);
    assert_true(position_of(kinematic).y < 100);
    tl_world_destroy(world);
}

/* S1's algorithm 2: elastic, momentum and energy are conserved; with restitution e, the normal speed is e times the one
   before. */
static void a_particle_and_a_ball_exchange_momentum(void **state)
{
    (void)state;
    const double restitutions[3] = {1, 0.5, 0};
    for (int k = 0; k < 3; ++k) {
        tl_world *world = weightless();
        /* a ball between the corners of a tiny sheet that flies at it: four particles, hit one after another */
        tl_body *ball = add_ball(world, 0, 0, 0, 0.25, 0.08, restitutions[k]);
        tl_cloth_def def = soft_sheet(2, 2, (tl_real)0.01, (tl_real)0.01);
        def.center = v3(0, 0.5, 0);
        def.particle_mass = (tl_real)(10.0 / 484);
        def.thickness = 0;
        def.air = "off";
        def.material = "custom";
        memset(&def.elements, 0, sizeof def.elements);
        tl_cloth *cloth = make_cloth(world, &def);
        tl_vec3 v[4];
        for (int i = 0; i < 4; ++i)
            v[i] = v3(0, -2, 0);
        assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
        double before = tl_cloth_energies(cloth).kinetic;
        for (int f = 0; f < 60; ++f)
            assert_int_equal(tl_world_step(world, (tl_real)0.0025), TL_OK);
        tl_vec3 u = velocity(ball);
        double kinetic = 0.5 * 0.08 * (double)(u.x * u.x + u.y * u.y + u.z * u.z),
               after = tl_cloth_energies(cloth).kinetic + kinetic;
        assert_near(-2 * 40.0 / 484, (double)tl_cloth_momentum(cloth).y + 0.08 * (double)u.y, 1e-6);
        if (restitutions[k] == 1)
            assert_near(before, after, 1e-5 * before);
        else
            assert_true(after < before);
        assert_true(u.y < 0);
        tl_world_destroy(world);
    }
}

static void a_ball_bounces_by_its_restitution_and_comes_to_rest(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 1);
    tl_body *ball = add_ball(world, 0, 1.2, 0, 0.2, 0.5, 0.5);
    double highest = 0;
    bool met = false, turned = false;
    for (int f = 0; f < 4000; ++f) {
        assert_int_equal(tl_world_step(world, (tl_real)0.001), TL_OK);
        double y = (double)position_of(ball).y, v = (double)velocity(ball).y;
        assert_true(y > 0.2 - 1e-5);
        met = met || y < 0.205;
        turned = turned || (met && v < -0.1 && y > 0.21);
        if (met && !turned)
            highest = fmax(highest, y);
    }
    assert_near(0.25, highest - 0.2, 0.01); /* e² of 1 m */
    assert_near(0.2, (double)position_of(ball).y, 1e-5);
    assert_near(0, (double)velocity(ball).y, 1e-5);
    tl_world_destroy(world);
}

static void fast_balls_do_not_pass_through_thin_boxes(void **state)
{
    (void)state;
    tl_world *world = weightless();
    tl_body_def wall = tl_body_def_default();
    wall.shape = "box";
    wall.size = v3(4, 0.01, 4);
    assert_non_null(tl_body_create(world, &wall));
    tl_body_def def = tl_body_def_default();
    def.position = v3(0.1, 1, 0.2);
    def.size = v3(0.02, 0, 0);
    def.mass = 1;
    def.velocity = v3(0, -100, 0);
    tl_body *ball = tl_body_create(world, &def);
    assert_non_null(ball);
    run_frames(world, 5);
    assert_near(0.025, (double)position_of(ball).y, 1e-4);
    tl_world_destroy(world);
}

static void balls_exchange_momentum_with_balls(void **state)
{
    (void)state;
    tl_world *world = weightless();
    tl_body *a = add_ball(world, -1, 0, 0, 0.2, 1, 1), *b = add_ball(world, 0, 0, 0, 0.2, 3, 1);
    assert_int_equal(tl_body_move(a, v3(-0.9, 0, 0), (tl_quat){0, 0, 0, 1}),
                     TL_OK); /* kinematic for one step, released at 6 m/s */
    run_frames(world, 30);
    assert_near(-3, (double)velocity(a).x, 1e-4);
    assert_near(3, (double)velocity(b).x, 1e-4);
    tl_world_destroy(world);
}

static void friction_makes_a_ball_roll(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 1);
    tl_body_def def = tl_body_def_default();
    def.position = v3(0, 0.2, 0);
    def.size = v3(0.2, 0, 0);
    def.mass = 1;
    def.friction = (tl_real)0.5;
    def.velocity = v3(1, 0, 0);
    tl_body *ball = tl_body_create(world, &def);
    run_frames(world, 120);
    tl_vec3 v, spin;
    tl_body_velocity(ball, &v, &spin);
    assert_near(5.0 / 7, (double)v.x, 1e-3); /* sliding that turns into rolling leaves 5/7 of the speed */
    assert_near(-5.0 / 7 / 0.2, (double)spin.z, 1e-2);
    tl_world_destroy(world);
}

/* While a ball slides, Coulomb's friction slows it by μ g and turns it by 5/2 μ g/r. */
static void friction_slows_a_sliding_ball_by_its_coefficient(void **state)
{
    (void)state;
    static const double frictions[] = {0.1, 0.25};
    const double g = 9.81, speed = 3, radius = 0.2, time = 0.25;
    for (int k = 0; k < 2; ++k) {
        tl_world *world = make_world();
        tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 1);
        tl_body *ball = add_ball(world, 0, radius, 0, radius, 2, 0);
        assert_int_equal(tl_body_set(ball, "friction", &(tl_value){TL_PARAM_REAL, {frictions[k]}, NULL}), TL_OK);
        assert_int_equal(tl_body_move(ball, v3(speed / 60, radius, 0), (tl_quat){0, 0, 0, 1}), TL_OK);
        run_frames(world, 1); /* kinematic for one step, released at its speed */
        run_frames(world, (int)(time * 60));
        tl_vec3 v, spin;
        tl_body_velocity(ball, &v, &spin);
        double lost = frictions[k] * g * time;
        assert_true(lost < 2.0 / 7 * speed); /* it never rolls */
        assert_near(speed - lost, (double)v.x, 0.01 * lost);
        assert_near(-2.5 * lost / radius, (double)spin.z, 0.01 * 2.5 * lost / radius);
        tl_world_destroy(world);
    }
}

/* A ball on a trampoline: restored from a snapshot, the future is bit-identical. */
static tl_world *make_trampoline(const char *stepper)
{
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(15, 15, 1, 1);
    tl_pin_def pins[4];
    pin_all_edges(pins);
    def.pins = pins;
    def.pin_count = 4;
    def.stepper = stepper;
    def.substeps = 20;
    def.friction = (tl_real)0.5;
    make_cloth(world, &def);
    add_ball(world, 0.02, 1.3, 0.05, 0.2, 0.3, 0.2);
    return world;
}

static void a_ball_on_cloth_goes_on_from_a_snapshot_exactly(void **state)
{
    (void)state;
    tl_world *world = make_trampoline("xpbd"), *fresh = make_trampoline("xpbd");
    run_frames(world, 30);
    size_t size = tl_world_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(tl_world_save(world, bytes, size), TL_OK);
    run_frames(world, 30);
    assert_int_equal(tl_world_restore(fresh, bytes, size), TL_OK);
    run_frames(fresh, 30);
    assert_true(tl_world_hash(fresh) == tl_world_hash(world));
    assert_true(position_of(tl_world_body(world, 0)).y < 1.2);
    free(bytes);
    tl_world_destroy(world);
    tl_world_destroy(fresh);
}

/* An unpinned sheet catches a ball, without gravity: together they conserve momentum under steppers that solve
   contact. */
static void implicit_cloth_and_ball_keep_their_momentum(void **state)
{
    (void)state;
    static const char *const names[] = {"implicit-euler", "bdf2", "constant-jacobian"};
    for (int s = 0; s < 3; ++s) {
        tl_world_def world_def = tl_world_def_default();
        world_def.gravity = v3(0, 0, 0);
        tl_world *world = tl_world_create(&world_def, NULL);
        assert_non_null(world);
        tl_cloth_def def = soft_sheet(9, 9, 1, 1);
        def.stepper = names[s];
        def.substeps = 1;
        def.air = "off";
        def.damping = 0;
        def.solver_tolerance = (tl_real)1e-5;
        def.strain_limit = true;
        tl_cloth *cloth = make_cloth(world, &def);
        tl_body *ball = add_ball(world, 0.02, (double)tl_cloth_positions(cloth)[0].y + 0.3, 0.05, 0.2, 0.3, 0);
        tl_vec3 v[81];
        for (int k = 0; k < 81; ++k)
            v[k] = v3(0, 2, 0);
        assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
        double before = (double)tl_cloth_momentum(cloth).y;
        run_frames(world, 30);
        assert_true(velocity(ball).y > 0.5);
        assert_near(before, (double)tl_cloth_momentum(cloth).y + 0.3 * (double)velocity(ball).y, 1e-3 * before);
        tl_world_destroy(world);
    }
}

/* A ball falls into a net pinned along its edges, one step a frame. The tension of the net within the step must reach
   the ball: with the light particles alone to stop it, it sinks through to the floor. A run with many substeps is the
   reference for its depth. */
static double lowest_in_net(const char *stepper, int substeps)
{
    tl_world *world = make_world();
    tl_pin_def pins[4];
    pin_all_edges(pins);
    tl_cloth_def def = soft_sheet(25, 25, 1, 1);
    def.center = v3(0, 1, 0);
    def.density = (tl_real)0.3;
    def.stepper = stepper;
    def.substeps = substeps;
    def.elements.link_structural = (tl_element_def){true, 300, (tl_real)0.05};
    def.pins = pins;
    def.pin_count = 4;
    make_cloth(world, &def);
    tl_body *ball = add_ball(world, 0.03, 1.3, 0.02, 0.1, 0.5, 0);
    assert_int_equal(tl_body_set(ball, "friction", &(tl_value){TL_PARAM_REAL, {0.5}, NULL}), TL_OK);
    double lowest = INFINITY;
    for (int f = 0; f < 60; ++f) {
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 60)), TL_OK);
        lowest = fmin(lowest, (double)position_of(ball).y);
    }
    tl_world_destroy(world);
    return lowest;
}

static void an_implicit_net_holds_a_ball(void **state)
{
    (void)state;
    double expected = lowest_in_net("implicit-euler", 8);
    assert_true(expected > 0.7);
    assert_near(expected, lowest_in_net("implicit-euler", 1), 0.08);
    assert_near(expected, lowest_in_net("bdf2", 1), 0.08);
}

static void a_rejected_frame_rolls_the_ball_back(void **state)
{
    (void)state;
    tl_world *world = make_trampoline("explicit-euler");
    tl_body *ball = tl_world_body(world, 0);
    run_frames(world, 2);
    assert_int_equal(set_real(tl_world_cloth(world, 0), "link.structural.stiffness", 1e7), TL_OK);
    tl_vec3 before = position_of(ball), speed = velocity(ball);
    assert_int_equal(tl_world_step(world, FRAME), TL_ERROR_UNSTABLE);
    assert_near((double)before.y, (double)position_of(ball).y, 0);
    assert_near((double)speed.y, (double)velocity(ball).y, 0);
    tl_world_destroy(world);
}

/* Balls of two sizes start to slide on their floors: after a frame they differ in nothing but spin. */
static void hash_of_a_world_includes_the_spin_of_bodies(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        tl_world *world = make_world();
        double radius = k ? 0.1 : 0.2;
        tl_world_add_plane(world, v3(0, 0.2 - radius, 0), v3(0, 1, 0), 1);
        tl_body_def def = tl_body_def_default();
        def.shape = "sphere";
        def.position = v3(0, 0.2, 0);
        def.size = v3(radius, radius, radius);
        def.mass = 1;
        def.velocity = v3(1, 0, 0);
        tl_body *ball = tl_body_create(world, &def);
        assert_non_null(ball);
        run_frames(world, 1);
        tl_vec3 spin;
        tl_body_velocity(ball, NULL, &spin);
        assert_true(spin.z < 0);
        hash[k] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0] != hash[1]);
}

/* A ball that starts to roll gains spin in every frame, but not in one that is rolled back. */
static void a_rejected_frame_restores_the_spin(void **state)
{
    (void)state;
    tl_world *world = make_trampoline("explicit-euler");
    assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 1));
    tl_body_def def = tl_body_def_default();
    def.position = v3(3, 0.2, 0);
    def.size = v3(0.2, 0, 0);
    def.mass = 1;
    def.friction = (tl_real)0.5;
    def.velocity = v3(5, 0, 0);
    tl_body *ball = tl_body_create(world, &def);
    assert_non_null(ball);
    tl_vec3 before, after;
    run_frames(world, 2);
    tl_body_velocity(ball, NULL, &before);
    run_frames(world, 1);
    tl_body_velocity(ball, NULL, &after);
    assert_true(after.z < before.z && before.z < 0);
    assert_int_equal(set_real(tl_world_cloth(world, 0), "link.structural.stiffness", 1e7), TL_OK);
    assert_int_equal(tl_world_step(world, FRAME), TL_ERROR_UNSTABLE);
    tl_body_velocity(ball, NULL, &before);
    assert_memory_equal(&before, &after, sizeof before);
    tl_world_destroy(world);
}

/* A springy sheet that hits a ball off centre sets it spinning, in adaptive substeps of which many are rejected. The
   ball has the sum of impulses and moments, however often a substep was tried. */
static void rejected_adaptive_substeps_push_and_spin_a_ball_once(void **state)
{
    (void)state;
    tl_world *world = weightless();
    const double radius = 0.2, mass = 0.3, inertia = 0.4 * mass * radius * radius;
    tl_body *ball = add_ball(world, 0, 0, 0, radius, mass, 0);
    assert_int_equal(tl_body_set(ball, "friction", &(tl_value){TL_PARAM_REAL, {0.8}, NULL}), TL_OK);
    tl_cloth_def def = soft_sheet(7, 7, (tl_real)0.4, (tl_real)0.4);
    def.center = v3(0.15, 0.25, 0.05);
    def.stepper = "semi-implicit-euler";
    def.substeps = 20;
    def.air = "off";
    def.friction = 1;
    def.adaptive = true;
    def.adaptive_strain = (tl_real)2e-3;
    def.adaptive_motion = 100; /* never limits the substep: a shorter one was rejected before */
    tl_cloth *cloth = make_cloth(world, &def);
    tl_vec3 v[49];
    for (int i = 0; i < 49; ++i)
        v[i] = v3(1, -2, 0);
    assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
    double momentum = 0, angular = 0;
    int substeps = 0;
    for (int f = 0; f < 20; ++f) {
        run_frames(world, 1);
        tl_vec3 impulse, moment;
        tl_body_impulse(ball, &impulse, &moment);
        momentum += (double)impulse.y;
        angular += (double)moment.z;
        substeps += tl_cloth_get_stats(cloth).substeps;
    }
    tl_vec3 spin;
    tl_body_velocity(ball, NULL, &spin);
    assert_true(substeps > 20 * 20);
    assert_true(fabs((double)spin.z) > 0.3);
    assert_near(momentum, mass * (double)velocity(ball).y, 1e-4 * fabs(momentum));
    assert_near(angular, inertia * (double)spin.z, 1e-4 * fabs(angular));
    tl_world_destroy(world);
}

static void shapes_that_cannot_be_dynamic_refuse_a_mass(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body_def def = tl_body_def_default();
    def.mass = 1;
    def.shape = "plane";
    assert_null(tl_body_create(world, &def));
    assert_message(world, "mass");
    tl_key_def keys[1] = {tl_key_def_default()};
    def.shape = "sphere";
    def.keys = keys;
    def.key_count = 1;
    assert_null(tl_body_create(world, &def));
    assert_message(world, "keys");
    tl_body *plane = tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 1);
    assert_int_not_equal(tl_body_set(plane, "mass", &(tl_value){TL_PARAM_REAL, {1}, NULL}), TL_OK);
    assert_near(0, (double)tl_body_get_def(plane)->mass, 0);
    tl_world_destroy(world);
}

/* Two balls that overlap at rest part without moving their common centre: the lighter goes farther. */
static void bodies_that_overlap_part_about_their_common_centre(void **state)
{
    (void)state;
    tl_world *world = weightless();
    tl_body *a = add_ball(world, -0.15, 0, 0, 0.2, 1, 0), *b = add_ball(world, 0.15, 0, 0, 0.2, 3, 0);
    run_frames(world, 1);
    assert_near(1 * -0.15 + 3 * 0.15, 1 * (double)position_of(a).x + 3 * (double)position_of(b).x, 1e-5);
    assert_near(0.4, (double)position_of(b).x - (double)position_of(a).x, 1e-3);
    tl_world_destroy(world);
}

/* A ball that moves off the floor it lies on is not held back: contact pushes and never pulls. */
static void a_ball_leaves_the_floor_freely(void **state)
{
    (void)state;
    tl_world *world = weightless();
    tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 1);
    tl_body_def def = tl_body_def_default();
    def.position = v3(0, 2, 0);
    def.size = v3(2, 0, 0);
    def.mass = 1;
    def.velocity = v3(0, 0.5, 0);
    tl_body *ball = tl_body_create(world, &def);
    assert_non_null(ball);
    run_frames(world, 10);
    assert_near(0.5, (double)velocity(ball).y, 1e-5);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_falls_when_it_is_released),
        cmocka_unit_test(a_particle_and_a_ball_exchange_momentum),
        cmocka_unit_test(a_ball_bounces_by_its_restitution_and_comes_to_rest),
        cmocka_unit_test(fast_balls_do_not_pass_through_thin_boxes),
        cmocka_unit_test(balls_exchange_momentum_with_balls),
        cmocka_unit_test(friction_makes_a_ball_roll),
        cmocka_unit_test(friction_slows_a_sliding_ball_by_its_coefficient),
        cmocka_unit_test(a_ball_on_cloth_goes_on_from_a_snapshot_exactly),
        cmocka_unit_test(implicit_cloth_and_ball_keep_their_momentum),
        cmocka_unit_test(an_implicit_net_holds_a_ball),
        cmocka_unit_test(a_rejected_frame_rolls_the_ball_back),
        cmocka_unit_test(hash_of_a_world_includes_the_spin_of_bodies),
        cmocka_unit_test(a_rejected_frame_restores_the_spin),
        cmocka_unit_test(rejected_adaptive_substeps_push_and_spin_a_ball_once),
        cmocka_unit_test(shapes_that_cannot_be_dynamic_refuse_a_mass),
        cmocka_unit_test(bodies_that_overlap_part_about_their_common_centre),
        cmocka_unit_test(a_ball_leaves_the_floor_freely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
