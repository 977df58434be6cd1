/* Contact costs memory in proportion to the cloth, whatever gap is asked for and however long a frame is. */
#include "world_testing.h"

/* An allocator that counts bytes, from one thread. */
typedef struct counting {
    size_t now, most;
} counting;

enum { HEADER = 64 }; /* bytes before each block, which hold its size; keeps the alignment */

static void *count_allocate(void *user, size_t size, size_t alignment)
{
    counting *c = user;
    char *block = aligned_alloc(alignment, (size + HEADER + alignment - 1) / alignment * alignment);
    memcpy(block, &size, sizeof size);
    c->now += size;
    c->most = c->now > c->most ? c->now : c->most;
    return block + HEADER;
}

static void count_release(void *user, void *memory)
{
    size_t size;
    char *block = (char *)memory - HEADER;
    memcpy(&size, block, sizeof size);
    ((counting *)user)->now -= size;
    free(block);
}

static tl_world *counted_world(counting *c)
{
    tl_world_def def = tl_world_def_default();
    def.allocator = (tl_allocator){count_allocate, count_release, c};
    tl_world *world = tl_world_create(&def, NULL);
    assert_non_null(world);
    return world;
}

static tl_cloth_def sheet(int side, const char *contact, double gap)
{
    tl_cloth_def def = tl_cloth_def_grid(side, side, (tl_real)1, (tl_real)1);
    def.contact = contact;
    def.cloth_gap = (tl_real)gap;
    def.stepper = "xpbd";
    def.substeps = 8;
    return def;
}

static void refused(tl_world *world, tl_result result, const char *what)
{
    assert_int_equal(result, TL_ERROR_INPUT);
    assert_message(world, what);
    assert_message(world, "edge lengths");
}

static void gap_far_wider_than_an_edge_is_refused(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = sheet(51, "penetration-free", 0.5); /* edges of 2 cm */
    assert_null(tl_cloth_create(world, &def));
    refused(world, TL_ERROR_INPUT, "cloth_gap: a gap of 0.5 m to itself");
    def.cloth_gap = (tl_real)0.02;
    tl_cloth *cloth = make_cloth(world, &def);
    refused(world, set_real(cloth, "cloth_gap", 0.3), "cloth_gap");
    assert_near(0.02, (double)tl_cloth_get_def(cloth)->cloth_gap, 1e-9);
    assert_int_equal(set_real(cloth, "cloth_gap", 0.06), TL_OK);
    /* the thickness counts where there is no gap, and contact where it is switched on */
    assert_int_equal(set_real(cloth, "thickness", 0.5), TL_OK);
    refused(world, set_real(cloth, "cloth_gap", 0), "thickness");
    assert_int_equal(set_name(cloth, "contact", "bodies-only"), TL_OK);
    assert_int_equal(set_real(cloth, "cloth_gap", 0), TL_OK);
    refused(world, set_name(cloth, "contact", "self-collision"), "thickness");
    assert_string_equal(tl_cloth_get_def(cloth)->contact, "bodies-only");
    run_frames(world, 2);
    tl_world_destroy(world);
}

static void gap_of_one_cloth_must_suit_the_other(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def coarse = sheet(5, "self-collision", 0.8), fine = sheet(101, "self-collision", 0.01);
    coarse.width = coarse.height = 8;
    coarse.columns = coarse.rows = 41; /* edges of 20 cm */
    make_cloth(world, &coarse);
    assert_null(tl_cloth_create(world, &fine));
    refused(world, TL_ERROR_INPUT, "cloth_gap: a gap of 0.405 m to cloth");
    fine.contact = "bodies-only";
    tl_cloth *cloth = make_cloth(world, &fine);
    refused(world, set_name(cloth, "contact", "penetration-free"), "cloth_gap");
    tl_world_destroy(world);
}

static void thickness_must_suit_bodies_of_triangles(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_mesh *mesh = tl_mesh_create_grid(&(tl_grid_def){101, 101, 1, 1, false}, NULL, NULL); /* edges of 1 cm */
    assert_non_null(mesh);
    tl_body_def body = tl_body_def_default();
    body.shape = "mesh";
    body.mesh = mesh;
    tl_cloth_def def = sheet(101, "bodies-only", 0);
    def.thickness = (tl_real)0.5;
    tl_cloth *cloth = make_cloth(world, &def);
    assert_null(tl_body_create(world, &body));
    refused(world, TL_ERROR_INPUT, "thickness");
    assert_int_equal(tl_world_body_count(world), 0);
    assert_int_equal(set_real(cloth, "thickness", 0.02), TL_OK);
    assert_non_null(tl_body_create(world, &body));
    refused(world, set_real(cloth, "thickness", 0.3), "thickness");
    run_frames(world, 1);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* A mesh most of whose edges are short, though not by their mean: a strip of 2 m with a fine patch at its end. */
static void patch_of_fine_triangles_counts(void **state)
{
    (void)state;
    enum { COLUMNS = 220 };
    tl_vec3 p[2 * COLUMNS];
    int f[6 * (COLUMNS - 1)];
    for (int i = 0; i < COLUMNS; ++i)
        for (int k = 0; k < 2; ++k)
            p[2 * i + k] = v3(i < 200 ? i * 1e-3 : 0.2 + (i - 199) * 0.5, 0, k * 1e-3);
    for (int i = 0; i + 1 < COLUMNS; ++i)
        memcpy(f + 6 * i, (int[]){2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2}, 6 * sizeof *f);
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){
            .positions = p, .vertex_count = 2 * COLUMNS, .triangles = f, .triangle_count = 2 * (COLUMNS - 1)},
        NULL, NULL);
    assert_non_null(mesh);
    tl_world *world = make_world();
    tl_cloth_def def = sheet(2, "self-collision", 0.1);
    def.mesh = mesh;
    assert_null(tl_cloth_create(world, &def));
    refused(world, TL_ERROR_INPUT, "cloth_gap");
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* Bytes per particle of a crumpled sheet. */
static double bytes_of(int side, const char *contact, double gap, double fps, int substeps)
{
    counting c = {0};
    tl_world *world = counted_world(&c);
    assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 1));
    tl_cloth_def def = sheet(side, contact, gap);
    def.plane = "vertical";
    def.center = v3(0, 0.52, 0);
    def.ripple = (tl_real)0.02;
    def.substeps = substeps;
    tl_cloth *cloth = make_cloth(world, &def);
    for (int i = 0; i < side; ++i)
        assert_int_equal(tl_cloth_pin(cloth, i, true), TL_OK);
    for (int frame = 0; frame < 4; ++frame)
        tl_world_step(world, (tl_real)(1 / fps)); /* may be rejected */
    assert_true(all_finite(world));
    tl_world_destroy(world);
    assert_int_equal(c.now, 0);
    return (double)c.most / (side * side);
}

static void long_frames_cost_memory_in_proportion(void **state)
{
    (void)state;
    static const double rates[] = {4, 1};
    static const char *const contacts[] = {"self-collision", "penetration-free"};
    for (int k = 0; k < 2; ++k)
        for (int c = 0; c < 2; ++c) {
            double bytes = bytes_of(61, contacts[c], 0.005, rates[k], 2);
            if (bytes > 30e3)
                fail_msg("%s with frames of %g s: %.0f bytes per particle", contacts[c], 1 / rates[k], bytes);
        }
}

/* Sweeps over the contacts of crumpled cloth may throw particles far in one substep; what they meet on the way is not
   looked for. */
static void pushes_across_crumpled_cloth_cost_memory_in_proportion(void **state)
{
    (void)state;
    enum { SIDE = 51 };
    counting c = {0};
    tl_world *world = counted_world(&c);
    add_shove(world, 2);
    tl_cloth_def def = sheet(SIDE, "penetration-free", 0);
    def.width = def.height = (tl_real)SHOVE_SIZE;
    def.center = v3(0, 0.006, 0);
    def.fabric = "denim";
    def.stepper = "automatic";
    def.substeps = 0;
    tl_cloth *cloth = make_cloth(world, &def);
    for (int frame = 0; frame < 19; ++frame) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        double bytes = (double)c.most / (SIDE * SIDE);
        if (bytes > 60e3)
            fail_msg("frame %d: %.0f bytes per particle", frame, bytes);
    }
    assert_int_equal(tl_cloth_count_intersections(cloth, NULL), 0);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gap_far_wider_than_an_edge_is_refused),
        cmocka_unit_test(gap_of_one_cloth_must_suit_the_other),
        cmocka_unit_test(thickness_must_suit_bodies_of_triangles),
        cmocka_unit_test(patch_of_fine_triangles_counts),
        cmocka_unit_test(long_frames_cost_memory_in_proportion),
        cmocka_unit_test(pushes_across_crumpled_cloth_cost_memory_in_proportion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
