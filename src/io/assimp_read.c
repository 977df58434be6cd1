/* Meshes of every format assimp reads: all meshes of the file merged into one, with the transforms of their nodes and
   the first set of texture coordinates. Import only. */
typedef int tl_assimp_read_is_optional; /* ISO C forbids an empty translation unit */

#ifdef TL_HAVE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/file.h"
#include "io/mesh_file.h"

enum { DEEPEST_NODE = 512 /* levels of nodes; real files have a few dozen */ };

typedef struct gatherer {
    const char *file_name;
    const struct aiScene *file;
    tl_triangles *triangles;
    int mesh_count, uv_mesh_count;
    tl_error *error;
} gatherer;

static tl_result add_vertices(gatherer *g, const struct aiMesh *mesh, const struct aiMatrix4x4 *transform)
{
    tl_triangles *t = g->triangles;
    for (unsigned i = 0; i < mesh->mNumVertices; ++i) {
        if (!tl_triangles_grow(&t->positions, t->vertex_count, sizeof *t->positions) ||
            !tl_triangles_grow(&t->uv, t->vertex_count, 2 * sizeof *t->uv))
            return tl_fail(g->error, TL_ERROR_MEMORY, "%s: not enough memory", g->file_name);
        struct aiVector3D p = mesh->mVertices[i];
        aiTransformVecByMatrix4(&p, transform);
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z))
            return tl_fail(g->error, TL_ERROR_INPUT, "%s: mesh '%.64s': vertex %u is not finite", g->file_name,
                           mesh->mName.data, i);
        const struct aiVector3D *uv = mesh->mTextureCoords[0];
        t->uv[2 * (size_t)t->vertex_count] = (tl_real)(uv ? uv[i].x : 0);
        t->uv[2 * (size_t)t->vertex_count + 1] = (tl_real)(uv ? uv[i].y : 0);
        t->positions[t->vertex_count++] = (tl_vec3){(tl_real)p.x, (tl_real)p.y, (tl_real)p.z};
    }
    return TL_OK;
}

static tl_result add_mesh(gatherer *g, const struct aiMesh *mesh, const struct aiMatrix4x4 *transform)
{
    tl_triangles *t = g->triangles;
    int first = t->vertex_count;
    if (mesh->mNumVertices > (unsigned)(INT_MAX - first) || !mesh->mVertices)
        return tl_fail(g->error, TL_ERROR_INPUT, "%s: mesh '%.64s': no or too many vertices", g->file_name,
                       mesh->mName.data);
    tl_result result = add_vertices(g, mesh, transform);
    /* a mirroring transform turns faces inside out */
    bool mirrored = aiMatrix4Determinant(transform) < 0;
    for (unsigned i = 0; i < mesh->mNumFaces && !result; ++i) {
        const struct aiFace *face = &mesh->mFaces[i];
        if (face->mNumIndices != 3) /* points and lines */
            continue;
        for (unsigned k = 0; k < 3 && !result; ++k) {
            unsigned corner = face->mIndices[mirrored ? 2 - k : k];
            int slot = 3 * t->triangle_count + (int)k;
            if (corner >= mesh->mNumVertices || t->triangle_count > INT_MAX / 3 - 1)
                result = tl_fail(g->error, TL_ERROR_INPUT, "%s: mesh '%.64s': face %u: vertex %d does not exist",
                                 g->file_name, mesh->mName.data, i, (int)corner); /* files may have -1 */
            else if (!tl_triangles_grow(&t->corners, slot, sizeof *t->corners))
                result = tl_fail(g->error, TL_ERROR_MEMORY, "%s: not enough memory", g->file_name);
            else
                t->corners[slot] = first + (int)corner;
        }
        t->triangle_count += result ? 0 : 1;
    }
    ++g->mesh_count;
    g->uv_mesh_count += mesh->mTextureCoords[0] != NULL;
    return result;
}

static tl_result add_node(gatherer *g, const struct aiNode *node, const struct aiMatrix4x4 *parent, int depth)
{
    if (depth > DEEPEST_NODE)
        return tl_fail(g->error, TL_ERROR_INPUT, "%s: nodes are nested more than %d deep", g->file_name, DEEPEST_NODE);
    struct aiMatrix4x4 transform = *parent;
    aiMultiplyMatrix4(&transform, &node->mTransformation);
    tl_result result = TL_OK;
    for (unsigned i = 0; i < node->mNumMeshes && !result; ++i)
        if (node->mMeshes[i] < g->file->mNumMeshes)
            result = add_mesh(g, g->file->mMeshes[node->mMeshes[i]], &transform);
    for (unsigned i = 0; i < node->mNumChildren && !result; ++i)
        result = add_node(g, node->mChildren[i], &transform, depth + 1);
    return result;
}

/* assimp (5.2) hangs on a PLY header without an end, so that is checked first. */
static bool has_ply_header(const char *file_name)
{
    static const char end_mark[] = "end_header";
    FILE *file = fopen(file_name, "rb");
    if (!file)
        return true; /* assimp reports why */
    char line[1024] = "";
    bool found = false;
    while (!found && fgets(line, sizeof line, file))
        found = strncmp(line, end_mark, sizeof end_mark - 1) == 0;
    fclose(file);
    return found;
}

tl_result tl_assimp_read(const char *file_name, tl_triangles *triangles, tl_error *error)
{
    *triangles = (tl_triangles){.positions = NULL};
    if (tl_file_has_ending(file_name, "ply") && !has_ply_header(file_name))
        return tl_fail(error, TL_ERROR_INPUT, "%s: the header has no end_header", file_name);
    const struct aiScene *file = aiImportFile(file_name, aiProcess_Triangulate | aiProcess_ValidateDataStructure);
    if (!file)
        return tl_fail(error, TL_ERROR_INPUT, "%s: assimp: %s", file_name, aiGetErrorString());
    gatherer g = {.file_name = file_name, .file = file, .triangles = triangles, .error = error};
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    tl_result result = TL_OK;
    if (file->mRootNode)
        result = add_node(&g, file->mRootNode, &identity, 0);
    if (!result && triangles->triangle_count == 0)
        result = tl_fail(error, TL_ERROR_INPUT, "%s: the file has no triangles", file_name);
    triangles->has_uv = g.uv_mesh_count == g.mesh_count;
    aiReleaseImport(file);
    if (result)
        tl_triangles_free(triangles);
    return result;
}

#endif
