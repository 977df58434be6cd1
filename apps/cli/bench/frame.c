/* `telar bench frame [SCENE]`: share of each stage in a frame, as S0 fig. 5.2 and S1 table 4.5. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <string.h>

static int run(const bench_settings *settings)
{
    if (settings->subject && strcmp(settings->subject, "s1") == 0)
        return bench_s1_frame(settings);
    tl_error error;
    tl_scene *scene = tl_scene_load(settings->subject ? settings->subject : "", &error);
    tl_world *world = scene ? tl_scene_build(scene, &error) : NULL;
    if (!world) {
        tl_scene_destroy(scene);
        return cli_fail(EXIT_USAGE, "%s", error.message);
    }
    const tl_scene_def *info = tl_scene_info(scene);
    int frames = settings->quick ? 10 : info->frames;
    double stage[4] = {0}, start = cli_seconds();
    for (int f = 0; f < frames; ++f) {
        tl_world_step(world, 1 / info->fps);
        for (int k = 0; k < tl_world_cloth_count(world); ++k) {
            tl_cloth_stats s = tl_cloth_get_stats(tl_world_cloth(world, k));
            stage[0] += s.seconds_forces;
            stage[1] += s.seconds_step;
            stage[2] += s.seconds_contact;
            stage[3] += s.seconds_finish;
        }
    }
    double total = cli_seconds() - start, simulated = frames / (double)info->fps;
    static const char *const names[4] = {"forces", "integration", "contact", "finish"};
    if (settings->json) {
        fputs("{\"scene\": ", stdout);
        cli_json_text(info->title);
        printf(", \"frames\": %d, \"ms_per_frame\": %.4f, \"real_time_factor\": %.3f", frames, 1e3 * total / frames,
               simulated / total);
        for (int k = 0; k < 4; ++k)
            printf(", \"%s\": %.4f", names[k], stage[k] / total);
        fputs("}", stdout);
    } else {
        printf("%s: %d frames, %.3f ms each, %.2f times real time\n", info->title, frames, 1e3 * total / frames,
               simulated / total);
        for (int k = 0; k < 4; ++k)
            printf("  %-12s %5.1f %%\n", names[k], 100 * stage[k] / total);
    }
    tl_scene_destroy(scene);
    return EXIT_DONE;
}

const bench_entry bench_frame = {
    "frame", "Share of each stage in a frame of a scene; s1: its tables 4.3-4.6 beside the published shares.", run};
