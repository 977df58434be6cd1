/* Writing a recorded clip as glTF 2.0 in one binary file (Khronos, 2021): a node for each cloth and body, the shapes of
   a cloth as morph targets of its mesh and one animation of their weights, poses of bodies as an animation of their
   nodes. Nothing in it needs an extension; the sheen of cloth is one that readers may ignore. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/vec.h"
#include "io/file.h"
#include "io/glb.h"
#include "io/json.h"

enum {
    GLB_MAGIC = 0x46546C67, /* "glTF" */
    CHUNK_JSON = 0x4E4F534A,
    CHUNK_BIN = 0x004E4942,
    HEADER = 12,
    CHUNK_HEADER = 8,
    TYPE_FLOAT = 5126,
    TYPE_UINT = 5125,
    VERTICES = 34962, /* use of a buffer view; 0: none */
    INDICES = 34963,
    LINE_WIDTH = 1 << 20
};
static const double CLOTH_ROUGHNESS = 0.9, BODY_ROUGHNESS = 0.6, SHEEN_ROUGHNESS = 0.4, NEAR = 0.05;

typedef struct writer {
    tl_json_document document;
    tl_json *views, *accessors, *samplers, *channels;
    unsigned char *bytes; /* the binary chunk */
    size_t size, capacity;
    bool failed;
} writer;

/* ---- the binary chunk --------------------------------------------------------------------------------------- */

static void put_uint(unsigned char *at, uint32_t number)
{
    for (int i = 0; i < 4; ++i)
        at[i] = (unsigned char)(number >> (8 * i));
}

static void append_bits(writer *w, const void *numbers, size_t count)
{
    if (w->size + 4 * count > w->capacity && !w->failed) {
        size_t capacity = 2 * w->capacity + 4 * count;
        unsigned char *bytes = realloc(w->bytes, capacity);
        w->failed = bytes == NULL;
        w->bytes = bytes ? bytes : w->bytes;
        w->capacity = bytes ? capacity : w->capacity;
    }
    for (size_t k = 0; k < count && !w->failed; ++k, w->size += 4) {
        uint32_t bits;
        memcpy(&bits, (const char *)numbers + 4 * k, sizeof bits);
        put_uint(w->bytes + w->size, bits);
    }
}

static tl_json *object_in(writer *w, tl_json *list)
{
    tl_json *made = tl_json_new(&w->document, TL_JSON_OBJECT);
    tl_json_append(&w->document, list, made);
    return made;
}
static void put_integer(writer *w, tl_json *object, const char *key, size_t number)
{
    tl_json_put(&w->document, object, key, tl_json_integer(&w->document, (long)number));
}
static void put_text(writer *w, tl_json *object, const char *key, const char *text)
{
    tl_json_put(&w->document, object, key, tl_json_text(&w->document, text));
}
static void put_numbers(writer *w, tl_json *object, const char *key, const double *numbers, size_t count)
{
    tl_json_put(&w->document, object, key, tl_json_numbers(&w->document, numbers, count));
}
static tl_json *put_new(writer *w, tl_json *object, const char *key, tl_json_kind kind)
{
    tl_json *made = tl_json_new(&w->document, kind);
    tl_json_put(&w->document, object, key, made);
    return made;
}

/* A buffer view of 4-byte numbers; stride in bytes, 0: packed. Returns its index. */
static size_t add_view(writer *w, const void *numbers, size_t count, size_t stride, int use)
{
    tl_json *view = object_in(w, w->views);
    put_integer(w, view, "buffer", 0);
    put_integer(w, view, "byteOffset", w->size);
    put_integer(w, view, "byteLength", 4 * count);
    if (stride > 0)
        put_integer(w, view, "byteStride", stride);
    if (use)
        put_integer(w, view, "target", (size_t)use);
    append_bits(w, numbers, count);
    return tl_json_count(w->views) - 1;
}

/* Returns its index. */
static size_t add_accessor(writer *w, size_t view, size_t offset, int component, const char *type, size_t count)
{
    tl_json *accessor = object_in(w, w->accessors);
    put_integer(w, accessor, "bufferView", view);
    if (offset > 0)
        put_integer(w, accessor, "byteOffset", offset);
    put_integer(w, accessor, "componentType", (size_t)component);
    put_integer(w, accessor, "count", count);
    put_text(w, accessor, "type", type);
    return tl_json_count(w->accessors) - 1;
}

/* min and max of the accessor made last, over `parts` numbers at the start of rows of `stride` numbers. */
static void put_bounds(writer *w, const float *numbers, size_t count, size_t parts, size_t stride)
{
    double low[3] = {0}, high[3] = {0};
    for (size_t c = 0; c < parts && count > 0; ++c) {
        low[c] = high[c] = (double)numbers[c];
        for (size_t i = 1; i < count; ++i) {
            low[c] = fmin(low[c], (double)numbers[stride * i + c]);
            high[c] = fmax(high[c], (double)numbers[stride * i + c]);
        }
    }
    tl_json *accessor = w->accessors ? w->accessors->last : NULL;
    put_numbers(w, accessor, "min", low, parts);
    put_numbers(w, accessor, "max", high, parts);
}

/* ---- meshes ------------------------------------------------------------------------------------------------- */

/* Positions and normals, side by side, as the two attributes of `attributes`. */
static void put_shape(writer *w, tl_json *attributes, const float *shape, size_t vertices)
{
    const size_t row = TL_GLB_NUMBERS * sizeof(float);
    size_t view = add_view(w, shape, TL_GLB_NUMBERS * vertices, row, VERTICES);
    put_integer(w, attributes, "POSITION", add_accessor(w, view, 0, TYPE_FLOAT, "VEC3", vertices));
    put_bounds(w, shape, vertices, 3, TL_GLB_NUMBERS);
    put_integer(w, attributes, "NORMAL", add_accessor(w, view, row / 2, TYPE_FLOAT, "VEC3", vertices));
}

static void put_targets(writer *w, tl_json *mesh, tl_json *primitive, const tl_glb_shapes *s)
{
    size_t count = TL_GLB_NUMBERS * (size_t)s->vertex_count;
    float *change = malloc(count * sizeof *change);
    w->failed = w->failed || !change;
    tl_json *targets = put_new(w, primitive, "targets", TL_JSON_LIST);
    tl_json *weights = put_new(w, mesh, "weights", TL_JSON_LIST);
    for (int k = 0; k < s->key_count && !w->failed; ++k) {
        for (size_t i = 0; i < count; ++i)
            change[i] = s->key[k][i] - s->first[i];
        put_shape(w, object_in(w, targets), change, (size_t)s->vertex_count);
        tl_json_append(&w->document, weights, tl_json_integer(&w->document, 0));
    }
    free(change);
}

static void put_mesh(writer *w, tl_json *meshes, const tl_glb_object *object, size_t material)
{
    const tl_glb_shapes *s = &object->shapes;
    tl_json *mesh = object_in(w, meshes);
    put_text(w, mesh, "name", object->name);
    tl_json *primitive = object_in(w, put_new(w, mesh, "primitives", TL_JSON_LIST));
    tl_json *attributes = put_new(w, primitive, "attributes", TL_JSON_OBJECT);
    put_shape(w, attributes, s->first, (size_t)s->vertex_count);
    if (object->uv) {
        size_t view = add_view(w, object->uv, 2 * (size_t)s->vertex_count, 0, VERTICES);
        put_integer(w, attributes, "TEXCOORD_0", add_accessor(w, view, 0, TYPE_FLOAT, "VEC2", (size_t)s->vertex_count));
    }
    size_t corners = 3 * (size_t)object->triangle_count;
    put_integer(w, primitive, "indices",
                add_accessor(w, add_view(w, object->corners, corners, 0, INDICES), 0, TYPE_UINT, "SCALAR", corners));
    put_integer(w, primitive, "material", material);
    if (s->moved)
        put_targets(w, mesh, primitive, s);
}

static void put_material(writer *w, tl_json *materials, const tl_glb_object *object)
{
    const double base[4] = {object->color[0], object->color[1], object->color[2], 1};
    tl_json *material = object_in(w, materials), *surface;
    put_text(w, material, "name", object->name);
    surface = put_new(w, material, "pbrMetallicRoughness", TL_JSON_OBJECT);
    put_numbers(w, surface, "baseColorFactor", base, 4);
    put_integer(w, surface, "metallicFactor", 0);
    tl_json_put(&w->document, surface, "roughnessFactor",
                tl_json_number(&w->document, object->cloth ? CLOTH_ROUGHNESS : BODY_ROUGHNESS));
    if (object->cloth)
        tl_json_put(&w->document, material, "doubleSided", tl_json_bool(&w->document, true));
    if (object->sheen > 0) {
        const double glow[3] = {object->sheen, object->sheen, object->sheen};
        tl_json *extensions = put_new(w, material, "extensions", TL_JSON_OBJECT);
        tl_json *sheen = put_new(w, extensions, "KHR_materials_sheen", TL_JSON_OBJECT);
        put_numbers(w, sheen, "sheenColorFactor", glow, 3);
        tl_json_put(&w->document, sheen, "sheenRoughnessFactor", tl_json_number(&w->document, SHEEN_ROUGHNESS));
    }
}

/* ---- motion ------------------------------------------------------------------------------------------------- */

static size_t add_times(writer *w, const float *times, size_t count)
{
    size_t accessor = add_accessor(w, add_view(w, times, count, 0, 0), 0, TYPE_FLOAT, "SCALAR", count);
    put_bounds(w, times, count, 1, 1);
    return accessor;
}

static void put_channel(writer *w, size_t node, const char *path, size_t input, size_t output)
{
    tl_json *sampler = object_in(w, w->samplers);
    put_integer(w, sampler, "input", input);
    put_integer(w, sampler, "output", output);
    tl_json *channel = object_in(w, w->channels);
    put_integer(w, channel, "sampler", tl_json_count(w->samplers) - 1);
    tl_json *target = put_new(w, channel, "target", TL_JSON_OBJECT);
    put_integer(w, target, "node", node);
    put_text(w, target, "path", path);
}

/* One target after another has the weight 1. */
static void put_weights(writer *w, size_t node, const tl_glb_shapes *s)
{
    size_t targets = (size_t)s->key_count, count = targets + 1;
    float *times = calloc(count, sizeof *times), *weights = calloc(count * targets, sizeof *weights);
    if (times && weights) {
        for (size_t k = 0; k < targets; ++k) {
            times[k + 1] = (float)s->time[k];
            weights[(k + 1) * targets + k] = 1;
        }
        size_t input = add_times(w, times, count);
        size_t view = add_view(w, weights, count * targets, 0, 0);
        put_channel(w, node, "weights", input, add_accessor(w, view, 0, TYPE_FLOAT, "SCALAR", count * targets));
    } else {
        w->failed = true;
    }
    free(times);
    free(weights);
}

static bool pose_moves(const tl_glb_object *object, bool turns)
{
    bool moves = false;
    for (int k = 1; k < object->pose_count; ++k) {
        const tl_glb_pose *a = &object->pose[0], *b = &object->pose[k];
        moves = moves || (turns ? memcmp(a->rotation, b->rotation, sizeof a->rotation)
                                : memcmp(a->position, b->position, sizeof a->position)) != 0;
    }
    return moves;
}

static void put_poses(writer *w, size_t node, const tl_glb_object *object)
{
    size_t count = (size_t)object->pose_count;
    bool moves = pose_moves(object, false), turns = pose_moves(object, true);
    float *numbers = malloc(4 * count * sizeof *numbers);
    w->failed = w->failed || !numbers;
    if (numbers && (moves || turns)) {
        for (size_t k = 0; k < count; ++k)
            numbers[k] = object->pose[k].time;
        size_t input = add_times(w, numbers, count);
        for (int turn = 0; turn < 2; ++turn) {
            size_t parts = turn ? 4 : 3;
            for (size_t k = 0; k < count; ++k)
                memcpy(numbers + parts * k, turn ? object->pose[k].rotation : object->pose[k].position,
                       parts * sizeof *numbers);
            if (turn ? turns : moves)
                put_channel(w, node, turn ? "rotation" : "translation", input,
                            add_accessor(w, add_view(w, numbers, parts * count, 0, 0), 0, TYPE_FLOAT,
                                         turn ? "VEC4" : "VEC3", count));
        }
    }
    free(numbers);
}

static void put_floats(writer *w, tl_json *object, const char *key, const float *numbers, size_t count)
{
    double list[4];
    for (size_t k = 0; k < count; ++k)
        list[k] = (double)numbers[k];
    put_numbers(w, object, key, list, count);
}

static void put_node(writer *w, tl_json *nodes, const tl_glb_object *object)
{
    size_t index = tl_json_count(nodes);
    tl_json *node = object_in(w, nodes);
    put_text(w, node, "name", object->name);
    put_integer(w, node, "mesh", index);
    if (object->pose_count > 0) {
        put_floats(w, node, "translation", object->pose[0].position, 3);
        put_floats(w, node, "rotation", object->pose[0].rotation, 4);
        put_poses(w, index, object);
    }
    if (object->scale > 1) {
        const float scale[3] = {object->scale, object->scale, object->scale};
        put_floats(w, node, "scale", scale, 3);
    }
    if (object->shapes.moved)
        put_weights(w, index, &object->shapes);
}

/* The scene's camera, where it has its own place. */
static void put_camera(writer *w, tl_json *root, tl_json *nodes, const tl_camera_def *camera)
{
    tl_vec3 back = tl_sub(camera->position, camera->target), up = {0, 1, 0}, side = tl_cross(up, back);
    if (camera->frame || !(tl_length(side) > 0))
        return;
    tl_json *made = object_in(w, put_new(w, root, "cameras", TL_JSON_LIST));
    put_text(w, made, "type", "perspective");
    tl_json *view = put_new(w, made, "perspective", TL_JSON_OBJECT);
    tl_json_put(&w->document, view, "yfov", tl_json_number(&w->document, (double)camera->field_of_view * TL_PI / 180));
    tl_json_put(&w->document, view, "znear", tl_json_number(&w->document, NEAR));
    tl_vec3 z = tl_normalized(back), x = tl_normalized(side), y = tl_cross(z, x), at = camera->position;
    const tl_vec3 column[4] = {x, y, z, at};
    double matrix[16];
    for (int k = 0; k < 4; ++k) {
        matrix[4 * k] = (double)column[k].x;
        matrix[4 * k + 1] = (double)column[k].y;
        matrix[4 * k + 2] = (double)column[k].z;
        matrix[4 * k + 3] = k == 3;
    }
    tl_json *node = object_in(w, nodes);
    put_text(w, node, "name", "camera");
    put_integer(w, node, "camera", 0);
    put_numbers(w, node, "matrix", matrix, 16);
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

/* Lists must not be empty. */
static void put_list(writer *w, tl_json *object, const char *key, tl_json *list)
{
    if (tl_json_count(list) > 0)
        tl_json_put(&w->document, object, key, list);
}

static void put_all(writer *w, const tl_glb *glb)
{
    tl_json_document *d = &w->document;
    tl_json *root = tl_json_new(d, TL_JSON_OBJECT), *asset = put_new(w, root, "asset", TL_JSON_OBJECT);
    tl_json *nodes = tl_json_new(d, TL_JSON_LIST), *meshes = tl_json_new(d, TL_JSON_LIST),
            *materials = tl_json_new(d, TL_JSON_LIST), *used = tl_json_new(d, TL_JSON_LIST);
    d->root = root;
    put_text(w, asset, "version", "2.0");
    put_text(w, asset, "generator", "Telar");
    w->views = tl_json_new(d, TL_JSON_LIST);
    w->accessors = tl_json_new(d, TL_JSON_LIST);
    w->samplers = tl_json_new(d, TL_JSON_LIST);
    w->channels = tl_json_new(d, TL_JSON_LIST);
    for (int k = 0; k < glb->object_count; ++k) {
        put_material(w, materials, &glb->object[k]);
        put_mesh(w, meshes, &glb->object[k], (size_t)k);
        put_node(w, nodes, &glb->object[k]);
        if (glb->object[k].sheen > 0 && tl_json_count(used) == 0)
            tl_json_append(d, used, tl_json_text(d, "KHR_materials_sheen"));
    }
    put_camera(w, root, nodes, tl_scene_camera(glb->scene));
    put_list(w, root, "extensionsUsed", used);
    tl_json *scene = object_in(w, put_new(w, root, "scenes", TL_JSON_LIST));
    put_text(w, scene, "name", tl_scene_info(glb->scene)->title);
    if (tl_json_count(nodes) > 0) {
        tl_json *list = put_new(w, scene, "nodes", TL_JSON_LIST);
        for (size_t k = 0; k < tl_json_count(nodes); ++k)
            tl_json_append(d, list, tl_json_integer(d, (long)k));
    }
    put_integer(w, root, "scene", 0);
    put_list(w, root, "nodes", nodes);
    put_list(w, root, "meshes", meshes);
    put_list(w, root, "materials", materials);
    if (tl_json_count(w->channels) > 0) {
        tl_json *animation = object_in(w, put_new(w, root, "animations", TL_JSON_LIST));
        put_text(w, animation, "name", "clip");
        tl_json_put(d, animation, "samplers", w->samplers);
        tl_json_put(d, animation, "channels", w->channels);
    }
    put_list(w, root, "accessors", w->accessors);
    put_list(w, root, "bufferViews", w->views);
    if (w->size > 0)
        put_integer(w, object_in(w, put_new(w, root, "buffers", TL_JSON_LIST)), "byteLength", w->size);
}

/* Header and the two chunks, each padded to 4 bytes; NULL when memory is short. */
static unsigned char *join(const writer *w, const char *text, size_t length, size_t *size)
{
    size_t padded = (length + 3) / 4 * 4;
    *size = HEADER + CHUNK_HEADER + padded + (w->size > 0 ? CHUNK_HEADER + w->size : 0);
    unsigned char *file = malloc(*size), *at = file;
    if (!file)
        return NULL;
    put_uint(at, GLB_MAGIC);
    put_uint(at + 4, 2);
    put_uint(at + 8, (uint32_t)*size);
    at += HEADER;
    put_uint(at, (uint32_t)padded);
    put_uint(at + 4, CHUNK_JSON);
    memcpy(at + CHUNK_HEADER, text, length);
    memset(at + CHUNK_HEADER + length, ' ', padded - length);
    at += CHUNK_HEADER + padded;
    if (w->size > 0) {
        put_uint(at, (uint32_t)w->size);
        put_uint(at + 4, CHUNK_BIN);
        memcpy(at + CHUNK_HEADER, w->bytes, w->size);
    }
    return file;
}

unsigned char *tl_glb_bytes(tl_glb *glb, size_t *size, tl_error *error)
{
    writer w = {.failed = !tl_glb_finish(glb)};
    put_all(&w, glb);
    bool large = w.size > UINT32_MAX / 2;
    size_t length = 0;
    char *text = w.failed || w.document.failed || large ? NULL : tl_json_write(w.document.root, LINE_WIDTH, &length);
    unsigned char *file = text ? join(&w, text, length, size) : NULL;
    free(text);
    free(w.bytes);
    tl_json_release(&w.document);
    if (large)
        tl_fail(error, TL_ERROR_UNSUPPORTED, "the clip has more than 2 GB: a glTF file cannot hold it");
    else if (!file)
        tl_fail(error, TL_ERROR_MEMORY, "not enough memory to write the clip");
    return file;
}

tl_result tl_glb_save(tl_glb *glb, const char *file_name, tl_error *error)
{
    size_t size = 0;
    tl_error reason = {0};
    unsigned char *file = tl_glb_bytes(glb, &size, &reason);
    if (!file)
        return tl_fail(error, reason.code, "%s: %s", file_name, reason.message);
    tl_result result = tl_file_replace(file_name, (const char *)file, size, error);
    free(file);
    return result;
}
