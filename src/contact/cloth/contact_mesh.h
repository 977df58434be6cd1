/* A triangle mesh in contact: that of a cloth, or of a body, whose points have no inverse mass and follow their
   target. Each group of fields is owned by the file named above it: only that file writes them. */
#ifndef TL_CONTACT_CLOTH_CONTACT_MESH_H
#define TL_CONTACT_CLOTH_CONTACT_MESH_H

#include "collide/mesh/bvh.h"
#include "contact/body/barrier.h"
#include "contact/broad_phase/mesh_query.h"
#include "contact/tuning.h"
#include "mesh/mesh.h"
#include "telar/octree.h"

/* Bits of `mark`, one owner each; the highest is TL_BARRIER_OUTSIDE. */
typedef enum tl_mark {
    TL_TANGLED = 1,      /* candidate.c: on an edge that pierces a face, or on that face */
    TL_STALE = 2,        /* broad_phase.c: moved beyond what its candidate pairs bound */
    TL_TOO_CLOSE = 4,    /* contact_solve.c: in a contact far inside its gap in this substep, or reverted */
    TL_FOLDED = 8,       /* broad_phase.c: cloth is folded back around it at the start of the substep */
    TL_INSIDE = 16,      /* truncation_body.c: on a face that crosses a body, or was put out of one (barrier.c) */
    TL_BEYOND_SLACK = 32 /* broad_phase.c: beyond the slack of the listed features */
} tl_mark;

typedef struct tl_body_contacts tl_body_contacts; /* contact/body/body_contacts.h */

typedef struct tl_contact_mesh {
    /* the world binds these before the frame; arrays by particle */
    const tl_mesh *mesh;
    tl_real *x[3], *x_old[3]; /* m, at the end and at the start of the substep */
    tl_real *v[3];            /* m/s */
    const tl_real *w;         /* 1/kg; 0: follows its target */
    tl_real *pressure;        /* N·s, normal impulses are added; NULL for bodies */
    tl_real thickness;        /* m, kept from bodies */
    tl_real gap;              /* m, kept from cloth */
    tl_real cloth_friction;   /* 1, on cloth */
    tl_real friction;         /* 1, on bodies */
    tl_real restitution;      /* 1, of bodies */
    bool is_cloth;
    bool self_collides;  /* cloth that collides with itself and other self-colliding cloth */
    bool bodies;         /* cloth that collides with bodies; a body that is on */
    bool solved;         /* cloth whose stepper solves contact with bodies itself (contact/body/contact_constraint.h) */
    bool paired;         /* part of some tl_mesh_pair (contact_world.c) */
    tl_octree *octree;   /* of a rigid body, in its own frame, queried instead of the BVH; or NULL */
    bool still;          /* body whose points do not move in this substep and did not in the last */
    bool solid;          /* body with an inside: only its front collides */
    tl_barrier *barrier; /* of a body: no particle passes through it */
    tl_body_contacts *body_contacts; /* of cloth: convex bodies in this substep */

    tl_vec3 pivot; /* m, of a body, for the moment of what it receives */

    /* contact_mesh.c */
    unsigned char *owned; /* per face: corners (bits 0–2) and edges (bits 3–5) that it represents in queries */
    tl_bvh tree;          /* over the faces */
    tl_real mean_edge;    /* m */
    int first;            /* by contact_world.c: index of its particles in tl_contact_world.last_moved_sweep */
    size_t bytes;

    unsigned char *mark; /* per particle: tl_mark */

    /* moved.c; shared by all that move particles */
    int *last_moved_sweep;  /* per particle: last sweep that moved it; in tl_contact_world.last_moved_sweep */
    tl_real *noted_x[3];    /* m, positions before a projection out of bodies */
    unsigned char *touched; /* per block of particles: something moved since the last projection out of bodies */

    /* shock_propagation.c */
    unsigned char *stack_level; /* per particle: 0 rests on a body, 1 on cloth that does, …; or TL_UNSUPPORTED */
    tl_real *last_pressure;     /* N·s, `pressure` when the last substep ended */

    /* truncation.c; NULL until first needed */
    tl_real *allowed; /* 1, fraction of its displacement that each may keep; negative: it is held */

    tl_mesh_query query; /* contact/broad_phase */
} tl_contact_mesh;

enum { TL_UNSUPPORTED = 255 }; /* of `stack_level` */

/* Memory for a mesh without bound fields. NULL when out of memory. */
tl_contact_mesh *tl_contact_mesh_create(const tl_mesh *mesh, const tl_allocator *allocator);
void tl_contact_mesh_destroy(tl_contact_mesh *mesh, const tl_allocator *allocator); /* NULL is fine */
/* Clears a mark on all particles. */
void tl_contact_mesh_unmark(tl_contact_mesh *mesh, tl_mark mark);

#endif
