/* Air: a sheet that falls flat, and a flag.

   Drag of a flag is the sum of the forces on all its particles along the wind: internal forces cancel, weight has no
   component along the wind, so the sum is the force of the air (tl_cloth_forces). */
#include "cli/validate/law.h"

#include <math.h>
#include <string.h>

static const double AIR_DENSITY = 1.225; /* kg/m³ */

/* ---- terminal speed ------------------------------------------------------------------------------------------ */

void law_air_terminal(law_report *report)
{
    static const char *const models[] = {"particle", "face"};
    const double density = 0.2, drag = 1.2, dt = 1.0 / 60;
    const double expected = sqrt(2 * density * LAW_GRAVITY / (AIR_DENSITY * drag));
    law_curve curve = law_curve_start(report, "air-terminal", "Sheet that falls flat", "t, s", "speed, m/s", false);
    for (size_t m = 0; m < 2; ++m)
        for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper) {
            char subject[56];
            snprintf(subject, sizeof subject, "%s, %s", stepper->name, models[m]);
            tl_world_def world = trial_vacuum(LAW_GRAVITY);
            tl_cloth_def def = trial_grid(7, 7, 0.6, 0.6);
            world.wind.air_density = (tl_real)AIR_DENSITY;
            def.plane = "horizontal";
            def.air = models[m];
            def.drag = (tl_real)drag;
            def.density = (tl_real)density;
            def.elements.link_structural = trial_element(50, 0.05);
            def.elements.link_shear = trial_element(10, 0.05);
            trial_stepper(&def, stepper->name, 16);
            trial t;
            if (!trial_make(&t, report, subject, &world, &def))
                continue;
            bool done = true;
            double speed = NAN;
            for (int f = 0; f < 120 && done; ++f) {
                double sum = 0;
                done = trial_step(&t, dt, 1);
                for (int i = 0; i < t.count; ++i)
                    sum -= (double)t.v[i].y;
                speed = sum / t.count;
                if (strcmp(stepper->name, "verlet") == 0)
                    law_curve_point(&curve, models[m], (f + 1) * dt, speed);
            }
            if (done)
                law_near(report, subject, "speed after 2 s, m/s", expected, speed, 0.01);
            trial_end(&t);
        }
    for (int f = 0; f <= 120; ++f)
        law_curve_point(&curve, "=v tanh(g t / v)", f * dt, expected * tanh(LAW_GRAVITY * f * dt / expected));
    law_curve_end(&curve);
}

/* ---- flag ---------------------------------------------------------------------------------------------------- */

enum { FLAG_COLUMNS = 11, FLAG_ROWS = 7 };
static const double FLAG_WIDTH = 1.2, FLAG_HEIGHT = 0.8; /* m */

typedef struct flag_motion {
    double reach;   /* mean distance of the free edge from the pole, in widths */
    double flutter; /* rms over time and the free edge of the sideways displacement about each particle's mean, m */
    double drag;    /* mean force along the wind, N */
    double kinetic; /* mean, J */
} flag_motion;

/* A flag on a pole along y at x = 0 and how it is flown: for `settle` seconds, then watched for `watch`. */
typedef struct flight {
    const law_stepper *stepper;
    const char *air, *wind;
    double speed, settle, watch; /* m/s along x, s, s */
    double scale; /* 1; gravity and stiffness grow with its square, damping with it: similar in wind ∝ scale */
} flight;

static bool fly(law_report *report, const char *subject, const flight *f, flag_motion *motion, law_curve *curve)
{
    const double square = f->scale * f->scale;
    tl_world_def world = trial_vacuum(LAW_GRAVITY * square);
    tl_cloth_def def = trial_grid(FLAG_COLUMNS, FLAG_ROWS, FLAG_WIDTH, FLAG_HEIGHT);
    tl_pin_def pin = trial_pin("left");
    world.wind.air_density = (tl_real)AIR_DENSITY;
    world.wind.kind = f->wind;
    world.wind.velocity = law_v3(f->speed, 0, 0);
    world.wind.gust_strength = 0; /* gusts have a fixed period, which would not scale with the wind */
    world.wind.eddy_strength = (tl_real)0.3;
    def.center = law_v3(FLAG_WIDTH / 2, 0, 0);
    def.ripple = (tl_real)0.01;
    def.air = f->air;
    def.density = (tl_real)0.15;
    /* stiff enough that the wind does not stretch it: at 16 m/s by a few per cent */
    def.elements.link_structural = trial_element(1000 * square, 0.4 * f->scale);
    def.elements.link_shear = trial_element(200 * square, 0.08 * f->scale);
    if (!f->stepper->rigid) /* inextensible bend links would make it a board */
        def.elements.link_bend = trial_element(0.1 * square, 4e-5 * f->scale);
    /* steppers that gain energy do so in transverse waves, which links do not damp */
    trial_stepper(&def, f->stepper->name, f->stepper->gains ? 96 : f->stepper->order == 4 ? 20 : 36);
    if (f->stepper->implicit) { /* only centimetres matter here */
        def.newton = 8;
        def.solver_tolerance = (tl_real)1e-5;
    }
    /* comes to rest in calm air; in wind only the air and the links brake it */
    def.damping = f->speed > 0 ? 0 : 1;
    def.pins = &pin;
    def.pin_count = 1;
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return false;
    const double dt = 1.0 / 60 / f->scale; /* eddies are sampled once a frame: frames scale as all times do */
    int frames = (int)(f->watch / dt), samples = frames * FLAG_ROWS;
    double sum[FLAG_ROWS] = {0}, squares = 0;
    *motion = (flag_motion){0};
    bool done = trial_step(&t, dt, (int)(f->settle / dt));
    for (int n = 0; n < frames && done; ++n) {
        done = trial_step(&t, dt, 1);
        for (int r = 0; r < FLAG_ROWS; ++r) {
            tl_vec3 x = t.x[r * FLAG_COLUMNS + FLAG_COLUMNS - 1];
            motion->reach += (double)x.x / FLAG_WIDTH / samples;
            sum[r] += (double)x.z / frames;
            squares += (double)x.z * (double)x.z / samples;
        }
        const tl_vec3 *force = tl_cloth_forces(t.cloth);
        double total = 0;
        for (int i = 0; i < t.count; ++i)
            total += (double)force[i].x;
        motion->drag += total / frames;
        motion->kinetic += tl_cloth_energies(t.cloth).kinetic / frames;
        if (curve)
            law_curve_point(curve, f->wind, n * dt, (double)t.x[FLAG_COLUMNS * (FLAG_ROWS / 2 + 1) - 1].z);
    }
    for (int r = 0; r < FLAG_ROWS; ++r)
        squares -= sum[r] * sum[r] / FLAG_ROWS;
    motion->flutter = sqrt(fmax(0, squares));
    trial_end(&t);
    return done;
}

static const char *const air_models[] = {"particle", "face"};

void law_air_flag(law_report *report)
{
    law_curve curve = law_curve_start(report, "air-flag", "Free edge of a flag, per face", "t, s", "z, m", false);
    double watch = report->quick ? 2 : 3;
    for (size_t m = 0; m < 2; ++m)
        for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper) {
            char subject[56];
            flag_motion still, wind;
            bool first = strcmp(stepper->name, "verlet") == 0; /* runs both models, the others one */
            law_curve *drawn = m == 1 && first ? &curve : NULL;
            if (!first && (report->quick || m == 0))
                continue;
            snprintf(subject, sizeof subject, "%s, %s", stepper->name, air_models[m]);
            flight calm = {stepper, air_models[m], "still", 0, 8, 1, 1};
            flight windy = {stepper, air_models[m], "turbulent", 10, 2, watch, 1};
            if (!fly(report, subject, &calm, &still, drawn) || !fly(report, subject, &windy, &wind, drawn))
                continue;
            law_below(report, subject, "calm: reach of the free edge", still.reach, 0.5);
            law_below(report, subject, "calm: flutter, m", still.flutter, 0.01);
            law_below(report, subject, "calm: kinetic energy, J", still.kinetic, 1e-3);
            law_above(report, subject, "10 m/s: reach of the free edge", wind.reach, 0.75);
            law_above(report, subject, "10 m/s: flutter, m", wind.flutter, 0.03);
        }
    law_curve_end(&curve);
}

/* Twice the wind is four times the force exactly when all else scales too. The same flag is then stiffer against the
   slower wind, which adds a few per cent. */
static void drag_case(law_report *report, law_curve *curve, const char *air, bool similar)
{
    enum { SLOW = 8, FAST = 16 }; /* m/s */
    /* m of air that passes by: the same eddies at both speeds */
    const double settle = 16, watch = report->quick ? 48 : 96;
    const law_stepper *verlet = law_steppers;
    while (strcmp(verlet->name, "verlet") != 0)
        ++verlet;
    char subject[56];
    flag_motion slow, fast;
    flight slower = {verlet, air, "turbulent", SLOW, settle / SLOW, watch / SLOW, similar ? (double)SLOW / FAST : 1};
    flight faster = {verlet, air, "turbulent", FAST, settle / FAST, watch / FAST, 1};
    snprintf(subject, sizeof subject, "verlet, %s, %s", air, similar ? "similar flag" : "same flag");
    if (!fly(report, subject, &slower, &slow, NULL) || !fly(report, subject, &faster, &fast, NULL))
        return;
    law_curve_point(curve, subject, SLOW, slow.drag);
    law_curve_point(curve, subject, FAST, fast.drag);
    law_near(report, subject, "mean drag at 16 over 8 m/s", 4, fast.drag / slow.drag, similar ? 0.01 : 0.1);
}

void law_air_drag(law_report *report)
{
    law_curve curve = law_curve_start(report, "air-drag", "Mean drag of a flag, Verlet", "wind, m/s", "drag, N", true);
    for (size_t m = 0; m < 2; ++m)
        for (int similar = 1; similar >= (report->quick ? 1 : 0);
             --similar) /* the same flag needs the long observation */
            drag_case(report, &curve, air_models[m], similar != 0);
    law_curve_end(&curve);
}
