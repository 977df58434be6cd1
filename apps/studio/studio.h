/* The studio: a window in which a scene runs and everything about it can be changed. */
#ifndef STUDIO_H
#define STUDIO_H

#include "telar/io.h"

#include <stdbool.h>

typedef struct studio_options {
    const char *scene;               /* file or name of the scene, for the title; "" is the default scene */
    int width, height;               /* of the window, px; 0: as remembered, else 1280 × 720 */
    long frames;                     /* close after this many drawn frames; 0: when the user does */
    const char *state;               /* file updated with the state, for tests; NULL: none */
    const char *out;                 /* folder of screenshots, clips and tables */
    bool remember;                   /* layout and window size */
    bool paused;                     /* start paused */
    const volatile int *interrupted; /* closes when it becomes non-zero; may be NULL */
    bool debug;                      /* debug context; GL errors are counted */
} studio_options;

/* Runs the scene, which it takes over, until the window closes. False on error, with the reason in `message`. */
bool studio_run(const studio_options *options, tl_scene *scene, char *message, int size);

#endif
