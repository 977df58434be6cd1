/* Ellipsoid with its axes along the local ones.

   Nearest point: x_i = e_i² p_i / (t + e_i²) where t solves S(t) = Σ (e_i p_i / (t + e_i²))² = 1 (Eberly, "Distance
   from a point to an ellipse, an ellipse, or a hyperellipse", 2013). With u = t + m², m the smallest semi-axis, 1/√S is
   increasing and concave on u > 0, so Newton's step never overshoots the root from below (Moré and Sorensen 1983); it
   starts from a first-order guess, is bisected when it leaves the bracket, and takes about five iterations near the
   surface. The signed distance is then t |x_i / e_i²|. All in double: the numbers are squared, and cloth needs the
   float's last bit.

   Cast: for margin 0 exactly, by scaling to the unit sphere; else with the distance function. The ellipsoid of
   semi-axes e + margin would be wrong: it lies inside the true offset surface. */
#include "collide/shapes/convex_cast.h"
#include "collide/shapes/rings.h"
#include "collide/shapes/shapes.h"

/* Fraction of the largest semi-axis by which coordinates are moved off the symmetry planes, where the nearest point
   is not unique. The distance changes by no more, which is below the precision of a double. */
#define OFF_PLANE 1e-17
/* Newton needs about five iterations; bisection alone would reach a double's last bit in this many. */
#define NEAREST_ITERATIONS 120
/* Relative change of u at convergence: Newton's error is the square of its last step. */
#define NEAREST_CONVERGED 1e-9
/* Relative; a distance is rounded to a float, and so are a few sums with it before they are compared. */
#define BEYOND_ROUNDING 1e-5

static const char *check(tl_vec3 size)
{
    return tl_size_usable(size.x) && tl_size_usable(size.y) && tl_size_usable(size.z)
               ? NULL
               : "all three semi-axes must be above 0";
}

static double square(double a) { return a * a; }

/* The u of the comment above for coordinates p ≥ 0, and over[i] = e_i² − m². */
static double solve_nearest(const double e[3], const double p[3], const double over[3], double smallest)
{
    double low = 0, high = 0, k0 = 0, k1 = 0;
    for (int i = 0; i < 3; ++i) {
        low = fmax(low, e[i] * p[i] - over[i]); /* each term of S alone is at most 1 */
        high += square(e[i] * p[i]);            /* S is at most this over u² */
        k0 += square(p[i] / e[i]);
        k1 += square(p[i] / square(e[i]));
    }
    high = fmax(sqrt(high), low);
    k0 = sqrt(k0);
    /* first-order guess of t, exact on the surface */
    double u = fmin(fmax(square(smallest) + k0 * k0 * (k0 - 1) / k1, low), high);
    for (int iteration = 0; iteration < NEAREST_ITERATIONS; ++iteration) {
        if (!(u > 0))
            u = (low + high) / 2;
        double sum = 0, slope = 0;
        for (int i = 0; i < 3; ++i) {
            double inverse = 1 / (u + over[i]), term = square(e[i] * p[i] * inverse);
            sum += term;
            slope += term * inverse;
        }
        if (sum >= 1)
            low = u;
        else
            high = u;
        double next = u + (sqrt(sum) - 1) * sum / slope;
        if (fabs(next - u) <= NEAREST_CONVERGED * u)
            return next;
        u = next > low && next < high ? next : (low + high) / 2;
    }
    return u;
}

static tl_real distance(tl_vec3 size, tl_vec3 point, tl_vec3 *normal)
{
    double e[3] = {(double)size.x, (double)size.y, (double)size.z};
    double at[3] = {(double)point.x, (double)point.y, (double)point.z};
    double smallest = fmin(fmin(e[0], e[1]), e[2]), largest = fmax(fmax(e[0], e[1]), e[2]);
    double p[3], over[3];
    for (int i = 0; i < 3; ++i) {
        p[i] = fmax(fabs(at[i]), OFF_PLANE * largest);
        over[i] = (e[i] - smallest) * (e[i] + smallest);
    }
    double u = solve_nearest(e, p, over, smallest);
    double g[3], length = 0; /* gradient x_i / e_i² at the nearest point */
    for (int i = 0; i < 3; ++i) {
        g[i] = p[i] / (u + over[i]);
        length += square(g[i]);
    }
    length = sqrt(length);
    *normal = tl_v3((tl_real)copysign(g[0] / length, at[0]), (tl_real)copysign(g[1] / length, at[1]),
                    (tl_real)copysign(g[2] / length, at[2]));
    return (tl_real)((u - square(smallest)) * length);
}

static bool cast(tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real *t, tl_vec3 *normal)
{
    if (margin > 0)
        return tl_cast_convex(&tl_shape_ellipsoid, size, margin, p0, p1, 0, t, normal);
    tl_vec3 q0 = tl_v3(p0.x / size.x, p0.y / size.y, p0.z / size.z);
    tl_vec3 q1 = tl_v3(p1.x / size.x, p1.y / size.y, p1.z / size.z), n;
    if (!tl_shape_sphere.cast(tl_v3(1, 0, 0), 0, q0, q1, t, &n))
        return false;
    *normal = tl_normalized(tl_v3(n.x / size.x, n.y / size.y, n.z / size.z));
    return true;
}

/* The tangent plane where the ray from the centre to p leaves the ellipsoid has it behind: p is at least as far from it
   as from the plane, k0 (k0 − 1) / k1 with k0 = |p_i / e_i| and k1 = |p_i / e_i²|. */
static bool beyond(tl_vec3 size, tl_vec3 point, tl_real reach)
{
    double e[3] = {(double)size.x, (double)size.y, (double)size.z};
    double at[3] = {(double)point.x, (double)point.y, (double)point.z}, k0 = 0, k1 = 0;
    for (int i = 0; i < 3; ++i) {
        double scaled = at[i] / e[i];
        k0 += square(scaled);
        k1 += square(scaled / e[i]);
    }
    return k0 > 1 && (k0 - sqrt(k0)) * (1 - BEYOND_ROUNDING) > (double)reach * sqrt(k1);
}

static tl_vec3 extent(tl_vec3 size) { return size; }

static void mesh(tl_vec3 size, int detail, tl_shape_mesh *out) { tl_shape_rings(size, 0, detail, out); }

const tl_shape_class tl_shape_ellipsoid = {
    .name = "ellipsoid",
    .help = "Ellipsoid around the body's position, its axes along the local ones.",
    .check = check,
    .distance = distance,
    .beyond = beyond,
    .cast = cast,
    .extent = extent,
    .mesh = mesh,
};
