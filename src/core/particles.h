/* The particles of one cloth as separate arrays, padded to whole vectors (core/memory.h). The padding after `count`
   stays zero, w included, so that kernels may read and write whole vectors past the end. */
#ifndef TL_CORE_PARTICLES_H
#define TL_CORE_PARTICLES_H

#include "core/vec.h"

/* The variant of a kernel (core/simd.h) for eight numbers; where no vectors are that wide it is not compiled and never
   picked, because tl_widest_lanes() is 4. */
#if defined(__wasm__)
#define TL_W8(name) name##_w4
#else
#define TL_W8(name) name##_w8
#endif

/* The variant of a kernel for a vector width. */
#define TL_PICK_KERNEL(name, lanes) ((lanes) == 8 ? TL_W8(name) : (lanes) == 4 ? name##_w4 : name##_w1)

typedef struct tl_particles {
    int count;
    tl_real *x[3]; /* m */
    tl_real *v[3]; /* m/s */
    tl_real *f[3]; /* N */
    tl_real *m;    /* kg */
    tl_real *w;    /* 1/kg, inverse mass; 0 for pinned particles */
} tl_particles;

static inline tl_vec3 tl_at(tl_real *const a[3], int i) { return tl_v3(a[0][i], a[1][i], a[2][i]); }
static inline void tl_put(tl_real *const a[3], int i, tl_vec3 value)
{
    a[0][i] = value.x;
    a[1][i] = value.y;
    a[2][i] = value.z;
}
static inline void tl_accumulate(tl_real *const a[3], int i, tl_vec3 value)
{
    a[0][i] += value.x;
    a[1][i] += value.y;
    a[2][i] += value.z;
}

#endif
