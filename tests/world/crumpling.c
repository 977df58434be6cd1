/* Self-collision where its repairs do not suffice: the frame is taken again with displacements truncated. */
#include "world_testing.h"

/* A flat sheet on the floor, which a box pushes against a wall. */
static tl_cloth *make_shove(tl_world *world, double speed, const char *contact)
{
    add_shove(world, speed);
    tl_cloth_def def = tl_cloth_def_grid(31, 31, (tl_real)SHOVE_SIZE, (tl_real)SHOVE_SIZE);
    def.center = v3(0, 0.006, 0);
    def.stepper = "xpbd";
    def.substeps = 12;
    def.contact = contact;
    return make_cloth(world, &def);
}

/* Frames that were taken again by the guard, and in parts, of 60. */
typedef struct shoved {
    int guarded, divided;
} shoved;

static shoved shove(double speed, const char *contact)
{
    shoved found = {0, 0};
    tl_world *world = make_world();
    tl_cloth *cloth = make_shove(world, speed, contact);
    tl_cloth_stats stats = {0};
    for (int frame = 0; frame < 60; ++frame) {
        if (tl_world_step(world, FRAME) != TL_OK)
            fail_msg("%s at %g m/s, frame %d: %s", contact, speed, frame, tl_last_error(world));
        int crossings = tl_world_count_intersections(world), inside = tl_cloth_count_penetrating(cloth, NULL);
        if (crossings + inside > 0)
            fail_msg("%s at %g m/s, frame %d: %d crossings, %d inside", contact, speed, frame, crossings, inside);
        stats = tl_cloth_get_stats(cloth);
        found.guarded += stats.guarded;
        found.divided += stats.parts > 1;
    }
    if (!((double)stats.largest_strain < 0.3 && (double)stats.largest_speed < 3))
        fail_msg("%s at %g m/s: strain %g, %g m/s", contact, speed, (double)stats.largest_strain,
                 (double)stats.largest_speed);
    tl_world_destroy(world);
    return found;
}

static void sheet_shoved_against_a_wall_never_crosses_and_recovers(void **state)
{
    (void)state;
    shoved found = shove(3, "self-collision");
    assert_true(found.guarded > 0 && found.guarded < 30);
}

/* Truncation holds cloth back that a fast body pushes: the body must not go on over it. */
static void fast_box_does_not_run_over_crumpled_cloth(void **state)
{
    (void)state;
    shoved found = shove(12, "penetration-free");
    assert_true(found.divided > 0 && found.divided < 20);
    shove(12, "self-collision");
}

/* A frame that was taken again depends on the state alone. */
static void frame_taken_again_is_the_same_from_a_snapshot(void **state)
{
    (void)state;
    uint64_t hash[2];
    tl_world *world = make_world();
    tl_cloth *cloth = make_shove(world, 3, "self-collision");
    void *bytes = NULL;
    size_t size = 0;
    for (int frame = 0; frame < 30; ++frame) {
        if (frame == 5) {
            size = tl_world_snapshot_size(world);
            bytes = malloc(size);
            assert_int_equal(tl_world_save(world, bytes, size), TL_OK);
        }
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    }
    hash[0] = tl_world_hash(world);
    assert_int_equal(tl_world_restore(world, bytes, size), TL_OK);
    int guarded = 0;
    for (int frame = 5; frame < 30; ++frame) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        guarded += tl_cloth_get_stats(cloth).guarded;
    }
    hash[1] = tl_world_hash(world);
    assert_true(guarded > 0);
    assert_true(hash[0] == hash[1]);
    free(bytes);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheet_shoved_against_a_wall_never_crosses_and_recovers),
        cmocka_unit_test(fast_box_does_not_run_over_crumpled_cloth),
        cmocka_unit_test(frame_taken_again_is_the_same_from_a_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
