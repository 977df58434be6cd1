/* `telar scene`: work on scene files. */
#include "cli/cli.h"

#include <string.h>

typedef struct upgraded {
    const char *file;
    int changes;
} upgraded;

static void tell(void *user, int line, const char *before, const char *after)
{
    upgraded *u = user;
    ++u->changes;
    printf("%s:%d: %s → %s\n", u->file, line, before, after);
}

static int upgrade(const char *file)
{
    upgraded u = {.file = file};
    tl_error error;
    tl_result result = tl_scene_upgrade(file, tell, &u, &error);
    if (result != TL_OK)
        return cli_fail(result == TL_ERROR_INPUT ? EXIT_USAGE : EXIT_FAILED, "%s", error.message);
    if (u.changes == 0)
        printf("%s: nothing to change\n", file);
    return EXIT_DONE;
}

static int command(int count, char **arguments)
{
    static const char *const verbs[] = {"upgrade", NULL};
    cli_options options = {.count = count, .arguments = arguments};
    if (!cli_next(&options) || options.name)
        return cli_fail(EXIT_USAGE, "scene: do what? %s", cli_scene.arguments);
    if (strcmp(options.word, verbs[0]) != 0)
        return cli_fail_nearest(options.word, verbs, "scene cannot '%s'", options.word);
    int code = EXIT_DONE, files = 0;
    while (cli_next(&options)) {
        if (options.name)
            return cli_unknown(&options, &cli_scene);
        int now = upgrade(options.word);
        code = now > code ? now : code;
        ++files;
    }
    return files ? code : cli_fail(EXIT_USAGE, "scene upgrade: which FILE?");
}

const cli_command cli_scene = {
    .name = "scene",
    .arguments = "upgrade FILE…",
    .summary = "Rewrites parameters of earlier versions in scene files.",
    .help = "Each FILE is changed in place, parameter by parameter; layout and order stay. What was changed is "
            "printed, one line\n"
            "each. A file that would not be a scene afterwards is left as it was.\n"
            "Exit code 1 when a file cannot be written, 2 when one is not a scene.",
    .run = command,
};
