/* Contact with bodies within the implicit step: an active-set method decides which contacts press, stick or slide
   (step/implicit.h). */
#include "step/implicit_state.h"

#include <string.h>

/* Active-set passes; contacts still wrong after them are left to contact/body/convex_contact.c. */
enum { ACTIVE_SET_PASSES = 8, FRICTION_PASSES = 3 };
/* Tolerance of the intermediate solves, over that of the last. */
#define ROUGH_TOLERANCE 2
/* In the first FRICTION_PASSES, the residual reduction at which they stop: changed contacts invalidate any further
   accuracy. */
#define PASS_REDUCTION 0.1
/* Fraction of the contacts that may still change when the passes end. */
#define MAX_CHANGING 0.005
/* Slip below which a particle sticks, m/s: rounding of positions in a step. */
#define MIN_SLIP ((tl_real)1e-6)
/* Slip below which friction need not converge within the step, m/s. */
#define CREEP ((tl_real)1e-2)
/* Relative change of friction still accepted when the passes end. */
#define FRICTION_CHANGE ((tl_real)0.1)

/* Initial state of an active contact. */
static tl_constraint_state active_state(const tl_contact_constraint *contact)
{
    return contact->effective_mass > 0 ? YIELDS : contact->friction > 0 ? STICKS : SLIDES;
}

/* Mass that a dynamic body adds to its particle. Bodies integrate by Euler over the substep, forces in the solve count
   for `push` seconds: the same force. */
tl_real tl_implicit_weight(const tl_implicit_step *step, const tl_contact_constraint *contact)
{
    return contact->effective_mass * step->push / step->whole;
}

/* Drops contacts with dynamic bodies. */
static int drop_dynamic(tl_contact_constraint *contact, int count)
{
    int kept = 0;
    for (int k = 0; k < count; ++k)
        if (!(contact[k].effective_mass > 0))
            contact[kept++] = contact[k];
    return kept;
}

void tl_implicit_find_constraints(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    s->constraint_count = system->body_contacts
                              ? tl_body_contacts_constraints(system->body_contacts, step->whole, false, s->constraint)
                              : 0;
    if (s->sparse.frozen) /* an approximate solution would not conserve momentum with the body */
        s->constraint_count = drop_dynamic(s->constraint, s->constraint_count);
    for (int k = 0; k < s->constraint_count; ++k) {
        tl_contact_constraint *contact = &s->constraint[k];
        tl_vec3 offset =
            tl_sub(tl_stride_at(step->start, contact->particle), tl_stride_at(s->vector[OLD_X], contact->particle));
        tl_vec3 displacement = tl_sub(tl_scale(contact->velocity, step->whole), offset);
        displacement = tl_madd(displacement, contact->normal, -contact->gap);
        s->target[k] = tl_scale(displacement, 1 / step->h);
        contact->impulse = tl_v3(0, 0, 0);
        s->drag[k] = 0;
        s->state[k] = (unsigned char)(contact->on ? active_state(contact) : OFF);
    }
}

void tl_implicit_constrain(tl_system *system, const tl_implicit_step *step, tl_real *u)
{
    tl_implicit *s = system->implicit;
    for (int i = 0; i < system->p.count; ++i) {
        s->constrained[i] = !(system->p.w[i] > 0);
        if (s->constrained[i]) { /* moves with its velocity through the whole substep */
            tl_vec3 offset = tl_sub(tl_stride_at(step->start, i), tl_stride_at(s->vector[OLD_X], i));
            tl_stride_put(
                u, i, tl_scale(tl_sub(tl_scale(tl_stride_at(s->vector[OLD_V], i), step->whole), offset), 1 / step->h));
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
        s->constrained[i] = s->state[k] == STICKS ? 1 : 2;
        s->constraint_of[i] = k;
        s->normal[i] = n;
    }
}

/* Tangential part of a vector. */
static tl_vec3 tangential(const tl_contact_constraint *contact, tl_vec3 a)
{
    return tl_madd(a, contact->normal, -tl_dot(a, contact->normal));
}

/* Friction of a sliding contact as a drag: push μ over the expected slip, so that the new solution is slowed and never
   reversed. Passes and steps converge to Coulomb's force. */
static tl_real drag_of(const tl_contact_constraint *contact, tl_real push, tl_real slip)
{
    return push > 0 ? contact->friction * push / tl_max(slip, MIN_SLIP) : 0;
}

/* Slip at which friction balances the drive of a particle along `direction`, at `speed` against `brake`, N·s, if its
   neighbours stay: the matrix diagonal is their resistance. As they move along it slips farther, and the next pass sees
   that; with its mass alone a particle of stiff cloth would fly off as if frictionless. A frozen matrix resists too
   much, and cloth at rest would gather speed from it. */
static tl_real balanced_slip(const tl_implicit *s, const tl_contact_constraint *contact, tl_vec3 direction,
                             tl_real speed, tl_real brake, tl_real push, tl_real mass)
{
    tl_real excess = brake - contact->friction * push;
    if (s->sparse.frozen)
        return speed > 0 ? speed : excess / mass;
    return speed > 0 || brake > 0 ? speed + excess / tl_sparse_along(&s->sparse, contact->particle, direction) : 0;
}

/* Warm start: contacts that slid in the last step start as sliding, with the normal impulse of the current forces, so
   that few contacts change in most steps. `b` is the momentum of the step without contact. */
void tl_implicit_guess_slides(tl_system *system, const tl_real *b)
{
    tl_implicit *s = system->implicit;
    for (int k = 0; k < s->constraint_count; ++k) {
        const tl_contact_constraint *contact = &s->constraint[k];
        int i = contact->particle;
        tl_real slip = tl_length(tangential(contact, tl_sub(tl_stride_at(s->vector[OLD_V], i), s->target[k])));
        if (s->state[k] != STICKS || !(slip > MIN_SLIP) || !isfinite(contact->friction))
            continue;
        tl_vec3 momentum = tl_madd(tl_stride_at(b, i), contact->velocity, -system->p.m[i]);
        s->state[k] = SLIDES;
        s->drag[k] = drag_of(contact, -tl_dot(momentum, contact->normal), slip);
    }
}

/* Next state of a contact, given its impulse without drag and the solution. A contact that starts to slide does so
   without friction for one pass, to find its slip and a normal impulse not caused by sticking. `last`: the next
   solution may be final, so active contacts stay active and sliding ones keep their friction. */
static tl_constraint_state next_state(tl_implicit *s, int k, tl_vec3 impulse, tl_vec3 u, tl_real mass, bool last)
{
    const tl_contact_constraint *contact = &s->constraint[k];
    tl_vec3 slip = tl_sub(u, s->target[k]);
    tl_real push = tl_dot(impulse, contact->normal), drag = s->drag[k];
    s->drag[k] = 0;
    if (s->state[k] == OFF)
        return !(tl_dot(slip, contact->normal) < 0) ? OFF : active_state(contact);
    if (s->state[k] == YIELDS)
        push = -tl_dot(slip, contact->normal);
    /* once per Newton iteration: a contact that reactivates stays active until the next */
    if (push < 0 && !s->released[k] && !(last && contact->on)) {
        s->released[k] = 1;
        return OFF;
    }
    if (s->state[k] == YIELDS)
        return YIELDS;
    tl_real speed = tl_length(tangential(contact, slip));
    if (s->state[k] == STICKS) {
        tl_vec3 hold = tangential(contact, impulse);
        tl_real brake = tl_length(hold);
        if (!(brake > contact->friction * push))
            return STICKS;
        if (s->stuck[k] || last)
            s->drag[k] = drag_of(contact, push, balanced_slip(s, contact, hold, 0, brake, push, mass));
        return SLIDES;
    }
    /* friction that would reverse the slip within the step sticks: drag d took the slip from s₀ = μ push/d to s, and m
       s is the least momentum left for friction to stop. Once per Newton iteration as well. */
    if (drag > 0 && !s->stuck[k] && mass * speed < contact->friction * push - drag * speed) {
        s->stuck[k] = 1;
        return STICKS;
    }
    s->drag[k] =
        drag_of(contact, push, balanced_slip(s, contact, tangential(contact, slip), speed, drag * speed, push, mass));
    s->unconverged += speed > CREEP && fabs(s->drag[k] - drag) > FRICTION_CHANGE * s->drag[k];
    return SLIDES;
}

/* Updates all contacts after a solve; true when another pass is worthwhile: while particles would enter a body and, in
   the first passes, while any contact opens or many change. A frozen matrix only approximates the solution: opening
   contacts are not re-examined there, or cloth at rest jitters. */
static bool update_active_set(tl_system *system, const tl_real *b, const tl_real *u, int pass)
{
    tl_implicit *s = system->implicit;
    tl_real *q = s->vector[IMAGE];
    int changed = 0, entering = 0, loose = 0;
    bool late = pass >= FRICTION_PASSES, exact = !s->sparse.frozen, last = late && exact;
    s->unconverged = 0;
    tl_implicit_times(system, u, q);
    for (int k = 0; k < s->constraint_count; ++k) {
        int i = s->constraint[k].particle;
        tl_constraint_state was = s->state[k];
        s->state[k] = (unsigned char)next_state(s, k, tl_sub(tl_stride_at(q, i), tl_stride_at(b, i)),
                                                tl_stride_at(u, i), system->p.m[i], last);
        changed += s->state[k] != was;
        entering += was == OFF && s->state[k] != OFF;
        loose += was != OFF && (s->state[k] == OFF || (was == STICKS && s->state[k] == SLIDES));
    }
    return entering > 0 ||
           (!late && ((exact && loose > 0) || changed + s->unconverged > MAX_CHANGING * s->constraint_count));
}

/* Contact impulses of a solution. */
static void take_impulses(tl_system *system, const tl_real *b, const tl_real *u)
{
    tl_implicit *s = system->implicit;
    tl_real *q = s->vector[IMAGE];
    tl_implicit_times(system, u, q);
    for (int k = 0; k < s->constraint_count; ++k) {
        tl_contact_constraint *contact = &s->constraint[k];
        int i = contact->particle;
        tl_vec3 impulse = tl_sub(tl_stride_at(q, i), tl_stride_at(b, i)),
                slip = tl_sub(tl_stride_at(u, i), s->target[k]);
        contact->impulse =
            s->state[k] == OFF ? tl_v3(0, 0, 0) : tl_madd(impulse, tangential(contact, slip), -s->drag[k]);
        if (s->state[k] == YIELDS) /* over the whole substep, for the body */
            contact->impulse =
                tl_scale(contact->normal, contact->effective_mass * tl_max(0, -tl_dot(slip, contact->normal)));
    }
}

/* Adds the drag of sliding contacts and the mass of dynamic bodies to the diagonal and the right side. */
static void load(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *loaded)
{
    tl_implicit *s = system->implicit;
    memcpy(loaded, b, TL_STRIDE * (size_t)system->p.count * sizeof *b);
    s->coarse = s->coarse && s->constraint_count == 0; /* what is held and dragged has changed */
    for (int k = 0; k < s->constraint_count; ++k) {
        const tl_contact_constraint *contact = &s->constraint[k];
        if (s->state[k] != SLIDES)
            s->drag[k] = 0;
        tl_real weight = s->state[k] == YIELDS ? tl_implicit_weight(step, contact) : 0;
        s->drag[k] = tl_sparse_drag(&s->sparse, contact->particle, contact->normal, s->drag[k], weight);
        if (s->drag[k] > 0)
            tl_stride_put(
                loaded, contact->particle,
                tl_madd(tl_stride_at(loaded, contact->particle), tangential(contact, s->target[k]), s->drag[k]));
        if (weight > 0)
            tl_stride_put(loaded, contact->particle,
                          tl_madd(tl_stride_at(loaded, contact->particle), contact->normal,
                                  weight * tl_dot(s->target[k], contact->normal)));
    }
}

/* Each contact may open or stick once per Newton iteration, not once per step: the first iterations are far from the
   solution, and for thin_objects.c, which approaches it gradually, they would decide what slides. */
void tl_implicit_solve_in_contact(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u,
                                  double scale)
{
    tl_implicit *s = system->implicit;
    tl_real *loaded = s->vector[LOADED];
    bool any_contact = s->constraint_count > 0;
    double rough = any_contact ? ROUGH_TOLERANCE * ROUGH_TOLERANCE * scale : scale;
    memset(s->released, 0, (size_t)s->constraint_count);
    memset(s->stuck, 0, (size_t)s->constraint_count);
    for (int pass = 0; pass < ACTIVE_SET_PASSES; ++pass) {
        tl_implicit_constrain(system, step, u);
        load(system, step, b, loaded);
        if (step->linear)
            tl_implicit_relax(system, loaded, u);
        else
            tl_implicit_conjugate(system, loaded, u, rough,
                                  any_contact && (pass < FRICTION_PASSES || s->sparse.frozen) ? PASS_REDUCTION : 0);
        if (!any_contact || !update_active_set(system, loaded, u, pass))
            break;
    }
    if (!any_contact)
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
        const tl_contact_constraint *contact = &s->constraint[k];
        if (!(tl_dot(contact->impulse, contact->impulse) > 0) || contact->effective_mass > 0)
            continue;
        tl_vec3 v = tl_at(system->p.v, contact->particle), n = contact->normal;
        tl_put(system->p.v, contact->particle, tl_madd(v, n, tl_dot(tl_sub(contact->velocity, v), n)));
    }
}
