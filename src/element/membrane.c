/* Stretch of a triangle along one thread: C = √a ε, E = ½ k C², with Green's strain ε = ½ (W·W − 1) of the thread's
   direction W (W_u for warp, W_v for weft) and k the sheet's modulus in N/m.

   With the shear between the threads (element/shear.c) this is the orthotropic St. Venant–Kirchhoff membrane without
   transverse contraction, as measured fabrics need it (Wang, O'Brien and Ramamoorthi 2011; Volino, Magnenat-Thalmann
   and Faure 2009, "A simple approach to nonlinear tensile stiffness for accurate cloth simulation"). ∇_i C = √a u_i W
   and ∇_i ∇_j C = √a u_i u_j I, so that a compressed thread's C ∇∇C is negative: the definite Hessian leaves it out.
   The kernel is in membrane_kernel.c. */
#include "element/element_list.h"
#include "element/face.h"
#include "element/solve.h"

static tl_result build_warp(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->kind = &tl_element_membrane_warp;
    return tl_face_build_even(batch, mesh, error);
}

static tl_result build_weft(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->kind = &tl_element_membrane_weft;
    return tl_face_build_even(batch, mesh, error);
}

static bool is_weft(const tl_element_batch *batch) { return batch->kind == &tl_element_membrane_weft; }

/* One thread of one face. */
typedef struct thread {
    int particle[3];
    tl_real coefficient[3]; /* u_i or v_i */
    tl_vec3 w;
    tl_real scale, value; /* √a, C */
} thread;

static thread thread_at(const tl_element_batch *batch, int k, const tl_particles *p)
{
    bool weft = is_weft(batch);
    tl_face_state face = tl_face_at(batch->data, k, p);
    thread t = {.w = weft ? face.wv : face.wu, .scale = face.scale};
    for (int i = 0; i < 3; ++i) {
        t.particle[i] = face.particle[i];
        t.coefficient[i] = weft ? face.v[i] : face.u[i];
    }
    t.value = t.scale * (tl_dot(t.w, t.w) - 1) / 2;
    return t;
}

static double energy(const tl_element_batch *batch, const tl_particles *p)
{
    double sum = 0;
    for (int k = 0; k < batch->count; ++k) {
        double c = (double)thread_at(batch, k, p).value;
        sum += c * c;
    }
    return 0.5 * (double)batch->stiffness * sum;
}

static void force_plain(const tl_element_batch *batch, tl_particles *p)
{
    if (batch->count > 0)
        tl_membrane_force_w1(batch, batch->data, p, is_weft(batch));
}

static void force(const tl_element_batch *batch, tl_particles *p)
{
    if (batch->count > 0 && batch->lanes == 8)
        TL_W8(tl_membrane_force)(batch, batch->data, p, is_weft(batch));
    else if (batch->count > 0 && batch->lanes == 4)
        tl_membrane_force_w4(batch, batch->data, p, is_weft(batch));
    else
        force_plain(batch, p);
}

static void hessian(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_element_hessian *out)
{
    for (int e = 0; e < count; ++e) {
        thread t = thread_at(batch, first + e, p);
        const tl_real w[3] = {t.w.x, t.w.y, t.w.z};
        tl_real curve = batch->settings.definite && t.value < 0 ? 0 : t.value * t.scale;
        for (int i = 0; i < 3; ++i) {
            out[e].particle[i] = t.particle[i];
            for (int j = 0; j < 3; ++j) {
                tl_real product = t.coefficient[i] * t.coefficient[j], square = t.scale * t.scale * product;
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) {
                        tl_real outer = square * (w[r] * w[c]);
                        out[e].stiffness[i][j][r][c] = batch->stiffness * (outer + (r == c ? curve * product : 0));
                        out[e].damping[i][j][r][c] = batch->damping * outer;
                    }
            }
        }
    }
}

static void pairs(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_real by_position,
                  tl_real by_velocity, tl_element_pair *out)
{
    tl_membrane_pairs_kernel *kernel = batch->lanes == 8   ? TL_W8(tl_membrane_pairs)
                                       : batch->lanes == 4 ? tl_membrane_pairs_w4
                                                           : tl_membrane_pairs_w1;
    kernel(batch, batch->data, p, first, count, by_position, by_velocity, out, is_weft(batch));
}

static void constraint(const tl_element_batch *batch, const tl_particles *p, int first, int count,
                       tl_element_constraint *out)
{
    for (int e = 0; e < count; ++e) {
        thread t = thread_at(batch, first + e, p);
        out[e].value[0] = t.value;
        for (int i = 0; i < 3; ++i) {
            out[e].particle[i] = t.particle[i];
            out[e].gradient[0][i] = tl_scale(t.w, t.scale * t.coefficient[i]);
        }
    }
}

#define MEMBRANE(field, resists_, build_, solve_)                                                                      \
    const tl_element_class tl_element_##field = {                                                                      \
        TL_ELEMENT_TEXTS(field),                                                                                       \
        .particles = 3,                                                                                                \
        .conditions = 1,                                                                                               \
        .resists = resists_,                                                                                           \
        .build = build_,                                                                                               \
        .destroy = tl_face_destroy,                                                                                    \
        .energy = energy,                                                                                              \
        .force = force,                                                                                                \
        .force_plain = force_plain,                                                                                    \
        .hessian = hessian,                                                                                            \
        .pairs = pairs,                                                                                                \
        .constraint = constraint,                                                                                      \
        .members = tl_face_members,                                                                                    \
        .solve = TL_SOLVE_KERNELS(solve_, tl_face_groups),                                                             \
    }
MEMBRANE(membrane_warp, TL_RESISTS_WARP, build_warp, tl_warp_solve);
MEMBRANE(membrane_weft, TL_RESISTS_WEFT, build_weft, tl_weft_solve);
