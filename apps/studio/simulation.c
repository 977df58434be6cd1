/* The simulation thread: takes commands, steps at the requested rate, publishes copies. Triple buffering: one frame is
   being filled, one is ready, one is on screen; only the swap happens under the lock. */
#include "studio/simulation.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "studio/hand.h"

enum { FRAMES = 3, MAX_EVENTS = 64, MAX_SAMPLES = 1024 };

#define LATE 0.25  /* s behind the clock after which lost time is dropped */
#define SMOOTH 0.1 /* weight of a new measurement */
#define LEAD 2     /* frames that one of two compared simulations may be ahead */

typedef enum command_kind {
    COMMAND_LOAD,
    COMMAND_SET,
    COMMAND_PLAY,
    COMMAND_STEP,
    COMMAND_SPEED,
    COMMAND_RATE,
    COMMAND_OVERLAY,
    COMMAND_RESTAGE,
    COMMAND_HOLD,
    COMMAND_HOLD_MOVE,
    COMMAND_HOLD_END,
    COMMAND_PIN,
    COMMAND_BODY,
    COMMAND_DROP
} command_kind;

typedef struct command {
    command_kind kind;
    tl_scene *scene;
    simulation_change change;
    char text[600];
    double number;
    int object, vertex;
    float position[3], rotation[4];
} command;

typedef struct shown_frame {
    stage_frame *frame;
    unsigned generation;
    uint64_t version;
} shown_frame;

/* What a simulation shares with its peer in a comparison. */
typedef struct progress {
    atomic_long frame;
    atomic_bool playing;
} progress;

struct simulation {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    void (*wake)(void);

    /* under the lock */
    command *commands;
    int command_count, command_capacity;
    simulation_event events[MAX_EVENTS];
    int event_count;
    simulation_sample samples[MAX_SAMPLES];
    int sample_count;
    simulation_status status;
    shown_frame back, ready, front;
    bool fresh; /* `ready` was not shown yet */
    bool quit, lockstep;
    bool done, orphan; /* the thread has ended; nobody waits for it and it cleans up itself */
    bool wants_stage;
    simulation *peer;

    progress progress;

    /* simulation thread only */
    tl_scene *scene;
    double speed, fps, due; /* 1, 1/s, monotonic s */
    const char *overlay;
    int steps;           /* requested single steps */
    bool playing, dirty; /* something to publish without a step */
    double step_seconds, mean_seconds, mean_interval, rate, last_step;
    double material_error; /* smoothed */
    uint64_t version;
    long frame;
    hand hand;
};

double studio_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Notifies the window of something new, unless it is closing. Not under the lock. */
static void wake_window(simulation *s)
{
    pthread_mutex_lock(&s->lock);
    void (*call)(void) = s->quit ? NULL : s->wake;
    pthread_mutex_unlock(&s->lock);
    if (call)
        call();
}

/* ---- commands, window side -------------------------------------------------------------------------------------- */

/* A command of these kinds replaces the last one of the same kind and target. */
static bool replaces(const command *last, const command *next)
{
    bool same_set = next->kind == COMMAND_SET && strcmp(last->change.path, next->change.path) == 0;
    bool same_body = next->kind == COMMAND_BODY && last->object == next->object;
    return last->kind == next->kind &&
           (same_set || same_body || next->kind == COMMAND_HOLD_MOVE || next->kind == COMMAND_SPEED);
}

static bool about_the_world(command_kind kind)
{
    return kind == COMMAND_LOAD || kind == COMMAND_SET || kind == COMMAND_RESTAGE || kind >= COMMAND_HOLD;
}

/* A new scene discards the pending commands of the current one. */
static void forget_commands(simulation *s)
{
    int kept = 0;
    for (int k = 0; k < s->command_count; ++k) {
        if (!about_the_world(s->commands[k].kind))
            s->commands[kept++] = s->commands[k];
        else
            tl_scene_destroy(s->commands[k].scene);
    }
    s->command_count = kept;
}

static void push(simulation *s, const command *next)
{
    pthread_mutex_lock(&s->lock);
    if (next->kind == COMMAND_LOAD)
        forget_commands(s);
    command *last = s->command_count > 0 ? &s->commands[s->command_count - 1] : NULL;
    if (last && replaces(last, next)) {
        simulation_change first = last->change; /* the value to restore is from before the first of them */
        *last = *next;
        last->change = first;
    } else {
        if (s->command_count == s->command_capacity) {
            int capacity = s->command_capacity ? 2 * s->command_capacity : 32;
            command *grown = realloc(s->commands, (size_t)capacity * sizeof *grown);
            if (grown) {
                s->commands = grown;
                s->command_capacity = capacity;
            }
        }
        if (s->command_count < s->command_capacity)
            s->commands[s->command_count++] = *next;
        else
            tl_scene_destroy(next->scene); /* out of memory: the command is lost, the program continues */
    }
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void copy_text(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    length = length < size ? length : size - 1;
    memcpy(to, from, length);
    to[length] = 0;
}

void simulation_load(simulation *s, tl_scene *scene, const simulation_change *change)
{
    command o = {.kind = COMMAND_LOAD, .scene = scene};
    if (change)
        o.change = *change;
    push(s, &o);
}

void simulation_set(simulation *s, const char *path, const char *text, const char *before)
{
    command o = {.kind = COMMAND_SET};
    copy_text(o.change.path, sizeof o.change.path, path);
    copy_text(o.change.before, sizeof o.change.before, before);
    copy_text(o.text, sizeof o.text, text);
    push(s, &o);
}

void simulation_play(simulation *s, bool playing) { push(s, &(command){.kind = COMMAND_PLAY, .number = playing}); }
void simulation_step(simulation *s) { push(s, &(command){.kind = COMMAND_STEP}); }
void simulation_speed(simulation *s, double speed) { push(s, &(command){.kind = COMMAND_SPEED, .number = speed}); }
void simulation_rate(simulation *s, double fps) { push(s, &(command){.kind = COMMAND_RATE, .number = fps}); }
void simulation_restage(simulation *s) { push(s, &(command){.kind = COMMAND_RESTAGE}); }
void simulation_hold_end(simulation *s) { push(s, &(command){.kind = COMMAND_HOLD_END}); }
void simulation_body_drop(simulation *s, int body) { push(s, &(command){.kind = COMMAND_DROP, .object = body}); }

void simulation_overlay(simulation *s, const char *name)
{
    command o = {.kind = COMMAND_OVERLAY};
    copy_text(o.text, sizeof o.text, name);
    push(s, &o);
}

void simulation_hold(simulation *s, int cloth, int vertex, const float position[3])
{
    command o = {.kind = COMMAND_HOLD, .object = cloth, .vertex = vertex};
    memcpy(o.position, position, sizeof o.position);
    push(s, &o);
}

void simulation_hold_move(simulation *s, const float position[3])
{
    command o = {.kind = COMMAND_HOLD_MOVE};
    memcpy(o.position, position, sizeof o.position);
    push(s, &o);
}

void simulation_pin(simulation *s, int cloth, int vertex, simulation_pinning how)
{
    push(s, &(command){.kind = COMMAND_PIN, .object = cloth, .vertex = vertex, .number = how});
}

void simulation_body_hold(simulation *s, int body, const float position[3], const float rotation[4])
{
    command o = {.kind = COMMAND_BODY, .object = body};
    memcpy(o.position, position, sizeof o.position);
    memcpy(o.rotation, rotation, sizeof o.rotation);
    push(s, &o);
}

void simulation_lockstep(simulation *s, bool on)
{
    pthread_mutex_lock(&s->lock);
    s->lockstep = on;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void simulation_follow(simulation *s, simulation *peer)
{
    pthread_mutex_lock(&s->lock);
    s->peer = peer;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* ---- events, simulation side ------------------------------------------------------------------------------------ */

static void send(simulation *s, const simulation_event *event)
{
    pthread_mutex_lock(&s->lock);
    if (s->event_count == MAX_EVENTS) /* drop the oldest */
        memmove(s->events, s->events + 1, (size_t)--s->event_count * sizeof *s->events);
    s->events[s->event_count++] = *event;
    pthread_mutex_unlock(&s->lock);
    wake_window(s);
}

static void report_event(simulation *s, simulation_event_kind kind, const simulation_change *change,
                         const char *message)
{
    simulation_event event = {.kind = kind};
    if (change)
        event.change = *change;
    copy_text(event.message, sizeof event.message, message);
    send(s, &event);
}

static void list_pins(const tl_cloth *cloth, int index, simulation_status *status)
{
    for (int v = 0; v < tl_cloth_vertex_count(cloth); ++v) {
        if (!tl_cloth_pinned(cloth, v))
            continue;
        ++status->pinned;
        if (status->pin_count == SIMULATION_PINS)
            continue;
        status->pins[status->pin_count][0] = index;
        status->pins[status->pin_count++][1] = v;
    }
}

/* Sums over the cloths of the world, or their largest. */
static void measure(simulation *s, simulation_status *status, simulation_sample *sample)
{
    tl_world *world = tl_scene_world(s->scene);
    const tl_cloth *farthest = NULL;
    double error = -1;
    for (int k = 0; k < tl_world_cloth_count(world); ++k) {
        tl_cloth *cloth = tl_world_cloth(world, k);
        tl_cloth_stats stats = tl_cloth_get_stats(cloth);
        tl_energies energies = tl_cloth_energies(cloth);
        status->stepper = k == 0 ? tl_cloth_stepper(cloth) : status->stepper;
        status->particles += stats.particles;
        status->links += stats.links;
        status->faces += stats.faces;
        status->contacts += stats.contacts;
        status->rejected_frames += stats.rejected_frames;
        status->bytes += stats.bytes;
        list_pins(cloth, k, status);
        status->substeps = stats.substeps > status->substeps ? stats.substeps : status->substeps;
        status->parts = stats.parts > status->parts ? stats.parts : status->parts;
        status->strain = fmax(status->strain, (double)stats.largest_strain);
        status->speed = fmax(status->speed, (double)stats.largest_speed);
        status->kinetic += energies.kinetic;
        status->gravity += energies.gravity;
        status->elastic += energies.elastic;
        status->gas += energies.gas;
        status->volume += stats.volume;
        status->pressure = fmax(status->pressure, stats.pressure);
        status->nrt += stats.nrt;
        sample->forces += stats.seconds_forces;
        sample->step += stats.seconds_step;
        sample->contact += stats.seconds_contact;
        sample->finish += stats.seconds_finish;
        if ((double)stats.material_error > error) {
            farthest = cloth;
            error = (double)stats.material_error;
        }
    }
    if (!farthest)
        return;
    s->material_error = s->material_error > 0 ? s->material_error + SMOOTH * (error - s->material_error) : error;
    status->material_error = s->material_error;
    tl_cloth_material_advice(farthest, s->material_error, status->advice, sizeof status->advice);
}

/* Captures the world and publishes it to the window. */
static void publish(simulation *s, bool stepped)
{
    tl_world *world = tl_scene_world(s->scene);
    simulation_status status = {.frame = s->frame, .time = tl_world_time(world), .playing = s->playing};
    simulation_sample sample = {0};
    measure(s, &status, &sample);
    stage_frame_capture(s->back.frame, world, s->overlay);
    s->back.version = ++s->version;
    status.step_seconds = s->step_seconds;
    status.mean_seconds = s->mean_seconds;
    status.rate = s->rate;
    status.held_cloth = s->hand.cloth;
    status.held_vertex = s->hand.vertex;

    pthread_mutex_lock(&s->lock);
    status.generation = s->status.generation;
    status.unstable = s->status.unstable;
    s->back.generation = status.generation;
    s->status = status;
    shown_frame filled = s->back;
    s->back = s->ready;
    s->ready = filled;
    s->fresh = true;
    if (stepped && s->sample_count < MAX_SAMPLES) {
        sample.frame = status.frame;
        sample.time = status.time;
        sample.substeps = status.substeps;
        sample.contacts = status.contacts;
        sample.strain = status.strain;
        sample.speed = status.speed;
        sample.kinetic = status.kinetic;
        sample.gravity = status.gravity;
        sample.elastic = status.elastic;
        sample.gas = status.gas;
        sample.volume = status.volume;
        sample.pressure = status.pressure;
        sample.total = s->step_seconds;
        s->samples[s->sample_count++] = sample;
    }
    pthread_mutex_unlock(&s->lock);
    s->dirty = false;
    wake_window(s);
}

/* Waits until the window has created the GPU resources of the world. */
static void wait_for_stage(simulation *s)
{
    pthread_mutex_lock(&s->lock);
    s->wants_stage = true;
    pthread_mutex_unlock(&s->lock);
    wake_window(s);
    pthread_mutex_lock(&s->lock);
    while (s->wants_stage && !s->quit)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* ---- commands, simulation side ---------------------------------------------------------------------------------- */

static void set_playing(simulation *s, bool playing)
{
    s->playing = playing;
    s->due = studio_seconds();
    s->last_step = s->mean_interval = 0;
    atomic_store(&s->progress.playing, playing);
    pthread_mutex_lock(&s->lock);
    s->status.playing = playing;
    if (playing)
        s->status.unstable = false;
    pthread_mutex_unlock(&s->lock);
    wake_window(s);
}

/* What the world logs while it is built; errors of steps are reported as events of their own. */
static void remark(void *user, const char *message)
{
    simulation *s = user;
    pthread_mutex_lock(&s->lock);
    bool building = s->status.building;
    pthread_mutex_unlock(&s->lock);
    if (building)
        report_event(s, SIMULATION_REMARK, NULL, message);
}

/* Whether another scene is to be loaded instead; under the lock. */
static bool is_superseded(const simulation *s)
{
    bool superseded = s->quit;
    for (int k = 0; k < s->command_count; ++k)
        superseded |= s->commands[k].kind == COMMAND_LOAD;
    return superseded;
}

/* Shows how far dressing is, and gives it up when nobody wants it any more. */
static bool dress_on(void *user, const tl_scene_dressing *now)
{
    simulation *s = user;
    pthread_mutex_lock(&s->lock);
    bool wanted = !is_superseded(s);
    s->status.dressing.on = wanted;
    copy_text(s->status.dressing.label, sizeof s->status.dressing.label, now->label);
    s->status.dressing.garment = now->garment;
    s->status.dressing.count = now->count;
    s->status.dressing.phase = now->report.phase;
    s->status.dressing.done = (double)tl_dress_progress(&now->report);
    s->status.dressing.seam_gap = (double)now->report.seam_gap;
    s->status.dressing.crossings = now->report.crossings;
    pthread_mutex_unlock(&s->lock);
    wake_window(s);
    return wanted;
}

static void load(simulation *s, command *o)
{
    tl_error error = {.code = TL_OK};
    pthread_mutex_lock(&s->lock);
    s->status.building = true;
    pthread_mutex_unlock(&s->lock);
    wake_window(s);
    tl_scene_set_log(o->scene, remark, s);
    tl_scene_set_progress(o->scene, dress_on, s);
    tl_world *world = tl_scene_build(o->scene, &error);
    tl_scene_set_progress(o->scene, NULL, NULL);
    if (world) {
        tl_scene_destroy(s->scene);
        s->scene = o->scene;
        s->fps = (double)tl_scene_info(s->scene)->fps;
        s->frame = 0;
        s->hand = hand_empty();
        s->step_seconds = s->mean_seconds = s->mean_interval = s->rate = s->material_error = 0;
        atomic_store(&s->progress.frame, 0);
    } else {
        tl_scene_destroy(o->scene);
    }
    pthread_mutex_lock(&s->lock);
    s->status.building = s->status.dressing.on = false;
    bool superseded = !world && is_superseded(s);
    if (world) {
        ++s->status.generation;
        s->status.unstable = false;
        s->sample_count = 0;
    }
    pthread_mutex_unlock(&s->lock);
    if (superseded)
        return;
    if (!world) {
        report_event(s, SIMULATION_FAILED, &o->change, error.message);
        return;
    }
    publish(s, false);
    report_event(s, SIMULATION_BUILT, NULL, "");
    wait_for_stage(s);
    s->due = studio_seconds();
}

/* Whether a change affects the drawn meshes: shapes of bodies, links of cloths, and the drawing offset of bodies. */
static bool changes_stage(const char *path)
{
    static const char *const ends[] = {".size", ".material", ".fabric", ".on", ".thickness"};
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k) {
        size_t end = strlen(ends[k]);
        if (length > end && strcmp(path + length - end, ends[k]) == 0)
            return true;
    }
    return false;
}

static void set(simulation *s, const command *o)
{
    tl_error error = {.code = TL_OK};
    bool rebuild = false;
    if (tl_scene_set(s->scene, o->change.path, o->text, &rebuild, &error) != TL_OK) {
        report_event(s, SIMULATION_REFUSED, &o->change, error.message);
    } else if (rebuild) {
        report_event(s, SIMULATION_REBUILD, &o->change, "");
    } else {
        s->dirty = true;
        if (changes_stage(o->change.path))
            wait_for_stage(s);
    }
}

static void set_overlay(simulation *s, const char *name)
{
    const char *const *names = tl_param_find(&tl_look_params, "overlay")->names;
    for (int k = 0; names[k]; ++k)
        if (strcmp(name, names[k]) == 0)
            s->overlay = names[k];
    s->dirty = true;
}

static void pin(simulation *s, const command *o)
{
    tl_world *world = tl_scene_world(s->scene);
    if (o->object < 0 || o->object >= tl_world_cloth_count(world))
        return;
    tl_cloth *cloth = tl_world_cloth(world, o->object);
    bool toggle = o->number == SIMULATION_TOGGLE, held = toggle ? !tl_cloth_pinned(cloth, o->vertex) : o->number != 0;
    simulation_event event = {.kind = SIMULATION_PINNED, .cloth = o->object, .vertex = o->vertex, .pinned = held};
    if (tl_cloth_pin(cloth, o->vertex, held) == TL_OK && toggle)
        send(s, &event);
}

/* Commands about dragging and pins. */
static void handle(simulation *s, const command *o)
{
    tl_world *world = tl_scene_world(s->scene);
    if (o->kind == COMMAND_HOLD)
        hand_take(&s->hand, world, o->object, o->vertex, o->position);
    else if (o->kind == COMMAND_HOLD_MOVE)
        hand_lead(&s->hand, o->position);
    else if (o->kind == COMMAND_HOLD_END)
        hand_release(&s->hand, world);
    else if (o->kind == COMMAND_BODY)
        hand_take_body(&s->hand, world, o->object, o->position, o->rotation);
    else if (o->kind == COMMAND_DROP)
        hand_drop(world, o->object);
    else
        pin(s, o);
    s->dirty = true;
}

static void run_command(simulation *s, command *o)
{
    if (o->kind == COMMAND_LOAD) {
        load(s, o);
    } else if (o->kind == COMMAND_PLAY) {
        set_playing(s, o->number != 0);
    } else if (o->kind == COMMAND_STEP) {
        set_playing(s, false);
        ++s->steps;
    } else if (o->kind == COMMAND_SPEED) {
        s->speed = o->number;
        s->due = studio_seconds();
        s->mean_interval = 0;
    } else if (o->kind == COMMAND_RATE) {
        s->fps = o->number;
    } else if (o->kind == COMMAND_OVERLAY) {
        set_overlay(s, o->text);
    } else if (s->scene && o->kind == COMMAND_SET) {
        set(s, o);
    } else if (s->scene && o->kind == COMMAND_RESTAGE) {
        wait_for_stage(s);
    } else if (s->scene) {
        handle(s, o);
    }
}

/* ---- stepping --------------------------------------------------------------------------------------------------- */

static void keep_pace(simulation *s, double began, double dt)
{
    double now = studio_seconds();
    s->step_seconds = now - began;
    s->mean_seconds =
        s->mean_seconds > 0 ? s->mean_seconds + SMOOTH * (s->step_seconds - s->mean_seconds) : s->step_seconds;
    if (s->playing && s->last_step > 0 && now > s->last_step) {
        double interval = now - s->last_step; /* mean of the interval: the mean of its inverse would be too large */
        s->mean_interval = s->mean_interval > 0 ? s->mean_interval + SMOOTH * (interval - s->mean_interval) : interval;
        s->rate = dt / s->mean_interval;
    }
    s->last_step = now;
    s->due += dt / s->speed;
    if (s->due < now - LATE)
        s->due = now;
}

static void step(simulation *s)
{
    tl_world *world = tl_scene_world(s->scene);
    double dt = 1 / s->fps, began = studio_seconds();
    pthread_mutex_lock(&s->lock);
    s->status.busy_since = began;
    pthread_mutex_unlock(&s->lock);
    hand_before_step(&s->hand, world, dt);
    tl_result result = tl_world_step(world, (tl_real)dt);
    atomic_store(&s->progress.frame, ++s->frame);
    keep_pace(s, began, dt);
    if (result != TL_OK) {
        char message[TL_ERROR_LENGTH];
        copy_text(message, sizeof message, tl_last_error(world));
        set_playing(s, false);
        s->steps = 0;
        pthread_mutex_lock(&s->lock);
        s->status.unstable = true;
        pthread_mutex_unlock(&s->lock);
        report_event(s, SIMULATION_UNSTABLE, NULL, message);
    }
    publish(s, true);
}

/* Sleeps under the lock until a command arrives or `until`, monotonic s. */
static void doze(simulation *s, double until)
{
    struct timespec at = {.tv_sec = (time_t)until, .tv_nsec = (long)((until - floor(until)) * 1e9)};
    pthread_cond_timedwait(&s->changed, &s->lock, &at);
}

/* Whether a step may start now; under the lock. Otherwise *until is when to check again, 0: when a command arrives. */
static bool may_step(simulation *s, double *until)
{
    double now = studio_seconds();
    *until = 0;
    if (!s->scene || (!s->playing && s->steps == 0))
        return false;
    if (s->lockstep && s->fresh)
        return false;
    if (s->playing && !s->lockstep && s->due > now) {
        *until = s->due;
        return false;
    }
    bool ahead = s->peer && s->playing && atomic_load(&s->peer->progress.playing) &&
                 s->frame - atomic_load(&s->peer->progress.frame) >= LEAD;
    if (ahead)
        *until = now + 0.002;
    return !ahead;
}

static void free_all(simulation *s)
{
    for (int k = 0; k < s->command_count; ++k)
        tl_scene_destroy(s->commands[k].scene);
    free(s->commands);
    tl_scene_destroy(s->scene);
    stage_frame_destroy(s->back.frame);
    stage_frame_destroy(s->ready.frame);
    stage_frame_destroy(s->front.frame);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static void *simulate(void *user)
{
    simulation *s = user;
    pthread_mutex_lock(&s->lock);
    while (!s->quit) {
        double until;
        if (s->command_count > 0) {
            command o = s->commands[0];
            memmove(s->commands, s->commands + 1, (size_t)--s->command_count * sizeof o);
            pthread_mutex_unlock(&s->lock);
            run_command(s, &o);
            pthread_mutex_lock(&s->lock);
        } else if (may_step(s, &until)) {
            pthread_mutex_unlock(&s->lock);
            s->steps -= s->steps > 0;
            step(s);
            pthread_mutex_lock(&s->lock);
        } else if (s->dirty && s->scene) {
            pthread_mutex_unlock(&s->lock);
            publish(s, false);
            pthread_mutex_lock(&s->lock);
        } else if (until > 0) {
            doze(s, until);
        } else {
            pthread_cond_wait(&s->changed, &s->lock);
        }
    }
    s->done = true;
    bool orphan = s->orphan;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (orphan)
        free_all(s);
    return NULL;
}

/* ---- lifetime --------------------------------------------------------------------------------------------------- */

simulation *simulation_create(void (*wake)(void))
{
    simulation *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->wake = wake;
    s->speed = 1;
    s->fps = 60;
    s->overlay = "none";
    s->hand = hand_empty();
    s->status.held_cloth = s->status.held_vertex = -1;
    atomic_init(&s->progress.frame, 0);
    atomic_init(&s->progress.playing, false);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    s->back.frame = stage_frame_create();
    s->ready.frame = stage_frame_create();
    s->front.frame = stage_frame_create();
    if (!s->back.frame || !s->ready.frame || !s->front.frame || pthread_create(&s->thread, NULL, simulate, s) != 0) {
        free_all(s);
        return NULL;
    }
    return s;
}

void simulation_destroy(simulation *s, double patience)
{
    if (!s)
        return;
    double until = studio_seconds() + patience;
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_broadcast(&s->changed);
    while (!s->done && studio_seconds() < until)
        doze(s, until);
    bool done = s->done;
    s->orphan = !done;
    pthread_t thread = s->thread;
    pthread_mutex_unlock(&s->lock);
    if (done) {
        pthread_join(thread, NULL);
        free_all(s);
    } else {
        pthread_detach(thread);
    }
}

/* ---- events, window side ---------------------------------------------------------------------------------------- */

bool simulation_next_event(simulation *s, simulation_event *event)
{
    pthread_mutex_lock(&s->lock);
    bool there = s->event_count > 0;
    if (there) {
        *event = s->events[0];
        memmove(s->events, s->events + 1, (size_t)--s->event_count * sizeof *s->events);
    }
    pthread_mutex_unlock(&s->lock);
    return there;
}

simulation_status simulation_get_status(simulation *s)
{
    pthread_mutex_lock(&s->lock);
    simulation_status status = s->status;
    pthread_mutex_unlock(&s->lock);
    return status;
}

int simulation_samples(simulation *s, simulation_sample *samples, int capacity)
{
    pthread_mutex_lock(&s->lock);
    int count = s->sample_count < capacity ? s->sample_count : capacity;
    memcpy(samples, s->samples, (size_t)count * sizeof *samples);
    s->sample_count -= count;
    memmove(s->samples, s->samples + count, (size_t)s->sample_count * sizeof *samples);
    pthread_mutex_unlock(&s->lock);
    return count;
}

tl_world *simulation_stage_wanted(simulation *s)
{
    pthread_mutex_lock(&s->lock);
    tl_world *world = s->wants_stage && s->scene ? tl_scene_world(s->scene) : NULL;
    pthread_mutex_unlock(&s->lock);
    return world;
}

void simulation_staged(simulation *s)
{
    pthread_mutex_lock(&s->lock);
    s->wants_stage = false;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

const stage_frame *simulation_frame(simulation *s, unsigned *generation, uint64_t *version)
{
    pthread_mutex_lock(&s->lock);
    if (s->fresh) {
        shown_frame newest = s->ready;
        s->ready = s->front;
        s->front = newest;
        s->fresh = false;
        if (s->lockstep)
            pthread_cond_broadcast(&s->changed);
    }
    *generation = s->front.generation;
    *version = s->front.version;
    const stage_frame *frame = s->front.version > 0 ? s->front.frame : NULL;
    pthread_mutex_unlock(&s->lock);
    return frame;
}
