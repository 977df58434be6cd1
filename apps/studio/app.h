/* State shared by the parts of the studio. One instance, on the window's thread. */
#ifndef STUDIO_APP_H
#define STUDIO_APP_H

#include "render/stage.h"
#include "studio/browser.h"
#include "studio/history.h"
#include "studio/paint.h"
#include "studio/pick.h"
#include "studio/recorder.h"
#include "studio/settings.h"
#include "studio/simulation.h"
#include "studio/studio.h"
#include "studio/ui.h"

#include <stdio.h>

#include "render/video.h"

enum { SIDE_A, SIDE_B, SIDES, LONGEST_NAME = 1024, LONGEST_VALUE = 600 };

/* One simulation on screen: the scene as edited in the panels, the same scene running, and its picture. */
typedef struct track {
    tl_scene *scene; /* never built: the panels' copy */
    simulation *sim;
    simulation_status status;
    history *history;
    stage *stage; /* NULL until the first world was built */
    picker *picker;
    const stage_frame *frame; /* newest that matches the stage; NULL: none */
    unsigned staged;          /* generation of the stage */
    uint64_t version;         /* of the frame */
    stage_box start;          /* bounds of the stage's starting state, m */
    unsigned started;         /* generation that they belong to */
    bool has_start;           /* and it is the scene's: not that of the scene before */
    render_target *target;    /* the picture while things move */
    render_target *fine;      /* the better one when they rest */
    bool stale;               /* the picture is older than what it shows */
    bool fine_shown;
} track;

typedef enum drag_kind { DRAG_NONE, DRAG_ORBIT, DRAG_PAN, DRAG_LOOK, DRAG_CLOTH, DRAG_BODY } drag_kind;

typedef struct drag {
    drag_kind kind;
    int side, object, vertex;
    float depth_point[3];   /* m, a point of the drag plane */
    float offset[3];        /* m, from the point under the pointer to the dragged object */
    float rotation[4];      /* of a body */
    float target[3];        /* m, where it is dragged to */
    float start_x, start_y; /* px */
    bool moved;             /* further than a click allows */
} drag;

typedef enum dialog { DIALOG_NONE, DIALOG_OPEN, DIALOG_SAVE, DIALOG_HELP } dialog;

typedef struct app {
    const studio_options *options;
    struct GLFWwindow *window;
    render *renderer;
    settings settings;

    track tracks[SIDES];
    bool comparing, compare_wanted;
    int tab;                   /* side edited in the physics panel */
    unsigned opened;           /* counts scenes opened */
    simulation_change pending; /* a change that waits until the widget is released; path "" for none */
    bool changed;              /* since it was opened or saved */
    char name[LONGEST_NAME];   /* file it was opened from or saved to */

    camera cam;
    camera framed;                 /* as chosen for a scene whose camera has no place: `cam`, until the user moves it */
    camera single_cam, paired_cam; /* before a comparison, and at its start */
    bool cam_moved;                /* the picture must be redrawn */
    int level;                     /* of detail while things move: 0 is the best */
    double slow_time, fast_time;   /* s, consecutive slow or fast frames */
    double level_time, patience;   /* s, since the level changed; fast frames required before it rises */
    bool level_rose;               /* and has not fallen since */
    double moved_at;               /* monotonic s of the last picture that showed something new */
    ui_rect viewport;
    drag drag;

    bool full_screen;
    int windowed[4]; /* x, y, width, height to restore */
    dialog dialog;
    bool dialog_new; /* opened in this frame */
    char save_name[LONGEST_NAME];
    browser *browser;
    recorder *recorder;
    long record_from;         /* count of drawn frames */
    uint64_t recorded[SIDES]; /* versions of the last recorded picture */
    char record_name[LONGEST_NAME];

    char alarm[TL_ERROR_LENGTH], note[TL_ERROR_LENGTH], last_file[LONGEST_NAME];
    int alarm_side;
    bool alarm_unstable; /* more substeps may help */
    double note_until;   /* monotonic s */

    double fps;         /* drawn frames per second, smoothed while drawing continuously */
    long drawn, events; /* pictures; mouse and key events */
    bool idle;          /* nothing changes */
    bool quit;
    int redraws; /* frames to draw although nothing is known to have changed */
} app;

/* ---- document.c: the scene and its changes ---------------------------------------------------------------------- */

tl_scene *document_copy(const tl_scene *scene, tl_error *error);
bool document_open(app *a, const char *name);
bool document_adopt(app *a, tl_scene *scene, const char *name); /* takes ownership of the scene */
bool document_save(app *a, const char *file_name);
void document_reset(app *a); /* rebuilds all worlds */
/* Sets a parameter on one side, or on all with side −1. `now`: applied to the running world, else it is rebuilt; `send`
   false keeps it in the panels until a later call sends it. */
void document_set(app *a, int side, const char *path, const char *text, bool now, bool send);
void document_list(app *a, const char *path, bool add); /* adds to a list, or removes an entry */
void document_pin(app *a, int cloth, int vertex, bool pinned);
void document_answer(app *a, int side, const simulation_event *event);
bool document_get(const app *a, int side, const char *path, char *text, size_t size);
int document_ball(const app *a); /* body called "ball", −1 when there is none */

/* ---- control of the simulations ---------------------------------------------------------------------------------- */

bool control_playing(const app *a);
void control_play(app *a, bool playing);
void control_step(app *a);
void control_speed(app *a, double speed);
int control_sides(const app *a);
void control_drop(app *a);

/* ---- compare.c --------------------------------------------------------------------------------------------------- */

void compare_pump(app *a); /* starts or ends a requested comparison, between two frames of the window */
void compare_captions(const app *a);
void compare_choice(const char *id, int *side); /* two buttons, A and B */

/* ---- view.c: pictures -------------------------------------------------------------------------------------------- */

void view_pump(app *a);                                 /* takes new frames from the simulations */
void view_draw(app *a);                                 /* draws what is stale */
void view_present(const app *a, int width, int height); /* copies the pictures into a window of that many pixels */
bool view_may_improve(const app *a);                    /* nothing moves, and a better picture is due */
void view_pace(app *a, double seconds);                 /* chooses the level of detail after a frame of this duration */
void view_frame_scene(app *a);
void view_scene_camera(app *a); /* the camera of the scene file */
void view_stale(app *a);
ui_rect view_rect(const app *a, int side); /* part of the viewport, px of the window */
bool view_screenshot(app *a, char *file_name, int size);
void view_record(app *a);
void view_record_toggle(app *a);
void view_destroy_track(track *t, double patience); /* s, for the current step */

/* ---- input.c ----------------------------------------------------------------------------------------------------- */

void input_key(app *a, int key, int modifiers);
void input_pointer(app *a, const ui_pointer *pointer);
void input_fly(app *a, double seconds); /* keys held down */
void input_cancel(app *a);
void input_marks(const app *a); /* marks what is dragged, over the picture */

/* ---- panels ------------------------------------------------------------------------------------------------------ */

void layout_draw(app *a);
void panel_controls(app *a);
void panel_information(app *a);
void panel_help(app *a);
void panel_browser(app *a);
void panel_save(app *a);
typedef enum param_panel { PARAMS_SCENE, PARAMS_OBJECTS, PARAMS_PHYSICS } param_panel;
void panel_params(app *a, param_panel panel);

/* ---- report.c ---------------------------------------------------------------------------------------------------- */

void report_write(app *a);

/* ---- messages ---------------------------------------------------------------------------------------------------- */

void app_wake(void); /* from any thread: there is something new to show */
void app_note(app *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_alarm(app *a, int side, bool unstable, const char *message);
/* A new file name in the folder of outputs, "out/studio-20260131-235959.png"; makes the folder. */
bool app_output_name(app *a, const char *ending, char *name, size_t size);

#endif
