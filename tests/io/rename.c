/* Names of earlier versions: the reader rejects each with the new one, and the upgrade rewrites them in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/rename.h"
#include "telar/io.h"

static char path[64];

static const char *write_file(const char *text)
{
    strcpy(path, "/tmp/telar-rename-XXXXXX");
    int number = mkstemp(path);
    assert_true(number >= 0);
    assert_int_equal(write(number, text, strlen(text)), (int)strlen(text));
    close(number);
    return path;
}

static const char *file_text(void)
{
    static char text[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static const char *const cloth_and_body =
    "{\"scene\": {\"frames\": 5},\n \"cloth\": [{\"columns\": 6, \"rows\": 6}], \"body\": [{}]}";

/* `"a": {"b": 1}` for a.b */
static void write_nested(char *out, size_t size, const char *key, const char *value)
{
    size_t first = strcspn(key, ".");
    if (key[first] == '.')
        snprintf(out, size, "\"%.*s\": {\"%s\": %s}", (int)first, key, key + first + 1, value);
    else
        snprintf(out, size, "\"%s\": %s", key, value);
}

/* A scene with one parameter of the group, on line 3. */
static void scene_with(char *out, size_t size, const char *group, const char *member)
{
    bool list = strcmp(group, "world") != 0;
    snprintf(out, size, "{\"scene\": {\"frames\": 5},\n \"%s\": %s\n{%s}%s}\n", group, list ? "[" : "", member,
             list ? "]" : "");
}

/* A valid value of the parameter as JSON: its default under its old name in `row`, or its current name. */
static void default_value(const tl_rename *row, bool old, char out[64])
{
    const tl_param_group *group = strcmp(row->group, "world") == 0   ? &tl_world_params
                                  : strcmp(row->group, "cloth") == 0 ? &tl_cloth_params
                                                                     : &tl_body_params;
    const tl_param *param = tl_param_find(group, row->new_path);
    assert_non_null(param); /* the table's new names exist */
    assert_null(tl_param_find(group, row->path));
    char text[48];
    tl_value value = tl_param_default(param);
    tl_param_format(&value, text, sizeof text);
    if (param->type == TL_PARAM_NAME)
        snprintf(out, 64, "\"%s\"", row->name ? (old ? row->name : row->new_name) : text);
    else
        snprintf(out, 64, "%s", text);
}

static void every_old_name_is_refused_with_its_line_and_new_name(void **state)
{
    (void)state;
    tl_scene *scene = tl_scene_parse(cloth_and_body, strlen(cloth_and_body), "s.json", NULL);
    assert_non_null(scene);
    for (const tl_rename *row = tl_renames; row->group; ++row) {
        char value[64], member[200], text[400], message[200], full[100];
        bool list = strcmp(row->group, "world") != 0;
        tl_error error = {.code = TL_OK};
        default_value(row, true, value);
        write_nested(member, sizeof member, row->path, value);
        scene_with(text, sizeof text, row->group, member);
        assert_null(tl_scene_parse(text, strlen(text), "old.json", &error));
        snprintf(full, sizeof full, "%s%s.%s", row->group, list ? "[0]" : "", row->path);
        snprintf(message, sizeof message, "old.json:3: %s: renamed to '%s'", full, row->new_path);
        if (strncmp(error.message, message, strlen(message)) != 0)
            fail_msg("'%s' does not begin with '%s'", error.message, message);
        assert_int_equal(tl_scene_set(scene, full, "1", NULL, &error), TL_ERROR_INPUT);
        snprintf(message, sizeof message, "%s: renamed to '%s'", full, row->new_path);
        assert_string_equal(error.message, message);
    }
    tl_error error = {.code = TL_OK};
    assert_int_equal(tl_scene_set(scene, "world.simd", "plain", NULL, &error), TL_ERROR_INPUT);
    assert_string_equal(error.message, "world.simd: 'plain' is renamed to 'scalar'");
    tl_scene_destroy(scene);
}

static void the_upgrade_of_every_old_name_is_the_new_one(void **state)
{
    (void)state;
    for (const tl_rename *row = tl_renames; row->group; ++row) {
        char value[64], member[200], text[400];
        default_value(row, true, value);
        write_nested(member, sizeof member, row->path, value);
        scene_with(text, sizeof text, row->group, member);
        tl_error error = {.code = TL_OK};
        if (tl_scene_upgrade(write_file(text), NULL, NULL, &error) != TL_OK)
            fail_msg("%s", error.message);
        default_value(row, false, value);
        write_nested(member, sizeof member, row->new_path, value);
        scene_with(text, sizeof text, row->group, member);
        assert_string_equal(file_text(), text);
        remove(path);
    }
}

typedef struct seen {
    int count;
    char lines[16][160];
} seen;

static void note(void *user, int line, const char *before, const char *after)
{
    seen *s = user;
    snprintf(s->lines[s->count++], sizeof *s->lines, "%d: %s > %s", line, before, after);
}

/* Layout, order and everything that was not renamed are unchanged. */
static void the_upgrade_keeps_the_text_around(void **state)
{
    (void)state;
    write_file("\xEF\xBB\xBF{ \"scene\": {\"title\": \"hold \\\"layers\\\": {lanes}\"},\r\n"
               "  \"world\" : { \"lanes\" :\t\"plain\" },\n"
               "  \"cloth\": [\n"
               "    {\"columns\": 5, \"layers\": {\"friction\": 0.2 , \"gap\": 3e-3}, \"rows\": 5},\n"
               "    {\n"
               "      \"contact\": \"fast\",\n"
               "      \"hold\": {\n"
               "        \"repeats\": 2,\n"
               "        \"attachments\": false\n"
               "      },\n"
               "      \"limit\" : {\"on\": true,\n"
               "                 \"warp\": 0.05}\n"
               "    }],\n"
               "  \"body\": [{\"mass\": 2, \"held\": true}, {\"release\": 0, \"mass\": 1}]}\n");
    chmod(path, 0640);
    seen s = {0};
    tl_error error = {.code = TL_OK};
    if (tl_scene_upgrade(path, note, &s, &error) != TL_OK)
        fail_msg("%s", error.message);
    assert_string_equal(file_text(),
                        "\xEF\xBB\xBF{ \"scene\": {\"title\": \"hold \\\"layers\\\": {lanes}\"},\r\n"
                        "  \"world\" : { \"simd\" :\t\"scalar\" },\n"
                        "  \"cloth\": [\n"
                        "    {\"columns\": 5, \"cloth_friction\": 0.2, \"cloth_gap\": 3e-3, \"rows\": 5},\n"
                        "    {\n"
                        "      \"contact\": \"self-collision\",\n"
                        "      \"extra_sweeps\": 2,\n"
                        "      \"tether\": {\"on\": false},\n"
                        "      \"strain_limit\" : {\"on\": true,\n"
                        "                 \"warp\": 0.05}\n"
                        "    }],\n"
                        "  \"body\": [{\"mass\": 2, \"kinematic\": true}, {\"release_time\": 0, \"mass\": 1}]}\n");
    static const char *const expected[] = {
        "2: world.lanes > simd",
        "2: world.lanes \"plain\" > \"scalar\"",
        "4: cloth[0].layers.friction > cloth_friction",
        "4: cloth[0].layers.gap > cloth_gap",
        "6: cloth[1].contact \"fast\" > \"self-collision\"",
        "7: cloth[1].hold.repeats > extra_sweeps",
        "8: cloth[1].hold.attachments > tether.on",
        "11: cloth[1].limit > strain_limit",
        "14: body[0].held > kinematic",
        "14: body[1].release > release_time",
    };
    assert_int_equal(s.count, sizeof expected / sizeof *expected);
    for (int k = 0; k < s.count; ++k)
        assert_string_equal(s.lines[k], expected[k]);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    /* once is enough */
    char *after = strdup(file_text());
    s.count = 0;
    assert_int_equal(tl_scene_upgrade(path, note, &s, &error), TL_OK);
    assert_int_equal(s.count, 0);
    assert_string_equal(file_text(), after);
    free(after);
    remove(path);
}

static uint64_t hash_of(const char *file_name)
{
    tl_error error = {.code = TL_OK};
    tl_scene *scene = tl_scene_load(file_name, &error);
    tl_world *world = scene ? tl_scene_build(scene, &error) : NULL;
    if (!world)
        fail_msg("%s", error.message);
    for (int frame = 0; frame < 5; ++frame)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 60)), TL_OK);
    uint64_t hash = tl_world_hash(world);
    tl_scene_destroy(scene);
    return hash;
}

#define SHEET "\"columns\": 9, \"rows\": 9, \"stepper\": \"xpbd\", \"substeps\": 4, \"pin\": [{}]"

static void an_upgraded_scene_is_the_same_world(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    write_file("{\"cloth\": [{" SHEET ", \"contact\": \"safe\", \"hold\": {\"attachments\": false, \"repeats\": 1},"
               " \"limit\": {\"on\": true, \"warp\": 0.01}, \"layers\": {\"gap\": 0.02}}]}");
    assert_int_equal(tl_scene_upgrade(path, NULL, NULL, &error), TL_OK);
    uint64_t upgraded = hash_of(path);
    remove(path);
    write_file("{\"cloth\": [{" SHEET
               ", \"contact\": \"penetration-free\", \"tether\": {\"on\": false}, \"extra_sweeps\": 1,"
               " \"strain_limit\": {\"on\": true, \"warp\": 0.01}, \"cloth_gap\": 0.02}]}");
    assert_true(upgraded == hash_of(path));
    remove(path);
    write_file("{\"cloth\": [{" SHEET "}]}");
    assert_true(upgraded != hash_of(path)); /* those parameters have an effect here */
    remove(path);
}

static void what_cannot_be_upgraded_stays_as_it_was(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } broken[] = {
        {"", "the file is empty"},
        {"{\"cloth\": [{\"hold\": {\"coarse\": true}", "not well-formed JSON"},
        {"[1, 2]", "a scene is an object"},
        {"{\"cloth\": [{\"limit\": {\"on\": true}, \"densty\": 1}]}", "cloth[0].densty: unknown key"},
        {"{\"cloth\": [{\"limit\": {\"on\": true, \"wrap\": 1}}]}", "cloth[0].limit.on: renamed to 'strain_limit.on'"},
        {"{\"cloth\": [{\"hold\": {}}]}", "cloth[0].hold: unknown key"},
        {"{\"cloth\": [{\"limit\": {\"on\": true}, \"strain_limit\": {\"warp\": 1}}]}", "duplicate"},
        {"{\"cloth\": [{\"layers\": {\"gap\": -1}}]}", "cloth[0].cloth_gap: -1 is below 0"},
        {"{\"body\": {\"held\": true}}", "body: expected a list"},
    };
    for (size_t k = 0; k < sizeof broken / sizeof *broken; ++k) {
        tl_error error = {.code = TL_OK};
        seen s = {0};
        assert_int_equal(tl_scene_upgrade(write_file(broken[k].text), note, &s, &error), TL_ERROR_INPUT);
        if (!strstr(error.message, broken[k].message))
            fail_msg("no '%s' in: %s", broken[k].message, error.message);
        assert_string_equal(file_text(), broken[k].text);
        assert_int_equal(s.count, 0);
        remove(path);
    }
    tl_error error = {.code = TL_OK};
    assert_int_equal(tl_scene_upgrade("/nowhere/scene.json", NULL, NULL, &error), TL_ERROR_INPUT);
}

static void a_link_to_a_scene_stays_a_link(void **state)
{
    (void)state;
    char link_path[80];
    struct stat status;
    write_file("{\"body\": [{\"held\": true}]}");
    snprintf(link_path, sizeof link_path, "%s.link", path);
    assert_int_equal(symlink(path, link_path), 0);
    assert_int_equal(tl_scene_upgrade(link_path, NULL, NULL, NULL), TL_OK);
    assert_string_equal(file_text(), "{\"body\": [{\"kinematic\": true}]}");
    assert_int_equal(lstat(link_path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    remove(link_path);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_old_name_is_refused_with_its_line_and_new_name),
        cmocka_unit_test(the_upgrade_of_every_old_name_is_the_new_one),
        cmocka_unit_test(the_upgrade_keeps_the_text_around),
        cmocka_unit_test(an_upgraded_scene_is_the_same_world),
        cmocka_unit_test(what_cannot_be_upgraded_stays_as_it_was),
        cmocka_unit_test(a_link_to_a_scene_stays_a_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
