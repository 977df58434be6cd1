/* Implicit steppers with one step a frame: measured denim falls on bodies and stays within its strain limit, and
   friction in the solve is Coulomb's. */
#include "world_testing.h"

#include <math.h>

static const char *const implicit_names[] = {"implicit-euler", "bdf2"};
static const double WARP = 0.065, WEFT = 0.04; /* strain limits */

enum { SIDE = 17 };

static void stiffen(tl_cloth *cloth, double times)
{
    tl_element_def warp = tl_cloth_get_def(cloth)->elements.membrane_warp;
    tl_element_def weft = tl_cloth_get_def(cloth)->elements.membrane_weft;
    assert_int_equal(set_real(cloth, "membrane.warp.stiffness", times * (double)warp.stiffness), TL_OK);
    assert_int_equal(set_real(cloth, "membrane.weft.stiffness", times * (double)weft.stiffness), TL_OK);
}

/* A sheet of denim with its strain limits, one step a frame. */
static tl_cloth_def denim(const char *stepper)
{
    tl_cloth_def def = tl_cloth_def_grid(SIDE, SIDE, (tl_real)0.8, (tl_real)0.8);
    def.center = v3(0, 0.25, 0);
    def.fabric = "denim";
    def.stepper = stepper;
    def.substeps = 1;
    def.thickness = (tl_real)0.01;
    strcpy(def.schedule, "integrate (limit contact)*6");
    def.strain_limit = true;
    def.strain_limit_warp = (tl_real)WARP;
    def.strain_limit_weft = (tl_real)WEFT;
    def.strain_limit_passes = 20;
    return def;
}

static tl_cloth *drop_denim(tl_world *world, const char *stepper, double stiffer)
{
    tl_cloth_def def = denim(stepper);
    tl_cloth *cloth = make_cloth(world, &def);
    stiffen(cloth, stiffer);
    return cloth;
}

/* Largest stretch between neighbours `apart` vertices from each other. */
static double stretch(tl_cloth *cloth, int apart)
{
    const tl_vec3 *x = tl_cloth_positions(cloth);
    double most = 0;
    for (int k = 0; k + apart < SIDE * SIDE; ++k)
        if (apart > 1 || k % SIDE + 1 < SIDE) {
            double dx = (double)(x[k].x - x[k + apart].x), dy = (double)(x[k].y - x[k + apart].y),
                   dz = (double)(x[k].z - x[k + apart].z);
            most = fmax(most, sqrt(dx * dx + dy * dy + dz * dz) * (SIDE - 1) / 0.8 - 1);
        }
    return most;
}

/* Drops it and checks every frame: strain at most 2 % beyond the limit, and slow in the end. */
static void watch(tl_world *world, tl_cloth *cloth, double fps)
{
    double slowest = INFINITY;
    for (int f = 0; f < (int)fps; ++f) {
        assert_int_equal(tl_world_step(world, (tl_real)(1 / fps)), TL_OK);
        assert_true(stretch(cloth, 1) < WARP + 0.02);
        assert_true(stretch(cloth, SIDE) < WEFT + 0.02);
        if (f > 0.7 * fps)
            slowest = fmin(slowest, (double)tl_cloth_get_stats(cloth).largest_speed);
    }
    assert_true(slowest < 1);
}

static void denim_on_a_ball_takes_whole_frames(void **state)
{
    (void)state;
    static const double fps[] = {60, 30, 60, 30}, stiffer[] = {1, 1, 10, 10};
    for (int k = 0; k < 4; ++k) {
        tl_world *world = make_world();
        tl_cloth *cloth = drop_denim(world, implicit_names[k % 3 > 0], stiffer[k]);
        assert_non_null(tl_world_add_sphere(world, v3(0, 0, 0), (tl_real)0.2, (tl_real)0.4));
        watch(world, cloth, fps[k]);
        tl_world_destroy(world);
    }
}

static tl_body *add_mesh(tl_world *world, const tl_mesh *mesh)
{
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    def.mesh = mesh;
    tl_body *body = tl_body_create(world, &def);
    assert_non_null(body);
    return body;
}

/* A wedge mesh with a sharp ridge. */
static void denim_on_triangles_stays_outside(void **state)
{
    (void)state;
    tl_vec3 p[6] = {v3(-1, 0.2, 0),   v3(1, 0.2, 0),      v3(-1, -0.6, 0.4),
                    v3(1, -0.6, 0.4), v3(-1, -0.6, -0.4), v3(1, -0.6, -0.4)};
    static const int f[24] = {0, 2, 1, 1, 2, 3, 0, 1, 4, 1, 5, 4, 2, 4, 3, 3, 4, 5, 0, 4, 2, 1, 3, 5};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = 6, .triangles = f, .triangle_count = 8}, NULL, NULL);
    assert_non_null(mesh);
#ifdef TL_REAL_DOUBLE
    int steppers = 1; /* bdf2 is rejected here in double precision */
#else
    int steppers = 2;
#endif
    for (int s = 0; s < steppers; ++s) {
        tl_world *world = make_world();
        tl_cloth *cloth = drop_denim(world, implicit_names[s], 1);
        tl_body *body = add_mesh(world, mesh);
        watch(world, cloth, 60);
        tl_vec3 impulse, moment, normal;
        tl_body_impulse(body, &impulse, &moment);
        assert_true(impulse.y < 0); /* it carries the cloth */
        for (int v = 0; v < SIDE * SIDE; ++v)
            assert_true(tl_body_distance(body, tl_cloth_positions(cloth)[v], &normal) > 0.0099);
        tl_world_destroy(world);
    }
    tl_mesh_destroy(mesh);
}

/* A pyramid whose tip alone supports the sheet at first, like an ear of the bunny. */
static void denim_on_a_tip_keeps_its_limit(void **state)
{
    (void)state;
    tl_vec3 p[5] = {v3(0.01, 0.2, 0.02), v3(-0.2, -0.6, -0.2), v3(0.2, -0.6, -0.2), v3(0.2, -0.6, 0.2),
                    v3(-0.2, -0.6, 0.2)};
    static const int f[18] = {0, 2, 1, 0, 3, 2, 0, 4, 3, 0, 1, 4, 1, 2, 3, 1, 3, 4};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = 5, .triangles = f, .triangle_count = 6}, NULL, NULL);
    assert_non_null(mesh);
    for (int s = 0; s < 2; ++s) {
        tl_world *world = make_world();
        tl_cloth *cloth = drop_denim(world, implicit_names[s], 1);
        add_mesh(world, mesh);
        watch(world, cloth, 30);
        tl_world_destroy(world);
    }
    tl_mesh_destroy(mesh);
}

/* Cloth so soft that only the strain limit holds it hangs from its corners. If the solve ignores the limit, it is
   stretched and pulled back in every frame and oscillates at 0.15 to 0.25 m/s forever. */
static void soft_cloth_rests_at_its_limit(void **state)
{
    (void)state;
    enum { FRAMES = 150, LATE = 100 };
    static const char *const corners[4] = {"top-left", "top-right", "bottom-left", "bottom-right"};
    static const double softer[] = {0.1, 0.02};
    for (int k = 0; k < 2; ++k) {
        tl_world *world = make_world();
        tl_cloth_def def = denim("bdf2");
        tl_pin_def pins[4];
        for (int c = 0; c < 4; ++c) {
            pins[c] = tl_pin_def_default();
            pins[c].where = "corner";
            pins[c].name = corners[c];
        }
        def.pins = pins;
        def.pin_count = 4;
        tl_cloth *cloth = make_cloth(world, &def);
        stiffen(cloth, softer[k]);
        for (int f = 0; f < FRAMES; ++f) {
            assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 30)), TL_OK);
            assert_true(f < LATE || tl_cloth_get_stats(cloth).largest_speed < 0.03);
        }
        assert_true(stretch(cloth, 1) > WARP - 0.005 &&
                    stretch(cloth, 1) < WARP + 1e-3); /* the limit is what holds it */
        tl_world_destroy(world);
    }
}

/* A sheet a hundred times as stiff as denim hangs between two edges. One linear step a frame gets the stiffness across
   its threads from their directions, which must be the current ones: linearised at BDF2's x*, such a sheet oscillates
   at several m/s. */
static void stiff_hammock_comes_to_rest(void **state)
{
    (void)state;
    enum { FRAMES = 150, LATE = 100 };
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_grid(13, 13, (tl_real)0.34, (tl_real)0.34);
    tl_pin_def pins[4];
    pin_all_edges(pins);
    def.fabric = "denim";
    def.stepper = "bdf2";
    def.substeps = 1;
    def.pins = pins + 2; /* left and right */
    def.pin_count = 2;
    tl_cloth *cloth = make_cloth(world, &def);
    stiffen(cloth, 100);
    for (int f = 0; f < FRAMES; ++f) {
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 30)), TL_OK);
        assert_true(f < LATE || tl_cloth_get_stats(cloth).largest_speed < 1e-3);
    }
    tl_world_destroy(world);
}

/* Largest reversal of a particle's displacement of the previous frame, m. */
static double reversal(tl_cloth *cloth, tl_vec3 position[], tl_vec3 displacement[])
{
    const tl_vec3 *x = tl_cloth_positions(cloth);
    double most = 0;
    for (int i = 0; i < SIDE * SIDE; ++i) {
        tl_vec3 a = displacement[i], b = v3((double)(x[i].x - position[i].x), (double)(x[i].y - position[i].y),
                                            (double)(x[i].z - position[i].z));
        double back = -(double)(a.x * b.x + a.y * b.y + a.z * b.z);
        double longer = (double)fmax(a.x * a.x + a.y * a.y + a.z * a.z, b.x * b.x + b.y * b.y + b.z * b.z);
        most = back > 0 ? fmax(most, back / sqrt(longer)) : most;
        displacement[i] = b;
        position[i] = x[i];
    }
    return most;
}

/* Denim a hundred times as stiff lies over a ball, its hem on the floor. A contact that opened without being
   re-examined, or slid without friction, moved particles of the hem by 2 mm, and the next frame moved them back. */
static void stiff_hem_on_the_floor_stands_still(void **state)
{
    (void)state;
    enum { FRAMES = 300, LATE = 200 };
    for (int s = 0; s < 2; ++s) {
        static tl_vec3 position[SIDE * SIDE], displacement[SIDE * SIDE];
        tl_world *world = make_world();
        tl_body_def floor = tl_body_def_default();
        floor.shape = "plane";
        floor.friction = (tl_real)0.4;
        tl_cloth_def def = denim(implicit_names[s]);
        def.center = v3(0, 0.35, 0);
        tl_cloth *cloth = make_cloth(world, &def);
        stiffen(cloth, 100);
        assert_non_null(tl_world_add_sphere(world, v3(0, 0.15, 0), (tl_real)0.15, (tl_real)0.4));
        assert_non_null(tl_body_create(world, &floor));
        for (int f = 0; f < FRAMES; ++f) {
            assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 30)), TL_OK);
            double back = reversal(cloth, position, displacement);
            assert_true(f < LATE || back < 5e-4);
        }
        tl_world_destroy(world);
    }
}

/* A sheet falls from `height` metres on ground that rises at `lift` m/s, one step a frame. It hits the ground within a
   step: after that step it moves with the ground, and none of its fall remains to throw it off. */
static void land(const char *stepper, const tl_mesh *ground, double height, double lift)
{
    tl_world *world = make_world();
    tl_body_def floor = tl_body_def_default();
    floor.shape = ground ? "mesh" : "plane";
    floor.mesh = ground;
    floor.solid = false;
    floor.restitution = 0;
    tl_body *body = tl_body_create(world, &floor);
    assert_non_null(body);
    tl_cloth_def def = soft_sheet(5, 5, (tl_real)0.3, (tl_real)0.3);
    def.center = v3(0, height + 0.01, 0);
    def.stepper = stepper;
    def.substeps = 1;
    def.thickness = (tl_real)0.01;
    def.air = "off";
    tl_cloth *cloth = make_cloth(world, &def);
    bool landed = false;
    for (int f = 1; f <= 16; ++f) {
        double up = lift * f / 60;
        assert_int_equal(tl_body_move(body, v3(0, up, 0), (tl_quat){0, 0, 0, 1}), TL_OK);
        run_frames(world, 1);
        landed = landed || (double)tl_cloth_positions(cloth)[12].y < up + 0.01 + 1e-5;
        for (int i = 0; i < 25 && landed; ++i) {
            assert_near(up + 0.01, (double)tl_cloth_positions(cloth)[i].y, 1e-5);
            assert_near(lift, (double)tl_cloth_velocities(cloth)[i].y, 1e-3);
        }
    }
    assert_true(landed);
    tl_world_destroy(world);
}

static void landed_cloth_moves_with_the_ground(void **state)
{
    (void)state;
    tl_mesh *mesh = square_mesh(1);
    for (int s = 0; s < 2; ++s)
        for (int k = 0; k < 8; ++k)
            land(implicit_names[s], k % 2 ? mesh : NULL, 0.05 + 0.007 * k, k < 4 ? 0 : 0.2);
    tl_mesh_destroy(mesh);
}

/* Distance down a slope of 20° in a second, from rest. The box is large: its coordinates are rounded a lot. */
static double slide(const char *stepper, const char *shape, int substeps, int rounds, double friction)
{
    const double angle = 20 * 3.14159265358979 / 180;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(5, 5, (tl_real)0.4, (tl_real)0.4);
    tl_body_def slope = tl_body_def_default();
    def.rotation = slope.rotation = v3(0, 0, 20);
    def.center = v3(-sin(angle) * (double)def.thickness, cos(angle) * (double)def.thickness, 0);
    def.stepper = stepper;
    def.substeps = substeps;
    def.newton = rounds;
    def.solver_tolerance = (tl_real)1e-6;
    def.air = "off";
    def.elements.link_structural = (tl_element_def){true, 10, (tl_real)0.05};
    slope.shape = shape;
    slope.friction = (tl_real)friction;
    if (strcmp(shape, "box") == 0) { /* its upper face goes through the origin */
        slope.size = v3(40, 2, 4);
        slope.position = v3(sin(angle), -cos(angle), 0);
    }
    tl_cloth *cloth = make_cloth(world, &def);
    assert_non_null(tl_body_create(world, &slope));
    tl_vec3 from = tl_cloth_positions(cloth)[12];
    for (int k = 0; k < 60; ++k)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 60)), TL_OK);
    tl_vec3 to = tl_cloth_positions(cloth)[12];
    double displacement = cos(angle) * (double)(from.x - to.x) + sin(angle) * (double)(from.y - to.y);
    tl_world_destroy(world);
    return displacement;
}

static void friction_is_coulombs_within_the_solve(void **state)
{
    (void)state;
    const double angle = 20 * 3.14159265358979 / 180;
    for (int s = 0; s < 2; ++s) {
        double displacement = 0.5 * 9.81 * (sin(angle) - 0.1 * cos(angle));
        assert_true(fabs(slide(implicit_names[s], "plane", 4, 20, 0.1) - displacement) < 0.02 * displacement);
        assert_true(fabs(slide(implicit_names[s], "plane", 4, 20, tan(angle) + 0.01)) < 1e-5);
    }
}

/* Barely sliding, on a surface whose distance has rounding error: that must not add normal force. The net pull is a
   thirty-sixth of gravity's, so a tenth of the distance is a third of a per cent of the friction. */
static void rounding_of_gaps_does_not_change_friction(void **state)
{
    (void)state;
    const double angle = 20 * 3.14159265358979 / 180, displacement = 0.5 * 9.81 * 0.01 * cos(angle);
    for (int s = 0; s < 2; ++s)
        assert_true(fabs(slide(implicit_names[s], "box", 8, 20, tan(angle) - 0.01) - displacement) <
                    0.1 * displacement);
}

/* The initial drag of a step must not stop slow sliding; a single Newton iteration has no second guess. */
static void one_newton_iteration_keeps_contacts_sliding(void **state)
{
    (void)state;
    const double angle = 20 * 3.14159265358979 / 180, displacement = 0.5 * 9.81 * 0.01 * cos(angle);
    for (int s = 0; s < 2; ++s)
        assert_true(fabs(slide(implicit_names[s], "plane", 8, 1, tan(angle) - 0.01) - displacement) <
                    0.5 * displacement);
}

/* Particles without links are thrown on a frictionless floor and on one that never slips. Their impact is not an
   acceleration that carries over, wherever in the substep it occurs: they neither leave the floor nor the point where
   they stuck, and press no more than at rest. */
static void impacts_leave_no_motion_behind(void **state)
{
    (void)state;
    for (int s = 0; s < 2; ++s)
        for (int sticks = 0; sticks < 2; ++sticks)
            for (int phase = 0; phase < 4; ++phase) {
                tl_world *world = make_world();
                assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), sticks ? 100 : 0));
                tl_cloth_def def = soft_sheet(2, 2, (tl_real)0.2, (tl_real)0.2);
                def.stepper = implicit_names[s];
                def.substeps = 1;
                def.center = v3(0, 0.05 + 0.002 * phase, 0);
                def.air = "off";
                def.friction = 1;
                def.material = "custom";
                memset(&def.elements, 0, sizeof def.elements);
                tl_cloth *cloth = make_cloth(world, &def);
                const tl_vec3 v[4] = {v3(2, 0, 0), v3(2, 0, 0), v3(2, 0, 0), v3(2, 0, 0)};
                assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
                bool met = false;
                double there = 0, first = 0; /* N, force in the frame after the impact */
                for (int f = 0; f < 30; ++f) {
                    assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 120)), TL_OK);
                    tl_vec3 x = tl_cloth_positions(cloth)[0];
                    if (met) {
                        first = first > 0 ? first : (double)tl_cloth_contact_forces(cloth)[0];
                        assert_near((double)def.thickness, (double)x.y, 1e-5);
                        assert_near(there + (sticks ? 0 : 2.0 / 120), (double)x.x, 1e-5);
                    }
                    met = met || tl_cloth_get_stats(cloth).contacts > 0;
                    there = (double)x.x;
                }
                assert_true(met);
                assert_near((double)tl_cloth_contact_forces(cloth)[0], first, 0.01 * first);
                tl_world_destroy(world);
            }
}

/* A sheet thrown about without gravity, ten times as stiff as denim. */
static void constant_matrix_gains_no_energy(void **state)
{
    (void)state;
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = v3(0, 0, 0);
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    tl_cloth_def def = tl_cloth_def_grid(SIDE, SIDE, (tl_real)0.8, (tl_real)0.8);
    def.fabric = "twill";
    def.stepper = "constant-jacobian";
    def.substeps = 1;
    def.solver_tolerance = (tl_real)1e-4;
    def.air = "off";
    tl_cloth *cloth = make_cloth(world, &def);
    tl_vec3 v[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; ++k)
        v[k] = v3(sin(k), 2 * cos(3 * k), (k % SIDE) * 0.3);
    assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
    double before = tl_cloth_energies(cloth).kinetic;
    tl_vec3 momentum = tl_cloth_momentum(cloth);
    for (int f = 0; f < 20; ++f) {
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 30)), TL_OK);
        tl_energies now = tl_cloth_energies(cloth);
        assert_true(now.kinetic + now.elastic < before * 1.0001);
        before = now.kinetic + now.elastic;
    }
    assert_near((double)momentum.z, (double)tl_cloth_momentum(cloth).z,
                0.01 * (double)momentum.z); /* within the solver tolerance */
    assert_true(before > 0);
    tl_world_destroy(world);
}

/* Crumpled into a corner of three bodies, many layers. */
static void approximations_survive_contact(void **state)
{
    (void)state;
    static const char *const names[] = {"constant-jacobian", "thin-objects"};
    for (int s = 0; s < 2; ++s) {
        tl_world *world = make_world();
        tl_cloth *cloth = drop_denim(world, names[s], 10);
        assert_int_equal(set_name(cloth, "contact", "self-collision"), TL_OK);
        assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(1, 1, 0), (tl_real)0.3));
        assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(-1, 1, 0), (tl_real)0.3));
        assert_non_null(tl_world_add_sphere(world, v3(0, 0.1, 0), (tl_real)0.1, (tl_real)0.5));
        for (int f = 0; f < 30; ++f) {
            assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 30)), TL_OK);
            assert_true(tl_cloth_get_stats(cloth).largest_speed < 20);
        }
        assert_true(all_finite(world));
        assert_true(stretch(cloth, 1) < 0.5);
        tl_world_destroy(world);
    }
}

/* A sheet that falls flat on a floor bounces by its restitution under implicit steppers as under all others. */
static void implicit_cloth_bounces_by_restitution(void **state)
{
    (void)state;
    static const char *const steppers[] = {"implicit-euler", "bdf2"};
    for (int s = 0; s < 2; ++s) {
        tl_world *world = make_world();
        assert_int_equal(tl_world_set(world, "gravity", &(tl_value){TL_PARAM_VEC3, {0, -1, 0}, NULL}), TL_OK);
        tl_body *floor = tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 0);
        assert_int_equal(tl_body_set(floor, "restitution", &(tl_value){TL_PARAM_REAL, {0.5, 0, 0}, NULL}), TL_OK);
        tl_cloth_def def = soft_sheet(6, 6, 1, 1);
        def.center = v3(0, 0.2, 0);
        def.stepper = steppers[s];
        def.substeps = 4;
        def.air = "off";
        tl_cloth *cloth = make_cloth(world, &def);
        tl_vec3 v[36];
        for (int k = 0; k < 36; ++k)
            v[k] = v3(0, -4, 0);
        assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
        run_frames(world, 5);
        double mean = 0;
        for (int k = 0; k < 36; ++k)
            mean += (double)tl_cloth_velocities(cloth)[k].y / 36;
        if (!(mean > 1.7 && mean < 2.2))
            fail_msg("%s: leaves with %g m/s", steppers[s], mean);
        tl_world_destroy(world);
    }
}

/* Cloth at rest on a floor leaves it as soon as gravity is turned round. */
static void cloth_is_let_go_by_what_it_lies_on(void **state)
{
    (void)state;
    static const char *const steppers[] = {"implicit-euler", "bdf2"};
    for (int s = 0; s < 2; ++s) {
        tl_world *world = make_world();
        tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5);
        tl_cloth_def def = soft_sheet(6, 6, 1, 1);
        def.center = v3(0, 0.01, 0);
        def.stepper = steppers[s];
        def.substeps = 2;
        def.air = "off";
        def.damping = 0;
        tl_cloth *cloth = make_cloth(world, &def);
        run_frames(world, 60);
        double before = (double)tl_cloth_positions(cloth)[14].y;
        assert_int_equal(tl_world_set(world, "gravity", &(tl_value){TL_PARAM_VEC3, {0, 10, 0}, NULL}), TL_OK);
        run_frames(world, 12);
        double risen = (double)tl_cloth_positions(cloth)[14].y - before;
        if (!(fabs(risen - 0.2) < 0.02)) /* ½ g t² */
            fail_msg("%s: rises by %g m", steppers[s], risen);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denim_on_a_ball_takes_whole_frames),
        cmocka_unit_test(denim_on_triangles_stays_outside),
        cmocka_unit_test(denim_on_a_tip_keeps_its_limit),
        cmocka_unit_test(soft_cloth_rests_at_its_limit),
        cmocka_unit_test(stiff_hammock_comes_to_rest),
        cmocka_unit_test(stiff_hem_on_the_floor_stands_still),
        cmocka_unit_test(landed_cloth_moves_with_the_ground),
        cmocka_unit_test(friction_is_coulombs_within_the_solve),
        cmocka_unit_test(rounding_of_gaps_does_not_change_friction),
        cmocka_unit_test(one_newton_iteration_keeps_contacts_sliding),
        cmocka_unit_test(impacts_leave_no_motion_behind),
        cmocka_unit_test(constant_matrix_gains_no_energy),
        cmocka_unit_test(approximations_survive_contact),
        cmocka_unit_test(implicit_cloth_bounces_by_restitution),
        cmocka_unit_test(cloth_is_let_go_by_what_it_lies_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
