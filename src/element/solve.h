/* Triangles and hinges as constraints, vectorised; link_solve.h is the same for links. For each condition C of an
   element Δλ = (−C − a λ − g ∇C·(x − x_old)) / ((1 + g) Σ w |∇C|² + a),   Δx = keep · w ∇C Δλ with a = 1/(k h²), g =
   d/(k h) (Macklin, Müller, Chentanez 2016, "XPBD"). The elements of a group share no particle, so all vector widths
   give bit-identical results. */
#ifndef TL_ELEMENT_SOLVE_H
#define TL_ELEMENT_SOLVE_H

#include "element/element.h"
#include "element/group.h"

typedef struct tl_solve {
    tl_real compliance, damping, keep;
    tl_real *lambda;       /* per element and condition, accumulated over the sweeps of a substep; NULL: one sweep */
    tl_real *const *x_old; /* x at the start of the substep, only read with damping */
    tl_real *packed;       /* particles to use instead of x and w (core/packed.h); NULL: none */
    tl_real *const *base;  /* NULL, or where x is measured from: x[i] is a displacement from base[i]; without packed */
} tl_solve;

/* Solves groups from … to-1 of a batch in that order. Groups of one colour may be split among threads. */
typedef void tl_solve_kernel(const tl_element_batch *batch, int from, int to, const tl_solve *solve,
                             const tl_particles *p);
tl_solve_kernel tl_stretch_solve_w8, tl_stretch_solve_w4, tl_stretch_solve_w1;
tl_solve_kernel tl_shear_solve_w8, tl_shear_solve_w4, tl_shear_solve_w1;
tl_solve_kernel tl_warp_solve_w8, tl_warp_solve_w4, tl_warp_solve_w1;
tl_solve_kernel tl_weft_solve_w8, tl_weft_solve_w4, tl_weft_solve_w1;
tl_solve_kernel tl_patch_solve_w8, tl_patch_solve_w4, tl_patch_solve_w1;
tl_solve_kernel tl_bend_solve_w8, tl_bend_solve_w4, tl_bend_solve_w1;

/* The kernels of one element for all widths, and the groups of its batches. */
typedef struct tl_solve_kernels {
    tl_solve_kernel *w8, *w4, *w1;
    const tl_groups *(*groups)(const tl_element_batch *batch);
} tl_solve_kernels;

#define TL_SOLVE_KERNELS(name, groups)                                                                                 \
    &(const tl_solve_kernels) { TL_W8(name), name##_w4, name##_w1, groups }

#endif
