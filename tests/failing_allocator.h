/* An allocator whose nth call fails on purpose, from any thread. */
#ifndef TEST_FAILING_ALLOCATOR_H
#define TEST_FAILING_ALLOCATOR_H

#include <stdatomic.h>
#include <stdlib.h>

#include "telar/types.h"

typedef struct failing {
    atomic_int made, alive; /* calls so far; allocations not yet released */
    int fails_at;           /* the first call that fails, from 1; 0: none does */
    int fails_to;           /* the last one; 0: fails_at alone */
} failing;

static inline void *failing_allocate(void *user, size_t size, size_t alignment)
{
    failing *f = user;
    int call = atomic_fetch_add(&f->made, 1) + 1;
    if (f->fails_at > 0 && call >= f->fails_at && call <= (f->fails_to > 0 ? f->fails_to : f->fails_at))
        return NULL;
    atomic_fetch_add(&f->alive, 1);
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void failing_release(void *user, void *memory)
{
    atomic_fetch_sub(&((failing *)user)->alive, 1);
    free(memory);
}

static inline tl_allocator failing_allocator(failing *f)
{
    return (tl_allocator){failing_allocate, failing_release, f};
}

#endif
