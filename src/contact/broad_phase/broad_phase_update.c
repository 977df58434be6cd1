/* Keeps candidates valid: particles that deviate from their prediction are re-queried with their surroundings, while
   all others keep their candidates. Contact moves a few particles by more than margins allow in nearly every
   substep; the cost follows their number, not that of all. */
#include "contact/broad_phase/candidate.h"

/* Deviation that a particle may have beyond its tolerance, m: half of the smallest margin of its pairs. */
static tl_real allowance(const tl_contact_world *set, int mesh)
{
    tl_real least = INFINITY;
    for (int k = 0; k < set->pair_count; ++k)
        if ((set->pair[k].a == mesh || set->pair[k].b == mesh) && tl_is_cloth_pair(set, &set->pair[k]))
            least = tl_min(least, set->pair[k].margin);
    return least / 2;
}

/* Marks stale particles and counts them. */
static int mark(tl_contact_mesh *s, tl_real most)
{
    int count = 0;
    s->query.max_deviation = 0;
    for (int i = 0; i < s->mesh->particle_count; ++i)
        if (s->query.deviation[i] > most) {
            s->mark[i] |= TL_STALE;
            ++count;
        } else
            s->query.max_deviation = tl_max(s->query.max_deviation, s->query.deviation[i]);
    return count;
}

/* Collects their faces. */
static void collect_stale_faces(tl_contact_mesh *s)
{
    const tl_mesh *mesh = s->mesh;
    s->query.stale_count = 0;
    s->query.bounds.marked = s->query.ccd_bounds.marked = -1;
    for (int i = 0; i < mesh->particle_count; ++i)
        for (int k = mesh->particle_face_start[i]; s->mark[i] & TL_STALE && k < mesh->particle_face_start[i + 1]; ++k) {
            int f = tl_half_face(mesh->particle_face[k]);
            const int *p = mesh->face + 3 * (size_t)f;
            bool collected = false; /* by an earlier corner */
            for (int c = 0; c < 3; ++c)
                collected |= p[c] < i && s->mark[p[c]] & TL_STALE;
            if (!collected)
                s->query.stale[s->query.stale_count++] = f;
        }
}

/* Stale particles are predicted from the start of this substep on: the displacement just made is part of it, so that
   whatever they passed becomes a candidate. All others are advanced to there along their prediction. */
static void predict_again(const tl_contact_world *set, tl_contact_mesh *s)
{
    tl_real part = tl_predicted_part(set, set->age - 1);
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < s->mesh->particle_count; ++i)
            s->query.start[c][i] += part * (s->query.predicted_end[c][i] - s->query.start[c][i]);
    for (int i = 0; i < s->mesh->particle_count; ++i)
        if (s->mark[i] & TL_STALE)
            tl_predict_particle(set, s, i);
}

/* Do stale particles sweep too much of the cloth before the candidates expire? These may have been found when it was
   slow, for the rest of a long frame. */
static bool sweeps_too_far(const tl_contact_mesh *s)
{
    tl_real sum = 0, edge = s->mean_edge, count = (tl_real)s->mesh->particle_count;
    for (int i = 0; i < s->mesh->particle_count; ++i)
        if (s->mark[i] & TL_STALE) /* none can meet more than all others */
            sum += tl_min(s->query.span[i] * s->query.span[i] / (edge * edge), count);
    return sum > TL_STALE_FRACTION * TL_MAX_SWEEP * TL_MAX_SWEEP * count; /* those that rest cost nothing */
}

static void clear_marks(tl_contact_mesh *s)
{
    tl_contact_mesh_unmark(s, TL_STALE);
    tl_bvh_clear_marks(&s->tree);
    if (s->query.ccd_bounds.tree)
        tl_bvh_clear_marks(s->query.ccd_bounds.tree);
}

/* Has a pair of cloths stale faces? */
static bool has_stale(const tl_contact_world *set, const tl_mesh_pair *g)
{
    return tl_is_cloth_pair(set, g) && set->mesh[g->a]->query.stale_count + set->mesh[g->b]->query.stale_count > 0;
}

bool tl_broad_phase_requery(tl_contact_world *set)
{
    bool few = set->pairs_valid && set->age <= set->life;
    for (int k = 0; k < set->count && few; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        few = !s->self_collides || mark(s, allowance(set, k)) <= s->mesh->particle_count / TL_STALE_FRACTION;
    }
    for (int k = 0; k < set->count && few; ++k)
        if (set->mesh[k]->self_collides) {
            predict_again(set, set->mesh[k]);
            few = !sweeps_too_far(set->mesh[k]);
            collect_stale_faces(set->mesh[k]);
        }
    if (few)
        set->since = set->age - 1;
    if (few && set->ccd_valid)
        tl_ccd_mark_may_fold(set, true);
    for (int k = 0; k < set->pair_count && few; ++k)
        if (has_stale(set, &set->pair[k])) {
            tl_broad_phase_find_stale(set, &set->pair[k]);
            if (set->ccd_valid)
                tl_ccd_find_stale(set, &set->pair[k]);
        }
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            clear_marks(set->mesh[k]);
    return few;
}

void tl_broad_phase_clamp(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        tl_real most = TL_DEVIATION_LIMIT * allowance(set, k), part = tl_predicted_part(set, set->age);
        tl_vec3 common = tl_scale(set->drift, (tl_real)set->age);
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; ++i) {
            tl_vec3 predicted =
                tl_add(tl_lerp(tl_at(s->query.start, i), tl_at(s->query.predicted_end, i), part), common);
            tl_vec3 off = tl_sub(tl_at(s->x, i), predicted);
            tl_real distance = tl_length(off), limit = most + s->query.tolerance[i];
            if (distance > limit && s->w[i] > 0) {
                tl_put(s->x, i, tl_madd(predicted, off, limit / distance));
                s->touched[i / TL_CONTACT_MESH_BLOCK] = 1;
            }
        }
    }
}
