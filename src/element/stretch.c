/* Stretch of a triangle along warp and weft: C = a^¾ (‖W_u‖ − b_u, ‖W_v‖ − b_v), E = ½ k (C_u² + C_v²).

   Baraff and Witkin 1998 with Pritchard's a^¾ (the thesis, eq. 4.16, 4.17). With n = W/‖W‖: ∇_i C = a^¾ u_i n and ∇_i
   ∇_j C = a^¾ u_i u_j (I − n nᵀ)/‖W‖. A collapsed triangle whose W_u or W_v vanishes has no direction: that part of its
   force and Hessian is zero. The kernel is in stretch_kernel.c. */
#include "element/element_list.h"
#include "element/face.h"
#include "element/solve.h"

static tl_result build(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->kind = &tl_element_continuum_stretch;
    return tl_face_build(batch, mesh, error);
}

static double energy(const tl_element_batch *batch, const tl_particles *p)
{
    const tl_face_set *set = batch->data;
    double sum = 0;
    for (int k = 0; k < batch->count; ++k) {
        tl_face_state face = tl_face_at(set, k, p);
        double scale = (double)face.scale;
        double cu = scale * ((double)tl_length(face.wu) - (double)batch->settings.stretch_u);
        double cv = scale * ((double)tl_length(face.wv) - (double)batch->settings.stretch_v);
        sum += cu * cu + cv * cv;
    }
    return 0.5 * (double)batch->stiffness * sum;
}

TL_FORCE_BY_LANES(tl_stretch_force)

/* Adds one condition a^¾ (‖W‖ − rest), W = Σ g_i x_i, to both matrices. */
static void add_condition(const tl_element_batch *batch, tl_vec3 w, const tl_real g[3], tl_real scale, tl_real rest,
                          tl_element_hessian *out)
{
    tl_real length = tl_length(w);
    tl_real inverse = length > 0 ? 1 / length : 0;
    const tl_real n[3] = {w.x * inverse, w.y * inverse, w.z * inverse};
    tl_real square = scale * scale;
    tl_real across = (length - rest) * inverse;
    if (batch->settings.definite)
        across = tl_max(across, 0);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            tl_real along = n[r] * n[c];
            tl_real unit = length > 0 && r == c ? 1 : 0;
            tl_real h = batch->stiffness * square * (along + across * (unit - along));
            tl_real d = batch->damping * square * along;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) {
                    out->stiffness[i][j][r][c] += h * (g[i] * g[j]);
                    out->damping[i][j][r][c] += d * (g[i] * g[j]);
                }
        }
}

static void hessian(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_element_hessian *out)
{
    for (int e = 0; e < count; ++e) {
        tl_face_state face = tl_face_at(batch->data, first + e, p);
        out[e] = (tl_element_hessian){.particle = {face.particle[0], face.particle[1], face.particle[2]}};
        add_condition(batch, face.wu, face.u, face.scale, batch->settings.stretch_u, &out[e]);
        add_condition(batch, face.wv, face.v, face.scale, batch->settings.stretch_v, &out[e]);
    }
}

static void constraint(const tl_element_batch *batch, const tl_particles *p, int first, int count,
                       tl_element_constraint *out)
{
    for (int e = 0; e < count; ++e) {
        tl_face_state face = tl_face_at(batch->data, first + e, p);
        tl_vec3 nu = tl_normalized(face.wu), nv = tl_normalized(face.wv);
        out[e].value[0] = face.scale * (tl_length(face.wu) - batch->settings.stretch_u);
        out[e].value[1] = face.scale * (tl_length(face.wv) - batch->settings.stretch_v);
        for (int i = 0; i < 3; ++i) {
            out[e].particle[i] = face.particle[i];
            out[e].gradient[0][i] = tl_scale(nu, face.scale * face.u[i]);
            out[e].gradient[1][i] = tl_scale(nv, face.scale * face.v[i]);
        }
    }
}

const tl_element_class tl_element_continuum_stretch = {
    TL_ELEMENT_TEXTS(continuum_stretch),
    .particles = 3,
    .conditions = 2,
    .resists = TL_RESISTS_STRETCH,
    .sheet_stiffness = tl_face_sheet_stiffness,
    .build = build,
    .destroy = tl_face_destroy,
    .energy = energy,
    .force = force,
    .force_plain = force_plain,
    .hessian = hessian,
    .constraint = constraint,
    .solve = TL_SOLVE_KERNELS(tl_stretch_solve, tl_face_groups),
    .members = tl_face_members,
};
