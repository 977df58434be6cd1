/* Dialogs: the scene browser, saving, and help. */
#include "studio/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ui_rect middle(const app *a, float width, float height)
{
    int w = a->settings.width, h = a->settings.height;
    width = fminf(width, (float)w - 40);
    height = fminf(height, (float)h - 40);
    return (ui_rect){floorf(((float)w - width) / 2), floorf(((float)h - height) / 2), width, height};
}

static void close_when(app *a, bool open)
{
    if (!open)
        a->dialog = DIALOG_NONE;
}

/* ---- scenes ----------------------------------------------------------------------------------------------------- */

/* Scenes in folders are shown folder by folder. */
static void folder_of(const char *name, char *folder, size_t size)
{
    const char *slash = strchr(name, '/');
    snprintf(folder, size, "%.*s", slash ? (int)(slash - name) : 0, name);
}

static void cards(app *a)
{
    const float least = 210, gap = 10;
    int columns = (int)((ui_available_width() + gap) / (least + gap));
    columns = columns > 0 ? columns : 1;
    float width = floorf((ui_available_width() - gap * (float)(columns - 1)) / (float)columns) - 2;
    char last[64] = "-", folder[64], opened[LONGEST_NAME] = "";
    int column = 0;
    for (int k = 0; k < browser_count(a->browser); ++k) {
        browser_scene scene = browser_at(a->browser, k);
        char id[128];
        folder_of(scene.name, folder, sizeof folder);
        if (strcmp(folder, last) != 0) {
            ui_gap(2);
            ui_heading(folder[0] ? folder : "Telar");
            snprintf(last, sizeof last, "%s", folder);
            column = 0;
        }
        if (column > 0)
            ui_same_line();
        snprintf(id, sizeof id, "open.%s", scene.name);
        paint_card card = {.id = id,
                           .title = scene.title,
                           .text = scene.description,
                           .texture = scene.texture,
                           .width = width,
                           .picture_height = floorf(width * 0.625f),
                           .text_height = 78,
                           .selected = strcmp(scene.name, a->name) == 0};
        if (paint_card_button(&card))
            snprintf(opened, sizeof opened, "%s", scene.name);
        column = (column + 1) % columns;
    }
    if (opened[0] && document_open(a, opened))
        a->dialog = DIALOG_NONE;
}

void panel_browser(app *a)
{
    static char file[LONGEST_NAME];
    bool open = true;
    if (!a->browser)
        a->browser = browser_create(app_wake);
    ui_dialog_begin("Open a scene", middle(a, 980, 640), &open);
    ui_dim("File on disk: type its name, then Enter");
    bool entered = ui_input("open.file", file, sizeof file, a->dialog_new);
    a->dialog_new = false;
    if (entered && file[0] && document_open(a, file))
        open = false;
    ui_part_begin("cards", 0, 0);
    if (a->browser && browser_listed(a->browser))
        cards(a);
    else
        ui_dim(a->browser ? "Looking for scenes…" : "There is no memory for the list of scenes.");
    ui_part_end();
    ui_dialog_end();
    close_when(a, open);
}

/* ---- saving ----------------------------------------------------------------------------------------------------- */

/* A name that does not overwrite a scene that comes with Telar. */
static void propose_name(app *a)
{
    const char *slash = strrchr(a->name, '/'), *base = slash ? slash + 1 : a->name;
    size_t length = strlen(a->name);
    if (length > 5 && strcmp(a->name + length - 5, ".json") == 0)
        snprintf(a->save_name, sizeof a->save_name, "%s", a->name);
    else
        snprintf(a->save_name, sizeof a->save_name, "%.900s-changed.json", base[0] ? base : "scene");
}

void panel_save(app *a)
{
    bool open = true;
    if (a->dialog_new)
        propose_name(a);
    ui_dialog_begin("Save the scene", middle(a, 540, 150), &open);
    ui_wrapped("Writes everything that differs from the defaults into this file:");
    ui_gap(2);
    bool entered = ui_input("save.name", a->save_name, sizeof a->save_name, a->dialog_new);
    a->dialog_new = false;
    ui_gap(2);
    bool pressed = ui_button("save.save", "Save", NULL, 110);
    ui_same_line();
    if (ui_button("save.cancel", "Cancel", NULL, 110))
        open = false;
    if ((entered || pressed) && a->save_name[0] && document_save(a, a->save_name))
        open = false;
    ui_dialog_end();
    close_when(a, open);
}

/* ---- help ------------------------------------------------------------------------------------------------------- */

static const char *const keys[][2] = {
    {"Time", NULL},
    {"P, Space", "play or pause"},
    {"Right arrow", "one frame"},
    {"Up, Down arrow", "twice or half the speed"},
    {"R", "start again"},
    {"B", "drop the ball, where there is one"},
    {"Pictures and files", NULL},
    {"S", "screenshot"},
    {"V", "start or stop recording a clip"},
    {"O, Ctrl+O", "open a scene"},
    {"Ctrl+S", "save the scene"},
    {"Window", NULL},
    {"M", "panels on and off"},
    {"C", "compare two methods"},
    {"F11", "full screen"},
    {"F1, H", "this help"},
    {"Esc", "cancel, close, then quit"},
};

static const char *const mouse[][2] = {
    {"Cloth and bodies", NULL},
    {"Left drag on cloth", "take hold of it and pull"},
    {"Left drag on a body", "move it"},
    {"Right click on cloth", "pin or unpin the particle"},
    {"Ctrl + left click", "the same"},
    {"Camera", NULL},
    {"Left drag beside", "orbit"},
    {"Alt + left drag", "free trackball, also rolls"},
    {"Middle or Shift + drag", "pan"},
    {"Wheel", "zoom"},
    {"Right drag", "look around"},
    {"Shift + W A S D Q E", "fly; also while looking around"},
    {"F", "frame the scene"},
    {"Panels", NULL},
    {"Ctrl + click on a slider", "type the value"},
    {"Right click on a value", "its path, typed input, default"},
    {"Drag between panels", "resize them"},
};

static void help_column(const char *id, const char *const (*lines)[2], int count, float width, float column)
{
    ui_part_begin(id, width, 0);
    for (int k = 0; k < count; ++k) {
        if (!lines[k][1]) {
            ui_gap(k > 0 ? 4 : 0);
            ui_heading(lines[k][0]);
        } else {
            ui_pair(lines[k][0], lines[k][1], column);
        }
    }
    ui_part_end();
}

void panel_help(app *a)
{
    bool open = true;
    ui_dialog_begin("Keys and mouse", middle(a, 800, 416), &open);
    float width = ui_available_width();
    help_column("keys", keys, sizeof keys / sizeof *keys, width * 0.44f, 122);
    ui_same_line();
    help_column("mouse", mouse, sizeof mouse / sizeof *mouse, 0, 172);
    ui_dialog_end();
    a->dialog_new = false;
    close_when(a, open);
}
