#include "step/implicit_state.h"

#include "core/timing.h"
#include "core/trig.h"
#include "step/strain_limit.h"

#include <string.h>

/* Line search: halvings of a Newton step that would gain energy. */
enum { LINE_HALVINGS = 6 };
/* Lower bound of the tolerance's reference, as a fraction of one step of free fall, squared: cloth at rest needs no
   iterations. Small, since cloth almost at rest shows the solver's error: the soft bending of a hem turns a small
   residual into millimetres. */
#define MIN_FRACTION 1e-4
/* The same for a frozen matrix, which is a bound and no Hessian: nearer solutions of it are not nearer to the step. */
#define MIN_FROZEN_FRACTION 0.1

tl_real *tl_implicit_start(tl_system *system) { return system->implicit->vector[START]; }
tl_real *tl_implicit_before(tl_system *system) { return system->implicit->vector[BEFORE]; }
const tl_contact_constraint *tl_implicit_constraint(tl_system *system, int k, bool *sticks)
{
    const tl_implicit *s = system->implicit;
    if (k >= s->constraint_count)
        return NULL;
    *sticks = s->state[k] == STICKS;
    return &s->constraint[k];
}
int *tl_implicit_iterations(tl_system *system) { return &system->implicit->iterations; }

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static bool allocate(tl_system *system, tl_implicit *s)
{
    const tl_allocator *allocator = &system->allocator;
    size_t count = (size_t)tl_padded(system->p.count);
    bool done = true;
    for (int k = 0; k < VECTORS; ++k)
        done = (s->vector[k] = tl_allocate(allocator, TL_STRIDE * count, sizeof(tl_real))) && done;
    done = (s->constrained = tl_allocate(allocator, count, 1)) && done;
    done = (s->state = tl_allocate(allocator, count, 1)) && done;
    done = (s->released = tl_allocate(allocator, count, 1)) && done;
    done = (s->stuck = tl_allocate(allocator, count, 1)) && done;
    done = (s->constraint = tl_allocate(allocator, count, sizeof *s->constraint)) && done;
    done = (s->target = tl_allocate(allocator, count, sizeof *s->target)) && done;
    done = (s->heading = tl_allocate(allocator, count, sizeof *s->heading)) && done;
    done = (s->speed = tl_allocate(allocator, count, sizeof *s->speed)) && done;
    done = (s->brake = tl_allocate(allocator, count, sizeof *s->brake)) && done;
    done = (s->drag = tl_allocate(allocator, count, sizeof *s->drag)) && done;
    done = (s->pressed = tl_allocate(allocator, count, sizeof *s->pressed)) && done;
    done = (s->stopped = tl_allocate(allocator, count, sizeof *s->stopped)) && done;
    done = (s->constraint_of = tl_allocate(allocator, count, sizeof *s->constraint_of)) && done;
    done = (s->normal = tl_allocate(allocator, count, sizeof *s->normal)) && done;
    system->bytes += count * (VECTORS * TL_STRIDE * sizeof(tl_real) + 4 + sizeof(tl_contact_constraint) +
                              3 * sizeof(tl_vec3) + 5 * sizeof(tl_real) + sizeof(int));
    return done;
}

/* Levels for the matrix, if they are asked for; made again when its pattern was. */
static bool prepare_multigrid(tl_system *system, bool again)
{
    tl_implicit *s = system->implicit;
    bool wanted = system->implicit_settings.preconditioner == TL_CONDITION_MULTIGRID;
    if (s->multigrid && (again || !wanted)) {
        system->bytes -= tl_multigrid_bytes(s->multigrid);
        tl_multigrid_destroy(s->multigrid);
        s->multigrid = NULL;
    }
    if (!wanted || s->multigrid)
        return true;
    s->multigrid = tl_multigrid_create(&s->sparse, system->mesh, &system->allocator);
    if (!s->multigrid)
        return false;
    system->bytes += tl_multigrid_bytes(s->multigrid);
    return true;
}

static void drop_cholesky(tl_system *system)
{
    tl_implicit *s = system->implicit;
    if (s->cholesky)
        system->bytes -= tl_cholesky_bytes(s->cholesky);
    tl_cholesky_destroy(s->cholesky);
    s->cholesky = NULL;
    s->factored = 0;
}

/* Order and memory of a factor. */
static bool prepare_cholesky(tl_system *system)
{
    tl_implicit *s = system->implicit;
    if (s->cholesky)
        return true;
    s->cholesky = tl_cholesky_create(&s->sparse, system->mesh->position, &system->allocator);
    if (!s->cholesky)
        return false;
    system->bytes += tl_cholesky_bytes(s->cholesky);
    return true;
}

static tl_result prepare(tl_system *system, bool frozen, bool factored, tl_error *error)
{
    bool done = true;
    if (!system->implicit) {
        system->implicit = tl_allocate(&system->allocator, 1, sizeof *system->implicit);
        done = system->implicit && allocate(system, system->implicit);
        if (!done)
            tl_implicit_destroy(system);
    }
    if (done) {
        tl_sparse *sparse = &system->implicit->sparse;
        const void *pattern = sparse->block;
        system->bytes -= sparse->bytes;
        done = tl_sparse_prepare(sparse, system, frozen);
        system->bytes += sparse->bytes;
        bool again = sparse->block != pattern;
        if (again || !factored) /* before anything can fail: it does not fit another pattern */
            drop_cholesky(system);
        done = done && prepare_multigrid(system, again) && (!factored || prepare_cholesky(system));
    }
    return done ? TL_OK : tl_fail(error, TL_ERROR_MEMORY, "no memory for the matrix of %d particles", system->p.count);
}

tl_result tl_implicit_prepare(tl_system *system, tl_error *error) { return prepare(system, false, false, error); }
tl_result tl_implicit_prepare_frozen(tl_system *system, tl_error *error) { return prepare(system, true, false, error); }
tl_result tl_implicit_prepare_factored(tl_system *system, tl_error *error)
{
    return prepare(system, true, true, error);
}

void tl_implicit_destroy(tl_system *system)
{
    tl_implicit *s = system->implicit;
    if (!s)
        return;
    const tl_allocator *allocator = &system->allocator;
    tl_sparse_destroy(&s->sparse, allocator);
    for (int k = 0; k < VECTORS; ++k)
        tl_release(allocator, s->vector[k]);
    tl_release(allocator, s->constrained);
    tl_release(allocator, s->state);
    tl_release(allocator, s->released);
    tl_release(allocator, s->stuck);
    tl_release(allocator, s->constraint);
    tl_release(allocator, s->target);
    tl_release(allocator, s->heading);
    tl_release(allocator, s->speed);
    tl_release(allocator, s->brake);
    tl_release(allocator, s->drag);
    tl_release(allocator, s->pressed);
    tl_release(allocator, s->stopped);
    tl_release(allocator, s->constraint_of);
    tl_release(allocator, s->normal);
    tl_multigrid_destroy(s->multigrid);
    tl_cholesky_destroy(s->cholesky);
    tl_release(allocator, s);
    system->implicit = NULL;
}

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

/* Eight interleaved sums: a fixed order of additions that compilers can vectorise. */
static double dot(const tl_real *restrict a, const tl_real *restrict b, int count)
{
    double sum[8] = {0};
    int k = 0;
    for (; k + 8 <= count; k += 8)
        for (int c = 0; c < 8; ++c)
            sum[c] += (double)a[k + c] * (double)b[k + c];
    for (int c = 0; k < count; ++k, ++c)
        sum[c] += (double)a[k] * (double)b[k];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

double tl_implicit_dot(const tl_real *a, const tl_real *b, int count) { return dot(a, b, count); }

/* The part of a vector along which particle i may move. */
static tl_vec3 free_part(const tl_implicit *s, int i, tl_vec3 value)
{
    if (s->constrained[i] == HELD)
        return tl_v3(0, 0, 0);
    if (s->constrained[i] == GUIDED)
        return tl_madd(value, s->normal[i], -tl_dot(value, s->normal[i]));
    if (s->constrained[i] == LET_GO_STUCK)
        return tl_scale(s->normal[i], tl_dot(value, s->normal[i]));
    return value;
}

/* Zeroes the constrained directions. */
static void filter(const tl_implicit *s, int particles, tl_real *a)
{
    for (int i = 0; i < particles; ++i) {
        if (s->constrained[i] == FREE || s->constrained[i] == LET_GO)
            continue;
        tl_stride_put(a, i, free_part(s, i, tl_stride_at(a, i)));
    }
}

/* ---- conjugate gradients ---------------------------------------------------------------------------------------- */

static void condition(const tl_system *system, const tl_real *in, tl_real *out)
{
    const tl_implicit *s = system->implicit;
    if (s->coarse)
        tl_multigrid_cycle(s->multigrid, &s->sparse, &(tl_filter){s->constrained, s->normal}, system->tasks, in, out);
    else if (system->implicit_settings.preconditioner == TL_CONDITION_SWEEP)
        tl_sparse_sweep(&s->sparse, s->constrained, in, out);
    else
        tl_sparse_jacobi(&s->sparse, system->tasks, in, out);
    filter(s, system->p.count, out);
}

/* The matrix, and the gas term push h γ p/V ∇V ∇Vᵀ, which couples all particles and is never stored. */
static void assemble(tl_system *system, tl_real push, tl_real h)
{
    tl_implicit *s = system->implicit;
    tl_sparse_assemble(&s->sparse, system, push, push * h);
    s->coarse = false;
    if (!system->gas.on)
        return;
    s->gas_stiffness =
        push * h * (tl_real)tl_gas_stiffness(&system->gas, tl_gas_measure(&system->gas, &system->p, system->lanes));
    for (int i = 0; i < system->p.count; ++i)
        tl_stride_put(s->vector[GAS], i, tl_scale(tl_at(system->gas.area, i), (tl_real)1 / 6));
}

static void times(const tl_system *system, const tl_real *in, tl_real *out)
{
    const tl_implicit *s = system->implicit;
    tl_sparse_times(&s->sparse, system->tasks, in, out);
    if (!system->gas.on)
        return;
    int count = TL_STRIDE * system->p.count;
    const tl_real *gradient = s->vector[GAS];
    tl_real scale = s->gas_stiffness * (tl_real)dot(gradient, in, count);
    for (int k = 0; k < count; ++k)
        out[k] += scale * gradient[k];
}

/* Adds forces of elements, taut links and gas at the current state to p.f. */
static void inner_forces(tl_system *system)
{
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e])
            system->batch[e].kind->force(&system->batch[e], &system->p);
    if (system->implicit->sparse.has_taut_links)
        tl_strain_limit_force(system);
    if (system->gas.on)
        tl_gas_force(&system->gas, &system->p, system->lanes);
}

/* With twice the diagonal not below the row sums, Jacobi moves towards the solution in every direction without
   overshooting it. */
void tl_implicit_relax(tl_system *system, const tl_real *b, tl_real *u)
{
    tl_implicit *s = system->implicit;
    int particles = system->p.count, count = TL_STRIDE * particles;
    tl_real *r = s->vector[RESIDUAL], *z = s->vector[CONDITIONED];
    for (int iteration = 0; iteration < 2; ++iteration) {
        times(system, u, r);
        for (int k = 0; k < count; ++k)
            r[k] = b[k] - r[k];
        filter(s, particles, r);
        tl_sparse_jacobi(&s->sparse, system->tasks, r, z);
        filter(s, particles, z);
        for (int k = 0; k < count; ++k)
            u[k] += z[k];
    }
}

void tl_implicit_find_residual(tl_system *system, const tl_real *b, const tl_real *u, tl_real *r)
{
    times(system, u, r);
    for (int k = 0; k < TL_STRIDE * system->p.count; ++k)
        r[k] = b[k] - r[k];
    filter(system->implicit, system->p.count, r);
}

/* Forces between particles sum to zero, and so must the residual r of free cloth: the common motion takes up what the
   iterations left of its sum, so that momentum is kept at any tolerance. */
static void keep_momentum(const tl_system *system, const tl_real *r, tl_real *u)
{
    const tl_implicit *s = system->implicit;
    double sum[3] = {0}, mass = 0;
    for (int i = 0; i < system->p.count; ++i) {
        if (s->constrained[i])
            return;
        for (int c = 0; c < 3; ++c)
            sum[c] += (double)r[TL_STRIDE * i + c];
        mass += (double)system->p.m[i];
    }
    tl_vec3 common = tl_v3((tl_real)(sum[0] / mass), (tl_real)(sum[1] / mass), (tl_real)(sum[2] / mass));
    for (int i = 0; i < system->p.count; ++i)
        tl_stride_put(u, i, tl_add(tl_stride_at(u, i), common));
}

void tl_implicit_conjugate(tl_system *system, const tl_real *b, tl_real *u, double looser, double relative)
{
    tl_implicit *s = system->implicit;
    int particles = system->p.count, count = TL_STRIDE * particles;
    tl_real *r = s->vector[RESIDUAL], *d = s->vector[DIRECTION], *q = s->vector[IMAGE], *z = s->vector[CONDITIONED];
    if (s->multigrid && !s->coarse)
        s->coarse =
            tl_multigrid_assemble(s->multigrid, &s->sparse, &(tl_filter){s->constrained, s->normal}, system->tasks);
    tl_implicit_find_residual(system, b, u, r);
    condition(system, r, z);
    memcpy(d, z, (size_t)count * sizeof *d);
    double size = dot(r, z, count), tolerance = looser * (double)system->implicit_settings.tolerance;
    s->reference = s->reference > 0 ? s->reference : fmax(s->gained + size, s->least);
    double enough = fmax(tolerance * tolerance * s->reference, relative * relative * size);
    for (int n = 0; n < system->implicit_settings.iterations && size > enough; ++n) {
        times(system, d, q);
        filter(s, particles, q);
        double slope = dot(d, q, count);
        if (!(slope > 0))
            break; /* converged to rounding, or the state is not finite */
        tl_real step = (tl_real)(size / slope);
        for (int k = 0; k < count; ++k) {
            u[k] += step * d[k];
            r[k] -= step * q[k];
        }
        condition(system, r, z);
        double next = dot(r, z, count);
        tl_real turn = (tl_real)(next / size);
        for (int k = 0; k < count; ++k)
            d[k] = z[k] + turn * d[k];
        size = next;
        ++s->iterations;
    }
    if (s->constraint_count == 0)
        keep_momentum(system, r, u);
}

/* ---- Newton ----------------------------------------------------------------------------------------------------- */

/* Gravity, air and user forces at the start, constant during the step. */
static void keep_outside_forces(tl_system *system)
{
    tl_system_external(system, system->time);
    for (int i = 0; i < system->p.count; ++i)
        tl_stride_put(system->implicit->vector[OUTSIDE], i, tl_at(system->p.f, i));
}

/* Moves the cloth to x* + h w with velocity w, and puts forces of elements and gas into p.f. */
static void go_to(tl_system *system, const tl_implicit_step *step, const tl_real *w)
{
    tl_particles *p = &system->p;
    for (int i = 0; i < p->count; ++i) {
        tl_put(p->x, i, tl_madd(tl_stride_at(step->start, i), tl_stride_at(w, i), step->h));
        tl_put(p->v, i, tl_stride_at(w, i));
        tl_put(p->f, i, tl_v3(0, 0, 0));
    }
    double start = tl_seconds();
    inner_forces(system);
    system->seconds_forces += tl_seconds() - start;
}

/* ½ (w − v*) M (w − v*) + E(x_w) − h w·f_outside + ½ h w D w at the state of go_to: its minimum is the step. */
static double potential(tl_system *system, const tl_implicit_step *step, const tl_real *w)
{
    tl_particles *p = &system->p;
    const tl_real *outside = system->implicit->vector[OUTSIDE];
    double sum = 0, damped = 0;
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 change = tl_sub(tl_stride_at(w, i), tl_stride_at(step->before, i));
        sum += 0.5 * (double)p->m[i] * (double)tl_dot(change, change);
        sum -= (double)step->push * (double)tl_dot(tl_stride_at(w, i), tl_stride_at(outside, i));
        damped += (double)tl_dot(tl_stride_at(w, i), tl_at(p->f, i));
    }
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e])
            sum += (double)(step->push / step->h) * system->batch[e].kind->energy(&system->batch[e], p);
    if (system->implicit->sparse.has_taut_links)
        sum += (double)(step->push / step->h) * tl_strain_limit_energy(system);
    if (system->gas.on)
        sum += (double)(step->push / step->h) * tl_gas_energy(&system->gas, p, system->lanes);
    const tl_implicit *s = system->implicit;
    for (int k = 0; k < s->constraint_count; ++k) {
        double slip =
            (double)tl_dot(tl_sub(tl_stride_at(w, s->constraint[k].particle), s->target[k]), s->constraint[k].normal);
        sum += s->state[k] == YIELDS ? 0.5 * (double)tl_implicit_weight(step, &s->constraint[k]) * slip * slip : 0;
    }
    /* damping's part of w·f is the difference to the same shape at rest */
    for (int i = 0; i < p->count; ++i) {
        tl_put(p->v, i, tl_v3(0, 0, 0));
        tl_put(p->f, i, tl_v3(0, 0, 0));
    }
    inner_forces(system);
    for (int i = 0; i < p->count; ++i) {
        damped -= (double)tl_dot(tl_stride_at(w, i), tl_at(p->f, i));
        tl_put(p->v, i, tl_stride_at(w, i));
    }
    return sum - 0.5 * (double)step->push * damped;
}

/* M v* + h (f_outside + f(x_w, w)) + (A − M) w at the state of go_to. */
static void right_side(tl_system *system, const tl_implicit_step *step, const tl_real *w, bool at_start, tl_real *b)
{
    tl_implicit *s = system->implicit;
    if (!at_start)
        times(system, w, b);
    for (int i = 0; i < system->p.count; ++i) {
        tl_real m = system->p.m[i];
        tl_vec3 force = tl_add(tl_stride_at(s->vector[OUTSIDE], i), tl_at(system->p.f, i));
        tl_vec3 sum = tl_madd(tl_scale(tl_stride_at(step->before, i), m), force, step->push);
        if (!at_start)
            sum = tl_add(sum, tl_madd(tl_stride_at(b, i), tl_stride_at(w, i), -m));
        tl_stride_put(b, i, sum);
    }
}

double tl_implicit_free_fall(const tl_system *system, const tl_implicit_step *step)
{
    const tl_particles *p = &system->p;
    double sum = 0, fall = (double)tl_length(system->gravity) * (double)step->push;
    for (int i = 0; i < p->count; ++i)
        sum += p->w[i] > 0 ? (double)p->m[i] * fall * fall : 0;
    return (system->implicit->sparse.frozen ? MIN_FROZEN_FRACTION : MIN_FRACTION) * sum;
}

/* The solution starts from u, and with what external forces alone do to the free particles, as far as that takes it
   nearer: cloth that falls needs no more. The reference of the tolerance follows with the first residual: what u lacks,
   which is what the step has to change, or a hundredth of a step of free fall, whichever is larger. What the start
   gained counts for what it would have in the preconditioner's norm: both are near that of the matrix. */
static void start_solution(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u)
{
    tl_implicit *s = system->implicit;
    const tl_particles *p = &system->p;
    int count = TL_STRIDE * p->count;
    tl_real *r = s->vector[RESIDUAL], *d = s->vector[DIRECTION], *q = s->vector[IMAGE];
    tl_implicit_find_residual(system, b, u, r);
    memset(d, 0, (size_t)count * sizeof *d);
    for (int i = 0; i < p->count; ++i)
        tl_stride_put(d, i, tl_scale(tl_stride_at(s->vector[OUTSIDE], i), step->push * p->w[i]));
    filter(s, p->count, d);
    times(system, d, q);
    double slope = dot(d, q, count), along = dot(d, r, count);
    tl_real length = slope > 0 ? (tl_real)(along / slope) : 0;
    for (int k = 0; k < count; ++k)
        u[k] += length * d[k];
    s->reference = 0;
    s->gained = slope > 0 ? along * along / slope : 0;
    s->least = tl_implicit_free_fall(system, step);
}

/* Newton's method went from w to u: halves the step until the potential falls. */
static void line_search(tl_system *system, const tl_implicit_step *step, const tl_real *w, tl_real *u, double before)
{
    int count = TL_STRIDE * system->p.count;
    for (int n = 0; n < LINE_HALVINGS; ++n) {
        go_to(system, step, u);
        if (potential(system, step, u) <= before)
            return;
        for (int k = 0; k < count; ++k)
            u[k] = (u[k] + w[k]) / 2;
    }
}

static bool converged(const tl_system *system, const tl_real *w, const tl_real *u)
{
    double sum = 0;
    for (int i = 0; i < system->p.count; ++i) {
        tl_vec3 change = tl_sub(tl_stride_at(u, i), tl_stride_at(w, i));
        sum += (double)system->p.m[i] * (double)tl_dot(change, change);
    }
    double tolerance = (double)system->implicit_settings.tolerance;
    return sum <= tolerance * tolerance * system->implicit->reference;
}

/* The velocity w that keeps the cloth in place, x* + h w = x: 0 except for steppers with x* ≠ x. True for 0. */
static bool stay(tl_system *system, const tl_implicit_step *step, tl_real *w)
{
    bool none = true;
    for (int i = 0; i < system->p.count; ++i) {
        tl_vec3 back = tl_sub(tl_stride_at(system->implicit->vector[OLD_X], i), tl_stride_at(step->start, i));
        none = none && !(tl_dot(back, back) > 0);
        tl_stride_put(w, i, tl_scale(back, 1 / step->h));
    }
    return none;
}

/* Start of Newton's method: the current positions, or the previous velocity when that has the lower potential. The
   former never exceeds the cloth's energy, so with a matrix that bounds the Hessian neither does the result. With too
   few iterations to propagate weight and wind, starts from their effect on each particle alone. True for w = 0. */
static bool start_guess(tl_system *system, const tl_implicit_step *step, tl_real *w)
{
    const tl_real *outside = system->implicit->vector[OUTSIDE];
    bool none = stay(system, step, w);
    if (!step->predict)
        return none;
    double at_rest = INFINITY;
    if (!step->linear) {
        tl_implicit_constrain(system, step, w);
        go_to(system, step, w);
        at_rest = potential(system, step, w);
    }
    tl_real gain = step->linear ? step->push : 0;
    for (int i = 0; i < system->p.count; ++i)
        tl_stride_put(w, i, tl_madd(tl_stride_at(step->before, i), tl_stride_at(outside, i), gain * system->p.w[i]));
    tl_implicit_constrain(system, step, w);
    go_to(system, step, w);
    if (step->linear || potential(system, step, w) <= at_rest)
        return false;
    return stay(system, step, w);
}

static void newton(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    size_t bytes = TL_STRIDE * (size_t)system->p.count * sizeof(tl_real);
    tl_real *w = s->vector[GUESS], *u = s->vector[FOUND], *b = s->vector[RHS];
    int iterations = system->implicit_settings.newton;
    bool none = start_guess(system, step, w), direct = false;
    memcpy(u, step->linear ? w : step->before, bytes);
    tl_implicit_constrain(system, step, u);
    for (int n = 0; n < iterations; ++n) {
        double before = 0;
        if (n > 0)
            tl_implicit_constrain(system, step, w);
        go_to(system, step, w);
        if (iterations > 1)
            before = potential(system, step, w);
        assemble(system, step->push, step->h);
        if (iterations > 1)
            go_to(system, step, w); /* potential() left only elastic forces */
        right_side(system, step, w, n == 0 && none, b);
        if (n == 0) {
            tl_implicit_guess_slides(system, b);
            direct = tl_implicit_choose_direct(system, step);
        }
        if (direct) {
            tl_implicit_solve_directly(system, step, b, u);
        } else {
            if (!step->linear)
                start_solution(system, step, b, u);
            tl_implicit_solve_in_contact(system, step, b, u);
        }
        if (iterations > 1)
            line_search(system, step, w, u, before);
        if (iterations > 1 && !step->linear && converged(system, w, u))
            break;
        memcpy(w, u, bytes);
    }
}

/* ---- for the layer solve ---------------------------------------------------------------------------------------- */

void tl_implicit_times(tl_system *system, const tl_real *in, tl_real *out) { times(system, in, out); }
void tl_implicit_filter(const tl_system *system, tl_real *a) { filter(system->implicit, system->p.count, a); }
bool tl_implicit_is_unconstrained(const tl_system *system)
{
    const unsigned char *constrained = system->implicit->constrained;
    int any = 0;
    for (int i = 0; i < system->p.count; ++i)
        any |= constrained[i];
    return !any;
}
tl_real tl_implicit_position_step(const tl_system *system) { return system->implicit->position_step; }
tl_real tl_implicit_push(const tl_system *system) { return system->implicit->push; }
const tl_real *tl_implicit_residual(const tl_system *system) { return system->implicit->vector[RESIDUAL]; }
tl_real *const *tl_implicit_vectors(tl_system *system) { return system->implicit->vector; }
tl_real tl_implicit_compliance(const tl_system *system, int i, tl_vec3 direction)
{
    const tl_implicit *s = system->implicit;
    return tl_sparse_compliance(&s->sparse, i, free_part(s, i, direction));
}
void tl_implicit_condition_with(tl_system *system, const tl_real *same, const tl_real *mixed)
{
    for (int i = 0; i < system->p.count; ++i)
        tl_sparse_invert_with(&system->implicit->sparse, i, same + TL_STRIDE * (ptrdiff_t)i,
                              mixed + TL_STRIDE * (ptrdiff_t)i);
}
void tl_implicit_condition(tl_system *system, const tl_real *in, tl_real *out)
{
    tl_sparse_jacobi(&system->implicit->sparse, system->tasks, in, out);
    filter(system->implicit, system->p.count, out);
}
int *tl_implicit_group(tl_system *system) { return &system->implicit->group; }

/* ---- the step --------------------------------------------------------------------------------------------------- */

void tl_implicit_catch_up(tl_system *system)
{
    if (!(fabs(system->lag) > 0))
        return;
    tl_system_forces(system, system->time);
    for (int i = 0; i < system->p.count; ++i)
        tl_accumulate(system->p.v, i, tl_scale(tl_at(system->p.f, i), system->p.w[i] * system->lag));
    system->lag = 0;
}

void tl_implicit_solve(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    tl_particles *p = &system->p;
    for (int i = 0; i < p->count; ++i) {
        tl_stride_put(s->vector[OLD_X], i, tl_at(p->x, i));
        tl_stride_put(s->vector[OLD_V], i, tl_at(p->v, i));
    }
    if (s->sparse.has_taut_links)
        tl_strain_limit_weigh(system);
    keep_outside_forces(system);
    tl_implicit_find_constraints(system, step);
    s->position_step = step->h;
    s->push = step->push;
    newton(system, step);
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 u = tl_stride_at(s->vector[FOUND], i), x = tl_madd(tl_stride_at(step->start, i), u, step->h);
        if (!(p->w[i] > 0)) { /* pinned: prescribed motion, bit-exact */
            u = tl_stride_at(s->vector[OLD_V], i);
            x = tl_madd(tl_stride_at(s->vector[OLD_X], i), u, step->whole);
        }
        tl_put(p->x, i, x);
        tl_put(p->v, i, u);
    }
    tl_implicit_stop_at_surfaces(system, step);
    if (s->constraint_count > 0)
        tl_body_contacts_report(system->body_contacts, s->constraint, s->constraint_count);
}

void tl_implicit_euler(tl_system *system, tl_real h, tl_implicit_step how)
{
    tl_real *start = tl_implicit_start(system), *before = tl_implicit_before(system);
    tl_implicit_catch_up(system);
    tl_real keep = (tl_real)tl_exp(-(double)system->damping * (double)h);
    for (int i = 0; i < system->p.count; ++i)
        for (int c = 0; c < 3; ++c) {
            start[TL_STRIDE * i + c] = system->p.x[c][i];
            before[TL_STRIDE * i + c] = keep * system->p.v[c][i];
        }
    how.start = start;
    how.before = before;
    how.h = how.push = how.whole = h;
    how.keep = keep;
    tl_implicit_solve(system, &how);
}
