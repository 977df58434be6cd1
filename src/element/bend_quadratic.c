/* Bending by second derivatives: C_m = |q_m| − |q_m|₀ with the vectors q_m of a patch (element/patch.h), E = ½ B Σ
   C_m².

   For a sheet that is flat at rest E = ½ B A (|x_uu|² + 2|x_uv|² + |x_vv|²) is quadratic in the positions and its
   Hessian B Σ_m c_mi c_mj I is constant, as in Bergou et al. 2006, "A quadratic bending model for inextensible
   surfaces"; their hinges give a B that depends on the mesh, and this does not. When the sheet starts curved, the rest
   lengths are the initial ones, but the element does not know to which side it curves (bend.curvature does). Damping
   acts on the rate of |q_m|, which is invariant under rotation. The kernel is in bend_quadratic_kernel.c. */
#include "element/element_list.h"
#include "element/patch.h"
#include "element/solve.h"

#include <float.h>

/* Length of a q below which patch k is flat up to rounding: of the sum and its weights, and of the positions. */
static tl_real flat_within(const tl_patch_set *set, const tl_mesh *mesh, int k)
{
    const tl_real epsilon = (tl_real)(sizeof(tl_real) == 4 ? FLT_EPSILON : DBL_EPSILON);
    tl_vec3 origin = mesh->position[set->particle[0][k]];
    tl_real largest = 0, extent = 0;
    for (int i = 1; i < TL_PATCH_PARTICLES; ++i) {
        extent = tl_max(extent, tl_length(tl_sub(mesh->position[set->particle[i][k]], origin)));
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
            largest = tl_max(largest, fabs(set->weight[m][i][k]));
    }
    return epsilon * largest * (64 * extent + TL_PATCH_PARTICLES * tl_length(origin));
}

static tl_result build(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->kind = &tl_element_bend_quadratic;
    tl_result result = tl_patch_build(batch, mesh, false, error);
    if (result != TL_OK || !tl_starts_unstrained(mesh))
        return result;
    tl_patch_set *set = batch->data;
    for (int k = 0; k < set->count; ++k) {
        tl_real flat = flat_within(set, mesh, k);
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
            tl_vec3 q = tl_v3(0, 0, 0), origin = mesh->position[set->particle[0][k]];
            for (int i = 1; i < TL_PATCH_PARTICLES; ++i)
                q = tl_madd(q, tl_sub(mesh->position[set->particle[i][k]], origin), set->weight[m][i][k]);
            tl_real length = tl_length(q);
            set->rest[m][k] = length > flat ? length : 0;
        }
    }
    return TL_OK;
}

static double energy(const tl_element_batch *batch, const tl_particles *p)
{
    const tl_patch_set *set = batch->data;
    double sum = 0;
    for (int k = 0; k < batch->count; ++k) {
        tl_patch_state patch = tl_patch_at(set, k, p);
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
            double c = (double)tl_length(patch.q[m]) - (double)set->rest[m][k];
            sum += c * c;
        }
    }
    return 0.5 * (double)batch->stiffness * sum;
}

TL_FORCE_BY_LANES(tl_bend_quadratic_force)

/* One 3 × 3 matrix per condition: a n nᵀ + b (I − n nᵀ), n along q. */
static void add_condition(const tl_element_batch *batch, const tl_patch_state *patch, int m, tl_real rest,
                          tl_element_hessian *out)
{
    tl_real length = tl_length(patch->q[m]);
    bool flat = !(length > TL_PATCH_FLAT);
    tl_vec3 q = flat ? tl_v3(0, 0, 0) : tl_scale(patch->q[m], 1 / length);
    const tl_real n[3] = {q.x, q.y, q.z};
    tl_real across = flat ? (rest > 0 ? 0 : 1) : 1 - rest / length;
    if (batch->settings.definite)
        across = tl_max(across, 0);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            tl_real along = n[r] * n[c];
            tl_real h = batch->stiffness * ((flat ? 0 : along) + across * ((r == c) - along));
            tl_real d = batch->damping * along;
            for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
                for (int j = 0; j < TL_PATCH_PARTICLES; ++j) {
                    tl_real product = patch->weight[m][i] * patch->weight[m][j];
                    out->stiffness[i][j][r][c] += h * product;
                    out->damping[i][j][r][c] += d * product;
                }
        }
}

static void hessian(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_element_hessian *out)
{
    const tl_patch_set *set = batch->data;
    for (int e = 0; e < count; ++e) {
        tl_patch_state patch = tl_patch_at(set, first + e, p);
        out[e] = (tl_element_hessian){0};
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
            out[e].particle[i] = patch.particle[i];
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
            add_condition(batch, &patch, m, set->rest[m][first + e], &out[e]);
    }
}

static void constraint(const tl_element_batch *batch, const tl_particles *p, int first, int count,
                       tl_element_constraint *out)
{
    const tl_patch_set *set = batch->data;
    for (int e = 0; e < count; ++e) {
        tl_patch_state patch = tl_patch_at(set, first + e, p);
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
            out[e].particle[i] = patch.particle[i];
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
            tl_real length = tl_length(patch.q[m]);
            tl_vec3 n = tl_scale(patch.q[m], length > TL_PATCH_FLAT ? 1 / length : 0);
            out[e].value[m] = length - set->rest[m][first + e];
            for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
                out[e].gradient[m][i] = tl_scale(n, patch.weight[m][i]);
        }
    }
}

static bool constant(const tl_element_batch *batch, int k,
                     tl_real weight[TL_ELEMENT_MAX_PARTICLES][TL_ELEMENT_MAX_PARTICLES])
{
    const tl_patch_set *set = batch->data;
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
        if (set->rest[m][k] > 0)
            return false;
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
        for (int j = 0; j < TL_PATCH_PARTICLES; ++j) {
            weight[i][j] = 0;
            for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
                weight[i][j] += set->weight[m][i][k] * set->weight[m][j][k];
        }
    return true;
}

const tl_element_class tl_element_bend_quadratic = {
    TL_ELEMENT_TEXTS(bend_quadratic),
    .particles = TL_PATCH_PARTICLES,
    .conditions = TL_PATCH_CONDITIONS,
    .resists = TL_RESISTS_BEND,
    .build = build,
    .destroy = tl_patch_destroy,
    .energy = energy,
    .force = force,
    .force_plain = force_plain,
    .hessian = hessian,
    .constraint = constraint,
    .solve = TL_SOLVE_KERNELS(tl_patch_solve, tl_patch_groups),
    .members = tl_patch_members,
    .constant = constant,
};
