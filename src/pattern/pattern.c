/* Patterns: the copy of a definition, and queries. */
#include "pattern/pattern.h"

#include <math.h>
#include <string.h>

static const char *const wrap_names[] = {"none",      "torso",    "neck",      "arm.left",
                                         "arm.right", "leg.left", "leg.right", NULL};

const char *const *tl_pattern_wraps(void) { return wrap_names; }

bool tl_stitch_is_parallel(const tl_stitch_def *stitch) { return stitch->right_wrong != stitch->reverse; }

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void *copy_array(tl_store *store, const void *from, int count, size_t size)
{
    void *to = tl_store_take(store, (size_t)count, size);
    if (to && count > 0)
        memcpy(to, from, (size_t)count * size);
    return to;
}

static bool copy_lines(tl_store *store, tl_panel_def *panel)
{
    tl_pattern_line_def *line = copy_array(store, panel->line, panel->line_count, sizeof *line);
    if (!line)
        return false;
    for (int l = 0; l < panel->line_count; ++l) {
        line[l].name = tl_store_text(store, line[l].name);
        line[l].point = copy_array(store, line[l].point, line[l].point_count, sizeof *line[l].point);
        if (!line[l].name || !line[l].point)
            return false;
    }
    panel->line = line;
    return true;
}

static bool copy_panel(tl_store *store, tl_panel_def *panel)
{
    tl_pattern_edge_def *edge = copy_array(store, panel->edge, panel->edge_count, sizeof *edge);
    if (!edge)
        return false;
    for (int e = 0; e < panel->edge_count; ++e)
        if (!(edge[e].label = tl_store_text(store, edge[e].label)))
            return false;
    panel->edge = edge;
    panel->vertex = copy_array(store, panel->vertex, panel->vertex_count, sizeof *panel->vertex);
    panel->name = tl_store_text(store, panel->name);
    panel->label = tl_store_text(store, panel->label);
    panel->fabric = tl_store_text(store, panel->fabric);
    panel->wrap = tl_store_text(store, panel->wrap ? panel->wrap : "none");
    return panel->vertex && panel->name && panel->label && panel->fabric && panel->wrap && copy_lines(store, panel);
}

static bool copy_stitches(tl_store *store, tl_pattern_def *def)
{
    tl_stitch_def *stitch = copy_array(store, def->stitch, def->stitch_count, sizeof *stitch);
    for (int s = 0; stitch && s < def->stitch_count; ++s) {
        for (int k = 0; k < 2; ++k)
            if (stitch[s].side[k].range[0] == 0 && stitch[s].side[k].range[1] == 0)
                stitch[s].side[k].range[1] = 1;
        stitch[s].ratio = stitch[s].ratio == 0 ? 1 : stitch[s].ratio;
        stitch[s].strength = stitch[s].strength == 0 ? 4 : stitch[s].strength;
    }
    def->stitch = stitch;
    return stitch;
}

static bool copy_anchors(tl_store *store, tl_pattern_def *def)
{
    tl_pattern_anchor_def *anchor = copy_array(store, def->anchor, def->anchor_count, sizeof *anchor);
    for (int a = 0; anchor && a < def->anchor_count; ++a) {
        anchor[a].label = tl_store_text(store, anchor[a].label);
        anchor[a].part = tl_store_text(store, anchor[a].part);
        if (!anchor[a].label || !anchor[a].part)
            return false;
    }
    def->anchor = anchor;
    return anchor;
}

static bool copy_def(tl_pattern *pattern, const tl_pattern_def *def)
{
    tl_store *store = &pattern->store;
    tl_pattern_def *own = &pattern->def;
    *own = *def;
    tl_panel_def *panel = copy_array(store, def->panel, def->panel_count, sizeof *panel);
    for (int p = 0; panel && p < def->panel_count; ++p)
        if (!copy_panel(store, &panel[p]))
            return false;
    own->panel = panel;
    own->name = tl_store_text(store, def->name ? def->name : "pattern");
    own->kept = tl_store_text(store, def->kept);
    own->kept_properties = tl_store_text(store, def->kept_properties);
    own->units_in_meter = def->units_in_meter == 0 ? 100 : def->units_in_meter;
    own->closure = copy_array(store, def->closure, def->closure_count, sizeof *own->closure);
    return panel && own->name && own->kept && own->kept_properties && own->closure && copy_stitches(store, own) &&
           copy_anchors(store, own);
}

/* Loops and lengths of edges. */
static tl_result derive(tl_pattern *pattern, tl_error *error)
{
    int panels = pattern->def.panel_count;
    pattern->loops = tl_store_take(&pattern->store, (size_t)panels, sizeof *pattern->loops);
    pattern->edge_length = tl_store_take(&pattern->store, (size_t)panels, sizeof *pattern->edge_length);
    if (!pattern->loops || !pattern->edge_length)
        return tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
    for (int p = 0; p < panels; ++p) {
        const tl_panel_def *panel = &pattern->def.panel[p];
        tl_result result = tl_panel_loops_make(panel, &pattern->store, &pattern->loops[p], error);
        if (result)
            return result;
        pattern->edge_length[p] = tl_store_take(&pattern->store, (size_t)panel->edge_count, sizeof(double));
        if (!pattern->edge_length[p])
            return tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
        for (int e = 0; e < panel->edge_count; ++e) {
            tl_edge_curve curve;
            tl_edge_curve_make(panel, e, &curve);
            pattern->edge_length[p][e] = curve.length;
        }
    }
    return TL_OK;
}

tl_pattern *tl_pattern_create(const tl_pattern_def *def, const tl_allocator *allocator, tl_error *error)
{
    if (tl_pattern_check_def(def, error) != TL_OK)
        return NULL;
    tl_store store = {.allocator = tl_allocator_or_default(allocator)};
    tl_pattern *pattern = tl_store_take(&store, 1, sizeof *pattern);
    if (!pattern) {
        tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
        return NULL;
    }
    pattern->store = store;
    tl_result result =
        copy_def(pattern, def) ? derive(pattern, error) : tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory");
    if (result == TL_OK)
        return pattern;
    tl_pattern_destroy(pattern);
    return NULL;
}

void tl_pattern_destroy(tl_pattern *pattern)
{
    if (!pattern)
        return;
    tl_store store = pattern->store; /* which holds the pattern itself */
    tl_store_release(&store);
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

const tl_pattern_def *tl_pattern_get_def(const tl_pattern *pattern) { return &pattern->def; }

int tl_pattern_find_panel(const tl_pattern *pattern, const char *name)
{
    for (int p = 0; p < pattern->def.panel_count; ++p)
        if (strcmp(pattern->def.panel[p].name, name) == 0)
            return p;
    return -1;
}

double tl_pattern_edge_length(const tl_pattern *pattern, int panel, int edge)
{
    return pattern->edge_length[panel][edge];
}

void tl_pattern_edge_point(const tl_pattern *pattern, int panel, int edge, double fraction, double point[2])
{
    tl_edge_curve curve;
    tl_edge_curve_make(&pattern->def.panel[panel], edge, &curve);
    tl_edge_curve_at(&curve, fraction, point);
}

void tl_panel_rotation(const tl_panel_def *panel, double rotation[3][3])
{
    double c[3], s[3];
    for (int k = 0; k < 3; ++k)
        tl_turn_of(panel->rotation[k], &c[k], &s[k]);
    const double product[3][3] = {
        {c[1] * c[2], s[0] * s[1] * c[2] - c[0] * s[2], c[0] * s[1] * c[2] + s[0] * s[2]},
        {c[1] * s[2], s[0] * s[1] * s[2] + c[0] * c[2], c[0] * s[1] * s[2] - s[0] * c[2]},
        {-s[1], s[0] * c[1], c[0] * c[1]},
    };
    memcpy(rotation, product, sizeof product);
}

void tl_pattern_place(const tl_pattern *pattern, int panel, const double point[2], double placed[3])
{
    double rotation[3][3];
    tl_panel_rotation(&pattern->def.panel[panel], rotation);
    for (int k = 0; k < 3; ++k)
        placed[k] = rotation[k][0] * point[0] + rotation[k][1] * point[1] + pattern->def.panel[panel].translation[k];
}

double tl_pattern_panel_area(const tl_pattern *pattern, int panel) { return pattern->loops[panel].area; }

double tl_pattern_stitch_lengths(const tl_pattern *pattern, int stitch, double length[2])
{
    for (int k = 0; k < 2; ++k) {
        const tl_stitch_side *side = &pattern->def.stitch[stitch].side[k];
        length[k] = (side->range[1] - side->range[0]) * pattern->edge_length[side->panel][side->edge];
    }
    return fmax(length[0], length[1]) / fmin(length[0], length[1]) - 1;
}
