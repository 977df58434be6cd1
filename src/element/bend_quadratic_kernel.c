/* Force of quadratic bending, vectorised over patches: −Σ_m c_mi [B (|q_m| − |q_m|₀) + d q̇_m·n_m] n_m with n_m along
   q_m (element/bend_quadratic.c has equations and sources). Particle 0 takes the opposite of the others. */
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
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
        tl_vectors q = {zero, zero, zero}, q_dot = {zero, zero, zero};
        for (int i = 1; i < TL_PATCH_PARTICLES; ++i) {
            tl_vec c = tl_vec_load(set->weight[m][i] + first);
            q = tl_vs_add(q, tl_vs_scale(tl_vs_sub(x[i], x[0]), c));
            q_dot = tl_vs_add(q_dot, tl_vs_scale(tl_vs_sub(v[i], v[0]), c));
        }
        tl_vec length = tl_vec_sqrt(tl_vs_dot(q, q));
        tl_mask bent = length > tl_vec_set(TL_PATCH_FLAT);
        tl_vec inverse = one / tl_select(bent, length, one);
        tl_vec rest = tl_vec_load(set->rest[m] + first);
        /* as B (1 − rest/|q|) q, so that with zero rest the force is exactly linear in q */
        tl_vec size = stiffness * (one - rest * inverse) + damping * tl_vs_dot(q_dot, q) * (inverse * inverse);
        size = tl_select(bent, -size, zero);
        for (int i = 1; i < TL_PATCH_PARTICLES; ++i) {
            tl_vec c = tl_vec_load(set->weight[m][i] + first);
            f[i] = tl_vs_add(f[i], tl_vs_scale(q, size * c));
        }
    }
    for (int i = 1; i < TL_PATCH_PARTICLES; ++i) {
        tl_vs_add_to(p->f, index[i], f[i], count, run);
        f[0] = tl_vs_add(f[0], f[i]);
    }
    tl_vs_take_from(p->f, index[0], f[0], count, run);
}

void TL_KERNEL(tl_bend_quadratic_force)(const tl_element_batch *batch, const tl_patch_set *set, const tl_particles *p)
{
    const tl_particles own = *p; /* a local copy that stores cannot alias, so that its pointers stay in registers */
    TL_FOR_BLOCKS(set->groups, block, set, batch->stiffness, batch->damping, &own)
}
