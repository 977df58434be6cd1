#include "studio/recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "render/output.h"
#include "render/video.h"

enum { QUEUE = 8 }; /* pictures between the window and the encoder */

struct recorder {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint8_t *pictures[QUEUE];
    int count;
    bool finish, done;
    int width, height, written;
    video *clip; /* NULL: PNG files */
    char folder[900];
    int folder_lock;
    render_error error;
};

static bool write_picture(recorder *r, uint8_t *rgba)
{
    if (r->clip)
        return video_frame(r->clip, rgba, &r->error);
    char name[1024];
    snprintf(name, sizeof name, "%s/frame%05d.png", r->folder, r->written);
    return image_write_png(name, r->width, r->height, rgba, &r->error);
}

static void *record(void *user)
{
    recorder *r = user;
    bool well = true;
    pthread_mutex_lock(&r->lock);
    for (;;) {
        while (r->count == 0 && !r->finish)
            pthread_cond_wait(&r->changed, &r->lock);
        if (r->count == 0)
            break;
        uint8_t *rgba = r->pictures[0];
        memmove(r->pictures, r->pictures + 1, (size_t)--r->count * sizeof *r->pictures);
        pthread_mutex_unlock(&r->lock);
        well = well && write_picture(r, rgba);
        free(rgba);
        pthread_mutex_lock(&r->lock);
        r->written += well;
    }
    pthread_mutex_unlock(&r->lock);
    if (r->clip) /* its reason is more informative than that of the failed frame */
        video_close(r->clip, &r->error);
    pthread_mutex_lock(&r->lock);
    r->done = true;
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

recorder *recorder_open(const char *name, int width, int height, int frames_per_second, char *message, int size)
{
    recorder *r = calloc(1, sizeof *r);
    const char *dot = strrchr(name, '.');
    bool clip = dot && (strcmp(dot, ".mp4") == 0 || strcmp(dot, ".webm") == 0 || strcmp(dot, ".gif") == 0);
    message[0] = 0;
    if (!r) {
        snprintf(message, (size_t)size, "no memory to record");
        return NULL;
    }
    r->width = width;
    r->height = height;
    r->folder_lock = -1;
    if (clip) {
        r->clip = video_open(name, width, height, frames_per_second, &r->error);
        if (!r->clip)
            snprintf(message, (size_t)size, "%s", r->error.text);
    } else {
        snprintf(r->folder, sizeof r->folder, "%s", name);
        if ((mkdir(name, 0777) != 0 && errno != EEXIST) || !output_lock(name, &r->folder_lock))
            snprintf(message, (size_t)size, "%s: %s", name, output_reason());
    }
    if (message[0]) {
        free(r);
        return NULL;
    }
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    if (pthread_create(&r->thread, NULL, record, r) != 0) {
        snprintf(message, (size_t)size, "no thread to record with");
        if (r->clip)
            video_close(r->clip, NULL);
        output_unlock(&r->folder_lock);
        free(r);
        return NULL;
    }
    return r;
}

bool recorder_full(recorder *r)
{
    pthread_mutex_lock(&r->lock);
    bool full = r->count == QUEUE;
    pthread_mutex_unlock(&r->lock);
    return full;
}

bool recorder_add(recorder *r, uint8_t *rgba, int width, int height)
{
    bool fits = width == r->width && height == r->height;
    pthread_mutex_lock(&r->lock);
    if (fits && r->count < QUEUE && !r->finish)
        r->pictures[r->count++] = rgba;
    else
        free(rgba);
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    return fits;
}

int recorder_frames(recorder *r)
{
    pthread_mutex_lock(&r->lock);
    int written = r->written;
    pthread_mutex_unlock(&r->lock);
    return written;
}

void recorder_finish(recorder *r)
{
    pthread_mutex_lock(&r->lock);
    r->finish = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

bool recorder_finished(recorder *r, char *message, int size)
{
    pthread_mutex_lock(&r->lock);
    bool done = r->done;
    pthread_mutex_unlock(&r->lock);
    if (!done)
        return false;
    pthread_join(r->thread, NULL);
    snprintf(message, (size_t)size, "%s", r->error.text);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    output_unlock(&r->folder_lock);
    free(r);
    return true;
}

void recorder_abandon(recorder *r)
{
    if (!r)
        return;
    recorder_finish(r);
    pthread_join(r->thread, NULL);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    output_unlock(&r->folder_lock);
    free(r);
}
