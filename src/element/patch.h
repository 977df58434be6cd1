/* Patches: a face with the three particles across its edges, and the second derivatives of the sheet over it.

   A quadratic surface x(u, v) through the six particles has second derivatives that are constant and linear in their
   places. Times √a, and the mixed one times √2, these are the three vectors q_m = Σ_i c_mi x_i, so that
     Σ_m |q_m|² = a (|x_uu|² + 2 |x_uv|² + |x_vv|²),
   the bending of a Kirchhoff plate when stretch is small. It is exact for quadratic surfaces on any mesh, which is what
   makes the elements that use it independent of the mesh; finite elements know the six-node patch as the enhanced basic
   shell triangle (Flores and Oñate 2005, "Improvements in the membrane behaviour of the three node rotation-free BST
   shell triangle using an assumed strain approach"). An edge on the border has no particle across; what takes the place
   of its equation is the plate's own condition there, no curvature across the border (no moment). */
#ifndef TL_ELEMENT_PATCH_H
#define TL_ELEMENT_PATCH_H

#include "element/element.h"
#include "element/group.h"

enum { TL_PATCH_PARTICLES = 6, TL_PATCH_CONDITIONS = 3 };

/* Length of a q below which it has no direction, 1/m times m: the curvature of a 1000 km sphere. */
#define TL_PATCH_FLAT ((tl_real)1e-12)

typedef struct tl_patch_set {
    int count;
    tl_groups groups;
    /* in the order of the groups, with one vector of slack behind */
    int *particle[TL_PATCH_PARTICLES];                        /* the face's own three, then those across edges 0, 1, 2;
                                                                 on the border the face's first, with weight 0 */
    tl_real *weight[TL_PATCH_CONDITIONS][TL_PATCH_PARTICLES]; /* c_mi, 1/m */
    tl_real *rest[TL_PATCH_CONDITIONS];                       /* of the class: what bends the sheet at rest */
} tl_patch_set;

tl_result tl_patch_build(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error);
void tl_patch_destroy(tl_element_batch *batch);
void tl_patch_members(const tl_element_batch *batch, int k, int particle[TL_ELEMENT_MAX_PARTICLES]);

/* Does every face have its rest shape in the starting pose? Then the bend it starts with is its bend at rest. */
bool tl_starts_unstrained(const tl_mesh *mesh);

/* One patch: its particles, weights and vectors. */
typedef struct tl_patch_state {
    int particle[TL_PATCH_PARTICLES];
    tl_vec3 x[TL_PATCH_PARTICLES];
    tl_real weight[TL_PATCH_CONDITIONS][TL_PATCH_PARTICLES];
    tl_vec3 q[TL_PATCH_CONDITIONS];
} tl_patch_state;
tl_patch_state tl_patch_at(const tl_patch_set *set, int k, const tl_particles *p);

void tl_bend_quadratic_force_w8(const tl_element_batch *batch, const tl_patch_set *set, const tl_particles *p);
void tl_bend_quadratic_force_w4(const tl_element_batch *batch, const tl_patch_set *set, const tl_particles *p);
void tl_bend_quadratic_force_w1(const tl_element_batch *batch, const tl_patch_set *set, const tl_particles *p);
void tl_bend_curvature_force_w8(const tl_element_batch *batch, const tl_patch_set *set, const tl_particles *p);
void tl_bend_curvature_force_w4(const tl_element_batch *batch, const tl_patch_set *set, const tl_particles *p);
void tl_bend_curvature_force_w1(const tl_element_batch *batch, const tl_patch_set *set, const tl_particles *p);

#endif
