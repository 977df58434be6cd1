/* Persistent settings of the studio: sizes of window and panels. A small text file in $XDG_CONFIG_HOME/telar (or
   ~/.config/telar). */
#ifndef STUDIO_SETTINGS_H
#define STUDIO_SETTINGS_H

#include <stdbool.h>

typedef struct settings {
    int width, height; /* px, of the window */
    float left, right; /* px, width of the columns */
    float bottom;      /* px, height of the information panel */
    float controls;    /* px, height of the controls */
    float right_split; /* 0…1, where the right column is divided */
    bool panels;
    double speed; /* 1, of time; not kept */
} settings;

settings settings_default(void);
void settings_read(settings *s);        /* keeps values that the file does not have */
void settings_write(const settings *s); /* best effort: errors are ignored */

/* The user's folder for settings, or with `cache` for caches. False when there is none. */
bool settings_folder(bool cache, char *path, int size);

#endif
