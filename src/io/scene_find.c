/* Scenes by name: files, and the scenes that come with Telar. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/text.h"
#include "io/file.h"
#include "io/scene.h"

/* defined by the build: the folder in the source tree, and the installed one */
#ifndef TL_SCENES_SOURCE
#define TL_SCENES_SOURCE "scenes"
#endif
#ifndef TL_SCENES_INSTALLED
#define TL_SCENES_INSTALLED "/usr/local/share/telar/scenes"
#endif

enum { FOLDER_COUNT = 3, LONGEST_PATH = 4096 };

/* Search path of scenes, in order; NULL for a variable that is not set. */
static const char *scenes_folder(int index)
{
    static const char *const built_in[] = {TL_SCENES_SOURCE, TL_SCENES_INSTALLED};
    return index == 0 ? getenv("TELAR_SCENES") : built_in[index - 1];
}

/* ---- loading ------------------------------------------------------------------------------------------------ */

/* The file behind a name, in `path`; false when there is none. */
static bool find_file(const char *name, char path[LONGEST_PATH])
{
    snprintf(path, LONGEST_PATH, "%s", name);
    if (*name && strlen(name) < LONGEST_PATH && tl_file_exists(path))
        return true;
    if (*name == '\0')
        name = "default";
    for (int i = 0; i < FOLDER_COUNT; ++i) {
        const char *folder = scenes_folder(i);
        if (!folder || *folder == '\0')
            continue;
        for (int with_ending = 0; with_ending < 2; ++with_ending) {
            int length = snprintf(path, LONGEST_PATH, "%s/%s%s", folder, name, with_ending ? ".json" : "");
            if (length > 0 && length < LONGEST_PATH && tl_file_exists(path))
                return true;
        }
    }
    return false;
}

/* The scene whose name, or last part of the name, is most similar; in `buffer`. */
static const char *nearest_scene(const char *name, char *buffer, size_t size)
{
    int count = 0, best = tl_text_tolerance(name) + 1;
    const char *nearest = NULL;
    tl_scene_entry *entries = tl_scene_list(&count, NULL);
    for (int i = 0; i < count; ++i) {
        const char *slash = strrchr(entries[i].name, '/');
        int whole = tl_text_distance(name, entries[i].name);
        int part = slash ? tl_text_distance(name, slash + 1) : whole;
        int edits = whole < part ? whole : part;
        if (edits < best) {
            best = edits;
            nearest = entries[i].name;
        }
    }
    if (nearest)
        snprintf(buffer, size, "%s", nearest);
    tl_scene_list_free(entries);
    return nearest ? buffer : NULL;
}

/* The text of the scene, in heap memory, and its file. */
static char *load_text(const char *name, char path[LONGEST_PATH], size_t *length, tl_error *error)
{
    if (!find_file(name, path)) {
        char near[64], shown[160];
        const char *nearest = nearest_scene(name, near, sizeof near);
        struct stat status;
        bool is_folder = *name && stat(name, &status) == 0 && S_ISDIR(status.st_mode);
        tl_fail(error, TL_ERROR_FILE, "%s: %s%s%s%s", tl_text_printable(*name ? name : "default", shown, sizeof shown),
                is_folder ? "is a folder, not a scene"
                          : "there is no such file, and no scene of that name in the scenes folders",
                nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
        return NULL;
    }
    return tl_file_read(path, TL_SCENE_LARGEST_FILE, length, error);
}

tl_scene *tl_scene_load(const char *name, tl_error *error)
{
    char path[LONGEST_PATH];
    size_t length = 0;
    char *text = load_text(name, path, &length, error);
    tl_scene *scene = text ? tl_scene_parse(text, length, path, error) : NULL;
    free(text);
    return scene;
}

tl_scene *tl_scene_load_checked(const char *name, tl_scene_fault *fault, void *user, int *count, tl_error *error)
{
    tl_error reason = {.code = TL_OK};
    char path[LONGEST_PATH];
    size_t length = 0;
    char *text = load_text(name, path, &length, &reason);
    if (text) {
        tl_scene *scene = tl_scene_parse_checked(text, length, path, fault, user, count, error);
        free(text);
        return scene;
    }
    if (fault)
        fault(user, reason.message);
    if (count)
        *count = 1;
    if (error)
        *error = reason;
    return NULL;
}

/* ---- listing ------------------------------------------------------------------------------------------------ */

typedef struct scene_names {
    tl_scene_entry *entries;
    int count, capacity;
} scene_names;

static bool is_listed(const scene_names *names, const char *name)
{
    for (int i = 0; i < names->count; ++i)
        if (strcmp(names->entries[i].name, name) == 0)
            return true;
    return false;
}

/* Title and description of a scene file; for an invalid one the error is the description. */
static void describe(const char *path, tl_scene_entry *entry)
{
    tl_error error;
    size_t length = 0;
    char *text = tl_file_read(path, TL_SCENE_LARGEST_FILE, &length, &error);
    tl_scene *scene = text ? tl_scene_parse(text, length, path, &error) : NULL;
    free(text);
    if (scene) {
        memcpy(entry->title, tl_scene_info(scene)->title, sizeof entry->title);
        memcpy(entry->description, tl_scene_info(scene)->description, sizeof entry->description);
    } else {
        snprintf(entry->title, sizeof entry->title, "(cannot be read)");
        snprintf(entry->description, sizeof entry->description, "%s", error.message);
    }
    tl_scene_destroy(scene);
}

/* Adds the scene file `name`.json; one of the same name in an earlier folder wins. */
static tl_result add_scene(scene_names *names, const char *path, const char *name, tl_error *error)
{
    if (is_listed(names, name))
        return TL_OK;
    if (strlen(name) >= sizeof names->entries->name)
        return tl_fail(error, TL_ERROR_INPUT, "%s: the name of a scene has at most %zu bytes", path,
                       sizeof names->entries->name - 1);
    if (names->count == names->capacity) {
        int capacity = names->capacity ? 2 * names->capacity : 32;
        tl_scene_entry *grown = realloc(names->entries, (size_t)capacity * sizeof *grown);
        if (!grown)
            return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory for the list of scenes", path);
        names->entries = grown;
        names->capacity = capacity;
    }
    tl_scene_entry *entry = &names->entries[names->count++];
    memset(entry, 0, sizeof *entry);
    snprintf(entry->name, sizeof entry->name, "%s", name);
    describe(path, entry);
    return TL_OK;
}

/* Lists the scenes of a folder; names in subfolders are prefixed with the folder's. */
static tl_result list_folder(scene_names *names, const char *folder, const char *front, tl_error *error)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return TL_OK; /* not every installation has every folder */
    tl_result result = TL_OK;
    struct dirent *item;
    while (!result && (item = readdir(directory))) {
        char path[LONGEST_PATH], name[LONGEST_PATH];
        int length = snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        struct stat status;
        if (item->d_name[0] == '.' || length >= LONGEST_PATH || stat(path, &status) != 0)
            continue;
        snprintf(name, sizeof name, "%s%s", front, item->d_name);
        if (S_ISDIR(status.st_mode) && *front == '\0') {
            strcat(name, "/"); /* a file name has at most 255 bytes */
            result = list_folder(names, path, name, error);
        } else if (S_ISREG(status.st_mode) && tl_file_has_ending(name, "json")) {
            name[strlen(name) - strlen(".json")] = '\0';
            result = add_scene(names, path, name, error);
        }
    }
    closedir(directory);
    return result;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const tl_scene_entry *)a)->name, ((const tl_scene_entry *)b)->name);
}

tl_scene_entry *tl_scene_list(int *count, tl_error *error)
{
    scene_names names = {.entries = malloc(sizeof(tl_scene_entry)), .capacity = 1};
    tl_result result =
        names.entries ? TL_OK : tl_fail(error, TL_ERROR_MEMORY, "not enough memory for the list of scenes");
    for (int i = 0; i < FOLDER_COUNT && !result; ++i) {
        const char *folder = scenes_folder(i);
        if (folder && *folder)
            result = list_folder(&names, folder, "", error);
    }
    *count = 0;
    if (result) {
        free(names.entries);
        return NULL;
    }
    qsort(names.entries, (size_t)names.count, sizeof *names.entries, by_name);
    *count = names.count;
    return names.entries;
}

void tl_scene_list_free(tl_scene_entry *entries) { free(entries); }
