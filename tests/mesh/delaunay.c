/* Constrained Delaunay triangulation against its definition: every circle is empty of the points that can be seen,
   forced edges exist, areas add up, and touching input is refused with what touches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/memory.h"
#include "mesh/delaunay.h"

enum { SIZE = 4096 };

static uint32_t random_state = 99;

static int random_below(int limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (int)(random_state % (uint32_t)limit);
}

static tl_result triangulate(const tl_planar_def *def, tl_planar_result *result)
{
    tl_allocator allocator = tl_allocator_or_default(NULL);
    return tl_triangulate(def, &allocator, result);
}

static int64_t twice_area(const tl_planar_point *p, const int *t)
{
    return (int64_t)(p[t[1]].x - p[t[0]].x) * (p[t[2]].y - p[t[0]].y) -
           (int64_t)(p[t[1]].y - p[t[0]].y) * (p[t[2]].x - p[t[0]].x);
}

static bool in_circle(const tl_planar_point *p, const int *t, tl_planar_point d)
{
    double m[3][3], sum = 0; /* exact: differences have 13 bits */
    for (int k = 0; k < 3; ++k) {
        m[k][0] = p[t[k]].x - d.x;
        m[k][1] = p[t[k]].y - d.y;
        m[k][2] = m[k][0] * m[k][0] + m[k][1] * m[k][1];
    }
    for (int k = 0; k < 3; ++k)
        sum += m[k][2] * (m[(k + 1) % 3][0] * m[(k + 2) % 3][1] - m[(k + 1) % 3][1] * m[(k + 2) % 3][0]);
    return sum > 0;
}

static bool has_edge(const tl_planar_result *r, int a, int b)
{
    for (int t = 0; t < r->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            int v = r->triangle[3 * t + k], w = r->triangle[3 * t + (k + 1) % 3];
            if ((v == a && w == b) || (v == b && w == a))
                return true;
        }
    return false;
}

/* A square with points on a coarse grid inside: many are on one line or one circle. */
static void points_in_a_square_are_delaunay(void **state)
{
    (void)state;
    enum { POINTS = 120 };
    for (int round = 0; round < 60; ++round) {
        tl_planar_point p[4 + POINTS] = {{0, 0}, {SIZE, 0}, {SIZE, SIZE}, {0, SIZE}};
        const tl_planar_segment border[4] = {{0, 1, true}, {1, 2, true}, {2, 3, true}, {3, 0, true}};
        int count = 4, step = round % 3 == 0 ? 512 : 1;
        for (int k = 0; k < POINTS; ++k) {
            tl_planar_point q = {step * (1 + random_below(SIZE / step - 1)),
                                 step * (1 + random_below(SIZE / step - 1))};
            bool known = false;
            for (int i = 0; i < count; ++i)
                known |= p[i].x == q.x && p[i].y == q.y;
            if (!known)
                p[count++] = q;
        }
        tl_planar_result r;
        assert_int_equal(triangulate(&(tl_planar_def){p, count, border, 4}, &r), TL_OK);
        int64_t area = 0;
        for (int t = 0; t < r.triangle_count; ++t) {
            assert_true(twice_area(p, r.triangle + 3 * t) > 0);
            area += twice_area(p, r.triangle + 3 * t);
            for (int v = 0; v < count; ++v)
                assert_false(in_circle(p, r.triangle + 3 * t, p[v]));
        }
        assert_true(area == 2 * (int64_t)SIZE * SIZE);
        assert_int_equal(r.triangle_count, 2 * count - 6);
        free(r.triangle);
    }
}

/* A comb whose teeth force edges through many others, with a hole and a line inside. */
static void segments_exist_and_outsides_do_not(void **state)
{
    (void)state;
    for (int round = 0; round < 40; ++round) {
        tl_planar_point p[200];
        tl_planar_segment s[40];
        int count = 0, segments = 0;
        for (int k = 0; k < 8; ++k) {
            p[count++] = (tl_planar_point){k * 500, k % 2 ? 3000 - random_below(1500) : 100 + random_below(300)};
        }
        p[count++] = (tl_planar_point){3500, 4000};
        p[count++] = (tl_planar_point){0, 4000};
        for (int k = 0; k < count; ++k)
            s[segments++] = (tl_planar_segment){k, (k + 1) % count, true};
        int64_t outline = 0;
        for (int k = 0; k < count; ++k) {
            tl_planar_point a = p[k], b = p[(k + 1) % count];
            outline += (int64_t)a.x * b.y - (int64_t)a.y * b.x;
        }
        int hole = count;
        for (int k = 0; k < 3; ++k) {
            static const tl_planar_point corners[3] = {{1500, 3500}, {1700, 3800}, {1900, 3400}};
            p[count++] = corners[k];
            s[segments++] = (tl_planar_segment){hole + k, hole + (k + 1) % 3, true};
        }
        outline -= llabs((int64_t)200 * -100 - (int64_t)300 * 400);
        int line = count;
        p[count++] = (tl_planar_point){2400, 3300};
        p[count++] = (tl_planar_point){3300, 3900};
        s[segments++] = (tl_planar_segment){line, line + 1, false};
        for (int k = 0; k < 60; ++k)
            p[count++] = (tl_planar_point){20 + random_below(3400), 3920 + random_below(70)};
        tl_planar_result r;
        if (triangulate(&(tl_planar_def){p, count, s, segments}, &r) != TL_OK) {
            assert_int_equal(r.fault, TL_PLANAR_SAME_POINT); /* by chance */
            continue;
        }
        int64_t area = 0;
        for (int t = 0; t < r.triangle_count; ++t)
            area += twice_area(p, r.triangle + 3 * t);
        assert_true(area == llabs(outline));
        for (int k = 0; k < segments; ++k)
            assert_true(has_edge(&r, s[k].a, s[k].b));
        free(r.triangle);
    }
}

static void touching_input_is_refused_with_what_touches(void **state)
{
    (void)state;
    tl_planar_point p[6] = {{0, 0}, {100, 0}, {100, 100}, {0, 100}, {50, 0}, {50, 50}};
    tl_planar_segment s[6] = {{0, 1, true}, {1, 2, true}, {2, 3, true}, {3, 0, true}};
    tl_planar_result r;
    assert_int_equal(triangulate(&(tl_planar_def){p, 6, s, 4}, &r), TL_ERROR_INPUT);
    assert_int_equal(r.fault, TL_PLANAR_ON_SEGMENT);
    assert_true(r.at[0] == 4 && r.at[1] == 0);
    p[4] = p[2];
    assert_int_equal(triangulate(&(tl_planar_def){p, 6, s, 4}, &r), TL_ERROR_INPUT);
    assert_int_equal(r.fault, TL_PLANAR_SAME_POINT);
    assert_true(r.at[0] + r.at[1] == 6);
    p[4] = (tl_planar_point){70, 20};
    s[4] = (tl_planar_segment){0, 2, false};
    s[5] = (tl_planar_segment){5, 4, false};
    p[5] = (tl_planar_point){20, 70};
    assert_int_equal(triangulate(&(tl_planar_def){p, 6, s, 6}, &r), TL_ERROR_INPUT);
    assert_int_equal(r.fault, TL_PLANAR_CROSSING);
    assert_int_equal(r.at[0], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_in_a_square_are_delaunay),
        cmocka_unit_test(segments_exist_and_outsides_do_not),
        cmocka_unit_test(touching_input_is_refused_with_what_touches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
