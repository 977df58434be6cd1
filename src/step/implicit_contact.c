/* Contact with bodies within the implicit step: which touches press, stick or slide is found by passes over the
   solution (step/implicit.h). */
#include "step/implicit_state.h"

#include <string.h>

/* Passes in which touches change their state; what is wrong after them is left to contact/body/convex_contact.c. */
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

/* What a touch is while nothing is known of it but that it presses. */
static tl_constraint_state presses(const tl_contact_constraint *touch)
{
    return touch->effective_mass > 0 ? YIELDS : touch->friction > 0 ? STICKS : SLIDES;
}

/* What a body's share adds to its particle's mass. Bodies take steps of Euler's, forces in the solve count `push`
   seconds: of the same force. */
tl_real tl_implicit_weight(const tl_implicit_step *step, const tl_contact_constraint *touch)
{
    return touch->effective_mass * step->push / step->whole;
}

/* Drops touches of dynamic bodies. */
static int leave_yielding(tl_contact_constraint *touch, int count)
{
    int kept = 0;
    for (int k = 0; k < count; ++k)
        if (!(touch[k].effective_mass > 0))
            touch[kept++] = touch[k];
    return kept;
}

void tl_implicit_find_constraints(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    s->constraint_count = system->body_contacts
                              ? tl_body_contacts_constraints(system->body_contacts, step->whole, false, s->constraint)
                              : 0;
    if (s->sparse.frozen) /* what only comes near the solution would not give a body what it takes from the cloth */
        s->constraint_count = leave_yielding(s->constraint, s->constraint_count);
    for (int k = 0; k < s->constraint_count; ++k) {
        tl_contact_constraint *touch = &s->constraint[k];
        tl_vec3 gone =
            tl_sub(tl_stride_at(step->start, touch->particle), tl_stride_at(s->vector[OLD_X], touch->particle));
        tl_vec3 way = tl_sub(tl_scale(touch->velocity, step->whole), gone);
        way = tl_madd(way, touch->normal, -touch->gap);
        s->target[k] = tl_scale(way, 1 / step->h);
        touch->impulse = tl_v3(0, 0, 0);
        s->drag[k] = 0;
        s->state[k] = (unsigned char)(touch->on ? presses(touch) : OFF);
    }
}

void tl_implicit_constrain(tl_system *system, const tl_implicit_step *step, tl_real *u)
{
    tl_implicit *s = system->implicit;
    for (int i = 0; i < system->p.count; ++i) {
        s->held[i] = !(system->p.w[i] > 0);
        if (s->held[i]) { /* carried by its velocity through the whole substep */
            tl_vec3 gone = tl_sub(tl_stride_at(step->start, i), tl_stride_at(s->vector[OLD_X], i));
            tl_stride_put(
                u, i, tl_scale(tl_sub(tl_scale(tl_stride_at(s->vector[OLD_V], i), step->whole), gone), 1 / step->h));
        }
    }
    for (int k = 0; k < s->constraint_count; ++k) {
        int i = s->constraint[k].particle;
        if (s->state[k] == OFF || s->state[k] == YIELDS)
            continue;
        tl_vec3 n = s->constraint[k].normal, value = tl_stride_at(u, i);
        if (s->state[k] == STICKS)
            value = s->target[k];
        else
            value = tl_madd(value, n, tl_dot(tl_sub(s->target[k], value), n));
        tl_stride_put(u, i, value);
        s->held[i] = s->state[k] == STICKS ? 1 : 2;
        s->constraint_of[i] = k;
        s->normal[i] = n;
    }
}

/* Part of a vector along the surface. */
static tl_vec3 along(const tl_contact_constraint *touch, tl_vec3 a)
{
    return tl_madd(a, touch->normal, -tl_dot(a, touch->normal));
}

/* Friction of a touch that slides, as a drag: push μ over the slip that is expected, so that the new solution is slowed
   and never turned around. Passes and steps carry it to Coulomb's force. */
static tl_real drag_of(const tl_contact_constraint *touch, tl_real push, tl_real slip)
{
    return push > 0 ? touch->friction * push / tl_max(slip, STILL) : 0;
}

/* Slip at which friction balances what drives a particle along `way` now, at `speed` against `brake`, N·s, if only its
   neighbours stay: the matrix tells what they hold against it. As they move along it goes on farther, and the next
   solution tells; by its mass alone a particle of stiff cloth would fly off here, as if without friction. A matrix that
   was made once holds too much, and cloth at rest would gather speed from that. */
static tl_real balanced_slip(const tl_implicit *s, const tl_contact_constraint *touch, tl_vec3 way, tl_real speed,
                             tl_real brake, tl_real push, tl_real mass)
{
    tl_real excess = brake - touch->friction * push;
    if (s->sparse.frozen)
        return speed > 0 ? speed : excess / mass;
    return speed > 0 || brake > 0 ? speed + excess / tl_sparse_along(&s->sparse, touch->particle, way) : 0;
}

/* What slid in the last step goes on sliding at first, with the push that present forces give it: so that in most steps
   few touches change. `b` is the momentum that the step wants without contact. */
void tl_implicit_guess_slides(tl_system *system, const tl_real *b)
{
    tl_implicit *s = system->implicit;
    for (int k = 0; k < s->constraint_count; ++k) {
        const tl_contact_constraint *touch = &s->constraint[k];
        int i = touch->particle;
        tl_real slip = tl_length(along(touch, tl_sub(tl_stride_at(s->vector[OLD_V], i), s->target[k])));
        if (s->state[k] != STICKS || !(slip > STILL) || !isfinite(touch->friction))
            continue;
        tl_vec3 momentum = tl_madd(tl_stride_at(b, i), touch->velocity, -system->p.m[i]);
        s->state[k] = SLIDES;
        s->drag[k] = drag_of(touch, -tl_dot(momentum, touch->normal), slip);
    }
}

/* What one touch becomes, given the impulse it took besides drag and where the solution went. A touch that starts to
   slide does so without friction for one pass, to find the slip and a push that does not come from sticking. `last`:
   the next solution may be the step, so that what is on a surface stays there, and what slides has its friction. */
static tl_constraint_state judge(tl_implicit *s, int k, tl_vec3 impulse, tl_vec3 u, tl_real mass, bool last)
{
    const tl_contact_constraint *touch = &s->constraint[k];
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
static bool update_active_set(tl_system *system, const tl_real *b, const tl_real *u, int pass)
{
    tl_implicit *s = system->implicit;
    tl_real *q = s->vector[IMAGE];
    int changed = 0, entering = 0, loose = 0;
    bool late = pass >= FRICTION_PASSES, exact = !s->sparse.frozen, last = late && exact;
    s->unsettled = 0;
    tl_implicit_times(system, u, q);
    for (int k = 0; k < s->constraint_count; ++k) {
        int i = s->constraint[k].particle;
        tl_constraint_state was = s->state[k];
        s->state[k] = (unsigned char)judge(s, k, tl_sub(tl_stride_at(q, i), tl_stride_at(b, i)), tl_stride_at(u, i),
                                           system->p.m[i], last);
        changed += s->state[k] != was;
        entering += was == OFF && s->state[k] != OFF;
        loose += was != OFF && (s->state[k] == OFF || (was == STICKS && s->state[k] == SLIDES));
    }
    return entering > 0 ||
           (!late && ((exact && loose > 0) || changed + s->unsettled > UNSETTLED * s->constraint_count));
}

/* The impulses that the touches took in a solution. */
static void take_impulses(tl_system *system, const tl_real *b, const tl_real *u)
{
    tl_implicit *s = system->implicit;
    tl_real *q = s->vector[IMAGE];
    tl_implicit_times(system, u, q);
    for (int k = 0; k < s->constraint_count; ++k) {
        tl_contact_constraint *touch = &s->constraint[k];
        int i = touch->particle;
        tl_vec3 impulse = tl_sub(tl_stride_at(q, i), tl_stride_at(b, i)),
                slip = tl_sub(tl_stride_at(u, i), s->target[k]);
        touch->impulse = s->state[k] == OFF ? tl_v3(0, 0, 0) : tl_madd(impulse, along(touch, slip), -s->drag[k]);
        if (s->state[k] == YIELDS) /* over the whole step, for the body */
            touch->impulse = tl_scale(touch->normal, touch->effective_mass * tl_max(0, -tl_dot(slip, touch->normal)));
    }
}

/* Drag of what slides and the share of bodies that give way, on the diagonal and on the right side. */
static void load(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *loaded)
{
    tl_implicit *s = system->implicit;
    memcpy(loaded, b, TL_STRIDE * (size_t)system->p.count * sizeof *b);
    s->coarse = s->coarse && s->constraint_count == 0; /* what is held and dragged has changed */
    for (int k = 0; k < s->constraint_count; ++k) {
        const tl_contact_constraint *touch = &s->constraint[k];
        if (s->state[k] != SLIDES)
            s->drag[k] = 0;
        tl_real weight = s->state[k] == YIELDS ? tl_implicit_weight(step, touch) : 0;
        s->drag[k] = tl_sparse_drag(&s->sparse, touch->particle, touch->normal, s->drag[k], weight);
        if (s->drag[k] > 0)
            tl_stride_put(loaded, touch->particle,
                          tl_madd(tl_stride_at(loaded, touch->particle), along(touch, s->target[k]), s->drag[k]));
        if (weight > 0)
            tl_stride_put(loaded, touch->particle,
                          tl_madd(tl_stride_at(loaded, touch->particle), touch->normal,
                                  weight * tl_dot(s->target[k], touch->normal)));
    }
}

/* Solves with contact: passes until no touch changes. What a touch may do once, it may do once in every round of
   Newton's method: the first rounds are far from the solution, and of a cloth that thin_objects.c brings there bit by
   bit they would decide what slides. */
void tl_implicit_solve_in_contact(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u,
                                  double scale)
{
    tl_implicit *s = system->implicit;
    tl_real *loaded = s->vector[LOADED];
    bool touches = s->constraint_count > 0;
    double rough = touches ? ROUGH * ROUGH * scale : scale;
    memset(s->released, 0, (size_t)s->constraint_count);
    memset(s->stuck, 0, (size_t)s->constraint_count);
    for (int pass = 0; pass < TOUCH_PASSES; ++pass) {
        tl_implicit_constrain(system, step, u);
        load(system, step, b, loaded);
        if (step->linear)
            tl_implicit_relax(system, loaded, u);
        else
            tl_implicit_conjugate(system, loaded, u, rough,
                                  touches && (pass < FRICTION_PASSES || s->sparse.frozen) ? PASS_SHARE : 0);
        if (!touches || !update_active_set(system, loaded, u, pass))
            break;
    }
    if (!touches)
        return;
    tl_implicit_constrain(system, step, u);
    load(system, step, b, loaded);
    if (step->linear)
        tl_implicit_relax(system, loaded, u);
    else
        tl_implicit_conjugate(system, loaded, u, scale, 0);
    take_impulses(system, loaded, u);
}

void tl_implicit_stop_at_surfaces(tl_system *system)
{
    tl_implicit *s = system->implicit;
    for (int k = 0; k < s->constraint_count; ++k) {
        const tl_contact_constraint *touch = &s->constraint[k];
        if (!(tl_dot(touch->impulse, touch->impulse) > 0) || touch->effective_mass > 0)
            continue;
        tl_vec3 v = tl_at(system->p.v, touch->particle), n = touch->normal;
        tl_put(system->p.v, touch->particle, tl_madd(v, n, tl_dot(tl_sub(touch->velocity, v), n)));
    }
}
