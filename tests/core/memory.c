/* Memory from the host's allocator: cleared, never less than was asked for, kept when it grows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/memory.h"

/* Hands out dirty memory and notes how much. */
static void *dirty(void *user, size_t size, size_t alignment)
{
    void *memory = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory)
        memset(memory, 0xA5, size);
    *(size_t *)user = size;
    return memory;
}

static void give_back(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static void memory_is_cleared(void **state)
{
    (void)state;
    size_t asked = 0;
    tl_allocator allocator = {dirty, give_back, &asked};
    unsigned char *bytes = tl_allocate(&allocator, 100, 3);
    assert_non_null(bytes);
    assert_true(asked >= 300);
    for (int k = 0; k < 300; ++k)
        assert_int_equal(bytes[k], 0);
    tl_release(&allocator, bytes);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    size_t asked = 0;
    tl_allocator allocator = {dirty, give_back, &asked};
    assert_null(tl_allocate(&allocator, SIZE_MAX / 8 + 2, 8)); /* 8 bytes, if it wraps round */
    assert_null(tl_allocate(&allocator, SIZE_MAX, 1));
    assert_null(tl_allocate(&allocator, 1, SIZE_MAX));
    assert_int_equal(asked, 0);
}

static void a_growing_array_keeps_its_entries(void **state)
{
    (void)state;
    tl_allocator allocator = tl_allocator_or_default(NULL);
    int *numbers = NULL, capacity = 0;
    for (int count = 0; count < 100; ++count) {
        assert_true(tl_grow(&allocator, &numbers, count, &capacity, sizeof *numbers));
        assert_true(capacity > count);
        numbers[count] = count + 1;
        for (int k = 0; k <= count; ++k)
            assert_int_equal(numbers[k], k + 1);
    }
    tl_release(&allocator, numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_cleared),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(a_growing_array_keeps_its_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
