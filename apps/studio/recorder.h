/* Records pictures into a clip (or a folder of PNG files where there is no ffmpeg) on a thread of its own, so that the
   window never waits for the encoder. */
#ifndef STUDIO_RECORDER_H
#define STUDIO_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct recorder recorder;

/* `name` ends in .mp4, .webm or .gif, or is a folder for PNG files. NULL on error with the reason in `message`. */
recorder *recorder_open(const char *name, int width, int height, int frames_per_second, char *message, int size);
bool recorder_full(recorder *r); /* the encoder is behind: make no new picture now */
/* Takes ownership of the picture (malloc'ed RGBA, rows top-down). False when its size differs from the clip's. */
bool recorder_add(recorder *r, uint8_t *rgba, int width, int height);
int recorder_frames(recorder *r); /* written so far */

/* Asks it to finish; recorder_finished returns true once it has, and frees it. */
void recorder_finish(recorder *r);
bool recorder_finished(recorder *r, char *message, int size); /* message is "" on success */

/* Stops, waits and frees it; NULL is allowed. */
void recorder_abandon(recorder *r);

#endif
