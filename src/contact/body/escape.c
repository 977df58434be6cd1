/* The last resort of convex contact: a particle that TL_BODY_PASSES passes left inside some body, between bodies that
   overlap or close on it. In order of preference:
     1. a slight overlap is rounding: push it out along the normal;
     2. back to where it started, when that is free and no body swept over it;
     3. alternating projections out of the deepest body (Bregman 1965 for the convex case; here a heuristic);
     4. along straight lines until it is outside every body: a convex body has one exit on each line, so a union of
        bounded bodies is always left, and with planes whenever a direction leads out of all of them.
   Where nothing is free (a particle between two floors that intersect) the shallowest point found is taken. */
#include "contact/body/escape.h"

#include "collide/shapes/shapes.h"
#include "contact/body/prepared_body.h"

typedef struct surroundings {
    const tl_contact_body *bodies;
    int count;
    tl_real thickness;
} surroundings;

/* The deepest body at x: its slack (≥ 0: free, and no more than that), normal and the push that clears it beyond
 * rounding. */
static tl_real deepest(const surroundings *s, tl_vec3 x, tl_vec3 *normal, tl_real *push, int *which)
{
    tl_real worst = INFINITY;
    for (int b = 0; b < s->count; ++b) {
        if (tl_body_is_clear(&s->bodies[b], s->thickness, x))
            continue;
        tl_vec3 n;
        tl_real gap, slack = tl_body_clearance(&s->bodies[b], s->thickness, x, &n, &gap);
        if (slack < worst) {
            worst = slack;
            *normal = n;
            *push = -gap + TL_ESCAPE_OVERSHOOT * (slack - gap);
            *which = b;
        }
    }
    return worst;
}

static bool is_free(const surroundings *s, tl_vec3 x)
{
    for (int b = 0; b < s->count; ++b)
        if (!tl_body_is_clear(&s->bodies[b], s->thickness, x) &&
            !(tl_body_clearance(&s->bodies[b], s->thickness, x, NULL, NULL) >= 0))
            return false;
    return true;
}

/* Did a body pass over a particle that stays at x? */
static bool swept_over(const surroundings *s, tl_vec3 x)
{
    for (int b = 0; b < s->count; ++b) {
        const tl_contact_body *body = &s->bodies[b];
        tl_vec3 p0 = tl_pose_undo(body->from, x), p1 = tl_pose_undo(body->to, x), n;
        tl_real t, gap = body->shape->distance(body->size, p0, &n) - s->thickness;
        if (gap > tl_contact_tolerance(body, s->thickness, x) &&
            body->shape->cast(body->size, s->thickness, p0, p1, &t, &n))
            return true;
    }
    return false;
}

/* Pushes x out of the deepest body `rounds` times; true when it is free. `x` becomes the shallowest point visited. */
static bool project(const surroundings *s, tl_vec3 *x, int rounds)
{
    tl_vec3 at = *x, normal = {0};
    tl_real best = -INFINITY, push = 0;
    for (int round = 0; round <= rounds; ++round) {
        int which = 0;
        tl_real slack = deepest(s, at, &normal, &push, &which);
        if (slack > best) {
            best = slack;
            *x = at;
        }
        if (slack >= 0)
            return true;
        at = tl_madd(at, normal, push);
    }
    return false;
}

/* Follows the line x + s·direction out of every body it is in; false when a plane blocks it for good. */
static bool exit_along(const surroundings *s, tl_vec3 x, tl_vec3 direction, tl_vec3 *out)
{
    tl_real length = 0;
    for (int round = 0; round < TL_ESCAPE_NEWTON * (s->count + 1); ++round) {
        tl_vec3 at = tl_madd(x, direction, length), n = {0};
        tl_real push = 0;
        int which = 0;
        if (deepest(s, at, &n, &push, &which) >= 0) {
            *out = at;
            return true;
        }
        const tl_contact_body *body = &s->bodies[which];
        tl_real along = tl_dot(n, direction);
        if (body->shape->bottomless && !(along > TL_ESCAPE_COSINE))
            return false;
        /* jump to the far side of a bounded body, exactly: cast back at it from beyond */
        tl_vec3 extent = body->shape->extent(body->size);
        tl_real reach = 2 * (tl_length(extent) + s->thickness), t;
        tl_vec3 far = tl_madd(at, direction, reach), hit;
        if (!body->shape->bottomless &&
            body->shape->cast(body->size, s->thickness, tl_pose_undo(body->to, far), tl_pose_undo(body->to, at), &t,
                              &hit) &&
            reach * (1 - t) > push)
            length += reach * (1 - t);
        else
            length += push / tl_max(along, TL_ESCAPE_COSINE);
    }
    return false;
}

static bool exit_shortest(const surroundings *s, tl_vec3 *x)
{
    static const signed char axes[6][3] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}};
    tl_vec3 sum = {0}, best = *x, out;
    tl_real shortest = INFINITY;
    /* away from all bodies it is in, from each body, and along the axes */
    for (int k = -1; k < s->count + 6; ++k) {
        tl_vec3 direction, n;
        if (k < 0) {
            for (int b = 0; b < s->count; ++b)
                if (tl_body_clearance(&s->bodies[b], s->thickness, *x, &n, NULL) < 0)
                    sum = tl_add(sum, n);
            direction = tl_normalized(sum);
        } else if (k < s->count) {
            tl_body_clearance(&s->bodies[k], s->thickness, *x, &direction, NULL);
        } else {
            const signed char *axis = axes[k - s->count];
            direction = tl_v3(axis[0], axis[1], axis[2]);
        }
        if (!(tl_dot(direction, direction) > 0) || !exit_along(s, *x, direction, &out))
            continue;
        tl_real length = tl_length(tl_sub(out, *x));
        if (length < shortest) {
            shortest = length;
            best = out;
        }
    }
    *x = best;
    return shortest < INFINITY;
}

tl_vec3 tl_escape_bodies(const tl_contact_body *bodies, int body_count, tl_real thickness, tl_vec3 x_old, tl_vec3 x)
{
    surroundings s = {bodies, body_count, thickness};
    tl_vec3 normal = {0}, at = x;
    tl_real push = 0;
    int which = 0;
    if (deepest(&s, x, &normal, &push, &which) >= 0)
        return x;
    if (push <= TL_SLIGHT_ULPS * tl_contact_tolerance(&bodies[which], thickness, x) &&
        project(&s, &at, TL_SLIGHT_PUSHES))
        return at;
    if (is_free(&s, x_old) && !swept_over(&s, x_old))
        return x_old;
    at = x;
    if (project(&s, &at, TL_ESCAPE_PROJECTIONS))
        return at;
    tl_vec3 shallowest = at;
    at = x;
    return exit_shortest(&s, &at) ? at : shallowest;
}
