/* The scene that the panels show, and how its changes reach the running worlds. The panels edit a separate scene that
   is never built; every change is made there first and then sent on. Changes that need a rebuild are built from a fresh
   copy, so that both are always the same scene. */
#include "studio/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- copies ----------------------------------------------------------------------------------------------------- */

static char *read_all(int file, size_t *length)
{
    off_t end = lseek(file, 0, SEEK_END);
    char *text = end > 0 ? malloc((size_t)end) : NULL;
    if (!text || lseek(file, 0, SEEK_SET) != 0) {
        free(text);
        return NULL;
    }
    *length = 0;
    while (*length < (size_t)end) {
        ssize_t count = read(file, text + *length, (size_t)end - *length);
        if (count <= 0)
            break;
        *length += (size_t)count;
    }
    return text;
}

/* Through a file, the only form that holds everything of a scene. */
tl_scene *document_copy(const tl_scene *scene, tl_error *error)
{
    char name[256];
    const char *folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%.200s/telar-XXXXXX", folder && folder[0] ? folder : "/tmp");
    tl_scene *copy = NULL;
    error->code = TL_ERROR_FILE;
    int reserved = mkstemp(name);
    if (reserved < 0) {
        snprintf(error->message, sizeof error->message, "%s: %s", name, strerror(errno));
        return NULL;
    }
    close(reserved);
    if (tl_scene_save(scene, name, error) == TL_OK) {
        FILE *file = fopen(name, "rb");
        size_t length = 0;
        char *text = file ? read_all(fileno(file), &length) : NULL;
        if (text)
            copy = tl_scene_parse(text, length, tl_scene_file(scene), error);
        else
            snprintf(error->message, sizeof error->message, "%s: %s", name, strerror(errno));
        free(text);
        if (file)
            fclose(file);
    }
    unlink(name);
    return copy;
}

/* Rebuilds one side's world from the panels' scene. */
static void rebuild(app *a, int side, const simulation_change *change)
{
    tl_error error = {.code = TL_OK};
    tl_scene *copy = document_copy(a->tracks[side].scene, &error);
    if (copy)
        simulation_load(a->tracks[side].sim, copy, change);
    else
        app_alarm(a, side, false, error.message);
}

void document_reset(app *a)
{
    input_cancel(a);
    for (int side = 0; side < control_sides(a); ++side)
        rebuild(a, side, NULL);
}

/* ---- opening and saving ----------------------------------------------------------------------------------------- */

bool document_adopt(app *a, tl_scene *scene, const char *name)
{
    tl_error error = {.code = TL_OK};
    input_cancel(a);
    for (int side = 0; side < control_sides(a); ++side) {
        track *t = &a->tracks[side];
        tl_scene *own = side == SIDE_A ? scene : document_copy(scene, &error);
        if (!own) {
            app_alarm(a, side, false, error.message);
            return false;
        }
        tl_scene_destroy(t->scene);
        t->scene = own;
        t->has_start = false;
        simulation_overlay(t->sim, tl_scene_look(own)->overlay);
        rebuild(a, side, NULL);
    }
    snprintf(a->name, sizeof a->name, "%s", name[0] ? name : "default");
    ++a->opened;
    a->changed = false;
    a->alarm[0] = 0;
    a->pending.path[0] = 0;
    view_scene_camera(a);
    return true;
}

bool document_open(app *a, const char *name)
{
    tl_error error = {.code = TL_OK};
    tl_scene *scene = tl_scene_load(name, &error);
    if (!scene) {
        app_alarm(a, SIDE_A, false, error.message);
        return false;
    }
    return document_adopt(a, scene, name);
}

bool document_save(app *a, const char *file_name)
{
    tl_error error = {.code = TL_OK};
    char name[LONGEST_NAME];
    const char *slash = strrchr(file_name, '/'), *dot = strrchr(file_name, '.');
    bool ending = dot && (!slash || dot > slash);
    snprintf(name, sizeof name, "%s%s", file_name, ending ? "" : ".json");
    /* while comparing, the side shown in the physics panel is kept */
    if (tl_scene_save(a->tracks[a->comparing ? a->tab : SIDE_A].scene, name, &error) != TL_OK) {
        app_alarm(a, SIDE_A, false, error.message);
        return false;
    }
    app_note(a, "Saved %s", name);
    snprintf(a->last_file, sizeof a->last_file, "%s", name);
    snprintf(a->name, sizeof a->name, "%s", name);
    a->changed = false;
    return true;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

bool document_get(const app *a, int side, const char *path, char *text, size_t size)
{
    return tl_scene_get(a->tracks[side].scene, path, text, size, NULL) == TL_OK;
}

static bool begins(const char *path, const char *with) { return strncmp(path, with, strlen(with)) == 0; }

/* Parts of a scene that do not affect the simulation. */
static bool picture_only(const char *path)
{
    return begins(path, "scene.") || begins(path, "camera.") || begins(path, "light.") || begins(path, "look.");
}

static void follow_picture(app *a, const char *path)
{
    for (int side = 0; side < control_sides(a); ++side) {
        track *t = &a->tracks[side];
        if (strcmp(path, "scene.fps") == 0)
            simulation_rate(t->sim, (double)tl_scene_info(t->scene)->fps);
        else if (strcmp(path, "look.overlay") == 0)
            simulation_overlay(t->sim, tl_scene_look(t->scene)->overlay);
        else if (strcmp(path, "look.texture") == 0)
            simulation_restage(t->sim);
    }
    if (begins(path, "camera."))
        view_scene_camera(a);
    view_stale(a);
}

static void send(app *a, int side, const char *path, const char *text, const char *before, bool now)
{
    simulation_change change;
    if (now) {
        simulation_set(a->tracks[side].sim, path, text, before);
        return;
    }
    input_cancel(a);
    snprintf(change.path, sizeof change.path, "%s", path);
    snprintf(change.before, sizeof change.before, "%s", before);
    rebuild(a, side, &change);
}

void document_set(app *a, int side, const char *path, const char *text, bool now, bool sent)
{
    tl_error error = {.code = TL_OK};
    char before[LONGEST_VALUE];
    for (int k = 0; k < control_sides(a); ++k) {
        tl_scene *scene = a->tracks[k].scene;
        if (side >= 0 && k != side)
            continue;
        if (tl_scene_get(scene, path, before, sizeof before, &error) != TL_OK ||
            tl_scene_set(scene, path, text, NULL, &error) != TL_OK) {
            app_note(a, "%s", error.message);
            continue;
        }
        a->changed = true;
        bool waited = strcmp(a->pending.path, path) == 0;
        if (!sent && !waited) {
            snprintf(a->pending.path, sizeof a->pending.path, "%s", path);
            snprintf(a->pending.before, sizeof a->pending.before, "%s", before);
        }
        if (sent && !picture_only(path))
            send(a, k, path, text, waited ? a->pending.before : before, now);
    }
    if (sent)
        a->pending.path[0] = 0;
    if (picture_only(path))
        follow_picture(a, path);
    const char *last = strrchr(path, '.');
    if (last && strcmp(last, ".fabric") == 0 && strcmp(text, "custom") != 0)
        document_set(a, -1, "look.fabric_color", "true", true, true); /* show what was chosen */
}

/* A sheet added to a scene starts above the floor. */
static void raise_last_cloth(tl_scene *scene)
{
    char path[64];
    int last = -1;
    for (int k = 0; k < tl_scene_object_count(scene); ++k)
        last += tl_scene_object_at(scene, k).group == &tl_cloth_params;
    snprintf(path, sizeof path, "cloth[%d].center", last);
    tl_scene_set(scene, path, "0,1,0", NULL, NULL);
}

void document_list(app *a, const char *path, bool add)
{
    tl_error error = {.code = TL_OK};
    for (int side = 0; side < control_sides(a); ++side) {
        tl_scene *scene = a->tracks[side].scene;
        if ((add ? tl_scene_add(scene, path, &error) : tl_scene_remove(scene, path, &error)) != TL_OK) {
            app_note(a, "%s", error.message);
            return;
        }
        if (add && strcmp(path, "cloth") == 0)
            raise_last_cloth(scene);
        if (!picture_only(path))
            rebuild(a, side, NULL);
    }
    input_cancel(a);
    a->changed = true;
    view_stale(a);
}

/* ---- what the panels need to know ------------------------------------------------------------------------------- */

int document_ball(const app *a)
{
    const tl_scene *scene = a->tracks[SIDE_A].scene;
    for (int k = 0; scene && k < tl_scene_object_count(scene); ++k) {
        tl_scene_object object = tl_scene_object_at(scene, k);
        int index;
        if (object.group == &tl_body_params && strcmp(((const tl_body_def *)object.object)->label, "ball") == 0 &&
            sscanf(object.path, "body[%d]", &index) == 1)
            return index;
    }
    return -1;
}

/* A particle pinned with the mouse becomes a pin by index in the scene; unpinning removes it. */
void document_pin(app *a, int cloth, int vertex, bool pinned)
{
    char list[64], path[96], number[16];
    snprintf(list, sizeof list, "cloth[%d].pin", cloth);
    snprintf(number, sizeof number, "%d", vertex);
    for (int side = 0; side < control_sides(a); ++side) {
        tl_scene *scene = a->tracks[side].scene;
        int last = -1;
        for (int k = 0; k < tl_scene_object_count(scene); ++k) {
            tl_scene_object object = tl_scene_object_at(scene, k);
            const tl_pin_def *pin = object.object;
            if (object.group != &tl_pin_params || !begins(object.path, list))
                continue;
            ++last;
            if (!pinned && strcmp(pin->where, "index") == 0 && pin->index == vertex) {
                tl_scene_remove(scene, object.path, NULL);
                break;
            }
        }
        if (pinned && tl_scene_add(scene, list, NULL) == TL_OK) {
            snprintf(path, sizeof path, "%s[%d].where", list, last + 1);
            tl_scene_set(scene, path, "index", NULL, NULL);
            snprintf(path, sizeof path, "%s[%d].index", list, last + 1);
            tl_scene_set(scene, path, number, NULL, NULL);
        }
        simulation_pin(a->tracks[side].sim, cloth, vertex, pinned ? SIMULATION_PIN : SIMULATION_UNPIN);
    }
    a->changed = true;
}

/* ---- events of the simulations ---------------------------------------------------------------------------------- */

void document_answer(app *a, int side, const simulation_event *event)
{
    track *t = &a->tracks[side];
    switch (event->kind) {
    case SIMULATION_REFUSED:
    case SIMULATION_FAILED:
        if (event->change.path[0]) {
            tl_scene_set(t->scene, event->change.path, event->change.before, NULL, NULL);
            app_note(a, "%s", event->message);
        } else {
            app_alarm(a, side, false, event->message);
        }
        break;
    case SIMULATION_REBUILD:
        rebuild(a, side, &event->change);
        break;
    case SIMULATION_UNSTABLE:
        app_alarm(a, side, true, event->message);
        break;
    case SIMULATION_PINNED:
        document_pin(a, event->cloth, event->vertex, event->pinned);
        break;
    case SIMULATION_REMARK:
        app_note(a, "%s", event->message);
        break;
    case SIMULATION_BUILT:
        history_clear(t->history);
        if (a->alarm_unstable)
            a->alarm[0] = 0;
        break;
    }
}
