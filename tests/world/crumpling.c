/* Self-collision where its repairs do not suffice: the frame is taken again with displacements truncated. */
#include "world_testing.h"

/* A sheet, and what is left of it between a wall and the box that shoves it there. */
static const double SIZE = 0.8, ROOM = 0.25, SPEED = 3; /* m, m, m/s */

static tl_body *add_box(tl_world *world, tl_vec3 position, tl_vec3 size, tl_key_def *keys, int key_count)
{
    tl_body_def def = tl_body_def_default();
    def.shape = "box";
    def.position = position;
    def.size = size;
    def.keys = keys;
    def.key_count = key_count;
    tl_body *body = tl_body_create(world, &def);
    if (!body)
        fail_msg("%s", tl_last_error(world));
    return body;
}

/* A flat sheet on the floor, which a box pushes against a wall at 3 m/s. */
static tl_cloth *make_shove(tl_world *world)
{
    tl_key_def keys[3] = {tl_key_def_default(), tl_key_def_default(), tl_key_def_default()};
    keys[1].time = (tl_real)0.05;
    keys[2].time = (tl_real)(0.05 + (SIZE - ROOM) / SPEED);
    keys[2].position = v3(SIZE - ROOM, 0, 0);
    tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5);
    add_box(world, v3(SIZE / 2 + 0.1, 0.5, 0), v3(0.1, 1, 2), NULL, 0);
    add_box(world, v3(-SIZE / 2 - 0.15, 0.2, 0), v3(0.2, 0.4, 1.2), keys, 3);
    tl_cloth_def def = tl_cloth_def_grid(31, 31, (tl_real)SIZE, (tl_real)SIZE);
    def.center = v3(0, 0.006, 0);
    def.stepper = "xpbd";
    def.substeps = 12;
    def.contact = "self-collision";
    return make_cloth(world, &def);
}

static void sheet_shoved_against_a_wall_never_crosses_and_recovers(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = make_shove(world);
    int guarded = 0;
    for (int frame = 0; frame < 60; ++frame) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        assert_int_equal(tl_world_count_intersections(world), 0);
        assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
        guarded += tl_cloth_get_stats(cloth).guarded;
    }
    assert_true(guarded > 0 && guarded < 30);
    tl_cloth_stats stats = tl_cloth_get_stats(cloth);
    if (!((double)stats.largest_strain < 0.3 && (double)stats.largest_speed < 2))
        fail_msg("strain %g, %g m/s", (double)stats.largest_strain, (double)stats.largest_speed);
    tl_world_destroy(world);
}

/* A frame that was taken again depends on the state alone. */
static void frame_taken_again_is_the_same_from_a_snapshot(void **state)
{
    (void)state;
    uint64_t hash[2];
    tl_world *world = make_world();
    tl_cloth *cloth = make_shove(world);
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
        cmocka_unit_test(frame_taken_again_is_the_same_from_a_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
