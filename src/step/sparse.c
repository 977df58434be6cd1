/* Pattern and assembly of the implicit matrix (step/sparse.h). */
#include "step/sparse.h"

#include "step/block.h"
#include "step/strain_limit.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARTICLES = TL_ELEMENT_MAX_PARTICLES };

/* ---- the pattern ------------------------------------------------------------------------------------------------ */

static int compare_ints(const void *a, const void *b)
{
    int p = *(const int *)a, q = *(const int *)b;
    return (p > q) - (p < q);
}

/* Whether element k of batch e goes to the constant part. */
static bool is_steady(const tl_sparse *sparse, int e, int k) { return sparse->steady[e] && sparse->steady[e][k]; }

/* A link: both particles as neighbours of each other and of themselves. */
static void add_link(int i, int j, int *fill, int *column)
{
    const int pair[2] = {i, j};
    for (int a = 0; a < 4; ++a) {
        if (column)
            column[fill[pair[a / 2]]] = pair[a % 2];
        ++fill[pair[a / 2]];
    }
}

/* Counts, or with `column` stores, the neighbours of every particle, with repetitions. */
static void gather_neighbours(const tl_sparse *sparse, const tl_system *system, bool steady, int *fill, int *column)
{
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        const tl_element_batch *batch = &system->batch[e];
        for (int k = 0; system->on[e] && k < batch->count; ++k) {
            if (is_steady(sparse, e, k) != steady)
                continue;
            int particle[MAX_PARTICLES], count = batch->kind->particles;
            batch->kind->members(batch, k, particle);
            for (int i = 0; i < count; ++i)
                for (int j = 0; j < count; ++j) {
                    if (column)
                        column[fill[particle[i]]] = particle[j];
                    ++fill[particle[i]];
                }
        }
    }
    for (int d = 0; d < 2 && sparse->has_taut_links && !steady; ++d) {
        const tl_link_set *set = &system->strain_limit->links[d];
        for (int n = 0; n < set->count; ++n)
            add_link(set->i[n], set->j[n], fill, column);
    }
}

static bool make_rows(tl_rows *rows, tl_sparse *sparse, const tl_system *system, bool steady)
{
    const tl_allocator *allocator = &system->allocator;
    size_t count = (size_t)sparse->count;
    int *fill = tl_allocate(allocator, count + 1, sizeof(int));
    int *all = NULL;
    rows->start = tl_allocate(allocator, count + 1, sizeof(int));
    rows->above = tl_allocate(allocator, count + 1, sizeof(int));
    bool done = fill && rows->start && rows->above;
    int total = 0;
    if (done) {
        gather_neighbours(sparse, system, steady, fill, NULL);
        for (int i = 0; i < sparse->count; ++i) {
            int own = fill[i];
            fill[i] = total;
            total += own;
        }
        all = tl_allocate(allocator, (size_t)total + 1, sizeof(int));
        done = all != NULL;
    }
    if (done) {
        gather_neighbours(sparse, system, steady, fill, all);
        /* sort every row and count its distinct columns */
        int at = 0, begin = 0;
        for (int i = 0; i < sparse->count; ++i) {
            int end = fill[i];
            qsort(all + begin, (size_t)(end - begin), sizeof(int), compare_ints);
            rows->start[i] = at;
            int last = -1;
            for (int k = begin; k < end; ++k) {
                if (all[k] != last)
                    ++at;
                last = all[k];
            }
            begin = end;
        }
        /* particles without such an element still have their diagonal */
        rows->column = tl_allocate(allocator, (size_t)at + count, sizeof(int));
        done = rows->column != NULL;
    }
    if (done) {
        int at = 0, begin = 0;
        for (int i = 0; i < sparse->count; ++i) {
            int end = fill[i], last = i;
            rows->start[i] = at;
            rows->column[at++] = i;
            rows->above[i] = at;
            for (int k = begin; k < end; ++k) {
                if (all[k] != last && all[k] != i)
                    rows->column[at++] = all[k];
                rows->above[i] = all[k] < i ? at : rows->above[i];
                last = all[k];
            }
            begin = end;
        }
        rows->start[sparse->count] = at;
        sparse->bytes += (2 * count + 2 + (size_t)at) * sizeof(int);
    }
    tl_release(allocator, fill);
    tl_release(allocator, all);
    return done;
}

int tl_rows_find(const tl_rows *rows, int row, int column)
{
    if (row == column)
        return rows->start[row];
    int low = rows->start[row] + 1, high = rows->start[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (rows->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Factor by which a stretched element may be stiffer than at rest: Green's strain gives 1 + 3 ε. */
#define STRETCHED ((tl_real)1.5)

/* Weights of a constant matrix that bounds k Σ ∇C ∇Cᵀ from above, at stiffness 1, from the gradients in the rest shape:
   (Σ g_i·x_i)² ≤ r Σ (g_i·g_j)(x_i·x_j), with r the number of directions that the g_i span. Rotation-invariant. Links
   are never stiffer than at rest. */
static void bound_weights(const tl_element_batch *batch, const tl_particles *rest, int k,
                          tl_real weight[MAX_PARTICLES][MAX_PARTICLES])
{
    tl_element_constraint at_rest;
    int per = batch->kind->particles;
    memset(weight, 0, sizeof(tl_real[MAX_PARTICLES][MAX_PARTICLES]));
    batch->kind->constraint(batch, rest, k, 1, &at_rest);
    for (int c = 0; c < batch->kind->conditions; ++c) {
        const tl_vec3 *g = at_rest.gradient[c];
        tl_real across = 0, whole = 0;
        for (int i = 0; i < per; ++i) {
            tl_vec3 cross = tl_cross(g[0], g[i]);
            across += tl_dot(cross, cross);
            whole += tl_dot(g[0], g[0]) * tl_dot(g[i], g[i]);
        }
        tl_real bound = (across > (tl_real)1e-6 * whole ? 2 : 1) * (per > 2 ? STRETCHED : 1);
        for (int i = 0; i < per; ++i)
            for (int j = 0; j < per; ++j)
                weight[i][j] += bound * tl_dot(g[i], g[j]);
    }
}

/* Constant weights of an element; false when its Hessian varies. `rest` is NULL unless the matrix is frozen. */
static bool weights_of(const tl_element_batch *batch, const tl_particles *rest, int k,
                       tl_real weight[MAX_PARTICLES][MAX_PARTICLES])
{
    if (batch->kind->constant && batch->kind->constant(batch, k, weight))
        return true;
    if (rest)
        bound_weights(batch, rest, k, weight);
    return rest != NULL;
}

/* Finds the elements with constant Hessian. */
static bool find_steady(tl_sparse *sparse, const tl_system *system, int e)
{
    const tl_element_batch *batch = &system->batch[e];
    if (!system->on[e] || (!batch->kind->constant && !sparse->frozen))
        return true;
    sparse->steady[e] = tl_allocate(&system->allocator, (size_t)batch->count + 1, sizeof(bool));
    if (!sparse->steady[e])
        return false;
    tl_real weight[MAX_PARTICLES][MAX_PARTICLES];
    for (int k = 0; k < batch->count; ++k)
        sparse->steady[e][k] = sparse->frozen || batch->kind->constant(batch, k, weight);
    return true;
}

/* Sums them at stiffness 1. */
static bool sum_steady(tl_sparse *sparse, const tl_system *system, const tl_particles *rest, int e)
{
    const tl_element_batch *batch = &system->batch[e];
    if (!sparse->steady[e])
        return true;
    size_t count = (size_t)sparse->constant_rows.start[sparse->count];
    sparse->unit[e] = tl_allocate(&system->allocator, count, sizeof(tl_real));
    if (!sparse->unit[e])
        return false;
    sparse->bytes += count * sizeof(tl_real);
    for (int k = 0; k < batch->count; ++k) {
        tl_real weight[MAX_PARTICLES][MAX_PARTICLES];
        int particle[MAX_PARTICLES];
        if (!weights_of(batch, rest, k, weight))
            continue;
        batch->kind->members(batch, k, particle);
        for (int i = 0; i < batch->kind->particles; ++i)
            for (int j = 0; j < batch->kind->particles; ++j)
                sparse->unit[e][tl_rows_find(&sparse->constant_rows, particle[i], particle[j])] += weight[i][j];
    }
    return true;
}

/* Sums all constant elements. A frozen matrix is assembled in the rest shape, whatever the current one. */
static bool sum_all_steady(tl_sparse *sparse, const tl_system *system)
{
    const tl_allocator *allocator = &system->allocator;
    tl_particles rest = system->p;
    bool done = true;
    for (int c = 0; c < 3; ++c)
        rest.x[c] = NULL;
    for (int c = 0; c < 3 && sparse->frozen; ++c)
        done = (rest.x[c] = tl_allocate(allocator, (size_t)tl_padded(sparse->count), sizeof(tl_real))) && done;
    for (int i = 0; i < sparse->count && sparse->frozen && done; ++i)
        tl_put(rest.x, i, system->mesh->position[i]);
    for (int e = 0; e < TL_ELEMENT_COUNT && done; ++e)
        done = sum_steady(sparse, system, sparse->frozen ? &rest : NULL, e);
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, rest.x[c]);
    return done;
}

static bool build(tl_sparse *sparse, const tl_system *system)
{
    const tl_allocator *allocator = &system->allocator;
    bool done = true;
    for (int e = 0; e < TL_ELEMENT_COUNT && done; ++e)
        done = find_steady(sparse, system, e);
    done = done && make_rows(&sparse->rows, sparse, system, false) &&
           make_rows(&sparse->constant_rows, sparse, system, true);
    if (!done)
        return false;
    size_t blocks = (size_t)sparse->rows.start[sparse->count],
           numbers = (size_t)sparse->constant_rows.start[sparse->count];
    sparse->block = tl_allocate(allocator, blocks, sizeof *sparse->block);
    sparse->inverse = tl_allocate(allocator, (size_t)sparse->count, sizeof *sparse->inverse);
    sparse->diagonal = tl_allocate(allocator, (size_t)sparse->count, sizeof *sparse->diagonal);
    sparse->ground = tl_allocate(allocator, (size_t)sparse->count, sizeof *sparse->ground);
    sparse->constant = tl_allocate(allocator, numbers, sizeof(tl_real));
    sparse->bytes += (blocks + 3 * (size_t)sparse->count) * sizeof *sparse->block + numbers * sizeof(tl_real);
    sparse->lift = tl_allocate(allocator, (size_t)sparse->count, sizeof(tl_real));
    done = sparse->block && sparse->inverse && sparse->diagonal && sparse->ground && sparse->constant && sparse->lift &&
           sum_all_steady(sparse, system) && tl_pairs_build(sparse, system);
    sparse->bytes += sparse->pairs.bytes;
    return done;
}

static unsigned elements_on(const tl_system *system)
{
    unsigned bits = 0;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        bits |= system->on[e] ? 1u << e : 0;
    return bits;
}

bool tl_sparse_prepare(tl_sparse *sparse, const tl_system *system, bool frozen)
{
    bool has_taut_links = !frozen && system->strain_limit && system->strain_limit_settings.on;
    if (sparse->block && sparse->elements == elements_on(system) && sparse->frozen == frozen &&
        sparse->has_taut_links == has_taut_links)
        return true;
    tl_sparse made = {.count = system->p.count,
                      .lanes = system->lanes,
                      .elements = elements_on(system),
                      .frozen = frozen,
                      .has_taut_links = has_taut_links};
    if (!build(&made, system)) {
        tl_sparse_destroy(&made, &system->allocator);
        return false;
    }
    tl_sparse_destroy(sparse, &system->allocator);
    *sparse = made;
    return true;
}

static void release_rows(tl_rows *rows, const tl_allocator *allocator)
{
    tl_release(allocator, rows->start);
    tl_release(allocator, rows->above);
    tl_release(allocator, rows->column);
}

void tl_sparse_destroy(tl_sparse *sparse, const tl_allocator *allocator)
{
    release_rows(&sparse->rows, allocator);
    release_rows(&sparse->constant_rows, allocator);
    tl_release(allocator, sparse->block);
    tl_release(allocator, sparse->constant);
    tl_release(allocator, sparse->inverse);
    tl_release(allocator, sparse->diagonal);
    tl_release(allocator, sparse->ground);
    tl_release(allocator, sparse->lift);
    tl_pairs_destroy(&sparse->pairs, allocator);
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        tl_release(allocator, sparse->unit[e]);
        tl_release(allocator, sparse->steady[e]);
    }
    *sparse = (tl_sparse){0};
}

/* ---- assembly --------------------------------------------------------------------------------------------------- */

typedef struct assembly {
    tl_sparse *sparse;
    const tl_system *system;
    bool rescaled; /* the constant part has changed */
} assembly;

static void sum_constants(tl_sparse *sparse, int i)
{
    for (int k = sparse->constant_rows.start[i]; k < sparse->constant_rows.start[i + 1]; ++k) {
        sparse->constant[k] = 0;
        for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
            if (sparse->unit[e])
                sparse->constant[k] += sparse->unit[e][k] * sparse->scale[e];
    }
}

/* The mass, and the opposite of the row's other blocks. */
static void sum_diagonal(const assembly *job, int i)
{
    tl_sparse *sparse = job->sparse;
    int start = sparse->rows.start[i], end = sparse->rows.start[i + 1];
    tl_real m = job->system->p.m[i];
    tl_block sum = {{{m, 0, 0, 0}, {0, m, 0, 0}, {0, 0, m, 0}}};
    tl_block_store(sparse->ground[i], sum);
    for (int k = start + 1; k < end; ++k)
        sum = tl_block_sub(sum, tl_block_load(sparse->block[k]));
    tl_block_store(sparse->block[start], sum);
    tl_block_store(sparse->diagonal[i], sum);
}

void tl_block_invert(const tl_real *a, tl_real extra, tl_real *out)
{
    double m[9], cofactor[9];
    for (int k = 0; k < 9; ++k)
        m[k] = (double)a[TL_BLOCK_AT(k / 3, k % 3)] + (k % 4 == 0 ? (double)extra : 0);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cofactor[3 * c + r] = m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
        }
    double determinant = m[0] * cofactor[0] + m[1] * cofactor[3] + m[2] * cofactor[6];
    for (int k = 0; k < 9; ++k)
        out[TL_BLOCK_AT(k / 3, k % 3)] = (tl_real)(cofactor[k] / determinant);
}

/* Scalar added to a diagonal block before inversion: the constant part and a frozen row's lift. */
static tl_real beside_block(const tl_sparse *sparse, int i)
{
    return sparse->constant[sparse->constant_rows.start[i]] + sparse->lift[i];
}

static void lift_rows(tl_sparse *sparse, const tl_system *system, int first, int last)
{
    const tl_rows *rows = &sparse->constant_rows;
    for (int i = first; i < last && sparse->frozen; ++i) {
        tl_real own = system->p.m[i] + sparse->constant[rows->start[i]], others = 0;
        for (int k = rows->start[i] + 1; k < rows->start[i + 1]; ++k)
            others += fabs(sparse->constant[k]);
        sparse->lift[i] = tl_max(0, (others - own) / 2);
    }
}

static void finish_part(void *user, int part, int parts)
{
    const assembly *job = user;
    tl_sparse *sparse = job->sparse;
    int first = tl_part_bound(sparse->count, part, parts, TL_LANES),
        last = tl_part_bound(sparse->count, part + 1, parts, TL_LANES);
    for (int i = first; i < last; ++i) {
        if (job->rescaled)
            sum_constants(sparse, i);
        sum_diagonal(job, i);
    }
    lift_rows(sparse, job->system, first, last);
    for (int i = first; i < last; ++i)
        tl_block_invert(sparse->diagonal[i], beside_block(sparse, i), sparse->inverse[i]);
}

void tl_sparse_assemble(tl_sparse *sparse, const tl_system *system, tl_real by_velocity, tl_real by_position)
{
    assembly job = {sparse, system, false};
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        tl_real scale = by_position * system->batch[e].stiffness + by_velocity * system->batch[e].damping;
        job.rescaled = job.rescaled || fabs(scale - sparse->scale[e]) > 0;
        sparse->scale[e] = scale;
    }
    tl_pairs_assemble(sparse, system, by_velocity, by_position);
    tl_tasks_run(system->tasks, finish_part, &job);
}

/* Largest drag relative to the block: slip is then a thousandth of that without. */
#define MAX_DRAG ((tl_real)1e3)

tl_real tl_sparse_drag(tl_sparse *sparse, int i, tl_real mass, tl_vec3 n, tl_real drag, tl_real weight)
{
    const tl_real *own = sparse->diagonal[i], unit[3] = {n.x, n.y, n.z};
    tl_real *block = sparse->block[sparse->rows.start[i]], *ground = sparse->ground[i];
    drag = tl_min(drag, MAX_DRAG * (own[0] + own[5] + own[10]));
    for (int k = 0; k < 9; ++k) {
        int at = TL_BLOCK_AT(k / 3, k % 3);
        tl_real same = k % 4 == 0 ? 1 : 0, normal = unit[k / 3] * unit[k % 3],
                added = drag * (same - normal) + weight * normal;
        block[at] = own[at] + added;
        ground[at] = mass * same + added;
    }
    tl_block_invert(block, beside_block(sparse, i), sparse->inverse[i]);
    return drag;
}

tl_real tl_sparse_along(const tl_sparse *sparse, int i, tl_vec3 direction)
{
    const tl_real *own = sparse->diagonal[i], to[3] = {direction.x, direction.y, direction.z};
    tl_real sum = beside_block(sparse, i) * tl_dot(direction, direction);
    for (int k = 0; k < 9; ++k)
        sum += own[TL_BLOCK_AT(k / 3, k % 3)] * to[k / 3] * to[k % 3];
    return sum / tl_dot(direction, direction);
}

void tl_sparse_invert_with(tl_sparse *sparse, int i, const tl_real same[3], const tl_real mixed[3])
{
    tl_real sum[TL_BLOCK];
    memcpy(sum, sparse->block[sparse->rows.start[i]], sizeof sum);
    for (int k = 0; k < 3; ++k) {
        sum[TL_BLOCK_AT(k, k)] += same[k];
        sum[TL_BLOCK_AT(k, (k + 1) % 3)] += mixed[k];
        sum[TL_BLOCK_AT((k + 1) % 3, k)] += mixed[k];
    }
    tl_block_invert(sum, beside_block(sparse, i), sparse->inverse[i]);
}

tl_real tl_sparse_compliance(const tl_sparse *sparse, int i, tl_vec3 direction)
{
    const tl_real *inverse = sparse->inverse[i], to[3] = {direction.x, direction.y, direction.z};
    tl_real sum = 0;
    for (int k = 0; k < 9; ++k)
        sum += inverse[TL_BLOCK_AT(k / 3, k % 3)] * to[k / 3] * to[k % 3];
    return sum;
}
