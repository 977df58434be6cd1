/* Characters in scenes: reading and writing, faults of patterns, dressing while a scene is built, and worn garments
   that come out of the cache with the same bits. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "telar/io.h"

static char folder[] = "/tmp/telar-characters-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static FILE *create(const char *name)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    return file;
}

/* A closed ball of triangles, 0.3 m around (0, 1, 0). */
static void write_ball(void)
{
    enum { RINGS = 14, AROUND = 28, LAST = 2 + (RINGS - 1) * AROUND };
    const double pi = 3.14159265358979;
    FILE *file = create("ball.obj");
    fprintf(file, "v 0 0.7 0\n");
    for (int i = 1; i < RINGS; ++i)
        for (int j = 0; j < AROUND; ++j) {
            double r = 0.3 * sin(pi * i / RINGS), y = 1 - 0.3 * cos(pi * i / RINGS), a = 2 * pi * j / AROUND;
            fprintf(file, "v %.6f %.6f %.6f\n", r * sin(a), y, r * cos(a));
        }
    fprintf(file, "v 0 1.3 0\n");
    for (int j = 0; j < AROUND; ++j) {
        int k = (j + 1) % AROUND;
        fprintf(file, "f 1 %d %d\n", 2 + k, 2 + j);
        for (int i = 0; i < RINGS - 2; ++i) {
            int below = 2 + i * AROUND, above = below + AROUND;
            fprintf(file, "f %d %d %d\nf %d %d %d\n", below + j, below + k, above + k, below + j, above + k, above + j);
        }
        fprintf(file, "f %d %d %d\n", LAST - AROUND + j, LAST - AROUND + k, LAST);
    }
    fclose(file);
}

/* Two panels of 80 × 40 cm, sewn at their sides; `edge` of the stitch on the back is 2 when nothing is wrong. */
static void write_tube(const char *name, int edge)
{
    static const char edges[] =
        "[{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3]}, {\"endpoints\": [3, 0]}]";
    FILE *file = create(name);
    fprintf(file,
            "{\"pattern\": {\"panels\": {\n"
            "\"front\": {\"vertices\": [[-40, 0], [40, 0], [40, 40], [-40, 40]], \"edges\": %s,\n"
            "  \"translation\": [0, 105, 40], \"rotation\": [0, 0, 0]},\n"
            "\"back\": {\"vertices\": [[-40, 0], [-40, 40], [40, 40], [40, 0]], \"edges\": %s,\n"
            "  \"translation\": [0, 105, -40], \"rotation\": [0, 0, 0]}},\n"
            "\"stitches\": [[{\"panel\": \"front\", \"edge\": 1}, {\"panel\": \"back\", \"edge\": %d}],\n"
            "  [{\"panel\": \"front\", \"edge\": 3}, {\"panel\": \"back\", \"edge\": 0}]]},\n"
            "\"properties\": {\"units_in_meter\": 100, \"curvature_coords\": \"relative\"}}\n",
            edges, edges, edge);
    fclose(file);
}

static tl_scene *parse(const char *characters)
{
    char text[2000];
    tl_error error = {.code = TL_OK};
    snprintf(text, sizeof text, "{\"character\": %s}", characters);
    tl_scene *scene = tl_scene_parse(text, strlen(text), path_of("scene.json"), &error);
    if (!scene)
        fail_msg("%s", error.message);
    return scene;
}

static tl_scene *tube_scene(const char *pattern)
{
    char text[300];
    snprintf(text, sizeof text,
             "[{\"label\": \"ball\", \"mesh\": \"ball.obj\", \"position\": [2, 0, 0], "
             "\"garment\": [{\"pattern\": \"%s\", \"edge\": 0.07}]}]",
             pattern);
    return parse(text);
}

static void expect(const tl_scene *scene, const char *path, const char *text)
{
    char found[600];
    tl_error error = {.code = TL_OK};
    if (tl_scene_get(scene, path, found, sizeof found, &error) != TL_OK)
        fail_msg("%s", error.message);
    assert_string_equal(found, text);
}

static void characters_are_read_set_and_written(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    tl_scene *scene =
        parse("[{}, {\"figure\": \"child\", \"measures\": {\"height\": 1.25}, \"position\": [1, 0, 0], "
              "\"garment\": [{\"pattern\": \"skirt\", \"fabric\": \"denim\"}, {\"pattern\": \"tube.json\"}]}]");
    expect(scene, "character[0].figure", "human");
    expect(scene, "character[1].measures.height", "1.25");
    expect(scene, "character[1].garment[0].fabric", "denim");
    expect(scene, "character[1].garment[1].fabric", "interlock");
    expect(scene, "character[1].garment[1].edge", "0.02");
    bool rebuild = false;
    assert_int_equal(tl_scene_set(scene, "character[0].measures.bust", "0.95", &rebuild, &error), TL_OK);
    assert_int_equal(tl_scene_add(scene, "character[0].garment", &error), TL_OK);
    assert_int_equal(tl_scene_set(scene, "character[0].garment[0].pattern", "cape", NULL, &error), TL_OK);
    size_t length = 0;
    char *text = tl_scene_text(scene, &length);
    tl_scene *again = tl_scene_parse(text, length, path_of("again.json"), &error);
    assert_non_null(again);
    expect(again, "character[0].measures.bust", "0.95");
    expect(again, "character[0].garment[0].pattern", "cape");
    expect(again, "character[1].garment[0].pattern", "skirt");
    free(text);
    tl_scene_destroy(again);

    /* in another folder, files keep their place and drafts their names */
    char elsewhere[] = "/tmp/telar-elsewhere-XXXXXX", file_name[300];
    assert_non_null(mkdtemp(elsewhere));
    snprintf(file_name, sizeof file_name, "%s/moved.json", elsewhere);
    assert_int_equal(tl_scene_save(scene, file_name, &error), TL_OK);
    again = tl_scene_load(file_name, &error);
    assert_non_null(again);
    expect(again, "character[1].garment[0].pattern", "skirt");
    char whole[600];
    assert_int_equal(tl_scene_get(again, "character[1].garment[1].pattern", whole, sizeof whole, &error), TL_OK);
    assert_true(whole[0] == '/' && strstr(whole, "/tube.json"));
    tl_scene_destroy(again);
    unlink(file_name);
    rmdir(elsewhere);
    assert_int_equal(tl_scene_remove(scene, "character[1].garment[0]", &error), TL_OK);
    expect(scene, "character[1].garment[0].pattern", "tube.json");
    assert_int_equal(tl_scene_remove(scene, "character[0]", &error), TL_OK);
    expect(scene, "character[0].figure", "child");
    tl_scene_destroy(scene);
}

static void build_fails_with(tl_scene *scene, const char *const *words)
{
    tl_error error = {.code = TL_OK};
    assert_null(tl_scene_build(scene, &error));
    for (; *words; ++words)
        if (!strstr(error.message, *words))
            fail_msg("no '%s' in: %s", *words, error.message);
    tl_scene_destroy(scene);
}

static void faults_of_patterns_are_named(void **state)
{
    (void)state;
    write_tube("broken.json", 7);
    build_fails_with(tube_scene("broken.json"), (const char *[]){"scene.json", "character[0].garment[0].pattern",
                                                                 "broken.json:", "back", "7", NULL});
    build_fails_with(tube_scene("skrit"),
                     (const char *[]){"garment[0].pattern", "skrit", "did you mean 'skirt'", NULL});
    build_fails_with(tube_scene(""), (const char *[]){"garment[0].pattern", "is missing", NULL});
    build_fails_with(parse("[{\"mesh\": \"none.obj\"}]"), (const char *[]){"character[0]", "none.obj", NULL});
    build_fails_with(parse("[{\"measures\": {\"height\": 1.7, \"leg_circ\": 1.5}}]"),
                     (const char *[]){"character[0]", "thigh", NULL});
    tl_error error = {.code = TL_OK};
    static const char wrong[] = "{\"character\": [{\"garment\": [{\"fabrik\": \"denim\"}]}]}";
    assert_null(tl_scene_parse(wrong, strlen(wrong), "", &error));
    assert_non_null(strstr(error.message, "did you mean 'fabric'"));
}

typedef struct watch {
    int frames;
    bool refuse;
    char label[64];
    tl_dress_phase last;
} watch;

static bool look_on(void *user, const tl_scene_dressing *now)
{
    watch *w = user;
    assert_int_equal(now->garment, 0);
    assert_int_equal(now->count, 1);
    ++w->frames;
    w->last = now->report.phase;
    snprintf(w->label, sizeof w->label, "%s", now->label);
    return !w->refuse;
}

/* The one file of the cache. */
static const char *cached_file(void)
{
    static char path[600];
    DIR *directory = opendir(path_of("telar/worn"));
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *item; (item = readdir(directory)) != NULL;)
        if (item->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/telar/worn/%.255s", folder, item->d_name);
            ++count;
        }
    closedir(directory);
    assert_int_equal(count, 1);
    return path;
}

static void a_garment_is_dressed_once_and_cached(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    write_tube("tube.json", 2);
    tl_scene *scene = tube_scene("tube.json");
    watch w = {0};
    tl_scene_set_progress(scene, look_on, &w);
    tl_world *world = tl_scene_build(scene, &error);
    if (!world)
        fail_msg("%s", error.message);
    assert_true(w.frames > 100);
    assert_int_equal(w.last, TL_DRESS_SETTLE);
    assert_string_equal(w.label, "ball: tube");
    assert_int_equal(tl_world_body_count(world), 1);
    assert_int_equal(tl_world_cloth_count(world), 1);
    tl_cloth *cloth = tl_world_cloth(world, 0);
    int count = tl_cloth_vertex_count(cloth);
    tl_vec3 *first = malloc((size_t)count * sizeof *first);
    memcpy(first, tl_cloth_positions(cloth), (size_t)count * sizeof *first);
    for (int v = 0; v < count; ++v)
        assert_true(fabs((double)first[v].x - 2) < 0.6); /* at the character's place */
    assert_int_equal(tl_cloth_count_body_intersections(cloth), 0);
    assert_int_equal(tl_scene_extend(scene, &error), TL_ERROR_UNSUPPORTED);

    /* the second time nothing is dressed, and the bits are the same */
    w = (watch){.refuse = true};
    world = tl_scene_build(scene, &error);
    assert_non_null(world);
    assert_int_equal(w.frames, 0);
    assert_memory_equal(tl_cloth_positions(tl_world_cloth(world, 0)), first, (size_t)count * sizeof *first);

    /* without the cache, with other settings and with a damaged file it is */
    tl_scene_set_cache(scene, false);
    assert_null(tl_scene_build(scene, &error));
    assert_non_null(strstr(error.message, "stopped"));
    assert_int_equal(w.frames, 1);
    tl_scene_set_cache(scene, true);
    assert_int_equal(tl_scene_set(scene, "character[0].garment[0].fabric", "denim", NULL, &error), TL_OK);
    assert_null(tl_scene_build(scene, &error));
    assert_int_equal(w.frames, 2);
    assert_int_equal(tl_scene_set(scene, "character[0].garment[0].fabric", "interlock", NULL, &error), TL_OK);
    assert_non_null(tl_scene_build(scene, &error));
    FILE *file = fopen(cached_file(), "r+b");
    assert_non_null(file);
    fseek(file, 2000, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, 2000, SEEK_SET);
    fputc(byte ^ 1, file);
    fclose(file);
    assert_null(tl_scene_build(scene, &error));
    assert_int_equal(w.frames, 3);
    assert_int_equal(truncate(cached_file(), 100), 0);
    assert_null(tl_scene_build(scene, &error));
    assert_int_equal(w.frames, 4);

    /* and made again */
    w = (watch){0};
    assert_non_null(tl_scene_build(scene, &error));
    assert_true(w.frames > 100);
    w = (watch){.refuse = true};
    world = tl_scene_build(scene, &error);
    assert_non_null(world);
    assert_int_equal(w.frames, 0);
    assert_memory_equal(tl_cloth_positions(tl_world_cloth(world, 0)), first, (size_t)count * sizeof *first);
    free(first);
    tl_scene_destroy(scene);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
        return -1;
    write_ball();
    write_tube("tube.json", 2);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const files[] = {"ball.obj", "tube.json", "broken.json", "telar/worn", "telar", ""};
    unlink(cached_file());
    for (int k = 0; k < (int)(sizeof files / sizeof *files); ++k)
        remove(path_of(files[k]));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_read_set_and_written),
        cmocka_unit_test(faults_of_patterns_are_named),
        cmocka_unit_test(a_garment_is_dressed_once_and_cached),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
