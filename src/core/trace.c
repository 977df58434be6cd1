#include "core/trace.h"

#include "core/timing.h"

void tl_trace_clear(tl_trace *trace) { trace->count = 0; }

int tl_trace_begin(tl_trace *trace, const char *name, int cloth, int substep)
{
    if (!trace->on || !tl_grow(&trace->allocator, &trace->entry, trace->count, &trace->capacity, sizeof *trace->entry))
        return -1;
    trace->entry[trace->count] =
        (tl_trace_entry){.name = name, .cloth = cloth, .substep = substep, .start = tl_seconds()};
    return trace->count++;
}

void tl_trace_end(tl_trace *trace, int entry, int count, const char *counts)
{
    if (entry < 0)
        return;
    tl_trace_entry *e = &trace->entry[entry];
    e->seconds = tl_seconds() - e->start;
    e->count = count;
    e->counts = counts;
}

/* From the back, so that no entry moves twice: both sides are in order. On a tie the entry of `into` comes first. */
void tl_trace_merge(tl_trace *into, const tl_trace *from)
{
    while (into->capacity < into->count + from->count)
        if (!tl_grow(&into->allocator, &into->entry, into->capacity, &into->capacity, sizeof *into->entry))
            break;
    int room = into->capacity - into->count, left = from->count < room ? from->count : room, a = into->count;
    into->count += left;
    for (int at = into->count; left > 0;)
        into->entry[--at] =
            a > 0 && into->entry[a - 1].start > from->entry[left - 1].start ? into->entry[--a] : from->entry[--left];
}

void tl_trace_release(tl_trace *trace) { tl_release(&trace->allocator, trace->entry); }
