#include "studio/browser.h"

#include <epoxy/gl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "render/video.h"
#include "studio/settings.h"
#include "studio/simulation.h"

enum { WIDTH = 384, HEIGHT = 240, SAMPLES = 4, MAX_FRAMES = 75, LONGEST_PATH = 1200 };
#define MAX_SECONDS 3.0 /* s, a scene may run before its picture is taken */

/* Whose turn it is. */
typedef enum turn { TURN_WORKER, TURN_DRAW, TURN_UPLOAD } turn;

struct browser {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*wake)(void);
    bool quit, listed;
    turn turn;

    tl_scene_entry *entries; /* written before `listed` */
    int count;
    unsigned *textures; /* the window's */
    int pictures;

    /* handed from one thread to the other */
    int index;
    tl_scene *scene;
    stage_frame *frame;
    uint8_t *rgba; /* WIDTH × HEIGHT */
};

/* ---- the thread ------------------------------------------------------------------------------------------------- */

/* Hands the turn to the window and waits for it; false when the studio closes. */
static bool hand_over(browser *b, turn next)
{
    pthread_mutex_lock(&b->lock);
    b->turn = next;
    if (b->wake)
        b->wake();
    while (b->turn != TURN_WORKER && !b->quit)
        pthread_cond_wait(&b->changed, &b->lock);
    bool go_on = !b->quit;
    pthread_mutex_unlock(&b->lock);
    return go_on;
}

static bool closing(browser *b)
{
    pthread_mutex_lock(&b->lock);
    bool quit = b->quit;
    pthread_mutex_unlock(&b->lock);
    return quit;
}

/* The picture's file: the scene's name and the time its file was last changed. */
static bool cache_name(const tl_scene_entry *entry, const tl_scene *scene, char *path)
{
    struct stat status;
    char folder[1024], name[sizeof entry->name];
    if (!settings_folder(true, folder, sizeof folder) || stat(tl_scene_file(scene), &status) != 0)
        return false;
    snprintf(name, sizeof name, "%s", entry->name);
    for (char *c = name; *c; ++c)
        if (*c == '/')
            *c = '-';
    snprintf(path, LONGEST_PATH, "%s/%s-%lld.png", folder, name, (long long)status.st_mtime);
    return true;
}

static void run_a_moment(browser *b, const tl_scene *scene)
{
    const tl_scene_def *info = tl_scene_info(scene);
    double until = studio_seconds() + MAX_SECONDS;
    int frames = info->frames / 2 < MAX_FRAMES ? info->frames / 2 : MAX_FRAMES;
    for (int k = 0; k < frames && studio_seconds() < until && !closing(b); ++k)
        if (tl_world_step(tl_scene_world(scene), 1 / info->fps) != TL_OK)
            return;
}

static bool dress_on(void *user, const tl_scene_dressing *dressing)
{
    (void)dressing;
    return !closing(user);
}

/* One scene: its picture from the cache, or a new one. False when the studio closes. */
static bool make_picture(browser *b, int index)
{
    char path[LONGEST_PATH];
    render_error ignored;
    bool go_on = true;
    int width, height;
    b->index = index;
    b->scene = tl_scene_load(b->entries[index].name, NULL);
    if (b->scene)
        tl_scene_set_progress(b->scene, dress_on, b);
    bool cached = b->scene && cache_name(&b->entries[index], b->scene, path);
    b->rgba = cached ? image_read(path, &width, &height, &ignored) : NULL;
    if (b->rgba && width == WIDTH && height == HEIGHT) {
        go_on = hand_over(b, TURN_UPLOAD);
    } else if (b->scene && tl_scene_build(b->scene, NULL)) {
        free(b->rgba);
        b->rgba = NULL;
        run_a_moment(b, b->scene);
        const char *overlay = tl_scene_look(b->scene)->overlay;
        if (stage_frame_capture(b->frame, tl_scene_world(b->scene), overlay))
            go_on = !closing(b) && hand_over(b, TURN_DRAW);
        if (b->rgba && cached)
            image_write_png(path, WIDTH, HEIGHT, b->rgba, &ignored);
    }
    free(b->rgba);
    b->rgba = NULL;
    tl_scene_destroy(b->scene);
    b->scene = NULL;
    return go_on;
}

static void *browse(void *user)
{
    browser *b = user;
    b->entries = tl_scene_list(&b->count, NULL);
    b->textures = calloc((size_t)b->count + 1, sizeof *b->textures);
    if (!b->entries || !b->textures)
        b->count = 0;
    pthread_mutex_lock(&b->lock);
    b->listed = true;
    pthread_mutex_unlock(&b->lock);
    if (b->wake)
        b->wake();
    for (int k = 0; k < b->count && !closing(b); ++k)
        if (!make_picture(b, k))
            break;
    return NULL;
}

/* ---- the window's part ------------------------------------------------------------------------------------------ */

static void upload(browser *b)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, b->rgba);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glBindTexture(GL_TEXTURE_2D, 0);
    b->textures[b->index] = texture;
    ++b->pictures;
}

static void draw(browser *b, render *r)
{
    render_error error;
    tl_world *world = tl_scene_world(b->scene);
    const tl_scene_def *info = tl_scene_info(b->scene);
    const tl_look_def *look = tl_scene_look(b->scene);
    render_target *target = render_target_create(r, WIDTH, HEIGHT, SAMPLES, &error);
    stage *s = stage_create(r, world, look, tl_scene_folder(b->scene), &error);
    stage_box box;
    bool any = s && stage_bounds(s, b->frame, &box);
    stage_settings how = {.cam = stage_camera(tl_scene_camera(b->scene), any ? &box : NULL, (float)WIDTH / HEIGHT,
                                              tl_world_time(world), info->frames / (double)info->fps),
                          .look = *look,
                          .light = *tl_scene_light(b->scene),
                          .quality = render_quality_interactive()};
    if (target && s && stage_draw(s, target, b->frame, &how, &error))
        b->rgba = malloc((size_t)WIDTH * HEIGHT * 4);
    if (b->rgba) {
        render_target_read(target, b->rgba);
        upload(b);
    }
    stage_destroy(s);
    render_target_destroy(target);
}

bool browser_pump(browser *b, render *r)
{
    pthread_mutex_lock(&b->lock);
    turn now = b->turn;
    pthread_mutex_unlock(&b->lock);
    if (now == TURN_WORKER)
        return false;
    if (now == TURN_DRAW)
        draw(b, r);
    else
        upload(b);
    pthread_mutex_lock(&b->lock);
    b->turn = TURN_WORKER;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    return true;
}

bool browser_listed(browser *b)
{
    pthread_mutex_lock(&b->lock);
    bool listed = b->listed;
    pthread_mutex_unlock(&b->lock);
    return listed;
}

int browser_count(const browser *b) { return b->count; }
int browser_pictures(const browser *b) { return b->pictures; }

browser_scene browser_at(const browser *b, int index)
{
    const tl_scene_entry *entry = &b->entries[index];
    return (browser_scene){entry->name, entry->title[0] ? entry->title : entry->name, entry->description,
                           b->textures[index]};
}

/* ---- lifetime --------------------------------------------------------------------------------------------------- */

browser *browser_create(void (*wake)(void))
{
    browser *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->wake = wake;
    b->frame = stage_frame_create();
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    if (!b->frame || pthread_create(&b->thread, NULL, browse, b) != 0) {
        stage_frame_destroy(b->frame);
        pthread_cond_destroy(&b->changed);
        pthread_mutex_destroy(&b->lock);
        free(b);
        return NULL;
    }
    return b;
}

void browser_destroy(browser *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&b->lock);
    b->quit = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    if (b->textures)
        glDeleteTextures(b->count, b->textures);
    free(b->textures);
    tl_scene_list_free(b->entries);
    stage_frame_destroy(b->frame);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    free(b);
}
