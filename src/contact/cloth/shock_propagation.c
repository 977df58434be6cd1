/* Where cloth is piled up on a body, contacts solved one after the other pass its weight down one layer at a time,
   and the lowest layer is pressed into the body, which pushes it back: a pile would sink, jitter and creep. So the
   feature that is fewer layers above the body gets a smaller inverse mass (after Guendelman, Bridson and Fedkiw
   2003, "Nonconvex rigid bodies with stacking"). The momentum that it does not take goes into the body, which is
   only right for weight: folds that stand side by side and press against each other conserve momentum, or they
   jitter. So does cloth that lies on nothing. */
#include "contact/cloth/shock_propagation.h"

#include <string.h>

void tl_stack_levels_clear(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        memset(s->stack_level, s->is_cloth ? TL_UNSUPPORTED : 0, (size_t)s->mesh->particle_count);
    }
    tl_stack_levels_end(set);
}

void tl_stack_levels_end(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        if (s->self_collides)
            memcpy(s->last_pressure, s->pressure, (size_t)s->mesh->particle_count * sizeof(tl_real));
    }
}

typedef struct levels {
    unsigned char *of[4];
    int split;
    int a, b; /* lowest of each */
} levels;

static levels levels_of(const tl_contact_world *set, const tl_contact *contact)
{
    levels l = {.split = contact->kind == TL_VERTEX_FACE ? 1 : 2, .a = TL_UNSUPPORTED, .b = TL_UNSUPPORTED};
    unsigned char *a = set->mesh[contact->a]->stack_level, *b = set->mesh[contact->b]->stack_level;
    for (int k = 0; k < 4; ++k) {
        l.of[k] = (k < l.split ? a : b) + contact->p[k];
        int *least = k < l.split ? &l.a : &l.b;
        *least = *l.of[k] < *least ? *l.of[k] : *least;
    }
    return l;
}

/* Propagates the level of the lower feature to the other. True when that changed anything. */
static bool propagate(const levels *l)
{
    bool changed = false, up = l->b < l->a;
    int next = (up ? l->b : l->a) + 1;
    for (int k = up ? 0 : l->split; k < (up ? l->split : 4); ++k)
        if (next < *l->of[k]) {
            *l->of[k] = (unsigned char)next;
            changed = true;
        }
    return changed;
}

void tl_stack_level_factors(const tl_contact_world *set, const tl_contact *contact, tl_vec3 n, tl_real factor[4])
{
    levels l = levels_of(set, contact);
    tl_real above = tl_dot(n, set->up) * (l.b < l.a ? 1 : -1);
    tl_real carried = tl_clamp((above - TL_CARRIED_FROM) / (TL_CARRIED_FULLY - TL_CARRIED_FROM), 0, 1);
    for (int k = 0; k < 4; ++k) {
        int other = k < l.split ? l.b : l.a;
        factor[k] = *l.of[k] < other ? 1 - (1 - TL_CARRIER_FRACTION) * carried : 1;
    }
    propagate(&l);
}

static bool propagate_pair(const tl_contact_world *set, const tl_mesh_pair *pair)
{
    bool changed = false;
    for (int k = 0; k < pair->count; ++k)
        if (pair->contact[k].near) {
            levels l = levels_of(set, &pair->contact[k]);
            changed |= propagate(&l);
        }
    return changed;
}

void tl_stack_levels_update(tl_contact_world *set, bool all)
{
    for (int k = 0; k < set->count; ++k) {
        const tl_contact_mesh *s = set->mesh[k];
        const tl_real *now = s->pressure, *before = s->last_pressure;
        unsigned char *restrict level = s->stack_level;
        for (int i = 0, count = s->self_collides ? s->mesh->particle_count : 0; i < count; ++i)
            level[i] = now[i] > before[i] ? 0 : level[i];
    }
    for (int pass = 0; pass < TL_STACK_PASSES && all; ++pass) {
        all = false;
        for (int k = 0; k < set->pair_count; ++k)
            if (tl_is_cloth_pair(set, &set->pair[k]))
                all |= propagate_pair(set, &set->pair[k]);
    }
}
