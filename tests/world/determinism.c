/* The same result everywhere: for all vector widths, and, in single precision, for every compiler and build type.

   To renew the golden hashes after a change that is meant to alter results: build in single precision, run
   `TELAR_PRINT_HASHES=1 test_world_determinism`, and paste the two tables it prints over those below. A change that is not
   meant to alter results must not touch them. */
#include "world_testing.h"

enum { FRAMES = 60, SUBSTEPS = 8 };

static uint64_t hash_after(const stage *s, int frames)
{
    tl_world *world = stage_world(s);
    for (int f = 0; f < frames; ++f)
        tl_world_step(world, FRAME); /* an unstable frame is undone, the same way everywhere */
    assert_true(all_finite(world));
    uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void all_vector_widths_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const lanes[] = {"auto", "sse", "plain"};
    for (int m = 0; m < 3; ++m)
        for (int s = 0; tl_stepper_names()[s]; ++s) {
            uint64_t first = 0;
            for (int k = 0; k < 3; ++k) {
                stage here = {.material = tl_material_names()[m],
                              .stepper = tl_stepper_names()[s],
                              .lanes = lanes[k],
                              .substeps = SUBSTEPS};
                uint64_t hash = hash_after(&here, FRAMES);
                if (k > 0 && hash != first)
                    fail_msg("%s under %s differs with lanes %s", here.material, here.stepper, lanes[k]);
                first = hash;
            }
        }
}

static void large_grids_give_the_same_bits_for_all_widths(void **state)
{
    (void)state;
    /* large enough for coarse levels, and for runs of links longer than a vector */
    static const char *const lanes[] = {"auto", "sse", "plain"};
    static const char *const steppers[] = {"xpbd", "range", "verlet"};
    for (int s = 0; s < 3; ++s) {
        uint64_t first = 0;
        for (int k = 0; k < 3; ++k) {
            tl_world_def world_def = tl_world_def_default();
            world_def.lanes = lanes[k];
            tl_world *world = tl_world_create(&world_def, NULL);
            assert_non_null(tl_world_add_sphere(world, v3(0, 0.5, 0), (tl_real)0.4, (tl_real)0.4));
            tl_cloth_def def = tl_cloth_def_grid(47, 53, 1, 1);
            tl_pin_def pin = tl_pin_def_default();
            def.pins = &pin;
            def.pin_count = 1;
            def.stepper = steppers[s];
            def.iterations = 2;
            def.elements.link_structural.stiffness = 20;
            make_cloth(world, &def);
            run_frames(world, 15);
            uint64_t hash = tl_world_hash(world);
            if (k > 0 && hash != first)
                fail_msg("%s differs with lanes %s", steppers[s], lanes[k]);
            first = hash;
            tl_world_destroy(world);
        }
    }
}

static void two_runs_are_the_same_run(void **state)
{
    (void)state;
    stage here = {.stepper = "xpbd", .substeps = SUBSTEPS, .turbulent = true};
    assert_true(hash_after(&here, 30) == hash_after(&here, 30));
    assert_true(hash_after(&here, 30) != hash_after(&here, 31));
}

/* Reference scenes: every stepper once, every material, fixed and adaptive substeps, gusts and eddies. */
static const struct {
    const char *material, *stepper;
    bool adaptive, turbulent;
    uint64_t hash;
} golden[] = {
    {"springs", "xpbd", false, true, 0xb0be509036f9e3e7u},
    {"springs", "projection", false, false, 0xa7105f25b1b70398u},
    {"springs", "range", false, false, 0x23f862df36a76021u},
    {"springs", "semi-implicit-euler", false, true, 0x3791c3b652c6c466u},
    {"springs", "verlet", true, false, 0x4ec816304e8b27c6u},
    {"springs20", "verlet", false, true, 0x9084eb6b51119f6du},
    {"springs20", "xpbd", false, false, 0xefee0efa1cecf733u},
    {"springs20", "kinematic", false, false, 0xe6b6cea1f7560659u},
    {"springs20", "explicit-euler", false, false, 0x468093eb778c0ffcu},
    {"continuum", "semi-implicit-euler", false, false, 0x76b674e634aee6e4u},
    {"continuum", "rk4", false, false, 0xd543e2e633e060feu},
    {"continuum", "xpbd", false, false, 0x295ecc83adb47452u},
};

static void golden_hashes_agree_in_every_build(void **state)
{
    (void)state;
    if (DOUBLE_BUILD)
        skip();
    bool print = getenv("TELAR_PRINT_HASHES") != NULL;
    int wrong = 0;
    for (size_t k = 0; k < sizeof golden / sizeof *golden; ++k) {
        stage here = {.material = golden[k].material,
                      .stepper = golden[k].stepper,
                      .substeps = SUBSTEPS,
                      .adaptive = golden[k].adaptive,
                      .turbulent = golden[k].turbulent};
        uint64_t hash = hash_after(&here, FRAMES);
        if (print)
            printf("    {\"%s\", \"%s\", %s, %s, 0x%016llxu},\n", here.material, here.stepper,
                   here.adaptive ? "true" : "false", here.turbulent ? "true" : "false", (unsigned long long)hash);
        else if (hash != golden[k].hash) {
            print_error("%s under %s: hash 0x%016llx, expected 0x%016llx\n", here.material, here.stepper,
                        (unsigned long long)hash, (unsigned long long)golden[k].hash);
            ++wrong;
        }
    }
    if (wrong)
        fail_msg("%d of %zu reference scenes changed; the top of this file says what to do", wrong,
                 sizeof golden / sizeof *golden);
}

/* Sheets large enough to be shared among threads, hung by a corner above a ball, and many small ones beside them: all that
   threads, runs with tails, attachments, coarse levels, the limit of stretch and contact can do. */
static uint64_t hash_of_large(const char *stepper, int threads, const char *lanes)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.threads = threads;
    world_def.lanes = lanes;
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    assert_non_null(tl_world_add_sphere(world, v3(0, 0.4, 0), (tl_real)0.5, (tl_real)0.4));
    for (int k = 0; k < 6; ++k) {
        bool large = k < 2;
        tl_cloth_def def = tl_cloth_def_grid(large ? 101 : 16, large ? 97 : 16, 2, 2);
        tl_pin_def pin = tl_pin_def_default();
        def.center = v3(0.1 * k, 1 + 0.02 * k, 0);
        def.stepper = stepper;
        def.substeps = 4;
        def.elements.link_structural.stiffness = 20000;
        def.limit = k == 1;
        def.pins = &pin;
        def.pin_count = k != 1;
        assert_non_null(tl_cloth_create(world, &def));
    }
    for (int frame = 0; frame < 8; ++frame)
        tl_world_step(world, FRAME);
    assert_true(all_finite(world));
    uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static const struct {
    const char *stepper;
    uint64_t hash;
} golden_large[] = {
    {"xpbd", 0x52dd9375a97fcf69u},
    {"projection", 0xca9c29887e2390bcu},
};

static void golden_hashes_of_large_scenes_agree_for_all_threads_and_widths(void **state)
{
    (void)state;
    static const struct {
        int threads;
        const char *lanes;
    } ways[] = {{1, "auto"}, {2, "auto"}, {8, "auto"}, {2, "sse"}, {1, "plain"}};
    if (DOUBLE_BUILD)
        skip();
    for (size_t k = 0; k < sizeof golden_large / sizeof *golden_large; ++k)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w) {
            uint64_t hash = hash_of_large(golden_large[k].stepper, ways[w].threads, ways[w].lanes);
            if (getenv("TELAR_PRINT_HASHES")) {
                printf("large    {\"%s\", 0x%016llxu},\n", golden_large[k].stepper, (unsigned long long)hash);
                break;
            }
            if (hash != golden_large[k].hash)
                fail_msg("%s, %d threads, %s: hash 0x%016llx, expected 0x%016llx", golden_large[k].stepper, ways[w].threads,
                         ways[w].lanes, (unsigned long long)hash, (unsigned long long)golden_large[k].hash);
        }
}

/* An argument chooses tests by a pattern: other builds only need the golden ones. */
int main(int count, char **arguments)
{
    if (count > 1)
        cmocka_set_test_filter(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_vector_widths_give_the_same_bits),
        cmocka_unit_test(large_grids_give_the_same_bits_for_all_widths),
        cmocka_unit_test(two_runs_are_the_same_run),
        cmocka_unit_test(golden_hashes_agree_in_every_build),
        cmocka_unit_test(golden_hashes_of_large_scenes_agree_for_all_threads_and_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
