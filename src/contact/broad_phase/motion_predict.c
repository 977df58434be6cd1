/* Predicted motion of particles: candidates bound swept motion, not positions, so that moving cloth needs few queries.

   A particle is predicted to continue its recent motion together with its surroundings: the mean, over the corners
   of its faces, of the smoothed step, the displacement per substep after contact. What the present substep adds
   before the solve is mostly pushed back by it and does not continue; it counts as tolerance. All this is relative
   to a frame that drifts with the common motion of all cloths. */
#include "contact/broad_phase/candidate.h"

#include <string.h>

void tl_predict_begin_frame(tl_contact_mesh *s, tl_real h)
{
    for (int c = 0; c < 3; ++c) {
        const tl_real *x = s->x[c], *v = s->v[c];
        tl_real *restrict step = s->query.smoothed_step[c], *restrict start = s->query.step_start[c];
        for (int i = 0; i < s->mesh->particle_count; ++i) {
            step[i] = v[i] * h;
            start[i] = x[i] - step[i];
        }
    }
}

void tl_predict_begin_substep(tl_contact_mesh *s)
{
    for (int c = 0; c < 3; ++c) {
        const tl_real *x = s->x_old[c];
        tl_real *restrict step = s->query.smoothed_step[c], *restrict start = s->query.step_start[c];
        for (int i = 0; i < s->mesh->particle_count; ++i) {
            step[i] += TL_STEP_SMOOTHING * (x[i] - start[i] - step[i]);
            start[i] = x[i];
        }
    }
}

/* Common displacement of all cloths in this substep, and the RMS deviation of particles from it. */
static tl_vec3 common_displacement(const tl_contact_world *set, tl_real *beyond)
{
    tl_vec3 sum = {0, 0, 0};
    tl_real square = 0;
    int count = 0;
    for (int k = 0; k < set->count; ++k) {
        const tl_contact_mesh *s = set->mesh[k];
        for (int i = 0; s->is_cloth && i < s->mesh->particle_count; i += TL_DRIFT_STRIDE, ++count) {
            tl_vec3 displacement = tl_sub(tl_at(s->x, i), tl_at(s->x_old, i));
            sum = tl_add(sum, displacement);
            square += tl_dot(displacement, displacement);
        }
    }
    tl_real inverse = count > 0 ? 1 / (tl_real)count : 0;
    tl_vec3 mean = tl_scale(sum, inverse);
    *beyond = sqrt(tl_max(square * inverse - tl_dot(mean, mean), 0));
    return mean;
}

tl_real tl_broad_phase_sweep(const tl_contact_world *set)
{
    tl_real beyond, square = 0;
    int count = 0;
    tl_vec3 drift = common_displacement(set, &beyond);
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
    tl_real beyond, part = 1 / sweep;
    tl_vec3 drift = common_displacement(set, &beyond), velocity = tl_scale(drift, 1 / set->h);
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

/* Mean smoothed step around each particle: of its faces' corners. */
static void smooth_steps(const tl_contact_mesh *s, tl_real *const mean[3])
{
    const tl_mesh *mesh = s->mesh;
    for (int c = 0; c < 3; ++c) {
        const tl_real *step = s->query.smoothed_step[c];
        tl_real *out = mean[c];
        memset(out, 0, (size_t)mesh->particle_count * sizeof *out);
        for (int f = 0; f < mesh->face_count; ++f) {
            const int *p = mesh->face + 3 * (size_t)f;
            tl_real displacement = step[p[0]] + step[p[1]] + step[p[2]];
            for (int k = 0; k < 3; ++k)
                out[p[k]] += displacement;
        }
        for (int i = 0; i < mesh->particle_count; ++i)
            out[i] /= (tl_real)(3 * (mesh->particle_face_start[i + 1] - mesh->particle_face_start[i]));
    }
}

/* The same around one particle. */
static tl_vec3 step_around(const tl_contact_mesh *s, int i)
{
    const tl_mesh *mesh = s->mesh;
    tl_vec3 sum = {0, 0, 0};
    int first = mesh->particle_face_start[i], end = mesh->particle_face_start[i + 1];
    for (int k = first; k < end; ++k)
        for (int c = 0; c < 3; ++c) {
            int j = mesh->face[3 * (size_t)tl_half_face(mesh->particle_face[k]) + (size_t)c];
            sum = tl_add(sum, tl_at(s->query.smoothed_step, j));
        }
    return tl_scale(sum, 1 / (tl_real)(3 * (end - first)));
}

/* Predicted displacement of a particle per substep, in the drifting frame. That of the present substep is known;
   after that, a particle that moves with its surroundings continues so, and may be stopped; one that moves more
   against them than with them oscillates in place. */
static tl_vec3 predict_step(tl_vec3 own, tl_vec3 around, tl_vec3 drift, int life, tl_real *tolerance)
{
    tl_vec3 against = tl_sub(own, around), together = tl_sub(around, drift);
    tl_real apart = tl_dot(against, against), common = tl_dot(together, together);
    if (life == 1) {
        *tolerance = 0;
        return tl_sub(own, drift);
    }
    if (apart > common) {
        *tolerance = tl_min(TL_OSCILLATING_SUBSTEPS, (tl_real)life) * tl_length(tl_sub(own, drift));
        return tl_v3(0, 0, 0);
    }
    *tolerance = sqrt(apart) + TL_STOPPED_SUBSTEPS * sqrt(common);
    return together;
}

/* Predicts a particle from the start of this substep, `elapsed` substeps after the query, until the candidates
   expire. */
static void predict(tl_contact_mesh *s, int i, tl_vec3 around, tl_vec3 drift, int elapsed, int left)
{
    tl_vec3 start = tl_at(s->x_old, i), from = tl_madd(start, drift, -(tl_real)elapsed);
    tl_vec3 displacement = predict_step(tl_sub(tl_at(s->x, i), start), around, drift, left, &s->query.tolerance[i]);
    displacement = tl_scale(displacement, (tl_real)left);
    tl_put(s->query.start, i, from);
    tl_put(s->query.predicted_end, i, tl_add(from, displacement));
    s->query.span[i] = tl_length(displacement) + s->query.tolerance[i];
}

void tl_predict_particle(const tl_contact_world *set, tl_contact_mesh *s, int i)
{
    int elapsed = set->age - 1;
    predict(s, i, step_around(s, i), set->drift, elapsed, set->life - elapsed);
    s->query.deviation[i] = 0;
}

/* Moving cloth continues its motion. */
static void predict_motion(tl_contact_mesh *s, tl_vec3 drift, int life)
{
    smooth_steps(s, s->query.predicted_end);
    for (int i = 0; i < s->mesh->particle_count; ++i)
        predict(s, i, tl_at(s->query.predicted_end, i), drift, 0, life);
}

/* Cloth that hardly moves stays where it is: the same, without its surroundings. */
static void predict_rest(tl_contact_mesh *s, tl_vec3 drift, int life)
{
    int count = s->mesh->particle_count;
    for (int c = 0; c < 3; ++c) {
        memcpy(s->query.start[c], s->x_old[c], (size_t)count * sizeof(tl_real));
        memcpy(s->query.predicted_end[c], s->x_old[c], (size_t)count * sizeof(tl_real));
    }
    const tl_real *x = s->x[0], *y = s->x[1], *z = s->x[2], *a = s->x_old[0], *b = s->x_old[1], *c = s->x_old[2];
    tl_real *restrict tolerance = s->query.tolerance, substeps = tl_min(TL_OSCILLATING_SUBSTEPS, (tl_real)life);
    for (int i = 0; i < count; ++i) {
        tl_real u = x[i] - a[i] - drift.x, v = y[i] - b[i] - drift.y, w = z[i] - c[i] - drift.z;
        tolerance[i] = substeps * sqrt(u * u + v * v + w * w);
    }
    memcpy(s->query.span, s->query.tolerance, (size_t)count * sizeof(tl_real));
}

static void predict_mesh(tl_contact_mesh *s, tl_vec3 drift, int life, bool stays)
{
    (stays ? predict_rest : predict_motion)(s, drift, life);
    tl_bvh_fit_normals(&s->tree, s->query.start);
    memset(s->query.deviation, 0, (size_t)s->mesh->particle_count * sizeof *s->query.deviation);
    s->query.max_deviation = 0;
    s->query.bounds.margin = s->query.ccd_bounds.margin = -1;
}

void tl_predict_all(tl_contact_world *set, int longest)
{
    tl_real beyond, sweep = tl_broad_phase_sweep(set);
    if (sweep > 1) /* the solve moved particles too far */
        tl_broad_phase_slow_down(set, sweep);
    sweep = INFINITY;
    for (int k = 0; k < set->count; ++k) {
        const tl_contact_mesh *s = set->mesh[k];
        if (s->is_cloth)
            sweep = tl_min(sweep, tl_min(TL_SWEEP_OF_EDGE * s->mean_edge, TL_SWEEP_OF_GAP * s->gap));
    }
    set->drift = common_displacement(set, &beyond);
    tl_real substeps = beyond > 0 ? sweep / beyond : INFINITY;
    substeps = substeps < TL_SHORT_LIFE ? sqrt(TL_SHORT_LIFE * substeps) : substeps;
    int life = substeps < (tl_real)longest ? (int)tl_max(substeps, 1) : longest;
    int queries = (longest + life - 1) / life; /* queries evenly spaced over the frame */
    set->life = (longest + queries - 1) / queries;
    set->age = 1;
    set->since = 0;
    set->predicted = true;
    bool stays = (tl_real)longest * beyond < TL_STAYS_FRACTION * sweep;
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            predict_mesh(set->mesh[k], set->drift, set->life, stays);
}

tl_real tl_predicted_part(const tl_contact_world *set, int age)
{
    return (tl_real)(age - set->since) / (tl_real)(set->life - set->since);
}

/* Updates the largest deviation of particles from their prediction, beyond the tolerance, m. */
static void update_deviation(const tl_contact_world *set, tl_contact_mesh *s)
{
    tl_real part = tl_predicted_part(set, set->age);
    tl_vec3 common = tl_scale(set->drift, (tl_real)set->age);
    const tl_real *x = s->x[0], *y = s->x[1], *z = s->x[2], *tolerance = s->query.tolerance;
    const tl_real *a = s->query.start[0], *b = s->query.start[1], *c = s->query.start[2];
    const tl_real *to_a = s->query.predicted_end[0], *to_b = s->query.predicted_end[1],
                  *to_c = s->query.predicted_end[2];
    tl_real *restrict deviation = s->query.deviation;
    for (int k = 0; k < s->mesh->particle_count; ++k) {
        tl_real u = x[k] - a[k] - part * (to_a[k] - a[k]) - common.x,
                v = y[k] - b[k] - part * (to_b[k] - b[k]) - common.y,
                w = z[k] - c[k] - part * (to_c[k] - c[k]) - common.z;
        deviation[k] = tl_max(sqrt(u * u + v * v + w * w) - tolerance[k], deviation[k]);
    }
}

static tl_real largest(const tl_real *a, int count)
{
    tl_real most[TL_BATCH] = {0}, all = 0;
    int whole = count - count % TL_BATCH;
    for (int first = 0; first < whole; first += TL_BATCH)
        for (int k = 0; k < TL_BATCH; ++k)
            most[k] = tl_max(most[k], a[first + k]);
    for (int k = 0; k < TL_BATCH; ++k)
        all = tl_max(all, most[k]);
    for (int k = whole; k < count; ++k)
        all = tl_max(all, a[k]);
    return all;
}

tl_real tl_mesh_pair_deviation(const tl_contact_world *set, const tl_mesh_pair *g)
{
    return set->mesh[g->a]->query.max_deviation + set->mesh[g->b]->query.max_deviation;
}

bool tl_broad_phase_holds(tl_contact_world *set)
{
    if (!set->predicted || set->age > set->life)
        return false;
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        if (!s->self_collides)
            continue;
        update_deviation(set, s);
        s->query.max_deviation = largest(s->query.deviation, s->mesh->particle_count);
    }
    for (int k = 0; k < set->pair_count; ++k)
        if (tl_is_cloth_pair(set, &set->pair[k]) && tl_mesh_pair_deviation(set, &set->pair[k]) > set->pair[k].margin)
            return false;
    return true;
}
