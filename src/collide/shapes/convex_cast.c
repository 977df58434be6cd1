/* Entry of a segment into any convex shape, from its distance function.

   Along a line the distance to a convex set is convex, so Newton's iteration on distance(p(t)) = margin from the
   outside rises monotonically to the first root: with n the normal at the nearest point, the inflated shape lies
   behind the plane (q − p)·n = −(distance − margin), and the segment cannot reach it before that plane. The same
   step is known as conservative advancement towards a supporting plane (van den Bergen, "Ray casting against general
   convex objects", 2004). Convergence is quadratic, linear with factor ½ for a grazing segment. */
#include "collide/shapes/convex_cast.h"

#include "collide/shapes/shapes.h"

/* A grazing segment gains two bits of distance per iteration, so this exceeds the precision of a double. */
#define CAST_ITERATIONS 64
/* Entry is reached within this many units in the last place: rounding of the distance itself. */
#define CAST_ULPS 2

bool tl_cast_convex(const tl_shape_class *shape, tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real start,
                    tl_real *t, tl_vec3 *normal)
{
    tl_vec3 step = tl_sub(p1, p0);
    tl_real time = start;
    for (int iteration = 0; iteration < CAST_ITERATIONS; ++iteration) {
        tl_vec3 p = tl_madd(p0, step, time), n;
        tl_real gap = shape->distance(size, p, &n) - margin;
        tl_real approach = -tl_dot(n, step);
        if (!(approach > 0))
            return false; /* moving away from the supporting plane: never enters */
        tl_real reached = CAST_ULPS * TL_REAL_EPSILON * (tl_max(tl_max(fabs(p.x), fabs(p.y)), fabs(p.z)) + margin);
        tl_real next = time + gap / approach;
        if (gap <= reached || next <= time) {
            *t = time;
            *normal = n;
            return true;
        }
        if (next > 1)
            return false;
        time = next;
    }
    return false;
}
