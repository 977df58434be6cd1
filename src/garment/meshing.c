/* Meshes of a garment: the panels' triangles, with the map from vertices to particles of open or of sewn seams. */
#include "garment/garment.h"

#include <stdio.h>
#include <string.h>

/* m; ends of a seam nearer than this are one place. */
static const tl_real SAME_PLACE = (tl_real)1e-4;

static int root_of(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

static void unite(int *parent, int a, int b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

bool tl_garment_open_map(tl_garment *garment)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    size_t count = (size_t)mesh->vertex_count;
    int *parent = tl_allocate(&garment->allocator, count, sizeof *parent);
    int *number = tl_allocate(&garment->allocator, count, sizeof *number);
    int *first = tl_allocate(&garment->allocator, (size_t)mesh->particle_count + 1, sizeof *first);
    int *order = tl_allocate(&garment->allocator, count, sizeof *order);
    bool made = parent && number && first && order;
    for (int v = 0; made && v < mesh->vertex_count; ++v) {
        parent[v] = v;
        number[v] = -1;
        ++first[mesh->particle_of_vertex[v] + 1];
    }
    for (int s = 0; made && s < mesh->seam_count; ++s)
        for (int k = 0; k < mesh->seam[s].count; ++k) {
            const int *pair = mesh->seam_pair + 2 * (size_t)(mesh->seam[s].first + k);
            if (tl_length(tl_sub(garment->x[pair[0]], garment->x[pair[1]])) < SAME_PLACE)
                unite(parent, pair[0], pair[1]);
        }
    /* in the order of the sewn garment's particles, which keeps rows of the lattice together */
    for (int p = 0; made && p < mesh->particle_count; ++p)
        first[p + 1] += first[p];
    for (int v = 0; made && v < mesh->vertex_count; ++v)
        order[first[mesh->particle_of_vertex[v]]++] = v;
    int particles = 0;
    for (int n = 0; made && n < mesh->vertex_count; ++n) {
        int root = root_of(parent, order[n]);
        if (number[root] < 0)
            number[root] = particles++;
        garment->open[order[n]] = number[root];
    }
    tl_release(&garment->allocator, parent);
    tl_release(&garment->allocator, number);
    tl_release(&garment->allocator, first);
    tl_release(&garment->allocator, order);
    return made;
}

/* The materials of panels, in units of the garment's; NULL when all have that one. */
static tl_mesh_part *parts_of(const tl_garment *garment)
{
    const tl_fabric *own = tl_fabric_named(garment->def.fabric);
    int count = garment->arrays->panel_count;
    bool differ = false;
    for (int p = 0; p < count; ++p)
        differ |= garment->panel_fabric[p] != own;
    tl_mesh_part *parts = differ ? tl_allocate(&garment->allocator, (size_t)count, sizeof *parts) : NULL;
    for (int p = 0; p < count && parts; ++p) {
        const tl_fabric *fabric = garment->panel_fabric[p];
        parts[p] = (tl_mesh_part){.density = fabric->density / own->density,
                                  .warp = fabric->warp / own->warp,
                                  .weft = fabric->weft / own->weft,
                                  .shear = fabric->shear / own->shear,
                                  .bend = tl_fabric_bend(fabric) / tl_fabric_bend(own)};
        snprintf(parts[p].fabric, sizeof parts[p].fabric, "%s", fabric->name);
    }
    return parts;
}

/* Bands along the first sides of elastic seams, *count of them; NULL when there are none. */
static tl_mesh_elastic *elastics_of(const tl_garment *garment, int *count)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    int most = 0;
    *count = 0;
    for (int s = 0; s < mesh->seam_count; ++s)
        most += garment->elastic[s] > 0 ? mesh->seam[s].count : 0;
    tl_mesh_elastic *bands = most > 0 ? tl_allocate(&garment->allocator, (size_t)most, sizeof *bands) : NULL;
    for (int s = 0; s < mesh->seam_count && bands; ++s) {
        const int *pair = mesh->seam_pair + 2 * (size_t)mesh->seam[s].first;
        for (int k = 0; k + 1 < mesh->seam[s].count && garment->elastic[s] > 0; ++k)
            if (pair[2 * k] != pair[2 * k + 2])
                bands[(*count)++] = (tl_mesh_elastic){pair[2 * k], pair[2 * k + 2], garment->elastic[s]};
    }
    return bands;
}

tl_mesh *tl_garment_build(const tl_garment *garment, bool sewn, tl_error *error)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    tl_mesh_part *parts = parts_of(garment);
    int bands = 0;
    tl_mesh_elastic *elastics = elastics_of(garment, &bands);
    tl_mesh_def def = {.positions = garment->x,
                       .uv = mesh->uv,
                       .vertex_count = mesh->vertex_count,
                       .triangles = mesh->triangle,
                       .triangle_count = mesh->triangle_count,
                       .rest = TL_REST_UV,
                       .particle_of_vertex = sewn ? mesh->particle_of_vertex : garment->open,
                       .parts = parts,
                       .part_count = parts ? mesh->panel_count : 0,
                       .part_of_triangle = mesh->panel_of_triangle,
                       .elastics = elastics,
                       .elastic_count = bands};
    tl_mesh *made = tl_mesh_create(&def, &garment->allocator, error);
    tl_release(&garment->allocator, parts);
    tl_release(&garment->allocator, elastics);
    return made;
}

void tl_garment_join(tl_garment *garment)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    tl_vec3 *sum = tl_allocate(&garment->allocator, (size_t)mesh->particle_count, sizeof *sum);
    int *parts = tl_allocate(&garment->allocator, (size_t)mesh->particle_count, sizeof *parts);
    for (int v = 0; sum && parts && v < mesh->vertex_count; ++v) {
        int p = mesh->particle_of_vertex[v];
        sum[p] = tl_add(sum[p], garment->x[v]);
        ++parts[p];
    }
    for (int v = 0; sum && parts && v < mesh->vertex_count; ++v) {
        int p = mesh->particle_of_vertex[v];
        if (parts[p] > 1)
            garment->x[v] = tl_scale(sum[p], 1 / (tl_real)parts[p]);
    }
    tl_release(&garment->allocator, sum);
    tl_release(&garment->allocator, parts);
}
