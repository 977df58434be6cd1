/* How close pairs are answered, one after the other.

   A pair is Σ c_i x_i, the way from b's nearest point to a's, with weights c of the two features: 1 and minus the
   barycentric weights for vertex and face, 1−s, s, t−1, −t for two edges. With unit normal n out of b, W = Σ w_i c_i²
   over inverse masses:

   - position: x_i += w_i c_i n (gap − n·Σ c x) / W, so that they are the gap apart;
   - friction: the relative way along the surface in this substep is shortened by at most μ times that correction;
   - velocity: the normal relative velocity u < 0 becomes −e u (0 below the resting speed), v_i += w_i c_i n Δu / W; the
     tangential one is shortened by at most μ Δu.

   This is the law of contact/body/convex_contact.c for two moving partners: linear and angular momentum are kept,
   because forces are equal, opposite and along one line. Positions are corrected without giving speed (Bridson, Fedkiw
   and Anderson 2002; Müller et al. 2007).

   Sides are remembered from the last time when the two were apart, so that a particle which went through in one substep
   is brought back, not held on the wrong side. */
#include "contact/cloth/contact_solve.h"
#include "collide/mesh/nearest.h"
#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/shock_propagation.h"
#include "contact/rigid/rigid_state.h"

typedef struct manifold {
    tl_real c[4];     /* 1, weights of the four points */
    tl_vec3 n;        /* unit, out of b */
    tl_real apart;    /* m along n; below 0: on the wrong side */
    tl_real distance; /* m, whatever the sides */
} manifold;

/* The two surfaces of a pair and its points. */
typedef struct partners {
    tl_contact_mesh *s[4];
    tl_vec3 x[4];
    tl_real w[4]; /* 1/kg */
} partners;

static partners partners_of(const tl_contact_world *set, const tl_contact *pair)
{
    partners all;
    int split = pair->kind == TL_VERTEX_FACE ? 1 : 2;
    for (int k = 0; k < 4; ++k) {
        all.s[k] = set->mesh[k < split ? pair->a : pair->b];
        all.x[k] = tl_at(all.s[k]->x, pair->p[k]);
        all.w[k] = all.s[k]->w[pair->p[k]];
    }
    return all;
}

/* Did the vertex go through the face? Its place at the start is carried along with the face, so that the path is seen
   from there; then the path must cross the plane within the face. */
static bool passed_through(const tl_contact *pair, const partners *all, manifold *t)
{
    tl_vec3 old[4], n = tl_triangle_normal(all->x + 1);
    for (int k = 0; k < 4; ++k)
        old[k] = tl_at(all->s[k]->x_old, pair->p[k]);
    tl_vec3 old_n = tl_triangle_normal(old + 1), from = tl_sub(old[0], old[1]);
    tl_vec3 e1 = tl_sub(old[2], old[1]), e2 = tl_sub(old[3], old[1]);
    tl_real height = tl_dot(from, old_n), end = tl_dot(tl_sub(all->x[0], all->x[1]), n);
    if (height * tl_dot(pair->side, old_n) < 0 || height * end >= 0)
        return false;
    tl_real d11 = tl_dot(e1, e1), d12 = tl_dot(e1, e2), d22 = tl_dot(e2, e2), p1 = tl_dot(from, e1),
            p2 = tl_dot(from, e2);
    tl_real det = d11 * d22 - d12 * d12;
    if (!(det > 0))
        return false;
    tl_real b1 = (d22 * p1 - d12 * p2) / det, b2 = (d11 * p2 - d12 * p1) / det;
    /* the start, as seen from the face where it is now */
    tl_vec3 f1 = tl_sub(all->x[2], all->x[1]), f2 = tl_sub(all->x[3], all->x[1]);
    tl_vec3 start = tl_madd(tl_madd(tl_scale(n, height), f1, b1), f2, b2);
    tl_vec3 hit = tl_lerp(start, tl_sub(all->x[0], all->x[1]), height / (height - end));
    d11 = tl_dot(f1, f1), d12 = tl_dot(f1, f2), d22 = tl_dot(f2, f2), p1 = tl_dot(hit, f1), p2 = tl_dot(hit, f2);
    det = d11 * d22 - d12 * d12;
    if (!(det > 0))
        return false;
    b1 = (d22 * p1 - d12 * p2) / det, b2 = (d11 * p2 - d12 * p1) / det;
    if (b1 < -TL_SEAM_TOLERANCE || b2 < -TL_SEAM_TOLERANCE || b1 + b2 > 1 + TL_SEAM_TOLERANCE)
        return false;
    t->n = height > 0 ? n : tl_scale(n, -1);
    t->apart = height > 0 ? end : -end;
    t->c[0] = 1;
    t->c[1] = b1 + b2 - 1;
    t->c[2] = -b1;
    t->c[3] = -b2;
    t->distance = 0;
    return true;
}

static bool separate_face(const tl_contact *pair, const partners *all, manifold *t)
{
    if (pair->fast && passed_through(pair, all, t))
        return true;
    tl_real weight[3];
    const tl_vec3 *x = all->x;
    bool inside = tl_nearest_on_triangle(x[0], x[1], x[2], x[3], weight);
    tl_vec3 apart = tl_sub(x[0], tl_blend3(x[1], x[2], x[3], weight));
    t->distance = tl_length(apart);
    t->c[0] = 1;
    for (int k = 0; k < 3; ++k)
        t->c[k + 1] = -weight[k];
    if (inside) {
        t->n = tl_triangle_normal(x + 1);
        if (tl_dot(t->n, pair->side) < 0)
            t->n = tl_scale(t->n, -1);
        t->apart = tl_dot(apart, t->n);
        return true;
    }
    t->apart = t->distance;
    t->n = tl_scale(apart, t->apart > 0 ? 1 / t->apart : 0);
    return tl_dot(t->n, pair->side) > 0; /* beyond the border on the other side: not this face's business */
}

static bool separate_edge(const tl_contact *pair, const partners *all, manifold *t)
{
    tl_real s, u;
    const tl_vec3 *x = all->x;
    bool between = tl_nearest_of_segments(x[0], x[1], x[2], x[3], &s, &u);
    tl_vec3 apart = tl_sub(tl_lerp(x[0], x[1], s), tl_lerp(x[2], x[3], u));
    t->distance = tl_length(apart);
    if (!between)
        return false; /* an end of an edge is a vertex, and found as such */
    tl_vec3 e = tl_sub(x[1], x[0]), f = tl_sub(x[3], x[2]), cross = tl_cross(e, f);
    tl_real sine = tl_length(cross), whole = tl_length(e) * tl_length(f);
    bool crossed = sine > TL_PARALLEL_SINE * whole;
    t->n = tl_normalized(crossed ? cross : apart);
    if (crossed && tl_dot(t->n, pair->side) < 0)
        t->n = tl_scale(t->n, -1);
    t->apart = tl_dot(apart, t->n);
    t->c[0] = 1 - s;
    t->c[1] = s;
    t->c[2] = u - 1;
    t->c[3] = -u;
    return tl_dot(t->n, pair->side) > 0;
}

/* Friction and restitution of the two partners. */
typedef struct law {
    tl_real friction, restitution;
} law;

static law law_of(const tl_contact_mesh *a, const tl_contact_mesh *b)
{
    if (a->is_cloth && b->is_cloth)
        return (law){(a->cloth_friction + b->cloth_friction) / 2, 0};
    const tl_contact_mesh *body = a->is_cloth ? b : a;
    return (law){tl_friction_between(a->friction, b->friction), body->restitution};
}

/* Gives the body of the pair, if there is one, what the cloth gave it: −impulse of a, at the middle of the touched
 * places. */
static void report_to_body(const partners *all, const manifold *t, tl_vec3 impulse)
{
    tl_contact_mesh *a = all->s[0], *b = all->s[3];
    if (a->is_cloth && b->is_cloth)
        return;
    tl_contact_mesh *body = a->is_cloth ? b : a;
    tl_vec3 place = {0, 0, 0};
    tl_real share = 0;
    for (int k = 0; k < 4; ++k)
        if (all->s[k] == body) {
            place = tl_madd(place, all->x[k], fabs(t->c[k]));
            share += fabs(t->c[k]);
        }
    if (body == b)
        impulse = tl_scale(impulse, -1);
    body->impulse = tl_add(body->impulse, impulse);
    body->moment =
        tl_add(body->moment, tl_cross(tl_sub(tl_scale(place, share > 0 ? 1 / share : 0), body->pivot), impulse));
}

static void move(const tl_contact *pair, const partners *all, const manifold *t, tl_vec3 by, int sweep)
{
    tl_real length = tl_length(by);
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = all->s[k];
        int i = pair->p[k];
        if (all->w[k] > 0) {
            tl_accumulate(s->x, i, tl_scale(by, all->w[k] * t->c[k]));
            s->last_moved_sweep[i] = sweep;
            s->path_length[i] += all->w[k] * fabs(t->c[k]) * length;
            s->touched[i / TL_CONTACT_MESH_BLOCK] = 1;
        }
    }
}

static tl_vec3 sum_of(const tl_contact *pair, const partners *all, const manifold *t, bool velocity)
{
    tl_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        const tl_contact_mesh *s = all->s[k];
        int i = pair->p[k];
        tl_vec3 a = velocity ? tl_at(s->v, i) : tl_sub(tl_at(s->x, i), tl_at(s->x_old, i));
        sum = tl_madd(sum, a, t->c[k]);
    }
    return sum;
}

/* What shortens a tangential vector by `most` at the most. */
static tl_vec3 friction_change(tl_vec3 displacement, tl_vec3 n, tl_real most)
{
    tl_vec3 along = tl_madd(displacement, n, -tl_dot(displacement, n));
    tl_real length = tl_length(along);
    if (!(length > 0))
        return tl_v3(0, 0, 0);
    return tl_scale(along, -tl_min(1, most / length));
}

/* Way of a body's place in the substep where a pair touches it. */
static tl_vec3 body_displacement(const tl_contact *pair, const partners *all, const manifold *t)
{
    tl_vec3 displacement = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        const tl_contact_mesh *s = all->s[k];
        if (!s->is_cloth)
            displacement = tl_madd(displacement, tl_sub(all->x[k], tl_at(s->x_old, pair->p[k])), fabs(t->c[k]));
    }
    return displacement;
}

/* Friction without limit on a body: what sticks goes back to where it was. A place between particles cannot without
   moving them all, and where many places stick, each would turn the ways of particles round for the others, more so in
   every substep. So none is taken farther back than it went. */
static void stick(const tl_contact *pair, const partners *all, const manifold *t, tl_vec3 by, int sweep)
{
    partners held = *all;
    tl_vec3 body = body_displacement(pair, all, t);
    for (int k = 0; k < 4; ++k) {
        tl_vec3 step = tl_scale(by, all->w[k] * t->c[k]);
        tl_vec3 gone = tl_sub(tl_sub(all->x[k], tl_at(all->s[k]->x_old, pair->p[k])), body);
        tl_real square = tl_dot(step, step);
        if (all->s[k]->is_cloth && square > 0)
            held.w[k] *= tl_clamp(-tl_dot(step, gone) / square, 0, 1);
    }
    move(pair, &held, t, by, sweep);
}

/* Gives the four points an impulse of a against b, of which `normal` is along the normal. */
static void apply_impulse(const tl_contact *pair, const partners *all, const manifold *t, tl_vec3 impulse,
                          tl_real normal)
{
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = all->s[k];
        int i = pair->p[k];
        if (all->w[k] > 0)
            tl_accumulate(s->v, i, tl_scale(impulse, all->w[k] * t->c[k]));
        if (s->pressure)
            s->pressure[i] += fabs(t->c[k]) * normal;
    }
    report_to_body(all, t, impulse);
}

static void solve_velocity(tl_contact *pair, const partners *all, const manifold *t, law with, tl_real inverse,
                           tl_real rest_speed)
{
    tl_vec3 relative = sum_of(pair, all, t, true);
    tl_real u = tl_dot(relative, t->n);
    bool sticks = isinf(with.friction);
    if (!(u < 0) && !sticks)
        return;
    tl_real change = u < 0 ? -u * (-u > rest_speed ? 1 + with.restitution : 1) : 0;
    tl_vec3 impulse =
        tl_madd(friction_change(relative, t->n, sticks ? INFINITY : with.friction * change), t->n, change);
    pair->pushed = -u > rest_speed && with.restitution > 0 ? INFINITY : pair->pushed + change * inverse;
    apply_impulse(pair, all, t, tl_scale(impulse, inverse), change * inverse);
}

/* Where a pair shall be that was `before` apart when the substep began, m. */
static tl_real aim(const tl_contact *pair, bool layers, tl_real before)
{
    tl_real eased = tl_max(before + TL_GAP_RECOVERY * (pair->gap - before), TL_TOO_CLOSE_RATIO * pair->gap);
    return layers ? tl_min(pair->gap, eased) : pair->gap;
}

/* What the points of a pair have gone, together: the two have come nearer by no more than that. */
static tl_real path_of(const tl_contact_world *set, const tl_contact *pair)
{
    const tl_real *a = set->mesh[pair->a]->path_length, *b = set->mesh[pair->b]->path_length;
    const int *p = pair->p;
    return a[p[0]] + (pair->kind == TL_VERTEX_FACE ? b : a)[p[1]] + b[p[2]] + b[p[3]];
}

/* Marks the points of a pair that is much too near. */
static void mark_too_close(const tl_contact *pair, const partners *all)
{
    for (int k = 0; k < 4; ++k)
        all->s[k]->mark[pair->p[k]] |= TL_TOO_CLOSE;
}

/* What the points must have gone before the two, `room` metres farther from each other than that, can be so near. */
static tl_real after(tl_real ways, tl_real room) { return room > 0 ? ways + room : 0; }

/* Answers a pair that is nearer than `share` of its gap. True when it had to. */
static bool solve_contact(const tl_contact_world *set, tl_contact *pair, tl_real share)
{
    partners all = partners_of(set, pair);
    manifold t;
    bool near = pair->kind == TL_VERTEX_FACE ? separate_face(pair, &all, &t) : separate_edge(pair, &all, &t);
    pair->near = near && t.apart < TL_NEAR_RATIO * pair->gap;
    tl_real ways = path_of(set, pair);
    pair->wake = after(ways, t.distance - TL_NEAR_RATIO * pair->gap);
    pair->calm = near && !(t.apart > 0) ? 0 : after(ways, t.distance - TL_TOO_CLOSE_RATIO * pair->gap);
    if (!near)
        return false;
    if (t.apart > 0)
        pair->side = t.n;
    if (!(t.apart < share * pair->gap))
        return false;
    if (t.apart < TL_TOO_CLOSE_RATIO * pair->gap)
        mark_too_close(pair, &all);
    bool layers = all.s[0]->is_cloth && all.s[3]->is_cloth;
    tl_real weights = 0, factor[4] = {1, 1, 1, 1};
    if (layers)
        tl_stack_level_factors(set, pair, t.n, factor);
    for (int k = 0; k < 4; ++k) {
        all.w[k] *= factor[k];
        weights += all.w[k] * t.c[k] * t.c[k];
    }
    if (!(weights > 0))
        return false;
    tl_real inverse = 1 / weights;
    law with = law_of(all.s[0], all.s[3]);
    tl_vec3 displacement = sum_of(pair, &all, &t, false);
    tl_real depth = aim(pair, layers, t.apart - tl_dot(displacement, t.n)) - t.apart;
    if (!(depth > 0))
        return false;
    tl_vec3 slip = friction_change(displacement, t.n, with.friction * depth);
    if (!layers && isinf(with.friction)) {
        stick(pair, &all, &t, tl_scale(slip, inverse), set->sweep);
        slip = tl_v3(0, 0, 0);
    }
    move(pair, &all, &t, tl_scale(tl_madd(slip, t.n, depth), inverse), set->sweep);
    solve_velocity(pair, &all, &t, with, inverse, set->rest_speed);
    return t.apart < TL_TOO_CLOSE_RATIO * pair->gap;
}

/* A pair at rest: positions stay while impulses are evened out, so that all but the velocities is worked out once. */
struct tl_resting_contact {
    tl_contact *pair;
    partners all;
    manifold t;
    tl_real inverse; /* kg */
    tl_real slow;    /* m/s, up to which it rests */
};

static bool add_resting(tl_contact_world *set, int *count, tl_contact *pair)
{
    partners all = partners_of(set, pair);
    manifold t;
    bool near = pair->kind == TL_VERTEX_FACE ? separate_face(pair, &all, &t) : separate_edge(pair, &all, &t);
    if (!near || !(t.apart < TL_RESTING_RATIO * pair->gap))
        return true;
    tl_real weights = 0;
    for (int k = 0; k < 4; ++k)
        weights += all.s[k]->w[pair->p[k]] * t.c[k] * t.c[k];
    if (!(weights > 0))
        return true;
    if (!tl_grow(&set->allocator, &set->resting, *count, &set->resting_capacity, sizeof *set->resting))
        return false;
    tl_real slow = (law_of(all.s[0], all.s[3]).restitution > 0 ? 1 : TL_RESTING_SPEEDS) * set->rest_speed;
    set->resting[(*count)++] = (tl_resting_contact){pair, all, t, 1 / weights, slow};
    return true;
}

/* Takes the approach or the parting of a pair at rest away, as far as pushing allows: the sum of all impulses of a
 * substep pushes. True when that took anything. */
static bool relax(const tl_resting_contact *rest)
{
    tl_contact *pair = rest->pair;
    tl_real u = tl_dot(sum_of(pair, &rest->all, &rest->t, true), rest->t.n), before = pair->pushed;
    if (!(fabs(u) <= rest->slow))
        return false;
    pair->pushed = tl_max(0, before - u * rest->inverse);
    if (pair->pushed == before)
        return false;
    apply_impulse(pair, &rest->all, &rest->t, tl_scale(rest->t.n, pair->pushed - before), pair->pushed - before);
    return true;
}

/* A point that moves slower than the resting speed along with the body has no more speed than it moved in the substep:
   where many contacts hold it, each answers a part of its velocity only. What may bounce must be slow by its speed,
   too; what sticks need not be slow. */
static void damp_on_body(const tl_contact_world *set, const tl_contact *pair)
{
    tl_real h = set->h, rest_speed = set->rest_speed;
    partners all = partners_of(set, pair);
    tl_vec3 body = {0, 0, 0};
    int points = 0;
    for (int k = 0; k < 4; ++k)
        if (!all.s[k]->is_cloth) {
            body = tl_add(body, tl_at(all.s[k]->v, pair->p[k]));
            ++points;
        }
    body = tl_scale(body, 1 / (tl_real)points);
    law with = law_of(all.s[0], all.s[3]);
    bool bounces = with.restitution > 0, sticks = !bounces && isinf(with.friction);
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = all.s[k];
        int i = pair->p[k];
        if (!(s->w[i] > 0))
            continue;
        tl_vec3 moved = tl_scale(tl_sub(all.x[k], tl_at(s->x_old, i)), 1 / h), own = tl_sub(tl_at(s->v, i), body);
        tl_vec3 seen = tl_sub(moved, body), slow = bounces ? own : seen;
        if ((sticks || tl_dot(slow, slow) <= rest_speed * rest_speed) && tl_dot(seen, seen) < tl_dot(own, own))
            tl_put(s->v, i, moved);
    }
}

void tl_mesh_pair_relax(tl_contact_world *set, tl_mesh_pair *group)
{
    int count = 0;
    bool more = true;
    for (int k = 0; k < group->count; ++k)
        if (group->contact[k].near && group->contact[k].pushed < INFINITY)
            set->failed |= !add_resting(set, &count, &group->contact[k]);
    for (int turn = 0; turn < TL_RELAX_SWEEPS && more; ++turn) {
        more = false;
        for (int k = 0; k < count; ++k)
            more |= relax(&set->resting[k]);
    }
    for (int k = 0; k < group->count; ++k)
        if (group->contact[k].near && group->contact[k].pushed > 0 && group->contact[k].pushed < INFINITY)
            damp_on_body(set, &group->contact[k]);
}

/* The same for two layers that hardly move against each other: a pile hands its weight down by positions, and what
   speed is left to its particles they have not moved by. */
static void damp_layers(const tl_contact_world *set, const tl_contact *pair)
{
    tl_real h = set->h, slow = TL_RESTING_SPEEDS * set->rest_speed;
    partners all = partners_of(set, pair);
    tl_vec3 moved[4], mean = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        moved[k] = tl_scale(tl_sub(all.x[k], tl_at(all.s[k]->x_old, pair->p[k])), 1 / h);
        mean = tl_madd(mean, moved[k], (tl_real)0.25);
    }
    for (int k = 0; k < 4; ++k) {
        tl_vec3 seen = tl_sub(moved[k], mean), own = tl_sub(tl_at(all.s[k]->v, pair->p[k]), mean);
        if (all.w[k] > 0 && tl_dot(seen, seen) <= slow * slow && tl_dot(seen, seen) < tl_dot(own, own))
            tl_put(all.s[k]->v, pair->p[k], moved[k]);
    }
}

void tl_mesh_pair_damp_resting(tl_contact_world *set, tl_mesh_pair *group)
{
    for (int k = 0; k < group->count; ++k)
        if (group->contact[k].near && group->contact[k].pushed > 0)
            damp_layers(set, &group->contact[k]);
}

/* Must the pair be looked at? Not when none of its points moved since it was seen in this substep; nor, when only what
   is much too near is answered, before they can have come so near. */
static bool is_stirred(const tl_contact_world *set, const tl_contact *pair, bool again)
{
    const int *a = set->mesh[pair->a]->last_moved_sweep, *b = set->mesh[pair->b]->last_moved_sweep, *p = pair->p,
              seen = pair->seen;
    if (seen < set->first_sweep)
        return true;
    bool moved =
        a[p[0]] >= seen || (pair->kind == TL_VERTEX_FACE ? b : a)[p[1]] >= seen || b[p[2]] >= seen || b[p[3]] >= seen;
    return moved && !(again && !pair->is_new && path_of(set, pair) < pair->calm);
}

static tl_near_contact near_of(const tl_contact_world *set, const tl_mesh_pair *group, int k)
{
    const tl_contact *pair = &group->contact[k];
    int split = pair->kind == TL_VERTEX_FACE ? 1 : 2;
    tl_near_contact near = {.contact = k};
    for (int i = 0; i < 4; ++i)
        near.point[i] = set->mesh[i < split ? pair->a : pair->b]->first + pair->p[i];
    return near;
}

/* Looks at all pairs. */
static bool solve_all(tl_contact_world *set, tl_mesh_pair *group, bool again)
{
    bool too_close = false, layers = tl_is_cloth_pair(set, group);
    tl_real used = tl_mesh_pair_deviation(set, group);
    group->near_count = 0;
    for (int k = 0; k < group->count; ++k) {
        tl_contact *pair = &group->contact[k];
        if (layers && (!(pair->clearance < used) || path_of(set, pair) < pair->wake)) {
            pair->near = pair->is_new = false;
            pair->seen = 0;
            continue;
        }
        if (is_stirred(set, pair, again) && (pair->near || layers)) {
            too_close |= solve_contact(set, pair, again && !pair->is_new ? TL_TOO_CLOSE_RATIO : 1);
            pair->seen = set->sweep;
        }
        pair->is_new = false;
        if (pair->near)
            group->near[group->near_count++] = near_of(set, group, k);
    }
    return too_close;
}

/* Looks at those that were near in the last sweep: all that was there to be seen then is known, and few points have
   moved since. */
static bool solve_near(tl_contact_world *set, tl_mesh_pair *group)
{
    bool too_close = false;
    int count = group->near_count, last = set->sweep - 1;
    const int *moved = set->last_moved_sweep;
    group->near_count = 0;
    for (int n = 0; n < count; ++n) {
        const tl_near_contact near = group->near[n];
        const int *p = near.point;
        tl_contact *pair = &group->contact[near.contact];
        bool stirred = moved[p[0]] >= last || moved[p[1]] >= last || moved[p[2]] >= last || moved[p[3]] >= last;
        if (stirred && is_stirred(set, pair, true)) {
            too_close |= solve_contact(set, pair, TL_TOO_CLOSE_RATIO);
            pair->seen = set->sweep;
            if (!pair->near)
                continue;
        }
        group->near[group->near_count++] = near;
    }
    return too_close;
}

bool tl_mesh_pair_solve(tl_contact_world *set, tl_mesh_pair *group, bool all, bool again)
{
    return all ? solve_all(set, group, again) : solve_near(set, group);
}

/* Where the two were when the substep began: there they are on their right sides, and it is clear which way is out. */
static bool separate_at_start(const tl_contact *pair, partners *all, manifold *t)
{
    for (int k = 0; k < 4; ++k)
        all->x[k] = tl_at(all->s[k]->x_old, pair->p[k]);
    tl_contact slow = *pair;
    slow.fast = false; /* it has no path yet */
    return (pair->kind == TL_VERTEX_FACE ? separate_face(&slow, all, t) : separate_edge(&slow, all, t)) && t->apart > 0;
}

int tl_mesh_pair_rows(tl_contact_world *set, const tl_mesh_pair *group, int count)
{
    tl_real used = tl_mesh_pair_deviation(set, group);
    for (int k = 0; k < group->count; ++k) {
        tl_contact *pair = &group->contact[k];
        if (!(pair->clearance < used) || path_of(set, pair) < pair->wake)
            continue;
        partners all = partners_of(set, pair);
        manifold t;
        if (!separate_at_start(pair, &all, &t))
            continue;
        tl_vec3 displacement = sum_of(pair, &all, &t, false);
        tl_real rise = tl_dot(displacement, t.n);
        if (!(t.apart + tl_min(rise, 0) < TL_NEAR_RATIO * pair->gap))
            continue;
        if (!tl_grow(&set->allocator, &set->row, count, &set->row_capacity, sizeof *set->row)) {
            set->failed = true;
            break;
        }
        set->row[count++] = (tl_contact_row){.contact = pair,
                                             .c = {t.c[0], t.c[1], t.c[2], t.c[3]},
                                             .n = t.n,
                                             .missing = tl_min(pair->gap - t.apart, 0) - rise,
                                             .displacement = tl_madd(displacement, t.n, -rise),
                                             .friction = law_of(all.s[0], all.s[3]).friction};
    }
    return count;
}

void tl_revert_particles(tl_contact_mesh *const of[], const int particle[], int count)
{
    tl_vec3 momentum = {0, 0, 0};
    tl_real mass = 0;
    bool held = false;
    for (int k = 0; k < count; ++k) {
        tl_real w = of[k]->w[particle[k]];
        held |= w == 0;
        if (w > 0) {
            momentum = tl_madd(momentum, tl_at(of[k]->v, particle[k]), 1 / w);
            mass += 1 / w;
        }
    }
    tl_vec3 common = held ? tl_v3(0, 0, 0) : tl_scale(momentum, 1 / mass);
    for (int k = 0; k < count; ++k) {
        tl_contact_mesh *s = of[k];
        if (s->w[particle[k]] > 0) {
            tl_put(s->x, particle[k], tl_at(s->x_old, particle[k]));
            tl_put(s->v, particle[k], common);
            s->mark[particle[k]] |= TL_TOO_CLOSE;
            s->touched[particle[k] / TL_CONTACT_MESH_BLOCK] = 1;
        }
    }
}

int tl_mesh_pair_revert_inverted(tl_contact_world *set, tl_mesh_pair *group)
{
    int count = 0;
    for (int k = 0; k < group->count; ++k) {
        tl_contact *pair = &group->contact[k];
        if (!pair->near)
            continue;
        partners all = partners_of(set, pair);
        manifold t;
        bool near = pair->kind == TL_VERTEX_FACE ? separate_face(pair, &all, &t) : separate_edge(pair, &all, &t);
        if (near && t.apart < 0) {
            tl_revert_particles(all.s, pair->p, 4);
            ++count;
        }
    }
    return count;
}
