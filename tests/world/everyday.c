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

/* ---- layers under one implicit step a frame -----------------------------------------------------------------------
 */

typedef struct meeting {
    double energy[2]; /* J, at the start and the largest */
    double kinetic;   /* J, after the first contact */
    double momentum;  /* kg·m/s, largest change of the sum, over that of one sheet */
    double strain;    /* the largest */
    int parts;        /* the most */
} meeting;

static double energy_of(tl_cloth *const cloth[2])
{
    double sum = 0;
    for (int k = 0; k < 2; ++k) {
        tl_energies e = tl_cloth_energies(cloth[k]);
        sum += e.kinetic + e.gravity + e.elastic;
    }
    return sum;
}

static tl_cloth *sheet_of(tl_world *world, const char *fabric, const char *contact, tl_vec3 center, tl_vec3 rotation,
                          const tl_pin_def *pins, int pin_count)
{
    tl_cloth_def def = tl_cloth_def_grid(SIDE, SIDE, 1, 1);
    def.fabric = fabric;
    def.contact = contact;
    def.center = center;
    def.rotation = rotation;
    def.pins = pins;
    def.pin_count = pin_count;
    return make_cloth(world, &def);
}

static meeting watch(tl_world *world, tl_cloth *const cloth[2], int frames)
{
    meeting m = {.energy = {energy_of(cloth), 0}};
    tl_vec3 one = tl_cloth_momentum(cloth[0]), other = tl_cloth_momentum(cloth[1]);
    double size = fabs((double)one.y), sum = (double)(one.y + other.y);
    for (int f = 0; f < frames; ++f) {
        run_frames(world, 1);
        m.energy[1] = fmax(m.energy[1], energy_of(cloth));
        one = tl_cloth_momentum(cloth[0]), other = tl_cloth_momentum(cloth[1]);
        m.momentum = fmax(m.momentum, fabs((double)(one.y + other.y) - sum) / size);
        for (int k = 0; k < 2; ++k) {
            tl_cloth_stats stats = tl_cloth_get_stats(cloth[k]);
            m.strain = fmax(m.strain, (double)stats.largest_strain);
            m.parts = stats.parts > m.parts ? stats.parts : m.parts;
            assert_int_equal(stats.rejected_frames, 0);
            m.kinetic += f == 3 ? tl_cloth_energies(cloth[k]).kinetic : 0;
        }
        assert_int_equal(tl_world_count_intersections(world), 0);
    }
    return m;
}

static const char *const layer_contacts[] = {"self-collision", "penetration-free"};
static const char *const layer_fabrics[] = {"denim", "silk"};

/* Two free sheets meet at 2.3 m/s, one of them tilted and turned: contact feeds nothing, keeps the momentum, and leaves
   the motion that it does not have to stop. */
static void layers_that_meet_keep_momentum_and_gain_no_energy(void **state)
{
    (void)state;
    for (int c = 0; c < 2; ++c)
        for (int f = 0; f < 2; ++f)
            for (int tilted = 0; tilted < 2; ++tilted) {
                tl_world_def def = tl_world_def_default();
                def.gravity = v3(0, 0, 0);
                def.wind.air_density = 0;
                tl_world *world = tl_world_create(&def, NULL);
                tl_cloth *cloth[2];
                for (int k = 0; k < 2; ++k) {
                    tl_vec3 velocity[SIDE * SIDE];
                    for (int i = 0; i < SIDE * SIDE; ++i)
                        velocity[i] = v3(0, k ? -1.15 : 1.15, 0);
                    cloth[k] = sheet_of(world, layer_fabrics[f], layer_contacts[c], v3(0.02 * k, 0.06 * k, 0.01 * k),
                                        v3(0, 30 * k * tilted, 5 * k * tilted), NULL, 0);
                    assert_int_equal(tl_cloth_set_state(cloth[k], NULL, velocity), TL_OK);
                }
                meeting m = watch(world, cloth, 12);
                assert_true(m.energy[1] <= m.energy[0] * (1 + 1e-5));
                assert_true(m.kinetic > 0.002 * m.energy[0]);
                assert_true(m.momentum < (c ? 0.005 : 1e-4)); /* truncation keeps it only nearly */
                assert_true(m.strain < 0.06);
                tl_world_destroy(world);
            }
}

/* A sheet falls on a held one: a frame is too long for that, and is taken in parts. */
static void sheet_dropped_on_a_sheet_is_not_thrown_or_torn(void **state)
{
    (void)state;
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[0].where = pins[1].where = "edge";
    pins[0].name = "left";
    pins[1].name = "right";
    for (int c = 0; c < 2; ++c)
        for (int f = 0; f < 2; ++f) {
            tl_world *world = make_vacuum();
            tl_cloth *cloth[2] = {
                sheet_of(world, layer_fabrics[f], layer_contacts[c], v3(0, 0.5, 0), v3(0, 0, 0), pins, 2),
                sheet_of(world, layer_fabrics[f], layer_contacts[c], v3(0.13, 0.8, 0.07), v3(0, 0, 0), NULL, 0)};
            meeting m = watch(world, cloth, 40);
            assert_true(m.energy[1] <= m.energy[0]);
            assert_true(m.strain < 0.12);
            assert_true(m.parts > 1);
            tl_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_cloth_falls_with_gravity),
        cmocka_unit_test(layers_that_meet_keep_momentum_and_gain_no_energy),
        cmocka_unit_test(sheet_dropped_on_a_sheet_is_not_thrown_or_torn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
