/* What lies on what. Where cloth is piled up on a body, pairs that are answered one after the other hand its weight
   down a layer at a time, and the lowest one is pressed into the body, which pushes it back: a pile would sink, tremble
   and creep. So the one of two partners that is nearer to the body, counted in layers, stands firmer (after the shock
   propagation of Guendelman, Bridson and Fedkiw 2003, "Nonconvex rigid bodies with stacking"). What the firmer one does
   not take goes into the body, which can only be so for weight: folds that stand side by side and press against each
   other keep their momentum, or they would shake each other without end. So does cloth that lies on nothing. */
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
    int a, b; /* least of each */
} levels;

static levels levels_of(const tl_contact_world *set, const tl_contact *pair)
{
    levels l = {.split = pair->kind == TL_VERTEX_FACE ? 1 : 2, .a = TL_UNSUPPORTED, .b = TL_UNSUPPORTED};
    unsigned char *a = set->mesh[pair->a]->stack_level, *b = set->mesh[pair->b]->stack_level;
    for (int k = 0; k < 4; ++k) {
        l.of[k] = (k < l.split ? a : b) + pair->p[k];
        int *least = k < l.split ? &l.a : &l.b;
        *least = *l.of[k] < *least ? *l.of[k] : *least;
    }
    return l;
}

/* Hands the level of the firmer one on. True when that told anything. */
static bool hand_on(const levels *l)
{
    bool news = false, up = l->b < l->a;
    int next = (up ? l->b : l->a) + 1;
    for (int k = up ? 0 : l->split; k < (up ? l->split : 4); ++k)
        if (next < *l->of[k]) {
            *l->of[k] = (unsigned char)next;
            news = true;
        }
    return news;
}

void tl_stack_level_factors(const tl_contact_world *set, const tl_contact *pair, tl_vec3 n, tl_real factor[4])
{
    levels l = levels_of(set, pair);
    tl_real above = tl_dot(n, set->up) * (l.b < l.a ? 1 : -1);
    tl_real carried = tl_clamp((above - TL_CARRIED_FROM) / (TL_CARRIED_FULLY - TL_CARRIED_FROM), 0, 1);
    for (int k = 0; k < 4; ++k) {
        int other = k < l.split ? l.b : l.a;
        factor[k] = *l.of[k] < other ? 1 - (1 - TL_CARRIER_FRACTION) * carried : 1;
    }
    hand_on(&l);
}

static bool pass_on(const tl_contact_world *set, const tl_mesh_pair *g)
{
    bool news = false;
    for (int k = 0; k < g->count; ++k)
        if (g->contact[k].near) {
            levels l = levels_of(set, &g->contact[k]);
            news |= hand_on(&l);
        }
    return news;
}

void tl_stack_levels_update(tl_contact_world *set, bool anew)
{
    for (int k = 0; k < set->count; ++k) {
        const tl_contact_mesh *s = set->mesh[k];
        const tl_real *now = s->pressure, *before = s->last_pressure;
        unsigned char *restrict level = s->stack_level;
        for (int i = 0, count = s->self_collides ? s->mesh->particle_count : 0; i < count; ++i)
            level[i] = now[i] > before[i] ? 0 : level[i];
    }
    for (int pass = 0; pass < TL_STACK_PASSES && anew; ++pass) {
        anew = false;
        for (int k = 0; k < set->pair_count; ++k)
            if (tl_is_cloth_pair(set, &set->pair[k]))
                anew |= pass_on(set, &set->pair[k]);
    }
}
