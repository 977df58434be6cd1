/* Nearest points by Voronoi regions: signs of dot products tell whether a corner, an edge or the face is nearest
   (Ericson, "Real-Time Collision Detection", 2005, sections 5.1.5 and 5.1.9). Each product is formed from
   differences to a corner, so that the result is as exact as the differences of the coordinates. */
#include "collide/mesh/nearest.h"

/* Weight of b on the segment a b nearest to p, 0…1. */
static tl_real along(tl_vec3 p, tl_vec3 a, tl_vec3 b)
{
    tl_vec3 ab = tl_sub(b, a);
    tl_real square = tl_dot(ab, ab);
    return square > 0 ? tl_clamp(tl_dot(tl_sub(p, a), ab) / square, 0, 1) : 0;
}

/* Degenerate triangle: the nearest of its three edges. */
static bool nearest_on_edges(tl_vec3 p, const tl_vec3 corner[3], tl_real weight[3])
{
    tl_real best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        tl_vec3 a = corner[k], b = corner[(k + 1) % 3];
        tl_real t = along(p, a, b);
        tl_vec3 offset = tl_sub(p, tl_lerp(a, b, t));
        tl_real square = tl_dot(offset, offset);
        if (square < best) {
            best = square;
            weight[k] = 1 - t;
            weight[(k + 1) % 3] = t;
            weight[(k + 2) % 3] = 0;
        }
    }
    return false;
}

static bool put(tl_real weight[3], tl_real a, tl_real b, tl_real c, bool inside)
{
    weight[0] = a;
    weight[1] = b;
    weight[2] = c;
    return inside;
}

bool tl_nearest_on_triangle(tl_vec3 p, tl_vec3 a, tl_vec3 b, tl_vec3 c, tl_real weight[3])
{
    tl_vec3 ab = tl_sub(b, a), ac = tl_sub(c, a), ap = tl_sub(p, a);
    tl_real d1 = tl_dot(ab, ap), d2 = tl_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
        return put(weight, 1, 0, 0, false);
    tl_vec3 bp = tl_sub(p, b);
    tl_real d3 = tl_dot(ab, bp), d4 = tl_dot(ac, bp);
    if (d3 >= 0 && d4 <= d3)
        return put(weight, 0, 1, 0, false);
    tl_vec3 cp = tl_sub(p, c);
    tl_real d5 = tl_dot(ab, cp), d6 = tl_dot(ac, cp);
    if (d6 >= 0 && d5 <= d6)
        return put(weight, 0, 0, 1, false);
    /* signed areas of the three triangles with p, by the normal of abc: negative is beyond that edge */
    tl_vec3 normal = tl_cross(ab, ac);
    tl_real area = tl_dot(normal, normal);
    if (!(area > 0))
        return nearest_on_edges(p, (tl_vec3[]){a, b, c}, weight);
    tl_real va = tl_dot(normal, tl_cross(bp, cp)), vb = tl_dot(normal, tl_cross(cp, ap)),
            vc = tl_dot(normal, tl_cross(ap, bp));
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        tl_real t = d1 / (d1 - d3);
        return put(weight, 1 - t, t, 0, false);
    }
    if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        tl_real t = d2 / (d2 - d6);
        return put(weight, 1 - t, 0, t, false);
    }
    if (va <= 0 && d4 >= d3 && d5 >= d6) {
        tl_real t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return put(weight, 0, 1 - t, t, false);
    }
    if (!(va > 0 && vb > 0 && vc > 0)) /* rounding left no region: use the boundary */
        return nearest_on_edges(p, (tl_vec3[]){a, b, c}, weight);
    tl_real scale = 1 / (va + vb + vc);
    return put(weight, va * scale, vb * scale, vc * scale, true);
}

/* sine² of the angle between segments below which they count as parallel: there rounding decides where they cross */
#define PARALLEL ((tl_real)1e-10)

bool tl_nearest_of_segments(tl_vec3 a0, tl_vec3 a1, tl_vec3 b0, tl_vec3 b1, tl_real *s, tl_real *t)
{
    tl_vec3 u = tl_sub(a1, a0), v = tl_sub(b1, b0), w = tl_sub(a0, b0);
    tl_real a = tl_dot(u, u), b = tl_dot(u, v), c = tl_dot(v, v), d = tl_dot(u, w), e = tl_dot(v, w);
    tl_vec3 normal = tl_cross(u, v);
    tl_real square = tl_dot(normal, normal); /* a c − b² without its cancellation */
    bool inside = square > PARALLEL * a * c;
    tl_real at = inside ? (b * e - c * d) / square : (tl_real)0.5;
    inside = inside && at > 0 && at < 1;
    at = tl_clamp(at, 0, 1);
    tl_real other = c > 0 ? (b * at + e) / c : 0;
    if (!(other > 0 && other < 1)) {
        inside = false;
        other = tl_clamp(other, 0, 1);
        at = a > 0 ? tl_clamp((b * other - d) / a, 0, 1) : 0;
    }
    *s = at;
    *t = other;
    return inside;
}

bool tl_segment_pierces(tl_vec3 p, tl_vec3 q, const tl_vec3 c[3], tl_real *s, tl_real b[2])
{
    tl_vec3 d = tl_sub(q, p), e1 = tl_sub(c[1], c[0]), e2 = tl_sub(c[2], c[0]), h = tl_cross(d, e2);
    tl_real det = tl_dot(e1, h);
    if (det == 0)
        return false;
    tl_real inverse = 1 / det;
    tl_vec3 from = tl_sub(p, c[0]), k = tl_cross(from, e1);
    b[0] = tl_dot(from, h) * inverse;
    b[1] = tl_dot(d, k) * inverse;
    *s = tl_dot(e2, k) * inverse;
    return b[0] >= 0 && b[1] >= 0 && b[0] + b[1] <= 1 && *s >= 0 && *s <= 1;
}

tl_vec3 tl_nearest_features(const tl_vec3 x[4], int split)
{
    if (split == 1) {
        tl_real w[3];
        tl_nearest_on_triangle(x[0], x[1], x[2], x[3], w);
        return tl_sub(x[0], tl_blend3(x[1], x[2], x[3], w));
    }
    tl_real s, t;
    tl_nearest_of_segments(x[0], x[1], x[2], x[3], &s, &t);
    return tl_sub(tl_lerp(x[0], x[1], s), tl_lerp(x[2], x[3], t));
}
