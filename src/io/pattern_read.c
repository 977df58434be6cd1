/* Reading sewing patterns: GarmentCode's JSON, and Telar's additions under "telar" keys. Parts are other such files,
   whose panels are added under the part's name, mirrored and moved when it says so. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "io/file.h"
#include "io/json.h"
#include "io/pattern_file.h"
#include "pattern/pattern.h"

#define LARGEST_FILE ((size_t)32 << 20)

enum { DEEPEST = 16, MOST_PARTS = 256, PLACE = 240 };

/* One file, inside those that use it. */
typedef struct source {
    const char *file_name, *text;
    size_t length;
    const char *prefix; /* of its panels' names: "left/" or "" */
    const tl_json *root;
    double units;
    bool absolute; /* control points are in the panel's coordinates */
    const struct source *outer;
    int depth;
} source;

typedef struct reader {
    tl_read_set set; /* what was read so far */
    int parts;
    tl_error error;
} reader;

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static tl_result wrong(reader *r, const source *s, const char *path, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;
static tl_result wrong(reader *r, const source *s, const char *path, const char *format, ...)
{
    char reason[TL_ERROR_LENGTH], shown[TL_ERROR_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    tl_text_printable(reason, shown, sizeof shown);
    return tl_fail(&r->error, TL_ERROR_INPUT, "%s:%d: %s", s->file_name, tl_json_line(s->root, path), shown);
}

static tl_result no_memory(reader *r, const source *s)
{
    return tl_fail(&r->error, TL_ERROR_MEMORY, "%s: not enough memory to read it", s->file_name);
}

static const tl_json *entry(const tl_json *list, size_t index)
{
    const tl_json *at = tl_json_first(list);
    for (; at && index > 0; --index)
        at = at->next;
    return at;
}

static const char *text_of(const tl_json *json) { return tl_json_is(json, TL_JSON_TEXT) ? json->text : NULL; }

/* Every key of the object must be in the NULL-terminated list. */
static tl_result check_keys(reader *r, const source *s, const char *path, const tl_json *object,
                            const char *const *keys)
{
    if (!tl_json_is(object, TL_JSON_OBJECT))
        return wrong(r, s, path, "%s: expected an object", path);
    for (const tl_json *member = tl_json_first(object); member; member = member->next) {
        const char *key = member->key;
        bool known = false;
        for (int k = 0; keys[k] && !known; ++k)
            known = strcmp(keys[k], key) == 0;
        if (known)
            continue;
        const char *nearest = tl_nearest_name(key, keys);
        return wrong(r, s, path, "%s: '%.60s' is unknown%s%s%s", path, key, nearest ? "; did you mean '" : "",
                     nearest ? nearest : "", nearest ? "'?" : "");
    }
    return TL_OK;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Optional values: `json` NULL leaves the default. */
static tl_result read_number(reader *r, const source *s, const char *path, const tl_json *json, double *out)
{
    if (!json)
        return TL_OK;
    if (!tl_json_is(json, TL_JSON_NUMBER))
        return wrong(r, s, path, "%s: expected a number", path);
    *out = json->number;
    return TL_OK;
}

static tl_result read_integer(reader *r, const source *s, const char *path, const tl_json *json, int *out)
{
    if (!json)
        return TL_OK;
    if (!tl_json_is(json, TL_JSON_NUMBER) || json->number != floor(json->number) || fabs(json->number) > 1000000)
        return wrong(r, s, path, "%s: expected a whole number", path);
    *out = (int)json->number;
    return TL_OK;
}

static tl_result read_bool(reader *r, const source *s, const char *path, const tl_json *json, bool *out)
{
    if (!json)
        return TL_OK;
    if (!tl_json_is(json, TL_JSON_BOOL))
        return wrong(r, s, path, "%s: expected true or false", path);
    *out = json->number != 0;
    return TL_OK;
}

static tl_result read_text(reader *r, const source *s, const char *path, const tl_json *json, const char **out)
{
    if (!json || tl_json_is(json, TL_JSON_NULL))
        return TL_OK;
    if (!tl_json_is(json, TL_JSON_TEXT))
        return wrong(r, s, path, "%s: expected a text", path);
    *out = tl_store_text(&r->set.store, text_of(json));
    return *out ? TL_OK : no_memory(r, s);
}

static tl_result read_numbers(reader *r, const source *s, const char *path, const tl_json *json, int count, double *out)
{
    if (!json)
        return TL_OK;
    if (!tl_json_is(json, TL_JSON_LIST) || tl_json_count(json) != (size_t)count)
        return wrong(r, s, path, "%s: expected %d numbers", path, count);
    for (int k = 0; k < count; ++k) {
        tl_result result = read_number(r, s, path, entry(json, (size_t)k), &out[k]);
        if (result)
            return result;
    }
    return TL_OK;
}

static tl_result read_points(reader *r, const source *s, const char *path, const tl_json *json, double (**out)[2],
                             int *count)
{
    char at[PLACE];
    if (!tl_json_is(json, TL_JSON_LIST) || tl_json_count(json) > TL_PATTERN_MAX_EDGES)
        return wrong(r, s, path, "%s: expected a list of points, at most %d", path, TL_PATTERN_MAX_EDGES);
    *count = (int)tl_json_count(json);
    *out = tl_store_take(&r->set.store, (size_t)*count, sizeof **out);
    if (!*out)
        return no_memory(r, s);
    for (int k = 0; k < *count; ++k) {
        snprintf(at, sizeof at, "%.200s[%d]", path, k);
        tl_result result = read_numbers(r, s, at, entry(json, (size_t)k), 2, (*out)[k]);
        if (result)
            return result;
        (*out)[k][0] /= s->units;
        (*out)[k][1] /= s->units;
    }
    return TL_OK;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static tl_result read_controls(reader *r, const source *s, const char *path, const tl_json *params, int count,
                               tl_pattern_edge_def *edge)
{
    if (!tl_json_is(params, TL_JSON_LIST) || tl_json_count(params) != (size_t)count)
        return wrong(r, s, path, "%s: expected %d control point%s", path, count, count == 1 ? "" : "s");
    for (int k = 0; k < count; ++k) {
        tl_result result = read_numbers(r, s, path, entry(params, (size_t)k), 2, edge->control[k]);
        if (result)
            return result;
    }
    return TL_OK;
}

static tl_result read_circle(reader *r, const source *s, const char *path, const tl_json *params,
                             tl_pattern_edge_def *edge)
{
    bool *const flags[2] = {&edge->large_arc, &edge->right};
    if (!tl_json_is(params, TL_JSON_LIST) || tl_json_count(params) != 3)
        return wrong(r, s, path, "%s: expected radius, large arc, right", path);
    tl_result result = read_number(r, s, path, entry(params, 0), &edge->radius);
    edge->radius /= s->units;
    for (size_t k = 0; k < 2 && !result; ++k) {
        const tl_json *flag = entry(params, k + 1);
        if (!tl_json_is(flag, TL_JSON_BOOL) && !tl_json_is(flag, TL_JSON_NUMBER))
            return wrong(r, s, path, "%s: large arc and right are 0 or 1", path);
        *flags[k] = flag->number != 0;
    }
    return result;
}

static tl_result read_curve(reader *r, const source *s, const char *path, const tl_json *json,
                            tl_pattern_edge_def *edge)
{
    if (tl_json_is(json, TL_JSON_LIST)) { /* the older form: one point of a quadratic curve */
        edge->curve = TL_CURVE_QUADRATIC;
        return read_numbers(r, s, path, json, 2, edge->control[0]);
    }
    const char *type = text_of(tl_json_get(json, "type"));
    const tl_json *params = tl_json_get(json, "params");
    if (!tl_json_is(json, TL_JSON_OBJECT) || !type)
        return wrong(r, s, path, "%s: expected a point or an object with 'type' and 'params'", path);
    if (strcmp(type, "quadratic") == 0) {
        edge->curve = TL_CURVE_QUADRATIC;
        return read_controls(r, s, path, params, 1, edge);
    }
    if (strcmp(type, "cubic") == 0) {
        edge->curve = TL_CURVE_CUBIC;
        return read_controls(r, s, path, params, 2, edge);
    }
    if (strcmp(type, "circle") == 0) {
        edge->curve = TL_CURVE_CIRCLE;
        return read_circle(r, s, path, params, edge);
    }
    return wrong(r, s, path, "%s: curves are 'quadratic', 'cubic' or 'circle', not '%.40s'", path, type);
}

/* Control points in the panel's coordinates become relative to the edge. */
static void make_relative(const source *s, const double (*vertex)[2], tl_pattern_edge_def *edge)
{
    const double *a = vertex[edge->start], *b = vertex[edge->end];
    double along[2] = {b[0] - a[0], b[1] - a[1]}, square = along[0] * along[0] + along[1] * along[1];
    for (int k = 0; k < 2; ++k) {
        double d[2] = {edge->control[k][0] / s->units - a[0], edge->control[k][1] / s->units - a[1]};
        edge->control[k][0] = square > 0 ? (d[0] * along[0] + d[1] * along[1]) / square : 0;
        edge->control[k][1] = square > 0 ? (d[1] * along[0] - d[0] * along[1]) / square : 0;
    }
}

static tl_result read_edge(reader *r, const source *s, const char *path, const tl_json *json, const double (*vertex)[2],
                           int vertex_count, int first_vertex, tl_pattern_edge_def *edge)
{
    const tl_json *ends = tl_json_get(json, "endpoints"), *curve = tl_json_get(json, "curvature");
    if (!tl_json_is(ends, TL_JSON_LIST) || tl_json_count(ends) != 2)
        return wrong(r, s, path, "%s: expected 'endpoints' with two vertices", path);
    int *const out[2] = {&edge->start, &edge->end};
    for (size_t k = 0; k < 2; ++k) {
        tl_result result = read_integer(r, s, path, entry(ends, k), out[k]);
        if (result)
            return result;
        if (*out[k] < 0 || *out[k] >= vertex_count)
            return wrong(r, s, path, "%s: vertex %d of %d", path, *out[k], vertex_count);
    }
    tl_result result = curve && !tl_json_is(curve, TL_JSON_NULL) ? read_curve(r, s, path, curve, edge) : TL_OK;
    if (!result && s->absolute && (edge->curve == TL_CURVE_QUADRATIC || edge->curve == TL_CURVE_CUBIC))
        make_relative(s, vertex, edge);
    edge->start += first_vertex;
    edge->end += first_vertex;
    return result ? result : read_text(r, s, path, tl_json_get(json, "label"), &edge->label);
}

/* Vertices and edges of an outline or hole, behind those that the panel has. */
static tl_result read_loop(reader *r, const source *s, const char *path, const tl_json *json, tl_read_panel *panel)
{
    char at[PLACE];
    double(*vertex)[2];
    int vertices;
    snprintf(at, sizeof at, "%.200s.vertices", path);
    tl_result result = read_points(r, s, at, tl_json_get(json, "vertices"), &vertex, &vertices);
    if (result)
        return result;
    const tl_json *edges = tl_json_get(json, "edges");
    if (!tl_json_is(edges, TL_JSON_LIST) || tl_json_count(edges) > TL_PATTERN_MAX_EDGES)
        return wrong(r, s, path, "%s: expected a list of 'edges', at most %d", path, TL_PATTERN_MAX_EDGES);
    int count = (int)tl_json_count(edges), first = panel->def.edge_count, old = panel->def.vertex_count;
    tl_pattern_edge_def *edge = tl_store_take(&r->set.store, (size_t)(first + count), sizeof *edge);
    double(*all)[2] = tl_store_take(&r->set.store, (size_t)(old + vertices), sizeof *all);
    if (!edge || !all)
        return no_memory(r, s);
    if (first > 0)
        memcpy(edge, panel->def.edge, (size_t)first * sizeof *edge);
    if (old > 0)
        memcpy(all, panel->def.vertex, (size_t)old * sizeof *all);
    memcpy(all + old, vertex, (size_t)vertices * sizeof *all);
    for (int e = 0; e < count && !result; ++e) {
        snprintf(at, sizeof at, "%.200s.edges[%d]", path, e);
        result =
            read_edge(r, s, at, entry(edges, (size_t)e), (const double(*)[2])vertex, vertices, old, &edge[first + e]);
    }
    panel->def.vertex = (const double(*)[2])all;
    panel->def.vertex_count = old + vertices;
    panel->def.edge = edge;
    panel->def.edge_count = first + count;
    if (!result && !tl_read_panel_add_loop(&r->set, panel, first + count))
        return no_memory(r, s);
    return result;
}

/* ---- Telar's additions to a panel -------------------------------------------------------------------------------- */

static tl_result read_lines(reader *r, const source *s, const char *path, const tl_json *json, tl_panel_def *panel)
{
    static const char *const keys[] = {"name", "points", "fold", "angle", NULL};
    char at[PLACE], inner[PLACE];
    if (!json)
        return TL_OK;
    if (!tl_json_is(json, TL_JSON_LIST) || tl_json_count(json) > TL_PATTERN_MAX_EDGES)
        return wrong(r, s, path, "%s: expected a list of lines", path);
    panel->line_count = (int)tl_json_count(json);
    tl_pattern_line_def *line = tl_store_take(&r->set.store, (size_t)panel->line_count, sizeof *line);
    if (!line)
        return no_memory(r, s);
    panel->line = line;
    for (int l = 0; l < panel->line_count; ++l) {
        const tl_json *from = entry(json, (size_t)l);
        double(*point)[2];
        snprintf(at, sizeof at, "%.200s[%d]", path, l);
        snprintf(inner, sizeof inner, "%.200s.points", at);
        tl_result result = check_keys(r, s, at, from, keys);
        if (!result)
            result = read_text(r, s, at, tl_json_get(from, "name"), &line[l].name);
        if (!result)
            result = read_points(r, s, inner, tl_json_get(from, "points"), &point, &line[l].point_count);
        if (!result)
            result = read_bool(r, s, at, tl_json_get(from, "fold"), &line[l].fold);
        if (!result)
            result = read_number(r, s, at, tl_json_get(from, "angle"), &line[l].angle);
        if (result)
            return result;
        line[l].point = (const double(*)[2])point;
    }
    return TL_OK;
}

static tl_result read_holes(reader *r, const source *s, const char *path, const tl_json *json, tl_read_panel *panel)
{
    static const char *const keys[] = {"vertices", "edges", NULL};
    char at[PLACE];
    if (json && (!tl_json_is(json, TL_JSON_LIST) || tl_json_count(json) > TL_PATTERN_MAX_EDGES))
        return wrong(r, s, path, "%s: expected a list of holes", path);
    for (size_t k = 0; json && k < tl_json_count(json); ++k) {
        snprintf(at, sizeof at, "%.200s[%d]", path, (int)k);
        tl_result result = check_keys(r, s, at, entry(json, k), keys);
        if (!result && panel->def.edge_count > TL_PATTERN_MAX_EDGES)
            result = wrong(r, s, at, "%s: more than %d edges", at, TL_PATTERN_MAX_EDGES);
        if (!result)
            result = read_loop(r, s, at, entry(json, k), panel);
        if (result)
            return result;
    }
    return TL_OK;
}

static tl_result read_additions(reader *r, const source *s, const char *path, const tl_json *json, tl_read_panel *panel)
{
    static const char *const keys[] = {"fabric", "grain", "layer", "wrap", "holes", "internal", NULL};
    char at[PLACE];
    if (!json)
        return TL_OK;
    snprintf(at, sizeof at, "%.150s.telar", path);
    tl_result result = check_keys(r, s, at, json, keys);
    if (!result)
        result = read_text(r, s, at, tl_json_get(json, "fabric"), &panel->def.fabric);
    if (!result)
        result = read_number(r, s, at, tl_json_get(json, "grain"), &panel->def.grain);
    if (!result)
        result = read_integer(r, s, at, tl_json_get(json, "layer"), &panel->def.layer);
    if (!result)
        result = read_text(r, s, at, tl_json_get(json, "wrap"), &panel->def.wrap);
    snprintf(at, sizeof at, "%.150s.telar.holes", path);
    if (!result)
        result = read_holes(r, s, at, tl_json_get(json, "holes"), panel);
    snprintf(at, sizeof at, "%.150s.telar.internal", path);
    return result ? result : read_lines(r, s, at, tl_json_get(json, "internal"), &panel->def);
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

static tl_result read_panel(reader *r, const source *s, const char *name, const tl_json *json, bool normalize)
{
    char path[PLACE], full[2 * TL_PATTERN_MAX_NAME];
    snprintf(path, sizeof path, "pattern.panels.%.100s", name);
    if (!tl_json_is(json, TL_JSON_OBJECT))
        return wrong(r, s, path, "panel '%.100s': expected an object", name);
    tl_read_panel *panel = tl_read_set_add_panel(&r->set);
    if (!panel)
        return no_memory(r, s);
    snprintf(full, sizeof full, "%.120s%.120s", s->prefix, name);
    panel->def.grain = 90;
    panel->def.name = tl_store_text(&r->set.store, full);
    if (!panel->def.name)
        return no_memory(r, s);
    tl_result result = read_loop(r, s, path, json, panel);
    if (!result)
        result = read_numbers(r, s, path, tl_json_get(json, "translation"), 3, panel->def.translation);
    if (!result)
        result = read_numbers(r, s, path, tl_json_get(json, "rotation"), 3, panel->def.rotation);
    if (!result)
        result = read_text(r, s, path, tl_json_get(json, "label"), &panel->def.label);
    for (int k = 0; k < 3; ++k)
        panel->def.translation[k] /= s->units;
    if (!result && normalize)
        tl_read_panel_normalize(panel);
    return result ? result : read_additions(r, s, path, tl_json_get(json, "telar"), panel);
}

/* In the order of panel_order, then the rest in the file's. */
static tl_result read_panels(reader *r, const source *s, const tl_json *pattern, bool normalize)
{
    const tl_json *panels = tl_json_get(pattern, "panels"), *order = tl_json_get(pattern, "panel_order");
    if (!tl_json_is(panels, TL_JSON_OBJECT))
        return wrong(r, s, "pattern.panels", "pattern.panels: expected an object with the panels");
    if (order && !tl_json_is(order, TL_JSON_LIST))
        return wrong(r, s, "pattern.panel_order", "pattern.panel_order: expected a list of names");
    int first = r->set.panel_count;
    for (size_t k = 0; order && k < tl_json_count(order); ++k) {
        const char *name = text_of(entry(order, k));
        const tl_json *panel = name ? tl_json_get(panels, name) : NULL;
        if (!panel)
            return wrong(r, s, "pattern.panel_order", "pattern.panel_order: there is no panel '%.100s'",
                         name ? name : "(not a text)");
        tl_result result =
            tl_read_set_find(&r->set, first, s->prefix, name) >= 0
                ? wrong(r, s, "pattern.panel_order", "pattern.panel_order: '%.100s' is there twice", name)
                : read_panel(r, s, name, panel, normalize);
        if (result)
            return result;
    }
    for (const tl_json *panel = tl_json_first(panels); panel; panel = panel->next) {
        tl_result result = tl_read_set_find(&r->set, first, s->prefix, panel->key) >= 0
                               ? TL_OK
                               : read_panel(r, s, panel->key, panel, normalize);
        if (result)
            return result;
    }
    return TL_OK;
}

/* ---- stitches ---------------------------------------------------------------------------------------------------- */

static tl_result read_side(reader *r, const source *s, const char *path, const tl_json *json, tl_stitch_side *side)
{
    const char *name = text_of(tl_json_get(json, "panel"));
    const tl_json *edge = tl_json_get(json, "edge"), *more = tl_json_get(json, "telar");
    if (!tl_json_is(json, TL_JSON_OBJECT) || !name || !edge)
        return wrong(r, s, path, "%s: each side is an object with 'panel' and 'edge'", path);
    side->panel = tl_read_set_find(&r->set, 0, s->prefix, name);
    if (side->panel < 0)
        return wrong(r, s, path, "%s: there is no panel '%.100s'", path, name);
    tl_result result = read_integer(r, s, path, edge, &side->edge);
    if (!result)
        result = read_numbers(r, s, path, tl_json_get(more, "range"), 2, side->range);
    int edges = r->set.panels[side->panel].def.edge_count;
    if (!result && (side->edge < 0 || side->edge >= edges))
        return wrong(r, s, path, "%s: panel '%.100s' has no edge %d, it has %d", path, name, side->edge, edges);
    if (!result)
        tl_read_panel_turn_side(&r->set.panels[side->panel], side);
    return result;
}

static tl_result read_stitch_additions(reader *r, const source *s, const char *path, const tl_json *sides,
                                       tl_stitch_def *stitch)
{
    static const char *const keys[2][8] = {{"range", "kind", "ratio", "angle", "reverse", "strength", NULL},
                                           {"range", NULL}};
    static const char *const kinds[] = {"plain", "fold", "elastic", NULL};
    for (size_t k = 0; k < 2; ++k) {
        const tl_json *more = tl_json_get(entry(sides, k), "telar");
        tl_result result = more ? check_keys(r, s, path, more, keys[k]) : TL_OK;
        if (result)
            return result;
    }
    const tl_json *more = tl_json_get(entry(sides, 0), "telar");
    const char *kind = "plain";
    tl_result result = read_text(r, s, path, tl_json_get(more, "kind"), &kind);
    if (!result)
        result = read_number(r, s, path, tl_json_get(more, "ratio"), &stitch->ratio);
    if (!result)
        result = read_number(r, s, path, tl_json_get(more, "angle"), &stitch->angle);
    if (!result)
        result = read_bool(r, s, path, tl_json_get(more, "reverse"), &stitch->reverse);
    if (!result)
        result = read_number(r, s, path, tl_json_get(more, "strength"), &stitch->strength);
    if (result)
        return result;
    for (int k = 0; kinds[k]; ++k)
        if (strcmp(kinds[k], kind) == 0) {
            stitch->kind = (tl_stitch_kind)k;
            return TL_OK;
        }
    return wrong(r, s, path, "%s: kind is 'plain', 'fold' or 'elastic', not '%.40s'", path, kind);
}

static tl_result read_stitch(reader *r, const source *s, int index, const tl_json *json)
{
    char path[PLACE];
    tl_stitch_def stitch = {0};
    size_t size = tl_json_count(json);
    snprintf(path, sizeof path, "pattern.stitches[%d]", index);
    if (!tl_json_is(json, TL_JSON_LIST) || size < 2 || size > 3)
        return wrong(r, s, path, "%s: expected two sides", path);
    const char *third = text_of(entry(json, 2));
    if (size == 3 && (!third || (strcmp(third, "right_wrong") != 0 && strcmp(third, "right_right") != 0)))
        return wrong(r, s, path, "%s: the third entry is \"right_wrong\" or nothing", path);
    stitch.right_wrong = third && strcmp(third, "right_wrong") == 0;
    tl_result result = TL_OK;
    for (size_t k = 0; k < 2 && !result; ++k)
        result = read_side(r, s, path, entry(json, k), &stitch.side[k]);
    if (!result)
        result = read_stitch_additions(r, s, path, json, &stitch);
    if (!result && !tl_read_set_add_stitch(&r->set, &stitch))
        return no_memory(r, s);
    return result;
}

static tl_result read_stitches(reader *r, const source *s, const tl_json *json)
{
    if (!json)
        return TL_OK;
    if (!tl_json_is(json, TL_JSON_LIST) || tl_json_count(json) > TL_PATTERN_MAX_STITCHES)
        return wrong(r, s, "pattern.stitches", "pattern.stitches: expected a list, at most %d",
                     TL_PATTERN_MAX_STITCHES);
    tl_result result = TL_OK;
    for (size_t k = 0; k < tl_json_count(json) && !result; ++k)
        result = read_stitch(r, s, (int)k, entry(json, k));
    return result;
}

/* ---- anchors and closures ---------------------------------------------------------------------------------------- */

static tl_result read_anchors(reader *r, const source *s, const tl_json *json)
{
    static const char *const keys[] = {"label", "part", NULL};
    static const char path[] = "pattern.telar.anchors";
    if (json && !tl_json_is(json, TL_JSON_LIST))
        return wrong(r, s, path, "%s: expected a list", path);
    for (size_t k = 0; json && k < tl_json_count(json); ++k) {
        const tl_json *from = entry(json, k);
        tl_pattern_anchor_def anchor = {0};
        tl_result result = check_keys(r, s, path, from, keys);
        if (!result)
            result = read_text(r, s, path, tl_json_get(from, "label"), &anchor.label);
        if (!result)
            result = read_text(r, s, path, tl_json_get(from, "part"), &anchor.part);
        if (!result && (!anchor.label || !anchor.part))
            result = wrong(r, s, path, "%s: an anchor has 'label' and 'part'", path);
        if (!result && !tl_read_set_add_anchor(&r->set, &anchor))
            result = no_memory(r, s);
        if (result)
            return result;
    }
    return TL_OK;
}

static tl_result read_closures(reader *r, const source *s, const tl_json *json)
{
    static const char *const keys[] = {"panels", "points", NULL};
    static const char path[] = "pattern.telar.closures";
    if (json && !tl_json_is(json, TL_JSON_LIST))
        return wrong(r, s, path, "%s: expected a list", path);
    for (size_t k = 0; json && k < tl_json_count(json); ++k) {
        const tl_json *from = entry(json, k), *panels = tl_json_get(from, "panels");
        tl_pattern_closure_def closure = {0};
        double(*point)[2];
        int points;
        tl_result result = check_keys(r, s, path, from, keys);
        if (!result)
            result = read_points(r, s, path, tl_json_get(from, "points"), &point, &points);
        if (!result && (points != 2 || tl_json_count(panels) != 2))
            result = wrong(r, s, path, "%s: a closure has two 'panels' and two 'points'", path);
        for (size_t side = 0; side < 2 && !result; ++side) {
            const char *name = text_of(entry(panels, side));
            closure.panel[side] = name ? tl_read_set_find(&r->set, 0, s->prefix, name) : -1;
            if (closure.panel[side] < 0)
                result = wrong(r, s, path, "%s: there is no panel '%.100s'", path, name ? name : "");
            else
                memcpy(closure.point[side], point[side], sizeof closure.point[side]);
        }
        if (!result && !tl_read_set_add_closure(&r->set, &closure))
            result = no_memory(r, s);
        if (result)
            return result;
    }
    return TL_OK;
}

/* ---- files and parts --------------------------------------------------------------------------------------------- */

static tl_result read_file(reader *r, const char *file_name, const char *prefix, const source *outer);

static tl_result read_part(reader *r, const source *s, const tl_json *json)
{
    static const char *const keys[] = {"file", "name", "mirror", "translation", NULL};
    static const char path[] = "pattern.telar.parts";
    const char *file = NULL, *name = NULL;
    double translation[3] = {0, 0, 0};
    bool mirror = false;
    tl_result result = check_keys(r, s, path, json, keys);
    if (!result)
        result = read_text(r, s, path, tl_json_get(json, "file"), &file);
    if (!result)
        result = read_text(r, s, path, tl_json_get(json, "name"), &name);
    if (!result)
        result = read_bool(r, s, path, tl_json_get(json, "mirror"), &mirror);
    if (!result)
        result = read_numbers(r, s, path, tl_json_get(json, "translation"), 3, translation);
    if (!result && (!file || !*file || !name || !*name || strchr(name, '/') || strlen(name) > 40))
        result = wrong(r, s, path, "%s: a part has a 'file' and a 'name' of at most 40 letters without '/'", path);
    if (!result && ++r->parts > MOST_PARTS)
        result = wrong(r, s, path, "%s: more than %d parts", path, MOST_PARTS);
    if (result)
        return result;
    char prefix[TL_PATTERN_MAX_NAME];
    if (snprintf(prefix, sizeof prefix, "%s%s/", s->prefix, name) >= (int)sizeof prefix - 40)
        return wrong(r, s, path, "%s: names of parts within parts are too long", path);
    char *folder = tl_file_folder(s->file_name), *full = folder ? tl_file_join(folder, file) : NULL;
    tl_read_mark before = tl_read_set_mark(&r->set);
    result = full ? read_file(r, full, prefix, s) : no_memory(r, s);
    free(full);
    free(folder);
    for (int k = 0; k < 3; ++k)
        translation[k] /= s->units;
    if (!result && !tl_read_set_move(&r->set, before, mirror, translation))
        result = no_memory(r, s);
    return result;
}

static tl_result read_properties(reader *r, source *s, const tl_json *json, bool *normalize)
{
    const char *coordinates = "relative";
    if (json && !tl_json_is(json, TL_JSON_OBJECT))
        return wrong(r, s, "properties", "properties: expected an object");
    tl_result result =
        read_text(r, s, "properties.curvature_coords", tl_json_get(json, "curvature_coords"), &coordinates);
    if (!result)
        result = read_number(r, s, "properties.units_in_meter", tl_json_get(json, "units_in_meter"), &s->units);
    if (!result)
        result = read_bool(r, s, "properties.normalize_panel_translation",
                           tl_json_get(json, "normalize_panel_translation"), normalize);
    if (result)
        return result;
    if (!(s->units >= 1e-3 && s->units <= 1e6))
        return wrong(r, s, "properties.units_in_meter", "properties.units_in_meter: %g is not within 0.001 and 1000000",
                     s->units);
    s->absolute = strcmp(coordinates, "absolute") == 0;
    if (!s->absolute && strcmp(coordinates, "relative") != 0)
        return wrong(r, s, "properties.curvature_coords",
                     "properties.curvature_coords: expected 'relative' or 'absolute', not '%.40s'", coordinates);
    return TL_OK;
}

/* Takes members out of an object, and everything from it if it is something else. */
static void drop_members(tl_json *object, const char *const *names)
{
    tl_json *next = tl_json_first(object), *last = NULL;
    object->first = object->last = NULL;
    object->slots = NULL;
    object->count = object->slot_count = 0;
    for (; next; next = next->next) {
        bool named = false;
        for (int k = 0; names[k] && !named; ++k)
            named = strcmp(names[k], next->key) == 0;
        if (named)
            continue;
        *(last ? &last->next : &object->first) = next;
        object->last = last = next;
        ++object->count;
    }
    if (last)
        last->next = NULL;
}

static const char *keep_text(reader *r, const tl_json *object)
{
    if (!tl_json_is(object, TL_JSON_OBJECT) || tl_json_count(object) == 0)
        return "";
    size_t length;
    char *text = tl_json_write_exact(object, 0, &length);
    const char *kept = text ? tl_store_text(&r->set.store, text) : NULL;
    free(text);
    return kept;
}

/* Members that are written back as they were: all but those that a pattern has itself. The tree is used up. */
static bool keep_rest(reader *r, tl_json *root)
{
    static const char
        *const own[] = {"panels", "stitches", "panel_order", "telar", NULL},
               *const settings[] = {"curvature_coords", "units_in_meter", "normalize_panel_translation", NULL},
               *const all[] = {"pattern", "properties", NULL}, *const properties_only[] = {"properties", NULL};
    tl_json *pattern = tl_json_get(root, "pattern"), *properties = tl_json_get(root, "properties");
    if (properties)
        drop_members(properties, settings);
    r->set.kept_properties = keep_text(r, properties);
    drop_members(pattern, own);
    drop_members(root, tl_json_count(pattern) > 0 ? properties_only : all);
    r->set.kept = keep_text(r, root);
    return r->set.kept && r->set.kept_properties;
}

static tl_result read_pattern(reader *r, source *s, tl_json *root)
{
    static const char *const keys[] = {"anchors", "closures", "parts", NULL};
    const tl_json *pattern = tl_json_get(root, "pattern"), *telar = tl_json_get(pattern, "telar");
    bool normalize = false;
    if (!tl_json_is(pattern, TL_JSON_OBJECT))
        return wrong(r, s, "", "there is no object 'pattern'; this is not a sewing pattern");
    tl_result result = read_properties(r, s, tl_json_get(root, "properties"), &normalize);
    if (!result && telar)
        result = check_keys(r, s, "pattern.telar", telar, keys);
    const tl_json *parts = tl_json_get(telar, "parts");
    if (!result && parts && !tl_json_is(parts, TL_JSON_LIST))
        result = wrong(r, s, "pattern.telar.parts", "pattern.telar.parts: expected a list");
    for (size_t k = 0; !result && k < tl_json_count(parts); ++k)
        result = read_part(r, s, entry(parts, k));
    if (!result)
        result = read_panels(r, s, pattern, normalize);
    if (!result)
        result = read_stitches(r, s, tl_json_get(pattern, "stitches"));
    if (!result)
        result = read_anchors(r, s, tl_json_get(telar, "anchors"));
    if (!result)
        result = read_closures(r, s, tl_json_get(telar, "closures"));
    if (!result && !s->outer && !keep_rest(r, root))
        result = no_memory(r, s);
    if (!result && !s->outer)
        r->set.units = s->units;
    return result;
}

static tl_result parse(reader *r, source *s)
{
    tl_json_document document = {0};
    tl_json_fault fault;
    if (s->length == 0)
        return tl_fail(&r->error, TL_ERROR_INPUT, "%s: the file is empty", s->file_name);
    tl_result result;
    if (tl_json_read(&document, s->text, s->length, false, &fault)) {
        s->root = document.root;
        result = read_pattern(r, s, document.root);
    } else {
        result = fault.line == 0
                     ? no_memory(r, s)
                     : tl_fail(&r->error, TL_ERROR_INPUT, "%s:%d: %s", s->file_name, fault.line, fault.reason);
    }
    tl_json_release(&document);
    return result;
}

static tl_result read_file(reader *r, const char *file_name, const char *prefix, const source *outer)
{
    source s = {.file_name = file_name, .prefix = prefix, .units = 100, .outer = outer};
    for (const source *o = outer; o; o = o->outer) {
        ++s.depth;
        if (strcmp(o->file_name, file_name) == 0)
            return tl_fail(&r->error, TL_ERROR_INPUT, "%s: the part is made of itself, by way of %.200s", file_name,
                           outer->file_name);
    }
    if (s.depth > DEEPEST)
        return tl_fail(&r->error, TL_ERROR_INPUT, "%s: parts within parts are more than %d deep", file_name, DEEPEST);
    char *text = tl_file_read(file_name, LARGEST_FILE, &s.length, &r->error);
    if (!text)
        return r->error.code;
    s.text = text;
    tl_result result = parse(r, &s);
    free(text);
    return result;
}

static tl_pattern *finish(reader *r, tl_result result, const char *file_name, tl_error *error)
{
    tl_pattern *pattern = NULL;
    if (!result) {
        pattern = tl_read_set_pattern(&r->set, file_name, &r->error);
        if (!pattern)
            tl_error_prefix(&r->error, "%s: ", file_name);
    }
    if (!pattern && error)
        *error = r->error;
    tl_store_release(&r->set.store);
    return pattern;
}

tl_pattern *tl_pattern_parse(const char *json, size_t length, const char *file_name, tl_error *error)
{
    reader r = {.set = tl_read_set_empty()};
    source s = {.file_name = file_name, .text = json, .length = length, .prefix = "", .units = 100};
    return finish(&r, parse(&r, &s), file_name, error);
}

tl_pattern *tl_pattern_load(const char *file_name, tl_error *error)
{
    reader r = {.set = tl_read_set_empty()};
    return finish(&r, read_file(&r, file_name, "", NULL), file_name, error);
}
