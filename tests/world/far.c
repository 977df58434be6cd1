/* The same motion far from the origin (world/origin.h): every stepper, at rest and carried along, through a change of
   origin, a snapshot and a rejected frame; and what is said where coordinates are too coarse. */
#include "world_testing.h"

static const double KM_10 = 10000;      /* m */
static const double STEP = 32.0 / 1024; /* m per frame: beyond 16 m, where the origin follows, after 9 s */
static const double TOLERANCE = 1e-4;   /* m */
/* m, m/s; bodies have positions in double precision, which a double build rounds itself */
static const double ROUNDING = DOUBLE_BUILD ? 1e-7 : 0;
enum { SIDE = 5, FRAMES = 600 };

typedef enum kind { HUNG, DRAPED, KINDS } kind;

typedef struct run {
    kind kind;
    const char *stepper, *contact;
    tl_vec3 offset;
    bool carried;
    void (*log)(void *user, const char *message);
    void *log_user;
} run;

typedef struct place {
    run run;
    tl_world *world;
    tl_cloth *cloth;
    tl_mesh *mesh; /* of the body */
    tl_vec3 travelled;
} place;

static tl_vec3 sum(tl_vec3 a, tl_vec3 b) { return (tl_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }

/* A wedge with a ridge along x. */
static tl_mesh *wedge(void)
{
    tl_vec3 p[6] = {v3(-0.25, 0, -0.125), v3(0.25, 0, -0.125), v3(0.25, 0, 0.125),
                    v3(-0.25, 0, 0.125),  v3(-0.25, 0.25, 0),  v3(0.25, 0.25, 0)};
    static const int f[24] = {0, 1, 2, 0, 2, 3, 0, 5, 1, 0, 4, 5, 3, 2, 5, 3, 5, 4, 0, 3, 4, 1, 5, 2};
    return tl_mesh_create(&(tl_mesh_def){.positions = p, .vertex_count = 6, .triangles = f, .triangle_count = 8}, NULL,
                          NULL);
}

static void add_bodies(place *at, tl_vec3 offset)
{
    assert_non_null(tl_world_add_plane(at->world, offset, v3(0, 1, 0), (tl_real)0.5));
    tl_vec3 ball = sum(v3(-0.1875, 0.25, 0.0625), offset);
    assert_non_null(tl_world_add_sphere(at->world, ball, (tl_real)0.125, (tl_real)0.5));
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    def.mesh = at->mesh = wedge();
    def.solid = true;
    def.position = sum(v3(0.25, 0.0625, 0), offset);
    assert_non_null(tl_body_create(at->world, &def));
}

static place start(const run *r)
{
    tl_error error = {0};
    tl_world_def world_def = tl_world_def_default();
    world_def.log = r->log;
    world_def.log_user = r->log_user;
    place at = {.run = *r, .world = tl_world_create(&world_def, &error)};
    assert_non_null(at.world);
    if (r->kind == DRAPED)
        add_bodies(&at, r->offset);
    tl_cloth_def def = soft_sheet(SIDE, SIDE, (tl_real)0.75, (tl_real)0.75);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    if (r->kind == HUNG) {
        def.plane = "vertical";
        def.pins = pins;
        def.pin_count = 2;
    }
    def.center = sum(v3(0.125, r->kind == HUNG ? 1 : 0.5, 0.25), r->offset);
    def.stepper = r->stepper;
    def.substep_rate = strstr("xpbd projection range", r->stepper) ? 2400 : 0; /* rounding does not grow */
    if (r->contact)
        def.contact = r->contact;
    def.particle_mass = (tl_real)0.02;
    bool gains_energy = strcmp(r->stepper, "explicit-euler") == 0;
    def.damping = gains_energy ? 8 : 2;
    def.substeps = gains_energy ? 64 : def.substeps;
    at.cloth = make_cloth(at.world, &def);
    return at;
}

static void finish(place *at)
{
    tl_world_destroy(at->world);
    tl_mesh_destroy(at->mesh);
}

/* Carries pins and bodies on by one frame. */
static void carry(place *at)
{
    tl_vec3 step = v3(STEP, 0, -STEP);
    at->travelled = sum(at->travelled, step);
    for (int k = 0; k < 2 && at->run.kind == HUNG; ++k) {
        tl_vec3 corner = v3(0.125 + (k ? 0.375 : -0.375), 1.375, 0.25);
        int vertex = k ? SIDE - 1 : 0;
        assert_int_equal(tl_cloth_move_pin(at->cloth, vertex, sum(sum(corner, at->run.offset), at->travelled)), TL_OK);
    }
    for (int b = 0; b < tl_world_body_count(at->world); ++b) {
        tl_body *body = tl_world_body(at->world, b);
        tl_vec3 position;
        tl_quat rotation;
        tl_body_pose(body, &position, &rotation);
        assert_int_equal(tl_body_move(body, sum(position, step), rotation), TL_OK);
    }
}

static void advance(place *at, int frames)
{
    for (int f = 0; f < frames; ++f) {
        if (at->run.carried)
            carry(at);
        run_frames(at->world, 1);
    }
}

/* Largest difference of two shapes, each relative to the offset of its run, m. */
static double difference(place *a, place *b)
{
    const tl_vec3 *x = tl_cloth_local_positions(a->cloth), *y = tl_cloth_local_positions(b->cloth);
    tl_vec3 from = tl_cloth_origin(a->cloth), to = tl_cloth_origin(b->cloth);
    double shift[3] = {(double)from.x - (double)a->run.offset.x - ((double)to.x - (double)b->run.offset.x),
                       (double)from.y - (double)a->run.offset.y - ((double)to.y - (double)b->run.offset.y),
                       (double)from.z - (double)a->run.offset.z - ((double)to.z - (double)b->run.offset.z)};
    double largest = 0;
    for (int v = 0; v < tl_cloth_vertex_count(a->cloth); ++v) {
        double dx = (double)x[v].x - (double)y[v].x + shift[0], dy = (double)x[v].y - (double)y[v].y + shift[1],
               dz = (double)x[v].z - (double)y[v].z + shift[2];
        largest = fmax(largest, sqrt(dx * dx + dy * dy + dz * dz));
    }
    return largest;
}

/* How far two runs are apart after the same number of frames, m. */
static double compare(const run *first, const run *second, int frames)
{
    place a = start(first), b = start(second);
    advance(&a, frames);
    advance(&b, frames);
    double apart = difference(&a, &b);
    finish(&a);
    finish(&b);
    return apart;
}

static void assert_same_bits(place *a, place *b)
{
    size_t bytes = (size_t)tl_cloth_vertex_count(a->cloth) * sizeof(tl_vec3);
    assert_memory_equal(tl_cloth_local_positions(a->cloth), tl_cloth_local_positions(b->cloth), bytes);
    assert_memory_equal(tl_cloth_velocities(a->cloth), tl_cloth_velocities(b->cloth), bytes);
}

static void every_stepper_moves_alike_10_km_away(void **state)
{
    (void)state;
    for (const char *const *name = tl_stepper_names(); *name; ++name)
        for (kind k = 0; k < KINDS; ++k)
            for (int carried = 0; carried < 2; ++carried) {
                run near = {.kind = k, .stepper = *name, .carried = carried}, away = near;
                away.offset = v3(KM_10, 0, KM_10);
                double apart = compare(&near, &away, k == DRAPED && carried ? FRAMES / 6 : FRAMES);
                if (!(apart <= TOLERANCE))
                    fail_msg("%s, %s, %s: %g mm apart", *name, k == HUNG ? "hung" : "draped",
                             carried ? "carried" : "at rest", 1e3 * apart);
            }
}

static void contact_methods_agree_10_km_away(void **state)
{
    (void)state;
    for (const char *const *contact = tl_contact_names(); *contact; ++contact) {
        run near = {.kind = DRAPED, .stepper = "xpbd", .contact = *contact, .carried = true}, away = near;
        away.offset = v3(-KM_10, KM_10, KM_10);
        place a = start(&near), b = start(&away);
        advance(&a, FRAMES / 6);
        advance(&b, FRAMES / 6);
        assert_same_bits(&a, &b);
        tl_real depth[2];
        assert_int_equal(tl_cloth_count_penetrating(a.cloth, &depth[0]),
                         tl_cloth_count_penetrating(b.cloth, &depth[1]));
        assert_near((double)depth[0], (double)depth[1], ROUNDING);
        finish(&a);
        finish(&b);
    }
}

/* Coordinates that are rounded differently: the origin is at other distances and follows in other frames. The sheet
   hangs, so that rounding does not grow. */
static void origin_follows_without_a_jolt(void **state)
{
    (void)state;
    static const char *const steppers[] = {"xpbd", "verlet", "explicit-euler", "rk4", "implicit-euler", "bdf2"};
    for (size_t k = 0; k < sizeof steppers / sizeof *steppers; ++k) {
        run near = {.kind = HUNG, .stepper = steppers[k], .carried = true}, away = near;
        away.offset = v3(KM_10 + 6.0 + 5.0 / 1024, 0, KM_10 - 7.0 - 1.0 / 1024);
        place a = start(&near), b = start(&away);
        tl_vec3 from = tl_cloth_origin(a.cloth);
        advance(&a, FRAMES);
        advance(&b, FRAMES);
        tl_vec3 to = tl_cloth_origin(a.cloth);
        assert_near(16, (double)to.x - (double)from.x, 0);
        assert_near(-16, (double)to.z - (double)from.z, 0);
        assert_near(0, difference(&a, &b), TOLERANCE);
        finish(&a);
        finish(&b);
    }
}

/* Moves the run's own idea of where it is along with the world. */
static void shift(place *at, tl_vec3 by)
{
    assert_int_equal(tl_world_shift_origin(at->world, by), TL_OK);
    at->run.offset = (tl_vec3){at->run.offset.x - by.x, at->run.offset.y - by.y, at->run.offset.z - by.z};
}

static void shifted_origin_keeps_the_bits_of_the_shape(void **state)
{
    (void)state;
    for (kind k = 0; k < KINDS; ++k) {
        run away = {.kind = k, .stepper = "xpbd", .offset = v3(KM_10, 0, KM_10), .carried = true};
        place a = start(&away), b = start(&away);
        advance(&a, 30);
        advance(&b, 30);
        shift(&b, v3(KM_10, 0, KM_10 + 3.0 / 1024));
        assert_same_bits(&a, &b);
        advance(&a, 30);
        advance(&b, 30);
        assert_same_bits(&a, &b);
        /* and what is read is what it was, less the shift */
        const tl_vec3 *x = tl_cloth_positions(b.cloth), *local = tl_cloth_local_positions(b.cloth);
        tl_vec3 origin = tl_cloth_origin(b.cloth);
        assert_near(-3.0 / 1024, (double)origin.z, 0);
        for (int v = 0; v < tl_cloth_vertex_count(b.cloth); ++v)
            assert_near((double)local[v].z + (double)origin.z, (double)x[v].z, 1e-6);
        for (int body = 0; body < tl_world_body_count(b.world); ++body) {
            tl_vec3 p, q;
            tl_body_pose(tl_world_body(a.world, body), &p, NULL);
            tl_body_pose(tl_world_body(b.world, body), &q, NULL);
            assert_near((double)p.x - KM_10, (double)q.x, 0);
            assert_near(tl_body_distance(tl_world_body(a.world, body), p, NULL),
                        tl_body_distance(tl_world_body(b.world, body), q, NULL), 0);
        }
        finish(&a);
        finish(&b);
    }
}

/* Keyframes, turbulence and a shift that is no binary fraction. */
static void shifted_origin_takes_wind_and_keyframes_along(void **state)
{
    (void)state;
    tl_world *a = stage_world(&(stage){.turbulent = true}), *b = stage_world(&(stage){.turbulent = true});
    tl_cloth *still = tl_world_cloth(a, 0), *shifted = tl_world_cloth(b, 0);
    run_frames(a, 10);
    run_frames(b, 10);
    double height = 250.3;
    tl_energies before = tl_cloth_energies(shifted);
    assert_int_equal(tl_world_shift_origin(b, v3(1234.1, height, -77.7)), TL_OK);
    tl_vec3 wind = tl_world_wind_at(a, v3(0.5, 1, 0.25)),
            same = tl_world_wind_at(b, v3(0.5 - 1234.1, 1 - height, 77.95));
    assert_near((double)wind.x, (double)same.x, 1e-2); /* the place is rounded */
    tl_energies after = tl_cloth_energies(shifted);
    double mass = 13 * 11 * 0.02, g = (double)tl_world_get_def(b)->gravity.y;
    assert_near(before.gravity + mass * g * height, after.gravity, 1e-4 * fabs(after.gravity));
    assert_near(-0.2 - 1234.1, (double)tl_body_get_def(tl_world_body(b, 2))->position.x, 1e-3);
    run_frames(a, 20);
    run_frames(b, 20);
    size_t bytes = (size_t)tl_cloth_vertex_count(still) * sizeof(tl_vec3);
    assert_memory_equal(tl_cloth_local_positions(still), tl_cloth_local_positions(shifted), bytes);
    assert_true(tl_world_hash(a) != tl_world_hash(b));
    assert_int_equal(tl_world_shift_origin(b, v3(NAN, 0, 0)), TL_ERROR_INPUT);
    tl_world_destroy(a);
    tl_world_destroy(b);
}

static void snapshot_far_away_restores_the_bits(void **state)
{
    (void)state;
    static const char *const steppers[KINDS] = {[HUNG] = "bdf2", [DRAPED] = "xpbd"};
    for (kind k = 0; k < KINDS; ++k) {
        run away = {.kind = k, .stepper = steppers[k], .offset = v3(KM_10, 0, KM_10), .carried = true};
        place a = start(&away), b = start(&away);
        advance(&a, 40);
        size_t size = tl_world_snapshot_size(a.world);
        void *bytes = malloc(size);
        assert_int_equal(tl_world_save(a.world, bytes, size), TL_OK);
        tl_vec3 travelled = a.travelled;
        /* into another world, whose origin is elsewhere since */
        shift(&b, v3(512, 0, 0));
        advance(&b, 5);
        assert_int_equal(tl_world_restore(b.world, bytes, size), TL_OK);
        b.run.offset = away.offset;
        b.travelled = travelled;
        assert_true(tl_world_hash(a.world) == tl_world_hash(b.world));
        assert_memory_equal(tl_cloth_positions(a.cloth), tl_cloth_positions(b.cloth), SIDE * SIDE * sizeof(tl_vec3));
        advance(&a, 500); /* the origin follows */
        advance(&b, 500);
        assert_same_bits(&a, &b);
        /* and back in the first */
        assert_int_equal(tl_world_restore(a.world, bytes, size), TL_OK);
        a.travelled = travelled;
        advance(&a, 500);
        assert_same_bits(&a, &b);
        free(bytes);
        finish(&a);
        finish(&b);
    }
}

static void rejected_frames_far_away_are_those_at_the_origin(void **state)
{
    (void)state;
    run near = {.kind = DRAPED, .stepper = "verlet"}, away = near;
    away.offset = v3(KM_10, 0, KM_10);
    place a = start(&near), b = start(&away);
    for (int f = 0; f < 60; ++f) {
        if (f == 20 || f == 40) /* too stiff for its substeps, then soft again */
            for (int k = 0; k < 2; ++k)
                set_real(k ? b.cloth : a.cloth, "link.structural.stiffness", f == 20 ? 1e8 : 50);
        assert_int_equal(tl_world_step(a.world, FRAME), tl_world_step(b.world, FRAME));
        assert_same_bits(&a, &b);
    }
    assert_true(tl_cloth_get_stats(a.cloth).rejected_frames > 0);
    assert_int_equal(tl_cloth_get_stats(a.cloth).rejected_frames, tl_cloth_get_stats(b.cloth).rejected_frames);
    finish(&a);
    finish(&b);
}

static void cloth_teleported_10_km_goes_on_alike(void **state)
{
    (void)state;
    run r = {.kind = HUNG, .stepper = "semi-implicit-euler"};
    place a = start(&r), b = start(&r);
    tl_vec3 x[SIDE * SIDE];
    memcpy(x, tl_cloth_positions(b.cloth), sizeof x);
    for (int v = 0; v < SIDE * SIDE; ++v)
        x[v] = sum(x[v], v3(-KM_10, 0, KM_10));
    assert_int_equal(tl_cloth_set_state(b.cloth, x, NULL), TL_OK);
    b.run.offset = v3(-KM_10, 0, KM_10);
    advance(&a, 60);
    advance(&b, 60);
    assert_same_bits(&a, &b);
    assert_near(0, difference(&a, &b), 0);
    /* back to where coordinates have digits that they have not at 10 km */
    memcpy(x, tl_cloth_positions(a.cloth), sizeof x);
    assert_int_equal(tl_cloth_set_state(b.cloth, x, tl_cloth_velocities(a.cloth)), TL_OK);
    assert_memory_equal(x, tl_cloth_positions(b.cloth), sizeof x);
    finish(&a);
    finish(&b);
}

/* A heavy ball falls into a sheet whose rim follows a body, pinned by a region. */
static tl_world *trampoline(tl_vec3 offset)
{
    tl_world *world = make_world();
    tl_body_def frame = tl_body_def_default();
    frame.shape = "box";
    frame.size = v3(0.125, 0.125, 0.125);
    frame.position = sum(v3(4, 0.5, 0), offset);
    tl_key_def keys[2] = {tl_key_def_default(), tl_key_def_default()};
    keys[1].time = 1;
    keys[1].position = v3(0.1, 0.1, 0.1);
    frame.keys = keys;
    frame.key_count = 2;
    assert_non_null(tl_body_create(world, &frame));
    tl_body_def ball = tl_body_def_default();
    ball.position = sum(v3(0, 1.25, 0), offset);
    ball.size = v3(0.125, 0.125, 0.125);
    ball.mass = 1;
    assert_non_null(tl_body_create(world, &ball));
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    for (int k = 0; k < 2; ++k) {
        pins[k].where = "region";
        pins[k].body = 0;
        pins[k].low = sum(v3(k ? 0.4375 : -0.5625, 0.9375, -1), offset);
        pins[k].high = sum(v3(k ? 0.5625 : -0.4375, 1.0625, 1), offset);
    }
    tl_cloth_def def = soft_sheet(9, 9, 1, 1);
    def.center = sum(v3(0, 1, 0), offset);
    def.pins = pins;
    def.pin_count = 2;
    make_cloth(world, &def);
    return world;
}

static void dynamic_bodies_and_pins_on_bodies_agree_10_km_away(void **state)
{
    (void)state;
    tl_world *a = trampoline(v3(0, 0, 0)), *b = trampoline(v3(KM_10, 0, KM_10));
    for (int v = 0; v < 81; ++v)
        assert_true(tl_cloth_pinned(tl_world_cloth(b, 0), v) == (v % 9 == 0 || v % 9 == 8));
    for (int f = 0; f < 120; ++f) {
        assert_int_equal(tl_world_step(a, FRAME), tl_world_step(b, FRAME));
        tl_vec3 u, v, p, q;
        tl_body_velocity(tl_world_body(a, 1), &u, NULL);
        tl_body_velocity(tl_world_body(b, 1), &v, NULL);
        assert_near((double)u.y, (double)v.y, ROUNDING);
        tl_body_pose(tl_world_body(a, 1), &p, NULL);
        tl_body_pose(tl_world_body(b, 1), &q, NULL);
        assert_near((double)p.x + KM_10, (double)q.x, 1e-3); /* as world coordinates show it */
    }
    const tl_vec3 *x = tl_cloth_local_positions(tl_world_cloth(a, 0)),
                  *y = tl_cloth_local_positions(tl_world_cloth(b, 0));
    for (int v = 0; v < 81; ++v) {
        assert_near((double)x[v].x, (double)y[v].x, ROUNDING);
        assert_near((double)x[v].y, (double)y[v].y, ROUNDING);
        assert_near((double)x[v].z, (double)y[v].z, ROUNDING);
    }
    tl_world_destroy(a);
    tl_world_destroy(b);
}

/* A sheet that swings from one corner against a ball. */
static void add_corner(tl_world *world, tl_vec3 offset)
{
    tl_cloth_def def = soft_sheet(SIDE, SIDE, (tl_real)0.75, (tl_real)0.75);
    tl_pin_def pin = tl_pin_def_default();
    def.pins = &pin;
    def.pin_count = 1;
    def.center = sum(v3(0.125, 1, 0.25), offset);
    make_cloth(world, &def);
    assert_non_null(tl_world_add_sphere(world, sum(v3(0.125, 0.5, 0.25), offset), (tl_real)0.25, (tl_real)0.5));
}

/* Cloths that cannot touch have coordinates of their own. */
static void one_world_holds_cloths_10_km_apart(void **state)
{
    (void)state;
    tl_world *world = make_world();
    for (int k = 0; k < 3; ++k)
        add_corner(world, v3(k == 0 ? 0 : k == 1 ? KM_10 : -KM_10, 0, k * KM_10));
    for (int f = 0; f < 120; ++f) {
        for (int b = 0; b < 3; ++b) {
            tl_vec3 position;
            tl_body_pose(tl_world_body(world, b), &position, NULL);
            tl_body_move(tl_world_body(world, b), sum(position, v3(1.0 / 1024, 0, 0)), (tl_quat){0, 0, 0, 1});
        }
        run_frames(world, 1);
        for (int k = 1; k < 3; ++k) {
            tl_cloth *first = tl_world_cloth(world, 0), *cloth = tl_world_cloth(world, k);
            assert_memory_equal(tl_cloth_local_positions(first), tl_cloth_local_positions(cloth),
                                SIDE * SIDE * sizeof(tl_vec3));
            assert_int_equal(tl_cloth_get_stats(first).contacts, tl_cloth_get_stats(cloth).contacts);
            assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
        }
    }
    assert_true(tl_cloth_get_stats(tl_world_cloth(world, 2)).contacts > 0);
    assert_near(-KM_10, (double)tl_cloth_origin(tl_world_cloth(world, 2)).x, 0);
    assert_near(2 * KM_10, (double)tl_cloth_origin(tl_world_cloth(world, 2)).z, 0);
    tl_world_destroy(world);
}

static void intersections_are_counted_between_coordinates(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(SIDE, SIDE, 1, 1);
    def.contact = "none";
    def.center = v3(0, 1, 0);
    make_cloth(world, &def);
    def.center = v3(KM_10, 1, 0);
    make_cloth(world, &def);
    assert_int_equal(tl_world_count_intersections(world), 0); /* equal in local coordinates */
    def.rotation = v3(77, 20, 30);                            /* coordinates with all their digits */
    def.center = v3(KM_10 + 0.125, 1.0625, 0.0625);
    tl_pin_def pin = tl_pin_def_default();
    def.pins = &pin;
    def.pin_count = 1;
    tl_cloth *cloth = make_cloth(world, &def);
    tl_vec3 before[SIDE * SIDE];
    memcpy(before, tl_cloth_local_positions(cloth), sizeof before);
    int count = tl_world_count_intersections(world);
    assert_true(count > 0);
    assert_int_equal(tl_cloth_count_intersections(cloth, NULL), count);
    assert_memory_equal(before, tl_cloth_local_positions(cloth), sizeof before);
    run_frames(world, 1);
    assert_memory_equal(before, tl_cloth_local_positions(cloth), sizeof *before); /* the pinned corner */
    tl_world_destroy(world);
}

typedef struct lines {
    int count;
    char last[512];
} lines;

static void count_lines(void *user, const char *message)
{
    lines *all = user;
    ++all->count;
    snprintf(all->last, sizeof all->last, "%s", message);
}

static void coarse_coordinates_are_reported_once(void **state)
{
    (void)state;
    if (DOUBLE_BUILD)
        skip(); /* fine at 10 km */
    lines all = {0};
    run r = {.kind = HUNG, .stepper = "xpbd", .log = count_lines, .log_user = &all};
    place near = start(&r);
    advance(&near, 3);
    assert_int_equal(all.count, 0);
    r.offset = v3(KM_10, 0, 0);
    place away = start(&r);
    advance(&away, 3);
    assert_int_equal(all.count, 1);
    assert_non_null(strstr(all.last, "too coarse to show edges of 188 mm"));
    assert_non_null(strstr(all.last, "0.98 mm apart"));

    /* cloths that may touch share coordinates: one of them 10 km away is coarse in shape and motion as well */
    r.contact = "self-collision";
    place both = start(&r);
    assert_int_equal(all.count, 2);
    tl_cloth_def def = soft_sheet(SIDE, SIDE, 1, 1);
    snprintf(def.label, sizeof def.label, "lonely");
    def.contact = r.contact;
    make_cloth(both.world, &def);
    advance(&both, 3);
    assert_int_equal(all.count, 3);
    assert_non_null(strstr(all.last, "lonely"));
    assert_non_null(strstr(all.last, "a world of its own"));
    assert_near(KM_10, (double)tl_cloth_origin(both.cloth).x, 0); /* the first keeps its digits */
    finish(&both);
    finish(&near);
    finish(&away);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stepper_moves_alike_10_km_away),
        cmocka_unit_test(contact_methods_agree_10_km_away),
        cmocka_unit_test(origin_follows_without_a_jolt),
        cmocka_unit_test(shifted_origin_keeps_the_bits_of_the_shape),
        cmocka_unit_test(shifted_origin_takes_wind_and_keyframes_along),
        cmocka_unit_test(snapshot_far_away_restores_the_bits),
        cmocka_unit_test(rejected_frames_far_away_are_those_at_the_origin),
        cmocka_unit_test(cloth_teleported_10_km_goes_on_alike),
        cmocka_unit_test(dynamic_bodies_and_pins_on_bodies_agree_10_km_away),
        cmocka_unit_test(one_world_holds_cloths_10_km_apart),
        cmocka_unit_test(intersections_are_counted_between_coordinates),
        cmocka_unit_test(coarse_coordinates_are_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
