/* Memory of a world or mesh: the caller's allocator, and arrays aligned for vector loads. */
#ifndef TL_CORE_MEMORY_H
#define TL_CORE_MEMORY_H

#include "telar/types.h"

enum {
    TL_ALIGNMENT = 64, /* bytes; a cache line, and the widest vector */
    TL_LANES = 8       /* particles are padded to a multiple of this, whatever the vector width in use */
};

/* A copy of the user's allocator with the C heap filled in where it was zero. */
tl_allocator tl_allocator_or_default(const tl_allocator *allocator);

/* Zeroed memory for `count` items of `size` bytes; NULL when there is none or the product overflows. A count of 0
   returns memory too, so that NULL always means failure. */
void *tl_allocate(const tl_allocator *allocator, size_t count, size_t size);
void tl_release(const tl_allocator *allocator, void *memory);

/* Makes room for one more after `count` items of `size` bytes: *field, a pointer to the array, is reallocated to twice
   the capacity when full. False when memory is short; the array is then unchanged. */
bool tl_grow(const tl_allocator *allocator, void *field, int count, int *capacity, size_t size);

/* count rounded up to whole vectors, plus one vector of slack so that a load may start at any particle. */
static inline int tl_padded(int count) { return (count + TL_LANES - 1) / TL_LANES * TL_LANES + TL_LANES; }

/* Fills `error` when it is not NULL and returns `code`, so that failures read `return tl_fail(error, …)`. */
tl_result tl_fail(tl_error *error, tl_result code, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#endif
