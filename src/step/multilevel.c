#include "step/multilevel.h"

#include "step/kernels.h"

#include <string.h>

static void destroy_level(tl_multilevel_level *level, const tl_allocator *allocator)
{
    for (int c = 0; c < 3; ++c) {
        tl_release(allocator, level->p.x[c]);
        tl_release(allocator, level->start[c]);
    }
    tl_release(allocator, level->p.m);
    tl_release(allocator, level->p.w);
    for (int k = 0; k < 2; ++k)
        tl_link_set_destroy(&level->links[k], allocator);
    tl_mesh_destroy(level->mesh);
    memset(level, 0, sizeof *level);
}

static bool make_links(tl_multilevel_level *level, const tl_allocator *allocator)
{
    for (int k = 0; k < 2; ++k) {
        tl_link *links = NULL;
        int count = 0;
        bool made =
            tl_link_enumerate(level->mesh, k == 0 ? TL_LINK_STRUCTURAL : TL_LINK_SHEAR, allocator, &links, &count) &&
            tl_link_set_build(&level->links[k], allocator, links, count, level->mesh->particle_count);
        tl_release(allocator, links);
        if (!made)
            return false;
    }
    return true;
}

static bool make_level(tl_multilevel_level *level, const tl_allocator *allocator, const tl_mesh *finer)
{
    int columns = (finer->columns - 1) / TL_MULTILEVEL_RATIO + 1, rows = (finer->rows - 1) / TL_MULTILEVEL_RATIO + 1;
    /* spacing of the finer grid, from its first and last vertex */
    tl_vec3 a = finer->position[finer->lattice[0]],
            b = finer->position[finer->lattice[finer->columns * finer->rows - 1]];
    tl_real dx = fabs(b.x - a.x) / (tl_real)(finer->columns - 1), dy = fabs(b.y - a.y) / (tl_real)(finer->rows - 1);
    tl_grid_def grid = {columns, rows, dx * (tl_real)(TL_MULTILEVEL_RATIO * (columns - 1)),
                        dy * (tl_real)(TL_MULTILEVEL_RATIO * (rows - 1)), false};
    level->mesh = tl_mesh_create_grid(&grid, allocator, NULL);
    if (!level->mesh)
        return false;
    level->p.count = level->mesh->particle_count;
    size_t padded = (size_t)tl_padded(level->p.count);
    bool made = true;
    for (int c = 0; c < 3; ++c) {
        level->p.x[c] = tl_allocate(allocator, padded, sizeof(tl_real));
        level->start[c] = tl_allocate(allocator, padded, sizeof(tl_real));
        made = made && level->p.x[c] && level->start[c];
    }
    level->p.m = tl_allocate(allocator, padded, sizeof(tl_real));
    level->p.w = tl_allocate(allocator, padded, sizeof(tl_real));
    return made && level->p.m && level->p.w && make_links(level, allocator);
}

bool tl_multilevel_build(tl_multilevel *multilevel, const tl_allocator *allocator, const tl_mesh *mesh)
{
    const tl_mesh *finer = mesh;
    multilevel->made = true;
    if (mesh->lattice) {
        tl_vec3 across =
            tl_sub(mesh->position[mesh->lattice[mesh->columns * mesh->rows - 1]], mesh->position[mesh->lattice[0]]);
        multilevel->side = tl_max(fabs(across.x), fabs(across.y));
    }
    while (mesh->lattice && multilevel->count < TL_MULTILEVEL_LEVELS &&
           finer->columns <= TL_MULTILEVEL_RATIO * TL_MULTILEVEL_MAX_COLUMNS &&
           (finer->columns - 1) / TL_MULTILEVEL_RATIO + 1 >= TL_MULTILEVEL_MIN_SIDE &&
           (finer->rows - 1) / TL_MULTILEVEL_RATIO + 1 >= TL_MULTILEVEL_MIN_SIDE) {
        if (!make_level(&multilevel->level[multilevel->count++], allocator, finer)) {
            tl_multilevel_destroy(multilevel, allocator);
            return false;
        }
        finer = multilevel->level[multilevel->count - 1].mesh;
    }
    return true;
}

void tl_multilevel_destroy(tl_multilevel *multilevel, const tl_allocator *allocator)
{
    for (int k = 0; k < multilevel->count; ++k)
        destroy_level(&multilevel->level[k], allocator);
    memset(multilevel, 0, sizeof *multilevel);
}

/* Sums the finer masses on each coarse particle by interpolation weights. */
static void weigh_level(tl_multilevel_level *level, const tl_mesh *finer, const tl_particles *fine)
{
    const tl_mesh *mesh = level->mesh;
    memset(level->p.m, 0, (size_t)level->p.count * sizeof(tl_real));
    for (int i = 0; i < level->p.count; ++i)
        level->p.w[i] = 1;
    for (int r = 0; r < finer->rows; ++r)
        for (int c = 0; c < finer->columns; ++c) {
            int i = finer->lattice[r * finer->columns + c];
            int C = c / TL_MULTILEVEL_RATIO, R = r / TL_MULTILEVEL_RATIO;
            tl_real s = (tl_real)(c % TL_MULTILEVEL_RATIO) / TL_MULTILEVEL_RATIO,
                    t = (tl_real)(r % TL_MULTILEVEL_RATIO) / TL_MULTILEVEL_RATIO;
            for (int k = 0; k < 4; ++k) {
                int column = C + (k & 1), row = R + (k >> 1);
                column = column < mesh->columns ? column : mesh->columns - 1;
                row = row < mesh->rows ? row : mesh->rows - 1;
                tl_real weight = ((k & 1) ? s : 1 - s) * ((k >> 1) ? t : 1 - t);
                int coarse = mesh->lattice[row * mesh->columns + column];
                level->p.m[coarse] += weight * fine->m[i];
                if (!(fine->w[i] > 0) && weight >= (tl_real)0.25)
                    level->p.w[coarse] = 0;
            }
        }
    for (int i = 0; i < level->p.count; ++i)
        if (level->p.w[i] > 0)
            level->p.w[i] = 1 / level->p.m[i];
}

void tl_multilevel_weigh(tl_multilevel *multilevel, const tl_mesh *mesh, const tl_particles *p)
{
    multilevel->pinned = false;
    for (int i = 0; i < p->count; ++i)
        multilevel->pinned = multilevel->pinned || !(p->w[i] > 0);
    for (int k = 0; k < multilevel->count; ++k)
        weigh_level(&multilevel->level[k], k ? multilevel->level[k - 1].mesh : mesh,
                    k ? &multilevel->level[k - 1].p : p);
}

static void restrict_to(tl_multilevel_level *level, const tl_mesh *finer, const tl_particles *fine)
{
    const tl_mesh *mesh = level->mesh;
    for (int row = 0; row < mesh->rows; ++row)
        for (int column = 0; column < mesh->columns; ++column) {
            int to = mesh->lattice[row * mesh->columns + column];
            int from = finer->lattice[TL_MULTILEVEL_RATIO * (row * finer->columns + column)];
            for (int c = 0; c < 3; ++c)
                level->p.x[c][to] = level->start[c][to] = fine->x[c][from];
        }
}

/* Displacements interpolated at fraction t between two coarse rows, columns in order, the last repeated. */
static void blend_rows(const tl_multilevel_level *level, int axis, int row, tl_real t, tl_real *out)
{
    const tl_mesh *mesh = level->mesh;
    const tl_real *x = level->p.x[axis], *start = level->start[axis];
    int next = row + 1 < mesh->rows ? row + 1 : mesh->rows - 1;
    for (int column = 0; column < mesh->columns; ++column) {
        int a = mesh->lattice[row * mesh->columns + column], b = mesh->lattice[next * mesh->columns + column];
        tl_real above = x[a] - start[a], below = x[b] - start[b];
        out[column] = above + (below - above) * t;
    }
    for (int column = mesh->columns; column < tl_padded(mesh->columns + 1); ++column)
        out[column] = out[mesh->columns - 1];
}

typedef struct prolong_job {
    const tl_multilevel_level *level;
    const tl_mesh *finer;
    const tl_particles *fine;
    int lanes;
} prolong_job;

/* Rows of the finer grid, distributed over threads. */
static void prolong_part(void *user, int part, int parts)
{
    const prolong_job *job = user;
    const tl_mesh *finer = job->finer;
    tl_multilevel_row_kernel *add = TL_PICK_KERNEL(tl_multilevel_row, job->lanes);
    tl_real moves[TL_MULTILEVEL_MAX_COLUMNS + 3 * TL_LANES];
    int last = tl_part_bound(finer->rows, part + 1, parts, 1);
    for (int r = tl_part_bound(finer->rows, part, parts, 1); r < last; ++r) {
        int first = r * finer->columns; /* rows are whole and in order */
        tl_real t = (tl_real)(r % TL_MULTILEVEL_RATIO) / TL_MULTILEVEL_RATIO;
        for (int axis = 0; axis < 3; ++axis) {
            blend_rows(job->level, axis, r / TL_MULTILEVEL_RATIO, t, moves);
            add(finer->columns, moves, job->fine->w + first, job->fine->x[axis] + first);
        }
    }
}

static void restrict_all(tl_multilevel *multilevel, const tl_mesh *mesh, const tl_particles *p)
{
    for (int k = 0; k < multilevel->count; ++k)
        restrict_to(&multilevel->level[k], k ? multilevel->level[k - 1].mesh : mesh,
                    k ? &multilevel->level[k - 1].p : p);
}

/* Longest length of structural (0) or shear (1) links of a level, relative to rest length. */
static tl_real max_stretch(const tl_multilevel_level *level, int family, const tl_reserve *reserve,
                           const tl_multilevel *multilevel, tl_real slack)
{
    const tl_mesh *mesh = level->mesh;
    tl_vec3 a = mesh->position[mesh->lattice[0]], b = mesh->position[mesh->lattice[mesh->columns + 1]];
    tl_real du = fabs(b.x - a.x), dv = fabs(b.y - a.y), side = multilevel->side, carried = multilevel->pinned ? 1 : 0,
            across = sqrt(du * du + dv * dv);
    if (family == 1)
        return (tl_reserve_path(reserve, du, dv, side, carried) + slack) / across;
    return tl_max((tl_reserve_path(reserve, du, 0, side, carried) + slack) / du,
                  (tl_reserve_path(reserve, 0, dv, side, carried) + slack) / dv);
}

static tl_real excess_of(const tl_link_set *set, const tl_particles *p, tl_real max_ratio)
{
    tl_real excess = 0;
    for (int n = 0; n < set->count; ++n)
        excess = tl_max(excess,
                        tl_length(tl_sub(tl_at(p->x, set->j[n]), tl_at(p->x, set->i[n]))) - max_ratio * set->rest[n]);
    return excess;
}

tl_real tl_multilevel_excess(tl_multilevel *multilevel, const tl_mesh *mesh, const tl_particles *p,
                             const tl_reserve *reserve)
{
    tl_real excess = 0;
    restrict_all(multilevel, mesh, p);
    for (int k = 0; k < multilevel->count; ++k)
        for (int f = 0; f < 2; ++f) {
            const tl_multilevel_level *level = &multilevel->level[k];
            excess =
                tl_max(excess, excess_of(&level->links[f], &level->p, max_stretch(level, f, reserve, multilevel, 0)));
        }
    return excess;
}

void tl_multilevel_solve(tl_multilevel *multilevel, const tl_mesh *mesh, tl_particles *p, int lanes, int sweeps,
                         const tl_reserve *reserve, tl_real slack, tl_tasks *tasks)
{
    tl_link_solve_kernel *solve = TL_PICK_KERNEL(tl_link_solve, lanes);
    restrict_all(multilevel, mesh, p);
    for (int k = multilevel->count - 1; k >= 0; --k) {
        tl_multilevel_level *level = &multilevel->level[k];
        tl_link_solve bound[2];
        for (int f = 0; f < 2; ++f)
            bound[f] = (tl_link_solve){.low = 0, .high = max_stretch(level, f, reserve, multilevel, slack), .keep = 1};
        for (int n = 0; n < sweeps; ++n)
            for (int f = 0; f < 2; ++f)
                solve(&level->links[f], level->links[f].piece, level->links[f].piece_count, &bound[f], &level->p);
        prolong_job job = {level, k ? multilevel->level[k - 1].mesh : mesh, k ? &multilevel->level[k - 1].p : p, lanes};
        tl_tasks_run(k ? NULL : tasks, prolong_part, &job);
    }
}
