/* S1, section 4.2.3, figures 4.8 to 4.10: no damping, too much of it, and springs that get weaker.

   Damping along a spring makes a stiff equation: the fastest motion of a row of particles dies out at the rate 4 k_d/m,
   968 1/s for the published 5. RK4 follows that with steps of 0.0025 s up to a rate of 2.785/h = 1114 1/s, that is k_d
   = 5.75; 7 explodes, as S1 shows. Semi-implicit Euler ends at 2/h, k_d = 4.13. Unstable frames are rejected and
   counted, and the world remains usable. XPBD takes any damping. */
#include "cli/experiment/s1.h"

#include <math.h>

static const double SETTLE = 6; /* s */

static void undamped(experiment_report *report)
{
    s1 *box = s1_begin(report, "kd-0");
    if (!box)
        return;
    s1_set(box, "cloth[0].gas.on", "false");
    s1_watch(box, 20);
    double damped = s1_swing(box, 4);
    s1_set(box, "cloth[0].gas.on", "true");
    s1_set(box, "cloth[0].link.structural.damping", "0");
    s1_reset(box);
    s1_set(box, "cloth[0].gas.on", "false");
    s1_watch(box, 20);
    double free_swing = s1_swing(box, 4);
    experiment_picture(report, box->scene, "fig-4.8");
    experiment_row(report, "gas off, swing of the sheet after 20 s, k_d = 5", "settles", damped, "m");
    experiment_row(report, "4.8: the same, k_d = 0", "does not settle", free_swing, "m");
    experiment_above(report, "4.8: without damping the sheet does not settle: swing after 20 s", free_swing, 0.1, "m");
    experiment_above(report, "4.8: without damping the sheet does not settle: swing in parts of the damped one",
                     free_swing / damped, 10, "");
    experiment_expect(report, box->rejected == 0, "4.8: it stays stable: %d frames rejected", box->rejected);
    s1_end(box);
}

typedef struct burst_case {
    const char *stepper, *name;
    double k_d;
    bool explodes;
} burst_case;

/* k_d = 7 from a reset; then k_d = 1 in the same world, which must recover. */
static void overdamped(experiment_report *report)
{
    static const burst_case cases[] = {{"rk4", "kd-5-rk4", 5, false},
                                       {"rk4", "kd-7-rk4", 7, true},
                                       {"semi-implicit-euler", "kd-7-euler", 7, true},
                                       {"xpbd", "kd-7-xpbd", 7, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const burst_case *c = &cases[k];
        char text[160];
        s1 *box = s1_begin(report, c->name);
        if (!box)
            return;
        s1_set(box, "cloth[0].stepper", "%s", c->stepper);
        s1_set(box, "cloth[0].link.structural.damping", "%g", c->k_d);
        s1_reset(box);
        s1_drop(box);
        s1_watch(box, SETTLE);
        int rejected = box->rejected;
        if (c->explodes && c->stepper[0] == 'r')
            experiment_picture(report, box->scene, "fig-4.9");
        snprintf(text, sizeof text, "4.9: k_d = %g, %s, frames rejected of 2400", c->k_d, c->stepper);
        experiment_row(report, text, c->explodes ? "explodes" : "stable", rejected, "");
        experiment_expect(report, c->explodes ? rejected > 0 : rejected == 0,
                          "4.9: k_d = %g under %s %s: %d frames rejected", c->k_d, c->stepper,
                          c->explodes ? "explodes, which is seen" : "does not explode", rejected);
        if (c->explodes) {
            s1_set(box, "cloth[0].link.structural.damping", "1");
            s1_set(box, "cloth[0].damping", "2");
            s1_watch(box, SETTLE);
            int more = box->rejected - rejected;
            s1_watch(box, SETTLE);
            int late = box->rejected - rejected - more;
            double swing = s1_swing(box, 2);
            experiment_row(report, "     the same with k_d = 1 after that", "", more, "");
            experiment_expect(
                report, late == 0 && swing < 0.05,
                "4.9: the world survives under %s: with k_d = 1 it settles again, with %d frames rejected "
                "in the last 6 s and a swing of %.2g m (0 and at most 0.05 m)",
                c->stepper, late, swing);
        }
        s1_end(box);
    }
}

/* k_s from 150 down to 0: more and more inflated, until nothing holds the sheet. With k_g = 17, as in the figure's
   caption, gas and weight balance within half a percent (4 k_g/V times a cell's area is 0.2056 N, a particle weighs
   0.2066 N), and springs have nothing to hold: the study runs with the next of S1's values, 25. Substeps as in
   s1_gravity.c. */
static void weaker(experiment_report *report)
{
    static const double k_s[] = {150, 100, 60, 30, 15, 0};
    enum { COUNT = sizeof k_s / sizeof *k_s };
    double height[COUNT] = {0};
    s1 *box = s1_begin(report, "ks");
    if (!box)
        return;
    s1_set(box, "cloth[0].substeps", "4");
    s1_set_k_g(box, 25);
    for (int k = 0; k < COUNT; ++k) {
        char what[64], figure[32];
        s1_set(box, "cloth[0].link.structural.stiffness", "%g", k_s[k]);
        s1_watch(box, SETTLE);
        height[k] = s1_mean(box, 2).sheet;
        snprintf(figure, sizeof figure, "fig-4.10-%g", k_s[k]);
        experiment_picture(report, box->scene, figure);
        snprintf(what, sizeof what, "4.10: k_s = %g, sheet above the rim", k_s[k]);
        experiment_row(report, what,
                       k == 0       ? "expands little"
                       : k_s[k] > 0 ? "more"
                                    : "bursts",
                       height[k] - S1_RIM, "m");
    }
    double least_rise = INFINITY;
    for (int k = 1; k < COUNT - 1; ++k) {
        double rise = height[k] - height[k - 1];
        least_rise = rise < least_rise || isnan(rise) ? rise : least_rise;
    }
    experiment_above(report, "4.10: the weaker the springs, the more the sheet is inflated: smallest rise", least_rise,
                     0, "m");
    double strain = s1_mean(box, 2).strain;
    experiment_row(report, "4.10: k_s = 0, largest strain", "bursts", strain, "");
    experiment_expect(
        report, box->rejected > 0 || strain > 4,
        "4.10: without springs it bursts: the longest edge is %.3g times as long, %d frames rejected (more "
        "than 5 times, or any)",
        1 + strain, box->rejected);
    s1_end(box);
}

void experiment_s1_springs(experiment_report *report)
{
    undamped(report);
    overdamped(report);
    weaker(report);
}
