/* The characters of a scene: their bodies, and their garments, dressed, in the world that is being built. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/file.h"
#include "io/scene.h"

/* One character while it is dressed. */
typedef struct dresser {
    const tl_scene *scene;
    const tl_scene_character *entry;
    int index, before; /* of the character; garments of others that were dressed before */
    int garment;       /* of this one, at work */
    char label[192];   /* of it */
    const tl_character *character;
    tl_garment **garments;
} dresser;

bool tl_scene_is_draft(const char *pattern)
{
    for (const char *const *draft = tl_pattern_drafts(); *draft; ++draft)
        if (strcmp(*draft, pattern) == 0)
            return true;
    return false;
}

int tl_scene_garment_count(const tl_scene *scene)
{
    int count = 0;
    for (int i = 0; i < scene->character_count; ++i)
        count += scene->characters[i].def.garment_count;
    return count;
}

void tl_scene_set_progress(tl_scene *scene, tl_scene_progress *progress, void *user)
{
    scene->progress = progress;
    scene->progress_user = user;
}

void tl_scene_set_cache(tl_scene *scene, bool on) { scene->no_cache = !on; }

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

static tl_character *make_character(const dresser *d, tl_error *error)
{
    const tl_scene_character_def *def = &d->entry->def;
    if (def->mesh[0]) {
        char *file_name = tl_file_join(d->scene->folder, def->mesh);
        tl_mesh *mesh = file_name ? tl_mesh_load(file_name, NULL, error) : NULL;
        tl_character *character = mesh ? tl_character_create_mesh(mesh, NULL, error) : NULL;
        if (!file_name)
            tl_fail(error, TL_ERROR_MEMORY, "not enough memory");
        tl_mesh_destroy(mesh);
        free(file_name);
        return character;
    }
    tl_measures none = {0};
    bool given = memcmp(&d->entry->measures, &none, sizeof none) != 0;
    return tl_character_create(
        &(tl_character_def){.figure = def->figure, .measures = given ? &d->entry->measures : NULL, .edge = def->edge},
        NULL, error);
}

static tl_result add_body(const dresser *d, tl_world *world, tl_error *error)
{
    const tl_scene_character_def *def = &d->entry->def;
    tl_body_def body = tl_body_def_default();
    memcpy(body.label, def->label, sizeof body.label);
    body.shape = "mesh";
    body.mesh = tl_character_mesh(d->character);
    body.solid = true;
    body.position = def->position;
    body.friction = def->friction;
    return tl_body_create(world, &body)
               ? TL_OK
               : tl_fail(error, tl_last_result(world), "character[%d]: %s", d->index, tl_last_error(world));
}

/* ---- garments ---------------------------------------------------------------------------------------------------- */

static tl_pattern *load_pattern(const dresser *d, const char *name, tl_error *error)
{
    if (tl_scene_is_draft(name)) {
        const tl_measures *own = tl_character_measures(d->character); /* of a mesh: none, but perhaps in the scene */
        return tl_pattern_draft(name, own->height > 0 ? own : &d->entry->measures, error);
    }
    if (!name[0]) {
        tl_fail(error, TL_ERROR_INPUT, "is missing: a file, or a draft such as skirt");
        return NULL;
    }
    char *file_name = tl_file_join(d->scene->folder, name);
    if (!file_name) {
        tl_fail(error, TL_ERROR_MEMORY, "not enough memory");
        return NULL;
    }
    bool there = tl_file_exists(file_name);
    tl_pattern *pattern = there ? tl_pattern_load(file_name, error) : NULL;
    const char *nearest = there ? NULL : tl_nearest_name(name, tl_pattern_drafts());
    if (!there)
        tl_fail(error, TL_ERROR_FILE, "%s is neither a file nor a draft%s%s%s", file_name,
                nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    free(file_name);
    return pattern;
}

static bool show(void *user, const tl_dress_report *report)
{
    const dresser *d = user;
    tl_scene_dressing now = {.label = d->label,
                             .garment = d->before + d->garment,
                             .count = tl_scene_garment_count(d->scene),
                             .report = *report};
    return d->scene->progress(d->scene->progress_user, &now);
}

/* Sewn and without a crossing, though tight or not quite at rest: the scene goes on with it. */
static bool is_usable(const tl_dress_report *report)
{
    return report->merged && report->phase == TL_DRESS_SETTLE && report->crossings == 0 && report->inside == 0 &&
           report->body_crossings == 0;
}

static tl_result dress(dresser *d, tl_error *error)
{
    const tl_scene_garment_def *entry = &d->entry->def.garments[d->garment];
    tl_error reason = {.code = TL_OK};
    char place[64];
    snprintf(place, sizeof place, "character[%d].garment[%d]", d->index, d->garment);
    tl_pattern *pattern = load_pattern(d, entry->pattern, &reason);
    if (!pattern)
        return tl_fail(error, reason.code, "%s.pattern: %s", place, reason.message);
    tl_garment_def def = {.edge = entry->edge,
                          .lattice = entry->lattice,
                          .fabric = strcmp(entry->fabric, "custom") == 0 ? NULL : entry->fabric,
                          .thickness = entry->thickness,
                          .gap = entry->gap};
    const char *slash = strrchr(entry->pattern, '/'), *dot = strrchr(entry->pattern, '.');
    const char *name = slash ? slash + 1 : entry->pattern;
    snprintf(def.label, sizeof def.label, "%.*s", (int)(dot > name ? dot - name : (long)strlen(name)), name);
    snprintf(d->label, sizeof d->label, "%s%s%s", d->entry->def.label, d->entry->def.label[0] ? ": " : "", def.label);
    tl_garment *inner = d->garment > 0 ? d->garments[d->garment - 1] : NULL;
    tl_garment *garment = tl_garment_create(pattern, d->character, inner, &def, NULL, &reason);
    tl_pattern_destroy(pattern);
    if (!garment)
        return tl_fail(error, reason.code, "%s: %s: %s", place, entry->pattern, reason.message);
    d->garments[d->garment] = garment;

    tl_dress_def how = {.body_friction = d->entry->def.friction, .threads = d->scene->world.threads};
    if (d->scene->progress) {
        how.progress = show;
        how.user = d;
    }
    tl_dress_report report;
    tl_result result = d->scene->no_cache ? tl_garment_dress(garment, &how, &report)
                                          : tl_garment_dress_kept(garment, &how, &report, NULL);
    if (result == TL_OK)
        return TL_OK;
    tl_fail(&reason, result, "%s: %s: %s", place, entry->pattern, report.message);
    if (!is_usable(&report))
        return tl_fail(error, result, "%s", reason.message);
    if (d->scene->world.log)
        d->scene->world.log(d->scene->world.log_user, reason.message);
    return TL_OK;
}

static tl_result add_cloth(const dresser *d, int k, tl_world *world, tl_mesh **mesh, tl_error *error)
{
    tl_error reason = {.code = TL_OK};
    *mesh = tl_garment_mesh(d->garments[k], NULL, &reason);
    if (!*mesh)
        return tl_fail(error, reason.code, "character[%d].garment[%d]: %s", d->index, k, reason.message);
    tl_cloth_def def = tl_garment_cloth_def(d->garments[k]);
    def.mesh = *mesh;
    def.center = d->entry->def.position;
    return tl_cloth_create(world, &def) ? TL_OK
                                        : tl_fail(error, tl_last_result(world), "character[%d].garment[%d]: %s",
                                                  d->index, k, tl_last_error(world));
}

tl_result tl_scene_dress(const tl_scene *scene, int index, int before, tl_world *world, tl_character **character,
                         tl_mesh **meshes, tl_error *error)
{
    dresser d = {.scene = scene, .entry = &scene->characters[index], .index = index, .before = before};
    int count = d.entry->def.garment_count;
    tl_error reason = {.code = TL_OK};
    *character = make_character(&d, &reason);
    if (!*character)
        return tl_fail(error, reason.code, "character[%d]: %s", index, reason.message);
    d.character = *character;
    d.garments = calloc((size_t)count + 1, sizeof(tl_garment *));
    tl_result result = d.garments ? add_body(&d, world, error)
                                  : tl_fail(error, TL_ERROR_MEMORY, "character[%d]: not enough memory", index);
    for (d.garment = 0; d.garment < count && !result; ++d.garment)
        result = dress(&d, error);
    /* after the last: outer garments move inner ones */
    for (int k = 0; k < count && !result; ++k)
        result = add_cloth(&d, k, world, &meshes[k], error);
    for (int k = count; k-- > 0 && d.garments;)
        tl_garment_destroy(d.garments[k]);
    free(d.garments);
    return result;
}
