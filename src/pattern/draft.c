/* Drafts: the list of garments, the figure's levels, and the tools that all of them use. */
#include "pattern/draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    void (*draft)(tl_draft *, const tl_body_frame *);
} garments[] = {
    {"tank-top", tl_draft_tank_top}, {"t-shirt", tl_draft_t_shirt}, {"trousers", tl_draft_trousers},
    {"skirt", tl_draft_skirt},       {"dress", tl_draft_dress},     {"poncho", tl_draft_poncho},
    {"cape", tl_draft_cape},         {"jacket", tl_draft_jacket},
};
enum { GARMENTS = sizeof garments / sizeof *garments };

const char *const *tl_pattern_drafts(void)
{
    static const char *const names[GARMENTS + 1] = {"tank-top", "t-shirt", "trousers", "skirt", "dress",
                                                    "poncho",   "cape",    "jacket",   NULL};
    return names;
}

/* ---- the figure -------------------------------------------------------------------------------------------------- */

tl_body_frame tl_body_frame_of(const tl_measures *measures)
{
    tl_body_frame b = {.m = *measures};
    double c, s;
    tl_turn_of((double)b.m.shoulder_incl, &c, &s);
    b.slope = s / c;
    tl_turn_of((double)b.m.arm_pose_angle, &b.cosine, &b.sine);
    b.neck_x = (double)b.m.neck_w / 2;
    b.tip_x = (double)b.m.shoulder_w / 2;
    b.neck_y = (double)b.m.height - (double)b.m.head_l;
    b.tip_y = tl_shoulder_height(&b, b.tip_x);
    b.bust_y = b.neck_y - (double)b.m.vert_bust_line;
    b.waist_y = b.neck_y - (double)b.m.waist_line;
    b.hips_y = b.waist_y - (double)b.m.hips_line;
    b.crotch_y = b.hips_y - (double)b.m.crotch_hip_diff;
    b.armpit_y = b.tip_y - (double)b.m.armscye_depth;
    double girth = fmax((double)b.m.bust, fmax((double)b.m.hips, (double)b.m.waist));
    b.arm_z = 0.1 * girth + 0.04;
    b.torso_z = 0.15 * girth + 0.055;
    b.upper_arm = 0.5 * (double)b.m.leg_circ;
    return b;
}

double tl_shoulder_height(const tl_body_frame *b, double x) { return b->neck_y - (x - b->neck_x) * b->slope; }

/* ---- panels ------------------------------------------------------------------------------------------------------ */

tl_draft_panel *tl_draft_add(tl_draft *d, const char *name, const char *label, double z)
{
    tl_draft_panel *panel = &d->panel[d->panel_count++];
    *panel = (tl_draft_panel){.name = name, .label = label, .translation = {0, 0, z}};
    return panel;
}

tl_draft_point *tl_draft_to(tl_draft_panel *panel, double x, double y, const char *label)
{
    tl_draft_point *point = &panel->point[panel->count++];
    *point = (tl_draft_point){.x = x, .y = y, .label = label};
    return point;
}

void tl_draft_curve(tl_draft_point *from, double x, double y)
{
    from->controls = 1;
    from->control[0][0] = x;
    from->control[0][1] = y;
}

void tl_draft_cubic(tl_draft_point *from, double x, double y, double x2, double y2)
{
    tl_draft_curve(from, x, y);
    from->controls = 2;
    from->control[1][0] = x2;
    from->control[1][1] = y2;
}

static void mirror_points(tl_draft_panel *panel)
{
    for (int k = 0; k < panel->count; ++k) {
        tl_draft_point *point = &panel->point[k];
        point->x = -point->x;
        for (int c = 0; c < 2; ++c)
            point->control[c][0] = -point->control[c][0];
    }
}

void tl_draft_close(tl_draft_panel *panel, double z)
{
    if (z < 0)
        mirror_points(panel);
}

void tl_draft_reverse(tl_draft_panel *panel)
{
    const tl_draft_panel forward = *panel;
    for (int k = 0; k < panel->count; ++k) {
        const tl_draft_point *start = &forward.point[(panel->count - k) % panel->count];
        const tl_draft_point *edge = &forward.point[panel->count - 1 - k];
        tl_draft_point *to = &panel->point[k];
        *to = *edge;
        to->x = start->x;
        to->y = start->y;
        for (int c = 0; c < edge->controls; ++c)
            memcpy(to->control[c], edge->control[edge->controls - 1 - c], sizeof to->control[c]);
    }
}

tl_draft_panel *tl_draft_mirror(tl_draft *d, const tl_draft_panel *from, const char *name)
{
    tl_draft_panel *panel = &d->panel[d->panel_count++];
    *panel = *from;
    panel->name = name;
    panel->turn = -from->turn;
    panel->translation[0] = -from->translation[0];
    panel->origin[0] = -from->origin[0];
    mirror_points(panel);
    tl_draft_reverse(panel);
    return panel;
}

/* ---- seams ------------------------------------------------------------------------------------------------------- */

void tl_draft_sew(tl_draft *d, const tl_draft_panel *a, int edge_a, const tl_draft_panel *b, int edge_b)
{
    d->stitch[d->stitch_count++] =
        (tl_stitch_def){.side = {{(int)(a - d->panel), edge_a, {0, 0}}, {(int)(b - d->panel), edge_b, {0, 0}}}};
}

void tl_draft_anchor(tl_draft *d, const char *label, const char *part)
{
    d->anchor[d->anchor_count++] = (tl_pattern_anchor_def){label, part};
}

void tl_draft_button(tl_draft *d, const tl_draft_panel *a, const tl_draft_panel *b, const double pa[2],
                     const double pb[2])
{
    d->closure[d->closure_count++] = (tl_pattern_closure_def){
        .panel = {(int)(a - d->panel), (int)(b - d->panel)},
        .point = {{pa[0] - a->origin[0], pa[1] - a->origin[1]}, {pb[0] - b->origin[0], pb[1] - b->origin[1]}}};
}

/* ---- from drafts to patterns ------------------------------------------------------------------------------------- */

typedef struct sheet {
    double vertex[TL_DRAFT_POINTS][2];
    tl_pattern_edge_def edge[TL_DRAFT_POINTS];
} sheet;

/* To a hundredth of a millimetre, in centimetres as files are: nobody cuts finer, and files stay readable. */
static double rounded(double x) { return floor(x * 1e5 + 0.5) / 1e3 / 100; }
static double five_digits(double x) { return floor(x * 1e5 + 0.5) / 1e5; } /* what is no length */

static void fill_sheet(const tl_draft_panel *panel, sheet *s)
{
    for (int k = 0; k < panel->count; ++k) {
        s->vertex[k][0] = rounded(panel->point[k].x - panel->origin[0]);
        s->vertex[k][1] = rounded(panel->point[k].y - panel->origin[1]);
    }
    for (int k = 0; k < panel->count; ++k) {
        const tl_draft_point *from = &panel->point[k];
        int next = (k + 1) % panel->count;
        tl_pattern_edge_def *edge = &s->edge[k];
        *edge = (tl_pattern_edge_def){.start = k, .end = next, .label = from->label};
        edge->curve = from->controls == 2 ? TL_CURVE_CUBIC : from->controls == 1 ? TL_CURVE_QUADRATIC : TL_CURVE_LINE;
        double e[2] = {s->vertex[next][0] - s->vertex[k][0], s->vertex[next][1] - s->vertex[k][1]};
        double square = e[0] * e[0] + e[1] * e[1];
        for (int c = 0; c < from->controls; ++c) {
            double p[2] = {from->control[c][0] - panel->origin[0] - s->vertex[k][0],
                           from->control[c][1] - panel->origin[1] - s->vertex[k][1]};
            edge->control[c][0] = five_digits((p[0] * e[0] + p[1] * e[1]) / square);
            edge->control[c][1] = five_digits((p[1] * e[0] - p[0] * e[1]) / square);
        }
    }
}

double tl_draft_edge_length(const tl_draft_panel *panel, int edge)
{
    sheet s;
    tl_edge_curve curve;
    fill_sheet(panel, &s);
    tl_edge_curve_make(&(tl_panel_def){.vertex = (const double(*)[2])s.vertex, .edge = s.edge}, edge, &curve);
    return curve.length;
}

tl_pattern *tl_draft_pattern(const tl_draft *d, const char *name, tl_error *error)
{
    sheet *sheets = malloc(TL_DRAFT_PANELS * sizeof *sheets);
    tl_panel_def panel[TL_DRAFT_PANELS];
    if (!sheets) {
        tl_fail(error, TL_ERROR_MEMORY, "draft: out of memory");
        return NULL;
    }
    for (int p = 0; p < d->panel_count; ++p) {
        const tl_draft_panel *from = &d->panel[p];
        fill_sheet(from, &sheets[p]);
        panel[p] = (tl_panel_def){.name = from->name,
                                  .vertex = (const double(*)[2])sheets[p].vertex,
                                  .vertex_count = from->count,
                                  .edge = sheets[p].edge,
                                  .edge_count = from->count,
                                  .rotation = {0, 0, five_digits(from->turn)},
                                  .label = from->label,
                                  .grain = from->along_x ? 0 : 90,
                                  .layer = from->layer};
        for (int k = 0; k < 3; ++k)
            panel[p].translation[k] = rounded(from->translation[k] + (k < 2 ? from->origin[k] : 0));
    }
    tl_pattern *pattern = tl_pattern_create(&(tl_pattern_def){.name = name,
                                                              .panel = panel,
                                                              .panel_count = d->panel_count,
                                                              .stitch = d->stitch,
                                                              .stitch_count = d->stitch_count,
                                                              .anchor = d->anchor,
                                                              .anchor_count = d->anchor_count,
                                                              .closure = d->closure,
                                                              .closure_count = d->closure_count},
                                            NULL, error);
    free(sheets);
    return pattern;
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

/* Measures that no body has make outlines that no one can sew; say so by their names. */
static tl_result check_frame(const tl_body_frame *b, tl_error *error)
{
    const struct {
        const char *what;
        bool good;
    } tests[] = {
        {"the shoulders are no wider than the neck", b->tip_x > b->neck_x + 0.01},
        {"the armpits are not below the shoulders", (double)b->m.armscye_depth > 0.02},
        {"the waist is not below the armpits", b->waist_y < b->armpit_y - 0.02},
        {"the hips are not below the waist", b->hips_y < b->waist_y - 0.02},
        {"the crotch is not below the hips", b->crotch_y < b->hips_y - 0.01},
        {"the legs are shorter than 10 cm", b->crotch_y > 0.1},
        {"the bust's quarter is narrower than the shoulders' half", (double)b->m.bust / 4 > 0.8 * b->tip_x},
        {"the waist is less than half the hips", (double)b->m.waist > 0.5 * (double)b->m.hips},
        {"the thigh is more than 0.9 of the hips", (double)b->m.leg_circ < 0.9 * (double)b->m.hips},
        {"the arm's slope is not below 80 degrees", b->cosine > 0.17},
    };
    for (size_t k = 0; k < sizeof tests / sizeof *tests; ++k)
        if (!tests[k].good)
            return tl_fail(error, TL_ERROR_INPUT, "measures: %s", tests[k].what);
    return TL_OK;
}

tl_pattern *tl_pattern_draft(const char *name, const tl_measures *measures, tl_error *error)
{
    tl_measures complete = measures ? *measures : (tl_measures){0};
    tl_measures_complete(&complete);
    for (int g = 0; g < GARMENTS; ++g) {
        if (strcmp(garments[g].name, name) != 0)
            continue;
        tl_body_frame b = tl_body_frame_of(&complete);
        tl_draft d = {.panel_count = 0};
        if (check_frame(&b, error) != TL_OK)
            return NULL;
        garments[g].draft(&d, &b);
        return tl_draft_pattern(&d, name, error);
    }
    const char *nearest = tl_nearest_name(name, tl_pattern_drafts());
    tl_fail(error, TL_ERROR_INPUT, "there is no draft '%.60s'%s%s%s", name, nearest ? "; did you mean '" : "",
            nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}
