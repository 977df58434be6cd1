/* Cusick's drape test (1965, "The dependence of fabric drape on bending and shear stiffness"): a disc of cloth, 30 cm
   wide, is held between two discs of 18 cm, and its shadow S from above gives the drape coefficient (S − 254)/(707 −
   254), in cm². It must rise with the bending stiffness and converge with the mesh.

   The disc is a mesh of rings around the middle. The last clamped ring is half a spacing beyond the edge of the two
   discs: slopes are defined between rings, so that the cloth is level at the edge itself, as in the cantilever law. A
   ripple of a tenth of a millimetre breaks the symmetry for folds. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/experiment/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 0.15  /* m, of the cloth */
#define SUPPORT 0.09 /* m, of the clamping discs */
#define PI 3.14159265358979323846

/* m, ring spacing: two fifths of the rings are free. */
static int free_rings(int rings) { return 2 * rings / 5; }
static double spacing_of(int rings) { return (RADIUS - SUPPORT) / (free_rings(rings) + 0.5); }

static double radius_of(int ring, int rings)
{
    int held = rings - free_rings(rings);
    double spacing = spacing_of(rings), edge = SUPPORT + spacing / 2;
    return ring <= held ? edge * ring / held : edge + spacing * (ring - held);
}

/* Rings of 6, 12, 18 … vertices as an OBJ file whose texture coordinates are the flat pattern in metres. */
static bool write_disc(const char *file, int rings)
{
    FILE *out = fopen(file, "w");
    if (!out)
        return false;
    for (int pass = 0; pass < 2; ++pass)
        for (int r = 0; r <= rings; ++r)
            for (int k = 0; k < (r == 0 ? 1 : 6 * r); ++k) {
                double angle = r == 0 ? 0 : 2 * PI * k / (6 * r), radius = radius_of(r, rings);
                if (pass == 0)
                    fprintf(out, "v %.9g 0 %.9g\n", radius * cos(angle), -radius * sin(angle));
                else
                    fprintf(out, "vt %.9g %.9g\n", radius * cos(angle), radius * sin(angle));
            }
    for (int r = 1; r <= rings; ++r) {
        int inner = r == 1 ? 1 : 2 + 3 * (r - 1) * (r - 2), outer = 2 + 3 * r * (r - 1), around = 6 * r,
            inside = r == 1 ? 1 : 6 * (r - 1);
        for (int side = 0; side < 6; ++side)
            for (int k = 0; k < r; ++k) {
                int a = outer + (side * r + k) % around, b = outer + (side * r + k + 1) % around;
                int c = inner + (side * (r - 1) + k) % inside, d = inner + (side * (r - 1) + k + inside - 1) % inside;
                fprintf(out, "f %d/%d %d/%d %d/%d\n", a, a, b, b, c, c);
                if (k > 0)
                    fprintf(out, "f %d/%d %d/%d %d/%d\n", a, a, c, c, d, d);
            }
    }
    return fclose(out) == 0;
}

/* Pins what is between the discs and bends the rest a little. */
static void mount(tl_cloth *cloth, int rings)
{
    int count = tl_cloth_vertex_count(cloth);
    tl_vec3 *x = malloc((size_t)count * sizeof *x);
    if (!x)
        return;
    memcpy(x, tl_cloth_positions(cloth), (size_t)count * sizeof *x);
    for (int i = 0; i < count; ++i) {
        double radius = hypot((double)x[i].x, (double)x[i].z), angle = atan2((double)x[i].z, (double)x[i].x);
        if (radius <= SUPPORT + 0.501 * spacing_of(rings))
            tl_cloth_pin(cloth, i, true);
        else
            x[i].y += (tl_real)(1e-4 * (sin(5 * angle) + cos(7 * angle + 1) + sin(3 * angle + 2)));
    }
    tl_cloth_set_state(cloth, x, NULL);
    free(x);
}

/* Whether p is inside the triangle seen from above. */
static bool covers(tl_vec3 a, tl_vec3 b, tl_vec3 c, double x, double z)
{
    double u = ((double)b.x - (double)a.x) * (z - (double)a.z) - ((double)b.z - (double)a.z) * (x - (double)a.x);
    double v = ((double)c.x - (double)b.x) * (z - (double)b.z) - ((double)c.z - (double)b.z) * (x - (double)b.x);
    double w = ((double)a.x - (double)c.x) * (z - (double)c.z) - ((double)a.z - (double)c.z) * (x - (double)c.x);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

/* Area of the shadow from above, cm², by cells of half a millimetre. */
static double shadow(tl_cloth *cloth)
{
    enum { SIDE = 680 };
    static unsigned char dark[SIDE][SIDE];
    const double cell = 5e-4, low = -cell * SIDE / 2;
    const tl_mesh *mesh = tl_cloth_mesh(cloth);
    const tl_vec3 *x = tl_cloth_positions(cloth);
    const int *face = tl_mesh_triangles(mesh);
    memset(dark, 0, sizeof dark);
    for (int f = 0; f < tl_mesh_triangle_count(mesh); ++f) {
        tl_vec3 a = x[face[3 * f]], b = x[face[3 * f + 1]], c = x[face[3 * f + 2]];
        double x0 = fmin((double)a.x, fmin((double)b.x, (double)c.x)),
               x1 = fmax((double)a.x, fmax((double)b.x, (double)c.x));
        double z0 = fmin((double)a.z, fmin((double)b.z, (double)c.z)),
               z1 = fmax((double)a.z, fmax((double)b.z, (double)c.z));
        for (int i = (int)fmax(0, (x0 - low) / cell); i < SIDE && low + cell * i <= x1; ++i)
            for (int k = (int)fmax(0, (z0 - low) / cell); k < SIDE && low + cell * k <= z1; ++k)
                if (covers(a, b, c, low + cell * (i + 0.5), low + cell * (k + 0.5)))
                    dark[i][k] = 1;
    }
    double count = 0;
    for (int i = 0; i < SIDE; ++i)
        for (int k = 0; k < SIDE; ++k)
            count += dark[i][k];
    return count * cell * cell * 1e4;
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
    mount(cloth, rings);
    if (!experiment_continue(report, scene, frames))
        return NAN;
    if (picture)
        experiment_picture(report, scene, picture);
    return (shadow(cloth) - 254) / (707 - 254);
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
    double last = -1;
    bool rises = true;
    experiment_set(report, scene, "cloth[0].fabric", "denim");
    for (double factor = 0.25; factor <= 16; factor *= report->quick ? 8 : 4) {
        char what[64];
        double bend = factor * (double)tl_fabric_bend(denim);
        experiment_set(report, scene, "cloth[0].bend.quadratic.stiffness", "%g", bend);
        double coefficient = drape(report, scene, rings, frames, NULL);
        snprintf(what, sizeof what, "denim with B = %.1f uN m", 1e6 * bend);
        experiment_row(report, what, "rises", 100 * coefficient, "%");
        plot_point(curve, "denim with other B", bearing(denim, bend), 100 * coefficient);
        rises = rises && coefficient > last;
        last = coefficient;
    }
    experiment_expect(report, rises, "the drape coefficient rises with the bending stiffness");
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
    if (!report->quick)
        experiment_expect(
            report, fabs(values[3] - values[2]) <= fabs(values[2] - values[1]) / 2 + 0.01,
            "the drape coefficient converges with the mesh: half the change from mesh to mesh, or within 1 %");
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
