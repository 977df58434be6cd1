/* Finding touches before a step (contact/body/contact_constraint.h). */
#include "contact/body/contact_constraint.h"

#include "collide/shapes/shapes.h"
#include "contact/body/mesh_contact.h"
#include "contact/body/prepared_body.h"

/* How near a surface must be for a particle with this relative speed to reach it. */
static tl_real reach_of(const tl_contact_cloth *cloth, tl_real speed, tl_real dt)
{
    return TL_CONSTRAINT_REACH * cloth->thickness + (speed + cloth->rest_speed) * dt;
}

/* Fills in what follows from gap, normal and the surface's velocity: false when it is out of reach within `dt` or would
   bounce. */
static bool complete(const tl_contact_cloth *cloth, tl_contact_constraint *touch, tl_real restitution,
                     tl_real tolerance, tl_real dt)
{
    tl_vec3 relative = tl_sub(tl_at(cloth->p->v, touch->particle), touch->velocity);
    tl_real approach = -tl_dot(relative, touch->normal);
    if (!(touch->gap <= reach_of(cloth, tl_length(relative), dt)) || (restitution > 0 && approach > cloth->rest_speed))
        return false;
    if (fabs(touch->gap) <= tolerance) /* closing what is rounding would press, and friction would follow */
        touch->gap = 0;
    touch->on = -approach <= cloth->rest_speed && touch->gap <= TL_CONSTRAINT_ON * cloth->thickness + tolerance;
    return true;
}

/* The plane of one body for one particle: false when it is out of reach. */
static bool touch_of(const tl_contact_cloth *cloth, const tl_prepared_body *frame, int i, tl_real dt, bool ended,
                     tl_contact_constraint *out)
{
    const tl_contact_body *body = frame->body;
    const tl_matrix3 *now = ended ? &frame->to : &frame->from, *then = ended ? &frame->from : &frame->to;
    tl_pose here = ended ? body->to : body->from, there = ended ? body->from : body->to;
    tl_vec3 x = tl_at(cloth->p->x, i), n;
    /* the surface point carries the particle's place along: where it will be, or was, when it moves with the body */
    tl_vec3 local = tl_into(now, tl_sub(x, here.position));
    tl_vec3 carried = tl_add(there.position, tl_out_of(then, local));
    tl_vec3 surface = frame->moves && dt > 0 ? tl_scale(tl_sub(carried, x), (ended ? -1 : 1) / dt) : tl_v3(0, 0, 0);
    tl_real gap = body->shape->distance(body->size, local, &n) - frame->margin;
    *out = (tl_contact_constraint){.particle = i,
                                   .normal = tl_out_of(&frame->to, n),
                                   .velocity = surface,
                                   .gap = gap,
                                   .friction = frame->friction};
    return complete(cloth, out, body->restitution, tl_contact_tolerance(body, frame->margin, x), ended ? 0 : dt);
}

/* What rounding of a particle's place and of a mesh's corners may leave of a gap, m. */
static tl_real rounding(tl_vec3 x)
{
    return TL_CONTACT_ULPS * TL_REAL_EPSILON * tl_max(fabs(x.x), tl_max(fabs(x.y), fabs(x.z)));
}

/* The plane of a body made of triangles whose points move no faster than `fastest`. */
static bool touch_of_mesh(const tl_contact_cloth *cloth, const tl_contact_mesh *body, tl_real fastest, int i,
                          tl_real dt, bool ended, tl_contact_constraint *out)
{
    tl_vec3 x = tl_at(cloth->p->x, i), v = tl_at(cloth->p->v, i);
    tl_mesh_contact_point place;
    tl_real reach = cloth->thickness + reach_of(cloth, tl_length(v) + fastest, ended ? 0 : dt);
    if (ended) /* what has gone in came from outside on its way */
        reach = tl_max(reach, cloth->thickness + tl_length(tl_sub(x, tl_at(cloth->x_old, i))));
    if (!tl_mesh_contact_at(body, ended ? body->x : body->x_old, x, reach, &place))
        return false;
    *out = (tl_contact_constraint){.particle = i,
                                   .normal = place.normal,
                                   .velocity = place.velocity,
                                   .gap = place.distance - cloth->thickness,
                                   .friction = tl_friction_between(cloth->friction, body->friction)};
    return complete(cloth, out, body->restitution, rounding(x), ended ? 0 : dt);
}

/* A touch of a body with a mass, on which the particle rests: an impact is contact/body/convex_contact.c's, which
   changes both velocities at once. So is putting out what is behind its surface, since closing that gap here would push
   the body. */
static bool yields(const tl_contact_cloth *cloth, const tl_contact_body *body, tl_contact_constraint *touch)
{
    tl_vec3 arm = tl_sub(tl_at(cloth->p->x, touch->particle), body->from.position);
    tl_vec3 relative = tl_sub(tl_at(cloth->p->v, touch->particle), touch->velocity);
    touch->effective_mass = 1 / tl_rigid_inverse_mass_at(body->rigid, arm, touch->normal);
    touch->gap = tl_max(touch->gap, 0);
    return -tl_dot(relative, touch->normal) <= cloth->rest_speed;
}

/* The nearer of two touches of a particle. */
static void keep_nearer(tl_contact_constraint *known, tl_contact_constraint touch, int body)
{
    if (known->body >= 0 && !(touch.gap < known->gap))
        return;
    *known = touch;
    known->body = body;
}

void tl_contact_constraints_begin(const tl_contact_cloth *cloth, tl_contact_constraint *out)
{
    for (int i = 0; i < cloth->p->count; ++i)
        out[i].body = -1;
}

void tl_contact_constraints_add_convex(const tl_contact_cloth *cloth, const tl_contact_body *bodies, int body_count,
                                       tl_real dt, bool ended, tl_contact_constraint *out)
{
    tl_contact_constraint touch;
    for (int b = 0; b < body_count; ++b) {
        tl_contact_body body = bodies[b];
        if (body.rigid &&
            ended) /* gives way: both velocities change at once, which is contact/body/convex_contact.c's */
            continue;
        tl_prepared_body frame = tl_prepare_body(cloth, &body);
        for (int i = 0; i < cloth->p->count; ++i)
            if (cloth->p->w[i] > 0 && touch_of(cloth, &frame, i, dt, ended, &touch) &&
                (!body.rigid || yields(cloth, &body, &touch)))
                keep_nearer(&out[i], touch, b);
    }
}

void tl_contact_constraints_add_mesh(const tl_contact_cloth *cloth, tl_contact_mesh *surface, int body, tl_real dt,
                                     bool ended, tl_contact_constraint *out)
{
    tl_contact_constraint touch;
    tl_real fastest = tl_mesh_contact_begin(surface, ended ? surface->x : surface->x_old);
    for (int i = 0; i < cloth->p->count; ++i)
        if (cloth->p->w[i] > 0 && touch_of_mesh(cloth, surface, fastest, i, dt, ended, &touch))
            keep_nearer(&out[i], touch, body);
}

int tl_contact_constraints_pack(const tl_contact_cloth *cloth, tl_contact_constraint *out)
{
    int count = 0;
    for (int i = 0; i < cloth->p->count; ++i)
        if (out[i].body >= 0)
            out[count++] = out[i];
    return count;
}

void tl_contact_constraint_report(tl_contact_cloth *cloth, const tl_contact_constraint *touch, tl_vec3 pivot,
                                  tl_vec3 *impulse, tl_vec3 *moment)
{
    tl_vec3 arm = tl_sub(tl_at(cloth->p->x, touch->particle), pivot);
    *impulse = tl_sub(*impulse, touch->impulse);
    *moment = tl_sub(*moment, tl_cross(arm, touch->impulse));
    cloth->pressure[touch->particle] += tl_max(0, tl_dot(touch->impulse, touch->normal));
}
