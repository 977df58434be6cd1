/* Moves particles along one axis: the arithmetic shared by explicit Euler, semi-implicit Euler, the kinematic form and
   Verlet, and the start and end of a substep of position-based steppers. Arrays are padded, so the last vector may
   reach past `count`: the padding has w = v = f = m = 0. */
#include "core/simd.h"
#include "step/kernels.h"

void TL_KERNEL(tl_integrate)(int count, const tl_integration *k, const tl_real *restrict w, const tl_real *restrict f,
                             tl_real *restrict v, tl_real *restrict x, tl_real *restrict low)
{
    const tl_vec keep = tl_vec_set(k->keep), before = tl_vec_set(k->before), after = tl_vec_set(k->after);
    const tl_vec h = tl_vec_set(k->h), square = tl_vec_set(k->square), one = tl_vec_set(1), zero = tl_vec_set(0);
    for (int i = 0; i < count; i += TL_WIDTH) {
        tl_vec wi = tl_vec_load(w + i);
        tl_vec a = tl_vec_load(f + i) * wi;
        tl_vec kept = tl_vec_load(v + i) * tl_select(wi > zero, keep, one);
        tl_vec vi = kept + a * before;
        tl_vec step = vi * h + a * square;
        if (low)
            tl_vec_store(x + i, tl_vec_add_low(tl_vec_load(x + i), step, low + i));
        else
            tl_vec_store(x + i, tl_vec_load(x + i) + step);
        tl_vec_store(v + i, vi + a * after);
    }
}

void TL_KERNEL(tl_weight)(int count, const tl_real *restrict m, tl_real gravity, const tl_real *restrict extra,
                          tl_real *restrict f)
{
    const tl_vec g = tl_vec_set(gravity);
    for (int i = 0; i < count; i += TL_WIDTH)
        tl_vec_store(f + i, tl_vec_load(m + i) * g + tl_vec_load(extra + i));
}

void TL_KERNEL(tl_predict)(int count, tl_real keep, tl_real h, tl_real gravity, const tl_real *restrict w,
                           const tl_real *restrict extra, tl_real *restrict v, tl_real *restrict x,
                           tl_real *restrict x_old)
{
    const tl_vec g = tl_vec_set(gravity), step = tl_vec_set(h), kept_fraction = tl_vec_set(keep), zero = tl_vec_set(0);
    for (int i = 0; i < count; i += TL_WIDTH) {
        tl_vec wi = tl_vec_load(w + i), old = tl_vec_load(v + i), from = tl_vec_load(x + i);
        tl_vec a = extra ? g + tl_vec_load(extra + i) * wi : g;
        tl_vec vi = tl_select(wi > zero, old * kept_fraction + a * step, old);
        tl_vec_store(v + i, vi);
        tl_vec_store(x_old + i, from);
        tl_vec_store(x + i, from + vi * step);
    }
}

void TL_KERNEL(tl_predict_fine)(int count, tl_real keep, tl_real h, tl_real gravity, const tl_real *restrict w,
                                const tl_real *restrict extra, tl_real *restrict v, tl_real *restrict x,
                                tl_real *restrict x_old, tl_real *restrict low, tl_real *restrict low_old)
{
    const tl_vec g = tl_vec_set(gravity), step = tl_vec_set(h), kept_fraction = tl_vec_set(keep), zero = tl_vec_set(0);
    for (int i = 0; i < count; i += TL_WIDTH) {
        tl_vec wi = tl_vec_load(w + i), old = tl_vec_load(v + i), from = tl_vec_load(x + i);
        tl_vec a = extra ? g + tl_vec_load(extra + i) * wi : g;
        tl_vec vi = tl_select(wi > zero, old * kept_fraction + a * step, old);
        tl_vec_store(v + i, vi);
        tl_vec_store(x_old + i, from);
        tl_vec_store(low_old + i, tl_vec_load(low + i));
        tl_vec_store(x + i, tl_vec_add_low(from, vi * step, low + i));
    }
}

void TL_KERNEL(tl_displacement)(int count, const tl_real *restrict x, const tl_real *restrict x_old,
                                const tl_real *restrict low, tl_real *restrict d)
{
    for (int i = 0; i < count; i += TL_WIDTH)
        tl_vec_store(d + i, (tl_vec_load(x + i) - tl_vec_load(x_old + i)) + tl_vec_load(low + i));
}

void TL_KERNEL(tl_velocity_fine)(int count, tl_real h, const tl_real *restrict d, const tl_real *restrict x_old,
                                 const tl_real *restrict low_old, tl_real *restrict v, tl_real *restrict x,
                                 tl_real *restrict low)
{
    const tl_vec step = tl_vec_set(h), rate = tl_vec_set(1 / h), zero = tl_vec_set(0);
    for (int i = 0; i < count; i += TL_WIDTH) {
        tl_vec vi = tl_vec_load(v + i), start = tl_vec_load(low_old + i), moved = tl_vec_load(d + i);
        tl_vec_store(v + i, tl_select(moved == start + vi * step, vi, (moved - start) * rate));
        tl_vec_store(low + i, zero);
        tl_vec_store(x + i, tl_vec_add_low(tl_vec_load(x_old + i), moved, low + i));
    }
}

void TL_KERNEL(tl_velocity)(int count, tl_real h, const tl_real *restrict x, const tl_real *restrict x_old,
                            tl_real *restrict v)
{
    const tl_vec step = tl_vec_set(h), rate = tl_vec_set(1 / h);
    for (int i = 0; i < count; i += TL_WIDTH) {
        tl_vec vi = tl_vec_load(v + i), old = tl_vec_load(x_old + i), now = tl_vec_load(x + i);
        tl_vec_store(v + i, tl_select(now == old + vi * step, vi, (now - old) * rate));
    }
}
