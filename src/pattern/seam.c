/* Directions of seams. Of two edges that are sewn, either the end of one meets the start of the other (right sides
   together, the usual way), or starts meet. A wrong direction is found by what it does to the whole garment: the ends
   of all seams are joined to points (union-find), once with the seam as given and once turned. It is refused when only
   the given direction makes one point of both ends of a sewn edge, or when the turned one leaves fewer corners of a
   panel joined to each other, or fewer panels whose right sides disagree, and the placed ends agree with that. If only
   the placed ends speak against it, that is a warning. */
#include "pattern/seam.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- corners ----------------------------------------------------------------------------------------------------- */

/* Ends of the sides of stitches: two of each, in the order of the edge. Ends at the same place of the same panel are
   one corner. */
typedef struct corners {
    const tl_pattern *pattern;
    int *of_end; /* per stitch, side and end: its corner */
    int *panel;  /* of each corner */
    int count;
    int *parent;  /* union-find over corners */
    int *members; /* corners of a set by panel: scratch */
    int *side;    /* union-find over panels with the side that faces out */
    bool *turned;
    tl_store store;
} corners;

static bool same_corner(const tl_pattern *pattern, int end, int other)
{
    const tl_stitch_side *a = &pattern->def.stitch[end / 4].side[end / 2 % 2];
    const tl_stitch_side *b = &pattern->def.stitch[other / 4].side[other / 2 % 2];
    if (a->panel != b->panel)
        return false;
    double x = a->range[end % 2], y = b->range[other % 2];
    if (a->edge == b->edge)
        return x == y;
    const tl_pattern_edge_def *edge = pattern->def.panel[a->panel].edge;
    int v = x == 0 ? edge[a->edge].start : x == 1 ? edge[a->edge].end : -1;
    int w = y == 0 ? edge[b->edge].start : y == 1 ? edge[b->edge].end : -1;
    return v >= 0 && v == w;
}

static bool make_corners(const tl_pattern *pattern, corners *c)
{
    size_t ends = 4 * (size_t)pattern->def.stitch_count, panels = (size_t)pattern->def.panel_count;
    *c = (corners){.pattern = pattern, .store = {.allocator = pattern->store.allocator}};
    c->of_end = tl_store_take(&c->store, ends, sizeof(int));
    c->panel = tl_store_take(&c->store, ends, sizeof(int));
    c->parent = tl_store_take(&c->store, ends, sizeof(int));
    c->members = tl_store_take(&c->store, ends, sizeof(int));
    c->side = tl_store_take(&c->store, panels, sizeof(int));
    c->turned = tl_store_take(&c->store, panels, sizeof(bool));
    int *last = tl_store_take(&c->store, panels, sizeof(int)), *before = tl_store_take(&c->store, ends, sizeof(int));
    if (!c->of_end || !c->panel || !c->parent || !c->members || !c->side || !c->turned || !last || !before)
        return false;
    for (size_t p = 0; p < panels; ++p)
        last[p] = -1;
    for (int e = 0; e < (int)ends; ++e) {
        int panel = pattern->def.stitch[e / 4].side[e / 2 % 2].panel;
        c->of_end[e] = -1;
        for (int o = last[panel]; o >= 0 && c->of_end[e] < 0; o = before[o])
            if (same_corner(pattern, e, o))
                c->of_end[e] = c->of_end[o];
        if (c->of_end[e] < 0) {
            c->panel[c->count] = panel;
            c->of_end[e] = c->count++;
        }
        before[e] = last[panel];
        last[panel] = e;
    }
    return true;
}

static int find(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

/* What a choice of directions leads to. */
typedef struct outcome {
    int collapsed; /* sewn edges whose ends are one point through their own seam or others */
    int joined;    /* corners of a panel that fall together, beyond one */
    int twisted;   /* seams that leave a right side beside a wrong one */
} outcome;

static bool is_parallel(const corners *c, int s, int turned)
{
    return tl_stitch_is_parallel(&c->pattern->def.stitch[s]) != (s == turned);
}

static void join_corners(corners *c, int turned)
{
    for (int k = 0; k < c->count; ++k)
        c->parent[k] = k;
    for (int s = 0; s < c->pattern->def.stitch_count; ++s) {
        bool parallel = is_parallel(c, s, turned);
        for (int end = 0; end < 2; ++end) {
            int a = find(c->parent, c->of_end[4 * s + end]);
            int b = find(c->parent, c->of_end[4 * s + 2 + (parallel ? end : 1 - end)]);
            if (a != b)
                c->parent[a > b ? a : b] = a > b ? b : a;
        }
    }
}

static int find_side(const corners *c, int panel, bool *turned)
{
    *turned = false;
    while (c->side[panel] != panel) {
        *turned ^= c->turned[panel];
        panel = c->side[panel];
    }
    return panel;
}

/* Joins panels whose right sides must agree; returns the number of seams that contradict. */
static int join_sides(corners *c, int turned)
{
    int wrong = 0;
    for (int p = 0; p < c->pattern->def.panel_count; ++p) {
        c->side[p] = p;
        c->turned[p] = false;
    }
    for (int s = 0; s < c->pattern->def.stitch_count; ++s) {
        const tl_stitch_def *stitch = &c->pattern->def.stitch[s];
        bool ta, tb, differ = is_parallel(c, s, turned);
        int a = find_side(c, stitch->side[0].panel, &ta), b = find_side(c, stitch->side[1].panel, &tb);
        if (a == b) {
            wrong += (ta != tb) != differ;
            continue;
        }
        int high = a > b ? a : b, low = a > b ? b : a;
        c->side[high] = low;
        c->turned[high] = (ta != tb) != differ;
    }
    return wrong;
}

static outcome try_directions(corners *c, int turned)
{
    outcome o = {0, 0, join_sides(c, turned)};
    join_corners(c, turned);
    for (int k = 0; k < 2 * c->pattern->def.stitch_count; ++k)
        o.collapsed += find(c->parent, c->of_end[2 * k]) == find(c->parent, c->of_end[2 * k + 1]);
    /* corners of each set by panel: a corner that is not the first of its panel in its set */
    for (int k = 0; k < c->count; ++k)
        c->members[k] = -1;
    for (int k = 0; k < c->count; ++k) {
        int root = find(c->parent, k);
        for (int m = root; m >= 0; m = c->members[m])
            if (m != k && c->panel[m] == c->panel[k]) {
                ++o.joined;
                break;
            }
        if (k != root) {
            c->members[k] = c->members[root];
            c->members[root] = k;
        }
    }
    return o;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Whether the ends that meet are further apart, as placed, than they would be in the other direction. The difference of
   the sums of squared distances is twice the product of the two edges' chords: their angle tells, however far apart the
   panels are. Chords that are nearly at right angles tell nothing. */
static bool ends_are_far(const tl_pattern *pattern, int s, bool parallel)
{
    double chord[2][3], dot = 0, square[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
        const tl_stitch_side *at = &pattern->def.stitch[s].side[side];
        double point[2], x[2][3];
        for (int end = 0; end < 2; ++end) {
            tl_pattern_edge_point(pattern, at->panel, at->edge, at->range[end], point);
            tl_pattern_place(pattern, at->panel, point, x[end]);
        }
        for (int k = 0; k < 3; ++k) {
            chord[side][k] = x[1][k] - x[0][k];
            square[side] += chord[side][k] * chord[side][k];
        }
    }
    for (int k = 0; k < 3; ++k)
        dot += chord[0][k] * chord[1][k];
    return (parallel ? -dot : dot) > 0.1 * sqrt(square[0] * square[1]);
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static tl_seam_fault judge(corners *c, int s, outcome now, bool *far)
{
    *far = ends_are_far(c->pattern, s, is_parallel(c, s, -1));
    const tl_stitch_side *side = c->pattern->def.stitch[s].side;
    outcome turned = try_directions(c, s);
    bool shares_corner = side[0].panel == side[1].panel && turned.collapsed != now.collapsed;
    if (now.collapsed > turned.collapsed && (*far || shares_corner))
        return TL_SEAM_COLLAPSES;
    if (*far && now.joined > turned.joined && now.twisted >= turned.twisted)
        return TL_SEAM_JOINS_CORNERS;
    if (*far && now.twisted > turned.twisted)
        return TL_SEAM_TWISTED;
    return *far ? TL_SEAM_FAR : TL_SEAM_GOOD;
}

static void describe(const tl_pattern *pattern, int s, tl_seam_check *check)
{
    static const char *const reason[] = {"", "its direction makes both ends of a sewn edge one point",
                                         "its direction joins corners of one panel",
                                         "its direction twists the garment: right sides cannot all be outside",
                                         "as placed, the ends that meet are further apart than in the other direction"};
    const tl_stitch_side *side = pattern->def.stitch[s].side;
    snprintf(check->message, sizeof check->message,
             "stitch %d (panel '%.60s' edge %d, panel '%.60s' edge %d): %s; %s \"reverse\"", s,
             pattern->def.panel[side[0].panel].name, side[0].edge, pattern->def.panel[side[1].panel].name, side[1].edge,
             reason[check->fault], pattern->def.stitch[s].reverse ? "remove" : "try");
}

int tl_pattern_check_seams(const tl_pattern *pattern, tl_seam_check *checks)
{
    corners c;
    int faults = -1;
    if (make_corners(pattern, &c)) {
        faults = 0;
        outcome now = try_directions(&c, -1);
        for (int s = 0; s < pattern->def.stitch_count; ++s) {
            double length[2];
            bool far;
            checks[s] = (tl_seam_check){.mismatch = tl_pattern_stitch_lengths(pattern, s, length)};
            checks[s].fault = judge(&c, s, now, &far);
            if (checks[s].fault)
                describe(pattern, s, &checks[s]);
            faults += checks[s].fault != TL_SEAM_GOOD && checks[s].fault != TL_SEAM_FAR;
        }
    }
    tl_store_release(&c.store);
    return faults;
}

tl_result tl_seams_refuse(const tl_pattern *pattern, tl_error *error)
{
    int stitches = pattern->def.stitch_count;
    tl_store store = {.allocator = pattern->store.allocator};
    tl_seam_check *check = tl_store_take(&store, (size_t)stitches, sizeof *check);
    int faults = check ? tl_pattern_check_seams(pattern, check) : -1;
    tl_result result = faults < 0 ? tl_fail(error, TL_ERROR_MEMORY, "pattern: out of memory") : TL_OK;
    for (int s = 0; s < stitches && faults > 0 && !result; ++s)
        if (check[s].fault != TL_SEAM_GOOD && check[s].fault != TL_SEAM_FAR)
            result = tl_fail(error, TL_ERROR_INPUT, "%s", check[s].message);
    tl_store_release(&store);
    return result;
}

bool tl_seams_flip_panels(const tl_pattern *pattern, bool *flipped)
{
    corners c;
    bool made = make_corners(pattern, &c);
    if (made) {
        join_sides(&c, -1);
        for (int p = 0; p < pattern->def.panel_count; ++p)
            find_side(&c, p, &flipped[p]);
    }
    tl_store_release(&c.store);
    return made;
}
