/* Seams of a running cloth (step/sewing.h). */
#include "step/sewing.h"

#include "world/world.h"

tl_result tl_cloth_sew(tl_cloth *cloth, const int (*pairs)[2], int count, tl_real seconds)
{
    tl_error *error = &cloth->world->error;
    const tl_mesh *mesh = cloth->mesh;
    if (count <= 0) {
        tl_sewing_destroy(&cloth->system);
        return TL_OK;
    }
    if (!(seconds >= 0) || !isfinite(seconds))
        return tl_fail(error, TL_ERROR_INPUT, "%s: a seam cannot close in %g s", cloth->def.label, (double)seconds);
    int(*particles)[2] = tl_allocate(&cloth->world->allocator, (size_t)count, sizeof *particles);
    if (!particles)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory to sew %d pairs", count);
    tl_result result = TL_OK;
    for (int k = 0; k < count && result == TL_OK; ++k)
        for (int side = 0; side < 2 && result == TL_OK; ++side) {
            int vertex = pairs[k][side];
            particles[k][side] = vertex >= 0 && vertex < mesh->vertex_count ? mesh->particle_of_vertex[vertex] : -1;
            if (particles[k][side] < 0)
                result = tl_fail(error, TL_ERROR_INPUT, "%s: pair %d of a seam names vertex %d, which the mesh lacks",
                                 cloth->def.label, k, vertex);
        }
    if (result == TL_OK)
        result = tl_sewing_set(&cloth->system, (const int(*)[2])particles, count, seconds, error);
    tl_release(&cloth->world->allocator, particles);
    return result;
}

tl_real tl_cloth_sew_gap(const tl_cloth *cloth, tl_real *mean) { return tl_sewing_gap(&cloth->system, mean); }
