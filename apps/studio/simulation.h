/* A scene that runs on its own thread. The window sends commands through a queue and reads copies; it never waits for a
   step, and a slow or unstable step never blocks the window.

   All calls are for the window's thread. The world belongs to the simulation thread, with one exception: between
   simulation_stage_wanted and simulation_staged it does not step and may be read. */
#ifndef STUDIO_SIMULATION_H
#define STUDIO_SIMULATION_H

#include "render/stage.h"

typedef struct simulation simulation;

/* `wake` (may be NULL) is called from the simulation thread when there is something new to show. */
simulation *simulation_create(void (*wake)(void)); /* NULL when memory or threads are short */
/* Waits at most `patience` seconds for the current step; a longer one finishes and cleans up by itself. NULL is
   allowed. */
void simulation_destroy(simulation *s, double patience);

/* ---- commands --------------------------------------------------------------------------------------------------- */

/* A change that the panels made before the world has accepted it: what to restore when it does not. */
typedef struct simulation_change {
    char path[96], before[600];
} simulation_change;

/* Takes ownership of the scene and builds it; the current one continues when that fails. Pending commands for the
   current one are discarded. `change` (may be NULL) is the one that made it necessary. */
void simulation_load(simulation *s, tl_scene *scene, const simulation_change *change);
void simulation_set(simulation *s, const char *path, const char *text, const char *before);
void simulation_play(simulation *s, bool playing);
void simulation_step(simulation *s);                /* one frame, then pause */
void simulation_speed(simulation *s, double speed); /* 1: real time */
void simulation_rate(simulation *s, double frames_per_second);
void simulation_overlay(simulation *s, const char *name);
void simulation_restage(simulation *s);           /* requests a new stage */
void simulation_lockstep(simulation *s, bool on); /* every frame is shown before the next is computed */
void simulation_follow(simulation *s,
                       simulation *peer); /* stays in sync with the peer in simulated time; NULL: alone */

/* Dragging: the vertex is pinned, moved with the mouse, and released unless it was pinned before. */
void simulation_hold(simulation *s, int cloth, int vertex, const float position[3]);
void simulation_hold_move(simulation *s, const float position[3]);
void simulation_hold_end(simulation *s);
/* A change by SIMULATION_TOGGLE is reported by SIMULATION_PINNED. */
typedef enum simulation_pinning { SIMULATION_UNPIN, SIMULATION_PIN, SIMULATION_TOGGLE } simulation_pinning;
void simulation_pin(simulation *s, int cloth, int vertex, simulation_pinning how);
void simulation_body_hold(simulation *s, int body, const float position[3], const float rotation[4]);
void simulation_body_drop(simulation *s, int body); /* moves it to its start and drops it */

/* ---- events ----------------------------------------------------------------------------------------------------- */

typedef enum simulation_event_kind {
    SIMULATION_REFUSED,  /* a change was not accepted: restore `before` */
    SIMULATION_REBUILD,  /* a change needs a rebuild of the world */
    SIMULATION_FAILED,   /* a scene could not be built */
    SIMULATION_UNSTABLE, /* a frame was rejected; the simulation paused itself */
    SIMULATION_REMARK,   /* the world that is being built says something about itself */
    SIMULATION_BUILT,
    SIMULATION_PINNED /* cloth, vertex, pinned */
} simulation_event_kind;

typedef struct simulation_event {
    simulation_event_kind kind;
    simulation_change change;
    char message[TL_ERROR_LENGTH];
    int cloth, vertex;
    bool pinned;
} simulation_event;
bool simulation_next_event(simulation *s, simulation_event *event);

enum { SIMULATION_PINS = 256 };

typedef struct simulation_status {
    unsigned generation; /* counts the worlds built; 0: none yet */
    bool playing, building, unstable;
    long frame;
    double time;         /* s, simulated */
    double step_seconds; /* of the last frame */
    double mean_seconds; /* smoothed */
    double rate;         /* simulated seconds per second while playing, smoothed */
    double busy_since;   /* monotonic s when the current step started; 0: none */
    int particles, links, faces, substeps, parts, contacts, pinned, rejected_frames;
    const char *stepper;                                  /* of the first cloth; NULL: none */
    double strain, speed, kinetic, gravity, elastic, gas; /* 1, m/s, J */
    double volume, pressure, nrt; /* m³, Pa and J of the gas in all cloths; the largest pressure */
    double material_error;        /* 1, of the cloth farthest from its material, smoothed */
    char advice[256];             /* about it, "" when it is small */
    size_t bytes;
    struct {
        bool on; /* a garment of the scene that is being built is dressed */
        char label[96];
        int garment, count; /* index of it, of all garments of the scene */
        tl_dress_phase phase;
        double done, seam_gap; /* 1, m */
        int crossings;
    } dressing;
    int held_cloth, held_vertex;  /* −1: none */
    int pin_count;                /* of those listed, at most SIMULATION_PINS */
    int pins[SIMULATION_PINS][2]; /* cloth, vertex */
} simulation_status;
simulation_status simulation_get_status(simulation *s);

typedef struct simulation_sample {
    long frame;
    int substeps, contacts;
    double time, kinetic, gravity, elastic, gas, strain, speed;
    double volume, pressure;                     /* m³, Pa */
    double forces, step, contact, finish, total; /* s, wall time of the stages */
} simulation_sample;
int simulation_samples(simulation *s, simulation_sample *samples, int capacity); /* removes them from the queue */

/* ---- showing ---------------------------------------------------------------------------------------------------- */

/* The world that needs a stage, not stepped until simulation_staged; NULL when none does. */
tl_world *simulation_stage_wanted(simulation *s);
void simulation_staged(simulation *s);

/* The newest frame, valid until the next call; NULL before the first. *generation identifies its world, *version
   changes with every frame. */
const stage_frame *simulation_frame(simulation *s, unsigned *generation, uint64_t *version);

double studio_seconds(void); /* monotonic */

#endif
