/* Reading panels from DXF, text form, in the layers of AAMA and ASTM D6673: one block per piece. A file is a list of
   pairs of lines, a group code and a value. Curves come as points; runs of them between turn points (layer 2) or
   corners are fitted by curves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "core/trig.h"
#include "io/file.h"
#include "io/outline_fit.h"
#include "telar/io.h"

#define TOLERANCE 5e-4 /* m, of fitted curves */

enum {
    CUT_LAYER = 1,
    TURN_LAYER = 2,
    GRAIN_LAYER = 7,
    INTERNAL_LAYER = 8,
    CUTOUT_LAYER = 11,
    SEW_LAYER = 14,
    MOST = 65536
};

/* A polyline, line or point of a piece. */
typedef struct shape {
    int layer, first, count; /* of points */
    bool closed;
} shape;

typedef struct dxf {
    const char *at, *end, *file_name;
    int line; /* of the present code */
    int code;
    char value[256];
    double unit; /* m */
    bool unit_known;
    tl_read_set set;
    tl_error error;
    /* the present piece */
    char name[TL_PATTERN_MAX_NAME / 2];
    shape *shapes;
    int shape_count, shape_room, point_count, point_room;
    double (*points)[2];
    bool in_polyline, failed;
} dxf;

static tl_result wrong(dxf *d, const char *reason, const char *value)
{
    char shown[80];
    tl_text_printable(value, shown, sizeof shown);
    return tl_fail(&d->error, TL_ERROR_INPUT, "%s:%d: %s%s%s", d->file_name, d->line, reason, *shown ? " " : "", shown);
}

static tl_result no_memory(dxf *d)
{
    return tl_fail(&d->error, TL_ERROR_MEMORY, "%s: not enough memory to read it", d->file_name);
}

/* ---- pairs of lines ---------------------------------------------------------------------------------------------- */

static bool next_line(dxf *d, char *text, size_t size)
{
    if (d->at >= d->end)
        return false;
    const char *newline = memchr(d->at, '\n', (size_t)(d->end - d->at)), *stop = newline ? newline : d->end;
    size_t length = (size_t)(stop - d->at);
    while (length > 0 && (d->at[0] == ' ' || d->at[0] == '\t')) {
        ++d->at;
        --length;
    }
    while (length > 0 && strchr(" \t\r", d->at[length - 1]) && d->at[length - 1])
        --length;
    if (length >= size)
        length = size - 1;
    memcpy(text, d->at, length);
    text[length] = '\0';
    d->at = newline ? newline + 1 : d->end;
    ++d->line;
    return true;
}

/* The next pair; false at the end. A code that is no number is an error. */
static bool next_pair(dxf *d)
{
    char code[32];
    if (!next_line(d, code, sizeof code))
        return false;
    char *end;
    long number = strtol(code, &end, 10);
    if (end == code || *end || number < -5 || number > 1071) {
        wrong(d, "expected a group code, found", code);
        d->failed = true;
        return false;
    }
    d->code = (int)number;
    if (!next_line(d, d->value, sizeof d->value)) {
        wrong(d, "the file ends after a group code", "");
        d->failed = true;
        return false;
    }
    return true;
}

static bool read_number(dxf *d, double *out)
{
    const char *end;
    if (tl_text_read_number(d->value, &end, out) && !*end && fabs(*out) < 1e9)
        return true;
    wrong(d, "expected a number, found", d->value);
    d->failed = true;
    return false;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static bool begin_shape(dxf *d)
{
    if (d->shape_count == MOST ||
        !tl_grow(&d->set.store.allocator, &d->shapes, d->shape_count, &d->shape_room, sizeof *d->shapes)) {
        no_memory(d);
        d->failed = true;
        return false;
    }
    d->shapes[d->shape_count++] = (shape){.first = d->point_count};
    return true;
}

static bool add_point(dxf *d, double x, double y)
{
    if (d->shape_count == 0)
        return true;
    if (d->point_count == 16 * MOST ||
        !tl_grow(&d->set.store.allocator, &d->points, d->point_count, &d->point_room, sizeof *d->points)) {
        no_memory(d);
        d->failed = true;
        return false;
    }
    d->points[d->point_count][0] = x;
    d->points[d->point_count++][1] = y;
    ++d->shapes[d->shape_count - 1].count;
    return true;
}

/* The groups of one entity, up to the next code 0, which stays current; false at the end of the file. `kind` is its
   name. */
static bool read_entity(dxf *d, const char *kind)
{
    bool vertex = strcmp(kind, "VERTEX") == 0, light = strcmp(kind, "LWPOLYLINE") == 0;
    bool line = strcmp(kind, "LINE") == 0, point = strcmp(kind, "POINT") == 0, poly = strcmp(kind, "POLYLINE") == 0;
    bool text = strcmp(kind, "TEXT") == 0, wanted = line || point || poly || light;
    if (wanted && !begin_shape(d))
        return false;
    double x = 0, x2 = 0, number;
    int layer = 0;
    bool more;
    while ((more = next_pair(d)) && d->code != 0) {
        shape *s = d->shape_count > 0 ? &d->shapes[d->shape_count - 1] : NULL;
        if (d->code == 8)
            layer = (int)strtol(d->value, NULL, 10);
        if (text && d->code == 1 && strstr(d->value, "METRIC") && !d->unit_known)
            d->unit = 1e-3;
        if (text && d->code == 1 && strstr(d->value, "ENGLISH") && !d->unit_known)
            d->unit = 0.0254;
        if (!(wanted || (vertex && d->in_polyline)) || !s)
            continue;
        if (d->code == 8 && wanted)
            s->layer = layer;
        if (d->code == 70 && (poly || light))
            s->closed = strtol(d->value, NULL, 10) & 1;
        if (d->code == 42 && (vertex || light) && read_number(d, &number) && number != 0) {
            wrong(d, "arcs in polylines (group 42) are not read: export curves as points", "");
            d->failed = true;
        }
        if ((d->code == 10 && !poly && !read_number(d, &x)) || (d->code == 11 && line && !read_number(d, &x2)))
            return false;
        if (d->code == 20 && !poly && (!read_number(d, &number) || !add_point(d, x, number)))
            return false;
        if (d->code == 21 && line && (!read_number(d, &number) || !add_point(d, x2, number)))
            return false;
        if (d->failed)
            return false;
    }
    d->in_polyline = poly || (vertex && d->in_polyline);
    return more && !d->failed;
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* Points of a closed shape without repeated ones, in metres. */
static int outline_points(const dxf *d, const shape *s, double (*out)[2])
{
    int count = 0;
    for (int k = 0; k < s->count; ++k) {
        double x = d->points[s->first + k][0] * d->unit, y = d->points[s->first + k][1] * d->unit;
        if (count > 0 && fabs(x - out[count - 1][0]) < 1e-5 && fabs(y - out[count - 1][1]) < 1e-5)
            continue;
        out[count][0] = x;
        out[count++][1] = y;
    }
    while (count > 1 && fabs(out[0][0] - out[count - 1][0]) < 1e-5 && fabs(out[0][1] - out[count - 1][1]) < 1e-5)
        --count;
    return count;
}

static tl_result add_loop(dxf *d, const shape *s, tl_read_panel *panel)
{
    double(*point)[2] = tl_store_take(&d->set.store, (size_t)s->count + 1, sizeof *point);
    bool *corner = tl_store_take(&d->set.store, (size_t)s->count + 1, sizeof *corner);
    if (!point || !corner)
        return no_memory(d);
    int count = outline_points(d, s, point);
    if (count < 3)
        return tl_fail(&d->error, TL_ERROR_INPUT, "%s: panel '%s': its outline has %d points", d->file_name, d->name,
                       count);
    for (int t = 0; t < d->shape_count; ++t) {
        if (d->shapes[t].layer != TURN_LAYER || d->shapes[t].count != 1)
            continue;
        const double *turn = d->points[d->shapes[t].first];
        for (int k = 0; k < count; ++k)
            corner[k] |= fabs(point[k][0] - turn[0] * d->unit) < 2e-4 && fabs(point[k][1] - turn[1] * d->unit) < 2e-4;
    }
    tl_outline_corners((const double(*)[2])point, count, corner);
    tl_outline_draft outline = {NULL, 0, 0};
    bool made = tl_outline_fit_closed(&d->set.store, &outline, (const double(*)[2])point, corner, count, TOLERANCE) &&
                tl_outline_to_panel(&d->set, &outline, panel);
    return made ? TL_OK : no_memory(d);
}

static tl_result add_internal(dxf *d, const shape *s, tl_panel_def *def)
{
    tl_pattern_line_def *lines = tl_store_take(&d->set.store, (size_t)def->line_count + 1, sizeof *lines);
    double(*point)[2] = tl_store_take(&d->set.store, (size_t)s->count, sizeof *point);
    if (!lines || !point)
        return no_memory(d);
    if (def->line_count > 0)
        memcpy(lines, def->line, (size_t)def->line_count * sizeof *lines);
    for (int k = 0; k < s->count; ++k)
        for (int c = 0; c < 2; ++c)
            point[k][c] = d->points[s->first + k][c] * d->unit;
    lines[def->line_count++] = (tl_pattern_line_def){.point = (const double(*)[2])point, .point_count = s->count};
    def->line = lines;
    return TL_OK;
}

/* The outline of a piece: its sew line, if it has one, else its cut line. */
static const shape *find_outline(const dxf *d)
{
    const shape *found = NULL;
    for (int s = 0; s < d->shape_count; ++s) {
        const shape *at = &d->shapes[s];
        if ((at->layer == SEW_LAYER || at->layer == CUT_LAYER) && at->count > 2 &&
            (!found || (at->layer == SEW_LAYER && found->layer == CUT_LAYER)))
            found = at;
    }
    return found;
}

static double grain_of(const double *from, const double *to)
{
    return tl_atan2(to[1] - from[1], to[0] - from[0]) * 57.29577951308232;
}

static tl_result end_piece(dxf *d)
{
    const shape *outline = find_outline(d);
    tl_result result = TL_OK;
    if (outline) {
        tl_read_panel *panel = tl_read_set_add_panel(&d->set);
        if (!panel)
            return no_memory(d);
        panel->def.grain = 90;
        panel->def.name = tl_store_text(&d->set.store, d->name[0] ? d->name : "piece");
        if (!panel->def.name)
            return no_memory(d);
        result = add_loop(d, outline, panel);
        for (int s = 0; s < d->shape_count && !result; ++s) {
            const shape *at = &d->shapes[s];
            if (at->layer == CUTOUT_LAYER && at->count > 2)
                result = add_loop(d, at, panel);
            if (at->layer == INTERNAL_LAYER && at->count > 1)
                result = add_internal(d, at, &panel->def);
            if (at->layer == GRAIN_LAYER && at->count == 2)
                panel->def.grain = grain_of(d->points[at->first], d->points[at->first + 1]);
        }
    }
    d->shape_count = d->point_count = 0;
    d->name[0] = '\0';
    return result;
}

/* ---- file -------------------------------------------------------------------------------------------------------- */

static void read_header_unit(dxf *d)
{
    static const double units[] = {0, 0.0254, 0.3048, 0, 1e-3, 1e-2, 1};
    bool insunits = strcmp(d->value, "$INSUNITS") == 0;
    if (!insunits || !next_pair(d))
        return;
    long unit = strtol(d->value, NULL, 10);
    if (unit > 0 && unit < 7 && units[unit] > 0) {
        d->unit = units[unit];
        d->unit_known = true;
    }
}

static tl_result read_file(dxf *d)
{
    tl_result result = TL_OK;
    bool more = next_pair(d);
    while (more && !d->failed && !result) {
        if (d->code == 9)
            read_header_unit(d);
        if (d->code != 0 || d->failed) {
            more = !d->failed && next_pair(d);
            continue;
        }
        char kind[32];
        snprintf(kind, sizeof kind, "%.31s", d->value);
        if (strcmp(kind, "BLOCK") == 0) {
            d->shape_count = d->point_count = 0;
            d->name[0] = '\0';
            while ((more = next_pair(d)) && d->code != 0)
                if (d->code == 2)
                    snprintf(d->name, sizeof d->name, "%.60s", d->value);
        } else if (strcmp(kind, "ENDBLK") == 0 || strcmp(kind, "ENDSEC") == 0) {
            result = end_piece(d);
            more = !result && next_pair(d);
        } else {
            more = read_entity(d, kind);
        }
    }
    return d->failed ? d->error.code : result;
}

tl_pattern *tl_pattern_parse_dxf(const char *text, size_t length, const char *file_name, tl_error *error)
{
    dxf d = {.at = text, .end = text + length, .file_name = file_name, .unit = 1e-3, .set = tl_read_set_empty()};
    tl_result result =
        memchr(text, '\0', length) ? wrong(&d, "there is a zero byte; this is not a DXF text", "") : read_file(&d);
    tl_pattern *pattern = NULL;
    if (!result && d.set.panel_count == 0)
        result = tl_fail(&d.error, TL_ERROR_INPUT, "%s: no closed outline in layer 1 or 14 of any block", file_name);
    if (!result) {
        tl_read_set_spread(&d.set);
        pattern = tl_read_set_pattern(&d.set, file_name, &d.error);
        if (!pattern)
            tl_error_prefix(&d.error, "%s: ", file_name);
    }
    if (!pattern && error)
        *error = d.error;
    tl_release(&d.set.store.allocator, d.shapes);
    tl_release(&d.set.store.allocator, d.points);
    tl_store_release(&d.set.store);
    return pattern;
}
