/* The vector kernels of the steppers (integrate_kernel.c), one symbol per width. */
#ifndef TL_STEP_KERNELS_H
#define TL_STEP_KERNELS_H

#include "core/particles.h"

/* One integration along one axis:
     v ← v·keep + a·before,  x ← x + v·h + a·square,  v ← v + a·after,   a = f·w.
   Pinned particles (w = 0) keep their velocity and move with it. With `low` (tl_system.low) x is a sum of two words, so
   that steps below the rounding of x are not lost; NULL: one word. */
typedef struct tl_integration {
    tl_real keep;   /* 1, fraction of the velocity that damping leaves */
    tl_real before; /* s */
    tl_real h;      /* s */
    tl_real square; /* s² */
    tl_real after;  /* s */
} tl_integration;

typedef void tl_integrate_kernel(int count, const tl_integration *k, const tl_real *w, const tl_real *f, tl_real *v,
                                 tl_real *x, tl_real *low);
/* f = m·g + extra */
typedef void tl_weight_kernel(int count, const tl_real *m, tl_real gravity, const tl_real *extra, tl_real *f);

/* x_old = x, v ← v·keep + a·h, x ← x + v·h,   a = gravity + extra·w; pinned particles as above. `extra` may be NULL. */
typedef void tl_predict_kernel(int count, tl_real keep, tl_real h, tl_real gravity, const tl_real *w,
                               const tl_real *extra, tl_real *v, tl_real *x, tl_real *x_old);

/* v = (x − x_old)/h; a particle exactly where its velocity took it keeps that velocity bit for bit. */
typedef void tl_velocity_kernel(int count, tl_real h, const tl_real *x, const tl_real *x_old, tl_real *v);

/* The same for fine substeps (step/position.c): x + low moves by v·h; x_old and low_old are what it was. */
typedef void tl_predict_fine_kernel(int count, tl_real keep, tl_real h, tl_real gravity, const tl_real *w,
                                    const tl_real *extra, tl_real *v, tl_real *x, tl_real *x_old, tl_real *low,
                                    tl_real *low_old);
/* d = x + low − x_old */
typedef void tl_displacement_kernel(int count, const tl_real *x, const tl_real *x_old, const tl_real *low, tl_real *d);
/* v = (d − low_old)/h, x + low = x_old + d; a particle exactly where its velocity took it keeps that velocity. */
typedef void tl_velocity_fine_kernel(int count, tl_real h, const tl_real *d, const tl_real *x_old,
                                     const tl_real *low_old, tl_real *v, tl_real *x, tl_real *low);

/* Packs and unpacks particles first … last-1 (core/packed.h). */
typedef void tl_pack_kernel(int first, int last, const tl_particles *p, tl_real *packed);
typedef void tl_unpack_kernel(int first, int last, const tl_real *packed, const tl_particles *p);

tl_pack_kernel tl_pack_w8, tl_pack_w4, tl_pack_w1;
tl_unpack_kernel tl_unpack_w8, tl_unpack_w4, tl_unpack_w1;
tl_velocity_kernel tl_velocity_w8, tl_velocity_w4, tl_velocity_w1;
tl_integrate_kernel tl_integrate_w8, tl_integrate_w4, tl_integrate_w1;
tl_predict_kernel tl_predict_w8, tl_predict_w4, tl_predict_w1;
tl_predict_fine_kernel tl_predict_fine_w8, tl_predict_fine_w4, tl_predict_fine_w1;
tl_displacement_kernel tl_displacement_w8, tl_displacement_w4, tl_displacement_w1;
tl_velocity_fine_kernel tl_velocity_fine_w8, tl_velocity_fine_w4, tl_velocity_fine_w1;
tl_weight_kernel tl_weight_w8, tl_weight_w4, tl_weight_w1;

/* One stage of Runge–Kutta: adds weight·y' to the sums and moves to y0 + reach·y'; the first stage saves y0, the last
   moves to y0 + sums, x with `low` as above. */
typedef struct tl_rk4_stage_numbers {
    tl_real weight, reach; /* s */
    tl_real damping;       /* 1/s */
    bool first, last;
} tl_rk4_stage_numbers;
typedef struct tl_rk4_arrays {
    const tl_real *w, *f;
    tl_real *x0, *v0, *sum_v, *sum_a, *x, *v, *low;
} tl_rk4_arrays;
typedef void tl_rk4_stage_kernel(int count, const tl_rk4_stage_numbers *k, const tl_rk4_arrays *arrays);
tl_rk4_stage_kernel tl_rk4_stage_w8, tl_rk4_stage_w4, tl_rk4_stage_w1;

#endif
