/* The trace of a frame: what ran, once, in order, without changing anything. */
#include "failing_allocator.h"
#include "world_testing.h"

#include "contact/contact_method.h"

enum { SUBSTEPS = 4 };

static int entry_count(const tl_world *world)
{
    int count = 0;
    while (tl_world_trace(world, count))
        ++count;
    assert_null(tl_world_trace(world, -1));
    assert_null(tl_world_trace(world, count + 1));
    return count;
}

/* The frame opens and closes it, and what lies between is within a substep. */
static void assert_in_order(const tl_world *world)
{
    int count = entry_count(world);
    assert_true(count > 2);
    for (int k = 0; k < count; ++k) {
        const tl_trace_entry *entry = tl_world_trace(world, k);
        bool frame = k == 0 || k == count - 1;
        assert_true(entry->seconds >= 0);
        assert_true(k == 0 || entry[-1].start <= entry->start);
        assert_true(frame ? entry->substep == -1 && entry->cloth == -1 : entry->substep >= 0);
        assert_true(entry->cloth >= -1 && entry->cloth < tl_world_cloth_count(world));
    }
    assert_string_equal(tl_world_trace(world, 0)->name, "pose");
    assert_string_equal(tl_world_trace(world, count - 1)->name, "finish");
}

/* Each phase once per substep, in the order of the method, after the stages of the substep. */
static void assert_phases(const tl_world *world, const tl_contact_method *method)
{
    const tl_contact_phase *const *phase = method->phases;
    int substep = 0, stages = 0;
    const tl_trace_entry *entry;
    for (int k = 0; (entry = tl_world_trace(world, k)); ++k) {
        if (entry->substep < 0)
            continue;
        assert_int_equal(entry->substep, substep);
        if (entry->cloth >= 0) {
            assert_ptr_equal(phase, method->phases);
            ++stages;
            continue;
        }
        assert_string_equal(entry->name, (*phase)->name);
        assert_ptr_equal(entry->counts, (*phase)->counts);
        if (!*++phase) {
            assert_true(stages > 0);
            phase = method->phases;
            stages = 0;
            ++substep;
        }
    }
    assert_ptr_equal(phase, method->phases);
    assert_int_equal(substep, SUBSTEPS);
}

/* How often a stage of a cloth ran in a substep. */
static int stage_count(const tl_world *world, int cloth, const char *name, int substep)
{
    int count = 0;
    const tl_trace_entry *entry;
    for (int k = 0; (entry = tl_world_trace(world, k)); ++k)
        count += entry->cloth == cloth && entry->substep == substep && strcmp(entry->name, name) == 0;
    return count;
}

static void assert_stages_of_every_cloth(const tl_world *world)
{
    for (int c = 0; c < tl_world_cloth_count(world); ++c) {
        for (int s = 0; s < SUBSTEPS; ++s) {
            assert_int_equal(stage_count(world, c, "integrate", s), 1);
            assert_int_equal(stage_count(world, c, "body contact", s), 1);
            assert_int_equal(stage_count(world, c, "strain limit", s),
                             tl_cloth_get_def(tl_world_cloth(world, c))->strain_limit);
        }
        assert_int_equal(stage_count(world, c, "integrate", SUBSTEPS), 0);
    }
}

static tl_cloth *add_sheet(tl_world *world, const char *contact, int side, tl_vec3 center)
{
    tl_cloth_def def = soft_sheet(side, side, (tl_real)0.3, (tl_real)0.3);
    def.center = center;
    def.contact = contact;
    def.stepper = "xpbd";
    def.substeps = SUBSTEPS;
    def.thickness = (tl_real)0.01;
    def.strain_limit = tl_world_cloth_count(world) % 2 == 0; /* traced only where it is on */
    return make_cloth(world, &def);
}

/* Two sheets just above a body of triangles. */
static tl_world *sheets_on_a_mesh(const tl_mesh *ground, const char *contact)
{
    tl_world *world = make_world();
    tl_body_def body = tl_body_def_default();
    body.shape = "mesh";
    body.mesh = ground;
    assert_non_null(tl_body_create(world, &body));
    for (int k = 0; k < 2; ++k)
        add_sheet(world, contact, 7, v3(0.02 * k, 0.012 + 0.012 * k, 0.01 * k));
    return world;
}

static const char *const methods[] = {"bodies-only", "self-collision", "penetration-free"};
enum { METHODS = sizeof methods / sizeof *methods };

static void every_phase_runs_once_per_substep_in_the_order_of_the_method(void **state)
{
    (void)state;
    tl_mesh *ground = square_mesh(1);
    for (int m = 0; m < METHODS; ++m) {
        tl_world *world = sheets_on_a_mesh(ground, methods[m]);
        tl_world_set_trace(world, true);
        for (int frame = 0; frame < 4; ++frame) {
            run_frames(world, 1);
            assert_in_order(world);
            assert_phases(world, tl_contact_find(methods[m]));
            assert_stages_of_every_cloth(world);
        }
        tl_world_destroy(world);
    }
    tl_mesh_destroy(ground);
}

static void counts_are_those_of_the_stats(void **state)
{
    (void)state;
    tl_mesh *ground = square_mesh(1);
    tl_world *world = sheets_on_a_mesh(ground, "self-collision");
    tl_world_set_trace(world, true);
    run_frames(world, 4);
    int candidates = -1, bodies = -1;
    const tl_trace_entry *entry;
    for (int k = 0; (entry = tl_world_trace(world, k)); ++k) {
        candidates = strcmp(entry->name, "end") == 0 ? entry->count : candidates;
        bodies = strcmp(entry->name, "pose") == 0 ? entry->count : bodies;
    }
    assert_true(candidates > 0);
    assert_int_equal(candidates, tl_cloth_get_stats(tl_world_cloth(world, 0)).pairs);
    assert_int_equal(bodies, 1);
    tl_world_destroy(world);
    tl_mesh_destroy(ground);
}

static void nothing_is_recorded_when_off(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){.stepper = "xpbd", .substeps = SUBSTEPS});
    assert_null(tl_world_trace(world, 0));
    run_frames(world, 2);
    assert_null(tl_world_trace(world, 0));
    tl_world_set_trace(world, true);
    assert_null(tl_world_trace(world, 0));
    run_frames(world, 1);
    assert_in_order(world);
    tl_world_set_trace(world, false);
    assert_null(tl_world_trace(world, 0));
    run_frames(world, 1);
    assert_null(tl_world_trace(world, 0));
    tl_world_destroy(world);
}

static void each_frame_has_its_own_trace(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){.stepper = "xpbd", .substeps = SUBSTEPS});
    tl_world_set_trace(world, true);
    run_frames(world, 1);
    int count = entry_count(world);
    for (int frame = 0; frame < 3; ++frame) {
        double end = tl_world_trace(world, count - 1)->start;
        run_frames(world, 1);
        assert_int_equal(entry_count(world), count);
        assert_true(tl_world_trace(world, 0)->start >= end);
        assert_stages_of_every_cloth(world);
    }
    double start = tl_world_trace(world, 0)->start; /* a step that is refused is no frame */
    assert_int_equal(tl_world_step(world, -1), TL_ERROR_INPUT);
    assert_int_equal(entry_count(world), count);
    assert_true(tl_world_trace(world, 0)->start == start);
    tl_world_destroy(world);
}

static void tracing_changes_no_bits(void **state)
{
    (void)state;
    tl_mesh *ground = square_mesh(1);
    for (int m = 0; m < METHODS; ++m) {
        tl_world *traced = sheets_on_a_mesh(ground, methods[m]), *twin = sheets_on_a_mesh(ground, methods[m]);
        tl_world_set_trace(traced, true);
        run_frames(traced, 8);
        run_frames(twin, 8);
        assert_true(tl_world_hash(traced) == tl_world_hash(twin));
        tl_world_destroy(traced);
        tl_world_destroy(twin);
    }
    tl_mesh_destroy(ground);
}

/* A retried substep is recorded again under its number, and all numbers up to the last are there. */
static void adaptive_substeps_keep_their_number_when_retried(void **state)
{
    (void)state;
    tl_world *world = make_world();
    assert_non_null(tl_world_add_sphere(world, v3(0, 0, 0), (tl_real)0.2, (tl_real)0.5));
    tl_cloth_def def = soft_sheet(9, 9, (tl_real)0.5, (tl_real)0.5);
    def.center = v3(0, 0.22, 0);
    def.substeps = SUBSTEPS;
    def.adaptive = true;
    def.adaptive_strain = (tl_real)2e-4;
    tl_cloth *cloth = make_cloth(world, &def);
    tl_world_set_trace(world, true);
    int retried = 0;
    for (int frame = 0; frame < 10; ++frame) {
        run_frames(world, 1);
        assert_in_order(world);
        int substeps = tl_cloth_get_stats(cloth).substeps, last = 0;
        for (int s = 0; s < substeps; ++s) {
            int times = stage_count(world, 0, "integrate", s);
            assert_true(times >= 1);
            retried += times > 1;
        }
        assert_int_equal(stage_count(world, 0, "integrate", substeps), 0);
        const tl_trace_entry *entry;
        for (int k = 0; (entry = tl_world_trace(world, k)); ++k)
            if (entry->cloth == 0) {
                assert_true(entry->substep == last || entry->substep == last + 1);
                last = entry->substep;
            }
    }
    assert_true(retried > 0);
    tl_world_destroy(world);
}

static void cloths_on_several_threads_each_have_their_stages(void **state)
{
    (void)state;
    enum { CLOTHS = 33, SIDE = 16 }; /* 8448 particles: above what one thread takes alone */
    tl_world_def world_def = tl_world_def_default();
    world_def.threads = 4;
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    for (int k = 0; k < CLOTHS; ++k)
        add_sheet(world, "bodies-only", SIDE, v3(k, 1, 0));
    tl_world_set_trace(world, true);
    for (int frame = 0; frame < 3; ++frame) {
        run_frames(world, 1);
        assert_in_order(world);
        assert_stages_of_every_cloth(world);
    }
    tl_world_destroy(world);
}

/* The trace of a frame outlives its cloths; the next one has the new indices. */
static void cloths_may_come_and_go_between_frames(void **state)
{
    (void)state;
    tl_world *world = make_world();
    for (int k = 0; k < 3; ++k)
        add_sheet(world, "bodies-only", 5, v3(k, 1, 0));
    tl_world_set_trace(world, true);
    run_frames(world, 1);
    int count = entry_count(world);
    tl_cloth_destroy(world, tl_world_cloth(world, 0));
    assert_int_equal(entry_count(world), count);
    assert_int_equal(stage_count(world, 2, "integrate", 0), 1);
    run_frames(world, 1);
    assert_in_order(world);
    assert_stages_of_every_cloth(world);
    add_sheet(world, "bodies-only", 5, v3(4, 1, 0));
    run_frames(world, 1);
    assert_in_order(world);
    assert_stages_of_every_cloth(world);
    assert_int_equal(entry_count(world), count);
    tl_world_destroy(world);
}

static tl_world *three_sheets(const tl_allocator *allocator)
{
    tl_world_def def = tl_world_def_default();
    if (allocator)
        def.allocator = *allocator;
    tl_world *world = tl_world_create(&def, NULL);
    assert_non_null(world);
    assert_non_null(tl_world_add_sphere(world, v3(0, 0, 0), (tl_real)0.2, (tl_real)0.5));
    for (int k = 0; k < 3; ++k)
        add_sheet(world, "bodies-only", 5, v3(0.05 * k, 0.22, 0));
    run_frames(world, 1); /* from here on only the trace allocates */
    return world;
}

/* One allocation of the trace fails, or all from one on: entries are missing, nothing else. */
static void trace_without_memory_loses_entries_only(void **state)
{
    (void)state;
    tl_world *twin = three_sheets(NULL);
    tl_world_set_trace(twin, true);
    run_frames(twin, 1);
    int full = entry_count(twin);
    uint64_t hash = tl_world_hash(twin);
    tl_world_destroy(twin);
    for (int all = 0; all < 2; ++all)
        for (int n = 1, through = 0; !through; ++n) {
            failing f = {0};
            tl_allocator allocator = failing_allocator(&f);
            tl_world *world = three_sheets(&allocator);
            tl_world_set_trace(world, true);
            f.fails_at = f.made + n;
            f.fails_to = all ? INT32_MAX : f.fails_at;
            run_frames(world, 1);
            through = f.made < f.fails_at;
            assert_true(through ? entry_count(world) == full : entry_count(world) < full);
            for (int k = 1; k < entry_count(world); ++k)
                assert_true(tl_world_trace(world, k - 1)->start <= tl_world_trace(world, k)->start);
            assert_true(tl_world_hash(world) == hash);
            f.fails_at = f.fails_to = 0;
            run_frames(world, 1);
            assert_int_equal(entry_count(world), full);
            assert_in_order(world);
            assert_stages_of_every_cloth(world);
            tl_world_destroy(world);
            assert_int_equal(f.alive, 0);
            assert_true(n < 100);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_phase_runs_once_per_substep_in_the_order_of_the_method),
        cmocka_unit_test(counts_are_those_of_the_stats),
        cmocka_unit_test(nothing_is_recorded_when_off),
        cmocka_unit_test(each_frame_has_its_own_trace),
        cmocka_unit_test(tracing_changes_no_bits),
        cmocka_unit_test(adaptive_substeps_keep_their_number_when_retried),
        cmocka_unit_test(cloths_on_several_threads_each_have_their_stages),
        cmocka_unit_test(cloths_may_come_and_go_between_frames),
        cmocka_unit_test(trace_without_memory_loses_entries_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
