/* Can two features come within reach of each other in a substep? A vector of pairs at a time.

   Let n point from one nearest point to the other at the start. Points move on straight lines, so that the least
   height of one feature above the other along n is at any time no less than between those at the start and at the end:
   while both are above the reach, the two stay farther apart than that. */
#include "core/simd.h"

#include "contact/broad_phase/candidate.h"

typedef struct vectors {
    tl_vec x, y, z;
} vectors;

TL_INLINE vectors plus(vectors a, vectors b) { return (vectors){a.x + b.x, a.y + b.y, a.z + b.z}; }
TL_INLINE vectors minus(vectors a, vectors b) { return (vectors){a.x - b.x, a.y - b.y, a.z - b.z}; }
TL_INLINE vectors times(vectors a, tl_vec s) { return (vectors){a.x * s, a.y * s, a.z * s}; }
TL_INLINE tl_vec dot(vectors a, vectors b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
TL_INLINE vectors cross(vectors a, vectors b)
{
    return (vectors){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
TL_INLINE vectors choose(tl_mask m, vectors a, vectors b)
{
    return (vectors){tl_select(m, a.x, b.x), tl_select(m, a.y, b.y), tl_select(m, a.z, b.z)};
}
TL_INLINE tl_vec least(tl_vec a, tl_vec b) { return tl_select(a < b, a, b); }
TL_INLINE tl_vec most(tl_vec a, tl_vec b) { return tl_select(a > b, a, b); }

/* 0 … 1, and 0 for what is not a number. */
TL_INLINE tl_vec part_of(tl_vec a) { return least(most(a, tl_vec_set(0)), tl_vec_set(1)); }
TL_INLINE tl_vec ratio(tl_vec a, tl_vec b)
{
    const tl_vec zero = tl_vec_set(0);
    return tl_select(b > zero, a / b, zero);
}

/* From the nearest point of segment a b to p. */
TL_INLINE vectors from_segment(vectors p, vectors a, vectors b)
{
    vectors along = minus(b, a), off = minus(p, a);
    return minus(off, times(along, part_of(ratio(dot(off, along), dot(along, along)))));
}

/* From the nearest point of triangle x[1] x[2] x[3] to x[0]. */
TL_INLINE vectors from_face(const vectors x[4])
{
    vectors e = minus(x[2], x[1]), f = minus(x[3], x[1]), p = minus(x[0], x[1]), n = cross(e, f);
    tl_vec square = dot(n, n), zero = tl_vec_set(0);
    tl_vec u = dot(cross(p, f), n), v = dot(cross(e, p), n);
    tl_mask inside = (square > zero) & (u >= zero) & (v >= zero) & (u + v <= square);
    vectors nearest = from_segment(x[0], x[1], x[2]), other = from_segment(x[0], x[2], x[3]);
    nearest = choose(dot(other, other) < dot(nearest, nearest), other, nearest);
    other = from_segment(x[0], x[3], x[1]);
    nearest = choose(dot(other, other) < dot(nearest, nearest), other, nearest);
    return choose(inside, times(n, ratio(dot(p, n), square)), nearest);
}

/* sine² of the angle between segments below which they count as parallel. */
#define PARALLEL ((tl_real)1e-10)

/* From the nearest point of segment x[2] x[3] to that of x[0] x[1]. */
TL_INLINE vectors from_edge(const vectors x[4])
{
    vectors u = minus(x[1], x[0]), v = minus(x[3], x[2]), w = minus(x[0], x[2]), n = cross(u, v);
    tl_vec a = dot(u, u), b = dot(u, v), c = dot(v, v), d = dot(u, w), e = dot(v, w), square = dot(n, n);
    tl_vec s = tl_select(square > tl_vec_set(PARALLEL) * a * c, part_of(ratio(b * e - c * d, square)),
                         tl_vec_set((tl_real)0.5));
    tl_vec t = part_of(ratio(b * s + e, c));
    s = part_of(ratio(b * t - d, a));
    return minus(plus(w, times(u, s)), times(v, t));
}

TL_INLINE vectors apart(const vectors x[4], unsigned char kind)
{
    return kind == TL_VERTEX_FACE ? from_face(x) : from_edge(x);
}

TL_INLINE vectors gather(tl_real *const x[3], const int *index)
{
    return (vectors){tl_vec_gather(x[0], index), tl_vec_gather(x[1], index), tl_vec_gather(x[2], index)};
}

/* Least height of the first feature above the second along n. */
TL_INLINE tl_vec height(const vectors x[4], vectors n, unsigned char kind)
{
    tl_vec low = dot(n, x[0]), high = most(dot(n, x[2]), dot(n, x[3])), one = dot(n, x[1]);
    return kind == TL_VERTEX_FACE ? low - most(high, one) : least(low, one) - high;
}

TL_INLINE unsigned near_lanes(const tl_feature_motion *motion, const tl_feature_pair *pair, const int *index, int count,
                              unsigned char kind)
{
    int p[4][TL_WIDTH];
    vectors x[4];
    for (int k = 0; k < TL_WIDTH; ++k)
        for (int i = 0; i < 4; ++i)
            p[i][k] = pair[index[k < count ? k : count - 1]].p[i];
    for (int i = 0; i < 4; ++i)
        x[i] = gather(i < (kind == TL_VERTEX_FACE ? 1 : 2) ? motion->from[0] : motion->from[1], p[i]);
    vectors n = apart(x, kind);
    tl_vec distance = tl_vec_sqrt(dot(n, n)), reach = tl_vec_set(motion->reach), zero = tl_vec_set(0);
    n = times(n, ratio(tl_vec_set(1), distance));
    for (int i = 0; i < 4; ++i)
        x[i] = gather(i < (kind == TL_VERTEX_FACE ? 1 : 2) ? motion->to[0] : motion->to[1], p[i]);
    tl_vec left = height(x, n, kind);
    tl_mask near = left <= reach;
    if (!motion->anywhere && tl_any(near)) {
        vectors end = apart(x, kind);
        near &= (dot(end, end) <= reach * reach) | (left <= zero);
    }
    return tl_bits(near) & ((1u << count) - 1u);
}

unsigned TL_KERNEL(tl_features_near)(const tl_feature_motion *motion, const tl_feature_pair *pair, const int *index,
                                     int count)
{
    unsigned bits = 0;
    for (int k = 0; k < count; k += TL_WIDTH) {
        int left = count - k < TL_WIDTH ? count - k : TL_WIDTH;
        bits |= (motion->kind == TL_VERTEX_FACE ? near_lanes(motion, pair, index + k, left, TL_VERTEX_FACE)
                                                : near_lanes(motion, pair, index + k, left, TL_EDGE_EDGE))
                << k;
    }
    return bits;
}
