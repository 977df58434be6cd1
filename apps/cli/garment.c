/* `telar garment`: sewing patterns, from files or drafted to measure. */
#include "cli/garment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    const char *name, *out;
    tl_real edge;
    const char *lattice;
    tl_measures measures;
    bool json;
} request;

bool cli_length(const char *text, const char *what, tl_real *metres)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"mm", 1e-3}, {"cm", 1e-2}, {"m", 1}, {"", 1}};
    char *end;
    double number = strtod(text, &end);
    for (size_t k = 0; k < sizeof units / sizeof *units && end != text; ++k)
        if (strcmp(end, units[k].name) == 0 && number > 0 && number < 1e6) {
            *metres = (tl_real)(number * units[k].metres);
            return true;
        }
    cli_fail(EXIT_USAGE, "%s: '%s' is not a length such as 10mm or 0.01", what, text);
    return false;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_draft(const char *name)
{
    for (const char *const *at = tl_pattern_drafts(); *at; ++at)
        if (strcmp(*at, name) == 0)
            return true;
    return false;
}

/* A file, or a draft by its name; NULL after a message. */
static tl_pattern *load(const request *r)
{
    tl_error error;
    tl_pattern *pattern = is_draft(r->name) ? tl_pattern_draft(r->name, &r->measures, &error)
                          : ends_with(r->name, ".svg") || ends_with(r->name, ".dxf")
                              ? tl_pattern_import(r->name, &error)
                          : ends_with(r->name, ".obj") ? tl_pattern_flatten(r->name, &error)
                                                       : tl_pattern_load(r->name, &error);
    if (!pattern)
        cli_fail(EXIT_USAGE, "%s", error.message);
    return pattern;
}

/* Checks of all seams, to be freed; NULL after a message. */
static tl_seam_check *check_seams(const tl_pattern *pattern, int *faults)
{
    tl_seam_check *checks = malloc((size_t)tl_pattern_get_def(pattern)->stitch_count * sizeof *checks + 1);
    *faults = checks ? tl_pattern_check_seams(pattern, checks) : -1;
    if (*faults >= 0)
        return checks;
    free(checks);
    cli_fail(EXIT_FAILED, "no memory to check seams");
    return NULL;
}

/* ---- info and check ---------------------------------------------------------------------------------------------- */

static const char *stitch_words(const tl_stitch_def *stitch)
{
    return stitch->kind == TL_STITCH_ELASTIC ? ", elastic" : stitch->kind == TL_STITCH_FOLD ? ", fold" : "";
}

static void print_stitch(const tl_pattern *pattern, int s, double mismatch)
{
    const tl_pattern_def *def = tl_pattern_get_def(pattern);
    const tl_stitch_side *side = def->stitch[s].side;
    double length[2];
    tl_pattern_stitch_lengths(pattern, s, length);
    printf("  seam %d: %s edge %d (%.1f cm) – %s edge %d (%.1f cm), mismatch %.1f %%%s%s\n", s,
           def->panel[side[0].panel].name, side[0].edge, 100 * length[0], def->panel[side[1].panel].name, side[1].edge,
           100 * length[1], 100 * mismatch, tl_stitch_is_parallel(&def->stitch[s]) ? ", starts meet" : "",
           stitch_words(&def->stitch[s]));
}

static void print_json(const tl_pattern *pattern, const tl_seam_check *checks)
{
    const tl_pattern_def *def = tl_pattern_get_def(pattern);
    double area = 0;
    for (int p = 0; p < def->panel_count; ++p)
        area += tl_pattern_panel_area(pattern, p);
    printf("{\"panels\": %d, \"stitches\": %d, \"area\": %.6g, \"seams\": [", def->panel_count, def->stitch_count,
           area);
    for (int s = 0; s < def->stitch_count; ++s) {
        printf("%s{\"mismatch\": %.6g, \"fault\": %d, \"message\": ", s ? ", " : "", checks[s].mismatch,
               (int)checks[s].fault);
        cli_json_text(checks[s].message);
        putchar('}');
    }
    printf("]}\n");
}

static int info(const request *r, const tl_pattern *pattern)
{
    const tl_pattern_def *def = tl_pattern_get_def(pattern);
    int faults;
    tl_seam_check *checks = check_seams(pattern, &faults);
    if (!checks)
        return EXIT_FAILED;
    if (r->json) {
        print_json(pattern, checks);
        free(checks);
        return EXIT_DONE;
    }
    double area = 0;
    for (int p = 0; p < def->panel_count; ++p) {
        const tl_panel_def *panel = &def->panel[p];
        double own = tl_pattern_panel_area(pattern, p);
        printf("  %s: %d edges, %.3f m²", panel->name, panel->edge_count, own);
        if (panel->label[0])
            printf(", %s", panel->label);
        if (panel->fabric[0])
            printf(", of %s", panel->fabric);
        if (panel->layer)
            printf(", layer %d", panel->layer);
        putchar('\n');
        area += own;
    }
    for (int s = 0; s < def->stitch_count; ++s)
        print_stitch(pattern, s, checks[s].mismatch);
    for (int a = 0; a < def->anchor_count; ++a)
        printf("  edges '%s' are held at the %s\n", def->anchor[a].label, def->anchor[a].part);
    printf("%d panels of %.3f m², %d seams, %d buttons\n", def->panel_count, area, def->stitch_count,
           def->closure_count);
    free(checks);
    return EXIT_DONE;
}

static int check(const request *r, const tl_pattern *pattern)
{
    int faults, warnings = 0, stitches = tl_pattern_get_def(pattern)->stitch_count;
    tl_seam_check *checks = check_seams(pattern, &faults);
    if (!checks)
        return EXIT_FAILED;
    for (int s = 0; s < stitches; ++s)
        if (checks[s].fault) {
            bool warning = checks[s].fault == TL_SEAM_FAR;
            printf("%s: %s%s\n", r->name, warning ? "warning: " : "", checks[s].message);
            warnings += warning;
        }
    free(checks);
    tl_error error;
    tl_panel_mesh *mesh =
        faults == 0 ? tl_pattern_mesh(pattern, &(tl_panel_mesh_def){r->edge, r->lattice}, &error) : NULL;
    if (faults == 0 && !mesh) {
        printf("%s: %s\n", r->name, error.message);
        ++faults;
    }
    tl_panel_mesh_destroy(mesh);
    if (faults == 0 && warnings == 0)
        printf("%s: no faults\n", r->name);
    return faults > 0 ? EXIT_USAGE : EXIT_DONE;
}

/* ---- mesh -------------------------------------------------------------------------------------------------------- */

static int write_obj(const tl_panel_mesh *mesh, const tl_pattern *pattern, const char *file_name)
{
    const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
    FILE *file = fopen(file_name, "w");
    if (!file)
        return cli_fail(EXIT_FAILED, "%s: %s", file_name, strerror(errno));
    for (int v = 0; v < m->vertex_count; ++v)
        fprintf(file, "v %.9g %.9g %.9g\n", (double)m->position[v].x, (double)m->position[v].y,
                (double)m->position[v].z);
    for (int v = 0; v < m->vertex_count; ++v)
        fprintf(file, "vt %.9g %.9g\n", (double)m->uv[2 * v], (double)m->uv[2 * v + 1]);
    for (int p = 0; p < m->panel_count; ++p) {
        fprintf(file, "g %s\n", tl_pattern_get_def(pattern)->panel[p].name);
        for (int t = m->panel[p].first_triangle; t < m->panel[p].first_triangle + m->panel[p].triangle_count; ++t) {
            const int *v = m->triangle + 3 * t;
            fprintf(file, "f %d/%d %d/%d %d/%d\n", v[0] + 1, v[0] + 1, v[1] + 1, v[1] + 1, v[2] + 1, v[2] + 1);
        }
    }
    return cli_close(file, file_name) ? EXIT_DONE : EXIT_FAILED;
}

static int mesh_panels(const request *r, const tl_pattern *pattern)
{
    tl_error error;
    double start = cli_seconds();
    tl_panel_mesh *mesh = tl_pattern_mesh(pattern, &(tl_panel_mesh_def){r->edge, r->lattice}, &error);
    if (!mesh)
        return cli_fail(EXIT_USAGE, "%s: %s", r->name, error.message);
    double seconds = cli_seconds() - start;
    const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
    int pairs = 0;
    for (int s = 0; s < m->seam_count; ++s)
        pairs += m->seam[s].count;
    printf("%d vertices, %d triangles, %d pairs in %d seams; %d particles when sewn; %.1f ms\n", m->vertex_count,
           m->triangle_count, pairs, m->seam_count, m->particle_count, 1000 * seconds);
    tl_mesh *cloth = tl_panel_mesh_cloth(mesh, NULL, true, NULL, &error);
    int code = cloth ? EXIT_DONE : cli_fail(EXIT_USAGE, "%s: sewn: %s", r->name, error.message);
    tl_mesh_destroy(cloth);
    if (r->out && code == EXIT_DONE)
        code = write_obj(mesh, pattern, r->out);
    tl_panel_mesh_destroy(mesh);
    return code;
}

/* ---- draw and draft ---------------------------------------------------------------------------------------------- */

static int draw(const request *r, const tl_pattern *pattern)
{
    int faults;
    if (!r->out)
        return cli_fail(EXIT_USAGE, "garment draw: --out FILE.svg is needed");
    tl_seam_check *checks = check_seams(pattern, &faults);
    int code = checks ? garment_draw(pattern, checks, r->out) : EXIT_FAILED;
    free(checks);
    return code;
}

static int draft(const request *r, const tl_pattern *pattern)
{
    char name[300];
    tl_error error;
    snprintf(name, sizeof name, "%s.json", r->name);
    const char *out = r->out ? r->out : name;
    if (tl_pattern_save(pattern, out, &error) != TL_OK)
        return cli_fail(EXIT_FAILED, "%s", error.message);
    printf("%s\n", out);
    return EXIT_DONE;
}

/* Any pattern as GarmentCode's JSON. */
static int import(const request *r, const tl_pattern *pattern)
{
    tl_error error;
    if (!r->out)
        return cli_fail(EXIT_USAGE, "garment import and flatten: --out FILE.json is needed");
    if (tl_pattern_save(pattern, r->out, &error) != TL_OK)
        return cli_fail(EXIT_FAILED, "%s", error.message);
    printf("%s: %d panels, %d seams\n", r->out, tl_pattern_get_def(pattern)->panel_count,
           tl_pattern_get_def(pattern)->stitch_count);
    return EXIT_DONE;
}

/* ---- command ----------------------------------------------------------------------------------------------------- */

static int set_measure(tl_measures *measures, const char *assignment)
{
    char name[64];
    tl_error error;
    tl_value value;
    const char *equals = strchr(assignment, '=');
    if (!equals || (size_t)(equals - assignment) >= sizeof name)
        return cli_fail(EXIT_USAGE, "--set: '%s' is not MEASURE=VALUE", assignment);
    snprintf(name, sizeof name, "%.*s", (int)(equals - assignment), assignment);
    const tl_param *param = tl_param_find(&tl_measures_params, name);
    tl_result result = param ? tl_param_parse(param, equals + 1, &value, "", &error)
                             : tl_param_unknown(&tl_measures_params, name, "", &error);
    if (result == TL_OK)
        result = tl_param_set(&tl_measures_params, param, measures, &value, "", &error);
    return result == TL_OK ? EXIT_DONE : cli_fail(EXIT_USAGE, "--set %s: %s", assignment, error.message);
}

static int read_options(cli_options *options, request *r)
{
    tl_error error;
    while (cli_next(options)) {
        const char *name = options->name, *value = NULL;
        if (!name && !r->name) {
            r->name = options->word;
            continue;
        }
        if (name && strcmp(name, "json") == 0) {
            r->json = true;
            continue;
        }
        static const char *const valued[] = {"edge", "lattice", "out", "measures", "set", NULL};
        for (int k = 0; name && valued[k] && !value; ++k)
            if (strcmp(valued[k], name) == 0 && !(value = cli_value(options)))
                return EXIT_USAGE;
        if (!value)
            return cli_unknown(options, &cli_garment);
        if (strcmp(name, "edge") == 0 && !cli_length(value, "--edge", &r->edge))
            return EXIT_USAGE;
        if (strcmp(name, "lattice") == 0)
            r->lattice = value;
        if (strcmp(name, "out") == 0)
            r->out = value;
        if (strcmp(name, "measures") == 0 && tl_measures_load(value, &r->measures, &error) != TL_OK)
            return cli_fail(EXIT_USAGE, "%s", error.message);
        if (strcmp(name, "set") == 0 && set_measure(&r->measures, value) != EXIT_DONE)
            return EXIT_USAGE;
    }
    return EXIT_DONE;
}

static const struct {
    const char *name;
    int (*run)(const request *, const tl_pattern *);
} verbs[] = {{"info", info},   {"check", check},   {"mesh", mesh_panels}, {"draw", draw},
             {"draft", draft}, {"import", import}, {"flatten", import}};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int command(int count, char **arguments)
{
    cli_options options = {.count = count, .arguments = arguments};
    request r = {.edge = (tl_real)0.01};
    const char *names[VERBS + 1] = {NULL};
    int verb = -1;
    if (!cli_next(&options) || options.name)
        return cli_fail(EXIT_USAGE, "garment: do what? %s", cli_garment.arguments);
    for (int v = 0; v < VERBS; ++v) {
        names[v] = verbs[v].name;
        verb = strcmp(options.word, names[v]) == 0 ? v : verb;
    }
    if (verb < 0)
        return cli_fail_nearest(options.word, names, "garment cannot '%s'", options.word);
    int code = read_options(&options, &r);
    if (code != EXIT_DONE)
        return code;
    if (!r.name)
        return cli_fail(EXIT_USAGE, "garment %s: which PATTERN?", names[verb]);
    if (verbs[verb].run == draft && !is_draft(r.name))
        return cli_fail_nearest(r.name, tl_pattern_drafts(), "there is no draft '%s'", r.name);
    tl_pattern *pattern = load(&r);
    if (!pattern)
        return EXIT_USAGE;
    code = verbs[verb].run(&r, pattern);
    tl_pattern_destroy(pattern);
    return code;
}

const cli_command cli_garment = {
    .name = "garment",
    .arguments =
        "info|check|mesh|draw|draft|import|flatten PATTERN [--edge 10mm] [--lattice triangles|squares] [--out FILE] "
        "[--measures FILE] [--set MEASURE=VALUE] [--json]",
    .summary = "Reads, checks, meshes, draws, drafts and imports sewing patterns.",
    .help =
        "PATTERN is a file in GarmentCode's JSON, or the name of a draft: tank-top, t-shirt, trousers, skirt, dress,\n"
        "poncho, cape, jacket, a drawing in SVG or DXF (AAMA/ASTM layers), or a worn\n"
        "garment as OBJ with texture coordinates, which is flattened: its islands are panels, their common borders "
        "seams.\n"
        "info   panels, seams with their lengths and mismatch, anchors\n"
        "check  faults: outlines, seams in a wrong direction, panels that cannot be meshed\n"
        "mesh   triangles of side --edge; --out writes them as OBJ, placed, with the pattern as texture coordinates\n"
        "draw   --out FILE.svg: panels, seams in colours with arrows, lengths in cm\n"
        "draft  to measure; --measures FILE is a JSON object of measures in metres, --set height=1.68 sets one;\n"
        "       writes NAME.json or --out",
    .run = command,
};
