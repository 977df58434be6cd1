#include "world/balance.h"

#include "core/trig.h"
#include "step/implicit.h"
#include "step/strain_limit.h"
#include "world/fabric.h"
#include "world/material.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

/* Patches of a cloth: enough to see a kink at a clamp, few enough that rounding cancels in each. */
enum { PATCHES = 16 };
/* The share's reference is at least this fraction of the sum of the material's forces on all particles, held ones
   included: cloth stretched between pins without weight has rounding only. */
#define MIN_REFERENCE 1e-3

enum { DIFFERENCE, OUTSIDE, INERTIA, SUMS };

tl_result tl_balance_create(tl_cloth *cloth, tl_error *error)
{
    for (int c = 0; c < 3; ++c)
        if (!(cloth->balance.v[c] = tl_system_array(&cloth->system)))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for the balance of forces");
    return TL_OK;
}

tl_result tl_balance_prepare(tl_cloth *cloth, const tl_stepper_class *stepper, tl_error *error)
{
    for (int c = 0; c < 3 && stepper->linearizes; ++c)
        if (!cloth->balance.r[c] && !(cloth->balance.r[c] = tl_system_array(&cloth->system)))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory for the balance of forces");
    return TL_OK;
}

void tl_balance_destroy(tl_cloth *cloth)
{
    tl_balance *b = &cloth->balance;
    const tl_allocator *allocator = &cloth->world->allocator;
    for (int c = 0; c < 3; ++c) {
        tl_release(allocator, b->v[c]);
        tl_release(allocator, b->r[c]);
        tl_release(allocator, b->f[c]);
        tl_release(allocator, b->sum[c]);
    }
    tl_release(allocator, b->patch);
    tl_release(allocator, b->is_free);
}

void tl_balance_forget(tl_cloth *cloth)
{
    cloth->balance.h = cloth->balance.share = 0;
    cloth->balance.known = true;
}

void tl_balance_begin(tl_cloth *cloth, tl_real h)
{
    const tl_system *system = &cloth->system;
    tl_balance *b = &cloth->balance;
    tl_real keep = (tl_real)tl_exp(-(double)system->damping * (double)h);
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < system->p.count; ++i)
            b->v[c][i] = keep * system->p.v[c][i];
    b->h = h;
}

void tl_balance_end(tl_cloth *cloth)
{
    tl_balance *b = &cloth->balance;
    b->known = false;
    b->is_linear = cloth->stepper->linearizes;
    if (!cloth->stepper->solves_contact)
        return;
    /* implicit steps of any order: v* and the time that multiplies the forces */
    const tl_real *before = tl_implicit_before(&cloth->system), *left = tl_implicit_residual(&cloth->system);
    b->h = tl_implicit_push(&cloth->system);
    for (int i = 0; i < cloth->system.p.count; ++i) {
        tl_put(b->v, i, tl_stride_at(before, i));
        if (b->is_linear)
            tl_put(b->r, i, tl_scale(tl_stride_at(left, i), -1 / b->h));
    }
}

/* ---- patches ---------------------------------------------------------------------------------------------------- */

/* Adds the particles around `i` that have no patch yet to the queue. */
static int add_neighbours(const tl_mesh *mesh, tl_balance *b, int i, int *queue, int end)
{
    for (int k = mesh->particle_face_start[i]; k < mesh->particle_face_start[i + 1]; ++k) {
        int around[2] = {mesh->face[tl_half_next(mesh->particle_face[k])],
                         mesh->face[tl_half_prev(mesh->particle_face[k])]};
        for (int n = 0; n < 2; ++n)
            if (b->patch[around[n]] < 0) {
                b->patch[around[n]] = b->patch_count;
                queue[end++] = around[n];
            }
    }
    return end;
}

/* Connected patches of about `size` particles, each grown ring by ring from the first particle without one. */
static void grow_patches(const tl_mesh *mesh, tl_balance *b, int size, int *queue)
{
    for (int i = 0; i < mesh->particle_count; ++i)
        b->patch[i] = -1;
    for (int i = 0; i < mesh->particle_count; ++i) {
        if (b->patch[i] >= 0)
            continue;
        int end = 1;
        queue[0] = i;
        b->patch[i] = b->patch_count;
        for (int k = 0; k < end && end < size; ++k)
            end = add_neighbours(mesh, b, queue[k], queue, end);
        ++b->patch_count;
    }
}

static bool make_patches(tl_cloth *cloth)
{
    tl_balance *b = &cloth->balance;
    const tl_mesh *mesh = cloth->mesh;
    const tl_allocator *allocator = &cloth->world->allocator;
    if (b->sum[SUMS - 1])
        return true;
    for (int c = 0; c < 3; ++c)
        if (!b->f[c] && !(b->f[c] = tl_system_array(&cloth->system)))
            return false;
    size_t count = (size_t)mesh->particle_count;
    if (!b->is_free && !(b->is_free = tl_allocate(allocator, count, sizeof *b->is_free)))
        return false;
    if (!b->patch) {
        int *queue = tl_allocate(allocator, count, sizeof *queue);
        b->patch = queue ? tl_allocate(allocator, count, sizeof *b->patch) : NULL;
        if (b->patch)
            grow_patches(mesh, b, (mesh->particle_count + PATCHES - 1) / PATCHES, queue);
        tl_release(allocator, queue);
        if (!b->patch)
            return false;
    }
    for (int s = 0; s < SUMS; ++s)
        if (!b->sum[s] && !(b->sum[s] = tl_allocate(allocator, 3 * (size_t)b->patch_count, sizeof(double))))
            return false;
    return true;
}

/* ---- the share -------------------------------------------------------------------------------------------------- */

/* Marks particles whose forces are known: not held, not in contact, and not on a link at the strain limit. */
static void mark_free(tl_cloth *cloth)
{
    const tl_system *system = &cloth->system;
    tl_balance *b = &cloth->balance;
    for (int i = 0; i < system->p.count; ++i)
        b->is_free[i] = system->p.w[i] > 0 && !(cloth->pressure[i] > 0);
    tl_taut taut;
    for (int d = 0; d < 2 && system->strain_limit_settings.on && system->strain_limit; ++d)
        for (int n = 0; n < system->strain_limit->links[d].count; ++n)
            if (tl_strain_limit_taut(system, d, n, &taut))
                b->is_free[taut.i] = b->is_free[taut.j] = false;
}

/* Adds a vector of the free particles to a sum per patch. */
static void add(const tl_balance *b, int particles, tl_real *const vector[3], double scale, double *sum)
{
    for (int i = 0; i < particles; ++i)
        for (int c = 0; c < 3 && b->is_free[i]; ++c)
            sum[3 * b->patch[i] + c] += scale * (double)vector[c][i];
}

static double total(const tl_balance *b, const double *sum)
{
    double all = 0;
    for (int k = 0; k < b->patch_count; ++k)
        all += sqrt(sum[3 * k] * sum[3 * k] + sum[3 * k + 1] * sum[3 * k + 1] + sum[3 * k + 2] * sum[3 * k + 2]);
    return all;
}

/* Gravity, air and gas, as the substep saw them, into p.f. */
static void outside_forces(tl_cloth *cloth)
{
    tl_system *system = &cloth->system;
    const tl_vec3 gravity = system->gravity;
    if (system->holds) {
        for (int i = 0; i < system->p.count; ++i)
            tl_put(system->p.f, i, tl_add(tl_scale(gravity, system->p.m[i]), tl_at(system->held_force, i)));
        return;
    }
    tl_real *v[3];
    memcpy(v, system->p.v, sizeof v);
    memcpy(system->p.v, cloth->balance.v, sizeof v); /* drag is that of the start of a substep */
    tl_system_external(system, system->time);
    memcpy(system->p.v, v, sizeof v);
    if (system->gas.on)
        tl_gas_force(&system->gas, &system->p, system->lanes);
}

static void material_forces(tl_cloth *cloth)
{
    tl_system *system = &cloth->system;
    for (int c = 0; c < 3; ++c)
        memset(system->p.f[c], 0, (size_t)tl_padded(system->p.count) * sizeof(tl_real));
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (system->on[e])
            system->batch[e].kind->force(&system->batch[e], &system->p);
}

/* Sums per patch: what acts from outside, inertia, and their difference to the material's forces. Returns the sum of
   the latter's sizes, N. */
static double sum_patches(tl_cloth *cloth)
{
    tl_balance *b = &cloth->balance;
    const tl_particles *p = &cloth->system.p;
    for (int s = 0; s < SUMS; ++s)
        memset(b->sum[s], 0, 3 * (size_t)b->patch_count * sizeof(double));
    outside_forces(cloth);
    add(b, p->count, b->f, 1, b->sum[OUTSIDE]);
    for (int i = 0; i < p->count; ++i)
        for (int c = 0; c < 3 && b->is_free[i]; ++c)
            b->sum[INERTIA][3 * b->patch[i] + c] +=
                (double)p->m[i] * ((double)p->v[c][i] - (double)b->v[c][i]) / (double)b->h;
    material_forces(cloth);
    double size = 0;
    for (int i = 0; i < p->count; ++i)
        size += (double)tl_length(tl_at(b->f, i));
    if (b->is_linear) {
        add(b, p->count, b->r, 1, b->sum[DIFFERENCE]);
        return size;
    }
    add(b, p->count, b->f, -1, b->sum[DIFFERENCE]);
    for (int k = 0; k < 3 * b->patch_count; ++k)
        b->sum[DIFFERENCE][k] += b->sum[INERTIA][k] - b->sum[OUTSIDE][k];
    return size;
}

static tl_real measure(tl_cloth *cloth)
{
    tl_balance *b = &cloth->balance;
    tl_system *system = &cloth->system;
    mark_free(cloth);

    /* forces into memory of their own, untimed: reading changes nothing */
    tl_real *f[3];
    double seconds = system->seconds_forces, gas = system->gas.seconds, volume = system->gas.seconds_volume;
    memcpy(f, system->p.f, sizeof f);
    memcpy(system->p.f, b->f, sizeof f);
    double size = sum_patches(cloth);
    memcpy(system->p.f, f, sizeof f);
    system->seconds_forces = seconds;
    system->gas.seconds = gas;
    system->gas.seconds_volume = volume;

    double reference = fmax(total(b, b->sum[OUTSIDE]) + total(b, b->sum[INERTIA]), MIN_REFERENCE * size);
    double share = reference > 0 ? total(b, b->sum[DIFFERENCE]) / reference : 0;
    return isfinite(share) ? (tl_real)share : 0;
}

/* Cloth that is to keep its length, whatever its stiffness, has no material to be judged by. */
static bool has_material(const tl_cloth *cloth)
{
    return !(cloth->stiff && cloth->stepper->holds_length && !tl_material_is_measured(&cloth->def));
}

tl_real tl_balance_share(tl_cloth *cloth)
{
    tl_balance *b = &cloth->balance;
    if (!b->known) {
        b->share = b->h > 0 && has_material(cloth) && make_patches(cloth) ? measure(cloth) : 0;
        b->known = true;
    }
    return b->share;
}

const char *tl_cloth_material_advice(const tl_cloth *cloth, double share, char *text, size_t size)
{
    const char *stepper = cloth->stepper->name;
    bool is_automatic = strcmp(cloth->def.stepper, TL_STEPPER_AUTOMATIC) == 0;
    bool converges = strcmp(stepper, "projection") != 0 && strcmp(stepper, "range") != 0; /* with more substeps */
    const char *advice = is_automatic ? "take more substeps"
                         : converges  ? "take stepper automatic or more substeps"
                                      : "take stepper automatic";
    if (share > TL_MATERIAL_ERROR)
        snprintf(
            text, size,
            "the method %s leaves the material's forces %.0f %% out of balance: %s stretches and drapes otherwise; %s",
            stepper, 100 * share, tl_fabric_named(cloth->def.fabric) ? cloth->def.fabric : "such cloth", advice);
    else if (size > 0)
        text[0] = 0;
    return text;
}
