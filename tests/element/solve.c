/* Triangles and hinges as vectorised constraints: equal to the constraint form solved one by one, bit-identical in all
   widths, with compliance, damping and λ accumulated over sweeps. */
#include "fixture.h"

#include "core/timing.h"
#include "element/bend.h"
#include "element/face.h"
#include "element/solve.h"

enum { SWEEPS = 3 };

/* One element after the other in the order of the kernels, every condition from the current positions. */
static void solve_one_by_one(const tl_element_batch *batch, const tl_groups *groups, const tl_solve *solve,
                             tl_particles *p)
{
    const tl_element_class *kind = batch->kind;
    for (int g = 0; g < groups->group_count; ++g)
        for (int k = 0; k < groups->group[g].count; ++k) {
            int e = groups->group[g].first + k;
            for (int condition = 0; condition < kind->conditions; ++condition) {
                tl_element_constraint c;
                kind->constraint(batch, p, e, 1, &c);
                tl_real *lambda = solve->lambda + e * kind->conditions + condition;
                tl_real weights = 0, rate = 0;
                for (int i = 0; i < kind->particles; ++i) {
                    tl_vec3 gradient = c.gradient[condition][i];
                    weights += p->w[c.particle[i]] * tl_dot(gradient, gradient);
                    rate += tl_dot(gradient, tl_sub(tl_at(p->x, c.particle[i]), tl_at(solve->x_old, c.particle[i])));
                }
                tl_real change = -(c.value[condition] + solve->compliance * *lambda + solve->damping * rate) *
                                 solve->keep / (weights * (1 + solve->damping) + solve->compliance);
                *lambda += change;
                for (int i = 0; i < kind->particles; ++i)
                    tl_accumulate(p->x, c.particle[i],
                                  tl_scale(c.gradient[condition][i], p->w[c.particle[i]] * change));
            }
        }
}

/* Positions after the sweeps; `lanes` 0: one by one. */
static void sweep(const tl_element_batch *batch, const tl_mesh *mesh, int lanes, tl_real damping, tl_particles *p)
{
    *p = make_particles(mesh);
    tl_particles old = make_particles(mesh);
    p->w[3] = 0; /* pinned */
    deform(p, 0.2 / sqrt(p->count), 0, 7);
    size_t count = (size_t)(batch->count * batch->kind->conditions);
    tl_real *lambda = calloc(count + 1, sizeof *lambda);
    assert_non_null(lambda);
    tl_solve solve = {(tl_real)0.3, damping, (tl_real)0.9, lambda, old.x, NULL, NULL};
    const tl_solve_kernels *kernels = batch->kind->solve;
    const tl_groups *groups = kernels->groups(batch);
    for (int n = 0; n < SWEEPS; ++n)
        if (lanes == 0)
            solve_one_by_one(batch, groups, &solve, p);
        else
            (lanes == 8   ? kernels->w8
             : lanes == 4 ? kernels->w4
                          : kernels->w1)(batch, 0, groups->group_count, &solve, p);
    free(lambda);
    free_particles(&old);
}

static void kernels_move_as_the_constraint_form_does(void **state)
{
    (void)state;
    for (int which = 0; which < 3; ++which) {
        tl_mesh *mesh = which == 0 ? make_grid(21, 13) : make_irregular(14, which == 2);
        for (int kind = 0; kind < TL_ELEMENT_COUNT; ++kind) {
            tl_element_batch batch = make_batch(kind, mesh);
            for (int damped = 0; damped < 2 && batch.kind->solve; ++damped) {
                tl_particles one, wide[3];
                static const int lanes[3] = {1, 4, 8};
                sweep(&batch, mesh, 0, (tl_real)(0.4 * damped), &one);
                for (int n = 0; n < 3; ++n) {
                    if (lanes[n] > tl_widest_lanes())
                        continue;
                    sweep(&batch, mesh, lanes[n], (tl_real)(0.4 * damped), &wide[n]);
                    for (int c = 0; c < 3; ++c)
                        for (int i = 0; i < one.count; ++i) {
                            assert_true(fabs((double)(one.x[c][i] - wide[n].x[c][i])) < (DOUBLE_BUILD ? 1e-12 : 2e-5));
                            assert_true(n == 0 || wide[n].x[c][i] == wide[0].x[c][i]);
                        }
                }
                for (int n = 0; n < 3; ++n)
                    if (lanes[n] <= tl_widest_lanes())
                        free_particles(&wide[n]);
                free_particles(&one);
            }
            batch.kind->destroy(&batch);
        }
        tl_mesh_destroy(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_move_as_the_constraint_form_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
