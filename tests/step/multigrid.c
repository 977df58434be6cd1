/* The multigrid cycle as a preconditioner: symmetric and positive over the free directions of every mesh, and a few
   iterations of conjugate gradients where blocks alone take hundreds. */
#include "failing_allocator.h"
#include "step_testing.h"

#include <stdio.h>

#include "step/implicit.h"
#include "step/multigrid.h"

#define STEP (1.0 / 60) /* s */

typedef struct problem {
    tl_mesh *mesh;
    tl_system system;
    tl_sparse sparse;
    tl_multigrid *grid;
    unsigned char *held;
    tl_vec3 *normal;
    int count; /* numbers of a vector */
} problem;

/* Denim of 1 m²: membrane and bending. The particles stand as they are at rest but for a wave. */
static problem make_problem(tl_mesh *mesh, bool held)
{
    problem t = {.mesh = mesh, .system = make_system(mesh, 1)};
    tl_particles *p = &t.system.p;
    switch_on(&t.system, TL_ELEMENT_membrane_warp, 205, 0.2);
    switch_on(&t.system, TL_ELEMENT_membrane_weft, 1014, 1);
    switch_on(&t.system, TL_ELEMENT_membrane_shear, 53, 0.05);
    switch_on(&t.system, TL_ELEMENT_bend_quadratic, 16e-6, 1e-7);
    t.count = TL_STRIDE * p->count;
    t.held = calloc((size_t)p->count, 1);
    t.normal = calloc((size_t)p->count, sizeof *t.normal);
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 x = mesh->position[i];
        p->m[i] = (tl_real)(0.324 / p->count);
        p->x[2][i] += (tl_real)0.02 * (tl_real)sin(9 * (double)x.x + 4 * (double)x.y);
        if (held)
            t.held[i] = i % 17 == 0 ? 1 : i % 5 == 0 ? 2 : 0;
        t.normal[i] = tl_normalized(tl_v3((tl_real)uniform(1, i), (tl_real)uniform(2, i), 1));
    }
    assert_true(tl_sparse_prepare(&t.sparse, &t.system, false));
    tl_sparse_assemble(&t.sparse, &t.system, (tl_real)STEP, (tl_real)(STEP * STEP));
    t.grid = tl_multigrid_create(&t.sparse, mesh, &t.system.allocator);
    assert_non_null(t.grid);
    assert_true(tl_multigrid_assemble(t.grid, &t.sparse, &(tl_filter){t.held, t.normal}, NULL));
    return t;
}

static void end_problem(problem *t)
{
    tl_multigrid_destroy(t->grid);
    tl_sparse_destroy(&t->sparse, &t->system.allocator);
    tl_system_destroy(&t->system);
    tl_mesh_destroy(t->mesh);
    free(t->held);
    free(t->normal);
}

static tl_mesh *ball(void)
{
    tl_surface_def def = {.kind = "ball", .columns = 40, .rows = 40, .width = 1, .height = 1};
    tl_error error;
    tl_mesh *mesh = tl_mesh_create_surface(&def, NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

enum { MESHES = 5 };
static tl_mesh *mesh_of(int k)
{
    return k == 0   ? grid(41, 41, 1, 1)
           : k == 1 ? grid(30, 52, 1, 1)
           : k == 2 ? triangles(41, 41, 0.025, 0.25)
           : k == 3 ? ball()
                    : grid(5, 4, 1, 1);
}

static tl_real *vector(const problem *t)
{
    return aligned_alloc(64, ((size_t)t->count * sizeof(tl_real) + 63) / 64 * 64);
}

static void filter(const problem *t, tl_real *a)
{
    for (int i = 0; i < t->system.p.count; ++i) {
        tl_vec3 v = tl_stride_at(a, i), n = t->normal[i];
        if (t->held[i])
            tl_stride_put(a, i, t->held[i] == 1 ? tl_v3(0, 0, 0) : tl_madd(v, n, -tl_dot(v, n)));
    }
}

static tl_real *random_vector(const problem *t, uint32_t seed)
{
    tl_real *a = vector(t);
    for (int k = 0; k < t->count; ++k)
        a[k] = k % TL_STRIDE == 3 ? 0 : (tl_real)uniform(seed, k);
    filter(t, a);
    return a;
}

static double dot(const problem *t, const tl_real *a, const tl_real *b)
{
    double sum = 0;
    for (int k = 0; k < t->count; ++k)
        sum += (double)a[k] * (double)b[k];
    return sum;
}

static void cycle(const problem *t, const tl_real *in, tl_real *out)
{
    tl_multigrid_cycle(t->grid, &t->sparse, &(tl_filter){t->held, t->normal}, NULL, in, out);
}

static void the_cycle_is_symmetric_and_positive_on_every_mesh(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * MESHES; ++k) {
        problem t = make_problem(mesh_of(k / 2), k % 2);
        tl_real *a = random_vector(&t, 3), *b = random_vector(&t, 4), *za = vector(&t), *zb = vector(&t);
        cycle(&t, a, za);
        cycle(&t, b, zb);
        double size = sqrt(dot(&t, a, za) * dot(&t, b, zb));
        assert_true(dot(&t, a, za) > 0 && dot(&t, b, zb) > 0);
        assert_near(dot(&t, a, zb), dot(&t, b, za), 1e-4 * size);
        /* what is held stays out */
        memcpy(zb, za, (size_t)t.count * sizeof *za);
        filter(&t, zb);
        for (int n = 0; n < t.count; ++n)
            assert_near((double)za[n], (double)zb[n], 1e-5 * fabs((double)za[n]) + 1e-6);
        free(a);
        free(b);
        free(za);
        free(zb);
        end_problem(&t);
    }
}

/* Iterations until the residual, as the preconditioner measures it, is a thousandth; `plain`: by blocks alone. */
static int iterations(const problem *t, bool plain)
{
    tl_real *r = random_vector(t, 6), *d = vector(t), *q = vector(t), *z = vector(t);
    int n = 0;
    double first = 0, size = 0;
    for (; n < 1000; ++n) {
        if (plain)
            tl_sparse_jacobi(&t->sparse, NULL, r, z);
        else
            cycle(t, r, z);
        filter(t, z);
        double next = dot(t, r, z);
        first = n == 0 ? next : first;
        for (int k = 0; k < t->count; ++k)
            d[k] = n == 0 ? z[k] : z[k] + (tl_real)(next / size) * d[k];
        size = next;
        if (size <= 1e-6 * first)
            break;
        tl_sparse_times(&t->sparse, NULL, d, q);
        filter(t, q);
        tl_real step = (tl_real)(size / dot(t, d, q));
        for (int k = 0; k < t->count; ++k)
            r[k] -= step * q[k];
    }
    free(r);
    free(d);
    free(q);
    free(z);
    return n;
}

static void few_iterations_solve_every_mesh(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * MESHES; ++k) {
        problem t = make_problem(mesh_of(k / 2), k % 2);
        int with = iterations(&t, false), without = iterations(&t, true);
        if (getenv("TELAR_PRINT"))
            printf("mesh %d, held %d: %d levels, %d iterations, %d by blocks\n", k / 2, k % 2,
                   tl_multigrid_levels(t.grid), with, without);
        assert_true(with <= 14);
        if (k / 2 < 4)
            assert_true(4 * with < without);
        end_problem(&t);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    problem t = make_problem(grid(61, 47, 1, 1), true);
    tl_tasks *tasks = tl_tasks_create(&t.system.allocator, 3);
    assert_non_null(tasks);
    tl_filter free_directions = {t.held, t.normal};
    tl_real *r = random_vector(&t, 3), *one = vector(&t), *three = vector(&t);
    cycle(&t, r, one);
    assert_true(tl_multigrid_assemble(t.grid, &t.sparse, &free_directions, tasks));
    tl_multigrid_cycle(t.grid, &t.sparse, &free_directions, tasks, r, three);
    assert_memory_equal(one, three, (size_t)t.count * sizeof *one);
    tl_tasks_destroy(tasks);
    free(r);
    free(one);
    free(three);
    end_problem(&t);
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k += 2) {
        problem t = make_problem(mesh_of(k), false);
        tl_multigrid *made = NULL;
        int failures = 0;
        while (!made) {
            failing f = {.fails_at = failures + 1};
            tl_allocator allocator = failing_allocator(&f);
            made = tl_multigrid_create(&t.sparse, t.mesh, &allocator);
            if (made)
                tl_multigrid_destroy(made);
            assert_int_equal(f.alive, 0);
            ++failures;
        }
        assert_true(failures > 20);
        end_problem(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cycle_is_symmetric_and_positive_on_every_mesh),
        cmocka_unit_test(few_iterations_solve_every_mesh),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
