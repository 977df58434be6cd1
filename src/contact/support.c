/* What lies on what. Where cloth is piled up on a body, pairs that are answered one after the other hand its weight
   down a layer at a time, and the lowest one is pressed into the body, which pushes it back: a pile would sink, tremble
   and creep. So the one of two partners that is nearer to the body, counted in layers, stands firmer (after the shock
   propagation of Guendelman, Bridson and Fedkiw 2003, "Nonconvex rigid bodies with stacking"). What the firmer one does
   not take goes into the body, which can only be so for weight: folds that stand side by side and press against each
   other keep their momentum, or they would shake each other without end. So does cloth that lies on nothing. */
#include "contact/surface.h"

#include <string.h>

/* Share of its inverse mass that is left to the partner which carries the other. */
#define FIRM ((tl_real)0.1)
/* Cosines to the vertical: what leans more than the first is not carried, what leans less than the second wholly. */
#define BESIDE ((tl_real)0.5)
#define ON_TOP ((tl_real)0.8)

enum { MOST_PASSES = 32 }; /* of handing levels on when nothing is known */

void tl_support_forget(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        memset(s->level, s->is_cloth ? TL_UNSUPPORTED : 0, (size_t)s->mesh->particle_count);
    }
    tl_support_note(set);
}

void tl_support_note(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        if (s->layers)
            memcpy(s->pressed, s->pressure, (size_t)s->mesh->particle_count * sizeof(tl_real));
    }
}

typedef struct levels {
    unsigned char *of[4];
    int split;
    int a, b; /* least of each */
} levels;

static levels levels_of(const tl_surfaces *set, const tl_pair *pair)
{
    levels l = {.split = pair->kind == TL_VERTEX_FACE ? 1 : 2, .a = TL_UNSUPPORTED, .b = TL_UNSUPPORTED};
    unsigned char *a = set->surface[pair->a]->level, *b = set->surface[pair->b]->level;
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

void tl_support_share(const tl_surfaces *set, const tl_pair *pair, tl_vec3 n, tl_real factor[4])
{
    levels l = levels_of(set, pair);
    tl_real above = tl_dot(n, set->up) * (l.b < l.a ? 1 : -1);
    tl_real carried = tl_clamp((above - BESIDE) / (ON_TOP - BESIDE), 0, 1);
    for (int k = 0; k < 4; ++k) {
        int other = k < l.split ? l.b : l.a;
        factor[k] = *l.of[k] < other ? 1 - (1 - FIRM) * carried : 1;
    }
    hand_on(&l);
}

static bool pass_on(const tl_surfaces *set, const tl_surface_group *g)
{
    bool news = false;
    for (int k = 0; k < g->count; ++k)
        if (g->pair[k].near) {
            levels l = levels_of(set, &g->pair[k]);
            news |= hand_on(&l);
        }
    return news;
}

void tl_support_find(tl_surfaces *set, bool anew)
{
    for (int k = 0; k < set->count; ++k) {
        const tl_surface *s = set->surface[k];
        const tl_real *now = s->pressure, *before = s->pressed;
        unsigned char *restrict level = s->level;
        for (int i = 0, count = s->layers ? s->mesh->particle_count : 0; i < count; ++i)
            level[i] = now[i] > before[i] ? 0 : level[i];
    }
    for (int pass = 0; pass < MOST_PASSES && anew; ++pass) {
        anew = false;
        for (int k = 0; k < set->group_count; ++k)
            if (tl_group_of_cloths(set, &set->group[k]))
                anew |= pass_on(set, &set->group[k]);
    }
}
