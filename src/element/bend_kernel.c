/* Force of bending, vectorised over hinges: −∇_i θ [k (θ − θ₀) + d θ̇], θ̇ = Σ ∇_i θ·v_i (element/bend.c has equations
   and sources). Particle 0 takes the opposite of the other three.

   ∇θ grows without bound as a triangle collapses. Over a step of h seconds, explicit damping removes d h Σ w_i |∇_i θ|²
   of θ̇; beyond 2 it adds energy. So d is limited to remove at most MAX_DAMPED of it, because a particle is part of a
   dozen hinges. */
#include "element/bend.h"
#include "element/vectors.h"

#define MAX_DAMPED ((tl_real)0.25)

TL_INLINE tl_mask is_open(tl_vec area_square, tl_vectors e, tl_vectors a)
{
    tl_mask wide = area_square > TL_BEND_SLIVER * (tl_vs_dot(e, e) * tl_vs_dot(a, a));
    tl_mask large = area_square > tl_vec_set(TL_BEND_SMALLEST);
    return wide & large;
}

/* θ − θ₀ wrapped to −π … π, from the angle between n₂ and n₃. */
TL_INLINE tl_vec bent_by(tl_vec sine, tl_vec cosine, tl_vec rest)
{
    tl_vec pi = tl_vec_set((tl_real)TL_PI), turn = tl_vec_set((tl_real)(2 * TL_PI));
    tl_vec angle = tl_vec_atan2(sine, cosine) - rest;
    angle = tl_select(angle > pi, angle - turn, angle);
    return tl_select(angle < -pi, angle + turn, angle);
}

/* w |g|² of the particles at index[0 …]. */
TL_INLINE tl_vec inverse_effective_mass(const tl_particles *p, const int *index, bool run, tl_vectors g)
{
    return (run ? tl_vec_load(p->w + *index) : tl_vec_gather(p->w, index)) * tl_vs_dot(g, g);
}

TL_INLINE void block(int first, int count, bool run, const tl_hinge_set *set, tl_real stiffness, tl_real damping,
                     tl_real step, const tl_particles *p)
{
    const int *i0 = set->particle[0] + first, *i1 = set->particle[1] + first;
    const int *i2 = set->particle[2] + first, *i3 = set->particle[3] + first;
    tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    tl_vectors x0 = tl_vs_read(p->x, i0, run);
    tl_vectors e = tl_vs_sub(tl_vs_read(p->x, i1, run), x0);
    tl_vectors a = tl_vs_sub(tl_vs_read(p->x, i2, run), x0), b = tl_vs_sub(tl_vs_read(p->x, i3, run), x0);
    tl_vectors n2 = tl_vs_cross(e, a), n3 = tl_vs_cross(e, b);
    tl_vec square2 = tl_vs_dot(n2, n2), square3 = tl_vs_dot(n3, n3);
    tl_mask open = is_open(square2, e, a) & is_open(square3, e, b);
    tl_vec length = tl_vec_sqrt(tl_vs_dot(e, e));
    tl_vec inverse = one / tl_select(open, length, one);
    tl_vec angle = bent_by(length * tl_vs_dot(b, n2), -tl_vs_dot(n2, n3), tl_vec_load(set->rest + first));

    tl_vectors m2 = tl_vs_scale(n2, one / tl_select(open, square2, one));
    tl_vectors m3 = tl_vs_scale(n3, one / tl_select(open, square3, one));
    tl_vec t2 = tl_vs_dot(a, e) * inverse, t3 = tl_vs_dot(b, e) * inverse;
    tl_vectors g1 = tl_vs_sub(tl_vs_scale(m3, t3), tl_vs_scale(m2, t2));
    tl_vectors g2 = tl_vs_scale(m2, length), g3 = tl_vs_scale(m3, -length);

    tl_vectors v0 = tl_vs_read(p->v, i0, run);
    tl_vec rate = tl_vs_dot(g1, tl_vs_sub(tl_vs_read(p->v, i1, run), v0)) +
                  tl_vs_dot(g2, tl_vs_sub(tl_vs_read(p->v, i2, run), v0)) +
                  tl_vs_dot(g3, tl_vs_sub(tl_vs_read(p->v, i3, run), v0));
    tl_vec damped = tl_vec_set(damping);
    if (step > 0 && damping > 0) {
        tl_vectors g0 = tl_vs_add(g1, tl_vs_add(g2, g3));
        tl_vec inverse_mass = inverse_effective_mass(p, i0, run, g0) + inverse_effective_mass(p, i1, run, g1) +
                              inverse_effective_mass(p, i2, run, g2) + inverse_effective_mass(p, i3, run, g3);
        tl_vec limit = tl_vec_set(MAX_DAMPED / step);
        damped =
            tl_select(damped * inverse_mass > limit, limit / tl_select(inverse_mass > zero, inverse_mass, one), damped);
    }
    tl_vec size = tl_select(open, -(stiffness * angle + damped * rate), zero);
    tl_vectors f1 = tl_vs_scale(g1, size), f2 = tl_vs_scale(g2, size), f3 = tl_vs_scale(g3, size);
    tl_vs_add_to(p->f, i1, f1, count, run);
    tl_vs_add_to(p->f, i2, f2, count, run);
    tl_vs_add_to(p->f, i3, f3, count, run);
    tl_vs_take_from(p->f, i0, tl_vs_add(f1, tl_vs_add(f2, f3)), count, run);
}

void TL_KERNEL(tl_bend_force)(const tl_element_batch *batch, const tl_hinge_set *set, const tl_particles *p)
{
    const tl_particles own = *p; /* a local copy that stores cannot alias, so that its pointers stay in registers */
    TL_FOR_BLOCKS(set->groups, block, set, batch->stiffness, batch->damping, batch->settings.step, &own)
}
