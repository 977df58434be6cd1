/* Custom drawing of the studio: icons, plots, cards of the scene browser and captions. */
#ifndef STUDIO_PAINT_H
#define STUDIO_PAINT_H

#include "studio/ui.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The colours of texts and accents, the same as the theme's. */
extern const ui_shade paint_text, paint_dim, paint_accent;

typedef enum paint_icon {
    ICON_PLAY,
    ICON_PAUSE,
    ICON_STEP,
    ICON_RESET,
    ICON_RECORD,
    ICON_STOP,
    ICON_CAMERA,
    ICON_BALL
} paint_icon;
bool paint_icon_button(const char *id, paint_icon icon, const char *help, bool active, float size);

/* An arrow in a circle, the sign for "back". */
void paint_reset(float x, float y, float radius, float width, ui_shade shade);

/* A card of the scene browser: picture, title and text; true when clicked. Texture 0 shows a placeholder. */
typedef struct paint_card {
    const char *id, *title, *text;
    unsigned texture;
    float width, picture_height, text_height; /* px */
    bool selected;
} paint_card;
bool paint_card_button(const paint_card *card);

/* A title and lines on a dark background whose lower left corner is at x, y. */
void paint_caption(float x, float y, float width, const char *title, const char *const *lines, int count);

typedef struct paint_series {
    const char *label;
    const float *values;
    ui_shade shade;
} paint_series;

/* Lines over a common x, s, with a legend and both ranges. */
void paint_plot(const char *id, const char *title, const float *x, int count, const paint_series *series,
                int series_count, float height);

#ifdef __cplusplus
}
#endif

#endif
