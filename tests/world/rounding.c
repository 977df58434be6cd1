/* Short substeps in single precision: what a substep changes may be far below the rounding of a position, and must not
   be lost. */
#include "world_testing.h"

enum { FINE = 512 }; /* substeps per frame: gravity moves a particle by 1e-8 m in each */

typedef struct sheet {
    const char *stepper, *material, *lanes, *air;
    int columns, rows, substeps, iterations, threads;
    double size, gravity, tilt; /* m, m/s², degrees */
    bool hung;                  /* at its upper edge, and damped */
} sheet;

static tl_world *make_sheet(sheet s, tl_cloth **cloth)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = v3(0, -s.gravity, 0);
    world_def.threads = s.threads ? s.threads : 1;
    if (s.lanes)
        world_def.simd = s.lanes;
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    tl_cloth_def def = soft_sheet(s.columns, s.rows, (tl_real)s.size, (tl_real)s.size);
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = "top";
    def.pins = s.hung ? &pin : NULL;
    def.pin_count = s.hung;
    def.plane = s.hung ? "vertical" : "horizontal";
    def.damping = s.hung ? 10 : 0;
    def.tether = def.multilevel = !s.hung;
    def.center = v3(0, 0.7 * s.size, 0);
    def.rotation = v3(s.tilt, 2 * s.tilt, -s.tilt);
    def.material = s.material ? s.material : "springs";
    tl_cloth_params.changed(&def, tl_param_find(&tl_cloth_params, "material"));
    def.stepper = s.stepper;
    def.substeps = s.substeps ? s.substeps : FINE;
    def.iterations = s.iterations ? s.iterations : 1;
    def.air = s.air ? s.air : "off";
    *cloth = make_cloth(world, &def);
    return world;
}

static void set_drift(tl_cloth *cloth, tl_vec3 velocity)
{
    int count = tl_cloth_vertex_count(cloth);
    tl_vec3 *v = calloc((size_t)count, sizeof *v);
    assert_non_null(v);
    for (int i = 0; i < count; ++i)
        v[i] = velocity;
    assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
    free(v);
}

/* Along one axis, weighted with the masses: the path of the centre, or the momentum over the mass. */
static double mean(tl_cloth *cloth, const tl_vec3 *a, int axis)
{
    const tl_real *m = tl_cloth_masses(cloth);
    double sum = 0, mass = 0;
    for (int i = 0; i < tl_cloth_vertex_count(cloth); ++i) {
        sum += (double)m[i] * (double)(axis == 0 ? a[i].x : a[i].y);
        mass += (double)m[i];
    }
    return sum / mass;
}

static const char *const steppers[] = {"xpbd", "projection",          "range",     "verlet",
                                       "rk4",  "semi-implicit-euler", "kinematic", "explicit-euler"};
enum { STEPPERS = sizeof steppers / sizeof *steppers };

/* 1 mm/s is 3e-8 m in a substep, half a rounding of a position. */
static void slow_drift_keeps_its_speed_and_path(void **state)
{
    (void)state;
    const double speed = 1e-3;
    for (int s = 0; s < STEPPERS; ++s)
        for (int n = 0; n < (s < 3 ? 2 : 1); ++n) { /* position-based steppers also with few substeps */
            int substeps = n ? 12 : FINE;
            tl_cloth *cloth;
            tl_world *world = make_sheet(
                (sheet){.stepper = steppers[s], .columns = 7, .rows = 8, .substeps = substeps, .size = 1}, &cloth);
            set_drift(cloth, v3(speed, 0, 0));
            double start = mean(cloth, tl_cloth_positions(cloth), 0);
            run_frames(world, 12);
            double path = mean(cloth, tl_cloth_positions(cloth), 0) - start,
                   v = mean(cloth, tl_cloth_velocities(cloth), 0);
            if (!(fabs(v - speed) < 0.01 * speed) || !(fabs(path - speed / 5) < 0.01 * speed / 5))
                fail_msg("%s, %d substeps: %g m/s, %g m", steppers[s], substeps, v, path);
            tl_world_destroy(world);
        }
}

static void tilted_sheet_falls_at_the_speed_of_gravity(void **state)
{
    (void)state;
    static const double sizes[] = {1, 0.01};
    for (int s = 0; s < STEPPERS; ++s)
        for (int k = 0; k < (s < 3 ? 2 : 1); ++k) { /* 1 cm of default springs is too stiff for explicit steppers */
            tl_cloth *cloth;
            tl_world *world = make_sheet(
                (sheet){.stepper = steppers[s], .columns = 7, .rows = 8, .size = sizes[k], .gravity = 9.81, .tilt = 20},
                &cloth);
            run_frames(world, 12);
            double speed = -mean(cloth, tl_cloth_velocities(cloth), 1);
            if (!(fabs(speed - 9.81 / 5) < 0.001 * 9.81 / 5))
                fail_msg("%s, %g m: %g m/s", steppers[s], sizes[k], speed);
            tl_world_destroy(world);
        }
}

/* Stretch of a strip hung at its upper edge, as a fraction. */
static double extension(const char *stepper, const char *material, int substeps)
{
    tl_cloth *cloth;
    tl_world *world = make_sheet((sheet){.stepper = stepper,
                                         .material = material,
                                         .columns = 3,
                                         .rows = 21,
                                         .substeps = substeps,
                                         .size = 1,
                                         .gravity = 9.81,
                                         .hung = true},
                                 &cloth);
    run_frames(world, 40);
    const tl_vec3 *x = tl_cloth_positions(cloth);
    double lowest = 1;
    for (int i = 0; i < tl_cloth_vertex_count(cloth); ++i)
        lowest = fmin(lowest, (double)x[i].y);
    tl_world_destroy(world);
    return (1.2 - lowest) - 1;
}

static void extension_does_not_grow_with_more_substeps(void **state)
{
    (void)state;
    static const char *const materials[] = {"springs", "continuum"};
    for (int m = 0; m < 2; ++m) {
        double some = extension("xpbd", materials[m], 128), many = extension("xpbd", materials[m], FINE);
        assert_near(many, some, 0.02 * many);
        if (m == 0)
            assert_near(extension("verlet", materials[m], 128), many, 0.02 * many);
    }
}

static uint64_t hash_of(sheet s)
{
    tl_cloth *cloth;
    tl_world *world = make_sheet(s, &cloth);
    run_frames(world, 1);
    uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void short_substeps_give_the_same_bits_for_all_widths(void **state)
{
    (void)state;
    static const char *const widths[] = {"auto", "sse", "scalar"};
    for (int s = 0; s < 2; ++s) /* the second with forces of the air, and several iterations */
        for (int m = 0; tl_material_names()[m]; ++m) {
            sheet at = {.stepper = "xpbd",
                        .material = tl_material_names()[m],
                        .air = s == 0 ? "off" : "face",
                        .iterations = s == 0 ? 1 : 2,
                        .columns = 19,
                        .rows = 14,
                        .substeps = 48,
                        .size = 1,
                        .gravity = 9.81,
                        .tilt = 20,
                        .hung = m % 2 == 0};
            uint64_t hash = hash_of(at);
            for (int w = 1; w < 3; ++w) {
                at.lanes = widths[w];
                if (hash_of(at) != hash)
                    fail_msg("%s differs with %s", at.material, widths[w]);
            }
        }
}

static void short_substeps_give_the_same_bits_for_all_threads(void **state)
{
    (void)state;
    sheet at = {.stepper = "xpbd", .columns = 93, .rows = 91, .substeps = 48, .size = 1, .gravity = 9.81, .hung = true};
    uint64_t hash = hash_of(at);
    at.threads = 3;
    assert_true(hash_of(at) == hash);
}

/* Where they are below the rounding of positions, and thus not in them, a snapshot must carry them. */
static void snapshot_continues_below_the_rounding_of_positions(void **state)
{
    (void)state;
    for (int s = 0; s < 4; s += 3) {
        sheet at = {.stepper = steppers[s], .columns = 7, .rows = 6, .size = 1};
        tl_cloth *cloth, *other;
        tl_world *world = make_sheet(at, &cloth), *second = make_sheet(at, &other);
        set_drift(cloth, v3(1e-3, 0, 0));
        run_frames(world, 1);
        size_t size = tl_world_snapshot_size(world);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(tl_world_save(world, bytes, size), TL_OK);
        assert_int_equal(tl_world_restore(second, bytes, size), TL_OK);
        run_frames(world, 1);
        run_frames(second, 1);
        assert_true(tl_world_hash(world) == tl_world_hash(second));
        free(bytes);
        tl_world_destroy(world);
        tl_world_destroy(second);
    }
}

static void state_set_from_outside_has_no_past(void **state)
{
    (void)state;
    sheet at = {.stepper = "semi-implicit-euler", .columns = 7, .rows = 6, .size = 1};
    tl_cloth *cloth, *other;
    tl_world *world = make_sheet(at, &cloth), *second = make_sheet(at, &other);
    set_drift(cloth, v3(1e-3, 0, 0));
    run_frames(world, 1);
    run_frames(second, 1); /* the same clock */
    const tl_vec3 *x = tl_cloth_positions(cloth), *v = tl_cloth_velocities(cloth);
    assert_int_equal(tl_cloth_set_state(other, x, v), TL_OK);
    assert_int_equal(tl_cloth_set_state(cloth, x, v), TL_OK);
    run_frames(world, 1);
    run_frames(second, 1);
    assert_true(tl_world_hash(world) == tl_world_hash(second));
    tl_world_destroy(world);
    tl_world_destroy(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_drift_keeps_its_speed_and_path),
        cmocka_unit_test(tilted_sheet_falls_at_the_speed_of_gravity),
        cmocka_unit_test(extension_does_not_grow_with_more_substeps),
        cmocka_unit_test(short_substeps_give_the_same_bits_for_all_widths),
        cmocka_unit_test(short_substeps_give_the_same_bits_for_all_threads),
        cmocka_unit_test(snapshot_continues_below_the_rounding_of_positions),
        cmocka_unit_test(state_set_from_outside_has_no_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
