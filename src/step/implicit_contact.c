/* Contact with bodies within the implicit step: an active-set method decides which contacts press, stick or slide
   (step/implicit.h). */
#include "step/implicit_state.h"

#include <string.h>

/* Active-set passes; contacts still wrong after them are left to contact/body/convex_contact.c. */
enum { ACTIVE_SET_PASSES = 8, FRICTION_PASSES = 3 };
/* Tolerance in contact, over that of the settings: normal impulses decide what friction holds, and what is left of them
   shows as creep on surfaces. And of the intermediate solves. */
#define CONTACT_TOLERANCE 0.1
#define ROUGH_TOLERANCE (2 * CONTACT_TOLERANCE)
/* In the first FRICTION_PASSES, the residual reduction at which they stop: changed contacts invalidate any further
   accuracy. */
#define PASS_REDUCTION 0.1
/* Fraction of the contacts that may still change when the passes end. */
#define MAX_CHANGING 0.005
/* Slip below which a particle sticks, m/s: rounding of positions in a step. */
#define MIN_SLIP ((tl_real)1e-6)
/* Largest drag across the slip relative to the particle's mass: it does not turn any more then. */
#define MAX_ACROSS ((tl_real)1e4)
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
        s->constrained[i] = system->p.w[i] > 0 ? FREE : HELD;
        if (s->constrained[i] == HELD) { /* moves with its velocity through the whole substep */
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
        s->constrained[i] = s->state[k] == STICKS ? HELD : GUIDED;
        s->constraint_of[i] = k;
        s->normal[i] = n;
    }
}

/* Tangential part of a vector. */
static tl_vec3 tangential(const tl_contact_constraint *contact, tl_vec3 a)
{
    return tl_madd(a, contact->normal, -tl_dot(a, contact->normal));
}

/* Friction of a sliding contact. The slip w of a solve gives Coulomb's impulse −μ N w/|w|, whose derivative is a drag
   μ N/|w| across w and 0 along it: passes are Newton's method, and a sheet that barely slides is as near after one as
   one that slides fast. Friction that reverses the slip holds the particle. */
static void slide_along(tl_implicit *s, int k, tl_vec3 slip, tl_real push)
{
    s->state[k] = SLIDES;
    s->brake[k] = tl_max(0, s->constraint[k].friction * push);
    s->speed[k] = tl_length(slip);
    s->heading[k] = s->speed[k] > 0 ? tl_scale(slip, 1 / s->speed[k]) : tl_v3(0, 0, 0);
}

/* Warm start of a contact that sticks: one whose particle slid in the last step slides, with the normal impulse of the
   current forces, so that few contacts change in most steps. `b` is the momentum of the step without contact. */
static void guess_slide(const tl_system *system, const tl_real *b, int k)
{
    tl_implicit *s = system->implicit;
    const tl_contact_constraint *contact = &s->constraint[k];
    int i = contact->particle;
    tl_vec3 slip = tangential(contact, tl_sub(tl_stride_at(s->vector[OLD_V], i), contact->velocity));
    if (s->state[k] != STICKS || !(tl_length(slip) > MIN_SLIP) || !isfinite(contact->friction))
        return;
    tl_vec3 momentum = tl_madd(tl_stride_at(b, i), contact->velocity, -system->p.m[i]);
    slide_along(s, k, slip, -tl_dot(momentum, contact->normal));
}

void tl_implicit_guess_slides(tl_system *system, const tl_real *b)
{
    for (int k = 0; k < system->implicit->constraint_count; ++k)
        guess_slide(system, b, k);
}

/* Next state of a contact, given its impulse without friction and the solution. `last`: the next solution may be
   final, so active contacts stay active. */
static tl_constraint_state next_state(tl_implicit *s, int k, tl_vec3 impulse, tl_vec3 u, bool last)
{
    const tl_contact_constraint *contact = &s->constraint[k];
    tl_vec3 slip = tl_sub(u, s->target[k]);
    tl_real push = tl_dot(impulse, contact->normal), brake = s->brake[k];
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
    if (s->state[k] == STICKS) {
        tl_vec3 hold = tangential(contact, impulse);
        if (!(tl_length(hold) > contact->friction * push))
            return STICKS;
        slide_along(s, k, tl_scale(hold, -1), push);
        s->speed[k] = 0; /* not known yet */
        return SLIDES;
    }
    slip = tangential(contact, slip);
    tl_real along = tl_dot(slip, s->heading[k]);
    if (along < 0 && brake > 0 && ++s->stuck[k] == 1) /* once per Newton iteration as well */
        return STICKS;
    slide_along(s, k, slip, push);
    s->unconverged +=
        fabs(s->brake[k] - brake) > FRICTION_CHANGE * s->brake[k] || along < (1 - FRICTION_CHANGE) * s->speed[k];
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
        s->state[k] =
            (unsigned char)next_state(s, k, tl_sub(tl_stride_at(q, i), tl_stride_at(b, i)), tl_stride_at(u, i), last);
        if (was == OFF)
            guess_slide(system, b, k);
        changed += s->state[k] != was;
        entering += was == OFF && s->state[k] != OFF;
        loose += was != OFF && (s->state[k] == OFF || (was == STICKS && s->state[k] == SLIDES));
    }
    return entering > 0 ||
           (!late && ((exact && loose > 0) || changed + s->unconverged > MAX_CHANGING * s->constraint_count));
}

/* Friction of a sliding contact against its slip: Coulomb's impulse and the drag across it, or a drag in all directions
   where the slip kept reversing, which slows it and never reverses it. */
static tl_vec3 friction_of(const tl_implicit *s, int k, tl_vec3 slip)
{
    const tl_contact_constraint *contact = &s->constraint[k];
    if (s->stuck[k] > 1)
        return tl_scale(tangential(contact, slip), -s->drag[k]);
    tl_vec3 across = tl_cross(contact->normal, s->heading[k]);
    return tl_madd(tl_scale(s->heading[k], -s->brake[k]), across, -s->drag[k] * tl_dot(slip, across));
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
        contact->impulse = s->state[k] == OFF ? tl_v3(0, 0, 0) : impulse;
        s->pressed[k] = tl_max(0, tl_dot(contact->impulse, contact->normal));
        if (s->state[k] == SLIDES)
            contact->impulse = tl_add(impulse, friction_of(s, k, slip));
        if (s->state[k] == YIELDS) /* over the whole substep, for the body */
            contact->impulse =
                tl_scale(contact->normal, contact->effective_mass * tl_max(0, -tl_dot(slip, contact->normal)));
    }
}

/* Adds the friction of sliding contacts and the mass of dynamic bodies to the diagonal and the right side. */
static void load(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *loaded)
{
    tl_implicit *s = system->implicit;
    memcpy(loaded, b, TL_STRIDE * (size_t)system->p.count * sizeof *b);
    s->coarse = s->coarse && s->constraint_count == 0; /* what is held and dragged has changed */
    for (int k = 0; k < s->constraint_count; ++k) {
        const tl_contact_constraint *contact = &s->constraint[k];
        int i = contact->particle;
        tl_real mass = system->p.m[i], weight = s->state[k] == YIELDS ? tl_implicit_weight(step, contact) : 0;
        tl_vec3 added = tl_scale(contact->normal, weight * tl_dot(s->target[k], contact->normal));
        s->drag[k] = s->state[k] == SLIDES && s->speed[k] > 0 ? s->brake[k] / tl_max(s->speed[k], MIN_SLIP) : 0;
        if (s->state[k] != SLIDES) {
            tl_sparse_drag(&s->sparse, i, mass, contact->normal, 0, weight);
        } else if (s->stuck[k] > 1) {
            s->drag[k] = tl_sparse_drag(&s->sparse, i, mass, contact->normal, s->drag[k], 0);
            added = friction_of(s, k, tl_scale(s->target[k], -1));
        } else {
            tl_vec3 across = tl_cross(contact->normal, s->heading[k]);
            s->drag[k] = tl_min(s->drag[k], MAX_ACROSS * system->p.m[i]);
            tl_sparse_drag(&s->sparse, i, mass, across, 0, s->drag[k]);
            added = friction_of(s, k, tl_scale(s->target[k], -1));
        }
        tl_stride_put(loaded, i, tl_add(tl_stride_at(loaded, i), added));
    }
}

/* Each contact may open or stick once per Newton iteration, not once per step: the first iterations are far from the
   solution, and for thin_objects.c, which approaches it gradually, they would decide what slides. */
void tl_implicit_solve_in_contact(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u)
{
    tl_implicit *s = system->implicit;
    tl_real *loaded = s->vector[LOADED];
    bool any_contact = s->constraint_count > 0;
    memset(s->released, 0, (size_t)s->constraint_count);
    memset(s->stuck, 0, (size_t)s->constraint_count);
    for (int pass = 0; pass < ACTIVE_SET_PASSES; ++pass) {
        tl_implicit_constrain(system, step, u);
        load(system, step, b, loaded);
        if (step->linear)
            tl_implicit_relax(system, loaded, u);
        else
            tl_implicit_conjugate(system, loaded, u, any_contact ? ROUGH_TOLERANCE : 1,
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
        tl_implicit_conjugate(system, loaded, u, CONTACT_TOLERANCE, 0);
    take_impulses(system, loaded, u);
}

/* What a body receives over the whole substep is what changed the particle's momentum beyond the forces on it,
   m (u − v) − whole f, with f by the step, m (u − v*) = push f + impulse: other than the impulse where v* carries an
   acceleration over from the last step. */
static tl_vec3 whole_impulse(const tl_implicit *s, const tl_implicit_step *step, const tl_contact_constraint *contact,
                             tl_real mass, tl_vec3 u)
{
    tl_real ratio = step->whole / step->push;
    if (!(ratio > 1) || contact->effective_mass > 0)
        return contact->impulse;
    tl_vec3 v = tl_scale(tl_stride_at(s->vector[OLD_V], contact->particle), step->keep);
    tl_vec3 forces =
        tl_madd(tl_scale(tl_sub(u, tl_stride_at(step->before, contact->particle)), mass), contact->impulse, -1);
    return tl_madd(tl_scale(tl_sub(u, v), mass), forces, -ratio);
}

void tl_implicit_stop_at_surfaces(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    for (int k = 0; k < s->constraint_count; ++k) {
        tl_contact_constraint *contact = &s->constraint[k];
        s->stopped[k] = 0;
        if (!(tl_dot(contact->impulse, contact->impulse) > 0))
            continue;
        int i = contact->particle;
        tl_vec3 v = tl_at(system->p.v, i), n = contact->normal;
        contact->impulse = whole_impulse(s, step, contact, system->p.m[i], v);
        if (contact->effective_mass > 0)
            continue;
        tl_vec3 stop = tl_sub(contact->velocity, v);
        if (s->state[k] != STICKS)
            stop = tl_scale(n, tl_dot(stop, n));
        s->stopped[k] = tl_dot(stop, n);
        contact->impulse = tl_madd(contact->impulse, stop, system->p.m[i]);
        tl_put(system->p.v, i, tl_add(v, stop));
    }
}

/* ---- leaving a surface after the step ---------------------------------------------------------------------------- */

/* What stopped it at the surface no longer holds. */
const tl_contact_constraint *tl_implicit_let_go(tl_system *system, int i, tl_real *pressed)
{
    tl_implicit *s = system->implicit;
    if (!(system->p.w[i] > 0) || (s->constrained[i] != HELD && s->constrained[i] != GUIDED))
        return NULL;
    int k = s->constraint_of[i];
    s->constrained[i] = s->constrained[i] == HELD ? LET_GO_STUCK : LET_GO;
    *pressed = s->pressed[k];
    tl_accumulate(system->p.v, i, tl_scale(s->normal[i], -s->stopped[k]));
    return &s->constraint[k];
}

/* Body and cloth receive the difference. */
void tl_implicit_pushed(tl_system *system, int i, tl_real push)
{
    const tl_implicit *s = system->implicit;
    int k = s->constraint_of[i];
    tl_contact_constraint changed = s->constraint[k];
    tl_vec3 v = tl_at(system->p.v, i), n = changed.normal;
    tl_real more = push - s->pressed[k] - system->p.m[i] * s->stopped[k];
    if (push > 0) {
        tl_real stop = tl_dot(tl_sub(changed.velocity, v), n);
        tl_put(system->p.v, i, tl_madd(v, n, stop));
        more += system->p.m[i] * stop;
    }
    changed.impulse = tl_scale(n, more);
    tl_body_contacts_report(system->body_contacts, &changed, 1);
}
