/* S1, section 4.2.2, figures 4.6 and 4.7: the gas switched off and on under the ball, and more and more of it. Substeps
   as in s1_gravity.c. */
#include "cli/experiment/s1.h"

static const double SETTLE = 6; /* s */

/* Off: the sheet hangs from its rim and the ball rests in it. On again: the ball is thrown up. */
static void switched(experiment_report *report)
{
    s1 *box = s1_begin(report, "switched");
    if (!box)
        return;
    s1_set(box, "cloth[0].substeps", "4");
    s1_set(box, "cloth[0].gas.on", "false");
    s1_watch(box, SETTLE);
    double hangs = s1_mean(box, 2).sheet;
    experiment_picture(report, box->scene, "fig-4.6a");
    s1_drop(box);
    s1_watch(box, 2 * SETTLE);
    double rest = s1_mean(box, 2).ball;
    experiment_picture(report, box->scene, "fig-4.6b");
    s1_set(box, "cloth[0].gas.on", "true");
    s1_watch(box, 0.25);
    experiment_picture(report, box->scene, "fig-4.6c");
    s1_watch(box, 0.25);
    experiment_picture(report, box->scene, "fig-4.6d");
    s1_watch(box, 1.5);
    double thrown = s1_highest_ball(box, 2);
    experiment_row(report, "4.6a: gas off, sheet above the rim", "hangs", hangs - S1_RIM, "m");
    experiment_row(report, "4.6b: ball at rest, above the rim", "rests in the sheet", rest - S1_RIM, "m");
    experiment_row(report, "4.6c, d: highest point after the gas is on", "thrown up", thrown - S1_RIM, "m");
    experiment_below(report, "4.6a: without gas the sheet hangs from the rim: its middle above the rim", hangs - S1_RIM,
                     -0.1, "m");
    experiment_below(report, "4.6b: the ball rests in the hanging sheet: its underside above where the sheet hung",
                     rest - S1_RADIUS - hangs, 0.05, "m");
    experiment_above(report, "4.6d: gas on again throws the ball up: height above its rest", thrown - rest, 0.5, "m");
    experiment_above(report, "4.6d: clear of the sheet: height above the rim", thrown - S1_RIM, 2 * S1_RADIUS, "m");
    s1_end(box);
}

/* k_g 11, 17, 25: from too little to hold the sheet up to a dome. */
static void amounts(experiment_report *report)
{
    static const double k_g[3] = {11, 17, 25};
    static const char *const figures[3] = {"fig-4.7a", "fig-4.7b", "fig-4.7c"};
    s1_sample rest[3] = {{0}};
    s1 *box = s1_begin(report, "amount");
    if (!box)
        return;
    s1_set(box, "cloth[0].substeps", "4");
    for (int k = 0; k < 3; ++k) {
        char what[64];
        s1_set_k_g(box, k_g[k]);
        s1_watch(box, 2 * SETTLE);
        rest[k] = s1_mean(box, 4);
        experiment_picture(report, box->scene, figures[k]);
        snprintf(what, sizeof what, "4.7: k_g = %g, sheet above the rim", k_g[k]);
        experiment_row(report, what, k == 0 ? "too weak to inflate" : "more", rest[k].sheet - S1_RIM, "m");
        snprintf(what, sizeof what, "4.7: k_g = %g, p V / (4 k_g)", k_g[k]);
        experiment_row(report, what, "1", rest[k].pressure * rest[k].volume / (4 * k_g[k]), "");
    }
    experiment_below(report, "4.7a: k_g = 11 is too weak to inflate the sheet: its middle above the rim",
                     rest[0].sheet - S1_RIM, -0.05, "m");
    experiment_above(report, "4.7: more gas, a higher sheet: rise from k_g = 11 to 17", rest[1].sheet - rest[0].sheet,
                     0.05, "m");
    experiment_above(report, "4.7: more gas, a higher sheet: rise from k_g = 17 to 25", rest[2].sheet - rest[1].sheet,
                     0.05, "m");
    experiment_above(report, "4.7c: k_g = 25 makes a dome of it: its middle above the rim", rest[2].sheet - S1_RIM, 0.1,
                     "m");
    s1_end(box);
}

void experiment_s1_gas(experiment_report *report)
{
    switched(report);
    amounts(report);
}
