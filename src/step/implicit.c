#include "step/implicit.h"

#include "contact/touch.h"
#include "core/timing.h"
#include "core/trig.h"
#include "step/limit.h"
#include "step/sparse.h"

#include <string.h>

/* Passes in which touches change their state; what is wrong after them is left to contact/respond.c. */
enum { TOUCH_PASSES = 8, FRICTION_PASSES = 3 };
/* Tolerance of the solutions that only tell what touches do, over that of the last. */
#define ROUGH 2
/* … or, in the first FRICTION_PASSES, the share of the residual they began with: a touch that changes undoes more than
   the rest would gain. */
#define PASS_SHARE 0.1
/* Share of the touches that may still change when the passes end. */
#define UNSETTLED 0.005
/* Slip below which a particle stood still in the last step, m/s: rounding of places in a step. */
#define STILL ((tl_real)1e-6)
/* Slip below which friction need not be right within the step, m/s. */
#define CREEP ((tl_real)1e-2)
/* Share by which friction may still change when the passes end. */
#define FRICTION_CHANGE ((tl_real)0.1)
/* Halvings of a Newton step that would gain energy. */
enum { LINE_HALVINGS = 6 };
/* Share of a moment's fall, squared: a cloth with less than the tolerance of it left to do stands still. No other
   solution is better, and one that is as good goes on trembling for ever. */
#define REST_SHARE 0.1
/* … that the tolerance is of at the least. Less, since cloth that all but stands still shows the errors of its
   solutions: the soft bending of a hem turns a small residual into millimetres. */
#define LEAST_SHARE 0.01

/* A touch of a body with a mass that presses YIELDS: its particle carries a share of that mass along the normal. */
typedef enum touch_state { OFF, STICKS, SLIDES, YIELDS } touch_state;

enum {
    RHS,
    LOADED,
    RESIDUAL,
    DIRECTION,
    IMAGE,
    CONDITIONED,
    GUESS,
    FOUND,
    OUTSIDE,
    START,
    BEFORE,
    OLD_X,
    OLD_V,
    GAS, /* ∇V, of a cloth filled with gas */
    VECTORS
};

struct tl_implicit {
    tl_sparse sparse;
    tl_real *vector[VECTORS]; /* TL_STRIDE numbers per particle */
    unsigned char *held;      /* per particle: 1 held or sticking, 2 sliding */
    tl_touch *touch;
    tl_vec3 *target;         /* per touch: end velocity asked for, m/s */
    tl_real *drag;           /* per touch that slides, N·s over m/s */
    unsigned char *state;    /* per touch */
    unsigned char *released; /* per touch: it has left its surface in this round */
    unsigned char *stuck;    /* per touch: it slid in this round and was made to stick */
    int *touch_of;           /* per particle, where held is 2 */
    int touch_count, unsettled, iterations;
    tl_real reach;         /* s, h of the last step */
    tl_real gas_stiffness; /* of the gas's part of the matrix, gas_stiffness ∇V ∇Vᵀ */
};

tl_real *tl_implicit_start(tl_system *system) { return system->implicit->vector[START]; }
tl_real *tl_implicit_before(tl_system *system) { return system->implicit->vector[BEFORE]; }
const tl_touch *tl_implicit_touch(tl_system *system, int k, bool *sticks)
{
    const tl_implicit *s = system->implicit;
    if (k >= s->touch_count)
        return NULL;
    *sticks = s->state[k] == STICKS;
    return &s->touch[k];
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
    done = (s->held = tl_allocate(allocator, count, 1)) && done;
    done = (s->state = tl_allocate(allocator, count, 1)) && done;
    done = (s->released = tl_allocate(allocator, count, 1)) && done;
    done = (s->stuck = tl_allocate(allocator, count, 1)) && done;
    done = (s->touch = tl_allocate(allocator, count, sizeof *s->touch)) && done;
    done = (s->target = tl_allocate(allocator, count, sizeof *s->target)) && done;
    done = (s->drag = tl_allocate(allocator, count, sizeof *s->drag)) && done;
    done = (s->touch_of = tl_allocate(allocator, count, sizeof *s->touch_of)) && done;
    system->bytes += count * (VECTORS * TL_STRIDE * sizeof(tl_real) + 4 + sizeof(tl_touch) + sizeof(tl_vec3) +
                              sizeof(tl_real) + sizeof(int));
    return done;
}

static tl_result prepare(tl_system *system, bool frozen, tl_error *error)
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
        done = tl_sparse_prepare(sparse, system, frozen);
        system->bytes += sparse->bytes;
    }
    return done ? TL_OK : tl_fail(error, TL_ERROR_MEMORY, "no memory for the matrix of %d particles", system->p.count);
}

tl_result tl_implicit_prepare(tl_system *system, tl_error *error) { return prepare(system, false, error); }
tl_result tl_implicit_prepare_frozen(tl_system *system, tl_error *error) { return prepare(system, true, error); }

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
    tl_release(allocator, s->released);
    tl_release(allocator, s->stuck);
    tl_release(allocator, s->touch);
    tl_release(allocator, s->target);
    tl_release(allocator, s->drag);
    tl_release(allocator, s->touch_of);
    tl_release(allocator, s);
    system->implicit = NULL;
}

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

static tl_vec3 get(const tl_real *a, int i)
{
    a += TL_STRIDE * (ptrdiff_t)i;
    return tl_v3(a[0], a[1], a[2]);
}
static void set(tl_real *a, int i, tl_vec3 value)
{
    a += TL_STRIDE * (ptrdiff_t)i;
    a[0] = value.x;
    a[1] = value.y;
    a[2] = value.z;
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

/* The matrix, and what gas adds to it: push h γ p/V ∇V ∇Vᵀ, which couples all particles and is never stored. */
static void assemble(tl_system *system, tl_real push, tl_real h)
{
    tl_implicit *s = system->implicit;
    tl_sparse_assemble(&s->sparse, system, push, push * h);
    if (!system->gas.on)
        return;
    s->gas_stiffness =
        push * h * (tl_real)tl_gas_stiffness(&system->gas, tl_gas_measure(&system->gas, &system->p, system->lanes));
    for (int i = 0; i < system->p.count; ++i)
        set(s->vector[GAS], i, tl_scale(tl_at(system->gas.area, i), (tl_real)1 / 6));
}

static void times(const tl_system *system, const tl_real *in, tl_real *out)
{
    const tl_implicit *s = system->implicit;
    tl_sparse_times(&s->sparse, system->tasks, in, out);
    if (!system->gas.on)
        return;
    int count = TL_STRIDE * system->p.count;
    const tl_real *gradient = s->vector[GAS];
    tl_real share = s->gas_stiffness * (tl_real)dot(gradient, in, count);
    for (int k = 0; k < count; ++k)
        out[k] += share * gradient[k];
}

/* Forces of elements, taut links and gas at the present state, added to p.f. */
static void inner_forces(tl_system *system)
{
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e])
            system->batch[e].kind->force(&system->batch[e], &system->p);
    if (system->implicit->sparse.braced)
        tl_limit_force(system);
    if (system->gas.on)
        tl_gas_force(&system->gas, &system->p, system->lanes);
}

/* Two rounds of Jacobi's method on A u = b from u. With twice the diagonal not below the rows they take a share of the
   way to the solution that lies between none and all of it in every direction. */
static void relax(tl_system *system, const tl_real *b, tl_real *u)
{
    tl_implicit *s = system->implicit;
    int particles = system->p.count, count = TL_STRIDE * particles;
    tl_real *r = s->vector[RESIDUAL], *z = s->vector[CONDITIONED];
    for (int round = 0; round < 2; ++round) {
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

/* Solves A u = b over the free directions; u holds the constrained ones already, and a guess. `scale` is the square of
   what counts as one in the tolerance; as good is a residual of `share` times the first one. */
static void solve(tl_system *system, const tl_real *b, tl_real *u, double scale, double share)
{
    tl_implicit *s = system->implicit;
    int particles = system->p.count, count = TL_STRIDE * particles;
    tl_real *r = s->vector[RESIDUAL], *d = s->vector[DIRECTION], *q = s->vector[IMAGE], *z = s->vector[CONDITIONED];
    times(system, u, r);
    for (int k = 0; k < count; ++k)
        r[k] = b[k] - r[k];
    filter(s, particles, r);
    condition(system, r, z);
    memcpy(d, z, (size_t)count * sizeof *d);
    double size = dot(r, z, count), tolerance = (double)system->implicit_settings.tolerance;
    double enough = fmax(tolerance * tolerance * scale, share * share * size);
    for (int n = 0; n < system->implicit_settings.iterations && size > enough; ++n) {
        times(system, d, q);
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
        tl_real turn = (tl_real)(next / size);
        for (int k = 0; k < count; ++k)
            d[k] = z[k] + turn * d[k];
        size = next;
        ++s->iterations;
    }
}

/* ---- contact ---------------------------------------------------------------------------------------------------- */

/* What a touch is while nothing is known of it but that it presses. */
static touch_state presses(const tl_touch *touch)
{
    return touch->yields > 0 ? YIELDS : touch->friction > 0 ? STICKS : SLIDES;
}

/* What a body's share adds to its particle's mass. Bodies take steps of Euler's, forces in the solve count `push`
   seconds: of the same force. */
static tl_real weight_of(const tl_implicit_step *step, const tl_touch *touch)
{
    return touch->yields * step->push / step->whole;
}

/* Drops touches of bodies with a mass. */
static int leave_yielding(tl_touch *touch, int count)
{
    int kept = 0;
    for (int k = 0; k < count; ++k)
        if (!(touch[k].yields > 0))
            touch[kept++] = touch[k];
    return kept;
}

/* Asks the world what may be touched, and where each touch wants its particle to go: along with the surface, and onto
   it. */
static void find_touches(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    s->touch_count = system->touches ? system->touches(system->touch_user, step->whole, false, s->touch) : 0;
    if (s->sparse.frozen) /* what only comes near the solution would not give a body what it takes from the cloth */
        s->touch_count = leave_yielding(s->touch, s->touch_count);
    for (int k = 0; k < s->touch_count; ++k) {
        tl_touch *touch = &s->touch[k];
        tl_vec3 gone = tl_sub(get(step->start, touch->particle), get(s->vector[OLD_X], touch->particle));
        tl_vec3 way = tl_sub(tl_scale(touch->velocity, step->whole), gone);
        way = tl_madd(way, touch->normal, -touch->gap);
        s->target[k] = tl_scale(way, 1 / step->h);
        touch->impulse = tl_v3(0, 0, 0);
        s->drag[k] = 0;
        s->state[k] = (unsigned char)(touch->on ? presses(touch) : OFF);
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
        if (s->state[k] == OFF || s->state[k] == YIELDS)
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

/* Part of a vector along the surface. */
static tl_vec3 along(const tl_touch *touch, tl_vec3 a) { return tl_madd(a, touch->normal, -tl_dot(a, touch->normal)); }

/* Friction of a touch that slides, as a drag: push μ over the slip that is expected, so that the new solution is slowed
   and never turned around. Passes and steps carry it to Coulomb's force. */
static tl_real drag_of(const tl_touch *touch, tl_real push, tl_real slip)
{
    return push > 0 ? touch->friction * push / tl_max(slip, STILL) : 0;
}

/* Slip at which friction balances what drives a particle along `way` now, at `speed` against `brake`, N·s, if only its
   neighbours stay: the matrix tells what they hold against it. As they move along it goes on farther, and the next
   solution tells; by its mass alone a particle of stiff cloth would fly off here, as if without friction. A matrix that
   was made once holds too much, and cloth at rest would gather speed from that. */
static tl_real balanced_slip(const tl_implicit *s, const tl_touch *touch, tl_vec3 way, tl_real speed, tl_real brake,
                             tl_real push, tl_real mass)
{
    tl_real excess = brake - touch->friction * push;
    if (s->sparse.frozen)
        return speed > 0 ? speed : excess / mass;
    return speed > 0 || brake > 0 ? speed + excess / tl_sparse_along(&s->sparse, touch->particle, way) : 0;
}

/* What slid in the last step goes on sliding at first, with the push that present forces give it: so that in most steps
   few touches change. `b` is the momentum that the step wants without contact. */
static void guess_slides(tl_system *system, const tl_real *b)
{
    tl_implicit *s = system->implicit;
    for (int k = 0; k < s->touch_count; ++k) {
        const tl_touch *touch = &s->touch[k];
        int i = touch->particle;
        tl_real slip = tl_length(along(touch, tl_sub(get(s->vector[OLD_V], i), s->target[k])));
        if (s->state[k] != STICKS || !(slip > STILL) || !isfinite(touch->friction))
            continue;
        tl_vec3 momentum = tl_madd(get(b, i), touch->velocity, -system->p.m[i]);
        s->state[k] = SLIDES;
        s->drag[k] = drag_of(touch, -tl_dot(momentum, touch->normal), slip);
    }
}

/* What one touch becomes, given the impulse it took besides drag and where the solution went. A touch that starts to
   slide does so without friction for one pass, to find the slip and a push that does not come from sticking. `last`:
   the next solution may be the step, so that what is on a surface stays there, and what slides has its friction. */
static touch_state judge(tl_implicit *s, int k, tl_vec3 impulse, tl_vec3 u, tl_real mass, bool last)
{
    const tl_touch *touch = &s->touch[k];
    tl_vec3 slip = tl_sub(u, s->target[k]);
    tl_real push = tl_dot(impulse, touch->normal), drag = s->drag[k];
    s->drag[k] = 0;
    if (s->state[k] == OFF)
        return !(tl_dot(slip, touch->normal) < 0) ? OFF : presses(touch);
    if (s->state[k] == YIELDS)
        push = -tl_dot(slip, touch->normal);
    /* once in a round: what comes back to the surface stays until the next */
    if (push < 0 && !s->released[k] && !(last && touch->on)) {
        s->released[k] = 1;
        return OFF;
    }
    if (s->state[k] == YIELDS)
        return YIELDS;
    tl_real speed = tl_length(along(touch, slip));
    if (s->state[k] == STICKS) {
        tl_vec3 hold = along(touch, impulse);
        tl_real brake = tl_length(hold);
        if (!(brake > touch->friction * push))
            return STICKS;
        if (s->stuck[k] || last)
            s->drag[k] = drag_of(touch, push, balanced_slip(s, touch, hold, 0, brake, push, mass));
        return SLIDES;
    }
    /* friction that would turn the slip around within the step holds the particle: drag d took it from s₀ = μ push/d to
       s, and m s is the least that is left for friction to stop. Once in a round as well. */
    if (drag > 0 && !s->stuck[k] && mass * speed < touch->friction * push - drag * speed) {
        s->stuck[k] = 1;
        return STICKS;
    }
    s->drag[k] = drag_of(touch, push, balanced_slip(s, touch, along(touch, slip), speed, drag * speed, push, mass));
    s->unsettled += speed > CREEP && fabs(s->drag[k] - drag) > FRICTION_CHANGE * s->drag[k];
    return SLIDES;
}

/* Looks at all touches after a solution; true when another is worth it: while particles would enter a body, and, in the
   first passes, while any touch lets go or many change. With a matrix that was made once a solution is only near that
   of the step: what lets go is not looked at more closely there, or cloth at rest would go on trembling. */
static bool judge_touches(tl_system *system, const tl_real *b, const tl_real *u, int pass)
{
    tl_implicit *s = system->implicit;
    tl_real *q = s->vector[IMAGE];
    int changed = 0, entering = 0, loose = 0;
    bool late = pass >= FRICTION_PASSES, exact = !s->sparse.frozen, last = late && exact;
    s->unsettled = 0;
    times(system, u, q);
    for (int k = 0; k < s->touch_count; ++k) {
        int i = s->touch[k].particle;
        touch_state was = s->state[k];
        s->state[k] = (unsigned char)judge(s, k, tl_sub(get(q, i), get(b, i)), get(u, i), system->p.m[i], last);
        changed += s->state[k] != was;
        entering += was == OFF && s->state[k] != OFF;
        loose += was != OFF && (s->state[k] == OFF || (was == STICKS && s->state[k] == SLIDES));
    }
    return entering > 0 || (!late && ((exact && loose > 0) || changed + s->unsettled > UNSETTLED * s->touch_count));
}

/* The impulses that the touches took in a solution. */
static void take_impulses(tl_system *system, const tl_real *b, const tl_real *u)
{
    tl_implicit *s = system->implicit;
    tl_real *q = s->vector[IMAGE];
    times(system, u, q);
    for (int k = 0; k < s->touch_count; ++k) {
        tl_touch *touch = &s->touch[k];
        int i = touch->particle;
        tl_vec3 impulse = tl_sub(get(q, i), get(b, i)), slip = tl_sub(get(u, i), s->target[k]);
        touch->impulse = s->state[k] == OFF ? tl_v3(0, 0, 0) : tl_madd(impulse, along(touch, slip), -s->drag[k]);
        if (s->state[k] == YIELDS) /* over the whole step, for the body */
            touch->impulse = tl_scale(touch->normal, touch->yields * tl_max(0, -tl_dot(slip, touch->normal)));
    }
}

/* Drag of what slides and the share of bodies that give way, on the diagonal and on the right side. */
static void load(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *loaded)
{
    tl_implicit *s = system->implicit;
    memcpy(loaded, b, TL_STRIDE * (size_t)system->p.count * sizeof *b);
    for (int k = 0; k < s->touch_count; ++k) {
        const tl_touch *touch = &s->touch[k];
        if (s->state[k] != SLIDES)
            s->drag[k] = 0;
        tl_real weight = s->state[k] == YIELDS ? weight_of(step, touch) : 0;
        s->drag[k] = tl_sparse_drag(&s->sparse, touch->particle, touch->normal, s->drag[k], weight);
        if (s->drag[k] > 0)
            set(loaded, touch->particle, tl_madd(get(loaded, touch->particle), along(touch, s->target[k]), s->drag[k]));
        if (weight > 0)
            set(loaded, touch->particle,
                tl_madd(get(loaded, touch->particle), touch->normal, weight * tl_dot(s->target[k], touch->normal)));
    }
}

/* Solves with contact: passes until no touch changes. What a touch may do once, it may do once in every round of
   Newton's method: the first rounds are far from the solution, and of a cloth that thin_objects.c brings there bit by
   bit they would decide what slides. */
static void solve_in_contact(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u,
                             double scale)
{
    tl_implicit *s = system->implicit;
    tl_real *loaded = s->vector[LOADED];
    bool touches = s->touch_count > 0;
    double rough = touches ? ROUGH * ROUGH * scale : scale;
    memset(s->released, 0, (size_t)s->touch_count);
    memset(s->stuck, 0, (size_t)s->touch_count);
    for (int pass = 0; pass < TOUCH_PASSES; ++pass) {
        constrain(system, step, u);
        load(system, step, b, loaded);
        if (step->linear)
            relax(system, loaded, u);
        else
            solve(system, loaded, u, rough, touches && (pass < FRICTION_PASSES || s->sparse.frozen) ? PASS_SHARE : 0);
        if (!touches || !judge_touches(system, loaded, u, pass))
            break;
    }
    if (!touches)
        return;
    constrain(system, step, u);
    load(system, step, b, loaded);
    if (step->linear)
        relax(system, loaded, u);
    else
        solve(system, loaded, u, scale, 0);
    take_impulses(system, loaded, u);
}

/* ---- Newton ----------------------------------------------------------------------------------------------------- */

/* Gravity, air and the user's forces at the start, kept for the whole step. */
static void keep_outside_forces(tl_system *system)
{
    tl_system_external(system, system->time);
    for (int i = 0; i < system->p.count; ++i)
        set(system->implicit->vector[OUTSIDE], i, tl_at(system->p.f, i));
}

/* Puts the cloth to x* + h w with the velocity w, and the forces of elements and gas into p.f. */
static void go_to(tl_system *system, const tl_implicit_step *step, const tl_real *w)
{
    tl_particles *p = &system->p;
    for (int i = 0; i < p->count; ++i) {
        tl_put(p->x, i, tl_madd(get(step->start, i), get(w, i), step->h));
        tl_put(p->v, i, get(w, i));
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
        tl_vec3 change = tl_sub(get(w, i), get(step->before, i));
        sum += 0.5 * (double)p->m[i] * (double)tl_dot(change, change);
        sum -= (double)step->push * (double)tl_dot(get(w, i), get(outside, i));
        damped += (double)tl_dot(get(w, i), tl_at(p->f, i));
    }
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e])
            sum += (double)(step->push / step->h) * system->batch[e].kind->energy(&system->batch[e], p);
    if (system->implicit->sparse.braced)
        sum += (double)(step->push / step->h) * tl_limit_energy(system);
    if (system->gas.on)
        sum += (double)(step->push / step->h) * tl_gas_energy(&system->gas, p, system->lanes);
    const tl_implicit *s = system->implicit;
    for (int k = 0; k < s->touch_count; ++k) {
        double slip = (double)tl_dot(tl_sub(get(w, s->touch[k].particle), s->target[k]), s->touch[k].normal);
        sum += s->state[k] == YIELDS ? 0.5 * (double)weight_of(step, &s->touch[k]) * slip * slip : 0;
    }
    /* damping's share of w·f is what is left when the cloth stands still in the same shape */
    for (int i = 0; i < p->count; ++i) {
        tl_put(p->v, i, tl_v3(0, 0, 0));
        tl_put(p->f, i, tl_v3(0, 0, 0));
    }
    inner_forces(system);
    for (int i = 0; i < p->count; ++i) {
        damped -= (double)tl_dot(get(w, i), tl_at(p->f, i));
        tl_put(p->v, i, get(w, i));
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
        tl_vec3 force = tl_add(get(s->vector[OUTSIDE], i), tl_at(system->p.f, i));
        tl_vec3 sum = tl_madd(tl_scale(get(step->before, i), m), force, step->push);
        if (!at_start)
            sum = tl_add(sum, tl_madd(get(b, i), get(w, i), -m));
        set(b, i, sum);
    }
}

/* Square of what counts as one in the tolerance: what the step has to do, or a moment's fall, whichever is more; both
   as the preconditioner sees them. `rests`: nothing is left to do. */
static double scale_of(tl_system *system, const tl_implicit_step *step, const tl_real *b, bool *rests)
{
    tl_implicit *s = system->implicit;
    const tl_particles *p = &system->p;
    tl_real *part = s->vector[RESIDUAL], *conditioned = s->vector[CONDITIONED];
    double falls = 0, fall = (double)tl_length(system->gravity) * (double)step->push;
    double tolerance = (double)system->implicit_settings.tolerance;
    bool still = true;
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 v = get(s->vector[OLD_V], i);
        if (!(p->w[i] > 0))
            still = still && !(tl_dot(v, v) > 0);
        else
            falls += (double)p->m[i] * fall * fall;
    }
    memcpy(part, b, TL_STRIDE * (size_t)p->count * sizeof *b);
    filter(s, p->count, part);
    condition(system, part, conditioned);
    double moves = dot(part, conditioned, TL_STRIDE * p->count);
    *rests = still && moves <= tolerance * tolerance * REST_SHARE * falls;
    double least = (system->implicit->sparse.frozen ? REST_SHARE : LEAST_SHARE) * falls;
    return moves > least ? moves : least;
}

/* Newton's method went from w to u: as far as the potential falls. */
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

/* The velocity w that keeps the cloth where it is, x* + h w = x: 0 but for steppers whose x* is another place. True for
   0. */
static bool stay(tl_system *system, const tl_implicit_step *step, tl_real *w)
{
    bool none = true;
    for (int i = 0; i < system->p.count; ++i) {
        tl_vec3 back = tl_sub(get(system->implicit->vector[OLD_X], i), get(step->start, i));
        none = none && !(tl_dot(back, back) > 0);
        set(w, i, tl_scale(back, 1 / step->h));
    }
    return none;
}

/* Where Newton's method starts: where the cloth is, or with the velocity before when that has the lower potential. The
   first is never above the energy that the cloth has, so what comes out of a matrix that is not below the Hessian is
   not either. Too few rounds to bring weight and wind from rest to the cloth start with what these do to each particle.
   True for w = 0. */
static bool start_guess(tl_system *system, const tl_implicit_step *step, tl_real *w)
{
    const tl_real *outside = system->implicit->vector[OUTSIDE];
    bool none = stay(system, step, w);
    if (!step->predict)
        return none;
    double at_rest = INFINITY;
    if (!step->linear) {
        constrain(system, step, w);
        go_to(system, step, w);
        at_rest = potential(system, step, w);
    }
    tl_real gain = step->linear ? step->push : 0;
    for (int i = 0; i < system->p.count; ++i)
        set(w, i, tl_madd(get(step->before, i), get(outside, i), gain * system->p.w[i]));
    constrain(system, step, w);
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
    int rounds = system->implicit_settings.newton;
    bool none = start_guess(system, step, w);
    memcpy(u, step->linear ? w : step->before, bytes);
    constrain(system, step, u);
    for (int n = 0; n < rounds; ++n) {
        double before = 0;
        if (n > 0)
            constrain(system, step, w);
        go_to(system, step, w);
        if (rounds > 1)
            before = potential(system, step, w);
        assemble(system, step->push, step->h);
        if (rounds > 1)
            go_to(system, step, w); /* the potential has left only elastic forces */
        right_side(system, step, w, n == 0 && none, b);
        bool rests = false;
        double scale = scale_of(system, step, b, &rests);
        if (n == 0 && (none || !step->predict) && rests)
            memset(u, 0, bytes);
        if (n == 0)
            guess_slides(system, b);
        solve_in_contact(system, step, b, u, scale);
        if (rounds > 1)
            line_search(system, step, w, u, before);
        if (rounds > 1 && settled(system, w, u, scale))
            break;
        memcpy(w, u, bytes);
    }
}

/* ---- for others ------------------------------------------------------------------------------------------------- */

void tl_implicit_times(tl_system *system, const tl_real *in, tl_real *out) { times(system, in, out); }
void tl_implicit_filter(const tl_system *system, tl_real *a) { filter(system->implicit, system->p.count, a); }
tl_real tl_implicit_reach(const tl_system *system) { return system->implicit->reach; }
tl_real *const *tl_implicit_vectors(tl_system *system) { return system->implicit->vector; }
tl_real tl_implicit_diagonal(const tl_system *system, int i)
{
    return tl_sparse_along(&system->implicit->sparse, i, tl_v3(1, 1, 1));
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
        if (!(tl_dot(touch->impulse, touch->impulse) > 0) || touch->yields > 0)
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
    if (s->sparse.braced)
        tl_limit_weigh(system);
    keep_outside_forces(system);
    find_touches(system, step);
    s->reach = step->h;
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
    tl_implicit_solve(system, &how);
}
