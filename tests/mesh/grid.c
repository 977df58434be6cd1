/* Grids: shape, winding, diagonals, rest coordinates, the order of particles, and rejected sizes. */
#include "mesh_testing.h"

#include "mesh/order.h"

static void a_grid_is_a_disc_of_the_right_area_for_every_size(void **state)
{
    (void)state;
    for (int columns = 2; columns <= 9; ++columns)
        for (int rows = 2; rows <= 6; ++rows)
            for (int alternating = 0; alternating < 2; ++alternating) {
                tl_mesh *mesh = make_grid(columns, rows, (tl_real)1.5, (tl_real)0.7, alternating);
                assert_int_equal(tl_mesh_vertex_count(mesh), columns * rows);
                assert_int_equal(tl_mesh_particle_count(mesh), columns * rows);
                assert_int_equal(tl_mesh_triangle_count(mesh), 2 * (columns - 1) * (rows - 1));
                assert_int_equal(tl_mesh_edge_count(mesh),
                                 (columns - 1) * rows + columns * (rows - 1) + (columns - 1) * (rows - 1));
                assert_int_equal(euler_characteristic(mesh), 1);
                assert_true(fabs((double)tl_mesh_area(mesh) - 1.05) < 1e-6);
                assert_mesh_holds(mesh);
                assert_unstrained(mesh);
                tl_mesh_destroy(mesh);
            }
}

static void grid_vertices_run_along_x_from_the_top_row(void **state)
{
    (void)state;
    tl_mesh *mesh = make_grid(5, 3, 4, 2, false);
    const tl_vec3 *x = tl_mesh_vertices(mesh);
    const tl_real *uv = tl_mesh_uv(mesh);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 5; ++c) {
            int v = 5 * r + c;
            assert_true(x[v].x == (tl_real)(c - 2) && x[v].y == (tl_real)(1 - r) && x[v].z == 0);
            assert_true(uv[2 * v] == (tl_real)c / 4 && uv[2 * v + 1] == 1 - (tl_real)r / 2);
            int p = tl_mesh_particle_of_vertex(mesh)[v];
            assert_int_equal(p, mesh->lattice[v]);
            assert_true(mesh->position[p].x == x[v].x && mesh->position[p].y == x[v].y);
        }
    assert_int_equal(mesh->columns, 5);
    assert_int_equal(mesh->rows, 3);
    tl_mesh_destroy(mesh);
}

static void grid_faces_are_counter_clockwise_and_at_rest_in_x_and_y(void **state)
{
    (void)state;
    tl_mesh *mesh = make_grid(6, 5, 3, 2, true);
    for (int f = 0; f < mesh->face_count; ++f) {
        tl_vec3 x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = mesh->vertex[mesh->triangle[3 * f + k]];
            assert_true(mesh->rest_u[3 * f + k] == x[k].x && mesh->rest_v[3 * f + k] == x[k].y);
        }
        assert_true(tl_cross(tl_sub(x[1], x[0]), tl_sub(x[2], x[0])).z > 0);
    }
    tl_mesh_destroy(mesh);
}

/* Whether the diagonal of the cell at column c, row r rises to the right. */
static bool rises(const tl_mesh *mesh, int c, int r)
{
    int low_left = mesh->lattice[(r + 1) * mesh->columns + c], top_right = mesh->lattice[r * mesh->columns + c + 1];
    for (int e = 0; e < mesh->edge_count; ++e)
        if ((mesh->edge_a[e] == low_left && mesh->edge_b[e] == top_right) ||
            (mesh->edge_a[e] == top_right && mesh->edge_b[e] == low_left))
            return true;
    return false;
}

static void diagonals_alternate_like_a_checkerboard_only_when_asked(void **state)
{
    (void)state;
    tl_mesh *plain = make_grid(6, 5, 1, 1, false), *alternating = make_grid(6, 5, 1, 1, true);
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 5; ++c) {
            assert_int_equal(rises(plain, c, r), rises(plain, 0, 0));
            assert_int_equal(rises(alternating, c, r), rises(alternating, 0, 0) != ((r + c) % 2 == 1));
        }
    tl_mesh_destroy(plain);
    tl_mesh_destroy(alternating);
}

static void grid_order_is_a_permutation_row_by_row(void **state)
{
    (void)state;
    for (int columns = 2; columns <= 23; ++columns) {
        enum { ROWS = 3 };
        int lattice[23 * ROWS], seen[23 * ROWS] = {0};
        tl_order_grid(columns, ROWS, lattice);
        for (int r = 0; r < ROWS; ++r)
            for (int c = 0; c < columns; ++c) {
                int p = lattice[r * columns + c];
                assert_in_range(p, r * columns, r * columns + columns - 1);
                assert_int_equal(seen[p]++, 0);
            }
    }
}

static void links_one_or_two_columns_apart_form_runs_without_conflict(void **state)
{
    (void)state;
    for (int columns = 4; columns <= 23; ++columns) {
        int lattice[23 * 2];
        tl_order_grid(columns, 2, lattice);
        for (int reach = 1; reach <= 2; ++reach)
            for (int first = 0; first < TL_COLUMN_CLASSES; ++first) {
                int touched[23 * 2] = {0};
                for (int c = first; c + reach < columns; c += TL_COLUMN_CLASSES) {
                    int k = (c - first) / TL_COLUMN_CLASSES;
                    assert_int_equal(lattice[c], lattice[first] + k);
                    assert_int_equal(lattice[c + reach], lattice[first + reach] + k);
                    assert_int_equal(touched[lattice[c]]++, 0);
                    assert_int_equal(touched[lattice[c + reach]]++, 0);
                }
            }
        /* down a column the same holds over the whole row: every particle is exactly one row further */
        for (int c = 0; c < columns; ++c)
            assert_int_equal(lattice[columns + c], lattice[c] + columns);
    }
}

static void assert_grid_refused(tl_grid_def def, const char *message)
{
    counter c = {.fail_at = -1};
    tl_allocator allocator = counting_allocator(&c);
    tl_error error = {TL_OK, ""};
    assert_null(tl_mesh_create_grid(&def, &allocator, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, TL_ERROR_INPUT);
    assert_int_equal(c.live, 0);
    assert_null(tl_mesh_create_grid(&def, NULL, NULL));
}

static void impossible_grids_are_refused_by_name(void **state)
{
    (void)state;
    assert_grid_refused((tl_grid_def){1, 5, 1, 1, false}, "grid: columns 1 is below 2");
    assert_grid_refused((tl_grid_def){5, -3, 1, 1, false}, "grid: rows -3 is below 2");
    assert_grid_refused((tl_grid_def){5, 5, 0, 1, false}, "grid: width 0 m is not above 0");
    assert_grid_refused((tl_grid_def){5, 5, 1, -2, false}, "grid: height -2 m is not above 0");
    assert_grid_refused((tl_grid_def){5, 5, (tl_real)NAN, 1, false}, "grid: width is not a finite number");
    assert_grid_refused((tl_grid_def){5, 5, 1, (tl_real)INFINITY, false}, "grid: height is not a finite number");
    assert_grid_refused((tl_grid_def){4001, 4001, 1, 1, false},
                        "grid: 4001 × 4001 = 16008001 particles, more than 16000000");
    assert_grid_refused((tl_grid_def){2000000000, 2000000000, 1, 1, false},
                        "grid: 2000000000 × 2000000000 = 4000000000000000000 particles, more than 16000000");
    assert_grid_refused((tl_grid_def){3, 3, (tl_real)1e-9, 1, false},
                        "grid: cells of 5e-10 × 0.5 m have no area to compute with");
    tl_error error = {TL_OK, ""};
    assert_null(tl_mesh_create_grid(NULL, NULL, &error));
    assert_string_equal(error.message, "grid: no definition given");
#ifndef TL_REAL_DOUBLE
    assert_grid_refused((tl_grid_def){2, 2, 1e-25f, 1e-25f, false},
                        "grid: cells of 1e-25 × 1e-25 m have no area to compute with");
    assert_grid_refused((tl_grid_def){2, 2, 1e30f, 1e30f, false},
                        "grid: cells of 1e+30 × 1e+30 m are too large to compute with");
#endif
}

static void destroying_no_mesh_does_nothing(void **state)
{
    (void)state;
    tl_mesh_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_is_a_disc_of_the_right_area_for_every_size),
        cmocka_unit_test(grid_vertices_run_along_x_from_the_top_row),
        cmocka_unit_test(grid_faces_are_counter_clockwise_and_at_rest_in_x_and_y),
        cmocka_unit_test(diagonals_alternate_like_a_checkerboard_only_when_asked),
        cmocka_unit_test(grid_order_is_a_permutation_row_by_row),
        cmocka_unit_test(links_one_or_two_columns_apart_form_runs_without_conflict),
        cmocka_unit_test(impossible_grids_are_refused_by_name),
        cmocka_unit_test(destroying_no_mesh_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
