/* Invalid meshes: the message names the vertex, face or edge. With repair, what is dropped or flipped. */
#include "mesh_testing.h"

static const tl_vec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
static const int square_faces[6] = {0, 1, 2, 0, 2, 3};

static void a_coordinate_that_is_no_number_is_named(void **state)
{
    (void)state;
    tl_vec3 positions[14];
    int triangles[6] = {0, 1, 2, 11, 12, 13};
    for (int v = 0; v < 14; ++v)
        positions[v] = (tl_vec3){(tl_real)(v % 3), (tl_real)(v * v), 0};
    tl_mesh_def def = mesh_def(positions, 14, triangles, 2);
    positions[12].x = (tl_real)NAN;
    assert_refused(&def, "vertex 12: x is not a finite number");
    positions[12].x = 0;
    positions[3].y = (tl_real)INFINITY;
    assert_refused(&def, "vertex 3: y is not a finite number");
    positions[3].y = 0;
    positions[0].z = -(tl_real)INFINITY;
    def.repair = true; /* cannot be repaired */
    assert_refused(&def, "vertex 0: z is not a finite number");

    tl_real uv[8] = {0, 0, 1, 0, 1, 1, 0, (tl_real)NAN};
    def = mesh_def(square, 4, square_faces, 2);
    def.uv = uv;
    assert_refused(&def, "vertex 3: v is not a finite number");
    uv[4] = (tl_real)NAN;
    assert_refused(&def, "vertex 2: u is not a finite number");
}

static void an_index_out_of_range_is_named(void **state)
{
    (void)state;
    int triangles[9] = {0, 1, 2, 0, 2, 3, 1, 99, 2};
    tl_mesh_def def = mesh_def(square, 4, triangles, 3);
    assert_refused(&def, "face 2: vertex 99 of 4");
    triangles[7] = -1;
    assert_refused(&def, "face 2: vertex -1 of 4");
    triangles[7] = 4;
    assert_refused(&def, "face 2: vertex 4 of 4");
}

static void empty_and_absurd_meshes_are_refused(void **state)
{
    (void)state;
    tl_mesh_def def = mesh_def(square, 0, square_faces, 2);
    assert_refused(&def, "mesh: it has no vertices");
    def = mesh_def(NULL, 4, square_faces, 2);
    assert_refused(&def, "mesh: it has no vertices");
    def = mesh_def(square, 4, square_faces, 0);
    assert_refused(&def, "mesh: it has no faces");
    def = mesh_def(square, 4, NULL, 2);
    assert_refused(&def, "mesh: it has no faces");
    def = mesh_def(square, -5, square_faces, 2);
    assert_refused(&def, "mesh: it has no vertices");
    /* rejected by its count, before anything is read */
    def = mesh_def(square, INT32_MAX, square_faces, 2);
    assert_refused(&def, "mesh: 2147483647 vertices, more than 64000000");
    def = mesh_def(square, 4, square_faces, 100000000);
    assert_refused(&def, "mesh: 100000000 faces, more than 64000000");
    assert_refused(NULL, "mesh: no definition given");
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    tl_mesh_def def = mesh_def(square, 4, square_faces, 2);
    def.rest = TL_REST_UV;
    assert_refused(&def, "mesh: its rest shape is to come from texture coordinates, but it has none");
    def = mesh_def(square, 4, square_faces, 2);
    def.uv_scale = -1;
    assert_refused(&def, "mesh: uv scale -1 m is not a positive number");
    def = mesh_def(square, 4, square_faces, 2);
    def.weld_distance = -1;
    assert_refused(&def, "mesh: weld distance -1 m is not 0 or a positive number");
    def.weld_distance = (tl_real)INFINITY;
    assert_refused(&def, "mesh: weld distance inf m is not 0 or a positive number");
    def = mesh_def(square, 4, square_faces, 2);
    def.rest = (tl_rest_source)7;
    assert_refused(&def, "mesh: rest source 7 is unknown");
}

static void a_face_without_area_is_named(void **state)
{
    (void)state;
    const tl_vec3 positions[6] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {1, 0, 0}};
    int triangles[9] = {0, 1, 2, 0, 2, 3, 0, 1, 4};
    tl_mesh_def def = mesh_def(positions, 6, triangles, 3);
    assert_refused(&def, "face 2 (vertices 0, 1, 4) has no area");
    triangles[8] = 1;
    assert_refused(&def, "face 2 (vertices 0, 1, 1) has no area: a vertex is repeated");
    triangles[8] = 5;
    assert_refused(&def, "face 2 (vertices 0, 1, 5) has no area: two of them are welded into one");

    /* a sliver thinner than rounding error */
    tl_vec3 sliver[3] = {{0, 0, 0}, {1, 0, 0}, {(tl_real)0.5, (tl_real)1e-8, 0}};
    def = mesh_def(sliver, 3, square_faces, 1);
    assert_refused(&def, "face 0 (vertices 0, 1, 2) has no area");
    /* small, but a proper triangle */
    const tl_real tiny = (tl_real)1e-8;
    tl_vec3 small[3] = {{0, 0, 0}, {tiny, 0, 0}, {0, tiny, 0}};
    def = mesh_def(small, 3, square_faces, 1);
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    tl_mesh_destroy(mesh);

    const tl_real uv[8] = {0, 0, 1, 0, 1, 1, 2, 2};
    def = mesh_def(square, 4, square_faces, 2);
    def.uv = uv;
    def.rest = TL_REST_UV;
    assert_refused(&def, "face 1 (vertices 0, 2, 3) has no area in texture coordinates");
}

static void a_face_too_large_to_compute_with_is_named(void **state)
{
    (void)state;
#ifdef TL_REAL_DOUBLE
    const tl_real huge = 1e200;
#else
    const tl_real huge = 1e25f;
#endif
    const tl_vec3 positions[3] = {{0, 0, 0}, {huge, 0, 0}, {0, huge, 0}};
    tl_mesh_def def = mesh_def(positions, 3, square_faces, 1);
    assert_refused(&def, "face 0 (vertices 0, 1, 2) is too large to compute with");
    def.repair = true;
    assert_refused(&def, "face 0 (vertices 0, 1, 2) is too large to compute with");
}

static void an_edge_of_three_faces_is_named_with_all_of_them(void **state)
{
    (void)state;
    /* ten vertices; faces 1, 5 and 8 meet at edge 4–9 */
    tl_vec3 positions[10];
    for (int v = 0; v < 10; ++v)
        positions[v] = (tl_vec3){(tl_real)v, (tl_real)(v * v), (tl_real)(v * v * v)};
    const int triangles[27] = {0, 1, 2, 4, 9, 0, 1, 2, 3, 2, 3, 5, 5, 6, 7, 9, 4, 1, 0, 2, 7, 6, 7, 8, 4, 9, 2};
    tl_mesh_def def = mesh_def(positions, 10, triangles, 9);
    assert_refused(&def, "edge 4–9 belongs to 3 faces: 1, 5, 8");
    def.repair = true;
    assert_refused(&def, "edge 4–9 belongs to 3 faces: 1, 5, 8");
}

static void a_crowded_edge_lists_the_first_faces_only(void **state)
{
    (void)state;
    enum { FANS = 20 };
    tl_vec3 positions[FANS + 2] = {{0, 0, -1}, {0, 0, 1}};
    int triangles[3 * FANS];
    for (int f = 0; f < FANS; ++f) {
        positions[f + 2] = (tl_vec3){(tl_real)cos(0.3 * f), (tl_real)sin(0.3 * f), 0};
        triangles[3 * f] = 0, triangles[3 * f + 1] = 1, triangles[3 * f + 2] = f + 2;
    }
    tl_mesh_def def = mesh_def(positions, FANS + 2, triangles, FANS);
    assert_refused(&def, "edge 0–1 belongs to 20 faces: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …");
}

static void an_isolated_vertex_is_named_or_dropped(void **state)
{
    (void)state;
    const tl_vec3 positions[6] = {{0, 0, 0}, {5, 5, 5}, {1, 0, 0}, {1, 1, 0}, {1, 1, 0}, {7, 7, 7}};
    const int triangles[3] = {0, 2, 3};
    tl_mesh_def def = mesh_def(positions, 6, triangles, 1);
    assert_refused(&def, "vertex 1 belongs to no face");
    def.repair = true;
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    assert_int_equal(mesh->particle_count, 3);
    assert_int_equal(mesh->vertex_count, 6);
    assert_int_equal(mesh->particle_of_vertex[1], -1);
    assert_int_equal(mesh->particle_of_vertex[5], -1);
    /* vertex 4 is in no face, but welded to one that is */
    assert_int_equal(mesh->particle_of_vertex[4], mesh->particle_of_vertex[3]);
    tl_mesh_destroy(mesh);
}

static void a_repeated_face_is_named_or_dropped(void **state)
{
    (void)state;
    /* face 2 is face 0 from another corner, face 3 is face 1 from behind */
    const int triangles[12] = {0, 1, 2, 0, 2, 3, 1, 2, 0, 0, 3, 2};
    tl_mesh_def def = mesh_def(square, 4, triangles, 3);
    assert_refused(&def, "face 2 (vertices 1, 2, 0) repeats face 0");
    def.triangle_count = 4;
    def.repair = true;
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    assert_int_equal(mesh->face_count, 2);
    assert_memory_equal(mesh->triangle, square_faces, sizeof square_faces);
    tl_mesh_destroy(mesh);
}

static void repair_drops_faces_without_area_and_keeps_the_rest_in_order(void **state)
{
    (void)state;
    const tl_vec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}};
    const int triangles[15] = {3, 3, 0, 0, 1, 2, 0, 1, 4, 0, 2, 3, 1, 2, 2};
    tl_mesh_def def = mesh_def(positions, 5, triangles, 5);
    def.repair = true;
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    assert_int_equal(mesh->triangle_count, 2);
    assert_memory_equal(mesh->triangle, square_faces, sizeof square_faces);
    assert_int_equal(mesh->particle_of_vertex[4], -1);
    assert_int_equal(mesh->particle_count, 4);
    tl_mesh_destroy(mesh);

    def.triangle_count = 1;
    assert_refused(&def, "mesh: no faces are left after repair, none of 1 has an area");
}

static void messages_count_faces_as_the_file_does_after_some_were_dropped(void **state)
{
    (void)state;
    tl_vec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    const int triangles[12] = {0, 0, 1, 0, 1, 2, 1, 0, 3, 0, 1, 4};
    tl_mesh_def def = mesh_def(positions, 5, triangles, 4);
    def.repair = true;
    assert_refused(&def, "edge 0–1 belongs to 3 faces: 1, 2, 3");
}

/* ---- winding -------------------------------------------------------------------------------------------------- */

static void faces_that_disagree_about_the_front_are_named(void **state)
{
    (void)state;
    const int triangles[6] = {0, 1, 2, 0, 3, 2};
    tl_mesh_def def = mesh_def(square, 4, triangles, 2);
    assert_refused(&def, "edge 0–2: faces 0 and 1 run along it in the same direction; flip one, or set repair");
}

static void repair_turns_the_fewer_faces_of_each_part(void **state)
{
    (void)state;
    /* two separate grids: in the first a third of the faces is flipped, in the second most are */
    enum { SIDE = 6, VERTICES = SIDE * SIDE, FACES = 2 * (SIDE - 1) * (SIDE - 1) };
    tl_mesh *grid = make_grid(SIDE, SIDE, 1, 1, true);
    tl_vec3 positions[2 * VERTICES];
    int right[2 * 3 * FACES], triangles[2 * 3 * FACES];
    for (int part = 0; part < 2; ++part) {
        for (int v = 0; v < VERTICES; ++v)
            positions[part * VERTICES + v] = tl_add(grid->vertex[v], tl_v3(0, 0, (tl_real)part));
        for (int f = 0; f < FACES; ++f) {
            bool wrong = part == 0 ? f % 3 == 0 : f % 4 != 1;
            for (int k = 0; k < 3; ++k)
                right[3 * (part * FACES + f) + k] = part * VERTICES + grid->triangle[3 * f + k];
            const int *from = right + 3 * (part * FACES + f);
            int *to = triangles + 3 * (part * FACES + f);
            /* the second component is mostly flipped, so repair must choose the flipped side */
            to[0] = from[0], to[1] = from[wrong ? 2 : 1], to[2] = from[wrong ? 1 : 2];
        }
    }
    tl_mesh_destroy(grid);
    tl_mesh_def def = mesh_def(positions, 2 * VERTICES, triangles, 2 * FACES);
    def.repair = true;
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    assert_int_equal(euler_characteristic(mesh), 2);
    for (int f = 0; f < 2 * FACES; ++f) {
        const int *p = mesh->face + 3 * f;
        tl_vec3 first = tl_sub(mesh->position[p[1]], mesh->position[p[0]]);
        tl_vec3 second = tl_sub(mesh->position[p[2]], mesh->position[p[0]]);
        assert_int_equal(tl_cross(first, second).z > 0, f < FACES);
    }
    tl_mesh_destroy(mesh);
}

static void a_moebius_strip_is_refused_even_with_repair(void **state)
{
    (void)state;
    enum { STEPS = 12 };
    tl_vec3 positions[2 * STEPS];
    int triangles[6 * STEPS], n = 0;
    for (int k = 0; k < STEPS; ++k) {
        double around = 2 * TL_PI * k / STEPS, twist = around / 2;
        for (int side = 0; side < 2; ++side) {
            double r = 2 + (side ? 0.5 : -0.5) * cos(twist);
            positions[2 * k + side] = (tl_vec3){(tl_real)(r * cos(around)), (tl_real)(r * sin(around)),
                                                (tl_real)((side ? 0.5 : -0.5) * sin(twist))};
        }
        /* half a twist: the last pair joins the first one crosswise */
        bool last = k == STEPS - 1;
        int a = 2 * k, b = 2 * k + 1, c = last ? 1 : a + 2, d = last ? 0 : b + 2;
        const int cell[6] = {a, b, d, a, d, c};
        for (int i = 0; i < 6; ++i)
            triangles[n++] = cell[i];
    }
    tl_mesh_def def = mesh_def(positions, 2 * STEPS, triangles, 2 * STEPS);
    tl_error error = {TL_OK, ""};
    assert_null(tl_mesh_create(&def, NULL, &error));
    assert_non_null(strstr(error.message, "run along it in the same direction"));
    def.repair = true;
    counter c = {.fail_at = -1};
    tl_allocator allocator = counting_allocator(&c);
    assert_null(tl_mesh_create(&def, &allocator, &error));
    assert_int_equal(error.code, TL_ERROR_INPUT);
    assert_non_null(strstr(error.message, "the surface has only one side"));
    assert_memory_equal(error.message, "edge ", 5);
    assert_int_equal(c.live, 0);
}

/* ---- random meshes --------------------------------------------------------------------------------------------- */

static void random_triangles_are_refused_with_a_reason_or_hold(void **state)
{
    (void)state;
    uint32_t seed = 11;
    int made = 0, refused = 0;
    for (int round = 0; round < 20000; ++round) {
        tl_vec3 positions[9];
        tl_real uv[18];
        int triangles[24];
        for (int i = 0; i < 24; ++i) {
            seed = seed * 1664525u + 1013904223u;
            int vertex_count = 4 + round % 6;
            triangles[i] = (int)((seed >> 8) % (uint32_t)vertex_count);
            /* few positions, so that vertices weld, faces degenerate, and textures fold over */
            if (i < 9)
                positions[i] =
                    (tl_vec3){(tl_real)(seed >> 12 & 3), (tl_real)(seed >> 16 & 3), (tl_real)(seed >> 20 & 1)};
            if (i < 18)
                uv[i] = (tl_real)(seed >> 24 & 3);
        }
        tl_mesh_def def = mesh_def(positions, 4 + round % 6, triangles, 1 + (int)(seed >> 8) % 8);
        def.uv = round % 2 ? uv : NULL;
        def.rest = round % 4 == 3 ? TL_REST_UV : TL_REST_SHAPE;
        def.weld_distance = round % 5 == 0 ? 1 : 0;
        def.repair = round % 16 != 0;
        counter c = {.fail_at = -1};
        tl_allocator allocator = counting_allocator(&c);
        tl_error error = {TL_OK, ""};
        tl_mesh *mesh = tl_mesh_create(&def, &allocator, &error);
        if (mesh) {
            assert_mesh_holds(mesh);
            if (def.rest == TL_REST_SHAPE)
                assert_unstrained(mesh);
            assert_int_equal(tl_mesh_bytes(mesh), c.bytes);
        } else {
            assert_int_equal(error.code, TL_ERROR_INPUT);
            assert_true(strlen(error.message) > 10);
        }
        made += mesh != NULL;
        refused += mesh == NULL;
        tl_mesh_destroy(mesh);
        assert_int_equal(c.live, 0);
    }
    assert_true(made > 1000 && refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coordinate_that_is_no_number_is_named),
        cmocka_unit_test(an_index_out_of_range_is_named),
        cmocka_unit_test(empty_and_absurd_meshes_are_refused),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(a_face_without_area_is_named),
        cmocka_unit_test(a_face_too_large_to_compute_with_is_named),
        cmocka_unit_test(an_edge_of_three_faces_is_named_with_all_of_them),
        cmocka_unit_test(a_crowded_edge_lists_the_first_faces_only),
        cmocka_unit_test(an_isolated_vertex_is_named_or_dropped),
        cmocka_unit_test(a_repeated_face_is_named_or_dropped),
        cmocka_unit_test(repair_drops_faces_without_area_and_keeps_the_rest_in_order),
        cmocka_unit_test(messages_count_faces_as_the_file_does_after_some_were_dropped),
        cmocka_unit_test(faces_that_disagree_about_the_front_are_named),
        cmocka_unit_test(repair_turns_the_fewer_faces_of_each_part),
        cmocka_unit_test(a_moebius_strip_is_refused_even_with_repair),
        cmocka_unit_test(random_triangles_are_refused_with_a_reason_or_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
