/* The gas inside a closed surface of cloth: one element over all faces.

   Law. With V the volume inside, K = n R T of the gas at the temperature T it was filled in with, and p₀ outside,
     isothermal   p = K/V                          E = −K ln(V/V₁) + p₀ V
     adiabatic    p = p₁ (K/(p₁ V))^γ              E = p V/(γ − 1) + p₀ V
   p₁ is the pressure at which the gas has the temperature T: it represents the entropy, so that gas which leaks out
   leaves the rest on the same adiabat. Force f_i = (p − p₀) ∂V/∂x_i, Hessian ∂²E/∂x² = γ p/V ∇V ∇Vᵀ − (p − p₀) ∇²V (γ =
   1 when isothermal) whose first part has rank one and couples all particles, and whose second is a sum over faces. It
   is never stored: tl_gas_product multiplies it with a vector. Implicit solvers always use the first part, which is
   positive semi-definite; the second, which is indefinite, is optional; Sherman and Morrison's formula inverts A + rank
   one with one more solve of A.

   Volume. With N = (b − a) × (c − a) of a face and S_i the sum of N over the faces of particle i,
     ∂V/∂x_i = S_i/6,   V = Σ_faces g·N/6 = Σ_i (x_i − o)·S_i/18
   (g is the centroid of a face relative to o). Any o works for a closed surface.

   Rigid walls. An open cloth whose rim is pinned can be the flexible side of a rigid vessel. Each rim is then closed by
   a lid, a fan of triangles over the rim itself, and by walls that reach `depth` behind the lid: V = V(cloth and lids)
   + depth · area of the lids. o is the apex of the first fan, whose lid therefore adds nothing to V. Faces whose three
   particles are pinned are rigid as well, in any mesh.

   The gas has no mass and one pressure everywhere. */
#ifndef TL_ELEMENT_GAS_H
#define TL_ELEMENT_GAS_H

#include "core/particles.h"
#include "element/group.h"
#include "mesh/mesh.h"
#include "telar/elements.h"

#define TL_GAS_CONSTANT 8.31446261815324 /* J/(mol K) */

typedef struct tl_gas {
    bool built;
    bool on;
    tl_gas_def def;
    bool adiabatic;
    double nrt;                     /* J, K above; changes by pump and leak */
    double reference;               /* Pa, p₁ above. These two are the complete state */
    double volume, pressure;        /* m³, Pa, of the last evaluation: updated in every substep before use */
    double lambda;                  /* N·s²/m², accumulated by the position-based solver in this substep */
    double seconds_volume, seconds; /* s spent on the volume, and on the gas in total */

    int count;        /* pairs of faces, lids included */
    int *particle[4]; /* corners a, b, c, d of pair k: faces a b c and a c d; a face without a partner has d = a. In the
                         order of the groups, padded by one vector */
    tl_groups groups;
    tl_real *area[3];    /* m², S_i; padded like particles */
    int origin;          /* particle at o */
    tl_real side;        /* 1 when faces point outwards, -1 inwards */
    double vessel;       /* m³ behind the lids */
    double start_volume; /* m³, of the initial mesh */
    int rim_count;
    int *rim;  /* particles on open edges */
    int valve; /* particle at the hole; -1: none */
    size_t bytes;
} tl_gas;

/* Builds the surface for a mesh. An open edge without walls is an error that names it; so is zero volume. */
tl_result tl_gas_build(tl_gas *gas, const tl_mesh *mesh, const tl_allocator *allocator, const tl_gas_def *def,
                       tl_error *error);
void tl_gas_destroy(tl_gas *gas, const tl_allocator *allocator);

/* Applies a changed definition; the pressure only jumps where the definition asks for it. */
void tl_gas_configure(tl_gas *gas, const tl_mesh *mesh, const tl_particles *p, const tl_gas_def *def, int lanes);

/* S_i and the volume at the current positions, m³. */
double tl_gas_measure(tl_gas *gas, const tl_particles *p, int lanes);
double tl_gas_pressure(const tl_gas *gas, double volume);            /* Pa */
double tl_gas_stiffness(const tl_gas *gas, double volume);           /* −dp/dV = γ p/V, Pa/m³ */
double tl_gas_temperature(const tl_gas *gas, double volume);         /* K */
double tl_gas_energy(tl_gas *gas, const tl_particles *p, int lanes); /* J */

/* Adds (p − p₀) ∂V/∂x to p->f. */
void tl_gas_force(tl_gas *gas, tl_particles *p, int lanes);

/* Adds the thrust of the jet through the hole to p->f. */
void tl_gas_jet(tl_gas *gas, const tl_mesh *mesh, tl_particles *p, double time, int lanes);

/* out += ∂²E/∂x² in, for 3 arrays of p->count numbers each, at the positions of the last tl_gas_measure. `whole` adds
   the part −(p − p₀) ∇²V, which may be indefinite. */
void tl_gas_product(const tl_gas *gas, const tl_particles *p, tl_real *const in[3], tl_real *const out[3], bool whole);

/* Constraint form: moves x along w ∇V until volume and pressure agree with the force λ = h² (p − p₀), as implicit Euler
   would (one Gauss–Seidel step of XPBD with C = V; the scalar equation is solved exactly, so that no step overshoots
   into a negative volume). Corrections are added to `moved`: p->x, or displacements that p->x is made of. */
void tl_gas_solve(tl_gas *gas, const tl_particles *p, tl_real *const moved[3], tl_real h, int lanes);

/* Pump and leak over h seconds from `time`. */
void tl_gas_flow(tl_gas *gas, double time, double h);

/* ---- kernels (gas_kernel.c) -------------------------------------------------------------------------------------- */

#define TL_GAS_KERNELS(width)                                                                                          \
    void tl_gas_areas_w##width(const tl_gas *gas, const tl_particles *p);                                              \
    double tl_gas_moment_w##width(const tl_gas *gas, const tl_particles *p);                                           \
    double tl_gas_weight_w##width(const tl_gas *gas, const tl_particles *p);                                           \
    void tl_gas_push_w##width(const tl_gas *gas, tl_real factor, int count, tl_real *const out[3]);                    \
    void tl_gas_move_w##width(const tl_gas *gas, tl_real factor, const tl_particles *p, tl_real *const moved[3]);
TL_GAS_KERNELS(8)
TL_GAS_KERNELS(4)
TL_GAS_KERNELS(1)

#endif
