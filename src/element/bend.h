/* Hinges: the inner edges of a mesh with the two opposite particles, sorted for SIMD.

   Particles 0 and 1 are the edge, in the direction of the first face's half-edge; 2 is opposite in the first face, 3 in
   the second. θ is the angle between the two faces' normals, positive when the faces fold towards the side their
   normals point to. */
#ifndef TL_ELEMENT_BEND_H
#define TL_ELEMENT_BEND_H

#include "element/element.h"
#include "element/group.h"

/* Square of the sine of a triangle's angle at the edge below which its normal is rounding noise in single precision
   (sine 1e-6). The hinge then has no angle and is skipped until its triangles open again. */
#define TL_BEND_SLIVER ((tl_real)1e-12)
/* The same for hinges whose edges are so short (below 1e-9 m) that squared areas leave the range of a float. */
#define TL_BEND_SMALLEST ((tl_real)1e-37)

typedef struct tl_hinge_set {
    int count;
    tl_groups groups;
    /* in the order of the groups, padded by one vector */
    int *particle[4];
    tl_real *rest; /* angle, radians */
} tl_hinge_set;

void tl_bend_force_w8(const tl_element_batch *batch, const tl_hinge_set *set, const tl_particles *p);
void tl_bend_force_w4(const tl_element_batch *batch, const tl_hinge_set *set, const tl_particles *p);
void tl_bend_force_w1(const tl_element_batch *batch, const tl_hinge_set *set, const tl_particles *p);

#endif
