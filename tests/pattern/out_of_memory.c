/* Every allocation of a pattern, its mesh and its cloth fails once: the call fails with a message and nothing leaks. */
#include "pattern_testing.h"

#include "failing_allocator.h"

static bool make_all(const tl_allocator *allocator, tl_error *error)
{
    tube t;
    make_tube(&t);
    tl_pattern *pattern = tl_pattern_create(&t.def, allocator, error);
    tl_panel_mesh *mesh = pattern ? tl_pattern_mesh(pattern, &(tl_panel_mesh_def){(tl_real)0.05, NULL}, error) : NULL;
    tl_mesh *cloth = mesh ? tl_panel_mesh_cloth(mesh, NULL, true, allocator, error) : NULL;
    tl_mesh *open = cloth ? tl_panel_mesh_cloth(mesh, NULL, false, allocator, error) : NULL;
    bool made = open;
    tl_mesh_destroy(open);
    tl_mesh_destroy(cloth);
    tl_panel_mesh_destroy(mesh);
    tl_pattern_destroy(pattern);
    return made;
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    int calls = 1;
    for (int n = 1; n <= calls; ++n) {
        failing f = {.fails_at = n};
        tl_allocator allocator = failing_allocator(&f);
        tl_error error = {TL_OK, ""};
        bool made = make_all(&allocator, &error);
        assert_int_equal(f.alive, 0);
        if (made) {
            assert_true(n > 20); /* all have failed once */
            return;
        }
        assert_int_equal(error.code, TL_ERROR_MEMORY);
        calls = n + 1;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
