/* What the broad phase keeps per mesh: where particles were when candidates were found, where they are predicted to be,
   and bounds around the motion between. Only contact/broad_phase writes it. */
#ifndef TL_CONTACT_BROAD_PHASE_MESH_QUERY_H
#define TL_CONTACT_BROAD_PHASE_MESH_QUERY_H

#include "collide/mesh/bvh.h"

struct tl_contact_mesh;

/* A face as queries see it. */
typedef struct tl_face_bounds {
    tl_vec3 corner[3]; /* m, at the query */
    tl_vec3 normal;    /* unit */
    tl_real height;    /* m, of its plane along the normal */
    tl_vec3 motion;    /* m, mean predicted displacement of its corners until the candidates expire */
    tl_real spread;    /* m, farthest that one of them can be from that, without using up margins */
} tl_face_bounds;

/* Boxes around the predicted motion of particles, and the tree around these (swept_bounds.c). */
typedef struct tl_swept_bounds {
    struct tl_contact_mesh *mesh;
    tl_bvh *tree;               /* with its parts */
    tl_box *box;                /* per particle */
    unsigned char *bent;        /* per face: represented edges that are bent or on the border (bits 3–5); or NULL */
    const unsigned char *edges; /* those that count: `bent`, or all that it represents */
    bool crossings;             /* crossings are looked for, too */
    tl_real gap, margin;        /* m, that the boxes were made for; the latter below 0: out of date */
    tl_real marked;             /* m, the margin of the stale faces, which are marked; below 0: not yet */
} tl_swept_bounds;

typedef struct tl_mesh_query {
    unsigned char *sharp; /* per face: represented edges that are bent or on the border (bits 3–5), now: for cloth
                             against bodies */
    tl_real sharp_gap;    /* m, of a body: for which they are known, and the shape it had; below 0: not at all */
    int sharp_shape;
    int *stale; /* faces with a stale particle */
    int stale_count;
    tl_real *start[3];         /* m, positions when candidates were found, less the drift */
    tl_real *predicted_end[3]; /* m, predicted positions when they expire, less the drift */
    tl_real *smoothed_step[3]; /* m, recent displacement per substep, as contact left it */
    tl_real *step_start[3];    /* m, positions at the start of the present substep */
    tl_swept_bounds bounds;    /* for contacts, with the mesh's own tree; cloth only */
    tl_real *tolerance;        /* m, by which each may be off its prediction without using up margins */
    tl_real *span;             /* m, farthest that each can be from `start` without using up margins */
    tl_face_bounds *face;      /* per face, filled where a query comes by */
    tl_real *deviation;        /* m, farthest that each has been off its prediction, beyond its tolerance */
    tl_real max_deviation;     /* m, the largest of these */
    /* for CCD pairs; NULL until first needed */
    tl_bvh ccd_tree;
    tl_swept_bounds ccd_bounds; /* around the same motion */
    unsigned char *may_fold;    /* per face: may change its shape before the candidates expire */
} tl_mesh_query;

#endif
