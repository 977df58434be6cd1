/* Mass of a cloth, and S3's mass spreads. */
#include "world_testing.h"

static tl_cloth *sheet(tl_world *world, const char *spread, double ratio, int seed, double particle_mass)
{
    tl_cloth_def def = soft_sheet(21, 16, 2, (tl_real)1.5);
    def.density = (tl_real)0.3;
    def.particle_mass = (tl_real)particle_mass;
    def.mass_spread = spread;
    def.mass_ratio = (tl_real)ratio;
    def.seed = seed;
    return make_cloth(world, &def);
}

static void mass_is_density_times_area(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = sheet(world, "equal", 1, 1, 0);
    double sum = 0;
    for (int v = 0; v < 21 * 16; ++v)
        sum += (double)tl_cloth_masses(cloth)[v];
    assert_near(0.3 * 2 * 1.5, sum, 1e-6);
    /* an interior particle carries one cell; at the border half of one; at a corner a third or a sixth with one
       diagonal */
    double cell = 0.3 * 0.1 * 0.1;
    assert_near(cell, (double)tl_cloth_masses(cloth)[5 * 21 + 7], 1e-8);
    assert_near(cell / 2, (double)tl_cloth_masses(cloth)[9], 1e-8);
    double corners = (double)(tl_cloth_masses(cloth)[0] + tl_cloth_masses(cloth)[20]);
    assert_near(cell / 3 + cell / 6, corners, 1e-8);
    tl_world_destroy(world);
}

static void particle_mass_overrides_density(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = sheet(world, "equal", 1, 1, 0.25);
    for (int v = 0; v < 21 * 16; ++v)
        assert_near(0.25, (double)tl_cloth_masses(cloth)[v], 0);
    tl_world_destroy(world);
}

static void spreads_stay_between_lightest_and_heaviest(void **state)
{
    (void)state;
    static const char *const spreads[] = {"random", "sinusoidal"};
    for (int k = 0; k < 2; ++k) {
        tl_world *world = make_world();
        tl_cloth *cloth = sheet(world, spreads[k], 8, 3, 1);
        double low = 1e9, high = 0, sum = 0;
        for (int v = 0; v < 21 * 16; ++v) {
            double m = (double)tl_cloth_masses(cloth)[v];
            low = fmin(low, m);
            high = fmax(high, m);
            sum += m;
        }
        assert_true(low >= 1 / 8.0 - 1e-6 && high <= 1 + 1e-6);
        assert_true(low < 0.16 && high > 0.97); /* and both ends are used */
        assert_near(0.5625, sum / (21 * 16), 0.05);
        tl_world_destroy(world);
    }
}

static void the_sinusoidal_spread_repeats_along_the_vertices(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = sheet(world, "sinusoidal", 4, 1, 1);
    const tl_real *m = tl_cloth_masses(cloth);
    for (int v = 0; v + 16 < 21 * 16; ++v)
        assert_near((double)m[v], (double)m[v + 16], 1e-6);
    assert_near(0.25 + 0.75 * 0.5, (double)m[0], 1e-6);
    assert_near(1, (double)m[4], 1e-6);
    assert_near(0.25, (double)m[12], 1e-6);
    tl_world_destroy(world);
}

static void the_seed_chooses_the_random_masses(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *a = sheet(world, "random", 8, 5, 1), *b = sheet(world, "random", 8, 5, 1),
             *c = sheet(world, "random", 8, 6, 1);
    assert_memory_equal(tl_cloth_masses(a), tl_cloth_masses(b), 21 * 16 * sizeof(tl_real));
    assert_memory_not_equal(tl_cloth_masses(a), tl_cloth_masses(c), 21 * 16 * sizeof(tl_real));
    tl_world_destroy(world);
}

static void masses_fall_alike(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(9, 9, 1, 1);
    def.mass_spread = "random";
    def.mass_ratio = 100;
    def.particle_mass = 1;
    def.air = "off";
    def.stepper = "verlet";
    tl_cloth *cloth = make_cloth(world, &def);
    run_frames(world, 30);
    for (int v = 0; v < 81; ++v)
        assert_near(1 - 9.81 / 8, (double)tl_cloth_positions(cloth)[v].y, 1e-4); /* still flat */
    tl_world_destroy(world);
}

/* m a of a loose sheet after one frame, its least and largest, and the weight of the whole. */
static void pull(bool as_force, const char *stepper, double density, double *least, double *most, double *share)
{
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(9, 9, 1, 1);
    def.elements.link_structural.on = def.elements.link_shear.on = def.elements.link_bend.on = false;
    def.mass_spread = "random";
    def.mass_ratio = 10;
    def.particle_mass = density > 0 ? 0 : (tl_real)0.001;
    def.density = density > 0 ? (tl_real)density : def.density;
    def.air = "off";
    def.stepper = stepper;
    def.substeps = 3;
    def.gravity_as_force = as_force;
    tl_cloth *cloth = make_cloth(world, &def);
    run_frames(world, 1);
    double mass = 0, sum = 0;
    *least = INFINITY;
    *most = 0;
    for (int v = 0; v < 81; ++v) {
        double m = (double)tl_cloth_masses(cloth)[v], force = -m * (double)tl_cloth_velocities(cloth)[v].y * 60;
        bool inside = v / 9 > 0 && v / 9 < 8 && v % 9 > 0 && v % 9 < 8;
        *least = inside || !(density > 0) ? fmin(*least, force) : *least;
        *most = fmax(*most, force);
        mass += m;
        sum += force;
    }
    *share = sum / (9.81 * mass);
    tl_world_destroy(world);
}

static void gravity_as_force_pulls_all_masses_alike(void **state)
{
    (void)state;
    static const char *const steppers[] = {"semi-implicit-euler", "xpbd", "projection", "implicit-euler"};
    for (int k = 0; k < 4; ++k) {
        double least, most, share;
        pull(true, steppers[k], 0, &least, &most, &share);
        assert_near(1, most / least, 1e-4);
        assert_near(1, share, 1e-4); /* and together as much as they weigh */
        pull(true, steppers[k], 0.2, &least, &most, &share);
        assert_near(1, most / least, 1e-4); /* where all have the same area */
        assert_near(1, share, 1e-4);
        pull(false, steppers[k], 0, &least, &most, &share);
        assert_true(most / least > 5);
    }
}

static void gravity_as_force_is_the_weight_of_energy_and_can_be_switched(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(9, 9, 1, 1);
    def.mass_spread = "random";
    def.mass_ratio = 10;
    def.particle_mass = (tl_real)0.001;
    def.air = "off";
    def.stepper = "rk4";
    def.gravity_as_force = true;
    tl_cloth *cloth = make_cloth(world, &def);
    tl_energies start = tl_cloth_energies(cloth);
    run_frames(world, 20);
    tl_energies end = tl_cloth_energies(cloth);
    double before = start.kinetic + start.gravity + start.elastic, after = end.kinetic + end.gravity + end.elastic;
    assert_true(end.kinetic > 0.01);
    assert_near(before, after, 0.02 * end.kinetic);
    tl_vec3 v[81];
    memcpy(v, tl_cloth_velocities(cloth), sizeof v);
    for (int k = 0; k < 81; ++k)
        v[k] = v3(0, 0, 0);
    assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
    assert_int_equal(tl_cloth_set(cloth, "gravity.as_force", &(tl_value){TL_PARAM_BOOL, {0}, NULL}), TL_OK);
    assert_true(fabs(tl_cloth_energies(cloth).gravity - end.gravity) > 1e-6);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_is_density_times_area),
        cmocka_unit_test(particle_mass_overrides_density),
        cmocka_unit_test(spreads_stay_between_lightest_and_heaviest),
        cmocka_unit_test(the_sinusoidal_spread_repeats_along_the_vertices),
        cmocka_unit_test(the_seed_chooses_the_random_masses),
        cmocka_unit_test(masses_fall_alike),
        cmocka_unit_test(gravity_as_force_pulls_all_masses_alike),
        cmocka_unit_test(gravity_as_force_is_the_weight_of_energy_and_can_be_switched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
