/* `telar studio`: the interactive window. */
#include "studio/studio.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 64, MIN_WIDTH = 640, MIN_HEIGHT = 400, MAX_SIZE = 16384 };

static bool read_size(const char *text, studio_options *options)
{
    char *end;
    long width = strtol(text, &end, 10), height = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end || width < MIN_WIDTH || height < MIN_HEIGHT || width > MAX_SIZE || height > MAX_SIZE) {
        cli_fail(EXIT_USAGE, "--size: '%s' is not WIDTHxHEIGHT, from %dx%d to %dx%d", text, MIN_WIDTH, MIN_HEIGHT,
                 MAX_SIZE, MAX_SIZE);
        return false;
    }
    options->width = (int)width;
    options->height = (int)height;
    return true;
}

/* Reads an option with a value; false after a message. */
static bool read_option(studio_options *options, const char **sets, int *set_count, const char *name, const char *value)
{
    if (strcmp(name, "size") == 0)
        return read_size(value, options);
    if (strcmp(name, "frames") == 0)
        return cli_integer(value, "--frames", 1, 100000000, &options->frames);
    if (strcmp(name, "state") == 0) {
        options->state = value;
    } else if (strcmp(name, "out") == 0) {
        options->out = value;
    } else {
        if (*set_count == MAX_SETS) {
            cli_fail(EXIT_USAGE, "at most %d --set", MAX_SETS);
            return false;
        }
        sets[(*set_count)++] = value;
    }
    return true;
}

static int command(int count, char **arguments)
{
    static const char *const valued[] = {"size", "frames", "state", "out", "set"};
    const char *sets[MAX_SETS];
    int set_count = 0;
    studio_options studio = {.scene = NULL, .out = "out", .remember = true};
    cli_options options = {.count = count, .arguments = arguments};
    while (cli_next(&options)) {
        bool takes_value = false;
        for (size_t k = 0; options.name && k < sizeof valued / sizeof *valued; ++k)
            takes_value = takes_value || strcmp(options.name, valued[k]) == 0;
        if (takes_value) {
            const char *name = options.name, *value = cli_value(&options);
            if (!value || !read_option(&studio, sets, &set_count, name, value))
                return EXIT_USAGE;
        } else if (options.name && strcmp(options.name, "no-remember") == 0) {
            studio.remember = false;
        } else if (options.name && strcmp(options.name, "paused") == 0) {
            studio.paused = true;
        } else if (options.name && strcmp(options.name, "debug") == 0) {
            studio.debug = true;
        } else if (!options.name && !studio.scene) {
            studio.scene = options.word;
        } else {
            return cli_unknown(&options, &cli_studio);
        }
    }
    if (!studio.scene)
        studio.scene = "";
    cli_catch_interrupt();
    studio.interrupted = &cli_interrupted;
    tl_scene *scene = cli_load_scene(studio.scene);
    if (!scene)
        return EXIT_USAGE;
    int code = cli_set_parameters(scene, sets, set_count);
    if (code != EXIT_DONE) {
        tl_scene_destroy(scene);
        return code;
    }
    char message[600] = "";
    if (!studio_run(&studio, scene, message, sizeof message))
        return cli_fail(EXIT_FAILED, "%s", message);
    return EXIT_DONE;
}

const cli_command cli_studio = {
    .name = "studio",
    .arguments = "[SCENE] [--set PATH=VALUE]… [--size WxH] [--paused] [--no-remember] [--out DIR] [--frames N] "
                 "[--state FILE] [--debug]",
    .summary = "Opens a scene in a window, to edit while it runs.",
    .help =
        "SCENE is a file or the name of a scene that comes with Telar; without one the default scene opens. F1 in the\n"
        "window shows all keys. Screenshots, clips and tables go to --out (out). --no-remember neither reads nor\n"
        "writes the layout. For tests: --frames closes after N frames, --state keeps a JSON file with the state and\n"
        "the positions of the widgets, --debug counts OpenGL errors.",
    .run = command,
};
