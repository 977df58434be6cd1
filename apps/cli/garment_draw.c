/* A pattern as SVG. Panels lie on shelves, highest first. The two sides of a seam have one colour and number, and
   arrows that point the same way when they are sewn; unsewn edges are grey. */
#include "cli/garment.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 24 /* of a curve */ };

#define MARGIN 4.0  /* cm */
#define WIDTH 190.0 /* cm of a shelf, at least that of the widest panel */

/* cm, y down */
typedef struct box {
    double low[2], high[2], at[2];
} box;

typedef struct drawing {
    const tl_pattern *pattern;
    const tl_pattern_def *def;
    const tl_seam_check *checks;
    box *boxes;
    FILE *file;
} drawing;

static void outline_box(const tl_pattern *pattern, int p, box *b)
{
    const tl_panel_def *panel = &tl_pattern_get_def(pattern)->panel[p];
    *b = (box){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {0, 0}};
    for (int e = 0; e < panel->edge_count; ++e)
        for (int k = 0; k < STEPS; ++k) {
            double x[2];
            tl_pattern_edge_point(pattern, p, e, (double)k / STEPS, x);
            for (int c = 0; c < 2; ++c) {
                b->low[c] = fmin(b->low[c], 100 * x[c]);
                b->high[c] = fmax(b->high[c], 100 * x[c]);
            }
        }
}

/* Left to right on shelves, in the order of the pattern; returns the height. */
static double arrange(drawing *d, double *width)
{
    double x = MARGIN, y = MARGIN, shelf = 0;
    *width = 2 * MARGIN;
    for (int p = 0; p < d->def->panel_count; ++p) {
        box *b = &d->boxes[p];
        outline_box(d->pattern, p, b);
        double w = b->high[0] - b->low[0], h = b->high[1] - b->low[1];
        if (x > MARGIN && x + w > WIDTH) {
            x = MARGIN;
            y += shelf + MARGIN + 3;
            shelf = 0;
        }
        b->at[0] = x;
        b->at[1] = y;
        x += w + MARGIN;
        shelf = fmax(shelf, h);
        *width = fmax(*width, x);
    }
    return y + shelf + MARGIN;
}

static void to_sheet(const drawing *d, int p, const double metres[2], double out[2])
{
    const box *b = &d->boxes[p];
    out[0] = b->at[0] + 100 * metres[0] - b->low[0];
    out[1] = b->at[1] + b->high[1] - 100 * metres[1];
}

static void on_edge(const drawing *d, int p, int e, double fraction, double out[2])
{
    double x[2];
    tl_pattern_edge_point(d->pattern, p, e, fraction, x);
    to_sheet(d, p, x, out);
}

static void escape(FILE *file, const char *text)
{
    for (; *text; ++text) {
        const char *name = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : NULL;
        if (name)
            fputs(name, file);
        else
            fputc(*text, file);
    }
}

/* Hues that differ for neighbours in the list: steps of the golden angle. */
static double hue_of(int stitch) { return fmod(stitch * 137.50776, 360); }

static void draw_curve(const drawing *d, int p, int e, double from, double to, const char *style)
{
    fprintf(d->file, "<path d=\"");
    for (int k = 0; k <= STEPS; ++k) {
        double x[2];
        on_edge(d, p, e, from + (to - from) * k / STEPS, x);
        fprintf(d->file, "%s%.2f %.2f", k ? " L" : "M", x[0], x[1]);
    }
    fprintf(d->file, "\" %s/>\n", style);
}

/* An arrow beside the middle of a piece of edge, towards its end or start, and a text on the inside. */
static void draw_label(const drawing *d, int p, int e, double from, double to, bool forward, const char *style,
                       const char *text)
{
    double a[2], b[2], m[2], middle = (from + to) / 2, step = 0.02 * (to - from);
    on_edge(d, p, e, middle - step, a);
    on_edge(d, p, e, middle + step, b);
    on_edge(d, p, e, middle, m);
    double t[2] = {b[0] - a[0], b[1] - a[1]}, size = sqrt(t[0] * t[0] + t[1] * t[1]);
    if (!(size > 0))
        return;
    for (int k = 0; k < 2; ++k)
        t[k] *= (forward ? 1 : -1) / size;
    double n[2] = {t[1], -t[0]}; /* across, and towards the middle of the panel */
    double x[2];
    double middle_x = d->boxes[p].at[0] + (d->boxes[p].high[0] - d->boxes[p].low[0]) / 2;
    double middle_y = d->boxes[p].at[1] + (d->boxes[p].high[1] - d->boxes[p].low[1]) / 2;
    if (n[0] * (middle_x - m[0]) + n[1] * (middle_y - m[1]) < 0) {
        n[0] = -n[0];
        n[1] = -n[1];
    }
    fprintf(d->file, "<path d=\"M%.2f %.2f L%.2f %.2f L%.2f %.2f Z\" %s/>\n", m[0] + 1.1 * t[0], m[1] + 1.1 * t[1],
            m[0] - 0.6 * t[0] + 0.55 * n[0], m[1] - 0.6 * t[1] + 0.55 * n[1], m[0] - 0.6 * t[0] - 0.55 * n[0],
            m[1] - 0.6 * t[1] - 0.55 * n[1], style);
    for (int k = 0; k < 2; ++k)
        x[k] = m[k] + 2.4 * n[k];
    fprintf(d->file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"1.3\" text-anchor=\"middle\">%s</text>\n", x[0],
            x[1] + 0.45, text);
}

static void draw_side(const drawing *d, int s, int k)
{
    char style[160], text[64];
    const tl_stitch_def *stitch = &d->def->stitch[s];
    const tl_stitch_side *side = &stitch->side[k];
    double length[2];
    tl_pattern_stitch_lengths(d->pattern, s, length);
    bool dashed = stitch->kind != TL_STITCH_PLAIN;
    snprintf(style, sizeof style, "fill=\"none\" stroke=\"hsl(%.0f,75%%,42%%)\" stroke-width=\"0.5\"%s", hue_of(s),
             dashed ? " stroke-dasharray=\"1.2 0.6\"" : "");
    draw_curve(d, side->panel, side->edge, side->range[0], side->range[1], style);
    snprintf(style, sizeof style, "fill=\"hsl(%.0f,75%%,42%%)\" stroke=\"none\"", hue_of(s));
    snprintf(text, sizeof text, "%d: %.1f", s, 100 * length[k]);
    bool forward = k == 0 || tl_stitch_is_parallel(stitch);
    draw_label(d, side->panel, side->edge, side->range[0], side->range[1], forward, style, text);
}

static void draw_panel(const drawing *d, int p)
{
    const tl_panel_def *panel = &d->def->panel[p];
    const box *b = &d->boxes[p];
    int start = 0;
    fprintf(d->file, "<path fill=\"#f4efe6\" stroke=\"none\" fill-rule=\"evenodd\" d=\"");
    for (int e = 0; e < panel->edge_count; ++e) {
        for (int k = 0; k < STEPS; ++k) {
            double x[2];
            on_edge(d, p, e, (double)k / STEPS, x);
            fprintf(d->file, "%s%.2f %.2f", e == start && k == 0 ? "M" : " L", x[0], x[1]);
        }
        if (panel->edge[e].end == panel->edge[start].start) {
            fprintf(d->file, " Z ");
            start = e + 1;
        }
    }
    fprintf(d->file, "\"/>\n");
    for (int e = 0; e < panel->edge_count; ++e)
        draw_curve(d, p, e, 0, 1, "fill=\"none\" stroke=\"#888\" stroke-width=\"0.25\"");
    for (int l = 0; l < panel->line_count; ++l) {
        fprintf(d->file, "<path fill=\"none\" stroke=\"#555\" stroke-width=\"0.2\" stroke-dasharray=\"0.8 0.5\" d=\"");
        for (int k = 0; k < panel->line[l].point_count; ++k) {
            double x[2];
            to_sheet(d, p, panel->line[l].point[k], x);
            fprintf(d->file, "%s%.2f %.2f", k ? " L" : "M", x[0], x[1]);
        }
        fprintf(d->file, "\"/>\n");
    }
    /* name and grain line in the middle */
    double m[2] = {b->at[0] + (b->high[0] - b->low[0]) / 2, b->at[1] + (b->high[1] - b->low[1]) / 2};
    double angle = panel->grain * 3.14159265358979323846 / 180, g[2] = {3 * cos(angle), -3 * sin(angle)};
    fprintf(d->file,
            "<path d=\"M%.2f %.2f L%.2f %.2f\" stroke=\"#333\" stroke-width=\"0.15\" marker-end=\"url(#tip)\"/>\n",
            m[0] - g[0], m[1] + 3 - g[1], m[0] + g[0], m[1] + 3 + g[1]);
    fprintf(d->file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"2\" text-anchor=\"middle\" font-weight=\"bold\">", m[0],
            m[1] - 1.5);
    escape(d->file, panel->name);
    fprintf(d->file, "</text>\n");
}

/* What is worth saying of seams, below the panels; returns the number of lines. */
static int draw_notes(const drawing *d, double y)
{
    int lines = 0;
    for (int s = 0; s < d->def->stitch_count; ++s) {
        const tl_seam_check *check = &d->checks[s];
        if (check->mismatch < 0.02 && !check->fault)
            continue;
        if (d->file) {
            fprintf(d->file, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"1.5\" fill=\"%s\">seam %d: mismatch %.1f %%  ",
                    MARGIN, y + 2.2 * lines, check->fault ? "#b00" : "#333", s, 100 * check->mismatch);
            escape(d->file, check->message);
            fprintf(d->file, "</text>\n");
        }
        ++lines;
    }
    return lines;
}

int garment_draw(const tl_pattern *pattern, const tl_seam_check *checks, const char *file_name)
{
    drawing d = {.pattern = pattern, .def = tl_pattern_get_def(pattern), .checks = checks};
    d.boxes = malloc((size_t)d.def->panel_count * sizeof *d.boxes);
    if (!d.boxes)
        return cli_fail(EXIT_FAILED, "no memory to draw %d panels", d.def->panel_count);
    double width, height = arrange(&d, &width), notes = height + 2;
    height += 2.2 * draw_notes(&d, 0) + 2;
    d.file = fopen(file_name, "w");
    if (!d.file) {
        free(d.boxes);
        return cli_fail(EXIT_FAILED, "%s: %s", file_name, strerror(errno));
    }
    fprintf(d.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.1fcm\" height=\"%.1fcm\" viewBox=\"0 0 %.1f %.1f\" "
            "font-family=\"sans-serif\">\n<defs><marker id=\"tip\" viewBox=\"0 0 4 4\" refX=\"3\" refY=\"2\" "
            "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0 L4 2 L0 4 Z\"/></marker></defs>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
    for (int p = 0; p < d.def->panel_count; ++p)
        draw_panel(&d, p);
    for (int s = 0; s < d.def->stitch_count; ++s)
        for (int k = 0; k < 2; ++k)
            draw_side(&d, s, k);
    draw_notes(&d, notes);
    fprintf(d.file, "</svg>\n");
    free(d.boxes);
    return cli_close(d.file, file_name) ? EXIT_DONE : EXIT_FAILED;
}
