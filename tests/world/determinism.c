/* The same result everywhere: for all vector widths and, in single precision, for every compiler and build type.

   To renew the golden hashes after a change that is meant to alter results: build in single precision, run
   `TELAR_PRINT_HASHES=1 test_world_determinism`, and paste the three tables it prints over those below. A change that
   is not meant to alter results must not change them. */
#include "world_testing.h"

enum { FRAMES = 60, SUBSTEPS = 8 };

static uint64_t hash_after(const stage *s, int frames)
{
    tl_world *world = stage_world(s);
    for (int f = 0; f < frames; ++f)
        tl_world_step(world, FRAME); /* an unstable frame is rejected identically everywhere */
    assert_true(all_finite(world));
    uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void all_vector_widths_give_the_same_bits(void **state)
{
    (void)state;
    static const char *const lanes[] = {"auto", "sse", "scalar"};
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
    static const char *const lanes[] = {"auto", "sse", "scalar"};
    static const char *const steppers[] = {"xpbd", "range", "verlet"};
    for (int s = 0; s < 3; ++s) {
        uint64_t first = 0;
        for (int k = 0; k < 3; ++k) {
            tl_world_def world_def = tl_world_def_default();
            world_def.simd = lanes[k];
            tl_world *world = tl_world_create(&world_def, NULL);
            assert_non_null(tl_world_add_sphere(world, v3(0, 0.5, 0), (tl_real)0.4, (tl_real)0.4));
            tl_cloth_def def = soft_sheet(47, 53, 1, 1);
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
    {"springs", "xpbd", false, true, 0xadd20d46e4bdd918u},
    {"springs", "projection", false, false, 0xce596c42d88de8d0u},
    {"springs", "range", false, false, 0x82a1dc4d051fa068u},
    {"springs", "semi-implicit-euler", false, true, 0xb684057bafb7c471u},
    {"springs", "verlet", true, false, 0xc9135e749ef98dabu},
    {"springs20", "verlet", false, true, 0xe70c943bdb0f3212u},
    {"springs20", "xpbd", false, false, 0xe338a5a9525120aau},
    {"springs20", "kinematic", false, false, 0xe892edf460afa824u},
    {"springs20", "explicit-euler", false, false, 0x044658bbc78ae78au},
    {"continuum", "semi-implicit-euler", false, false, 0xb24a873de8aff787u},
    {"continuum", "rk4", false, false, 0x4e44cffd0538d22au},
    {"continuum", "xpbd", false, false, 0x8e428f9726be118au},
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

/* Sheets large enough for several threads, pinned at a corner above a ball, and many small ones beside them: covers
   threads, runs with tails, tethers, coarse levels, the strain limit and contact. */
static uint64_t hash_of_large(const char *stepper, int threads, const char *lanes)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.threads = threads;
    world_def.simd = lanes;
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    assert_non_null(tl_world_add_sphere(world, v3(0, 0.4, 0), (tl_real)0.5, (tl_real)0.4));
    for (int k = 0; k < 6; ++k) {
        bool large = k < 2;
        tl_cloth_def def = soft_sheet(large ? 101 : 16, large ? 97 : 16, 2, 2);
        tl_pin_def pin = tl_pin_def_default();
        def.center = v3(0.1 * k, 1 + 0.02 * k, 0);
        def.stepper = stepper;
        def.substeps = 4;
        def.elements.link_structural.stiffness = 20000;
        def.strain_limit = k == 1;
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
    {"xpbd", 0x58ba5abafe00372cu},
    {"projection", 0xf068c9331de44785u},
};

static void golden_hashes_of_large_scenes_agree_for_all_threads_and_widths(void **state)
{
    (void)state;
    static const struct {
        int threads;
        const char *lanes;
    } settings[] = {{1, "auto"}, {2, "auto"}, {8, "auto"}, {2, "sse"}, {1, "scalar"}};
    if (DOUBLE_BUILD)
        skip();
    for (size_t k = 0; k < sizeof golden_large / sizeof *golden_large; ++k)
        for (size_t w = 0; w < sizeof settings / sizeof *settings; ++w) {
            uint64_t hash = hash_of_large(golden_large[k].stepper, settings[w].threads, settings[w].lanes);
            if (getenv("TELAR_PRINT_HASHES")) {
                printf("large    {\"%s\", 0x%016llxu},\n", golden_large[k].stepper, (unsigned long long)hash);
                break;
            }
            if (hash != golden_large[k].hash)
                fail_msg("%s, %d threads, %s: hash 0x%016llx, expected 0x%016llx", golden_large[k].stepper,
                         settings[w].threads, settings[w].lanes, (unsigned long long)hash,
                         (unsigned long long)golden_large[k].hash);
        }
}

/* Small reference scenes of what the large ones leave out: self-collision, mesh bodies, implicit steppers, gas, dynamic
   bodies. Each checks that the case it covers really happened. */
enum { SCENE_FRAMES = 24, FOLD_SIDE = 13, FOLD_PANEL = 4 };

static double size_of(tl_vec3 a) { return sqrt((double)(a.x * a.x + a.y * a.y + a.z * a.z)); }

static void resize(tl_cloth_def *def, int side, double width)
{
    def->columns = def->rows = side;
    def->width = def->height = (tl_real)width;
}

/* A sheet folded like a Z, its three layers thrown flat on the floor. */
static tl_mesh *build_folds(tl_world *world, tl_cloth_def def)
{
    const double edge = 0.04, rise = 0.012;
    assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.6));
    resize(&def, FOLD_SIDE, edge * (FOLD_SIDE - 1));
    def.elements.link_bend.on = false; /* which would open the folds */
    tl_cloth *cloth = make_cloth(world, &def);
    tl_vec3 x[FOLD_SIDE * FOLD_SIDE], v[FOLD_SIDE * FOLD_SIDE];
    for (int i = 0; i < FOLD_SIDE * FOLD_SIDE; ++i) {
        int column = i % FOLD_SIDE, within = column % (2 * FOLD_PANEL),
            across = within < FOLD_PANEL ? within : 2 * FOLD_PANEL - within;
        x[i] = v3(edge * across, 0.02 + rise * column, edge * (i / FOLD_SIDE));
        v[i] = v3(0, -0.3 * column, 0);
    }
    assert_int_equal(tl_cloth_set_state(cloth, x, v), TL_OK);
    return NULL;
}

static void check_folds(tl_world *world, const double impulse[2])
{
    tl_cloth *cloth = tl_world_cloth(world, 0);
    tl_cloth_stats stats = tl_cloth_get_stats(cloth);
    assert_true(stats.contacts > 0 && impulse[0] > 0 && stats.pairs > 0);
    /* the middle of the top layer lies on two others */
    tl_vec3 top = tl_cloth_positions(cloth)[FOLD_SIDE * (FOLD_SIDE / 2) + FOLD_SIDE - 1 - FOLD_PANEL / 2];
    assert_true(top.y > 2 * tl_cloth_get_def(cloth)->thickness);
    assert_int_equal(tl_world_count_intersections(world), 0);
}

/* Two sheets that start intersecting and are pulled apart. */
static tl_mesh *build_tangle(tl_world *world, tl_cloth_def def)
{
    resize(&def, 11, 0.4);
    make_cloth(world, &def);
    def.center = v3(0.17, (double)def.center.y + 0.003, 0.01);
    def.rotation = v3(3, 10, 5);
    make_cloth(world, &def);
    assert_true(tl_world_count_intersections(world) > 0);
    return NULL;
}

static void check_tangle(tl_world *world, const double impulse[2])
{
    (void)impulse;
    assert_int_equal(tl_world_count_intersections(world), 0);
}

/* A sheet on an octahedron mesh: corners and edges of the body against faces of the cloth. */
static tl_mesh *build_triangles(tl_world *world, tl_cloth_def def)
{
    const tl_vec3 corner[6] = {v3(0.15, 0, 0), v3(-0.15, 0, 0), v3(0, 0.2, 0),
                               v3(0, -0.2, 0), v3(0, 0, 0.15),  v3(0, 0, -0.15)};
    static const int faces[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = corner, .vertex_count = 6, .triangles = faces, .triangle_count = 8}, NULL, NULL);
    assert_non_null(mesh);
    tl_body_def body = tl_body_def_default();
    body.shape = "mesh";
    body.mesh = mesh;
    body.solid = true;
    body.rotation = v3(5, 20, 10);
    assert_non_null(tl_body_create(world, &body));
    resize(&def, 11, 0.5);
    def.center = v3(0.01, 0.25, 0.02);
    make_cloth(world, &def);
    return mesh;
}

/* A sheet on a ball. */
static tl_mesh *build_ball(tl_world *world, tl_cloth_def def)
{
    assert_non_null(tl_world_add_sphere(world, v3(0.01, 0, 0.02), (tl_real)0.2, (tl_real)0.5));
    resize(&def, 11, 0.6);
    def.center = v3(0, 0.25, 0);
    make_cloth(world, &def);
    return NULL;
}

static void check_draped(tl_world *world, const double impulse[2])
{
    tl_cloth *cloth = tl_world_cloth(world, 0);
    const tl_real *pressure = tl_cloth_contact_forces(cloth);
    int pressed = 0;
    for (int v = 0; v < tl_cloth_vertex_count(cloth); ++v)
        pressed += pressure[v] > 0;
    assert_true(pressed > 1 && impulse[0] > 0);
    assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
}

/* A ball filled with gas that leaks, dropped on the floor. */
static tl_mesh *build_gas(tl_world *world, tl_cloth_def def)
{
    assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.6));
    def.shape = "ball";
    resize(&def, 12, 0.4);
    def.center = v3(0, 0.3, 0);
    def.gas.on = true;
    def.gas.process = "adiabatic";
    def.gas.outside = 1000;
    def.gas.overpressure = 200;
    def.gas.leak = (tl_real)1e-5;
    def.gas.leak_vertex = 3;
    make_cloth(world, &def);
    return NULL;
}

static void check_gas(tl_world *world, const double impulse[2])
{
    tl_cloth_stats stats = tl_cloth_get_stats(tl_world_cloth(world, 0));
    assert_true(stats.contacts > 0 && impulse[0] > 0);
    assert_true(stats.volume > 0 && stats.pressure > 1000);
}

/* A dynamic ball and box fall into a net pinned along its border and collide. */
static tl_mesh *build_net(tl_world *world, tl_cloth_def def)
{
    tl_pin_def pins[4];
    pin_all_edges(pins);
    resize(&def, 15, 0.8);
    def.pins = pins;
    def.pin_count = 4;
    def.elements.link_structural.stiffness = 2000;
    make_cloth(world, &def);
    tl_body_def ball = tl_body_def_default(), box = tl_body_def_default();
    ball.size = v3(0.1, 0, 0);
    ball.position = v3(-0.12, 1.15, 0.03);
    ball.mass = (tl_real)0.1;
    ball.velocity = v3(1, 0, 0); /* into the box */
    box.shape = "box";
    box.size = v3(0.2, 0.1, 0.15);
    box.position = v3(0.1, 1.15, 0);
    box.rotation = v3(15, 10, 25);
    box.mass = (tl_real)0.2;
    assert_non_null(tl_body_create(world, &ball));
    assert_non_null(tl_body_create(world, &box));
    return NULL;
}

static void check_net(tl_world *world, const double impulse[2])
{
    for (int b = 0; b < 2; ++b) {
        tl_vec3 at, velocity, spin;
        tl_body_pose(tl_world_body(world, b), &at, NULL);
        tl_body_velocity(tl_world_body(world, b), &velocity, &spin);
        assert_true(at.y > (tl_real)0.9);
        assert_true(size_of(spin) > 0 && impulse[b] > 0);
    }
}

static const struct {
    const char *name;
    tl_mesh *(*build)(tl_world *world, tl_cloth_def def); /* returns a mesh that must outlive the world, or NULL */
    void (*check)(tl_world *world, const double impulse[2]);
} scenes[] = {{"folds", build_folds, check_folds},
              {"tangle", build_tangle, check_tangle},
              {"triangles", build_triangles, check_draped},
              {"ball", build_ball, check_draped},
              {"gas", build_gas, check_gas},
              {"net", build_net, check_net}};

typedef struct small_run {
    const char *scene, *stepper, *contact;
    int substeps;
    uint64_t hash;
} small_run;

static const small_run golden_small[] = {
    {"folds", "xpbd", "fast", 4, 0x81a4d523ff9fb54bu},
    {"folds", "xpbd", "safe", 4, 0x5257101dd2eb48dcu},
    {"folds", "implicit-euler", "fast", 1, 0x475c2d4873aa5db0u},
    {"tangle", "xpbd", "fast", 4, 0xf778cd38d751488au},
    {"triangles", "xpbd", "bodies", 4, 0x358f02d79d79ed1cu},
    {"triangles", "implicit-euler", "bodies", 1, 0x4a23c180c10f0731u},
    {"ball", "implicit-euler", "bodies", 1, 0x8d09ca68bacb3950u},
    {"ball", "bdf2", "bodies", 1, 0x71ba1896d8069f9eu},
    {"ball", "constant-jacobian", "bodies", 1, 0x92800c0a246a5bdfu},
    {"ball", "thin-objects", "bodies", 1, 0x1011a68102c107aeu},
    {"gas", "xpbd", "bodies", 4, 0xdf8a992333ded340u},
    {"gas", "implicit-euler", "bodies", 1, 0x6c5f900b5c3aa1d8u},
    {"net", "xpbd", "bodies", 8, 0x95c207e9674c3126u},
    {"net", "bdf2", "bodies", 1, 0x4ad72afe8200bc42u},
};

static uint64_t hash_of_small(const small_run *run, int threads, const char *lanes)
{
    size_t k = 0;
    while (strcmp(scenes[k].name, run->scene) != 0)
        ++k;
    tl_world_def world_def = tl_world_def_default();
    world_def.threads = threads;
    world_def.simd = lanes;
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    tl_cloth_def def = soft_sheet(2, 2, 1, 1);
    def.stepper = run->stepper;
    def.contact = run->contact;
    def.substeps = run->substeps;
    def.thickness = (tl_real)0.01;
    tl_mesh *mesh = scenes[k].build(world, def);
    double largest[2] = {0}; /* N·s, impulse of a frame on each body */
    for (int f = 0; f < SCENE_FRAMES; ++f) {
        run_frames(world, 1);
        for (int b = 0; b < tl_world_body_count(world); ++b) {
            tl_vec3 impulse;
            tl_body_impulse(tl_world_body(world, b), &impulse, NULL);
            largest[b] = fmax(largest[b], size_of(impulse));
        }
    }
    scenes[k].check(world, largest);
    uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
    return hash;
}

/* There is no table for double precision, but threads and widths still agree. */
static void golden_hashes_of_small_scenes_agree_for_all_threads_and_widths(void **state)
{
    (void)state;
    static const struct {
        int threads;
        const char *lanes;
    } settings[] = {{1, "auto"}, {2, "auto"}, {2, "sse"}, {1, "scalar"}};
    bool print = getenv("TELAR_PRINT_HASHES") != NULL;
    int wrong = 0;
    for (size_t k = 0; k < sizeof golden_small / sizeof *golden_small; ++k) {
        const small_run *run = &golden_small[k];
        uint64_t expected = run->hash;
        for (size_t w = 0; w < sizeof settings / sizeof *settings; ++w) {
            uint64_t hash = hash_of_small(run, settings[w].threads, settings[w].lanes);
            if (w == 0 && print)
                printf("small    {\"%s\", \"%s\", \"%s\", %d, 0x%016llxu},\n", run->scene, run->stepper, run->contact,
                       run->substeps, (unsigned long long)hash);
            if (w == 0 && (print || DOUBLE_BUILD))
                expected = hash;
            if (hash == expected)
                continue;
            print_error("%s under %s, contact %s, %d threads, %s: hash 0x%016llx, expected 0x%016llx\n", run->scene,
                        run->stepper, run->contact, settings[w].threads, settings[w].lanes, (unsigned long long)hash,
                        (unsigned long long)expected);
            ++wrong;
            break;
        }
    }
    if (wrong)
        fail_msg("%d of %zu small scenes changed; the top of this file says what to do", wrong,
                 sizeof golden_small / sizeof *golden_small);
}

/* An argument selects tests by a pattern: other builds only need the golden ones. */
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
        cmocka_unit_test(golden_hashes_of_small_scenes_agree_for_all_threads_and_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
