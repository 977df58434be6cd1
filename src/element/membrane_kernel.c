/* Force of stretch along a thread, vectorised over triangles: −∇_i C (k C + d Ċ), C = √a ½ (W·W − 1), Ċ = √a W·Ẇ
   (element/membrane.c has equations and sources). Corner 0 takes the opposite of the other two. Its Hessian between
   corners i and j is u_i u_j (k a W Wᵀ + k √a C I), the second part only where the thread is stretched. */
#include "element/face_pairs.h"

TL_INLINE void block(int first, int count, bool run, const tl_face_set *set, tl_real *const coefficient[2],
                     tl_real stiffness, tl_real damping, const tl_particles *p)
{
    const int *i0 = set->particle[0] + first, *i1 = set->particle[1] + first, *i2 = set->particle[2] + first;
    tl_vec u1 = tl_vec_load(coefficient[0] + first), u2 = tl_vec_load(coefficient[1] + first);
    tl_vec scale = tl_vec_load(set->scale + first);
    tl_vectors x0 = tl_vs_read(p->x, i0, run), d0 = tl_vs_read(p->v, i0, run);
    tl_vectors x1 = tl_vs_sub(tl_vs_read(p->x, i1, run), x0), d1 = tl_vs_sub(tl_vs_read(p->v, i1, run), d0);
    tl_vectors x2 = tl_vs_sub(tl_vs_read(p->x, i2, run), x0), d2 = tl_vs_sub(tl_vs_read(p->v, i2, run), d0);
    tl_vectors w = tl_vs_add(tl_vs_scale(x1, u1), tl_vs_scale(x2, u2));
    tl_vectors w_dot = tl_vs_add(tl_vs_scale(d1, u1), tl_vs_scale(d2, u2));

    tl_vec strain = (tl_vs_dot(w, w) - tl_vec_set(1)) * (tl_real)0.5;
    tl_vec size = -(stiffness * strain + damping * tl_vs_dot(w, w_dot)) * (scale * scale);
    tl_vectors f1 = tl_vs_scale(w, size * u1), f2 = tl_vs_scale(w, size * u2);
    tl_vs_add_to(p->f, i1, f1, count, run);
    tl_vs_add_to(p->f, i2, f2, count, run);
    tl_vs_take_from(p->f, i0, tl_vs_add(f1, f2), count, run);
}

void TL_KERNEL(tl_membrane_force)(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p,
                                  bool weft)
{
    const tl_particles own = *p; /* a local copy that stores cannot alias, so that its pointers stay in registers */
    tl_real *const coefficient[2] = {weft ? set->v[0] : set->u[0], weft ? set->v[1] : set->u[1]};
    TL_FOR_BLOCKS(set->groups, block, set, coefficient, batch->stiffness, batch->damping, &own)
}

void TL_KERNEL(tl_membrane_pairs)(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p,
                                  int first, int count, tl_real by_position, tl_real by_velocity, tl_element_pair *out,
                                  bool weft)
{
    tl_real *const coefficient[2] = {weft ? set->v[0] : set->u[0], weft ? set->v[1] : set->u[1]};
    tl_real stiffness = by_position * batch->stiffness, both = stiffness + by_velocity * batch->damping;
    for (int k = first; k < first + count; k += TL_WIDTH) {
        tl_vec u1 = tl_vec_load(coefficient[0] + k), u2 = tl_vec_load(coefficient[1] + k);
        tl_vec scale = tl_vec_load(set->scale + k), square = scale * scale;
        face_edges edge = edges_at(set, p, k);
        tl_vectors w = tl_vs_add(tl_vs_scale(edge.x1, u1), tl_vs_scale(edge.x2, u2));
        tl_vec strain = (tl_vs_dot(w, w) - tl_vec_set(1)) * (tl_real)0.5;
        tl_vec curve = tl_select(strain < tl_vec_set(0), tl_vec_set(0), strain) * square * stiffness;
        const tl_vec u[3] = {-u1 - u2, u1, u2};
        tl_vectors scaled = tl_vs_scale(w, square * both);
        for (int n = 0; n < 3; ++n) {
            tl_vec product = u[FIRST[n]] * u[SECOND[n]];
            add_outer(out + (k - first) / TL_LANES * 3 + n, k % TL_LANES, tl_vs_scale(scaled, product), w,
                      curve * product);
        }
    }
}
