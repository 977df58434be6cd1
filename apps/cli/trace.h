/* What ran in a frame, as a table, for `telar run --trace`. */
#ifndef TELAR_CLI_TRACE_H
#define TELAR_CLI_TRACE_H

#include "telar/telar.h"

/* The trace of the last frame on standard output: its entries in order, of the first substep or of all, then the time
   of each stage and phase and its share of `seconds`, which the frame took. */
void trace_print(const tl_world *world, int frame, double seconds, bool all);

#endif
