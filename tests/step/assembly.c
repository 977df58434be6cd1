/* The implicit matrix: the sum of what every element's Hessian says, with the same bits for every number of threads and
   vector width. */
#include "step_testing.h"

#include "step/implicit.h"
#include "step/sparse.h"
#include "step/strain_limit.h"

#define BY_VELOCITY 0.02
#define BY_POSITION 0.0004

static bool have_width_8(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return true;
#endif
}

enum { MESHES = 3 };
static tl_mesh *mesh_of(int k)
{
    if (k == 2) {
        tl_surface_def def = {.kind = "ball", .columns = 8, .rows = 8, .width = (tl_real)0.2, .height = (tl_real)0.2};
        tl_mesh *mesh = tl_mesh_create_surface(&def, NULL, NULL);
        assert_non_null(mesh);
        return mesh;
    }
    return k == 0 ? grid(7, 6, 0.2, 0.2) : triangles(6, 7, 0.05, 0.2);
}

/* Some threads are stretched and others compressed, both with shear of both signs. */
static void deform(tl_system *system)
{
    for (int i = 0; i < system->p.count; ++i) {
        tl_vec3 x = tl_at(system->p.x, i),
                by = tl_v3((tl_real)uniform(1, i), (tl_real)uniform(2, i), (tl_real)uniform(3, i));
        tl_put(system->p.x, i, tl_madd(x, by, (tl_real)0.01));
    }
}

/* Damping of classes with constant matrices is only a bound of the Hessian. */
static void switch_on_class(tl_system *system, int e)
{
    switch_on(system, e, 100 + e, tl_element_classes[e]->constant ? 0 : 1 + e);
}

/* The whole matrix, 3 numbers per particle, from the elements' own Hessians one by one. */
static double *dense_of(const tl_system *system)
{
    size_t size = 3 * (size_t)system->p.count;
    double *a = calloc(size * size, sizeof *a);
    tl_element_hessian *h = calloc(1, sizeof *h);
    assert_true(a && h);
    for (size_t i = 0; i < size; ++i)
        a[i * size + i] = (double)system->p.m[i / 3];
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        tl_element_batch batch = system->batch[e];
        batch.settings.definite = true;
        for (int k = 0; system->on[e] && k < batch.count; ++k) {
            batch.kind->hessian(&batch, &system->p, k, 1, h);
            for (int i = 0; i < batch.kind->particles; ++i)
                for (int j = 0; j < batch.kind->particles; ++j)
                    for (int c = 0; c < 9; ++c)
                        a[(size_t)(3 * h->particle[i] + c / 3) * size + (size_t)(3 * h->particle[j] + c % 3)] +=
                            BY_POSITION * (double)h->stiffness[i][j][c / 3][c % 3] +
                            BY_VELOCITY * (double)h->damping[i][j][c / 3][c % 3];
        }
    }
    free(h);
    return a;
}

static tl_sparse assembled(const tl_system *system)
{
    tl_sparse sparse = {0};
    assert_true(tl_sparse_prepare(&sparse, system, false));
    tl_sparse_assemble(&sparse, system, (tl_real)BY_VELOCITY, (tl_real)BY_POSITION);
    return sparse;
}

/* Column by column, by products with unit vectors. */
static void assert_matrix_is(const tl_sparse *sparse, const tl_system *system, const double *dense, const char *what)
{
    size_t size = 3 * (size_t)sparse->count, numbers = TL_STRIDE * (size_t)tl_padded(sparse->count);
    double largest = 0, tolerance = DOUBLE_BUILD ? 1e-14 : 2e-6;
    tl_real *in = tl_allocate(&system->allocator, numbers, sizeof(tl_real)),
            *out = tl_allocate(&system->allocator, numbers, sizeof(tl_real));
    assert_true(in && out);
    for (size_t k = 0; k < size * size; ++k)
        largest = fmax(largest, fabs(dense[k]));
    for (size_t c = 0; c < size; ++c) {
        in[TL_STRIDE * (c / 3) + c % 3] = 1;
        tl_sparse_times(sparse, NULL, in, out);
        in[TL_STRIDE * (c / 3) + c % 3] = 0;
        for (size_t r = 0; r < size; ++r) {
            double found = (double)out[TL_STRIDE * (r / 3) + r % 3], wanted = dense[r * size + c];
            if (!(fabs(found - wanted) <= tolerance * largest))
                fail_msg("%s: row %zu, column %zu is %.9g instead of %.9g", what, r, c, found, wanted);
        }
    }
    tl_release(&system->allocator, in);
    tl_release(&system->allocator, out);
}

static const int LANES[] = {1, 4, 8};
static int widths(void) { return have_width_8() ? 3 : 2; }

static void matrix_is_the_sum_of_the_elements_hessians(void **state)
{
    (void)state;
    for (int m = 0; m < MESHES; ++m)
        for (int e = 0; e <= TL_ELEMENT_COUNT; ++e) /* each class alone, then all together */
            for (int n = 0; n < widths(); ++n) {
                tl_mesh *mesh = mesh_of(m);
                tl_system system = make_system(mesh, LANES[n]);
                for (int class = 0; class < TL_ELEMENT_COUNT; ++class)
                    if (e == class || e == TL_ELEMENT_COUNT)
                        switch_on_class(&system, class);
                deform(&system);
                tl_sparse sparse = assembled(&system);
                double *dense = dense_of(&system);
                assert_matrix_is(&sparse, &system, dense,
                                 e == TL_ELEMENT_COUNT ? "all classes" : tl_element_classes[e]->path);
                free(dense);
                tl_sparse_destroy(&sparse, &system.allocator);
                tl_system_destroy(&system);
                tl_mesh_destroy(mesh);
            }
}

static void set_strain_limit(tl_system *system)
{
    system->strain_limit_settings =
        (tl_strain_limit_settings){.on = true, .stretch = {(tl_real)0.05, (tl_real)0.05}, .passes = 1};
    system->strain_limit_slack_known = true; /* zero slack */
    assert_int_equal(tl_strain_limit_prepare(system, NULL), TL_OK);
    tl_strain_limit_weigh(system);
}

static void threads_and_widths_give_the_same_bits(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        tl_mesh *mesh = m == 0 ? grid(31, 23, 0.6, 0.6) : triangles(20, 21, 0.03, 0.2);
        tl_system first_system = make_system(mesh, 1);
        tl_sparse first = {0};
        for (int n = 0; n < widths(); ++n)
            for (int threads = 1; threads <= 3; ++threads) {
                tl_system system = make_system(mesh, LANES[n]);
                for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
                    switch_on_class(&system, e);
                set_strain_limit(&system);
                deform(&system);
                system.tasks = tl_tasks_create(&system.allocator, threads);
                tl_sparse sparse = assembled(&system);
                if (!first.block)
                    first = sparse;
                size_t blocks = (size_t)sparse.rows.start[sparse.count], count = (size_t)sparse.count;
                assert_memory_equal(first.block, sparse.block, blocks * sizeof *sparse.block);
                assert_memory_equal(first.inverse, sparse.inverse, count * sizeof *sparse.inverse);
                if (sparse.block != first.block)
                    tl_sparse_destroy(&sparse, &system.allocator);
                tl_tasks_destroy(system.tasks);
                system.tasks = NULL;
                tl_system_destroy(&system);
            }
        tl_sparse_destroy(&first, &first_system.allocator);
        tl_system_destroy(&first_system);
        tl_mesh_destroy(mesh);
    }
}

/* What is stored for one pair of particles is used for both: the blocks are each other's transposes to the last bit. */
static void matrix_is_symmetric_to_the_last_bit_off_its_diagonal(void **state)
{
    (void)state;
    tl_mesh *mesh = triangles(20, 21, 0.03, 0.2);
    tl_system system = make_system(mesh, 4);
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        switch_on_class(&system, e);
    deform(&system);
    tl_sparse sparse = assembled(&system);
    for (int i = 0; i < sparse.count; ++i)
        for (int k = sparse.rows.start[i] + 1; k < sparse.rows.start[i + 1]; ++k) {
            const tl_real *there = sparse.block[k],
                          *back = sparse.block[tl_rows_find(&sparse.rows, sparse.rows.column[k], i)];
            for (int c = 0; c < 9; ++c)
                assert_memory_equal(&there[TL_BLOCK_AT(c / 3, c % 3)], &back[TL_BLOCK_AT(c % 3, c / 3)],
                                    sizeof(tl_real));
        }
    tl_sparse_destroy(&sparse, &system.allocator);
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

/* The constant part is kept from step to step. */
static void matrix_follows_a_change_of_stiffness(void **state)
{
    (void)state;
    tl_mesh *mesh = grid(7, 6, 0.2, 0.2);
    tl_system system = make_system(mesh, 4);
    switch_on_class(&system, TL_ELEMENT_bend_quadratic);
    switch_on_class(&system, TL_ELEMENT_membrane_warp);
    deform(&system);
    tl_sparse sparse = assembled(&system);
    for (int step = 0; step < 3; ++step) {
        system.batch[TL_ELEMENT_bend_quadratic].stiffness *= step == 1 ? 1 : 3;
        tl_sparse_assemble(&sparse, &system, (tl_real)BY_VELOCITY, (tl_real)BY_POSITION);
        double *dense = dense_of(&system);
        assert_matrix_is(&sparse, &system, dense, "after a change");
        free(dense);
    }
    tl_sparse_destroy(&sparse, &system.allocator);
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_is_the_sum_of_the_elements_hessians),
        cmocka_unit_test(threads_and_widths_give_the_same_bits),
        cmocka_unit_test(matrix_is_symmetric_to_the_last_bit_off_its_diagonal),
        cmocka_unit_test(matrix_follows_a_change_of_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
