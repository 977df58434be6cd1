/* Links as constraints: projects particles so that lengths are in their range. */
#ifndef TL_ELEMENT_LINK_SOLVE_H
#define TL_ELEMENT_LINK_SOLVE_H

#include "element/link.h"

/* Parameters of one sweep over one kind of links. With C = |d| − L·high above the range, |d| − L·low below it and 0
   inside: Δλ = (−C − a λ − g ∇C·(x − x_old)) / ((1 + g) Σw + a),   Δx = keep · w ∇C Δλ. a = 1/(k h²) is the compliance
   and g = damping/(k h) its damping (Macklin, Müller, Chentanez 2016, "XPBD"); projection has a = 0 and keep = 1 −
   loss; the range stepper low < high. Links of weight ≠ 1 have a / weight. */
typedef struct tl_link_solve {
    tl_real low, high; /* 1, relative to the rest length */
    tl_real compliance, damping;
    tl_real keep;
    tl_real *lambda; /* at the pieces' slots, accumulated over the sweeps of a substep; NULL when there is one sweep */
    tl_real *const *x_old; /* x at the start of the substep, only read with damping */
    tl_real *packed;       /* particles to use instead of x and w (core/packed.h); NULL: none */
    tl_real *const *base;  /* NULL, or where x is measured from: x[i] is a displacement from base[i]; without packed */
} tl_link_solve;

/* Solves pieces[0 … count-1] of the set in that order. */
typedef void tl_link_solve_kernel(const tl_link_set *set, const tl_link_piece *pieces, int count,
                                  const tl_link_solve *solve, const tl_particles *p);
tl_link_solve_kernel tl_link_solve_w8, tl_link_solve_w4, tl_link_solve_w1;

#endif
