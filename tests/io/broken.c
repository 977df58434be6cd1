/* Invalid scene and mesh files, one kind each: an error code and a message with file, place and reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "telar/io.h"

typedef struct broken {
    const char *file; /* in data/broken */
    tl_result code;
    const char *place;  /* after the file name */
    const char *reason; /* somewhere after the place */
} broken;

static void expect_message(const broken *b, const tl_error *error)
{
    char place[512];
    if (error->code != b->code)
        fail_msg("%s: code %d, expected %d: %s", b->file, error->code, b->code, error->message);
    snprintf(place, sizeof place, "%s%s", b->file, b->place);
    const char *found = strstr(error->message, place);
    if (!found)
        fail_msg("%s: no '%s' in: %s", b->file, place, error->message);
    if (!strstr(found + strlen(place), b->reason))
        fail_msg("%s: no '%s' in: %s", b->file, b->reason, error->message);
}

/* clang-format off */
static const broken scenes[] = {
    {"syntax.json",            TL_ERROR_INPUT, ":3:", "'}' expected"},
    {"empty.json",             TL_ERROR_INPUT, ":1:", "empty"},
    {"truncated.json",         TL_ERROR_INPUT, ":4:", "end of file"},
    {"duplicate.json",         TL_ERROR_INPUT, ":4:", "duplicate object key"},
    {"unknown_section.json",   TL_ERROR_INPUT, ":3: cloht: ", "did you mean 'cloth'?"},
    {"unknown_key.json",       TL_ERROR_INPUT, ":6: cloth[1].densty: ", "did you mean 'density'?"},
    {"unknown_nested.json",    TL_ERROR_INPUT, ":5: cloth[0].link.structurl: ", "did you mean 'structural'?"},
    {"dotted_key.json",        TL_ERROR_INPUT, ":3: cloth[0].link.shear.stiffness: ", "unknown key"},
    {"text_for_number.json",   TL_ERROR_INPUT, ":3: cloth[0].density: ", "expected a number from 1e-06 to 1000 kg/m²"},
    {"two_numbers.json",       TL_ERROR_INPUT, ":3: world.gravity: ", "expected three numbers [x, y, z]"},
    {"texts_in_vector.json",   TL_ERROR_INPUT, ":4: camera.position: ", "expected three numbers"},
    {"below_range.json",       TL_ERROR_INPUT, ":4: cloth[0].density: ", "-1 is below"},
    {"above_range.json",       TL_ERROR_INPUT, ":3: body[0].restitution: ", "1.5 is above 1"},
    {"vector_range.json",      TL_ERROR_INPUT, ":2: body[0].size: ", "y = -0.1 is below 0 m"},
    {"unknown_name.json",      TL_ERROR_INPUT, ":3: cloth[1].stepper: ", "did you mean 'verlet'?"},
    {"not_whole.json",         TL_ERROR_INPUT, ":2: cloth[0].substeps: ", "2.5 is not a whole number"},
    {"too_large_whole.json",   TL_ERROR_INPUT, ":2: scene.frames: ", "too large"},
    {"list_expected.json",     TL_ERROR_INPUT, ":2: cloth: ", "expected a list"},
    {"object_expected.json",   TL_ERROR_INPUT, ":4: body[1]: ", "expected an object { … }, found a number"},
    {"entry_in_list.json",     TL_ERROR_INPUT, ":4: cloth[0].pin[1].wher: ", "did you mean 'where'?"},
    {"list_for_root.json",     TL_ERROR_INPUT, ":1: ", "a scene is an object"},
    {"not_utf8.json",          TL_ERROR_INPUT, ":2:", "unable to decode byte 0xe9"},
    {"too_deep.json",          TL_ERROR_INPUT, ":1:", "maximum parsing depth"},
    {"long_text.json",         TL_ERROR_INPUT, ":3: scene.title: ", "200 bytes, at most 95"},
    {"nan.json",               TL_ERROR_INPUT, ":2:", "invalid token"},
    {"huge_number.json",       TL_ERROR_INPUT, ":2:", "real number overflow"},
    {"text_for_bool.json",     TL_ERROR_INPUT, ":3: light.shadows: ", "expected true or false"},
    {"null_value.json",        TL_ERROR_INPUT, ":3: wind.kind: ", "expected a name"},
    {"number_for_object.json", TL_ERROR_INPUT, ":3: cloth[0].link: ", "expected an object"},
    {"infinite_width.json",    TL_ERROR_INPUT, ":3: cloth[0].width: ", "inf is not a finite number"},
    {"zero_in_text.json",      TL_ERROR_INPUT, ":2:", "\\u0000"},
    {"trailing.json",          TL_ERROR_INPUT, ":4:", "end of file expected"},
    {"nowhere.json",           TL_ERROR_FILE,  ": ",  "no such file"},
};

/* scenes that read well but cannot be built */
static const broken worlds[] = {
    {"missing_mesh.json",   TL_ERROR_FILE,  ": cloth[0].mesh.file: ", "nowhere.obj: cannot be opened"},
    {"broken_mesh.json",    TL_ERROR_INPUT, ": cloth[1].mesh.file: ", "index_zero.obj:4: indices count from 1"},
    {"pin_beyond.json",     TL_ERROR_INPUT, ": cloth[0]", "9"},
    {"pin_no_body.json",    TL_ERROR_INPUT, ": cloth[0]", "4"},
    {"keys_backwards.json", TL_ERROR_INPUT, ": body[0]", "key"},
};

static const broken meshes[] = {
    {"number.obj",        TL_ERROR_INPUT, ":2: ", "expected a number, found '0x'"},
    {"short_vertex.obj",  TL_ERROR_INPUT, ":2: ", "v needs 3 numbers, found 2"},
    {"index_zero.obj",    TL_ERROR_INPUT, ":4: ", "indices count from 1"},
    {"index_range.obj",   TL_ERROR_INPUT, ":4: ", "vertex 4 does not exist, there are 3"},
    {"index_negative.obj",TL_ERROR_INPUT, ":4: ", "vertex -4 does not exist"},
    {"texture_range.obj", TL_ERROR_INPUT, ":5: ", "texture coordinate 2 does not exist"},
    {"two_corners.obj",   TL_ERROR_INPUT, ":5: ", "3 corners or more, found 2"},
    {"no_faces.obj",      TL_ERROR_INPUT, ": ",   "no faces"},
    {"empty.obj",         TL_ERROR_INPUT, ": ",   "no faces"},
    {"nan.obj",           TL_ERROR_INPUT, ":2: ", "expected a number, found 'nan'"},
    {"overflow.obj",      TL_ERROR_INPUT, ":2: ", "too large"},
    {"keyword.obj",       TL_ERROR_INPUT, ":4: ", "not an OBJ keyword: 'face'"},
    {"corner.obj",        TL_ERROR_INPUT, ":6: ", "a corner is v, v/vt"},
    {"corner_text.obj",   TL_ERROR_INPUT, ":4: ", "expected an index, found 'three'"},
    {"zero_byte.obj",     TL_ERROR_INPUT, ":5: ", "zero byte"},
    {"zero_area.obj",     TL_ERROR_INPUT, ": ",   "face"},
    {"isolated.obj",      TL_ERROR_INPUT, ": ",   "vertex"},
    {"nowhere.obj",       TL_ERROR_FILE,  ": ",   "cannot be opened"},
    {"nowhere.fbx",       TL_ERROR_FILE,  ": ",   "No such file"},
    {"garbage.ply",       TL_ERROR_INPUT, ": ",   "no end_header"},
    {"garbage.gltf",      TL_ERROR_INPUT, ": ",   "assimp: "},
    {"points.ply",        TL_ERROR_INPUT, ": ",   ""},
};
/* clang-format on */

static const char *data_file(char path[512], const char *name)
{
    snprintf(path, 512, "%s/broken/%s", TL_TEST_DATA, name);
    return path;
}

static void broken_scenes_are_refused(void **state)
{
    (void)state;
    char path[512];
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        tl_error error = {.code = TL_OK};
        assert_null(tl_scene_load(data_file(path, scenes[i].file), &error));
        expect_message(&scenes[i], &error);
        assert_null(tl_scene_load(path, NULL)); /* a NULL error is allowed */
    }
}

static void worlds_that_cannot_be_built_are_refused(void **state)
{
    (void)state;
    char path[512];
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; ++i) {
        tl_error error = {.code = TL_OK};
        tl_scene *scene = tl_scene_load(data_file(path, worlds[i].file), &error);
        if (!scene)
            fail_msg("%s", error.message);
        assert_null(tl_scene_build(scene, &error));
        expect_message(&worlds[i], &error);
        assert_null(tl_scene_world(scene));
        tl_scene_destroy(scene);
    }
}

static void broken_meshes_are_refused(void **state)
{
    (void)state;
    char path[512];
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; ++i) {
        tl_error error = {.code = TL_OK};
        assert_null(tl_mesh_load(data_file(path, meshes[i].file), NULL, &error));
        if (error.code == TL_ERROR_UNSUPPORTED) /* a build without assimp says so */
            assert_non_null(strstr(error.message, "assimp"));
        else
            expect_message(&meshes[i], &error);
        assert_null(tl_mesh_load(path, NULL, NULL));
    }
}

static void faces_without_texture_cannot_be_a_pattern(void **state)
{
    (void)state;
    char path[512];
    tl_error error = {.code = TL_OK};
    tl_mesh_source_def source = {.rest = "uv", .uv_scale = 1, .scale = 1};
    assert_null(tl_mesh_load(data_file(path, "no_uv.obj"), &source, &error));
    expect_message(&(broken){"no_uv.obj", TL_ERROR_INPUT, ":9: ", "no texture coordinates"}, &error);
    source.rest = "shape";
    tl_mesh *mesh = tl_mesh_load(path, &source, &error);
    assert_non_null(mesh);
    assert_null(tl_mesh_uv(mesh)); /* not for all, so for none */
    tl_mesh_destroy(mesh);
}

/* A read of any kind with this name must end, with this reason. */
static void expect_refusal(const char *name, const char *reason)
{
    tl_cache_data data;
    for (int kind = 0; kind < 3; ++kind) {
        tl_error error = {.code = TL_OK};
        if (kind == 0)
            assert_null(tl_scene_load(name, &error));
        else if (kind == 1)
            assert_null(tl_mesh_load(name, NULL, &error));
        else
            assert_int_equal(tl_cache_read(name, &data, &error), TL_ERROR_FILE);
        assert_int_equal(error.code, TL_ERROR_FILE);
        if (!strstr(error.message, name) || !strstr(error.message, reason))
            fail_msg("no '%s' in: %s", reason, error.message);
    }
}

static void only_regular_files_are_read(void **state)
{
    (void)state;
    static const char *const endings[] = {".obj", ".ply", ".json", ".mdd", ""};
    char folder[] = "/tmp/telar-broken-XXXXXX", name[80];
    assert_non_null(mkdtemp(folder));
    for (size_t k = 0; k < sizeof endings / sizeof *endings; ++k) {
        snprintf(name, sizeof name, "%s/a%s", folder, endings[k]);
        assert_int_equal(mkfifo(name, 0600), 0);
        alarm(20); /* it used to wait for a writer */
        expect_refusal(name, "is a pipe, not a regular file");
        alarm(0);
        unlink(name);
        assert_int_equal(mkdir(name, 0700), 0);
        expect_refusal(name, "is a folder, not a");
        rmdir(name);
    }
    rmdir(folder);
    expect_refusal("/dev/zero", "is a device, not a regular file");
}

static void pipes_that_a_process_was_started_with_are_read(void **state)
{
    (void)state;
    static const char text[] = "{\"scene\": {\"title\": \"through a pipe\"}}";
    int ends[2];
    char name[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    tl_error error = {.code = TL_OK};
    tl_scene *scene = tl_scene_load(name, &error);
    if (!scene)
        fail_msg("%s", error.message);
    assert_string_equal(tl_scene_info(scene)->title, "through a pipe");
    tl_scene_destroy(scene);
    close(ends[0]);
}

static void huge_files_are_refused(void **state)
{
    (void)state;
    char name[] = "/tmp/telar-broken-XXXXXX";
    int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (65 << 20)), 0); /* without blocks on the disk */
    close(file);
    tl_error error = {.code = TL_OK};
    assert_null(tl_scene_load(name, &error));
    assert_int_equal(error.code, TL_ERROR_INPUT);
    assert_non_null(strstr(error.message, "is larger than the limit of 64 MB"));
    remove(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_scenes_are_refused),   cmocka_unit_test(worlds_that_cannot_be_built_are_refused),
        cmocka_unit_test(broken_meshes_are_refused),   cmocka_unit_test(faces_without_texture_cannot_be_a_pattern),
        cmocka_unit_test(only_regular_files_are_read), cmocka_unit_test(pipes_that_a_process_was_started_with_are_read),
        cmocka_unit_test(huge_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
