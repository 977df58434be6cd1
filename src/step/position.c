#include "step/position.h"

#include "core/trig.h"
#include "element/link_solve.h"
#include "element/solve.h"
#include "step/explicit.h"
#include "step/multilevel.h"
#include "step/spin.h"
#include "step/sweep.h"
#include "step/tether.h"

#include <string.h>

/* Sweeps of each coarse level per substep; more remove no more. */
enum { LEVEL_SWEEPS = 1 };
/* Margin for load that is not spread evenly over the width of the sheet. */
#define LOAD_MARGIN ((tl_real)2)
/* m/N: no resistance. Paths along warp and weft still bound cloth that shears freely. */
#define FREE_COMPLIANCE ((tl_real)1e6)
/* Time constant of the decay of tether slack, s. */
#define SLACK_TIME ((tl_real)0.25)

/* Substeps are fine when the fall under gravity during one of them, g h², is shorter than so many roundings of a
   position: 1 m wide cloth from about 2000 substeps per second on, and any cloth without gravity. */
#define FINE_ROUNDINGS ((tl_real)64)
#ifdef TL_REAL_DOUBLE
#define UNIT_ROUNDOFF ((tl_real)0x1p-53)
#else
#define UNIT_ROUNDOFF ((tl_real)0x1p-24)
#endif
/* Long-range limits, which act on rounded positions, leave so many roundings alone in fine substeps: their corrections
   would carry the errors into velocities. */
#define LIMIT_ROUNDINGS ((tl_real)8)
/* Indices into system->scratch, three axes each: displacements of the substep and the low words at its start. */
enum { MOVED = 0, LOW_OLD = 3 };

typedef enum long_range_method { LONG_RANGE_NONE, LONG_RANGE_TETHERS, LONG_RANGE_MULTILEVEL } long_range_method;

struct tl_position {
    tl_real *lambda[TL_ELEMENT_COUNT];
    tl_real *halves; /* 1 for free particles, 0 for pinned: inverse masses that share corrections by halves; or NULL */
    tl_real *packed; /* packed particles, when most elements gather them; else NULL */
    tl_tether tether;
    tl_multilevel multilevel;
    tl_sweep_plan plan;
    unsigned plan_version; /* of the pins it was built for */
    bool planned, tethered;
    bool plan_tether;         /* the setting that `tethered` follows from */
    long_range_method method; /* method of the previous substep, */
    unsigned method_version;  /* its pins, */
    tl_reserve reserve;       /* and its elastic reserve */
    tl_real area, spacing;    /* m², m, of the mesh at rest */
    tl_real reach;            /* m, half the diagonal of its bounding box */
    bool fine;                /* this substep solves for displacements, kept apart from positions */
    bool fresh;               /* no sweep yet in this substep */
    bool due;                 /* prediction is deferred until particles enter the sweep */
    tl_real keep, h;          /* 1 and s, of that prediction */
    tl_real *const *outside;  /* N, force of user and air of that prediction, or NULL */
    tl_spin spin;             /* of a cloth filled with gas */
};

/* λ is only needed where a substep solves an element several times. */
static bool is_summed(const tl_system *system, int element, int repeats)
{
    return system->iterations > 1 || (system->batch[element].kind->structural && repeats > 0);
}

static size_t lambda_count(const tl_element_batch *batch)
{
    if (batch->kind->link)
        return (size_t)((const tl_link_set *)batch->data)->slot_count;
    return (size_t)(batch->count * batch->kind->conditions);
}

static bool make_lambda(tl_system *system)
{
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        const tl_element_batch *batch = &system->batch[e];
        if (!system->on[e] || system->position->lambda[e] ||
            !is_summed(system, e, system->position_settings.extra_sweeps))
            continue;
        size_t count = (size_t)tl_padded((int)lambda_count(batch));
        system->position->lambda[e] = tl_allocate(&system->allocator, count, sizeof(tl_real));
        if (!system->position->lambda[e])
            return false;
        system->bytes += count * sizeof(tl_real);
    }
    return true;
}

/* Number of elements whose particles are those of the previous one, each plus 1. */
static int count_followers(const tl_element_batch *batch)
{
    int followers = 0, before[TL_ELEMENT_MAX_PARTICLES] = {0}, own[TL_ELEMENT_MAX_PARTICLES] = {0};
    for (int k = 0; k < batch->count; ++k) {
        bool follows = k > 0;
        batch->kind->members(batch, k, own);
        for (int n = 0; n < batch->kind->particles; ++n) {
            follows = follows && own[n] == before[n] + 1;
            before[n] = own[n];
        }
        followers += follows;
    }
    return followers;
}

/* Packed particles pay off for SIMD-solved elements that mostly do not form runs. */
static bool wants_packed(const tl_system *system)
{
    int followers = 0, all = 0;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        if (!system->on[e])
            continue;
        if (!system->batch[e].kind->link && !system->batch[e].kind->solve)
            return false;
        followers += count_followers(&system->batch[e]);
        all += system->batch[e].count;
    }
    return 2 * followers < all;
}

static bool make_packed(tl_system *system)
{
    tl_position *position = system->position;
    size_t count = 4 * (size_t)tl_padded(system->p.count);
    bool wanted = wants_packed(system);
    if (wanted == (position->packed != NULL))
        return true;
    if (!wanted) {
        tl_release(&system->allocator, position->packed);
        position->packed = NULL;
        system->bytes -= count * sizeof(tl_real);
        return true;
    }
    position->packed = tl_allocate(&system->allocator, count, sizeof(tl_real));
    system->bytes += position->packed ? count * sizeof(tl_real) : 0;
    return position->packed != NULL;
}

static bool any_pinned(const tl_particles *p)
{
    for (int i = 0; i < p->count; ++i)
        if (!(p->w[i] > 0))
            return true;
    return false;
}

static bool make_halves(tl_system *system)
{
    tl_position *position = system->position;
    if (system->position_settings.halves && !position->halves)
        position->halves = tl_system_array(system);
    return !system->position_settings.halves || position->halves != NULL;
}

/* Pins may have changed. */
static void refresh_halves(tl_system *system)
{
    for (int i = 0; i < system->p.count && system->position_settings.halves; ++i)
        system->position->halves[i] = system->p.w[i] > 0 ? 1 : 0;
}

/* The order of the sweep depends on the elements that are on, and on tethers. */
static bool refresh_plan(tl_system *system)
{
    tl_position *position = system->position;
    if (!position->planned || position->plan_version != system->pins_version ||
        position->plan_tether != system->position_settings.tether)
        position->tethered = system->position_settings.tether && any_pinned(&system->p);
    position->plan_version = system->pins_version;
    position->plan_tether = system->position_settings.tether;
    /* gas loads a cloth far beyond its weight, which the elastic reserve does not allow for */
    int repeats = position->tethered || system->gas.on ? 0 : system->position_settings.extra_sweeps;
    if (position->planned && position->plan.repeats == repeats)
        return true;
    tl_sweep_plan plan;
    if (!tl_sweep_build(&plan, &system->allocator, system->batch, system->on, system->p.count,
                        tl_tasks_threads(system->tasks), repeats))
        return false; /* the old plan stays valid */
    system->bytes += plan.bytes - position->plan.bytes;
    tl_sweep_destroy(&position->plan, &system->allocator);
    position->plan = plan;
    position->planned = true;
    return true;
}

static tl_real reach_of(const tl_mesh *mesh)
{
    tl_vec3 low = mesh->position[0], high = low;
    for (int i = 1; i < mesh->particle_count; ++i) {
        tl_vec3 x = mesh->position[i];
        low = tl_v3(tl_min(low.x, x.x), tl_min(low.y, x.y), tl_min(low.z, x.z));
        high = tl_v3(tl_max(high.x, x.x), tl_max(high.y, x.y), tl_max(high.z, x.z));
    }
    return tl_length(tl_sub(high, low)) / 2;
}

tl_result tl_position_prepare(tl_system *system, tl_error *error)
{
    if (!system->position) {
        system->position = tl_allocate(&system->allocator, 1, sizeof *system->position);
        if (!system->position)
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for constraints");
        system->position->area = tl_mesh_area(system->mesh);
        system->position->spacing = sqrt(2 * system->position->area / (tl_real)system->mesh->face_count);
        system->position->reach = reach_of(system->mesh);
    }
    tl_position *position = system->position;
    bool made = make_lambda(system) && make_halves(system) && make_packed(system);
    if (made && system->position_settings.multilevel && !position->multilevel.made)
        made = tl_multilevel_build(&position->multilevel, &system->allocator, system->mesh);
    position->planned = false;
    if (!made || !refresh_plan(system))
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for constraints");
    position->fresh = true;
    return TL_OK;
}

void tl_position_destroy(tl_system *system)
{
    tl_position *position = system->position;
    if (!position)
        return;
    tl_tether_destroy(&position->tether, &system->allocator);
    tl_multilevel_destroy(&position->multilevel, &system->allocator);
    tl_sweep_destroy(&position->plan, &system->allocator);
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        tl_release(&system->allocator, position->lambda[e]);
    tl_release(&system->allocator, position->halves);
    tl_release(&system->allocator, position->packed);
    tl_release(&system->allocator, position);
    system->position = NULL;
}

/* Is a substep so short that the rounding of positions matters, and is there memory for displacements? */
static bool is_fine(tl_system *system, tl_real h)
{
    const tl_real fall = tl_length(system->gravity) * h * h;
    if (fall > FINE_ROUNDINGS * UNIT_ROUNDOFF * system->position->reach)
        return false;
    for (int k = MOVED; k < LOW_OLD + 3; ++k)
        if (!system->scratch[k] && !(system->scratch[k] = tl_system_array(system)))
            return false;
    return true;
}

/* Particles as the sweep sees them: x are displacements from x_old in a fine substep, w may be all alike. */
static tl_particles swept_particles(const tl_system *system)
{
    tl_particles p = system->p;
    if (system->position_settings.halves)
        p.w = system->position->halves;
    for (int c = 0; c < 3 && system->position->fine; ++c)
        p.x[c] = system->scratch[MOVED + c];
    return p;
}

/* Slack of long-range limits, m. */
static tl_real limit_slack(const tl_system *system)
{
    const tl_position *position = system->position;
    return system->tether_slack + (position->fine ? LIMIT_ROUNDINGS * UNIT_ROUNDOFF * position->reach : 0);
}

static tl_real *packed_of(const tl_system *system) { return system->position->fine ? NULL : system->position->packed; }

/* x of the sweep at the start of the substep, and what it is measured from. */
static tl_real *const *start_of(const tl_system *system)
{
    return system->position->fine ? system->scratch + LOW_OLD : system->x_old;
}

static tl_real *const *base_of(const tl_system *system) { return system->position->fine ? system->x_old : NULL; }

static void predict_fine(tl_system *system, int first, int count)
{
    const tl_position *position = system->position;
    tl_particles *p = &system->p;
    const tl_real gravity[3] = {system->gravity.x, system->gravity.y, system->gravity.z};
    tl_predict_fine_kernel *kernel = TL_PICK_KERNEL(tl_predict_fine, system->lanes);
    for (int c = 0; c < 3; ++c)
        kernel(count, position->keep, position->h, gravity[c], p->w + first,
               position->outside ? position->outside[c] + first : NULL, p->v[c] + first, p->x[c] + first,
               system->x_old[c] + first, system->low[c] + first, system->scratch[LOW_OLD + c] + first);
}

static void predict(tl_system *system, int first, int count)
{
    const tl_position *position = system->position;
    tl_particles *p = &system->p;
    const tl_real gravity[3] = {system->gravity.x, system->gravity.y, system->gravity.z};
    tl_predict_kernel *kernel = TL_PICK_KERNEL(tl_predict, system->lanes);
    if (position->fine) {
        predict_fine(system, first, count);
        return;
    }
    for (int c = 0; c < 3; ++c)
        kernel(count, position->keep, position->h, gravity[c], p->w + first,
               position->outside ? position->outside[c] + first : NULL, p->v[c] + first, p->x[c] + first,
               system->x_old[c] + first);
}

static void predict_part(void *user, int part, int parts)
{
    tl_system *system = user;
    int first = tl_part_bound(system->p.count, part, parts, TL_LANES),
        last = tl_part_bound(system->p.count, part + 1, parts, TL_LANES);
    predict(system, first, last - first);
}

/* Predicts all particles now instead of block by block in the sweep. */
static void catch_up(tl_system *system)
{
    if (system->position->due)
        tl_tasks_run(system->tasks, predict_part, system);
    system->position->due = false;
}

void tl_position_predict(tl_system *system, tl_real h)
{
    tl_position *position = system->position;
    refresh_halves(system);
    position->fine = is_fine(system, h);
    position->due = system->merged && !system->gas.on && system->lag == 0;
    if (position->due) {
        position->outside = tl_system_hold(system, h);
        position->keep = (tl_real)tl_exp(-(double)system->damping * (double)h);
        position->h = h;
    } else {
        if (system->merged)
            tl_system_save_positions(system);
        tl_system_external(system, system->time);
        for (int c = 0; c < 3 && position->fine; ++c)
            memcpy(system->scratch[LOW_OLD + c], system->low[c], (size_t)system->p.count * sizeof(tl_real));
        tl_explicit_move(system, (tl_integration){.before = h, .h = h}, 0, position->fine ? system->low : NULL);
    }
    if (system->gas.on)
        tl_spin_record(&position->spin, &system->p);
    position->fresh = true;
}

/* In-plane stiffness of the sheet along warp, weft and in shear, N/m, and the reserve that follows from it. Rigid
   constraints leave only the range in which they do not act. */
static tl_reserve reserve_of(const tl_system *system, tl_real h, tl_position_rule_of *rule_of)
{
    const tl_position *position = system->position;
    tl_real warp = 0, weft = 0, shear = 0, load = system->area_density * tl_length(system->gravity);
    tl_reserve reserve = {
        .hung = LOAD_MARGIN * load, .weight = load * position->area, .spacing = position->spacing, .high = 1};
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        const tl_element_class *kind = system->batch[e].kind;
        if (!system->on[e] || !(kind->resists & TL_RESISTS_IN_PLANE))
            continue; /* bending does not limit stretch */
        tl_position_rule rule = rule_of(system, e, h);
        if (!(rule.keep > 0))
            continue;
        if (!(rule.compliance > 0)) {
            reserve.high = rule.high;
            return reserve;
        }
        tl_real k = system->batch[e].stiffness;
        if (kind->sheet_stiffness)
            k = kind->sheet_stiffness(k, position->spacing);
        warp += kind->resists & TL_RESISTS_WARP ? k : 0;
        weft += kind->resists & TL_RESISTS_WEFT ? k : 0;
        shear += kind->resists & TL_RESISTS_SHEAR ? k : 0;
    }
    tl_real along = tl_min(warp, weft); /* the weaker direction stretches more */
    reserve.along = along > 0 ? 1 / along : FREE_COMPLIANCE;
    reserve.shear = tl_min(shear > 0 ? 1 / shear : FREE_COMPLIANCE, TL_RESERVE_SHEAR * reserve.along);
    return reserve;
}

/* Tethers for the current pins; true when there are any. */
static bool refresh_tethers(tl_system *system)
{
    tl_tether *tether = &system->position->tether;
    if (!tether->made || tether->version != system->pins_version) {
        tether->made = tl_tether_build(tether, &system->allocator, system->mesh, &system->p);
        tether->version = system->pins_version;
    }
    return tether->made && tether->slots > 0;
}

/* Coarse levels with the current masses; true when there are any. */
static bool refresh_levels(tl_system *system)
{
    tl_multilevel *multilevel = &system->position->multilevel;
    if (multilevel->count > 0 && (!multilevel->weighed || multilevel->version != system->pins_version)) {
        tl_multilevel_weigh(multilevel, system->mesh, &system->p);
        multilevel->version = system->pins_version;
        multilevel->weighed = true;
    }
    return multilevel->count > 0;
}

/* New or tightened limits start with as much slack as the cloth exceeds them by, so that nothing jumps; the slack then
   decays. */
static void update_slack(tl_system *system, long_range_method method, const tl_reserve *reserve, tl_real h)
{
    tl_position *position = system->position;
    bool replaced = method != position->method || position->method_version != system->pins_version;
    bool changed = replaced || !tl_reserve_equal(reserve, &position->reserve);
    position->method = method;
    position->method_version = system->pins_version;
    position->reserve = *reserve;
    if (method == LONG_RANGE_NONE)
        return;
    if (method == LONG_RANGE_TETHERS)
        tl_tether_limits(&position->tether, system->mesh, &system->p, reserve);
    if (changed && !system->tether_slack_known) {
        catch_up(system);
        tl_real excess = method == LONG_RANGE_TETHERS
                             ? tl_tether_excess(&position->tether, &system->p)
                             : tl_multilevel_excess(&position->multilevel, system->mesh, &system->p, reserve);
        system->tether_slack = replaced ? excess : tl_max(excess, system->tether_slack);
    }
    system->tether_slack_known = false;
    system->tether_slack -= system->tether_slack * tl_min(1, h / SLACK_TIME);
}

/* Removes long-range stretch before the sweep. Bounds what the constraints fail to hold, not the elasticity of the
   material. Tethers do better than coarse levels for hanging cloth. */
static void limit_long_range_stretch(tl_system *system, tl_real h, tl_position_rule_of *rule_of)
{
    tl_position *position = system->position;
    tl_reserve reserve = reserve_of(system, h, rule_of);
    bool light = !system->gas.on; /* the elastic reserve only allows for the cloth's weight */
    bool tethered = light && system->position_settings.tether && refresh_tethers(system);
    bool multilevel = light && system->position_settings.multilevel && !tethered && refresh_levels(system);
    refresh_plan(system);
    update_slack(system,
                 tethered     ? LONG_RANGE_TETHERS
                 : multilevel ? LONG_RANGE_MULTILEVEL
                              : LONG_RANGE_NONE,
                 &reserve, h);
    if (tethered)
        tl_tether_follow(&position->tether, &system->p, position->due ? position->h : 0);
    if (multilevel) {
        catch_up(system);
        tl_multilevel_solve(&position->multilevel, system->mesh, &system->p, system->lanes, LEVEL_SWEEPS, &reserve,
                            limit_slack(system), system->tasks);
    }
}

/* One sweep over the links, part by part, and what happens to particles as they enter and leave it. */
typedef struct sweep_job {
    tl_system *system;
    tl_particles p; /* as swept */
    tl_link_solve solve[TL_ELEMENT_COUNT];
    bool predict, pull, last;
    tl_real h; /* s */
} sweep_job;

static void enter(const sweep_job *job, int first, int count)
{
    tl_system *system = job->system;
    tl_tether_kernel *pull = TL_PICK_KERNEL(tl_tether, system->lanes);
    if (job->predict)
        predict(system, first, count);
    if (job->pull)
        pull(first, first + count, &system->position->tether, limit_slack(system), &system->p);
    for (int c = 0; c < 3 && system->position->fine; ++c)
        TL_PICK_KERNEL(tl_displacement, system->lanes)
    (count, system->p.x[c] + first, system->x_old[c] + first, system->low[c] + first, job->p.x[c] + first);
    if (packed_of(system)) {
        tl_particles p = swept_particles(system);
        TL_PICK_KERNEL(tl_pack, system->lanes)(first, first + count, &p, system->position->packed);
    }
}

static void unpack(tl_system *system, int first, int count)
{
    if (packed_of(system))
        TL_PICK_KERNEL(tl_unpack, system->lanes)(first, first + count, system->position->packed, &system->p);
}

/* v = (x − x_old)/h; in a fine substep from the displacements, which also give x. */
static void find_velocity(tl_system *system, tl_real h, int first, int count)
{
    for (int c = 0; c < 3 && system->position->fine; ++c)
        TL_PICK_KERNEL(tl_velocity_fine, system->lanes)
    (count, h, system->scratch[MOVED + c] + first, system->x_old[c] + first, system->scratch[LOW_OLD + c] + first,
     system->p.v[c] + first, system->p.x[c] + first, system->low[c] + first);
    if (system->position->fine)
        return;
    tl_velocity_kernel *velocity = TL_PICK_KERNEL(tl_velocity, system->lanes);
    for (int c = 0; c < 3; ++c)
        velocity(count, h, system->p.x[c] + first, system->x_old[c] + first, system->p.v[c] + first);
}

static void sweep_batches(const sweep_job *job, int part)
{
    const tl_sweep_plan *plan = &job->system->position->plan;
    tl_link_solve_kernel *kernel = TL_PICK_KERNEL(tl_link_solve, job->system->lanes);
    for (int n = plan->part_first[part]; n < plan->part_first[part + 1]; ++n) {
        const tl_sweep_batch *batch = &plan->batch[n];
        if (batch->element == TL_SWEEP_ENTER) {
            enter(job, batch->first, batch->count);
            continue;
        }
        if (batch->element == TL_SWEEP_LEAVE) {
            if (job->last) {
                unpack(job->system, batch->first, batch->count);
                find_velocity(job->system, job->h, batch->first, batch->count);
            }
            continue;
        }
        const tl_link_set *set = job->system->batch[batch->element].data;
        tl_link_solve solve = job->solve[batch->element];
        solve.keep *= batch->half ? (tl_real)0.5 : 1;
        kernel(set, plan->piece + batch->first, batch->count, &solve, &job->p);
    }
}

static void sweep_part(void *user, int part, int parts)
{
    (void)parts;
    sweep_batches(user, part);
}

/* Links by family and colour, in the order of the plan. Always in the same direction: a cloth at rest is a fixed point
   of the sweep; alternating directions would have two and jitter between them. */
static void sweep_links(tl_system *system, tl_real h, tl_position_rule_of *rule_of, bool first, bool last)
{
    tl_position *position = system->position;
    sweep_job job = {.system = system,
                     .p = swept_particles(system),
                     .predict = position->due,
                     .pull = first && position->method == LONG_RANGE_TETHERS,
                     .last = last,
                     .h = h};
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        if (!system->on[e] || !system->batch[e].kind->link)
            continue;
        tl_position_rule rule = rule_of(system, e, h);
        bool summed = rule.compliance > 0 && is_summed(system, e, position->plan.repeats);
        tl_real *lambda = summed ? position->lambda[e] : NULL;
        job.solve[e] = (tl_link_solve){rule.low, rule.high,        rule.compliance,   rule.damping,   rule.keep,
                                       lambda,   start_of(system), packed_of(system), base_of(system)};
    }
    tl_tasks_run(system->tasks, sweep_part, &job);
    sweep_batches(&job, position->plan.parts);
    position->due = false;
}

/* Moves a particle of the sweep; x follows its displacement. */
static void correct(tl_system *system, const tl_particles *swept, int i, tl_vec3 change)
{
    tl_accumulate(swept->x, i, change);
    if (system->position->fine)
        tl_put(system->p.x, i, tl_add(tl_at(system->x_old, i), tl_at(swept->x, i)));
}

/* One condition of one element: Δλ, then the corrections. */
static void solve_condition(tl_system *system, const tl_element_constraint *c, int condition, int particles,
                            const tl_position_rule *rule, tl_real *lambda)
{
    const tl_particles swept = swept_particles(system), *p = &swept;
    tl_real weights = 0, rate = 0;
    for (int k = 0; k < particles; ++k) {
        tl_vec3 g = c->gradient[condition][k];
        weights += p->w[c->particle[k]] * tl_dot(g, g);
        if (rule->damping > 0)
            rate += tl_dot(g, tl_sub(tl_at(p->x, c->particle[k]), tl_at(start_of(system), c->particle[k])));
    }
    tl_real divisor = weights * (1 + rule->damping) + rule->compliance;
    if (!(weights > 0) || !(divisor > 0))
        return;
    tl_real sum = lambda ? *lambda : 0;
    tl_real change = -(c->value[condition] + rule->compliance * sum + rule->damping * rate) * rule->keep / divisor;
    if (lambda)
        *lambda += change;
    for (int k = 0; k < particles; ++k)
        correct(system, p, c->particle[k], tl_scale(c->gradient[condition][k], p->w[c->particle[k]] * change));
}

/* Triangles and hinges, colour by colour. */
typedef struct colour_job {
    tl_system *system;
    const tl_element_batch *batch;
    tl_solve_kernel *kernel;
    tl_solve solve;
    tl_particles p;  /* as swept */
    int first, last; /* groups */
} colour_job;

static void solve_part(void *user, int part, int parts)
{
    const colour_job *job = user;
    int count = job->last - job->first;
    job->kernel(job->batch, job->first + tl_part_bound(count, part, parts, 1),
                job->first + tl_part_bound(count, part + 1, parts, 1), &job->solve, &job->p);
}

static void sweep_colours(tl_system *system, const tl_element_batch *batch, tl_solve solve)
{
    const tl_solve_kernels *kernels = batch->kind->solve;
    const tl_groups *groups = kernels->groups(batch);
    colour_job job = {.system = system,
                      .batch = batch,
                      .kernel = system->lanes == 8   ? kernels->w8
                                : system->lanes == 4 ? kernels->w4
                                                     : kernels->w1,
                      .solve = solve,
                      .p = swept_particles(system),
                      .last = groups->group_count};
    if (!system->tasks) {
        solve_part(&job, 0, 1);
        return;
    }
    for (int c = 0; c < groups->colour_count; ++c) {
        job.first = groups->colour_first[c];
        job.last = groups->colour_first[c + 1];
        tl_tasks_run(system->tasks, solve_part, &job);
    }
}

/* Elements without a kernel, through their constraint form, one condition after another. */
static void sweep_one_by_one(tl_system *system, const tl_element_batch *batch, const tl_position_rule *rule,
                             tl_real *lambda)
{
    for (int n = 0; n < batch->count; ++n)
        for (int condition = 0; condition < batch->kind->conditions; ++condition) {
            tl_element_constraint c;
            batch->kind->constraint(batch, &system->p, n, 1, &c);
            solve_condition(system, &c, condition, batch->kind->particles, rule,
                            lambda ? lambda + n * batch->kind->conditions + condition : NULL);
        }
}

static void sweep_others(tl_system *system, tl_real h, tl_position_rule_of *rule_of)
{
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        const tl_element_batch *batch = &system->batch[e];
        if (!system->on[e] || batch->kind->link)
            continue;
        tl_position_rule rule = rule_of(system, e, h);
        tl_real *lambda = system->position->lambda[e];
        if (batch->kind->solve)
            sweep_colours(system, batch,
                          (tl_solve){rule.compliance, rule.damping, rule.keep, lambda, start_of(system),
                                     packed_of(system), base_of(system)});
        else {
            if (system->position->fine) /* their constraint form reads positions */
                find_velocity(system, h, 0, system->p.count);
            sweep_one_by_one(system, batch, &rule, lambda);
        }
    }
}

static bool has_others(const tl_system *system)
{
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e] && !system->batch[e].kind->link)
            return true;
    return system->gas.on;
}

void tl_position_solve(tl_system *system, tl_real h, tl_position_rule_of *rule_of)
{
    tl_position *position = system->position;
    bool first = position->fresh, links_only = !has_others(system);
    if (first) {
        for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
            if (position->lambda[e])
                memset(position->lambda[e], 0, lambda_count(&system->batch[e]) * sizeof(tl_real));
        system->gas.lambda = 0;
        limit_long_range_stretch(system, h, rule_of);
        position->fresh = false;
    }
    sweep_links(system, h, rule_of, first, links_only);
    if (links_only)
        return;
    sweep_others(system, h, rule_of);
    unpack(system, 0, system->p.count);
    if (system->gas.on) {
        if (position->fine) /* its volume is that of positions */
            find_velocity(system, h, 0, system->p.count);
        tl_gas_solve(&system->gas, &system->p, swept_particles(system).x, h, system->lanes);
    }
    find_velocity(system, h, 0, system->p.count);
    if (system->gas.on && position->spin.known)
        tl_spin_restore(&position->spin, &system->p, system->x_old, h);
}
