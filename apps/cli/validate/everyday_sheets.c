/* Everyday sheets on sheets: two free ones that meet, and one that falls on another, with one implicit step a frame as
   a named fabric has it by default. */
#include "cli/validate/everyday.h"

#include <math.h>
#include <stdlib.h>

static const char *const CONTACTS[] = {"self-collision", "penetration-free"};

typedef struct sums {
    double energy;   /* J, kinetic and elastic */
    double momentum; /* kg m/s, along the way of the first */
} sums;

static sums sum_of(tl_cloth *a, tl_cloth *b)
{
    tl_energies one = tl_cloth_energies(a), two = tl_cloth_energies(b);
    return (sums){one.kinetic + one.elastic + two.kinetic + two.elastic,
                  -(double)tl_cloth_momentum(a).y - (double)tl_cloth_momentum(b).y};
}

/* ---- two that meet ---------------------------------------------------------------------------------------------- */

/* One at rest, one that comes at it a little askew, without gravity and air. */
static void meet(law_report *report, const char *fabric, const char *contact, int side)
{
    const double speed = 2.3, width = 0.5;
    char subject[80];
    snprintf(subject, sizeof subject, "%s, %s, %d x %d", fabric, contact, side, side);
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = everyday_sheet(fabric, side, side, width, width);
    def.contact = contact;
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return;
    def.center = law_v3(0.07, 0.08, 0.03);
    def.rotation = law_v3(4, 10, 3);
    tl_cloth *other = tl_cloth_create(t.world, &def);
    tl_vec3 *v = law_memory((size_t)t.count, sizeof *v);
    for (int i = 0; i < t.count; ++i)
        v[i] = law_v3(0, -speed, 0);
    if (!other || tl_cloth_set_state(other, NULL, v) != TL_OK)
        law_broken(report, subject, tl_last_error(t.world));
    else {
        sums start = sum_of(t.cloth, other), worst = start;
        bool done = true;
        for (int f = 0; f < 60 && done; ++f) {
            done = trial_step(&t, 1 / EVERYDAY_RATE, 1);
            sums now = sum_of(t.cloth, other);
            worst.energy = fmax(worst.energy, now.energy);
            if (fabs(now.momentum - start.momentum) > fabs(worst.momentum - start.momentum))
                worst.momentum = now.momentum;
        }
        law_below(report, subject, "largest energy / energy before", done ? worst.energy / start.energy : NAN, 1.01);
        law_near(report, subject, "momentum furthest from before / m v", 1,
                 done ? worst.momentum / start.momentum : NAN, 0.01);
        law_below(report, subject, "pairs of faces that cross", tl_world_count_intersections(t.world), 0);
    }
    free(v);
    trial_end(&t);
}

void law_everyday_meet(law_report *report)
{
    for (int f = 0; f < (report->quick ? 1 : EVERYDAY_FABRICS); ++f)
        for (int c = 0; c < 2; ++c)
            meet(report, everyday_fabrics[f], CONTACTS[c], report->quick ? 15 : 31);
}

/* ---- one that falls on another ----------------------------------------------------------------------------------- */

/* Largest strain of either sheet while one falls by 30 cm on another that lies on the floor. */
static void drop(law_report *report, const char *fabric, const char *contact, int side)
{
    const double width = 0.5, height = 0.3;
    char subject[80];
    snprintf(subject, sizeof subject, "%s, %s, %d x %d", fabric, contact, side, side);
    tl_world_def world = tl_world_def_default();
    tl_cloth_def def = everyday_sheet(fabric, side, side, width, width);
    def.contact = contact;
    def.center = law_v3(0, (double)def.thickness, 0);
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return;
    def.center = law_v3(0.05, height, 0.02);
    def.rotation = law_v3(4, 25, 3);
    tl_cloth *other = tl_cloth_create(t.world, &def);
    tl_body_def floor = tl_body_def_default();
    floor.shape = "plane";
    floor.friction = (tl_real)0.5;
    if (!other)
        law_broken(report, subject, tl_last_error(t.world));
    else if (trial_body(&t, &floor)) {
        double strain = 0;
        bool done = true;
        for (int f = 0; f < 60 && done; ++f) {
            done = trial_step(&t, 1 / EVERYDAY_RATE, 1);
            strain = fmax(strain, fmax((double)tl_cloth_get_stats(t.cloth).largest_strain,
                                       (double)tl_cloth_get_stats(other).largest_strain));
        }
        if (done) /* else there is a row already */
            law_below(report, subject, "largest strain", strain, 0.1);
        law_below(report, subject, "pairs of faces that cross", tl_world_count_intersections(t.world), 0);
    }
    trial_end(&t);
}

void law_everyday_drop(law_report *report)
{
    for (int f = 0; f < (report->quick ? 1 : EVERYDAY_FABRICS); ++f)
        for (int c = 0; c < 2; ++c)
            drop(report, everyday_fabrics[f], CONTACTS[c], report->quick ? 15 : 31);
}
