/* Finding contact constraints before a step (contact/body/contact_constraint.h). */
#include "contact/body/contact_constraint.h"

#include "collide/shapes/shapes.h"
#include "contact/body/mesh_contact.h"
#include "contact/body/prepared_body.h"

/* Gap within which a particle with this relative speed can reach a surface. */
static tl_real reach_of(const tl_contact_cloth *cloth, tl_real speed, tl_real dt)
{
    return TL_CONSTRAINT_REACH * cloth->thickness + (speed + cloth->rest_speed) * dt;
}

/* Completes a constraint from gap, normal and the surface's velocity: false when it is out of reach within `dt` or
   would bounce. */
static bool complete(const tl_contact_cloth *cloth, tl_contact_constraint *constraint, tl_real restitution,
                     tl_real tolerance, tl_real dt)
{
    tl_vec3 relative = tl_sub(tl_at(cloth->p->v, constraint->particle), constraint->velocity);
    tl_real approach = -tl_dot(relative, constraint->normal);
    if (!(constraint->gap <= reach_of(cloth, tl_length(relative), dt)) ||
        (restitution > 0 && approach > cloth->rest_speed))
        return false;
    /* closing a gap that is rounding would add pressure, and with it friction */
    if (fabs(constraint->gap) <= tolerance)
        constraint->gap = 0;
    /* what slides over a curve leaves its tangent a little in every step */
    tl_real on = TL_CONSTRAINT_ON * cloth->thickness;
    constraint->on = constraint->gap <= on + tolerance && -approach * dt <= cloth->rest_speed * dt + on;
    return true;
}

/* The constraint of one convex body on one particle: false when it is out of reach. */
static bool find_convex(const tl_contact_cloth *cloth, const tl_prepared_body *prepared, int i, tl_real dt, bool ended,
                        tl_contact_constraint *out)
{
    const tl_contact_body *body = prepared->body;
    const tl_matrix3 *now = ended ? &prepared->to : &prepared->from, *then = ended ? &prepared->from : &prepared->to;
    tl_pose here = ended ? body->to : body->from, there = ended ? body->from : body->to;
    tl_vec3 x = tl_at(cloth->p->x, i), n;
    /* the particle's position carried along by the body: where it will be, or was, if it moves with the body */
    tl_vec3 local = tl_into(now, tl_sub(x, here.position));
    tl_vec3 carried = tl_add(there.position, tl_out_of(then, local));
    tl_vec3 surface = prepared->moves && dt > 0 ? tl_scale(tl_sub(carried, x), (ended ? -1 : 1) / dt) : tl_v3(0, 0, 0);
    tl_real gap = body->shape->distance(body->size, local, &n) - prepared->margin;
    *out = (tl_contact_constraint){.particle = i,
                                   .normal = tl_out_of(&prepared->to, n),
                                   .velocity = surface,
                                   .gap = gap,
                                   .friction = prepared->friction};
    return complete(cloth, out, body->restitution, tl_contact_tolerance(body, prepared->margin, x), ended ? 0 : dt);
}

/* Rounding of a gap from the particle's position and the mesh's corners, m. */
static tl_real rounding(tl_vec3 x)
{
    return TL_CONTACT_ULPS * TL_REAL_EPSILON * tl_max(fabs(x.x), tl_max(fabs(x.y), fabs(x.z)));
}

/* The constraint of a body made of triangles whose points move no faster than `fastest`. */
static bool find_mesh(const tl_contact_cloth *cloth, const tl_contact_mesh *body, tl_real fastest, int i, tl_real dt,
                      bool ended, tl_contact_constraint *out)
{
    tl_vec3 x = tl_at(cloth->p->x, i), v = tl_at(cloth->p->v, i);
    tl_mesh_contact_point nearest;
    tl_real reach = cloth->thickness + reach_of(cloth, tl_length(v) + fastest, ended ? 0 : dt);
    if (ended) /* a particle that went in came from outside along its path */
        reach = tl_max(reach, cloth->thickness + tl_length(tl_sub(x, tl_at(cloth->x_old, i))));
    if (!tl_mesh_contact_at(body, ended ? body->x : body->x_old, x, reach, &nearest))
        return false;
    *out = (tl_contact_constraint){.particle = i,
                                   .normal = nearest.normal,
                                   .velocity = nearest.velocity,
                                   .gap = nearest.distance - cloth->thickness,
                                   .friction = tl_friction_between(cloth->friction, body->friction)};
    return complete(cloth, out, body->restitution, rounding(x), ended ? 0 : dt);
}

/* A constraint of a dynamic body on which the particle rests: impacts are left to contact/body/convex_contact.c,
   which changes both velocities at once. So is penetration, since closing that gap here would push the body. */
static bool rests_on_dynamic(const tl_contact_cloth *cloth, const tl_contact_body *body,
                             tl_contact_constraint *constraint)
{
    tl_vec3 arm = tl_sub(tl_at(cloth->p->x, constraint->particle), body->from.position);
    tl_vec3 relative = tl_sub(tl_at(cloth->p->v, constraint->particle), constraint->velocity);
    constraint->effective_mass = 1 / tl_rigid_inverse_mass_at(body->rigid, arm, constraint->normal);
    constraint->gap = tl_max(constraint->gap, 0);
    return -tl_dot(relative, constraint->normal) <= cloth->rest_speed;
}

/* Keeps the nearer of two constraints of a particle. */
static void keep_nearer(tl_contact_constraint *known, tl_contact_constraint constraint, int body)
{
    if (known->body >= 0 && !(constraint.gap < known->gap))
        return;
    *known = constraint;
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
    tl_contact_constraint constraint;
    for (int b = 0; b < body_count; ++b) {
        tl_contact_body body = bodies[b];
        if (body.rigid && ended)
            continue; /* both velocities change at once: contact/body/convex_contact.c */
        tl_prepared_body prepared = tl_prepare_body(cloth, &body);
        for (int i = 0; i < cloth->p->count; ++i)
            if (cloth->p->w[i] > 0 && find_convex(cloth, &prepared, i, dt, ended, &constraint) &&
                (!body.rigid || rests_on_dynamic(cloth, &body, &constraint)))
                keep_nearer(&out[i], constraint, b);
    }
}

void tl_contact_constraints_add_mesh(const tl_contact_cloth *cloth, tl_contact_mesh *mesh, int body, tl_real dt,
                                     bool ended, tl_contact_constraint *out)
{
    tl_contact_constraint constraint;
    tl_real fastest = tl_mesh_contact_begin(mesh, ended ? mesh->x : mesh->x_old);
    for (int i = 0; i < cloth->p->count; ++i)
        if (cloth->p->w[i] > 0 && find_mesh(cloth, mesh, fastest, i, dt, ended, &constraint))
            keep_nearer(&out[i], constraint, body);
}

int tl_contact_constraints_pack(const tl_contact_cloth *cloth, tl_contact_constraint *out)
{
    int count = 0;
    for (int i = 0; i < cloth->p->count; ++i)
        if (out[i].body >= 0)
            out[count++] = out[i];
    return count;
}

void tl_contact_constraint_report(tl_contact_cloth *cloth, const tl_contact_constraint *constraint, tl_vec3 pivot,
                                  tl_vec3 *impulse, tl_vec3 *moment)
{
    tl_vec3 arm = tl_sub(tl_at(cloth->p->x, constraint->particle), pivot);
    *impulse = tl_sub(*impulse, constraint->impulse);
    *moment = tl_sub(*moment, tl_cross(arm, constraint->impulse));
    cloth->pressure[constraint->particle] += tl_max(0, tl_dot(constraint->impulse, constraint->normal));
}
