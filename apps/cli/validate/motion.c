/* Motion and integrators: each stepper on free fall, momenta, oscillators, a pendulum and a cloth at rest.

   The oscillator of most laws is a cloth of 2 × 2 particles of mass m with structural links of stiffness k whose
   columns move apart and together: the horizontal links get longer by 2s, the vertical ones keep their length, so m s''
   = −2 k s exactly, ω² = 2k/m. With damping c along the links ζ = c/(m ω), with the cloth's own rate γ ζ = γ/(2ω).

   Verlet's velocity is that of the middle of the last substep; where a law needs it at the end, the velocities before
   and after that moment are averaged. */
#include "cli/validate/law.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* ---- free fall ---------------------------------------------------------------------------------------------- */

/* Steps of h until t = n h; then the velocity at that moment, corrected for Verlet's lag. */
static bool fall(trial *t, bool lags, double h, int n, double *drop, double *speed)
{
    double start = (double)t->x[0].y;
    if (!trial_step(t, h, n))
        return false;
    *drop = start - (double)t->x[0].y;
    *speed = -(double)t->v[0].y;
    if (lags) {
        if (!trial_step(t, h, 1))
            return false;
        *speed = 0.5 * (*speed - (double)t->v[0].y);
    }
    return true;
}

void law_motion_fall(law_report *report)
{
    enum { STEPS = 600 };
    double h = (double)(tl_real)(1.0 / 600), time = STEPS * h;
    double tolerance = law_pick(1e-12, 1e-5);
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper) {
        tl_cloth_def def = trial_grid(3, 3, 1, 1);
        trial_stepper(&def, stepper->name, 1);
        double drop, speed, g = (double)(tl_real)LAW_GRAVITY, exact = 0.5 * g * time * time;
        trial t;
        if (!trial_make(&t, report, stepper->name, NULL, &def))
            continue;
        if (fall(&t, stepper->lags, h, STEPS, &drop, &speed)) {
            const char *quantity = stepper->fall > 0   ? "x = g t^2/2 (1 + 1/n), m"
                                   : stepper->fall < 0 ? "x = g t^2/2 (1 - 1/n), m"
                                                       : "x = g t^2/2, m";
            law_near(report, stepper->name, "v after 1 s = g t, m/s", g * time, speed, tolerance);
            law_near(report, stepper->name, quantity, exact * (1 + (double)stepper->fall / STEPS), drop, tolerance);
        }
        trial_end(&t);
    }
}

/* ---- momentum ----------------------------------------------------------------------------------------------- */

typedef struct momenta {
    tl_vec3 linear, angular;
    double linear_scale, angular_scale; /* sums of magnitudes, the reference for rounding */
} momenta;

static momenta momenta_of(trial *t)
{
    momenta sum = {tl_cloth_momentum(t->cloth), tl_cloth_angular_momentum(t->cloth), 0, 0};
    for (int i = 0; i < t->count; ++i) {
        double size = (double)t->m[i] * sqrt(law_dot(t->v[i], t->v[i]));
        sum.linear_scale += size;
        sum.angular_scale += size * sqrt(law_dot(t->x[i], t->x[i]));
    }
    return sum;
}

/* A sheet of 8 × 8, bent out of shape and thrown with noise, moves freely for `time`; drifts relative to the sums of
   magnitudes. */
static bool momentum_drift(law_report *report, const char *subject, const law_stepper *stepper, const char *material,
                           double h, double time, double *linear, double *angular)
{
    enum { N = 8 };
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = trial_grid(N, N, 1, 1);
    tl_vec3 x[N * N], v[N * N];
    def.elements = tl_cloth_def_default().elements;
    def.elements.link_structural = trial_element(200, 0.01);
    def.elements.link_shear = trial_element(60, 0.01);
    def.elements.link_bend = trial_element(1, 0.005);
    trial_stepper(&def, stepper->name, 1);
    def.density = (tl_real)0.5;
    double bent = stepper->rigid ? 0 : 1; /* inextensible steppers would snap back into shape in one substep */
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return false;
    for (unsigned i = 0; i < N * N; ++i) {
        x[i] = t.x[i];
        x[i].x += (tl_real)(bent * 0.007 * law_random(1, 3 * i));
        x[i].y += (tl_real)(bent * 0.007 * law_random(1, 3 * i + 1));
        x[i].z += (tl_real)(bent * 0.03 * law_random(1, 3 * i + 2));
        /* turning about z and moving, with noise */
        v[i] = law_v3(-2 * (double)x[i].y + 0.3 * law_random(2, 3 * i) + 0.5,
                      2 * (double)x[i].x + 0.3 * law_random(2, 3 * i + 1), 0.3 * law_random(2, 3 * i + 2));
    }
    bool done = trial_material(&t, material) && trial_state(&t, x, v);
    momenta before = {0};
    if (done)
        before = momenta_of(&t);
    done = done && trial_step(&t, h, (int)(time / h + 0.5));
    if (done) {
        momenta after = momenta_of(&t);
        *linear = law_distance(after.linear, before.linear) / before.linear_scale;
        *angular = law_distance(after.angular, before.angular) / before.angular_scale;
    }
    trial_end(&t);
    return done;
}

/* Positions near 1 m are rounded by ε in every correction, which is a velocity of ε/h; they add up as a random walk,
   averaged over N particles. */
static double momentum_rounding(const law_stepper *stepper, double h, double time)
{
    enum { LINKS = 12, PARTICLES = 64 }; /* links that move a particle in a sweep; particles of the sheet */
    const double speed = 2;              /* m/s, about */
    double steps = time / h, epsilon = law_pick(0x1p-53, 0x1p-24);
    return 4 * epsilon * sqrt(steps * stepper->sweeps * LINKS / PARTICLES) / (h * speed);
}

static void momentum_case(law_report *report, const law_stepper *stepper, const char *material)
{
    enum { SIZES = 3 };
    const double time = 1.0 / 32, first = 1.0 / 16384;
    char subject[56];
    double h[SIZES], linear[SIZES], angular[SIZES];
    snprintf(subject, sizeof subject, "%s, %s", stepper->name, material);
    for (int k = 0; k < SIZES; ++k) {
        /* the fourth order must show above rounding, the first order without the next one, constraints in
           single precision above rounding */
        h[k] = ldexp(stepper->sweeps && !law_is_double() ? 16 * first : stepper->order > 1 ? 4 * first : first, -k);
        if (!momentum_drift(report, subject, stepper, material, h[k], time, &linear[k], &angular[k]))
            return;
    }
    /* implicit steppers leave the residual of their equations */
    double rounding =
        stepper->sweeps ? momentum_rounding(stepper, h[0], time) : law_pick(stepper->implicit ? 1e-11 : 1e-13, 1e-5);
    law_below(report, subject, "drift of linear momentum", linear[0], rounding);
    if (stepper->symplectic) {
        law_below(report, subject, "drift of angular momentum", angular[0], law_pick(1e-13, 1e-5));
    } else if (stepper->sweeps && (stepper->rigid || !law_is_double())) {
        law_note(report, subject, "drift of angular momentum", NAN, angular[0],
                 stepper->rigid ? "what constraints take out of rest at once turns with it"
                                : "judged in the double build");
    } else if (stepper->order == 1) {
        law_within(report, subject, "order in h of angular drift", 1, law_slope(h, angular, SIZES), 0.1);
    } else if (stepper->order == 2) {
        if (law_is_double())
            law_above(report, subject, "order in h of angular drift, 2 or better", law_slope(h, angular, SIZES), 1.9);
    } else {
        law_below(report, subject, "drift of angular momentum", angular[0], law_pick(1e-7, 1e-5));
        if (law_is_double())
            law_above(report, subject, "its order in h, 4 or better", law_slope(h, angular, SIZES), 3.9);
    }
}

void law_motion_momentum(law_report *report)
{
    static const char *const materials[] = {"springs", "springs20", "continuum"};
    for (size_t m = 0; m < sizeof materials / sizeof *materials; ++m)
        for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper)
            momentum_case(report, stepper, materials[m]);
}

/* ---- oscillator --------------------------------------------------------------------------------------------- */

typedef struct oscillator {
    trial t;
    double omega;        /* 1/s */
    double place, speed; /* m, m/s */
} oscillator;

static const double OSCILLATOR_WIDTH = 1, OSCILLATOR_MASS = 1, OSCILLATOR_STIFFNESS = 2 * LAW_PI * LAW_PI; /* ω = 2π */
static const double AMPLITUDE = 0.0625; /* m; a power of two, so that it is exact in single precision */

static void oscillator_read(oscillator *o)
{
    o->place = 0.5 * ((double)o->t.x[1].x - (double)o->t.x[0].x - OSCILLATOR_WIDTH);
    o->speed = 0.5 * ((double)o->t.v[1].x - (double)o->t.v[0].x);
}

static bool oscillator_make(oscillator *o, law_report *report, const char *subject, const char *stepper, int substeps,
                            double link_damping, double rate, double speed)
{
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = trial_grid(2, 2, OSCILLATOR_WIDTH, OSCILLATOR_WIDTH);
    def.elements.link_structural = trial_element(OSCILLATOR_STIFFNESS, link_damping);
    def.particle_mass = (tl_real)OSCILLATOR_MASS;
    trial_stepper(&def, stepper, substeps);
    def.substeps = substeps; /* laws of the step itself */
    def.damping = (tl_real)rate;
    if (!trial_make(&o->t, report, subject, &world, &def))
        return false;
    tl_vec3 x[4], v[4];
    for (int i = 0; i < 4; ++i) {
        double side = i % 2 ? 1 : -1;
        x[i] = o->t.x[i];
        x[i].x += (tl_real)(side * AMPLITUDE);
        v[i] = law_v3(side * speed, 0, 0);
    }
    o->omega = sqrt(2 * (double)def.elements.link_structural.stiffness / OSCILLATOR_MASS);
    bool done = trial_state(&o->t, x, v);
    oscillator_read(o);
    if (!done)
        trial_end(&o->t);
    return done;
}

static bool oscillator_step(oscillator *o, double dt, int frames)
{
    bool done = trial_step(&o->t, dt, frames);
    oscillator_read(o);
    return done;
}

/* The same, and the speed is that of the end of the step (costs one more step with Verlet, after which o is one
   ahead). */
static bool oscillator_step_synchronised(oscillator *o, double h, int frames)
{
    if (!oscillator_step(o, h, frames))
        return false;
    if (is(tl_cloth_get_def(o->t.cloth)->stepper, "verlet")) {
        double place = o->place, speed = o->speed;
        if (!oscillator_step(o, h, 1))
            return false;
        o->place = place;
        o->speed = 0.5 * (speed + o->speed);
    }
    return true;
}

void law_motion_order(law_report *report)
{
    enum { SIZES = 6, COARSE = 32 }; /* steps per period */
    const double v0 = AMPLITUDE * 2;
    law_curve curve = law_curve_start(report, "motion-order", "Oscillator: error after 1.3 periods", "steps per period",
                                      "error / amplitude", true);
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper) {
        double h[SIZES], error[SIZES];
        bool done = !stepper->rigid; /* inextensible links do not oscillate */
        for (int k = 0; k < SIZES && done; ++k) {
            oscillator o;
            int per_period = COARSE << k, steps = per_period / 32 * 42;
            h[k] = 1.0 / per_period;
            if (!oscillator_make(&o, report, stepper->name, stepper->name, 1, 0, 0, v0)) {
                done = false;
                break;
            }
            done = oscillator_step_synchronised(&o, h[k], steps);
            double phase = o.omega * steps * h[k];
            double place = AMPLITUDE * cos(phase) + v0 / o.omega * sin(phase);
            double speed = -AMPLITUDE * o.omega * sin(phase) + v0 * cos(phase);
            error[k] = hypot(o.place - place, (o.speed - speed) / o.omega) / AMPLITUDE;
            law_curve_point(&curve, stepper->name, per_period, error[k]);
            trial_end(&o.t);
        }
        if (!done)
            continue;
        double slope = law_slope(h + 2, error + 2, SIZES - 2);
        if (law_is_double())
            law_within(report, stepper->name, "order in h", stepper->order, slope, 0.1);
        else
            law_note(report, stepper->name, "order in h", stepper->order, law_slope(h, error, 3),
                     "single precision: rounding takes over at small steps; judged in the double build");
    }
    law_curve_end(&curve);
}

/* ---- damped oscillator --------------------------------------------------------------------------------------- */

static double damped_solution(double omega, double zeta, double s0, double t)
{
    double decay = zeta * omega;
    if (zeta < 1) {
        double wd = omega * sqrt(1 - zeta * zeta);
        return exp(-decay * t) * s0 * (cos(wd * t) + decay / wd * sin(wd * t));
    }
    if (zeta > 1) {
        double root = omega * sqrt(zeta * zeta - 1), slow = -decay + root, fast = -decay - root;
        return s0 * (slow * exp(fast * t) - fast * exp(slow * t)) / (slow - fast);
    }
    return s0 * (1 + omega * t) * exp(-omega * t);
}

static void damped_case(law_report *report, law_curve *curve, const law_stepper *stepper, double zeta, bool links)
{
    enum { FRAMES = 96 }; /* three periods */
    /* as small as the order needs, but large enough that the motion stays above single-precision rounding */
    const int substeps = stepper->order == 4 ? 4 : stepper->sweeps && !law_is_double() ? 16 : 128;
    char subject[56], series[64], theory[64];
    snprintf(subject, sizeof subject, "%s, %s damping", stepper->name, links ? "link" : "cloth");
    oscillator o;
    double mass_rate = 2 * zeta * 2 * LAW_PI; /* γ = 2 ζ ω; c = γ m / 2 */
    if (!oscillator_make(&o, report, subject, stepper->name, substeps, links ? mass_rate * OSCILLATOR_MASS / 2 : 0,
                         links ? 0 : mass_rate, 0))
        return;
    double worst = 0, dt = 1.0 / 32;
    bool done = true, drawn = links && is(stepper->name, "verlet");
    snprintf(series, sizeof series, "zeta = %g", zeta);
    for (int f = 1; f <= FRAMES && done; ++f) {
        done = oscillator_step(&o, dt, 1);
        double expected = damped_solution(o.omega, zeta, AMPLITUDE, f * dt);
        worst = fmax(worst, fabs(o.place - expected) / AMPLITUDE);
        if (drawn)
            law_curve_point(curve, series, f * dt, o.place / AMPLITUDE);
    }
    snprintf(theory, sizeof theory, "=theory %g", zeta);
    for (int f = 0; drawn && f <= FRAMES; ++f)
        law_curve_point(curve, theory, f * dt, damped_solution(o.omega, zeta, 1, f * dt));
    char quantity[48];
    snprintf(quantity, sizeof quantity, "zeta = %g: error / amplitude", zeta);
    /* 4096 substeps a period: ωh/2 = 8e-4 times a few. Verlet's friction is S0's, with the velocity half a substep old:
       its order is one too. Fourth order at 128: (ωh)⁴/120 = 5e-8 times a few. Constraints in single precision:
       512 a period, since a length of 1 m is rounded by 6e-8 in each */
    double limit = stepper->order == 4 ? law_pick(1e-6, 1e-4) : stepper->sweeps ? law_pick(5e-3, 3e-2) : 5e-3;
    if (done)
        law_below(report, subject, quantity, worst, limit);
    trial_end(&o.t);
}

void law_motion_damped(law_report *report)
{
    static const double zetas[] = {0.1, 1, 2};
    law_curve curve =
        law_curve_start(report, "motion-damped", "Damped oscillator, Verlet", "t, s", "s / amplitude", false);
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper)
        for (int links = 1; links >= 0 && !stepper->rigid; --links)
            for (size_t k = 0; k < sizeof zetas / sizeof *zetas; ++k)
                damped_case(report, &curve, stepper, zetas[k], links != 0);
    law_curve_end(&curve);
}

/* ---- pendulum ------------------------------------------------------------------------------------------------ */

static double agm(double a, double b)
{
    while (fabs(a - b) > 1e-15 * a) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

/* A cell pinned at its upper edge swings about it: both lower particles are pendulums of length L. Their links are so
   stiff that they stretch by less than 1e-3, and damped along themselves, which does not damp the swing. */
static double pendulum_period(law_report *report, const char *subject, const char *stepper, double angle,
                              double seconds)
{
    enum { SUBSTEPS = 40 };
    const double length = 1, dt = 0.01, stiffness = 1e5, damping = 200;
    tl_cloth_def def = trial_grid(2, 2, 1, length);
    tl_pin_def pin = trial_pin("top");
    def.elements.link_structural = trial_element(stiffness, damping);
    def.particle_mass = 1;
    trial_stepper(&def, stepper, SUBSTEPS);
    if (def.substeps < SUBSTEPS) /* the loss of constraints in a swing is of first order too */
        def.substeps = SUBSTEPS / 2;
    def.pins = &pin;
    def.pin_count = 1;
    trial t;
    if (!trial_make(&t, report, subject, NULL, &def))
        return NAN;
    tl_vec3 x[4];
    for (int i = 0; i < 4; ++i)
        x[i] = t.x[i];
    for (int i = 2; i < 4; ++i) {
        x[i].y = (tl_real)(0.5 - length * cos(angle));
        x[i].z = (tl_real)(length * sin(angle));
    }
    int frames = (int)(seconds / dt);
    double *z = law_memory((size_t)frames, sizeof *z), period = NAN;
    bool done = trial_state(&t, x, NULL);
    for (int f = 0; f < frames && done; ++f) {
        done = trial_step(&t, dt, 1);
        z[f] = (double)t.x[3].z;
    }
    if (done)
        period = law_period(z, frames, dt);
    free(z);
    trial_end(&t);
    return period;
}

void law_motion_pendulum(law_report *report)
{
    const double small = 2 * LAW_PI / sqrt(LAW_GRAVITY), degree = LAW_PI / 180;
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper)
        for (int angle = 10; angle <= 90; angle += 80) {
            char quantity[48];
            snprintf(quantity, sizeof quantity, "T at %d degrees, s", angle);
            double period = pendulum_period(report, stepper->name, stepper->name, angle * degree, 8);
            law_near(report, stepper->name, quantity, small / agm(1, cos(angle * degree / 2)), period, 0.01);
        }
    law_curve curve = law_curve_start(report, "motion-pendulum", "Period of a pendulum", "largest angle, degrees",
                                      "T / (2 pi sqrt(L/g))", false);
    for (int angle = 10; angle <= 150 && !report->quick; angle += 20)
        law_curve_point(&curve, "verlet", angle,
                        pendulum_period(report, "verlet", "verlet", angle * degree, 14) / small);
    for (int angle = 0; angle <= 150; angle += 5)
        law_curve_point(&curve, "=1 / agm(1, cos(angle/2))", angle, 1 / agm(1, cos(angle * degree / 2)));
    law_curve_end(&curve);
}

/* ---- energy -------------------------------------------------------------------------------------------------- */

/* J: what tl_cloth_energies gives, with the kinetic part from the speed at the end of the step. */
static double oscillator_energy(const oscillator *o, double place, double speed)
{
    double k = o->omega * o->omega * OSCILLATOR_MASS / 2;
    return 0.5 * 4 * OSCILLATOR_MASS * speed * speed + 0.5 * 2 * k * 4 * place * place;
}

enum { ENERGY_STEPS = 32 }; /* substeps per period */

/* Mean energy over one period, J; the kinetic part at the end of each step as above. */
static bool mean_energy(oscillator *o, double *energy)
{
    const double h = 1.0 / ENERGY_STEPS;
    bool lags = is(tl_cloth_get_def(o->t.cloth)->stepper, "verlet");
    double sum = 0, place = 0, speed = 0;
    for (int n = 0; n <= ENERGY_STEPS; ++n) {
        if (!oscillator_step(o, h, 1))
            return false;
        if (n > 0 && lags)
            sum += oscillator_energy(o, place, 0.5 * (speed + o->speed));
        else if (n > 0)
            sum += oscillator_energy(o, o->place, o->speed);
        place = o->place;
        speed = o->speed;
    }
    *energy = sum / ENERGY_STEPS;
    return true;
}

static bool set_substeps(oscillator *o, int substeps)
{
    return tl_cloth_set(o->t.cloth, "substeps", &(tl_value){TL_PARAM_INT, {substeps, 0, 0}, NULL}) == TL_OK;
}

/* Symplectic steppers: the mean energy of the first and the last tenth of 10⁴ periods must agree. */
static void energy_kept(law_report *report, law_curve *curve, const char *stepper)
{
    enum { SAMPLES = 100, TENTH = SAMPLES / 10 };
    int apart = report->quick ? 20 : 100; /* periods */
    double energy[SAMPLES];
    oscillator o;
    if (!oscillator_make(&o, report, stepper, stepper, 1, 0, 0, 0))
        return;
    bool done = true;
    for (int k = 0; k < SAMPLES && done; ++k) {
        done = set_substeps(&o, 1) && mean_energy(&o, &energy[k]);
        if (done)
            law_curve_point(curve, stepper, (k + 0.5) * apart, energy[k] / energy[0]);
        done = done && set_substeps(&o, apart * ENERGY_STEPS) && oscillator_step(&o, apart, 1);
    }
    char quantity[48];
    snprintf(quantity, sizeof quantity, "change of energy in %d periods", SAMPLES * apart);
    if (done)
        law_below(report, stepper, quantity,
                  fabs(law_mean(energy + SAMPLES - TENTH, TENTH) / law_mean(energy, TENTH) - 1), law_pick(1e-3, 1e-2));
    trial_end(&o.t);
}

/* The others: the energy after n steps over the first, against the growth of the scheme for y' = iωy. */
static void energy_changed(law_report *report, law_curve *curve, const char *stepper, const char *quantity,
                           int per_period, int periods, double factor, double tolerance)
{
    oscillator o;
    int steps = per_period * periods;
    if (!oscillator_make(&o, report, stepper, stepper, per_period, 0, 0, 0))
        return;
    double before = oscillator_energy(&o, o.place, o.speed);
    bool done = true;
    for (int n = 1; n <= periods && done; ++n) {
        done = oscillator_step(&o, 1, 1);
        if (done && periods <= 1000)
            law_curve_point(curve, stepper, n, oscillator_energy(&o, o.place, o.speed) / before);
    }
    if (done)
        law_near(report, stepper, quantity, pow(factor, steps), oscillator_energy(&o, o.place, o.speed) / before,
                 tolerance);
    trial_end(&o.t);
}

/* |r|² of BDF2 for y' = iωy, z = ωh: r = (2 + √(1 + 2iz))/(3 − 2iz). It is 1 − z⁴/2 + O(z⁶). */
static double bdf2_factor(double z)
{
    double length = sqrt(1 + 4 * z * z), real = 2 + sqrt((length + 1) / 2), imaginary = sqrt((length - 1) / 2);
    return (real * real + imaginary * imaginary) / (9 + 4 * z * z);
}

void law_motion_energy(law_report *report)
{
    law_curve curve = law_curve_start(report, "motion-energy", "Energy of an oscillator", "periods", "E / E(0)", false);
    curve.log_x = true;
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper)
        if (stepper->symplectic)
            energy_kept(report, &curve, stepper->name);
    double z = 2 * LAW_PI / 1024, z6 = pow(2 * LAW_PI / ENERGY_STEPS, 6), z8 = pow(2 * LAW_PI / ENERGY_STEPS, 8);
    energy_changed(report, &curve, "explicit-euler", "E/E0, 10 periods: gains (1+w2h2)^n", 1024, 10, 1 + z * z,
                   law_pick(1e-9, 1e-3));
    /* its phase-space ellipses are tilted by ωh/2 against those of equal energy */
    energy_changed(report, &curve, "kinematic", "E/E0, 10 periods: gains (1+w2h2/2)^n", 1024, 10, 1 + z * z / 2, 0.01);
    if (law_is_double() && !report->quick) {
        energy_changed(report, &curve, "implicit-euler", "E/E0, 10 periods: loses (1+w2h2)^-n", 1024, 10,
                       1 / (1 + z * z), law_pick(1e-6, 1e-3));
        energy_changed(report, &curve, "bdf2", "E/E0, 100 periods: loses w4h4 n/2", 128, 100,
                       bdf2_factor(2 * LAW_PI / 128), law_pick(1e-4, 1e-2));
    }
    double z2 = pow(2 * LAW_PI / 128, 2);
    energy_changed(report, &curve, "xpbd", "E/E0, 10 periods: loses (1+w2h2)^-n", 128, 10, 1 / (1 + z2), 0.01);
    energy_changed(report, &curve, "rk4", "E/E0, 1000 periods: loses", ENERGY_STEPS, 1000, 1 - z6 / 72 + z8 / 576,
                   law_pick(1e-9, 1e-2));
    law_curve_end(&curve);
}

/* ---- step independence --------------------------------------------------------------------------------------- */

enum { HUNG = 5 }; /* particles along each side */

/* Rest positions of a heavy, soft sheet pinned at two corners. Gravity is 1 m/s²: the links must be soft enough for a
   substep of 1/30 s and still not sag out of shape. */
static bool hang(law_report *report, const char *subject, const char *stepper, bool continuum, int fps, int substeps,
                 double seconds, tl_vec3 *rest)
{
    tl_world_def world = trial_vacuum(1);
    tl_cloth_def def = trial_grid(HUNG, HUNG, 2, 2);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[0].where = pins[1].where = "corner";
    pins[0].name = "top-left";
    pins[1].name = "top-right";
    if (continuum) {
        def.elements.continuum_stretch = trial_element(170, 0);
        def.elements.continuum_shear = trial_element(100, 0);
        def.elements.continuum_bend = trial_element(0.1, 0);
    } else {
        def.elements.link_structural = trial_element(60, 0);
        def.elements.link_shear = trial_element(20, 0);
        def.elements.link_bend = trial_element(5, 0);
    }
    def.particle_mass = 1;
    def.damping = 2;
    trial_stepper(&def, stepper, substeps);
    def.substeps = substeps; /* laws of the step itself */
    def.pins = pins;
    def.pin_count = 2;
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return false;
    bool done = trial_step(&t, 1.0 / fps, (int)(seconds * fps));
    for (int i = 0; i < t.count && done; ++i)
        rest[i] = t.x[i];
    trial_end(&t);
    return done;
}

typedef struct rate {
    int fps, substeps;
} rate;
static const rate rates[] = {{30, 1}, {60, 1}, {240, 1}, {120, 4}, {60, 16}, {30, 64}, {240, 64}};

/* How much the shape of a sheet may change under a position-based stepper with the substep h, in sizes of the sheet. At
   rest each substep corrects a fall of g h²; during its sweeps the directions of links rotate by g h²/l, l the spacing,
   which leaves that fraction of the forces unbalanced. Rounding of positions, ε|x|, is a force of ε|x|/(g h²) of the
   weight. */
static double sweeping_error(double h)
{
    const double gravity = 1, spacing = 2.0 / (HUNG - 1), size = 2, rounding = law_pick(0x1p-53, 0x1p-24) * size;
    return gravity * h * h / spacing + rounding / (gravity * h * h);
}

/* Every rate against semi-implicit Euler at 60 × 8: the largest difference of any particle, in sizes of the sheet. */
static void hang_case(law_report *report, const law_stepper *stepper, bool continuum)
{
    const double seconds = 20;
    tl_vec3 reference[HUNG * HUNG], rest[HUNG * HUNG];
    char subject[56];
    /* steppers that gain energy need more damping than that: γ = 2/s above ω²h or ω²h/2, with ω² up to 800/s² here */
    int slowest = stepper->gains ? 480 : 30;
    bool all = !report->quick && !continuum && (is(stepper->name, "semi-implicit-euler") || is(stepper->name, "xpbd"));
    int most = all ? 20000 : report->quick ? 1000 : stepper->implicit ? 500 : 2000; /* substeps/s */
    if (stepper->sweeps &&
        (report->quick || !law_is_double())) /* rounding of positions, ε|x|, is a force of ε|x|/(g h²) */
        most = 250;
    /* single precision: below v h = 3e-8 m a particle near 1 m no longer moves, so it stops with a force left over */
    const double still = law_pick(1e-6, 5e-4);
    double worst = 0, worst_share = 0; /* the latter relative to what sweeps may leave */
    int tried = 0;
    snprintf(subject, sizeof subject, "%s, %s", stepper->name, continuum ? "continuum" : "springs");
    if (!hang(report, subject, "semi-implicit-euler", continuum, 60, 8, seconds, reference))
        return;
    for (size_t r = 0; r < sizeof rates / sizeof *rates; ++r) {
        int per_second = rates[r].fps * rates[r].substeps;
        if (per_second < slowest || per_second > most)
            continue;
        if (!hang(report, subject, stepper->name, continuum, rates[r].fps, rates[r].substeps, seconds, rest))
            return;
        ++tried;
        double change = 0;
        for (int i = 0; i < HUNG * HUNG; ++i)
            change = fmax(change, law_distance(rest[i], reference[i]) / 2);
        worst = fmax(worst, change);
        worst_share = fmax(worst_share, change / (still + sweeping_error(1.0 / per_second)));
    }
    char quantity[48];
    snprintf(quantity, sizeof quantity, "change of shape, %d rates from %d/s", tried, slowest);
    if (stepper->rigid)
        law_note(report, subject, quantity, 0, worst, "keeps lengths, whatever the stiffness: no sag to compare");
    else if (!stepper->sweeps)
        law_below(report, subject, quantity, worst, still);
    else {
        law_note(report, subject, quantity, 0, worst,
                 "sweeps leave an error of the order of g h^2/l: judged against that");
        law_below(report, subject, "largest change of shape / (g h^2/l)", worst_share, 1);
    }
}

void law_motion_steps(law_report *report)
{
    for (int continuum = 0; continuum < 2; ++continuum)
        for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper)
            if (!(continuum && stepper->rigid)) /* one material is enough for what is not claimed */
                hang_case(report, stepper, continuum != 0);
}
