/* The barrier of a body made of triangles: no particle passes through it.

   Mesh contacts are solved one by one (contact/cloth/contact_solve.c); other layers, strain limits and other bodies
   may still push a particle across afterwards. The barrier runs after all of these: continuous collision detection
   of the path of every particle, in the frame of the body, with exact predicates, so that a particle which starts on
   one side of the mesh ends there. Particles that start inside a closed solid are moved outside. */
#ifndef TL_CONTACT_BODY_BARRIER_H
#define TL_CONTACT_BODY_BARRIER_H

#include "collide/mesh/bvh.h"
#include "core/particles.h"
#include "mesh/mesh.h"

typedef struct tl_barrier {
    const tl_mesh *mesh;
    tl_real *x[3], *x_old[3]; /* m, points in the body's frame at the end and at the start of the substep */
    bool deforms;             /* they differ */
    int shape;                /* incremented whenever the points change */
    tl_real stir;             /* m, largest displacement of a point in that frame */
    tl_real stirred;          /* m, the same, summed over the frame */
    tl_bvh tree;              /* over x */
    tl_box *point;            /* m, around the path of each point in the substep, in that frame */
    tl_box *node_motion;      /* m, per node of the tree: bounds of the displacements of its points in the substep, */
    tl_box *slot_motion;      /* and per slot; only while it deforms */
    tl_pose from, to;         /* of that frame */
    bool still;               /* from and to are the same */
    bool solid;               /* requested; there is an inside only when the mesh is closed */
    bool closed;
    tl_real friction, restitution;
    tl_vec3 impulse, moment; /* out: N·s, N·m·s about to.position, of one call */
} tl_barrier;

enum { TL_BARRIER_OUTSIDE = 128 }; /* bit of `mark` next to those of tl_mark */

/* How far a particle was outside a body that deforms when its distance was last found in this frame: while the two
   have not moved so far, it still is. */
typedef struct tl_barrier_clearance {
    tl_vec3 at;    /* m, in the body's frame */
    tl_real until; /* m, path of the body's points until which it holds if the particle stays; 0: unknown */
    int face;      /* nearest then: where the next search starts */
} tl_barrier_clearance;

/* The cloth that is stopped; arrays by particle. */
typedef struct tl_barrier_cloth {
    const tl_mesh *mesh;
    int count;
    tl_real *const *x, *const *x_old, *const *v;
    const tl_real *w;
    tl_real *pressure;
    unsigned char *touched;          /* per TL_CONTACT_MESH_BLOCK particles: something moved */
    unsigned char *mark;             /* working memory: the bit TL_BARRIER_OUTSIDE, 0 before and after */
    tl_barrier_clearance *clearance; /* of this body */
    tl_real thickness, friction;
} tl_barrier_cloth;

bool tl_barrier_create(tl_barrier *barrier, const tl_mesh *mesh, const tl_allocator *allocator);
void tl_barrier_destroy(tl_barrier *barrier, const tl_allocator *allocator);
/* The points changed to x: refits the tree. */
void tl_barrier_moved(tl_barrier *barrier);

/* Signed distance from the mesh at x, in the body's frame, with the unit normal from the mesh to p; inside a closed
   solid it is negative and the normal points outwards. */
tl_real tl_barrier_distance(const tl_barrier *barrier, tl_vec3 p, tl_vec3 *normal);

/* False for a point, in the body's frame, that cannot be inside: outside the bounding box, or the mesh is open. */
bool tl_barrier_may_hold(const tl_barrier *barrier, tl_vec3 p);

/* First intersection of the path p0 → p1 of a point, in the body's frame, with the mesh; with a closed solid only
   from outside. False when there is none. */
typedef struct tl_barrier_hit {
    int face;
    tl_real t;      /* 0…1 along the path */
    tl_vec3 place;  /* m */
    tl_vec3 normal; /* unit, towards the side it came from */
} tl_barrier_hit;
bool tl_barrier_cross(const tl_barrier *barrier, tl_vec3 p0, tl_vec3 p1, tl_barrier_hit *hit);

/* Stops all particles that crossed the mesh in this substep of h seconds, with friction and restitution; with
   `revert` they return to where they started, carried along by the body. True when there were any. */
bool tl_barrier_hold(tl_barrier *barrier, const tl_barrier_cloth *cloth, tl_real h, tl_real rest_speed, bool revert);
/* Moves particles that are inside, at pose `to`, to the nearest point of the mesh. True when there were any. */
bool tl_barrier_expel(tl_barrier *barrier, const tl_barrier_cloth *cloth);

#endif
