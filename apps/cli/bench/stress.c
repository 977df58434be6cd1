/* `telar bench stress [SCENE|fine]`: the scenes of scenes/stress to their ends under both contact methods: crossings
   and particles inside bodies, counted after every frame, and times of frames. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct result {
    int particles, frames;
    int most, last;              /* crossings */
    int inside;                  /* particle-frames behind the surface of a body */
    int crossed;                 /* frames with crossings */
    long cut;                    /* ways that were shortened */
    double median, worst, total; /* s a frame */
    int worst_frame;
} result;

static void count(tl_world *world, int frame, double seconds, result *r)
{
    int crossings = tl_world_count_intersections(world);
    r->most = crossings > r->most ? crossings : r->most;
    r->last = crossings;
    r->crossed += crossings != 0;
    for (int k = 0; k < tl_world_cloth_count(world); ++k)
        r->inside += tl_cloth_inside(tl_world_cloth(world, k), NULL);
    r->cut += tl_cloth_get_stats(tl_world_cloth(world, 0)).cut;
    r->total += seconds;
    if (seconds > r->worst) {
        r->worst = seconds;
        r->worst_frame = frame;
    }
}

static bool run_scene(const char *name, const char *contact, int most_frames, result *r, tl_error *error)
{
    *r = (result){0};
    tl_scene *scene = tl_scene_load(name, error);
    tl_world *world = scene ? tl_scene_build(scene, error) : NULL;
    bool made = world != NULL;
    tl_value method = {TL_PARAM_NAME, {0}, contact};
    for (int k = 0; made && k < tl_world_cloth_count(world); ++k) {
        tl_cloth *cloth = tl_world_cloth(world, k);
        made = tl_cloth_set(cloth, "contact", &method) == TL_OK;
        r->particles += tl_cloth_get_stats(cloth).particles;
    }
    int frames = made ? tl_scene_info(scene)->frames : 0;
    frames = most_frames > 0 && most_frames < frames ? most_frames : frames;
    double *seconds = calloc((size_t)frames + 1, sizeof *seconds);
    for (int f = 0; made && seconds && f < frames; ++f) {
        double start = bench_processor_seconds();
        tl_world_step(world, 1 / tl_scene_info(scene)->fps);
        seconds[f] = bench_processor_seconds() - start;
        count(world, f, seconds[f], r);
    }
    r->frames = frames;
    if (made && seconds && frames > 0) {
        bench_sort(seconds, frames);
        r->median = seconds[frames / 2];
    }
    made = made && seconds;
    free(seconds);
    tl_scene_destroy(scene);
    return made;
}

static void print(const bench_settings *settings, bool first, const char *name, const char *contact, const result *r)
{
    if (settings->json)
        printf("%s{\"scene\": \"%s\", \"contact\": \"%s\", \"particles\": %d, \"frames\": %d, \"most_crossings\": %d, "
               "\"frames_with_crossings\": %d, \"crossings_at_end\": %d, \"inside_bodies\": %d, \"cut\": %ld, "
               "\"median_ms\": %.4f, \"worst_ms\": %.4f, \"worst_frame\": %d, \"total_s\": %.3f}",
               first ? "" : ", ", name, contact, r->particles, r->frames, r->most, r->crossed, r->last, r->inside,
               r->cut, 1e3 * r->median, 1e3 * r->worst, r->worst_frame, r->total);
    else
        printf("%-18s %-5s %9d %6d %9d %7d %6d %6d %8ld %9.2f %9.2f %7d %8.1f\n", name, contact, r->particles,
               r->frames, r->most, r->crossed, r->last, r->inside, r->cut, 1e3 * r->median, 1e3 * r->worst,
               r->worst_frame, r->total);
    fflush(stdout);
}

static int run(const bench_settings *settings)
{
    static const char *const scenes[] = {"folding", "turning-ball", "layers", "twist", "funnel", "pinch", "reef-knot"};
    static const char *const methods[] = {"fast", "safe"};
    const char *subject = settings->subject;
    bool fine = subject && strcmp(subject, "fine") == 0, one = subject && !fine, first = true;
    int count = one ? 1 : settings->quick ? 2 : (int)(sizeof scenes / sizeof *scenes);
    if (settings->json)
        fputs("[", stdout);
    else
        printf("%-18s %-5s %9s %6s %9s %7s %6s %6s %8s %9s %9s %7s %8s\n", "scene", "", "particles", "frames",
               "crossings", "frames", "end", "inside", "cut", "median ms", "worst ms", "frame", "total s");
    for (int k = 0; k < count; ++k)
        for (int m = 0; m < 2; ++m) {
            char name[128];
            snprintf(name, sizeof name, "stress/%s%s", scenes[k], fine ? "-fine" : "");
            const char *scene = one ? subject : name;
            result r;
            tl_error error = {0};
            if (!run_scene(scene, methods[m], settings->quick ? 3 : 0, &r, &error))
                return cli_fail(EXIT_USAGE, "%s: %s", scene, error.message);
            print(settings, first, scene, methods[m], &r);
            first = false;
        }
    if (settings->json)
        fputs("]", stdout);
    return EXIT_DONE;
}

const bench_entry bench_stress = {"stress", "crossings and times of the stress scenes, both contact methods", run};
