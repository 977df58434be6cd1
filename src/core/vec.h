/* Vectors, quaternions and small scalar helpers, all inline. */
#ifndef TL_CORE_VEC_H
#define TL_CORE_VEC_H

#include "telar/types.h"

#include <math.h>
#include <tgmath.h>

#define TL_PI 3.14159265358979323846

static inline tl_vec3 tl_v3(tl_real x, tl_real y, tl_real z) { return (tl_vec3){x, y, z}; }
static inline tl_vec3 tl_add(tl_vec3 a, tl_vec3 b) { return tl_v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline tl_vec3 tl_sub(tl_vec3 a, tl_vec3 b) { return tl_v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline tl_vec3 tl_scale(tl_vec3 a, tl_real s) { return tl_v3(a.x * s, a.y * s, a.z * s); }
static inline tl_vec3 tl_madd(tl_vec3 a, tl_vec3 b, tl_real s)
{
    return tl_v3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}
static inline tl_real tl_dot(tl_vec3 a, tl_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline tl_vec3 tl_cross(tl_vec3 a, tl_vec3 b)
{
    return tl_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline tl_real tl_length(tl_vec3 a) { return sqrt(tl_dot(a, a)); }
/* The zero vector stays zero. */
static inline tl_vec3 tl_normalized(tl_vec3 a)
{
    tl_real length = tl_length(a);
    return length > 0 ? tl_scale(a, 1 / length) : a;
}
/* Unit normal of a triangle; 0 when it has no area. */
static inline tl_vec3 tl_triangle_normal(const tl_vec3 corner[3])
{
    return tl_normalized(tl_cross(tl_sub(corner[1], corner[0]), tl_sub(corner[2], corner[0])));
}
static inline tl_vec3 tl_lerp(tl_vec3 a, tl_vec3 b, tl_real t) { return tl_madd(a, tl_sub(b, a), t); }

static inline tl_real tl_min(tl_real a, tl_real b) { return a < b ? a : b; }
static inline tl_real tl_max(tl_real a, tl_real b) { return a > b ? a : b; }
static inline tl_real tl_clamp(tl_real a, tl_real low, tl_real high) { return tl_min(tl_max(a, low), high); }

static inline tl_quat tl_quat_identity(void) { return (tl_quat){0, 0, 0, 1}; }
static inline tl_quat tl_quat_mul(tl_quat a, tl_quat b)
{
    return (tl_quat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
static inline tl_quat tl_quat_conjugate(tl_quat q) { return (tl_quat){-q.x, -q.y, -q.z, q.w}; }
static inline tl_vec3 tl_rotate(tl_quat q, tl_vec3 a)
{
    tl_vec3 u = tl_v3(q.x, q.y, q.z);
    tl_vec3 t = tl_scale(tl_cross(u, a), 2);
    return tl_add(tl_madd(a, t, q.w), tl_cross(u, t));
}
static inline tl_vec3 tl_rotate_back(tl_quat q, tl_vec3 a) { return tl_rotate(tl_quat_conjugate(q), a); }
static inline tl_quat tl_quat_normalized(tl_quat q)
{
    tl_real s = 1 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (tl_quat){q.x * s, q.y * s, q.z * s, q.w * s};
}
/* Rotation by degrees about x, then y, then z (fixed axes). Uses the library's own sine (core/trig.h). */
tl_quat tl_quat_euler(tl_vec3 degrees);
/* Spherical interpolation along the shorter arc, t in 0…1. */
tl_quat tl_quat_nlerp(tl_quat a, tl_quat b, tl_real t);

/* Position and rotation. */
typedef struct tl_pose {
    tl_vec3 position;
    tl_quat rotation;
} tl_pose;
static inline tl_vec3 tl_pose_apply(tl_pose p, tl_vec3 local)
{
    return tl_add(p.position, tl_rotate(p.rotation, local));
}
static inline tl_vec3 tl_pose_undo(tl_pose p, tl_vec3 world)
{
    return tl_rotate_back(p.rotation, tl_sub(world, p.position));
}

#endif
