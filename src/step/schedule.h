/* The order of stages within a substep, as data. Text such as

     model integrate contact
     integrate (model contact)*iterations

   names stages (model, integrate, limit, contact), groups them and repeats a group a fixed number of times or
   `iterations` times. The loops of the thesis S0 have names of their own: "s0-4.1" … "s0-4.5". */
#ifndef TL_STEP_SCHEDULE_H
#define TL_STEP_SCHEDULE_H

#include "telar/types.h"

typedef enum tl_stage { TL_STAGE_MODEL, TL_STAGE_INTEGRATE, TL_STAGE_CONTACT, TL_STAGE_LIMIT, TL_STAGE_COUNT } tl_stage;

enum {
    TL_SCHEDULE_LENGTH = 32,
    TL_SCHEDULE_DEPTH = 4,
    TL_SCHEDULE_REPEAT_MAX = 1000,
    TL_SCHEDULE_STAGES_MAX = 10000 /* of one substep; nested repeats multiply, and a frame has to end */
};

typedef struct tl_schedule {
    int count;
    struct {
        signed char kind; /* a tl_stage, or TL_SCHEDULE_OPEN, TL_SCHEDULE_CLOSE */
        short repeat;     /* of a closed group; 0: the cloth's iterations */
        signed char open; /* index of the group's opening, at its close */
    } entry[TL_SCHEDULE_LENGTH];
    bool limits; /* names "limit"; else that stage runs before the first contact, or last */
    bool merges; /* starts with integrate immediately followed by model */
} tl_schedule;
enum { TL_SCHEDULE_OPEN = -1, TL_SCHEDULE_CLOSE = -2 };

/* Parses a text or preset name for a cloth with so many iterations, on which the number of stages depends. The message
   names the wrong word. */
tl_result tl_schedule_parse(const char *text, int iterations, tl_schedule *schedule, tl_error *error);

/* Calls `run` for every stage in order. */
void tl_schedule_run(const tl_schedule *schedule, int iterations, void (*run)(void *user, tl_stage stage), void *user);

#endif
