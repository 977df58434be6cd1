/* Everyday motion: free fall for every stepper, and what must not matter: where a scene is, how it is turned, how fast
   it moves as a whole, how large it is, how often it is drawn, how it is meshed. */
#include "cli/validate/everyday.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- free fall -------------------------------------------------------------------------------------------------- */

/* Mean speed of a sheet after three seconds without air. False where the engine refuses to step it. */
static bool fall_case(law_report *report, const char *stepper, const char *fabric, double width, double rate,
                      const char *reason)
{
    enum { SIDE = 7 };
    const double seconds = 3, expected = LAW_GRAVITY * seconds;
    char subject[80], quantity[48];
    snprintf(subject, sizeof subject, "%s, %s, %g cm wide", stepper, strcmp(fabric, "custom") == 0 ? "springs" : fabric,
             100 * width);
    snprintf(quantity, sizeof quantity, "speed after 3 s at %g Hz, m/s", rate);
    tl_cloth_def def = everyday_sheet(fabric, SIDE, SIDE, width, width);
    def.stepper = stepper;
    trial t;
    if (!trial_make(&t, report, subject, NULL, &def))
        return false;
    const char *error;
    bool done = everyday_run(t.world, rate, seconds, &error);
    if (done) {
        double mass = 0;
        for (int i = 0; i < t.count; ++i)
            mass += (double)tl_cloth_masses(t.cloth)[i];
        everyday_near(report, subject, quantity, expected, -(double)tl_cloth_momentum(t.cloth).y / mass, 0.005, reason);
    } else if (everyday_is_explicit(stepper))
        law_note(report, subject, quantity, expected, NAN, error);
    else
        law_broken(report, subject, error);
    trial_end(&t);
    return done;
}

void law_everyday_fall(law_report *report)
{
    static const double widths[] = {1, 0.01, 0.1, 0.03}, rates[] = {60, 30, 144};
    for (const char *const *stepper = tl_stepper_names(); *stepper; ++stepper)
        for (size_t w = 0; w < (report->quick ? 2 : 4); ++w) {
            const char *fabric = everyday_is_rigid(*stepper) ? "custom" : "denim";
            bool steps = true; /* what is refused at one rate is at all of them: the substeps are the same */
            for (size_t r = 0; r < (report->quick ? 1 : 3) && steps; ++r)
                steps = fall_case(report, *stepper, fabric, widths[w], rates[r], NULL);
            if (everyday_is_rigid(*stepper) && !report->quick)
                fall_case(report, *stepper, "denim", widths[w], EVERYDAY_RATE,
                          "projects a membrane to rest whatever its stiffness: rounding far below becomes velocity");
        }
}

/* ---- the same scene elsewhere ----------------------------------------------------------------------------------- */

/* A sheet of denim, held by two corners unless it floats, and what is done to the whole scene. */
typedef struct scene {
    tl_vec3 offset;   /* m */
    tl_vec3 rotation; /* degrees */
    tl_vec3 velocity; /* m/s, at the start */
    double scale;     /* of all lengths; stiffness goes with it so that the shapes stay similar */
    double rate;      /* frames per second */
    bool floats;      /* without gravity, bent at the start; otherwise held by two corners */
} scene;
enum { SCENE_SIDE = 21, SCENE_COUNT = SCENE_SIDE * SCENE_SIDE };
static const double SCENE_WIDTH = 0.5; /* m */

/* Rotation about x, then y, then z by degrees, as definitions have it. */
static tl_vec3 turned(tl_vec3 v, tl_vec3 degrees, bool back)
{
    double p[3] = {(double)v.x, (double)v.y, (double)v.z};
    const double by[3] = {(double)degrees.x, (double)degrees.y, (double)degrees.z};
    for (int n = 0; n < 3; ++n) {
        int axis = back ? 2 - n : n, a = (axis + 1) % 3, b = (axis + 2) % 3;
        double angle = (back ? -by[axis] : by[axis]) * LAW_PI / 180, pa = p[a], pb = p[b];
        p[a] = cos(angle) * pa - sin(angle) * pb;
        p[b] = sin(angle) * pa + cos(angle) * pb;
    }
    return law_v3(p[0], p[1], p[2]);
}

/* Similar cloth: weight over stretch and over bending stiffness is the same at every size, and time goes with the root
   of length. */
static void resize(tl_cloth_def *def, double scale)
{
    tl_elements_def *e = &def->elements;
    tl_element_def *membrane[3] = {&e->membrane_warp, &e->membrane_weft, &e->membrane_shear};
    for (int k = 0; k < 3; ++k) {
        membrane[k]->stiffness *= (tl_real)scale;
        membrane[k]->damping *= (tl_real)(scale * sqrt(scale));
    }
    e->bend_quadratic.stiffness *= (tl_real)(scale * scale * scale);
    e->bend_quadratic.damping *= (tl_real)(scale * scale * scale * sqrt(scale));
    def->substeps = 1;
}

/* Bends a sheet to part of a cylinder and sets it moving. */
static bool launch(trial *t, const scene *s)
{
    tl_vec3 x[SCENE_COUNT], v[SCENE_COUNT];
    for (int i = 0; i < t->count; ++i) {
        double along = (double)t->x[i].x - (double)s->offset.x, radius = 0.3;
        x[i] = t->x[i];
        v[i] = s->velocity;
        if (s->floats) {
            x[i].x = (tl_real)(radius * sin(along / radius)) + s->offset.x;
            x[i].y = (tl_real)(radius * cos(along / radius)) + s->offset.y;
        }
    }
    return trial_state(t, x, v);
}

/* Positions after some seconds, brought back to the untouched scene, and the largest speed at the end. */
static bool run_scene(law_report *report, const char *subject, const scene *s, double seconds, tl_vec3 *x,
                      double *speed)
{
    tl_world_def world = trial_vacuum(s->floats ? 0 : LAW_GRAVITY);
    world.gravity = turned(world.gravity, s->rotation, false);
    double width = SCENE_WIDTH * s->scale;
    tl_cloth_def def = (s->scale < 1 || s->scale > 1 ? everyday_numbers : everyday_sheet)("denim", SCENE_SIDE,
                                                                                          SCENE_SIDE, width, width);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[0].name = "top-left";
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = s->floats ? 0 : 2;
    def.center = s->offset;
    def.rotation = s->rotation;
    double rate = s->rate;
    if (s->scale < 1 || s->scale > 1) {
        resize(&def, s->scale);
        rate /= sqrt(s->scale);
    }
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return false;
    bool done = launch(&t, s) && trial_step(&t, 1 / rate, (int)lround(seconds * s->rate));
    tl_vec3 middle = s->offset;
    for (int i = 0; i < t.count && s->floats && done; ++i) { /* a free sheet is compared about its middle */
        middle.x = (i ? middle.x : 0) + t.x[i].x / SCENE_COUNT;
        middle.y = (i ? middle.y : 0) + t.x[i].y / SCENE_COUNT;
        middle.z = (i ? middle.z : 0) + t.x[i].z / SCENE_COUNT;
    }
    for (int i = 0; i < t.count && done; ++i) {
        tl_vec3 from = law_v3((double)t.x[i].x - (double)middle.x, (double)t.x[i].y - (double)middle.y,
                              (double)t.x[i].z - (double)middle.z);
        from = turned(from, s->rotation, true);
        x[i] = law_v3((double)from.x / s->scale, (double)from.y / s->scale, (double)from.z / s->scale);
    }
    if (speed)
        *speed = done ? (double)tl_cloth_get_stats(t.cloth).largest_speed : NAN;
    trial_end(&t);
    return done;
}

/* Root mean square distance of two shapes over the width of the sheet. */
static double apart(const tl_vec3 *a, const tl_vec3 *b)
{
    double sum = 0;
    for (int i = 0; i < SCENE_COUNT; ++i)
        sum += law_distance(a[i], b[i]) * law_distance(a[i], b[i]);
    return sqrt(sum / SCENE_COUNT) / SCENE_WIDTH;
}

/* Runs a scene and the changed one; the difference of the shapes is at most `limit` widths. */
static void same_as(law_report *report, const char *subject, const scene *plain, const scene *changed, double seconds,
                    double limit)
{
    static tl_vec3 before[SCENE_COUNT], after[SCENE_COUNT];
    char quantity[48];
    snprintf(quantity, sizeof quantity, "shape after %.2g s, rms change / width", seconds);
    if (run_scene(report, subject, plain, seconds, before, NULL) &&
        run_scene(report, subject, changed, seconds, after, NULL))
        law_below(report, subject, quantity, apart(before, after), limit);
}

static const scene HELD = {.scale = 1, .rate = EVERYDAY_RATE},
                   FLOATS = {.scale = 1, .rate = EVERYDAY_RATE, .floats = true};

void law_everyday_galilean(law_report *report)
{
    static const double speeds[] = {30, 3};
    for (size_t k = 0; k < (report->quick ? 1 : 2); ++k) {
        scene moving = FLOATS;
        char subject[80];
        moving.velocity = law_v3(speeds[k] * 0.6, speeds[k] * 0.64, speeds[k] * -0.48);
        snprintf(subject, sizeof subject, "denim, moving at %g m/s", speeds[k]);
        same_as(report, subject, &FLOATS, &moving, 1, 1e-3);
    }
}

void law_everyday_translation(law_report *report)
{
    static const double distances[] = {100, 1e3, 1e4};
    for (size_t k = report->quick ? 2 : 0; k < 3; ++k) {
        scene away = HELD;
        char subject[80];
        away.offset = law_v3(0.6 * distances[k], 0.64 * distances[k], -0.48 * distances[k]);
        snprintf(subject, sizeof subject, "denim, %g m from the origin", distances[k]);
        same_as(report, subject, &HELD, &away, 0.5, 0.01);
        static tl_vec3 x[SCENE_COUNT];
        double here, there;
        if (!report->quick && run_scene(report, subject, &HELD, 6, x, &here) &&
            run_scene(report, subject, &away, 6, x, &there))
            law_below(report, subject, "speed left after 6 s, more, m/s", fmax(0, there - here), 0.01);
    }
}

void law_everyday_rotation(law_report *report)
{
    static const double angles[][3] = {{30, 40, 50}, {90, 0, 0}, {0, -120, 200}};
    for (size_t k = 0; k < (report->quick ? 1 : 3); ++k) {
        scene round = HELD;
        char subject[80];
        round.rotation = law_v3(angles[k][0], angles[k][1], angles[k][2]);
        snprintf(subject, sizeof subject, "denim, turned by %g, %g, %g deg", angles[k][0], angles[k][1], angles[k][2]);
        same_as(report, subject, &HELD, &round, 0.5, 0.01);
    }
}

void law_everyday_scale(law_report *report)
{
    static const double widths[] = {0.01, 10, 0.1};
    for (size_t k = 0; k < (report->quick ? 2 : 3); ++k) {
        scene large = HELD;
        char subject[80];
        large.scale = widths[k] / SCENE_WIDTH;
        snprintf(subject, sizeof subject, "similar to denim, %g m wide", widths[k]);
        same_as(report, subject, &HELD, &large, 0.5, 0.01);
    }
}

/* ---- how often it is drawn, how it is meshed --------------------------------------------------------------------- */

/* Far into a swing the difference is large: implicit Euler is of first order. It shrinks with the step. */
static void order_of_swing(law_report *report)
{
    static const double rates[] = {60, 120, 240};
    static tl_vec3 right[SCENE_COUNT], x[SCENE_COUNT];
    const double seconds = 0.5;
    double step[3], error[3];
    scene s = HELD;
    s.rate = 960;
    bool done = run_scene(report, "denim, swinging", &s, seconds, right, NULL);
    for (int k = 0; k < 3 && done; ++k) {
        char quantity[64];
        s.rate = rates[k];
        done = run_scene(report, "denim, swinging", &s, seconds, x, NULL);
        step[k] = 1 / rates[k];
        error[k] = apart(x, right);
        snprintf(quantity, sizeof quantity, "after 0.5 s, %.0f to 960 Hz, rms / width", rates[k]);
        if (done)
            law_note(report, "denim, swinging", quantity, NAN, error[k],
                     "implicit Euler damps what swings by its step");
    }
    if (done)
        law_within(report, "denim, swinging", "order of that difference", 1, law_slope(step, error, 3), 0.3);
}

void law_everyday_rate(law_report *report)
{
    static const double rates[] = {24, 144, 48, 120};
    for (size_t k = 0; k < (report->quick ? 2 : 4); ++k) {
        scene other = HELD;
        char subject[80];
        other.rate = rates[k];
        snprintf(subject, sizeof subject, "denim, swinging, %g and 60 Hz", rates[k]);
        same_as(report, subject, &HELD, &other, 0.25, 0.05);
    }
    if (!report->quick)
        order_of_swing(report);
}

/* Depth of the lowest point of a hanging sheet below its corners, m. */
static double depth_of(law_report *report, const char *subject, int side, const char *diagonals)
{
    tl_world_def world = tl_world_def_default();
    tl_pin_def pins[2];
    tl_cloth_def def = everyday_curtain("denim", side, SCENE_WIDTH, pins);
    def.diagonals = diagonals;
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return NAN;
    double top = (double)t.x[0].y, lowest = top;
    bool done = everyday_draw_corners(&t, side, SCENE_WIDTH, EVERYDAY_RATE) &&
                everyday_settle(&t, EVERYDAY_RATE, SCENE_WIDTH, 5);
    for (int i = 0; i < t.count; ++i)
        lowest = fmin(lowest, (double)t.x[i].y);
    trial_end(&t);
    return done ? top - lowest : NAN;
}

void law_everyday_mesh(law_report *report)
{
    enum { BASE = 21 };
    static const int sides[] = {11, BASE, 31};
    static const char *const diagonals[] = {"one", "alternating"};
    double base = depth_of(report, "denim", BASE, diagonals[0]);
    for (size_t k = 0; k < (report->quick ? 2 : 3); ++k)
        for (int d = 0; d < 2; ++d) {
            char subject[80];
            if ((sides[k] == BASE && d == 0) || (report->quick && sides[k] != BASE && d == 1))
                continue;
            snprintf(subject, sizeof subject, "denim, %d x %d, diagonals %s", sides[k], sides[k], diagonals[d]);
            law_near(report, subject, "lowest point of a hung sheet, m", base,
                     depth_of(report, subject, sides[k], diagonals[d]), 0.03);
        }
}
