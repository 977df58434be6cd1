/* The bodies of one cloth: calls the solvers of convex bodies and of meshes and sums what the bodies receive. */
#include "contact/body/body_contacts.h"

#include "collide/mesh/signed_distance.h"
#include "contact/body/mesh_contact.h"
#include "contact/body/prepared_body.h"
#include "contact/cloth/contact_mesh.h"

static tl_contact_cloth cloth_of(const tl_body_contacts *all, tl_real h)
{
    tl_contact_cloth cloth = all->cloth;
    cloth.rest_speed = h * all->rest_rate;
    return cloth;
}

/* Impulses on the bodies are summed here and applied when all cloths are done. */
static void sum_impulses(tl_body_contacts *all)
{
    for (int b = 0; b < all->convex_count; ++b) {
        const tl_contact_body *body = &all->convex[b];
        body->received->impulse = tl_add(body->received->impulse, body->impulse);
        body->received->moment = tl_add(body->received->moment, body->moment);
    }
}

int tl_body_contacts_solve(tl_body_contacts *all, tl_real h)
{
    tl_contact_cloth cloth = cloth_of(all, h);
    tl_convex_contact_solve(&cloth, all->convex, all->convex_count, h);
    sum_impulses(all);
    /* for other steppers, bodies made of triangles are solved at the end of the substep (contact/cloth/phases.c) */
    for (int b = 0; b < all->mesh_count && all->solves_contact; ++b)
        tl_mesh_contact_solve(&cloth, all->mesh[b].mesh, h, &all->mesh[b].received->impulse,
                              &all->mesh[b].received->moment);
    return cloth.touching;
}

static bool has_entered(const tl_contact_body *body, tl_vec3 before, tl_vec3 after)
{
    if (tl_body_is_clear(body, 0, after))
        return false;
    tl_contact_body start = *body;
    start.to = body->from;
    return tl_body_clearance(body, 0, after, NULL, NULL) < 0 && !(tl_body_clearance(&start, 0, before, NULL, NULL) < 0);
}

static bool any_entered(const tl_contact_cloth *cloth, const tl_prepared_body *prepared, int first, int count)
{
    tl_path_bounds paths = tl_path_bounds_of(cloth, first, count);
    if (tl_prepared_body_misses(prepared, &paths))
        return false;
    for (int i = first; i < first + count; ++i)
        if (cloth->p->w[i] > 0 && has_entered(prepared->body, tl_at(cloth->x_old, i), tl_at(cloth->p->x, i)))
            return true;
    return false;
}

bool tl_body_contacts_any_overrun(const tl_body_contacts *all)
{
    bool any = false;
    for (int b = 0; all->on && b < all->convex_count && !any; ++b) {
        tl_prepared_body prepared = tl_prepare_body(&all->cloth, &all->convex[b]);
        bool advances = (prepared.moves || prepared.turns) && !all->convex[b].rigid;
        for (int first = 0; advances && first < all->cloth.p->count && !any; first += TL_BODY_PATCH) {
            int left = all->cloth.p->count - first;
            any = any_entered(&all->cloth, &prepared, first, left < TL_BODY_PATCH ? left : TL_BODY_PATCH);
        }
    }
    return any;
}

void tl_body_contacts_project(tl_body_contacts *all, tl_real h, const unsigned char *blocks)
{
    const tl_particles *p = all->cloth.p;
    for (int first = 0; all->convex_count > 0 && first < p->count; first += TL_CONTACT_MESH_BLOCK) {
        if (!blocks[first / TL_CONTACT_MESH_BLOCK])
            continue;
        tl_particles part = {.count =
                                 p->count - first < TL_CONTACT_MESH_BLOCK ? p->count - first : TL_CONTACT_MESH_BLOCK,
                             .m = p->m + first,
                             .w = p->w + first};
        tl_real *x_old[3];
        for (int c = 0; c < 3; ++c) {
            part.x[c] = p->x[c] + first;
            part.v[c] = p->v[c] + first;
            part.f[c] = p->f[c] + first;
            x_old[c] = all->cloth.x_old[c] + first;
        }
        tl_contact_cloth cloth = cloth_of(all, h);
        cloth.p = &part;
        cloth.x_old = x_old;
        cloth.pressure = all->cloth.pressure + first;
        tl_convex_contact_solve(&cloth, all->convex, all->convex_count, h);
        sum_impulses(all);
    }
}

/* Is x in contact with one of the bodies at the end of the substep? */
static bool touches(const tl_body_contacts *all, tl_vec3 x)
{
    tl_real thickness = all->cloth.thickness, reach = TL_RESTING_RATIO * thickness;
    for (int b = 0; b < all->convex_count; ++b) {
        const tl_contact_body *body = &all->convex[b];
        tl_vec3 normal;
        if (body->shape->distance(body->size, tl_pose_undo(body->to, x), &normal) <=
            reach + tl_contact_tolerance(body, thickness, x))
            return true;
    }
    for (int b = 0; b < all->mesh_count; ++b) {
        const tl_barrier *barrier = all->mesh[b].mesh->barrier;
        tl_contact_body at = {.to = barrier->to};
        if (tl_mesh_find_nearest(barrier->mesh, barrier->x, &barrier->tree, tl_pose_undo(barrier->to, x),
                                 reach + tl_contact_tolerance(&at, thickness, x))
                .face >= 0)
            return true;
    }
    return false;
}

int tl_body_contacts_count(const tl_body_contacts *all)
{
    const tl_particles *p = all->cloth.p;
    int count = 0;
    for (int i = 0; i < p->count && all->on; ++i)
        count += p->w[i] > 0 && touches(all, tl_at(p->x, i));
    return count;
}

void tl_body_contacts_receive(tl_body_contacts *all, const tl_contact_mesh *body, tl_vec3 impulse, tl_vec3 moment)
{
    for (int b = 0; all && b < all->mesh_count; ++b)
        if (all->mesh[b].mesh == body) {
            tl_received *received = all->mesh[b].received;
            received->impulse = tl_add(received->impulse, impulse);
            received->moment = tl_add(received->moment, moment);
        }
}

/* All constraints of a dynamic body share its mass. */
static void share_mass(int body, tl_contact_constraint *constraints, int count)
{
    int sharing = 0;
    for (int k = 0; k < count; ++k)
        sharing += constraints[k].body == body;
    for (int k = 0; k < count; ++k)
        if (constraints[k].body == body)
            constraints[k].effective_mass /= (tl_real)sharing;
}

int tl_body_contacts_constraints(tl_body_contacts *all, tl_real h, bool ended, tl_contact_constraint *out)
{
    if (!all->on)
        return 0;
    tl_contact_cloth cloth = cloth_of(all, h);
    tl_contact_constraints_begin(&cloth, out);
    tl_contact_constraints_add_convex(&cloth, all->convex, all->convex_count, h, ended, out);
    for (int b = 0; b < all->mesh_count; ++b)
        tl_contact_constraints_add_mesh(&cloth, all->mesh[b].mesh, all->convex_count + b, h, ended, out);
    int count = tl_contact_constraints_pack(&cloth, out);
    for (int b = 0; b < all->convex_count; ++b)
        if (all->convex[b].rigid)
            share_mass(b, out, count);
    return count;
}

void tl_body_contacts_report(tl_body_contacts *all, const tl_contact_constraint *constraints, int count)
{
    tl_contact_cloth cloth = cloth_of(all, 0);
    for (int b = 0; b < all->convex_count; ++b)
        all->convex[b].impulse = all->convex[b].moment = tl_v3(0, 0, 0);
    for (int k = 0; k < count; ++k) {
        const tl_contact_constraint *constraint = &constraints[k];
        if (constraint->body >= all->convex_count) {
            tl_mesh_body *mesh_body = &all->mesh[constraint->body - all->convex_count];
            tl_contact_constraint_report(&cloth, constraint, mesh_body->mesh->pivot, &mesh_body->received->impulse,
                                         &mesh_body->received->moment);
            continue;
        }
        tl_contact_body *body = &all->convex[constraint->body];
        tl_contact_constraint_report(&cloth, constraint, body->to.position, &body->impulse, &body->moment);
        if (constraint->effective_mass > 0)
            tl_rigid_apply_impulse(body->rigid, tl_sub(tl_at(cloth.p->x, constraint->particle), body->to.position),
                                   tl_scale(constraint->impulse, -1));
    }
    sum_impulses(all);
}
