/* Coarse matrices and the V-cycle (step/multigrid.h). */
#include "step/multigrid.h"

#include "step/implicit.h"
#include "step/multigrid_levels.h"

#include <string.h>

/* Chebyshev smoothing acts on the eigenvalues of D⁻¹A between these. Elements of n particles bound them by n; 3.3 is
   above what membranes and bending show, and the smoother stays a contraction up to 1.25 times that. */
#define LARGEST ((tl_real)3.3)
#define SMALLEST (LARGEST / 4)
enum { SMOOTHING = 2 };
/* Share of a diagonal block's mean that is added to it: directions without a free particle have none of their own. */
#define REGULAR ((tl_real)1e-6)
enum { SHARED = 512 }; /* nodes from which on a level is worked out by all threads */

/* One number for each row of a block, and a 0. */
typedef tl_real quad __attribute__((vector_size(4 * sizeof(tl_real)), may_alias));

static inline quad load(const tl_real *a) { return *(const quad *)a; }
static inline void store(tl_real *a, quad value) { *(quad *)a = value; }
static inline quad splat(tl_real a) { return (quad){a, a, a, a}; }
static inline quad get(const tl_real *a, int i) { return load(a + 4 * (ptrdiff_t)i); }
static inline void put(tl_real *a, int i, quad value) { store(a + 4 * (ptrdiff_t)i, value); }
static inline quad multiply(const tl_real *block, quad v)
{
    return load(block) * splat(v[0]) + load(block + 4) * splat(v[1]) + load(block + 8) * splat(v[2]);
}

/* ---- coarse matrices ------------------------------------------------------------------------------------------- */

typedef struct assembly {
    tl_level *level;
    const tl_rows *rows; /* of the finer matrix */
    const tl_real (*block)[TL_BLOCK];
    const tl_rows *constant_rows; /* NULL: none */
    const tl_real *constant;
    const tl_filter *filter; /* NULL below the finest level: it is in the matrix */
} assembly;

/* S_i A S_k of one block. */
static void filter_block(const tl_filter *filter, int i, int k, tl_real a[TL_BLOCK])
{
    if (filter->held[i] == 1 || filter->held[k] == 1) {
        memset(a, 0, TL_BLOCK * sizeof *a);
        return;
    }
    if (filter->held[i] == 2) {
        const tl_real n[3] = {filter->normal[i].x, filter->normal[i].y, filter->normal[i].z};
        for (int c = 0; c < 3; ++c) {
            tl_real along = n[0] * a[4 * c] + n[1] * a[4 * c + 1] + n[2] * a[4 * c + 2];
            for (int r = 0; r < 3; ++r)
                a[4 * c + r] -= n[r] * along;
        }
    }
    if (filter->held[k] == 2) {
        const tl_real n[3] = {filter->normal[k].x, filter->normal[k].y, filter->normal[k].z};
        for (int r = 0; r < 3; ++r) {
            tl_real along = n[0] * a[r] + n[1] * a[4 + r] + n[2] * a[8 + r];
            for (int c = 0; c < 3; ++c)
                a[4 * c + r] -= n[c] * along;
        }
    }
}

static inline void add_block(tl_real *restrict out, const tl_real *restrict a, tl_real weight)
{
    quad w = splat(weight);
    store(out, load(out) + w * load(a));
    store(out + 4, load(out + 4) + w * load(a + 4));
    store(out + 8, load(out + 8) + w * load(a + 8));
}

static bool is_filtered(const tl_filter *filter, int i, int k) { return filter && (filter->held[i] | filter->held[k]); }

/* Row i of A P. */
static void product_row(const assembly *job, int i)
{
    tl_level *level = job->level;
    tl_real(*row)[TL_BLOCK] = level->product + level->product_start[i];
    memset(row, 0, (size_t)(level->product_start[i + 1] - level->product_start[i]) * sizeof *row);
    const int *place = level->block_place + level->block_first[i];
    for (int k = job->rows->start[i]; k < job->rows->start[i + 1]; ++k) {
        int j = job->rows->column[k];
        const tl_real *block = job->block[k];
        _Alignas(32) tl_real own[TL_BLOCK];
        if (is_filtered(job->filter, i, j)) {
            memcpy(own, block, sizeof own);
            filter_block(job->filter, i, j, own);
            block = own;
        }
        for (int n = level->down.start[j]; n < level->down.start[j + 1]; ++n)
            add_block(row[*place++], block, level->down.value[n]);
    }
    if (!job->constant_rows)
        return;
    place = level->constant_place + level->constant_first[i];
    for (int k = job->constant_rows->start[i]; k < job->constant_rows->start[i + 1]; ++k) {
        int j = job->constant_rows->column[k];
        tl_real number = job->constant[k];
        bool filtered = is_filtered(job->filter, i, j);
        _Alignas(32) tl_real own[TL_BLOCK] = {0};
        if (filtered) {
            own[0] = own[5] = own[10] = number;
            filter_block(job->filter, i, j, own);
        }
        for (int n = level->down.start[j]; n < level->down.start[j + 1]; ++n) {
            tl_real *out = row[*place++], weight = level->down.value[n];
            if (filtered) {
                add_block(out, own, weight);
                continue;
            }
            out[0] += weight * number;
            out[5] += weight * number;
            out[10] += weight * number;
        }
    }
}

static void product_part(void *user, int part, int parts)
{
    const assembly *job = user;
    int first = tl_part_bound(job->level->finer, part, parts, 1),
        last = tl_part_bound(job->level->finer, part + 1, parts, 1);
    for (int i = first; i < last; ++i)
        product_row(job, i);
}

/* Row c of Pᵀ (A P), and the inverse of its diagonal block. */
static void coarse_row(tl_level *level, int c)
{
    tl_real(*row)[TL_BLOCK] = level->block + level->rows.start[c];
    memset(row, 0, (size_t)(level->rows.start[c + 1] - level->rows.start[c]) * sizeof *row);
    const int *place = level->coarse_place + level->coarse_first[c];
    for (int t = level->up.start[c]; t < level->up.start[c + 1]; ++t) {
        int i = level->up.column[t];
        for (int q = level->product_start[i]; q < level->product_start[i + 1]; ++q)
            add_block(row[*place++], level->product[q], level->up.value[t]);
    }
    tl_real mean = (row[0][0] + row[0][5] + row[0][10]) / 3, more = mean > 0 ? REGULAR * mean : 1;
    for (int r = 0; r < 3; ++r)
        row[0][5 * r] += more;
    tl_block_invert(row[0], 0, level->inverse[c]);
}

static void coarse_part(void *user, int part, int parts)
{
    tl_level *level = ((const assembly *)user)->level;
    int first = tl_part_bound(level->count, part, parts, 1), last = tl_part_bound(level->count, part + 1, parts, 1);
    for (int c = first; c < last; ++c)
        coarse_row(level, c);
}

/* Cholesky's factor of the coarsest matrix. */
static bool factorise(tl_multigrid *grid)
{
    const tl_level *level = &grid->level[grid->levels - 1];
    int size = grid->size;
    double *a = grid->factor;
    memset(a, 0, (size_t)size * (size_t)size * sizeof *a);
    for (int i = 0; i < level->count; ++i)
        for (int k = level->rows.start[i]; k < level->rows.start[i + 1]; ++k)
            for (int c = 0; c < 9; ++c)
                a[(3 * i + c / 3) * size + 3 * level->rows.column[k] + c % 3] =
                    (double)level->block[k][TL_BLOCK_AT(c / 3, c % 3)];
    for (int j = 0; j < size; ++j) {
        double *row = a + j * size;
        for (int k = 0; k <= j; ++k) {
            const double *other = a + k * size;
            double sum[4] = {0};
            int n = 0;
            for (; n + 4 <= k; n += 4)
                for (int c = 0; c < 4; ++c)
                    sum[c] += row[n + c] * other[n + c];
            for (; n < k; ++n)
                sum[0] += row[n] * other[n];
            double left = row[k] - ((sum[0] + sum[1]) + (sum[2] + sum[3]));
            if (k < j)
                row[k] = left / other[k];
            else if (!(left > 0))
                return false;
            else
                row[j] = sqrt(left);
        }
    }
    return true;
}

bool tl_multigrid_assemble(tl_multigrid *grid, const tl_sparse *sparse, const tl_filter *filter, tl_tasks *tasks)
{
    assembly job = {.rows = &sparse->rows,
                    .block = (const tl_real(*)[TL_BLOCK])sparse->block,
                    .constant_rows =
                        sparse->constant_rows.start[sparse->count] > sparse->count ? &sparse->constant_rows : NULL,
                    .constant = sparse->constant,
                    .filter = filter};
    for (int l = 0; l < grid->levels; ++l) {
        tl_level *level = &grid->level[l];
        job.level = level;
        tl_tasks_run(level->finer >= SHARED ? tasks : NULL, product_part, &job);
        tl_tasks_run(level->count >= SHARED ? tasks : NULL, coarse_part, &job);
        job.rows = &level->rows;
        job.block = (const tl_real(*)[TL_BLOCK])level->block;
        job.constant_rows = NULL;
        job.filter = NULL;
    }
    return grid->size == 0 || factorise(grid);
}

/* ---- the cycle -------------------------------------------------------------------------------------------------- */

/* One level as the smoother sees it. */
typedef struct view {
    tl_multigrid *grid;
    const tl_sparse *sparse; /* of the finest, else NULL */
    const tl_filter *filter; /* the same */
    tl_level *level;         /* else */
    tl_tasks *tasks;
    int count;
} view;

static void filter_vector(const view *v, tl_real *a)
{
    for (int i = 0; v->filter && i < v->count; ++i)
        if (v->filter->held[i]) {
            tl_vec3 left = tl_v3(0, 0, 0), value = tl_stride_at(a, i), n = v->filter->normal[i];
            if (v->filter->held[i] == 2)
                left = tl_madd(value, n, -tl_dot(value, n));
            tl_stride_put(a, i, left);
        }
}

typedef struct vectors {
    const tl_level *level;
    const tl_real *in;
    tl_real *out;
} vectors;

static void times_part(void *user, int part, int parts)
{
    const vectors *job = user;
    const tl_level *level = job->level;
    int first = tl_part_bound(level->count, part, parts, 1), last = tl_part_bound(level->count, part + 1, parts, 1);
    for (int i = first; i < last; ++i) {
        quad sum = {0};
        for (int k = level->rows.start[i]; k < level->rows.start[i + 1]; ++k)
            sum += multiply(level->block[k], get(job->in, level->rows.column[k]));
        put(job->out, i, sum);
    }
}

static void matrix_times(const view *v, const tl_real *in, tl_real *out)
{
    vectors job = {v->level, in, out};
    if (v->sparse)
        tl_sparse_times(v->sparse, v->tasks, in, out);
    else
        tl_tasks_run(v->tasks, times_part, &job);
    filter_vector(v, out);
}

static void jacobi(const view *v, const tl_real *in, tl_real *out)
{
    if (v->sparse)
        tl_sparse_jacobi(v->sparse, v->tasks, in, out);
    else
        for (int i = 0; i < v->count; ++i)
            put(out, i, multiply(v->level->inverse[i], get(in, i)));
    for (int i = 0; v->filter && i < v->count; ++i)
        if (v->filter->held[i] == 1)
            put(out, i, splat(0));
        else if (v->filter->held[i] == 2) {
            /* the inverse of a block within the plane: D⁻¹ − D⁻¹n nᵀD⁻¹ / nᵀD⁻¹n */
            tl_vec3 n = v->filter->normal[i], z = tl_stride_at(out, i);
            quad image = multiply(v->sparse->inverse[i], (quad){n.x, n.y, n.z, 0});
            tl_vec3 across = tl_v3(image[0], image[1], image[2]);
            tl_stride_put(out, i, tl_madd(z, across, -tl_dot(n, z) / tl_dot(n, across)));
        }
}

/* x += p(D⁻¹A) D⁻¹ r, and r is the residual after that. d, q: working memory. */
static void smooth(const view *v, tl_real *x, tl_real *r, tl_real *d, tl_real *q)
{
    const tl_real theta = (LARGEST + SMALLEST) / 2, delta = (LARGEST - SMALLEST) / 2, sigma = theta / delta;
    int count = TL_STRIDE * v->count;
    tl_real rho = 1 / sigma;
    jacobi(v, r, d);
    for (int k = 0; k < count; ++k)
        d[k] /= theta;
    for (int n = 0;; ++n) {
        matrix_times(v, d, q);
        for (int k = 0; k < count; ++k) {
            x[k] += d[k];
            r[k] -= q[k];
        }
        if (n + 1 == SMOOTHING)
            return;
        tl_real next = 1 / (2 * sigma - rho);
        jacobi(v, r, q);
        for (int k = 0; k < count; ++k)
            d[k] = next * rho * d[k] + 2 * next / delta * q[k];
        rho = next;
    }
}

static void solve_coarsest(tl_multigrid *grid, const tl_real *r, tl_real *x)
{
    int size = grid->size;
    const double *a = grid->factor;
    double *y = grid->dense;
    for (int i = 0; i < size; ++i) {
        double sum = (double)r[TL_STRIDE * (i / 3) + i % 3];
        for (int k = 0; k < i; ++k)
            sum -= a[i * size + k] * y[k];
        y[i] = sum / a[i * size + i];
    }
    for (int i = size - 1; i >= 0; --i) {
        y[i] /= a[i * size + i];
        for (int k = 0; k < i; ++k)
            y[k] -= a[i * size + k] * y[i];
        x[TL_STRIDE * (i / 3) + i % 3] = (tl_real)y[i];
    }
}

static void restrict_to(const tl_level *level, const tl_real *fine, tl_real *coarse)
{
    for (int c = 0; c < level->count; ++c) {
        quad sum = {0};
        for (int t = level->up.start[c]; t < level->up.start[c + 1]; ++t)
            sum += splat(level->up.value[t]) * get(fine, level->up.column[t]);
        put(coarse, c, sum);
    }
}

static void prolong_from(const tl_level *level, const tl_real *coarse, tl_real *fine)
{
    for (int i = 0; i < level->finer; ++i) {
        quad sum = {0};
        for (int n = level->down.start[i]; n < level->down.start[i + 1]; ++n)
            sum += splat(level->down.value[n]) * get(coarse, level->down.column[n]);
        put(fine, i, sum);
    }
}

/* x ≈ A⁻¹ r from x = 0 on coarse level l; r is used up. */
static void cycle(const view *above, int l, tl_real *r, tl_real *x, tl_real *d, tl_real *q)
{
    tl_multigrid *grid = above->grid;
    smooth(above, x, r, d, q);
    if (l < grid->levels) {
        tl_level *level = &grid->level[l];
        view here = {
            .grid = grid, .level = level, .tasks = level->count >= SHARED ? above->tasks : NULL, .count = level->count};
        tl_real *coarse = level->vector[1];
        restrict_to(level, r, level->vector[0]);
        memset(coarse, 0, TL_STRIDE * (size_t)level->count * sizeof *coarse);
        if (l + 1 == grid->levels && grid->size > 0)
            solve_coarsest(grid, level->vector[0], coarse);
        else
            cycle(&here, l + 1, level->vector[0], coarse, level->vector[2], level->vector[3]);
        prolong_from(level, coarse, d);
        filter_vector(above, d);
        matrix_times(above, d, q);
        for (int k = 0, count = TL_STRIDE * above->count; k < count; ++k) {
            x[k] += d[k];
            r[k] -= q[k];
        }
    }
    smooth(above, x, r, d, q);
}

void tl_multigrid_cycle(tl_multigrid *grid, const tl_sparse *sparse, const tl_filter *filter, tl_tasks *tasks,
                        const tl_real *in, tl_real *out)
{
    view finest = {.grid = grid, .sparse = sparse, .filter = filter, .tasks = tasks, .count = grid->particles};
    size_t bytes = TL_STRIDE * (size_t)grid->particles * sizeof(tl_real);
    tl_real *r = grid->vector[0];
    memcpy(r, in, bytes);
    filter_vector(&finest, r);
    memset(out, 0, bytes);
    cycle(&finest, 0, r, out, grid->vector[1], grid->vector[2]);
    filter_vector(&finest, out); /* to the last bit */
}
