/* Runs a scene for a bench. */
#include "cli/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

/* Applies the settings of the bench to every cloth. */
static bool prepare(const bench_play *play, tl_world *world, bench_played *out)
{
    bool made = tl_world_cloth_count(world) > 0;
    for (int k = 0; made && k < tl_world_cloth_count(world); ++k) {
        tl_cloth *cloth = tl_world_cloth(world, k);
        made = play->prepare(cloth, play->user);
        out->particles += tl_cloth_get_stats(cloth).particles;
    }
    return made;
}

static void step(const bench_play *play, tl_world *world, double dt, double *seconds, bench_played *out)
{
    for (int f = 0; f < out->frames; ++f) {
        double start = bench_processor_seconds();
        tl_world_step(world, (tl_real)dt); /* rejected frames are counted by the cloth */
        seconds[f] = bench_processor_seconds() - start;
        out->total += seconds[f];
        if (seconds[f] > out->worst) {
            out->worst = seconds[f];
            out->worst_frame = f;
        }
        play->measure(world, f, play->user);
    }
    if (out->frames > 0) {
        bench_sort(seconds, out->frames);
        out->median = seconds[out->frames / 2];
    }
}

bool bench_scene(const bench_play *play, bench_played *out, tl_error *error)
{
    *out = (bench_played){0};
    tl_scene *scene = tl_scene_load(play->scene, error);
    tl_world *world = scene ? tl_scene_build(scene, error) : NULL;
    bool made = world && prepare(play, world, out);
    if (world && !made)
        snprintf(error->message, sizeof error->message, "%s", tl_last_error(world));
    if (made) {
        int frames = (int)tl_scene_info(scene)->frames;
        out->frames = play->frames > 0 && (play->longer || play->frames < frames) ? play->frames : frames;
        double fps = play->fps > 0 ? play->fps : (double)tl_scene_info(scene)->fps;
        double *seconds = calloc((size_t)out->frames + 1, sizeof *seconds);
        made = seconds != NULL;
        if (made)
            step(play, world, 1 / fps, seconds, out);
        else
            snprintf(error->message, sizeof error->message, "no memory for the times of %d frames", out->frames);
        free(seconds);
    }
    tl_scene_destroy(scene);
    return made;
}
