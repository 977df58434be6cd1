/* What the laws of `telar validate` share: rows of the table, fits, trial worlds and curves.

   A law is one function and one line in laws.inl. It builds small worlds through the public interface only, runs them,
   and reports rows: expected and measured values, error and tolerance. Every law runs in the single- and in the
   double-precision build, with a tolerance for each (law_pick). */
#ifndef TELAR_CLI_VALIDATE_LAW_H
#define TELAR_CLI_VALIDATE_LAW_H

#include "cli/plot.h"
#include "telar/telar.h"

#define LAW_PI 3.14159265358979323846
#define LAW_GRAVITY 9.81 /* m/s² */

/* ---- the table ---------------------------------------------------------------------------------------------- */

typedef enum law_verdict {
    LAW_PASS,
    LAW_FAIL,
    LAW_NOTE /* measured and shown, nothing is claimed */
} law_verdict;

typedef struct law_row {
    const char *section, *law;
    char subject[56];  /* stepper, material, element … */
    char quantity[48]; /* with its unit */
    char expected[24];
    double measured, error, tolerance; /* NAN where there is none */
    law_verdict verdict;
    char remark[TL_ERROR_LENGTH]; /* "" when there is nothing to add */
} law_row;

typedef struct law_report {
    const char *section, *law; /* currently running */
    plot_folder plots;
    bool quick; /* CI: fewer and shorter runs */
    law_row *rows;
    int count, capacity;
    int failed;
    void (*added)(const law_row *row); /* called for each row when added; may be NULL */
} law_report;

typedef struct law {
    const char *section, *name;
    const char *help; /* the law in one line */
    void (*run)(law_report *report);
} law;

extern const law law_list[];
extern const int law_count;

/* measured = expected within a relative tolerance */
void law_near(law_report *report, const char *subject, const char *quantity, double expected, double measured,
              double tolerance);
/* measured = expected within an absolute tolerance */
void law_within(law_report *report, const char *subject, const char *quantity, double expected, double measured,
                double tolerance);
/* 0 ≤ measured ≤ limit, and ≥ limit */
void law_below(law_report *report, const char *subject, const char *quantity, double measured, double limit);
void law_above(law_report *report, const char *subject, const char *quantity, double measured, double limit);
/* shown without verdict; `expected` may be NAN */
void law_note(law_report *report, const char *subject, const char *quantity, double expected, double measured,
              const char *remark);
/* the law could not be tested */
void law_broken(law_report *report, const char *subject, const char *reason);

/* Claimed properties of a stepper. A new stepper is tested by the laws once it has a line in law.c. */
typedef struct law_stepper {
    const char *name;
    int order;       /* of accuracy */
    int fall;        /* free fall: x = g t²/2 (1 + fall/n) after n substeps */
    bool lags;       /* velocities are at the middle of the last substep */
    bool symplectic; /* conserves angular momentum exactly, and energy without drift */
    bool gains;      /* adds energy to every oscillation: needs damping or small substeps */
    bool implicit;   /* solves equations: laws need the full solution, not what looks right */
    int rounds;      /* Newton iterations where an approximate matrix needs more than 20, else 0 */
    int sweeps;      /* of a position-based stepper where a law needs its constraints solved, else 0 */
    bool rigid;      /* inextensible whatever the stiffness: laws of elasticity are shown without a claim */
} law_stepper;
extern law_stepper law_steppers[]; /* ends with a NULL name */
/* Implicit steppers solve to a tolerance that only double precision has, and take long: for full runs in double. */
void law_leave_out_implicit(void);
/* The line of a stepper. */
const law_stepper *law_stepper_named(const char *name);
/* A stepper that exists and has no line there, or NULL; counted from 0. */
const char *law_unclaimed_stepper(int index);

static inline bool law_is_double(void) { return sizeof(tl_real) == sizeof(double); }
/* The value for the precision of this build. */
static inline double law_pick(double in_double, double in_float) { return law_is_double() ? in_double : in_float; }

/* ---- numbers ------------------------------------------------------------------------------------------------- */

/* Least squares y = a + b x; returns b, and a through `offset` (may be NULL). */
double law_fit(const double *x, const double *y, int count, double *offset);
/* Slope of log y over log x. */
double law_slope(const double *x, const double *y, int count);
double law_mean(const double *y, int count);
/* Seeded, in −1 … 1. */
double law_random(unsigned seed, unsigned index);
/* Mean time between upward zero crossings of samples `dt` apart, s; NAN with fewer than two. */
double law_period(const double *y, int count, double dt);
/* Drop over reach of a strip clamped level at one end under its own weight, Γ = ρ_A g L³/B. */
double law_elastica(double gamma);

static inline tl_vec3 law_v3(double x, double y, double z) { return (tl_vec3){(tl_real)x, (tl_real)y, (tl_real)z}; }
double law_dot(tl_vec3 a, tl_vec3 b);
double law_distance(tl_vec3 a, tl_vec3 b);

/* ---- trial worlds -------------------------------------------------------------------------------------------- */

typedef struct trial {
    law_report *report;
    const char *subject;
    tl_world *world;
    tl_cloth *cloth;
    int count;            /* vertices */
    const tl_vec3 *x, *v; /* refreshed by trial_step */
    const tl_real *m;
} trial;

/* Gravity down, still air of density 0. */
tl_world_def trial_vacuum(double gravity);
/* A vertical grid without elements, air, contact and damping: laws switch on what they need. */
tl_cloth_def trial_grid(int columns, int rows, double width, double height);
/* The stepper by name, with the sweeps it needs to solve its constraints. Position-based steppers are stable with
   larger substeps, and take velocities from positions, which single precision rounds by ε|x|/h: a quarter of the
   substeps. Implicit ones are stable too, and each of their substeps takes long: the same. */
void trial_stepper(tl_cloth_def *def, const char *name, int substeps);
tl_element_def trial_element(double stiffness, double damping);
tl_pin_def trial_pin(const char *edge);

/* Creates world and cloth; on failure adds a failed row and returns false. `world_def` may be NULL: a vacuum with
   gravity. */
bool trial_make(trial *t, law_report *report, const char *subject, const tl_world_def *world_def,
                const tl_cloth_def *cloth_def);
/* Sets a material by name, as a user would. */
bool trial_material(trial *t, const char *material);
tl_body *trial_body(trial *t, const tl_body_def *def);
bool trial_state(trial *t, const tl_vec3 *x, const tl_vec3 *v);
/* Frames of dt; false with a failed row as soon as one is unstable. */
bool trial_step(trial *t, double dt, int frames);
void trial_refresh(trial *t);
void trial_end(trial *t);

/* Memory for a law's samples; ends the program when there is none. */
void *law_memory(size_t count, size_t size);

/* ---- curves: cli/plot.h, in the report's folder ----------------------------------------------------------------- */

typedef plot_curve law_curve;

static inline law_curve law_curve_start(law_report *report, const char *name, const char *title, const char *x_label,
                                        const char *y_label, bool logarithmic)
{
    return plot_start(&report->plots, name, title, x_label, y_label, logarithmic);
}
static inline void law_curve_point(law_curve *curve, const char *name, double x, double y)
{
    plot_point(curve, name, x, y);
}
static inline void law_curve_end(law_curve *curve) { plot_end(curve); }

#endif
