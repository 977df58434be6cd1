/* `telar run`: simulates a scene and writes the requested outputs. Each frame is on disk before the next begins, so
   an interrupted run leaves readable files. */
#include "cli/cli.h"
#include "cli/frames.h"
#include "cli/trace.h"
#include "render/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CLOTHS = 64,
    MAX_FRAMES = 1000000,
    FORMAT_OBJ = 1,
    FORMAT_PC2 = 2,
    FORMAT_MDD = 4,
    FORMAT_PNG = 8,
    FORMAT_MP4 = 16,
    FORMAT_WEBM = 32,
    FORMAT_GIF = 64,
    FORMAT_GLB = 128,
    DRAWN = FORMAT_PNG | FORMAT_MP4 | FORMAT_WEBM | FORMAT_GIF
};

typedef struct run {
    const char *scene_name;
    const char *out;
    const char *stats_name;
    unsigned formats;
    long frames;    /* -1: the scene's own */
    long trace;     /* frame to trace, from 1; 0: none */
    bool trace_all; /* list every substep */
    bool quiet, hash, no_cache;
    tl_scene *scene;
    tl_world *world;
    tl_cache *caches[2][MAX_CLOTHS];
    tl_glb *glb; /* NULL: none, or not begun */
    FILE *stats;
    frames *pictures;                  /* NULL when nothing is drawn */
    char clip[3][4200];                /* file names, "" for none */
    int rejected;                      /* unstable frames */
    double material_error[MAX_CLOTHS]; /* of the first cloths, over the last frames; 0: none yet */
} run;

static const struct {
    const char *name;
    unsigned bit;
} formats[] = {{"obj", FORMAT_OBJ}, {"pc2", FORMAT_PC2},   {"mdd", FORMAT_MDD}, {"png", FORMAT_PNG},
               {"mp4", FORMAT_MP4}, {"webm", FORMAT_WEBM}, {"gif", FORMAT_GIF}, {"glb", FORMAT_GLB}};

static bool read_formats(const char *text, unsigned *bits)
{
    *bits = 0;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, ",");
        bool found = false;
        for (size_t k = 0; k < sizeof formats / sizeof *formats; ++k)
            if (strlen(formats[k].name) == length && strncmp(formats[k].name, at, length) == 0) {
                *bits |= formats[k].bit;
                found = true;
            }
        if (!found) {
            cli_fail(EXIT_USAGE, "--format: '%.*s' is none of obj, pc2, mdd, glb, png, mp4, webm, gif", (int)length,
                     at);
            return false;
        }
        at += length + (at[length] == ',');
    }
    return true;
}

/* "FRAME" or "FRAME:all" */
static bool read_trace(const char *text, run *r)
{
    char frame[32];
    size_t length = strcspn(text, ":");
    r->trace_all = text[length] == ':';
    if (length >= sizeof frame || (r->trace_all && strcmp(text + length, ":all") != 0)) {
        cli_fail(EXIT_USAGE, "--trace: '%s' is not FRAME or FRAME:all", text);
        return false;
    }
    memcpy(frame, text, length);
    frame[length] = 0;
    return cli_integer(frame, "--trace", 1, MAX_FRAMES, &r->trace);
}

/* Renderer for images and clips. */
static int open_pictures(run *r)
{
    static const struct {
        unsigned bit;
        const char *ending;
    } clips[3] = {{FORMAT_MP4, "mp4"}, {FORMAT_WEBM, "webm"}, {FORMAT_GIF, "gif"}};
    frames_def def = {.folder = r->formats & FORMAT_PNG ? r->out : NULL,
                      .width = 1280,
                      .height = 720,
                      .samples = 4,
                      .scene_file = tl_scene_file(r->scene),
                      .duration = (double)r->frames / (double)tl_scene_info(r->scene)->fps};
    for (int k = 0; k < 3; ++k)
        if (r->formats & clips[k].bit) {
            snprintf(r->clip[k], sizeof r->clip[k], "%s/clip.%s", r->out, clips[k].ending);
            def.clips[k] = r->clip[k];
        }
    r->pictures = frames_open(r->scene, &def);
    return r->pictures ? EXIT_DONE : EXIT_FAILED;
}

static int open_outputs(run *r)
{
    tl_error error;
    char name[4200];
    const tl_scene_def *info = tl_scene_info(r->scene);
    int cloths = tl_world_cloth_count(r->world);
    if ((r->formats || r->stats_name) && cloths > MAX_CLOTHS)
        return cli_fail(EXIT_FAILED, "%d cloths, but at most %d can be written", cloths, MAX_CLOTHS);
    if (r->formats && !cli_claim_folder(r->out))
        return EXIT_FAILED;
    for (int f = 0; f < 2; ++f)
        for (int k = 0; k < cloths && (r->formats & (f ? FORMAT_MDD : FORMAT_PC2)); ++k) {
            snprintf(name, sizeof name, "%s/cloth%d.%s", r->out, k, f ? "mdd" : "pc2");
            r->caches[f][k] = tl_cache_create(name, f ? TL_CACHE_MDD : TL_CACHE_PC2,
                                              tl_cloth_vertex_count(tl_world_cloth(r->world, k)), (int)r->frames + 1,
                                              info->fps, &error);
            if (!r->caches[f][k])
                return cli_fail(EXIT_FAILED, "%s", error.message);
        }
    if (r->stats_name) {
        r->stats = output_open(r->stats_name);
        if (!r->stats)
            return cli_fail(EXIT_FAILED, "%s: %s", r->stats_name, output_reason());
        fputs(
            "frame,time_s,cloth,substeps,contacts,largest_strain,largest_speed_m_s,kinetic_J,gravity_J,elastic_J,"
            "forces_s,step_s,contact_s,finish_s,rejected_frames,solver_iterations,gas_J,volume_m3,pressure_Pa,"
            "intersections,pairs,rebuilds,truncated,penetrating,parts,body_intersections,held,guarded,material_error\n",
            r->stats);
    }
    return r->formats & DRAWN ? open_pictures(r) : EXIT_DONE;
}

static int write_frame(run *r, int frame)
{
    tl_error error;
    char name[4200];
    for (int k = 0; k < tl_world_cloth_count(r->world); ++k) {
        tl_cloth *cloth = tl_world_cloth(r->world, k);
        for (int f = 0; f < 2; ++f)
            if (r->formats && r->caches[f][k] &&
                tl_cache_add(r->caches[f][k], tl_cloth_positions(cloth), &error) != TL_OK)
                return cli_fail(EXIT_FAILED, "%s", error.message);
        if (r->stats) {
            tl_cloth_stats s = tl_cloth_get_stats(cloth);
            tl_energies e = tl_cloth_energies(cloth);
            fprintf(r->stats,
                    "%d,%.6g,%d,%d,%d,%.6g,%.6g,%.9g,%.9g,%.9g,%.3g,%.3g,%.3g,%.3g,%d,%d,%.9g,%.9g,%.9g,%d,%d,%d,%d,%d,"
                    "%d,%d,%d,%d,%.4g\n",
                    frame, tl_world_time(r->world), k, s.substeps, s.contacts, (double)s.largest_strain,
                    (double)s.largest_speed, e.kinetic, e.gravity, e.elastic, s.seconds_forces, s.seconds_step,
                    s.seconds_contact, s.seconds_finish, s.rejected_frames, s.solver_iterations, e.gas, s.volume,
                    s.pressure, tl_cloth_count_intersections(cloth, NULL), s.pairs, s.rebuilds, s.truncated,
                    tl_cloth_count_penetrating(cloth, NULL), s.parts, tl_cloth_count_body_intersections(cloth), s.held,
                    s.guarded, (double)s.material_error);
            if (fflush(r->stats) != 0)
                return cli_fail(EXIT_FAILED, "%s: %s", r->stats_name, strerror(errno));
        }
    }
    if (r->formats & FORMAT_OBJ) {
        snprintf(name, sizeof name, "%s/frame%05d.obj", r->out, frame);
        if (tl_write_obj(r->world, name, &error) != TL_OK)
            return cli_fail(EXIT_FAILED, "%s", error.message);
    }
    if (r->formats & FORMAT_GLB) {
        if (r->glb ? tl_glb_add(r->glb, &error) != TL_OK : !(r->glb = tl_glb_create(r->scene, &error)))
            return cli_fail(EXIT_FAILED, "%s", error.message);
    }
    return r->pictures && !frames_add(r->pictures, frame) ? EXIT_FAILED : EXIT_DONE;
}

/* One frame, traced if requested. */
static int step(run *r, int frame)
{
    double start = cli_seconds();
    bool traced = frame == r->trace;
    if (traced)
        tl_world_set_trace(r->world, true);
    int code = cli_step(r->world, 1 / tl_scene_info(r->scene)->fps, &r->rejected);
    double seconds = cli_seconds() - start;
    if (traced) {
        trace_print(r->world, frame, seconds, r->trace_all);
        tl_world_set_trace(r->world, false);
    }
    return code;
}

/* Averages how far each cloth's method is from its material. It costs an evaluation of the forces: not every frame. */
static void judge(run *r, int frame)
{
    enum { INTERVAL = 10 }; /* frames */
    const double weight = 0.25;
    if (frame % INTERVAL != 0 && frame != r->frames)
        return;
    for (int k = 0; k < tl_world_cloth_count(r->world) && k < MAX_CLOTHS; ++k) {
        double now = (double)tl_cloth_get_stats(tl_world_cloth(r->world, k)).material_error,
               *mean = &r->material_error[k];
        *mean = *mean > 0 ? *mean + weight * (now - *mean) : now;
    }
}

static int simulate(run *r, int *done)
{
    cli_progress progress = cli_progress_start("simulating", (int)r->frames, r->quiet);
    int code = write_frame(r, 0);
    for (*done = 0; code == EXIT_DONE && *done < r->frames && !cli_interrupted;) {
        code = step(r, *done + 1);
        if (code != EXIT_DONE)
            break;
        judge(r, ++*done);
        code = write_frame(r, *done);
        cli_progress_at(&progress, *done);
    }
    cli_progress_end(&progress, *done);
    return code;
}

static int close_outputs(run *r, int code)
{
    tl_error error;
    for (int f = 0; f < 2; ++f)
        for (int k = 0; k < MAX_CLOTHS; ++k)
            if (r->caches[f][k] && tl_cache_close(r->caches[f][k], &error) != TL_OK)
                code = cli_fail(EXIT_FAILED, "%s", error.message);
    if (r->glb) {
        char name[4200];
        snprintf(name, sizeof name, "%s/clip.glb", r->out);
        if (tl_glb_save(r->glb, name, &error) != TL_OK)
            code = cli_fail(EXIT_FAILED, "%s", error.message);
        tl_glb_destroy(r->glb);
    }
    if (!frames_close(r->pictures))
        code = EXIT_FAILED;
    if (r->stats && !cli_close(r->stats, r->stats_name))
        code = EXIT_FAILED;
    return code;
}

static void report_crossings(tl_cloth *cloth)
{
    int pairs = tl_cloth_count_body_intersections(cloth);
    if (pairs > 0)
        fprintf(stderr, "%s: %d pairs of its triangles and triangles of bodies cross\n", tl_cloth_get_def(cloth)->label,
                pairs);
    const tl_cloth_def *def = tl_cloth_get_def(cloth);
    bool sees_itself = strcmp(def->contact, "self-collision") == 0 || strcmp(def->contact, "penetration-free") == 0;
    pairs = sees_itself ? 0 : tl_cloth_count_intersections(cloth, NULL);
    if (pairs > 0)
        fprintf(stderr,
                "%s: %d pairs of its triangles cross; contact %s does not see them, contact self-collision does\n",
                def->label, pairs, def->contact);
}

static void report_outputs(const run *r, int done)
{
    if (r->quiet)
        return;
    fprintf(stderr, "%s: %d of %ld frames, %.2f s of cloth\n", cli_title(r->scene), done, r->frames,
            tl_world_time(r->world));
    if (r->formats & FORMAT_OBJ)
        fprintf(stderr, "  %s/frame00000.obj … frame%05d.obj\n", r->out, done);
    for (int k = 0; k < tl_world_cloth_count(r->world); ++k) {
        if (r->formats & FORMAT_PC2)
            fprintf(stderr, "  %s/cloth%d.pc2\n", r->out, k);
        if (r->formats & FORMAT_MDD)
            fprintf(stderr, "  %s/cloth%d.mdd\n", r->out, k);
    }
    if (r->formats & FORMAT_PNG)
        fprintf(stderr, "  %s/frame00000.png … frame%05d.png\n", r->out, done);
    if (r->formats & FORMAT_GLB)
        fprintf(stderr, "  %s/clip.glb\n", r->out);
    for (int k = 0; k < 3; ++k)
        if (r->clip[k][0])
            fprintf(stderr, "  %s\n", r->clip[k]);
    if (r->stats_name)
        fprintf(stderr, "  %s\n", r->stats_name);
    for (int k = 0; k < tl_world_cloth_count(r->world) && k < MAX_CLOTHS; ++k) {
        char advice[256];
        const tl_cloth *cloth = tl_world_cloth(r->world, k);
        if (tl_cloth_material_advice(cloth, r->material_error[k], advice, sizeof advice)[0])
            fprintf(stderr, "%s: %s\n", tl_cloth_get_def(cloth)->label, advice);
        report_crossings(tl_world_cloth(r->world, k));
    }
}

static int run_scene(run *r)
{
    int done = 0;
    r->world = cli_build_scene(r->scene, r->quiet);
    if (!r->world)
        return EXIT_USAGE;
    if (r->frames < 0)
        r->frames = tl_scene_info(r->scene)->frames;
    if (r->frames < r->trace)
        r->frames = r->trace;
    cli_catch_interrupt();
    int code = open_outputs(r);
    bool opened = code == EXIT_DONE;
    if (opened)
        code = simulate(r, &done);
    code = close_outputs(r, code);
    if (opened)
        report_outputs(r, done);
    if (code == EXIT_DONE && r->hash)
        printf("%016" PRIx64 "\n", tl_world_hash(r->world));
    if (code == EXIT_DONE)
        code = cli_report_rejected(r->rejected);
    if (code == EXIT_DONE && cli_interrupted)
        code = cli_fail(EXIT_FAILED, "interrupted after frame %d; all files written so far are readable", done);
    return code;
}

static int command(int count, char **arguments)
{
    run r = {.scene_name = "", .out = "out", .frames = -1};
    cli_options options = {.count = count, .arguments = arguments};
    const char *sets[64];
    int set_count = 0;
    bool named = false;
    while (cli_next(&options)) {
        const char *value = NULL;
        bool takes_value = options.name && strcmp(options.name, "quiet") != 0 && strcmp(options.name, "hash") != 0 &&
                           strcmp(options.name, "no-cache") != 0;
        const char *known[] = {"frames", "set", "out", "format", "stats", "trace", "quiet", "hash", "no-cache"};
        bool is_known = false;
        for (size_t k = 0; options.name && k < sizeof known / sizeof *known; ++k)
            is_known = is_known || strcmp(options.name, known[k]) == 0;
        if (options.name && !is_known)
            return cli_unknown(&options, &cli_run);
        if (takes_value && !(value = cli_value(&options)))
            return EXIT_USAGE;
        if (!options.name) {
            if (named)
                return cli_unknown(&options, &cli_run);
            r.scene_name = options.word;
            named = true;
        } else if (strcmp(options.name, "frames") == 0) {
            if (!cli_integer(value, "--frames", 0, MAX_FRAMES, &r.frames))
                return EXIT_USAGE;
        } else if (strcmp(options.name, "set") == 0) {
            if (set_count == (int)(sizeof sets / sizeof *sets))
                return cli_fail(EXIT_USAGE, "at most %d --set", set_count);
            sets[set_count++] = value;
        } else if (strcmp(options.name, "out") == 0) {
            r.out = value;
        } else if (strcmp(options.name, "format") == 0) {
            if (!read_formats(value, &r.formats))
                return EXIT_USAGE;
        } else if (strcmp(options.name, "stats") == 0) {
            r.stats_name = value;
        } else if (strcmp(options.name, "trace") == 0) {
            if (!read_trace(value, &r))
                return EXIT_USAGE;
        } else if (strcmp(options.name, "hash") == 0) {
            r.hash = true;
        } else if (strcmp(options.name, "no-cache") == 0) {
            r.no_cache = true;
        } else {
            r.quiet = true;
        }
    }
    r.scene = cli_load_scene(r.scene_name);
    if (!r.scene)
        return EXIT_USAGE;
    tl_scene_set_cache(r.scene, !r.no_cache);
    int code = cli_set_parameters(r.scene, sets, set_count);
    if (code == EXIT_DONE)
        code = run_scene(&r);
    tl_scene_destroy(r.scene);
    return code;
}

const cli_command cli_run = {
    .name = "run",
    .arguments = "[SCENE] [--frames N] [--set PATH=VALUE]… [--out DIR] [--format obj,pc2,mdd,glb,png,mp4,webm,gif] "
                 "[--stats FILE.csv] [--trace FRAME[:all]] [--hash] [--no-cache] [--quiet]",
    .summary = "Simulates a scene and writes meshes, caches and statistics.",
    .help =
        "SCENE is a file or the name of a scene that comes with Telar (telar list scenes); without one the default\n"
        "scene runs. --set changes any parameter (telar list parameters), such as --set cloth[0].stepper=rk4.\n"
        "--hash prints the hash of the last state: equal hashes mean equal bits, on any machine and number of "
        "threads.\n"
        "--trace prints what ran in a frame (from 1), in order: stages of each cloth and phases of contact with time "
        "and\n"
        "count, then their sums and shares. It lists the first substep, with :all every one.\n"
        "--format glb writes one animated file, clip.glb, at the end: cloth as morph targets, bodies, camera, "
        "colours.\n"
        "The last lines say when a method is far from the material it simulates (material_error of the statistics).\n"
        "Characters of a scene are dressed first; garments are kept in the user's cache folder for the next run, "
        "unless\n"
        "--no-cache is given.\n"
        "Ctrl-C stops after the current frame; the files written so far are readable.",
    .run = command,
};
