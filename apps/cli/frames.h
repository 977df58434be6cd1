/* Pictures and clips of a running scene, for `telar run --format png,mp4` and `telar render`. */
#ifndef TELAR_CLI_FRAMES_H
#define TELAR_CLI_FRAMES_H

#include "telar/io.h"

typedef struct frames frames;

typedef struct frames_def {
    const char *folder;     /* of PNG frames; NULL: none */
    const char *clips[3];   /* files ending in .mp4, .webm or .gif; NULL: none */
    int width, height;      /* pixels */
    int samples;            /* of antialiasing: 0, 2 or 4 */
    const char *scene_file; /* textures are found beside it */
    double duration;        /* s, of the whole clip: for camera paths */
    bool debug;             /* fail on any OpenGL error */
} frames_def;

/* Renderer without a display for the scene's world, and its outputs opened. NULL after a message. */
frames *frames_open(const tl_scene *scene, const frames_def *def);

/* Draws the present state and writes it everywhere; false after a message. */
bool frames_add(frames *f, int number);

/* One picture into a file of its own; false after a message. */
bool frames_picture(frames *f, const char *file_name);

/* Ends clips and frees everything; false after a message when a clip could not be finished. NULL is allowed. */
bool frames_close(frames *f);

#endif
