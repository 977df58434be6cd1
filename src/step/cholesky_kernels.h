/* Dense work on the panels of a sparse Cholesky factor (step/cholesky.h, step/cholesky_kernel.c). A panel has `rows`
   rows and `width` columns, stored by columns; its first `width` rows are the part's own. What lies above the diagonal
   is never read as a result. All widths give the same bits. */
#ifndef TL_STEP_CHOLESKY_KERNELS_H
#define TL_STEP_CHOLESKY_KERNELS_H

#include <stdbool.h>

/* Vectors have four numbers per row. */
enum { TL_SIDES = 4 };

/* Factors the own rows and divides the others by them; `inverse` becomes that of L's diagonal. False where a pivot is
   not positive. */
typedef bool tl_panel_factor_kernel(double *panel, int rows, int width, double *inverse);
/* update −= B Bᵀ on and below its diagonal, B the rows beyond the own. */
typedef void tl_panel_update_kernel(const double *panel, int rows, int width, double *update);
/* y ← L⁻¹ y for the own rows, and its part taken out of the others. */
typedef void tl_panel_forward_kernel(const double *panel, int rows, int width, const double *inverse, double *y);
/* y ← L⁻ᵀ y for the own rows, from the others. */
typedef void tl_panel_backward_kernel(const double *panel, int rows, int width, const double *inverse, double *y);

tl_panel_factor_kernel tl_panel_factor_w8, tl_panel_factor_w4, tl_panel_factor_w1;
tl_panel_update_kernel tl_panel_update_w8, tl_panel_update_w4, tl_panel_update_w1;
tl_panel_forward_kernel tl_panel_forward_w8, tl_panel_forward_w4, tl_panel_forward_w1;
tl_panel_backward_kernel tl_panel_backward_w8, tl_panel_backward_w4, tl_panel_backward_w1;

#endif
