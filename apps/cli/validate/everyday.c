#include "cli/validate/everyday.h"

#include <math.h>
#include <string.h>

const char *const everyday_fabrics[EVERYDAY_FABRICS] = {"denim", "silk", "twill"};
const double everyday_rates[EVERYDAY_RATES] = {60, 24, 144};

tl_cloth_def everyday_sheet(const char *fabric, int columns, int rows, double width, double height)
{
    tl_cloth_def def = tl_cloth_def_grid(columns, rows, (tl_real)width, (tl_real)height);
    def.fabric = fabric;
    def.center = law_v3(0, 0, 0);
    if (strcmp(fabric, "custom") == 0) { /* links that explicit steppers take in a few dozen substeps */
        def.elements.link_structural = trial_element(200, 0.01);
        def.elements.link_shear = trial_element(60, 0.01);
        def.elements.link_bend = trial_element(1, 0.005);
    }
    return def;
}

tl_cloth_def everyday_numbers(const char *fabric, int columns, int rows, double width, double height)
{
    tl_cloth_def def = everyday_sheet(fabric, columns, rows, width, height);
    tl_world_def empty = tl_world_def_default();
    tl_world *world = tl_world_create(&empty, NULL);
    tl_cloth *cloth = world ? tl_cloth_create(world, &def) : NULL;
    if (cloth) {
        def.elements = tl_cloth_get_def(cloth)->elements;
        def.density = tl_cloth_get_def(cloth)->density;
        def.material = "fabric";
        def.fabric = "custom";
    }
    tl_world_destroy(world);
    return def;
}

tl_cloth_def everyday_curtain(const char *fabric, int side, double width, tl_pin_def pins[2])
{
    tl_cloth_def def = everyday_sheet(fabric, side, side, width, width);
    pins[0] = pins[1] = tl_pin_def_default();
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = 2;
    def.plane = "vertical";
    def.ripple = (tl_real)(1e-3 * width); /* a flat sheet has no side to fold to */
    return def;
}

bool everyday_draw_corners(trial *t, int side, double width, double rate)
{
    const double share = 0.2, seconds = 0.5;
    int frames = (int)lround(seconds * rate);
    for (int f = 0; f < frames; ++f) {
        for (int k = 0; k < 2; ++k) {
            int corner = k ? side - 1 : 0;
            tl_vec3 place = t->x[corner];
            place.x += (tl_real)((k ? -0.5 : 0.5) * share * width / frames);
            tl_cloth_move_pin(t->cloth, corner, place);
        }
        if (!trial_step(t, 1 / rate, 1))
            return false;
    }
    return true;
}

void everyday_converged(tl_cloth_def *def)
{
    def->newton = 3;
    def->solver_iterations = 2000;
    def->solver_tolerance = (tl_real)1e-4;
    def->damping = 3;
}

bool everyday_settle(trial *t, double rate, double size, double most)
{
    const double least = 1, still = 1e-3; /* s, 1/s */
    int calm = 0, frames = (int)(most * rate);
    for (int f = 0; f < frames && calm < 10; ++f) {
        if (!trial_step(t, 1 / rate, 1))
            return false;
        bool slow = (double)tl_cloth_get_stats(t->cloth).largest_speed < still * size;
        calm = slow && f > least * rate ? calm + 1 : 0;
    }
    return true;
}

bool everyday_run(tl_world *world, double rate, double seconds, const char **error)
{
    for (int f = 0; f < (int)lround(rate * seconds); ++f)
        if (tl_world_step(world, (tl_real)(1 / rate)) != TL_OK) {
            *error = tl_last_error(world);
            return false;
        }
    return true;
}

void everyday_near(law_report *report, const char *subject, const char *quantity, double expected, double measured,
                   double tolerance, const char *reason)
{
    if (reason)
        law_note(report, subject, quantity, expected, measured, reason);
    else
        law_near(report, subject, quantity, expected, measured, tolerance);
}

static bool is_one_of(const char *stepper, const char *const *names)
{
    while (*names && strcmp(*names, stepper) != 0)
        ++names;
    return *names != NULL;
}

bool everyday_is_explicit(const char *stepper)
{
    static const char *const names[] = {"semi-implicit-euler", "verlet", "explicit-euler", "kinematic", "rk4", NULL};
    return is_one_of(stepper, names);
}

bool everyday_is_rigid(const char *stepper)
{
    static const char *const names[] = {"projection", "range", NULL};
    return is_one_of(stepper, names);
}

double everyday_spread(const double *values, int count)
{
    double low = values[0], high = values[0];
    for (int k = 0; k < count; ++k) {
        if (isnan(values[k]))
            return NAN;
        low = fmin(low, values[k]);
        high = fmax(high, values[k]);
    }
    return high / low - 1;
}

void everyday_same_at_all_rates(law_report *report, const char *subject, const char *quantity, const double *values,
                                int count, double limit)
{
    char text[48];
    snprintf(text, sizeof text, "%s: spread, 24 to 144 Hz", quantity);
    if (count > 1)
        law_below(report, subject, text, everyday_spread(values, count), limit);
}
