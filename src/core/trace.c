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

/* insertion sort: entries of one source are already in order */
void tl_trace_merge(tl_trace *into, const tl_trace *from)
{
    for (int k = 0; k < from->count; ++k) {
        int at = tl_trace_begin(into, NULL, 0, 0);
        if (at < 0)
            return;
        for (; at > 0 && into->entry[at - 1].start > from->entry[k].start; --at)
            into->entry[at] = into->entry[at - 1];
        into->entry[at] = from->entry[k];
    }
}

void tl_trace_release(tl_trace *trace) { tl_release(&trace->allocator, trace->entry); }
