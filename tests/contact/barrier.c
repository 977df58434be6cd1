/* The barrier of a body made of triangles: the same as testing every face, and without a gap between two of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "collide/mesh/nearest.h"
#include "collide/mesh/signed_distance.h"
#include "contact/body/barrier.h"

enum { RINGS = 12, AROUND = 20, POINTS = RINGS * AROUND + 2 };

static double random_number(void) /* −1 … 1, the same on every platform */
{
    static uint32_t state = 12345;
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / (1 << 23) - 1;
}

static tl_vec3 random_point(double reach)
{
    double x = reach * random_number(), y = reach * random_number(), z = reach * random_number();
    return tl_v3((tl_real)x, (tl_real)y, (tl_real)z);
}

/* A closed body with dents: a sphere of varying radius. */
static tl_mesh *make_body(void)
{
    static tl_vec3 p[POINTS];
    static int f[6 * RINGS * AROUND];
    int count = 0;
    p[POINTS - 2] = tl_v3(0, 1, 0), p[POINTS - 1] = tl_v3(0, -1, 0);
    for (int r = 0; r < RINGS; ++r)
        for (int k = 0; k < AROUND; ++k) {
            double polar = 3.14159265 * (r + 1) / (RINGS + 1), around = 6.2831853 * k / AROUND;
            double radius = 1 + 0.4 * sin(3 * around) * sin(polar);
            int here = r * AROUND + k, next = r * AROUND + (k + 1) % AROUND;
            p[here] = tl_v3((tl_real)(radius * sin(polar) * cos(around)), (tl_real)(radius * cos(polar)),
                            (tl_real)(radius * sin(polar) * sin(around)));
            if (r == 0)
                f[count++] = POINTS - 2, f[count++] = next, f[count++] = here;
            if (r + 1 == RINGS)
                f[count++] = POINTS - 1, f[count++] = here, f[count++] = next;
            else {
                f[count++] = here, f[count++] = next, f[count++] = next + AROUND;
                f[count++] = here, f[count++] = next + AROUND, f[count++] = here + AROUND;
            }
        }
    return tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = POINTS, .triangles = f, .triangle_count = count / 3}, NULL,
        NULL);
}

static tl_mesh *mesh;
static tl_barrier barrier;
static tl_allocator allocator;

static int set_up(void **state)
{
    (void)state;
    allocator = tl_allocator_or_default(NULL);
    mesh = make_body();
    bool made = mesh && tl_barrier_create(&barrier, mesh, &allocator);
    barrier.solid = true;
    return made && barrier.closed ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tl_barrier_destroy(&barrier, &allocator);
    tl_mesh_destroy(mesh);
    return 0;
}

static void distance_is_that_of_the_nearest_face(void **state)
{
    (void)state;
    for (int n = 0; n < 500; ++n) {
        tl_vec3 p = random_point(1.6), normal;
        tl_real best = INFINITY;
        for (int f = 0; f < mesh->face_count; ++f) {
            const int *c = mesh->face + 3 * (size_t)f;
            tl_real w[3];
            tl_nearest_on_triangle(p, mesh->position[c[0]], mesh->position[c[1]], mesh->position[c[2]], w);
            tl_vec3 offset = tl_sub(p, tl_blend3(mesh->position[c[0]], mesh->position[c[1]], mesh->position[c[2]], w));
            best = tl_min(best, tl_dot(offset, offset));
        }
        tl_real distance = tl_barrier_distance(&barrier, p, &normal);
        assert_true(fabs(distance) == sqrt(best));
        assert_true(fabs(tl_length(normal) - 1) < (tl_real)1e-4);
    }
}

static void nearest_face_does_not_depend_on_where_the_search_starts(void **state)
{
    (void)state;
    for (int n = 0; n < 300; ++n) {
        tl_vec3 p = n % 3 == 0 ? mesh->position[n % POINTS] : random_point(1.6); /* on a corner, all around it tie */
        tl_mesh_nearest first = tl_mesh_find_nearest(mesh, barrier.x, &barrier.tree, p, INFINITY);
        for (int k = 0; k < 20; ++k) {
            int hint = (int)((random_number() + 1) / 2 * mesh->face_count);
            tl_mesh_nearest other = tl_mesh_find_nearest_from(mesh, barrier.x, &barrier.tree, p, INFINITY, hint);
            assert_int_equal(other.face, first.face);
            assert_true(other.square == first.square);
        }
    }
}

/* A body that swells and shrinks expels what came inside and nothing else, as one that forgets all distances does. */
static void clearance_holds_while_the_body_moves(void **state)
{
    (void)state;
    enum { COUNT = 200, SUBSTEPS = 40 };
    static tl_real store[2][6][COUNT], w[COUNT];
    static unsigned char mark[COUNT], touched[1];
    static tl_barrier_clearance clearance[2][COUNT];
    tl_barrier_cloth cloth[2];
    int inside = 0;
    tl_real *x[2][3];
    static const int no_faces[COUNT + 1];
    tl_mesh points = {.particle_count = COUNT, .particle_face_start = (int *)no_faces};
    barrier.deforms = true;
    barrier.stirred = 0;
    for (int i = 0; i < COUNT; ++i)
        w[i] = 1;
    for (int k = 0; k < 2; ++k) {
        for (int c = 0; c < 3; ++c)
            x[k][c] = store[k][c];
        cloth[k] = (tl_barrier_cloth){.mesh = &points,
                                      .count = COUNT,
                                      .x = x[k],
                                      .w = w,
                                      .touched = touched,
                                      .mark = mark,
                                      .clearance = clearance[k]};
    }
    for (int i = 0; i < COUNT; ++i) {
        tl_vec3 p = tl_scale(tl_normalized(random_point(1)), (tl_real)(1.45 + 0.3 * random_number()));
        tl_put(x[0], i, p);
        tl_put(x[1], i, p);
    }
    for (int n = 0; n < SUBSTEPS; ++n) {
        barrier.stir = 0;
        for (int p = 0; p < mesh->particle_count; ++p) {
            tl_vec3 to = tl_scale(mesh->position[p], (tl_real)(1 + 0.1 * sin(0.3 * n)));
            barrier.stir = tl_max(barrier.stir, tl_length(tl_sub(to, tl_at(barrier.x, p))));
            tl_put(barrier.x_old, p, tl_at(barrier.x, p));
            tl_put(barrier.x, p, to);
        }
        barrier.stirred += barrier.stir;
        tl_barrier_moved(&barrier);
        for (int i = 0; i < COUNT; ++i) {
            tl_vec3 step = random_point(0.02);
            clearance[1][i].until = 0;
            for (int k = 0; k < 2; ++k)
                tl_put(x[k], i, tl_add(tl_at(x[k], i), step));
        }
        bool any = tl_barrier_expel(&barrier, &cloth[0]);
        assert_true(any == tl_barrier_expel(&barrier, &cloth[1]));
        inside += any;
        assert_memory_equal(store[0], store[1], sizeof store[0]);
    }
    assert_true(inside > 3 && inside < SUBSTEPS);
    barrier.deforms = false;
    for (int p = 0; p < mesh->particle_count; ++p)
        tl_put(barrier.x, p, mesh->position[p]);
    tl_barrier_moved(&barrier);
}

/* From outside to inside every path crosses, also straight through corners and midpoints of edges; from outside to
   outside a path that crosses leaves again; from inside it may leave. */
static void no_path_leads_inside(void **state)
{
    (void)state;
    int crossed = 0;
    for (int n = 0; n < 3000; ++n) {
        tl_vec3 from = random_point(2), to = random_point(1), through;
        const int *c = mesh->face + 3 * (n % mesh->face_count);
        through = n % 3 == 0 ? mesh->position[c[0]] : tl_lerp(mesh->position[c[0]], mesh->position[c[1]], (tl_real)0.5);
        if (n % 3 < 2) /* to a point beyond a corner or an edge, as seen from `from` */
            to = tl_lerp(from, through, (tl_real)1.05);
        bool out = tl_barrier_distance(&barrier, from, NULL) > 0, in = tl_barrier_distance(&barrier, to, NULL) < 0;
        tl_barrier_hit hit;
        bool found = tl_barrier_cross(&barrier, from, to, &hit);
        if (out && in) {
            assert_true(found);
            assert_true(hit.t >= 0 && hit.t <= 1 && tl_dot(hit.normal, tl_sub(to, from)) <= (tl_real)1e-6);
            ++crossed;
        }
    }
    assert_true(crossed > 500);
}

static void a_thin_body_is_hit_from_both_sides(void **state)
{
    (void)state;
    barrier.solid = false;
    tl_barrier_hit hit;
    for (int n = 0; n < 500; ++n) {
        tl_vec3 from = random_point(0.4), to = tl_scale(tl_normalized(random_point(1)), 3);
        assert_true(tl_barrier_cross(&barrier, from, to, &hit)); /* from the inside out */
        assert_true(tl_barrier_cross(&barrier, to, from, &hit));
    }
    barrier.solid = true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_is_that_of_the_nearest_face),
        cmocka_unit_test(nearest_face_does_not_depend_on_where_the_search_starts),
        cmocka_unit_test(clearance_holds_while_the_body_moves),
        cmocka_unit_test(no_path_leads_inside),
        cmocka_unit_test(a_thin_body_is_hit_from_both_sides),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
