/* Pictures and clips on disk. PNG needs nothing; mp4, webm and gif are encoded by the `ffmpeg` program when it is
   there (a pipe of raw pixels; linking an encoder would change our licence). */
#ifndef RENDER_VIDEO_H
#define RENDER_VIDEO_H

#include "render_error.h"
#include <stdbool.h>
#include <stdint.h>

/* RGBA, 4 bytes a pixel, rows top-down. The alpha is written as it is. */
bool image_write_png(const char *path, int width, int height, const uint8_t *rgba, render_error *error);

/* Reads any format stb_image knows. Returns malloc'ed RGBA rows top-down (free() it), NULL on error. */
uint8_t *image_read(const char *path, int *width, int *height, render_error *error);

typedef struct video video;

/* Is there an executable `ffmpeg` on the PATH? */
bool video_available(void);

/* Starts a clip; the ending of `path` chooses the format: .mp4 (H.264, yuv420p), .webm (VP9) or .gif (own palette).
   Any size ≥ 2 is taken: mp4 and webm crop an odd last row or column. An existing file is replaced.
   NULL on error: no ffmpeg, unknown ending, bad size. */
video *video_open(const char *path, int width, int height, int frames_per_second, render_error *error);

/* One frame, RGBA rows top-down, width × height × 4 bytes. False when ffmpeg has exited; video_close gives the
   reason. */
bool video_frame(video *clip, const uint8_t *rgba, render_error *error);

/* Ends the clip, waits for ffmpeg and frees `clip` in every case. False with ffmpeg's last messages on failure. */
bool video_close(video *clip, render_error *error);

#endif
