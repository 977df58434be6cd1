/* Dynamic boxes: they rotate by their inertia, come to rest on other bodies, and exchange momentum with cloth and
   bodies. */
#include "world_testing.h"

static tl_body_def box_def(tl_vec3 at, tl_vec3 size, double mass)
{
    tl_body_def def = tl_body_def_default();
    def.shape = "box";
    def.position = at;
    def.size = size;
    def.mass = (tl_real)mass;
    def.restitution = 0;
    def.friction = (tl_real)0.7;
    return def;
}

static tl_body *add(tl_world *world, const tl_body_def *def)
{
    tl_body *body = tl_body_create(world, def);
    if (!body)
        fail_msg("%s", tl_last_error(world));
    return body;
}

static tl_world *weightless(void)
{
    tl_world *world = make_world();
    assert_int_equal(tl_world_set(world, "gravity", &(tl_value){TL_PARAM_VEC3, {0, 0, 0}, NULL}), TL_OK);
    return world;
}

static tl_vec3 cross(tl_vec3 a, tl_vec3 b)
{
    return v3((double)(a.y * b.z - a.z * b.y), (double)(a.z * b.x - a.x * b.z), (double)(a.x * b.y - a.y * b.x));
}

static tl_vec3 turned(tl_quat q, tl_vec3 a)
{
    tl_vec3 u = {q.x, q.y, q.z}, t = cross(u, a), s = cross(u, t);
    return v3((double)(a.x + 2 * (q.w * t.x + s.x)), (double)(a.y + 2 * (q.w * t.y + s.y)),
              (double)(a.z + 2 * (q.w * t.z + s.z)));
}

/* Angular momentum of a box about the origin. */
static tl_vec3 angular(const tl_body *body)
{
    const tl_body_def *def = tl_body_get_def(body);
    tl_vec3 x, v, w, s = def->size;
    tl_quat q;
    tl_body_pose(body, &x, &q);
    tl_body_velocity(body, &v, &w);
    tl_vec3 own = turned((tl_quat){-q.x, -q.y, -q.z, q.w}, w), orbit = cross(x, v);
    own = v3((double)(own.x * (s.y * s.y + s.z * s.z) / 12), (double)(own.y * (s.z * s.z + s.x * s.x) / 12),
             (double)(own.z * (s.x * s.x + s.y * s.y) / 12));
    own = turned(q, own);
    double m = (double)def->mass;
    return v3(m * (double)(own.x + orbit.x), m * (double)(own.y + orbit.y), m * (double)(own.z + orbit.z));
}

static double length(tl_vec3 a) { return sqrt((double)(a.x * a.x + a.y * a.y + a.z * a.z)); }

/* Hit off centre, a box flies and tumbles; both bodies conserve what they exchanged. */
static void boxes_keep_linear_and_angular_momentum(void **state)
{
    (void)state;
    tl_world *world = weightless();
    tl_body_def def = box_def(v3(0, 0, 0), v3(0.4, 0.2, 0.3), 2);
    def.rotation = v3(10, 20, 30);
    tl_body *a = add(world, &def);
    def = box_def(v3(0.1, 1, 0.08), v3(0.1, 0.2, 0.1), 0.5);
    def.rotation = v3(40, 0, 15);
    def.velocity = v3(0, -3, 0);
    tl_body *b = add(world, &def);
    tl_vec3 v, u, w;
    for (int f = 0; f < 120; ++f)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 240)), TL_OK);
    tl_body_velocity(a, &v, &w);
    tl_body_velocity(b, &u, NULL);
    assert_true(length(w) > 0.1); /* it was hit */
    assert_near(-1.5, 2 * (double)v.y + 0.5 * (double)u.y, 1e-5);
    assert_near(0, 2 * (double)v.x + 0.5 * (double)u.x, 1e-5);
    tl_vec3 la = angular(a), lb = angular(b);
    /* m x × v of b at the start; position correction moves the two a little, which the tolerance allows for */
    assert_near(0.5 * 3 * 0.08, (double)(la.x + lb.x), 6e-3);
    assert_near(-0.5 * 3 * 0.1, (double)(la.z + lb.z), 6e-3);
    tl_vec3 before = v3((double)(la.x + lb.x), (double)(la.y + lb.y), (double)(la.z + lb.z));
    for (int f = 0; f < 240; ++f)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 240)), TL_OK);
    la = angular(a), lb = angular(b); /* tumbling, and still touching now and then */
    assert_near((double)before.x, (double)(la.x + lb.x), 2e-3);
    assert_near((double)before.y, (double)(la.y + lb.y), 2e-3);
    assert_near((double)before.z, (double)(la.z + lb.z), 2e-3);
    tl_world_destroy(world);
}

/* Dropped on an edge: it falls over, comes to rest flat, and stays there. */
static void drop_and_rest(tl_world *world, double top)
{
    tl_body_def def = box_def(v3(0.1, top + 0.4, 0.2), v3(0.3, 0.1, 0.2), 1.5);
    def.rotation = v3(25, 10, 35);
    tl_body *box = add(world, &def);
    for (int f = 0; f < 360; ++f)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 240)), TL_OK);
    tl_vec3 x, y, v, w;
    tl_quat q;
    tl_body_pose(box, &x, &q);
    tl_body_velocity(box, &v, &w);
    assert_near(0, length(v), 2e-2);
    for (int f = 0; f < 240; ++f)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 240)), TL_OK);
    tl_body_pose(box, &y, &q);
    tl_vec3 up = turned(q, v3(0, 1, 0));
    assert_near(1, fabs((double)up.y), 1e-3);
    assert_near(top + 0.05, (double)y.y, 2e-3);
    assert_near((double)x.x, (double)y.x, 5e-3);
    assert_near((double)x.z, (double)y.z, 5e-3);
}

static void a_box_falls_over_and_rests_on_plane_box_and_mesh(void **state)
{
    (void)state;
    tl_mesh *mesh = square_mesh(3);
    for (int kind = 0; kind < 3; ++kind) {
        tl_world *world = make_world();
        tl_body_def floor = box_def(v3(0, 0, 0), v3(4, 0.2, 4), 0);
        floor.shape = kind == 0 ? "plane" : kind == 1 ? "box" : "mesh";
        floor.mesh = kind == 2 ? mesh : NULL;
        floor.solid = false;
        add(world, &floor);
        drop_and_rest(world, kind == 1 ? 0.1 : 0);
        tl_world_destroy(world);
    }
    tl_mesh_destroy(mesh);
}

/* A crate slides on a board that slides on a frictionless floor: μ m g slows the crate and accelerates the board. */
static void friction_between_dynamic_boxes_is_coulombs(void **state)
{
    (void)state;
    const double friction = 0.2, g = 9.81, speed = 2, time = 0.5, crate_mass = 0.5, board_mass = 2;
    tl_world *world = make_world();
    tl_body_def floor = box_def(v3(0, 0, 0), v3(1, 1, 1), 0);
    floor.shape = "plane";
    floor.friction = 0;
    add(world, &floor);
    tl_body_def def = box_def(v3(0, 0.1, 0), v3(4, 0.2, 1), board_mass);
    def.friction = (tl_real)friction;
    tl_body *board = add(world, &def);
    def = box_def(v3(-1, 0.22, 0), v3(0.4, 0.04, 0.4), crate_mass);
    def.friction = 1;
    def.velocity = v3(speed, 0, 0);
    tl_body *crate = add(world, &def);
    for (int f = 0; f < (int)(time * 240); ++f)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 240)), TL_OK);
    tl_vec3 v, u;
    tl_body_velocity(crate, &v, NULL);
    tl_body_velocity(board, &u, NULL);
    double lost = friction * g * time, gained = lost * crate_mass / board_mass;
    assert_near(speed - lost, (double)v.x, 0.02 * lost);
    assert_near(gained, (double)u.x, 0.02 * gained);
    tl_world_destroy(world);
}

/* 100 m/s at a thin board and a thin mesh, as a ball and as a box. */
static void fast_bodies_do_not_pass_through_thin_ones(void **state)
{
    (void)state;
    tl_mesh *mesh = square_mesh(2);
    for (int kind = 0; kind < 4; ++kind) {
        tl_world *world = weightless();
        tl_body_def wall = box_def(v3(0, 0, 0), v3(4, 0.005, 4), 0);
        wall.shape = kind % 2 ? "mesh" : "box";
        wall.mesh = kind % 2 ? mesh : NULL;
        wall.solid = false;
        add(world, &wall);
        tl_body_def def = box_def(v3(0.1, 1, 0.2), v3(0.06, 0.04, 0.05), 1);
        def.shape = kind < 2 ? "box" : "sphere";
        def.velocity = v3(7, -100, 3);
        def.rotation = v3(5, 6, 7);
        tl_body *body = add(world, &def);
        for (int f = 0; f < 10; ++f) {
            assert_int_equal(tl_world_step(world, FRAME), TL_OK);
            tl_vec3 x;
            tl_body_pose(body, &x, NULL);
            assert_true(x.y > (tl_real)0.015);
        }
        tl_world_destroy(world);
    }
    tl_mesh_destroy(mesh);
}

/* A sheet without elements hits a box off centre: linear and angular momentum of both are conserved, and with
   restitution 1 the energy. */
static void cloth_and_box_exchange_momentum(void **state)
{
    (void)state;
    for (int elastic = 0; elastic < 2; ++elastic) {
        tl_world *world = weightless();
        tl_body_def def = box_def(v3(0, 0, 0), v3(0.3, 0.1, 0.2), 0.5);
        def.restitution = (tl_real)elastic;
        def.friction = elastic ? 0 : (tl_real)0.5;
        def.rotation = v3(0, 20, 0);
        tl_body *box = add(world, &def);
        tl_cloth_def sheet = soft_sheet(3, 3, (tl_real)0.05, (tl_real)0.05);
        sheet.plane = "horizontal";
        sheet.center = v3(0.08, 0.2, 0.03);
        sheet.particle_mass = (tl_real)0.01;
        sheet.thickness = 0;
        sheet.air = "off";
        sheet.material = "custom";
        memset(&sheet.elements, 0, sizeof sheet.elements);
        tl_cloth *cloth = make_cloth(world, &sheet);
        tl_vec3 v[9], u, w, given, moment;
        for (int i = 0; i < 9; ++i)
            v[i] = v3(0.4, -2, 0.1);
        assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
        tl_vec3 p = tl_cloth_momentum(cloth), l = tl_cloth_angular_momentum(cloth), sum = {0, 0, 0}, turn = {0, 0, 0};
        double energy = tl_cloth_energies(cloth).kinetic;
        for (int f = 0; f < 80; ++f) {
            assert_int_equal(tl_world_step(world, (tl_real)0.0025), TL_OK);
            tl_body_impulse(box, &given, &moment);
            sum = v3((double)(sum.x + given.x), (double)(sum.y + given.y), (double)(sum.z + given.z));
            turn = v3((double)(turn.x + moment.x), (double)(turn.y + moment.y), (double)(turn.z + moment.z));
        }
        tl_body_velocity(box, &u, &w);
        assert_true(u.y < 0 && length(w) > 0.5);
        tl_vec3 q = tl_cloth_momentum(cloth), own = angular(box), m = tl_cloth_angular_momentum(cloth);
        assert_near((double)p.x, (double)q.x + 0.5 * (double)u.x, 2e-6);
        assert_near((double)p.y, (double)q.y + 0.5 * (double)u.y, 2e-6);
        /* the reported impulse is the one applied */
        assert_near(0.5 * (double)u.y, (double)sum.y, 2e-6);
        assert_near(0.5 * (double)u.x, (double)sum.x, 2e-6);
        assert_true(length(turn) > 0);
        /* the particle is projected onto the surface, the impulse acts there */
        assert_near((double)l.x, (double)(own.x + m.x), 2e-4);
        assert_near((double)l.z, (double)(own.z + m.z), 2e-4);
        if (elastic) {
            tl_quat pose;
            tl_body_pose(box, NULL, &pose);
            tl_vec3 b = turned((tl_quat){-pose.x, -pose.y, -pose.z, pose.w}, w);
            double turning = 0.5 * 0.5 / 12 *
                             ((double)(b.x * b.x) * (0.01 + 0.04) + (double)(b.y * b.y) * (0.04 + 0.09) +
                              (double)(b.z * b.z) * (0.09 + 0.01));
            double after =
                tl_cloth_energies(cloth).kinetic + 0.25 * (double)(u.x * u.x + u.y * u.y + u.z * u.z) + turning;
            assert_near(energy, after, 2e-4 * energy);
        }
        tl_world_destroy(world);
    }
}

/* A box in a net, restored from a snapshot: the same bits. */
static void a_box_in_a_net_goes_on_from_a_snapshot_exactly(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(17, 17, 1, 1);
    tl_pin_def pins[4];
    pin_all_edges(pins);
    def.plane = "horizontal";
    def.center = v3(0, 0, 0);
    def.pins = pins;
    def.pin_count = 4;
    def.stepper = "xpbd";
    def.substeps = 20;
    def.friction = (tl_real)0.5;
    make_cloth(world, &def);
    tl_body_def box = box_def(v3(0.05, 0.35, 0.02), v3(0.3, 0.15, 0.2), 0.4);
    box.rotation = v3(20, 10, 30);
    tl_body *body = add(world, &box);
    run_frames(world, 25);
    size_t size = tl_world_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(tl_world_save(world, bytes, size), TL_OK);
    run_frames(world, 20);
    uint64_t there = tl_world_hash(world);
    assert_int_equal(tl_world_restore(world, bytes, size), TL_OK);
    run_frames(world, 20);
    assert_true(tl_world_hash(world) == there);
    run_frames(world, 60);
    tl_vec3 x;
    tl_body_pose(body, &x, NULL);
    assert_true(x.y > (tl_real)-0.4 && x.y < (tl_real)0.25); /* caught */
    free(bytes);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_keep_linear_and_angular_momentum),
        cmocka_unit_test(a_box_falls_over_and_rests_on_plane_box_and_mesh),
        cmocka_unit_test(friction_between_dynamic_boxes_is_coulombs),
        cmocka_unit_test(fast_bodies_do_not_pass_through_thin_ones),
        cmocka_unit_test(cloth_and_box_exchange_momentum),
        cmocka_unit_test(a_box_in_a_net_goes_on_from_a_snapshot_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
