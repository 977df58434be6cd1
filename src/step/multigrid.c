/* Coarse matrices and the V-cycle (step/multigrid.h). */
#include "step/multigrid.h"

#include "step/implicit.h"
#include "step/kernels.h"
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
    tl_row_matrix matrix;
    tl_tasks *tasks;
    int count, lanes;
} view;

static void filter_vector(const view *v, tl_real *a)
{
    const tl_filter *filter = v->matrix.filter;
    for (int i = 0; filter && i < v->count; ++i)
        if (filter->held[i]) {
            tl_vec3 left = tl_v3(0, 0, 0), value = tl_stride_at(a, i), n = filter->normal[i];
            if (filter->held[i] == 2)
                left = tl_madd(value, n, -tl_dot(value, n));
            tl_stride_put(a, i, left);
        }
}

typedef struct relaxing {
    const view *view;
    tl_relaxation step;
} relaxing;

static void relax_part(void *user, int part, int parts)
{
    const relaxing *job = user;
    const view *v = job->view;
    tl_row_relax_kernel *relax = TL_PICK_KERNEL(tl_row_relax, v->lanes);
    relax(&v->matrix, tl_part_bound(v->count, part, parts, TL_LANES),
          tl_part_bound(v->count, part + 1, parts, TL_LANES), &job->step);
}

static void relax(const view *v, tl_relaxation step)
{
    relaxing job = {v, step};
    tl_tasks_run(v->tasks, relax_part, &job);
}

static void start_part(void *user, int part, int parts)
{
    const relaxing *job = user;
    const view *v = job->view;
    int first = tl_part_bound(v->count, part, parts, TL_LANES),
        last = tl_part_bound(v->count, part + 1, parts, TL_LANES);
    for (int i = first; i < last; ++i)
        if (v->matrix.filter && v->matrix.filter->held[i])
            tl_stride_put(job->step.next, i,
                          tl_scale(tl_row_condition(&v->matrix, i, tl_stride_at(job->step.r, i)), job->step.gain));
        else
            put(job->step.next, i, splat(job->step.gain) * multiply(v->matrix.inverse[i], get(job->step.r, i)));
}

/* Chebyshev's method: the first direction is THETA⁻¹ D⁻¹ r, the others are keep d + gain D⁻¹ r. */
#define THETA ((LARGEST + SMALLEST) / 2)
#define DELTA ((LARGEST - SMALLEST) / 2)

/* d = the first direction. */
static void start(const view *v, tl_real *r, tl_real *d)
{
    relaxing job = {v, {.r = r, .next = d, .gain = 1 / THETA}};
    tl_tasks_run(v->tasks, start_part, &job);
}

/* x += p(D⁻¹A) D⁻¹ r from the first direction d on. At the end r is the residual, unless it is the `last` smoothing. q:
   working memory. */
static void smooth(const view *v, tl_real *x, tl_real *r, tl_real *d, tl_real *q, bool last)
{
    const tl_real sigma = THETA / DELTA;
    tl_real rho = 1 / sigma;
    for (int n = 1; n < SMOOTHING; ++n) {
        tl_real next = 1 / (2 * sigma - rho), *swap = d;
        relax(v, (tl_relaxation){.d = d, .x = x, .r = r, .next = q, .keep = next * rho, .gain = 2 * next / DELTA});
        d = q;
        q = swap;
        rho = next;
    }
    if (!last)
        relax(v, (tl_relaxation){.d = d, .x = x, .r = r});
    for (int k = 0, count = TL_STRIDE * v->count; last && k < count; ++k)
        x[k] += d[k];
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
    bool coarsest = l == grid->levels;
    start(above, r, d);
    smooth(above, x, r, d, q, false);
    if (coarsest)
        start(above, r, d);
    else {
        tl_level *level = &grid->level[l];
        view here = {.grid = grid,
                     .matrix = {.rows = &level->rows,
                                .block = (const tl_real(*)[TL_BLOCK])level->block,
                                .inverse = (const tl_real(*)[TL_BLOCK])level->inverse},
                     .tasks = level->count >= SHARED ? above->tasks : NULL,
                     .count = level->count,
                     .lanes = above->lanes};
        tl_real *coarse = level->vector[1];
        restrict_to(level, r, level->vector[0]);
        memset(coarse, 0, TL_STRIDE * (size_t)level->count * sizeof *coarse);
        if (l + 1 == grid->levels && grid->size > 0)
            solve_coarsest(grid, level->vector[0], coarse);
        else
            cycle(&here, l + 1, level->vector[0], coarse, level->vector[2], level->vector[3]);
        prolong_from(level, coarse, q);
        filter_vector(above, q);
        relax(above, (tl_relaxation){.d = q, .x = x, .r = r, .next = d, .gain = 1 / THETA});
    }
    smooth(above, x, r, d, q, true);
}

void tl_multigrid_cycle(tl_multigrid *grid, const tl_sparse *sparse, const tl_filter *filter, tl_tasks *tasks,
                        const tl_real *in, tl_real *out)
{
    view finest = {.grid = grid,
                   .matrix = tl_sparse_rows(sparse, filter),
                   .tasks = tasks,
                   .count = grid->particles,
                   .lanes = sparse->lanes};
    size_t bytes = TL_STRIDE * (size_t)grid->particles * sizeof(tl_real);
    tl_real *r = grid->vector[0];
    memcpy(r, in, bytes);
    filter_vector(&finest, r);
    memset(out, 0, bytes);
    cycle(&finest, 0, r, out, grid->vector[1], grid->vector[2]);
    filter_vector(&finest, out); /* to the last bit */
}
