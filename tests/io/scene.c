/* Scenes: saving and loading round-trips, paths set and get, the running world follows, the schema matches the
   tables. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/json.h"
#include "telar/io.h"

#define FULL TL_TEST_DATA "/full.json"

static tl_scene *load(const char *name)
{
    tl_error error = {.code = TL_OK};
    tl_scene *scene = tl_scene_load(name, &error);
    if (!scene)
        fail_msg("%s", error.message);
    return scene;
}

static void set(tl_scene *scene, const char *path, const char *text, bool rebuild_expected)
{
    tl_error error = {.code = TL_OK};
    bool rebuild = !rebuild_expected;
    if (tl_scene_set(scene, path, text, &rebuild, &error) != TL_OK)
        fail_msg("%s", error.message);
    if (rebuild != rebuild_expected)
        fail_msg("%s: rebuild is %d", path, rebuild);
}

static void expect(const tl_scene *scene, const char *path, const char *text)
{
    char found[600];
    tl_error error = {.code = TL_OK};
    if (tl_scene_get(scene, path, found, sizeof found, &error) != TL_OK)
        fail_msg("%s", error.message);
    assert_string_equal(found, text);
}

static void refuses(tl_scene *scene, const char *path, const char *text, const char *message)
{
    tl_error error = {.code = TL_OK};
    bool rebuild = true;
    assert_int_equal(tl_scene_set(scene, path, text, &rebuild, &error), TL_ERROR_INPUT);
    assert_false(rebuild);
    if (!strstr(error.message, message))
        fail_msg("no '%s' in: %s", message, error.message);
}

/* Every parameter of every object is the same in both. */
static void expect_same(const tl_scene *a, const tl_scene *b)
{
    assert_int_equal(tl_scene_object_count(a), tl_scene_object_count(b));
    for (int i = 0; i < tl_scene_object_count(a); ++i) {
        tl_scene_object x = tl_scene_object_at(a, i), y = tl_scene_object_at(b, i);
        assert_string_equal(x.path, y.path);
        assert_ptr_equal(x.group, y.group);
        for (int k = 0; k < x.group->count; ++k) {
            tl_value p = tl_param_get(&x.group->params[k], x.object), q = tl_param_get(&y.group->params[k], y.object);
            if (p.text)
                assert_string_equal(p.text, q.text);
            for (int c = 0; c < 3; ++c)
                if (p.number[c] != q.number[c])
                    fail_msg("%s.%s: %.17g is not %.17g", x.path, x.group->params[k].path, p.number[c], q.number[c]);
        }
    }
}

static char *text_of(const char *file_name)
{
    static char text[100000];
    FILE *file = fopen(file_name, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const char *temporary(char path[64])
{
    strcpy(path, "/tmp/telar-test-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    return path;
}

static void a_file_reads_as_it_says(void **state)
{
    (void)state;
    tl_scene *scene = load(FULL);
    expect(scene, "scene.title", "Everything \"at once\" – ünïcode");
    expect(scene, "world.gravity", "[0.1, -9.5, 0]");
    expect(scene, "wind.kind", "gusts");
    expect(scene, "cloth[0].columns", "12");
    expect(scene, "cloth[0].material", "continuum");
    expect(scene, "cloth[0].continuum.stretch.on", "true");
    expect(scene, "cloth[0].link.structural.on", "false");
    expect(scene, "cloth[0].continuum.stretch.stiffness", "700");
    expect(scene, "cloth[0].friction", "inf");
    expect(scene, "cloth[0].pin[1].body", "1");
    expect(scene, "cloth[1].material", "custom"); /* a switch was changed */
    expect(scene, "cloth[1].link.structural.on", "true");
    expect(scene, "cloth[1].link.bend.on", "false");
    expect(scene, "cloth[2].mesh.rest", "uv");
    expect(scene, "cloth[2].label", "");
    expect(scene, "body[1].key[1].time", "1.5");
    expect(scene, "camera.key[1].target", "[0, 1, 0]");
    expect(scene, "light.point[1].on", "true");
    expect(scene, "look.overlay", "strain");
    assert_int_equal(tl_scene_camera(scene)->key_count, 2);
    assert_int_equal(tl_scene_light(scene)->point_count, 2);
    assert_true(tl_scene_look(scene)->axes);
    assert_int_equal(tl_scene_info(scene)->frames, 120);
    assert_string_equal(tl_scene_file(scene), FULL);
    assert_string_equal(tl_scene_folder(scene), TL_TEST_DATA "/");
    tl_scene_destroy(scene);
}

static void saved_scenes_read_back_the_same(void **state)
{
    (void)state;
    char path[64], second[64];
    tl_error error = {.code = TL_OK};
    tl_scene *scene = load(FULL);
    set(scene, "cloth[0].width", "0.1234567891234567", false);
    set(scene, "body[0].position", "[1e-30, 3.0000001, -1234.5678]", false);
    set(scene, "scene.description", "line\nbreak \\ \"quotes\" \t end", false);
    set(scene, "cloth[2].mesh.file", "/absolute/quads.obj", false);
    assert_int_equal(tl_scene_save(scene, temporary(path), &error), TL_OK);
    tl_scene *again = load(path);
    expect_same(scene, again);
    assert_int_equal(tl_scene_save(again, temporary(second), &error), TL_OK);
    char *first_text = strdup(text_of(path));
    assert_string_equal(first_text, text_of(second));
    free(first_text);
    remove(path);
    remove(second);
    tl_scene_destroy(scene);
    tl_scene_destroy(again);
}

static void saving_writes_only_what_differs(void **state)
{
    (void)state;
    char path[64];
    tl_scene *scene = tl_scene_create();
    assert_int_equal(tl_scene_save(scene, temporary(path), NULL), TL_OK);
    assert_string_equal(text_of(path), "{}\n");
    assert_int_equal(tl_scene_add(scene, "cloth", NULL), TL_OK);
    assert_int_equal(tl_scene_add(scene, "cloth[0].pin", NULL), TL_OK);
    set(scene, "cloth[0].link.structural.stiffness", "700", false);
    set(scene, "cloth[0].material", "springs", false); /* the default */
    set(scene, "world.gravity", "0 -1.6 0", false);
    assert_int_equal(tl_scene_save(scene, path, NULL), TL_OK);
    assert_string_equal(text_of(path),
                        "{\n"
                        "  \"world\": {\"gravity\": [0, -1.6, 0]},\n"
                        "  \"cloth\": [{\"link\": {\"structural\": {\"stiffness\": 700}}, \"pin\": [{}]}]\n"
                        "}\n");
    remove(path);
    tl_scene_destroy(scene);
}

static void aliases_are_read_and_set_and_the_names_are_saved(void **state)
{
    (void)state;
    static const char text[] = "{\"cloth\": [{\"contact\": \"safe\"}, {\"contact\": \"bodies\"}]}";
    char path[64];
    tl_error error = {.code = TL_OK};
    tl_scene *scene = tl_scene_parse(text, strlen(text), "old.json", &error);
    if (!scene)
        fail_msg("%s", error.message);
    expect(scene, "cloth[0].contact", "penetration-free");
    set(scene, "cloth[1].contact", "fast", false);
    expect(scene, "cloth[1].contact", "self-collision");
    assert_int_equal(tl_scene_save(scene, temporary(path), &error), TL_OK);
    assert_non_null(strstr(text_of(path), "\"contact\": \"penetration-free\""));
    assert_non_null(strstr(text_of(path), "\"contact\": \"self-collision\""));
    remove(path);
    tl_scene_destroy(scene);
}

static void files_are_found_from_another_folder(void **state)
{
    (void)state;
    char path[64];
    tl_error error = {.code = TL_OK};
    tl_scene *scene = load(FULL);
    assert_int_equal(tl_scene_save(scene, temporary(path), &error), TL_OK);
    tl_scene *moved = load(path);
    if (!tl_scene_build(moved, &error))
        fail_msg("%s", error.message);
    tl_scene_destroy(moved);
    tl_scene_destroy(scene);
    remove(path);
}

static void saving_fails_aloud(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    tl_scene *scene = load(FULL);
    assert_int_equal(tl_scene_save(scene, "/nowhere/scene.json", &error), TL_ERROR_FILE);
    assert_non_null(strstr(error.message, "/nowhere/scene.json"));
    assert_int_equal(tl_scene_save(scene, "/dev/full", &error), TL_ERROR_FILE);
    assert_non_null(strstr(error.message, "/dev/full: cannot be written: No space left"));
    tl_scene_destroy(scene);
}

static void wrong_paths_and_values_change_nothing(void **state)
{
    (void)state;
    tl_scene *scene = load(FULL), *same = load(FULL);
    refuses(scene, "cloth[0].density", "-1", "cloth[0].density: -1 is below");
    refuses(scene, "cloth[0].densty", "1", "did you mean 'density'?");
    refuses(scene, "cloth[3].density", "1", "cloth[3]: there is no such entry, cloth has 3");
    refuses(scene, "cloth[-1].density", "1", "cloth[-1]: there is no such entry");
    refuses(scene, "cloth[x].density", "1", "expected a number in brackets");
    refuses(scene, "cloth.density", "1", "write cloth[0].density");
    refuses(scene, "cloth", "1", "names a whole cloth");
    refuses(scene, "cloth[0]", "1", "names a whole cloth");
    refuses(scene, "cloth[0]density", "1", "expected a dot");
    refuses(scene, "cloth[0].pin[7].name", "top", "cloth[0].pin[7]: there is no such entry, cloth[0].pin has 2");
    refuses(scene, "cloth[0].pin", "1", "is a list");
    refuses(scene, "camera[0].position", "1", "is not a list");
    refuses(scene, "camra.position", "1", "did you mean 'camera'?");
    refuses(scene, "", "1", "no such part");
    refuses(scene, "scene.title", "caf\xe9", "not UTF-8");
    refuses(scene, "look.overlay", "strian", "did you mean 'strain'?");
    expect_same(scene, same);
    char tiny[4];
    tl_error error;
    assert_int_equal(tl_scene_get(scene, "scene.title", tiny, sizeof tiny, &error), TL_ERROR_INPUT);
    tl_scene_destroy(scene);
    tl_scene_destroy(same);
}

static void the_running_world_follows(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    tl_scene *scene = load(FULL);
    set(scene, "cloth[0].columns", "10", false); /* nothing was built yet */
    tl_world *world = tl_scene_build(scene, &error);
    if (!world)
        fail_msg("%s", error.message);
    assert_ptr_equal(world, tl_scene_world(scene));
    assert_int_equal(tl_world_cloth_count(world), 3);
    assert_int_equal(tl_world_body_count(world), 2);
    set(scene, "world.gravity", "0 -1 0", false);
    assert_true(tl_world_get_def(world)->gravity.y == -1);
    set(scene, "wind.velocity", "5 0 0", false);
    assert_true(tl_world_get_def(world)->wind.velocity.x == 5);
    set(scene, "cloth[1].link.shear.stiffness", "33", false);
    assert_true(tl_cloth_get_def(tl_world_cloth(world, 1))->elements.link_shear.stiffness == 33);
    set(scene, "cloth[1].material", "continuum", false);
    assert_true(tl_cloth_get_def(tl_world_cloth(world, 1))->elements.continuum_bend.on);
    set(scene, "body[1].friction", "0.7", false);
    assert_true(tl_body_get_def(tl_world_body(world, 1))->friction == (tl_real)0.7);
    set(scene, "camera.position", "1 2 3", false);
    set(scene, "camera.key[0].time", "0.5", false);
    set(scene, "light.point[0].on", "false", false);
    set(scene, "scene.frames", "77", false);
    set(scene, "look.fog", "false", false);
    set(scene, "cloth[0].columns", "11", true);
    set(scene, "cloth[0].pin[0].name", "top-right", true);
    set(scene, "cloth[2].mesh.scale", "2", true);
    set(scene, "body[1].key[1].time", "2", true);
    assert_int_equal(tl_world_step(world, (tl_real)0.01), TL_OK);
    assert_non_null(tl_scene_build(scene, &error));
    assert_int_equal(tl_cloth_get_def(tl_world_cloth(tl_scene_world(scene), 0))->columns, 11);
    tl_scene_destroy(scene);
}

static void a_failed_build_keeps_the_old_world(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    tl_scene *scene = load(FULL);
    tl_world *world = tl_scene_build(scene, &error);
    assert_non_null(world);
    set(scene, "cloth[2].mesh.file", "meshes/nothing.obj", true);
    assert_null(tl_scene_build(scene, &error));
    assert_int_equal(error.code, TL_ERROR_FILE);
    assert_ptr_equal(tl_scene_world(scene), world);
    assert_int_equal(tl_world_step(world, (tl_real)0.01), TL_OK);
    tl_scene_destroy(scene);
}

static void entries_come_and_go(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    tl_scene *scene = load(FULL);
    assert_non_null(tl_scene_build(scene, &error));
    assert_int_equal(tl_scene_add(scene, "body", &error), TL_OK);
    set(scene, "body[2].shape", "capsule", true);
    set(scene, "body[2].friction", "0.5", true); /* the world does not have it yet */
    assert_int_equal(tl_scene_add(scene, "cloth[0].pin", &error), TL_OK);
    set(scene, "cloth[0].pin[2].body", "0", true);
    assert_int_equal(tl_scene_remove(scene, "body[0]", &error), TL_OK);
    expect(scene, "cloth[0].pin[2].body", "-1"); /* its body was removed */
    expect(scene, "cloth[0].pin[1].body", "0");  /* moved up with its body */
    expect(scene, "body[1].shape", "capsule");
    assert_int_equal(tl_scene_remove(scene, "cloth[0].pin[0]", &error), TL_OK);
    assert_int_equal(tl_scene_remove(scene, "cloth[1]", &error), TL_OK);
    assert_int_equal(tl_scene_remove(scene, "camera.key[1]", &error), TL_OK);
    assert_int_equal(tl_scene_camera(scene)->key_count, 1);
    assert_int_equal(tl_scene_remove(scene, "cloth[5]", &error), TL_ERROR_INPUT);
    assert_int_equal(tl_scene_remove(scene, "camera", &error), TL_ERROR_INPUT);
    assert_int_equal(tl_scene_add(scene, "camera", &error), TL_ERROR_INPUT);
    assert_int_equal(tl_scene_add(scene, "cloth[0].density", &error), TL_ERROR_INPUT);
    assert_non_null(tl_scene_build(scene, &error));
    for (int i = 0; i < 40; ++i)
        assert_int_equal(tl_scene_add(scene, "light.point", &error), TL_OK);
    while (tl_scene_light(scene)->point_count > 0)
        assert_int_equal(tl_scene_remove(scene, "light.point[0]", &error), TL_OK);
    tl_scene_destroy(scene);
}

static void bodies_join_the_running_world(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    tl_scene *scene = load(FULL);
    assert_int_equal(tl_scene_extend(scene, &error), TL_ERROR_UNSUPPORTED); /* nothing runs yet */
    tl_world *world = tl_scene_build(scene, &error);
    assert_non_null(world);
    assert_int_equal(tl_world_step(world, (tl_real)0.01), TL_OK);
    assert_int_equal(tl_scene_add(scene, "body", &error), TL_OK);
    set(scene, "body[2].shape", "capsule", true);
    assert_int_equal(tl_scene_extend(scene, &error), TL_OK);
    assert_ptr_equal(tl_scene_world(scene), world);
    assert_int_equal(tl_world_body_count(world), 3);
    assert_true(tl_world_time(world) > 0);
    set(scene, "body[2].friction", "0.5", false);
    assert_true(tl_body_get_def(tl_world_body(world, 2))->friction == (tl_real)0.5);

    /* one that cannot be made leaves scene and world as they were */
    assert_int_equal(tl_scene_add(scene, "body", &error), TL_OK);
    set(scene, "body[3].shape", "mesh", true);
    set(scene, "body[3].mesh.file", "nowhere.obj", true);
    assert_int_equal(tl_scene_extend(scene, &error), TL_ERROR_FILE);
    assert_non_null(strstr(error.message, "body[3].mesh.file"));
    assert_int_equal(tl_world_body_count(world), 3);
    refuses(scene, "body[3].friction", "0", "there is no such entry");
    set(scene, "body[0].friction", "0.2", false);
    assert_int_equal(tl_world_step(world, (tl_real)0.01), TL_OK);

    assert_int_equal(tl_scene_remove(scene, "body[0]", &error), TL_OK);
    assert_int_equal(tl_scene_add(scene, "body", &error), TL_OK);
    assert_int_equal(tl_scene_extend(scene, &error), TL_ERROR_UNSUPPORTED);
    set(scene, "body[0].friction", "0.3", true);
    tl_scene_destroy(scene);
}

static void a_scene_has_the_text_of_its_file(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    tl_scene *scene = load(FULL);
    size_t length = 0;
    char *text = tl_scene_text(scene, &length);
    assert_int_equal(strlen(text), length);
    tl_scene *again = tl_scene_parse(text, length, FULL, &error);
    if (!again)
        fail_msg("%s", error.message);
    expect_same(scene, again);
    free(text);
    tl_scene_destroy(again);
    tl_scene_destroy(scene);
}

/* A place of the camera's own switches framing off, framing takes the place back; both survive a file. */
static void the_camera_frames_the_scene_until_it_is_placed(void **state)
{
    (void)state;
    static const char *const assignments[][2] = {{"camera.position", "2.4 1.8 3.2"}, /* the default, but on purpose */
                                                 {"camera.target", "0 2 0"},
                                                 {"camera.field_of_view", "30"},
                                                 {"camera.frame", "false"}};
    static const char *const framed[] = {"false", "false", "true", "false"};
    for (int k = 0; k < 4; ++k) {
        char path[64];
        tl_error error = {.code = TL_OK};
        tl_scene *scene = tl_scene_create();
        expect(scene, "camera.frame", "true");
        set(scene, assignments[k][0], assignments[k][1], false);
        expect(scene, "camera.frame", framed[k]);
        assert_int_equal(tl_scene_save(scene, temporary(path), &error), TL_OK);
        tl_scene *again = load(path);
        expect_same(scene, again);
        set(again, "camera.frame", "true", false);
        expect(again, "camera.target", "[0, 0.6, 0]");
        expect(again, "camera.position", "[2.4, 1.8, 3.2]");
        remove(path);
        tl_scene_destroy(again);
        tl_scene_destroy(scene);
    }
}

/* The mesh has its own place, `far` m from the origin; only `center` moves it. */
static void expect_mesh_in_place(tl_real far)
{
    const tl_vec3 place[4] = {{far + (tl_real)3.3, (tl_real)1.7, (tl_real)-2.1},
                              {far + (tl_real)4.1, (tl_real)1.75, (tl_real)-2.3},
                              {far + (tl_real)3.2, (tl_real)0.9, (tl_real)-2.2},
                              {far + (tl_real)3.7, (tl_real)-0.5, (tl_real)0.1}};
    char path[64], mesh[80], text[160];
    remove(temporary(path));
    snprintf(mesh, sizeof mesh, "%s.obj", path);
    FILE *f = fopen(mesh, "w");
    assert_non_null(f);
    for (int k = 0; k < 4; ++k)
        fprintf(f, "v %.17g %.17g %.17g\n", (double)place[k].x, (double)place[k].y, (double)place[k].z);
    fputs("f 1 3 2\nf 2 3 4\n", f);
    fclose(f);
    tl_error error = {.code = TL_OK};
    snprintf(text, sizeof text, "{\"cloth\": [{\"mesh\": {\"file\": \"%s\"}}]}", mesh);
    tl_scene *scene = tl_scene_parse(text, strlen(text), "place.json", &error);
    tl_world *world = scene ? tl_scene_build(scene, &error) : NULL;
    if (!world)
        fail_msg("%s", error.message);
    assert_memory_equal(tl_cloth_positions(tl_world_cloth(world, 0)), place, sizeof place);
    set(scene, "cloth[0].center", "0 0.5 -1", true);
    world = tl_scene_build(scene, &error);
    assert_non_null(world);
    tl_vec3 x = tl_cloth_positions(tl_world_cloth(world, 0))[0];
    assert_true(fabs((double)(x.y - place[0].y) - 0.5) < 1e-5 && fabs((double)(x.z - place[0].z) + 1) < 1e-5);
    tl_scene_destroy(scene);
    remove(mesh);
}

static void meshes_stay_where_their_file_has_them(void **state)
{
    (void)state;
    expect_mesh_in_place(0);
    expect_mesh_in_place(1000);
}

static void objects_are_walked_in_order(void **state)
{
    (void)state;
    static const char *const order[] = {
        "scene",           "world",         "wind",          "cloth[0]",       "cloth[0].mesh",  "cloth[0].pin[0]",
        "cloth[0].pin[1]", "cloth[1]",      "cloth[1].mesh", "cloth[2]",       "cloth[2].mesh",  "body[0]",
        "body[0].mesh",    "body[1]",       "body[1].mesh",  "body[1].key[0]", "body[1].key[1]", "camera",
        "camera.key[0]",   "camera.key[1]", "light",         "light.point[0]", "light.point[1]", "look"};
    tl_scene *scene = load(FULL);
    int count = sizeof order / sizeof *order;
    assert_int_equal(tl_scene_object_count(scene), count);
    for (int i = 0; i < count; ++i)
        assert_string_equal(tl_scene_object_at(scene, i).path, order[i]);
    assert_null(tl_scene_object_at(scene, count).group);
    assert_null(tl_scene_object_at(scene, -1).group);
    tl_scene_destroy(scene);
}

static void an_empty_scene_has_the_defaults(void **state)
{
    (void)state;
    tl_scene *scene = tl_scene_create(), *parsed = tl_scene_parse("\xEF\xBB\xBF{}", 5, NULL, NULL);
    assert_non_null(parsed);
    expect_same(scene, parsed);
    expect(scene, "world.gravity", "[0, -9.81, 0]");
    expect(scene, "camera.field_of_view", "40");
    expect(scene, "light.sun.on", "true");
    tl_scene_destroy(scene);
    tl_scene_destroy(parsed);
}

static void the_schema_has_every_parameter(void **state)
{
    (void)state;
    size_t length = tl_scene_schema(NULL, 0);
    char *text = malloc(length + 1);
    assert_int_equal(tl_scene_schema(text, length + 1), length);
    tl_json_document document = {.root = NULL};
    assert_true(tl_json_read(&document, text, length, false, NULL));
    const tl_json *properties = tl_json_get(document.root, "properties");
    const tl_json *parameters = tl_json_get(tl_json_get(tl_json_get(properties, "cloth"), "items"), "properties");
    const tl_json *density = tl_json_get(tl_json_get(parameters, "density"), "default");
    assert_true(tl_json_is(density, TL_JSON_NUMBER) && density->number == 0.2);
    assert_true(tl_json_is(tl_json_get(parameters, "mesh"), TL_JSON_OBJECT));
    const tl_json *link = tl_json_get(tl_json_get(parameters, "link"), "properties");
    const tl_json *structural = tl_json_get(tl_json_get(link, "structural"), "properties");
    const tl_json *on = tl_json_get(tl_json_get(structural, "on"), "default");
    assert_true(tl_json_is(on, TL_JSON_BOOL) && on->number == 1);
    char cut[10];
    assert_int_equal(tl_scene_schema(cut, sizeof cut), length);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    tl_json_release(&document);
    free(text);
}

/* The file beside it, in which a scene is written first, is on a disk that is full. */
static void a_scene_that_cannot_be_written_leaves_the_old_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/telar-scene-XXXXXX", name[80];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/scene.json", folder);
    tl_error error = {.code = TL_OK};
    tl_scene *scene = load(FULL);
    assert_int_equal(tl_scene_save(scene, name, &error), TL_OK);
    set(scene, "scene.title", "not to be saved", false);
    struct rlimit before, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*usual)(int) = signal(SIGXFSZ, SIG_IGN);
    tight = before;
    tight.rlim_cur = 10; /* bytes, as on a full disk */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    tl_result result = tl_scene_save(scene, name, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, usual);
    assert_int_equal(result, TL_ERROR_FILE);
    assert_non_null(strstr(error.message, "scene.json: cannot be written: File too large"));
    tl_scene *kept = load(name);
    char title[200];
    assert_int_equal(tl_scene_get(kept, "scene.title", title, sizeof title, &error), TL_OK);
    assert_string_not_equal(title, "not to be saved");
    tl_scene_destroy(kept);
    tl_scene_destroy(scene);
    remove(name);
    assert_int_equal(rmdir(folder), 0); /* nothing is left of it */
}

typedef struct heard {
    char text[2048];
    int count;
} heard;

static void hear(void *user, const char *message)
{
    heard *h = user;
    strncat(h->text, message, sizeof h->text - strlen(h->text) - 2);
    strcat(h->text, "\n");
    ++h->count;
}

static void every_fault_of_a_file_is_reported(void **state)
{
    (void)state;
    char name[] = "/tmp/telar-scene-XXXXXX";
    static const char text[] =
        "{\"world\": {\"gravty\": 1},\n \"cloth\": [{\"columns\": 1},\n  {\"pin\": [{\"name\": 3}]}],\n"
        " \"scene\": {\"frames\": true}}";
    int file = mkstemp(name);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    tl_error error = {.code = TL_OK};
    heard h = {.count = 0};
    int count = -1;
    assert_null(tl_scene_load_checked(name, hear, &h, &count, &error));
    assert_int_equal(count, 4);
    assert_int_equal(h.count, 4);
    const char *at = h.text;
    static const char *const paths[] = {
        ":1: world.gravty: ", ":2: cloth[0].columns: ", ":3: cloth[1].pin[0].name: ", ":4: scene.frames: "};
    for (int k = 0; k < 4; ++k) {
        at = strstr(at, paths[k]);
        if (!at)
            fail_msg("no '%s' in its place in:\n%s", paths[k], h.text);
    }
    assert_non_null(strstr(h.text, error.message)); /* the first that was found */
    assert_null(tl_scene_load_checked(name, NULL, NULL, NULL, NULL));
    tl_error first = {.code = TL_OK};
    assert_null(tl_scene_load(name, &first));
    assert_string_equal(first.message, error.message);
    remove(name);
    h = (heard){.count = 0};
    assert_null(tl_scene_load_checked("/nowhere.json", hear, &h, &count, &error));
    assert_int_equal(count, 1);
    assert_non_null(strstr(h.text, "/nowhere.json: there is no such file"));
    tl_scene *good = tl_scene_load_checked("", hear, &h, &count, &error);
    assert_non_null(good);
    assert_int_equal(count, 0);
    assert_int_equal(h.count, 1);
    tl_scene_destroy(good);
}

static void every_object_that_cannot_be_built_is_reported(void **state)
{
    (void)state;
    static const char text[] =
        "{\"body\": [{}], \"cloth\": [{\"mesh\": {\"file\": \"no.obj\"}}, {}, {\"schedule\": \"model\"}]}";
    tl_error error = {.code = TL_OK};
    heard h = {.count = 0};
    int count = -1;
    tl_scene *scene = tl_scene_parse(text, strlen(text), "/tmp/x.json", &error);
    assert_non_null(scene);
    assert_null(tl_scene_build_checked(scene, hear, &h, &count, &error));
    assert_int_equal(count, 2);
    assert_non_null(strstr(h.text, "/tmp/x.json: cloth[0].mesh.file: /tmp/no.obj: "));
    assert_non_null(strstr(h.text, "/tmp/x.json: cloth[2]: "));
    assert_null(tl_scene_world(scene));
    assert_non_null(strstr(error.message, "cloth[0]"));
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_reads_as_it_says),
        cmocka_unit_test(saved_scenes_read_back_the_same),
        cmocka_unit_test(saving_writes_only_what_differs),
        cmocka_unit_test(aliases_are_read_and_set_and_the_names_are_saved),
        cmocka_unit_test(files_are_found_from_another_folder),
        cmocka_unit_test(saving_fails_aloud),
        cmocka_unit_test(wrong_paths_and_values_change_nothing),
        cmocka_unit_test(the_running_world_follows),
        cmocka_unit_test(a_failed_build_keeps_the_old_world),
        cmocka_unit_test(entries_come_and_go),
        cmocka_unit_test(bodies_join_the_running_world),
        cmocka_unit_test(a_scene_has_the_text_of_its_file),
        cmocka_unit_test(the_camera_frames_the_scene_until_it_is_placed),
        cmocka_unit_test(meshes_stay_where_their_file_has_them),
        cmocka_unit_test(objects_are_walked_in_order),
        cmocka_unit_test(an_empty_scene_has_the_defaults),
        cmocka_unit_test(the_schema_has_every_parameter),
        cmocka_unit_test(a_scene_that_cannot_be_written_leaves_the_old_file),
        cmocka_unit_test(every_fault_of_a_file_is_reported),
        cmocka_unit_test(every_object_that_cannot_be_built_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
