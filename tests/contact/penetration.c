/* No free particle is ever left inside a body: random particles, moves and sets of overlapping, moving, turning bodies.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/shapes/shapes.h"
#include "contact/body/convex_contact.h"
#include "contact/body/prepared_body.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 600, MOST_BODIES = 6, ROUNDS = 400, STEPS = 6 };

static uint32_t counter;
static double uniform(double low, double high) { return low + (high - low) * tl_random_unit(4711, counter++); }
static tl_vec3 random_in(double reach)
{
    double x = uniform(-reach, reach), y = uniform(-reach, reach), z = uniform(-reach, reach);
    return tl_v3((tl_real)x, (tl_real)y, (tl_real)z);
}

static tl_real x[3][COUNT + 16], v[3][COUNT + 16], old[3][COUNT + 16], m[COUNT + 16], w[COUNT + 16],
    pressure[COUNT + 16];

static tl_contact_body random_body(bool planes)
{
    tl_contact_body body = {.shape = tl_shape_classes[(int)uniform(planes ? 0 : 1, tl_shape_class_count)]};
    double a = uniform(0.02, 0.6), b = uniform(0.001, 0.6), c = uniform(0.02, 0.6);
    body.size = tl_v3((tl_real)a, (tl_real)b, (tl_real)c);
    body.to.position = random_in(0.6);
    body.to.rotation = tl_quat_euler(random_in(180));
    if (body.shape->bottomless) {
        /* floors tilt by up to 30°, so that there is a way out */
        body.to.position.y = (tl_real)-0.5;
        body.to.rotation = tl_quat_euler(random_in(15));
    }
    body.friction = uniform(0, 1) < 0.1 ? (tl_real)INFINITY : (tl_real)uniform(0, 1);
    body.restitution = (tl_real)uniform(0, 1);
    return body;
}

static void check_none_inside(const tl_contact_body *bodies, int count, tl_real thickness)
{
    for (int i = 0; i < COUNT; ++i) {
        tl_vec3 at = tl_v3(x[0][i], x[1][i], x[2][i]), n;
        assert_true(isfinite(at.x) && isfinite(at.y) && isfinite(at.z));
        assert_true(isfinite(v[0][i]) && isfinite(v[1][i]) && isfinite(v[2][i]));
        if (w[i] == 0)
            continue;
        for (int b = 0; b < count; ++b) {
            tl_real gap = bodies[b].shape->distance(bodies[b].size, tl_pose_undo(bodies[b].to, at), &n) - thickness;
            assert_true(gap >= -tl_contact_tolerance(&bodies[b], thickness, at));
        }
    }
}

static void no_free_particle_ends_inside(void **state)
{
    (void)state;
    tl_particles p = {.count = COUNT, .x = {x[0], x[1], x[2]}, .v = {v[0], v[1], v[2]}, .m = m, .w = w};
    tl_real *x_old[3] = {old[0], old[1], old[2]};
    long touched = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        tl_contact_body bodies[MOST_BODIES];
        int count = 1 + (int)uniform(0, MOST_BODIES);
        double offset = round % 5 == 4 ? 50 : 0; /* away from the origin too */
        tl_vec3 far = tl_v3((tl_real)offset, 0, (tl_real)-offset);
        tl_real thickness = (tl_real)(round % 3 ? uniform(0, 0.02) : 0), dt = (tl_real)1 / 60;
        for (int b = 0; b < count; ++b) {
            bodies[b] = random_body(round % 2);
            bodies[b].to.position = tl_add(bodies[b].to.position, far);
        }
        for (int i = 0; i < COUNT; ++i) {
            tl_put(p.x, i, tl_add(far, random_in(1.2)));
            tl_put(p.v, i, random_in(1));
            m[i] = (tl_real)0.1;
            w[i] = i % 17 ? 10 : 0;
        }
        for (int step = 0; step < STEPS; ++step) {
            for (int k = 0; k < 3; ++k)
                memcpy(old[k], x[k], sizeof x[k]);
            double speed = step % 2 ? 100 : 2;
            for (int i = 0; i < COUNT; ++i) {
                tl_put(p.v, i, random_in(speed));
                tl_put(p.x, i, tl_madd(tl_at(p.x, i), tl_at(p.v, i), dt));
            }
            for (int b = 0; b < count; ++b) {
                bodies[b].from = bodies[b].to;
                if (bodies[b].shape->bottomless)
                    continue;
                bodies[b].to.position = tl_add(bodies[b].to.position, random_in(0.05));
                bodies[b].to.rotation =
                    tl_quat_normalized(tl_quat_mul(tl_quat_euler(random_in(10)), bodies[b].to.rotation));
            }
            tl_contact_cloth cloth = {.p = &p,
                                      .x_old = x_old,
                                      .thickness = thickness,
                                      .friction = 1,
                                      .pressure = pressure,
                                      .rest_speed = (tl_real)0.1};
            tl_convex_contact_solve(&cloth, bodies, count, dt);
            touched += cloth.touching;
            check_none_inside(bodies, count, thickness);
        }
    }
    assert_true(touched > 10000);
}

/* Slow particles must not be thrown far by the last resort: what ends inside came from a neighbour's reach. */
static void the_way_out_is_short_for_slow_particles(void **state)
{
    (void)state;
    tl_particles p = {.count = COUNT, .x = {x[0], x[1], x[2]}, .v = {v[0], v[1], v[2]}, .m = m, .w = w};
    tl_real *x_old[3] = {old[0], old[1], old[2]};
    for (int round = 0; round < 60; ++round) {
        tl_contact_body bodies[3];
        for (int b = 0; b < 3; ++b) {
            bodies[b] = random_body(false);
            bodies[b].from = bodies[b].to; /* standing still */
            bodies[b].restitution = 0;
        }
        for (int i = 0; i < COUNT; ++i) {
            /* start outside: out of the way of all bodies first */
            tl_put(p.x, i, random_in(1.2));
            tl_put(p.v, i, tl_v3(0, 0, 0));
            m[i] = (tl_real)0.1;
            w[i] = 10;
        }
        tl_contact_cloth cloth = {
            .p = &p, .x_old = x_old, .thickness = (tl_real)0.001, .friction = 1, .pressure = pressure};
        for (int step = 0; step < 20; ++step) {
            for (int k = 0; k < 3; ++k)
                memcpy(old[k], x[k], sizeof x[k]);
            for (int i = 0; i < COUNT && step; ++i)
                tl_put(p.x, i, tl_add(tl_at(p.x, i), random_in(0.01)));
            tl_convex_contact_solve(&cloth, bodies, 3, (tl_real)0.01);
            check_none_inside(bodies, 3, (tl_real)0.001);
            for (int i = 0; i < COUNT && step; ++i)
                assert_true((double)tl_length(tl_sub(tl_at(p.x, i), tl_at(x_old, i))) < 0.05);
        }
    }
}

/* A ball flies past a particle while the particle's own way ends inside the ball: where it was is behind the ball now,
   and going back there would be to go through it. */
static void what_a_body_passed_over_is_no_way_back(void **state)
{
    (void)state;
    tl_contact_body ball = {.shape = &tl_shape_sphere, .size = tl_v3((tl_real)0.5, 0, 0)};
    ball.from = (tl_pose){tl_v3(-2, 0, 0), tl_quat_identity()};
    ball.to = (tl_pose){tl_v3(2, 0, 0), tl_quat_identity()};
    tl_vec3 start = tl_v3(0, 0, 0), end = tl_v3((tl_real)2.2, 0, 0);
    tl_vec3 out = tl_escape_bodies(&ball, 1, (tl_real)0.01, start, end);
    assert_true(out.x >= (tl_real)2.5);
    /* a ball that comes from the other side has not */
    ball.from.position = tl_v3(5, 0, 0);
    out = tl_escape_bodies(&ball, 1, (tl_real)0.01, start, end);
    assert_true(tl_length(tl_sub(out, start)) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_free_particle_ends_inside),
        cmocka_unit_test(the_way_out_is_short_for_slow_particles),
        cmocka_unit_test(what_a_body_passed_over_is_no_way_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
