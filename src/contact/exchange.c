#include "contact/exchange.h"

tl_vec3 tl_mover_velocity(const tl_mover *mover, tl_vec3 arm)
{
    return tl_add(mover->velocity, tl_cross(mover->spin, arm));
}

/* I⁻¹ a */
static tl_vec3 turn_of(const tl_mover *mover, tl_vec3 a)
{
    tl_vec3 own = tl_rotate_back(mover->rotation, a), i = mover->inverse_inertia;
    return tl_rotate(mover->rotation, tl_v3(own.x * i.x, own.y * i.y, own.z * i.z));
}

tl_real tl_mover_give(const tl_mover *mover, tl_vec3 arm, tl_vec3 direction)
{
    return mover->inverse_mass + tl_dot(direction, tl_cross(turn_of(mover, tl_cross(arm, direction)), arm));
}

void tl_mover_push(tl_mover *mover, tl_vec3 arm, tl_vec3 impulse)
{
    mover->velocity = tl_madd(mover->velocity, impulse, mover->inverse_mass);
    mover->spin = tl_add(mover->spin, turn_of(mover, tl_cross(arm, impulse)));
}

tl_vec3 tl_exchange(tl_mover *a, tl_mover *b, const tl_meeting *m)
{
    tl_vec3 relative = tl_sub(tl_mover_velocity(a, m->arm_a), tl_mover_velocity(b, m->arm_b));
    tl_real approach = -tl_dot(relative, m->normal);
    tl_real both = tl_mover_give(a, m->arm_a, m->normal) + tl_mover_give(b, m->arm_b, m->normal);
    if (!(approach > 0) || !(both > 0))
        return tl_v3(0, 0, 0);
    tl_real bounce = approach > m->rest_speed ? m->restitution * approach : 0;
    tl_real normal = (approach + bounce) / both;
    tl_vec3 impulse = tl_scale(m->normal, normal), slip = tl_madd(relative, m->normal, approach);
    tl_real speed = tl_length(slip);
    if (speed > 0 && m->friction > 0) {
        tl_vec3 along = tl_scale(slip, 1 / speed);
        tl_real stop = speed / (tl_mover_give(a, m->arm_a, along) + tl_mover_give(b, m->arm_b, along));
        impulse = tl_madd(impulse, along, -tl_min(stop, m->friction * normal));
    }
    tl_mover_push(a, m->arm_a, impulse);
    tl_mover_push(b, m->arm_b, tl_scale(impulse, -1));
    return impulse;
}
