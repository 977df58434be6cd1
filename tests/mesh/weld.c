/* Welding and rest shapes: which vertices become one particle, and the flat rest triangle of each face. */
#include "mesh_testing.h"

#include "mesh/build.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-5; }

static void a_cube_with_24_vertices_welds_to_8_particles(void **state)
{
    (void)state;
    tl_vec3 positions[24];
    tl_real uv[48];
    int triangles[36];
    cube_with_24_vertices(positions, uv, triangles);
    tl_mesh_def def = mesh_def(positions, 24, triangles, 12);
    def.uv = uv;
    tl_mesh *mesh = make(&def);

    assert_int_equal(tl_mesh_particle_count(mesh), 8);
    assert_int_equal(tl_mesh_edge_count(mesh), 18);
    assert_int_equal(euler_characteristic(mesh), 2);
    for (int h = 0; h < 36; ++h)
        assert_true(mesh->twin[h] >= 0);
    assert_mesh_holds(mesh);
    assert_true(near((double)tl_mesh_area(mesh), 24));

    /* output keeps the file's vertices */
    assert_int_equal(tl_mesh_vertex_count(mesh), 24);
    assert_int_equal(tl_mesh_triangle_count(mesh), 12);
    assert_memory_equal(tl_mesh_vertices(mesh), positions, sizeof positions);
    assert_memory_equal(tl_mesh_uv(mesh), uv, sizeof uv);
    assert_memory_equal(tl_mesh_triangles(mesh), triangles, sizeof triangles);
    for (int v = 0; v < 24; ++v)
        for (int w = 0; w < 24; ++w) {
            bool same_place = memcmp(&positions[v], &positions[w], sizeof positions[v]) == 0;
            assert_int_equal(mesh->particle_of_vertex[v] == mesh->particle_of_vertex[w], same_place);
        }
    tl_mesh_destroy(mesh);
}

/* A square of two triangles that do not share vertices; the second one is `gap` away in x. */
static tl_mesh *split_square(tl_real gap, tl_real weld_distance)
{
    tl_vec3 positions[6] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {gap, 0, 0}, {1 + gap, 1, 0}, {gap, 1, 0}};
    const int triangles[6] = {0, 1, 2, 3, 4, 5};
    tl_mesh_def def = mesh_def(positions, 6, triangles, 2);
    def.weld_distance = weld_distance;
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    return mesh;
}

static void vertices_weld_up_to_the_distance_and_no_further(void **state)
{
    (void)state;
    const struct {
        double gap, distance;
        int particles;
    } cases[] = {{0, 0, 4}, {1e-6, 0, 6}, {0.01, 0.02, 4}, {0.02, 0.01, 6}, {-0.01, 0.02, 4}, {0.1, 0.11, 4}};
    for (int i = 0; i < COUNT(cases); ++i) {
        tl_mesh *mesh = split_square((tl_real)cases[i].gap, (tl_real)cases[i].distance);
        assert_int_equal(mesh->particle_count, cases[i].particles);
        assert_int_equal(mesh->edge_count, cases[i].particles == 4 ? 5 : 6);
        tl_mesh_destroy(mesh);
    }
}

static void minus_zero_and_zero_are_one_place(void **state)
{
    (void)state;
    tl_mesh *mesh = split_square(-(tl_real)0.0, 0);
    assert_int_equal(mesh->particle_count, 4);
    tl_mesh_destroy(mesh);
}

/* Against brute force over all earlier first vertices, on scattered points with many near misses. */
static void welding_agrees_with_brute_force(void **state)
{
    (void)state;
    enum { POINTS = 2000 };
    static tl_vec3 positions[POINTS];
    uint32_t seed = 7;
    for (int v = 0; v < POINTS; ++v) {
        tl_real x[3];
        for (int k = 0; k < 3; ++k) {
            seed = seed * 1664525u + 1013904223u;
            x[k] = (tl_real)((double)(seed >> 8) / 16777216.0 - 0.5);
        }
        positions[v] = (tl_vec3){x[0], x[1], x[2]};
    }
    tl_mesh mesh = {.allocator = tl_allocator_or_default(NULL), .vertex_count = POINTS};
    tl_mesh_def def = {.positions = positions, .vertex_count = POINTS, .weld_distance = (tl_real)0.08};
    tl_mesh_build build = {.def = &def, .mesh = &mesh};
    assert_int_equal(tl_weld_vertices(&build), TL_OK);

    int first[POINTS], count = 0;
    for (int v = 0; v < POINTS; ++v) {
        int particle = -1;
        for (int p = 0; p < count && particle < 0; ++p) {
            tl_vec3 a = positions[v], b = positions[first[p]];
            double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
            if (x * x + y * y + z * z <= (double)def.weld_distance * (double)def.weld_distance)
                particle = p;
        }
        if (particle < 0) {
            particle = count;
            first[count++] = v;
        }
        assert_int_equal(mesh.particle_of_vertex[v], particle);
        assert_int_equal(build.representative[particle], first[particle]);
    }
    assert_int_equal(mesh.particle_count, count);
    assert_in_range(count, 100, POINTS - 100); /* both cases occurred: joined and separate */
    tl_mesh_build_release(&build);
    tl_release(&mesh.allocator, mesh.particle_of_vertex);
}

static void a_fine_line_does_not_collapse_by_chaining(void **state)
{
    (void)state;
    /* a strip with columns closer than the weld distance: every second column survives, not one */
    enum { COLUMNS = 21 };
    tl_vec3 positions[2 * COLUMNS];
    int triangles[6 * (COLUMNS - 1)], n = 0;
    for (int c = 0; c < COLUMNS; ++c) {
        positions[2 * c] = (tl_vec3){(tl_real)c * (tl_real)0.01, 0, 0};
        positions[2 * c + 1] = (tl_vec3){(tl_real)c * (tl_real)0.01, 1, 0};
    }
    for (int c = 0; c + 1 < COLUMNS; ++c) {
        const int cell[6] = {2 * c, 2 * c + 2, 2 * c + 3, 2 * c, 2 * c + 3, 2 * c + 1};
        for (int k = 0; k < 6; ++k)
            triangles[n++] = cell[k];
    }
    tl_mesh_def def = mesh_def(positions, 2 * COLUMNS, triangles, 2 * (COLUMNS - 1));
    def.weld_distance = (tl_real)0.015;
    def.repair = true; /* cells inside one particle vanish */
    tl_mesh *mesh = make(&def);
    assert_int_equal(mesh->particle_count, 2 * (COLUMNS / 2 + 1));
    assert_mesh_holds(mesh);
    tl_mesh_destroy(mesh);
}

/* ---- rest shapes ---------------------------------------------------------------------------------------------- */

static void a_texture_seam_welds_while_each_face_keeps_its_own_rest_corners(void **state)
{
    (void)state;
    tl_vec3 positions[6] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const int triangles[6] = {0, 1, 2, 3, 4, 5};
    /* the second triangle lies elsewhere in the pattern, and is one and a half times as large */
    const tl_real uv[12] = {0, 0, 1, 0, 1, 1, 5, 5, (tl_real)6.5, (tl_real)6.5, 5, (tl_real)6.5};
    tl_mesh_def def = mesh_def(positions, 6, triangles, 2);
    def.uv = uv;
    def.rest = TL_REST_UV;
    def.uv_scale = 2;
    tl_mesh *mesh = make(&def);
    assert_int_equal(mesh->particle_count, 4);
    assert_mesh_holds(mesh);
    for (int h = 0; h < 6; ++h)
        assert_true(mesh->rest_u[h] == 2 * uv[2 * h] && mesh->rest_v[h] == 2 * uv[2 * h + 1]);
    assert_true(near((double)mesh->rest_area[0], 2) && near((double)mesh->rest_area[1], 4.5));
    /* the shared edge is as long as the mean of both */
    for (int e = 0; e < mesh->edge_count; ++e)
        if (mesh->edge_d[e] >= 0)
            assert_true(near((double)mesh->edge_length[e], (2 + 3) / 2.0 * sqrt(2.0)));
    tl_mesh_destroy(mesh);
}

static void a_mirrored_texture_gives_positive_areas_and_keeps_the_warp(void **state)
{
    (void)state;
    const tl_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int triangles[3] = {0, 1, 2};
    const tl_real uv[6] = {0, 0, -2, 0, 0, 1};
    tl_mesh_def def = mesh_def(positions, 3, triangles, 1);
    def.uv = uv;
    def.rest = TL_REST_UV;
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    assert_true(near((double)tl_mesh_area(mesh), 1));
    assert_true(mesh->rest_u[1] == -2 && mesh->rest_v[1] == 0 && mesh->rest_u[2] == 0 && mesh->rest_v[2] == -1);
    tl_mesh_destroy(mesh);
}

/* Unit vector along the warp of face f in 3D: the gradient of u. */
static tl_vec3 warp_of(const tl_mesh *mesh, int f)
{
    const int *p = mesh->face + 3 * f;
    const tl_real *v = mesh->rest_v + 3 * f;
    tl_vec3 first = tl_sub(mesh->position[p[1]], mesh->position[p[0]]);
    tl_vec3 second = tl_sub(mesh->position[p[2]], mesh->position[p[0]]);
    tl_real twice = 2 * mesh->rest_area[f];
    return tl_madd(tl_scale(first, (v[2] - v[0]) / twice), second, -(v[1] - v[0]) / twice);
}

static void shapes_without_texture_have_their_warp_along_one_axis(void **state)
{
    (void)state;
    /* a tube around y: only the axis along the tube lies in every face */
    enum { AROUND = 12 };
    tl_vec3 positions[2 * AROUND];
    int triangles[6 * AROUND], n = 0;
    for (int k = 0; k < AROUND; ++k) {
        double angle = 2 * TL_PI * k / AROUND;
        positions[2 * k] = (tl_vec3){(tl_real)cos(angle), 0, (tl_real)sin(angle)};
        positions[2 * k + 1] = (tl_vec3){(tl_real)cos(angle), 3, (tl_real)sin(angle)};
        int a = 2 * k, b = (2 * k + 2) % (2 * AROUND);
        const int cell[6] = {a, a + 1, b + 1, a, b + 1, b};
        for (int i = 0; i < 6; ++i)
            triangles[n++] = cell[i];
    }
    tl_mesh_def def = mesh_def(positions, 2 * AROUND, triangles, 2 * AROUND);
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    assert_unstrained(mesh);
    assert_int_equal(euler_characteristic(mesh), 0);
    for (int f = 0; f < mesh->face_count; ++f) {
        tl_vec3 warp = warp_of(mesh, f);
        assert_true(near((double)warp.x, 0) && near((double)warp.y, 1) && near((double)warp.z, 0));
    }
    tl_mesh_destroy(mesh);
}

static void a_cube_without_texture_falls_back_where_the_axis_is_perpendicular(void **state)
{
    (void)state;
    tl_vec3 positions[24];
    tl_real uv[48];
    int triangles[36];
    cube_with_24_vertices(positions, uv, triangles);
    tl_mesh_def def = mesh_def(positions, 24, triangles, 12);
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    assert_unstrained(mesh);
    for (int f = 0; f < 12; ++f) {
        tl_vec3 warp = warp_of(mesh, f);
        bool side_of_x = f / 4 == 0;
        assert_true(near((double)warp.x, side_of_x ? 0 : 1) && near((double)warp.y, side_of_x ? 1 : 0));
    }
    tl_mesh_destroy(mesh);
}

static void warp_follows_the_texture_where_there_is_one(void **state)
{
    (void)state;
    /* texture u runs along +z of a sheet in y–z, mirrored in the second case; lengths stay those of the shape */
    const tl_vec3 positions[4] = {{0, 0, 0}, {0, 2, 0}, {0, 2, 1}, {0, 0, 1}};
    const int triangles[6] = {0, 1, 2, 0, 2, 3};
    const tl_real plain[8] = {0, 1, 0, 0, 1, 0, 1, 1}, mirrored[8] = {0, 0, 0, 1, 1, 1, 1, 0};
    for (int i = 0; i < 2; ++i) {
        tl_mesh_def def = mesh_def(positions, 4, triangles, 2);
        def.uv = i ? mirrored : plain;
        tl_mesh *mesh = make(&def);
        assert_mesh_holds(mesh);
        assert_unstrained(mesh);
        for (int f = 0; f < 2; ++f)
            assert_true(near((double)warp_of(mesh, f).z, 1));
        tl_mesh_destroy(mesh);
    }
}

static void a_texture_without_area_does_not_matter_for_shapes(void **state)
{
    (void)state;
    const tl_vec3 positions[3] = {{0, 0, 0}, {0, 1, 0}, {-1, 0, 0}};
    const int triangles[3] = {0, 1, 2};
    const tl_real uv[6] = {0};
    tl_mesh_def def = mesh_def(positions, 3, triangles, 1);
    def.uv = uv;
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    assert_true(near((double)warp_of(mesh, 0).x, 1));
    tl_mesh_destroy(mesh);
}

static void particles_that_are_named_are_taken_as_they_are(void **state)
{
    (void)state;
    /* two squares a metre apart, sewn along a side; the rest shape is the flat pattern */
    const tl_vec3 positions[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {2, 0, 0}, {3, 0, 0}, {3, 1, 0}, {2, 1, 0}};
    const tl_real uv[16] = {0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1};
    const int triangles[12] = {0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
    int particles[8] = {5, 4, 3, 2, 4, 1, 0, 3};
    tl_mesh_def def = mesh_def(positions, 8, triangles, 4);
    def.uv = uv;
    def.rest = TL_REST_UV;
    def.particle_of_vertex = particles;
    tl_mesh *mesh = make(&def);
    assert_int_equal(tl_mesh_particle_count(mesh), 6);
    assert_memory_equal(tl_mesh_particle_of_vertex(mesh), particles, sizeof particles);
    assert_int_equal(tl_mesh_edge_count(mesh), 9);
    assert_true(near((double)tl_mesh_area(mesh), 2));
    assert_true(near((double)mesh->position[4].x, 1)); /* of its first vertex */
    tl_mesh_destroy(mesh);

    tl_error error;
    particles[0] = 6; /* 5 is then nobody */
    assert_null(tl_mesh_create(&def, NULL, &error));
    assert_non_null(strstr(error.message, "6 particles"));
    particles[0] = -1;
    assert_null(tl_mesh_create(&def, NULL, &error));
    assert_non_null(strstr(error.message, "vertex 0"));
    particles[0] = 4; /* an edge of the first face is one particle */
    assert_null(tl_mesh_create(&def, NULL, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_with_24_vertices_welds_to_8_particles),
        cmocka_unit_test(vertices_weld_up_to_the_distance_and_no_further),
        cmocka_unit_test(minus_zero_and_zero_are_one_place),
        cmocka_unit_test(welding_agrees_with_brute_force),
        cmocka_unit_test(particles_that_are_named_are_taken_as_they_are),
        cmocka_unit_test(a_fine_line_does_not_collapse_by_chaining),
        cmocka_unit_test(a_texture_seam_welds_while_each_face_keeps_its_own_rest_corners),
        cmocka_unit_test(a_mirrored_texture_gives_positive_areas_and_keeps_the_warp),
        cmocka_unit_test(shapes_without_texture_have_their_warp_along_one_axis),
        cmocka_unit_test(a_cube_without_texture_falls_back_where_the_axis_is_perpendicular),
        cmocka_unit_test(warp_follows_the_texture_where_there_is_one),
        cmocka_unit_test(a_texture_without_area_does_not_matter_for_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
