/* Preparing bodies for contact, and the broad phase of particles against them: the box around a particle's path in
   the body's frame against the box around the inflated shape. */
#include "contact/body/prepared_body.h"

#include "collide/shapes/shapes.h"

#include <string.h>

/* Rows of the inverse of the rotation q: the axes of the body in the world. */
static tl_matrix3 inverse_rotation(tl_quat q)
{
    tl_real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    tl_real xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    tl_real wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (tl_matrix3){{
        tl_v3(1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)),
        tl_v3(2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)),
        tl_v3(2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)),
    }};
}

/* Half extents along the axes of the world of a box in the body's frame. */
static tl_vec3 world_box(const tl_matrix3 *m, tl_vec3 half)
{
    return tl_v3(fabs(m->row[0].x) * half.x + fabs(m->row[1].x) * half.y + fabs(m->row[2].x) * half.z,
                 fabs(m->row[0].y) * half.x + fabs(m->row[1].y) * half.y + fabs(m->row[2].y) * half.z,
                 fabs(m->row[0].z) * half.x + fabs(m->row[1].z) * half.y + fabs(m->row[2].z) * half.z);
}

tl_prepared_body tl_prepare_body(const tl_contact_cloth *cloth, tl_contact_body *body)
{
    tl_prepared_body prepared = {.body = body, .margin = cloth->thickness};
    prepared.from = inverse_rotation(body->from.rotation);
    prepared.to = inverse_rotation(body->to.rotation);
    prepared.shift = tl_sub(body->to.position, body->from.position);
    prepared.turns = memcmp(&body->from.rotation, &body->to.rotation, sizeof body->to.rotation) != 0;
    prepared.moves = prepared.turns || prepared.shift.x != 0 || prepared.shift.y != 0 || prepared.shift.z != 0;
    if (prepared.turns) {
        /* the rotation from one pose to the other, the shorter way */
        tl_quat turn = tl_quat_mul(body->to.rotation, tl_quat_conjugate(body->from.rotation));
        prepared.spin = tl_scale(tl_v3(turn.x, turn.y, turn.z), turn.w < 0 ? -2 : 2);
    }
    /* without friction on one side there is none, even when the other is infinite */
    prepared.friction = tl_friction_between(cloth->friction, body->friction);
    tl_vec3 extent = body->shape->extent(body->size);
    tl_real margin = prepared.margin;
    prepared.high = tl_v3(extent.x + margin, extent.y + margin, extent.z + margin);
    prepared.low = tl_scale(prepared.high, -1);
    if (body->shape->bottomless)
        prepared.low.y = -INFINITY;
    prepared.around = world_box(&prepared.from, prepared.high);
    return prepared;
}

tl_real tl_contact_tolerance(const tl_contact_body *body, tl_real thickness, tl_vec3 x)
{
    tl_vec3 c = body->to.position;
    tl_real scale = tl_max(fabs(x.x), tl_max(fabs(x.y), fabs(x.z)));
    scale = tl_max(scale, tl_max(fabs(x.x - c.x), tl_max(fabs(x.y - c.y), fabs(x.z - c.z))));
    return TL_CONTACT_ULPS * TL_REAL_EPSILON * tl_max(scale, thickness);
}

/* Below, p and q are the ends of a path relative to the body's position at that time. A path is marked unless both
   ends lie beyond the same side, by more than the rounding of the particle's own coordinates (`per_metre`) and of
   the body's (`fixed`). Each loop is plain so that compilers vectorise it. */
typedef struct sweep_arrays {
    const tl_real *a[3], *b[3]; /* x_old and x from the first particle on */
    int count;
    tl_vec3 from, to; /* the body's positions */
    tl_real per_metre, fixed;
    tl_near *near;
} sweep_arrays;

/* Roundings of a path in the body's frame, in those of `per_metre` and `fixed`. */
#define SWEEP_ROUNDING 4

static bool sweep_half_space(const sweep_arrays *s, tl_vec3 up_from, tl_vec3 up_to, tl_real top)
{
    const tl_real *restrict ax = s->a[0], *restrict ay = s->a[1], *restrict az = s->a[2];
    const tl_real *restrict bx = s->b[0], *restrict by = s->b[1], *restrict bz = s->b[2];
    tl_near *restrict near = s->near, any = 0;
    const tl_real per_metre = s->per_metre, limit = top + s->fixed;
    const tl_vec3 f = s->from, t = s->to;
    for (int k = 0; k < s->count; ++k) {
        tl_real p = up_from.x * (ax[k] - f.x) + up_from.y * (ay[k] - f.y) + up_from.z * (az[k] - f.z);
        tl_real q = up_to.x * (bx[k] - t.x) + up_to.y * (by[k] - t.y) + up_to.z * (bz[k] - t.z);
        tl_real above = limit + per_metre * (fabs(bx[k]) + fabs(by[k]) + fabs(bz[k]));
        tl_near start_above = p > above, end_above = q > above, is_near = !(start_above & end_above);
        near[k] = is_near;
        any |= is_near;
    }
    return any != 0;
}

/* A body that does not turn: its box in the world. |p + q| − |p − q| is twice the smaller of the two along an axis, or
   negative when the path crosses the middle. */
static bool sweep_world_box(const sweep_arrays *s, tl_vec3 half)
{
    const tl_real *restrict ax = s->a[0], *restrict ay = s->a[1], *restrict az = s->a[2];
    const tl_real *restrict bx = s->b[0], *restrict by = s->b[1], *restrict bz = s->b[2];
    tl_near *restrict near = s->near, any = 0;
    const tl_real per_metre = 2 * s->per_metre;
    const tl_vec3 limit = tl_v3(2 * (half.x + s->fixed), 2 * (half.y + s->fixed), 2 * (half.z + s->fixed));
    const tl_vec3 sum = tl_add(s->from, s->to), apart = tl_sub(s->to, s->from);
    for (int k = 0; k < s->count; ++k) {
        tl_real x = fabs(ax[k] + bx[k] - sum.x) - fabs(bx[k] - ax[k] - apart.x);
        tl_real y = fabs(ay[k] + by[k] - sum.y) - fabs(by[k] - ay[k] - apart.y);
        tl_real z = fabs(az[k] + bz[k] - sum.z) - fabs(bz[k] - az[k] - apart.z);
        tl_real slack = per_metre * (fabs(bx[k]) + fabs(by[k]) + fabs(bz[k]));
        tl_near beyond_x = x > limit.x + slack, beyond_y = y > limit.y + slack, beyond_z = z > limit.z + slack;
        tl_near is_near = !(beyond_x | beyond_y | beyond_z);
        near[k] = is_near;
        any |= is_near;
    }
    return any != 0;
}

/* A body that turns: its box in its own frame. */
static bool sweep_own_box(const sweep_arrays *s, const tl_matrix3 *from, const tl_matrix3 *to, tl_vec3 half)
{
    const tl_real *restrict ax = s->a[0], *restrict ay = s->a[1], *restrict az = s->a[2];
    const tl_real *restrict bx = s->b[0], *restrict by = s->b[1], *restrict bz = s->b[2];
    tl_near *restrict near = s->near, any = 0;
    const tl_real per_metre = 2 * s->per_metre;
    const tl_vec3 limit = tl_v3(2 * (half.x + s->fixed), 2 * (half.y + s->fixed), 2 * (half.z + s->fixed));
    const tl_matrix3 f = *from, t = *to;
    const tl_vec3 cf = s->from, ct = s->to;
    for (int k = 0; k < s->count; ++k) {
        tl_real px = ax[k] - cf.x, py = ay[k] - cf.y, pz = az[k] - cf.z;
        tl_real qx = bx[k] - ct.x, qy = by[k] - ct.y, qz = bz[k] - ct.z;
        tl_real x0 = f.row[0].x * px + f.row[0].y * py + f.row[0].z * pz;
        tl_real y0 = f.row[1].x * px + f.row[1].y * py + f.row[1].z * pz;
        tl_real z0 = f.row[2].x * px + f.row[2].y * py + f.row[2].z * pz;
        tl_real x1 = t.row[0].x * qx + t.row[0].y * qy + t.row[0].z * qz;
        tl_real y1 = t.row[1].x * qx + t.row[1].y * qy + t.row[1].z * qz;
        tl_real z1 = t.row[2].x * qx + t.row[2].y * qy + t.row[2].z * qz;
        tl_real slack = per_metre * (fabs(bx[k]) + fabs(by[k]) + fabs(bz[k]));
        tl_near beyond_x = fabs(x0 + x1) - fabs(x1 - x0) > limit.x + slack;
        tl_near beyond_y = fabs(y0 + y1) - fabs(y1 - y0) > limit.y + slack;
        tl_near beyond_z = fabs(z0 + z1) - fabs(z1 - z0) > limit.z + slack;
        tl_near is_near = !(beyond_x | beyond_y | beyond_z);
        near[k] = is_near;
        any |= is_near;
    }
    return any != 0;
}

/* Below, p starts in the body's frame and moves by `way` there; it stays apart when it starts farther away than that.
 */
typedef struct local_path {
    tl_real x, y, z, way, slack;
} local_path;

static inline local_path local_path_of(const sweep_arrays *s, const tl_matrix3 *f, const tl_matrix3 *t, int k)
{
    tl_real ax = s->a[0][k] - s->from.x, ay = s->a[1][k] - s->from.y, az = s->a[2][k] - s->from.z;
    tl_real bx = s->b[0][k] - s->to.x, by = s->b[1][k] - s->to.y, bz = s->b[2][k] - s->to.z;
    local_path p = {.x = f->row[0].x * ax + f->row[0].y * ay + f->row[0].z * az,
                    .y = f->row[1].x * ax + f->row[1].y * ay + f->row[1].z * az,
                    .z = f->row[2].x * ax + f->row[2].y * ay + f->row[2].z * az};
    tl_real dx = t->row[0].x * bx + t->row[0].y * by + t->row[0].z * bz - p.x;
    tl_real dy = t->row[1].x * bx + t->row[1].y * by + t->row[1].z * bz - p.y;
    tl_real dz = t->row[2].x * bx + t->row[2].y * by + t->row[2].z * bz - p.z;
    p.way = sqrt(dx * dx + dy * dy + dz * dz);
    p.slack = SWEEP_ROUNDING * (s->fixed + s->per_metre * (fabs(s->b[0][k]) + fabs(s->b[1][k]) + fabs(s->b[2][k])));
    return p;
}

static bool sweep_capsule(const sweep_arrays *s, const tl_matrix3 *from, const tl_matrix3 *to, tl_real half,
                          tl_real radius)
{
    const sweep_arrays arrays = *s;
    const tl_matrix3 f = *from, t = *to;
    tl_near *restrict near = arrays.near, any = 0;
    for (int k = 0; k < arrays.count; ++k) {
        local_path p = local_path_of(&arrays, &f, &t, k);
        tl_real over = fabs(p.y) - half, beyond = (over + fabs(over)) / 2, reach = radius + p.way + p.slack;
        tl_near is_near = !(p.x * p.x + beyond * beyond + p.z * p.z > reach * reach);
        near[k] = is_near;
        any |= is_near;
    }
    return any != 0;
}

/* By the tangent plane of collide/shapes/ellipsoid.c. */
static bool sweep_ellipsoid(const sweep_arrays *s, const tl_matrix3 *from, const tl_matrix3 *to, tl_vec3 size,
                            tl_real margin)
{
    const sweep_arrays arrays = *s;
    const tl_matrix3 f = *from, t = *to;
    const tl_vec3 inverse = tl_v3(1 / size.x, 1 / size.y, 1 / size.z);
    tl_near *restrict near = arrays.near, any = 0;
    for (int k = 0; k < arrays.count; ++k) {
        local_path p = local_path_of(&arrays, &f, &t, k);
        tl_real x = p.x * inverse.x, y = p.y * inverse.y, z = p.z * inverse.z;
        tl_real gx = x * inverse.x, gy = y * inverse.y, gz = z * inverse.z;
        tl_real square = x * x + y * y + z * z, slope = sqrt(gx * gx + gy * gy + gz * gz);
        tl_near outside = square > 1, beyond = square - sqrt(square) > (margin + p.way + p.slack) * slope;
        tl_near is_near = !(outside & beyond);
        near[k] = is_near;
        any |= is_near;
    }
    return any != 0;
}

static tl_real largest(tl_vec3 a) { return tl_max(fabs(a.x), tl_max(fabs(a.y), fabs(a.z))); }

static sweep_arrays arrays_of(const tl_prepared_body *prepared, const tl_contact_cloth *cloth, int first, int count,
                              tl_near *near)
{
    const tl_contact_body *body = prepared->body;
    sweep_arrays s = {.count = count, .from = body->from.position, .to = body->to.position, .near = near};
    for (int k = 0; k < 3; ++k) {
        s.a[k] = cloth->x_old[k] + first;
        s.b[k] = cloth->p->x[k] + first;
    }
    s.per_metre = 2 * TL_CONTACT_ULPS * TL_REAL_EPSILON;
    s.fixed = s.per_metre * (largest(body->from.position) + largest(body->to.position) + prepared->margin);
    if (!body->shape->bottomless)
        s.fixed += s.per_metre * largest(prepared->high);
    return s;
}

bool tl_prepared_body_sweep(const tl_prepared_body *prepared, const tl_contact_cloth *cloth, int first, int count,
                            tl_near *near)
{
    const tl_matrix3 *m = &prepared->to;
    sweep_arrays s = arrays_of(prepared, cloth, first, count, near);
    if (prepared->body->shape->bottomless)
        return sweep_half_space(&s, prepared->from.row[1], m->row[1], prepared->high.y);
    if (prepared->turns)
        return sweep_own_box(&s, &prepared->from, m, prepared->high);
    return sweep_world_box(&s, world_box(m, prepared->high));
}

bool tl_prepared_body_sweep_closely(const tl_prepared_body *prepared, const tl_contact_cloth *cloth, int first,
                                    int count, tl_near *near)
{
    const tl_contact_body *body = prepared->body;
    sweep_arrays s = arrays_of(prepared, cloth, first, count, near);
    if (body->shape == &tl_shape_capsule)
        return sweep_capsule(&s, &prepared->from, &prepared->to, body->size.y / 2, body->size.x + prepared->margin);
    if (body->shape == &tl_shape_ellipsoid)
        return sweep_ellipsoid(&s, &prepared->from, &prepared->to, body->size, prepared->margin);
    return tl_prepared_body_sweep(prepared, cloth, first, count, near);
}

tl_path_bounds tl_path_bounds_of(const tl_contact_cloth *cloth, int first, int count)
{
    tl_path_bounds bounds;
    for (int c = 0; c < 3; ++c) {
        const tl_real *a = cloth->x_old[c] + first, *b = cloth->p->x[c] + first;
        tl_real low = a[0], high = a[0], least = b[0] - a[0], most = least, sum = 0;
        for (int k = 0; k < count; ++k) {
            tl_real step = b[k] - a[k];
            low = tl_min(low, a[k]);
            high = tl_max(high, a[k]);
            least = tl_min(least, step);
            most = tl_max(most, step);
            sum += step * 0; /* what is not finite hits everything */
        }
        bounds.low[c] = low + sum;
        bounds.high[c] = high + sum;
        bounds.least[c] = least;
        bounds.most[c] = most;
    }
    return bounds;
}

/* A path stays beyond a side of the box that it starts beyond by more than it moves across, in axes that are those of
   the world when the substep starts; the turn of the body moves what is `arm` away by at most spin × arm. */
bool tl_prepared_body_misses(const tl_prepared_body *prepared, const tl_path_bounds *paths)
{
    const tl_contact_body *body = prepared->body;
    const tl_real from[3] = {body->from.position.x, body->from.position.y, body->from.position.z},
                  to[3] = {body->to.position.x, body->to.position.y, body->to.position.z},
                  around[3] = {prepared->around.x, prepared->around.y, prepared->around.z},
                  shift[3] = {prepared->shift.x, prepared->shift.y, prepared->shift.z};
    if (body->shape->bottomless)
        return false;
    tl_real arm = 0, size = prepared->margin;
    for (int c = 0; c < 3; ++c) {
        tl_real low = paths->low[c] + paths->least[c] - to[c], high = paths->high[c] + paths->most[c] - to[c];
        arm += tl_max(fabs(low), fabs(high));
        size += fabs(from[c]) + fabs(to[c]) + around[c];
    }
    tl_real turn = prepared->turns ? tl_length(prepared->spin) * arm : 0;
    tl_real slack = SWEEP_ROUNDING * 2 * TL_CONTACT_ULPS * TL_REAL_EPSILON * (size + arm);
    for (int c = 0; c < 3; ++c) {
        tl_real apart = tl_max(paths->low[c] - from[c], from[c] - paths->high[c]) - around[c];
        tl_real move = tl_max(fabs(paths->least[c] - shift[c]), fabs(paths->most[c] - shift[c]));
        if (apart > move + turn + slack)
            return true;
    }
    return false;
}

bool tl_body_is_clear(const tl_contact_body *body, tl_real thickness, tl_vec3 x)
{
    return tl_shape_is_beyond(body, tl_pose_undo(body->to, x), thickness);
}

tl_real tl_body_clearance(const tl_contact_body *body, tl_real thickness, tl_vec3 x, tl_vec3 *normal, tl_real *gap)
{
    tl_vec3 n;
    tl_real d = body->shape->distance(body->size, tl_pose_undo(body->to, x), &n) - thickness;
    if (normal)
        *normal = tl_rotate(body->to.rotation, n);
    if (gap)
        *gap = d;
    return d + tl_contact_tolerance(body, thickness, x);
}
