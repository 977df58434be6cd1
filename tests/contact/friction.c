/* Response and friction, on single particles under the four explicit integrators: the laws of docs/validation.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "collide/shapes/shapes.h"
#include "contact/body/prepared_body.h"
#include "contact/contact_method.h"
#include "core/trig.h"

#include <stdio.h>

#define G ((tl_real)9.81)
#define DT ((tl_real)1 / 600)
#define THICKNESS ((tl_real)0.002)

typedef enum integrator { SEMI_IMPLICIT, VERLET, EXPLICIT, KINEMATIC, INTEGRATORS } integrator;

/* One particle with everything contact needs. */
typedef struct drop {
    tl_real x[3][16], v[3][16], f[3][16], old[3][16], m[16], w[16], pressure[16];
    tl_real *x_old[3];
    tl_particles p;
    tl_contact_cloth cloth;
} drop;

static void drop_init(drop *d, tl_vec3 x, tl_vec3 v, tl_real friction)
{
    *d = (drop){0};
    d->p.count = 1;
    for (int k = 0; k < 3; ++k) {
        d->p.x[k] = d->x[k];
        d->p.v[k] = d->v[k];
        d->p.f[k] = d->f[k];
        d->x_old[k] = d->old[k];
    }
    d->p.m = d->m;
    d->p.w = d->w;
    d->m[0] = (tl_real)0.25;
    d->w[0] = 4;
    tl_put(d->p.x, 0, x);
    tl_put(d->p.v, 0, v);
    d->cloth = (tl_contact_cloth){.p = &d->p,
                                  .x_old = d->x_old,
                                  .thickness = THICKNESS,
                                  .friction = friction,
                                  .pressure = d->pressure,
                                  .rest_speed = (tl_real)0.1};
}

/* Verlet keeps the velocity of the half step; with a constant force that is the semi-implicit update, started half a
   step earlier, so it is run through positions here: x + (x − x_before) + a dt². */
static void drop_step(drop *d, integrator kind, tl_contact_body *bodies, int count, tl_vec3 a, tl_real dt)
{
    tl_vec3 x = tl_at(d->p.x, 0), v = tl_at(d->p.v, 0);
    tl_put(d->x_old, 0, x);
    if (kind == SEMI_IMPLICIT) {
        v = tl_madd(v, a, dt);
        x = tl_madd(x, v, dt);
    } else if (kind == VERLET) {
        tl_vec3 next = tl_add(x, tl_madd(tl_scale(v, dt), a, dt * dt));
        v = tl_scale(tl_sub(next, x), 1 / dt);
        x = next;
    } else if (kind == EXPLICIT) {
        x = tl_madd(x, v, dt);
        v = tl_madd(v, a, dt);
    } else {
        x = tl_madd(tl_madd(x, v, dt), a, dt * dt / 2);
        v = tl_madd(v, a, dt);
    }
    tl_put(d->p.x, 0, x);
    tl_put(d->p.v, 0, v);
    tl_convex_contact_solve(&d->cloth, bodies, count, dt);
}

static tl_contact_body body_at(const char *shape, tl_vec3 size, tl_pose pose, tl_real friction)
{
    return (tl_contact_body){
        .shape = tl_shape_find(shape), .size = size, .from = pose, .to = pose, .friction = friction};
}

/* A slope of `degrees` about z, as a plane or as the top of a turned box; `top` is a point on its surface. */
static tl_contact_body slope(bool box, double degrees, tl_real friction, tl_vec3 *top, tl_vec3 *normal, tl_vec3 *down)
{
    tl_pose pose = {tl_v3((tl_real)0.3, (tl_real)0.7, (tl_real)-0.4),
                    tl_quat_euler(tl_v3(0, box ? 30 : 0, (tl_real)degrees))};
    *normal = tl_rotate(pose.rotation, tl_v3(0, 1, 0));
    tl_vec3 g = tl_v3(0, -1, 0);
    *down = tl_normalized(tl_madd(g, *normal, -tl_dot(g, *normal)));
    *top = tl_pose_apply(pose, tl_v3((tl_real)0.1, box ? (tl_real)0.2 : 0, (tl_real)0.2));
    return body_at(box ? "box" : "plane", tl_v3(200, (tl_real)0.4, 200), pose, friction);
}

static void slope_holds_what_friction_can_hold(void **state)
{
    (void)state;
    for (int box = 0; box < 2; ++box)
        for (integrator kind = 0; kind < INTEGRATORS; ++kind)
            for (int degrees = 5; degrees <= 65; degrees += 12) {
                double tangent = tl_sin(degrees * TL_PI / 180) / tl_cos(degrees * TL_PI / 180);
                tl_vec3 top, n, down;
                drop d;
                /* just enough friction: 10 s without creep, and at rest */
                tl_contact_body body = slope(box, degrees, 1, &top, &n, &down);
                drop_init(&d, tl_madd(top, n, THICKNESS), tl_v3(0, 0, 0), (tl_real)(tangent + 0.01));
                tl_vec3 start = tl_at(d.p.x, 0);
                for (int k = 0; k < 6000; ++k)
                    drop_step(&d, kind, &body, 1, tl_v3(0, -G, 0), DT);
                assert_true((double)tl_length(tl_sub(tl_at(d.p.x, 0), start)) < 1e-4);
                assert_true(tl_length(tl_at(d.p.v, 0)) == 0);
                assert_int_equal(d.cloth.touching, 1);
                /* slightly too little: slides */
                body = slope(box, degrees, 1, &top, &n, &down);
                drop_init(&d, tl_madd(top, n, THICKNESS), tl_v3(0, 0, 0), (tl_real)(tangent - 0.01));
                for (int k = 0; k < 600; ++k)
                    drop_step(&d, kind, &body, 1, tl_v3(0, -G, 0), DT);
                double gained = (double)tl_dot(tl_at(d.p.v, 0), down), cosine = tl_cos(degrees * TL_PI / 180);
                assert_true(fabs(gained - 0.01 * 9.81 * cosine) < 0.3 * 0.01 * 9.81 * cosine);
            }
}

static void slope_accelerates_by_gravity_less_friction(void **state)
{
    (void)state;
    static const double friction[] = {0, 0.1, 0.3, 0.5};
    for (int box = 0; box < 2; ++box)
        for (integrator kind = 0; kind < INTEGRATORS; ++kind)
            for (int m = 0; m < 4; ++m) {
                double angle = 35 * TL_PI / 180, expected = 9.81 * (tl_sin(angle) - friction[m] * tl_cos(angle));
                tl_vec3 top, n, down;
                drop d;
                tl_contact_body body = slope(box, 35, (tl_real)0.5, &top, &n, &down);
                drop_init(&d, tl_madd(top, n, THICKNESS), tl_v3(0, 0, 0), (tl_real)(2 * friction[m]));
                tl_vec3 start = tl_at(d.p.x, 0);
                for (int k = 0; k < 1200; ++k)
                    drop_step(&d, kind, &body, 1, tl_v3(0, -G, 0), DT);
                double speed = (double)tl_dot(tl_at(d.p.v, 0), down),
                       distance = (double)tl_dot(tl_sub(tl_at(d.p.x, 0), start), down);
                assert_true(fabs(speed / (2 * expected) - 1) < 0.01);
                assert_true(fabs(distance / (2 * expected) - 1) < 0.01);
                /* it stays on the slope */
                assert_true(fabs((double)tl_dot(tl_sub(tl_at(d.p.x, 0), start), n)) < 1e-4);
                /* and presses on it with its weight: m g cos θ times 2 s */
                assert_true(fabs((double)d.pressure[0] / (0.25 * 9.81 * tl_cos(angle) * 2) - 1) < 0.01);
            }
}

static void the_two_classic_responses_are_the_limits_of_friction(void **state)
{
    (void)state;
    tl_pose pose = {{0, 0, 0}, {0, 0, 0, 1}};
    drop d;
    /* infinite friction stops at the point of entry */
    tl_contact_body floor = body_at("plane", tl_v3(0, 0, 0), pose, (tl_real)INFINITY);
    drop_init(&d, tl_v3(0, 1 + THICKNESS, 0), tl_v3(3, -4, 0), 1);
    drop_step(&d, SEMI_IMPLICIT, &floor, 1, tl_v3(0, 0, 0), (tl_real)0.5);
    assert_float_equal(d.x[0][0], 0.75, 1e-5);
    assert_float_equal(d.x[1][0], THICKNESS, 1e-6);
    assert_true(tl_length(tl_at(d.p.v, 0)) == 0);
    /* no friction projects along the normal */
    floor.friction = 0;
    drop_init(&d, tl_v3(0, 1 + THICKNESS, 0), tl_v3(3, -4, 0), (tl_real)INFINITY);
    drop_step(&d, SEMI_IMPLICIT, &floor, 1, tl_v3(0, 0, 0), (tl_real)0.5);
    assert_float_equal(d.x[0][0], 1.5, 1e-5);
    assert_float_equal(d.x[1][0], THICKNESS, 1e-6);
    assert_true(d.v[0][0] == 3 && d.v[1][0] == 0);
}

static void bounce_keeps_the_fraction_given_by_restitution(void **state)
{
    (void)state;
    tl_pose pose = {{0, 0, 0}, {0, 0, 0, 1}};
    for (int k = 0; k <= 4; ++k) {
        drop d;
        tl_contact_body ball = body_at("sphere", tl_v3(1, 0, 0), pose, 0);
        ball.restitution = (tl_real)k / 4;
        drop_init(&d, tl_v3(0, (tl_real)1.01, 0), tl_v3(1, -8, 0), 1);
        drop_step(&d, SEMI_IMPLICIT, &ball, 1, tl_v3(0, 0, 0), DT);
        assert_true(fabs((double)tl_length(tl_at(d.p.v, 0)) - sqrt(1 + 64 * (double)(k * k) / 16)) < 0.05);
        /* action = reaction, and its moment about the ball's centre vanishes without friction */
        assert_true(fabs((double)ball.impulse.y + 2 * (1 + k / 4.0)) < 0.05);
        assert_true((double)tl_length(ball.moment) < 1e-6);
    }
    /* below the resting speed there is no bounce */
    drop d;
    tl_contact_body floor = body_at("plane", tl_v3(0, 0, 0), pose, 0);
    floor.restitution = 1;
    drop_init(&d, tl_v3(0, THICKNESS, 0), tl_v3(0, (tl_real)-0.09, 0), 1);
    drop_step(&d, SEMI_IMPLICIT, &floor, 1, tl_v3(0, 0, 0), DT);
    assert_true(d.v[1][0] == 0);
}

static void rest_is_quiet(void **state)
{
    (void)state;
    tl_pose pose = {{(tl_real)0.1, (tl_real)0.2, (tl_real)0.3}, tl_quat_euler(tl_v3(10, 20, 30))};
    static const char *shapes[] = {"sphere", "ellipsoid", "capsule", "box"};
    for (int s = 0; s < 4; ++s)
        for (integrator kind = 0; kind < INTEGRATORS; ++kind) {
            drop d;
            tl_contact_body body = body_at(shapes[s], tl_v3((tl_real)0.5, (tl_real)0.6, (tl_real)0.7), pose, 1);
            body.restitution = (tl_real)0.3;
            drop_init(&d, tl_v3((tl_real)0.12, 2, (tl_real)0.31), tl_v3(0, 0, 0), 1);
            for (int k = 0; k < 3000; ++k)
                drop_step(&d, kind, &body, 1, tl_v3(0, -G, 0), DT);
            tl_vec3 x = tl_at(d.p.x, 0);
            for (int k = 0; k < 600; ++k) {
                drop_step(&d, kind, &body, 1, tl_v3(0, -G, 0), DT);
                assert_true(tl_length(tl_at(d.p.v, 0)) == 0);
                assert_true(tl_length(tl_sub(tl_at(d.p.x, 0), x)) == 0);
            }
        }
}

static void a_moving_body_carries_what_sticks(void **state)
{
    (void)state;
    for (integrator kind = 0; kind < INTEGRATORS; ++kind) {
        drop d;
        tl_pose pose = {{0, 0, 0}, tl_quat_euler(tl_v3(0, 20, 10))};
        tl_contact_body body = body_at("box", tl_v3(2, (tl_real)0.2, 2), pose, 1);
        tl_vec3 local = tl_v3((tl_real)0.3, (tl_real)0.1 + THICKNESS, (tl_real)-0.2),
                v = tl_v3(1, (tl_real)0.5, (tl_real)-0.25);
        drop_init(&d, tl_pose_apply(pose, local), v, (tl_real)0.5);
        for (int k = 0; k < 600; ++k) {
            body.from = body.to;
            body.to.position = tl_madd(body.to.position, v, DT);
            drop_step(&d, kind, &body, 1, tl_v3(0, -G, 0), DT);
        }
        tl_vec3 drift = tl_sub(tl_pose_undo(body.to, tl_at(d.p.x, 0)), local);
        assert_true((double)tl_length(drift) < 1e-4);
        assert_true((double)tl_length(tl_sub(tl_at(d.p.v, 0), v)) < 1e-3);
    }
}

/* From rest on a belt that runs at 2 m/s: gains μ g until it moves with the belt. */
static void a_belt_drags_by_friction(void **state)
{
    (void)state;
    drop d;
    tl_pose pose = {{0, 0, 0}, {0, 0, 0, 1}};
    tl_contact_body belt = body_at("plane", tl_v3(0, 0, 0), pose, 1);
    drop_init(&d, tl_v3(0, THICKNESS, 0), tl_v3(0, 0, 0), (tl_real)0.2);
    for (int k = 0; k < 300; ++k) {
        belt.from = belt.to;
        belt.to.position.x += 2 * DT;
        drop_step(&d, SEMI_IMPLICIT, &belt, 1, tl_v3(0, -G, 0), DT);
    }
    assert_true(fabs((double)d.v[0][0] / (0.2 * 9.81 * 0.5) - 1) < 0.01);
    for (int k = 0; k < 600; ++k) {
        belt.from = belt.to;
        belt.to.position.x += 2 * DT;
        drop_step(&d, SEMI_IMPLICIT, &belt, 1, tl_v3(0, -G, 0), DT);
    }
    assert_true(fabs((double)d.v[0][0] - 2) < 1e-3);
}

/* On a turning disc a particle stays iff ω² r ≤ μ g. */
static void a_turning_disc_carries_what_friction_can_hold(void **state)
{
    (void)state;
    for (integrator kind = 0; kind < INTEGRATORS; ++kind)
        for (int slips = 0; slips < 2; ++slips) {
            drop d;
            tl_real omega = 3, r = (tl_real)0.5, limit = omega * omega * r / G;
            tl_pose pose = {{(tl_real)0.2, 0, 0}, {0, 0, 0, 1}};
            tl_contact_body disc = body_at("box", tl_v3(4, (tl_real)0.1, 4), pose, 1);
            tl_vec3 local = tl_v3(r, (tl_real)0.05 + THICKNESS, 0);
            drop_init(&d, tl_pose_apply(pose, local), tl_v3(0, 0, -omega * r),
                      limit * (slips ? (tl_real)0.95 : (tl_real)1.05));
            double angle = 0;
            for (int k = 0; k < 1200; ++k) {
                angle += (double)(omega * DT);
                disc.from = disc.to;
                disc.to.rotation = (tl_quat){0, (tl_real)tl_sin(angle / 2), 0, (tl_real)tl_cos(angle / 2)};
                drop_step(&d, kind, &disc, 1, tl_v3(0, -G, 0), DT);
            }
            tl_vec3 at = tl_pose_undo(disc.to, tl_at(d.p.x, 0));
            if (slips)
                assert_true((double)tl_length(tl_sub(at, local)) > 0.1);
            else
                /* explicit Euler leaves every circle by ω² r dt each second: no depth, so nothing friction could hold
                 */
                assert_true((double)tl_length(tl_sub(at, local)) < (kind == EXPLICIT ? 0.0153 : 1e-5));
        }
}

static void nothing_tunnels_through_a_thin_box(void **state)
{
    (void)state;
    for (int fast = 1; fast <= 100; ++fast)
        for (int turned = 0; turned < 2; ++turned) {
            drop d;
            tl_pose pose = {{0, 1, 0}, tl_quat_euler(tl_v3(turned ? 25 : 0, 0, turned ? 40 : 0))};
            tl_contact_body plate = body_at("box", tl_v3(4, (tl_real)0.001, 4), pose, (tl_real)0.3);
            drop_init(&d, tl_v3((tl_real)0.1, (tl_real)1.6, (tl_real)0.1), tl_v3(0, (tl_real)-fast, 0), 1);
            for (int k = 0; k < 200; ++k) {
                drop_step(&d, SEMI_IMPLICIT, &plate, 1, tl_v3(0, -G, 0), (tl_real)1 / 60);
                tl_vec3 local = tl_pose_undo(pose, tl_at(d.p.x, 0));
                if (fabs(local.x) > 2 || fabs(local.z) > 2)
                    break; /* slid over the rim */
                assert_true((double)local.y > 0.0005 + (double)THICKNESS - 1e-5);
            }
        }
}

/* The plate hits a particle in free air and must carry it along. */
static void nothing_is_run_through_by_a_fast_body(void **state)
{
    (void)state;
    drop d;
    tl_pose pose = {{0, -1, 0}, {0, 0, 0, 1}};
    tl_contact_body plate = body_at("box", tl_v3(4, (tl_real)0.001, 4), pose, (tl_real)0.3);
    drop_init(&d, tl_v3(0, 0, 0), tl_v3(0, 0, 0), 1);
    for (int k = 0; k < 60; ++k) {
        plate.from = plate.to;
        plate.to.position.y += 100 / (tl_real)60;
        drop_step(&d, SEMI_IMPLICIT, &plate, 1, tl_v3(0, -G, 0), (tl_real)1 / 60);
        assert_true(d.x[1][0] > plate.to.position.y);
    }
    assert_true(fabs((double)d.v[1][0] - 100) < 1e-3);
}

static void a_wedge_of_two_planes_stops_and_holds(void **state)
{
    (void)state;
    for (int half = 15; half <= 75; half += 15) {
        drop d;
        tl_contact_body walls[2] = {
            body_at("plane", tl_v3(0, 0, 0), (tl_pose){{0, 0, 0}, tl_quat_euler(tl_v3(0, 0, (tl_real)(90 - half)))},
                    (tl_real)0.2),
            body_at("plane", tl_v3(0, 0, 0), (tl_pose){{0, 0, 0}, tl_quat_euler(tl_v3(0, 0, (tl_real)(half - 90)))},
                    (tl_real)0.2)};
        drop_init(&d, tl_v3((tl_real)0.02, 1, 0), tl_v3(0, 0, 0), 1);
        for (int k = 0; k < 6000; ++k) {
            drop_step(&d, SEMI_IMPLICIT, walls, 2, tl_v3(0, -G, 0), DT);
            for (int b = 0; b < 2; ++b) {
                tl_vec3 n;
                tl_real gap = walls[b].shape->distance(walls[b].size, tl_pose_undo(walls[b].to, tl_at(d.p.x, 0)), &n);
                assert_true(gap >= THICKNESS - tl_contact_tolerance(&walls[b], THICKNESS, tl_at(d.p.x, 0)));
            }
        }
        /* it came down to where both walls touch, and rests */
        assert_true((double)tl_length(tl_at(d.p.v, 0)) < 0.02);
        assert_true((double)d.x[1][0] < 0.02 + (double)THICKNESS / tl_sin(half * TL_PI / 180));
    }
}

static void pinned_particles_are_left_alone(void **state)
{
    (void)state;
    drop d;
    tl_contact_body floor = body_at("plane", tl_v3(0, 0, 0), (tl_pose){{0, 0, 0}, {0, 0, 0, 1}}, 1);
    drop_init(&d, tl_v3(0, -1, 0), tl_v3(0, -1, 0), 1);
    d.w[0] = 0;
    drop_step(&d, SEMI_IMPLICIT, &floor, 1, tl_v3(0, 0, 0), DT);
    assert_true(d.x[1][0] < -1 && d.v[1][0] == -1);
    assert_int_equal(d.cloth.touching, 0);
}

static void states_that_are_not_finite_pass_through(void **state)
{
    (void)state;
    drop d;
    tl_contact_body floor = body_at("plane", tl_v3(0, 0, 0), (tl_pose){{0, 0, 0}, {0, 0, 0, 1}}, 1);
    drop_init(&d, tl_v3(0, 1, 0), tl_v3(0, (tl_real)NAN, 0), 1);
    drop_step(&d, SEMI_IMPLICIT, &floor, 1, tl_v3(0, 0, 0), DT);
    assert_true(isnan(d.x[1][0]));
    assert_true(floor.impulse.y == 0);
}

static void contact_methods_are_found_by_name(void **state)
{
    (void)state;
    assert_false(tl_contact_find("none")->bodies);
    assert_true(tl_contact_find("bodies-only")->bodies);
    assert_null(tl_contact_find("ghost"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slope_holds_what_friction_can_hold),
        cmocka_unit_test(slope_accelerates_by_gravity_less_friction),
        cmocka_unit_test(the_two_classic_responses_are_the_limits_of_friction),
        cmocka_unit_test(bounce_keeps_the_fraction_given_by_restitution),
        cmocka_unit_test(rest_is_quiet),
        cmocka_unit_test(a_moving_body_carries_what_sticks),
        cmocka_unit_test(a_belt_drags_by_friction),
        cmocka_unit_test(a_turning_disc_carries_what_friction_can_hold),
        cmocka_unit_test(nothing_tunnels_through_a_thin_box),
        cmocka_unit_test(nothing_is_run_through_by_a_fast_body),
        cmocka_unit_test(a_wedge_of_two_planes_stops_and_holds),
        cmocka_unit_test(pinned_particles_are_left_alone),
        cmocka_unit_test(states_that_are_not_finite_pass_through),
        cmocka_unit_test(contact_methods_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
