/* Welding: vertices at the same place become one particle, so that a texture seam does not cut the cloth. (Or the
   definition says which do.)

   A hash grid with cells a few weld distances wide holds the first vertex of every particle. A later vertex joins the
   particle with the lowest number whose first vertex is within the distance, or starts a new one. Joining first
   vertices only, never chains of neighbours, keeps a particle compact: its vertices are within the distance of its
   position, and a finely sampled line does not collapse into a point. First vertices are further apart than the
   distance, so a cell holds a bounded number of them and the work stays linear. */
#include "mesh/build.h"

#include <string.h>

/* Cell width in weld distances: wide enough that most vertices reach into one or two cells only, narrow enough that a
   cell holds few first vertices even where they are as dense as can be. */
#define CELL_WIDTH 4.0

/* How far around a vertex cells are looked up, in weld distances: a little more than 1 against rounding. */
#define REACH 1.0001

typedef struct weld_grid {
    double distance; /* m; 0 joins equal positions only */
    int *bucket;     /* first particle in each bucket, -1 when empty; a power of two of them */
    int *next;       /* next particle in its bucket */
    uint64_t mask;
} weld_grid;

static uint64_t mix(uint64_t hash, double coordinate)
{
    coordinate += 0.0; /* −0 and 0 are equal and must hash alike */
    uint64_t bits;
    memcpy(&bits, &coordinate, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u; /* 2⁶⁴ / golden ratio: odd, and without pattern */
    return hash ^ (hash >> 32);
}

/* Cells are kept as doubles: any position over any distance has one, where an integer could overflow. */
static double cell_of(const weld_grid *grid, double coordinate)
{
    return grid->distance > 0 ? floor(coordinate / (CELL_WIDTH * grid->distance)) : coordinate;
}

/* The one or two cells along an axis that may hold something near; returns how many. */
static int cells_near(const weld_grid *grid, tl_real coordinate, double cell[2])
{
    double reach = REACH * grid->distance;
    cell[0] = cell_of(grid, (double)coordinate - reach);
    cell[1] = cell_of(grid, (double)coordinate + reach);
    return cell[0] == cell[1] ? 1 : 2;
}

static uint64_t bucket_of(const weld_grid *grid, double x, double y, double z)
{
    return mix(mix(mix(0, x), y), z) & grid->mask;
}

static bool is_near(const weld_grid *grid, tl_vec3 a, tl_vec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return x * x + y * y + z * z <= grid->distance * grid->distance &&
           (grid->distance > 0 || (x == 0 && y == 0 && z == 0));
}

static int lowest_near(const weld_grid *grid, const tl_mesh_build *build, tl_vec3 position, uint64_t bucket, int best)
{
    for (int p = grid->bucket[bucket]; p >= 0; p = grid->next[p])
        if ((best < 0 || p < best) && is_near(grid, position, build->def->positions[build->representative[p]]))
            best = p;
    return best;
}

/* The particle that a vertex joins, -1 for none. */
static int find_particle(const weld_grid *grid, const tl_mesh_build *build, tl_vec3 position)
{
    double x[2], y[2], z[2];
    int x_count = cells_near(grid, position.x, x), y_count = cells_near(grid, position.y, y);
    int z_count = cells_near(grid, position.z, z), best = -1;
    for (int i = 0; i < x_count; ++i)
        for (int j = 0; j < y_count; ++j)
            for (int k = 0; k < z_count; ++k)
                best = lowest_near(grid, build, position, bucket_of(grid, x[i], y[j], z[k]), best);
    return best;
}

static void weld(weld_grid *grid, tl_mesh_build *build)
{
    tl_mesh *mesh = build->mesh;
    for (uint64_t i = 0; i <= grid->mask; ++i)
        grid->bucket[i] = -1;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        tl_vec3 position = build->def->positions[v];
        int particle = find_particle(grid, build, position);
        if (particle < 0) {
            particle = mesh->particle_count++;
            build->representative[particle] = v;
            uint64_t bucket = bucket_of(grid, cell_of(grid, (double)position.x), cell_of(grid, (double)position.y),
                                        cell_of(grid, (double)position.z));
            grid->next[particle] = grid->bucket[bucket];
            grid->bucket[bucket] = particle;
        }
        mesh->particle_of_vertex[v] = particle;
    }
}

/* Takes the particles that the definition names; sewn panels do, whose vertices may be anywhere. */
static tl_result weld_as_given(tl_mesh_build *build)
{
    tl_mesh *mesh = build->mesh;
    const int *given = build->def->particle_of_vertex;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (given[v] < 0 || given[v] >= mesh->vertex_count)
            return tl_fail(build->error, TL_ERROR_INPUT, "vertex %d: particle %d of at most %d", v, given[v],
                           mesh->vertex_count);
        mesh->particle_of_vertex[v] = given[v];
        build->representative[given[v]] = -1;
        mesh->particle_count = given[v] >= mesh->particle_count ? given[v] + 1 : mesh->particle_count;
    }
    int named = 0;
    for (int v = 0; v < mesh->vertex_count; ++v)
        if (build->representative[given[v]] < 0) {
            build->representative[given[v]] = v;
            ++named;
        }
    if (named == mesh->particle_count)
        return TL_OK;
    return tl_fail(build->error, TL_ERROR_INPUT, "vertices name %d particles, but the highest is %d", named,
                   mesh->particle_count - 1);
}

tl_result tl_weld_vertices(tl_mesh_build *build)
{
    tl_mesh *mesh = build->mesh;
    if (build->def->particle_of_vertex) {
        mesh->particle_of_vertex = tl_mesh_ints(mesh, (size_t)mesh->vertex_count);
        build->representative = tl_mesh_ints(mesh, (size_t)mesh->vertex_count);
        bool room = mesh->particle_of_vertex && build->representative;
        return room ? weld_as_given(build) : tl_mesh_no_memory(build->error);
    }
    size_t vertices = (size_t)mesh->vertex_count, buckets = 64;
    while (buckets < vertices)
        buckets *= 2;

    mesh->particle_of_vertex = tl_mesh_ints(mesh, vertices);
    build->representative = tl_mesh_ints(mesh, vertices);
    weld_grid grid = {.distance = (double)build->def->weld_distance,
                      .bucket = tl_mesh_ints(mesh, buckets),
                      .next = tl_mesh_ints(mesh, vertices),
                      .mask = buckets - 1};
    tl_result result = TL_OK;
    if (!mesh->particle_of_vertex || !build->representative || !grid.bucket || !grid.next)
        result = tl_mesh_no_memory(build->error);
    else
        weld(&grid, build);
    tl_release(&mesh->allocator, grid.next);
    tl_release(&mesh->allocator, grid.bucket);
    return result;
}
