#include "core/vec.h"

#include "core/trig.h"

static tl_quat about(int axis, double degrees)
{
    double half = degrees * (TL_PI / 360);
    tl_real s = (tl_real)tl_sin(half);
    tl_quat q = {0, 0, 0, (tl_real)tl_cos(half)};
    if (axis == 0)
        q.x = s;
    else if (axis == 1)
        q.y = s;
    else
        q.z = s;
    return q;
}

tl_quat tl_quat_euler(tl_vec3 degrees)
{
    return tl_quat_mul(about(2, degrees.z), tl_quat_mul(about(1, degrees.y), about(0, degrees.x)));
}

tl_quat tl_quat_nlerp(tl_quat a, tl_quat b, tl_real t)
{
    if (a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0)
        b = (tl_quat){-b.x, -b.y, -b.z, -b.w};
    tl_real s = 1 - t;
    return tl_quat_normalized((tl_quat){a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t, a.w * s + b.w * t});
}
