/* A cubic B-spline over evenly spaced control points, sampled at evenly spaced points: x = W c with a fixed matrix W of
   four weights a row, and back by least squares. The tensor product of two is a NURBS sheet whose weights are all 1.

   Knots are clamped, so that the first and last control points are on the curve. Sample i is where the spline of the
   control points j/(n−1) has the value i/(m−1): W reproduces affine maps of evenly spaced points exactly, near the ends
   too (Piegl and Tiller, The NURBS Book, 1997: basis functions A2.2, end conditions §3.5). */
#ifndef TL_MESH_SPLINE_H
#define TL_MESH_SPLINE_H

#include "core/memory.h"
#include "core/vec.h"

enum { TL_SPLINE_ORDER = 4 }; /* control points that move a sample */

typedef struct tl_spline {
    int samples, controls;
    int *first;      /* of the four control points of each sample */
    tl_real *weight; /* four per sample: not negative, their sum is 1 */
    double *factor;  /* lower Cholesky factor of WᵀW, controls × controls */
} tl_spline;

/* Needs at least four control points and as many samples. False when memory ran out; the spline is then empty. */
bool tl_spline_build(tl_spline *spline, const tl_allocator *allocator, int samples, int controls);
void tl_spline_destroy(tl_spline *spline, const tl_allocator *allocator);

/* (WᵀW) y = y for `count` columns of right-hand sides: entry j of column k is y[j·stride + k]. */
void tl_spline_solve(const tl_spline *spline, double *y, int count, int stride);

#endif
