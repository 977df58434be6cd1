/* Pinned particles: selection, motion, and attachment to bodies. */
#include "world_testing.h"

enum { COLUMNS = 9, ROWS = 7 };

static tl_cloth *hung(tl_world *world, const tl_pin_def *pins, int count)
{
    tl_cloth_def def = soft_sheet(COLUMNS, ROWS, 1, (tl_real)0.75);
    def.plane = "vertical";
    def.particle_mass = (tl_real)0.02;
    def.pins = pins;
    def.pin_count = count;
    return make_cloth(world, &def);
}

static tl_pin_def pin_at(const char *where, const char *name)
{
    tl_pin_def pin = tl_pin_def_default();
    pin.where = where;
    pin.name = name;
    return pin;
}

static tl_pin_def vertex(int index)
{
    tl_pin_def pin = pin_at("index", NULL);
    pin.index = index;
    return pin;
}

static tl_pin_def region(tl_vec3 low, tl_vec3 high)
{
    tl_pin_def pin = pin_at("region", NULL);
    pin.low = low;
    pin.high = high;
    return pin;
}

static tl_pin_def on_body(int body)
{
    tl_pin_def pin = tl_pin_def_default();
    pin.body = body;
    return pin;
}

/* Exactly the vertices for which `here` is true are pinned, and they stay while the rest falls. */
static void expect_pinned(tl_pin_def pin, bool (*here)(int column, int row))
{
    tl_world *world = make_world();
    tl_cloth *cloth = hung(world, &pin, 1);
    tl_vec3 start[COLUMNS * ROWS];
    memcpy(start, tl_cloth_positions(cloth), sizeof start);
    for (int v = 0; v < COLUMNS * ROWS; ++v)
        assert_int_equal(tl_cloth_pinned(cloth, v), here(v % COLUMNS, v / COLUMNS));
    run_frames(world, 20);
    const tl_vec3 *x = tl_cloth_positions(cloth);
    bool any_fell = false;
    for (int v = 0; v < COLUMNS * ROWS; ++v) {
        if (here(v % COLUMNS, v / COLUMNS))
            assert_memory_equal(&x[v], &start[v], sizeof x[v]); /* bit-exact */
        else
            any_fell = any_fell || x[v].y < start[v].y - (tl_real)1e-5;
    }
    assert_true(any_fell);
    tl_world_destroy(world);
}

static bool top_left(int c, int r) { return c == 0 && r == 0; }
static bool top_right(int c, int r) { return c == COLUMNS - 1 && r == 0; }
static bool bottom_left(int c, int r) { return c == 0 && r == ROWS - 1; }
static bool bottom_right(int c, int r) { return c == COLUMNS - 1 && r == ROWS - 1; }
static bool top(int c, int r) { return (void)c, r == 0; }
static bool bottom(int c, int r) { return (void)c, r == ROWS - 1; }
static bool left(int c, int r) { return (void)r, c == 0; }
static bool right(int c, int r) { return (void)r, c == COLUMNS - 1; }
static bool number_31(int c, int r) { return r * COLUMNS + c == 31; }
static bool upper_left_quarter(int c, int r) { return c <= 4 && r <= 2; }

static void cloth_pinned_at_corners_keeps_them(void **state)
{
    (void)state;
    expect_pinned(pin_at("corner", "top-left"), top_left);
    expect_pinned(pin_at("corner", "top-right"), top_right);
    expect_pinned(pin_at("corner", "bottom-left"), bottom_left);
    expect_pinned(pin_at("corner", "bottom-right"), bottom_right);
}

static void cloth_pinned_along_an_edge_keeps_it(void **state)
{
    (void)state;
    expect_pinned(pin_at("edge", "top"), top);
    expect_pinned(pin_at("edge", "bottom"), bottom);
    expect_pinned(pin_at("edge", "left"), left);
    expect_pinned(pin_at("edge", "right"), right);
}

static void pins_by_index_and_region_pin_the_right_particles(void **state)
{
    (void)state;
    expect_pinned(vertex(31), number_31);
    /* the sheet spans −0.5 … 0.5 by 0.625 … 1.375 */
    expect_pinned(region(v3(-0.6, 1.1, -1), v3(0.01, 2, 1)), upper_left_quarter);
}

static void pins_follow_their_body(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_key_def keys[2] = {tl_key_def_default(), tl_key_def_default()};
    keys[1].time = 1;
    keys[1].position = v3(1, 0.5, 0);
    keys[1].rotation = v3(0, 90, 0);
    tl_body_def carrier = tl_body_def_default();
    carrier.position = v3(0, 1.375, 0);
    carrier.size = v3(0.01, 0.01, 0.01);
    carrier.keys = keys;
    carrier.key_count = 2;
    carrier.on = false;
    assert_non_null(tl_body_create(world, &carrier));
    tl_pin_def pin = pin_at("edge", "top");
    pin.body = 0;
    tl_cloth *cloth = hung(world, &pin, 1);
    for (int f = 1; f <= 60; ++f) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        double t = tl_world_time(world), angle = t * acos(-1) / 2;
        for (int c = 0; c < COLUMNS; ++c) {
            tl_vec3 x = tl_cloth_positions(cloth)[c];
            double along = -0.5 + c / (COLUMNS - 1.0);
            assert_near(t + along * cos(angle), (double)x.x, 1e-5);
            assert_near(1.375 + 0.5 * t, (double)x.y, 1e-5);
            assert_near(-along * sin(angle), (double)x.z, 1e-5);
        }
    }
    tl_world_destroy(world);
}

static void moved_pins_reach_their_place_exactly(void **state)
{
    (void)state;
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        tl_world *world = make_world();
        tl_pin_def pins[2] = {pin_at("corner", "top-left"), pin_at("corner", "top-right")};
        tl_cloth *cloth = hung(world, pins, 2);
        assert_int_equal(set_name(cloth, "stepper", tl_stepper_names()[s]), TL_OK);
        for (int f = 0; f < 10; ++f) {
            tl_vec3 place = v3(-0.5 + 0.0123 * f, 1.375 + 0.007 * f, 0.0031 * f * f);
            assert_int_equal(tl_cloth_move_pin(cloth, 0, place), TL_OK);
            assert_int_equal(tl_world_step(world, FRAME), TL_OK);
            assert_memory_equal(&tl_cloth_positions(cloth)[0], &place, sizeof place);
            assert_near(0.5, (double)tl_cloth_positions(cloth)[COLUMNS - 1].x, 1e-7);
        }
        tl_world_destroy(world);
    }
}

static void a_moved_pin_leaves_its_body(void **state)
{
    (void)state;
    tl_world *world = make_world();
    assert_non_null(tl_world_add_sphere(world, v3(0, 3, 0), (tl_real)0.1, 0));
    tl_pin_def pin = pin_at("corner", "top-left");
    pin.body = 0;
    tl_cloth *cloth = hung(world, &pin, 1);
    tl_vec3 place = v3(-0.45, 1.4, 0.1);
    assert_int_equal(tl_cloth_move_pin(cloth, 0, place), TL_OK);
    run_frames(world, 1);
    assert_int_equal(tl_body_move(tl_world_body(world, 0), v3(0, 3.1, 0), (tl_quat){0, 0, 0, 1}), TL_OK);
    run_frames(world, 2);
    assert_memory_equal(&tl_cloth_positions(cloth)[0], &place, sizeof place);
    tl_world_destroy(world);
}

static void a_released_pin_falls_and_a_new_one_holds(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_pin_def pins[2] = {pin_at("corner", "top-left"), pin_at("corner", "top-right")};
    tl_cloth *cloth = hung(world, pins, 2);
    run_frames(world, 5);
    assert_int_equal(tl_cloth_pin(cloth, 0, false), TL_OK);
    assert_int_equal(tl_cloth_pin(cloth, 0, false), TL_OK); /* pinning twice is pinning once */
    assert_false(tl_cloth_pinned(cloth, 0));
    assert_int_equal(tl_cloth_move_pin(cloth, 0, v3(0, 0, 0)), TL_ERROR_INPUT);
    assert_message(world, "vertex 0 is not pinned");
    int low = COLUMNS * ROWS - 1;
    assert_int_equal(tl_cloth_pin(cloth, low, true), TL_OK);
    assert_int_equal(tl_cloth_pin(cloth, low, true), TL_OK);
    tl_vec3 position = tl_cloth_positions(cloth)[low];
    run_frames(world, 30);
    assert_true(tl_cloth_positions(cloth)[0].y < (tl_real)1.3);
    assert_memory_equal(&tl_cloth_positions(cloth)[low], &position, sizeof position);
    tl_vec3 corner = v3(0.5, 1.375, 0);
    assert_memory_equal(&tl_cloth_positions(cloth)[COLUMNS - 1], &corner, sizeof corner);
    tl_world_destroy(world);
}

static void every_particle_may_be_pinned(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_pin_def everything = region(v3(-9, -9, -9), v3(9, 9, 9));
    tl_cloth *cloth = hung(world, &everything, 1);
    for (int s = 0; tl_stepper_names()[s]; ++s) {
        assert_int_equal(set_name(cloth, "stepper", tl_stepper_names()[s]), TL_OK);
        run_frames(world, 3);
    }
    tl_vec3 corner = v3(-0.5, 1.375, 0);
    assert_memory_equal(&tl_cloth_positions(cloth)[0], &corner, sizeof corner);
    for (int v = 0; v < COLUMNS * ROWS; ++v)
        assert_int_equal(tl_cloth_pin(cloth, v, false), TL_OK);
    run_frames(world, 10);
    assert_true(tl_cloth_positions(cloth)[0].y < (tl_real)1.374);
    tl_world_destroy(world);
}

static void welded_vertices_are_pinned_together(void **state)
{
    (void)state;
    /* two triangles that share an edge by position only */
    const tl_vec3 position[6] = {{0, 1, 0}, {1, 1, 0}, {0, 0, 0}, {0, 0, 0}, {1, 1, 0}, {1, 0, 0}};
    const int triangle[6] = {0, 2, 1, 3, 5, 4};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = position, .vertex_count = 6, .triangles = triangle, .triangle_count = 2}, NULL,
        NULL);
    assert_non_null(mesh);
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_default();
    def.mesh = mesh;
    tl_pin_def pin = vertex(4);
    def.pins = &pin;
    def.pin_count = 1;
    tl_cloth *cloth = make_cloth(world, &def);
    assert_true(tl_cloth_pinned(cloth, 4));
    assert_true(tl_cloth_pinned(cloth, 1)); /* the same particle under its other vertex index */
    assert_false(tl_cloth_pinned(cloth, 0));
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

static void wrong_pins_are_refused_with_their_number(void **state)
{
    (void)state;
    const struct {
        tl_pin_def pin;
        const char *message;
    } wrong[] = {
        {vertex(COLUMNS * ROWS), "pin[1].index: there is no vertex 63 (the mesh has 63)"},
        {vertex(-1), "index: -1 is below 0"},
        {pin_at("corner", "top"), "pin[1].name: 'top' is not the name of a corner"},
        {pin_at("edge", "top-left"), "pin[1].name: 'top-left' is not the name of an edge"},
        {pin_at("edge", "middle"), "'middle' is not one of"},
        {pin_at("somewhere", NULL), "'somewhere' is not one of"},
        {on_body(3), "pin[1].body: there is no body 3 (the world has 0)"},
        {region(v3(5, 5, 5), v3(6, 6, 6)), "pin[1]: no particle is in the region (x 5 to 6, y 5 to 6, z 5 to 6 m); the "
                                           "cloth spans x -0.5 to 0.5, y 1 to 1, z -0.5 to 0.5 m"},
        {region(v3(NAN, 0, 0), v3(6, 6, 6)), "not a finite number"},
    };
    tl_world *world = make_world();
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        tl_pin_def pins[2] = {pin_at("corner", "top-left"), wrong[k].pin};
        tl_cloth_def def = soft_sheet(COLUMNS, ROWS, 1, 1);
        def.pins = pins;
        def.pin_count = 2;
        assert_null(tl_cloth_create(world, &def));
        assert_message(world, wrong[k].message);
        assert_int_equal(tl_world_cloth_count(world), 0);
    }
    tl_pin_def pin = pin_at("corner", "top-left");
    tl_cloth *cloth = hung(world, &pin, 1);
    assert_int_equal(tl_cloth_pin(cloth, 63, true), TL_ERROR_INPUT);
    assert_message(world, "there is no vertex 63");
    assert_int_equal(tl_cloth_pin(cloth, -1, true), TL_ERROR_INPUT);
    assert_int_equal(tl_cloth_move_pin(cloth, 1, v3(0, 0, 0)), TL_ERROR_INPUT);
    assert_int_equal(tl_cloth_move_pin(cloth, 1000, v3(0, 0, 0)), TL_ERROR_INPUT);
    assert_int_equal(tl_cloth_move_pin(cloth, 0, v3(NAN, 0, 0)), TL_ERROR_INPUT);
    assert_message(world, "not finite");
    assert_int_equal(tl_cloth_add_force(cloth, 63, v3(0, 0, 0)), TL_ERROR_INPUT);
    assert_int_equal(tl_cloth_add_force(cloth, 3, v3(0, INFINITY, 0)), TL_ERROR_INPUT);
    assert_false(tl_cloth_pinned(cloth, -5));
    assert_false(tl_cloth_pinned(cloth, 9999));
    tl_world_destroy(world);
}

static void names_of_places_are_for_grids_only(void **state)
{
    (void)state;
    const tl_vec3 position[3] = {{0, 1, 0}, {1, 1, 0}, {0, 0, 0}};
    const int triangle[3] = {0, 2, 1};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = position, .vertex_count = 3, .triangles = triangle, .triangle_count = 1}, NULL,
        NULL);
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_default();
    tl_pin_def pin = pin_at("corner", "top-left");
    def.mesh = mesh;
    def.pins = &pin;
    def.pin_count = 1;
    assert_null(tl_cloth_create(world, &def));
    assert_message(world, "only grids have corners and edges with names; use index or region");
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cloth_pinned_at_corners_keeps_them),
        cmocka_unit_test(cloth_pinned_along_an_edge_keeps_it),
        cmocka_unit_test(pins_by_index_and_region_pin_the_right_particles),
        cmocka_unit_test(pins_follow_their_body),
        cmocka_unit_test(moved_pins_reach_their_place_exactly),
        cmocka_unit_test(a_moved_pin_leaves_its_body),
        cmocka_unit_test(a_released_pin_falls_and_a_new_one_holds),
        cmocka_unit_test(every_particle_may_be_pinned),
        cmocka_unit_test(welded_vertices_are_pinned_together),
        cmocka_unit_test(wrong_pins_are_refused_with_their_number),
        cmocka_unit_test(names_of_places_are_for_grids_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
