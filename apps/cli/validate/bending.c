/* Bending of narrow strips against the elastica, for the elements that state B in N·m.

   All four laws relax a strip to rest with implicit Euler and long steps, which dissipate all motion. The membrane is
   isotropic (warp = weft = k, shear k/2: no transverse contraction, ν = 0) and stiff enough that its strain is
   negligible. A clamp holds the vertices up to half a cell beyond it, so that the slope is 0 halfway between the last
   clamped and the first free ones. */
#include "cli/validate/law.h"
#include "cli/validate/strip_mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double LENGTH = 0.2, DENSITY = 0.2; /* m, kg/m² */

typedef struct strip {
    strip_kind kind;
    double degrees;
    int cells;    /* along the length */
    double width; /* m */
    double low_x; /* m, where the mesh starts */
    const char *element;
    double bend, membrane; /* N·m, N/m */
    double gravity;        /* m/s² */
} strip;

static bool strip_trial(trial *t, law_report *report, const char *subject, const strip *s, tl_mesh **mesh)
{
    *mesh = strip_mesh(s->kind, s->degrees, LENGTH / s->cells, s->low_x, LENGTH, s->width);
    if (!*mesh) {
        law_broken(report, subject, "the mesh could not be made");
        return false;
    }
    tl_world_def world = trial_vacuum(s->gravity);
    tl_cloth_def def = trial_grid(2, 2, 1, 1);
    def.mesh = *mesh;
    def.center = law_v3(0, 0, 0);
    def.density = (tl_real)DENSITY;
    def.stepper = "implicit-euler";
    def.substeps = 1;
    def.newton = 4;
    def.solver_tolerance = (tl_real)law_pick(1e-9, 1e-5);
    def.solver_iterations = 2000;
    def.elements.membrane_warp = def.elements.membrane_weft = trial_element(s->membrane, 0);
    def.elements.membrane_shear = trial_element(s->membrane / 2, 0);
    *(strcmp(s->element, "bend.quadratic") == 0 ? &def.elements.bend_quadratic : &def.elements.bend_curvature) =
        trial_element(s->bend, 0);
    if (!trial_make(t, report, subject, &world, &def)) {
        tl_mesh_destroy(*mesh);
        return false;
    }
    return true;
}

/* Long steps until nothing moves any more. */
static bool relax(trial *t, double dt, int most)
{
    double still = law_pick(1e-7, 1e-5);
    for (int n = 0; n < most; ++n) {
        if (!trial_step(t, dt, 1))
            return false;
        if (n > 10 && (double)tl_cloth_get_stats(t->cloth).largest_speed < still)
            break;
    }
    return true;
}

static void hold(trial *t, bool held(tl_vec3 x, double cell), double cell)
{
    for (int i = 0; i < t->count; ++i)
        if (held(t->x[i], cell))
            tl_cloth_pin(t->cloth, i, true);
}

/* ---- cantilever ------------------------------------------------------------------------------------------------- */

static bool behind_clamp(tl_vec3 x, double cell) { return (double)x.x < 0.5001 * cell; }

/* Drop over reach of the tip's middle; NAN when the run failed. */
static double cantilever(law_report *report, const char *subject, strip s, double gamma)
{
    double cell = LENGTH / s.cells;
    s.gravity = LAW_GRAVITY;
    s.bend = DENSITY * LAW_GRAVITY * LENGTH * LENGTH * LENGTH / gamma;
    s.membrane = 2000 * DENSITY * LAW_GRAVITY * LENGTH;
    s.low_x = -1.5 * cell;
    trial t;
    tl_mesh *mesh;
    if (!strip_trial(&t, report, subject, &s, &mesh))
        return NAN;
    hold(&t, behind_clamp, cell);
    double drop = 0, reach = 0, count = 0;
    double *tip = law_memory((size_t)t.count, sizeof *tip);
    for (int i = 0; i < t.count; ++i)
        tip[i] = fabs((double)t.x[i].x - LENGTH) < 1e-6 * LENGTH;
    bool done = relax(&t, 0.1, 400);
    for (int i = 0; i < t.count && done; ++i)
        if (tip[i] > 0) {
            drop -= (double)t.x[i].y;
            reach += (double)t.x[i].x;
            ++count;
        }
    free(tip);
    trial_end(&t);
    tl_mesh_destroy(mesh);
    return done && count > 0 ? drop / reach : NAN;
}

static const char *const ELEMENTS[] = {"bend.quadratic", "bend.curvature"};

void law_bending_cantilever(law_report *report)
{
    static const double gammas[] = {0.1, 1, 2, 3, 5, 7.5, 10, 20, 30, 50, 100};
    law_curve curve = law_curve_start(report, "bending-cantilever", "Cantilever: drop over reach",
                                      "Gamma = rho g L^3 / B", "H / W", true);
    for (size_t g = 0; g < sizeof gammas / sizeof *gammas; ++g)
        law_curve_point(&curve, "=elastica", gammas[g], law_elastica(gammas[g]));
    for (int e = 0; e < 2; ++e)
        for (size_t g = 0; g < sizeof gammas / sizeof *gammas; ++g) {
            if (report->quick && g % 4 != 2)
                continue;
            char quantity[48];
            strip s = {.kind = STRIP_ONE_DIAGONAL,
                       .cells = report->quick ? 24 : 40,
                       .width = LENGTH / 5,
                       .element = ELEMENTS[e]};
            snprintf(quantity, sizeof quantity, "H/W at Gamma = %g", gammas[g]);
            double measured = cantilever(report, ELEMENTS[e], s, gammas[g]);
            law_near(report, ELEMENTS[e], quantity, law_elastica(gammas[g]), measured, 0.05);
            law_curve_point(&curve, ELEMENTS[e], gammas[g], measured);
        }
    law_curve_end(&curve);
}

void law_bending_meshes(law_report *report)
{
    const double gamma = 10;
    int cells = report->quick ? 20 : 40;
    for (int e = 0; e < 2; ++e)
        for (int kind = 0; kind < STRIP_KINDS; ++kind)
            for (int turn = 0; turn < 3; ++turn) {
                if (report->quick && e == 1 && turn != 1)
                    continue;
                char subject[56];
                strip s = {.kind = (strip_kind)kind,
                           .degrees = 45.0 * turn,
                           .cells = cells,
                           .width = LENGTH / 5,
                           .element = ELEMENTS[e]};
                snprintf(subject, sizeof subject, "%s, %s, %g deg", ELEMENTS[e], strip_kind_names[kind], s.degrees);
                double measured = cantilever(report, subject, s, gamma);
                if (report->quick && turn == 1)
                    law_note(report, subject, "H/W at Gamma = 10", law_elastica(gamma), measured,
                             "judged at 40 cells, in the full run");
                else
                    law_near(report, subject, "H/W at Gamma = 10", law_elastica(gamma), measured, 0.05);
            }
    static const int finer[] = {10, 14, 20, 28, 40}; /* finer ones take minutes each */
    law_curve curve = law_curve_start(report, "bending-meshes", "Cantilever at Gamma = 10: error against the mesh",
                                      "cells along the strip", "|H/W - theory| / theory", true);
    for (int kind = 0; kind < STRIP_KINDS && !report->quick; ++kind)
        for (int k = 0; k < (int)(sizeof finer / sizeof *finer); ++k) {
            int n = finer[k];
            strip s = {
                .kind = (strip_kind)kind, .degrees = 45, .cells = n, .width = LENGTH / 5, .element = ELEMENTS[0]};
            double measured = cantilever(report, strip_kind_names[kind], s, gamma);
            law_curve_point(&curve, strip_kind_names[kind], n, fabs(measured / law_elastica(gamma) - 1));
        }
    law_curve_end(&curve);
}

/* ---- buckling --------------------------------------------------------------------------------------------------- */

/* Sideways deflection of a strip on edge at rest, relative to its length, after a sideways push. */
static double deflection_of(law_report *report, const char *subject, const char *element, double gamma, int cells)
{
    double cell = LENGTH / cells;
    strip s = {
        .kind = STRIP_ONE_DIAGONAL, .cells = cells, .width = LENGTH / 12, .low_x = -1.5 * cell, .element = element};
    s.bend = DENSITY * LAW_GRAVITY * LENGTH * LENGTH * LENGTH / gamma;
    s.membrane = 1e5 * DENSITY * LAW_GRAVITY * LENGTH;
    s.gravity = LAW_GRAVITY;
    trial t;
    tl_mesh *mesh;
    if (!strip_trial(&t, report, subject, &s, &mesh))
        return NAN;
    tl_vec3 *x = law_memory((size_t)t.count, sizeof *x);
    for (int i = 0; i < t.count; ++i) { /* on edge: its width becomes its height, with an initial bow of a hundredth */
        double along = (double)t.x[i].x, bow = fmax(0, along) / LENGTH;
        x[i] = law_v3(along, (double)t.x[i].z, 0.01 * LENGTH * bow * bow);
    }
    hold(&t, behind_clamp, cell);
    for (int i = 0; i < t.count; ++i)
        if (tl_cloth_pinned(t.cloth, i))
            tl_cloth_move_pin(t.cloth, i, x[i]);
    trial_state(&t, x, NULL);
    bool done = relax(&t, 0.05, 600);
    double deflection = 0;
    for (int i = 0; i < t.count && done; ++i)
        deflection = fmax(deflection, fabs((double)t.x[i].z));
    free(x);
    trial_end(&t);
    tl_mesh_destroy(mesh);
    return done ? deflection / LENGTH : NAN;
}

void law_bending_lateral(law_report *report)
{
    const double critical = 12.854 * sqrt(2.0); /* ν = 0 */
    int cells = 48;
    for (int e = 0; e < 2; ++e) {
        if (report->quick) {
            law_note(report, ELEMENTS[e], "sideways deflection / L", NAN, NAN, "judged at 48 cells, in the full run");
            continue;
        }
        law_below(report, ELEMENTS[e], "deflection / L at 0.9 Gamma*",
                  deflection_of(report, ELEMENTS[e], ELEMENTS[e], 0.9 * critical, cells), 1e-3);
        law_above(report, ELEMENTS[e], "deflection / L at 1.1 Gamma*",
                  deflection_of(report, ELEMENTS[e], ELEMENTS[e], 1.1 * critical, cells), 0.02);
    }
}

static bool at_an_end(tl_vec3 x, double cell)
{
    return fabs((double)x.x) < 1e-3 * cell || fabs((double)x.x - LENGTH) < 1e-3 * cell;
}

/* Force per width that a strip between two hinges bears when its ends are a hundredth closer than it is long. */
static double bearing(law_report *report, const char *element, double bend, int cells)
{
    const double closer = 0.01;
    double cell = LENGTH / cells;
    strip s = {
        .kind = STRIP_ONE_DIAGONAL, .cells = cells, .width = LENGTH / 5, .low_x = 0, .element = element, .bend = bend};
    s.membrane = 1e4 * LAW_PI * LAW_PI * bend / (LENGTH * LENGTH);
    trial t;
    tl_mesh *mesh;
    if (!strip_trial(&t, report, element, &s, &mesh))
        return NAN;
    hold(&t, at_an_end, cell);
    tl_vec3 *x = law_memory((size_t)t.count, sizeof *x);
    for (int i = 0; i < t.count; ++i) {
        double along = (double)t.x[i].x;
        x[i] = law_v3(along * (1 - closer), 0.06 * LENGTH * sin(LAW_PI * along / LENGTH), (double)t.x[i].z);
        if (tl_cloth_pinned(t.cloth, i))
            tl_cloth_move_pin(t.cloth, i, x[i]);
    }
    trial_state(&t, x, NULL);
    bool done = relax(&t, 0.1, 600);
    double force = 0;
    const tl_vec3 *f = tl_cloth_forces(t.cloth);
    for (int i = 0; i < t.count && done; ++i)
        if (tl_cloth_pinned(t.cloth, i) && (double)t.x[i].x > LENGTH / 2)
            force += (double)f[i].x;
    free(x);
    trial_end(&t);
    tl_mesh_destroy(mesh);
    return done ? force / s.width : NAN;
}

void law_bending_euler(law_report *report)
{
    const double bend = 1e-4;
    for (int e = 0; e < 2; ++e) {
        double expected = LAW_PI * LAW_PI * bend / (LENGTH * LENGTH);
        law_near(report, ELEMENTS[e], "load of a buckled strip, N/m", expected,
                 bearing(report, ELEMENTS[e], bend, report->quick ? 20 : 40), 0.05);
    }
}
