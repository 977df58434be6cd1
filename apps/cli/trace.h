/* Table of a traced frame, for `telar run --trace`. */
#ifndef TELAR_CLI_TRACE_H
#define TELAR_CLI_TRACE_H

#include "telar/telar.h"

/* Prints the trace of the last frame to standard output: its entries in order, of the first substep or of all, then the
   time of each stage and phase and its share of the frame, which took `seconds`. */
void trace_print(const tl_world *world, int frame, double seconds, bool all);

#endif
