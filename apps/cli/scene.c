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

/* Reads and builds it; messages name every fault. */
static int check(const char *file)
{
    tl_scene *scene = cli_load_scene(file);
    bool good = scene && cli_build_scene(scene, false);
    tl_scene_destroy(scene);
    if (good)
        printf("%s: no faults\n", file);
    return good ? EXIT_DONE : EXIT_USAGE;
}

static int command(int count, char **arguments)
{
    static const char *const verbs[] = {"upgrade", "check", NULL};
    cli_options options = {.count = count, .arguments = arguments};
    if (!cli_next(&options) || options.name)
        return cli_fail(EXIT_USAGE, "scene: do what? %s", cli_scene.arguments);
    int (*act)(const char *file) = strcmp(options.word, verbs[0]) == 0   ? upgrade
                                   : strcmp(options.word, verbs[1]) == 0 ? check
                                                                         : NULL;
    const char *verb = options.word;
    if (!act)
        return cli_fail_nearest(verb, verbs, "scene cannot '%s'", verb);
    int code = EXIT_DONE, files = 0;
    while (cli_next(&options)) {
        if (options.name)
            return cli_unknown(&options, &cli_scene);
        int now = act(options.word);
        code = now > code ? now : code;
        ++files;
    }
    return files ? code : cli_fail(EXIT_USAGE, "scene %s: which FILE?", verb);
}

const cli_command cli_scene = {
    .name = "scene",
    .arguments = "upgrade|check FILE…",
    .summary = "Upgrades scene files of earlier versions, and checks scene files.",
    .help = "check reads and builds each FILE and lists every fault with file, line, path and reason.\n"
            "upgrade edits each FILE in place; layout and order are preserved. Changes are printed, one per line. A "
            "file that\n"
            "would not be a valid scene afterwards is left unchanged.\n"
            "Exit code 1 if a file cannot be written, 2 if one is not a scene.",
    .run = command,
};
