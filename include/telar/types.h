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
    TL_ERROR_INPUT = 1,       /* a value, name or mesh that cannot be used; the message names it */
    TL_ERROR_MEMORY = 2,      /* the allocator returned NULL; the object is as it was before the call */
    TL_ERROR_FILE = 3,        /* a file could not be opened, read or written */
    TL_ERROR_UNSUPPORTED = 4, /* a combination that physics or this build rules out; the message says why */
    TL_ERROR_UNSTABLE = 5     /* a step produced a non-finite or runaway state and was rejected */
} tl_result;

/* Longest message kept in a tl_error, in bytes with the closing zero. */
#define TL_ERROR_LENGTH 512

/* Filled by calls that can fail before a world exists. May be NULL everywhere it is asked for. */
typedef struct tl_error {
    tl_result code;
    char message[TL_ERROR_LENGTH];
} tl_error;

/* Memory for everything the library keeps. `allocate` returns memory aligned to at least `alignment` (a power of two,
   at most 64) or NULL; `release` takes what `allocate` returned. A zeroed struct means the C library's heap. */
typedef struct tl_allocator {
    void *(*allocate)(void *user, size_t size, size_t alignment);
    void (*release)(void *user, void *memory);
    void *user;
} tl_allocator;

#ifdef __cplusplus
}
#endif

#endif
