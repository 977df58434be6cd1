/* The collection of a pattern's parts while files are read. */
#include <stdlib.h>
#include <string.h>

#include "io/pattern_file.h"

tl_read_set tl_read_set_empty(void)
{
    return (tl_read_set){.store = {.allocator = tl_allocator_or_default(NULL)}, .kept = "", .kept_properties = ""};
}

/* Room for one more in an array of the store. */
static bool grow(tl_store *store, void *field, int count, int *room, size_t size)
{
    if (count < *room)
        return true;
    int larger = *room ? 2 * *room : 16;
    void *grown = tl_store_take(store, (size_t)larger, size), *array;
    if (!grown)
        return false;
    memcpy(&array, field, sizeof array);
    if (count > 0)
        memcpy(grown, array, (size_t)count * size);
    memcpy(field, &grown, sizeof grown);
    *room = larger;
    return true;
}

tl_read_panel *tl_read_set_add_panel(tl_read_set *set)
{
    if (!grow(&set->store, &set->panels, set->panel_count, &set->panel_room, sizeof *set->panels))
        return NULL;
    return &set->panels[set->panel_count++];
}

bool tl_read_set_add_stitch(tl_read_set *set, const tl_stitch_def *stitch)
{
    if (!grow(&set->store, &set->stitches, set->stitch_count, &set->stitch_room, sizeof *stitch))
        return false;
    set->stitches[set->stitch_count++] = *stitch;
    return true;
}

bool tl_read_set_add_anchor(tl_read_set *set, const tl_pattern_anchor_def *anchor)
{
    for (int a = 0; a < set->anchor_count; ++a)
        if (strcmp(set->anchors[a].label, anchor->label) == 0)
            return true;
    if (!grow(&set->store, &set->anchors, set->anchor_count, &set->anchor_room, sizeof *anchor))
        return false;
    set->anchors[set->anchor_count++] = *anchor;
    return true;
}

bool tl_read_set_add_closure(tl_read_set *set, const tl_pattern_closure_def *closure)
{
    if (!grow(&set->store, &set->closures, set->closure_count, &set->closure_room, sizeof *closure))
        return false;
    set->closures[set->closure_count++] = *closure;
    return true;
}

int tl_read_set_find(const tl_read_set *set, int first, const char *prefix, const char *name)
{
    size_t length = strlen(prefix);
    for (int p = first; p < set->panel_count; ++p) {
        const char *full = set->panels[p].def.name;
        if (full && strncmp(full, prefix, length) == 0 && strcmp(full + length, name) == 0)
            return p;
    }
    return -1;
}

bool tl_read_panel_add_loop(tl_read_set *set, tl_read_panel *panel, int end)
{
    int *ends = tl_store_take(&set->store, (size_t)panel->loop_count + 1, sizeof *ends);
    if (!ends)
        return false;
    if (panel->loop_count > 0)
        memcpy(ends, panel->loop_end, (size_t)panel->loop_count * sizeof *ends);
    ends[panel->loop_count++] = end;
    panel->loop_end = ends;
    return true;
}

void tl_read_panel_normalize(tl_read_panel *panel)
{
    double mean[2] = {0, 0};
    double(*vertex)[2] = (double(*)[2])panel->def.vertex;
    for (int k = 0; k < 2 && panel->def.vertex_count > 0; ++k) {
        for (int v = 0; v < panel->def.vertex_count; ++v)
            mean[k] += vertex[v][k];
        mean[k] /= panel->def.vertex_count;
        for (int v = 0; v < panel->def.vertex_count; ++v)
            vertex[v][k] -= mean[k];
        panel->def.translation[k] += mean[k];
    }
}

static int turned_edge(const tl_read_panel *panel, int edge)
{
    int first = 0, loop = 0;
    while (loop + 1 < panel->loop_count && edge >= panel->loop_end[loop])
        first = panel->loop_end[loop++];
    return first + panel->loop_end[loop] - 1 - edge;
}

void tl_read_panel_turn_side(const tl_read_panel *panel, tl_stitch_side *side)
{
    if (!panel->reversed)
        return;
    double from = side->range[0], to = side->range[1];
    side->edge = turned_edge(panel, side->edge);
    if (from != 0 || to != 0) {
        side->range[0] = 1 - to;
        side->range[1] = 1 - from;
    }
}

/* ---- mirrored parts ---------------------------------------------------------------------------------------------- */

/* The other one of a pair of names: "arm.left" and "arm.right". */
static bool swap_sides(tl_store *store, const char **name)
{
    const char *old = *name ? *name : "", *left = strstr(old, "left"), *right = strstr(old, "right");
    if (!left && !right)
        return true;
    const char *at = left ? left : right, *other = left ? "right" : "left", *rest = at + (left ? 4 : 5);
    size_t front = (size_t)(at - old), middle = strlen(other), size = front + middle + strlen(rest) + 1;
    char *text = tl_store_take(store, size, 1);
    if (!text)
        return false;
    memcpy(text, old, front);
    memcpy(text + front, other, middle);
    memcpy(text + front + middle, rest, size - front - middle);
    *name = text;
    return true;
}

/* An edge that is mirrored and runs the other way round: what was to its left still is. */
static tl_pattern_edge_def turned(const tl_pattern_edge_def *from)
{
    tl_pattern_edge_def edge = *from;
    edge.start = from->end;
    edge.end = from->start;
    int controls = from->curve == TL_CURVE_CUBIC ? 2 : from->curve == TL_CURVE_QUADRATIC ? 1 : 0;
    for (int c = 0; c < controls; ++c) {
        edge.control[c][0] = 1 - from->control[controls - 1 - c][0];
        edge.control[c][1] = from->control[controls - 1 - c][1];
    }
    return edge;
}

static bool mirror_panel(tl_read_set *set, tl_read_panel *panel)
{
    tl_panel_def *def = &panel->def;
    tl_pattern_edge_def *edge = tl_store_take(&set->store, (size_t)def->edge_count, sizeof *edge);
    if (!edge)
        return false;
    for (int e = 0; e < def->edge_count; ++e)
        edge[turned_edge(panel, e)] = turned(&def->edge[e]);
    def->edge = edge;
    double(*vertex)[2] = (double(*)[2])def->vertex;
    for (int v = 0; v < def->vertex_count; ++v)
        vertex[v][0] = 0 - vertex[v][0]; /* no negative zero */
    for (int l = 0; l < def->line_count; ++l) {
        double(*point)[2] = (double(*)[2])def->line[l].point;
        for (int k = 0; k < def->line[l].point_count; ++k)
            point[k][0] = 0 - point[k][0];
    }
    def->translation[0] = 0 - def->translation[0];
    def->rotation[1] = 0 - def->rotation[1];
    def->rotation[2] = 0 - def->rotation[2];
    def->grain = 180 - def->grain;
    panel->reversed = !panel->reversed;
    return swap_sides(&set->store, &def->wrap);
}

tl_read_mark tl_read_set_mark(const tl_read_set *set)
{
    return (tl_read_mark){set->panel_count, set->stitch_count, set->anchor_count, set->closure_count};
}

bool tl_read_set_move(tl_read_set *set, tl_read_mark since, bool mirror, const double translation[3])
{
    for (int p = since.panels; p < set->panel_count; ++p) {
        if (mirror && !mirror_panel(set, &set->panels[p]))
            return false;
        for (int k = 0; k < 3; ++k)
            set->panels[p].def.translation[k] += translation[k];
    }
    for (int s = since.stitches; s < set->stitch_count && mirror; ++s)
        for (int k = 0; k < 2; ++k) {
            tl_stitch_side *side = &set->stitches[s].side[k];
            tl_read_panel turn = set->panels[side->panel];
            turn.reversed = true; /* from the edges before this mirroring to those after it */
            tl_read_panel_turn_side(&turn, side);
        }
    for (int a = since.anchors; a < set->anchor_count && mirror; ++a)
        if (!swap_sides(&set->store, &set->anchors[a].part))
            return false;
    for (int c = since.closures; c < set->closure_count && mirror; ++c)
        for (int k = 0; k < 2; ++k)
            set->closures[c].point[k][0] = -set->closures[c].point[k][0];
    return true;
}

void tl_read_set_spread(tl_read_set *set)
{
    int planes[2] = {0, 0};
    for (int p = 0; p < set->panel_count; ++p) {
        tl_panel_def *def = &set->panels[p].def;
        double low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
        for (int v = 0; v < def->vertex_count; ++v)
            for (int k = 0; k < 2; ++k) {
                low[k] = def->vertex[v][k] < low[k] ? def->vertex[v][k] : low[k];
                high[k] = def->vertex[v][k] > high[k] ? def->vertex[v][k] : high[k];
            }
        bool back = strstr(def->name, "back") || strstr(def->name, "Back") || strstr(def->name, "BACK");
        double side = back ? -1 : 1;
        def->rotation[1] = back ? 180 : 0;
        def->translation[0] = -side * (low[0] + high[0]) / 2;
        def->translation[1] = 1.1 - (low[1] + high[1]) / 2;
        def->translation[2] = side * (0.25 + 0.02 * planes[back]++);
    }
}

tl_pattern *tl_read_set_pattern(const tl_read_set *set, const char *name, tl_error *error)
{
    tl_panel_def *panels = malloc((size_t)set->panel_count * sizeof *panels + 1);
    if (!panels) {
        tl_fail(error, TL_ERROR_MEMORY, "not enough memory");
        return NULL;
    }
    for (int p = 0; p < set->panel_count; ++p)
        panels[p] = set->panels[p].def;
    tl_pattern *pattern = tl_pattern_create(&(tl_pattern_def){.name = name,
                                                              .panel = panels,
                                                              .panel_count = set->panel_count,
                                                              .stitch = set->stitches,
                                                              .stitch_count = set->stitch_count,
                                                              .anchor = set->anchors,
                                                              .anchor_count = set->anchor_count,
                                                              .closure = set->closures,
                                                              .closure_count = set->closure_count,
                                                              .units_in_meter = set->units,
                                                              .kept = set->kept,
                                                              .kept_properties = set->kept_properties},
                                            NULL, error);
    free(panels);
    return pattern;
}
