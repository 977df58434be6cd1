/* Memory: every allocation fails once without leaks; the bytes reported are those allocated. */
#include "mesh_testing.h"

typedef tl_mesh *(*maker)(const tl_allocator *, tl_error *);

static tl_mesh *a_grid(const tl_allocator *allocator, tl_error *error)
{
    tl_grid_def def = {.columns = 5, .rows = 4, .width = 1, .height = 1, .alternating = true};
    return tl_mesh_create_grid(&def, allocator, error);
}

static tl_mesh *a_cube(const tl_allocator *allocator, tl_error *error)
{
    tl_vec3 positions[24];
    tl_real uv[48];
    int triangles[36];
    cube_with_24_vertices(positions, uv, triangles);
    tl_mesh_def def = mesh_def(positions, 24, triangles, 12);
    def.uv = uv;
    return tl_mesh_create(&def, allocator, error);
}

/* Every kind of repair at once: a face to flip, one without area, a duplicate, an isolated vertex. */
static tl_mesh *a_repaired_mesh(const tl_allocator *allocator, tl_error *error)
{
    const tl_vec3 positions[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {9, 9, 9}};
    const int triangles[12] = {0, 1, 2, 0, 3, 2, 1, 1, 2, 2, 0, 1};
    tl_mesh_def def = mesh_def(positions, 5, triangles, 4);
    def.repair = true;
    def.weld_distance = (tl_real)0.1;
    return tl_mesh_create(&def, allocator, error);
}

static const maker makers[] = {a_grid, a_cube, a_repaired_mesh};

static void any_allocation_may_fail_without_a_leak(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(makers); ++m) {
        tl_mesh *mesh = NULL;
        for (int n = 0; !mesh; ++n) {
            assert_true(n < 1000);
            counter c = {.fail_at = n};
            tl_allocator allocator = counting_allocator(&c);
            tl_error error = {TL_OK, ""};
            mesh = makers[m](&allocator, &error);
            if (mesh) {
                /* the first n without a failure: all of them have failed once */
                assert_int_equal(c.calls, n);
                assert_true(n > 10);
                assert_int_equal(error.code, TL_OK);
                tl_mesh_destroy(mesh);
            } else {
                assert_int_equal(error.code, TL_ERROR_MEMORY);
                assert_string_equal(error.message, "mesh: out of memory");
            }
            assert_int_equal(c.live, 0);
        }
    }
}

static void bytes_reported_are_the_bytes_held(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(makers); ++m) {
        counter c = {.fail_at = -1};
        tl_allocator allocator = counting_allocator(&c);
        tl_mesh *mesh = makers[m](&allocator, NULL);
        assert_non_null(mesh);
        assert_int_equal(tl_mesh_bytes(mesh), c.bytes);
        tl_mesh_destroy(mesh);
        assert_int_equal(c.live, 0);
        assert_int_equal(c.bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_may_fail_without_a_leak),
        cmocka_unit_test(bytes_reported_are_the_bytes_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
