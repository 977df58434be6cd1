/* The maps of a NURBS sheet: the tensor product of two splines, applied axis by axis. */
#include "world/nurbs.h"

#include <string.h>

static const tl_mesh *net_of(const tl_nurbs *nurbs) { return nurbs->control->mesh; }

/* rows[R][i] = Σ_j W_u[i][j] c[R][j] */
static void map_rows(const tl_nurbs *nurbs, const tl_real *c)
{
    const tl_spline *u = &nurbs->u;
    const int *lattice = net_of(nurbs)->lattice;
    for (int r = 0; r < nurbs->v.controls; ++r, lattice += u->controls) {
        tl_real *row = nurbs->rows + (size_t)r * (size_t)u->samples;
        for (int i = 0; i < u->samples; ++i) {
            const tl_real *w = u->weight + TL_SPLINE_ORDER * (size_t)i;
            const int *at = lattice + u->first[i];
            row[i] = w[0] * c[at[0]] + w[1] * c[at[1]] + w[2] * c[at[2]] + w[3] * c[at[3]];
        }
    }
}

void tl_nurbs_map(const tl_nurbs *nurbs, const tl_mesh *mesh, tl_real *const c[3], tl_real *const out[3])
{
    const tl_spline *v = &nurbs->v;
    const size_t columns = (size_t)nurbs->u.samples;
    tl_real *restrict line = nurbs->line;
    for (int k = 0; k < 3; ++k) {
        map_rows(nurbs, c[k]);
        for (int r = 0; r < v->samples; ++r) {
            const tl_real *w = v->weight + TL_SPLINE_ORDER * (size_t)r;
            const tl_real *restrict a = nurbs->rows + columns * (size_t)v->first[r];
            const int *lattice = mesh->lattice + columns * (size_t)r;
            for (size_t i = 0; i < columns; ++i) /* on its own: contiguous, for the compiler's vectors */
                line[i] = w[0] * a[i] + w[1] * a[columns + i] + w[2] * a[2 * columns + i] + w[3] * a[3 * columns + i];
            for (size_t i = 0; i < columns; ++i)
                out[k][lattice[i]] = line[i];
        }
    }
}

/* sums[R][C] = Σ W_v[r][R] W_u[i][C] a[r][i], over the first part of `sums`; the rest is working memory. */
static double *gather(const tl_nurbs *nurbs, const tl_mesh *mesh, const tl_real *a)
{
    const tl_spline *u = &nurbs->u, *v = &nurbs->v;
    const size_t columns = (size_t)u->samples, controls = (size_t)u->controls;
    double *sums = nurbs->sums, *rows = sums + controls * (size_t)v->controls;
    memset(sums, 0, (controls + columns) * (size_t)v->controls * sizeof *sums);
    for (int r = 0; r < v->samples; ++r)
        for (size_t i = 0; i < columns; ++i)
            for (int k = 0; k < TL_SPLINE_ORDER; ++k)
                rows[columns * (size_t)(v->first[r] + k) + i] +=
                    (double)v->weight[TL_SPLINE_ORDER * r + k] * (double)a[mesh->lattice[columns * (size_t)r + i]];
    for (size_t r = 0; r < (size_t)v->controls; ++r)
        for (size_t i = 0; i < columns; ++i)
            for (size_t k = 0; k < TL_SPLINE_ORDER; ++k)
                sums[controls * r + (size_t)u->first[i] + k] +=
                    (double)u->weight[TL_SPLINE_ORDER * i + k] * rows[columns * r + i];
    return sums;
}

static void put_net(const tl_nurbs *nurbs, const double *sums, tl_real *out)
{
    const tl_mesh *net = net_of(nurbs);
    for (int k = 0; k < net->particle_count; ++k)
        out[net->lattice[k]] = (tl_real)sums[k];
}

void tl_nurbs_gather(const tl_nurbs *nurbs, const tl_mesh *mesh, const tl_real *a, tl_real *out)
{
    put_net(nurbs, gather(nurbs, mesh, a), out);
}

static void transpose(double *to, const double *from, size_t rows, size_t columns)
{
    for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < columns; ++c)
            to[c * rows + r] = from[r * columns + c];
}

void tl_nurbs_fit(const tl_nurbs *nurbs, const tl_mesh *mesh, tl_real *const x[3], tl_real *const out[3])
{
    const size_t rows = (size_t)nurbs->v.controls, columns = (size_t)nurbs->u.controls;
    for (int k = 0; k < 3; ++k) {
        double *sums = gather(nurbs, mesh, x[k]), *turned = sums + rows * columns;
        tl_spline_solve(&nurbs->v, sums, (int)columns, (int)columns);
        transpose(turned, sums, rows, columns);
        tl_spline_solve(&nurbs->u, turned, (int)rows, (int)rows);
        transpose(sums, turned, columns, rows);
        put_net(nurbs, sums, out[k]);
    }
}
