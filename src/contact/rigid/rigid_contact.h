/* Contact of two rigid bodies of which at least one is dynamic: the contact points and the impulses there.

   A dynamic body is a sphere or a box; it collides with every shape and with bodies made of triangles. Of a box the
   corners are tested against the other body, and the other's corners against the box; where neither has any in
   contact, the nearest points of the two convex shapes, found by alternating projections (Bregman 1965). Against
   triangles, the rays from the centre of a box to its corners and to the centres of its faces must not cross them. */
#ifndef TL_CONTACT_RIGID_RIGID_CONTACT_H
#define TL_CONTACT_RIGID_RIGID_CONTACT_H

#include "contact/body/barrier.h"
#include "contact/body/convex_contact.h"

/* One of the two, at its present pose. */
typedef struct tl_rigid_collider {
    const tl_shape_class *shape; /* NULL: made of triangles */
    tl_vec3 size;
    tl_pose pose;
    const tl_barrier *barrier; /* NULL unless made of triangles */
} tl_rigid_collider;

typedef struct tl_contact_point {
    tl_vec3 place;  /* m, in the world */
    tl_vec3 normal; /* unit, out of b towards a */
    tl_real depth;  /* m, penetration; negative: apart */
} tl_contact_point;

/* Can a body of this shape be dynamic? */
bool tl_shape_can_be_dynamic(const tl_shape_class *shape);
/* Contact points where the dynamic body a and b penetrate or are less than `slack` apart; returns their number. */
int tl_rigid_manifold(const tl_rigid_collider *a, const tl_rigid_collider *b, tl_real slack,
                      tl_contact_point out[TL_MAX_MANIFOLD_POINTS]);

/* Combined coefficients of the two. */
typedef struct tl_rigid_contact_law {
    tl_real restitution, friction;
    tl_real rest_speed; /* m/s; below this normal speed there is no bounce */
    tl_real h;          /* s, the substep */
} tl_rigid_contact_law;

/* Solves the impulses of all points by Gauss–Seidel: afterwards no point approaches, and points that approached
   faster than the resting speed separate with `restitution` times that; friction within the Coulomb cone
   (Guendelman, Bridson and Fedkiw 2003; accumulated impulses as Catto 2005). Impulses are equal and opposite:
   momentum is conserved. */
void tl_rigid_contact_solve(tl_rigid_state *a, tl_vec3 center_a, tl_rigid_state *b, tl_vec3 center_b,
                            const tl_contact_point *points, int count, const tl_rigid_contact_law *law);

#endif
