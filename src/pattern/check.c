/* Definitions of patterns: everything that can be said without geometry of more than one edge. Outlines are checked in
   outline.c, directions of seams in seam.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pattern/pattern.h"

static bool is_size(double x) { return isfinite(x) && fabs(x) <= TL_PATTERN_MAX_SIZE; }

static const char *or_empty(const char *text) { return text ? text : ""; }

static tl_result check_text(const char *text, const char *panel, const char *what, tl_error *error)
{
    if (strlen(or_empty(text)) >= TL_PATTERN_MAX_NAME)
        return tl_fail(error, TL_ERROR_INPUT, "panel '%.40s': %s has more than %d bytes", panel, what,
                       TL_PATTERN_MAX_NAME - 1);
    for (const char *at = or_empty(text); *at; ++at)
        if ((unsigned char)*at < 0x20)
            return tl_fail(error, TL_ERROR_INPUT, "panel '%.40s': %s has a control character", panel, what);
    return TL_OK;
}

static tl_result check_number(double x, double limit, const char *panel, const char *what, const char *unit,
                              tl_error *error)
{
    if (!isfinite(x))
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s': %s is not a finite number", panel, what);
    if (fabs(x) > limit)
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s': %s %g%s is beyond %g%s; is the unit right?", panel, what, x,
                       unit, limit, unit);
    return TL_OK;
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

static tl_result check_curve(const tl_panel_def *panel, int e, tl_error *error)
{
    const tl_pattern_edge_def *edge = &panel->edge[e];
    const double *a = panel->vertex[edge->start], *b = panel->vertex[edge->end];
    double chord = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]));
    int controls = edge->curve == TL_CURVE_QUADRATIC ? 1 : edge->curve == TL_CURVE_CUBIC ? 2 : 0;
    for (int c = 0; c < controls; ++c)
        if (!(fabs(edge->control[c][0]) <= 100 && fabs(edge->control[c][1]) <= 100))
            return tl_fail(error, TL_ERROR_INPUT, "panel '%s', edge %d: control point (%g, %g) is far from the edge",
                           panel->name, e, edge->control[c][0], edge->control[c][1]);
    if (!(chord >= TL_PATTERN_SHORTEST_EDGE))
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s', edge %d: it has no length: its ends are %g mm apart",
                       panel->name, e, 1000 * chord);
    if (edge->curve == TL_CURVE_CIRCLE && !(is_size(edge->radius) && edge->radius >= chord / 2 * (1 - 1e-6)))
        return tl_fail(error, TL_ERROR_INPUT,
                       "panel '%s', edge %d: a circle of radius %g m cannot join points %g m apart", panel->name, e,
                       edge->radius, chord);
    return TL_OK;
}

static tl_result check_edge(const tl_panel_def *panel, int e, tl_error *error)
{
    const tl_pattern_edge_def *edge = &panel->edge[e];
    const int ends[2] = {edge->start, edge->end};
    for (int k = 0; k < 2; ++k)
        if (ends[k] < 0 || ends[k] >= panel->vertex_count)
            return tl_fail(error, TL_ERROR_INPUT, "panel '%s', edge %d: vertex %d of %d", panel->name, e, ends[k],
                           panel->vertex_count);
    if (edge->start == edge->end)
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s', edge %d: it starts and ends at vertex %d", panel->name, e,
                       edge->start);
    if (edge->curve < TL_CURVE_LINE || edge->curve > TL_CURVE_CIRCLE)
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s', edge %d: curve %d is unknown", panel->name, e,
                       (int)edge->curve);
    tl_result result = check_text(edge->label, panel->name, "the label of an edge", error);
    return result ? result : check_curve(panel, e, error);
}

static tl_result check_lines(const tl_panel_def *panel, tl_error *error)
{
    if (panel->line_count < 0 || panel->line_count > TL_PATTERN_MAX_EDGES || (panel->line_count && !panel->line))
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s': %d lines", panel->name, panel->line_count);
    for (int l = 0; l < panel->line_count; ++l) {
        const tl_pattern_line_def *line = &panel->line[l];
        tl_result result = check_text(line->name, panel->name, "the name of a line", error);
        if (result)
            return result;
        if (line->point_count < 2 || line->point_count > TL_PATTERN_MAX_EDGES || !line->point)
            return tl_fail(error, TL_ERROR_INPUT, "panel '%s', line %d: it has %d points, needs 2 or more", panel->name,
                           l, line->point_count);
        if (!(fabs(line->angle) <= 180))
            return tl_fail(error, TL_ERROR_INPUT, "panel '%s', line %d: angle %g is not within 180 degrees",
                           panel->name, l, line->angle);
        for (int k = 0; k < line->point_count; ++k)
            if (!is_size(line->point[k][0]) || !is_size(line->point[k][1]))
                return tl_fail(error, TL_ERROR_INPUT, "panel '%s', line %d: point %d is not a place on a panel",
                               panel->name, l, k);
    }
    return TL_OK;
}

static tl_result check_wrap(const tl_panel_def *panel, tl_error *error)
{
    const char *const *names = tl_pattern_wraps();
    for (int k = 0; names[k] && panel->wrap; ++k)
        if (strcmp(names[k], panel->wrap) == 0)
            return TL_OK;
    if (!panel->wrap)
        return TL_OK;
    const char *nearest = tl_nearest_name(panel->wrap, names);
    return tl_fail(error, TL_ERROR_INPUT, "panel '%s': wrap '%.60s' is unknown%s%s%s", panel->name, panel->wrap,
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static tl_result check_placing(const tl_panel_def *panel, tl_error *error)
{
    static const char *const axis[3] = {"x", "y", "z"};
    char what[32];
    tl_result result = TL_OK;
    for (int k = 0; k < 3 && !result; ++k) {
        snprintf(what, sizeof what, "translation %s", axis[k]);
        result = check_number(panel->translation[k], TL_PATTERN_MAX_SIZE, panel->name, what, " m", error);
        snprintf(what, sizeof what, "rotation %s", axis[k]);
        if (!result)
            result = check_number(panel->rotation[k], 36000, panel->name, what, " degrees", error);
    }
    return result ? result : check_number(panel->grain, 36000, panel->name, "grain", " degrees", error);
}

static tl_result check_panel(const tl_panel_def *panel, tl_error *error)
{
    tl_result result = check_text(panel->name, or_empty(panel->name), "its name", error);
    if (!result)
        result = check_text(panel->label, panel->name, "its label", error);
    if (!result)
        result = check_text(panel->fabric, panel->name, "its fabric", error);
    if (result)
        return result;
    if (panel->edge_count < 2 || !panel->edge)
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s': it has %d edges", panel->name, panel->edge_count);
    if (panel->edge_count > TL_PATTERN_MAX_EDGES || panel->vertex_count > TL_PATTERN_MAX_EDGES)
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s': %d edges and %d vertices, more than %d", panel->name,
                       panel->edge_count, panel->vertex_count, TL_PATTERN_MAX_EDGES);
    if (panel->vertex_count < 2 || !panel->vertex)
        return tl_fail(error, TL_ERROR_INPUT, "panel '%s': it has %d vertices", panel->name, panel->vertex_count);
    for (int v = 0; v < panel->vertex_count; ++v)
        for (int k = 0; k < 2; ++k)
            if (!is_size(panel->vertex[v][k]))
                return tl_fail(error, TL_ERROR_INPUT,
                               "panel '%s', vertex %d: (%g, %g) m is not a place within %g m; is the unit right?",
                               panel->name, v, panel->vertex[v][0], panel->vertex[v][1], TL_PATTERN_MAX_SIZE);
    for (int e = 0; e < panel->edge_count && !result; ++e)
        result = check_edge(panel, e, error);
    if (!result)
        result = check_placing(panel, error);
    if (!result)
        result = check_wrap(panel, error);
    return result ? result : check_lines(panel, error);
}

static tl_result check_panels(const tl_pattern_def *def, tl_error *error)
{
    if (def->panel_count < 1 || !def->panel)
        return tl_fail(error, TL_ERROR_INPUT, "the pattern has no panels");
    if (def->panel_count > TL_PATTERN_MAX_PANELS)
        return tl_fail(error, TL_ERROR_INPUT, "%d panels, more than %d", def->panel_count, TL_PATTERN_MAX_PANELS);
    for (int p = 0; p < def->panel_count; ++p) {
        if (!def->panel[p].name || !def->panel[p].name[0])
            return tl_fail(error, TL_ERROR_INPUT, "panel %d has no name", p);
        tl_result result = check_panel(&def->panel[p], error);
        if (result)
            return result;
        for (int q = 0; q < p; ++q)
            if (strcmp(def->panel[p].name, def->panel[q].name) == 0)
                return tl_fail(error, TL_ERROR_INPUT, "panel '%s': there are two of this name", def->panel[p].name);
    }
    return TL_OK;
}

/* ---- stitches ---------------------------------------------------------------------------------------------------- */

static tl_result check_side(const tl_pattern_def *def, int s, const tl_stitch_side *side, tl_error *error)
{
    if (side->panel < 0 || side->panel >= def->panel_count)
        return tl_fail(error, TL_ERROR_INPUT, "stitch %d: panel %d of %d", s, side->panel, def->panel_count);
    const tl_panel_def *panel = &def->panel[side->panel];
    if (side->edge < 0 || side->edge >= panel->edge_count)
        return tl_fail(error, TL_ERROR_INPUT, "stitch %d: panel '%s' has no edge %d, it has %d", s, panel->name,
                       side->edge, panel->edge_count);
    bool whole = side->range[0] == 0 && side->range[1] == 0;
    if (!whole && !(side->range[0] >= 0 && side->range[0] < side->range[1] && side->range[1] <= 1))
        return tl_fail(error, TL_ERROR_INPUT, "stitch %d: panel '%s', edge %d: range [%g, %g] is not within [0, 1]", s,
                       panel->name, side->edge, side->range[0], side->range[1]);
    return TL_OK;
}

static tl_result check_stitch(const tl_pattern_def *def, int s, tl_error *error)
{
    const tl_stitch_def *stitch = &def->stitch[s];
    tl_result result = check_side(def, s, &stitch->side[0], error);
    if (!result)
        result = check_side(def, s, &stitch->side[1], error);
    if (result)
        return result;
    if (stitch->kind < TL_STITCH_PLAIN || stitch->kind > TL_STITCH_ELASTIC)
        return tl_fail(error, TL_ERROR_INPUT, "stitch %d: kind %d is unknown", s, (int)stitch->kind);
    if (stitch->ratio != 0 && !(stitch->ratio >= 0.1 && stitch->ratio <= 2))
        return tl_fail(error, TL_ERROR_INPUT, "stitch %d: ratio %g is not within 0.1 and 2", s, stitch->ratio);
    if (!(fabs(stitch->angle) <= 180))
        return tl_fail(error, TL_ERROR_INPUT, "stitch %d: angle %g is not within 180 degrees", s, stitch->angle);
    if (!(stitch->strength >= 0 && stitch->strength <= 1000))
        return tl_fail(error, TL_ERROR_INPUT, "stitch %d: strength %g is not within 0 and 1000", s, stitch->strength);
    return TL_OK;
}

static void whole_range(const tl_stitch_side *side, double range[2])
{
    bool whole = side->range[0] == 0 && side->range[1] == 0;
    range[0] = whole ? 0 : side->range[0];
    range[1] = whole ? 1 : side->range[1];
}

static bool sides_overlap(const tl_stitch_side *a, const tl_stitch_side *b)
{
    double ra[2], rb[2];
    if (a->panel != b->panel || a->edge != b->edge)
        return false;
    whole_range(a, ra);
    whole_range(b, rb);
    return ra[0] < rb[1] && rb[0] < ra[1];
}

/* Cloth has two sides: where an edge were sewn twice, three would meet. */
static tl_result check_sewn_once(const tl_pattern_def *def, tl_error *error)
{
    for (int i = 0; i < 2 * def->stitch_count; ++i)
        for (int j = i + 1; j < 2 * def->stitch_count; ++j) {
            const tl_stitch_side *a = &def->stitch[i / 2].side[i % 2], *b = &def->stitch[j / 2].side[j % 2];
            if (!sides_overlap(a, b))
                continue;
            const char *name = def->panel[a->panel].name;
            if (i / 2 == j / 2)
                return tl_fail(error, TL_ERROR_INPUT, "stitch %d: panel '%s', edge %d is sewn to itself", i / 2, name,
                               a->edge);
            return tl_fail(error, TL_ERROR_INPUT, "stitch %d: panel '%s', edge %d is sewn by stitch %d already", j / 2,
                           name, a->edge, i / 2);
        }
    return TL_OK;
}

static tl_result check_anchors(const tl_pattern_def *def, tl_error *error)
{
    if (def->anchor_count < 0 || (def->anchor_count && !def->anchor))
        return tl_fail(error, TL_ERROR_INPUT, "%d anchors", def->anchor_count);
    for (int a = 0; a < def->anchor_count; ++a) {
        bool found = false;
        const char *label = or_empty(def->anchor[a].label);
        for (int p = 0; p < def->panel_count && !found; ++p)
            for (int e = 0; e < def->panel[p].edge_count && !found; ++e)
                found = strcmp(or_empty(def->panel[p].edge[e].label), label) == 0;
        if (!label[0] || !found)
            return tl_fail(error, TL_ERROR_INPUT, "anchor %d: no edge has the label '%.60s'", a, label);
        if (!or_empty(def->anchor[a].part)[0])
            return tl_fail(error, TL_ERROR_INPUT, "anchor %d ('%.60s'): it names no part of the body", a, label);
    }
    return TL_OK;
}

static tl_result check_closures(const tl_pattern_def *def, tl_error *error)
{
    if (def->closure_count < 0 || (def->closure_count && !def->closure))
        return tl_fail(error, TL_ERROR_INPUT, "%d closures", def->closure_count);
    for (int c = 0; c < def->closure_count; ++c)
        for (int k = 0; k < 2; ++k) {
            const tl_pattern_closure_def *closure = &def->closure[c];
            if (closure->panel[k] < 0 || closure->panel[k] >= def->panel_count)
                return tl_fail(error, TL_ERROR_INPUT, "closure %d: panel %d of %d", c, closure->panel[k],
                               def->panel_count);
            if (!is_size(closure->point[k][0]) || !is_size(closure->point[k][1]))
                return tl_fail(error, TL_ERROR_INPUT, "closure %d: its point %d is not a place on a panel", c, k);
        }
    return TL_OK;
}

tl_result tl_pattern_check_def(const tl_pattern_def *def, tl_error *error)
{
    if (!def)
        return tl_fail(error, TL_ERROR_INPUT, "pattern: no definition given");
    if (def->units_in_meter != 0 && !(def->units_in_meter >= 1e-3 && def->units_in_meter <= 1e6))
        return tl_fail(error, TL_ERROR_INPUT, "units_in_meter %g is not within 0.001 and 1000000", def->units_in_meter);
    tl_result result = check_panels(def, error);
    if (result)
        return result;
    if (def->stitch_count < 0 || def->stitch_count > TL_PATTERN_MAX_STITCHES || (def->stitch_count && !def->stitch))
        return tl_fail(error, TL_ERROR_INPUT, "%d stitches, at most %d", def->stitch_count, TL_PATTERN_MAX_STITCHES);
    for (int s = 0; s < def->stitch_count && !result; ++s)
        result = check_stitch(def, s, error);
    if (!result)
        result = check_sewn_once(def, error);
    if (!result)
        result = check_anchors(def, error);
    return result ? result : check_closures(def, error);
}
