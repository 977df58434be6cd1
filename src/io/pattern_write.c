/* Writing sewing patterns: GarmentCode's JSON, with what Telar adds under "telar" keys. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "io/file.h"
#include "io/json.h"
#include "pattern/pattern.h"

enum { LINE_WIDTH = 110 };

typedef struct writer {
    tl_json_document document;
    double units; /* in a metre */
} writer;

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The number of file units with the fewest digits that reads back as these metres. */
static double in_units(const writer *w, double metres)
{
    double scaled = metres * w->units;
    char text[64];
    for (int digits = 6; digits <= 17; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, scaled);
        double shorter = strtod(text, NULL);
        if (shorter / w->units == metres)
            return shorter;
    }
    /* rounding of the product: one of its neighbours is what was read */
    const double near[2] = {nextafter(scaled, INFINITY), nextafter(scaled, -INFINITY)};
    for (int k = 0; k < 2; ++k)
        if (near[k] / w->units == metres)
            return near[k];
    return scaled;
}

static tl_json *number_of(writer *w, double number)
{
    return number == floor(number) && fabs(number) < 1e9 ? tl_json_integer(&w->document, (long)number)
                                                         : tl_json_number(&w->document, number);
}

static tl_json *lengths(writer *w, const double *metres, int count)
{
    tl_json *list = tl_json_new(&w->document, TL_JSON_LIST);
    for (int k = 0; k < count; ++k)
        tl_json_append(&w->document, list, number_of(w, in_units(w, metres[k])));
    return list;
}

static tl_json *plain_numbers(writer *w, const double *numbers, int count)
{
    tl_json *list = tl_json_new(&w->document, TL_JSON_LIST);
    for (int k = 0; k < count; ++k)
        tl_json_append(&w->document, list, number_of(w, numbers[k]));
    return list;
}

static void put(writer *w, tl_json *object, const char *key, tl_json *value)
{
    tl_json_put(&w->document, object, key, value);
}

static void put_text(writer *w, tl_json *object, const char *key, const char *text)
{
    if (text[0])
        put(w, object, key, tl_json_text(&w->document, text));
}

static tl_json *new_object(writer *w) { return tl_json_new(&w->document, TL_JSON_OBJECT); }
static tl_json *new_list(writer *w) { return tl_json_new(&w->document, TL_JSON_LIST); }

/* ---- panels ------------------------------------------------------------------------------------------------------ */

static tl_json *curve_of(writer *w, const tl_pattern_edge_def *edge)
{
    static const char *const types[] = {"", "quadratic", "cubic", "circle"};
    tl_json *curve = new_object(w), *params = new_list(w);
    put(w, curve, "type", tl_json_text(&w->document, types[edge->curve]));
    if (edge->curve == TL_CURVE_CIRCLE) {
        tl_json_append(&w->document, params, number_of(w, in_units(w, edge->radius)));
        tl_json_append(&w->document, params, number_of(w, edge->large_arc));
        tl_json_append(&w->document, params, number_of(w, edge->right));
    }
    int points = edge->curve == TL_CURVE_QUADRATIC ? 1 : edge->curve == TL_CURVE_CUBIC ? 2 : 0;
    for (int k = 0; k < points; ++k)
        tl_json_append(&w->document, params, plain_numbers(w, edge->control[k], 2));
    put(w, curve, "params", params);
    return curve;
}

/* A loop of edges with the vertices that it uses: all for an outline, for holes numbered from 0. */
static void put_loop(writer *w, tl_json *object, const tl_panel_def *panel, int first, int end, int vertex,
                     int vertex_end)
{
    tl_json *vertices = new_list(w), *edges = new_list(w);
    for (int v = vertex; v < vertex_end; ++v)
        tl_json_append(&w->document, vertices, lengths(w, panel->vertex[v], 2));
    for (int e = first; e < end; ++e) {
        const tl_pattern_edge_def *edge = &panel->edge[e];
        tl_json *out = new_object(w);
        put(w, out, "endpoints", plain_numbers(w, (const double[2]){edge->start - vertex, edge->end - vertex}, 2));
        if (edge->curve != TL_CURVE_LINE)
            put(w, out, "curvature", curve_of(w, edge));
        put_text(w, out, "label", edge->label);
        tl_json_append(&w->document, edges, out);
    }
    put(w, object, "vertices", vertices);
    put(w, object, "edges", edges);
}

/* The vertices of a loop are from the lowest to the highest that its edges name; those of the outline from the first.
 */
static void loop_vertices(const tl_panel_def *panel, int first, int end, int *low, int *high)
{
    *low = panel->vertex_count;
    *high = 0;
    for (int e = first; e < end; ++e) {
        int v = panel->edge[e].start;
        *low = v < *low ? v : *low;
        *high = v + 1 > *high ? v + 1 : *high;
    }
}

static tl_json *lines_of(writer *w, const tl_panel_def *panel)
{
    tl_json *list = new_list(w);
    for (int l = 0; l < panel->line_count; ++l) {
        const tl_pattern_line_def *line = &panel->line[l];
        tl_json *out = new_object(w), *points = new_list(w);
        put_text(w, out, "name", line->name);
        for (int k = 0; k < line->point_count; ++k)
            tl_json_append(&w->document, points, lengths(w, line->point[k], 2));
        put(w, out, "points", points);
        if (line->fold)
            put(w, out, "fold", tl_json_bool(&w->document, true));
        if (line->angle != 0)
            put(w, out, "angle", number_of(w, line->angle));
        tl_json_append(&w->document, list, out);
    }
    return list;
}

static tl_json *additions_of(writer *w, const tl_panel_def *panel, const tl_panel_loops *loops)
{
    tl_json *telar = new_object(w), *holes = new_list(w);
    put_text(w, telar, "fabric", panel->fabric);
    if (panel->grain != 90)
        put(w, telar, "grain", number_of(w, panel->grain));
    if (panel->layer != 0)
        put(w, telar, "layer", number_of(w, panel->layer));
    if (strcmp(panel->wrap, "none") != 0)
        put_text(w, telar, "wrap", panel->wrap);
    for (int loop = 1; loop < loops->count; ++loop) {
        int low, high;
        tl_json *hole = new_object(w);
        loop_vertices(panel, loops->first[loop], loops->first[loop + 1], &low, &high);
        put_loop(w, hole, panel, loops->first[loop], loops->first[loop + 1], low, high);
        tl_json_append(&w->document, holes, hole);
    }
    if (loops->count > 1)
        put(w, telar, "holes", holes);
    if (panel->line_count > 0)
        put(w, telar, "internal", lines_of(w, panel));
    return telar;
}

static tl_json *panel_of(writer *w, const tl_panel_def *panel, const tl_panel_loops *loops)
{
    tl_json *out = new_object(w);
    int low, high;
    loop_vertices(panel, 0, loops->first[1], &low, &high);
    put(w, out, "translation", lengths(w, panel->translation, 3));
    put(w, out, "rotation", plain_numbers(w, panel->rotation, 3));
    put_loop(w, out, panel, 0, loops->first[1], 0, loops->count > 1 ? high : panel->vertex_count);
    put_text(w, out, "label", panel->label);
    tl_json *telar = additions_of(w, panel, loops);
    if (tl_json_count(telar) > 0)
        put(w, out, "telar", telar);
    return out;
}

/* ---- stitches and the rest --------------------------------------------------------------------------------------- */

static tl_json *side_of(writer *w, const tl_pattern_def *def, const tl_stitch_def *stitch, int k)
{
    static const char *const kinds[] = {"plain", "fold", "elastic"};
    const tl_stitch_side *side = &stitch->side[k];
    tl_json *out = new_object(w), *telar = new_object(w);
    put(w, out, "panel", tl_json_text(&w->document, def->panel[side->panel].name));
    put(w, out, "edge", number_of(w, side->edge));
    if (side->range[0] != 0 || side->range[1] != 1)
        put(w, telar, "range", plain_numbers(w, side->range, 2));
    if (k == 0) {
        if (stitch->kind != TL_STITCH_PLAIN)
            put_text(w, telar, "kind", kinds[stitch->kind]);
        if (stitch->ratio != 1)
            put(w, telar, "ratio", number_of(w, stitch->ratio));
        if (stitch->angle != 0)
            put(w, telar, "angle", number_of(w, stitch->angle));
        if (stitch->reverse)
            put(w, telar, "reverse", tl_json_bool(&w->document, true));
        if (stitch->strength != 4)
            put(w, telar, "strength", number_of(w, stitch->strength));
    }
    if (tl_json_count(telar) > 0)
        put(w, out, "telar", telar);
    return out;
}

static tl_json *stitches_of(writer *w, const tl_pattern_def *def)
{
    tl_json *list = new_list(w);
    for (int s = 0; s < def->stitch_count; ++s) {
        tl_json *stitch = new_list(w);
        for (int k = 0; k < 2; ++k)
            tl_json_append(&w->document, stitch, side_of(w, def, &def->stitch[s], k));
        if (def->stitch[s].right_wrong)
            tl_json_append(&w->document, stitch, tl_json_text(&w->document, "right_wrong"));
        tl_json_append(&w->document, list, stitch);
    }
    return list;
}

static void put_garment_additions(writer *w, tl_json *pattern, const tl_pattern_def *def)
{
    tl_json *telar = new_object(w), *anchors = new_list(w), *closures = new_list(w);
    for (int a = 0; a < def->anchor_count; ++a) {
        tl_json *anchor = new_object(w);
        put_text(w, anchor, "label", def->anchor[a].label);
        put_text(w, anchor, "part", def->anchor[a].part);
        tl_json_append(&w->document, anchors, anchor);
    }
    for (int c = 0; c < def->closure_count; ++c) {
        tl_json *closure = new_object(w), *panels = new_list(w), *points = new_list(w);
        for (int k = 0; k < 2; ++k) {
            tl_json_append(&w->document, panels, tl_json_text(&w->document, def->panel[def->closure[c].panel[k]].name));
            tl_json_append(&w->document, points, lengths(w, def->closure[c].point[k], 2));
        }
        put(w, closure, "panels", panels);
        put(w, closure, "points", points);
        tl_json_append(&w->document, closures, closure);
    }
    if (def->anchor_count > 0)
        put(w, telar, "anchors", anchors);
    if (def->closure_count > 0)
        put(w, telar, "closures", closures);
    if (tl_json_count(telar) > 0)
        put(w, pattern, "telar", telar);
}

/* Members that were read and kept, moved into an object. */
static void put_kept(writer *w, tl_json *object, tl_json *kept)
{
    for (tl_json *member = tl_json_first(kept), *next; member; member = next) {
        next = member->next;
        if (!tl_json_get(object, member->key))
            put(w, object, member->key, member);
    }
}

static tl_json *tree_of(writer *w, const tl_pattern *pattern, tl_json *kept, tl_json *kept_properties)
{
    const tl_pattern_def *def = &pattern->def;
    tl_json *root = new_object(w), *out = new_object(w), *panels = new_object(w), *order = new_list(w);
    tl_json *properties = new_object(w);
    for (int p = 0; p < def->panel_count; ++p) {
        put(w, panels, def->panel[p].name, panel_of(w, &def->panel[p], &pattern->loops[p]));
        tl_json_append(&w->document, order, tl_json_text(&w->document, def->panel[p].name));
    }
    put(w, out, "panels", panels);
    put(w, out, "stitches", stitches_of(w, def));
    put(w, out, "panel_order", order);
    put_garment_additions(w, out, def);
    put_kept(w, out, tl_json_get(kept, "pattern"));
    put(w, properties, "curvature_coords", tl_json_text(&w->document, "relative"));
    put(w, properties, "normalize_panel_translation", tl_json_bool(&w->document, false));
    put(w, properties, "units_in_meter", number_of(w, def->units_in_meter));
    put_kept(w, properties, kept_properties);
    put(w, root, "pattern", out);
    put(w, root, "properties", properties);
    put_kept(w, root, kept);
    return root;
}

tl_result tl_pattern_save(const tl_pattern *pattern, const char *file_name, tl_error *error)
{
    writer w = {.units = pattern->def.units_in_meter};
    tl_json_document kept = {0}, properties = {0};
    const char *text = pattern->def.kept, *more = pattern->def.kept_properties;
    if ((text[0] && !tl_json_read(&kept, text, strlen(text), false, NULL)) ||
        (more[0] && !tl_json_read(&properties, more, strlen(more), false, NULL)))
        w.document.failed = true;
    tl_json *root = tree_of(&w, pattern, kept.root, properties.root);
    size_t length = 0;
    char *out = w.document.failed ? NULL : tl_json_write_exact(root, LINE_WIDTH, &length);
    tl_result result = out ? tl_file_replace(file_name, out, length, error)
                           : tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory to write it", file_name);
    free(out);
    tl_json_release(&w.document);
    tl_json_release(&kept);
    tl_json_release(&properties);
    return result;
}
