/* What the laws of the section "everyday" share: worlds and cloths as users make them, in single precision, with named
   fabrics and nothing else set. */
#ifndef TELAR_CLI_VALIDATE_EVERYDAY_H
#define TELAR_CLI_VALIDATE_EVERYDAY_H

#include "cli/validate/law.h"

enum { EVERYDAY_FABRICS = 3, EVERYDAY_RATES = 3 };
extern const char
    *const everyday_fabrics[EVERYDAY_FABRICS];      /* firm, soft, stiff; the first is enough for a quick run */
extern const double everyday_rates[EVERYDAY_RATES]; /* frames per second: film, screen, fast screen */
#define EVERYDAY_RATE 60.0                          /* where a law does not vary it */

/* A horizontal sheet of a fabric at the origin; everything else has its default. */
tl_cloth_def everyday_sheet(const char *fabric, int columns, int rows, double width, double height);
/* The same with the numbers of the fabric written out, to change some of them. */
tl_cloth_def everyday_numbers(const char *fabric, int columns, int rows, double width, double height);
/* A vertical square sheet held by its two upper corners, which everyday_draw_corners brings closer by a fifth of the
   width within half a second, so that it hangs in folds. `pins`: memory for its two pins. */
tl_cloth_def everyday_curtain(const char *fabric, int side, double width, tl_pin_def pins[2]);
bool everyday_draw_corners(trial *t, int side, double width, double rate);
/* Several Newton iterations, a tighter tolerance and damping instead of the defaults: where a run converges to. */
void everyday_converged(tl_cloth_def *def);

/* Frames until nothing moves faster than a thousandth of `size` (m) per second, or for `most` seconds. False with a
   failed row as soon as a frame is unstable. */
bool everyday_settle(trial *t, double rate, double size, double most);
/* Frames for so many seconds; false with the message in `error` when one is unstable, and no row. */
bool everyday_run(tl_world *world, double rate, double seconds, const char **error);

/* As law_near, or, with a reason, a note that claims nothing. `reason` may be NULL. */
void everyday_near(law_report *report, const char *subject, const char *quantity, double expected, double measured,
                   double tolerance, const char *reason);
/* Steppers that take their substeps without solving equations, and those that keep every length whatever the stiffness.
   Neither is made for a measured fabric: stiffness and damping of its threads need far shorter substeps than the former
   have by default, and the latter project it to rest. They are tried with the default cloth of springs. */
bool everyday_is_explicit(const char *stepper);
bool everyday_is_rigid(const char *stepper);

/* Largest over smallest, less 1. */
double everyday_spread(const double *values, int count);
/* One row for a spread of at most `limit` between the values of everyday_rates. */
void everyday_same_at_all_rates(law_report *report, const char *subject, const char *quantity, const double *values,
                                int count, double limit);

#endif
