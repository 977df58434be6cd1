#include "cli/experiment/s1.h"

#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

s1 *s1_begin(experiment_report *report, const char *name)
{
    s1 *box = calloc(1, sizeof *box);
    if (!box) {
        experiment_broken(report, "not enough memory");
        return NULL;
    }
    box->report = report;
    box->name = name;
    box->scene = experiment_scene(report, "s1/box");
    if (!box->scene) {
        free(box);
        return NULL;
    }
    s1_set(box, "body[0].release_time", "0");
    s1_set(box, "body[0].kinematic", "true");
    s1_reset(box);
    return box;
}

void s1_set(s1 *box, const char *path, const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    box->broken = box->broken || !experiment_set(box->report, box->scene, path, "%s", text);
}

void s1_set_k_g(s1 *box, double k_g) { s1_set(box, "cloth[0].gas.nrt", "%.9g", 4 * k_g); }
void s1_set_g(s1 *box, double g) { s1_set(box, "world.gravity", "[0, %.9g, 0]", g); }
void s1_drop(s1 *box) { s1_set(box, "body[0].kinematic", "false"); }

void s1_reset(s1 *box)
{
    tl_error error = {0};
    if (!box->broken && !tl_scene_build(box->scene, &error)) {
        experiment_broken(box->report, error.message);
        box->broken = true;
    }
    box->rejected = 0;
}

static void take_sample(s1 *box)
{
    tl_world *world = tl_scene_world(box->scene);
    tl_cloth *cloth = tl_world_cloth(world, 0);
    const tl_vec3 *x = tl_cloth_positions(cloth);
    tl_cloth_stats stats = tl_cloth_get_stats(cloth);
    tl_vec3 ball;
    tl_body_pose(tl_world_body(world, 0), &ball, NULL);
    int middle = 10 * 22 + 10; /* the four particles around the middle of 22 × 22 */
    if (box->count == S1_SAMPLES)
        return;
    box->samples[box->count++] = (s1_sample){
        .time = box->frame / (double)tl_scene_info(box->scene)->fps,
        .sheet =
            ((double)x[middle].y + (double)x[middle + 1].y + (double)x[middle + 22].y + (double)x[middle + 23].y) / 4,
        .ball = (double)ball.y,
        .volume = stats.volume,
        .pressure = stats.pressure,
        .kinetic = tl_cloth_energies(cloth).kinetic,
        .strain = (double)stats.largest_strain,
    };
}

void s1_watch(s1 *box, double seconds)
{
    tl_real fps = tl_scene_info(box->scene)->fps;
    int frames = (int)lround(seconds * (double)fps);
    for (int f = 0; f < frames && !box->broken; ++f) {
        tl_world *world = tl_scene_world(box->scene);
        tl_result result = tl_world_step(world, 1 / fps);
        box->rejected += result == TL_ERROR_UNSTABLE;
        if (cli_interrupted || (result != TL_OK && result != TL_ERROR_UNSTABLE)) {
            experiment_broken(box->report, cli_interrupted ? "interrupted" : tl_last_error(world));
            box->broken = true;
        }
        if (++box->frame % S1_FRAMES_PER_SAMPLE == 0)
            take_sample(box);
    }
}

/* Index of the first sample of the last `seconds`. */
static int since(const s1 *box, double seconds)
{
    int first = box->count;
    while (first > 0 && box->samples[first - 1].time > box->samples[box->count - 1].time - seconds)
        --first;
    return first;
}

s1_sample s1_mean(const s1 *box, double seconds)
{
    s1_sample mean = {0};
    int first = since(box, seconds), count = box->count - first;
    for (int k = first; k < box->count; ++k) {
        mean.sheet += box->samples[k].sheet / count;
        mean.ball += box->samples[k].ball / count;
        mean.volume += box->samples[k].volume / count;
        mean.pressure += box->samples[k].pressure / count;
        mean.kinetic += box->samples[k].kinetic / count;
        mean.strain += box->samples[k].strain / count;
    }
    return mean;
}

double s1_highest_ball(const s1 *box, double seconds)
{
    double highest = -INFINITY;
    for (int k = since(box, seconds); k < box->count; ++k)
        highest = fmax(highest, box->samples[k].ball);
    return highest;
}

double s1_lowest_ball(const s1 *box, double seconds)
{
    double lowest = INFINITY;
    for (int k = since(box, seconds); k < box->count; ++k)
        lowest = fmin(lowest, box->samples[k].ball);
    return lowest;
}

double s1_swing(const s1 *box, double seconds)
{
    double low = INFINITY, high = -INFINITY;
    for (int k = since(box, seconds); k < box->count; ++k) {
        low = fmin(low, box->samples[k].sheet);
        high = fmax(high, box->samples[k].sheet);
    }
    return high - low;
}

/* One picture of one or two quantities over time. */
static void draw(s1 *box, const char *quantity, const char *title, const char *unit, const char *const series[2],
                 size_t first, size_t second)
{
    char name[96], heading[128];
    snprintf(name, sizeof name, "%s-%s", box->name, quantity);
    snprintf(heading, sizeof heading, "S1, %s: %s", box->name, title);
    plot_curve curve = plot_start(&box->report->plots, name, heading, "time, s", unit, false);
    for (int s = 0; s < 2 && series[s]; ++s)
        for (int k = 0; k < box->count; ++k) {
            const char *sample = (const char *)&box->samples[k];
            if (first == offsetof(s1_sample, volume) && !(box->samples[k].volume > 0))
                continue; /* only known while there is gas */
            plot_point(&curve, series[s], box->samples[k].time,
                       *(const double *)(const void *)(sample + (s ? second : first)));
        }
    plot_end(&curve);
}

void s1_end(s1 *box)
{
    static const char *const heights[2] = {"sheet", "ball"}, *const volume[2] = {"volume", NULL},
                             *const pressure[2] = {"pressure", NULL};
    draw(box, "height", "height of the sheet's middle and of the ball", "height, m", heights,
         offsetof(s1_sample, sheet), offsetof(s1_sample, ball));
    bool gas = false;
    for (int k = 0; k < box->count; ++k)
        gas = gas || box->samples[k].volume > 0;
    if (gas) {
        draw(box, "volume", "volume of the box", "volume, m³", volume, offsetof(s1_sample, volume), 0);
        draw(box, "pressure", "pressure of the gas", "pressure, Pa", pressure, offsetof(s1_sample, pressure), 0);
    }
    tl_scene_destroy(box->scene);
    free(box);
}
