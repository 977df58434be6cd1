/* Laws of the gas in closed cloth. The library's own pressure is not used: it is measured by the forces, as Σ f·x = 3
   (p − p₀) V holds for the forces of a uniform pressure on any closed surface. */
#include "cli/validate/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tl_cloth_def closed_def(const char *shape, int columns, int rows, double width, double height)
{
    tl_cloth_def def = trial_grid(columns, rows, width, height);
    def.shape = shape;
    def.center = law_v3(0, 0, 0);
    def.gas.on = true;
    def.gas.nrt = 100;
    return def;
}

/* Rotated by 50° about (2, −1, 3) and translated. */
static tl_vec3 moved(tl_vec3 p)
{
    const double a = 50 * LAW_PI / 180, s = sin(a), c = cos(a), l = sqrt(14.0), n[3] = {2 / l, -1 / l, 3 / l};
    double x = (double)p.x, y = (double)p.y, z = (double)p.z, along = (n[0] * x + n[1] * y + n[2] * z) * (1 - c);
    return law_v3(c * x + s * (n[1] * z - n[2] * y) + n[0] * along + 7,
                  c * y + s * (n[2] * x - n[0] * z) + n[1] * along - 5,
                  c * z + s * (n[0] * y - n[1] * x) + n[2] * along + 3);
}

/* ---- volume ------------------------------------------------------------------------------------------------------ */

/* Volume of the current polyhedron, summed here in double from the public vertices. */
static double volume_of(const trial *t)
{
    const tl_mesh *mesh = tl_cloth_mesh(t->cloth);
    const int *face = tl_mesh_triangles(mesh);
    double sum = 0;
    for (int f = 0; f < tl_mesh_triangle_count(mesh); ++f) {
        tl_vec3 o = t->x[0], a = t->x[face[3 * f]], b = t->x[face[3 * f + 1]], c = t->x[face[3 * f + 2]];
        double ax = (double)a.x - (double)o.x, ay = (double)a.y - (double)o.y, az = (double)a.z - (double)o.z;
        double bx = (double)b.x - (double)o.x, by = (double)b.y - (double)o.y, bz = (double)b.z - (double)o.z;
        double cx = (double)c.x - (double)o.x, cy = (double)c.y - (double)o.y, cz = (double)c.z - (double)o.z;
        sum += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    }
    return sum / 6;
}

static void volume_case(law_report *report, const char *subject, const tl_cloth_def *def, double expected)
{
    trial t;
    if (!trial_make(&t, report, subject, NULL, def))
        return;
    if (isnan(expected))
        expected = volume_of(&t);
    law_near(report, subject, "volume, m3", expected, tl_cloth_get_stats(t.cloth).volume, law_pick(1e-13, 1e-6));
    tl_vec3 *x = law_memory((size_t)t.count, sizeof *x);
    for (int i = 0; i < t.count; ++i)
        x[i] = moved(t.x[i]);
    trial_state(&t, x, NULL);
    /* coordinates about 8 m from the origin are rounded to 5e-7 m in single precision */
    law_near(report, subject, "volume after rigid motion, m3", expected, tl_cloth_get_stats(t.cloth).volume,
             law_pick(1e-12, 5e-6));
    free(x);
    trial_end(&t);
}

void law_gas_volume(law_report *report)
{
    static const int side[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    tl_vec3 corner[8];
    for (int k = 0; k < 8; ++k)
        corner[k] = law_v3(k & 1 ? 1.5 : 0, k & 2 ? 0.75 : 0, k & 4 ? 1.25 : 0);
    tl_error error = {0};
    tl_mesh *box = tl_mesh_create(
        &(tl_mesh_def){.positions = corner, .vertex_count = 8, .triangles = side[0], .triangle_count = 12}, NULL,
        &error);
    tl_cloth_def def = closed_def("sheet", 2, 2, 1, 1);
    if (!box) {
        law_broken(report, "box", error.message);
        return;
    }
    def.mesh = box;
    volume_case(report, "box 1.5 x 0.75 x 1.25", &def, 1.5 * 0.75 * 1.25);
    tl_mesh_destroy(box);
    static const char *const shapes[] = {"ball", "ring", "cushion", "balloon"};
    for (int k = 0; k < 4; ++k) {
        def = closed_def(shapes[k], 40, 20, 1, 0.3);
        volume_case(report, shapes[k], &def, NAN);
    }
    /* fine ones approach the formulas; the error of a geodesic ball falls with the square of its edges */
    double edges[3], errors[3];
    for (int k = 0; k < 3; ++k) {
        trial t;
        def = closed_def("ball", 20 << k, 2, 2, 2);
        if (!trial_make(&t, report, "ball", NULL, &def))
            return;
        edges[k] = 1.0 / (20 << k);
        errors[k] = 1 - tl_cloth_get_stats(t.cloth).volume / (4 * LAW_PI / 3);
        trial_end(&t);
    }
    law_within(report, "ball", "order of 1 - V / (4 pi R^3/3)", 2, law_slope(edges, errors, 3), 0.1);
    law_below(report, "ball, 80 around", "1 - V / (4 pi R^3/3)", errors[2], 5e-3);
}

/* ---- pressure ---------------------------------------------------------------------------------------------------- */

/* (p − p₀) V by the forces. */
static double virial(trial *t)
{
    const tl_vec3 *f = tl_cloth_forces(t->cloth);
    double sum = 0;
    /* a seam's vertices share a particle: each counts once */
    const int *particle = tl_mesh_particle_of_vertex(tl_cloth_mesh(t->cloth));
    char *seen = law_memory((size_t)t->count, 1);
    for (int i = 0; i < t->count; ++i)
        if (!seen[particle[i]]) {
            seen[particle[i]] = 1;
            sum += law_dot(f[i], t->x[i]);
        }
    free(seen);
    return sum / 3;
}

static void squeeze_case(law_report *report, law_curve *curve, const char *shape, const char *process, double gamma,
                         double outside)
{
    char subject[56];
    snprintf(subject, sizeof subject, "%s, %s, p0 = %g Pa", shape, process, outside);
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = closed_def(shape, 24, 12, 1, 0.3);
    def.gas.process = process;
    def.gas.outside = (tl_real)outside;
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return;
    tl_vec3 *x = law_memory((size_t)t.count, sizeof *x), *start = law_memory((size_t)t.count, sizeof *start);
    memcpy(start, t.x, (size_t)t.count * sizeof *start);
    double first = NAN, worst = 0;
    for (int k = 0; k <= 8; ++k) { /* squeezed along one axis, to a fifth */
        for (int i = 0; i < t.count; ++i)
            x[i] = law_v3((double)start[i].x, (double)start[i].y * (1 - 0.1 * k), (double)start[i].z);
        trial_state(&t, x, NULL);
        double volume = volume_of(&t), pressure = virial(&t) / volume + outside, kept = pressure * pow(volume, gamma);
        if (curve)
            law_curve_point(curve, process, volume, pressure);
        first = k == 0 ? kept : first;
        worst = fmax(worst, fabs(kept / first - 1));
    }
    law_below(report, subject, gamma == 1 ? "largest change of p V" : "largest change of p V^gamma", worst,
              law_pick(1e-7, 2e-5));
    if (gamma == 1)
        law_near(report, subject, "p V, J", 100, first, law_pick(1e-12, 1e-5));
    free(x);
    free(start);
    trial_end(&t);
}

void law_gas_squeeze(law_report *report)
{
    law_curve curve =
        law_curve_start(report, "gas-squeeze", "A ball squeezed flat, nRT = 100 J", "volume, m³", "pressure, Pa", true);
    squeeze_case(report, &curve, "ball", "isothermal", 1, 0);
    squeeze_case(report, &curve, "ball", "adiabatic", 1.4, 0);
    for (double v = 0.1; v < 0.53; v *= 1.1)
        law_curve_point(&curve, "=nRT/V", v, 100 / v);
    law_curve_end(&curve);
    squeeze_case(report, NULL, "ring", "isothermal", 1, 50);
    squeeze_case(report, NULL, "cushion", "isothermal", 1, 0);
}

/* ---- sphere: Δp = 2 T/R ------------------------------------------------------------------------------------------ */

/* A net of springs of stiffness k and rest lengths L on a sphere of radius R₀, blown up to R: E = ½ k Σ L² (R/R₀ − 1)²,
   and its tension is T = dE/dA = k Σ L² (R/R₀ − 1)/(8 π R R₀). Equilibrium by dynamic relaxation. */
static void sphere_case(law_report *report, const char *stepper, int around, double outside)
{
    const double k = 200, radius = 0.5;
    char subject[56];
    snprintf(subject, sizeof subject, "%s, %d around, p0 = %g", stepper, around, outside);
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = closed_def("ball", around, 2, 2 * radius, 1);
    def.elements.link_structural = trial_element(k, 0.02);
    def.material = "custom";
    def.gas.nrt = 0;
    def.gas.outside = (tl_real)outside;
    def.gas.overpressure = 300;
    def.stepper = stepper;
    def.substeps = 20;
    if (strcmp(stepper, "implicit-euler") == 0)
        def.substeps = 2; /* stable with steps far above the acoustic limit */
    def.iterations = strcmp(stepper, "xpbd") == 0 ? 10 : 1;
    def.damping = 8;
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return;
    double squares = 0;
    const int *face = tl_mesh_triangles(tl_cloth_mesh(t.cloth));
    for (int h = 0; h < 3 * tl_mesh_triangle_count(tl_cloth_mesh(t.cloth)); ++h) { /* every edge twice */
        double length = law_distance(t.x[face[h]], t.x[face[h % 3 == 2 ? h - 2 : h + 1]]);
        squares += length * length / 2;
    }
    if (trial_step(&t, 1.0 / 60, 180)) {
        tl_cloth_stats stats = tl_cloth_get_stats(t.cloth);
        double mean = 0;
        for (int i = 0; i < t.count; ++i)
            mean += sqrt(law_dot(t.x[i], t.x[i])) / t.count;
        double tension = k * squares * (mean / radius - 1) / (8 * LAW_PI * mean * radius);
        law_near(report, subject, "nRT/V - p0 = 2 T/R, Pa", 2 * tension / mean, stats.nrt / stats.volume - outside,
                 0.01);
        law_below(report, subject, "speed left, m/s", (double)stats.largest_speed,
                  strcmp(stepper, "xpbd") == 0 ? law_pick(1e-3, 1e-2) : 1e-3);
    }
    trial_end(&t);
}

void law_gas_sphere(law_report *report)
{
    sphere_case(report, "semi-implicit-euler", 40, 0);
    sphere_case(report, "rk4", 40, 0);
    sphere_case(report, "xpbd", 40, 0);
    sphere_case(report, "xpbd", 40, 101325);
    sphere_case(report, "implicit-euler", 40, 0);
    sphere_case(report, "implicit-euler", 40, 101325);
}

/* ---- momentum ---------------------------------------------------------------------------------------------------- */

/* A ball that translates and rotates while the gas inflates it. */
static void momentum_case(law_report *report, const char *stepper, bool keeps_spin, bool by_position)
{
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = closed_def("ball", 20, 2, 1, 1);
    def.elements.link_structural = trial_element(40, 0.01);
    def.material = "custom";
    def.gas.outside = 100;
    def.stepper = stepper;
    def.substeps = 40;
    if (law_stepper_named(stepper)->implicit) /* solved as accurately as momentum requires */
        trial_stepper(&def, stepper, def.substeps);
    def.damping = 0;
    trial t;
    if (!trial_make(&t, report, stepper, &world, &def))
        return;
    tl_vec3 *v = law_memory((size_t)t.count, sizeof *v);
    double mass = 0, speed = sqrt(0.3 * 0.3 + 0.2 * 0.2 + 0.1 * 0.1);
    for (int i = 0; i < t.count; ++i) {
        v[i] = law_v3(0.3 - 2 * (double)t.x[i].y, -0.2 + 2 * (double)t.x[i].x, 0.1);
        mass += (double)t.m[i];
    }
    trial_state(&t, NULL, v);
    tl_vec3 p = tl_cloth_momentum(t.cloth), l = tl_cloth_angular_momentum(t.cloth);
    if (trial_step(&t, 1.0 / 60, report->quick ? 20 : 60)) {
        double change = law_distance(p, tl_cloth_momentum(t.cloth)) / (mass * speed);
        double turned = law_distance(l, tl_cloth_angular_momentum(t.cloth)) / sqrt(law_dot(l, l));
        /* position-based steppers derive velocities from positions: rounding over h = 0.4 ms remains */
        double tolerance = law_pick(1e-10, by_position ? 2e-2 : 1e-4);
        law_below(report, stepper, "change of momentum / m v", change, tolerance);
        if (keeps_spin)
            law_below(report, stepper, "change of angular momentum", turned, tolerance);
        else
            law_note(report, stepper, "change of angular momentum", 0, turned, "the scheme itself does not keep it");
    }
    free(v);
    trial_end(&t);
}

void law_gas_momentum(law_report *report)
{
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper)
        momentum_case(report, stepper->name, stepper->symplectic || stepper->sweeps > 0, stepper->sweeps > 0);
}

/* ---- Mylar balloon ----------------------------------------------------------------------------------------------- */

/* Two discs of radius 1 sewn together, in sectors and rings, so that threads run along the meridians: the sheet cannot
   stretch along them and wrinkles across them without resistance, as thin foil does. */
static tl_mesh *make_discs(int sectors, int rings, double bulge, tl_error *error)
{
    int per_side = 1 + sectors * rings, count = 2 * per_side, faces = 2 * sectors * (2 * rings - 1);
    tl_vec3 *x = law_memory((size_t)count, sizeof *x);
    tl_real *uv = law_memory(2 * (size_t)count, sizeof *uv);
    int *triangle = law_memory(3 * (size_t)faces, sizeof *triangle), *out = triangle;
    for (int side = 0; side < 2; ++side) {
        int first = side * per_side;
        for (int i = 0; i < per_side; ++i) {
            double r = i ? (double)((i - 1) / sectors + 1) / rings : 0,
                   a = i ? 2 * LAW_PI * ((i - 1) % sectors) / sectors : 0;
            x[first + i] = law_v3(r * cos(a), (side ? -1 : 1) * bulge * (1 - r * r), -r * sin(a));
            uv[2 * (first + i)] = (tl_real)(r * cos(a));
            uv[2 * (first + i) + 1] = (tl_real)((side ? -1 : 1) * r * sin(a));
        }
        for (int k = 0; k < rings; ++k)
            for (int s = 0; s < sectors; ++s) {
                int o0 = first + 1 + k * sectors + s, o1 = first + 1 + k * sectors + (s + 1) % sectors;
                int i0 = k ? o0 - sectors : first, i1 = k ? o1 - sectors : first;
                const int faces_here[2][3] = {{i0, o0, o1}, {i0, o1, i1}};
                for (int f = 0; f < (k ? 2 : 1); ++f)
                    for (int c = 0; c < 3; ++c)
                        *out++ = faces_here[f][side ? 2 - c : c];
            }
    }
    tl_mesh *mesh = tl_mesh_create(&(tl_mesh_def){.positions = x,
                                                  .uv = uv,
                                                  .vertex_count = count,
                                                  .triangles = triangle,
                                                  .triangle_count = faces,
                                                  .rest = TL_REST_UV},
                                   NULL, error);
    free(x);
    free(uv);
    free(triangle);
    return mesh;
}

typedef struct mylar {
    double equator, thickness, volume, stretch;
} mylar;

static bool inflate(law_report *report, law_curve *curve, const char *subject, int sectors, int rings, mylar *out)
{
    tl_error error = {0};
    tl_mesh *mesh = make_discs(sectors, rings, 0.1, &error);
    if (!mesh) {
        law_broken(report, subject, error.message);
        return false;
    }
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = closed_def("sheet", 2, 2, 1, 1);
    def.mesh = mesh;
    def.particle_mass =
        (tl_real)(6.0 / (2 * sectors * rings)); /* 6 kg in total: comes to rest equally fast on any mesh */
    def.elements.link_structural = trial_element(1e6, 0);
    def.material = "custom";
    def.stepper = "range"; /* lengths are bounded from above only */
    def.range_low = 0;
    def.range_high = 1;
    def.substeps = 10;
    def.iterations = 20;
    def.damping = 4;
    def.gas.nrt = 2;
    trial t;
    bool done = trial_make(&t, report, subject, &world, &def);
    if (done && (done = trial_step(&t, 1.0 / 60, 360))) {
        int rim = 1 + sectors * (rings - 1);
        out->equator = 0;
        for (int s = 0; s < sectors; ++s)
            out->equator += sqrt(law_dot(t.x[rim + s], t.x[rim + s])) / sectors;
        out->thickness = law_distance(t.x[0], t.x[1 + sectors * rings]);
        out->volume = tl_cloth_get_stats(t.cloth).volume;
        out->stretch = 0;
        for (int k = 0; k < rings; ++k) {
            int o = 1 + k * sectors, i = k ? o - sectors : 0;
            law_curve_point(curve, subject,
                            sqrt((double)t.x[o].x * (double)t.x[o].x + (double)t.x[o].z * (double)t.x[o].z),
                            (double)t.x[o].y);
            out->stretch = fmax(out->stretch, law_distance(t.x[o], t.x[i]) * rings - 1);
        }
    }
    trial_end(&t);
    tl_mesh_destroy(mesh);
    return done;
}

/* Half of the meridian: z(r) = ∫ t²/√(R⁴ − t⁴) dt from r to the equator R (Mladenov and Oprea 2003, "The Mylar balloon
   revisited"), with t = R sin φ. */
static void draw_theory(law_curve *curve)
{
    enum { STEPS = 200 };
    const double equator = 0.7628, step = LAW_PI / 2 / STEPS;
    double z = 0;
    for (int k = STEPS - 1; k >= 0; --k) {
        double sine = sin((k + 0.5) * step);
        z += step * equator * sine * sine / sqrt(1 + sine * sine);
        law_curve_point(curve, "=theory", equator * sin(k * step), z);
    }
}

void law_gas_mylar(law_report *report)
{
    static const int sizes[][2] = {{24, 12}, {48, 24}};
    law_curve curve = law_curve_start(report, "gas-mylar", "Meridian of a Mylar balloon of two discs of radius 1",
                                      "r / a", "z / a", false);
    for (int k = 0; k < (report->quick ? 1 : 2); ++k) {
        mylar m;
        char subject[56];
        snprintf(subject, sizeof subject, "range, %d sectors, %d rings", sizes[k][0], sizes[k][1]);
        if (!inflate(report, &curve, subject, sizes[k][0], sizes[k][1], &m))
            break;
        law_near(report, subject, "equator / a", 0.7628, m.equator, 0.02);
        law_near(report, subject, "thickness / a", 0.9139, m.thickness, 0.02);
        law_near(report, subject, "volume / a^3", 1.2185, m.volume, 0.02);
        law_below(report, subject, "stretch along a meridian", m.stretch, 5e-3);
    }
    draw_theory(&curve);
    law_curve_end(&curve);
}
