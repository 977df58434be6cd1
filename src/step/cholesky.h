/* The frozen matrix of an implicit step (step/sparse.h) factored once, A = L Lᵀ, so that every step of cloth that meets
   nothing costs two triangular solves.

   A frozen matrix is a scalar times I per block: one factor serves x, y and z, which are solved side by side. The order
   of elimination is a nested dissection (step/dissection.h); every part of it is a dense panel of columns, factored
   when the updates of its pieces have been added: the multifrontal method (Duff and Reid 1983; Liu 1992, "The
   multifrontal method for sparse matrix solution: theory and practice"; for the whole, Davis 2006, "Direct methods for
   sparse linear systems"). Held particles keep their place with a row of the identity, so that pattern and memory do
   not depend on what is held.

   The factor is of double precision, and the diagonal is the mass less the row's other entries, in double: fine cloth
   has a stiffness of 10⁷ masses, and in single precision a free sheet would not feel its weight. All is done by one
   thread in a fixed order. */
#ifndef TL_STEP_CHOLESKY_H
#define TL_STEP_CHOLESKY_H

#include "step/sparse.h"

typedef struct tl_cholesky tl_cholesky;

/* Order and memory for the pattern of a frozen matrix. NULL when memory is short. */
tl_cholesky *tl_cholesky_create(const tl_sparse *sparse, const tl_vec3 *position, const tl_allocator *allocator);
void tl_cholesky_destroy(tl_cholesky *factor);
size_t tl_cholesky_bytes(const tl_cholesky *factor);
size_t tl_cholesky_entries(const tl_cholesky *factor); /* of L, with those stored as 0 */

/* False: so large that factoring it would halt a running program for long. The factor has no memory then. */
bool tl_cholesky_is_worthwhile(const tl_cholesky *factor);

/* Factors the assembled matrix with `held` 1 per particle that does not move. False when it is not positive definite:
   its numbers are not finite. No allocation. */
bool tl_cholesky_factor(tl_cholesky *factor, const tl_sparse *sparse, const tl_real *mass, const unsigned char *held);

/* out = A⁻¹ in over the free particles; held ones keep what `in` has. Three numbers and a 0 per particle. */
void tl_cholesky_solve(tl_cholesky *factor, const tl_real *in, tl_real *out);

#endif
