/* Text in the picture: labels, and the colour bar of the overlay with its numbers and unit. All rectangles of a frame
   go to the GPU in one array. The font's dots are joined to strokes once, as a field of distances, so letters have
   round ends and smooth slants at any size. */
#include "render_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DOT = 4,           /* texels of the field per dot of the font */
    CELL_W = 8 * DOT,  /* 5 dots and a margin of 1½ */
    CELL_H = 11 * DOT, /* 8 dots and a margin of 1½ */
    ATLAS_COLUMNS = 16,
    FLOATS = 8 /* per vertex: x, y, u, v, r, g, b, a */
};
static const float MARGIN = 1.5f;  /* dots */
static const float STROKE = 0.50f; /* half width of a stroke, dots */
static const float CAPITAL = 7.0f; /* dots, height of a capital */

typedef struct ink {
    float *vertices;
    int count, capacity; /* vertices */
    bool failed;
} ink;

/* ---- the font as a distance field -------------------------------------------------------------------------------- */

static bool dot_at(const uint8_t *columns, int x, int y)
{
    return x >= 0 && x < 5 && y >= 0 && y < 8 && (columns[x] >> y & 1);
}

static float distance_to_segment(float px, float py, float ax, float ay, float bx, float by)
{
    float ux = bx - ax, uy = by - ay, length2 = ux * ux + uy * uy;
    float t = length2 > 0.0f ? ((px - ax) * ux + (py - ay) * uy) / length2 : 0.0f;
    t = fminf(fmaxf(t, 0.0f), 1.0f);
    float dx = px - ax - t * ux, dy = py - ay - t * uy;
    return sqrtf(dx * dx + dy * dy);
}

/* Distance in dots from (x, y) to the strokes that join neighbouring dots; diagonal neighbours are joined only where no
   adjacent dot already makes the corner. */
static float distance_to_glyph(const uint8_t *columns, float x, float y)
{
    static const int step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
    float best = 4.0f;
    for (int cy = 0; cy < 8; ++cy)
        for (int cx = 0; cx < 5; ++cx) {
            if (!dot_at(columns, cx, cy))
                continue;
            float ax = (float)cx + 0.5f, ay = (float)cy + 0.5f;
            best = fminf(best, distance_to_segment(x, y, ax, ay, ax, ay));
            for (int s = 0; s < 4; ++s) {
                int dx = step[s][0], dy = step[s][1];
                bool corner = s >= 2 && (dot_at(columns, cx + dx, cy) || dot_at(columns, cx, cy + dy));
                if (!corner && dot_at(columns, cx + dx, cy + dy))
                    best = fminf(best, distance_to_segment(x, y, ax, ay, ax + (float)dx, ay + (float)dy));
            }
        }
    return best;
}

static bool make_font(render *r)
{
    int rows = (font_glyph_count() + ATLAS_COLUMNS - 1) / ATLAS_COLUMNS;
    int width = ATLAS_COLUMNS * CELL_W, height = rows * CELL_H;
    uint8_t *field = calloc((size_t)width * (size_t)height, 1);
    if (!field)
        return false;
    for (int glyph = 0; glyph < font_glyph_count(); ++glyph) {
        int left = glyph % ATLAS_COLUMNS * CELL_W, top = glyph / ATLAS_COLUMNS * CELL_H;
        for (int y = 0; y < CELL_H; ++y)
            for (int x = 0; x < CELL_W; ++x) {
                float dx = ((float)x + 0.5f) / DOT - MARGIN, dy = ((float)y + 0.5f) / DOT - MARGIN;
                float level = 0.5f + 0.5f * (STROKE - distance_to_glyph(font_columns(glyph), dx, dy));
                field[(top + y) * width + left + x] = (uint8_t)lroundf(255.0f * fminf(fmaxf(level, 0.0f), 1.0f));
            }
    }
    glGenTextures(1, &r->font_texture);
    glActiveTexture(GL_TEXTURE0 + UNIT_TEXTURE);
    glBindTexture(GL_TEXTURE_2D, r->font_texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, width, height, 0, GL_RED, GL_UNSIGNED_BYTE, field);
    glGenerateMipmap(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    free(field);
    glGenVertexArrays(1, &r->text_array);
    glGenBuffers(1, &r->text_buffer);
    glBindVertexArray(r->text_array);
    glBindBuffer(GL_ARRAY_BUFFER, r->text_buffer);
    const GLint sizes[3] = {2, 2, 4};
    const size_t starts[3] = {0, 2 * sizeof(float), 4 * sizeof(float)};
    for (GLuint i = 0; i < 3; ++i) {
        glVertexAttribPointer(i, sizes[i], GL_FLOAT, GL_FALSE, FLOATS * sizeof(float), (const void *)starts[i]);
        glEnableVertexAttribArray(i);
    }
    glBindVertexArray(0);
    return true;
}

void text_destroy(render *r)
{
    glDeleteTextures(1, &r->font_texture);
    glDeleteVertexArrays(1, &r->text_array);
    glDeleteBuffers(1, &r->text_buffer);
}

/* ---- rectangles and letters -------------------------------------------------------------------------------------- */

typedef struct box {
    float x0, y0, x1, y1;
} box;

static void rectangle(ink *out, box at, box uv, const float top[4], const float bottom[4])
{
    if (out->count + 6 > out->capacity) {
        int wanted = out->capacity ? 2 * out->capacity : 384;
        float *grown = realloc(out->vertices, (size_t)wanted * FLOATS * sizeof *grown);
        if (!grown) {
            out->failed = true;
            return;
        }
        out->vertices = grown;
        out->capacity = wanted;
    }
    static const int order[6] = {0, 1, 2, 2, 1, 3};
    for (int i = 0; i < 6; ++i) {
        bool right = order[i] & 1, low = order[i] & 2;
        const float *colour = low ? bottom : top;
        float *v = out->vertices + (size_t)(out->count++) * FLOATS;
        v[0] = right ? at.x1 : at.x0;
        v[1] = low ? at.y1 : at.y0;
        v[2] = right ? uv.x1 : uv.x0;
        v[3] = low ? uv.y1 : uv.y0;
        memcpy(v + 4, colour, 4 * sizeof *v);
    }
}

static void plain(ink *out, box at, const float colour[4])
{
    rectangle(out, at, (box){-1.0f, -1.0f, -1.0f, -1.0f}, colour, colour);
}

/* One UTF-8 letter; anything malformed counts as one unknown letter per byte. */
static uint32_t next_letter(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    uint32_t code = p[0];
    int more = code >= 0xf0 ? 3 : code >= 0xe0 ? 2 : code >= 0xc0 ? 1 : 0;
    *text += 1;
    if (more == 0)
        return code;
    code &= 0x3fu >> more;
    for (int i = 1; i <= more; ++i) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (p[i] & 0x3fu);
    }
    *text += more;
    return code;
}

/* First and last used column, so that letters are evenly spaced; digits have one width, so columns of numbers align. */
static void glyph_extent(int glyph, int *first, int *last)
{
    const uint8_t *columns = font_columns(glyph);
    *first = 0;
    *last = 4;
    if (glyph == font_glyph_of(' ')) {
        *last = 2;
        return;
    }
    if (glyph >= font_glyph_of('0') && glyph <= font_glyph_of('9'))
        return;
    while (*first < 4 && !columns[*first])
        ++*first;
    while (*last > *first && !columns[*last])
        --*last;
}

/* Writes with the top of the capitals at y (out may be NULL to measure only); returns the width. Sizes in pixels. */
static float write_text(ink *out, float x, float y, float size, const float colour[4], const char *text)
{
    int rows = (font_glyph_count() + ATLAS_COLUMNS - 1) / ATLAS_COLUMNS;
    float dot = size / CAPITAL, pen = x;
    while (*text) {
        int glyph = font_glyph_of(next_letter(&text)), first, last;
        glyph_extent(glyph, &first, &last);
        if (out) {
            // draw the whole cell including its margin, shifted so that the first used column is at the pen
            float left = pen - (MARGIN + (float)first) * dot, top = y - MARGIN * dot;
            box at = {left, top, left + dot * CELL_W / DOT, top + dot * CELL_H / DOT};
            float u = (float)(glyph % ATLAS_COLUMNS) / ATLAS_COLUMNS, v = (float)(glyph / ATLAS_COLUMNS) / (float)rows;
            rectangle(out, at, (box){u, v, u + 1.0f / ATLAS_COLUMNS, v + 1.0f / (float)rows}, colour, colour);
        }
        pen += (float)(last - first + 2) * dot;
    }
    return pen - x;
}

/* ---- the colour bar ---------------------------------------------------------------------------------------------- */

static void write_legend(ink *out, const render_target *target, const render_overlay *overlay)
{
    enum { TICKS = 5 };
    static const float red[4] = {0.85f, 0.05f, 0.05f, 1.0f}, yellow[4] = {1.0f, 0.9f, 0.15f, 1.0f}; // as heat() in GLSL
    static const float text[4] = {0.16f, 0.18f, 0.22f, 1.0f}, paper[4] = {1.0f, 1.0f, 1.0f, 0.62f};
    // proportional to the picture, but readable in a small one as long as it fits
    float picture = (float)target->height, s = fminf(fmaxf(picture / 720.0f, 0.7f), picture / 300.0f);
    float size = 11.0f * s, pad = 14.0f * s, bar_w = 14.0f * s, bar_h = 190.0f * s;
    char title[96], number[TICKS][32];
    bool unit = overlay->unit && overlay->unit[0];
    snprintf(title, sizeof title, unit ? "%s [%s]" : "%s%s", overlay->title ? overlay->title : "",
             overlay->unit ? overlay->unit : "");
    float widest = write_text(NULL, 0.0f, 0.0f, size, text, title);
    for (int i = 0; i < TICKS; ++i) {
        float value = overlay->low + (overlay->high - overlay->low) * (float)i / (TICKS - 1);
        snprintf(number[i], sizeof number[i], "%.3g", (double)value);
        widest = fmaxf(widest, bar_w + 14.0f * s + write_text(NULL, 0.0f, 0.0f, size, text, number[i]));
    }
    // a sheet of frosted paper on the right edge, its content from top to bottom: title, bar with numbers
    float width = widest + 2.0f * pad, height = bar_h + size + 3.2f * pad;
    float left = (float)target->width - width - 24.0f * s, top = 24.0f * s;
    plain(out, (box){left, top, left + width, top + height}, paper);
    write_text(out, left + pad, top + pad, size, text, title);
    float bar_x = left + pad, bar_y = top + pad + size + 1.1f * pad;
    rectangle(out, (box){bar_x, bar_y, bar_x + bar_w, bar_y + bar_h}, (box){-1.0f, -1.0f, -1.0f, -1.0f}, red, yellow);
    for (int i = 0; i < TICKS; ++i) {
        float y = bar_y + bar_h * (1.0f - (float)i / (TICKS - 1));
        plain(out, (box){bar_x + bar_w, y - 0.5f * s, bar_x + bar_w + 5.0f * s, y + 0.5f * s}, text);
        write_text(out, bar_x + bar_w + 11.0f * s, y - 0.5f * size, size, text, number[i]);
    }
}

static bool flush(render *r, const ink *all, render_error *error)
{
    if (!r->font_texture && !make_font(r)) {
        render_error_set(error, "out of memory for the font");
        return false;
    }
    GLuint name = program_fixed(r, PROGRAM_TEXT, error);
    if (!name)
        return false;
    glUseProgram(name);
    glActiveTexture(GL_TEXTURE0 + UNIT_TEXTURE);
    glBindTexture(GL_TEXTURE_2D, r->font_texture);
    glBindVertexArray(r->text_array);
    glBindBuffer(GL_ARRAY_BUFFER, r->text_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)all->count * FLOATS * sizeof(float)), all->vertices,
                 GL_STREAM_DRAW);
    glDisable(GL_DEPTH_TEST);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_TRIANGLES, 0, all->count);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    return true;
}

bool legend_draw(render *r, const render_target *target, const render_scene *scene, const render_view *view,
                 render_error *error)
{
    ink all = {0};
    bool shown = false;
    for (int i = 0; i < scene->cloth_count; ++i)
        shown = shown || scene->cloths[i].overlay;
    if (shown && view->overlay.legend)
        write_legend(&all, target, &view->overlay);
    for (int i = 0; i < view->label_count; ++i) {
        const render_label *label = &view->labels[i];
        const float colour[4] = {label->colour[0], label->colour[1], label->colour[2], 1.0f};
        write_text(&all, label->x, label->y, label->size, colour, label->text);
    }
    bool good = !all.failed;
    if (!good)
        render_error_set(error, "out of memory for labels");
    else if (all.count > 0)
        good = flush(r, &all, error);
    free(all.vertices);
    return good;
}
