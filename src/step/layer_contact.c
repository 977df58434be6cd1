#include "step/layer_contact.h"

#include "step/implicit.h"

#include <string.h>

/* Active-set passes; friction follows the normal impulses of the previous one. */
enum { ACTIVE_SET_PASSES = 8 };
/* Conjugate gradient iterations per pass: contact is local, and contact/cloth/contact_solve.c resolves the
   remainder. */
enum { ITERATIONS = 25 };
/* Line search: halvings of a step that increases the cost because inactive contacts became violated. */
enum { HALVINGS = 6 };
/* Contact stiffness over that of the particles involved. */
#define CONTACT_STIFFNESS ((tl_real)10)
/* Relative residual at which they stop earlier. */
#define RELATIVE_RESIDUAL 0.01
/* Slip below which friction sticks, m/s. */
#define MIN_SLIP ((tl_real)1e-6)

/* Vectors that the implicit step no longer needs. */
enum { CHANGE, RESIDUAL, DIRECTION, IMAGE, CONDITIONED, DIAGONAL, PREVIOUS, OFF_DIAGONAL };

typedef struct layer_problem {
    tl_system *const *systems;
    int count;
    tl_layer_contact *contacts;
    int contact_count;
    int first; /* head of the linked list of active contacts; -1: none */
} layer_problem;

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

static tl_real *vector_of(tl_system *system, int k) { return tl_implicit_vectors(system)[k]; }
static int length_of(const tl_system *system) { return TL_STRIDE * system->p.count; }

/* Σ c_i a_i of a contact */
static tl_vec3 relative(const tl_layer_contact *contact, int k)
{
    tl_vec3 sum = {0, 0, 0};
    for (int n = 0; n < 4; ++n)
        sum = tl_madd(sum, tl_stride_at(contact->vectors[n][k], contact->particle[n]), contact->c[n]);
    return sum;
}

/* a_i += c_i value */
static void scatter(const tl_layer_contact *contact, int k, tl_vec3 value)
{
    for (int n = 0; n < 4; ++n) {
        tl_real *a = contact->vectors[n][k];
        int i = contact->particle[n];
        tl_stride_put(a, i, tl_madd(tl_stride_at(a, i), value, contact->c[n]));
    }
}

static double dot(const layer_problem *all, int a, int b)
{
    double sum = 0;
    for (int s = 0; s < all->count; ++s) {
        const tl_real *x = vector_of(all->systems[s], a), *y = vector_of(all->systems[s], b);
        for (int k = 0; k < length_of(all->systems[s]); ++k)
            sum += (double)x[k] * (double)y[k];
    }
    return sum;
}

/* to = keep × to + by × from */
static void combine(const layer_problem *all, int to, tl_real keep, int from, tl_real by)
{
    for (int s = 0; s < all->count; ++s) {
        tl_real *restrict x = vector_of(all->systems[s], to);
        const tl_real *restrict y = vector_of(all->systems[s], from);
        for (int k = 0, count = length_of(all->systems[s]); k < count; ++k)
            x[k] = keep * x[k] + by * y[k];
    }
}

static void clear(const layer_problem *all, int k)
{
    for (int s = 0; s < all->count; ++s)
        memset(vector_of(all->systems[s], k), 0, (size_t)length_of(all->systems[s]) * sizeof(tl_real));
}

static void filter(const layer_problem *all, int k)
{
    for (int s = 0; s < all->count; ++s)
        tl_implicit_filter(all->systems[s], vector_of(all->systems[s], k));
}

/* ---- contacts --------------------------------------------------------------------------------------------------- */

static tl_vec3 tangential(const tl_layer_contact *contact, tl_vec3 a)
{
    return tl_madd(a, contact->n, -tl_dot(a, contact->n));
}

/* Impulse of a contact against a relative velocity. */
static tl_vec3 resist(const tl_layer_contact *contact, tl_vec3 a)
{
    return tl_madd(tl_scale(tangential(contact, a), contact->drag), contact->n,
                   contact->stiffness * tl_dot(a, contact->n));
}

/* Impulse at zero velocity change. */
static tl_vec3 initial_impulse(const tl_layer_contact *contact)
{
    return resist(contact, tl_scale(tl_madd(tl_scale(tangential(contact, contact->displacement), -1), contact->n,
                                            contact->missing),
                                    1 / contact->h));
}

/* Constraint violation after a velocity change, m/s; negative: satisfied. */
static tl_real violation(const tl_layer_contact *contact, tl_vec3 change)
{
    return contact->missing / contact->h - tl_dot(change, contact->n);
}

static tl_vec3 slip(const tl_layer_contact *contact, tl_vec3 change)
{
    return tangential(contact, tl_madd(change, contact->displacement, 1 / contact->h));
}

static void switch_on(layer_problem *all, int k)
{
    all->contacts[k].on = true;
    all->contacts[k].next = all->first;
    all->first = k;
}

/* Updates the active contacts after a solve, and their friction. True when the set changed. */
static bool update_active_set(layer_problem *all)
{
    bool changed = false;
    all->first = -1;
    for (int k = 0; k < all->contact_count; ++k) {
        tl_layer_contact *contact = &all->contacts[k];
        tl_vec3 change = relative(contact, CHANGE);
        tl_real violated = violation(contact, change);
        bool was = contact->on, on = violated > 0 && contact->stiffness > 0;
        contact->on = false;
        contact->push = was && on ? contact->stiffness * violated : 0;
        contact->drag = tl_min(contact->hold,
                               contact->friction * contact->push / tl_max(tl_length(slip(contact, change)), MIN_SLIP));
        if (on)
            switch_on(all, k);
        changed |= on != was;
    }
    return changed;
}

/* ---- solution --------------------------------------------------------------------------------------------------- */

static void times(const layer_problem *all, int in, int out)
{
    for (int s = 0; s < all->count; ++s)
        tl_implicit_times(all->systems[s], vector_of(all->systems[s], in), vector_of(all->systems[s], out));
    for (int k = all->first; k >= 0; k = all->contacts[k].next)
        scatter(&all->contacts[k], out, resist(&all->contacts[k], relative(&all->contacts[k], in)));
}

static void condition(const layer_problem *all, int in, int out)
{
    for (int s = 0; s < all->count; ++s)
        tl_implicit_condition(all->systems[s], vector_of(all->systems[s], in), vector_of(all->systems[s], out));
}

/* Preconditioner: the diagonal blocks of the whole matrix. A flat sheet is thousands of times softer across than along:
   a single number per particle would be far from either. */
static void sum_diagonal(const layer_problem *all)
{
    clear(all, DIAGONAL);
    clear(all, OFF_DIAGONAL);
    for (int k = all->first; k >= 0; k = all->contacts[k].next) {
        const tl_layer_contact *contact = &all->contacts[k];
        tl_vec3 a = contact->n;
        tl_real more = contact->stiffness - contact->drag, drag = contact->drag;
        tl_vec3 same = tl_v3(drag + more * a.x * a.x, drag + more * a.y * a.y, drag + more * a.z * a.z);
        tl_vec3 mixed = tl_v3(more * a.x * a.y, more * a.y * a.z, more * a.z * a.x);
        for (int n = 0; n < 4; ++n) {
            int i = contact->particle[n];
            tl_real square = contact->c[n] * contact->c[n], *d = contact->vectors[n][DIAGONAL],
                    *o = contact->vectors[n][OFF_DIAGONAL];
            tl_stride_put(d, i, tl_madd(tl_stride_at(d, i), same, square));
            tl_stride_put(o, i, tl_madd(tl_stride_at(o, i), mixed, square));
        }
    }
    for (int s = 0; s < all->count; ++s)
        tl_implicit_condition_with(all->systems[s], vector_of(all->systems[s], DIAGONAL),
                                   vector_of(all->systems[s], OFF_DIAGONAL));
}

/* The objective: energy of the cloth, active springs and drag. */
static double cost(const layer_problem *all)
{
    for (int s = 0; s < all->count; ++s)
        tl_implicit_times(all->systems[s], vector_of(all->systems[s], CHANGE), vector_of(all->systems[s], IMAGE));
    double sum = dot(all, CHANGE, IMAGE);
    for (int k = 0; k < all->contact_count; ++k) {
        const tl_layer_contact *contact = &all->contacts[k];
        tl_vec3 change = relative(contact, CHANGE), slips = slip(contact, change);
        tl_real violated = tl_max(0, violation(contact, change));
        sum += (double)(contact->stiffness * violated * violated + contact->drag * tl_dot(slips, slips));
        sum += 2 * (double)(contact->held * tl_dot(change, contact->n));
    }
    return sum / 2;
}

/* Conjugate gradients from the current change. `first`: reference residual, set when it is 0. */
static void solve(const layer_problem *all, double *first)
{
    sum_diagonal(all);
    clear(all, RESIDUAL);
    for (int k = all->first; k >= 0; k = all->contacts[k].next)
        scatter(&all->contacts[k], RESIDUAL, initial_impulse(&all->contacts[k]));
    for (int k = 0; k < all->contact_count; ++k)
        if (all->contacts[k].leaves)
            scatter(&all->contacts[k], RESIDUAL, tl_scale(all->contacts[k].n, -all->contacts[k].held));
    times(all, CHANGE, IMAGE);
    combine(all, RESIDUAL, 1, IMAGE, -1);
    filter(all, RESIDUAL);
    condition(all, RESIDUAL, CONDITIONED);
    combine(all, DIRECTION, 0, CONDITIONED, 1);
    double size = dot(all, RESIDUAL, CONDITIONED);
    *first = *first > 0 ? *first : size;
    for (int n = 0; n < ITERATIONS && size > RELATIVE_RESIDUAL * RELATIVE_RESIDUAL * *first; ++n) {
        times(all, DIRECTION, IMAGE);
        filter(all, IMAGE);
        double slope = dot(all, DIRECTION, IMAGE);
        if (!(slope > 0))
            return; /* converged to rounding, or the state is not finite */
        combine(all, CHANGE, 1, DIRECTION, (tl_real)(size / slope));
        combine(all, RESIDUAL, 1, IMAGE, (tl_real)(-size / slope));
        condition(all, RESIDUAL, CONDITIONED);
        double next = dot(all, RESIDUAL, CONDITIONED);
        combine(all, DIRECTION, (tl_real)(next / size), CONDITIONED, 1);
        size = next;
        ++*tl_implicit_iterations(all->systems[0]);
    }
}

/* Moves from the previous change to the new one as far as the cost falls. */
static void line_search(const layer_problem *all, double before)
{
    for (int n = 0; n < HALVINGS && cost(all) > before; ++n)
        combine(all, CHANGE, (tl_real)0.5, PREVIOUS, (tl_real)0.5);
}

/* Initial guess: no change, or all cloth at rest, whichever costs less. At rest no two layers approach each other. From
   no change alone, when layers driven together penetrate deeply, conjugate gradients would stop at a fraction of a
   residual that dwarfs the solution, and the remainder is stretch. */
static void start(layer_problem *all)
{
    clear(all, CHANGE);
    double unchanged = cost(all);
    for (int s = 0; s < all->count; ++s) {
        tl_real *change = vector_of(all->systems[s], CHANGE);
        for (int i = 0; i < all->systems[s]->p.count; ++i)
            tl_stride_put(change, i, tl_scale(tl_at(all->systems[s]->p.v, i), -1));
    }
    filter(all, CHANGE);
    if (!(cost(all) < unchanged))
        clear(all, CHANGE);
    for (int k = 0; k < all->contact_count; ++k)
        if (all->contacts[k].stiffness > 0 && violation(&all->contacts[k], relative(&all->contacts[k], CHANGE)) >= 0)
            switch_on(all, k);
}

/* A unit vector across n. */
static tl_vec3 across(tl_vec3 n)
{
    tl_vec3 axis = fabs(n.x) < (tl_real)0.6 ? tl_v3(1, 0, 0) : tl_v3(0, 1, 0);
    return tl_normalized(tl_cross(n, axis));
}

/* True when any contact is violated. */
static bool prepare(const layer_problem *all)
{
    bool any = false;
    for (int k = 0; k < all->contact_count; ++k) {
        tl_layer_contact *contact = &all->contacts[k];
        tl_real yields = 0, slides = 0;
        tl_vec3 n = contact->n, a = across(n), b = tl_cross(n, a);
        contact->h = tl_implicit_position_step(contact->of[0]);
        for (int m = 0; m < 4; ++m) {
            const tl_system *system = contact->of[m];
            tl_real square = contact->c[m] * contact->c[m];
            int i = contact->particle[m];
            contact->vectors[m] = tl_implicit_vectors(contact->of[m]);
            yields += square * tl_implicit_compliance(system, i, n);
            slides += square * (tl_implicit_compliance(system, i, a) + tl_implicit_compliance(system, i, b)) / 2;
        }
        contact->stiffness = yields > 0 ? CONTACT_STIFFNESS / yields : 0;
        contact->hold = slides > 0 ? CONTACT_STIFFNESS / slides : 0;
        contact->drag = contact->push = 0;
        contact->on = false;
        any |= contact->missing > 0 && yields > 0;
        if (contact->leaves)
            contact->missing = yields > 0 ? contact->h * contact->held / contact->stiffness : 0;
    }
    return any;
}

/* Numbers the groups of cloths that push each other. */
static void find_groups(const layer_problem *all)
{
    for (int s = 0; s < all->count; ++s)
        *tl_implicit_group(all->systems[s]) = s;
    for (int k = all->first; k >= 0; k = all->contacts[k].next) {
        int a = *tl_implicit_group(all->contacts[k].of[0]), b = *tl_implicit_group(all->contacts[k].of[3]);
        for (int s = 0; s < all->count && a != b; ++s)
            if (*tl_implicit_group(all->systems[s]) == b)
                *tl_implicit_group(all->systems[s]) = a;
    }
}

static bool touches_body(const layer_problem *all, int group)
{
    for (int k = all->first; k >= 0; k = all->contacts[k].next)
        if (all->contacts[k].external && *tl_implicit_group(all->contacts[k].of[0]) == group)
            return true;
    return false;
}

/* The impulses of a group of unconstrained cloths sum to zero: corrects the error of the conjugate gradients. Each
   cloth by itself cannot be corrected so: its impulses have that error times the stiffness of all its contacts. */
static void keep_momentum(const layer_problem *all, int group)
{
    tl_vec3 momentum = {0, 0, 0};
    double sum[3] = {0}, mass = 0;
    for (int s = 0; s < all->count; ++s) {
        tl_system *system = all->systems[s];
        const tl_real *change = vector_of(system, CHANGE);
        if (*tl_implicit_group(system) != group)
            continue;
        if (!tl_implicit_is_unconstrained(system))
            return;
        for (int i = 0; i < system->p.count; ++i) {
            momentum = tl_scale(tl_stride_at(change, i), system->p.m[i]);
            sum[0] += (double)momentum.x, sum[1] += (double)momentum.y, sum[2] += (double)momentum.z;
            mass += (double)system->p.m[i];
        }
    }
    tl_vec3 common = tl_v3((tl_real)(sum[0] / mass), (tl_real)(sum[1] / mass), (tl_real)(sum[2] / mass));
    for (int s = 0; s < all->count && mass > 0; ++s) {
        tl_system *system = all->systems[s];
        tl_real *change = vector_of(system, CHANGE);
        for (int i = 0; *tl_implicit_group(system) == group && i < system->p.count; ++i)
            tl_stride_put(change, i, tl_sub(tl_stride_at(change, i), common));
    }
}

/* The change is part of the step: BDF2 must count it as an acceleration, like the pull of the links that it balances.
   Otherwise it would see only that pull, and the layers would drift. */
static void apply_change(tl_system *system)
{
    const tl_real *change = vector_of(system, CHANGE);
    for (int i = 0; i < system->p.count; ++i) {
        tl_vec3 by = tl_stride_at(change, i), displacement = tl_scale(by, tl_implicit_position_step(system));
        tl_accumulate(system->p.v, i, by);
        tl_accumulate(system->p.x, i, displacement);
        if (system->history[TL_LEFT_X]) {
            tl_accumulate(system->history + TL_LEFT_V, i, by);
            tl_accumulate(system->history + TL_LEFT_X, i, displacement);
        }
    }
}

void tl_layer_contacts_solve(tl_system *const *systems, int count, tl_layer_contact *contacts, int contact_count)
{
    layer_problem all = {systems, count, contacts, contact_count, -1};
    double first = 0;
    if (!prepare(&all))
        return;
    start(&all);
    bool changed = true;
    for (int pass = 0; pass < ACTIVE_SET_PASSES && changed; ++pass) {
        double before = cost(&all);
        combine(&all, PREVIOUS, 0, CHANGE, 1);
        solve(&all, &first);
        line_search(&all, before);
        changed = update_active_set(&all) || pass < 1; /* friction acts from the second pass on */
    }
    find_groups(&all);
    for (int group = 0; group < count; ++group)
        if (!touches_body(&all, group))
            keep_momentum(&all, group);
    for (int s = 0; s < count; ++s)
        apply_change(systems[s]);
}
