/* One stage of Runge–Kutta along one axis (step/rk4.c). Arrays are padded with zeros, so the last vector may reach past
   `count`. */
#include "core/simd.h"
#include "step/kernels.h"

TL_INLINE void stages(int count, const tl_rk4_stage_numbers *k, const tl_rk4_arrays *a, bool first, bool last)
{
    const tl_vec weight = tl_vec_set(k->weight), reach = tl_vec_set(k->reach), damping = tl_vec_set(k->damping);
    const tl_vec zero = tl_vec_set(0);
    for (int i = 0; i < count; i += TL_WIDTH) {
        tl_vec w = tl_vec_load(a->w + i), v = tl_vec_load(a->v + i), x = tl_vec_load(a->x + i);
        tl_vec acceleration = tl_vec_load(a->f + i) * w - tl_select(w > zero, damping * v, zero);
        tl_vec x0 = first ? x : tl_vec_load(a->x0 + i), v0 = first ? v : tl_vec_load(a->v0 + i);
        tl_vec sum_v = (first ? zero : tl_vec_load(a->sum_v + i)) + weight * v;
        tl_vec sum_a = (first ? zero : tl_vec_load(a->sum_a + i)) + weight * acceleration;
        if (first) {
            tl_vec_store(a->x0 + i, x0);
            tl_vec_store(a->v0 + i, v0);
        }
        if (!last) {
            tl_vec_store(a->sum_v + i, sum_v);
            tl_vec_store(a->sum_a + i, sum_a);
        }
        /* the last stage moves to the weighted mean of all four */
        tl_vec_store(a->x + i, last ? tl_vec_add_low(x0, sum_v, a->low + i) : x0 + reach * v);
        tl_vec_store(a->v + i, v0 + (last ? sum_a : reach * acceleration));
    }
}

void TL_KERNEL(tl_rk4_stage)(int count, const tl_rk4_stage_numbers *k, const tl_rk4_arrays *arrays)
{
    const tl_rk4_arrays a = *arrays; /* a local copy that stores cannot alias keeps the pointers in registers */
    if (k->first)
        stages(count, k, &a, true, false);
    else if (k->last)
        stages(count, k, &a, false, true);
    else
        stages(count, k, &a, false, false);
}
