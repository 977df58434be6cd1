/* Shared by the element tests: three kinds of meshes, particles that deform and move at random, batches of any
   class. */
#ifndef TEST_ELEMENT_FIXTURE_H
#define TEST_ELEMENT_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "element/element.h"

#ifdef TL_REAL_DOUBLE
enum { DOUBLE_BUILD = 1 };
#else
enum { DOUBLE_BUILD = 0 };
#endif

static inline double uniform(uint32_t seed, int index) { return 2 * tl_random_unit(seed, (uint32_t)index) - 1; }

static inline tl_mesh *make_grid(int columns, int rows)
{
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create_grid(
        &(tl_grid_def){.columns = columns, .rows = rows, .width = 1, .height = (tl_real)1.3}, NULL, &error);
    assert_non_null(mesh);
    return mesh;
}

/* A jittered sheet of size × size vertices as a mesh of triangles, not a grid: every vertex moved in the plane, and its
   diagonals alternate at random; `curved` bends it over a quarter of a cylinder. */
static inline tl_mesh *make_irregular(int size, bool curved)
{
    int count = size * size, faces = 2 * (size - 1) * (size - 1);
    tl_vec3 *position = calloc((size_t)count, sizeof *position);
    int *triangle = calloc(3 * (size_t)faces, sizeof *triangle), *out = triangle;
    assert_true(position && triangle);
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) {
            int k = r * size + c;
            double x = (c + 0.3 * uniform(11, 2 * k)) / size, y = (r + 0.3 * uniform(11, 2 * k + 1)) / size;
            position[k] = curved ? tl_v3((tl_real)sin(1.5 * x), (tl_real)y, (tl_real)cos(1.5 * x))
                                 : tl_v3((tl_real)x, (tl_real)y, 0);
        }
    for (int r = 0; r + 1 < size; ++r)
        for (int c = 0; c + 1 < size; ++c) {
            int a = r * size + c, b = a + 1, d = a + size, e = d + 1;
            const int one[6] = {a, b, e, a, e, d}, other[6] = {a, b, d, b, e, d};
            const int *from = uniform(12, a) > 0 ? one : other;
            for (int k = 0; k < 6; ++k)
                *out++ = from[k];
        }
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(&(tl_mesh_def){.positions = position,
                                                  .vertex_count = count,
                                                  .triangles = triangle,
                                                  .triangle_count = faces,
                                                  .rest = TL_REST_SHAPE},
                                   NULL, &error);
    assert_non_null(mesh);
    free(position);
    free(triangle);
    return mesh;
}

static inline tl_particles make_particles(const tl_mesh *mesh)
{
    tl_particles p = {.count = mesh->particle_count};
    tl_allocator heap = tl_allocator_or_default(NULL);
    size_t padded = (size_t)tl_padded(p.count);
    for (int c = 0; c < 3; ++c) {
        p.x[c] = tl_allocate(&heap, padded, sizeof(tl_real));
        p.v[c] = tl_allocate(&heap, padded, sizeof(tl_real));
        p.f[c] = tl_allocate(&heap, padded, sizeof(tl_real));
    }
    p.m = tl_allocate(&heap, padded, sizeof(tl_real));
    p.w = tl_allocate(&heap, padded, sizeof(tl_real));
    for (int k = 0; k < p.count; ++k) {
        tl_put(p.x, k, mesh->position[k]);
        p.m[k] = p.w[k] = 1;
    }
    return p;
}

static inline void free_particles(tl_particles *p)
{
    tl_allocator heap = tl_allocator_or_default(NULL);
    for (int c = 0; c < 3; ++c) {
        tl_release(&heap, p->x[c]);
        tl_release(&heap, p->v[c]);
        tl_release(&heap, p->f[c]);
    }
    tl_release(&heap, p->m);
    tl_release(&heap, p->w);
}

static inline void clear_forces(tl_particles *p)
{
    for (int c = 0; c < 3; ++c)
        memset(p->f[c], 0, (size_t)tl_padded(p->count) * sizeof(tl_real));
}

/* Displaces every particle by up to `amount` metres and gives it up to `speed` m/s, per axis. */
static inline void deform(tl_particles *p, double amount, double speed, uint32_t seed)
{
    for (int k = 0; k < p->count; ++k)
        for (int c = 0; c < 3; ++c) {
            p->x[c][k] += (tl_real)(amount * uniform(seed, 6 * k + c));
            p->v[c][k] = (tl_real)(speed * uniform(seed, 6 * k + 3 + c));
        }
}

/* x → R x + t about a slanted axis, v = ω × x + u. */
static inline void move_rigidly(tl_particles *p)
{
    tl_quat turn = tl_quat_normalized((tl_quat){(tl_real)0.3, (tl_real)-0.5, (tl_real)0.2, (tl_real)0.7});
    for (int k = 0; k < p->count; ++k) {
        tl_vec3 x = tl_add(tl_rotate(turn, tl_at(p->x, k)), tl_v3((tl_real)0.4, (tl_real)-1, (tl_real)0.7));
        tl_put(p->x, k, x);
        tl_put(p->v, k, tl_add(tl_cross(tl_v3(1, -2, (tl_real)0.5), x), tl_v3(2, 1, -3)));
    }
}

static inline tl_element_batch make_batch(int kind, const tl_mesh *mesh)
{
    tl_element_batch batch = {
        .lanes = 1, .stiffness = 30, .damping = (tl_real)0.7, .settings = {.stretch_u = 1, .stretch_v = 1}};
    tl_error error = {0};
    assert_int_equal(tl_element_classes[kind]->build(&batch, mesh, &error), TL_OK);
    assert_ptr_equal(batch.kind, tl_element_classes[kind]);
    return batch;
}

static inline double largest_force(const tl_particles *p)
{
    double largest = 0;
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < p->count; ++k)
            largest = fmax(largest, fabs((double)p->f[c][k]));
    return largest;
}

#endif
