/* How far cloth may move in a substep: what it meets on the way grows with the square of that. */
#include "contact/broad_phase/broad_phase.h"

/* Common displacement of all cloths in this substep. */
static tl_vec3 common_displacement(const tl_contact_world *set)
{
    tl_vec3 sum = {0, 0, 0};
    int count = 0;
    for (int k = 0; k < set->count; ++k) {
        const tl_contact_mesh *s = set->mesh[k];
        for (int i = 0; s->is_cloth && i < s->mesh->particle_count; i += TL_DRIFT_STRIDE, ++count)
            sum = tl_add(sum, tl_sub(tl_at(s->x, i), tl_at(s->x_old, i)));
    }
    return tl_scale(sum, count > 0 ? 1 / (tl_real)count : 0);
}

tl_real tl_broad_phase_sweep(const tl_contact_world *set)
{
    tl_real square = 0;
    int count = 0;
    tl_vec3 drift = common_displacement(set);
    for (int k = 0; k < set->count; ++k) {
        const tl_contact_mesh *s = set->mesh[k];
        tl_real edge = s->mean_edge, all = (tl_real)s->mesh->particle_count; /* none can meet more */
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; i += TL_DRIFT_STRIDE, ++count) {
            tl_vec3 own = tl_sub(tl_sub(tl_at(s->x, i), tl_at(s->x_old, i)), drift);
            square += tl_min(tl_dot(own, own) / (edge * edge), all);
        }
    }
    return count > 0 ? sqrt(square / (tl_real)count) / TL_MAX_SWEEP : 0;
}

void tl_broad_phase_slow_down(tl_contact_world *set, tl_real sweep)
{
    tl_real part = 1 / sweep;
    tl_vec3 drift = common_displacement(set), velocity = tl_scale(drift, 1 / set->h);
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; ++i) {
            tl_vec3 start = tl_at(s->x_old, i), own = tl_sub(tl_sub(tl_at(s->x, i), start), drift);
            tl_put(s->x, i, tl_madd(tl_add(start, drift), own, part));
            if (s->w[i] > 0)
                tl_put(s->v, i, tl_madd(velocity, tl_sub(tl_at(s->v, i), velocity), part));
            s->touched[i / TL_CONTACT_MESH_BLOCK] = 1;
            ++set->truncated;
        }
    }
}
