#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *heap_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    /* aligned_alloc wants a multiple of the alignment */
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void heap_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

tl_allocator tl_allocator_or_default(const tl_allocator *allocator)
{
    if (allocator && allocator->allocate && allocator->release)
        return *allocator;
    return (tl_allocator){.allocate = heap_allocate, .release = heap_release};
}

void *tl_allocate(const tl_allocator *allocator, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - TL_ALIGNMENT) / size)
        return NULL;
    size_t bytes = count * size;
    if (bytes == 0)
        bytes = TL_ALIGNMENT;
    void *memory = allocator->allocate(allocator->user, bytes, TL_ALIGNMENT);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

void tl_release(const tl_allocator *allocator, void *memory)
{
    if (memory)
        allocator->release(allocator->user, memory);
}

bool tl_grow(const tl_allocator *allocator, void *field, int count, int *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    int larger = *capacity ? 2 * *capacity : 8;
    void *grown = tl_allocate(allocator, (size_t)larger, size), *array;
    if (!grown)
        return false;
    memcpy(&array, field, sizeof array); /* of any pointer type */
    if (array)
        memcpy(grown, array, (size_t)count * size);
    tl_release(allocator, array);
    memcpy(field, &grown, sizeof grown);
    *capacity = larger;
    return true;
}

tl_result tl_fail(tl_error *error, tl_result code, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        error->code = code;
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return code;
}
