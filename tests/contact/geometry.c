/* Nearest points, exact triangle intersection, and the BVH: each against brute force. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/mesh/bvh.h"
#include "collide/mesh/nearest.h"
#include "collide/mesh/predicate.h"
#include "core/random.h"

static uint32_t counter;
static tl_real number(void) { return (tl_real)(tl_random_unit(7, counter++) * 2 - 1); }
static tl_vec3 point(void)
{
    tl_real x = number(), y = number(), z = number();
    return tl_v3(x, y, z);
}

static void nearest_point_of_a_triangle_is_nearer_than_all_others(void **state)
{
    (void)state;
    for (int n = 0; n < 2000; ++n) {
        tl_vec3 p = point(), a = point(), b = n % 10 == 0 ? a : point(),
                c = n % 15 == 0 ? tl_lerp(a, b, (tl_real)0.3) : point();
        tl_real w[3];
        bool inside = tl_nearest_on_triangle(p, a, b, c, w);
        assert_true(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && fabs(w[0] + w[1] + w[2] - 1) < (tl_real)1e-5);
        assert_true(!inside || (w[0] > 0 && w[1] > 0 && w[2] > 0));
        tl_real found = tl_length(tl_sub(p, tl_blend3(a, b, c, w)));
        for (int i = 0; i <= 20; ++i)
            for (int j = 0; j <= 20 - i; ++j) {
                tl_real s = (tl_real)i / 20, t = (tl_real)j / 20;
                tl_real other = tl_length(tl_sub(p, tl_blend3(a, b, c, (tl_real[]){1 - s - t, s, t})));
                assert_true(found <= other + (tl_real)1e-5);
            }
    }
}

static void nearest_points_of_segments_are_nearer_than_all_others(void **state)
{
    (void)state;
    for (int n = 0; n < 2000; ++n) {
        tl_vec3 a0 = point(), a1 = n % 20 == 0 ? a0 : point(), b0 = point(),
                b1 = n % 7 == 0 ? tl_add(b0, tl_sub(a1, a0)) : point();
        tl_real s, t;
        tl_nearest_of_segments(a0, a1, b0, b1, &s, &t);
        assert_true(s >= 0 && s <= 1 && t >= 0 && t <= 1);
        tl_real found = tl_length(tl_sub(tl_lerp(a0, a1, s), tl_lerp(b0, b1, t)));
        for (int i = 0; i <= 20; ++i)
            for (int j = 0; j <= 20; ++j)
                assert_true(found <=
                            tl_length(tl_sub(tl_lerp(a0, a1, (tl_real)i / 20), tl_lerp(b0, b1, (tl_real)j / 20))) +
                                (tl_real)1e-5);
    }
}

/* Points of a small lattice: most of their determinants are small integers, many are zero, and doubles are exact. */
static tl_vec3 lattice_point(int *at)
{
    int k[3];
    for (int c = 0; c < 3; ++c)
        at[c] = k[c] = (int)(number() * 3);
    return tl_v3((tl_real)k[0], (tl_real)k[1], (tl_real)k[2]);
}

static void orientation_is_exact(void **state)
{
    (void)state;
    int zeros = 0;
    for (int n = 0; n < 20000; ++n) {
        int p[4][3];
        tl_vec3 x[4];
        for (int k = 0; k < 4; ++k)
            x[k] = lattice_point(p[k]);
        int m[3][3];
        for (int i = 0; i < 3; ++i)
            for (int c = 0; c < 3; ++c)
                m[i][c] = p[i][c] - p[3][c];
        int det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                  m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        int sign = tl_orient3(x[0], x[1], x[2], x[3]);
        assert_int_equal(sign, (det < 0) - (det > 0));
        assert_int_equal(sign, -tl_orient3(x[1], x[0], x[2], x[3]));
        zeros += det == 0;
        /* one unit in the last place off a plane is off it */
        tl_vec3 a = {1, 0, 0}, b = {0, 1, 0}, c = {0, 0, 1};
        tl_real third = (tl_real)0.25;
        tl_vec3 on = {(tl_real)0.5, third, third}, off = {(tl_real)0.5, third, nextafter(third, (tl_real)1)};
        assert_int_equal(tl_orient3(a, b, c, on), 0);
        assert_int_equal(abs(tl_orient3(a, b, c, off)), 1);
    }
    assert_true(zeros > 1000);
}

static void triangles_intersect_or_not(void **state)
{
    (void)state;
    static const int none[3] = {-1, -1, -1};
    const tl_vec3 flat[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const struct {
        tl_vec3 other[3];
        int shared[3];
        bool intersect;
    } cases[] = {
        {{{(tl_real)0.2, (tl_real)0.2, -1}, {(tl_real)0.2, (tl_real)0.2, 1}, {2, 2, 0}},
         {-1, -1, -1},
         true},                                                                                    /* pierces */
        {{{(tl_real)0.2, (tl_real)0.2, (tl_real)0.1}, {1, 1, 1}, {0, 1, 1}}, {-1, -1, -1}, false}, /* above */
        {{{(tl_real)0.2, (tl_real)0.2, 0}, {1, 1, 1}, {0, 1, 1}}, {-1, -1, -1}, true},             /* touches */
        {{{(tl_real)0.1, (tl_real)0.1, 0}, {(tl_real)0.2, (tl_real)0.1, 0}, {(tl_real)0.1, (tl_real)0.2, 0}},
         {-1, -1, -1},
         true},                                                                      /* in it */
        {{{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, {-1, -1, -1}, false},                    /* in its plane */
        {{{0, 0, 0}, {1, 0, 0}, {0, -1, 0}}, {0, 1, -1}, false},                     /* flat neighbour */
        {{{0, 0, 0}, {1, 0, 0}, {0, 1, (tl_real)1e-6}}, {0, 1, -1}, false},          /* nearly folded */
        {{{0, 0, 0}, {1, 0, 0}, {(tl_real)0.5, (tl_real)0.5, 0}}, {0, 1, -1}, true}, /* folded flat */
        {{{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}}, {0, -1, -1}, false},                   /* corner to corner */
        {{{0, 0, 0}, {1, 1, 1}, {1, 1, -1}}, {0, -1, -1}, true},                     /* pierces from the corner */
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        assert_int_equal(tl_triangles_intersect(flat, cases[k].other, cases[k].shared), cases[k].intersect);
        int back[3] = {-1, -1, -1};
        for (int i = 0; i < 3; ++i)
            if (cases[k].shared[i] >= 0)
                back[cases[k].shared[i]] = i;
        assert_int_equal(tl_triangles_intersect(cases[k].other, flat, back), cases[k].intersect);
    }
    assert_true(tl_triangles_intersect(flat, flat, none)); /* the same triangle twice */
}

enum { FACES = 300, POINTS = 3 * FACES };

/* Small triangles in a box of two metres. */
typedef struct crowd {
    tl_real memory[3][POINTS], *x[3];
    int face[POINTS];
} crowd;

static void make_crowd(crowd *c)
{
    for (int k = 0; k < 3; ++k)
        c->x[k] = c->memory[k];
    for (int f = 0; f < FACES; ++f) {
        tl_vec3 middle = tl_scale(point(), 2);
        for (int k = 0; k < 3; ++k) {
            tl_vec3 p = tl_madd(middle, point(), (tl_real)0.2);
            c->face[3 * f + k] = 3 * f + k;
            c->x[0][3 * f + k] = p.x, c->x[1][3 * f + k] = p.y, c->x[2][3 * f + k] = p.z;
        }
    }
}

/* Each pair once, by [f][g] with f < g. */
static bool found[FACES][FACES];

static void read_pairs(const tl_face_pairs *pairs)
{
    memset(found, 0, sizeof found);
    for (int k = 0; k < pairs->count; ++k) {
        int f = pairs->pair[k].f, g = pairs->pair[k].g;
        bool *pair = f < g ? &found[f][g] : &found[g][f];
        assert_false(*pair);
        *pair = true;
    }
}

static void tree_finds_the_pairs_of_brute_force(void **state)
{
    (void)state;
    tl_allocator allocator = tl_allocator_or_default(NULL);
    static crowd c;
    make_crowd(&c);
    tl_bvh tree;
    assert_true(tl_bvh_build(&tree, &allocator, c.face, FACES, c.x));
    for (int round = 0; round < 3; ++round) { /* the points move, the tree's topology stays */
        tl_bvh_fit(&tree, c.x, (tl_real)0.05);
        tl_face_pairs pairs = {0};
        assert_true(tl_bvh_find(&tree, &tree, &pairs, &allocator));
        read_pairs(&pairs);
        for (int f = 0; f < FACES; ++f)
            for (int g = f + 1; g < FACES; ++g)
                assert_int_equal(found[f][g], tl_boxes_overlap(tl_bvh_face_box(&tree, f), tl_bvh_face_box(&tree, g)));
        tl_release(&allocator, pairs.pair);
        for (int p = 0; p < POINTS; ++p)
            c.x[0][p] += number() / 2;
    }
    tl_bvh_destroy(&tree, &allocator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_point_of_a_triangle_is_nearer_than_all_others),
        cmocka_unit_test(nearest_points_of_segments_are_nearer_than_all_others),
        cmocka_unit_test(orientation_is_exact),
        cmocka_unit_test(triangles_intersect_or_not),
        cmocka_unit_test(tree_finds_the_pairs_of_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
