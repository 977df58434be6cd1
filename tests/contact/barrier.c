/* The barrier of a body made of triangles: the same as testing every face, and without a gap between two of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "collide/mesh/nearest.h"
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
        cmocka_unit_test(no_path_leads_inside),
        cmocka_unit_test(a_thin_body_is_hit_from_both_sides),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
