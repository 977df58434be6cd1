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

/* They are expected to drift with all others from where they are now, or to stay there: what contact stopped does.
   Their slack covers the way they have just gone at least, so that whatever they passed on it is listed too. */
static void list_anew(const tl_surfaces *set, tl_surface *s)
{
    for (int i = 0; i < s->mesh->particle_count; ++i) {
        if (!(s->mark[i] & TL_ASTRAY))
            continue;
        tl_vec3 x = tl_at(s->x, i), way = tl_sub(x, tl_at(s->x_old, i)), beyond = tl_sub(way, set->drift);
        bool stays = tl_dot(way, way) < tl_dot(beyond, beyond);
        tl_real left = (tl_real)(set->life - set->age), substeps = tl_max(1, tl_min(TL_SLACK_SUBSTEPS, left));
        tl_real slack = substeps * tl_length(stays ? way : beyond), from = stays ? 0 : (tl_real)set->age,
                to = stays ? (tl_real)set->life : (tl_real)set->age;
        tl_put(s->listed, i, tl_madd(x, set->drift, -from));
        tl_put(s->ahead, i, tl_madd(x, set->drift, -to));
        s->slack[i] = slack;
        s->surprise[i] = 0;
        s->span[i] = slack + (to - from) * tl_length(set->drift);
    }
}

static void clear_marks(tl_surface *s)
{
    tl_surface_unmark(s, TL_ASTRAY);
    tl_bvh_clear_marks(&s->tree);
    if (s->watch.tree)
        tl_bvh_clear_marks(s->watch.tree);
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
    if (few && set->watched)
        tl_watch_lively(set, true);
    for (int k = 0; k < set->group_count && few; ++k)
        if (tl_group_of_cloths(set, &set->group[k])) {
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
        tl_real most = WITHIN * allowance(set, k), part = (tl_real)set->age / (tl_real)set->life;
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
