/* Rows of a block matrix times a vector, and the steps of a smoother that follow for the same row while it is at hand
   (step/row_kernel.c): the fine matrix (step/sparse.h) and the coarse ones (step/multigrid.h). Vectors have three
   numbers and a 0 per particle. All widths give the same bits. */
#ifndef TL_STEP_ROW_KERNELS_H
#define TL_STEP_ROW_KERNELS_H

#include "step/sparse.h"

/* Directions that the filter takes out of a particle: none, all three, or the one along `normal`. */
typedef struct tl_filter {
    const unsigned char *held; /* per particle: 0 free, 1 all, 2 one */
    const tl_vec3 *normal;     /* per particle, unit, where held is 2 */
} tl_filter;

typedef struct tl_row_matrix {
    const tl_rows *rows;
    const tl_real (*block)[TL_BLOCK];
    const tl_real (*inverse)[TL_BLOCK]; /* of the diagonal blocks */
    const tl_real (*ground)[TL_BLOCK];  /* of a product by differences; NULL: by the diagonal blocks */
    const tl_rows *constant_rows;       /* of a product by differences */
    const tl_real *constant;
    const tl_filter *filter; /* NULL: nothing is held */
} tl_row_matrix;

/* r ← r − A d, x ← x + d, and next = keep d + gain D⁻¹ r unless NULL. The filter applies to A d and to D⁻¹ r. */
typedef struct tl_relaxation {
    const tl_real *d;
    tl_real *x, *r, *next;
    tl_real keep, gain;
} tl_relaxation;

/* Rows first … last-1 of out = A in, without the filter. */
typedef void tl_row_times_kernel(const tl_row_matrix *a, int first, int last, const tl_real *in, tl_real *out);
/* Rows first … last-1 of the relaxation. */
typedef void tl_row_relax_kernel(const tl_row_matrix *a, int first, int last, const tl_relaxation *step);

tl_row_times_kernel tl_row_times_w8, tl_row_times_w4, tl_row_times_w1;
tl_row_relax_kernel tl_row_relax_w8, tl_row_relax_w4, tl_row_relax_w1;

/* The implicit matrix, for products by differences. */
tl_row_matrix tl_sparse_rows(const tl_sparse *sparse, const tl_filter *filter);

/* Row i of D⁻¹ r, filtered: a block of a sliding particle is inverted within its plane. */
tl_vec3 tl_row_condition(const tl_row_matrix *a, int i, tl_vec3 r);

#endif
