#include "core/timing.h"

#include <time.h>
#include <unistd.h>

double tl_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#ifndef __wasm__ /* there: core/tasks_wasm.c */
int tl_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}
#endif

int tl_widest_lanes(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") ? 8 : 4;
#else
    return 4;
#endif
}
