/* Exact count of pairs of a cloth's triangles and a body's. */
#include "core/vec.h"
#include "world_testing.h"

/* A closed box of 12 triangles. */
static tl_mesh *box_mesh(double half)
{
    tl_vec3 p[8];
    for (int k = 0; k < 8; ++k)
        p[k] = v3(k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half);
    static const int f[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = 8, .triangles = f, .triangle_count = 12}, NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

static tl_body *add_box(tl_world *world, const tl_mesh *mesh, tl_vec3 at)
{
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    def.mesh = mesh;
    def.position = at;
    tl_body *body = tl_body_create(world, &def);
    if (!body)
        fail_msg("%s", tl_last_error(world));
    return body;
}

/* Two level triangles of 1 m². */
static tl_cloth *make_square(tl_world *world, tl_vec3 center)
{
    tl_cloth_def def = soft_sheet(2, 2, 1, 1);
    def.center = center;
    return make_cloth(world, &def);
}

/* A box in the middle of a triangle pierces it with the two triangles of each side, and no particle is inside. */
static void corners_of_bodies_in_triangles_are_counted(void **state)
{
    (void)state;
    tl_mesh *mesh = box_mesh(0.02);
    static const double far[] = {0, 900};
    for (int k = 0; k < 2; ++k) {
        tl_world *world = make_world();
        tl_vec3 center = v3(far[k], 0.3, -far[k]);
        tl_cloth *cloth = make_square(world, center);
        assert_int_equal(tl_cloth_count_body_intersections(cloth), 0); /* without bodies */
        tl_body *through = add_box(world, mesh, v3(far[k] + 0.3, 0.3, -far[k] + 0.1));
        add_box(world, mesh, v3(far[k] + 0.2, 0.33, -far[k]));
        assert_int_equal(tl_cloth_count_body_intersections(cloth), 8);
        assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
        assert_int_equal(tl_world_count_intersections(world), 0);
        tl_cloth *other = make_square(world, v3(far[k], 0.5, -far[k]));
        assert_int_equal(tl_cloth_count_body_intersections(other), 0);
        assert_int_equal(tl_cloth_count_body_intersections(cloth), 8);
        assert_int_equal(tl_body_set(through, "on", &(tl_value){TL_PARAM_BOOL, {0}, NULL}), TL_OK);
        assert_int_equal(tl_cloth_count_body_intersections(cloth), 0);
        tl_world_destroy(world);
    }
    tl_mesh_destroy(mesh);
}

/* Bodies turn and take new shapes: the count is of their present ones. */
static void bodies_are_counted_where_they_are(void **state)
{
    (void)state;
    tl_mesh *mesh = box_mesh(0.02);
    tl_world *world = make_world();
    tl_cloth *cloth = make_square(world, v3(0, 0, 0));
    tl_body *body = add_box(world, mesh, v3(0.3, 0.03, 0.1));
    tl_vec3 x[4], point[8];
    for (int v = 0; v < 4; ++v) {
        x[v] = tl_cloth_positions(cloth)[v];
        assert_int_equal(tl_cloth_pin(cloth, v, true), TL_OK);
    }
    assert_int_equal(tl_cloth_count_body_intersections(cloth), 0);
    for (int v = 0; v < 4; ++v)
        x[v].y = (tl_real)0.03;
    assert_int_equal(tl_cloth_set_state(cloth, x, NULL), TL_OK);
    assert_int_equal(tl_cloth_count_body_intersections(cloth), 8);
    for (int v = 0; v < 4; ++v)
        x[v].y = (tl_real)0.06;
    assert_int_equal(tl_cloth_set_state(cloth, x, NULL), TL_OK);
    assert_int_equal(tl_cloth_count_body_intersections(cloth), 0);
    assert_int_equal(tl_body_vertices(body, point), 8);
    for (int v = 0; v < 8; ++v) {
        assert_int_equal(tl_cloth_move_pin(cloth, v / 2, x[v / 2]), TL_OK);
        point[v].y *= 2; /* up to 7 cm */
    }
    assert_int_equal(tl_body_move_vertices(body, point), TL_OK);
    assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    assert_int_equal(tl_cloth_count_body_intersections(cloth), 8);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* Denim under implicit Euler comes down on the corners and edges of a box. Its stepper holds particles; what stands in
   triangles and on edges is held with the stiffness of the cloth. */
static void corners_and_edges_of_bodies_hold_implicit_cloth(void **state)
{
    (void)state;
    tl_mesh *mesh = box_mesh(0.12);
    tl_world *world = make_world();
    add_box(world, mesh, v3(0, 0.5, 0));
    tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5);
    tl_cloth_def def = tl_cloth_def_grid(21, 21, (tl_real)0.6, (tl_real)0.6);
    def.center = v3(0.03, 0.66, 0.02);
    def.rotation = v3(0, 25, 0);
    def.fabric = "denim";
    def.stepper = "implicit-euler";
    def.substeps = 2;
    def.thickness = (tl_real)0.004;
    def.contact = "self-collision";
    tl_cloth *cloth = make_cloth(world, &def);
    for (int frame = 0; frame < 70; ++frame) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        assert_int_equal(tl_cloth_count_body_intersections(cloth), 0);
        assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
        assert_true((double)tl_cloth_get_stats(cloth).largest_strain < 0.15);
    }
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* Knitted cloth lies on a ball of triangles as large as its own: particles rest on faces, and the ball's edges push the
   same ones. They are lifted, not pushed along the faces; no substep is divided, and the cloth comes to rest. */
static void cloth_rests_on_a_body_of_triangles_like_its_own(void **state)
{
    (void)state;
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create_surface(&(tl_surface_def){.kind = "ball",
                                                             .columns = 32,
                                                             .rows = 16,
                                                             .width = (tl_real)0.24,
                                                             .height = (tl_real)0.24,
                                                             .bulge = (tl_real)0.24},
                                           NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    tl_world *world = make_world();
    add_box(world, mesh, v3(0, 0.5, 0));
    tl_cloth_def def = tl_cloth_def_grid(21, 21, (tl_real)0.42, (tl_real)0.42);
    def.center = v3(0.01, 0.63, 0.01);
    def.rotation = v3(0, 25, 0);
    def.fabric = "interlock";
    def.stepper = "implicit-euler";
    def.substeps = 2;
    def.damping = 10;
    def.thickness = (tl_real)0.004;
    def.contact = "bodies-only";
    tl_cloth *cloth = make_cloth(world, &def);
    int divided = 0;
    double squares = 0;
    for (int frame = 0; frame < 80; ++frame) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        divided += frame >= 40 && tl_cloth_get_stats(cloth).parts > 1;
    }
    int count = tl_cloth_vertex_count(cloth);
    for (int v = 0; v < count; ++v)
        squares += (double)tl_dot(tl_cloth_velocities(cloth)[v], tl_cloth_velocities(cloth)[v]) / count;
    assert_int_equal(divided, 0);
    assert_true(sqrt(squares) < 0.009);
    assert_int_equal(tl_cloth_count_body_intersections(cloth), 0);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_of_bodies_in_triangles_are_counted),
        cmocka_unit_test(bodies_are_counted_where_they_are),
        cmocka_unit_test(corners_and_edges_of_bodies_hold_implicit_cloth),
        cmocka_unit_test(cloth_rests_on_a_body_of_triangles_like_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
