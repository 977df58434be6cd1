/* Bending across an inner edge: C = θ − θ₀, E = ½ k C², k in N·m (Baraff and Witkin 1998; the thesis, eq. 4.20–4.25).

   With e the edge from particle 0 to 1, a = x₂ − x₀, n = e × a, m = n/|n|², t = a·e/|e| in the first face, and the same
   with b = x₃ − x₀ in the second, primed: sin θ ∝ |e| b·n, cos θ ∝ −n·n′, and
     ∇₂θ = |e| m,  ∇₃θ = −|e| m′,  ∇₁θ = −t m + t′ m′,  ∇₀θ = −(∇₁ + ∇₂ + ∇₃)θ.
   Each face contributes one half of the gradient, and the Hessian of θ is the sum of the halves' derivatives (as
   Tamstorf and Grinspun 2013, "Discrete bending forces and their Jacobians", find it). The rest angle θ₀ is that of the
   initial pose when the mesh starts unstrained, else 0, the flat pattern; θ − θ₀ is wrapped to −π … π. Hinges with a
   collapsed triangle are skipped (bend.h); at a fold of exactly 180° the force opens it to the side given by the sign
   of ±π. k (θ − θ₀) ∇∇θ has no definite sign: the definite Hessian leaves it out. The kernel is in bend_kernel.c. */
#include "element/bend.h"
#include "element/solve.h"

#include "core/trig.h"
#include "element/element_list.h"
#include "element/patch.h"

/* evaluation of one hinge */

typedef struct hinge {
    bool open;           /* false when a triangle has collapsed: angle and gradient are then zero */
    tl_real angle;       /* θ − θ₀ */
    tl_vec3 gradient[4]; /* of θ */
} hinge;

typedef struct wing {
    tl_vec3 a, m; /* to the opposite particle; n/|n|² */
    tl_real t;    /* component of a along the edge */
} wing;

static bool make_wing(tl_vec3 e, tl_real inverse_length, tl_vec3 a, tl_vec3 *n, wing *w)
{
    *n = tl_cross(e, a);
    tl_real square = tl_dot(*n, *n);
    if (!(square > TL_BEND_SLIVER * (tl_dot(e, e) * tl_dot(a, a)) && square > TL_BEND_SMALLEST))
        return false;
    w->a = a;
    w->m = tl_scale(*n, 1 / square);
    w->t = tl_dot(a, e) * inverse_length;
    return true;
}

static tl_real wrap_angle(double angle)
{
    if (angle > TL_PI)
        angle -= 2 * TL_PI;
    if (angle < -TL_PI)
        angle += 2 * TL_PI;
    return (tl_real)angle;
}

static hinge hinge_at(const tl_vec3 x[4], tl_real rest, wing wings[2])
{
    hinge h = {0};
    tl_vec3 e = tl_sub(x[1], x[0]), n[2];
    tl_real length = tl_length(e);
    if (!(length > 0) || !make_wing(e, 1 / length, tl_sub(x[2], x[0]), &n[0], &wings[0]) ||
        !make_wing(e, 1 / length, tl_sub(x[3], x[0]), &n[1], &wings[1]))
        return h;
    double sine = (double)(length * tl_dot(wings[1].a, n[0])), cosine = (double)-tl_dot(n[0], n[1]);
    h.open = true;
    h.angle = wrap_angle(tl_atan2(sine, cosine) - (double)rest);
    h.gradient[1] = tl_madd(tl_scale(wings[0].m, -wings[0].t), wings[1].m, wings[1].t);
    h.gradient[2] = tl_scale(wings[0].m, length);
    h.gradient[3] = tl_scale(wings[1].m, -length);
    h.gradient[0] = tl_scale(tl_add(h.gradient[1], tl_add(h.gradient[2], h.gradient[3])), -1);
    return h;
}

static hinge hinge_of(const tl_hinge_set *set, int k, const tl_particles *p, tl_vec3 x[4], wing wings[2])
{
    for (int c = 0; c < 4; ++c)
        x[c] = tl_at(p->x, set->particle[c][k]);
    return hinge_at(x, set->rest[k], wings);
}

/* building */

static bool is_hinge(const tl_mesh *mesh, int edge)
{
    return mesh->edge_d[edge] >= 0 && mesh->edge_c[edge] != mesh->edge_d[edge];
}

static void put_hinge(tl_hinge_set *set, int k, const tl_mesh *mesh, const int particle[4], bool unstrained)
{
    tl_vec3 x[4];
    wing wings[2];
    for (int c = 0; c < 4; ++c) {
        set->particle[c][k] = particle[c];
        x[c] = mesh->position[particle[c]];
    }
    set->rest[k] = unstrained ? hinge_at(x, 0, wings).angle : 0;
}

static bool fill_set(tl_hinge_set *set, const tl_allocator *allocator, const tl_mesh *mesh, int *particle)
{
    int count = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (!is_hinge(mesh, e))
            continue;
        int half = mesh->edge_half[e], *own = particle + 4 * count++;
        own[0] = mesh->face[half];
        own[1] = mesh->face[tl_half_next(half)];
        own[2] = mesh->edge_c[e];
        own[3] = mesh->edge_d[e];
    }
    size_t padded = (size_t)tl_padded(count);
    bool done = true;
    for (int c = 0; c < 4; ++c)
        done = (set->particle[c] = tl_allocate(allocator, padded, sizeof(int))) && done;
    done = (set->rest = tl_allocate(allocator, padded, sizeof(tl_real))) && done;
    if (!done || !tl_groups_build(&set->groups, allocator, particle, 4, count, mesh->particle_count))
        return false;
    bool unstrained = tl_starts_unstrained(mesh);
    for (int k = 0; k < count; ++k)
        put_hinge(set, k, mesh, particle + 4 * set->groups.order[k], unstrained);
    set->count = count;
    return true;
}

static void release_set(tl_hinge_set *set, const tl_allocator *allocator)
{
    tl_groups_destroy(&set->groups, allocator);
    for (int c = 0; c < 4; ++c)
        tl_release(allocator, set->particle[c]);
    tl_release(allocator, set->rest);
    tl_release(allocator, set);
}

static tl_result build(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->kind = &tl_element_continuum_bend;
    batch->allocator = tl_allocator_or_default(&batch->allocator);
    batch->data = NULL;
    batch->count = 0;
    batch->bytes = 0;
    const tl_allocator *allocator = &batch->allocator;
    tl_hinge_set *set = tl_allocate(allocator, 1, sizeof *set);
    int *particle = tl_allocate(allocator, 4 * (size_t)mesh->edge_count, sizeof *particle);
    bool done = set && particle && fill_set(set, allocator, mesh, particle);
    tl_release(allocator, particle);
    if (!done) {
        if (set)
            release_set(set, allocator);
        return tl_fail(error, TL_ERROR_MEMORY, "%s: no memory for %d edges", batch->kind->path, mesh->edge_count);
    }
    batch->data = set;
    batch->count = set->count;
    batch->bytes = sizeof *set + (size_t)tl_padded(set->count) * (4 * sizeof(int) + sizeof(tl_real)) +
                   tl_groups_bytes(&set->groups, set->count);
    return TL_OK;
}

static void destroy(tl_element_batch *batch)
{
    if (batch->data)
        release_set(batch->data, &batch->allocator);
    batch->data = NULL;
    batch->count = 0;
    batch->bytes = 0;
}

/* the class */

static double energy(const tl_element_batch *batch, const tl_particles *p)
{
    double sum = 0;
    for (int k = 0; k < batch->count; ++k) {
        tl_vec3 x[4];
        wing wings[2];
        double angle = (double)hinge_of(batch->data, k, p, x, wings).angle;
        sum += angle * angle;
    }
    return 0.5 * (double)batch->stiffness * sum;
}

TL_FORCE_BY_LANES(tl_bend_force)

static void to_array(tl_vec3 a, tl_real out[3])
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

/* Matrix of δ → a × δ. */
static void cross_matrix(tl_vec3 a, tl_real out[3][3])
{
    const tl_real m[3][3] = {{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            out[r][c] = m[r][c];
}

/* ∂m/∂x of a wing for its three particles: (I − 2 n̂ n̂ᵀ)/|n|² ∂n/∂x, with n̂ n̂ᵀ/|n|² = m mᵀ and ∂n/∂x a cross product
   with the opposite side. */
static void wing_derivative(const wing *w, tl_vec3 e, tl_real out[3][3][3])
{
    tl_vec3 sides[3] = {tl_sub(w->a, e), tl_scale(w->a, -1), e};
    tl_real m[3], square = tl_dot(w->m, w->m);
    to_array(w->m, m);
    for (int q = 0; q < 3; ++q) {
        tl_real dn[3][3];
        cross_matrix(sides[q], dn);
        for (int c = 0; c < 3; ++c) {
            tl_real along = 2 * (m[0] * dn[0][c] + m[1] * dn[1][c] + m[2] * dn[2][c]);
            for (int r = 0; r < 3; ++r)
                out[q][r][c] = square * dn[r][c] - m[r] * along;
        }
    }
}

/* Adds sign × the derivative of one face's half of ∇θ: s_p m, where s = (t − |e|, −t, |e|) for the edge's particles and
   the opposite one, at slot[2]. */
static void add_half(const wing *w, tl_vec3 e, tl_real length, tl_real sign, const int slot[3],
                     tl_real second[4][4][3][3])
{
    tl_vec3 unit = tl_scale(e, 1 / length);
    tl_vec3 across = tl_scale(tl_madd(w->a, unit, -w->t), 1 / length);
    tl_real s[3] = {w->t - length, -w->t, length}, dm[3][3][3], m[3], ds[3][3][3];
    tl_vec3 none = tl_v3(0, 0, 0);
    /* ∂t/∂x and ∂|e|/∂x for the three particles */
    tl_vec3 dt[3] = {tl_scale(tl_add(unit, across), -1), across, unit};
    tl_vec3 dl[3] = {tl_scale(unit, -1), unit, none};
    for (int q = 0; q < 3; ++q) {
        to_array(tl_sub(dt[q], dl[q]), ds[0][q]);
        to_array(tl_scale(dt[q], -1), ds[1][q]);
        to_array(dl[q], ds[2][q]);
    }
    wing_derivative(w, e, dm);
    to_array(w->m, m);
    for (int i = 0; i < 3; ++i)
        for (int q = 0; q < 3; ++q)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    second[slot[i]][slot[q]][r][c] += sign * (m[r] * ds[i][q][c] + s[i] * dm[q][r][c]);
}

static void put_blocks(const tl_element_batch *batch, const hinge *h, tl_real second[4][4][3][3],
                       tl_element_hessian *out)
{
    tl_real g[4][3];
    for (int i = 0; i < 4; ++i)
        to_array(h->gradient[i], g[i]);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) {
                    tl_real outer = g[i][r] * g[j][c];
                    /* symmetric up to rounding: take the mean, because solvers rely on it */
                    tl_real curve = (second[i][j][r][c] + second[j][i][c][r]) / 2;
                    out->stiffness[i][j][r][c] = batch->stiffness * (outer + h->angle * curve);
                    out->damping[i][j][r][c] = batch->damping * outer;
                }
}

static void hessian(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_element_hessian *out)
{
    static const int FIRST_SLOTS[3] = {0, 1, 2}, SECOND_SLOTS[3] = {0, 1, 3};
    const tl_hinge_set *set = batch->data;
    for (int k = 0; k < count; ++k) {
        tl_vec3 x[4];
        wing wings[2];
        tl_real second[4][4][3][3] = {0};
        hinge h = hinge_of(set, first + k, p, x, wings);
        if (h.open && !batch->settings.definite) {
            tl_vec3 e = tl_sub(x[1], x[0]);
            add_half(&wings[0], e, tl_length(e), 1, FIRST_SLOTS, second);
            add_half(&wings[1], e, tl_length(e), -1, SECOND_SLOTS, second);
        }
        put_blocks(batch, &h, second, &out[k]);
        for (int c = 0; c < 4; ++c)
            out[k].particle[c] = set->particle[c][first + k];
    }
}

static void members(const tl_element_batch *batch, int k, int particle[TL_ELEMENT_MAX_PARTICLES])
{
    const tl_hinge_set *set = batch->data;
    for (int c = 0; c < 4; ++c)
        particle[c] = set->particle[c][k];
}

static void constraint(const tl_element_batch *batch, const tl_particles *p, int first, int count,
                       tl_element_constraint *out)
{
    const tl_hinge_set *set = batch->data;
    for (int k = 0; k < count; ++k) {
        tl_vec3 x[4];
        wing wings[2];
        hinge h = hinge_of(set, first + k, p, x, wings);
        out[k].value[0] = h.angle;
        for (int c = 0; c < 4; ++c) {
            out[k].particle[c] = set->particle[c][first + k];
            out[k].gradient[0][c] = h.gradient[c];
        }
    }
}

static const tl_groups *groups_of(const tl_element_batch *batch)
{
    return &((const tl_hinge_set *)batch->data)->groups;
}

const tl_element_class tl_element_continuum_bend = {
    TL_ELEMENT_TEXTS(continuum_bend),
    .particles = 4,
    .conditions = 1,
    .resists = TL_RESISTS_BEND,
    .build = build,
    .destroy = destroy,
    .energy = energy,
    .force = force,
    .force_plain = force_plain,
    .hessian = hessian,
    .constraint = constraint,
    .solve = TL_SOLVE_KERNELS(tl_bend_solve, groups_of),
    .members = members,
};
