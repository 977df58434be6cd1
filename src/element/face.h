/* Faces with the gradients of the map from rest to world coordinates, sorted for SIMD, shared by stretch and shear.

   W_u = Σ u_i x_i and W_v = Σ v_i x_i are the world vectors of one metre along warp and weft; u_i, v_i are constants of
   the rest triangle, u_0 = −u_1 − u_2 (Baraff and Witkin 1998, "Large steps in cloth simulation"; the thesis, eq.
   4.12). `scale` is a^¾, Pritchard's correction (2003, "Implementing Baraff & Witkin's cloth simulation"): it makes the
   energy grow as area^1.5, the published choice that Telar keeps. The membrane of measured fabrics has √a instead. */
#ifndef TL_ELEMENT_FACE_H
#define TL_ELEMENT_FACE_H

#include "element/element.h"
#include "element/group.h"

typedef struct tl_face_set {
    int count;
    tl_groups groups;
    /* all arrays in the order of the groups, padded by one vector */
    int *particle[3];
    tl_real *u[2], *v[2]; /* of corners 1 and 2, 1/m */
    tl_real *scale;       /* a^¾, m^1.5, or √a, m */
} tl_face_set;

tl_result tl_face_build(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error);
/* The same with scale = √a, which gives moduli in N/m that do not depend on the mesh. */
tl_result tl_face_build_even(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error);
void tl_face_destroy(tl_element_batch *batch);
const tl_groups *tl_face_groups(const tl_element_batch *batch);
/* sheet_stiffness of classes with a^¾: the sheet's stiffness is k √a, and squares of side e are halved into a =
 e²/2. */
tl_real tl_face_sheet_stiffness(tl_real stiffness, tl_real spacing);
void tl_face_members(const tl_element_batch *batch, int k, int particle[TL_ELEMENT_MAX_PARTICLES]);

/* One face: its particles, the three coefficients of W_u and W_v, and both vectors. */
typedef struct tl_face_state {
    int particle[3];
    tl_real u[3], v[3], scale;
    tl_vec3 wu, wv;
} tl_face_state;
tl_face_state tl_face_at(const tl_face_set *set, int k, const tl_particles *p);

void tl_stretch_force_w8(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p);
void tl_stretch_force_w4(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p);
void tl_stretch_force_w1(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p);
void tl_membrane_force_w8(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p, bool weft);
void tl_membrane_force_w4(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p, bool weft);
void tl_membrane_force_w1(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p, bool weft);
void tl_shear_force_w8(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p);
void tl_shear_force_w4(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p);
void tl_shear_force_w1(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p);

/* tl_element_class.pairs of the membrane and of shear. */
typedef void tl_membrane_pairs_kernel(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p,
                                      int first, int count, tl_real by_position, tl_real by_velocity,
                                      tl_element_pair *out, bool weft);
tl_membrane_pairs_kernel tl_membrane_pairs_w8, tl_membrane_pairs_w4, tl_membrane_pairs_w1;
typedef void tl_shear_pairs_kernel(const tl_element_batch *batch, const tl_face_set *set, const tl_particles *p,
                                   int first, int count, tl_real by_position, tl_real by_velocity,
                                   tl_element_pair *out);
tl_shear_pairs_kernel tl_shear_pairs_w8, tl_shear_pairs_w4, tl_shear_pairs_w1;

#endif
