/* Force of bending as curvature, vectorised over patches: −Σ_m ∇_i C_m (B C_m + d Ċ_m) (element/bend_curvature.c has
   equations and sources). With z_m = B C_m + d Ċ_m, the second terms add up to s_i × Σ_m z_m q⊥_m / |N|. */
#include "element/bend.h"
#include "element/patch.h"
#include "element/vectors.h"

/* Σ_i w_i (a_i − a_0) over the ring. */
TL_INLINE tl_vectors weighed(tl_real *const weight[TL_PATCH_PARTICLES], int first, const tl_vectors *a)
{
    tl_vec zero = tl_vec_set(0);
    tl_vectors sum = {zero, zero, zero};
    for (int i = 1; i < TL_PATCH_PARTICLES; ++i)
        sum = tl_vs_add(sum, tl_vs_scale(tl_vs_sub(a[i], a[0]), tl_vec_load(weight[i] + first)));
    return sum;
}

TL_INLINE void block(int first, int count, bool run, const tl_patch_set *set, tl_real stiffness, tl_real damping,
                     const tl_particles *p)
{
    const int *index[TL_PATCH_PARTICLES];
    tl_vectors x[TL_PATCH_PARTICLES], v[TL_PATCH_PARTICLES], f[TL_PATCH_PARTICLES];
    tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
        index[i] = set->particle[i] + first;
        x[i] = tl_vs_read(p->x, index[i], run);
        v[i] = tl_vs_read(p->v, index[i], run);
        f[i] = (tl_vectors){zero, zero, zero};
    }
    tl_vectors tu = weighed(set->tangent[0], first, x), tv = weighed(set->tangent[1], first, x);
    tl_vectors tu_dot = weighed(set->tangent[0], first, v), tv_dot = weighed(set->tangent[1], first, v);
    tl_vectors normal = tl_vs_cross(tu, tv);
    tl_vec square = tl_vs_dot(normal, normal);
    tl_mask wide = square > TL_BEND_SLIVER * (tl_vs_dot(tu, tu) * tl_vs_dot(tv, tv));
    tl_mask large = square > tl_vec_set(TL_BEND_SMALLEST);
    tl_mask open = wide & large;
    tl_vec inverse = one / tl_select(open, tl_vec_sqrt(square), one);
    tl_vectors n = tl_vs_scale(normal, inverse);
    tl_vectors normal_dot = tl_vs_add(tl_vs_cross(tu_dot, tv), tl_vs_cross(tu, tv_dot));

    tl_vectors turn = {zero, zero, zero};
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
        tl_vectors q = weighed(set->weight[m], first, x), q_dot = weighed(set->weight[m], first, v);
        tl_vec value = tl_vs_dot(n, q);
        tl_vectors across = tl_vs_scale(tl_vs_sub(q, tl_vs_scale(n, value)), inverse);
        tl_vec rate = tl_vs_dot(n, q_dot) + tl_vs_dot(across, normal_dot);
        value = value - tl_vec_load(set->rest[m] + first);
        tl_vec size = tl_select(open, -(stiffness * value + damping * rate), zero);
        turn = tl_vs_add(turn, tl_vs_scale(across, size));
        for (int i = 1; i < TL_PATCH_PARTICLES; ++i)
            f[i] = tl_vs_add(f[i], tl_vs_scale(n, size * tl_vec_load(set->weight[m][i] + first)));
    }
    tl_vectors by_a = tl_vs_cross(tv, turn), by_b = tl_vs_cross(tu, turn);
    for (int i = 1; i < TL_PATCH_PARTICLES; ++i) {
        f[i] = tl_vs_add(f[i], tl_vs_scale(by_a, tl_vec_load(set->tangent[0][i] + first)));
        f[i] = tl_vs_sub(f[i], tl_vs_scale(by_b, tl_vec_load(set->tangent[1][i] + first)));
        tl_vs_add_to(p->f, index[i], f[i], count, run);
        f[0] = tl_vs_add(f[0], f[i]);
    }
    tl_vs_take_from(p->f, index[0], f[0], count, run);
}

void TL_KERNEL(tl_bend_curvature_force)(const tl_element_batch *batch, const tl_patch_set *set, const tl_particles *p)
{
    const tl_particles own = *p; /* a local copy that stores cannot alias, so that its pointers stay in registers */
    TL_FOR_BLOCKS(set->groups, block, set, batch->stiffness, batch->damping, &own)
}
