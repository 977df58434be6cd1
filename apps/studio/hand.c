#include "studio/hand.h"

#include <math.h>
#include <string.h>

#define HAND_SPEED 6.0    /* m/s, maximum speed of a dragged vertex or body */
#define DROPPED_MASS 0.08 /* kg, of the ball in scene s1/box: mass of a dropped ball that had none */

static tl_vec3 from_floats(const float p[3]) { return (tl_vec3){(tl_real)p[0], (tl_real)p[1], (tl_real)p[2]}; }

hand hand_empty(void) { return (hand){.cloth = -1, .vertex = -1, .body = -1}; }

void hand_release(hand *h, tl_world *world)
{
    if (h->cloth >= 0 && h->cloth < tl_world_cloth_count(world) && !h->was_pinned)
        tl_cloth_pin(tl_world_cloth(world, h->cloth), h->vertex, false);
    h->cloth = h->vertex = -1;
    h->body = -1;
}

void hand_take(hand *h, tl_world *world, int cloth, int vertex, const float position[3])
{
    hand_release(h, world);
    if (cloth < 0 || cloth >= tl_world_cloth_count(world))
        return;
    tl_cloth *held = tl_world_cloth(world, cloth);
    if (vertex < 0 || vertex >= tl_cloth_vertex_count(held))
        return;
    h->was_pinned = tl_cloth_pinned(held, vertex);
    if (tl_cloth_pin(held, vertex, true) != TL_OK)
        return;
    h->cloth = cloth;
    h->vertex = vertex;
    h->place = tl_cloth_positions(held)[vertex];
    h->target = from_floats(position);
}

void hand_lead(hand *h, const float position[3]) { h->target = from_floats(position); }

void hand_take_body(hand *h, tl_world *world, int body, const float position[3], const float rotation[4])
{
    if (body < 0 || body >= tl_world_body_count(world))
        return;
    h->body = body;
    h->body_target = from_floats(position);
    h->body_rotation =
        (tl_quat){(tl_real)rotation[0], (tl_real)rotation[1], (tl_real)rotation[2], (tl_real)rotation[3]};
}

void hand_drop(tl_world *world, int body)
{
    if (body < 0 || body >= tl_world_body_count(world))
        return;
    tl_body *ball = tl_world_body(world, body);
    const tl_body_def *def = tl_body_get_def(ball);
    tl_value mass = {TL_PARAM_REAL, {DROPPED_MASS}, NULL}, now = {TL_PARAM_REAL, {0}, NULL},
             loose = {TL_PARAM_BOOL, {0}, NULL};
    tl_value start = {TL_PARAM_VEC3, {(double)def->position.x, (double)def->position.y, (double)def->position.z}, NULL};
    if (!(def->mass > 0) && tl_body_set(ball, "mass", &mass) != TL_OK)
        return; /* not a ball, or kinematic on keys */
    tl_body_set(ball, "position", &start);
    tl_body_set(ball, "kinematic", &loose);
    tl_body_set(ball, "release_time", &now);
}

/* From one position towards another, by at most `limit`. */
static tl_vec3 towards(tl_vec3 from, tl_vec3 to, double limit)
{
    double x = (double)(to.x - from.x), y = (double)(to.y - from.y), z = (double)(to.z - from.z);
    double distance = sqrt(x * x + y * y + z * z), fraction = distance > limit ? limit / distance : 1;
    return (tl_vec3){(tl_real)((double)from.x + fraction * x), (tl_real)((double)from.y + fraction * y),
                     (tl_real)((double)from.z + fraction * z)};
}

void hand_before_step(hand *h, tl_world *world, double dt)
{
    if (h->cloth >= 0) {
        h->place = towards(h->place, h->target, HAND_SPEED * dt);
        tl_cloth_move_pin(tl_world_cloth(world, h->cloth), h->vertex, h->place);
    }
    if (h->body >= 0) {
        tl_body *body = tl_world_body(world, h->body);
        tl_vec3 now;
        tl_body_pose(body, &now, NULL);
        tl_body_move(body, towards(now, h->body_target, HAND_SPEED * dt), h->body_rotation);
    }
}
