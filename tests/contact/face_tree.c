/* The eight-wide tree over moving faces against brute force, at every vector width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/mesh/face_tree.h"
#include "collide/mesh/nearest.h"
#include "core/particles.h"
#include "core/random.h"

enum { FACES = 203, POINTS = 3 * FACES, SAMPLES = 9, WIDTHS = 3 };
#define REACH ((tl_real)0.03)

static tl_face_tree_fit_kernel *const fit[WIDTHS] = {tl_face_tree_fit_w8, tl_face_tree_fit_w4, tl_face_tree_fit_w1};
static tl_face_tree_fit_nodes_kernel *const fit_nodes[WIDTHS] = {tl_face_tree_fit_nodes_w8, tl_face_tree_fit_nodes_w4,
                                                                 tl_face_tree_fit_nodes_w1};
static tl_face_tree_find_kernel *const find[WIDTHS] = {tl_face_tree_find_w8, tl_face_tree_find_w4,
                                                       tl_face_tree_find_w1};

static tl_allocator allocator;

/* Triangles that all move their own way, beside a common one. */
typedef struct soup {
    int faces, face[POINTS];
    tl_real memory[2][3][POINTS + 8], *from[3], *to[3];
    tl_face_tree tree;
} soup;

static tl_real number(void)
{
    static uint32_t counter;
    return (tl_real)(tl_random_unit(11, counter++) * 2 - 1);
}

static soup *create(int faces, tl_real speed)
{
    soup *s = calloc(1, sizeof *s);
    static tl_vec3 at[POINTS];
    s->faces = faces;
    for (int c = 0; c < 3; ++c) {
        s->from[c] = s->memory[0][c];
        s->to[c] = s->memory[1][c];
        for (int f = 0; f < faces; ++f) {
            tl_real middle = number(), way = 10 + speed * number();
            for (int k = 0; k < 3; ++k) {
                s->from[c][3 * f + k] = middle + number() / 5;
                s->to[c][3 * f + k] = s->from[c][3 * f + k] + way + speed * number() / 10;
            }
        }
    }
    for (int p = 0; p < 3 * faces; ++p) {
        s->face[p] = p;
        at[p] = tl_at(s->from, p);
    }
    assert_true(tl_face_tree_build(&s->tree, &allocator, s->face, faces, at));
    return s;
}

static void destroy(soup *s)
{
    tl_face_tree_destroy(&s->tree, &allocator);
    free(s);
}

static void fit_all(soup *s, int width)
{
    fit[width](&s->tree, s->from, s->to, 0, s->tree.groups[0], -1, false);
    fit_nodes[width](&s->tree, false);
}

static tl_tree_rows find_rows(const tl_tree_search *search, int width)
{
    tl_tree_rows rows = {0};
    tl_tree_sink sink = {.allocator = &allocator, .rows = &rows};
    find[width](search, tl_face_tree_all(), &sink);
    assert_false(sink.failed);
    return rows;
}

static tl_vec3 point_at(const soup *s, int p, tl_real t) { return tl_lerp(tl_at(s->from, p), tl_at(s->to, p), t); }

/* Distance of two faces at a time, by all of their features. */
static tl_real distance(const soup *a, int f, const soup *b, int g, tl_real t)
{
    tl_real least = INFINITY;
    tl_vec3 x[3], y[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = point_at(a, 3 * f + k, t);
        y[k] = point_at(b, 3 * g + k, t);
    }
    for (int i = 0; i < 3; ++i) {
        least = tl_min(least, tl_length(tl_nearest_features((tl_vec3[4]){x[i], y[0], y[1], y[2]}, 1)));
        least = tl_min(least, tl_length(tl_nearest_features((tl_vec3[4]){y[i], x[0], x[1], x[2]}, 1)));
        for (int j = 0; j < 3; ++j)
            least = tl_min(least,
                           tl_length(tl_nearest_features((tl_vec3[4]){x[i], x[(i + 1) % 3], y[j], y[(j + 1) % 3]}, 2)));
    }
    return least;
}

/* Is a pair of faces found? Counts it; no pair may be found twice. */
static unsigned char found[FACES][FACES];

static int read_rows(const tl_tree_search *search, const tl_tree_rows *rows)
{
    int count = 0;
    memset(found, 0, sizeof found);
    for (int k = 0; k < rows->count; ++k)
        for (int lane = 0; lane < TL_TREE_WIDTH; ++lane)
            if (rows->row[k].lanes >> lane & 1) {
                int f = search->a->order[rows->row[k].slot],
                    g = search->b->order[rows->row[k].group * TL_TREE_WIDTH + lane];
                bool swap = search->a == search->b && g < f;
                assert_int_equal(found[swap ? g : f][swap ? f : g]++, 0);
                ++count;
            }
    return count;
}

static void check_against_brute_force(soup *a, soup *b)
{
    const tl_tree_search search = {.a = &a->tree, .b = &b->tree, .reach = REACH};
    for (int width = 0; width < WIDTHS; ++width) {
        fit_all(a, width);
        fit_all(b, width);
        tl_tree_rows rows = find_rows(&search, width);
        int all = read_rows(&search, &rows), near = 0;
        for (int f = 0; f < a->faces; ++f)
            for (int g = a == b ? f + 1 : 0; g < b->faces; ++g) {
                tl_real least = INFINITY;
                for (int k = 0; k < SAMPLES; ++k)
                    least = tl_min(least, distance(a, f, b, g, (tl_real)k / (SAMPLES - 1)));
                assert_true(least > REACH || found[f][g]);
                near += least <= REACH;
            }
        assert_true(near > 20);
        assert_true(all < 8 * near + 100); /* and hardly anything else */
        tl_release(&allocator, rows.row);
    }
}

static void faces_that_come_within_reach_are_found(void **state)
{
    (void)state;
    const tl_real speed[] = {0, (tl_real)0.1, (tl_real)0.5};
    for (int k = 0; k < 3; ++k) {
        soup *a = create(FACES, speed[k]), *b = create(61, speed[k]);
        check_against_brute_force(a, a);
        check_against_brute_force(a, b);
        check_against_brute_force(b, a);
        destroy(a);
        destroy(b);
    }
}

static void all_widths_find_the_same(void **state)
{
    (void)state;
    soup *s = create(FACES, (tl_real)0.3);
    const tl_tree_search search = {.a = &s->tree, .b = &s->tree, .reach = REACH};
    tl_tree_rows rows[WIDTHS];
    for (int width = 0; width < WIDTHS; ++width) {
        fit_all(s, width);
        rows[width] = find_rows(&search, width);
        assert_int_equal(rows[width].count, rows[0].count);
        for (int k = 0; k < rows[0].count; ++k)
            assert_memory_equal(&rows[width].row[k], &rows[0].row[k], sizeof *rows[0].row);
    }
    for (int width = 0; width < WIDTHS; ++width)
        tl_release(&allocator, rows[width].row);
    destroy(s);
}

static void marked_search_finds_exactly_the_pairs_with_a_marked_face(void **state)
{
    (void)state;
    soup *s = create(FACES, (tl_real)0.2);
    tl_tree_search search = {.a = &s->tree, .b = &s->tree, .reach = REACH};
    static unsigned char all[FACES][FACES];
    fit_all(s, 0);
    tl_tree_rows rows = find_rows(&search, 0);
    read_rows(&search, &rows);
    memcpy(all, found, sizeof all);
    tl_release(&allocator, rows.row);
    for (int f = 3; f < FACES; f += 17) {
        for (int k = 0; k < 3; ++k)
            s->from[0][3 * f + k] += (tl_real)1e-4; /* only marked groups are fitted again */
        tl_face_tree_mark(&s->tree, f);
    }
    fit[0](&s->tree, s->from, s->to, 0, s->tree.groups[0], -1, true);
    fit_nodes[0](&s->tree, true);
    search.marked = true;
    rows = find_rows(&search, 0);
    assert_true(read_rows(&search, &rows) > 5);
    int differ = 0;
    for (int f = 0; f < FACES; ++f)
        for (int g = f + 1; g < FACES; ++g)
            differ += found[f][g] != (all[f][g] && (f % 17 == 3 || g % 17 == 3));
    assert_true(differ <= 2); /* those that the push moved over the reach */
    tl_face_tree_clear_marks(&s->tree);
    rows.count = 0;
    tl_tree_sink sink = {.allocator = &allocator, .rows = &rows};
    find[0](&search, tl_face_tree_all(), &sink);
    assert_int_equal(rows.count, 0);
    tl_release(&allocator, rows.row);
    destroy(s);
}

static void jobs_find_what_the_whole_search_does_in_order(void **state)
{
    (void)state;
    soup *s = create(FACES, (tl_real)0.2), *other = create(FACES, (tl_real)0.2);
    fit_all(s, 0);
    fit_all(other, 0);
    for (int k = 0; k < 2; ++k)
        for (int level = 0; level < 3; ++level) {
            const tl_tree_search search = {.a = &s->tree, .b = k ? &other->tree : &s->tree, .reach = REACH};
            tl_tree_rows whole = find_rows(&search, 0), parts = {0};
            tl_tree_jobs jobs = {0};
            tl_tree_sink cut = {.allocator = &allocator, .rows = &parts, .jobs = &jobs, .level = level},
                         sink = {.allocator = &allocator, .rows = &parts};
            find[0](&search, tl_face_tree_all(), &cut);
            assert_int_equal(parts.count, 0);
            for (int n = 0; n < jobs.count; ++n)
                find[0](&search, jobs.job[n], &sink);
            assert_true(level > 1 || jobs.count > 4);
            assert_int_equal(parts.count, whole.count);
            for (int n = 0; n < whole.count; ++n)
                assert_memory_equal(&parts.row[n], &whole.row[n], sizeof *whole.row);
            tl_release(&allocator, whole.row);
            tl_release(&allocator, parts.row);
            tl_release(&allocator, jobs.job);
        }
    destroy(s);
    destroy(other);
}

#define LENGTH ((tl_real)0.6) /* of a quad, m */

/* Two columns of points make a strip of three quads, folded like a Z seen from the side by the given angle. Are the
 * nearest faces of the first and the third found? */
static bool first_and_third_are_found(tl_real fold)
{
    static const int face[18] = {0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5, 4, 5, 6, 6, 5, 7};
    tl_real memory[3][8] = {{0}}, *x[3] = {memory[0], memory[1], memory[2]};
    tl_vec3 at[8];
    for (int p = 0; p < 8; ++p) {
        tl_put(x, p, tl_v3(LENGTH * (tl_real)(p / 2), 0, (tl_real)(p % 2)));
        at[p] = tl_at(x, p);
    }
    tl_face_tree tree;
    assert_true(tl_face_tree_build(&tree, &allocator, face, 6, at));
    for (int level = 1; level < TL_TREE_LEVELS; ++level)
        tree.group[level][0].whole = 1;
    for (int p = 4; p < 8; ++p) { /* the second quad folds back, the third is parallel to the first */
        x[0][p] = LENGTH * (1 + cos(fold) + (tl_real)(p / 2 - 2));
        x[1][p] = LENGTH * sin(fold);
    }
    fit[0](&tree, x, x, 0, tree.groups[0], -1, false);
    fit_nodes[0](&tree, false);
    const tl_tree_search search = {.a = &tree, .b = &tree, .reach = (tl_real)0.65, .neighbours = true};
    tl_tree_rows rows = find_rows(&search, 0);
    read_rows(&search, &rows);
    tl_release(&allocator, rows.row);
    tl_face_tree_destroy(&tree, &allocator);
    return found[1][4] != 0;
}

static void neighbours_are_left_out_unless_cloth_is_folded_twice_between_them(void **state)
{
    (void)state;
    assert_false(first_and_third_are_found(0));
    assert_true(first_and_third_are_found((tl_real)3.0)); /* nearly half a turn */
}

static void bounds_of_normals_hold_all_of_them(void **state)
{
    (void)state;
    soup *s = create(FACES, (tl_real)0.3);
    fit_all(s, 0);
    for (int k = 0; k < FACES; ++k)
        for (int level = 1, n = k / TL_TREE_WIDTH; level < TL_TREE_LEVELS; ++level, n /= TL_TREE_WIDTH) {
            const tl_tree_group *face = &s->tree.group[0][k / TL_TREE_WIDTH],
                                *node = &s->tree.group[level][n / TL_TREE_WIDTH];
            tl_vec3 off = {0};
            off.x = face->normal[0][k % TL_TREE_WIDTH] - node->normal[0][n % TL_TREE_WIDTH];
            off.y = face->normal[1][k % TL_TREE_WIDTH] - node->normal[1][n % TL_TREE_WIDTH];
            off.z = face->normal[2][k % TL_TREE_WIDTH] - node->normal[2][n % TL_TREE_WIDTH];
            assert_true(tl_length(off) <= node->radius[n % TL_TREE_WIDTH] + (tl_real)1e-5);
        }
    destroy(s);
}

int main(void)
{
    allocator = tl_allocator_or_default(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_that_come_within_reach_are_found),
        cmocka_unit_test(all_widths_find_the_same),
        cmocka_unit_test(marked_search_finds_exactly_the_pairs_with_a_marked_face),
        cmocka_unit_test(jobs_find_what_the_whole_search_does_in_order),
        cmocka_unit_test(neighbours_are_left_out_unless_cloth_is_folded_twice_between_them),
        cmocka_unit_test(bounds_of_normals_hold_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
