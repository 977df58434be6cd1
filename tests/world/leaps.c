/* Games: capes on running characters, teleports, pins and bodies that leap, and cloth that is rejected again and again.
 */
#include "world_testing.h"

#include "core/random.h"

static uint32_t drawn;
static double draw(void) { return tl_random_unit(7, drawn++); }

static tl_quat about_y(double angle) { return (tl_quat){0, (tl_real)sin(angle / 2), 0, (tl_real)cos(angle / 2)}; }

static tl_quat product(tl_quat a, tl_quat b)
{
    return (tl_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

/* ---- a cape ------------------------------------------------------------------------------------------------------ */

enum { COLUMNS = 25, ROWS = 40, CAPSULES = 8, SHOULDERS = 7 };

typedef struct runner {
    tl_world *world;
    tl_cloth *cape;
    tl_body *body[CAPSULES];
    tl_quat own[CAPSULES];
    double x, z, angle;
} runner;

/* Where each capsule is in the character, its radius, length and turn about z. */
static const double limbs[CAPSULES][5] = {
    {0, 1.25, 0.16, 0.3, 0},       {0, 1, 0.15, 0.16, 90},    {0, 1.62, 0.11, 0.1, 0},    {0.22, 1.42, 0.07, 0.2, 60},
    {-0.22, 1.42, 0.07, 0.2, -60}, {0.1, 0.65, 0.09, 0.4, 0}, {-0.1, 0.65, 0.09, 0.4, 0}, {0, 1.42, 0.09, 0.24, 90}};

static runner start_runner(const char *fabric, bool by_hand)
{
    runner r = {.world = make_world()};
    for (int k = 0; k < CAPSULES; ++k) {
        tl_body_def def = tl_body_def_default();
        def.shape = "capsule";
        def.size = v3(limbs[k][2], limbs[k][3], 0);
        def.position = v3(limbs[k][0], limbs[k][1], 0);
        def.rotation = v3(0, 0, limbs[k][4]);
        assert_non_null(r.body[k] = tl_body_create(r.world, &def));
        tl_body_pose(r.body[k], NULL, &r.own[k]);
    }
    tl_cloth_def def = tl_cloth_def_grid(COLUMNS, ROWS, (tl_real)0.6, (tl_real)1.1);
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = "top";
    pin.body = by_hand ? -1 : SHOULDERS;
    def.pins = &pin;
    def.pin_count = 1;
    def.plane = "vertical";
    def.center = v3(0, 1.48 - 0.55, -0.19);
    def.fabric = fabric;
    r.cape = make_cloth(r.world, &def);
    return r;
}

/* Moves the character to where it is now, one frame's target. */
static void pose_runner(runner *r, double time, bool by_hand)
{
    double c = cos(r->angle), s = sin(r->angle), bob = 0.03 * sin(12 * time);
    for (int k = 0; k < CAPSULES; ++k)
        assert_int_equal(tl_body_move(r->body[k], v3(r->x + limbs[k][0] * c, limbs[k][1] + bob, r->z - limbs[k][0] * s),
                                      product(about_y(r->angle), r->own[k])),
                         TL_OK);
    for (int k = 0; k < COLUMNS && by_hand; ++k) {
        double x = -0.3 + 0.6 * k / (COLUMNS - 1), z = -0.19;
        tl_vec3 at = v3(r->x + x * c + z * s, 1.48 + bob, r->z - x * s + z * c);
        assert_int_equal(tl_cloth_move_pin(r->cape, k, at), TL_OK);
    }
}

static double cape_stretch(tl_cloth *cape)
{
    const tl_vec3 *x = tl_cloth_positions(cape);
    double most = 0;
    for (int k = 0; k < COLUMNS * ROWS; ++k)
        for (int along = 0; along < 2; ++along) {
            if (along ? k % COLUMNS == COLUMNS - 1 : k / COLUMNS == ROWS - 1)
                continue;
            tl_vec3 a = x[k], b = x[along ? k + 1 : k + COLUMNS];
            double rest = along ? 0.6 / (COLUMNS - 1) : 1.1 / (ROWS - 1);
            most = fmax(most,
                        sqrt(pow((double)(a.x - b.x), 2) + pow((double)(a.y - b.y), 2) + pow((double)(a.z - b.z), 2)) /
                                rest -
                            1);
        }
    return most;
}

/* Runs at 8 m/s, stops and goes at once, turns, leaps by 100 m every second; frames of 4 to 100 ms and pauses. */
static double run_cape(const char *fabric, bool by_hand, bool teleported, double seconds)
{
    runner r = start_runner(fabric, by_hand);
    double stretch = 0, next_leap = 1;
    tl_vec3 before[COLUMNS * ROWS];
    for (double time = 0; time < seconds;) {
        double kind = draw(), dt = kind < 0.05 ? 0 : kind < 0.15 ? 0.05 + 0.05 * draw() : kind < 0.4 ? 0.004 : 1 / 60.0;
        double speed = fmod(time, 1) < 0.6 ? 8 : 0;
        r.angle += fmod(time, 2) > 1.5 ? 3 * dt : 0;
        r.x += speed * dt * sin(r.angle);
        r.z += speed * dt * cos(r.angle);
        if (time > next_leap && dt > 0) {
            tl_vec3 from;
            tl_body_pose(r.body[0], &from, NULL);
            double turn = by_hand && !teleported ? 0 : 6 * draw();
            r.x += 100 * cos(next_leap);
            r.z += 100 * sin(next_leap);
            r.angle += turn;
            next_leap += 1;
            if (teleported)
                assert_int_equal(tl_cloth_teleport(r.cape, from, about_y(turn),
                                                   v3(r.x - (double)from.x, 0, r.z - (double)from.z), true),
                                 TL_OK);
        }
        pose_runner(&r, time, by_hand);
        memcpy(before, tl_cloth_positions(r.cape), sizeof before);
        assert_int_equal(tl_world_step(r.world, (tl_real)dt), TL_OK);
        assert_int_equal(tl_cloth_count_penetrating(r.cape, NULL), 0);
        stretch = fmax(stretch, cape_stretch(r.cape));
        assert_true((memcmp(before, tl_cloth_positions(r.cape), sizeof before) == 0) == (dt == 0));
        time += dt;
    }
    tl_vec3 shoulders = tl_cloth_positions(r.cape)[COLUMNS / 2]; /* where the character is, not left behind */
    assert_true(hypot((double)shoulders.x - r.x, (double)shoulders.z - r.z) < 0.5);
    tl_world_destroy(r.world);
    return stretch;
}

static void a_cape_survives_a_game(void **state)
{
    (void)state;
    for (int teleported = 0; teleported < 2; ++teleported)
        for (int by_hand = 0; by_hand < 2; ++by_hand) {
            double stretch = run_cape("custom", by_hand, teleported, by_hand || teleported ? 2.5 : 9);
            if (!(stretch <= 0.17)) /* frames beyond 0.15 are taken again */
                fail_msg("stretch %g %%, %s, %s", 100 * stretch, by_hand ? "by hand" : "by a body",
                         teleported ? "teleported" : "leapt");
        }
}

/* Silk hardly stretches; frames that are divided keep the velocity of its pins. */
static void a_cape_of_a_fabric_survives_a_game(void **state)
{
    (void)state;
    double stretch = run_cape("silk", false, false, 1.5);
    if (!(stretch <= 0.2))
        fail_msg("stretch %g %%", 100 * stretch);
}

/* ---- teleports --------------------------------------------------------------------------------------------------- */

static tl_cloth *small_sheet(tl_world *world, int pins, int body)
{
    tl_cloth_def def = tl_cloth_def_grid(9, 9, 1, 1);
    tl_pin_def pin[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pin[1].name = "top-right";
    pin[0].body = pin[1].body = body;
    def.pins = pin;
    def.pin_count = pins;
    return make_cloth(world, &def);
}

static void a_teleport_moves_shape_pins_and_velocities(void **state)
{
    (void)state;
    tl_world *world = make_world(), *other = make_world();
    tl_cloth *cloth = small_sheet(world, 2, -1), *still = small_sheet(other, 2, -1);
    run_frames(world, 20);
    run_frames(other, 20);
    /* a quarter turn about (1, 0, 0), then on by (1000, 5, -20): x' = z + 1 + 1000, z' = -(x - 1) - 20 */
    assert_int_equal(tl_cloth_teleport(cloth, v3(1, 0, 0), about_y(acos(-1) / 2), v3(1000, 5, -20), true), TL_OK);
    for (int v = 0; v < 81; ++v) {
        tl_vec3 a = tl_cloth_positions(still)[v], b = tl_cloth_positions(cloth)[v];
        assert_near((double)a.z + 1001, (double)b.x, 1e-4);
        assert_near((double)a.y + 5, (double)b.y, 1e-5);
        assert_near(-(double)a.x + 1 - 20, (double)b.z, 1e-5);
        assert_near((double)tl_cloth_velocities(still)[v].z, (double)tl_cloth_velocities(cloth)[v].x, 1e-5);
    }
    run_frames(world, 1);
    run_frames(other, 1);
    tl_vec3 a = tl_cloth_positions(still)[80], b = tl_cloth_positions(cloth)[80]; /* as if nothing had happened */
    assert_near((double)a.y + 5, (double)b.y, 1e-4);
    assert_near(-(double)a.x - 19, (double)b.z, 1e-4);
    assert_int_equal(tl_cloth_teleport(cloth, v3(0, 0, 0), (tl_quat){0, 0, 0, 1}, v3(1, 0, 0), false), TL_OK);
    assert_true(tl_cloth_energies(cloth).kinetic == 0);
    assert_int_equal(tl_cloth_teleport(cloth, v3(0, 0, 0), (tl_quat){0, 0, 0, 0}, v3(1, 0, 0), false), TL_ERROR_INPUT);
    assert_int_equal(tl_cloth_teleport(cloth, v3(NAN, 0, 0), (tl_quat){0, 0, 0, 1}, v3(1, 0, 0), false),
                     TL_ERROR_INPUT);
    tl_world_destroy(world);
    tl_world_destroy(other);
}

typedef struct lines {
    int count;
    char last[600];
} lines;

static void keep_line(void *user, const char *message)
{
    lines *all = user;
    if (!strstr(message, "leapt"))
        return;
    ++all->count;
    snprintf(all->last, sizeof all->last, "%s", message);
}

static tl_world *listened_world(lines *all)
{
    tl_world_def def = tl_world_def_default();
    def.log = keep_line;
    def.log_user = all;
    return tl_world_create(&def, NULL);
}

static void cloth_follows_pins_that_all_leap(void **state)
{
    (void)state;
    lines all = {0};
    tl_world *world = listened_world(&all);
    tl_cloth *cloth = small_sheet(world, 2, -1);
    run_frames(world, 30);
    for (int k = 0; k < 2; ++k) {
        tl_vec3 at = tl_cloth_positions(cloth)[k ? 8 : 0];
        at.x += 5000;
        assert_int_equal(tl_cloth_move_pin(cloth, k ? 8 : 0, at), TL_OK);
    }
    run_frames(world, 1);
    assert_int_equal(all.count, 1);
    assert_non_null(strstr(all.last, "leapt by 5e+03 m in 16.7 ms; the cloth was carried along"));
    run_frames(world, 30);
    assert_int_equal(all.count, 1);
    assert_true(fabs((double)tl_cloth_positions(cloth)[80].x - 5000) < 2);
    assert_true((double)tl_cloth_get_stats(cloth).largest_strain < 0.3);
    tl_world_destroy(world);
}

static void one_pin_that_leaps_gets_there_at_leap_speed(void **state)
{
    (void)state;
    lines all = {0};
    tl_world *world = listened_world(&all);
    tl_cloth *cloth = small_sheet(world, 2, -1);
    run_frames(world, 5);
    assert_int_equal(tl_cloth_move_pin(cloth, 0, v3(-20.5, 1, -0.5)), TL_OK); /* 20 m away: 24 frames at 50 m/s */
    for (int f = 1; f <= 30; ++f) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        assert_true(fabs((double)tl_cloth_positions(cloth)[0].x + 0.5) < f * 50 / 60.0 + 1);
    }
    assert_near(-20.5, (double)tl_cloth_positions(cloth)[0].x, 1e-5);
    assert_int_equal(all.count, 1);
    assert_non_null(strstr(all.last, "it gets there at the world's leap_speed"));
    tl_world_destroy(world);
}

/* A body that is put elsewhere pushes nothing on the way, one that moves fast does. */
static void a_body_that_leaps_does_not_sweep(void **state)
{
    (void)state;
    for (int leaps = 0; leaps < 2; ++leaps) {
        tl_world *world = make_world();
        assert_int_equal(tl_world_set(world, "gravity", &(tl_value){TL_PARAM_VEC3, {0, 0, 0}, NULL}), TL_OK);
        tl_body *ball = tl_world_add_sphere(world, v3(0, 0.8, 0), (tl_real)0.1, 0);
        tl_cloth *cloth = small_sheet(world, 0, -1);
        run_frames(world, 3);
        assert_int_equal(tl_body_move(ball, v3(0, leaps ? 50.8 : 1.4, 0), (tl_quat){0, 0, 0, 1}), TL_OK);
        run_frames(world, 1);
        assert_true((tl_cloth_momentum(cloth).y > (tl_real)0.01) == !leaps);
        tl_world_destroy(world);
    }
}

static void what_is_drawn_between_steps_does_not_jump(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body *ball = tl_world_add_sphere(world, v3(0, 0.3, 0), (tl_real)0.1, 0);
    tl_cloth *cloth = small_sheet(world, 2, -1);
    assert_memory_equal(tl_cloth_blended_positions(cloth, 0), tl_cloth_positions(cloth), 81 * sizeof(tl_vec3));
    run_frames(world, 10);
    tl_vec3 before[81], middle[81], position;
    memcpy(before, tl_cloth_positions(cloth), sizeof before);
    assert_int_equal(tl_body_move(ball, v3(0.1, 0.3, 0), (tl_quat){0, 0, 0, 1}), TL_OK);
    run_frames(world, 1);
    assert_memory_equal(tl_cloth_blended_positions(cloth, 0), before, sizeof before);
    memcpy(middle, tl_cloth_blended_positions(cloth, (tl_real)0.5), sizeof middle);
    for (int v = 0; v < 81; ++v)
        assert_near(((double)before[v].y + (double)tl_cloth_positions(cloth)[v].y) / 2, (double)middle[v].y, 1e-6);
    tl_body_blended_pose(ball, (tl_real)0.5, &position, NULL);
    assert_near(0.05, (double)position.x, 1e-6);
    /* a teleport is not smeared over the step */
    assert_int_equal(tl_cloth_teleport(cloth, v3(0, 0, 0), (tl_quat){0, 0, 0, 1}, v3(100, 0, 0), true), TL_OK);
    for (int v = 0; v < 81; ++v)
        assert_near((double)middle[v].x + 100, (double)tl_cloth_blended_positions(cloth, (tl_real)0.5)[v].x, 1e-4);
    tl_world_destroy(world);
}

/* ---- rejected again and again ------------------------------------------------------------------------------------ */

static void rejected_cloth_is_stopped_and_then_brought_back(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth *cloth = small_sheet(world, 1, -1);
    tl_vec3 start[81];
    memcpy(start, tl_cloth_positions(cloth), sizeof start);
    run_frames(world, 20);
    /* a speed that any motion exceeds: every frame is rejected */
    assert_int_equal(tl_world_set(world, "runaway_speed", &(tl_value){TL_PARAM_REAL, {1}, NULL}), TL_OK);
    assert_int_equal(tl_world_set(world, "gravity", &(tl_value){TL_PARAM_VEC3, {0, -500, 0}, NULL}), TL_OK);
    for (int f = 1; f <= 6; ++f) {
        assert_int_equal(tl_world_step(world, FRAME), TL_ERROR_UNSTABLE);
        assert_int_equal(tl_cloth_get_stats(cloth).recoveries, f / 3);
        assert_true((tl_cloth_energies(cloth).kinetic == 0) == (f >= 3));
        if (f == 3)
            assert_message(world, "the cloth was stopped");
    }
    assert_message(world, "brought back to its starting shape");
    for (int v = 0; v < 81; ++v)
        assert_near((double)start[v].y, (double)tl_cloth_positions(cloth)[v].y, 1e-5);
    assert_int_equal(tl_world_set(world, "runaway_speed", &(tl_value){TL_PARAM_REAL, {1000}, NULL}), TL_OK);
    assert_int_equal(tl_world_set(world, "gravity", &(tl_value){TL_PARAM_VEC3, {0, -10, 0}, NULL}), TL_OK);
    run_frames(world, 10);
    assert_true(tl_cloth_positions(cloth)[80].y < start[80].y);
    assert_int_equal(tl_cloth_get_stats(cloth).rejected_frames, 6);
    tl_world_destroy(world);
}

static void the_message_names_the_cause(void **state)
{
    (void)state;
    static const char *const causes[] = {"the air: it is too strong", "the pressure of its gas", "tl_cloth_add_force",
                                         "its stiffness and damping need"};
    for (int k = 0; k < 4; ++k) {
        tl_world_def world_def = tl_world_def_default();
        if (k == 0) {
            world_def.wind.kind = "uniform";
            world_def.wind.velocity = v3(0, 200, 0);
            world_def.wind.air_density = 1000;
        }
        tl_world *world = tl_world_create(&world_def, NULL);
        tl_cloth_def def = tl_cloth_def_grid(9, 9, 1, 1);
        def.stepper = "semi-implicit-euler";
        def.stable = false;
        def.elements.link_structural.stiffness = k == 3 ? (tl_real)1e7 : 10;
        def.elements.link_shear.stiffness = 10;
        if (k == 1) {
            def.shape = "ball";
            def.width = 1;
            def.gas.on = true;
            def.gas.overpressure = (tl_real)1e6;
        }
        def.ripple = (tl_real)0.02;
        tl_cloth *cloth = make_cloth(world, &def);
        tl_result result = TL_OK;
        for (int f = 0; f < 20 && result == TL_OK; ++f) {
            if (k == 2)
                assert_int_equal(tl_cloth_add_force(cloth, 40, v3(1e6, 0, 0)), TL_OK);
            result = tl_world_step(world, FRAME);
        }
        assert_int_equal(result, TL_ERROR_UNSTABLE);
        assert_message(world, causes[k]);
        tl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cape_survives_a_game),
        cmocka_unit_test(a_cape_of_a_fabric_survives_a_game),
        cmocka_unit_test(a_teleport_moves_shape_pins_and_velocities),
        cmocka_unit_test(cloth_follows_pins_that_all_leap),
        cmocka_unit_test(one_pin_that_leaps_gets_there_at_leap_speed),
        cmocka_unit_test(a_body_that_leaps_does_not_sweep),
        cmocka_unit_test(what_is_drawn_between_steps_does_not_jump),
        cmocka_unit_test(rejected_cloth_is_stopped_and_then_brought_back),
        cmocka_unit_test(the_message_names_the_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
