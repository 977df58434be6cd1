/* A body made of triangles as something that no particle goes through.

   Contact of surfaces answers close pairs (contact/cloth/contact_solve.c), each for itself; what layers, limits of
   stretch and other bodies push afterwards may still carry a particle across. The barrier is the last word of a
   substep: it looks at the whole way of every particle, in the frame of the body, with exact predicates, so that a
   particle which starts on one side of the surface ends there. Particles that are inside a closed solid from the start
   are put outside. */
#ifndef TL_CONTACT_BARRIER_H
#define TL_CONTACT_BARRIER_H

#include "collide/mesh/bvh.h"
#include "core/particles.h"
#include "mesh/mesh.h"

typedef struct tl_barrier {
    const tl_mesh *mesh;
    tl_real *x[3], *x_old[3]; /* m, points in the body's frame at the end and at the start of the substep */
    bool deforms;             /* they differ */
    int shape;                /* counts how often the points went elsewhere */
    tl_real stir;             /* m, the farthest that any of them moves there */
    tl_bvh tree;              /* over x */
    tl_pose from, to;         /* of that frame */
    bool still;               /* from and to are the same */
    bool solid;               /* wanted; there is an inside only when the mesh is closed */
    bool closed;
    tl_real friction, restitution;
    tl_vec3 impulse, moment; /* out: N·s, N·m·s about to.position, of one call */
} tl_barrier;

enum { TL_BARRIER_OUTSIDE = 128 }; /* bit of `mark` */

/* The cloth whose particles are held back; arrays by particle. */
typedef struct tl_barrier_cloth {
    const tl_mesh *mesh;
    int count;
    tl_real *const *x, *const *x_old, *const *v;
    const tl_real *w;
    tl_real *pressure;
    unsigned char *touched; /* per TL_CONTACT_MESH_BLOCK particles: something was moved */
    unsigned char *mark;    /* working memory: the bit TL_BARRIER_OUTSIDE, 0 before and after */
    tl_real thickness, friction;
} tl_barrier_cloth;

bool tl_barrier_create(tl_barrier *barrier, const tl_mesh *mesh, const tl_allocator *allocator);
void tl_barrier_destroy(tl_barrier *barrier, const tl_allocator *allocator);
/* Points went to x: the tree follows. */
void tl_barrier_moved(tl_barrier *barrier);

/* Signed distance in the body's frame from the surface at x, with the unit normal from the surface to p; inside a
   closed solid it is below 0 and the normal points outwards. */
tl_real tl_barrier_distance(const tl_barrier *barrier, tl_vec3 p, tl_vec3 *normal);

/* False for a place, in the body's frame, that cannot be inside: beyond its box, or the surface is not closed. */
bool tl_barrier_may_hold(const tl_barrier *barrier, tl_vec3 p);

/* Where the way p0 → p1 of a point, in the body's frame, first crosses the surface: from the outside only, when that
   has an inside. False when it does not. */
typedef struct tl_barrier_hit {
    int face;
    tl_real t;      /* 0…1 of the way */
    tl_vec3 place;  /* m */
    tl_vec3 normal; /* unit, towards the side it came from */
} tl_barrier_hit;
bool tl_barrier_cross(const tl_barrier *barrier, tl_vec3 p0, tl_vec3 p1, tl_barrier_hit *hit);

/* Holds back all particles that crossed the surface in this substep of h seconds. With `stop` they go back to where
   they started, carried along by the body; else they are answered with friction and restitution. True when there were
   any. */
bool tl_barrier_hold(tl_barrier *barrier, const tl_barrier_cloth *cloth, tl_real h, tl_real rest_speed, bool stop);
/* Puts particles that are inside, at pose `to`, on the nearest place of the surface. True when there were any. */
bool tl_barrier_expel(tl_barrier *barrier, const tl_barrier_cloth *cloth);

#endif
