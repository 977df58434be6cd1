/* Cloth against itself and other cloth: no penetration, momentum is conserved, intersecting cloth is pulled apart. */
#include "world_testing.h"

static tl_cloth *sheet(tl_world *world, const char *contact, int size, tl_real width, tl_vec3 center)
{
    tl_cloth_def def = soft_sheet(size, size, width, width);
    def.center = center;
    def.stepper = "xpbd";
    def.contact = contact;
    def.substeps = 10;
    def.thickness = (tl_real)0.01;
    def.ripple = (tl_real)0.002;
    def.damping = 1;
    return make_cloth(world, &def);
}

static void counter_counts_intersecting_triangles(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *flat = sheet(world, "bodies-only", 5, 1, (tl_vec3){0, 1, 0});
    assert_int_equal(tl_world_count_intersections(world), 0);
    tl_cloth_def def = soft_sheet(2, 2, (tl_real)0.1, (tl_real)0.1);
    def.plane = "vertical";
    def.center = (tl_vec3){(tl_real)0.01, 1, (tl_real)0.07};
    tl_cloth *small = make_cloth(world, &def);
    assert_true(tl_world_count_intersections(world) >= 2);
    unsigned char faces[32], of_small[2];
    assert_int_equal(tl_cloth_count_intersections(flat, faces), tl_world_count_intersections(world));
    assert_true(tl_cloth_count_intersections(small, of_small) > 0 && of_small[0] && of_small[1]);
    int marked = 0;
    for (int f = 0; f < 32; ++f)
        marked += faces[f];
    assert_in_range(marked, 1, 6);
    tl_cloth_destroy(world, small);
    assert_int_equal(tl_world_count_intersections(world), 0);
    tl_world_destroy(world);
}

/* Two sheets fall on a ball, one on the other. */
static int crossings_of_two_layers(const char *contact, int frames)
{
    tl_world *world = make_world();
    tl_world_add_sphere(world, (tl_vec3){0, 0, 0}, (tl_real)0.3, (tl_real)0.4);
    tl_world_add_plane(world, (tl_vec3){0, (tl_real)-0.4, 0}, (tl_vec3){0, 1, 0}, (tl_real)0.4);
    sheet(world, contact, 19, 1, (tl_vec3){0, (tl_real)0.33, 0});
    sheet(world, contact, 19, 1, (tl_vec3){(tl_real)0.02, (tl_real)0.37, (tl_real)0.03});
    int most = 0;
    for (int k = 0; k < frames; ++k) {
        run_frames(world, 1);
        int count = tl_world_count_intersections(world);
        most = count > most ? count : most;
    }
    tl_world_destroy(world);
    return most;
}

static void layers_on_a_ball_never_cross(void **state)
{
    (void)state;
    assert_true(crossings_of_two_layers("bodies-only", 40) > 10); /* sanity check of the scene */
    assert_int_equal(crossings_of_two_layers("self-collision", 60), 0);
    assert_int_equal(crossings_of_two_layers("penetration-free", 40), 0);
}

/* Two sheets collide in free space. */
static void collision_of_cloths_keeps_momentum(void **state)
{
    (void)state;
    static const char *const steppers[] = {"xpbd",           "verlet", "semi-implicit-euler",
                                           "implicit-euler", "bdf2",   "constant-jacobian"};
    for (int s = 0; s < 6; ++s) {
        /* a position-based stepper derives v from differences of x: single-precision rounding drifts by 1e-7 m / h a
           substep; implicit ones have the error of their conjugate gradients */
        const double tolerance = s >= 3 ? 2e-4 : DOUBLE_BUILD ? 1e-10 : 1e-4;
        tl_world_def world_def = tl_world_def_default();
        world_def.gravity = (tl_vec3){0, 0, 0};
        world_def.wind.air_density = 0;
        tl_world *world = tl_world_create(&world_def, NULL);
        tl_cloth *cloth[2];
        tl_vec3 velocity[81];
        for (int k = 0; k < 2; ++k) {
            tl_cloth_def def = soft_sheet(9, 9, (tl_real)0.4, (tl_real)0.4);
            def.center =
                (tl_vec3){(tl_real)0.013 * (tl_real)k, (tl_real)0.04 * (tl_real)k, (tl_real)0.007 * (tl_real)k};
            def.rotation = (tl_vec3){0, (tl_real)(20 * k), (tl_real)(8 * k)};
            def.stepper = steppers[s];
            def.contact = "self-collision";
            def.density = (tl_real)0.2 * (tl_real)(k + 1);
            cloth[k] = make_cloth(world, &def);
            for (int v = 0; v < 81; ++v)
                velocity[v] = (tl_vec3){(tl_real)0.1 * (tl_real)k, k ? (tl_real)-0.5 : (tl_real)0.5, 0};
            assert_int_equal(tl_cloth_set_state(cloth[k], NULL, velocity), TL_OK);
        }
        tl_vec3 a = tl_cloth_momentum(cloth[0]), b = tl_cloth_momentum(cloth[1]);
        tl_real before[3] = {a.x + b.x, a.y + b.y, a.z + b.z};
        tl_vec3 spin_a = tl_cloth_angular_momentum(cloth[0]), spin_b = tl_cloth_angular_momentum(cloth[1]);
        tl_real spin = spin_a.z + spin_b.z;
        run_frames(world, 30);
        tl_vec3 after_a = tl_cloth_momentum(cloth[0]), after_b = tl_cloth_momentum(cloth[1]);
        assert_true(fabs((double)(after_a.y - a.y)) > 0.2 * fabs((double)a.y)); /* they did collide */
        assert_near(before[0], (double)(after_a.x + after_b.x), tolerance);
        assert_near(before[1], (double)(after_a.y + after_b.y), tolerance);
        assert_near(before[2], (double)(after_a.z + after_b.z), tolerance);
        spin_a = tl_cloth_angular_momentum(cloth[0]);
        spin_b = tl_cloth_angular_momentum(cloth[1]);
        /* friction acts across the gap between the sheets, which rotates them a little */
        assert_near(spin, (double)(spin_a.z + spin_b.z), fmax(tolerance, 1e-5));
        assert_int_equal(tl_world_count_intersections(world), 0);
        tl_world_destroy(world);
    }
}

/* Centre of a cloth along x, m. */
static double middle(tl_cloth *cloth)
{
    const tl_vec3 *x = tl_cloth_positions(cloth);
    int count = tl_cloth_get_stats(cloth).particles;
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += (double)x[i].x;
    return sum / count;
}

/* Eight sheets on a slope of half the friction angle: weight and friction are transmitted through all of them. */
static void pile_on_a_slope_stays_and_comes_to_rest(void **state)
{
    (void)state;
    enum { SHEETS = 8 };
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = (tl_vec3){(tl_real)1.46, (tl_real)-9.70, 0}; /* 8.5°, tangent 0.15 */
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_world_add_plane(world, (tl_vec3){0, 0, 0}, (tl_vec3){0, 1, 0}, 10);
    tl_cloth *pile[SHEETS];
    for (int k = 0; k < SHEETS; ++k)
        pile[k] = sheet(world, "self-collision", 9, (tl_real)0.4, (tl_vec3){0, (tl_real)0.011 * (tl_real)(k + 1), 0});
    run_frames(world, 30);
    double before = middle(pile[SHEETS - 1]);
    run_frames(world, 30);
    assert_near(before, middle(pile[SHEETS - 1]), 3e-3); /* 0.18 m without friction; 0.05 m without shock propagation */
    for (int k = 0; k < SHEETS; ++k)
        assert_true(tl_cloth_get_stats(pile[k]).largest_speed < (tl_real)0.03);
    tl_world_destroy(world);
}

/* A sheet in folds standing side by side on the floor, between two walls. */
static tl_cloth *folded(tl_world *world)
{
    enum { COLUMNS = 41, ROWS = 21, PANEL = 5 };
    const double edge = 0.02, pitch = 0.004;
    tl_cloth_def def = soft_sheet(COLUMNS, ROWS, (tl_real)(edge * (COLUMNS - 1)), (tl_real)(edge * (ROWS - 1)));
    def.stepper = "xpbd";
    def.contact = "self-collision";
    def.thickness = (tl_real)0.005;
    tl_cloth *cloth = make_cloth(world, &def);
    tl_vec3 x[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; ++i) {
        int column = i % COLUMNS, within = column % (2 * PANEL);
        int height = within < PANEL ? within : 2 * PANEL - within;
        x[i] = v3(pitch * column, 0.01 + edge * height, edge * (i / COLUMNS));
    }
    assert_int_equal(tl_cloth_set_state(cloth, x, NULL), TL_OK);
    tl_world_add_plane(world, v3(-0.005, 0, 0), v3(1, 0, 0), (tl_real)0.3);
    tl_world_add_plane(world, v3(pitch * (COLUMNS - 1) + 0.005, 0, 0), v3(-1, 0, 0), (tl_real)0.3);
    tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5);
    return cloth;
}

static void folds_that_press_against_each_other_come_to_rest(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = folded(world);
    double most = 0;
    run_frames(world, 60);
    for (int frame = 0; frame < 30; ++frame) {
        run_frames(world, 1);
        most = fmax(most, tl_cloth_energies(cloth).kinetic);
    }
    assert_near(0, most, 2e-7); /* J; up to 7e-7 when neighbours count as supports as well */
    assert_int_equal(tl_world_count_intersections(world), 0);
    tl_world_destroy(world);
}

static void tangled_start(tl_world *world, const char *contact)
{
    sheet(world, contact, 15, (tl_real)0.5, (tl_vec3){0, 1, 0});
    tl_cloth_def def = soft_sheet(15, 15, (tl_real)0.5, (tl_real)0.5);
    def.center = (tl_vec3){(tl_real)0.22, (tl_real)1.003, (tl_real)0.01};
    def.rotation = (tl_vec3){3, 10, 5};
    def.stepper = "xpbd";
    def.contact = contact;
    def.thickness = (tl_real)0.01;
    make_cloth(world, &def);
}

static void self_collision_pulls_intersecting_cloth_apart(void **state)
{
    (void)state;
    tl_world_def def = tl_world_def_default();
    def.gravity = (tl_vec3){0, 0, 0};
    tl_world *world = tl_world_create(&def, NULL);
    tangled_start(world, "self-collision");
    int before = tl_world_count_intersections(world);
    assert_true(before > 5);
    run_frames(world, 120);
    assert_int_equal(tl_world_count_intersections(world), 0);
    assert_true(all_finite(world));
    tl_world_destroy(world);
}

/* A small upright sheet, its lower edge 6 mm through a level one that is pinned along its border. Both are at rest in
   their rest shapes, without gravity: without contact they stay as they are. */
static void stand_through(tl_world *world, const char *stepper, double turn)
{
    tl_pin_def pins[4];
    pin_all_edges(pins);
    for (int k = 0; k < 2; ++k) {
        double width = k ? 0.15 : 0.4;
        tl_cloth_def def = soft_sheet(k ? 7 : 13, k ? 7 : 13, (tl_real)width, (tl_real)width);
        def.plane = k ? "vertical" : "horizontal";
        def.center = k ? v3(0.013, width / 2 - 0.006, 0.007) : v3(0, 0, 0);
        def.rotation = v3(0, turn * k, 0);
        def.stepper = stepper;
        def.contact = "fast";
        def.substeps = 10;
        def.thickness = (tl_real)0.01;
        def.air = "off";
        def.pins = k ? NULL : pins;
        def.pin_count = k ? 0 : 4;
        make_cloth(world, &def);
    }
}

static void sheet_that_penetrates_another_is_pulled_out(void **state)
{
    (void)state;
    static const char *const steppers[] = {"xpbd", "implicit-euler"};
    for (int s = 0; s < 2; ++s)
        for (int k = 0; k < 3; ++k) {
            tl_world_def def = tl_world_def_default();
            def.gravity = v3(0, 0, 0);
            tl_world *world = tl_world_create(&def, NULL);
            stand_through(world, steppers[s], 15 * k);
            assert_true(tl_world_count_intersections(world) > 10);
            run_frames(world, 30);
            for (int frame = 0; frame < 20; ++frame) {
                assert_int_equal(tl_world_count_intersections(world), 0);
                run_frames(world, 1);
            }
            double height = 0;
            for (int i = 0; i < 49; ++i)
                height += (double)tl_cloth_positions(tl_world_cloth(world, 1))[i].y / 49;
            assert_true(height > 0.075); /* along the shorter path, which is up */
            tl_world_destroy(world);
        }
}

static int messages;
static void hear(void *user, const char *message)
{
    (void)user;
    messages += strstr(message, "cross") != NULL;
}

static void penetration_free_contact_reports_intersections(void **state)
{
    (void)state;
    tl_world_def def = tl_world_def_default();
    def.log = hear;
    messages = 0;
    tl_world *world = tl_world_create(&def, NULL);
    tangled_start(world, "penetration-free");
    run_frames(world, 3);
    assert_int_equal(messages, 1);
    assert_true(all_finite(world));
    tl_world_destroy(world);
}

/* A small upright sheet is driven down on a flat one at 6 m/s, both pinned everywhere, so that contact cannot move
   them; returns the largest number of intersections of any frame. *low is where the small one was stopped, *high where
   it is at the end. */
static int crossings_of_driven_pins(const char *contact, tl_real *low, tl_real *high)
{
    tl_world *world = make_world();
    tl_cloth *wide = sheet(world, contact, 13, (tl_real)0.5, (tl_vec3){0, 1, 0});
    tl_cloth_def def = soft_sheet(5, 5, (tl_real)0.12, (tl_real)0.12);
    def.center = (tl_vec3){(tl_real)0.01, (tl_real)1.1, (tl_real)0.013};
    def.plane = "vertical";
    def.stepper = "xpbd";
    def.contact = contact;
    def.thickness = (tl_real)0.01;
    tl_cloth *small = make_cloth(world, &def);
    for (int v = 0; v < 13 * 13; ++v)
        assert_int_equal(tl_cloth_pin(wide, v, true), TL_OK);
    for (int v = 0; v < 25; ++v)
        assert_int_equal(tl_cloth_pin(small, v, true), TL_OK);
    int most = 0;
    for (int frame = 0; frame < 12; ++frame) {
        tl_real step = frame < 4 ? (tl_real)-0.1 : (tl_real)0.05; /* m a frame */
        for (int v = 0; v < 25; ++v) {
            tl_vec3 at = tl_cloth_positions(small)[v];
            at.y += step;
            assert_int_equal(tl_cloth_move_pin(small, v, at), TL_OK);
        }
        run_frames(world, 1);
        int count = tl_world_count_intersections(world);
        most = count > most ? count : most;
        if (frame == 3)
            *low = tl_cloth_positions(small)[22].y;
    }
    *high = tl_cloth_positions(small)[22].y;
    tl_world_destroy(world);
    return most;
}

static void pinned_particles_cannot_be_driven_through_cloth(void **state)
{
    (void)state;
    tl_real low, high;
    assert_true(crossings_of_driven_pins("self-collision", &low, &high) > 0); /* sanity check of the scene */
    assert_int_equal(crossings_of_driven_pins("penetration-free", &low, &high), 0);
    assert_true(low > 1 && low < (tl_real)1.01); /* it came near, and was stopped */
    assert_true(high > (tl_real)1.3);            /* and retreated when it could */
}

enum { STRIP_COLUMNS = 121, STRIP_ROWS = 11 };

/* Rotates one end of the strip about its axis, rad. */
/* Soft cloth of links, as in the stress scenes. */
static void choose_links(tl_cloth_def *def)
{
    def->elements.link_structural = (tl_element_def){true, 400, (tl_real)0.02};
    def->elements.link_shear = (tl_element_def){true, 80, (tl_real)0.01};
    def->elements.link_bend = (tl_element_def){true, 4, (tl_real)0.004};
}

static void pin_ends(tl_cloth *cloth, int columns, int rows)
{
    for (int row = 0; row < rows; ++row) {
        assert_int_equal(tl_cloth_pin(cloth, columns * row, true), TL_OK);
        assert_int_equal(tl_cloth_pin(cloth, columns * (row + 1) - 1, true), TL_OK);
    }
}

static void turn_end(tl_cloth *strip, int column, double angle)
{
    for (int row = 0; row < STRIP_ROWS; ++row) {
        int i = STRIP_COLUMNS * row + column;
        tl_vec3 at = tl_cloth_positions(strip)[i];
        tl_real c = (tl_real)cos(angle), s = (tl_real)sin(angle);
        assert_int_equal(tl_cloth_move_pin(strip, i, (tl_vec3){at.x, c * at.y - s * at.z, s * at.y + c * at.z}), TL_OK);
    }
}

/* The ends of a strip rotate against each other: its edges are pulled hard against the layers they wind around. A
   single penetration there drags everything around it through. */
static void twisted_strip_does_not_slip_through_itself(void **state)
{
    (void)state;
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = (tl_vec3){0, (tl_real)-0.5, 0};
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth_def def = soft_sheet(STRIP_COLUMNS, STRIP_ROWS, 2, (tl_real)0.16);
    def.plane = "vertical";
    def.center = (tl_vec3){0, 0, 0};
    def.stepper = "xpbd";
    def.contact = "self-collision";
    def.substeps = 12;
    def.diagonals = "alternating";
    def.damping = (tl_real)0.5;
    def.density = (tl_real)0.2;
    def.thickness = (tl_real)0.005;
    def.cloth_gap = (tl_real)0.003;
    def.cloth_friction = (tl_real)0.2;
    choose_links(&def);
    tl_cloth *strip = make_cloth(world, &def);
    pin_ends(strip, STRIP_COLUMNS, STRIP_ROWS);
    for (int frame = 0; frame < 110; ++frame) {
        turn_end(strip, 0, 0.4 * acos(-1) / 60); /* 72 degrees a second */
        turn_end(strip, STRIP_COLUMNS - 1, -0.4 * acos(-1) / 60);
        run_frames(world, 1);
        assert_int_equal(tl_world_count_intersections(world), 0);
    }
    tl_world_destroy(world);
}

enum { RIBBON_COLUMNS = 41, RIBBON_ROWS = 6 };

static tl_cloth *ribbon(tl_world *world, const char *stepper, double height, double turn)
{
    tl_cloth_def def = soft_sheet(RIBBON_COLUMNS, RIBBON_ROWS, (tl_real)0.32, (tl_real)0.04);
    def.center = v3(0, height, 0);
    def.rotation = v3(0, turn, 0);
    def.stepper = stepper;
    def.contact = "self-collision";
    def.substeps = 2;
    def.damping = (tl_real)0.5;
    def.thickness = (tl_real)0.003;
    choose_links(&def);
    tl_cloth *cloth = make_cloth(world, &def);
    pin_ends(cloth, RIBBON_COLUMNS, RIBBON_ROWS);
    return cloth;
}

/* A ribbon is pulled down across another: both yield by half, which stretches them by 2 %. Separated by the masses of
   single particles alone they would be dented ever deeper where they cross, to a strain of 140 %. */
static void draw_ribbons(const char *stepper, tl_real most)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = (tl_vec3){0, (tl_real)-0.5, 0};
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth *lower = ribbon(world, stepper, 0, 0), *upper = ribbon(world, stepper, 0.005, 90);
    for (int frame = 0; frame < 40; ++frame) {
        for (int k = 0; k < 2 * RIBBON_ROWS; ++k) {
            int i = RIBBON_COLUMNS * (k / 2) + (k % 2) * (RIBBON_COLUMNS - 1);
            tl_vec3 target = tl_cloth_positions(upper)[i];
            target.y -= (tl_real)(0.1 / 60);
            assert_int_equal(tl_cloth_move_pin(upper, i, target), TL_OK);
        }
        run_frames(world, 1);
    }
    assert_true(tl_cloth_get_stats(lower).largest_strain < most && tl_cloth_get_stats(upper).largest_strain < most);
    assert_int_equal(tl_world_count_intersections(world), 0);
    tl_world_destroy(world);
}

static void ribbons_drawn_across_each_other_share_the_load(void **state)
{
    (void)state;
    draw_ribbons("implicit-euler", (tl_real)0.1);
    draw_ribbons("bdf2", (tl_real)0.1);
    draw_ribbons("constant-jacobian", (tl_real)0.1);
    draw_ribbons("thin-objects", (tl_real)0.5);
}

/* The pinned border of a sheet without stiffness is driven into it, in its plane: row pushes row, and nothing turns
   over. */
static void border_driven_into_a_limp_sheet_moves_it_on(void **state)
{
    (void)state;
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = (tl_vec3){0, 0, 0};
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth_def def = soft_sheet(9, 3, (tl_real)0.4, (tl_real)0.1);
    def.stepper = "xpbd";
    def.contact = "penetration-free";
    def.substeps = 10;
    def.thickness = (tl_real)0.01;
    def.elements.link_structural.stiffness = def.elements.link_shear.stiffness = def.elements.link_bend.stiffness =
        (tl_real)1e-6;
    tl_cloth *cloth = make_cloth(world, &def);
    for (int row = 0; row < 3; ++row)
        assert_int_equal(tl_cloth_pin(cloth, 9 * row, true), TL_OK);
    for (int frame = 0; frame < 20; ++frame) {
        tl_vec3 target[3];
        for (int row = 0; row < 3; ++row) {
            target[row] = tl_cloth_positions(cloth)[9 * row];
            target[row].x += (tl_real)0.01;
            assert_int_equal(tl_cloth_move_pin(cloth, 9 * row, target[row]), TL_OK);
        }
        run_frames(world, 1);
        for (int row = 0; row < 3; ++row)
            assert_true(tl_cloth_positions(cloth)[9 * row].x == target[row].x);
        assert_int_equal(tl_world_count_intersections(world), 0);
    }
    tl_world_destroy(world);
}

static void penetration_free_contact_brings_pinned_particles_to_their_targets(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = sheet(world, "penetration-free", 5, (tl_real)0.5, (tl_vec3){0, 1, 0});
    assert_int_equal(tl_cloth_pin(cloth, 3, true), TL_OK);
    tl_vec3 target = {(tl_real)0.1261, (tl_real)1.0321, (tl_real)-0.2567};
    assert_int_equal(tl_cloth_move_pin(cloth, 3, target), TL_OK);
    run_frames(world, 1);
    tl_vec3 at = tl_cloth_positions(cloth)[3];
    assert_true(at.x == target.x && at.y == target.y && at.z == target.z);
    tl_world_destroy(world);
}

static void layers_and_adaptive_substeps_exclude_each_other(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(5, 5, 1, 1);
    def.contact = "self-collision";
    def.adaptive = true;
    assert_null(tl_cloth_create(world, &def));
    assert_message(world, "adaptive.on");
    tl_world_destroy(world);
}

static void restored_world_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    uint64_t hash[2];
    static unsigned char bytes[1 << 20];
    for (int pass = 0; pass < 2; ++pass) {
        tl_world *world = make_world();
        tl_world_add_sphere(world, (tl_vec3){0, 0, 0}, (tl_real)0.2, (tl_real)0.4);
        sheet(world, "self-collision", 21, (tl_real)0.8, (tl_vec3){0, (tl_real)0.22, 0});
        sheet(world, "penetration-free", 21, (tl_real)0.8, (tl_vec3){(tl_real)0.02, (tl_real)0.25, (tl_real)0.03});
        size_t size = tl_world_snapshot_size(world);
        assert_true(size <= sizeof bytes);
        if (pass == 0) {
            run_frames(world, 20);
            assert_int_equal(tl_world_save(world, bytes, size), TL_OK);
        } else {
            assert_int_equal(tl_world_restore(world, bytes, size), TL_OK);
        }
        run_frames(world, 10);
        hash[pass] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counter_counts_intersecting_triangles),
        cmocka_unit_test(layers_on_a_ball_never_cross),
        cmocka_unit_test(collision_of_cloths_keeps_momentum),
        cmocka_unit_test(pile_on_a_slope_stays_and_comes_to_rest),
        cmocka_unit_test(folds_that_press_against_each_other_come_to_rest),
        cmocka_unit_test(self_collision_pulls_intersecting_cloth_apart),
        cmocka_unit_test(sheet_that_penetrates_another_is_pulled_out),
        cmocka_unit_test(penetration_free_contact_reports_intersections),
        cmocka_unit_test(pinned_particles_cannot_be_driven_through_cloth),
        cmocka_unit_test(twisted_strip_does_not_slip_through_itself),
        cmocka_unit_test(ribbons_drawn_across_each_other_share_the_load),
        cmocka_unit_test(border_driven_into_a_limp_sheet_moves_it_on),
        cmocka_unit_test(penetration_free_contact_brings_pinned_particles_to_their_targets),
        cmocka_unit_test(layers_and_adaptive_substeps_exclude_each_other),
        cmocka_unit_test(restored_world_goes_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
