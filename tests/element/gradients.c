/* Every class against central differences: force, Hessian, damping matrix and constraint form (VALIDATION.md,
   "gradients"). In single precision the differences themselves are only good to a few per cent; the double build holds
   1e-6. */
#include "fixture.h"

static const double STEP = DOUBLE_BUILD ? 1e-6 : 2e-3;      /* m, of the differences */
static const double TOLERANCE = DOUBLE_BUILD ? 1e-6 : 0.03; /* relative to the largest value */

enum { MESHES = 3 };
static tl_mesh *make_mesh(int which) { return which == 0 ? make_grid(5, 7) : make_irregular(5, which == 2); }

static void energy_and_force_agree(const tl_element_batch *batch, tl_particles *p)
{
    clear_forces(p);
    batch->kind->force(batch, p);
    double largest = largest_force(p);
    for (int k = 0; k < p->count; ++k)
        for (int c = 0; c < 3; ++c) {
            tl_real at = p->x[c][k];
            p->x[c][k] = at + (tl_real)STEP;
            double high = (double)p->x[c][k], above = batch->kind->energy(batch, p);
            p->x[c][k] = at - (tl_real)STEP;
            double low = (double)p->x[c][k], below = batch->kind->energy(batch, p);
            p->x[c][k] = at;
            assert_true(fabs((double)p->f[c][k] + (above - below) / (high - low)) <= TOLERANCE * largest);
        }
}

/* Element matrices added up, 3n × 3n. */
static double *assemble(const tl_element_batch *batch, const tl_particles *p, bool damping)
{
    size_t n = 3 * (size_t)p->count;
    double *sum = calloc(n * n, sizeof *sum);
    tl_element_hessian *all = calloc((size_t)batch->count, sizeof *all);
    assert_true(sum && all);
    /* in two calls, to see that `first` is respected */
    int half = batch->count / 2;
    batch->kind->hessian(batch, p, 0, half, all);
    batch->kind->hessian(batch, p, half, batch->count - half, all + half);
    for (int e = 0; e < batch->count; ++e)
        for (int i = 0; i < batch->kind->particles; ++i)
            for (int j = 0; j < batch->kind->particles; ++j)
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c)
                        sum[(3 * (size_t)all[e].particle[i] + (size_t)r) * n + 3 * (size_t)all[e].particle[j] +
                            (size_t)c] += (double)(damping ? all[e].damping : all[e].stiffness)[i][j][r][c];
    free(all);
    return sum;
}

static double largest_of(const double *a, size_t count)
{
    double largest = 0;
    for (size_t k = 0; k < count; ++k)
        largest = fmax(largest, fabs(a[k]));
    return largest;
}

/* −∂f/∂(x or v) by differences against the assembled matrix, column by column. */
static void matrix_agrees(const tl_element_batch *batch, tl_particles *p, tl_real *const variable[3], bool damping)
{
    size_t n = 3 * (size_t)p->count;
    double *matrix = assemble(batch, p, damping);
    double largest = largest_of(matrix, n * n);
    double *above = calloc(n, sizeof *above);
    assert_true(above && largest > 0);
    for (size_t column = 0; column < n; ++column) {
        tl_real *at = &variable[column % 3][column / 3], was = *at;
        *at = was + (tl_real)STEP;
        double high = (double)*at;
        clear_forces(p);
        batch->kind->force(batch, p);
        for (size_t row = 0; row < n; ++row)
            above[row] = (double)p->f[row % 3][row / 3];
        *at = was - (tl_real)STEP;
        double low = (double)*at;
        clear_forces(p);
        batch->kind->force(batch, p);
        *at = was;
        for (size_t row = 0; row < n; ++row) {
            double slope = -(above[row] - (double)p->f[row % 3][row / 3]) / (high - low);
            assert_true(fabs(slope - matrix[row * n + column]) <= TOLERANCE * largest);
            assert_true(fabs(matrix[column * n + row] - matrix[row * n + column]) <= 1e-6 * largest);
        }
    }
    free(matrix);
    free(above);
}

static void constraint_agrees(const tl_element_batch *batch, tl_particles *p)
{
    double energy = 0;
    clear_forces(p);
    batch->kind->force(batch, p);
    double *sum = calloc(3 * (size_t)p->count, sizeof *sum);
    assert_non_null(sum);
    for (int e = 0; e < batch->count; ++e) {
        tl_element_constraint at, high, low;
        batch->kind->constraint(batch, p, e, 1, &at);
        for (int j = 0; j < batch->kind->conditions; ++j)
            energy += 0.5 * (double)batch->stiffness * (double)at.value[j] * (double)at.value[j];
        for (int i = 0; i < batch->kind->particles; ++i)
            for (int c = 0; c < 3; ++c) {
                tl_real *x = &p->x[c][at.particle[i]], was = *x;
                *x = was + (tl_real)STEP;
                double span = (double)*x;
                batch->kind->constraint(batch, p, e, 1, &high);
                *x = was - (tl_real)STEP;
                span -= (double)*x;
                batch->kind->constraint(batch, p, e, 1, &low);
                *x = was;
                for (int j = 0; j < batch->kind->conditions; ++j) {
                    /* a patch on the border names a particle twice */
                    tl_vec3 whole = tl_v3(0, 0, 0), *g = &at.gradient[j][i];
                    for (int other = 0; other < batch->kind->particles; ++other)
                        if (at.particle[other] == at.particle[i])
                            whole = tl_add(whole, at.gradient[j][other]);
                    double gradient = (double)(c == 0   ? whole.x
                                               : c == 1 ? whole.y
                                                        : whole.z),
                           length = (double)tl_length(whole);
                    double slope = ((double)high.value[j] - (double)low.value[j]) / span;
                    assert_true(fabs(slope - gradient) <= (DOUBLE_BUILD ? 1e-6 : 0.05) * (length + 1));
                    sum[3 * at.particle[i] + c] -= (double)batch->stiffness *
                                                   (double)(c == 0   ? g->x
                                                            : c == 1 ? g->y
                                                                     : g->z) *
                                                   (double)at.value[j];
                }
            }
    }
    double kept = batch->kind->energy(batch, p), largest = largest_force(p);
    assert_true(fabs(energy - kept) <= (DOUBLE_BUILD ? 1e-12 : 1e-4) * kept);
    for (int k = 0; k < 3 * p->count; ++k)
        assert_true(fabs(sum[k] - (double)p->f[k % 3][k / 3]) <= (DOUBLE_BUILD ? 1e-10 : 1e-3) * largest);
    free(sum);
}

/* Calls check(batch, particles) for every class on every mesh, deformed at random, without damping when asked. */
typedef void check(const tl_element_batch *batch, tl_particles *p);
static void for_every_class(check *run, bool moving)
{
    for (int which = 0; which < MESHES; ++which) {
        tl_mesh *mesh = make_mesh(which);
        for (int kind = 0; kind < TL_ELEMENT_COUNT; ++kind)
            for (int full = 0; full < 2; ++full) {
                tl_element_batch batch = make_batch(kind, mesh);
                tl_particles p = make_particles(mesh);
                batch.settings.full_damping = full;
                batch.settings.stretch_u = (tl_real)0.9;
                batch.settings.stretch_v = (tl_real)1.1;
                deform(&p, 0.05, moving ? 1 : 0, (uint32_t)(20 + kind));
                if (batch.count > 0)
                    run(&batch, &p);
                free_particles(&p);
                batch.kind->destroy(&batch);
            }
        tl_mesh_destroy(mesh);
    }
}

static void check_hessian(const tl_element_batch *batch, tl_particles *p) { matrix_agrees(batch, p, p->x, false); }
static void check_damping(const tl_element_batch *batch, tl_particles *p) { matrix_agrees(batch, p, p->v, true); }

static void force_is_minus_gradient_of_energy(void **state)
{
    (void)state;
    for_every_class(energy_and_force_agree, false);
}
static void hessian_is_minus_derivative_of_force(void **state)
{
    (void)state;
    for_every_class(check_hessian, false);
}
static void damping_matrix_is_minus_derivative_by_velocity(void **state)
{
    (void)state;
    for_every_class(check_damping, true);
}
static void constraint_form_gives_gradient_energy_and_force(void **state)
{
    (void)state;
    for_every_class(constraint_agrees, false);
}

/* u·K u ≥ 0 for every element, but for rounding: what conjugate gradients rely on. */
static void check_definite(const tl_element_batch *batch, tl_particles *p)
{
    enum { TRIES = 60 };
    tl_element_batch definite = *batch;
    int size = 3 * batch->kind->particles;
    uint32_t drawn = 0;
    definite.settings.definite = true;
    for (int e = 0; e < batch->count; ++e) {
        tl_element_hessian at;
        batch->kind->hessian(&definite, p, e, 1, &at);
        for (int try = 0; try < TRIES; ++try) {
            double u[3 * TL_ELEMENT_MAX_PARTICLES], sum = 0, scale = 0;
            for (int k = 0; k < size; ++k)
                u[k] = 2 * tl_random_unit(99, drawn++) - 1;
            for (int i = 0; i < size; ++i)
                for (int j = 0; j < size; ++j) {
                    double part = u[i] * u[j] * (double)at.stiffness[i / 3][j / 3][i % 3][j % 3];
                    sum += part;
                    scale += fabs(part);
                }
            if (!(sum >= (DOUBLE_BUILD ? -1e-12 : -1e-4) * scale))
                fail_msg("%s: %g of %g", batch->kind->path, sum, scale);
        }
    }
}

static void hessian_is_definite_where_solvers_ask_for_it(void **state)
{
    (void)state;
    for_every_class(check_definite, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_is_minus_gradient_of_energy),
        cmocka_unit_test(hessian_is_minus_derivative_of_force),
        cmocka_unit_test(damping_matrix_is_minus_derivative_by_velocity),
        cmocka_unit_test(constraint_form_gives_gradient_energy_and_force),
        cmocka_unit_test(hessian_is_definite_where_solvers_ask_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
