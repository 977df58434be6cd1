/* Triangles, hinges and patches as constraints (element/solve.h has the equation; stretch.c, shear.c, membrane.c,
   bend.c and bend_quadratic.c the conditions and their gradients). Particle 0 of an element has the opposite of the sum
   of the others' gradients. */
#include "core/packed.h"
#include "element/bend.h"
#include "element/face.h"
#include "element/patch.h"
#include "element/solve.h"
#include "element/vectors.h"

enum { MAX_CORNERS = TL_PATCH_PARTICLES };
#define TL_UNROLL _Pragma("GCC unroll 9")

/* How particles are accessed; a compile-time constant after inlining. The first two are the `run` of a group. */
enum { GATHERED = 0, RUN = 1, PACKED = 2 };
typedef struct source {
    int access;
    bool fine; /* x are displacements from solve->base; the same kind of constant */
    const tl_particles *p;
    const tl_solve *solve;
} source;

/* The particles of TL_WIDTH elements. Their number n is passed as a constant, so that loops over them unroll. Lanes
   past the last element of a group repeat its particles: the next ones may belong to another thread. */
typedef struct corners {
    const int *index[MAX_CORNERS];
    int again[MAX_CORNERS][TL_WIDTH];
    tl_vectors x[MAX_CORNERS];
    tl_vectors base[MAX_CORNERS]; /* of particle k relative to particle 0, when fine */
    tl_vec w[MAX_CORNERS];
    bool fine;
} corners;

/* A run's last vector is gathered when it is not full. */
TL_INLINE bool is_run(int access, int lanes) { return access == RUN && lanes == TL_WIDTH; }

TL_INLINE void find_corners(const int n, corners *c, int *const particle[], int first, int lanes)
{
    TL_UNROLL for (int k = 0; k < n; ++k)
    {
        c->index[k] = particle[k] + first;
        if (lanes == TL_WIDTH)
            continue;
        for (int lane = 0; lane < TL_WIDTH; ++lane)
            c->again[k][lane] = particle[k][first + (lane < lanes ? lane : lanes - 1)];
        c->index[k] = c->again[k];
    }
}

TL_INLINE void read_corners(const int n, corners *c, int *const particle[], int first, int lanes, source from)
{
    find_corners(n, c, particle, first, lanes);
    c->fine = from.fine;
    TL_UNROLL for (int k = 0; k < n; ++k)
    {
        if (from.access == PACKED) {
            tl_packs pack = tl_packs_read(from.solve->packed, c->index[k]);
            c->x[k] = (tl_vectors){pack.x, pack.y, pack.z};
            c->w[k] = pack.w;
        } else {
            bool run = is_run(from.access, lanes);
            c->x[k] = tl_vs_read(from.p->x, c->index[k], run);
            c->w[k] = run ? tl_vec_load(from.p->w + *c->index[k]) : tl_vec_gather(from.p->w, c->index[k]);
        }
    }
    if (from.fine) {
        bool run = is_run(from.access, lanes);
        c->base[0] = tl_vs_read(from.solve->base, c->index[0], run);
        TL_UNROLL for (int k = 1; k < n; ++k)
        {
            c->base[k] = tl_vs_sub(tl_vs_read(from.solve->base, c->index[k], run), c->base[0]);
        }
    }
}

/* From particle 0 to particle k. */
TL_INLINE tl_vectors edge(const corners *c, int k)
{
    tl_vectors moved = tl_vs_sub(c->x[k], c->x[0]);
    return c->fine ? tl_vs_add(c->base[k], moved) : moved;
}

TL_INLINE void write_corners(const int n, const corners *c, int lanes, source to)
{
    TL_UNROLL for (int k = n - 1; k >= 0; --k) /* particle 0 last: a patch without a full ring is padded with it */
    {
        if (to.access == PACKED)
            tl_packs_write(to.solve->packed, c->index[k], (tl_packs){c->x[k].x, c->x[k].y, c->x[k].z, c->w[k]}, lanes);
        else
            tl_vs_write(to.p->x, c->index[k], c->x[k], lanes, is_run(to.access, lanes));
    }
}

/* λ of the block's lanes lie `conditions` apart. */
TL_INLINE tl_vec read_lambda(const tl_real *lambda, int conditions, int lanes)
{
    tl_real values[TL_WIDTH] = {0};
    for (int k = 0; k < lanes; ++k)
        values[k] = lambda[k * conditions];
    return tl_vec_load(values);
}

TL_INLINE void write_lambda(tl_real *lambda, int conditions, int lanes, tl_vec value)
{
    tl_real values[TL_WIDTH];
    tl_vec_store(values, value);
    for (int k = 0; k < lanes; ++k)
        lambda[k * conditions] = values[k];
}

/* Moves the corners for one condition with the gradients g[1 …]; g[0] is computed here. */
TL_INLINE void solve_one(const int n, corners *c, tl_vectors *g, tl_vec value, const tl_solve *solve, tl_real *lambda,
                         int conditions, int lanes, bool run)
{
    tl_vec zero = tl_vec_set(0), one = tl_vec_set(1), none = tl_vec_set(0);
    g[0] = (tl_vectors){none, none, none};
    TL_UNROLL for (int k = 1; k < n; ++k) { g[0] = tl_vs_sub(g[0], g[k]); }
    tl_vec weights = c->w[0] * tl_vs_dot(g[0], g[0]);
    TL_UNROLL for (int k = 1; k < n; ++k) { weights = weights + c->w[k] * tl_vs_dot(g[k], g[k]); }
    tl_vec divisor = weights * (1 + solve->damping) + solve->compliance;
    tl_mask moves = weights > zero;
    if (solve->damping > 0) {
        tl_vec rate = zero;
        TL_UNROLL for (int k = 0; k < n; ++k)
        {
            rate = rate + tl_vs_dot(g[k], tl_vs_sub(c->x[k], tl_vs_read(solve->x_old, c->index[k], run)));
        }
        value = value + rate * solve->damping;
    }
    tl_vec sum = zero;
    if (lambda) {
        sum = read_lambda(lambda, conditions, lanes);
        value = value + sum * solve->compliance;
    }
    tl_vec change = tl_select(moves, -value * solve->keep / tl_select(moves, divisor, one), zero);
    if (lambda)
        write_lambda(lambda, conditions, lanes, sum + change);
    TL_UNROLL for (int k = 0; k < n; ++k) { c->x[k] = tl_vs_add(c->x[k], tl_vs_scale(g[k], c->w[k] * change)); }
}

/* ---- triangles -------------------------------------------------------------------------------------------------- */

/* Σ c_i x_i with c_0 = −c_1 − c_2. */
TL_INLINE tl_vectors map(const corners *c, tl_vec c1, tl_vec c2)
{
    return tl_vs_add(tl_vs_scale(edge(c, 1), c1), tl_vs_scale(edge(c, 2), c2));
}

/* C = s (‖W‖ − b), ∇_i C = s c_i W/‖W‖. */
TL_INLINE void solve_length(corners *c, tl_vec c1, tl_vec c2, tl_vec scale, tl_real rest, const tl_solve *solve,
                            tl_real *lambda, int lanes, bool run)
{
    tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    tl_vectors w = map(c, c1, c2), g[MAX_CORNERS];
    tl_vec square = tl_vs_dot(w, w), length = tl_vec_sqrt(square);
    tl_vectors n = tl_vs_scale(w, tl_select(square > zero, scale / tl_select(square > zero, length, one), zero));
    g[1] = tl_vs_scale(n, c1);
    g[2] = tl_vs_scale(n, c2);
    solve_one(3, c, g, scale * (length - rest), solve, lambda, 2, lanes, run);
}

TL_INLINE void stretch_block(int first, int count, int access, const tl_face_set *set, const tl_element_batch *batch,
                             const tl_solve *solve, const tl_particles *p, bool fine)
{
    corners c;
    read_corners(3, &c, set->particle, first, count, (source){access, fine, p, solve});
    tl_vec scale = tl_vec_load(set->scale + first);
    tl_real *lambda = solve->lambda ? solve->lambda + 2 * first : NULL;
    solve_length(&c, tl_vec_load(set->u[0] + first), tl_vec_load(set->u[1] + first), scale, batch->settings.stretch_u,
                 solve, lambda, count, is_run(access, count));
    solve_length(&c, tl_vec_load(set->v[0] + first), tl_vec_load(set->v[1] + first), scale, batch->settings.stretch_v,
                 solve, lambda ? lambda + 1 : NULL, count, is_run(access, count));
    write_corners(3, &c, count, (source){access, fine, p, solve});
}

/* C = s (W·W − 1)/2, ∇_i C = s c_i W. */
TL_INLINE void thread_block(int first, int count, int access, const tl_face_set *set, tl_real *const coefficient[2],
                            const tl_solve *solve, const tl_particles *p, bool fine)
{
    corners c;
    read_corners(3, &c, set->particle, first, count, (source){access, fine, p, solve});
    tl_vec c1 = tl_vec_load(coefficient[0] + first), c2 = tl_vec_load(coefficient[1] + first),
           scale = tl_vec_load(set->scale + first);
    tl_vectors w = map(&c, c1, c2), g[MAX_CORNERS];
    tl_vec value = scale * (tl_vs_dot(w, w) - 1) * (tl_real)0.5;
    w = tl_vs_scale(w, scale);
    g[1] = tl_vs_scale(w, c1);
    g[2] = tl_vs_scale(w, c2);
    solve_one(3, &c, g, value, solve, solve->lambda ? solve->lambda + first : NULL, 1, count, is_run(access, count));
    write_corners(3, &c, count, (source){access, fine, p, solve});
}

/* C = s W_u·W_v, ∇_i C = s (u_i W_v + v_i W_u). */
TL_INLINE void shear_block(int first, int count, int access, const tl_face_set *set, const tl_element_batch *batch,
                           const tl_solve *solve, const tl_particles *p, bool fine)
{
    (void)batch;
    corners c;
    read_corners(3, &c, set->particle, first, count, (source){access, fine, p, solve});
    tl_vec u1 = tl_vec_load(set->u[0] + first), u2 = tl_vec_load(set->u[1] + first);
    tl_vec v1 = tl_vec_load(set->v[0] + first), v2 = tl_vec_load(set->v[1] + first),
           scale = tl_vec_load(set->scale + first);
    tl_vectors wu = tl_vs_scale(map(&c, u1, u2), scale), wv = map(&c, v1, v2), g[MAX_CORNERS];
    tl_vec value = tl_vs_dot(wu, wv);
    wv = tl_vs_scale(wv, scale);
    g[1] = tl_vs_add(tl_vs_scale(wv, u1), tl_vs_scale(wu, v1));
    g[2] = tl_vs_add(tl_vs_scale(wv, u2), tl_vs_scale(wu, v2));
    solve_one(3, &c, g, value, solve, solve->lambda ? solve->lambda + first : NULL, 1, count, is_run(access, count));
    write_corners(3, &c, count, (source){access, fine, p, solve});
}

/* ---- hinges ------------------------------------------------------------------------------------------------------ */

TL_INLINE tl_mask is_open(tl_vec area_square, tl_vectors e, tl_vectors a)
{
    tl_mask wide = area_square > TL_BEND_SLIVER * (tl_vs_dot(e, e) * tl_vs_dot(a, a));
    tl_mask large = area_square > tl_vec_set(TL_BEND_SMALLEST);
    return wide & large;
}

/* C = θ − θ₀ wrapped to −π … π; a hinge with a collapsed triangle is skipped. */
TL_INLINE void bend_block(int first, int count, int access, const tl_hinge_set *set, const tl_element_batch *batch,
                          const tl_solve *solve, const tl_particles *p, bool fine)
{
    (void)batch;
    corners c;
    read_corners(4, &c, set->particle, first, count, (source){access, fine, p, solve});
    tl_vec zero = tl_vec_set(0), one = tl_vec_set(1), pi = tl_vec_set((tl_real)TL_PI),
           turn = tl_vec_set((tl_real)(2 * TL_PI));
    tl_vectors e = edge(&c, 1), a = edge(&c, 2), b = edge(&c, 3), g[MAX_CORNERS];
    tl_vectors n2 = tl_vs_cross(e, a), n3 = tl_vs_cross(e, b);
    tl_vec square2 = tl_vs_dot(n2, n2), square3 = tl_vs_dot(n3, n3);
    tl_mask open = is_open(square2, e, a) & is_open(square3, e, b);
    tl_vec length = tl_vec_sqrt(tl_vs_dot(e, e)), inverse = one / tl_select(open, length, one);
    tl_vec angle = tl_vec_atan2(length * tl_vs_dot(b, n2), -tl_vs_dot(n2, n3)) - tl_vec_load(set->rest + first);
    angle = tl_select(angle > pi, angle - turn, angle);
    angle = tl_select(angle < -pi, angle + turn, angle);
    tl_vectors m2 = tl_vs_scale(n2, tl_select(open, one / tl_select(open, square2, one), zero));
    tl_vectors m3 = tl_vs_scale(n3, tl_select(open, one / tl_select(open, square3, one), zero));
    tl_vec t2 = tl_vs_dot(a, e) * inverse, t3 = tl_vs_dot(b, e) * inverse;
    g[1] = tl_vs_sub(tl_vs_scale(m3, t3), tl_vs_scale(m2, t2));
    g[2] = tl_vs_scale(m2, length);
    g[3] = tl_vs_scale(m3, -length);
    solve_one(4, &c, g, angle, solve, solve->lambda ? solve->lambda + first : NULL, 1, count, is_run(access, count));
    write_corners(4, &c, count, (source){access, fine, p, solve});
}

/* ---- patches ----------------------------------------------------------------------------------------------------- */

/* C_m = |q_m| − |q_m|₀ with q_m = Σ c_mi x_i, ∇_i C_m = c_mi q_m/|q_m|. */
TL_INLINE void patch_block(int first, int count, int access, const tl_patch_set *set, const tl_solve *solve,
                           const tl_particles *p, bool fine)
{
    corners c;
    tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    read_corners(TL_PATCH_PARTICLES, &c, set->particle, first, count, (source){access, fine, p, solve});
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
        tl_vectors q = {zero, zero, zero}, g[MAX_CORNERS];
        TL_UNROLL for (int i = 1; i < TL_PATCH_PARTICLES; ++i)
        {
            q = tl_vs_add(q, tl_vs_scale(edge(&c, i), tl_vec_load(set->weight[m][i] + first)));
        }
        tl_vec length = tl_vec_sqrt(tl_vs_dot(q, q));
        tl_mask bent = length > tl_vec_set(TL_PATCH_FLAT);
        tl_vectors n = tl_vs_scale(q, tl_select(bent, one / tl_select(bent, length, one), zero));
        TL_UNROLL for (int i = 1; i < TL_PATCH_PARTICLES; ++i)
        {
            g[i] = tl_vs_scale(n, tl_vec_load(set->weight[m][i] + first));
        }
        tl_real *lambda = solve->lambda ? solve->lambda + TL_PATCH_CONDITIONS * first + m : NULL;
        solve_one(TL_PATCH_PARTICLES, &c, g, length - tl_vec_load(set->rest[m] + first), solve, lambda,
                  TL_PATCH_CONDITIONS, count, is_run(access, count));
    }
    write_corners(TL_PATCH_PARTICLES, &c, count, (source){access, fine, p, solve});
}

/* Colour by colour: consecutive groups are independent, so that the processor can overlap them. */
#define SOLVE_BLOCKS(groups, block, ...)                                                                               \
    for (const tl_group *group = (groups).group + from, *stop = (groups).group + to; group < stop; ++group)            \
        if (solve->packed) {                                                                                           \
            TL_FOR_BLOCKS_OF(group, block, PACKED, __VA_ARGS__, false);                                                \
        } else if (solve->base) {                                                                                      \
            TL_FOR_BLOCKS_OF_GROUP(group, block, __VA_ARGS__, true);                                                   \
        } else {                                                                                                       \
            TL_FOR_BLOCKS_OF_GROUP(group, block, __VA_ARGS__, false);                                                  \
        }

void TL_KERNEL(tl_stretch_solve)(const tl_element_batch *batch, int from, int to, const tl_solve *solve,
                                 const tl_particles *p)
{
    const tl_particles own = *p; /* a local copy that stores cannot alias, so that its pointers stay in registers */
    const tl_face_set *set = batch->data;
    SOLVE_BLOCKS(set->groups, stretch_block, set, batch, solve, &own)
}

void TL_KERNEL(tl_shear_solve)(const tl_element_batch *batch, int from, int to, const tl_solve *solve,
                               const tl_particles *p)
{
    const tl_particles own = *p;
    const tl_face_set *set = batch->data;
    SOLVE_BLOCKS(set->groups, shear_block, set, batch, solve, &own)
}

void TL_KERNEL(tl_bend_solve)(const tl_element_batch *batch, int from, int to, const tl_solve *solve,
                              const tl_particles *p)
{
    const tl_particles own = *p;
    const tl_hinge_set *set = batch->data;
    SOLVE_BLOCKS(set->groups, bend_block, set, batch, solve, &own)
}

void TL_KERNEL(tl_warp_solve)(const tl_element_batch *batch, int from, int to, const tl_solve *solve,
                              const tl_particles *p)
{
    const tl_particles own = *p;
    const tl_face_set *set = batch->data;
    SOLVE_BLOCKS(set->groups, thread_block, set, set->u, solve, &own)
}

void TL_KERNEL(tl_weft_solve)(const tl_element_batch *batch, int from, int to, const tl_solve *solve,
                              const tl_particles *p)
{
    const tl_particles own = *p;
    const tl_face_set *set = batch->data;
    SOLVE_BLOCKS(set->groups, thread_block, set, set->v, solve, &own)
}

void TL_KERNEL(tl_patch_solve)(const tl_element_batch *batch, int from, int to, const tl_solve *solve,
                               const tl_particles *p)
{
    const tl_particles own = *p;
    const tl_patch_set *set = batch->data;
    SOLVE_BLOCKS(set->groups, patch_block, set, solve, &own)
}
