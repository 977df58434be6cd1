/* The sparse Cholesky factor of a frozen matrix: it solves what conjugate gradients solve, on every mesh, whatever is
   held, with the same bits in every width; the order of elimination keeps it sparse. */
#include "failing_allocator.h"
#include "step_testing.h"

#include "step/cholesky.h"
#include "step/cholesky_kernels.h"
#include "step/dissection.h"
#include "step/implicit.h"

#define STEP (1.0 / 60) /* s */

typedef struct problem {
    tl_mesh *mesh;
    tl_system system;
    tl_sparse sparse;
    unsigned char *held;
    int particles;
} problem;

/* Denim: membrane and bending. Every eleventh particle is held, if any. */
static problem make_problem(tl_mesh *mesh, bool held, double mass, int lanes)
{
    problem t = {.mesh = mesh, .system = make_system(mesh, lanes)};
    switch_on(&t.system, TL_ELEMENT_membrane_warp, 205, 0.2);
    switch_on(&t.system, TL_ELEMENT_membrane_weft, 1014, 1);
    switch_on(&t.system, TL_ELEMENT_membrane_shear, 53, 0.05);
    switch_on(&t.system, TL_ELEMENT_bend_quadratic, 16e-6, 1e-7);
    t.particles = t.system.p.count;
    t.held = calloc((size_t)t.particles, 1);
    for (int i = 0; i < t.particles; ++i) {
        t.system.p.m[i] = (tl_real)(mass / t.particles * (1 + 0.5 * uniform(3, i)));
        t.held[i] = held && i % 11 == 0;
    }
    assert_true(tl_sparse_prepare(&t.sparse, &t.system, true));
    tl_sparse_assemble(&t.sparse, &t.system, (tl_real)STEP, (tl_real)(STEP * STEP));
    return t;
}

static void end_problem(problem *t)
{
    tl_sparse_destroy(&t->sparse, &t->system.allocator);
    tl_system_destroy(&t->system);
    tl_mesh_destroy(t->mesh);
    free(t->held);
}

/* Two sheets side by side that nothing connects, and a triangle far away. */
static tl_mesh *pieces(void)
{
    enum { SIDE = 12, EACH = SIDE * SIDE, COUNT = 2 * EACH + 3, FACES = 4 * (SIDE - 1) * (SIDE - 1) + 1 };
    static tl_vec3 position[COUNT];
    static int corner[3 * FACES];
    int n = 0;
    for (int k = 0; k < 2 * EACH; ++k)
        position[k] = tl_v3((tl_real)(0.1 * (k % SIDE) + 2 * (k / EACH)), (tl_real)(0.1 * (k % EACH / SIDE)), 0);
    for (int k = 0; k < 3; ++k)
        position[2 * EACH + k] = tl_v3((tl_real)(k == 1), (tl_real)(k == 2), 5);
    for (int s = 0; s < 2; ++s)
        for (int r = 0; r + 1 < SIDE; ++r)
            for (int c = 0; c + 1 < SIDE; ++c) {
                int a = s * EACH + r * SIDE + c;
                const int corners[6] = {a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE};
                for (int k = 0; k < 6; ++k)
                    corner[n++] = corners[k];
            }
    for (int k = 0; k < 3; ++k)
        corner[n++] = 2 * EACH + k;
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = position, .vertex_count = COUNT, .triangles = corner, .triangle_count = n / 3},
        NULL, NULL);
    assert_non_null(mesh);
    return mesh;
}

static tl_mesh *ball(void)
{
    tl_surface_def def = {.kind = "ball", .columns = 24, .rows = 24, .width = 1, .height = 1};
    tl_mesh *mesh = tl_mesh_create_surface(&def, NULL, NULL);
    assert_non_null(mesh);
    return mesh;
}

enum { MESHES = 6 };
static tl_mesh *mesh_of(int k)
{
    return k == 0   ? grid(31, 31, 1, 1)
           : k == 1 ? grid(9, 80, 0.2, 2)
           : k == 2 ? triangles(27, 33, 0.03, 0.25)
           : k == 3 ? ball()
           : k == 4 ? pieces()
                    : grid(2, 2, 1, 1);
}

/* out = A in over the free particles, in double, by differences. */
static void times(const problem *t, const double *in, double *out)
{
    const tl_rows *rows = &t->sparse.constant_rows;
    for (int n = 0; n < 3 * t->particles; ++n) {
        int i = n / 3, c = n % 3;
        out[n] = (double)t->system.p.m[i] * in[n];
        for (int k = rows->start[i] + 1; k < rows->start[i + 1]; ++k)
            out[n] += (double)t->sparse.constant[k] * (in[3 * rows->column[k] + c] - in[n]);
        out[n] = t->held[i] ? 0 : out[n];
    }
}

/* Conjugate gradients in double, without a preconditioner. */
static double *iterate(const problem *t, const tl_real *b)
{
    int count = 3 * t->particles;
    size_t bytes = (size_t)count * sizeof(double);
    double *x = calloc(1, bytes), *r = malloc(bytes), *d = malloc(bytes), *q = malloc(bytes), size = 0, first;
    for (int n = 0; n < count; ++n) {
        r[n] = d[n] = (double)b[TL_STRIDE * (n / 3) + n % 3];
        size += r[n] * r[n];
    }
    first = size;
    for (int k = 0; k < 20000 && size > 1e-24 * first; ++k) {
        double slope = 0, next = 0;
        times(t, d, q);
        for (int n = 0; n < count; ++n)
            slope += d[n] * q[n];
        for (int n = 0; n < count; ++n) {
            x[n] += size / slope * d[n];
            r[n] -= size / slope * q[n];
            next += r[n] * r[n];
        }
        for (int n = 0; n < count; ++n)
            d[n] = r[n] + next / size * d[n];
        size = next;
    }
    assert_true(size <= 1e-24 * first);
    free(r);
    free(d);
    free(q);
    return x;
}

static tl_real *right_side(const problem *t)
{
    tl_real *b = calloc(TL_STRIDE * (size_t)t->particles, sizeof *b);
    for (int n = 0; n < 3 * t->particles; ++n)
        b[TL_STRIDE * (n / 3) + n % 3] = t->held[n / 3] ? 0 : (tl_real)uniform(7, n);
    return b;
}

static tl_real *solve(const problem *t, const tl_vec3 *position, const tl_real *b)
{
    tl_real *x = calloc(TL_STRIDE * (size_t)t->particles, sizeof *x);
    tl_cholesky *factor = tl_cholesky_create(&t->sparse, position, &t->system.allocator);
    assert_non_null(factor);
    assert_true(tl_cholesky_is_worthwhile(factor));
    for (int again = 0; again < 2; ++again) { /* nothing is left over from a former matrix */
        assert_true(tl_cholesky_factor(factor, &t->sparse, t->system.p.m, t->held));
        tl_cholesky_solve(factor, b, x);
    }
    tl_cholesky_destroy(factor);
    return x;
}

static void expect_near(const problem *t, const tl_real *x, const double *reference, double tolerance)
{
    double off = 0, size = 0;
    for (int n = 0; n < 3 * t->particles; ++n) {
        double error = (double)x[TL_STRIDE * (n / 3) + n % 3] - reference[n];
        off += error * error;
        size += reference[n] * reference[n];
    }
    assert_true(size > 0);
    assert_near(0, sqrt(off / size), tolerance);
}

static void factor_solves_what_conjugate_gradients_solve(void **state)
{
    (void)state;
    for (int k = 0; k < MESHES; ++k)
        for (int held = 0; held < 2; ++held) {
            problem t = make_problem(mesh_of(k), held, 0.324, 8);
            tl_real *b = right_side(&t), *x = solve(&t, t.mesh->position, b);
            double *reference = iterate(&t, b);
            expect_near(&t, x, reference, 1e-6);
            for (int i = 0; i < t.particles; ++i)
                assert_true(!t.held[i] || !(fabs(x[TL_STRIDE * i]) > 0));
            free(b);
            free(x);
            free(reference);
            end_problem(&t);
        }
}

/* Positions only choose the order: without any that tell particles apart, it is another, and the solution is the same.
 */
static void particles_in_one_place_are_solved_too(void **state)
{
    (void)state;
    problem t = make_problem(grid(15, 15, 1, 1), true, 0.324, 8);
    tl_vec3 *nowhere = calloc((size_t)t.particles, sizeof *nowhere);
    tl_real *b = right_side(&t), *x = solve(&t, nowhere, b);
    double *reference = iterate(&t, b);
    expect_near(&t, x, reference, 1e-6);
    free(nowhere);
    free(b);
    free(x);
    free(reference);
    end_problem(&t);
}

/* A sheet of 1 cm weighs a millionth of its stiffness; nothing but its mass resists a common motion. */
static void light_sheet_moves_with_its_weight(void **state)
{
    (void)state;
    problem t = make_problem(grid(41, 41, 0.01, 0.01), false, 0.324e-4, 8);
    tl_real *b = calloc(TL_STRIDE * (size_t)t.particles, sizeof *b);
    for (int i = 0; i < t.particles; ++i)
        tl_stride_put(b, i, tl_scale(tl_v3(1, 2, 3), t.system.p.m[i]));
    tl_real *x = solve(&t, t.mesh->position, b);
    for (int i = 0; i < t.particles; ++i)
        for (int c = 0; c < 3; ++c)
            assert_near(1 + c, (double)x[TL_STRIDE * i + c], 1e-4);
    free(b);
    free(x);
    end_problem(&t);
}

/* Panels of every shape, in double: what is rounded to single precision afterwards would hide differences. */
static void panels_have_the_same_bits_in_every_width(void **state)
{
    (void)state;
    enum { WIDEST = 11, BEYOND = 9, ROWS = WIDEST + BEYOND };
    static const struct {
        tl_panel_factor_kernel *factor;
        tl_panel_update_kernel *update;
        tl_panel_forward_kernel *forward;
        tl_panel_backward_kernel *backward;
    } kernels[] = {{tl_panel_factor_w8, tl_panel_update_w8, tl_panel_forward_w8, tl_panel_backward_w8},
                   {tl_panel_factor_w4, tl_panel_update_w4, tl_panel_forward_w4, tl_panel_backward_w4},
                   {tl_panel_factor_w1, tl_panel_update_w1, tl_panel_forward_w1, tl_panel_backward_w1}};
    struct results {
        double panel[ROWS * WIDEST], update[BEYOND * BEYOND], inverse[WIDEST];
        _Alignas(64) double there[TL_SIDES * ROWS], back[TL_SIDES * ROWS];
    } result[3];
    for (int width = 1; width <= WIDEST; ++width)
        for (int beyond = 0; beyond <= BEYOND; ++beyond) {
            int rows = width + beyond;
            memset(result, 0, sizeof result);
            for (int k = 0; k < 3; ++k) {
                struct results *r = &result[k];
                for (int j = 0; j < width; ++j)
                    for (int i = j; i < rows; ++i)
                        r->panel[j * rows + i] = i == j ? 2 * ROWS : uniform(1, ROWS * i + j);
                assert_true(kernels[k].factor(r->panel, rows, width, r->inverse));
                kernels[k].update(r->panel, rows, width, r->update);
                for (int i = 0; i < TL_SIDES * rows; ++i)
                    r->there[i] = uniform(2, i);
                kernels[k].forward(r->panel, rows, width, r->inverse, r->there);
                memcpy(r->back, r->there, sizeof r->back);
                kernels[k].backward(r->panel, rows, width, r->inverse, r->back);
                assert_memory_equal(&result[0], r, sizeof *r);
            }
        }
}

static void all_widths_give_the_same_bits(void **state)
{
    (void)state;
    static const int lanes[] = {8, 4, 1};
    tl_real *first = NULL;
    for (int w = 0; w < 3; ++w) {
        problem t = make_problem(triangles(29, 31, 0.03, 0.25), true, 0.324, lanes[w]);
        tl_real *b = right_side(&t), *x = solve(&t, t.mesh->position, b);
        if (first)
            assert_memory_equal(first, x, TL_STRIDE * (size_t)t.particles * sizeof *x);
        else
            first = x;
        if (first != x)
            free(x);
        free(b);
        end_problem(&t);
    }
    free(first);
}

/* Every particle once; every coupling between two parts is a row of the earlier one; what a piece couples with is its
   separator, or couples with that. */
static void dissection_keeps_every_coupling(void **state)
{
    (void)state;
    for (int k = 0; k < MESHES; ++k) {
        problem t = make_problem(mesh_of(k), false, 0.324, 8);
        const tl_rows *rows = &t.sparse.constant_rows;
        tl_dissection d;
        assert_true(tl_dissect(&d, rows, t.particles, t.mesh->position, &t.system.allocator));
        assert_int_equal(d.first[0], 0);
        assert_int_equal(d.first[d.parts], t.particles);
        int *part = calloc((size_t)(t.particles + d.parts), sizeof *part);
        for (int r = 0; r < t.particles; ++r)
            assert_int_equal(d.rank[d.order[r]], r);
        for (int s = 0; s < d.parts; ++s)
            for (int r = d.first[s]; r < d.first[s + 1]; ++r)
                part[r] = s;
        for (int i = 0; i < t.particles; ++i)
            for (int n = rows->start[i] + 1; n < rows->start[i + 1]; ++n) {
                int low = d.rank[i], high = d.rank[rows->column[n]], found = 0;
                if (low > high || part[low] == part[high])
                    continue;
                for (int q = d.row_start[part[low]]; q < d.row_start[part[low] + 1]; ++q)
                    found += d.row[q] == high;
                assert_int_equal(found, 1);
            }
        /* `part` lists those whose own is still to come */
        int height = 0;
        for (int p = 0; p < d.parts; ++p) {
            for (int n = 0; n < d.pieces[p]; ++n) {
                int s = part[--height];
                for (int q = d.row_start[s]; q < d.row_start[s + 1]; ++q) {
                    int found = d.row[q] >= d.first[p] && d.row[q] < d.first[p + 1];
                    for (int o = d.row_start[p]; o < d.row_start[p + 1]; ++o)
                        found += d.row[o] == d.row[q];
                    assert_int_equal(found, 1);
                }
            }
            part[height++] = p;
        }
        assert_int_equal(height, 1);
        assert_int_equal(d.row_start[d.parts], d.row_start[d.parts - 1]);
        free(part);
        tl_dissection_destroy(&d, &t.system.allocator);
        end_problem(&t);
    }
}

/* Entries grow as n log n, for grids and for any mesh: bands of the same sheets have 720 000 and 4 200 000. */
static void factors_stay_sparse(void **state)
{
    (void)state;
    static const struct {
        int side;
        size_t most;
    } sheets[] = {{71, 500000}, {128, 2000000}};
    for (int k = 0; k < 2; ++k)
        for (int jitter = 0; jitter < 2; ++jitter) {
            int side = sheets[k].side;
            problem t =
                make_problem(jitter ? triangles(side, side, 0.01, 0.25) : grid(side, side, 1, 1), false, 0.3, 8);
            tl_cholesky *factor = tl_cholesky_create(&t.sparse, t.mesh->position, &t.system.allocator);
            assert_non_null(factor);
            assert_true(tl_cholesky_entries(factor) < sheets[k].most);
            tl_cholesky_destroy(factor);
            end_problem(&t);
        }
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    problem t = make_problem(grid(9, 9, 1, 1), false, 0.324, 8);
    tl_cholesky *factor = tl_cholesky_create(&t.sparse, t.mesh->position, &t.system.allocator);
    assert_non_null(factor);
    assert_true(tl_cholesky_factor(factor, &t.sparse, t.system.p.m, t.held));
    t.system.p.m[40] = NAN;
    assert_false(tl_cholesky_factor(factor, &t.sparse, t.system.p.m, t.held));
    t.system.p.m[40] = -1000;
    assert_false(tl_cholesky_factor(factor, &t.sparse, t.system.p.m, t.held));
    tl_cholesky_destroy(factor);
    end_problem(&t);
}

static void every_failing_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    problem t = make_problem(grid(20, 20, 1, 1), false, 0.324, 8);
    for (int n = 1;; ++n) {
        failing f = {.fails_at = n};
        tl_allocator allocator = failing_allocator(&f);
        tl_cholesky *factor = tl_cholesky_create(&t.sparse, t.mesh->position, &allocator);
        if (factor) {
            tl_cholesky_destroy(factor);
            assert_int_equal(f.alive, 0);
            assert_true(n > 10);
            break;
        }
        assert_int_equal(f.alive, 0);
    }
    end_problem(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factor_solves_what_conjugate_gradients_solve),
        cmocka_unit_test(particles_in_one_place_are_solved_too),
        cmocka_unit_test(light_sheet_moves_with_its_weight),
        cmocka_unit_test(panels_have_the_same_bits_in_every_width),
        cmocka_unit_test(all_widths_give_the_same_bits),
        cmocka_unit_test(dissection_keeps_every_coupling),
        cmocka_unit_test(factors_stay_sparse),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(every_failing_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
