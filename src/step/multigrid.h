/* A V-cycle over coarser and coarser copies of the implicit matrix, as a preconditioner.

   Level 0 is the matrix A of the step; level l + 1 has about a quarter of the nodes of level l, and A' = Pᵀ S A S P,
   with P the interpolation of the finer nodes from the coarser ones and S the filter of held and sliding directions
   (Galerkin). A cycle smooths by two Chebyshev steps on D⁻¹A, D the diagonal blocks, takes the residual down, comes
   back and smooths again; the coarsest level is solved by Cholesky's method. It is symmetric, so that conjugate
   gradients may use it (Briggs, Henson and McCormick 2000, "A multigrid tutorial"; for cloth Tamstorf, Jones and
   McCormick 2015, "Smoothed aggregation multigrid for cloth simulation").

   Coarse nodes of a grid lie on a coarser lattice, with bilinear weights. Those of any other mesh are an independent
   set of its particles; each other particle takes weights of the nearest ones that reproduce linear functions of the
   rest positions, which is what bending needs. Patterns are made once; every row is summed by one thread in a fixed
   order: the same bits for any number of threads. */
#ifndef TL_STEP_MULTIGRID_H
#define TL_STEP_MULTIGRID_H

#include "step/row_kernels.h"

typedef struct tl_multigrid tl_multigrid;

/* Makes the levels for a matrix's pattern. NULL when memory is short. */
tl_multigrid *tl_multigrid_create(const tl_sparse *sparse, const tl_mesh *mesh, const tl_allocator *allocator);
void tl_multigrid_destroy(tl_multigrid *grid);
size_t tl_multigrid_bytes(const tl_multigrid *grid);
int tl_multigrid_levels(const tl_multigrid *grid); /* with the finest */

/* The coarse matrices of the assembled A. False when one is not positive definite to rounding: the state is not finite.
 */
bool tl_multigrid_assemble(tl_multigrid *grid, const tl_sparse *sparse, const tl_filter *filter, tl_tasks *tasks);

/* out ≈ A⁻¹ in, over the free directions. */
void tl_multigrid_cycle(tl_multigrid *grid, const tl_sparse *sparse, const tl_filter *filter, tl_tasks *tasks,
                        const tl_real *in, tl_real *out);

#endif
