/* Scene files of earlier versions: renamed parameters (core/rename.h) and aliases of values are rewritten in the text;
   its layout is kept. The walk follows the parameter tables as the reader does, but on the characters; the result is
   used only when the reader accepts it. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/rename.h"
#include "io/file.h"
#include "io/json.h"
#include "io/scene.h"

enum { MAX_MEMBERS = 32 /* members of a renamed object; the table has far fewer */ };

/* Characters from … to − 1 become `text`. */
typedef struct edit {
    size_t from, to;
    char text[2 * TL_SCENE_PATH];
    char before[TL_SCENE_PATH], after[TL_SCENE_PATH]; /* for the callback; "" when part of another edit */
} edit;

typedef struct upgrade {
    const char *text; /* well-formed JSON, zero-terminated */
    edit *edits;      /* ascending */
    int count, capacity;
    bool failed; /* out of memory */
} upgrade;

typedef struct member {
    size_t key, key_end; /* without the quotes */
    size_t value, value_end;
    char name[64]; /* truncated when longer than any known name */
} member;

/* ---- characters --------------------------------------------------------------------------------------------- */

static size_t skip_space(const char *text, size_t at) { return at + strspn(text + at, " \t\r\n"); }

/* From the opening quote; returns the index after the closing one. */
static size_t skip_string(const char *text, size_t at)
{
    for (++at; text[at] != '"'; ++at)
        if (text[at] == '\\')
            ++at;
    return at + 1;
}

static size_t skip_value(const char *text, size_t at)
{
    if (text[at] == '"')
        return skip_string(text, at);
    if (text[at] != '{' && text[at] != '[')
        return at + strcspn(text + at, ",]} \t\r\n");
    int depth = 0;
    do {
        char c = text[at];
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        at = c == '"' ? skip_string(text, at) : at + 1;
    } while (depth > 0);
    return at;
}

/* The next member of an object; *at is after its '{' or after the previous member. False at the end. */
static bool next_member(const char *text, size_t *at, member *m)
{
    size_t i = skip_space(text, *at);
    i = text[i] == ',' ? skip_space(text, i + 1) : i;
    if (text[i] != '"')
        return false;
    m->key = i + 1;
    i = skip_string(text, i);
    m->key_end = i - 1;
    m->value = skip_space(text, skip_space(text, i) + 1); /* after the colon */
    m->value_end = *at = skip_value(text, m->value);
    snprintf(m->name, sizeof m->name, "%.*s", (int)(m->key_end - m->key), text + m->key);
    return true;
}

static int line_of(const char *text, size_t at)
{
    int line = 1;
    for (size_t i = 0; i < at; ++i)
        line += text[i] == '\n';
    return line;
}

/* Separator between members that replace one: a new line of the same indentation when it starts a line. */
static const char *separator(const char *text, size_t at, char buffer[TL_SCENE_PATH])
{
    size_t start = at;
    while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t'))
        --start;
    bool begins = start > 0 && text[start - 1] == '\n' && at - start < TL_SCENE_PATH - 4;
    snprintf(buffer, TL_SCENE_PATH, begins ? ",\n%.*s" : ", %.*s", begins ? (int)(at - start) : 0, text + start);
    return buffer;
}

/* ---- edits -------------------------------------------------------------------------------------------------- */

static edit *add_edit(upgrade *u, size_t from, size_t to)
{
    if (u->count == u->capacity) {
        int capacity = u->capacity ? 2 * u->capacity : 16;
        edit *grown = realloc(u->edits, (size_t)capacity * sizeof *grown);
        if (!grown) {
            u->failed = true;
            return NULL;
        }
        u->edits = grown;
        u->capacity = capacity;
    }
    edit *e = &u->edits[u->count++];
    *e = (edit){.from = from, .to = to};
    return e;
}

static void join(char path[TL_SCENE_PATH], const char *front, const char *back)
{
    snprintf(path, TL_SCENE_PATH, "%.79s%s%.79s", front, *front && *back ? "." : "",
             back); /* longer than any path of a scene */
}

/* `"a": {"b": ` for a.b */
static void open_path(char *out, size_t size, const char *path)
{
    for (size_t length; path[length = strcspn(path, ".")] == '.'; path += length + 1) {
        int used = snprintf(out, size, "\"%.*s\": {", (int)length, path);
        out += used;
        size -= (size_t)used;
    }
    snprintf(out, size, "\"%s\": ", path);
}

/* `}` for a.b */
static const char *close_path(const char *path)
{
    static const char braces[] = "}}}}}}}}";
    size_t dots = 0;
    for (; *path; ++path)
        dots += *path == '.';
    return braces + (sizeof braces - 1 - (dots < sizeof braces ? dots : sizeof braces - 1));
}

/* The current name of a value: of a renamed one, or of an alias. `param` is the current parameter. */
static void upgrade_name(upgrade *u, const tl_param *param, const member *m, const char *path)
{
    char value[64];
    if (param->type != TL_PARAM_NAME || u->text[m->value] != '"' || m->value_end - m->value >= sizeof value)
        return;
    snprintf(value, sizeof value, "%.*s", (int)(m->value_end - m->value - 2), u->text + m->value + 1);
    const char *name = tl_rename_name(param->path, value);
    for (int i = 0; !name && param->aliases && param->aliases[i]; i += 2)
        if (strcmp(param->aliases[i], value) == 0)
            name = param->aliases[i + 1];
    edit *e = name ? add_edit(u, m->value + 1, m->value_end - 1) : NULL;
    if (!e)
        return;
    snprintf(e->text, sizeof e->text, "%s", name);
    snprintf(e->before, sizeof e->before, "%.90s \"%.60s\"", path, value);
    snprintf(e->after, sizeof e->after, "\"%s\"", name);
}

/* A renamed member; `prefix` is common to the old and new path. */
static void rename_member(upgrade *u, const tl_param_group *group, const tl_rename *row, const member *m,
                          const char *path, const char *prefix)
{
    if (strncmp(row->new_path, prefix, strlen(prefix)) != 0)
        return; /* moved to another object: the reader will reject it */
    const char *name = row->new_path + strlen(prefix);
    const tl_param *param = tl_param_find(group, row->new_path);
    bool nested = strchr(name, '.') != NULL;
    edit *e = nested ? add_edit(u, m->key - 1, m->value) : add_edit(u, m->key, m->key_end);
    if (!e)
        return;
    snprintf(e->text, sizeof e->text, "%s", name);
    if (nested)
        open_path(e->text, sizeof e->text, name);
    char full[TL_SCENE_PATH];
    join(full, path, m->name);
    memcpy(e->before, full, sizeof full);
    snprintf(e->after, sizeof e->after, "%s", row->new_path);
    if (param)
        upgrade_name(u, param, m, full);
    edit *end = nested ? add_edit(u, m->value_end, m->value_end) : NULL;
    if (end)
        snprintf(end->text, sizeof end->text, "%s", close_path(name));
}

/* Whether every member keeps its path except for the object's name. */
static bool only_the_object_is_renamed(const tl_rename *const *rows, const member *members, int count, char name[64])
{
    for (int k = 0; k < count; ++k) {
        const char *dot = strchr(rows[k]->new_path, '.');
        if (!dot || strcmp(dot + 1, members[k].name) != 0)
            return false;
        size_t length = (size_t)(dot - rows[k]->new_path);
        if (k > 0 && (strlen(name) != length || strncmp(name, rows[k]->new_path, length) != 0))
            return false;
        snprintf(name, 64, "%.*s", (int)length, rows[k]->new_path);
    }
    return count > 0;
}

/* An object whose members were renamed. Their values stay; the text around them becomes the new paths. */
static void split_member(upgrade *u, const tl_param_group *group, const member *m, const char *path)
{
    member members[MAX_MEMBERS];
    const tl_rename *rows[MAX_MEMBERS];
    int count = 0;
    for (size_t at = m->value + 1; count < MAX_MEMBERS && next_member(u->text, &at, &members[count]); ++count) {
        char inside[TL_SCENE_PATH];
        join(inside, m->name, members[count].name);
        rows[count] = tl_rename_find(group->name, inside);
        if (!rows[count])
            return; /* never was a parameter: the reader will reject it */
    }
    char name[64], between[TL_SCENE_PATH];
    if (only_the_object_is_renamed(rows, members, count, name)) {
        edit *e = add_edit(u, m->key, m->key_end);
        if (e) {
            snprintf(e->text, sizeof e->text, "%s", name);
            join(e->before, path, m->name);
            snprintf(e->after, sizeof e->after, "%s", name);
        }
        return;
    }
    separator(u->text, m->key - 1, between);
    for (int k = 0; k < count; ++k) {
        edit *e = add_edit(u, k == 0 ? m->key - 1 : members[k - 1].value_end, members[k].value);
        if (!e)
            return;
        char open[TL_SCENE_PATH], old[TL_SCENE_PATH];
        open_path(open, sizeof open, rows[k]->new_path);
        snprintf(e->text, sizeof e->text, "%s%s%s", k == 0 ? "" : close_path(rows[k - 1]->new_path),
                 k == 0 ? "" : between, open);
        join(old, m->name, members[k].name);
        join(e->before, path, old);
        snprintf(e->after, sizeof e->after, "%s", rows[k]->new_path);
    }
    edit *end = count > 0 ? add_edit(u, members[count - 1].value_end, m->value_end) : NULL;
    if (end)
        snprintf(end->text, sizeof end->text, "%s", close_path(rows[count - 1]->new_path));
}

/* ---- the walk ----------------------------------------------------------------------------------------------- */

static bool leads_to_parameters(const tl_param_group *group, const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < group->count; ++i)
        if (strncmp(group->params[i].path, path, length) == 0 && group->params[i].path[length] == '.')
            return true;
    return false;
}

static void upgrade_object(upgrade *u, const tl_param_group *group, const tl_scene_section *inner, size_t at,
                           const char *path, const char *prefix);

static void upgrade_list(upgrade *u, const tl_param_group *group, const tl_scene_section *inner, size_t at,
                         const char *path)
{
    at = skip_space(u->text, at + 1);
    for (int i = 0; u->text[at] != ']'; ++i) {
        char entry[TL_SCENE_PATH];
        snprintf(entry, sizeof entry, "%.140s[%d]", path, i);
        if (u->text[at] == '{')
            upgrade_object(u, group, inner, at, entry, "");
        at = skip_space(u->text, skip_value(u->text, at));
        at = u->text[at] == ',' ? skip_space(u->text, at + 1) : at;
    }
}

static void upgrade_member(upgrade *u, const tl_param_group *group, const tl_scene_section *inner, const member *m,
                           const char *path, const char *prefix)
{
    char full[TL_SCENE_PATH], inside[TL_SCENE_PATH], deeper[TL_SCENE_PATH];
    bool is_object = u->text[m->value] == '{';
    join(full, path, m->name);
    snprintf(inside, sizeof inside, "%s%.100s", prefix, m->name);
    for (const tl_scene_section *s = *prefix ? NULL : inner; s && s->name; ++s)
        if (is_object && strcmp(s->name, m->name) == 0) {
            upgrade_object(u, s->group, s->inner, m->value, full, "");
            return;
        }
    const tl_param *param = tl_param_find(group, inside);
    const tl_rename *row = tl_rename_find(group->name, inside);
    if (param && param->type == TL_PARAM_LIST && u->text[m->value] == '[') {
        upgrade_list(u, param->child, NULL, m->value, full);
    } else if (param) {
        upgrade_name(u, param, m, full);
    } else if (row) {
        rename_member(u, group, row, m, path, prefix);
    } else if (is_object && leads_to_parameters(group, inside)) {
        snprintf(deeper, sizeof deeper, "%.150s.", inside);
        upgrade_object(u, group, inner, m->value, full, deeper);
    } else if (is_object && *prefix == '\0') {
        split_member(u, group, m, path);
    }
}

static void upgrade_object(upgrade *u, const tl_param_group *group, const tl_scene_section *inner, size_t at,
                           const char *path, const char *prefix)
{
    member m;
    for (++at; next_member(u->text, &at, &m);)
        upgrade_member(u, group, inner, &m, path, prefix);
}

/* `at` is where the JSON starts. */
static void upgrade_scene(upgrade *u, size_t at)
{
    member m;
    at = skip_space(u->text, at);
    if (u->text[at] != '{')
        return;
    for (++at; next_member(u->text, &at, &m);)
        for (const tl_scene_section *s = tl_scene_sections; s->name; ++s) {
            if (strcmp(s->name, m.name) != 0)
                continue;
            if (s->is_list && u->text[m.value] == '[')
                upgrade_list(u, s->group, s->inner, m.value, s->name);
            else if (!s->is_list && u->text[m.value] == '{')
                upgrade_object(u, s->group, s->inner, m.value, s->name, "");
        }
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

/* The text with all edits, on the heap; NULL when memory is short. */
static char *edited(const upgrade *u, size_t length, size_t *new_length)
{
    size_t size = length + 1;
    for (int k = 0; k < u->count; ++k)
        size += strlen(u->edits[k].text);
    char *out = malloc(size);
    if (!out)
        return NULL;
    size_t at = 0, used = 0;
    for (int k = 0; k <= u->count; ++k) {
        size_t from = k < u->count ? u->edits[k].from : length;
        memcpy(out + used, u->text + at, from - at);
        used += from - at;
        if (k == u->count)
            break;
        memcpy(out + used, u->edits[k].text, strlen(u->edits[k].text));
        used += strlen(u->edits[k].text);
        at = u->edits[k].to;
    }
    out[used] = '\0';
    *new_length = used;
    return out;
}

static tl_result upgrade_text(upgrade *u, size_t length, const char *file_name, char **out, size_t *new_length,
                              tl_error *error)
{
    size_t start = strncmp(u->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* byte order mark of some editors */
    tl_json_document document = {.root = NULL};
    if (tl_json_read(&document, u->text + start, length - start, false, NULL)) /* otherwise the reader reports it */
        upgrade_scene(u, start);
    tl_json_release(&document);
    *out = u->failed ? NULL : edited(u, length, new_length);
    if (!*out)
        return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
    tl_scene *scene = tl_scene_parse(*out, *new_length, file_name, error);
    tl_scene_destroy(scene);
    return scene ? TL_OK : error->code;
}

tl_result tl_scene_upgrade(const char *file_name, tl_scene_change *changed, void *user, tl_error *error)
{
    tl_error ignored;
    error = error ? error : &ignored;
    size_t length = 0, new_length = 0;
    char *out = NULL, *text = tl_file_read(file_name, TL_SCENE_LARGEST_FILE, &length, error);
    if (!text) {
        error->code = error->code == TL_ERROR_FILE ? TL_ERROR_INPUT : error->code;
        return error->code;
    }
    upgrade u = {.text = text};
    tl_result result = upgrade_text(&u, length, file_name, &out, &new_length, error);
    if (!result && u.count > 0) {
        char *target = realpath(file_name, NULL); /* replaces the target of a symbolic link, not the link */
        result = tl_file_replace(target ? target : file_name, out, new_length, error);
        free(target);
    }
    for (int k = 0; k < u.count && !result && changed; ++k)
        if (*u.edits[k].before)
            changed(user, line_of(text, u.edits[k].from), u.edits[k].before, u.edits[k].after);
    free(u.edits);
    free(out);
    free(text);
    return result;
}
