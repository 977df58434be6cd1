/* GLB clips, read back by a small checker: structure, bounds, and every recorded frame from its morph targets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/json.h"
#include "telar/io.h"

static const char scene_text[] =
    "{\"scene\":{\"title\":\"clip\",\"fps\":60},"
    "\"cloth\":[{\"label\":\"sheet\",\"columns\":9,\"rows\":7,\"width\":1,\"height\":0.8,\"center\":[0,1.2,0],"
    "\"air\":{\"model\":\"off\"}}],"
    "\"body\":[{\"label\":\"ball\",\"shape\":\"sphere\",\"position\":[0,0.6,0],\"size\":[0.3,0.3,0.3],"
    "\"key\":[{\"time\":0},{\"time\":0.2,\"position\":[0.1,0,0],\"rotation\":[0,90,0]}]},"
    "{\"label\":\"away\",\"shape\":\"box\",\"on\":false},{\"label\":\"floor\",\"shape\":\"plane\"}],"
    "\"look\":{\"cloth_color\":[1,0.5,0]},\"camera\":{\"position\":[0,1,4],\"target\":[0,1,0]}}";

enum { VERTICES = 63, FRAMES = 40 };

/* ---- the checker -------------------------------------------------------------------------------------------- */

typedef struct clip {
    unsigned char *file;
    const unsigned char *bin;
    size_t size, bin_size;
    tl_json_document document;
    tl_json *root;
} clip;

static uint32_t uint_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static float float_at(const unsigned char *at)
{
    uint32_t bits = uint_at(at);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static tl_json *entry(tl_json *list, size_t index)
{
    assert_true(index < tl_json_count(list));
    tl_json *found = tl_json_first(list);
    while (index-- > 0)
        found = found->next;
    return found;
}

static size_t integer(const tl_json *object, const char *key)
{
    const tl_json *value = tl_json_get(object, key);
    assert_true(tl_json_is(value, TL_JSON_NUMBER));
    return (size_t)value->number;
}

static size_t integer_or(const tl_json *object, const char *key, size_t standard)
{
    return tl_json_get(object, key) ? integer(object, key) : standard;
}

/* Number `part` of element `index` of an accessor; inside its view, and that inside the chunk. */
static const unsigned char *number_at(const clip *c, size_t accessor, size_t index, size_t part)
{
    const tl_json *a = entry(tl_json_get(c->root, "accessors"), accessor);
    const tl_json *view = entry(tl_json_get(c->root, "bufferViews"), integer(a, "bufferView"));
    const char *type = tl_json_get(a, "type")->text;
    size_t parts = strcmp(type, "SCALAR") == 0 ? 1 : (size_t)(type[3] - '0');
    size_t stride = integer_or(view, "byteStride", 4 * parts);
    size_t offset = integer_or(a, "byteOffset", 0) + stride * index + 4 * part;
    assert_true(index < integer(a, "count") && part < parts);
    assert_true(offset + 4 <= integer(view, "byteLength"));
    assert_true(integer(view, "byteOffset") + integer(view, "byteLength") <= c->bin_size);
    return c->bin + integer(view, "byteOffset") + offset;
}

static float value(const clip *c, size_t accessor, size_t index, size_t part)
{
    return float_at(number_at(c, accessor, index, part));
}

static void check_bounds(const clip *c)
{
    size_t accessor = 0;
    for (tl_json *a = tl_json_first(tl_json_get(c->root, "accessors")); a; a = a->next, ++accessor) {
        tl_json *low = tl_json_get(a, "min"), *high = tl_json_get(a, "max");
        for (size_t part = 0; part < tl_json_count(low); ++part) {
            float least = INFINITY, most = -INFINITY;
            for (size_t i = 0; i < integer(a, "count"); ++i) {
                least = fminf(least, value(c, accessor, i, part));
                most = fmaxf(most, value(c, accessor, i, part));
            }
            assert_true((float)entry(low, part)->number == least && (float)entry(high, part)->number == most);
        }
    }
}

static clip open_clip(unsigned char *file, size_t size)
{
    clip c = {.file = file, .size = size};
    assert_true(size > 20 && size % 4 == 0);
    assert_int_equal(uint_at(file), 0x46546C67);
    assert_int_equal(uint_at(file + 4), 2);
    assert_int_equal(uint_at(file + 8), size);
    size_t length = uint_at(file + 12);
    assert_int_equal(uint_at(file + 16), 0x4E4F534A);
    const unsigned char *chunk = file + 20 + length;
    c.bin_size = uint_at(chunk);
    assert_int_equal(uint_at(chunk + 4), 0x004E4942);
    assert_int_equal(28 + length + c.bin_size, size);
    c.bin = chunk + 8;
    tl_json_fault fault;
    if (!tl_json_read(&c.document, (const char *)file + 20, length, false, &fault))
        fail_msg("%s", fault.reason);
    c.root = c.document.root;
    assert_int_equal(integer(entry(tl_json_get(c.root, "buffers"), 0), "byteLength"), c.bin_size);
    assert_null(tl_json_get(c.root, "extensionsRequired"));
    check_bounds(&c);
    return c;
}

static void close_clip(clip *c)
{
    tl_json_release(&c->document);
    free(c->file);
}

static tl_json *named(const clip *c, const char *list, const char *name)
{
    for (tl_json *at = tl_json_first(tl_json_get(c->root, list)); at; at = at->next)
        if (strcmp(tl_json_get(at, "name")->text, name) == 0)
            return at;
    return NULL;
}

/* The sampler that moves `path` of a node; NULL: none does. */
static tl_json *sampler_of(const clip *c, const char *name, const char *path)
{
    size_t node = 0;
    for (tl_json *at = tl_json_first(tl_json_get(c->root, "nodes")); at; at = at->next, ++node)
        if (strcmp(tl_json_get(at, "name")->text, name) == 0)
            break;
    tl_json *animation = tl_json_first(tl_json_get(c->root, "animations"));
    for (tl_json *at = tl_json_first(tl_json_get(animation, "channels")); at; at = at->next) {
        tl_json *target = tl_json_get(at, "target");
        if (integer(target, "node") == node && strcmp(tl_json_get(target, "path")->text, path) == 0)
            return entry(tl_json_get(animation, "samplers"), integer(at, "sampler"));
    }
    return NULL;
}

/* Linear interpolation at a time: the key before it, and how far it is to the next. */
static size_t key_before(const clip *c, size_t input, float time, float *blend)
{
    size_t count = integer(entry(tl_json_get(c->root, "accessors"), input), "count"), k = 0;
    while (k + 2 < count && value(c, input, k + 1, 0) <= time)
        ++k;
    float from = value(c, input, k, 0), to = value(c, input, k + 1, 0);
    *blend = fminf(fmaxf((time - from) / (to - from), 0), 1);
    return k;
}

static float position_of(const clip *c, float time, size_t vertex, size_t part)
{
    tl_json *primitive = tl_json_first(tl_json_get(named(c, "meshes", "sheet"), "primitives"));
    tl_json *targets = tl_json_get(primitive, "targets"), *sampler = sampler_of(c, "sheet", "weights");
    float blend, x = value(c, integer(tl_json_get(primitive, "attributes"), "POSITION"), vertex, part);
    size_t key = key_before(c, integer(sampler, "input"), time, &blend), count = tl_json_count(targets);
    for (size_t t = 0; t < count; ++t) {
        float a = value(c, integer(sampler, "output"), key * count + t, 0),
              b = value(c, integer(sampler, "output"), (key + 1) * count + t, 0);
        x += (a + blend * (b - a)) * value(c, integer(entry(targets, t), "POSITION"), vertex, part);
    }
    return x;
}

/* ---- clips -------------------------------------------------------------------------------------------------- */

static tl_scene *make_scene(void)
{
    tl_error error = {0};
    tl_scene *scene = tl_scene_parse(scene_text, sizeof scene_text - 1, "clip.json", &error);
    if (!scene || !tl_scene_build(scene, &error))
        fail_msg("%s", error.message);
    return scene;
}

static clip bytes_of(tl_glb *glb)
{
    size_t size = 0;
    tl_error error = {0};
    unsigned char *file = tl_glb_bytes(glb, &size, &error);
    if (!file)
        fail_msg("%s", error.message);
    return open_clip(file, size);
}

static void every_frame_is_in_the_morph_targets(void **state)
{
    (void)state;
    static tl_vec3 frames[FRAMES + 1][VERTICES], ball[FRAMES + 1];
    tl_error error = {0};
    tl_scene *scene = make_scene();
    tl_world *world = tl_scene_world(scene);
    tl_glb *glb = tl_glb_create(scene, &error);
    assert_non_null(glb);
    for (int f = 0; f <= FRAMES; ++f) {
        if (f > 0) {
            assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 60)), TL_OK);
            assert_int_equal(tl_glb_add(glb, &error), TL_OK);
        }
        memcpy(frames[f], tl_cloth_positions(tl_world_cloth(world, 0)), sizeof frames[f]);
        tl_body_pose(tl_world_body(world, 0), &ball[f], NULL);
    }
    clip c = bytes_of(glb);
    double worst = 0, moved = 0;
    for (int f = 0; f <= FRAMES; ++f) {
        for (size_t i = 0; i < VERTICES; ++i)
            for (size_t k = 0; k < 3; ++k) {
                double was = (double)(&frames[f][i].x)[k], first = (double)(&frames[0][i].x)[k];
                worst = fmax(worst, fabs((double)position_of(&c, (float)f / 60, i, k) - was));
                moved = fmax(moved, fabs(was - first));
            }
        tl_json *sampler = sampler_of(&c, "ball", "translation");
        float blend;
        size_t key = key_before(&c, integer(sampler, "input"), (float)f / 60, &blend), out = integer(sampler, "output");
        float a = value(&c, out, key, 0), b = value(&c, out, key + 1, 0);
        assert_true(fabs((double)(a + blend * (b - a)) - (double)ball[f].x) < 1e-5);
    }
    assert_true(moved > 0.3);
    assert_true(worst < 1.1 * sqrt(1 + 0.8 * 0.8) / 800);
    /* fewer targets than frames, and the last frame is one of them */
    tl_json *primitive = tl_json_first(tl_json_get(named(&c, "meshes", "sheet"), "primitives"));
    size_t targets = tl_json_count(tl_json_get(primitive, "targets"));
    assert_true(targets > 3 && targets < FRAMES);
    for (size_t i = 0; i < VERTICES; ++i)
        assert_true(fabs((double)position_of(&c, (float)FRAMES / 60, i, 1) - (double)frames[FRAMES][i].y) < 1e-6);
    /* the ball turns by a quarter in 0.2 s; the floor stays */
    tl_json *turn = sampler_of(&c, "ball", "rotation");
    size_t last = FRAMES;
    assert_true(fabs(fabs((double)value(&c, integer(turn, "output"), last, 1)) - sqrt(0.5)) < 1e-5);
    assert_null(sampler_of(&c, "floor", "translation"));
    assert_null(named(&c, "nodes", "away"));
    close_clip(&c);
    tl_glb_destroy(glb);
    tl_scene_destroy(scene);
}

static void meshes_have_faces_unit_normals_uv_and_materials(void **state)
{
    (void)state;
    tl_error error = {0};
    tl_scene *scene = make_scene();
    tl_glb *glb = tl_glb_create(scene, &error);
    clip c = bytes_of(glb);
    assert_null(tl_json_get(c.root, "animations")); /* a single frame does not move */
    tl_json *primitive = tl_json_first(tl_json_get(named(&c, "meshes", "sheet"), "primitives"));
    tl_json *attributes = tl_json_get(primitive, "attributes");
    size_t corners = integer(primitive, "indices");
    const tl_mesh *mesh = tl_cloth_mesh(tl_world_cloth(tl_scene_world(scene), 0));
    for (size_t k = 0; k < 3 * (size_t)tl_mesh_triangle_count(mesh); ++k)
        assert_int_equal(uint_at(number_at(&c, corners, k, 0)), tl_mesh_triangles(mesh)[k]);
    for (size_t i = 0; i < VERTICES; ++i) {
        double square = 0;
        for (size_t k = 0; k < 3; ++k)
            square += pow((double)value(&c, integer(attributes, "NORMAL"), i, k), 2);
        assert_true(fabs(square - 1) < 1e-5);
        assert_true(fabs((double)value(&c, integer(attributes, "TEXCOORD_0"), i, 0) - (double)tl_mesh_uv(mesh)[2 * i]) <
                    1e-6);
    }
    tl_json *material = entry(tl_json_get(c.root, "materials"), integer(primitive, "material"));
    tl_json *color = tl_json_get(tl_json_get(material, "pbrMetallicRoughness"), "baseColorFactor");
    assert_true(fabs(entry(color, 0)->number - 1) < 1e-6 && fabs(entry(color, 1)->number - 0.21404) < 1e-4 &&
                entry(color, 2)->number == 0);
    assert_true(tl_json_get(material, "doubleSided")->number > 0);
    assert_non_null(tl_json_get(tl_json_get(material, "extensions"), "KHR_materials_sheen"));
    assert_non_null(named(&c, "nodes", "camera"));
    close_clip(&c);
    tl_glb_destroy(glb);
    tl_scene_destroy(scene);
}

static void a_file_has_the_bytes_and_recording_goes_on(void **state)
{
    (void)state;
    char folder[] = "/tmp/telar-glb-XXXXXX", name[64];
    assert_non_null(mkdtemp(folder));
    snprintf(name, sizeof name, "%s/clip.glb", folder);
    tl_error error = {0};
    tl_scene *scene = make_scene();
    tl_glb *glb = tl_glb_create(scene, &error);
    size_t targets[2];
    for (int round = 0; round < 2; ++round) {
        for (int f = 0; f < 10; ++f) {
            tl_world_step(tl_scene_world(scene), (tl_real)(1.0 / 60));
            assert_int_equal(tl_glb_add(glb, &error), TL_OK);
        }
        clip c = bytes_of(glb);
        assert_int_equal(tl_glb_save(glb, name, &error), TL_OK);
        FILE *file = fopen(name, "rb");
        assert_non_null(file);
        unsigned char *read = malloc(c.size + 1);
        assert_int_equal(fread(read, 1, c.size + 1, file), c.size);
        assert_memory_equal(read, c.file, c.size);
        fclose(file);
        free(read);
        tl_json *primitive = tl_json_first(tl_json_get(named(&c, "meshes", "sheet"), "primitives"));
        targets[round] = tl_json_count(tl_json_get(primitive, "targets"));
        close_clip(&c);
    }
    assert_true(targets[1] > targets[0]);
    unlink(name);
    rmdir(folder);
    assert_int_equal(tl_glb_save(glb, "/nowhere/clip.glb", &error), TL_ERROR_FILE);
    assert_non_null(strstr(error.message, "/nowhere/clip.glb"));
    tl_glb_destroy(glb);
    tl_scene_destroy(scene);
}

static void what_cannot_be_recorded_is_refused(void **state)
{
    (void)state;
    tl_error error = {0};
    tl_scene *empty = tl_scene_create(), *scene = make_scene();
    assert_null(tl_glb_create(empty, &error));
    assert_non_null(strstr(error.message, "has not been built"));
    tl_glb *glb = tl_glb_create(scene, &error);
    assert_int_equal(tl_glb_add(glb, &error), TL_ERROR_INPUT); /* no time has passed */
    tl_world_step(tl_scene_world(scene), (tl_real)(1.0 / 60));
    tl_body_destroy(tl_scene_world(scene), tl_world_body(tl_scene_world(scene), 0));
    assert_int_equal(tl_glb_add(glb, &error), TL_ERROR_INPUT);
    assert_non_null(strstr(error.message, "came or went"));
    tl_glb_destroy(glb);
    tl_glb_destroy(NULL);
    tl_scene_destroy(empty);
    tl_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_is_in_the_morph_targets),
        cmocka_unit_test(meshes_have_faces_unit_normals_uv_and_materials),
        cmocka_unit_test(a_file_has_the_bytes_and_recording_goes_on),
        cmocka_unit_test(what_cannot_be_recorded_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
