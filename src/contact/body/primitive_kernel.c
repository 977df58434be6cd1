/* Contact with spheres and planes, a vector of particles at a time. The law is that of
   contact/body/convex_contact.c; its branches are masks here. */
#include "core/simd.h"
#include "core/simd_vectors.h"

#include "collide/shapes/shapes.h"
#include "contact/body/primitive_simd.h"

TL_INLINE tl_vectors load(tl_real *const a[3], int i)
{
    return (tl_vectors){tl_vec_load(a[0] + i), tl_vec_load(a[1] + i), tl_vec_load(a[2] + i)};
}
TL_INLINE void store(tl_real *const a[3], int i, tl_vectors v)
{
    tl_vec_store(a[0] + i, v.x);
    tl_vec_store(a[1] + i, v.y);
    tl_vec_store(a[2] + i, v.z);
}
TL_INLINE tl_vectors all(tl_vec3 a) { return (tl_vectors){tl_vec_set(a.x), tl_vec_set(a.y), tl_vec_set(a.z)}; }
TL_INLINE tl_vectors rotate(const tl_matrix3 *less_one, tl_vectors a)
{
    return tl_vs_add(a, (tl_vectors){tl_vs_dot(all(less_one->row[0]), a), tl_vs_dot(all(less_one->row[1]), a),
                                     tl_vs_dot(all(less_one->row[2]), a)});
}
TL_INLINE tl_vec size_of(tl_vectors a)
{
    return tl_vec_most(tl_vec_abs(a.x), tl_vec_most(tl_vec_abs(a.y), tl_vec_abs(a.z)));
}

/* Eight particles, or four or one, and their state so far. */
typedef struct lanes {
    tl_vectors old, x, v;
    tl_vec m;
    tl_mask free;    /* not pinned */
    tl_mask touched; /* in contact with some body */
    tl_mask moved, unsure;
    tl_vec pressure;  /* N·s */
    tl_vec tolerance; /* m, see tl_primitive */
} lanes;

/* Their hits on one primitive, as `path_hit` in contact/body/convex_contact.c. */
typedef struct path_hits {
    tl_vectors place, normal, beyond;
    tl_mask contact, moves, at_start;
    tl_vec tolerance;
} path_hits;

/* Distance of p from the inflated surface. */
TL_INLINE tl_vec distance(const tl_primitive *s, tl_vectors p, tl_vec3 up)
{
    return (s->round ? tl_vec_sqrt(tl_vs_dot(p, p)) : tl_vs_dot(p, all(up))) - s->size;
}

/* The outward normal at p, whose distance is `gap`; up at the centre of a sphere, where the direction is arbitrary. */
TL_INLINE tl_vectors normal_at(const tl_primitive *s, tl_vectors p, tl_vec gap)
{
    if (!s->round)
        return all(s->up);
    const tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    tl_vec length = gap + s->size;
    tl_mask apart = length > zero;
    tl_vectors normal = tl_vs_scale(p, one / tl_select(apart, length, one));
    normal.y = tl_select(apart, normal.y, one);
    return normal;
}

/* First entry of p0 → p0 + step, as the shapes' `cast`: the time, in the lanes of the result. */
TL_INLINE tl_mask enter(const tl_primitive *s, tl_vectors p0, tl_vectors step, tl_vec gap, tl_vec *time)
{
    const tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    if (!s->round) {
        tl_vec fall = -tl_vs_dot(step, all(s->up));
        tl_mask hit = (fall > gap) & (fall > zero);
        *time = gap / tl_select(hit, fall, one);
        return hit;
    }
    tl_vec approach = -tl_vs_dot(p0, step), square = tl_vs_dot(step, step);
    tl_mask hit = (approach > zero) & (square > zero);
    tl_vec length = tl_select(hit, square, one), nearest = approach / length;
    tl_vectors q = tl_vs_add(p0, tl_vs_scale(step, nearest));
    tl_vec chord = s->size * s->size - tl_vs_dot(q, q);
    hit &= chord >= zero;
    tl_vec t = nearest - tl_vec_sqrt(tl_select(hit, chord / length, one));
    *time = tl_vec_most(t, zero);
    return hit & (t <= one);
}

TL_INLINE bool find_hits(const tl_primitive *s, const lanes *l, path_hits *m)
{
    const tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    tl_vectors p0 = tl_vs_sub(l->old, all(s->from)), step = tl_vs_sub(tl_vs_sub(l->x, l->old), all(s->shift));
    if (s->turns) {
        tl_vectors arm = tl_vs_sub(l->x, all(s->to));
        step = tl_vs_add(step, tl_vs_sub(rotate(&s->back, arm), arm));
    }
    tl_vec tolerance = tl_vec_most(l->tolerance, tl_vec_set(s->tolerance)), square = tl_vs_dot(step, step);
    tl_vec gap = distance(s, p0, s->up), reach = gap - tolerance;
    tl_mask outside = gap > tolerance;
    tl_mask open = l->free & ~(outside & (reach * reach > square)) & (square * 0 == zero);
    if (!tl_any(open))
        return false;

    m->normal = normal_at(s, p0, gap);
    tl_mask inside = open & (gap < tolerance * (tl_real)-0.5), on = open & ~outside & ~inside;
    tl_vec leaving = tl_vs_dot(step, m->normal);
    on &= leaving <= 2 * tolerance;
    tl_mask at_end = on & (leaving >= zero);
    m->at_start = on & ~at_end;
    tl_vec sink = tl_select(inside, gap, zero);
    m->place = tl_vs_sub(p0, tl_vs_scale(m->normal, sink));
    m->beyond = tl_vs_add(step, tl_vs_scale(m->normal, sink));
    m->contact = m->at_start | inside;
    m->tolerance = tolerance;

    tl_mask coming = open & outside;
    if (tl_any(coming)) {
        tl_vec time;
        tl_mask hit = enter(s, p0, step, gap, &time) & coming;
        tl_vectors entry = tl_vs_add(p0, tl_vs_scale(step, time)),
                   normal = normal_at(s, entry, distance(s, entry, s->up));
        m->place = tl_vs_select(hit, entry, m->place);
        m->normal = tl_vs_select(hit, normal, m->normal);
        m->beyond = tl_vs_select(hit, tl_vs_scale(step, one - time), m->beyond);
        m->contact |= hit;
        at_end |= coming & ~hit;
    }
    m->moves = m->contact;
    if (tl_any(at_end)) {
        tl_vectors p1 = tl_vs_add(p0, step);
        tl_vec end_gap = distance(s, p1, s->up);
        tl_vectors normal = normal_at(s, p1, end_gap);
        tl_mask deep = at_end & (end_gap < -tolerance);
        tl_vectors beyond = tl_vs_scale(normal, tl_select(deep, end_gap, zero));
        m->place = tl_vs_select(at_end, tl_vs_sub(p1, beyond), m->place);
        m->normal = tl_vs_select(at_end, normal, m->normal);
        m->beyond = tl_vs_select(at_end, beyond, m->beyond);
        m->contact |= at_end & (end_gap <= tolerance);
        m->moves |= deep;
    }
    return tl_any(m->contact);
}

/* The fraction of a displacement or speed that friction leaves when it removes up to `limit`. */
TL_INLINE tl_vec friction_keeps(tl_vec length, tl_vec limit)
{
    const tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    tl_mask slides = length > limit;
    return tl_select(slides, one - limit / tl_select(slides, length, one), zero);
}

/* Where no body moves, a particle that sticks is as far from all of them as before. */
TL_INLINE void solve_position(const tl_primitive *s, lanes *l, path_hits *m, bool all_still)
{
    const tl_vec zero = tl_vec_set(0);
    tl_vec depth = -tl_vs_dot(m->beyond, m->normal);
    tl_mask push = m->contact & m->moves & (depth > zero);
    m->contact &= ~(m->moves & (depth < -m->tolerance)); /* separating */
    if (!tl_any(push))
        return;
    tl_vectors slip = tl_vs_add(m->beyond, tl_vs_scale(m->normal, depth));
    tl_vec keep = friction_keeps(tl_vec_sqrt(tl_vs_dot(slip, slip)), depth * s->friction);
    slip = tl_vs_scale(slip, keep);
    tl_vectors change = tl_vs_sub(slip, m->beyond);
    if (s->turns)
        change = rotate(&s->forth, change);
    tl_vectors x = tl_vs_add(l->x, change);
    tl_mask moved = push;
    if (!s->moves) { /* sticks: returns to the bit */
        tl_mask sticks = m->at_start & (keep == zero);
        x = tl_vs_select(sticks, l->old, x);
        if (all_still)
            moved &= ~sticks;
    }
    l->x = tl_vs_select(push, x, l->x);
    m->place = tl_vs_select(push, tl_vs_add(m->place, slip), m->place);
    tl_vec short_step = m->tolerance * (TL_SHORT_DISPLACEMENT / (TL_CONTACT_ULPS * TL_REAL_EPSILON));
    l->moved |= moved;
    l->unsure |= moved & ~(m->at_start & (tl_vs_dot(m->beyond, m->beyond) <= short_step * short_step));
}

TL_INLINE void add_lanes(tl_real *sum, int i, tl_vec a)
{
    tl_real *lane = sum + i % TL_LANES;
    tl_vec_store(lane, tl_vec_load(lane) + a);
}

TL_INLINE void solve_velocity(tl_primitive *s, lanes *l, const path_hits *m, tl_vectors place, int i,
                              tl_real rest_speed, tl_real dt)
{
    const tl_vec zero = tl_vec_set(0);
    tl_vectors n = m->normal, y = m->place, surface = all(tl_v3(0, 0, 0));
    if (s->turns) {
        n = rotate(&s->forth, n);
        y = rotate(&s->forth, y);
        place = rotate(&s->forth, place);
    }
    if (s->moves && dt > 0) {
        surface = all(s->shift);
        if (s->turns)
            surface = tl_vs_add(surface, tl_vs_cross(all(s->spin), y));
        surface = tl_vs_scale(surface, tl_vec_set(1 / dt));
    }
    tl_vectors relative = tl_vs_sub(l->v, surface);
    tl_vec approach = -tl_vs_dot(relative, n);
    tl_mask hits = m->contact & (approach > zero);
    if (!tl_any(hits))
        return;
    tl_vec bounce = tl_select(approach > tl_vec_set(rest_speed), approach * s->restitution, zero),
           change = approach + bounce;
    tl_vectors along = tl_vs_add(relative, tl_vs_scale(n, approach));
    tl_vec keep = friction_keeps(tl_vec_sqrt(tl_vs_dot(along, along)), change * s->friction);
    tl_vectors v_new = tl_vs_add(surface, tl_vs_add(tl_vs_scale(along, keep), tl_vs_scale(n, bounce)));
    tl_vectors impulse = tl_vs_scale(tl_vs_sub(l->v, v_new), tl_select(hits, l->m, zero));
    impulse = tl_vs_select(hits, impulse, all(tl_v3(0, 0, 0)));
    tl_vectors moment = tl_vs_cross(tl_vs_select(hits, place, all(tl_v3(0, 0, 0))), impulse);
    l->v = tl_vs_select(hits, v_new, l->v);
    l->pressure = l->pressure + tl_select(hits, l->m * change, zero);
    add_lanes(s->sum[0], i, impulse.x);
    add_lanes(s->sum[1], i, impulse.y);
    add_lanes(s->sum[2], i, impulse.z);
    add_lanes(s->sum[3], i, moment.x);
    add_lanes(s->sum[4], i, moment.y);
    add_lanes(s->sum[5], i, moment.z);
}

/* The lanes of `check` that are inside some primitive at the end of the substep. */
TL_INLINE tl_mask inside_any(const tl_primitive *primitives, int count, tl_vectors x, tl_real thickness, tl_mask check)
{
    tl_mask inside = check & ~check;
    for (int b = 0; b < count; ++b) {
        tl_vectors p = tl_vs_sub(x, all(primitives[b].to));
        tl_vec scale = tl_vec_most(tl_vec_most(size_of(x), size_of(p)), tl_vec_set(thickness));
        tl_vec gap = distance(&primitives[b], p, primitives[b].up_end);
        inside |= check & (gap < scale * (-TL_CONTACT_ULPS * TL_REAL_EPSILON));
    }
    return inside;
}

int TL_KERNEL(tl_primitives_contact)(int first, int last, const tl_contact_cloth *cloth, tl_primitive *primitives,
                                     int count, tl_real dt, bool *hard)
{
    const tl_particles *p = cloth->p;
    const tl_vec zero = tl_vec_set(0), ulps = tl_vec_set(TL_CONTACT_ULPS * TL_REAL_EPSILON);
    int touching = 0;
    bool all_still = true;
    for (int b = 0; b < count; ++b)
        all_still = all_still && !primitives[b].moves;
    for (int i = first; i < last; i += TL_WIDTH) {
        tl_mask free = tl_vec_load(p->w + i) > zero, none = free & ~free;
        lanes l = {.old = load(cloth->x_old, i),
                   .x = load(p->x, i),
                   .free = free,
                   .touched = none,
                   .moved = none,
                   .unsure = none};
        l.tolerance = size_of(l.x) * ulps;
        bool any_hit = false;
        for (int b = 0; b < count; ++b) {
            path_hits m;
            if (!find_hits(&primitives[b], &l, &m))
                continue;
            if (!any_hit) {
                l.v = load(p->v, i);
                l.m = tl_vec_load(p->m + i);
                l.pressure = zero;
                any_hit = true;
            }
            tl_vectors place = m.place;
            solve_position(&primitives[b], &l, &m, all_still);
            solve_velocity(&primitives[b], &l, &m, place, i, cloth->rest_speed, dt);
            l.touched |= m.contact;
        }
        if (!any_hit)
            continue;
        store(p->x, i, l.x);
        store(p->v, i, l.v);
        if (cloth->pressure)
            tl_vec_store(cloth->pressure + i, tl_vec_load(cloth->pressure + i) + l.pressure);
        tl_mask check = count > 1 ? l.moved : l.unsure;
        touching += tl_count(l.touched);
        tl_mask inside = tl_any(check) ? inside_any(primitives, count, l.x, cloth->thickness, check) : none;
        for (int k = 0; tl_any(inside) && k < TL_WIDTH; ++k)
            hard[i - first + k] = tl_lane(inside, k);
    }
    return touching;
}
