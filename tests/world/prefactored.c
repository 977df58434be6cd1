/* constant-jacobian by a factored matrix: the same motion as by conjugate gradients, only while nothing but pins holds
   the cloth and its matrix stays the same, and no trace of it in what a snapshot leads to. */
#include "failing_allocator.h"
#include "world_testing.h"

#include "step/implicit.h"
#include "world/world.h"

enum { ACROSS = 19, DOWN = 23, COUNT = ACROSS * DOWN };

/* Denim hung by its upper edge, level, so that it swings; steps as tight as single precision allows. */
static tl_cloth *hang(tl_world *world)
{
    tl_cloth_def def = tl_cloth_def_grid(ACROSS, DOWN, (tl_real)0.8, 1);
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = "top";
    def.pins = &pin;
    def.pin_count = 1;
    def.center = v3(0, 2, 0);
    def.fabric = "denim";
    def.stepper = "constant-jacobian";
    def.substeps = 1;
    def.solver_tolerance = (tl_real)1e-6;
    return make_cloth(world, &def);
}

static int iterations(tl_world *world) { return tl_cloth_get_stats(tl_world_cloth(world, 0)).solver_iterations; }

/* A frame by conjugate gradients: the cloth forgets which matrix it had. */
static void step_iterated(tl_world *world)
{
    tl_world_cloth(world, 0)->system.matrix_seen = 0;
    assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    assert_true(iterations(world) > 0);
}

static void step_as(tl_world *world, bool factored)
{
    assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    assert_true((iterations(world) == 0) == factored);
}

/* Largest distance between particles of two worlds, of the largest way that one went. */
static double difference(tl_world *a, tl_world *b, const tl_vec3 *start)
{
    const tl_vec3 *x = tl_cloth_positions(tl_world_cloth(a, 0)), *y = tl_cloth_positions(tl_world_cloth(b, 0));
    double apart = 0, way = 0;
    for (int i = 0; i < COUNT; ++i) {
        apart = fmax(apart, (double)tl_length(tl_sub(x[i], y[i])));
        way = fmax(way, (double)tl_length(tl_sub(y[i], start[i])));
    }
    assert_true(way > 0.01);
    return apart / way;
}

static void factor_moves_cloth_as_conjugate_gradients_do(void **state)
{
    (void)state;
    tl_world *factored = make_world(), *iterated = make_world();
    tl_cloth *cloth = hang(factored);
    hang(iterated);
    tl_vec3 start[COUNT];
    memcpy(start, tl_cloth_positions(cloth), sizeof start);
    for (int f = 0; f < 40; ++f) {
        step_as(factored, f > 0);
        step_iterated(iterated);
        if (f % 10 == 9)
            assert_near(0, difference(factored, iterated, start), 1e-4);
    }
    tl_world_destroy(factored);
    tl_world_destroy(iterated);
}

/* A corner is let go, another particle held, the stiffness changed, links added: one frame by iterations each, then a
   new factor. */
static void what_changes_the_matrix_makes_a_new_factor(void **state)
{
    (void)state;
    tl_world *worlds[2] = {make_world(), make_world()};
    tl_vec3 start[COUNT], held = v3(0, 0, 0);
    hang(worlds[0]);
    hang(worlds[1]);
    memcpy(start, tl_cloth_positions(tl_world_cloth(worlds[0], 0)), sizeof start);
    for (int f = 0; f < 30; ++f) {
        for (int k = 0; k < 2; ++k) {
            tl_cloth *cloth = tl_world_cloth(worlds[k], 0);
            if (f == 6)
                assert_int_equal(tl_cloth_pin(cloth, 0, false), TL_OK);
            if (f == 12)
                assert_int_equal(tl_cloth_pin(cloth, COUNT - 1, true), TL_OK);
            if (f == 18)
                assert_int_equal(set_real(cloth, "damping", 1), TL_OK); /* not in the matrix */
            if (f == 20)
                assert_int_equal(set_real(cloth, "membrane.warp.stiffness", 400), TL_OK);
            if (f == 24) /* another pattern: links reach farther than bending */
                assert_int_equal(tl_cloth_set(cloth, "link.disc.on", &(tl_value){TL_PARAM_BOOL, {1}, NULL}), TL_OK);
        }
        step_as(worlds[0], f != 0 && f != 6 && f != 12 && f != 20 && f != 24);
        step_iterated(worlds[1]);
        tl_vec3 corner = tl_cloth_positions(tl_world_cloth(worlds[0], 0))[COUNT - 1];
        if (f == 12)
            held = corner;
        if (f > 12)
            assert_memory_equal(&held, &corner, sizeof held);
    }
    assert_near(0, difference(worlds[0], worlds[1], start), 1e-4);
    tl_world_destroy(worlds[0]);
    tl_world_destroy(worlds[1]);
}

/* Every frame takes another time than the one before. */
static void uneven_frames_are_never_factored(void **state)
{
    (void)state;
    tl_world *world = make_world();
    hang(world);
    for (int f = 0; f < 12; ++f) {
        assert_int_equal(tl_world_step(world, (tl_real)(f % 2 ? 0.015 : 0.018)), TL_OK);
        assert_true(iterations(world) > 0);
    }
    assert_int_equal(tl_world_step(world, (tl_real)0.015), TL_OK);
    assert_int_equal(iterations(world), 0);
    tl_world_destroy(world);
}

/* Pins that move are prescribed velocities, and no part of the matrix. */
static void pins_that_move_keep_the_factor(void **state)
{
    (void)state;
    tl_world *worlds[2] = {make_world(), make_world()};
    tl_vec3 start[COUNT];
    for (int k = 0; k < 2; ++k)
        hang(worlds[k]);
    memcpy(start, tl_cloth_positions(tl_world_cloth(worlds[0], 0)), sizeof start);
    for (int f = 0; f < 20; ++f) {
        for (int k = 0; k < 2; ++k)
            for (int i = 0; i < ACROSS; ++i)
                assert_int_equal(
                    tl_cloth_move_pin(tl_world_cloth(worlds[k], 0), i, tl_add(start[i], v3(0.01 * f, 0.005 * f, 0))),
                    TL_OK);
        step_as(worlds[0], f > 0);
        step_iterated(worlds[1]);
    }
    assert_near(0, difference(worlds[0], worlds[1], start), 1e-4);
    tl_world_destroy(worlds[0]);
    tl_world_destroy(worlds[1]);
}

/* A ball comes, touches the cloth and is switched off again. */
static void contact_is_solved_by_iterations(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = hang(world);
    tl_body *ball = tl_world_add_sphere(world, v3(0, 1.6, 0.2), (tl_real)0.3, (tl_real)0.3);
    assert_non_null(ball);
    int touched = 0;
    for (int f = 0; f < 40; ++f) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        bool sticks, touches = tl_implicit_constraint(&cloth->system, 0, &sticks) != NULL;
        touched += touches;
        if (touches)
            assert_true(iterations(world) > 0);
    }
    assert_true(touched > 5);
    assert_int_equal(tl_body_set(ball, "on", &(tl_value){TL_PARAM_BOOL, {0}, NULL}), TL_OK);
    step_as(world, true); /* the matrix itself was the same all the time */
    tl_world_destroy(world);
}

static void gas_is_solved_by_iterations(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_default();
    def.shape = "ball";
    def.columns = def.rows = 9;
    def.stepper = "constant-jacobian";
    def.gas.on = true;
    make_cloth(world, &def);
    for (int f = 0; f < 4; ++f)
        step_as(world, false);
    tl_world_destroy(world);
}

/* Saved after every frame, also between a change of pins and the step that meets it: a world that has never factored
   anything goes on as the one that has, and so does one that is taken back. */
static void snapshots_go_on_exactly(void **state)
{
    (void)state;
    enum { FRAMES = 8, CHANGE = 4 };
    for (int saved = 0; saved < FRAMES; ++saved) {
        tl_world *worlds[2] = {make_world(), make_world()};
        hang(worlds[0]);
        hang(worlds[1]);
        size_t size = 0;
        unsigned char *bytes = NULL;
        for (int f = 0; f < FRAMES; ++f) {
            if (f == CHANGE)
                assert_int_equal(tl_cloth_pin(tl_world_cloth(worlds[0], 0), 0, false), TL_OK);
            if (f == saved) {
                size = tl_world_snapshot_size(worlds[0]);
                bytes = malloc(size);
                assert_int_equal(tl_world_save(worlds[0], bytes, size), TL_OK);
            }
            assert_int_equal(tl_world_step(worlds[0], FRAME), TL_OK);
        }
        uint64_t future = tl_world_hash(worlds[0]);
        for (int k = 1; k >= 0; --k) {
            assert_int_equal(tl_world_restore(worlds[k], bytes, size), TL_OK);
            for (int f = saved; f < FRAMES; ++f) {
                if (f == CHANGE && f > saved)
                    assert_int_equal(tl_cloth_pin(tl_world_cloth(worlds[k], 0), 0, false), TL_OK);
                assert_int_equal(tl_world_step(worlds[k], FRAME), TL_OK);
            }
            if (tl_world_hash(worlds[k]) != future)
                fail_msg("saved before frame %d: %s world differs", saved, k ? "a fresh" : "the same");
        }
        free(bytes);
        tl_world_destroy(worlds[0]);
        tl_world_destroy(worlds[1]);
    }
}

static uint64_t hash_of(int threads, const char *simd, const char *stepper)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.threads = threads;
    world_def.simd = simd;
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    tl_cloth_def def = tl_cloth_def_grid(81, 77, 1, 1); /* enough for several threads */
    tl_pin_def pin = tl_pin_def_default();
    def.pins = &pin;
    def.pin_count = 1;
    def.fabric = "denim";
    def.stepper = stepper;
    def.substeps = 1;
    make_cloth(world, &def);
    for (int f = 0; f < 4; ++f)
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    assert_int_equal(iterations(world), 0);
    uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void threads_and_widths_give_the_same_bits(void **state)
{
    (void)state;
    uint64_t first = hash_of(1, "auto", "constant-jacobian");
    assert_true(hash_of(2, "auto", "constant-jacobian") == first);
    assert_true(hash_of(5, "sse", "constant-jacobian") == first);
    assert_true(hash_of(1, "scalar", "constant-jacobian") == first);
}

/* The other stepper with a constant matrix relaxes, and neither has nor needs a factor. */
static void thin_objects_have_no_factor(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = hang(world);
    size_t factored = cloth->system.bytes;
    assert_int_equal(set_name(cloth, "stepper", "thin-objects"), TL_OK);
    size_t without = cloth->system.bytes;
    assert_true(without < factored);
    assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    assert_int_equal(set_name(cloth, "stepper", "constant-jacobian"), TL_OK);
    assert_true(cloth->system.bytes == factored);
    step_as(world, false);
    step_as(world, true);
    tl_world_destroy(world);
}

/* Links that reach farther make another pattern; the nth allocation for it fails. The factor of the old one must not be
   used with the new one. */
static void a_new_pattern_without_memory_is_an_error_and_no_crash(void **state)
{
    (void)state;
    for (int n = 1;; ++n) {
        failing f = {.fails_at = 0};
        tl_world_def def = tl_world_def_default();
        def.allocator = failing_allocator(&f);
        tl_world *world = tl_world_create(&def, NULL);
        assert_non_null(world);
        tl_cloth *cloth = hang(world);
        step_as(world, false);
        step_as(world, true);
        f.fails_at = f.made + n;
        tl_result result = tl_cloth_set(cloth, "link.disc.on", &(tl_value){TL_PARAM_BOOL, {1}, NULL});
        bool through = f.made < f.fails_at;
        f.fails_at = 0;
        assert_int_equal(result, through ? TL_OK : TL_ERROR_MEMORY);
        for (int k = 0; k < 3; ++k)
            assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        for (int i = 0; i < COUNT; ++i)
            assert_true(fabs(tl_cloth_positions(cloth)[i].y) < 10);
        if (through)
            assert_int_equal(iterations(world), 0);
        tl_world_destroy(world);
        assert_int_equal(f.alive, 0);
        if (through)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_moves_cloth_as_conjugate_gradients_do),
        cmocka_unit_test(what_changes_the_matrix_makes_a_new_factor),
        cmocka_unit_test(uneven_frames_are_never_factored),
        cmocka_unit_test(pins_that_move_keep_the_factor),
        cmocka_unit_test(contact_is_solved_by_iterations),
        cmocka_unit_test(gas_is_solved_by_iterations),
        cmocka_unit_test(snapshots_go_on_exactly),
        cmocka_unit_test(threads_and_widths_give_the_same_bits),
        cmocka_unit_test(thin_objects_have_no_factor),
        cmocka_unit_test(a_new_pattern_without_memory_is_an_error_and_no_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
