/* Meshes from arbitrary triangles: the stages of build.h in order. Also creation, destruction and public queries of
   every mesh. */
#include "mesh/mesh.h"

#include "mesh/build.h"
#include "mesh/order.h"

#include <string.h>

/* ---- lifetime ------------------------------------------------------------------------------------------------- */

tl_mesh *tl_mesh_new(const tl_allocator *allocator, tl_error *error)
{
    tl_allocator own = tl_allocator_or_default(allocator);
    tl_mesh *mesh = tl_allocate(&own, 1, sizeof *mesh);
    if (!mesh)
        tl_mesh_no_memory(error);
    else
        mesh->allocator = own;
    return mesh;
}

void tl_mesh_destroy(tl_mesh *mesh)
{
    if (!mesh)
        return;
    tl_allocator allocator = mesh->allocator;
    void *arrays[] = {mesh->vertex,
                      mesh->vertex_uv,
                      mesh->triangle,
                      mesh->particle_of_vertex,
                      mesh->position,
                      mesh->vertex_of_particle,
                      mesh->particle_face_start,
                      mesh->particle_face,
                      mesh->face,
                      mesh->rest_u,
                      mesh->rest_v,
                      mesh->rest_area,
                      mesh->part,
                      mesh->part_of_face,
                      mesh->elastic_a,
                      mesh->elastic_b,
                      mesh->elastic_length,
                      mesh->twin,
                      mesh->edge_a,
                      mesh->edge_b,
                      mesh->edge_c,
                      mesh->edge_d,
                      mesh->edge_half,
                      mesh->edge_length,
                      mesh->lattice};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        tl_release(&allocator, arrays[i]);
    tl_release(&allocator, mesh);
}

int *tl_mesh_ints(const tl_mesh *mesh, size_t count) { return tl_allocate(&mesh->allocator, count, sizeof(int)); }

tl_result tl_mesh_no_memory(tl_error *error) { return tl_fail(error, TL_ERROR_MEMORY, "mesh: out of memory"); }

/* ---- construction from triangles ------------------------------------------------------------------------------ */

void tl_mesh_build_release(tl_mesh_build *build)
{
    tl_release(&build->mesh->allocator, build->representative);
    tl_release(&build->mesh->allocator, build->file_face);
}

static tl_result copy_vertices(tl_mesh_build *build)
{
    const tl_mesh_def *def = build->def;
    tl_mesh *mesh = build->mesh;
    size_t count = (size_t)def->vertex_count;
    mesh->vertex_count = def->vertex_count;
    mesh->vertex = tl_allocate(&mesh->allocator, count, sizeof *mesh->vertex);
    if (def->uv)
        mesh->vertex_uv = tl_allocate(&mesh->allocator, 2 * count, sizeof *mesh->vertex_uv);
    if (!mesh->vertex || (def->uv && !mesh->vertex_uv))
        return tl_mesh_no_memory(build->error);
    memcpy(mesh->vertex, def->positions, count * sizeof *mesh->vertex);
    if (def->uv)
        memcpy(mesh->vertex_uv, def->uv, 2 * count * sizeof *mesh->vertex_uv);
    return TL_OK;
}

/* The particle order, from the paired edges. */
static tl_result rank_particles(const tl_mesh_build *build, const tl_pairing *pairing, int *rank)
{
    const tl_mesh *mesh = build->mesh;
    if (build->def->particle_of_vertex) { /* whoever numbers particles has an order in mind */
        for (int p = 0; p < mesh->particle_count; ++p)
            rank[p] = p;
        return TL_OK;
    }
    int *a = tl_mesh_ints(mesh, (size_t)pairing->edge_count), *b = tl_mesh_ints(mesh, (size_t)pairing->edge_count);
    tl_result result = TL_ERROR_MEMORY;
    if (a && b) {
        for (int e = 0; e < pairing->edge_count; ++e) {
            a[e] = mesh->face[pairing->first[e]];
            b[e] = mesh->face[tl_half_next(pairing->first[e])];
        }
        result = tl_order_by_neighbours(&mesh->allocator, mesh->particle_count, pairing->edge_count, a, b, rank);
    }
    tl_release(&mesh->allocator, b);
    tl_release(&mesh->allocator, a);
    return result == TL_OK ? result : tl_mesh_no_memory(build->error);
}

/* Renumbers particles and sets their positions. */
static tl_result apply_ranks(const tl_mesh_build *build, const int *rank)
{
    tl_mesh *mesh = build->mesh;
    size_t count = (size_t)mesh->particle_count;
    mesh->position = tl_allocate(&mesh->allocator, count, sizeof *mesh->position);
    mesh->vertex_of_particle = tl_mesh_ints(mesh, count);
    if (!mesh->position || !mesh->vertex_of_particle)
        return tl_mesh_no_memory(build->error);
    for (int p = 0; p < mesh->particle_count; ++p) {
        mesh->vertex_of_particle[rank[p]] = build->representative[p];
        mesh->position[rank[p]] = mesh->vertex[build->representative[p]];
    }
    for (int v = 0; v < mesh->vertex_count; ++v)
        if (mesh->particle_of_vertex[v] >= 0)
            mesh->particle_of_vertex[v] = rank[mesh->particle_of_vertex[v]];
    for (int h = 0; h < 3 * mesh->face_count; ++h)
        mesh->face[h] = rank[mesh->face[h]];
    return TL_OK;
}

/* Checks edges, makes the winding consistent, and reorders the particles. */
static tl_result orient_and_order(tl_mesh_build *build)
{
    const tl_mesh *mesh = build->mesh;
    tl_pairing pairing = {0};
    int *rank = tl_mesh_ints(mesh, (size_t)mesh->particle_count);
    tl_result result =
        rank ? tl_pair_half_edges(mesh, build->file_face, &pairing, build->error) : tl_mesh_no_memory(build->error);
    /* ranks first: the pairing refers to half-edges before faces are flipped */
    if (result == TL_OK)
        result = rank_particles(build, &pairing, rank);
    if (result == TL_OK)
        result = tl_orient_faces(build, &pairing);
    if (result == TL_OK)
        result = apply_ranks(build, rank);
    tl_pairing_release(mesh, &pairing);
    tl_release(&mesh->allocator, rank);
    return result;
}

tl_mesh *tl_mesh_create(const tl_mesh_def *def, const tl_allocator *allocator, tl_error *error)
{
    if (tl_check_mesh_def(def, error) != TL_OK)
        return NULL;
    tl_mesh *mesh = tl_mesh_new(allocator, error);
    if (!mesh)
        return NULL;

    tl_mesh_build build = {.def = def, .mesh = mesh, .error = error};
    tl_result result = copy_vertices(&build);
    if (result == TL_OK)
        result = tl_weld_vertices(&build);
    if (result == TL_OK)
        result = tl_collect_faces(&build);
    if (result == TL_OK)
        result = orient_and_order(&build);
    tl_mesh_build_release(&build);
    if (result == TL_OK)
        result = tl_rest_shapes(mesh, def, error);
    if (result == TL_OK)
        result = tl_build_topology(mesh, error);
    if (result == TL_OK)
        result = tl_build_elastics(mesh, def, error);
    if (result == TL_OK)
        return mesh;
    tl_mesh_destroy(mesh);
    return NULL;
}

/* ---- queries -------------------------------------------------------------------------------------------------- */

int tl_mesh_vertex_count(const tl_mesh *mesh) { return mesh->vertex_count; }
int tl_mesh_triangle_count(const tl_mesh *mesh) { return mesh->triangle_count; }
const int *tl_mesh_triangles(const tl_mesh *mesh) { return mesh->triangle; }
const tl_vec3 *tl_mesh_vertices(const tl_mesh *mesh) { return mesh->vertex; }
const tl_real *tl_mesh_uv(const tl_mesh *mesh) { return mesh->vertex_uv; }
int tl_mesh_particle_count(const tl_mesh *mesh) { return mesh->particle_count; }
int tl_mesh_edge_count(const tl_mesh *mesh) { return mesh->edge_count; }
const int *tl_mesh_particle_of_vertex(const tl_mesh *mesh) { return mesh->particle_of_vertex; }

const int *tl_mesh_part_of_triangle(const tl_mesh *mesh) { return mesh->part_of_face; }

const tl_mesh_part *tl_mesh_parts(const tl_mesh *mesh, int *count)
{
    if (count)
        *count = mesh->part_count;
    return mesh->part;
}

tl_real tl_mesh_area(const tl_mesh *mesh)
{
    double area = 0; /* a million small faces would lose digits in single precision */
    for (int f = 0; f < mesh->face_count; ++f)
        area += (double)mesh->rest_area[f];
    return (tl_real)area;
}

size_t tl_mesh_bytes(const tl_mesh *mesh)
{
    size_t vertices = (size_t)mesh->vertex_count, particles = (size_t)mesh->particle_count;
    size_t faces = (size_t)mesh->face_count, edges = (size_t)mesh->edge_count;
    size_t bytes = sizeof *mesh;
    bytes += vertices * (sizeof *mesh->vertex + sizeof *mesh->particle_of_vertex);
    bytes += mesh->vertex_uv ? 2 * vertices * sizeof *mesh->vertex_uv : 0;
    bytes += particles * (sizeof *mesh->position + sizeof *mesh->vertex_of_particle);
    bytes += (particles + 1) * sizeof *mesh->particle_face_start;
    bytes +=
        3 * faces * (sizeof *mesh->triangle + sizeof *mesh->face + sizeof *mesh->twin + sizeof *mesh->particle_face);
    bytes += 3 * faces * (sizeof *mesh->rest_u + sizeof *mesh->rest_v) + faces * sizeof *mesh->rest_area;
    bytes += edges * (4 * sizeof *mesh->edge_a + sizeof *mesh->edge_half + sizeof *mesh->edge_length);
    bytes += mesh->part ? (size_t)mesh->part_count * sizeof *mesh->part + faces * sizeof *mesh->part_of_face : 0;
    bytes += (size_t)mesh->elastic_count * (2 * sizeof *mesh->elastic_a + sizeof *mesh->elastic_length);
    bytes += mesh->lattice ? particles * sizeof *mesh->lattice : 0;
    return bytes;
}
