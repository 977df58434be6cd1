/* Record of what ran in a frame, in order of start: name, time and counts. Off by default. Grows as needed; entries for
   which there is no memory are left out. Written by one thread at a time. */
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

/* Drops all entries and keeps the memory. */
void tl_trace_clear(tl_trace *trace);
/* Returns the entry, for tl_trace_end; -1 when off or out of memory. Arguments as in tl_trace_entry. */
int tl_trace_begin(tl_trace *trace, const char *name, int cloth, int substep);
/* `counts`: what `count` is the number of; NULL: nothing was counted. */
void tl_trace_end(tl_trace *trace, int entry, int count, const char *counts);
/* Adds the entries of another in order of start. Without memory for all, its last ones are left out. */
void tl_trace_merge(tl_trace *into, const tl_trace *from);
void tl_trace_release(tl_trace *trace);

#endif
