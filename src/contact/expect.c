/* Where particles are expected during the life of the lists: lists hold for ways, not for places, so that cloth which
   moves needs few of them.

   A particle goes on as it has gone of late together with what is around it: that is the mean over the faces' corners
   around it of their pace, the way in a substep as contact left it. What the present substep adds before contact is
   answered is mostly pushed back by it, and does not go on; it counts as slack. All this is seen from a frame that
   drifts with the common way of all cloths. */
#include "contact/surface.h"

#include <string.h>

/* Every so many particles tell the common motion; any value of it is right, a good one saves pairs. */
enum { DRIFT_STRIDE = 16 };
/* How far the particles sweep on the mean during the life of the lists, as a share of an edge's length and of the gap:
   beyond that, what is listed lies mostly layers away. */
#define SWEEP_OF_EDGE ((tl_real)0.65)
#define SWEEP_OF_GAP ((tl_real)0.65)
/* Share of that below which cloth is taken to stay where it is. */
#define STAYS_SHARE ((tl_real)0.02)
/* Substeps of life below which it follows from speed more weakly: fast cloth mostly moves together, and many lists cost
   more than what a few list too much. */
#define FEW_SUBSTEPS ((tl_real)6)
/* Substeps of its motion that a particle may be away when it goes to and fro, and when it is stopped. */
#define TO_AND_FRO ((tl_real)3)
#define STOPPED ((tl_real)0.5)

void tl_surface_take_pace(tl_surface *s, tl_real h)
{
    for (int c = 0; c < 3; ++c) {
        const tl_real *x = s->x[c], *v = s->v[c];
        tl_real *restrict pace = s->pace[c], *restrict start = s->start[c];
        for (int i = 0; i < s->mesh->particle_count; ++i) {
            pace[i] = v[i] * h;
            start[i] = x[i] - pace[i];
        }
    }
}

#define PACE_SHARE ((tl_real)0.5) /* of what a particle went in the last substep, in its pace */

void tl_surface_keep_pace(tl_surface *s)
{
    for (int c = 0; c < 3; ++c) {
        const tl_real *x = s->x_old[c];
        tl_real *restrict pace = s->pace[c], *restrict start = s->start[c];
        for (int i = 0; i < s->mesh->particle_count; ++i) {
            pace[i] += PACE_SHARE * (x[i] - start[i] - pace[i]);
            start[i] = x[i];
        }
    }
}

/* Common way of all cloths in this substep, and how far particles go beyond it, by root of mean square. */
static tl_vec3 common_way(const tl_surfaces *set, tl_real *beyond)
{
    tl_vec3 sum = {0, 0, 0};
    tl_real square = 0;
    int count = 0;
    for (int k = 0; k < set->count; ++k) {
        const tl_surface *s = set->surface[k];
        for (int i = 0; s->is_cloth && i < s->mesh->particle_count; i += DRIFT_STRIDE, ++count) {
            tl_vec3 way = tl_sub(tl_at(s->x, i), tl_at(s->x_old, i));
            sum = tl_add(sum, way);
            square += tl_dot(way, way);
        }
    }
    tl_real inverse = count > 0 ? 1 / (tl_real)count : 0;
    tl_vec3 mean = tl_scale(sum, inverse);
    *beyond = sqrt(tl_max(square * inverse - tl_dot(mean, mean), 0));
    return mean;
}

/* Mean pace of what is around each particle: of its faces' corners. */
static void smooth_pace(const tl_surface *s, tl_real *const mean[3])
{
    const tl_mesh *mesh = s->mesh;
    for (int c = 0; c < 3; ++c) {
        const tl_real *pace = s->pace[c];
        tl_real *out = mean[c];
        memset(out, 0, (size_t)mesh->particle_count * sizeof *out);
        for (int f = 0; f < mesh->face_count; ++f) {
            const int *p = mesh->face + 3 * (size_t)f;
            tl_real way = pace[p[0]] + pace[p[1]] + pace[p[2]];
            for (int k = 0; k < 3; ++k)
                out[p[k]] += way;
        }
        for (int i = 0; i < mesh->particle_count; ++i)
            out[i] /= (tl_real)(3 * (mesh->particle_face_start[i + 1] - mesh->particle_face_start[i]));
    }
}

/* The same around one particle. */
static tl_vec3 pace_around(const tl_surface *s, int i)
{
    const tl_mesh *mesh = s->mesh;
    tl_vec3 sum = {0, 0, 0};
    int first = mesh->particle_face_start[i], end = mesh->particle_face_start[i + 1];
    for (int k = first; k < end; ++k)
        for (int c = 0; c < 3; ++c) {
            int j = mesh->face[3 * (size_t)tl_half_face(mesh->particle_face[k]) + (size_t)c];
            sum = tl_add(sum, tl_at(s->pace, j));
        }
    return tl_scale(sum, 1 / (tl_real)(3 * (end - first)));
}

/* Way of a particle in one substep of the lists' life, in the frame that drifts with the common way. The way in the
   present substep is known; after that one that moves together with what is around it goes on so, and may be stopped;
   one that moves more against that than with it goes to and fro where it is. */
static tl_vec3 expect_way(tl_vec3 own, tl_vec3 around, tl_vec3 drift, int life, tl_real *slack)
{
    tl_vec3 against = tl_sub(own, around), together = tl_sub(around, drift);
    tl_real apart = tl_dot(against, against), common = tl_dot(together, together);
    if (life == 1) {
        *slack = 0;
        return tl_sub(own, drift);
    }
    if (apart > common) {
        *slack = tl_min(TO_AND_FRO, (tl_real)life) * tl_length(tl_sub(own, drift));
        return tl_v3(0, 0, 0);
    }
    *slack = sqrt(apart) + STOPPED * sqrt(common);
    return together;
}

/* Where a particle is expected from the start of this substep, so many after the lists were made, until they end. */
static void expect(tl_surface *s, int i, tl_vec3 around, tl_vec3 drift, int gone, int left)
{
    tl_vec3 start = tl_at(s->x_old, i), from = tl_madd(start, drift, -(tl_real)gone);
    tl_vec3 way = expect_way(tl_sub(tl_at(s->x, i), start), around, drift, left, &s->slack[i]);
    way = tl_scale(way, (tl_real)left);
    tl_put(s->listed, i, from);
    tl_put(s->ahead, i, tl_add(from, way));
    s->span[i] = tl_length(way) + s->slack[i];
}

void tl_surface_expect(const tl_surfaces *set, tl_surface *s, int i)
{
    int gone = set->age - 1;
    expect(s, i, pace_around(s, i), set->drift, gone, set->life - gone);
    s->surprise[i] = 0;
}

/* Particles of cloth that moves go on as they do. */
static void expect_to_go_on(tl_surface *s, tl_vec3 drift, int life)
{
    smooth_pace(s, s->ahead);
    for (int i = 0; i < s->mesh->particle_count; ++i)
        expect(s, i, tl_at(s->ahead, i), drift, 0, life);
}

/* Those of cloth that hardly does stay where they are: the same, without looking at what is around each. */
static void expect_to_stay(tl_surface *s, tl_vec3 drift, int life)
{
    int count = s->mesh->particle_count;
    for (int c = 0; c < 3; ++c) {
        memcpy(s->listed[c], s->x_old[c], (size_t)count * sizeof(tl_real));
        memcpy(s->ahead[c], s->x_old[c], (size_t)count * sizeof(tl_real));
    }
    const tl_real *x = s->x[0], *y = s->x[1], *z = s->x[2], *a = s->x_old[0], *b = s->x_old[1], *c = s->x_old[2];
    tl_real *restrict slack = s->slack, astray = tl_min(TO_AND_FRO, (tl_real)life);
    for (int i = 0; i < count; ++i) {
        tl_real u = x[i] - a[i] - drift.x, v = y[i] - b[i] - drift.y, w = z[i] - c[i] - drift.z;
        slack[i] = astray * sqrt(u * u + v * v + w * w);
    }
    memcpy(s->span, s->slack, (size_t)count * sizeof(tl_real));
}

static void look_ahead(tl_surface *s, tl_vec3 drift, int life, bool stays)
{
    (stays ? expect_to_stay : expect_to_go_on)(s, drift, life);
    tl_bvh_fit_normals(&s->tree, s->listed);
    memset(s->surprise, 0, (size_t)s->mesh->particle_count * sizeof *s->surprise);
    s->used = 0;
    s->pairs.margin = s->watch.margin = -1;
}

void tl_surfaces_expect(tl_surfaces *set, int longest)
{
    tl_real beyond, sweep = INFINITY;
    for (int k = 0; k < set->count; ++k) {
        const tl_surface *s = set->surface[k];
        if (s->is_cloth)
            sweep = tl_min(sweep, tl_min(SWEEP_OF_EDGE * s->mean_edge, SWEEP_OF_GAP * s->gap));
    }
    set->drift = common_way(set, &beyond);
    tl_real substeps = beyond > 0 ? sweep / beyond : INFINITY;
    substeps = substeps < FEW_SUBSTEPS ? sqrt(FEW_SUBSTEPS * substeps) : substeps;
    int life = substeps < (tl_real)longest ? (int)tl_max(substeps, 1) : longest;
    int lists = (longest + life - 1) / life; /* all about equally old at their end */
    set->life = (longest + lists - 1) / lists;
    set->age = 1;
    set->since = 0;
    set->expecting = true;
    bool stays = (tl_real)longest * beyond < STAYS_SHARE * sweep;
    for (int k = 0; k < set->count; ++k)
        if (set->surface[k]->layers)
            look_ahead(set->surface[k], set->drift, set->life, stays);
}

tl_real tl_surfaces_part(const tl_surfaces *set, int age)
{
    return (tl_real)(age - set->since) / (tl_real)(set->life - set->since);
}

/* How far particles are from where they are expected now, beyond their slack, m, if that is more than before. */
static void look_for_surprises(const tl_surfaces *set, tl_surface *s)
{
    tl_real part = tl_surfaces_part(set, set->age);
    tl_vec3 common = tl_scale(set->drift, (tl_real)set->age);
    const tl_real *x = s->x[0], *y = s->x[1], *z = s->x[2], *slack = s->slack;
    const tl_real *a = s->listed[0], *b = s->listed[1], *c = s->listed[2];
    const tl_real *to_a = s->ahead[0], *to_b = s->ahead[1], *to_c = s->ahead[2];
    tl_real *restrict surprise = s->surprise;
    for (int k = 0; k < s->mesh->particle_count; ++k) {
        tl_real u = x[k] - a[k] - part * (to_a[k] - a[k]) - common.x,
                v = y[k] - b[k] - part * (to_b[k] - b[k]) - common.y,
                w = z[k] - c[k] - part * (to_c[k] - c[k]) - common.z;
        surprise[k] = tl_max(sqrt(u * u + v * v + w * w) - slack[k], surprise[k]);
    }
}

static tl_real largest(const tl_real *a, int count)
{
    tl_real most[TL_AT_ONCE] = {0}, all = 0;
    int whole = count - count % TL_AT_ONCE;
    for (int first = 0; first < whole; first += TL_AT_ONCE)
        for (int k = 0; k < TL_AT_ONCE; ++k)
            most[k] = tl_max(most[k], a[first + k]);
    for (int k = 0; k < TL_AT_ONCE; ++k)
        all = tl_max(all, most[k]);
    for (int k = whole; k < count; ++k)
        all = tl_max(all, a[k]);
    return all;
}

tl_real tl_group_used(const tl_surfaces *set, const tl_surface_group *g)
{
    return set->surface[g->a]->used + set->surface[g->b]->used;
}

bool tl_surfaces_expected(tl_surfaces *set)
{
    if (!set->expecting || set->age > set->life)
        return false;
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        if (!s->layers)
            continue;
        look_for_surprises(set, s);
        s->used = largest(s->surprise, s->mesh->particle_count);
    }
    for (int k = 0; k < set->group_count; ++k)
        if (tl_group_of_cloths(set, &set->group[k]) && tl_group_used(set, &set->group[k]) > set->group[k].margin)
            return false;
    return true;
}
