/* Meshes on the GPU. Triangles, links and texture coordinates are uploaded once; positions, normals and scalars only
   when their version number changes. The same buffers serve triangles (as attributes) and wireframes (as buffer
   textures). */
#include "render_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Area-weighted: the cross product of two edges is the normal times twice the area, so a plain sum weights by
 itself. */
void render_normals(int vertex_count, const float *positions, int triangle_count, const uint32_t *triangles,
                    float *normals)
{
    memset(normals, 0, (size_t)vertex_count * 3 * sizeof *normals);
    for (int t = 0; t < triangle_count; ++t) {
        const uint32_t *corner = triangles + 3 * (size_t)t;
        const float *a = positions + 3 * (size_t)corner[0];
        const float *b = positions + 3 * (size_t)corner[1];
        const float *c = positions + 3 * (size_t)corner[2];
        float ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
        float vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
        float nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
        for (int k = 0; k < 3; ++k) {
            float *n = normals + 3 * (size_t)corner[k];
            n[0] += nx;
            n[1] += ny;
            n[2] += nz;
        }
    }
    for (int i = 0; i < vertex_count; ++i) {
        float *n = normals + 3 * (size_t)i;
        float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        bool flat = length > 0.0f && isfinite(length);
        float scale = flat ? 1.0f / length : 0.0f;
        n[0] *= scale;
        n[1] = flat ? n[1] * scale : 1.0f;
        n[2] *= scale;
    }
}

/* Bounds of the finite positions: one exploded particle must not affect light and camera. */
static void find_bounds(render_mesh *mesh, const float *positions)
{
    vec3s low = {{INFINITY, INFINITY, INFINITY}}, high = {{-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < mesh->vertex_count; ++i) {
        const float *p = positions + 3 * (size_t)i;
        if (!isfinite(p[0] + p[1] + p[2]))
            continue;
        low = glms_vec3_minv(low, vec3_of(p));
        high = glms_vec3_maxv(high, vec3_of(p));
    }
    if (low.x > high.x)
        low = high = glms_vec3_zero();
    mesh->minimum = low;
    mesh->maximum = high;
}

static GLuint make_buffer(GLenum kind, size_t size, const void *data, GLenum usage)
{
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(kind, name);
    glBufferData(kind, (GLsizeiptr)size, data, usage);
    return name;
}

static GLuint make_view(GLuint buffer, GLenum format)
{
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_BUFFER, name);
    glTexBuffer(GL_TEXTURE_BUFFER, format, buffer);
    glBindTexture(GL_TEXTURE_BUFFER, 0);
    return name;
}

/* Texture coordinates for a mesh without any: its two longest axes, over 0..1. */
static void guess_uvs(const render_mesh *mesh, const float *positions, float *uvs)
{
    float size[3] = {mesh->maximum.x - mesh->minimum.x, mesh->maximum.y - mesh->minimum.y,
                     mesh->maximum.z - mesh->minimum.z};
    int thin = size[0] <= size[1] && size[0] <= size[2] ? 0 : size[1] <= size[2] ? 1 : 2;
    int u = thin == 0 ? 2 : 0, v = thin == 1 ? 2 : 1;
    float scale_u = size[u] > 0.0f ? 1.0f / size[u] : 0.0f, scale_v = size[v] > 0.0f ? 1.0f / size[v] : 0.0f;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        uvs[2 * i] = (positions[3 * i + u] - mesh->minimum.raw[u]) * scale_u;
        uvs[2 * i + 1] = (positions[3 * i + v] - mesh->minimum.raw[v]) * scale_v;
    }
}

/* Link ends with the kind in the three top bits of the second one, as line_vertex unpacks them. */
static bool upload_links(render_mesh *mesh, const render_mesh_def *def)
{
    size_t count = (size_t)def->link_count;
    uint32_t *packed = malloc(2 * count * sizeof *packed);
    if (!packed)
        return false;
    for (size_t i = 0; i < count; ++i) {
        uint32_t kind = def->link_kinds ? def->link_kinds[i] & 7u : 0u;
        packed[2 * i] = def->links[2 * i];
        packed[2 * i + 1] = (def->links[2 * i + 1] & 0x1fffffffu) | kind << 29;
    }
    mesh->links = make_buffer(GL_TEXTURE_BUFFER, 2 * count * sizeof *packed, packed, GL_STATIC_DRAW);
    mesh->link_view = make_view(mesh->links, GL_R32UI);
    glBindBuffer(GL_TEXTURE_BUFFER, 0);
    free(packed);
    return true;
}

static void attribute(GLuint buffer, GLuint place, GLint components)
{
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glVertexAttribPointer(place, components, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(place);
}

static bool upload_all(render_mesh *mesh, const render_mesh_def *def)
{
    size_t n = (size_t)def->vertex_count;
    float *scratch = calloc(3 * n, sizeof *scratch); // first texture coordinates, then normals
    mesh->normal_scratch = scratch;
    mesh->triangle_copy = malloc(3 * (size_t)def->triangle_count * sizeof *mesh->triangle_copy + 1);
    if (!scratch || !mesh->triangle_copy)
        return false;
    if (def->triangle_count > 0)
        memcpy(mesh->triangle_copy, def->triangles, 3 * (size_t)def->triangle_count * sizeof *def->triangles);
    find_bounds(mesh, def->positions);
    glGenVertexArrays(1, &mesh->array);
    glBindVertexArray(mesh->array);
    mesh->scalars = make_buffer(GL_ARRAY_BUFFER, n * sizeof(float), scratch, GL_STREAM_DRAW); // all zero
    if (!def->uvs)
        guess_uvs(mesh, def->positions, scratch);
    mesh->uvs = make_buffer(GL_ARRAY_BUFFER, 2 * n * sizeof(float), def->uvs ? def->uvs : scratch, GL_STATIC_DRAW);
    mesh->positions = make_buffer(GL_ARRAY_BUFFER, 3 * n * sizeof(float), NULL, GL_STREAM_DRAW);
    mesh->normals = make_buffer(GL_ARRAY_BUFFER, 3 * n * sizeof(float), NULL, GL_STREAM_DRAW);
    mesh->triangles = make_buffer(GL_ELEMENT_ARRAY_BUFFER, 3 * (size_t)def->triangle_count * sizeof(uint32_t),
                                  def->triangles, GL_STATIC_DRAW);
    attribute(mesh->positions, ATTRIBUTE_POSITION, 3);
    attribute(mesh->normals, ATTRIBUTE_NORMAL, 3);
    attribute(mesh->uvs, ATTRIBUTE_UV, 2);
    attribute(mesh->scalars, ATTRIBUTE_SCALAR, 1);
    glBindVertexArray(0);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    mesh->position_view = make_view(mesh->positions, GL_R32F);
    mesh->scalar_view = make_view(mesh->scalars, GL_R32F);
    if (def->link_count > 0 && !upload_links(mesh, def))
        return false;
    render_mesh_update(mesh, def->positions, def->normals, 0);
    return true;
}

/* The GPU would silently read an index out of range, so it is rejected here. */
static bool def_is_sound(const render_mesh_def *def, render_error *error)
{
    if (def->vertex_count < 1 || def->triangle_count < 0 || def->link_count < 0 || !def->positions ||
        (def->triangle_count > 0 && !def->triangles) || (def->link_count > 0 && !def->links)) {
        render_error_set(error, "mesh: counts and arrays do not match");
        return false;
    }
    uint32_t n = (uint32_t)def->vertex_count;
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; ++i)
        if (def->triangles[i] >= n) {
            render_error_set(error, "mesh: triangle %zu names vertex %d of %u", i / 3, (int)def->triangles[i], n);
            return false;
        }
    for (size_t i = 0; i < 2 * (size_t)def->link_count; ++i)
        if (def->links[i] >= n || def->links[i] >= 1u << 29) {
            render_error_set(error, "mesh: link %zu names vertex %d of %u", i / 2, (int)def->links[i], n);
            return false;
        }
    return true;
}

render_mesh *render_mesh_create(render *r, const render_mesh_def *def, render_error *error)
{
    (void)r; // its context is current
    if (!def_is_sound(def, error))
        return NULL;
    render_mesh *mesh = calloc(1, sizeof *mesh);
    if (mesh) {
        mesh->vertex_count = def->vertex_count;
        mesh->triangle_count = def->triangle_count;
        mesh->link_count = def->link_count;
        mesh->inset_limit = def->inset_limit;
    }
    if (!mesh || !upload_all(mesh, def)) {
        render_error_set(error, "out of memory for a mesh of %d vertices", def->vertex_count);
        render_mesh_destroy(mesh);
        return NULL;
    }
    return mesh;
}

void render_mesh_destroy(render_mesh *mesh)
{
    if (!mesh)
        return;
    const GLuint buffers[] = {mesh->positions, mesh->normals, mesh->uvs, mesh->scalars, mesh->triangles, mesh->links};
    const GLuint views[] = {mesh->position_view, mesh->link_view, mesh->scalar_view};
    glDeleteTextures(3, views);
    glDeleteBuffers(6, buffers);
    glDeleteVertexArrays(1, &mesh->array);
    free(mesh->triangle_copy);
    free(mesh->normal_scratch);
    free(mesh);
}

/* Orphans the old storage first, so the upload never waits for a draw that still reads it. */
static void refill(GLuint buffer, size_t size, const void *data)
{
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, NULL, GL_STREAM_DRAW);
    glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)size, data);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
}

bool render_mesh_update(render_mesh *mesh, const float *positions, const float *normals, uint64_t version)
{
    if (version != 0 && version == mesh->position_version)
        return false;
    mesh->position_version = version;
    size_t size = 3 * (size_t)mesh->vertex_count * sizeof(float);
    if (!normals) {
        render_normals(mesh->vertex_count, positions, mesh->triangle_count, mesh->triangle_copy, mesh->normal_scratch);
        normals = mesh->normal_scratch;
    }
    refill(mesh->positions, size, positions);
    refill(mesh->normals, size, normals);
    find_bounds(mesh, positions);
    return true;
}

bool render_mesh_scalars(render_mesh *mesh, const float *values, uint64_t version)
{
    if (version != 0 && version == mesh->scalar_version)
        return false;
    mesh->scalar_version = version;
    refill(mesh->scalars, (size_t)mesh->vertex_count * sizeof(float), values);
    return true;
}

void render_mesh_bounds(const render_mesh *mesh, float minimum[3], float maximum[3])
{
    for (int k = 0; k < 3; ++k) {
        minimum[k] = mesh->minimum.raw[k];
        maximum[k] = mesh->maximum.raw[k];
    }
}

void mesh_draw(const render_mesh *mesh)
{
    glBindVertexArray(mesh->array);
    glDrawElements(GL_TRIANGLES, 3 * mesh->triangle_count, GL_UNSIGNED_INT, NULL);
}
