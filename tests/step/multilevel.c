/* The coarse-to-fine sweep: conserves momentum, keeps pinned particles and folds, removes long-range stretch. */
#include "step_testing.h"

#include "core/timing.h"
#include "step/multilevel.h"

static tl_allocator heap;

typedef struct sheet {
    tl_mesh *mesh;
    tl_system system;
    tl_multilevel multilevel;
    tl_real *before[3];
} sheet;

static sheet make_sheet(int columns, int rows, double width, double height)
{
    sheet s = {.multilevel = {0}};
    s.mesh = grid(columns, rows, width, height);
    s.system = make_system(s.mesh, 1);
    assert_true(tl_multilevel_build(&s.multilevel, &heap, s.mesh));
    return s;
}

static void end_sheet(sheet *s)
{
    tl_multilevel_destroy(&s->multilevel, &heap);
    tl_system_destroy(&s->system);
    tl_mesh_destroy(s->mesh);
    for (int c = 0; c < 3; ++c)
        free(s->before[c]);
}

static void solve(sheet *s, int lanes, int sweeps)
{
    size_t bytes = (size_t)s->system.p.count * sizeof(tl_real);
    for (int c = 0; c < 3; ++c) {
        free(s->before[c]);
        s->before[c] = malloc(bytes);
        memcpy(s->before[c], s->system.p.x[c], bytes);
    }
    tl_multilevel_weigh(&s->multilevel, s->mesh, &s->system.p);
    tl_multilevel_solve(&s->multilevel, s->mesh, &s->system.p, lanes, sweeps, &(tl_reserve){.spacing = 1, .high = 1}, 0,
                        NULL);
}

static double largest_move(const sheet *s)
{
    double largest = 0;
    for (int i = 0; i < s->system.p.count; ++i)
        largest = fmax(largest, (double)tl_length(tl_sub(tl_at(s->system.p.x, i), tl_at(s->before, i))));
    return largest;
}

static void only_grids_that_are_large_enough_have_levels(void **state)
{
    (void)state;
    static const struct {
        int columns, rows, levels;
    } sizes[] = {{8, 8, 0},   {20, 21, 0},   {21, 21, 1},   {21, 300, 1}, {71, 71, 1},
                 {81, 81, 2}, {128, 128, 2}, {321, 321, 3}, {700, 400, 3}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        sheet s = make_sheet(sizes[k].columns, sizes[k].rows, 1, 1);
        assert_int_equal(s.multilevel.count, sizes[k].levels);
        end_sheet(&s);
    }
    tl_mesh *mesh = triangles(30, 30, 0.1, 0.1);
    tl_multilevel multilevel = {0};
    assert_true(tl_multilevel_build(&multilevel, &heap, mesh));
    assert_int_equal(multilevel.count, 0);
    tl_multilevel_destroy(&multilevel, &heap);
    tl_mesh_destroy(mesh);
}

static void linear_momentum_is_kept(void **state)
{
    (void)state;
    static const int sizes[][2] = {{41, 41}, {50, 43}, {95, 87}, {21, 64}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        sheet s = make_sheet(sizes[k][0], sizes[k][1], 1, 1);
        tl_particles *p = &s.system.p;
        for (int i = 0; i < p->count; ++i) { /* random masses, stretched and crumpled */
            p->m[i] = (tl_real)(1 + 0.9 * uniform(3, i));
            p->w[i] = 1 / p->m[i];
            for (int c = 0; c < 3; ++c)
                p->x[c][i] = p->x[c][i] * (tl_real)(1.2 + 0.1 * c) + (tl_real)(0.03 * uniform(4, 3 * i + c));
        }
        solve(&s, 1, 4);
        double sum[3] = {0}, size = 0;
        for (int i = 0; i < p->count; ++i)
            for (int c = 0; c < 3; ++c) {
                double moved = (double)p->m[i] * ((double)p->x[c][i] - (double)s.before[c][i]);
                sum[c] += moved;
                size += fabs(moved);
            }
        assert_true(largest_move(&s) > 0.01);
        for (int c = 0; c < 3; ++c)
            assert_near(0, sum[c] / size, DOUBLE_BUILD ? 1e-12 : 1e-5);
        end_sheet(&s);
    }
}

static void an_unstretched_sheet_stays(void **state)
{
    (void)state;
    sheet s = make_sheet(83, 90, 2, 1);
    tl_quat turn = tl_quat_euler(tl_v3(20, 50, 70));
    for (int i = 0; i < s.system.p.count; ++i)
        tl_put(s.system.p.x, i, tl_rotate(turn, tl_at(s.system.p.x, i)));
    solve(&s, 1, 4);
    assert_true(largest_move(&s) < (DOUBLE_BUILD ? 1e-12 : 2e-6));
    end_sheet(&s);
}

static void a_folded_or_rolled_sheet_stays(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        sheet s = make_sheet(83, 90, 2, 1);
        for (int i = 0; i < s.system.p.count; ++i) {
            tl_vec3 x = tl_at(s.system.p.x, i);
            double across = (double)x.x + (kind == 1 ? (double)x.y : 0);
            if (kind < 2 && across > 0) { /* folded flat along the middle, or along a slanted line */
                tl_real half = (tl_real)(kind == 1 ? 0.5 : 1);
                x = kind == 1 ? tl_v3(x.x - 2 * half * (tl_real)across, x.y - 2 * half * (tl_real)across, (tl_real)1e-4)
                              : tl_v3(-x.x, x.y, (tl_real)1e-4);
            } else if (kind == 2) { /* rolled up */
                x = tl_v3((tl_real)(0.2 * sin((double)x.x / 0.2)), x.y, (tl_real)(0.2 * cos((double)x.x / 0.2)));
            }
            tl_put(s.system.p.x, i, x);
        }
        solve(&s, 1, 4);
        if (largest_move(&s) >
            (DOUBLE_BUILD ? 1e-6 : 3e-6)) /* the fold lifts a side by 1e-4 m: links across it gain 1e-8 m²/m */
            fail_msg("fold %d: a particle moved by %g m", kind, largest_move(&s));
        end_sheet(&s);
    }
}

static void a_crumpled_sheet_stays(void **state)
{
    (void)state;
    sheet s = make_sheet(61, 61, 1, 1);
    for (int i = 0; i < s.system.p.count; ++i)
        tl_put(s.system.p.x, i,
               tl_scale(tl_at(s.system.p.x, i), (tl_real)0.4)); /* shorter everywhere: bounds are one-sided */
    solve(&s, 1, 4);
    assert_near(0, largest_move(&s), 0);
    end_sheet(&s);
}

static void pinned_particles_stay_and_stretch_is_removed(void **state)
{
    (void)state;
    sheet s = make_sheet(82, 85, 1, 1);
    tl_particles *p = &s.system.p;
    for (int c = 0; c < 82; ++c)
        p->w[s.mesh->lattice[c]] = 0; /* hung by the top edge */
    for (int i = 0; i < p->count; ++i)
        p->x[1][i] = (tl_real)0.5 + (p->x[1][i] - (tl_real)0.5) * (tl_real)1.2; /* 20 % too long below it */
    solve(&s, 1, 4);
    for (int c = 0; c < 82; ++c)
        for (int axis = 0; axis < 3; ++axis)
            assert_true(p->x[axis][s.mesh->lattice[c]] == s.before[axis][s.mesh->lattice[c]]);
    double length = 0.5 - (double)p->x[1][s.mesh->lattice[84 * 82 + 40]];
    if (!(length > 0.95 && length < 1.1))
        fail_msg("a sheet of 1 m stretched to 1.2 m is %.3f m long after one solve", length);
    end_sheet(&s);
}

static void all_widths_give_the_same_bits(void **state)
{
    (void)state;
    static const int widths[] = {1, 4, 8};
    sheet s[3];
    int count = 0;
    for (int w = 0; w < 3 && widths[w] <= tl_widest_lanes(); ++w, ++count) {
        s[w] = make_sheet(87, 83, 1, 1);
        tl_particles *p = &s[w].system.p;
        p->w[5] = p->w[1000] = 0;
        for (int i = 0; i < p->count; ++i)
            for (int c = 0; c < 3; ++c)
                p->x[c][i] = p->x[c][i] * (tl_real)1.3 + (tl_real)(0.02 * uniform(9, 3 * i + c));
        solve(&s[w], widths[w], 4);
        for (int c = 0; c < 3; ++c)
            assert_memory_equal(s[0].system.p.x[c], p->x[c], (size_t)p->count * sizeof(tl_real));
    }
    for (int w = 0; w < count; ++w)
        end_sheet(&s[w]);
}

int main(void)
{
    heap = tl_allocator_or_default(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_grids_that_are_large_enough_have_levels),
        cmocka_unit_test(linear_momentum_is_kept),
        cmocka_unit_test(an_unstretched_sheet_stays),
        cmocka_unit_test(a_folded_or_rolled_sheet_stays),
        cmocka_unit_test(a_crumpled_sheet_stays),
        cmocka_unit_test(pinned_particles_stay_and_stretch_is_removed),
        cmocka_unit_test(all_widths_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
