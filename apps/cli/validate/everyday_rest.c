/* Everyday rest: what a named fabric is like once it hangs still, against the numbers of the fabric. A user sets
   `fabric`, and the stepper, its tolerance and its substeps are what the engine chooses.

   How far position-based dynamics is off is shown without a claim: its stiffness depends on substeps and sweeps. */
#include "cli/validate/everyday.h"
#include "cli/validate/strip_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WITHIN = 0.1, RATES_WITHIN = 0.03; /* of theory or the converged run, and between frame rates */
static const char XPBD_REMARK[] = "xpbd's stiffness depends on substeps and sweeps; automatic takes implicit-euler";

/* One sheet, or strip, and how it is run. */
typedef struct hanging {
    const char *fabric, *stepper; /* stepper NULL: automatic */
    int cells;                    /* along its length */
    double rate;                  /* frames per second; 0: the converged run */
    bool warp;                    /* along the warp, else along the weft */
    double gamma;                 /* of a cantilever */
    bool folds;                   /* of a sheet: its corners are drawn closer */
} hanging;

static void name_it(const hanging *h, const char *what, char subject[80])
{
    snprintf(subject, 80, "%s, %s%s%d cells", h->stepper ? h->stepper : h->fabric, what, what[0] ? ", " : "", h->cells);
}

/* Frames per second, also of the converged run. */
static double rate_of(const hanging *h) { return h->rate > 0 ? h->rate : EVERYDAY_RATE; }

/* Both meshes and all rates of a fabric; `measure` gives the value of one run. `expected` of NAN: the converged run of
   the same mesh. */
typedef double measurement(law_report *report, const char *subject, const hanging *h);
static void at_every_rate(law_report *report, hanging h, const char *what, const char *quantity, double expected,
                          measurement *measure)
{
    static const int cells[] = {40, 70};
    for (int m = 0; m < (report->quick || h.folds ? 1 : 2); ++m) {
        char subject[80], text[48];
        double values[EVERYDAY_RATES], right = expected;
        int count = report->quick ? 1 : EVERYDAY_RATES;
        h.cells = report->quick || h.folds ? 20 : cells[m];
        name_it(&h, what, subject);
        h.rate = 0;
        if (isnan(expected))
            right = measure(report, subject, &h);
        for (int r = 0; r < count; ++r) {
            h.rate = everyday_rates[r];
            values[r] = measure(report, subject, &h);
            snprintf(text, sizeof text, "%s, %g Hz", quantity, h.rate);
            law_near(report, subject, text, right, values[r], WITHIN);
        }
        everyday_same_at_all_rates(report, subject, quantity, values, count, RATES_WITHIN);
    }
}

/* How far xpbd is off, at one mesh and 60 Hz. */
static void note_xpbd(law_report *report, hanging h, const char *what, const char *quantity, double expected,
                      measurement *measure)
{
    char subject[80];
    if (report->quick)
        return;
    h.stepper = "xpbd";
    h.cells = 40;
    name_it(&h, what, subject);
    h.rate = 0;
    if (isnan(expected)) {
        hanging converged = h;
        converged.stepper = NULL;
        expected = measure(report, subject, &converged);
    }
    h.rate = EVERYDAY_RATE;
    law_note(report, subject, quantity, expected, measure(report, subject, &h), XPBD_REMARK);
}

/* ---- strip ------------------------------------------------------------------------------------------------------ */

static const double STRIP_LENGTH = 1; /* m */

/* mm by which a strip gets longer under its own weight. */
static double extension(law_report *report, const char *subject, const hanging *h)
{
    int along = h->cells + 1, across = h->cells / 5 + 1;
    double width = STRIP_LENGTH / 5;
    tl_world_def world = tl_world_def_default();
    tl_cloth_def def = h->warp ? everyday_sheet(h->fabric, along, across, STRIP_LENGTH, width)
                               : everyday_sheet(h->fabric, across, along, width, STRIP_LENGTH);
    tl_pin_def pin = trial_pin(h->warp ? "left" : "top");
    def.plane = "vertical";
    def.rotation = law_v3(0, 0, h->warp ? -90 : 0);
    def.pins = &pin;
    def.pin_count = 1;
    if (h->stepper)
        def.stepper = h->stepper;
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return NAN;
    double low = 0, high = 0;
    bool done = everyday_settle(&t, h->rate, STRIP_LENGTH / 10, 4);
    for (int i = 0; i < t.count; ++i) {
        low = fmin(low, (double)t.x[i].y);
        high = fmax(high, (double)t.x[i].y);
    }
    trial_end(&t);
    return done ? 1000 * (high - low - STRIP_LENGTH) : NAN;
}

void law_everyday_strip(law_report *report)
{
    for (int f = 0; f < (report->quick ? 1 : EVERYDAY_FABRICS); ++f)
        for (int warp = 0; warp < 2; ++warp) {
            const tl_fabric *fabric = tl_fabric_named(everyday_fabrics[f]);
            double stiffness = (double)(warp ? fabric->warp : fabric->weft);
            double expected =
                1000 * (double)fabric->density * LAW_GRAVITY * STRIP_LENGTH * STRIP_LENGTH / (2 * stiffness);
            hanging h = {.fabric = fabric->name, .warp = warp};
            at_every_rate(report, h, warp ? "warp" : "weft", "extension, mm", expected, extension);
            if (f == 0)
                note_xpbd(report, h, warp ? "warp" : "weft", "extension, mm", expected, extension);
        }
}

/* ---- cantilever -------------------------------------------------------------------------------------------------- */

/* Drop over reach of a strip whose length is such that its weight bends it by Γ. The clamp is that of the law
   bending.cantilever. */
static double drop_over_reach(law_report *report, const char *subject, const hanging *h)
{
    const tl_fabric *fabric = tl_fabric_named(h->fabric);
    double length = cbrt(h->gamma * (double)tl_fabric_bend(fabric) / ((double)fabric->density * LAW_GRAVITY));
    double cell = length / h->cells;
    tl_mesh *mesh = strip_mesh(STRIP_ONE_DIAGONAL, 0, cell, -1.5 * cell, length, length / 5);
    if (!mesh) {
        law_broken(report, subject, "the mesh could not be made");
        return NAN;
    }
    tl_world_def world = tl_world_def_default();
    tl_cloth_def def = everyday_sheet(h->fabric, 2, 2, 1, 1);
    def.mesh = mesh;
    if (h->stepper)
        def.stepper = h->stepper;
    double drop = 0, reach = 0;
    bool done = false;
    trial t;
    if (trial_make(&t, report, subject, &world, &def)) {
        bool *tip = law_memory((size_t)t.count, sizeof *tip);
        for (int i = 0; i < t.count; ++i) {
            tip[i] = fabs((double)t.x[i].x - length) < 1e-4 * length;
            if ((double)t.x[i].x < 0.51 * cell)
                tl_cloth_pin(t.cloth, i, true);
        }
        done = everyday_settle(&t, h->rate, length, 5);
        for (int i = 0; i < t.count; ++i) {
            drop -= tip[i] ? (double)t.x[i].y : 0;
            reach += tip[i] ? (double)t.x[i].x : 0;
        }
        free(tip);
        trial_end(&t);
    }
    tl_mesh_destroy(mesh);
    return done ? drop / reach : NAN;
}

void law_everyday_cantilever(law_report *report)
{
    static const double gammas[] = {4, 1, 10, 40};
    for (int f = 0; f < (report->quick ? 1 : EVERYDAY_FABRICS); ++f)
        for (size_t g = 0; g < (report->quick ? 2 : 4); ++g) {
            char what[24];
            hanging h = {.fabric = everyday_fabrics[f], .gamma = gammas[g]};
            snprintf(what, sizeof what, "Gamma = %g", gammas[g]);
            at_every_rate(report, h, what, "H/W", law_elastica(gammas[g]), drop_over_reach);
            if (f == 0 && g == 0)
                note_xpbd(report, h, what, "H/W", law_elastica(gammas[g]), drop_over_reach);
        }
}

/* ---- sheet ------------------------------------------------------------------------------------------------------- */

static const double SHEET_SIDE = 1; /* m */

/* How far a square sheet hung by two corners is below them, m: the middle of its upper edge where they are as far apart
   as it is wide, its lowest point where they are closer. In folds the edge goes to one side or the other, and not
   equally far. */
static double sheet_sag(law_report *report, const char *subject, const hanging *h)
{
    int side = h->cells + 1;
    tl_world_def world = tl_world_def_default();
    tl_pin_def pins[2];
    tl_cloth_def def = everyday_curtain(h->fabric, side, SHEET_SIDE, pins);
    if (!h->folds)
        def.ripple = 0;
    if (h->stepper)
        def.stepper = h->stepper;
    if (h->rate <= 0)
        everyday_converged(&def);
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return NAN;
    double top = (double)t.x[0].y;
    bool done = (!h->folds || everyday_draw_corners(&t, side, SHEET_SIDE, rate_of(h))) &&
                everyday_settle(&t, rate_of(h), SHEET_SIDE, 4);
    double lowest = (double)t.x[side / 2].y;
    for (int i = 0; i < t.count && h->folds; ++i)
        lowest = fmin(lowest, (double)t.x[i].y);
    trial_end(&t);
    return done ? top - lowest : NAN;
}

void law_everyday_sag(law_report *report)
{
    for (int f = 0; f < (report->quick ? 1 : EVERYDAY_FABRICS); ++f) {
        hanging h = {.fabric = everyday_fabrics[f]};
        at_every_rate(report, h, "taut", "sag of the edge, m", NAN, sheet_sag);
        if (f == 0)
            note_xpbd(report, h, "taut", "sag of the edge, m", NAN, sheet_sag);
        h.folds = true;
        if (!report->quick)
            at_every_rate(report, h, "in folds", "lowest point, m", NAN, sheet_sag);
    }
}
