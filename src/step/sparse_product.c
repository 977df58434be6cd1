/* Products with the implicit matrix and its preconditioners (step/sparse.h). The rows of a block are computed in
   parallel lanes, each summed as in scalar code. */
#include "step/row_kernels.h"

#include "step/kernels.h"

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
    tl_row_times_kernel *times = TL_PICK_KERNEL(tl_row_times, s->lanes);
    tl_row_matrix matrix = tl_sparse_rows(s, NULL);
    times(&matrix, tl_part_bound(s->count, part, parts, TL_LANES), tl_part_bound(s->count, part + 1, parts, TL_LANES),
          job->in, job->out);
}

tl_row_matrix tl_sparse_rows(const tl_sparse *sparse, const tl_filter *filter)
{
    return (tl_row_matrix){.rows = &sparse->rows,
                           .block = (const tl_real(*)[TL_BLOCK])sparse->block,
                           .inverse = (const tl_real(*)[TL_BLOCK])sparse->inverse,
                           .ground = (const tl_real(*)[TL_BLOCK])sparse->ground,
                           .constant_rows = &sparse->constant_rows,
                           .constant = sparse->constant,
                           .filter = filter};
}

tl_vec3 tl_row_condition(const tl_row_matrix *a, int i, tl_vec3 r)
{
    quad image = multiply(a->inverse[i], (quad){r.x, r.y, r.z, 0});
    tl_vec3 z = tl_v3(image[0], image[1], image[2]);
    if (!a->filter || a->filter->held[i] == 0)
        return z;
    if (a->filter->held[i] == 1)
        return tl_v3(0, 0, 0);
    /* the inverse of a block within the plane: D⁻¹ − D⁻¹n nᵀD⁻¹ / nᵀD⁻¹n */
    tl_vec3 n = a->filter->normal[i];
    image = multiply(a->inverse[i], (quad){n.x, n.y, n.z, 0});
    tl_vec3 across = tl_v3(image[0], image[1], image[2]);
    return tl_madd(z, across, -tl_dot(n, z) / tl_dot(n, across));
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
