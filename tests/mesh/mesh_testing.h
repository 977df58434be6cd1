/* Shared by the mesh tests: small shapes, an allocator that counts and fails on demand, and a brute-force check of the
   invariants of any mesh. */
#ifndef TL_TESTS_MESH_TESTING_H
#define TL_TESTS_MESH_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/mesh.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- an allocator that counts, and fails at one call ---------------------------------------------------------- */

typedef struct counter {
    int calls;    /* number of allocations */
    int fail_at;  /* 0-based number of the call that gives NULL; -1 for none */
    int live;     /* allocations not yet released */
    size_t bytes; /* allocated and not yet released */
} counter;

enum { COUNTER_HEADER = 64 };

static inline void *counter_allocate(void *user, size_t size, size_t alignment)
{
    counter *c = user;
    if (c->calls++ == c->fail_at)
        return NULL;
    assert_true(alignment <= COUNTER_HEADER);
    unsigned char *memory = aligned_alloc(COUNTER_HEADER, COUNTER_HEADER + (size + 63) / 64 * 64);
    assert_non_null(memory);
    memcpy(memory, &size, sizeof size);
    ++c->live;
    c->bytes += size;
    return memory + COUNTER_HEADER;
}

static inline void counter_release(void *user, void *memory)
{
    counter *c = user;
    size_t size;
    memcpy(&size, (unsigned char *)memory - COUNTER_HEADER, sizeof size);
    --c->live;
    c->bytes -= size;
    free((unsigned char *)memory - COUNTER_HEADER);
}

static inline tl_allocator counting_allocator(counter *c)
{
    return (tl_allocator){.allocate = counter_allocate, .release = counter_release, .user = c};
}

/* ---- building meshes ------------------------------------------------------------------------------------------ */

static inline tl_mesh_def mesh_def(const tl_vec3 *positions, int vertex_count, const int *triangles, int triangle_count)
{
    return (tl_mesh_def){
        .positions = positions, .vertex_count = vertex_count, .triangles = triangles, .triangle_count = triangle_count};
}

static inline tl_mesh *make(const tl_mesh_def *def)
{
    tl_error error = {TL_OK, ""};
    tl_mesh *mesh = tl_mesh_create(def, NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

static inline tl_mesh *make_grid(int columns, int rows, tl_real width, tl_real height, bool alternating)
{
    tl_error error = {TL_OK, ""};
    tl_grid_def def = {.columns = columns, .rows = rows, .width = width, .height = height, .alternating = alternating};
    tl_mesh *mesh = tl_mesh_create_grid(&def, NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

/* The definition is rejected with exactly this message, and nothing leaks. */
static inline void assert_refused(const tl_mesh_def *def, const char *message)
{
    counter c = {.fail_at = -1};
    tl_allocator allocator = counting_allocator(&c);
    tl_error error = {TL_OK, ""};
    assert_null(tl_mesh_create(def, &allocator, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, TL_ERROR_INPUT);
    assert_int_equal(c.live, 0);
    /* a NULL error is allowed too */
    assert_null(tl_mesh_create(def, NULL, NULL));
}

/* A cube of side 2 m as files have it: four vertices per side, so that each side has its own texture. */
static inline void cube_with_24_vertices(tl_vec3 positions[24], tl_real uv[48], int triangles[36])
{
    for (int side = 0; side < 6; ++side) {
        int axis = side / 2;
        tl_real sign = side % 2 ? -1 : 1;
        for (int k = 0; k < 4; ++k) {
            tl_real s = k == 1 || k == 2 ? 1 : -1, t = k >= 2 ? 1 : -1, x[3];
            x[axis] = sign;
            x[(axis + 1) % 3] = s * sign; /* keeps the winding outward on both sides */
            x[(axis + 2) % 3] = t;
            positions[4 * side + k] = (tl_vec3){x[0], x[1], x[2]};
            uv[2 * (4 * side + k)] = (s + 1) / 2;
            uv[2 * (4 * side + k) + 1] = (t + 1) / 2;
        }
        const int corner[6] = {0, 1, 2, 0, 2, 3};
        for (int k = 0; k < 6; ++k)
            triangles[6 * side + k] = 4 * side + corner[k];
    }
}

/* ---- invariants of every mesh --------------------------------------------------------------------------------- */

static inline int half_target(const tl_mesh *mesh, int h) { return mesh->face[tl_half_next(h)]; }

static inline void assert_half_edges_hold(const tl_mesh *mesh)
{
    int halves = 3 * mesh->face_count;
    for (int h = 0; h < halves; ++h) {
        assert_int_equal(tl_half_next(tl_half_next(tl_half_next(h))), h);
        assert_int_equal(tl_half_prev(tl_half_next(h)), h);
        assert_int_equal(tl_half_face(tl_half_next(h)), tl_half_face(h));

        /* the twin by search over all half-edges: the one that runs back */
        int back = -1;
        for (int g = 0; g < halves; ++g) {
            if (mesh->face[g] == half_target(mesh, h) && half_target(mesh, g) == mesh->face[h]) {
                assert_int_equal(back, -1);
                back = g;
            }
        }
        assert_int_equal(mesh->twin[h], back);
        if (back >= 0)
            assert_int_equal(mesh->twin[back], h);
    }
}

static inline double rest_side(const tl_mesh *mesh, int h)
{
    int n = tl_half_next(h);
    double u = (double)mesh->rest_u[n] - (double)mesh->rest_u[h], v = (double)mesh->rest_v[n] - (double)mesh->rest_v[h];
    return sqrt(u * u + v * v);
}

static inline void assert_edges_hold(const tl_mesh *mesh)
{
    int borders = 0;
    for (int h = 0; h < 3 * mesh->face_count; ++h)
        borders += mesh->twin[h] < 0;
    assert_int_equal(2 * mesh->edge_count, 3 * mesh->face_count + borders);
    for (int e = 0; e < mesh->edge_count; ++e) {
        int a = mesh->edge_a[e], b = mesh->edge_b[e], h = mesh->edge_half[e], t = mesh->twin[h];
        assert_true(a < b);
        if (e > 0)
            assert_true(mesh->edge_a[e - 1] < a || (mesh->edge_a[e - 1] == a && mesh->edge_b[e - 1] < b));
        double length = rest_side(mesh, h);
        assert_int_equal(mesh->edge_c[e], half_target(mesh, tl_half_next(h)));
        if (t >= 0) {
            assert_int_equal(mesh->face[h], a);
            assert_int_equal(half_target(mesh, h), b);
            assert_int_equal(mesh->edge_d[e], half_target(mesh, tl_half_next(t)));
            length = (length + rest_side(mesh, t)) / 2;
        } else {
            assert_true((mesh->face[h] == a && half_target(mesh, h) == b) ||
                        (mesh->face[h] == b && half_target(mesh, h) == a));
            assert_int_equal(mesh->edge_d[e], -1);
        }
        assert_true(fabs((double)mesh->edge_length[e] - length) <= 1e-6 * length);
    }
}

static inline void assert_fans_hold(const tl_mesh *mesh)
{
    assert_int_equal(mesh->particle_face_start[0], 0);
    assert_int_equal(mesh->particle_face_start[mesh->particle_count], 3 * mesh->face_count);
    for (int p = 0; p < mesh->particle_count; ++p) {
        assert_true(mesh->particle_face_start[p] < mesh->particle_face_start[p + 1]);
        for (int i = mesh->particle_face_start[p]; i < mesh->particle_face_start[p + 1]; ++i) {
            assert_int_equal(tl_half_origin(mesh, mesh->particle_face[i]), p);
            if (i > mesh->particle_face_start[p])
                assert_true(mesh->particle_face[i - 1] < mesh->particle_face[i]);
        }
    }
}

static inline void assert_maps_hold(const tl_mesh *mesh)
{
    assert_int_equal(mesh->triangle_count, mesh->face_count);
    for (int h = 0; h < 3 * mesh->face_count; ++h)
        assert_int_equal(mesh->face[h], mesh->particle_of_vertex[mesh->triangle[h]]);
    for (int p = 0; p < mesh->particle_count; ++p) {
        int v = mesh->vertex_of_particle[p];
        assert_int_equal(mesh->particle_of_vertex[v], p);
        assert_memory_equal(&mesh->position[p], &mesh->vertex[v], sizeof mesh->vertex[v]);
        for (int w = 0; w < v; ++w)
            assert_int_not_equal(mesh->particle_of_vertex[w], p);
    }
    for (int v = 0; v < mesh->vertex_count; ++v)
        assert_in_range(mesh->particle_of_vertex[v] + 1, 0, mesh->particle_count);
}

static inline void assert_rest_areas_hold(const tl_mesh *mesh)
{
    for (int f = 0; f < mesh->face_count; ++f) {
        const tl_real *u = mesh->rest_u + 3 * f, *v = mesh->rest_v + 3 * f;
        double area =
            ((double)(u[1] - u[0]) * (double)(v[2] - v[0]) - (double)(v[1] - v[0]) * (double)(u[2] - u[0])) / 2;
        assert_true(mesh->rest_area[f] > 0);
        assert_true(fabs(area - (double)mesh->rest_area[f]) <= 1e-4 * area);
    }
}

static inline void assert_mesh_holds(const tl_mesh *mesh)
{
    assert_maps_hold(mesh);
    assert_half_edges_hold(mesh);
    assert_edges_hold(mesh);
    assert_fans_hold(mesh);
    assert_rest_areas_hold(mesh);
}

/* Rest sides equal sides in 3D for every face. */
static inline void assert_unstrained(const tl_mesh *mesh)
{
    for (int h = 0; h < 3 * mesh->face_count; ++h) {
        double side = (double)tl_length(tl_sub(mesh->position[half_target(mesh, h)], mesh->position[mesh->face[h]]));
        assert_true(fabs(rest_side(mesh, h) - side) <= 1e-5 * side);
    }
}

static inline int euler_characteristic(const tl_mesh *mesh)
{
    return mesh->particle_count - mesh->edge_count + mesh->face_count;
}

#endif
