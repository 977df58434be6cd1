/* Force of bending as curvature, many patches at a time: −Σ_m ∇_i C_m (B C_m + d Ċ_m) (element/bend_curvature.c has
   equations and sources). With z_m = B C_m + d Ċ_m, the corners' second terms add up to s_i × Σ_m z_m q⊥_m / |N|. */
#include "element/bend.h"
#include "element/patch.h"
#include "element/vectors.h"

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
    tl_vectors s[3] = {tl_vs_sub(x[1], x[2]), tl_vs_sub(x[2], x[0]), tl_vs_sub(x[0], x[1])};
    tl_vectors normal = tl_vs_cross(s[1], s[2]);
    tl_vec square = tl_vs_dot(normal, normal);
    tl_mask wide = square > TL_BEND_SLIVER * (tl_vs_dot(s[1], s[1]) * tl_vs_dot(s[2], s[2]));
    tl_mask large = square > tl_vec_set(TL_BEND_SMALLEST);
    tl_mask open = wide & large;
    tl_vec inverse = one / tl_select(open, tl_vec_sqrt(square), one);
    tl_vectors n = tl_vs_scale(normal, inverse);

    tl_vectors turn = {zero, zero, zero};
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
        tl_vectors q = {zero, zero, zero}, q_dot = {zero, zero, zero};
        for (int i = 1; i < TL_PATCH_PARTICLES; ++i) {
            tl_vec c = tl_vec_load(set->weight[m][i] + first);
            q = tl_vs_add(q, tl_vs_scale(tl_vs_sub(x[i], x[0]), c));
            q_dot = tl_vs_add(q_dot, tl_vs_scale(tl_vs_sub(v[i], v[0]), c));
        }
        tl_vec value = tl_vs_dot(n, q);
        tl_vectors across = tl_vs_scale(tl_vs_sub(q, tl_vs_scale(n, value)), inverse);
        tl_vec rate = tl_vs_dot(n, q_dot) + tl_vs_dot(tl_vs_cross(s[1], across), tl_vs_sub(v[1], v[0])) +
                      tl_vs_dot(tl_vs_cross(s[2], across), tl_vs_sub(v[2], v[0]));
        value = value - tl_vec_load(set->rest[m] + first);
        tl_vec size = tl_select(open, -(stiffness * value + damping * rate), zero);
        turn = tl_vs_add(turn, tl_vs_scale(across, size));
        for (int i = 1; i < TL_PATCH_PARTICLES; ++i) {
            tl_vec c = tl_vec_load(set->weight[m][i] + first);
            f[i] = tl_vs_add(f[i], tl_vs_scale(n, size * c));
        }
    }
    f[1] = tl_vs_add(f[1], tl_vs_cross(s[1], turn));
    f[2] = tl_vs_add(f[2], tl_vs_cross(s[2], turn));
    for (int i = 1; i < TL_PATCH_PARTICLES; ++i) {
        tl_vs_add_to(p->f, index[i], f[i], count, run);
        f[0] = tl_vs_add(f[0], f[i]);
    }
    tl_vs_take_from(p->f, index[0], f[0], count, run);
}

void TL_KERNEL(tl_bend_curvature_force)(const tl_element_batch *batch, const tl_patch_set *set, const tl_particles *p)
{
    const tl_particles own = *p; /* a copy the stores cannot reach, so that its pointers stay in registers */
    TL_FOR_BLOCKS(set->groups, block, set, batch->stiffness, batch->damping, &own)
}
