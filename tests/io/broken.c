/* Invalid scene and mesh files, one kind each: an error code and a message with file, place and reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
    {"nowhere.fbx",       TL_ERROR_FILE,  ": ",   "no such file"},
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

static void folders_and_huge_files_are_refused(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    assert_null(tl_scene_load(TL_TEST_DATA, &error));
    assert_int_equal(error.code, TL_ERROR_FILE);
    assert_non_null(strstr(error.message, "folder"));
    assert_null(tl_scene_load("/dev/zero", &error)); /* has no end */
    assert_int_equal(error.code, TL_ERROR_INPUT);
    assert_non_null(strstr(error.message, "/dev/zero: is larger than the limit of 64 MB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_scenes_are_refused),
        cmocka_unit_test(worlds_that_cannot_be_built_are_refused),
        cmocka_unit_test(broken_meshes_are_refused),
        cmocka_unit_test(faces_without_texture_cannot_be_a_pattern),
        cmocka_unit_test(folders_and_huge_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
