#include "step/position.h"

#include "step/attach.h"
#include "step/coarse.h"
#include "step/explicit.h"
#include "step/plan.h"

#include <string.h>

/* Sweeps of each coarse level in a substep; they cost a sixteenth of a fine one and less. */
enum { COARSE_SWEEPS = 4 };
/* Share of the attachments' slack that is left after a second: eased out in about half of one. */
#define SLACK_LEFT 0.01

struct tl_position {
    tl_plan plan;
    int element[TL_PLAN_FAMILIES];  /* of each family of the plan */
    unsigned elements;              /* bits of the elements that the plan holds */
    tl_real *lambda[TL_ELEMENT_COUNT];
    tl_attach attach;
    tl_coarse coarse;
    bool fresh;                     /* no sweep yet in this substep */
    bool backwards;                 /* direction of the next sweep */
};

static unsigned link_bits(const tl_system *system)
{
    unsigned bits = 0;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e] && system->batch[e].kind->particles == 2)
            bits |= 1u << e;
    return bits;
}

/* The plan for the links that are on now. False when memory ran out: the old plan stays. */
static bool make_plan(tl_system *system)
{
    tl_position *position = system->position;
    unsigned bits = link_bits(system);
    if (position->plan.block_count > 0 && bits == position->elements)
        return true;
    const tl_link_set *sets[TL_PLAN_FAMILIES];
    int element[TL_PLAN_FAMILIES], count = 0;
    for (int e = 0; e < TL_ELEMENT_COUNT && count < TL_PLAN_FAMILIES; ++e)
        if (bits >> e & 1) {
            element[count] = e;
            sets[count++] = system->batch[e].data;
        }
    tl_plan plan;
    if (!tl_plan_build(&plan, &system->allocator, sets, count, system->p.count, system->mesh->lattice ? system->mesh->columns : 1))
        return false;
    tl_plan_destroy(&position->plan, &system->allocator);
    position->plan = plan;
    position->elements = bits;
    memcpy(position->element, element, (size_t)count * sizeof *element);
    return true;
}

/* Sums of constraint forces are only needed when a substep has several sweeps. */
static bool make_lambda(tl_system *system)
{
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        const tl_element_batch *batch = &system->batch[e];
        if (!system->on[e] || system->iterations < 2 || system->position->lambda[e])
            continue;
        size_t count = (size_t)tl_padded(batch->count * batch->kind->conditions);
        system->position->lambda[e] = tl_allocate(&system->allocator, count, sizeof(tl_real));
        if (!system->position->lambda[e])
            return false;
        system->bytes += count * sizeof(tl_real);
    }
    return true;
}

tl_result tl_position_prepare(tl_system *system, tl_error *error)
{
    if (!system->position) {
        system->position = tl_allocate(&system->allocator, 1, sizeof *system->position);
        if (!system->position)
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for constraints");
    }
    tl_position *position = system->position;
    bool made = make_plan(system) && make_lambda(system);
    if (made && system->position_settings.coarse && !position->coarse.made)
        made = tl_coarse_build(&position->coarse, &system->allocator, system->mesh);
    if (!made)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for constraints");
    position->fresh = true;
    return TL_OK;
}

void tl_position_destroy(tl_system *system)
{
    tl_position *position = system->position;
    if (!position)
        return;
    tl_plan_destroy(&position->plan, &system->allocator);
    tl_attach_destroy(&position->attach, &system->allocator);
    tl_coarse_destroy(&position->coarse, &system->allocator);
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        tl_release(&system->allocator, position->lambda[e]);
    tl_release(&system->allocator, position);
    system->position = NULL;
}

void tl_position_predict(tl_system *system, tl_real h)
{
    tl_system_external(system, system->time);
    tl_explicit_move(system, (tl_integration){.before = h, .h = h}, 0);
    system->position->fresh = true;
}

/* What takes long-distance stretch out before the sweep. */
static void hold_together(tl_system *system, tl_real h)
{
    tl_position *position = system->position;
    tl_attach *attach = &position->attach;
    if (system->position_settings.attach) {
        if (!attach->made || attach->version != system->pins_version) {
            attach->made = tl_attach_build(attach, &system->allocator, system->mesh, &system->p);
            attach->version = system->pins_version;
        }
        tl_attach_kernel *pull = TL_PICK_KERNEL(tl_attach, system->lanes);
        for (int s = attach->made ? attach->slots - 1 : -1; s >= 0; --s)
            pull(0, system->p.count, attach->anchor[s], attach->distance[s], attach->slack, &system->p);
        attach->slack -= attach->slack * tl_min(1, h * (tl_real)(1 - SLACK_LEFT) * 4);
    }
    if (system->position_settings.coarse && position->coarse.count > 0) {
        if (position->coarse.version != system->pins_version + 1) {
            tl_coarse_weigh(&position->coarse, system->mesh, &system->p);
            position->coarse.version = system->pins_version + 1;
        }
        tl_coarse_solve(&position->coarse, system->mesh, &system->p, system->lanes, COARSE_SWEEPS);
    }
}

static void sweep_links(tl_system *system, tl_real h, tl_position_rule_of *rule_of)
{
    tl_position *position = system->position;
    tl_plan *plan = &position->plan;
    tl_link_solve_kernel *kernel = TL_PICK_KERNEL(tl_link_solve, system->lanes);
    tl_link_solve solve[TL_PLAN_FAMILIES];
    for (int f = 0; f < plan->family_count; ++f) {
        tl_position_rule rule = rule_of(system, position->element[f], h);
        solve[f] = (tl_link_solve){rule.low,  rule.high, rule.compliance, rule.damping,
                                   rule.keep, position->lambda[position->element[f]], system->x_old};
    }
    bool backwards = position->backwards;
    position->backwards = !backwards;
    for (int border = 0; border < 2; ++border)
        for (int n = 0; n < plan->block_count; ++n) {
            int b = backwards ? plan->block_count - 1 - n : n;
            for (int f = 0; f < plan->family_count; ++f) {
                const tl_plan_family *family = &plan->family[f];
                const int *first = border ? family->border_first : family->block_first;
                kernel(family->set, family->piece + first[b], first[b + 1] - first[b], backwards, &solve[f], &system->p);
            }
        }
}

/* One condition of one element: Δλ, then the moves. */
static void solve_condition(tl_system *system, const tl_element_constraint *c, int condition, int particles,
                            const tl_position_rule *rule, tl_real *lambda)
{
    tl_particles *p = &system->p;
    tl_real weights = 0, rate = 0;
    for (int k = 0; k < particles; ++k) {
        tl_vec3 g = c->gradient[condition][k];
        weights += p->w[c->particle[k]] * tl_dot(g, g);
        if (rule->damping > 0)
            rate += tl_dot(g, tl_sub(tl_at(p->x, c->particle[k]), tl_at(system->x_old, c->particle[k])));
    }
    tl_real divisor = weights * (1 + rule->damping) + rule->compliance;
    if (!(weights > 0) || !(divisor > 0))
        return;
    tl_real sum = lambda ? *lambda : 0;
    tl_real change = -(c->value[condition] + rule->compliance * sum + rule->damping * rate) * rule->keep / divisor;
    if (lambda)
        *lambda += change;
    for (int k = 0; k < particles; ++k)
        tl_accumulate(p->x, c->particle[k], tl_scale(c->gradient[condition][k], p->w[c->particle[k]] * change));
}

/* Elements other than links, through their constraint form, one condition after the other. */
static void sweep_others(tl_system *system, tl_real h, tl_position_rule_of *rule_of)
{
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        const tl_element_batch *batch = &system->batch[e];
        if (!system->on[e] || batch->kind->particles == 2)
            continue;
        tl_position_rule rule = rule_of(system, e, h);
        tl_real *lambda = system->position->lambda[e];
        for (int n = 0; n < batch->count; ++n)
            for (int condition = 0; condition < batch->kind->conditions; ++condition) {
                tl_element_constraint c;
                batch->kind->constraint(batch, &system->p, n, 1, &c);
                solve_condition(system, &c, condition, batch->kind->particles, &rule,
                                lambda ? lambda + n * batch->kind->conditions + condition : NULL);
            }
    }
}

void tl_position_solve(tl_system *system, tl_real h, tl_position_rule_of *rule_of)
{
    tl_position *position = system->position;
    if (position->fresh) {
        for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
            if (position->lambda[e])
                memset(position->lambda[e], 0, (size_t)(system->batch[e].count * system->batch[e].kind->conditions) * sizeof(tl_real));
        hold_together(system, h);
        position->fresh = false;
    }
    sweep_links(system, h, rule_of);
    sweep_others(system, h, rule_of);
    tl_velocity_kernel *velocity = TL_PICK_KERNEL(tl_velocity, system->lanes);
    for (int c = 0; c < 3; ++c)
        velocity(system->p.count, 1 / h, system->p.x[c], system->x_old[c], system->p.v[c]);
}
