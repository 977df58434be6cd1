/* `telar bench stress [SCENE|fine]`: the stress scenes to their ends under both self-collision methods: crossings and
   penetrating particles, counted after every frame, and frame times. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <string.h>

typedef struct result {
    const char *contact;
    int largest, last; /* crossings */
    int penetrating;   /* penetrating particles, summed over frames */
    int crossed;       /* frames with crossings */
    long truncated;    /* displacements that were shortened */
} result;

static bool prepare(tl_cloth *cloth, void *user)
{
    const result *r = user;
    return tl_cloth_set(cloth, "contact", &(tl_value){TL_PARAM_NAME, {0}, r->contact}) == TL_OK;
}

static void measure(tl_world *world, int frame, void *user)
{
    (void)frame;
    result *r = user;
    int crossings = tl_world_count_intersections(world);
    r->largest = crossings > r->largest ? crossings : r->largest;
    r->last = crossings;
    r->crossed += crossings != 0;
    for (int k = 0; k < tl_world_cloth_count(world); ++k)
        r->penetrating += tl_cloth_count_penetrating(tl_world_cloth(world, k), NULL);
    r->truncated += tl_cloth_get_stats(tl_world_cloth(world, 0)).truncated;
}

static void print(const bench_settings *settings, bool first, const char *name, const bench_played *played,
                  const result *r)
{
    if (settings->json) {
        fputs(first ? "{\"scene\": " : ", {\"scene\": ", stdout);
        cli_json_text(name);
        printf(", \"contact\": \"%s\", \"particles\": %d, \"frames\": %d, \"most_crossings\": %d, "
               "\"frames_with_crossings\": %d, \"crossings_at_end\": %d, \"penetrating\": %d, \"truncated\": %ld, "
               "\"median_ms\": %.4f, \"worst_ms\": %.4f, \"worst_frame\": %d, \"total_s\": %.3f}",
               r->contact, played->particles, played->frames, r->largest, r->crossed, r->last, r->penetrating,
               r->truncated, 1e3 * played->median, 1e3 * played->worst, played->worst_frame, played->total);
    } else
        printf("%-18s %-16s %9d %6d %9d %7d %6d %7d %9ld %9.2f %9.2f %7d %8.1f\n", name, r->contact, played->particles,
               played->frames, r->largest, r->crossed, r->last, r->penetrating, r->truncated, 1e3 * played->median,
               1e3 * played->worst, played->worst_frame, played->total);
    fflush(stdout);
}

static int run(const bench_settings *settings)
{
    static const char *const scenes[] = {"folding", "turning-ball", "layers", "twist", "funnel", "pinch", "reef-knot"};
    static const char *const methods[] = {"self-collision", "penetration-free"};
    const char *subject = settings->subject;
    bool fine = subject && strcmp(subject, "fine") == 0, one = subject && !fine, first = true;
    int count = one ? 1 : settings->quick ? 2 : (int)(sizeof scenes / sizeof *scenes);
    if (settings->json)
        fputs("[", stdout);
    else
        printf("%-18s %-16s %9s %6s %9s %7s %6s %7s %9s %9s %9s %7s %8s\n", "scene", "", "particles", "frames",
               "crossings", "frames", "end", "penetr.", "truncated", "median ms", "worst ms", "frame", "total s");
    for (int k = 0; k < count; ++k)
        for (int m = 0; m < 2; ++m) {
            char name[128];
            snprintf(name, sizeof name, "stress/%s%s", scenes[k], fine ? "-fine" : "");
            const char *scene = one ? subject : name;
            result r = {.contact = methods[m]};
            bench_play play = {
                .scene = scene, .frames = settings->quick ? 3 : 0, .prepare = prepare, .measure = measure, .user = &r};
            bench_played played;
            tl_error error = {0};
            if (!bench_scene(&play, &played, &error))
                return cli_fail(EXIT_USAGE, "%s: %s", scene, error.message);
            print(settings, first, scene, &played, &r);
            first = false;
        }
    if (settings->json)
        fputs("]", stdout);
    return EXIT_DONE;
}

const bench_entry bench_stress = {
    "stress", "Crossings and frame times of the stress scenes under both self-collision methods.", run};
