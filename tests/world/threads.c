/* One thread = many: the same bits for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "telar/telar.h"

enum { ACROSS = 101, DOWN = 97 };

/* The grid's triangles with shuffled vertices. */
static tl_mesh *shuffled(void)
{
    enum { COUNT = ACROSS * DOWN, STEP = 4001 }; /* no common divisor */
    static tl_vec3 positions[COUNT];
    static int corners[6 * COUNT];
    tl_mesh *grid = tl_mesh_create_grid(&(tl_grid_def){ACROSS, DOWN, 2, 2, true}, NULL, NULL);
    assert_non_null(grid);
    int triangles = tl_mesh_triangle_count(grid);
    for (int v = 0; v < COUNT; ++v)
        positions[v * STEP % COUNT] = tl_mesh_vertices(grid)[v];
    for (int k = 0; k < 3 * triangles; ++k)
        corners[k] = tl_mesh_triangles(grid)[k] * STEP % COUNT;
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){
            .positions = positions, .vertex_count = COUNT, .triangles = corners, .triangle_count = triangles},
        NULL, NULL);
    assert_non_null(mesh);
    tl_mesh_destroy(grid);
    return mesh;
}

/* A sheet large enough for several threads, pinned at a corner and falling on a ball: links, tethers, coarse levels,
   contact; as a mesh also triangles and hinges. */
static uint64_t run(int threads, const char *stepper, const char *lanes, const tl_mesh *mesh)
{
    tl_world_def world_def = tl_world_def_default();
    tl_error error;
    world_def.threads = threads;
    world_def.simd = lanes;
    tl_world *world = tl_world_create(&world_def, &error);
    assert_non_null(world);
    tl_cloth_def def = tl_cloth_def_grid(ACROSS, DOWN, 2, 2); /* runs with tails of every length */
    tl_pin_def pin = tl_pin_def_default();
    if (mesh) {
        def.mesh = mesh;
        pin.where = "index";
        def.material = "custom";
        def.elements.continuum_stretch.on = def.elements.continuum_shear.on = def.elements.continuum_bend.on = true;
    }
    def.center = (tl_vec3){0, 1, 0};
    def.stepper = stepper;
    def.substeps = 4;
    def.iterations = 2;
    def.elements.link_structural.stiffness = 20000;
    def.pins = &pin;
    def.pin_count = 1;
    assert_non_null(tl_world_add_sphere(world, (tl_vec3){0, (tl_real)0.4, 0}, (tl_real)0.5, (tl_real)0.4));
    assert_non_null(tl_cloth_create(world, &def));
    for (int frame = 0; frame < (mesh ? 2 : 12); ++frame)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 60)), TL_OK);
    uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    const char *steppers[] = {"xpbd", "projection", "range"};
    for (size_t k = 0; k < sizeof steppers / sizeof *steppers; ++k) {
        uint64_t one = run(1, steppers[k], "auto", NULL);
        assert_true(one == run(2, steppers[k], "auto", NULL));
        assert_true(one == run(8, steppers[k], "auto", NULL));
        assert_true(one == run(3, steppers[k], "scalar", NULL));
    }
    tl_mesh *mesh = shuffled();
    uint64_t one = run(1, "xpbd", "auto", mesh);
    assert_true(one == run(2, "xpbd", "sse", mesh));
    assert_true(one == run(3, "xpbd", "auto", mesh));
    assert_true(one == run(2, "xpbd", "scalar", mesh));
    tl_mesh_destroy(mesh);
}

/* Many small cloths over a ball that two of them touch: each on one thread, the impulse on the ball bit-identical. */
static uint64_t run_many(int threads, tl_vec3 *impulse)
{
    enum { CLOTHS = 40 };
    tl_world_def world_def = tl_world_def_default();
    world_def.threads = threads;
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    tl_body *ball = tl_world_add_sphere(world, (tl_vec3){0, (tl_real)0.4, 0}, (tl_real)0.5, (tl_real)0.4);
    assert_non_null(ball);
    for (int k = 0; k < CLOTHS; ++k) {
        tl_cloth_def def = tl_cloth_def_grid(16, 16, 1, 1);
        def.center = (tl_vec3){(tl_real)0.3 * (tl_real)(k % 2), (tl_real)(0.95 + 0.05 * k), 0};
        def.stepper = k % 3 ? "xpbd" : "verlet";
        def.substeps = k % 3 ? 4 : 20;
        assert_non_null(tl_cloth_create(world, &def));
    }
    for (int frame = 0; frame < 12; ++frame)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 60)), TL_OK);
    uint64_t hash = tl_world_hash(world);
    tl_body_impulse(ball, impulse, NULL);
    tl_world_destroy(world);
    return hash;
}

static void many_cloths_side_by_side_give_the_same_bits(void **state)
{
    (void)state;
    tl_vec3 one, other;
    uint64_t hash = run_many(1, &one);
    assert_true(one.y < 0);
    for (int threads = 2; threads <= 8; threads *= 2) {
        assert_true(run_many(threads, &other) == hash);
        assert_memory_equal(&one, &other, sizeof one);
    }
}

/* Two sheets fall in folds on a ball, crumpled so much that many particles deviate from their predicted motion:
   candidate pairs are queried, and partly re-queried, by all threads. */
static uint64_t run_layers(int threads, const char *contact, tl_cloth_stats *stats)
{
    enum { SHEETS = 2, SIDE = 41, FRAMES = 28 };
    tl_world_def world_def = tl_world_def_default();
    world_def.threads = threads;
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    tl_cloth *cloth = NULL;
    assert_non_null(tl_world_add_sphere(world, (tl_vec3){0, (tl_real)0.2, 0}, (tl_real)0.2, (tl_real)0.4));
    assert_non_null(tl_world_add_plane(world, (tl_vec3){0, 0, 0}, (tl_vec3){0, 1, 0}, (tl_real)0.4));
    for (int k = 0; k < SHEETS; ++k) {
        tl_cloth_def def = tl_cloth_def_grid(SIDE, SIDE, 1, 1);
        def.center = (tl_vec3){(tl_real)0.02 * (tl_real)k, (tl_real)(0.43 + 0.03 * k), 0};
        def.stepper = "xpbd";
        def.substeps = 6;
        def.contact = contact;
        def.thickness = (tl_real)0.01;
        def.ripple = (tl_real)0.01;
        cloth = tl_cloth_create(world, &def);
        assert_non_null(cloth);
    }
    for (int frame = 0; frame < FRAMES; ++frame)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 60)), TL_OK);
    uint64_t hash = tl_world_hash(world);
    *stats = tl_cloth_get_stats(cloth);
    tl_world_destroy(world);
    return hash;
}

static void layers_give_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    const char *methods[] = {"self-collision", "penetration-free"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        tl_cloth_stats one, other;
        uint64_t hash = run_layers(1, methods[k], &one);
        assert_true(one.pairs > 1000);
        for (int threads = 2; threads <= 5; threads += 3) {
            assert_true(run_layers(threads, methods[k], &other) == hash);
            assert_int_equal(other.pairs, one.pairs);
            assert_int_equal(other.rebuilds, one.rebuilds);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
                                       cmocka_unit_test(many_cloths_side_by_side_give_the_same_bits),
                                       cmocka_unit_test(layers_give_the_same_bits_for_any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
