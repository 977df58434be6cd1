/* A convex body prepared for many particles: matrices, bounds and friction computed once. Internal to src/contact. */
#ifndef TL_CONTACT_BODY_PREPARED_BODY_H
#define TL_CONTACT_BODY_PREPARED_BODY_H

#include "contact/body/convex_contact.h"

typedef struct tl_matrix3 {
    tl_vec3 row[3];
} tl_matrix3;

typedef struct tl_prepared_body {
    tl_contact_body *body;
    tl_matrix3 from, to; /* world → body at the start and at the end of the substep */
    tl_vec3 shift;       /* m; displacement of the body's position */
    bool moves, turns;   /* neither: from and to are the same pose, to the bit */
    tl_vec3 spin;      /* radians per substep, about world axes: 2 sin(½ angle), so that spin × arm is as long as the
                          displacement of the surface and points along its motion at the end */
    tl_real margin;    /* m; the cloth's thickness */
    tl_real friction;  /* of cloth and body together; may be infinite */
    tl_vec3 low, high; /* m; bounds of the inflated shape in its own frame */
    tl_vec3 around;    /* m; half extents of its box along the axes of the world, at the start */
} tl_prepared_body;

static inline tl_vec3 tl_into(const tl_matrix3 *m, tl_vec3 a)
{
    return tl_v3(tl_dot(m->row[0], a), tl_dot(m->row[1], a), tl_dot(m->row[2], a));
}
static inline tl_vec3 tl_out_of(const tl_matrix3 *m, tl_vec3 a)
{
    return tl_madd(tl_madd(tl_scale(m->row[0], a.x), m->row[1], a.y), m->row[2], a.z);
}

tl_prepared_body tl_prepare_body(const tl_contact_cloth *cloth, tl_contact_body *body);

/* As wide as tl_real, so that comparisons vectorise without packing. */
#ifdef TL_REAL_DOUBLE
typedef int64_t tl_near;
#else
typedef int32_t tl_near;
#endif

/* Around the paths of a few particles in a substep, along the axes of the world, m. */
typedef struct tl_path_bounds {
    tl_real low[3], high[3];   /* of where they start */
    tl_real least[3], most[3]; /* of their displacements */
} tl_path_bounds;

tl_path_bounds tl_path_bounds_of(const tl_contact_cloth *cloth, int first, int count);

/* True only when none of these paths can hit the body. */
bool tl_prepared_body_misses(const tl_prepared_body *prepared, const tl_path_bounds *paths);

/* Marks in near[0 … count-1] the particles first … first+count-1 whose path may hit the body: conservative, no hit
   is missed. False when there are none. At most TL_BODY_BLOCK particles. */
bool tl_prepared_body_sweep(const tl_prepared_body *prepared, const tl_contact_cloth *cloth, int first, int count,
                            tl_near *near);

/* The same, tighter for capsules and ellipsoids: by how far the path starts from the surface. */
bool tl_prepared_body_sweep_closely(const tl_prepared_body *prepared, const tl_contact_cloth *cloth, int first,
                                    int count, tl_near *near);

/* The same for one path, tighter: false when p0 and p1 lie beyond the same side of the shape's own box. */
static inline bool tl_prepared_body_near(const tl_prepared_body *prepared, tl_vec3 p0, tl_vec3 p1, tl_real tolerance)
{
    tl_vec3 low = prepared->low, high = prepared->high;
    return !(tl_min(p0.x, p1.x) > high.x + tolerance || tl_max(p0.x, p1.x) < low.x - tolerance ||
             tl_min(p0.y, p1.y) > high.y + tolerance || tl_max(p0.y, p1.y) < low.y - tolerance ||
             tl_min(p0.z, p1.z) > high.z + tolerance || tl_max(p0.z, p1.z) < low.z - tolerance);
}

/* Length by which rounding may leave a particle at x closer to the body than the thickness (TL_CONTACT_ULPS), m.
   Particles within it of the surface are in contact. */
tl_real tl_contact_tolerance(const tl_contact_body *body, tl_real thickness, tl_vec3 x);

/* Is p, in the shape's frame, so far away that its exact distance need not be known? */
static inline bool tl_shape_is_beyond(const tl_contact_body *body, tl_vec3 p, tl_real reach)
{
    return body->shape->beyond && body->shape->beyond(body->size, p, reach);
}

/* True only when tl_body_clearance is not negative, and mostly then: a cheaper first question. */
bool tl_body_is_clear(const tl_contact_body *body, tl_real thickness, tl_vec3 x);

/* Distance of a world point from the inflated body at its end pose, plus the tolerance for rounding: negative is
   inside. The normal, in world axes, and the plain distance are given when not NULL. */
tl_real tl_body_clearance(const tl_contact_body *body, tl_real thickness, tl_vec3 x, tl_vec3 *normal, tl_real *gap);

#endif
