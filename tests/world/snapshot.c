/* Snapshots: a restored world continues exactly as it would have, and invalid bytes are refused. */
#include "world_testing.h"

typedef struct saved {
    unsigned char *bytes;
    size_t size;
} saved;

static saved save(tl_world *world)
{
    saved s = {.size = tl_world_snapshot_size(world)};
    s.bytes = malloc(s.size);
    assert_non_null(s.bytes);
    assert_int_equal(tl_world_save(world, s.bytes, s.size), TL_OK);
    return s;
}

/* Runs `before` frames, saves, runs `after` frames; restores into the same world and into a fresh one and compares. */
static void expect_same_future(const stage *s, const char *schedule, int before, int after)
{
    tl_world *world = stage_world(s), *fresh = stage_world(s);
    tl_value text = {TL_PARAM_TEXT, {0}, schedule};
    assert_int_equal(tl_cloth_set(tl_world_cloth(world, 0), "schedule", &text), TL_OK);
    assert_int_equal(tl_cloth_set(tl_world_cloth(fresh, 0), "schedule", &text), TL_OK);
    for (int f = 0; f < before; ++f)
        tl_world_step(world, FRAME);
    saved state = save(world);
    uint64_t present = tl_world_hash(world);
    double time = tl_world_time(world);
    for (int f = 0; f < after; ++f)
        tl_world_step(world, FRAME);
    uint64_t future = tl_world_hash(world);
    assert_true(present != future);
    tl_world *targets[2] = {world, fresh};
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(tl_world_restore(targets[k], state.bytes, state.size), TL_OK);
        assert_true(tl_world_hash(targets[k]) == present);
        assert_true(tl_world_time(targets[k]) == time);
        for (int f = 0; f < after; ++f)
            tl_world_step(targets[k], FRAME);
        if (tl_world_hash(targets[k]) != future)
            fail_msg("%s, schedule '%s', saved after %d frames: %s world differs", s->stepper, schedule, before,
                     k ? "a fresh" : "the same");
    }
    free(state.bytes);
    tl_world_destroy(world);
    tl_world_destroy(fresh);
}

static void every_stepper_goes_on_from_a_snapshot_exactly(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        stage here = {.stepper = tl_stepper_names()[s]};
        expect_same_future(&here, "", 0, 5); /* before anything moved */
        expect_same_future(&here, "", 1, 5);
        expect_same_future(&here, "", 33, 30);
    }
}

static void every_material_goes_on_from_a_snapshot_exactly(void **state)
{
    (void)state;
    for (int m = 0; m < 3; ++m) {
        expect_same_future(&(stage){.stepper = "verlet", .material = tl_material_names()[m], .turbulent = true}, "", 11,
                           12);
        expect_same_future(&(stage){.stepper = "xpbd", .material = tl_material_names()[m]}, "", 11, 12);
    }
}

static void every_schedule_goes_on_from_a_snapshot_exactly(void **state)
{
    (void)state;
    static const char *const schedules[] = {"s0-4.1", "s0-4.2", "s0-4.3",
                                            "s0-4.4", "s0-4.5", "integrate model contact (model)*2"};
    for (size_t k = 0; k < sizeof schedules / sizeof *schedules; ++k) {
        expect_same_future(&(stage){.stepper = "semi-implicit-euler"}, schedules[k], 10, 20);
        expect_same_future(&(stage){.stepper = "xpbd"}, schedules[k], 10, 20);
    }
    expect_same_future(&(stage){.stepper = "verlet", .adaptive = true}, "", 10, 20);
    expect_same_future(&(stage){.stepper = "xpbd", .adaptive = true}, "", 10, 20);
}

static void pins_and_moved_bodies_are_part_of_a_snapshot(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){.stepper = "xpbd"}), *fresh = stage_world(&(stage){.stepper = "xpbd"});
    run_frames(world, 5);
    tl_cloth *cloth = tl_world_cloth(world, 0);
    for (int v = 40; v < 70; ++v) /* more than a fresh world has capacity for */
        assert_int_equal(tl_cloth_pin(cloth, v, true), TL_OK);
    assert_int_equal(tl_cloth_pin(cloth, 0, false), TL_OK);
    assert_int_equal(tl_cloth_move_pin(cloth, 41, v3(0.1, 1, 0.1)), TL_OK);
    assert_int_equal(tl_cloth_add_force(cloth, 100, v3(0, 1, 2)), TL_OK);
    assert_int_equal(tl_body_move(tl_world_body(world, 0), v3(0, 0.6, 0.4), (tl_quat){0, 0, 0, 1}), TL_OK);
    saved s = save(world);
    run_frames(world, 10);
    assert_int_equal(tl_world_restore(fresh, s.bytes, s.size), TL_OK);
    assert_true(tl_cloth_pinned(tl_world_cloth(fresh, 0), 41));
    assert_false(tl_cloth_pinned(tl_world_cloth(fresh, 0), 0));
    run_frames(fresh, 10);
    assert_true(tl_world_hash(fresh) == tl_world_hash(world));
    tl_vec3 a, b;
    tl_body_pose(tl_world_body(world, 0), &a, NULL);
    tl_body_pose(tl_world_body(fresh, 0), &b, NULL);
    assert_memory_equal(&a, &b, sizeof a);
    free(s.bytes);
    tl_world_destroy(world);
    tl_world_destroy(fresh);
}

static void all_that_can_be_read_comes_back(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){.stepper = "verlet"});
    run_frames(world, 30);
    tl_cloth *cloth = tl_world_cloth(world, 0);
    saved s = save(world);
    int count = tl_cloth_vertex_count(cloth);
    tl_real pressure[200];
    tl_vec3 force[200], impulse, moment, impulse_after, moment_after;
    assert_true(count <= 200);
    memcpy(pressure, tl_cloth_contact_forces(cloth), (size_t)count * sizeof *pressure);
    memcpy(force, tl_cloth_forces(cloth), (size_t)count * sizeof *force);
    tl_cloth_stats stats = tl_cloth_get_stats(cloth);
    tl_body_impulse(tl_world_body(world, 0), &impulse, &moment);
    assert_true(stats.contacts > 0);
    run_frames(world, 20);
    assert_int_equal(tl_world_restore(world, s.bytes, s.size), TL_OK);
    assert_memory_equal(pressure, tl_cloth_contact_forces(cloth), (size_t)count * sizeof *pressure);
    assert_memory_equal(force, tl_cloth_forces(cloth), (size_t)count * sizeof *force);
    assert_int_equal(stats.contacts, tl_cloth_get_stats(cloth).contacts);
    assert_true(stats.largest_strain == tl_cloth_get_stats(cloth).largest_strain);
    tl_body_impulse(tl_world_body(world, 0), &impulse_after, &moment_after);
    assert_memory_equal(&impulse, &impulse_after, sizeof impulse);
    assert_memory_equal(&moment, &moment_after, sizeof moment);
    free(s.bytes);
    tl_world_destroy(world);
}

/* The world refuses the bytes and continues like its twin, which never saw them. */
static void expect_refused(tl_world *world, tl_world *twin, const void *bytes, size_t size, const char *what)
{
    if (tl_world_restore(world, bytes, size) != TL_ERROR_INPUT)
        fail_msg("%s: accepted", what);
    assert_message(world, "snapshot: ");
    run_frames(world, 1);
    run_frames(twin, 1);
    if (tl_world_hash(world) != tl_world_hash(twin) || tl_world_time(world) != tl_world_time(twin))
        fail_msg("%s: refused, but the world changed", what);
}

static void wrong_bytes_are_refused_and_change_nothing(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){0}), *twin = stage_world(&(stage){0});
    run_frames(world, 3);
    run_frames(twin, 3);
    saved s = save(world);
    unsigned char *copy = malloc(s.size + 64);
    memset(copy, 0, s.size + 64);
    expect_refused(world, twin, copy, s.size, "zeros");
    expect_refused(world, twin, "", 0, "nothing");
    memcpy(copy, s.bytes, s.size);
    expect_refused(world, twin, copy, s.size + 8, "too long");
    const size_t cuts[] = {1, 2, 7, 8, s.size / 2, s.size - 40, s.size - 8, s.size - 4, s.size - 1};
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; ++k)
        expect_refused(world, twin, copy, s.size - cuts[k], "cut short");
    for (size_t k = 0; k < s.size; k += 1 + s.size / 97) { /* one byte changed, anywhere */
        memcpy(copy, s.bytes, s.size);
        copy[k] ^= 0x5a;
        expect_refused(world, twin, copy, s.size, "one byte changed");
    }
    for (size_t k = 0; k < s.size; ++k)
        copy[k] = (unsigned char)(k * 31 + 7);
    expect_refused(world, twin, copy, s.size, "noise");
    free(copy);
    free(s.bytes);
    tl_world_destroy(world);
    tl_world_destroy(twin);
}

static void snapshots_of_other_worlds_are_refused(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){0}), *twin = stage_world(&(stage){0});
    tl_world *empty = make_world(), *more = stage_world(&(stage){0}), *other = make_world();
    tl_cloth_def def = soft_sheet(7, 7, 1, 1);
    make_cloth(more, &def);
    for (int b = 0; b < 3; ++b)
        assert_non_null(tl_world_add_sphere(other, v3(b, 0, 0), 1, 1));
    make_cloth(other, &def); /* as many bodies and cloths, but another grid */
    tl_world *foreign[3] = {empty, more, other};
    for (int k = 0; k < 3; ++k) {
        saved s = save(foreign[k]);
        expect_refused(world, twin, s.bytes, s.size, "a snapshot of another world");
        free(s.bytes);
        tl_world_destroy(foreign[k]);
    }
    tl_world_destroy(world);
    tl_world_destroy(twin);
}

static void too_little_room_to_save_is_an_error(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){0});
    size_t size = tl_world_snapshot_size(world);
    unsigned char *bytes = malloc(size + 16);
    memset(bytes, 0x77, size + 16);
    assert_int_equal(tl_world_save(world, bytes, size - 1), TL_ERROR_INPUT);
    assert_message(world, "bytes are too few");
    assert_int_equal(bytes[0], 0x77); /* untouched */
    assert_int_equal(tl_world_save(world, bytes, size + 16), TL_OK);
    for (int k = 0; k < 16; ++k)
        assert_int_equal(bytes[size + (size_t)k], 0x77);
    free(bytes);
    tl_world_destroy(world);
}

static void an_empty_world_can_be_saved(void **state)
{
    (void)state;
    tl_world *world = make_world();
    run_frames(world, 7);
    saved s = save(world);
    tl_world *fresh = make_world();
    assert_int_equal(tl_world_restore(fresh, s.bytes, s.size), TL_OK);
    assert_true(tl_world_time(fresh) == tl_world_time(world));
    free(s.bytes);
    tl_world_destroy(world);
    tl_world_destroy(fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stepper_goes_on_from_a_snapshot_exactly),
        cmocka_unit_test(every_material_goes_on_from_a_snapshot_exactly),
        cmocka_unit_test(every_schedule_goes_on_from_a_snapshot_exactly),
        cmocka_unit_test(pins_and_moved_bodies_are_part_of_a_snapshot),
        cmocka_unit_test(all_that_can_be_read_comes_back),
        cmocka_unit_test(wrong_bytes_are_refused_and_change_nothing),
        cmocka_unit_test(snapshots_of_other_worlds_are_refused),
        cmocka_unit_test(too_little_room_to_save_is_an_error),
        cmocka_unit_test(an_empty_world_can_be_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
