#include "studio/hand.h"

#include <math.h>
#include <string.h>

#define HAND_SPEED 6.0    /* m/s, the fastest a held vertex or body is led */
#define DROPPED_MASS 0.08 /* kg, of S1's ball: what the impulses of the cloth act on */

static tl_vec3 from_floats(const float p[3]) { return (tl_vec3){(tl_real)p[0], (tl_real)p[1], (tl_real)p[2]}; }

hand hand_empty(void) { return (hand){.cloth = -1, .vertex = -1, .body = -1, .falling = -1}; }

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
    if (h->falling == body)
        h->falling = -1;
    h->body = body;
    h->body_target = from_floats(position);
    h->body_rotation =
        (tl_quat){(tl_real)rotation[0], (tl_real)rotation[1], (tl_real)rotation[2], (tl_real)rotation[3]};
}

void hand_drop(hand *h, tl_world *world, int body)
{
    if (body < 0 || body >= tl_world_body_count(world))
        return;
    h->falling = body;
    h->fall_place = tl_body_get_def(tl_world_body(world, body))->position;
    h->fall_velocity = (tl_vec3){0, 0, 0};
}

/* From one place towards another, no further than `most`. */
static tl_vec3 towards(tl_vec3 from, tl_vec3 to, double most)
{
    double x = (double)(to.x - from.x), y = (double)(to.y - from.y), z = (double)(to.z - from.z);
    double way = sqrt(x * x + y * y + z * z), share = way > most ? most / way : 1;
    return (tl_vec3){(tl_real)((double)from.x + share * x), (tl_real)((double)from.y + share * y),
                     (tl_real)((double)from.z + share * z)};
}

/* Free fall until another body is in the way. */
static void fall(hand *h, tl_world *world, double dt)
{
    tl_body *ball = tl_world_body(world, h->falling);
    tl_vec3 g = tl_world_get_def(world)->gravity;
    tl_real step = (tl_real)dt, radius = tl_body_get_def(ball)->size.x;
    h->fall_velocity =
        (tl_vec3){h->fall_velocity.x + g.x * step, h->fall_velocity.y + g.y * step, h->fall_velocity.z + g.z * step};
    tl_vec3 next = {h->fall_place.x + h->fall_velocity.x * step, h->fall_place.y + h->fall_velocity.y * step,
                    h->fall_place.z + h->fall_velocity.z * step};
    for (int k = 0; k < tl_world_body_count(world); ++k) {
        tl_vec3 normal;
        const tl_body *other = tl_world_body(world, k);
        if (other == ball || !tl_body_get_def(other)->on)
            continue;
        tl_real gap = tl_body_distance(other, next, &normal) - radius;
        if (gap < 0) {
            next = (tl_vec3){next.x - gap * normal.x, next.y - gap * normal.y, next.z - gap * normal.z};
            h->fall_velocity = (tl_vec3){0, 0, 0};
        }
    }
    h->fall_place = next;
    tl_quat rotation;
    tl_body_pose(ball, NULL, &rotation);
    tl_body_move(ball, next, rotation);
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
    if (h->falling >= 0)
        fall(h, world, dt);
}

/* What the cloth gave the falling ball slows it down. */
void hand_after_step(hand *h, tl_world *world, double dt)
{
    (void)dt;
    if (h->falling < 0)
        return;
    tl_vec3 impulse;
    tl_body_impulse(tl_world_body(world, h->falling), &impulse, NULL);
    tl_real share = (tl_real)(1 / DROPPED_MASS);
    h->fall_velocity = (tl_vec3){h->fall_velocity.x + share * impulse.x, h->fall_velocity.y + share * impulse.y,
                                 h->fall_velocity.z + share * impulse.z};
}
