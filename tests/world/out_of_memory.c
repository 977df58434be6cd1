/* The nth allocation fails on purpose, for every n until all succeed: an error, no leak, no crash, and everything that
   existed before still works. */
#include "failing_allocator.h"
#include "world_testing.h"

static void every_failing_allocation_of_a_world_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *material, *stepper;
    } kinds[] = {{"springs", "xpbd"},
                 {"springs20", "verlet"},
                 {"continuum", "rk4"},
                 {"springs", "range"},
                 {"springs", "constant-jacobian"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        for (int n = 1;; ++n) {
            failing f = {.fails_at = n};
            tl_allocator allocator = failing_allocator(&f);
            stage s = {
                .material = kinds[k].material, .stepper = kinds[k].stepper, .adaptive = true, .allocator = &allocator};
            tl_world *world = make_stage(&s); /* destroys everything when anything fails */
            if (!world) {
                assert_int_equal(f.alive, 0);
                assert_true(n < 2000);
                continue;
            }
            /* a step may allocate too, and does without when it fails */
            tl_result result = tl_world_step(world, FRAME);
            assert_true(result == TL_OK || result == TL_ERROR_MEMORY);
            bool through = f.made < n;
            f.fails_at = 0;
            run_frames(world, 1);
            assert_true(all_finite(world));
            tl_world_destroy(world);
            assert_int_equal(f.alive, 0);
            if (through)
                break;
        }
}

/* What create calls report when memory runs out. */
static void messages_say_that_memory_ran_out(void **state)
{
    (void)state;
    failing f = {.fails_at = 1};
    tl_error error = {0};
    tl_world_def def = tl_world_def_default();
    def.allocator = failing_allocator(&f);
    assert_null(tl_world_create(&def, &error));
    assert_int_equal(error.code, TL_ERROR_MEMORY);
    assert_non_null(strstr(error.message, "memory"));
    f.fails_at = 0;
    tl_world *world = tl_world_create(&def, &error);
    assert_non_null(world);
    tl_cloth_def cloth_def = soft_sheet(9, 9, 1, 1);
    for (int n = 1;; ++n) {
        f.fails_at = f.made + n;
        if (tl_cloth_create(world, &cloth_def))
            break;
        assert_message(world, "memory");
        assert_int_equal(tl_world_cloth_count(world), 0);
    }
    for (int n = 1;; ++n) {
        f.fails_at = f.made + n;
        if (tl_world_add_sphere(world, v3(0, 0, 0), 1, 1))
            break;
        assert_message(world, "memory");
        assert_int_equal(tl_world_body_count(world), 0);
    }
    f.fails_at = 0;
    run_frames(world, 3);
    tl_world_destroy(world);
    assert_int_equal(f.alive, 0);
}

static void cloth_filled_with_gas_survives_every_failing_allocation(void **state)
{
    (void)state;
    failing f = {.fails_at = 0};
    tl_error error = {0};
    tl_world_def def = tl_world_def_default();
    def.allocator = failing_allocator(&f);
    tl_world *world = tl_world_create(&def, &error);
    assert_non_null(world);
    tl_cloth_def balloon = tl_cloth_def_default();
    balloon.shape = "cushion";
    balloon.columns = balloon.rows = 5;
    balloon.stepper = "xpbd";
    balloon.gas.on = true;
    for (int n = 1;; ++n) {
        f.fails_at = f.made + n;
        if (tl_cloth_create(world, &balloon))
            break;
        assert_message(world, "memory");
        assert_int_equal(tl_world_cloth_count(world), 0);
    }
    f.fails_at = 0;
    run_frames(world, 3);
    int warm = f.made;
    run_frames(world, 10);
    assert_int_equal(f.made, warm);
    tl_world_destroy(world);
    assert_int_equal(f.alive, 0);
}

/* A sheet is thrown at another, which lies on the floor. */
static tl_world *stack_sheets(const tl_allocator *allocator, const char *stepper, const char *contact)
{
    enum { SIDE = 7, COUNT = SIDE * SIDE };
    tl_error error = {0};
    tl_world_def def = tl_world_def_default();
    def.allocator = *allocator;
    tl_world *world = tl_world_create(&def, &error);
    assert_non_null(world);
    assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5));
    for (int k = 0; k < 2; ++k) {
        tl_cloth_def cloth = soft_sheet(SIDE, SIDE, (tl_real)0.3, (tl_real)0.3);
        cloth.stepper = stepper;
        cloth.contact = contact;
        cloth.thickness = (tl_real)0.01;
        cloth.center = v3(0.02 * k, 0.011 + 0.015 * k, 0.01 * k);
        tl_vec3 velocity[COUNT];
        for (int i = 0; i < COUNT; ++i)
            velocity[i] = v3(0, -3 * k, 0);
        assert_int_equal(tl_cloth_set_state(make_cloth(world, &cloth), NULL, velocity), TL_OK);
    }
    return world;
}

static void layers_survive_every_failing_allocation(void **state)
{
    (void)state;
    static const struct {
        const char *stepper, *contact;
    } kinds[] = {{"xpbd", "self-collision"},
                 {"xpbd", "penetration-free"},
                 {"implicit-euler", "self-collision"},
                 {"implicit-euler", "penetration-free"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        int failures = 0;
        for (int n = 1, through = 0; !through; ++n) {
            failing f = {.fails_at = 0};
            tl_allocator allocator = failing_allocator(&f);
            tl_world *world = stack_sheets(&allocator, kinds[k].stepper, kinds[k].contact);
            f.fails_at = f.made + n;
            for (int frame = 0; frame < 4; ++frame) {
                tl_result result = tl_world_step(world, FRAME);
                assert_true(result == TL_OK || result == TL_ERROR_MEMORY);
                if (result == TL_ERROR_MEMORY)
                    assert_message(world, "no memory");
                failures += result == TL_ERROR_MEMORY;
            }
            through = f.made < f.fails_at;
            f.fails_at = 0;
            if (strcmp(kinds[k].contact, "penetration-free") == 0)
                assert_int_equal(tl_world_count_intersections(world), 0);
            run_frames(world, 2);
            assert_true(all_finite(world));
            tl_world_destroy(world);
            assert_int_equal(f.alive, 0);
        }
        assert_true(failures > 10);
    }
}

static void a_change_that_finds_no_memory_leaves_the_cloth_as_it_was(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        tl_value value;
    } changes[] = {{"stepper", {TL_PARAM_NAME, {0}, "rk4"}},
                   {"stepper", {TL_PARAM_NAME, {0}, "xpbd"}},
                   {"material", {TL_PARAM_NAME, {0}, "continuum"}},
                   {"material", {TL_PARAM_NAME, {0}, "springs20"}},
                   {"adaptive.on", {TL_PARAM_BOOL, {1}, NULL}}};
    for (size_t k = 0; k < sizeof changes / sizeof *changes; ++k)
        for (int n = 1;; ++n) {
            failing f = {.fails_at = 0};
            tl_allocator allocator = failing_allocator(&f);
            tl_world *world = stage_world(&(stage){.stepper = "verlet", .allocator = &allocator});
            tl_world *twin = stage_world(&(stage){.stepper = "verlet"});
            tl_cloth *cloth = tl_world_cloth(world, 0);
            tl_cloth_def before = *tl_cloth_get_def(cloth);
            f.fails_at = f.made + n;
            tl_result result = tl_cloth_set(cloth, changes[k].path, &changes[k].value);
            f.fails_at = 0;
            if (result != TL_OK) {
                assert_int_equal(result, TL_ERROR_MEMORY);
                assert_message(world, "memory");
                assert_memory_equal(&before, tl_cloth_get_def(cloth), sizeof before);
                run_frames(world, 3);
                run_frames(twin, 3);
                assert_true(tl_world_hash(world) == tl_world_hash(twin));
            } else {
                run_frames(world, 3);
            }
            tl_world_destroy(world);
            tl_world_destroy(twin);
            assert_int_equal(f.alive, 0);
            if (result == TL_OK)
                break;
        }
}

static void reading_without_memory_gives_null_and_a_message(void **state)
{
    (void)state;
    failing f = {.fails_at = 0};
    tl_allocator allocator = failing_allocator(&f);
    tl_world *world = stage_world(&(stage){.allocator = &allocator});
    tl_cloth *cloth = tl_world_cloth(world, 0);
    for (int k = 0; k < 7; ++k) {
        f.fails_at = f.made + 1;
        const void *read = k == 0   ? (const void *)tl_cloth_positions(cloth)
                           : k == 1 ? (const void *)tl_cloth_velocities(cloth)
                           : k == 2 ? (const void *)tl_cloth_normals(cloth)
                           : k == 3 ? (const void *)tl_cloth_forces(cloth)
                           : k == 4 ? (const void *)tl_cloth_strains(cloth)
                           : k == 5 ? (const void *)tl_cloth_contact_forces(cloth)
                                    : (const void *)tl_cloth_masses(cloth);
        assert_null(read);
        assert_message(world, "no memory to read the state");
    }
    f.fails_at = f.made + 1;
    tl_result result = TL_OK;
    for (int v = 20; v < 40 && result == TL_OK; ++v)
        result = tl_cloth_pin(cloth, v, true);
    assert_int_equal(result, TL_ERROR_MEMORY);
    f.fails_at = 0;
    run_frames(world, 3);
    assert_true(all_finite(world));
    tl_world_destroy(world);
    assert_int_equal(f.alive, 0);
}

static void running_allocates_nothing_once_it_is_warm(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        failing f = {.fails_at = 0};
        tl_allocator allocator = failing_allocator(&f);
        tl_world *world = stage_world(&(stage){.stepper = tl_stepper_names()[s], .allocator = &allocator});
        tl_world_step(world, FRAME);
        assert_true(all_finite(world)); /* allocates the arrays to read into */
        int made = f.made;
        for (int k = 0; k < 10; ++k) {
            tl_world_step(world, FRAME);
            assert_true(all_finite(world));
        }
        assert_int_equal(f.made, made);
        tl_world_destroy(world);
        assert_int_equal(f.alive, 0);
    }
}

/* A sheet that comes to rest: hung by its corners, or draped. */
static tl_world *resting_world(failing *f, const char *contact, const char *stepper, const char *over,
                               const tl_mesh *mesh)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.allocator = failing_allocator(f);
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth_def def = tl_cloth_def_grid(13, 13, (tl_real)0.4, (tl_real)0.4);
    def.elements.link_structural.stiffness = 1000;
    def.elements.link_shear.stiffness = 60;
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    tl_body_def body = tl_body_def_default();
    if (strcmp(over, "nothing") == 0) {
        def.pins = pins;
        def.pin_count = 2;
    } else {
        body.shape = over;
        body.size = v3(0.1, 0.1, 0.1);
        body.mesh = strcmp(over, "mesh") == 0 ? mesh : NULL;
        assert_non_null(tl_body_create(world, &body));
    }
    def.center = v3(0, 0.15, 0);
    def.contact = contact;
    def.stepper = stepper;
    def.damping = 5;
    make_cloth(world, &def);
    def.center = v3(0, 0.25, 0); /* a layer above it */
    make_cloth(world, &def);
    return world;
}

static void cloth_at_rest_allocates_nothing(void **state)
{
    (void)state;
    static const char *const contacts[] = {"bodies-only", "self-collision", "penetration-free"};
    static const char *const steppers[] = {"xpbd", "implicit-euler"};
    static const char *const over[] = {"nothing", "sphere", "mesh"};
    tl_mesh *mesh = square_mesh(0.2);
    for (int k = 0; k < 18; ++k) {
        failing f = {.fails_at = 0};
        const char *contact = contacts[k % 3], *stepper = steppers[k / 3 % 2], *body = over[k / 6];
        tl_world *world = resting_world(&f, contact, stepper, body, mesh);
        run_frames(world, 60);
        assert_true(all_finite(world));
        int made = f.made;
        run_frames(world, 10);
        assert_true(all_finite(world));
        if (f.made != made)
            fail_msg("%s, %s over %s: %d allocations", contact, stepper, body, f.made - made);
        tl_world_destroy(world);
        assert_int_equal(f.alive, 0);
    }
    tl_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_of_a_world_is_an_error),
        cmocka_unit_test(messages_say_that_memory_ran_out),
        cmocka_unit_test(cloth_filled_with_gas_survives_every_failing_allocation),
        cmocka_unit_test(layers_survive_every_failing_allocation),
        cmocka_unit_test(a_change_that_finds_no_memory_leaves_the_cloth_as_it_was),
        cmocka_unit_test(reading_without_memory_gives_null_and_a_message),
        cmocka_unit_test(running_allocates_nothing_once_it_is_warm),
        cmocka_unit_test(cloth_at_rest_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
