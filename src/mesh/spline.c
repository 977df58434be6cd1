#include "mesh/spline.h"

#include <math.h>

enum { DEGREE = TL_SPLINE_ORDER - 1, HALVINGS = 60 };

/* Clamped, evenly spaced: 0 … spans, each end four times. */
static double knot(int index, int controls)
{
    int spans = controls - DEGREE, inner = index - DEGREE;
    return inner < 0 ? 0 : inner > spans ? spans : inner;
}

/* The four basis functions that are not 0 at t; returns the first control point they belong to (A2.2). */
static int basis(double t, int controls, double value[TL_SPLINE_ORDER])
{
    int spans = controls - DEGREE, span = (int)floor(t);
    span = (span > spans - 1 ? spans - 1 : span) + DEGREE;
    double left[TL_SPLINE_ORDER], right[TL_SPLINE_ORDER];
    value[0] = 1;
    for (int j = 1; j <= DEGREE; ++j) {
        left[j] = t - knot(span + 1 - j, controls);
        right[j] = knot(span + j, controls) - t;
        double saved = 0;
        for (int r = 0; r < j; ++r) {
            double share = value[r] / (right[r + 1] + left[j - r]);
            value[r] = saved + right[r + 1] * share;
            saved = left[j - r] * share;
        }
        value[j] = saved;
    }
    return span - DEGREE;
}

/* Where evenly spaced control points 0 … controls − 1 have the value x, which grows with t. */
static double parameter_of(double x, int controls)
{
    double low = 0, high = controls - DEGREE, value[TL_SPLINE_ORDER];
    for (int k = 0; k < HALVINGS; ++k) {
        double middle = (low + high) / 2, at = 0;
        int first = basis(middle, controls, value);
        for (int j = 0; j < TL_SPLINE_ORDER; ++j)
            at += value[j] * (first + j);
        if (at < x)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static void weigh_sample(tl_spline *s, int i)
{
    double value[TL_SPLINE_ORDER], rest = 1;
    bool last = i == s->samples - 1;
    double t = last     ? s->controls - DEGREE
               : i == 0 ? 0
                        : parameter_of((double)i * (s->controls - 1) / (s->samples - 1), s->controls);
    s->first[i] = basis(t, s->controls, value);
    tl_real *weight = s->weight + TL_SPLINE_ORDER * (size_t)i;
    int largest = 0;
    for (int j = 0; j < TL_SPLINE_ORDER; ++j) {
        weight[j] = (tl_real)value[j];
        largest = value[j] > value[largest] ? j : largest;
    }
    for (int j = 0; j < TL_SPLINE_ORDER; ++j)
        rest -= j == largest ? 0 : (double)weight[j];
    weight[largest] = (tl_real)rest; /* as rounded, they still sum to 1 */
}

static void factor_normal(tl_spline *s)
{
    const size_t n = (size_t)s->controls;
    double *a = s->factor;
    for (int i = 0; i < s->samples; ++i)
        for (int j = 0; j < TL_SPLINE_ORDER; ++j)
            for (int k = 0; k <= j; ++k)
                a[((size_t)s->first[i] + (size_t)j) * n + (size_t)s->first[i] + (size_t)k] +=
                    (double)s->weight[TL_SPLINE_ORDER * i + j] * (double)s->weight[TL_SPLINE_ORDER * i + k];
    for (size_t j = 0; j < n; ++j) {
        for (size_t k = 0; k < j; ++k)
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        a[j * n + j] = sqrt(a[j * n + j]);
        for (size_t i = j + 1; i < n; ++i) {
            for (size_t k = 0; k < j; ++k)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
    }
}

bool tl_spline_build(tl_spline *spline, const tl_allocator *allocator, int samples, int controls)
{
    *spline = (tl_spline){.samples = samples, .controls = controls};
    spline->first = tl_allocate(allocator, (size_t)samples, sizeof(int));
    spline->weight = tl_allocate(allocator, TL_SPLINE_ORDER * (size_t)samples, sizeof(tl_real));
    spline->factor = tl_allocate(allocator, (size_t)controls * (size_t)controls, sizeof(double));
    if (!spline->first || !spline->weight || !spline->factor) {
        tl_spline_destroy(spline, allocator);
        return false;
    }
    for (int i = 0; i < samples; ++i)
        weigh_sample(spline, i);
    factor_normal(spline);
    return true;
}

void tl_spline_destroy(tl_spline *spline, const tl_allocator *allocator)
{
    tl_release(allocator, spline->first);
    tl_release(allocator, spline->weight);
    tl_release(allocator, spline->factor);
    *spline = (tl_spline){0};
}

void tl_spline_solve(const tl_spline *spline, double *y, int count, int stride)
{
    const size_t n = (size_t)spline->controls, step = (size_t)stride;
    const double *a = spline->factor;
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < count; ++k) {
            double *own = y + i * step + k;
            for (size_t j = 0; j < i; ++j)
                *own -= a[i * n + j] * y[j * step + (size_t)k];
            *own /= a[i * n + i];
        }
    for (size_t i = n; i-- > 0;)
        for (int k = 0; k < count; ++k) {
            double *own = y + i * step + k;
            for (size_t j = i + 1; j < n; ++j)
                *own -= a[j * n + i] * y[j * step + (size_t)k];
            *own /= a[i * n + i];
        }
}
