/* Solves links one piece after the other, a vector of links at a time (element/link_solve.h has the equation). The
   links of a piece share no particle, so all vector widths give bit-identical results. */
#include "core/packed.h"
#include "element/link_solve.h"

typedef struct vectors {
    tl_vec x, y, z;
} vectors;

/* Shapes of the inner loop; constant wherever it is inlined. */
typedef struct shape {
    bool range, damped, summed, packed, fine;
} shape;

TL_INLINE vectors load(tl_real *const a[3], int i)
{
    return (vectors){tl_vec_load(a[0] + i), tl_vec_load(a[1] + i), tl_vec_load(a[2] + i)};
}

TL_INLINE vectors gather(tl_real *const a[3], const int *i)
{
    return (vectors){tl_vec_gather(a[0], i), tl_vec_gather(a[1], i), tl_vec_gather(a[2], i)};
}

TL_INLINE vectors plus(vectors a, vectors b) { return (vectors){a.x + b.x, a.y + b.y, a.z + b.z}; }
TL_INLINE vectors minus(vectors a, vectors b) { return (vectors){a.x - b.x, a.y - b.y, a.z - b.z}; }

/* Δλ/|d| of TL_WIDTH links: particle i moves by −w_i, particle j by +w_j times that times d. `moved` is the motion of d
   since the start of the substep, only read when damped; `lambda` is read and written when summed. */
TL_INLINE tl_vec step_length(vectors d, vectors moved, tl_vec rest, tl_vec weights, tl_vec compliance,
                             const tl_link_solve *solve, tl_vec *lambda, shape s)
{
    tl_vec zero = tl_vec_set(0), tiny = tl_vec_set((tl_real)1e-30);
    tl_vec square = d.x * d.x + d.y * d.y + d.z * d.z;
    tl_vec length = tl_vec_sqrt(square);
    tl_vec error = length - rest;
    if (s.range) {
        tl_vec above = length - rest * solve->high, below = length - rest * solve->low;
        error = tl_select(above > zero, above, tl_select(below < zero, below, zero));
    }
    tl_vec divisor = weights + compliance;
    if (s.damped) {
        tl_vec rate = (d.x * moved.x + d.y * moved.y + d.z * moved.z) / (length + tiny);
        error = error + rate * solve->damping;
        divisor = weights * (1 + solve->damping) + compliance;
    }
    if (s.summed)
        error = error + compliance * *lambda;
    tl_vec scale = -error * solve->keep / (divisor * length + tiny); /* one division; coincident particles stay */
    if (s.summed)
        *lambda = *lambda + scale * length;
    return scale;
}

TL_INLINE void run_block(int i, int j, int count, tl_vec rest, tl_vec compliance, tl_real *lambda_at,
                         const tl_link_solve *solve, const tl_particles *p, shape s)
{
    vectors xi = load(p->x, i), xj = load(p->x, j), d = minus(xj, xi), moved = d;
    tl_vec wi = tl_vec_load(p->w + i), wj = tl_vec_load(p->w + j), lambda = {0};
    if (s.damped)
        moved = minus(d, minus(load(solve->x_old, j), load(solve->x_old, i)));
    if (s.fine)
        d = plus(minus(load(solve->base, j), load(solve->base, i)), d);
    if (s.summed)
        lambda = tl_vec_load(lambda_at);
    tl_vec scale = step_length(d, moved, rest, wi + wj, compliance, solve, &lambda, s);
    if (s.summed)
        tl_vec_store(lambda_at, lambda);
    /* Lanes past the run move by 0 and are stored unchanged; i < j, so that j is stored last. */
    if (count < TL_WIDTH)
        scale = tl_first_lanes(scale, count);
    tl_vec si = scale * wi, sj = scale * wj;
    tl_real *const *x = p->x;
    tl_vec_store(x[0] + i, xi.x - d.x * si);
    tl_vec_store(x[1] + i, xi.y - d.y * si);
    tl_vec_store(x[2] + i, xi.z - d.z * si);
    tl_vec_store(x[0] + j, xj.x + d.x * sj);
    tl_vec_store(x[1] + j, xj.y + d.y * sj);
    tl_vec_store(x[2] + j, xj.z + d.z * sj);
}

TL_INLINE void solve_run(const tl_link_set *set, const tl_link_piece *run, const tl_link_solve *solve,
                         const tl_particles *p, shape s)
{
    tl_vec rest = tl_vec_set(run->rest), compliance = tl_vec_set(solve->compliance / run->weight);
    int k = 0;
    for (; k + TL_WIDTH <= run->count; k += TL_WIDTH) {
        if (!run->equal_rest)
            rest = tl_vec_load(set->rest + run->first + k);
        run_block(run->i0 + k, run->j0 + k, TL_WIDTH, rest, compliance, s.summed ? solve->lambda + run->slot + k : NULL,
                  solve, p, s);
    }
    if (k < run->count) {
        if (!run->equal_rest)
            rest = tl_vec_load(set->rest + run->first + k);
        run_block(run->i0 + k, run->j0 + k, run->count - k, rest, compliance,
                  s.summed ? solve->lambda + run->slot + k : NULL, solve, p, s);
    }
}

TL_INLINE void solve_gathered(const tl_link_set *set, int first, int count, tl_real *lambda_at,
                              const tl_link_solve *solve, const tl_particles *p, shape s)
{
    /* lanes past the last link repeat its particles: the next ones may belong to another thread */
    int ends[2][TL_WIDTH];
    const int *i = set->i + first, *j = set->j + first;
    if (count < TL_WIDTH) {
        for (int k = 0; k < TL_WIDTH; ++k) {
            ends[0][k] = i[k < count ? k : count - 1];
            ends[1][k] = j[k < count ? k : count - 1];
        }
        i = ends[0];
        j = ends[1];
    }
    vectors xi, xj;
    tl_vec wi, wj, lambda = {0};
    if (s.packed) {
        tl_packs a = tl_packs_read(solve->packed, i), b = tl_packs_read(solve->packed, j);
        xi = (vectors){a.x, a.y, a.z};
        xj = (vectors){b.x, b.y, b.z};
        wi = a.w;
        wj = b.w;
    } else {
        xi = gather(p->x, i);
        xj = gather(p->x, j);
        wi = tl_vec_gather(p->w, i);
        wj = tl_vec_gather(p->w, j);
    }
    vectors d = minus(xj, xi), moved = d;
    if (s.damped)
        moved = minus(d, minus(gather(solve->x_old, j), gather(solve->x_old, i)));
    if (s.fine)
        d = plus(minus(gather(solve->base, j), gather(solve->base, i)), d);
    if (s.summed)
        lambda = tl_vec_load(lambda_at);
    tl_vec compliance = tl_vec_set(solve->compliance);
    if (solve->compliance > 0) /* the padding after the last link has weight 0: computed and discarded */
        compliance = compliance / tl_vec_load(set->weight + first);
    tl_vec scale = step_length(d, moved, tl_vec_load(set->rest + first), wi + wj, compliance, solve, &lambda, s);
    if (s.summed)
        tl_vec_store(lambda_at, lambda);
    tl_vec si = scale * wi, sj = scale * wj;
    if (s.packed) {
        tl_packs_write(solve->packed, i, (tl_packs){xi.x - d.x * si, xi.y - d.y * si, xi.z - d.z * si, wi}, count);
        tl_packs_write(solve->packed, j, (tl_packs){xj.x + d.x * sj, xj.y + d.y * sj, xj.z + d.z * sj, wj}, count);
        return;
    }
    tl_real *const *x = p->x;
    tl_vec_scatter_part(x[0], i, xi.x - d.x * si, count);
    tl_vec_scatter_part(x[1], i, xi.y - d.y * si, count);
    tl_vec_scatter_part(x[2], i, xi.z - d.z * si, count);
    tl_vec_scatter_part(x[0], j, xj.x + d.x * sj, count);
    tl_vec_scatter_part(x[1], j, xj.y + d.y * sj, count);
    tl_vec_scatter_part(x[2], j, xj.z + d.z * sj, count);
}

TL_INLINE void solve_pieces(const tl_link_set *set, const tl_link_piece *pieces, int count, const tl_link_solve *solve,
                            const tl_particles *p, shape s)
{
    for (int n = 0; n < count; ++n) {
        const tl_link_piece *piece = &pieces[n];
        if (piece->i0 >= 0 && !s.packed) {
            solve_run(set, piece, solve, p, s);
            continue;
        }
        int k = 0;
        for (; k + TL_WIDTH <= piece->count; k += TL_WIDTH)
            solve_gathered(set, piece->first + k, TL_WIDTH, s.summed ? solve->lambda + piece->slot + k : NULL, solve, p,
                           s);
        if (k < piece->count)
            solve_gathered(set, piece->first + k, piece->count - k, s.summed ? solve->lambda + piece->slot + k : NULL,
                           solve, p, s);
    }
}

void TL_KERNEL(tl_link_solve)(const tl_link_set *set, const tl_link_piece *pieces, int count,
                              const tl_link_solve *solve, const tl_particles *p)
{
    /* local copies that no store can alias, so that they stay in registers */
    const tl_link_solve numbers = *solve;
    const tl_particles arrays = *p;
    bool range = solve->low != 1 || solve->high != 1, damped = solve->damping > 0, summed = solve->lambda != NULL;
    if (solve->base)
        solve_pieces(set, pieces, count, &numbers, &arrays, (shape){range, damped, summed, false, true});
    else if (solve->packed && !range && !damped && !summed)
        solve_pieces(set, pieces, count, &numbers, &arrays, (shape){false, false, false, true, false});
    else if (solve->packed && !range && damped && !summed)
        solve_pieces(set, pieces, count, &numbers, &arrays, (shape){false, true, false, true, false});
    else if (solve->packed)
        solve_pieces(set, pieces, count, &numbers, &arrays, (shape){range, damped, summed, true, false});
    else if (!range && !damped && !summed)
        solve_pieces(set, pieces, count, &numbers, &arrays, (shape){false, false, false, false, false});
    else if (!range && damped && !summed)
        solve_pieces(set, pieces, count, &numbers, &arrays, (shape){false, true, false, false, false});
    else if (!range && damped)
        solve_pieces(set, pieces, count, &numbers, &arrays, (shape){false, true, true, false, false});
    else if (!range)
        solve_pieces(set, pieces, count, &numbers, &arrays, (shape){false, false, true, false, false});
    else
        solve_pieces(set, pieces, count, &numbers, &arrays, (shape){true, damped, summed, false, false});
}
