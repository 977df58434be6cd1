/* Writing scene files. In another folder than the one the scene came from, names of files become absolute. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/text.h"
#include "io/file.h"
#include "io/json.h"
#include "io/mesh_clip.h"
#include "io/scene.h"

/* ---- file names in a scene that moves to another folder ----------------------------------------------------- */

/* Whether both names, each a folder with its slash or "", are the same folder. */
static bool same_folder(const char *a, const char *b)
{
    struct stat first, second;
    return stat(*a ? a : ".", &first) == 0 && stat(*b ? b : ".", &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* The absolute name, on the heap; for a sequence of files, which is not a file itself, through its folder. NULL when
   there is none. */
static char *whole_name(const char *name)
{
    if (!tl_mesh_is_clip(name))
        return realpath(name, NULL);
    char *folder = tl_file_folder(name), *whole_folder = folder ? realpath(*folder ? folder : ".", NULL) : NULL;
    size_t room = whole_folder ? strlen(whole_folder) + strlen(name) + 2 : 0;
    char *whole = room ? malloc(room) : NULL;
    if (whole)
        snprintf(whole, room, "%s/%s", whole_folder, name + strlen(folder));
    free(folder);
    free(whole_folder);
    return whole;
}

/* Makes the file name under `key` absolute, so that it still refers to the same file. */
static tl_result keep_file(const tl_scene *scene, tl_json_document *document, tl_json *object, const char *key,
                           const char *place, tl_error *error)
{
    tl_json *value = tl_json_get(object, key);
    const char *name = tl_json_is(value, TL_JSON_TEXT) ? value->text : "";
    if (*name == '\0' || *name == '/')
        return TL_OK;
    char *joined = tl_file_join(scene->folder, name);
    char *whole = joined ? whole_name(joined) : NULL;
    free(joined);
    tl_result result = TL_OK;
    if (whole && strlen(whole) >= sizeof((tl_mesh_source_def *)0)->file)
        result = tl_fail(error, TL_ERROR_INPUT, "%s: the name %s has more than %zu bytes", place, whole,
                         sizeof((tl_mesh_source_def *)0)->file - 1);
    else if (whole)
        tl_json_put(document, object, key, tl_json_text(document, whole));
    free(whole);
    return result;
}

static tl_result keep_character_files(const tl_scene *scene, tl_json_document *document, tl_json *character, int index,
                                      tl_error *error)
{
    char place[64];
    snprintf(place, sizeof place, "character[%d].mesh", index);
    tl_result result = keep_file(scene, document, character, "mesh", place, error);
    int k = 0;
    for (tl_json *garment = tl_json_first(tl_json_get(character, "garment")); garment && !result;
         garment = garment->next) {
        const tl_json *pattern = tl_json_get(garment, "pattern");
        snprintf(place, sizeof place, "character[%d].garment[%d].pattern", index, k++);
        if (tl_json_is(pattern, TL_JSON_TEXT) && !tl_scene_is_draft(pattern->text))
            result = keep_file(scene, document, garment, "pattern", place, error);
    }
    return result;
}

static tl_result keep_files(const tl_scene *scene, tl_json_document *document, tl_json *root, const char *file_name,
                            tl_error *error)
{
    char *folder = tl_file_folder(file_name);
    if (!folder)
        return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
    bool stays = *scene->file_name == '\0' || same_folder(folder, scene->folder);
    free(folder);
    if (stays)
        return TL_OK;
    tl_result result = keep_file(scene, document, tl_json_get(root, "look"), "texture", "look.texture", error);
    static const char *const lists[] = {"cloth", "body"};
    for (int k = 0; k < 2; ++k) {
        int i = 0;
        for (tl_json *entry = tl_json_first(tl_json_get(root, lists[k])); entry && !result; entry = entry->next) {
            char place[64];
            snprintf(place, sizeof place, "%s[%d].mesh.file", lists[k], i++);
            result = keep_file(scene, document, tl_json_get(entry, "mesh"), "file", place, error);
        }
    }
    int i = 0;
    for (tl_json *entry = tl_json_first(tl_json_get(root, "character")); entry && !result; entry = entry->next)
        result = keep_character_files(scene, document, entry, i++, error);
    return result;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

tl_result tl_scene_save(const tl_scene *scene, const char *file_name, tl_error *error)
{
    tl_json_document document = {.root = NULL};
    tl_json *root = tl_scene_to_json(&document, scene);
    tl_result result = document.failed ? TL_OK : keep_files(scene, &document, root, file_name, error);
    size_t length = 0;
    char *text = result || document.failed ? NULL : tl_json_write(root, TL_SCENE_LINE_WIDTH, &length);
    tl_json_release(&document);
    if (text)
        result = tl_file_replace(file_name, text, length, error);
    else if (!result)
        result = tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
    free(text);
    return result;
}
