/* Images and clips of a running scene, for `telar run --format png,mp4` and `telar render`. */
#ifndef TELAR_CLI_FRAMES_H
#define TELAR_CLI_FRAMES_H

#include "telar/io.h"

typedef struct frames frames;

typedef struct frames_def {
    const char *folder;     /* of PNG frames; NULL: none */
    const char *clips[3];   /* files ending in .mp4, .webm or .gif; NULL: none */
    int width, height;      /* pixels */
    int samples;            /* MSAA: 0, 2 or 4 */
    const char *scene_file; /* textures are relative to it */
    double duration;        /* s, of the whole clip, for camera paths */
    bool debug;             /* fail on any OpenGL error */
} frames_def;

/* Creates an offscreen renderer and opens the outputs. NULL after a message. */
frames *frames_open(const tl_scene *scene, const frames_def *def);

/* Renders the current state to all outputs; false after a message. */
bool frames_add(frames *f, int number);

/* Renders the current state to one PNG file; false after a message. */
bool frames_picture(frames *f, const char *file_name);

/* Finishes clips and frees everything; false, with a message, if a clip could not be finished. NULL is allowed. */
bool frames_close(frames *f);

#endif
