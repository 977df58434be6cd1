/* The matrix of an implicit step, M + d ∂f/∂v + s ∂²E/∂x∂x, in sparse rows.

   Two parts share it: 3 × 3 blocks of elements whose Hessian changes, and single numbers (times I) of those whose
   Hessian is constant, which is most of bending. Rows hold all their columns, the diagonal first, and are worked out by
   one thread each in a fixed order: no races, and the same bits for any number of threads. */
#ifndef TL_STEP_SPARSE_H
#define TL_STEP_SPARSE_H

#include "step/system.h"

typedef struct tl_rows {
    int *start;  /* particles + 1 */
    int *column; /* the first of a row is the row itself, the others ascend */
    int *above;  /* where the columns behind the row's own begin */
} tl_rows;

/* Blocks lie by columns, each of four numbers, the last of them 0. */
enum { TL_BLOCK = 12 };
#define TL_BLOCK_AT(row, column) (4 * (column) + (row))

typedef struct tl_sparse {
    int count;
    unsigned elements; /* bits of the elements that the pattern was made for */
    bool frozen;       /* all elements count as constant, by what their Hessians are at the most */
    bool braced;       /* links that are taut at the strain limit take part (step/strain_limit.h); not when frozen */
    tl_rows rows, constant_rows;
    tl_real (*block)[TL_BLOCK];      /* of rows */
    tl_real *unit[TL_ELEMENT_COUNT]; /* of constant_rows at stiffness 1, one array per element that has any */
    tl_real *constant;               /* of constant_rows, this step's sum over elements */
    int *member[TL_ELEMENT_COUNT];   /* particles of every element whose Hessian changes … */
    int *place[TL_ELEMENT_COUNT];    /* … and where each pair's block goes */
    bool *steady[TL_ELEMENT_COUNT];  /* this element's Hessian is constant; NULL: none is */
    tl_real (*inverse)[TL_BLOCK];    /* of the diagonal blocks */
    tl_real (*diagonal)[TL_BLOCK];   /* the diagonal blocks as they were assembled */
    tl_real *lift;                   /* of a frozen matrix: what makes twice the diagonal as large as its row */
    size_t bytes;
} tl_sparse;

/* Makes the pattern for the elements that are on; nothing when it is already for them. Frozen: every element counts
   with a constant matrix of single numbers, which is not below its Hessian in any direction while the cloth is not
   stretched by much. */
bool tl_sparse_prepare(tl_sparse *sparse, const tl_system *system, bool frozen);
void tl_sparse_destroy(tl_sparse *sparse, const tl_allocator *allocator);

/* matrix = mass + by_velocity × (−∂f/∂v) + by_place × ∂²E/∂x∂x at the present state, and the inverse diagonal. Held
   particles count with their mass. */
void tl_sparse_assemble(tl_sparse *sparse, const tl_system *system, tl_real by_velocity, tl_real by_place);

/* Makes the diagonal block of particle i what was assembled, drag × (I − n nᵀ) and weight × n nᵀ. Returns the drag that
   was taken: much more than the block itself holds changes nothing but rounding. */
tl_real tl_sparse_drag(tl_sparse *sparse, int i, tl_vec3 n, tl_real drag, tl_real weight);

/* out = (a + extra I)⁻¹ of one block. */
void tl_block_invert(const tl_real *a, tl_real extra, tl_real *out);

/* What the matrix holds against moving particle i alone along `way`, kg; without drag. */
tl_real tl_sparse_along(const tl_sparse *sparse, int i, tl_vec3 way);

/* out = matrix × in; vectors have three numbers and a 0 per particle, one particle after the other, aligned as memory
 * is. */
void tl_sparse_times(const tl_sparse *sparse, tl_tasks *tasks, const tl_real *in, tl_real *out);

/* Preconditioners: out ≈ matrix⁻¹ × in. */
void tl_sparse_jacobi(const tl_sparse *sparse, tl_tasks *tasks, const tl_real *in, tl_real *out);
/* One symmetric Gauss–Seidel sweep over the blocks, (D + L) D⁻¹ (D + Lᵀ); particles whose
   flag is 1 stay 0. */
void tl_sparse_sweep(const tl_sparse *sparse, const unsigned char *held, const tl_real *in, tl_real *out);

#endif
