/* Gauss–Seidel over mesh contacts.

   A contact is Σ c_i x_i, the vector from b's nearest point to a's, with weights c of the two features: 1 and minus the
   barycentric weights for vertex and face, 1−s, s, t−1, −t for two edges. With unit normal n out of b, W = Σ w_i c_i²
   over inverse masses:

   - position: x_i += w_i c_i n (gap − n·Σ c x) / W, so that they are the gap apart;
   - friction: the tangential relative displacement of this substep is shortened by at most μ times that correction;
   - velocity: the normal relative velocity u < 0 becomes −e u (0 below the resting speed), v_i += w_i c_i n Δu / W; the
     tangential one is shortened by at most μ Δu.

   This is the law of contact/body/convex_contact.c for two moving features: linear and angular momentum are conserved,
   because forces are equal, opposite and collinear. Position corrections add no velocity (Bridson, Fedkiw and Anderson
   2002; Müller et al. 2007).

   Each contact keeps the side on which the two were last apart, so that a particle which passed through in one
   substep is brought back, not held on the wrong side. */
#include "contact/cloth/contact_solve.h"

#include "collide/mesh/nearest.h"
#include "collide/shapes/shapes.h"
#include "contact/body/body_contacts.h"
#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/moved.h"
#include "contact/cloth/shock_propagation.h"
#include "contact/rigid/rigid_state.h"

typedef struct manifold {
    tl_real c[4];     /* 1, weights of the four points */
    tl_vec3 n;        /* unit, out of b */
    tl_real apart;    /* m along n; negative: on the wrong side */
    tl_real distance; /* m, unsigned */
} manifold;

/* The four points of a contact. */
typedef struct stencil {
    tl_contact_mesh *s[4];
    tl_vec3 x[4];
    tl_real w[4]; /* 1/kg */
} stencil;

static stencil stencil_of(const tl_contact_world *set, const tl_contact *contact)
{
    stencil all;
    int split = contact->kind == TL_VERTEX_FACE ? 1 : 2;
    for (int k = 0; k < 4; ++k) {
        all.s[k] = set->mesh[k < split ? contact->a : contact->b];
        all.x[k] = tl_at(all.s[k]->x, contact->p[k]);
        all.w[k] = all.s[k]->w[contact->p[k]];
    }
    return all;
}

/* Did the vertex pass through the face? Its position at the start is carried along with the face, which gives its
   path relative to it; that must cross the plane within the face. */
static bool passed_through(const tl_contact *contact, const stencil *all, manifold *t)
{
    tl_vec3 old[4], n = tl_triangle_normal(all->x + 1);
    for (int k = 0; k < 4; ++k)
        old[k] = tl_at(all->s[k]->x_old, contact->p[k]);
    tl_vec3 old_n = tl_triangle_normal(old + 1), from = tl_sub(old[0], old[1]);
    tl_vec3 e1 = tl_sub(old[2], old[1]), e2 = tl_sub(old[3], old[1]);
    tl_real height = tl_dot(from, old_n), end = tl_dot(tl_sub(all->x[0], all->x[1]), n);
    if (height * tl_dot(contact->side, old_n) < 0 || height * end >= 0)
        return false;
    tl_real d11 = tl_dot(e1, e1), d12 = tl_dot(e1, e2), d22 = tl_dot(e2, e2), p1 = tl_dot(from, e1),
            p2 = tl_dot(from, e2);
    tl_real det = d11 * d22 - d12 * d12;
    if (!(det > 0))
        return false;
    tl_real b1 = (d22 * p1 - d12 * p2) / det, b2 = (d11 * p2 - d12 * p1) / det;
    /* the start, relative to the face at its present position */
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

static bool separate_face(const tl_contact *contact, const stencil *all, manifold *t)
{
    if (contact->fast && passed_through(contact, all, t))
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
        if (tl_dot(t->n, contact->side) < 0)
            t->n = tl_scale(t->n, -1);
        t->apart = tl_dot(apart, t->n);
        return true;
    }
    t->apart = t->distance;
    t->n = tl_scale(apart, t->apart > 0 ? 1 / t->apart : 0);
    return tl_dot(t->n, contact->side) > 0; /* nearest beyond the border: outside this face's Voronoi region */
}

static bool separate_edge(const tl_contact *contact, const stencil *all, manifold *t)
{
    tl_real s, u;
    const tl_vec3 *x = all->x;
    bool between = tl_nearest_of_segments(x[0], x[1], x[2], x[3], &s, &u);
    tl_vec3 apart = tl_sub(tl_lerp(x[0], x[1], s), tl_lerp(x[2], x[3], u));
    t->distance = tl_length(apart);
    if (!between)
        return false; /* an end of an edge is a vertex, with its own contacts */
    tl_vec3 e = tl_sub(x[1], x[0]), f = tl_sub(x[3], x[2]), cross = tl_cross(e, f);
    tl_real sine = tl_length(cross), whole = tl_length(e) * tl_length(f);
    bool crossed = sine > TL_PARALLEL_SINE * whole;
    t->n = tl_normalized(crossed ? cross : apart);
    if (crossed && tl_dot(t->n, contact->side) < 0)
        t->n = tl_scale(t->n, -1);
    t->apart = tl_dot(apart, t->n);
    t->c[0] = 1 - s;
    t->c[1] = s;
    t->c[2] = u - 1;
    t->c[3] = -u;
    return tl_dot(t->n, contact->side) > 0;
}

/* Combined friction and restitution. */
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

/* Adds the reaction to the body of the contact, if there is one: −impulse of a, at the mean contact point. */
static void report_to_body(const stencil *all, const manifold *t, tl_vec3 impulse)
{
    tl_contact_mesh *a = all->s[0], *b = all->s[3];
    if (a->is_cloth && b->is_cloth)
        return;
    const tl_contact_mesh *body = a->is_cloth ? b : a;
    tl_vec3 place = {0, 0, 0};
    tl_real total = 0;
    for (int k = 0; k < 4; ++k)
        if (all->s[k] == body) {
            place = tl_madd(place, all->x[k], fabs(t->c[k]));
            total += fabs(t->c[k]);
        }
    if (body == b)
        impulse = tl_scale(impulse, -1);
    tl_vec3 arm = tl_sub(tl_scale(place, total > 0 ? 1 / total : 0), body->pivot);
    tl_body_contacts_receive((a->is_cloth ? a : b)->body_contacts, body, impulse, tl_cross(arm, impulse));
}

static void move(const tl_contact *contact, const stencil *all, const manifold *t, tl_vec3 by, int sweep)
{
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = all->s[k];
        int i = contact->p[k];
        if (all->w[k] > 0) {
            tl_accumulate(s->x, i, tl_scale(by, all->w[k] * t->c[k]));
            s->last_moved_sweep[i] = sweep;
            s->touched[i / TL_CONTACT_MESH_BLOCK] = 1;
        }
    }
}

static tl_vec3 sum_of(const tl_contact *contact, const stencil *all, const manifold *t, bool velocity)
{
    tl_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        const tl_contact_mesh *s = all->s[k];
        int i = contact->p[k];
        tl_vec3 a = velocity ? tl_at(s->v, i) : tl_sub(tl_at(s->x, i), tl_at(s->x_old, i));
        sum = tl_madd(sum, a, t->c[k]);
    }
    return sum;
}

/* The change that shortens a tangential vector by at most `most`. */
static tl_vec3 friction_change(tl_vec3 displacement, tl_vec3 n, tl_real most)
{
    tl_vec3 along = tl_madd(displacement, n, -tl_dot(displacement, n));
    tl_real length = tl_length(along);
    if (!(length > 0))
        return tl_v3(0, 0, 0);
    return tl_scale(along, -tl_min(1, most / length));
}

/* Displacement of the body at the contact point in this substep. */
static tl_vec3 body_displacement(const tl_contact *contact, const stencil *all, const manifold *t)
{
    tl_vec3 displacement = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        const tl_contact_mesh *s = all->s[k];
        if (!s->is_cloth)
            displacement = tl_madd(displacement, tl_sub(all->x[k], tl_at(s->x_old, contact->p[k])), fabs(t->c[k]));
    }
    return displacement;
}

/* Infinite friction on a body: what sticks returns to where it was. A point between particles cannot without moving
   all of them, and where many contacts stick, each would reverse the displacements of the others, more so in every
   substep. So no particle is taken back farther than it moved. */
static void stick(const tl_contact *contact, const stencil *all, const manifold *t, tl_vec3 by, int sweep)
{
    stencil limited = *all;
    tl_vec3 body = body_displacement(contact, all, t);
    for (int k = 0; k < 4; ++k) {
        tl_vec3 step = tl_scale(by, all->w[k] * t->c[k]);
        tl_vec3 moved = tl_sub(tl_sub(all->x[k], tl_at(all->s[k]->x_old, contact->p[k])), body);
        tl_real square = tl_dot(step, step);
        if (all->s[k]->is_cloth && square > 0)
            limited.w[k] *= tl_clamp(-tl_dot(step, moved) / square, 0, 1);
    }
    move(contact, &limited, t, by, sweep);
}

/* Applies an impulse on a against b to the four points; `normal` is its normal part. */
static void apply_impulse(const tl_contact *contact, const stencil *all, const manifold *t, tl_vec3 impulse,
                          tl_real normal)
{
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = all->s[k];
        int i = contact->p[k];
        if (all->w[k] > 0)
            tl_accumulate(s->v, i, tl_scale(impulse, all->w[k] * t->c[k]));
        if (s->pressure)
            s->pressure[i] += fabs(t->c[k]) * normal;
    }
    report_to_body(all, t, impulse);
}

static void solve_velocity(tl_contact *contact, const stencil *all, const manifold *t, law with, tl_real inverse,
                           tl_real rest_speed)
{
    tl_vec3 relative = sum_of(contact, all, t, true);
    tl_real u = tl_dot(relative, t->n);
    bool sticks = isinf(with.friction);
    if (!(u < 0) && !sticks)
        return;
    tl_real change = u < 0 ? -u * (-u > rest_speed ? 1 + with.restitution : 1) : 0;
    tl_vec3 impulse =
        tl_madd(friction_change(relative, t->n, sticks ? INFINITY : with.friction * change), t->n, change);
    contact->pushed = -u > rest_speed && with.restitution > 0 ? INFINITY : contact->pushed + change * inverse;
    apply_impulse(contact, all, t, tl_scale(impulse, inverse), change * inverse);
}

/* Target distance of a contact whose features were `before` apart when the substep began, m. */
static tl_real target_distance(const tl_contact *contact, bool layers, tl_real before)
{
    tl_real eased = tl_max(before + TL_GAP_RECOVERY * (contact->gap - before), TL_TOO_CLOSE_RATIO * contact->gap);
    return layers ? tl_min(contact->gap, eased) : contact->gap;
}

/* Marks the points of a contact that is too close. */
static void mark_too_close(const tl_contact *contact, const stencil *all)
{
    for (int k = 0; k < 4; ++k)
        all->s[k]->mark[contact->p[k]] |= TL_TOO_CLOSE;
}

/* Solves a contact that is closer than `ratio` of its gap. True when it was too close. */
static bool solve_contact(const tl_contact_world *set, tl_contact *contact, tl_real ratio)
{
    stencil all = stencil_of(set, contact);
    manifold t;
    bool near = contact->kind == TL_VERTEX_FACE ? separate_face(contact, &all, &t) : separate_edge(contact, &all, &t);
    contact->near = near && t.apart < TL_NEAR_RATIO * contact->gap;
    if (!near)
        return false;
    if (t.apart > 0)
        contact->side = t.n;
    if (!(t.apart < ratio * contact->gap))
        return false;
    if (t.apart < TL_TOO_CLOSE_RATIO * contact->gap)
        mark_too_close(contact, &all);
    bool layers = all.s[0]->is_cloth && all.s[3]->is_cloth;
    tl_real weights = 0, factor[4] = {1, 1, 1, 1};
    if (layers)
        tl_stack_level_factors(set, contact, t.n, factor);
    for (int k = 0; k < 4; ++k) {
        all.w[k] *= factor[k];
        weights += all.w[k] * t.c[k] * t.c[k];
    }
    if (!(weights > 0))
        return false;
    tl_real inverse = 1 / weights;
    law with = law_of(all.s[0], all.s[3]);
    tl_vec3 displacement = sum_of(contact, &all, &t, false);
    bool eased = layers || all.s[0]->solved || all.s[3]->solved;
    tl_real depth = target_distance(contact, eased, t.apart - tl_dot(displacement, t.n)) - t.apart;
    if (!(depth > 0))
        return false;
    tl_vec3 slip = friction_change(displacement, t.n, with.friction * depth);
    if (!layers && isinf(with.friction)) {
        stick(contact, &all, &t, tl_scale(slip, inverse), set->sweep);
        slip = tl_v3(0, 0, 0);
    }
    move(contact, &all, &t, tl_scale(tl_madd(slip, t.n, depth), inverse), set->sweep);
    solve_velocity(contact, &all, &t, with, inverse, set->rest_speed);
    return t.apart < TL_TOO_CLOSE_RATIO * contact->gap;
}

/* A contact at rest: positions stay while impulses are relaxed, so that all but the velocities is computed once. */
struct tl_resting_contact {
    tl_contact *contact;
    stencil all;
    manifold t;
    tl_real inverse;  /* kg */
    tl_real slow;     /* m/s, up to which it rests */
    tl_real friction; /* 1; 0 where it is infinite: what sticks does not slide */
};

static bool add_resting(tl_contact_world *set, int *count, tl_contact *contact)
{
    stencil all = stencil_of(set, contact);
    manifold t;
    bool near = contact->kind == TL_VERTEX_FACE ? separate_face(contact, &all, &t) : separate_edge(contact, &all, &t);
    if (!near || !(t.apart < TL_RESTING_RATIO * contact->gap))
        return true;
    tl_real weights = 0;
    for (int k = 0; k < 4; ++k)
        weights += all.s[k]->w[contact->p[k]] * t.c[k] * t.c[k];
    if (!(weights > 0))
        return true;
    if (!tl_grow(&set->allocator, &set->resting, *count, &set->resting_capacity, sizeof *set->resting))
        return false;
    law with = law_of(all.s[0], all.s[3]);
    tl_real slow = (with.restitution > 0 ? 1 : TL_RESTING_SPEEDS) * set->rest_speed;
    tl_real friction = isinf(with.friction) ? 0 : with.friction;
    set->resting[(*count)++] = (tl_resting_contact){contact, all, t, 1 / weights, slow, friction};
    return true;
}

/* Removes the normal relative velocity of a contact at rest as far as the accumulated impulse stays a push; friction
   follows what the push changes by while the contact slides. True when it changed anything. */
static bool relax(const tl_resting_contact *rest)
{
    tl_contact *contact = rest->contact;
    tl_vec3 relative = sum_of(contact, &rest->all, &rest->t, true), n = rest->t.n;
    tl_real u = tl_dot(relative, n), before = contact->pushed;
    if (!(fabs(u) <= rest->slow))
        return false;
    contact->pushed = tl_max(0, before - u * rest->inverse);
    tl_real change = contact->pushed - before;
    if (contact->pushed == before)
        return false;
    tl_vec3 along = tl_madd(relative, n, -u);
    tl_real speed = tl_length(along), drag = speed > rest->slow ? rest->friction * change : 0;
    tl_vec3 impulse = tl_madd(tl_scale(along, drag > 0 || drag < 0 ? -drag / speed : 0), n, change);
    apply_impulse(contact, &rest->all, &rest->t, impulse, change);
    return true;
}

/* A point that moves slower than the resting speed relative to the body keeps no more velocity than it moved in the
   substep: where it has many contacts, each removes only a part of its velocity. A contact that may bounce must be
   slow by its velocity, too; one that sticks need not be slow. */
static void damp_on_body(const tl_contact_world *set, const tl_contact *contact)
{
    tl_real h = set->h, rest_speed = set->rest_speed;
    stencil all = stencil_of(set, contact);
    tl_vec3 body = {0, 0, 0};
    int points = 0;
    for (int k = 0; k < 4; ++k)
        if (!all.s[k]->is_cloth) {
            body = tl_add(body, tl_at(all.s[k]->v, contact->p[k]));
            ++points;
        }
    body = tl_scale(body, 1 / (tl_real)points);
    law with = law_of(all.s[0], all.s[3]);
    bool bounces = with.restitution > 0, sticks = !bounces && isinf(with.friction);
    for (int k = 0; k < 4; ++k) {
        tl_contact_mesh *s = all.s[k];
        int i = contact->p[k];
        if (!(s->w[i] > 0))
            continue;
        tl_vec3 moved = tl_scale(tl_sub(all.x[k], tl_at(s->x_old, i)), 1 / h), own = tl_sub(tl_at(s->v, i), body);
        tl_vec3 seen = tl_sub(moved, body), slow = bounces ? own : seen;
        /* what moves by less than positions resolve has moved by its velocity */
        tl_real resolved = tl_length(seen) + TL_REAL_EPSILON * tl_length(all.x[k]) / h;
        if ((sticks || tl_dot(slow, slow) <= rest_speed * rest_speed) && resolved < tl_length(own))
            tl_put(s->v, i, moved);
    }
}

static void relax_on_body(tl_contact_world *set, tl_mesh_pair *pair)
{
    int count = 0;
    bool more = true;
    for (int k = 0; k < pair->count; ++k)
        if (pair->contact[k].near && pair->contact[k].pushed < INFINITY)
            set->failed |= !add_resting(set, &count, &pair->contact[k]);
    for (int sweep = 0; sweep < TL_RELAX_SWEEPS && more; ++sweep) {
        more = false;
        for (int k = 0; k < count; ++k)
            more |= relax(&set->resting[k]);
    }
    for (int k = 0; k < pair->count; ++k)
        if (pair->contact[k].near && pair->contact[k].pushed > 0 && pair->contact[k].pushed < INFINITY)
            damp_on_body(set, &pair->contact[k]);
}

/* The same for two layers that hardly move relative to each other: a pile passes its weight down by positions, and
   its particles did not move by the velocity they keep. */
static void damp_layers(const tl_contact_world *set, const tl_contact *contact)
{
    tl_real h = set->h, slow = TL_RESTING_SPEEDS * set->rest_speed;
    stencil all = stencil_of(set, contact);
    tl_vec3 moved[4], mean = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        moved[k] = tl_scale(tl_sub(all.x[k], tl_at(all.s[k]->x_old, contact->p[k])), 1 / h);
        mean = tl_madd(mean, moved[k], (tl_real)0.25);
    }
    for (int k = 0; k < 4; ++k) {
        tl_vec3 seen = tl_sub(moved[k], mean), own = tl_sub(tl_at(all.s[k]->v, contact->p[k]), mean);
        if (all.w[k] > 0 && tl_dot(seen, seen) <= slow * slow && tl_dot(seen, seen) < tl_dot(own, own))
            tl_put(all.s[k]->v, contact->p[k], moved[k]);
    }
}

static void damp_pair(const tl_contact_world *set, const tl_mesh_pair *pair)
{
    for (int k = 0; k < pair->count; ++k)
        if (pair->contact[k].near && pair->contact[k].pushed > 0)
            damp_layers(set, &pair->contact[k]);
}

void tl_contacts_damp_resting(tl_contact_world *set)
{
    for (int k = 0; k < set->pair_count; ++k)
        if (tl_is_cloth_pair(set, &set->pair[k]))
            damp_pair(set, &set->pair[k]);
        else
            relax_on_body(set, &set->pair[k]);
}

/* Must the contact be solved? Not when none of its points moved since it was seen in this substep. */
static bool needs_solve(const tl_contact_world *set, const tl_contact *contact)
{
    const int *a = set->mesh[contact->a]->last_moved_sweep, *b = set->mesh[contact->b]->last_moved_sweep,
              *p = contact->p, seen = contact->seen;
    return seen < set->first_sweep || a[p[0]] >= seen || (contact->kind == TL_VERTEX_FACE ? b : a)[p[1]] >= seen ||
           b[p[2]] >= seen || b[p[3]] >= seen;
}

static tl_near_contact near_of(const tl_contact_world *set, const tl_mesh_pair *pair, int k)
{
    const tl_contact *contact = &pair->contact[k];
    int split = contact->kind == TL_VERTEX_FACE ? 1 : 2;
    tl_near_contact near = {.contact = k};
    for (int i = 0; i < 4; ++i)
        near.point[i] = set->mesh[i < split ? contact->a : contact->b]->first + contact->p[i];
    return near;
}

/* Solves all contacts; `again`: those seen in this substep only if they are too close. Those of layers from
   the last to the first: measured, folds then come to rest sooner, and layers stick where they should. */
static bool solve_all(tl_contact_world *set, tl_mesh_pair *pair, bool again)
{
    bool too_close = false, layers = tl_is_cloth_pair(set, pair);
    pair->near_count = 0;
    for (int n = 0; n < pair->count; ++n) {
        int k = layers ? pair->count - 1 - n : n;
        tl_contact *contact = &pair->contact[k];
        if (needs_solve(set, contact) && (contact->near || layers)) {
            bool seen = contact->seen >= set->first_sweep;
            too_close |= solve_contact(set, contact, again && seen ? TL_TOO_CLOSE_RATIO : 1);
            contact->seen = set->sweep;
        }
        if (contact->near)
            pair->near[pair->near_count++] = near_of(set, pair, k);
    }
    return too_close;
}

/* Solves those that were near in the last sweep: the others cannot have become so, since few points have moved. */
static bool solve_near(tl_contact_world *set, tl_mesh_pair *pair)
{
    bool too_close = false;
    int count = pair->near_count, last = set->sweep - 1;
    const int *moved = set->last_moved_sweep;
    pair->near_count = 0;
    for (int n = 0; n < count; ++n) {
        const tl_near_contact near = pair->near[n];
        const int *p = near.point;
        tl_contact *contact = &pair->contact[near.contact];
        bool any_moved = moved[p[0]] >= last || moved[p[1]] >= last || moved[p[2]] >= last || moved[p[3]] >= last;
        if (any_moved && needs_solve(set, contact)) {
            too_close |= solve_contact(set, contact, TL_TOO_CLOSE_RATIO);
            contact->seen = set->sweep;
            if (!contact->near)
                continue;
        }
        pair->near[pair->near_count++] = near;
    }
    return too_close;
}

bool tl_contacts_sweep(tl_contact_world *set, bool again)
{
    bool too_close = true;
    for (int sweep = 0; sweep < TL_SOLVE_SWEEPS && too_close; ++sweep) {
        too_close = false;
        ++set->sweep;
        for (int k = 0; k < set->pair_count; ++k)
            too_close |= sweep == 0 ? solve_all(set, &set->pair[k], again) : solve_near(set, &set->pair[k]);
        tl_project_sweep_out_of_bodies(set);
    }
    return too_close;
}

/* The manifold at the start of the substep: there they are on their proper sides, and the normal is clear. */
static bool separate_at_start(const tl_contact *contact, stencil *all, manifold *t)
{
    for (int k = 0; k < 4; ++k)
        all->x[k] = tl_at(all->s[k]->x_old, contact->p[k]);
    tl_contact slow = *contact;
    slow.fast = false; /* it has no path yet */
    return (contact->kind == TL_VERTEX_FACE ? separate_face(&slow, all, t) : separate_edge(&slow, all, t)) &&
           t->apart > 0;
}

int tl_mesh_pair_rows(tl_contact_world *set, const tl_mesh_pair *pair, int count)
{
    bool layers = tl_is_cloth_pair(set, pair);
    for (int k = 0; k < pair->count; ++k) {
        tl_contact *contact = &pair->contact[k];
        if (!layers && !contact->near)
            continue;
        stencil all = stencil_of(set, contact);
        manifold t;
        if (!separate_at_start(contact, &all, &t))
            continue;
        tl_vec3 displacement = sum_of(contact, &all, &t, false);
        tl_real rise = tl_dot(displacement, t.n);
        if (!(t.apart + tl_min(rise, 0) < TL_NEAR_RATIO * contact->gap))
            continue;
        if (!tl_grow(&set->allocator, &set->row, count, &set->row_capacity, sizeof *set->row)) {
            set->failed = true;
            break;
        }
        set->row[count++] = (tl_contact_row){.contact = contact,
                                             .c = {t.c[0], t.c[1], t.c[2], t.c[3]},
                                             .n = t.n,
                                             .missing = tl_min(contact->gap - t.apart, 0) - rise,
                                             .displacement = tl_madd(displacement, t.n, -rise),
                                             .friction = law_of(all.s[0], all.s[3]).friction};
    }
    return count;
}

void tl_revert_particles(tl_contact_mesh *const of[], const int particle[], int count)
{
    tl_vec3 momentum = {0, 0, 0};
    tl_real mass = 0;
    bool pinned = false;
    for (int k = 0; k < count; ++k) {
        tl_real w = of[k]->w[particle[k]];
        pinned |= w == 0;
        if (w > 0) {
            momentum = tl_madd(momentum, tl_at(of[k]->v, particle[k]), 1 / w);
            mass += 1 / w;
        }
    }
    tl_vec3 common = pinned ? tl_v3(0, 0, 0) : tl_scale(momentum, 1 / mass);
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

static int revert_pair(const tl_contact_world *set, const tl_mesh_pair *pair)
{
    int count = 0;
    for (int k = 0; k < pair->count; ++k) {
        tl_contact *contact = &pair->contact[k];
        if (!contact->near)
            continue;
        stencil all = stencil_of(set, contact);
        manifold t;
        bool near =
            contact->kind == TL_VERTEX_FACE ? separate_face(contact, &all, &t) : separate_edge(contact, &all, &t);
        if (near && t.apart < 0) {
            tl_revert_particles(all.s, contact->p, 4);
            ++count;
        }
    }
    return count;
}

int tl_contacts_revert_inverted(tl_contact_world *set)
{
    int count = 0;
    for (int k = 0; k < set->pair_count; ++k)
        count += revert_pair(set, &set->pair[k]);
    return count;
}
