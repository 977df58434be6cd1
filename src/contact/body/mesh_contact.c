/* Nearest point of a triangle mesh, for contact constraints before a step and the correction after it. */
#include "contact/body/mesh_contact.h"

#include "collide/mesh/nearest.h"
#include "collide/mesh/signed_distance.h"

tl_real tl_mesh_contact_begin(tl_contact_mesh *body, tl_real *const x[3])
{
    tl_bvh_fit(&body->tree, x, 0);
    tl_real fastest = 0;
    for (int p = 0; p < body->mesh->particle_count; ++p)
        fastest = tl_max(fastest, tl_dot(tl_at(body->v, p), tl_at(body->v, p)));
    return sqrt(fastest);
}

bool tl_mesh_contact_at(const tl_contact_mesh *body, tl_real *const x[3], tl_vec3 p, tl_real reach,
                        tl_mesh_contact_point *out)
{
    tl_mesh_nearest nearest = tl_mesh_find_nearest(body->mesh, x, &body->tree, p, reach);
    if (nearest.face < 0)
        return false;
    const int *c = body->mesh->face + 3 * (size_t)nearest.face;
    out->distance = tl_mesh_side(body->mesh, x, &nearest, body->solid, &out->normal);
    out->velocity = tl_blend3(tl_at(body->v, c[0]), tl_at(body->v, c[1]), tl_at(body->v, c[2]), nearest.weight);
    return true;
}

/* Shortens a tangential vector by up to `most`. */
static tl_vec3 apply_friction(tl_vec3 along, tl_real most)
{
    tl_real length = tl_length(along);
    return tl_scale(along, length > most ? 1 - most / length : 0);
}

/* Velocity of a particle after contact. */
static tl_vec3 solve_velocity(const tl_contact_cloth *cloth, const tl_contact_mesh *body,
                              const tl_mesh_contact_point *nearest, tl_vec3 v)
{
    tl_vec3 relative = tl_sub(v, nearest->velocity);
    tl_real approach = -tl_dot(relative, nearest->normal);
    if (!(approach > 0))
        return v;
    tl_real bounce = approach > cloth->rest_speed ? body->restitution * approach : 0;
    tl_vec3 along = tl_madd(relative, nearest->normal, approach);
    along = apply_friction(along, tl_friction_between(cloth->friction, body->friction) * (approach + bounce));
    return tl_add(nearest->velocity, tl_madd(along, nearest->normal, bounce));
}

void tl_mesh_contact_solve(tl_contact_cloth *cloth, tl_contact_mesh *body, tl_real dt, tl_vec3 *impulse,
                           tl_vec3 *moment)
{
    tl_mesh_contact_begin(body, body->x);
    for (int i = 0; i < cloth->p->count; ++i) {
        tl_vec3 x = tl_at(cloth->p->x, i), displacement = tl_sub(x, tl_at(cloth->x_old, i)), v = tl_at(cloth->p->v, i);
        tl_mesh_contact_point nearest;
        /* a particle deeper than the thickness came from outside along its path; not finite is not near */
        if (!(cloth->p->w[i] > 0) ||
            !tl_mesh_contact_at(body, body->x, x, cloth->thickness + tl_length(displacement), &nearest) ||
            !(nearest.distance <= cloth->thickness))
            continue;
        tl_real depth = cloth->thickness - nearest.distance;
        tl_vec3 slip = tl_madd(displacement, nearest.velocity, -dt);
        slip = tl_madd(slip, nearest.normal, -tl_dot(slip, nearest.normal));
        tl_vec3 left = apply_friction(slip, tl_friction_between(cloth->friction, body->friction) * depth);
        tl_put(cloth->p->x, i, tl_madd(tl_add(x, tl_sub(left, slip)), nearest.normal, depth));
        tl_vec3 v_new = solve_velocity(cloth, body, &nearest, v), gave = tl_scale(tl_sub(v, v_new), cloth->p->m[i]);
        tl_put(cloth->p->v, i, v_new);
        *impulse = tl_add(*impulse, gave);
        *moment = tl_add(*moment, tl_cross(tl_sub(x, body->pivot), gave));
        cloth->pressure[i] += tl_max(0, -tl_dot(gave, nearest.normal));
    }
}
