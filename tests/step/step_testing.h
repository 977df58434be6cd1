/* Shared by the stepper tests: systems of a few particles on springs, grid and triangle meshes, random numbers. */
#ifndef TEST_STEP_TESTING_H
#define TEST_STEP_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "step/stepper.h"

#ifdef TL_REAL_DOUBLE
enum { DOUBLE_BUILD = 1 };
#else
enum { DOUBLE_BUILD = 0 };
#endif

static inline double uniform(uint32_t seed, int index) { return 2 * tl_random_unit(seed, (uint32_t)index) - 1; }

static inline void assert_near(double expected, double measured, double tolerance)
{
    if (!(fabs(expected - measured) <= tolerance))
        fail_msg("expected %.12g, measured %.12g, tolerance %g", expected, measured, tolerance);
}

static inline tl_mesh *grid(int columns, int rows, double width, double height)
{
    tl_grid_def def = {.columns = columns, .rows = rows, .width = (tl_real)width, .height = (tl_real)height};
    tl_mesh *mesh = tl_mesh_create_grid(&def, NULL, NULL);
    assert_non_null(mesh);
    return mesh;
}

/* The same sheet as a triangle mesh, interior vertices perturbed so that it is no grid. */
static inline tl_mesh *triangles(int columns, int rows, double spacing, double jitter)
{
    int count = columns * rows, faces = 2 * (columns - 1) * (rows - 1), n = 0;
    tl_vec3 *position = calloc((size_t)count, sizeof *position);
    int *triangle = calloc(3 * (size_t)faces, sizeof *triangle);
    for (int k = 0; k < count; ++k)
        position[k] = tl_v3((tl_real)(spacing * (k % columns + jitter * uniform(5, 2 * k))),
                            (tl_real)(spacing * (k / columns + jitter * uniform(5, 2 * k + 1))), 0);
    for (int r = 0; r + 1 < rows; ++r)
        for (int c = 0; c + 1 < columns; ++c) {
            int a = r * columns + c, b = a + 1, d = a + columns, e = d + 1;
            const int corner[6] = {a, b, e, a, e, d};
            for (int k = 0; k < 6; ++k)
                triangle[n++] = corner[k];
        }
    tl_mesh_def def = {.positions = position, .vertex_count = count, .triangles = triangle, .triangle_count = faces};
    tl_mesh *mesh = tl_mesh_create(&def, NULL, NULL);
    assert_non_null(mesh);
    free(position);
    free(triangle);
    return mesh;
}

/* Particles at the mesh's rest positions, masses of 1 kg, no element on. */
static inline tl_system make_system(const tl_mesh *mesh, int lanes)
{
    tl_system system;
    tl_allocator heap = tl_allocator_or_default(NULL);
    assert_int_equal(tl_system_create(&system, mesh, &heap, lanes, NULL), TL_OK);
    for (int i = 0; i < system.p.count; ++i) {
        system.p.m[i] = system.p.w[i] = 1;
        tl_put(system.p.x, i, mesh->position[i]);
    }
    system.iterations = 1;
    system.position_settings = (tl_position_settings){.range_low = (tl_real)0.95, .range_high = (tl_real)1.02};
    return system;
}

static inline void switch_on(tl_system *system, int element, double stiffness, double damping)
{
    tl_element_batch batch = {
        .kind = tl_element_classes[element], .allocator = system->allocator, .lanes = system->lanes};
    assert_int_equal(batch.kind->build(&batch, system->mesh, NULL), TL_OK);
    batch.kind = tl_element_classes[element];
    batch.stiffness = (tl_real)stiffness;
    batch.damping = (tl_real)damping;
    batch.settings = (tl_element_settings){.stretch_u = 1, .stretch_v = 1};
    system->batch[element] = batch;
    system->on[element] = true;
}

/* A substep with the schedule "model integrate"; position-based steppers integrate first. */
static inline void substep(tl_system *system, const char *name, double h)
{
    const tl_stepper_class *stepper = tl_stepper_find(name);
    assert_non_null(stepper);
    if (stepper->prepare)
        assert_int_equal(stepper->prepare(system, NULL), TL_OK);
    for (int c = 0; c < 3; ++c)
        memcpy(system->x_old[c], system->p.x[c], (size_t)system->p.count * sizeof(tl_real));
    bool first = strncmp(stepper->schedule, "model", 5) == 0;
    if (first && stepper->model)
        stepper->model(system, (tl_real)h);
    stepper->integrate(system, (tl_real)h);
    if (!first && stepper->model)
        stepper->model(system, (tl_real)h);
    system->time += h;
}

#endif
