/* The studio's widgets: a C interface to Dear ImGui. ui.cpp and ui_panels.cpp are its only files in C++; what the
   panels contain is written in C against this header.

   Immediate mode: each call draws a widget and returns what the user did with it in this frame. One window, one thread.
   Coordinates are pixels from the window's top left corner. Every widget has an id, for parameters their path; ui_place
   finds where a widget was drawn in the last frame, so that tests can click what people click. */
#ifndef STUDIO_UI_H
#define STUDIO_UI_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct GLFWwindow;

/* ---- the frame ------------------------------------------------------------------------------------------------ */

/* The window's GL context is current. Key and mouse callbacks installed before this call are kept and called too. */
bool ui_create(struct GLFWwindow *window);
void ui_destroy(void);
void ui_begin(void);
void ui_end(void);          /* updates the picture of the panels */
bool ui_stale(void);        /* some panel has changed since: another frame is due soon */
bool ui_typing(void);       /* a text field has the keyboard */
bool ui_active(void);       /* a widget is held, or a popup is open: the next frame will differ */
bool ui_close_popups(void); /* menus and combo boxes; true when there was one */

/* ---- windows --------------------------------------------------------------------------------------------------- */

typedef struct ui_rect {
    float x, y, width, height;
} ui_rect;

/* Shows the panels around the viewport, and dialogs above everything. After ui_end. */
void ui_present(ui_rect hole);

/* A panel tiled into the window. */
void ui_panel_begin(const char *title, ui_rect place);
void ui_panel_end(void);

/* A dialog in the middle of `place`, above everything; *open becomes false when the user closed it. */
void ui_dialog_begin(const char *title, ui_rect place, bool *open);
void ui_dialog_end(void);

/* A scrolling part of a panel with its own columns. */
void ui_part_begin(const char *id, float width, float height);
void ui_part_end(void);

/* A bar between panels that can be dragged; returns by how many pixels it was moved along its axis. */
float ui_splitter(const char *id, ui_rect place, bool vertical);

/* ---- widgets --------------------------------------------------------------------------------------------------- */

enum {                 /* what the user did, as bits */
       UI_CHANGED = 1, /* the value differs from the one given */
       UI_DONE = 2,    /* the widget was released after a change */
       UI_RESET = 4,   /* reset to the default */
       UI_TYPED = 8    /* a text was typed: ui_typed */
};

/* A row of a panel: label and unit on the left, the widget, and a button that resets to the default. */
typedef struct ui_field {
    const char *id; /* the parameter's path */
    const char *label;
    const char *unit;
    const char *help;     /* tooltip */
    const char *standard; /* default as text, for the menu */
    bool differs;         /* from its default */
    bool waits;           /* takes effect when the world is rebuilt */
} ui_field;

int ui_real(const ui_field *field, double *value, double low, double high, bool logarithmic);
int ui_int(const ui_field *field, int *value, int low, int high, bool logarithmic);
int ui_bool(const ui_field *field, bool *value);
int ui_vec3(const ui_field *field, double value[3], double speed);
int ui_color(const ui_field *field, double value[3]);
int ui_name(const ui_field *field, const char *const *names, int *index, const char *(*describe)(const char *));
int ui_text(const ui_field *field, char *text, int size);
const char *ui_typed(void); /* of the UI_TYPED just returned */

/* A part that opens and closes; `check` (may be NULL) is a switch in its heading. Call ui_group_end when it returns
   true. */
bool ui_group_begin(const char *id, const char *label, const char *help, bool open, bool *check, bool *checked);
void ui_group_end(void);
/* As ui_group_begin for a whole object, with a button that removes it when `removed` is not NULL. */
bool ui_object_begin(const char *id, const char *label, const char *help, bool open, bool *removed);
void ui_object_end(void);

void ui_heading(const char *text);
void ui_dim(const char *text);
void ui_wrapped(const char *text);
void ui_pair(const char *name, const char *value, float column); /* two columns of a table of facts */
void ui_gap(float pixels);
void ui_same_line(void);
void ui_separator(void);
bool ui_button(const char *id, const char *label, const char *help, float width); /* width 0: as needed, −1: all */
bool ui_toggle(const char *id, const char *label, const char *help, bool active, float width);
float ui_available_width(void);
float ui_available_height(void);
bool ui_input(const char *id, char *text, int size, bool take_focus); /* true when Enter was pressed */

/* ---- the viewport ---------------------------------------------------------------------------------------------- */

typedef struct ui_pointer {
    bool inside;                           /* over the viewport and nothing above it */
    float x, y;                            /* px, from the viewport's top left corner */
    float dx, dy;                          /* since the last frame */
    bool pressed[3], down[3], released[3]; /* left, right, middle; presses that began in the viewport */
    float wheel;                           /* notches, away from the user is positive */
    bool shift, control, alt;
} ui_pointer;

/* A hole in the panels: shows what was drawn there before ui_present. */
ui_pointer ui_viewport_begin(ui_rect place);
void ui_viewport_end(void);

/* A message over everything, as high as its contents and as wide as `place`. */
void ui_float_begin(const char *id, ui_rect place, bool alarm);
void ui_float_end(void);

/* ---- painting in the window that is open, over what is in it ----------------------------------------------------- */

typedef struct ui_shade {
    float r, g, b, a;
} ui_shade;

typedef enum ui_font { UI_REGULAR, UI_BOLD, UI_SMALL } ui_font;

/* Space for custom drawing; true when clicked. help may be NULL. */
bool ui_canvas(const char *id, float width, float height, const char *help, ui_rect *place, bool *hovered);
/* A button without a label, to be painted on. */
bool ui_blank_button(const char *id, const char *help, bool active, float width, float height, ui_rect *place);

void ui_draw_line(float x0, float y0, float x1, float y1, float width, ui_shade shade);
void ui_draw_path(const float (*points)[2], int count, float width, ui_shade shade);
void ui_draw_arc(float x, float y, float radius, float from, float to, float width, ui_shade shade); /* rad */
void ui_draw_ring(float x, float y, float radius, float width, ui_shade shade);
void ui_draw_disc(float x, float y, float radius, ui_shade shade);
void ui_draw_triangle(const float corners[3][2], ui_shade shade);
void ui_draw_box(ui_rect place, float rounding, ui_shade fill);
void ui_draw_frame(ui_rect place, float rounding, float width, ui_shade shade);
void ui_draw_text(float x, float y, ui_font font, const char *text, float wrap, ui_shade shade); /* wrap 0: one line */
void ui_draw_picture(ui_rect place, unsigned texture); /* GL name, first row at the top */
void ui_clip(ui_rect place);
void ui_unclip(void);
float ui_text_width(ui_font font, const char *text);

/* ---- where things are ------------------------------------------------------------------------------------------ */

int ui_place_count(void);
const char *ui_place(int index, ui_rect *place); /* id and visible rectangle of a widget of the last frame */

#ifdef __cplusplus
}
#endif

#endif
