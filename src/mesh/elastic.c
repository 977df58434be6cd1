/* Elastic bands of a mesh: pairs of particles with the length that each band has at rest. */
#include "mesh/build.h"

/* Between two vertices at rest, m. */
static double rest_distance(const tl_mesh_def *def, int a, int b)
{
    double x[2][3];
    const int vertex[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        tl_vec3 place = def->positions[vertex[k]];
        x[k][0] = (double)place.x, x[k][1] = (double)place.y, x[k][2] = (double)place.z;
        if (def->rest == TL_REST_UV)
            tl_rest_of_uv(def, vertex[k], x[k]);
    }
    double u = x[1][0] - x[0][0], v = x[1][1] - x[0][1], w = x[1][2] - x[0][2];
    return sqrt(u * u + v * v + w * w);
}

tl_result tl_build_elastics(tl_mesh *mesh, const tl_mesh_def *def, tl_error *error)
{
    size_t most = (size_t)def->elastic_count;
    if (most == 0)
        return TL_OK;
    mesh->elastic_a = tl_mesh_ints(mesh, most);
    mesh->elastic_b = tl_mesh_ints(mesh, most);
    mesh->elastic_length = tl_allocate(&mesh->allocator, most, sizeof *mesh->elastic_length);
    if (!mesh->elastic_a || !mesh->elastic_b || !mesh->elastic_length)
        return tl_mesh_no_memory(error);
    for (size_t k = 0; k < most; ++k) {
        const tl_mesh_elastic *band = &def->elastics[k];
        int a = mesh->particle_of_vertex[band->a], b = mesh->particle_of_vertex[band->b], n = mesh->elastic_count;
        tl_real length = (tl_real)((double)band->ratio * rest_distance(def, band->a, band->b));
        if (a < 0 || b < 0 || a == b || !(length > 0))
            continue;
        mesh->elastic_a[n] = a;
        mesh->elastic_b[n] = b;
        mesh->elastic_length[n] = length;
        ++mesh->elastic_count;
    }
    return TL_OK;
}
