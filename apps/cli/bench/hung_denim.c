/* `telar bench steppers hung`: denim laid flat, held by two corners, swings down and comes to rest, 60 Hz, one thread:
   the stepper that users get, the same with the preconditioner before it, an older telar (--beside PATH), and XPBD with
   as many substeps as make its sag as true. True is a run with short steps and equations solved to the end; the error
   is the difference in the lowest point. Cloth by XPBD is softer than denim: where no rate up to MAX_RATE will do, the
   row of the highest says so. */
#include "cli/bench/bench.h"
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MAX_FRAMES = 240, FRAMES = 120, QUICK_FRAMES = 6, QUICK_GRID = 16, FPS = 60 };
enum { FIRST_RATE = 480, MAX_RATE = 3840 };                                /* Hz, substeps of XPBD */
enum { TRUE_SUBSTEPS = 2, TRUE_ITERATIONS = 2 };                           /* of a frame, of Newton's method in each */
static const double SIDE = 1.2, DAMPING = 4;                               /* m, 1/s */
static const double TRUE_TOLERANCE = 1e-4, EQUAL = 1.05, MIN_ERROR = 1e-3; /* m: a millimetre is as good as none */

typedef struct result {
    const char *method;
    int substeps, frames;
    double iterations;          /* per frame */
    double seconds[MAX_FRAMES]; /* of each frame, ascending */
    double lowest;              /* m, at the end */
} result;

static tl_cloth_def sheet_of(int grid, tl_pin_def pins[2])
{
    tl_cloth_def def = tl_cloth_def_grid(grid, grid, (tl_real)SIDE, (tl_real)SIDE);
    pins[0] = pins[1] = tl_pin_def_default();
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = 2;
    def.fabric = "denim";
    def.damping = (tl_real)DAMPING;
    return def;
}

static double lowest_of(tl_cloth *cloth)
{
    const tl_vec3 *x = tl_cloth_positions(cloth);
    double low = x ? INFINITY : NAN;
    for (int v = 0; x && v < tl_cloth_vertex_count(cloth); ++v)
        low = fmin(low, (double)x[v].y);
    return low;
}

static bool hang(const tl_cloth_def *def, const char *method, int frames, result *out)
{
    *out = (result){.method = method, .frames = frames};
    tl_world_def world_def = tl_world_def_default();
    world_def.threads = 1;
    tl_error error;
    tl_world *world = tl_world_create(&world_def, &error);
    tl_cloth *cloth = world ? tl_cloth_create(world, def) : NULL;
    if (!cloth) {
        cli_fail(EXIT_FAILED, "%s", world ? tl_last_error(world) : error.message);
        tl_world_destroy(world);
        return false;
    }
    for (int f = 0; f < frames; ++f) {
        double start = bench_processor_seconds();
        tl_world_step(world, (tl_real)(1.0 / FPS));
        out->seconds[f] = bench_processor_seconds() - start;
        tl_cloth_stats stats = tl_cloth_get_stats(cloth);
        out->iterations += (double)stats.solver_iterations / frames;
        out->substeps = stats.substeps;
    }
    bench_sort(out->seconds, frames);
    out->lowest = lowest_of(cloth);
    tl_world_destroy(world);
    return true;
}

/* ---- an older telar --------------------------------------------------------------------------------------------- */

/* The same sheet as a scene that older versions read as well. */
static bool write_scene(const char *name, int grid)
{
    FILE *file = fopen(name, "w");
    if (!file)
        return false;
    fprintf(
        file,
        "{\"scene\": {\"title\": \"hung denim\", \"fps\": %d}, \"world\": {\"threads\": 1}, \"cloth\": [{\"columns\": "
        "%d, \"rows\": %d, \"width\": %g, \"height\": %g, \"fabric\": \"denim\", \"stepper\": \"implicit-euler\", "
        "\"substeps\": 1, \"center\": [0, 1, 0], \"damping\": %g, \"pin\": [{\"where\": \"corner\", \"name\": "
        "\"top-left\"}, {\"where\": "
        "\"corner\", \"name\": \"top-right\"}]}]}\n",
        FPS, grid, grid, SIDE, SIDE, DAMPING);
    return cli_close(file, name);
}

/* CPU time of the programs that have run, s. */
static double children_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static bool spawn(const char *program, const char *scene, const char *folder, const char *stats, int frames)
{
    char count[16];
    snprintf(count, sizeof count, "%d", frames);
    const char *words[] = {program, "run",  scene,     "--frames", count,     "--format", "pc2",
                           "--out", folder, "--stats", stats,      "--quiet", NULL};
    char *arguments[sizeof words / sizeof *words];
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        arguments[k] = (char *)(uintptr_t)words[k]; /* posix_spawn's array is not const; nothing writes to it */
    pid_t child;
    int status = 0;
    bool started = posix_spawnp(&child, program, NULL, NULL, arguments, environ) == 0;
    return started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Column of a comma-separated line; 0 where there is none. */
static double column(const char *line, int index)
{
    for (; index > 0 && line; --index)
        line = (line = strchr(line, ',')) ? line + 1 : NULL;
    return line ? strtod(line, NULL) : 0;
}

static int column_named(const char *head, const char *name)
{
    const char *at = strstr(head, name);
    int index = 0;
    for (const char *c = head; at && c < at; ++c)
        index += *c == ',';
    return at ? index : 1000;
}

/* Times of the stages and iterations of every frame after the first row, which is the start. */
static bool read_stats(const char *name, result *out)
{
    static const char *const stages[] = {"forces_s", "step_s", "contact_s", "finish_s"};
    char head[4096], line[4096];
    FILE *file = fopen(name, "r");
    if (!file)
        return false;
    int frame = -1;
    if (fgets(head, sizeof head, file))
        for (; frame < out->frames && fgets(line, sizeof line, file); ++frame)
            for (int s = 0; s < 4 && frame >= 0; ++s) {
                out->seconds[frame] += column(line, column_named(head, stages[s]));
                out->iterations += s == 0 ? column(line, column_named(head, "solver_iterations")) / out->frames : 0;
            }
    fclose(file);
    bench_sort(out->seconds, out->frames);
    return frame == out->frames;
}

/* The lowest point of the last frame of a PC2 cache. */
static bool read_lowest(const char *name, int vertices, result *out)
{
    FILE *file = fopen(name, "rb");
    float x[3];
    out->lowest = INFINITY;
    int read = 0;
    if (file && fseek(file, -12L * vertices, SEEK_END) == 0)
        for (; read < vertices && fread(x, sizeof *x, 3, file) == 3; ++read)
            out->lowest = fmin(out->lowest, (double)x[1]);
    if (file)
        fclose(file);
    return read == vertices;
}

/* Runs `program` on the same sheet. It reports times of the wall clock; they count by the share of a core that it had.
 */
static bool hang_beside(const char *program, int grid, int frames, result *out)
{
    *out = (result){.method = "beside", .substeps = 1, .frames = frames};
    char folder[] = "/tmp/telar-beside-XXXXXX", scene[64], stats[64], cache[64];
    if (!mkdtemp(folder))
        return cli_fail(EXIT_FAILED, "%s: %s", folder, strerror(errno)) == EXIT_DONE;
    snprintf(scene, sizeof scene, "%s/sheet.json", folder);
    snprintf(stats, sizeof stats, "%s/stats.csv", folder);
    snprintf(cache, sizeof cache, "%s/cloth0.pc2", folder);
    double start = cli_seconds(), used = children_seconds();
    bool done = write_scene(scene, grid) && spawn(program, scene, folder, stats, frames);
    double share = fmin((children_seconds() - used) / fmax(cli_seconds() - start, 1e-9), 1);
    done = done && read_stats(stats, out) && read_lowest(cache, grid * grid, out);
    for (int f = 0; f < frames; ++f)
        out->seconds[f] *= share;
    remove(scene);
    remove(stats);
    remove(cache);
    rmdir(folder);
    if (!done)
        cli_fail(EXIT_FAILED, "--beside: '%s' did not run the sheet", program);
    return done;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void print(const bench_settings *settings, int grid, const result *r, double truth, bool first, const char *note)
{
    double median = 1e3 * r->seconds[r->frames / 2], late = 1e3 * r->seconds[99 * r->frames / 100],
           worst = 1e3 * r->seconds[r->frames - 1], error = 1e3 * (truth - r->lowest);
    if (settings->json)
        printf("%s{\"grid\": %d, \"method\": \"%s\", \"substeps\": %d, \"frames\": %d, \"iterations\": %.1f, "
               "\"median_ms\": %.3f, \"p99_ms\": %.3f, \"worst_ms\": %.3f, \"sag_mm\": %.3f, \"note\": \"%s\"}",
               first ? "" : ", ", grid, r->method, r->substeps, r->frames, r->iterations, median, late, worst, error,
               note);
    else
        printf("%5d² %-20s %8d %10.1f %10.2f %8.2f %8.2f %14.2f  %s\n", grid, r->method, r->substeps, r->iterations,
               median, late, worst, error, note);
    fflush(stdout);
}

/* XPBD, with substeps doubled until its lowest point is as true as `wanted`, m. */
static bool search(const bench_settings *settings, const tl_cloth_def *sheet, int frames, double truth, double wanted)
{
    tl_cloth_def def = *sheet;
    def.stepper = "xpbd";
    for (int rate = FIRST_RATE; rate <= MAX_RATE; rate *= 2) {
        result r;
        def.substep_rate = (tl_real)rate;
        if (!hang(&def, "xpbd", frames, &r))
            return false;
        bool equal = fabs(truth - r.lowest) <= EQUAL * wanted, last = 2 * rate > MAX_RATE;
        print(settings, def.columns, &r, truth, false, equal ? "equal error" : last ? "equal error not reached" : "");
        if (equal)
            break;
    }
    return true;
}

static bool one_grid(const bench_settings *settings, int grid, int frames, bool first)
{
    result r;
    tl_pin_def pins[2];
    tl_cloth_def sheet = sheet_of(grid, pins), def = sheet;
    def.stepper = "implicit-euler";
    def.substeps = TRUE_SUBSTEPS;
    def.newton = TRUE_ITERATIONS;
    def.solver_tolerance = (tl_real)TRUE_TOLERANCE;
    if (!hang(&def, "true", frames, &r))
        return false;
    double truth = r.lowest;
    if (!hang(&sheet, "automatic", frames, &r))
        return false;
    print(settings, grid, &r, truth, first, "");
    double error = fmax(fabs(truth - r.lowest), MIN_ERROR);
    def = sheet;
    def.preconditioner = "sweep";
    if (!hang(&def, "automatic, sweep", frames, &r))
        return false;
    print(settings, grid, &r, truth, false, "");
    if (settings->beside) {
        if (!hang_beside(settings->beside, grid, frames, &r))
            return false;
        print(settings, grid, &r, truth, false, "times by its share of a core");
    }
    return search(settings, &sheet, frames, truth, error);
}

bool bench_hung_denim(const bench_settings *settings)
{
    static const int grids[] = {71, 128};
    if (!settings->json)
        printf("denim, %g m, laid flat and held by two corners, %d frames at %d Hz; sag error: lowest point below that "
               "of a converged run\n%6s %-20s %8s %10s %10s %8s %8s %14s\n",
               SIDE, settings->quick ? QUICK_FRAMES : FRAMES, FPS, "grid", "method", "substeps", "iterations",
               "median ms", "p99 ms", "worst ms", "sag error, mm");
    if (settings->quick)
        return one_grid(settings, QUICK_GRID, QUICK_FRAMES, true);
    return one_grid(settings, grids[0], FRAMES, true) && one_grid(settings, grids[1], FRAMES, false);
}
