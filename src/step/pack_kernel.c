/* Packs and unpacks particles (core/packed.h); arrays are padded to whole vectors in both. */
#include "core/packed.h"
#include "step/kernels.h"

/* first, first + 1, … */
typedef struct row {
    int index[TL_WIDTH];
} row;

TL_INLINE row row_of(int first)
{
    row r;
    for (int k = 0; k < TL_WIDTH; ++k)
        r.index[k] = first + k;
    return r;
}

void TL_KERNEL(tl_pack)(int first, int last, const tl_particles *p, tl_real *restrict packed)
{
    for (int i = first; i < last; i += TL_WIDTH)
        tl_packs_write(packed, row_of(i).index,
                       (tl_packs){tl_vec_load(p->x[0] + i), tl_vec_load(p->x[1] + i), tl_vec_load(p->x[2] + i),
                                  tl_vec_load(p->w + i)},
                       TL_WIDTH);
}

void TL_KERNEL(tl_unpack)(int first, int last, const tl_real *restrict packed, const tl_particles *p)
{
    for (int i = first; i < last; i += TL_WIDTH) {
        tl_packs pack = tl_packs_read(packed, row_of(i).index);
        tl_vec_store(p->x[0] + i, pack.x);
        tl_vec_store(p->x[1] + i, pack.y);
        tl_vec_store(p->x[2] + i, pack.z);
    }
}
