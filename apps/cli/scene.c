/* `telar scene`: edits scene files. */
#include "cli/cli.h"

#include <string.h>

typedef struct upgraded {
    const char *file;
    int changes;
} upgraded;

static void print_change(void *user, int line, const char *before, const char *after)
{
    upgraded *u = user;
    ++u->changes;
    printf("%s:%d: %s → %s\n", u->file, line, before, after);
}

static int upgrade(const char *file)
{
    upgraded u = {.file = file};
    tl_error error;
    tl_result result = tl_scene_upgrade(file, print_change, &u, &error);
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
    .summary = "Upgrades scene files of earlier versions.",
    .help =
        "Each FILE is edited in place; layout and order are preserved. Changes are printed, one per line. A file that\n"
        "would not be a valid scene afterwards is left unchanged.\n"
        "Exit code 1 if a file cannot be written, 2 if one is not a scene.",
    .run = command,
};
