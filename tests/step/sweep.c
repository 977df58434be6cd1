/* The plan of a sweep is a reordering of the same colours: it gives the same bits for any number of parts, and every
   particle enters before and leaves after all links that move it. */
#include "step_testing.h"

#include "element/link_solve.h"
#include "step/sweep.h"

static const int families[] = {TL_ELEMENT_link_structural, TL_ELEMENT_link_shear, TL_ELEMENT_link_bend};
enum { FAMILIES = 3, REPEATS = 2 };

/* A sheet with randomly displaced particles. */
static tl_system crumpled(const tl_mesh *mesh)
{
    tl_system system = make_system(mesh, 1);
    for (int k = 0; k < FAMILIES; ++k)
        switch_on(&system, families[k], 1, 0);
    for (int i = 0; i < system.p.count; ++i)
        for (int c = 0; c < 3; ++c)
            system.p.x[c][i] += (tl_real)(0.01 * uniform(7, 3 * i + c));
    return system;
}

static void solve_pieces(tl_system *system, int element, bool half, const tl_link_piece *pieces, int count)
{
    const tl_link_solve solve = {.low = 1, .high = 1, .keep = half ? (tl_real)0.5 : 1};
    tl_link_solve_w1(system->batch[element].data, pieces, count, &solve, &system->p);
}

/* Stand-ins for the work on particles around the sweep; both detect whether links have moved them. */
static void enter(tl_system *system, int first, int count)
{
    for (int c = 0; c < 3; ++c)
        for (int i = first; i < first + count; ++i) {
            system->x_old[c][i] = system->p.x[c][i];
            system->p.x[c][i] += (tl_real)(0.01 * uniform(8, 3 * i + c));
        }
}

static void leave(tl_system *system, int first, int count)
{
    for (int c = 0; c < 3; ++c)
        for (int i = first; i < first + count; ++i)
            system->p.v[c][i] += system->p.x[c][i] - system->x_old[c][i];
}

/* The reference: colour by colour. */
static void colour_after_colour(tl_system *system)
{
    enter(system, 0, system->p.count);
    for (int round = 0; round <= REPEATS; ++round)
        for (int k = 0; k < FAMILIES; ++k) {
            const tl_link_set *set = system->batch[families[k]].data;
            for (int c = 0; c < set->colour_count && (round == 0 || families[k] == TL_ELEMENT_link_structural); ++c) {
                int colour = round == REPEATS ? set->colour_count - 1 - c : c;
                int first = set->colour_first[colour], count = set->colour_first[colour + 1] - first;
                solve_pieces(system, families[k], round == REPEATS, set->piece + first, count);
            }
        }
    leave(system, 0, system->p.count);
}

/* The parts in one possible thread order: the last first. */
static void by_plan(tl_system *system, int parts)
{
    tl_sweep_plan plan;
    assert_true(tl_sweep_build(&plan, &system->allocator, system->batch, system->on, system->p.count, parts, REPEATS));
    for (int n = 0; n <= parts; ++n) {
        int part = n < parts ? parts - 1 - n : parts;
        for (const tl_sweep_batch *b = plan.batch + plan.part_first[part]; b < plan.batch + plan.part_first[part + 1];
             ++b)
            if (b->element == TL_SWEEP_ENTER)
                enter(system, b->first, b->count);
            else if (b->element == TL_SWEEP_LEAVE)
                leave(system, b->first, b->count);
            else
                solve_pieces(system, b->element, b->half, plan.piece + b->first, b->count);
    }
    tl_sweep_destroy(&plan, &system->allocator);
}

static void compare(tl_mesh *mesh)
{
    static const int parts[] = {1, 2, 3, 5, 6, 7, 8, 20};
    tl_system expected = crumpled(mesh);
    colour_after_colour(&expected);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        tl_system planned = crumpled(mesh);
        by_plan(&planned, parts[k]);
        for (int c = 0; c < 3; ++c) {
            assert_memory_equal(planned.p.x[c], expected.p.x[c], (size_t)expected.p.count * sizeof(tl_real));
            assert_memory_equal(planned.p.v[c], expected.p.v[c], (size_t)expected.p.count * sizeof(tl_real));
        }
        tl_system_destroy(&planned);
    }
    tl_system_destroy(&expected);
    tl_mesh_destroy(mesh);
}

static void plan_gives_the_bits_of_colours_on_grids(void **state)
{
    (void)state;
    compare(grid(61, 47, 1, 1));
}

static void plan_gives_the_bits_of_colours_on_triangles(void **state)
{
    (void)state;
    compare(triangles(40, 30, 0.05, 0.3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plan_gives_the_bits_of_colours_on_grids),
        cmocka_unit_test(plan_gives_the_bits_of_colours_on_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
