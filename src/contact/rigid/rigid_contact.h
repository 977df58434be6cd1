/* How two bodies meet of which at least one is moved by it: the places where they touch, and the impulses there.

   A body that is moved is a sphere or a box; it meets every shape and bodies made of triangles. Of a box the corners
   are tried against the other, and the other's corners against the box; where neither has any, the nearest places of
   the two convex shapes, found by projecting to and fro (Bregman 1965). Seen from triangles, the ways from the centre
   of a box to its corners and to the middles of its faces must not cross them. */
#ifndef TL_CONTACT_MEET_H
#define TL_CONTACT_MEET_H

#include "contact/body/barrier.h"
#include "contact/body/convex_contact.h"

/* One of the two, where it is now. */
typedef struct tl_rigid_collider {
    const tl_shape_class *shape; /* NULL: made of triangles */
    tl_vec3 size;
    tl_pose pose;
    const tl_barrier *barrier; /* NULL unless made of triangles */
} tl_rigid_collider;

typedef struct tl_contact_point {
    tl_vec3 place;  /* m, in the world */
    tl_vec3 normal; /* unit, out of b towards a */
    tl_real depth;  /* m by which they overlap there; below 0: apart */
} tl_contact_point;

enum { TL_MAX_MANIFOLD_POINTS = 32 };

/* Can a body of this shape be moved by others? */
bool tl_shape_can_be_dynamic(const tl_shape_class *shape);
/* Places where a, which is moved, and b overlap or are less than `slack` apart; returns their number. */
int tl_rigid_manifold(const tl_rigid_collider *a, const tl_rigid_collider *b, tl_real slack,
                      tl_contact_point out[TL_MAX_MANIFOLD_POINTS]);

/* Coefficients of the two together. */
typedef struct tl_rigid_contact_law {
    tl_real restitution, friction;
    tl_real rest_speed; /* m/s; below this normal speed there is no bounce */
    tl_real h;          /* s, the substep */
} tl_rigid_contact_law;

/* Impulses at all places at once, by turns: nowhere do they approach afterwards, and where they met faster than the
   resting speed they part with `restitution` times that; friction within Coulomb's cone (Guendelman, Bridson and Fedkiw
   2003; accumulated impulses as Catto 2005). Equal and opposite: momentum is kept. */
void tl_rigid_contact_solve(tl_rigid_state *a, tl_vec3 center_a, tl_rigid_state *b, tl_vec3 center_b,
                            const tl_contact_point *points, int count, const tl_rigid_contact_law *law);

#endif
