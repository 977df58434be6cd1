#include "step/implicit.h"

#include "contact/touch.h"
#include "core/timing.h"
#include "step/sparse.h"

#include <string.h>

/* Passes in which touches change their state; what is wrong after them is left to contact/respond.c. */
enum { TOUCH_PASSES = 4 };
/* Halvings of a Newton step that would gain energy. */
enum { LINE_HALVINGS = 6 };
/* Below this share of the tolerance, forces and momentum count as rest and the cloth stands still. */
#define REST_SHARE 0.1

typedef enum touch_state { OFF, STICKS, SLIDES } touch_state;

enum { RHS, LOADED, RESIDUAL, DIRECTION, IMAGE, CONDITIONED, GUESS, FOUND, OUTSIDE, START, BEFORE, OLD_X, OLD_V, VECTORS };

struct tl_implicit {
    tl_sparse sparse;
    tl_real *vector[VECTORS]; /* three numbers per particle */
    unsigned char *held;      /* per particle: 1 held or sticking, 2 sliding */
    tl_touch *touch;
    tl_vec3 *target, *friction; /* per touch: end velocity asked for; impulse of sliding friction */
    unsigned char *state;       /* per touch */
    int *touch_of;              /* per particle, where held is 2 */
    int touch_count, iterations;
};

tl_real *tl_implicit_start(tl_system *system) { return system->implicit->vector[START]; }
tl_real *tl_implicit_before(tl_system *system) { return system->implicit->vector[BEFORE]; }
int *tl_implicit_iterations(tl_system *system) { return &system->implicit->iterations; }

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static bool allocate(tl_system *system, tl_implicit *s)
{
    const tl_allocator *allocator = &system->allocator;
    size_t count = (size_t)tl_padded(system->p.count);
    bool done = true;
    for (int k = 0; k < VECTORS; ++k)
        done = (s->vector[k] = tl_allocate(allocator, 3 * count, sizeof(tl_real))) && done;
    done = (s->held = tl_allocate(allocator, count, 1)) && done;
    done = (s->state = tl_allocate(allocator, count, 1)) && done;
    done = (s->touch = tl_allocate(allocator, count, sizeof *s->touch)) && done;
    done = (s->target = tl_allocate(allocator, count, sizeof *s->target)) && done;
    done = (s->friction = tl_allocate(allocator, count, sizeof *s->friction)) && done;
    done = (s->touch_of = tl_allocate(allocator, count, sizeof *s->touch_of)) && done;
    system->bytes += count * (VECTORS * 3 * sizeof(tl_real) + 2 + sizeof(tl_touch) + 2 * sizeof(tl_vec3) + sizeof(int));
    return done;
}

tl_result tl_implicit_prepare(tl_system *system, tl_error *error)
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
        system->bytes -= sparse->bytes;
        done = tl_sparse_prepare(sparse, system);
        system->bytes += sparse->bytes;
    }
    return done ? TL_OK : tl_fail(error, TL_ERROR_MEMORY, "no memory for the matrix of %d particles", system->p.count);
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
    tl_release(allocator, s->held);
    tl_release(allocator, s->state);
    tl_release(allocator, s->touch);
    tl_release(allocator, s->target);
    tl_release(allocator, s->friction);
    tl_release(allocator, s->touch_of);
    tl_release(allocator, s);
    system->implicit = NULL;
}

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

static tl_vec3 get(const tl_real *a, int i) { return tl_v3(a[3 * i], a[3 * i + 1], a[3 * i + 2]); }
static void set(tl_real *a, int i, tl_vec3 value)
{
    a[3 * i] = value.x;
    a[3 * i + 1] = value.y;
    a[3 * i + 2] = value.z;
}

/* Eight sums in turn: the order of adding is fixed, and compilers can make vectors of it. */
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

/* Takes the constrained directions out. */
static void filter(const tl_implicit *s, int particles, tl_real *a)
{
    for (int i = 0; i < particles; ++i) {
        if (s->held[i] == 0)
            continue;
        tl_vec3 left = tl_v3(0, 0, 0);
        if (s->held[i] == 2) {
            tl_vec3 n = s->touch[s->touch_of[i]].normal, value = get(a, i);
            left = tl_madd(value, n, -tl_dot(value, n));
        }
        set(a, i, left);
    }
}

/* ---- conjugate gradients ---------------------------------------------------------------------------------------- */

static void condition(const tl_system *system, const tl_real *in, tl_real *out)
{
    const tl_implicit *s = system->implicit;
    if (system->implicit_settings.sweep)
        tl_sparse_sweep(&s->sparse, s->held, in, out);
    else
        tl_sparse_jacobi(&s->sparse, system->tasks, in, out);
    filter(s, system->p.count, out);
}

/* Solves A u = b over the free directions; u holds the constrained ones already, and a guess. `scale` is the square of
   what counts as one in the tolerance. */
static void solve(tl_system *system, const tl_real *b, tl_real *u, double scale)
{
    tl_implicit *s = system->implicit;
    int particles = system->p.count, count = 3 * particles;
    tl_real *r = s->vector[RESIDUAL], *d = s->vector[DIRECTION], *q = s->vector[IMAGE], *z = s->vector[CONDITIONED];
    tl_sparse_times(&s->sparse, system->tasks, u, r);
    for (int k = 0; k < count; ++k)
        r[k] = b[k] - r[k];
    filter(s, particles, r);
    condition(system, r, z);
    memcpy(d, z, (size_t)count * sizeof *d);
    double size = dot(r, z, count), tolerance = (double)system->implicit_settings.tolerance;
    double enough = tolerance * tolerance * scale;
    for (int n = 0; n < system->implicit_settings.iterations && size > enough; ++n) {
        tl_sparse_times(&s->sparse, system->tasks, d, q);
        filter(s, particles, q);
        double slope = dot(d, q, count);
        if (!(slope > 0))
            return; /* rounding has taken what was left, or the state is not finite */
        tl_real step = (tl_real)(size / slope);
        for (int k = 0; k < count; ++k) {
            u[k] += step * d[k];
            r[k] -= step * q[k];
        }
        condition(system, r, z);
        double next = dot(r, z, count);
        tl_real share = (tl_real)(next / size);
        for (int k = 0; k < count; ++k)
            d[k] = z[k] + share * d[k];
        size = next;
        ++s->iterations;
    }
}

/* ---- contact ---------------------------------------------------------------------------------------------------- */

/* Asks the world what may be touched, and where each touch wants its particle to go: along with the surface, and onto
   it. */
static void find_touches(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    s->touch_count = system->touches ? system->touches(system->touch_user, step->whole, s->touch) : 0;
    for (int k = 0; k < s->touch_count; ++k) {
        tl_touch *touch = &s->touch[k];
        tl_vec3 gone = tl_sub(get(step->start, touch->particle), get(s->vector[OLD_X], touch->particle));
        tl_vec3 way = tl_sub(tl_scale(touch->velocity, step->whole), gone);
        way = tl_madd(way, touch->normal, -touch->gap);
        s->target[k] = tl_scale(way, 1 / step->h);
        s->friction[k] = touch->impulse = tl_v3(0, 0, 0);
        s->state[k] = !touch->on ? OFF : touch->friction > 0 ? STICKS : SLIDES;
    }
}

/* Writes the constrained directions into u and marks them for the filter. */
static void constrain(tl_system *system, const tl_implicit_step *step, tl_real *u)
{
    tl_implicit *s = system->implicit;
    for (int i = 0; i < system->p.count; ++i) {
        s->held[i] = !(system->p.w[i] > 0);
        if (s->held[i]) { /* carried by its velocity through the whole substep */
            tl_vec3 gone = tl_sub(get(step->start, i), get(s->vector[OLD_X], i));
            set(u, i, tl_scale(tl_sub(tl_scale(get(s->vector[OLD_V], i), step->whole), gone), 1 / step->h));
        }
    }
    for (int k = 0; k < s->touch_count; ++k) {
        int i = s->touch[k].particle;
        if (s->state[k] == OFF)
            continue;
        tl_vec3 n = s->touch[k].normal, value = get(u, i);
        if (s->state[k] == STICKS)
            value = s->target[k];
        else
            value = tl_madd(value, n, tl_dot(tl_sub(s->target[k], value), n));
        set(u, i, value);
        s->held[i] = s->state[k] == STICKS ? 1 : 2;
        s->touch_of[i] = k;
    }
}

/* What one touch becomes, given the impulse it took and where the solution went. */
static touch_state judge(const tl_implicit *s, int k, tl_vec3 impulse, tl_vec3 u, tl_vec3 *friction)
{
    const tl_touch *touch = &s->touch[k];
    tl_vec3 n = touch->normal, slip = tl_sub(u, s->target[k]);
    tl_real push = tl_dot(impulse, n), away = tl_dot(slip, n);
    touch_state pressed = touch->friction > 0 ? STICKS : SLIDES;
    *friction = tl_v3(0, 0, 0);
    if (s->state[k] == OFF)
        return away < 0 ? pressed : OFF;
    if (push < 0)
        return OFF;
    tl_real limit = touch->friction * push;
    if (s->state[k] == STICKS) {
        tl_vec3 along = tl_madd(impulse, n, -push);
        tl_real size = tl_length(along);
        if (!(size > limit))
            return STICKS;
        *friction = tl_scale(along, limit / size);
        return SLIDES;
    }
    /* friction goes against the slip; where it has turned the slip around, the particle sticks */
    slip = tl_madd(slip, n, -away);
    if (tl_dot(slip, s->friction[k]) > 0)
        return STICKS;
    tl_real speed = tl_length(slip);
    *friction = speed > 0 && isfinite(limit) ? tl_scale(slip, -limit / speed) : tl_v3(0, 0, 0);
    return SLIDES;
}

/* Looks at all touches after a solution; true when one has changed its state. Impulses go to the touches. */
static bool judge_touches(tl_system *system, const tl_real *b, const tl_real *u)
{
    tl_implicit *s = system->implicit;
    tl_real *q = s->vector[IMAGE];
    bool changed = false;
    tl_sparse_times(&s->sparse, system->tasks, u, q);
    for (int k = 0; k < s->touch_count; ++k) {
        int i = s->touch[k].particle;
        tl_vec3 impulse = tl_sub(get(q, i), get(b, i)), friction;
        touch_state was = s->state[k], now = judge(s, k, impulse, get(u, i), &friction);
        s->touch[k].impulse = was == OFF ? tl_v3(0, 0, 0) : tl_add(impulse, s->friction[k]);
        changed = changed || now != was;
        s->state[k] = (unsigned char)now;
        s->friction[k] = friction;
    }
    return changed;
}

/* Solves with contact: passes until no touch changes. */
static void solve_in_contact(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u, double scale)
{
    tl_implicit *s = system->implicit;
    tl_real *loaded = s->vector[LOADED];
    for (int pass = 0; pass < TOUCH_PASSES; ++pass) {
        constrain(system, step, u);
        memcpy(loaded, b, 3 * (size_t)system->p.count * sizeof *b);
        for (int k = 0; k < s->touch_count; ++k)
            if (s->state[k] == SLIDES)
                set(loaded, s->touch[k].particle, tl_add(get(loaded, s->touch[k].particle), s->friction[k]));
        solve(system, loaded, u, scale);
        if (s->touch_count == 0 || !judge_touches(system, loaded, u))
            return;
    }
}

/* ---- Newton ----------------------------------------------------------------------------------------------------- */

/* Gravity, air and the user's forces at the start, kept for the whole step. */
static void keep_outside_forces(tl_system *system)
{
    tl_system_external(system, system->time);
    for (int i = 0; i < system->p.count; ++i)
        set(system->implicit->vector[OUTSIDE], i, tl_at(system->p.f, i));
}

/* Puts the cloth to x* + h w with the velocity w, and its elements' forces into p.f. */
static void go_to(tl_system *system, const tl_implicit_step *step, const tl_real *w)
{
    tl_particles *p = &system->p;
    for (int i = 0; i < p->count; ++i) {
        tl_put(p->x, i, tl_madd(get(step->start, i), get(w, i), step->h));
        tl_put(p->v, i, get(w, i));
        tl_put(p->f, i, tl_v3(0, 0, 0));
    }
    double start = tl_seconds();
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e])
            system->batch[e].kind->force(&system->batch[e], p);
    system->seconds_forces += tl_seconds() - start;
}

/* ½ (w − v*) M (w − v*) + E(x_w) − h w·f_outside + ½ h w D w at the state of go_to: its minimum is the step. */
static double potential(tl_system *system, const tl_implicit_step *step, const tl_real *w)
{
    tl_particles *p = &system->p;
    const tl_real *outside = system->implicit->vector[OUTSIDE];
    double sum = 0, damped = 0;
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 change = tl_sub(get(w, i), get(step->before, i));
        sum += 0.5 * (double)p->m[i] * (double)tl_dot(change, change);
        sum -= (double)step->h * (double)tl_dot(get(w, i), get(outside, i));
        damped += (double)tl_dot(get(w, i), tl_at(p->f, i));
    }
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e])
            sum += system->batch[e].kind->energy(&system->batch[e], p);
    /* damping's share of w·f is what is left when the cloth stands still in the same shape */
    for (int i = 0; i < p->count; ++i) {
        tl_put(p->v, i, tl_v3(0, 0, 0));
        tl_put(p->f, i, tl_v3(0, 0, 0));
    }
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e])
            system->batch[e].kind->force(&system->batch[e], p);
    for (int i = 0; i < p->count; ++i) {
        damped -= (double)tl_dot(get(w, i), tl_at(p->f, i));
        tl_put(p->v, i, get(w, i));
    }
    return sum - 0.5 * (double)step->h * damped;
}

/* M v* + h (f_outside + f(x_w, w)) + (A − M) w at the state of go_to. */
static void right_side(tl_system *system, const tl_implicit_step *step, const tl_real *w, bool at_start, tl_real *b)
{
    tl_implicit *s = system->implicit;
    if (!at_start)
        tl_sparse_times(&s->sparse, system->tasks, w, b);
    for (int i = 0; i < system->p.count; ++i) {
        tl_real m = system->p.m[i];
        tl_vec3 force = tl_add(get(s->vector[OUTSIDE], i), tl_at(system->p.f, i));
        tl_vec3 sum = tl_madd(tl_scale(get(step->before, i), m), force, step->h);
        if (!at_start)
            sum = tl_add(sum, tl_madd(get(b, i), get(w, i), -m));
        set(b, i, sum);
    }
}

/* Square of what counts as one: the momentum of a moment's fall or of the step itself, whichever is more, over masses. */
static double scale_of(tl_system *system, const tl_implicit_step *step, const tl_real *b, bool *rests)
{
    const tl_particles *p = &system->p;
    double falls = 0, moves = 0, fall = (double)tl_length(system->gravity) * (double)step->h;
    double tolerance = REST_SHARE * (double)system->implicit_settings.tolerance;
    bool still = true;
    for (int i = 0; i < p->count; ++i) {
        if (!(p->w[i] > 0)) {
            tl_vec3 v = get(system->implicit->vector[OLD_V], i);
            still = still && !(tl_dot(v, v) > 0);
            continue;
        }
        falls += (double)p->m[i] * fall * fall;
        if (system->implicit->held[i] != 1)
            moves += (double)p->w[i] * (double)tl_dot(get(b, i), get(b, i));
    }
    *rests = still && moves <= tolerance * tolerance * falls;
    return falls > moves ? falls : moves;
}

/* Newton's method went from w to u: as far as the potential falls. */
static void line_search(tl_system *system, const tl_implicit_step *step, const tl_real *w, tl_real *u, double before)
{
    int count = 3 * system->p.count;
    for (int n = 0; n < LINE_HALVINGS; ++n) {
        go_to(system, step, u);
        if (potential(system, step, u) <= before)
            return;
        for (int k = 0; k < count; ++k)
            u[k] = (u[k] + w[k]) / 2;
    }
}

static bool settled(const tl_system *system, const tl_real *w, const tl_real *u, double scale)
{
    double sum = 0;
    for (int i = 0; i < system->p.count; ++i) {
        tl_vec3 change = tl_sub(get(u, i), get(w, i));
        sum += (double)system->p.m[i] * (double)tl_dot(change, change);
    }
    double tolerance = (double)system->implicit_settings.tolerance;
    return sum <= tolerance * tolerance * scale;
}

static void newton(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    size_t bytes = 3 * (size_t)system->p.count * sizeof(tl_real);
    tl_real *w = s->vector[GUESS], *u = s->vector[FOUND], *b = s->vector[RHS];
    int rounds = system->implicit_settings.newton;
    memset(w, 0, bytes);
    memcpy(u, step->before, bytes);
    constrain(system, step, u);
    for (int n = 0; n < rounds; ++n) {
        double before = 0;
        if (n > 0)
            constrain(system, step, w);
        go_to(system, step, w);
        if (n > 0)
            before = potential(system, step, w);
        tl_sparse_assemble(&s->sparse, system, step->h, step->h * step->h);
        if (n > 0)
            go_to(system, step, w); /* the potential has left only elastic forces */
        right_side(system, step, w, n == 0, b);
        bool rests = false;
        double scale = scale_of(system, step, b, &rests);
        if (n == 0 && rests)
            memset(u, 0, bytes);
        solve_in_contact(system, step, b, u, scale);
        if (rounds > 1 && n > 0)
            line_search(system, step, w, u, before);
        if (rounds > 1 && settled(system, w, u, scale))
            break;
        memcpy(w, u, bytes);
    }
}

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

/* A touch closes its gap by moving the particle; that way is no speed it keeps. */
static void stop_at_surfaces(tl_system *system)
{
    tl_implicit *s = system->implicit;
    for (int k = 0; k < s->touch_count; ++k) {
        const tl_touch *touch = &s->touch[k];
        if (!(tl_dot(touch->impulse, touch->impulse) > 0))
            continue;
        tl_vec3 v = tl_at(system->p.v, touch->particle), n = touch->normal;
        tl_put(system->p.v, touch->particle, tl_madd(v, n, tl_dot(tl_sub(touch->velocity, v), n)));
    }
}

void tl_implicit_solve(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    tl_particles *p = &system->p;
    for (int i = 0; i < p->count; ++i) {
        set(s->vector[OLD_X], i, tl_at(p->x, i));
        set(s->vector[OLD_V], i, tl_at(p->v, i));
    }
    keep_outside_forces(system);
    find_touches(system, step);
    newton(system, step);
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 u = get(s->vector[FOUND], i), x = tl_madd(get(step->start, i), u, step->h);
        if (!(p->w[i] > 0)) { /* held: as it was told, to the bit */
            u = get(s->vector[OLD_V], i);
            x = tl_madd(get(s->vector[OLD_X], i), u, step->whole);
        }
        tl_put(p->x, i, x);
        tl_put(p->v, i, u);
    }
    stop_at_surfaces(system);
    if (system->touched && s->touch_count > 0)
        system->touched(system->touch_user, s->touch, s->touch_count);
}
