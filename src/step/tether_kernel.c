/* Pulls every particle that is too far from an anchor back onto the sphere around it. Scaling its distance b to the
   radius a takes √(a²/b²), here the first Newton step from 1, (1 + a²/b²)/2: cloth exceeds its limits by a few
   thousandths, of which that leaves a few millionths; 10 % too far is left 0.5 % too far for the next substep. The
   spheres around the two nearest anchors intersect in a circle; particles between them are first pulled to the radius
   of that circle, straight towards the line through both. The spheres alone would constrain them poorly there, since
   they pull along that line. Pinned particles stay. Blocks start at multiples of TL_LANES, so that all widths agree bit
   for bit. */
#include "core/simd.h"
#include "step/tether.h"

typedef struct vectors {
    tl_vec x, y, z;
} vectors;

TL_INLINE vectors minus(vectors a, vectors b) { return (vectors){a.x - b.x, a.y - b.y, a.z - b.z}; }
TL_INLINE vectors along(vectors a, vectors d, tl_vec fraction)
{
    return (vectors){a.x + d.x * fraction, a.y + d.y * fraction, a.z + d.z * fraction};
}
TL_INLINE tl_vec dot(vectors a, vectors b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* Anchor positions of TL_WIDTH particles, mostly a common one. */
TL_INLINE vectors anchors(const tl_tether *tether, int slot, int i)
{
    tl_real *const *pinned = tether->pinned_x;
    int common = tether->common[slot][i / TL_LANES];
    if (common >= 0)
        return (vectors){tl_vec_set(pinned[0][common]), tl_vec_set(pinned[1][common]), tl_vec_set(pinned[2][common])};
    const int *anchor = tether->anchor[slot] + i;
    return (vectors){tl_vec_gather(pinned[0], anchor), tl_vec_gather(pinned[1], anchor),
                     tl_vec_gather(pinned[2], anchor)};
}

/* Relative growth of a length with square b2 to reach the square a2: negative when it is longer, else 0. Only
   part/whole of that is returned. Branch-free: which particles are too far is unpredictable. */
TL_INLINE tl_vec shrinkage(tl_vec a2, tl_vec b2, tl_vec part, tl_vec whole)
{
    tl_mask longer = b2 > a2;
    tl_vec zero = tl_vec_set(0), half = tl_vec_set((tl_real)0.5), one = tl_vec_set(1);
    return tl_select(longer, (a2 - b2) * half * part / tl_select(longer, b2 * whole, one), zero);
}

TL_INLINE vectors pull_to_one(vectors at, vectors a, tl_vec limit)
{
    const tl_vec one = tl_vec_set(1);
    vectors d = minus(at, a);
    return along(at, d, shrinkage(limit * limit, dot(d, d), one, one));
}

/* Two anchors a and b: the axis between them, its squared length and the inverse of that. */
typedef struct pair {
    vectors a, axis;
    tl_vec axis2, per;
} pair;

TL_INLINE pair pair_of(vectors a, vectors b)
{
    vectors axis = minus(b, a);
    tl_vec axis2 = dot(axis, axis);
    return (pair){a, axis, axis2, tl_vec_set(1) / tl_select(axis2 > tl_vec_set(TL_TETHER_APART), axis2, tl_vec_set(1))};
}

/* A particle is a + u·axis + s·beside, with beside perpendicular to the axis and s = 1 initially. All pulls change only
   u and s. The last, to the nearer anchor a, leaves the fraction of the excess of both that is due to its length: a
   thread that is too long between two anchors is stretched evenly. */
TL_INLINE vectors pull_to_two(vectors at, const pair *anchor, tl_vec max_a, tl_vec max_b, tl_vec between)
{
    const tl_vec zero = tl_vec_set(0), half = tl_vec_set((tl_real)0.5), one = tl_vec_set(1);
    tl_vec a2 = max_a * max_a, b2 = max_b * max_b, axis2 = anchor->axis2;
    vectors d = minus(at, anchor->a);
    tl_vec start = dot(d, anchor->axis) * anchor->per;
    vectors beside = along(d, anchor->axis, -start);
    tl_vec beside2 = dot(beside, beside);
    tl_vec crossing = (a2 - b2 + axis2) * half * anchor->per, radius2 = a2 - crossing * crossing * axis2 + between;
    tl_mask inner = (crossing > zero) & (crossing < one);
    tl_vec grow = tl_select(inner, shrinkage(tl_select(radius2 > zero, radius2, zero), beside2, one, one), zero);
    tl_vec u = start, s = one + grow, v = u - one;
    grow = shrinkage(b2, v * v * axis2 + s * s * beside2, one, one);
    u += v * grow;
    s += s * grow;
    grow = shrinkage(a2, u * u * axis2 + s * s * beside2, max_b, max_a + max_b);
    u += u * grow;
    s += s * grow;
    return along(along(at, anchor->axis, u - start), beside, s - one);
}

/* End of the run of particles from i on with the same two nearest anchors. */
static int end_of_run(const tl_tether *tether, int i, int last)
{
    const int *first = tether->common[0], *second = tether->common[tether->slots > 1];
    int block = i / TL_LANES, a = first[block], b = second[block];
    if (a < 0 || b < 0)
        return i + TL_WIDTH;
    do
        ++block;
    while (block * TL_LANES < last && first[block] == a && second[block] == b);
    return block * TL_LANES < last ? block * TL_LANES : last;
}

void TL_KERNEL(tl_tether)(int first, int last, const tl_tether *tether, tl_real slack, tl_particles *p)
{
    tl_real *restrict x = p->x[0], *restrict y = p->x[1], *restrict z = p->x[2];
    const tl_real *restrict limit_a = tether->limit[0], *restrict limit_b = tether->limit[1],
                            *restrict between = tether->between;
    for (int i = first; i < last;) {
        int end = end_of_run(tether, i, last);
        pair nearest = pair_of(anchors(tether, 0, i), anchors(tether, tether->slots > 1, i));
        for (; i < end; i += TL_WIDTH) {
            vectors start = {tl_vec_load(x + i), tl_vec_load(y + i), tl_vec_load(z + i)}, at = start;
            for (int s = tether->slots - 1; s >= 2; --s)
                at = pull_to_one(at, anchors(tether, s, i), tl_vec_load(tether->limit[s] + i) + slack);
            tl_vec limit = tl_vec_load(limit_a + i) + slack;
            if (tether->slots > 1)
                at = pull_to_two(at, &nearest, limit, tl_vec_load(limit_b + i) + slack, tl_vec_load(between + i));
            else
                at = pull_to_one(at, nearest.a, limit);
            tl_mask free = tl_vec_load(p->w + i) > tl_vec_set(0);
            tl_vec_store(x + i, tl_select(free, at.x, start.x));
            tl_vec_store(y + i, tl_select(free, at.y, start.y));
            tl_vec_store(z + i, tl_select(free, at.z, start.z));
        }
    }
}
