/* Cloth filled with gas in a world: under every stepper, through snapshots and rejected frames, and invalid cases. */
#include "world_testing.h"

/* A ball of springs that floats without gravity, overfilled by a fifth; optionally pumped and leaking. */
static tl_world *make_ball(const char *stepper, const char *lanes, bool flows)
{
    tl_error error = {0};
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = v3(0, 0, 0);
    if (lanes)
        world_def.simd = lanes;
    tl_world *world = tl_world_create(&world_def, &error);
    assert_non_null(world);
    tl_cloth_def def = tl_cloth_def_default();
    def.center.y = 1;
    def.shape = "ball";
    def.columns = 20;
    def.width = 1;
    def.stepper = stepper;
    def.substeps = 20;
    def.air = "off";
    def.elements.link_structural.stiffness = 30; /* soft enough for explicit Euler */
    def.elements.link_shear.stiffness = 10;
    def.damping = 1;
    def.gas.on = true;
    def.gas.outside = 100;
    def.gas.overpressure = 20;
    if (flows) {
        def.gas.process = "adiabatic";
        def.gas.pump = 5;
        def.gas.leak = (tl_real)1e-4;
        def.gas.leak_vertex = 5;
        def.gas.leak_start = (tl_real)0.1;
    }
    make_cloth(world, &def);
    return world;
}

static void every_stepper_blows_a_ball_up_by_the_gas_law(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        tl_world *world = make_ball(tl_stepper_names()[s], NULL, false);
        tl_cloth *cloth = tl_world_cloth(world, 0);
        tl_cloth_stats before = tl_cloth_get_stats(cloth);
        assert_near(120, before.pressure, 1e-3);
        run_frames(world, 20);
        tl_cloth_stats after = tl_cloth_get_stats(cloth);
        if (!(after.volume > 1.001 * before.volume))
            fail_msg("%s: from %g to %g m³", tl_stepper_names()[s], before.volume, after.volume);
        assert_near(before.nrt, after.volume * after.pressure, 1e-9 * before.nrt);
        tl_vec3 p = tl_cloth_momentum(cloth), l = tl_cloth_angular_momentum(cloth);
        double kinetic = tl_cloth_energies(cloth).kinetic, scale = sqrt(2 * kinetic * 0.2 * 3.2);
        /* a position-based stepper derives velocities from displacements: single-precision rounding, 6e-8 m in a
           substep of 0.8 ms, remains in them */
        bool by_position = strcmp(tl_stepper_names()[s], "xpbd") == 0 ||
                           strcmp(tl_stepper_names()[s], "projection") == 0 ||
                           strcmp(tl_stepper_names()[s], "range") == 0;
        double most = DOUBLE_BUILD ? 1e-9 * (scale + 0.01) : by_position ? 2e-3 : 2e-4 * (scale + 0.01);
        double linear = fabs((double)p.x) + fabs((double)p.y) + fabs((double)p.z),
               angular = fabs((double)l.x) + fabs((double)l.y) + fabs((double)l.z);
        /* implicit ones solve to their tolerance */
        static const char *const implicit = "implicit-euler bdf2 constant-jacobian thin-objects";
        if (strstr(implicit, tl_stepper_names()[s]))
            most = 1e-3 * (scale + 0.01);
        /* steppers that are not symplectic conserve angular momentum only to their order */
        double turned = fmax(most, 1e-4 * (scale + 0.01));
        if (!(linear <= most && angular <= turned))
            fail_msg("%s: momentum %g, angular momentum %g, at most %g", tl_stepper_names()[s], linear, angular, most);
        tl_world_destroy(world);
    }
}

static void pumped_and_leaking_gas_goes_on_from_a_snapshot_exactly(void **state)
{
    (void)state;
    static const char *const steppers[] = {"rk4", "xpbd", "verlet"};
    for (int s = 0; s < 3; ++s) {
        tl_world *world = make_ball(steppers[s], NULL, true), *fresh = make_ball(steppers[s], NULL, true);
        run_frames(world, 10);
        size_t size = tl_world_snapshot_size(world);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(tl_world_save(world, bytes, size), TL_OK);
        run_frames(world, 10);
        assert_int_equal(tl_world_restore(fresh, bytes, size), TL_OK);
        run_frames(fresh, 5);
        tl_cloth_energies(tl_world_cloth(fresh, 0)); /* reading changes nothing */
        tl_cloth_get_stats(tl_world_cloth(fresh, 0));
        run_frames(fresh, 5);
        assert_true(tl_world_hash(fresh) == tl_world_hash(world));
        free(bytes);
        tl_world_destroy(world);
        tl_world_destroy(fresh);
    }
}

static void all_widths_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const steppers[] = {"rk4", "xpbd"};
    for (int s = 0; s < 2; ++s) {
        tl_world *plain = make_ball(steppers[s], "scalar", true), *sse = make_ball(steppers[s], "sse", true),
                 *widest = make_ball(steppers[s], "auto", true);
        run_frames(plain, 20);
        run_frames(sse, 20);
        run_frames(widest, 20);
        assert_true(tl_world_hash(plain) == tl_world_hash(sse) && tl_world_hash(plain) == tl_world_hash(widest));
        tl_world_destroy(plain);
        tl_world_destroy(sse);
        tl_world_destroy(widest);
    }
}

static void a_jet_carries_the_ball_away(void **state)
{
    (void)state;
    tl_world *world = make_ball("xpbd", NULL, true);
    tl_cloth *cloth = tl_world_cloth(world, 0);
    tl_vec3 hole = tl_cloth_positions(cloth)[5];
    hole.y -= 1;                                                /* from the centre of the ball */
    assert_int_equal(set_real(cloth, "gas.leak", 1e-3), TL_OK); /* far above rounding of the momentum */
    run_frames(world, 30);
    tl_vec3 p = tl_cloth_momentum(cloth);
    assert_true((double)(p.x * hole.x + p.y * hole.y + p.z * hole.z) < 0);
    tl_world_destroy(world);
}

static void a_rejected_frame_keeps_the_amount(void **state)
{
    (void)state;
    tl_world *world = make_ball("explicit-euler", NULL, true);
    tl_cloth *cloth = tl_world_cloth(world, 0);
    assert_int_equal(set_real(cloth, "link.structural.stiffness", 1e7), TL_OK);
    assert_int_equal(tl_cloth_set(cloth, "stable.on", &(tl_value){TL_PARAM_BOOL, {0}, NULL}), TL_OK);
    double before = tl_cloth_get_stats(cloth).nrt;
    assert_int_equal(tl_world_step(world, FRAME), TL_ERROR_UNSTABLE);
    assert_true(tl_cloth_get_stats(cloth).nrt == before);
    tl_world_destroy(world);
}

static void every_gas_parameter_can_be_changed_while_it_runs(void **state)
{
    (void)state;
    for (int k = 0; k < tl_cloth_params.count; ++k) {
        const tl_param *param = &tl_cloth_params.params[k];
        if (strncmp(param->path, "gas.", 4) != 0 || param->when != TL_PARAM_LIVE)
            continue;
        for (int n = 0; n < 2; ++n) {
            tl_world *world = make_ball(n ? "xpbd" : "rk4", NULL, true);
            run_frames(world, 2);
            double number = n ? param->max : param->min;
            tl_value value = {param->type,
                              {param->type == TL_PARAM_INT ? fmin(number, 30) : number},
                              param->type == TL_PARAM_NAME ? param->names[n] : NULL};
            tl_cloth *cloth = tl_world_cloth(world, 0);
            if (tl_cloth_set(cloth, param->path, &value) != TL_OK)
                fail_msg("%s", tl_last_error(world));
            for (int f = 0; f < 3; ++f)
                tl_world_step(world, FRAME);
            assert_true(all_finite(world));
            tl_world_destroy(world);
        }
    }
}

static void gas_can_be_switched_off_and_on(void **state)
{
    (void)state;
    tl_world *world = make_ball("xpbd", NULL, false);
    tl_cloth *cloth = tl_world_cloth(world, 0);
    double before = tl_cloth_get_stats(cloth).nrt;
    assert_int_equal(tl_cloth_set(cloth, "gas.on", &(tl_value){TL_PARAM_BOOL, {0}, NULL}), TL_OK);
    assert_string_equal(tl_cloth_get_def(cloth)->material, "springs"); /* gas is not part of the material */
    assert_near(0, tl_cloth_get_stats(cloth).pressure, 0);
    run_frames(world, 2);
    assert_int_equal(tl_cloth_set(cloth, "gas.on", &(tl_value){TL_PARAM_BOOL, {1}, NULL}), TL_OK);
    assert_true(tl_cloth_get_stats(cloth).nrt == before);
    run_frames(world, 2);
    tl_world_destroy(world);
}

static void what_cannot_hold_gas_is_refused(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(5, 5, 1, 1);
    def.gas.on = true;
    assert_null(tl_cloth_create(world, &def));
    assert_message(world, "gas.on: the surface is open at the edge between vertices");
    def.gas.depth = 1;
    assert_null(tl_cloth_create(world, &def));
    assert_message(world, "on the rim is not pinned");
    tl_pin_def pins[4] = {tl_pin_def_default(), tl_pin_def_default(), tl_pin_def_default(), tl_pin_def_default()};
    static const char *const edges[4] = {"top", "bottom", "left", "right"};
    for (int k = 0; k < 4; ++k) {
        pins[k].where = "edge";
        pins[k].name = edges[k];
    }
    def.pins = pins;
    def.pin_count = 4;
    tl_cloth *box = make_cloth(world, &def);
    assert_near(1, tl_cloth_get_stats(box).volume, 1e-6);
    def.gas.leak_vertex = 25;
    assert_null(tl_cloth_create(world, &def));
    assert_message(world, "gas.leak_vertex: 25");
    tl_cloth_def open = soft_sheet(5, 5, 1, 1);
    tl_cloth *sheet = make_cloth(world, &open);
    assert_int_equal(tl_cloth_set(sheet, "gas.on", &(tl_value){TL_PARAM_BOOL, {1}, NULL}), TL_ERROR_INPUT);
    assert_false(tl_cloth_get_def(sheet)->gas.on);
    run_frames(world, 2);
    tl_world_destroy(world);
}

/* Solving constraints one after the other would take spin from a ball that turns. */
static void a_spinning_ball_keeps_its_spin(void **state)
{
    (void)state;
    static const char *const steppers[] = {"xpbd", "verlet"};
    for (int s = 0; s < 2; ++s) {
        tl_world *world = make_ball(steppers[s], NULL, false);
        tl_cloth *cloth = tl_world_cloth(world, 0);
        assert_int_equal(set_real(cloth, "damping", 0), TL_OK);
        int count = tl_cloth_vertex_count(cloth);
        tl_vec3 *v = calloc((size_t)count, sizeof *v);
        assert_non_null(v);
        for (int k = 0; k < count; ++k) {
            tl_vec3 x = tl_cloth_positions(cloth)[k];
            v[k] = v3(0, -(double)x.z, (double)x.y); /* 1 rad/s about x */
        }
        assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
        double before = (double)tl_cloth_angular_momentum(cloth).x;
        assert_true(before > 0);
        run_frames(world, 20);
        assert_near(before, (double)tl_cloth_angular_momentum(cloth).x, 0.01 * before);
        free(v);
        tl_world_destroy(world);
    }
}

/* Air at a pressure of 1e5 Pa is far stiffer than the cloth around it: the solver has to know of it to take a frame in
   one step. */
static void stiff_gas_takes_whole_frames_under_implicit_steppers(void **state)
{
    (void)state;
    static const char *const steppers[] = {"implicit-euler", "bdf2"};
    for (int s = 0; s < 2; ++s) {
        tl_world *world = make_world();
        tl_cloth_def def = tl_cloth_def_default();
        def.shape = "ball";
        def.columns = 20;
        def.width = 1;
        def.stepper = steppers[s];
        def.substeps = 1;
        def.air = "off";
        def.elements.link_structural.stiffness = 3000;
        def.elements.link_shear.stiffness = 60;
        def.gas.on = true;
        def.gas.outside = 100000;
        def.gas.overpressure = 500;
        def.center = v3(0, 0.7, 0);
        tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5);
        tl_cloth *cloth = make_cloth(world, &def);
        for (int f = 0; f < 40; ++f)
            assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        tl_cloth_stats stats = tl_cloth_get_stats(cloth);
        if (!(stats.pressure > 100000 && stats.pressure < 101000 && (double)stats.largest_speed < 5))
            fail_msg("%s: %g Pa, %g m/s", steppers[s], stats.pressure, (double)stats.largest_speed);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stepper_blows_a_ball_up_by_the_gas_law),
        cmocka_unit_test(pumped_and_leaking_gas_goes_on_from_a_snapshot_exactly),
        cmocka_unit_test(all_widths_give_the_same_bits),
        cmocka_unit_test(a_jet_carries_the_ball_away),
        cmocka_unit_test(a_rejected_frame_keeps_the_amount),
        cmocka_unit_test(every_gas_parameter_can_be_changed_while_it_runs),
        cmocka_unit_test(gas_can_be_switched_off_and_on),
        cmocka_unit_test(what_cannot_hold_gas_is_refused),
        cmocka_unit_test(a_spinning_ball_keeps_its_spin),
        cmocka_unit_test(stiff_gas_takes_whole_frames_under_implicit_steppers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
