/* What a user gets who sets nothing: cloth that moves, holds together and is not rejected. */
#include "world_testing.h"

static tl_cloth *default_sheet(tl_world *world, int side, bool hung, const char *fabric)
{
    tl_cloth_def def = tl_cloth_def_grid(side, side, 2, 2);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = hung ? 2 : 0;
    if (fabric)
        def.fabric = fabric;
    return make_cloth(world, &def);
}

/* Largest stretch of rows and columns. */
static double stretch_of(tl_cloth *cloth, int columns, int rows, double width, double height)
{
    const tl_vec3 *x = tl_cloth_positions(cloth);
    double most = 0;
    for (int k = 0; k < columns * rows; ++k)
        for (int along = 0; along < 2; ++along) {
            if (along ? k % columns == columns - 1 : k / columns == rows - 1)
                continue;
            tl_vec3 a = x[k], b = x[along ? k + 1 : k + columns];
            double rest = along ? width / (columns - 1) : height / (rows - 1);
            double length =
                sqrt(pow((double)(a.x - b.x), 2) + pow((double)(a.y - b.y), 2) + pow((double)(a.z - b.z), 2));
            most = fmax(most, length / rest - 1);
        }
    return most;
}

static void sheets_of_every_size_move_and_are_not_rejected(void **state)
{
    (void)state;
    static const int sides[] = {8, 17, 32, 71, 128, 256, 512};
    static const int frames[] = {120, 120, 120, 90, 40, 8, 2};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k)
        for (int hung = 0; hung < 2; ++hung) {
            tl_world *world = make_world();
            assert_non_null(tl_world_add_sphere(world, v3(0, 0.5, 0), (tl_real)0.5, (tl_real)0.4));
            tl_cloth *cloth = default_sheet(world, sides[k], hung, NULL);
            double before = tl_cloth_energies(cloth).gravity;
            run_frames(world, frames[k]);
            assert_string_equal(tl_cloth_stepper(cloth), "xpbd");
            assert_true(tl_cloth_energies(cloth).gravity < before);
            assert_int_equal(tl_cloth_get_stats(cloth).rejected_frames, 0);
            tl_world_destroy(world);
        }
}

static void fabrics_of_every_size_move_and_are_not_rejected(void **state)
{
    (void)state;
    static const int sides[] = {8, 32, 71, 128};
    static const int frames[] = {60, 30, 8, 2};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k)
        for (int f = 1; tl_fabric_names()[f]; ++f) {
            if (f % 5 != 1)
                continue; /* denim, blanket, silk */
            tl_world *world = make_world();
            assert_non_null(tl_world_add_sphere(world, v3(0, 0.5, 0), (tl_real)0.45, (tl_real)0.4));
            tl_cloth *cloth = default_sheet(world, sides[k], f % 2 == 1, tl_fabric_names()[f]);
            run_frames(world, frames[k]);
            assert_string_equal(tl_cloth_stepper(cloth), "implicit-euler");
            assert_int_equal(tl_cloth_get_stats(cloth).rejected_frames, 0);
            tl_world_destroy(world);
        }
}

/* Hung by two corners, at rest after a swing in air; fine sheets take more substeps. */
static void hung_sheets_hardly_stretch(void **state)
{
    (void)state;
    static const int sides[] = {32, 71, 128};
    static const int substeps[] = {3, 3, 5};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; ++k) {
        tl_world *world = make_world();
        tl_cloth *cloth = default_sheet(world, sides[k], true, NULL);
        run_frames(world, 240);
        assert_true(stretch_of(cloth, sides[k], sides[k], 2, 2) < 0.05);
        assert_int_equal(tl_cloth_get_stats(cloth).substeps, substeps[k]);
        tl_world_destroy(world);
    }
}

/* Steady frames with single ones of up to 0.25 s, and pauses in between. */
static void spikes_stretch_no_more_than_steady_frames(void **state)
{
    (void)state;
    double most[2] = {0, 0};
    for (int spikes = 0; spikes < 2; ++spikes) {
        tl_world *world = make_world();
        tl_cloth *cloth = default_sheet(world, 41, true, NULL);
        double time = 0;
        for (int f = 0; time < 4; ++f) {
            double dt = !spikes || f % 7 ? 1 / 60.0 : f % 3 == 0 ? 0.25 : f % 3 == 1 ? 0.1 : 0;
            time += dt;
            assert_int_equal(tl_world_step(world, (tl_real)dt), TL_OK);
            most[spikes] = fmax(most[spikes], stretch_of(cloth, 41, 41, 2, 2));
        }
        tl_world_destroy(world);
    }
    assert_true(most[1] < 1.5 * most[0]);
}

static void a_frame_of_no_length_is_a_pause(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = default_sheet(world, 11, true, NULL);
    run_frames(world, 10);
    uint64_t before = tl_world_hash(world);
    double time = tl_world_time(world);
    assert_int_equal(tl_cloth_move_pin(cloth, 0, v3(-0.9, 1.1, -1)), TL_OK);
    assert_int_equal(tl_world_step(world, 0), TL_OK);
    assert_true(tl_world_hash(world) == before && tl_world_time(world) == time);
    run_frames(world, 1); /* what was asked for before the pause happens after it */
    assert_near(-0.9, (double)tl_cloth_positions(cloth)[0].x, 1e-6);
    tl_world_destroy(world);
}

/* Air changes the motion of a sheet of a milligram in far less than a substep. */
static void sheets_of_any_density_are_not_rejected(void **state)
{
    (void)state;
    static const double densities[] = {1e-6, 1e-5, 1e-4, 1e-3, 10, 1000};
    for (size_t k = 0; k < sizeof densities / sizeof *densities; ++k) {
        tl_world *world = make_world();
        tl_cloth_def def = tl_cloth_def_grid(21, 21, 1, 1);
        def.density = (tl_real)densities[k];
        tl_cloth *cloth = make_cloth(world, &def);
        run_frames(world, 60);
        assert_true((double)tl_cloth_get_stats(cloth).largest_speed < 20);
        if (densities[k] < 1) /* stiff: no material to be judged by */
            assert_near(0, (double)tl_cloth_get_stats(cloth).material_error, 0);
        tl_world_destroy(world);
    }
}

/* ---- the stable number of substeps ---------------------------------------------------------------------------- */

static void every_stepper_goes_on_with_the_default_cloth(void **state)
{
    (void)state;
    static const int asked[] = {0, 1, 4};
    for (int s = 0; tl_stepper_names()[s]; ++s)
        for (int a = 0; a < 3; ++a) {
            tl_world *world = make_world();
            assert_non_null(tl_world_add_sphere(world, v3(0, 0.5, 0), (tl_real)0.4, (tl_real)0.4));
            tl_cloth_def def = tl_cloth_def_grid(17, 17, 1, 1);
            def.substeps = asked[a];
            def.elements.link_structural.stiffness = 20000; /* so that explicit steppers are quick enough for a test */
            def.elements.link_shear.stiffness = 200;
            tl_cloth *cloth = make_cloth(world, &def);
            run_frames(world, 5);
            assert_int_equal(set_name(cloth, "stepper", tl_stepper_names()[s]), TL_OK);
            for (int f = 0; f < 30; ++f)
                if (tl_world_step(world, FRAME) != TL_OK)
                    fail_msg("%s with %d substeps: %s", tl_stepper_names()[s], asked[a], tl_last_error(world));
            assert_true((double)tl_cloth_get_stats(cloth).largest_speed < 20);
            tl_world_destroy(world);
        }
}

/* Twice the frequency takes twice the substeps; a finer mesh, a lighter cloth and stiffer links are counted in. */
static void stable_substeps_follow_mesh_mass_and_stiffness(void **state)
{
    (void)state;
    static const struct {
        int side;
        double stiffness, density, factor;
    } cases[] = {{9, 1000, 0.2, 1}, {9, 4000, 0.2, 2}, {9, 1000, 0.05, 2}, {17, 1000, 0.2, 2}};
    int base = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        tl_world *world = make_world();
        tl_cloth_def def = tl_cloth_def_grid(cases[k].side, cases[k].side, 1, 1);
        def.stepper = "verlet";
        def.substeps = 1;
        def.air = "off";
        def.density = (tl_real)cases[k].density;
        def.elements.link_structural.stiffness = (tl_real)cases[k].stiffness;
        def.elements.link_shear.stiffness = (tl_real)(cases[k].stiffness / 100);
        def.elements.link_bend.stiffness = (tl_real)(cases[k].stiffness / 1000);
        tl_cloth *cloth = make_cloth(world, &def);
        run_frames(world, 1);
        int taken = tl_cloth_get_stats(cloth).substeps;
        base = k == 0 ? taken : base;
        assert_true(fabs(taken / (cases[k].factor * base) - 1) < 0.12);
        /* ω ≤ √(8 k/m) by Gershgorin, reached by far more than half */
        double m = cases[k].density / pow(cases[k].side - 1, 2), bound = sqrt(8 * cases[k].stiffness / m) / 60 / 2;
        assert_true(taken > 0.6 * bound && taken < 1.5 * bound + 2);
        assert_int_equal(tl_cloth_set(cloth, "stable.on", &(tl_value){TL_PARAM_BOOL, {0}, NULL}), TL_OK);
        tl_world_step(world, FRAME);
        assert_int_equal(tl_cloth_get_stats(cloth).substeps, 1);
        tl_world_destroy(world);
    }
}

static void count_line(void *user, const char *message)
{
    *(int *)user += strstr(message, "as asked for, would be unstable") != NULL;
}

static void more_substeps_than_asked_for_are_said_once(void **state)
{
    (void)state;
    tl_world_def world_def = tl_world_def_default();
    int lines = 0;
    world_def.log = count_line;
    world_def.log_user = &lines;
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth_def def = tl_cloth_def_grid(9, 9, 1, 1);
    def.stepper = "verlet";
    def.substeps = 4;
    make_cloth(world, &def);
    run_frames(world, 3);
    assert_int_equal(lines, 1);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_of_every_size_move_and_are_not_rejected),
        cmocka_unit_test(fabrics_of_every_size_move_and_are_not_rejected),
        cmocka_unit_test(hung_sheets_hardly_stretch),
        cmocka_unit_test(spikes_stretch_no_more_than_steady_frames),
        cmocka_unit_test(a_frame_of_no_length_is_a_pause),
        cmocka_unit_test(sheets_of_any_density_are_not_rejected),
        cmocka_unit_test(every_stepper_goes_on_with_the_default_cloth),
        cmocka_unit_test(stable_substeps_follow_mesh_mass_and_stiffness),
        cmocka_unit_test(more_substeps_than_asked_for_are_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
