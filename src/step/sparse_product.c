/* Products with the implicit matrix and its preconditioners (step/sparse.h). The rows of a block are computed in
   parallel lanes, each summed as in scalar code. */
#include "step/sparse.h"

/* One number for each row of a block, and a 0. */
typedef tl_real quad __attribute__((vector_size(4 * sizeof(tl_real)), may_alias));

static inline quad load(const tl_real *a) { return *(const quad *)a; }
static inline quad splat(tl_real a) { return (quad){a, a, a, a}; }

/* The numbers of particle i. */
static inline quad get(const tl_real *a, int i) { return load(a + 4 * (ptrdiff_t)i); }
static inline void set(tl_real *a, int i, quad value) { *(quad *)(a + 4 * (ptrdiff_t)i) = value; }

static inline quad multiply(const tl_real *block, quad v)
{
    return load(block) * splat(v[0]) + load(block + 4) * splat(v[1]) + load(block + 8) * splat(v[2]);
}

typedef struct product {
    const tl_sparse *sparse;
    const tl_real *in;
    tl_real *out;
} product;

static void times_part(void *user, int part, int parts)
{
    const product *job = user;
    const tl_sparse *s = job->sparse;
    const tl_rows *rows = &s->rows, *constant = &s->constant_rows;
    int first = tl_part_bound(s->count, part, parts, TL_LANES),
        last = tl_part_bound(s->count, part + 1, parts, TL_LANES);
    for (int i = first; i < last; ++i) {
        quad sum = {0}, steady = {0};
        for (int k = rows->start[i]; k < rows->start[i + 1]; ++k)
            sum += multiply(s->block[k], get(job->in, rows->column[k]));
        for (int k = constant->start[i]; k < constant->start[i + 1]; ++k)
            steady += splat(s->constant[k]) * get(job->in, constant->column[k]);
        set(job->out, i, sum + steady);
    }
}

void tl_sparse_times(const tl_sparse *sparse, tl_tasks *tasks, const tl_real *in, tl_real *out)
{
    product job = {sparse, in, out};
    tl_tasks_run(tasks, times_part, &job);
}

static void jacobi_part(void *user, int part, int parts)
{
    const product *job = user;
    int count = job->sparse->count;
    int first = tl_part_bound(count, part, parts, TL_LANES), last = tl_part_bound(count, part + 1, parts, TL_LANES);
    for (int i = first; i < last; ++i)
        set(job->out, i, multiply(job->sparse->inverse[i], get(job->in, i)));
}

void tl_sparse_jacobi(const tl_sparse *sparse, tl_tasks *tasks, const tl_real *in, tl_real *out)
{
    product job = {sparse, in, out};
    tl_tasks_run(tasks, jacobi_part, &job);
}

void tl_sparse_sweep(const tl_sparse *s, const unsigned char *constrained, const tl_real *in, tl_real *out)
{
    const tl_rows *rows = &s->rows;
    for (int i = 0; i < s->count; ++i) {
        quad sum = get(in, i);
        for (int k = rows->start[i] + 1; k < rows->above[i]; ++k)
            sum -= multiply(s->block[k], get(out, rows->column[k]));
        set(out, i, constrained[i] == 1 ? (quad){0} : multiply(s->inverse[i], sum));
    }
    for (int i = s->count - 1; i >= 0; --i) {
        if (constrained[i] == 1)
            continue;
        quad sum = {0};
        for (int k = rows->above[i]; k < rows->start[i + 1]; ++k)
            sum -= multiply(s->block[k], get(out, rows->column[k]));
        set(out, i, get(out, i) + multiply(s->inverse[i], sum));
    }
}
