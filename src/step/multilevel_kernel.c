/* Interpolates the displacements of a coarse row to a fine one, one column class after another. */
#include "core/simd.h"
#include "step/multilevel.h"

void TL_KERNEL(tl_multilevel_row)(int columns, const tl_real *restrict moves, const tl_real *restrict w,
                                  tl_real *restrict x)
{
    const tl_vec zero = tl_vec_set(0);
    int at = 0;
    for (int q = 0; q < TL_MULTILEVEL_RATIO; ++q) {
        int count = (columns - q + TL_MULTILEVEL_RATIO - 1) / TL_MULTILEVEL_RATIO; /* columns of this class */
        const tl_vec fraction = tl_vec_set((tl_real)q / TL_MULTILEVEL_RATIO);
        for (int m = 0; m < count; m += TL_WIDTH) {
            tl_vec left = tl_vec_load(moves + m), right = tl_vec_load(moves + m + 1);
            tl_vec move = left + (right - left) * fraction;
            bool whole = count - m >= TL_WIDTH; /* else the rest may be another thread's row */
            tl_vec old = whole ? tl_vec_load(x + at + m) : tl_vec_load_exact(x + at + m, count - m);
            tl_vec moved = tl_select(tl_vec_load(w + at + m) > zero, old + move, old);
            if (whole)
                tl_vec_store(x + at + m, moved);
            else
                tl_vec_store_exact(x + at + m, moved, count - m);
        }
        at += count;
    }
}
