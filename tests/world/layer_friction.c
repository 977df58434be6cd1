/* Friction between layers of cloth, in the layer solve of implicit steppers and in the contact solve pair by pair. */
#include "world_testing.h"

enum { SIDE = 7, MIDDLE = SIDE * SIDE / 2 };

/* A sheet on a level one that is pinned everywhere, under gravity inclined along x by a slope, rise over run. */
static tl_world *lay_on_slope(const char *stepper, double friction, double slope)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = v3(9.81 * sin(atan(slope)), -9.81 * cos(atan(slope)), 0);
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    tl_cloth_def below = soft_sheet(15, 8, (tl_real)0.56, (tl_real)0.28);
    tl_cloth_def above = soft_sheet(SIDE, SIDE, (tl_real)0.18, (tl_real)0.18);
    below.center = v3(0, 0, 0);
    above.center = v3(-0.15, 0.0101, 0.003);
    below.stepper = above.stepper = stepper;
    below.contact = above.contact = "fast";
    below.substeps = above.substeps = 10;
    below.thickness = above.thickness = (tl_real)0.01;
    below.air = above.air = "off";
    below.cloth_friction = above.cloth_friction = (tl_real)friction;
    tl_cloth *lower = make_cloth(world, &below);
    for (int i = 0; i < tl_cloth_vertex_count(lower); ++i)
        assert_int_equal(tl_cloth_pin(lower, i, true), TL_OK);
    make_cloth(world, &above);
    return world;
}

/* Displacement of the upper sheet along x after so many frames. */
static double displacement(tl_world *world, int frames)
{
    tl_cloth *sheet = tl_world_cloth(world, 1);
    tl_vec3 from = tl_cloth_positions(sheet)[MIDDLE];
    run_frames(world, frames);
    return (double)(tl_cloth_positions(sheet)[MIDDLE].x - from.x);
}

static void layers_stick_below_the_angle_of_friction(void **state)
{
    (void)state;
    static const char *const steppers[] = {"implicit-euler", "bdf2", "constant-jacobian", "thin-objects", "xpbd"};
    for (int s = 0; s < 5; ++s) {
        tl_world *rough = lay_on_slope(steppers[s], 0.3, 0.15), *smooth = lay_on_slope(steppers[s], 0, 0.15);
        assert_near(0, displacement(rough, 12), 1e-3);
        assert_true(displacement(smooth, 12) > 5e-3); /* only friction holds it */
        tl_world_destroy(rough);
        tl_world_destroy(smooth);
    }
}

/* The contact solve leaves it g (sin θ − μ cos θ). */
static void layers_slide_by_coulombs_law(void **state)
{
    (void)state;
    static const double frictions[] = {0, 0.1, 0.2, 0.3};
    const double slope = 0.4, time = 0.25;
    for (int k = 0; k < 4; ++k) {
        tl_world *world = lay_on_slope("xpbd", frictions[k], slope);
        run_frames(world, 10);
        tl_real before = tl_cloth_velocities(tl_world_cloth(world, 1))[MIDDLE].x;
        run_frames(world, (int)(time * 60));
        double gained = (double)(tl_cloth_velocities(tl_world_cloth(world, 1))[MIDDLE].x - before);
        assert_near(9.81 * (slope - frictions[k]) * cos(atan(slope)), gained / time, 0.15);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_stick_below_the_angle_of_friction),
        cmocka_unit_test(layers_slide_by_coulombs_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
