/* Timing for the benches. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <time.h>

double bench_best(void (*work)(void *user), void *user, double budget)
{
    double best = 1e30, end = cli_seconds() + budget;
    do {
        double start = cli_seconds();
        work(user);
        double elapsed = cli_seconds() - start;
        best = elapsed < best ? elapsed : best;
    } while (cli_seconds() < end);
    return best;
}

double bench_processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort(double *times, int count) { qsort(times, (size_t)count, sizeof *times, compare_times); }
