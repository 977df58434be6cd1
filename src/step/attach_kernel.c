/* Pulls every particle that is too far from its anchor back onto the sphere around it. Held particles are anchors, not
   followers: they stay. Vectors start at multiples of the width, so that widths agree bit by bit. */
#include "core/simd.h"
#include "step/attach.h"

void TL_KERNEL(tl_attach)(int first, int last, const tl_attach *attach, int slot, tl_real give, tl_real slack,
                          tl_particles *p)
{
    const int *restrict anchor = attach->anchor[slot];
    const tl_real *restrict distance = attach->distance[slot];
    tl_real *const *held = attach->held_x;
    tl_real *restrict x = p->x[0], *restrict y = p->x[1], *restrict z = p->x[2];
    const tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    for (int i = first; i < last; i += TL_WIDTH) {
        tl_vec ax = tl_vec_gather(held[0], anchor + i), ay = tl_vec_gather(held[1], anchor + i), az = tl_vec_gather(held[2], anchor + i);
        tl_vec dx = tl_vec_load(x + i) - ax, dy = tl_vec_load(y + i) - ay, dz = tl_vec_load(z + i) - az;
        tl_vec way = tl_vec_load(distance + i);
        tl_vec most = way + way * way * give + slack;
        tl_vec square = dx * dx + dy * dy + dz * dz;
        tl_mask far = (square > most * most) & (tl_vec_load(p->w + i) > zero);
#if TL_WIDTH > 1
        bool any = false;
        for (int k = 0; k < TL_WIDTH; ++k)
            any = any || far[k];
        if (!any)
            continue;
#endif
        tl_vec share = tl_select(far, most / tl_vec_sqrt(tl_select(far, square, one)), one);
        tl_vec_store(x + i, tl_select(far, ax + dx * share, tl_vec_load(x + i)));
        tl_vec_store(y + i, tl_select(far, ay + dy * share, tl_vec_load(y + i)));
        tl_vec_store(z + i, tl_select(far, az + dz * share, tl_vec_load(z + i)));
    }
}
