/* Rows of a block matrix, two blocks or numbers at a time (step/row_kernels.h).

   A row is summed in two halves of four numbers each, one for the first of two columns and one for the second, which
   are added at its end. Width 8 has both in one register, the others in two. */
#include "core/simd.h"
#include "step/row_kernels.h"

/* One number for each row of a block, and a 0. */
typedef tl_real quad __attribute__((vector_size(4 * sizeof(tl_real)), may_alias));

TL_INLINE quad load(const tl_real *a) { return *(const quad *)a; }
TL_INLINE quad splat(tl_real a) { return (quad){a, a, a, a}; }
TL_INLINE quad get(const tl_real *a, int i) { return load(a + 4 * (ptrdiff_t)i); }
TL_INLINE void put(tl_real *a, int i, quad value) { *(quad *)(a + 4 * (ptrdiff_t)i) = value; }
TL_INLINE quad multiply(const tl_real *block, quad v)
{
    return load(block) * splat(v[0]) + load(block + 4) * splat(v[1]) + load(block + 8) * splat(v[2]);
}

#if TL_WIDTH == 8

typedef tl_real pair __attribute__((vector_size(8 * sizeof(tl_real)), may_alias, aligned(16)));

TL_INLINE pair load_pair(const tl_real *a) { return *(const pair *)a; }
TL_INLINE pair join(quad a, quad b) { return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7); }
TL_INLINE pair twice(quad a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3); }
TL_INLINE quad halves(pair a)
{
    return __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

/* Two blocks that follow each other, six columns, times v and w; then one. */
TL_INLINE pair add_blocks(pair sum, const tl_real *block, quad v, quad w)
{
    pair vv = twice(v), ww = twice(w), vw = __builtin_shufflevector(vv, ww, 0, 1, 2, 3, 12, 13, 14, 15);
    sum += load_pair(block) * __builtin_shufflevector(vv, vv, 0, 0, 0, 0, 5, 5, 5, 5);
    sum += load_pair(block + 8) * __builtin_shufflevector(vw, vw, 2, 2, 2, 2, 4, 4, 4, 4);
    sum += load_pair(block + 16) * __builtin_shufflevector(ww, ww, 1, 1, 1, 1, 6, 6, 6, 6);
    return sum;
}
TL_INLINE pair add_block(pair sum, const tl_real *block, quad v)
{
    pair vv = twice(v);
    sum += load_pair(block) * __builtin_shufflevector(vv, vv, 0, 0, 0, 0, 5, 5, 5, 5);
    return sum + join(load(block + 8) * splat(v[2]), splat(0));
}
/* Two numbers that follow each other times v and w; then one. */
TL_INLINE pair add_numbers(pair sum, const tl_real *number, quad v, quad w)
{
    return sum + join(splat(number[0]), splat(number[1])) * join(v, w);
}
TL_INLINE pair add_number(pair sum, tl_real number, quad v) { return sum + join(splat(number) * v, splat(0)); }

#else

typedef struct pair {
    quad a, b;
} pair;

TL_INLINE quad halves(pair sum) { return sum.a + sum.b; }

TL_INLINE pair add_blocks(pair sum, const tl_real *block, quad v, quad w)
{
    return (pair){sum.a + load(block) * splat(v[0]) + load(block + 8) * splat(v[2]) + load(block + 16) * splat(w[1]),
                  sum.b + load(block + 4) * splat(v[1]) + load(block + 12) * splat(w[0]) +
                      load(block + 20) * splat(w[2])};
}
TL_INLINE pair add_block(pair sum, const tl_real *block, quad v)
{
    return (pair){sum.a + load(block) * splat(v[0]) + load(block + 8) * splat(v[2]),
                  sum.b + load(block + 4) * splat(v[1]) + splat(0)};
}
TL_INLINE pair add_numbers(pair sum, const tl_real *number, quad v, quad w)
{
    return (pair){sum.a + splat(number[0]) * v, sum.b + splat(number[1]) * w};
}
TL_INLINE pair add_number(pair sum, tl_real number, quad v)
{
    return (pair){sum.a + splat(number) * v, sum.b + splat(0)};
}

#endif

/* Row i of A v. By differences the diagonal, the first of the row, is left out. */
TL_INLINE quad times_row(const tl_row_matrix *a, int i, const tl_real *in, bool differences)
{
    const int *column = a->rows->column;
    quad own = differences ? get(in, i) : splat(0);
    pair sum = {0};
    int k = a->rows->start[i] + differences, end = a->rows->start[i + 1];
    for (; k + 2 <= end; k += 2)
        sum = add_blocks(sum, a->block[k], get(in, column[k]) - own, get(in, column[k + 1]) - own);
    if (k < end)
        sum = add_block(sum, a->block[k], get(in, column[k]) - own);
    if (!differences)
        return halves(sum);
    pair steady = {0};
    column = a->constant_rows->column;
    k = a->constant_rows->start[i] + 1;
    end = a->constant_rows->start[i + 1];
    for (; k + 2 <= end; k += 2)
        steady = add_numbers(steady, a->constant + k, get(in, column[k]) - own, get(in, column[k + 1]) - own);
    if (k < end)
        steady = add_number(steady, a->constant[k], get(in, column[k]) - own);
    return multiply(a->ground[i], own) + halves(sum) + halves(steady);
}

void TL_KERNEL(tl_row_times)(const tl_row_matrix *a, int first, int last, const tl_real *in, tl_real *out)
{
    const tl_row_matrix own = *a;
    if (own.ground)
        for (int i = first; i < last; ++i)
            put(out, i, times_row(&own, i, in, true));
    else
        for (int i = first; i < last; ++i)
            put(out, i, times_row(&own, i, in, false));
}

/* What the filter leaves of a particle's vector. */
TL_INLINE quad filtered(const tl_filter *filter, int i, quad v)
{
    if (filter->held[i] == 1)
        return splat(0);
    tl_vec3 n = filter->normal[i];
    tl_real along = v[0] * n.x + v[1] * n.y + v[2] * n.z;
    return v - splat(along) * (quad){n.x, n.y, n.z, 0};
}

TL_INLINE void relax_row(const tl_row_matrix *a, int i, const tl_relaxation *step, bool differences)
{
    bool held = a->filter && a->filter->held[i];
    quad d = get(step->d, i), image = times_row(a, i, step->d, differences);
    quad r = get(step->r, i) - (held ? filtered(a->filter, i, image) : image);
    put(step->r, i, r);
    put(step->x, i, get(step->x, i) + d);
    if (!step->next)
        return;
    quad z = multiply(a->inverse[i], r);
    if (held) {
        tl_vec3 conditioned = tl_row_condition(a, i, tl_v3(r[0], r[1], r[2]));
        z = (quad){conditioned.x, conditioned.y, conditioned.z, 0};
    }
    put(step->next, i, splat(step->keep) * d + splat(step->gain) * z);
}

void TL_KERNEL(tl_row_relax)(const tl_row_matrix *a, int first, int last, const tl_relaxation *step)
{
    const tl_row_matrix own = *a;
    const tl_relaxation job = *step;
    if (own.ground)
        for (int i = first; i < last; ++i)
            relax_row(&own, i, &job, true);
    else
        for (int i = first; i < last; ++i)
            relax_row(&own, i, &job, false);
}
