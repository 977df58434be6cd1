/* The `telar` program: dispatches to its commands. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const cli_command *const commands[] = {&cli_run,   &cli_render,  &cli_studio,   &cli_list,
                                              &cli_info,  &cli_scene,   &cli_validate, &cli_experiment,
                                              &cli_bench, &cli_garment, &cli_dress};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void usage(FILE *to)
{
    fprintf(to, "Telar %s, real-time cloth.\n\n", tl_version());
    for (int k = 0; k < COMMAND_COUNT; ++k)
        fprintf(to, "  telar %-10s %s\n", commands[k]->name, commands[k]->summary);
    fputs("  telar help       Shows this text, or the help of a COMMAND.\n  telar --version\n\n"
          "telar help COMMAND and telar COMMAND --help say more.\n",
          to);
}

static void command_help(const cli_command *command)
{
    printf("telar %s %s\n\n%s\n", command->name, command->arguments, command->summary);
    if (command->help)
        printf("\n%s\n", command->help);
}

static const cli_command *find_command(const char *name)
{
    for (int k = 0; k < COMMAND_COUNT; ++k)
        if (strcmp(name, commands[k]->name) == 0)
            return commands[k];
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT + 2] = {"help"};
    for (int k = 0; k < COMMAND_COUNT; ++k)
        names[k + 1] = commands[k]->name;
    cli_fail_nearest(name, names, "there is no command '%s'", name);
    usage(stderr);
    return EXIT_USAGE;
}

/* `telar help [COMMAND]` */
static int help(int count, char **words)
{
    if (count > 1)
        return cli_fail(EXIT_USAGE, "help: one word too many: '%s'", words[1]);
    const cli_command *command = count == 1 ? find_command(words[0]) : NULL;
    if (count == 1 && !command)
        return unknown_command(words[0]);
    if (command)
        command_help(command);
    else
        usage(stdout);
    return EXIT_DONE;
}

/* Splits "--name=value" into two arguments; `split` has room for 2 × count. Returns the new count. */
static int split_options(int count, char **arguments, char **split)
{
    int n = 0;
    for (int k = 0; k < count; ++k) {
        char *equals = strncmp(arguments[k], "--", 2) == 0 ? strchr(arguments[k], '=') : NULL;
        split[n++] = arguments[k];
        if (equals) {
            *equals = 0;
            split[n++] = equals + 1;
        }
    }
    return n;
}

static int run_command(const cli_command *command, int count, char **arguments)
{
    char **split = malloc((size_t)(2 * count + 1) * sizeof *split);
    if (!split)
        return cli_fail(EXIT_FAILED, "no memory for %d arguments", count);
    int code = command->run(split_options(count, arguments, split), split);
    free(split);
    return code;
}

/* A relocated install finds its scenes: <prefix>/bin/telar, <prefix>/share/telar/scenes. */
static void find_installed_scenes(void)
{
    static const char relative[] = "/../share/telar/scenes";
    char path[4096];
    struct stat about;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof relative);
    if (length <= 0)
        return;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (!slash)
        return;
    memcpy(slash, relative, sizeof relative);
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        setenv("TELAR_SCENES", path, 0);
}

static int dispatch(int count, char **arguments)
{
    if (count < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(arguments[1], "--version") == 0) {
        printf("telar %s (%s precision)\n", tl_version(), sizeof(tl_real) == sizeof(double) ? "double" : "single");
        return EXIT_DONE;
    }
    if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
        usage(stdout);
        return EXIT_DONE;
    }
    if (strcmp(arguments[1], "help") == 0)
        return help(count - 2, arguments + 2);
    const cli_command *command = find_command(arguments[1]);
    if (!command)
        return unknown_command(arguments[1]);
    for (int a = 2; a < count; ++a)
        if (strcmp(arguments[a], "--help") == 0) {
            command_help(command);
            return EXIT_DONE;
        }
    return run_command(command, count - 2, arguments + 2);
}

int main(int count, char **arguments)
{
    find_installed_scenes();
    return cli_finish(dispatch(count, arguments));
}
