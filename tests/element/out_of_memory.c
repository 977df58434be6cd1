/* The nth allocation fails on purpose: building reports it, leaves an empty batch and leaks nothing. */
#include "fixture.h"

typedef struct counter {
    int made, released, fails_at;
} counter;

static void *counted_allocate(void *user, size_t size, size_t alignment)
{
    counter *count = user;
    if (count->fails_at > 0 && count->made + 1 == count->fails_at)
        return NULL;
    ++count->made;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
static void counted_release(void *user, void *memory)
{
    ++((counter *)user)->released;
    free(memory);
}

static void build_survives_every_failing_allocation(void **state)
{
    (void)state;
    tl_mesh *meshes[2] = {make_grid(12, 9), make_irregular(8, false)};
    for (int m = 0; m < 2; ++m)
        for (int kind = 0; kind < TL_ELEMENT_COUNT; ++kind)
            for (int n = 1;; ++n) {
                counter count = {.fails_at = n};
                tl_element_batch batch = {.allocator = {counted_allocate, counted_release, &count}};
                tl_error error = {0};
                tl_result result = tl_element_classes[kind]->build(&batch, meshes[m], &error);
                if (result == TL_OK) {
                    assert_true(n > 3 && batch.bytes > 0);
                    tl_element_classes[kind]->destroy(&batch);
                    tl_element_classes[kind]->destroy(&batch); /* twice is allowed */
                    assert_int_equal(count.made, count.released);
                    break;
                }
                assert_int_equal(result, TL_ERROR_MEMORY);
                assert_int_equal(error.code, TL_ERROR_MEMORY);
                assert_null(batch.data);
                assert_int_equal(batch.count, 0);
                assert_int_equal(count.made, count.released);
            }
    tl_mesh_destroy(meshes[0]);
    tl_mesh_destroy(meshes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(build_survives_every_failing_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
