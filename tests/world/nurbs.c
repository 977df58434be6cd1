/* Cloth as a NURBS sheet and as a hybrid: what the exchange keeps, pins, contact, and everything a world does. */
#include "failing_allocator.h"
#include "world_testing.h"

#include "world/nurbs.h"

enum { SIDE = 31, COUNT = SIDE * SIDE };

static tl_cloth_def sheet(const char *surface)
{
    tl_cloth_def def = tl_cloth_def_grid(SIDE, SIDE, 2, 2);
    def.elements.link_structural = (tl_element_def){true, 200, (tl_real)0.01};
    def.elements.link_shear = (tl_element_def){true, 60, (tl_real)0.01};
    def.elements.link_bend = (tl_element_def){true, (tl_real)0.5, (tl_real)0.005};
    def.surface = surface;
    def.nurbs_columns = 9;
    def.nurbs_rows = 8;
    def.center.y = 3;
    return def;
}

static double total_momentum(tl_cloth *cloth, int axis)
{
    tl_vec3 sum = tl_cloth_momentum(cloth);
    return (double)(&sum.x)[axis];
}

static tl_value name(const char *text) { return (tl_value){TL_PARAM_NAME, {0}, text}; }

/* ---- the maps ------------------------------------------------------------------------------------------------- */

static void the_net_weighs_as_much_as_the_particles(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = sheet("nurbs");
    def.mass_spread = "random";
    def.mass_ratio = 10;
    tl_cloth *cloth = make_cloth(world, &def);
    const tl_particles *net = &cloth->nurbs->control->system.p;
    double mass = 0, own = 0;
    for (int j = 0; j < net->count; ++j) {
        assert_true(net->m[j] > 0);
        mass += (double)net->m[j];
    }
    for (int v = 0; v < COUNT; ++v)
        own += (double)tl_cloth_masses(cloth)[v];
    assert_int_equal(net->count, 72);
    assert_int_equal(tl_cloth_get_stats(cloth).simulated, COUNT);
    run_frames(world, 1);
    assert_int_equal(tl_cloth_get_stats(cloth).simulated, 72);
    assert_near(1, mass / own, 1e-5);
    tl_world_destroy(world);
}

static void affine_shapes_are_reproduced(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = sheet("nurbs");
    tl_cloth *cloth = make_cloth(world, &def);
    tl_nurbs *n = cloth->nurbs;
    tl_vec3 x[COUNT];
    for (int v = 0; v < COUNT; ++v) {
        double a = (double)(v % SIDE) / 15 - 1, b = (double)(v / SIDE) / 15 - 1;
        x[v] = v3(0.3 * a - 0.5 * b + 0.2, 0.8 * a + 0.1 * b, 0.4 * b - 1);
    }
    assert_int_equal(tl_cloth_set_state(cloth, x, NULL), TL_OK);
    tl_nurbs_fit(n, cloth->mesh, cloth->system.p.x, n->control->system.p.x);
    tl_nurbs_map(n, cloth->mesh, n->control->system.p.x, n->mapped);
    for (int i = 0; i < COUNT; ++i)
        assert_near(0, (double)tl_length(tl_sub(tl_at(n->mapped, i), tl_at(cloth->system.p.x, i))), 2e-6);
    tl_world_destroy(world);
}

static void the_transposed_map_is_the_transposed_map(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = sheet("nurbs");
    tl_cloth *cloth = make_cloth(world, &def);
    tl_nurbs *n = cloth->nurbs;
    tl_particles *net = &n->control->system.p;
    for (int j = 0; j < net->count; ++j)
        net->x[0][j] = net->x[1][j] = net->x[2][j] = (tl_real)sin(3.1 * j);
    for (int i = 0; i < COUNT; ++i)
        cloth->system.p.f[0][i] = (tl_real)cos(1.3 * i);
    tl_nurbs_map(n, cloth->mesh, net->x, n->mapped);
    tl_nurbs_gather(n, cloth->mesh, cloth->system.p.f[0], net->f[0]);
    double above = 0, below = 0;
    for (int i = 0; i < COUNT; ++i)
        above += (double)n->mapped[1][i] * (double)cloth->system.p.f[0][i];
    for (int j = 0; j < net->count; ++j)
        below += (double)net->x[1][j] * (double)net->f[0][j];
    assert_near(above, below, 1e-4);
    tl_world_destroy(world);
}

/* ---- motion --------------------------------------------------------------------------------------------------- */

static void a_free_surface_falls_and_keeps_its_momentum(void **state)
{
    (void)state;
    for (const char *const *stepper = tl_stepper_names(); *stepper; ++stepper) {
        if (strcmp(*stepper, "automatic") == 0)
            continue;
        tl_world *world = make_world();
        tl_cloth_def def = sheet("nurbs");
        def.stepper = *stepper;
        def.air = "off";
        tl_cloth *cloth = make_cloth(world, &def);
        run_frames(world, 30);
        double mass = 0;
        for (int v = 0; v < COUNT; ++v)
            mass += (double)tl_cloth_masses(cloth)[v];
        if (!cloth->nurbs->active)
            fail_msg("%s: the net is not in use", *stepper);
        if (fabs(total_momentum(cloth, 1) / mass + 9.81 * 0.5) > 0.1)
            fail_msg("%s: falls at %g m/s", *stepper, total_momentum(cloth, 1) / mass);
        assert_near(0, total_momentum(cloth, 0), 1e-4);
        tl_world_destroy(world);
    }
}

/* How deep a sheet hangs between two sides that are brought together: its shape is a catenary's, whatever its
   stiffness. */
static double sag(const char *surface)
{
    tl_world *world = make_world();
    tl_cloth_def def = sheet(surface);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[0].where = pins[1].where = "edge";
    pins[0].name = "left";
    pins[1].name = "right";
    def.pins = pins;
    def.pin_count = 2;
    def.damping = 2;
    def.substeps = 30;
    tl_cloth *cloth = make_cloth(world, &def);
    for (int f = 0; f < 60; ++f) {
        for (int r = 0; r < SIDE; ++r) {
            double z = (double)tl_cloth_positions(cloth)[r * SIDE].z, x = 1 - 0.3 * (f + 1) / 60;
            assert_int_equal(tl_cloth_move_pin(cloth, r * SIDE, v3(-x, 3, z)), TL_OK);
            assert_int_equal(tl_cloth_move_pin(cloth, r * SIDE + SIDE - 1, v3(x, 3, z)), TL_OK);
        }
        run_frames(world, 1);
    }
    tl_vec3 side = tl_cloth_positions(cloth)[5 * SIDE];
    run_frames(world, 240);
    if (strcmp(surface, "nurbs") == 0)
        assert_true(cloth->nurbs->active);
    const tl_vec3 *x = tl_cloth_positions(cloth);
    assert_memory_equal(&side, &x[5 * SIDE], sizeof side); /* pins keep their bits */
    assert_near(-0.7, (double)side.x, 1e-6);
    double down = 3 - (double)x[COUNT / 2].y;
    tl_world_destroy(world);
    return down;
}

static void a_hung_surface_sags_like_the_sheet(void **state)
{
    (void)state;
    double particles = sag("particles"), nurbs = sag("nurbs"), catenary = 0.6403; /* 2 m between ends 1.4 m apart */
    assert_near(1, particles / catenary, 0.03);
    assert_near(1, nurbs / catenary, 0.03);
}

static void a_pinned_side_follows_its_body(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body_def bar = tl_body_def_default();
    tl_key_def keys[2] = {tl_key_def_default(), tl_key_def_default()};
    keys[1].time = (tl_real)0.5;
    keys[1].position = v3(0.5, 0.25, 0);
    keys[1].rotation = v3(0, 30, 0);
    bar.keys = keys;
    bar.key_count = 2;
    bar.position = v3(-1, 3, 0);
    bar.size = v3(0.01, 0.01, 0.01);
    assert_non_null(tl_body_create(world, &bar));
    tl_cloth_def def = sheet("nurbs");
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = "left";
    pin.body = 0;
    def.pins = &pin;
    def.pin_count = 1;
    def.plane = "vertical";
    def.contact = "none";
    tl_cloth *cloth = make_cloth(world, &def);
    run_frames(world, 30);
    assert_true(cloth->nurbs->active);
    const tl_vec3 *x = tl_cloth_positions(cloth);
    double up = 3.25 - 1;
    assert_near(-0.5, (double)x[(SIDE - 1) * SIDE].x, 1e-4);
    assert_near(up, (double)x[(SIDE - 1) * SIDE].y, 1e-4);
    /* the surface beside the pins is where it belongs: not torn from them */
    for (int r = 0; r < SIDE; ++r)
        assert_true((double)tl_length(tl_sub(x[r * SIDE + 1], x[r * SIDE])) < 1.3 * 2 / 30);
    tl_world_destroy(world);
}

static void say(void *user, const char *message) { snprintf(user, 512, "%s", message); }

static void pins_without_control_points_leave_it_to_the_particles(void **state)
{
    (void)state;
    char log[512] = "";
    tl_world_def world_def = tl_world_def_default();
    world_def.log = say;
    world_def.log_user = log;
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth_def def = sheet("nurbs");
    tl_cloth *cloth = make_cloth(world, &def);
    run_frames(world, 3);
    assert_true(cloth->nurbs->active && !log[0]);
    assert_int_equal(tl_cloth_pin(cloth, 5 * SIDE + 7, true), TL_OK);
    tl_vec3 held = tl_cloth_positions(cloth)[5 * SIDE + 7];
    run_frames(world, 10);
    assert_false(cloth->nurbs->active);
    assert_non_null(strstr(log, "corners only"));
    assert_memory_equal(&held, &tl_cloth_positions(cloth)[5 * SIDE + 7], sizeof held);
    assert_int_equal(tl_cloth_pin(cloth, 5 * SIDE + 7, false), TL_OK);
    run_frames(world, 1);
    assert_true(cloth->nurbs->active);
    tl_world_destroy(world);
}

static void forces_of_the_user_act(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_value none = {TL_PARAM_VEC3, {0, 0, 0}, NULL};
    assert_int_equal(tl_world_set(world, "gravity", &none), TL_OK);
    tl_cloth_def def = sheet("nurbs");
    def.air = "off";
    tl_cloth *cloth = make_cloth(world, &def);
    for (int f = 0; f < 10; ++f) {
        tl_cloth_add_force(cloth, 400, v3(0.6, 0, 0));
        run_frames(world, 1);
    }
    assert_near(0.6 * 10 / 60, total_momentum(cloth, 0), 1e-4);
    run_frames(world, 5);
    assert_near(0.6 * 10 / 60, total_momentum(cloth, 0), 1e-3);
    tl_world_destroy(world);
}

/* ---- contact and exchange -------------------------------------------------------------------------------------- */

static tl_world *over_a_ball(const char *surface, tl_cloth **cloth)
{
    tl_world *world = make_world();
    tl_world_add_sphere(world, v3(0, 1, 0), (tl_real)0.5, (tl_real)0.5);
    tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5);
    tl_cloth_def def = sheet(surface);
    def.air = "off";
    def.center.y = (tl_real)1.9;
    *cloth = make_cloth(world, &def);
    return world;
}

static void the_surface_stays_outside_bodies(void **state)
{
    (void)state;
    tl_cloth *cloth;
    tl_world *world = over_a_ball("nurbs", &cloth);
    int touching = 0;
    for (int f = 0; f < 120; ++f) {
        tl_real deepest = 0;
        run_frames(world, 1);
        assert_true(cloth->nurbs->active);
        tl_cloth_count_penetrating(cloth, &deepest);
        assert_true((double)deepest < 1e-3);
        touching += tl_cloth_get_stats(cloth).contacts > 0;
    }
    assert_true(touching > 60);
    tl_real force = 0;
    for (int v = 0; v < COUNT; ++v)
        force += tl_cloth_contact_forces(cloth)[v];
    assert_true(force > 0);
    tl_world_destroy(world);
}

/* Free flight in one frame is what separates two frames; everything beyond is a jump. */
static void the_exchange_moves_nothing_and_keeps_the_momentum(void **state)
{
    (void)state;
    tl_cloth *cloth;
    tl_world *world = over_a_ball("hybrid", &cloth);
    bool was = false, nets = false, particles = false;
    for (int f = 0; f < 60; ++f) {
        static tl_vec3 x[COUNT], v[COUNT];
        memcpy(x, tl_cloth_positions(cloth), sizeof x);
        memcpy(v, tl_cloth_velocities(cloth), sizeof v);
        double before = total_momentum(cloth, 1), mass = 2 * 2 * 0.2;
        run_frames(world, 1);
        bool net = cloth->nurbs->active;
        if (f > 0 && was && !net) {
            assert_near(before - 9.81 * mass / 60, total_momentum(cloth, 1), 0.02 * mass);
            for (int k = 0; k < COUNT; ++k) {
                tl_vec3 moved = tl_sub(tl_sub(tl_cloth_positions(cloth)[k], x[k]), tl_scale(v[k], FRAME));
                assert_true((double)tl_length(moved) < 9.81 / 3600 * 1.5); /* no more than the fall of a frame */
            }
        }
        nets |= net;
        particles |= !net;
        was = net;
    }
    assert_true(nets && particles); /* the net until the ball is near */
    assert_false(was);
    tl_world_destroy(world);
}

static void the_net_takes_over_again_when_all_is_clear(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body *ball = tl_world_add_sphere(world, v3(0, 2.9, 0), (tl_real)0.3, 0);
    tl_cloth_def def = sheet("hybrid");
    def.nurbs_columns = def.nurbs_rows = 20;
    def.center.y = (tl_real)3.4;
    tl_cloth *cloth = make_cloth(world, &def);
    run_frames(world, 20);
    assert_false(cloth->nurbs->active);
    assert_int_equal(tl_body_set(ball, "on", &(tl_value){TL_PARAM_BOOL, {0}, NULL}), TL_OK);
    int frame = 0;
    for (; frame < 240 && !cloth->nurbs->active; ++frame) {
        static tl_vec3 x[COUNT], v[COUNT];
        memcpy(x, tl_cloth_positions(cloth), sizeof x);
        memcpy(v, tl_cloth_velocities(cloth), sizeof v);
        double before[3] = {total_momentum(cloth, 0), total_momentum(cloth, 1), total_momentum(cloth, 2)};
        run_frames(world, 1);
        if (!cloth->nurbs->active)
            continue;
        assert_near(before[0], total_momentum(cloth, 0), 0.01);
        assert_true(total_momentum(cloth, 1) < before[1] + 0.01);
        for (int k = 0; k < COUNT; ++k) {
            tl_vec3 moved = tl_sub(tl_sub(tl_cloth_positions(cloth)[k], x[k]), tl_scale(v[k], FRAME));
            assert_true((double)tl_length(moved) < 0.015);
        }
    }
    assert_true(frame > 10);
    tl_world_destroy(world);
}

static void surfaces_are_switched_while_they_run(void **state)
{
    (void)state;
    tl_cloth *cloth;
    tl_world *world = over_a_ball("particles", &cloth);
    static const char *const order[] = {"nurbs", "particles", "hybrid", "nurbs", "particles"};
    run_frames(world, 5);
    for (int k = 0; k < 5; ++k) {
        tl_value value = name(order[k]);
        tl_vec3 before = tl_cloth_positions(cloth)[COUNT / 2];
        assert_int_equal(tl_cloth_set(cloth, "surface", &value), TL_OK);
        assert_memory_equal(&before, &tl_cloth_positions(cloth)[COUNT / 2], sizeof before);
        run_frames(world, 6);
        assert_true(all_finite(world));
        assert_int_equal(tl_cloth_set(cloth, "stepper", &(tl_value){TL_PARAM_NAME, {0}, k % 2 ? "xpbd" : "verlet"}),
                         TL_OK);
    }
    tl_world_destroy(world);
}

static void only_sheets_with_enough_particles_can_be_surfaces(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = sheet("nurbs");
    def.nurbs_rows = 40;
    assert_null(tl_cloth_create(world, &def));
    assert_message(world, "9 × 40 control points");
    def = sheet("nurbs");
    def.shape = "ball";
    assert_null(tl_cloth_create(world, &def));
    assert_message(world, "only a sheet");
    tl_world_destroy(world);
}

/* ---- what every cloth does ------------------------------------------------------------------------------------- */

static void a_snapshot_goes_on_exactly(void **state)
{
    (void)state;
    static const char *const surfaces[] = {"nurbs", "hybrid"};
    static const char *const steppers[] = {"xpbd", "verlet", "bdf2"};
    for (int k = 0; k < 6; ++k) {
        uint64_t future[3];
        unsigned char *bytes = NULL;
        size_t size = 0;
        for (int round = 0; round < 3; ++round) { /* run on, restored in place, restored into a fresh world */
            static tl_world *world;
            static tl_cloth *cloth;
            if (round != 1) {
                world = over_a_ball(surfaces[k / 3], &cloth);
                tl_value value = name(steppers[k % 3]);
                assert_int_equal(tl_cloth_set(cloth, "stepper", &value), TL_OK);
            }
            if (round == 0) {
                run_frames(world, 8);
                size = tl_world_snapshot_size(world);
                bytes = malloc(size);
                assert_int_equal(tl_world_save(world, bytes, size), TL_OK);
            } else {
                assert_int_equal(tl_world_restore(world, bytes, size), TL_OK);
            }
            run_frames(world, 25);
            future[round] = tl_world_hash(world);
            if (round > 0)
                tl_world_destroy(world);
        }
        if (future[1] != future[0] || future[2] != future[0])
            fail_msg("%s under %s goes on otherwise", surfaces[k / 3], steppers[k % 3]);
        free(bytes);
    }
}

static void lanes_and_teleports_change_nothing(void **state)
{
    (void)state;
    static const char *const widths[] = {"scalar", "sse", "auto"};
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        tl_world_def world_def = tl_world_def_default();
        world_def.simd = widths[k];
        tl_world *world = tl_world_create(&world_def, NULL);
        tl_world_add_sphere(world, v3(0, 2.2, 0), (tl_real)0.5, (tl_real)0.5);
        tl_cloth_def def = sheet("nurbs");
        make_cloth(world, &def);
        run_frames(world, 40);
        hash[k] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
    tl_world *world = make_world();
    tl_cloth_def def = sheet("nurbs");
    tl_cloth *cloth = make_cloth(world, &def);
    run_frames(world, 10);
    tl_vec3 before = tl_cloth_positions(cloth)[77];
    assert_int_equal(tl_cloth_teleport(cloth, v3(0, 0, 0), (tl_quat){0, 0, 0, 1}, v3(100, 0, 0), true), TL_OK);
    run_frames(world, 1);
    assert_true(cloth->nurbs->active);
    assert_near(100 + (double)before.x, (double)tl_cloth_positions(cloth)[77].x, 0.01);
    tl_world_destroy(world);
}

static void every_failing_allocation_is_an_error(void **state)
{
    (void)state;
    for (int n = 1;; ++n) {
        failing f = {.fails_at = n};
        tl_world_def world_def = tl_world_def_default();
        world_def.allocator = failing_allocator(&f);
        tl_world *world = tl_world_create(&world_def, NULL);
        tl_cloth_def def = sheet("hybrid");
        tl_pin_def pin = tl_pin_def_default();
        pin.where = "edge";
        def.pins = &pin;
        pin.name = "left";
        def.pin_count = 1;
        tl_cloth *cloth = world ? tl_cloth_create(world, &def) : NULL;
        if (cloth) {
            tl_result result = tl_world_step(world, FRAME);
            assert_true(result == TL_OK || result == TL_ERROR_MEMORY);
        }
        bool through = f.made < n;
        if (world)
            tl_world_destroy(world);
        assert_int_equal(f.alive, 0);
        assert_true(n < 2000);
        if (through)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_net_weighs_as_much_as_the_particles),
        cmocka_unit_test(affine_shapes_are_reproduced),
        cmocka_unit_test(the_transposed_map_is_the_transposed_map),
        cmocka_unit_test(a_free_surface_falls_and_keeps_its_momentum),
        cmocka_unit_test(a_hung_surface_sags_like_the_sheet),
        cmocka_unit_test(a_pinned_side_follows_its_body),
        cmocka_unit_test(pins_without_control_points_leave_it_to_the_particles),
        cmocka_unit_test(forces_of_the_user_act),
        cmocka_unit_test(the_surface_stays_outside_bodies),
        cmocka_unit_test(the_exchange_moves_nothing_and_keeps_the_momentum),
        cmocka_unit_test(the_net_takes_over_again_when_all_is_clear),
        cmocka_unit_test(surfaces_are_switched_while_they_run),
        cmocka_unit_test(only_sheets_with_enough_particles_can_be_surfaces),
        cmocka_unit_test(a_snapshot_goes_on_exactly),
        cmocka_unit_test(lanes_and_teleports_change_nothing),
        cmocka_unit_test(every_failing_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
