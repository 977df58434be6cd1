/* What cloth may touch during a step, told before the step: for steppers that solve contact together with the cloth.

   A touch is a particle, the plane that the nearest body offers it, and how far away it is. The stepper decides which
   touches press, stick or slide, and says what impulse each took. What it leaves undone is contact/respond.c's, which
   runs after the step in any case. */
#ifndef TL_CONTACT_TOUCH_H
#define TL_CONTACT_TOUCH_H

#include "contact/body.h"

typedef struct tl_touch {
    int particle, body;
    tl_vec3 normal;   /* of the surface, at the end of the substep */
    tl_vec3 velocity; /* m/s, of the surface there */
    tl_real gap;      /* m, from the particle to the surface, thickness taken off, both as they are now */
    tl_real friction; /* of cloth and body together; may be infinite */
    bool on;          /* it lies on the surface and does not fly away from it */
    tl_vec3 impulse;  /* out: N·s that the particle receives */
} tl_touch;

/* Lists the free particles that are on a body or may reach one within dt, one touch each, the nearest body. A particle
   that would bounce is left out. Returns their number; at most one per particle is written. */
int tl_contact_touches(const tl_contact_cloth *cloth, const tl_contact_body *bodies, int body_count, tl_real dt,
                       tl_touch *out);

/* Adds the impulses to the bodies and to the cloth's pressure. */
void tl_contact_report(tl_contact_cloth *cloth, tl_contact_body *bodies, const tl_touch *touches, int count);

#endif
