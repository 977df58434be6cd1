/* Lists that go on to hold: particles that are not where they were expected are listed anew, with what is around them,
   while all others keep what they have. Contact moves a few particles by more than margins allow in nearly every
   substep; the cost follows their number, not that of all. */
#include "contact/surface.h"

enum { MOST_ASTRAY = 4 }; /* one of so many particles; beyond that all are listed anew */

/* How far a particle may be from where it was expected, beyond its slack, m: half of the least margin it is met with.
 */
static tl_real allowance(const tl_surfaces *set, int surface)
{
    tl_real least = INFINITY;
    for (int k = 0; k < set->group_count; ++k)
        if ((set->group[k].a == surface || set->group[k].b == surface) && tl_group_of_cloths(set, &set->group[k]))
            least = tl_min(least, set->group[k].margin);
    return least / 2;
}

/* Marks who is astray, and tells how many. */
static int mark(tl_surface *s, tl_real most)
{
    int count = 0;
    s->used = 0;
    for (int i = 0; i < s->mesh->particle_count; ++i)
        if (s->surprise[i] > most) {
            s->mark[i] |= TL_ASTRAY;
            ++count;
        } else
            s->used = tl_max(s->used, s->surprise[i]);
    return count;
}

/* Lists the faces of those. */
static void list_faces(tl_surface *s)
{
    const tl_mesh *mesh = s->mesh;
    s->astray_count = 0;
    s->pairs.marked = s->watch.marked = -1;
    for (int i = 0; i < mesh->particle_count; ++i)
        for (int k = mesh->particle_face_start[i]; s->mark[i] & TL_ASTRAY && k < mesh->particle_face_start[i + 1];
             ++k) {
            int f = tl_half_face(mesh->particle_face[k]);
            const int *p = mesh->face + 3 * (size_t)f;
            bool listed = false; /* by an earlier corner */
            for (int c = 0; c < 3; ++c)
                listed |= p[c] < i && s->mark[p[c]] & TL_ASTRAY;
            if (!listed)
                s->astray[s->astray_count++] = f;
        }
}

/* They are expected to go on from where this substep began: the way they have just gone is part of it, so that whatever
   they passed is listed. All others are taken to there on their ways. */
static void list_anew(const tl_surfaces *set, tl_surface *s)
{
    tl_real part = tl_surfaces_part(set, set->age - 1);
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < s->mesh->particle_count; ++i)
            s->listed[c][i] += part * (s->ahead[c][i] - s->listed[c][i]);
    for (int i = 0; i < s->mesh->particle_count; ++i)
        if (s->mark[i] & TL_ASTRAY)
            tl_surface_expect(set, s, i);
}

static void clear_marks(tl_surface *s)
{
    tl_surface_unmark(s, TL_ASTRAY);
    tl_bvh_clear_marks(&s->tree);
    if (s->watch.tree)
        tl_bvh_clear_marks(s->watch.tree);
}

/* Is anything of a group of cloths listed anew? */
static bool is_astray(const tl_surfaces *set, const tl_surface_group *g)
{
    return tl_group_of_cloths(set, g) && set->surface[g->a]->astray_count + set->surface[g->b]->astray_count > 0;
}

bool tl_surfaces_relist(tl_surfaces *set)
{
    bool few = set->listed && set->age <= set->life;
    for (int k = 0; k < set->count && few; ++k) {
        tl_surface *s = set->surface[k];
        few = !s->layers || mark(s, allowance(set, k)) <= s->mesh->particle_count / MOST_ASTRAY;
    }
    for (int k = 0; k < set->count && few; ++k)
        if (set->surface[k]->layers) {
            list_anew(set, set->surface[k]);
            list_faces(set->surface[k]);
        }
    if (few)
        set->since = set->age - 1;
    if (few && set->watched)
        tl_watch_lively(set, true);
    for (int k = 0; k < set->group_count && few; ++k)
        if (is_astray(set, &set->group[k])) {
            tl_group_collect_astray(set, &set->group[k]);
            if (set->watched)
                tl_group_watch_astray(set, &set->group[k]);
        }
    for (int k = 0; k < set->count; ++k)
        if (set->surface[k]->layers)
            clear_marks(set->surface[k]);
    return few;
}

#define WITHIN ((tl_real)0.99) /* of what is allowed: rounding must not lead beyond */

void tl_surfaces_rein_in(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        tl_real most = WITHIN * allowance(set, k), part = tl_surfaces_part(set, set->age);
        tl_vec3 common = tl_scale(set->drift, (tl_real)set->age);
        for (int i = 0; s->layers && i < s->mesh->particle_count; ++i) {
            tl_vec3 expected = tl_add(tl_lerp(tl_at(s->listed, i), tl_at(s->ahead, i), part), common);
            tl_vec3 off = tl_sub(tl_at(s->x, i), expected);
            tl_real distance = tl_length(off), limit = most + s->slack[i];
            if (distance > limit && s->w[i] > 0) {
                tl_put(s->x, i, tl_madd(expected, off, limit / distance));
                s->touched[i / TL_SURFACE_BLOCK] = 1;
            }
        }
    }
}
