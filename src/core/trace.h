/* A record of the stages of a frame: name, time and counts. Off by default; grows as needed, dropping entries when
   memory is short. Written by one thread at a time. */
#ifndef TL_CORE_TRACE_H
#define TL_CORE_TRACE_H

#include "core/memory.h"
#include "telar/world.h"

typedef struct tl_trace {
    bool on;
    tl_allocator allocator;
    tl_trace_entry *entry;
    int count, capacity;
} tl_trace;

/* Starts a frame: drops what was recorded. */
void tl_trace_clear(tl_trace *trace);
/* Returns the entry, for tl_trace_end; -1 when nothing is recorded. `cloth`: its index, -1 for the world. */
int tl_trace_begin(tl_trace *trace, const char *name, int cloth, int substep);
/* `counts` names what `count` counts; NULL: nothing. */
void tl_trace_end(tl_trace *trace, int entry, int count, const char *counts);
/* Merges the entries of another trace, in the order of start times. */
void tl_trace_merge(tl_trace *into, const tl_trace *from);
void tl_trace_release(tl_trace *trace);

#endif
