/* Pulls every particle that is too far from an anchor back onto the sphere around it. The share of its distance b that
   leads to the radius a is √(a²/b²), here Newton's first step to it from 1, (1 + a²/b²)/2: a cloth is beyond its limits
   by a few thousandths, of which that leaves a few millionths; 10 % too far is left 0.5 % too far, and the next substep
   sees to it. The spheres around the two nearest anchors meet in a circle; what hangs between them is first pulled to
   the radius of that circle, straight to the line through both. The spheres alone would hold it badly there, since they
   pull along that line. Held particles are anchors, not followers: they stay. Blocks start at multiples of TL_LANES, so
   that widths agree bit by bit. */
#include "core/simd.h"
#include "step/tether.h"

typedef struct vectors {
    tl_vec x, y, z;
} vectors;

TL_INLINE vectors minus(vectors a, vectors b) { return (vectors){a.x - b.x, a.y - b.y, a.z - b.z}; }
TL_INLINE vectors along(vectors a, vectors d, tl_vec share)
{
    return (vectors){a.x + d.x * share, a.y + d.y * share, a.z + d.z * share};
}
TL_INLINE tl_vec dot(vectors a, vectors b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* Where the anchors of TL_WIDTH particles are; they mostly share one. */
TL_INLINE vectors anchors(const tl_tether *tether, int slot, int i)
{
    tl_real *const *held = tether->held_x;
    int common = tether->common[slot][i / TL_LANES];
    if (common >= 0)
        return (vectors){tl_vec_set(held[0][common]), tl_vec_set(held[1][common]), tl_vec_set(held[2][common])};
    const int *anchor = tether->anchor[slot] + i;
    return (vectors){tl_vec_gather(held[0], anchor), tl_vec_gather(held[1], anchor), tl_vec_gather(held[2], anchor)};
}

/* By what share of itself a length with the square b2 must grow to have the square a2: negative when it is longer, else
   0. Only part/whole of that is wanted. No branch: which particles are too far cannot be foretold. */
TL_INLINE tl_vec shrinkage(tl_vec a2, tl_vec b2, tl_vec part, tl_vec whole)
{
    tl_mask longer = b2 > a2;
    tl_vec zero = tl_vec_set(0), half = tl_vec_set((tl_real)0.5), one = tl_vec_set(1);
    return tl_select(longer, (a2 - b2) * half * part / tl_select(longer, b2 * whole, one), zero);
}

TL_INLINE vectors pull_to_one(vectors at, vectors a, tl_vec most)
{
    const tl_vec one = tl_vec_set(1);
    vectors d = minus(at, a);
    return along(at, d, shrinkage(most * most, dot(d, d), one, one));
}

/* Two anchors a and b: the way between them, its square and 1 over that. */
typedef struct pair {
    vectors a, way;
    tl_vec way2, per;
} pair;

TL_INLINE pair pair_of(vectors a, vectors b)
{
    vectors way = minus(b, a);
    tl_vec way2 = dot(way, way);
    return (pair){a, way, way2, tl_vec_set(1) / tl_select(way2 > tl_vec_set(TL_TETHER_APART), way2, tl_vec_set(1))};
}

/* A particle is a + u·way + s·beside, with beside at right angles to the way and s = 1 at first. All pulls change u and
   s only. The last, to the nearer anchor a, leaves of what both lack the share that is due to its length: a thread
   between two anchors that is too long is so everywhere alike. */
TL_INLINE vectors pull_to_two(vectors at, const pair *anchor, tl_vec most_a, tl_vec most_b, tl_vec between)
{
    const tl_vec zero = tl_vec_set(0), half = tl_vec_set((tl_real)0.5), one = tl_vec_set(1);
    tl_vec a2 = most_a * most_a, b2 = most_b * most_b, way2 = anchor->way2;
    vectors d = minus(at, anchor->a);
    tl_vec start = dot(d, anchor->way) * anchor->per;
    vectors beside = along(d, anchor->way, -start);
    tl_vec beside2 = dot(beside, beside);
    tl_vec meet = (a2 - b2 + way2) * half * anchor->per, radius2 = a2 - meet * meet * way2 + between;
    tl_mask inner = (meet > zero) & (meet < one);
    tl_vec grow = tl_select(inner, shrinkage(tl_select(radius2 > zero, radius2, zero), beside2, one, one), zero);
    tl_vec u = start, s = one + grow, v = u - one;
    grow = shrinkage(b2, v * v * way2 + s * s * beside2, one, one);
    u += v * grow;
    s += s * grow;
    grow = shrinkage(a2, u * u * way2 + s * s * beside2, most_b, most_a + most_b);
    u += u * grow;
    s += s * grow;
    return along(along(at, anchor->way, u - start), beside, s - one);
}

/* Where the particles from i on end that share their two nearest anchors. */
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
            tl_vec most = tl_vec_load(limit_a + i) + slack;
            if (tether->slots > 1)
                at = pull_to_two(at, &nearest, most, tl_vec_load(limit_b + i) + slack, tl_vec_load(between + i));
            else
                at = pull_to_one(at, nearest.a, most);
            tl_mask free = tl_vec_load(p->w + i) > tl_vec_set(0);
            tl_vec_store(x + i, tl_select(free, at.x, start.x));
            tl_vec_store(y + i, tl_select(free, at.y, start.y));
            tl_vec_store(z + i, tl_select(free, at.z, start.z));
        }
    }
}
