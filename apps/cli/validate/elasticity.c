/* Elasticity: forces as derivatives of energies, uniform strain, and three problems with known shapes and periods.

   Effective stiffness. A square grid of spacing d with structural links of stiffness k: a column carries the weight of
   a width d, and strain ε gives a force k d ε per column, so E h = k, whatever d. S0's continuum on right triangles of
   area a = d²/2: the energy a^{3/2} k ε²/2 per triangle is √a k ε²/2 per area, so E h = k √a: it depends on the mesh,
   and k is chosen here as E h/√a.

   A column of n links whose last particle has half a mass stretches in all by Σ_j (n − j + ½) m g/k = ρ_A g L²/(2 E h),
   exactly, for every n. */
#include "cli/validate/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static tl_element_def *element_array(tl_cloth_def *def) { return (tl_element_def *)&def->elements; }

/* A flat sheet of n × n over 1 m² whose inner vertices are displaced by up to `jitter` cells; warp and weft are x and y
   everywhere. */
static tl_mesh *make_irregular(int n, double jitter)
{
    int count = n * n, triangles = 2 * (n - 1) * (n - 1);
    tl_vec3 *x = law_memory((size_t)count, sizeof *x);
    tl_real *uv = law_memory(2 * (size_t)count, sizeof *uv);
    int *faces = law_memory(3 * (size_t)triangles, sizeof *faces), *face = faces;
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) {
            int i = r * n + c;
            bool inner = r > 0 && c > 0 && r < n - 1 && c < n - 1;
            double off = inner ? jitter : 0;
            x[i] = law_v3((c + off * law_random(5, 2 * (unsigned)i)) / (n - 1),
                          (n - 1 - r + off * law_random(5, 2 * (unsigned)i + 1)) / (n - 1), 0);
            uv[2 * i] = x[i].x;
            uv[2 * i + 1] = x[i].y;
        }
    for (int r = 0; r + 1 < n; ++r)
        for (int c = 0; c + 1 < n; ++c) {
            int a = r * n + c, b = a + 1, l = a + n, m = l + 1;
            bool falling = law_random(6, (unsigned)a) > 0;
            int cell[2][6] = {{l, m, b, l, b, a}, {a, l, m, a, m, b}};
            for (int k = 0; k < 6; ++k)
                *face++ = cell[falling][k];
        }
    tl_mesh_def def = {.positions = x,
                       .uv = uv,
                       .vertex_count = count,
                       .triangles = faces,
                       .triangle_count = triangles,
                       .rest = TL_REST_UV};
    tl_mesh *mesh = tl_mesh_create(&def, NULL, NULL);
    free(x);
    free(uv);
    free(faces);
    return mesh;
}

/* ---- gradients ----------------------------------------------------------------------------------------------- */

enum { GRADIENT_SIDE = 5 };

/* Largest |f + ∂E/∂x| by central differences and the largest |f|. */
static void compare_forces(trial *t, tl_vec3 *x, double step, double *error, double *size)
{
    tl_vec3 force[GRADIENT_SIDE * GRADIENT_SIDE];
    memcpy(force, tl_cloth_forces(t->cloth), (size_t)t->count * sizeof *force);
    *error = *size = 0;
    for (int i = 0; i < t->count; ++i)
        for (int c = 0; c < 3; ++c) {
            tl_real *place = c == 0 ? &x[i].x : c == 1 ? &x[i].y : &x[i].z, kept = *place;
            tl_real f = c == 0 ? force[i].x : c == 1 ? force[i].y : force[i].z;
            tl_real high = kept + (tl_real)step, low = kept - (tl_real)step;
            *place = high;
            trial_state(t, x, NULL);
            double above = tl_cloth_energies(t->cloth).elastic;
            *place = low;
            trial_state(t, x, NULL);
            double below = tl_cloth_energies(t->cloth).elastic;
            *place = kept;
            *error = fmax(*error, fabs((double)f + (above - below) / ((double)high - (double)low)));
            *size = fmax(*size, fabs((double)f));
        }
    trial_state(t, x, NULL);
}

static double largest_force(trial *t)
{
    const tl_vec3 *force = tl_cloth_forces(t->cloth);
    double largest = 0;
    for (int i = 0; i < t->count; ++i)
        largest = fmax(largest, sqrt(law_dot(force[i], force[i])));
    return largest;
}

/* Rotated by 40° about (1, 2, 3) and translated. */
static tl_vec3 moved_rigidly(tl_vec3 p)
{
    const double a = 40 * LAW_PI / 180, s = sin(a), c = cos(a), l = sqrt(14.0), n[3] = {1 / l, 2 / l, 3 / l};
    double x = (double)p.x, y = (double)p.y, z = (double)p.z, along = (n[0] * x + n[1] * y + n[2] * z) * (1 - c);
    return law_v3(c * x + s * (n[1] * z - n[2] * y) + n[0] * along + 0.3,
                  c * y + s * (n[2] * x - n[0] * z) + n[1] * along - 0.2,
                  c * z + s * (n[0] * y - n[1] * x) + n[2] * along + 0.1);
}

static void gradient_case(law_report *report, int element, const tl_mesh *mesh, const char *mesh_name)
{
    const double stiffness = 100, spacing = 1.0 / (GRADIENT_SIDE - 1);
    char subject[56];
    snprintf(subject, sizeof subject, "%s, %s", tl_element_names()[element], mesh_name);
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = trial_grid(GRADIENT_SIDE, GRADIENT_SIDE, 1, 1);
    def.mesh = mesh;
    def.diagonals = "alternating";
    element_array(&def)[element] = trial_element(stiffness, 0);
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return;
    tl_vec3 flat[GRADIENT_SIDE * GRADIENT_SIDE], x[GRADIENT_SIDE * GRADIENT_SIDE];
    for (unsigned i = 0; i < (unsigned)t.count; ++i) {
        flat[i] = t.x[i];
        x[i] = law_v3((double)flat[i].x + 0.1 * spacing * law_random(7, 3 * i),
                      (double)flat[i].y + 0.1 * spacing * law_random(7, 3 * i + 1),
                      0.3 * spacing * law_random(7, 3 * i + 2));
    }
    trial_state(&t, x, NULL);
    double energy = tl_cloth_energies(t.cloth).elastic, error, size;
    if (energy > 0) { /* a mesh may have none of these elements: disc links need a grid */
        compare_forces(&t, x, law_pick(1e-5, 1e-3), &error, &size);
        law_below(report, subject, "|f + dE/dx| / |f|", error / size, law_pick(1e-6, 2e-3));
        for (int i = 0; i < t.count; ++i)
            x[i] = moved_rigidly(x[i]);
        trial_state(&t, x, NULL);
        law_near(report, subject, "energy after rigid motion, J", energy, tl_cloth_energies(t.cloth).elastic,
                 law_pick(1e-12, 1e-4));
        for (int i = 0; i < t.count; ++i)
            flat[i] = moved_rigidly(flat[i]);
        trial_state(&t, flat, NULL);
        law_below(report, subject, "force at rest, moved, / |f|", largest_force(&t) / size, law_pick(1e-12, 1e-4));
    }
    trial_end(&t);
}

void law_elasticity_gradients(law_report *report)
{
    tl_mesh *irregular = make_irregular(GRADIENT_SIDE, 0.25);
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        gradient_case(report, e, NULL, "grid");
        if (irregular)
            gradient_case(report, e, irregular, "irregular");
    }
    tl_mesh_destroy(irregular);
}

/* ---- patch test ---------------------------------------------------------------------------------------------- */

enum { PATCH_SIDE = 9 };

typedef struct patch {
    const char *name;
    double f[2][2]; /* columns are the images of warp and weft */
} patch;

static const patch patches[] = {
    {"stretch 10 %, 5 %", {{1.1, 0}, {0, 1.05}}},
    {"shear 0.2", {{1, 0.2}, {0, 1}}},
    {"stretch and shear", {{1.07, 0.15}, {-0.08, 0.95}}},
};

static double rest_area(const tl_vec3 *x, const int *face)
{
    double ax = (double)x[face[1]].x - (double)x[face[0]].x, ay = (double)x[face[1]].y - (double)x[face[0]].y;
    double bx = (double)x[face[2]].x - (double)x[face[0]].x, by = (double)x[face[2]].y - (double)x[face[0]].y;
    return 0.5 * fabs(ax * by - ay * bx);
}

/* J, of the whole sheet: ½ k a^{3/2} times the squares of S0's conditions at the given F. */
static double patch_energy(const tl_mesh *mesh, const double f[2][2], double stretch, double shear)
{
    double wu = hypot(f[0][0], f[1][0]) - 1, wv = hypot(f[0][1], f[1][1]) - 1;
    double dot = f[0][0] * f[0][1] + f[1][0] * f[1][1], sum = 0;
    for (int k = 0; k < tl_mesh_triangle_count(mesh); ++k)
        sum += pow(rest_area(tl_mesh_vertices(mesh), tl_mesh_triangles(mesh) + 3 * k), 1.5);
    return 0.5 * sum * (stretch * (wu * wu + wv * wv) + shear * dot * dot);
}

/* The same for the membrane: ½ a times the moduli and the squares of Green's strains. */
static double membrane_energy(const double f[2][2], double area, double stretch, double shear)
{
    double eu = (f[0][0] * f[0][0] + f[1][0] * f[1][0] - 1) / 2, ev = (f[0][1] * f[0][1] + f[1][1] * f[1][1] - 1) / 2;
    double dot = f[0][0] * f[0][1] + f[1][0] * f[1][1];
    return 0.5 * area * (stretch * (eu * eu + ev * ev) + shear * dot * dot);
}

/* Largest force on inner and on outer particles. */
static void split_forces(trial *t, double *inner, double *outer)
{
    const tl_vec3 *force = tl_cloth_forces(t->cloth);
    *inner = *outer = 0;
    for (int i = 0; i < t->count; ++i) {
        int r = i / PATCH_SIDE, c = i % PATCH_SIDE;
        bool inside = r > 0 && c > 0 && r < PATCH_SIDE - 1 && c < PATCH_SIDE - 1;
        double *largest = inside ? inner : outer;
        *largest = fmax(*largest, sqrt(law_dot(force[i], force[i])));
    }
}

static void patch_case(law_report *report, const patch *p, bool membrane, const tl_mesh *mesh, const char *diagonals)
{
    const double stretch = 300, shear = 120;
    char subject[56];
    snprintf(subject, sizeof subject, "%s: %s, %s", membrane ? "membrane" : "continuum", p->name, diagonals);
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = trial_grid(PATCH_SIDE, PATCH_SIDE, 1, 1);
    if (membrane) {
        def.elements.membrane_warp = def.elements.membrane_weft = trial_element(stretch, 0);
        def.elements.membrane_shear = trial_element(shear, 0);
    } else {
        def.elements.continuum_stretch = trial_element(stretch, 0);
        def.elements.continuum_shear = trial_element(shear, 0);
        def.elements.continuum_bend = trial_element(1, 0);
    }
    def.mesh = mesh;
    def.diagonals = mesh ? "one" : diagonals;
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return;
    tl_vec3 x[PATCH_SIDE * PATCH_SIDE];
    for (int i = 0; i < t.count; ++i) {
        double u = (double)t.x[i].x, v = (double)t.x[i].y;
        x[i] = law_v3(p->f[0][0] * u + p->f[0][1] * v, p->f[1][0] * u + p->f[1][1] * v, 0);
    }
    trial_state(&t, x, NULL);
    double inner, outer;
    split_forces(&t, &inner, &outer);
    law_near(report, subject, "energy of the strain, J",
             membrane ? membrane_energy(p->f, 1, stretch, shear)
                      : patch_energy(tl_cloth_mesh(t.cloth), p->f, stretch, shear),
             tl_cloth_energies(t.cloth).elastic, law_pick(1e-12, 1e-5));
    if (mesh && !membrane)
        law_note(report, subject, "inner / outer force", NAN, inner / outer,
                 "S0's a^(3/2) does not balance triangles of different area");
    else
        law_below(report, subject, "inner / outer force", inner / outer, law_pick(1e-12, 1e-4));
    trial_end(&t);
}

void law_elasticity_patch(law_report *report)
{
    tl_mesh *irregular = make_irregular(PATCH_SIDE, 0.25);
    for (int membrane = 0; membrane < 2; ++membrane)
        for (size_t k = 0; k < sizeof patches / sizeof *patches; ++k) {
            patch_case(report, &patches[k], membrane != 0, NULL, "one");
            patch_case(report, &patches[k], membrane != 0, NULL, "alternating");
            if (irregular)
                patch_case(report, &patches[k], membrane != 0, irregular, "irregular");
        }
    tl_mesh_destroy(irregular);
}

/* ---- hanging strip ------------------------------------------------------------------------------------------- */

static const double STRIP_LENGTH = 1, STRIP_DENSITY = 0.2, STRIP_MEMBRANE = 98.1; /* m, kg/m², E h in N/m: 1 % */

/* Extension of the middle column of a strip 4 cells wide and `cells` long at rest, m. */
static double strip_extension(law_report *report, const char *subject, const char *stepper, bool continuum, int cells)
{
    const double d = STRIP_LENGTH / cells, wave = sqrt(STRIP_MEMBRANE / STRIP_DENSITY); /* m/s */
    const double slowest = LAW_PI / 2 * wave / STRIP_LENGTH, fastest = 2 * wave / d;    /* rad/s */
    tl_cloth_def def = trial_grid(5, cells + 1, 4 * d, STRIP_LENGTH);
    tl_pin_def pin = trial_pin("top");
    /* damping 2h k exceeds the energy gain of the explicit Eulers in short waves */
    double h = 0.3 / fastest, dt = 1.0 / 64, stiffness = continuum ? STRIP_MEMBRANE / sqrt(d * d / 2) : STRIP_MEMBRANE;
    *(continuum ? &def.elements.continuum_stretch : &def.elements.link_structural) =
        trial_element(stiffness, 2 * h * stiffness);
    def.density = (tl_real)STRIP_DENSITY;
    def.damping = (tl_real)(1.5 * slowest);
    def.pins = &pin;
    def.pin_count = 1;
    trial_stepper(&def, stepper, (int)ceil(dt / h));
    trial t;
    if (!trial_make(&t, report, subject, NULL, &def))
        return NAN;
    int bottom = cells * 5 + 2;
    double start = (double)t.x[bottom].y, extension = NAN;
    if (trial_step(&t, dt, (int)(16 / slowest / dt) + 1))
        extension = start - (double)t.x[bottom].y;
    trial_end(&t);
    return extension;
}

void law_elasticity_strip(law_report *report)
{
    const double expected = STRIP_DENSITY * LAW_GRAVITY * STRIP_LENGTH * STRIP_LENGTH / (2 * STRIP_MEMBRANE);
    law_curve curve = law_curve_start(report, "elasticity-strip", "Hanging strip: extension over theory",
                                      "cells along the strip", "extension / (rho g L^2 / 2 E h)", false);
    for (int continuum = 0; continuum < 2; ++continuum) {
        const char *material = continuum ? "continuum stretch" : "structural links";
        char subject[56], quantity[48];
        for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper) {
            snprintf(subject, sizeof subject, "%s, %s", stepper->name, material);
            double extension = strip_extension(report, subject, stepper->name, continuum != 0, 8);
            if (stepper->rigid)
                law_note(report, subject, "extension, 8 cells, m", expected, extension,
                         "keeps lengths, whatever the stiffness");
            else
                law_near(report, subject, "extension, 8 cells, m", expected, extension, 0.01);
        }
        for (int cells = 4; cells <= 32; cells *= 2) {
            double extension = strip_extension(report, material, "verlet", continuum != 0, cells);
            snprintf(subject, sizeof subject, "verlet, %s", material);
            snprintf(quantity, sizeof quantity, "extension, %d cells, m", cells);
            if (cells != 8)
                law_near(report, subject, quantity, expected, extension, 0.01);
            law_curve_point(&curve, material, cells, extension / expected);
        }
    }
    law_curve_end(&curve);
}

/* ---- catenary ------------------------------------------------------------------------------------------------ */

static const double ROPE_LENGTH = 1.5, ROPE_SPAN = 1; /* m */

/* a of y = a cosh(x/a) for the span and length above: 2 a sinh(D/2a) = S. */
static double catenary_parameter(void)
{
    double low = 0.01, high = 100;
    for (int k = 0; k < 200; ++k) {
        double a = 0.5 * (low + high), length = 2 * a * sinh(ROPE_SPAN / (2 * a));
        *(length > ROPE_LENGTH ? &low : &high) = a;
    }
    return 0.5 * (low + high);
}

/* Largest distance in height from the catenary over the sag, for a strip of `links` × 1 cells. */
static double catenary_error(law_report *report, const char *subject, const char *stepper, int links, law_curve *curve)
{
    const double give = 5e-4; /* strain where the strip carries its whole weight */
    const double d = ROPE_LENGTH / links, density = 0.2;
    /* two rows: each carries half of the weight ρ S d, which strains links of stiffness k by T/(k d) */
    const double stiffness = 0.5 * density * ROPE_LENGTH * LAW_GRAVITY / give;
    tl_cloth_def def = trial_grid(links + 1, 2, ROPE_LENGTH, d);
    tl_pin_def pins[2] = {trial_pin("left"), trial_pin("right")};
    def.plane = "horizontal";
    def.density = (tl_real)density;
    def.damping = 8;
    def.pins = pins;
    def.pin_count = 2;
    double mass = density * d * d / 2, fastest = 2 * sqrt(stiffness / mass), dt = 1.0 / 32;
    double h = 0.3 / fastest;
    def.elements.link_structural = trial_element(stiffness, 2 * h * stiffness);
    trial_stepper(&def, stepper, (int)ceil(dt / h));
    trial t;
    if (!trial_make(&t, report, subject, NULL, &def))
        return NAN;
    /* start from a parabola of about the right length: for length 1.5 spans the sag is 0.516 spans */
    int columns = links + 1;
    tl_vec3 *x = law_memory((size_t)t.count, sizeof *x);
    for (int i = 0; i < t.count; ++i) {
        double s = 2.0 * (i % columns) / links - 1;
        x[i] = law_v3(0.5 * ROPE_SPAN * s, 0.516 * ROPE_SPAN * (s * s - 1), (double)t.x[i].z);
    }
    bool done = trial_state(&t, x, NULL) && trial_step(&t, dt, (int)(6 / dt));
    free(x);
    double a = catenary_parameter(), top = a * cosh(ROPE_SPAN / (2 * a)), sag = top - a, worst = 0;
    for (int i = 0; i < columns && done; ++i) {
        double y = a * cosh((double)t.x[i].x / a) - top;
        worst = fmax(worst, fabs((double)t.x[i].y - y) / sag);
        if (curve)
            law_curve_point(curve, "strip", (double)t.x[i].x, (double)t.x[i].y);
    }
    for (int k = -50; k <= 50 && curve; ++k)
        law_curve_point(curve, "=a cosh(x/a)", 0.01 * ROPE_SPAN * k, a * cosh(0.01 * ROPE_SPAN * k / a) - top);
    trial_end(&t);
    return done ? worst : NAN;
}

void law_elasticity_catenary(law_report *report)
{
    enum { SIZES = 3 };
    double cell[SIZES], error[SIZES];
    law_curve curve = law_curve_start(report, "elasticity-catenary", "Strip between two ends", "x, m", "y, m", false);
    for (int k = 0; k < SIZES; ++k) {
        int links = 8 << k;
        char quantity[48];
        snprintf(quantity, sizeof quantity, "height error / sag, %d links", links);
        cell[k] = 1.0 / links;
        error[k] = catenary_error(report, "verlet", "verlet", links, k == SIZES - 1 ? &curve : NULL);
        if (k == SIZES - 1)
            law_below(report, "verlet", quantity, error[k], 0.01);
    }
    law_curve_end(&curve);
    law_above(report, "verlet", "order in the cell size", law_slope(cell, error, SIZES), 1.5);
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper)
        if (!is(stepper->name, "verlet"))
            law_below(report, stepper->name, "height error / sag, 16 links",
                      catenary_error(report, stepper->name, stepper->name, 16, NULL), 0.01);
}

/* ---- hanging sheet, first mode ------------------------------------------------------------------------------- */

/* J₀ by its series; arguments stay below 2.5. */
static double bessel_j0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 30; ++k) {
        term *= -x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

/* Frequency of the first swing, rad/s, of a sheet 1 m long and two cells wide; the mode's shape is J₀(2ω√(s/g)) at s
   above the lower end. */
static double swing(law_report *report, const char *subject, const char *stepper, int cells, double omega,
                    law_curve *curve)
{
    const double length = 1, d = length / cells, density = 0.2, give = 1e-3, amplitude = 0.01;
    const double stiffness = density * length * LAW_GRAVITY / give;
    const double fastest = 2 * sqrt(stiffness / density) / d, dt = 1.0 / 64, seconds = 6;
    double h = 0.3 / fastest;
    tl_cloth_def def = trial_grid(3, cells + 1, 2 * d, length);
    tl_pin_def pin = trial_pin("top");
    /* damping along the links damps their stretch but not the swing; 2h k exceeds the energy gain of the Eulers */
    def.elements.link_structural = trial_element(stiffness, 2 * h * stiffness);
    def.density = (tl_real)density;
    trial_stepper(&def, stepper, (int)ceil(dt / h));
    def.pins = &pin;
    def.pin_count = 1;
    trial t;
    if (!trial_make(&t, report, subject, NULL, &def))
        return NAN;
    int frames = (int)(seconds / dt), bottom = 3 * cells + 1;
    double *z = law_memory((size_t)frames, sizeof *z);
    tl_vec3 *x = law_memory((size_t)t.count, sizeof *x);
    for (int i = 0; i < t.count; ++i) {
        double s = length * (1 - (double)(i / 3) / cells), below = 0.5 * density * LAW_GRAVITY / stiffness;
        x[i] = t.x[i];
        /* already stretched by its weight, and deflected sideways */
        x[i].y -= (tl_real)(below * (length * length - s * s));
        x[i].z = (tl_real)(i < 3 ? 0 : amplitude * bessel_j0(2 * omega * sqrt(s / LAW_GRAVITY)));
    }
    bool done = trial_state(&t, x, NULL);
    for (int f = 0; f < frames && done; ++f) {
        done = trial_step(&t, dt, 1);
        z[f] = (double)t.x[bottom].z;
        if (curve)
            law_curve_point(curve, "lower end", (f + 1) * dt, z[f]);
    }
    for (int f = 0; f < frames && curve; ++f)
        law_curve_point(curve, "=theory", f * dt, amplitude * cos(omega * f * dt));
    double frequency = done ? 2 * LAW_PI / law_period(z, frames, dt) : NAN;
    free(z);
    free(x);
    trial_end(&t);
    return frequency;
}

void law_elasticity_sheet(law_report *report)
{
    const double omega = 1.2024 * sqrt(LAW_GRAVITY);
    law_curve curve = law_curve_start(report, "elasticity-sheet", "Hanging sheet, first swing", "t, s",
                                      "z of the lower end, m", false);
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper)
        law_near(report, stepper->name, "omega, 16 cells, rad/s", omega,
                 swing(report, stepper->name, stepper->name, 16, omega, is(stepper->name, "verlet") ? &curve : NULL),
                 0.02);
    law_curve_end(&curve);
    if (!report->quick)
        law_near(report, "verlet", "omega, 32 cells, rad/s", omega, swing(report, "verlet", "verlet", 32, omega, NULL),
                 0.02);
}
