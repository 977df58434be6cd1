/* Everyday friction: a slope and a drum, for every stepper at its own substeps. Both are measured in ways that need no
   elasticity, so that steppers that keep every length take part. And rest: cloth over a ball. */
#include "cli/validate/body_mesh.h"
#include "cli/validate/everyday.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WITHIN = 0.05;

/* Why nothing is claimed of a stepper on a slope or a drum; NULL where the law is. */
static const char *slope_reason(const char *stepper)
{
    if (strcmp(stepper, "thin-objects") == 0)
        return "its two Jacobi iterations move a stiff sheet by far too little where friction enters the solve";
    if (strcmp(stepper, "explicit-euler") == 0 || strcmp(stepper, "kinematic") == 0)
        return "gains energy at its default substeps: springs shake the sheet";
    return NULL;
}

static const char *drum_reason(const char *stepper)
{
    if (strcmp(stepper, "constant-jacobian") == 0 || strcmp(stepper, "thin-objects") == 0)
        return "its matrix is that of the flat sheet: a belt that is bent resists being drawn, less so with more "
               "implicit.newton";
    if (strcmp(stepper, "explicit-euler") == 0 || strcmp(stepper, "kinematic") == 0)
        return "its links are damped by what it gains (stable.on), which eases the pull";
    return NULL;
}

/* Frames of the default rate; where one is refused, a note for the explicit steppers, which say so, else a failure. */
static bool step_or_say(trial *t, const char *stepper, int frames)
{
    for (int f = 0; f < frames; ++f)
        if (tl_world_step(t->world, (tl_real)(1 / EVERYDAY_RATE)) != TL_OK) {
            const char *message = tl_last_error(t->world);
            if (everyday_is_explicit(stepper) || strcmp(stepper, "thin-objects") == 0)
                law_note(t->report, t->subject, "refused", NAN, NAN, message);
            else
                law_broken(t->report, t->subject, message);
            return false;
        }
    trial_refresh(t);
    return true;
}

static const char *fabric_for(const char *stepper, const char *fabric)
{
    return everyday_is_explicit(stepper) || everyday_is_rigid(stepper) ? "custom" : fabric;
}

/* ---- slope ------------------------------------------------------------------------------------------------------- */

static const double SLOPE = 36, SLOPE_FRICTION = 0.7; /* degrees, 1 */

static void slide(law_report *report, const char *stepper, const char *shape, const tl_mesh *mesh, double seconds)
{
    enum { SIDE = 7 };
    const double angle = SLOPE * LAW_PI / 180;
    char subject[80];
    snprintf(subject, sizeof subject, "%s, %s", stepper, shape);
    tl_cloth_def def = everyday_sheet(fabric_for(stepper, "denim"), SIDE, SIDE, 0.3, 0.3);
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
    if (trial_body(&t, &body) && step_or_say(&t, stepper, (int)(seconds * EVERYDAY_RATE))) {
        tl_vec3 to = t.x[t.count / 2];
        double way = ((double)from.x - (double)to.x) * cos(angle) + ((double)from.y - (double)to.y) * sin(angle);
        double expected = LAW_GRAVITY * (sin(angle) - SLOPE_FRICTION * cos(angle)) * seconds * seconds / 2;
        char quantity[48];
        snprintf(quantity, sizeof quantity, "way down 36 deg, mu 0.7, in %g s, m", seconds);
        everyday_near(report, subject, quantity, expected, way, WITHIN, slope_reason(stepper));
    }
    trial_end(&t);
}

void law_everyday_incline(law_report *report)
{
    static const char *const shapes[] = {"plane", "box", "mesh"};
    tl_mesh *slope = law_mesh_rectangle(4, 4);
    for (const char *const *stepper = tl_stepper_names(); *stepper && slope; ++stepper)
        for (int s = 0; s < 3; ++s)
            slide(report, *stepper, shapes[s], s == 2 ? slope : NULL, 2);
    tl_mesh_destroy(slope);
}

/* ---- drum -------------------------------------------------------------------------------------------------------- */

enum { BELT_COLUMNS = 3, BELT_ROWS = 61, BELT_COUNT = BELT_COLUMNS * BELT_ROWS };
static const double BELT_SPACING = 0.03, DRUM_RADIUS = 0.3, DRUM_FRICTION = 0.5, WRAP = 1.5 * LAW_PI; /* m, m, 1 */
static const double PULL = 0.04, SPEED = 0.06;                                                        /* N, m/s */

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
        if (!step_or_say(t, t->subject, 1))
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
    tl_cloth_def def = everyday_sheet(fabric_for(stepper, "twill"), BELT_COLUMNS, BELT_ROWS,
                                      BELT_SPACING * (BELT_COLUMNS - 1), BELT_SPACING * (BELT_ROWS - 1));
    if (everyday_is_rigid(stepper)) { /* bending would be projected to rest, too: off the drum */
        def.material = "custom";
        def.elements = (tl_elements_def){0};
        def.elements.link_structural = trial_element(200, 0);
    }
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
    if (body && trial_state(&t, x, NULL)) {
        double ratio = draw_belt(&t, body, radius, seconds);
        if (!isnan(ratio)) /* else there is a row already */
            everyday_near(report, stepper, "T2/T1, mu = 0.5, phi = 3 pi/2", exp(DRUM_FRICTION * WRAP), ratio, WITHIN,
                          drum_reason(stepper));
    }
    trial_end(&t);
}

void law_everyday_capstan(law_report *report)
{
    for (const char *const *stepper = tl_stepper_names(); *stepper; ++stepper)
        capstan_case(report, *stepper, report->quick ? 0.8 : 2);
}

/* ---- rest ---------------------------------------------------------------------------------------------------------
 */

/* Kinetic energy of cloth over a ball on the floor, late over its peak. */
static void drape(law_report *report, const char *fabric, const tl_mesh *mesh, int side)
{
    const int frames = 480, late = 360;
    char subject[80];
    snprintf(subject, sizeof subject, "%s, %s", fabric, mesh ? "ball of triangles" : "ball");
    tl_world_def world = tl_world_def_default();
    tl_cloth_def def = everyday_sheet(fabric, side, side, 1, 1);
    tl_body_def ball = tl_body_def_default(), floor = tl_body_def_default();
    def.center = law_v3(0, 0.7, 0);
    ball.shape = mesh ? "mesh" : "sphere";
    ball.mesh = mesh;
    ball.size = law_v3(0.3, 0.3, 0.3);
    ball.position = law_v3(0, 0.3, 0);
    ball.friction = floor.friction = (tl_real)0.5;
    floor.shape = "plane";
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return;
    bool done = trial_body(&t, &ball) && trial_body(&t, &floor);
    double peak = 0, left = 0;
    for (int f = 0; f < frames && done; ++f) {
        done = trial_step(&t, 1 / EVERYDAY_RATE, 1);
        double kinetic = tl_cloth_energies(t.cloth).kinetic;
        peak = fmax(peak, kinetic);
        left = f >= late ? fmax(left, kinetic) : 0;
    }
    if (done)
        law_below(report, subject, "largest E / peak after 6 s", left / peak, 1e-4);
    trial_end(&t);
}

void law_everyday_rest(law_report *report)
{
    tl_mesh *ball = law_mesh_ball(0.3, 15, 32);
    for (int f = 0; f < (report->quick ? 1 : EVERYDAY_FABRICS) && ball; ++f)
        for (int mesh = 0; mesh < (report->quick ? 1 : 2); ++mesh)
            drape(report, everyday_fabrics[f], mesh ? ball : NULL, report->quick ? 15 : 31);
    tl_mesh_destroy(ball);
}
