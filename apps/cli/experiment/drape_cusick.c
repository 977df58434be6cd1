/* Cusick's drape test (1965, "The dependence of fabric drape on bending and shear stiffness"; cli/drape_disc.h): the
   drape coefficient must rise with the bending stiffness and converge with the mesh. A ripple of a tenth of a
   millimetre breaks the symmetry for folds. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/cli.h"
#include "cli/drape_disc.h"
#include "cli/experiment/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A disc as an OBJ file whose texture coordinates are the flat pattern in metres. */
static bool write_disc(const char *file, int rings)
{
    int vertices = drape_disc_vertices(rings), triangles = drape_disc_triangles(rings);
    tl_vec3 *x = malloc((size_t)vertices * sizeof *x);
    int *corner = malloc(3 * (size_t)triangles * sizeof *corner);
    FILE *out = x && corner ? fopen(file, "w") : NULL;
    if (out) {
        drape_disc_fill(rings, x, corner);
        for (int i = 0; i < vertices; ++i)
            fprintf(out, "v %.9g 0 %.9g\n", (double)x[i].x, (double)x[i].z);
        for (int i = 0; i < vertices; ++i)
            fprintf(out, "vt %.9g %.9g\n", (double)x[i].x, -(double)x[i].z);
        for (int f = 0; f < 3 * triangles; ++f)
            fprintf(out, "%s%d/%d%s", f % 3 ? "" : "f ", corner[f] + 1, corner[f] + 1, f % 3 == 2 ? "\n" : " ");
    }
    free(x);
    free(corner);
    return out && cli_close(out, file);
}

/* Drape coefficient of the scene's cloth, NAN when the run failed. */
static double drape(experiment_report *report, tl_scene *scene, int rings, int frames, const char *picture)
{
    char file[sizeof report->folder + 32], *absolute;
    snprintf(file, sizeof file, "%s/disc-%d.obj", report->folder, rings);
    if (!write_disc(file, rings) || !(absolute = realpath(file, NULL))) {
        experiment_broken(report, "the disc could not be written");
        return NAN;
    }
    bool done = experiment_set(report, scene, "cloth[0].mesh.file", "%s", absolute) &&
                experiment_set(report, scene, "cloth[0].mesh.rest", "uv") && experiment_run(report, scene, 0);
    free(absolute);
    if (!done)
        return NAN;
    tl_cloth *cloth = tl_world_cloth(tl_scene_world(scene), 0);
    drape_disc_mount(cloth, rings, 0);
    if (!experiment_continue(report, scene, frames))
        return NAN;
    if (picture)
        experiment_picture(report, scene, picture);
    return drape_disc_coefficient(cloth);
}

typedef struct point {
    double x, y;
} point;

static int by_x(const void *a, const void *b)
{
    double left = ((const point *)a)->x, right = ((const point *)b)->x;
    return (left > right) - (left < right);
}

static void draw(plot_curve *curve, const char *name, point *points, int count)
{
    qsort(points, (size_t)count, sizeof *points, by_x);
    for (int k = 0; k < count; ++k)
        plot_point(curve, name, points[k].x, points[k].y);
}

/* Length cubed over which a fabric bears its own weight, cm³. */
static double bearing(const tl_fabric *fabric, double bend) { return 1e6 * bend / ((double)fabric->density * 9.81); }

static void every_fabric(experiment_report *report, tl_scene *scene, int rings, int frames, plot_curve *curve)
{
    enum { MOST = 64 };
    point points[MOST];
    int count = 0;
    for (int k = 1; tl_fabric_names()[k] && count < MOST; ++k) {
        const tl_fabric *fabric = tl_fabric_named(tl_fabric_names()[k]);
        if (report->quick && k > 1)
            break;
        if (!experiment_set(report, scene, "cloth[0].fabric", "%s", fabric->name))
            continue;
        double coefficient = drape(report, scene, rings, frames, fabric->name);
        experiment_row(report, fabric->name, "", 100 * coefficient, "%");
        points[count++] = (point){bearing(fabric, (double)tl_fabric_bend(fabric)), 100 * coefficient};
    }
    draw(curve, ".the fabrics", points, count);
}

/* The same cloth with more and more bending stiffness. */
static void more_stiffness(experiment_report *report, tl_scene *scene, int rings, int frames, plot_curve *curve)
{
    const tl_fabric *denim = tl_fabric_named("denim");
    double last = NAN, least_rise = INFINITY;
    experiment_set(report, scene, "cloth[0].fabric", "denim");
    for (double factor = 0.25; factor <= 16; factor *= report->quick ? 8 : 4) {
        char what[64];
        double bend = factor * (double)tl_fabric_bend(denim);
        experiment_set(report, scene, "cloth[0].bend.quadratic.stiffness", "%g", bend);
        double coefficient = drape(report, scene, rings, frames, NULL);
        snprintf(what, sizeof what, "denim with B = %.1f uN m", 1e6 * bend);
        experiment_row(report, what, "rises", 100 * coefficient, "%");
        plot_point(curve, "denim with other B", bearing(denim, bend), 100 * coefficient);
        if (!isnan(last))
            least_rise = coefficient - last < least_rise ? coefficient - last : least_rise;
        if (isnan(coefficient))
            least_rise = NAN;
        last = coefficient;
    }
    experiment_above(report, "the drape coefficient rises with the bending stiffness: smallest step", 100 * least_rise,
                     0, "points");
}

static void finer_meshes(experiment_report *report, tl_scene *scene, int frames)
{
    enum { MESHES = 4 };
    double values[MESHES] = {0};
    experiment_set(report, scene, "cloth[0].fabric", "denim");
    for (int k = 0; k < (report->quick ? 2 : MESHES); ++k) {
        char what[64];
        int finer = 10 << k;
        values[k] = drape(report, scene, finer, frames, NULL);
        snprintf(what, sizeof what, "denim, %d rings", finer);
        experiment_row(report, what, "converges", 100 * values[k], "%");
    }
    if (report->quick)
        return;
    double change = fabs(values[3] - values[2]), before = fabs(values[2] - values[1]);
    experiment_expect(report, change <= before / 2 + 0.01,
                      "the drape coefficient converges with the mesh: the last doubling of the rings changes it by "
                      "%.3g points, the one before by %.3g (at most half of that and one point more)",
                      100 * change, 100 * before);
}

void experiment_drape_cusick(experiment_report *report)
{
    int rings = report->quick ? 10 : 40, frames = report->quick ? 120 : 300;
    tl_scene *scene = experiment_scene(report, "drape/cusick");
    if (!scene)
        return;
    plot_curve curve = plot_start(&report->plots, "fabrics", "Cusick's drape coefficient", "B / (density g), cm³",
                                  "drape coefficient, %", true);
    curve.log_y = false;
    every_fabric(report, scene, rings, frames, &curve);
    more_stiffness(report, scene, rings, frames, &curve);
    plot_end(&curve);
    finer_meshes(report, scene, frames);
    tl_scene_destroy(scene);
}
