/* Force of stretch, vectorised over triangles: −a^¾ u_i n [k a^¾ (‖W‖ − b) + d Ċ] for W_u, likewise for W_v, with Ċ =
   a^¾ n·Ẇ (element/stretch.c has equations and sources). Corner 0 takes the opposite of the other two. */
#include "element/face.h"
#include "element/vectors.h"

typedef struct stretch_constants {
    tl_real stiffness, damping, stretch_u, stretch_v;
} stretch_constants;

/* −∂E/∂W and damping of one condition, to be multiplied by u_i. */
TL_INLINE tl_vectors pull(tl_vectors w, tl_vectors w_dot, tl_vec scale, tl_real rest, tl_real stiffness,
                          tl_real damping)
{
    tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    tl_vec square = tl_vs_dot(w, w);
    tl_vec length = tl_vec_sqrt(square);
    tl_vec inverse = one / tl_select(square > zero, length, one);
    tl_vec rate = tl_vs_dot(w, w_dot) * inverse;
    tl_vec size = (stiffness * (length - rest) + damping * rate) * (scale * scale);
    return tl_vs_scale(w, -size * inverse);
}

TL_INLINE void block(int first, int count, bool run, const tl_face_set *set, const stretch_constants *c,
                     const tl_particles *p)
{
    const int *i0 = set->particle[0] + first, *i1 = set->particle[1] + first, *i2 = set->particle[2] + first;
    tl_vec u1 = tl_vec_load(set->u[0] + first), u2 = tl_vec_load(set->u[1] + first);
    tl_vec v1 = tl_vec_load(set->v[0] + first), v2 = tl_vec_load(set->v[1] + first);
    tl_vec scale = tl_vec_load(set->scale + first);
    tl_vectors x0 = tl_vs_read(p->x, i0, run), d0 = tl_vs_read(p->v, i0, run);
    tl_vectors x1 = tl_vs_sub(tl_vs_read(p->x, i1, run), x0), d1 = tl_vs_sub(tl_vs_read(p->v, i1, run), d0);
    tl_vectors x2 = tl_vs_sub(tl_vs_read(p->x, i2, run), x0), d2 = tl_vs_sub(tl_vs_read(p->v, i2, run), d0);

    tl_vectors pull_u =
        pull(tl_vs_add(tl_vs_scale(x1, u1), tl_vs_scale(x2, u2)), tl_vs_add(tl_vs_scale(d1, u1), tl_vs_scale(d2, u2)),
             scale, c->stretch_u, c->stiffness, c->damping);
    tl_vectors pull_v =
        pull(tl_vs_add(tl_vs_scale(x1, v1), tl_vs_scale(x2, v2)), tl_vs_add(tl_vs_scale(d1, v1), tl_vs_scale(d2, v2)),
             scale, c->stretch_v, c->stiffness, c->damping);

    tl_vectors f1 = tl_vs_add(tl_vs_scale(pull_u, u1), tl_vs_scale(pull_v, v1));
    tl_vectors f2 = tl_vs_add(tl_vs_scale(pull_u, u2), tl_vs_scale(pull_v, v2));
    tl_vs_add_to(p->f, i1, f1, count, run);
    tl_vs_add_to(p->f, i2, f2, count, run);
    tl_vs_take_from(p->f, i0, tl_vs_add(f1, f2), count, run);
}

void TL_KERNEL(tl_stretch_force)(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p)
{
    const tl_particles own = *p; /* a local copy that stores cannot alias, so that its pointers stay in registers */
    const stretch_constants constants = {batch->stiffness, batch->damping, batch->settings.stretch_u,
                                         batch->settings.stretch_v};
    TL_FOR_BLOCKS(set->groups, block, set, &constants, &own)
}
