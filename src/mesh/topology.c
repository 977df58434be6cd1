/* Topology: paired half-edges, the list of edges, and the faces around each particle.

   Half-edges are paired by a counting sort over their two particles, which is linear for any input (no hash, no
   comparison sort to be driven into its worst case) and gives every edge the same number on every machine. */
#include "mesh/build.h"

#include <stdio.h>

/* ---- pairing -------------------------------------------------------------------------------------------------- */

static int lower_end(const tl_mesh *mesh, int h)
{
    int a = mesh->face[h], b = mesh->face[tl_half_next(h)];
    return a < b ? a : b;
}

static int higher_end(const tl_mesh *mesh, int h)
{
    int a = mesh->face[h], b = mesh->face[tl_half_next(h)];
    return a < b ? b : a;
}

static bool same_edge(const tl_mesh *mesh, int g, int h)
{
    return lower_end(mesh, g) == lower_end(mesh, h) && higher_end(mesh, g) == higher_end(mesh, h);
}

/* Stable sort of half-edges by one end; `from` NULL stands for 0, 1, 2 … `start` has room for particle_count + 1. */
static void sort_by_end(const tl_mesh *mesh, int (*end)(const tl_mesh *, int), const int *from, int *to, int *start)
{
    int halves = 3 * mesh->face_count;
    for (int p = 0; p <= mesh->particle_count; ++p)
        start[p] = 0;
    for (int h = 0; h < halves; ++h)
        ++start[end(mesh, h) + 1];
    for (int p = 0; p < mesh->particle_count; ++p)
        start[p + 1] += start[p];
    for (int i = 0; i < halves; ++i) {
        int h = from ? from[i] : i;
        to[start[end(mesh, h)]++] = h;
    }
}

/* "edge 4–9 belongs to 3 faces: 1, 5, 8" */
static tl_result fail_crowded(const tl_mesh *mesh, const int *file_face, const int *half, int count, tl_error *error)
{
    enum { LISTED = 12 }; /* enough to find the place */
    char list[LISTED * 12 + 8] = "";
    size_t used = 0;
    for (int i = 0; i < count && i < LISTED; ++i) {
        int f = tl_half_face(half[i]);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%d", i ? ", " : "", file_face ? file_face[f] : f);
    }
    if (count > LISTED)
        snprintf(list + used, sizeof list - used, ", …");
    int a = mesh->triangle[half[0]], b = mesh->triangle[tl_half_next(half[0])];
    return tl_fail(error, TL_ERROR_INPUT, "edge %d–%d belongs to %d faces: %s", a < b ? a : b, a < b ? b : a, count,
                   list);
}

static tl_result match(const tl_mesh *mesh, const int *file_face, const int *sorted, tl_pairing *pairing,
                       tl_error *error)
{
    int halves = 3 * mesh->face_count;
    pairing->edge_count = 0;
    for (int i = 0, end; i < halves; i = end) {
        for (end = i + 1; end < halves && same_edge(mesh, sorted[i], sorted[end]);)
            ++end;
        if (end - i > 2)
            return fail_crowded(mesh, file_face, sorted + i, end - i, error);
        int h = sorted[i];
        pairing->first[pairing->edge_count++] = h;
        pairing->mate[h] = -1;
        if (end - i == 2) {
            pairing->mate[h] = sorted[i + 1];
            pairing->mate[sorted[i + 1]] = h;
        }
    }
    return TL_OK;
}

tl_result tl_pair_half_edges(const tl_mesh *mesh, const int *file_face, tl_pairing *pairing, tl_error *error)
{
    size_t halves = 3 * (size_t)mesh->face_count;
    pairing->mate = tl_mesh_ints(mesh, halves);
    pairing->first = tl_mesh_ints(mesh, halves);
    int *sorted = tl_mesh_ints(mesh, halves);
    int *start = tl_mesh_ints(mesh, (size_t)mesh->particle_count + 1);
    tl_result result = TL_OK;
    if (!pairing->mate || !pairing->first || !sorted || !start) {
        result = tl_mesh_no_memory(error);
    } else {
        /* `first` is the buffer between the two passes; match fills it afterwards */
        sort_by_end(mesh, higher_end, NULL, pairing->first, start);
        sort_by_end(mesh, lower_end, pairing->first, sorted, start);
        result = match(mesh, file_face, sorted, pairing, error);
    }
    tl_release(&mesh->allocator, start);
    tl_release(&mesh->allocator, sorted);
    return result;
}

void tl_pairing_release(const tl_mesh *mesh, tl_pairing *pairing)
{
    tl_release(&mesh->allocator, pairing->mate);
    tl_release(&mesh->allocator, pairing->first);
    *pairing = (tl_pairing){0};
}

/* ---- edges ---------------------------------------------------------------------------------------------------- */

static double rest_length_of(const tl_mesh *mesh, int h)
{
    int next = tl_half_next(h);
    double u = (double)mesh->rest_u[next] - (double)mesh->rest_u[h];
    double v = (double)mesh->rest_v[next] - (double)mesh->rest_v[h];
    return sqrt(u * u + v * v);
}

static void fill_edge(tl_mesh *mesh, int e, int first)
{
    int second = mesh->twin[first];
    /* the first face of an inner edge runs from a to b, so that the fold angle has the same sign everywhere */
    if (second >= 0 && mesh->face[first] > mesh->face[second]) {
        int h = first;
        first = second, second = h;
    }
    mesh->edge_half[e] = first;
    mesh->edge_a[e] = lower_end(mesh, first);
    mesh->edge_b[e] = higher_end(mesh, first);
    mesh->edge_c[e] = mesh->face[tl_half_prev(first)];
    mesh->edge_d[e] = second >= 0 ? mesh->face[tl_half_prev(second)] : -1;
    double length = rest_length_of(mesh, first);
    mesh->edge_length[e] = (tl_real)(second >= 0 ? (length + rest_length_of(mesh, second)) / 2 : length);
}

static tl_result build_edges(tl_mesh *mesh, const tl_pairing *pairing, tl_error *error)
{
    size_t edges = (size_t)pairing->edge_count;
    mesh->edge_count = pairing->edge_count;
    mesh->edge_a = tl_mesh_ints(mesh, edges);
    mesh->edge_b = tl_mesh_ints(mesh, edges);
    mesh->edge_c = tl_mesh_ints(mesh, edges);
    mesh->edge_d = tl_mesh_ints(mesh, edges);
    mesh->edge_half = tl_mesh_ints(mesh, edges);
    mesh->edge_length = tl_allocate(&mesh->allocator, edges, sizeof *mesh->edge_length);
    if (!mesh->edge_a || !mesh->edge_b || !mesh->edge_c || !mesh->edge_d || !mesh->edge_half || !mesh->edge_length)
        return tl_mesh_no_memory(error);
    for (int e = 0; e < mesh->edge_count; ++e)
        fill_edge(mesh, e, pairing->first[e]);
    return TL_OK;
}

/* ---- faces around particles ----------------------------------------------------------------------------------- */

static tl_result build_fans(tl_mesh *mesh, tl_error *error)
{
    int halves = 3 * mesh->face_count;
    mesh->particle_face_start = tl_mesh_ints(mesh, (size_t)mesh->particle_count + 1);
    mesh->particle_face = tl_mesh_ints(mesh, (size_t)halves);
    if (!mesh->particle_face_start || !mesh->particle_face)
        return tl_mesh_no_memory(error);

    int *start = mesh->particle_face_start;
    for (int h = 0; h < halves; ++h)
        ++start[mesh->face[h] + 1];
    for (int p = 0; p < mesh->particle_count; ++p)
        start[p + 1] += start[p];
    /* filling has advanced every start to the next one: shift them back by one */
    for (int h = 0; h < halves; ++h)
        mesh->particle_face[start[mesh->face[h]]++] = h;
    for (int p = mesh->particle_count; p > 0; --p)
        start[p] = start[p - 1];
    start[0] = 0;
    return TL_OK;
}

tl_result tl_build_topology(tl_mesh *mesh, tl_error *error)
{
    tl_pairing pairing = {0};
    tl_result result = tl_pair_half_edges(mesh, NULL, &pairing, error);
    if (result == TL_OK) {
        mesh->twin = pairing.mate; /* winding is consistent by now: mates are opposite */
        pairing.mate = NULL;
        result = build_edges(mesh, &pairing, error);
    }
    tl_pairing_release(mesh, &pairing);
    return result == TL_OK ? build_fans(mesh, error) : result;
}
