#include "step/strain_limit.h"

#include "contact/body/body_contacts.h"
#include "step/kernels.h"

#include <string.h>

/* Time constant of the decay of slack, s. */
#define SLACK_TIME ((tl_real)0.25)
/* Over-relaxation: a sheet that hangs from few particles converges in far fewer passes. */
#define OVER_RELAXED ((tl_real)1.5)
/* Strain below the limit at which a link becomes a spring for implicit steppers: half of the limit, between these. A
   narrow band is a stiff spring, whose onset one linear step overshoots. */
#define LEAST_BAND ((tl_real)0.005)
#define MOST_BAND ((tl_real)0.02)
/* Its tension at the limit as a fraction of the cloth's weight on Earth: single links carry as much where cloth hangs
   from a tip. */
#define TAUT_FRACTION ((tl_real)(1.0 / 3))
#define EARTH ((tl_real)9.81)

/* Whether a link is closer to the warp (0) or the weft (1): by the flat shape of a grid, else by the rest coordinates
   of its half-edge. */
static int direction_of(const tl_mesh *mesh, const tl_link *link)
{
    if (mesh->lattice) {
        tl_vec3 edge = tl_sub(mesh->position[link->j], mesh->position[link->i]);
        return fabs(edge.x) >= fabs(edge.y) ? 0 : 1;
    }
    for (int k = mesh->particle_face_start[link->i]; k < mesh->particle_face_start[link->i + 1]; ++k) {
        int out = mesh->particle_face[k], next = tl_half_next(out), prev = tl_half_prev(out);
        int to = mesh->face[next] == link->j ? next : mesh->face[prev] == link->j ? prev : -1;
        if (to >= 0)
            return fabs(mesh->rest_u[to] - mesh->rest_u[out]) >= fabs(mesh->rest_v[to] - mesh->rest_v[out]) ? 0 : 1;
    }
    return 0;
}

static bool make_links(tl_strain_limit *limit, const tl_system *system)
{
    const tl_allocator *allocator = &system->allocator;
    tl_link *links = NULL, *part = NULL;
    int count = 0;
    bool made = tl_link_enumerate(system->mesh, TL_LINK_STRUCTURAL, allocator, &links, &count) &&
                (part = tl_allocate(allocator, (size_t)(count > 0 ? count : 1), sizeof *part));
    for (int d = 0; d < 2 && made; ++d) {
        int n = 0;
        for (int k = 0; k < count; ++k)
            if (direction_of(system->mesh, &links[k]) == d)
                part[n++] = links[k];
        made = tl_link_set_build(&limit->links[d], allocator, part, n, system->mesh->particle_count);
    }
    tl_release(allocator, links);
    tl_release(allocator, part);
    return made;
}

tl_result tl_strain_limit_prepare(tl_system *system, tl_error *error)
{
    if (system->strain_limit)
        return TL_OK;
    tl_strain_limit *limit = tl_allocate(&system->allocator, 1, sizeof *limit);
    system->strain_limit = limit;
    bool made = limit && make_links(limit, system);
    for (int c = 0; c < 3 && made; ++c)
        made = (limit->before[c] = tl_system_array(system)) != NULL;
    made = made &&
           (limit->constraint = tl_allocate(&system->allocator, (size_t)system->p.count, sizeof *limit->constraint));
    if (!made) {
        tl_strain_limit_destroy(system);
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for the strain limit");
    }
    system->bytes += (size_t)system->p.count * sizeof *limit->constraint;
    system->bytes += sizeof *limit + tl_link_set_bytes(&limit->links[0]) + tl_link_set_bytes(&limit->links[1]);
    return TL_OK;
}

void tl_strain_limit_destroy(tl_system *system)
{
    tl_strain_limit *limit = system->strain_limit;
    if (!limit)
        return;
    for (int d = 0; d < 2; ++d)
        tl_link_set_destroy(&limit->links[d], &system->allocator);
    for (int c = 0; c < 3; ++c)
        tl_release(&system->allocator, limit->before[c]);
    tl_release(&system->allocator, limit->constraint);
    tl_release(&system->allocator, limit);
    system->strain_limit = NULL;
}

/* Largest excess of links over the limit, relative to rest length. */
static tl_real excess(const tl_link_set *set, const tl_particles *p, tl_real max_ratio)
{
    tl_real worst = 0;
    for (int n = 0; n < set->count; ++n)
        worst =
            tl_max(worst, tl_length(tl_sub(tl_at(p->x, set->j[n]), tl_at(p->x, set->i[n]))) / set->rest[n] - max_ratio);
    return worst;
}

static bool tighter(const tl_strain_limit_settings *now, const tl_strain_limit_settings *then)
{
    return !then->on || now->stretch[0] < then->stretch[0] || now->stretch[1] < then->stretch[1];
}

static void update_slack(tl_system *system, tl_real h)
{
    tl_strain_limit *limit = system->strain_limit;
    const tl_strain_limit_settings *settings = &system->strain_limit_settings;
    if (tighter(settings, &limit->active) && !system->strain_limit_slack_known)
        for (int d = 0; d < 2; ++d)
            system->strain_limit_slack =
                tl_max(system->strain_limit_slack, excess(&limit->links[d], &system->p, 1 + settings->stretch[d]));
    limit->active = *settings;
    system->strain_limit_slack_known = false;
    system->strain_limit_slack -= system->strain_limit_slack * tl_min(1, h / SLACK_TIME);
}

void tl_strain_limit_weigh(tl_system *system)
{
    double mass = 0;
    for (int i = 0; i < system->p.count; ++i)
        mass += (double)system->p.m[i];
    system->strain_limit->pull = TAUT_FRACTION * EARTH * (tl_real)mass;
}

/* With s from 0, where the spring begins, to 1 at the limit the tension is pull s², continued linearly beyond. Its
   stiffness grows from zero, so that one linear step per frame has little error as links become taut or slack. */
bool tl_strain_limit_taut(const tl_system *system, int d, int n, tl_taut *out)
{
    const tl_link_set *set = &system->strain_limit->links[d];
    tl_real limit = system->strain_limit_settings.stretch[d], band = tl_clamp(limit / 2, LEAST_BAND, MOST_BAND);
    tl_real rest = set->rest[n], reach = band * rest, pull = system->strain_limit->pull,
            max_length = rest * (1 + tl_max(0, limit - band) + system->strain_limit_slack);
    tl_vec3 edge = tl_sub(tl_at(system->p.x, set->j[n]), tl_at(system->p.x, set->i[n]));
    tl_real square = tl_dot(edge, edge);
    if (!(square > max_length * max_length))
        return false;
    tl_real length = sqrt(square), s = (length - max_length) / reach;
    *out = (tl_taut){.i = set->i[n],
                     .j = set->j[n],
                     .along = tl_scale(edge, 1 / length),
                     .length = length,
                     .tension = pull * (s < 1 ? s * s : 2 * s - 1),
                     .stiffness = 2 * pull / reach * tl_min(s, 1),
                     .store = pull * reach * (s < 1 ? s * s * s / 3 : s * s - s + (tl_real)1 / 3)};
    return true;
}

void tl_strain_limit_force(tl_system *system)
{
    tl_taut taut;
    for (int d = 0; d < 2; ++d)
        for (int n = 0; n < system->strain_limit->links[d].count; ++n)
            if (tl_strain_limit_taut(system, d, n, &taut)) {
                tl_accumulate(system->p.f, taut.i, tl_scale(taut.along, taut.tension));
                tl_accumulate(system->p.f, taut.j, tl_scale(taut.along, -taut.tension));
            }
}

double tl_strain_limit_energy(const tl_system *system)
{
    tl_taut taut;
    double sum = 0;
    for (int d = 0; d < 2; ++d)
        for (int n = 0; n < system->strain_limit->links[d].count; ++n)
            if (tl_strain_limit_taut(system, d, n, &taut))
                sum += (double)taut.store;
    return sum;
}

/* Whether any link exceeds its limit. */
static bool exceeded(const tl_system *system)
{
    for (int d = 0; d < 2; ++d) {
        tl_real max_ratio = 1 + system->strain_limit_settings.stretch[d] + system->strain_limit_slack;
        if (excess(&system->strain_limit->links[d], &system->p, max_ratio) > 0)
            return true;
    }
    return false;
}

/* Projects particles that a pass pulled into a body back onto its contact plane, with Coulomb friction along it. */
static void project_out_of_bodies(const tl_strain_limit *limit, tl_system *system, int count, tl_real h)
{
    for (int k = 0; k < count; ++k) {
        tl_contact_constraint *contact = &limit->constraint[k];
        int i = contact->particle;
        tl_vec3 x = tl_at(system->p.x, i), n = contact->normal;
        tl_real depth = -contact->gap - tl_dot(tl_sub(x, tl_at(limit->before, i)), n);
        if (!(depth > 0))
            continue;
        tl_vec3 slip = tl_madd(tl_sub(x, tl_at(system->x_old, i)), contact->velocity, -h);
        slip = tl_madd(slip, n, -tl_dot(slip, n));
        tl_real length = tl_length(slip), max_slip = contact->friction * depth;
        tl_vec3 push = tl_madd(tl_scale(n, depth), slip, length > max_slip ? -max_slip / length : -1);
        tl_put(system->p.x, i, tl_add(x, push));
        contact->impulse = tl_add(contact->impulse, push); /* as displacement, m, until the passes end */
    }
}

/* Updates velocities; a particle pushed by a body moves with its surface, without the velocity of the projection. */
static void update_velocities(const tl_strain_limit *limit, tl_system *system, int count, tl_real h)
{
    tl_particles *p = &system->p;
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < p->count; ++i)
            p->v[c][i] += (p->x[c][i] - limit->before[c][i]) / h;
    for (int k = 0; k < count; ++k) {
        tl_contact_constraint *contact = &limit->constraint[k];
        int i = contact->particle;
        if (!(tl_dot(contact->impulse, contact->impulse) > 0))
            continue;
        tl_vec3 v = tl_at(p->v, i), n = contact->normal, alone = tl_madd(v, contact->impulse, -1 / h);
        v = tl_madd(v, n, tl_dot(tl_sub(contact->velocity, v), n));
        tl_put(p->v, i, v);
        contact->impulse = tl_scale(tl_sub(v, alone), p->m[i]);
    }
}

void tl_strain_limit_apply(tl_system *system, tl_real h, bool in_contact)
{
    tl_strain_limit *limit = system->strain_limit;
    const tl_strain_limit_settings *settings = &system->strain_limit_settings;
    tl_particles *p = &system->p;
    if (!settings->on || !limit) {
        if (limit)
            limit->active.on = false;
        system->strain_limit_slack = 0;
        system->strain_limit_slack_known = false;
        return;
    }
    update_slack(system, h);
    if (!exceeded(system))
        return;
    tl_link_solve_kernel *solve = TL_PICK_KERNEL(tl_link_solve, system->lanes);
    for (int c = 0; c < 3; ++c)
        memcpy(limit->before[c], p->x[c], (size_t)p->count * sizeof(tl_real));
    int contact_count = in_contact && system->body_contacts
                            ? tl_body_contacts_constraints(system->body_contacts, h, true, limit->constraint)
                            : 0;
    for (int k = 0; k < contact_count; ++k)
        limit->constraint[k].impulse = tl_v3(0, 0, 0);
    for (int pass = 0; pass < settings->passes; ++pass)
        for (int d = 0; d < 2; ++d) {
            tl_link_solve bound = {
                .low = 0, .high = 1 + settings->stretch[d] + system->strain_limit_slack, .keep = OVER_RELAXED};
            solve(&limit->links[d], limit->links[d].piece, limit->links[d].piece_count, &bound, p);
            project_out_of_bodies(limit, system, contact_count, h);
        }
    update_velocities(limit, system, contact_count, h);
    if (contact_count > 0)
        tl_body_contacts_report(system->body_contacts, limit->constraint, contact_count);
}
