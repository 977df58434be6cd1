#include "cli/validate/law.h"

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LAW(section, name, help) void law_##section##_##name(law_report *report);
#include "cli/validate/laws.inl"
#undef LAW

const law law_list[] = {
#define LAW(section, name, help) {#section, #name, help, law_##section##_##name},
#include "cli/validate/laws.inl"
#undef LAW
};
const int law_count = (int)(sizeof law_list / sizeof *law_list);

law_stepper law_steppers[] = {
    {.name = "semi-implicit-euler", .order = 1, .fall = 1, .symplectic = true},
    {.name = "verlet", .order = 2, .lags = true, .symplectic = true},
    {.name = "explicit-euler", .order = 1, .fall = -1, .gains = true},
    {.name = "kinematic", .order = 1, .gains = true},
    {.name = "rk4", .order = 4},
    {.name = "implicit-euler", .order = 1, .fall = 1, .implicit = true},
    {.name = "bdf2", .order = 2, .implicit = true},
    {.name = "constant-jacobian", .order = 1, .fall = 1, .implicit = true, .rounds = 100},
    {.name = "thin-objects", .order = 1, .fall = 1, .implicit = true, .rounds = 100},
    {.name = "xpbd", .order = 1, .fall = 1, .sweeps = 20},
    {.name = "projection", .order = 1, .fall = 1, .sweeps = 20, .rigid = true},
    {.name = "range", .order = 1, .fall = 1, .sweeps = 20, .rigid = true},
    {.name = NULL},
};

void law_leave_out_implicit(void)
{
    law_stepper *to = law_steppers;
    for (const law_stepper *from = law_steppers; from->name; ++from)
        if (!from->implicit)
            *to++ = *from;
    to->name = NULL;
}

const char *law_unclaimed_stepper(int index)
{
    for (const char *const *name = tl_stepper_names(); *name; ++name) {
        bool claimed = false;
        for (const law_stepper *s = law_steppers; s->name; ++s)
            claimed = claimed || strcmp(s->name, *name) == 0;
        if (!claimed && index-- == 0)
            return *name;
    }
    return NULL;
}

void *law_memory(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        cli_fail(EXIT_FAILED, "no memory for %zu samples", count);
        exit(EXIT_FAILED);
    }
    return memory;
}

/* ---- the table ---------------------------------------------------------------------------------------------- */

static law_row *add_row(law_report *report, const char *subject, const char *quantity)
{
    if (report->count == report->capacity) {
        report->capacity = report->capacity ? 2 * report->capacity : 64;
        law_row *larger = law_memory((size_t)report->capacity, sizeof *larger);
        if (report->count)
            memcpy(larger, report->rows, (size_t)report->count * sizeof *larger);
        free(report->rows);
        report->rows = larger;
    }
    law_row *row = &report->rows[report->count++];
    row->section = report->section;
    row->law = report->law;
    snprintf(row->subject, sizeof row->subject, "%s", subject);
    snprintf(row->quantity, sizeof row->quantity, "%s", quantity);
    row->measured = row->error = row->tolerance = NAN;
    return row;
}

static void judge(law_report *report, law_row *row, bool holds)
{
    row->verdict = holds ? LAW_PASS : LAW_FAIL;
    report->failed += !holds;
    if (report->added)
        report->added(row);
}

void law_near(law_report *report, const char *subject, const char *quantity, double expected, double measured,
              double tolerance)
{
    law_row *row = add_row(report, subject, quantity);
    snprintf(row->expected, sizeof row->expected, "%.6g", expected);
    row->measured = measured;
    row->error = fabs(measured - expected) / fabs(expected);
    row->tolerance = tolerance;
    judge(report, row, row->error <= tolerance);
}

void law_within(law_report *report, const char *subject, const char *quantity, double expected, double measured,
                double tolerance)
{
    law_row *row = add_row(report, subject, quantity);
    snprintf(row->expected, sizeof row->expected, "%.6g", expected);
    row->measured = measured;
    row->error = fabs(measured - expected);
    row->tolerance = tolerance;
    judge(report, row, row->error <= tolerance);
}

void law_below(law_report *report, const char *subject, const char *quantity, double measured, double limit)
{
    law_row *row = add_row(report, subject, quantity);
    snprintf(row->expected, sizeof row->expected, "<= %.3g", limit);
    row->measured = measured;
    judge(report, row, measured <= limit);
}

void law_above(law_report *report, const char *subject, const char *quantity, double measured, double limit)
{
    law_row *row = add_row(report, subject, quantity);
    snprintf(row->expected, sizeof row->expected, ">= %.3g", limit);
    row->measured = measured;
    judge(report, row, measured >= limit);
}

void law_note(law_report *report, const char *subject, const char *quantity, double expected, double measured,
              const char *remark)
{
    law_row *row = add_row(report, subject, quantity);
    if (isfinite(expected)) {
        snprintf(row->expected, sizeof row->expected, "%.6g", expected);
        row->error = fabs(measured - expected);
    }
    row->measured = measured;
    row->verdict = LAW_NOTE;
    snprintf(row->remark, sizeof row->remark, "%s", remark);
    if (report->added)
        report->added(row);
}

void law_broken(law_report *report, const char *subject, const char *reason)
{
    law_row *row = add_row(report, subject, "could not be tried");
    snprintf(row->remark, sizeof row->remark, "%s", reason);
    judge(report, row, false);
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

double law_fit(const double *x, const double *y, int count, double *offset)
{
    double mx = law_mean(x, count), my = law_mean(y, count), xx = 0, xy = 0;
    for (int k = 0; k < count; ++k) {
        xx += (x[k] - mx) * (x[k] - mx);
        xy += (x[k] - mx) * (y[k] - my);
    }
    double slope = xy / xx;
    if (offset)
        *offset = my - slope * mx;
    return slope;
}

double law_slope(const double *x, const double *y, int count)
{
    double *lx = law_memory(2 * (size_t)count, sizeof *lx), *ly = lx + count;
    for (int k = 0; k < count; ++k) {
        lx[k] = log(x[k]);
        ly[k] = log(y[k]);
    }
    double slope = law_fit(lx, ly, count, NULL);
    free(lx);
    return slope;
}

double law_mean(const double *y, int count)
{
    double sum = 0;
    for (int k = 0; k < count; ++k)
        sum += y[k];
    return sum / count;
}

double law_random(unsigned seed, unsigned index)
{
    /* splitmix64's finisher: enough for jitter that must be the same everywhere */
    uint64_t z = ((uint64_t)seed << 32 | index) + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

double law_period(const double *y, int count, double dt)
{
    double first = NAN, last = NAN;
    int periods = -1;
    for (int k = 1; k < count; ++k)
        if (y[k - 1] < 0 && y[k] >= 0) {
            last = dt * (k - 1 + y[k - 1] / (y[k - 1] - y[k]));
            if (++periods == 0)
                first = last;
        }
    return periods > 0 ? (last - first) / periods : NAN;
}

/* θ'' = −Γ (1 − s) cos θ, θ(0) = 0, θ'(1) = 0, by shooting on θ'(0) with Runge–Kutta. */
double law_elastica(double gamma)
{
    enum { STEPS = 2000 };
    double low = 0, high = gamma, drop = 0, reach = 0;
    for (int n = 0; n < 100; ++n) {
        double slope = (low + high) / 2, angle = 0, rate = slope, h = 1.0 / STEPS;
        drop = reach = 0;
        for (int k = 0; k < STEPS; ++k) {
            double s = k * h, a1 = rate, r1 = -gamma * (1 - s) * cos(angle);
            double a2 = rate + h / 2 * r1, r2 = -gamma * (1 - s - h / 2) * cos(angle + h / 2 * a1);
            double a3 = rate + h / 2 * r2, r3 = -gamma * (1 - s - h / 2) * cos(angle + h / 2 * a2);
            double a4 = rate + h * r3, r4 = -gamma * (1 - s - h) * cos(angle + h * a3);
            double middle = angle + h / 4 * (a1 + a2);
            double next = angle + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
            drop += h / 6 * (sin(angle) + 4 * sin(middle) + sin(next));
            reach += h / 6 * (cos(angle) + 4 * cos(middle) + cos(next));
            angle = next;
            rate += h / 6 * (r1 + 2 * r2 + 2 * r3 + r4);
        }
        if (rate > 0)
            high = slope;
        else
            low = slope;
    }
    return drop / reach;
}

double law_dot(tl_vec3 a, tl_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

double law_distance(tl_vec3 a, tl_vec3 b)
{
    tl_vec3 d = {a.x - b.x, a.y - b.y, a.z - b.z};
    return sqrt(law_dot(d, d));
}

/* ---- trial worlds -------------------------------------------------------------------------------------------- */

tl_world_def trial_vacuum(double gravity)
{
    tl_world_def def = tl_world_def_default();
    def.gravity = law_v3(0, -gravity, 0);
    def.wind.kind = "still";
    def.wind.air_density = 0;
    return def;
}

tl_cloth_def trial_grid(int columns, int rows, double width, double height)
{
    tl_cloth_def def = tl_cloth_def_grid(columns, rows, (tl_real)width, (tl_real)height);
    def.plane = "vertical";
    def.center = law_v3(0, 0, 0);
    def.material = "custom";
    def.elements = (tl_elements_def){0};
    def.air = "off";
    def.contact = "none";
    def.damping = 0;
    def.substeps = 1;
    def.stable = false; /* laws are of the step that they take */
    def.adaptive = false;
    return def;
}

const law_stepper *law_stepper_named(const char *name)
{
    const law_stepper *s = law_steppers;
    while (s->name && strcmp(s->name, name) != 0)
        ++s;
    return s;
}

void trial_stepper(tl_cloth_def *def, const char *name, int substeps)
{
    const law_stepper *stepper = law_stepper_named(name);
    def->stepper = name;
    def->substeps = substeps;
    if (stepper->sweeps > 0)
        def->iterations = stepper->sweeps;
    if (stepper->sweeps > 0 || stepper->implicit)
        def->substeps = substeps < 16 ? substeps : substeps / 4;
    if (stepper->implicit) {
        def->newton = stepper->rounds > 0 ? stepper->rounds : 20;
        def->solver_iterations = 2000;
        def->solver_tolerance = (tl_real)law_pick(1e-13, 1e-6);
    }
    def->range_low = def->range_high = 1; /* laws assume one rest length; elasticity.range tests the range itself */
}

tl_element_def trial_element(double stiffness, double damping)
{
    return (tl_element_def){true, (tl_real)stiffness, (tl_real)damping};
}

tl_pin_def trial_pin(const char *edge)
{
    tl_pin_def pin = tl_pin_def_default();
    pin.where = "edge";
    pin.name = edge;
    return pin;
}

bool trial_make(trial *t, law_report *report, const char *subject, const tl_world_def *world_def,
                const tl_cloth_def *cloth_def)
{
    tl_world_def vacuum = trial_vacuum(LAW_GRAVITY);
    tl_error error = {0};
    *t = (trial){.report = report, .subject = subject};
    t->world = tl_world_create(world_def ? world_def : &vacuum, &error);
    if (!t->world) {
        law_broken(report, subject, error.message);
        return false;
    }
    t->cloth = tl_cloth_create(t->world, cloth_def);
    if (!t->cloth) {
        law_broken(report, subject, tl_last_error(t->world));
        trial_end(t);
        return false;
    }
    t->count = tl_cloth_vertex_count(t->cloth);
    trial_refresh(t);
    return true;
}

static bool check(trial *t, tl_result result)
{
    if (result != TL_OK)
        law_broken(t->report, t->subject, tl_last_error(t->world));
    trial_refresh(t);
    return result == TL_OK;
}

bool trial_material(trial *t, const char *material)
{
    return check(t, tl_cloth_set(t->cloth, "material", &(tl_value){TL_PARAM_NAME, {0}, material}));
}

tl_body *trial_body(trial *t, const tl_body_def *def)
{
    tl_body *body = tl_body_create(t->world, def);
    if (!body)
        law_broken(t->report, t->subject, tl_last_error(t->world));
    return body;
}

bool trial_state(trial *t, const tl_vec3 *x, const tl_vec3 *v) { return check(t, tl_cloth_set_state(t->cloth, x, v)); }

bool trial_step(trial *t, double dt, int frames)
{
    tl_result result = TL_OK;
    for (int f = 0; f < frames && result == TL_OK; ++f)
        result = tl_world_step(t->world, (tl_real)dt);
    return check(t, result);
}

void trial_refresh(trial *t)
{
    t->x = tl_cloth_positions(t->cloth);
    t->v = tl_cloth_velocities(t->cloth);
    t->m = tl_cloth_masses(t->cloth);
}

void trial_end(trial *t)
{
    tl_world_destroy(t->world);
    t->world = NULL;
    t->cloth = NULL;
}
