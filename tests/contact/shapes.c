/* Shapes: distances against brute force, normals against differences, casts against marching. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/shapes/shapes.h"
#include "core/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES 4000

static uint32_t counter;

static double uniform(double low, double high) { return low + (high - low) * tl_random_unit(77, counter++); }
static tl_vec3 random_in(double reach)
{
    double x = uniform(-reach, reach), y = uniform(-reach, reach), z = uniform(-reach, reach);
    return tl_v3((tl_real)x, (tl_real)y, (tl_real)z);
}

/* A valid size for any shape, from round to flat. */
static tl_vec3 random_size(int k)
{
    static const double fixed[][3] = {{1, 1, 1}, {0.5, 1, 2}, {1, 0.02, 1}, {0.3, 0.3, 3}, {1, 0.999, 1.001}};
    if (k < 5)
        return tl_v3((tl_real)fixed[k][0], (tl_real)fixed[k][1], (tl_real)fixed[k][2]);
    double x = uniform(0.05, 1.5), y = uniform(0.05, 1.5), z = uniform(0.05, 1.5);
    return tl_v3((tl_real)x, (tl_real)y, (tl_real)z);
}

/* Rounding of a distance of order 3 m. */
static double rounding(void) { return 16 * (double)TL_REAL_EPSILON * 3; }

static tl_real distance_of(const tl_shape_class *shape, tl_vec3 size, tl_vec3 p)
{
    tl_vec3 n;
    return shape->distance(size, p, &n);
}

static void distance_changes_no_faster_than_the_point_moves(void **state)
{
    (void)state;
    for (int s = 0; s < tl_shape_class_count; ++s)
        for (int k = 0; k < SAMPLES; ++k) {
            const tl_shape_class *shape = tl_shape_classes[s];
            tl_vec3 size = random_size(k % 10), a = random_in(2),
                    b = k & 1 ? random_in(2) : tl_madd(a, random_in(1), (tl_real)1e-3);
            tl_real change = fabs(distance_of(shape, size, a) - distance_of(shape, size, b));
            assert_true((double)change <= (double)tl_length(tl_sub(a, b)) + rounding());
        }
}

/* The nearest surface point p − d n must lie on the surface, and no point of the surface may be nearer. */
static void distance_is_that_of_the_nearest_surface_point(void **state)
{
    (void)state;
    for (int s = 0; s < tl_shape_class_count; ++s)
        for (int k = 0; k < SAMPLES; ++k) {
            const tl_shape_class *shape = tl_shape_classes[s];
            tl_vec3 size = random_size(k % 10), p = random_in(2), n, m;
            tl_real d = shape->distance(size, p, &n);
            assert_true(fabs((double)tl_length(n) - 1) < 8 * (double)TL_REAL_EPSILON);
            tl_vec3 foot = tl_madd(p, n, -d);
            assert_true(fabs((double)shape->distance(size, foot, &m)) <= 4 * rounding());
            for (int other = 0; other < 20; ++other) {
                /* another surface point: along a ray from within (all shapes hold points just below their top) */
                tl_vec3 q = random_in(2);
                tl_real e = shape->distance(size, q, &m);
                tl_vec3 surface = tl_madd(q, m, -e);
                assert_true((double)tl_length(tl_sub(surface, p)) >= fabs((double)d) - 4 * rounding());
            }
        }
}

static void distance_of_known_points(void **state)
{
    (void)state;
    tl_vec3 n;
    const tl_shape_class *box = tl_shape_find("box"), *capsule = tl_shape_find("capsule"),
                         *egg = tl_shape_find("ellipsoid");
    assert_float_equal(box->distance(tl_v3(2, 4, 6), tl_v3(4, 6, 3), &n), 5, 1e-6); /* 3-4-5 from an edge */
    assert_float_equal(box->distance(tl_v3(2, 4, 6), tl_v3((tl_real)0.75, 0, 0), &n), -0.25, 1e-6);
    assert_float_equal(capsule->distance(tl_v3(1, 2, 0), tl_v3(3, 5, 0), &n), sqrt(4 + 16 + 5.0) - 1, 1e-6);
    assert_float_equal(egg->distance(tl_v3(1, 2, 3), tl_v3(0, 5, 0), &n), 3, 1e-6);
    assert_float_equal(egg->distance(tl_v3(1, 2, 3), tl_v3(0, 0, 0), &n), -1, 1e-6);
    assert_float_equal(egg->distance(tl_v3(2, 2, 2), tl_v3(0, 0, 0), &n), -2, 1e-6);
    assert_float_equal(egg->distance(tl_v3(1, 1, 1), tl_v3(3, 0, 4), &n), 4, 1e-6);
    /* far away and far from round */
    assert_float_equal(egg->distance(tl_v3(1, (tl_real)0.001, 1), tl_v3(0, 100, 0), &n), 99.999, 1e-4);
}

static void normal_is_the_gradient_of_the_distance(void **state)
{
    (void)state;
    double h = sizeof(tl_real) == 4 ? 1e-2 : 1e-5;
    for (int s = 0; s < tl_shape_class_count; ++s) {
        int checked = 0;
        for (int k = 0; k < SAMPLES; ++k) {
            const tl_shape_class *shape = tl_shape_classes[s];
            tl_vec3 size = random_size(k % 10), p = random_in(2), n, g;
            /* outside by more than h the second derivative is below 1/d; inside there are ridges */
            if (!(shape->distance(size, p, &n) > (tl_real)0.3))
                continue;
            tl_real e = (tl_real)h;
            g.x =
                distance_of(shape, size, tl_v3(p.x + e, p.y, p.z)) - distance_of(shape, size, tl_v3(p.x - e, p.y, p.z));
            g.y =
                distance_of(shape, size, tl_v3(p.x, p.y + e, p.z)) - distance_of(shape, size, tl_v3(p.x, p.y - e, p.z));
            g.z =
                distance_of(shape, size, tl_v3(p.x, p.y, p.z + e)) - distance_of(shape, size, tl_v3(p.x, p.y, p.z - e));
            tl_real error = tl_length(tl_sub(tl_scale(g, 1 / (2 * e)), n));
            assert_true((double)error < (sizeof(tl_real) == 4 ? 1e-2 : 1e-4));
            ++checked;
        }
        assert_true(checked > SAMPLES / 20);
    }
}

/* Smallest t at which marching in safe steps finds the inflated surface; 2 when it does not. */
static double march(const tl_shape_class *shape, tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, double near,
                    double *closest)
{
    tl_vec3 step = tl_sub(p1, p0);
    double length = (double)tl_length(step), t = 0;
    *closest = 1e9;
    while (t <= 1) {
        double gap = (double)(distance_of(shape, size, tl_madd(p0, step, (tl_real)t)) - margin);
        *closest = fmin(*closest, gap);
        if (gap <= near)
            return t;
        t += fmax(gap, near) / length;
    }
    return 2;
}

static void cast_agrees_with_marching_the_distance(void **state)
{
    (void)state;
    static const double margins[] = {0, 1e-3, 0.02, 0.3};
    double near = sizeof(tl_real) == 4 ? 1e-5 : 1e-7;
    for (int s = 0; s < tl_shape_class_count; ++s) {
        int hits = 0, misses = 0;
        for (int k = 0; k < SAMPLES; ++k) {
            const tl_shape_class *shape = tl_shape_classes[s];
            tl_vec3 size = random_size(k % 10), p0 = random_in(2.5), p1 = random_in(k % 3 ? 2.5 : 1), n, m;
            tl_real margin = (tl_real)margins[k % 4], t = -1;
            if (!(distance_of(shape, size, p0) > margin + (tl_real)1e-4))
                continue;
            double closest, expected = march(shape, size, margin, p0, p1, near, &closest);
            bool hit = shape->cast(size, margin, p0, p1, &t, &n);
            if (!hit) {
                /* marching stops `near` outside: only a graze may differ */
                if (expected < 2) {
                    tl_vec3 p = tl_madd(p0, tl_sub(p1, p0), (tl_real)expected);
                    tl_real d = shape->distance(size, p, &m) - margin;
                    double sine = -(double)tl_dot(m, tl_normalized(tl_sub(p1, p0)));
                    double left = (1 - expected) * (double)tl_length(tl_sub(p1, p0)) * sine;
                    assert_true((double)d <= near && (sine < 0.05 || left < 2 * near));
                }
                ++misses;
                continue;
            }
            ++hits;
            assert_true(t >= 0 && t <= 1);
            tl_vec3 at = tl_madd(p0, tl_sub(p1, p0), t);
            tl_real d = shape->distance(size, at, &m);
            assert_true(fabs((double)(d - margin)) < 3 * rounding());
            assert_true(fabs((double)tl_length(n) - 1) < 8 * (double)TL_REAL_EPSILON);
            assert_true(tl_dot(n, tl_sub(p1, p0)) <= 0);
            /* the entry, not the exit: nothing before it is inside */
            for (int j = 0; j < 16; ++j) {
                tl_vec3 before = tl_madd(p0, tl_sub(p1, p0), t * (tl_real)j / 16);
                assert_true((double)(distance_of(shape, size, before) - margin) > -3 * rounding());
            }
            /* the normal supports the shape there: moving against it goes inside, along it outside */
            assert_true((double)(distance_of(shape, size, tl_madd(at, n, (tl_real)0.01)) - margin) >
                        0.0099 - 3 * rounding());
        }
        assert_true(hits > 100);
        assert_true(misses > 100);
    }
}

static void path_through_a_thin_box_hits_the_face_it_came_from(void **state)
{
    (void)state;
    const tl_shape_class *box = tl_shape_find("box");
    tl_real t;
    tl_vec3 n, size = tl_v3(1, (tl_real)0.001, 1);
    assert_true(box->cast(size, (tl_real)0.001, tl_v3(0, (tl_real)0.002, 0), tl_v3((tl_real)0.1, -100, 0), &t, &n));
    assert_true(n.y == 1);
    assert_true(box->cast(size, 0, tl_v3(0, -100, 0), tl_v3(0, (tl_real)0.0001, 0), &t, &n));
    assert_true(n.y == -1);
}

static void ellipsoid_of_equal_axes_is_a_sphere(void **state)
{
    (void)state;
    const tl_shape_class *egg = tl_shape_find("ellipsoid"), *sphere = tl_shape_find("sphere");
    for (int k = 0; k < SAMPLES; ++k) {
        tl_real r = (tl_real)uniform(0.1, 2);
        tl_vec3 p = random_in(3);
        assert_true(fabs((double)(distance_of(egg, tl_v3(r, r, r), p) - distance_of(sphere, tl_v3(r, 0, 0), p))) <
                    rounding());
    }
}

static void extent_holds_the_shape(void **state)
{
    (void)state;
    for (int s = 0; s < tl_shape_class_count; ++s)
        for (int k = 0; k < SAMPLES; ++k) {
            const tl_shape_class *shape = tl_shape_classes[s];
            tl_vec3 size = random_size(k % 10), p = random_in(3), e = shape->extent(size);
            bool beyond = fabs(p.x) > e.x || fabs(p.z) > e.z || (shape->bottomless ? p.y : (tl_real)fabs(p.y)) > e.y;
            if (beyond)
                assert_true(distance_of(shape, size, p) > 0);
        }
}

static void invalid_sizes_are_reported(void **state)
{
    (void)state;
    for (int s = 0; s < tl_shape_class_count; ++s) {
        const tl_shape_class *shape = tl_shape_classes[s];
        assert_ptr_equal(tl_shape_find(shape->name), shape);
        assert_true(strlen(shape->help) > 0 && strlen(tl_shape_size_help(shape->name)) > 0);
        assert_null(shape->check(tl_v3(1, 1, 1)));
        if (!shape->bottomless) {
            assert_non_null(shape->check(tl_v3(0, 1, 1)));
            assert_non_null(shape->check(tl_v3((tl_real)NAN, 1, 1)));
            assert_non_null(shape->check(tl_v3((tl_real)INFINITY, 1, 1)));
        }
    }
    assert_null(tl_shape_find("torus"));
    assert_null(tl_shape_find(NULL));
    assert_null(tl_shape_size_help("torus"));
    assert_null(tl_shape_size_help(NULL));
}

/* ---- triangles to draw ---------------------------------------------------------------------------------------- */

static tl_shape_mesh make_mesh(const tl_shape_class *shape, tl_vec3 size, int detail)
{
    tl_shape_mesh mesh = {0};
    assert_int_equal(tl_shape_triangles(shape->name, size, detail, &mesh, NULL), TL_OK);
    mesh.positions = calloc((size_t)mesh.vertex_count, sizeof *mesh.positions);
    mesh.normals = calloc((size_t)mesh.vertex_count, sizeof *mesh.normals);
    mesh.triangles = calloc(3 * (size_t)mesh.triangle_count, sizeof *mesh.triangles);
    assert_true(mesh.positions && mesh.normals && mesh.triangles);
    assert_int_equal(tl_shape_triangles(shape->name, size, detail, &mesh, NULL), TL_OK);
    return mesh;
}

static void free_mesh(tl_shape_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->triangles);
}

typedef void mesh_check(const tl_shape_class *shape, tl_vec3 size, const tl_shape_mesh *mesh);
static void for_every_mesh(mesh_check *check)
{
    static const int details[] = {TL_SHAPE_LEAST_DETAIL, 11, 30};
    for (int s = 0; s < tl_shape_class_count; ++s)
        for (int k = 0; k < 10; ++k)
            for (int d = 0; d < 3; ++d) {
                tl_vec3 size = random_size(k);
                tl_shape_mesh mesh = make_mesh(tl_shape_classes[s], size, details[d]);
                check(tl_shape_classes[s], size, &mesh);
                free_mesh(&mesh);
            }
}

static void check_surface(const tl_shape_class *shape, tl_vec3 size, const tl_shape_mesh *mesh)
{
    for (int v = 0; v < mesh->vertex_count; ++v) {
        tl_vec3 p = mesh->positions[v], n = mesh->normals[v];
        assert_true(fabs((double)tl_length(n) - 1) < 8 * (double)TL_REAL_EPSILON);
        assert_true(fabs((double)distance_of(shape, size, p)) < rounding());
        assert_true(fabs((double)distance_of(shape, size, tl_add(p, n)) - 1) < 2 * rounding());
    }
}

static void vertices_of_the_mesh_lie_on_the_surface_with_its_outward_normals(void **state)
{
    (void)state;
    for_every_mesh(check_surface);
}

/* Seen from outside, a triangle turns counter-clockwise; the shape is convex, so all of it lies behind the triangle. */
static void check_outward(const tl_shape_class *shape, tl_vec3 size, const tl_shape_mesh *mesh)
{
    (void)shape;
    (void)size;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *corner = mesh->triangles + 3 * t;
        tl_vec3 a = mesh->positions[corner[0]], b = mesh->positions[corner[1]], c = mesh->positions[corner[2]];
        tl_vec3 area = tl_cross(tl_sub(b, a), tl_sub(c, a));
        assert_true(tl_length(area) > 0);
        for (int k = 0; k < 3; ++k)
            assert_true(tl_dot(area, mesh->normals[corner[k]]) > 0);
        for (int v = 0; v < mesh->vertex_count; ++v)
            assert_true((double)tl_dot(tl_normalized(area), tl_sub(mesh->positions[v], a)) < 20 * rounding());
    }
}

static void triangles_of_the_mesh_face_outward(void **state)
{
    (void)state;
    for_every_mesh(check_outward);
}

/* The first vertex at the same position: along sharp edges, faces have their own vertices. */
static int place_of(const tl_shape_mesh *mesh, int vertex)
{
    int first = 0;
    while (memcmp(&mesh->positions[first], &mesh->positions[vertex], sizeof *mesh->positions) != 0)
        ++first;
    return first;
}

/* Every edge from a to b has its twin from b to a in the next triangle; a floor has a border. */
static void check_closed(const tl_shape_class *shape, tl_vec3 size, const tl_shape_mesh *mesh)
{
    (void)size;
    int count = 3 * mesh->triangle_count, alone = 0;
    int *from = malloc((size_t)count * sizeof *from), *to = malloc((size_t)count * sizeof *to);
    assert_true(from && to);
    for (int k = 0; k < count; ++k) {
        from[k] = place_of(mesh, mesh->triangles[k]);
        to[k] = place_of(mesh, mesh->triangles[k % 3 == 2 ? k - 2 : k + 1]);
    }
    for (int k = 0; k < count; ++k) {
        int twins = 0;
        for (int other = 0; other < count; ++other) {
            twins += from[other] == to[k] && to[other] == from[k];
            assert_true(other == k || from[other] != from[k] || to[other] != to[k]);
        }
        alone += twins == 0;
    }
    assert_int_equal(alone, shape->bottomless ? 4 : 0);
    free(from);
    free(to);
}

static void the_mesh_is_closed(void **state)
{
    (void)state;
    for (int s = 0; s < tl_shape_class_count; ++s)
        for (int k = 0; k < 3; ++k) {
            tl_shape_mesh mesh = make_mesh(tl_shape_classes[s], random_size(k), 12);
            check_closed(tl_shape_classes[s], random_size(k), &mesh);
            free_mesh(&mesh);
        }
}

/* With a segment in every quarter turn, the poles of all axes are vertices. A floor is drawn as a square metre. */
static void the_mesh_reaches_as_far_as_the_shape(void **state)
{
    (void)state;
    for (int s = 0; s < tl_shape_class_count; ++s)
        for (int k = 0; k < 10; ++k) {
            const tl_shape_class *shape = tl_shape_classes[s];
            tl_vec3 size = random_size(k), e = shape->extent(size), high = {0, 0, 0};
            tl_shape_mesh mesh = make_mesh(shape, size, 16);
            for (int v = 0; v < mesh.vertex_count; ++v) {
                tl_vec3 p = mesh.positions[v];
                high = tl_v3(tl_max(high.x, fabs(p.x)), tl_max(high.y, fabs(p.y)), tl_max(high.z, fabs(p.z)));
            }
            if (shape->bottomless)
                e = tl_v3((tl_real)0.5, 0, (tl_real)0.5);
            assert_true((double)tl_length(tl_sub(high, e)) < rounding());
            free_mesh(&mesh);
        }
}

/* As deep below every vertex as the radius, that vertex is still the nearest point of the surface; twice as deep,
   below the highest curvature, it no longer is. A floor has no curvature. */
static void the_radius_is_that_of_the_highest_curvature(void **state)
{
    (void)state;
    for (int s = 0; s < tl_shape_class_count; ++s)
        for (int k = 0; k < 10; ++k) {
            const tl_shape_class *shape = tl_shape_classes[s];
            tl_vec3 size = random_size(k);
            tl_shape_mesh mesh = make_mesh(shape, size, 16);
            tl_real deeper = mesh.radius > 0 ? 2 * mesh.radius : (tl_real)0.01;
            int cut_off = 0;
            for (int v = 0; v < mesh.vertex_count; ++v) {
                tl_vec3 p = mesh.positions[v], n = mesh.normals[v];
                tl_real at_radius = distance_of(shape, size, tl_madd(p, n, -mesh.radius));
                assert_true(fabs((double)(at_radius + mesh.radius)) < 2 * rounding());
                cut_off += (double)(distance_of(shape, size, tl_madd(p, n, -deeper)) + deeper) > 2 * rounding();
            }
            assert_true(shape->bottomless ? mesh.radius == 0 && cut_off == 0 : cut_off > 0);
            free_mesh(&mesh);
        }
}

static void arrays_that_are_too_short_are_left_alone(void **state)
{
    (void)state;
    tl_error error = {0};
    for (int s = 0; s < tl_shape_class_count; ++s) {
        const char *name = tl_shape_classes[s]->name;
        tl_vec3 position = {7, 7, 7}, normal = {7, 7, 7};
        int corner = 7;
        tl_shape_mesh mesh = {0};
        for (int few = 0; few < 2; ++few) { /* vertices, triangles */
            mesh = (tl_shape_mesh){few ? 1000 : 1, few ? 1 : 1000, &position, &normal, &corner, 0};
            assert_int_equal(tl_shape_triangles(name, tl_v3(1, 1, 1), 8, &mesh, NULL), TL_OK);
            assert_true(mesh.vertex_count > 1 && mesh.triangle_count > 1);
            assert_true(position.x == 7 && normal.x == 7 && corner == 7);
        }
        assert_int_equal(tl_shape_triangles(name, tl_v3(1, 1, 1), TL_SHAPE_MOST_DETAIL + 1, &mesh, &error),
                         TL_ERROR_INPUT);
        assert_non_null(strstr(error.message, "1025"));
        if (!tl_shape_classes[s]->bottomless)
            assert_int_equal(tl_shape_triangles(name, tl_v3(0, 1, 1), 8, &mesh, &error), TL_ERROR_INPUT);
    }
    assert_int_equal(tl_shape_triangles("mesh", tl_v3(1, 1, 1), 8, &(tl_shape_mesh){0}, &error), TL_ERROR_INPUT);
    assert_non_null(strstr(error.message, "'mesh'"));
    assert_int_equal(tl_shape_triangles(NULL, tl_v3(1, 1, 1), 8, &(tl_shape_mesh){0}, NULL), TL_ERROR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_changes_no_faster_than_the_point_moves),
        cmocka_unit_test(distance_is_that_of_the_nearest_surface_point),
        cmocka_unit_test(distance_of_known_points),
        cmocka_unit_test(normal_is_the_gradient_of_the_distance),
        cmocka_unit_test(cast_agrees_with_marching_the_distance),
        cmocka_unit_test(path_through_a_thin_box_hits_the_face_it_came_from),
        cmocka_unit_test(ellipsoid_of_equal_axes_is_a_sphere),
        cmocka_unit_test(extent_holds_the_shape),
        cmocka_unit_test(invalid_sizes_are_reported),
        cmocka_unit_test(vertices_of_the_mesh_lie_on_the_surface_with_its_outward_normals),
        cmocka_unit_test(triangles_of_the_mesh_face_outward),
        cmocka_unit_test(the_mesh_is_closed),
        cmocka_unit_test(the_mesh_reaches_as_far_as_the_shape),
        cmocka_unit_test(the_radius_is_that_of_the_highest_curvature),
        cmocka_unit_test(arrays_that_are_too_short_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
