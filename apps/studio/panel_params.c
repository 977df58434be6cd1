/* The parameter panels, generated from the parameter table: only the panel of each parameter is decided here. */
#include "studio/app.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The panel of a parameter is decided by the longest prefix of its path, without list indices. Sections are headings
   within an object, in the order of this table; objects too come in its order. */
static const struct home {
    const char *prefix;
    param_panel panel;
    const char *section;
    bool open; /* objects: initially open */
} homes[] = {
    {"look", PARAMS_SCENE, "", true},
    {"camera", PARAMS_SCENE, "", false},
    {"light", PARAMS_SCENE, "", false},
    {"scene", PARAMS_SCENE, "", false},
    {"cloth", PARAMS_PHYSICS, "Method", true},
    {"cloth.fabric", PARAMS_PHYSICS, "Material", true},
    {"cloth.material", PARAMS_PHYSICS, "Material", true},
    {"cloth.link", PARAMS_PHYSICS, "Material", true},
    {"cloth.continuum", PARAMS_PHYSICS, "Material", true},
    {"cloth.membrane", PARAMS_PHYSICS, "Material", true},
    {"cloth.bend", PARAMS_PHYSICS, "Material", true},
    {"cloth.gas", PARAMS_PHYSICS, "Gas", true},
    {"cloth.contact", PARAMS_PHYSICS, "Contact", true},
    {"cloth.thickness", PARAMS_PHYSICS, "Contact", true},
    {"cloth.friction", PARAMS_PHYSICS, "Contact", true},
    {"cloth.air", PARAMS_PHYSICS, "Air", true},
    {"wind", PARAMS_PHYSICS, "", true},
    {"world", PARAMS_PHYSICS, "", false},
    {"cloth.label", PARAMS_OBJECTS, "", true},
    {"cloth.shape", PARAMS_OBJECTS, "", true},
    {"cloth.bulge", PARAMS_OBJECTS, "", true},
    {"cloth.columns", PARAMS_OBJECTS, "", true},
    {"cloth.rows", PARAMS_OBJECTS, "", true},
    {"cloth.width", PARAMS_OBJECTS, "", true},
    {"cloth.height", PARAMS_OBJECTS, "", true},
    {"cloth.diagonals", PARAMS_OBJECTS, "", true},
    {"cloth.plane", PARAMS_OBJECTS, "", true},
    {"cloth.center", PARAMS_OBJECTS, "", true},
    {"cloth.rotation", PARAMS_OBJECTS, "", true},
    {"cloth.ripple", PARAMS_OBJECTS, "", true},
    {"cloth.density", PARAMS_OBJECTS, "", true},
    {"cloth.particle_mass", PARAMS_OBJECTS, "", true},
    {"cloth.mass_spread", PARAMS_OBJECTS, "", true},
    {"cloth.mass_ratio", PARAMS_OBJECTS, "", true},
    {"cloth.seed", PARAMS_OBJECTS, "", true},
    {"cloth.mesh", PARAMS_OBJECTS, "", false},
    {"cloth.pin", PARAMS_OBJECTS, "", false},
    {"body", PARAMS_OBJECTS, "", true},
    {"character", PARAMS_OBJECTS, "", true},
};
enum { HOMES = sizeof homes / sizeof *homes, LONGEST_PATH = 128 };

static void plain_path(const char *path, char *plain)
{
    size_t k = 0;
    for (bool inside = false; *path && k + 1 < LONGEST_PATH; ++path) {
        inside = *path == '[' || (inside && *path != ']');
        if (!inside && *path != ']')
            plain[k++] = *path;
    }
    plain[k] = 0;
}

static const struct home *home_of(const char *path)
{
    char plain[LONGEST_PATH];
    const struct home *best = &homes[0];
    size_t longest = 0;
    plain_path(path, plain);
    for (int k = 0; k < HOMES; ++k) {
        size_t length = strlen(homes[k].prefix);
        bool fits = strncmp(plain, homes[k].prefix, length) == 0 && (plain[length] == '.' || plain[length] == 0);
        if (fits && length > longest) {
            longest = length;
            best = &homes[k];
        }
    }
    return best;
}

/* ---- labels ----------------------------------------------------------------------------------------------------- */

/* "field_of_view" → "Field of view". */
static void people_label(const char *name, char *label, size_t size)
{
    snprintf(label, size, "%s", name);
    for (char *c = label; *c; ++c)
        if (*c == '_' || *c == '.')
            *c = ' ';
    label[0] = (char)toupper((unsigned char)label[0]);
}

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static size_t group_length(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? (size_t)(dot - path) : 0;
}

/* ---- one parameter ---------------------------------------------------------------------------------------------- */

/* The useful part of an accepted range for a slider: three decades around the default where the range is wider than
   that. Typed values may be anywhere in the range. */
static bool slider_range(const tl_param *param, double value, double *low, double *high)
{
    const double decades = param->type == TL_PARAM_INT ? 10 : 1000;
    double standard = fabs(param->value[0]), usual = param->type == TL_PARAM_INT ? 100 : 1;
    double reference = standard > 0 ? standard : fmin(usual, param->max);
    bool wide = param->max > 100 * reference && param->min >= 0;
    *low = param->min;
    *high = param->max;
    if (!wide) {
        double reach = fmax(reference * 100, 10);
        *low = fmax(*low, -reach);
        *high = fmin(*high, reach);
    } else {
        *low = fmax(param->min, param->type == TL_PARAM_INT ? 1 : reference / decades);
        *high = fmin(param->max, reference * decades);
    }
    while (value > *high && *high < param->max && isfinite(value))
        *high = fmin(*high * 10, param->max);
    while (wide && value > 0 && value < *low)
        *low /= 10;
    *low = fmin(*low, wide && value <= 0 ? *low : value);
    return wide;
}

static int edit_real(const ui_field *field, const tl_param *param, tl_value *value)
{
    double low, high, v = value->number[0];
    bool wide = slider_range(param, v, &low, &high);
    int done = ui_real(field, &v, low, high, wide);
    if (wide && param->min == 0 && v <= low) /* the left end of a logarithmic slider is 0 */
        v = 0;
    if (v == value->number[0])
        done &= ~UI_CHANGED;
    value->number[0] = v;
    return done;
}

static int edit_int(const ui_field *field, const tl_param *param, tl_value *value)
{
    enum { A_NAME = 1000000 }; /* ranges this wide belong to seeds and indices, for which a slider is useless */
    double low, high;
    int v = (int)value->number[0];
    bool wide = slider_range(param, v, &low, &high);
    bool plain = param->max >= A_NAME;
    int done = ui_int(field, &v, plain ? 0 : (int)low, plain ? 0 : (int)high, wide);
    value->number[0] = v;
    return done;
}

static int edit_name(const ui_field *field, const tl_param *param, tl_value *value)
{
    int index = 0;
    while (param->names[index] && strcmp(param->names[index], value->text) != 0)
        ++index;
    int done = ui_name(field, param->names, &index, tl_describe);
    value->text = param->names[index] ? param->names[index] : value->text;
    return done;
}

/* The text being typed, applied when finished. */
static int edit_text(const ui_field *field, tl_value *value)
{
    static char buffer[LONGEST_VALUE], owner[LONGEST_PATH];
    char shown[LONGEST_VALUE];
    bool own = strcmp(owner, field->id) == 0;
    snprintf(shown, sizeof shown, "%s", own ? buffer : value->text);
    int done = ui_text(field, shown, sizeof shown);
    if (done & UI_CHANGED) {
        snprintf(owner, sizeof owner, "%s", field->id);
        snprintf(buffer, sizeof buffer, "%s", shown);
    }
    if (!(done & UI_DONE))
        return done & ~UI_CHANGED;
    owner[0] = 0;
    value->text = buffer;
    return UI_CHANGED | UI_DONE;
}

static int edit(const ui_field *field, const tl_param *param, tl_value *value)
{
    bool flag = value->number[0] != 0;
    int done = 0;
    switch (param->type) {
    case TL_PARAM_REAL:
        return edit_real(field, param, value);
    case TL_PARAM_INT:
        return edit_int(field, param, value);
    case TL_PARAM_BOOL:
        done = ui_bool(field, &flag);
        value->number[0] = flag;
        return done;
    case TL_PARAM_VEC3:
        if (param->min == 0 && param->max == 1 && !param->unit[0]) /* red, green and blue */
            return ui_color(field, value->number);
        return ui_vec3(field, value->number,
                       fmin(0.01, (param->max - param->min) / 500) * (param->unit[0] == '\xc2' ? 50 : 1));
    case TL_PARAM_NAME:
        return edit_name(field, param, value);
    case TL_PARAM_TEXT:
        return edit_text(field, value);
    case TL_PARAM_LIST:
        break;
    }
    return done;
}

static bool same(const tl_value *a, const tl_value *b)
{
    if (a->type == TL_PARAM_NAME || a->type == TL_PARAM_TEXT)
        return strcmp(a->text, b->text) == 0;
    for (int c = 0; c < (a->type == TL_PARAM_VEC3 ? 3 : 1); ++c)
        if (fabs(a->number[c] - b->number[c]) > 1e-6 * fabs(b->number[c]))
            return false;
    return true;
}

/* A default as shown: "none" instead of an empty text. */
static void standard_text(const tl_value *value, char *text, size_t size)
{
    if (tl_param_format(value, text, size) <= 0 || !text[0])
        snprintf(text, size, "nothing");
}

typedef struct place {
    app *a;
    int side; /* whose object is shown */
    int to;   /* where changes go: −1 everywhere */
    tl_scene_object object;
} place;

static void change(const place *p, const tl_param *param, const char *text, bool finished)
{
    char path[LONGEST_PATH];
    snprintf(path, sizeof path, "%s.%s", p->object.path, param->path);
    bool nested = strchr(p->object.path, '.') != NULL; /* pins and keys are read when the world is built */
    bool live = param->when == TL_PARAM_LIVE && !nested;
    document_set(p->a, p->to, path, text, live, live || finished);
}

static void row(const place *p, const tl_param *param)
{
    char path[LONGEST_PATH], label[64], text[LONGEST_VALUE], standard[LONGEST_VALUE];
    tl_value value = tl_param_get(param, p->object.object), usual = tl_param_default(param);
    snprintf(path, sizeof path, "%s.%s", p->object.path, param->path);
    people_label(last_part(param->path), label, sizeof label);
    standard_text(&usual, standard, sizeof standard);
    ui_field field = {.id = path,
                      .label = label,
                      .unit = param->unit,
                      .help = param->help,
                      .standard = standard,
                      .differs = !same(&value, &usual) && param->type != TL_PARAM_TEXT,
                      .waits = param->when == TL_PARAM_REBUILD};
    int done = edit(&field, param, &value);
    if (done & UI_RESET) {
        tl_param_format(&usual, text, sizeof text);
        change(p, param, text, true);
    } else if (done & UI_TYPED) {
        change(p, param, ui_typed(), true);
    } else if (done & UI_CHANGED) {
        tl_param_format(&value, text, sizeof text);
        change(p, param, text, (done & UI_DONE) != 0);
    } else if ((done & UI_DONE) && strcmp(p->a->pending.path, path) == 0 &&
               document_get(p->a, p->side, path, text, sizeof text)) {
        change(p, param, text, true);
    }
}

/* ---- objects ---------------------------------------------------------------------------------------------------- */

static bool belongs(const place *p, const tl_param *param, param_panel panel, const char *section)
{
    char path[LONGEST_PATH];
    snprintf(path, sizeof path, "%s.%s", p->object.path, param->path);
    const struct home *home = home_of(path);
    return param->type != TL_PARAM_LIST && home->panel == panel && (!section || strcmp(home->section, section) == 0);
}

static bool same_group(const tl_param *a, const tl_param *b)
{
    size_t length = group_length(a->path);
    return group_length(b->path) == length && strncmp(a->path, b->path, length + 1) == 0;
}

/* Parameters "a.b.x" and "a.b.y" form the group "a.b", wherever in the table they are; one called "on" is the switch in
   its heading. */
static void group(const place *p, const tl_param *first, param_panel panel, const char *section)
{
    const tl_param_group *table = p->object.group;
    char path[LONGEST_PATH], label[64], name[64];
    const tl_param *on = NULL;
    for (int k = 0; k < table->count; ++k)
        if (same_group(first, &table->params[k]) && strcmp(last_part(table->params[k].path), "on") == 0)
            on = &table->params[k];
    snprintf(name, sizeof name, "%.*s", (int)group_length(first->path), first->path);
    snprintf(path, sizeof path, "%s.%s", p->object.path, name);
    people_label(name, label, sizeof label);
    bool is_on = on && tl_param_get(on, p->object.object).number[0] != 0, switched = false;
    bool open = ui_group_begin(path, label, on ? on->help : "", !on, on ? &is_on : NULL, &switched);
    if (switched)
        change(p, on, is_on ? "true" : "false", true);
    for (int k = 0; open && k < table->count; ++k)
        if (same_group(first, &table->params[k]) && &table->params[k] != on &&
            belongs(p, &table->params[k], panel, section))
            row(p, &table->params[k]);
    if (open)
        ui_group_end();
}

/* Whether the group of a parameter was already shown. */
static bool shown_before(const place *p, int index, param_panel panel, const char *section)
{
    const tl_param *params = p->object.group->params;
    for (int k = 0; k < index; ++k)
        if (same_group(&params[index], &params[k]) && belongs(p, &params[k], panel, section))
            return true;
    return false;
}

static void section_rows(const place *p, param_panel panel, const char *section)
{
    const tl_param_group *table = p->object.group;
    bool headed = !section[0];
    for (int k = 0; k < table->count; ++k) {
        const tl_param *param = &table->params[k];
        if (!belongs(p, param, panel, section))
            continue;
        if (!headed)
            ui_heading(section);
        headed = true;
        if (group_length(param->path) == 0)
            row(p, param);
        else if (!shown_before(p, k, panel, section))
            group(p, param, panel, section);
    }
}

static bool has_rows(const place *p, param_panel panel)
{
    for (int k = 0; k < p->object.group->count; ++k)
        if (belongs(p, &p->object.group->params[k], panel, NULL))
            return true;
    return false;
}

/* All sections of the object, each once, in the order of the table. */
static void object_rows(const place *p, param_panel panel)
{
    const char *done[HOMES];
    int count = 0;
    for (int h = 0; h < HOMES; ++h) {
        bool again = homes[h].panel != panel;
        for (int k = 0; k < count && !again; ++k)
            again = strcmp(done[k], homes[h].section) == 0;
        if (again)
            continue;
        done[count++] = homes[h].section;
        section_rows(p, panel, homes[h].section);
    }
}

/* "Body 2: ball", "Wind", "Pin 1". */
static void object_label(const tl_scene_object *object, char *label, size_t size)
{
    char kind[64];
    int index = 0;
    const char *bracket = strrchr(object->path, '[');
    people_label(object->group->name, kind, sizeof kind);
    bool listed = bracket && object->path[strlen(object->path) - 1] == ']' && sscanf(bracket, "[%d]", &index) == 1;
    const tl_param *named = tl_param_find(object->group, "label");
    const char *name = named ? tl_param_get(named, object->object).text : "";
    if (listed && name[0] && strcmp(name, object->group->name) != 0)
        snprintf(label, size, "%s %d: %s", kind, index + 1, name);
    else if (listed)
        snprintf(label, size, "%s %d", kind, index + 1);
    else
        snprintf(label, size, "%s", kind);
}

static bool inside(const char *path, const char *parent)
{
    size_t length = strlen(parent);
    return strncmp(path, parent, length) == 0 && path[length] == '.';
}

typedef struct wanted {
    char path[64]; /* of a list or an entry; "" for none */
    bool add;
} wanted;

/* Buttons for the lists of an object. */
static void list_buttons(const place *p, param_panel panel, wanted *want)
{
    for (int k = 0; k < p->object.group->count; ++k) {
        const tl_param *param = &p->object.group->params[k];
        char path[LONGEST_PATH], label[64];
        snprintf(path, sizeof path, "%.50s.%.12s", p->object.path, param->path);
        if (param->type != TL_PARAM_LIST || home_of(path)->panel != panel)
            continue;
        snprintf(label, sizeof label, "Add a %s", param->child->name);
        if (ui_button(path, label, param->help, 0)) {
            snprintf(want->path, sizeof want->path, "%.63s", path);
            want->add = true;
        }
    }
}

/* Draws the object and its inner objects; returns the index after them. */
static int object_tree(place *p, int index, param_panel panel, wanted *want)
{
    const tl_scene *scene = p->a->tracks[p->side].scene;
    int count = tl_scene_object_count(scene), next = index + 1;
    tl_scene_object object = tl_scene_object_at(scene, index);
    p->object = object;
    bool shown = has_rows(p, panel), open = false, removed = false;
    if (shown) {
        char label[160], id[96];
        size_t end = strlen(object.path);
        bool removable = panel != PARAMS_PHYSICS && end > 0 && object.path[end - 1] == ']';
        object_label(&object, label, sizeof label);
        snprintf(id, sizeof id, "%s", object.path);
        bool nested = strchr(object.path, '.') != NULL;
        open = ui_object_begin(id, label, object.group->help, home_of(object.path)->open && !nested,
                               removable ? &removed : NULL);
        if (removed)
            *want = (wanted){.add = false};
        if (removed)
            snprintf(want->path, sizeof want->path, "%s", object.path);
    }
    if (open)
        object_rows(p, panel);
    while (next < count) {
        tl_scene_object inner = tl_scene_object_at(scene, next);
        if (!inside(inner.path, object.path))
            break;
        next = open ? object_tree(p, next, panel, want) : next + 1;
    }
    p->object = object;
    if (open) {
        list_buttons(p, panel, want);
        ui_object_end();
    }
    return next;
}

/* ---- panels ----------------------------------------------------------------------------------------------------- */

static bool is_root(const char *path, const char *prefix)
{
    size_t length = strcspn(path, "[.");
    return strlen(prefix) == length && strncmp(path, prefix, length) == 0;
}

static void extra_buttons(app *a, param_panel panel, wanted *want)
{
    if (panel == PARAMS_OBJECTS) {
        static const char *const lists[] = {"cloth", "body", "character"};
        for (int k = 0; k < 3; ++k) {
            char label[32], id[32];
            snprintf(label, sizeof label, "Add a %s", lists[k]);
            snprintf(id, sizeof id, "add.%s", lists[k]);
            if (k > 0)
                ui_same_line();
            if (ui_button(id, label, "The scene starts again with it", 0)) {
                snprintf(want->path, sizeof want->path, "%s", lists[k]);
                want->add = true;
            }
        }
    } else if (panel == PARAMS_SCENE &&
               ui_button("camera.keep", "Keep this view", "Makes the present view the scene's camera", -1)) {
        char text[128];
        camera c = a->cam;
        snprintf(text, sizeof text, "%.6g,%.6g,%.6g", (double)c.target[0], (double)c.target[1], (double)c.target[2]);
        document_set(a, -1, "camera.target", text, true, true);
        snprintf(text, sizeof text, "%.6g,%.6g,%.6g", (double)c.position[0], (double)c.position[1],
                 (double)c.position[2]);
        document_set(a, -1, "camera.position", text, true, true);
    }
}

void panel_params(app *a, param_panel panel)
{
    wanted want = {.path = ""};
    place p = {.a = a, .side = SIDE_A, .to = -1};
    if (panel == PARAMS_PHYSICS && a->comparing)
        compare_choice("physics.side", &a->tab);
    for (int h = 0; h < HOMES; ++h) {
        if (homes[h].panel != panel && strcmp(homes[h].prefix, "cloth") != 0)
            continue;
        /* while comparing, each side has its own method of the cloth */
        bool own = a->comparing && panel == PARAMS_PHYSICS && strcmp(homes[h].prefix, "cloth") == 0;
        p.side = own ? a->tab : SIDE_A;
        p.to = own ? a->tab : -1;
        const tl_scene *scene = a->tracks[p.side].scene;
        for (int k = 0; k < tl_scene_object_count(scene);) {
            tl_scene_object object = tl_scene_object_at(scene, k);
            if (is_root(object.path, homes[h].prefix) && !strchr(object.path, '.'))
                k = object_tree(&p, k, panel, &want);
            else
                ++k;
        }
    }
    extra_buttons(a, panel, &want);
    if (want.path[0])
        document_list(a, want.path, want.add);
}
