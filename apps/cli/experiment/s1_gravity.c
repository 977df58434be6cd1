/* S1, section 4.2.1, figures 4.3 to 4.5: stronger, reversed and no gravity. The sheet is left alone until it settles,
   then gravity changes and the ball is dropped. Its transverse motion is hardly damped (dampers act along the springs),
   so it keeps vibrating at rest: heights are means over two seconds.

   S1's step of 0.0025 s is cut in four here. It is stable while the sheet is flat (s1_springs.c); where it is steep,
   the dampers of rows and columns act on the same motion, whose rate 8 k_d/m is beyond RK4's bound for k_d = 5. */
#include "cli/experiment/s1.h"

static const double SETTLE = 6; /* s */

/* g = −20: the gas cannot hold the sheet up; the ball rests lower than with −10; without gas it goes down to the
 floor. */
static void stronger(experiment_report *report)
{
    s1 *box = s1_begin(report, "g-20");
    if (!box)
        return;
    s1_set(box, "cloth[0].substeps", "4");
    s1_watch(box, SETTLE);
    double before = s1_mean(box, 2).sheet;
    experiment_picture(report, box->scene, "fig-4.3a");
    s1_drop(box);
    s1_watch(box, 2 * SETTLE);
    double ball_before = s1_mean(box, 2).ball;
    s1_set(box, "body[0].kinematic", "true");
    s1_reset(box);
    s1_watch(box, SETTLE);
    s1_set_g(box, -20);
    s1_watch(box, 2 * SETTLE);
    double sheet = s1_mean(box, 2).sheet;
    experiment_picture(report, box->scene, "fig-4.3b");
    s1_drop(box);
    s1_watch(box, 2 * SETTLE);
    s1_sample rest = s1_mean(box, 2);
    experiment_picture(report, box->scene, "fig-4.3c");
    s1_set(box, "cloth[0].gas.on", "false");
    s1_watch(box, 0.35);
    experiment_picture(report, box->scene, "fig-4.3d");
    s1_watch(box, SETTLE);
    double sunk = s1_lowest_ball(box, SETTLE), hung = s1_mean(box, 2).ball;
    experiment_row(report, "4.3a: g = -10, sheet above the rim", "", before - S1_RIM, "m");
    experiment_row(report, "4.3b: g = -20, sheet above the rim", "hangs a little", sheet - S1_RIM, "m");
    experiment_row(report, "g = -10, ball at rest, above the rim", "", ball_before - S1_RIM, "m");
    experiment_row(report, "4.3c: g = -20, ball at rest, above the rim", "", rest.ball - S1_RIM, "m");
    experiment_row(report, "4.3d: gas off, lowest point of the ball above the floor", "stopped by the floor",
                   sunk - S1_RADIUS, "m");
    experiment_row(report, "      at rest, above the floor", "", hung - S1_RADIUS, "m");
    experiment_below(report, "4.3b: the sheet sags: its middle above the rim", sheet - S1_RIM, -0.05, "m");
    experiment_below(report, "4.3b: the sheet sags: its middle above where it was with g = -10", sheet - before, -0.05,
                     "m");
    experiment_below(report, "4.3c: the ball rests lower: height above its rest with g = -10", rest.ball - ball_before,
                     -0.05, "m");
    experiment_above(report, "4.3c: the gas keeps it from sinking to the floor: its underside above the floor",
                     rest.ball - S1_RADIUS, 0.2, "m");
    experiment_below(report,
                     "4.3d: without gas the springs give way, and the ball falls almost to the floor, where S1 has it "
                     "stopped: its underside above the floor",
                     sunk - S1_RADIUS, 0.06, "m");
    s1_end(box);
}

/* g = +1: sheet and ball rise. */
static void reversed(experiment_report *report)
{
    s1 *box = s1_begin(report, "g+1");
    if (!box)
        return;
    s1_set(box, "cloth[0].substeps", "4");
    s1_watch(box, SETTLE);
    double before = s1_mean(box, 2).sheet;
    s1_set_g(box, 1);
    s1_watch(box, SETTLE);
    double sheet = s1_mean(box, 2).sheet;
    experiment_picture(report, box->scene, "fig-4.4a");
    s1_drop(box);
    double start = s1_mean(box, 0.01).ball;
    s1_watch(box, 1);
    experiment_picture(report, box->scene, "fig-4.4b");
    double rise = s1_mean(box, 0.01).ball - start;
    experiment_row(report, "4.4a: g = +1, sheet above the rim", "goes up", sheet - S1_RIM, "m");
    experiment_row(report, "4.4b: rise of the ball in a second", "slowly up", rise, "m");
    experiment_above(report, "4.4a: the sheet rises: height above where it was", sheet - before, 0.05, "m");
    experiment_expect(report, rise > 0.45 && rise < 0.55,
                      "4.4b: the ball rises slowly and freely, g t^2/2 = 0.5 m: %.3g m, bounds 0.45 and 0.55 m", rise);
    s1_end(box);
}

/* Off: the sheet rises; a ball that is let go stays; one that rested on the sheet is pushed off. */
static void none(experiment_report *report)
{
    s1 *box = s1_begin(report, "g0");
    if (!box)
        return;
    s1_set(box, "cloth[0].substeps", "4");
    s1_watch(box, SETTLE);
    double before = s1_mean(box, 2).sheet;
    s1_set_g(box, 0);
    s1_watch(box, 2 * SETTLE);
    s1_drop(box);
    s1_watch(box, SETTLE);
    s1_sample floating = s1_mean(box, 2);
    s1_set_g(box, -10);
    s1_set(box, "body[0].kinematic", "true");
    s1_reset(box);
    s1_drop(box);
    s1_watch(box, 2 * SETTLE);
    double rest = s1_mean(box, 2).ball;
    s1_set_g(box, 0);
    s1_watch(box, 1);
    experiment_picture(report, box->scene, "fig-4.5");
    double first = s1_mean(box, 0.01).ball;
    s1_watch(box, 1);
    double second = s1_mean(box, 0.01).ball;
    experiment_row(report, "gravity off, sheet above the rim", "goes up", floating.sheet - S1_RIM, "m");
    experiment_row(report, "gravity off, ball let go at 1.5 m", "stays", floating.ball, "m");
    experiment_row(report, "4.5: speed at which the ball leaves", "pushed off", second - first, "m/s");
    experiment_above(report, "without gravity the sheet rises: height above where it was", floating.sheet - before,
                     0.05, "m");
    experiment_expect(report, floating.ball > 1.499 && floating.ball < 1.501,
                      "without gravity a ball let go at 1.5 m stays there: %.5g m, bounds 1.499 and 1.501 m",
                      floating.ball);
    experiment_above(report, "4.5: gravity off under a resting ball pushes it off: way in the first second",
                     first - rest, 0.1, "m");
    experiment_above(report, "4.5: for good: way in the second after that", second - first, 0.1, "m");
    s1_end(box);
}

void experiment_s1_gravity(experiment_report *report)
{
    stronger(report);
    reversed(report);
    none(report);
}
