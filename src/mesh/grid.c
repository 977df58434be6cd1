/* Rectangular sheets: vertices row by row from the top left, two faces per cell, rest coordinates the sheet's own x and
   y. Nothing has to be welded, oriented or checked; only the particle order is special (order.h). */
#include "mesh/build.h"
#include "mesh/order.h"

static tl_result allocate_grid(tl_mesh *mesh, tl_error *error)
{
    size_t vertices = (size_t)mesh->vertex_count, corners = 3 * (size_t)mesh->face_count;
    mesh->vertex = tl_allocate(&mesh->allocator, vertices, sizeof *mesh->vertex);
    mesh->vertex_uv = tl_allocate(&mesh->allocator, 2 * vertices, sizeof *mesh->vertex_uv);
    mesh->triangle = tl_mesh_ints(mesh, corners);
    mesh->particle_of_vertex = tl_mesh_ints(mesh, vertices);
    mesh->position = tl_allocate(&mesh->allocator, vertices, sizeof *mesh->position);
    mesh->vertex_of_particle = tl_mesh_ints(mesh, vertices);
    mesh->face = tl_mesh_ints(mesh, corners);
    mesh->lattice = tl_mesh_ints(mesh, vertices);
    bool complete = mesh->vertex && mesh->vertex_uv && mesh->triangle && mesh->particle_of_vertex && mesh->position &&
                    mesh->vertex_of_particle && mesh->face && mesh->lattice;
    return complete ? TL_OK : tl_mesh_no_memory(error);
}

static void place_vertices(tl_mesh *mesh, const tl_grid_def *def)
{
    for (int r = 0; r < def->rows; ++r)
        for (int c = 0; c < def->columns; ++c) {
            int v = r * def->columns + c;
            double s = (double)c / (def->columns - 1), t = 1 - (double)r / (def->rows - 1);
            mesh->vertex[v] =
                tl_v3((tl_real)((s - 0.5) * (double)def->width), (tl_real)((t - 0.5) * (double)def->height), 0);
            mesh->vertex_uv[2 * v] = (tl_real)s;
            mesh->vertex_uv[2 * v + 1] = (tl_real)t;
        }
}

static void number_particles(tl_mesh *mesh)
{
    tl_order_grid(mesh->columns, mesh->rows, mesh->lattice);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int p = mesh->lattice[v];
        mesh->particle_of_vertex[v] = p;
        mesh->vertex_of_particle[p] = v;
        mesh->position[p] = mesh->vertex[v];
    }
}

/* Two triangles per cell, counter-clockwise seen from +z. */
static void place_faces(tl_mesh *mesh, bool alternating)
{
    int *out = mesh->triangle;
    for (int r = 0; r + 1 < mesh->rows; ++r)
        for (int c = 0; c + 1 < mesh->columns; ++c) {
            int top_left = r * mesh->columns + c, top_right = top_left + 1;
            int low_left = top_left + mesh->columns, low_right = low_left + 1;
            bool falling = alternating && (r + c) % 2 == 1;
            int rising_cell[6] = {low_left, low_right, top_right, low_left, top_right, top_left};
            int falling_cell[6] = {top_left, low_left, low_right, top_left, low_right, top_right};
            for (int k = 0; k < 6; ++k)
                *out++ = falling ? falling_cell[k] : rising_cell[k];
        }
    for (int h = 0; h < 3 * mesh->face_count; ++h)
        mesh->face[h] = mesh->particle_of_vertex[mesh->triangle[h]];
}

/* Sizes may be positive and their squares still under- or overflow. */
static tl_result check_cell(const tl_mesh *mesh, const tl_grid_def *def, tl_error *error)
{
    double corner[3][3];
    const int v[3] = {0, mesh->columns, mesh->columns + 1};
    for (int k = 0; k < 3; ++k)
        corner[k][0] = (double)mesh->vertex[v[k]].x, corner[k][1] = (double)mesh->vertex[v[k]].y, corner[k][2] = 0;
    tl_area_check area = tl_check_area(corner[0], corner[1], corner[2]);
    if (area == TL_AREA_GOOD)
        return TL_OK;
    return tl_fail(error, TL_ERROR_INPUT, "grid: cells of %g × %g m %s", (double)def->width / (def->columns - 1),
                   (double)def->height / (def->rows - 1),
                   area == TL_AREA_NONE ? "have no area to compute with" : "are too large to compute with");
}

tl_mesh *tl_mesh_create_grid(const tl_grid_def *def, const tl_allocator *allocator, tl_error *error)
{
    if (tl_check_grid_def(def, error) != TL_OK)
        return NULL;
    tl_mesh *mesh = tl_mesh_new(allocator, error);
    if (!mesh)
        return NULL;
    mesh->columns = def->columns;
    mesh->rows = def->rows;
    mesh->vertex_count = mesh->particle_count = def->columns * def->rows;
    mesh->triangle_count = mesh->face_count = 2 * (def->columns - 1) * (def->rows - 1);

    tl_result result = allocate_grid(mesh, error);
    if (result == TL_OK) {
        place_vertices(mesh, def);
        number_particles(mesh);
        place_faces(mesh, def->alternating);
        result = check_cell(mesh, def, error);
    }
    if (result == TL_OK)
        result = tl_rest_shapes(mesh, NULL, error);
    if (result == TL_OK)
        result = tl_build_topology(mesh, error);
    if (result == TL_OK)
        return mesh;
    tl_mesh_destroy(mesh);
    return NULL;
}
