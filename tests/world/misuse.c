/* Misuse: an error, a message that names the cause, and an unchanged world. */
#include "world_testing.h"

static void what_may_be_null_may_be_null(void **state)
{
    (void)state;
    tl_world_destroy(NULL);
    tl_mesh_destroy(NULL);
    tl_world_def def = tl_world_def_default();
    tl_world *world = tl_world_create(&def, NULL);
    assert_non_null(world);
    def.runaway_speed = -1;
    assert_null(tl_world_create(&def, NULL));
    assert_null(tl_world_cloth(world, 0));
    assert_null(tl_world_cloth(world, -1));
    assert_null(tl_world_body(world, 7));
    assert_string_equal(tl_last_error(world), "");
    tl_cloth_destroy(world, NULL);
    tl_cloth_def grid = tl_cloth_def_grid(4, 4, 1, 1);
    tl_cloth *cloth = make_cloth(world, &grid);
    assert_int_equal(tl_cloth_set_state(cloth, NULL, NULL), TL_OK);
    assert_int_equal(tl_cloth_links(cloth, NULL, 0), tl_cloth_get_stats(cloth).links);
    tl_world_destroy(world);
}

static void names_left_null_mean_the_defaults(void **state)
{
    (void)state;
    tl_world_def world_def = tl_world_def_default();
    world_def.simd = world_def.wind.kind = NULL;
    tl_world *world = tl_world_create(&world_def, NULL);
    assert_non_null(world);
    const tl_world_def *def = tl_world_get_def(world);
    assert_string_equal(def->simd, "auto");
    assert_string_equal(def->wind.kind, "still");
    tl_cloth_def cloth = tl_cloth_def_grid(4, 4, 1, 1);
    cloth.stepper = cloth.contact = cloth.material = cloth.diagonals = cloth.plane = cloth.air = NULL;
    cloth.mass_spread = cloth.link_damping = NULL;
    tl_cloth *made = make_cloth(world, &cloth);
    assert_string_equal(tl_cloth_get_def(made)->stepper, tl_cloth_def_default().stepper);
    tl_world_destroy(world);
}

/* Zeroed memory, a literal, and a definition of another kind. */
static void definitions_not_made_by_their_call_are_refused(void **state)
{
    (void)state;
    tl_error error = {0};
    assert_null(tl_world_create(&(tl_world_def){.gravity = {0, -5, 0}}, &error));
    assert_int_equal(error.code, TL_ERROR_INPUT);
    assert_string_equal(error.message, "the world's definition was not made by tl_world_def_default()");
    tl_world *world = make_world();
    assert_null(tl_cloth_create(world, &(tl_cloth_def){.columns = 3, .rows = 3, .width = 1, .height = 1}));
    assert_string_equal(tl_last_error(world), "the cloth's definition was not made by tl_cloth_def_default()");
    assert_null(tl_body_create(world, &(tl_body_def){.shape = "sphere", .size = {1, 1, 1}}));
    assert_string_equal(tl_last_error(world), "the body's definition was not made by tl_body_def_default()");
    tl_body_def foreign = tl_body_def_default();
    foreign.mark = tl_cloth_def_default().mark;
    assert_null(tl_body_create(world, &foreign));
    assert_message(world, "was not made by tl_body_def_default()");

    tl_pin_def pins[2] = {tl_pin_def_default(), {.where = "corner", .name = "top-right", .body = -1}};
    tl_cloth_def sheet = tl_cloth_def_grid(4, 4, 1, 1);
    sheet.pins = pins;
    for (sheet.pin_count = 1; sheet.pin_count < 3; ++sheet.pin_count)
        assert_true(!tl_cloth_create(world, &sheet) == (sheet.pin_count == 2));
    assert_string_equal(tl_last_error(world),
                        "cloth.pin[1]: the pin's definition was not made by tl_pin_def_default()");
    tl_key_def keys[2] = {tl_key_def_default(), {.time = 1}};
    tl_body_def ball = tl_body_def_default();
    ball.keys = keys;
    for (ball.key_count = 1; ball.key_count < 3; ++ball.key_count)
        assert_true(!tl_body_create(world, &ball) == (ball.key_count == 2));
    assert_string_equal(tl_last_error(world), "body.key[1]: the key's definition was not made by tl_key_def_default()");
    assert_int_equal(tl_world_cloth_count(world), 1);
    assert_int_equal(tl_world_body_count(world), 1);
    run_frames(world, 2);
    tl_world_destroy(world);
}

static void definitions_of_a_later_version_are_refused(void **state)
{
    (void)state;
    tl_error error = {0};
    tl_world_def def = tl_world_def_default();
    def.mark.version = 9;
    assert_null(tl_world_create(&def, &error));
    assert_int_equal(error.code, TL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "the world's definition is of another version of Telar: version 9"));
    struct { /* as a program sees it whose header has one more member */
        tl_cloth_def known;
        tl_real more;
    } larger;
    tl_cloth_def_init(&larger.known, sizeof larger);
    assert_true(larger.more == 0);
    tl_world *world = make_world();
    assert_null(tl_cloth_create(world, &larger.known));
    assert_message(world, "the cloth's definition is of another version of Telar");
    tl_world_destroy(world);
}

/* A program compiled before the last members were added: nothing beyond its struct is read, the defaults stand. */
static void smaller_definitions_take_the_defaults_for_the_rest(void **state)
{
    (void)state;
    enum { SHORTER_CLOTH = offsetof(tl_cloth_def, drag), SHORTER_PIN = offsetof(tl_pin_def, low) };
    tl_world *world = make_world();
    tl_cloth_def def;
    tl_cloth_def_init(&def, SHORTER_CLOTH);
    def.columns = def.rows = 5;
    def.thickness = (tl_real)0.01;
    char *bytes = malloc(SHORTER_CLOTH); /* an address sanitizer sees any access behind it */
    assert_non_null(bytes);
    memcpy(bytes, &def, SHORTER_CLOTH);
    tl_cloth *cloth = make_cloth(world, (const tl_cloth_def *)(const void *)bytes);
    assert_int_equal(tl_cloth_vertex_count(cloth), 25);
    assert_near(0.01, (double)tl_cloth_get_def(cloth)->thickness, 1e-9);
    assert_near(1, (double)tl_cloth_get_def(cloth)->drag, 0);
    free(bytes);

    bytes = malloc(2 * SHORTER_PIN); /* entries are as far apart as the program has it */
    assert_non_null(bytes);
    for (int k = 0; k < 2; ++k) {
        tl_pin_def pin;
        tl_pin_def_init(&pin, SHORTER_PIN);
        pin.name = k ? "bottom-left" : "top-right";
        memcpy(bytes + k * SHORTER_PIN, &pin, SHORTER_PIN);
    }
    tl_cloth_def pinned = tl_cloth_def_grid(4, 4, 1, 1);
    pinned.pins = (const tl_pin_def *)(const void *)bytes;
    pinned.pin_count = 2;
    cloth = make_cloth(world, &pinned);
    assert_true(tl_cloth_pinned(cloth, 3) && tl_cloth_pinned(cloth, 12) && !tl_cloth_pinned(cloth, 0));
    free(bytes);
    run_frames(world, 2);
    tl_world_destroy(world);
}

/* Panels and scene files make definitions by the table alone, whatever the memory held. */
static void defaults_of_the_table_are_complete_definitions(void **state)
{
    (void)state;
    tl_world_def world_def, world_by_call = tl_world_def_default();
    tl_cloth_def cloth_def, cloth_by_call = tl_cloth_def_default();
    tl_body_def body_def;
    tl_pin_def pin;
    tl_key_def key;
    memset(&world_def, 0xA5, sizeof world_def);
    memset(&cloth_def, 0xA5, sizeof cloth_def);
    memset(&body_def, 0xA5, sizeof body_def);
    memset(&pin, 0xA5, sizeof pin);
    memset(&key, 0xA5, sizeof key);
    tl_param_defaults(&tl_world_params, &world_def);
    tl_param_defaults(&tl_cloth_params, &cloth_def);
    tl_param_defaults(&tl_body_params, &body_def);
    tl_param_defaults(&tl_pin_params, &pin);
    tl_param_defaults(&tl_key_params, &key);
    cloth_def.columns = cloth_def.rows = cloth_by_call.columns = cloth_by_call.rows = 6;
    cloth_def.pins = cloth_by_call.pins = &pin;
    cloth_def.pin_count = cloth_by_call.pin_count = 1;
    body_def.keys = &key;
    body_def.key_count = 1;
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        tl_world *world = tl_world_create(k ? &world_by_call : &world_def, NULL);
        assert_non_null(world);
        assert_non_null(tl_body_create(world, &body_def));
        tl_cloth *cloth = make_cloth(world, k ? &cloth_by_call : &cloth_def);
        assert_true(tl_cloth_get_def(cloth)->elements.link_structural.on);
        run_frames(world, 5);
        hash[k] = tl_world_hash(world);
        tl_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

typedef struct lines {
    int count;
    char last[TL_ERROR_LENGTH];
} lines;

static void keep_line(void *user, const char *message)
{
    lines *all = user;
    ++all->count;
    snprintf(all->last, sizeof all->last, "%s", message);
}

/* A mesh in millimetres is a likelier reason than a cloth of 1800 m. Nothing is refused. */
static void a_cloth_of_unlikely_size_is_asked_for_its_unit(void **state)
{
    (void)state;
    const struct {
        double size;
        const char *mesh, *grid; /* the line; NULL: none */
    } cases[] = {
        {1800, "pattern is 1800 m wide: is its mesh in millimetres? set cloth[0].mesh.scale to 0.001",
         "pattern is 1800 m wide: cloth[0].width and .height are in metres"},
        {180, "pattern is 180 m wide: is its mesh in centimetres? set cloth[0].mesh.scale to 0.01",
         "pattern is 180 m wide: cloth[0].width and .height are in metres"},
        {20, NULL, NULL},
        {0.0051, NULL, NULL},
        {0.0018,
         "pattern is 1.8 mm wide: what is the unit of its mesh? set cloth[0].mesh.scale to its length in metres",
         "pattern is 1.8 mm wide: cloth[0].width and .height are in metres"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (int grid = 0; grid < 2; ++grid) {
            lines all = {0};
            tl_world_def world_def = tl_world_def_default();
            world_def.log = keep_line;
            world_def.log_user = &all;
            tl_world *world = tl_world_create(&world_def, NULL);
            tl_real size = (tl_real)cases[k].size;
            tl_mesh *mesh = tl_mesh_create_grid(&(tl_grid_def){5, 5, size, size / 2, false}, NULL, NULL);
            tl_cloth_def def = tl_cloth_def_grid(5, 5, size, size / 2);
            snprintf(def.label, sizeof def.label, "pattern");
            def.mesh = grid ? NULL : mesh;
            assert_int_equal(set_name(make_cloth(world, &def), "contact", "none"), TL_OK);
            const char *line = grid ? cases[k].grid : cases[k].mesh;
            assert_int_equal(all.count, line ? 1 : 0);
            assert_string_equal(all.last, line ? line : "");
            tl_world_destroy(world);
            tl_mesh_destroy(mesh);
        }
}

static void short_words_for_contact_mean_the_same_methods(void **state)
{
    (void)state;
    static const char *const words[][2] = {
        {"off", "none"}, {"bodies", "bodies-only"}, {"fast", "self-collision"}, {"safe", "penetration-free"}};
    tl_world *world = make_world();
    for (int k = 0; k < 4; ++k) {
        tl_cloth_def def = tl_cloth_def_grid(4, 4, 1, 1);
        def.contact = words[k][0];
        tl_cloth *cloth = make_cloth(world, &def);
        assert_string_equal(tl_cloth_get_def(cloth)->contact, words[k][1]);
        tl_value other = {TL_PARAM_NAME, {0}, words[(k + 1) % 4][0]};
        assert_int_equal(tl_cloth_set(cloth, "contact", &other), TL_OK);
        assert_string_equal(tl_cloth_get_def(cloth)->contact, words[(k + 1) % 4][1]);
    }
    tl_world_destroy(world);
}

static void wrong_worlds_are_refused(void **state)
{
    (void)state;
    tl_error error = {0};
    tl_world_def def = tl_world_def_default();
    def.simd = "wide";
    assert_null(tl_world_create(&def, &error));
    assert_int_equal(error.code, TL_ERROR_INPUT);
    assert_non_null(strstr(error.message, "world.simd: 'wide' is not one of"));
    def = tl_world_def_default();
    def.gravity.y = (tl_real)NAN;
    assert_null(tl_world_create(&def, &error));
    assert_non_null(strstr(error.message, "world.gravity"));
    def = tl_world_def_default();
    def.wind.air_density = -1;
    assert_null(tl_world_create(&def, &error));
    assert_non_null(strstr(error.message, "wind.air_density: -1 is below 0 kg/m³"));
}

static void wrong_cloths_are_refused(void **state)
{
    (void)state;
    tl_world *world = make_world();
    for (int k = 0; k < 12; ++k) {
        tl_cloth_def def = tl_cloth_def_grid(5, 5, 1, 1);
        const char *message = "";
        snprintf(def.label, sizeof def.label, "veil");
        switch (k) {
        case 0:
            def.columns = 1, message = "veil.columns: 1 is below 2";
            break;
        case 1:
            def.rows = 5000, message = "veil.rows: 5000 is above 4096";
            break;
        case 2:
            def.width = 0, message = "veil.width: 0 is below 0.0001 m";
            break;
        case 3:
            def.height = (tl_real)INFINITY, message = "veil.height: inf is not a finite number";
            break;
        case 4:
            def.stepper = "magic", message = "veil.stepper: 'magic' is not one of";
            break;
        case 5:
            def.material = "cheese", message = "veil.material: 'cheese' is not one of";
            break;
        case 6:
            def.elements.link_bend.stiffness = -1, message = "veil.link.bend.stiffness: -1 is below 0 N/m";
            break;
        case 7:
            def.substeps = -1, message = "veil.substeps: -1 is below 0";
            break;
        case 8:
            strcpy(def.schedule, "jump"), message = "veil.schedule: 'jump' is none of";
            break;
        case 9:
            def.density = (tl_real)NAN, message = "veil.density: nan is not a finite number";
            break;
        case 10:
            def.rotation.z = 4000, message = "veil.rotation: z = 4000 is above 3600 °";
            break;
        default:
            def.mass_ratio = (tl_real)0.5, message = "veil.mass_ratio: 0.5 is below 1";
            break;
        }
        assert_null(tl_cloth_create(world, &def));
        assert_message(world, message);
        assert_int_equal(tl_world_cloth_count(world), 0);
    }
    tl_world_destroy(world);
}

static void wrong_bodies_are_refused(void **state)
{
    (void)state;
    tl_world *world = make_world();
    for (int k = 0; k < 7; ++k) {
        tl_body_def def = tl_body_def_default();
        tl_key_def keys[2] = {tl_key_def_default(), tl_key_def_default()};
        const char *message = "";
        snprintf(def.label, sizeof def.label, "ball");
        switch (k) {
        case 0:
            def.shape = "torus", message = "ball.shape: 'torus' is not one of";
            break;
        case 1:
            def.size.x = 0, message = "ball.size: ";
            break;
        case 2:
            def.friction = -1, message = "ball.friction: -1 is below 0";
            break;
        case 3:
            def.restitution = 2, message = "ball.restitution: 2 is above 1";
            break;
        case 4:
            def.position.x = (tl_real)NAN, message = "ball.position";
            break;
        case 5:
            def.keys = keys, def.key_count = 2, message = "ball.key[1].time: 0 s does not come after key 0";
            break;
        default:
            keys[0].time = -1, def.keys = keys, def.key_count = 1, message = "key.time: -1 is below 0 s";
            break;
        }
        assert_null(tl_body_create(world, &def));
        assert_message(world, message);
        assert_int_equal(tl_world_body_count(world), 0);
    }
    assert_null(tl_world_add_plane(world, v3(0, 0, 0), v3(0, 0, 0), 0));
    assert_message(world, "the normal has no direction");
    assert_null(tl_world_add_plane(world, v3(0, 0, 0), v3(NAN, 1, 0), 0));
    assert_null(tl_world_add_sphere(world, v3(0, 0, 0), -1, 0));
    tl_world_destroy(world);
}

static void planes_look_where_their_normal_says(void **state)
{
    (void)state;
    static const double normals[][3] = {{0, 1, 0}, {0, -1, 0},    {1, 0, 0},    {0, 0, -1},
                                        {1, 2, 3}, {-1, -5, 0.1}, {1e-5, -1, 0}};
    tl_world *world = make_world();
    for (int k = 0; k < 7; ++k) {
        double length =
            sqrt(normals[k][0] * normals[k][0] + normals[k][1] * normals[k][1] + normals[k][2] * normals[k][2]);
        tl_body *plane = tl_world_add_plane(world, v3(1, 1, 1), v3(normals[k][0], normals[k][1], normals[k][2]), 0);
        assert_non_null(plane);
        tl_vec3 normal;
        tl_real distance =
            tl_body_distance(plane, v3(1 + normals[k][0], 1 + normals[k][1], 1 + normals[k][2]), &normal);
        assert_near(length, (double)distance, 2e-5 * length);
        assert_near(normals[k][0] / length, (double)normal.x, 2e-5);
        assert_near(normals[k][1] / length, (double)normal.y, 2e-5);
        assert_near(normals[k][2] / length, (double)normal.z, 2e-5);
    }
    tl_world_destroy(world);
}

static void destroying_one_cloth_leaves_the_others(void **state)
{
    (void)state;
    tl_world *world = make_world(), *other = make_world();
    tl_cloth_def def = tl_cloth_def_grid(4, 4, 1, 1);
    tl_cloth *a = make_cloth(world, &def), *b = make_cloth(world, &def), *c = make_cloth(world, &def);
    tl_cloth *elsewhere = make_cloth(other, &def);
    tl_cloth_destroy(world, elsewhere); /* another world's cloth: nothing happens */
    assert_int_equal(tl_world_cloth_count(world), 3);
    tl_cloth_destroy(world, b);
    assert_int_equal(tl_world_cloth_count(world), 2);
    assert_ptr_equal(tl_world_cloth(world, 0), a);
    assert_ptr_equal(tl_world_cloth(world, 1), c);
    run_frames(world, 3);
    for (int k = 0; k < 20; ++k) /* beyond the initial capacity for cloths and bodies */
        make_cloth(world, &def), assert_non_null(tl_world_add_sphere(world, v3(k, -3, 0), 1, 0));
    run_frames(world, 3);
    assert_int_equal(tl_world_cloth_count(world), 22);
    tl_world_destroy(world);
    tl_world_destroy(other);
}

static void a_mesh_may_be_shared_and_outlives_its_cloths(void **state)
{
    (void)state;
    tl_mesh *mesh = tl_mesh_create_grid(&(tl_grid_def){6, 6, 1, 1, false}, NULL, NULL);
    tl_world *one = make_world(), *two = make_world();
    tl_cloth_def def = tl_cloth_def_default();
    def.mesh = mesh;
    make_cloth(one, &def);
    tl_cloth *cloth = make_cloth(two, &def);
    assert_ptr_equal(tl_cloth_mesh(cloth), mesh);
    run_frames(one, 3);
    tl_world_destroy(one);
    run_frames(two, 3);
    tl_world_destroy(two);
    assert_int_equal(tl_mesh_vertex_count(mesh), 36);
    tl_mesh_destroy(mesh);
}

static void lists_without_entries_are_refused(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def cloth = tl_cloth_def_grid(4, 4, 1, 1);
    cloth.pin_count = 1;
    assert_null(tl_cloth_create(world, &cloth));
    assert_message(world, "pin_count is 1, but pins is NULL");
    tl_body_def body = tl_body_def_default();
    body.key_count = 2;
    assert_null(tl_body_create(world, &body));
    assert_message(world, "key_count is 2, but keys is NULL");
    tl_world_destroy(world);
}

static void pins_are_not_moved_out_of_this_world(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_grid(4, 4, 1, 1);
    tl_cloth *cloth = make_cloth(world, &def);
    assert_int_equal(tl_cloth_pin(cloth, 0, true), TL_OK);
    assert_int_equal(tl_cloth_move_pin(cloth, 0, v3(1e30, 0, 0)), TL_ERROR_INPUT);
    assert_message(world, "farther away than 1e+09 m");
    assert_int_equal(tl_world_step(world, (tl_real)1e-30), TL_OK); /* a pause */
    assert_int_equal(tl_cloth_get_stats(cloth).rejected_frames, 0);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_without_entries_are_refused),
        cmocka_unit_test(pins_are_not_moved_out_of_this_world),
        cmocka_unit_test(what_may_be_null_may_be_null),
        cmocka_unit_test(names_left_null_mean_the_defaults),
        cmocka_unit_test(definitions_not_made_by_their_call_are_refused),
        cmocka_unit_test(definitions_of_a_later_version_are_refused),
        cmocka_unit_test(smaller_definitions_take_the_defaults_for_the_rest),
        cmocka_unit_test(defaults_of_the_table_are_complete_definitions),
        cmocka_unit_test(a_cloth_of_unlikely_size_is_asked_for_its_unit),
        cmocka_unit_test(short_words_for_contact_mean_the_same_methods),
        cmocka_unit_test(wrong_worlds_are_refused),
        cmocka_unit_test(wrong_cloths_are_refused),
        cmocka_unit_test(wrong_bodies_are_refused),
        cmocka_unit_test(planes_look_where_their_normal_says),
        cmocka_unit_test(destroying_one_cloth_leaves_the_others),
        cmocka_unit_test(a_mesh_may_be_shared_and_outlives_its_cloths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
