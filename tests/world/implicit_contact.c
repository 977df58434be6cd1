/* Contact under implicit steppers at one step a frame, single precision and default settings: what bodies feel is what
   stops the cloth. */
#include "world_testing.h"

enum { SIDE = 9, COUNT = SIDE * SIDE };
static const char *const implicit_names[] = {"implicit-euler", "bdf2", "constant-jacobian"};

static tl_world *vacuum(void)
{
    tl_world_def def = tl_world_def_default();
    def.wind.air_density = 0;
    tl_world *world = tl_world_create(&def, NULL);
    assert_non_null(world);
    return world;
}

static tl_cloth *denim(tl_world *world, const char *stepper, int substeps, tl_vec3 center, tl_vec3 rotation)
{
    tl_cloth_def def = tl_cloth_def_grid(SIDE, SIDE, (tl_real)0.4, (tl_real)0.4);
    def.fabric = "denim";
    def.stepper = stepper;
    def.contact = "bodies-only";
    def.substeps = substeps;
    def.center = center;
    def.rotation = rotation;
    return make_cloth(world, &def);
}

static double mass_of(tl_cloth *cloth)
{
    double sum = 0;
    for (int i = 0; i < tl_cloth_vertex_count(cloth); ++i)
        sum += (double)tl_cloth_masses(cloth)[i];
    return sum;
}

/* A sheet falls on a floor, level or inclined, and comes to rest there: over all frames the floor receives its weight
   times time and its momentum, and in the end its weight. */
static void bodies_receive_the_weight_and_the_momentum_of_what_lands(void **state)
{
    (void)state;
    static const struct {
        double height, tilt;
        int substeps;
    } cases[] = {{0.005, 0, 1}, {0.3, 0, 1}, {0.3, 0, 3}, {0.4, 20, 1}};
    tl_mesh *square = square_mesh(1);
    for (int s = 0; s < 3; ++s)
        for (int of_triangles = 0; of_triangles < 2; ++of_triangles)
            for (int k = 0; k < 4; ++k) {
                tl_world *world = vacuum();
                tl_body_def floor = tl_body_def_default();
                floor.shape = of_triangles ? "mesh" : "plane";
                floor.mesh = of_triangles ? square : NULL;
                floor.solid = false;
                tl_body *body = tl_body_create(world, &floor);
                assert_non_null(body);
                tl_cloth *cloth = denim(world, implicit_names[s], cases[k].substeps, v3(0, cases[k].height, 0),
                                        v3(cases[k].tilt, 0, 0));
                enum { FRAMES = 40 };
                double sum = 0, weight = mass_of(cloth) * 9.81, pressure = 0;
                tl_vec3 impulse;
                for (int f = 0; f < FRAMES; ++f) {
                    run_frames(world, 1);
                    tl_body_impulse(body, &impulse, NULL);
                    sum -= (double)impulse.y;
                }
                double expected = weight * FRAMES / 60 + (double)tl_cloth_momentum(cloth).y;
                assert_near(expected, sum, 0.02 * expected);
                for (int i = 0; i < COUNT; ++i)
                    pressure += (double)tl_cloth_contact_forces(cloth)[i];
                if (cases[k].tilt == 0) {
                    assert_near(weight, -60 * (double)impulse.y, 0.01 * weight);
                    assert_near(weight, pressure, 0.01 * weight);
                }
                tl_world_destroy(world);
            }
    tl_mesh_destroy(square);
}

/* A sheet thrown along a rough floor: friction stops it, and what was stopped has no velocity. */
static void sheet_stopped_by_friction_stays_stopped(void **state)
{
    (void)state;
    for (int s = 0; s < 3; ++s) {
        tl_world *world = vacuum();
        assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5));
        tl_cloth *cloth = denim(world, implicit_names[s], 1, v3(0, 0.005, 0), v3(0, 0, 0));
        tl_vec3 velocity[COUNT];
        for (int i = 0; i < COUNT; ++i)
            velocity[i] = v3(1, 0, 0);
        assert_int_equal(tl_cloth_set_state(cloth, NULL, velocity), TL_OK);
        double before = 1;
        for (int f = 0; f < 30; ++f) {
            run_frames(world, 1);
            double now = (double)tl_cloth_momentum(cloth).x / mass_of(cloth);
            assert_true(now > -1e-3 && now < before + 1e-3);
            before = now;
        }
        assert_near(0, before, 1e-4);
        tl_world_destroy(world);
    }
}

/* Displacement down a slope of so many degrees in `frames` of the given rate. */
static double slide(const char *stepper, const char *shape, const tl_mesh *mesh, const char *fabric, double friction,
                    double degrees, double rate, int frames)
{
    double angle = degrees * acos(-1) / 180;
    tl_world *world = vacuum();
    tl_body_def slope = tl_body_def_default();
    slope.shape = shape;
    slope.mesh = mesh;
    slope.solid = false;
    slope.rotation = v3(0, 0, degrees);
    slope.friction = (tl_real)friction;
    if (strcmp(shape, "box") == 0) {
        slope.size = v3(8, 2, 8);
        slope.position = v3(sin(angle), -cos(angle), 0);
    }
    assert_non_null(tl_body_create(world, &slope));
    tl_cloth_def def = tl_cloth_def_grid(7, 7, (tl_real)0.3, (tl_real)0.3);
    def.fabric = fabric;
    def.stepper = stepper;
    def.contact = "bodies-only";
    def.substeps = 1;
    def.rotation = v3(0, 0, degrees);
    def.center = v3(-0.005 * sin(angle), 0.005 * cos(angle), 0);
    tl_cloth *cloth = make_cloth(world, &def);
    tl_vec3 from = tl_cloth_positions(cloth)[24];
    for (int f = 0; f < frames; ++f)
        assert_int_equal(tl_world_step(world, (tl_real)(1 / rate)), TL_OK);
    tl_vec3 to = tl_cloth_positions(cloth)[24];
    tl_world_destroy(world);
    return (double)(from.x - to.x) * cos(angle) + (double)(from.y - to.y) * sin(angle);
}

static void sheet_slides_down_a_slope_by_coulombs_law(void **state)
{
    (void)state;
    static const struct {
        const char *fabric;
        double friction, degrees, rate;
    } cases[] = {{"denim", 0.7, 36, 60}, {"silk", 0.7, 36, 60}, {"twill", 0.2, 20, 144}, {"denim", 0.3, 36, 60}};
    static const char *const shapes[] = {"plane", "box", "mesh"};
    tl_mesh *square = square_mesh(4);
    for (int s = 0; s < 3; ++s)
        for (int k = 0; k < 4; ++k) {
            double angle = cases[k].degrees * acos(-1) / 180, time = 1;
            double expected = 9.81 * (sin(angle) - cases[k].friction * cos(angle)) * time * time / 2;
            int shape = (s + k) % 3, frames = (int)cases[k].rate;
            const tl_mesh *mesh = shape == 2 ? square : NULL;
            double moved = slide(implicit_names[s], shapes[shape], mesh, cases[k].fabric, cases[k].friction,
                                 cases[k].degrees, cases[k].rate, frames);
            assert_near(expected, moved, 0.05 * expected);
            moved = slide(implicit_names[s], shapes[shape], mesh, cases[k].fabric, tan(angle) + 0.02, cases[k].degrees,
                          cases[k].rate, 20);
            assert_near(0, moved, 1e-4);
        }
    tl_mesh_destroy(square);
}

enum { BELT_COLUMNS = 3, BELT_ROWS = 61 };
static const double BELT_SPACING = 0.03, BELT_RADIUS = 0.3;

/* Ratio of the tensions of a belt of twill that is drawn over a drum without gravity, by an angle of `wrap`: one end
   moves down, a constant force pulls the other. */
static double belt_tensions(const char *stepper, double friction, double wrap, double rate)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = v3(0, 0, 0);
    world_def.wind.air_density = 0;
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_body_def drum = tl_body_def_default();
    drum.shape = "capsule";
    drum.size = v3(BELT_RADIUS, 1, 0);
    drum.rotation = v3(90, 0, 0);
    drum.friction = (tl_real)friction;
    assert_non_null(tl_body_create(world, &drum));
    tl_cloth_def def = tl_cloth_def_grid(BELT_COLUMNS, BELT_ROWS, (tl_real)(BELT_SPACING * (BELT_COLUMNS - 1)),
                                         (tl_real)(BELT_SPACING * (BELT_ROWS - 1)));
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = "top";
    def.fabric = "twill";
    def.stepper = stepper;
    def.contact = "bodies-only";
    def.substeps = 1;
    def.plane = "vertical";
    def.pins = &pin;
    def.pin_count = 1;
    tl_cloth *belt = make_cloth(world, &def);
    tl_vec3 x[BELT_COLUMNS * BELT_ROWS];
    double radius = BELT_RADIUS + (double)def.thickness;
    double straight = (BELT_SPACING * (BELT_ROWS - 1) - wrap * radius) / 2;
    for (int i = 0; i < BELT_COLUMNS * BELT_ROWS; ++i) {
        double s = BELT_SPACING * (i / BELT_COLUMNS) - straight, z = BELT_SPACING * (i % BELT_COLUMNS - 1);
        double angle = fmin(fmax(s / radius, 0), wrap), beyond = s < 0 ? s : fmax(s - wrap * radius, 0);
        x[i] = v3(-radius * cos(angle) + sin(angle) * beyond, radius * sin(angle) + cos(angle) * beyond, z);
    }
    assert_int_equal(tl_cloth_set_state(belt, x, NULL), TL_OK);
    const double force = 0.4, speed = 0.06;
    int frames = (int)(0.8 * rate), counted = 0;
    double sum = 0;
    for (int f = 0; f < frames; ++f) {
        for (int k = 0; k < BELT_COLUMNS; ++k) {
            tl_vec3 place = tl_cloth_positions(belt)[k];
            place.y -= (tl_real)(speed / rate);
            assert_int_equal(tl_cloth_move_pin(belt, k, place), TL_OK);
            tl_vec3 pull = v3(sin(wrap) * force / BELT_COLUMNS, cos(wrap) * force / BELT_COLUMNS, 0);
            assert_int_equal(tl_cloth_add_force(belt, (BELT_ROWS - 1) * BELT_COLUMNS + k, pull), TL_OK);
        }
        assert_int_equal(tl_world_step(world, (tl_real)(1 / rate)), TL_OK);
        for (int k = 0; f >= frames / 2 && k < BELT_COLUMNS; ++k)
            sum += (double)tl_cloth_forces(belt)[k].y / force;
        counted += f >= frames / 2;
    }
    tl_world_destroy(world);
    return sum / counted;
}

static void belt_on_a_drum_obeys_the_capstan_equation(void **state)
{
    (void)state;
    const double pi = acos(-1);
    for (int s = 0; s < 2; ++s) {
        double expected = exp(0.5 * 1.5 * pi);
        assert_near(expected, belt_tensions(implicit_names[s], 0.5, 1.5 * pi, 60), 0.05 * expected);
        expected = exp(0.3 * pi);
        assert_near(expected, belt_tensions(implicit_names[s], 0.3, pi, 24), 0.05 * expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_receive_the_weight_and_the_momentum_of_what_lands),
        cmocka_unit_test(sheet_stopped_by_friction_stays_stopped),
        cmocka_unit_test(sheet_slides_down_a_slope_by_coulombs_law),
        cmocka_unit_test(belt_on_a_drum_obeys_the_capstan_equation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
