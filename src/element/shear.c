/* Shear of a triangle between warp and weft: C = a^¾ W_u·W_v, E = ½ k C².

   Baraff and Witkin 1998 with Pritchard's a^¾ (the thesis, eq. 4.18, 4.19). ∇_i C = a^¾ (u_i W_v + v_i W_u), ∇_i ∇_j C
   = a^¾ (u_i v_j + v_i u_j) I: polynomials, finite for every shape of the triangle. The kernel is in shear_kernel.c.

   The membrane's shear is the same with √a instead of a^¾: then k is the shear modulus G of the sheet, E = ½ G a γ²
   with γ = W_u·W_v, twice the Green strain between warp and weft. Half of C ∇∇C, along u − v or u + v, is negative: the
   definite Hessian leaves it out. */
#include "element/element_list.h"
#include "element/face.h"
#include "element/solve.h"

static tl_result build(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->kind = &tl_element_continuum_shear;
    return tl_face_build(batch, mesh, error);
}

static tl_result build_membrane(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->kind = &tl_element_membrane_shear;
    return tl_face_build_even(batch, mesh, error);
}

static double energy(const tl_element_batch *batch, const tl_particles *p)
{
    const tl_face_set *set = batch->data;
    double sum = 0;
    for (int k = 0; k < batch->count; ++k) {
        tl_face_state face = tl_face_at(set, k, p);
        double c = (double)face.scale * (double)tl_dot(face.wu, face.wv);
        sum += c * c;
    }
    return 0.5 * (double)batch->stiffness * sum;
}

TL_FORCE_BY_LANES(tl_shear_force)

static void shear_gradient(const tl_face_state *face, tl_vec3 gradient[3])
{
    for (int i = 0; i < 3; ++i)
        gradient[i] = tl_scale(tl_madd(tl_scale(face->wv, face->u[i]), face->wu, face->v[i]), face->scale);
}

static void hessian(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_element_hessian *out)
{
    for (int e = 0; e < count; ++e) {
        tl_face_state face = tl_face_at(batch->data, first + e, p);
        tl_vec3 gradient[3];
        shear_gradient(&face, gradient);
        tl_real value = face.scale * tl_dot(face.wu, face.wv), side = value < 0 ? -1 : 1;
        for (int i = 0; i < 3; ++i) {
            const tl_real a[3] = {gradient[i].x, gradient[i].y, gradient[i].z};
            out[e].particle[i] = face.particle[i];
            for (int j = 0; j < 3; ++j) {
                const tl_real b[3] = {gradient[j].x, gradient[j].y, gradient[j].z};
                tl_real second = value * face.scale * (face.u[i] * face.v[j] + face.v[i] * face.u[j]);
                if (batch->settings.definite)
                    second =
                        fabs(value) * face.scale * (face.u[i] + side * face.v[i]) * (face.u[j] + side * face.v[j]) / 2;
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) {
                        tl_real outer = a[r] * b[c];
                        out[e].stiffness[i][j][r][c] = batch->stiffness * (outer + (r == c ? second : 0));
                        out[e].damping[i][j][r][c] = batch->damping * outer;
                    }
            }
        }
    }
}

static void pairs(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_real by_position,
                  tl_real by_velocity, tl_element_pair *out)
{
    tl_shear_pairs_kernel *kernel = batch->lanes == 8   ? TL_W8(tl_shear_pairs)
                                    : batch->lanes == 4 ? tl_shear_pairs_w4
                                                        : tl_shear_pairs_w1;
    kernel(batch, batch->data, p, first, count, by_position, by_velocity, out);
}

static void constraint(const tl_element_batch *batch, const tl_particles *p, int first, int count,
                       tl_element_constraint *out)
{
    for (int e = 0; e < count; ++e) {
        tl_face_state face = tl_face_at(batch->data, first + e, p);
        shear_gradient(&face, out[e].gradient[0]);
        out[e].value[0] = face.scale * tl_dot(face.wu, face.wv);
        for (int i = 0; i < 3; ++i)
            out[e].particle[i] = face.particle[i];
    }
}

const tl_element_class tl_element_continuum_shear = {
    TL_ELEMENT_TEXTS(continuum_shear),
    .particles = 3,
    .conditions = 1,
    .resists = TL_RESISTS_SHEAR,
    .sheet_stiffness = tl_face_sheet_stiffness,
    .build = build,
    .destroy = tl_face_destroy,
    .energy = energy,
    .force = force,
    .force_plain = force_plain,
    .hessian = hessian,
    .pairs = pairs,
    .constraint = constraint,
    .solve = TL_SOLVE_KERNELS(tl_shear_solve, tl_face_groups),
    .members = tl_face_members,
};

const tl_element_class tl_element_membrane_shear = {
    TL_ELEMENT_TEXTS(membrane_shear),
    .particles = 3,
    .conditions = 1,
    .resists = TL_RESISTS_SHEAR,
    .build = build_membrane,
    .destroy = tl_face_destroy,
    .energy = energy,
    .force = force,
    .force_plain = force_plain,
    .hessian = hessian,
    .pairs = pairs,
    .constraint = constraint,
    .solve = TL_SOLVE_KERNELS(tl_shear_solve, tl_face_groups),
    .members = tl_face_members,
};
