/* Mouse interaction with a running world: drags a vertex or a body, and drops a ball. Used by the simulation thread
   between steps. Speed is bounded: a jump of the pointer becomes a quick but finite motion, so that no method becomes
   unstable. */
#ifndef STUDIO_HAND_H
#define STUDIO_HAND_H

#include "telar/telar.h"

typedef struct hand {
    int cloth, vertex; /* −1: holds no vertex */
    bool was_pinned;
    tl_vec3 place, target; /* m */

    int body; /* −1: holds no body */
    tl_vec3 body_target;
    tl_quat body_rotation;
} hand;

hand hand_empty(void);
void hand_take(hand *h, tl_world *world, int cloth, int vertex, const float position[3]);
void hand_lead(hand *h, const float position[3]);
void hand_release(hand *h, tl_world *world);
void hand_take_body(hand *h, tl_world *world, int body, const float position[3], const float rotation[4]);
void hand_drop(tl_world *world, int body); /* moves a ball to its start and drops it; it gets a mass if it has none */

void hand_before_step(hand *h, tl_world *world, double dt);

#endif
