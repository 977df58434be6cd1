/* Scenes by name: the search path, and the list. */
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

static char folder[64], path[256];

static void write_file(const char *name, const char *text)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/telar-scenes-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/zz", folder);
    mkdir(path, 0700);
    write_file("default.json", "{\"scene\": {\"title\": \"Mine\"}}");
    write_file("zz/nested.json", "{\"scene\": {\"title\": \"Nested\", \"description\": \"One deep.\"}}");
    write_file("zz/broken.json", "{\"scene\": {\"titel\": \"x\"}}");
    write_file("notes.txt", "not a scene");
    return setenv("TELAR_SCENES", folder, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"default.json", "zz/nested.json", "zz/broken.json", "notes.txt", "zz", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    return 0;
}

static void expect_title(const char *name, const char *title)
{
    tl_error error = {.code = TL_OK};
    tl_scene *scene = tl_scene_load(name, &error);
    if (!scene)
        fail_msg("%s", error.message);
    assert_string_equal(tl_scene_info(scene)->title, title);
    tl_scene_destroy(scene);
}

static void names_find_files_in_the_scenes_folder(void **state)
{
    (void)state;
    expect_title("", "Mine"); /* the user's folder comes first */
    expect_title("default", "Mine");
    expect_title("zz/nested", "Nested");
    expect_title("zz/nested.json", "Nested");
    snprintf(path, sizeof path, "%s/zz/nested.json", folder);
    expect_title(path, "Nested");
}

static void a_missing_scene_names_the_nearest(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    assert_null(tl_scene_load("nestde", &error));
    assert_int_equal(error.code, TL_ERROR_FILE);
    assert_non_null(strstr(error.message, "did you mean 'zz/nested'?"));
}

static void the_list_is_sorted_and_complete(void **state)
{
    (void)state;
    int count = 0, found = 0;
    tl_error error = {.code = TL_OK};
    tl_scene_entry *list = tl_scene_list(&count, &error);
    assert_non_null(list);
    for (int i = 0; i < count; ++i) {
        if (i > 0)
            assert_true(strcmp(list[i - 1].name, list[i].name) < 0); /* sorted, none twice */
        if (strcmp(list[i].name, "default") == 0)
            found += strcmp(list[i].title, "Mine") == 0;
        if (strcmp(list[i].name, "zz/nested") == 0)
            found += strcmp(list[i].title, "Nested") == 0 && strcmp(list[i].description, "One deep.") == 0;
        if (strcmp(list[i].name, "zz/broken") == 0)
            found += strstr(list[i].description, "did you mean 'title'?") != NULL;
        assert_null(strstr(list[i].name, "notes"));
    }
    assert_int_equal(found, 3);
    tl_scene_list_free(list);
}

/* Every scene that comes with Telar can be read and has title and description. */
static void scenes_of_telar_read(void **state)
{
    (void)state;
    int count = 0;
    unsetenv("TELAR_SCENES");
    tl_scene_entry *list = tl_scene_list(&count, NULL);
    for (int i = 0; i < count; ++i) {
        tl_error error = {.code = TL_OK};
        tl_scene *scene = tl_scene_load(list[i].name, &error);
        if (!scene)
            fail_msg("%s", error.message);
        assert_true(*tl_scene_info(scene)->title);
        tl_scene_destroy(scene);
    }
    tl_scene_list_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_find_files_in_the_scenes_folder),
        cmocka_unit_test(a_missing_scene_names_the_nearest),
        cmocka_unit_test(the_list_is_sorted_and_complete),
        cmocka_unit_test(scenes_of_telar_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
