/* Trace of a frame: the world's phases and the stages of its cloths, in one list. */
#include "world/world.h"

void tl_world_set_trace(tl_world *world, bool on)
{
    world->trace.on = on;
    world->trace.allocator = world->allocator;
    tl_trace_clear(&world->trace);
}

void tl_world_trace_begin(tl_world *world)
{
    tl_trace_clear(&world->trace);
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_trace *own = &world->cloths[k]->trace;
        own->on = world->trace.on;
        own->allocator = world->allocator;
        tl_trace_clear(own);
    }
}

void tl_world_trace_end(tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        tl_trace_merge(&world->trace, &world->cloths[k]->trace);
}

const tl_trace_entry *tl_world_trace(tl_world *world, int k)
{
    return k >= 0 && k < world->trace.count ? &world->trace.entry[k] : NULL;
}
