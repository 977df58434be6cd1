/* `telar bench frame [SCENE]`: share of each stage in a frame, as S0 fig. 5.2 and S1 table 4.5. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <string.h>

static int run(const bench_settings *settings)
{
    if (settings->subject && strcmp(settings->subject, "s1") == 0)
        return bench_s1_frame(settings);
    tl_scene *scene = cli_load_scene(settings->subject ? settings->subject : "");
    tl_world *world = scene ? cli_build_scene(scene, settings->json) : NULL;
    if (!world) {
        tl_scene_destroy(scene);
        return EXIT_USAGE;
    }
    const tl_scene_def *info = tl_scene_info(scene);
    int frames = settings->quick ? 10 : info->frames, rejected = 0;
    double stage[4] = {0}, start = cli_seconds();
    for (int f = 0; f < frames; ++f) {
        if (cli_step(world, 1 / info->fps, &rejected) != EXIT_DONE) {
            tl_scene_destroy(scene);
            return EXIT_FAILED;
        }
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
    return cli_report_rejected(rejected);
}

const bench_entry bench_frame = {
    "frame", "Share of each stage in a frame of a scene; s1: its tables 4.3-4.6 beside the published shares.", run};
