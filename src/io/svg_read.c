/* Reading panels from SVG: the shapes of the document in the order of its text, under the transforms of their groups.
   Only tags and attributes are looked at; anything else in the XML is skipped. The y axis of SVG points down, that of
   panels up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "core/trig.h"
#include "io/file.h"
#include "io/outline_fit.h"
#include "telar/io.h"

#define PIXEL (0.0254 / 96) /* m, of CSS */

enum { DEEPEST = 64, MOST_ATTRIBUTES = 48, MOST_SEAMS = 1024 };

typedef struct matrix {
    double a, b, c, d, e, f; /* x' = a x + c y + e, y' = b x + d y + f */
} matrix;

typedef struct attribute {
    const char *name, *value;
    size_t name_length, value_length;
} attribute;

/* An edge that was given a word. */
typedef struct seam_end {
    char word[32];
    int panel, edge;
    bool used;
} seam_end;

typedef struct svg {
    const char *start, *at, *end, *file_name;
    attribute attributes[MOST_ATTRIBUTES];
    int attribute_count;
    matrix stack[DEEPEST];
    int depth, hidden; /* hidden: depth from which everything is inside <defs> and the like, 0: none */
    tl_read_set set;
    seam_end *ends;
    int end_count, shape_count;
    tl_error error;
} svg;

static tl_result wrong(svg *s, const char *reason, const char *what)
{
    int line = 1;
    char shown[64], word[48];
    for (const char *at = s->start; at < s->at && at < s->end; ++at)
        line += *at == '\n';
    snprintf(word, sizeof word, "%.47s", what);
    tl_text_printable(word, shown, sizeof shown);
    return tl_fail(&s->error, TL_ERROR_INPUT, "%s:%d: %s%s%s", s->file_name, line, reason, *shown ? " " : "", shown);
}

static tl_result no_memory(svg *s)
{
    return tl_fail(&s->error, TL_ERROR_MEMORY, "%s: not enough memory to read it", s->file_name);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* A copy of the value in the set's memory; NULL when there is none or memory is short. */
static char *value_of(svg *s, const char *name)
{
    for (int k = 0; k < s->attribute_count; ++k) {
        const attribute *a = &s->attributes[k];
        if (strlen(name) != a->name_length || memcmp(a->name, name, a->name_length) != 0)
            continue;
        char *copy = tl_store_take(&s->set.store, a->value_length + 1, 1);
        return copy ? memcpy(copy, a->value, a->value_length) : NULL;
    }
    return NULL;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static const char *skip_separators(const char *at)
{
    while (is_space(*at) || *at == ',')
        ++at;
    return at;
}

static bool next_number(const char **at, double *out)
{
    const char *end;
    *at = skip_separators(*at);
    if (!tl_text_read_number(*at, &end, out) || !(fabs(*out) < 1e9))
        return false;
    *at = end;
    return true;
}

static double number_of(svg *s, const char *name, double otherwise)
{
    const char *text = value_of(s, name);
    double number;
    return text && next_number(&text, &number) ? number : otherwise;
}

/* Metres of a length with a unit; 0 when it has none that means a length, or is none. */
static double metres_of(const char *text)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"in", 0.0254}, {"pt", 0.0254 / 72}, {"pc", 0.0254 / 6}, {"px", PIXEL}};
    double number;
    if (!text || !next_number(&text, &number))
        return 0;
    for (size_t k = 0; k < sizeof units / sizeof *units; ++k)
        if (strcmp(text, units[k].name) == 0)
            return number * units[k].metres;
    return *text ? 0 : number * PIXEL;
}

/* ---- transforms -------------------------------------------------------------------------------------------------- */

static matrix multiply(matrix m, matrix n)
{
    return (matrix){m.a * n.a + m.c * n.b, m.b * n.a + m.d * n.b,       m.a * n.c + m.c * n.d,
                    m.b * n.c + m.d * n.d, m.a * n.e + m.c * n.f + m.e, m.b * n.e + m.d * n.f + m.f};
}

static bool read_transform(svg *s, const char *text, matrix *m)
{
    static const matrix none = {1, 0, 0, 1, 0, 0};
    for (text = text ? text : ""; *(text = skip_separators(text));) {
        size_t length = strcspn(text, "( ");
        const char *name = text, *open = strchr(text, '(');
        double n[6] = {0};
        int count = 0;
        if (!open)
            return false;
        text = open + 1;
        while (count < 6 && next_number(&text, &n[count]))
            ++count;
        text = skip_separators(text);
        if (*text != ')' || count == 0)
            return false;
        ++text;
        matrix t = none;
        if (length == 9 && memcmp(name, "translate", 9) == 0)
            t = (matrix){1, 0, 0, 1, n[0], n[1]};
        else if (length == 5 && memcmp(name, "scale", 5) == 0)
            t = (matrix){n[0], 0, 0, count > 1 ? n[1] : n[0], 0, 0};
        else if (length == 6 && memcmp(name, "rotate", 6) == 0) {
            double c, si;
            tl_turn_of(n[0], &c, &si);
            t = multiply((matrix){1, 0, 0, 1, n[1], n[2]},
                         multiply((matrix){c, si, -si, c, 0, 0}, (matrix){1, 0, 0, 1, -n[1], -n[2]}));
        } else if (length == 6 && memcmp(name, "matrix", 6) == 0 && count == 6)
            t = (matrix){n[0], n[1], n[2], n[3], n[4], n[5]};
        else
            return false;
        *m = multiply(*m, t);
    }
    (void)s;
    return true;
}

static void apply(const matrix *m, double x, double y, double out[2])
{
    out[0] = m->a * x + m->c * y + m->e;
    out[1] = m->b * x + m->d * y + m->f;
}

/* ---- outlines ---------------------------------------------------------------------------------------------------- */

/* A shape in the making. */
typedef struct pen {
    svg *s;
    const matrix *m;
    tl_outline_draft outline;
    double at[2], start[2], last_control[2]; /* in the shape's coordinates */
    bool failed;
} pen;

static void segment(pen *p, int controls, const double c[2][2], const double to[2])
{
    tl_outline_edge edge = {.controls = controls};
    double dx = to[0] - p->at[0], dy = to[1] - p->at[1];
    if (controls == 0 && dx * dx + dy * dy < 1e-12)
        return;
    apply(p->m, p->at[0], p->at[1], edge.from);
    for (int k = 0; k < controls; ++k)
        apply(p->m, c[k][0], c[k][1], edge.control[k]);
    p->failed = p->failed || !tl_outline_add(&p->s->set.store, &p->outline, &edge);
    p->at[0] = to[0];
    p->at[1] = to[1];
}

static void line_to(pen *p, double x, double y) { segment(p, 0, NULL, (const double[2]){x, y}); }

/* An arc of an ellipse, by its ends, as cubic curves of at most a quarter turn (W3C SVG 1.1, appendix F.6). */
static bool arc_to(pen *p, double rx, double ry, double degrees, bool large, bool sweep, double x, double y)
{
    double c, s, dx = (p->at[0] - x) / 2, dy = (p->at[1] - y) / 2;
    rx = fabs(rx);
    ry = fabs(ry);
    if (!(rx > 0) || !(ry > 0) || (dx == 0 && dy == 0)) {
        line_to(p, x, y);
        return true;
    }
    tl_turn_of(degrees, &c, &s);
    double u = c * dx + s * dy, v = c * dy - s * dx;
    double grow = u * u / (rx * rx) + v * v / (ry * ry);
    if (grow > 1) {
        rx *= sqrt(grow);
        ry *= sqrt(grow);
    }
    double below = rx * rx * v * v + ry * ry * u * u, above = rx * rx * ry * ry - below;
    double factor = (large == sweep ? -1 : 1) * sqrt(above > 0 ? above / below : 0);
    double cu = factor * rx * v / ry, cv = -factor * ry * u / rx;
    double cx = c * cu - s * cv + (p->at[0] + x) / 2, cy = s * cu + c * cv + (p->at[1] + y) / 2;
    double from = tl_atan2((v - cv) / ry, (u - cu) / rx), turn = tl_atan2((-v - cv) / ry, (-u - cu) / rx) - from;
    const double full = 6.28318530717958647692;
    if (sweep && turn < 0)
        turn += full;
    if (!sweep && turn > 0)
        turn -= full;
    int pieces = (int)ceil(fabs(turn) / (full / 4) - 1e-9);
    pieces = pieces < 1 ? 1 : pieces;
    double step = turn / pieces, k = 4.0 / 3 * tl_sin(step / 4) / tl_cos(step / 4);
    for (int i = 0; i < pieces; ++i) {
        double a = from + i * step, b = a + step,
               points[3][2] = {{tl_cos(a) - k * tl_sin(a), tl_sin(a) + k * tl_cos(a)},
                               {tl_cos(b) + k * tl_sin(b), tl_sin(b) - k * tl_cos(b)},
                               {tl_cos(b), tl_sin(b)}};
        for (int q = 0; q < 3; ++q) {
            double px = rx * points[q][0], py = ry * points[q][1];
            points[q][0] = cx + c * px - s * py;
            points[q][1] = cy + s * px + c * py;
        }
        if (i + 1 == pieces) {
            points[2][0] = x;
            points[2][1] = y;
        }
        segment(p, 2, (const double(*)[2])points, points[2]);
    }
    return true;
}

/* Edges of the panel from `first` on take their words. */
static tl_result take_words(svg *s, const char *words, int panel, int count)
{
    for (int e = 0; words && *(words = skip_separators(words)); ++e) {
        size_t length = strcspn(words, " ,\t\r\n");
        if (e >= count)
            return wrong(s, "data-seam has more words than the outline has edges:", words);
        if (length >= sizeof s->ends->word || s->end_count == MOST_SEAMS)
            return wrong(s, "data-seam: a word is too long, or there are too many:", words);
        if (length > 1 || *words != '-') {
            seam_end *end = &s->ends[s->end_count++];
            *end = (seam_end){.panel = panel, .edge = e};
            memcpy(end->word, words, length);
        }
        words += length;
    }
    return TL_OK;
}

/* Ends a subpath: the first is the outline of a new panel, further ones are holes of it. */
static tl_result end_outline(pen *p, int *panel)
{
    svg *s = p->s;
    if (p->outline.count == 0)
        return TL_OK;
    line_to(p, p->start[0], p->start[1]);
    if (p->failed)
        return no_memory(s);
    if (*panel < 0) {
        char name[TL_PATTERN_MAX_NAME], *id = value_of(s, "id");
        tl_read_panel *made = tl_read_set_add_panel(&s->set);
        snprintf(name, sizeof name, "panel%d", s->shape_count);
        if (!made)
            return no_memory(s);
        made->def.name = tl_store_text(&s->set.store, id && *id ? id : name);
        made->def.grain = 90;
        *panel = s->set.panel_count - 1;
        if (!made->def.name)
            return no_memory(s);
    }
    tl_read_panel *to = &s->set.panels[*panel];
    bool first = to->loop_count == 0, turned = first && tl_outline_twice_area(&p->outline) < 0;
    int count = p->outline.count, ends = s->end_count;
    if (!tl_outline_to_panel(&s->set, &p->outline, to))
        return no_memory(s);
    tl_result result = first ? take_words(s, value_of(s, "data-seam"), *panel, count) : TL_OK;
    for (int k = ends; k < s->end_count && turned; ++k)
        s->ends[k].edge = count - 1 - s->ends[k].edge;
    p->outline = (tl_outline_draft){NULL, 0, 0};
    return result;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

static bool numbers(const char **at, double *out, int count)
{
    for (int k = 0; k < count; ++k)
        if (!next_number(at, &out[k]))
            return false;
    return true;
}

/* A flag of an arc may stand without a separator. */
static bool flag(const char **at, bool *out)
{
    *at = skip_separators(*at);
    if (**at != '0' && **at != '1')
        return false;
    *out = **at == '1';
    ++*at;
    return true;
}

/* One set of arguments of a command; false when they are wrong. */
static bool draw_command(pen *p, char command, const char **at)
{
    bool relative = command >= 'a', large, sweep;
    char kind = relative ? (char)(command - 'a' + 'A') : command;
    double n[6], o[2] = {relative ? p->at[0] : 0, relative ? p->at[1] : 0};
    static const struct {
        char kind;
        int count;
    } arguments[] = {{'M', 2}, {'L', 2}, {'H', 1}, {'V', 1}, {'C', 6}, {'S', 4}, {'Q', 4}, {'T', 2}, {'A', 3}};
    int count = 0;
    for (size_t k = 0; k < sizeof arguments / sizeof *arguments; ++k)
        count = arguments[k].kind == kind ? arguments[k].count : count;
    if (count == 0 || !numbers(at, n, count))
        return false;
    if (kind == 'A')
        return flag(at, &large) && flag(at, &sweep) && numbers(at, n + 3, 2) &&
               arc_to(p, n[0], n[1], n[2], large, sweep, n[3] + o[0], n[4] + o[1]);
    if (kind == 'H' || kind == 'V') {
        line_to(p, kind == 'H' ? n[0] + o[0] : p->at[0], kind == 'V' ? n[0] + o[1] : p->at[1]);
        return true;
    }
    for (int k = 0; k < count; ++k)
        n[k] += o[k % 2];
    if (kind == 'M') {
        memcpy(p->at, n, sizeof p->at);
        memcpy(p->start, n, sizeof p->start);
        memcpy(p->last_control, n, sizeof p->last_control);
        return true;
    }
    if (kind == 'L') {
        line_to(p, n[0], n[1]);
        return true;
    }
    double mirrored[2] = {2 * p->at[0] - p->last_control[0], 2 * p->at[1] - p->last_control[1]}, c[2][2];
    bool smooth = kind == 'S' || kind == 'T';
    int controls = kind == 'C' || kind == 'S' ? 2 : 1, given = controls - smooth;
    memcpy(c[0], smooth ? mirrored : n, sizeof c[0]);
    if (controls == 2)
        memcpy(c[1], n + 2 * (given - 1), sizeof c[1]);
    segment(p, controls, (const double(*)[2])c, n + 2 * given);
    memcpy(p->last_control, c[controls - 1], sizeof p->last_control);
    return true;
}

static tl_result read_path(pen *p, const char *at, int *panel)
{
    char command = 0, before = 0;
    tl_result result = TL_OK;
    while (*(at = skip_separators(at)) && !result) {
        bool letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        if (letter)
            command = *at++;
        bool moves = command == 'M' || command == 'm', closes = command == 'Z' || command == 'z';
        if (!command || (closes && !letter))
            return wrong(p->s, "a path has a number where a command is expected:", at);
        if (closes || moves) {
            result = end_outline(p, panel);
            memcpy(p->at, p->start, sizeof p->at);
        }
        if (closes) {
            before = command;
            continue;
        }
        /* a smooth curve continues one of its own kind only */
        if (!strchr("CcSs", before) && strchr("Ss", command))
            memcpy(p->last_control, p->at, sizeof p->at);
        if (!strchr("QqTt", before) && strchr("Tt", command))
            memcpy(p->last_control, p->at, sizeof p->at);
        if (!draw_command(p, command, &at))
            return wrong(p->s, "a path has wrong arguments at", at);
        before = command;
        if (moves)
            command = command == 'M' ? 'L' : 'l';
    }
    return result ? result : end_outline(p, panel);
}

static tl_result read_polygon(pen *p, const char *at, int *panel)
{
    double n[2];
    bool first = true;
    while (at && *(at = skip_separators(at))) {
        if (!numbers(&at, n, 2))
            return wrong(p->s, "points are pairs of numbers, found", at);
        if (first) {
            memcpy(p->at, n, sizeof n);
            memcpy(p->start, n, sizeof n);
        }
        first = false;
        line_to(p, n[0], n[1]);
    }
    return end_outline(p, panel);
}

static tl_result read_rectangle(pen *p, int *panel)
{
    double x = number_of(p->s, "x", 0), y = number_of(p->s, "y", 0), w = number_of(p->s, "width", 0),
           h = number_of(p->s, "height", 0);
    if (!(w > 0) || !(h > 0))
        return TL_OK;
    p->at[0] = p->start[0] = x;
    p->at[1] = p->start[1] = y;
    line_to(p, x + w, y);
    line_to(p, x + w, y + h);
    line_to(p, x, y + h);
    return end_outline(p, panel);
}

/* ---- tags -------------------------------------------------------------------------------------------------------- */

static bool is_name(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(name, wanted, length) == 0;
}

static tl_result read_shape(svg *s, const char *name, size_t length)
{
    matrix m = s->stack[s->depth];
    if (!read_transform(s, value_of(s, "transform"), &m))
        return wrong(s, "a transform is not understood:", value_of(s, "transform"));
    pen p = {.s = s, .m = &m};
    int panel = -1;
    bool path = is_name(name, length, "path"), rectangle = is_name(name, length, "rect");
    if (!path && !rectangle && !is_name(name, length, "polygon") && !is_name(name, length, "polyline"))
        return TL_OK;
    ++s->shape_count;
    const char *text = path ? value_of(s, "d") : value_of(s, "points");
    return rectangle ? read_rectangle(&p, &panel)
           : path    ? read_path(&p, text ? text : "", &panel)
                     : read_polygon(&p, text, &panel);
}

/* The unit of the document: its width over that of its view box. */
static void read_document(svg *s)
{
    double width = metres_of(value_of(s, "width")), box[4];
    const char *view = value_of(s, "viewBox");
    bool boxed = view && numbers(&view, box, 4) && box[2] > 0;
    double scale = boxed && width > 0 ? width / box[2] : PIXEL;
    s->stack[s->depth] = (matrix){scale, 0, 0, -scale, 0, 0};
}

static tl_result open_tag(svg *s, const char *name, size_t length, bool empty)
{
    static const char *const unseen[] = {"defs", "clipPath", "marker", "pattern", "mask", "symbol", "metadata"};
    tl_result result = TL_OK;
    if (is_name(name, length, "svg") && s->depth == 0)
        read_document(s);
    if (!s->hidden)
        result = read_shape(s, name, length);
    if (empty || result)
        return result;
    if (s->depth + 1 >= DEEPEST)
        return wrong(s, "groups are more than 64 deep", "");
    matrix m = s->stack[s->depth];
    bool understood = !is_name(name, length, "g") || read_transform(s, value_of(s, "transform"), &m);
    s->stack[++s->depth] = m;
    for (size_t k = 0; k < sizeof unseen / sizeof *unseen; ++k)
        if (!s->hidden && is_name(name, length, unseen[k]))
            s->hidden = s->depth;
    return understood ? TL_OK : wrong(s, "a transform is not understood:", value_of(s, "transform"));
}

static void close_tag(svg *s)
{
    if (s->hidden == s->depth)
        s->hidden = 0;
    s->depth -= s->depth > 0;
}

static bool starts(const svg *s, const char *text)
{
    return (size_t)(s->end - s->at) >= strlen(text) && memcmp(s->at, text, strlen(text)) == 0;
}

static bool skip_past(svg *s, const char *text)
{
    for (; s->at < s->end; ++s->at)
        if (starts(s, text)) {
            s->at += strlen(text);
            return true;
        }
    return false;
}

/* Attributes up to the end of the tag; false when it does not end. */
static bool read_attributes(svg *s, bool *empty)
{
    s->attribute_count = 0;
    *empty = false;
    while (s->at < s->end) {
        while (s->at < s->end && is_space(*s->at))
            ++s->at;
        if (s->at < s->end && (*s->at == '>' || *s->at == '/' || *s->at == '?')) {
            *empty = *s->at != '>';
            return skip_past(s, ">");
        }
        attribute a = {.name = s->at};
        while (s->at < s->end && !is_space(*s->at) && !strchr("=>/", *s->at))
            ++s->at;
        a.name_length = (size_t)(s->at - a.name);
        while (s->at < s->end && is_space(*s->at))
            ++s->at;
        if (s->at >= s->end || *s->at != '=')
            return false;
        ++s->at;
        while (s->at < s->end && is_space(*s->at))
            ++s->at;
        char quote = s->at < s->end ? *s->at : 0;
        if (quote != '"' && quote != '\'')
            return false;
        a.value = ++s->at;
        while (s->at < s->end && *s->at != quote)
            ++s->at;
        if (s->at >= s->end)
            return false;
        a.value_length = (size_t)(s->at++ - a.value);
        if (s->attribute_count < MOST_ATTRIBUTES)
            s->attributes[s->attribute_count++] = a;
    }
    return false;
}

static tl_result read_tags(svg *s)
{
    tl_result result = TL_OK;
    bool any = false;
    while (!result && skip_past(s, "<")) {
        if (starts(s, "!--")) {
            if (!skip_past(s, "-->"))
                return wrong(s, "a comment does not end", "");
            continue;
        }
        if (s->at < s->end && (*s->at == '!' || *s->at == '?' || *s->at == '/')) {
            if (*s->at == '/')
                close_tag(s);
            if (!skip_past(s, ">"))
                return wrong(s, "a tag does not end", "");
            continue;
        }
        const char *name = s->at;
        while (s->at < s->end && !is_space(*s->at) && *s->at != '>' && *s->at != '/')
            ++s->at;
        size_t length = (size_t)(s->at - name);
        for (const char *colon; (colon = memchr(name, ':', length));) { /* a prefix of the name space */
            length -= (size_t)(colon + 1 - name);
            name = colon + 1;
        }
        any = any || is_name(name, length, "svg");
        bool empty;
        if (!read_attributes(s, &empty))
            return wrong(s, "a tag does not end, or has an attribute without value", "");
        result = open_tag(s, name, length, empty);
    }
    return result || any ? result : wrong(s, "there is no tag 'svg'; this is not a drawing", "");
}

/* Two edges with one word are a seam. */
static tl_result sew_words(svg *s)
{
    for (int a = 0; a < s->end_count; ++a) {
        int partner = -1;
        for (int b = a + 1; b < s->end_count && !s->ends[a].used; ++b)
            if (!s->ends[b].used && strcmp(s->ends[a].word, s->ends[b].word) == 0) {
                if (partner >= 0)
                    return wrong(s, "more than two edges have the seam", s->ends[a].word);
                partner = b;
            }
        if (s->ends[a].used)
            continue;
        if (partner < 0)
            return wrong(s, "only one edge has the seam", s->ends[a].word);
        s->ends[partner].used = true;
        tl_stitch_def stitch = {.side = {{s->ends[a].panel, s->ends[a].edge, {0, 0}},
                                         {s->ends[partner].panel, s->ends[partner].edge, {0, 0}}}};
        if (!tl_read_set_add_stitch(&s->set, &stitch))
            return no_memory(s);
    }
    return TL_OK;
}

tl_pattern *tl_pattern_parse_svg(const char *text, size_t length, const char *file_name, tl_error *error)
{
    svg s = {.start = text, .at = text, .end = text + length, .file_name = file_name, .set = tl_read_set_empty()};
    s.stack[0] = (matrix){PIXEL, 0, 0, -PIXEL, 0, 0};
    s.ends = tl_store_take(&s.set.store, MOST_SEAMS, sizeof *s.ends);
    tl_result result = !s.ends                      ? no_memory(&s)
                       : memchr(text, '\0', length) ? wrong(&s, "there is a zero byte; this is not SVG", "")
                                                    : read_tags(&s);
    if (!result && s.set.panel_count == 0)
        result = tl_fail(&s.error, TL_ERROR_INPUT, "%s: it has no paths, polygons or rectangles", file_name);
    if (!result)
        result = sew_words(&s);
    tl_pattern *pattern = NULL;
    if (!result) {
        tl_read_set_spread(&s.set);
        pattern = tl_read_set_pattern(&s.set, file_name, &s.error);
        if (!pattern)
            tl_error_prefix(&s.error, "%s: ", file_name);
    }
    if (!pattern && error)
        *error = s.error;
    tl_store_release(&s.set.store);
    return pattern;
}
