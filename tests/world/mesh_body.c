/* Mesh bodies: contact over the whole surface, identical through every tree, continuous, with friction, moving,
   deforming. */
#include "world_testing.h"

#include "core/vec.h"

/* A closed box mesh. */
static tl_mesh *box_mesh(double x, double y, double z)
{
    tl_vec3 p[8];
    for (int k = 0; k < 8; ++k)
        p[k] = v3(k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z);
    static const int f[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = 8, .triangles = f, .triangle_count = 12}, NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

static tl_body_def mesh_def(const tl_mesh *mesh, bool solid, double friction)
{
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    def.mesh = mesh;
    def.solid = solid;
    def.friction = (tl_real)friction;
    return def;
}

static tl_body *add_mesh(tl_world *world, const tl_mesh *mesh, bool solid, double friction)
{
    tl_body_def def = mesh_def(mesh, solid, friction);
    tl_body *body = tl_body_create(world, &def);
    if (!body)
        fail_msg("%s", tl_last_error(world));
    return body;
}

static tl_cloth *small_sheet(tl_world *world, tl_vec3 center, tl_vec3 rotation)
{
    tl_cloth_def def = soft_sheet(7, 7, (tl_real)0.3, (tl_real)0.3);
    def.center = center;
    def.rotation = rotation;
    def.stepper = "xpbd";
    def.substeps = 10;
    def.thickness = (tl_real)0.01;
    def.air = "off";
    return make_cloth(world, &def);
}

static tl_real lowest(tl_cloth *cloth)
{
    tl_real low = INFINITY;
    for (int v = 0; v < tl_cloth_vertex_count(cloth); ++v)
        low = tl_cloth_positions(cloth)[v].y < low ? tl_cloth_positions(cloth)[v].y : low;
    return low;
}

static void body_of_shape_mesh_needs_one(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    assert_null(tl_body_create(world, &def));
    assert_message(world, "mesh");
    assert_int_equal(tl_world_body_count(world), 0);
    tl_world_destroy(world);
}

static void distance_from_a_mesh_is_signed(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_mesh *mesh = box_mesh(1, 2, 3);
    tl_body *body = add_mesh(world, mesh, true, 0.5);
    static const struct {
        double at[3], distance, normal[3];
    } places[] = {{{1.5, 0, 0}, 0.5, {1, 0, 0}},
                  {{0.7, 0, 0}, -0.3, {1, 0, 0}},
                  {{0, 2.25, 0.5}, 0.25, {0, 1, 0}},
                  {{2, 3, 4}, 1.7320508, {0.57735, 0.57735, 0.57735}},
                  {{0.2, -1.9, 0}, -0.1, {0, -1, 0}}};
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        tl_vec3 n;
        tl_real d = tl_body_distance(body, v3(places[k].at[0], places[k].at[1], places[k].at[2]), &n);
        assert_near(places[k].distance, (double)d, 1e-5);
        assert_near(places[k].normal[0], (double)n.x, 1e-4);
        assert_near(places[k].normal[1], (double)n.y, 1e-4);
        assert_near(places[k].normal[2], (double)n.z, 1e-4);
    }
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* A spike much thinner than the cloth's edges supports the sheet between its particles. */
static void spike_between_particles_does_not_poke_through(void **state)
{
    (void)state;
    tl_vec3 p[4] = {v3(-0.02, 0, -0.02), v3(0.02, 0, -0.02), v3(0, 0, 0.02), v3(0.003, 0.5, 0.002)};
    static const int f[12] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = 4, .triangles = f, .triangle_count = 4, .repair = true}, NULL,
        NULL);
    tl_world *world = make_world();
    add_mesh(world, mesh, true, 2);
    /* particles are 5 cm apart; the spike hits the middle of a face */
    tl_cloth *cloth = small_sheet(world, v3(0.02, 0.53, 0.012), v3(0, 0, 0));
    run_frames(world, 12);
    tl_real top = -INFINITY;
    for (int v = 0; v < tl_cloth_vertex_count(cloth); ++v)
        top = tl_cloth_positions(cloth)[v].y > top ? tl_cloth_positions(cloth)[v].y : top;
    assert_true(top > (tl_real)0.49); /* free fall would have taken it all to 0.33 m */
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

static void both_trees_give_the_same_contacts(void **state)
{
    (void)state;
    uint64_t hash[2];
    tl_mesh *mesh = box_mesh(0.1, 0.1, 0.1);
    for (int k = 0; k < 2; ++k) {
        tl_world *world = make_world();
        tl_body_def def = tl_body_def_default();
        def.shape = "mesh";
        def.mesh = mesh;
        def.tree = k ? "octree" : "bvh";
        def.rotation = v3(20, 30, 40);
        assert_non_null(tl_body_create(world, &def));
        tl_cloth *cloth = small_sheet(world, v3(0.02, 0.15, 0.01), v3(0, 10, 0));
        run_frames(world, 12);
        assert_true(tl_cloth_get_stats(cloth).pairs > 0); /* they are in contact */
        hash[k] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
    tl_mesh_destroy(mesh);
}

/* A sheet shot at a thin square, also while that moves and rotates, at up to 100 m/s: no particle tunnels through
   it. */
static void nothing_tunnels_through_a_thin_mesh(void **state)
{
    (void)state;
    static const double speeds[] = {1, 10, 30, 100};
    tl_mesh *mesh = square_mesh(2);
    for (int moving = 0; moving < 2; ++moving)
        for (size_t k = 0; k < sizeof speeds / sizeof *speeds; ++k) {
            tl_world *world = make_world();
            tl_body *body = add_mesh(world, mesh, false, 0.3);
            tl_cloth *cloth = small_sheet(world, v3(0.1, 0.5, 0.05), v3(10, 20, 5));
            tl_vec3 v[49];
            for (int i = 0; i < 49; ++i)
                v[i] = v3(0, -speeds[k], 0);
            assert_int_equal(tl_cloth_set_state(cloth, NULL, v), TL_OK);
            for (int frame = 0; frame < 40; ++frame) {
                double up = moving ? 0.01 * (frame + 1) : 0;
                assert_int_equal(tl_body_move(body, v3(0, up, 0), (tl_quat){0, 0, 0, 1}), TL_OK);
                tl_world_step(world, FRAME);
                if (lowest(cloth) < (tl_real)(up - 1e-4))
                    fail_msg("%g m/s, frame %d: %g below %g", speeds[k], frame, (double)lowest(cloth), up);
            }
            tl_world_destroy(world);
        }
    tl_mesh_destroy(mesh);
}

/* On an inclined mesh the sheet sticks while tan θ ≤ μ and else slides with g (sin θ − μ cos θ). Without friction of
   its own it slides on everything. */
static void inclined_mesh_obeys_coulomb(void **state)
{
    (void)state;
    tl_mesh *mesh = square_mesh(10);
    const double angle = 0.35, g = 9.81;
    static const struct {
        double cloth, slope, both;
    } frictions[] = {{1, 0, 0}, {1, 0.2, 0.2}, {0.5, 0.9, 0.45}, {1, INFINITY, INFINITY}, {0, INFINITY, 0}};
    for (size_t k = 0; k < sizeof frictions / sizeof *frictions; ++k) {
        tl_world *world = make_world();
        double degrees = angle * 180 / 3.14159265358979;
        tl_body_def slope = mesh_def(mesh, false, frictions[k].slope);
        slope.rotation = v3(0, 0, degrees);
        assert_non_null(tl_body_create(world, &slope));
        tl_cloth *cloth = small_sheet(world, v3(-0.0101 * sin(angle), 0.0101 * cos(angle), 0), v3(0, 0, degrees));
        assert_int_equal(tl_cloth_set(cloth, "friction", &(tl_value){TL_PARAM_REAL, {frictions[k].cloth}, NULL}),
                         TL_OK);
        run_frames(world, 30);
        tl_real from = tl_cloth_positions(cloth)[24].x;
        tl_real speed = tl_cloth_velocities(cloth)[24].x;
        run_frames(world, 30);
        double friction = frictions[k].both,
               expected = friction < tan(angle) ? g * (sin(angle) - friction * cos(angle)) : 0;
        double gained = -(double)(tl_cloth_velocities(cloth)[24].x - speed) / cos(angle) / 0.5;
        assert_near(expected, gained, 0.03 * g * sin(angle));
        if (expected == 0)
            assert_near((double)from, (double)tl_cloth_positions(cloth)[24].x, 1e-4);
        tl_world_destroy(world);
    }
    tl_mesh_destroy(mesh);
}

static void deforming_body_carries_the_cloth(void **state)
{
    (void)state;
    tl_mesh *mesh = square_mesh(1);
    tl_world *world = make_world();
    tl_body *body = add_mesh(world, mesh, false, 0.5);
    tl_cloth *cloth = small_sheet(world, v3(0, 0.012, 0), v3(0, 0, 0));
    tl_vec3 x[4];
    assert_int_equal(tl_body_vertices(body, x), 4);
    for (int frame = 0; frame < 30; ++frame) {
        for (int v = 0; v < 4; ++v)
            x[v].y += (tl_real)0.01;
        assert_int_equal(tl_body_move_vertices(body, x), TL_OK);
        run_frames(world, 1);
        assert_true(lowest(cloth) > x[0].y);
    }
    x[0].y = (tl_real)NAN;
    assert_int_equal(tl_body_move_vertices(body, x), TL_ERROR_INPUT);
    assert_int_equal(tl_body_move_vertices(tl_world_add_sphere(world, v3(9, 9, 9), 1, 1), x), TL_ERROR_INPUT);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* A sheet that starts inside a solid is moved out of it, and no particle is inside afterwards. */
static void particles_inside_a_solid_are_put_outside(void **state)
{
    (void)state;
    tl_mesh *mesh = box_mesh(0.2, 0.2, 0.2);
    tl_world *world = make_world();
    tl_body *body = add_mesh(world, mesh, true, 0.5);
    tl_cloth *cloth = small_sheet(world, v3(0.01, 0.15, 0.01), v3(0, 0, 0));
    tl_real deepest;
    assert_int_equal(tl_cloth_count_penetrating(cloth, &deepest), 49);
    assert_near(0.05, (double)deepest, 1e-5);
    for (int f = 0; f < 20; ++f) {
        run_frames(world, 1);
        assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
    }
    /* the body jumps onto the sheet: particles in its path are carried along */
    tl_vec3 at = tl_cloth_positions(cloth)[24];
    assert_int_equal(tl_body_move(body, at, (tl_quat){0, 0, 0, 1}), TL_OK);
    run_frames(world, 1);
    assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* A mesh ball that swells and shrinks under a sheet at every frame rate: no penetration. */
static void nothing_gets_into_a_breathing_ball(void **state)
{
    (void)state;
    enum { RINGS = 8, AROUND = 12, POINTS = RINGS * AROUND + 2 };
    tl_vec3 p[POINTS], now[POINTS];
    int f[3 * 2 * AROUND * RINGS], count = 0;
    p[POINTS - 2] = v3(0, 0.25, 0), p[POINTS - 1] = v3(0, -0.25, 0);
    for (int r = 0; r < RINGS; ++r)
        for (int k = 0; k < AROUND; ++k) {
            double polar = 3.14159265 * (r + 1) / (RINGS + 1), around = 6.2831853 * k / AROUND;
            int here = r * AROUND + k, next = r * AROUND + (k + 1) % AROUND;
            p[here] = v3(0.25 * sin(polar) * cos(around), 0.25 * cos(polar), 0.25 * sin(polar) * sin(around));
            int quad[6] = {here, next, next + AROUND, here, next + AROUND, here + AROUND};
            int top[3] = {POINTS - 2, next, here}, bottom[3] = {POINTS - 1, here, next};
            for (int c = 0; c < 6 && r + 1 < RINGS; ++c)
                f[count++] = quad[c];
            for (int c = 0; c < 3 && (r == 0 || r + 1 == RINGS); ++c)
                f[count++] = r == 0 ? top[c] : bottom[c];
        }
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = POINTS, .triangles = f, .triangle_count = count / 3}, NULL,
        NULL);
    assert_non_null(mesh);
    for (int fps = 30; fps <= 120; fps *= 2) {
        tl_world *world = make_world();
        tl_body *body = add_mesh(world, mesh, true, 0.5);
        tl_cloth *cloth = small_sheet(world, v3(0.02, 0.35, 0.01), v3(0, 0, 0));
        for (int frame = 0; frame < fps; ++frame) {
            for (int k = 0; k < POINTS; ++k) {
                double swell = 1 + 0.3 * sin(9.0 * frame / fps) * (p[k].y > 0 ? 1 : 0.5);
                now[k] = v3(p[k].x * swell, p[k].y * swell, p[k].z * swell);
            }
            assert_int_equal(tl_body_move_vertices(body, now), TL_OK);
            assert_int_equal(tl_world_step(world, 1 / (tl_real)fps), TL_OK);
            assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
        }
        tl_world_destroy(world);
    }
    tl_mesh_destroy(mesh);
}

/* A block under a sheet shoots up and narrows, by far more per step than the sheet's thickness. Its sides rotate about
   edges: a particle beside one face may be behind another at the end of the step, without a path through either. */
static void nothing_gets_into_a_block_that_shoots_up_to_a_point(void **state)
{
    (void)state;
    tl_mesh *mesh = box_mesh(0.2, 0.2, 0.2);
    for (int turn = 0; turn < 12; ++turn) {
        tl_world *world = make_world();
        tl_body *body = add_mesh(world, mesh, true, 0.5);
        tl_cloth_def def = soft_sheet(15, 15, (tl_real)0.3, (tl_real)0.3);
        def.center = v3(0.017 * turn, 0.215, 0.008 * turn);
        def.rotation = v3(0, 7 * turn, 0);
        def.stepper = "xpbd";
        def.substeps = 1;
        def.thickness = (tl_real)0.01;
        def.air = "off";
        tl_cloth *cloth = make_cloth(world, &def);
        run_frames(world, 3);
        tl_vec3 x[8];
        assert_int_equal(tl_body_vertices(body, x), 8);
        for (int frame = 0; frame < 4; ++frame) {
            for (int v = 0; v < 8; ++v)
                if (v & 2) /* of the upper side */
                    x[v] = v3(0.6 * (double)x[v].x, (double)x[v].y + 0.2, 0.6 * (double)x[v].z);
            assert_int_equal(tl_body_move_vertices(body, x), TL_OK);
            run_frames(world, 1);
            assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
        }
        tl_world_destroy(world);
    }
    tl_mesh_destroy(mesh);
}

/* The impulse on a mesh body from a sheet that lies on it is the sheet's weight, at the sheet's centre. */
static void mesh_body_bears_the_weight(void **state)
{
    (void)state;
    tl_mesh *mesh = box_mesh(0.4, 0.1, 0.4);
    tl_world *world = make_world();
    tl_body *body = add_mesh(world, mesh, true, 0.5);
    tl_cloth *cloth = small_sheet(world, v3(0.1, 0.111, 0.05), v3(0, 20, 0));
    run_frames(world, 40);
    double weight = 0, sum[4] = {0};
    for (int v = 0; v < 49; ++v)
        weight += 9.81 * (double)tl_cloth_masses(cloth)[v];
    for (int f = 0; f < 30; ++f) {
        tl_vec3 impulse, moment;
        run_frames(world, 1);
        tl_body_impulse(body, &impulse, &moment);
        sum[0] += (double)impulse.x, sum[1] += (double)impulse.y;
        sum[2] += (double)moment.x, sum[3] += (double)moment.z;
    }
    assert_near(0, sum[0] * 2, 0.02 * weight);
    assert_near(-weight, sum[1] * 2, 0.02 * weight); /* half a second */
    assert_near(0.05 * weight, sum[2] * 2, 0.003 * weight);
    assert_near(-0.1 * weight, sum[3] * 2, 0.003 * weight);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* A plate animated through four shapes, ten a second, looped; a sheet lies on it all the time. */
static void mesh_goes_through_its_shapes(void **state)
{
    (void)state;
    tl_mesh *mesh = box_mesh(0.4, 0.1, 0.4);
    tl_vec3 shapes[4 * 8];
    for (int k = 0; k < 4; ++k)
        for (int v = 0; v < 8; ++v) {
            shapes[8 * k + v] = tl_mesh_vertices(mesh)[v];
            shapes[8 * k + v].y += (tl_real)(0.05 * (k == 2 ? 1 : k % 2 * 0.5));
        }
    tl_world *world = make_world();
    tl_body_def def = mesh_def(mesh, true, 0.5);
    def.shapes = shapes;
    def.shape_count = 4;
    def.shape_rate = 10;
    def.loop = true;
    tl_body *body = tl_body_create(world, &def);
    assert_non_null(body);
    memset(shapes, 0, sizeof shapes); /* copied */
    tl_cloth *cloth = small_sheet(world, v3(0, 0.13, 0), v3(0, 0, 0));
    tl_vec3 x[8];
    for (int frame = 1; frame <= 60; ++frame) {
        assert_int_equal(tl_world_step(world, (tl_real)0.025), TL_OK);
        double place = fmod(frame * 0.25 + 1e-9, 4), up = place < 2 ? place : 4 - place;
        assert_int_equal(tl_body_vertices(body, x), 8);
        assert_near(0.1 + 0.025 * up, (double)x[2].y, 1e-5);
        assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
        assert_true(lowest(cloth) > x[2].y - (tl_real)0.2);
    }
    /* a shape that is not finite is refused */
    shapes[3].x = (tl_real)INFINITY;
    assert_null(tl_body_create(world, &def));
    assert_message(world, "finite");
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* The shape of a deformed body is part of the state: a restored world continues bit-identically. */
static void deformed_shape_is_saved_and_restored(void **state)
{
    (void)state;
    tl_mesh *mesh = box_mesh(0.3, 0.1, 0.3);
    tl_world *world = make_world();
    tl_body *body = add_mesh(world, mesh, true, 0.5);
    small_sheet(world, v3(0, 0.13, 0), v3(0, 0, 0));
    tl_vec3 x[8];
    uint64_t plain = tl_world_hash(world);
    assert_int_equal(tl_body_vertices(body, x), 8);
    for (int v = 0; v < 8; ++v)
        x[v].y += x[v].x * (tl_real)0.2;
    assert_int_equal(tl_body_move_vertices(body, x), TL_OK);
    run_frames(world, 3);
    assert_true(tl_world_hash(world) != plain);
    size_t size = tl_world_snapshot_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(tl_world_save(world, bytes, size), TL_OK);
    run_frames(world, 5);
    uint64_t there = tl_world_hash(world);
    for (int v = 0; v < 8; ++v)
        x[v].y = -x[v].y;
    assert_int_equal(tl_body_move_vertices(body, x), TL_OK);
    run_frames(world, 2);
    assert_int_equal(tl_world_restore(world, bytes, size), TL_OK);
    run_frames(world, 5);
    assert_true(tl_world_hash(world) == there);
    free(bytes);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* Open ground of 0.6 m with a vertex every 2 cm, uneven by up to a millimetre. */
static tl_mesh *rough_ground(void)
{
    enum { SIZE = 31 };
    static tl_vec3 p[SIZE * SIZE];
    static int f[6 * (SIZE - 1) * (SIZE - 1)];
    int *out = f;
    for (int k = 0; k < SIZE * SIZE; ++k)
        p[k] = v3(0.02 * (k % SIZE) - 0.3, 0.0005 * sin(5.0 * k) - 0.0005 * cos(3.7 * k), 0.02 * (k / SIZE) - 0.3);
    for (int r = 0; r + 1 < SIZE; ++r)
        for (int c = 0; c + 1 < SIZE; ++c) {
            int k = r * SIZE + c;
            const int faces[6] = {k, k + SIZE, k + 1, k + 1, k + SIZE, k + SIZE + 1};
            for (int n = 0; n < 6; ++n)
                *out++ = faces[n];
        }
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){
            .positions = p, .vertex_count = SIZE * SIZE, .triangles = f, .triangle_count = 2 * (SIZE - 1) * (SIZE - 1)},
        NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

/* Contacts between particles stick as well, many for each particle. Together they must neither reverse its displacement
   nor leave it a velocity it did not move by, or cloth whose links pull at sticking contacts is thrown about. */
static void sticking_contacts_do_not_reverse_displacements(void **state)
{
    (void)state;
    enum { PARTICLES = 49, TURNS = 8 };
    const double dt = 0.002, pull = 0.2;
    tl_mesh *mesh = rough_ground();
    int stuck = 0;
    for (int turn = 0; turn < TURNS; ++turn) {
        tl_world *world = make_world();
        add_mesh(world, mesh, false, INFINITY);
        tl_cloth_def def = soft_sheet(7, 7, (tl_real)0.3, (tl_real)0.3);
        def.center = v3(0, 0.0112, 0);
        def.rotation = v3(0, 10.0 * turn, 0);
        def.stepper = "semi-implicit-euler";
        def.substeps = 1;
        def.thickness = (tl_real)0.01;
        def.air = "off";
        tl_cloth *cloth = make_cloth(world, &def);
        tl_vec3 start[PARTICLES], force[PARTICLES];
        for (int k = 0; k < PARTICLES; ++k) {
            start[k] = tl_cloth_positions(cloth)[k];
            force[k] = v3(pull * sin(1.3 * k + turn), -0.1, pull * cos(2.1 * k - turn));
            assert_int_equal(tl_cloth_add_force(cloth, k, force[k]), TL_OK);
        }
        assert_int_equal(tl_world_step(world, (tl_real)dt), TL_OK);
        for (int k = 0; k < PARTICLES; ++k) {
            tl_vec3 displacement = tl_sub(tl_cloth_positions(cloth)[k], start[k]);
            double along = (double)(displacement.x * force[k].x + displacement.z * force[k].z) /
                           pull; /* some millimetres without ground */
            stuck += along < 1e-3;
            assert_true(along > -2e-4); /* slopes push it that far */
            assert_true((double)tl_length(tl_cloth_velocities(cloth)[k]) <=
                        (double)tl_length(displacement) / dt + 1e-3);
        }
        tl_world_destroy(world);
    }
    assert_true(stuck > PARTICLES * TURNS * 3 / 4);
    tl_mesh_destroy(mesh);
}

/* Runaway cloth overlaps everything: it is rejected and reported, and is not tested against every triangle. */
static void unstable_cloth_over_a_mesh_is_rejected(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_mesh *box = box_mesh(0.2, 0.2, 0.2);
    add_mesh(world, box, true, 0.5);
    tl_cloth_def def = soft_sheet(9, 9, (tl_real)0.5, (tl_real)0.5);
    def.center = v3(0, 0.3, 0);
    def.stepper = "verlet";
    def.substeps = 8;
    def.elements.link_structural.stiffness = (tl_real)1e7;
    def.ripple = (tl_real)0.01;
    tl_cloth *cloth = make_cloth(world, &def);
    bool said = false;
    for (int frame = 0; frame < 20; ++frame)
        said |= tl_world_step(world, FRAME) == TL_ERROR_UNSTABLE;
    assert_true(said && tl_cloth_get_stats(cloth).rejected_frames > 0);
    assert_true(all_finite(world));
    assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
    tl_world_destroy(world);
    tl_mesh_destroy(box);
}

/* A sheet that rests on a box becomes far too stiff for its substeps: the first ones press on the box still. */
static void mesh_body_feels_nothing_of_a_frame_that_was_rejected(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_mesh *box = box_mesh(0.2, 0.2, 0.2);
    tl_body *body = add_mesh(world, box, true, 0.5);
    tl_cloth_def def = soft_sheet(5, 5, (tl_real)0.15, (tl_real)0.15);
    def.center = v3(0, 0.106, 0);
    def.stepper = "semi-implicit-euler";
    def.ripple = (tl_real)1e-3;
    tl_cloth *cloth = make_cloth(world, &def);
    tl_vec3 impulse, moment;
    run_frames(world, 20);
    tl_body_impulse(body, &impulse, NULL);
    assert_true(impulse.y < 0);
    assert_int_equal(set_real(cloth, "link.structural.stiffness", 1e6), TL_OK);
    tl_vec3 shaken[25]; /* in double precision nothing else would set it going */
    for (int i = 0; i < 25; ++i)
        shaken[i] = v3(i % 2 ? 0.1 : -0.1, 0, 0);
    assert_int_equal(tl_cloth_set_state(cloth, NULL, shaken), TL_OK);
    int rejected = 0;
    for (int frame = 0; frame < 10; ++frame)
        if (tl_world_step(world, FRAME) == TL_ERROR_UNSTABLE) {
            tl_body_impulse(body, &impulse, &moment);
            assert_near(0, (double)tl_length(impulse), 0);
            assert_near(0, (double)tl_length(moment), 0);
            ++rejected;
        }
    assert_true(rejected > 0);
    tl_world_destroy(world);
    tl_mesh_destroy(box);
}

/* A level sheet on a mesh, alone and with a floor at the same height: every particle is in contact, once. */
static void particles_on_a_mesh_are_counted_once(void **state)
{
    (void)state;
    static const char *const contacts[] = {"bodies-only", "self-collision", "penetration-free"};
    tl_mesh *square = square_mesh(0.5);
    for (int s = 0; tl_stepper_names()[s]; ++s)
        for (int c = 0; c < 6; ++c) {
            tl_world *world = make_world();
            add_mesh(world, square, false, 1);
            if (c % 2)
                assert_non_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), 1));
            tl_cloth_def sheet = tl_cloth_def_grid(7, 7, (tl_real)0.3, (tl_real)0.3);
            sheet.center = v3(0, 0.005, 0);
            sheet.contact = contacts[c / 2];
            sheet.stepper = tl_stepper_names()[s];
            sheet.particle_mass = (tl_real)0.01;
            sheet.air = "off";
            tl_cloth *cloth = make_cloth(world, &sheet);
            run_frames(world, 5);
            if (tl_cloth_get_stats(cloth).contacts != 49)
                fail_msg("%s, %s: %d of 49", sheet.stepper, sheet.contact, tl_cloth_get_stats(cloth).contacts);
            tl_vec3 above[49];
            for (int i = 0; i < 49; ++i)
                above[i] = tl_add(tl_cloth_positions(cloth)[i], v3(0, 1, 0));
            assert_int_equal(tl_cloth_set_state(cloth, above, NULL), TL_OK);
            run_frames(world, 1);
            assert_int_equal(tl_cloth_get_stats(cloth).contacts, 0);
            tl_world_destroy(world);
        }
    tl_mesh_destroy(square);
}

/* A sheet slides down a slope whose friction nearly holds it, from `up` metres above its middle, by Coulomb's law. */
static void slide_down(double up)
{
    static const char *const steppers[] = {"verlet", "semi-implicit-euler", "xpbd"};
    const double degrees = 36, friction = 0.7, angle = degrees * acos(-1) / 180, time = 1.5;
    double expected = 9.81 * (sin(angle) - friction * cos(angle)) * time * time / 2;
    tl_mesh *slope = square_mesh(4);
    for (int s = 0; s < 3; ++s) {
        tl_world_def world_def = tl_world_def_default();
        world_def.wind.air_density = 0;
        tl_world *world = tl_world_create(&world_def, NULL);
        assert_non_null(world);
        tl_body_def body = mesh_def(slope, false, friction);
        body.rotation = v3(0, 0, degrees);
        assert_non_null(tl_body_create(world, &body));
        tl_cloth_def def = soft_sheet(7, 7, (tl_real)0.3, (tl_real)0.3);
        def.stepper = steppers[s];
        def.rotation = v3(0, 0, degrees);
        def.center = v3(up * cos(angle) - 0.005 * sin(angle), up * sin(angle) + 0.005 * cos(angle), up > 0 ? 0.5 : 0);
        tl_cloth *cloth = make_cloth(world, &def);
        tl_vec3 from = tl_cloth_positions(cloth)[24];
        run_frames(world, (int)(60 * time));
        tl_vec3 to = tl_cloth_positions(cloth)[24];
        double way = (double)(from.x - to.x) * cos(angle) + (double)(from.y - to.y) * sin(angle);
        assert_near(expected, way, 0.05 * expected);
        tl_world_destroy(world);
    }
    tl_mesh_destroy(slope);
}

/* Particles on an edge of the body have several contacts, which share the push and must share the friction. */
static void sheet_keeps_its_friction_over_edges_of_the_body(void **state)
{
    (void)state;
    slide_down(0);
}

/* A start so slow that positions do not resolve it is not rest. */
static void slow_start_is_not_lost_in_the_rounding_of_positions(void **state)
{
    (void)state;
    slide_down(2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(body_of_shape_mesh_needs_one),
        cmocka_unit_test(distance_from_a_mesh_is_signed),
        cmocka_unit_test(spike_between_particles_does_not_poke_through),
        cmocka_unit_test(both_trees_give_the_same_contacts),
        cmocka_unit_test(nothing_tunnels_through_a_thin_mesh),
        cmocka_unit_test(inclined_mesh_obeys_coulomb),
        cmocka_unit_test(particles_on_a_mesh_are_counted_once),
        cmocka_unit_test(sheet_keeps_its_friction_over_edges_of_the_body),
        cmocka_unit_test(slow_start_is_not_lost_in_the_rounding_of_positions),
        cmocka_unit_test(deforming_body_carries_the_cloth),
        cmocka_unit_test(particles_inside_a_solid_are_put_outside),
        cmocka_unit_test(nothing_gets_into_a_breathing_ball),
        cmocka_unit_test(nothing_gets_into_a_block_that_shoots_up_to_a_point),
        cmocka_unit_test(mesh_body_bears_the_weight),
        cmocka_unit_test(mesh_goes_through_its_shapes),
        cmocka_unit_test(deformed_shape_is_saved_and_restored),
        cmocka_unit_test(sticking_contacts_do_not_reverse_displacements),
        cmocka_unit_test(unstable_cloth_over_a_mesh_is_rejected),
        cmocka_unit_test(mesh_body_feels_nothing_of_a_frame_that_was_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
