/* BVH queries that leave pairs out: without a marked face, and neighbours that cannot touch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/mesh/bvh.h"
#include "core/random.h"

enum { FACES = 200, POINTS = 3 * FACES };

typedef struct soup {
    tl_allocator allocator;
    tl_real memory[3][POINTS], *x[3];
    int face[POINTS];
    tl_bvh tree;
} soup;

static tl_real number(void)
{
    static uint32_t counter;
    return (tl_real)(tl_random_unit(11, counter++) * 2 - 1);
}

/* Random triangles. */
static soup *create(void)
{
    soup *s = calloc(1, sizeof *s);
    s->allocator = tl_allocator_or_default(NULL);
    for (int c = 0; c < 3; ++c) {
        s->x[c] = s->memory[c];
        for (int f = 0; f < FACES; ++f) {
            tl_real middle = 2 * number();
            for (int k = 0; k < 3; ++k)
                s->x[c][3 * f + k] = middle + number() / 5;
        }
    }
    for (int p = 0; p < POINTS; ++p)
        s->face[p] = p;
    assert_true(tl_bvh_build(&s->tree, &s->allocator, s->face, FACES, s->x));
    tl_bvh_fit(&s->tree, s->x, (tl_real)0.02);
    tl_bvh_fit_normals(&s->tree, s->x);
    tl_bvh_bound_normals(&s->tree, NULL);
    return s;
}

static void destroy(soup *s)
{
    tl_bvh_destroy(&s->tree, &s->allocator);
    free(s);
}

/* Moves a face and marks it. */
static void mark(soup *s, int f)
{
    tl_box box = {{0}, {0}};
    for (int c = 0; c < 3; ++c) {
        tl_real by = number();
        box.low[c] = INFINITY;
        box.high[c] = -INFINITY;
        for (int k = 0; k < 3; ++k) {
            tl_real *x = &s->x[c][3 * f + k];
            *x += by;
            box.low[c] = tl_min(box.low[c], *x);
            box.high[c] = tl_max(box.high[c], *x);
        }
    }
    tl_bvh_mark(&s->tree, f, TL_STALE_FACE, &box, s->x, false);
}

static void marked_query_finds_exactly_the_pairs_with_a_marked_face(void **state)
{
    (void)state;
    soup *s = create();
    unsigned char marked[FACES] = {0};
    static unsigned char seen[FACES][FACES];
    memset(seen, 0, sizeof seen);
    for (int f = 3; f < FACES; f += 17) {
        mark(s, f);
        marked[f] = 1;
    }
    tl_face_pairs pairs = {0};
    assert_true(
        tl_bvh_find(&(tl_bvh_search){&s->tree, &s->tree, TL_FLAT_NOTHING, TL_SEARCH_MARKED}, &pairs, &s->allocator));
    for (int k = 0; k < pairs.count; ++k)
        ++seen[pairs.pair[k].f][pairs.pair[k].g];
    int expected = 0;
    for (int f = 0; f < FACES; ++f)
        for (int g = f + 1; g < FACES; ++g) {
            bool expected_pair = (marked[f] || marked[g]) &&
                                 tl_boxes_overlap(tl_bvh_face_box(&s->tree, f), tl_bvh_face_box(&s->tree, g));
            assert_int_equal(seen[f][g] + seen[g][f], expected_pair);
            expected += expected_pair;
        }
    assert_true(expected > 20);
    assert_int_equal(pairs.count, expected);

    tl_bvh_clear_marks(&s->tree);
    pairs.count = 0;
    assert_true(
        tl_bvh_find(&(tl_bvh_search){&s->tree, &s->tree, TL_FLAT_NOTHING, TL_SEARCH_MARKED}, &pairs, &s->allocator));
    assert_int_equal(pairs.count, 0);
    tl_release(&s->allocator, pairs.pair);
    destroy(s);
}

/* A whole query against its jobs of so many faces. */
static void check_jobs(const tl_bvh_search *search, int faces, const tl_allocator *allocator)
{
    tl_face_pairs whole = {0}, parts = {0};
    tl_bvh_jobs jobs = {0};
    assert_true(tl_bvh_find(search, &whole, allocator));
    assert_true(tl_bvh_cut(search, faces, &jobs, allocator));
    for (int k = 0; k < jobs.count; ++k)
        assert_true(tl_bvh_do(search, jobs.job[k], &parts, allocator));
    assert_true(whole.count > 20);
    assert_int_equal(parts.count, whole.count);
    assert_memory_equal(parts.pair, whole.pair, (size_t)whole.count * sizeof *whole.pair);
    if (faces >= 2 * FACES)
        assert_int_equal(jobs.count, 1);
    if (faces <= FACES / 4)
        assert_true(jobs.count > 8);
    tl_release(allocator, whole.pair);
    tl_release(allocator, parts.pair);
    tl_release(allocator, jobs.job);
}

static void jobs_of_a_query_find_what_the_whole_query_does_in_order(void **state)
{
    (void)state;
    soup *s = create(), *other = create();
    for (int f = 3; f < FACES; f += 7)
        mark(s, f);
    for (int faces = 0; faces <= 2 * FACES; faces = 2 * faces + 1) {
        check_jobs(&(tl_bvh_search){&s->tree, &s->tree, TL_FLAT_NOTHING, TL_SEARCH_ALL}, faces, &s->allocator);
        check_jobs(&(tl_bvh_search){&s->tree, &s->tree, TL_FLAT_NEIGHBOURS, TL_SEARCH_MARKED}, faces, &s->allocator);
        check_jobs(&(tl_bvh_search){&s->tree, &other->tree, TL_FLAT_NOTHING, TL_SEARCH_ALL}, faces, &s->allocator);
    }
    check_jobs(&(tl_bvh_search){&s->tree, &other->tree, TL_FLAT_NOTHING, TL_SEARCH_MARKED}, 2 * FACES, &s->allocator);
    destroy(s);
    destroy(other);
}

static void bounds_of_normals_hold_all_of_them(void **state)
{
    (void)state;
    soup *s = create();
    for (int f = 5; f < FACES; f += 13) {
        for (int c = 0; c < 3; ++c)
            s->x[c][3 * f] += number(); /* its normal changes */
        mark(s, f);
    }
    const tl_bvh *tree = &s->tree;
    for (int n = 0; n < tree->node_count; ++n)
        for (int k = 0; k < tree->node[n].count; ++k) {
            tl_vec3 off = tl_sub(tree->slot_normal[tree->node[n].first + k], tree->node[n].normals.center);
            assert_true(tl_length(off) <= tree->node[n].normals.radius + (tl_real)1e-5);
        }
    destroy(s);
}

#define LENGTH ((tl_real)0.6) /* of a quad, m */

/* Two columns of points make a strip of three quads, folded like a Z seen from the side by the given angle. Are the
   nearest faces of the first and the third found? */
static bool first_and_third_are_found(tl_real fold)
{
    static const int face[18] = {0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5, 4, 5, 6, 6, 5, 7};
    tl_allocator allocator = tl_allocator_or_default(NULL);
    tl_real memory[3][8] = {{0}}, *x[3] = {memory[0], memory[1], memory[2]};
    for (int p = 0; p < 8; ++p) {
        x[0][p] = LENGTH * (tl_real)(p / 2);
        x[2][p] = (tl_real)(p % 2);
    }
    tl_bvh tree;
    assert_true(tl_bvh_build(&tree, &allocator, face, 6, x));
    for (int n = 0; n < tree.node_count; ++n)
        tree.node[n].whole = true;
    for (int p = 4; p < 8; ++p) { /* the second quad folds back, the third is parallel to the first */
        x[0][p] = LENGTH * (1 + cos(fold) + (tl_real)(p / 2 - 2));
        x[1][p] = LENGTH * sin(fold);
    }
    tl_bvh_fit(&tree, x, (tl_real)0.2);
    tl_bvh_fit_normals(&tree, x);
    tl_bvh_bound_normals(&tree, NULL);
    tl_face_pairs pairs = {0};
    assert_true(tl_bvh_find(&(tl_bvh_search){&tree, &tree, TL_FLAT_NEIGHBOURS, TL_SEARCH_ALL}, &pairs, &allocator));
    bool found = false;
    for (int k = 0; k < pairs.count; ++k)
        found |= pairs.pair[k].f + pairs.pair[k].g == 5 && abs(pairs.pair[k].f - pairs.pair[k].g) == 3; /* 1 and 4 */
    tl_release(&allocator, pairs.pair);
    tl_bvh_destroy(&tree, &allocator);
    return found;
}

static void neighbours_are_left_out_unless_cloth_is_folded_twice_between_them(void **state)
{
    (void)state;
    assert_false(first_and_third_are_found(0));
    assert_true(first_and_third_are_found((tl_real)3.0)); /* nearly half a turn */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marked_query_finds_exactly_the_pairs_with_a_marked_face),
        cmocka_unit_test(jobs_of_a_query_find_what_the_whole_query_does_in_order),
        cmocka_unit_test(bounds_of_normals_hold_all_of_them),
        cmocka_unit_test(neighbours_are_left_out_unless_cloth_is_folded_twice_between_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
