/* Finding touches before a step (contact/touch.h). */
#include "contact/touch.h"

#include "contact/frame.h"

/* Reach beyond what the particle's own speed allows, in thicknesses: cloth that slides along a curve leaves it by less
   in a step and is still held to it. */
#define REACH ((tl_real)1)

/* A gap within this share of the thickness is contact. */
#define ON_SURFACE ((tl_real)0.02)

/* The plane of one body for one particle: false when it is out of reach. */
static bool touch_of(const tl_contact_cloth *cloth, const tl_contact_frame *frame, int i, tl_real dt, tl_touch *out)
{
    const tl_contact_body *body = frame->body;
    tl_vec3 x = tl_at(cloth->p->x, i), v = tl_at(cloth->p->v, i), n;
    /* the surface point carries the particle's place along: where it will be when it moves with the body */
    tl_vec3 local = tl_into(&frame->from, tl_sub(x, body->from.position));
    tl_vec3 carried = tl_add(body->to.position, tl_out_of(&frame->to, local));
    tl_vec3 surface = frame->moves && dt > 0 ? tl_scale(tl_sub(carried, x), 1 / dt) : tl_v3(0, 0, 0);
    tl_real gap = body->shape->distance(body->size, local, &n) - frame->margin;
    n = tl_out_of(&frame->to, n);
    tl_vec3 relative = tl_sub(v, surface);
    tl_real approach = -tl_dot(relative, n);
    if (!(gap <= REACH * frame->margin + tl_length(relative) * dt + cloth->rest_speed * dt))
        return false;
    if (body->restitution > 0 && approach > cloth->rest_speed)
        return false;
    bool on = -approach <= cloth->rest_speed &&
              gap <= ON_SURFACE * frame->margin + tl_contact_tolerance(body, frame->margin, x);
    *out =
        (tl_touch){.particle = i, .normal = n, .velocity = surface, .gap = gap, .friction = frame->friction, .on = on};
    return true;
}

int tl_contact_touches(const tl_contact_cloth *cloth, const tl_contact_body *bodies, int body_count, tl_real dt,
                       tl_touch *out)
{
    /* the nearest body of every particle first, then only those that have one */
    for (int i = 0; i < cloth->p->count; ++i)
        out[i].body = -1;
    for (int b = 0; b < body_count; ++b) {
        tl_contact_body body = bodies[b];
        tl_contact_frame frame = tl_contact_prepare(cloth, &body);
        for (int i = 0; i < cloth->p->count; ++i) {
            tl_touch touch;
            if (!(cloth->p->w[i] > 0) || !touch_of(cloth, &frame, i, dt, &touch) ||
                (out[i].body >= 0 && touch.gap >= out[i].gap))
                continue;
            out[i] = touch;
            out[i].body = b;
        }
    }
    int count = 0;
    for (int i = 0; i < cloth->p->count; ++i)
        if (out[i].body >= 0)
            out[count++] = out[i];
    return count;
}

void tl_contact_report(tl_contact_cloth *cloth, tl_contact_body *bodies, const tl_touch *touches, int count)
{
    for (int k = 0; k < count; ++k) {
        const tl_touch *touch = &touches[k];
        tl_contact_body *body = &bodies[touch->body];
        tl_vec3 arm = tl_sub(tl_at(cloth->p->x, touch->particle), body->to.position);
        body->impulse = tl_sub(body->impulse, touch->impulse);
        body->moment = tl_sub(body->moment, tl_cross(arm, touch->impulse));
        cloth->pressure[touch->particle] += tl_max(0, tl_dot(touch->impulse, touch->normal));
    }
}
