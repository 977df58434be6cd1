/* From the file's triangles to faces between particles: degenerate and duplicate faces and isolated vertices are
   reported, or dropped when the definition asks for repair. */
#include "mesh/build.h"

/* Faces accepted so far, hashed by their three particles. */
typedef struct face_set {
    int *slot; /* file face, -1 when empty; open addressing, at most half full */
    uint32_t mask;
} face_set;

static void particles_of(const tl_mesh_build *build, int f, int p[3])
{
    for (int k = 0; k < 3; ++k)
        p[k] = build->mesh->particle_of_vertex[build->def->triangles[3 * f + k]];
}

static void swap_if_above(int *a, int *b)
{
    if (*a > *b) {
        int t = *a;
        *a = *b, *b = t;
    }
}

static void sorted_particles_of(const tl_mesh_build *build, int f, int p[3])
{
    particles_of(build, f, p);
    swap_if_above(&p[0], &p[1]);
    swap_if_above(&p[1], &p[2]);
    swap_if_above(&p[0], &p[1]);
}

/* Adds a face; returns the earlier one on the same three particles, or -1. */
static int add_to_set(face_set *set, const tl_mesh_build *build, int f)
{
    int p[3], q[3];
    sorted_particles_of(build, f, p);
    uint64_t hash = 0;
    for (int k = 0; k < 3; ++k) {
        hash = (hash ^ (uint32_t)p[k]) * 0x9e3779b97f4a7c15u; /* as in weld.c */
        hash ^= hash >> 32;
    }
    uint32_t i = (uint32_t)hash & set->mask;
    for (; set->slot[i] >= 0; i = (i + 1) & set->mask) {
        sorted_particles_of(build, set->slot[i], q);
        if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2])
            return set->slot[i];
    }
    set->slot[i] = f;
    return -1;
}

static void position_of(const tl_mesh_build *build, int particle, double out[3])
{
    tl_vec3 x = build->def->positions[build->representative[particle]];
    out[0] = (double)x.x, out[1] = (double)x.y, out[2] = (double)x.z;
}

static tl_area_check check_shape(const tl_mesh_build *build, int f)
{
    int p[3];
    double x[3][3];
    particles_of(build, f, p);
    for (int k = 0; k < 3; ++k)
        position_of(build, p[k], x[k]);
    return tl_check_area(x[0], x[1], x[2]);
}

static tl_area_check check_uv(const tl_mesh_build *build, int f)
{
    double x[3][3];
    for (int k = 0; k < 3; ++k)
        tl_rest_of_uv(build->def, build->def->triangles[3 * f + k], x[k]);
    return tl_check_area(x[0], x[1], x[2]);
}

/* The reason why a face has no area. */
static tl_result fail_without_area(const tl_mesh_build *build, int f, const char *reason)
{
    const int *v = build->def->triangles + 3 * f;
    return tl_fail(build->error, TL_ERROR_INPUT, "face %d (vertices %d, %d, %d) has no area%s", f, v[0], v[1], v[2],
                   reason);
}

/* Sets *usable, or fails when the face may not be dropped. */
static tl_result check_face(const tl_mesh_build *build, face_set *set, int f, bool *usable)
{
    const int *v = build->def->triangles + 3 * f;
    bool drop = build->def->repair;
    int p[3];
    *usable = false;
    if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
        return drop ? TL_OK : fail_without_area(build, f, ": a vertex is repeated");
    particles_of(build, f, p);
    if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0])
        return drop ? TL_OK : fail_without_area(build, f, ": two of them are welded into one");

    tl_area_check shape = check_shape(build, f);
    tl_area_check uv = build->def->rest == TL_REST_UV ? check_uv(build, f) : TL_AREA_GOOD;
    if (shape == TL_AREA_TOO_LARGE || uv == TL_AREA_TOO_LARGE)
        return tl_fail(build->error, TL_ERROR_INPUT, "face %d (vertices %d, %d, %d) is too large to compute with%s", f,
                       v[0], v[1], v[2], shape == TL_AREA_TOO_LARGE ? "" : " in texture coordinates");
    if (shape == TL_AREA_NONE)
        return drop ? TL_OK : fail_without_area(build, f, "");
    if (uv == TL_AREA_NONE)
        return drop ? TL_OK : fail_without_area(build, f, " in texture coordinates");

    /* in any order of corners: the back of a two-sided mesh is a duplicate too */
    int earlier = add_to_set(set, build, f);
    if (earlier >= 0)
        return drop ? TL_OK
                    : tl_fail(build->error, TL_ERROR_INPUT, "face %d (vertices %d, %d, %d) repeats face %d", f, v[0],
                              v[1], v[2], earlier);
    *usable = true;
    return TL_OK;
}

static tl_result choose_faces(tl_mesh_build *build, face_set *set)
{
    for (uint32_t i = 0; i <= set->mask; ++i)
        set->slot[i] = -1;
    int kept = 0;
    for (int f = 0; f < build->def->triangle_count; ++f) {
        bool usable;
        tl_result result = check_face(build, set, f, &usable);
        if (result != TL_OK)
            return result;
        if (usable)
            build->file_face[kept++] = f;
    }
    if (kept == 0)
        return tl_fail(build->error, TL_ERROR_INPUT, "mesh: no faces are left after repair, none of %d has an area",
                       build->def->triangle_count);
    build->mesh->face_count = build->mesh->triangle_count = kept;
    return TL_OK;
}

static tl_result copy_faces(tl_mesh_build *build)
{
    tl_mesh *mesh = build->mesh;
    size_t corners = 3 * (size_t)mesh->face_count;
    mesh->triangle = tl_mesh_ints(mesh, corners);
    mesh->face = tl_mesh_ints(mesh, corners);
    if (!mesh->triangle || !mesh->face)
        return tl_mesh_no_memory(build->error);
    for (int h = 0; h < 3 * mesh->face_count; ++h) {
        int vertex = build->def->triangles[3 * build->file_face[h / 3] + h % 3];
        mesh->triangle[h] = vertex;
        mesh->face[h] = mesh->particle_of_vertex[vertex];
    }
    return TL_OK;
}

static tl_result copy_parts(tl_mesh_build *build)
{
    const tl_mesh_def *def = build->def;
    tl_mesh *mesh = build->mesh;
    if (def->part_count == 0)
        return TL_OK;
    mesh->part = tl_allocate(&mesh->allocator, (size_t)def->part_count, sizeof *mesh->part);
    mesh->part_of_face = tl_mesh_ints(mesh, (size_t)mesh->face_count);
    if (!mesh->part || !mesh->part_of_face)
        return tl_mesh_no_memory(build->error);
    mesh->part_count = def->part_count;
    for (int k = 0; k < def->part_count; ++k)
        mesh->part[k] = def->parts[k];
    for (int f = 0; f < mesh->face_count; ++f)
        mesh->part_of_face[f] = def->part_of_triangle[build->file_face[f]];
    return TL_OK;
}

/* Removes particles without faces and renumbers the rest. `number` is scratch, one zero per particle. */
static tl_result drop_isolated(tl_mesh_build *build, int *number)
{
    tl_mesh *mesh = build->mesh;
    for (int h = 0; h < 3 * mesh->face_count; ++h)
        number[mesh->face[h]] = 1;

    int kept = 0;
    for (int p = 0; p < mesh->particle_count; ++p) {
        if (!number[p] && !build->def->repair)
            return tl_fail(build->error, TL_ERROR_INPUT, "vertex %d belongs to no face", build->representative[p]);
        if (number[p])
            build->representative[kept] = build->representative[p];
        number[p] = number[p] ? kept++ : -1;
    }
    mesh->particle_count = kept;
    for (int v = 0; v < mesh->vertex_count; ++v)
        mesh->particle_of_vertex[v] = number[mesh->particle_of_vertex[v]];
    for (int h = 0; h < 3 * mesh->face_count; ++h)
        mesh->face[h] = number[mesh->face[h]];
    if (kept > TL_MESH_MAX_PARTICLES)
        return tl_fail(build->error, TL_ERROR_INPUT, "mesh: %d particles, more than %d", kept,
                       (int)TL_MESH_MAX_PARTICLES);
    return TL_OK;
}

tl_result tl_collect_faces(tl_mesh_build *build)
{
    tl_mesh *mesh = build->mesh;
    size_t faces = (size_t)build->def->triangle_count, slots = 64;
    while (slots < 2 * faces)
        slots *= 2;
    face_set set = {.slot = tl_mesh_ints(mesh, slots), .mask = (uint32_t)(slots - 1)};
    build->file_face = tl_mesh_ints(mesh, faces);
    tl_result result = set.slot && build->file_face ? choose_faces(build, &set) : tl_mesh_no_memory(build->error);
    tl_release(&mesh->allocator, set.slot);
    if (result == TL_OK)
        result = copy_faces(build);
    if (result == TL_OK)
        result = copy_parts(build);
    if (result != TL_OK)
        return result;

    int *number = tl_mesh_ints(mesh, (size_t)mesh->particle_count);
    result = number ? drop_isolated(build, number) : tl_mesh_no_memory(build->error);
    tl_release(&mesh->allocator, number);
    return result;
}
