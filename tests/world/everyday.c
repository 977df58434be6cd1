/* Laws in single precision at the settings that users get: named fabrics, default tolerances, any size and frame
   rate. */
#include "world_testing.h"

#include <math.h>

static const char *const implicit_names[] = {"implicit-euler", "bdf2", "constant-jacobian"};
enum { IMPLICIT_COUNT = sizeof implicit_names / sizeof *implicit_names, SIDE = 21 };

static tl_world *make_vacuum(void)
{
    tl_error error = {0};
    tl_world_def def = tl_world_def_default();
    def.wind.air_density = 0;
    tl_world *world = tl_world_create(&def, &error);
    if (!world)
        fail_msg("%s", error.message);
    return world;
}

/* A sheet of denim, one step a frame. */
static tl_cloth *free_denim(tl_world *world, const char *stepper, double size)
{
    tl_cloth_def def = tl_cloth_def_grid(SIDE, SIDE, (tl_real)size, (tl_real)size);
    def.fabric = "denim";
    def.stepper = stepper;
    def.substeps = 1;
    return make_cloth(world, &def);
}

/* A sheet falls with gravity, whatever its size and the frame rate: the stiffness of its links over its mass grows by
   10⁴ from 1 m to 1 cm. */
static void free_cloth_falls_with_gravity(void **state)
{
    (void)state;
    static const double sizes[] = {1, 0.1, 0.01}, rates[] = {30, 144};
    for (int s = 0; s < IMPLICIT_COUNT; ++s)
        for (int w = 0; w < 3; ++w)
            for (int r = 0; r < 2; ++r) {
                tl_world *world = make_vacuum();
                tl_cloth *cloth = free_denim(world, implicit_names[s], sizes[w]);
                int frames = (int)rates[r];
                for (int f = 0; f < frames; ++f)
                    assert_int_equal(tl_world_step(world, (tl_real)(1 / rates[r])), TL_OK);
                const tl_vec3 *v = tl_cloth_velocities(cloth);
                for (int i = 0; i < SIDE * SIDE; ++i)
                    assert_near(-9.81, (double)v[i].y, 0.01);
                if (w == 0) /* rounding apart, nothing is left to solve */
                    assert_int_equal(tl_cloth_get_stats(cloth).solver_iterations, 0);
                tl_world_destroy(world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_cloth_falls_with_gravity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
