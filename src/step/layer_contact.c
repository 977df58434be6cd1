#include "step/layer_contact.h"

#include "step/implicit.h"

#include <string.h>

/* Solutions in which pairs come and go; friction follows the pushes of the one before. */
enum { PASSES = 8 };
/* Conjugate gradients in each: what presses is local, and contact/cloth/contact_solve.c sees to what they leave. */
enum { ITERATIONS = 25 };
/* Halvings of a solution that costs more than where it started from: pairs came near that were not reckoned with. */
enum { HALVINGS = 6 };
/* Stiffness of a pair over that of the particles it is between. */
#define STIFF ((tl_real)10)
/* Share of the first residual at which they stop before that. */
#define SHARE 0.01
/* Slip below which friction is not told from sticking, m/s. */
#define STILL ((tl_real)1e-6)

/* Vectors that the implicit step has done with. */
enum { CHANGE, RESIDUAL, DIRECTION, IMAGE, CONDITIONED, DIAGONAL, KEPT };

typedef struct coupled {
    tl_system *const *systems;
    int count;
    tl_layer_contact *list;
    int pairs;
    int first; /* of the pairs that are on, which are chained; -1: none is */
} coupled;

/* ---- vectors ---------------------------------------------------------------------------------------------------- */

static tl_real *vector_of(tl_system *system, int k) { return tl_implicit_vectors(system)[k]; }
static int length_of(const tl_system *system) { return TL_STRIDE * system->p.count; }

/* Σ c_i a_i of a pair */
static tl_vec3 between(const tl_layer_contact *pair, int k)
{
    tl_vec3 sum = {0, 0, 0};
    for (int n = 0; n < 4; ++n)
        sum = tl_madd(sum, tl_stride_at(pair->vectors[n][k], pair->particle[n]), pair->c[n]);
    return sum;
}

/* a_i += c_i value */
static void spread(const tl_layer_contact *pair, int k, tl_vec3 value)
{
    for (int n = 0; n < 4; ++n) {
        tl_real *a = pair->vectors[n][k];
        int i = pair->particle[n];
        tl_stride_put(a, i, tl_madd(tl_stride_at(a, i), value, pair->c[n]));
    }
}

static double dot(const coupled *all, int a, int b)
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
static void combine(const coupled *all, int to, tl_real keep, int from, tl_real by)
{
    for (int s = 0; s < all->count; ++s) {
        tl_real *restrict x = vector_of(all->systems[s], to);
        const tl_real *restrict y = vector_of(all->systems[s], from);
        for (int k = 0, count = length_of(all->systems[s]); k < count; ++k)
            x[k] = keep * x[k] + by * y[k];
    }
}

static void clear(const coupled *all, int k)
{
    for (int s = 0; s < all->count; ++s)
        memset(vector_of(all->systems[s], k), 0, (size_t)length_of(all->systems[s]) * sizeof(tl_real));
}

static void filter(const coupled *all, int k)
{
    for (int s = 0; s < all->count; ++s)
        tl_implicit_filter(all->systems[s], vector_of(all->systems[s], k));
}

/* ---- pairs ------------------------------------------------------------------------------------------------------ */

static tl_vec3 along(const tl_layer_contact *pair, tl_vec3 a) { return tl_madd(a, pair->n, -tl_dot(a, pair->n)); }

/* What a pair does against a relative velocity. */
static tl_vec3 hold(const tl_layer_contact *pair, tl_vec3 a)
{
    return tl_madd(tl_scale(along(pair, a), pair->drag), pair->n, pair->stiffness * tl_dot(a, pair->n));
}

/* What it does while nothing has changed. */
static tl_vec3 first_push(const tl_layer_contact *pair)
{
    return hold(pair, tl_scale(tl_madd(tl_scale(along(pair, pair->way), -1), pair->n, pair->missing), 1 / pair->h));
}

/* What it lacks after a change, m/s; below 0: nothing. */
static tl_real lack(const tl_layer_contact *pair, tl_vec3 change)
{
    return pair->missing / pair->h - tl_dot(change, pair->n);
}

static tl_vec3 slip(const tl_layer_contact *pair, tl_vec3 change)
{
    return along(pair, tl_madd(change, pair->way, 1 / pair->h));
}

static void switch_on(coupled *all, int k)
{
    all->list[k].on = true;
    all->list[k].next = all->first;
    all->first = k;
}

/* Which pairs push after a solution, and how much friction that gives them. True when other ones do than before. */
static bool judge(coupled *all)
{
    bool changed = false;
    all->first = -1;
    for (int k = 0; k < all->pairs; ++k) {
        tl_layer_contact *pair = &all->list[k];
        tl_vec3 change = between(pair, CHANGE);
        tl_real lacks = lack(pair, change);
        bool was = pair->on, on = lacks > 0 && pair->stiffness > 0;
        pair->on = false;
        pair->push = was && on ? pair->stiffness * lacks : 0;
        pair->drag =
            tl_min(pair->stiffness, pair->friction * pair->push / tl_max(tl_length(slip(pair, change)), STILL));
        if (on)
            switch_on(all, k);
        changed |= on != was;
    }
    return changed;
}

/* ---- solution --------------------------------------------------------------------------------------------------- */

static void times(const coupled *all, int in, int out)
{
    for (int s = 0; s < all->count; ++s)
        tl_implicit_times(all->systems[s], vector_of(all->systems[s], in), vector_of(all->systems[s], out));
    for (int k = all->first; k >= 0; k = all->list[k].next)
        spread(&all->list[k], out, hold(&all->list[k], between(&all->list[k], in)));
}

static void condition(const coupled *all, int in, int out)
{
    for (int s = 0; s < all->count; ++s) {
        const tl_real *a = vector_of(all->systems[s], in), *diagonal = vector_of(all->systems[s], DIAGONAL);
        tl_real *b = vector_of(all->systems[s], out);
        for (int i = 0; i < length_of(all->systems[s]); i += TL_STRIDE)
            for (int c = 0; c < 3; ++c)
                b[i + c] = a[i + c] / diagonal[i];
    }
    filter(all, out);
}

/* The diagonal of the whole matrix, one number per particle. */
static void sum_diagonal(const coupled *all)
{
    for (int s = 0; s < all->count; ++s) {
        tl_real *diagonal = vector_of(all->systems[s], DIAGONAL);
        for (int i = 0; i < all->systems[s]->p.count; ++i)
            diagonal[TL_STRIDE * i] = tl_implicit_diagonal(all->systems[s], i);
    }
    for (int k = all->first; k >= 0; k = all->list[k].next)
        for (int n = 0; n < 4; ++n) {
            const tl_layer_contact *pair = &all->list[k];
            pair->vectors[n][DIAGONAL][TL_STRIDE * pair->particle[n]] +=
                pair->c[n] * pair->c[n] * tl_max(pair->stiffness, pair->drag);
        }
}

/* What is made least: the cloth's part, the springs that push, and drag. */
static double cost(const coupled *all)
{
    for (int s = 0; s < all->count; ++s)
        tl_implicit_times(all->systems[s], vector_of(all->systems[s], CHANGE), vector_of(all->systems[s], IMAGE));
    double sum = dot(all, CHANGE, IMAGE);
    for (int k = 0; k < all->pairs; ++k) {
        const tl_layer_contact *pair = &all->list[k];
        tl_vec3 change = between(pair, CHANGE), slips = slip(pair, change);
        tl_real lacks = tl_max(0, lack(pair, change));
        sum += (double)(pair->stiffness * lacks * lacks + pair->drag * tl_dot(slips, slips));
    }
    return sum / 2;
}

/* Conjugate gradients from the change so far. `first`: the residual to compare with, set when it is 0. */
static void solve(const coupled *all, double *first)
{
    sum_diagonal(all);
    clear(all, RESIDUAL);
    for (int k = all->first; k >= 0; k = all->list[k].next)
        spread(&all->list[k], RESIDUAL, first_push(&all->list[k]));
    times(all, CHANGE, IMAGE);
    combine(all, RESIDUAL, 1, IMAGE, -1);
    filter(all, RESIDUAL);
    condition(all, RESIDUAL, CONDITIONED);
    combine(all, DIRECTION, 0, CONDITIONED, 1);
    double size = dot(all, RESIDUAL, CONDITIONED);
    *first = *first > 0 ? *first : size;
    for (int n = 0; n < ITERATIONS && size > SHARE * SHARE * *first; ++n) {
        times(all, DIRECTION, IMAGE);
        filter(all, IMAGE);
        double slope = dot(all, DIRECTION, IMAGE);
        if (!(slope > 0))
            return; /* rounding has taken what was left, or the state is not finite */
        combine(all, CHANGE, 1, DIRECTION, (tl_real)(size / slope));
        combine(all, RESIDUAL, 1, IMAGE, (tl_real)(-size / slope));
        condition(all, RESIDUAL, CONDITIONED);
        double next = dot(all, RESIDUAL, CONDITIONED);
        combine(all, DIRECTION, (tl_real)(next / size), CONDITIONED, 1);
        size = next;
        ++*tl_implicit_iterations(all->systems[0]);
    }
}

/* Goes from what was kept to the change as far as the cost falls. */
static void line_search(const coupled *all, double before)
{
    for (int n = 0; n < HALVINGS && cost(all) > before; ++n)
        combine(all, CHANGE, (tl_real)0.5, KEPT, (tl_real)0.5);
}

/* Where the solution starts: with no change, or with all that stands still, whichever costs less. Standing still brings
   no two layers nearer. From no change alone, where what is driven together lies deep in each other, the conjugate
   gradients would stop at a share of a residual that dwarfs the solution, and what they leave is stretch. */
static void start(coupled *all)
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
    for (int k = 0; k < all->pairs; ++k)
        if (all->list[k].stiffness > 0 && lack(&all->list[k], between(&all->list[k], CHANGE)) >= 0)
            switch_on(all, k);
}

/* True when layers have come too near somewhere. */
static bool prepare(const coupled *all)
{
    bool any = false;
    for (int k = 0; k < all->pairs; ++k) {
        tl_layer_contact *pair = &all->list[k];
        tl_real weights = 0;
        pair->h = tl_implicit_reach(pair->of[0]);
        for (int n = 0; n < 4; ++n) {
            pair->vectors[n] = tl_implicit_vectors(pair->of[n]);
            if (pair->of[n]->p.w[pair->particle[n]] > 0)
                weights += pair->c[n] * pair->c[n] / tl_implicit_diagonal(pair->of[n], pair->particle[n]);
        }
        pair->stiffness = weights > 0 ? STIFF / weights : 0;
        pair->drag = pair->push = 0;
        pair->on = false;
        any |= pair->missing > 0 && weights > 0;
    }
    return any;
}

/* A cloth that nothing holds changes its momentum by what the pairs push, which is none for all of them together: what
   the conjugate gradients leave of that is made up for. */
static void keep_momentum(const coupled *all, tl_system *system)
{
    tl_vec3 missing = {0, 0, 0};
    tl_real mass = 0, *change = vector_of(system, CHANGE);
    for (int k = all->first; k >= 0; k = all->list[k].next) {
        const tl_layer_contact *pair = &all->list[k];
        for (int n = 0; n < 4; ++n)
            if (pair->of[n] == system)
                missing = tl_madd(missing, pair->given, pair->c[n]);
    }
    for (int i = 0; i < system->p.count; ++i) {
        missing = tl_madd(missing, tl_stride_at(change, i), -system->p.m[i]);
        mass += system->p.m[i];
    }
    missing = tl_scale(missing, 1 / mass);
    for (int i = 0; i < system->p.count; ++i)
        tl_stride_put(change, i, tl_add(tl_stride_at(change, i), missing));
}

/* The change is part of the step: a stepper that looks back takes it for an acceleration, as it does the pull of links
   which the layers balance. Without it that pull would be all it saw, and would drive them on. */
static void take(tl_system *system)
{
    const tl_real *change = vector_of(system, CHANGE);
    for (int i = 0; i < system->p.count; ++i) {
        tl_vec3 by = tl_stride_at(change, i), way = tl_scale(by, tl_implicit_reach(system));
        tl_accumulate(system->p.v, i, by);
        tl_accumulate(system->p.x, i, way);
        if (system->history[TL_LEFT_X]) {
            tl_accumulate(system->history + TL_LEFT_V, i, by);
            tl_accumulate(system->history + TL_LEFT_X, i, way);
        }
    }
}

void tl_layer_contacts_solve(tl_system *const *systems, int count, tl_layer_contact *list, int pairs)
{
    coupled all = {systems, count, list, pairs, -1};
    double first = 0;
    if (!prepare(&all))
        return;
    start(&all);
    bool changed = true;
    for (int pass = 0; pass < PASSES && changed; ++pass) {
        double before = cost(&all);
        combine(&all, KEPT, 0, CHANGE, 1);
        solve(&all, &first);
        line_search(&all, before);
        changed = judge(&all) || pass < 1; /* friction has its say in the second */
    }
    for (int k = all.first; k >= 0; k = list[k].next)
        list[k].given = tl_sub(first_push(&list[k]), hold(&list[k], between(&list[k], CHANGE)));
    for (int s = 0; s < count; ++s)
        if (tl_implicit_is_free(systems[s]))
            keep_momentum(&all, systems[s]);
    for (int s = 0; s < count; ++s)
        take(systems[s]);
}
