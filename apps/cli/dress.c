/* `telar dress`: puts garments on a figure or a mesh, from sewing patterns to worn. */
#include "cli/cli.h"
#include "cli/film.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_GARMENTS = 8 };

typedef struct request {
    const char *pattern[MAX_GARMENTS];
    int count;
    const char *on, *out, *body_out, *fabric, *video, *strip;
    film *film; /* NULL: no pictures */
    tl_real edge, thickness, body_edge;
    tl_measures measures;
    tl_dress_phase until;
    bool json, quiet;
    bool failed; /* one garment is not worn */
} request;

/* ---- input ------------------------------------------------------------------------------------------------------- */

static int set_measure(tl_measures *measures, const char *assignment)
{
    char name[64];
    tl_error error;
    tl_value value;
    const char *equals = strchr(assignment, '=');
    if (!equals || (size_t)(equals - assignment) >= sizeof name)
        return cli_fail(EXIT_USAGE, "--set: '%s' is not MEASURE=VALUE", assignment);
    memcpy(name, assignment, (size_t)(equals - assignment));
    name[equals - assignment] = 0;
    const tl_param *param = tl_param_find(&tl_measures_params, name);
    tl_result result = param ? tl_param_parse(param, equals + 1, &value, "", &error)
                             : tl_param_unknown(&tl_measures_params, name, "", &error);
    if (result == TL_OK)
        result = tl_param_set(&tl_measures_params, param, measures, &value, "", &error);
    return result == TL_OK ? EXIT_DONE : cli_fail(EXIT_USAGE, "--set %s: %s", assignment, error.message);
}

static int read_phase(const char *name, tl_dress_phase *phase)
{
    static const char *names[TL_DRESS_DONE];
    for (int k = TL_DRESS_SEW; k < TL_DRESS_DONE; ++k) {
        names[k - 1] = tl_dress_phase_name((tl_dress_phase)k);
        if (strcmp(name, names[k - 1]) == 0) {
            *phase = (tl_dress_phase)k;
            return EXIT_DONE;
        }
    }
    return cli_fail_nearest(name, names, "--until: '%s' is not a phase that comes after another", name);
}

static int read_option(request *r, const char *name, const char *value)
{
    tl_error error;
    if (strcmp(name, "measures") == 0)
        return tl_measures_load(value, &r->measures, &error) == TL_OK ? EXIT_DONE
                                                                      : cli_fail(EXIT_USAGE, "%s", error.message);
    if (strcmp(name, "set") == 0)
        return set_measure(&r->measures, value);
    if (strcmp(name, "edge") == 0)
        return cli_length(value, "--edge", &r->edge) ? EXIT_DONE : EXIT_USAGE;
    if (strcmp(name, "body-edge") == 0)
        return cli_length(value, "--body-edge", &r->body_edge) ? EXIT_DONE : EXIT_USAGE;
    if (strcmp(name, "thickness") == 0)
        return cli_length(value, "--thickness", &r->thickness) ? EXIT_DONE : EXIT_USAGE;
    if (strcmp(name, "until") == 0)
        return read_phase(value, &r->until);
    const char **text = strcmp(name, "on") == 0      ? &r->on
                        : strcmp(name, "out") == 0   ? &r->out
                        : strcmp(name, "body") == 0  ? &r->body_out
                        : strcmp(name, "video") == 0 ? &r->video
                        : strcmp(name, "strip") == 0 ? &r->strip
                                                     : &r->fabric;
    *text = value;
    return EXIT_DONE;
}

static int read_arguments(request *r, int count, char **arguments)
{
    static const char *const valued[] = {"on",        "out",      "body",  "fabric", "edge",  "body-edge", "set",
                                         "thickness", "measures", "video", "strip",  "until", NULL};
    cli_options options = {.count = count, .arguments = arguments};
    while (cli_next(&options)) {
        bool takes_value = false;
        for (int k = 0; options.name && valued[k]; ++k)
            takes_value |= strcmp(options.name, valued[k]) == 0;
        if (takes_value) {
            const char *name = options.name, *value = cli_value(&options);
            if (!value || read_option(r, name, value) != EXIT_DONE)
                return EXIT_USAGE;
        } else if (options.name && strcmp(options.name, "json") == 0) {
            r->json = true;
        } else if (options.name && strcmp(options.name, "quiet") == 0) {
            r->quiet = true;
        } else if (!options.name && r->count < MAX_GARMENTS) {
            r->pattern[r->count++] = options.word;
        } else if (!options.name) {
            return cli_fail(EXIT_USAGE, "dress: more than %d garments over one another", MAX_GARMENTS);
        } else {
            return cli_unknown(&options, &cli_dress);
        }
    }
    return r->count > 0 ? EXIT_DONE
                        : cli_fail(EXIT_USAGE, "dress: which PATTERN? A file or one of telar garment draft");
}

static bool is_figure(const char *name)
{
    for (const char *const *at = tl_figure_names(); *at; ++at)
        if (strcmp(*at, name) == 0)
            return true;
    return false;
}

/* The body: a figure to measure, or a closed mesh. NULL after a message. */
static tl_character *make_character(const request *r)
{
    tl_error error;
    tl_character *character = NULL;
    if (is_figure(r->on)) {
        tl_measures measures = r->measures, none = {0};
        bool given = memcmp(&measures, &none, sizeof none) != 0;
        character = tl_character_create(
            &(tl_character_def){.figure = r->on, .measures = given ? &measures : NULL, .edge = r->body_edge}, NULL,
            &error);
    } else if (strchr(r->on, '.') || strchr(r->on, '/')) {
        tl_mesh *mesh = tl_mesh_load(r->on, NULL, &error);
        character = mesh ? tl_character_create_mesh(mesh, NULL, &error) : NULL;
        tl_mesh_destroy(mesh);
    } else {
        cli_fail_nearest(r->on, tl_figure_names(), "--on: '%s' is neither a figure nor a mesh file", r->on);
        return NULL;
    }
    if (!character)
        cli_fail(EXIT_USAGE, "--on %s: %s", r->on, error.message);
    return character;
}

static tl_pattern *load_pattern(const request *r, const tl_character *character, const char *name)
{
    tl_error error;
    for (const char *const *at = tl_pattern_drafts(); *at; ++at)
        if (strcmp(*at, name) == 0) {
            const tl_measures *own = tl_character_measures(character);
            tl_measures measures = own->height > 0 ? *own : r->measures;
            tl_measures_complete(&measures);
            tl_pattern *draft = tl_pattern_draft(name, &measures, &error);
            if (!draft)
                cli_fail(EXIT_USAGE, "%s: %s", name, error.message);
            return draft;
        }
    tl_pattern *pattern = tl_pattern_load(name, &error);
    if (!pattern)
        cli_fail(EXIT_USAGE, "%s", error.message);
    return pattern;
}

/* ---- output ------------------------------------------------------------------------------------------------------ */

/* Garments, or the body, as one OBJ through a world that never moves. */
static int write_obj(tl_garment *const *garments, int count, const tl_mesh *body, const char *file_name)
{
    tl_error error = {0};
    tl_world_def world_def = tl_world_def_default();
    tl_world *world = tl_world_create(&world_def, &error);
    tl_mesh *mesh[MAX_GARMENTS] = {NULL};
    tl_result result = world ? TL_OK : TL_ERROR_MEMORY;
    for (int k = 0; k < count + (body != NULL) && result == TL_OK; ++k) {
        tl_cloth_def def = body ? tl_cloth_def_default() : tl_garment_cloth_def(garments[k]);
        if (!body)
            mesh[k] = tl_garment_mesh(garments[k], NULL, &error);
        def.mesh = body ? body : mesh[k];
        def.stepper = "xpbd"; /* which needs no matrix */
        def.contact = "none";
        if (!def.mesh || !tl_cloth_create(world, &def))
            result = TL_ERROR_MEMORY;
    }
    if (result == TL_OK)
        result = tl_write_obj(world, file_name, &error);
    else if (!error.message[0] && world)
        snprintf(error.message, sizeof error.message, "%s", tl_last_error(world));
    tl_world_destroy(world);
    for (int k = 0; k < count; ++k)
        tl_mesh_destroy(mesh[k]);
    return result == TL_OK ? EXIT_DONE : cli_fail(EXIT_FAILED, "%s: %s", file_name, error.message);
}

static void print_json(const char *name, const tl_dress_report *r, bool last)
{
    printf("  {\"garment\": ");
    cli_json_text(name);
    printf(", \"worn\": %s, \"phase\": \"%s\", \"message\": ", r->phase == TL_DRESS_DONE ? "true" : "false",
           tl_dress_phase_name(r->phase));
    cli_json_text(r->message);
    printf(", \"note\": ");
    cli_json_text(r->note);
    printf(",\n   \"crossings\": %d, \"inside\": %d, \"body_crossings\": %d, \"seam_gap_mm\": %.3f, "
           "\"seam_gap_mean_mm\": %.3f, \"merged\": %s,\n   \"stretch_p99\": %.5f, \"stretch_max\": %.5f, "
           "\"rms_speed\": %.5f, \"seconds\": %.2f, \"particles\": %d, \"frames\": %d, \"attempts\": %d,\n   "
           "\"phases\": {",
           r->crossings, r->inside, r->body_crossings, 1e3 * (double)r->seam_gap, 1e3 * (double)r->seam_gap_mean,
           r->merged ? "true" : "false", (double)r->stretch_p99, (double)r->stretch_max, (double)r->rms_speed,
           r->seconds, r->particles, r->frames, r->attempts > 0 ? r->attempts : 1);
    for (int k = 0; k < TL_DRESS_DONE; ++k)
        printf("%s\"%s\": {\"frames\": %d, \"seconds\": %.2f}", k > 0 ? ", " : "",
               tl_dress_phase_name((tl_dress_phase)k), r->frames_of[k], r->seconds_of[k]);
    printf("}}%s\n", last ? "" : ",");
}

static void print_text(const char *name, const tl_dress_report *r)
{
    printf("%s: %s\n", name, r->phase == TL_DRESS_DONE ? "worn" : r->message);
    if (r->note[0])
        printf("  %s\n", r->note);
    printf("  %d particles, %d frames, %.1f s (sew %.1f, merge %.1f, grow %.1f, settle %.1f)\n", r->particles,
           r->frames, r->seconds, r->seconds_of[TL_DRESS_SEW], r->seconds_of[TL_DRESS_MERGE],
           r->seconds_of[TL_DRESS_GROW], r->seconds_of[TL_DRESS_SETTLE]);
    printf("  crossings %d, inside %d, with the body %d, seams %.1f mm apart before they were merged\n", r->crossings,
           r->inside, r->body_crossings, 1e3 * (double)r->seam_gap);
    printf("  stretch %.1f %% (99th percentile), %.1f %% (largest), speed %.1f mm/s (rms)\n",
           100 * (double)r->stretch_p99, 100 * (double)r->stretch_max, 1e3 * (double)r->rms_speed);
}

typedef struct watch {
    cli_dressing shown;
    film *film;
    tl_garment *garment;
    bool stopped; /* the film could not be written */
} watch;

static bool show_progress(void *user, const tl_dress_report *report)
{
    watch *w = user;
    cli_dressing_at(&w->shown, report);
    w->stopped = w->film && !film_frame(w->film, w->garment);
    return !cli_interrupted && !w->stopped;
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

/* Dresses garment k over the one before; NULL after a message. */
static tl_garment *dress_one(request *r, const tl_character *character, tl_garment *inner, int k)
{
    tl_error error;
    tl_pattern *pattern = load_pattern(r, character, r->pattern[k]);
    if (!pattern)
        return NULL;
    tl_garment_def def = {.edge = r->edge, .fabric = r->fabric, .thickness = r->thickness};
    const char *slash = strrchr(r->pattern[k], '/');
    snprintf(def.label, sizeof def.label, "%s", slash ? slash + 1 : r->pattern[k]);
    tl_garment *garment = tl_garment_create(pattern, character, inner, &def, NULL, &error);
    tl_pattern_destroy(pattern);
    if (!garment) {
        cli_fail(EXIT_USAGE, "%s: %s", r->pattern[k], error.message);
        return NULL;
    }
    watch w = {.shown = cli_dressing_start(def.label, r->quiet), .film = r->film, .garment = garment};
    tl_garment_dress_begin(
        garment,
        &(tl_dress_def){.until = k == r->count - 1 ? r->until : TL_DRESS_PLACE, .progress = show_progress, .user = &w},
        NULL);
    tl_dress_report report = *tl_garment_report(garment);
    if (w.film && !report.done)
        w.stopped = !film_frame(w.film, garment);
    while (!report.done && !w.stopped)
        tl_garment_dress_step(garment, &report);
    cli_dressing_end(&w.shown);
    r->failed |= report.result != TL_OK;
    if (r->json)
        print_json(r->pattern[k], &report, r->failed || k == r->count - 1);
    else
        print_text(r->pattern[k], &report);
    return garment;
}

static int command(int count, char **arguments)
{
    request r = {.on = "human"};
    int code = read_arguments(&r, count, arguments);
    tl_character *character = code == EXIT_DONE ? make_character(&r) : NULL;
    if (!character)
        return EXIT_USAGE;
    cli_catch_interrupt();
    tl_garment *garment[MAX_GARMENTS] = {NULL};
    int made = 0;
    if (r.video || r.strip) {
        r.film = film_open(r.video, r.strip);
        code = r.film ? EXIT_DONE : EXIT_FAILED;
    }
    if (r.json)
        puts("[");
    while (code == EXIT_DONE && made < r.count && !r.failed) {
        garment[made] = dress_one(&r, character, made > 0 ? garment[made - 1] : NULL, made);
        code = garment[made] ? EXIT_DONE : EXIT_USAGE;
        made += garment[made] != NULL;
    }
    if (r.json)
        puts("]");
    if (!film_close(r.film))
        code = EXIT_FAILED;
    if (code == EXIT_DONE && r.out)
        code = write_obj(garment, made, NULL, r.out);
    if (code == EXIT_DONE && r.body_out)
        code = write_obj(NULL, 0, tl_character_mesh(character), r.body_out);
    if (code == EXIT_DONE && r.failed)
        code = cli_fail(EXIT_FAILED, "%s: %s", r.pattern[made - 1], tl_garment_report(garment[made - 1])->message);
    while (made > 0)
        tl_garment_destroy(garment[--made]);
    tl_character_destroy(character);
    return code;
}

const cli_command cli_dress = {
    .name = "dress",
    .arguments = "PATTERN… [--on FIGURE|MESH] [--measures FILE] [--set MEASURE=VALUE] [--fabric NAME] [--edge 20mm] "
                 "[--thickness 4mm] [--body-edge 25mm] [--until PHASE] [--out worn.obj] [--body body.obj] "
                 "[--video clip.mp4] [--strip phases.png] [--json] [--quiet]",
    .summary = "Puts garments on a body, from sewing patterns to worn.",
    .help =
        "A PATTERN is a file, or a draft to the body's measures (telar garment draft). Several are worn over one\n"
        "another, the first nearest to the skin. The body is a figure (human, child, dog) or a closed mesh.\n"
        "Panels are placed, sewn, merged and settled; see docs/garments.md. --out writes what was reached, also\n"
        "after a failure; --body the body; --video shows the phases as a clip, --strip the end of each side by side.\n"
        "--until sew, merge, grow or settle ends when this phase of the last garment begins. --json prints crossings,\n"
        "inside, body_crossings, seam_gap_mm, stretch_p99, stretch_max, rms_speed, seconds and the phases.\n"
        "A garment is worn when nothing crosses, 99 % of its edges are stretched by at most 5 % and none by more\n"
        "than 12 %, and it moves by less than 8 mm/s (rms). Else the exit code is 1, and the message says in which\n"
        "phase, what and where.",
    .run = command,
};
