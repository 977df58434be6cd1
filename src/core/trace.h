/* A record of what ran in a frame, in order: name, time and counts. Off unless asked for; then it grows as needed, and
   what finds no memory is left out. Written by one thread at a time. */
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

/* A frame starts: what was recorded is dropped. */
void tl_trace_clear(tl_trace *trace);
/* Returns the entry, for tl_trace_end; -1 when nothing is recorded. `cloth`: its index, -1 for the world. */
int tl_trace_begin(tl_trace *trace, const char *name, int cloth, int substep);
/* `counts`: what `count` is the number of; NULL: nothing. */
void tl_trace_end(tl_trace *trace, int entry, int count, const char *counts);
/* Adds the entries of another, in the order of their start. */
void tl_trace_merge(tl_trace *into, const tl_trace *from);
void tl_trace_release(tl_trace *trace);

#endif
