/* Panels of a sparse Cholesky factor (step/cholesky_kernels.h). Rows are independent of each other in all sums, so that
   any number of them may be worked out at a time; columns are taken four at a time in every width. */
#include "step/cholesky_kernels.h"

#include "core/simd.h"

/* ---- factor ----------------------------------------------------------------------------------------------------- */

/* Rows first … last-1 of two columns, less columns 0 … count-1 of the panel by the numbers of rows r and r + 1. */
TL_INLINE void subtract_from_two(const double *panel, int rows, int count, int r, int first, int last,
                                 double *restrict out, double *restrict next)
{
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        const double *restrict a = panel + (ptrdiff_t)k * rows, *restrict b = a + rows, *restrict c = b + rows,
                               *restrict d = c + rows;
        double ar = a[r], br = b[r], cr = c[r], dr = d[r], as = a[r + 1], bs = b[r + 1], cs = c[r + 1], ds = d[r + 1];
        for (int i = first; i < last; ++i) {
            out[i] -= (a[i] * ar + b[i] * br) + (c[i] * cr + d[i] * dr);
            next[i] -= (a[i] * as + b[i] * bs) + (c[i] * cs + d[i] * ds);
        }
    }
    for (; k < count; ++k) {
        const double *restrict a = panel + (ptrdiff_t)k * rows;
        double ar = a[r], as = a[r + 1];
        for (int i = first; i < last; ++i) {
            out[i] -= a[i] * ar;
            next[i] -= a[i] * as;
        }
    }
}

/* The same for one column and row r. */
TL_INLINE void subtract_from_one(const double *panel, int rows, int count, int r, int first, int last,
                                 double *restrict out)
{
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        const double *restrict a = panel + (ptrdiff_t)k * rows, *restrict b = a + rows, *restrict c = b + rows,
                               *restrict d = c + rows;
        double ar = a[r], br = b[r], cr = c[r], dr = d[r];
        for (int i = first; i < last; ++i)
            out[i] -= (a[i] * ar + b[i] * br) + (c[i] * cr + d[i] * dr);
    }
    for (; k < count; ++k) {
        const double *restrict a = panel + (ptrdiff_t)k * rows;
        double ar = a[r];
        for (int i = first; i < last; ++i)
            out[i] -= a[i] * ar;
    }
}

/* Column j, from which those before it have been taken. */
TL_INLINE bool finish_column(double *column, int rows, int j, double *inverse)
{
    if (!(column[j] > 0))
        return false;
    double root = sqrt(column[j]), one_over = 1 / root;
    column[j] = root;
    *inverse = one_over;
    for (int i = j + 1; i < rows; ++i)
        column[i] *= one_over;
    return true;
}

bool TL_KERNEL(tl_panel_factor)(double *panel, int rows, int width, double *inverse)
{
    int j = 0;
    for (; j + 2 <= width; j += 2) {
        double *column = panel + (ptrdiff_t)j * rows, *next = column + rows;
        subtract_from_two(panel, rows, j, j, j, rows, column, next);
        if (!finish_column(column, rows, j, inverse + j))
            return false;
        double by = column[j + 1];
        for (int i = j + 1; i < rows; ++i)
            next[i] -= column[i] * by;
        if (!finish_column(next, rows, j + 1, inverse + j + 1))
            return false;
    }
    if (j < width) {
        double *column = panel + (ptrdiff_t)j * rows;
        subtract_from_one(panel, rows, j, j, j, rows, column);
        return finish_column(column, rows, j, inverse + j);
    }
    return true;
}

void TL_KERNEL(tl_panel_update)(const double *panel, int rows, int width, double *update)
{
    int size = rows - width, j = 0;
    const double *below = panel + width;
    for (; j + 2 <= size; j += 2) {
        double *column = update + (ptrdiff_t)j * size;
        subtract_from_two(below, rows, width, j, j, size, column, column + size);
    }
    if (j < size)
        subtract_from_one(below, rows, width, j, j, size, update + (ptrdiff_t)j * size);
}

/* ---- triangular solves ------------------------------------------------------------------------------------------ */

/* What belongs to one row. */
typedef double sides __attribute__((vector_size(TL_SIDES * sizeof(double)), may_alias));

TL_INLINE sides splat(double a) { return (sides){a, a, a, a}; }

void TL_KERNEL(tl_panel_forward)(const double *panel, int rows, int width, const double *inverse, double *vector)
{
    sides *y = (sides *)vector;
    int j = 0;
    for (; j + 4 <= width; j += 4) {
        const double *a = panel + (ptrdiff_t)j * rows, *b = a + rows, *c = b + rows, *d = c + rows;
        sides p = y[j] * splat(inverse[j]);
        sides q = (y[j + 1] - splat(a[j + 1]) * p) * splat(inverse[j + 1]);
        sides r = (y[j + 2] - (splat(a[j + 2]) * p + splat(b[j + 2]) * q)) * splat(inverse[j + 2]);
        sides s =
            (y[j + 3] - (splat(a[j + 3]) * p + splat(b[j + 3]) * q + splat(c[j + 3]) * r)) * splat(inverse[j + 3]);
        y[j] = p;
        y[j + 1] = q;
        y[j + 2] = r;
        y[j + 3] = s;
        for (int i = j + 4; i < rows; ++i)
            y[i] -= (splat(a[i]) * p + splat(b[i]) * q) + (splat(c[i]) * r + splat(d[i]) * s);
    }
    for (; j < width; ++j) {
        const double *a = panel + (ptrdiff_t)j * rows;
        sides p = y[j] = y[j] * splat(inverse[j]);
        for (int i = j + 1; i < rows; ++i)
            y[i] -= splat(a[i]) * p;
    }
}

void TL_KERNEL(tl_panel_backward)(const double *panel, int rows, int width, const double *inverse, double *vector)
{
    sides *y = (sides *)vector;
    int j = width;
    for (; j % 4 > 0; --j) {
        const double *a = panel + (ptrdiff_t)(j - 1) * rows;
        sides p = splat(0);
        for (int i = j; i < rows; ++i)
            p += splat(a[i]) * y[i];
        y[j - 1] = (y[j - 1] - p) * splat(inverse[j - 1]);
    }
    for (j -= 4; j >= 0; j -= 4) {
        const double *a = panel + (ptrdiff_t)j * rows, *b = a + rows, *c = b + rows, *d = c + rows;
        sides p = splat(0), q = p, r = p, s = p;
        for (int i = j + 4; i < rows; ++i) {
            p += splat(a[i]) * y[i];
            q += splat(b[i]) * y[i];
            r += splat(c[i]) * y[i];
            s += splat(d[i]) * y[i];
        }
        s = (y[j + 3] - s) * splat(inverse[j + 3]);
        r = (y[j + 2] - (r + splat(c[j + 3]) * s)) * splat(inverse[j + 2]);
        q = (y[j + 1] - (q + splat(b[j + 2]) * r + splat(b[j + 3]) * s)) * splat(inverse[j + 1]);
        p = (y[j] - (p + splat(a[j + 1]) * q + splat(a[j + 2]) * r + splat(a[j + 3]) * s)) * splat(inverse[j]);
        y[j] = p;
        y[j + 1] = q;
        y[j + 2] = r;
        y[j + 3] = s;
    }
}
