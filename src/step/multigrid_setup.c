/* Coarse nodes, interpolation and patterns of a multigrid: made once for a mesh and its elements. */
#include "step/implicit.h"
#include "step/multigrid_levels.h"

#include <string.h>

enum {
    COARSEST = 36,   /* nodes that Cholesky's method may have: 108 numbers */
    MAX_WEIGHTS = 4, /* of a node's interpolation */
    MAX_NEAR = 32    /* coarse nodes that are looked at for it */
};

static void *make(tl_multigrid *grid, size_t count, size_t size)
{
    grid->bytes += count * size;
    return tl_allocate(&grid->allocator, count > 0 ? count : 1, size);
}

/* ---- a lattice ------------------------------------------------------------------------------------------------ */

/* Where column k of `fine` lies among `coarse` columns: between two of them, with the weight of the second. */
static void between(int k, int fine, int coarse, int *at, double *second)
{
    double place = fine > 1 ? (double)k * (coarse - 1) / (fine - 1) : 0;
    *at = (int)place < coarse - 1 ? (int)place : coarse > 1 ? coarse - 2 : 0;
    *second = place - *at;
}

/* Bilinear weights. `node`: of lattice place r · columns + c. */
static bool interpolate_lattice(tl_multigrid *grid, tl_level *level, const int *node, const int fine[2],
                                const int coarse[2])
{
    level->count = coarse[0] * coarse[1];
    level->down.start = make(grid, (size_t)level->finer + 1, sizeof(int));
    level->down.column = make(grid, MAX_WEIGHTS * (size_t)level->finer, sizeof(int));
    level->down.value = make(grid, MAX_WEIGHTS * (size_t)level->finer, sizeof(tl_real));
    int *place = tl_allocate(&grid->allocator, (size_t)level->finer, sizeof(int));
    bool made = level->down.start && level->down.column && level->down.value && place;
    for (int k = 0; made && k < level->finer; ++k)
        place[node ? node[k] : k] = k;
    int total = 0;
    for (int i = 0; made && i < level->finer; ++i) {
        int at[2];
        double second[2];
        between(place[i] % fine[0], fine[0], coarse[0], &at[0], &second[0]);
        between(place[i] / fine[0], fine[1], coarse[1], &at[1], &second[1]);
        level->down.start[i] = total;
        for (int k = 0; k < 4; ++k) {
            double weight = (k % 2 ? second[0] : 1 - second[0]) * (k / 2 ? second[1] : 1 - second[1]);
            if (!(weight > 1e-6))
                continue;
            level->down.column[total] = (at[1] + k / 2) * coarse[0] + at[0] + k % 2;
            level->down.value[total++] = (tl_real)weight;
        }
        level->down.start[i + 1] = total;
    }
    tl_release(&grid->allocator, place);
    return made;
}

/* ---- any mesh -------------------------------------------------------------------------------------------------- */

/* Takes every node that has no taken neighbour: coarse[i] is its number on the coarser level, else -1. */
static int choose_nodes(const tl_rows *rows, int count, int *coarse)
{
    int chosen = 0;
    for (int i = 0; i < count; ++i)
        coarse[i] = 0;
    for (int i = 0; i < count; ++i) {
        bool taken = false;
        for (int k = rows->start[i] + 1; k < rows->start[i + 1]; ++k)
            taken |= coarse[rows->column[k]] > 0;
        coarse[i] = taken ? 0 : ++chosen;
    }
    for (int i = 0; i < count; ++i)
        --coarse[i];
    return chosen;
}

/* Coarse nodes among the neighbours of node i and theirs; at most MAX_NEAR, each once. */
static int nodes_near(const tl_rows *rows, const int *coarse, int i, int near[MAX_NEAR])
{
    int count = 0;
    for (int k = rows->start[i] + 1; k < rows->start[i + 1]; ++k) {
        int j = rows->column[k];
        for (int n = rows->start[j]; n < rows->start[j + 1] && count < MAX_NEAR; ++n) {
            int m = rows->column[n];
            bool known = coarse[m] < 0;
            for (int c = 0; c < count && !known; ++c)
                known = near[c] == m;
            if (!known)
                near[count++] = m;
        }
    }
    return count;
}

/* Share of a weight's square, times its squared distance, that counts against the error of linear functions. */
#define WEIGHT_COST 0.02

/* Weights of `count` points that add up to 1 and nearly reproduce x: Lagrange's equations of
   |Σ w_k (x_k − x)|² + cost Σ w_k² |x_k − x|². */
static void linear_weights(const tl_vec3 *at, tl_vec3 x, int count, double *weight)
{
    double a[MAX_WEIGHTS + 1][MAX_WEIGHTS + 2] = {{0}}, scale = 1e-30; /* m² */
    tl_vec3 d[MAX_WEIGHTS];
    for (int k = 0; k < count; ++k) {
        d[k] = tl_sub(at[k], x);
        scale = fmax(scale, (double)tl_dot(d[k], d[k]));
    }
    for (int k = 0; k < count; ++k) {
        for (int j = 0; j < count; ++j)
            a[k][j] = (double)tl_dot(d[k], d[j]) / scale;
        a[k][k] *= 1 + WEIGHT_COST;
        a[k][k] += 1e-6;
        a[k][count] = a[count][k] = 1;
    }
    a[count][count + 1] = 1;
    int size = count + 1;
    for (int c = 0; c < size; ++c) { /* Gauss, largest pivot */
        int pivot = c;
        for (int r = c + 1; r < size; ++r)
            pivot = fabs(a[r][c]) > fabs(a[pivot][c]) ? r : pivot;
        for (int k = 0; k <= size; ++k) {
            double swap = a[c][k];
            a[c][k] = a[pivot][k];
            a[pivot][k] = swap;
        }
        for (int r = 0; r < size; ++r)
            for (int k = size; r != c && k >= c; --k)
                a[r][k] -= a[r][c] / a[c][c] * a[c][k];
    }
    for (int k = 0; k < count; ++k)
        weight[k] = a[k][size] / a[k][k];
}

static bool interpolate_mesh(tl_multigrid *grid, tl_level *level, const tl_rows *rows, const tl_vec3 *position)
{
    int *coarse = tl_allocate(&grid->allocator, (size_t)level->finer, sizeof(int));
    level->down.start = make(grid, (size_t)level->finer + 1, sizeof(int));
    level->down.column = make(grid, MAX_WEIGHTS * (size_t)level->finer, sizeof(int));
    level->down.value = make(grid, MAX_WEIGHTS * (size_t)level->finer, sizeof(tl_real));
    bool made = coarse && level->down.start && level->down.column && level->down.value;
    level->count = made ? choose_nodes(rows, level->finer, coarse) : 0;
    level->position = made ? make(grid, (size_t)level->count, sizeof(tl_vec3)) : NULL;
    made = made && level->position;
    int total = 0;
    for (int i = 0; made && i < level->finer; ++i) {
        level->down.start[i] = total;
        if (coarse[i] >= 0) {
            level->position[coarse[i]] = position[i];
            level->down.column[total] = coarse[i];
            level->down.value[total++] = 1;
        } else {
            int near[MAX_NEAR], count = nodes_near(rows, coarse, i, near), kept = 0;
            tl_vec3 at[MAX_WEIGHTS];
            double weight[MAX_WEIGHTS];
            for (; kept < MAX_WEIGHTS && kept < count; ++kept) { /* the nearest first */
                int best = kept;
                for (int k = kept + 1; k < count; ++k) {
                    tl_vec3 a = tl_sub(position[near[k]], position[i]), b = tl_sub(position[near[best]], position[i]);
                    best = tl_dot(a, a) < tl_dot(b, b) ? k : best;
                }
                int swap = near[kept];
                near[kept] = near[best];
                near[best] = swap;
                at[kept] = position[near[kept]];
            }
            linear_weights(at, position[i], kept, weight);
            for (int k = 0; k < kept; ++k) {
                level->down.column[total] = coarse[near[k]];
                level->down.value[total++] = (tl_real)weight[k];
            }
        }
        level->down.start[i + 1] = total;
    }
    tl_release(&grid->allocator, coarse);
    return made;
}

/* ---- patterns -------------------------------------------------------------------------------------------------- */

static bool transpose(tl_multigrid *grid, tl_level *level)
{
    int total = level->down.start[level->finer];
    level->up.start = make(grid, (size_t)level->count + 2, sizeof(int));
    level->up.column = make(grid, (size_t)total, sizeof(int));
    level->up.value = make(grid, (size_t)total, sizeof(tl_real));
    if (!level->up.start || !level->up.column || !level->up.value)
        return false;
    int *start = level->up.start;
    for (int k = 0; k < total; ++k)
        ++start[level->down.column[k] + 2];
    for (int c = 0; c < level->count; ++c)
        start[c + 2] += start[c + 1];
    for (int i = 0; i < level->finer; ++i)
        for (int k = level->down.start[i]; k < level->down.start[i + 1]; ++k) {
            int at = start[level->down.column[k] + 1]++;
            level->up.column[at] = i;
            level->up.value[at] = level->down.value[k];
        }
    return true;
}

/* Where entries of the finer matrix's row i go in the row of A P, listed in the order in which they are met; `seen`
   holds 1 + the place of each coarse column in the row, or 0. Without `place` it only counts. */
static int follow_row(const tl_level *level, const tl_rows *rows, int i, int *seen, int *columns, int count,
                      int **place)
{
    for (int k = rows->start[i]; rows->start && k < rows->start[i + 1]; ++k) {
        int j = rows->column[k];
        for (int n = level->down.start[j]; n < level->down.start[j + 1]; ++n) {
            int c = level->down.column[n];
            if (!seen[c]) {
                columns[count] = c;
                seen[c] = ++count;
            }
            if (place)
                *(*place)++ = seen[c] - 1;
        }
    }
    return count;
}

static size_t entries_of(const tl_level *level, const tl_rows *rows, int i)
{
    size_t total = 0;
    for (int k = rows->start[i]; k < rows->start[i + 1]; ++k)
        total += (size_t)(level->down.start[rows->column[k] + 1] - level->down.start[rows->column[k]]);
    return total;
}

/* Firsts of the rows in a list of places; returns the list's length. */
static size_t list_firsts(const tl_level *level, const tl_rows *rows, size_t *first)
{
    size_t total = 0;
    for (int i = 0; i < level->finer; ++i) {
        first[i] = total;
        total += entries_of(level, rows, i);
    }
    return total;
}

/* The pattern of A P. `constant` may be without rows. */
static bool make_product(tl_multigrid *grid, tl_level *level, const tl_rows *rows, const tl_rows *constant)
{
    size_t finer = (size_t)level->finer;
    level->block_first = make(grid, finer, sizeof(size_t));
    level->constant_first = make(grid, finer, sizeof(size_t));
    level->product_start = make(grid, finer + 1, sizeof(int));
    int *seen = tl_allocate(&grid->allocator, (size_t)level->count, sizeof(int));
    int *columns = tl_allocate(&grid->allocator, (size_t)level->count, sizeof(int));
    bool made = level->block_first && level->constant_first && level->product_start && seen && columns;
    if (made) {
        size_t blocks = list_firsts(level, rows, level->block_first);
        size_t numbers = constant ? list_firsts(level, constant, level->constant_first) : 0;
        level->block_place = make(grid, blocks, sizeof(int));
        level->constant_place = make(grid, numbers, sizeof(int));
        made = level->block_place && level->constant_place;
    }
    int total = 0;
    for (int round = 0; round < 2 && made; ++round) { /* counts, then lists */
        int *block_place = level->block_place, *constant_place = level->constant_place;
        total = 0;
        for (int i = 0; i < level->finer; ++i) {
            int count = follow_row(level, rows, i, seen, columns, 0, &block_place);
            if (constant)
                count = follow_row(level, constant, i, seen, columns, count, &constant_place);
            level->product_start[i] = total;
            for (int c = 0; c < count; ++c) {
                if (round == 1)
                    level->product_column[total] = columns[c];
                ++total;
                seen[columns[c]] = 0;
            }
        }
        level->product_start[level->finer] = total;
        if (round == 0) {
            level->product_column = make(grid, (size_t)total, sizeof(int));
            level->product = make(grid, (size_t)total, sizeof *level->product);
            made = level->product_column && level->product;
        }
    }
    tl_release(&grid->allocator, seen);
    tl_release(&grid->allocator, columns);
    return made;
}

/* The pattern of Pᵀ (A P), the diagonal first. */
static bool make_coarse(tl_multigrid *grid, tl_level *level)
{
    size_t count = (size_t)level->count, total = 0;
    level->coarse_first = make(grid, count, sizeof(size_t));
    level->rows.start = make(grid, count + 1, sizeof(int));
    int *seen = tl_allocate(&grid->allocator, count, sizeof(int));
    int *columns = tl_allocate(&grid->allocator, count, sizeof(int));
    bool made = level->coarse_first && level->rows.start && seen && columns;
    for (int c = 0; made && c < level->count; ++c) {
        level->coarse_first[c] = total;
        for (int t = level->up.start[c]; t < level->up.start[c + 1]; ++t) {
            int i = level->up.column[t];
            total += (size_t)(level->product_start[i + 1] - level->product_start[i]);
        }
    }
    level->coarse_place = made ? make(grid, total, sizeof(int)) : NULL;
    made = made && level->coarse_place;
    int entries = 0;
    for (int round = 0; round < 2 && made; ++round) {
        int *place = level->coarse_place;
        entries = 0;
        for (int c = 0; c < level->count; ++c) {
            int own = 0;
            columns[own++] = c;
            seen[c] = own;
            for (int t = level->up.start[c]; t < level->up.start[c + 1]; ++t) {
                int i = level->up.column[t];
                for (int q = level->product_start[i]; q < level->product_start[i + 1]; ++q) {
                    int column = level->product_column[q];
                    if (!seen[column]) {
                        columns[own++] = column;
                        seen[column] = own;
                    }
                    *place++ = seen[column] - 1;
                }
            }
            level->rows.start[c] = entries;
            for (int k = 0; k < own; ++k) {
                if (round == 1)
                    level->rows.column[entries] = columns[k];
                ++entries;
                seen[columns[k]] = 0;
            }
        }
        level->rows.start[level->count] = entries;
        if (round == 0) {
            level->rows.column = make(grid, (size_t)entries, sizeof(int));
            level->block = make(grid, (size_t)entries, sizeof *level->block);
            level->inverse = make(grid, count, sizeof *level->inverse);
            made = level->rows.column && level->block && level->inverse;
        }
    }
    tl_release(&grid->allocator, seen);
    tl_release(&grid->allocator, columns);
    return made;
}

/* ---- levels ---------------------------------------------------------------------------------------------------- */

static bool make_level(tl_multigrid *grid, tl_level *level, const tl_rows *rows, const tl_rows *constant)
{
    bool made = transpose(grid, level) && make_product(grid, level, rows, constant) && make_coarse(grid, level);
    for (int k = 0; k < 4 && made; ++k)
        made = (level->vector[k] = make(grid, TL_STRIDE * (size_t)level->count, sizeof(tl_real)));
    return made;
}

static bool make_levels(tl_multigrid *grid, const tl_sparse *sparse, const tl_mesh *mesh)
{
    /* constant rows reach farther: of a mesh, neighbours are those of the blocks, or of the constant part if it is all
     */
    const tl_rows *constant =
        sparse->constant_rows.start[sparse->count] > sparse->count ? &sparse->constant_rows : NULL;
    const tl_rows *rows = &sparse->rows;
    bool only_constant = rows->start[sparse->count] == sparse->count;
    const tl_vec3 *position = mesh->position;
    int fine[2] = {mesh->columns, mesh->rows}, count = sparse->count;
    while (count > COARSEST && grid->levels < TL_MULTIGRID_LEVELS) {
        tl_level *level = &grid->level[grid->levels];
        int coarse[2] = {fine[0] / 2 + 1, fine[1] / 2 + 1};
        level->finer = count;
        ++grid->levels;
        bool lattice = mesh->lattice != NULL;
        const tl_rows *near = grid->levels == 1 && only_constant ? &sparse->constant_rows : rows;
        if (!(lattice ? interpolate_lattice(grid, level, grid->levels == 1 ? mesh->lattice : NULL, fine, coarse)
                      : interpolate_mesh(grid, level, near, position)))
            return false;
        if (level->count >= count) { /* nothing is near anything else: smoothing alone solves it */
            --grid->levels;
            level->finer = 0;
            return true;
        }
        if (!make_level(grid, level, rows, grid->levels == 1 ? constant : NULL))
            return false;
        rows = &level->rows;
        position = level->position;
        count = level->count;
        fine[0] = coarse[0];
        fine[1] = coarse[1];
    }
    return true;
}

tl_multigrid *tl_multigrid_create(const tl_sparse *sparse, const tl_mesh *mesh, const tl_allocator *allocator)
{
    tl_multigrid *grid = tl_allocate(allocator, 1, sizeof *grid);
    if (!grid)
        return NULL;
    grid->allocator = *allocator;
    grid->bytes = sizeof *grid;
    grid->particles = sparse->count;
    bool made = make_levels(grid, sparse, mesh);
    for (int k = 0; k < 3 && made; ++k)
        made = (grid->vector[k] = make(grid, TL_STRIDE * (size_t)tl_padded(sparse->count), sizeof(tl_real)));
    int last = grid->levels > 0 ? grid->level[grid->levels - 1].count : 0;
    grid->size = last <= COARSEST ? 3 * last : 0;
    size_t size = (size_t)grid->size;
    if (made) {
        grid->factor = make(grid, size * size, sizeof(double));
        grid->dense = make(grid, size, sizeof(double));
        made = grid->factor && grid->dense;
    }
    if (made)
        return grid;
    tl_multigrid_destroy(grid);
    return NULL;
}

static void release_weights(tl_weights *weights, const tl_allocator *allocator)
{
    tl_release(allocator, weights->start);
    tl_release(allocator, weights->column);
    tl_release(allocator, weights->value);
}

void tl_multigrid_destroy(tl_multigrid *grid)
{
    if (!grid)
        return;
    tl_allocator allocator = grid->allocator;
    for (int l = 0; l < TL_MULTIGRID_LEVELS; ++l) {
        tl_level *level = &grid->level[l];
        release_weights(&level->down, &allocator);
        release_weights(&level->up, &allocator);
        tl_release(&allocator, level->rows.start);
        tl_release(&allocator, level->rows.column);
        tl_release(&allocator, level->block);
        tl_release(&allocator, level->inverse);
        tl_release(&allocator, level->product_start);
        tl_release(&allocator, level->product_column);
        tl_release(&allocator, level->product);
        tl_release(&allocator, level->block_place);
        tl_release(&allocator, level->constant_place);
        tl_release(&allocator, level->coarse_place);
        tl_release(&allocator, level->block_first);
        tl_release(&allocator, level->constant_first);
        tl_release(&allocator, level->coarse_first);
        for (int k = 0; k < 4; ++k)
            tl_release(&allocator, level->vector[k]);
        tl_release(&allocator, level->position);
    }
    for (int k = 0; k < 3; ++k)
        tl_release(&allocator, grid->vector[k]);
    tl_release(&allocator, grid->factor);
    tl_release(&allocator, grid->dense);
    tl_release(&allocator, grid);
}

size_t tl_multigrid_bytes(const tl_multigrid *grid) { return grid->bytes; }
int tl_multigrid_levels(const tl_multigrid *grid) { return grid->levels + 1; }
