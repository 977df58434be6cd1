/* Force of shear, vectorised over triangles: −∇_i C (k C + d Ċ), C = a^¾ W_u·W_v, Ċ = a^¾ (Ẇ_u·W_v + W_u·Ẇ_v)
   (element/shear.c has equations and sources). Corner 0 takes the opposite of the other two. Its
   Hessian between corners i and j is k ∇_i C ∇_j Cᵀ and the definite half of k C ∇_i ∇_j C. */
#include "element/face_pairs.h"

TL_INLINE void block(int first, int count, bool run, const tl_face_set *set, tl_real stiffness, tl_real damping,
                     const tl_particles *p)
{
    const int *i0 = set->particle[0] + first, *i1 = set->particle[1] + first, *i2 = set->particle[2] + first;
    tl_vec u1 = tl_vec_load(set->u[0] + first), u2 = tl_vec_load(set->u[1] + first);
    tl_vec v1 = tl_vec_load(set->v[0] + first), v2 = tl_vec_load(set->v[1] + first);
    tl_vec scale = tl_vec_load(set->scale + first);
    tl_vectors x0 = tl_vs_read(p->x, i0, run), d0 = tl_vs_read(p->v, i0, run);
    tl_vectors x1 = tl_vs_sub(tl_vs_read(p->x, i1, run), x0), d1 = tl_vs_sub(tl_vs_read(p->v, i1, run), d0);
    tl_vectors x2 = tl_vs_sub(tl_vs_read(p->x, i2, run), x0), d2 = tl_vs_sub(tl_vs_read(p->v, i2, run), d0);
    tl_vectors wu = tl_vs_add(tl_vs_scale(x1, u1), tl_vs_scale(x2, u2));
    tl_vectors wv = tl_vs_add(tl_vs_scale(x1, v1), tl_vs_scale(x2, v2));
    tl_vectors wu_dot = tl_vs_add(tl_vs_scale(d1, u1), tl_vs_scale(d2, u2));
    tl_vectors wv_dot = tl_vs_add(tl_vs_scale(d1, v1), tl_vs_scale(d2, v2));

    tl_vec rate = tl_vs_dot(wu_dot, wv) + tl_vs_dot(wu, wv_dot);
    tl_vec size = -(stiffness * tl_vs_dot(wu, wv) + damping * rate) * (scale * scale);
    wu = tl_vs_scale(wu, size);
    wv = tl_vs_scale(wv, size);
    tl_vectors f1 = tl_vs_add(tl_vs_scale(wv, u1), tl_vs_scale(wu, v1));
    tl_vectors f2 = tl_vs_add(tl_vs_scale(wv, u2), tl_vs_scale(wu, v2));
    tl_vs_add_to(p->f, i1, f1, count, run);
    tl_vs_add_to(p->f, i2, f2, count, run);
    tl_vs_take_from(p->f, i0, tl_vs_add(f1, f2), count, run);
}

void TL_KERNEL(tl_shear_force)(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p)
{
    const tl_particles own = *p; /* a local copy that stores cannot alias, so that its pointers stay in registers */
    TL_FOR_BLOCKS(set->groups, block, set, batch->stiffness, batch->damping, &own)
}

void TL_KERNEL(tl_shear_pairs)(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p, int first,
                               int count, tl_real by_position, tl_real by_velocity, tl_element_pair *out)
{
    tl_real stiffness = by_position * batch->stiffness, both = stiffness + by_velocity * batch->damping;
    for (int k = first; k < first + count; k += TL_WIDTH) {
        tl_vec u1 = tl_vec_load(set->u[0] + k), u2 = tl_vec_load(set->u[1] + k);
        tl_vec v1 = tl_vec_load(set->v[0] + k), v2 = tl_vec_load(set->v[1] + k);
        tl_vec scale = tl_vec_load(set->scale + k), square = scale * scale;
        face_edges edge = edges_at(set, p, k);
        tl_vectors wu = tl_vs_add(tl_vs_scale(edge.x1, u1), tl_vs_scale(edge.x2, u2));
        tl_vectors wv = tl_vs_add(tl_vs_scale(edge.x1, v1), tl_vs_scale(edge.x2, v2));
        tl_vec value = tl_vs_dot(wu, wv);
        tl_mask opposite = value < tl_vec_set(0);
        tl_vec curve = tl_vec_abs(value) * square * (stiffness / 2);
        const tl_vec u[3] = {-u1 - u2, u1, u2}, v[3] = {-v1 - v2, v1, v2};
        tl_vectors gradient[3];
        tl_vec along[3];
        for (int i = 0; i < 3; ++i) {
            gradient[i] = tl_vs_add(tl_vs_scale(wv, u[i]), tl_vs_scale(wu, v[i]));
            along[i] = u[i] + tl_select(opposite, -v[i], v[i]);
        }
        for (int n = 0; n < 3; ++n) {
            int i = FIRST[n], j = SECOND[n];
            add_outer(out + (k - first) / TL_LANES * 3 + n, k % TL_LANES, tl_vs_scale(gradient[i], square * both),
                      gradient[j], curve * along[i] * along[j]);
        }
    }
}
