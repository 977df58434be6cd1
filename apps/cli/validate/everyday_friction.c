/* Everyday friction: a slope and a drum, for every stepper at its own substeps. Both are measured in ways that need no
   elasticity, so that steppers that keep every length take part.

   Explicit steppers cannot step a measured fabric at their default rate: stiffness and damping of the threads need
   substeps ten times shorter, and the engine refuses such frames with a message. They are tried with the default cloth
   of springs instead. */
#include "cli/validate/body_mesh.h"
#include "cli/validate/everyday.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WITHIN = 0.05;

static bool is_explicit(const char *stepper)
{
    static const char *const names[] = {"semi-implicit-euler", "verlet", "explicit-euler", "kinematic", "rk4"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        if (strcmp(names[k], stepper) == 0)
            return true;
    return false;
}

/* ---- slope ------------------------------------------------------------------------------------------------------- */

static const double SLOPE = 36, SLOPE_FRICTION = 0.7; /* degrees, 1 */

static void slide(law_report *report, const char *stepper, const char *shape, const tl_mesh *mesh, double seconds)
{
    enum { SIDE = 7 };
    const double angle = SLOPE * LAW_PI / 180;
    char subject[80];
    snprintf(subject, sizeof subject, "%s, %s", stepper, shape);
    tl_cloth_def def = everyday_sheet(is_explicit(stepper) ? "custom" : "denim", SIDE, SIDE, 0.3, 0.3);
    def.stepper = stepper;
    def.rotation = law_v3(0, 0, SLOPE);
    def.center = law_v3(-sin(angle) * (double)def.thickness, cos(angle) * (double)def.thickness, 0);
    tl_body_def body = tl_body_def_default();
    body.shape = shape;
    body.mesh = mesh;
    body.solid = false;
    body.rotation = law_v3(0, 0, SLOPE);
    body.friction = (tl_real)SLOPE_FRICTION;
    if (strcmp(shape, "box") == 0) { /* its upper face contains the origin */
        body.size = law_v3(8, 2, 8);
        body.position = law_v3(sin(angle), -cos(angle), 0);
    }
    trial t;
    if (!trial_make(&t, report, subject, NULL, &def))
        return;
    tl_vec3 from = t.x[t.count / 2];
    if (trial_body(&t, &body) && trial_step(&t, 1 / EVERYDAY_RATE, (int)(seconds * EVERYDAY_RATE))) {
        tl_vec3 to = t.x[t.count / 2];
        double way = ((double)from.x - (double)to.x) * cos(angle) + ((double)from.y - (double)to.y) * sin(angle);
        double expected = LAW_GRAVITY * (sin(angle) - SLOPE_FRICTION * cos(angle)) * seconds * seconds / 2;
        char quantity[48];
        snprintf(quantity, sizeof quantity, "way down 36 deg, mu 0.7, in %g s, m", seconds);
        law_near(report, subject, quantity, expected, way, WITHIN);
    }
    trial_end(&t);
}

void law_everyday_incline(law_report *report)
{
    static const char *const shapes[] = {"plane", "box", "mesh"};
    tl_mesh *slope = law_mesh_rectangle(4, 4);
    for (const char *const *stepper = tl_stepper_names(); *stepper && slope; ++stepper)
        for (int s = 0; s < 3; ++s)
            slide(report, *stepper, shapes[s], s == 2 ? slope : NULL, report->quick ? 1 : 2);
    tl_mesh_destroy(slope);
}

/* ---- drum -------------------------------------------------------------------------------------------------------- */

enum { BELT_COLUMNS = 3, BELT_ROWS = 61, BELT_COUNT = BELT_COLUMNS * BELT_ROWS };
static const double BELT_SPACING = 0.03, DRUM_RADIUS = 0.3, DRUM_FRICTION = 0.5, WRAP = 1.5 * LAW_PI; /* m, m, 1 */
static const double PULL = 0.4, SPEED = 0.06;                                                         /* N, m/s */

static void lay_belt(tl_vec3 *x, double radius)
{
    double straight = (BELT_SPACING * (BELT_ROWS - 1) - WRAP * radius) / 2;
    for (int i = 0; i < BELT_COUNT; ++i) {
        double s = BELT_SPACING * (i / BELT_COLUMNS) - straight, z = BELT_SPACING * (i % BELT_COLUMNS - 1);
        double angle = fmin(fmax(s / radius, 0), WRAP), beyond = s < 0 ? s : fmax(s - WRAP * radius, 0);
        x[i] = law_v3(-radius * cos(angle) + sin(angle) * beyond, radius * sin(angle) + cos(angle) * beyond, z);
    }
}

/* Draws one end of the belt down against a constant pull on the other. The moment on the drum is (T2 − T1) r; the mean
   ratio of the tensions over the last half. */
static double draw_belt(trial *t, tl_body *drum, double radius, double seconds)
{
    int frames = (int)(seconds * EVERYDAY_RATE), counted = 0;
    double sum = 0;
    tl_vec3 pull = law_v3(sin(WRAP) * PULL / BELT_COLUMNS, cos(WRAP) * PULL / BELT_COLUMNS, 0), moment;
    for (int f = 0; f < frames; ++f) {
        for (int k = 0; k < BELT_COLUMNS; ++k) {
            tl_vec3 place = t->x[k];
            place.y -= (tl_real)(SPEED / EVERYDAY_RATE);
            tl_cloth_move_pin(t->cloth, k, place);
            tl_cloth_add_force(t->cloth, (BELT_ROWS - 1) * BELT_COLUMNS + k, pull);
        }
        if (!trial_step(t, 1 / EVERYDAY_RATE, 1))
            return NAN;
        tl_body_impulse(drum, NULL, &moment);
        if (f >= frames / 2) {
            sum += 1 + fabs((double)moment.z) * EVERYDAY_RATE / (PULL * radius);
            ++counted;
        }
    }
    return sum / counted;
}

static void capstan_case(law_report *report, const char *stepper, double seconds)
{
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = everyday_sheet(is_explicit(stepper) ? "custom" : "twill", BELT_COLUMNS, BELT_ROWS,
                                      BELT_SPACING * (BELT_COLUMNS - 1), BELT_SPACING * (BELT_ROWS - 1));
    tl_pin_def pin = trial_pin("top");
    def.plane = "vertical";
    def.stepper = stepper;
    def.pins = &pin;
    def.pin_count = 1;
    def.tether = false; /* one end is pinned, the other pulled: nothing hangs */
    tl_body_def drum = tl_body_def_default();
    drum.shape = "capsule";
    drum.size = law_v3(DRUM_RADIUS, 1, 0);
    drum.rotation = law_v3(90, 0, 0);
    drum.friction = (tl_real)DRUM_FRICTION;
    static tl_vec3 x[BELT_COUNT];
    trial t;
    if (!trial_make(&t, report, stepper, &world, &def))
        return;
    double radius = DRUM_RADIUS + (double)def.thickness;
    lay_belt(x, radius);
    tl_body *body = trial_body(&t, &drum);
    if (body && trial_state(&t, x, NULL))
        law_near(report, stepper, "T2/T1, mu = 0.5, phi = 3 pi/2", exp(DRUM_FRICTION * WRAP),
                 draw_belt(&t, body, radius, seconds), WITHIN);
    trial_end(&t);
}

void law_everyday_capstan(law_report *report)
{
    for (const char *const *stepper = tl_stepper_names(); *stepper; ++stepper)
        capstan_case(report, *stepper, report->quick ? 0.8 : 2);
}
