/* Patches: a particle with the ring of its neighbours, and the second derivatives of the sheet around it.

   Let g be the gradient of the piecewise linear surface x(u, v) over the rest plane, constant in each face. Its mean
   derivative over the Voronoi cell A_v of particle v is by Gauss' theorem H_v = 1/A_v ∮ g ⊗ n ds = −1/A_v Σ_T a_T g_T ⊗
   ∇φ_v,   made symmetric, the Hessian of mixed finite elements with lumped mass (Stein, Grinspun, Wardetzky and
   Jacobson 2018, "Natural boundary conditions for smoothing in geometry processing"). Summed over a sheet these
   Hessians are exact for any mesh, unlike hinges or faces alone. Inside the sheet the least-squares change of their
   weights makes each exact for every quadratic surface: on alternating diagonals one particle in two would have no
   twist and the other twice as much. Rings of four or fewer add the vertices opposite their edges for that. On the
   border the cell's outer edges belong to the integral, and the natural boundary condition of a plate holds: no moment,
   so no curvature, across it; at corners none at all.

   Times √A_v, and the mixed one times √2, the second derivatives are the three vectors q_m = Σ_i c_mi x_i, with
     Σ_m |q_m|² = A_v (|x_uu|² + 2 |x_uv|² + |x_vv|²),
   the bending of a Kirchhoff plate when stretch is small. Two more sums of this form are the tangents t_u and t_v. A
   ring of more than eight is thinned out evenly. */
#ifndef TL_ELEMENT_PATCH_H
#define TL_ELEMENT_PATCH_H

#include "element/element.h"
#include "element/group.h"

enum { TL_PATCH_PARTICLES = 9, TL_PATCH_CONDITIONS = 3 };

/* Length of a q below which it has no direction: the curvature of a sphere with a radius of a million kilometres. */
#define TL_PATCH_FLAT ((tl_real)1e-12)

typedef struct tl_patch_set {
    int count;
    tl_groups groups;
    /* in the order of the groups, padded by one vector */
    int *particle[TL_PATCH_PARTICLES]; /* the middle, then the ring, padded with the middle at weight 0 */
    tl_real *weight[TL_PATCH_CONDITIONS][TL_PATCH_PARTICLES]; /* c_mi, 1/m */
    tl_real *tangent[2][TL_PATCH_PARTICLES];                  /* of t_u and t_v, 1/m; only for classes that need them */
    tl_real *rest[TL_PATCH_CONDITIONS];                       /* rest value of each condition, by class */
} tl_patch_set;

tl_result tl_patch_build(tl_element_batch *batch, const tl_mesh *mesh, bool tangents, tl_error *error);
void tl_patch_destroy(tl_element_batch *batch);
const tl_groups *tl_patch_groups(const tl_element_batch *batch);
void tl_patch_members(const tl_element_batch *batch, int k, int particle[TL_ELEMENT_MAX_PARTICLES]);

/* Whether every face has its rest shape in the initial pose: then the initial bend is the rest bend. */
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
