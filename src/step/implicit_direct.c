/* The implicit step of a frozen matrix by a factor that outlives it (step/cholesky.h).

   A factorisation costs as much as some steps of conjugate gradients, so one is made only for a matrix that the step
   before had too: uneven frame times or pins that change in every frame do not pay for factors that serve once. Which
   matrix that was is part of the cloth's state, as a hash of all that goes into it: a world restored from a snapshot
   takes the same way as the one that was saved. */
#include "step/implicit_state.h"

#include <string.h>

/* FNV-1a by words. */
#define HASH_START 14695981039346656037u
#define HASH_PRIME 1099511628211u

static uint64_t mix(uint64_t hash, tl_real number)
{
    uint64_t word = 0;
    memcpy(&word, &number, sizeof number);
    hash = (hash ^ word) * HASH_PRIME;
    return hash ^ hash >> 32;
}

/* Of the scales of all elements, the masses and the pins; never 0. */
static uint64_t matrix_key(const tl_system *system)
{
    const tl_sparse *sparse = &system->implicit->sparse;
    uint64_t hash = (HASH_START ^ sparse->elements) * HASH_PRIME;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        hash = mix(hash, sparse->scale[e]);
    for (int i = 0; i < system->p.count; ++i)
        hash = mix(hash, system->p.w[i] > 0 ? system->p.m[i] : -1);
    return hash ? hash : 1;
}

bool tl_implicit_choose_direct(tl_system *system, const tl_implicit_step *step)
{
    tl_implicit *s = system->implicit;
    if (step->linear || !s->cholesky || !tl_cholesky_is_worthwhile(s->cholesky))
        return false;
    uint64_t key = matrix_key(system);
    bool again = key == system->matrix_seen;
    system->matrix_seen = key;
    if (!again || s->constraint_count > 0 || system->gas.on)
        return false;
    if (s->factored != key) {
        s->is_definite = tl_cholesky_factor(s->cholesky, &s->sparse, system->p.m, s->constrained);
        s->factored = key;
    }
    return s->is_definite;
}

/* From u, so that what is left to solve is the change in this step: of cloth that falls as a whole no more than
   gravity, however fast it is. */
void tl_implicit_solve_directly(tl_system *system, const tl_implicit_step *step, const tl_real *b, tl_real *u)
{
    tl_implicit *s = system->implicit;
    int count = TL_STRIDE * system->p.count;
    tl_real *r = s->vector[RESIDUAL], *z = s->vector[CONDITIONED];
    tl_implicit_find_residual(system, b, u, r);
    tl_cholesky_solve(s->cholesky, r, z);
    for (int k = 0; k < count; ++k)
        u[k] += z[k];
    s->reference = fmax(tl_implicit_dot(r, z, count), tl_implicit_free_fall(system, step));
    memset(r, 0, (size_t)count * sizeof *r); /* nothing is left */
}
