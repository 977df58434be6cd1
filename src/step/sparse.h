/* The matrix of an implicit step, M + d ∂f/∂v + s ∂²E/∂x∂x, in compressed sparse rows.

   It has two parts: 3 × 3 blocks of elements whose Hessian varies, and scalars (times I) of those whose Hessian is
   constant, which is most of bending. Rows store all their columns, the diagonal first, and are computed by one thread
   each in a fixed order: no races, and the same bits for any number of threads.

   Elements act on differences: their rows sum to zero, but for rounding, which in fine cloth exceeds the mass by far.
   So products leave their diagonal blocks out,  (A u)_i = ground_i u_i + Σ_j B_ij (u_j − u_i),  and cloth that moves as
   a whole meets its mass alone. */
#ifndef TL_STEP_SPARSE_H
#define TL_STEP_SPARSE_H

#include "step/pairs.h"

typedef struct tl_rows {
    int *start;  /* particles + 1 */
    int *column; /* the diagonal first, the others ascending */
    int *above;  /* start of the columns above the diagonal */
} tl_rows;

/* Blocks are stored by columns of four numbers, the last of them 0. */
enum { TL_BLOCK = 12 };
#define TL_BLOCK_AT(row, column) (4 * (column) + (row))

struct tl_sparse {
    int count, lanes;
    unsigned elements;   /* bits of the elements that the pattern was built for */
    bool frozen;         /* all elements are constant, by upper bounds of their Hessians */
    bool has_taut_links; /* includes links that are taut at the strain limit (step/strain_limit.h); not when frozen */
    tl_rows rows, constant_rows;
    tl_real (*block)[TL_BLOCK];      /* of rows */
    tl_real *unit[TL_ELEMENT_COUNT]; /* of constant_rows at stiffness 1, one array per element that has any */
    tl_real scale[TL_ELEMENT_COUNT]; /* what this step multiplies them by … */
    tl_real *constant;               /* … and their sum, of constant_rows */
    tl_pairs pairs;                  /* what the elements whose Hessian varies add to the blocks */
    bool *steady[TL_ELEMENT_COUNT];  /* this element's Hessian is constant; NULL: none is */
    tl_real (*inverse)[TL_BLOCK];    /* of the diagonal blocks */
    tl_real (*diagonal)[TL_BLOCK];   /* the diagonal blocks as assembled */
    tl_real (*ground)[TL_BLOCK];     /* mass, drag and body mass of every particle: what resists a common motion */
    tl_real *lift;                   /* of a frozen matrix: raises twice the diagonal to the row sum */
    size_t bytes;
};

/* Where the block of `column` is in `row`, which has one. */
int tl_rows_find(const tl_rows *rows, int row, int column);

/* Builds the pattern for the elements that are on, unless it is up to date. Frozen: every element has a constant scalar
   matrix that bounds its Hessian from above in every direction while the cloth is not much stretched. */
bool tl_sparse_prepare(tl_sparse *sparse, const tl_system *system, bool frozen);
void tl_sparse_destroy(tl_sparse *sparse, const tl_allocator *allocator);

/* matrix = mass + by_velocity × (−∂f/∂v) + by_position × ∂²E/∂x∂x at the current state, and the inverse diagonal.
   Pinned particles count with their mass. */
void tl_sparse_assemble(tl_sparse *sparse, const tl_system *system, tl_real by_velocity, tl_real by_position);

/* Adds drag × (I − n nᵀ) and weight × n nᵀ to the assembled diagonal block of particle i, of the given mass, in place
   of what was added before. Returns the drag used: it is capped relative to the block, beyond which only rounding would
   change. */
tl_real tl_sparse_drag(tl_sparse *sparse, int i, tl_real mass, tl_vec3 n, tl_real drag, tl_real weight);

/* out = (a + extra I)⁻¹ of one block. */
void tl_block_invert(const tl_real *a, tl_real extra, tl_real *out);

/* Effective mass of particle i alone along `direction`, kg; without drag. */
tl_real tl_sparse_along(const tl_sparse *sparse, int i, tl_vec3 direction);

/* The inverse of the diagonal block of particle i with a symmetric matrix added, by xx yy zz and xy yz zx: for
   tl_sparse_jacobi alone, until the next assembly. */
void tl_sparse_invert_with(tl_sparse *sparse, int i, const tl_real same[3], const tl_real mixed[3]);
/* How far the block of particle i yields along a unit direction, 1/kg: nᵀ D⁻¹ n. */
tl_real tl_sparse_compliance(const tl_sparse *sparse, int i, tl_vec3 direction);

/* out = matrix × in; vectors have three numbers and a 0 per particle, aligned as by tl_allocate. */
void tl_sparse_times(const tl_sparse *sparse, tl_tasks *tasks, const tl_real *in, tl_real *out);

/* Preconditioners: out ≈ matrix⁻¹ × in. */
void tl_sparse_jacobi(const tl_sparse *sparse, tl_tasks *tasks, const tl_real *in, tl_real *out);
/* One symmetric Gauss–Seidel sweep over the blocks, (D + L) D⁻¹ (D + Lᵀ); particles with `constrained` 1 stay 0. */
void tl_sparse_sweep(const tl_sparse *sparse, const unsigned char *constrained, const tl_real *in, tl_real *out);

#endif
