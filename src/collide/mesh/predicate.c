/* Determinants whose sign is always right: a floating-point value with an error bound, and where that does not
   decide, the exact value as a sum of doubles (Shewchuk, "Adaptive precision floating-point arithmetic and fast
   robust geometric predicates", 1997). Triangle intersection needs only such signs (after Guigue and Devillers
   2003). */
#include "collide/mesh/predicate.h"

/* ---- expansions: sums of doubles ------------------------------------------------------------------------------ */

enum { MAX_TERMS = 192 }; /* 3 × (2 × 2 terms, doubled, differences of two, doubled) × 2 terms */

/* A sum of non-overlapping doubles, smallest first. */
typedef struct sum {
    int count;
    double term[MAX_TERMS];
} sum;

/* a + b = *high + the value returned, exactly */
static double two_sum(double a, double b, double *high)
{
    double s = a + b, back = s - a;
    *high = s;
    return (a - (s - back)) + (b - back);
}

/* adds one double, exactly; zeros are dropped */
static void grow(sum *e, double b)
{
    int count = 0;
    for (int k = 0; k < e->count; ++k) {
        double low = two_sum(b, e->term[k], &b);
        if (low != 0)
            e->term[count++] = low;
    }
    if (b != 0 || count == 0)
        e->term[count++] = b;
    e->count = count;
}

static sum difference(double a, double b)
{
    sum e = {0};
    double high, low = two_sum(a, -b, &high);
    grow(&e, low);
    grow(&e, high);
    return e;
}

/* e + sign × f × g */
static void add_product(sum *e, const sum *f, const sum *g, double sign)
{
    for (int i = 0; i < f->count; ++i)
        for (int j = 0; j < g->count; ++j) {
            double product = f->term[i] * g->term[j];
            grow(e, sign * (fma)(f->term[i], g->term[j], -product));
            grow(e, sign * product);
        }
}

static int sign_of(const sum *e)
{
    double largest = e->count > 0 ? e->term[e->count - 1] : 0;
    return (largest > 0) - (largest < 0);
}

/* ---- orientations --------------------------------------------------------------------------------------------- */

/* (p0 − o)×(p1 − o) in the plane of axes u and v, exactly */
static sum cross_exact(const double p0[3], const double p1[3], const double o[3], int u, int v)
{
    sum au = difference(p0[u], o[u]), av = difference(p0[v], o[v]);
    sum bu = difference(p1[u], o[u]), bv = difference(p1[v], o[v]);
    sum e = {0};
    add_product(&e, &au, &bv, 1);
    add_product(&e, &av, &bu, -1);
    return e;
}

static int orient3_exact(double p[4][3])
{
    sum e = {0};
    for (int k = 0; k < 3; ++k) {
        sum minor = cross_exact(p[0], p[1], p[3], (k + 1) % 3, (k + 2) % 3), last = difference(p[2][k], p[3][k]);
        add_product(&e, &minor, &last, 1);
    }
    return -sign_of(&e); /* the determinant of (a−d, b−d, c−d) is negative for d in front */
}

/* Relative error of the determinants below in double precision, from the depth of their operations, rounded up. */
#define BOUND3 1e-15
#define BOUND2 4e-16

static void widen(tl_vec3 a, double out[3])
{
    out[0] = (double)a.x;
    out[1] = (double)a.y;
    out[2] = (double)a.z;
}

int tl_orient3(tl_vec3 a, tl_vec3 b, tl_vec3 c, tl_vec3 d)
{
    double p[4][3], m[3][3];
    widen(a, p[0]);
    widen(b, p[1]);
    widen(c, p[2]);
    widen(d, p[3]);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            m[i][k] = p[i][k] - p[3][k];
    double value = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        double left = m[0][u] * m[1][v], right = m[0][v] * m[1][u];
        value += m[2][k] * (left - right);
        size += (fabs)(m[2][k]) * ((fabs)(left) + (fabs)(right));
    }
    if (value > BOUND3 * size)
        return -1;
    if (-value > BOUND3 * size)
        return 1;
    return size > 0 ? orient3_exact(p) : 0;
}

/* Orientation of a b c in the plane of axes u and v. */
static int orient2(tl_vec3 a, tl_vec3 b, tl_vec3 c, int u, int v)
{
    double p[3][3];
    widen(a, p[0]);
    widen(b, p[1]);
    widen(c, p[2]);
    double left = (p[0][u] - p[2][u]) * (p[1][v] - p[2][v]), right = (p[0][v] - p[2][v]) * (p[1][u] - p[2][u]);
    double value = left - right, size = (fabs)(left) + (fabs)(right);
    if ((fabs)(value) > BOUND2 * size)
        return (value > 0) - (value < 0);
    if (!(size > 0))
        return 0;
    sum e = cross_exact(p[0], p[1], p[2], u, v);
    return sign_of(&e);
}

/* ---- segments and triangles ------------------------------------------------------------------------------------ */

/* A coordinate plane in which the triangle has area; the first when it has none. */
static void choose_axes(const tl_vec3 corner[3], int *u, int *v)
{
    for (int k = 0; k < 3; ++k) {
        *u = (k + 1) % 3;
        *v = (k + 2) % 3;
        if (orient2(corner[0], corner[1], corner[2], *u, *v) != 0)
            return;
    }
}

static bool between(tl_vec3 p, tl_vec3 q, tl_vec3 x)
{
    return x.x >= tl_min(p.x, q.x) && x.x <= tl_max(p.x, q.x) && x.y >= tl_min(p.y, q.y) && x.y <= tl_max(p.y, q.y) &&
           x.z >= tl_min(p.z, q.z) && x.z <= tl_max(p.z, q.z);
}

static bool segments_intersect(tl_vec3 p, tl_vec3 q, tl_vec3 a, tl_vec3 b, int u, int v)
{
    int pa = orient2(p, q, a, u, v), pb = orient2(p, q, b, u, v), ap = orient2(a, b, p, u, v),
        aq = orient2(a, b, q, u, v);
    if (pa * pb < 0 && ap * aq < 0)
        return true;
    return (pa == 0 && between(p, q, a)) || (pb == 0 && between(p, q, b)) || (ap == 0 && between(a, b, p)) ||
           (aq == 0 && between(a, b, q));
}

/* The segment lies in the triangle's plane. */
static bool coplanar_segment_intersects(tl_vec3 p, tl_vec3 q, const tl_vec3 corner[3])
{
    int u = 1, v = 2;
    choose_axes(corner, &u, &v);
    for (int k = 0; k < 3; ++k)
        if (segments_intersect(p, q, corner[k], corner[(k + 1) % 3], u, v))
            return true;
    int s0 = orient2(corner[0], corner[1], p, u, v), s1 = orient2(corner[1], corner[2], p, u, v),
        s2 = orient2(corner[2], corner[0], p, u, v);
    return (s0 > 0 && s1 > 0 && s2 > 0) || (s0 < 0 && s1 < 0 && s2 < 0);
}

static bool segment_intersects(tl_vec3 p, tl_vec3 q, const tl_vec3 corner[3])
{
    int sp = tl_orient3(corner[0], corner[1], corner[2], p), sq = tl_orient3(corner[0], corner[1], corner[2], q);
    if (sp * sq > 0)
        return false;
    if (sp == 0 && sq == 0)
        return coplanar_segment_intersects(p, q, corner);
    int s0 = tl_orient3(p, q, corner[0], corner[1]), s1 = tl_orient3(p, q, corner[1], corner[2]),
        s2 = tl_orient3(p, q, corner[2], corner[0]);
    return (s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0);
}

static bool boxes_overlap(const tl_vec3 a[3], const tl_vec3 b[3])
{
#define APART(c)                                                                                                       \
    (tl_max(tl_max(a[0].c, a[1].c), a[2].c) < tl_min(tl_min(b[0].c, b[1].c), b[2].c) ||                                \
     tl_max(tl_max(b[0].c, b[1].c), b[2].c) < tl_min(tl_min(a[0].c, a[1].c), a[2].c))
    return !(APART(x) || APART(y) || APART(z));
#undef APART
}

/* Triangles with a common edge p q and opposite corners a and b intersect only when folded flat onto each other. */
static bool folded_flat(tl_vec3 p, tl_vec3 q, tl_vec3 a, tl_vec3 b)
{
    if (tl_orient3(p, q, a, b) != 0)
        return false;
    int u = 1, v = 2;
    choose_axes((tl_vec3[]){p, q, a}, &u, &v);
    return orient2(p, q, a, u, v) * orient2(p, q, b, u, v) > 0;
}

bool tl_triangles_intersect(const tl_vec3 first[3], const tl_vec3 second[3], const int shared[3])
{
    if (!boxes_overlap(first, second))
        return false;
    int common = (shared[0] >= 0) + (shared[1] >= 0) + (shared[2] >= 0);
    if (common == 3)
        return true; /* the same triangle twice */
    if (common == 2) {
        int i = shared[0] < 0 ? 0 : shared[1] < 0 ? 1 : 2, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        return folded_flat(first[i1], first[i2], first[i], second[3 - shared[i1] - shared[i2]]);
    }
    if (common == 1) { /* apart from the common corner they intersect only where the opposite edge does */
        int i = shared[0] >= 0 ? 0 : shared[1] >= 0 ? 1 : 2, j = shared[i];
        return segment_intersects(first[(i + 1) % 3], first[(i + 2) % 3], second) ||
               segment_intersects(second[(j + 1) % 3], second[(j + 2) % 3], first);
    }
    for (int k = 0; k < 3; ++k)
        if (segment_intersects(first[k], first[(k + 1) % 3], second) ||
            segment_intersects(second[k], second[(k + 1) % 3], first))
            return true;
    return false;
}
