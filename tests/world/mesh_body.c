/* Bodies made of triangles: whole-surface contact, the same through every tree, continuous, with friction, moving,
 * deforming. */
#include "world_testing.h"

/* A closed box or a single square, as triangles. */
static tl_mesh *box_mesh(double x, double y, double z)
{
    tl_vec3 p[8];
    for (int k = 0; k < 8; ++k)
        p[k] = v3(k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z);
    static const int f[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = 8, .triangles = f, .triangle_count = 12}, NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

static tl_mesh *square_mesh(double half)
{
    tl_vec3 p[4] = {v3(-half, 0, -half), v3(-half, 0, half), v3(half, 0, half), v3(half, 0, -half)};
    static const int f[6] = {0, 1, 2, 0, 2, 3};
    return tl_mesh_create(&(tl_mesh_def){.positions = p, .vertex_count = 4, .triangles = f, .triangle_count = 2}, NULL,
                          NULL);
}

static tl_body *add_mesh(tl_world *world, const tl_mesh *mesh, bool solid, double friction)
{
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    def.mesh = mesh;
    def.solid = solid;
    def.friction = (tl_real)friction;
    tl_body *body = tl_body_create(world, &def);
    if (!body)
        fail_msg("%s", tl_last_error(world));
    return body;
}

static tl_cloth *small_sheet(tl_world *world, tl_vec3 center, tl_vec3 rotation)
{
    tl_cloth_def def = tl_cloth_def_grid(7, 7, (tl_real)0.3, (tl_real)0.3);
    def.center = center;
    def.rotation = rotation;
    def.stepper = "xpbd";
    def.substeps = 10;
    def.thickness = (tl_real)0.01;
    def.air = "off";
    return make_cloth(world, &def);
}

static tl_real lowest(tl_cloth *cloth)
{
    tl_real low = INFINITY;
    for (int v = 0; v < tl_cloth_vertex_count(cloth); ++v)
        low = tl_cloth_positions(cloth)[v].y < low ? tl_cloth_positions(cloth)[v].y : low;
    return low;
}

static void body_of_shape_mesh_needs_one(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    assert_null(tl_body_create(world, &def));
    assert_message(world, "mesh");
    assert_int_equal(tl_world_body_count(world), 0);
    tl_world_destroy(world);
}

static void distance_from_a_mesh_is_signed(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_mesh *mesh = box_mesh(1, 2, 3);
    tl_body *body = add_mesh(world, mesh, true, 0.5);
    static const struct {
        double at[3], distance, normal[3];
    } places[] = {{{1.5, 0, 0}, 0.5, {1, 0, 0}},
                  {{0.7, 0, 0}, -0.3, {1, 0, 0}},
                  {{0, 2.25, 0.5}, 0.25, {0, 1, 0}},
                  {{2, 3, 4}, 1.7320508, {0.57735, 0.57735, 0.57735}},
                  {{0.2, -1.9, 0}, -0.1, {0, -1, 0}}};
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        tl_vec3 n;
        tl_real d = tl_body_distance(body, v3(places[k].at[0], places[k].at[1], places[k].at[2]), &n);
        assert_near(places[k].distance, (double)d, 1e-5);
        assert_near(places[k].normal[0], (double)n.x, 1e-4);
        assert_near(places[k].normal[1], (double)n.y, 1e-4);
        assert_near(places[k].normal[2], (double)n.z, 1e-4);
    }
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* A spike much thinner than the cloth's edges holds the sheet up between its particles. */
static void spike_between_particles_does_not_poke_through(void **state)
{
    (void)state;
    tl_vec3 p[4] = {v3(-0.02, 0, -0.02), v3(0.02, 0, -0.02), v3(0, 0, 0.02), v3(0.003, 0.5, 0.002)};
    static const int f[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = 4, .triangles = f, .triangle_count = 4, .repair = true}, NULL,
        NULL);
    tl_world *world = make_world();
    add_mesh(world, mesh, true, 2);
    /* particles are 5 cm apart; the spike meets the middle of a face */
    tl_cloth *cloth = small_sheet(world, v3(0.02, 0.53, 0.012), v3(0, 0, 0));
    run_frames(world, 12);
    tl_real top = -INFINITY;
    for (int v = 0; v < tl_cloth_vertex_count(cloth); ++v)
        top = tl_cloth_positions(cloth)[v].y > top ? tl_cloth_positions(cloth)[v].y : top;
    assert_true(top > (tl_real)0.49); /* free fall would have taken all of it to 0.33 m */
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

static void both_trees_give_the_same_contacts(void **state)
{
    (void)state;
    uint64_t hash[2];
    tl_mesh *mesh = box_mesh(0.1, 0.1, 0.1);
    for (int k = 0; k < 2; ++k) {
        tl_world *world = make_world();
        tl_body_def def = tl_body_def_default();
        def.shape = "mesh";
        def.mesh = mesh;
        def.tree = k ? "octree" : "bvh";
        def.rotation = v3(20, 30, 40);
        assert_non_null(tl_body_create(world, &def));
        tl_cloth *cloth = small_sheet(world, v3(0.02, 0.15, 0.01), v3(0, 10, 0));
        run_frames(world, 12);
        assert_true(tl_cloth_get_stats(cloth).pairs > 0); /* they do touch */
        hash[k] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
    tl_mesh_destroy(mesh);
}

/* A sheet shot at a thin square, also while that moves and turns, at up to 100 m/s: no particle ends behind it. */
static void nothing_tunnels_through_a_thin_mesh(void **state)
{
    (void)state;
    static const double speeds[] = {1, 10, 30, 100};
    tl_mesh *mesh = square_mesh(2);
    for (int moving = 0; moving < 2; ++moving)
        for (size_t k = 0; k < sizeof speeds / sizeof *speeds; ++k) {
            tl_world *world = make_world();
            tl_body *body = add_mesh(world, mesh, false, 0.3);
            tl_cloth *cloth = small_sheet(world, v3(0.1, 0.5, 0.05), v3(10, 20, 5));
            tl_vec3 v[49];
            for (int i = 0; i < 49; ++i)
                v[i] = v3(0, -speeds[k], 0);
            assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
            for (int frame = 0; frame < 40; ++frame) {
                double up = moving ? 0.01 * (frame + 1) : 0;
                assert_int_equal(tl_body_move(body, v3(0, up, 0), (tl_quat){0, 0, 0, 1}), TL_OK);
                tl_world_step(world, FRAME);
                if (lowest(cloth) < (tl_real)(up - 1e-4))
                    fail_msg("%g m/s, frame %d: %g below %g", speeds[k], frame, (double)lowest(cloth), up);
            }
            tl_world_destroy(world);
        }
    tl_mesh_destroy(mesh);
}

/* On an incline of triangles the sheet sticks while tan θ ≤ μ and else slides with g (sin θ − μ cos θ). */
static void incline_of_triangles_obeys_coulomb(void **state)
{
    (void)state;
    tl_mesh *mesh = square_mesh(10);
    const double angle = 0.35, g = 9.81;
    static const double frictions[] = {0, 0.2, 0.45};
    for (size_t k = 0; k < sizeof frictions / sizeof *frictions; ++k) {
        tl_world *world = make_world();
        tl_body *body = add_mesh(world, mesh, false, frictions[k]);
        tl_quat turn = {0, 0, (tl_real)sin(angle / 2), (tl_real)cos(angle / 2)};
        assert_int_equal(tl_body_move(body, v3(0, 0, 0), turn), TL_OK);
        run_frames(world, 1); /* the body is there before the sheet */
        double degrees = angle * 180 / 3.14159265358979;
        tl_cloth *cloth = small_sheet(world, v3(-0.0101 * sin(angle), 0.0101 * cos(angle), 0), v3(0, 0, degrees));
        run_frames(world, 30);
        tl_real from = tl_cloth_positions(cloth)[24].x;
        tl_real speed = tl_cloth_velocities(cloth)[24].x;
        run_frames(world, 30);
        double expected = frictions[k] < tan(angle) ? g * (sin(angle) - frictions[k] * cos(angle)) : 0;
        double gained = -(double)(tl_cloth_velocities(cloth)[24].x - speed) / cos(angle) / 0.5;
        assert_near(expected, gained, 0.03 * g * sin(angle));
        if (expected == 0)
            assert_near((double)from, (double)tl_cloth_positions(cloth)[24].x, 1e-4);
        tl_world_destroy(world);
    }
    tl_mesh_destroy(mesh);
}

static void deforming_body_carries_the_cloth(void **state)
{
    (void)state;
    tl_mesh *mesh = square_mesh(1);
    tl_world *world = make_world();
    tl_body *body = add_mesh(world, mesh, false, 0.5);
    tl_cloth *cloth = small_sheet(world, v3(0, 0.012, 0), v3(0, 0, 0));
    tl_vec3 x[4];
    assert_int_equal(tl_body_vertices(body, x), 4);
    for (int frame = 0; frame < 30; ++frame) {
        for (int v = 0; v < 4; ++v)
            x[v].y += (tl_real)0.01;
        assert_int_equal(tl_body_move_vertices(body, x), TL_OK);
        run_frames(world, 1);
        assert_true(lowest(cloth) > x[0].y);
    }
    x[0].y = (tl_real)NAN;
    assert_int_equal(tl_body_move_vertices(body, x), TL_ERROR_INPUT);
    assert_int_equal(tl_body_move_vertices(tl_world_add_sphere(world, v3(9, 9, 9), 1, 1), x), TL_ERROR_INPUT);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_of_shape_mesh_needs_one),
        cmocka_unit_test(distance_from_a_mesh_is_signed),
        cmocka_unit_test(spike_between_particles_does_not_poke_through),
        cmocka_unit_test(both_trees_give_the_same_contacts),
        cmocka_unit_test(nothing_tunnels_through_a_thin_mesh),
        cmocka_unit_test(incline_of_triangles_obeys_coulomb),
        cmocka_unit_test(deforming_body_carries_the_cloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
