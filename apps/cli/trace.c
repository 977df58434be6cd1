#include "cli/trace.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAMES = 64 }; /* stages and phases; there are about twenty */

static void print_entry(const tl_world *world, const tl_trace_entry *entry)
{
    const char *label = entry->cloth < 0 ? "world" : tl_cloth_get_def(tl_world_cloth(world, entry->cloth))->label;
    char substep[16] = "-";
    if (entry->substep >= 0)
        snprintf(substep, sizeof substep, "%d", entry->substep);
    printf("%7s  %-20s %-18s %9.3f", substep, label, entry->name, 1e3 * entry->seconds);
    if (entry->counts)
        printf("  %d %s", entry->count, entry->counts);
    putchar('\n');
}

/* A blank line between substeps. */
static void print_entries(const tl_world *world, bool all)
{
    const tl_trace_entry *entry, *last = NULL;
    int skipped = 0;
    printf("%7s  %-20s %-18s %9s  %s\n", "substep", "cloth", "name", "ms", "count");
    for (int k = 0; (entry = tl_world_trace(world, k)); ++k) {
        if (!all && entry->substep > 0) {
            ++skipped;
            continue;
        }
        if (last && entry->substep != last->substep)
            putchar('\n');
        print_entry(world, entry);
        last = entry;
    }
    if (skipped > 0)
        printf("\n%d entries of later substeps are only in the sums below\n", skipped);
}

typedef struct name_sum {
    const char *name;
    int times;
    double seconds;
} name_sum;

static void print_sums(const tl_world *world, double seconds)
{
    name_sum sums[MAX_NAMES];
    int count = 0;
    double other = seconds;
    const tl_trace_entry *entry;
    for (int k = 0; (entry = tl_world_trace(world, k)); ++k) {
        int n = 0;
        while (n < count && strcmp(sums[n].name, entry->name) != 0)
            ++n;
        if (n == MAX_NAMES)
            continue;
        if (n == count)
            sums[count++] = (name_sum){.name = entry->name};
        ++sums[n].times;
        sums[n].seconds += entry->seconds;
        other -= entry->seconds;
    }
    printf("\n%-18s %7s %9s %9s\n", "name", "times", "ms", "share");
    for (int n = 0; n < count; ++n)
        printf("%-18s %7d %9.3f %7.1f %%\n", sums[n].name, sums[n].times, 1e3 * sums[n].seconds,
               100 * sums[n].seconds / seconds);
    if (other > 0) /* else stages ran on several threads at once */
        printf("%-18s %7s %9.3f %7.1f %%\n", "other", "", 1e3 * other, 100 * other / seconds);
}

void trace_print(const tl_world *world, int frame, double seconds, bool all)
{
    printf("frame %d: %.3f ms\n\n", frame, 1e3 * seconds);
    print_entries(world, all);
    print_sums(world, seconds);
}
