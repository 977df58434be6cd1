#include "contact/rigid/rigid_state.h"

tl_vec3 tl_rigid_velocity_at(const tl_rigid_state *state, tl_vec3 arm)
{
    return tl_add(state->velocity, tl_cross(state->spin, arm));
}

/* I⁻¹ a */
static tl_vec3 apply_inverse_inertia(const tl_rigid_state *state, tl_vec3 a)
{
    tl_vec3 own = tl_rotate_back(state->rotation, a), i = state->inverse_inertia;
    return tl_rotate(state->rotation, tl_v3(own.x * i.x, own.y * i.y, own.z * i.z));
}

tl_real tl_rigid_inverse_mass_at(const tl_rigid_state *state, tl_vec3 arm, tl_vec3 direction)
{
    return state->inverse_mass +
           tl_dot(direction, tl_cross(apply_inverse_inertia(state, tl_cross(arm, direction)), arm));
}

void tl_rigid_apply_impulse(tl_rigid_state *state, tl_vec3 arm, tl_vec3 impulse)
{
    state->velocity = tl_madd(state->velocity, impulse, state->inverse_mass);
    state->spin = tl_add(state->spin, apply_inverse_inertia(state, tl_cross(arm, impulse)));
}

tl_vec3 tl_rigid_impact(tl_rigid_state *a, tl_rigid_state *b, const tl_impact *m)
{
    tl_vec3 relative = tl_sub(tl_rigid_velocity_at(a, m->arm_a), tl_rigid_velocity_at(b, m->arm_b));
    tl_real approach = -tl_dot(relative, m->normal);
    tl_real both = tl_rigid_inverse_mass_at(a, m->arm_a, m->normal) + tl_rigid_inverse_mass_at(b, m->arm_b, m->normal);
    if (!(approach > 0) || !(both > 0))
        return tl_v3(0, 0, 0);
    tl_real bounce = approach > m->rest_speed ? m->restitution * approach : 0;
    tl_real normal = (approach + bounce) / both;
    tl_vec3 impulse = tl_scale(m->normal, normal), slip = tl_madd(relative, m->normal, approach);
    tl_real speed = tl_length(slip);
    if (speed > 0 && m->friction > 0) {
        tl_vec3 along = tl_scale(slip, 1 / speed);
        tl_real stop =
            speed / (tl_rigid_inverse_mass_at(a, m->arm_a, along) + tl_rigid_inverse_mass_at(b, m->arm_b, along));
        impulse = tl_madd(impulse, along, -tl_min(stop, m->friction * normal));
    }
    tl_rigid_apply_impulse(a, m->arm_a, impulse);
    tl_rigid_apply_impulse(b, m->arm_b, tl_scale(impulse, -1));
    return impulse;
}
