/* `telar render`: images and clips of a scene, rendered offscreen. */
#include "cli/cli.h"
#include "cli/frames.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 64, MIN_SIZE = 16, MAX_SIZE = 8192 };

typedef struct render_job {
    const char *scene_name, *out;
    const char *sets[MAX_SETS];
    int set_count;
    long frames; /* -1: the scene's own */
    long at;     /* -1: all frames; else only this one */
    long samples;
    int width, height;
    bool quiet, debug, no_cache;
} render_job;

static bool read_size(const char *text, int *width, int *height)
{
    char *end;
    long w = strtol(text, &end, 10), h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end || w < MIN_SIZE || h < MIN_SIZE || w > MAX_SIZE || h > MAX_SIZE) {
        cli_fail(EXIT_USAGE, "--size: '%s' is not WIDTHxHEIGHT with both from %d to %d", text, MIN_SIZE, MAX_SIZE);
        return false;
    }
    *width = (int)w;
    *height = (int)h;
    return true;
}

static bool read_samples(const char *text, long *samples)
{
    if (strlen(text) != 1 || !strchr("024", *text)) {
        cli_fail(EXIT_USAGE, "--samples: '%s' is none of 0, 2, 4", text);
        return false;
    }
    *samples = *text - '0';
    return true;
}

/* Reads an option with a value; false after a message. */
static bool read_option(render_job *job, const char *name, const char *value)
{
    if (strcmp(name, "frames") == 0)
        return cli_integer(value, "--frames", 0, 1000000, &job->frames);
    if (strcmp(name, "at") == 0)
        return cli_integer(value, "--at", 0, 1000000, &job->at);
    if (strcmp(name, "samples") == 0)
        return read_samples(value, &job->samples);
    if (strcmp(name, "size") == 0)
        return read_size(value, &job->width, &job->height);
    if (strcmp(name, "out") == 0) {
        job->out = value;
        return true;
    }
    if (job->set_count == MAX_SETS) {
        cli_fail(EXIT_USAGE, "at most %d --set", MAX_SETS);
        return false;
    }
    job->sets[job->set_count++] = value;
    return true;
}

static int read_arguments(render_job *job, int count, char **arguments)
{
    static const char *const valued[] = {"frames", "at", "samples", "size", "out", "set"};
    cli_options options = {.count = count, .arguments = arguments};
    while (cli_next(&options)) {
        bool takes_value = false;
        for (size_t k = 0; options.name && k < sizeof valued / sizeof *valued; ++k)
            takes_value = takes_value || strcmp(options.name, valued[k]) == 0;
        if (takes_value) {
            const char *name = options.name, *value = cli_value(&options);
            if (!value || !read_option(job, name, value))
                return EXIT_USAGE;
        } else if (options.name && strcmp(options.name, "quiet") == 0) {
            job->quiet = true;
        } else if (options.name && strcmp(options.name, "debug") == 0) {
            job->debug = true;
        } else if (options.name && strcmp(options.name, "no-cache") == 0) {
            job->no_cache = true;
        } else if (!options.name && !job->scene_name) {
            job->scene_name = options.word;
        } else {
            return cli_unknown(&options, &cli_render);
        }
    }
    return EXIT_DONE;
}

static bool is_clip(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".mp4") == 0 || strcmp(dot, ".webm") == 0 || strcmp(dot, ".gif") == 0);
}

static bool is_picture(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".png") == 0;
}

static int draw_scene(const render_job *job, tl_scene *scene)
{
    tl_world *world = tl_scene_world(scene);
    const tl_scene_def *info = tl_scene_info(scene);
    bool picture = is_picture(job->out), clip = is_clip(job->out);
    int last = (int)(job->at >= 0 ? job->at : job->frames >= 0 ? job->frames : info->frames);
    frames_def def = {.folder = picture || clip ? NULL : job->out,
                      .clips = {clip ? job->out : NULL},
                      .width = job->width,
                      .height = job->height,
                      .samples = (int)job->samples,
                      .scene_file = tl_scene_file(scene),
                      .duration = last / (double)info->fps,
                      .debug = job->debug};
    if (def.folder && !cli_claim_folder(def.folder))
        return EXIT_FAILED;
    frames *f = frames_open(scene, &def);
    if (!f)
        return EXIT_FAILED;
    cli_progress progress = cli_progress_start("rendering", last, job->quiet);
    bool drawn = picture || job->at >= 0 || frames_add(f, 0);
    int frame = 0, rejected = 0;
    while (drawn && frame < last && !cli_interrupted) {
        drawn = cli_step(world, 1 / info->fps, &rejected) == EXIT_DONE;
        if (!drawn)
            break;
        ++frame;
        if (!picture && job->at < 0)
            drawn = frames_add(f, frame);
        cli_progress_at(&progress, frame);
    }
    cli_progress_end(&progress, frame);
    if (drawn && picture)
        drawn = frames_picture(f, job->out);
    else if (drawn && job->at >= 0)
        drawn = frames_add(f, frame);
    bool closed = frames_close(f);
    if (drawn && closed && !job->quiet)
        fprintf(stderr, "%s: %s\n", cli_title(scene), job->out);
    if (cli_interrupted)
        return cli_fail(EXIT_FAILED, "interrupted after frame %d; the files written so far remain", frame);
    return drawn && closed ? cli_report_rejected(rejected) : EXIT_FAILED;
}

static int command(int count, char **arguments)
{
    render_job job = {.frames = -1, .at = -1, .samples = 4, .width = 1280, .height = 720};
    int code = read_arguments(&job, count, arguments);
    if (code != EXIT_DONE)
        return code;
    if (!job.out)
        return cli_fail(EXIT_USAGE, "render needs --out clip.mp4, clip.webm, clip.gif, picture.png or a folder");
    tl_scene *scene = cli_load_scene(job.scene_name ? job.scene_name : "");
    if (!scene)
        return EXIT_USAGE;
    tl_scene_set_cache(scene, !job.no_cache);
    code = cli_set_parameters(scene, job.sets, job.set_count);
    if (code == EXIT_DONE && !cli_build_scene(scene, job.quiet))
        code = EXIT_USAGE;
    cli_catch_interrupt();
    if (code == EXIT_DONE)
        code = draw_scene(&job, scene);
    tl_scene_destroy(scene);
    return code;
}

const cli_command cli_render = {
    .name = "render",
    .arguments =
        "[SCENE] --out clip.mp4|clip.webm|clip.gif|picture.png|FOLDER [--frames N] [--at FRAME] [--size 1280x720] "
        "[--samples 0|2|4] [--set PATH=VALUE]… [--debug] [--no-cache] [--quiet]",
    .summary = "Renders a scene offscreen, to images or a clip.",
    .help =
        "A picture shows the last frame, or the one given by --at. Camera and look are the scene's; change them with\n"
        "--set camera.path=orbit, --set look.cloth=wireframe or --set look.overlay=strain.\n"
        "Worn garments are kept in the user's cache folder, unless --no-cache is given.\n"
        "Clips need the program ffmpeg. --debug stops at the first OpenGL error.",
    .run = command,
};
