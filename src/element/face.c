/* Faces sorted for SIMD, with their rest gradients (element/face.h). */
#include "element/face.h"

static bool allocate_set(tl_face_set *set, const tl_allocator *allocator, int count)
{
    size_t padded = (size_t)tl_padded(count);
    bool done = true;
    for (int c = 0; c < 3; ++c)
        done = (set->particle[c] = tl_allocate(allocator, padded, sizeof(int))) && done;
    for (int c = 0; c < 2; ++c) {
        done = (set->u[c] = tl_allocate(allocator, padded, sizeof(tl_real))) && done;
        done = (set->v[c] = tl_allocate(allocator, padded, sizeof(tl_real))) && done;
    }
    done = (set->scale = tl_allocate(allocator, padded, sizeof(tl_real))) && done;
    return done;
}

/* Coefficients of W_u and W_v for face number `face` of the mesh (the thesis, eq. 4.13). */
static void put_face(tl_face_set *set, int k, const tl_mesh *mesh, int face)
{
    const tl_real *u = mesh->rest_u + 3 * face, *v = mesh->rest_v + 3 * face;
    double du1 = (double)u[1] - (double)u[0], du2 = (double)u[2] - (double)u[0];
    double dv1 = (double)v[1] - (double)v[0], dv2 = (double)v[2] - (double)v[0];
    double determinant = du1 * dv2 - du2 * dv1;
    for (int c = 0; c < 3; ++c)
        set->particle[c][k] = mesh->face[3 * face + c];
    set->u[0][k] = (tl_real)(dv2 / determinant);
    set->u[1][k] = (tl_real)(-dv1 / determinant);
    set->v[0][k] = (tl_real)(-du2 / determinant);
    set->v[1][k] = (tl_real)(du1 / determinant);
    /* a^¾ by square roots, which round the same everywhere; pow does not */
    double root = sqrt((double)mesh->rest_area[face]);
    set->scale[k] = (tl_real)(root * sqrt(root));
}

/* Stiffness of a face in that of the batch. */
static double factor_of(const tl_element_class *kind, const tl_mesh *mesh, int face)
{
    const tl_mesh_part *part = tl_mesh_part_at(mesh, face);
    if (!part)
        return 1;
    if (kind->resists == TL_RESISTS_SHEAR)
        return (double)part->shear;
    bool warp = (kind->resists & TL_RESISTS_WARP) != 0, weft = (kind->resists & TL_RESISTS_WEFT) != 0;
    return warp && weft ? ((double)part->warp + (double)part->weft) / 2 : (double)(warp ? part->warp : part->weft);
}

/* E = ½ k C²: a face that is r times as stiff has its C, which `scale` multiplies, times √r. */
static void take_parts(tl_face_set *set, const tl_element_class *kind, const tl_mesh *mesh)
{
    for (int k = 0; k < set->count && mesh->part; ++k)
        set->scale[k] *= (tl_real)sqrt(factor_of(kind, mesh, set->groups.order[k]));
}

static void release_set(tl_face_set *set, const tl_allocator *allocator)
{
    tl_groups_destroy(&set->groups, allocator);
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, set->particle[c]);
    for (int c = 0; c < 2; ++c) {
        tl_release(allocator, set->u[c]);
        tl_release(allocator, set->v[c]);
    }
    tl_release(allocator, set->scale);
    tl_release(allocator, set);
}

tl_result tl_face_build(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->allocator = tl_allocator_or_default(&batch->allocator);
    batch->data = NULL;
    batch->count = 0;
    batch->bytes = 0;
    const tl_allocator *allocator = &batch->allocator;
    tl_face_set *set = tl_allocate(allocator, 1, sizeof *set);
    if (!set || !allocate_set(set, allocator, mesh->face_count) ||
        !tl_groups_build(&set->groups, allocator, mesh->face, 3, mesh->face_count, mesh->particle_count)) {
        if (set)
            release_set(set, allocator);
        return tl_fail(error, TL_ERROR_MEMORY, "%s: no memory for %d faces", batch->kind->path, mesh->face_count);
    }
    set->count = mesh->face_count;
    for (int k = 0; k < set->count; ++k)
        put_face(set, k, mesh, set->groups.order[k]);
    take_parts(set, batch->kind, mesh);
    batch->data = set;
    batch->count = set->count;
    batch->bytes = sizeof *set + (size_t)tl_padded(set->count) * (3 * sizeof(int) + 5 * sizeof(tl_real)) +
                   tl_groups_bytes(&set->groups, set->count);
    return TL_OK;
}

tl_result tl_face_build_even(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    tl_result result = tl_face_build(batch, mesh, error);
    tl_face_set *set = batch->data;
    for (int k = 0; result == TL_OK && k < set->count; ++k)
        set->scale[k] = sqrt(mesh->rest_area[set->groups.order[k]]);
    if (result == TL_OK)
        take_parts(set, batch->kind, mesh);
    return result;
}

void tl_face_destroy(tl_element_batch *batch)
{
    if (batch->data)
        release_set(batch->data, &batch->allocator);
    batch->data = NULL;
    batch->count = 0;
    batch->bytes = 0;
}

const tl_groups *tl_face_groups(const tl_element_batch *batch) { return &((const tl_face_set *)batch->data)->groups; }

tl_real tl_face_sheet_stiffness(tl_real stiffness, tl_real spacing)
{
    return stiffness * (spacing * (tl_real)0.70710678); /* √½ */
}

void tl_face_members(const tl_element_batch *batch, int k, int particle[TL_ELEMENT_MAX_PARTICLES])
{
    const tl_face_set *set = batch->data;
    for (int c = 0; c < 3; ++c)
        particle[c] = set->particle[c][k];
}

tl_face_state tl_face_at(const tl_face_set *set, int k, const tl_particles *p)
{
    tl_face_state face;
    tl_vec3 x[3];
    for (int c = 0; c < 3; ++c) {
        face.particle[c] = set->particle[c][k];
        x[c] = tl_at(p->x, face.particle[c]);
    }
    for (int c = 0; c < 2; ++c) {
        face.u[c + 1] = set->u[c][k];
        face.v[c + 1] = set->v[c][k];
    }
    face.u[0] = -face.u[1] - face.u[2];
    face.v[0] = -face.v[1] - face.v[2];
    face.scale = set->scale[k];
    tl_vec3 d1 = tl_sub(x[1], x[0]), d2 = tl_sub(x[2], x[0]);
    face.wu = tl_madd(tl_scale(d1, face.u[1]), d2, face.u[2]);
    face.wv = tl_madd(tl_scale(d1, face.v[1]), d2, face.v[2]);
    return face;
}
