#include "studio/paint.h"

#include <math.h>
#include <stdio.h>

const ui_shade paint_text = {0.88f, 0.90f, 0.91f, 1}, paint_dim = {0.58f, 0.62f, 0.66f, 1},
               paint_accent = {0.30f, 0.74f, 0.76f, 1};

static const ui_shade red = {0.88f, 0.34f, 0.30f, 1}, ground = {0.095f, 0.103f, 0.115f, 1},
                      veil = {0.094f, 0.102f, 0.114f, 0.80f}, card_ground = {0.19f, 0.205f, 0.225f, 1},
                      card_hovered = {0.23f, 0.25f, 0.275f, 1}, rule = {0.22f, 0.24f, 0.26f, 1};

/* ---- icons ------------------------------------------------------------------------------------------------------- */

void paint_reset(float x, float y, float radius, float width, ui_shade shade)
{
    const float tip = -2.4f; /* rad, where the arrow points */
    ui_draw_arc(x, y, radius, tip, 2.6f, width, shade);
    float tx = x + radius * cosf(tip), ty = y + radius * sinf(tip), a = radius * 0.75f;
    ui_draw_triangle((const float[3][2]){{tx - a * 0.75f, ty + a * 0.45f},
                                         {tx + a * 0.85f, ty + a * 0.35f},
                                         {tx - a * 0.1f, ty - a * 0.85f}},
                     shade);
}

static void box(float x0, float y0, float x1, float y1, float rounding, ui_shade shade)
{
    ui_draw_box((ui_rect){x0, y0, x1 - x0, y1 - y0}, rounding, shade);
}

static void arrow_head(float x, float y, float r, float reach, ui_shade shade)
{
    ui_draw_triangle((const float[3][2]){{x, y - r}, {x + reach, y}, {x, y + r}}, shade);
}

static void camera_sign(float x, float y, float r, float width, ui_shade shade)
{
    ui_draw_frame((ui_rect){x - r * 1.15f, y - r * 0.65f, r * 2.3f, r * 1.5f}, 2, width, shade);
    box(x - r * 0.4f, y - r, x + r * 0.4f, y - r * 0.6f, 1, shade);
    ui_draw_ring(x, y + r * 0.1f, r * 0.42f, width, shade);
}

static void ball_sign(float x, float y, float r, float width, ui_shade shade)
{
    ui_draw_disc(x, y - r * 0.35f, r * 0.6f, shade);
    ui_draw_line(x - r, y + r * 0.6f, x, y + r * 0.95f, width, shade);
    ui_draw_line(x, y + r * 0.95f, x + r, y + r * 0.6f, width, shade);
}

static void draw_icon(paint_icon icon, float x, float y, float r)
{
    const float width = 1.8f;
    ui_shade shade = icon == ICON_RECORD || icon == ICON_STOP ? red : paint_text;
    switch (icon) {
    case ICON_PLAY:
        arrow_head(x - r * 0.7f, y, r, r * 1.7f, shade);
        break;
    case ICON_PAUSE:
        box(x - r * 0.8f, y - r, x - r * 0.2f, y + r, 1, shade);
        box(x + r * 0.2f, y - r, x + r * 0.8f, y + r, 1, shade);
        break;
    case ICON_STEP:
        arrow_head(x - r, y, r, r * 1.4f, shade);
        box(x + r * 0.5f, y - r, x + r, y + r, 1, shade);
        break;
    case ICON_RESET:
        paint_reset(x, y, r * 0.85f, width, shade);
        break;
    case ICON_RECORD:
        ui_draw_disc(x, y, r * 0.85f, shade);
        break;
    case ICON_STOP:
        box(x - r * 0.8f, y - r * 0.8f, x + r * 0.8f, y + r * 0.8f, 2, shade);
        break;
    case ICON_CAMERA:
        camera_sign(x, y, r, width, shade);
        break;
    case ICON_BALL:
        ball_sign(x, y, r, width, shade);
        break;
    }
}

bool paint_icon_button(const char *id, paint_icon icon, const char *help, bool active, float size)
{
    ui_rect place;
    bool pressed = ui_blank_button(id, help, active, size, size * 0.86f, &place);
    draw_icon(icon, place.x + place.width / 2, place.y + place.height / 2, size * 0.19f);
    return pressed;
}

/* ---- cards and captions ------------------------------------------------------------------------------------------ */

bool paint_card_button(const paint_card *card)
{
    ui_rect place;
    bool hovered;
    bool pressed =
        ui_canvas(card->id, card->width, card->picture_height + card->text_height, card->text, &place, &hovered);
    float x = place.x + 8, y = place.y + card->picture_height;
    ui_draw_box(place, 5, hovered ? card_hovered : card_ground);
    if (card->texture)
        ui_draw_picture((ui_rect){place.x, place.y, card->width, card->picture_height}, card->texture);
    else
        ui_draw_text(place.x + card->width / 2 - 28, place.y + card->picture_height / 2 - 7, UI_SMALL, "drawing…", 0,
                     paint_dim);
    if (hovered || card->selected)
        ui_draw_frame(place, 5, 1.5f, paint_accent);
    ui_clip((ui_rect){place.x, place.y, place.width - 8, place.height - 4});
    ui_draw_text(x, y + 6, UI_BOLD, card->title, 0, paint_text);
    ui_draw_text(x, y + 26, UI_SMALL, card->text, card->width - 16, paint_dim);
    ui_unclip();
    return pressed;
}

void paint_caption(float x, float y, float width, const char *title, const char *const *lines, int count)
{
    const float line = 17;
    float height = 26 + line * (float)count;
    ui_draw_box((ui_rect){x, y - height, width, height}, 5, veil);
    ui_clip((ui_rect){x, y - height, width - 4, height});
    ui_draw_text(x + 9, y - height + 5, UI_BOLD, title, 0, paint_accent);
    for (int k = 0; k < count; ++k)
        ui_draw_text(x + 9, y - height + 23 + line * (float)k, UI_REGULAR, lines[k], 0, paint_text);
    ui_unclip();
}

enum { MAX_POINTS = 256 }; /* of a line in a plot */

/* ---- plots ------------------------------------------------------------------------------------------------------- */

typedef struct plot {
    float left, right, top, bottom; /* px */
    float x0, span_x, low, high, span_y;
} plot;

static plot plot_range(ui_rect place, const float *x, int count, const paint_series *series, int series_count)
{
    plot p = {place.x, place.x + place.width, place.y + 36, place.y + place.height - 16, 0, 0, 0, 0, 1};
    for (int s = 0; s < series_count; ++s)
        for (int k = 0; k < count; ++k) {
            float v = series[s].values[k];
            if (isfinite(v)) {
                p.low = fminf(p.low, v);
                p.high = fmaxf(p.high, v);
            }
        }
    if (!(p.high - p.low > 0))
        p.high = p.low + 1;
    p.span_y = (p.high - p.low) * 1.06f; /* margin above the highest line */
    p.x0 = count > 0 ? x[0] : 0;
    p.span_x = count > 1 && x[count - 1] > x[0] ? x[count - 1] - x[0] : 1;
    return p;
}

static float height_of(const plot *p, float v)
{
    return p->bottom - 2 - (p->bottom - p->top - 3) * (v - p->low) / p->span_y;
}

/* The most extreme value of a range of frames, so that no spike is lost. */
static float outstanding(const float *values, int from, int to)
{
    float found = values[from];
    for (int k = from + 1; k < to; ++k)
        if (isfinite(values[k]) && (!isfinite(found) || fabsf(values[k]) > fabsf(found)))
            found = values[k];
    return found;
}

/* One point for every two pixels or so: smooth lines are made of triangles, and hundreds of points per line would be
   more triangles than the cloth has. */
static void plot_lines(const plot *p, const float *x, int count, const paint_series *series, int series_count)
{
    float points[MAX_POINTS][2];
    int wanted = (int)((p->right - p->left) / 2), most = wanted < MAX_POINTS ? wanted : MAX_POINTS;
    int stretch = count > most && most > 0 ? (count + most - 1) / most : 1;
    ui_draw_line(p->left, height_of(p, 0), p->right, height_of(p, 0), 1, rule);
    ui_clip((ui_rect){p->left, p->top, p->right - p->left, p->bottom - p->top});
    for (int s = 0; s < series_count; ++s) {
        int used = 0;
        for (int k = 0; k < count && used < MAX_POINTS; k += stretch) {
            float value = outstanding(series[s].values, k, k + stretch < count ? k + stretch : count);
            if (!isfinite(value))
                continue;
            points[used][0] = p->left + (p->right - p->left) * (x[k] - p->x0) / p->span_x;
            points[used++][1] = height_of(p, value);
        }
        ui_draw_path((const float(*)[2])points, used, 1, series[s].shade);
    }
    ui_unclip();
}

static void plot_legend(ui_rect place, const char *title, const paint_series *series, int series_count)
{
    float x = place.x;
    ui_draw_text(x, place.y, UI_BOLD, title, 0, paint_text);
    for (int s = 0; s < series_count; ++s) {
        ui_draw_box((ui_rect){x, place.y + 24, 8, 3}, 0, series[s].shade);
        ui_draw_text(x + 11, place.y + 18, UI_SMALL, series[s].label, 0, paint_dim);
        x += ui_text_width(UI_SMALL, series[s].label) + 17;
    }
}

/* A number on a background that separates it from the lines. */
static void plot_number(float x, float y, float value)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", (double)value);
    ui_draw_box((ui_rect){x + 1, y, ui_text_width(UI_SMALL, text) + 6, 13}, 2, veil);
    ui_draw_text(x + 4, y, UI_SMALL, text, 0, paint_dim);
}

void paint_plot(const char *id, const char *title, const float *x, int count, const paint_series *series,
                int series_count, float height)
{
    ui_rect place;
    bool hovered;
    char text[32];
    ui_canvas(id, ui_available_width(), height, NULL, &place, &hovered);
    plot p = plot_range(place, x, count, series, series_count);
    plot_legend(place, title, series, series_count);
    box(p.left, p.top, p.right, p.bottom, 3, ground);
    if (count < 2) {
        ui_draw_text(p.left + 8, (p.top + p.bottom) / 2 - 7, UI_SMALL, "no frames yet", 0, paint_dim);
        return;
    }
    plot_lines(&p, x, count, series, series_count);
    plot_number(p.left, p.top + 1, p.high);
    if (p.low < 0)
        plot_number(p.left, p.bottom - 14, p.low);
    snprintf(text, sizeof text, "%.2f s", (double)x[0]);
    ui_draw_text(p.left, p.bottom + 2, UI_SMALL, text, 0, paint_dim);
    snprintf(text, sizeof text, "%.2f s", (double)x[count - 1]);
    ui_draw_text(p.right - ui_text_width(UI_SMALL, text), p.bottom + 2, UI_SMALL, text, 0, paint_dim);
}
