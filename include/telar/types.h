/* Basic types shared by every public header: numbers, vectors, results, allocator. SI units throughout. */
#ifndef TELAR_TYPES_H
#define TELAR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number type of positions, velocities and forces. Single precision unless the library was built with
   TL_REAL=double; the installed CMake package and pkg-config file carry the matching definition. */
#ifdef TL_REAL_DOUBLE
typedef double tl_real;
#else
typedef float tl_real;
#endif

typedef struct tl_vec3 {
    tl_real x, y, z;
} tl_vec3;

/* Unit quaternion, w is the real part. */
typedef struct tl_quat {
    tl_real x, y, z, w;
} tl_quat;

typedef enum tl_result {
    TL_OK = 0,
    TL_ERROR_INPUT = 1,  /* an invalid value, name or mesh; the message names it */
    TL_ERROR_MEMORY = 2, /* the allocator returned NULL; the object is unchanged */
    TL_ERROR_FILE = 3,   /* a file could not be opened, read or written */
    TL_ERROR_UNSUPPORTED =
        4,                /* a combination that is physically impossible or not in this build; the message says why */
    TL_ERROR_UNSTABLE = 5 /* a step produced a non-finite or runaway state and was rejected */
} tl_result;

/* Capacity of tl_error.message, bytes including the closing zero. */
#define TL_ERROR_LENGTH 512

/* Filled on failure by calls that have no world to keep the message. Every `tl_error *` argument may be NULL. */
typedef struct tl_error {
    tl_result code;
    char message[TL_ERROR_LENGTH];
} tl_error;

/* Source of all memory the library keeps. `allocate` returns memory aligned to at least `alignment` (a power of two, at
   most 64) or NULL; `release` takes what `allocate` returned. A zeroed struct means the C library's heap. Called from
   one thread at a time per world or mesh. */
typedef struct tl_allocator {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory);
    void *user;
} tl_allocator;

#ifdef __cplusplus
}
#endif

#endif
