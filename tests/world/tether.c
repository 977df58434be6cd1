/* Long-range stretch: tethers and coarse levels leave the shape of an elastic cloth alone, add no energy and do not
   jump when switched on. */
#include "world_testing.h"

#include "core/vec.h"

enum { SIDE = 13 };

typedef struct hung {
    tl_world *world;
    tl_cloth *cloth;
} hung;

/* A sheet pinned at two corners; soft enough for few sweeps to solve it. */
static hung hang(const char *stepper, int iterations, bool tether, bool multilevel, int extra_sweeps)
{
    tl_world_def world_def = tl_world_def_default();
    tl_cloth_def def = soft_sheet(2 * SIDE, 2 * SIDE, 2, 2);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    hung h = {0};
    pins[1].name = "top-right";
    def.plane = "vertical";
    def.ripple = (tl_real)0.001;
    def.stepper = stepper;
    def.substeps = 8;
    def.iterations = iterations;
    def.tether = tether;
    def.multilevel = multilevel;
    def.extra_sweeps = extra_sweeps;
    def.damping = 2;
    def.air = "off";
    def.contact = "none";
    def.pins = pins;
    def.pin_count = 2;
    h.world = tl_world_create(&world_def, NULL);
    assert_non_null(h.world);
    h.cloth = tl_cloth_create(h.world, &def);
    assert_non_null(h.cloth);
    return h;
}

static void step(hung *h, int frames)
{
    for (int f = 0; f < frames; ++f)
        assert_int_equal(tl_world_step(h->world, FRAME), TL_OK);
}

static void switch_on(hung *h, const char *path, bool on)
{
    tl_value value = {TL_PARAM_BOOL, {on, 0, 0}, NULL};
    assert_int_equal(tl_cloth_set(h->cloth, path, &value), TL_OK);
}

static double farthest(tl_cloth *a, const tl_vec3 *x)
{
    double worst = 0;
    for (int i = 0; i < tl_cloth_vertex_count(a); ++i)
        worst = fmax(worst, (double)tl_length(tl_sub(tl_cloth_positions(a)[i], x[i])));
    return worst;
}

static void elastic_cloth_hangs_in_the_same_shape_with_and_without(void **state)
{
    (void)state;
    hung plain = hang("xpbd", 6, false, false, 0);
    step(&plain, 240);
    for (int k = 0; k < 3; ++k) {
        hung bounded = hang("xpbd", 6, k == 0, k == 1, k == 2 ? 4 : 0);
        step(&bounded, 240);
        /* extra sweeps solve the same equations further; tethers and levels leave the state alone */
        assert_true(farthest(bounded.cloth, tl_cloth_positions(plain.cloth)) < (k == 2 ? 1e-3 : 2e-4));
        tl_world_destroy(bounded.world);
    }
    tl_world_destroy(plain.world);
}

/* No force acts within the range: the sheet may sag as far as the two per cent longer hem allows. */
static void cloth_that_is_free_within_a_range_sags_as_deep_with_and_without(void **state)
{
    (void)state;
    double middle[2];
    for (int k = 0; k < 2; ++k) {
        hung h = hang("range", 8, k == 1, false, 0);
        step(&h, 300);
        middle[k] = (double)tl_cloth_positions(h.cloth)[SIDE].y;
        tl_world_destroy(h.world);
    }
    assert_true(middle[0] < 1.9); /* it hangs from 2 m */
    assert_near(middle[0], middle[1], 0.03);
}

/* Stretched far beyond the limits by few sweeps of a rigid stepper, then switched on. */
static void switching_on_does_not_jump(void **state)
{
    (void)state;
    static const char *const paths[] = {"tether.on", "multilevel.on"};
    for (int k = 0; k < 2; ++k) {
        hung h = hang("projection", 1, false, false, 0);
        assert_int_equal(tl_cloth_set(h.cloth, "substeps", &(tl_value){TL_PARAM_INT, {1, 0, 0}, NULL}),
                         TL_OK); /* one substep: far too long */
        step(&h, 300);
        double stretched = (double)tl_cloth_get_stats(h.cloth).largest_strain;
        assert_true(stretched > 0.5);
        double before = (double)tl_cloth_get_stats(h.cloth).largest_speed;
        switch_on(&h, paths[k], true);
        double fastest = 0;
        for (int f = 0; f < 60; ++f) {
            step(&h, 1);
            fastest = fmax(fastest, (double)tl_cloth_get_stats(h.cloth).largest_speed);
        }
        /* the slack decays over a quarter of a second; at once it would be metres in a frame, 60 m/s and more */
        assert_true(fastest < before + 5);
        assert_true((double)tl_cloth_get_stats(h.cloth).largest_strain < stretched);
        /* off and on again while it hangs: no effect */
        switch_on(&h, paths[k], false);
        step(&h, 120);
        before = (double)tl_cloth_get_stats(h.cloth).largest_speed;
        switch_on(&h, paths[k], true);
        step(&h, 1);
        assert_true((double)tl_cloth_get_stats(h.cloth).largest_speed < before + 5);
        tl_world_destroy(h.world);
    }
}

/* Elastic energy is included where stiffness acts. */
static double energy(tl_cloth *cloth, bool elastic)
{
    tl_energies e = tl_cloth_energies(cloth);
    return e.kinetic + e.gravity + (elastic ? e.elastic : 0);
}

/* Largest energy gain relative to the initial kinetic energy: a sheet without damping, thrown so that it swings and
   whips. */
static double gained(const char *stepper, int iterations, bool tether, bool multilevel)
{
    bool elastic = strcmp(stepper, "xpbd") == 0;
    hung h = hang(stepper, iterations, tether, multilevel, tether || multilevel ? 4 : 0);
    tl_value none = {TL_PARAM_REAL, {0, 0, 0}, NULL};
    tl_vec3 x[4 * SIDE * SIDE], v[4 * SIDE * SIDE];
    assert_int_equal(tl_cloth_set(h.cloth, "damping", &none), TL_OK);
    for (int i = 0; i < 4 * SIDE * SIDE; ++i) {
        x[i] = tl_cloth_positions(h.cloth)[i];
        v[i] = tl_v3(0, 0, (1 - x[i].y) * 2);
    }
    assert_int_equal(tl_cloth_set_state(h.cloth, x, v), TL_OK);
    double first = energy(h.cloth, elastic), scale = tl_cloth_energies(h.cloth).kinetic, most = first;
    for (int f = 0; f < 180; ++f) {
        step(&h, 1);
        most = fmax(most, energy(h.cloth, elastic));
    }
    tl_world_destroy(h.world);
    return (most - first) / scale;
}

static void long_range_limits_add_no_energy(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        assert_true(gained("xpbd", 4, k == 1, k == 2) < 1e-3);
        assert_true(gained("projection", 1, k == 1, k == 2) < 1e-3);
        assert_true(gained("range", 2, k == 1, k == 2) < 1e-3);
    }
}

/* As in `telar bench hanging-sheet`: 71 x 71, threads of 10⁶ N/m, three substeps. */
static void a_fine_sheet_hung_by_two_corners_hardly_stretches(void **state)
{
    (void)state;
    tl_world_def world_def = tl_world_def_default();
    tl_cloth_def def = soft_sheet(71, 71, 2, 2);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    def.plane = "vertical";
    def.ripple = (tl_real)0.001;
    def.stepper = "xpbd";
    def.substeps = 3;
    def.density = (tl_real)0.2;
    def.elements.link_structural = (tl_element_def){true, 1000000, 0};
    def.elements.link_shear = (tl_element_def){true, 10000, 0};
    def.elements.link_bend = (tl_element_def){true, 1, 0};
    def.pins = pins;
    def.pin_count = 2;
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth *cloth = tl_cloth_create(world, &def);
    assert_non_null(cloth);
    step(&(hung){world, cloth}, 240);
    assert_true((double)tl_cloth_get_stats(cloth).largest_strain < 0.01);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elastic_cloth_hangs_in_the_same_shape_with_and_without),
        cmocka_unit_test(cloth_that_is_free_within_a_range_sags_as_deep_with_and_without),
        cmocka_unit_test(switching_on_does_not_jump),
        cmocka_unit_test(long_range_limits_add_no_energy),
        cmocka_unit_test(a_fine_sheet_hung_by_two_corners_hardly_stretches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
