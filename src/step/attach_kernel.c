/* Pulls every particle that is too far from an anchor back onto the sphere around it. The share of its distance b that
   leads to the radius a is √(a²/b²), here Newton's first step to it from 1, (1 + a²/b²)/2: a cloth is beyond its limits by a
   few thousandths, of which that leaves a few millionths; 10 % too far is left 0.5 % too far, and the next substep sees
   to it. Held particles are anchors, not followers: they stay. Blocks start at
   multiples of TL_LANES, so that widths agree bit by bit. */
#include "core/simd.h"
#include "step/attach.h"

typedef struct vectors {
    tl_vec x, y, z;
} vectors;

/* Where the anchors of TL_WIDTH particles are; they mostly share one. */
TL_INLINE vectors anchors(tl_real *const held[3], int common, const int *anchor)
{
    if (common >= 0)
        return (vectors){tl_vec_set(held[0][common]), tl_vec_set(held[1][common]), tl_vec_set(held[2][common])};
    return (vectors){tl_vec_gather(held[0], anchor), tl_vec_gather(held[1], anchor), tl_vec_gather(held[2], anchor)};
}

void TL_KERNEL(tl_attach)(int first, int last, const tl_attach *attach, tl_real slack, tl_particles *p)
{
    tl_real *const held[3] = {attach->held_x[0], attach->held_x[1], attach->held_x[2]};
    tl_real *restrict x = p->x[0], *restrict y = p->x[1], *restrict z = p->x[2];
    const tl_real *restrict w = p->w;
    const tl_vec zero = tl_vec_set(0), half = tl_vec_set((tl_real)0.5), one = tl_vec_set(1);
    for (int i = first; i < last; i += TL_WIDTH) {
        vectors at = {tl_vec_load(x + i), tl_vec_load(y + i), tl_vec_load(z + i)};
        for (int s = attach->slots - 1; s >= 0; --s) {
            vectors a = anchors(held, attach->common[s][i / TL_LANES], attach->anchor[s] + i);
            tl_vec dx = at.x - a.x, dy = at.y - a.y, dz = at.z - a.z;
            tl_vec most = tl_vec_load(attach->limit[s] + i) + slack;
            tl_vec a2 = most * most, b2 = dx * dx + dy * dy + dz * dz;
            /* no branch: which particles are too far cannot be foretold */
            tl_mask far = (b2 > a2) & (tl_vec_load(w + i) > zero);
            tl_vec share = (a2 + b2) * half / tl_select(far, b2, one);
            at.x = tl_select(far, a.x + dx * share, at.x);
            at.y = tl_select(far, a.y + dy * share, at.y);
            at.z = tl_select(far, a.z + dz * share, at.z);
        }
        tl_vec_store(x + i, at.x);
        tl_vec_store(y + i, at.y);
        tl_vec_store(z + i, at.z);
    }
}
