/* The window and its loop: takes new frames of the simulations and draws what changed, at most sixty times a second. */
#include <epoxy/gl.h>

#include <GLFW/glfw3.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "studio/app.h"

#define FRAME (1.0 / 60) /* s, minimum between two pictures: not every display limits the rate */
#define IDLE 0.25        /* s, to sleep when nothing happens */
#define NOTE_SECONDS 6.0 /* s, that a note stays */
#define CLOSING 2.0      /* s, to wait for a step when the window closes */
enum { REDRAWS = 4 };    /* frames drawn after an event, until hover and open animations have finished */

/* ---- messages --------------------------------------------------------------------------------------------------- */

void app_wake(void) { glfwPostEmptyEvent(); }

void app_note(app *a, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(a->note, sizeof a->note, format, arguments);
    va_end(arguments);
    a->note_until = studio_seconds() + NOTE_SECONDS;
    a->redraws = REDRAWS;
}

void app_alarm(app *a, int side, bool unstable, const char *message)
{
    snprintf(a->alarm, sizeof a->alarm, "%s", message);
    a->alarm_side = side;
    a->alarm_unstable = unstable;
    a->redraws = REDRAWS;
}

bool app_output_name(app *a, const char *ending, char *name, size_t size)
{
    char stamp[32];
    time_t now = time(NULL);
    struct tm local;
    if (mkdir(a->options->out, 0777) != 0 && errno != EEXIST) {
        app_note(a, "%s: %s", a->options->out, strerror(errno));
        return false;
    }
    localtime_r(&now, &local);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    snprintf(name, size, "%s/studio-%s%s", a->options->out, stamp, ending);
    struct stat there;
    for (int k = 2; stat(name, &there) == 0 && k < 1000; ++k)
        snprintf(name, size, "%s/studio-%s-%d%s", a->options->out, stamp, k, ending);
    return true;
}

/* ---- the window ------------------------------------------------------------------------------------------------- */

static void stir(GLFWwindow *window)
{
    app *a = glfwGetWindowUserPointer(window);
    a->redraws = REDRAWS;
    ++a->events;
}

static void on_key(GLFWwindow *window, int key, int code, int action, int modifiers)
{
    (void)code;
    app *a = glfwGetWindowUserPointer(window);
    stir(window);
    bool repeats = key == GLFW_KEY_RIGHT || key == GLFW_KEY_UP || key == GLFW_KEY_DOWN;
    if ((action == GLFW_PRESS || (action == GLFW_REPEAT && repeats)) &&
        (!ui_typing() || key == GLFW_KEY_F1 || (key == GLFW_KEY_ESCAPE && a->dialog != DIALOG_NONE)))
        input_key(a, key, modifiers);
}

static void on_cursor(GLFWwindow *window, double x, double y)
{
    (void)x;
    (void)y;
    stir(window);
}
static void on_button(GLFWwindow *window, int b, int c, int m)
{
    (void)b;
    (void)c;
    (void)m;
    stir(window);
}
static void on_scroll(GLFWwindow *window, double x, double y)
{
    (void)x;
    (void)y;
    stir(window);
}
static void on_size(GLFWwindow *window, int w, int h)
{
    (void)w;
    (void)h;
    stir(window);
}
static void on_refresh(GLFWwindow *window) { stir(window); }
static void on_character(GLFWwindow *window, unsigned c)
{
    (void)c;
    stir(window);
}

static bool open_window(app *a, char *message, int size)
{
    const char *why = "";
    if (!glfwInit()) {
        glfwGetError(&why);
        snprintf(message, (size_t)size,
                 "there is no display to open a window on (%s); `telar render` draws without one", why ? why : "");
        return false;
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0); /* pictures are drawn elsewhere */
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, a->options->debug ? GLFW_TRUE : GLFW_FALSE);
    a->window = glfwCreateWindow(a->settings.width, a->settings.height, "Telar Studio", NULL, NULL);
    if (!a->window) {
        glfwGetError(&why);
        snprintf(message, (size_t)size, "no window with OpenGL 3.3 can be opened: %s", why ? why : "no reason given");
        return false;
    }
    glfwSetWindowSizeLimits(a->window, 800, 480, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwSetWindowUserPointer(a->window, a);
    glfwSetKeyCallback(a->window, on_key);
    glfwSetCursorPosCallback(a->window, on_cursor);
    glfwSetMouseButtonCallback(a->window, on_button);
    glfwSetScrollCallback(a->window, on_scroll);
    glfwSetFramebufferSizeCallback(a->window, on_size);
    glfwSetWindowRefreshCallback(a->window, on_refresh);
    glfwSetCharCallback(a->window, on_character);
    glfwMakeContextCurrent(a->window);
    glfwSwapInterval(0); /* the loop limits the rate itself */
    return true;
}

static void title_window(app *a)
{
    static char shown[256];
    char title[256];
    const char *name = tl_scene_info(a->tracks[SIDE_A].scene)->title;
    snprintf(title, sizeof title, "%s%s - Telar Studio", name[0] ? name : "Untitled scene", a->changed ? " *" : "");
    if (strcmp(title, shown) == 0)
        return;
    snprintf(shown, sizeof shown, "%s", title);
    glfwSetWindowTitle(a->window, title);
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

/* Whether anything on the screen may differ from the last frame. */
static bool something_new(const app *a)
{
    if (a->redraws > 0 || a->cam_moved || a->recorder || ui_active() || ui_stale() || view_may_improve(a))
        return true;
    for (int side = 0; side < control_sides(a); ++side)
        if (a->tracks[side].stale || a->tracks[side].status.building)
            return true;
    return a->note[0] && studio_seconds() > a->note_until;
}

static void draw_window(app *a, double seconds)
{
    int width, height;
    glfwGetWindowSize(a->window, &a->settings.width, &a->settings.height);
    glfwGetFramebufferSize(a->window, &width, &height);
    ui_begin();
    input_fly(a, seconds);
    layout_draw(a);
    ui_end();
    view_present(a, width, height);
    ui_present(a->viewport);
    glfwSwapBuffers(a->window);
    view_record(a);
    title_window(a);
    ++a->drawn;
}

/* Sleeps until the next frame is due, or when idle until something happens. */
static void wait_for_events(app *a, double last)
{
    double due = last + FRAME;
    if (!something_new(a))
        glfwWaitEventsTimeout(IDLE);
    for (double left; (left = due - studio_seconds()) > 0.0005;)
        glfwWaitEventsTimeout(left);
    glfwPollEvents();
}

static bool should_close(const app *a)
{
    const studio_options *o = a->options;
    return a->quit || glfwWindowShouldClose(a->window) || (o->frames > 0 && a->drawn >= o->frames) ||
           (o->interrupted && *o->interrupted);
}

static void loop(app *a)
{
    double last = studio_seconds();
    bool drew = false;
    while (!should_close(a)) {
        wait_for_events(a, last);
        compare_pump(a);
        view_pump(a);
        if (a->browser && a->dialog == DIALOG_OPEN && browser_pump(a->browser, a->renderer))
            a->redraws = 2;
        if (a->options->frames == 0 && !something_new(a)) {
            drew = false;
            a->idle = true;
            report_write(a);
            continue;
        }
        double now = studio_seconds(), seconds = now - last;
        last = now;
        a->redraws -= a->redraws > 0;
        a->idle = false;
        draw_window(a, seconds);
        if (drew) { /* pauses do not count as slow frames */
            view_pace(a, seconds);
            a->fps = a->fps > 0 ? a->fps + 0.05 * (1 / fmax(seconds, 1e-4) - a->fps) : 1 / fmax(seconds, 1e-4);
        }
        drew = true;
        report_write(a);
    }
}

/* ---- lifetime --------------------------------------------------------------------------------------------------- */

static bool start(app *a, tl_scene *scene, char *message, int size)
{
    render_error error;
    render_def def = {.debug = a->options->debug};
    a->renderer = render_create(&def, &error);
    if (!a->renderer) {
        tl_scene_destroy(scene);
        snprintf(message, (size_t)size, "%s", error.text);
        return false;
    }
    track *t = &a->tracks[SIDE_A];
    t->sim = simulation_create(app_wake);
    t->history = history_create();
    if (!t->sim || !t->history) {
        tl_scene_destroy(scene);
        snprintf(message, (size_t)size, "no memory or no thread for the simulation");
        return false;
    }
    a->level = strstr(render_device(a->renderer), "llvmpipe") || strstr(render_device(a->renderer), "softpipe") ? 1 : 0;
    if (document_adopt(a, scene, a->options->scene) && !a->options->paused)
        control_play(a, true);
    return true;
}

static void stop(app *a)
{
    if (a->window)
        glfwHideWindow(a->window); /* a long step may still have to finish; do not show a frozen window */
    recorder_abandon(a->recorder);
    for (int side = 0; side < SIDES; ++side)
        if (a->tracks[side].sim)
            simulation_follow(a->tracks[side].sim, NULL);
    for (int side = 0; side < SIDES; ++side)
        view_destroy_track(&a->tracks[side], CLOSING);
    browser_destroy(a->browser);
    render_destroy(a->renderer);
}

bool studio_run(const studio_options *options, tl_scene *scene, char *message, int size)
{
    app *a = calloc(1, sizeof *a);
    if (!a) {
        tl_scene_destroy(scene);
        snprintf(message, (size_t)size, "no memory for the studio");
        return false;
    }
    a->options = options;
    a->settings = settings_default();
    if (options->remember)
        settings_read(&a->settings);
    a->settings.width = options->width > 0 ? options->width : a->settings.width;
    a->settings.height = options->height > 0 ? options->height : a->settings.height;
    a->redraws = REDRAWS;
    bool done = open_window(a, message, size);
    if (!done) {
        tl_scene_destroy(scene);
    } else if (!ui_create(a->window)) {
        tl_scene_destroy(scene);
        snprintf(message, (size_t)size, "the panels could not be made");
        done = false;
    } else {
        done = start(a, scene, message, size);
        if (done)
            loop(a);
        if (done && options->remember && !a->full_screen)
            settings_write(&a->settings);
        stop(a);
        ui_destroy();
    }
    glfwTerminate();
    free(a);
    return done;
}
