/* Bending as curvature: C_m = n·q_m − κ_m₀, the second fundamental form over a patch (element/patch.h) with n the unit
   normal of its tangents, E = ½ B Σ C_m² = ½ B A (κ_uu² + 2 κ_uv² + κ_vv²) for a flat rest shape.

   Second derivatives along the surface, from uneven stretch, store no energy here, and the rest curvature has a sign.
   With N = t_u × t_v, t_u = Σ a_i x_i, t_v = Σ b_i x_i, s_i = a_i t_v − b_i t_u and q⊥ = q − n (n·q): ∇_i C = c_i n +
   s_i × q⊥ / |N|. Patches whose tangents have collapsed have no normal and are skipped until they open again, as hinges
   are. C ∇∇C has no definite sign: the definite Hessian leaves it out. The kernel is in bend_curvature_kernel.c. */
#include "element/bend.h"
#include "element/element_list.h"
#include "element/patch.h"

typedef struct curvature {
    tl_patch_state patch;
    bool open;    /* false when the tangents have collapsed: all else is then zero */
    tl_vec3 n;    /* unit normal */
    tl_real area; /* |N| */
    tl_real a[TL_PATCH_PARTICLES], b[TL_PATCH_PARTICLES];
    tl_vec3 s[TL_PATCH_PARTICLES];
    tl_real value[TL_PATCH_CONDITIONS];
    tl_vec3 across[TL_PATCH_CONDITIONS]; /* q⊥ */
} curvature;

static curvature curvature_of(const tl_patch_set *set, int k, tl_patch_state patch)
{
    curvature c = {.patch = patch};
    tl_vec3 tu = tl_v3(0, 0, 0), tv = tu, *x = c.patch.x;
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
        c.a[i] = set->tangent[0][i][k];
        c.b[i] = set->tangent[1][i][k];
        tu = tl_madd(tu, tl_sub(x[i], x[0]), c.a[i]);
        tv = tl_madd(tv, tl_sub(x[i], x[0]), c.b[i]);
    }
    tl_vec3 normal = tl_cross(tu, tv);
    tl_real square = tl_dot(normal, normal);
    c.open = square > TL_BEND_SLIVER * (tl_dot(tu, tu) * tl_dot(tv, tv)) && square > TL_BEND_SMALLEST;
    if (!c.open)
        return c;
    c.area = sqrt(square);
    c.n = tl_scale(normal, 1 / c.area);
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
        c.s[i] = tl_madd(tl_scale(tv, c.a[i]), tu, -c.b[i]);
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
        c.value[m] = tl_dot(c.n, c.patch.q[m]);
        c.across[m] = tl_madd(c.patch.q[m], c.n, -c.value[m]);
    }
    return c;
}

static curvature curvature_at(const tl_patch_set *set, int k, const tl_particles *p)
{
    curvature c = curvature_of(set, k, tl_patch_at(set, k, p));
    for (int m = 0; m < TL_PATCH_CONDITIONS && c.open; ++m)
        c.value[m] -= set->rest[m][k];
    return c;
}

static tl_vec3 gradient_of(const curvature *c, int m, int i)
{
    tl_vec3 g = tl_scale(c->n, c->patch.weight[m][i]);
    return c->open ? tl_madd(g, tl_cross(c->s[i], c->across[m]), 1 / c->area) : g;
}

static tl_result build(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->kind = &tl_element_bend_curvature;
    tl_result result = tl_patch_build(batch, mesh, true, error);
    if (result != TL_OK || !tl_starts_unstrained(mesh))
        return result;
    tl_patch_set *set = batch->data;
    for (int k = 0; k < set->count; ++k) {
        tl_patch_state patch = {0};
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
            patch.x[i] = mesh->position[set->particle[i][k]];
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
            for (int i = 1; i < TL_PATCH_PARTICLES; ++i)
                patch.q[m] = tl_madd(patch.q[m], tl_sub(patch.x[i], patch.x[0]), set->weight[m][i][k]);
        curvature c = curvature_of(set, k, patch);
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
            set->rest[m][k] = c.value[m];
    }
    return TL_OK;
}

static double energy(const tl_element_batch *batch, const tl_particles *p)
{
    double sum = 0;
    for (int k = 0; k < batch->count; ++k) {
        curvature c = curvature_at(batch->data, k, p);
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
            sum += (double)c.value[m] * (double)c.value[m];
    }
    return 0.5 * (double)batch->stiffness * sum;
}

TL_FORCE_BY_LANES(tl_bend_curvature_force)

typedef struct matrix {
    tl_real m[3][3];
} matrix;

/* Matrix of δ → a × δ. */
static matrix cross_matrix(tl_vec3 a) { return (matrix){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}}; }

static matrix outer(tl_vec3 a, tl_vec3 b)
{
    return (matrix){
        {{a.x * b.x, a.x * b.y, a.x * b.z}, {a.y * b.x, a.y * b.y, a.y * b.z}, {a.z * b.x, a.z * b.y, a.z * b.z}}};
}

static matrix times(matrix a, matrix b)
{
    matrix out;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            out.m[r][c] = a.m[r][0] * b.m[0][c] + a.m[r][1] * b.m[1][c] + a.m[r][2] * b.m[2][c];
    return out;
}

static void add(matrix *a, matrix b, tl_real factor)
{
    for (int k = 0; k < 9; ++k)
        a->m[k / 3][k % 3] += factor * b.m[k / 3][k % 3];
}

/* ∂n/∂x_j = (I − n nᵀ) (δ × s_j)/|N|. */
static matrix normal_derivative(const curvature *c, int j)
{
    matrix flat = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, out = {{{0}}};
    add(&flat, outer(c->n, c->n), -1);
    add(&out, times(flat, cross_matrix(c->s[j])), -1 / c->area);
    return out;
}

/* ∂(∇_i C)/∂x_j by the product rule over n, s_i, q⊥ and 1/|N|; ∂s_i/∂x_j = (a_i b_j − b_i a_j) I. */
static matrix second_derivative(const curvature *c, int m, int i, int j)
{
    tl_real ci = c->patch.weight[m][i], cj = c->patch.weight[m][j], inverse = 1 / c->area;
    tl_vec3 q = c->patch.q[m];
    matrix out = {{{0}}}, d = normal_derivative(c, j);
    add(&out, d, ci);
    /* q⊥ changes with x_j itself, and with n */
    matrix change = {{{cj, 0, 0}, {0, cj, 0}, {0, 0, cj}}};
    tl_vec3 turned =
        tl_v3(q.x * d.m[0][0] + q.y * d.m[1][0] + q.z * d.m[2][0], q.x * d.m[0][1] + q.y * d.m[1][1] + q.z * d.m[2][1],
              q.x * d.m[0][2] + q.y * d.m[1][2] + q.z * d.m[2][2]);
    add(&change, outer(c->n, c->n), -cj);
    add(&change, d, -tl_dot(c->n, q));
    add(&change, outer(c->n, turned), -1);
    add(&out, times(cross_matrix(c->s[i]), change), inverse);
    add(&out, cross_matrix(c->across[m]), -(c->a[i] * c->b[j] - c->b[i] * c->a[j]) * inverse);
    add(&out, outer(tl_cross(c->s[i], c->across[m]), tl_cross(c->s[j], c->n)), -inverse * inverse);
    return out;
}

static void add_block(const tl_element_batch *batch, const curvature *c, int m, int i, int j, tl_element_hessian *out)
{
    matrix along = outer(gradient_of(c, m, i), gradient_of(c, m, j));
    matrix curve = {{{0}}};
    if (!batch->settings.definite && c->open) {
        /* symmetric up to rounding: take the mean, because solvers rely on it */
        matrix one = second_derivative(c, m, i, j), other = second_derivative(c, m, j, i);
        for (int k = 0; k < 9; ++k)
            curve.m[k / 3][k % 3] = (one.m[k / 3][k % 3] + other.m[k % 3][k / 3]) / 2;
    }
    for (int k = 0; k < 9; ++k) {
        int r = k / 3, s = k % 3;
        out->stiffness[i][j][r][s] += batch->stiffness * (along.m[r][s] + c->value[m] * curve.m[r][s]);
        out->damping[i][j][r][s] += batch->damping * along.m[r][s];
    }
}

static void hessian(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_element_hessian *out)
{
    for (int e = 0; e < count; ++e) {
        curvature c = curvature_at(batch->data, first + e, p);
        out[e] = (tl_element_hessian){0};
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
            out[e].particle[i] = c.patch.particle[i];
            for (int j = 0; j < TL_PATCH_PARTICLES; ++j)
                for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
                    add_block(batch, &c, m, i, j, &out[e]);
        }
    }
}

static void constraint(const tl_element_batch *batch, const tl_particles *p, int first, int count,
                       tl_element_constraint *out)
{
    for (int e = 0; e < count; ++e) {
        curvature c = curvature_at(batch->data, first + e, p);
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
            out[e].particle[i] = c.patch.particle[i];
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
            out[e].value[m] = c.value[m];
            for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
                out[e].gradient[m][i] = gradient_of(&c, m, i);
        }
    }
}

const tl_element_class tl_element_bend_curvature = {
    TL_ELEMENT_TEXTS(bend_curvature),
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
    .members = tl_patch_members,
};
