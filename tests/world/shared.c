/* All work that threads share, in one short run each: the same bits as on one thread. Small enough for the thread
   sanitizer, which looks for races in it; world/threads.c runs longer and with more threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "telar/telar.h"

enum { THREADS = 3 };

/* Links that explicit steppers take in few substeps: the thread sanitizer is slow. */
static tl_cloth_def soft_grid(int columns, int rows, tl_real width, tl_real height)
{
    tl_cloth_def def = tl_cloth_def_grid(columns, rows, width, height);
    def.elements.link_structural.stiffness = 200;
    def.elements.link_shear.stiffness = 60;
    def.stable = false;
    return def;
}

static tl_world *make_world(int threads)
{
    tl_world_def def = tl_world_def_default();
    def.threads = threads;
    tl_world *world = tl_world_create(&def, NULL);
    assert_non_null(world);
    assert_non_null(tl_world_add_sphere(world, (tl_vec3){0, (tl_real)0.4, 0}, (tl_real)0.5, (tl_real)0.4));
    return world;
}

static uint64_t finish(tl_world *world, int frames)
{
    for (int frame = 0; frame < frames; ++frame)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 240)), TL_OK);
    uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

/* A sheet just large enough to be shared, hung by a corner with a ball in its way. */
static uint64_t run_large(const char *stepper, int threads, bool pinned)
{
    tl_world *world = make_world(threads);
    tl_cloth_def def = soft_grid(92, 90, 2, 2);
    tl_pin_def pin = tl_pin_def_default();
    def.center = (tl_vec3){0, (tl_real)0.9005, 0};
    def.stepper = stepper;
    def.substeps = 1;
    def.iterations = 1;
    def.pins = &pin;
    def.pin_count = pinned;
    assert_non_null(tl_cloth_create(world, &def));
    return finish(world, 1);
}

static void every_stepper_shares_a_large_cloth(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        const char *stepper = tl_stepper_names()[s];
        if (run_large(stepper, 1, true) != run_large(stepper, THREADS, true))
            fail_msg("%s: threads change the result", stepper);
    }
    assert_true(run_large("xpbd", 1, false) == run_large("xpbd", THREADS, false)); /* coarse levels */
}

static uint64_t run_many(int threads)
{
    enum { CLOTHS = 34 };
    tl_world *world = make_world(threads);
    for (int k = 0; k < CLOTHS; ++k) {
        tl_cloth_def def = soft_grid(16, 16, 1, 1);
        def.center = (tl_vec3){(tl_real)0.3 * (tl_real)(k % 2), (tl_real)0.9005, (tl_real)0.01 * (tl_real)k};
        def.stepper = tl_stepper_names()[k % 3];
        def.substeps = 2;
        assert_non_null(tl_cloth_create(world, &def));
    }
    return finish(world, 2);
}

static void small_cloths_run_side_by_side(void **state)
{
    (void)state;
    assert_true(run_many(1) == run_many(THREADS));
}

/* Two rippled sheets so near each other that they touch. */
static uint64_t run_layers(int threads, const char *contact, int *pairs)
{
    tl_world *world = make_world(threads);
    tl_cloth *cloth = NULL;
    for (int k = 0; k < 2; ++k) {
        tl_cloth_def def = soft_grid(24, 24, 1, 1);
        def.center = (tl_vec3){0, (tl_real)(0.912 + 0.012 * k), 0};
        def.stepper = "xpbd";
        def.substeps = 2;
        def.contact = contact;
        def.thickness = (tl_real)0.01;
        def.ripple = (tl_real)0.002;
        cloth = tl_cloth_create(world, &def);
        assert_non_null(cloth);
    }
    assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 240)), TL_OK);
    *pairs = tl_cloth_get_stats(cloth).pairs;
    return finish(world, 2);
}

static void layers_are_listed_together(void **state)
{
    (void)state;
    const char *methods[] = {"fast", "safe"};
    for (int k = 0; k < 2; ++k) {
        int pairs, shared;
        assert_true(run_layers(1, methods[k], &pairs) == run_layers(THREADS, methods[k], &shared));
        assert_true(pairs > 100);
        assert_int_equal(pairs, shared);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stepper_shares_a_large_cloth),
        cmocka_unit_test(small_cloths_run_side_by_side),
        cmocka_unit_test(layers_are_listed_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
