/* Can two features come within reach of each other in a substep? A vector of pairs at a time.

   Let n point from one nearest point to the other at the start. Points move on straight lines, so that the least
   height of one feature above the other along n is at any time no less than between those at the start and at the end:
   while both are above the reach, the two stay farther apart than that. */
#include "core/simd.h"
#include "core/simd_vectors.h"

#include "contact/broad_phase/candidate.h"

/* 0 … 1, and 0 for what is not a number. */
TL_INLINE tl_vec part_of(tl_vec a) { return tl_vec_least(tl_vec_most(a, tl_vec_set(0)), tl_vec_set(1)); }
TL_INLINE tl_vec ratio(tl_vec a, tl_vec b)
{
    const tl_vec zero = tl_vec_set(0);
    return tl_select(b > zero, a / b, zero);
}

/* From the nearest point of segment a b to p. */
TL_INLINE tl_vectors from_segment(tl_vectors p, tl_vectors a, tl_vectors b)
{
    tl_vectors along = tl_vs_sub(b, a), off = tl_vs_sub(p, a);
    return tl_vs_sub(off, tl_vs_scale(along, part_of(ratio(tl_vs_dot(off, along), tl_vs_dot(along, along)))));
}

/* From the nearest point of triangle x[1] x[2] x[3] to x[0]. */
TL_INLINE tl_vectors from_face(const tl_vectors x[4])
{
    tl_vectors e = tl_vs_sub(x[2], x[1]), f = tl_vs_sub(x[3], x[1]), p = tl_vs_sub(x[0], x[1]), n = tl_vs_cross(e, f);
    tl_vec square = tl_vs_dot(n, n), zero = tl_vec_set(0);
    tl_vec u = tl_vs_dot(tl_vs_cross(p, f), n), v = tl_vs_dot(tl_vs_cross(e, p), n);
    tl_mask inside = (square > zero) & (u >= zero) & (v >= zero) & (u + v <= square);
    tl_vectors nearest = from_segment(x[0], x[1], x[2]), other = from_segment(x[0], x[2], x[3]);
    nearest = tl_vs_select(tl_vs_dot(other, other) < tl_vs_dot(nearest, nearest), other, nearest);
    other = from_segment(x[0], x[3], x[1]);
    nearest = tl_vs_select(tl_vs_dot(other, other) < tl_vs_dot(nearest, nearest), other, nearest);
    return tl_vs_select(inside, tl_vs_scale(n, ratio(tl_vs_dot(p, n), square)), nearest);
}

/* sine² of the angle between segments below which they count as parallel. */
#define PARALLEL ((tl_real)1e-10)

/* From the nearest point of segment x[2] x[3] to that of x[0] x[1]. */
TL_INLINE tl_vectors from_edge(const tl_vectors x[4])
{
    tl_vectors u = tl_vs_sub(x[1], x[0]), v = tl_vs_sub(x[3], x[2]), w = tl_vs_sub(x[0], x[2]), n = tl_vs_cross(u, v);
    tl_vec a = tl_vs_dot(u, u), b = tl_vs_dot(u, v), c = tl_vs_dot(v, v), d = tl_vs_dot(u, w), e = tl_vs_dot(v, w),
           square = tl_vs_dot(n, n);
    tl_vec s = tl_select(square > tl_vec_set(PARALLEL) * a * c, part_of(ratio(b * e - c * d, square)),
                         tl_vec_set((tl_real)0.5));
    tl_vec t = part_of(ratio(b * s + e, c));
    s = part_of(ratio(b * t - d, a));
    return tl_vs_sub(tl_vs_add(w, tl_vs_scale(u, s)), tl_vs_scale(v, t));
}

TL_INLINE tl_vectors apart(const tl_vectors x[4], unsigned char kind)
{
    return kind == TL_VERTEX_FACE ? from_face(x) : from_edge(x);
}

TL_INLINE tl_vectors gather(tl_real *const x[3], const int *index)
{
    return (tl_vectors){tl_vec_gather(x[0], index), tl_vec_gather(x[1], index), tl_vec_gather(x[2], index)};
}

/* Least height of the first feature above the second along n. */
TL_INLINE tl_vec height(const tl_vectors x[4], tl_vectors n, unsigned char kind)
{
    tl_vec low = tl_vs_dot(n, x[0]), high = tl_vec_most(tl_vs_dot(n, x[2]), tl_vs_dot(n, x[3])),
           one = tl_vs_dot(n, x[1]);
    return kind == TL_VERTEX_FACE ? low - tl_vec_most(high, one) : tl_vec_least(low, one) - high;
}

TL_INLINE unsigned near_lanes(const tl_feature_motion *motion, const tl_feature_pair *pair, const int *index, int count,
                              unsigned char kind)
{
    int p[4][TL_WIDTH];
    tl_vectors x[4];
    for (int k = 0; k < TL_WIDTH; ++k)
        for (int i = 0; i < 4; ++i)
            p[i][k] = pair[index[k < count ? k : count - 1]].p[i];
    for (int i = 0; i < 4; ++i)
        x[i] = gather(i < (kind == TL_VERTEX_FACE ? 1 : 2) ? motion->from[0] : motion->from[1], p[i]);
    tl_vectors n = apart(x, kind);
    tl_vec distance = tl_vec_sqrt(tl_vs_dot(n, n)), reach = tl_vec_set(motion->reach), zero = tl_vec_set(0);
    n = tl_vs_scale(n, ratio(tl_vec_set(1), distance));
    for (int i = 0; i < 4; ++i)
        x[i] = gather(i < (kind == TL_VERTEX_FACE ? 1 : 2) ? motion->to[0] : motion->to[1], p[i]);
    tl_vec left = height(x, n, kind);
    tl_mask near = left <= reach;
    if (!motion->anywhere && tl_any(near)) {
        tl_vectors end = apart(x, kind);
        near &= (tl_vs_dot(end, end) <= reach * reach) | (left <= zero);
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
