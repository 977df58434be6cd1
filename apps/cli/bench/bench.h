/* Shared by the benches. Times on a shared machine are noisy: each figure is the best of several rounds, and claims are
   ratios of figures from the same run. */
#ifndef TELAR_CLI_BENCH_H
#define TELAR_CLI_BENCH_H

#include "telar/io.h"
#include "telar/telar.h"

#include <stdbool.h>

typedef struct bench_settings {
    bool json, quick;
    const char *subject; /* scene or case, NULL when not given */
    const char *beside;  /* another telar to compare with, NULL when not given */
} bench_settings;

typedef struct bench_entry {
    const char *name;
    const char *help;                           /* one sentence */
    int (*run)(const bench_settings *settings); /* with json: prints one JSON value; returns an exit code */
} bench_entry;

extern const bench_entry bench_steppers, bench_frame, bench_links, bench_hanging_sheet, bench_draped_sheet, bench_scale,
    bench_threads, bench_instances, bench_self_contact, bench_folds, bench_stress, bench_octree, bench_implicit_denim,
    bench_robustness, bench_dressed;

int bench_implicit_steps(const bench_settings *settings); /* implicit steppers compared with XPBD */
/* Denim hung by two corners under the default stepper and others; prints rows without brackets. False: failed. */
bool bench_hung_denim(const bench_settings *settings);
int bench_dressed_tube(const bench_settings *settings); /* `telar bench dressed tube` (dressed_tube.c) */
/* `telar bench steppers s1` (s1.c) and `telar bench frame s1` (s1_frame.c). */
int bench_s1_steps(const bench_settings *settings);
int bench_s1_frame(const bench_settings *settings);

/* Best time of a call of `work`, s, within about `budget` seconds. */
double bench_best(void (*work)(void *user), void *user, double budget);

/* CPU time of this thread, s; other programs do not count. */
double bench_processor_seconds(void);

/* A scene run by a bench (play.c). */
typedef struct bench_play {
    const char *scene;
    double fps;                                              /* Hz, 0: the scene's own */
    int frames;                                              /* at most, 0: all of the scene's */
    bool longer;                                             /* `frames` may be more than the scene's */
    bool (*prepare)(tl_cloth *cloth, void *user);            /* called for every cloth; false: failed */
    void (*measure)(tl_world *world, int frame, void *user); /* after every frame; not timed */
    void *user;
} bench_play;

typedef struct bench_played {
    int particles, frames;
    double median, worst, total; /* s of CPU time, of a frame and of all frames */
    int worst_frame;
} bench_played;

/* False, with a message, if the scene cannot be run. */
bool bench_scene(const bench_play *play, bench_played *out, tl_error *error);

/* Ascending. */
void bench_sort(double *times, int count);

#endif
