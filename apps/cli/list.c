/* `telar list`: scenes, steppers, parameters and so on. */
#include "cli/cli.h"

#include <string.h>

static int list_scenes(void)
{
    tl_error error;
    int count = 0;
    tl_scene_entry *entries = tl_scene_list(&count, &error);
    if (!entries)
        return cli_fail(EXIT_FAILED, "%s", error.message);
    for (int k = 0; k < count; ++k)
        printf("%-28s %s. %s\n", entries[k].name, entries[k].title, entries[k].description);
    tl_scene_list_free(entries);
    return EXIT_DONE;
}

static int list_names(const char *const *names)
{
    for (int k = 0; names[k]; ++k)
        printf("%-22s %s\n", names[k], tl_describe(names[k]));
    return EXIT_DONE;
}

static int list_steppers(void) { return list_names(tl_stepper_names()); }
static int list_elements(void) { return list_names(tl_element_names()); }
static int list_contacts(void) { return list_names(tl_contact_names()); }

static int list_shapes(void)
{
    for (const char *const *name = tl_shape_names(); *name; ++name)
        printf("%-22s %s Size: %s.\n", *name, tl_describe(*name), tl_shape_size_help(*name));
    return EXIT_DONE;
}

static int list_materials(void) { return list_names(tl_material_names()); }

static int list_fabrics(void)
{
    printf("%-12s %6s %6s %6s %6s %21s %7s  %s\n", "name", "kg/m²", "warp", "weft", "shear", "bend 0°/45°/90° µN·m",
           "mean B", "use; source");
    printf("%-12s %6s %6s %6s %6s\n", "", "", "N/m", "N/m", "N/m");
    for (int k = 1; tl_fabric_names()[k]; ++k) {
        const tl_fabric *f = tl_fabric_named(tl_fabric_names()[k]);
        printf("%-12s %5.3f %6.0f %6.0f %6.1f %6.2f %6.2f %6.2f %7.2f  %s; %s\n", f->name, (double)f->density,
               (double)f->warp, (double)f->weft, (double)f->shear, 1e6 * (double)f->bend[0], 1e6 * (double)f->bend[1],
               1e6 * (double)f->bend[2], 1e6 * (double)tl_fabric_bend(f), f->use, f->source);
    }
    return EXIT_DONE;
}

static void print_range(const tl_param *param)
{
    if (param->type == TL_PARAM_NAME) {
        for (int k = 0; param->names[k]; ++k)
            printf("%s%s", k ? ", " : "", param->names[k]);
    } else if (param->type != TL_PARAM_TEXT && param->type != TL_PARAM_BOOL && param->type != TL_PARAM_LIST) {
        printf("%g … %g", param->min, param->max);
    }
}

static void print_default(const tl_param *param)
{
    char text[256];
    tl_value value = {param->type, {param->value[0], param->value[1], param->value[2]}, param->text};
    if (param->type == TL_PARAM_NAME && !value.text)
        value.text = param->names[0];
    if (param->type == TL_PARAM_TEXT && !value.text)
        value.text = "";
    if (param->type == TL_PARAM_LIST)
        return;
    tl_param_format(&value, text, sizeof text);
    fputs(text, stdout);
}

/* A row of docs/parameters.md, which is this command's output. */
static void print_group(const tl_param_group *group)
{
    printf("\n## %s\n\n%s\n\n| path | unit | default | range | live | meaning |\n|---|---|---|---|---|---|\n",
           group->name, group->help);
    for (int k = 0; k < group->count; ++k) {
        const tl_param *param = &group->params[k];
        printf("| %s | %s | ", param->path, param->unit);
        print_default(param);
        fputs(" | ", stdout);
        print_range(param);
        printf(" | %s | %s |\n", param->when == TL_PARAM_LIVE ? "yes" : "no", param->help);
    }
}

static int list_parameters(void)
{
    static const tl_param_group *const groups[] = {
        &tl_scene_params,           &tl_world_params,    &tl_wind_params,          &tl_cloth_params,
        &tl_mesh_source_params,     &tl_pin_params,      &tl_body_params,          &tl_key_params,
        &tl_scene_character_params, &tl_measures_params, &tl_scene_garment_params, &tl_camera_params,
        &tl_camera_key_params,      &tl_light_params,    &tl_point_light_params,   &tl_look_params};
    puts("# Parameters\n\nMade by `telar list parameters` from the one table of parameters. Live ones take effect in a "
         "running\n"
         "world, the others when it is built again. The path of a parameter is its group, a dot and the path below:\n"
         "`world.gravity`, `cloth[0].density`, `cloth[0].pin[1].name`.");
    for (size_t k = 0; k < sizeof groups / sizeof *groups; ++k)
        print_group(groups[k]);
    return EXIT_DONE;
}

static int list_schema(void)
{
    static char schema[1 << 18];
    size_t length = tl_scene_schema(schema, sizeof schema);
    if (length >= sizeof schema)
        return cli_fail(EXIT_FAILED, "the schema has %zu bytes", length);
    puts(schema);
    return EXIT_DONE;
}

static const struct {
    const char *name;
    const char *help; /* one sentence */
    int (*list)(void);
} lists[] = {
    {"scenes", "Scenes that come with Telar.", list_scenes},
    {"steppers", "Time integrators and constraint solvers.", list_steppers},
    {"elements", "Forces and constraints on links, faces and edges.", list_elements},
    {"materials", "Sets of elements.", list_materials},
    {"fabrics", "Measured fabrics with their numbers and sources.", list_fabrics},
    {"contacts", "Contact methods: what cloth collides with.", list_contacts},
    {"shapes", "Shapes of bodies.", list_shapes},
    {"laws", "Laws of physics that telar validate measures.", cli_list_laws},
    {"experiments", "Published studies that telar experiment reproduces.", cli_list_experiments},
    {"benches", "What telar bench measures.", cli_list_benches},
    {"parameters", "Every parameter with unit, default, range and meaning, as Markdown.", list_parameters},
    {"schema", "JSON schema of scene files, for editors.", list_schema},
};
enum { LIST_COUNT = sizeof lists / sizeof *lists };

static void print_lists(FILE *to)
{
    for (int k = 0; k < LIST_COUNT; ++k)
        fprintf(to, "%-22s %s\n", lists[k].name, lists[k].help);
}

static int command(int count, char **arguments)
{
    cli_options options = {.count = count, .arguments = arguments};
    if (!cli_next(&options)) {
        print_lists(stdout);
        return EXIT_DONE;
    }
    if (options.name)
        return cli_unknown(&options, &cli_list);
    const char *word = options.word, *names[LIST_COUNT + 1] = {NULL};
    if (cli_next(&options))
        return cli_unknown(&options, &cli_list);
    for (int k = 0; k < LIST_COUNT; ++k) {
        if (strcmp(lists[k].name, word) == 0)
            return lists[k].list();
        names[k] = lists[k].name;
    }
    cli_fail_nearest(word, names, "there is no list of '%s'", word);
    print_lists(stderr);
    return EXIT_USAGE;
}

const cli_command cli_list = {
    .name = "list",
    .arguments =
        "[scenes|steppers|elements|materials|fabrics|contacts|shapes|laws|experiments|benches|parameters|schema]",
    .summary = "Lists scenes, steppers, parameters and more, with a sentence each.",
    .help = "Without an argument it shows the available lists.",
    .run = command,
};
