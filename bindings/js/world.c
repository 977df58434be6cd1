/* A world in JavaScript is a tl_scene and what was built of it. Calls that can fail return NULL, false or a code, with
   the sentence in telar_error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "core/memory.h"
#include "files.h"
#include "telar/io.h"

/* ---- building ----------------------------------------------------------------------------------------------- */

/* A file for the next build. */
EXPORT bool telar_file(const char *name, const char *bytes, size_t length) { return js_files_add(name, bytes, length); }
EXPORT void telar_files_clear(void) { js_files_clear(); }

/* Files of worn garments that the last build took or made, until telar_files_clear: bytes, NULL after the last. */
static struct {
    const char *name;
    size_t length;
} worn;
EXPORT const void *telar_worn(int index) { return js_files_worn(index, &worn.name, &worn.length); }
EXPORT const char *telar_worn_name(void) { return worn.name; }
EXPORT size_t telar_worn_length(void) { return worn.length; }

/* After every frame of dressing, a function of JavaScript; 0 stops it. `share` is from 0 to 1. */
__attribute__((import_module("telar"), import_name("dressing"))) int
js_dressing(const char *label, int garment, int count, const char *phase, double share);

static bool dressing(void *user, const tl_scene_dressing *now)
{
    (void)user;
    return js_dressing(now->label, now->garment, now->count, tl_dress_phase_name(now->report.phase),
                       (double)tl_dress_progress(&now->report)) != 0;
}

/* NULL with the faults of the text. The files stay until they are cleared: a world that is built again reads them. */
EXPORT tl_scene *telar_scene_create(const char *json, size_t length, const char *name)
{
    js_faults_clear();
    tl_scene *scene = tl_scene_parse_checked(json, length, name, js_faults_add, NULL, NULL, &js_error);
    if (scene) {
        tl_scene_set_log(scene, js_log_add, NULL);
        tl_scene_set_progress(scene, dressing, NULL);
    }
    return scene;
}

EXPORT bool telar_scene_build(tl_scene *scene)
{
    js_faults_clear();
    return tl_scene_build_checked(scene, js_faults_add, NULL, NULL, &js_error) != NULL;
}

EXPORT void telar_scene_destroy(tl_scene *scene) { tl_scene_destroy(scene); }

/* ---- the scene ---------------------------------------------------------------------------------------------- */

/* -1: refused; 0: live, 1: the world must be built again. */
EXPORT int telar_set(tl_scene *scene, const char *path, const char *text)
{
    bool rebuild = false;
    return tl_scene_set(scene, path, text, &rebuild, &js_error) == TL_OK ? rebuild : -1;
}

/* NULL: no such parameter. */
EXPORT const char *telar_get(const tl_scene *scene, const char *path)
{
    char text[1024];
    if (tl_scene_get(scene, path, text, sizeof text, &js_error) != TL_OK)
        return NULL;
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return js_answer(copy ? memcpy(copy, text, size) : NULL);
}

EXPORT const char *telar_text(const tl_scene *scene)
{
    size_t length = 0;
    return js_answer(tl_scene_text(scene, &length));
}

EXPORT const char *telar_title(const tl_scene *scene) { return tl_scene_info(scene)->title; }
EXPORT const char *telar_description(const tl_scene *scene) { return tl_scene_info(scene)->description; }
EXPORT double telar_fps(const tl_scene *scene) { return (double)tl_scene_info(scene)->fps; }
EXPORT int telar_frames(const tl_scene *scene) { return tl_scene_info(scene)->frames; }

/* Adds a body to the scene, to be set by its path and made by telar_bodies_make; -1 on error. */
EXPORT int telar_body_add(tl_scene *scene)
{
    int index = tl_world_body_count(tl_scene_world(scene));
    return tl_scene_add(scene, "body", &js_error) == TL_OK ? index : -1;
}

/* Takes an added body out again. */
EXPORT void telar_body_drop(tl_scene *scene, int index)
{
    char path[32];
    snprintf(path, sizeof path, "body[%d]", index);
    tl_scene_remove(scene, path, NULL);
}

EXPORT bool telar_bodies_make(tl_scene *scene) { return tl_scene_extend(scene, &js_error) == TL_OK; }

/* ---- the world ---------------------------------------------------------------------------------------------- */

static bool keep_error(tl_scene *scene, tl_result result)
{
    if (result != TL_OK)
        tl_fail(&js_error, result, "%s", tl_last_error(tl_scene_world(scene)));
    return result == TL_OK;
}

EXPORT bool telar_step(tl_scene *scene, double dt)
{
    return keep_error(scene, tl_world_step(tl_scene_world(scene), (tl_real)dt));
}

EXPORT double telar_time(const tl_scene *scene) { return tl_world_time(tl_scene_world(scene)); }

EXPORT const char *telar_hash(const tl_scene *scene)
{
    static char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)tl_world_hash(tl_scene_world(scene)));
    return text;
}

EXPORT size_t telar_state_size(const tl_scene *scene) { return tl_world_snapshot_size(tl_scene_world(scene)); }

EXPORT bool telar_save(tl_scene *scene, void *bytes, size_t size)
{
    return keep_error(scene, tl_world_save(tl_scene_world(scene), bytes, size));
}

EXPORT bool telar_restore(tl_scene *scene, const void *bytes, size_t size)
{
    return keep_error(scene, tl_world_restore(tl_scene_world(scene), bytes, size));
}

EXPORT const tl_vec3 *telar_wind_at(const tl_scene *scene, double x, double y, double z)
{
    static tl_vec3 wind;
    wind = tl_world_wind_at(tl_scene_world(scene), (tl_vec3){(tl_real)x, (tl_real)y, (tl_real)z});
    return &wind;
}

EXPORT int telar_intersections(const tl_scene *scene) { return tl_world_count_intersections(tl_scene_world(scene)); }
EXPORT int telar_cloth_count(const tl_scene *scene) { return tl_world_cloth_count(tl_scene_world(scene)); }
EXPORT int telar_body_count(const tl_scene *scene) { return tl_world_body_count(tl_scene_world(scene)); }

EXPORT void telar_trace_on(tl_scene *scene, bool on) { tl_world_set_trace(tl_scene_world(scene), on); }

EXPORT const char *telar_trace(const tl_scene *scene)
{
    tl_json_document document = {.root = NULL}, *d = &document;
    tl_json *list = tl_json_new(d, TL_JSON_LIST);
    const tl_trace_entry *entry;
    for (int k = 0; (entry = tl_world_trace(tl_scene_world(scene), k)) != NULL; ++k) {
        tl_json *row = tl_json_new(d, TL_JSON_OBJECT);
        tl_json_put(d, row, "name", tl_json_text(d, entry->name));
        tl_json_put(d, row, "cloth", tl_json_integer(d, entry->cloth));
        tl_json_put(d, row, "substep", tl_json_integer(d, entry->substep));
        tl_json_put(d, row, "start", tl_json_number(d, entry->start));
        tl_json_put(d, row, "seconds", tl_json_number(d, entry->seconds));
        tl_json_put(d, row, "count", tl_json_integer(d, entry->count));
        tl_json_put(d, row, "counts", tl_json_text(d, entry->counts ? entry->counts : ""));
        tl_json_append(d, list, row);
    }
    return js_answer_json(d, list);
}
