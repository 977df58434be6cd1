#include "step/schedule.h"

#include "core/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const stage_names[TL_STAGE_COUNT] = {"model", "integrate", "contact", "limit"};

/* The loops of the thesis S0. 4.1 and 4.3 are meant for one substep and many iterations, the others for many
   substeps. */
static const struct {
    const char *name, *text;
} presets[] = {
    {"s0-4.1", "integrate (model contact)*iterations"},
    {"s0-4.2", "integrate model contact"},
    {"s0-4.3", "integrate (model)*iterations contact"},
    {"s0-4.4", "integrate model contact"},
    {"s0-4.5", "model integrate contact"},
};

typedef struct reader {
    const char *at;
    int open[TL_SCHEDULE_DEPTH], depth;
} reader;

static tl_result add(tl_schedule *schedule, int kind, tl_error *error)
{
    if (schedule->count == TL_SCHEDULE_LENGTH)
        return tl_fail(error, TL_ERROR_INPUT, "a schedule has at most %d entries", TL_SCHEDULE_LENGTH);
    schedule->entry[schedule->count++].kind = (signed char)kind;
    return TL_OK;
}

/* After ')': "*iterations", "*12" or nothing. */
static tl_result read_close(reader *r, tl_schedule *schedule, tl_error *error)
{
    if (r->depth == 0)
        return tl_fail(error, TL_ERROR_INPUT, "schedule: ')' without '('");
    int repeat = 1;
    if (*r->at == '*') {
        ++r->at;
        if (strncmp(r->at, "iterations", 10) == 0) {
            r->at += 10;
            repeat = 0;
        } else {
            char *end;
            long number = strtol(r->at, &end, 10);
            if (end == r->at || number < 1 || number > TL_SCHEDULE_REPEAT_MAX)
                return tl_fail(error, TL_ERROR_INPUT, "schedule: after '*' comes a number from 1 to %d or 'iterations'",
                               TL_SCHEDULE_REPEAT_MAX);
            r->at = end;
            repeat = (int)number;
        }
    }
    tl_result result = add(schedule, TL_SCHEDULE_CLOSE, error);
    if (result == TL_OK) {
        schedule->entry[schedule->count - 1].repeat = (short)repeat;
        schedule->entry[schedule->count - 1].open = (signed char)r->open[--r->depth];
    }
    return result;
}

static tl_result read_stage(reader *r, tl_schedule *schedule, tl_error *error)
{
    size_t length = 0;
    while (isalpha((unsigned char)r->at[length]))
        ++length;
    for (int stage = 0; stage < TL_STAGE_COUNT; ++stage)
        if (length == strlen(stage_names[stage]) && strncmp(r->at, stage_names[stage], length) == 0) {
            r->at += length;
            return add(schedule, stage, error);
        }
    if (length == 0)
        length = 1;
    return tl_fail(error, TL_ERROR_INPUT, "schedule: '%.*s' is none of model, integrate, limit, contact, ( and )",
                   (int)length, r->at);
}

/* Stages of one substep; a pass through an empty group counts as one, because it takes time too. At most 32 × 1000⁴. */
static long long count_stages(const tl_schedule *schedule, int iterations)
{
    long long counted[TL_SCHEDULE_DEPTH + 1] = {0};
    int depth = 0;
    for (int k = 0; k < schedule->count; ++k) {
        int kind = schedule->entry[k].kind, repeat = schedule->entry[k].repeat;
        if (kind == TL_SCHEDULE_OPEN) {
            counted[++depth] = 0;
        } else if (kind == TL_SCHEDULE_CLOSE) {
            long long inside = counted[depth] > 0 ? counted[depth] : 1;
            counted[--depth] += inside * (repeat > 0 ? repeat : iterations);
        } else {
            ++counted[depth];
        }
    }
    return counted[0];
}

tl_result tl_schedule_parse(const char *text, int iterations, tl_schedule *schedule, tl_error *error)
{
    for (size_t k = 0; k < sizeof presets / sizeof *presets; ++k)
        if (strcmp(text, presets[k].name) == 0)
            text = presets[k].text;
    tl_schedule read = {0};
    reader r = {.at = text};
    tl_result result = TL_OK;
    while (result == TL_OK && *r.at) {
        if (isspace((unsigned char)*r.at) || *r.at == ',') {
            ++r.at;
        } else if (*r.at == '(') {
            ++r.at;
            if (r.depth == TL_SCHEDULE_DEPTH)
                return tl_fail(error, TL_ERROR_INPUT, "schedule: groups nest at most %d deep", TL_SCHEDULE_DEPTH);
            r.open[r.depth++] = read.count;
            result = add(&read, TL_SCHEDULE_OPEN, error);
        } else if (*r.at == ')') {
            ++r.at;
            result = read_close(&r, &read, error);
        } else {
            result = read_stage(&r, &read, error);
        }
    }
    if (result == TL_OK && r.depth > 0)
        return tl_fail(error, TL_ERROR_INPUT, "schedule: '(' without ')'");
    bool moves = false;
    for (int k = 0; k < read.count; ++k)
        moves = moves || read.entry[k].kind == TL_STAGE_INTEGRATE;
    for (int k = 0; k < read.count; ++k)
        read.limits = read.limits || read.entry[k].kind == TL_STAGE_LIMIT;
    int second = read.count > 1 && read.entry[1].kind == TL_SCHEDULE_OPEN ? 2 : 1;
    read.merges =
        second < read.count && read.entry[0].kind == TL_STAGE_INTEGRATE && read.entry[second].kind == TL_STAGE_MODEL;
    if (result == TL_OK && !moves)
        return tl_fail(error, TL_ERROR_INPUT, "schedule: without 'integrate' nothing would move");
    long long stages = result == TL_OK ? count_stages(&read, iterations) : 0;
    if (stages > TL_SCHEDULE_STAGES_MAX)
        return tl_fail(error, TL_ERROR_INPUT,
                       "schedule: with %d iterations a substep has %lld stages, more than the %d that are possible",
                       iterations, stages, TL_SCHEDULE_STAGES_MAX);
    if (result == TL_OK)
        *schedule = read;
    return result;
}

void tl_schedule_run(const tl_schedule *schedule, int iterations, void (*run)(void *user, tl_stage stage), void *user)
{
    int done[TL_SCHEDULE_LENGTH] = {0};
    for (int k = 0; k < schedule->count; ++k) {
        int kind = schedule->entry[k].kind;
        if (kind >= 0) {
            run(user, (tl_stage)kind);
        } else if (kind == TL_SCHEDULE_OPEN) {
            done[k] = 0;
        } else {
            int open = schedule->entry[k].open;
            int repeat = schedule->entry[k].repeat ? schedule->entry[k].repeat : iterations;
            if (++done[open] < repeat)
                k = open; /* the loop's own ++ goes to the first entry of the group */
        }
    }
}
